//! English or Chinese: what a browser asks for.

use super::http::Request;

/// The languages of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// As in the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    fn of_tag(tag: &str) -> Option<Language> {
        match tag.split(['-', '_']).next()?.to_ascii_lowercase().as_str() {
            "en" => Some(Language::English),
            "zh" => Some(Language::Chinese),
            _ => None,
        }
    }

    /// `?lang=` first, then `Accept-Language` by its weights, then `otherwise`.
    pub fn wanted(request: &Request, otherwise: Language) -> Language {
        if let Some(language) = request.parameter("lang").and_then(Language::of_tag) {
            return language;
        }
        request.field("accept-language").and_then(accepted).unwrap_or(otherwise)
    }
}

/// The best of ours in an `Accept-Language` value; of equal weights the first.
fn accepted(value: &str) -> Option<Language> {
    let mut best: Option<(f32, Language)> = None;
    for item in value.split(',') {
        let (tag, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = match weight.trim().strip_prefix("q=") {
            Some(q) => q.parse::<f32>().ok().filter(|q| (0.0..=1.0).contains(q)).unwrap_or(0.0),
            None => 1.0,
        };
        if let Some(language) = Language::of_tag(tag.trim())
            && weight > best.map_or(0.0, |(w, _)| w)
        {
            best = Some((weight, language));
        }
    }
    best.map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide() {
        assert_eq!(accepted("zh-CN,zh;q=0.9,en;q=0.8"), Some(Language::Chinese));
        assert_eq!(accepted("fr, en;q=0.3, zh-TW;q=0.7"), Some(Language::Chinese));
        assert_eq!(accepted("en-GB;q=1, zh;q=1"), Some(Language::English));
        assert_eq!(accepted("ja, *;q=0.1"), None);
        assert_eq!(accepted("zh;q=nonsense,en;q=9"), None);
        assert_eq!(accepted(""), None);
    }
}
