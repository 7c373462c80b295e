//! Sentences about events, for referees, operators and pages.

use super::{Event, EventKind, Restore, RestoreTo, Spot};
use crate::rules::{Circumstance, Color, Point, RepetitionKind, Text};

/// So many points are named one by one; of more, their number is said.
const NAMED_POINTS: usize = 8;

/// What happened, and what to do, in one or two sentences. `size` is the board's, for the names of points (`Q16`).
pub fn describe(event: &Event, size: u8) -> Text {
    let words = Words { event, size };
    let mut text = words.what();
    if event.kind.is_infraction() && event.circumstance == Some(Circumstance::DuringBreak) {
        text = Text::new(format!("During the break: {}", text.en), format!("休息期间：{}", text.zh));
    }
    if event.kind.is_infraction() || event.kind == EventKind::Unexplained {
        text = text.then(words.restore());
    }
    if event.kind.is_infraction()
        && let Some(article) = &event.article
    {
        text.en.push_str(&format!(" ({article})"));
        text.zh.push_str(&format!("（{article}）"));
    }
    text
}

impl Text {
    /// Both sentences, one after the other.
    fn then(mut self, next: Option<Text>) -> Text {
        if let Some(next) = next {
            self.en.push(' ');
            self.en.push_str(&next.en);
            self.zh.push_str(&next.zh);
        }
        self
    }
}

struct Words<'a> {
    event: &'a Event,
    size: u8,
}

