//! Learned weights as bytes: a head, how many there are, a scale for each role, one byte a weight, and a checksum of all before it.

use sha2::{Digest, Sha256};
use thiserror::Error;

/// How the bytes begin; the last one counts the formats.
const HEAD: &[u8; 8] = b"zhijurd1";
const CHECKSUM: usize = 32;

/// Why weights cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Of another size.
    #[error("the weights take {found} bytes instead of {wanted}")]
    Size {
        /// Bytes.
        found: usize,
        /// Bytes that there have to be.
        wanted: usize,
    },
    /// Something else, or of another version.
    #[error("these are no weights of a reader, or of another format")]
    Head,
    /// Damaged.
    #[error("the weights are damaged: their checksum differs")]
    Checksum,
    /// Not what a training writes.
    #[error("a scale of the weights is no number between 0 and 1")]
    Scale,
}

/// One number for each of `BUCKETS` features in each of `ROLES` roles.
#[derive(Debug)]
pub struct Weights<const ROLES: usize, const BUCKETS: usize> {
    scales: [f32; ROLES],
    steps: Vec<i8>,
}

impl<const ROLES: usize, const BUCKETS: usize> Weights<ROLES, BUCKETS> {
    const SCALES: usize = ROLES * size_of::<f32>();
    const BYTES: usize = HEAD.len() + Self::SCALES + ROLES * BUCKETS + CHECKSUM;

    /// Reads what [`pack`] writes.
    ///
    /// # Errors
    /// When the bytes are anything else.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        if bytes.len() != Self::BYTES {
            return Err(WeightsError::Size { found: bytes.len(), wanted: Self::BYTES });
        }
        let (content, checksum) = bytes.split_at(Self::BYTES - CHECKSUM);
        let rest = content.strip_prefix(HEAD.as_slice()).ok_or(WeightsError::Head)?;
        if Sha256::digest(content).as_slice() != checksum {
            return Err(WeightsError::Checksum);
        }
        let (scale_bytes, steps) = rest.split_at(Self::SCALES);
        let mut scales = [0.0; ROLES];
        for (scale, bytes) in scales.iter_mut().zip(scale_bytes.chunks_exact(size_of::<f32>())) {
            *scale = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if !(0.0..=1.0).contains(scale) {
                return Err(WeightsError::Scale);
            }
        }
        Ok(Self { scales, steps: steps.iter().map(|step| step.cast_signed()).collect() })
    }

    /// The weight of a feature in a role.
    pub fn of(&self, role: usize, feature: u32) -> f32 {
        let step = self.steps.get(role * BUCKETS + feature as usize % BUCKETS).copied().unwrap_or_default();
        f32::from(step) * self.scales[role]
    }
}

/// Weights as bytes: for each role those of all features.
pub fn pack(weights: &[Vec<f32>]) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    let scale = |all: &Vec<f32>| all.iter().fold(0.0f32, |most, w| most.max(w.abs())) / f32::from(i8::MAX);
    weights.iter().for_each(|all| bytes.extend(scale(all).min(1.0).to_le_bytes()));
    for all in weights {
        let scale = scale(all).clamp(f32::MIN_POSITIVE, 1.0);
        bytes.extend(all.iter().map(|weight| ((weight / scale).round() as i8).cast_unsigned()));
    }
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reader::BUCKETS;

    type Weights = super::Weights<3, BUCKETS>;

    fn packed() -> Vec<u8> {
        let mut weights: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; BUCKETS]);
        weights[0][7] = 1.27;
        weights[1][8] = -0.5;
        pack(&weights)
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = Weights::read(&packed()).unwrap();
        assert!((weights.of(0, 7) - 1.27).abs() < 0.01);
        assert!((weights.of(1, 8) + 0.5).abs() < 0.01);
        assert_eq!(weights.of(2, 7), 0.0);
    }

    #[test]
    fn damaged_weights_are_refused() {
        let good = packed();
        assert_eq!(Weights::read(&[]).unwrap_err(), WeightsError::Size { found: 0, wanted: good.len() });
        assert_eq!(
            Weights::read(&good[1..]).unwrap_err(),
            WeightsError::Size { found: good.len() - 1, wanted: good.len() }
        );
        let changed = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            Weights::read(&bytes).unwrap_err()
        };
        assert_eq!(changed(0), WeightsError::Head);
        assert_eq!(changed(good.len() / 2), WeightsError::Checksum);
        assert_eq!(changed(good.len() - 1), WeightsError::Checksum);
    }

    #[test]
    fn a_scale_that_is_no_number_is_refused() {
        let mut bytes = packed();
        bytes[HEAD.len()..HEAD.len() + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let content = bytes.len() - CHECKSUM;
        let checksum = Sha256::digest(&bytes[..content]);
        bytes[content..].copy_from_slice(&checksum);
        assert_eq!(Weights::read(&bytes).unwrap_err(), WeightsError::Scale);
    }

    proptest! {
        #[test]
        fn any_bytes_are_weights_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
            prop_assert!(Weights::read(&bytes).is_err());
        }
    }
}
