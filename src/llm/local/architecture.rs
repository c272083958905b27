//! Which model a GGUF file holds, and how large it is.

use super::LocalError;
use super::gguf::Gguf;

/// The architectures that the forward pass knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Architecture {
    /// Positions turn neighbouring components.
    Llama,
    /// Positions turn component i with i + half; queries, keys and values have biases.
    Qwen2,
    /// As Qwen2 without biases; queries and keys are normed.
    Qwen3,
}

/// The numbers that the forward pass relies on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimensions {
    pub(super) architecture: Architecture,
    pub(super) hidden: usize,
    pub(super) inner: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) kv_heads: usize,
    /// Of a head.
    pub(super) width: usize,
    pub(super) vocabulary: usize,
    /// Tokens, prompt and answer together.
    pub(super) context: usize,
    pub(super) epsilon: f32,
    pub(super) rope_base: f64,
}

impl Architecture {
    /// What the metadata says.
    pub(super) fn of(gguf: &Gguf) -> Result<Self, LocalError> {
        match gguf.text("general.architecture").unwrap_or_default() {
            "llama" => Ok(Self::Llama),
            "qwen2" => Ok(Self::Qwen2),
            "qwen3" => Ok(Self::Qwen3),
            other => Err(LocalError::Architecture {
                path: gguf.path().to_owned(),
                architecture: other.chars().take(64).collect(),
            }),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Llama => "llama",
            Self::Qwen2 => "qwen2",
            Self::Qwen3 => "qwen3",
        }
    }
}

impl Dimensions {
    /// Reads and checks them; the context is that of the model, but at most `context`.
    pub(super) fn of(gguf: &Gguf, context: usize) -> Result<Self, LocalError> {
        let architecture = Architecture::of(gguf)?;
        let malformed = |reason: String| LocalError::malformed(gguf.path(), reason);
        let key = |part: &str| format!("{}.{part}", architecture.name());
        let optional = |part: &str| gguf.number(&key(part));
        // Small enough that no product of them overflows; the shapes of the tensors tell whether they are true.
        let number = |part: &str| match optional(part) {
            Some(number) if (1..=1 << 24).contains(&number) => Ok(number),
            found => Err(malformed(format!("{} is {found:?}", key(part)))),
        };
        let hidden = number("embedding_length")?;
        let heads = number("attention.head_count")?;
        let kv_heads =
            if optional("attention.head_count_kv").is_some() { number("attention.head_count_kv")? } else { heads };
        let width = match optional("attention.key_length") {
            Some(_) => number("attention.key_length")?,
            None if hidden.is_multiple_of(heads) => hidden / heads,
            None => return Err(malformed(format!("{hidden} components are not divisible among {heads} heads"))),
        };
        if !heads.is_multiple_of(kv_heads) || !width.is_multiple_of(2) || width > 1024 {
            return Err(malformed(format!("{heads} heads of {width} with keys of {kv_heads} cannot be")));
        }
        let turned = optional("rope.dimension_count").unwrap_or(width);
        if turned != width || optional("attention.value_length").is_some_and(|value| value != width) {
            return Err(malformed(format!("heads of {width}, of which {turned} components turn, are not supported")));
        }
        if optional("expert_count").is_some_and(|experts| experts > 0) {
            return Err(malformed("a mixture of experts is not supported".into()));
        }
        let epsilon = gguf.float(&key("attention.layer_norm_rms_epsilon")).unwrap_or(1e-5);
        let rope_base = gguf.float(&key("rope.freq_base")).unwrap_or(10_000.0);
        if !(0.0..1.0).contains(&epsilon) || !(1.0..1e12).contains(&rope_base) {
            return Err(malformed(format!("epsilon {epsilon} and base {rope_base} cannot be")));
        }
        let vocabulary = gguf.shape("token_embd.weight").and_then(|shape| shape.first().copied()).unwrap_or(0);
        Ok(Self {
            architecture,
            hidden,
            inner: number("feed_forward_length")?,
            layers: number("block_count")?,
            heads,
            kv_heads,
            width,
            vocabulary,
            context: number("context_length")?.min(context),
            epsilon: epsilon as f32,
            rope_base,
        })
    }
}
