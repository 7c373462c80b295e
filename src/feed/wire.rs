//! One connection: bytes in and out, every wait with an end.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::http::{self, Body, Method, Refusal, Request, Response, refuse};

/// How long a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From the first byte of a request to its last.
    pub request: Duration,
    /// Between requests.
    pub idle: Duration,
    /// For taking a message or a chunk of an answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { request: Duration::from_secs(10), idle: Duration::from_secs(30), answer: Duration::from_secs(10) }
    }
}

/// Longest body of a request, in bytes.
pub const MAX_BODY: usize = 8 * 1024;
/// Answers are written in pieces of this size, each with its own deadline.
const PIECE: usize = 64 * 1024;

/// What came of waiting for a request.
#[derive(Debug)]
pub enum Incoming {
    Request(Box<Request>),
    /// The client left or was silent between requests.
    Gone,
    Refused(Refusal),
}

/// See the module.
pub struct Wire {
    stream: Arc<TcpStream>,
    /// Read but not yet used.
    ahead: Vec<u8>,
}

impl Wire {
    pub fn new(stream: Arc<TcpStream>) -> Wire {
        Wire { stream, ahead: Vec::new() }
    }

    /// Reads one request with its body.
    pub fn read_request(&mut self, patience: &Patience) -> io::Result<Incoming> {
        if self.ahead.is_empty() {
            match self.read_more(Instant::now() + patience.idle) {
                Ok(0) => return Ok(Incoming::Gone),
                Err(e) if is_timeout(&e) => return Ok(Incoming::Gone),
                other => other?,
            };
        }
        let deadline = Instant::now() + patience.request;
        let end = loop {
            if let Some(end) = http::head_end(&self.ahead) {
                break end;
            }
            if let Err(refusal) = http::too_long(&self.ahead) {
                return Ok(Incoming::Refused(refusal));
            }
            match self.read_more(deadline) {
                Ok(0) => return Ok(Incoming::Gone),
                Err(e) if is_timeout(&e) => return Ok(refused(408, "the request did not come to its end in time")),
                other => other?,
            };
        };
        let mut request = match http::parse_head(&self.ahead[..end]) {
            Ok(request) => request,
            Err(refusal) => return Ok(Incoming::Refused(refusal)),
        };
        self.ahead.drain(..end);
        if request.body_length > MAX_BODY {
            return Ok(refused(413, "the body is too long"));
        }
        if request.body_length > self.ahead.len()
            && request.field("expect").is_some_and(|e| e.eq_ignore_ascii_case("100-continue"))
        {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n", deadline)?;
        }
        while self.ahead.len() < request.body_length {
            match self.read_more(deadline) {
                Ok(0) => return Ok(Incoming::Gone),
                Err(e) if is_timeout(&e) => return Ok(refused(408, "the body did not come to its end in time")),
                other => other?,
            };
        }
        request.body = self.ahead.drain(..request.body_length).collect();
        Ok(Incoming::Request(Box::new(request)))
    }

    fn read_more(&mut self, deadline: Instant) -> io::Result<usize> {
        let mut piece = [0; 4096];
        loop {
            self.stream.set_read_timeout(Some(left(deadline)?))?;
            match (&*self.stream).read(&mut piece) {
                Ok(n) => {
                    self.ahead.extend_from_slice(&piece[..n]);
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Writes all of it before the deadline, or fails.
    pub fn write(&mut self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        // `write_all` would give a client that takes a byte now and then all the time of the world
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(deadline)?))?;
            match (&*self.stream).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Sends an answer, without its body where the method is HEAD.
    pub fn send(
        &mut self,
        response: Response,
        method: Method,
        keep_alive: bool,
        patience: &Patience,
    ) -> io::Result<()> {
        let mut head = response.head(keep_alive);
        if method == Method::Head {
            return self.write(&head, Instant::now() + patience.answer);
        }
        let bytes: &[u8] = match &response.body {
            Body::Empty => &[],
            Body::Static(text) => text.as_bytes(),
            Body::Bytes(bytes) => bytes,
            Body::Shared(bytes) => bytes,
            Body::File(file, length) => {
                self.write(&head, Instant::now() + patience.answer)?;
                return self.send_file(file, *length, patience);
            }
        };
        // short answers in one packet
        let (first, rest) = bytes.split_at(bytes.len().min(PIECE));
        head.extend_from_slice(first);
        self.write(&head, Instant::now() + patience.answer)?;
        rest.chunks(PIECE).try_for_each(|piece| self.write(piece, Instant::now() + patience.answer))
    }

    fn send_file(&mut self, mut file: &std::fs::File, length: u64, patience: &Patience) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        let mut left = length;
        while left > 0 {
            let want = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            // A file that has become shorter breaks the promised length: the connection has to end.
            let n = match file.read(&mut piece[..want])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => n,
            };
            self.write(&piece[..n], Instant::now() + patience.answer)?;
            left -= n as u64;
        }
        Ok(())
    }

    /// Ends the connection so that the answer still arrives: closing with unread bytes makes the system throw the answer away.
    pub fn close_gently(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
        let deadline = Instant::now() + Duration::from_millis(500);
        let mut drained = 0;
        while drained < 256 * 1024 {
            self.ahead.clear();
            match self.read_more(deadline) {
                Ok(0) | Err(_) => break,
                Ok(n) => drained += n,
            }
        }
    }
}

fn refused(status: u16, why: &'static str) -> Incoming {
    match refuse::<()>(status, why) {
        Err(refusal) => Incoming::Refused(refusal),
        Ok(()) => Incoming::Gone,
    }
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    // a time-out of zero would mean none at all
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left.max(Duration::from_millis(1))) }
}

fn is_timeout(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}
