//! A serial port that never blocks: reads and writes take what there is, waiting is done for port and wake-up together.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serialport::{ClearBuffer, SerialPort, TTYPort};

/// An open terminal.
#[derive(Debug)]
pub struct Tty {
    port: TTYPort,
    /// Device number of the path when it was opened.
    device: Option<u64>,
}

/// The lines of a port beside its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputLines {
    pub cts: bool,
    pub dsr: bool,
    pub ri: bool,
    pub cd: bool,
}

/// Something that has such lines. (A pseudo-terminal has none; tests use a stand-in.)
pub trait ModemLines {
    /// Raises or lowers the outputs.
    ///
    /// # Errors
    /// The port is gone, or has no such lines.
    fn set_outputs(&mut self, dtr: bool, rts: bool) -> io::Result<()>;

    /// Reads the inputs.
    ///
    /// # Errors
    /// The port is gone, or has no such lines.
    fn inputs(&mut self) -> io::Result<InputLines>;
}

impl ModemLines for Tty {
    fn set_outputs(&mut self, dtr: bool, rts: bool) -> io::Result<()> {
        let bit = |on: bool, line| if on { line } else { 0 };
        let raised: libc::c_int = bit(dtr, libc::TIOCM_DTR) | bit(rts, libc::TIOCM_RTS);
        let lowered = (libc::TIOCM_DTR | libc::TIOCM_RTS) & !raised;
        // one call each way: TIOCMSET would touch what is not ours
        // SAFETY: plain system calls on a descriptor that `port` keeps open, with pointers to numbers that live through them.
        let result = unsafe {
            let lower = libc::ioctl(self.port.as_raw_fd(), libc::TIOCMBIC, &raw const lowered);
            if raised == 0 {
                lower
            } else {
                lower | libc::ioctl(self.port.as_raw_fd(), libc::TIOCMBIS, &raw const raised)
            }
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn inputs(&mut self) -> io::Result<InputLines> {
        let mut lines: libc::c_int = 0;
        // SAFETY: as above; the kernel writes one number.
        if unsafe { libc::ioctl(self.port.as_raw_fd(), libc::TIOCMGET, &raw mut lines) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let is_up = |line| lines & line != 0;
        Ok(InputLines {
            cts: is_up(libc::TIOCM_CTS),
            dsr: is_up(libc::TIOCM_DSR),
            ri: is_up(libc::TIOCM_RI),
            cd: is_up(libc::TIOCM_CD),
        })
    }
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The port has bytes, room, or an error to tell.
    pub port: bool,
    pub woken: bool,
}

impl Tty {
    /// Opens a port by path.
    ///
    /// # Errors
    /// Missing, in use, not a terminal, baud rate not possible.
    pub fn open(path: &Path, baud: u32) -> io::Result<Tty> {
        let name = path.to_string_lossy();
        // On a pseudo-terminal the "exclusive" mark outlives a killed program and would lock out the next one; the lock
        // on the file, taken below, does not.
        let is_pseudo = fs::canonicalize(path).is_ok_and(|real| real.starts_with("/dev/pts"));
        let builder = serialport::new(name, baud).timeout(Duration::ZERO).exclusive(!is_pseudo).preserve_dtr_on_open();
        let port = TTYPort::open(&builder).map_err(|e| open_error(path, e))?;
        if is_pseudo {
            // SAFETY: flock only reads the descriptor, which `port` keeps open.
            if unsafe { libc::flock(port.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program uses it"));
            }
        }
        let mut tty = Tty::new(port)?;
        tty.keep_lines_at_close();
        tty.device = device_number(path);
        Ok(tty)
    }

    /// Takes over an open port.
    ///
    /// # Errors
    /// The system refuses the mode.
    pub fn new(mut port: TTYPort) -> io::Result<Tty> {
        port.set_timeout(Duration::ZERO)?;
        let fd = port.as_raw_fd();
        // SAFETY: plain system calls on a descriptor that `port` keeps open.
        let refused = unsafe {
            let flags = libc::fcntl(fd, libc::F_GETFL);
            flags < 0
                || libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0
                || libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) < 0
        };
        if refused {
            return Err(io::Error::last_os_error());
        }
        Ok(Tty { port, device: None })
    }

    /// Without this closing the port lowers DTR and RTS, and the next opening raises them: a lamp on them would blink, a
    /// microcontroller start anew. (The very first opening after plugging in raises them all the same.)
    fn keep_lines_at_close(&self) {
        // SAFETY: the structure is filled by the first call before the second reads it.
        unsafe {
            let mut settings = std::mem::zeroed::<libc::termios>();
            if libc::tcgetattr(self.port.as_raw_fd(), &raw mut settings) == 0 {
                settings.c_cflag &= !libc::HUPCL;
                // a port that cannot is as it always was
                let _ = libc::tcsetattr(self.port.as_raw_fd(), libc::TCSANOW, &raw const settings);
            }
        }
    }

    /// Bytes that have arrived; 0: none.
    ///
    /// # Errors
    /// The other end or the device is gone.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // not through the library, which gives up what was sent before the other end closed
        // SAFETY: the descriptor is kept open by `port`, the buffer is ours and its length is given.
        let count = unsafe { libc::read(self.port.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(0) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(count) => Ok(count),
            Err(_) => match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::EIO) => Err(io::ErrorKind::BrokenPipe.into()),
                e => nothing_yet(Err(e)),
            },
        }
    }

    /// Writes as many bytes as there is room for, maybe none.
    ///
    /// # Errors
    /// The other end or the device is gone.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        nothing_yet(self.port.write(bytes))
    }

