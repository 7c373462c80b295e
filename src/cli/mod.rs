//! The subcommands, one file each.
//!
//! Enters: arguments. Leaves: an exit code: 0 done, 1 failed, 2 bad usage or configuration, 3 no board found.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod calibrate;
mod check;
mod count;
mod demo;
mod devices;
mod emulate;
mod eval;
mod judge;
mod memory;
mod read;
mod replay;
mod run;

/// Watches a real Go board through a camera: records the game, tells the referee what went wrong, feeds broadcasts.
#[derive(Parser)]
#[command(name = "goband", version, about, propagate_version = true)]
struct Cli {
    /// More about what happens inside, on stderr (-vv for every detail)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read one photo: what lies on the board
    Read(read::ReadArgs),
    /// Run footage through the whole pipeline: events, record, evidence
    Replay(replay::ReplayArgs),
    /// Run a table: the daemon
    Run(run::RunArgs),
    /// Run a table on a rendered board with emulated devices: no camera needed
    Demo(demo::DemoArgs),
    /// Find the board in a live source and store the calibration
    Calibrate(calibrate::CalibrateArgs),
    /// List the cameras and serial ports of this machine
    Devices(devices::DevicesArgs),
    /// Check a configuration and everything it names
    Check(check::CheckArgs),
    /// Replay a record through the rules: what each move is
    Judge(judge::JudgeArgs),
    /// Count a final position
    Count(count::CountArgs),
    /// Behave like a device on a pseudo-terminal
    Emulate(emulate::EmulateArgs),
    /// Measure accuracy on photos with known truth
    Eval(eval::EvalArgs),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One object for programs
    Json,
}

/// An error of the user (bad usage or configuration): exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Reads the arguments and runs the subcommand.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    memory::give_large_pictures_back();
    let level = match cli.verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("GOBAND_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(format!("goband={level}")));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).init();
    let done = match cli.command {
        Command::Read(args) => read::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Run(args) => run::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Check(args) => check::run(args),
        Command::Judge(args) => judge::run(args),
        Command::Count(args) => count::run(args),
        Command::Emulate(args) => emulate::run(args),
        Command::Eval(args) => eval::run(args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            eprintln!("goband: {e:#}");
            let usage = e.chain().any(|c| c.is::<UsageError>() || c.is::<crate::service::ConfigError>());
            ExitCode::from(if usage { 2 } else { 1 })
        }
    }
}
