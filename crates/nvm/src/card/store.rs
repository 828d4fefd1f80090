//! The bytes of a card by logical sector.
//!
//! A card of 32 GB does not fit into the memory of most hosts, and what workloads write is mostly made
//! up. A sector whose 512 bytes repeat one word of eight bytes is therefore kept as that word, as the
//! same-filled pages of Linux's zram are; every other sector is kept as it is. Only what was written
//! takes memory, and forks share it until one side writes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::bus::sd::BLOCK_BYTES;
use crate::pages::Pages;
use crate::parts::parts;

const SECTOR: usize = BLOCK_BYTES as usize;
const WORD: usize = 8;
/// Sectors of one chunk.
const CHUNK: usize = 128;
/// Chunks that lie side by side, which is what forks copy when they write, whole sectors excepted: so many that their
/// counts of references stay in the host's cache.
const GROUP: usize = 64;

/// Sectors that lie side by side. In one line of the host's cache: at random over gigabytes, each line is waited for.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct SectorChunk {
    /// Which sectors were written.
    written: [u64; CHUNK / 64],
    /// A word for each of them, in their order.
    words: Vec<u64>,
    /// Sectors that repeat no word; their word means nothing.
    whole: BTreeMap<u8, Arc<[u8; SECTOR]>>,
}

/// Chunks that lie side by side.
#[derive(Clone, Debug)]
struct Group([SectorChunk; GROUP]);

impl Default for Group {
    fn default() -> Self {
        Self(std::array::from_fn(|_| SectorChunk::default()))
    }
}

impl SectorChunk {
    fn has(&self, sector: usize) -> bool {
        self.written[sector / 64] >> (sector % 64) & 1 == 1
    }

    /// How many sectors before one were written.
    fn rank(&self, sector: usize) -> usize {
        let full = self.written[..sector / 64]
            .iter()
            .map(|bits| bits.count_ones());
        let below = (1u64 << (sector % 64)) - 1;
        (full.sum::<u32>() + (self.written[sector / 64] & below).count_ones()) as usize
    }

    /// Makes room for sectors that were not written yet.
    fn open(&mut self, first: usize, count: usize) {
        if (first..first + count).all(|sector| self.has(sector)) {
            return;
        }
        // Growth by an eighth: doubling would cost as much memory again as the content.
        if self.words.capacity() < self.words.len() + count {
            let more = count.max(self.words.len() / 8);
            self.words.reserve_exact(more.min(CHUNK - self.words.len()));
        }
        let fresh = !(first..first + count).any(|sector| self.has(sector));
        if fresh {
            let at = self.rank(first);
            self.words.splice(at..at, std::iter::repeat_n(0, count));
        }
        for sector in first..first + count {
            if !fresh && !self.has(sector) {
                let at = self.rank(sector);
                self.words.insert(at, 0);
            }
            self.written[sector / 64] |= 1 << (sector % 64);
        }
    }

    fn write(&mut self, first: usize, data: &[u8]) {
        let count = data.len() / SECTOR;
        self.open(first, count);
        let at = self.rank(first);
        for (index, sector) in data.chunks_exact(SECTOR).enumerate() {
            let number = (first + index) as u8;
            let word = repeated(sector);
            self.words[at + index] = word.unwrap_or(0);
            if word.is_none() {
                let mut bytes = [0; SECTOR];
                bytes.copy_from_slice(sector);
                self.whole.insert(number, Arc::new(bytes));
            } else if !self.whole.is_empty() {
                self.whole.remove(&number);
            }
        }
    }

    /// Stores sectors that each repeat a word.
    fn write_words(&mut self, first: usize, words: &[u64]) {
        self.open(first, words.len());
        let at = self.rank(first);
        self.words[at..at + words.len()].copy_from_slice(words);
        if !self.whole.is_empty() {
            for sector in first..first + words.len() {
                self.whole.remove(&(sector as u8));
            }
        }
    }

    fn whole(&self, sector: usize) -> Option<&[u8; SECTOR]> {
        Some(self.whole.get(&(sector as u8))?)
    }

    fn read(&self, first: usize, out: &mut [u8]) {
        for (index, sector) in out.chunks_exact_mut(SECTOR).enumerate() {
            let number = first + index;
            if !self.has(number) {
                sector.fill(0);
            } else if let Some(bytes) = self.whole(number) {
                sector.copy_from_slice(bytes);
            } else {
                let word = self.words[self.rank(number)].to_le_bytes();
                sector.as_chunks_mut::<WORD>().0.fill(word);
            }
        }
    }
}

