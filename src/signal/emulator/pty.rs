//! A pseudo-terminal with a name of one's choice.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serialport::{SerialPort, TTYPort};

use crate::signal::link::Tty;

/// The device's end of a pseudo-terminal. Dropping it is like pulling the plug.
#[derive(Debug)]
pub struct Pty {
    pub(super) tty: Tty,
    port: PathBuf,
    link: Option<PathBuf>,
}

impl Pty {
    /// Makes a pseudo-terminal, and a symbolic link to it.
    ///
    /// # Errors
    /// None left; something that is no stale link of an emulator is in the link's place.
    pub fn open(link: Option<&Path>) -> io::Result<Pty> {
        let (master, slave) = TTYPort::pair().map_err(io::Error::from)?;
        let port = PathBuf::from(slave.name().ok_or_else(|| io::Error::other("the pseudo-terminal has no name"))?);
        // goband's end is opened by goband alone, so that its end shows here
        drop(slave);
        let pty = Pty { tty: Tty::new(master)?, port, link: link.map(Path::to_owned) };
        if let Some(link) = link {
            make_link(&pty.port, link)?;
        }
        Ok(pty)
    }

    /// The path to open: the link if there is one.
    pub fn path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.port)
    }
}

fn make_link(port: &Path, link: &Path) -> io::Result<()> {
    match fs::symlink_metadata(link) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(e),
        Ok(found) => {
            // left over by an emulator that was killed
            let is_stale = found.is_symlink() && fs::read_link(link).is_ok_and(|to| to.starts_with("/dev/pts"));
            if !is_stale {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    format!("{} exists and is no link of an emulator; it is not overwritten", link.display()),
                ));
            }
        }
    }
    // renamed into place, so that the link is never missing in between
    let mut temporary = link.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let _ = fs::remove_file(&temporary);
    symlink(port, &temporary)?;
    fs::rename(&temporary, link)
}

impl Drop for Pty {
    fn drop(&mut self) {
        if let Some(link) = &self.link
            && fs::read_link(link).is_ok_and(|to| to == self.port)
        {
            let _ = fs::remove_file(link);
        }
    }
}
