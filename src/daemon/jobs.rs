//! Does what is due: takes jobs out of the book, hands their instructs to the outbox, tells who asked when it fails.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tracing::{error, info, warn};

use super::InOrder;
use crate::audit::{Entry, Step};
use crate::frame::{Intent, Request, Speech, reply_payload};
use crate::job::{Fire, Job, Jobs, write_copy};
use crate::outbox::Outbox;
use crate::store::Store;
use crate::transport::{Batch, Publication, Topics};

/// A disk that refuses is tried again after this.
const TRY_AGAIN: Duration = Duration::from_secs(1);

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
    pub(super) async fn run(mut self) {
        let mut changes = self.jobs.changes();
        self.show().await;
        loop {
            for fire in self.jobs.take_due() {
                self.fire(fire).await;
            }
            let rest = self.jobs.rest();
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
                    self.show().await;
                }
                // A broker may have forgotten what it kept.
                changed = self.connected.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    if *self.connected.borrow_and_update() {
                        self.show().await;
                    }
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
            return self.tell(&job, &rid, &service.job_missed(&job)).await;
        }
        self.service.lane.settled().await;
        let carried = service.carry_out(&job);
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
        let accepted = self.outbox.accept_for(Some(settle.clone()), &rid, &carried.instructs, entry).await;
        match accepted {
            Ok(batch) => {
                info!(id = job.id, rid, instructs = batch.len(), "a job is done");
                self.jobs.settled(&settle);
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
    let ids: Vec<String> = match serde_json::from_slice::<Value>(payload) {
        Ok(asked) if asked["all"] == json!(true) => jobs.pending().into_iter().map(|job| job.id).collect(),
        Ok(asked) => asked["id"].as_str().map(str::to_owned).into_iter().collect(),
        Err(_) => Vec::new(),
    };
    if ids.is_empty() {
        warn!("a message on jobs/cancel names no job");
        return;
    }
    let jobs = Arc::clone(jobs);
    spawn_blocking(move || match jobs.cancel(&ids) {
        Ok(gone) => info!(asked = ids.len(), gone = gone.len(), "jobs are taken back"),
        Err(error) => error!(%error, "jobs cannot be taken back"),
    });
}
