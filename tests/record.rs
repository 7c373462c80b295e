//! The record through its public API: what was acknowledged survives kills, full disks, removed folders and rot.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use goband::game::{Event, EventKind, Interval};
use goband::record::{
    AppendOutcome, Damage, EventsFile, Evidence, EvidenceOptions, JOURNAL_FILE, Journal, JournalError, SgfFile,
    evidence_path, verify,
};
use goband::rules::{Color, Point};
use proptest::prelude::*;

fn event(seq: u64) -> Event {
    let mut e = Event::new(EventKind::Move, Interval { first: seq * 100, last: seq * 100 + 40 }, seq * 100 + 70, 0.987);
    e.seq = seq;
    e.color = Some(if seq % 2 == 1 { Color::Black } else { Color::White });
    e.point = Some(Point { row: (seq % 19) as u8, col: (seq / 19 % 19) as u8 });
    e.captured = Some(Vec::new());
    e.move_number = Some(seq as u32);
    e.text = Some(goband::game::Text { en: format!("Move {seq}"), zh: format!("第{seq}手") });
    e
}

fn written(folder: &Path, count: u64) -> Vec<u8> {
    let (mut journal, old) = Journal::open(folder).unwrap();
    let from = old.last().map_or(1, |e| e.seq + 1);
    for seq in from..from + count {
        assert_eq!(journal.append(&event(seq)), AppendOutcome::Written);
    }
    drop(journal);
    fs::read(folder.join(JOURNAL_FILE)).unwrap()
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|e| e.seq).collect()
}

#[test]
fn what_was_appended_is_there_again() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 5);
    written(dir.path(), 5);
    let (mut journal, events) = Journal::open(dir.path()).unwrap();
    assert_eq!(events, (1..=10).map(event).collect::<Vec<_>>());
    assert!(journal.take_notices().is_empty());
    assert_eq!(journal.append(&event(10)), AppendOutcome::Duplicate { seq: 10 });
    assert_eq!(journal.append(&event(11)), AppendOutcome::Written);
    let reading = verify(journal.path()).unwrap();
    assert_eq!((reading.events.len(), reading.damage), (11, None));
}

#[test]
fn devices_are_told_when_the_line_is_written_and_once_whatever_the_disk_says() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("day/game");
    fs::create_dir_all(&folder).unwrap();
    let (mut journal, _) = Journal::open(&folder).unwrap();
    let path = folder.join(JOURNAL_FILE);
    let mut told = Vec::new();
    let outcome = journal.append_telling(&event(1), || told.push(fs::read_to_string(&path).unwrap()));
    assert_eq!(outcome, AppendOutcome::Written);
    assert!(told.len() == 1 && told[0].contains("\"seq\":1,"), "a killed daemon must not have told what is not there");
    assert_eq!(journal.append_telling(&event(1), || told.push(String::new())), AppendOutcome::Duplicate { seq: 1 });
    assert_eq!(told.len(), 2);
    // the disk is gone: the referee is told all the same
    fs::remove_dir_all(dir.path().join("day")).unwrap();
    let outcome = journal.append_telling(&event(2), || told.push(String::new()));
    assert!(matches!(outcome, AppendOutcome::Degraded { waiting: 1, .. }), "{outcome:?}");
    assert_eq!(told.len(), 3);
}

#[test]
fn the_format_is_the_documented_one() {
    let dir = tempfile::tempdir().unwrap();
    let text = String::from_utf8(written(dir.path(), 1)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0][26..].starts_with(r#"{"goband_journal":1,"table":"#), "{}", lines[0]);
    assert_eq!(
        lines[1][26..],
        *r#"{"seq":1,"kind":"move","at_ms":{"first":100,"last":140},"reported_ms":170,"confidence":0.987,"color":"B","point":[1,0],"captured":[],"move":1,"text":{"en":"Move 1","zh":"第1手"}}"#
    );
    // the example of docs/journal.md is a real one
    let page = include_str!("../docs/journal.md");
    let example: String =
        page.lines().filter(|l| l.len() > 26 && l[25..].starts_with(" {")).map(|l| format!("{l}\n")).collect();
    assert_eq!(example.lines().count(), 3, "the page shows a header and two events");
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join(JOURNAL_FILE), example).unwrap();
    let (mut journal, events) = Journal::open_table(other.path(), "table-1").unwrap();
    assert_eq!((seqs(&events), journal.take_notices()), (vec![1, 2], vec![]));
}

