//! Requests that wait: backlogs, entries, and the lists that hold entries together.

use super::ring::Ring;
use crate::observer::CAUSES;
use crate::request::{Kind, Location};

/// No entry, no candidate.
pub(super) const NONE: u16 = u16::MAX;

/// A request that has not entered a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
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
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) arrival: u64,
    pub(super) admitted: u64,
    /// Lower is older; over all queues of the sub-channel. [`GONE`] in a place that holds none.
    pub(super) age: u64,
    /// Column commands that its pseudo-channel had issued when it was admitted.
    pub(super) columns_before: u64,
    /// Clock of its last command so far, or of its admission.
    pub(super) milestone: u64,
    /// Clocks with the other direction before the milestone.
    pub(super) drained: u64,
    /// Clocks for which its bank was withheld before the milestone.
    pub(super) withheld: u64,
    pub(super) row: u32,
    pub(super) column: u16,
    pub(super) bank: u16,
    /// The entry that came next to its bank and kind; of a free place, the next free one.
    pub(super) next_in_bank: u16,
    pub(super) kind: u8,
    /// Whether a PRE, and an ACT, were issued for it.
    pub(super) precharged: bool,
    pub(super) activated: bool,
}

/// The age of what is no entry any more.
pub(super) const GONE: u64 = u64::MAX;

/// Entries of a pseudo-channel and kind by age. Those that have gone stay until they come to the front, where
/// [`tidy`](Self::tidy) drops them.
#[derive(Clone, Debug, Default)]
pub(super) struct ByAge(Ring<(u64, u16)>);

impl ByAge {
    #[inline]
    pub(super) fn push(&mut self, age: u64, place: u16) {
        self.0.push_back((age, place));
    }

    /// The place of the oldest one, after [`tidy`](Self::tidy).
    #[inline]
    pub(super) fn oldest(&self) -> Option<u16> {
        self.0.front().map(|&(_, place)| place)
    }

    /// To be called when an entry has gone.
    #[inline]
    pub(super) fn tidy(&mut self, entries: &[Entry]) {
        while let Some(&(age, place)) = self.0.front() {
            if entries[usize::from(place)].age == age {
                break;
            }
            self.0.drop_front();
        }
    }

    /// All that are there, oldest first.
    pub(super) fn live<'a>(&'a self, entries: &'a [Entry]) -> impl Iterator<Item = &'a Entry> + 'a {
        let entry = |&(age, place): &(u64, u16)| {
            let entry = &entries[usize::from(place)];
            (entry.age == age).then_some(entry)
        };
        self.0.iter().filter_map(entry)
    }
}

/// The queues of one pseudo-channel, or of both.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// What has not been admitted, reads and writes.
    pub(super) backlog: [Ring<Waiting>; 2],
    pub(super) entries: Vec<Entry>,
    /// Waits so far of those that a PRE or an ACT was issued for.
    pub(super) waits: Vec<[u32; CAUSES]>,
    /// The first place that holds no entry; the others follow as those of a bank do.
    free: u16,
    /// Entries of either kind, and how many there may be.
    pub(super) count: [u32; 2],
    pub(super) room: [u32; 2],
}

/// Index of a kind.
pub(super) const fn index(kind: Kind) -> u8 {
    match kind {
        Kind::Read => 0,
        Kind::Write => 1,
    }
}

/// The kind of an index.
pub(super) const fn kind_of(index: u8) -> Kind {
    if index == 0 { Kind::Read } else { Kind::Write }
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
        let gone = Entry {
            age: GONE,
            ..Entry::default()
        };
        let free = |next_in_bank| Entry {
            next_in_bank,
            ..gone
        };
        Self {
            backlog: [Ring::new(), Ring::new()],
            // Room for both is taken from one list, which never runs out: the last one's successor does not matter.
            entries: (1..=places).map(free).collect(),
            waits: vec![[0; CAUSES]; usize::from(places)],
            free: 0,
            count: [0; 2],
            room,
        }
    }

    /// A place for an entry. There is room for it.
    #[inline]
    pub(super) fn take_place(&mut self) -> u16 {
        let place = self.free;
        self.free = self.entries[usize::from(place)].next_in_bank;
        place
    }

    #[inline]
    pub(super) fn remove(&mut self, place: u16) {
        let entry = &mut self.entries[usize::from(place)];
        entry.age = GONE;
        entry.next_in_bank = self.free;
        self.free = place;
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
