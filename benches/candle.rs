//! The forward passes of this crate beside those of `candle-transformers`, in one run: `cargo bench --bench candle`.
//!
//! Everything runs on one thread, and what is counted is the time that it was given, so that nothing else the machine does
//! is measured. Rounds of both take turns; the ratio of the medians is the result: how many times as long the library takes. `ZHIJU_BENCH_LLM` names a GGUF file to measure besides the ones of random weights.

#![allow(clippy::print_stdout, reason = "a measurement tells what it measured")]

use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use candle_transformers::models::{quantized_llama, quantized_qwen2, quantized_qwen3};
use zhiju::embedding::{Kind, Model};
use zhiju::llm::local::{Cache, Decoder};

fn main() {
    // As the daemon's encoder does: candle's kernels stay on this thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool");
    println!("quantised kernels compiled in: {}", candle_core::utils::with_avx() || candle_core::utils::with_neon());
    encoders();
    let folder = tempfile::tempdir().expect("a folder");
    for architecture in ["llama", "qwen2", "qwen3"] {
        for weights in [GgmlDType::F32, GgmlDType::Q8_0, GgmlDType::Q4_0] {
            let path = folder.path().join("model.gguf");
            write(&path, architecture, weights);
            decoders(&format!("{architecture} {weights:?}"), architecture, &path);
        }
    }
    if let Some(path) = std::env::var_os("ZHIJU_BENCH_LLM").map(PathBuf::from) {
        let content = Content::read(&mut File::open(&path).expect("a file")).expect("a GGUF file");
        let architecture = content.metadata["general.architecture"].to_string().expect("a name").clone();
        decoders("the file", &architecture, &path);
    }
}

/// What this thread has had of a processor.
fn time_on_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number");
    Duration::from_nanos(nanoseconds)
}

/// Prints the medians of both and how many times as long the second takes.
fn compare(what: &str, rounds: usize, mut ours: impl FnMut(), mut library: impl FnMut()) {
    let (mut our_times, mut library_times) = (Vec::new(), Vec::new());
    for round in 0..rounds + 2 {
        let measure = |work: &mut dyn FnMut(), times: &mut Vec<Duration>| {
            let start = time_on_cpu();
            work();
            // The first ones fill caches.
            if round >= 2 {
                times.push(time_on_cpu() - start);
            }
        };
        measure(&mut ours, &mut our_times);
        measure(&mut library, &mut library_times);
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let (ours, library) = (median(&mut our_times), median(&mut library_times));
    println!("{what}: ours {ours:.2?}, library {library:.2?}, ratio {:.2}", library.as_secs_f64() / ours.as_secs_f64());
}

/// The sentence encoder, from tokens to unit vectors.
fn encoders() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/mini-zh");
    let ours = Model::load(&folder).expect("the model is in the repository");
    let weights = std::fs::read(folder.join("model.safetensors")).expect("its weights");
    let config = std::fs::read_to_string(folder.join("config.json")).expect("its configuration");
    let mut config: Config = serde_json::from_str(&config).expect("a BERT");
    config.max_position_embeddings = ours.positions();
    let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu).expect("tensors");
    let library = BertModel::load(variables, &config).expect("the library knows BERT");

    let phrases = ["太闷了", "把客厅里靠窗的那盏落地灯调暗一点", "我要睡觉了", "屋里的空气不太好，通通风吧"];
    for (what, texts) in [
        ("one phrase of 9 tokens", vec![phrases[0]]),
        ("one phrase of 20 tokens and more", vec![phrases[1]]),
        ("16 equal phrases", vec![phrases[0]; 16]),
        ("16 phrases of different lengths", phrases.iter().cycle().take(16).copied().collect()),
    ] {
        let asked: Vec<(Kind, &str)> = texts.iter().map(|text| (Kind::Query, *text)).collect();
        let theirs = || {
            let ids: Vec<Vec<u32>> =
                asked.iter().map(|(kind, text)| ours.token_ids(*kind, text).expect("tokens")).collect();
            padded(&library, &ids).expect("vectors")
        };
        let expected = ours.encode(&asked).expect("vectors");
        let apart = expected.concat().iter().zip(theirs().concat()).fold(0.0_f32, |a, (b, c)| a.max((b - c).abs()));
        assert!(apart < 1e-4, "the vectors are {apart} apart");
        let mine = || drop(black_box(ours.encode(&asked).expect("vectors")));
        compare(what, 200, mine, || drop(black_box(theirs())));
    }
}

/// As the library is used: one matrix of texts filled up to the longest, and a mask.
fn padded(model: &BertModel, texts: &[Vec<u32>]) -> candle_core::Result<Vec<Vec<f32>>> {
    let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
    let places = || texts.iter().flat_map(|text| (0..longest).map(move |at| text.get(at).copied()));
    let ids: Vec<u32> = places().map(|token| token.unwrap_or(1)).collect();
    let mask: Vec<u32> = places().map(|token| u32::from(token.is_some())).collect();
    let shape = (texts.len(), longest);
    let ids = Tensor::from_vec(ids, shape, &Device::Cpu)?;
    let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
    let alone = texts.iter().all(|text| text.len() == longest);
    let states = model.forward(&ids, &ids.zeros_like()?, (!alone).then_some(&mask))?;
    let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
    let sums = states.broadcast_mul(&mask)?.sum(1)?;
    sums.broadcast_div(&sums.sqr()?.sum_keepdim(1)?.sqrt()?)?.to_vec2()
}

