//! The five rulesets say what the documents say, and a user's own file is read or refused with words that help.

use std::process::Command;

use goband::rules::table;
use goband::rules::{
    Amount, Appeal, Circumstance, ColourChoice, EndCondition, Infraction, Outcome, Per, Ruleset, Sanction, Side, Source,
};
use proptest::prelude::*;

fn builtin(id: &str) -> Ruleset {
    Ruleset::builtin(id).unwrap()
}

fn all() -> Vec<Ruleset> {
    Ruleset::builtin_ids().map(builtin).collect()
}

#[test]
fn every_pair_of_infraction_and_ruleset_has_a_verdict_in_both_languages() {
    for rules in all() {
        for kind in Infraction::ALL {
            let rule = rules.rule(kind);
            let who = format!("{} {}", rules.id, kind.as_str());
            let mut texts = vec![&rule.verdict];
            texts.extend(rule.choices.iter().map(|c| &c.text));
            texts.extend(rule.repeated.iter().map(|r| &r.verdict));
            texts.extend(rule.note.iter());
            for circumstance in Circumstance::ALL {
                texts.extend(rule.special(circumstance).map(|s| &s.verdict));
            }
            for text in texts {
                assert!(!text.en.trim().is_empty(), "{who}");
                assert!(text.zh.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c)), "{who}: {}", text.zh);
            }
            // no document, no article; and whoever is silent says why
            assert_eq!(rule.article.is_none(), rule.source == Source::Silent, "{who}");
            assert!(rule.source == Source::Document || rule.note.is_some() || rule.article.is_some(), "{who}");
            if rule.source == Source::Silent {
                assert!(rule.note.is_some(), "{who}: silent without a reason");
            }
            if !rule.applies {
                assert_eq!((rule.penalty.sanction, rule.source), (Sanction::None, Source::Silent), "{who}");
            }
        }
    }
}

/// Every article that the data cites is one of the documents', under the number that it has there.
#[test]
fn every_article_cited_exists() {
    let mut cited = Vec::new();
    for rules in all() {
        for (kind, rule) in rules.infractions() {
            let mut articles: Vec<&str> = Vec::new();
            articles.extend(rule.article.as_deref());
            articles.extend(rule.breaks.as_deref());
            articles.extend(rule.appeal_article.as_deref());
            articles.extend(rule.repeated.iter().filter_map(|r| r.article.as_deref()));
            articles.extend(Circumstance::ALL.iter().filter_map(|c| rule.special(*c)?.article.as_deref()));
            cited.extend(articles.into_iter().map(|a| (format!("{} {}", rules.id, kind.as_str()), a.to_owned())));
        }
        cited.extend(rules.end.values().filter_map(|p| p.article.clone()).map(|a| (format!("{} end", rules.id), a)));
        cited.extend(rules.games.iter().filter_map(|g| g.article.clone()).map(|a| (format!("{} games", rules.id), a)));
    }
    /// Whether a document has the article.
    type Has = fn(&str) -> bool;
    let ranges: [(&str, Has); 5] = [
        ("000 ", |rest| articles(rest).iter().all(|&(a, n)| (1..=24).contains(&a) && n <= 12)),
        ("003 ", |rest| articles(rest).iter().all(|&(a, n)| (1..=11).contains(&a) && n <= 5)),
        ("2002 ", |rest| articles(rest).iter().all(|&(a, n)| [17, 20, 22].contains(&a) && n <= 6)),
        ("001 part 2, ch. ", |rest| ["1 §", "2 §"].iter().any(|c| rest.starts_with(c))),
        ("001 part 2, ", |rest| articles(rest).iter().all(|&(a, n)| (8..=16).contains(&a) && n <= 6)),
    ];
    for (who, text) in cited {
        for part in text.split("; ") {
            if let Some(rest) = part.strip_prefix("004 ") {
                let named = ["基本下法", "胜负判别", "竞赛规定", "古代规则", "常用术语"];
                assert!(named.iter().any(|n| rest.starts_with(n)), "{who}: {part}");
                continue;
            }
            let range = ranges.iter().find(|(prefix, _)| part.starts_with(prefix));
            let Some((prefix, holds)) = range else { panic!("{who}: {part}: no document") };
            assert!(holds(&part[prefix.len()..]), "{who}: {part}");
        }
    }
}

