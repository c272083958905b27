//! A client of OpenAI-compatible chat completions: DashScope, DeepSeek, OpenAI, llama.cpp's server, Ollama, vLLM.
//!
//! Nothing of an answer is trusted: its size is bounded while it streams in, its time by the deadline, and its content is
//! handed on unread. Redirects are not followed and the system's proxy variables not heeded: where a sentence goes is
//! what the configuration says.

mod resolver;
#[cfg(test)]
mod tests;
mod tls;
mod wire;

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Proxy, Response, Url};
use tracing::debug;

use super::breaker::LONGEST_PAUSE;
use super::settings::{HttpSettings, Secret};
use super::{Answering, Client, Completion, LlmError, Prompt};
use crate::text::displayable;
pub use resolver::Resolver;
use wire::Wire;

/// Bytes of an answer; whatever is longer is cut off unread.
pub const MAX_BODY_BYTES: usize = 256 << 10;

/// Characters of what is no answer in the debug log.
const MAX_SHOWN: usize = 1_000;

/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(60);

/// Reads the body of an answer as [`HttpClient`] reads it, for programs that try out what servers may say.
///
/// # Errors
/// Why it is no answer, without a word of it.
pub fn read_completion(settings: &HttpSettings, body: &[u8]) -> Result<Completion, String> {
    Wire::new(settings).answer(body)
}

/// An endpoint that cannot be used as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is none.
    #[error("base_url: {0}")]
    Url(String),
    /// A header is none, or the key cannot stand in one.
    #[error("{0}")]
    Header(String),
    /// The proxy is none.
    #[error("proxy: {0}")]
    Proxy(String),
    /// A file of certificates cannot be used.
    #[error("ca_file: {}: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Nobody is trusted: the machine has no certificates, and none are configured.
    #[error("no certificate authority is known: install the system's certificates or set ca_file")]
    NobodyTrusted,
    /// The client cannot be built.
    #[error("{0}")]
    Client(String),
}

/// An endpoint.
#[derive(Debug)]
pub struct HttpClient {
    name: String,
    url: Url,
    wire: Wire,
    client: reqwest::Client,
}

impl HttpClient {
    /// A client as configured; it connects with the first question.
    ///
    /// # Errors
    /// When the address, a header, the proxy or a certificate cannot be used.
    pub fn new(settings: &HttpSettings) -> Result<Self, HttpError> {
        let url = endpoint(&settings.base_url)?;
        let mut builder = reqwest::Client::builder()
            .use_preconfigured_tls(tls::config(url.scheme() == "https", settings.ca_file.as_deref())?)
            .default_headers(headers(settings)?)
            .user_agent(concat!("zhiju/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(Resolver::default()))
            .connect_timeout(settings.connect_timeout)
            .read_timeout(settings.read_timeout)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(1);
        if let Some(proxy) = &settings.proxy {
            let proxy = proxy_address(proxy)?;
            builder = builder.proxy(Proxy::all(proxy).map_err(|error| HttpError::Proxy(causes(&error)))?);
        }
        let client = builder.build().map_err(|error| HttpError::Client(causes(&error)))?;
        Ok(Self { name: settings.name.clone(), url, wire: Wire::new(settings), client })
    }

    /// The models that it says it has, which sends nothing of the home and costs nothing; none if it does not tell.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub async fn models(&self, patience: Duration) -> Result<Vec<String>, LlmError> {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop().pop().push("models");
        }
        let listed = async {
            let response = self.client.get(url).send().await.map_err(|error| self.failed(&error))?;
            let status = response.status();
            if !status.is_success() {
                let retry_after = retry_after(response.headers(), SystemTime::now());
                return Err(LlmError::Refused { client: self.name.clone(), status: status.as_u16(), retry_after });
            }
            self.body(response).await
        };
        let body = tokio::time::timeout(patience, listed).await;
        let body = body.unwrap_or_else(|_| Err(LlmError::Deadline { client: self.name.clone() }))?;
        let list: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let ids = list["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str());
        Ok(ids.map(str::to_owned).collect())
    }

    async fn exchange(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        let asked = self.client.post(self.url.clone()).json(&self.wire.request(prompt)).send().await;
        let response = asked.map_err(|error| self.failed(&error))?;
        let status = response.status();
        if !status.is_success() {
            let retry_after = retry_after(response.headers(), SystemTime::now());
            return Err(LlmError::Refused { client: self.name.clone(), status: status.as_u16(), retry_after });
        }
        let body = self.body(response).await?;
        self.wire.answer(&body).map_err(|reason| {
            let said = displayable(&String::from_utf8_lossy(&body), MAX_SHOWN);
            debug!(model = self.name, said, "no chat completion");
            self.malformed(reason)
        })
    }

    /// The body, as far as it is not too long.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > MAX_BODY_BYTES => {
                    return Err(self.malformed(format!("an answer of more than {MAX_BODY_BYTES} bytes")));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body),
                Err(error) if error.is_timeout() || was_cut(&error) => return Err(self.failed(&error)),
                Err(error) => return Err(self.malformed(format!("the answer broke off: {}", causes(&error)))),
            }
        }
    }

    fn malformed(&self, reason: impl Into<String>) -> LlmError {
        LlmError::Malformed { client: self.name.clone(), reason: reason.into() }
    }

    /// Why no answer began, or why it broke off.
    fn failed(&self, error: &reqwest::Error) -> LlmError {
        let client = self.name.clone();
        if error.is_timeout() && !error.is_connect() {
            return LlmError::Deadline { client };
        }
        // Once there is a connection, only its end keeps a question from being asked.
        let again = !error.is_timeout() && (was_cut(error) || !error.is_connect());
        LlmError::Unreachable { client, reason: causes(error), again }
    }
}

