//! Which request gets which answer.

use std::net::IpAddr;

use crossbeam_channel::TrySendError;

use super::access;
use super::files;
use super::http::{Body, Method, Refusal, Request, Response, refuse, refuse_operator};
use super::operator::{self, ClockOrder, OperatorInput};
use super::page;
use super::server::Context;
use super::word;

/// Events in one answer, unless the client asks for fewer.
const MAX_EVENTS: usize = 2000;

/// An answer that is complete, or one that goes on.
#[derive(Debug)]
pub enum Answer {
    Whole(Response),
    /// Server-sent events; the events after that seq first, if it is known.
    Events {
        after: Option<u64>,
    },
    /// Camera pictures one after another.
    Pictures,
}

impl From<Response> for Answer {
    fn from(response: Response) -> Answer {
        Answer::Whole(response)
    }
}

/// Answers a request; its body has been read.
pub fn answer(request: &Request, peer: IpAddr, context: &Context) -> Result<Answer, Refusal> {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let allowed = match segments.as_slice() {
        ["api", "decision" | "acknowledge" | "break" | "word"] => "POST",
        ["api", "clock"] => "GET, HEAD, POST",
        _ => "GET, HEAD",
    };
    let posts = request.method == Method::Post;
    let is_allowed = if posts { allowed.ends_with("POST") } else { allowed.starts_with("GET") };
    if !is_allowed || request.method == Method::Other {
        let refusal = Refusal { status: 405, why: "this method is not for this address", why_zh: None };
        return Ok(Response::refusal(&refusal).with("Allow", allowed).into());
    }
    access::check_host(request, context.listening, &context.config.hosts)?;
    let hub = &context.hub;
    Ok(match segments.as_slice() {
        [""] => page::html(request, context.config.language).into(),
        ["api", "state"] => Response::json(200, hub.state_json().1.to_string()).into(),
        ["api", "events"] => events(request, context)?.into(),
        ["api", "stream"] => {
            let last = request.field("last-event-id").or(request.parameter("after"));
            Answer::Events { after: last.map(number).transpose()? }
        }
        ["api", "operator"] => {
            let allowed = access::may_operate(request, peer, &context.config.operator).is_ok();
            let text = serde_json::json!({ "enabled": context.config.operator.enabled, "allowed": allowed });
            Response::json(200, text.to_string()).into()
        }
        ["api", "decision"] => operate(request, peer, context, operator::decision)?.into(),
        ["api", "clock"] if posts => operate(request, peer, context, operator::clock)?.into(),
        ["api", "clock"] => Response::json(200, hub.clock_json()).into(),
        ["api", "acknowledge"] => operate(request, peer, context, operator::acknowledge)?.into(),
        ["api", "break"] => operate(request, peer, context, operator::pause)?.into(),
        ["api", "word"] => say(request, peer, context)?.into(),
        ["game.sgf"] => files::sgf(hub.record_dir().as_deref(), &context.config.table, request)?.into(),
        ["evidence", ..] => files::evidence(hub.record_dir().as_deref(), &request.segments[1..], request)?.into(),
        ["picture.jpg"] => picture(request, context)?.into(),
        ["picture.mjpeg"] => Answer::Pictures,
        ["health"] => {
            let (well, text) = hub.health_json();
            Response::json(if well { 200 } else { 503 }, text.to_string()).into()
        }
        [name] => match page::asset(name, request) {
            Some(response) => response.into(),
            None => return refuse(404, "nothing is here"),
        },
        _ => return refuse(404, "nothing is here"),
    })
}

fn number(text: &str) -> Result<u64, Refusal> {
    text.trim().parse().or_else(|_| refuse(400, "a sequence number is a whole number from 0 up"))
}

fn events(request: &Request, context: &Context) -> Result<Response, Refusal> {
    let after = request.parameter("after").map_or(Ok(0), number)?;
    let limit = request.parameter("limit").map_or(Ok(MAX_EVENTS as u64), number)?;
    let excerpt = context.hub.excerpt(after, usize::try_from(limit).unwrap_or(MAX_EVENTS).min(MAX_EVENTS));
    let list = excerpt.events.iter().map(|l| l.json.as_ref()).collect::<Vec<_>>().join(",\n");
    let (first, last) = excerpt.kept;
    let more = excerpt.more;
    Ok(Response::json(200, format!("{{\"first\":{first},\"last\":{last},\"more\":{more},\"events\":[{list}]}}\n")))
}

