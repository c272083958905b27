//! The page itself, built into the binary. It holds nothing of the home, so it takes no token.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::super::body;

/// A file of the page: its name below `/console/`, its content type, its content.
type Asset = (&'static str, &'static str, &'static [u8]);

/// A file of `src/door/console/assets`.
macro_rules! asset {
    ($name:literal, $kind:expr) => {
        ($name, $kind, include_bytes!(concat!("../../console/assets/", $name)))
    };
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// What the page may do: run and show what comes from here, and speak to here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All files of the page; the first is the page.
const ASSETS: &[Asset] = &[
    asset!("index.html", HTML),
    asset!("api.js", SCRIPT),
    asset!("app.js", SCRIPT),
    asset!("book.js", SCRIPT),
    asset!("bus.js", SCRIPT),
    asset!("devices.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("editor.js", SCRIPT),
    asset!("en.js", SCRIPT),
    asset!("health.js", SCRIPT),
    asset!("heard.js", SCRIPT),
    asset!("house.js", SCRIPT),
    asset!("i18n.js", SCRIPT),
    asset!("icon.svg", IMAGE),
    asset!("jobs.js", SCRIPT),
    asset!("live.js", SCRIPT),
    asset!("near.js", SCRIPT),
    asset!("say.js", SCRIPT),
    asset!("share.js", SCRIPT),
    asset!("shell.js", SCRIPT),
    asset!("style.css", STYLE),
    asset!("way.js", SCRIPT),
    asset!("words.js", SCRIPT),
    asset!("zh.js", SCRIPT),
];

/// The page.
pub(in crate::door::http) async fn page(headers: HeaderMap) -> Response {
    served(ASSETS.first(), &headers)
}

/// A file of it.
pub(in crate::door::http) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    served(ASSETS.iter().find(|(known, ..)| *known == name), &headers)
}

fn served(asset: Option<&Asset>, headers: &HeaderMap) -> Response {
    let Some((_, kind, content)) = asset else {
        return body::error(StatusCode::NOT_FOUND, "not_found", "there is no such file");
    };
    let tag = tag(content);
    let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    let (status, content) = if known { (StatusCode::NOT_MODIFIED, &[][..]) } else { (StatusCode::OK, *content) };
    let fixed: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    let mut response = (status, fixed, content).into_response();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// What a file is known by.
fn tag(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    format!("\"{}\"", digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_enough_and_each_file_is_there_once() {
        let bytes: usize = ASSETS.iter().map(|(.., content)| content.len()).sum();
        assert!(bytes <= 200 << 10, "{bytes}");
        let mut names: Vec<&str> = ASSETS.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), ASSETS[0].0), (ASSETS.len(), "index.html"));
    }

    #[tokio::test]
    async fn a_file_that_is_known_is_not_sent_again() {
        let first = page(HeaderMap::new()).await;
        assert_eq!(first.status(), StatusCode::OK);
        let headers = HeaderMap::from_iter([(IF_NONE_MATCH, first.headers()[ETAG].clone())]);
        assert_eq!(page(headers).await.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(file(Path("../Cargo.toml".into()), HeaderMap::new()).await.status(), StatusCode::NOT_FOUND);
    }
}
