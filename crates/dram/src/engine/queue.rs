//! Requests that wait: backlogs, entries, and the lists that hold entries together.

use super::ring::Ring;
use super::state::BankState;
use crate::observer::CAUSES;
use crate::request::{Location, RequestKind};
use crate::scheduler::WaitingRequest;

/// No entry, no candidate.
pub(super) const NONE: u16 = u16::MAX;

/// A request that has not entered a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueuedRequest {
    pub(super) id: u64,
    pub(super) arrival: u64,
    pub(super) row: u32,
    pub(super) column: u16,
    /// Its bank's number within the pseudo-channel.
    pub(super) bank: u16,
    pub(super) channel: u8,
    /// See [`index`].
    pub(super) kind: u8,
}

/// A request in a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueueEntry {
    /// As a whole, since so it is copied with a few moves.
    pub(super) request: QueuedRequest,
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
    /// The entry that came next to its bank and kind; of a free place, the next free one.
    pub(super) next_in_bank: u16,
    /// Those that came before and after it to its pseudo-channel and kind.
    pub(super) older: u16,
    pub(super) younger: u16,
    /// Whether a PRE, and an ACT, were issued for it.
    pub(super) precharged: bool,
    pub(super) activated: bool,
}

impl QueueEntry {
    /// As a scheduler sees it.
    #[inline(always)]
    pub(super) fn waiting(&self, bank: &BankState) -> WaitingRequest {
        WaitingRequest {
            id: self.request.id,
            kind: kind_of(self.request.kind),
            location: located(bank.location, self.request.row, self.request.column),
            arrival: self.request.arrival,
            admitted: self.admitted,
            age: self.age,
        }
    }
}

/// The queues of one pseudo-channel, or of both.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// What has not been admitted, reads and writes.
    pub(super) backlog: [Ring<QueuedRequest>; 2],
    /// What waits beside it for the end of a refresh, oldest first.
    pub(super) aside: [Vec<QueuedRequest>; 2],
    pub(super) entries: Vec<QueueEntry>,
    /// Waits so far of those that a PRE or an ACT was issued for.
    pub(super) waits: Vec<[u32; CAUSES]>,
    /// The first place that holds no entry; the others follow as those of a bank do.
    free: u16,
    /// Entries of either kind, and how many there may be.
    pub(super) count: [u32; 2],
    pub(super) room: [u32; 2],
}

/// Indices of the kinds.
pub(super) const READ: usize = 0;
pub(super) const WRITE: usize = 1;

/// Index of a kind.
pub(super) const fn index(kind: RequestKind) -> u8 {
    match kind {
        RequestKind::Read => 0,
        RequestKind::Write => 1,
    }
}

/// The kind of an index.
pub(super) const fn kind_of(index: u8) -> RequestKind {
    if index == 0 {
        RequestKind::Read
    } else {
        RequestKind::Write
    }
}

/// Where a line is, by what its bank's place is without row and column.
#[inline]
pub(super) const fn located(bank: Location, row: u32, column: u16) -> Location {
    Location {
        row,
        column,
        ..bank
    }
}

impl Set {
    /// `room` is that for reads and for writes, less than 2^15 together.
    pub(super) fn new(room: [u32; 2]) -> Self {
        let places = u16::try_from(room[0] + room[1]).unwrap_or(NONE);
        let free = |next_in_bank| QueueEntry {
            next_in_bank,
            ..QueueEntry::default()
        };
        Self {
            backlog: [Ring::new(), Ring::new()],
            aside: [Vec::new(), Vec::new()],
            // Room for both is taken from one list, which never runs out: the last one's successor does not matter.
            entries: (1..=places).map(free).collect(),
            waits: vec![[0; CAUSES]; usize::from(places)],
            free: 0,
            count: [0; 2],
            room,
        }
    }

    /// Whether requests of a kind wait for something else than their arrival, or may do so.
    #[inline]
    pub(super) fn is_waited_for(&self, kind: usize) -> bool {
        !self.backlog[kind].is_empty() || !self.aside[kind].is_empty()
    }

    pub(super) fn is_anything_aside(&self) -> bool {
        self.aside.iter().any(|aside| !aside.is_empty())
    }

    /// A place for an entry. There is room for it.
    #[inline]
    pub(super) fn take_place(&mut self) -> u16 {
        let place = self.free;
        self.free = self.entries[usize::from(place)].next_in_bank;
        place
    }

    #[inline]
    pub(super) fn free_place(&mut self, place: u16) {
        self.entries[usize::from(place)].next_in_bank = self.free;
        self.free = place;
    }
}

/// First and last entry of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListEnds {
    pub(super) first: u16,
    pub(super) last: u16,
}

impl ListEnds {
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };
}

/// Appends an entry to the list of its bank.
#[inline]
pub(super) fn append(entries: &mut [QueueEntry], ends: &mut ListEnds, place: u16) {
    entries[usize::from(place)].next_in_bank = NONE;
    match ends.last {
        NONE => ends.first = place,
        last => entries[usize::from(last)].next_in_bank = place,
    }
    ends.last = place;
}

/// Takes an entry out of the list of its bank.
#[inline]
pub(super) fn unlink(entries: &mut [QueueEntry], ends: &mut ListEnds, place: u16) {
    let next = entries[usize::from(place)].next_in_bank;
    if ends.first == place {
        ends.first = next;
        if next == NONE {
            ends.last = NONE;
        }
        return;
    }
    let mut previous = ends.first;
    while let Some(entry) = entries.get_mut(usize::from(previous)) {
        if entry.next_in_bank == place {
            entry.next_in_bank = next;
            break;
        }
        previous = entry.next_in_bank;
    }
    if next == NONE {
        ends.last = previous;
    }
}

/// Appends an entry to the list of its pseudo-channel and kind.
#[inline]
pub(super) fn append_by_age(entries: &mut [QueueEntry], ends: &mut ListEnds, place: u16) {
    let entry = &mut entries[usize::from(place)];
    (entry.older, entry.younger) = (ends.last, NONE);
    match entries.get_mut(usize::from(ends.last)) {
        Some(last) => last.younger = place,
        None => ends.first = place,
    }
    ends.last = place;
}

/// Takes an entry out of the list of its pseudo-channel and kind.
#[inline]
pub(super) fn unlink_by_age(entries: &mut [QueueEntry], ends: &mut ListEnds, place: u16) {
    let QueueEntry { older, younger, .. } = entries[usize::from(place)];
    match entries.get_mut(usize::from(older)) {
        Some(entry) => entry.younger = younger,
        None => ends.first = younger,
    }
    match entries.get_mut(usize::from(younger)) {
        Some(entry) => entry.older = older,
        None => ends.last = older,
    }
}
