//! The live page, embedded: it loads nothing from elsewhere, so it works in a hall without internet.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use super::http::{Body, Request, Response};
use super::language::Language;

const HTML: &str = include_str!("page/index.html");

/// Path, content type, content.
const ASSETS: [(&str, &str, &str); 6] = [
    ("page.css", "text/css; charset=utf-8", include_str!("page/page.css")),
    ("texts.js", "text/javascript; charset=utf-8", include_str!("page/texts.js")),
    ("board.js", "text/javascript; charset=utf-8", include_str!("page/board.js")),
    ("recorder.js", "text/javascript; charset=utf-8", include_str!("page/recorder.js")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("page/page.js")),
    ("icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

/// Names this version of the page; an open page that hears another name loads itself again.
pub fn tag() -> &'static str {
    static TAG: OnceLock<String> = OnceLock::new();
    TAG.get_or_init(|| {
        let mut hash = Sha256::new();
        hash.update(HTML);
        ASSETS.iter().for_each(|(_, _, content)| hash.update(content));
        hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect()
    })
}

/// The page itself, in the language that is wanted.
pub fn html(request: &Request, otherwise: Language) -> Response {
    let language = Language::wanted(request, otherwise);
    let text = HTML.replace("{{lang}}", language.tag()).replace("{{page}}", tag());
    Response::new(200, "text/html; charset=utf-8", Body::Bytes(text.into_bytes()))
        .with("Cache-Control", "no-store")
        .with("Content-Language", language.tag())
        .with("Vary", "Accept-Language")
}

/// A part of the page.
pub fn asset(name: &str, request: &Request) -> Option<Response> {
    let (_, kind, content) = ASSETS.iter().find(|(n, _, _)| *n == name)?;
    let tag = format!("\"{}\"", tag());
    if request.has_already(&tag) {
        return Some(Response::not_modified(&tag));
    }
    Some(Response::new(200, kind, Body::Static(content)).with("ETag", tag).with("Cache-Control", "no-cache"))
}
