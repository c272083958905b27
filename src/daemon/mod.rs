//! The composition root: wires the parts, supervises them, stops them gracefully.

mod console;
mod delivery;
mod doors;
mod error;
mod home_lane;
mod hubs;
mod in_order;
mod jobs;
mod models;
mod outcomes;
mod overrides;
mod router;
mod settings;
mod supervise;
mod threads;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};

use crate::dispatch::{Answers, Dispatch, DispatchLimits};
use crate::door::http::{Console, Live, Sources};
use crate::door::{Desk, Places};
use crate::frame::ErrorCode;
use crate::gist::{Gist, StoredVectors};
use crate::home::{Opening, Registry};
use crate::hub::MqttHub;
use crate::job::Jobs;
use crate::ledger::Ledger;
use crate::llm::metrics::ParserMetrics;
use crate::observe::{Metrics, Sample, serve_metrics};
use crate::outbox::Outbox;
use crate::service::{Language, Service, ServiceSettings};
use crate::store::{MAX_OUTBOX, MAX_STARTS, Store};
use crate::transport::{Link, LinkSettings, Topics};
use console::Facts;
use delivery::{Wired, wire};
use doors::Doors;
use error::blocking;
use home_lane::{HomeLane, refused};
use hubs::Given;
use in_order::InOrder;
use jobs::Runner;
use outcomes::Outcomes;
use overrides::{OverridesFile, Owner};
use router::Router;
use supervise::{Signs, feed_watchdog, note_start, status_of, tell_status};
use threads::Understanding;

pub use error::DaemonError;
pub use settings::DaemonSettings;
pub use supervise::{Reload, Supervision};

/// Least time for the goodbye to the broker.
const GOODBYE: Duration = Duration::from_secs(1);

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
    run_with_hubs(settings, supervision, Vec::new(), stop).await
}

