//! Does what is due: takes jobs out of the book, hands their instructs to the outbox, tells who asked when it fails.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::Instant;
use tracing::{error, info, warn};

use super::InOrder;
use crate::audit::{Entry, Step};
use crate::frame::{Event, Intent, Request, Speech, reply_payload};
use crate::job::{End, Fire, Job, Jobs, write_copy};
use crate::outbox::Outbox;
use crate::service::Carried;
use crate::store::Store;
use crate::transport::{Batch, Publication, Topics};

/// A disk that refuses is tried again after this.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// What changes all the time is shown so often and no more: it is written to flash.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// Jobs that the topic `jobs` shows at most.
const MAX_SHOWN: usize = 200;

/// Does what is due.
pub(super) struct Runner {
    pub(super) jobs: Arc<Jobs>,
    pub(super) service: Arc<InOrder>,
    pub(super) outbox: Arc<Outbox<Store>>,
    pub(super) outbound: mpsc::Sender<Batch>,
    pub(super) topics: Topics,
    /// Bytes that the list of jobs may take on its topic.
    pub(super) max_bytes: usize,
    pub(super) connected: watch::Receiver<bool>,
    /// Where the copy of the book is.
    pub(super) state_dir: PathBuf,
}

impl Runner {
    /// Until it is dropped.
    pub(super) async fn run(self) {
        let runner = Arc::new(self);
        let mut changes = runner.jobs.changes();
        let mut connected = runner.connected.clone();
        // What has to be looked at first keeps nothing else waiting.
        let mut looking = JoinSet::new();
        runner.show().await;
        let mut shown = Instant::now();
        let mut stale = false;
        loop {
            for fire in runner.jobs.take_due() {
                if fire.job.depends() && !fire.missed {
                    let runner = Arc::clone(&runner);
                    looking.spawn(async move { runner.fire(fire).await });
                } else {
                    runner.fire(fire).await;
                }
            }
            while looking.try_join_next().is_some() {}
            if stale && shown.elapsed() >= SHOW_EVERY {
                runner.show().await;
                (shown, stale) = (Instant::now(), false);
            }
            let to_show = stale.then(|| SHOW_EVERY.saturating_sub(shown.elapsed()));
            let rest = runner.jobs.rest().into_iter().chain(to_show).min();
            let sleep = async {
                match rest {
                    Some(rest) => tokio::time::sleep(rest).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = sleep => {}
                changed = changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    changes.borrow_and_update();
                    stale = true;
                }
                // A broker may have forgotten what it kept.
                changed = connected.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    stale |= *connected.borrow_and_update();
                }
            }
        }
    }

    async fn fire(&self, fire: Fire) {
        let Fire { job, missed, settle } = fire;
        let service = self.service.current();
        let rid = job.rid();
        if missed {
            let (jobs, gone) = (Arc::clone(&self.jobs), settle.clone());
            let dropped = spawn_blocking(move || jobs.drop_due(&gone)).await;
            if let Ok(Err(error)) = dropped {
                error!(%error, id = job.id, "a job that was missed cannot be settled; it is tried again");
                return self.later(&job).await;
            }
            warn!(id = job.id, rid, "a job is too late and dropped");
            self.jobs.note(&job, End::Missed);
            return self.tell(&job, &rid, &service.job_missed(&job)).await;
        }
        self.service.lane.settled().await;
        let carried = self.carried(&job).await;
        let request = Request {
            rid: rid.clone(),
            page_id: job.asker.page_id.clone(),
            question: job.summary.clone(),
            local: job.asker.local.clone(),
            instruct: true,
            home: None,
            origin: job.asker.origin(),
        };
        let wall_ms = self.jobs.clock().wall_ms();
        let entry = (!carried.risky.is_empty())
            .then(|| Entry::new(Step::Ordered, &request, &job.summary, carried.risky.clone(), wall_ms));
        let accepted = self.outbox.accept_for(Some(settle.clone()), &request, &carried.instructs, entry).await;
        match accepted {
            Ok(batch) => {
                info!(id = job.id, rid, instructs = batch.len(), "a job is done");
                self.jobs.settled(&settle);
                self.jobs.note(&job, if carried.trouble.is_some() { End::Failed } else { End::Done });
                self.send(batch).await;
                if let Some(trouble) = &carried.trouble {
                    self.tell(&job, &rid, &service.job_failed(trouble)).await;
                }
            }
            Err(error) => {
                error!(%error, id = job.id, rid, "a job cannot be done now; it is tried again while it is not too late");
                self.later(&job).await;
            }
        }
    }

    /// What a job comes to in the home as it is now; hubs are asked for what it depends on.
    async fn carried(&self, job: &Job) -> Carried {
        let (events, mut asked) = mpsc::channel(16);
        let service = self.service.current();
        let look = async move { service.carry_out(job, &events).await };
        let ask = async {
            while let Some(event) = asked.recv().await {
                let Event::AskState { device } = event else { continue };
                if let Some(topic) = self.topics.state_get(&device) {
                    let expires_ms = self.outbox.expires_ms();
                    self.send(vec![Publication::new(topic, b"{}".to_vec()).fresh_until(expires_ms)]).await;
                }
            }
        };
        tokio::join!(look, ask).0
    }

    /// Gives a job back that could not be written down.
    async fn later(&self, job: &Job) {
        tokio::time::sleep(TRY_AGAIN).await;
        self.jobs.give_back(&job.id);
    }

    /// Tells the satellite that asked for a job what became of it.
    async fn tell(&self, job: &Job, rid: &str, text: &str) {
        let Some(satellite) = &job.asker.satellite else { return };
        let payload = reply_payload(rid, Intent::Answer, &Speech::full(text)).to_string().into_bytes();
        let reply = Publication::new(self.topics.reply(satellite), payload).fresh_until(self.outbox.expires_ms());
        self.send(vec![reply]).await;
    }

    /// Shows what is pending on its topic, the soonest first, as much as fits.
    async fn show(&self) {
        let zone = &self.jobs.settings().zone;
        let all: Vec<Value> = self.jobs.pending().iter().map(|job| job.shown(self.jobs.clock(), zone)).collect();
        let mut shown: Vec<Value> = all.iter().take(MAX_SHOWN).cloned().collect();
        let dir = self.state_dir.clone();
        if let Ok(Err(error)) = spawn_blocking(move || write_copy(&dir, &all)).await {
            warn!(%error, "the copy of the jobs cannot be written");
        }
        let mut payload = json!(shown).to_string().into_bytes();
        while payload.len() > self.max_bytes && !shown.is_empty() {
            shown.truncate(shown.len() / 2);
            payload = json!(shown).to_string().into_bytes();
        }
        self.send(vec![Publication::new(self.topics.jobs(), payload).retained()]).await;
    }

    async fn send(&self, batch: Batch) {
        if !batch.is_empty() && self.outbound.send(batch).await.is_err() {
            warn!("the link to the broker is gone; what is written down is given after the next start");
        }
    }
}

/// Takes jobs back as the topic `jobs/cancel` asks: `{"id"}` or `{"all": true}`.
pub(super) fn cancel(jobs: &Arc<Jobs>, payload: &[u8]) {
    let asked = serde_json::from_slice::<Value>(payload).ok();
    let Some(ids) = asked.and_then(|asked| jobs.named(&asked)) else {
        warn!("a message on jobs/cancel names no job");
        return;
    };
    let jobs = Arc::clone(jobs);
    spawn_blocking(move || match jobs.cancel(&ids) {
        Ok(gone) => info!(asked = ids.len(), gone = gone.len(), "jobs are taken back"),
        Err(error) => error!(%error, "jobs cannot be taken back"),
    });
}
