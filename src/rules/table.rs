//! The rulesets as tables for `docs/rules.md` and `docs/rules.zh.md`: what a referee looks up.

use std::fmt::Write as _;

use super::{
    Circumstance, Color, Counting, HandicapReturn, Infraction, InfractionRule, Outcome, Penalty, Per, Provision,
    RepetitionKind, RepetitionPolicy, Ruleset, Sanction, Side, Source, Suicide, Text, Unit,
};

/// Markdown in English: the rulesets side by side, an overview of the infractions, then a table for each of them.
pub fn markdown(rulesets: &[Ruleset]) -> String {
    Page { rulesets, chinese: false, out: String::new() }.write()
}

/// The same in Chinese.
pub fn markdown_zh(rulesets: &[Ruleset]) -> String {
    Page { rulesets, chinese: true, out: String::new() }.write()
}

struct Page<'a> {
    rulesets: &'a [Ruleset],
    chinese: bool,
    out: String,
}

impl Page<'_> {
    fn write(mut self) -> String {
        self.compare();
        self.repetitions();
        self.discipline();
        self.provisions();
        self.overview();
        for kind in Infraction::ALL {
            self.infraction(kind);
        }
        self.out
    }

    /// One of two words.
    fn say(&self, en: &'static str, zh: &'static str) -> &'static str {
        if self.chinese { zh } else { en }
    }

    fn pick<'t>(&self, text: &'t Text) -> &'t str {
        if self.chinese { &text.zh } else { &text.en }
    }

    fn named(&self, text: Text) -> String {
        if self.chinese { text.zh } else { text.en }
    }

    fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.out, "| {} |", cells.join(" | "));
    }

    /// A head line and the line beneath it.
    fn head(&mut self, cells: &[&str]) {
        self.row(&cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
        self.row(&vec!["---".to_owned(); cells.len()]);
    }

    fn title(&mut self, en: &'static str, zh: &'static str) {
        let title = self.say(en, zh);
        let _ = write!(self.out, "\n### {title}\n\n");
    }

    /// In brackets.
    fn from(&self, article: &Option<String>) -> String {
        match (article, self.chinese) {
            (Some(article), false) => format!(" ({article})"),
            (Some(article), true) => format!("（{article}）"),
            (None, _) => String::new(),
        }
    }

    /// The rulesets side by side.
    fn compare(&mut self) {
        if self.chinese {
            self.head(&["id", "名称", "文件", "先行", "贴子", "计算", "让子", "警告与牌", "自杀", "同形再现"]);
        } else {
            self.head(&[
                "id",
                "name",
                "documents",
                "first",
                "komi",
                "counting",
                "handicap",
                "warnings and cards",
                "suicide",
                "repetition",
            ]);
        }
        for r in self.rulesets {
            let cells = [
                format!("`{}`", r.id),
                format!("{}, {}", r.name.en, r.name.zh),
                r.documents.join(", "),
                self.side(r.first).to_owned(),
                self.komi(r),
                self.counting(r),
                match r.handicap.returned {
                    HandicapReturn::None => self.say("nothing returned", "不贴还"),
                    HandicapReturn::Half => self.say("half returned", "贴还一半"),
                }
                .to_owned(),
                self.adding_up(r),
                match r.suicide {
                    Suicide::Forbidden => self.say("forbidden", "禁止"),
                    Suicide::Allowed => self.say("allowed", "允许"),
                }
                .to_owned(),
                self.repetition(r).to_owned(),
            ];
            self.row(&cells);
        }
    }

    fn side(&self, color: Color) -> &'static str {
        match color {
            Color::Black => self.say("Black", "黑"),
            Color::White => self.say("White", "白"),
        }
    }

    fn komi(&self, r: &Ruleset) -> String {
        match (r.komi.amount.in_quarters(), r.komi.unit) {
            (0, _) => self.say("none", "无").to_owned(),
            (_, Unit::Stones) => format!("{} {}", r.komi.amount, self.say("stones", "子")),
            (_, Unit::Points) => format!("{} {}", r.komi.amount, self.say("points", "目")),
        }
    }

    fn counting(&self, r: &Ruleset) -> String {
        let method = match r.counting.method {
            Counting::Area => self.say("area", "归本数子"),
            Counting::AreaLessGroups => self.say("area less a stone a group", "归本数子，还棋头"),
            Counting::Fill => self.say("filling with equal numbers of stones", "填满计数"),
            Counting::Equal => self.say("equal stones, then empty points", "等子比空法一"),
            Counting::EqualMoves => self.say("equal moves, then empty points", "等子比空法二"),
            Counting::Territory => self.say("territory and prisoners", "数目"),
        };
        match (r.counting.draw, r.counting.draw_goes_to) {
            (true, _) => format!("{method}{}", self.say(", may be drawn", "，可和棋")),
            (false, Some(Side::Black)) => format!("{method}{}", self.say(", Black wins a draw", "，和棋判黑胜")),
            (false, Some(Side::White)) => format!("{method}{}", self.say(", White wins a draw", "，和棋判白胜")),
            (false, None) => method.to_owned(),
        }
    }

    fn adding_up(&self, r: &Ruleset) -> String {
        let mut parts = Vec::new();
        if let Some(w) = &r.warnings {
            parts.push(match self.chinese {
                false => format!("{} warnings lose", w.lose_at),
                true => format!("警告{}次判负", w.lose_at),
            });
        }
        if let Some(c) = &r.cards {
            parts.push(match self.chinese {
                false => {
                    format!("yellow {} stone, red {} stones, {} yellow make a red", c.yellow, c.red, c.yellows_for_red)
                }
                true => format!("黄牌罚{}子，红牌罚{}子，{}黄变红", c.yellow, c.red, c.yellows_for_red),
            });
        }
        if parts.is_empty() { "–".to_owned() } else { parts.join("; ") }
    }

    /// In a few words; the kinds have a table of their own.
    fn repetition(&self, r: &Ruleset) -> &'static str {
        let allowed = |kind, at_once| r.repetition.rule(kind, at_once).policy == RepetitionPolicy::Allowed;
        match (allowed(RepetitionKind::SingleKo, true), allowed(RepetitionKind::Other, false)) {
            (false, false) => self.say("no whole-board repetition", "禁止全局同形"),
            (false, true) => self.say("no immediate ko", "禁止立即回提"),
            (true, _) => self.say("allowed", "允许"),
        }
    }

    /// What each ruleset says of each kind of repetition.
    fn repetitions(&mut self) {
        self.title("Kinds of repetition", "同形再现的种类");
        let ids: Vec<String> = self.rulesets.iter().map(|r| format!("`{}`", r.id)).collect();
        let mut head = vec![self.say("kind", "种类")];
        head.extend(ids.iter().map(String::as_str));
        self.head(&head);
        let Some(first) = self.rulesets.first() else { return };
        for (row, (key, kind, _)) in first.repetition.iter().enumerate() {
            let Text { en, zh } = kind.text();
            let later = key.ends_with("_later");
            let mut cells = vec![match self.chinese {
                false => format!("`{key}` {en}{}, {zh}", if later { ", not at once" } else { "" }),
                true => format!("`{key}` {zh}{}", if later { "，非立即" } else { "" }),
            }];
            for r in self.rulesets {
                let Some((_, _, rule)) = r.repetition.iter().nth(row) else { continue };
                let from = match (&rule.article, rule.source) {
                    (Some(article), Source::Document) => article.clone(),
                    (Some(article), other) => format!("{article}, {}", self.named(other.name())),
                    (None, other) => self.named(other.name()),
                };
                let note = rule.note.as_ref().map(|n| format!(" {n}")).unwrap_or_default();
                cells.push(match self.chinese {
                    false => format!("{} ({from}).{note}", rule.policy.text().en),
                    true => format!("{}（{from}）。{note}", rule.policy.text().zh),
                });
            }
            self.row(&cells);
        }
    }

    /// Cards, warnings, and how they add up.
    fn discipline(&mut self) {
        self.title("Cautions, warnings, cards", "劝告、警告、黄牌、红牌");
        let rows: Vec<(String, Vec<String>)> = self
            .rulesets
            .iter()
            .map(|r| {
                let mut parts = Vec::new();
                if let Some(w) = &r.warnings {
                    parts.push(self.pick(&w.verdict).to_owned());
                }
                if let Some(c) = &r.cards {
                    parts.push(match self.chinese {
                        false => format!("yellow card: {} stone; red card: {} stones ({})", c.yellow, c.red, c.article),
                        true => format!("黄牌每次罚{}子，红牌每次罚{}子（{}）", c.yellow, c.red, c.article),
                    });
                    for text in [&c.two_yellows, &c.sent_off, &c.no_substitution, &c.nobody_left] {
                        parts.push(self.pick(text).to_owned());
                    }
                }
                (format!("`{}`", r.id), parts)
            })
            .collect();
        let caution = self.say(
            "A caution (劝告) costs nothing and is recorded. A warning (警告) and a card are counted.\n\n",
            "劝告不罚子，但须记录；警告与黄牌、红牌累计。\n\n",
        );
        self.out.push_str(caution);
        for (id, parts) in rows {
            let said = if parts.is_empty() {
                self.say("the documents name neither", "文件未作规定").to_owned()
            } else {
                parts.join(self.say(". ", "。"))
            };
            let _ = writeln!(self.out, "* {id}: {said}{}", self.say(".", "。"));
        }
    }

    /// Who has which colour, kinds of games, endings, lateness.
    fn provisions(&mut self) {
        self.title("Colours, kinds of games, endings, lateness", "先后手、对局种类、终局、迟到");
        for r in self.rulesets {
            let _ = write!(self.out, "**`{}`**\n\n", r.id);
            let by: Vec<String> = r.colours.by.iter().map(|b| self.named(b.name())).collect();
            let line = format!(
                "* {}: {}. {}{}",
                self.say("Who plays Black", "先后手"),
                by.join(self.say(" or ", "或")),
                self.pick(&r.colours.text),
                self.from(&r.colours.article)
            );
            let _ = writeln!(self.out, "{line}{}", self.say(".", "。"));
            for g in &r.games {
                let first = self.side(if g.first == Side::Black { Color::Black } else { Color::White });
                let komi = match (g.komi, self.chinese) {
                    (true, false) => "komi",
                    (false, false) => "no komi",
                    (true, true) => "贴子",
                    (false, true) => "不贴子",
                };
                let stones = g.stones.map(|[a, b]| match self.chinese {
                    false => format!(", {a} to {b} stones"),
                    true => format!("，{a}至{b}子"),
                });
                let line = match self.chinese {
                    false => format!(
                        "* `{}` {} ({}): {first} first, {komi}{}. {}{}.",
                        g.id,
                        g.name.en,
                        g.name.zh,
                        stones.unwrap_or_default(),
                        g.text.en,
                        self.from(&g.article)
                    ),
                    true => format!(
                        "* `{}` {}：{first}先，{komi}{}。{}{}。",
                        g.id,
                        g.name.zh,
                        stones.unwrap_or_default(),
                        g.text.zh,
                        self.from(&g.article)
                    ),
                };
                let _ = writeln!(self.out, "{line}");
            }
            for (end, provision) in &r.end {
                let name = self.named(end.name());
                self.provision(self.say("Ends by ", "终局："), &name, provision);
            }
            if let Some(late) = &r.lateness {
                let late = late.clone();
                let source = match late.source {
                    Source::Document => String::new(),
                    other => format!(" [{}]", self.named(other.name())),
                };
                for (en, zh, provision) in [
                    ("over the limit", "超过规定时间", &late.over),
                    ("both over the limit", "双方超过", &late.both),
                    ("within the limit", "未超过", &late.within),
                ] {
                    let name = format!("{}{source}", self.say(en, zh));
                    self.provision(self.say("Late, ", "迟到："), &name, provision);
                }
            }
            if let Some(ranks) = &r.ranks {
                let names: Vec<String> = ranks
                    .names
                    .iter()
                    .map(|n| if self.chinese { n.zh.clone() } else { format!("{} {}", n.zh, n.en) })
                    .collect();
                let line = format!("* {}: {}{}", self.pick(&ranks.name), names.join(", "), self.from(&ranks.article));
                let _ = writeln!(self.out, "{line}");
            }
            self.out.push('\n');
        }
        // one blank line before the next title is enough
        self.out.pop();
    }

    fn provision(&mut self, what: &str, name: &str, provision: &Provision) {
        let text = self.pick(&provision.text).to_owned();
        let (colon, dot) = if self.chinese { ("，", "。") } else { (": ", ".") };
        let _ = writeln!(self.out, "* {what}{name}{colon}{text}{}{dot}", self.from(&provision.article));
    }

    /// Every infraction and ruleset in one table: weight and article.
    fn overview(&mut self) {
        self.title("All infractions at a glance", "违规一览");
        let ids: Vec<String> = self.rulesets.iter().map(|r| format!("`{}`", r.id)).collect();
        let mut head = vec![self.say("infraction", "违规")];
        head.extend(ids.iter().map(String::as_str));
        self.head(&head);
        for kind in Infraction::ALL {
            let mut cells = vec![format!("[`{}`](#{}) {}", kind.as_str(), self.anchor(kind), self.named(kind.name()))];
            for r in self.rulesets {
                let rule = r.rule(kind);
                cells.push(match rule.applies {
                    false => "–".to_owned(),
                    true => {
                        let from = match rule.source {
                            Source::Silent => Some(self.named(Source::Silent.name())),
                            _ => rule.article.clone(),
                        };
                        format!("{}{}", self.weight(rule), self.from(&from))
                    }
                });
            }
            self.row(&cells);
        }
    }

    /// As Markdown viewers make it of the title.
    fn anchor(&self, kind: Infraction) -> String {
        let title = self.heading(kind);
        let keep = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || c == ' ';
        title.to_lowercase().chars().filter(|&c| keep(c)).map(|c| if c == ' ' { '-' } else { c }).collect()
    }

    fn heading(&self, kind: Infraction) -> String {
        let Text { en, zh } = kind.name();
        match self.chinese {
            false => format!("`{}`: {en}, {zh}", kind.as_str()),
            true => format!("`{}` {zh}", kind.as_str()),
        }
    }

    /// One infraction under every ruleset.
    fn infraction(&mut self, kind: Infraction) {
        let _ = write!(self.out, "\n### {}\n\n", self.heading(kind));
        if self.chinese {
            self.head(&["规则", "建议裁定", "条款", "所犯条款", "处罚", "提出时限", "由谁提出", "出处"]);
        } else {
            self.head(&[
                "ruleset",
                "proposed verdict",
                "article",
                "rule broken",
                "weight",
                "to be raised",
                "by",
                "source",
            ]);
        }
        for r in self.rulesets {
            let rule = r.rule(kind);
            let zh = if self.chinese { String::new() } else { format!(" · {}", rule.verdict.zh) };
            let dash = || "–".to_owned();
            let (weight, window, who) = match rule.applies {
                true => (
                    self.weight(rule),
                    format!("{}{}", self.named(rule.appeal.name()), self.from(&rule.appeal_article)),
                    self.named(rule.appellant.name()),
                ),
                false => (dash(), dash(), dash()),
            };
            let cells = [
                format!("`{}`", r.id),
                format!("{}{zh}", self.pick(&rule.verdict)),
                rule.article.clone().unwrap_or_else(dash),
                rule.breaks.clone().unwrap_or_else(dash),
                weight,
                window,
                who,
                self.named(rule.source.name()),
            ];
            self.row(&cells);
        }
        let remarks: Vec<String> = self
            .rulesets
            .iter()
            .flat_map(|r| self.remarks(r.rule(kind)).into_iter().map(|m| (r.id.clone(), m)))
            .fold(Vec::new(), |mut lines: Vec<String>, (id, remark)| {
                let tail = format!(": {remark}");
                // rulesets that say the same share a line
                match lines.iter_mut().find(|l| l.ends_with(&tail)) {
                    Some(line) => *line = format!("{}, `{id}`{tail}", &line[..line.len() - tail.len()]),
                    None => lines.push(format!("* `{id}`{tail}")),
                }
                lines
            });
        if !remarks.is_empty() {
            let _ = write!(self.out, "\n{}\n", remarks.join("\n"));
        }
    }

    /// What does not fit into a row: choices, special cases, repetition, notes.
    fn remarks(&self, rule: &InfractionRule) -> Vec<String> {
        let mut lines = Vec::new();
        if !rule.choices.is_empty() {
            let choices: Vec<&str> = rule.choices.iter().map(|c| self.pick(&c.text)).collect();
            lines.push(format!("{}: {}", self.say("to choose from", "可选"), choices.join(self.say("; ", "；"))));
        }
        for circumstance in Circumstance::ALL {
            let Some(special) = rule.special(circumstance) else { continue };
            let what = match circumstance {
                Circumstance::Deliberate => self.say("on purpose", "故意"),
                Circumstance::CannotRebuild => self.say("cannot be rebuilt", "不能复盘"),
                Circumstance::DuringBreak => self.say("during a break", "休息期间"),
            };
            let source = match special.source {
                Source::Document => String::new(),
                other => format!(" [{}]", self.named(other.name())),
            };
            lines.push(format!("{what}: {}{}{source}", self.pick(&special.verdict), self.from(&special.article)));
        }
        for step in &rule.repeated {
            let times = match (step.per, self.chinese) {
                (Per::Side, false) => format!("time {} of a side", step.from),
                (Per::Player, false) => format!("time {} of a player, besides", step.from),
                (Per::Side, true) => format!("一方第{}次", step.from),
                (Per::Player, true) => format!("同一棋手第{}次，另加", step.from),
            };
            lines.push(format!("{times}: {}{}", self.pick(&step.verdict), self.from(&step.article)));
        }
        if let Some(note) = &rule.note {
            lines.push(self.pick(note).to_owned());
        }
        lines
    }

    /// What the proposal costs: sanction, stones, the stone, the turn.
    fn weight(&self, rule: &InfractionRule) -> String {
        let p: Penalty = rule.penalty;
        let name = |sanction: Sanction| match (sanction, self.chinese) {
            (Sanction::None | Sanction::Referee | Sanction::Stones | Sanction::Loss, _) | (_, true) => {
                self.named(sanction.name())
            }
            (_, false) => format!("{} {}", sanction.name().en, sanction.name().zh),
        };
        let mut parts = Vec::new();
        let or_warning = rule.choices.iter().any(|c| c.outcome == Outcome::Warning);
        match p.sanction {
            Sanction::None | Sanction::Stones => {}
            Sanction::Caution if or_warning => {
                let or = self.say(" or ", "或");
                parts.push(format!("{}{or}{}", name(Sanction::Caution), name(Sanction::Warning)));
            }
            sanction => parts.push(name(sanction)),
        }
        if p.stones != super::Amount::ZERO {
            parts.push(match self.chinese {
                false => format!("{} stone", p.stones),
                true => format!("罚{}子", p.stones),
            });
        }
        if p.void {
            parts.push(self.say("void", "着手无效").to_owned());
        }
        if p.pass {
            parts.push(self.say("pass", "弃权一次").to_owned());
        }
        if parts.is_empty() {
            parts.push(name(Sanction::None));
        }
        parts.join(self.say(", ", "，"))
    }
}
