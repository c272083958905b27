//! Requests that wait: first come, first served on each page, any order between pages.

use std::collections::{HashMap, VecDeque};

use super::Job;

/// The waiting requests of all pages, bounded in number and bytes.
#[derive(Debug)]
pub(super) struct Queue {
    /// Pages with a request that waits or is being served.
    pages: HashMap<String, VecDeque<Job>>,
    /// Pages whose next request can be served now, each once.
    ready: VecDeque<String>,
    waiting: usize,
    bytes: usize,
    max_waiting: usize,
    max_bytes: usize,
}

impl Queue {
    pub(super) fn new(max_waiting: usize, max_bytes: usize) -> Self {
        Self { pages: HashMap::new(), ready: VecDeque::new(), waiting: 0, bytes: 0, max_waiting, max_bytes }
    }

    /// Takes a job; true when its page has become ready.
    ///
    /// # Errors
    /// Gives the job back when there is no room for it.
    pub(super) fn push(&mut self, job: Job) -> Result<bool, Box<Job>> {
        // One that is alone is always taken, or a large frame could never be served.
        let fits = self.waiting == 0 || self.bytes + job.bytes <= self.max_bytes;
        if self.waiting >= self.max_waiting || !fits {
            return Err(Box::new(job));
        }
        self.waiting += 1;
        self.bytes += job.bytes;
        let page = job.request.page_id.clone();
        let busy = self.pages.contains_key(&page);
        self.pages.entry(page.clone()).or_default().push_back(job);
        if !busy {
            self.ready.push_back(page);
        }
        Ok(!busy)
    }

    /// The next job of the page that is ready longest; the page is busy until [`Self::done`].
    pub(super) fn pop(&mut self) -> Option<Job> {
        let page = self.ready.pop_front()?;
        let job = self.pages.get_mut(&page)?.pop_front()?;
        self.waiting -= 1;
        self.bytes -= job.bytes;
        Some(job)
    }

    /// The job of this page is served; true when the page is ready again.
    pub(super) fn done(&mut self, page: &str) -> bool {
        match self.pages.get(page) {
            Some(jobs) if jobs.is_empty() => {
                self.pages.remove(page);
                false
            }
            Some(_) => {
                self.ready.push_back(page.to_owned());
                true
            }
            None => false,
        }
    }

    /// Whether a job of this page waits or is being served.
    pub(super) fn knows(&self, page: &str) -> bool {
        self.pages.contains_key(page)
    }

    /// How many jobs wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits and nothing is being served.
    pub(super) fn is_idle(&self) -> bool {
        self.pages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::Request;

    fn job(page: &str, rid: &str) -> Job {
        let request = Request { rid: rid.into(), page_id: page.into(), ..Request::default() };
        Job::new(request, super::super::Asker::default(), 10)
    }

    fn rids(queue: &mut Queue) -> Vec<String> {
        std::iter::from_fn(|| queue.pop()).map(|job| job.request.rid).collect()
    }

    #[test]
    fn a_page_waits_for_its_own_requests_and_no_other() {
        let mut queue = Queue::new(8, 1000);
        for (page, rid) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
            queue.push(job(page, rid)).unwrap();
        }
        assert_eq!(rids(&mut queue), ["a1", "b1"]);
        assert!(queue.done("a"));
        assert_eq!(rids(&mut queue), ["a2"]);
        assert!(!queue.done("a"));
        assert!(!queue.done("b"));
        assert!(queue.is_idle());
    }

    #[test]
    fn number_and_bytes_are_bounded() {
        let mut queue = Queue::new(2, 1000);
        queue.push(job("a", "1")).unwrap();
        queue.push(job("b", "2")).unwrap();
        assert_eq!(queue.push(job("c", "3")).unwrap_err().request.rid, "3");
        let mut queue = Queue::new(10, 15);
        queue.push(job("a", "1")).unwrap();
        assert!(queue.push(job("a", "2")).is_err());
        queue.pop().unwrap();
        queue.push(job("a", "2")).unwrap();
    }

    #[test]
    fn a_request_larger_than_all_the_room_is_served_alone() {
        let mut queue = Queue::new(10, 5);
        queue.push(job("a", "1")).unwrap();
        assert!(queue.push(job("b", "2")).is_err());
    }

    proptest! {
        /// Whatever the order of arrivals and completions: no page has two jobs at once, and each keeps its order.
        #[test]
        fn pages_keep_their_order(script in prop::collection::vec((0u8..3, 0usize..4), 1..200)) {
            let mut queue = Queue::new(50, 100_000);
            let mut busy: Vec<Job> = Vec::new();
            let (mut next, mut last) = (0u64, HashMap::new());
            for (step, page) in script.into_iter().chain((0..400).map(|i| (1 + (i % 2) as u8, i / 2 % 4))) {
                let page = page.to_string();
                match step {
                    0 => { next += 1; let _ = queue.push(job(&page, &next.to_string())); }
                    1 => if let Some(job) = queue.pop() {
                        prop_assert!(busy.iter().all(|b| b.request.page_id != job.request.page_id));
                        let rid: u64 = job.request.rid.parse().unwrap();
                        prop_assert!(last.insert(job.request.page_id.clone(), rid).unwrap_or(0) < rid);
                        busy.push(job);
                    },
                    _ => if let Some(i) = busy.iter().position(|b| b.request.page_id == page) {
                        busy.swap_remove(i);
                        queue.done(&page);
                    },
                }
            }
            prop_assert!(queue.is_idle());
        }
    }
}
