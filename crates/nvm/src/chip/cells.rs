//! The bytes of an array that is written without an erase, and the cycles of its units.

use std::ops::Range;

use crate::device::Wear;
use crate::divisor::Divisor;
use crate::pages::{Pages, spans, within_page};

/// Bytes of one copy-on-write page.
pub(crate) const PAGE_BYTES: usize = 4096;

/// One page of the array with the wear of its units. The bytes begin with a line of the host's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct CellPage {
    bytes: [u8; PAGE_BYTES],
    /// By how many cycles each unit differs from the one before it, the first from 0: a range that is written changes
    /// two of them, however many units it has. Empty while no unit has any.
    steps: Vec<u64>,
}

impl Default for CellPage {
    fn default() -> Self {
        Self {
            bytes: [0; PAGE_BYTES],
            steps: Vec::new(),
        }
    }
}

impl CellPage {
    /// Cycles of each unit; of none while none has any.
    fn cycles(&self) -> impl Iterator<Item = u64> + '_ {
        let add = |cycles: &mut u64, step: &u64| {
            *cycles = cycles.wrapping_add(*step);
            Some(*cycles)
        };
        self.steps.iter().scan(0, add)
    }
}

/// Steps for pages to come, made many at a time: made with each page, they would lie between the bytes of one page and of
/// the next, and the host's processor would not fetch ahead from page to page.
#[derive(Debug)]
struct Unused {
    steps: Vec<Vec<u64>>,
    at_once: usize,
}

impl Clone for Unused {
    /// None: a clone, of which there are many and which write little, makes what it needs page by page.
    fn clone(&self) -> Self {
        Self {
            steps: Vec::new(),
            at_once: 1,
        }
    }
}

impl Unused {
    /// The steps of a page.
    #[inline]
    fn steps_of<'a>(&mut self, page: &'a mut CellPage, unit: Divisor) -> &'a mut [u64] {
        if page.steps.is_empty() {
            page.steps = self.take(unit);
        }
        &mut page.steps
    }

    #[cold]
    fn take(&mut self, unit: Divisor) -> Vec<u64> {
        if let Some(steps) = self.steps.pop() {
            return steps;
        }
        let none = vec![0; PAGE_BYTES / unit.by() as usize];
        self.steps = vec![none.clone(); self.at_once.saturating_sub(1)];
        none
    }
}

/// Bytes and wear. Both are copied on write, so that a clone takes microseconds.
#[derive(Clone, Debug)]
pub(super) struct CellArray {
    pages: Pages<CellPage>,
    unused: Unused,
    /// Bytes of a unit that the endurance counts; they divide a page.
    unit: Divisor,
}

impl CellArray {
    /// An array of zeros without wear.
    pub(super) fn new(capacity: u64, unit_bytes: u64) -> Self {
        let pages = capacity.div_ceil(PAGE_BYTES as u64) as usize;
        Self {
            pages: Pages::new(pages),
            unused: Unused {
                steps: Vec::new(),
                at_once: pages.min(64),
            },
            unit: Divisor::new(unit_bytes),
        }
    }

    #[inline]
    pub(super) fn read(&self, at: u64, out: &mut [u8]) {
        if let Some((page, inside)) = within_page(at, out.len(), PAGE_BYTES) {
            return self.read_page(page, inside, out);
        }
        for (page, inside, part) in spans(at, out.len(), PAGE_BYTES) {
            self.read_page(page, inside.start, &mut out[part]);
        }
    }

    #[inline(always)]
    fn read_page(&self, page: usize, inside: usize, out: &mut [u8]) {
        match self.pages.get(page) {
            Some(page) => out.copy_from_slice(&page.bytes[inside..inside + out.len()]),
            None => out.fill(0),
        }
    }