impl Words<'_> {
    /// The side, or a player, where it is not known which.
    fn who(&self) -> (&'static str, &'static str) {
        side(self.event.color)
    }

    /// ` at Q16`, `Q16`; empty without a point.
    fn at(&self) -> (String, String) {
        match self.event.point {
            Some(p) => (format!(" at {}", p.name(self.size)), p.name(self.size)),
            None => (String::new(), String::new()),
        }
    }

    /// `Q16, R16 and S16`, or `23 points`.
    fn list(&self, names: Vec<String>) -> (String, String) {
        if names.len() > NAMED_POINTS {
            return (format!("{} points", names.len()), format!("{}处", names.len()));
        }
        let zh = names.join("、");
        let en = match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{} and {last}", before.join(", ")),
            None => String::new(),
        };
        (en, zh)
    }

    fn spots(&self) -> (String, String) {
        self.list(self.event.points.iter().map(|&s| spot_name(s, self.size)).collect())
    }

    fn captured(&self) -> (String, String) {
        let taken = self.event.captured.as_deref().unwrap_or_default();
        self.list(taken.iter().map(|p| p.name(self.size)).collect())
    }

    /// `Move 47: `, `第47手：`; empty without a number.
    fn number(&self) -> (String, String) {
        match self.event.move_number {
            Some(n) => (format!("Move {n}: "), format!("第{n}手：")),
            None => (String::new(), String::new()),
        }
    }

    /// ` #12`, `第12号`: the event referred to.
    fn of(&self) -> (String, String) {
        match self.event.of {
            Some(of) => (format!(" #{of}"), format!("第{of}号")),
            None => (String::new(), String::new()),
        }
    }

    /// What the referee's words were, if the event carries them.
    fn given(&self) -> Option<&Text> {
        self.event.text.as_ref().or(self.event.verdict.as_ref())
    }

    fn what(&self) -> Text {
        use EventKind::*;
        let (who, who_zh) = self.who();
        let (at, at_zh) = self.at();
        let (spots, spots_zh) = self.spots();
        let (of, of_zh) = self.of();
        let (number, number_zh) = self.number();
        let has_points = !self.event.points.is_empty();
        match self.event.kind {
            PositionAdopted => {
                let stones = |c| self.event.board.iter().flatten().flat_map(|r| r.chars()).filter(|&l| l == c).count();
                let (black, white) = (stones('B'), stones('W'));
                let turn = self.event.turn;
                let text = Text::new(
                    format!("The position on the board was taken over: {black} black and {white} white stones."),
                    format!("采用盘面局面：黑{black}子，白{white}子。"),
                );
                text.then(turn.map(|t| {
                    Text::new(format!("{} to play.", side(Some(t)).0), format!("轮{}着子。", side(Some(t)).1))
                }))
            }
            Move => {
                let (en, zh) = self.captured();
                let taken = self.event.captured.as_ref().map_or(0, Vec::len);
                let point = self.event.point.map(|p| p.name(self.size)).unwrap_or_default();
                let name = self.event.name.as_ref();
                let (called, called_zh) =
                    name.map_or_else(Default::default, |n| (format!(", {}", n.en), format!("，{}", n.zh)));
                let text = Text::new(
                    format!("{number}{who} {point}{called}."),
                    format!("{number_zh}{who_zh}{point}{called_zh}。"),
                );
                text.then((taken > 0).then(|| Text::new(format!("Takes {en}."), format!("提{zh}。"))))
            }
            CapturesCleared => {
                let (en, zh) = if has_points { (spots, spots_zh) } else { self.captured() };
                let en =
                    if en.is_empty() { "The captured stones".to_owned() } else { format!("The captured stones {en}") };
                Text::new(format!("{en} are off the board."), format!("被提之子{zh}已提清。"))
            }
            Pass => Text::new(format!("{number}{who} passes."), format!("{number_zh}{who_zh}虚着（弃权）。")),
            Corrected => match self.event.point {
                Some(p) => Text::new(
                    format!("Record corrected{of}: {number}{who} {}.", p.name(self.size)),
                    format!("记录更正{of_zh}：{number_zh}{who_zh}{}。", p.name(self.size)),
                ),
                None => Text::new(format!("Record corrected{of}."), format!("记录更正{of_zh}。")),
            },
            Unexplained => {
                let (en, zh) =
                    if has_points { (format!(": {spots}"), format!("：{spots_zh}")) } else { Default::default() };
                Text::new(
                    format!("The board cannot be explained by the record{en}. Please say what happened."),
                    format!("盘面与记录不符{zh}。请操作员说明。"),
                )
            }
            BreakBegun => Text::new(
                "A break begins: play stands still. What then lies otherwise is told when play goes on.",
                "休息开始，对局暂停。盘面如有变动，续弈时报告。",
            ),
            PlayResumed => Text::new("The break is over: play goes on.", "休息结束，续弈。"),
            DoubleMove => Text::new(
                format!("{who} played twice in a row: the second stone{at} is not its turn."),
                format!("{who_zh}连下两着：第二着{at_zh}不轮其着子。"),
            ),
            Takeback => {
                let (en, zh) = match self.event.points.as_slice() {
                    [from, to, ..] => {
                        let (from, to) = (spot_name(*from, self.size), spot_name(*to, self.size));
                        (format!(" from {from} to {to}"), format!("由{from}改下{to}"))
                    }
                    [from] => (
                        format!(" from {}", spot_name(*from, self.size)),
                        format!("提起{}", spot_name(*from, self.size)),
                    ),
                    [] => (at.clone(), at_zh.clone()),
                };
                Text::new(format!("{who} took a released stone back{en}."), format!("{who_zh}悔棋：棋子离手后{zh}。"))
            }
            DroppedStone => {
                let (en, zh) = if has_points { (format!(" at {spots}"), spots_zh) } else { (at, at_zh) };
                Text::new(
                    format!("A stone fell on the board{en} and was picked up ({who})."),
                    format!("棋子掉落在{zh}又拣起（{who_zh}）。"),
                )
            }
            DisplacedStone => match self.event.points.as_slice() {
                [from, to] => {
                    let (from, to) = (spot_name(*from, self.size), spot_name(*to, self.size));
                    Text::new(
                        format!("A stone moved from {from} to {to} without a move."),
                        format!("棋子移动：由{from}移到{to}，并非着子。"),
                    )
                }
                [added] if matches!(self.event.restore.as_slice(), [r] if r.be == RestoreTo::Empty) => {
                    let added = spot_name(*added, self.size);
                    Text::new(
                        format!("A stone lies at {added} that nobody played."),
                        format!("{added}多出一子，并非着子。"),
                    )
                }
                [gone] => {
                    let gone = spot_name(*gone, self.size);
                    Text::new(format!("The stone {gone} is no longer in its place."), format!("{gone}之子已不在原处。"))
                }
                _ => Text::new(
                    format!("Stones moved without a move: {spots}."),
                    format!("棋子移动，并非着子：{spots_zh}。"),
                ),
            },
            StoneOffPoint => {
                let (en, zh) =
                    if self.event.point.is_some() { (at, at_zh) } else { (format!(" at {spots}"), spots_zh) };
                Text::new(
                    format!("The stone{en} lies beside its point: please set it right."),
                    format!("{zh}之子未放正，请摆正。"),
                )
            }
            MissedCapture => Text::new(
                format!("Stones without liberties still lie on the board: {spots}."),
                format!("无气之子未提：{spots_zh}。"),
            ),
            WrongRemoval => Text::new(
                format!("Stones that have liberties were taken off: {spots}."),
                format!("误提有气之子：{spots_zh}。"),
            ),
            KoViolation => {
                Text::new(format!("{who} retook the ko at once{at}."), format!("{who_zh}立即回提劫{at_zh}。"))
            }
            Superko => {
                let (en, zh) = match self.event.move_number {
                    Some(n) => (format!(" (move {n})"), format!("（第{n}手）")),
                    None => Default::default(),
                };
                let (named, named_zh) = match self.event.repetition {
                    Some(r) => {
                        let since = match r.since {
                            0 => ("as at the start".to_owned(), "与开局时同形".to_owned()),
                            n => (format!("as after move {n}"), format!("与第{n}手后同形")),
                        };
                        let kind = r.kind.text();
                        let named = (r.kind != RepetitionKind::Other).then_some(kind);
                        let colon = named.map(|k| (format!(": {}", k.en), format!("，{}", k.zh))).unwrap_or_default();
                        (format!(", {}{}", since.0, colon.0), format!("，{}{}", since.1, colon.1))
                    }
                    None => Default::default(),
                };
                Text::new(
                    format!("{who}'s stone{at} repeats an earlier position of the whole board{en}{named}."),
                    format!("{who_zh}{at_zh}造成全局同形再现{zh}{named_zh}。"),
                )
            }
            Suicide => Text::new(
                format!("{who} played on a forbidden point{at}: no liberty and nothing taken."),
                format!("{who_zh}下在禁着点{at_zh}。"),
            ),
            WrongFirstColour => Text::new(
                format!("The first stone{at} is of the wrong colour ({who})."),
                format!("开局拿错黑白棋：首着{at_zh}为{who_zh}之子。"),
            ),
            Scattered => {
                let n = self.event.points.len().max(self.event.restore.len());
                Text::new(
                    format!("The board is scattered: {n} points differ from the record."),
                    format!("棋局散乱：{n}处与记录不符。"),
                )
            }
            SeatOrder => Text::new(
                format!("{number}{who} played from the wrong seat{at}."),
                format!("{number_zh}{who_zh}行棋次序错误（{at_zh}）。"),
            ),
            SectionOverrun => Text::new(
                format!("{number}{who} played on after the section's last move{at}."),
                format!("{number_zh}{who_zh}超过本节规定手数（{at_zh}）。"),
            ),
            PressBeforeMove => {
                Text::new(format!("{who} pressed the clock before playing a stone."), format!("{who_zh}着子之前按钟。"))
            }
            PressBeforeCapturesCleared => {
                let (en, zh) =
                    if has_points { (format!(": {spots}"), format!("：{spots_zh}")) } else { Default::default() };
                Text::new(
                    format!("{who} pressed the clock before all captured stones were off{en}."),
                    format!("{who_zh}未提清死子即按钟{zh}。"),
                )
            }
            WrongClockPressed => Text::new(format!("{who} pressed the wrong clock."), format!("{who_zh}按错计时钟。")),
            TimeOverrun => {
                Text::new(format!("{who} overran the last byo-yomi period."), format!("{who_zh}最后一次读秒超时。"))
            }
            Repaired => Text::new(format!("The board is right again{of}."), format!("盘面已恢复{of_zh}。")),
            Decision => match self.given() {
                Some(text) => Text::new(format!("Decision{of}: {}", text.en), format!("裁决{of_zh}：{}", text.zh)),
                None => Text::new(format!("The referee decided{of}."), format!("裁判员已裁决{of_zh}。")),
            },
            ClockCall => Text::new("A call at the clock.", "读秒。"),
            ClockStopped => Text::new("The clock stands.", "已停钟。"),
            ClockResumed => Text::new(format!("The clock runs again: {who}."), format!("恢复走时：{who_zh}。")),
            ClockSet => Text::new("The clock was set.", "已重新设定棋钟。"),
            BoardFound => {
                Text::new(format!("Board of {0} × {0} found.", self.size), format!("已找到棋盘（{}路）。", self.size))
            }
            BoardLost => {
                Text::new("The board is no longer seen: please check the camera.", "看不到棋盘，请检查摄像机。")
            }
            CameraMoved => Text::new("The camera moved.", "摄像机移动。"),
            BoardMoved => Text::new("The board was moved on the table.", "棋盘在桌上移动。"),
            LightChanged => Text::new("The light changed.", "光线变化。"),
            Obstructed => Text::new("Something covers the board.", "棋盘被遮挡。"),
            SourceLost => self.because("No pictures from the camera", "摄像机画面中断"),
            SourceBack => Text::new("The camera is back.", "摄像机画面恢复。"),
            EndAgreedSignal if self.event.color.is_none() => {
                Text::new("Both sides agree that the game is over.", "双方同意终局。")
            }
            EndAgreedSignal => {
                Text::new(format!("{who} signals agreement that the game is over."), format!("{who_zh}示意同意终局。"))
            }
            ResignSignal => Text::new(format!("{who} signals resignation."), format!("{who_zh}示意认输。")),
            TwoPasses => Text::new("Two passes in a row: the game is over.", "双方连续虚着，终局。"),
            BoardCleared => Text::new("The board was cleared.", "盘面已清空。"),
            Result => match (self.given(), self.event.color) {
                (Some(text), _) => Text::new(format!("Result: {}", text.en), format!("结果：{}", text.zh)),
                (None, Some(_)) => Text::new(format!("Result: {who} wins."), format!("结果：{who_zh}胜。")),
                (None, None) => Text::new("Result: no winner.", "结果：无胜方。"),
            },
            SinkDegraded => self.because("An output is in trouble", "输出故障"),
            SinkRestored => self.because("An output works again", "输出恢复"),
        }
    }

    /// A sentence with the event's own words as the reason.
    fn because(&self, en: &str, zh: &str) -> Text {
        match &self.event.text {
            // already a sentence of this kind
            Some(said) if said.en.starts_with(en) => said.clone(),
            Some(reason) => Text::new(format!("{en}: {}", reason.en), format!("{zh}：{}", reason.zh)),
            None => Text::new(format!("{en}."), format!("{zh}。")),
        }
    }

    /// What makes the board right again.
    fn restore(&self) -> Option<Text> {
        let steps = &self.event.restore;
        if steps.is_empty() {
            return None;
        }
        let points = |be: RestoreTo| -> Vec<String> {
            steps.iter().filter(|r: &&Restore| r.be == be).map(|r| r.at.name(self.size)).collect()
        };
        let mut en = Vec::new();
        let mut zh = Vec::new();
        for (be, do_en, do_zh) in [
            (RestoreTo::Empty, "take off", "取走"),
            (RestoreTo::Black, "black on", "放黑子"),
            (RestoreTo::White, "white on", "放白子"),
        ] {
            let names = points(be);
            if !names.is_empty() {
                let (list_en, list_zh) = self.list(names);
                en.push(format!("{do_en} {list_en}"));
                zh.push(format!("{do_zh}{list_zh}"));
            }
        }
        Some(Text::new(format!("To restore: {}.", en.join("; ")), format!("复原：{}。", zh.join("；"))))
    }
}

fn side(color: Option<Color>) -> (&'static str, &'static str) {
    match color {
        Some(Color::Black) => ("Black", "黑方"),
        Some(Color::White) => ("White", "白方"),
        None => ("A player", "一方"),
    }
}

/// The crossing, or the nearest one with a word that it lies beside it.
fn spot_name(spot: Spot, size: u8) -> String {
    if let Some(p) = spot.point().filter(|p| p.row < size && p.col < size) {
        return p.name(size);
    }
    let last = f64::from(size.saturating_sub(1));
    let near = |x: f64| x.round().clamp(0.0, last) as u8;
    format!("~{}", Point::new(near(spot.row), near(spot.col)).name(size))
}
