//! One table: its threads and channels, supervision, configuration.
//!
//! Enters: a configuration and a source. Leaves: a running [`Table`] whose sinks are told of every event. It decides
//! nothing about the game and may never know what a rule or a pixel means.

mod clock;
mod config;
mod pictures;
pub mod scorecard;
mod setup;
mod sinks;
mod table;

pub use config::{Config, ConfigError, FeedSection, GameConfig, SourceConfig, TableConfig};
pub use setup::{game_folder, gives_stills, load_ruleset, load_start, open_source, virtual_board, virtual_source};
pub use sinks::SignalSetup;
pub use table::{Summary, Table, TableSetup, stop_on_signals};