fn picture(request: &Request, context: &Context) -> Result<Response, Refusal> {
    let Some(picture) = context.hub.newest_picture() else {
        return refuse(404, "no picture has come yet");
    };
    let tag = format!("\"{}-{}\"", context.hub.life(), picture.version);
    let age = picture.taken.elapsed().as_millis().to_string();
    let response = if request.has_already(&tag) {
        Response::not_modified(&tag)
    } else {
        Response::new(200, "image/jpeg", Body::Shared(picture.jpeg)).with("ETag", tag)
    };
    // a frozen picture must not pass for a live one: the page shows its age
    Ok(response.with("X-Picture-Age-Ms", age).with("Cache-Control", "no-store"))
}

/// Only an operator's own page may post, and only JSON.
fn check_post(request: &Request, peer: IpAddr, context: &Context) -> Result<(), Refusal> {
    access::may_operate(request, peer, &context.config.operator)?;
    // Forms of foreign pages can send other types without asking, but not this one.
    let kind = request.field("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    refuse(415, "the body must be application/json")
}

fn hand_over(input: OperatorInput, context: &Context) -> Result<(), Refusal> {
    match context.input.try_send(input) {
        Ok(()) => Ok(()),
        Err(TrySendError::Full(_)) => {
            refuse_operator(503, "too much operator input at once; try again", "操作过于频繁,请重试")
        }
        Err(TrySendError::Disconnected(_)) => {
            refuse_operator(503, "the table takes no operator input just now", "对局台暂时不接受操作")
        }
    }
}

/// A word about the game: the answer says what followed, or in both languages why it cannot be true.
fn say(request: &Request, peer: IpAddr, context: &Context) -> Result<Response, Refusal> {
    check_post(request, peer, context)?;
    let (input, answer) = word::word(&request.body, peer)?;
    hand_over(input, context)?;
    Ok(match answer.wait() {
        Some(Ok(events)) => Response::json(200, serde_json::json!({ "events": events }).to_string()),
        Some(Err(why)) => Response::json(409, serde_json::json!({ "error": why.en, "text": why }).to_string()),
        None => return refuse(503, "the table did not answer in time; look at the events before saying it again"),
    })
}

fn operate(
    request: &Request,
    peer: IpAddr,
    context: &Context,
    read: fn(&[u8], IpAddr) -> Result<OperatorInput, Refusal>,
) -> Result<Response, Refusal> {
    check_post(request, peer, context)?;
    let input = read(&request.body, peer)?;
    match &input {
        OperatorInput::Word { .. } => return refuse(400, "say that at /api/word"),
        OperatorInput::Clock { order, .. } => check_clock(context, order)?,
        OperatorInput::Break { on: true, .. } if context.hub.is_on_break() => {
            return refuse_operator(422, "a break is on already", "已在休息中");
        }
        OperatorInput::Break { on: false, .. } if !context.hub.is_on_break() => {
            return refuse_operator(422, "no break is on", "并未休息");
        }
        _ => {}
    }
    let of = input.of();
    if of.is_some_and(|of| !context.hub.is_decidable(of)) {
        return refuse_operator(422, "no event of that number asks for a decision", "没有该编号的事件需要裁定");
    }
    let acknowledged = of.filter(|_| matches!(input, OperatorInput::Acknowledge { .. }));
    let told = match (&input, of) {
        (OperatorInput::Break { on, .. }, _) => serde_json::json!({ "on": on }),
        (_, Some(of)) => serde_json::json!({ "of": of }),
        (_, None) => serde_json::json!({}),
    };
    hand_over(input, context)?;
    if let Some(of) = acknowledged {
        context.hub.acknowledge(of);
    }
    Ok(Response::json(202, told.to_string()))
}

/// Says at once what the table could not say any more: there is no clock, or nobody knows whose time is to run.
fn check_clock(context: &Context, order: &ClockOrder) -> Result<(), Refusal> {
    let Some(clock) = context.hub.clock_view() else {
        return refuse_operator(422, "no clock is connected", "没有连接棋钟");
    };
    if *order == (ClockOrder::Resume { side: None }) && clock.running.or(clock.turn).is_none() {
        return refuse_operator(422, "say whose time is to run", "请指明由哪方走时");
    }
    Ok(())
}
