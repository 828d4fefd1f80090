//! Requests that wait: backlogs, entries, and the lists that hold entries together.

use std::collections::VecDeque;

use crate::observer::CAUSES;
use crate::request::{Kind, Location, Request};

/// No entry, no candidate.
pub(super) const NONE: u16 = u16::MAX;

/// A request in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) location: Location,
    /// Its bank's number within the pseudo-channel.
    pub(super) bank: u16,
    pub(super) arrival: u64,
    pub(super) admitted: u64,
    /// Lower is older; over all queues of the sub-channel.
    pub(super) age: u64,
    /// Column commands that its pseudo-channel had issued when it was admitted.
    pub(super) columns_before: u64,
    /// Clock of its last command so far, or of its admission.
    pub(super) milestone: u64,
    /// Clocks with the other direction before the milestone.
    pub(super) drained: u64,
    /// Clocks for which its bank was withheld before the milestone.
    pub(super) withheld: u64,
    pub(super) waits: [u32; CAUSES],
    /// Whether a PRE, and an ACT, were issued for it.
    pub(super) precharged: bool,
    pub(super) activated: bool,
    /// Neighbours among the entries of its bank and kind, and among those of its pseudo-channel and kind.
    pub(super) next_in_bank: u16,
    pub(super) previous_in_bank: u16,
    pub(super) next_by_age: u16,
    pub(super) previous_by_age: u16,
}

/// The queues of one pseudo-channel, or of both.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// What has not been admitted, reads and writes.
    pub(super) backlog: [VecDeque<Request>; 2],
    pub(super) entries: Vec<Entry>,
    free: Vec<u16>,
    /// Entries of either kind, and how many there may be.
    pub(super) count: [u32; 2],
    pub(super) room: [u32; 2],
}

/// Index of a kind.
pub(super) const fn index(kind: Kind) -> usize {
    match kind {
        Kind::Read => 0,
        Kind::Write => 1,
    }
}

/// The kind of an index.
pub(super) const fn kind_of(index: usize) -> Kind {
    if index == 0 { Kind::Read } else { Kind::Write }
}

impl Set {
    pub(super) fn new(room: [u32; 2]) -> Self {
        Self {
            backlog: [VecDeque::new(), VecDeque::new()],
            entries: Vec::new(),
            free: Vec::new(),
            count: [0; 2],
            room,
        }
    }

    /// Stores an entry and returns its place.
    pub(super) fn insert(&mut self, entry: Entry) -> u16 {
        if let Some(place) = self.free.pop() {
            self.entries[usize::from(place)] = entry;
            return place;
        }
        let place = u16::try_from(self.entries.len()).unwrap_or(NONE);
        self.entries.push(entry);
        place
    }

    pub(super) fn remove(&mut self, place: u16) {
        self.free.push(place);
    }
}

/// First and last entry of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) first: u16,
    pub(super) last: u16,
}

impl Ends {
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };
}

/// Appends an entry to the list of its bank.
pub(super) fn append_to_bank(entries: &mut [Entry], ends: &mut Ends, place: u16) {
    let entry = &mut entries[usize::from(place)];
    entry.previous_in_bank = ends.last;
    entry.next_in_bank = NONE;
    match ends.last {
        NONE => ends.first = place,
        last => entries[usize::from(last)].next_in_bank = place,
    }
    ends.last = place;
}

/// Appends an entry to the list by age.
pub(super) fn append_by_age(entries: &mut [Entry], ends: &mut Ends, place: u16) {
    let entry = &mut entries[usize::from(place)];
    entry.previous_by_age = ends.last;
    entry.next_by_age = NONE;
    match ends.last {
        NONE => ends.first = place,
        last => entries[usize::from(last)].next_by_age = place,
    }
    ends.last = place;
}

/// Takes an entry out of the list of its bank.
pub(super) fn unlink_from_bank(entries: &mut [Entry], ends: &mut Ends, place: u16) {
    let entry = entries[usize::from(place)];
    match entry.previous_in_bank {
        NONE => ends.first = entry.next_in_bank,
        previous => entries[usize::from(previous)].next_in_bank = entry.next_in_bank,
    }
    match entry.next_in_bank {
        NONE => ends.last = entry.previous_in_bank,
        next => entries[usize::from(next)].previous_in_bank = entry.previous_in_bank,
    }
}

/// Takes an entry out of the list by age.
pub(super) fn unlink_by_age(entries: &mut [Entry], ends: &mut Ends, place: u16) {
    let entry = entries[usize::from(place)];
    match entry.previous_by_age {
        NONE => ends.first = entry.next_by_age,
        previous => entries[usize::from(previous)].next_by_age = entry.next_by_age,
    }
    match entry.next_by_age {
        NONE => ends.last = entry.previous_by_age,
        next => entries[usize::from(next)].previous_by_age = entry.previous_by_age,
    }
}
