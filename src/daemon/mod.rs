//! The composition root: wires the parts, supervises them, stops them gracefully.

mod doors;
mod home_lane;
mod jobs;
mod models;
mod router;
mod settings;
mod supervise;
mod threads;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};

use crate::dispatch::{Answers, Dispatch, DispatchLimits, Serve};
use crate::door::{Desk, Places};
use crate::embedding::Encoder;
use crate::frame::{ErrorCode, Event, Request};
use crate::gist::{Gist, StoredVectors};
use crate::home::{Registry, RegistryError};
use crate::job::{JobError, Jobs};
use crate::llm::metrics::ParserMetrics;
use crate::observe::{Metrics, Sample, serve_metrics};
use crate::outbox::{Outbox, OutboxError};
use crate::service::{Language, LanguageError, Service, ServiceSettings};
use crate::store::{MAX_OUTBOX, MAX_STARTS, Store, StoreError};
use crate::transport::{Link, LinkSettings, ModelStatus, Presence, Status, Topics};
use home_lane::{HomeLane, refused};
use jobs::Runner;
use router::Router;
use supervise::{Signs, feed_watchdog, tell_status};
use threads::Understanding;

pub use settings::DaemonSettings;
pub use supervise::{Reload, Supervision};

/// Least time for the goodbye to the broker.
const GOODBYE: Duration = Duration::from_secs(1);

