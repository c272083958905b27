//! `zhiju eval --mentions`: how often the device that somebody describes comes first, by each way of finding it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use super::cases::named_home;
use crate::cli::session::{ModelFlags, language};
use crate::cli::{CliError, local_runtime, print};
use crate::embedding::index::Hit;
use crate::gist::{Surroundings, settle};
use crate::home::{RoomIndex, parse};
use crate::language::command::Type;
use crate::language::grammar::SpeakerContext;
use crate::retrieval::{Entity, Query, World, search};

/// What is measured is the finding, not how busy this machine is.
const WAIT: Duration = Duration::from_secs(10);

/// The constant of reciprocal rank fusion.
const RRF: f32 = 60.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    home: String,
    local: String,
    phrase: String,
    accept: Vec<String>,
}

/// One way of finding: its name, and for each line how good the best is, by how much it leads, and whether it is right.
struct Way {
    name: &'static str,
    lines: Vec<Standing>,
}

#[derive(Clone, Copy)]
struct Standing {
    /// 0 for the first; `None` when it is not found.
    rank: Option<usize>,
    /// The lead of the best before devices of other kinds; 0 when nothing is found.
    margin: f32,
    /// Something here is described at all.
    here: bool,
}

/// Prints, for each way: how often the right device is first and among the first three, and how many are found when the
/// margin is set so that nothing is found for descriptions of what is not there.
pub(super) fn run(file: &Path, model: &ModelFlags) -> Result<(), CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::Failed(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    let lines: Vec<Line> = lines.collect::<Result<_, _>>().map_err(|error| failed(&error))?;
    let language = language()?;
    let gist = model.gist(&language);
    let runtime = local_runtime()?;
    let mut ways: Vec<Way> =
        ["names", "words", "vectors", "rrf", "sum"].map(|name| Way { name, lines: Vec::new() }).into();
    let mut homes: Vec<(String, World, crate::gist::Indexes)> = Vec::new();
    let mut unsettled = Vec::new();
    for line in &lines {
        if !homes.iter().any(|(name, ..)| *name == line.home) {
            let document: Value = named_home(&line.home, file)?;
            let (home, _) = parse(&document).map_err(|error| failed(&error))?;
            let world = World::new(language.lexicon.clone(), std::sync::Arc::new(home));
            let indexes = gist.index(&world.vocabulary);
            runtime.block_on(gist.prepare(&indexes));
            homes.push((line.home.clone(), world, indexes));
        }
        let Some((_, world, indexes)) = homes.iter().find(|(name, ..)| *name == line.home) else { continue };
        let local = world.home().rooms.iter().position(|room| room.name == line.local);
        let speaker = SpeakerContext { local, ..SpeakerContext::default() };
        let place = Surroundings { vocabulary: &world.vocabulary, indexes, speaker: &speaker };
        let Some(mention) = settle(&line.phrase, place) else {
            unsettled.push(line.phrase.as_str());
            ways.iter_mut().for_each(|way| way.lines.push(Standing::nothing(line)));
            continue;
        };
        let hits = runtime.block_on(gist.likeness(&mention, place, Instant::now() + WAIT));
        let by = |score: &dyn Fn(&Hit) -> f32| hits.iter().map(|hit| (hit.owner, score(hit))).collect::<Vec<_>>();
        let position = |of: &dyn Fn(&Hit) -> f32, hit: &Hit| hits.iter().filter(|h| of(h) > of(hit)).count() as f32;
        let cosine = |hit: &Hit| hit.cosine.unwrap_or(0.0);
        let fused = |hit: &Hit| 1.0 / (RRF + position(&|h| h.words, hit)) + 1.0 / (RRF + position(&cosine, hit));
        let found = [
            by_name(&mention.phrase(), world, local),
            by(&|hit| hit.words),
            by(&cosine),
            by(&fused),
            by(&|hit| hit.score),
        ];
        for (way, scores) in ways.iter_mut().zip(found) {
            way.lines.push(Standing::of(scores, line, world, local));
        }
    }
    let mut report = vec![format!("{:<8} {:>6} {:>6} {:>6}", "", "top1", "top3", "safe")];
    report.extend(ways.iter().map(Way::line));
    report.extend(unsettled.iter().map(|phrase| format!("not taken for a description: {phrase}")));
    print(&(report.join("\n") + "\n"))
}

fn by_name(name: &str, world: &World, local: Option<RoomIndex>) -> Vec<(usize, f32)> {
    let able = |_| true;
    let query = Query { name, kind: Type::Unknown, rooms: None, local, recent: &[], able: &able, online: &able };
    let found = search(world, &query).into_iter();
    found.filter_map(|c| if let Entity::Device(d) = c.entity { Some((d, c.signals.naming())) } else { None }).collect()
}

impl Standing {
    fn nothing(line: &Line) -> Self {
        Self { rank: None, margin: 0.0, here: !line.accept.is_empty() }
    }

    /// Of equally good ones, the device in the speaker's room comes first.
    fn of(mut scores: Vec<(usize, f32)>, line: &Line, world: &World, local: Option<RoomIndex>) -> Self {
        let home = world.home();
        let here = |device: usize| local.is_some() && home.devices[device].room == local;
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(here(b.0).cmp(&here(a.0))));
        let Some((best, top)) = scores.first().copied() else { return Self::nothing(line) };
        let kinds = |device: usize| &world.vocabulary.devices[device].kinds;
        let next = scores.iter().find(|(device, _)| kinds(*device) != kinds(best)).map_or(0.0, |(_, score)| *score);
        let rank = scores.iter().position(|(device, _)| line.accept.contains(&home.devices[*device].id));
        Self { rank, margin: top - next, here: !line.accept.is_empty() }
    }
}

impl Way {
    fn line(&self) -> String {
        let here = || self.lines.iter().filter(|line| line.here);
        let share = |count: usize| count as f64 / here().count().max(1) as f64;
        let within = |n: usize| share(here().filter(|line| line.rank.is_some_and(|rank| rank < n)).count());
        let bar = self.lines.iter().filter(|line| !line.here).map(|line| line.margin).fold(0.0, f32::max);
        let safe = here().filter(|line| line.rank == Some(0) && line.margin > bar).count();
        format!("{:<8} {:>6.3} {:>6.3} {:>6.3}", self.name, within(1), within(3), share(safe))
    }
}
