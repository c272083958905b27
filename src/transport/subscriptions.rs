//! What hubs listen to besides the daemon's own topics, and who hears it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Hears messages. It is called by the task that keeps the connection alive: it only puts them away.
pub trait Hear: fmt::Debug + Send + Sync {
    /// A message; `retained` if the broker kept it.
    fn hear(&self, topic: &str, payload: Vec<u8>, retained: bool);
}

/// Filters, and who hears what each of them lets through.
#[derive(Clone, Debug, Default)]
pub struct Subscriptions {
    /// Filters without wildcards: some hubs have one for each device.
    exact: HashMap<String, Vec<Arc<dyn Hear>>>,
    wild: Vec<(String, Arc<dyn Hear>)>,
    /// How often filters were wanted anew, of those that were.
    turns: HashMap<String, u64>,
}

impl Subscriptions {
    /// Adds what one listens to.
    pub fn add(&mut self, filters: impl IntoIterator<Item = String>, ear: &Arc<dyn Hear>) {
        for filter in filters {
            if filter.contains(['+', '#']) {
                self.wild.push((filter, Arc::clone(ear)));
            } else {
                self.exact.entry(filter).or_default().push(Arc::clone(ear));
            }
        }
    }

    /// Wants filters anew for the `turn`th time: the broker gives once more what it keeps for them.
    pub fn renew(&mut self, filters: impl IntoIterator<Item = String>, turn: u64) {
        for filter in filters.into_iter().filter(|_| turn > 0) {
            let newest = self.turns.entry(filter).or_default();
            *newest = turn.max(*newest);
        }
    }

    fn turn(&self, filter: &str) -> u64 {
        self.turns.get(filter).copied().unwrap_or_default()
    }

    /// All filters.
    pub(super) fn filters(&self) -> BTreeSet<&str> {
        self.exact.keys().map(String::as_str).chain(self.wild.iter().map(|(filter, _)| filter.as_str())).collect()
    }

    /// Hands a message to whoever listens, once to each.
    pub(super) fn hear(&self, topic: &str, payload: Vec<u8>, retained: bool) {
        let exact = self.exact.get(topic).into_iter().flatten();
        let wild =
            self.wild.iter().filter(|(filter, _)| crate::hub::topics::matches(filter, topic)).map(|(_, ear)| ear);
        let mut ears: Vec<&Arc<dyn Hear>> = Vec::new();
        for ear in exact.chain(wild) {
            if !ears.iter().any(|known| Arc::ptr_eq(known, ear)) {
                ears.push(ear);
            }
        }
        if let Some((last, others)) = ears.split_last() {
            others.iter().for_each(|ear| ear.hear(topic, payload.clone(), retained));
            last.hear(topic, payload, retained);
        }
    }
}

/// Filters of one packet.
const MAX_FILTERS: usize = 100;

/// What is to be said to the broker about filters, one packet at a time: each takes a packet id of the publishes' cycle.
#[derive(Debug, Default)]
pub(super) struct Subscribing {
    /// What the broker lets through on this connection, and for the how manieth time it was asked to.
    there: BTreeMap<String, u64>,
    add: VecDeque<(String, u64)>,
    remove: VecDeque<String>,
    /// What the broker has not answered, and the turns of its filters.
    asked: Option<Asked>,
    turns: Vec<u64>,
}

/// A packet about filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// To subscribe to the daemon's own topics.
    Own,
    /// To subscribe to these.
    Add(Vec<String>),
    /// To unsubscribe from this.
    Remove(String),
}

impl Subscribing {
    /// A connection begins on which nothing of hubs was asked for yet: what the broker keeps for them comes once more. The
    /// daemon's own come first, if they are to be asked for.
    pub(super) fn begin(&mut self, wanted: &Subscriptions, own: bool) {
        *self = Self { asked: own.then_some(Asked::Own), ..Self::default() };
        self.want(wanted);
    }

    /// From now on these are wanted.
    pub(super) fn want(&mut self, wanted: &Subscriptions) {
        let filters = wanted.filters();
        let under_way = |filter: &str| match &self.asked {
            Some(Asked::Add(list)) => list.iter().position(|f| f == filter).map(|at| self.turns[at]),
            _ => None,
        };
        let known = |filter: &str| self.there.get(filter).copied().max(under_way(filter));
        let new = filters.iter().filter(|filter| known(filter).is_none_or(|turn| turn < wanted.turn(filter)));
        self.add = new.map(|filter| ((*filter).to_owned(), wanted.turn(filter))).collect();
        self.remove = self.there.keys().filter(|filter| !filters.contains(filter.as_str())).cloned().collect();
    }

