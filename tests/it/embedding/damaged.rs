//! Model folders that are damaged, newer, or of another shape: an error each time, never a panic.

use std::fs;
use std::path::Path;

use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{DType, Device};
use tempfile::TempDir;
use zhiju::embedding::{Encoder, Kind, Model, ModelError};

use super::{cosine, golden, shipped};

/// A copy of the shipped folder, without its manifest if `bare`.
fn copy(bare: bool) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(shipped()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if !(bare && name == "manifest.json") {
            fs::copy(&path, dir.path().join(name)).unwrap();
        }
    }
    dir
}

fn error_of(dir: &TempDir) -> ModelError {
    match Model::load(dir.path()) {
        Ok(_) => panic!("the model was loaded"),
        Err(error) => error,
    }
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn edit_text(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_manifest_admits_only_the_files_it_describes() {
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        let dir = copy(false);
        edit(&dir.path().join(file), |bytes| *bytes.last_mut().unwrap() ^= 1);
        assert!(matches!(error_of(&dir), ModelError::Checksum { path, .. } if path.ends_with(file)));
        edit(&dir.path().join(file), |bytes| bytes.truncate(bytes.len() / 2));
        assert!(matches!(error_of(&dir), ModelError::Checksum { .. }));
        fs::remove_file(dir.path().join(file)).unwrap();
        assert!(matches!(error_of(&dir), ModelError::Io { .. } | ModelError::NoWeights { .. }));
    }
}

#[test]
fn a_newer_manifest_is_named_as_such() {
    let dir = copy(false);
    fs::write(dir.path().join("manifest.json"), r#"{"format": 2, "future": []}"#).unwrap();
    assert!(matches!(error_of(&dir), ModelError::Newer { found: 2, known: 1, .. }));
    fs::write(dir.path().join("manifest.json"), "{").unwrap();
    assert!(matches!(error_of(&dir), ModelError::Malformed { .. }));
}

#[test]
fn other_dimensions_than_the_configuration_are_an_error() {
    for (from, to) in [
        ("\"hidden_size\": 256", "\"hidden_size\": 512"),
        ("\"vocab_size\": 25191", "\"vocab_size\": 25190"),
        ("\"intermediate_size\": 1024", "\"intermediate_size\": 18446744073709551615"),
        ("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 5"),
        ("\"num_attention_heads\": 8", "\"num_attention_heads\": 0"),
        ("\"num_attention_heads\": 8", "\"num_attention_heads\": 7"),
        ("\"type_vocab_size\": 2", "\"type_vocab_size\": 0"),
        ("\"max_position_embeddings\": 64", "\"max_position_embeddings\": 0"),
        ("\"model_type\": \"bert\"", "\"model_type\": \"roberta\""),
        ("\"layer_norm_eps\": 1e-12", "\"layer_norm_eps\": -1"),
    ] {
        let dir = copy(true);
        edit_text(&dir.path().join("config.json"), from, to);
        error_of(&dir);
    }
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_an_error() {
    let dir = copy(true);
    let path = dir.path().join("tokenizer.json");
    let mut tokenizer: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    tokenizer["model"]["vocab"].as_array_mut().unwrap().pop();
    fs::write(&path, tokenizer.to_string()).unwrap();
    assert!(matches!(error_of(&dir), ModelError::Dimensions { .. }));
    fs::write(&path, "{}").unwrap();
    assert!(matches!(error_of(&dir), ModelError::Malformed { .. }));
}

/// The shipped weights as a GGUF with 8-bit matrices.
fn write_gguf(path: &Path) {
    let tensors = candle_core::safetensors::load(shipped().join("model.safetensors"), &Device::Cpu).unwrap();
    let tensors: Vec<(String, QTensor)> = tensors
        .into_iter()
        .map(|(name, tensor)| {
            let tensor = tensor.to_dtype(DType::F32).unwrap();
            let matrix = tensor.rank() == 2 && !name.contains("position") && !name.contains("token_type");
            let kind = if matrix { GgmlDType::Q8_0 } else { GgmlDType::F32 };
            (name, QTensor::quantize(&tensor, kind).unwrap())
        })
        .collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    let architecture = gguf_file::Value::String("bert".into());
    let mut file = fs::File::create(path).unwrap();
    gguf_file::write(&mut file, &[("general.architecture", &architecture)], &tensors).unwrap();
}

fn gguf_copy() -> TempDir {
    let dir = copy(true);
    fs::remove_file(dir.path().join("model.safetensors")).unwrap();
    write_gguf(&dir.path().join("model-q8_0.gguf"));
    dir
}

#[test]
fn quantised_weights_point_the_same_way() {
    let dir = gguf_copy();
    let model = Model::load(dir.path()).unwrap();
    for case in golden().cases {
        let cosine = cosine(&model.encode(&[(case.kind(), &case.text)]).unwrap()[0], &case.vector);
        assert!(cosine >= 0.999, "{}: {cosine}", case.text);
    }
}

#[test]
fn damaged_weights_without_a_manifest_never_panic() {
    for (dir, file) in [(copy(true), "model.safetensors"), (gguf_copy(), "model-q8_0.gguf")] {
        let path = dir.path().join(file);
        let whole = fs::read(&path).unwrap();
        for length in [0, 1, 7, 8, 9, 100, 5_000, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            error_of(&dir);
        }
        // Every byte of the first header entries, and some further in: an error, or a model that answers.
        for at in (0..64).chain([200, 1_000, 4_000, 6_000]) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            fs::write(&path, bytes).unwrap();
            if let Ok(model) = Model::load(dir.path()) {
                let _ = model.encode(&[(Kind::Query, "太闷了")]);
            }
        }
    }
}

#[test]
fn weights_that_give_no_number_are_an_error() {
    let dir = copy(true);
    // The last tensors of the file become f16 infinities and worse.
    edit(&dir.path().join("model.safetensors"), |bytes| {
        let start = bytes.len() - 1_000_000;
        bytes[start..].fill(0x7c);
    });
    assert!(matches!(error_of(&dir), ModelError::Malformed { .. }));
}

#[test]
fn a_folder_without_a_model_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(error_of(&empty), ModelError::NoWeights { .. }));
    assert!(Encoder::load(empty.path()).is_err());
    assert!(Encoder::load(&empty.path().join("nowhere")).is_err());
}
