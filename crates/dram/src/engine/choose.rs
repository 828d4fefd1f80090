//! The best candidate of every bank, and the best of them all.

use super::SubChannel;
use super::queue::{Entry, NONE};
use super::stamp::{Stamp, clock};
use super::state::{ACT, CLOSED, Candidate, PRE, ROW_COMMAND, SLOTS};
use crate::command::Command;
use crate::observer::Observer;

/// A command that may be issued at a clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) at: u64,
    /// Lower goes first within a clock: the class, then the age of the entry or the number of the rank or bank.
    order: u64,
    pub(super) channel: u8,
    pub(super) deed: Deed,
}

/// What a choice does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// A command for a request: the place of a candidate.
    Serve(u16),
    /// A command for an overdue entry.
    ServeOverdue(u16),
    /// A command of the controller's own for a bank (0 for a whole rank).
    Own {
        command: Command,
        rank: u8,
        bank: u16,
    },
}

impl Choice {
    /// Nothing to do.
    pub(super) const NEVER: Self = Self {
        at: u64::MAX,
        order: u64::MAX,
        channel: 0,
        deed: Deed::Serve(NONE),
    };

    /// What the controller does by itself goes by class, then by pseudo-channel, then by number.
    pub(super) fn own(at: u64, class: u8, number: u64, channel: usize, deed: Deed) -> Self {
        let order = u64::from(class) << CLASS_BIT | (channel as u64) << 16 | number;
        Self {
            at,
            order,
            channel: channel.to_le_bytes()[0],
            deed,
        }
    }

    /// The one that goes first.
    #[inline]
    pub(super) fn better(self, other: Self) -> Self {
        if (other.at, other.order) < (self.at, self.order) {
            other
        } else {
            self
        }
    }
}

/// Where the class of a command stands in its order: column commands are 1, row commands 2.
const CLASS_BIT: u32 = 40;

/// The clocks from now that keys hold lie above the order of candidates.
const ORDER_BITS: u32 = 41;

impl<O: Observer> SubChannel<O> {
    /// What a command bus would issue next, and when, if nothing else happened.
    #[inline]
    pub(super) fn choose(&self, bus: usize, now: u64) -> Choice {
        let floor = now.max(self.bus_free[bus]);
        if self.policy.shared_commands && self.channels.len() > 1 {
            self.choose_in(0, floor).better(self.choose_in(1, floor))
        } else {
            self.choose_in(bus, floor)
        }
    }

    #[inline]
    fn choose_in(&self, channel: usize, floor: u64) -> Choice {
        let pc = &self.channels[channel];
        let Some(oldest) = pc.by_age[self.direction()].oldest() else {
            return self.or_duty(Choice::NEVER, channel, floor);
        };
        let passed = pc.columns - oldest.columns_before;
        let set = self.set_of(channel);
        let bank = usize::from(self.sets[set].entries[usize::from(oldest.place)].bank);
        if passed >= u64::from(self.policy.age_cap) && !pc.is_off(bank) {
            let best = self.first_beside_overdue(channel, oldest.place, floor);
            return self.or_duty(best, channel, floor);
        }
        let best = match self.oldest_at_once(channel, oldest.place, bank, floor) {
            Some(choice) => choice,
            None => self.first_of(channel, floor, |_| false),
        };
        self.or_duty(best, channel, floor)
    }

    #[inline]
    fn or_duty(&self, best: Choice, channel: usize, floor: u64) -> Choice {
        if self.has_duties(channel) {
            best.better(self.duty(channel, floor))
        } else {
            best
        }
    }

