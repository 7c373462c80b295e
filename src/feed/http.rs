//! HTTP/1.1 as bytes: a request head in, a [`Request`] or a [`Refusal`] out; a [`Response`] in, bytes out. No sockets here.
//!
//! Why by hand: the small maintained servers for threads are dormant (`tiny_http` has had no release for years and holds
//! the chunks of a server-sent-event stream back until its buffer is full), the living ones bring an async runtime.
//! What a live page needs of HTTP is little, and all of it is here. Grammar: RFC 9112, RFC 9110.

use std::fs::File;
use std::sync::Arc;

/// Longest request head in bytes; longer ones get 431.
pub const MAX_HEAD: usize = 16 * 1024;
/// Longest request line in bytes; longer ones get 414.
pub const MAX_LINE: usize = 4 * 1024;
/// Most header fields.
pub const MAX_FIELDS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    Post,
    /// Anything else that is a method by grammar; answered with 405.
    Other,
}

/// A request that is not answered with what it asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{status} {why}")]
pub struct Refusal {
    pub status: u16,
    pub why: &'static str,
    /// The same in Chinese, where the page may show it to the operator.
    pub why_zh: Option<&'static str>,
}

/// For programs, and for people who speak HTTP.
pub(crate) fn refuse<T>(status: u16, why: &'static str) -> Result<T, Refusal> {
    Err(Refusal { status, why, why_zh: None })
}

/// For the operator at the page.
pub(crate) fn refuse_operator<T>(status: u16, en: &'static str, zh: &'static str) -> Result<T, Refusal> {
    Err(Refusal { status, why: en, why_zh: Some(zh) })
}

/// The head of a request, decoded.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    /// The path cut at its slashes and then percent-decoded: `/a/b/` is `["a", "b", ""]`, `/` is `[""]`.
    pub segments: Vec<String>,
    pub query: Vec<(String, String)>,
    /// Names in lower case, in order of arrival.
    fields: Vec<(String, String)>,
    /// The client allows another request on the same connection.
    pub keep_alive: bool,
    /// `Content-Length`, 0 where there is none.
    pub body_length: usize,
    pub body: Vec<u8>,
}

impl Request {
    /// The first field of that (lower-case) name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The first query parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// `If-None-Match` names this tag.
    pub fn has_already(&self, tag: &str) -> bool {
        self.field("if-none-match")
            .is_some_and(|v| v.split(',').any(|t| t.trim() == "*" || t.trim().trim_start_matches("W/") == tag))
    }
}

/// Where the head ends (index after its empty line), if it is all there.
pub fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut line_start = 0;
    // Empty lines before the request line are to be skipped (RFC 9112, 2.2).
    let mut seen_text = false;
    for (i, &b) in bytes.iter().enumerate() {
        if b == b'\n' {
            let line = &bytes[line_start..i];
            if line.is_empty() || line == b"\r" {
                if seen_text {
                    return Some(i + 1);
                }
            } else {
                seen_text = true;
            }
            line_start = i + 1;
        }
    }
    None
}

/// What is wrong with an unfinished head that has grown too long, if anything.
pub fn too_long(bytes: &[u8]) -> Result<(), Refusal> {
    let first_line = bytes.iter().skip_while(|b| **b == b'\r' || **b == b'\n').position(|b| *b == b'\n');
    match first_line {
        None if bytes.len() > MAX_LINE => refuse(414, "the request line is too long"),
        Some(n) if n > MAX_LINE => refuse(414, "the request line is too long"),
        _ if bytes.len() > MAX_HEAD => refuse(431, "the header fields are too long"),
        _ => Ok(()),
    }
}

