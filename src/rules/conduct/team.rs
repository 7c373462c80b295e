//! One team: who may play, who plays, and what it has used up.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::relay::{Step, shown};
use super::{ConductError, ConductNotice, ConductRule, Ineligible, TeamItem};
use crate::rules::{Color, PlayOff};

/// One team's part of the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Empty: not given.
    squad: BTreeSet<String>,
    /// By section, by seat.
    rosters: Vec<Option<Vec<String>>>,
    /// Who sits there now, by seat; empty before the first section.
    on_board: Vec<String>,
    played: BTreeSet<String>,
    red_carded: BTreeSet<String>,
    substitutions: u32,
    pub(super) substitutions_used: u32,
    /// Gained by the other team's red card: for anybody (000 24.4).
    pub(super) any_left: u32,
    time_outs: u32,
    pub(super) time_outs_used: u32,
    pub(super) seat_errors: u32,
    pub(super) player_errors: BTreeMap<String, u32>,
    pub(super) overruns: u32,
}

impl Team {
    pub(super) fn new(rule: &ConductRule) -> Team {
        Team {
            squad: BTreeSet::new(),
            rosters: vec![None; rule.sections.count()],
            on_board: Vec::new(),
            played: BTreeSet::new(),
            red_carded: BTreeSet::new(),
            substitutions: rule.team.substitutions,
            substitutions_used: 0,
            any_left: 0,
            time_outs: rule.team.time_outs,
            time_outs_used: 0,
            seat_errors: 0,
            player_errors: BTreeMap::new(),
            overruns: 0,
        }
    }

    /// Who sits there now, by seat; empty before the first section.
    pub fn on_board(&self) -> &[String] {
        &self.on_board
    }

    /// The roster of a section, from 0.
    pub fn roster(&self, section: usize) -> Option<&[String]> {
        self.rosters.get(section)?.as_deref()
    }

    pub fn substitutions_left(&self) -> u32 {
        self.substitutions.saturating_sub(self.substitutions_used).saturating_add(self.any_left)
    }

    pub fn substitutions_used(&self) -> u32 {
        self.substitutions_used
    }

    pub fn time_outs_left(&self) -> u32 {
        self.time_outs.saturating_sub(self.time_outs_used)
    }

    pub fn time_outs_used(&self) -> u32 {
        self.time_outs_used
    }

    /// Confirmed moves from the wrong seat.
    pub fn seat_errors(&self) -> u32 {
        self.seat_errors
    }

    /// Moves over a section's limit.
    pub fn section_overruns(&self) -> u32 {
        self.overruns
    }

    pub(super) fn sound(&self, rule: &ConductRule) -> Result<(), String> {
        if self.rosters.len() != rule.sections.count() {
            return Err("the stored match has rosters of other sections".to_owned());
        }
        let players = usize::from(rule.players);
        let sizes = self.rosters.iter().flatten().chain([&self.on_board]).map(Vec::len);
        if sizes.into_iter().any(|n| n != players && n != 0) {
            return Err("the stored match has other seats".to_owned());
        }
        Ok(())
    }

    /// The player on a seat, counted from 1.
    pub(super) fn player(&self, seat: u8) -> Option<&String> {
        self.on_board.get(usize::from(seat).checked_sub(1)?)
    }

    /// Why a player may not come in; `again`: also one who has played (000 24.4).
    pub(super) fn refuses(&self, player: &str, again: bool) -> Option<Ineligible> {
        if self.on_board.iter().any(|p| p == player) {
            Some(Ineligible::OnTheBoard)
        } else {
            self.barred(player, again)
        }
    }

    fn barred(&self, player: &str, again: bool) -> Option<Ineligible> {
        if self.red_carded.contains(player) {
            Some(Ineligible::RedCarded)
        } else if !self.squad.is_empty() && !self.squad.contains(player) {
            Some(Ineligible::NotInSquad)
        } else if !again && self.played.contains(player) {
            Some(Ineligible::HasPlayed)
        } else {
            None
        }
    }

    /// Somebody of the given squad who may still come in.
    pub(super) fn spare(&self) -> Option<&String> {
        self.squad.iter().find(|p| self.refuses(p, false).is_none())
    }

