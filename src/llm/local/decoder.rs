//! The forward pass of a decoder, one for llama, qwen2 and qwen3: they differ in how positions are woven in, in biases
//! and in norms of queries and keys.
//!
//! Unlike candle's own models of these architectures, weights and KV cache are apart: the weights never change, and a
//! cache is cloned in no time, which is what keeping the prefix of a prompt takes.

use std::path::Path;
use std::sync::Arc;

use candle_core::quantized::QMatMul;
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::LocalError;
use super::architecture::{Architecture, Dimensions};
use super::gguf::{Gguf, Matrix};

/// A decoder's weights.
pub struct Decoder {
    dimensions: Dimensions,
    words: QMatMul,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Matrix,
    /// `[positions, half of a head]`.
    cos: Tensor,
    sin: Tensor,
}

/// Keys and values of the tokens so far.
#[derive(Clone, Default)]
pub struct Cache {
    /// What many answers share, one pair a layer: `[heads, tokens, width]`.
    shared: Option<Arc<Vec<(Tensor, Tensor)>>>,
    /// What came after it. Only this is copied when a token is added.
    own: Vec<(Tensor, Tensor)>,
    shared_tokens: usize,
    own_tokens: usize,
}

/// The forward pass was told to stop.
#[derive(Debug)]
pub struct Stopped;

struct Layer {
    attention_norm: Tensor,
    query: Projection,
    key: Projection,
    value: Projection,
    output: Matrix,
    mlp_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

struct Projection {
    weight: Matrix,
    bias: Option<Tensor>,
    /// Over the width of a head.
    norm: Option<Tensor>,
}

impl Cache {
    /// Tokens in it.
    pub fn tokens(&self) -> usize {
        self.shared_tokens + self.own_tokens
    }

    /// Makes all of it what many answers share.
    pub fn share(self) -> Self {
        debug_assert!(self.shared.is_none(), "a prefix is shared once");
        Self { shared: Some(Arc::new(self.own)), own: Vec::new(), shared_tokens: self.own_tokens, own_tokens: 0 }
    }

    /// Keys and values of a layer, in their order, with those of the tokens at hand.
    fn append(&self, layer: usize, key: Tensor, value: Tensor) -> Result<Vec<(Tensor, Tensor)>> {
        let own = match self.own.get(layer) {
            Some((keys, values)) => (Tensor::cat(&[keys, &key], 1)?, Tensor::cat(&[values, &value], 1)?),
            None => (key, value),
        };
        Ok(self.shared.iter().map(|shared| shared[layer].clone()).chain([own]).collect())
    }
}

impl Decoder {
    /// The decoder of a GGUF file, with positions for `context` tokens.
    ///
    /// # Errors
    /// The file is none, or of another architecture.
    pub fn open(model: &Path, context: usize) -> std::result::Result<Self, LocalError> {
        let mut gguf = Gguf::open(model)?;
        let dimensions = Dimensions::of(&gguf, context)?;
        Self::load(&mut gguf, dimensions)
    }

    /// Takes the tensors out of `gguf`. Positions are prepared up to `dimensions.context`.
    pub(super) fn load(gguf: &mut Gguf, dimensions: Dimensions) -> std::result::Result<Self, LocalError> {
        let Dimensions { hidden, vocabulary, layers, .. } = dimensions;
        let words = gguf.table("token_embd.weight", vocabulary, hidden)?;
        let output = match gguf.shape("output.weight") {
            Some(_) => gguf.matrix("output.weight", vocabulary, hidden)?,
            // Tied: one copy serves both, unless the kernels want another form.
            None => Matrix::new(&words).map_err(|error| LocalError::malformed(gguf.path(), error))?,
        };
        let norm = gguf.dense("output_norm.weight", &[hidden])?;
        let layers = (0..layers).map(|n| Layer::load(gguf, n, &dimensions)).collect::<std::result::Result<_, _>>()?;
        let factors = match gguf.shape("rope_freqs.weight") {
            Some(_) => Some(gguf.dense("rope_freqs.weight", &[dimensions.width / 2])?),
            None => None,
        };
        let (cos, sin) =
            positions(&dimensions, factors.as_ref()).map_err(|error| LocalError::malformed(gguf.path(), error))?;
        Ok(Self { dimensions, words, layers, norm, output, cos, sin })
    }

