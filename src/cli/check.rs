//! `goband check`: reads a configuration and tries everything it names.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use crate::capture::{self, Grab, Pace, SourceKind, SourceSpec};
use crate::game::Text;
use crate::service::{self, Config};
use crate::signal;
use crate::signal::port::Places;

/// Arguments of `goband check`.
#[derive(Args)]
pub struct CheckArgs {
    /// The configuration
    config: PathBuf,
    /// The language of what is found; both when absent
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
    let mut report = Report { language: args.language, wrong: 0 };
    let file = args.config.display();
    report.tell("file", Ok(text(format!("{file}: every key is known"), format!("{file}:各项均可识别"))));
    let ruleset = &config.table.ruleset;
    report.tell("rules", Ok(text(format!("the ruleset {ruleset}"), format!("规则 {ruleset}"))));
    report.tell("source", try_source(&spec, &config));
    report.tell("records", try_records(&config.table.records));
    if let Some(feed) = &setup.feed {
        report.tell("page", try_page(feed.listen));
    }
    for device in &config.signal {
        let found = signal::probe(device, &Places::default());
        let name = device.name();
        let words = text(format!("{name}: {}", found.text.en), format!("{name}:{}", found.text.zh));
        report.tell("signal", if found.is_well { Ok(words) } else { Err(words) });
    }
    if config.clock.software {
        let words = match config.clock.times(&setup.referee.ruleset) {
            Ok(t) => {
                let [main, period] = [t.main_ms / 1000, t.period_ms / 1000];
                Ok(text(
                    format!(
                        "goband keeps the time: {main} s of main time, {} byo-yomi periods of {period} s",
                        t.periods
                    ),
                    format!("由 goband 计时:基本用时 {main} 秒,读秒 {} 次,每次 {period} 秒", t.periods),
                ))
            }
            Err((key, problem)) => Err(text(format!("{key}: {problem}"), format!("{key}:{problem}"))),
        };
        report.tell("clock", words);
    }
    report.end();
    Ok(if report.wrong == 0 { 0 } else { 1 })
}

fn text(en: impl Into<String>, zh: impl Into<String>) -> Text {
    Text { en: en.into(), zh: zh.into() }
}

/// Prints what was found, in one language or both.
struct Report {
    language: Option<Tongue>,
    wrong: usize,
}

impl Report {
    fn tell(&mut self, what: &str, found: Result<Text, Text>) {
        self.wrong += usize::from(found.is_err());
        let zh_name = match what {
            "file" => "配置",
            "rules" => "规则",
            "source" => "画面",
            "records" => "记录",
            "page" => "网页",
            "signal" => "设备",
            _ => "棋钟",
        };
        let (en, zh) = if found.is_ok() { ("ok   ", "正常") } else { ("WRONG", "有误") };
        let (Ok(words) | Err(words)) = found;
        if self.language != Some(Tongue::Zh) {
            println!("{en}  {what:<8} {}", words.en);
        }
        if self.language != Some(Tongue::En) {
            // two letters' width a character
            let indent = if self.language.is_none() { "       " } else { "" };
            println!("{indent}{zh}  {zh_name}     {}", words.zh);
        }
    }

    fn end(&self) {
        let (en, zh) = match self.wrong {
            0 => ("Everything will work as configured, as far as can be told.".into(), "均可按配置工作。".into()),
            1 => ("One thing would not work.".into(), "有一项不能工作。".into()),
            n => (format!("{n} things would not work."), format!("有 {n} 项不能工作。")),
        };
        match self.language {
            Some(Tongue::En) => println!("{en}"),
            Some(Tongue::Zh) => println!("{zh}"),
            None => println!("{en} {zh}"),
        }
    }
}

fn try_page(address: SocketAddr) -> Result<Text, Text> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(text(format!("http://{address}/ is free"), format!("http://{address}/ 可用"))),
        Err(e) => Err(text(
            format!("{address}: {e}; is goband running already? else choose another port with `listen` under [feed]"),
            format!("{address}:{e};goband 是否已在运行?否则请在 [feed] 的 listen 中另选端口"),
        )),
    }
}

fn try_source(spec: &SourceSpec, config: &Config) -> Result<Text, Text> {
    look(spec, config).map_err(|e| text(format!("{e:#}"), format!("没有画面:{e:#}")))
}

fn look(spec: &SourceSpec, config: &Config) -> Result<Text> {
    if matches!(spec.kind(), SourceKind::Virtual(_)) {
        service::open_source(spec, &super::run::open_options(config), Pace::AsFastAsItGoes, false)?;
        return Ok(text("the virtual board", "虚拟棋盘"));
    }
    let mut source = capture::open(spec, &super::run::open_options(config))?;
    let mut reason = String::new();
    for _ in 0..10 {
        match source.grab() {
            Grab::Frame(frame) => {
                let ([w, h], name) = (frame.size(), source.name());
                return Ok(text(format!("{name}: gives pictures of {w}×{h}"), format!("{name}:有画面,{w}×{h}")));
            }
            Grab::End => bail!("{}: holds no picture", source.name()),
            Grab::Lost(why) => reason = why,
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    bail!("{}: opens, but gives no picture ({reason})", source.name())
}

fn try_records(folder: &Path) -> Result<Text, Text> {
    let shown = folder.display();
    std::fs::create_dir_all(folder)
        .map_err(|e| text(format!("{shown}: cannot be made: {e}"), format!("{shown}:无法创建:{e}")))?;
    let probe = folder.join(".goband-probe");
    let written = std::fs::write(&probe, [0u8; 4096]).and_then(|()| std::fs::remove_file(&probe));
    written.map_err(|e| {
        text(
            format!("{shown}: cannot be written ({e}); free some space or give the right to"),
            format!("{shown}:无法写入({e});请清理磁盘或授予权限"),
        )
    })?;
    Ok(text(format!("{shown} can be written"), format!("{shown} 可写")))
}
