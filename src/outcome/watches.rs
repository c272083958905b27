//! Orders that are followed, and when each of them is through.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::same::same;
use super::{Asked, Failed, Given, News, Outcome, Takes, Verdict, millis};
use crate::audit::Entry;
use crate::home::{Device, DeviceState, Home, Snapshot, State};
use crate::transport::Fate;

/// Orders that are followed at once; what is more is given and not followed.
const MAX_WATCHES: usize = 4_096;

/// What moves is waited for, but not longer than so many windows.
const MAX_WINDOWS: u64 = 20;

/// Orders that are followed.
pub(super) struct Watches {
    takes: Takes,
    window_ms: u64,
    ttl_ms: u64,
    watches: BTreeMap<u64, Watched>,
    /// Who asked, by the first order of the request, and what failed so far.
    requests: HashMap<u64, Failed>,
    /// What ended without a look.
    rejected: Vec<Outcome>,
    places: Places,
}

impl fmt::Debug for Watches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watches").field("watches", &self.watches).finish_non_exhaustive()
    }
}

/// Where devices stand in the home that was looked at last.
#[derive(Debug, Default)]
struct Places {
    home: Arc<Home>,
    index: HashMap<String, usize>,
}

#[derive(Debug)]
struct Watched {
    request: u64,
    device: String,
    wanted: State,
    hub: bool,
    ordered: Option<Arc<Entry>>,
    given_ms: u64,
    /// It was told.
    told: bool,
    /// It was looked at: of `wanted` only what the device tells is left.
    known: bool,
    /// How much longer than others it may take, in milliseconds.
    slower_ms: u64,
    /// When its window closes.
    until_ms: u64,
    /// When it is not waited for any more, even if it moves.
    limit_ms: u64,
    /// How far it was from what is wanted when it was nearest.
    nearest: Option<f64>,
    /// It comes nearer.
    moving: bool,
    /// It was handed over, and its hub never answered.
    lost: bool,
}

impl Watches {
    pub(super) fn new(window_ms: u64, ttl_ms: u64, takes: Takes) -> Self {
        let (watches, requests) = (BTreeMap::new(), HashMap::new());
        Self { takes, window_ms, ttl_ms, watches, requests, rejected: Vec::new(), places: Places::default() }
    }

    pub(super) fn given(&mut self, asked: Asked, given: Vec<Given>, now_ms: u64) {
        self.overtake(&given);
        let Some(request) = given.first().map(|first| first.number) else { return };
        let room = MAX_WATCHES.saturating_sub(self.watches.len());
        // Told or not, something is said of it after this.
        let until_ms = now_ms.saturating_add(self.ttl_ms).saturating_add(self.window_ms);
        for Given { number, device, wanted, hub, ordered, .. } in given.into_iter().filter(|g| !g.noop).take(room) {
            let watched = Watched {
                request,
                device,
                wanted,
                hub,
                ordered,
                given_ms: now_ms,
                told: false,
                known: false,
                slower_ms: 0,
                until_ms,
                limit_ms: until_ms,
                nearest: None,
                moving: false,
                lost: false,
            };
            self.watches.insert(number, watched);
        }
        let (silent, rejected) = (Vec::new(), Vec::new());
        self.requests.insert(request, Failed { asked: Arc::new(asked), silent, rejected });
    }

    /// What a newer order tells a device otherwise, an older one cannot be held to any more.
    fn overtake(&mut self, given: &[Given]) {
        let newer: HashMap<&str, &State> = given.iter().map(|given| (given.device.as_str(), &given.wanted)).collect();
        self.watches.retain(|_, watched| {
            let Some(newer) = newer.get(watched.device.as_str()) else { return true };
            let had = watched.wanted.len();
            watched.wanted.retain(|property, _| !newer.contains_key(property));
            had == watched.wanted.len() || !watched.wanted.is_empty()
        });
    }

    pub(super) fn ended(&mut self, number: u64, fate: &Fate, now_ms: u64) {
        let Some(watched) = self.watches.get_mut(&number) else { return };
        watched.told = true;
        watched.lost = *fate == Fate::Unanswered;
        match fate {
            Fate::Delivered | Fate::Unanswered => {
                watched.until_ms = now_ms.saturating_add(self.window_ms).saturating_add(watched.slower_ms);
                watched.limit_ms = watched.until_ms.saturating_add(self.window_ms.saturating_mul(MAX_WINDOWS - 1));
            }
            // Nothing was said: nothing is waited for.
            Fate::Expired => (watched.until_ms, watched.limit_ms) = (now_ms, now_ms),
            Fate::Refused(why) => {
                if let Some(watched) = self.watches.remove(&number)
                    && let Some(failed) = self.requests.get_mut(&watched.request)
                {
                    failed.rejected.push(watched.device.clone());
                    let outcome =
                        watched.outcome(&failed.asked, Verdict::Rejected, State::new(), Some(why.clone()), now_ms);
                    self.rejected.push(outcome);
                }
            }
        }
    }

