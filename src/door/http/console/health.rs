//! `GET /v1/me` and `GET /v1/health`: who looks, and how the daemon is.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::super::{Client, House, Right, body};
use super::aside;
use crate::ledger::BUCKETS_MS;

/// Who looks, and what they may do.
pub(in crate::door::http) async fn me(
    State(house): State<Arc<House>>,
    Extension(Client(name)): Extension<Client>,
) -> Response {
    let rights = [(Right::Ask, "ask"), (Right::See, "see"), (Right::Manage, "manage")];
    let rights: Vec<&str> =
        rights.iter().filter(|(right, _)| house.guard.may(&name, *right)).map(|(_, word)| *word).collect();
    let version = env!("CARGO_PKG_VERSION");
    let me = json!({"name": name, "rights": rights, "version": version, "home_id": house.console.home_id});
    body::reply(StatusCode::OK, &me)
}

/// How the daemon is.
pub(in crate::door::http) async fn health(State(house): State<Arc<House>>) -> Response {
    let told = aside(move || {
        let mut health = house.console.behind.health();
        health["hubs"] = house.console.behind.hubs().into();
        let (counts, took) = house.console.ledger.counts();
        health["counts"] = json!({
            "sure": counts.sure, "asked": counts.asked, "rejected": counts.rejected, "fallback": counts.fallback,
            "unknown": counts.unknown, "failed": counts.failed,
        });
        health["latency"] = latency(&counts.latency, took);
        health
    });
    told.await.map_or_else(|failed| failed, |told| body::reply(StatusCode::OK, &told))
}

/// How long serving took: all since the start by buckets, and the quantiles of those that are still known.
fn latency(counts: &[u64], mut took: Vec<u64>) -> Value {
    took.sort_unstable();
    let quantile = |share: f64| {
        let at = ((took.len() as f64 * share).ceil() as usize).saturating_sub(1);
        took.get(at).map(|us| *us as f64 / 1_000.0)
    };
    json!({"buckets_ms": BUCKETS_MS, "counts": counts, "p50_ms": quantile(0.5), "p99_ms": quantile(0.99)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_what_was_measured() {
        assert_eq!(latency(&[], Vec::new())["p50_ms"], Value::Null);
        let told = latency(&[1], (1..=100).rev().map(|n| n * 1_000).collect());
        assert_eq!((&told["p50_ms"], &told["p99_ms"]), (&json!(50.0), &json!(99.0)));
    }
}
