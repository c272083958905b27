//! Requests that wait: askers take turns, and each has a share of the room and of the workers; first come, first served on
//! each page.
//!
//! An asker is an [`Origin`]: one satellite, one application that has a name, or all who publish on `request`, whom MQTT does
//! not tell apart. Pages are no askers: whoever asks makes up as many as they like.

use std::collections::{HashMap, VecDeque};

use super::Job;
use super::turns::Turns;
use crate::frame::Origin;

/// How much may wait and be served at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) workers: usize,
    pub(super) waiting: usize,
    pub(super) bytes: usize,
    /// Threads that work for one asker at the same time.
    pub(super) at_once: usize,
}

/// The waiting requests of all askers, bounded in number and bytes.
#[derive(Debug)]
pub(super) struct Queue {
    /// Askers with a request that waits or is being served.
    askers: HashMap<Origin, Line>,
    /// Askers with a page that is ready, each once; whose turn it is comes first.
    turns: VecDeque<Origin>,
    waiting: usize,
    bytes: usize,
    served: usize,
    room: Room,
    /// Requests that were ever taken.
    taken: u64,
}

/// What one asker asked.
#[derive(Debug)]
struct Line {
    /// Pages with a request that waits or is being served.
    pages: HashMap<String, VecDeque<(u64, Job)>>,
    /// Pages whose next request can be served now, each once.
    ready: VecDeque<String>,
    waiting: usize,
    bytes: usize,
    served: usize,
    turns: Turns,
}

impl Queue {
    pub(super) fn new(room: Room) -> Self {
        let (askers, turns) = (HashMap::new(), VecDeque::new());
        Self { askers, turns, waiting: 0, bytes: 0, served: 0, room, taken: 0 }
    }

    /// Takes a job and gives back those for which there is no room now: this one, or the newest of the asker who has most,
    /// if that is more than this one's asker has.
    pub(super) fn push(&mut self, job: Job) -> Vec<Job> {
        let asker = job.request.origin.clone();
        let own = self.askers.get(&asker).map_or((0, 0), |line| (line.waiting, line.bytes));
        let mut displaced = Vec::new();
        // One that is alone is always taken, or a large frame could never be served.
        while self.waiting > 0 {
            let measure: fn(&Line) -> usize = if self.waiting >= self.room.waiting {
                |line| line.waiting
            } else if self.bytes + job.bytes > self.room.bytes {
                |line| line.bytes
            } else {
                break;
            };
            let full = self.waiting >= self.room.waiting;
            let (own, more) = if full { (own.0, 1) } else { (own.1, job.bytes) };
            let Some((most, line)) = self.askers.iter().max_by_key(|(_, line)| measure(line)) else { break };
            // Room is made only by one who still has at least as much afterwards.
            if *most == asker || measure(line) < own + 2 * more {
                displaced.push(job);
                return displaced;
            }
            let most = most.clone();
            displaced.extend(self.drop_newest(&most));
        }
        self.waiting += 1;
        self.bytes += job.bytes;
        self.taken += 1;
        let line = self.askers.entry(asker.clone()).or_insert_with(|| Line::new(self.room.at_once));
        if line.push(self.taken, job) {
            self.turns.push_back(asker);
        }
        displaced
    }

    /// The next job of the asker whose turn it is, from the page that is ready longest; page and worker are busy until
    /// [`Self::done`]. Nobody has more workers than are left idle, so that some are left for whoever comes next.
    pub(super) fn pop(&mut self) -> Option<Job> {
        let at = self.turns.iter().position(|asker| self.may_serve(asker))?;
        let asker = self.turns.remove(at)?;
        let line = self.askers.get_mut(&asker)?;
        let job = line.pop()?;
        self.waiting -= 1;
        self.bytes -= job.bytes;
        self.served += 1;
        if !line.ready.is_empty() {
            self.turns.push_back(asker);
        }
        Some(job)
    }

    /// Whether [`Self::pop`] has a job.
    pub(super) fn is_ready(&self) -> bool {
        self.turns.iter().any(|asker| self.may_serve(asker))
    }

    fn may_serve(&self, asker: &Origin) -> bool {
        let idle = self.room.workers.saturating_sub(self.served);
        self.askers.get(asker).is_some_and(|line| line.served < idle)
    }

    /// The job of this asker's page is served.
    pub(super) fn done(&mut self, asker: &Origin, page: &str) {
        let Some(line) = self.askers.get_mut(asker) else { return };
        self.served -= 1;
        line.served -= 1;
        let had_turn = !line.ready.is_empty();
        match line.pages.get(page) {
            Some(jobs) if jobs.is_empty() => drop(line.pages.remove(page)),
            Some(_) => line.ready.push_back(page.to_owned()),
            None => {}
        }
        if line.pages.is_empty() {
            self.askers.remove(asker);
        } else if !had_turn && !line.ready.is_empty() {
            self.turns.push_back(asker.clone());
        }
    }

    fn drop_newest(&mut self, asker: &Origin) -> Option<Job> {
        let line = self.askers.get_mut(asker)?;
        let job = line.drop_newest()?;
        self.waiting -= 1;
        self.bytes -= job.bytes;
        if line.ready.is_empty() {
            self.turns.retain(|other| other != asker);
        }
        if line.pages.is_empty() {
            self.askers.remove(asker);
        }
        Some(job)
    }

    /// The turns of an asker with a job that is served; of anybody else, some of their own.
    pub(super) fn turns(&self, asker: &Origin) -> Turns {
        self.askers.get(asker).map_or_else(|| Turns::of(self.room.at_once), |line| line.turns.clone())
    }

    /// Whether a job of this asker waits or is being served.
    pub(super) fn knows(&self, asker: &Origin) -> bool {
        self.askers.contains_key(asker)
    }

    /// How many jobs wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits and nothing is being served.
    pub(super) fn is_idle(&self) -> bool {
        self.askers.is_empty()
    }
}

impl Line {
    fn new(at_once: usize) -> Self {
        let (pages, ready, turns) = (HashMap::new(), VecDeque::new(), Turns::of(at_once));
        Self { pages, ready, waiting: 0, bytes: 0, served: 0, turns }
    }

    /// Takes a job; true when it is the first that is ready.
    fn push(&mut self, number: u64, job: Job) -> bool {
        self.waiting += 1;
        self.bytes += job.bytes;
        let page = job.request.page_id.clone();
        let busy = self.pages.contains_key(&page);
        self.pages.entry(page.clone()).or_default().push_back((number, job));
        if busy {
            return false;
        }
        self.ready.push_back(page);
        self.ready.len() == 1
    }

    fn pop(&mut self) -> Option<Job> {
        let page = self.ready.pop_front()?;
        let (_, job) = self.pages.get_mut(&page)?.pop_front()?;
        self.waiting -= 1;
        self.bytes -= job.bytes;
        self.served += 1;
        Some(job)
    }

    fn drop_newest(&mut self) -> Option<Job> {
        let newest = |jobs: &VecDeque<(u64, Job)>| jobs.back().map(|(number, _)| *number);
        let (page, jobs) = self.pages.iter_mut().max_by_key(|(_, jobs)| newest(jobs))?;
        let (_, job) = jobs.pop_back()?;
        let (page, emptied) = (page.clone(), jobs.is_empty());
        self.waiting -= 1;
        self.bytes -= job.bytes;
        // One that is being served is not among those that are ready, and stays until it is done.
        if emptied && let Some(at) = self.ready.iter().position(|ready| *ready == page) {
            self.ready.remove(at);
            self.pages.remove(&page);
        }
        Some(job)
    }
}

#[cfg(test)]
mod tests;
