//! What a vector costs: `cargo bench --bench embedding`. `ZHIJU_BENCH_MODEL` names another model folder.

use std::path::PathBuf;

use divan::Bencher;
use zhiju::embedding::{Kind, Model};

fn main() {
    // As the daemon's encoder does: candle's kernels stay on this thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool");
    divan::main();
}

fn model() -> Model {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/models/mini-zh").into();
    let folder = std::env::var_os("ZHIJU_BENCH_MODEL").map_or(shipped, PathBuf::from);
    Model::load(&folder).expect("the model is in the repository")
}

#[divan::bench(min_time = 2)]
fn load(bencher: Bencher<'_, '_>) {
    bencher.bench_local(model);
}

#[divan::bench(min_time = 2)]
fn tokens_of_one_phrase(bencher: Bencher<'_, '_>) {
    let model = model();
    bencher.bench_local(|| drop(model.token_ids(Kind::Query, "太闷了")));
}

/// `太闷了` is 9 tokens with its prefix.
#[divan::bench(min_time = 2)]
fn one_phrase(bencher: Bencher<'_, '_>) {
    let model = model();
    bencher.bench_local(|| drop(model.encode(&[(Kind::Query, "太闷了")])));
}

#[divan::bench(args = [2, 4, 8, 16], min_time = 2)]
fn batch(bencher: Bencher<'_, '_>, size: usize) {
    let model = model();
    let texts = vec![(Kind::Query, "太闷了"); size];
    bencher.bench_local(|| drop(model.encode(&texts)));
}