    /// The section's players sit down; those who may not are told, and sit.
    pub(super) fn enter(&mut self, section: usize, side: Color, rule: &ConductRule) -> Vec<(String, Ineligible)> {
        let names = match self.rosters.get(section).cloned().flatten() {
            Some(names) => names,
            // without a roster the seats stand for the players
            None => (1..=rule.players).map(|n| format!("{side}{n} ({})", shown(section))).collect(),
        };
        self.on_board.clear();
        let refused = names.iter().filter_map(|p| Some((p.clone(), self.barred(p, false)?))).collect();
        self.played.extend(names.iter().cloned());
        self.on_board = names;
        refused
    }

    /// Puts a player on a seat, and gives the one who sat there and whether the new one had played before.
    pub(super) fn replace(&mut self, seat: u8, player: &str) -> Option<(String, bool)> {
        let at = usize::from(seat).checked_sub(1)?;
        let place = self.on_board.get_mut(at)?;
        let out = std::mem::replace(place, player.to_owned());
        let had_played = !self.played.insert(player.to_owned());
        Some((out, had_played))
    }

    /// Undoes [`Team::replace`].
    pub(super) fn put_back(&mut self, seat: u8, player: &str, out: &str, had_played: bool) {
        if let Some(place) = usize::from(seat).checked_sub(1).and_then(|at| self.on_board.get_mut(at)) {
            *place = out.to_owned();
        }
        if !had_played {
            self.played.remove(player);
        }
    }

    pub(super) fn show_red(&mut self, player: &str) {
        self.red_carded.insert(player.to_owned());
    }

    /// Uses up one substitution, of those for anybody only where it must be or no other is left. `false`: there is none.
    pub(super) fn use_substitution(&mut self, for_anybody: bool) -> bool {
        if !for_anybody && self.substitutions_used < self.substitutions {
            self.substitutions_used += 1;
        } else if self.any_left > 0 {
            self.any_left -= 1;
        } else {
            return false;
        }
        true
    }

    /// Playing on after a draw: anybody of the squad may play, with its own number of substitutions and time-outs.
    pub(super) fn play_on(&mut self, section: usize, play_off: &PlayOff) {
        if let Some(roster) = self.rosters.get_mut(section) {
            *roster = None;
        }
        self.on_board.clear();
        self.played.clear();
        self.substitutions = u32::from(play_off.substitutions);
        self.substitutions_used = 0;
        self.any_left = 0;
        self.time_outs = u32::from(play_off.time_outs);
        self.time_outs_used = 0;
    }
}

/// No empty name, none twice.
fn distinct(players: &[String]) -> Result<(), ConductError> {
    let mut seen = BTreeSet::new();
    match players.iter().find(|p| p.trim().is_empty() || !seen.insert(*p)) {
        Some(player) => Err(ConductError::Name(player.clone())),
        None => Ok(()),
    }
}

impl Step {
    pub fn squad(&mut self, team: Color, players: &[String]) -> Result<(), ConductError> {
        distinct(players)?;
        self.relay.team_mut(team).squad = players.iter().cloned().collect();
        Ok(())
    }

    pub fn roster(&mut self, team: Color, section: u8, players: &[String]) -> Result<(), ConductError> {
        let count = self.relay.rule.sections.count();
        let index = usize::from(section).checked_sub(1).filter(|i| *i < count);
        let Some(index) = index else {
            return Err(ConductError::NoSection { section, count: u8::try_from(count).unwrap_or(u8::MAX) });
        };
        let coming = self.relay.coming_section();
        if index < coming {
            return Err(ConductError::SectionBegun { section });
        }
        let expected = self.relay.rule.players;
        if players.len() != usize::from(expected) {
            return Err(ConductError::RosterSize { given: players.len(), expected });
        }
        distinct(players)?;
        let due_ms = self.relay.roster_due_ms().filter(|_| index == coming);
        let late_ms = due_ms.map_or(0, |due| self.relay.now_ms.saturating_sub(due));
        let side = self.relay.team_mut(team);
        for player in players {
            if let Some(why) = side.barred(player, false) {
                return Err(ConductError::NotEligible { player: player.clone(), why });
            }
        }
        if let Some(roster) = side.rosters.get_mut(index) {
            *roster = Some(players.to_vec());
        }
        self.tell(TeamItem::Roster, ConductNotice::RosterIn { team, section, late_ms });
        Ok(())
    }
}