/// `"6, 20.1"` to `[(6, 0), (20, 1)]`.
fn articles(text: &str) -> Vec<(u32, u32)> {
    let one = |word: &str| {
        let (a, n) = word.split_once('.').unwrap_or((word, "0"));
        (a.parse().unwrap_or(0), n.parse().unwrap_or(99))
    };
    // "ch. 2 §4.2" may follow after a comma
    text.split(", ").filter(|w| !w.starts_with("ch.")).map(one).collect()
}

/// The quoted words stand in the documents, where these are at hand.
#[test]
fn the_chinese_verdicts_use_the_documents_words() {
    let folder =
        std::env::var("GOBAND_DATA").unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared").into());
    let Ok(entries) = std::fs::read_dir(format!("{folder}/seeds")) else {
        println!("skipped: no rule documents in {folder}/seeds");
        return;
    };
    let mut texts = std::collections::BTreeMap::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().chars().take(3).collect::<String>();
        texts.insert(name, bare(&std::fs::read_to_string(entry.path()).unwrap()));
    }
    let mut checked = 0;
    for (id, document) in [("team-relay", "000"), ("cwa-classic", "001")] {
        let rules = builtin(id);
        for (kind, rule) in rules.infractions() {
            if rule.source != Source::Document || !rule.article.as_ref().is_some_and(|a| a.starts_with(document)) {
                continue;
            }
            // most of the letters come in runs that the document has too: a verdict may shorten, not invent
            let said: Vec<char> = bare(&rule.verdict.zh).chars().collect();
            let runs = said.windows(4).filter(|w| texts[document].contains(&w.iter().collect::<String>())).count();
            let share = runs * 100 / said.windows(4).count().max(1);
            assert!(share >= 50, "{id} {}: {share} % of {}", kind.as_str(), rule.verdict.zh);
            checked += 1;
        }
    }
    assert!(checked >= 25, "{checked}");
}

/// Only the characters, in simplified form as far as these texts need it.
fn bare(text: &str) -> String {
    const SIMPLE: &str = "為为連连場场黃黄無无雙双禁禁壹一著着棄弃權权對对時时處处還还認认員员終终劫劫觀观規规則则開开調调複复復复盤盘亂乱屬属應应移移動动該该計计讀读數数鐘钟勸劝違违過过勝胜負负與与後后裡里單单條条發发現现從从將将約约須须間间說说話话選选舉举聲声佔占轉转經经過过內内讓让飛飞貼贴當当罰罚確确實实報报請请長长揀拣許许誤误氣气於于採采導导繼继續续賽赛沒没進进";
    let table: Vec<char> = SIMPLE.chars().collect();
    let simple = |c: char| table.chunks(2).find(|p| p[0] == c).map_or(c, |p| p[1]);
    text.chars().filter(|c| c.is_alphanumeric()).map(simple).collect()
}

