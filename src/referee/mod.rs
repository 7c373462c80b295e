//! From sightings to events: what was played, what went wrong, how sure.
//!
//! Enters: [`Sighting`](crate::vision::Sighting)s, clock presses, decisions. Leaves: [`Event`](crate::game::Event)s.
//! It may never read a clock, touch a pixel or open a file: the same footage gives the same events.
