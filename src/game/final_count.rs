//! What a game comes to that both sides have agreed to end: a proposal for them and the referee to confirm.

use crate::rules::life::{Life, Proposal, propose};
use crate::rules::{Amount, Color, Count, CountOptions, History, Point, Ruleset, Text, count};

/// So many chains are named.
const NAMED_CHAINS: usize = 8;

/// A finished position, counted with what looks dead taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalCount {
    pub proposal: Proposal,
    /// How it was counted.
    pub options: CountOptions,
    /// The count if the proposal is confirmed.
    pub count: Count,
    /// Side of the board.
    pub size: u8,
}

impl FinalCount {
    /// Counts what lies on the board as the ruleset does. `handicap`: as far as it is known; stones that lay there when White
    /// began are seen. `penalty`: what each side gives, `[Black, White]`, in the ruleset's unit.
    /// Takes about a tenth of a second on 19 × 19; the same game gives the same.
    pub fn of(history: &History, rules: &Ruleset, handicap: u32, penalty: [Amount; 2]) -> FinalCount {
        let board = history.board();
        let proposal = propose(board);
        let options = CountOptions {
            dead: proposal.dead(),
            prisoners: [Color::Black, Color::White].map(|c| history.prisoners(c)),
            handicap: handicap.max(handicap_stones(history)),
            penalty,
            ..CountOptions::default()
        };
        // the dead stones are stones of this board
        let count = count(board, rules, &options).expect("a position of the game");
        FinalCount { proposal, options, count, size: board.size() }
    }

    /// The result if confirmed, and which chains to look at.
    pub fn text(&self) -> Text {
        let c = &self.count;
        let (dead, dead_zh) = self.chains(Life::Dead).unwrap_or_else(|| ("none".to_owned(), "无".to_owned()));
        let mut text = Text::new(
            format!("To be confirmed: {} (Black {}, White {}); look dead: {dead}.", c.result(), c.black, c.white),
            format!("待双方确认：{}（黑{}，白{}）；似为死子：{dead_zh}。", c.result(), c.black, c.white),
        );
        if c.penalty != [Amount::ZERO; 2] {
            let [black, white] = c.penalty;
            text.en.push_str(&format!(" Penalties in it: Black {black}, White {white}."));
            text.zh.push_str(&format!("已计罚子：黑{black}，白{white}。"));
        }
        if let Some((unsure, unsure_zh)) = self.chains(Life::Unsure) {
            text.en.push_str(&format!(" Unclear, counted as alive: {unsure}."));
            text.zh.push_str(&format!("死活不明，暂计为活棋：{unsure_zh}。"));
        }
        text
    }

    /// One stone of each chain, and how many it has, in both languages; `None` without any.
    fn chains(&self, life: Life) -> Option<(String, String)> {
        let chains: Vec<&Vec<Point>> =
            self.proposal.chains.iter().filter(|c| c.life == life).map(|c| &c.stones).collect();
        if chains.is_empty() {
            return None;
        }
        let stones: usize = chains.iter().map(|c| c.len()).sum();
        let name = |c: &&Vec<Point>| match c.len() {
            1 => c[0].name(self.size),
            n => format!("{}×{n}", c[0].name(self.size)),
        };
        let mut names: Vec<String> = chains.iter().take(NAMED_CHAINS).map(name).collect();
        if chains.len() > NAMED_CHAINS {
            names.push("…".to_owned());
        }
        let names = names.join(" ");
        let word = if stones == 1 { "stone" } else { "stones" };
        Some((format!("{names} ({stones} {word})"), format!("{names}（共{stones}子）")))
    }
}

/// Black stones that lay on the board when White began: handicap stones.
fn handicap_stones(history: &History) -> u32 {
    let start = history.start();
    let black = start.stones(Color::Black);
    if history.first() == Color::White && black >= 2 && start.stones(Color::White) == 0 { black as u32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Board;

    fn final_count(rows: &[&str], first: Color, penalty: [Amount; 2]) -> FinalCount {
        let history = History::new(Board::from_rows(rows).unwrap(), first);
        FinalCount::of(&history, &Ruleset::builtin("cwa").unwrap(), 0, penalty)
    }

    const ROWS: [&str; 9] = [
        ".B.BW.W..",
        "BWBBWWWWW",
        "B.BBWW.W.",
        "BBBBWWWWW",
        "BBBBWWWWW",
        "BBBBBWWWW",
        "BB.BBWWWW",
        ".BBBBBWWW",
        "BBBBBBWWW",
    ];

    #[test]
    fn what_looks_dead_is_named_and_taken_off_for_the_count() {
        let f = final_count(&ROWS, Color::Black, [Amount::ZERO; 2]);
        assert_eq!(f.proposal.dead(), [Point::new(1, 1)]);
        assert_eq!((f.count.black, f.count.result()), (Amount::whole(42), "W+2 1/4"));
        let text = f.text();
        assert!(text.en.contains("W+2 1/4") && text.en.contains("look dead: B8 (1 stone)"), "{text:?}");
        assert!(text.zh.contains("B8（共1子）"), "{text:?}");
        let history = History::new(Board::from_rows(&ROWS).unwrap(), Color::Black);
        let first_move = FinalCount::of(&history, &Ruleset::builtin("cwa").unwrap(), 1, [Amount::ZERO; 2]);
        assert_eq!(first_move.count.result(), "B+1 1/2", "the first move without komi");
        let fined = final_count(&ROWS, Color::Black, [Amount::ZERO, Amount::whole(4)]);
        assert_eq!(fined.count.result(), "B+1 3/4");
        assert!(fined.text().en.contains("Penalties in it: Black 0, White 4"), "{:?}", fined.text());
    }

    #[test]
    fn handicap_stones_are_seen_at_the_start() {
        let mut rows = vec![".........".to_owned(); 9];
        rows[2] = "..B...B..".to_owned();
        let board = Board::from_rows(&rows).unwrap();
        assert_eq!(handicap_stones(&History::new(board.clone(), Color::White)), 2);
        assert_eq!(handicap_stones(&History::new(board, Color::Black)), 0, "a position that was adopted");
        assert_eq!(handicap_stones(&History::new(Board::from_rows(&ROWS).unwrap(), Color::White)), 0);
    }
}
