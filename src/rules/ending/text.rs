//! The end of a game in words.

use super::{EndEffect, EndError, Outcome, Won};
use crate::rules::{Color, Point, Text};

fn en(color: Color) -> &'static str {
    if color == Color::Black { "Black" } else { "White" }
}

fn zh(color: Color) -> &'static str {
    if color == Color::Black { "黑方" } else { "白方" }
}

fn names(points: &[Point], size: u8) -> String {
    if points.is_empty() {
        return "–".to_owned();
    }
    points.iter().map(|p| p.name(size)).collect::<Vec<_>>().join(" ")
}

impl Outcome {
    /// The result in words.
    pub fn text(self) -> Text {
        match self {
            Outcome::Won { winner, by: Won::Count(margin) } => {
                Text::new(format!("{} wins by {margin}", en(winner)), format!("{}胜 {margin}", zh(winner)))
            }
            Outcome::Won { winner, by: Won::Resignation } => Text::new(
                format!("{} resigned, {} wins", en(winner.opponent()), en(winner)),
                format!("{}认输，{}中盘胜", zh(winner.opponent()), zh(winner)),
            ),
            Outcome::Won { winner, by: Won::Ruling } => {
                Text::new(format!("The referee ruled: {} wins", en(winner)), format!("裁判员判{}胜", zh(winner)))
            }
            Outcome::Won { winner, by: Won::DrawnAgain } => Text::new(
                format!("Drawn again in the play-off: {} wins", en(winner)),
                format!("节棋再次下和，判{}胜", zh(winner)),
            ),
            Outcome::Drawn => Text::new("A draw", "和棋"),
            Outcome::BothLose => Text::new("Both sides lose", "双方均负"),
            Outcome::Replay => Text::new("To be played anew", "重赛"),
        }
    }

    /// As a record writes it: `B+3/4`, `W+R`, `0`; SGF has `Void` for a game without result.
    pub fn record_text(self) -> String {
        match self {
            Outcome::Won { winner, by } => match by {
                Won::Count(margin) => format!("{winner}+{}", margin.decimal()),
                Won::Resignation => format!("{winner}+R"),
                Won::Ruling => format!("{winner}+F"),
                Won::DrawnAgain => format!("{winner}+"),
            },
            Outcome::Drawn => "0".to_owned(),
            Outcome::BothLose | Outcome::Replay => "Void".to_owned(),
        }
    }
}

impl EndEffect {
    /// What people are told, with the article; `size` is the board's.
    pub fn text(&self, size: u8) -> Text {
        match self {
            EndEffect::AskToEnd { of } => Text::new(
                format!("{} proposes the end; does {} agree? (000 21.1)", en(of.opponent()), en(*of)),
                format!("{}提议终局，请{}确认（000 第21条1）", zh(of.opponent()), zh(*of)),
            ),
            EndEffect::OfferDeclined { may_play, restored } => Text::new(
                format!(
                    "{} does not agree and may play; {} has the right to move back (000 21.1)",
                    en(*may_play),
                    en(*restored)
                ),
                format!("{}不同意终局，可着子；{}恢复着手权利（000 第21条1）", zh(*may_play), zh(*restored)),
            ),
            EndEffect::MarkDead { two_passes } => {
                let (how, how_zh) = if *two_passes {
                    ("Two passes", "双方连续虚着")
                } else {
                    ("Both agree", "双方同意终局")
                };
                Text::new(
                    format!("{how}: the dead stones are to be marked and confirmed (000 8, 21.4)"),
                    format!("{how_zh}：请双方确认死棋（000 第8条、第21条4）"),
                )
            }
            EndEffect::Dispute { claims } => {
                let chains: Vec<String> =
                    claims.iter().map(|c| format!("{} ({})", names(&c.chain, size), en(c.claimant))).collect();
                let chains_zh: Vec<String> =
                    claims.iter().map(|c| format!("{}（{}）", names(&c.chain, size), zh(c.claimant))).collect();
                Text::new(
                    format!("In dispute, held to be dead: {}. Play it out (000 21.4)", chains.join("; ")),
                    format!("死活有争议，认为是死的：{}。以实战解决（000 第21条4）", chains_zh.join("；")),
                )
            }
            EndEffect::Resumed { first } => Text::new(
                format!("Play goes on; {} holds the stones to be dead and plays first (000 21.4)", en(*first)),
                format!("对局重新开始，由认为是死的一方（{}）先下（000 第21条4）", zh(*first)),
            ),
            EndEffect::Count { dead, contested } => Text::new(
                format!(
                    "To be counted. Dead: {}. Shared as in seki (000 21.2): {}",
                    names(dead, size),
                    names(contested, size)
                ),
                format!("数子。死子：{}。按双活处理（000 第21条2）：{}", names(dead, size), names(contested, size)),
            ),
            EndEffect::RestorePosition { after_move } => Text::new(
                format!("A draw that needs a winner: set up the position after move {after_move} (000 12)"),
                format!("和棋须分胜负：复原至第{after_move}手，节棋（000 第12条）"),
            ),
            EndEffect::CannotRestore { after_move, moves } => Text::new(
                format!(
                    "The game needs a winner, but had {moves} moves and not {after_move}: the documents say no more"
                ),
                format!("须分胜负，但全局仅{moves}手，未到第{after_move}手，规则未作规定"),
            ),
            EndEffect::PlayOff { first, preparation_s, .. } => Text::new(
                format!("Play-off: {preparation_s} seconds to get ready, then {} plays (000 12)", en(*first)),
                format!("节棋：准备{preparation_s}秒，由{}先下（000 第12条）", zh(*first)),
            ),
            EndEffect::Result { outcome } => outcome.text(),
        }
    }
}

impl EndError {
    /// Why it is not possible, in both languages.
    pub fn text(&self) -> Text {
        let chinese = match self {
            EndError::NotTheirTurn { by } => format!("未轮到{}着手", zh(*by)),
            EndError::NoOffer => "尚无人提议终局".to_owned(),
            EndError::AnswerAwaited { from } => format!("已提议终局，等待{}答复", zh(*from)),
            EndError::StillPlaying => "对局尚未终局".to_owned(),
            EndError::EndConfirmed => "双方已经确认终局，不允许重新着子（000 第21条3）".to_owned(),
            EndError::NotMarking => "此时不能标记死子".to_owned(),
            EndError::AlreadyConfirmed { by } => format!("{}已经确认", zh(*by)),
            EndError::OffBoard { at } => format!("{at} 不在棋盘上"),
            EndError::NoStone { at } => format!("{at} 是空点"),
            EndError::Occupied { at } => format!("{at} 有棋子"),
            EndError::NoDispute => "没有争议".to_owned(),
            EndError::ClaimantPlaysFirst { claimant } => {
                format!("{}认为是死棋，应由其先下（000 第21条4）", zh(*claimant))
            }
            EndError::WhoPlaysFirst => "双方各认为对方有死棋，请指定先下方".to_owned(),
            EndError::NothingToCount => "尚不能数子".to_owned(),
            EndError::NothingToConfirm => "尚无结果可确认".to_owned(),
            EndError::NotRestoring => "没有需要复原的局面".to_owned(),
            EndError::Over => "对局已经结束".to_owned(),
        };
        Text::new(self.to_string(), chinese)
    }
}
