//! Which device file a configured port means now: a path, a name of `/dev/serial/by-id`, or USB vendor and product.
//!
//! Enters: the configuration's text, the system's tables (`/sys`, `/dev`; another root in tests). Leaves: a path to open.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where the system keeps its tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub sys: PathBuf,
    pub dev: PathBuf,
}

impl Default for Places {
    fn default() -> Places {
        Places { sys: "/sys".into(), dev: "/dev".into() }
    }
}

/// A configured port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortName {
    /// A path; a name of `by-id` stays the same when other devices come and go.
    Path(String),
    /// `usb:1A86:7523` or `usb:1A86:7523:SERIAL`: whatever it is called now.
    Usb { vendor: u16, product: u16, serial: Option<String> },
}

impl FromStr for PortName {
    type Err = String;

    fn from_str(text: &str) -> Result<PortName, String> {
        let text = text.trim();
        let Some(ids) = text.strip_prefix("usb:") else {
            return if text.is_empty() {
                Err("name the port, such as \"/dev/ttyUSB0\", \"/dev/serial/by-id/…\" or \"usb:1A86:7523\"".into())
            } else {
                Ok(PortName::Path(text.into()))
            };
        };
        let mut parts = ids.splitn(3, ':');
        let mut id = || parts.next().filter(|p| p.len() <= 4).and_then(|p| u16::from_str_radix(p, 16).ok());
        match (id(), id()) {
            (Some(vendor), Some(product)) => {
                let serial = parts.next().filter(|s| !s.is_empty()).map(str::to_owned);
                Ok(PortName::Usb { vendor, product, serial })
            }
            _ => Err(format!(
                "{text:?}: write \"usb:VENDOR:PRODUCT\" with hexadecimal numbers as `goband devices` shows them, such as \
                 \"usb:1A86:7523\", and \":SERIAL\" after it where there are several"
            )),
        }
    }
}

impl fmt::Display for PortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortName::Path(path) => f.write_str(path),
            PortName::Usb { vendor, product, serial } => {
                write!(f, "usb:{vendor:04X}:{product:04X}")?;
                serial.iter().try_for_each(|s| write!(f, ":{s}"))
            }
        }
    }
}

/// A serial port that the system knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPort {
    /// Such as `ttyUSB0`.
    pub name: String,
    pub path: PathBuf,
    pub usb: Option<UsbIdentity>,
}

/// What a USB device says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsbIdentity {
    pub vendor: u16,
    pub product: u16,
    pub serial: Option<String>,
    /// Maker and product, in words.
    pub words: String,
}

/// Every serial port with a device behind it, in the order of their names.
pub fn known_ports(places: &Places) -> Vec<KnownPort> {
    let Ok(entries) = fs::read_dir(places.sys.join("class/tty")) else { return Vec::new() };
    let mut ports: Vec<KnownPort> = entries
        .flatten()
        .filter_map(|entry| {
            let device = entry.path().join("device").canonicalize().ok()?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = places.dev.join(&name);
            // the old sockets of a PC stand in the table whether they exist or not
            let is_platform = device
                .join("subsystem")
                .canonicalize()
                .is_ok_and(|s| s.ends_with("platform") || s.ends_with("serial-base"));
            let is_there = fs::metadata(&path).is_ok() && (!is_platform || has_hardware(&entry.path()));
            is_there.then(|| KnownPort { usb: usb_identity(&device), name, path })
        })
        .collect();
    ports.sort_by(|a, b| a.name.len().cmp(&b.name.len()).then_with(|| a.name.cmp(&b.name)));
    ports
}

/// An old socket with a chip behind it has a type.
fn has_hardware(tty: &Path) -> bool {
    fs::read_to_string(tty.join("type")).is_ok_and(|t| t.trim() != "0")
}

/// The USB device that a port belongs to: the nearest folder above it with a vendor.
fn usb_identity(device: &Path) -> Option<UsbIdentity> {
    let read = |folder: &Path, file: &str| {
        fs::read_to_string(folder.join(file)).ok().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty())
    };
    let hex = |text: String| u16::from_str_radix(&text, 16).ok();
    device.ancestors().take(6).find_map(|folder| {
        let vendor = hex(read(folder, "idVendor")?)?;
        let product = hex(read(folder, "idProduct")?)?;
        let words = [read(folder, "manufacturer"), read(folder, "product")].into_iter().flatten().collect::<Vec<_>>();
        Some(UsbIdentity { vendor, product, serial: read(folder, "serial"), words: words.join(" ") })
    })
}

