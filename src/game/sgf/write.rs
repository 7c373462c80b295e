//! A game's record as SGF: the main line is what finally stood, other programs can play it.
//!
//! Infractions are comments (`C`) and marks (`MA`: a void stone, `TR`: where something happened) at the node where they
//! happened; a displaced stone and a line that was corrected are variations; an illegal move that stands has `KO`; stones
//! that lie otherwise than the moves led to are set up with `AE`, `AB`, `AW`.

use std::fmt::Write as _;

use super::{GameTree, NodeId};
use crate::game::state::{InfractionRecord, LineStep};
use crate::game::{EventKind, GameInfo, GameState, RestoreTo};
use crate::rules::{Amount, Board, Color, Point, Standing, Unit};

/// Private root property: stones that either side gives as penalty, such as `B=1,W=0.5`.
pub const PENALTY: &str = "GBPE";

/// Writes a game's record, FF[4] in UTF-8.
pub fn write(state: &GameState, info: &GameInfo) -> String {
    let mut record = Record::new(state, info);
    let (line, steps_before) = state.steps();
    let main = record.add_line(&line);
    for infraction in state.infractions() {
        let step = steps_before.get(infraction.after_steps).or(steps_before.last()).copied().unwrap_or(0);
        let node = main.get(step).copied().unwrap_or(GameTree::ROOT);
        record.note(node, infraction);
    }
    for infraction in state.infractions() {
        let step = steps_before.get(infraction.after_steps).or(steps_before.last()).copied().unwrap_or(0);
        let node = main.get(step).copied().unwrap_or(GameTree::ROOT);
        record.add_displaced(node, infraction);
    }
    if let Some(standing) = state.standing() {
        record.charge(main.last().copied().unwrap_or(GameTree::ROOT), &standing);
    }
    for old in state.superseded() {
        record.add_line(old);
    }
    write_trees(std::slice::from_ref(&record.tree))
}

/// Writes a collection. Values stand as they are in the trees, escapes included.
pub fn write_trees(trees: &[GameTree]) -> String {
    enum Task {
        Node(NodeId),
        Open(NodeId),
        Close,
    }
    let mut text = String::new();
    for tree in trees {
        let mut tasks = vec![Task::Close, Task::Node(GameTree::ROOT)];
        text.push('(');
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => text.push(')'),
                Task::Open(id) => {
                    text.push_str("\n(");
                    tasks.push(Task::Close);
                    tasks.push(Task::Node(id));
                }
                Task::Node(id) => {
                    let node = tree.node(id);
                    if id != GameTree::ROOT {
                        text.push('\n');
                    }
                    text.push(';');
                    for property in &node.properties {
                        text.push_str(&property.ident);
                        for value in &property.values {
                            text.push('[');
                            text.push_str(value);
                            text.push(']');
                        }
                    }
                    match node.children.as_slice() {
                        [only] => tasks.push(Task::Node(*only)),
                        children => tasks.extend(children.iter().rev().map(|&c| Task::Open(c))),
                    }
                }
            }
        }
        text.push('\n');
    }
    text
}

struct Record<'a> {
    tree: GameTree,
    info: &'a GameInfo,
    size: u8,
    /// By node: the step that made it, and the position after it.
    nodes: Vec<(Option<LineStep>, Board)>,
    comments: Vec<String>,
}

