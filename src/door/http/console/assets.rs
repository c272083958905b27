//! The page itself, built into the binary. It holds nothing of the home, so it takes no token.

use std::io::Write;
use std::sync::OnceLock;

use axum::extract::Path;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::super::body;

/// A file of the page.
struct Asset {
    /// Below `/console/`.
    name: &'static str,
    /// Its content type.
    kind: &'static str,
    content: &'static [u8],
    /// The content as it goes over the wire, to those who take it; made when the first of them asks.
    packed: OnceLock<Vec<u8>>,
}

impl Asset {
    const fn new(name: &'static str, kind: &'static str, content: &'static [u8]) -> Self {
        Self { name, kind, content, packed: OnceLock::new() }
    }

    /// The content in gzip.
    fn packed(&self) -> &[u8] {
        self.packed.get_or_init(|| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::best());
            // Nothing that is written to memory fails; if it did, what came of it would be no content.
            let packed = packer.write_all(self.content).and_then(|()| packer.finish());
            packed.unwrap_or_default()
        })
    }
}

/// A file of `src/door/console/assets`.
macro_rules! asset {
    ($name:literal, $kind:expr) => {
        Asset::new($name, $kind, include_bytes!(concat!("../../console/assets/", $name)))
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
static ASSETS: [Asset; 24] = [
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
    served(ASSETS.iter().find(|asset| asset.name == name), &headers)
}

fn served(asset: Option<&'static Asset>, headers: &HeaderMap) -> Response {
    let Some(asset) = asset else {
        return body::error(StatusCode::NOT_FOUND, "not_found", "there is no such file");
    };
    let packed = takes_gzip(headers);
    let content = if packed { asset.packed() } else { asset.content };
    let tag = tag(content);
    let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    let (status, content) = if known { (StatusCode::NOT_MODIFIED, &[][..]) } else { (StatusCode::OK, content) };
    let fixed: [(HeaderName, &'static str); 6] = [
        (CONTENT_TYPE, asset.kind),
        (CACHE_CONTROL, "no-cache"),
        (VARY, "accept-encoding"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    let mut response = (status, fixed, content).into_response();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    if packed {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Whether whoever asks takes gzip. What is named with the weight 0 is what they do not take.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let weighed = values.flat_map(|value| value.split(',')).map(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
        (name.trim().to_ascii_lowercase(), weight.is_some_and(|weight| weight > 0.0))
    });
    let mut taken = weighed.filter(|(name, _)| ["gzip", "x-gzip", "*"].contains(&name.as_str())).collect::<Vec<_>>();
    // What is named counts before what is meant by all others.
    taken.sort_by_key(|(name, _)| name == "*");
    taken.first().is_some_and(|(_, takes)| *takes)
}

/// What a file is known by.
fn tag(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    format!("\"{}\"", digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_page_is_small_enough_and_each_file_is_there_once() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.content.len()).sum();
        assert!(bytes <= 200 << 10, "{bytes}");
        let mut names: Vec<&str> = ASSETS.iter().map(|asset| asset.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), ASSETS[0].name), (ASSETS.len(), "index.html"));
    }

    #[tokio::test]
    async fn a_file_that_is_known_is_not_sent_again() {
        let first = page(HeaderMap::new()).await;
        assert_eq!(first.status(), StatusCode::OK);
        let headers = HeaderMap::from_iter([(IF_NONE_MATCH, first.headers()[ETAG].clone())]);
        assert_eq!(page(headers).await.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(file(Path("../Cargo.toml".into()), HeaderMap::new()).await.status(), StatusCode::NOT_FOUND);
    }

    fn accepting(codings: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(codings))])
    }

    #[tokio::test]
    async fn who_takes_gzip_gets_it_under_a_tag_of_its_own_and_nobody_else_does() {
        let plain = page(accepting("br, gzip;q=0, *")).await;
        assert!(!plain.headers().contains_key(CONTENT_ENCODING));
        for codings in ["gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*"] {
            let packed = page(accepting(codings)).await;
            assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip", "{codings}");
            assert_ne!(packed.headers()[ETAG], plain.headers()[ETAG]);
            assert_eq!(packed.headers()[VARY], "accept-encoding");
        }
        for codings in ["", "identity", "gzip;q=0", "*;q=0", "br"] {
            assert!(!page(accepting(codings)).await.headers().contains_key(CONTENT_ENCODING), "{codings}");
        }
        let (mut bytes, mut small) = (Vec::new(), 0);
        for asset in &ASSETS {
            bytes.clear();
            GzDecoder::new(asset.packed()).read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, asset.content, "{}", asset.name);
            small += asset.packed().len();
        }
        assert!(small <= 80 << 10, "{small}");
    }
}
