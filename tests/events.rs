//! The page on events, checked against the events.

use goband::game::{Event, EventKind, GameState, describe};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/events.md")).unwrap()
}

#[test]
fn the_page_names_every_kind_with_an_example_that_reads() {
    let page = page();
    let mut sections = page.split("\n### `").skip(1);
    for kind in EventKind::ALL {
        let section = sections.next().unwrap_or_else(|| panic!("{} is not on the page", kind.as_str()));
        let (name, rest) = section.split_once("`\n").unwrap();
        assert_eq!(name, kind.as_str(), "kinds in the order of the code");
        let example = rest.split("```json\n").nth(1).and_then(|r| r.split("\n```").next()).expect("an example");
        let event: Event = serde_json::from_str(example).unwrap();
        assert_eq!(event.kind, kind);
        // what is written is what is read, to the field
        let (written, shown): (serde_json::Value, serde_json::Value) =
            (serde_json::to_value(&event).unwrap(), serde_json::from_str(example).unwrap());
        let floats_aside = |v: &serde_json::Value| v.to_string().replace(":1.0,", ":1,");
        assert_eq!(floats_aside(&written), floats_aside(&shown), "{name}");
    }
    assert_eq!(sections.next(), None);
}

#[test]
fn the_page_names_every_field() {
    let page = page();
    let table = page.split("## Fields").nth(1).unwrap().split("\n## ").next().unwrap();
    let event: Event = serde_json::from_str(
        r#"{"seq":1,"kind":"move","at_ms":{"first":0,"last":0},"reported_ms":0,"confidence":1,"color":"B","point":[0,0],
        "points":[[0,0]],"captured":[],"move":1,"of":1,"board":[],"turn":"B","article":"","verdict":{"en":"","zh":""},
        "restore":[{"at":[0,0],"be":"."}],"evidence":"","text":{"en":"","zh":""},
        "name":{"en":"","zh":"","id":""},"call":{"kind":"last_period"},
        "times":{"B":{"phase":"main","ms":1},"W":{"phase":"period","ms":1,"periods":3}}}"#,
    )
    .unwrap();
    let serde_json::Value::Object(fields) = serde_json::to_value(&event).unwrap() else { panic!() };
    for field in fields.keys() {
        assert!(table.contains(&format!("| `{field}` |")), "{field}");
    }
}

#[test]
fn the_examples_fold_and_have_sentences() {
    let page = page();
    let examples = page.split("```json\n").skip(1).map(|r| r.split("\n```").next().unwrap());
    let mut state = GameState::default();
    for example in examples {
        let event: Event = serde_json::from_str(example).unwrap();
        let text = describe(&event, 19);
        assert!(!text.en.is_empty() && !text.zh.is_empty(), "{example}");
        assert!(!text.en.contains("  ") && !text.en.contains(" .") && !text.en.contains("{"), "{}", text.en);
        assert!(text.en.ends_with(['.', ')', '!']) || event.text.is_some() || event.verdict.is_some(), "{}", text.en);
        println!("{:32} {}\n{:32} {}", event.kind.as_str(), text.en, "", text.zh);
        state.apply(&event);
    }
    assert!(state.open_infractions().count() > 10);
}

#[test]
fn a_move_without_a_name_reads_as_before_and_a_name_is_kept_as_it_was_said() {
    let old = r#"{"seq":1,"kind":"move","at_ms":{"first":0,"last":0},"reported_ms":0,"confidence":1.0,"color":"B","point":[3,15],"captured":[],"move":1}"#;
    let event: Event = serde_json::from_str(old).unwrap();
    assert_eq!(event.name, None);
    assert_eq!(serde_json::to_string(&event).unwrap(), old);
    // the state names the move all the same: it follows from the board
    let state = GameState::fold([&event]);
    assert_eq!(state.last_move().and_then(|m| m.name).map(|t| t.id), Some("star_point"));

    let said = r#"{"en":"a word of later","zh":"新词","id":"no_such_term"}"#;
    let new = old.replace(r#""move":1"#, &format!(r#""move":1,"name":{said}"#));
    let event: Event = serde_json::from_str(&new).unwrap();
    assert_eq!(serde_json::to_string(&event).unwrap(), new);
    assert_eq!(describe(&event, 19).en, "Move 1: Black Q16, a word of later.");
    assert_eq!(describe(&event, 19).zh, "第1手：黑方Q16，新词。");
}
