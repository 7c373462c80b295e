//! The first position: an empty board, or what lies there.

use super::Referee;
use crate::game::{EventKind, Interval};
use crate::rules::{Board, Color};

/// A calm look at the whole board this long is enough.
const CALM_MS: u64 = 500;
/// After this long a board that is never wholly in view is adopted as far as it can be seen.
const PATIENCE_MS: u64 = 4000;
/// ... if at most this share of it is hidden.
const MOST_HIDDEN: f64 = 0.1;

const BELIEVED: f64 = 5.0;
const BELIEVED_AT_THE_END: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(super) struct StartWatch {
    first_ms: Option<u64>,
    calm_since_ms: Option<u64>,
    frames: u32,
}

impl Referee {
    pub(super) fn watch_start(&mut self) {
        let Some(evidence) = &self.evidence else { return };
        let now = self.now;
        let size = evidence.size();
        let unknown = evidence.hidden_count();
        let all = size as usize * size as usize;
        let watch = &mut self.start;
        let first = *watch.first_ms.get_or_insert(now);
        let waited = now.saturating_sub(first);
        let enough = unknown == 0 || (waited >= PATIENCE_MS && (unknown as f64) < MOST_HIDDEN * all as f64);
        if enough && (!evidence.hand_now() || waited >= PATIENCE_MS) {
            watch.frames += 1;
            watch.calm_since_ms.get_or_insert(now);
        } else {
            watch.frames = 0;
            watch.calm_since_ms = None;
        }
        let since = watch.calm_since_ms.unwrap_or(now);
        let calm = watch.frames >= 2 && now >= since + CALM_MS;
        if calm {
            // two frames or more agree on every stone: single misreadings are out
            let board = evidence.board(BELIEVED);
            self.adopt(board, since);
        } else if self.flushing && unknown < all / 2 {
            let board = evidence.board(BELIEVED_AT_THE_END);
            self.adopt(board, since);
        }
    }

    fn adopt(&mut self, board: Board, since: u64) {
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        // a single stone is the first move (or the wrong first colour), not a position
        let board = if stones <= 1 { Board::new(board.size()) } else { board };
        let mut e = self.event(EventKind::PositionAdopted, Interval { first: since, last: self.now }, 0.98);
        e.board = Some(board.rows());
        if stones <= 1 {
            e.turn = Some(self.options.ruleset.first);
        }
        self.emit(e);
        for p in board.points() {
            if board.get(p).is_some()
                && let Some(ev) = &self.evidence
            {
                self.accepted_offset.insert(p, ev.offset(p).mean);
            }
        }
        self.sync();
    }
}
