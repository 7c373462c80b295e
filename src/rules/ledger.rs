//! What became of the infractions of a game: cautions, warnings, cards and stones of each side and player.
//!
//! Enters: [`Case`]s and the referee's [`Decision`]s, in any order. Leaves: where each side stands ([`Standing`]), what
//! enters the count, and what a ruleset proposes for a case after all that was decided before ([`Ledger::propose`]).
//! Only decided cases count. Cases are taken in the order in which they happened, whenever they were decided, so that the
//! standing depends on what was decided and not on when.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Amount, Appeal, Case, Choice, Circumstance, Color, Infraction, Outcome, Penalty, Per, Ruleset, Sanction, Text, Unit,
};

/// What the referee made of an infraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// The proposed verdict stands.
    Accepted,
    /// There was no offence.
    Rejected,
    /// Another verdict.
    Other,
    /// The last decision about it is taken back; what was decided before stands again.
    Withdrawn,
}

/// A decision of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Orders the decisions: the `seq` of the event.
    pub id: u64,
    /// The case.
    pub of: u64,
    pub ruling: Ruling,
    /// The side that did it, where the referee knows better than the case.
    pub by: Option<Color>,
    /// The player, likewise.
    pub player: Option<String>,
    pub circumstance: Option<Circumstance>,
    /// With [`Ruling::Other`]: what takes the place of the proposal; `None`: nothing that counts.
    pub penalty: Option<Penalty>,
    /// What was chosen where the text leaves a choice.
    pub outcome: Option<Outcome>,
}

impl Decision {
    pub fn new(id: u64, of: u64, ruling: Ruling) -> Decision {
        Decision { id, of, ruling, by: None, player: None, circumstance: None, penalty: None, outcome: None }
    }
}

/// What a decided case tipped over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tips {
    /// Yellow cards of one player became a red one.
    YellowsMakeRed,
    /// It was so often this player that a further sanction came on top.
    PlayerRepeated,
    /// The warnings of the game added up to a loss.
    WarningsLose,
}

/// One decided case and what it cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The case.
    pub of: u64,
    pub kind: Infraction,
    /// `None`: nobody knows who did it, and no side is charged.
    pub color: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// The how manieth of its kind by this side, from 1.
    pub times: u32,
    pub penalty: Penalty,
    /// All stones that it cost, those of cards included.
    pub stones: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    pub verdict: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tips: Vec<Tips>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// Why a side has lost by what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The case that decided it.
    pub of: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    pub text: Text,
}

/// Where one player stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlayerStanding {
    pub yellow: u32,
    pub red: u32,
    /// By a red card; the next game is barred too (000 24.3).
    pub sent_off: bool,
    #[serde(skip)]
    times: BTreeMap<Infraction, u32>,
}

/// Where one side stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SideStanding {
    /// 劝告. They cost nothing.
    pub cautions: u32,
    /// 警告.
    pub warnings: u32,
    /// 黄牌.
    pub yellow: u32,
    /// 红牌.
    pub red: u32,
    /// Deliberate fouls (恶意犯规).
    pub fouls: u32,
    /// Turns lost: passes that a verdict imposed.
    pub passes: u32,
    /// Everything that goes off the count, in stones.
    pub stones: Amount,
    /// By name, where decisions name players.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub players: BTreeMap<String, PlayerStanding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
    /// Reported and not yet decided.
    pub undecided: u32,
    #[serde(skip)]
    times: BTreeMap<Infraction, u32>,
    /// Yellow cards of the only player there is.
    #[serde(skip)]
    alone: PlayerStanding,
}

/// Where both sides stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    #[serde(rename = "B")]
    pub black: SideStanding,
    #[serde(rename = "W")]
    pub white: SideStanding,
    /// Decided cases that led to something or named an outcome, in the order in which they happened.
    pub items: Vec<Item>,
}