/// The path to open now.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] with what was looked for; other errors of the system's tables.
pub fn resolve(port: &PortName, places: &Places) -> io::Result<PathBuf> {
    let (vendor, product, serial) = match port {
        PortName::Path(path) => return Ok(path.into()),
        PortName::Usb { vendor, product, serial } => (*vendor, *product, serial.as_deref()),
    };
    let is_meant = |p: &KnownPort| {
        p.usb.as_ref().is_some_and(|usb| {
            (usb.vendor, usb.product) == (vendor, product) && serial.is_none_or(|s| usb.serial.as_deref() == Some(s))
        })
    };
    let found: Vec<KnownPort> = known_ports(places).into_iter().filter(is_meant).collect();
    match found.as_slice() {
        [] => Err(io::Error::new(io::ErrorKind::NotFound, format!("no USB device {port} is plugged in"))),
        [only] => Ok(only.path.clone()),
        // two alike: which is which would be chance
        [first, ..] => {
            let names: Vec<&str> = found.iter().map(|p| p.name.as_str()).collect();
            let is_one_device =
                found.iter().all(|p| p.usb.as_ref().map(|u| &u.serial) == first.usb.as_ref().map(|u| &u.serial))
                    && first.usb.as_ref().is_some_and(|u| u.serial.is_some());
            if is_one_device {
                return Ok(first.path.clone());
            }
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "several USB devices are {port} ({}); add their serial number, or use /dev/serial/by-path/…",
                    names.join(", ")
                ),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A system with USB devices: name of the port, vendor, product, serial number.
    fn system(devices: &[(&str, &str, &str, Option<&str>)]) -> (tempfile::TempDir, Places) {
        let root = tempfile::tempdir().unwrap();
        let places = Places { sys: root.path().join("sys"), dev: root.path().join("dev") };
        fs::create_dir_all(places.sys.join("class/tty")).unwrap();
        fs::create_dir_all(&places.dev).unwrap();
        for (n, (name, vendor, product, serial)) in devices.iter().enumerate() {
            let usb = places.sys.join(format!("devices/pci/usb1/1-{n}"));
            let tty = usb.join("1-1:1.0").join(name);
            fs::create_dir_all(tty.join("tty").join(name)).unwrap();
            fs::write(usb.join("idVendor"), format!("{vendor}\n")).unwrap();
            fs::write(usb.join("idProduct"), format!("{product}\n")).unwrap();
            fs::write(usb.join("product"), "USB Serial\n").unwrap();
            if let Some(serial) = serial {
                fs::write(usb.join("serial"), format!("{serial}\n")).unwrap();
            }
            symlink(&tty, tty.join("tty").join(name).join("device")).unwrap();
            symlink(tty.join("tty").join(name), places.sys.join("class/tty").join(name)).unwrap();
            fs::write(places.dev.join(name), "").unwrap();
        }
        (root, places)
    }

    #[test]
    fn a_usb_device_is_found_whatever_it_is_called() {
        let port: PortName = "usb:1a86:7523".parse().unwrap();
        assert_eq!(port.to_string(), "usb:1A86:7523");
        let (_root, places) = system(&[("ttyUSB1", "1a86", "7523", None), ("ttyACM0", "2341", "0043", Some("X1"))]);
        assert_eq!(resolve(&port, &places).unwrap(), places.dev.join("ttyUSB1"));
        let (_root, places) = system(&[("ttyUSB7", "1a86", "7523", None)]);
        assert_eq!(resolve(&port, &places).unwrap(), places.dev.join("ttyUSB7"));
        let ports = known_ports(&places);
        assert_eq!(ports[0].usb.as_ref().unwrap().words, "USB Serial");
    }

    #[test]
    fn two_alike_are_told_apart_by_their_serial_number_or_refused() {
        let (_root, places) =
            system(&[("ttyUSB0", "0403", "6001", Some("A1")), ("ttyUSB1", "0403", "6001", Some("B2"))]);
        let resolve = |text: &str| resolve(&text.parse().unwrap(), &places);
        assert_eq!(resolve("usb:0403:6001:B2").unwrap(), places.dev.join("ttyUSB1"));
        let error = resolve("usb:0403:6001").unwrap_err().to_string();
        assert!(error.contains("ttyUSB0, ttyUSB1"), "{error}");
        assert_eq!(resolve("usb:0403:6015").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn names_that_mean_nothing_are_refused_with_an_example() {
        for text in ["", " ", "usb:", "usb:1A86", "usb:zzzz:7523", "usb:12345:1"] {
            assert!(text.parse::<PortName>().unwrap_err().contains("usb:"), "{text}");
        }
        assert_eq!("/dev/ttyS0".parse(), Ok(PortName::Path("/dev/ttyS0".into())));
    }
}