#[test]
fn a_second_writer_is_refused_and_told_who_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(dir.path()).unwrap();
    let refused = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(refused, JournalError::Lock(_)), "{refused}");
    let text = refused.to_string();
    assert!(text.contains(&std::process::id().to_string()) && text.contains(&*dir.path().to_string_lossy()), "{text}");
    drop(journal);
    Journal::open(dir.path()).unwrap();
}

#[test]
fn another_table_or_version_is_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::open_table(dir.path(), "A").unwrap());
    let refused = Journal::open_table(dir.path(), "B").unwrap_err().to_string();
    assert!(refused.contains("\"A\"") && refused.contains("\"B\""), "{refused}");
    for text in ["not a journal\n", "\u{0}\u{1}\u{2}\n\n"] {
        fs::write(dir.path().join(JOURNAL_FILE), text).unwrap();
        assert!(Journal::open(dir.path()).is_err());
        assert_eq!(fs::read_to_string(dir.path().join(JOURNAL_FILE)).unwrap(), text);
    }
    let (line, _) = goband::record::line::encode(goband::record::line::GENESIS, r#"{"goband_journal":2,"table":"A"}"#);
    fs::write(dir.path().join(JOURNAL_FILE), line).unwrap();
    let refused = Journal::open(dir.path()).unwrap_err().to_string();
    assert!(refused.contains("version 2"), "{refused}");
}

#[test]
fn a_torn_tail_is_cut_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = written(dir.path(), 6);
    let path = dir.path().join(JOURNAL_FILE);
    let last_line = bytes[..bytes.len() - 1].iter().rposition(|&b| b == b'\n').unwrap() + 1;
    // every possible cut within the last line
    for (n, cut) in (last_line + 1..bytes.len()).enumerate() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let (mut journal, events) = Journal::open(dir.path()).unwrap();
        let notices = journal.take_notices();
        if cut == bytes.len() - 1 {
            assert_eq!((events.len(), notices.len()), (6, 0), "only the line feed is missing: the event is whole");
        } else {
            assert_eq!((events.len(), notices.len()), (5, 1));
            let aside = fs::read(dir.path().join(format!("journal.torn-{}", n + 1))).unwrap();
            assert_eq!(aside, &bytes[last_line..cut]);
        }
        let next = events.len() as u64 + 1;
        assert_eq!(journal.append(&event(next)), AppendOutcome::Written);
        drop(journal);
        assert_eq!(seqs(&verify(&path).unwrap().events), (1..=next).collect::<Vec<_>>());
    }
    // a power cut may leave zeros instead
    let mut zeros = bytes.clone();
    zeros[last_line + 7..].fill(0);
    zeros.extend([0; 500]);
    fs::write(&path, &zeros).unwrap();
    let (_, events) = Journal::open(dir.path()).unwrap();
    assert_eq!(events.len(), 5);
    // even within the header
    fs::write(&path, &bytes[..20]).unwrap();
    assert_eq!(Journal::open(dir.path()).unwrap().1.len(), 0);
}