#[test]
fn the_table_of_the_specification_holds() {
    let sanction = |id: &str, kind: Infraction| builtin(id).rule(kind).penalty.sanction;
    use Infraction::*;
    use Sanction::{Loss, None, Referee, Stones, Yellow};
    let (caution, warning) = (Sanction::Caution, Sanction::Warning);
    // team relay, then the classic law
    for (kind, relay, classic) in [
        (DoubleMove, Yellow, Loss),
        (Infraction::Takeback, Yellow, warning),
        (DroppedStone, Referee, None),
        (DisplacedStone, Referee, Referee),
        (Scattered, Referee, Referee),
        (MissedCapture, Yellow, caution),
        (WrongRemoval, Yellow, warning),
        (KoViolation, Yellow, None),
        (Infraction::Suicide, None, None),
        (Superko, Referee, Referee),
        (SeatOrder, Stones, None),
        (SectionOverrun, Stones, None),
        (PressBeforeMove, caution, caution),
        (PressBeforeCapturesCleared, Yellow, caution),
        (WrongClockPressed, caution, Referee),
        (TimeOverrun, Stones, Loss),
    ] {
        assert_eq!(sanction("team-relay", kind), relay, "{}", kind.as_str());
        assert_eq!(sanction("cwa-classic", kind), classic, "{}", kind.as_str());
    }
    for kind in [DoubleMove, PressBeforeMove, PressBeforeCapturesCleared, MissedCapture, Takeback, WrongRemoval] {
        assert_eq!(sanction("cwa", kind), warning, "{}", kind.as_str());
    }
    let relay = builtin("team-relay");
    for kind in [KoViolation, Infraction::Suicide] {
        let p = relay.rule(kind).penalty;
        assert!(p.void && p.pass, "{}", kind.as_str());
    }
    let overrun = relay.rule(TimeOverrun).penalty;
    assert!(overrun.pass && overrun.stones == Amount::whole(1));
    assert_eq!(relay.rule(WrongFirstColour).appeal, Appeal::UntilMove(10));
    assert_eq!(relay.rule(Takeback).appeal, Appeal::BeforeNextMove);
    assert_eq!(relay.rule(SeatOrder).appeal, Appeal::BeforeNextMove);
    // the options that the chief referee has
    let options = |id: &str, kind| builtin(id).rule(kind).choices.iter().map(|c| c.outcome).collect::<Vec<_>>();
    use Outcome::*;
    assert_eq!(options("team-relay", DisplacedStone)[1..], [ReasonablePoint, Stands, Draw, Replay, BothLose]);
    assert_eq!(options("cwa", DisplacedStone)[1..], [ReasonablePoint, Stands, Draw, Replay, BothLose]);
    assert_eq!(options("cwa-classic", DisplacedStone), [BackInPlace, Stands, Draw, Replay]);
    assert_eq!(options("cwa-classic", MissedCapture), [Outcome::Caution, Outcome::Warning]);
    // on purpose it loses
    for id in ["team-relay", "cwa", "cwa-classic"] {
        for kind in [DisplacedStone, Scattered] {
            let special = builtin(id).rule(kind).special(Circumstance::Deliberate).map(|s| s.penalty);
            assert_eq!(special, Some(Loss), "{id} {}", kind.as_str());
        }
        assert_eq!(builtin(id).rule(Scattered).cannot_rebuild.as_ref().map(|s| s.penalty), Some(Loss), "{id}");
    }
    // 004 is silent under Japanese and Korean rules, and says so
    let jk = builtin("japan-korea");
    let double = jk.rule(DoubleMove);
    assert_eq!((double.penalty.sanction, double.penalty.void, double.source), (warning, true, Source::Silent));
    assert!(double.verdict.en.contains("004 is silent") && double.verdict.zh.contains("004"));
}

#[test]
fn seat_order_grows_and_ends() {
    let relay = builtin("team-relay");
    let rule = relay.rule(Infraction::SeatOrder);
    let step = |n| rule.step(Per::Side, n).map(|s| (s.penalty, s.stones.in_quarters() / 4));
    assert_eq!((rule.penalty.stones, step(1)), (Amount::whole(1), None));
    assert_eq!([2, 3, 4].map(step), [2, 3, 4].map(|n| Some((Sanction::Stones, n))));
    assert_eq!(step(5), Some((Sanction::Loss, 0)));
    assert_eq!(rule.step(Per::Player, 2), None);
    assert_eq!(rule.step(Per::Player, 3).unwrap().penalty, Sanction::Red);
    let wrong_clock = relay.rule(Infraction::WrongClockPressed).step(Per::Side, 2).unwrap();
    assert!(wrong_clock.foul && wrong_clock.penalty == Sanction::Yellow);
}

