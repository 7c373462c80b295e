//! The built-in rulesets as tables for `docs/rules.md`.

use std::fmt::Write as _;

use super::{
    Appeal, Color, Counting, HandicapReturn, Penalty, RepetitionKind, RepetitionPolicy, Ruleset, Sanction, Source,
    Suicide, Text, Unit,
};

/// Markdown: one table that compares the rulesets, then one of infractions for each.
pub fn markdown(rulesets: &[Ruleset]) -> String {
    let mut out = String::new();
    out.push_str(
        "| id | name | documents | first | komi | counting | handicap | warnings and cards | suicide | repetition |\n",
    );
    out.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for r in rulesets {
        let _ = writeln!(
            out,
            "| `{}` | {}, {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            r.id,
            r.name.en,
            r.name.zh,
            r.documents.join(", "),
            if r.first == Color::Black { "Black" } else { "White" },
            komi(r),
            counting(r),
            match r.handicap.returned {
                HandicapReturn::None => "nothing returned",
                HandicapReturn::Half => "half returned",
            },
            discipline(r),
            match r.suicide {
                Suicide::Forbidden => "forbidden",
                Suicide::Allowed => "allowed",
            },
            repetition(r),
        );
    }
    repetitions(&mut out, rulesets);
    for r in rulesets {
        let _ = write!(out, "\n### `{}`: {}, {}\n\n", r.id, r.name.en, r.name.zh);
        out.push_str("| event | article | proposed verdict | 裁定 | weight | to be raised | source |\n");
        out.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
        for (kind, rule) in r.infractions() {
            let note = rule.note.as_ref().map(|n| format!(". {}", n.en)).unwrap_or_default();
            let deliberate = |f: fn(&Text) -> &String, sep: &str| {
                rule.deliberate.as_ref().map(|d| format!("{sep}{}", f(&d.verdict))).unwrap_or_default()
            };
            let _ = writeln!(
                out,
                "| `{}` | {} | {}{} | {}{} | {} | {} | {}{note} |",
                kind.as_str(),
                rule.article.as_deref().unwrap_or("–"),
                rule.verdict.en,
                deliberate(|t| &t.en, ". "),
                rule.verdict.zh,
                deliberate(|t| &t.zh, "。"),
                weight(rule.penalty),
                appeal(rule.appeal),
                source(rule.source),
            );
        }
    }
    out
}

fn komi(r: &Ruleset) -> String {
    match (r.komi.amount.in_quarters(), r.komi.unit) {
        (0, _) => "none".to_owned(),
        (_, Unit::Stones) => format!("{} stones", r.komi.amount),
        (_, Unit::Points) => format!("{} points", r.komi.amount),
    }
}

fn counting(r: &Ruleset) -> &'static str {
    match (r.counting.method, r.counting.draw) {
        (Counting::Area, false) => "area",
        (Counting::Area, true) => "area, may be drawn",
        (Counting::AreaLessGroups, _) => "area less a stone a group",
        (Counting::Fill, _) => "filling",
        (Counting::Equal, _) => "equal stones",
        (Counting::EqualMoves, _) => "equal moves",
        (Counting::Territory, _) => "territory and prisoners",
    }
}

/// In a few words; the kinds have a table of their own.
fn repetition(r: &Ruleset) -> &'static str {
    let allowed = |kind, at_once| r.repetition.rule(kind, at_once).policy == RepetitionPolicy::Allowed;
    match (allowed(RepetitionKind::SingleKo, true), allowed(RepetitionKind::Other, false)) {
        (false, false) => "no whole-board repetition",
        (false, true) => "no immediate ko",
        (true, _) => "allowed",
    }
}

/// What each ruleset says of each kind of repetition.
fn repetitions(out: &mut String, rulesets: &[Ruleset]) {
    out.push_str("\n### Kinds of repetition\n\n| kind |");
    for r in rulesets {
        let _ = write!(out, " `{}` |", r.id);
    }
    out.push_str("\n| --- |");
    out.push_str(&" --- |".repeat(rulesets.len()));
    let Some(first) = rulesets.first() else { return };
    for (row, (key, kind, _)) in first.repetition.iter().enumerate() {
        let Text { en, zh } = kind.text();
        let later = if key.ends_with("_later") { ", not at once" } else { "" };
        let _ = write!(out, "\n| `{key}` {en}{later}, {zh} |");
        for r in rulesets {
            let Some((_, _, rule)) = r.repetition.iter().nth(row) else { continue };
            let from = match (&rule.article, rule.source) {
                (Some(article), Source::Document) => article.clone(),
                (Some(article), other) => format!("{article}, {}", source(other)),
                (None, other) => source(other).to_owned(),
            };
            let note = rule.note.as_ref().map(|n| format!(" {n}")).unwrap_or_default();
            let _ = write!(out, " {} ({from}).{note} |", rule.policy.text().en);
        }
    }
    out.push('\n');
}

fn discipline(r: &Ruleset) -> String {
    let mut parts = Vec::new();
    if let Some(w) = &r.warnings {
        parts.push(format!("{} warnings lose", w.lose_at));
    }
    if let Some(c) = &r.cards {
        parts.push(format!("yellow {} stone, red {} stones, {} yellow make a red", c.yellow, c.red, c.yellows_for_red));
    }
    if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
}

fn weight(p: Penalty) -> String {
    let mut parts = vec![
        match p.sanction {
            Sanction::None => "none",
            Sanction::Referee => "referee",
            Sanction::Caution => "caution 劝告",
            Sanction::Warning => "warning 警告",
            Sanction::Yellow => "yellow card 黄牌",
            Sanction::Red => "red card 红牌",
            Sanction::Stones => "stones 罚子",
            Sanction::Loss => "loss 判负",
        }
        .to_owned(),
    ];
    if p.stones != super::Amount::ZERO {
        parts.push(format!("{} stone", p.stones));
    }
    if p.void {
        parts.push("void".to_owned());
    }
    if p.pass {
        parts.push("pass".to_owned());
    }
    parts.join(", ")
}

fn appeal(a: Appeal) -> String {
    match a {
        Appeal::AnyTime => "any time".to_owned(),
        Appeal::AtOnce => "at once".to_owned(),
        Appeal::BeforeNextMove => "before the opponent's next move".to_owned(),
        Appeal::OwnTime => "in the appellant's own time".to_owned(),
        Appeal::UntilMove(n) => format!("up to move {n}"),
    }
}

fn source(s: Source) -> &'static str {
    match s {
        Source::Document => "document",
        Source::Reprint => "public reprint",
        Source::Borrowed => "borrowed",
        Source::Silent => "silent",
    }
}
