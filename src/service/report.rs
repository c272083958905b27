//! What the service says and writes down about an utterance besides its answer.

use std::sync::Arc;

use serde_json::{Value, json};
use tracing::{info, warn};

use super::{Service, Timing};
use crate::audit::{Entry, Step};
use crate::context;
use crate::dialogue::{Asks, Meant, Nothing, PendingRecord};
use crate::frame::Request;
use crate::home::Home;
use crate::interpret::Interpretation;
use crate::language::order::Order;
use crate::language::protocol::encode;
use crate::language::vocabulary::Vocabulary;
use crate::llm::metrics::GRAMMAR;
use crate::resolve::{Found, Outcome, Pending};
use crate::retrieval::{Entity, World};

/// What is said of jobs and of names is understood, and no command of the protocol.
fn is_no_command(meant: &Meant) -> bool {
    matches!(meant, Meant::Jobs(_) | Meant::Instead(_) | Meant::Called { .. })
}

/// Who understood a sentence, as frames, logs and metrics name it.
pub(super) fn parser_of(reading: &Interpretation, orders: &[Order]) -> &'static str {
    match orders.is_empty() {
        false => reading.by.parser(),
        true if is_no_command(&reading.meant) => GRAMMAR,
        true => "none",
    }
}

impl Service {
    /// The payload of `candidates/{rid}`.
    pub(super) fn candidates(
        &self,
        request: &Request,
        reading: &Interpretation,
        orders: &[Order],
        outcome: &Outcome,
        vocabulary: &Vocabulary,
        timing: Timing,
    ) -> Value {
        let meant = &reading.meant;
        let home: &Home = &vocabulary.home;
        let commands: Vec<String> = if is_no_command(meant) {
            Vec::new()
        } else if orders.is_empty() {
            vec![crate::language::command::Command::unknown().to_string()]
        } else {
            orders.iter().map(|o| encode(o, vocabulary).to_string()).collect()
        };
        let found: Vec<Value> = outcome
            .candidates
            .iter()
            .map(|Found { candidate, set, command }| {
                let (kind, id, name, room) = match candidate.entity {
                    _ if let Some(set) = set => ("group", &set.id, &set.name, ""),
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
        let unsure = matches!(meant, Meant::Nothing(Nothing::Unsure(_) | Nothing::Unhelped(_)));
        let hint = outcome.hint.or(unsure.then_some("needs_fallback"));
        let (recall, score) = (outcome.searched.0.as_micros() as u64, outcome.searched.1.as_micros() as u64);
        let parser = parser_of(reading, orders);
        let found_for = |order: &Order| {
            let command = encode(order, vocabulary).to_string();
            outcome.candidates.iter().find(|found| found.command == command).map(|found| &found.candidate.signals)
        };
        let confidence = reading.confidence(orders, found_for);
        json!({
            "rid": request.rid, "page_id": request.page_id, "parser": parser, "commands": commands,
            "confidence": confidence, "candidates": found, "hint": hint, "context_yaml": context::yaml(&outcome.candidates, home, &vocabulary.lexicon.texts.told),
            "timing_us": {
                "parse": timing.parse as u64, "recall": recall, "score": score,
                "resolve": timing.resolve.saturating_sub(u128::from(recall + score)) as u64,
                "total": timing.total as u64,
            },
            "trace": outcome.trace,
        })
    }

    /// Writes down what is asked about risky devices, before anybody hears of it; a question that is still open is not asked
    /// anew. What moves of them is written down with the order itself.
    pub(super) async fn audit(
        &self,
        request: &Request,
        outcome: &Outcome,
        open: Option<&PendingRecord>,
        world: &World,
    ) {
        let (Some(store), Some(Pending::Confirm { devices, .. })) = (&self.store, &outcome.pending) else { return };
        let home = world.home();
        let ids = devices.iter().map(|d| home.devices[*d].id.as_str());
        let still_open = open.is_some_and(|open| open.asks == Asks::Confirm && ids.clone().eq(&open.devices));
        let asked = self.risky_of(request, world, ids);
        if asked.is_empty() || still_open {
            return;
        }
        let rows = Entry::new(Step::Asked, request, &outcome.text, asked, self.clock().wall_ms()).rows();
        let store = Arc::clone(store);
        let written = tokio::task::spawn_blocking(move || {
            rows.iter().try_for_each(|row| store.append_audit(row))?;
            store.commit()
        });
        match written.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!(%error, rid = request.rid, "a risky question is not safe in the audit trail"),
            Err(panic) => warn!(%panic, rid = request.rid, "a risky question is not in the audit trail"),
        }
    }

    /// The risky devices that are to move.
    pub(super) fn risky(&self, request: &Request, outcome: &Outcome, world: &World) -> Vec<String> {
        self.risky_of(request, world, outcome.instructs.iter().map(|instruct| instruct.id.as_str()))
    }

    /// Those of these devices that can do harm. A home that came with the request is not ours: whatever it calls risky,
    /// nothing of ours moves by it.
    fn risky_of<'a>(&self, request: &Request, world: &World, ids: impl Iterator<Item = &'a str>) -> Vec<String> {
        let risky = |id: &&str| {
            let device = world.home().device(id);
            device.is_some_and(|(index, _)| world.vocabulary.devices[index].risky)
        };
        if request.home.is_some() { Vec::new() } else { ids.filter(risky).map(str::to_owned).collect() }
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
