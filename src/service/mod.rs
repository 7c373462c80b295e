//! One table: its threads and channels, supervision, configuration.
//!
//! Enters: a configuration. Leaves: a running table. It decides nothing about the game.
