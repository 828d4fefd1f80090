//! The bytes that workloads write, and that reads are compared with.

use wordline_core::draw::{Purpose, draw};

/// Length in bytes after which the payload repeats: odd, so that no page or access size is in step
/// with it.
const PERIOD: usize = 65_521;

/// Seeded bytes for every address: the same address, pass and seed always give the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    /// A payload whose slices are up to `longest` bytes long.
    pub(crate) fn new(seed: u64, longest: usize) -> Self {
        let words =
            (0..PERIOD.div_ceil(8) as u64).map(|word| draw(seed, word, 0, Purpose::Payload));
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).take(PERIOD).collect();
        // Repeated at the end, so that a slice may begin anywhere in the period.
        bytes.reserve_exact(longest);
        let end = bytes.len() + longest;
        while bytes.len() < end {
            let missing = end - bytes.len();
            bytes.extend_from_within(..missing.min(PERIOD));
        }
        Self { bytes }
    }

    /// The bytes that belong at `address` in pass `pass` over the memory.
    ///
    /// # Panics
    /// When `length` is more than the longest slice.
    pub(crate) fn at(&self, address: u64, pass: u64, length: usize) -> &[u8] {
        // Passes are 257 bytes apart, so that rewriting a place changes its bytes.
        let start = (u128::from(address) + u128::from(pass) * 257) % PERIOD as u128;
        let start = start as usize;
        &self.bytes[start..start + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_the_same_place_agree() {
        let payload = Payload::new(3, 200_000);
        let long = payload.at(1000, 2, 200_000);
        assert_eq!(long[150_000..150_010], *payload.at(151_000, 2, 10));
        assert_ne!(payload.at(0, 0, 16), payload.at(0, 1, 16));
        assert_ne!(payload.at(0, 0, 16), Payload::new(4, 16).at(0, 0, 16));
        assert_eq!(payload.at(u64::MAX, u64::MAX, 4).len(), 4);
    }
}
