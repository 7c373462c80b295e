//! The subcommands, one file each.
//!
//! Enters: arguments. Leaves: an exit code: 0 done, 1 failed, 2 bad usage or configuration, 3 no board found.

use std::process::ExitCode;

/// Reads the arguments and runs the subcommand.
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
