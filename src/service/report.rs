//! What the service says and writes down about an utterance besides its answer.

use std::sync::Arc;

use serde_json::{Value, json};
use tracing::{info, warn};

use super::{Service, Timing};
use crate::context;
use crate::dialogue::{Meant, Nothing};
use crate::frame::Request;
use crate::home::Home;
use crate::language::grammar::Order;
use crate::resolve::{Outcome, Pending};
use crate::retrieval::{Entity, World};

impl Service {
    /// The payload of `candidates/{rid}`.
    pub(super) fn candidates(
        &self,
        request: &Request,
        meant: &Meant,
        orders: &[Order],
        outcome: &Outcome,
        home: &Home,
        timing: Timing,
    ) -> Value {
        let commands: Vec<String> = if orders.is_empty() {
            vec![crate::language::command::Command::unknown().to_string()]
        } else {
            orders.iter().map(|o| o.command.to_string()).collect()
        };
        let found: Vec<Value> = outcome
            .candidates
            .iter()
            .map(|(candidate, command)| {
                let (kind, id, name, room) = match candidate.entity {
                    Entity::Device(i) => {
                        let device = &home.devices[i];
                        ("device", &device.id, &device.name, home.room_name(device))
                    }
                    Entity::Group(i) => ("group", &home.groups[i].id, &home.groups[i].name, ""),
                    Entity::Scene(i) => ("scene", &home.scenes[i].id, &home.scenes[i].name, ""),
                };
                json!({
                    "kind": kind, "id": id, "name": crate::text::displayable(name, 64), "room": room,
                    "score": candidate.score(), "signals": candidate.signals, "command": command,
                })
            })
            .collect();
        let list: Vec<_> = outcome.candidates.iter().map(|(c, _)| c.clone()).collect();
        let unsure = matches!(meant, Meant::Nothing(Nothing::Unsure(_)));
        let hint = outcome.hint.or(unsure.then_some("needs_fallback"));
        let (recall, score) = (outcome.searched.0.as_micros() as u64, outcome.searched.1.as_micros() as u64);
        let parser = if orders.is_empty() { "none" } else { "grammar" };
        json!({
            "rid": request.rid, "page_id": request.page_id, "parser": parser, "commands": commands,
            "candidates": found, "hint": hint, "context_yaml": context::yaml(&list, home),
            "timing_us": {
                "parse": timing.parse as u64, "recall": recall, "score": score,
                "resolve": timing.resolve.saturating_sub(u128::from(recall + score)) as u64,
                "total": timing.total as u64,
            },
            "trace": outcome.trace,
        })
    }

    /// Writes down every step that concerns a risky device, before anybody hears of it.
    pub(super) async fn audit(&self, request: &Request, outcome: &Outcome, world: &World, now_ms: u64) {
        let Some(store) = &self.store else { return };
        let home = world.home();
        let risky = |id: &str| home.device(id).is_some_and(|(index, _)| world.vocabulary.devices[index].risky);
        let moved: Vec<&str> = outcome.instructs.iter().map(|i| i.id.as_str()).filter(|id| risky(id)).collect();
        let asked: Vec<&str> = match &outcome.pending {
            Some(Pending::Confirm { devices, .. }) => {
                devices.iter().map(|d| home.devices[*d].id.as_str()).filter(|id| risky(id)).collect()
            }
            _ => Vec::new(),
        };
        for (step, devices) in [("asked", asked), ("moved", moved)] {
            if devices.is_empty() {
                continue;
            }
            let entry = json!({
                "ts": now_ms, "rid": request.rid, "page_id": request.page_id, "step": step, "devices": devices,
                "question": request.question, "reply": outcome.text,
            });
            let store = Arc::clone(store);
            let written = tokio::task::spawn_blocking(move || {
                store.append_audit(entry.to_string().as_bytes())?;
                store.commit()
            });
            match written.await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => warn!(%error, rid = request.rid, "a risky step is not safe in the audit trail"),
                Err(panic) => warn!(%panic, rid = request.rid, "a risky step is not in the audit trail"),
            }
        }
    }

    /// Tells and counts what became of an utterance, in one line.
    pub(super) fn log(&self, request: &Request, orders: &[Order], outcome: &Outcome, timing: Timing, parser: &str) {
        let intent = outcome.intent.as_str();
        self.metrics.understood(intent, parser);
        let sentence = if self.settings.log_sentences { request.question.as_str() } else { "" };
        info!(
            rid = request.rid,
            intent,
            parser,
            commands = orders.len(),
            instructs = outcome.instructs.len(),
            us = timing.total as u64,
            sentence,
            "utterance"
        );
    }
}
