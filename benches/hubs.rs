//! What a house costs that tells of itself by MQTT discovery: read whole, made ready to be spoken about, and heard of.
//!
//! `cargo bench` measures the release profile. Bars: 5,000 things announced, in the home and ready to be spoken about
//! within 5 s; one update of a state at most 50 µs. How much the daemon grows by is measured by `make bars`.

#[path = "../tests/it/announced.rs"]
mod announced;

use std::sync::Arc;

use announced::{Announced, announced};
use divan::{Bencher, counter::ItemsCount};
use zhiju::home::{Home, Overrides, Registry};
use zhiju::hub::discovery::Discovery;
use zhiju::hub::{Change, Hub, MqttHub, device_id, named};
use zhiju::language::lexicon::Lexicon;
use zhiju::retrieval::World;

fn main() {
    divan::main();
}

fn things(many: usize) -> Vec<Announced> {
    (0..many).map(announced).collect()
}

fn heard(things: &[Announced]) -> Discovery {
    let mut hub = Discovery::new("homeassistant".into());
    for thing in things {
        hub.heard(&thing.topic, thing.config.to_string().as_bytes(), true);
    }
    hub
}

fn home(hub: &Discovery) -> Registry {
    let document = named("ha", hub.home().document).to_string();
    let registry = Registry::of_documents(None, vec![("ha".into(), document)], Overrides::default());
    assert!(registry.snapshot().revision > 0, "what the hub brings is a home");
    registry
}

fn snapshot(things: &[Announced]) -> Arc<Home> {
    let home = Arc::clone(&home(&heard(things)).snapshot().home);
    let is = |thing: &Announced| home.devices.iter().any(|d| d.name == thing.name && home.room_name(d) == thing.room);
    assert!(home.devices.len() == things.len() && is(&things[things.len() - 1]));
    home
}

/// Announcements as they come, until each is known.
#[divan::bench(args = [100, 1_000, 5_000], sample_count = 3)]
fn announcements(bencher: Bencher, many: usize) {
    let things = things(many);
    bencher.counter(ItemsCount::new(many)).bench_local(|| heard(&things));
}

/// What is known as a home, in force.
#[divan::bench(args = [100, 1_000, 5_000], sample_count = 3)]
fn brought(bencher: Bencher, many: usize) {
    let hub = heard(&things(many));
    bencher.counter(ItemsCount::new(many)).bench_local(|| home(&hub));
}

/// The home made ready to be spoken about.
#[divan::bench(args = [100, 1_000, 5_000], sample_count = 3)]
fn words(bencher: Bencher, many: usize) {
    let home = snapshot(&things(many));
    let lexicon = Arc::new(Lexicon::built_in().expect("the language that ships"));
    bencher.counter(ItemsCount::new(many)).bench_local(|| World::new(Arc::clone(&lexicon), Arc::clone(&home)));
}

/// One update of a state among 5,000 things, from the payload to the home: JSON by its schema, templates, a climate with
/// three of them.
#[divan::bench(args = ["json", "two templates", "a condition", "a position", "three templates"])]
fn update(bencher: Bencher, sort: &str) {
    let things = things(5_000);
    let (mut hub, at) = (heard(&things), ["json", "two templates", "a condition", "a position", "three templates"]);
    let registry = home(&hub);
    let at = at.iter().position(|name| *name == sort).unwrap_or_default();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        let thing = &things[at + turn * 5 % 5_000];
        for change in hub.heard(&thing.state_topic, thing.states[turn / 1_000 % 2].as_bytes(), false) {
            let Change::State { device, values } = change else { continue };
            let problems = registry.hear_state(&device_id("ha", &device), &values, turn as u64);
            assert!(problems.is_ok_and(|problems| problems.is_empty()));
        }
    });
}
