//! The sentences of the clock, for referees to read out and for pages to show.

use super::{AtPress, Call, Millis, Outcome, Reading, Stop, TimeEffect, TimeNotice, TimeSettings};
use crate::rules::wording::ordinal;
use crate::rules::{Color, Infraction, Text};

fn name(side: Color) -> (&'static str, &'static str) {
    match side {
        Color::Black => ("Black", "黑方"),
        Color::White => ("White", "白方"),
    }
}

/// `1:05:30`, `4:07`, with tenths only where they say something: `4:07.3`.
fn face_ms(ms: u64) -> String {
    let (h, m, s, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    let tenths = if rest == 0 { String::new() } else { format!(".{}", rest / 100) };
    match h {
        0 => format!("{m}:{s:02}{tenths}"),
        _ => format!("{h}:{m:02}:{s:02}{tenths}"),
    }
}

fn span_zh(ms: u64) -> String {
    match (ms / 60_000, ms % 60_000 / 1000) {
        (m, 0) if m > 0 => format!("{m}分钟"),
        (0, s) => format!("{s}秒"),
        (m, s) => format!("{m}分{s}秒"),
    }
}

fn span_en(ms: u64) -> String {
    let plural = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match (ms / 60_000, ms % 60_000 / 1000) {
        (m, 0) if m > 0 => plural(m, "minute"),
        (0, s) => plural(s, "second"),
        (m, s) => format!("{} {}", plural(m, "minute"), plural(s, "second")),
    }
}

/// "4 minutes left", or "4 periods of 30 seconds left" where a period is no minute.
fn periods_left(left: u32, period_ms: u64) -> (String, String) {
    if period_ms == 60_000 {
        return (format!("{} left", span_en(u64::from(left) * period_ms)), format!("还剩{left}分钟"));
    }
    let s = if left == 1 { "" } else { "s" };
    (
        format!("{left} period{s} of {} left", span_en(period_ms)),
        format!("还剩{left}次读秒，每次{}", span_zh(period_ms)),
    )
}

impl Reading {
    /// What a player who asks how much time is left is told (001 ch. 2 §7.1).
    pub fn text(&self, settings: &TimeSettings) -> Text {
        if self.main_ms > 0 {
            let (en, zh) = (face_ms(self.main_ms), face_ms(self.main_ms));
            return match self.periods {
                0 => Text::new(format!("{en} left"), format!("还剩{zh}")),
                n => {
                    let (p_en, p_zh) = (span_en(settings.period_ms), span_zh(settings.period_ms));
                    Text::new(format!("{en} left, then {n} × {p_en}"), format!("还剩{zh}，另有读秒{n}次，每次{p_zh}"))
                }
            };
        }
        if self.periods == 0 {
            return Text::new("no time left", "时间用完");
        }
        let (en, zh) = periods_left(self.periods, settings.period_ms);
        match self.period_used_ms {
            0 => Text::new(en, zh),
            used => {
                let used = face_ms(used);
                Text::new(format!("{en}, {used} of the present one used"), format!("{zh}，本次已用{used}"))
            }
        }
    }
}

impl Call {
    /// What is said aloud.
    pub fn text(self) -> Text {
        match self {
            Call::Seconds(s) => Text::new(span_en(s * 1000), span_zh(s * 1000)),
            Call::Count(n) => Text::new(n.to_string(), n.to_string()),
        }
    }
}

impl Stop {
    pub fn text(self) -> Text {
        let (en, zh) = match self {
            Stop::Dispute => ("a question on the board", "场上争议"),
            Stop::Request => ("a time-out or substitution is asked for", "请求暂停或换人"),
            Stop::Break => ("a break", "休息"),
            Stop::Fault => ("the clock is faulty", "计时器故障"),
            Stop::Overrun => ("an overrun, the referee decides", "超时，待裁判处理"),
            Stop::BothOverran => ("both sides overran in a row", "双方连续超时"),
            Stop::End => ("the end of the game", "终局"),
            Stop::Other => ("the referee", "裁判停钟"),
        };
        Text::new(en, zh)
    }
}

impl TimeEffect {
    /// The sentence, with the article where there is one.
    pub fn text(&self) -> Text {
        let text = self.what.text();
        match &self.article {
            None => text,
            Some(article) => Text::new(format!("{} ({article})", text.en), format!("{}（{article}）", text.zh)),
        }
    }
}

impl TimeNotice {
    /// The sentence. Calls are exactly what is said aloud.
    pub fn text(&self) -> Text {
        let t = |en: String, zh: String| Text { en, zh };
        match *self {
            TimeNotice::Started { turn } => {
                let (en, zh) = name(turn);
                t(format!("The game begins, {en}'s time runs."), format!("比赛开始，{zh}计时。"))
            }
            TimeNotice::Reminder { side, left_ms } => {
                let (en, zh) = name(side);
                t(format!("{en}: {} left.", span_en(left_ms)), format!("{zh}还剩{}。", span_zh(left_ms)))
            }
            TimeNotice::ByoyomiBegins { side, periods, period_ms } => {
                let (en, zh) = name(side);
                let (left_en, left_zh) = periods_left(periods, period_ms);
                t(format!("{en}: byo-yomi begins, {left_en}."), format!("{zh}开始读秒，{left_zh}。"))
            }
            TimeNotice::Call { call, .. } => call.text(),
            TimeNotice::PeriodUsed { side, left, period_ms } => {
                let (en, zh) = name(side);
                let (left_en, left_zh) = periods_left(left, period_ms);
                let (last_en, last_zh) = if left == 1 { (", the last", "，最后一次读秒") } else { ("", "") };
                t(
                    format!("{}. {en}: {left_en}{last_en}.", span_en(period_ms)),
                    format!("{}，{zh}{left_zh}{last_zh}。", span_zh(period_ms)),
                )
            }
            TimeNotice::Overrun { side, nth, outcome } => {
                let (en, zh) = name(side);
                let (then_en, then_zh) = match outcome {
                    Outcome::Loses => ("loses on time".to_owned(), "判负".to_owned()),
                    Outcome::Pass { stones } => (
                        format!(
                            "a pass and {stones} stone(s), the {} time; the last period begins again",
                            ordinal(nth)
                        ),
                        format!("判停一着，罚{stones}子（第{nth}次），继续原读秒方式"),
                    ),
                    Outcome::Referee => ("the referee decides".to_owned(), "由裁判员处理".to_owned()),
                };
                t(format!("{en} is over time: {then_en}."), format!("{zh}超时，{then_zh}。"))
            }
            TimeNotice::Turn { by, side, used_ms } => {
                let ((by_en, by_zh), (en, zh)) = (name(by), name(side));
                let used = face_ms(used_ms);
                t(format!("{by_en} took {used}; {en}'s time runs."), format!("{by_zh}本手用时{used}，{zh}计时。"))
            }
            TimeNotice::PressRefused { side, infraction, nth } => {
                let (en, zh) = name(side);
                match infraction {
                    Infraction::PressBeforeMove => t(
                        format!(
                            "{en} pressed the clock before or with the move ({} time); the clock is unchanged.",
                            ordinal(nth)
                        ),
                        format!("{zh}在着子之前或同时按钟（第{nth}次），不改变计时器读数。"),
                    ),
                    _ => t(
                        format!(
                            "{en} pressed the clock before the captured stones were off ({} time); the clock is unchanged.",
                            ordinal(nth)
                        ),
                        format!("{zh}未提清即按钟（第{nth}次），不改变计时器读数。"),
                    ),
                }
            }
            TimeNotice::IdlePress { side } => {
                let (en, zh) = name(side);
                t(format!("{en} pressed while its clock was not running."), format!("{zh}在己方未计时时按钟。"))
            }
            TimeNotice::WrongClock { side, nth } => {
                let (en, zh) = name(side);
                let (then_en, then_zh) = if nth > 1 {
                    ("; repeated, it may be a deliberate foul", "；多次按错，可判恶意犯规1次")
                } else {
                    ("", "，劝告")
                };
                t(
                    format!("{en} pressed the wrong clock ({} time){then_en}.", ordinal(nth)),
                    format!("{zh}按错计时钟（第{nth}次）{then_zh}。"),
                )
            }
            TimeNotice::Stopped { reason, .. } => {
                let Text { en, zh } = reason.text();
                t(format!("The clock is stopped: {en}."), format!("停钟：{zh}。"))
            }
            TimeNotice::PutBack { side, .. } => {
                let (en, zh) = name(side);
                t(
                    format!("{en}'s byo-yomi is put back to what the clock showed after the opponent's move."),
                    format!("{zh}读秒恢复至对方着子后的状态。"),
                )
            }
            TimeNotice::Resumed { turn } => {
                let (en, zh) = name(turn);
                t(format!("The clock runs again, {en}'s time."), format!("开钟，{zh}计时。"))
            }
            TimeNotice::Suspended { readings, turn } => {
                let (en, zh) = name(turn);
                let show = |r: Reading| format!("{} + {}", face_ms(r.main_ms), r.periods);
                let (b, w) = (show(readings.black), show(readings.white));
                t(
                    format!(
                        "The game is suspended, {en} to move. Write down the times and let both sides confirm them: Black {b}, White {w} (main time + periods)."
                    ),
                    format!("比赛暂停，轮{zh}着子。请记录用时并经双方确认：黑方{b}，白方{w}（时限+读秒次数）。"),
                )
            }
            TimeNotice::Confirmed { side, all } => {
                let (en, zh) = name(side);
                let (all_en, all_zh) = if all { (" Both have.", "双方均已确认。") } else { ("", "") };
                t(format!("{en} confirms the stored times.{all_en}"), format!("{zh}确认用时记录。{all_zh}"))
            }
            TimeNotice::ResumedUnconfirmed { black, white } => {
                let (en, zh) = match (black, white) {
                    (false, false) => ("neither side", "双方"),
                    (true, _) => ("White not", "白方"),
                    (_, true) => ("Black not", "黑方"),
                };
                t(
                    format!(
                        "The game goes on although the stored times are not confirmed by both: {en} has confirmed."
                    ),
                    format!("续弈时{zh}尚未确认用时记录。"),
                )
            }
            TimeNotice::Set { .. } => t("The clock is set.".into(), "计时器读数已改拨。".into()),
            TimeNotice::SharedEvenly { .. } => t(
                "No written record: what was used is shared evenly; the arbiter is to be admonished.".into(),
                "无书面记录，前半段用时判为双方均摊，对执行裁判员另行教育和处罚。".into(),
            ),
            TimeNotice::Replaced { scaled, shown_ms, true_ms, .. } => {
                let (shown, really) = (face_ms(shown_ms), face_ms(true_ms));
                let (then_en, then_zh) = if scaled {
                    ("the times are scaled in proportion", "按双方已用时间比例拨正")
                } else {
                    ("too little to change the times", "误差未达规定，不改拨时间")
                };
                t(
                    format!("The clock is replaced: it showed {shown} in {really}; {then_en}."),
                    format!("更换计时器：读数合计{shown}，实际{really}；{then_zh}。"),
                )
            }
            TimeNotice::LateTakenOff { side, late_ms, .. } => {
                let (en, zh) = name(side);
                let late = face_ms(late_ms);
                t(format!("{en} was {late} late; it is taken off."), format!("{zh}迟到{late}，从时限内扣除。"))
            }
            TimeNotice::Default { black, white } => match (black, white) {
                (true, true) => {
                    t("Both sides came too late: both lose.".into(), "双方迟到超过规定时间，均判弃权作负。".into())
                }
                (black, _) => {
                    let (en, zh) = name(if black { Color::Black } else { Color::White });
                    t(
                        format!("{en} came too late and loses by default."),
                        format!("{zh}迟到超过规定时间，判弃权作负。"),
                    )
                }
            },
            TimeNotice::SealingHour { turn } => {
                let ((en, zh), (off_en, off_zh)) = (name(turn), name(turn.opponent()));
                t(
                    format!("Sealing: {off_en} leaves the room; {en} thinks, writes the move down and seals it."),
                    format!("封棋：{off_zh}退场，{zh}思考后将着点写在记录纸上密封交裁判员。"),
                )
            }
            TimeNotice::Sealed { side } => {
                let (en, zh) = name(side);
                t(format!("{en} has sealed its move."), format!("{zh}已封棋。"))
            }
            TimeNotice::LeaveGranted { side, nth } => {
                let (en, zh) = name(side);
                t(
                    format!(
                        "{en} may leave the seat if the referee agrees ({} time); the count goes on.",
                        ordinal(nth)
                    ),
                    format!("{zh}经裁判员同意可离席（第{nth}次），读秒照常进行。"),
                )
            }
            TimeNotice::LeaveRefused { side, in_own_time, already } => {
                let (en, zh) = name(side);
                match in_own_time {
                    true => t(
                        format!("{en} may not leave: it has to be asked for in the opponent's time."),
                        format!("{zh}不得离席：须在对方思考时提出。"),
                    ),
                    false => t(
                        format!("{en} may not leave: {already} time(s) already in this game."),
                        format!("{zh}不得离席：本局已离席{already}次。"),
                    ),
                }
            }
            TimeNotice::Ended { .. } => t("The game is over, the clock stands.".into(), "终局，停钟。".into()),
        }
    }
}

impl AtPress {
    /// The infraction that a press with such a board is.
    pub fn infraction(self) -> Option<Infraction> {
        match self {
            AtPress::Complete => None,
            AtPress::NoStone => Some(Infraction::PressBeforeMove),
            AtPress::CapturesLying => Some(Infraction::PressBeforeCapturesCleared),
        }
    }
}

impl Millis {
    /// "5 minutes", "5分钟".
    pub fn text(self) -> Text {
        Text::new(span_en(self.ms()), span_zh(self.ms()))
    }
}
