//! The cells of a NOR flash: bytes, what was programmed since the erase, and wear.

use std::ops::Range;

use crate::divisor::Divisor;
use crate::pages::{Pages, spans, within_page};
use crate::programming::clear_bits;

/// Bytes of one copy-on-write chunk.
const CHUNK_BYTES: usize = 4096;

/// Erase units whose counts are copied together.
const COUNTS: usize = 32;

/// Bytes of the array. They begin with a line of the host's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct NorChunk {
    bytes: [u8; CHUNK_BYTES],
    /// One bit a granule that was programmed since its erase; empty where no granule was, and in
    /// chips that do not ask.
    programmed: Vec<u64>,
}

impl Default for NorChunk {
    fn default() -> Self {
        Self {
            bytes: [0xFF; CHUNK_BYTES],
            programmed: Vec::new(),
        }
    }
}

/// The cells.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    chunks: Pages<NorChunk>,
    erases: Pages<[u64; COUNTS]>,
    /// Bytes of a unit that its erases are counted of.
    unit: Divisor,
    /// Granule that takes one program, where there is one.
    granule: Option<u64>,
}

impl Array {
    pub(super) fn new(capacity: u64, unit_bytes: u64, granule: Option<u64>) -> Self {
        let units = (capacity / unit_bytes) as usize;
        Self {
            chunks: Pages::new(capacity.div_ceil(CHUNK_BYTES as u64) as usize),
            erases: Pages::new(units.div_ceil(COUNTS)),
            unit: Divisor::new(unit_bytes),
            granule,
        }
    }

    #[inline]
    pub(crate) fn read(&self, at: u64, out: &mut [u8]) {
        if let Some((chunk, inside)) = within_page(at, out.len(), CHUNK_BYTES) {
            return self.read_chunk(chunk, inside, out);
        }
        for (chunk, inside, part) in spans(at, out.len(), CHUNK_BYTES) {
            self.read_chunk(chunk, inside.start, &mut out[part]);
        }
    }

    #[inline(always)]
    fn read_chunk(&self, chunk: usize, inside: usize, out: &mut [u8]) {
        match self.chunks.get(chunk) {
            Some(chunk) => out.copy_from_slice(&chunk.bytes[inside..inside + out.len()]),
            None => out.fill(0xFF),
        }
    }

    /// Whether every byte of a range is 0xFF.
    pub(super) fn is_erased(&self, at: u64, bytes: usize) -> bool {
        spans(at, bytes, CHUNK_BYTES).all(|(chunk, inside, _)| {
            let chunk = self.chunks.get(chunk);
            chunk.is_none_or(|chunk| chunk.bytes[inside].iter().all(|byte| *byte == 0xFF))
        })
    }

    /// Clears the bits that are 0 in `data`.
    pub(super) fn program(&mut self, at: u64, data: &[u8]) {
        self.change(at, data, clear_bits);
    }

    /// Stores `data` whatever was there.
    pub(super) fn preload(&mut self, at: u64, data: &[u8]) {
        self.change(at, data, <[u8]>::copy_from_slice);
    }

    fn change(&mut self, at: u64, data: &[u8], change: impl Fn(&mut [u8], &[u8])) {
        for (chunk, inside, part) in spans(at, data.len(), CHUNK_BYTES) {
            let chunk = self.chunks.get_mut(chunk);
            change(&mut chunk.bytes[inside.clone()], &data[part]);
            if let Some(granule) = self.granule {
                chunk.programmed.resize(CHUNK_BYTES.div_ceil(64), 0);
                for granule in granules(inside, granule as usize) {
                    chunk.programmed[granule / 64] |= 1 << (granule % 64);
                }
            }
        }
    }

    /// The first byte of a range that lies in a granule that was programmed since its erase. Always
    /// `None` in chips without such granules.
    pub(super) fn programmed(&self, at: u64, bytes: usize) -> Option<u64> {
        let granule = self.granule? as usize;
        spans(at, bytes, CHUNK_BYTES).find_map(|(index, inside, _)| {
            let programmed = &self.chunks.get(index)?.programmed;
            let is_set = |one: &usize| {
                let word = programmed.get(one / 64).copied().unwrap_or(0);
                word >> (one % 64) & 1 == 1
            };
            let taken = granules(inside, granule).find(is_set)?;
            Some(((index * CHUNK_BYTES + taken * granule) as u64).max(at))
        })
    }

