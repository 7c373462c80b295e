//! What stays: the journal, the game record (SGF), the evidence.
//!
//! Enters: events and the pictures around them. Leaves: files. It may never know how an event was decided.