    pub(super) fn write(&mut self, at: u64, data: &[u8]) {
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            self.pages.get_mut(page).bytes[inside].copy_from_slice(&data[part]);
        }
    }

    /// Writes, and counts a cycle of every unit that the data touch: as both do, in one way through the pages.
    #[inline]
    pub(super) fn write_and_wear(&mut self, at: u64, data: &[u8]) {
        let unit = self.unit;
        for (page, inside, part) in spans(at, data.len(), PAGE_BYTES) {
            let page = self.pages.get_mut(page);
            page.bytes[inside.clone()].copy_from_slice(&data[part]);
            wear(self.unused.steps_of(page, unit), inside, unit);
        }
    }

    /// Counts a cycle of every unit that a range touches.
    pub(super) fn wear(&mut self, at: u64, bytes: usize) {
        for (page, inside, _) in spans(at, bytes, PAGE_BYTES) {
            let page = self.pages.get_mut(page);
            wear(self.unused.steps_of(page, self.unit), inside, self.unit);
        }
    }

    /// Cycles of the unit at an address.
    pub(super) fn cycles_at(&self, at: u64) -> u64 {
        let unit = self.unit_of(at);
        let page = self.pages.get(at as usize / PAGE_BYTES);
        page.and_then(|page| page.cycles().nth(unit)).unwrap_or(0)
    }

    /// Lets the unit at an address have seen so many cycles.
    pub(super) fn set_cycles(&mut self, at: u64, cycles: u64) {
        let more = cycles.wrapping_sub(self.cycles_at(at));
        let unit = self.unit_of(at);
        let page = self.pages.get_mut(at as usize / PAGE_BYTES);
        count(self.unused.steps_of(page, self.unit), unit..unit + 1, more);
    }

    /// Bytes of a unit that has cycles of its own.
    pub(super) const fn unit_bytes(&self) -> u64 {
        self.unit.by()
    }

    /// The unit at an address, among those of its page.
    fn unit_of(&self, at: u64) -> usize {
        self.unit.quotient(at % PAGE_BYTES as u64) as usize
    }

    /// The account of wear, for units that are rated for `endurance` cycles and brought `before`.
    pub(super) fn account(&self, endurance: u64, before: u64) -> Wear {
        let cycles = self.pages.written().flat_map(CellPage::cycles);
        Wear::of_units(endurance, before, self.unit_bytes(), cycles)
    }
}

/// Counts a cycle of every unit that a range of a page touches.
#[inline]
fn wear(steps: &mut [u64], inside: Range<usize>, unit: Divisor) {
    let first = unit.quotient(inside.start as u64) as usize;
    let past = unit.div_ceil(inside.end as u64) as usize;
    count(steps, first..past, 1);
}

/// Lets some units of a page have so many cycles more.
#[inline]
fn count(steps: &mut [u64], units: Range<usize>, more: u64) {
    steps[units.start] = steps[units.start].wrapping_add(more);
    if let Some(step) = steps.get_mut(units.end) {
        *step = step.wrapping_sub(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The plain reference: a count for each unit.
        #[test]
        fn ranges_are_counted_as_units_are(
            bits in 0u32..13,
            steps in prop::collection::vec((0u64..9000, 0usize..6000, prop::option::of(0u64..1 << 62)), 1..40),
        ) {
            let mut cells = CellArray::new(4 * PAGE_BYTES as u64, 1 << bits);
            let mut plain = vec![0u64; (4 * PAGE_BYTES) >> bits];
            for (at, bytes, set) in steps {
                match set {
                    Some(count) => {
                        cells.set_cycles(at, count);
                        plain[(at >> bits) as usize] = count;
                    }
                    None => {
                        cells.write_and_wear(at, &vec![7; bytes]);
                        let past = (at as usize + bytes).div_ceil(1 << bits);
                        let units = (at >> bits) as usize..if bytes == 0 { 0 } else { past };
                        plain.iter_mut().take(units.end).skip(units.start).for_each(|count| *count += 1);
                    }
                }
            }
            for (unit, count) in plain.iter().enumerate() {
                prop_assert_eq!(cells.cycles_at((unit << bits) as u64), *count);
            }
            let account = cells.account(1, 0);
            prop_assert_eq!(account.most, plain.iter().copied().max().unwrap_or(0));
            prop_assert_eq!(account.units, plain.iter().filter(|count| **count > 0).count() as u64);
        }
    }
}