#[test]
fn rot_in_the_middle_is_told_with_its_line_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = written(dir.path(), 8);
    let starts: Vec<usize> =
        std::iter::once(0).chain(bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1)).collect();
    bytes[starts[4] + 60] ^= 4; // line 5: event 4
    let path = dir.path().join(JOURNAL_FILE);
    fs::write(&path, &bytes).unwrap();
    match verify(&path).unwrap().damage {
        Some(Damage::Middle { line: 5, valid_lines_after: 4, .. }) => {}
        other => panic!("{other:?}"),
    }
    let (mut journal, events) = Journal::open(dir.path()).unwrap();
    assert_eq!(seqs(&events), [1, 2, 3]);
    let notices = journal.take_notices();
    assert!(
        notices[0].degraded && notices[0].text.en.contains("line 5") && notices[0].text.zh.contains("第 5 行"),
        "{notices:?}"
    );
    assert_eq!(fs::read(dir.path().join("journal.damaged-1")).unwrap(), &bytes[starts[4]..]);
    assert_eq!(journal.append(&event(4)), AppendOutcome::Written);
    drop(journal);
    assert_eq!(verify(&path).unwrap().damage, None);
}

#[test]
fn a_removed_or_swapped_line_breaks_the_chain() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = written(dir.path(), 6);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let path = dir.path().join("edited.log");
    let mut removed = lines.clone();
    removed.remove(3);
    fs::write(&path, removed.concat()).unwrap();
    let reading = verify(&path).unwrap();
    assert!(matches!(reading.damage, Some(Damage::Middle { line: 4, .. })), "{:?}", reading.damage);
    assert_eq!(seqs(&reading.events), [1, 2]);
}

#[test]
fn a_repeated_seq_in_the_file_is_counted_once() {
    use goband::record::line::encode;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(JOURNAL_FILE);
    let mut chain = goband::record::line::GENESIS;
    let mut other = event(2);
    other.point = Some(Point { row: 18, col: 18 });
    let mut bytes = Vec::new();
    let events = [event(1), event(2), event(2), other, event(3)].map(|e| serde_json::to_string(&e).unwrap());
    for json in std::iter::once(r#"{"goband_journal":1,"table":"t"}"#.to_owned()).chain(events) {
        let (line, next) = encode(chain, &json);
        bytes.extend(line);
        chain = next;
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(verify(&path).unwrap().duplicates, [(4, 2, true), (5, 2, false)]);
    let (mut journal, events) = Journal::open(dir.path()).unwrap();
    assert_eq!(events, [event(1), event(2), event(3)]);
    assert!(journal.take_notices()[0].text.en.contains("line 5"));
    assert_eq!(journal.append(&event(4)), AppendOutcome::Written);
}

#[test]
fn a_removed_folder_is_made_again_with_everything_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("game-0001");
    let (mut journal, _) = Journal::open(&folder).unwrap();
    for seq in 1..=3 {
        assert_eq!(journal.append(&event(seq)), AppendOutcome::Written);
    }
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(journal.append(&event(4)), AppendOutcome::Written);
    assert_eq!(verify(&folder.join(JOURNAL_FILE)).unwrap().events.len(), 4);
    // with its parent: perhaps an unmounted disk, so it is told and not made
    fs::remove_dir_all(dir.path()).unwrap();
    let outcome = journal.append(&event(5));
    assert!(
        matches!(&outcome, AppendOutcome::Degraded { reason, waiting: 1 } if reason.en.contains("gone")),
        "{outcome:?}"
    );
    assert!(outcome.report().unwrap().degraded);
    assert_eq!(journal.append(&event(6)), AppendOutcome::Waiting { waiting: 2 });
    fs::create_dir_all(dir.path()).unwrap();
    assert_eq!(journal.retry(), AppendOutcome::Restored { caught_up: 2 });
    assert_eq!(seqs(&verify(&folder.join(JOURNAL_FILE)).unwrap().events), (1..=6).collect::<Vec<_>>());
}

