//! The listener and a thread for each connection, all counted.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::FeedConfig;
use super::FeedError;
use super::http::{Method, Refusal, Response};
use super::hub::Hub;
use super::operator::OperatorInput;
use super::routes::{self, Answer};
use super::stream;
use super::wire::{Incoming, Wire};

/// What every connection knows.
pub struct Context {
    pub config: FeedConfig,
    pub hub: Arc<Hub>,
    pub listening: SocketAddr,
    pub input: Sender<OperatorInput>,
}

struct Connection {
    stream: Arc<TcpStream>,
    peer: IpAddr,
    /// An answer is under way.
    busy: Arc<AtomicBool>,
}

type Connections = Arc<Mutex<HashMap<u64, Connection>>>;

/// The running server.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
    connections: Connections,
    hub: Arc<Hub>,
}

/// Enough for the deepest answer, little enough for hundreds of threads.
const STACK: usize = 256 * 1024;
/// Requests on one connection, so that a client comes by the gate now and then.
const MAX_REQUESTS: usize = 10_000;

impl Server {
    pub fn spawn(config: FeedConfig, hub: Arc<Hub>, input: Sender<OperatorInput>) -> Result<Server, FeedError> {
        let listener = TcpListener::bind(config.listen).map_err(|source| FeedError::of_bind(config.listen, source))?;
        let address = listener.local_addr().map_err(FeedError::Start)?;
        let stop = Arc::new(AtomicBool::new(false));
        let connections = Connections::default();
        let context = Arc::new(Context { config, hub: hub.clone(), listening: address, input });
        let accepting = {
            let (stop, connections) = (stop.clone(), connections.clone());
            thread::Builder::new()
                .name("feed".into())
                .spawn(move || accept(&listener, &context, &connections, &stop))
                .map_err(FeedError::Start)?
        };
        Ok(Server { address, stop, accepting: Some(accepting), connections, hub })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Open connections.
    pub fn clients(&self) -> usize {
        lock(&self.connections).len()
    }

    /// Ends streams with a farewell, lets answers under way finish for up to a second, and closes everything.
    pub fn shutdown(&mut self) {
        if self.stop.swap(true, Ordering::SeqCst) {
            return;
        }
        self.hub.end();
        // The listener waits in `accept`; only a connection wakes it.
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let woken = TcpStream::connect_timeout(&SocketAddr::new(ip, self.address.port()), Duration::from_secs(1));
        if let (Ok(_), Some(thread)) = (&woken, self.accepting.take()) {
            let _ = thread.join();
        }
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            let connections = lock(&self.connections);
            let late = Instant::now() >= deadline;
            for connection in connections.values() {
                if late || !connection.busy.load(Ordering::SeqCst) {
                    let _ = connection.stream.shutdown(Shutdown::Both);
                }
            }
            if connections.is_empty() || late {
                break;
            }
            drop(connections);
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown();
    }
}

fn lock(connections: &Connections) -> std::sync::MutexGuard<'_, HashMap<u64, Connection>> {
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a connection off the list, however its thread ends.
struct Leave(Connections, u64);

impl Drop for Leave {
    fn drop(&mut self) {
        lock(&self.0).remove(&self.1);
    }
}

fn accept(listener: &TcpListener, context: &Arc<Context>, connections: &Connections, stop: &AtomicBool) {
    let numbers = AtomicU64::new(0);
    let mut complained: Option<Instant> = None;
    let mut complain = |what: &str, e: &io::Error| {
        // once a minute: this can happen thousands of times a second
        if complained.is_none_or(|at| at.elapsed() > Duration::from_secs(60)) {
            tracing::warn!("live page: {what}: {e}");
            complained = Some(Instant::now());
        }
    };
    while !stop.load(Ordering::SeqCst) {
        let (stream, peer) = match listener.accept() {
            Ok((stream, peer)) => (Arc::new(stream), peer.ip()),
            Err(e) => {
                // Mostly: too many open files. Waiting is all that helps.
                complain("cannot take a connection", &e);
                thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let busy = Arc::new(AtomicBool::new(false));
        {
            let mut all = lock(connections);
            let of_peer = all.values().filter(|c| c.peer == peer).count();
            if all.len() >= context.config.max_connections || of_peer >= context.config.max_per_address {
                drop(all);
                turn_away(&stream);
                continue;
            }
            all.insert(number, Connection { stream: stream.clone(), peer, busy: busy.clone() });
        }
        let leave = Leave(connections.clone(), number);
        let context = context.clone();
        let spawned = thread::Builder::new().name(format!("feed {number}")).stack_size(STACK).spawn(move || {
            let _leave = leave;
            // A client that goes away is no news; its connection just ends.
            if let Err(e) = serve(&stream, peer, &busy, &context) {
                tracing::debug!("live page: connection from {peer}: {e}");
            }
            let _ = stream.shutdown(Shutdown::Both);
        });
        if let Err(e) = spawned {
            complain("cannot start a thread", &e);
        }
    }
}

/// Says that the house is full. Never waits: this is the thread that lets others in.
fn turn_away(stream: &TcpStream) {
    let response = Response::refusal(&Refusal {
        status: 503,
        why: "too many connections; try again in a moment",
        why_zh: Some("连接过多,请稍后再试"),
    })
    .with("Retry-After", "2");
    let mut bytes = response.head(false);
    if let super::http::Body::Bytes(body) = &response.body {
        bytes.extend_from_slice(body);
    }
    if stream.set_nonblocking(true).is_ok() {
        let mut stream = stream;
        let _ = stream.write(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        // unread bytes would turn the farewell into a reset
        let _ = stream.read(&mut [0; 4096]);
    }
}

fn serve(stream: &Arc<TcpStream>, peer: IpAddr, busy: &AtomicBool, context: &Context) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let patience = &context.config.patience;
    let mut wire = Wire::new(stream.clone());
    for _ in 0..MAX_REQUESTS {
        let request = match wire.read_request(patience)? {
            Incoming::Request(request) => request,
            Incoming::Gone => return Ok(()),
            Incoming::Refused(refusal) => {
                // After a request that was not understood nobody knows where the next one begins.
                wire.send(Response::refusal(&refusal), Method::Get, false, patience)?;
                wire.close_gently();
                return Ok(());
            }
        };
        busy.store(true, Ordering::SeqCst);
        let keep_alive = request.keep_alive && !context.hub.ended();
        let response = match routes::answer(&request, peer, context) {
            Ok(Answer::Whole(response)) => response,
            Ok(Answer::Events { .. } | Answer::Pictures) if request.method == Method::Head => {
                Response::new(200, "text/event-stream; charset=utf-8", super::http::Body::Empty)
                    .with("Cache-Control", "no-store")
            }
            Ok(Answer::Events { after }) => return stream::events(&mut wire, &context.hub, after, patience.answer),
            Ok(Answer::Pictures) => return stream::pictures(&mut wire, &context.hub, patience.answer),
            Err(refusal) => Response::refusal(&refusal),
        };
        wire.send(response, request.method, keep_alive, patience)?;
        busy.store(false, Ordering::SeqCst);
        if !keep_alive {
            wire.close_gently();
            return Ok(());
        }
    }
    Ok(())
}