impl Standing {
    pub fn side(&self, color: Color) -> &SideStanding {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    fn side_mut(&mut self, color: Color) -> &mut SideStanding {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// What each side gives when the game is counted, in `unit`: `[Black, White]`. One stone is two points.
    pub fn penalty(&self, unit: Unit) -> [Amount; 2] {
        [self.black.stones, self.white.stones].map(|stones| match unit {
            Unit::Stones => stones,
            Unit::Points => stones.doubled(),
        })
    }

    /// What the referee last chose for the game as a whole: draw, replay, both lose, no result.
    pub fn outcome(&self) -> Option<Outcome> {
        let whole = |o: &Outcome| matches!(o, Outcome::Draw | Outcome::Replay | Outcome::BothLose | Outcome::NoResult);
        self.items.iter().rev().filter_map(|i| i.outcome).find(whole)
    }

    /// Nothing was charged to anybody and nothing waits.
    pub fn is_clean(&self) -> bool {
        [&self.black, &self.white].into_iter().all(|s| *s == SideStanding::default()) && self.items.is_empty()
    }
}

/// What a ruleset proposes for a case, all that was decided before included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub article: Option<String>,
    pub verdict: Text,
    pub penalty: Penalty,
    /// All stones that it would cost, those of cards included.
    pub stones: Amount,
    /// The how manieth of its kind by this side.
    pub times: u32,
    pub tips: Vec<Tips>,
    /// What players or referee choose between.
    pub choices: Vec<Choice>,
    pub appeal: Appeal,
}

/// The cases of a game and what was decided about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    cases: BTreeMap<u64, Case>,
    decisions: BTreeMap<u64, Decision>,
}

impl Ledger {
    /// Takes a case in; one of the same number is replaced.
    pub fn report(&mut self, case: Case) {
        self.cases.insert(case.id, case);
    }

    /// Takes a decision in, also on a case that is not known (yet).
    pub fn decide(&mut self, decision: Decision) {
        self.decisions.insert(decision.id, decision);
    }

    /// As if the decision of that number had never been.
    pub fn undo(&mut self, decision: u64) -> Option<Decision> {
        self.decisions.remove(&decision)
    }

    /// In the order in which they happened.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.values()
    }

    pub fn case(&self, id: u64) -> Option<&Case> {
        self.cases.get(&id)
    }

    /// The decision that stands on a case.
    pub fn decision(&self, of: u64) -> Option<&Decision> {
        let mut standing = Vec::new();
        for decision in self.decisions.values().filter(|d| d.of == of) {
            match decision.ruling {
                Ruling::Withdrawn => {
                    standing.pop();
                }
                _ => standing.push(decision),
            }
        }
        standing.pop()
    }

    /// Where both sides stand under `rules`.
    pub fn standing(&self, rules: &Ruleset) -> Standing {
        let mut standing = Standing::default();
        for case in self.cases.values() {
            match self.decision(case.id) {
                Some(decision) => standing.charge(rules, case, decision),
                None => {
                    if let Some(color) = case.by {
                        standing.side_mut(color).undecided += 1;
                    }
                }
            }
        }
        standing
    }

    /// What `rules` propose for `case`: what accepting it would lead to now. The case itself need not be in the ledger.
    pub fn propose(&self, rules: &Ruleset, case: &Case) -> Proposal {
        let mut ledger = self.clone();
        ledger.decisions.retain(|_, d| d.of != case.id);
        ledger.report(case.clone());
        ledger.decide(Decision::new(u64::MAX, case.id, Ruling::Accepted));
        let items = ledger.standing(rules).items;
        let rule = rules.rule(case.kind());
        let item = items.into_iter().find(|i| i.of == case.id);
        let (choices, appeal) = (rule.choices.clone(), rule.appeal);
        match item {
            Some(i) => Proposal {
                article: i.article,
                verdict: i.verdict,
                penalty: i.penalty,
                stones: i.stones,
                times: i.times,
                tips: i.tips,
                choices,
                appeal,
            },
            // an accepted case always has an item
            None => Proposal {
                article: rule.cited().map(str::to_owned),
                verdict: rule.verdict.clone(),
                penalty: rule.penalty,
                stones: rule.penalty.stones,
                times: 1,
                tips: Vec::new(),
                choices,
                appeal,
            },
        }
    }
}

