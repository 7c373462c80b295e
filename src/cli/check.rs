//! `goband check`: reads a configuration and tries everything it names.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::capture::{self, Grab, Pace, SourceKind, SourceSpec};
use crate::service::{self, Config};
use crate::signal;
use crate::signal::port::Places;

/// Arguments of `goband check`.
#[derive(Args)]
pub struct CheckArgs {
    /// The configuration
    config: PathBuf,
    /// The language of what devices are found to be; both when absent
    #[arg(long, value_enum)]
    language: Option<Tongue>,
}

/// A language of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tongue {
    En,
    Zh,
}

/// Tries everything; exit code 1 when something would not work.
///
/// # Errors
/// The configuration itself cannot be used (exit code 2).
pub fn run(args: CheckArgs) -> Result<u8> {
    let config = Config::load(&args.config)?;
    let spec = super::run::source_spec(&config)?;
    let folder = service::game_folder(&config.table.records, &config.table.name, false)?;
    let setup = super::run::setup(&config, folder)?;
    let mut wrong = 0;
    let mut tell = |what: &str, outcome: Result<String>| match outcome {
        Ok(text) => println!("ok     {what:<10} {text}"),
        Err(e) => {
            wrong += 1;
            println!("WRONG  {what:<10} {e:#}");
        }
    };
    tell("file", Ok(format!("{}: every key is known", args.config.display())));
    tell("rules", Ok(config.table.ruleset.clone()));
    tell("source", try_source(&spec, &config));
    tell("records", try_records(&config.table.records));
    if let Some(feed) = &setup.feed {
        let free = TcpListener::bind(feed.listen).with_context(|| {
            format!("{}: is goband running already? else choose another port with `listen` under [feed]", feed.listen)
        });
        tell("page", free.map(|_| format!("http://{}/ is free", feed.listen)));
    }
    for device in &config.signal {
        let found = signal::probe(device, &Places::default());
        let text = match args.language {
            Some(Tongue::En) => found.text.en,
            Some(Tongue::Zh) => found.text.zh,
            None => format!("{}\n{:>18}{}", found.text.en, "", found.text.zh),
        };
        let text = format!("{}: {text}", device.name());
        tell("signal", if found.is_well { Ok(text) } else { Err(anyhow::anyhow!(text)) });
    }
    if config.clock.software {
        let times = config.clock.times(&setup.referee.ruleset);
        tell(
            "clock",
            times
                .map(|t| {
                    let [main, period] = [t.main_ms, t.period_ms].map(|ms| format!("{} s", ms / 1000));
                    format!("kept by goband: main time {main}, {} periods of {period}", t.periods)
                })
                .map_err(|(key, problem)| anyhow::anyhow!("{key}: {problem}")),
        );
    }
    Ok(if wrong == 0 { 0 } else { 1 })
}

fn try_source(spec: &SourceSpec, config: &Config) -> Result<String> {
    if matches!(spec.kind(), SourceKind::Virtual(_)) {
        service::open_source(spec, &super::run::open_options(config), Pace::AsFastAsItGoes, false)?;
        return Ok("the virtual board".into());
    }
    let mut source = capture::open(spec, &super::run::open_options(config))?;
    let mut reason = String::new();
    for _ in 0..10 {
        match source.grab() {
            Grab::Frame(frame) => {
                let [w, h] = frame.size();
                return Ok(format!("{}: gives pictures of {w}×{h}", source.name()));
            }
            Grab::End => bail!("{}: holds no picture", source.name()),
            Grab::Lost(why) => reason = why,
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    bail!("{}: opens, but gives no picture ({reason})", source.name())
}

fn try_records(folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    let probe = folder.join(".goband-probe");
    std::fs::write(&probe, [0u8; 4096])
        .and_then(|()| std::fs::remove_file(&probe))
        .with_context(|| format!("{}: cannot be written; free some space or give the right to", folder.display()))?;
    Ok(format!("{} can be written", folder.display()))
}
