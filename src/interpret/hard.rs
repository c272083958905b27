//! Sentences that language models were asked about, kept if the owner wants that.

use std::sync::Arc;

use serde_json::json;
use tracing::warn;

use crate::clock::Clock;
use crate::llm::cascade::Asked;
use crate::store::Store;

/// Where they are kept.
#[derive(Clone, Debug)]
pub struct HardSentences {
    /// The database, if there is one.
    pub store: Option<Arc<Store>>,
    /// How many; 0 keeps none.
    pub keep: usize,
    /// What tells when.
    pub clock: Clock,
}

impl HardSentences {
    /// Forgets what was kept, if nothing is to be kept any more.
    pub async fn forget(&self) {
        let Some(store) = self.store.as_ref().filter(|_| self.keep == 0).map(Arc::clone) else { return };
        let forgotten = tokio::task::spawn_blocking(move || match store.hard()?.is_empty() {
            true => Ok(()),
            false => store.clear_hard().and_then(|()| store.commit()),
        });
        if let Ok(Err(error)) = forgotten.await {
            warn!(%error, "hard sentences that are to be forgotten are still there");
        }
    }

    /// Keeps a sentence and what the models answered, without keeping anybody waiting.
    pub fn keep(&self, sentence: &str, asked: &Asked) {
        let keep = self.keep;
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
        let pair = json!({"ts": self.clock.wall_ms(), "sentence": sentence, "commands": commands, "answers": answers});
        tokio::task::spawn_blocking(move || {
            if let Err(error) = store.append_hard(pair.to_string().as_bytes(), keep) {
                warn!(%error, "a hard sentence is not kept");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_kept_is_forgotten_when_nothing_is_to_be_kept_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        store.append_hard(b"{}", 9).unwrap();
        for (keep, left) in [(9, 1), (0, 0)] {
            let (store, clock) = (Arc::clone(&store), Clock::of_machine());
            let hard = HardSentences { store: Some(Arc::clone(&store)), keep, clock };
            hard.forget().await;
            assert_eq!(store.hard().unwrap().len(), left);
        }
    }
}