#[test]
fn who_starts_how_games_end_and_of_what_kind_they_are() {
    let ends = |id: &str| builtin(id).end.keys().copied().collect::<Vec<_>>();
    use EndCondition::*;
    assert_eq!(ends("team-relay"), [Agreement, Resignation, TwoPasses, LeaderResigns]);
    assert_eq!(ends("cwa"), [Agreement, Resignation, TwoPasses]);
    assert_eq!(ends("cwa-classic"), [Agreement, Resignation, Ruled]);
    assert_eq!(builtin("cwa").colours.by, [ColourChoice::Lot, ColourChoice::Guess]);
    assert_eq!(builtin("ancient").colours.by, [ColourChoice::Standing]);
    let games =
        |id: &str| builtin(id).games.iter().map(|g| (g.name.zh.clone(), g.first, g.komi, g.stones)).collect::<Vec<_>>();
    assert_eq!(
        games("cwa"),
        [
            ("分先".into(), Side::Black, true, None),
            ("让先".into(), Side::Black, false, None),
            ("让子".into(), Side::White, false, Some([2, 9]))
        ]
    );
    assert_eq!(
        games("ancient"),
        [
            ("敌手棋".into(), Side::White, false, None),
            ("先两棋".into(), Side::Black, false, None),
            ("饶子棋".into(), Side::Black, false, None)
        ]
    );
    let ranks = builtin("ancient").ranks.unwrap();
    let zh: Vec<&str> = ranks.names.iter().map(|n| n.zh.as_str()).collect();
    assert_eq!(zh, ["入神", "坐照", "具体", "通幽", "用智", "小巧", "斗力", "若愚", "守拙"]);
    assert_eq!(builtin("team-relay").players, 2);
    assert!(all().iter().filter(|r| r.id != "team-relay").all(|r| r.players == 1));
    assert!(builtin("japan-korea").warnings.is_none() && builtin("ancient").cards.is_none());
}

fn error(text: &str) -> String {
    Ruleset::from_toml(text, "club.toml").map(|r| r.id).unwrap_err().to_string()
}

/// An extension of `cwa`, from line 3 on.
fn extended(rest: &str) -> String {
    error(&format!("id = \"club\"\nextends = \"cwa\"\n{rest}"))
}