/// Reads a complete head (as cut by [`head_end`]).
pub fn parse_head(head: &[u8]) -> Result<Request, Refusal> {
    too_long(head)?;
    let mut lines =
        head.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l)).skip_while(|l| l.is_empty());
    let line = lines.next().unwrap_or_default();
    let line = std::str::from_utf8(line).or_else(|_| refuse(400, "the request line is not text"))?;
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return refuse(400, "the request line is not `METHOD target HTTP/1.1`");
    };
    if method.is_empty() || !method.bytes().all(is_token) {
        return refuse(400, "the method is not a token");
    }
    let old = match version {
        "HTTP/1.1" => false,
        "HTTP/1.0" => true,
        v if v.len() == 8 && v.starts_with("HTTP/") && v.as_bytes()[5].is_ascii_digit() => {
            return refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
        }
        _ => return refuse(400, "the request line is not `METHOD target HTTP/1.1`"),
    };
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        _ => Method::Other,
    };

    let mut fields: Vec<(String, String)> = Vec::new();
    for line in lines.take_while(|l| !l.is_empty()) {
        if fields.len() == MAX_FIELDS {
            return refuse(431, "too many header fields");
        }
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            return refuse(400, "a header field has no colon");
        };
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        // This also refuses a blank before the colon and the folded lines of old, both of which smuggle requests past proxies.
        if name.is_empty() || !name.iter().all(|b| is_token(*b)) {
            return refuse(400, "the name of a header field is not a token");
        }
        if value.iter().any(|b| (*b < 0x20 && *b != b'\t') || *b == 0x7f) {
            return refuse(400, "a header field holds control characters");
        }
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let value = String::from_utf8_lossy(value).trim_matches([' ', '\t']).to_string();
        fields.push((name, value));
    }

    let all =
        |wanted: &str| fields.iter().filter(move |(n, _)| n == wanted).map(|(_, v)| v.as_str()).collect::<Vec<_>>();
    let hosts = all("host").len();
    if hosts > 1 || (hosts == 0 && !old) {
        return refuse(400, "exactly one Host field is needed");
    }
    if !all("transfer-encoding").is_empty() {
        return refuse(501, "transfer codings are not understood here; send a Content-Length");
    }
    let lengths = all("content-length");
    let body_length = match lengths.as_slice() {
        [] => 0,
        [one] if !one.is_empty() && one.len() <= 15 && one.bytes().all(|b| b.is_ascii_digit()) => {
            one.parse().or_else(|_| refuse(400, "the Content-Length is not a number"))?
        }
        _ => return refuse(400, "the Content-Length is not one number"),
    };
    if method == Method::Post && lengths.is_empty() {
        return refuse(411, "a Content-Length is needed");
    }
    let connection: Vec<String> =
        all("connection").iter().flat_map(|v| v.split(',')).map(|t| t.trim().to_ascii_lowercase()).collect();
    let says = |t: &str| connection.iter().any(|c| c == t);
    let keep_alive = if old { says("keep-alive") && !says("close") } else { !says("close") };

    let (segments, query, authority) = parse_target(target)?;
    if let Some(authority) = authority {
        // A target with a host overrides the Host field (RFC 9112, 3.2.2).
        fields.retain(|(n, _)| n != "host");
        fields.push(("host".into(), authority));
    }
    Ok(Request { method, segments, query, fields, keep_alive, body_length, body: Vec::new() })
}

type Target = (Vec<String>, Vec<(String, String)>, Option<String>);

fn parse_target(target: &str) -> Result<Target, Refusal> {
    let (authority, rest) = match target.strip_prefix("http://") {
        Some(t) => {
            let cut = t.find(['/', '?']).unwrap_or(t.len());
            (Some(t[..cut].to_string()), if cut == t.len() { "/" } else { &t[cut..] })
        }
        None => (None, target),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let Some(path) = path.strip_prefix('/') else {
        return refuse(400, "the request target is not a path");
    };
    let segments = path.split('/').map(|s| percent_decode(s, false)).collect::<Result<_, _>>()?;
    let query = query
        .split('&')
        .filter(|p| !p.is_empty())
        .map(|p| {
            let (name, value) = p.split_once('=').unwrap_or((p, ""));
            Ok((percent_decode(name, true)?, percent_decode(value, true)?))
        })
        .collect::<Result<_, _>>()?;
    Ok((segments, query, authority))
}

/// Percent-decodes; refuses what is not UTF-8 and all control characters.
fn percent_decode(text: &str, plus_is_blank: bool) -> Result<String, Refusal> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        match b {
            b'%' => {
                let mut digit = || bytes.next().and_then(|d| char::from(d).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return refuse(400, "a percent sign without two hex digits");
                };
                out.push((high * 16 + low) as u8);
            }
            b'+' if plus_is_blank => out.push(b' '),
            b => out.push(b),
        }
    }
    match String::from_utf8(out) {
        Ok(s) if !s.chars().any(char::is_control) => Ok(s),
        _ => refuse(400, "the request target is not plain text"),
    }
}