/// The word that a sector repeats.
fn repeated(sector: &[u8]) -> Option<u64> {
    let (words, _) = sector.as_chunks::<WORD>();
    let first = words.first()?;
    let first = u64::from_le_bytes(*first);
    let differing = words
        .iter()
        .fold(0, |bits, word| bits | (u64::from_le_bytes(*word) ^ first));
    (differing == 0).then_some(first)
}

/// The content of a card. Sectors that were never written read as zeros.
#[derive(Clone, Debug)]
pub(super) struct SectorStore {
    /// `None` where nothing is kept.
    groups: Option<Pages<Group>>,
}

impl SectorStore {
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            groups: Some(Pages::new(
                bytes.div_ceil((GROUP * CHUNK * SECTOR) as u64) as usize
            )),
        }
    }

    /// Whether it keeps what is stored.
    pub(super) const fn keeps(&self) -> bool {
        self.groups.is_some()
    }

    /// Forgets everything, and whatever comes.
    pub(super) fn forget(&mut self) {
        self.groups = None;
    }

    fn chunk(&self, chunk: usize) -> Option<&SectorChunk> {
        let group = self.groups.as_ref()?.get(chunk / GROUP)?;
        Some(&group.0[chunk % GROUP])
    }

    /// Stores whole sectors from sector `first` on.
    pub(super) fn write(&mut self, first: u64, data: &[u8]) {
        let Some(groups) = &mut self.groups else {
            return;
        };
        for (chunk, sector, range) in chunks(first, data.len()) {
            groups.get_mut(chunk / GROUP).0[chunk % GROUP].write(sector, &data[range]);
        }
    }

    /// Stores whole sectors from sector `first` on, each of which repeats a word.
    pub(super) fn write_words(&mut self, first: u64, words: &[u64]) {
        let Some(groups) = &mut self.groups else {
            return;
        };
        for (chunk, sector, range) in parts(first, words.len(), CHUNK) {
            let chunk = chunk as usize;
            groups.get_mut(chunk / GROUP).0[chunk % GROUP].write_words(sector, &words[range]);
        }
    }

    /// Reads whole sectors from sector `first` on.
    pub(super) fn read(&self, first: u64, out: &mut [u8]) {
        for (chunk, sector, range) in chunks(first, out.len()) {
            match self.chunk(chunk) {
                Some(chunk) => chunk.read(sector, &mut out[range]),
                None => out[range].fill(0),
            }
        }
    }

    /// Reads any bytes.
    pub(super) fn read_bytes(&self, at: u64, out: &mut [u8]) {
        let (first, skipped) = (at / BLOCK_BYTES, (at % BLOCK_BYTES) as usize);
        if skipped == 0 && out.len().is_multiple_of(SECTOR) {
            return self.read(first, out);
        }
        let mut whole = vec![0; (skipped + out.len()).next_multiple_of(SECTOR)];
        self.read(first, &mut whole);
        out.copy_from_slice(&whole[skipped..skipped + out.len()]);
    }

    /// Stores zeros, which take no memory where nothing else was stored.
    pub(super) fn clear_bytes(&mut self, at: u64, bytes: u64) {
        // In pieces that fit the addresses of a small processor.
        const PIECE: u64 = 1 << 30;
        let zeros = [0; CHUNK * SECTOR];
        let pieces = (0..bytes).step_by(PIECE as usize);
        let pieces = pieces.map(|done| (at + done, (bytes - done).min(PIECE) as usize));
        let pieces = pieces.flat_map(|(at, bytes)| parts(at, bytes, CHUNK * SECTOR));
        for (chunk, first, range) in pieces {
            let written = self.chunk(chunk as usize).map(|chunk| chunk.written);
            if written.is_some_and(|written| written != [0; CHUNK / 64]) {
                let place = chunk * (CHUNK * SECTOR) as u64 + first as u64;
                self.write_bytes(place, &zeros[..range.len()]);
            }
        }
    }

    /// Stores any bytes.
    pub(super) fn write_bytes(&mut self, at: u64, data: &[u8]) {
        let (first, skipped) = (at / BLOCK_BYTES, (at % BLOCK_BYTES) as usize);
        if skipped == 0 && data.len().is_multiple_of(SECTOR) {
            return self.write(first, data);
        }
        let mut whole = vec![0; (skipped + data.len()).next_multiple_of(SECTOR)];
        self.read(first, &mut whole);
        whole[skipped..skipped + data.len()].copy_from_slice(data);
        self.write(first, &whole);
    }
}