    /// For [`wait`]; good as long as the port is open.
    pub fn descriptor(&self) -> RawFd {
        self.port.as_raw_fd()
    }

    /// Bytes that are written but not sent yet.
    pub fn unsent(&self) -> usize {
        self.port.bytes_to_write().map_or(0, |n| n as usize)
    }

    /// False when the path is gone or now means another device: the port was pulled out, or came back elsewhere.
    pub fn is_still(&self, path: &Path) -> bool {
        self.device.is_none() || device_number(path) == self.device
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // Closing a port waits up to 30 s for bytes that a stuck device does not take. (A pseudo-terminal counts none, and
        // would lose what the other end has not read yet.)
        if self.unsent() > 0 {
            let _ = self.port.clear(ClearBuffer::Output);
        }
    }
}

/// The library says "no device" for a port that somebody else holds, too.
fn open_error(path: &Path, error: serialport::Error) -> io::Error {
    let is_there = fs::metadata(path).is_ok();
    match error.kind {
        serialport::ErrorKind::NoDevice if is_there => io::Error::new(io::ErrorKind::ResourceBusy, error.description),
        _ => error.into(),
    }
}

fn device_number(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|m| m.rdev())
}

fn nothing_yet(result: io::Result<usize>) -> io::Result<usize> {
    use io::ErrorKind as K;
    match result {
        Err(e) if matches!(e.kind(), K::TimedOut | K::WouldBlock | K::Interrupted) => Ok(0),
        other => other,
    }
}

/// Waits until the port of this descriptor has bytes (or room, if `to_write`), somebody wakes, or the time is over.
pub fn wait(port: Option<RawFd>, to_write: bool, wake: Option<&UnixStream>, timeout: Duration) -> Ready {
    let entry = |fd: Option<RawFd>, events| libc::pollfd { fd: fd.unwrap_or(-1), events, revents: 0 };
    let port_events = if to_write { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
    let mut entries = [entry(port, port_events), entry(wake.map(|w| w.as_raw_fd()), libc::POLLIN)];
    // rounded up: a wait of zero in a loop would burn the processor
    let timeout_ms = i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: the array lives through the call, its length is given; negative descriptors are skipped.
    let count = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, timeout_ms) };
    if count <= 0 {
        return Ready::default();
    }
    let woken = entries[1].revents != 0;
    if let (true, Some(mut wake)) = (woken, wake) {
        let mut bytes = [0; 64];
        while matches!(wake.read(&mut bytes), Ok(n) if n == bytes.len()) {}
    }
    Ready { port: entries[0].revents != 0, woken }
}

/// How far a device's thread goes before others: it does little, and what it does is waited for.
const NICE: libc::c_int = -10;

/// Lets this thread go before those that work on pictures, where the system allows that (root, or `LimitNICE` of systemd).
pub fn hurry() {
    // SAFETY: a plain system call; to Linux "this process" is the calling thread alone.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) } != 0 {
        tracing::debug!("a device's thread has no right to go before others");
    }
}

/// Both ends of a wake-up: a byte written into the first ends a [`wait`] on the second.
///
/// # Errors
/// No descriptors left.
pub fn wake_pair() -> io::Result<(UnixStream, UnixStream)> {
    let (waker, wake) = UnixStream::pair()?;
    waker.set_nonblocking(true)?;
    wake.set_nonblocking(true)?;
    Ok((waker, wake))
}

/// Ends a [`wait`]. A full pipe is as good as a byte in it.
pub fn wake(mut waker: &UnixStream) {
    let _ = waker.write(&[1]);
}
