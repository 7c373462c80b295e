//! Who may ask, and who may decide.

use std::net::{IpAddr, SocketAddr};

use super::OperatorAccess;
use super::http::{Refusal, Request, refuse, refuse_operator};

/// The name in a Host field, without its port.
fn host_name(field: &str) -> &str {
    match field.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => field.rsplit_once(':').map_or(field, |(name, _)| name),
    }
}

fn names_this_machine(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Refuses requests under a name that is not ours. A web page elsewhere can point its own name at this machine and so get
/// a browser here to read what only this machine may see (DNS rebinding); the Host field then still holds that name.
pub fn check_host(request: &Request, listening: SocketAddr, also: &[String]) -> Result<(), Refusal> {
    let name = host_name(request.field("host").unwrap_or_default());
    let expected = match listening.ip() {
        ip if ip.is_loopback() => request.field("host").is_none() || names_this_machine(name),
        // open to the network: addresses are safe, names have to be listed where there is a list
        _ => also.is_empty() || name.parse::<IpAddr>().is_ok() || names_this_machine(name),
    };
    if expected || also.iter().any(|h| h.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    refuse(421, "this name is not served here: use the address that goband printed, or list the name under `hosts`")
}

/// Whether that client may send the operator's input.
pub fn may_operate(request: &Request, peer: IpAddr, access: &OperatorAccess) -> Result<(), Refusal> {
    if !access.enabled {
        return refuse_operator(403, "operator input is switched off in the configuration", "配置中已关闭裁判操作");
    }
    // Who has the token may come from anywhere: unlike an address, no foreign page can make a browser send it.
    if let Some(given) = request.field("authorization").and_then(|a| a.strip_prefix("Bearer "))
        && let Some(token) = access.token.as_deref().filter(|t| !t.is_empty())
    {
        let is_right = same(given.as_bytes(), token.as_bytes());
        return if is_right { Ok(()) } else { refuse_operator(403, "the token is wrong", "口令不正确") };
    }
    // A page of another origin can make a browser send a request, but not hide where it comes from.
    if let Some(origin) = request.field("origin")
        && origin.strip_prefix("http://").is_none_or(|o| Some(o) != request.field("host"))
    {
        return refuse_operator(403, "operator input is taken from goband's own page only", "只接受 goband 本页的操作");
    }
    let name = host_name(request.field("host").unwrap_or_default());
    // What a proxy on this machine hands on comes from somewhere else.
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].iter().any(|f| request.field(f).is_some());
    if peer.to_canonical().is_loopback() && names_this_machine(name) && !forwarded {
        return Ok(());
    }
    refuse_operator(
        403,
        "operator input needs the token, or a browser on the machine that runs goband",
        "须凭口令,或在运行 goband 的机器上操作",
    )
}

/// Compares without telling by its time how much was right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (x, y)| differ | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::super::http::parse_head;
    use super::*;

    fn request(fields: &str) -> Request {
        parse_head(format!("GET / HTTP/1.1\r\n{fields}\r\n").as_bytes()).unwrap()
    }

    #[test]
    fn only_our_own_names_on_loopback() {
        let loopback: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let open: SocketAddr = "0.0.0.0:80".parse().unwrap();
        let ok = |host: &str, at, also: &[String]| check_host(&request(&format!("Host: {host}\r\n")), at, also).is_ok();
        for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:80", "127.1.2.3"] {
            assert!(ok(host, loopback, &[]), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "192.168.1.2", ""] {
            assert!(!ok(host, loopback, &[]), "{host}");
        }
        let list = ["board.club".to_string()];
        assert!(ok("board.club:80", loopback, &list));
        assert!(ok("anything", open, &[]) && !ok("anything", open, &list) && ok("192.168.1.2:80", open, &list));
    }

    #[test]
    fn who_may_operate() {
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        let there: IpAddr = "192.168.1.9".parse().unwrap();
        let off = OperatorAccess::default();
        let on = OperatorAccess { enabled: true, token: None };
        let token = OperatorAccess { enabled: true, token: Some("go stones".into()) };
        let ok = |fields: &str, peer, access: &OperatorAccess| may_operate(&request(fields), peer, access).is_ok();
        let local = "Host: localhost:80\r\n";
        assert!(!ok(local, here, &off));
        assert!(ok(local, here, &on) && !ok(local, there, &on));
        assert!(!ok("Host: evil.example\r\n", here, &on), "rebinding");
        assert!(ok("Host: localhost:80\r\nOrigin: http://localhost:80\r\n", here, &on));
        assert!(!ok("Host: localhost:80\r\nOrigin: http://evil.example\r\n", here, &on));
        assert!(!ok("Host: localhost:80\r\nOrigin: null\r\n", here, &on));
        assert!(!ok("Host: localhost:80\r\nX-Forwarded-For: 192.168.1.9\r\n", here, &on), "through a proxy");
        assert!(ok("Host: a\r\nAuthorization: Bearer go stones\r\n", there, &token));
        assert!(ok("Host: a\r\nOrigin: https://b\r\nAuthorization: Bearer go stones\r\n", there, &token));
        assert!(!ok("Host: a\r\nAuthorization: Bearer go stone\r\n", there, &token));
        assert!(!ok(
            "Host: a\r\nAuthorization: Bearer \r\n",
            there,
            &OperatorAccess { enabled: true, token: Some("".into()) }
        ));
    }
}
