//! The thin binary: everything is in the library, `goband::cli` reads the arguments.

use std::process::ExitCode;

fn main() -> ExitCode {
    goband::cli::main()
}