impl Client for HttpClient {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> Answering<'a> {
        Box::pin(async move {
            let answered = tokio::time::timeout_at(deadline.into(), self.exchange(prompt)).await;
            answered.unwrap_or_else(|_| Err(LlmError::Deadline { client: self.name.clone() }))
        })
    }
}

/// The address that questions go to.
///
/// # Errors
/// When the base has no scheme of HTTP or no host, or carries a user, a query or a fragment.
pub fn endpoint(base: &str) -> Result<Url, HttpError> {
    let bad = |reason: &str| HttpError::Url(format!("{base}: {reason}"));
    let mut url = match Url::parse(base) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        _ => return Err(bad("must begin with http:// or https://")),
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(bad("must have no user, query or fragment; a key belongs into key_file"));
    }
    url.path_segments_mut().map_err(|()| bad("has no path"))?.pop_if_empty().extend(["chat", "completions"]);
    Ok(url)
}

/// The address of a proxy; without a scheme it is one of HTTP.
///
/// # Errors
/// When it is no address of HTTP.
pub fn proxy_address(proxy: &str) -> Result<Url, HttpError> {
    // It may hold a password, so that it is not shown.
    let bad = || HttpError::Proxy("must be http://HOST:PORT".into());
    let whole = if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") };
    Url::parse(&whole).ok().filter(|url| matches!(url.scheme(), "http" | "https")).ok_or_else(bad)
}

/// Headers of every question.
fn headers(settings: &HttpSettings) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    let value = |text: &str, what: &str| {
        let mut value = HeaderValue::from_str(text)
            .map_err(|_| HttpError::Header(format!("{what}: holds characters that no header can hold")))?;
        value.set_sensitive(true);
        Ok(value)
    };
    if let Some(key) = &settings.key {
        headers.insert(AUTHORIZATION, value(&format!("Bearer {}", key.reveal()), "key_file")?);
    }
    for (name, text) in &settings.headers {
        headers.insert(header_name(name)?, value(Secret::reveal(text), &format!("headers.{name}"))?);
    }
    Ok(headers)
}

/// A name of a header that the configuration may set.
fn header_name(name: &str) -> Result<HeaderName, HttpError> {
    let bad = |reason: &str| HttpError::Header(format!("headers.{name}: {reason}"));
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("is no name of a header"))?;
    match known.as_str() {
        "host" | "content-length" | "content-type" | "transfer-encoding" | "connection" => {
            Err(bad("is not yours to set"))
        }
        _ => Ok(known),
    }
}

/// For how long an endpoint asks to be left alone: in seconds as most say it, or until a date (RFC 9110, section 10.2.3);
/// [`LONGEST_PAUSE`] at most.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let said = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let pause = match said.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        // A date that has passed asks for no pause.
        Err(_) => httpdate::parse_http_date(said).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(pause.min(LONGEST_PAUSE))
}

/// Whether a connection was refused or cut, or only the lookup of another name was in the way: nothing was waited for in
/// vain, and the next moment may be better.
fn was_cut(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind as E;
    let causes = std::iter::successors(Some(error), |error| Error::source(*error));
    causes.filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| {
        matches!(
            error.kind(),
            E::ConnectionRefused
                | E::ConnectionReset
                | E::ConnectionAborted
                | E::BrokenPipe
                | E::UnexpectedEof
                | E::ResourceBusy
        )
    })
}

/// An error with its causes, without the address it concerns.
fn causes(error: &dyn Error) -> String {
    let mut text = String::new();
    let mut cause = Some(error);
    // reqwest names the address at the outermost level only.
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = if text.is_empty() { said } else { format!("{text}: {said}") };
        }
        cause = error.source();
    }
    displayable(&text, 300)
}
