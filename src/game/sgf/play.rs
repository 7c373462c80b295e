//! A record's main line, replayed.

use super::{GameTree, Property, SgfError, SgfProblem};
use crate::rules::{Board, Classification, Color, History, MAX_SIZE, MoveLaw, Point};

/// A main line replayed move by move.
#[derive(Clone, Debug)]
pub struct Replay {
    pub history: History,
    /// What each move was before it was carried out.
    pub classes: Vec<Classification>,
}

impl GameTree {
    /// The board's side; 19 when the record is silent.
    pub fn size(&self) -> Result<u8, SgfError> {
        let Some(property) = self.root().get("SZ") else { return Ok(19) };
        let text = property.simple_text();
        let side = |s: &str| s.trim().parse::<u8>().ok().filter(|n| (2..=MAX_SIZE).contains(n));
        let size = match text.split_once(':') {
            _ if text.is_empty() => Some(19),
            Some((columns, rows)) => side(columns).filter(|&n| side(rows) == Some(n)),
            None => side(&text),
        };
        size.ok_or_else(|| error(property, SgfProblem::Size(text)))
    }

    /// The main line as a game. Setup stones before the first move are the start, later ones rearrange the board.
    /// Moves are executed whatever they are, as SGF asks. Black begins unless `PL` or handicap stones say otherwise.
    pub fn history(&self) -> Result<History, SgfError> {
        Ok(self.replay(Color::Black)?.history)
    }

    /// The same with every move classified; `first` begins where the record does not say.
    pub fn replay(&self, first: Color) -> Result<Replay, SgfError> {
        self.replay_under(MoveLaw::default(), first)
    }

    /// The same, judged by a ruleset's law.
    pub fn replay_under(&self, law: MoveLaw, first: Color) -> Result<Replay, SgfError> {
        if let Some(game) = self.root().get("GM")
            && !matches!(game.simple_text().as_str(), "1" | "")
        {
            return Err(error(game, SgfProblem::OtherGame(game.simple_text())));
        }
        let size = self.size()?;
        let handicap = self.info("HA").parse::<u32>().is_ok_and(|n| n >= 2);
        let first = if handicap { Color::White } else { first };
        let mut history = History::under(law, Board::new(size), first);
        let mut classes = Vec::new();
        for node in self.main_line() {
            let mut board = history.board().clone();
            for (ident, cell) in [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)] {
                if let Some(property) = node.get(ident) {
                    for value in &property.values {
                        for p in point_list(value, size).map_err(|what| error(property, what))? {
                            board.set(p, cell);
                        }
                    }
                }
            }
            let turn = node.get("PL").and_then(|p| match p.simple_text().to_ascii_lowercase().as_str() {
                "b" | "black" | "1" => Some(Color::Black),
                "w" | "white" | "2" => Some(Color::White),
                _ => None,
            });
            if history.moves().is_empty() {
                if board != *history.board() || turn.is_some() {
                    history = History::under(law, board, turn.unwrap_or(history.first()));
                }
            } else {
                if board != *history.board() {
                    history.rearrange(board);
                }
                if let Some(turn) = turn {
                    history.set_turn(turn);
                }
            }
            for property in &node.properties {
                let color = match property.ident.as_str() {
                    "B" => Color::Black,
                    "W" => Color::White,
                    _ => continue,
                };
                // more than one value is an error of the file; the moves happened all the same
                for value in &property.values {
                    let point = move_point(value, size).map_err(|what| error(property, what))?;
                    classes.push(history.play(color, point));
                }
            }
        }
        Ok(Replay { history, classes })
    }
}

fn error(property: &Property, what: SgfProblem) -> SgfError {
    SgfError { line: property.line, column: property.column, what }
}

/// `""` and, on boards up to 19, `"tt"` are a pass.
fn move_point(value: &str, size: u8) -> Result<Option<Point>, SgfProblem> {
    match value.trim() {
        "" => Ok(None),
        "tt" if size <= 19 => Ok(None),
        text => point(text, size).map(Some),
    }
}

/// `"dp"`: column, then row, from the upper left.
fn point(text: &str, size: u8) -> Result<Point, SgfProblem> {
    let bad = || SgfProblem::Point(text.chars().take(20).collect(), size);
    let &[col, row] = text.as_bytes() else { return Err(bad()) };
    let index = |letter: u8| letter.is_ascii_lowercase().then(|| letter - b'a').filter(|&i| i < size);
    Ok(Point::new(index(row).ok_or_else(bad)?, index(col).ok_or_else(bad)?))
}

/// One point, or the rectangle of a compressed list, `"aa:cc"`. An empty value is no point.
fn point_list(value: &str, size: u8) -> Result<Vec<Point>, SgfProblem> {
    let value = value.trim();
    if value.is_empty() {
        return Ok(Vec::new());
    }
    let Some((a, b)) = value.split_once(':') else { return Ok(vec![point(value, size)?]) };
    let (a, b) = (point(a, size)?, point(b, size)?);
    let rows = a.row.min(b.row)..=a.row.max(b.row);
    Ok(rows.flat_map(|row| (a.col.min(b.col)..=a.col.max(b.col)).map(move |col| Point::new(row, col))).collect())
}
