//! The tables in the caller's memory.

use crate::record::PacedRecord;
use crate::shape::{PacedShape, TablePlaces};

/// A page number that stands for no page: the first page of the first block begins a header, and is never data.
pub(crate) const NO_PAGE: u32 = 0;

/// A page number that stands for a page that is not known any more: the second page of the first block is of a header, too.
pub(crate) const LOST_PAGE: u32 = 1;

/// The wear byte of a block that is bad.
const BAD: u8 = u8::MAX;

/// The most that a wear byte says.
const WEAR_MAX: u8 = u8::MAX - 1;

/// What is known of every page and block.
#[derive(Clone, Debug)]
pub(crate) struct PacedTables<M> {
    memory: M,
    pub(crate) shape: PacedShape,
    places: TablePlaces,
    log_len: u32,
    /// Erases of the blocks whose wear byte is 0.
    wear_base: u32,
    /// The page whose main area stands in the buffer, and its record.
    held: Option<(u32, PacedRecord)>,
}

/// A changed place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) logical: u32,
    pub(crate) page: u32,
    /// The page that the stored map names does not count any more.
    pub(crate) gone: bool,
    /// The caller discarded the logical page, which flash does not know before its page of the map is stored.
    pub(crate) discarded: bool,
}

pub(crate) fn get_number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

pub(crate) fn put_number(bytes: &mut [u8], number: u32) {
    let width = bytes.len();
    bytes.copy_from_slice(&number.to_le_bytes()[..width]);
}

impl<M: AsRef<[u8]> + AsMut<[u8]>> PacedTables<M> {
    /// Tables of which nothing is known. The memory is long enough.
    pub(crate) fn new(memory: M, shape: PacedShape) -> Self {
        let mut tables = Self {
            memory,
            shape,
            places: shape.places(),
            log_len: 0,
            wear_base: 0,
            held: None,
        };
        let bytes = tables.places.bytes;
        tables.memory.as_mut()[..bytes].fill(0);
        tables
    }

    pub(crate) fn into_memory(self) -> M {
        self.memory
    }

    /// The buffer of one page, main and spare area.
    pub(crate) fn image(&mut self) -> &mut [u8] {
        self.held = None;
        &mut self.memory.as_mut()[self.places.image.clone()]
    }

    /// The main area in the buffer of one page.
    pub(crate) fn main(&mut self) -> &mut [u8] {
        let bytes = self.shape.geometry.page_bytes as usize;
        &mut self.image()[..bytes]
    }

    /// Notes that the main area of a page stands in the buffer.
    pub(crate) fn set_held(&mut self, page: u32, record: PacedRecord) {
        self.held = Some((page, record));
    }

    /// The record of a page whose main area stands in the buffer.
    pub(crate) fn held(&self, page: u32) -> Option<PacedRecord> {
        self.held
            .filter(|(held, _)| *held == page)
            .map(|(_, record)| record)
    }

    /// The main area that stands in the buffer.
    pub(crate) fn held_main(&self) -> &[u8] {
        let start = self.places.image.start;
        &self.memory.as_ref()[start..start + self.shape.geometry.page_bytes as usize]
    }

    fn bytes(&self, place: &core::ops::Range<usize>) -> &[u8] {
        &self.memory.as_ref()[place.clone()]
    }

    // Live pages.

    /// Whether a page may be needed. A number that stands on the flash may be that of no page, which none needs.
    pub(crate) fn is_live(&self, page: u32) -> bool {
        let byte = self.bytes(&self.places.live).get(page as usize / 8);
        byte.is_some_and(|byte| byte >> (page % 8) & 1 == 1)
    }

    pub(crate) fn set_live(&mut self, page: u32, is: bool) {
        let live = &mut self.memory.as_mut()[self.places.live.clone()];
        let Some(byte) = live.get_mut(page as usize / 8) else {
            return;
        };
        if is {
            *byte |= 1 << (page % 8);
        } else {
            *byte &= !(1 << (page % 8));
        }
    }