impl Standing {
    /// Charges a decided case.
    fn charge(&mut self, rules: &Ruleset, case: &Case, decision: &Decision) {
        let kind = case.kind();
        let rule = rules.rule(kind);
        let color = decision.by.or(case.by);
        let player = decision.player.clone().or_else(|| case.player.clone()).filter(|p| !p.is_empty());
        let mut item = Item {
            of: case.id,
            kind,
            color,
            player: player.clone(),
            times: 1,
            penalty: Penalty::of(Sanction::None),
            stones: Amount::ZERO,
            article: rule.cited().map(str::to_owned),
            verdict: rule.verdict.clone(),
            tips: Vec::new(),
            outcome: decision.outcome,
        };
        // a side whose only player sits here needs no name
        let alone = rules.players == 1 && player.is_none();
        let mut extra = None;
        match decision.ruling {
            Ruling::Rejected | Ruling::Withdrawn => return,
            Ruling::Other => {
                match decision.penalty {
                    Some(penalty) => item.penalty = penalty,
                    None if decision.outcome.is_none() => return,
                    None => {}
                }
                item.verdict = other_verdict(item.penalty, decision.outcome);
                if item.penalty != Penalty::of(Sanction::None)
                    && let Some(color) = color
                {
                    item.times = self.side_mut(color).count(kind, player.as_deref(), alone).0;
                }
            }
            Ruling::Accepted => {
                item.penalty = rule.penalty;
                let (times, times_of_player) = match color {
                    Some(color) => self.side_mut(color).count(kind, player.as_deref(), alone),
                    None => (1, 1),
                };
                item.times = times;
                if let Some(special) = decision.circumstance.or(case.circumstance).and_then(|c| rule.special(c)) {
                    item.penalty.sanction = special.penalty;
                    item.verdict = special.verdict.clone();
                    item.article = special.article.clone().or(item.article);
                } else {
                    if let Some(step) = rule.step(Per::Side, times) {
                        item.penalty.sanction = step.penalty;
                        item.penalty.stones = step.stones;
                        item.penalty.foul = step.foul;
                        item.verdict = step.verdict.clone();
                        item.article = step.article.clone().or(item.article);
                    }
                    extra = rule.step(Per::Player, times_of_player);
                }
                // "caution or warning": the referee's choice is the sanction
                match decision.outcome {
                    Some(Outcome::Caution) => item.penalty.sanction = Sanction::Caution,
                    Some(Outcome::Warning) => item.penalty.sanction = Sanction::Warning,
                    _ => {}
                }
            }
        }
        for _ in 0..case.facts.times() {
            item.stones += item.penalty.stones;
        }
        item.stones = item.stones.max(Amount::ZERO);
        if let Some(color) = color {
            let side = self.side_mut(color);
            side.passes += u32::from(item.penalty.pass);
            side.fouls += u32::from(item.penalty.foul);
            side.sanction(rules, item.penalty.sanction, &mut item, alone);
            if let Some(step) = extra {
                item.tips.push(Tips::PlayerRepeated);
                item.stones += step.stones;
                add(&mut item.verdict, &step.verdict);
                side.fouls += u32::from(step.foul);
                side.sanction(rules, step.penalty, &mut item, alone);
            }
            side.stones += item.stones;
        }
        self.items.push(item);
    }
}

impl SideStanding {
    /// What the side has been charged with, in a few words; `None`: nothing.
    pub fn words(&self) -> Option<Text> {
        let mut said = Text::default();
        for (n, one, many, zh) in [
            (self.cautions, "caution", "cautions", "劝告"),
            (self.warnings, "warning", "warnings", "警告"),
            (self.yellow, "yellow card", "yellow cards", "黄牌"),
            (self.red, "red card", "red cards", "红牌"),
            (self.fouls, "deliberate foul", "deliberate fouls", "恶意犯规"),
            (self.passes, "turn lost", "turns lost", "弃权"),
        ] {
            if n > 0 {
                let en = if n == 1 { one } else { many };
                add_with(&mut said, &Text::new(format!("{n} {en}"), format!("{zh}{n}次")), [", ", "，"]);
            }
        }
        if self.stones > Amount::ZERO {
            let stones = Text::new(format!("{} off the count", stones(self.stones)), format!("共罚{}子", self.stones));
            add_with(&mut said, &stones, [", ", "，"]);
        }
        if let Some(lost) = &self.lost {
            let lost = Text::new(format!("loses: {}", lost.text.en), format!("判负：{}", lost.text.zh));
            add_with(&mut said, &lost, ["; ", "；"]);
        }
        (!said.en.is_empty()).then_some(said)
    }