    /// Tokens that it can hold.
    pub(super) fn context(&self) -> usize {
        self.dimensions.context
    }

    /// Runs `tokens` behind those of `cache`, which then holds them too, and gives the scores of what may follow.
    ///
    /// `go_on` is asked before each layer; when it says no, `cache` is as it was.
    ///
    /// # Errors
    /// The tokens are not of this model or more than its positions, or the weights do not fit together.
    pub fn forward(
        &self,
        tokens: &[u32],
        cache: &mut Cache,
        go_on: &dyn Fn() -> bool,
    ) -> Result<std::result::Result<Vec<f32>, Stopped>> {
        let count = tokens.len();
        let start = cache.tokens();
        let (cos, sin) = (self.cos.narrow(0, start, count)?, self.sin.narrow(0, start, count)?);
        let mask = causal(count, start)?;
        let ids = Tensor::from_slice(tokens, count, &Device::Cpu)?;
        let mut states = self.words.embedding(&ids)?.to_dtype(DType::F32)?;
        let mut own = Vec::with_capacity(self.layers.len());
        for (number, layer) in self.layers.iter().enumerate() {
            if !go_on() {
                return Ok(Err(Stopped));
            }
            let attended = layer.attend(&states, &self.dimensions, (&cos, &sin), mask.as_ref(), |key, value| {
                let pairs = cache.append(number, key, value)?;
                own.extend(pairs.last().cloned());
                Ok(pairs)
            })?;
            states = (states + attended)?;
            states = (&states + layer.transform(&states, &self.dimensions)?)?;
        }
        cache.own = own;
        cache.own_tokens += count;
        let last = rms_norm(&states.narrow(0, count - 1, 1)?.contiguous()?, &self.norm, self.dimensions.epsilon)?;
        Ok(Ok(self.output.forward(&last)?.squeeze(0)?.to_vec1()?))
    }
}

impl Layer {
    fn load(gguf: &mut Gguf, number: usize, dimensions: &Dimensions) -> std::result::Result<Self, LocalError> {
        let Dimensions { hidden, inner, heads, kv_heads, width, .. } = *dimensions;
        let name = |part: &str| format!("blk.{number}.{part}.weight");
        Ok(Self {
            attention_norm: gguf.dense(&name("attn_norm"), &[hidden])?,
            query: Projection::load(gguf, number, "attn_q", heads, dimensions)?,
            key: Projection::load(gguf, number, "attn_k", kv_heads, dimensions)?,
            value: Projection::load(gguf, number, "attn_v", kv_heads, dimensions)?,
            output: gguf.matrix(&name("attn_output"), hidden, heads * width)?,
            mlp_norm: gguf.dense(&name("ffn_norm"), &[hidden])?,
            gate: gguf.matrix(&name("ffn_gate"), inner, hidden)?,
            up: gguf.matrix(&name("ffn_up"), inner, hidden)?,
            down: gguf.matrix(&name("ffn_down"), hidden, inner)?,
        })
    }

    /// Attention of each token to those before it and itself. `append` puts keys and values into the cache.
    fn attend(
        &self,
        states: &Tensor,
        dimensions: &Dimensions,
        (cos, sin): (&Tensor, &Tensor),
        mask: Option<&Tensor>,
        append: impl FnOnce(Tensor, Tensor) -> Result<Vec<(Tensor, Tensor)>>,
    ) -> Result<Tensor> {
        let Dimensions { architecture, heads, kv_heads, width, epsilon, .. } = *dimensions;
        let count = states.dim(0)?;
        let group = heads / kv_heads;
        let input = rms_norm(states, &self.attention_norm, epsilon)?;
        let turn = |rows: Tensor| match architecture {
            Architecture::Llama => rope_i(&rows.unsqueeze(0)?, cos, sin)?.squeeze(0),
            Architecture::Qwen2 | Architecture::Qwen3 => rope(&rows.unsqueeze(0)?, cos, sin)?.squeeze(0),
        };
        let query = turn(self.query.forward(&input, heads, dimensions)?)?;
        let key = turn(self.key.forward(&input, kv_heads, dimensions)?)?;
        let value = self.value.forward(&input, kv_heads, dimensions)?;
        // Heads that share keys and values lie one below the other, so that these need not be repeated.
        let query = (query.reshape((kv_heads, group * count, width))? / (width as f64).sqrt())?;
        let pairs = append(key, value)?;
        let scores = pairs.iter().map(|(keys, _)| query.matmul(&keys.transpose(1, 2)?)).collect::<Result<Vec<_>>>()?;
        let mut scores = Tensor::cat(&scores, 2)?;
        if let Some(mask) = mask {
            let shape = scores.shape().clone();
            scores = scores.reshape((kv_heads, group, count, ()))?.broadcast_add(mask)?.reshape(shape)?;
        }
        let weights = softmax_last_dim(&scores)?;
        let mut start = 0;
        let mut mixed: Option<Tensor> = None;
        for (_, values) in &pairs {
            let length = values.dim(1)?;
            let part = weights.narrow(2, start, length)?.contiguous()?.matmul(values)?;
            mixed = Some(match mixed {
                Some(before) => (before + part)?,
                None => part,
            });
            start += length;
        }
        let mixed = mixed.expect("the tokens at hand attend to themselves");
        self.output.forward(&mixed.reshape((heads, count, width))?.transpose(0, 1)?.reshape((count, heads * width))?)
    }

