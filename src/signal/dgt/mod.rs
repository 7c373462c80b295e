//! Clocks behind a DGT-compatible chess board, and behind a gateway that speaks JSON: the bytes and the drivers.
//!
//! Enters: bytes from a port, what the clock is to do. Leaves: times, presses, acknowledgements; bytes for the port. It may
//! never know what a move is. [`board`] and [`clock`] are the bytes of the board's line (9600 8N1, no checksum),
//! [`gateway`] those of the JSON gateway, one object a line.

pub mod board;
pub mod clock;
mod driver;
pub mod gateway;
mod gateway_driver;
pub mod segments;

pub use driver::BoardClockDriver;
pub use gateway_driver::GatewayDriver;
