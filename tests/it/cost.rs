//! What a sentence costs, whatever it says and whatever the home is called: at most in proportion to both.
//!
//! Costs are the thread's own time of a processor, compared with each other and never with a clock. The figures
//! themselves are the benchmark's (`make bench`).

use std::time::Duration;

use crate::adversarial::{Bed, NAMES, REPEATED, home, repeated};
use crate::load::villa;

/// The time of a processor that a sentence takes, whatever else the machine is at.
fn cost(bed: &Bed, sentence: &str) -> Duration {
    let used = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let once = |_| {
        let before = used();
        bed.say(sentence);
        used() - before
    };
    (0..2).map(once).min().unwrap_or_default()
}

/// What may be spent on nothing that grows.
fn base(bed: &Bed) -> Duration {
    cost(bed, "打开书房吸顶灯然后关闭餐厅的空调") * 4
}

#[test]
fn no_text_costs_more_than_in_proportion_to_its_length() {
    let bed = Bed::new(&serde_json::from_str(&villa("villa")).unwrap());
    let base = base(&bed);
    for unit in REPEATED {
        let [short, long, longest] = [50, 200, 2_000].map(|chars| cost(&bed, &repeated(unit, chars)));
        // Twice as much is left to chance.
        assert!(long <= short * 4 * 2 + base, "{unit}: {short:?}, {long:?} of four times the length");
        // No command is that long: it is not read at all.
        assert!(longest <= long * 2 + base, "{unit}: {long:?}, {longest:?} of ten times the length");
    }
}

#[test]
fn no_home_makes_sentences_cost_more_than_in_proportion_to_its_devices() {
    for (sort, name) in NAMES {
        let [small, large] = [75, 300].map(|devices| Bed::new(&home(devices, name)));
        let base = base(&small);
        for unit in REPEATED {
            let sentence = repeated(unit, 100);
            let (few, many) = (cost(&small, &sentence), cost(&large, &sentence));
            assert!(many <= few * 4 * 2 + base, "{sort}, {unit}: {few:?}, {many:?} in four times the home");
        }
    }
}
