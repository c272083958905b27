//! What is said of an outcome, and of nothing to do.

use super::Service;
use crate::dialogue::Nothing;
use crate::frame::{Feedback, Intent, Speech};
use crate::home::{Home, RoomIndex};
use crate::language::grammar::{Rejection, listed};
use crate::resolve::Outcome;
use crate::resolve::device_name;
use crate::resolve::reply::Replies;
use crate::text::displayable;

/// What is said aloud of an outcome. Where all worked and can be seen from where the speaker is, a sound is enough.
pub(super) fn speech(outcome: &Outcome, home: &Home, local: Option<RoomIndex>) -> Speech {
    let text = if outcome.silent { String::new() } else { outcome.text.clone() };
    let here = |id: &str| home.device(id).is_some_and(|(_, device)| device.room.is_some() && device.room == local);
    let worked = outcome.intent == Intent::Instruct && outcome.complete && outcome.pending.is_none();
    let feedback = match worked {
        true if outcome.instructs.iter().all(|i| here(&i.id)) => Feedback::Chime,
        true => Feedback::Brief,
        false => Feedback::Full,
    };
    Speech { text, feedback }
}

impl Service {
    /// What is said later of devices, by id, that did not do what they were told: they did not say so, or would not.
    pub fn failed_later(&self, silent: &[String], rejected: &[String]) -> String {
        let home = &self.registry.snapshot().home;
        let replies = &self.language.replies;
        let parts = [("no_response", silent), ("not_done", rejected)].map(|(key, ids)| {
            let devices = ids.iter().filter_map(|id| home.device(id));
            let names: Vec<String> = devices.map(|(_, device)| device_name(home, device)).collect();
            (!names.is_empty()).then(|| replies.say(key, &[("what", &replies.few(&names))]))
        });
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match &parts[..] {
            [] => String::new(),
            parts => replies.say("failed_later", &[("what", &parts.join(replies.word("pause")))]),
        }
    }
}

/// What is said when there is nothing to do.
pub(super) fn nothing_done(nothing: &Nothing, replies: &Replies) -> Outcome {
    let (intent, text) = match nothing {
        Nothing::Rejected(Rejection::OtherAddressee) => {
            return Outcome::say(Intent::None, replies.say("not_me", &[])).in_silence();
        }
        Nothing::Rejected(Rejection::Negated | Rejection::Withdrawn) => (Intent::None, replies.say("negated", &[])),
        Nothing::Rejected(Rejection::Later) => (Intent::Answer, replies.say("later", &[])),
        Nothing::Rejected(Rejection::Standing) => (Intent::Answer, replies.say("standing", &[])),
        Nothing::Rejected(_) => return Outcome::say(Intent::None, replies.say("none", &[])).in_silence(),
        Nothing::Cancelled => (Intent::None, replies.say("confirmed_none", &[])),
        Nothing::Expired => (Intent::None, replies.say("expired", &[])),
        Nothing::Unhelped(_) => (Intent::Question, replies.say("no_help", &[])),
        Nothing::Unsure(words) => match displayable(&listed(words), 24) {
            what if what.is_empty() => (Intent::Question, replies.say("unsure", &[])),
            what => (Intent::Question, replies.say("unsure_about", &[("what", &what)])),
        },
    };
    Outcome::say(intent, text)
}
