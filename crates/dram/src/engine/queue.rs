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
    pub(super) kind: Kind,
    pub(super) arrival: u64,
    pub(super) admitted: u64,
    /// Lower is older; over all queues of the sub-channel. [`GONE`] in a place that holds none.
    pub(super) age: u64,
    /// Clock of its last command so far, or of its admission.
    pub(super) milestone: u64,
    /// Clocks with the other direction before the milestone.
    pub(super) drained: u64,
    /// Clocks for which its bank was withheld before the milestone.
    pub(super) withheld: u64,
    /// Meaningless before a PRE or an ACT was issued for it.
    pub(super) waits: [u32; CAUSES],
    /// Whether a PRE, and an ACT, were issued for it.
    pub(super) precharged: bool,
    pub(super) activated: bool,
    /// The entry that came next to its bank and kind.
    pub(super) next_in_bank: u16,
}

/// The age of what is no entry any more.
pub(super) const GONE: u64 = u64::MAX;

/// Entries of a pseudo-channel and kind by age. Those that have gone stay until they come to the front, where
/// [`tidy`](Self::tidy) drops them.
#[derive(Clone, Debug, Default)]
pub(super) struct ByAge(VecDeque<Aged>);

/// An entry's place, with what must be known of the oldest one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aged {
    age: u64,
    /// Column commands that its pseudo-channel had issued when it was admitted.
    pub(super) columns_before: u64,
    pub(super) place: u16,
}

impl ByAge {
    pub(super) fn push(&mut self, age: u64, columns_before: u64, place: u16) {
        self.0.push_back(Aged {
            age,
            columns_before,
            place,
        });
    }

    /// The oldest one, after [`tidy`](Self::tidy).
    pub(super) fn oldest(&self) -> Option<&Aged> {
        self.0.front()
    }

    /// To be called when an entry has gone.
    pub(super) fn tidy(&mut self, entries: &[Entry]) {
        while let Some(front) = self.0.front() {
            if entries[usize::from(front.place)].age == front.age {
                break;
            }
            self.0.pop_front();
        }
    }

    /// All that are there, oldest first.
    pub(super) fn live<'a>(&'a self, entries: &'a [Entry]) -> impl Iterator<Item = u16> + 'a {
        let live = |aged: &&Aged| entries[usize::from(aged.place)].age == aged.age;
        self.0.iter().filter(live).map(|aged| aged.place)
    }
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
    #[inline]
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
        self.entries[usize::from(place)].age = GONE;
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
#[inline]
pub(super) fn append(entries: &mut [Entry], ends: &mut Ends, place: u16) {
    entries[usize::from(place)].next_in_bank = NONE;
    match ends.last {
        NONE => ends.first = place,
        last => entries[usize::from(last)].next_in_bank = place,
    }
    ends.last = place;
}

/// Takes an entry out of the list of its bank.
#[inline]
pub(super) fn unlink(entries: &mut [Entry], ends: &mut Ends, place: u16) {
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
