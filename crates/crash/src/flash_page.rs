//! A page of a flash memory: what its cells hold, and what they were to hold.

use std::ops::Range;

use wordline_nvm::clear_bits;

use super::hash::{self, WORD};

/// A page that was programmed or damaged since its block was erased.
#[derive(Clone, Debug)]
pub(super) struct ImagePage {
    /// What the cells hold.
    pub(super) bytes: Box<[u8]>,
    /// The bits of each byte that read differently every time; empty where there are none.
    flicker: Vec<u8>,
    /// Whether the ECC gives up on it.
    pub(super) lost: bool,
    /// What it was to hold, where an ECC watches and the cells may hold something else.
    meant: Option<Meant>,
    programs: u32,
    /// One bit a unit that takes one program; empty where none was programmed.
    taken: Vec<u64>,
    hash: u64,
}

/// What the check bits of a page may fit.
#[derive(Clone, Debug)]
pub(super) struct Meant {
    /// What it holds once all its programs have come to their end.
    pub(super) new: Box<[u8]>,
    /// What it held before the interrupted operation.
    pub(super) old: Option<Box<[u8]>>,
}

impl ImagePage {
    /// A page whose cells hold `bytes` before its first program.
    pub(super) fn unprogrammed(bytes: Vec<u8>, meant: Option<Meant>) -> Self {
        Self {
            bytes: bytes.into(),
            flicker: Vec::new(),
            lost: false,
            meant,
            programs: 0,
            taken: Vec::new(),
            hash: 0,
        }
    }

    /// Programs since the erase.
    pub(super) const fn programs(&self) -> u32 {
        self.programs
    }

    /// Part of [`FlashContent::hash`](super::FlashContent::hash).
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// What it was to hold.
    pub(super) fn intended(&self) -> &[u8] {
        self.meant.as_ref().map_or(&self.bytes, |meant| &meant.new)
    }

    /// What it held before the interrupted operation.
    pub(super) fn earlier(&self) -> Option<&[u8]> {
        self.meant.as_ref()?.old.as_deref()
    }

    /// Whether a read can give anything but what the page was to hold.
    pub(super) const fn is_doubtful(&self) -> bool {
        self.meant.is_some() || !self.flicker.is_empty()
    }

    /// Counts a program of some units.
    pub(super) fn attempt(&mut self, units: Option<Range<u32>>) {
        self.programs = self.programs.saturating_add(1);
        for unit in units.into_iter().flatten() {
            self.take(unit);
        }
    }

    /// Counts a unit as programmed.
    pub(super) fn take(&mut self, unit: u32) {
        let word = unit as usize / 64;
        if self.taken.len() <= word {
            self.taken.resize(word + 1, 0);
        }
        self.taken[word] |= 1 << (unit % 64);
    }

    /// Whether a unit was programmed.
    pub(super) fn took(&self, unit: u32) -> bool {
        let word = self.taken.get(unit as usize / 64).copied();
        word.unwrap_or(0) >> (unit % 64) & 1 == 1
    }

    /// Clears bits as a program does that comes to its end.
    pub(super) fn program(&mut self, column: u32, data: &[u8]) {
        let range = column as usize..column as usize + data.len();
        clear_bits(&mut self.bytes[range.clone()], data);
        if let Some(Meant { new, old }) = &mut self.meant {
            clear_bits(&mut new[range.clone()], data);
            if let Some(old) = old {
                old[range.clone()].copy_from_slice(&new[range]);
            }
        }
    }

    /// Notes what the page was to hold, before its cells come to hold something else.
    pub(super) fn keep_meant(&mut self) {
        if self.meant.is_none() {
            self.meant = Some(Meant {
                new: self.bytes.clone(),
                old: None,
            });
        }
    }

    /// Notes an interrupted program: its check bits may fit what was there before, too.
    pub(super) fn keep_both(&mut self, column: u32, data: &[u8]) {
        self.keep_meant();
        if let Some(Meant { new, old }) = &mut self.meant {
            old.get_or_insert_with(|| new.clone());
            clear_bits(&mut new[column as usize..][..data.len()], data);
        }
    }

    /// The bits of each byte that read differently every time, to be added to.
    pub(super) fn flicker_mut(&mut self) -> &mut [u8] {
        self.flicker.resize(self.bytes.len(), 0);
        &mut self.flicker
    }

    /// Notes that a bit, counted as column · 8 + bit, reads differently every time.
    pub(super) fn add_flicker(&mut self, bit: u32) {
        self.flicker_mut()[bit as usize / 8] |= 1 << (bit % 8);
    }

    /// The bits of a range that read differently every time, as column · 8 + bit.
    pub(super) fn flickering(&self, column: usize, bytes: usize) -> impl Iterator<Item = u32> {
        let masks = self.flicker.iter().enumerate().skip(column).take(bytes);
        masks
            .filter(|(_, mask)| **mask != 0)
            .flat_map(|(at, mask)| {
                (0..8u32)
                    .filter(move |bit| mask >> bit & 1 == 1)
                    .map(move |bit| at as u32 * 8 + bit)
            })
    }

    pub(super) fn rehash(&mut self, page: u32) {
        let words = self.bytes.len().div_ceil(WORD) as u64;
        let first = u64::from(page) * words;
        let mut sum = hash::of_bytes(first, &self.bytes, 0xFF);
        let tag = 1 << 62 | u64::from(page);
        sum = sum.wrapping_add(hash::of_bytes(first ^ 1 << 59, &self.flicker, 0));
        let history = u64::from(self.programs) << 1 | u64::from(self.lost);
        sum = sum.wrapping_add(hash::of_word(tag, history));
        for (index, word) in self.taken.iter().enumerate() {
            sum = sum.wrapping_add(hash::of_word(tag ^ (index as u64 + 1) << 40, *word));
        }
        // Where cells hold what they were to hold, nothing is added: a bit that was flipped twice
        // leaves the image that it was.
        if let Some(Meant { new, old }) = &self.meant {
            sum = sum.wrapping_add(hash::of_difference(first ^ 1 << 60, new, &self.bytes));
            if let Some(old) = old {
                sum = sum.wrapping_add(hash::of_difference(first ^ 1 << 61, old, new));
            }
        }
        self.hash = sum;
    }
}