#[test]
fn a_wrong_file_is_told_where_what_and_what_instead() {
    let infraction = |line: &str| {
        let head = "[infractions.double_move]\nverdict = { en = \"a\", zh = \"b\" }";
        extended(&format!("{head}\n{line}\n"))
    };
    let whole = |line: &str| infraction(&format!("penalty = \"stones\"\nappeal = \"at_once\"\n{line}"));
    for (got, expected) in [
        // not TOML
        (error("id = \"x"), "club.toml:1:8: invalid basic string, expected `\"`"),
        (error("= 3"), "club.toml:1:1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`"),
        // given twice
        (error("id = \"x\"\nid = \"y\"\n"), "club.toml:2:1: duplicate key `id`: it is given twice"),
        (
            extended("[komi]\namount = 3\nunit = \"points\"\n[komi]\namount = 3\n"),
            "club.toml:6:2: komi: duplicate key `komi`: it is given twice",
        ),
        // missing
        (error(""), "club.toml:1:1: missing field `id`"),
        (error("id = \"x\"\n"), "club.toml:1:1: name: is missing; give it, or take a built-in ruleset with `extends`"),
        (extended("[komi]\namount = 3\n"), "club.toml:3:1: komi: missing field `unit`"),
        (
            extended("[infractions.double_move]\npenalty = \"loss\"\n"),
            "club.toml:3:1: infractions.double_move: missing field `verdict`",
        ),
        (extended("[[games]]\nid = \"g\"\n"), "club.toml:3:1: games[1]: missing field `name`"),
        // unknown
        (
            extended("[komi]\namount = 3\nunit = \"points\"\nfoo = 1\n"),
            "club.toml:6:1: komi.foo: unknown field `foo`, expected one of `amount`, `unit`, `article`",
        ),
        (
            extended("suicide = \"alowed\"\n"),
            "club.toml:3:11: suicide: unknown variant `alowed`, expected `forbidden` or `allowed`; did you mean `allowed`?",
        ),
        (extended("first = \"red\"\n"), "club.toml:3:9: first: unknown variant `red`, expected `black` or `white`"),
        (
            error("id = \"x\"\nextends = \"cwaa\"\n"),
            "club.toml:2:1: extends: there is no ruleset 'cwaa'; built in are cwa, cwa-classic, team-relay, japan-korea, \
             ancient",
        ),
        (
            extended("[colours]\nby = [\"lot\", \"dice\"]\ntext = { en = \"a\", zh = \"b\" }\n"),
            "club.toml:4:14: colours.by[2]: unknown variant `dice`, expected one of `lot`, `guess`, `standing`",
        ),
        (
            infraction("penalty = \"purple\"\nappeal = \"at_once\""),
            "club.toml:5:11: infractions.double_move.penalty: unknown variant `purple`, expected one of `none`, \
             `referee`, `caution`, `warning`, `yellow`, `red`, `stones`, `loss`",
        ),
        (
            infraction("penalty = \"loss\"\nappeal = \"until_move_x\""),
            "club.toml:6:10: infractions.double_move.appeal: unknown appeal window `until_move_x`, expected one of \
             `any_time`, `at_once`, `before_next_move`, `own_time`, `until_move_N`",
        ),
        // of the wrong type
        (error("id = 3\n"), "club.toml:1:6: id: invalid type: integer `3`, expected a string"),
        (extended("komi = 3\n"), "club.toml:3:8: komi: invalid type: integer `3`, expected a table"),
        (
            extended("[warnings]\nlose_at = \"two\"\narticle = \"x\"\n"),
            "club.toml:4:11: warnings.lose_at: invalid type: string \"two\", expected a whole number",
        ),
        (
            whole("void = \"yes\""),
            "club.toml:7:8: infractions.double_move.void: invalid type: string \"yes\", expected a boolean",
        ),
        // out of range
        (
            error("id = \"a b\"\nextends = \"cwa\"\n"),
            "club.toml:1:6: id: \"a b\" is no id, expected 1 to 40 characters without spaces",
        ),
        (
            extended("[komi]\namount = 3.1\nunit = \"stones\"\n"),
            "club.toml:4:10: komi.amount: '3.1' is not an amount in quarters; write it as 7, 7.5, 3.75, 3 3/4 or 3¾",
        ),
        (
            extended("[komi]\namount = 999\nunit = \"points\"\n"),
            "club.toml:4:10: komi.amount: 999 is out of range, expected -361 to 361",
        ),
        (
            extended("[cards]\nyellow = -1\nred = 2\nyellows_for_red = 2\narticle = \"x\"\n"),
            "club.toml:4:10: cards.yellow: -1 is out of range, expected 0 to 361",
        ),
        (
            extended("[cards]\nyellow = 1\nred = 2\nyellows_for_red = 0\narticle = \"x\"\n"),
            "club.toml:6:19: cards.yellows_for_red: 0 is out of range, expected 1 to 255",
        ),
        (
            whole("stones = \"-1\""),
            "club.toml:7:10: infractions.double_move.stones: -1 is out of range, expected 0 to 361",
        ),
        (
            whole("stones = \"1/3\""),
            "club.toml:7:10: infractions.double_move.stones: '1/3' is not an amount in quarters; write it as 7, 7.5, \
             3.75, 3 3/4 or 3¾",
        ),
        (
            whole(
                "repeated = [{ from = 1, per = \"side\", penalty = \"loss\", verdict = { en = \"a\", zh = \"b\" } }]",
            ),
            "club.toml:7:22: infractions.double_move.repeated[1].from: 1 is out of range, expected 2 to 1000",
        ),
        (extended("players = 9\n"), "club.toml:3:11: players: 9 is out of range, expected 1 to 4 players a side"),
        (
            extended("[setup]\nsize = 1\nblack = []\nwhite = []\n"),
            "club.toml:4:1: setup.size: is 1; board sizes from 2 to 25",
        ),
        (
            extended("[setup]\nsize = 19\nblack = []\nwhite = [[3, 19]]\n"),
            "club.toml:6:1: setup.white: [3, 19] is not on a board of 19, rows and columns from 0",
        ),
        (
            extended("[setup]\nsize = 19\nblack = [[3, 3]]\nwhite = [[3, 3]]\n"),
            "club.toml:6:1: setup.white: [3, 3] has a black stone already",
        ),
        // said in one language only
        (
            extended("[infractions.superko]\nverdict = { en = \"a\" }\npenalty = \"loss\"\nappeal = \"at_once\"\n"),
            "club.toml:4:11: infractions.superko.verdict: missing field `zh`",
        ),
        (extended("name = { en = \"a\", zh = \" \" }\n"), "club.toml:3:8: name: `zh` is empty, expected a sentence"),
    ] {
        assert_eq!(got, expected);
    }
    // long lists of what is allowed: the place, the list and the guess
    let e = extended("suicde = \"allowed\"\n");
    assert!(e.starts_with("club.toml:3:1: suicde: unknown field `suicde`, expected one of `id`, `extends`"), "{e}");
    assert!(e.ends_with("; did you mean `suicide`?"), "{e}");
    let e = extended("[infractions.doublemove]\npenalty = \"loss\"\n");
    assert!(e.starts_with("club.toml:3:14: infractions.doublemove: unknown variant `doublemove`"), "{e}");
    assert!(e.contains("`time_overrun`") && e.ends_with("; did you mean `double_move`?"), "{e}");
}