/// RFC 9110, 5.6.2.
fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}

/// The body of an answer.
#[derive(Debug)]
pub enum Body {
    Empty,
    Static(&'static str),
    Bytes(Vec<u8>),
    Shared(Arc<Vec<u8>>),
    /// A file and how many bytes of it are sent.
    File(File, u64),
}

impl Body {
    pub fn length(&self) -> u64 {
        match self {
            Body::Empty => 0,
            Body::Static(s) => s.len() as u64,
            Body::Bytes(b) => b.len() as u64,
            Body::Shared(b) => b.len() as u64,
            Body::File(_, n) => *n,
        }
    }
}

/// An answer that is complete (streams are written by `stream.rs`).
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub fields: Vec<(&'static str, String)>,
    pub body: Body,
}

impl Response {
    pub fn new(status: u16, content_type: &str, body: Body) -> Response {
        Response { status, fields: vec![("Content-Type", content_type.to_string())], body }
    }

    /// JSON that holds for this moment only.
    pub fn json(status: u16, text: String) -> Response {
        Response::new(status, "application/json; charset=utf-8", Body::Bytes(text.into_bytes()))
            .with("Cache-Control", "no-store")
    }

    /// A refusal as a JSON object `{"error": …}`, for machines and people alike; with `text` in both languages where the
    /// page may show it.
    pub fn refusal(refusal: &Refusal) -> Response {
        let mut text = serde_json::json!({ "error": refusal.why });
        if let Some(zh) = refusal.why_zh {
            text["text"] = serde_json::json!({ "en": refusal.why, "zh": zh });
        }
        Response::json(refusal.status, text.to_string())
    }

    /// What the client has is still right.
    pub fn not_modified(tag: &str) -> Response {
        Response { status: 304, fields: vec![("ETag", tag.to_string())], body: Body::Empty }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.fields.push((name, value.into()));
        self
    }

