use proptest::prelude::*;

use super::*;
use crate::frame::Request;

fn of(asker: &str, page: &str, rid: &str) -> Job {
    let origin = Origin::satellite(asker);
    let request = Request { rid: rid.into(), page_id: page.into(), origin, ..Request::default() };
    Job::new(request, super::super::Asker::default(), 10)
}

fn job(page: &str, rid: &str) -> Job {
    of("a", page, rid)
}

fn room(waiting: usize, bytes: usize) -> Room {
    Room { workers: 100, waiting, bytes, at_once: 2 }
}

fn take(queue: &mut Queue, job: Job) {
    assert!(queue.push(job).is_empty());
}

fn names(jobs: Vec<Job>) -> Vec<String> {
    jobs.into_iter().map(|job| job.request.rid).collect()
}

fn rids(queue: &mut Queue) -> Vec<String> {
    names(std::iter::from_fn(|| queue.pop()).collect())
}

#[test]
fn a_page_waits_for_its_own_requests_and_no_other() {
    let (mut queue, asker) = (Queue::new(room(8, 1000)), Origin::satellite("a"));
    for (page, rid) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
        take(&mut queue, job(page, rid));
    }
    assert_eq!(rids(&mut queue), ["a1", "b1"]);
    queue.done(&asker, "a");
    assert_eq!(rids(&mut queue), ["a2"]);
    queue.done(&asker, "a");
    queue.done(&asker, "b");
    assert!(queue.is_idle());
}

#[test]
fn pages_of_the_same_name_belong_to_their_askers() {
    let mut queue = Queue::new(room(8, 1000));
    for asker in ["kitchen", "bath"] {
        take(&mut queue, of(asker, "p", asker));
    }
    assert_eq!(rids(&mut queue), ["kitchen", "bath"]);
}

#[test]
fn askers_take_turns_however_much_each_has_asked() {
    let mut queue = Queue::new(room(100, 10_000));
    for n in 0..20 {
        take(&mut queue, of("flood", &format!("p{n}"), "flood"));
    }
    for rid in ["1", "2"] {
        take(&mut queue, of("victim", rid, rid));
    }
    assert_eq!(rids(&mut queue)[..5], ["flood", "1", "flood", "2", "flood"]);
}

#[test]
fn number_and_bytes_are_bounded() {
    let mut queue = Queue::new(room(2, 1000));
    take(&mut queue, job("a", "1"));
    take(&mut queue, job("b", "2"));
    assert_eq!(names(queue.push(job("c", "3"))), ["3"]);
    let mut queue = Queue::new(room(10, 15));
    take(&mut queue, job("a", "1"));
    assert_eq!(names(queue.push(job("a", "2"))), ["2"]);
    queue.pop().unwrap();
    take(&mut queue, job("a", "2"));
}

#[test]
fn who_has_most_makes_room_for_who_has_less() {
    let mut queue = Queue::new(room(4, 1000));
    for rid in ["1", "2", "3", "4"] {
        take(&mut queue, of("flood", rid, rid));
    }
    assert_eq!(names(queue.push(of("flood", "5", "5"))), ["5"]);
    assert_eq!(names(queue.push(of("victim", "p", "v1"))), ["4"]);
    assert_eq!(names(queue.push(of("victim", "p", "v2"))), ["3"]);
    // Equal shares now: nobody has to yield.
    assert_eq!(names(queue.push(of("victim", "p", "v3"))), ["v3"]);
    assert_eq!(names(queue.push(of("flood", "6", "6"))), ["6"]);
    let displaced = names(queue.push(of("third", "p", "t1")));
    assert!(displaced.len() == 1 && displaced[0] != "t1", "{displaced:?}");
}

#[test]
fn who_has_most_bytes_makes_room_for_who_has_less() {
    let mut queue = Queue::new(room(100, 50));
    for rid in ["1", "2", "3", "4", "5"] {
        take(&mut queue, of("flood", "p", rid));
    }
    assert_eq!(names(queue.push(of("victim", "p", "v"))), ["5"]);
    let large = Job { bytes: 30, ..of("third", "p", "large") };
    assert_eq!(names(queue.push(large)), ["large"], "that would be more than anybody else has");
}

#[test]
fn one_asker_leaves_workers_for_others() {
    let mut queue = Queue::new(Room { workers: 8, ..room(100, 10_000) });
    for n in 0..20 {
        take(&mut queue, of("flood", &format!("p{n}"), "flood"));
        take(&mut queue, of("more", &format!("p{n}"), "more"));
    }
    let served = rids(&mut queue);
    assert!(served.len() < 8 && !queue.is_ready(), "{served:?}");
    take(&mut queue, of("victim", "p", "victim"));
    assert_eq!(queue.pop().unwrap().request.rid, "victim");
}

#[test]
fn a_request_larger_than_all_the_room_is_served_alone() {
    let mut queue = Queue::new(room(10, 5));
    take(&mut queue, job("a", "1"));
    assert_eq!(names(queue.push(job("b", "2"))), ["2"]);
}

proptest! {
    /// Whatever the order of arrivals and completions: no page has two jobs at once, each keeps its order, bounds hold, and
    /// each job is either served or given back.
    #[test]
    fn pages_keep_their_order(script in prop::collection::vec((0u8..3, 0usize..3, 0usize..4), 1..200)) {
        let mut queue = Queue::new(Room { workers: 3, ..room(9, 100_000) });
        let mut busy: Vec<Job> = Vec::new();
        let (mut next, mut last, mut ended) = (0u64, HashMap::new(), 0u64);
        let key = |job: &Job| (job.request.origin.clone(), job.request.page_id.clone());
        let drained = (0..400).map(|i| (1 + (i % 2) as u8, i / 2 % 3, i / 6 % 4));
        for (step, asker, page) in script.into_iter().chain(drained) {
            let (asker, page) = (asker.to_string(), page.to_string());
            match step {
                0 => { next += 1; ended += queue.push(of(&asker, &page, &next.to_string())).len() as u64; }
                1 => {
                    prop_assert_eq!(queue.is_ready(), { let before = queue.waiting(); match queue.pop() {
                        Some(job) => {
                            prop_assert!(busy.iter().all(|b| key(b) != key(&job)));
                            let rid: u64 = job.request.rid.parse().unwrap();
                            prop_assert!(last.insert(key(&job), rid).unwrap_or(0) < rid);
                            busy.push(job);
                            prop_assert_eq!(queue.waiting() + 1, before);
                            true
                        }
                        None => false,
                    } });
                }
                _ => if let Some(i) = busy.iter().position(|b| b.request.page_id == page) {
                    let job = busy.swap_remove(i);
                    queue.done(&job.request.origin, &page);
                    ended += 1;
                },
            }
            prop_assert!(queue.waiting() <= 9 && busy.len() <= 3);
        }
        prop_assert!(queue.is_idle());
        prop_assert_eq!(ended, next);
    }
}
