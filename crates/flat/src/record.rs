//! The record of a file or directory, byte by byte: a head of one slot, and slots that continue it.

use crate::checksum::crc32;

/// Bytes of a slot.
pub(crate) const SLOT_BYTES: u64 = 128;

/// The most bytes of a name.
pub const NAME_BYTES_MAX: usize = 255;

/// The most extents of a file.
pub const EXTENTS_MAX: u32 = 48;

/// Slots that continue a record, at most.
pub(crate) const NEXT_MAX: usize = 6;

/// Where the parts of a head begin.
pub(crate) const LENGTHS_AT: usize = 8;
const CHECKED_AT: usize = 28;
pub(crate) const BODY_AT: usize = 72;

/// Bytes of the body in the head, and in a slot that continues it.
const BODY_IN_HEAD: usize = SLOT_BYTES as usize - BODY_AT;
const NEXT_BODY_AT: usize = 24;
const BODY_IN_NEXT: usize = SLOT_BYTES as usize - NEXT_BODY_AT;
const BODY_MAX: usize = BODY_IN_HEAD + NEXT_MAX * BODY_IN_NEXT;

const _: () = assert!(NAME_BYTES_MAX + 8 * EXTENTS_MAX as usize <= BODY_MAX);

/// No slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The state byte of a head. Two of them differ in four bits at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotState {
    /// Free, or in use by the head that it continues.
    Dead = 0x00,
    /// In force, with the first length.
    First = 0x0F,
    /// In force, with the second length.
    Second = 0xF0,
}

impl SlotState {
    pub(crate) fn parse(byte: u8) -> Option<Self> {
        [Self::Dead, Self::First, Self::Second]
            .into_iter()
            .find(|state| *state as u8 == byte)
    }

    /// In force with this length.
    pub(crate) const fn with(second: bool) -> Self {
        match second {
            false => Self::First,
            true => Self::Second,
        }
    }
}

/// Units that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) first: u32,
    pub(crate) units: u32,
}

/// A record as it is read and written.
#[derive(Clone, Debug)]
pub(crate) struct FlatRecord {
    pub(crate) is_dir: bool,
    /// Higher than that of every record which was written before it and is in force.
    pub(crate) serial: u64,
    /// Of a directory: what its entries call it. The first serial that it had.
    pub(crate) id: u64,
    /// The directory that it lies in; 0 for the root.
    pub(crate) parent: u64,
    /// Slots of records that it replaces.
    pub(crate) replaces: [u32; 2],
    /// The length in force, and whether it is the second one.
    pub(crate) length: u32,
    pub(crate) second: bool,
    name_bytes: usize,
    extents: usize,
    body: [u8; BODY_MAX],
    /// Its slots, the head first.
    slots: [u32; 1 + NEXT_MAX],
}

/// A head whose bytes are sound, and the slot that continues it.
pub(crate) struct ParsedHead {
    pub(crate) record: FlatRecord,
    pub(crate) next: u32,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// The eight bytes of a length.
pub(crate) fn length_bytes(serial: u64, second: bool, length: u32) -> [u8; 8] {
    let check = crc32(&[
        &serial.to_le_bytes(),
        &[u8::from(second)],
        &length.to_le_bytes(),
    ]);
    (u64::from(length) | u64::from(check) << 32).to_le_bytes()
}

impl FlatRecord {
    /// A new one, without extents and of length 0. The name is no longer than it may be.
    pub(crate) fn new(is_dir: bool, parent: u64, name: &str) -> Self {
        let mut record = Self {
            is_dir,
            serial: 0,
            id: 0,
            parent,
            replaces: [NO_SLOT; 2],
            length: 0,
            second: false,
            name_bytes: 0,
            extents: 0,
            body: [0; BODY_MAX],
            slots: [NO_SLOT; 1 + NEXT_MAX],
        };
        record.rename(parent, name);
        record
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.body[..self.name_bytes]
    }

    pub(crate) fn extents(&self) -> impl Iterator<Item = Extent> {
        let list = &self.body[self.name_bytes..self.name_bytes + 8 * self.extents];
        list.chunks_exact(8).map(|bytes| Extent {
            first: word(bytes, 0),
            units: word(bytes, 4),
        })
    }

    /// The extents as far as so many units go.
    pub(crate) fn covered(&self, units: u32) -> impl Iterator<Item = Extent> {
        let mut left = units;
        self.extents().map_while(move |extent| {
            let units = extent.units.min(left);
            left -= units;
            let first = extent.first;
            (units > 0).then_some(Extent { first, units })
        })
    }

    /// Gives it another directory and another name.
    pub(crate) fn rename(&mut self, parent: u64, name: &str) {
        let old = self.name_bytes..self.name_bytes + 8 * self.extents;
        self.body.copy_within(old, name.len());
        self.body[..name.len()].copy_from_slice(name.as_bytes());
        self.name_bytes = name.len();
        self.parent = parent;
    }

    /// Gives it other extents, at most [`EXTENTS_MAX`].
    pub(crate) fn set_extents(&mut self, extents: impl Iterator<Item = Extent>) {
        self.extents = 0;
        for extent in extents {
            let at = self.name_bytes + 8 * self.extents;
            self.body[at..at + 4].copy_from_slice(&extent.first.to_le_bytes());
            self.body[at + 4..at + 8].copy_from_slice(&extent.units.to_le_bytes());
            self.extents += 1;
        }
    }

