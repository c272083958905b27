//! What the daemon learns from its people, where the owner lets it: names that they use and the home does not know. Nothing of
//! it leaves the home.

use std::fmt;
use std::sync::Arc;

use tokio::task::spawn_blocking;
use tracing::warn;

use super::settings::Learning;
use super::{Service, View};
use crate::dialogue::{Meant, Naming, Nothing, Page, Unheard, may_be_called, unknown_name};
use crate::frame::{Intent, Request};
use crate::language::grammar::{self, Rejection, SpeakerContext};
use crate::language::order::{Order, Target};
use crate::language::segment::is_story;
use crate::resolve::{Outcome, Pending, device_name};
use crate::store::{Refused, Store, StoreError};
use crate::text::{displayable, utterance};

/// Who writes down what devices are called.
pub trait NameBook: fmt::Debug + Send + Sync {
    /// One more name of a device, by whom. Waits for the disk.
    ///
    /// # Errors
    /// Why it is not called so now.
    fn call(&self, device: &str, name: &str, who: &str) -> Result<(), String>;
}

/// An utterance at its end.
pub(super) struct Lesson<'a> {
    pub(super) request: &'a Request,
    pub(super) view: &'a View,
    pub(super) speaker: &'a SpeakerContext,
    pub(super) meant: &'a Meant,
    pub(super) orders: &'a [Order],
    pub(super) now_ms: u64,
}

/// Words of a refused sentence that are kept.
const MAX_WORDS: usize = 8;

impl Service {
    /// The same service, which asks about names that it does not know and has them written down.
    #[must_use]
    pub fn with_names(self, names: Arc<dyn NameBook>) -> Self {
        Self { called_by: Some(names), ..self }
    }

    /// What comes of the answer to our question whether a device is called so; `None` where that was none.
    pub(super) async fn called(
        &self,
        meant: &Meant,
        request: &Request,
        view: &View,
        speaker: &SpeakerContext,
    ) -> Option<Outcome> {
        let Meant::Called { naming, yes } = meant else { return None };
        let Naming { name, device, .. } = naming;
        let answer = |key: &str, what: &str| {
            Some(Outcome::say(Intent::Answer, self.language.replies.say(key, &[("name", name), ("what", what)])))
        };
        if !yes {
            return answer("name_not", "");
        }
        // The home may have changed since the question.
        let home = view.world().home();
        let found = home.device(device).filter(|(at, _)| may_be_called(name, *at, view.world(), speaker));
        let (Some((_, known)), Some(names), false) = (found, self.called_by.clone(), view.inline) else {
            return answer("name_failed", "");
        };
        let what = device_name(home, known);
        let who = match request.origin.client.as_str() {
            "" => request.origin.door.as_str().to_owned(),
            client => format!("{}: {client}", request.origin.door.as_str()),
        };
        let (device, said, store) = (device.clone(), name.clone(), self.store.clone());
        let written = spawn_blocking(move || {
            names.call(&device, &said, &who)?;
            store.map_or(Ok(()), |store| store.forget_refused_for(&said).map_err(|error| error.to_string()))
        });
        let problem = match written.await {
            Ok(Ok(())) => return answer("name_kept", &what),
            Ok(Err(problem)) => problem,
            Err(panic) => panic.to_string(),
        };
        warn!(problem, rid = request.rid, "a name that was confirmed is not written down");
        answer("name_failed", "")
    }

    /// Asks, once and for all, whether the one device that moved is called by the part of the sentence before that nobody
    /// understood.
    pub(super) async fn wonder(
        &self,
        lesson: &Lesson<'_>,
        unheard: Option<&Unheard>,
        outcome: &mut Outcome,
    ) -> Option<Naming> {
        let (Some(_), Some(_), Some(store)) = (self.settings.learning, &self.called_by, &self.store) else {
            return None;
        };
        let unheard = unheard.filter(|unheard| lesson.now_ms <= unheard.until_ms)?;
        let done = outcome.complete && outcome.pending.is_none() && !lesson.view.inline && lesson.request.moves();
        let ([order], [instruct], true) = (lesson.orders, &outcome.instructs[..], done) else { return None };
        let world = lesson.view.world();
        let (at, device) = world.home().device(&instruct.id)?;
        let name = unknown_name(&unheard.said, order, at, world)?;
        if !may_be_called(&name, at, world, lesson.speaker) {
            return None;
        }
        let (store, wall_ms) = (Arc::clone(store), self.clock().wall_ms());
        let (said, id) = (name.clone(), device.id.clone());
        match spawn_blocking(move || store.ask_once(&said, &id, wall_ms)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => return None,
            Ok(Err(error)) => {
                warn!(%error, "a name is not asked about: that could not be remembered");
                return None;
            }
            Err(_) => return None,
        }
        let what = device_name(world.home(), device);
        outcome.text.push_str(&self.language.replies.say("name_ask", &[("name", &name), ("what", &what)]));
        let until_ms = lesson.now_ms.saturating_add(self.confirm_ms());
        Some(Naming { name, device: device.id.clone(), until_ms })
    }

