//! A home and the service in this process, for `ask` and `eval`: the harness plays the hub.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use jiff::Zoned;
use serde_json::Value;
use tokio::sync::mpsc;

use super::CliError;
use crate::clock::Clock;
use crate::config::Environment;
use crate::embedding::Encoder;
use crate::embedding::cache::MemoryStore;
use crate::frame::{Event, Finish, Request};
use crate::gist::Gist;
use crate::home::{Registry, Snapshot, State, parse};
use crate::job::{JobSettings, Jobs};
use crate::ranker::Ranker;
use crate::reader::Reader;
use crate::service::{Language, Service, ServiceSettings};

/// Events that may wait between the service and its listener.
const EVENTS: usize = 16;

/// How long a sentence waits for its vector.
const VECTOR_WAIT: Duration = Duration::from_secs(10);

/// The model's flags.
#[derive(Debug, Args)]
pub(super) struct ModelFlags {
    /// Folder of the embedding model [default: the installed or in-tree one]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Do without a model
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// Weights of the learned reader [default: those that are built in]
    #[arg(long, value_name = "FILE")]
    reader: Option<PathBuf>,
    /// Do without the learned reader
    #[arg(long, conflicts_with = "reader")]
    no_reader: bool,
    /// Scorer of the learned reader, which is tried out: models/reader-zh/scorer.safetensors [default: none]
    #[arg(long, value_name = "FILE", conflicts_with = "no_reader")]
    scorer: Option<PathBuf>,
    /// Weights of the learned ranker [default: those that are built in]
    #[arg(long, value_name = "FILE")]
    ranker: Option<PathBuf>,
    /// Do without the learned ranker
    #[arg(long, conflicts_with = "ranker")]
    no_ranker: bool,
    /// Do without similarity, in words and vectors
    #[arg(long, conflicts_with = "model")]
    no_similarity: bool,
}

impl ModelFlags {
    /// The model's folder, if there is one.
    pub(super) fn dir(&self) -> Option<PathBuf> {
        let default = || Environment::of_process().default_model();
        if self.no_model { None } else { self.model.clone().or_else(default) }
    }

    /// All of them.
    pub(super) fn readers(&self, language: &Language) -> Readers {
        Readers {
            gist: (!self.no_similarity).then(|| self.gist(language)),
            reader: self.reader(),
            ranker: self.ranker(),
        }
    }

    /// The learned reader, unless it is not wanted. One that cannot be used is no reason not to go on.
    fn reader(&self) -> Option<Arc<Reader>> {
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Reader::of(&bytes).map_err(|error| format!("{}: {error}", path.display()))
        };
        let reader = || self.reader.as_ref().map_or_else(|| Reader::shipped().map_err(|error| error.to_string()), read);
        let scored = |reader: Reader| match &self.scorer {
            None => Ok(reader),
            Some(path) => {
                let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
                reader.scored_by(path.clone(), bytes).map_err(|error| error.to_string())
            }
        };
        let usable = || {
            let reader = reader().and_then(scored);
            reader.inspect_err(|error| eprintln!("reader: {error}; understanding without it")).ok()
        };
        if self.no_reader { None } else { usable().map(Arc::new) }
    }

    /// The learned ranker, likewise.
    fn ranker(&self) -> Option<Arc<Ranker>> {
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Ranker::of(&bytes).map_err(|error| format!("{}: {error}", path.display()))
        };
        let ranker = || self.ranker.as_ref().map_or_else(|| Ranker::shipped().map_err(|error| error.to_string()), read);
        let usable = || ranker().inspect_err(|error| eprintln!("ranker: {error}; understanding without it")).ok();
        if self.no_ranker { None } else { usable().map(Arc::new) }
    }

    /// Understanding by similarity with that model. A model that cannot be used is no reason not to go on.
    pub(super) fn gist(&self, language: &Language) -> Arc<Gist> {
        let encoder = self.dir().and_then(|dir| {
            Encoder::load(&dir).inspect_err(|error| eprintln!("model: {error}; understanding by words alone")).ok()
        });
        Arc::new(Gist::new(&language.lexicon, encoder, Box::new(MemoryStore::default())))
    }
}

/// Who reads what the grammar is not sure of.
#[derive(Clone)]
pub(super) struct Readers {
    gist: Option<Arc<Gist>>,
    reader: Option<Arc<Reader>>,
    ranker: Option<Arc<Ranker>>,
}

