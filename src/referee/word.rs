//! What people say about the game (players through the recorder, the referee): passes, resignation, the end and its result, a
//! move that was recorded wrongly. It is taken at its word, but only where it can be true.

use super::Referee;
use super::decide::SEEN_EVIDENCE;
use super::ledger::Phase;
use crate::game::{Event, EventKind, Interval, Settlement, Word};
use crate::rules::{Amount, Color, CountError, CountOptions, Point, Text, Unit, count};

/// Why a word cannot be true, for whoever said it.
pub type Refused = Text;

impl Referee {
    /// Takes in what was said at `ms`, and says what follows.
    ///
    /// # Errors
    /// It cannot be true as the game stands; nothing has changed then.
    pub fn told(&mut self, ms: u64, word: &Word) -> Result<Vec<Event>, Refused> {
        self.now = self.now.max(ms);
        let (passes, ended) = (matches!(word, Word::Pass { .. }), self.ledger.ended);
        let Some(game) = &self.ledger.game else {
            return refuse("no game has begun", "对局尚未开始");
        };
        let over = self.ledger.phase != Phase::Playing;
        match word {
            Word::Pass { .. } | Word::Resign { .. } | Word::EndAgreed if over => {
                return refuse("play is over already; say first that it goes on", "对局已终止；请先确认继续对局");
            }
            Word::Pass { color } if game.turn() != *color && !self.ledger.turn_is_free => {
                return refuse("it is the other side's turn", "现在轮到对方着子");
            }
            _ => {}
        }
        let mut e = self.event(EventKind::Pass, Interval { first: self.now, last: self.now }, 1.0);
        e.move_number = Some(self.ledger.moves.len() as u32);
        match word {
            Word::Pass { color } => {
                e.color = Some(*color);
                e.move_number = Some(self.ledger.moves.len() as u32 + 1);
                self.press = None;
            }
            Word::Resign { color } => {
                e.kind = EventKind::ResignSignal;
                e.color = Some(*color);
            }
            Word::EndAgreed => {
                e.kind = EventKind::EndAgreedSignal;
                e.text = self.with_final_count(&e);
            }
            Word::PlayOn { turn } => {
                let Some(of) = ended.filter(|_| self.ledger.phase == Phase::Ended) else {
                    return refuse("nothing says that play is over", "并无终局的记录");
                };
                e.kind = EventKind::Corrected;
                e.of = Some(of);
                e.turn = *turn;
                e.text = Some(Text::new("The end does not stand: play goes on.", "终局不成立，继续对局。"));
            }
            Word::Stands { turn } => self.as_it_lies(&mut e, *turn)?,
            Word::Result(settlement) => self.result(&mut e, settlement)?,
            Word::Correct { number, point } => self.correction(&mut e, *number, *point)?,
        }
        self.emit(e);
        // what lay otherwise is no longer against anything
        self.sync();
        if passes {
            self.follow_passes();
        }
        Ok(self.drain())
    }

    /// What is seen now becomes the position, whatever led to it.
    fn as_it_lies(&self, e: &mut Event, turn: Option<Color>) -> Result<(), Refused> {
        let (Some(game), Some(evidence)) = (&self.ledger.game, &self.evidence) else {
            return refuse("the board has not been seen", "尚未看到棋盘");
        };
        if matches!(self.ledger.phase, Phase::Waiting | Phase::Cleared) {
            return refuse("no game is on", "没有进行中的对局");
        }
        if evidence.hand_now() || evidence.hidden_count() > 0 {
            return refuse(
                "part of the board is hidden: say it again when all of it is in view",
                "棋盘有部分被遮挡：请在全盘可见时再确认",
            );
        }
        e.kind = EventKind::PositionAdopted;
        e.board = Some(evidence.board(SEEN_EVIDENCE).rows());
        e.turn = turn.or(Some(game.turn()));
        e.move_number = None;
        Ok(())
    }

    fn result(&self, e: &mut Event, settlement: &Settlement) -> Result<(), Refused> {
        e.kind = EventKind::Result;
        match settlement {
            Settlement::Counted { dead, contested } => self.counted(e, dead.as_deref(), contested)?,
            Settlement::Resigned => {
                let Some(loser) = self.ledger.resigned else {
                    return refuse("nobody has resigned", "双方均未认输");
                };
                e.color = Some(loser.opponent());
                e.text = Some(win(loser.opponent(), "by resignation", "中盘"));
            }
            Settlement::Ruled { winner } => {
                e.color = *winner;
                e.text = Some(match winner {
                    Some(winner) => win(*winner, "by the referee's decision", "经裁判裁定"),
                    None => Text::new("Result: no winner, by the referee's decision.", "结果：经裁判裁定，无胜方。"),
                });
            }
        }
        Ok(())
    }