    /// Live pages of a block.
    pub(crate) fn live_pages(&self, block: u32) -> u32 {
        let live = self.bytes(&self.places.live);
        let pages = self.shape.geometry.pages_per_block as usize;
        let first = block as usize * pages;
        if pages.is_multiple_of(8) {
            let bytes = &live[first / 8..(first + pages) / 8];
            let mut words = bytes.chunks_exact(8);
            let mut count = 0;
            for word in &mut words {
                let mut whole = [0; 8];
                whole.copy_from_slice(word);
                count += u64::from_le_bytes(whole).count_ones();
            }
            count
                + words
                    .remainder()
                    .iter()
                    .map(|byte| byte.count_ones())
                    .sum::<u32>()
        } else {
            (first..first + pages)
                .map(|page| u32::from(live[page / 8] >> (page % 8) & 1))
                .sum()
        }
    }

    /// The first live page of a block.
    pub(crate) fn first_live(&self, block: u32) -> Option<u32> {
        self.shape
            .geometry
            .pages_of(block)
            .find(|page| self.is_live(*page))
    }

    pub(crate) fn clear_live(&mut self) {
        self.memory.as_mut()[self.places.live.clone()].fill(0);
    }

    // Blocks.

    pub(crate) fn is_bad(&self, block: u32) -> bool {
        self.bytes(&self.places.wear)[block as usize] == BAD
    }

    pub(crate) fn set_bad(&mut self, block: u32) {
        self.memory.as_mut()[self.places.wear.clone()][block as usize] = BAD;
    }

    /// Erases of a block that is not bad, as far as a byte says.
    pub(crate) fn erases(&self, block: u32) -> u32 {
        self.wear_base + u32::from(self.bytes(&self.places.wear)[block as usize])
    }

    pub(crate) fn set_wear_base(&mut self, base: u32) {
        self.wear_base = base;
    }

    pub(crate) fn set_erases(&mut self, block: u32, erases: u32) {
        let above = erases.saturating_sub(self.wear_base);
        let byte = u8::try_from(above).unwrap_or(WEAR_MAX).min(WEAR_MAX);
        self.memory.as_mut()[self.places.wear.clone()][block as usize] = byte;
        if byte == WEAR_MAX {
            self.raise_wear_base();
        }
    }

    /// Counts from the least worn block on.
    fn raise_wear_base(&mut self) {
        let wear = &mut self.memory.as_mut()[self.places.wear.clone()];
        let least = wear.iter().copied().filter(|byte| *byte != BAD).min();
        let least = least.unwrap_or(0);
        for byte in wear.iter_mut().filter(|byte| **byte != BAD) {
            *byte -= least;
        }
        self.wear_base += u32::from(least);
    }

    // The map's pages.

    /// Where a page of the map is.
    pub(crate) fn map_page(&self, number: u32) -> u32 {
        let at = number as usize * self.shape.width;
        get_number(&self.bytes(&self.places.map)[at..at + self.shape.width])
    }

    pub(crate) fn set_map_page(&mut self, number: u32, page: u32) {
        let width = self.shape.width;
        let at = number as usize * width;
        put_number(
            &mut self.memory.as_mut()[self.places.map.clone()][at..at + width],
            page,
        );
    }

    /// Logical pages of a page of the map that hold nothing.
    pub(crate) fn unwritten(&self, number: u32) -> u32 {
        let at = number as usize * 2;
        get_number(&self.bytes(&self.places.unwritten)[at..at + 2])
    }

    pub(crate) fn set_unwritten(&mut self, number: u32, pages: u32) {
        let at = number as usize * 2;
        put_number(
            &mut self.memory.as_mut()[self.places.unwritten.clone()][at..at + 2],
            pages,
        );
    }

    // The change log.

    pub(crate) const fn log_len(&self) -> u32 {
        self.log_len
    }

    pub(crate) fn set_log_len(&mut self, entries: u32) {
        self.log_len = entries;
    }

    /// Changes that the log takes before its threshold.
    pub(crate) const fn log_room(&self) -> u32 {
        self.shape.log_threshold().saturating_sub(self.log_len)
    }

