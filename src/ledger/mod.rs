//! What was said lately and what came of it: accounts in memory, bounded in number and bytes, for whoever looks.
//!
//! Keeping one costs an `Arc` of what was computed anyway under a short lock; what is only for looking is computed when
//! somebody looks. Nothing here is written anywhere.

mod account;
mod counts;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::broadcast;

pub use account::Account;
pub use counts::{BUCKETS_MS, Counts};

use crate::clock::Clock;
use crate::frame::{Finish, Origin, Request};
use account::weight;

/// Accounts that are kept.
const MAX_ACCOUNTS: usize = 1_000;

/// Bytes of all of them, about.
const MAX_BYTES: usize = 4 << 20;

/// Outcomes of one account; a home has no more devices that one breath moves.
const MAX_OUTCOMES: usize = 512;

/// News that a reader may be behind.
const NEWS: usize = 256;

/// An account, and what became of its instructs so far.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The account.
    pub account: Arc<Account>,
    /// The payloads of `outcome/{rid}`.
    pub outcomes: Vec<Arc<Value>>,
}

/// What is new.
#[derive(Clone, Debug)]
pub enum News {
    /// Something was said and served.
    Account(Arc<Account>),
    /// The payload of `outcome/{rid}`.
    Outcome(Arc<Value>),
}

/// A page of accounts, newest first.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// The accounts.
    pub entries: Vec<Entry>,
    /// Whether there are older ones.
    pub more: bool,
}

/// The accounts.
#[derive(Debug)]
pub struct Ledger {
    clock: Clock,
    most: (usize, usize),
    // Not held across an await, and never while anything is written out.
    book: Mutex<Book>,
    news: broadcast::Sender<News>,
}

#[derive(Debug, Default)]
struct Book {
    /// Oldest first; their numbers rise without a gap.
    entries: VecDeque<Entry>,
    bytes: usize,
    /// The number of the newest account that ever was.
    last: u64,
    counts: Counts,
}

impl Ledger {
    /// An empty one, by this clock.
    pub fn new(clock: Clock) -> Self {
        Self::bounded(clock, MAX_ACCOUNTS, MAX_BYTES)
    }

    /// The same with bounds of its own: accounts, and bytes of all of them.
    fn bounded(clock: Clock, accounts: usize, bytes: usize) -> Self {
        let most = (accounts.max(1), bytes);
        Self { clock, most, book: Mutex::default(), news: broadcast::channel(NEWS).0 }
    }

    /// Takes an account of a request: what was found, and how it ended. Of a home that came with the request no name is
    /// kept.
    pub fn record(&self, request: &Request, found: Option<Arc<Value>>, finish: &Finish) {
        let mut account = Account::of(request, found, finish, self.clock.wall_ms());
        // One that is larger than a share of the room keeps what was said and what was answered.
        if account.bytes > self.most.1 / 8 {
            account.shorten();
        }
        let mut book = self.book();
        book.last += 1;
        account.seq = book.last;
        book.counts.add(&account);
        book.bytes += account.bytes;
        let account = Arc::new(account);
        book.entries.push_back(Entry { account: Arc::clone(&account), outcomes: Vec::new() });
        book.trim(self.most);
        drop(book);
        // Nobody may be looking.
        let _ = self.news.send(News::Account(account));
    }

    /// Adds what became of an instruct to the newest account of its request.
    pub fn turned_out(&self, origin: &Origin, rid: &str, outcome: Value) {
        let outcome = Arc::new(outcome);
        let mut book = self.book();
        let of = |entry: &&mut Entry| entry.account.rid == rid && entry.account.origin == *origin;
        let entry = book.entries.iter_mut().rev().find(of).filter(|entry| entry.outcomes.len() < MAX_OUTCOMES);
        if let Some(entry) = entry {
            entry.outcomes.push(Arc::clone(&outcome));
            book.bytes += weight(&outcome);
            book.trim(self.most);
        }
        drop(book);
        let _ = self.news.send(News::Outcome(outcome));
    }

    /// The newest accounts before the number `before`, newest first.
    pub fn sheet(&self, before: Option<u64>, limit: usize) -> Sheet {
        let book = self.book();
        let end = before.map_or(book.entries.len(), |before| book.entries.partition_point(|e| e.account.seq < before));
        let begin = end.saturating_sub(limit);
        let entries = book.entries.range(begin..end).rev().cloned().collect();
        Sheet { entries, more: begin > 0 }
    }

    /// The account of this number, if it is still there.
    pub fn find(&self, seq: u64) -> Option<Entry> {
        let book = self.book();
        let at = book.entries.binary_search_by_key(&seq, |entry| entry.account.seq).ok()?;
        Some(book.entries[at].clone())
    }

    /// The number of the newest account of a request.
    pub fn seq_of(&self, origin: &Origin, rid: &str) -> Option<u64> {
        let book = self.book();
        let of = |entry: &&Entry| entry.account.rid == rid && entry.account.origin == *origin;
        book.entries.iter().rev().find(of).map(|entry| entry.account.seq)
    }

    /// The number of the newest account; 0 before the first.
    pub fn last(&self) -> u64 {
        self.book().last
    }

    /// What all accounts since the start come to, and how long those took that are still there, in microseconds.
    pub fn counts(&self) -> (Counts, Vec<u64>) {
        let book = self.book();
        let took = book.entries.iter().filter_map(|entry| entry.account.total_us()).collect();
        (book.counts, took)
    }

    /// Hears what is new from now on.
    pub fn listen(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// A lock whose holder panicked is taken all the same: the book is whole between its calls.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Lets go of the oldest while there is too much; the newest always stays.
    fn trim(&mut self, (accounts, bytes): (usize, usize)) {
        while self.entries.len() > 1 && (self.entries.len() > accounts || self.bytes > bytes) {
            let Some(gone) = self.entries.pop_front() else { return };
            let outcomes: usize = gone.outcomes.iter().map(|outcome| weight(outcome)).sum();
            self.bytes = self.bytes.saturating_sub(gone.account.bytes + outcomes);
        }
    }
}

#[cfg(test)]
mod tests;