#[test]
fn windows_files_and_broken_text_are_understood() {
    let text = "\u{feff}id = \"club\"\r\nextends = \"cwa\"\r\n\r\n[komi]\r\namount = \"2¾\"\r\nunit = \"stones\"\r\n";
    let rules = Ruleset::from_bytes(text.as_bytes(), "club.toml").unwrap();
    assert_eq!(rules.komi.amount, Amount::quarters(11));
    let e = Ruleset::from_bytes(b"id = \"club\"\nname = \"\xb9\xfa\"", "club.toml").unwrap_err().to_string();
    assert_eq!(e, "club.toml:2:9: this is no UTF-8 text; save the file as UTF-8");
}

#[test]
fn a_ruleset_of_ones_own_takes_over_what_it_names() {
    let rules = Ruleset::from_toml(
        "id = \"club\"\nextends = \"team-relay\"\n[infractions.seat_order]\nverdict = { en = \"two\", zh = \"二\" }\n\
         penalty = \"stones\"\nstones = 2\nappeal = \"any_time\"\nnote = \"house rule\"\n[cards]\nyellow = 2\nred = 4\n\
         yellows_for_red = 3\narticle = \"house 1\"\n",
        "club.toml",
    )
    .unwrap();
    let seat = rules.rule(Infraction::SeatOrder);
    assert_eq!((seat.penalty.stones, seat.repeated.len()), (Amount::whole(2), 0), "the whole entry is replaced");
    assert_eq!(seat.note.as_ref().unwrap().zh, "house rule");
    assert_eq!(rules.cards.as_ref().unwrap().yellows_for_red, 3);
    assert_eq!(rules.rule(Infraction::DoubleMove), builtin("team-relay").rule(Infraction::DoubleMove));
    assert_eq!((rules.players, &rules.lateness), (2, &builtin("team-relay").lateness));
}

