//! Sentences that language models were asked about, kept if the owner wants that.

use std::sync::Arc;

use serde_json::json;
use tracing::warn;

use super::{Service, now_ms};
use crate::llm::cascade::Asked;

impl Service {
    /// Keeps a sentence and what the models answered, without keeping anybody waiting.
    pub(super) fn keep_hard(&self, sentence: &str, asked: &Asked) {
        let keep = self.settings.keep_hard;
        let Some(store) = self.store.as_ref().filter(|_| keep > 0).map(Arc::clone) else { return };
        let answers: Vec<_> = asked
            .tries
            .iter()
            .filter_map(|tried| {
                let raw = tried.raw.as_ref()?;
                Some(json!({"model": tried.step, "end": tried.end.name(), "problems": tried.reasons, "answer": raw}))
            })
            .collect();
        if answers.is_empty() {
            return;
        }
        let commands = asked.answer.iter().flat_map(|a| &a.commands).map(ToString::to_string).collect::<Vec<_>>();
        let pair = json!({"ts": now_ms(), "sentence": sentence, "commands": commands, "answers": answers});
        tokio::task::spawn_blocking(move || {
            if let Err(error) = store.append_hard(pair.to_string().as_bytes(), keep) {
                warn!(%error, "a hard sentence is not kept");
            }
        });
    }
}
