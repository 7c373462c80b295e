//! What the world sees: the live page, state and events as JSON, server-sent events, the camera picture.
//!
//! Enters: events with the state after them, what the clock shows, pictures, health; from the page the operator's input. Leaves: HTTP answers
//! and [`OperatorInput`]. It may never know how a game is judged or kept, and it may never hold up the table: every call
//! of [`Feed`] returns at once, whatever the clients do.
//!
//! | file | holds |
//! | --- | --- |
//! | `view` | what is shown: [`StateView`], [`Health`] |
//! | `hub` | where it lies between the table and the connections |
//! | `scene` | which notices about picture and board hold just now |
//! | `server`, `wire` | listener, threads, limits; one connection |
//! | `http` | requests and answers as bytes |
//! | `routes` | which request gets which answer |
//! | `stream` | server-sent events, MJPEG |
//! | `access`, `operator` | who may ask, who may decide, what they say |
//! | `files` | SGF and evidence from the record's folder |
//! | `page`, `language` | the page itself (`page/`) |

mod access;
mod files;
mod http;
mod hub;
mod language;
mod operator;
mod page;
mod routes;
mod scene;
mod server;
mod stream;
mod view;
mod wire;
mod word;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;

use crate::game::Event;

pub use language::Language;
pub use operator::{ClockOrder, OperatorInput, Particulars, Ruling};
pub use view::{ClockView, Condition, Health, MoveView, Part, Prisoners, StateView};
pub use wire::Patience;

/// Whether and from whom operator input is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorAccess {
    pub enabled: bool,
    /// With it operators may sit at other machines (`Authorization: Bearer TOKEN`); without it only at this one.
    pub token: Option<String>,
}

/// How to feed.
#[derive(Clone, Debug)]
pub struct FeedConfig {
    /// 127.0.0.1:8737 by default: nobody else sees the table unless somebody wants it. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The record's folder, which holds `game.sgf` and `evidence/`.
    pub record_dir: Option<PathBuf>,
    /// The table's name, for people.
    pub table: String,
    /// By how many degrees the page shows the board turned clockwise from the camera's picture: 0, 90, 180, 270.
    pub orientation: u16,
    /// Language of the page where the browser wants neither English nor Chinese.
    pub language: Language,
    pub operator: OperatorAccess,
    /// Names by which the page may be asked for, besides this machine's own.
    pub hosts: Vec<String>,
    pub max_connections: usize,
    /// Connections from one address.
    pub max_per_address: usize,
    /// Events kept for `/api/events` and for streams that resume.
    pub max_events: usize,
    pub patience: Patience,
    /// After this time without [`Feed::health`] the table counts as hanging.
    pub silence_limit: Duration,
}

impl Default for FeedConfig {
    fn default() -> FeedConfig {
        FeedConfig {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8737)),
            record_dir: None,
            table: "goband".into(),
            orientation: 0,
            language: Language::English,
            operator: OperatorAccess::default(),
            hosts: Vec::new(),
            max_connections: 256,
            max_per_address: 64,
            max_events: 20_000,
            patience: Patience::default(),
            silence_limit: Duration::from_secs(10),
        }
    }
}

/// Why the feed does not start.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error(
        "{0} is already taken by another program (perhaps another goband): end that one, or choose another port \
         with `listen` under `[feed]`"
    )]
    InUse(SocketAddr),
    #[error("{0} may not be opened by this user: choose a port from 1024 up with `listen` under `[feed]`")]
    NotAllowed(SocketAddr),
    #[error(
        "{0} is not an address of this machine: use 127.0.0.1 (this machine only) or 0.0.0.0 (all of its networks) \
         in `listen` under `[feed]`"
    )]
    NotOurs(SocketAddr),
    #[error("cannot listen on {0}: {1}")]
    Bind(SocketAddr, io::Error),
    #[error("cannot start the server of the live page: {0}")]
    Start(io::Error),
}

impl FeedError {
    fn of_bind(address: SocketAddr, source: io::Error) -> FeedError {
        match source.kind() {
            io::ErrorKind::AddrInUse => FeedError::InUse(address),
            io::ErrorKind::PermissionDenied => FeedError::NotAllowed(address),
            io::ErrorKind::AddrNotAvailable => FeedError::NotOurs(address),
            _ => FeedError::Bind(address, source),
        }
    }
}

/// The running feed. All calls return at once; dropping it ends the server.
pub struct Feed {
    hub: Arc<hub::Hub>,
    server: server::Server,
    input: Receiver<OperatorInput>,
}

/// Operator input that may wait for the table.
const MAX_INPUT: usize = 32;

impl Feed {
    /// Starts to listen.
    pub fn spawn(config: FeedConfig) -> Result<Feed, FeedError> {
        let hub = Arc::new(hub::Hub::new(&config, page::tag()));
        let (sender, input) = crossbeam_channel::bounded(MAX_INPUT);
        let server = server::Server::spawn(config, hub.clone(), sender)?;
        tracing::info!("live page at http://{}/", server.address());
        Ok(Feed { hub, server, input })
    }

    /// Shows an event and the state after it.
    pub fn event(&self, event: &Event, state: impl Into<StateView>) {
        self.hub.events(std::slice::from_ref(event), state.into());
    }

    /// Shows what a journal held when the game is taken up again: all its events and the state after the last.
    pub fn resume(&self, events: &[Event], state: impl Into<StateView>) {
        self.hub.events(events, state.into());
    }

    /// Shows another game at the same table: events are counted from 1 again, the record lies in `record_dir`.
    pub fn new_game(&self, record_dir: Option<PathBuf>, state: impl Into<StateView>) {
        self.hub.new_game(record_dir, state.into());
    }

    /// Shows a camera picture (JPEG); the newest wins.
    pub fn picture(&self, jpeg: Vec<u8>) {
        self.hub.picture(jpeg);
    }

    /// Says how the table is. To be called every few seconds, changed or not: silence counts as a hang.
    pub fn health(&self, health: Health) {
        self.hub.health(health);
    }

    /// Shows what the clock shows; none: there is no clock that tells. To be called twice a second or so, and when it changes.
    pub fn clock(&self, clock: Option<ClockView>) {
        self.hub.clock(clock);
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// What the operator says on the page. Clones take turns.
    pub fn operator(&self) -> Receiver<OperatorInput> {
        self.input.clone()
    }

    /// Open connections.
    pub fn clients(&self) -> usize {
        self.server.clients()
    }

    /// Ends the server: streams get a farewell, answers under way a second.
    pub fn shutdown(mut self) {
        self.server.shutdown();
    }
}
