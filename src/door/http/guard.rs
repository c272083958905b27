//! Who may pass: the host that was meant, the site that sent them, the token that they show.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::http::header::{AUTHORIZATION, FORWARDED, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use tokio::sync::watch;
use tracing::warn;

use super::attempts::Attempts;
use super::tokens::{Right, Token, Tokens};
use crate::transport::Throttle;

/// Who may pass.
#[derive(Debug)]
pub struct Guard {
    /// Whoever stays is told when they change.
    terms: watch::Sender<Terms>,
    attempts: Attempts,
    throttle: Mutex<Throttle>,
}

/// What the configuration says of who may pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Without tokens, only this machine may pass, and not through a proxy.
    pub tokens: Option<Tokens>,
    /// Names of this machine, besides `localhost` and its addresses.
    pub hosts: Vec<String>,
    /// Sites whose pages may speak to us.
    pub origins: Vec<String>,
}

/// What somebody passed by; [`Guard::still`] says whether they still would.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// `None` where there were no tokens.
    token: Option<Token>,
    right: Option<Right>,
    /// The host that was meant.
    host: String,
    /// The site whose page it is, if it is one.
    origin: Option<String>,
}

impl Pass {
    /// Of whoever asks for what nobody needs a token for.
    pub(super) fn nobody() -> Self {
        Self { token: None, right: None, host: String::new(), origin: None }
    }

    /// The name of the token; empty without tokens.
    pub(super) fn name(&self) -> &str {
        self.token.as_ref().map_or("", |token| &token.name)
    }

    fn holds(&self, terms: &Terms) -> bool {
        let known = match (&terms.tokens, &self.token) {
            (Some(tokens), Some(token)) => tokens.hold(token, self.right),
            (None, None) => true,
            _ => false,
        };
        let befriended = self.origin.as_deref().is_none_or(|origin| terms.befriend(origin, &self.host));
        known && terms.mean_us(&self.host) && befriended
    }
}

/// Why somebody may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    /// The name of another host was meant: what a page does whose name was pointed at us.
    Host,
    /// A page of another site sent it.
    Origin,
    /// Without tokens only this machine may pass.
    Distant,
    /// No token was shown.
    NoToken,
    /// One that is none.
    WrongToken,
    /// Too many of those.
    ShutOut,
    /// The token's rights are others.
    Right,
}

impl Denied {
    /// The status, and what a person can do about it.
    pub(super) fn explain(self) -> (StatusCode, &'static str) {
        match self {
            Self::Host => (StatusCode::FORBIDDEN, "the Host is none of ours; http.hosts allows more"),
            Self::Origin => (StatusCode::FORBIDDEN, "pages of this site may not ask; http.origins allows more"),
            Self::Distant => (StatusCode::FORBIDDEN, "without http.tokens only this machine may ask, without a proxy"),
            Self::NoToken => (StatusCode::UNAUTHORIZED, "a token is wanted: Authorization: Bearer TOKEN"),
            Self::WrongToken => (StatusCode::UNAUTHORIZED, "no such token"),
            Self::ShutOut => (StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens; try again in a minute"),
            Self::Right => (StatusCode::FORBIDDEN, "this token has another right"),
        }
    }
}

impl Guard {
    /// Lets pass who shows one of the tokens, or whoever is on this machine if there are none.
    pub fn new(terms: Terms) -> Self {
        Self { terms: watch::Sender::new(terms), attempts: Attempts::default(), throttle: Mutex::default() }
    }

    /// From now on lets pass whom these terms let. Connections of those whom they do not let pass any more end.
    pub fn renew(&self, terms: Terms) {
        self.terms.send_if_modified(|former| {
            let differ = *former != terms;
            *former = terms;
            differ
        });
    }

    /// Whether who passed would still pass.
    pub(super) fn still(&self, pass: &Pass) -> bool {
        pass.holds(&self.terms.borrow())
    }

    /// Waits until who passed would pass no more.
    pub(super) async fn revoked(&self, pass: &Pass) {
        let mut renewed = self.terms.subscribe();
        // It fails only without a sender, which is ours.
        while self.still(pass) && renewed.changed().await.is_ok() {}
    }

    /// Whoever it is that may pass, and by what.
    pub(super) fn admit(
        &self,
        from: IpAddr,
        uri: &Uri,
        headers: &HeaderMap,
        right: Option<Right>,
    ) -> Result<Pass, Denied> {
        let terms = self.terms.borrow();
        let host = single(headers, &HOST).filter(|host| terms.mean_us(host)).ok_or(Denied::Host)?;
        let origin = single(headers, &ORIGIN).map(str::to_owned);
        if headers.contains_key(ORIGIN) && !origin.as_ref().is_some_and(|origin| terms.befriend(origin, host)) {
            return Err(Denied::Origin);
        }
        let pass = |token: Option<&Token>| Pass { token: token.cloned(), right, host: host.to_owned(), origin };
        let Some(tokens) = &terms.tokens else {
            let proxied = headers.contains_key(FORWARDED) || headers.contains_key("x-forwarded-for");
            return if from.is_loopback() && !proxied { Ok(pass(None)) } else { Err(Denied::Distant) };
        };
        let secret = secret(uri, headers).ok_or(Denied::NoToken)?;
        match tokens.find(secret, right) {
            Some((token, true)) => Ok(pass(Some(token))),
            Some((_, false)) => Err(Denied::Right),
            // Whoever has a token passes, however many wrong ones came from the same address: behind a proxy all have one.
            None => {
                let now = Instant::now();
                if self.attempts.is_shut_out(from, now) {
                    return Err(Denied::ShutOut);
                }
                self.attempts.count(from, now);
                self.log(from, now);
                Err(Denied::WrongToken)
            }
        }
    }

