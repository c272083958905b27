//! Tells what became of instructs: whoever asked, the audit trail, the metrics, and a satellite if something did not work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tracing::warn;

use super::InOrder;
use crate::dispatch::Answers;
use crate::frame::{Door, Intent, Origin, Speech, reply_payload};
use crate::home::Registry;
use crate::ledger::Ledger;
use crate::observe::Metrics;
use crate::outbox::Outbox;
use crate::outcome::{Failed, Follow, News, Outcome};
use crate::store::Store;
use crate::transport::{Batch, Publication, Throttle, Topics};

/// A burst of reports is looked at once.
const BURST: Duration = Duration::from_millis(20);

/// Outcomes that go out in one piece.
const PIECE: usize = 64;

/// Looks at live state for as long as orders are followed.
pub(super) struct Outcomes {
    pub(super) follow: Arc<Follow>,
    pub(super) registry: Arc<Registry>,
    pub(super) service: Arc<InOrder>,
    pub(super) outbox: Arc<Outbox<Store>>,
    pub(super) outbound: mpsc::Sender<Batch>,
    pub(super) topics: Topics,
    pub(super) metrics: Metrics,
    pub(super) answers: Arc<Answers<Outbox<Store>>>,
    /// How long after its request an outcome is told at most.
    pub(super) within: Duration,
    pub(super) ledger: Arc<Ledger>,
}

impl Outcomes {
    /// Until it is dropped.
    pub(super) async fn run(self) {
        let mut changes = self.registry.changes();
        let mut throttle = Throttle::default();
        loop {
            let now_ms = self.registry.clock().now_ms();
            let due = self.follow.due_ms().map(|due| Duration::from_millis(due.saturating_sub(now_ms)));
            tokio::select! {
                () = self.follow.changed() => {}
                // The registry outlives this.
                _ = changes.changed(), if due.is_some() => {}
                () = tokio::time::sleep(due.unwrap_or_default()), if due.is_some() => {}
            }
            tokio::time::sleep(BURST).await;
            changes.mark_unchanged();
            let news = self.follow.look(&self.registry.snapshot(), self.registry.clock().now_ms());
            self.tell(news, &mut throttle).await;
        }
    }

    async fn tell(&self, news: News, throttle: &mut Throttle) {
        let wall_ms = self.registry.clock().wall_ms();
        let entries: Vec<_> = news.outcomes.iter().filter_map(|outcome| outcome.entry(wall_ms)).collect();
        let mut publications = Vec::new();
        for outcome in &news.outcomes {
            self.metrics.turned_out(outcome.verdict.as_str());
            self.ledger.turned_out(&outcome.asked.origin, &outcome.asked.rid, outcome.payload());
            publications.extend(self.publication(outcome));
        }
        publications.extend(news.failed.iter().filter_map(|failed| self.reply(failed)));
        while !publications.is_empty() {
            let rest = publications.split_off(publications.len().min(PIECE));
            let piece = std::mem::replace(&mut publications, rest);
            // Nothing here may wait for the broker; and half of the room is for answers.
            let room = self.outbound.capacity() * 2 > self.outbound.max_capacity();
            if (!room || self.outbound.try_send(piece).is_err())
                && let Some(suppressed) = throttle.pass("no room", Instant::now())
            {
                warn!(suppressed, "no room for what became of instructs, dropped");
            }
        }
        if !entries.is_empty() {
            self.outbox.note(entries).await;
        }
    }

    /// To whoever asked, if that is somebody who hears of things later.
    fn publication(&self, outcome: &Outcome) -> Option<Publication> {
        let asked = &outcome.asked;
        let may = hears_later(&asked.origin) && self.answers.may_tell_outcome(&asked.origin, &asked.rid, self.within);
        let topic = may.then(|| self.topics.outcome(&asked.origin, &asked.rid))?;
        let payload = outcome.payload().to_string().into_bytes();
        Some(Publication::new(topic, payload).fresh_until(self.outbox.expires_ms()))
    }

    /// What a satellite says aloud.
    fn reply(&self, failed: &Failed) -> Option<Publication> {
        let topic = self.topics.reply(failed.asked.origin.as_satellite()?);
        let text = self.service.current().failed_later(&failed.silent, &failed.rejected);
        let payload = reply_payload(&failed.asked.rid, Intent::Answer, &Speech::full(&text));
        let reply = Publication::new(topic, payload.to_string().into_bytes());
        (!text.is_empty()).then(|| reply.fresh_until(self.outbox.expires_ms()))
    }
}

/// Whether outcomes are told on topics: to whoever asked there, and of jobs. A door that stays open for one answer hears of
/// nothing later, and its rids are not the broker's clients'.
fn hears_later(origin: &Origin) -> bool {
    matches!(origin.door, Door::Request | Door::Satellite | Door::Local)
}