/// Why the daemon could not start or had to end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DaemonError {
    /// The language cannot be read.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A setting that cannot work.
    #[error("{key}: {reason}")]
    Setting {
        /// The field of [`DaemonSettings`].
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The state folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The home in the state folder cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The outbox in the state folder cannot be used.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// The machine gives no threads.
    #[error("cannot start the threads that understand: {0}")]
    Threads(#[source] std::io::Error),
    /// The jobs in the state folder cannot be used.
    #[error(transparent)]
    Jobs(#[from] JobError),
    /// A part of the daemon ended: a bug, and the supervisor had better start it anew.
    #[error("a part of the daemon ended: {0}")]
    Ended(String),
}

/// Serves the home until `stop` completes.
///
/// A broker that is absent is waited for; only the state folder can keep the daemon from starting.
///
/// # Errors
/// When a setting cannot work, the state folder cannot be used, or a part of the daemon ends by itself.
pub async fn run(settings: DaemonSettings, stop: impl Future<Output = ()>) -> Result<(), DaemonError> {
    run_supervised(settings, Supervision::none(), stop).await
}

/// Serves the home until `stop` completes, tells the supervisor how it goes, and takes over settings meanwhile.
///
/// # Errors
/// As [`run`].
pub async fn run_supervised(
    settings: DaemonSettings,
    supervision: Supervision,
    stop: impl Future<Output = ()>,
) -> Result<(), DaemonError> {
    let Supervision { notifier, mut reloads } = supervision;
    settings.check()?;
    let language = Language::load(settings.lexicon.as_deref())?.with_replies(settings.replies.as_deref())?;
    let topics = Topics::new(&settings.home_id).ok_or_else(|| DaemonError::Setting {
        key: "home_id",
        reason: format!("{:?} cannot be a level of a topic", settings.home_id),
    })?;
    let dir = settings.state_dir.clone();
    let clock = settings.clock.clone();
    let (store, registry) = blocking(move || {
        let (store, report) = Store::open(&dir)?;
        if let Some(lost) = report.lost {
            warn!(?lost, "the state folder was damaged");
        }
        for note in report.notes {
            warn!(note, "the state folder was repaired");
        }
        let store = Arc::new(store);
        let ended = store.starting()?;
        let reason = (ended >= MAX_STARTS).then(|| {
            format!(
                "{ended} starts with it in a row ended before it was served; `zhiju home import` tries it once more"
            )
        });
        Ok((Arc::clone(&store), Registry::open_unless(store, clock, reason)?))
    })
    .await?;
    let registry = Arc::new(registry);

    let outbox = Outbox::new(
        Arc::clone(&store),
        topics.clone(),
        settings.outbox_capacity,
        settings.outbox_ttl,
        settings.clock.clone(),
    );
    let (book, bounds, clock) = (Arc::clone(&store), settings.jobs.clone(), settings.clock.clone());
    let (outbox, jobs, restored) = blocking(move || {
        // Before what an earlier run left is looked through: it tells which jobs were done.
        let jobs = Jobs::open(book, clock, bounds, &outbox.given()?)?;
        let restored = outbox.restore()?;
        Ok((outbox, Arc::new(jobs), restored))
    })
    .await?;
    let (encoder, model) = load_model(settings.model_dir.clone()).await?;
    let parsers = ParserMetrics::from(&settings.llm);
    let metrics = Metrics::with(parsers.clone());
    let gist = Gist::new(&language.lexicon, encoder, Box::new(StoredVectors(Arc::clone(&store))));
    let gist = Arc::new(gist.counting(metrics.late_vectors.clone()));
    let (status, status_rx) = watch::channel(status_of(&registry, settings.clock.wall_ms(), model));
    let aside = registry.set_aside().map(|reason| {
        warn!(reason, "the home in the state folder is set aside; nothing is served before another one comes");
        refused(ErrorCode::BadHome, &format!("this home was set aside: {reason}")).to_string().into_bytes()
    });
    let (report, report_rx) = watch::channel(None);
    if aside.is_some() {
        report.send_replace(aside);
    }
    let mut homes = status_rx.clone();
    let (mut link, settled) = Link::start(LinkSettings {
        broker: settings.broker.clone(),
        client_id: settings.broker.client_id.clone().unwrap_or_else(|| format!("zhiju-{}", settings.home_id)),
        topics: topics.clone(),
        status: status_rx,
        report: report_rx,
        restored,
        outbox_capacity: MAX_OUTBOX,
        metrics: metrics.clone(),
        clock: settings.clock.clone(),
    });

    let outbox = Arc::new(outbox);
    let answers = Answers::new(topics.clone(), link.outbound.clone(), Arc::clone(&outbox), metrics.clone());
    let answers = Arc::new(answers.knowing(link.connected.clone()));
    let lexicon = Arc::clone(&language.lexicon);
    let cascade = models::open(settings.llm.clone(), settings.workers, parsers.clone()).await?;
    let reporting = models::report(parsers.clone(), cascade.clone(), status.clone(), settings.llm.report_every);
    let book = Arc::clone(&jobs);
    let new_service = {
        let (registry, store, metrics) = (Arc::clone(&registry), Arc::clone(&store), metrics.clone());
        let similarity = settings.llm.similarity;
        move |settings: ServiceSettings| {
            let service = Service::new(Arc::clone(&registry), Some(Arc::clone(&store)), settings, language.clone());
            let service = service.with_metrics(metrics.clone()).with_parsers(parsers.clone());
            let service = service.with_models(cascade.clone()).with_jobs(Arc::clone(&book));
            if similarity { service.with_gist(Arc::clone(&gist)) } else { service }
        }
    };
    let lane = HomeLane::new(Arc::clone(&registry), lexicon, report, status.clone());
    let service = Arc::new(InOrder {
        service: ArcSwap::from_pointee(new_service(settings.service.clone())),
        lane: Arc::clone(&lane),
        renewed: Notify::new(),
    });
    let threads = Understanding::start().map_err(DaemonError::Threads)?;
    let mut background = JoinSet::new();
    background.spawn(reporting);
    let preparing = {
        let (service, store) = (Arc::clone(&service), Arc::clone(&store));
        async move {
            let mut starting = Some(store);
            // Not the first home only: the status changes with every other.
            loop {
                service.current().prepare().await;
                if let Some(store) = starting.take() {
                    note_start(store).await;
                }
                tokio::select! {
                    changed = homes.changed() => if changed.is_err() { break },
                    () = service.renewed.notified() => {}
                }
            }
        }
    };
    background.spawn_on(preparing, &threads.handle());
    let limits = DispatchLimits {
        workers: settings.workers,
        waiting: settings.queue_capacity,
        bytes: settings.queue_bytes,
        deadline: settings.deadline,
    };
    let dispatch = {
        let _there = threads.enter();
        Dispatch::start(Arc::clone(&service), Arc::clone(&answers), limits)
    };
    let signs = Signs { link: link.beat.clone(), prober: dispatch.prober(), deadline: settings.deadline };
    background.spawn(feed_watchdog(notifier.clone(), signs));
    background.spawn(tell_status(notifier.clone(), Arc::clone(&registry), link.connected.clone()));
    let numbers: Arc<dyn Fn() -> String + Send + Sync> = {
        let (registry, outbox, connected) = (Arc::clone(&registry), Arc::clone(&outbox), link.connected.clone());
        Arc::new(move || {
            let snapshot = registry.snapshot();
            metrics.text(Sample {
                outbox: outbox.waiting(),
                revision: snapshot.revision,
                devices: snapshot.home.devices.len(),
                connected: *connected.borrow(),
            })
        })
    };
    if let Some(address) = settings.metrics {
        let numbers = Arc::clone(&numbers);
        background.spawn(serve_metrics(address, move || numbers()));
    }
    let mut parts = JoinSet::new();
    parts.spawn(Arc::clone(&lane).run());
    let runner = Runner {
        jobs: Arc::clone(&jobs),
        service: Arc::clone(&service),
        outbox: Arc::clone(&outbox),
        outbound: link.outbound.clone(),
        topics,
        max_bytes: settings.broker.max_packet_bytes as usize / 2,
        connected: link.connected.clone(),
        state_dir: settings.state_dir.clone(),
    };
    parts.spawn(runner.run());
    let sweeper = tokio::spawn(async move { outbox.sweep(settled).await });
    let places = Arc::new(Places::new(settings.satellites.clone(), Arc::clone(&registry)));
    let intake = Arc::new(dispatch.intake(Arc::clone(&answers)));
    let desk = Desk::new(intake, Arc::clone(&places), &settings.clock).with_patience(settings.deadline);
    let desk = Arc::new(desk);
    let mut doors = doors::open(&settings, &desk, registry, numbers);
    let mut router = Router::new(&settings, dispatch, answers, desk, Arc::clone(&lane), jobs);
    notifier.ready();

    let ended = {
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break None,
                inbound = link.inbound.recv() => match inbound {
                    Some(inbound) => router.route(inbound),
                    None => break Some("the link to the broker".to_owned()),
                },
                Some(Reload { settings, done }) = reloads.recv() => {
                    service.renew(new_service(settings.service));
                    places.put(settings.satellites);
                    let _ = done.send(());
                }
                Some(end) = parts.join_next() => break Some(format!("the home lane, or what does jobs: {end:?}")),
                end = router.ended() => break Some(format!("a worker: {end}")),
            }
        }
    };

    info!("stopping");
    notifier.stopping();
    background.shutdown().await;
    let until = Instant::now() + settings.stop_grace;
    let under_way = timeout_at(until, async {
        router.finish(&mut link.inbound).await;
        lane.idle().await;
    });
    if under_way.await.is_err() {
        warn!("not everything under way was finished");
    }
    doors.shutdown().await;
    router.into_dispatch().stop().await;
    parts.shutdown().await;
    // However long the rest took, there is a moment for the goodbye.
    link.stop(until.max(Instant::now() + GOODBYE)).await;
    // The link is gone and with it the last sender: what it settled is removed, and the store closes with a flush.
    let _ = timeout_at(Instant::now() + settings.stop_grace, sweeper).await;
    drop((lane, service, new_service));
    threads.stop(settings.stop_grace).await;
    let stopped = ended.is_none();
    blocking(move || {
        store.commit()?;
        if stopped {
            store.started()?;
        }
        Ok(())
    })
    .await?;
    ended.map_or(Ok(()), |part| Err(DaemonError::Ended(part)))
}