    /// Whether what a header stored can be: places that there are, and changes in their order.
    pub(crate) fn are_sound(&self) -> bool {
        let pages = self.shape.geometry.pages();
        let is_place = |page: u32| page == NO_PAGE || u64::from(page) < pages;
        let mut numbers = 0..self.shape.map_pages;
        let mut least = 0;
        numbers.all(|number| is_place(self.map_page(number)))
            && (0..self.log_len).all(|index| {
                let change = self.change_at(index);
                let in_order = change.logical >= least;
                least = change.logical.saturating_add(1);
                in_order && least <= self.shape.config.logical_pages && is_place(change.page)
            })
    }

    fn logical_at(&self, index: u32) -> u32 {
        let width = self.shape.width;
        let at = index as usize * 2 * width;
        get_number(&self.bytes(&self.places.log)[at..at + width])
    }

    pub(crate) fn change_at(&self, index: u32) -> Change {
        let width = self.shape.width;
        let at = index as usize * 2 * width + width;
        Change {
            logical: self.logical_at(index),
            page: get_number(&self.bytes(&self.places.log)[at..at + width]),
            gone: self.bit_at(&self.places.gone, index),
            discarded: self.bit_at(&self.places.discarded, index),
        }
    }

    fn put_change(&mut self, index: u32, change: Change) {
        let width = self.shape.width;
        let at = index as usize * 2 * width;
        let entry = &mut self.memory.as_mut()[self.places.log.clone()][at..at + 2 * width];
        put_number(&mut entry[..width], change.logical);
        put_number(&mut entry[width..], change.page);
        self.put_bit(self.places.gone.start, index, change.gone);
        self.put_bit(self.places.discarded.start, index, change.discarded);
    }

    fn bit_at(&self, place: &core::ops::Range<usize>, index: u32) -> bool {
        self.bytes(place)[index as usize / 8] >> (index % 8) & 1 == 1
    }

    /// Sets a bit of a table of bits that starts at a byte of the memory.
    fn put_bit(&mut self, start: usize, index: u32, bit: bool) {
        let byte = &mut self.memory.as_mut()[start + index as usize / 8];
        *byte = *byte & !(1 << (index % 8)) | u8::from(bit) << (index % 8);
    }

