//! The bytes that workloads write, and that reads are checked against.

use std::sync::Arc;

use wordline_core::draw::{Purpose, draw};
use wordline_nvm::Device;

/// Length in bytes after which the payload repeats: odd, so that no page or access size is in step
/// with it.
const PERIOD: usize = 65_521;

/// Bytes of a sector, which a device may hold as one word.
pub(crate) const SECTOR: u64 = 512;

/// Bytes of a word.
const WORD: usize = 8;

/// Seeded bytes for every address: the same address, pass and seed always give the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    seed: u64,
    form: PayloadForm,
}

/// What the bytes look like.
#[derive(Clone, Debug)]
enum PayloadForm {
    /// Bytes that differ from address to address, so that swapped bytes are detected.
    Bytes(Arc<[u8]>),
    /// A word for each sector and pass, repeated: for devices that hold such sectors as their word.
    Words,
    /// Words that are all zero: for devices that keep nothing.
    Zeros,
}

impl Payload {
    /// A payload of bytes.
    pub(crate) fn new(seed: u64) -> Self {
        let words =
            (0..PERIOD.div_ceil(WORD) as u64).map(|word| draw(seed, word, 0, Purpose::Payload));
        let bytes = words.flat_map(u64::to_le_bytes).take(PERIOD);
        Self {
            seed,
            form: PayloadForm::Bytes(bytes.collect()),
        }
    }

    /// The payload for accesses of some sizes to a device: of words where it holds them as such and every
    /// access covers whole sectors.
    pub(crate) fn suited(
        seed: u64,
        device: &dyn Device,
        mut sizes: impl Iterator<Item = u64>,
    ) -> Self {
        let whole = sizes.all(|bytes| bytes.is_multiple_of(SECTOR));
        let form = match () {
            () if !device.keeps_content() => PayloadForm::Zeros,
            () if device.holds_words() && whole => PayloadForm::Words,
            () => return Self::new(seed),
        };
        Self { seed, form }
    }

    /// The word that a sector repeats in a pass; of bytes, none does.
    fn word(&self, sector: u64, pass: u64) -> u64 {
        match self.form {
            PayloadForm::Bytes(_) | PayloadForm::Zeros => 0,
            PayloadForm::Words => draw(self.seed, sector, pass, Purpose::Payload),
        }
    }

    /// Bytes of host memory that a device takes for `bytes` bytes of this payload.
    pub(crate) const fn held_bytes(&self, bytes: u64) -> u64 {
        match self.form {
            PayloadForm::Bytes(_) => bytes,
            // The word and where it is: a copy-on-write table holds some of its pages in part.
            PayloadForm::Words => bytes / SECTOR * 2 * WORD as u64,
            PayloadForm::Zeros => 0,
        }
    }

    /// Puts the bytes that belong at `address` in pass `pass` over the memory into `out`. Words need an
    /// address and a length in whole sectors; what is left of the last one is filled alike.
    pub(crate) fn fill(&self, address: u64, pass: u64, out: &mut [u8]) {
        for (piece, expected) in self.pieces(address, pass, out.len()) {
            repeat(&mut out[piece], expected.as_ref());
        }
    }

