//! What a ruleset says of the clock when the referee is called.

use serde::{Deserialize, Serialize};

/// On a dispute the clock is stopped before anybody acts (000 art. 23.11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disputes {
    pub stop_clock: bool,
    /// In byo-yomi the clock is put back to what it showed after the opponent's move.
    pub restore_period: bool,
    pub article: String,
}
