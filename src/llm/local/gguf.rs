//! A GGUF file: metadata and tensors, believed only as far as the file is long.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use candle_core::Device;
use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Module, Tensor, utils};

use super::LocalError;

/// Where the header must end. The largest vocabularies with their merges take about 10 MB; candle needs up to 32 bytes
/// of memory for each.
const HEADER_LIMIT: u64 = 16 << 20;

/// An open GGUF file.
pub(super) struct Gguf {
    path: PathBuf,
    file: BufReader<File>,
    content: Content,
}

impl Gguf {
    /// Reads the header, and checks that every tensor lies within the file.
    pub(super) fn open(path: &Path) -> Result<Self, LocalError> {
        let io = |source| LocalError::io(path, source);
        let mut file = BufReader::new(File::open(path).map_err(io)?);
        let length = file.seek(SeekFrom::End(0)).map_err(io)?;
        file.rewind().map_err(io)?;
        let mut header = Vec::new();
        file.by_ref().take(HEADER_LIMIT).read_to_end(&mut header).map_err(io)?;
        // candle answers a damaged header with an error; where it panics instead (an alignment of zero), that is one too.
        let content = panic::catch_unwind(AssertUnwindSafe(|| Content::read(&mut Cursor::new(&header))))
            .map_err(|_| LocalError::malformed(path, "the header makes no sense"))?
            .map_err(|error| LocalError::malformed(path, error))?;
        for (name, info) in &content.tensor_infos {
            let end =
                size(info).and_then(|size| content.tensor_data_offset.checked_add(info.offset)?.checked_add(size));
            if end.is_none_or(|end| end > length) {
                let reason = format!("tensor {name} ends beyond the file: it is truncated or damaged");
                return Err(LocalError::malformed(path, reason));
            }
        }
        Ok(Self { path: path.to_owned(), file, content })
    }

    /// The file, for errors.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A text of the metadata.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.content.metadata.get(key)?.to_string().ok().map(String::as_str)
    }

    /// A whole number of the metadata that is not negative.
    pub(super) fn number(&self, key: &str) -> Option<usize> {
        let value = self.content.metadata.get(key)?;
        let number = match value {
            Value::I32(number) => u64::try_from(*number).ok()?,
            Value::I64(number) => u64::try_from(*number).ok()?,
            other => other.to_u64().ok()?,
        };
        usize::try_from(number).ok()
    }

    /// A number of the metadata.
    pub(super) fn float(&self, key: &str) -> Option<f64> {
        match self.content.metadata.get(key)? {
            Value::F32(number) => Some(f64::from(*number)),
            Value::F64(number) => Some(*number),
            _ => None,
        }
    }

    /// A list of texts of the metadata.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<&str>> {
        let values = self.content.metadata.get(key)?.to_vec().ok()?;
        values.iter().map(|value| value.to_string().ok().map(String::as_str)).collect()
    }

    /// A list of whole numbers of the metadata.
    pub(super) fn numbers(&self, key: &str) -> Option<Vec<i64>> {
        let values = self.content.metadata.get(key)?.to_vec().ok()?;
        values
            .iter()
            .map(|value| value.to_i32().map(i64::from).or_else(|_| value.to_u64().map(|n| n as i64)).ok())
            .collect()
    }

    /// The shape of a tensor, if there is one of this name.
    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.content.tensor_infos.get(name).map(|info| info.shape.dims())
    }

    /// A tensor of `shape` as f32.
    pub(super) fn dense(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, LocalError> {
        let tensor = self.load(name, shape)?;
        tensor.dequantize(&Device::Cpu).map_err(|error| LocalError::malformed(&self.path, error))
    }

    /// A matrix `[out, in]` to multiply rows with.
    pub(super) fn matrix(&mut self, name: &str, out: usize, input: usize) -> Result<Matrix, LocalError> {
        let table = self.table(name, out, input)?;
        Matrix::new(&table).map_err(|error| LocalError::malformed(&self.path, error))
    }

    /// A table `[rows, width]` to look rows up in.
    pub(super) fn table(&mut self, name: &str, rows: usize, width: usize) -> Result<QMatMul, LocalError> {
        let tensor = self.load(name, &[rows, width])?;
        QMatMul::from_qtensor(tensor).map_err(|error| LocalError::malformed(&self.path, error))
    }

    fn load(&mut self, name: &str, shape: &[usize]) -> Result<QTensor, LocalError> {
        let malformed = |reason: String| LocalError::malformed(&self.path, format!("tensor {name}: {reason}"));
        let info = self.content.tensor_infos.get(name).ok_or_else(|| malformed("missing".into()))?;
        // Before anything is allocated: the shape is what decides how much.
        if info.shape.dims() != shape {
            return Err(malformed(format!("its shape is {:?}, expected {shape:?}", info.shape.dims())));
        }
        // These hold activations, not weights; candle panics when it multiplies by them.
        if matches!(info.ggml_dtype, GgmlDType::Q8_1 | GgmlDType::Q8K) {
            return Err(malformed(format!("of type {:?}", info.ggml_dtype)));
        }
        let read = || info.read(&mut self.file, self.content.tensor_data_offset, &Device::Cpu);
        panic::catch_unwind(AssertUnwindSafe(read))
            .map_err(|_| LocalError::malformed(&self.path, format!("tensor {name} makes no sense")))?
            .map_err(|error| LocalError::malformed(&self.path, format!("tensor {name}: {error}")))
    }
}

/// Bytes of a tensor; `None` when they cannot be counted.
fn size(info: &TensorInfo) -> Option<u64> {
    let elements = info.shape.dims().iter().try_fold(1_usize, |product, dim| product.checked_mul(*dim))?;
    let block = info.ggml_dtype.block_size();
    let blocks = elements.is_multiple_of(block).then_some(elements / block)?;
    u64::try_from(blocks.checked_mul(info.ggml_dtype.type_size())?).ok()
}

/// A matrix to multiply rows with.
pub(super) enum Matrix {
    /// f32, `[in, out]`.
    Dense(Tensor),
    /// As stored, `[out, in]`.
    Quantised(QMatMul),
}

impl Matrix {
    /// The rows of `table` as outputs.
    pub(super) fn new(table: &QMatMul) -> candle_core::Result<Self> {
        let dense = |tensor: &Tensor| Ok(Self::Dense(tensor.to_dtype(DType::F32)?.t()?.contiguous()?));
        match table {
            // candle chooses its quantised kernels at compile time; without one, dense f32 is faster, for more memory.
            QMatMul::QTensor(_) if utils::with_avx() || utils::with_neon() => Ok(Self::Quantised(table.clone())),
            QMatMul::QTensor(tensor) => dense(&tensor.dequantize(&Device::Cpu)?),
            QMatMul::Tensor(tensor) | QMatMul::TensorF16(tensor) => dense(tensor),
        }
    }
}

impl Module for Matrix {
    fn forward(&self, rows: &Tensor) -> candle_core::Result<Tensor> {
        match self {
            Self::Dense(matrix) => rows.matmul(matrix),
            Self::Quantised(matrix) => matrix.forward(rows),
        }
    }
}