    pub(super) fn look(&mut self, snapshot: &Snapshot, now_ms: u64) -> News {
        let mut outcomes = std::mem::take(&mut self.rejected);
        let index = self.places.of(&snapshot.home);
        let (mut open, mut awaited) = (HashSet::new(), HashSet::new());
        let (requests, window_ms, takes) = (&mut self.requests, self.window_ms, &self.takes);
        self.watches.retain(|_, watched| {
            let device =
                index.get(watched.device.as_str()).map(|i| (&snapshot.home.devices[*i], snapshot.live.get(*i)));
            if let Some((device, _)) = device.filter(|_| !watched.known) {
                watched.allow(millis(takes(device)).saturating_sub(window_ms));
            }
            let through = watched.look(device, window_ms, now_ms);
            let Some(through) = through else {
                open.insert(watched.request);
                if !watched.moving {
                    awaited.insert(watched.request);
                }
                return true;
            };
            let failed = requests.get_mut(&watched.request);
            if let (Some(verdict), Some(failed)) = (through, failed) {
                if verdict == Verdict::Silent {
                    failed.silent.push(watched.device.clone());
                }
                let told = device.map(|(_, state)| watched.told_of(state)).unwrap_or_default();
                outcomes.push(watched.outcome(&failed.asked, verdict, told, None, now_ms));
            }
            false
        });
        let mut all = Vec::new();
        self.requests.retain(|request, failed| {
            let any = !failed.silent.is_empty() || !failed.rejected.is_empty();
            if any && !awaited.contains(request) {
                let (silent, rejected) = (std::mem::take(&mut failed.silent), std::mem::take(&mut failed.rejected));
                all.push(Failed { asked: Arc::clone(&failed.asked), silent, rejected });
            }
            open.contains(request)
        });
        News { outcomes, failed: all }
    }

    pub(super) fn due_ms(&self) -> Option<u64> {
        self.watches.values().map(|watched| watched.until_ms).min()
    }
}

impl Places {
    /// Where devices stand in this home.
    fn of(&mut self, home: &Arc<Home>) -> &HashMap<String, usize> {
        if !Arc::ptr_eq(&self.home, home) {
            let places = home.devices.iter().enumerate();
            self.index = places.map(|(index, device)| (device.id.clone(), index)).collect();
            self.home = Arc::clone(home);
        }
        &self.index
    }
}

impl Watched {
    /// It may take so much longer than others, from when it is told.
    fn allow(&mut self, slower_ms: u64) {
        self.slower_ms = slower_ms;
        // What was never said is not waited for.
        if self.told && self.limit_ms > self.until_ms {
            self.until_ms = self.until_ms.saturating_add(slower_ms);
            self.limit_ms = self.limit_ms.saturating_add(slower_ms);
        }
    }

    /// Whether it is through, and with what: with nothing to tell if the device tells nothing of what it was told.
    fn look(
        &mut self,
        device: Option<(&Device, &DeviceState)>,
        window_ms: u64,
        now_ms: u64,
    ) -> Option<Option<Verdict>> {
        // What is not in the home any more is nobody's business, unless its hub refuses it.
        let Some((device, state)) = device else {
            return (self.told || self.until_ms <= now_ms).then_some(None);
        };
        if !self.known {
            self.known = true;
            let any = if self.hub { !state.values.is_empty() } else { true };
            let tells = |property: &String| match (self.hub, any) {
                (true, false) => true,
                (true, true) => state.values.contains_key(property),
                (false, _) => state.reported_ms(property).is_some(),
            };
            self.wanted.retain(|property, _| tells(property));
            self.nearest = self.distance(state);
        }
        if self.wanted.is_empty() {
            // What tells nothing of itself counts as done by its hub's word, and without that nobody knows.
            return (self.told || self.until_ms <= now_ms).then_some(self.lost.then_some(Verdict::Silent));
        }
        let reported = state.last_reported_ms().is_some_and(|at_ms| at_ms >= self.given_ms);
        if self.told && reported {
            let is = |(property, wanted): (&String, &Value)| {
                state.values.get(property).is_some_and(|got| same(device.property(property), wanted, got))
            };
            if self.wanted.iter().all(is) {
                return Some(Some(Verdict::Confirmed));
            }
            let distance = self.distance(state);
            if let Some((distance, nearest)) = distance.zip(self.nearest)
                && distance < nearest
            {
                self.moving = true;
                self.until_ms = now_ms.saturating_add(window_ms).min(self.limit_ms).max(self.until_ms);
            }
            self.nearest = distance.into_iter().chain(self.nearest).reduce(f64::min);
        }
        (self.until_ms <= now_ms).then_some(Some(Verdict::Silent))
    }

    /// How far the numbers of a device are from what is wanted; `None` where none is known.
    fn distance(&self, state: &DeviceState) -> Option<f64> {
        let far = |(property, wanted): (&String, &Value)| {
            Some((state.values.get(property)?.as_f64()? - wanted.as_f64()?).abs())
        };
        self.wanted.iter().filter_map(far).reduce(|sum, far| sum + far)
    }

    /// What a device says of what was wanted of it.
    fn told_of(&self, state: &DeviceState) -> State {
        let told =
            self.wanted.keys().filter_map(|property| Some((property.clone(), state.values.get(property)?.clone())));
        told.collect()
    }

    fn outcome(
        &self,
        asked: &Arc<Asked>,
        verdict: Verdict,
        state: State,
        reason: Option<String>,
        now_ms: u64,
    ) -> Outcome {
        let (device, ordered) = (self.device.clone(), self.ordered.clone());
        let ms = now_ms.saturating_sub(self.given_ms);
        Outcome { asked: Arc::clone(asked), device, verdict, state, ms, reason, ordered }
    }
}
