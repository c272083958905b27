//! Models of random weights, small enough to be written by a test, with a tokenizer to match.

use std::fs::File;
use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use crate::llm::local::LocalSettings;
use crate::llm::local::vocabulary::byte_characters;

pub const ARCHITECTURES: [&str; 3] = ["llama", "qwen2", "qwen3"];

pub const HIDDEN: usize = 32;
const INNER: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
pub const LAYERS: usize = 2;
pub const CONTEXT: usize = 512;

/// Numbers that look random and are the same every time.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// From −1 to 1.
    pub fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// What a tiny model is made of; a test bends it before it is written.
pub struct Tiny {
    pub architecture: &'static str,
    pub metadata: Vec<(String, Value)>,
    pub tensors: Vec<(String, QTensor)>,
}

pub fn tokens() -> Vec<String> {
    let marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"].map(str::to_owned);
    marks
        .into_iter()
        .chain(byte_characters().map(|(_, c)| c.to_string()))
        .chain(merged().map(|(a, b)| a + &b))
        .collect()
}

/// Merges: of the grammar's own pieces, and of the first two bytes of 打 and 开, which alone are no UTF-8.
fn merged() -> impl Iterator<Item = (String, String)> {
    let pieces = [
        ("[", "\""),
        ("\"", "]"),
        ("-", "*"),
        ("-*", "#"),
        ("o", "n"),
        ("on", "e"),
        ("#", "A"),
        ("æ", "ī"),
        ("å", "¼"),
    ];
    pieces.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned()))
}

impl Tiny {
    pub fn new(architecture: &'static str, matrices: GgmlDType) -> Self {
        Self::with_tokenizer(architecture, matrices, tokens(), merged().collect())
    }

    /// One that answers everything with `answer`, which is a token of its own; each character of `known` is one, too. Its
    /// layers add nothing to what stands there already, which is the same for all tokens.
    pub fn saying(answer: &str, known: &str) -> Self {
        let characters: Vec<String> = byte_characters().map(|(_, c)| c.to_string()).collect();
        let spelled = |text: &str| text.bytes().map(|byte| characters[usize::from(byte)].as_str()).collect::<String>();
        let (mut tokens, mut merges) = (tokens(), merged().collect::<Vec<_>>());
        for c in known.chars().filter(|c| !c.is_ascii()) {
            let mut whole = String::new();
            for byte in spelled(c.encode_utf8(&mut [0; 4])).chars() {
                let longer = format!("{whole}{byte}");
                if !tokens.contains(&longer) {
                    merges.push((whole, byte.to_string()));
                    tokens.push(longer.clone());
                }
                whole = longer;
            }
        }
        tokens.push(spelled(answer));
        let last = tokens.len() - 1;
        let mut tiny = Self::with_tokenizer("qwen2", GgmlDType::Q8_0, tokens, merges);
        for (name, tensor) in &mut tiny.tensors {
            let shape = tensor.shape().clone();
            let value: fn(usize, usize, usize) -> bool = match name.as_str() {
                "token_embd.weight" => |_, column, _| column == 0,
                "output.weight" => |row, column, last| row == last && column == 0,
                "output_norm.weight" => |_, _, _| true,
                name if name.ends_with("attn_output.weight") || name.ends_with("ffn_down.weight") => |_, _, _| false,
                _ => continue,
            };
            let width = *shape.dims().last().unwrap();
            let values: Vec<f32> =
                (0..shape.elem_count()).map(|n| f32::from(u8::from(value(n / width, n % width, last)))).collect();
            let values = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
            *tensor = QTensor::quantize(&values, tensor.dtype()).unwrap();
        }
        tiny.with("qwen2.context_length", Value::U32(1 << 15))
    }

