//! The vocabulary as a table for `docs/vocabulary.md`.

use std::fmt::Write as _;

use super::picture::pictures;
use super::table::ROWS;

/// Markdown: the terms in the order in which they are tried, then a picture of each.
pub fn markdown() -> String {
    let mut out = String::from("| id | 术语 | English | when | 释义 | 004 |\n| --- | --- | --- | --- | --- | --- |\n");
    for row in ROWS {
        let entry = if row.entry.is_empty() { "–".to_owned() } else { format!("“{}”", row.entry) };
        let t = row.term;
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {entry} |",
            t.id, t.zh, t.en, row.definition_en, row.definition_zh
        );
    }
    let pictures = pictures();
    for row in ROWS {
        let Some(p) = pictures.iter().find(|p| p.id.as_deref() == Some(row.term.id)) else { continue };
        let _ = writeln!(out, "\n### {} {}\n\n```text\n{}\n```", row.term.zh, row.term.en, p.rows.join("\n"));
    }
    out
}
