use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::date;

use super::*;
use crate::store::Store;

const BOOT: &str = "boot";
const DAY_MS: u64 = 86_400_000;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// The first of January 2027, 00:00 in Shanghai.
fn clock() -> Clock {
    let start = date(2027, 1, 1).at(0, 0, 0, 0).to_zoned(zone("Asia/Shanghai")).unwrap();
    Clock::by_hand(BOOT, 5_000, start.timestamp().as_millisecond().unsigned_abs())
}

fn settings(name: &str) -> JobSettings {
    JobSettings { zone: zone(name), per_page: 20_000, total: 20_000, ..JobSettings::default() }
}

fn job(due: When, repeat: Option<Repeat>) -> Job {
    Job {
        id: String::new(),
        due,
        repeat,
        summary: "lamp on".into(),
        steps: Vec::new(),
        instructs: Vec::new(),
        asker: Asked { page: "page".into(), ..Asked::default() },
        created_ms: 0,
    }
}

fn wall(text: &str) -> When {
    When::Wall(DateTimeText(text.parse().unwrap()))
}

fn delay(clock: &Clock, ms: u64) -> When {
    let wall_ms = i64::try_from(clock.wall_ms() + ms).unwrap();
    When::Count { boot: BOOT.into(), count_ms: clock.now_ms() + ms, wall_ms }
}

/// Takes what is due and settles it: ids, and whether each was missed.
fn fire(jobs: &Jobs) -> Vec<(String, bool)> {
    let due = jobs.take_due();
    due.iter().for_each(|fire| jobs.settled(&fire.settle));
    due.into_iter().map(|fire| (fire.job.id, fire.missed)).collect()
}

#[test]
fn a_job_is_due_once_and_late_only_within_its_bound() {
    let clock = clock();
    let jobs = Jobs::in_memory(clock.clone(), settings("Asia/Shanghai"));
    jobs.add(vec![job(wall("2027-01-01T00:00:10"), None), job(wall("2027-01-01T00:00:20"), None)]).unwrap();
    assert!(fire(&jobs).is_empty());
    clock.advance(std::time::Duration::from_secs(10));
    assert_eq!(fire(&jobs), [("j0".to_owned(), false)]);
    assert!(fire(&jobs).is_empty());
    clock.advance(std::time::Duration::from_secs(75));
    assert_eq!(fire(&jobs), [("j1".to_owned(), true)], "65 seconds late");
    assert!(jobs.is_empty());
}

#[test]
fn what_is_being_done_is_neither_given_again_nor_taken_back() {
    let clock = clock();
    let jobs = Jobs::in_memory(clock.clone(), settings("Asia/Shanghai"));
    jobs.add(vec![job(delay(&clock, 1_000), None)]).unwrap();
    clock.advance(std::time::Duration::from_secs(1));
    let due = jobs.take_due();
    assert_eq!(due.len(), 1);
    assert!(jobs.take_due().is_empty());
    assert!(jobs.cancel(&["j0".to_owned()]).unwrap().is_empty(), "it is being done");
    assert!(!jobs.replace(&due[0].job).unwrap());
    jobs.give_back("j0");
    assert_eq!(jobs.take_due().len(), 1);
    jobs.settled(&due[0].settle);
    assert!(jobs.is_empty());
}

#[test]
fn delays_go_by_the_count_and_clock_times_by_the_wall_whatever_is_set() {
    let clock = clock();
    let jobs = Jobs::in_memory(clock.clone(), settings("Asia/Shanghai"));
    jobs.add(vec![job(delay(&clock, 600_000), None), job(wall("2027-01-01T08:00:00"), None)]).unwrap();
    // The clock is set forward by an hour: the delay is not over.
    clock.set_wall(clock.wall_ms() + 3_600_000);
    assert!(fire(&jobs).is_empty());
    clock.advance(std::time::Duration::from_secs(600));
    assert_eq!(fire(&jobs), [("j0".to_owned(), false)]);
    // Back to a clock that was never set: nothing is due, whatever passes.
    let set = clock.wall_ms();
    clock.set_wall(0);
    clock.advance(std::time::Duration::from_secs(86_400));
    assert!(fire(&jobs).is_empty());
    assert!(matches!(jobs.add(vec![job(delay(&clock, 1), None)]), Err(JobError::NoClock)));
    clock.set_wall(set + 8 * 3_600_000);
    assert_eq!(fire(&jobs), [("j1".to_owned(), true)], "it was missed when the clock was set again");
}