    fn with_tokenizer(
        architecture: &'static str,
        matrices: GgmlDType,
        tokens: Vec<String>,
        merges: Vec<(String, String)>,
    ) -> Self {
        let width = if architecture == "qwen3" { 16 } else { HIDDEN / HEADS };
        let text = |text: &str| Value::String(text.to_owned());
        let texts = |texts: Vec<String>| Value::Array(texts.into_iter().map(Value::String).collect());
        let mut metadata: Vec<(String, Value)> = [
            ("block_count", Value::U32(LAYERS as u32)),
            ("context_length", Value::U32(CONTEXT as u32)),
            ("embedding_length", Value::U32(HIDDEN as u32)),
            ("feed_forward_length", Value::U32(INNER as u32)),
            ("attention.head_count", Value::U32(HEADS as u32)),
            ("attention.head_count_kv", Value::U32(KV_HEADS as u32)),
            ("attention.key_length", Value::U32(width as u32)),
            ("attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
            ("rope.dimension_count", Value::U32(width as u32)),
            ("rope.freq_base", Value::F32(10_000.0)),
        ]
        .map(|(key, value)| (format!("{architecture}.{key}"), value))
        .into();
        let merges = merges.into_iter().map(|(a, b)| format!("{a} {b}")).collect();
        let kinds = (0..tokens.len()).map(|id| Value::I32(if id < 5 { 3 } else { 1 })).collect();
        metadata.extend(
            [
                ("general.architecture", text(architecture)),
                ("general.dtype", Value::U32(0)),
                ("tokenizer.ggml.model", text("gpt2")),
                ("tokenizer.ggml.pre", text(if architecture == "llama" { "smollm" } else { "qwen2" })),
                ("tokenizer.ggml.tokens", texts(tokens.clone())),
                ("tokenizer.ggml.merges", texts(merges)),
                ("tokenizer.ggml.token_type", Value::Array(kinds)),
            ]
            .map(|(key, value)| (key.to_owned(), value)),
        );
        let mut tiny = Self { architecture, metadata, tensors: Vec::new() };
        let mut noise = Noise(architecture.len() as u64);
        tiny.add("token_embd.weight", &[tokens.len(), HIDDEN], matrices, &mut noise);
        tiny.add("output_norm.weight", &[HIDDEN], GgmlDType::F32, &mut noise);
        if architecture == "qwen2" {
            tiny.add("output.weight", &[tokens.len(), HIDDEN], matrices, &mut noise);
        }
        for layer in 0..LAYERS {
            let mut add = |part: &str, shape: &[usize], dtype| {
                tiny.add(&format!("blk.{layer}.{part}"), shape, dtype, &mut noise);
            };
            for (part, heads) in [("attn_q", HEADS), ("attn_k", KV_HEADS), ("attn_v", KV_HEADS)] {
                add(&format!("{part}.weight"), &[heads * width, HIDDEN], matrices);
                if architecture == "qwen2" {
                    add(&format!("{part}.bias"), &[heads * width], GgmlDType::F32);
                }
                if architecture == "qwen3" && part != "attn_v" {
                    add(&format!("{part}_norm.weight"), &[width], GgmlDType::F32);
                }
            }
            add("attn_output.weight", &[HIDDEN, HEADS * width], matrices);
            add("attn_norm.weight", &[HIDDEN], GgmlDType::F32);
            add("ffn_norm.weight", &[HIDDEN], GgmlDType::F32);
            add("ffn_gate.weight", &[INNER, HIDDEN], matrices);
            add("ffn_up.weight", &[INNER, HIDDEN], matrices);
            add("ffn_down.weight", &[HIDDEN, INNER], matrices);
        }
        tiny
    }

    fn add(&mut self, name: &str, shape: &[usize], dtype: GgmlDType, noise: &mut Noise) {
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| noise.float()).collect();
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
        self.tensors.push((name.to_owned(), QTensor::quantize(&tensor, dtype).unwrap()));
    }

    /// Replaces an entry of the metadata.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.metadata.retain(|(other, _)| other != key);
        self.metadata.push((key.to_owned(), value));
        self
    }

    pub fn write(&self, folder: &Path) -> LocalSettings {
        let path = folder.join(format!("{}.gguf", self.architecture));
        let metadata: Vec<(&str, &Value)> = self.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let tensors: Vec<(&str, &QTensor)> =
            self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        gguf_file::write(&mut File::create(&path).unwrap(), &metadata, &tensors).unwrap();
        settings(path)
    }
}

pub fn settings(model: PathBuf) -> LocalSettings {
    LocalSettings { max_tokens: 96, ..LocalSettings::new("tiny", model) }
}