/// Takes note that the home is served: no later end of the daemon is held against it.
async fn note_start(store: Arc<Store>) {
    if let Err(error) = blocking(move || Ok(store.started()?)).await {
        warn!(%error, "the start is not noted");
    }
}

/// Runs what waits for the disk where it may.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DaemonError> + Send + 'static,
) -> Result<T, DaemonError> {
    spawn_blocking(work).await.map_err(|panic| DaemonError::Ended(panic.to_string()))?
}

/// The encoder, if its model can be used, and what the status says of it.
async fn load_model(dir: Option<PathBuf>) -> Result<(Option<Encoder>, ModelStatus), DaemonError> {
    let Some(dir) = dir else {
        warn!("no embedding model is configured or installed: understanding by words alone");
        return Ok((None, ModelStatus::Error("none is configured or installed".into())));
    };
    blocking(move || {
        let started = std::time::Instant::now();
        Ok(match Encoder::load(&dir) {
            Ok(encoder) => {
                info!(dir = %dir.display(), ms = started.elapsed().as_millis() as u64, "the embedding model is loaded");
                let name = dir.file_name().map_or_else(|| dir.display().to_string(), |n| n.to_string_lossy().into());
                (Some(encoder), ModelStatus::Name(name))
            }
            Err(error) => {
                warn!(%error, "the embedding model cannot be used: understanding by words alone");
                (None, ModelStatus::Error(error.to_string()))
            }
        })
    })
    .await
}

/// What there is to say about the home in force.
fn status_of(registry: &Registry, since: u64, model: ModelStatus) -> Status {
    let snapshot = registry.snapshot();
    Status {
        state: Presence::Online,
        version: env!("CARGO_PKG_VERSION"),
        devices: snapshot.home.devices.len(),
        revision: snapshot.revision,
        since,
        model,
        parsers: Vec::new(),
    }
}

/// The service behind the home lane: a request sees every change of the home that arrived before it.
struct InOrder {
    service: ArcSwap<Service>,
    lane: Arc<HomeLane>,
    /// Told when the service is another.
    renewed: Notify,
}

impl InOrder {
    fn current(&self) -> Arc<Service> {
        self.service.load_full()
    }

    /// Requests under way end with the service that they began with.
    fn renew(&self, service: Service) {
        self.service.store(Arc::new(service.succeeding(&self.current())));
        self.renewed.notify_one();
    }
}

impl Serve for InOrder {
    async fn serve(&self, request: Request, events: mpsc::Sender<Event>) {
        self.lane.settled().await;
        self.current().serve(request, events).await;
    }

    async fn probe(&self) {
        self.lane.settled().await;
    }
}
