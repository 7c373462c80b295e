//! Files of the record's folder: the SGF and the evidence, and nothing else.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::http::{Body, Refusal, Request, Response, refuse};

/// Larger files are not sent.
const MAX_FILE: u64 = 256 * 1024 * 1024;
/// Most names in a list of a folder.
const MAX_LISTED: usize = 500;

/// What of the evidence may leave the house.
fn content_type(name: &str) -> Option<&'static str> {
    match Path::new(name).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" => Some("image/jpeg"),
        "png" => Some("image/png"),
        "json" => Some("application/json; charset=utf-8"),
        "jsonl" => Some("application/x-ndjson; charset=utf-8"),
        _ => None,
    }
}

/// A name that is nothing but a name: no separators, no dot in front, so neither `..` nor hidden files.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// `/evidence/…`: a picture or JSON file, or the names in a folder as `{"files": […]}`.
pub fn evidence(record_dir: Option<&Path>, segments: &[String], request: &Request) -> Result<Response, Refusal> {
    let Some(root) = record_dir.map(|d| d.join("evidence")) else {
        return refuse(404, "no record is kept");
    };
    // a slash at the end means the folder, as does the bare name
    let segments = segments.strip_suffix(&[String::new()]).unwrap_or(segments);
    if segments.len() > 8 || !segments.iter().all(|s| is_plain(s)) {
        return refuse(404, "no such evidence");
    }
    let found = |path: &Path| -> Option<PathBuf> {
        // Links are followed before the check, so a link cannot lead out of the folder.
        let root = root.canonicalize().ok()?;
        let real = path.canonicalize().ok()?;
        real.starts_with(&root).then_some(real)
    };
    let Some(path) = found(&segments.iter().fold(root.clone(), |p, s| p.join(s))) else {
        return refuse(404, "no such evidence");
    };
    if path.is_dir() {
        return Ok(listing(&path));
    }
    let Some(kind) = segments.last().and_then(|s| content_type(s)) else {
        return refuse(404, "no such evidence");
    };
    send(&path, kind, request)
}

/// The whole record as SGF.
pub fn sgf(record_dir: Option<&Path>, table: &str, request: &Request) -> Result<Response, Refusal> {
    let Some(path) = record_dir.map(|d| d.join("game.sgf")) else {
        return refuse(404, "no record is kept");
    };
    let name: String = table.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let response = send(&path, "application/x-go-sgf; charset=utf-8", request)?;
    Ok(response.with("Content-Disposition", format!("inline; filename=\"{name}.sgf\"")))
}

fn listing(folder: &Path) -> Response {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_plain(name) && content_type(name).is_some())
        .collect();
    names.sort();
    names.truncate(MAX_LISTED);
    Response::json(200, serde_json::json!({ "files": names }).to_string())
}

fn send(path: &Path, kind: &str, request: &Request) -> Result<Response, Refusal> {
    let Ok(file) = File::open(path) else {
        return refuse(404, "no such file");
    };
    let Ok(meta) = file.metadata() else {
        return refuse(404, "no such file");
    };
    if !meta.is_file() || meta.len() > MAX_FILE {
        return refuse(404, "no such file");
    }
    let changed = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos());
    let tag = format!("\"{:x}-{changed:x}\"", meta.len());
    if request.has_already(&tag) {
        return Ok(Response::not_modified(&tag));
    }
    Ok(Response::new(200, kind, Body::File(file, meta.len())).with("ETag", tag).with("Cache-Control", "no-cache"))
}

#[cfg(test)]
mod tests {
    use super::super::http::parse_head;
    use super::*;

    fn ask(dir: &Path, segments: &[&str]) -> u16 {
        let request = parse_head(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        let segments: Vec<String> = segments.iter().map(|s| s.to_string()).collect();
        evidence(Some(dir), &segments, &request).map_or_else(|r| r.status, |r| r.status)
    }

    #[test]
    fn only_pictures_and_json_inside_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("evidence/12-double_move");
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::write(inside.join("before.jpg"), "x").unwrap();
        std::fs::write(inside.join("secret.txt"), "x").unwrap();
        std::fs::write(dir.path().join("journal.json"), "x").unwrap();
        std::os::unix::fs::symlink(dir.path().join("journal.json"), inside.join("link.json")).unwrap();
        assert_eq!(ask(dir.path(), &["12-double_move", "before.jpg"]), 200);
        assert_eq!(ask(dir.path(), &["12-double_move"]), 200);
        assert_eq!(ask(dir.path(), &["12-double_move", ""]), 200);
        for hidden in [
            &["..", "journal.json"][..],
            &["12-double_move", "secret.txt"],
            &["12-double_move", "link.json"],
            &["12-double_move", "..", "..", "journal.json"],
            &["../journal.json"],
            &["/etc/passwd"],
            &["", "etc", "passwd"],
            &["12-double_move", "none.jpg"],
            &[".", "x.jpg"],
        ] {
            assert_eq!(ask(dir.path(), hidden), 404, "{hidden:?}");
        }
    }
}