impl<'a> Record<'a> {
    fn new(state: &GameState, info: &'a GameInfo) -> Record<'a> {
        let (start, first) = state.start();
        let mut record = Record {
            tree: GameTree::default(),
            info,
            size: start.size(),
            nodes: vec![(None, start.clone())],
            comments: vec![String::new()],
        };
        let size = record.size;
        let root = record.tree.node_mut(GameTree::ROOT);
        for (ident, value) in [("FF", "4"), ("GM", "1"), ("CA", "UTF-8")] {
            root.add(ident, vec![value.to_owned()]);
        }
        root.add("AP", vec![format!("goband:{}", env!("CARGO_PKG_VERSION"))]);
        root.add("ST", vec!["2".to_owned()]);
        root.add("SZ", vec![size.to_string()]);
        let komi = info.komi.map(|k| k.decimal()).unwrap_or_default();
        // HA promises that the stones lie there
        let handicap = info.handicap >= 2 && start.stones(Color::Black) > 0;
        let handicap = if handicap { info.handicap.to_string() } else { String::new() };
        let result = info.result.clone().or_else(|| result(state)).unwrap_or_default();
        for (ident, value) in [
            ("KM", komi.as_str()),
            ("HA", &handicap),
            ("RU", &info.ruleset),
            ("PB", &info.black.name),
            ("BR", &info.black.rank),
            ("BT", &info.black.team),
            ("PW", &info.white.name),
            ("WR", &info.white.rank),
            ("WT", &info.white.team),
            ("EV", &info.event),
            ("RO", &info.round),
            ("DT", &info.date),
            ("PC", &info.place),
            ("US", &info.recorder),
            ("RE", &result),
        ] {
            if !value.is_empty() {
                root.set_text(ident, value);
            }
        }
        record.set_up(GameTree::ROOT, &Board::new(size), start);
        let usual = if handicap.is_empty() { Color::Black } else { Color::White };
        if first != usual || start.points().any(|p| start.get(p).is_some()) {
            record.tree.node_mut(GameTree::ROOT).add("PL", vec![first.letter().to_string()]);
        }
        record
    }

    fn point(&self, p: Point) -> String {
        let p = self.info.orientation.to_record(p, self.size);
        [p.col, p.row].map(|i| (b'a' + i.min(25)) as char).iter().collect()
    }

    /// `AB`, `AW` and `AE` that turn one position into another.
    fn set_up(&mut self, node: NodeId, from: &Board, to: &Board) {
        for (ident, cell) in [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)] {
            let mut points: Vec<String> =
                from.differences(to).into_iter().filter(|(_, c)| *c == cell).map(|(p, _)| self.point(p)).collect();
            points.sort();
            if !points.is_empty() {
                self.tree.node_mut(node).add(ident, points);
            }
        }
    }

    fn add_node(&mut self, parent: NodeId, step: Option<LineStep>, board: Board) -> NodeId {
        let id = self.tree.add_node(parent);
        self.nodes.push((step, board));
        self.comments.push(String::new());
        id
    }

    /// Adds a line from the root, sharing what is there already; the node of every step, the root first.
    /// What branches off becomes a variation, never the main line.
    fn add_line(&mut self, line: &[LineStep]) -> Vec<NodeId> {
        let main = self.tree.len() == 1;
        let mut path = vec![GameTree::ROOT];
        let mut at = GameTree::ROOT;
        for step in line {
            let children = &self.tree.node(at).children;
            if let Some(&same) = children.iter().find(|&&c| self.nodes[c].0.as_ref() == Some(step)) {
                at = same;
                path.push(at);
                continue;
            }
            if !main && children.is_empty() {
                self.keep_main_line(at);
            }
            let before = self.nodes[at].1.clone();
            let mut board = before.clone();
            match step {
                LineStep::Move { color, point, forced } => {
                    if let Some(p) = *point {
                        board.place(p, *color);
                    }
                    at = self.add_node(at, Some(step.clone()), board);
                    let value = point.map(|p| self.point(p)).unwrap_or_default();
                    let node = self.tree.node_mut(at);
                    node.add(if *color == Color::Black { "B" } else { "W" }, vec![value]);
                    if *forced {
                        node.add("KO", vec![String::new()]);
                    }
                }
                LineStep::Setup { board: to, turn } => {
                    at = self.add_node(at, Some(step.clone()), to.clone());
                    self.set_up(at, &before, to);
                    if let Some(turn) = turn {
                        self.tree.node_mut(at).add("PL", vec![turn.letter().to_string()]);
                    }
                }
            }
            path.push(at);
        }
        path
    }

    /// So that what branches off at the end of the main line does not become its continuation.
    fn keep_main_line(&mut self, at: NodeId) {
        let is_main = std::iter::successors(Some(GameTree::ROOT), |&n| self.tree.node(n).children.first().copied())
            .any(|n| n == at);
        if is_main {
            let board = self.nodes[at].1.clone();
            let end = self.add_node(at, None, board);
            self.comment(end, "The record stands here. 实战到此。");
        }
    }

    fn comment(&mut self, node: NodeId, text: &str) {
        let all = &mut self.comments[node];
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(text);
        let all = self.comments[node].clone();
        self.tree.node_mut(node).set_text("C", &all);
    }

