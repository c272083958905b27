//! The circuit breaker of one endpoint: whoever fails again and again is left alone for a while.
//!
//! Pure: every call brings the time. Closed lets all pass; after [`FAILURES`] failures in a row it opens; after the
//! pause one probe passes (half-open), and its success closes it, its failure opens it for twice as long.

use std::time::{Duration, Instant};

/// Failures in a row that open it.
pub const FAILURES: u32 = 3;

/// The first pause.
pub const FIRST_PAUSE: Duration = Duration::from_secs(10);

/// The longest pause, also of those that an endpoint asks for.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// A circuit breaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaker {
    state: State,
    pause: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// All pass; so many failed in a row.
    Closed { failures: u32 },
    /// None passes before then.
    Open { until: Instant },
    /// A probe is under way; one that is never heard of again is given up then.
    HalfOpen { until: Instant },
}

impl Default for Breaker {
    fn default() -> Self {
        Self { state: State::Closed { failures: 0 }, pause: FIRST_PAUSE }
    }
}

impl Breaker {
    /// Whether a question may pass now. A yes out of an open breaker is the probe.
    pub fn admit(&mut self, now: Instant) -> bool {
        match self.state {
            State::Closed { .. } => true,
            State::Open { until } | State::HalfOpen { until } if now >= until => {
                self.state = State::HalfOpen { until: now + self.pause };
                true
            }
            State::Open { .. } | State::HalfOpen { .. } => false,
        }
    }

    /// Whether no question would pass now.
    pub fn is_shut(&self, now: Instant) -> bool {
        !self.clone().admit(now)
    }

    /// A question was answered.
    pub fn succeeded(&mut self) {
        // Late news from before it opened say nothing about now.
        if !matches!(self.state, State::Open { .. }) {
            *self = Self::default();
        }
    }

    /// A question was not answered.
    pub fn failed(&mut self, now: Instant) {
        match self.state {
            State::Closed { failures } if failures + 1 < FAILURES => {
                self.state = State::Closed { failures: failures + 1 };
            }
            State::Closed { .. } => self.open(now, self.pause),
            State::HalfOpen { .. } => {
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                self.open(now, self.pause);
            }
            State::Open { .. } => {}
        }
    }

    /// A question came to an end that says nothing about the endpoint. If it was the probe, the next one is.
    pub fn undecided(&mut self, now: Instant) {
        if matches!(self.state, State::HalfOpen { .. }) {
            self.open(now, Duration::ZERO);
        }
    }

    /// The endpoint asks to be left alone for so long. A longer pause that runs already goes on.
    pub fn asked_to_wait(&mut self, now: Instant, pause: Duration) {
        let pause = pause.min(LONGEST_PAUSE);
        if !matches!(self.state, State::Open { until } if until >= now + pause) {
            self.open(now, pause);
        }
    }

    fn open(&mut self, now: Instant, pause: Duration) {
        self.state = State::Open { until: now + pause };
    }

    /// Whether all questions pass.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    /// `closed`, `open` or `half-open`.
    pub fn name(&self) -> &'static str {
        match self.state {
            State::Closed { .. } => "closed",
            State::Open { .. } => "open",
            State::HalfOpen { .. } => "half-open",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        (0..FAILURES).for_each(|_| breaker.failed(now));
        breaker
    }

    #[test]
    fn only_failures_in_a_row_open_it() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..10 {
            (1..FAILURES).for_each(|_| breaker.failed(now));
            breaker.succeeded();
        }
        assert!(breaker.admit(now));
        assert!(!opened(now).admit(now));
    }

    #[test]
    fn after_the_pause_one_probe_passes_and_decides() {
        let now = Instant::now();
        let later = now + FIRST_PAUSE;
        let mut breaker = opened(now);
        assert!(!breaker.admit(later - Duration::from_millis(1)));
        assert!(breaker.admit(later));
        assert!(!breaker.admit(later), "one probe at a time");
        let mut healed = breaker.clone();
        healed.succeeded();
        assert_eq!(healed, Breaker::default());
        breaker.failed(later);
        assert!(!breaker.admit(later + FIRST_PAUSE), "the second pause is longer");
        assert!(breaker.admit(later + FIRST_PAUSE * 2));
    }

    #[test]
    fn a_probe_that_is_never_heard_of_again_does_not_close_the_door_for_ever() {
        let now = Instant::now();
        let mut breaker = opened(now);
        assert!(breaker.admit(now + FIRST_PAUSE));
        assert!(breaker.admit(now + FIRST_PAUSE * 2));
    }

    #[test]
    fn a_pause_that_is_asked_for_is_kept_and_bounded() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        breaker.asked_to_wait(now, Duration::from_secs(60));
        assert!(!breaker.admit(now + Duration::from_secs(59)));
        breaker.asked_to_wait(now, Duration::from_secs(1));
        assert!(!breaker.admit(now + Duration::from_secs(59)), "the longer pause goes on");
        breaker.asked_to_wait(now, Duration::MAX);
        assert!(breaker.admit(now + LONGEST_PAUSE));
    }

    #[test]
    fn a_probe_that_says_nothing_leaves_its_turn_to_the_next_question() {
        let now = Instant::now();
        let later = now + FIRST_PAUSE;
        let mut breaker = opened(now);
        assert!(breaker.admit(later));
        breaker.undecided(later);
        assert!(breaker.admit(later), "the next one is the probe");
        assert!(!breaker.admit(later));
        for mut breaker in [Breaker::default(), opened(now)] {
            let before = breaker.clone();
            breaker.undecided(now);
            assert_eq!(breaker, before);
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Ask,
        Success,
        Failure,
        Nothing,
        Wait(u64),
        Pass(u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            Just(Step::Ask),
            Just(Step::Success),
            Just(Step::Failure),
            Just(Step::Nothing),
            (0..600u64).prop_map(Step::Wait),
            (0..400u64).prop_map(Step::Pass)
        ];
        proptest::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn it_never_stays_shut_longer_than_the_longest_pause(steps in steps()) {
            let mut now = Instant::now();
            let mut breaker = Breaker::default();
            for step in steps {
                match step {
                    Step::Ask => { breaker.admit(now); }
                    Step::Success => breaker.succeeded(),
                    Step::Failure => breaker.failed(now),
                    Step::Nothing => breaker.undecided(now),
                    Step::Wait(seconds) => breaker.asked_to_wait(now, Duration::from_secs(seconds)),
                    Step::Pass(seconds) => now += Duration::from_secs(seconds),
                }
                prop_assert!(breaker.pause >= FIRST_PAUSE && breaker.pause <= LONGEST_PAUSE);
                prop_assert!(breaker.clone().admit(now + LONGEST_PAUSE));
            }
        }

        #[test]
        fn while_it_is_not_closed_no_two_questions_pass_within_a_pause(steps in steps()) {
            let mut now = Instant::now();
            let mut breaker = opened(now);
            let mut probe: Option<Instant> = None;
            for step in steps {
                match step {
                    Step::Ask if breaker.admit(now) => {
                        prop_assert!(probe.is_none_or(|last| now >= last + FIRST_PAUSE));
                        probe = Some(now);
                    }
                    Step::Failure => breaker.failed(now),
                    Step::Pass(seconds) => now += Duration::from_secs(seconds),
                    Step::Ask | Step::Success | Step::Nothing | Step::Wait(_) => {}
                }
                prop_assert!(!breaker.is_closed());
            }
        }
    }
}
