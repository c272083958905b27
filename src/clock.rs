//! Time: what the machine counts since it was started, and what its clock on the wall says.
//!
//! Whatever has a deadline goes by the count since the start of the machine. Nobody sets it, it runs on while the machine
//! sleeps, and two processes may compare it, as long as the machine was not started anew between them: [`Clock::boot`]
//! tells. The wall clock may stand in 1970, jump in either direction, and after a power cut go on where it stopped; it is
//! for people who read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// The variable in which the unit names the start of the machine: the service cannot see the kernel's own name for it.
const BOOT_VARIABLE: &str = "BOOT_ID";

/// The kernel's name for the start of the machine.
const BOOT_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// Tells the time. Cheap to copy; whoever needs the time is handed one.
#[derive(Clone, Debug)]
pub struct Clock {
    boot: Arc<str>,
    hands: Option<Arc<Hands>>,
}

/// What a clock that is set by hand shows.
#[derive(Debug)]
struct Hands {
    now_ms: AtomicU64,
    wall_ms: AtomicU64,
}

impl Clock {
    /// The clock of this machine.
    ///
    /// Where nothing tells one start of the machine from the next, no other clock agrees with this one on what was
    /// before: what an earlier process left is then as old as what an earlier start left.
    pub fn of_machine() -> Self {
        let named = std::env::var(BOOT_VARIABLE).ok().or_else(|| std::fs::read_to_string(BOOT_FILE).ok());
        // Written with and without hyphens.
        let named = named.map(|name| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>());
        let boot = named.filter(|name| !name.is_empty()).unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            format!("{:x}-{:x}-{:x}", std::process::id(), since.as_nanos(), count_ms())
        });
        Self { boot: boot.into(), hands: None }
    }

    /// A clock that only [`Clock::advance`] and [`Clock::set_wall`] move, on a machine whose start is called `boot`.
    pub fn by_hand(boot: &str, now_ms: u64, wall_ms: u64) -> Self {
        let hands = Hands { now_ms: AtomicU64::new(now_ms), wall_ms: AtomicU64::new(wall_ms) };
        Self { boot: boot.into(), hands: Some(Arc::new(hands)) }
    }

    /// Milliseconds since the start of the machine; never less than it was.
    pub fn now_ms(&self) -> u64 {
        self.hands.as_ref().map_or_else(count_ms, |hands| hands.now_ms.load(Ordering::Relaxed))
    }

    /// Milliseconds since the Unix epoch, as far as the machine knows; 0 before it.
    pub fn wall_ms(&self) -> u64 {
        let machine = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        };
        self.hands.as_ref().map_or_else(machine, |hands| hands.wall_ms.load(Ordering::Relaxed))
    }

    /// Which start of the machine [`Clock::now_ms`] counts from.
    pub fn boot(&self) -> &str {
        &self.boot
    }

    /// Lets time pass on a clock that is set by hand.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        if let Some(hands) = &self.hands {
            hands.now_ms.fetch_add(by, Ordering::Relaxed);
            hands.wall_ms.fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Sets what the wall clock says, on a clock that is set by hand.
    pub fn set_wall(&self, wall_ms: u64) {
        if let Some(hands) = &self.hands {
            hands.wall_ms.store(wall_ms, Ordering::Relaxed);
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::of_machine()
    }
}

/// Two clocks are the same when they always show the same.
impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.hands, &other.hands) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        };
        same && self.boot == other.boot
    }
}

/// Milliseconds since the start of the machine, sleep included.
fn count_ms() -> u64 {
    let count = clock_gettime(ClockId::Boottime);
    let (seconds, nanos) = (u64::try_from(count.tv_sec), u64::try_from(count.tv_nsec));
    seconds.unwrap_or_default().saturating_mul(1_000) + nanos.unwrap_or_default() / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_counts_forward_and_names_its_start() {
        let clock = Clock::of_machine();
        let before = clock.now_ms();
        assert!(before > 0 && clock.now_ms() >= before);
        assert_eq!(clock.boot(), Clock::of_machine().boot());
        assert!(clock.wall_ms() > 0);
    }

    #[test]
    fn a_wall_clock_that_is_set_back_takes_nothing_from_the_count() {
        let clock = Clock::by_hand("a", 1_000, 2_000_000_000_000);
        let copy = clock.clone();
        clock.set_wall(0);
        clock.advance(Duration::from_secs(2));
        assert_eq!((copy.now_ms(), copy.wall_ms()), (3_000, 2_000));
        assert_eq!(clock, copy);
        assert_ne!(clock, Clock::by_hand("a", 3_000, 2_000));
    }
}
