//! The forward pass of a BERT encoder, one for dense and for quantised weights.
//!
//! Texts of a batch lie one behind the other in one matrix, without padding: linear layers see them all at once, attention
//! sees each by itself. So a text's vector does not depend on its company, and nothing is computed for padding.

use std::path::Path;

use candle_core::quantized::QMatMul;
use candle_core::{DType, Device, Module, Tensor};
use candle_nn::LayerNorm;
use candle_nn::ops::softmax_last_dim;
use serde::Deserialize;

use super::ModelError;
use super::weights::{Matrix, Weights};

/// What `config.json` says, in Hugging Face's words.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    model_type: String,
    pub(super) vocab_size: usize,
    #[serde(flatten)]
    pub(super) shape: Shape,
    pub(super) max_position_embeddings: usize,
    type_vocab_size: usize,
}

/// What it says of the layers.
#[derive(Debug, Deserialize)]
pub(crate) struct Shape {
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: Activation,
    #[serde(default = "default_epsilon")]
    layer_norm_eps: f64,
}

fn default_epsilon() -> f64 {
    1e-12
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Activation {
    Gelu,
    #[serde(alias = "gelu_pytorch_tanh")]
    GeluNew,
    Relu,
}

impl Shape {
    /// Of layers that stand in a file without a configuration: `heads` divide `hidden`.
    pub(crate) fn new(layers: usize, hidden: usize, inner: usize, heads: usize) -> Self {
        Self {
            hidden_size: hidden,
            num_hidden_layers: layers,
            num_attention_heads: heads,
            intermediate_size: inner,
            hidden_act: Activation::Gelu,
            layer_norm_eps: default_epsilon(),
        }
    }
}

impl Config {
    /// Parses and checks what the forward pass relies on.
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ModelError> {
        let config: Self = serde_json::from_slice(bytes).map_err(|e| ModelError::malformed(path, e))?;
        if config.model_type != "bert" {
            return Err(ModelError::dimensions(path, "model_type", &config.model_type, "bert"));
        }
        let (heads, hidden) = (config.shape.num_attention_heads, config.shape.hidden_size);
        if heads == 0 || hidden == 0 || !hidden.is_multiple_of(heads) {
            return Err(ModelError::malformed(path, format!("hidden_size {hidden} is no multiple of {heads} heads")));
        }
        if !(0.0..1.0).contains(&config.shape.layer_norm_eps) {
            return Err(ModelError::malformed(path, format!("layer_norm_eps is {}", config.shape.layer_norm_eps)));
        }
        Ok(config)
    }
}

/// A BERT encoder without its pooler.
pub(super) struct Bert {
    words: QMatMul,
    /// One row a position, the type of the first segment already added.
    positions: Tensor,
    norm: LayerNorm,
    layers: Layers,
}

/// The layers of an encoder, one upon the other.
pub(crate) struct Layers(Vec<Layer>);

struct Layer {
    heads: usize,
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    activation: Activation,
    output: Linear,
    output_norm: LayerNorm,
}

pub(crate) struct Linear {
    weight: Matrix,
    bias: Tensor,
}

impl Bert {
    /// Takes the encoder's tensors out of `weights`.
    ///
    /// The position table may have fewer rows than the configuration says: it is cut where texts are short.
    pub(super) fn load(weights: &Weights<'_>, config: &Config) -> Result<Self, ModelError> {
        let hidden = config.shape.hidden_size;
        let name = "embeddings.position_embeddings.weight";
        let rows = weights.shape(name)?.first().copied().unwrap_or(0).clamp(1, config.max_position_embeddings.max(1));
        let positions = weights.dense(name, &[rows, hidden])?;
        let types = weights.dense("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
        let positions = types
            .narrow(0, 0, 1)
            .and_then(|first| positions.broadcast_add(&first))
            .map_err(|e| ModelError::malformed(weights.path(), e))?;
        Ok(Self {
            words: weights.table("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?,
            positions,
            norm: norm(weights, "embeddings.LayerNorm", &config.shape)?,
            layers: Layers::load(weights, &config.shape)?,
        })
    }

    /// Tokens a text may have.
    pub(super) fn positions(&self) -> usize {
        self.positions.dims().first().copied().unwrap_or(0)
    }

    /// The mean of the last layer over each text's tokens. Texts are of 1 to [`Self::positions`] tokens.
    pub(super) fn forward(&self, texts: &[Vec<u32>]) -> candle_core::Result<Vec<Vec<f32>>> {
        let ids: Vec<u32> = texts.concat();
        let places: Vec<u32> = texts.iter().flat_map(|text| 0..text.len() as u32).collect();
        let total = ids.len();
        let words = self.words.embedding(&Tensor::from_vec(ids, total, &Device::Cpu)?)?.to_dtype(DType::F32)?;
        let places = self.positions.index_select(&Tensor::from_vec(places, total, &Device::Cpu)?, 0)?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let states = self.layers.forward(self.norm.forward(&(words + places)?)?, &lengths)?;
        let mut start = 0;
        lengths
            .iter()
            .map(|&length| {
                let mean = states.narrow(0, start, length)?.mean(0)?.to_vec1();
                start += length;
                mean
            })
            .collect()
    }
}

impl Layers {
    /// Takes their tensors out of `weights`.
    pub(crate) fn load(weights: &Weights<'_>, shape: &Shape) -> Result<Self, ModelError> {
        (0..shape.num_hidden_layers).map(|n| Layer::load(weights, n, shape)).collect::<Result<_, _>>().map(Self)
    }

    /// The states of the last layer; `states` are of shape (tokens of all texts, hidden), text by text of `lengths`.
    pub(crate) fn forward(&self, mut states: Tensor, lengths: &[usize]) -> candle_core::Result<Tensor> {
        for layer in &self.0 {
            states = layer.forward(&states, lengths)?;
        }
        Ok(states)
    }
}

impl Layer {
    fn load(weights: &Weights<'_>, number: usize, shape: &Shape) -> Result<Self, ModelError> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let (hidden, inner) = (shape.hidden_size, shape.intermediate_size);
        let linear = |part: &str, out, input| Linear::load(weights, &name(part), out, input);
        Ok(Self {
            heads: shape.num_attention_heads,
            query: linear("attention.self.query", hidden, hidden)?,
            key: linear("attention.self.key", hidden, hidden)?,
            value: linear("attention.self.value", hidden, hidden)?,
            attention_output: linear("attention.output.dense", hidden, hidden)?,
            attention_norm: norm(weights, &name("attention.output.LayerNorm"), shape)?,
            intermediate: linear("intermediate.dense", inner, hidden)?,
            activation: shape.hidden_act,
            output: linear("output.dense", hidden, inner)?,
            output_norm: norm(weights, &name("output.LayerNorm"), shape)?,
        })
    }

    fn forward(&self, states: &Tensor, lengths: &[usize]) -> candle_core::Result<Tensor> {
        let mixed = self.attention_output.forward(&self.attend(states, lengths)?)?;
        let states = self.attention_norm.forward(&(states + mixed)?)?;
        let inner = self.intermediate.forward(&states)?;
        let inner = match self.activation {
            Activation::Gelu => inner.gelu_erf(),
            Activation::GeluNew => inner.gelu(),
            Activation::Relu => inner.relu(),
        }?;
        self.output_norm.forward(&(states + self.output.forward(&inner)?)?)
    }

    fn attend(&self, states: &Tensor, lengths: &[usize]) -> candle_core::Result<Tensor> {
        let (total, hidden) = states.dims2()?;
        let width = hidden / self.heads;
        let scale = (width as f64).powf(-0.5);
        let split = |linear: &Linear| linear.forward(states)?.reshape((total, self.heads, width))?.transpose(0, 1);
        let (query, key, value) =
            ((split(&self.query)? * scale)?, split(&self.key)?.contiguous()?, split(&self.value)?.contiguous()?);
        let mut start = 0;
        let mut mixed = Vec::with_capacity(lengths.len());
        for &length in lengths {
            let part = |tensor: &Tensor| tensor.narrow(1, start, length)?.contiguous();
            let weights = softmax_last_dim(&part(&query)?.matmul(&part(&key)?.transpose(1, 2)?)?)?;
            mixed.push(weights.matmul(&part(&value)?)?.transpose(0, 1)?.reshape((length, hidden))?);
            start += length;
        }
        Tensor::cat(&mixed, 0)
    }
}

impl Linear {
    /// `name`.weight of shape (`out`, `input`) and `name`.bias.
    pub(crate) fn load(weights: &Weights<'_>, name: &str, out: usize, input: usize) -> Result<Self, ModelError> {
        Ok(Self {
            weight: weights.matrix(&format!("{name}.weight"), out, input)?,
            bias: weights.dense(&format!("{name}.bias"), &[out])?,
        })
    }

    /// Rows of `input` to rows of `out`.
    pub(crate) fn forward(&self, input: &Tensor) -> candle_core::Result<Tensor> {
        self.weight.forward(input)?.broadcast_add(&self.bias)
    }
}

/// The norm of that name.
pub(crate) fn norm(weights: &Weights<'_>, name: &str, shape: &Shape) -> Result<LayerNorm, ModelError> {
    let weight = weights.dense(&format!("{name}.weight"), &[shape.hidden_size])?;
    let bias = weights.dense(&format!("{name}.bias"), &[shape.hidden_size])?;
    Ok(LayerNorm::new(weight, bias, shape.layer_norm_eps))
}
