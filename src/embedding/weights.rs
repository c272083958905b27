//! Named tensors of a weight file, checked against the shapes the configuration asks for.

use std::io::Cursor;
use std::path::Path;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor, gguf_file};
use candle_core::safetensors::SliceSafetensors;
use candle_core::{DType, Device, Module, Tensor, utils};

use super::ModelError;
use super::files::File;

/// Where a GGUF header must end. candle reserves memory for whatever length a header claims, up to the size of what it
/// is given to read, so a damaged one is given no more than this.
const GGUF_HEADER_LIMIT: usize = 1 << 20;

/// A weight file of either kind; names are those of Hugging Face's BERT in both.
pub(crate) struct Weights<'a> {
    path: &'a Path,
    format: Format<'a>,
}

enum Format<'a> {
    Safetensors(SliceSafetensors<'a>),
    Gguf { bytes: &'a [u8], content: gguf_file::Content },
}

impl<'a> Weights<'a> {
    /// Reads the header of `file`.
    pub(super) fn open(file: &'a File) -> Result<Self, ModelError> {
        Self::read(&file.path, &file.bytes)
    }

    /// Reads the header of `bytes`; `path` stands in errors.
    pub(crate) fn read(path: &'a Path, bytes: &'a [u8]) -> Result<Self, ModelError> {
        let malformed = |error: candle_core::Error| ModelError::malformed(path, error);
        let format = if bytes.starts_with(b"GGUF") {
            let mut header = Cursor::new(&bytes[..bytes.len().min(GGUF_HEADER_LIMIT)]);
            let content = gguf_file::Content::read(&mut header).map_err(malformed)?;
            Format::Gguf { bytes, content }
        } else {
            Format::Safetensors(SliceSafetensors::new(bytes).map_err(malformed)?)
        };
        Ok(Self { path, format })
    }

    /// The file, for errors.
    pub(super) fn path(&self) -> &Path {
        self.path
    }

    /// The shape of a tensor.
    pub(crate) fn shape(&self, name: &str) -> Result<Vec<usize>, ModelError> {
        match &self.format {
            Format::Safetensors(tensors) => tensors.get(name).ok().map(|view| view.shape().to_vec()),
            Format::Gguf { content, .. } => content.tensor_infos.get(name).map(|info| info.shape.dims().to_vec()),
        }
        .ok_or_else(|| ModelError::malformed(self.path, format!("no tensor {name}")))
    }

    /// A tensor of `shape` as f32.
    pub(crate) fn dense(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.load(name, shape, |stored| match stored {
            Stored::Dense(tensor) => tensor.to_dtype(DType::F32),
            Stored::Quantised(tensor) => tensor.dequantize(&Device::Cpu),
        })
    }

    /// A matrix stored as `[out, in]` to multiply rows with.
    pub(super) fn matrix(&self, name: &str, out: usize, input: usize) -> Result<Matrix, ModelError> {
        // Transposed once here: for the few rows of a phrase, the kernel would spend more time on reading the matrix
        // across its grain than on multiplying.
        let dense = |tensor: &Tensor| Ok(Matrix::Dense(tensor.to_dtype(DType::F32)?.t()?.contiguous()?));
        self.load(name, &[out, input], |stored| match stored {
            Stored::Dense(tensor) => dense(&tensor),
            // candle chooses its quantised kernels at compile time; without one, dense f32 is three times as fast.
            Stored::Quantised(tensor) if !(utils::with_avx() || utils::with_neon()) => {
                dense(&tensor.dequantize(&Device::Cpu)?)
            }
            Stored::Quantised(tensor) => Ok(Matrix::Quantised(QMatMul::from_qtensor(tensor)?)),
        })
    }

    /// A table `[rows, width]` to look rows up in, as stored: a row is converted when it is used.
    pub(crate) fn table(&self, name: &str, shape: &[usize]) -> Result<QMatMul, ModelError> {
        self.load(name, shape, |stored| match stored {
            Stored::Dense(tensor) if tensor.dtype() == DType::F16 => Ok(QMatMul::TensorF16(tensor)),
            Stored::Dense(tensor) => Ok(QMatMul::Tensor(tensor.to_dtype(DType::F32)?)),
            Stored::Quantised(tensor) => QMatMul::from_qtensor(tensor),
        })
    }

    /// Lines of text that are stored as a row of bytes.
    pub(crate) fn text(&self, name: &str) -> Result<String, ModelError> {
        let malformed = |error: String| ModelError::malformed(self.path, format!("tensor {name}: {error}"));
        let Format::Safetensors(tensors) = &self.format else { return Err(malformed("no text".into())) };
        let bytes = tensors.get(name).map_err(|error| malformed(error.to_string()))?.data();
        String::from_utf8(bytes.to_vec()).map_err(|error| malformed(error.to_string()))
    }

    fn load<T>(
        &self,
        name: &str,
        shape: &[usize],
        convert: impl FnOnce(Stored) -> candle_core::Result<T>,
    ) -> Result<T, ModelError> {
        // Before anything is allocated: the shape is what decides how much.
        let found = self.shape(name)?;
        if found != shape {
            return Err(ModelError::dimensions(self.path, name, found, shape));
        }
        let malformed = |error: candle_core::Error| ModelError::malformed(self.path, format!("tensor {name}: {error}"));
        let stored = match &self.format {
            Format::Safetensors(tensors) => Stored::Dense(tensors.load(name, &Device::Cpu).map_err(malformed)?),
            Format::Gguf { bytes, content } => {
                Stored::Quantised(content.tensor(&mut Cursor::new(bytes), name, &Device::Cpu).map_err(malformed)?)
            }
        };
        if !stored.is_real() {
            return Err(ModelError::malformed(self.path, format!("tensor {name}: not a floating point type")));
        }
        convert(stored).map_err(malformed)
    }
}

/// A matrix to multiply rows with.
pub(super) enum Matrix {
    /// f32, `[in, out]`.
    Dense(Tensor),
    /// Quantised as stored, `[out, in]`.
    Quantised(QMatMul),
}

impl Module for Matrix {
    fn forward(&self, rows: &Tensor) -> candle_core::Result<Tensor> {
        match self {
            Self::Dense(matrix) => rows.matmul(matrix),
            Self::Quantised(matrix) => matrix.forward(rows),
        }
    }
}

enum Stored {
    Dense(Tensor),
    Quantised(QTensor),
}

impl Stored {
    fn is_real(&self) -> bool {
        match self {
            Self::Dense(tensor) => matches!(tensor.dtype(), DType::F16 | DType::BF16 | DType::F32 | DType::F64),
            // `Q8_1` and `Q8K` hold activations, not weights; candle panics when it multiplies by them.
            Self::Quantised(tensor) => !matches!(tensor.dtype(), GgmlDType::Q8_1 | GgmlDType::Q8K),
        }
    }
}