    /// Keeps in mind what nothing came of, for as long as it may be said again in other words; and writes it down, where the
    /// owner wants that and it was said to us.
    pub(super) fn unheard(&self, lesson: &Lesson<'_>, page: &Page, outcome: &Outcome, to_us: bool) -> Option<Unheard> {
        let Some(reason) = refused(lesson, outcome) else {
            // A question on the way to it.
            return page.unheard.clone().filter(|_| outcome.pending.is_some() && outcome.instructs.is_empty());
        };
        if !lesson.view.inline && (to_us || reason != CHATTER) {
            self.note(lesson, reason);
        }
        let until_ms = lesson.now_ms.saturating_add(self.confirm_ms());
        Unheard::keep(&lesson.request.question, lesson.view.world(), lesson.speaker, until_ms)
    }

    /// Writes a sentence down, without keeping anybody waiting.
    fn note(&self, lesson: &Lesson<'_>, reason: &str) {
        let (Some(Learning { keep }), Some(store)) = (self.settings.learning, self.store.clone()) else { return };
        let sentence = utterance(&lesson.request.question);
        if keep == 0 || is_story(&sentence) {
            return;
        }
        let words = match lesson.meant {
            Meant::Nothing(Nothing::Unsure(words) | Nothing::Unhelped(words)) if !words.is_empty() => words.clone(),
            _ => {
                let tokens = grammar::words(&sentence, &lesson.view.world().vocabulary, lesson.speaker);
                tokens.into_iter().flatten().filter(|t| t.is_residue()).map(|token| token.text).collect()
            }
        };
        let words = words.into_iter().take(MAX_WORDS).collect();
        let at = self.clock().wall_ms();
        let room = lesson.request.local.as_deref().map(|room| displayable(room, 64));
        let (first_ms, last_ms, reason) = (at, at, reason.to_owned());
        let refused = Refused { sentence, reason, words, room, times: 1, first_ms, last_ms };
        spawn_blocking(move || {
            if let Err(error) = store.note_refused(refused, keep) {
                warn!(%error, "a sentence that was not understood is not kept");
            }
        });
    }

    /// Forgets the sentences that were kept, if none is to be kept any more.
    pub(super) async fn forget_refused(&self) {
        let keeps = self.settings.learning.is_some_and(|learning| learning.keep > 0);
        let Some(store) = self.store.clone().filter(|_| !keeps) else { return };
        if let Ok(Err(error)) = spawn_blocking(move || forget(&store)).await {
            warn!(%error, "sentences that are to be forgotten are still there");
        }
    }
}

fn forget(store: &Store) -> Result<(), StoreError> {
    if store.refused()?.is_empty() { Ok(()) } else { store.clear_refused().and_then(|()| store.commit()) }
}

/// Why nothing came of what was told to nobody by name.
const CHATTER: &str = "chatter";

/// Why nothing came of an utterance; `None` when something did, or nothing should.
fn refused(lesson: &Lesson<'_>, outcome: &Outcome) -> Option<&'static str> {
    if !outcome.instructs.is_empty() {
        return None;
    }
    let nothing_found = outcome.candidates.is_empty() && matches!(outcome.pending, None | Some(Pending::Target(_)));
    let points = |order: &Order| matches!(order.target, Target::Reference(_));
    match lesson.meant {
        Meant::Nothing(Nothing::Unsure(_) | Nothing::Unhelped(_)) => Some("unsure"),
        Meant::Nothing(Nothing::Rejected(Rejection::Chatter)) => Some(CHATTER),
        Meant::Orders { orders, .. } if nothing_found && orders.iter().any(|order| !order.action.moves_nothing()) => {
            (outcome.intent == Intent::Question)
                .then(|| if orders.iter().any(points) { "no_target" } else { "not_found" })
        }
        _ => None,
    }
}
