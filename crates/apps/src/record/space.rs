//! Numbers of lines that fit 31 bits.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Bits of an address within a region of 1 GiB.
const REGION_BITS: u32 = 30;

/// Bits of an address that a program has.
const ADDRESS_BITS: u32 = 48;

/// Regions that have numbers of their own.
const REGIONS: u32 = 128;

/// Bits of an address within a line.
const LINE_BITS: u32 = 6;

/// Gives regions of a program's addresses short numbers, so that a line's number fits 31 bits: caches of gigabytes then take
/// half the memory of the host.
#[derive(Debug)]
pub struct LineSpace {
    /// Number of each region, 0 where it has none yet.
    numbers: Box<[AtomicU8]>,
    used: AtomicU32,
}

impl Default for LineSpace {
    fn default() -> Self {
        let regions = 1 << (ADDRESS_BITS - REGION_BITS);
        Self {
            numbers: (0..regions).map(|_| AtomicU8::new(0)).collect(),
            used: AtomicU32::new(0),
        }
    }
}

impl LineSpace {
    /// Number of the line at an address, below 2³¹. Its lowest 24 bits are those of the address.
    #[inline]
    pub fn line(&self, address: u64) -> u32 {
        let region = (address >> REGION_BITS) as usize & (self.numbers.len() - 1);
        let number = match self.numbers[region].load(Ordering::Relaxed) {
            0 => self.number(region),
            known => known,
        };
        let within = (address & ((1 << REGION_BITS) - 1)) >> LINE_BITS;
        (u32::from(number - 1) << (REGION_BITS - LINE_BITS)) | within as u32
    }

    #[cold]
    fn number(&self, region: usize) -> u8 {
        // Two that ask at once both take a number; the first that is kept counts.
        let next = self.used.fetch_add(1, Ordering::Relaxed);
        let number = (next % REGIONS) as u8 + 1;
        let slot = &self.numbers[region];
        match slot.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => number,
            Err(kept) => kept,
        }
    }

    /// Whether regions had to share numbers, so that lines of two of them pass for the same line.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.used.load(Ordering::Relaxed) > REGIONS
    }
}