    /// The column command of the oldest entry, where no other can come before it: it goes as soon as any rank takes
    /// one, and no row command waits. So it is with streams.
    #[inline]
    fn oldest_at_once(
        &self,
        channel: usize,
        entry: u16,
        bank: usize,
        floor: u64,
    ) -> Option<Choice> {
        let pc = &self.channels[channel];
        let place = pc.banks[bank].candidate;
        let candidate = pc.candidates.get(usize::from(place))?;
        if pc.row_commands > 0 || candidate.entry != entry || candidate.order >= ROW_COMMAND {
            return None;
        }
        let kind = usize::from(candidate.slot);
        let ranks = pc.rank_ok.chunks_exact(SLOTS).map(|of| of[kind]);
        let any = clock(ranks.min().unwrap_or(0)).max(floor);
        let at = clock(self.rule(channel, candidate)).max(floor);
        (at == any).then(|| Choice {
            at,
            order: candidate.order + (1 << CLASS_BIT),
            channel: channel.to_le_bytes()[0],
            deed: Deed::Serve(place),
        })
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
    fn first_of(&self, channel: usize, floor: u64, skip: impl Fn(&Candidate) -> bool) -> Choice {
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
        if first == u64::MAX {
            return Choice::NEVER;
        }
        let [low, high, ..] = place.to_le_bytes();
        let order = first & ((1 << ORDER_BITS) - 1);
        Choice {
            at: floor + (first >> ORDER_BITS),
            order: order + (1 << CLASS_BIT),
            channel: channel.to_le_bytes()[0],
            deed: Deed::Serve(u16::from_le_bytes([low, high])),
        }
    }

    /// The choice of the overdue entry's bank is its own; and if that is a column command, there is no other.
    fn first_beside_overdue(&self, channel: usize, entry: u16, floor: u64) -> Choice {
        let forced = self.overdue_candidate(channel, entry);
        let column = forced.is_column();
        let others = self.first_of(channel, floor, |other| {
            other.bank == forced.bank || (column && other.is_column())
        });
        let own = Choice {
            at: clock(self.rule(channel, &forced)).max(floor),
            order: forced.order + (1 << CLASS_BIT),
            channel: channel.to_le_bytes()[0],
            deed: Deed::ServeOverdue(entry),
        };
        own.better(others)
    }

    /// What an overdue entry's bank does for it.
    pub(super) fn overdue_candidate(&self, channel: usize, entry: u16) -> Candidate {
        let of = &self.sets[self.set_of(channel)].entries[usize::from(entry)];
        let bank = usize::from(of.bank);
        let hit = self.channels[channel].banks[bank].open == of.location.row;
        self.candidate(channel, bank, entry, hit)
    }

    /// What a bank does for an entry: a column command where its row is open.
    #[inline]
    fn candidate(&self, channel: usize, bank: usize, entry: u16, hit: bool) -> Candidate {
        let pc = &self.channels[channel];
        let kind = self.direction();
        let of = &self.sets[self.set_of(channel)].entries[usize::from(entry)];
        let closes = hit && self.closes_pages() && !self.is_row_wanted_again(channel, bank, entry);
        let of_bank = &pc.banks[bank];
        let (slot, bank_ok) = match (hit, of_bank.open) {
            (true, _) if closes && kind == 0 => (kind, of_bank.column_ok[0].max(of_bank.rda_ok)),
            (true, _) => (kind, of_bank.column_ok[kind]),
            (false, CLOSED) => (ACT, of_bank.act_ok),
            (false, _) => (PRE, of_bank.pre_ok),
        };
        let small = |value: usize| u16::try_from(value).unwrap_or(NONE);
        let class = if slot >= ACT { ROW_COMMAND } else { 0 };
        let order = class | of.age;
        Candidate {
            bank_ok,
            order: if pc.is_off(bank) { u64::MAX } else { order },
            group_slot: small(usize::from(of_bank.group) * SLOTS + slot),
            rank_slot: small(usize::from(of_bank.rank) * SLOTS + slot),
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
        let mut place = self.channels[channel].banks[bank].lists[self.direction()].first;
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
        let first = pc.banks[bank].lists[self.direction()].first;
        if first == NONE {
            self.drop_candidate(channel, bank);
            return;
        }
        let open = pc.banks[bank].open;
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
        pc.row_commands += usize::from(!candidate.is_column());
        match pc.banks[bank].candidate {
            NONE => {
                pc.banks[bank].candidate = u16::try_from(pc.candidates.len()).unwrap_or(NONE);
                pc.candidates.push(candidate);
            }
            place => {
                let old = std::mem::replace(&mut pc.candidates[usize::from(place)], candidate);
                pc.row_commands -= usize::from(!old.is_column());
            }
        }
    }

    /// A column command was issued: mostly the next entry of the bank wants the same row.
    #[inline]
    pub(super) fn rechoose_after_column(&mut self, channel: usize, bank: usize) {
        let (kind, closes, set) = (self.direction(), self.closes_pages(), self.set_of(channel));
        let pc = &mut self.channels[channel];
        let of = &pc.banks[bank];
        let first = of.lists[kind].first;
        let entry = self.sets[set].entries.get(usize::from(first));
        let candidate = pc.candidates.get_mut(usize::from(of.candidate));
        if let (Some(entry), Some(candidate), false) = (entry, candidate, closes) {
            // An overdue entry may have passed the bank's candidate, which then is no column command.
            let hit = entry.location.row == of.open && candidate.is_column();
            if hit && candidate.order != u64::MAX {
                candidate.entry = first;
                candidate.order = entry.age;
                candidate.bank_ok = of.column_ok[kind];
                return;
            }
        }
        self.rechoose(channel, bank);
    }

    /// An entry came to the end of its bank's list: what the bank does changes only if it had nothing better to do.
    #[inline]
    pub(super) fn rechoose_for_new(&mut self, channel: usize, bank: usize, entry: u16) {
        let pc = &self.channels[channel];
        if let Some(candidate) = pc.candidates.get(usize::from(pc.banks[bank].candidate)) {
            let row = self.sets[self.set_of(channel)].entries[usize::from(entry)]
                .location
                .row;
            if row != pc.banks[bank].open || (candidate.is_column() && !self.closes_pages()) {
                return;
            }
        }
        self.rechoose(channel, bank);
    }

    fn drop_candidate(&mut self, channel: usize, bank: usize) {
        let pc = &mut self.channels[channel];
        let place = std::mem::replace(&mut pc.banks[bank].candidate, NONE);
        if place != NONE {
            let old = pc.candidates.swap_remove(usize::from(place));
            pc.row_commands -= usize::from(!old.is_column());
            if let Some(moved) = pc.candidates.get(usize::from(place)) {
                pc.banks[usize::from(moved.bank)].candidate = place;
            }
        }
    }

    /// Makes all candidates again: the direction turned.
    pub(super) fn choose_anew(&mut self) {
        for channel in 0..self.channels.len() {
            let pc = &mut self.channels[channel];
            for candidate in &pc.candidates {
                pc.banks[usize::from(candidate.bank)].candidate = NONE;
            }
            pc.candidates.clear();
            pc.row_commands = 0;
            let entries = &self.sets[self.set_of(channel)].entries;
            let live = self.channels[channel].by_age[self.direction()].live(entries);
            let banks: Vec<u16> = live.map(|place| entries[usize::from(place)].bank).collect();
            for bank in banks {
                if self.channels[channel].banks[usize::from(bank)].candidate == NONE {
                    self.rechoose(channel, usize::from(bank));
                }
            }
        }
    }

    /// Makes the candidates of a rank again: its banks are withheld or powered down, or are so no more.
    pub(super) fn rechoose_rank(&mut self, channel: usize, rank: usize) {
        for place in 0..self.channels[channel].candidates.len() {
            let bank = usize::from(self.channels[channel].candidates[place].bank);
            if usize::from(self.channels[channel].banks[bank].rank) == rank {
                self.rechoose(channel, bank);
            }
        }
    }
}