    /// Sets every byte of a range to 0xFF.
    pub(super) fn erase(&mut self, at: u64, bytes: u64) {
        for (index, inside, _) in spans(at, bytes as usize, CHUNK_BYTES) {
            if inside.len() == CHUNK_BYTES {
                // What is programmed next finds room, which the host takes longer to give than to clear.
                match self.chunks.get_unshared(index) {
                    Some(chunk) => {
                        chunk.bytes.fill(0xFF);
                        chunk.programmed.clear();
                    }
                    None => self.chunks.remove(index),
                }
            } else if self.chunks.get(index).is_some() {
                let chunk = self.chunks.get_mut(index);
                chunk.bytes[inside.clone()].fill(0xFF);
                for one in granules(inside, self.granule.unwrap_or(1) as usize) {
                    if let Some(word) = chunk.programmed.get_mut(one / 64) {
                        *word &= !(1 << (one % 64));
                    }
                }
            }
        }
    }

    /// Which granules of a range were programmed since their erase, a bit each.
    pub(super) fn programmed_granules(&self, at: u64, bytes: usize) -> u64 {
        let granule = self.granule.unwrap_or(bytes as u64);
        let is_set = |one: &u64| {
            let at = at + one * granule;
            self.programmed(at, 1).is_some()
        };
        let granules = 0..(bytes as u64 / granule).min(64);
        granules.filter(is_set).fold(0, |bits, one| bits | 1 << one)
    }

    /// Says which granules of a range, a bit each, were programmed since their erase.
    pub(super) fn set_programmed_granules(&mut self, at: u64, bytes: usize, bits: u64) {
        let Some(size) = self.granule else { return };
        for (index, inside, part) in spans(at, bytes, CHUNK_BYTES) {
            let programmed = &mut self.chunks.get_mut(index).programmed;
            programmed.resize(CHUNK_BYTES.div_ceil(64), 0);
            let first = part.start / size as usize;
            for (nth, one) in granules(inside, size as usize).enumerate() {
                let bit = 1 << (one % 64);
                match bits >> (first + nth).min(63) & 1 {
                    1 => programmed[one / 64] |= bit,
                    _ => programmed[one / 64] &= !bit,
                }
            }
        }
    }

    /// Lets every unit in a range have seen so many erases.
    pub(super) fn set_erases(&mut self, at: u64, bytes: u64, erases: u64) {
        for unit in self.units(at, bytes) {
            self.erases.get_mut(unit / COUNTS)[unit % COUNTS] = erases;
        }
    }

    /// Counts erases of each unit in a range.
    pub(super) fn count_erases(&mut self, at: u64, bytes: u64, count: u64) {
        for unit in self.units(at, bytes) {
            let erases = &mut self.erases.get_mut(unit / COUNTS)[unit % COUNTS];
            *erases = erases.saturating_add(count);
        }
    }

    /// The units of a range.
    fn units(&self, at: u64, bytes: u64) -> Range<usize> {
        self.unit.quotient(at) as usize..self.unit.quotient(at + bytes) as usize
    }

    /// Erases of the unit at an address since the chip was made.
    pub(super) fn erases_at(&self, at: u64) -> u64 {
        let unit = self.unit.quotient(at) as usize;
        let counts = self.erases.get(unit / COUNTS);
        counts.map_or(0, |counts| counts[unit % COUNTS])
    }

    /// Erases of the units of every chunk that was touched.
    pub(super) fn erases(&self) -> impl Iterator<Item = u64> + '_ {
        self.erases.written().flatten().copied()
    }
}

/// The granules of a chunk that a range touches.
fn granules(inside: Range<usize>, granule: usize) -> Range<usize> {
    inside.start / granule..inside.end.div_ceil(granule)
}
