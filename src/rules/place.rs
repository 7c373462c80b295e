//! Where in a TOML text an error lies, and what may have been meant: so that whoever wrote the file finds it at once.

use toml::de::{DeTable, DeValue};

/// Line and column, from 1, of a byte of `text`; columns in characters.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The byte at which a dotted key is written; 0 where it is not.
pub(super) fn find_key(text: &str, key: &str) -> usize {
    let (document, _) = DeTable::parse_recoverable(text);
    let mut table = document.get_ref();
    let mut at = 0;
    for part in key.split('.') {
        let Some((found, value)) = table.iter().find(|(k, _)| k.get_ref() == part) else { return at };
        at = found.span().start;
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => return at,
        }
    }
    at
}

/// The dotted key that is written at byte `at` or whose value holds it, elements of arrays counted from 1:
/// `infractions.superko.choices[2].outcome`.
pub(super) fn key_at(text: &str, at: usize) -> Option<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let mut path = String::new();
    let mut here = Here::Table(document.get_ref());
    loop {
        let next = match here {
            Here::Table(table) => {
                let named = table.iter().find(|(key, value)| {
                    let holds = |span: std::ops::Range<usize>| span.contains(&at) || span.start == at;
                    holds(key.span()) || holds(value.span()) || below(value.get_ref(), at)
                });
                let Some((key, value)) = named else { break };
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key.get_ref());
                value.get_ref()
            }
            Here::Array(array) => {
                let found = array.iter().position(|v| v.span().contains(&at) || below(v.get_ref(), at));
                let Some(i) = found else { break };
                path.push_str(&format!("[{}]", i + 1));
                array[i].get_ref()
            }
        };
        here = match next {
            DeValue::Table(table) => Here::Table(table),
            DeValue::Array(array) => Here::Array(array),
            _ => break,
        };
    }
    (!path.is_empty()).then_some(path)
}

enum Here<'a, 'i> {
    Table(&'a DeTable<'i>),
    Array(&'a toml::de::DeArray<'i>),
}

/// Whether anything within a table or array is written at byte `at`: the span of a table is its header only.
fn below(value: &DeValue<'_>, at: usize) -> bool {
    match value {
        DeValue::Table(table) => {
            table.iter().any(|(k, v)| k.span().contains(&at) || v.span().contains(&at) || below(v.get_ref(), at))
        }
        DeValue::Array(array) => array.iter().any(|v| v.span().contains(&at) || below(v.get_ref(), at)),
        _ => false,
    }
}

/// The name among those that an error allows which is most like the one it refuses: "unknown field `suicde`, expected one
/// of `id`, `suicide`" means `suicide`. `None` where nothing is near.
pub(super) fn meant(message: &str) -> Option<&str> {
    let unknown = message.starts_with("unknown ");
    let mut quoted = message.split('`').skip(1).step_by(2);
    let given = quoted.next().filter(|_| unknown)?;
    // `until_move_N` is a pattern, not a name
    let mut quoted = quoted.filter(|name| !name.ends_with("_N"));
    let near = |name: &&str| distance(given, name);
    let best = quoted.by_ref().min_by_key(near)?;
    let limit = given.chars().count().max(best.chars().count()) / 3;
    (distance(given, best) <= limit.max(1)).then_some(best)
}

/// How many letters are to be put in, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "名 = 1\nb = 2";
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, "名 ".len()), (1, 3));
        assert_eq!(line_and_column(text, 1), (1, 1), "within a character");
        assert_eq!(line_and_column(text, text.find('b').unwrap()), (2, 1));
        assert_eq!(line_and_column(text, 1000), (2, 6));
    }

    #[test]
    fn keys_are_found_from_places_and_places_from_keys() {
        let text = "id = 1\n[a.b]\nc = { d = 2, e = [1, { f = 3 }] }\n[[g]]\nh = 1\n[[g]]\nh = 'x'\n";
        let at = |needle: &str| text.find(needle).unwrap();
        let key = |needle: &str| key_at(text, at(needle));
        assert_eq!(key("id").as_deref(), Some("id"));
        assert_eq!(key("2,").as_deref(), Some("a.b.c.d"));
        assert_eq!(key("3 }").as_deref(), Some("a.b.c.e[2].f"));
        assert_eq!(key("'x'").as_deref(), Some("g[2].h"));
        assert_eq!(key_at("", 0), None);
        assert_eq!(find_key(text, "a.b.c"), at("c ="));
        assert_eq!(find_key(text, "nothing"), 0);
    }

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        assert_eq!(meant("unknown field `suicde`, expected one of `id`, `suicide`, `setup`"), Some("suicide"));
        assert_eq!(meant("unknown variant `yelow`, expected one of `red`, `yellow`"), Some("yellow"));
        assert_eq!(meant("unknown variant `dollars`, expected `stones` or `points`"), None);
        assert_eq!(meant("missing field `unit`"), None);
        assert_eq!((distance("abc", "acb"), distance("", "ab"), distance("same", "same")), (1, 2, 0));
    }
}