#[test]
fn a_delay_goes_by_the_wall_after_another_start_unless_the_wall_clock_stood_still_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let told = clock();
    let open = |clock: &Clock| {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        Jobs::open(store, clock.clone(), settings("Asia/Shanghai"), &HashSet::new()).unwrap()
    };
    let made = Job { created_ms: told.wall_ms(), ..job(delay(&told, 600_000), None) };
    open(&told).add(vec![made]).unwrap();
    // Started one minute after it was told, a moment ago; and with a clock that goes on where it stood before that.
    for (wall_ms, missed) in [(told.wall_ms() + 60_000, false), (told.wall_ms() - 3_600_000, true)] {
        let clock = Clock::by_hand("another", 0, wall_ms);
        let jobs = open(&clock);
        assert!(jobs.take_due().is_empty());
        clock.advance(std::time::Duration::from_millis(told.wall_ms() + 600_000 - wall_ms));
        let due = jobs.take_due();
        assert_eq!(due.iter().map(|fire| fire.missed).collect::<Vec<_>>(), [missed]);
    }
    // What happens at a time of the clock happens when the clock says so.
    let clock = Clock::by_hand("another", 0, told.wall_ms() - 1_000);
    let jobs = Jobs::in_memory(clock.clone(), settings("Asia/Shanghai"));
    jobs.add(vec![Job { created_ms: told.wall_ms(), ..job(wall("2027-01-01T00:00:00"), None) }]).unwrap();
    clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(fire(&jobs), [("j0".to_owned(), false)]);
}

#[test]
fn a_clock_time_follows_the_zone_of_the_home() {
    let clock = clock();
    let due = wall("2027-01-01T07:00:00");
    let shanghai = due.wall_ms(&clock, &zone("Asia/Shanghai"));
    assert_eq!(due.wall_ms(&clock, &zone("Europe/Berlin")) - shanghai, 7 * 3_600_000);
    let shown = job(due, Some(Repeat::Days(1))).shown(&clock, &zone("Europe/Berlin"));
    assert_eq!((&shown["due"], &shown["repeat"]), (&json!("2027-01-01T07:00:00+01:00"), &json!("FREQ=DAILY")));
}

#[test]
fn there_are_so_many_jobs_and_no_more() {
    let bounds = JobSettings { per_page: 2, total: 3, ..settings("Asia/Shanghai") };
    let jobs = Jobs::in_memory(clock(), bounds);
    let one = || job(wall("2027-01-01T07:00:00"), None);
    jobs.add(vec![one(), one()]).unwrap();
    assert!(matches!(jobs.add(vec![one()]), Err(JobError::TooMany { limit: 2 })));
    let elsewhere = || Job { asker: Asked { page: "other".into(), ..Asked::default() }, ..one() };
    assert!(matches!(jobs.add(vec![elsewhere(), elsewhere()]), Err(JobError::TooMany { limit: 3 })));
    jobs.add(vec![elsewhere()]).unwrap();
    assert_eq!(jobs.cancel(&["j0".to_owned(), "j9".to_owned()]).unwrap().len(), 1);
    assert_eq!(jobs.len(), 2);
}

#[test]
fn whoever_asks_in_many_conversations_leaves_jobs_to_others() {
    let bounds = JobSettings { per_page: 3, total: 40, ..settings("Asia/Shanghai") };
    let jobs = Jobs::in_memory(clock(), bounds);
    let of = |origin: &Origin, page: usize| {
        let asker = Asked { page: origin.page_key(&page.to_string()), ..Asked::default() };
        Job { asker, ..job(wall("2027-01-01T07:00:00"), None) }
    };
    let (kitchen, bath) = (Origin::satellite("kitchen"), Origin::satellite("bath"));
    let made = |origin: &Origin| (0..100).filter(|page| jobs.add(vec![of(origin, *page)]).is_ok()).count();
    assert_eq!((made(&kitchen), made(&kitchen)), (20, 0));
    assert_eq!((made(&bath), made(&bath)), (10, 0));
    assert!(jobs.add(vec![of(&Origin::request(), 0)]).is_ok());
}

#[test]
fn what_was_given_before_a_crash_is_not_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let open = |given: &std::collections::HashSet<String>| {
        let (store, _) = Store::open(folder.path()).unwrap();
        Jobs::open(std::sync::Arc::new(store), clock.clone(), settings("Asia/Shanghai"), given).unwrap()
    };
    let jobs = open(&Default::default());
    let daily = job(wall("2027-01-01T00:00:10"), Some(Repeat::Days(1)));
    let made = jobs.add(vec![job(wall("2027-01-01T00:00:10"), None), daily]).unwrap();
    drop(jobs);
    // The process ended after the instructs were written down and before the jobs were settled.
    let given = made.iter().map(Job::rid).collect();
    let jobs = open(&given);
    clock.advance(std::time::Duration::from_secs(11));
    assert!(fire(&jobs).is_empty());
    assert_eq!(jobs.pending()[0].due, wall("2027-01-02T00:00:10"));
    drop(jobs);
    let jobs = open(&Default::default());
    assert_eq!(jobs.len(), 1, "and the store knows");
    assert_eq!(jobs.add(vec![job(wall("2027-01-03T00:00:00"), None)]).unwrap()[0].id, "j2", "no id is used twice");
}

