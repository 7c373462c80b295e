//! The sentences of a team match.

use super::{ConductEffect, ConductNotice, Request, Seat, Standstill, StateOfPlay};
use crate::rules::time::Millis;
use crate::rules::wording::ordinal;
use crate::rules::{Color, Text};

fn name(side: Color) -> (&'static str, &'static str) {
    match side {
        Color::Black => ("Black", "黑方"),
        Color::White => ("White", "白方"),
    }
}

/// "Black's seat 2", "黑方2号位".
fn seat(seat: Seat) -> (String, String) {
    let (en, zh) = name(seat.color);
    (format!("{en}'s seat {}", seat.number), format!("{zh}{}号位", seat.number))
}

fn seats(all: &[Seat]) -> (String, String) {
    let (en, zh): (Vec<_>, Vec<_>) = all.iter().map(|s| seat(*s)).unzip();
    (en.join(" or "), zh.join("或"))
}

fn span(ms: u64) -> Text {
    Millis::new(ms).unwrap_or(Millis::MAX).text()
}

impl Request {
    pub fn text(&self) -> Text {
        match self {
            Request::TimeOut => Text::new("a time-out", "暂停"),
            Request::Substitution { seat, player } => {
                Text::new(format!("{player} for seat {seat}"), format!("{player}换下{seat}号位"))
            }
        }
    }
}

impl StateOfPlay {
    /// What the referee tells the requester (000 10.5).
    pub fn text(&self) -> Text {
        let ((en, zh), (seat_en, seat_zh)) = (name(self.turn), seats(&self.seats));
        Text::new(
            format!("section {}, {} moves played, {en} to move, {seat_en}", self.section, self.number),
            format!("第{}节，已下{}手，轮{zh}，{seat_zh}着子", self.section, self.number),
        )
    }
}

impl ConductEffect {
    /// The sentence, with the article where there is one.
    pub fn text(&self) -> Text {
        let text = self.what.text(self.at_ms);
        match &self.article {
            None => text,
            Some(article) => Text::new(format!("{} ({article})", text.en), format!("{}（{article}）", text.zh)),
        }
    }
}

impl ConductNotice {
    /// The sentence; `at_ms` is when it is told, from which remaining times are counted.
    pub fn text(&self, at_ms: u64) -> Text {
        match self {
            ConductNotice::StopClock { reason } => {
                let Text { en, zh } = reason.text();
                Text::new(format!("Stop the clock: {en}."), format!("停钟：{zh}。"))
            }
            ConductNotice::StartClock { turn } => {
                let (en, zh) = name(*turn);
                Text::new(format!("Start the clock for {en}."), format!("开钟，{zh}计时。"))
            }
            ConductNotice::BoardTouched { during } => {
                let (en, zh) = match during {
                    Standstill::Break => ("a break", "节间休息"),
                    Standstill::Request => ("a request", "请求处理"),
                    Standstill::TimeOut => ("a time-out", "暂停"),
                    Standstill::Dispute => ("a question on the board", "场上争议处理"),
                };
                Text::new(format!("The board was changed during {en}."), format!("{zh}期间棋盘有变动。"))
            }
            ConductNotice::Ended => Text::new("The match is over.", "比赛结束。"),
            _ => self.of_sections().or_else(|| self.of_seats()).unwrap_or_else(|| self.of_teams(at_ms)),
        }
    }