/// The chunks of a range of sectors: chunk, first sector in it, and the range of the caller's bytes.
fn chunks(first: u64, bytes: usize) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
    parts(first, bytes / SECTOR, CHUNK).map(|(chunk, sector, sectors)| {
        let range = sectors.start * SECTOR..sectors.end * SECTOR;
        (chunk as usize, sector, range)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The plain reference: an array of bytes for each fork.
        #[test]
        fn it_agrees_with_plain_bytes(
            steps in prop::collection::vec(
                (0usize..2, 0usize..700_000, 1usize..9000, any::<u64>(), 0u8..3, any::<bool>()), 1..60),
        ) {
            const BYTES: usize = 12 * CHUNK * SECTOR;
            let mut stores = vec![SectorStore::new(BYTES as u64); 2];
            let mut plain = vec![vec![0u8; BYTES]; 2];
            for (which, at, bytes, word, kind, fork) in steps {
                if fork {
                    stores[1 - which] = stores[which].clone();
                    plain[1 - which] = plain[which].clone();
                }
                let unit = if kind == 2 { 1 } else { SECTOR };
                let at = at / unit * unit;
                let bytes = bytes.next_multiple_of(unit).min(BYTES - at);
                // Sectors that repeat a word, sectors that almost do, and odd ranges of bytes.
                let mut data: Vec<u8> = word.to_le_bytes().into_iter().cycle().take(bytes).collect();
                if kind > 0 {
                    data[bytes / 2] ^= 1;
                }
                if word % 5 == 0 {
                    data.fill(0);
                    stores[which].clear_bytes(at as u64, bytes as u64);
                } else if kind == 0 && at % SECTOR == 0 && bytes % SECTOR == 0 {
                    stores[which].write_words((at / SECTOR) as u64, &vec![word; bytes / SECTOR]);
                } else {
                    stores[which].write_bytes(at as u64, &data);
                }
                plain[which][at..at + bytes].copy_from_slice(&data);
                let mut out = vec![0xee; bytes];
                let from = at / 3;
                stores[which].read_bytes(from as u64, &mut out);
                prop_assert_eq!(&out[..], &plain[which][from..from + bytes]);
            }
            for (store, plain) in stores.iter().zip(&plain) {
                let mut out = vec![0xee; BYTES];
                store.read_bytes(0, &mut out);
                prop_assert!(&out == plain);
            }
        }
    }

    #[test]
    fn zeros_take_no_memory_where_nothing_else_was_stored() {
        let mut store = SectorStore::new((2 * GROUP * CHUNK * SECTOR) as u64);
        store.write_bytes(0, &[7; SECTOR]);
        store.clear_bytes(0, (GROUP * CHUNK * SECTOR) as u64);
        assert_eq!(store.chunk(0).expect("written").words, [0; CHUNK]);
        assert!((1..GROUP).all(|chunk| store.chunk(chunk).expect("beside it").words.is_empty()));
        assert!(store.chunk(GROUP).is_none());
    }

    #[test]
    fn what_is_forgotten_reads_as_zeros() {
        let mut store = SectorStore::new(1 << 20);
        store.write_bytes(100, &[7; 900]);
        store.forget();
        store.write_bytes(300, &[7; 900]);
        store.write_words(5, &[7; 3]);
        store.clear_bytes(0, 700);
        let mut out = [0xee; 4096];
        store.read_bytes(0, &mut out);
        assert_eq!(out, [0; 4096]);
        assert!(!store.keeps());
    }

    #[test]
    fn sectors_that_repeat_a_word_take_eight_bytes() {
        let mut chunk = SectorChunk::default();
        for sector in (0..CHUNK).step_by(8) {
            chunk.write(sector, &[7; 8 * SECTOR]);
        }
        assert!(chunk.whole.is_empty());
        assert!(
            chunk.words.capacity() <= CHUNK,
            "{}",
            chunk.words.capacity()
        );
        chunk.write(
            3,
            &[1, 2, 3]
                .into_iter()
                .cycle()
                .take(SECTOR)
                .collect::<Vec<u8>>(),
        );
        assert_eq!(chunk.whole.len(), 1);
        chunk.write(3, &[9; SECTOR]);
        assert!(chunk.whole.is_empty());
    }
}