#[test]
fn a_year_with_ten_thousand_jobs_clocks_that_jump_and_summer_time() {
    let clock = clock();
    let jobs = Jobs::in_memory(clock.clone(), settings("Europe/Berlin"));
    let start = now(&clock, &zone("Europe/Berlin")).unwrap().datetime();
    let mut drafts = Vec::new();
    for n in 0..9_900i64 {
        // Spread over the year by a step that meets every hour.
        let minutes = (n * 52 + n % 37) % (364 * 1_440) + 1;
        drafts.push(job(When::Wall(DateTimeText(start.checked_add(minutes.minutes()).unwrap())), None));
    }
    for hour in 0..24 {
        let at = date(2027, 1, 1).at(hour, 30, 0, 0);
        drafts.push(job(When::Wall(DateTimeText(at)), Some(Repeat::Days(1))));
        drafts.push(job(When::Wall(DateTimeText(at)), Some(Repeat::Week(0b001_0101))));
        drafts.push(job(When::Wall(DateTimeText(at)), Some(Repeat::Month(31))));
    }
    let singles: Vec<String> =
        jobs.add(drafts).unwrap().iter().filter(|j| j.repeat.is_none()).map(|j| j.id.clone()).collect();
    assert_eq!(jobs.len(), 9_972);
    let mut fired: HashMap<String, usize> = HashMap::new();
    let mut rids = std::collections::HashSet::new();
    let mut missed = 0;
    for minute in 0..525_000u64 {
        // Once a month somebody sets the clock back by ten minutes, and right again a while later.
        if minute % 43_200 == 20_000 {
            clock.set_wall(clock.wall_ms() - 600_000);
        } else if minute % 43_200 == 20_030 {
            clock.set_wall(clock.wall_ms() + 600_000);
        }
        clock.advance(std::time::Duration::from_secs(60));
        for fire in jobs.take_due() {
            jobs.settled(&fire.settle);
            missed += usize::from(fire.missed);
            assert!(rids.insert(fire.job.rid()), "{} twice", fire.job.rid());
            *fired.entry(fire.job.id).or_default() += 1;
        }
    }
    assert!(singles.iter().all(|id| fired.get(id) == Some(&1)), "each once");
    // Only what lay within the ten minutes that twelve jumps forward left out.
    assert!(missed <= 12 * 10, "{missed}");
    let daily = fired.iter().filter(|(id, _)| !singles.contains(id)).map(|(_, n)| *n).max().unwrap();
    assert_eq!(daily, 365, "every day once, in summer time as well");
    assert!(clock.now_ms() > 364 * DAY_MS);
}

#[test]
fn a_home_that_moves_to_another_zone_keeps_its_clock_times() {
    let folder = tempfile::tempdir().unwrap();
    let clock = clock();
    let open = |name: &str| {
        let (store, _) = Store::open(folder.path()).unwrap();
        Jobs::open(std::sync::Arc::new(store), clock.clone(), settings(name), &HashSet::new()).unwrap()
    };
    let jobs = open("Asia/Shanghai");
    let days = (0..60).map(|day| date(2027, 1, 1).at(7, 0, 0, 0).checked_add(day.days()).unwrap());
    let mut drafts: Vec<Job> = days.map(|at| job(When::Wall(DateTimeText(at)), None)).collect();
    drafts.push(job(wall("2027-01-01T07:00:00"), Some(Repeat::Days(1))));
    jobs.add(drafts).unwrap();
    let mut fired: HashMap<String, usize> = HashMap::new();
    let pass = |jobs: &Jobs, name: &str, days: u64, fired: &mut HashMap<String, usize>| {
        for _ in 0..days * 48 {
            clock.advance(std::time::Duration::from_secs(1_800));
            for fire in jobs.take_due() {
                let at = now(&clock, &zone(name)).unwrap();
                assert_eq!((at.hour(), at.minute(), fire.missed), (7, 0, false), "{at} in {name}");
                jobs.drop_due(&fire.settle).unwrap();
                *fired.entry(fire.job.id).or_default() += 1;
            }
        }
    };
    pass(&jobs, "Asia/Shanghai", 30, &mut fired);
    drop(jobs);
    // Seven hours behind: seven o'clock of that day comes later, and once.
    let jobs = open("Europe/Berlin");
    pass(&jobs, "Europe/Berlin", 31, &mut fired);
    let daily = fired.remove("j60").unwrap();
    assert!(daily == 60 || daily == 61, "{daily}");
    assert!(fired.len() == 60 && fired.values().all(|times| *times == 1), "{fired:?}");
}