    fn of_sections(&self) -> Option<Text> {
        Some(match self {
            ConductNotice::RosterIn { team, section, late_ms } => {
                let (en, zh) = name(*team);
                match late_ms {
                    0 => Text::new(
                        format!("{en}'s roster for section {section} is in."),
                        format!("{zh}已提交第{section}节出场名单。"),
                    ),
                    ms => {
                        let late = span(*ms);
                        Text::new(
                            format!("{en}'s roster for section {section} came {} late.", late.en),
                            format!("{zh}第{section}节出场名单迟交{}。", late.zh),
                        )
                    }
                }
            }
            ConductNotice::RosterDue { section, black, white } => {
                let (en, zh) = match (black, white) {
                    (true, true) => ("Both rosters", "双方"),
                    (true, _) => ("Black's roster", "黑方"),
                    _ => ("White's roster", "白方"),
                };
                Text::new(
                    format!("{en} for section {section} should be in by now."),
                    format!("{zh}应提交第{section}节出场名单及位置号。"),
                )
            }
            ConductNotice::RosterMissing { team, section } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("Section {section} begins without {en}'s roster."),
                    format!("第{section}节开始，{zh}未交出场名单。"),
                )
            }
            ConductNotice::NotEligible { team, player, why } => {
                let (en, zh) = name(*team);
                Text::new(format!("{en}: {player} {why}."), format!("{zh}{player}{}，不得上场。", why.zh()))
            }
            ConductNotice::SectionBegan { section, first, last, seats: all } => {
                let (seat_en, seat_zh) = seats(all);
                let (to_en, to_zh) = match last {
                    Some(last) => (format!("to {last}"), format!("至第{last}手")),
                    None => ("to the end".to_owned(), "至终局".to_owned()),
                };
                Text::new(
                    format!("Section {section} begins, moves {first} {to_en}; {seat_en} plays."),
                    format!("第{section}节开始，第{first}手{to_zh}，{seat_zh}着子。"),
                )
            }
            ConductNotice::SectionComplete { section } => Text::new(
                format!("The last move of section {section} was played: call the break."),
                format!("第{section}节手数已满，请宣布休息。"),
            ),
            ConductNotice::SectionOverrun { section, number, team, player, stones, nth } => {
                let (en, zh) = name(*team);
                let (who_en, who_zh) = match player {
                    Some(p) => (format!("{en} ({p})"), format!("{zh}（{p}）")),
                    None => (en.to_owned(), zh.to_owned()),
                };
                Text::new(
                    format!(
                        "{who_en}: move {number} is over the limit of section {section}; it stands, {stones} stone(s), \
                         the {} time.",
                        ordinal(*nth)
                    ),
                    format!("{who_zh}第{number}手超过第{section}节规定手数，着子有效，罚{stones}子（第{nth}次）。"),
                )
            }
            ConductNotice::BreakBegan { next, .. } => {
                Text::new(format!("Break before section {next}."), format!("第{next}节前休息，计时暂停。"))
            }
            ConductNotice::BreakOver { next } => {
                Text::new(format!("The break is over: section {next} is due."), format!("休息结束，应开始第{next}节。"))
            }
            _ => return None,
        })
    }

    fn of_seats(&self) -> Option<Text> {
        Some(match self {
            ConductNotice::SeatUnclear { number, color, seat: from } => {
                let ((en, zh), (seat_en, seat_zh)) = (name(*color), seat(*from));
                Text::new(
                    format!("Move {number} is {en}'s, but the hand came from {seat_en}: who played is not known."),
                    format!("第{number}手为{zh}着子，但手来自{seat_zh}，无法确定着子人。"),
                )
            }
            ConductNotice::SeatOrder { number, seat: from, player, expected } => {
                let ((seat_en, seat_zh), (exp_en, exp_zh)) = (seat(*from), seats(expected));
                Text::new(
                    format!(
                        "Move {number} came from {seat_en} ({player}), not from {exp_en}. It counts only if the opponent \
                         raises it before the next stone."
                    ),
                    format!(
                        "第{number}手由{seat_zh}（{player}）着子，应由{exp_zh}着子。对方须在落子前提出，已落新子自动失效。"
                    ),
                )
            }
            ConductNotice::SeatOrderRaised { by, number } => {
                let (en, zh) = name(*by);
                Text::new(
                    format!("{en} raises the order of play at move {number}; the referee decides."),
                    format!("{zh}提出第{number}手行棋次序错误，待裁判员确认。"),
                )
            }
            ConductNotice::SeatOrderLapsed { number } => Text::new(
                format!("The next stone was played: the order of play at move {number} has lapsed."),
                format!("已落新子，第{number}手行棋次序错误自动失效。"),
            ),
            ConductNotice::SeatOrderRejected { number } => Text::new(
                format!("The referee finds no wrong order at move {number}."),
                format!("裁判员未确认第{number}手行棋次序错误。"),
            ),
            ConductNotice::SeatOrderPenalty { number, team, player, nth_team, nth_player, stones, .. } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!(
                        "{en} ({player}): wrong order of play at move {number}, the team's {} and the player's {} time; the move \
                         stands, {stones} stone(s).",
                        ordinal(*nth_team),
                        ordinal(*nth_player)
                    ),
                    format!(
                        "{zh}（{player}）第{number}手行棋次序错误，全队第{nth_team}次、本人第{nth_player}次，着手有效，罚{stones}子。"
                    ),
                )
            }
            ConductNotice::ChooseSeat { team, chooser } => {
                let ((en, zh), (seat_en, seat_zh)) = (name(*team), seat(*chooser));
                Text::new(
                    format!("{seat_en} says which of {en}'s players goes on."),
                    format!("由{seat_zh}选择{zh}接续者继续对局。"),
                )
            }
            ConductNotice::RedCardDue { team, player, .. } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("{en}: a red card is due for {player}. Who comes in?"),
                    format!("{zh}{player}应红牌罚下，请提交替换人选。"),
                )
            }
            ConductNotice::TeamLoses { team } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("{en} loses: too many wrong orders of play."),
                    format!("{zh}行棋次序错误次数超限，判该队负。"),
                )
            }
            _ => return None,
        })
    }

    fn of_teams(&self, at_ms: u64) -> Text {
        match self {
            ConductNotice::StateOfPlay { to, request, state } => {
                let ((en, zh), asked, is) = (name(*to), request.text(), state.text());
                Text::new(
                    format!("Tell {en}, who asks for {}: {}. Does it stand?", asked.en, is.en),
                    format!("{zh}请求{}。向请求方反馈：{}。是否确认？", asked.zh, is.zh),
                )
            }
            ConductNotice::Cancelled { team } => {
                let (en, zh) = name(*team);
                Text::new(format!("{en} takes the request back."), format!("{zh}取消请求。"))
            }
            ConductNotice::SubstitutionBegan { team, seat, out, player, by_red_card, left, until_ms } => {
                let ((en, zh), time) = (name(*team), span(until_ms.saturating_sub(at_ms)));
                let (why_en, why_zh) = if *by_red_card { ("red card, ", "红牌罚下，") } else { ("", "") };
                Text::new(
                    format!(
                        "{en}: {why_en}{player} for {out} on seat {seat}, {} to sit down; {left} substitution(s) left.",
                        time.en
                    ),
                    format!("{zh}{why_zh}{player}换下{seat}号位{out}，{}内就位；还有{left}次换人机会。", time.zh),
                )
            }
            ConductNotice::SeatingOverdue { team, player } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("{en}: {player} is not there in time; the clock starts."),
                    format!("{zh}{player}未按时就位，应按时开钟。"),
                )
            }
            ConductNotice::Seated { team, player } => {
                let (en, zh) = name(*team);
                Text::new(format!("{en}: {player} sits."), format!("{zh}{player}已就位。"))
            }
            ConductNotice::SubstitutionVoid { team, seat, player, stays, left } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!(
                        "{en}: the substitution of {player} is void, {stays} stays on seat {seat}; {left} left, this one is used."
                    ),
                    format!("{zh}换上{player}作废，{stays}留在{seat}号位；本次机会已用，还有{left}次。"),
                )
            }
            ConductNotice::TimeOutBegan { team, left, .. } => {
                let (en, zh) = name(*team);
                Text::new(format!("{en}'s time-out; {left} left."), format!("{zh}暂停，还有{left}次。"))
            }
            ConductNotice::TimeOutOverdue { team } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("{en}'s time-out is over; the clock starts."),
                    format!("{zh}暂停时间已到，应按时开钟。"),
                )
            }
            ConductNotice::TimeOutOver { team } => {
                let (en, zh) = name(*team);
                Text::new(format!("{en}'s time-out ends."), format!("{zh}暂停结束。"))
            }
            ConductNotice::OpponentGains { team, left } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!(
                        "The other team had no substitution left for its red card: {en} gains one, for anybody; {left} left."
                    ),
                    format!("对方被罚红牌时换人机会已用尽，{zh}增加一次任意换人机会，共有{left}次。"),
                )
            }
            ConductNotice::PlayerStays { team, player, .. } => {
                let (en, zh) = name(*team);
                Text::new(
                    format!("{en} has nobody to send in: {player} stays, a pass besides the stones of the red card."),
                    format!("{zh}无可上场队员，{player}不下场，除红牌罚子外加罚虚着一次。"),
                )
            }
            ConductNotice::ColoursMayBeCorrected { until_move } => Text::new(
                format!("The colours were taken wrongly: they may be put right up to and including move {until_move}."),
                format!("拿错黑白棋，第{until_move}手之前（含）允许改正。"),
            ),
            ConductNotice::ColoursStand { number } => Text::new(
                format!("The colours were taken wrongly: after {number} moves they stay as they are."),
                format!("拿错黑白棋，已下{number}手，不予改正。"),
            ),
            ConductNotice::ColoursCorrected { number } => Text::new(
                format!("The colours are put right after move {number}."),
                format!("第{number}手后改正黑白棋。"),
            ),
            ConductNotice::PlayOffBegan { from_move, turn, until_ms } => {
                let ((en, zh), time) = (name(*turn), span(until_ms.saturating_sub(at_ms)));
                Text::new(
                    format!("Drawn: it is played on from move {from_move}, {en} first; {} to get ready.", time.en),
                    format!("和棋，节棋从第{from_move}手开始，{zh}先行，准备时间{}。", time.zh),
                )
            }
            ConductNotice::ReadyOver => Text::new("The time to get ready is over.", "准备时间已到。"),
            // the rest is told elsewhere
            _ => Text::default(),
        }
    }
}

impl super::Ineligible {
    fn zh(self) -> &'static str {
        match self {
            super::Ineligible::HasPlayed => "已上过场",
            super::Ineligible::RedCarded => "已被红牌罚下",
            super::Ineligible::NotInSquad => "不在大名单内",
            super::Ineligible::OnTheBoard => "正在场上",
        }
    }
}