    fn counted(&self, e: &mut Event, dead: Option<&[Point]>, contested: &[Point]) -> Result<(), Refused> {
        let Some(game) = &self.ledger.game else { return refuse("no game has begun", "对局尚未开始") };
        if self.ledger.phase == Phase::Playing {
            return refuse(
                "play is not over: both sides agree to the end first, or pass",
                "对局尚未终止：须双方同意终局或连续虚着",
            );
        }
        let proposed = self.final_count(game);
        let options = CountOptions {
            dead: dead.map_or_else(|| proposed.count.dead.clone(), <[Point]>::to_vec),
            contested: contested.to_vec(),
            ..proposed.options
        };
        let size = game.size();
        let counted = count(game.board(), &self.options.ruleset, &options).map_err(|why| not_so(&why, size))?;
        let points = |a: Amount| if counted.unit == Unit::Stones { a.doubled() } else { a };
        e.color = counted.winner;
        e.margin_points = Some(points(counted.margin.abs()));
        e.points = counted.dead.iter().map(|&p| p.into()).collect();
        let (stones, stones_zh) = match counted.dead.len() {
            0 => ("no dead stones".to_owned(), "无死子".to_owned()),
            1 => ("1 dead stone".to_owned(), "死子1颗".to_owned()),
            n => (format!("{n} dead stones"), format!("死子{n}颗")),
        };
        let (black, white, result) = (counted.black, counted.white, counted.result());
        let draw_zh = if counted.winner.is_none() { "和棋" } else { result };
        e.text = Some(Text::new(
            format!("Result: {result} (Black {black}, White {white}; {stones})."),
            format!("结果：{draw_zh}（黑{black}，白{white}；{stones_zh}）。"),
        ));
        Ok(())
    }

    fn correction(&self, e: &mut Event, number: u32, point: Option<Point>) -> Result<(), Refused> {
        let Some(game) = &self.ledger.game else { return refuse("no game has begun", "对局尚未开始") };
        let index = (number as usize).checked_sub(1).filter(|&i| i < game.moves().len());
        let Some(index) = index else {
            let n = game.moves().len();
            return Err(Text::new(
                format!("there is no move {number}: {n} were played"),
                format!("没有第{number}手：共{n}手"),
            ));
        };
        let seq = self.ledger.moves[index].seq;
        if seq == 0 {
            return refuse(
                "that move was given with the start and cannot be changed here",
                "该手由起始局面给定，不能在此更改",
            );
        }
        let played = &game.moves()[index];
        let before = game.position(index).unwrap_or(game.start());
        match point {
            Some(p) if !before.contains(p) => return refuse("the point is not on the board", "该点不在棋盘上"),
            Some(p) if before.get(p).is_some() => {
                return refuse("a stone lay there before that move", "此前该点已有棋子");
            }
            Some(p) if played.point == Some(p) => return refuse("the record has it there already", "棋谱记录已是如此"),
            _ => {}
        }
        e.kind = EventKind::Corrected;
        e.of = Some(seq);
        e.color = Some(played.color);
        e.point = point;
        e.move_number = Some(number);
        // for the record the move took place when it did
        e.at_ms = Interval { first: self.ledger.moves[index].unseen_ms, last: self.ledger.moves[index].seen_ms };
        if let Some(p) = point {
            let mut board = before.clone();
            e.captured = Some(board.place(p, played.color).captured);
        }
        Ok(())
    }
}

/// What is wrong with the points that were named, by their names on the board.
fn not_so(why: &CountError, size: u8) -> Refused {
    match why {
        CountError::OffBoard { at, .. } => Text::new(
            format!("[{}, {}] is no point of this board", at.row, at.col),
            format!("[{}, {}] 不是本棋盘上的点", at.row, at.col),
        ),
        CountError::NoStone { at, .. } => {
            let name = at.name(size);
            Text::new(format!("no stone lies at {name}"), format!("{name}处没有棋子"))
        }
        CountError::Occupied { at, .. } => {
            let name = at.name(size);
            Text::new(
                format!("a stone lies at {name}: it cannot be contested"),
                format!("{name}处有棋子，不是可争夺的空点"),
            )
        }
    }
}

fn win(winner: Color, how: &str, how_zh: &str) -> Text {
    let (en, zh) = match winner {
        Color::Black => ("Black", "黑方"),
        Color::White => ("White", "白方"),
    };
    Text::new(format!("Result: {en} wins {how}."), format!("结果：{zh}{how_zh}胜。"))
}

fn refuse<T>(en: &str, zh: &str) -> Result<T, Refused> {
    Err(Text::new(en, zh))
}