    fn transform(&self, states: &Tensor, dimensions: &Dimensions) -> Result<Tensor> {
        let input = rms_norm(states, &self.mlp_norm, dimensions.epsilon)?;
        self.down.forward(&(silu(&self.gate.forward(&input)?)? * self.up.forward(&input)?)?)
    }
}

impl Projection {
    fn load(
        gguf: &mut Gguf,
        number: usize,
        part: &str,
        heads: usize,
        dimensions: &Dimensions,
    ) -> std::result::Result<Self, LocalError> {
        let Dimensions { hidden, width, .. } = *dimensions;
        let weight = gguf.matrix(&format!("blk.{number}.{part}.weight"), heads * width, hidden)?;
        let mut optional = |name: String, length| match gguf.shape(&name) {
            Some(_) => gguf.dense(&name, &[length]).map(Some),
            None => Ok(None),
        };
        let bias = optional(format!("blk.{number}.{part}.bias"), heads * width)?;
        let norm = optional(format!("blk.{number}.{part}_norm.weight"), width)?;
        Ok(Self { weight, bias, norm })
    }

    /// `[heads, tokens, width]`.
    fn forward(&self, input: &Tensor, heads: usize, dimensions: &Dimensions) -> Result<Tensor> {
        let mut rows = self.weight.forward(input)?;
        if let Some(bias) = &self.bias {
            rows = rows.broadcast_add(bias)?;
        }
        let mut rows = rows.reshape((input.dim(0)?, heads, dimensions.width))?;
        if let Some(norm) = &self.norm {
            rows = rms_norm(&rows, norm, dimensions.epsilon)?;
        }
        rows.transpose(0, 1)?.contiguous()
    }
}

/// What hides the tokens to come: `[tokens, all tokens]`, to be added to the scores. One token sees all that is there.
fn causal(count: usize, start: usize) -> Result<Option<Tensor>> {
    if count == 1 {
        return Ok(None);
    }
    let total = start + count;
    let mask: Vec<f32> = (0..count)
        .flat_map(|row| (0..total).map(move |column| if column <= start + row { 0.0 } else { f32::NEG_INFINITY }))
        .collect();
    Tensor::from_vec(mask, (count, total), &Device::Cpu).map(Some)
}

/// Cosines and sines of the rotary embedding, `[positions, width / 2]`. `factors` divide the frequencies, for models
/// whose context was stretched.
fn positions(dimensions: &Dimensions, factors: Option<&Tensor>) -> Result<(Tensor, Tensor)> {
    let half = dimensions.width / 2;
    let factors = match factors {
        Some(factors) => factors.to_vec1::<f32>()?,
        None => vec![1.0; half],
    };
    let frequencies: Vec<f32> = (0..half)
        .zip(factors)
        .map(|(i, factor)| (dimensions.rope_base.powf(-2.0 * i as f64 / dimensions.width as f64) as f32) / factor)
        .collect();
    let places: Vec<f32> = (0..dimensions.context).map(|place| place as f32).collect();
    let angles = Tensor::from_vec(places, (dimensions.context, 1), &Device::Cpu)?.matmul(&Tensor::from_vec(
        frequencies,
        (1, half),
        &Device::Cpu,
    )?)?;
    Ok((angles.cos()?, angles.sin()?))
}
