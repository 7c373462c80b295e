//! What the world sees: the live page, state and events as JSON, server-sent events.
//!
//! Enters: events and pictures. Leaves: HTTP answers. It may never hold up the referee.
