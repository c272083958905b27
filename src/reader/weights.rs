//! The weights of the reader as bytes: a head, a scale for each role, one byte a weight, and a checksum of all before it.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::chain::Role;
use super::features::BUCKETS;

/// How the bytes begin; the last one counts the formats.
const HEAD: &[u8; 8] = b"zhijurd1";
const ROLES: [Role; 3] = [Role::Word, Role::Opens, Role::Closes];
const CHECKSUM: usize = 32;
const SCALES: usize = ROLES.len() * size_of::<f32>();
/// Bytes of a file.
const BYTES: usize = HEAD.len() + SCALES + ROLES.len() * BUCKETS + CHECKSUM;

/// Why weights cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Of another size.
    #[error("the reader's weights take {found} bytes instead of {BYTES}")]
    Size {
        /// Bytes.
        found: usize,
    },
    /// Something else, or of another version.
    #[error("these are no weights of a reader, or of another format")]
    Head,
    /// Damaged.
    #[error("the reader's weights are damaged: their checksum differs")]
    Checksum,
    /// Not what a training writes.
    #[error("a scale of the reader's weights is no number between 0 and 1")]
    Scale,
}

/// One number for each feature and role.
#[derive(Debug)]
pub(super) struct Weights {
    scales: [f32; ROLES.len()],
    steps: Vec<i8>,
}

impl Weights {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        if bytes.len() != BYTES {
            return Err(WeightsError::Size { found: bytes.len() });
        }
        let (content, checksum) = bytes.split_at(BYTES - CHECKSUM);
        let rest = content.strip_prefix(HEAD.as_slice()).ok_or(WeightsError::Head)?;
        if Sha256::digest(content).as_slice() != checksum {
            return Err(WeightsError::Checksum);
        }
        let (scale_bytes, steps) = rest.split_at(SCALES);
        let mut scales = [0.0; ROLES.len()];
        for (scale, bytes) in scales.iter_mut().zip(scale_bytes.chunks_exact(size_of::<f32>())) {
            *scale = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if !(0.0..=1.0).contains(scale) {
                return Err(WeightsError::Scale);
            }
        }
        Ok(Self { scales, steps: steps.iter().map(|step| step.cast_signed()).collect() })
    }

    pub(super) fn of(&self, role: Role, feature: u32) -> f32 {
        let role = role as usize;
        let step = self.steps.get(role * BUCKETS + feature as usize % BUCKETS).copied().unwrap_or_default();
        f32::from(step) * self.scales[role]
    }
}

/// Weights as bytes: of [`Role::Word`], [`Role::Opens`] and [`Role::Closes`], each of [`BUCKETS`] features.
pub fn pack(weights: &[Vec<f32>; 3]) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    let scale = |all: &Vec<f32>| all.iter().fold(0.0f32, |most, w| most.max(w.abs())) / f32::from(i8::MAX);
    weights.iter().for_each(|all| bytes.extend(scale(all).min(1.0).to_le_bytes()));
    for all in weights {
        let scale = scale(all).clamp(f32::MIN_POSITIVE, 1.0);
        let steps = (0..BUCKETS).map(|at| all.get(at).copied().unwrap_or_default() / scale);
        bytes.extend(steps.map(|step| (step.round() as i8).cast_unsigned()));
    }
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed() -> Vec<u8> {
        let mut weights: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; BUCKETS]);
        weights[0][7] = 1.27;
        weights[1][8] = -0.5;
        pack(&weights)
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = Weights::read(&packed()).unwrap();
        assert!((weights.of(Role::Word, 7) - 1.27).abs() < 0.01);
        assert!((weights.of(Role::Opens, 8) + 0.5).abs() < 0.01);
        assert_eq!(weights.of(Role::Closes, 7), 0.0);
    }

    #[test]
    fn damaged_weights_are_refused() {
        let good = packed();
        assert_eq!(Weights::read(&[]).unwrap_err(), WeightsError::Size { found: 0 });
        assert_eq!(Weights::read(&good[1..]).unwrap_err(), WeightsError::Size { found: good.len() - 1 });
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
