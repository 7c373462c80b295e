//! `goband devices`: the cameras and serial ports of this machine.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::capture::cameras;
use crate::game::Text;
use crate::signal::port::{KnownPort, Places, UsbIdentity, known_ports};

use super::Format;

/// Arguments of `goband devices`.
#[derive(Args)]
pub struct DevicesArgs {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Lists what is there.
///
/// # Errors
/// None so far.
pub fn run(args: DevicesArgs) -> Result<u8> {
    let cameras = cameras();
    let ports = serial_ports();
    if args.format == Format::Json {
        let json = |p: &Port| serde_json::json!({"path": p.path, "what": p.what, "names": p.stable});
        let ports: Vec<_> = ports.iter().map(json).collect();
        println!("{}", serde_json::json!({"cameras": cameras, "ports": ports}));
        return Ok(0);
    }
    println!("cameras");
    for c in &cameras {
        let note = if c.primary { "" } else { "  (a second node of a camera; rarely gives pictures)" };
        println!("  {:<3} {:<14} {}{note}", c.number, c.path.display(), c.name);
    }
    if cameras.is_empty() {
        println!("  none: plug one in; a stream (rtsp://, http://) needs no entry here");
    }
    println!("serial ports");
    for port in &ports {
        println!("  {:<14} {}\n  {:<14} {}", port.path, port.what.en, "", port.what.zh);
        // `port` in the configuration: these find the device whatever it is called next time
        port.stable.iter().for_each(|name| println!("  {:<14} port = {name:?}", ""));
    }
    if ports.is_empty() {
        println!("  none: plug the console, the lamp or the clock in  没有:请插入裁判终端、灯或棋钟");
    }
    Ok(0)
}

/// A port and what it seems to be.
struct Port {
    path: String,
    /// Names that stay the same when other devices come and go.
    stable: Vec<String>,
    what: Text,
}

/// The serial ports of the system, with what their makers say of them.
fn serial_ports() -> Vec<Port> {
    let by_id: Vec<(PathBuf, PathBuf)> = std::fs::read_dir("/dev/serial/by-id")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.path().canonicalize().ok()?, entry.path())))
        .collect();
    let port = |known: KnownPort| {
        let mut stable: Vec<String> =
            by_id.iter().filter(|(real, _)| *real == known.path).map(|(_, name)| name.display().to_string()).collect();
        let what = match &known.usb {
            Some(usb) => {
                let serial = usb.serial.as_ref().map(|s| format!(":{s}")).unwrap_or_default();
                stable.push(format!("usb:{:04X}:{:04X}{serial}", usb.vendor, usb.product));
                seems(usb)
            }
            None => Text { en: "a serial port of this machine".into(), zh: "本机串口".into() },
        };
        Port { path: known.path.display().to_string(), stable, what }
    };
    known_ports(&Places::default()).into_iter().map(port).collect()
}

/// What a USB device seems to be.
fn seems(usb: &UsbIdentity) -> Text {
    let (en, zh) = match (usb.vendor, usb.product) {
        (0x1a86, 0x7523 | 0x5523) => (
            "CH340: an LCUS relay lamp (kind = \"lamp\"), a tower lamp (\"tower\"), an Arduino, or an adapter",
            "CH340:LCUS 继电器灯(kind = \"lamp\")、警示灯(\"tower\")、Arduino 或转接线",
        ),
        (0x1a86, 0x55d3 | 0x55d4) => (
            "CH343/CH9102: often an RS-485 adapter for Modbus relays (\"modbus\"), or a microcontroller (\"console\", \"clock\")",
            "CH343/CH9102:常见于 Modbus 继电器的 RS-485 转接线(\"modbus\"),或单片机(\"console\"、\"clock\")",
        ),
        (0x0403, _) => (
            "FTDI adapter: Modbus relays (\"modbus\"), lamps and buttons on its lines (\"lines\"), or a board (\"dgt\")",
            "FTDI 转接线:Modbus 继电器(\"modbus\")、信号线上的灯和按钮(\"lines\")或电子棋盘(\"dgt\")",
        ),
        (0x10c4, 0xea60) => (
            "CP210x adapter: a microcontroller such as an ESP32 (\"console\", \"clock\", \"dgt3000\"), or an adapter",
            "CP210x:ESP32 等单片机(\"console\"、\"clock\"、\"dgt3000\")或转接线",
        ),
        (0x067b, _) => ("PL2303 adapter", "PL2303 转接线"),
        (0x2341 | 0x2a03 | 0x1b4f | 0x239a | 0x2e8a | 0x303a | 0x16c0, _) => (
            "a microcontroller: a console or clock that speaks goband's protocol (\"console\", \"clock\")",
            "单片机:使用 goband 协议的裁判终端或棋钟(\"console\"、\"clock\")",
        ),
        _ => ("USB serial device", "USB 串口设备"),
    };
    let words = if usb.words.is_empty() { String::new() } else { format!(" [{}]", usb.words) };
    Text { en: format!("{en}{words}"), zh: format!("{zh}{words}") }
}
