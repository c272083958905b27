//! Files that are not what they should be: each is an error that names what is wrong, and none a panic.

use std::fs;
use std::path::Path;

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::tiny::{self, Tiny};
use crate::llm::local::engine::Engine;
use crate::llm::local::{LocalError, LocalModel, LocalSettings};

fn refusal(settings: &LocalSettings) -> LocalError {
    LocalModel::open(settings).expect_err("it cannot be loaded")
}

fn written(folder: &Path) -> (LocalSettings, Vec<u8>) {
    let settings = Tiny::new("qwen2", GgmlDType::Q8_0).write(folder);
    let bytes = fs::read(&settings.model).unwrap();
    (settings, bytes)
}

#[test]
fn a_file_that_is_missing_empty_or_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let settings = tiny::settings(folder.path().join("model.gguf"));
    assert!(matches!(refusal(&settings), LocalError::Io { .. }));
    for bytes in [&b""[..], b"GGUF", b"PK\x03\x04 not a model", &[0; 4096]] {
        fs::write(&settings.model, bytes).unwrap();
        let error = refusal(&settings);
        assert!(matches!(error, LocalError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains("model.gguf"), "{error}");
    }
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, bytes) = written(folder.path());
    // The last tensor is padded to 32 bytes.
    for length in (0..bytes.len() - 32).step_by(997).chain([bytes.len() - 64]) {
        fs::write(&settings.model, &bytes[..length]).unwrap();
        let error = refusal(&settings);
        assert!(matches!(error, LocalError::Malformed { .. }), "{length}: {error}");
    }
    fs::write(&settings.model, &bytes[..bytes.len() / 2]).unwrap();
    assert!(refusal(&settings).to_string().contains("truncated"));
}

#[test]
fn another_architecture_and_dimensions_that_cannot_be_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = || Tiny::new("qwen2", GgmlDType::Q8_0);
    let error = refusal(&tiny().with("general.architecture", Value::String("mamba".into())).write(folder.path()));
    assert!(matches!(&error, LocalError::Architecture { architecture, .. } if architecture == "mamba"), "{error}");
    for (key, value, named) in [
        ("general.alignment", Value::U32(0), "makes no sense"),
        ("qwen2.block_count", Value::U32(u32::MAX), "block_count"),
        ("qwen2.block_count", Value::U32(3), "blk.2."),
        ("qwen2.attention.head_count", Value::U32(0), "head_count"),
        ("qwen2.attention.head_count_kv", Value::U32(3), "4 heads"),
        ("qwen2.attention.key_length", Value::U32(7), "heads of 7"),
        ("qwen2.embedding_length", Value::U64(1 << 60), "embedding_length"),
        ("qwen2.embedding_length", Value::U32(64), "token_embd.weight"),
        ("qwen2.feed_forward_length", Value::String("64".into()), "feed_forward_length"),
        ("qwen2.context_length", Value::I32(-1), "context_length"),
        ("qwen2.rope.freq_base", Value::F32(f32::NAN), "base"),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(-1.0), "epsilon"),
        ("qwen2.expert_count", Value::U32(8), "mixture of experts"),
    ] {
        let error = refusal(&tiny().with(key, value).write(folder.path())).to_string();
        assert!(error.contains(named), "{key}: {error}");
    }
}

#[test]
fn weights_that_give_no_number_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut tiny = Tiny::new("llama", GgmlDType::F32);
    let (_, norm) = tiny.tensors.iter_mut().find(|(name, _)| name == "output_norm.weight").unwrap();
    let broken = candle_core::Tensor::full(f32::NAN, tiny::HIDDEN, &candle_core::Device::Cpu).unwrap();
    *norm = candle_core::quantized::QTensor::quantize(&broken, GgmlDType::F32).unwrap();
    assert!(refusal(&tiny.write(folder.path())).to_string().contains("finite"));
}

/// A `tokenizer.json` of these words.
fn tokenizer(words: &[String]) -> Json {
    let vocabulary: serde_json::Map<String, Json> =
        words.iter().enumerate().map(|(id, word)| (word.clone(), json!(id))).collect();
    let marks: Vec<Json> = (0..5)
        .map(|id| {
            json!({ "id": id, "content": words[id], "special": true, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false })
        })
        .collect();
    json!({
        "version": "1.0", "added_tokens": marks,
        "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "model": { "type": "BPE", "vocab": vocabulary, "merges": [] },
    })
}

#[test]
fn the_tokenizer_beside_the_model_is_used_if_it_is_the_model_s() {
    let folder = tempfile::tempdir().unwrap();
    let (settings, _) = written(folder.path());
    let beside = folder.path().join("tokenizer.json");
    let words = tiny::tokens();
    fs::write(&beside, tokenizer(&words).to_string()).unwrap();
    LocalModel::open(&settings).unwrap();

    let mut swapped = words.clone();
    swapped.swap(100, 101);
    let more: Vec<String> = words.iter().cloned().chain(["灯".into()]).collect();
    let mut bytes_missing = tokenizer(&words);
    bytes_missing["model"]["vocab"].as_object_mut().unwrap().shift_remove("#").unwrap();
    let mut without_marks = tokenizer(&words);
    without_marks["added_tokens"] = json!([]);
    for (tokenizer, named) in [
        (tokenizer(&swapped).to_string(), "it is not this model's: token 100"),
        (tokenizer(&more).to_string(), "is beyond the"),
        (bytes_missing.to_string(), "no token for the byte 0x23"),
        (without_marks.to_string(), "chat template"),
        ("{}".into(), "tokenizer.json"),
        (String::new(), "tokenizer.json"),
    ] {
        fs::write(&beside, tokenizer).unwrap();
        let error = refusal(&settings);
        assert!(matches!(error, LocalError::Tokenizer { .. }), "{error}");
        assert!(error.to_string().contains(named), "{error}");
    }
    let elsewhere = LocalSettings { tokenizer: Some(folder.path().join("missing.json")), ..settings };
    assert!(matches!(refusal(&elsewhere), LocalError::Io { .. }));
}

#[test]
fn a_model_without_a_usable_tokenizer_of_its_own_asks_for_one() {
    let folder = tempfile::tempdir().unwrap();
    for (key, value) in [
        ("tokenizer.ggml.model", Value::String("llama".into())),
        ("tokenizer.ggml.pre", Value::String("unheard-of".into())),
        ("tokenizer.ggml.merges", Value::U32(1)),
    ] {
        let error = refusal(&Tiny::new("llama", GgmlDType::F32).with(key, value).write(folder.path()));
        assert!(error.to_string().contains("put its tokenizer.json beside it"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_damage_to_the_header_makes_it_panic(damage in proptest::collection::vec((0..12_000_usize, any::<u8>()), 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let (settings, mut bytes) = written(folder.path());
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        fs::write(&settings.model, &bytes).unwrap();
        // On this thread, where a panic that is not caught would be seen.
        drop(Engine::load(&settings));
    }
}
