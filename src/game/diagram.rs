//! A board drawn as SVG, for pages and for `goband read --format svg`. Pure text.

use std::fmt::Write;

use crate::rules::Point;

/// Something drawn on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The last move.
    Circle,
    Triangle,
    Square,
    /// Something is wrong here.
    Cross,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    /// N strings of `.`, `B`, `W`, `?`; shorter or strange rows are drawn empty.
    pub rows: &'a [String],
    pub marks: &'a [(Point, Mark)],
    /// Move numbers on their points.
    pub numbers: &'a [(Point, u32)],
    pub coordinates: bool,
}

/// Units of the drawing per pitch.
const PITCH: f64 = 24.0;

impl<'a> Diagram<'a> {
    /// Only the stones, with coordinates.
    pub fn new(rows: &'a [String]) -> Diagram<'a> {
        Diagram { rows, marks: &[], numbers: &[], coordinates: true }
    }

    fn at(&self, row: usize, col: usize) -> char {
        self.rows.get(row).and_then(|r| r.chars().nth(col)).unwrap_or('.')
    }

    /// A whole `<svg>` element.
    pub fn svg(&self) -> String {
        let n = self.rows.len().clamp(2, 25);
        let margin = if self.coordinates { 1.6 } else { 0.9 } * PITCH;
        let side = (n - 1) as f64 * PITCH + 2.0 * margin;
        let x = |col: usize| margin + col as f64 * PITCH;
        let mut svg = String::new();
        // writing to a String cannot fail
        let _ = write!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="img" aria-label="Go board, {n} by {n}" font-family="sans-serif" text-anchor="middle">
<defs><radialGradient id="gb-b" cx="35%" cy="30%" r="75%"><stop offset="0" stop-color="#666"/><stop offset=".5" stop-color="#222"/><stop offset="1" stop-color="#000"/></radialGradient><radialGradient id="gb-w" cx="35%" cy="30%" r="80%"><stop offset="0" stop-color="#fff"/><stop offset=".6" stop-color="#eee"/><stop offset="1" stop-color="#bbb"/></radialGradient><linearGradient id="gb-wood" x2="1" y2=".3"><stop offset="0" stop-color="#e8bf74"/><stop offset="1" stop-color="#d9a95a"/></linearGradient></defs>
<rect width="{side}" height="{side}" rx="6" fill="url(#gb-wood)"/>
<path d="{}" fill="none" stroke="#3b2a14" stroke-width="1" stroke-linecap="square"/>
"##,
            (0..n).fold(String::new(), |mut d, i| {
                let (a, b, p) = (x(0), x(n - 1), x(i));
                let _ = write!(d, "M{a} {p}H{b}M{p} {a}V{b}");
                d
            })
        );
        for p in star_points(n) {
            let _ = write!(
                svg,
                r##"<circle cx="{}" cy="{}" r="3" fill="#3b2a14"/>"##,
                x(p.col as usize),
                x(p.row as usize)
            );
        }
        if self.coordinates {
            for i in 0..n {
                let letter = (b'A' + i as u8 + u8::from(i >= 8)) as char;
                let (p, number) = (x(i), n - i);
                for edge in [0.55 * PITCH, side - 0.55 * PITCH] {
                    let _ = write!(
                        svg,
                        r##"<text x="{p}" y="{}" font-size="11" fill="#3b2a14">{letter}</text><text x="{edge}" y="{}" font-size="11" fill="#3b2a14">{number}</text>"##,
                        edge + 4.0,
                        p + 4.0
                    );
                }
            }
        }
        svg.push('\n');
        for row in 0..n {
            for col in 0..n {
                let (cx, cy) = (x(col), x(row));
                let _ = match self.at(row, col) {
                    'B' => write!(svg, r##"<circle cx="{cx}" cy="{cy}" r="11.3" fill="url(#gb-b)"/>"##),
                    'W' => write!(
                        svg,
                        r##"<circle cx="{cx}" cy="{cy}" r="11.3" fill="url(#gb-w)" stroke="#8a8a8a" stroke-width=".6"/>"##
                    ),
                    '?' => write!(
                        svg,
                        r##"<circle cx="{cx}" cy="{cy}" r="9" fill="#e8bf74" opacity=".85"/><text x="{cx}" y="{}" font-size="14" fill="#a02020">?</text>"##,
                        cy + 5.0
                    ),
                    _ => Ok(()),
                };
            }
        }
        let ink = |p: &Point| match self.at(p.row as usize, p.col as usize) {
            'B' => "#fff",
            _ => "#000",
        };
        let inside = |p: &Point| (p.row as usize) < n && (p.col as usize) < n;
        for (p, number) in self.numbers.iter().filter(|(p, _)| inside(p)) {
            let size = if *number < 100 { 11 } else { 9 };
            let _ = write!(
                svg,
                r##"<text x="{}" y="{}" font-size="{size}" fill="{}">{number}</text>"##,
                x(p.col as usize),
                x(p.row as usize) + 4.0,
                ink(p)
            );
        }
        for (p, mark) in self.marks.iter().filter(|(p, _)| inside(p)) {
            let (cx, cy, ink) = (x(p.col as usize), x(p.row as usize), ink(p));
            let _ = match mark {
                Mark::Circle => {
                    write!(
                        svg,
                        r##"<circle cx="{cx}" cy="{cy}" r="5.5" fill="none" stroke="{ink}" stroke-width="2"/>"##
                    )
                }
                Mark::Triangle => write!(
                    svg,
                    r##"<path d="M{cx} {}l6 10.5h-12z" fill="none" stroke="{ink}" stroke-width="1.8"/>"##,
                    cy - 7.0
                ),
                Mark::Square => write!(
                    svg,
                    r##"<rect x="{}" y="{}" width="10" height="10" fill="none" stroke="{ink}" stroke-width="1.8"/>"##,
                    cx - 5.0,
                    cy - 5.0
                ),
                Mark::Cross => write!(
                    svg,
                    r##"<path d="M{} {}l12 12m0 -12l-12 12" stroke="#d01818" stroke-width="3" stroke-linecap="round"/>"##,
                    cx - 6.0,
                    cy - 6.0
                ),
            };
        }
        svg.push_str("\n</svg>\n");
        svg
    }
}

/// The dots printed on boards of the usual sizes.
fn star_points(n: usize) -> Vec<Point> {
    let lines: &[u8] = match n {
        19 => &[3, 9, 15],
        13 => &[3, 6, 9],
        9 => &[2, 4, 6],
        _ => &[],
    };
    let middle = (n / 2) as u8;
    lines
        .iter()
        .flat_map(|&row| lines.iter().map(move |&col| Point::new(row, col)))
        // small boards have only the corners and the middle
        .filter(|p| n == 19 || (p.row == middle) == (p.col == middle))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_and_stars_are_drawn() {
        let rows: Vec<String> = (0..9).map(|r| if r == 2 { "..B?W....".to_owned() } else { ".".repeat(9) }).collect();
        let svg = Diagram { marks: &[(Point::new(2, 2), Mark::Circle)], ..Diagram::new(&rows) }.svg();
        assert_eq!(svg.matches("url(#gb-b)").count(), 1);
        assert_eq!(svg.matches("url(#gb-w)").count(), 1);
        assert_eq!(svg.matches(">?<").count(), 1);
        assert_eq!(svg.matches(r#"r="3""#).count(), 5);
        assert_eq!(svg.matches(r#"r="5.5""#).count(), 1);
        assert_eq!(star_points(19).len(), 9);
        assert_eq!(star_points(13).len(), 5);
    }

    #[test]
    fn strange_input_does_not_panic() {
        let rows = vec!["é".to_owned(), String::new()];
        let p = Point::new(30, 30);
        let svg = Diagram { marks: &[(p, Mark::Cross)], numbers: &[(p, 7)], ..Diagram::new(&rows) }.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(Diagram::new(&[]).svg().contains("</svg>"));
    }
}
