//! The bytes of an array that is written without an erase, and the cycles of its units.

use std::ops::Range;

use crate::device::Wear;
use crate::pages::{Pages, spans};

/// Bytes of one copy-on-write page.
pub(crate) const PAGE_BYTES: usize = 4096;

/// One page of the array with the wear of its units.
#[derive(Clone, Debug)]
struct Page {
    bytes: Box<[u8; PAGE_BYTES]>,
    cycles: Vec<u64>,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            bytes: Box::new([0; PAGE_BYTES]),
            cycles: Vec::new(),
        }
    }
}

impl Page {
    /// Counts a cycle of every unit of `unit` bytes that a range touches.
    fn wear(&mut self, inside: Range<usize>, unit: usize) {
        if self.cycles.is_empty() {
            self.cycles.resize(PAGE_BYTES / unit, 0);
        }
        for cycles in &mut self.cycles[inside.start / unit..inside.end.div_ceil(unit)] {
            *cycles += 1;
        }
    }
}

/// Bytes and wear. Both are copied on write, so that a clone takes microseconds.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pages: Pages<Page>,
    /// Bytes of a unit that the endurance counts; they divide a page.
    unit: usize,
}

impl Cells {
    /// An array of zeros without wear.
    pub(super) fn new(capacity: u64, unit_bytes: u64) -> Self {
        Self {
            pages: Pages::new(capacity.div_ceil(PAGE_BYTES as u64) as usize),
            unit: unit_bytes as usize,
        }
    }

    pub(super) fn read(&self, at: u64, out: &mut [u8]) {
        for (page, inside, part) in spans(at, out.len(), PAGE_BYTES) {
            match self.pages.get(page) {
                Some(page) => out[part].copy_from_slice(&page.bytes[inside]),
                None => out[part].fill(0),
            }
        }
    }

    pub(super) fn write(&mut self, at: u64, data: &[u8]) {
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            self.pages.get_mut(page).bytes[inside].copy_from_slice(&data[part]);
        }
    }

    /// Writes, and counts a cycle of every unit that the data touch: as both do, in one way through the pages.
    pub(super) fn write_and_wear(&mut self, at: u64, data: &[u8]) {
        let unit = self.unit;
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            let page = self.pages.get_mut(page);
            page.bytes[inside.clone()].copy_from_slice(&data[part]);
            page.wear(inside, unit);
        }
    }

    /// Counts a cycle of every unit that a range touches.
    pub(super) fn wear(&mut self, at: u64, bytes: usize) {
        for (page, inside, _) in spans(at, bytes, PAGE_BYTES) {
            self.pages.get_mut(page).wear(inside, self.unit);
        }
    }

    /// Cycles of the unit at an address.
    pub(super) fn cycles_at(&self, at: u64) -> u64 {
        let unit = at as usize % PAGE_BYTES / self.unit;
        let page = self.pages.get(at as usize / PAGE_BYTES);
        let cycles = page.and_then(|page| page.cycles.get(unit));
        cycles.copied().unwrap_or(0)
    }

    /// Lets the unit at an address have seen so many cycles.
    pub(super) fn set_cycles(&mut self, at: u64, count: u64) {
        let unit = at as usize % PAGE_BYTES / self.unit;
        let cycles = &mut self.pages.get_mut(at as usize / PAGE_BYTES).cycles;
        cycles.resize(PAGE_BYTES / self.unit, 0);
        cycles[unit] = count;
    }

    /// Bytes of a unit that has cycles of its own.
    pub(super) const fn unit_bytes(&self) -> u64 {
        self.unit as u64
    }

    /// The account of wear, for units that are rated for `endurance` cycles and brought `before`.
    pub(super) fn account(&self, endurance: u64, before: u64) -> Wear {
        let cycles = self.pages.written().flat_map(|page| &page.cycles);
        Wear::of_units(endurance, before, self.unit as u64, cycles.copied())
    }
}
