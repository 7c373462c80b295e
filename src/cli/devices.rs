//! `goband devices`: the cameras and serial ports of this machine.

use anyhow::Result;
use clap::Args;

use crate::capture::cameras;

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
/// The system does not tell the ports.
pub fn run(args: DevicesArgs) -> Result<u8> {
    let cameras = cameras();
    let ports = serial_ports()?;
    if args.format == Format::Json {
        let ports: Vec<_> = ports.iter().map(|(path, what)| serde_json::json!({"path": path, "what": what})).collect();
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
    for (path, what) in &ports {
        println!("  {path:<40} {what}");
    }
    if ports.is_empty() {
        println!("  none: plug the console or the lamp in");
    }
    Ok(0)
}

/// Ports with what they seem to be; also under the names of `/dev/serial/by-id`, which stay the same.
fn serial_ports() -> Result<Vec<(String, String)>> {
    let mut ports = Vec::new();
    if let Ok(entries) = std::fs::read_dir("/dev/serial/by-id") {
        for entry in entries.flatten() {
            let path = entry.path().display().to_string();
            let target = entry.path().canonicalize().map(|t| t.display().to_string()).unwrap_or_default();
            ports.push((path.clone(), format!("{} ({target})", guess(&path))));
        }
    }
    for port in serialport::available_ports()? {
        let what = match port.port_type {
            serialport::SerialPortType::UsbPort(usb) => {
                format!("USB {:04X}:{:04X} {}", usb.vid, usb.pid, usb.product.unwrap_or_default())
            }
            _ => guess(&port.port_name).to_string(),
        };
        ports.push((port.port_name, what));
    }
    ports.sort();
    Ok(ports)
}

/// What a port's name says.
fn guess(name: &str) -> &'static str {
    let lower = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| lower.contains(w));
    if has(&["1a86", "ch340"]) {
        "CH340: an LCUS relay lamp, or an adapter"
    } else if has(&["ttyacm", "arduino"]) {
        "USB device: a console or a microcontroller"
    } else if has(&["ttyusb", "ftdi", "cp210"]) {
        "USB serial adapter"
    } else {
        "serial port"
    }
}
