//! The best candidate of every bank, and the best of them all.

use super::SubChannel;
use super::queue::{Entry, NONE};
use super::stamp::{Stamp, clock};
use super::state::{ACT, CLOSED, Candidate, PRE, ROW_COMMAND};
use crate::command::Command;
use crate::observer::Observer;

/// A command that may be issued at a clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) at: u64,
    /// Lower goes first: the class, and what decides within it.
    class: u8,
    tie: u64,
    pub(super) channel: usize,
    pub(super) deed: Deed,
}

/// What a choice does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// A command for a request: the place of a candidate.
    Serve(usize),
    /// A command for an overdue entry.
    ServeOverdue(u16),
    /// A command of the controller's own for a bank (0 for a whole rank).
    Own {
        command: Command,
        rank: usize,
        bank: usize,
    },
}

impl Choice {
    pub(super) fn own(at: u64, class: u8, tie: u64, channel: usize, deed: Deed) -> Self {
        Self {
            at,
            class,
            tie,
            channel,
            deed,
        }
    }

    fn key(&self) -> (u64, u8, usize, u64) {
        // Ages are of the whole sub-channel; what the controller does by itself goes by pseudo-channel first.
        let channel = match self.deed {
            Deed::Serve(_) | Deed::ServeOverdue(_) => 0,
            Deed::Own { .. } => self.channel,
        };
        (self.at, self.class, channel, self.tie)
    }