    /// One infraction as comment and marks.
    fn note(&mut self, node: NodeId, infraction: &InfractionRecord) {
        let event = &infraction.event;
        let seconds = event.at_ms.first / 1000;
        let mut text = format!(
            "[{:02}:{:02}:{:02}] #{} {}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            event.seq,
            event.kind.as_str()
        );
        if let Some(article) = &event.article {
            let _ = write!(text, " ({article})");
        }
        let sentences = event.text.iter().chain(&event.verdict).chain(&infraction.decided);
        for sentence in sentences {
            let _ = write!(text, "\n{}\n{}", sentence.en, sentence.zh);
        }
        self.comment(node, &text);

        let void = matches!(
            event.kind,
            EventKind::DoubleMove | EventKind::KoViolation | EventKind::Superko | EventKind::Suicide
        );
        let points = event.point.into_iter().chain(event.points.iter().filter_map(|s| s.point()));
        for p in points.filter(|p| p.row < self.size && p.col < self.size) {
            let value = self.point(p);
            let node = self.tree.node_mut(node);
            let marked = |ident| node.get(ident).is_some_and(|m| m.values.contains(&value));
            if !marked("MA") && !marked("TR") {
                node.add(if void { "MA" } else { "TR" }, vec![value]);
            }
        }
    }

    /// What the referee charged, as a comment at the end of the game, and what goes off the count for programs.
    fn charge(&mut self, node: NodeId, standing: &Standing) {
        let mut lines = Vec::new();
        for (color, en, zh) in [(Color::Black, "Black", "黑方"), (Color::White, "White", "白方")] {
            if let Some(said) = standing.side(color).words() {
                lines.push(format!("Against {en}: {}.\n{zh}处罚：{}。", said.en, said.zh));
            }
        }
        if !lines.is_empty() {
            self.comment(node, &lines.join("\n"));
        }
        let [black, white] = standing.penalty(Unit::Stones);
        if black != Amount::ZERO || white != Amount::ZERO {
            let sides = format!("B={},W={}", black.decimal(), white.decimal());
            self.tree.node_mut(GameTree::ROOT).add(PENALTY, vec![sides]);
        }
    }

    /// The board as it lay with a stone displaced, as a variation.
    fn add_displaced(&mut self, node: NodeId, infraction: &InfractionRecord) {
        let event = &infraction.event;
        if event.kind != EventKind::DisplacedStone {
            return;
        }
        let before = self.nodes[node].1.clone();
        let mut lay = before.clone();
        for step in event.restore.iter().filter(|r| before.contains(r.at)) {
            match step.be {
                // what should be empty held the stone, what should hold it was empty
                RestoreTo::Empty => {
                    if let Some(color) = event.color.or_else(|| moved_color(event.restore.as_slice())) {
                        lay.set(step.at, Some(color));
                    }
                }
                RestoreTo::Black | RestoreTo::White => lay.set(step.at, None),
            }
        }
        if lay == before {
            return;
        }
        if self.tree.node(node).children.is_empty() {
            self.keep_main_line(node);
        }
        let id = self.add_node(node, None, lay.clone());
        self.set_up(id, &before, &lay);
        self.comment(id, &format!("#{} {}", event.seq, event.kind.as_str()));
    }
}

/// The colour of a displaced stone: that of the point that must hold it again.
fn moved_color(restore: &[crate::game::Restore]) -> Option<Color> {
    restore.iter().find_map(|r| match r.be {
        RestoreTo::Black => Some(Color::Black),
        RestoreTo::White => Some(Color::White),
        RestoreTo::Empty => None,
    })
}

/// `RE` as far as the events tell: a resignation, or who won.
fn result(state: &GameState) -> Option<String> {
    let ended = state.ended()?;
    let by = if ended.resigned { "R" } else { "" };
    match (ended.how, ended.winner) {
        (EventKind::Result, Some(winner)) => {
            let by = ended.margin_points.filter(|_| !ended.resigned).map_or(by.to_owned(), |m| m.decimal());
            Some(format!("{}+{by}", winner.letter()))
        }
        // counted, and even
        (EventKind::Result, None) if ended.margin_points.is_some() => Some("0".to_owned()),
        (EventKind::Result, None) => Some("?".to_owned()),
        _ => None,
    }
}