/// The same with hubs over the broker besides those of the settings, by their names.
///
/// # Errors
/// As [`run`].
pub async fn run_with_hubs(
    settings: DaemonSettings,
    supervision: Supervision,
    others: Vec<(String, Box<dyn MqttHub>)>,
    stop: impl Future<Output = ()>,
) -> Result<(), DaemonError> {
    let Supervision { notifier, mut reloads } = supervision;
    settings.check()?;
    let given = Given { settings: settings.hubs.clone(), others };
    let overrides = Arc::new(OverridesFile::new(settings.overrides.clone(), &settings.state_dir));
    let language = Language::load(Some(&settings.language))?;
    let topics = Topics::new(&settings.home_id).ok_or_else(|| DaemonError::Setting {
        key: "home_id",
        reason: format!("{:?} cannot be a level of a topic", settings.home_id),
    })?;
    let dir = settings.state_dir.clone();
    let clock = settings.clock.clone();
    let (names, file) = (given.names(), Arc::clone(&overrides));
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
        let opening = Opening { aside: reason, hubs: Some(names), overrides: file.begin() };
        Ok((Arc::clone(&store), Registry::open_as(store, clock, opening)?))
    })
    .await?;
    let registry = Arc::new(registry);
    let (routes, hubs) = hubs::open(given, Arc::clone(&registry), &settings.clock, &language.hubs);

    let outbox = Outbox::new(
        Arc::clone(&store),
        topics.clone(),
        settings.outbox_capacity,
        settings.outbox_ttl,
        settings.clock.clone(),
    );
    let Wired { outbox, courier, answered, follow } =
        wire(&settings, outbox, &language.lexicon, Arc::clone(&routes), Arc::clone(&routes));
    let (book, bounds, clock) = (Arc::clone(&store), settings.jobs.clone(), settings.clock.clone());
    let (outbox, jobs, restored) = blocking(move || {
        // Before what an earlier run left is looked through: it tells which jobs were done.
        let jobs = Jobs::open(book, clock, bounds, &outbox.given()?)?;
        let restored = outbox.restore()?;
        Ok((outbox, Arc::new(jobs), restored))
    })
    .await?;
    let (encoder, model) = models::load_model(settings.model_dir.clone()).await?;
    let parsers = ParserMetrics::from(&settings.llm);
    let metrics = Metrics::with(parsers.clone());
    let counted = metrics.clone();
    let gist = Gist::new(&language.lexicon, encoder, Box::new(StoredVectors(Arc::clone(&store))));
    let gist = Arc::new(gist.counting(metrics.late_vectors.clone()));
    let (status, status_rx) = watch::channel(status_of(&registry, settings.clock.wall_ms(), model.clone()));
    let aside = registry.set_aside().map(|reason| {
        warn!(reason, "the home in the state folder is set aside; nothing is served before another one comes");
        refused(ErrorCode::BadHome, &format!("this home was set aside: {reason}")).to_string().into_bytes()
    });
    let (report, report_rx) = watch::channel(None);
    if aside.is_some() {
        report.send_replace(aside);
    }
    let mut homes = status_rx.clone();
    let (filters, heard_by_hubs) = watch::channel(Arc::default());
    let (mut link, settled) = Link::start(LinkSettings {
        broker: settings.broker.clone(),
        client_id: settings.broker.client_id.clone().unwrap_or_else(|| format!("zhiju-{}", settings.home_id)),
        topics: topics.clone(),
        status: status_rx,
        report: report_rx,
        hubs: heard_by_hubs,
        restored,
        outbox_capacity: MAX_OUTBOX,
        metrics: metrics.clone(),
        clock: settings.clock.clone(),
    });

    let outbox = Arc::new(outbox);
    let answers = Answers::new(topics.clone(), link.outbound.clone(), Arc::clone(&outbox), metrics.clone());
    let ledger = Arc::new(Ledger::new(settings.clock.clone()));
    let answers = answers
        .in_words(Arc::clone(&language.lexicon.texts))
        .knowing(link.connected.clone())
        .accounted(Arc::clone(&ledger));
    let answers = Arc::new(answers);
    let (lexicon, texts) = (Arc::clone(&language.lexicon), Arc::clone(&language.lexicon.texts));
    let cascade = models::open(settings.llm.clone(), settings.workers, parsers.clone()).await?;
    let reporting = models::report(parsers.clone(), cascade.clone(), status.clone(), settings.llm.report_every);
    let book = Arc::clone(&jobs);
    let (reader, ranker) = (models::reader(), models::ranker());
    let lane = HomeLane::new(Arc::clone(&registry), lexicon, report, status.clone(), Arc::clone(&overrides));
    let (file, clock) = (Arc::clone(&overrides), settings.clock.clone());
    let owner = Arc::new(Owner::new(file, Arc::clone(&lane), Arc::clone(&registry), &settings.state_dir, clock));
    let new_service = {
        let (registry, store, metrics) = (Arc::clone(&registry), Arc::clone(&store), metrics.clone());
        let (similarity, reader, ranker) = (settings.llm.similarity, reader.clone(), ranker.clone());
        let (cascade, parsers, owner) = (cascade.clone(), parsers.clone(), Arc::clone(&owner));
        move |settings: ServiceSettings| {
            let service = Service::new(Arc::clone(&registry), Some(Arc::clone(&store)), settings, language.clone());
            let service = service.with_metrics(metrics.clone()).with_parsers(parsers.clone());
            let service = service.with_models(cascade.clone()).with_jobs(Arc::clone(&book));
            let service = service.with_names(Arc::clone(&owner) as _);
            if !similarity {
                return service;
            }
            service.with_gist(Arc::clone(&gist)).with_reader(reader.clone()).with_ranker(ranker.clone())
        }
    };
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
        let numbers = metrics.clone();
        Arc::new(move || {
            let snapshot = registry.snapshot();
            numbers.text(Sample {
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
        topics: topics.clone(),
        max_bytes: settings.broker.max_packet_bytes as usize / 2,
        connected: link.connected.clone(),
        state_dir: settings.state_dir.clone(),
    };
    parts.spawn(runner.run());
    let facts = Arc::new(Facts {
        service: Arc::clone(&service),
        owner,
        hubs: routes,
        registry: Arc::clone(&registry),
        outbox: Arc::clone(&outbox),
        connected: link.connected.clone(),
        parsers,
        cascade,
        model,
        reader: reader.is_some() && ranker.is_some() && settings.llm.similarity,
        troubles: settings.troubles.clone(),
        jobs: settings.jobs.clone(),
        since_ms: settings.clock.wall_ms(),
        broker_since_ms: AtomicU64::new(settings.clock.wall_ms()),
        started_ms: settings.clock.now_ms(),
        clock: settings.clock.clone(),
    });
    background.spawn(Arc::clone(&facts).watch());
    let live = Arc::new(Live::default());
    let sources = Sources { ledger: Arc::clone(&ledger), registry: Arc::clone(&registry), jobs: Arc::clone(&jobs) };
    background.spawn(Arc::clone(&live).run(sources));
    let behind = facts;
    let console = Console { ledger: Arc::clone(&ledger), live, behind, home_id: settings.home_id.clone() };
    let hubs_at_work = hubs.start(hubs::Start {
        lane: Arc::clone(&lane),
        outbound: link.outbound.clone(),
        filters,
        listening: link.listening.clone(),
        connected: link.connected.clone(),
        topics: topics.clone(),
        overrides,
        state_dir: settings.state_dir.clone(),
        clock: settings.clock.clone(),
    });
    if let Some(follow) = follow {
        let outcomes = Outcomes {
            follow,
            registry: Arc::clone(&registry),
            service: Arc::clone(&service),
            outbox: Arc::clone(&outbox),
            outbound: link.outbound.clone(),
            topics,
            metrics: counted,
            answers: Arc::clone(&answers),
            within: settings.outbox_ttl + settings.confirm_within,
            ledger,
        };
        background.spawn(outcomes.run());
    }
    let sweeper = tokio::spawn(async move { tokio::join!(outbox.sweep(settled), outbox.sweep(answered)) });
    let places = Arc::new(Places::new(settings.satellites.clone(), Arc::clone(&registry)));
    let intake = Arc::new(dispatch.intake(Arc::clone(&answers)));
    let desk = Arc::new(Desk::new(intake, &limits, Arc::clone(&places), &settings.clock, metrics).in_words(texts));
    let mut doors = Doors::open(&settings, &desk, Arc::clone(&registry), Arc::clone(&jobs), numbers, console);
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
                    doors.renew(&settings);
                    service.renew(new_service(settings.service));
                    places.put(settings.satellites);
                    let lane = Arc::clone(&lane);
                    spawn_blocking(move || lane.refresh());
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
    hubs_at_work.stop().await;
    let until = Instant::now() + settings.stop_grace;
    let under_way = timeout_at(until, async {
        router.finish(&mut link.inbound).await;
        lane.idle().await;
    });
    if under_way.await.is_err() {
        warn!("not everything under way was finished");
    }
    doors.close().await;
    router.into_dispatch().stop().await;
    parts.shutdown().await;
    // However long the rest took, there is a moment for the goodbye.
    let goodbye = until.max(Instant::now() + GOODBYE);
    tokio::join!(link.stop(goodbye), courier.stop(goodbye));
    drop(courier);
    // The link is gone and with it the last sender: what it settled is removed, and the store closes with a flush.
    let _ = timeout_at(Instant::now() + settings.stop_grace, sweeper).await;
    drop((lane, service, new_service));
    threads.stop(settings.stop_grace).await;
    let stopped = ended.is_none();
    blocking(move || {
        while registry.commit()? {}
        store.commit()?;
        if stopped {
            store.started()?;
        }
        Ok(())
    })
    .await?;
    ended.map_or(Ok(()), |part| Err(DaemonError::Ended(part)))
}