#[test]
fn the_program_refuses_a_wrong_ruleset_with_exit_2() {
    let Some(program) = option_env!("CARGO_BIN_EXE_goband") else {
        println!("skipped: built without the program");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("game.sgf"), "(;SZ[9];B[cc];W[gg])").unwrap();
    std::fs::write(at("bad.toml"), "id = \"club\"\nextends = \"cwa\"\nsuicide = \"never\"\n").unwrap();
    std::fs::write(at("latin.toml"), b"id = \"caf\xe9\"\n").unwrap();
    std::fs::write(at("good.toml"), "id = \"club\"\nextends = \"cwa\"\n").unwrap();
    let judge = |ruleset: &str| {
        let out = Command::new(program).args(["judge", &at("game.sgf"), "--ruleset", ruleset]).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, said) = judge(&at("bad.toml"));
    assert_eq!(code, Some(2));
    assert!(
        said.contains("bad.toml:3:11: suicide: unknown variant `never`, expected `forbidden` or `allowed`"),
        "{said}"
    );
    let (code, said) = judge(&at("latin.toml"));
    assert_eq!(code, Some(2));
    assert!(said.contains("latin.toml:1:10: this is no UTF-8 text"), "{said}");
    let (code, said) = judge(&at("absent.toml"));
    assert_eq!(code, Some(2));
    assert!(said.contains("absent.toml") && said.contains("no file") && said.contains("cwa-classic"), "{said}");
    let (code, said) = judge(&folder.path().display().to_string());
    assert_eq!(code, Some(2), "a folder: {said}");
    assert_eq!(judge(&at("good.toml")).0, Some(0));
    assert_eq!(judge("ancient").0, Some(0));
}

#[test]
fn the_chinese_rules_page_shows_the_data() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.zh.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    let (begin, end) = ("<!-- generated from src/rules/rulesets -->\n", "<!-- end of generated -->");
    let (head, rest) = page.split_once(begin).expect("the begin of the tables");
    let (shown, tail) = rest.split_once(end).expect("the end of the tables");
    let tables = table::markdown_zh(&all());
    if std::env::var_os("GOBAND_REGENERATE").is_some() {
        std::fs::write(path, format!("{head}{begin}{tables}{end}{tail}")).unwrap();
    } else {
        assert!(shown == tables, "docs/rules.zh.md is not current: GOBAND_REGENERATE=1 cargo test --test rulesets");
    }
}

/// A referee looks for an infraction by its name and finds the verdict and the article under every ruleset.
#[test]
fn a_referee_finds_each_infraction_each_verdict_and_the_article() {
    for (page, chinese) in [(table::markdown(&all()), false), (table::markdown_zh(&all()), true)] {
        for kind in Infraction::ALL {
            let head = format!("### `{}`", kind.as_str());
            let (_, section) = page.split_once(&head).unwrap_or_else(|| panic!("{head}"));
            let section = section.split("\n### ").next().unwrap();
            for rules in all() {
                let rule = rules.rule(kind);
                let row = section.lines().find(|l| l.starts_with(&format!("| `{}` |", rules.id))).unwrap();
                let verdict = if chinese { &rule.verdict.zh } else { &rule.verdict.en };
                assert!(row.contains(verdict.as_str()), "{} {}", rules.id, kind.as_str());
                for article in rule.article.iter().chain(&rule.breaks) {
                    assert!(row.contains(article.as_str()), "{} {}: {article}", rules.id, kind.as_str());
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_ruleset_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Ruleset::from_bytes(&bytes, "x.toml");
        let extension = [b"id = \"x\"\nextends = \"team-relay\"\n".as_slice(), &bytes].concat();
        let _ = Ruleset::from_bytes(&extension, "x.toml");
    }

    /// A built-in text with a piece cut out and another put in: closer to what people get wrong.
    #[test]
    fn a_damaged_ruleset_is_a_ruleset_or_an_error_with_its_place(
        which in 0usize..2, at in 0usize..8000, cut in 0usize..40, put in "[\\[\\]{}=\"'a-z0-9.,\\n -]{0,12}",
    ) {
        let text = [include_str!("../src/rules/rulesets/team-relay.toml"), include_str!("../src/rules/rulesets/cwa.toml")][which];
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.min(chars.len());
        let to = (at + cut).min(chars.len());
        chars.splice(at..to, put.chars());
        let damaged: String = chars.into_iter().collect();
        if let Err(e) = Ruleset::from_toml(&damaged, "x.toml") {
            let said = e.to_string();
            let mut parts = said.split(':');
            prop_assert_eq!(parts.next(), Some("x.toml"));
            let line: usize = parts.next().unwrap().parse().unwrap();
            prop_assert!(line >= 1 && line <= damaged.lines().count() + 1, "{}", said);
        }
    }
}