/// Fills the disk under the journal, shows that nothing is lost, frees it again.
fn on_a_full_disk(folder: &Path, fill: impl Fn(), free: impl Fn()) {
    let game = folder.join("game");
    let (mut journal, _) = Journal::open(&game).unwrap();
    let mut seq = 0;
    let mut append = |journal: &mut Journal| {
        seq += 1;
        journal.append(&event(seq))
    };
    assert_eq!(append(&mut journal), AppendOutcome::Written);
    fill();
    // the last block of the file still has room for some
    let degraded = loop {
        match append(&mut journal) {
            AppendOutcome::Written => {}
            other => break other,
        }
    };
    let AppendOutcome::Degraded { waiting: 1, reason } = &degraded else { panic!("{degraded:?}") };
    assert!(reason.en.contains("full") || reason.en.contains("limit"), "{}", reason.en);
    assert!(matches!(append(&mut journal), AppendOutcome::Waiting { waiting: 2 }));
    assert!(matches!(journal.retry(), AppendOutcome::Waiting { waiting: 2 }));
    free();
    let restored = append(&mut journal);
    assert_eq!(restored, AppendOutcome::Restored { caught_up: 2 });
    assert!(!restored.report().unwrap().degraded);
    assert_eq!(append(&mut journal), AppendOutcome::Written);
    drop(journal);
    let (_, events) = Journal::open(&game).unwrap();
    assert_eq!(seqs(&events), (1..=seq).collect::<Vec<_>>());
}

#[test]
fn a_full_disk_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "goband-test"])
        .arg(dir.path())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !mounted {
        eprintln!("skipped: a tmpfs cannot be mounted here (needs root)");
        return;
    }
    let ballast = dir.path().join("ballast");
    let result = std::panic::catch_unwind(|| {
        let fill = || {
            let mut file = fs::File::create(&ballast).unwrap();
            while file.write_all(&[0; 4096]).is_ok() {}
            while file.write_all(&[0]).is_ok() {}
        };
        on_a_full_disk(dir.path(), fill, || fs::remove_file(&ballast).unwrap());
        // game record and evidence on the same disk
        let sgf = SgfFile::spawn(dir.path().join("game.sgf")).unwrap();
        sgf.set("(;FF[4]C[old])".into());
        wait_for("the first record", || dir.path().join("game.sgf").exists());
        fill();
        sgf.set(format!("(;FF[4]C[{}])", "x".repeat(9000)));
        let trouble = sgf.reports().recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(trouble.degraded && trouble.text.en.contains("full"), "{trouble:?}");
        assert_eq!(fs::read(dir.path().join("game.sgf")).unwrap(), b"(;FF[4]C[old])", "the last good one stays");
        fs::remove_file(&ballast).unwrap();
        let well = sgf.reports().recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(!well.degraded);
        assert_eq!(fs::metadata(dir.path().join("game.sgf")).unwrap().len(), 9011);
        drop(sgf);
    });
    let _ = Command::new("umount").arg("-l").arg(dir.path()).status();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs one test of this file in a process of its own with `GOBAND_CHILD` set; without it that test does nothing.
fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env("GOBAND_CHILD", folder);
    command
}

#[test]
fn a_file_size_limit_loses_nothing() {
    let Some(folder) = std::env::var_os("GOBAND_CHILD") else {
        let dir = tempfile::tempdir().unwrap();
        let out = child("a_file_size_limit_loses_nothing", dir.path()).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        return;
    };
    let limit = |bytes: u64| {
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: plain system calls of a process of its own; an ignored SIGXFSZ turns the signal into an error.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
        }
    };
    on_a_full_disk(Path::new(&folder), || limit(1000), || limit(1 << 30));
}