    /// Whether we were meant at all.
    pub(super) fn meant(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let ours = single(headers, &HOST).is_some_and(|host| self.terms.borrow().mean_us(host));
        if ours { Ok(()) } else { Err(Denied::Host) }
    }

    /// Whether whoever passed under this name has a right.
    pub(super) fn may(&self, name: &str, right: Right) -> bool {
        self.terms.borrow().tokens.as_ref().is_none_or(|tokens| tokens.may(name, right))
    }

    fn log(&self, from: IpAddr, now: Instant) {
        let mut throttle = self.throttle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(suppressed) = throttle.pass_of("address", &from.to_string(), now) {
            warn!(%from, suppressed, "a token that is none was shown");
        }
    }
}

impl Terms {
    /// Whether a `Host` means us. An address does: nobody can point a name at it, since no name was used.
    fn mean_us(&self, host: &str) -> bool {
        let name = without_port(host);
        let bracketed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let is_address = match bracketed {
            Some(v6) => v6.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<IpAddr>().is_ok(),
        };
        is_address || name.eq_ignore_ascii_case("localhost") || self.hosts.iter().any(|h| h.eq_ignore_ascii_case(name))
    }

    /// Whether pages of a site may speak to us: our own, and those that the owner names.
    fn befriend(&self, origin: &str, host: &str) -> bool {
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        own.is_some_and(|own| own.eq_ignore_ascii_case(host))
            || self.origins.iter().any(|friend| friend.eq_ignore_ascii_case(origin))
    }
}

/// The one value of a header; two are none.
fn single<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none()).map(HeaderValue::to_str)?.ok()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The secret that is shown. Pages cannot give a WebSocket a header of their own: only there it may stand in the address.
fn secret<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    if headers.contains_key(AUTHORIZATION) {
        let (scheme, secret) = single(headers, &AUTHORIZATION)?.split_once(' ')?;
        return Some(secret.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"));
    }
    let query = uri.query().filter(|_| uri.path() == super::PIPE)?;
    query.split('&').find_map(|pair| pair.strip_prefix("access_token="))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123";

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
        }
        headers
    }

    fn guard(tokens: bool) -> Guard {
        let tokens = tokens.then(|| Tokens::read(&format!("phone ask {SECRET}")).unwrap());
        Guard::new(terms(tokens))
    }

    fn terms(tokens: Option<Tokens>) -> Terms {
        Terms { tokens, hosts: vec!["gateway.lan".into()], origins: vec!["https://panel.lan".into()] }
    }

    fn admit(guard: &Guard, from: &str, uri: &str, pairs: &[(&str, &str)]) -> Result<String, Denied> {
        let pass = guard.admit(from.parse().unwrap(), &uri.parse().unwrap(), &headers(pairs), Some(Right::Ask));
        pass.map(|pass| pass.name().to_owned())
    }

    #[tokio::test]
    async fn who_passed_is_told_when_their_token_is_gone_and_only_then() {
        let guard = guard(true);
        let pairs = [("host", "localhost"), ("authorization", &*format!("Bearer {SECRET}"))];
        let [from, uri] = ["127.0.0.1", "/"];
        let pass = guard.admit(from.parse().unwrap(), &uri.parse().unwrap(), &headers(&pairs), Some(Right::Ask));
        let pass = pass.unwrap();
        let file = |text: String| terms(Some(Tokens::read(&text).unwrap()));
        for kept in [format!("phone ask,see {SECRET}"), format!("other see {SECRET}-2\nphone ask {SECRET}")] {
            guard.renew(file(kept));
            assert!(guard.still(&pass));
        }
        for gone in [
            terms(None),
            file(format!("other ask {SECRET}-2")),
            file(format!("phone ask {SECRET}-2")),
            file(format!("phone see {SECRET}")),
            file(format!("other ask {SECRET}")),
        ] {
            guard.renew(file(format!("phone ask {SECRET}")));
            let mut revoked = std::pin::pin!(guard.revoked(&pass));
            let waits = futures_util::FutureExt::now_or_never(revoked.as_mut());
            assert!(guard.still(&pass) && waits.is_none());
            guard.renew(gone.clone());
            assert!(!guard.still(&pass), "{gone:?}");
            revoked.await;
        }
        let here = Pass { host: "localhost".into(), ..Pass::nobody() };
        guard.renew(terms(None));
        assert!(guard.still(&here));
        guard.renew(file(format!("phone ask {SECRET}")));
        assert!(!guard.still(&here), "from now on everybody needs one");
    }

    #[test]
    fn who_came_by_a_name_or_a_site_that_is_gone_would_pass_no_more() {
        let pass = |guard: &Guard, pairs: &[(&str, &str)]| {
            guard.admit("127.0.0.1".parse().unwrap(), &"/".parse().unwrap(), &headers(pairs), None)
        };
        let guard = guard(false);
        let by_name = pass(&guard, &[("host", "gateway.lan:8710")]).unwrap();
        let by_site = pass(&guard, &[("host", "localhost"), ("origin", "https://panel.lan")]).unwrap();
        let own = pass(&guard, &[("host", "localhost"), ("origin", "http://localhost")]).unwrap();
        guard.renew(Terms { hosts: vec!["hub.lan".into()], ..terms(None) });
        assert_eq!([&by_name, &by_site, &own].map(|pass| guard.still(pass)), [false, true, true]);
        assert_eq!(pass(&guard, &[("host", "gateway.lan")]).unwrap_err(), Denied::Host);
        assert!(pass(&guard, &[("host", "hub.lan")]).is_ok());
        guard.renew(Terms { origins: Vec::new(), ..terms(None) });
        assert_eq!([&by_name, &by_site, &own].map(|pass| guard.still(pass)), [true, false, true]);
    }

    #[test]
    fn without_tokens_only_this_machine_may_pass_and_no_proxy_on_it() {
        let guard = guard(false);
        assert_eq!(admit(&guard, "127.0.0.1", "/v1/ask", &[("host", "localhost:8710")]), Ok(String::new()));
        assert_eq!(admit(&guard, "::1", "/v1/ask", &[("host", "[::1]:8710")]), Ok(String::new()));
        assert_eq!(admit(&guard, "192.168.1.2", "/v1/ask", &[("host", "192.168.1.5")]), Err(Denied::Distant));
        for proxied in ["x-forwarded-for", "forwarded"] {
            let pairs = [("host", "localhost"), (proxied, "for=1.2.3.4")];
            assert_eq!(admit(&guard, "127.0.0.1", "/v1/ask", &pairs), Err(Denied::Distant));
        }
    }

    #[test]
    fn a_name_that_was_pointed_at_us_is_not_ours() {
        let guard = guard(false);
        for host in ["evil.example", "evil.example:8710", "localhost.evil.example", "127.0.0.1.nip.example", "", "[::1"]
        {
            assert_eq!(admit(&guard, "127.0.0.1", "/", &[("host", host)]), Err(Denied::Host), "{host}");
        }
        assert_eq!(admit(&guard, "127.0.0.1", "/", &[]), Err(Denied::Host));
        assert_eq!(admit(&guard, "127.0.0.1", "/", &[("host", "localhost"), ("host", "x")]), Err(Denied::Host));
        assert!(admit(&guard, "127.0.0.1", "/", &[("host", "Gateway.lan:8710")]).is_ok());
    }

    #[test]
    fn pages_of_other_sites_may_not_ask() {
        let guard = guard(false);
        let asked = |origin| admit(&guard, "127.0.0.1", "/", &[("host", "localhost:8710"), ("origin", origin)]);
        for origin in ["https://evil.example", "null", "http://localhost", "http://localhost:8710.evil.example"] {
            assert_eq!(asked(origin), Err(Denied::Origin), "{origin}");
        }
        for origin in ["http://localhost:8710", "https://panel.lan"] {
            assert!(asked(origin).is_ok(), "{origin}");
        }
    }

    #[test]
    fn who_has_a_token_passes_and_who_guesses_at_the_same_address_is_shut_out() {
        let guard = guard(true);
        let right = format!("Bearer {SECRET}");
        let asked =
            |value: &str| admit(&guard, "192.168.1.2", "/", &[("host", "gateway.lan"), ("authorization", value)]);
        assert_eq!(asked(&right), Ok("phone".to_owned()));
        assert_eq!(asked(&format!("Basic {SECRET}")), Err(Denied::NoToken));
        assert_eq!(admit(&guard, "127.0.0.1", "/", &[("host", "localhost")]), Err(Denied::NoToken), "here as well");
        for _ in 0..10 {
            assert_eq!(asked("Bearer 0123456789abcdef0124"), Err(Denied::WrongToken));
        }
        assert_eq!(asked("Bearer 0123456789abcdef0124"), Err(Denied::ShutOut));
        assert_eq!(asked(&right), Ok("phone".to_owned()), "all behind a proxy have one address");
    }

    #[test]
    fn only_for_the_pipe_a_token_may_stand_in_the_address() {
        let guard = guard(true);
        let asked = |path: &str| {
            admit(&guard, "192.168.1.2", &format!("{path}?a=b&access_token={SECRET}"), &[("host", "192.168.1.5")])
        };
        assert_eq!(asked(super::super::PIPE), Ok("phone".to_owned()));
        assert_eq!(asked("/v1/ask"), Err(Denied::NoToken));
    }
}