    /// The first change of a logical page that is not below `logical`.
    pub(crate) fn log_search(&self, logical: u32) -> u32 {
        let (mut low, mut high) = (0, self.log_len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.logical_at(middle) < logical {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The change of a logical page.
    pub(crate) fn change_of(&self, logical: u32) -> Option<(u32, Change)> {
        let index = self.log_search(logical);
        (index < self.log_len)
            .then(|| self.change_at(index))
            .filter(|change| change.logical == logical)
            .map(|change| (index, change))
    }

    /// The logical page whose change names a page.
    pub(crate) fn change_to(&self, page: u32) -> Option<Change> {
        (0..self.log_len)
            .map(|index| self.change_at(index))
            .find(|change| change.page == page)
    }

    /// Notes where a logical page is from now on; `gone` says that the page of the stored map does not count any more. The
    /// log has room.
    ///
    /// Returns the page that it was at by an earlier change, which is dead now.
    pub(crate) fn change(&mut self, logical: u32, page: u32, gone: bool) -> Option<u32> {
        let mut dead = None;
        if let Some((index, old)) = self.change_of(logical) {
            dead = (old.page != NO_PAGE).then_some(old.page);
            let change = Change {
                logical,
                page,
                gone: old.gone || gone,
                discarded: false,
            };
            self.put_change(index, change);
        } else {
            let index = self.log_search(logical);
            let width = self.shape.width;
            let (from, to) = (
                index as usize * 2 * width,
                self.log_len as usize * 2 * width,
            );
            self.memory.as_mut()[self.places.log.clone()].copy_within(from..to, from + 2 * width);
            self.insert_bit(self.places.gone.clone(), index);
            self.insert_bit(self.places.discarded.clone(), index);
            self.log_len += 1;
            let change = Change {
                logical,
                page,
                gone,
                discarded: false,
            };
            self.put_change(index, change);
        }
        if page != NO_PAGE {
            self.set_live(page, true);
        }
        dead
    }

    pub(crate) fn set_gone(&mut self, index: u32) {
        self.put_bit(self.places.gone.start, index, true);
    }

    /// Notes that the caller discarded a logical page, which has a change.
    pub(crate) fn set_discarded(&mut self, logical: u32) {
        if let Some((index, _)) = self.change_of(logical) {
            self.put_bit(self.places.discarded.start, index, true);
        }
    }

    /// Makes room for a bit in a table of them.
    fn insert_bit(&mut self, place: core::ops::Range<usize>, index: u32) {
        let bits = &mut self.memory.as_mut()[place];
        let first = index as usize / 8;
        let last = self.log_len as usize / 8;
        let mut carry = 0;
        for byte in &mut bits[first..=last] {
            let next = *byte >> 7;
            *byte = *byte << 1 | carry;
            carry = next;
        }
        // The bits below the place stay where they are.
        let below = (1u16 << (index % 8)) as u8 - 1;
        let byte = &mut bits[first];
        *byte = *byte & !below & !(1 << (index % 8)) | (*byte >> 1) & below;
    }

    /// Removes the changes from `from` to `to`.
    pub(crate) fn remove_changes(&mut self, from: u32, to: u32) {
        let width = 2 * self.shape.width;
        let (first, end, len) = (from as usize, to as usize, self.log_len as usize);
        self.memory.as_mut()[self.places.log.clone()]
            .copy_within(end * width..len * width, first * width);
        for index in to..self.log_len {
            let change = self.change_at_bits(index);
            self.put_bit(self.places.gone.start, from + (index - to), change.0);
            self.put_bit(self.places.discarded.start, from + (index - to), change.1);
        }
        self.log_len -= to - from;
    }

    fn change_at_bits(&self, index: u32) -> (bool, bool) {
        let (gone, discarded) = (&self.places.gone, &self.places.discarded);
        (self.bit_at(gone, index), self.bit_at(discarded, index))
    }

    /// The page of the map with most changes, and which these are.
    pub(crate) fn most_changed(&self) -> Option<(u32, core::ops::Range<u32>)> {
        let mut best: Option<(u32, core::ops::Range<u32>)> = None;
        let mut first = 0;
        while first < self.log_len {
            let (number, _) = self.shape.map_place(self.logical_at(first));
            let end = self.log_search((number + 1).saturating_mul(self.shape.map_entries));
            if best
                .as_ref()
                .is_none_or(|(_, found)| found.end - found.start < end - first)
            {
                best = Some((number, first..end));
            }
            first = end;
        }
        best
    }

    /// The changes of the logical pages of a page of the map.
    pub(crate) fn changes_of(&self, number: u32) -> core::ops::Range<u32> {
        let first = self.log_search(number * self.shape.map_entries);
        first..self.log_search((number + 1).saturating_mul(self.shape.map_entries))
    }

    /// Works on a table that a header holds, and on the buffer of a page, at once.
    pub(crate) fn with_image(&mut self, work: impl FnOnce(&mut [u8], HeaderTables<'_>)) {
        self.held = None;
        let main = self.shape.geometry.page_bytes as usize;
        let places = &self.places;
        let (tables, image) = self.memory.as_mut().split_at_mut(places.image.start);
        let (before_wear, rest) = tables.split_at_mut(places.wear.start);
        let (_, log) = before_wear.split_at_mut(places.log.start);
        let (log, gone) = log.split_at_mut(places.log.len());
        let (_, map) = rest.split_at_mut(places.wear.len());
        work(&mut image[..main], HeaderTables { map, log, gone });
    }
}

/// The tables that a header holds.
pub(crate) struct HeaderTables<'a> {
    pub(crate) map: &'a mut [u8],
    pub(crate) log: &'a mut [u8],
    pub(crate) gone: &'a mut [u8],
}