/// One home with its service.
pub(super) struct Session {
    registry: Arc<Registry>,
    service: Service,
    jobs: Arc<Jobs>,
    /// The home as it was at first.
    initial: Arc<Snapshot>,
}

/// All that was heard of one request.
#[derive(Debug)]
pub(super) struct Heard {
    /// How it ended.
    pub(super) finish: Finish,
    /// What was found, as published on `candidates/{rid}`.
    pub(super) candidates: Option<Value>,
    /// From the request to its end.
    pub(super) took: Duration,
}

/// The language that ships.
pub(super) fn language() -> Result<Language, CliError> {
    Language::load(None).map_err(|error| CliError::Failed(error.to_string()))
}

impl Session {
    /// A session on a home document.
    pub(super) async fn new(document: &Value, language: Language, readers: Readers) -> Result<Self, CliError> {
        Self::at(document, language, readers, None).await
    }

    /// The same in which it is always this time.
    pub(super) async fn at(
        document: &Value,
        language: Language,
        readers: Readers,
        now: Option<&Zoned>,
    ) -> Result<Self, CliError> {
        let (home, report) = parse(document).map_err(|error| CliError::Failed(format!("home: {error}")))?;
        for rejected in &report.rejected {
            eprintln!("home: {}: {}", rejected.path, rejected.reason);
        }
        let clock = now.map_or_else(Clock::of_machine, |now| {
            Clock::by_hand("eval", 1_000_000, now.timestamp().as_millisecond().unsigned_abs())
        });
        let zone = now.map_or_else(|| JobSettings::default().zone, |now| now.time_zone().clone());
        let jobs = Arc::new(Jobs::in_memory(clock.clone(), JobSettings { zone, ..JobSettings::default() }));
        let registry = Arc::new(Registry::in_memory(home).with_clock(clock));
        // What is measured is the understanding, not how busy this machine is.
        let settings = ServiceSettings { vector_wait: VECTOR_WAIT, ..ServiceSettings::default() };
        let service = Service::new(Arc::clone(&registry), None, settings, language);
        let service = match readers.gist {
            Some(gist) => service.with_gist(gist),
            None => service,
        };
        let service = service.with_reader(readers.reader).with_ranker(readers.ranker).with_jobs(Arc::clone(&jobs));
        service.prepare().await;
        Ok(Self { service, jobs, initial: registry.snapshot(), registry })
    }

    /// Takes back whatever the home reported, and what was to be done later.
    pub(super) fn reset(&self) {
        self.registry.put_back(Arc::clone(&self.initial));
        let jobs: Vec<String> = self.jobs.pending().into_iter().map(|job| job.id).collect();
        self.jobs.cancel(&jobs).expect("jobs in memory need no disk");
    }

    /// Who serves it.
    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    /// The home as it is now.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.registry.snapshot()
    }

    /// Serves a request; what it moves, the home then reports, as a real one would.
    pub(super) async fn say(&self, request: Request) -> Heard {
        let (events, mut heard) = mpsc::channel(EVENTS);
        let started = Instant::now();
        let listen = async {
            let (mut finish, mut candidates) = (None, None);
            while let Some(event) = heard.recv().await {
                match event {
                    Event::Stream { .. } => {}
                    Event::AskState { device } => self.report(&device, None),
                    Event::Candidates(found) => candidates = Some(Arc::unwrap_or_clone(found)),
                    Event::Finish(end) => finish = Some((end, started.elapsed())),
                }
            }
            (finish, candidates)
        };
        let ((), (finish, candidates)) = tokio::join!(self.service.serve(request, events), listen);
        let (finish, took) = finish.expect("the service ends every request with a finish");
        if let Finish::Done { instructs, .. } = &finish {
            instructs.iter().for_each(|instruct| self.report(&instruct.id, instruct.state.as_ref()));
        }
        Heard { finish, candidates, took }
    }

    /// The device reports `state`, or what it has.
    fn report(&self, device: &str, state: Option<&State>) {
        let snapshot = self.snapshot();
        let Some((index, _)) = snapshot.home.device(device) else { return };
        let state = state.unwrap_or(&snapshot.live.get(index).values);
        // A value that the device does not take shows in the verdict; the home goes on without it.
        let _ = self.registry.merge_state(device, state, self.registry.clock().now_ms());
    }
}