    /// The next packet, if the broker has answered the one before.
    pub(super) fn next(&mut self) -> Option<Asked> {
        if self.asked.is_some() {
            return None;
        }
        let many = self.add.len().min(MAX_FILTERS);
        self.asked = match many {
            0 => self.remove.pop_front().map(Asked::Remove),
            many => {
                let (filters, turns) = self.add.drain(..many).unzip();
                self.turns = turns;
                Some(Asked::Add(filters))
            }
        };
        self.asked.clone()
    }

    /// The broker answered; what it was asked.
    pub(super) fn answered(&mut self) -> Option<Asked> {
        let asked = self.asked.take()?;
        match &asked {
            Asked::Own => {}
            Asked::Add(filters) => self.there.extend(filters.iter().cloned().zip(self.turns.drain(..))),
            Asked::Remove(filter) => _ = self.there.remove(filter),
        }
        Some(asked)
    }

    /// Whether all that is wanted is there.
    pub(super) fn is_done(&self) -> bool {
        self.asked.is_none() && self.add.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    struct Ear(Mutex<Vec<String>>);

    impl Hear for Ear {
        fn hear(&self, topic: &str, payload: Vec<u8>, retained: bool) {
            self.0.lock().unwrap().push(format!("{topic} {} {retained}", payload.len()));
        }
    }

    fn subscriptions(filters: &[&str]) -> Subscriptions {
        let mut subscriptions = Subscriptions::default();
        let ear: Arc<dyn Hear> = Arc::new(Ear::default());
        subscriptions.add(filters.iter().map(|filter| (*filter).to_owned()), &ear);
        subscriptions
    }

    #[test]
    fn each_hears_what_it_listens_to_once() {
        let (one, two) = (Arc::new(Ear::default()), Arc::new(Ear::default()));
        let (ear_one, ear_two): (Arc<dyn Hear>, Arc<dyn Hear>) = (one.clone(), two.clone());
        let mut all = Subscriptions::default();
        all.add(["a/#", "a/b"].map(str::to_owned), &ear_one);
        all.add(["a/b"].map(str::to_owned), &ear_two);
        all.hear("a/b", b"xy".to_vec(), true);
        all.hear("a/c", Vec::new(), false);
        all.hear("b", Vec::new(), false);
        assert_eq!(*one.0.lock().unwrap(), ["a/b 2 true", "a/c 0 false"]);
        assert_eq!(*two.0.lock().unwrap(), ["a/b 2 true"]);
    }

    #[test]
    fn filters_are_asked_for_one_packet_at_a_time_and_what_is_not_wanted_any_more_is_given_back() {
        let many: Vec<String> = (0..250).map(|i| format!("a/{i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let mut subscribing = Subscribing::default();
        subscribing.begin(&subscriptions(&many), true);
        assert_eq!(subscribing.next(), None, "the daemon's own are not answered yet");
        assert_eq!(subscribing.answered(), Some(Asked::Own));
        let mut asked = 0;
        while let Some(Asked::Add(filters)) = subscribing.next() {
            assert!(filters.len() <= MAX_FILTERS && subscribing.next().is_none());
            asked += filters.len();
            subscribing.answered();
        }
        assert_eq!((asked, subscribing.is_done()), (250, true));
        subscribing.want(&subscriptions(&["a/1", "b/#"]));
        assert_eq!(subscribing.next(), Some(Asked::Add(vec!["b/#".into()])));
        subscribing.want(&subscriptions(&["a/1", "b/#"]));
        subscribing.answered();
        let mut removed = 0;
        while let Some(Asked::Remove(_)) = subscribing.next() {
            subscribing.answered();
            removed += 1;
        }
        assert_eq!((removed, subscribing.is_done()), (249, true));
        let mut anew = subscriptions(&["a/1", "b/#"]);
        anew.renew(["b/#".to_owned()], 1);
        for asked in [Some(Asked::Add(vec!["b/#".into()])), None] {
            subscribing.want(&anew);
            assert_eq!(subscribing.next(), asked, "what is wanted anew is asked for once");
            subscribing.want(&anew);
            assert!(subscribing.answered() == asked && subscribing.is_done());
        }
        assert_eq!(subscribing.there, BTreeMap::from([("a/1".to_owned(), 0), ("b/#".to_owned(), 1)]));
        subscribing.begin(&subscriptions(&["b/#"]), false);
        assert_eq!(subscribing.next(), Some(Asked::Add(vec!["b/#".into()])), "once more with each connection");
    }
}
