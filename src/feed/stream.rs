//! Answers that go on: server-sent events, and camera pictures as MJPEG.

use std::io;
use std::time::{Duration, Instant};

use super::http;
use super::hub::{Cursor, Hub, News};
use super::wire::Wire;

/// A comment that keeps proxies from closing a quiet connection.
const COMMENT_EVERY: Duration = Duration::from_secs(15);
/// A browser does not show comments to the page, so the page gets a message of its own by which it knows that goband lives.
const ALIVE_EVERY: Duration = Duration::from_secs(5);
/// A picture is sent again after this time even if it has not changed, to find out whether the client is still there.
const PICTURE_PATIENCE: Duration = Duration::from_secs(5);
/// Pictures to one client a second, at most.
const PICTURE_GAP: Duration = Duration::from_millis(100);

/// The whole state with its number, then each event with `id:`, and the state after it. Messages: `state`, `event`,
/// `health`, `clock`, `alive`; `reset` tells the client to fetch all events anew, `bye` that goband ends.
pub fn events(wire: &mut Wire, hub: &Hub, after: Option<u64>, patience: Duration) -> io::Result<()> {
    let fields =
        [("Content-Type", "text/event-stream; charset=utf-8".to_string()), ("Cache-Control", "no-store".to_string())];
    let mut out = String::from_utf8_lossy(&http::head(200, &fields, None, false)).into_owned();
    out.push_str("retry: 1000\n\n");
    let mut cursor = Cursor::default();
    let mut news = hub.wait(&mut cursor, Duration::ZERO);
    let newest = cursor.seq;
    // What came before is only for those who say where they stopped.
    match after {
        None => news.events.clear(),
        Some(after) => {
            let excerpt = hub.excerpt(after, usize::MAX);
            let known = after <= newest && after + 1 >= excerpt.kept.0;
            if !known {
                out.push_str("event: reset\ndata: {}\n\n");
                news.events.clear();
            } else {
                news.events = excerpt.events.into_iter().filter(|l| l.seq <= newest).collect();
            }
        }
    }
    news.fell_behind = false;
    let (mut commented, mut alive) = (Instant::now(), Instant::now());
    loop {
        write_news(&mut out, &news);
        if commented.elapsed() >= COMMENT_EVERY {
            out.push_str(": goband\n\n");
            commented = Instant::now();
        }
        if alive.elapsed() >= ALIVE_EVERY {
            out.push_str(&format!("event: alive\ndata: {{\"seq\":{}}}\n\n", cursor.seq));
            alive = Instant::now();
        }
        if news.ended {
            out.push_str("event: bye\ndata: {}\n\n");
        }
        if !out.is_empty() {
            wire.write(out.as_bytes(), Instant::now() + patience)?;
            out.clear();
        }
        if news.ended || news.fell_behind {
            return Ok(());
        }
        news = hub.wait(&mut cursor, ALIVE_EVERY.saturating_sub(alive.elapsed()));
    }
}

fn write_news(out: &mut String, news: &News) {
    if news.new_game {
        out.push_str("event: reset\ndata: {}\n\n");
    }
    for event in &news.events {
        out.push_str(&format!("id: {}\nevent: event\ndata: {}\n\n", event.seq, event.json));
    }
    if let Some((seq, json)) = &news.state {
        out.push_str(&format!("id: {seq}\nevent: state\ndata: {json}\n\n"));
    }
    if let Some(json) = &news.health {
        out.push_str(&format!("event: health\ndata: {json}\n\n"));
    }
    if let Some(json) = &news.clock {
        out.push_str(&format!("event: clock\ndata: {json}\n\n"));
    }
}

/// `multipart/x-mixed-replace`, as viewers and broadcast programs take it. A slow client misses pictures.
pub fn pictures(wire: &mut Wire, hub: &Hub, patience: Duration) -> io::Result<()> {
    let fields = [
        ("Content-Type", "multipart/x-mixed-replace; boundary=goband-picture".to_string()),
        ("Cache-Control", "no-store".to_string()),
    ];
    wire.write(&http::head(200, &fields, None, false), Instant::now() + patience)?;
    let mut version = 0;
    while !hub.ended() {
        let Some(picture) = hub.next_picture(version, PICTURE_PATIENCE).or_else(|| hub.newest_picture()) else {
            continue;
        };
        version = picture.version;
        let head =
            format!("--goband-picture\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", picture.jpeg.len());
        let deadline = Instant::now() + patience;
        wire.write(head.as_bytes(), deadline)?;
        wire.write(&picture.jpeg, deadline)?;
        wire.write(b"\r\n", deadline)?;
        std::thread::sleep(PICTURE_GAP);
    }
    Ok(())
}
