//! What has been seen: for every place and event the last time, and the last time in another part of the same place,
//! so that "in another bank of the group" is one look.

use super::memory::BankShape;
use super::rules::{BankEvent, EVENTS, Scope};
use crate::request::Location;

/// Before every trace, so far that any distance has passed.
pub(super) const NEVER: i64 = i64::MIN / 2;

/// The last time of an event in a place that has parts.
#[derive(Clone, Copy, Debug)]
struct Latest {
    part: u8,
    time: i64,
    /// The last time in any part but `part`.
    elsewhere: i64,
}

impl Latest {
    const NONE: Self = Self {
        part: 0,
        time: NEVER,
        elsewhere: NEVER,
    };

    /// Times need not come in order: an auto-precharge may begin later than one that was asked for after it.
    fn note(&mut self, part: u8, time: i64) {
        if part == self.part {
            self.time = self.time.max(time);
        } else if time > self.time {
            self.elsewhere = self.time;
            self.part = part;
            self.time = time;
        } else {
            self.elsewhere = self.elsewhere.max(time);
        }
    }

    fn outside(&self, part: u8) -> i64 {
        if part == self.part {
            self.elsewhere
        } else {
            self.time
        }
    }
}

/// The last four times, oldest next to be replaced.
#[derive(Clone, Copy, Debug)]
struct LastFour {
    times: [i64; 4],
    oldest: usize,
}

impl LastFour {
    const NONE: Self = Self {
        times: [NEVER; 4],
        oldest: 0,
    };

    fn note(&mut self, time: i64) {
        self.times[self.oldest] = time;
        self.oldest = (self.oldest + 1) % 4;
    }

    fn fourth_last(&self) -> i64 {
        self.times[self.oldest]
    }
}

/// A place, as indices into the tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceIndex {
    pub(super) bank: usize,
    group: usize,
    pub(super) rank: usize,
    stack: usize,
    channel: usize,
    location: Location,
    slice: u8,
    physical: u8,
}

impl PlaceIndex {
    pub(super) fn location(&self) -> Location {
        self.location
    }
}

/// Times of all events in all places.
#[derive(Clone, Debug)]
pub(super) struct EventTimes {
    shape: BankShape,
    banks: Vec<[i64; EVENTS]>,
    groups: Vec<[Latest; EVENTS]>,
    ranks: Vec<[Latest; EVENTS]>,
    /// REFsb and RFMsb of each rank; the parts are sets of banks.
    sets: Vec<Latest>,
    stacks: Vec<[Latest; EVENTS]>,
    channels: Vec<[Latest; EVENTS]>,
    whole: [Latest; EVENTS],
    activates_of_rank: Vec<LastFour>,
    activates_of_stack: Vec<LastFour>,
}

impl EventTimes {
    pub(super) fn new(shape: BankShape) -> Self {
        let channels = usize::from(shape.pseudo_channels);
        let ranks = channels * usize::from(shape.ranks);
        let stacks = ranks / usize::from(shape.slices);
        let groups = ranks * usize::from(shape.groups);
        let banks = groups * usize::from(shape.banks);
        Self {
            shape,
            banks: vec![[NEVER; EVENTS]; banks],
            groups: vec![[Latest::NONE; EVENTS]; groups],
            ranks: vec![[Latest::NONE; EVENTS]; ranks],
            sets: vec![Latest::NONE; ranks],
            stacks: vec![[Latest::NONE; EVENTS]; stacks],
            channels: vec![[Latest::NONE; EVENTS]; channels],
            whole: [Latest::NONE; EVENTS],
            activates_of_rank: vec![LastFour::NONE; ranks],
            activates_of_stack: vec![LastFour::NONE; stacks],
        }
    }

    /// Indices of a location that lies inside the shape.
    pub(super) fn place(&self, location: Location) -> PlaceIndex {
        let shape = &self.shape;
        let channel = usize::from(location.pseudo_channel);
        let rank = channel * usize::from(shape.ranks) + usize::from(location.rank);
        let group = rank * usize::from(shape.groups) + usize::from(location.group);
        PlaceIndex {
            bank: group * usize::from(shape.banks) + usize::from(location.bank),
            group,
            rank,
            stack: rank / usize::from(shape.slices),
            channel,
            location,
            slice: location.rank % shape.slices,
            physical: location.rank / shape.slices,
        }
    }

    /// The time of an event in one bank.
    pub(super) fn of_bank(&self, bank: usize, event: BankEvent) -> i64 {
        self.banks[bank][event as usize]
    }

    /// The time that a rule counts from, for all scopes but [`Scope::Bank`], which the caller asks bank by bank.
    pub(super) fn latest(&self, scope: Scope, event: BankEvent, place: &PlaceIndex) -> i64 {
        let (e, l) = (event as usize, &place.location);
        match scope {
            Scope::Bank => self.banks[place.bank][e],
            Scope::OtherBank => self.groups[place.group][e].outside(l.bank),
            Scope::OtherGroup => self.ranks[place.rank][e].outside(l.group),
            Scope::OtherSet => self.sets[place.rank].outside(self.shape.set(l.group, l.bank)),
            Scope::Rank => self.ranks[place.rank][e].time,
            Scope::OtherSlice => self.stacks[place.stack][e].outside(place.slice),
            Scope::Stack => self.stacks[place.stack][e].time,
            Scope::OtherRank => self.channels[place.channel][e].outside(place.physical),
            Scope::OtherPseudoChannel => self.whole[e].outside(l.pseudo_channel),
            Scope::FourthOfRank => self.activates_of_rank[place.rank].fourth_last(),
            Scope::FourthOfStack => self.activates_of_stack[place.stack].fourth_last(),
        }
    }

    /// An event in one bank.
    pub(super) fn note(&mut self, event: BankEvent, place: &PlaceIndex, time: i64) {
        let e = event as usize;
        self.note_bank(event, place.bank, time);
        self.groups[place.group][e].note(place.location.bank, time);
        self.note_rank(event, place, time);
        if event == BankEvent::Activate {
            self.activates_of_rank[place.rank].note(time);
            self.activates_of_stack[place.stack].note(time);
        }
    }

    /// An event in a bank that concerns that bank alone.
    pub(super) fn note_bank(&mut self, event: BankEvent, bank: usize, time: i64) {
        self.banks[bank][event as usize] = time;
    }

    /// An event of a rank.
    pub(super) fn note_rank(&mut self, event: BankEvent, place: &PlaceIndex, time: i64) {
        let (e, l) = (event as usize, &place.location);
        self.ranks[place.rank][e].note(l.group, time);
        self.stacks[place.stack][e].note(place.slice, time);
        self.channels[place.channel][e].note(place.physical, time);
        self.whole[e].note(l.pseudo_channel, time);
    }

    /// A REFsb or RFMsb of a set of banks.
    pub(super) fn note_set(&mut self, place: &PlaceIndex, time: i64) {
        let l = &place.location;
        let set = self.shape.set(l.group, l.bank);
        self.sets[place.rank].note(set, time);
    }
}