    /// The one that goes first.
    pub(super) fn better(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.key() < a.key() { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// The clocks from now that keys hold lie above the order of candidates.
const ORDER_BITS: u32 = 41;

impl<O: Observer> SubChannel<O> {
    /// What a command bus would issue next, and when, if nothing else happened.
    #[inline]
    pub(super) fn choose(&self, bus: usize, now: u64) -> Option<Choice> {
        if bus >= self.channels.len() {
            return None;
        }
        let floor = now.max(self.bus_free[bus]);
        if !self.policy.shared_commands {
            return self.choose_in(bus, floor);
        }
        if bus > 0 {
            return None;
        }
        let choices = (0..self.channels.len()).map(|channel| self.choose_in(channel, floor));
        choices.fold(None, Choice::better)
    }

    #[inline]
    fn choose_in(&self, channel: usize, floor: u64) -> Option<Choice> {
        let best = match self.overdue(channel) {
            None => self.first_of(channel, floor, |_| false),
            Some(entry) => self.first_beside_overdue(channel, entry, floor),
        };
        if self.has_duties(channel) {
            Choice::better(self.duty(channel, floor), best)
        } else {
            best
        }
    }

    /// When all rules allow a candidate, as a stamp.
    #[inline]
    pub(super) fn rule(&self, channel: usize, candidate: &Candidate) -> Stamp {
        let pc = &self.channels[channel];
        let group = pc.group_ok[usize::from(candidate.group_slot)];
        let rank = pc.rank_ok[usize::from(candidate.rank_slot)];
        candidate.bank_ok.max(group).max(rank)
    }

    /// The hot loop: the first candidate by clock, class and age, which one number holds for each.
    #[inline]
    fn first_of(
        &self,
        channel: usize,
        floor: u64,
        skip: impl Fn(&Candidate) -> bool,
    ) -> Option<Choice> {
        let pc = &self.channels[channel];
        let (mut first, mut place) = (u64::MAX, 0);
        for (index, candidate) in pc.candidates.iter().enumerate() {
            let wait = clock(self.rule(channel, candidate)).saturating_sub(floor);
            let key = (wait << ORDER_BITS) | candidate.order;
            let key = if skip(candidate) { u64::MAX } else { key };
            if key < first {
                (first, place) = (key, index);
            }
        }
        (first < u64::MAX).then(|| Choice {
            at: floor + (first >> ORDER_BITS),
            class: if first & ROW_COMMAND == 0 { 1 } else { 2 },
            tie: first & (ROW_COMMAND - 1),
            channel,
            deed: Deed::Serve(place),
        })
    }

    /// The oldest active entry, where too many have passed it and its bank may be used.
    #[inline]
    fn overdue(&self, channel: usize) -> Option<u16> {
        let pc = &self.channels[channel];
        let oldest = pc.by_age[self.direction()].first;
        if oldest == NONE {
            return None;
        }
        let entry = &self.sets[self.set_of(channel)].entries[usize::from(oldest)];
        let passed = pc.columns - entry.columns_before;
        if passed < u64::from(self.policy.age_cap) {
            return None;
        }
        (!pc.is_off(usize::from(entry.bank))).then_some(oldest)
    }

    /// The choice of the overdue entry's bank is its own; and if that is a column command, there is no other.
    fn first_beside_overdue(&self, channel: usize, entry: u16, floor: u64) -> Option<Choice> {
        let forced = self.overdue_candidate(channel, entry);
        let column = forced.is_column();
        let others = self.first_of(channel, floor, |other| {
            other.bank == forced.bank || (column && other.is_column())
        });
        let own = Choice {
            at: clock(self.rule(channel, &forced)).max(floor),
            class: if column { 1 } else { 2 },
            tie: forced.order & (ROW_COMMAND - 1),
            channel,
            deed: Deed::ServeOverdue(entry),
        };
        Choice::better(Some(own), others)
    }

    /// What an overdue entry's bank does for it.
    pub(super) fn overdue_candidate(&self, channel: usize, entry: u16) -> Candidate {
        let of = &self.sets[self.set_of(channel)].entries[usize::from(entry)];
        let bank = usize::from(of.bank);
        let hit = self.channels[channel].open[bank] == of.location.row;
        self.candidate(channel, bank, entry, hit)
    }

    /// What a bank does for an entry: a column command where its row is open.
    #[inline]
    fn candidate(&self, channel: usize, bank: usize, entry: u16, hit: bool) -> Candidate {
        let pc = &self.channels[channel];
        let kind = self.direction();
        let of = &self.sets[self.set_of(channel)].entries[usize::from(entry)];
        let closes = hit && self.closes_pages() && !self.is_row_wanted_again(channel, bank, entry);
        let (slot, bank_ok) = match (hit, pc.open[bank]) {
            (true, _) if closes && kind == 0 => {
                (kind, pc.column_ok[kind][bank].max(pc.rda_ok[bank]))
            }
            (true, _) => (kind, pc.column_ok[kind][bank]),
            (false, CLOSED) => (ACT, pc.act_ok[bank]),
            (false, _) => (PRE, pc.pre_ok[bank]),
        };
        let small = |value: usize| u16::try_from(value).unwrap_or(NONE);
        let class = if slot >= ACT { ROW_COMMAND } else { 0 };
        let order = class | of.age;
        Candidate {
            bank_ok,
            order: if pc.is_off(bank) { u64::MAX } else { order },
            group_slot: small(slot * pc.groups() + usize::from(pc.group_of[bank])),
            rank_slot: small(slot * pc.ranks.len() + usize::from(pc.rank_of[bank])),
            bank: small(bank),
            entry,
            slot: slot.to_le_bytes()[0],
            closes,
        }
    }

    /// Whether another active entry of the bank wants the row of an entry.
    fn is_row_wanted_again(&self, channel: usize, bank: usize, entry: u16) -> bool {
        let entries = &self.sets[self.set_of(channel)].entries;
        let row = entries[usize::from(entry)].location.row;
        self.entries_of(channel, bank)
            .any(|(place, other)| place != entry && other.location.row == row)
    }

    /// Active entries of a bank, oldest first.
    #[inline]
    fn entries_of(&self, channel: usize, bank: usize) -> impl Iterator<Item = (u16, &Entry)> {
        let entries = &self.sets[self.set_of(channel)].entries;
        let mut place = self.channels[channel].lists[self.direction()][bank].first;
        std::iter::from_fn(move || {
            let entry = entries.get(usize::from(place))?;
            let this = place;
            place = entry.next_in_bank;
            Some((this, entry))
        })
    }

    /// Makes the candidate of a bank again: an entry came or went, or its row changed.
    #[inline]
    pub(super) fn rechoose(&mut self, channel: usize, bank: usize) {
        let pc = &self.channels[channel];
        let first = pc.lists[self.direction()][bank].first;
        if first == NONE {
            self.drop_candidate(channel, bank);
            return;
        }
        let open = pc.open[bank];
        let hit = if open == CLOSED {
            None
        } else {
            let mut entries = self.entries_of(channel, bank);
            entries.find(|(_, entry)| entry.location.row == open)
        };
        let candidate = match hit {
            Some((entry, _)) => self.candidate(channel, bank, entry, true),
            None => self.candidate(channel, bank, first, false),
        };
        let pc = &mut self.channels[channel];
        match pc.candidate_of[bank] {
            NONE => {
                pc.candidate_of[bank] = u16::try_from(pc.candidates.len()).unwrap_or(NONE);
                pc.candidates.push(candidate);
            }
            place => pc.candidates[usize::from(place)] = candidate,
        }
    }

    /// An entry came to the end of its bank's list: what the bank does changes only if it had nothing better to do.
    #[inline]
    pub(super) fn rechoose_for_new(&mut self, channel: usize, bank: usize, entry: u16) {
        let pc = &self.channels[channel];
        if let Some(candidate) = pc.candidates.get(usize::from(pc.candidate_of[bank])) {
            let row = self.sets[self.set_of(channel)].entries[usize::from(entry)]
                .location
                .row;
            if row != pc.open[bank] || (candidate.is_column() && !self.closes_pages()) {
                return;
            }
        }
        self.rechoose(channel, bank);
    }

    fn drop_candidate(&mut self, channel: usize, bank: usize) {
        let pc = &mut self.channels[channel];
        let place = std::mem::replace(&mut pc.candidate_of[bank], NONE);
        if place != NONE {
            pc.candidates.swap_remove(usize::from(place));
            if let Some(moved) = pc.candidates.get(usize::from(place)) {
                pc.candidate_of[usize::from(moved.bank)] = place;
            }
        }
    }

    /// Makes all candidates again: the direction turned.
    pub(super) fn choose_anew(&mut self) {
        for channel in 0..self.channels.len() {
            let pc = &mut self.channels[channel];
            for candidate in &pc.candidates {
                pc.candidate_of[usize::from(candidate.bank)] = NONE;
            }
            pc.candidates.clear();
            let mut place = pc.by_age[usize::from(self.writing)].first;
            while place != NONE {
                let entry = &self.sets[self.set_of(channel)].entries[usize::from(place)];
                place = entry.next_by_age;
                let bank = usize::from(entry.bank);
                if self.channels[channel].candidate_of[bank] == NONE {
                    self.rechoose(channel, bank);
                }
            }
        }
    }

    /// Makes the candidates of a rank again: its banks are withheld or powered down, or are so no more.
    pub(super) fn rechoose_rank(&mut self, channel: usize, rank: usize) {
        for place in 0..self.channels[channel].candidates.len() {
            let bank = usize::from(self.channels[channel].candidates[place].bank);
            if usize::from(self.channels[channel].rank_of[bank]) == rank {
                self.rechoose(channel, bank);
            }
        }
    }
}