    /// The words that the sectors from `address` on repeat; `None` for bytes, and for parts of sectors.
    pub(crate) fn sector_words(
        &self,
        address: u64,
        pass: u64,
        bytes: u64,
    ) -> Option<impl Iterator<Item = u64> + '_> {
        let whole = address.is_multiple_of(SECTOR) && bytes.is_multiple_of(SECTOR);
        let sectors = address / SECTOR..(address + bytes) / SECTOR;
        (whole && !matches!(self.form, PayloadForm::Bytes(_)))
            .then(|| sectors.map(move |sector| self.word(sector, pass)))
    }

    /// Whether `found` are the bytes that belong at `address` in pass `pass`.
    pub(crate) fn is_at(&self, address: u64, pass: u64, found: &[u8]) -> bool {
        self.pieces(address, pass, found.len())
            .all(|(piece, expected)| {
                let found = &found[piece];
                let pattern = expected.as_ref();
                // A slice that begins with its pattern and equals itself a pattern further on repeats it.
                let first = found.len().min(pattern.len());
                found[..first] == pattern[..first]
                    && (found.len() <= first || found[first..] == found[..found.len() - first])
            })
    }

    /// The payload in pieces: a range of the caller's bytes, and the pattern that is repeated in it.
    fn pieces(
        &self,
        address: u64,
        pass: u64,
        length: usize,
    ) -> impl Iterator<Item = (std::ops::Range<usize>, PayloadPattern<'_>)> {
        // Passes are 257 bytes apart, so that rewriting a place changes its bytes.
        let start = (u128::from(address) + u128::from(pass) * 257) % PERIOD as u128;
        let mut at = 0;
        std::iter::from_fn(move || {
            if at == length {
                return None;
            }
            let (end, pattern) = match &self.form {
                PayloadForm::Bytes(bytes) => {
                    let from = (start as usize + at) % PERIOD;
                    let end = length.min(at + PERIOD - from);
                    (end, PayloadPattern::Bytes(&bytes[from..from + end - at]))
                }
                PayloadForm::Words | PayloadForm::Zeros => {
                    let sector = (address + at as u64) / SECTOR;
                    let word = self.word(sector, pass);
                    let end = length.min(at + SECTOR as usize);
                    (end, PayloadPattern::Word(word.to_le_bytes()))
                }
            };
            let piece = at..end;
            at = end;
            Some((piece, pattern))
        })
    }
}

/// What a piece of the payload repeats.
enum PayloadPattern<'a> {
    Bytes(&'a [u8]),
    Word([u8; WORD]),
}

impl AsRef<[u8]> for PayloadPattern<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Word(word) => word,
        }
    }
}

/// Fills `out` with a pattern, doubling what is there: a few moves for a sector.
fn repeat(out: &mut [u8], pattern: &[u8]) {
    let mut filled = out.len().min(pattern.len());
    out[..filled].copy_from_slice(&pattern[..filled]);
    while filled < out.len() {
        let more = filled.min(out.len() - filled);
        out.copy_within(..more, filled);
        filled += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(seed: u64) -> Payload {
        Payload {
            seed,
            form: PayloadForm::Words,
        }
    }

    fn bytes(payload: &Payload, at: u64, pass: u64, length: usize) -> Vec<u8> {
        let mut out = vec![0; length];
        payload.fill(at, pass, &mut out);
        assert!(payload.is_at(at, pass, &out));
        out
    }

    #[test]
    fn slices_of_the_same_place_agree() {
        let payload = Payload::new(3);
        let long = bytes(&payload, 1000, 2, 200_000);
        assert_eq!(long[150_000..150_010], bytes(&payload, 151_000, 2, 10));
        assert_ne!(bytes(&payload, 0, 0, 16), bytes(&payload, 0, 1, 16));
        assert_ne!(bytes(&payload, 0, 0, 16), bytes(&Payload::new(4), 0, 0, 16));
        bytes(&payload, u64::MAX, u64::MAX, 4);
    }

    #[test]
    fn every_sector_has_a_word_of_its_own_in_every_pass() {
        let payload = words(3);
        let long = bytes(&payload, 1024, 2, 4096);
        assert_eq!(long[512..1024], bytes(&payload, 1536, 2, 512));
        for sector in long.chunks(512) {
            assert!(sector.chunks(8).all(|word| *word == sector[..8]));
        }
        assert_ne!(long[..8], long[512..520]);
        let short = payload.sector_words(1024, 2, 4096).expect("whole sectors");
        assert!(
            short.eq(long
                .chunks(512)
                .map(|sector| { u64::from_le_bytes(*sector.first_chunk().expect("a sector")) }))
        );
        assert!(payload.sector_words(1024, 2, 100).is_none());
        assert!(Payload::new(3).sector_words(1024, 2, 512).is_none());
        assert_ne!(long, bytes(&payload, 1024, 3, 4096));
        assert_ne!(long, bytes(&words(4), 1024, 2, 4096));
    }

    /// The check fails for a wrong byte wherever it is.
    #[test]
    fn every_wrong_byte_is_found() {
        for payload in [Payload::new(3), words(3)] {
            let mut found = bytes(&payload, 65_024, 0, 1536);
            for place in 0..found.len() {
                found[place] ^= 1;
                assert!(!payload.is_at(65_024, 0, &found), "{place}");
                found[place] ^= 1;
            }
        }
    }
}