    /// Status line and fields, up to and with the empty line.
    pub fn head(&self, keep_alive: bool) -> Vec<u8> {
        // neither 204 nor 304 may carry a length of a body that is not there (RFC 9110, 8.6)
        let length = (self.status != 204 && self.status != 304).then(|| self.body.length());
        head(self.status, &self.fields, length, keep_alive)
    }
}

/// Status line and fields. No length: the body ends with the connection, or there is none.
pub fn head(status: u16, fields: &[(&'static str, String)], length: Option<u64>, keep_alive: bool) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in fields {
        // Nothing that a client sent may start a field of its own.
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(n) = length {
        out.push_str(&format!("Content-Length: {n}\r\n"));
    }
    // The page loads nothing from elsewhere and nothing elsewhere may load or read it.
    out.push_str(concat!(
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; ",
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'\r\n",
        "X-Content-Type-Options: nosniff\r\n",
        "Referrer-Policy: no-referrer\r\n",
        "Cross-Origin-Resource-Policy: same-origin\r\n",
        "Server: goband/",
        env!("CARGO_PKG_VERSION"),
        "\r\n",
    ));
    out.push_str(if keep_alive { "Connection: keep-alive\r\n\r\n" } else { "Connection: close\r\n\r\n" });
    out.into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Request, Refusal> {
        let end = head_end(text.as_bytes()).expect("a complete head");
        parse_head(&text.as_bytes()[..end])
    }

    fn status(text: &str) -> u16 {
        parse(text).map_or_else(|r| r.status, |_| 200)
    }

    #[test]
    fn reads_an_ordinary_request() {
        let r = parse("GET /api/events?after=12&x=%E5%9B%B4+q HTTP/1.1\r\nHost: a:1\r\nAccept: a\r\n\r\n").unwrap();
        assert_eq!(r.method, Method::Get);
        assert_eq!(r.segments, ["api", "events"]);
        assert_eq!(r.parameter("after"), Some("12"));
        assert_eq!(r.parameter("x"), Some("围 q"));
        assert_eq!(r.field("host"), Some("a:1"));
        assert!(r.keep_alive);
        assert_eq!(parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap().segments, [""]);
        assert_eq!(parse("GET http://b:2?q HTTP/1.1\r\nHost: a\r\n\r\n").unwrap_err().status, 400);
        assert_eq!(parse("GET http://b:2/x HTTP/1.1\r\nHost: a\r\n\r\n").unwrap().field("host"), Some("b:2"));
    }

    #[test]
    fn finds_the_end_of_a_head() {
        assert_eq!(head_end(b"\r\n\r\nGET / HTTP/1.1\r\n\r\nrest"), Some(22));
        assert_eq!(head_end(b"GET / HTTP/1.1\nHost: a\n\n"), Some(24));
        assert_eq!(head_end(b"GET / HTTP/1.1\r\nHost"), None);
        assert_eq!(head_end(b"\r\n\r\n\r\n"), None);
    }

    #[test]
    fn keep_alive_follows_version_and_field() {
        assert!(!parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").unwrap().keep_alive);
        assert!(!parse("GET / HTTP/1.0\r\n\r\n").unwrap().keep_alive);
        assert!(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").unwrap().keep_alive);
    }

    #[test]
    fn refuses_what_is_no_request() {
        assert_eq!(status("hello\r\n\r\n"), 400);
        assert_eq!(status("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), 400, "no Host");
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"), 400);
        assert_eq!(status("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status("GET a HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: a\r\n\r\n"), 411);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400);
        assert_eq!(
            status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            501
        );
        assert_eq!(status(&format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(MAX_LINE))), 414);
        assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "a".repeat(MAX_HEAD))), 431);
        assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(MAX_FIELDS))), 431);
    }

    #[test]
    fn an_answer_cannot_be_split_by_what_it_repeats() {
        let r = Response::json(200, "{}".into()).with("X-Echo", "a\r\nSet-Cookie: b");
        let head = String::from_utf8(r.head(true)).unwrap();
        assert!(head.contains("X-Echo: aSet-Cookie: b\r\n"), "{head}");
        assert!(head.ends_with("\r\n\r\n") && head.contains("Content-Length: 2\r\n"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let _ = too_long(&bytes);
            if let Some(end) = head_end(&bytes) {
                prop_assert!(end <= bytes.len());
                let _ = parse_head(&bytes[..end]);
            }
            let _ = parse_head(&bytes);
        }

        #[test]
        fn nor_does_what_looks_like_a_request(
            target in "[ -~]{0,60}", name in "[ -~]{0,20}", value in "\\PC{0,40}", version in "HTTP/[0-9]\\.[0-9]",
        ) {
            let text = format!("GET {target} {version}\r\nHost: a\r\n{name}: {value}\r\n\r\n");
            if let Some(end) = head_end(text.as_bytes()) && let Ok(r) = parse_head(&text.as_bytes()[..end]) {
                prop_assert!(r.segments.iter().all(|s| !s.chars().any(char::is_control)));
            }
        }

        #[test]
        fn a_path_survives_its_encoding(segments in proptest::collection::vec("[^\\p{C}]{1,12}", 1..5)) {
            let encode = |s: &String| s.bytes().map(|b| format!("%{b:02X}")).collect::<String>();
            let path = segments.iter().map(encode).collect::<Vec<_>>().join("/");
            let r = parse(&format!("GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n")).unwrap();
            prop_assert_eq!(r.segments, segments);
        }
    }
}