type Forward = Box<dyn FnMut(&Tensor, usize) -> Tensor>;

/// The library's decoder of that architecture. Tokens at the start begin anew.
fn library(architecture: &str, path: &Path) -> Forward {
    let mut file = File::open(path).expect("a file");
    let content = Content::read(&mut file).expect("a GGUF file");
    let device = &Device::Cpu;
    macro_rules! of {
        ($module:ident) => {{
            let mut model = $module::ModelWeights::from_gguf(content, &mut file, device).expect("a model");
            Box::new(move |ids, start| {
                if start == 0 {
                    model.clear_kv_cache();
                }
                model.forward(ids, start).expect("scores")
            })
        }};
    }
    match architecture {
        "llama" => of!(quantized_llama),
        "qwen2" => of!(quantized_qwen2),
        _ => of!(quantized_qwen3),
    }
}

/// A prompt at once, and one token after another behind it.
fn decoders(what: &str, architecture: &str, path: &Path) {
    let ours = Decoder::open(path, 512).expect("a decoder");
    let mut library = library(architecture, path);
    let tokens: Vec<u32> = (0..128).map(|n| 5 + n * 37 % 256).collect();
    let one = |tokens: &[u32], cache: &mut Cache| {
        ours.forward(tokens, cache, &|| true).expect("scores").expect("nobody says stop")
    };
    let mut theirs = |tokens: &[u32], start: usize| {
        let ids = Tensor::new(tokens, &Device::Cpu).expect("ids").unsqueeze(0).expect("a batch of one");
        library(&ids, start).flatten_all().and_then(|scores| scores.to_vec1::<f32>()).expect("scores")
    };
    compare(
        &format!("{what}, prompt of 128"),
        3,
        || drop(black_box(one(&tokens, &mut Cache::default()))),
        || drop(black_box(theirs(&tokens, 0))),
    );
    let mut cache = Cache::default();
    one(&tokens, &mut cache);
    theirs(&tokens, 0);
    let mut at = tokens.len();
    let mut cache = cache.share();
    compare(
        &format!("{what}, one token behind it"),
        24,
        || drop(black_box(one(&tokens[..1], &mut cache))),
        || {
            drop(black_box(theirs(&tokens[..1], at)));
            at += 1;
        },
    );
}

/// A model of random weights, of the size of a small one but for the number of layers.
fn write(path: &Path, architecture: &str, weights: GgmlDType) {
    let (hidden, inner, heads, kv_heads, layers, vocabulary) = (576, 1536, 9, 3, 6, 8192);
    let width = hidden / heads;
    let numbers = [
        ("block_count", layers),
        ("context_length", 2048),
        ("embedding_length", hidden),
        ("feed_forward_length", inner),
        ("attention.head_count", heads),
        ("attention.head_count_kv", kv_heads),
        ("attention.key_length", width),
        ("rope.dimension_count", width),
    ];
    let mut metadata: Vec<(String, Value)> =
        numbers.map(|(key, number)| (format!("{architecture}.{key}"), Value::U32(number as u32))).into();
    metadata.push((format!("{architecture}.attention.layer_norm_rms_epsilon"), Value::F32(1e-6)));
    metadata.push((format!("{architecture}.rope.freq_base"), Value::F32(10_000.0)));
    metadata.push(("general.architecture".into(), Value::String(architecture.into())));
    metadata.push(("general.dtype".into(), Value::U32(0)));
    let mut tensors = Vec::new();
    let mut add = |name: String, shape: &[usize], dtype: GgmlDType| {
        let tensor = Tensor::rand(-0.1_f32, 0.1, shape, &Device::Cpu).expect("numbers");
        tensors.push((name, QTensor::quantize(&tensor, dtype).expect("weights")));
    };
    add("token_embd.weight".into(), &[vocabulary, hidden], weights);
    add("output.weight".into(), &[vocabulary, hidden], weights);
    add("output_norm.weight".into(), &[hidden], GgmlDType::F32);
    for layer in 0..layers {
        let name = |part: &str| format!("blk.{layer}.{part}");
        for (part, heads) in [("attn_q", heads), ("attn_k", kv_heads), ("attn_v", kv_heads)] {
            add(name(&format!("{part}.weight")), &[heads * width, hidden], weights);
            if architecture == "qwen2" {
                add(name(&format!("{part}.bias")), &[heads * width], GgmlDType::F32);
            }
            if architecture == "qwen3" && part != "attn_v" {
                add(name(&format!("{part}_norm.weight")), &[width], GgmlDType::F32);
            }
        }
        add(name("attn_output.weight"), &[hidden, heads * width], weights);
        add(name("attn_norm.weight"), &[hidden], GgmlDType::F32);
        add(name("ffn_norm.weight"), &[hidden], GgmlDType::F32);
        add(name("ffn_gate.weight"), &[inner, hidden], weights);
        add(name("ffn_up.weight"), &[inner, hidden], weights);
        add(name("ffn_down.weight"), &[hidden, inner], weights);
    }
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut File::create(path).expect("a file"), &metadata, &tensors).expect("a GGUF file");
}