#[test]
fn a_killed_writer_loses_nothing_it_acknowledged() {
    if let Some(folder) = std::env::var_os("GOBAND_CHILD") {
        let (mut journal, events) = Journal::open(Path::new(&folder)).unwrap();
        let mut out = std::io::stdout().lock();
        for seq in events.last().map_or(1, |e| e.seq + 1).. {
            assert_eq!(journal.append(&event(seq)), AppendOutcome::Written);
            writeln!(out, "\nacknowledged {seq}").unwrap();
            out.flush().unwrap();
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let mut known = 0;
    for round in 0..12u64 {
        let mut child = child("a_killed_writer_loses_nothing_it_acknowledged", dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut acknowledged = known;
        let note = |line: &str, acknowledged: &mut u64| {
            if let Some(seq) = line.trim().strip_prefix("acknowledged ") {
                *acknowledged = seq.parse().unwrap();
            }
        };
        let start = Instant::now();
        let mut line = String::new();
        while acknowledged == known || start.elapsed() < Duration::from_millis(30 + round * 7) {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the child ended by itself");
            note(&line, &mut acknowledged);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        // a half printed number is no acknowledgement
        rest.split_inclusive('\n').filter(|l| l.ends_with('\n')).for_each(|l| note(l, &mut acknowledged));
        let (_, events) = Journal::open(dir.path()).unwrap();
        let last = events.last().map_or(0, |e| e.seq);
        assert!(last >= acknowledged, "round {round}: acknowledged {acknowledged}, found {last}");
        assert_eq!(events, (1..=last).map(event).collect::<Vec<_>>(), "round {round}");
        known = last;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever happens to the bytes: no panic, a valid beginning, and it can be gone on from.
    #[test]
    fn any_damage_leaves_a_valid_beginning(at in 0usize..2500, bytes in proptest::collection::vec(any::<u8>(), 0..40), cut in any::<bool>()) {
        let dir = tempfile::tempdir().unwrap();
        let good = written(dir.path(), 9);
        let path = dir.path().join(JOURNAL_FILE);
        let at = at.min(good.len());
        let mut bad = good[..at].to_vec();
        bad.extend(&bytes);
        if !cut {
            bad.extend(&good[(at + bytes.len()).min(good.len())..]);
        }
        fs::write(&path, &bad).unwrap();
        if let Ok((mut journal, events)) = Journal::open(dir.path()) {
            prop_assert_eq!(&events, &(1..=events.len() as u64).map(event).collect::<Vec<_>>());
            let whole_lines = good[..at].iter().filter(|&&b| b == b'\n').count();
            prop_assert!(events.len() + 1 >= whole_lines);
            prop_assert_eq!(journal.append(&event(events.len() as u64 + 1)), AppendOutcome::Written);
            drop(journal);
            prop_assert_eq!(verify(&path).unwrap().damage, None);
        } else {
            prop_assert_eq!(fs::read(&path).unwrap(), bad, "what is refused is not touched");
        }
    }
}

#[test]
fn a_new_beginning_keeps_the_old_journal() {
    let dir = tempfile::tempdir().unwrap();
    let old = written(dir.path(), 3);
    let mut journal = Journal::begin(dir.path(), "t").unwrap();
    assert_eq!(journal.last_seq(), 0);
    assert_eq!(journal.append(&event(1)), AppendOutcome::Written);
    assert_eq!(fs::read(dir.path().join("journal.previous.log")).unwrap(), old);
}

#[test]
fn events_jsonl_is_begun_anew_and_plain() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out/events.jsonl");
    for _ in 0..2 {
        let mut file = EventsFile::create(&path).unwrap();
        file.write(&event(1)).unwrap();
        file.write(&event(2)).unwrap();
        file.finish().unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let events: Vec<Event> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(events, [event(1), event(2)]);
}

#[test]
fn the_record_holds_the_newest_text_and_is_whole_at_every_moment() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("game.sgf");
    let sgf = SgfFile::spawn(path.clone()).unwrap();
    for n in 0..300 {
        sgf.set(format!("(;FF[4]C[{}]N[{n}])", "a".repeat(n * 40)));
        if let Ok(text) = fs::read_to_string(&path) {
            assert!(text.starts_with("(;FF[4]") && text.ends_with("])"), "{text}");
        }
    }
    sgf.finish();
    assert!(fs::read_to_string(&path).unwrap().ends_with("N[299])"));
}

fn infraction(seq: u64, first: u64, last: u64, reported_ms: u64) -> Event {
    let mut e = Event::new(EventKind::DoubleMove, Interval { first, last }, reported_ms, 0.99);
    e.seq = seq;
    e.evidence = Some(evidence_path(seq, e.kind));
    e
}

#[test]
fn evidence_shows_before_during_and_after() {
    let dir = tempfile::tempdir().unwrap();
    let options = EvidenceOptions { lossless: true, ..EvidenceOptions::default() };
    let evidence = Evidence::spawn(dir.path(), options).unwrap();
    let e = infraction(12, 20_030, 21_040, 21_600);
    assert_eq!(e.evidence.as_deref(), Some("evidence/0012-double_move"));
    for t in (0..30_000).step_by(100) {
        evidence.picture(t, format!("jpeg {t}").into_bytes());
        if t == 21_600 {
            evidence.event(&e);
            // without a path there is nothing to write
            evidence.event(&event(13));
        }
    }
    // written before the end: the post-roll is over
    let index = dir.path().join("evidence/0012-double_move/index.json");
    wait_for("the index", || index.exists());
    evidence.finish();
    let folder = index.parent().unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(
        (read("before.jpg"), read("during.jpg"), read("after.jpg")),
        ("jpeg 20000".into(), "jpeg 21000".into(), "jpeg 21600".into())
    );
    let index: serde_json::Value = serde_json::from_str(&read("index.json")).unwrap();
    let clip: Vec<u64> = index["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| p["role"] == "clip")
        .map(|p| p["time_ms"].as_u64().unwrap())
        .collect();
    assert_eq!((clip.len(), clip[0]), (20, 19_600));
    assert!(*clip.last().unwrap() >= 21_600, "{clip:?}");
    assert_eq!(index["seq"], 12);
    assert_eq!(fs::read_dir(dir.path().join("evidence")).unwrap().count(), 1);
}

#[test]
fn evidence_does_not_wait_for_a_lost_camera_or_for_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let evidence = Evidence::spawn(dir.path(), EvidenceOptions { post_ms: 10, ..EvidenceOptions::default() }).unwrap();
    evidence.picture(100, vec![1]);
    evidence.event(&infraction(1, 100, 100, 100));
    wait_for("evidence without further pictures", || dir.path().join("evidence/0001-double_move/index.json").exists());
    evidence.event(&infraction(2, 100, 100, 100));
    evidence.finish();
    assert!(dir.path().join("evidence/0002-double_move/after.jpg").exists());
    // and with no picture at all there is still an index that says so
    let evidence = Evidence::spawn(dir.path(), EvidenceOptions::default()).unwrap();
    evidence.event(&infraction(3, 100, 100, 100));
    evidence.finish();
    assert!(
        fs::read_to_string(dir.path().join("evidence/0003-double_move/index.json"))
            .unwrap()
            .contains("\"pictures\": []")
    );
}

#[test]
fn a_disk_that_refuses_evidence_is_told_once_and_caught_up() {
    let dir = tempfile::tempdir().unwrap();
    // a file in the folder's place
    fs::write(dir.path().join("evidence"), b"").unwrap();
    let evidence = Evidence::spawn(dir.path(), EvidenceOptions { post_ms: 0, ..EvidenceOptions::default() }).unwrap();
    evidence.picture(1000, vec![7]);
    for seq in 1..=3 {
        evidence.event(&infraction(seq, 1000, 1000, 1000));
        evidence.picture(1000 + seq, vec![7]);
    }
    let trouble = evidence.reports().recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(trouble.degraded, "{trouble:?}");
    fs::remove_file(dir.path().join("evidence")).unwrap();
    let well = evidence.reports().recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(!well.degraded, "{well:?}");
    evidence.finish();
    for seq in 1..=3 {
        assert!(dir.path().join(evidence_path(seq, EventKind::DoubleMove)).join("index.json").exists());
    }
}

#[test]
fn retries_overwrite_the_half_line_of_a_full_disk() {
    // as a full disk would leave it: half a line after the valid ones, while the journal is open
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(dir.path()).unwrap();
    journal.append(&event(1));
    let path = dir.path().join(JOURNAL_FILE);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(b"0badc0de 00", fs::metadata(&path).unwrap().len()).unwrap();
    assert_eq!(journal.append(&event(2)), AppendOutcome::Written);
    drop(journal);
    assert_eq!(verify(&path).unwrap().events, [event(1), event(2)]);
}