    /// One more of its kind: the how manieth of the side and of the player.
    fn count(&mut self, kind: Infraction, player: Option<&str>, alone: bool) -> (u32, u32) {
        let count = |times: &mut BTreeMap<Infraction, u32>| {
            let n = times.entry(kind).or_default();
            *n += 1;
            *n
        };
        let side = count(&mut self.times);
        match player {
            Some(name) => (side, count(&mut self.players.entry(name.to_owned()).or_default().times)),
            None if alone => (side, side),
            None => (side, 1),
        }
    }

    /// The player of an item, where one is known.
    fn player(&mut self, item: &Item, alone: bool) -> Option<&mut PlayerStanding> {
        match &item.player {
            Some(name) => Some(self.players.entry(name.clone()).or_default()),
            None => alone.then_some(&mut self.alone),
        }
    }

    fn sanction(&mut self, rules: &Ruleset, sanction: Sanction, item: &mut Item, alone: bool) {
        match sanction {
            Sanction::None | Sanction::Referee | Sanction::Stones => {}
            Sanction::Caution => self.cautions += 1,
            Sanction::Warning => {
                self.warnings += 1;
                if let Some(warnings) = rules.warnings.as_ref().filter(|w| self.warnings >= u32::from(w.lose_at)) {
                    item.tips.push(Tips::WarningsLose);
                    add(&mut item.verdict, &warnings.verdict);
                    self.lose(Lost {
                        of: item.of,
                        article: Some(warnings.article.clone()),
                        text: warnings.verdict.clone(),
                    });
                }
            }
            Sanction::Yellow => {
                self.yellow += 1;
                let cards = rules.cards.as_ref();
                item.stones += cards.map_or(Amount::ZERO, |c| c.yellow);
                let Some(player) = self.player(item, alone) else { return };
                player.yellow += 1;
                let yellows = player.yellow;
                if let Some(cards) = cards.filter(|c| yellows % u32::from(c.yellows_for_red) == 0) {
                    item.tips.push(Tips::YellowsMakeRed);
                    add(&mut item.verdict, &cards.two_yellows);
                    self.red_card(rules, item, alone);
                }
            }
            Sanction::Red => self.red_card(rules, item, alone),
            Sanction::Loss => {
                let lost = Lost { of: item.of, article: item.article.clone(), text: item.verdict.clone() };
                self.lose(lost);
            }
        }
    }

    fn red_card(&mut self, rules: &Ruleset, item: &mut Item, alone: bool) {
        self.red += 1;
        item.stones += rules.cards.as_ref().map_or(Amount::ZERO, |c| c.red);
        if let Some(player) = self.player(item, alone) {
            player.red += 1;
            player.sent_off = true;
        }
    }

    /// The first reason stands.
    fn lose(&mut self, lost: Lost) {
        self.lost.get_or_insert(lost);
    }
}

/// `1 stone`, `2 1/2 stones`.
fn stones(amount: Amount) -> String {
    let one = amount > Amount::ZERO && amount <= Amount::whole(1);
    format!("{amount} {}", if one { "stone" } else { "stones" })
}

/// What a verdict of the referee's own comes to, in words.
pub fn other_verdict(penalty: Penalty, outcome: Option<Outcome>) -> Text {
    let mut said = Text::default();
    if let Some(outcome) = outcome {
        add(&mut said, &outcome.name());
    }
    if !matches!(penalty.sanction, Sanction::None | Sanction::Stones) {
        add(&mut said, &penalty.sanction.name());
    }
    if penalty.stones > Amount::ZERO {
        add(&mut said, &Text::new(stones(penalty.stones), format!("罚{}子", penalty.stones)));
    }
    if penalty.pass {
        add(&mut said, &Text::new("a pass", "弃权一次"));
    }
    if said.en.is_empty() {
        said = Text::new("nothing that counts", "不计处罚");
    }
    said
}

/// One sentence after another.
fn add(text: &mut Text, more: &Text) {
    add_with(text, more, ["; ", "；"]);
}

fn add_with(text: &mut Text, more: &Text, [en, zh]: [&str; 2]) {
    for (said, more, sep) in [(&mut text.en, &more.en, en), (&mut text.zh, &more.zh, zh)] {
        if !said.is_empty() {
            said.push_str(sep);
        }
        said.push_str(more);
    }
}