    fn body_bytes(&self) -> usize {
        self.name_bytes + 8 * self.extents
    }

    /// How many slots it takes.
    pub(crate) fn slots_needed(&self) -> usize {
        let rest = self.body_bytes().saturating_sub(BODY_IN_HEAD);
        1 + rest.div_ceil(BODY_IN_NEXT)
    }

    /// Its slots, the head first.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots[..self.slots_needed()]
    }

    pub(crate) fn set_slot(&mut self, number: usize, slot: u32) {
        self.slots[number] = slot;
    }

    /// Which part of the body a slot holds.
    fn part(&self, number: usize) -> core::ops::Range<usize> {
        let start = match number {
            0 => 0,
            _ => BODY_IN_HEAD + (number - 1) * BODY_IN_NEXT,
        };
        start..self.body_bytes().min(BODY_IN_HEAD + number * BODY_IN_NEXT)
    }

    /// The slot that follows, of those that it has.
    fn next_of(&self, number: usize) -> u32 {
        match number + 1 < self.slots_needed() {
            true => self.slots[number + 1],
            false => NO_SLOT,
        }
    }

    /// The bytes of the head, from [`LENGTHS_AT`] on, and where they end.
    pub(crate) fn head(&self) -> ([u8; SLOT_BYTES as usize], usize) {
        let mut head = [0; SLOT_BYTES as usize];
        let part = self.part(0);
        let end = BODY_AT + part.len();
        head[LENGTHS_AT..LENGTHS_AT + 8].copy_from_slice(&length_bytes(
            self.serial,
            false,
            self.length,
        ));
        head[28] = if self.is_dir { 2 } else { 1 };
        head[29] = self.name_bytes as u8;
        head[30] = self.extents as u8;
        head[32..40].copy_from_slice(&self.serial.to_le_bytes());
        head[40..48].copy_from_slice(&self.id.to_le_bytes());
        head[48..56].copy_from_slice(&self.parent.to_le_bytes());
        head[56..60].copy_from_slice(&self.replaces[0].to_le_bytes());
        head[60..64].copy_from_slice(&self.replaces[1].to_le_bytes());
        head[64..68].copy_from_slice(&self.next_of(0).to_le_bytes());
        head[BODY_AT..end].copy_from_slice(&self.body[part]);
        let check = crc32(&[&head[CHECKED_AT..end]]);
        head[24..28].copy_from_slice(&check.to_le_bytes());
        (head, end)
    }

    /// The bytes of a slot that continues it, from 8 on, and where they end.
    pub(crate) fn continuation(&self, number: usize) -> ([u8; SLOT_BYTES as usize], usize) {
        let mut slot = [0; SLOT_BYTES as usize];
        let part = self.part(number);
        let end = NEXT_BODY_AT + part.len();
        slot[12..16].copy_from_slice(&self.next_of(number).to_le_bytes());
        slot[16..24].copy_from_slice(&self.serial.to_le_bytes());
        slot[NEXT_BODY_AT..end].copy_from_slice(&self.body[part]);
        let check = crc32(&[&slot[12..end]]);
        slot[8..12].copy_from_slice(&check.to_le_bytes());
        (slot, end)
    }

    /// The record whose head has these bytes; `None` where they are damaged.
    pub(crate) fn parse(
        slot: u32,
        head: &[u8; SLOT_BYTES as usize],
        extents_max: u32,
        checks: [bool; 2],
    ) -> Option<ParsedHead> {
        let [checks_record, checks_length] = checks;
        let second = match SlotState::parse(head[0])? {
            SlotState::Dead => return None,
            state => state == SlotState::Second,
        };
        let mut record = Self::new(head[28] == 2, long(head, 48), "");
        record.name_bytes = usize::from(head[29]);
        record.extents = usize::from(head[30]);
        if !matches!(head[28], 1 | 2)
            || record.name_bytes == 0
            || head[31] != 0
            || record.extents > extents_max as usize
        {
            return None;
        }
        let part = record.part(0);
        let end = BODY_AT + part.len();
        if checks_record && crc32(&[&head[CHECKED_AT..end]]) != word(head, 24) {
            return None;
        }
        record.serial = long(head, 32);
        record.id = long(head, 40);
        record.replaces = [word(head, 56), word(head, 60)];
        record.body[part].copy_from_slice(&head[BODY_AT..end]);
        record.slots[0] = slot;
        record.second = second;
        let length_at = LENGTHS_AT + if second { 8 } else { 0 };
        record.length = word(head, length_at);
        let expected = length_bytes(record.serial, second, record.length);
        if checks_length && head[length_at..length_at + 8] != expected {
            return None;
        }
        Some(ParsedHead {
            next: word(head, 64),
            record,
        })
    }

    /// Takes the bytes of a slot that continues it: the slot that follows, or `None` where they are damaged.
    pub(crate) fn continue_with(
        &mut self,
        number: usize,
        slot: u32,
        bytes: &[u8; SLOT_BYTES as usize],
        checks: bool,
    ) -> Option<u32> {
        let part = self.part(number);
        let end = NEXT_BODY_AT + part.len();
        let is_sound =
            crc32(&[&bytes[12..end]]) == word(bytes, 8) && long(bytes, 16) == self.serial;
        if checks && !is_sound {
            return None;
        }
        self.body[part].copy_from_slice(&bytes[NEXT_BODY_AT..end]);
        self.slots[number] = slot;
        Some(word(bytes, 12))
    }
}
