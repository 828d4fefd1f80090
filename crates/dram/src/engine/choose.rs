//! The best candidate of every bank, and the best of them all.

use super::SubChannel;
use super::queue::{NONE, QueueEntry};
use super::stamp::{Stamp, clock};
use super::state::{
    ACT, AHEAD, BankCandidate, BankState, CLOSED, COLUMNS, CandidatePlace, PRE, PseudoChannel,
    ROW_COMMAND, ROWS,
};
use crate::command::Command;
use crate::observer::Observer;
use crate::scheduler::{ORDER_END, Scheduler};

/// A command that may be issued at a clock. Whole words, since it is passed on right after it is made: processors are
/// slow to load together what was stored apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandChoice {
    pub(super) at: u64,
    /// Lower goes first within a clock: the class, then the age of the entry or the number of the rank or bank.
    order: u64,
    /// A [`Deed`] and its pseudo-channel.
    deed: u64,
}

/// What a choice does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// A command for a request: the place of a candidate.
    Serve(CandidatePlace),
    /// A command for an overdue entry.
    ServeOverdue(u16),
    /// A command of the controller's own for a bank (0 for a whole rank).
    Own {
        command: Command,
        rank: usize,
        bank: usize,
    },
}

impl Deed {
    const OVERDUE: u64 = 1 << 40;
    const OWN: u64 = 2 << 40;

    #[inline]
    fn pack(self, channel: usize) -> u64 {
        let word = match self {
            Self::Serve(place) => place.word(),
            Self::ServeOverdue(entry) => Self::OVERDUE | u64::from(entry),
            Self::Own {
                command,
                rank,
                bank,
            } => Self::OWN | (command as u64) << 32 | (rank as u64) << 16 | bank as u64,
        };
        word | (channel as u64) << 48
    }
}

impl CommandChoice {
    /// Nothing to do.
    pub(super) const NEVER: Self = Self {
        at: u64::MAX,
        order: u64::MAX,
        deed: 0,
    };

    #[inline]
    fn new(at: u64, order: u64, channel: usize, deed: Deed) -> Self {
        let deed = deed.pack(channel);
        Self { at, order, deed }
    }

    /// What the controller does by itself goes by class, then by pseudo-channel, then by number.
    pub(super) fn own(at: u64, class: u8, number: u64, channel: usize, deed: Deed) -> Self {
        let order = u64::from(class) << CLASS_BIT | (channel as u64) << 16 | number;
        Self::new(at, order, channel, deed)
    }

    /// Pseudo-channel.
    #[inline]
    pub(super) fn channel(&self) -> usize {
        usize::from(self.deed >> 48 != 0)
    }

    #[inline]
    pub(super) fn deed(&self) -> Deed {
        let word = self.deed & 0xFFFF;
        if self.deed & (Deed::OVERDUE | Deed::OWN) == 0 {
            Deed::Serve(CandidatePlace::of_word(word))
        } else if self.deed & Deed::OWN == 0 {
            Deed::ServeOverdue(word as u16)
        } else {
            Deed::Own {
                command: Command::ALL[(self.deed >> 32 & 0xFF) as usize],
                rank: (self.deed >> 16 & 0xFFFF) as usize,
                bank: word as usize,
            }
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
const ORDER_BITS: u32 = 42;

impl PseudoChannel {
    /// When all rules allow a candidate, as a stamp.
    #[inline]
    fn rule(&self, candidate: &BankCandidate) -> Stamp {
        let [bank, group, rank] = self.rules_of(candidate);
        bank.max(group).max(rank)
    }

    /// When the rules of its bank, of its group and of its rank allow a candidate.
    #[inline]
    pub(super) fn rules_of(&self, candidate: &BankCandidate) -> [Stamp; 3] {
        let slot = usize::from(candidate.slot) & 3;
        let group = self.group_ok[usize::from(candidate.group)][slot];
        let rank = self.rank_ok[usize::from(candidate.rank)][slot];
        [candidate.bank_ok, group, rank]
    }

    /// When a choice is to be a column command, or else when the first one may follow it: whichever comes first of the
    /// columns of open rows and of the row that it opens.
    pub(super) fn column_not_before(&self, choice: &CommandChoice, rcd: u64) -> u64 {
        match choice.deed() {
            Deed::Serve(place) if place.kind() == ROWS => {
                let ready = self.first_of(COLUMNS, 0, choice.at, |_, _| false).at;
                ready.min(choice.at.saturating_add(rcd))
            }
            _ => choice.at,
        }
    }

    /// The hot loop: the first candidate of a kind by clock, class and age, which one number holds for each.
    #[inline(never)]
    fn first_of(
        &self,
        kind: usize,
        channel: usize,
        floor: u64,
        skip: impl Fn(&BankCandidate, u64) -> bool,
    ) -> CommandChoice {
        let (mut first, mut place) = (u64::MAX, 0);
        for (index, candidate) in self.candidates.0[kind & 1].iter().enumerate() {
            let wait = clock(self.rule(candidate)).saturating_sub(floor);
            let key = (wait << ORDER_BITS) | candidate.order;
            let key = if skip(candidate, wait) { u64::MAX } else { key };
            if key < first {
                (first, place) = (key, index);
            }
        }
        if first == u64::MAX {
            return CommandChoice::NEVER;
        }
        let order = first & ((1 << ORDER_BITS) - 1);
        let at = floor + (first >> ORDER_BITS);
        let deed = Deed::Serve(CandidatePlace::new(kind, place));
        CommandChoice::new(at, order + (1 << CLASS_BIT), channel, deed)
    }

    /// The column command of the oldest entry, where it may go at a clock before which no column command may.
    #[inline(always)]
    fn oldest_at(
        &self,
        channel: usize,
        entry: u16,
        bank: usize,
        any: u64,
    ) -> Option<CommandChoice> {
        let place = self.banks[bank].candidate;
        let candidate = self.candidates.get(place)?;
        if candidate.entry != entry || candidate.order >= ROW_COMMAND {
            return None;
        }
        let at = clock(self.rule(candidate));
        let order = candidate.order + (1 << CLASS_BIT);
        (at <= any).then(|| CommandChoice::new(any, order, channel, Deed::Serve(place)))
    }

    /// An entry came to the end of its bank's list. Whether what the bank does may change: only if it had nothing better
    /// to do.
    #[inline(always)]
    pub(super) fn is_news(&self, bank: &BankState, row: u32, closes_pages: bool) -> bool {
        match self.candidates.get(bank.candidate) {
            None => true,
            Some(candidate) if candidate.order >= AHEAD => true,
            Some(candidate) => row == bank.open && (closes_pages || !candidate.is_column()),
        }
    }

    /// Stores the candidate of its bank.
    #[inline]
    fn set_candidate(&mut self, candidate: BankCandidate) {
        let kind = if candidate.is_column() { COLUMNS } else { ROWS };
        let bank = usize::from(candidate.bank);
        let place = self.banks[bank].candidate;
        if place != CandidatePlace::NONE && place.kind() == kind {
            self.candidates.0[kind][place.number()] = candidate;
            return;
        }
        self.drop_candidate(bank);
        let list = &mut self.candidates.0[kind];
        self.banks[bank].candidate = CandidatePlace::new(kind, list.len());
        list.push(candidate);
    }

    fn drop_candidate(&mut self, bank: usize) {
        let place = std::mem::replace(&mut self.banks[bank].candidate, CandidatePlace::NONE);
        if place != CandidatePlace::NONE {
            let list = &mut self.candidates.0[place.kind()];
            list.swap_remove(place.number());
            if let Some(moved) = list.get(place.number()) {
                self.banks[usize::from(moved.bank)].candidate = place;
            }
        }
    }
}

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// [`choose_in`](Self::choose_in), for one of several pseudo-channels.
    #[inline(never)]
    pub(super) fn choose(&mut self, channel: usize, floor: u64) -> CommandChoice {
        self.choose_in(channel, floor)
    }

    /// What a pseudo-channel would do next, and when, if nothing else happened; not before `floor`.
    ///
    /// The choice is remembered: until something changes in the pseudo-channel, one that does not come before a later
    /// `floor` is the choice for that as well.
    #[inline(always)]
    pub(super) fn choose_in(&mut self, channel: usize, floor: u64) -> CommandChoice {
        let pc = &self.channels[channel & 1];
        if let Some(choice) = pc.next
            && floor <= choice.at
        {
            return choice;
        }
        let best = match pc.by_age[self.direction()].first {
            NONE if self.turn_near => pc.first_of(ROWS, channel, floor, |_, _| false),
            NONE => CommandChoice::NEVER,
            oldest => self.choose_for_requests(channel, oldest, floor),
        };
        if pc.duties > 0 || self.has_idle_duties {
            return best.better(self.duty(channel, floor));
        }
        self.channels[channel & 1].next = Some(best);
        best
    }

    #[inline(always)]
    fn choose_for_requests(&self, channel: usize, oldest: u16, floor: u64) -> CommandChoice {
        let pc = &self.channels[channel & 1];
        let entry = &self.sets[self.set_of(channel) & 1].entries[usize::from(oldest)];
        let bank = usize::from(entry.request.bank);
        let passed = pc.columns - entry.columns_before;
        if passed >= u64::from(self.policy.age_cap) && !pc.is_off(bank) {
            return self.first_beside_overdue(channel, oldest, floor);
        }
        let rows = pc.first_of(ROWS, channel, floor, |_, _| false);
        let any = clock(pc.any_rank_ok[self.direction()]).max(floor);
        if rows.at < any {
            return rows;
        }
        // A column command goes first at its clock, and the oldest one of all first among them.
        let column = if S::IS_FR_FCFS {
            pc.oldest_at(channel, oldest, bank, any)
        } else {
            None
        };
        column.unwrap_or_else(|| {
            pc.first_of(COLUMNS, channel, floor, |_, _| false)
                .better(rows)
        })
    }

    /// The choice of the overdue entry's bank is its own; and if that is a column command whose row is there, there is no
    /// other.
    #[inline(never)]
    fn first_beside_overdue(&self, channel: usize, entry: u16, floor: u64) -> CommandChoice {
        let pc = &self.channels[channel & 1];
        let forced = self.overdue_candidate(channel, entry);
        let column = forced.is_column();
        // Until its row is there, the bus would stand idle.
        let from = pc.banks[usize::from(forced.bank)].row_ready;
        let own = forced.bank;
        let rows = pc.first_of(ROWS, channel, floor, |other, _| other.bank == own);
        let columns = pc.first_of(COLUMNS, channel, floor, |other, wait| {
            other.bank == own || (column && floor + wait >= from)
        });
        let others = columns.better(rows);
        if forced.order == u64::MAX {
            return others;
        }
        let at = clock(pc.rule(&forced)).max(floor);
        let order = forced.order + (1 << CLASS_BIT);
        CommandChoice::new(at, order, channel, Deed::ServeOverdue(entry)).better(others)
    }

    /// What an overdue entry's bank does for it.
    #[inline(never)]
    pub(super) fn overdue_candidate(&self, channel: usize, entry: u16) -> BankCandidate {
        let of = &self.sets[self.set_of(channel) & 1].entries[usize::from(entry)];
        let bank = usize::from(of.request.bank);
        let hit = self.channels[channel & 1].banks[bank].open == of.request.row;
        self.candidate(channel, bank, entry, hit)
    }

    /// What a bank does for an entry: a column command where its row is open.
    #[inline]
    fn candidate(&self, channel: usize, bank: usize, entry: u16, hit: bool) -> BankCandidate {
        let pc = &self.channels[channel & 1];
        let kind = self.direction();
        let closes = hit && self.closes_pages && !self.is_row_wanted_again(channel, bank, entry);
        let of = &pc.banks[bank];
        let (slot, bank_ok) = match (hit, of.open) {
            (true, _) if closes && kind == 0 => (kind, of.column_ok[0].max(of.rda_ok)),
            (true, _) => (kind, of.column_ok[kind]),
            (false, CLOSED) => (ACT, of.act_ok),
            (false, _) => (PRE, of.pre_ok),
        };
        let waiting = &self.sets[self.set_of(channel) & 1].entries[usize::from(entry)];
        let order = self.order(of, waiting, slot >= ACT);
        let no_act = pc.ranks[of.rank()].awaits_same_bank;
        let is_off = pc.is_off(bank) || (slot == ACT && (no_act || of.raa >= self.raammt));
        BankCandidate {
            bank_ok,
            order: if is_off { u64::MAX } else { order },
            bank: u16::try_from(bank).unwrap_or(NONE),
            entry,
            group: of.group,
            rank: of.location.rank,
            slot: slot.to_le_bytes()[0],
            closes,
        }
    }

    /// What the scheduler says of an entry's next command.
    #[inline(always)]
    fn order(&self, bank: &BankState, entry: &QueueEntry, opens_row: bool) -> u64 {
        let order = self.scheduler.order(&entry.waiting(bank), opens_row);
        if S::IS_FR_FCFS {
            order
        } else {
            order.min(ORDER_END - 1)
        }
    }

    /// The entry of the direction that a bank serves, and whether its row is open: the first by the scheduler.
    fn first_of_bank(&self, channel: usize, bank: usize) -> Option<(u16, bool)> {
        let of = &self.channels[channel & 1].banks[bank];
        let entries = self.entries_of(channel, bank, self.direction());
        let keyed = entries.map(|(place, entry)| {
            let hit = entry.request.row == of.open;
            (self.order(of, entry, !hit), place, hit)
        });
        let (_, place, hit) = keyed.min_by_key(|(order, ..)| *order)?;
        Some((place, hit))
    }

    /// Whether another active entry of the bank wants the row of an entry.
    fn is_row_wanted_again(&self, channel: usize, bank: usize, entry: u16) -> bool {
        let row = self.sets[self.set_of(channel) & 1].entries[usize::from(entry)]
            .request
            .row;
        self.entries_of(channel, bank, self.direction())
            .any(|(place, other)| place != entry && other.request.row == row)
    }

    /// Entries of a bank and kind, oldest first.
    #[inline]
    fn entries_of(
        &self,
        channel: usize,
        bank: usize,
        kind: usize,
    ) -> impl Iterator<Item = (u16, &QueueEntry)> {
        let entries = &self.sets[self.set_of(channel) & 1].entries;
        let mut place = self.channels[channel & 1].banks[bank].lists[kind].first;
        std::iter::from_fn(move || {
            let entry = entries.get(usize::from(place))?;
            let this = place;
            place = entry.next_in_bank;
            Some((this, entry))
        })
    }

    /// Makes the candidate of a bank again: an entry came or went, or its row changed.
    #[inline(never)]
    pub(super) fn rechoose(&mut self, channel: usize, bank: usize) {
        self.channels[channel & 1].next = None;
        let of = &self.channels[channel & 1].banks[bank];
        let first = of.lists[self.direction()].first;
        if first == NONE {
            let ahead = if self.turn_near {
                self.candidate_ahead(channel, bank)
            } else {
                None
            };
            match ahead {
                Some(candidate) => self.channels[channel & 1].set_candidate(candidate),
                None => self.channels[channel & 1].drop_candidate(bank),
            }
            return;
        }
        let open = of.open;
        if !S::IS_FR_FCFS {
            if let Some((entry, hit)) = self.first_of_bank(channel, bank) {
                let candidate = self.candidate(channel, bank, entry, hit);
                self.channels[channel & 1].set_candidate(candidate);
            }
            return;
        }
        let hit = if open == CLOSED {
            None
        } else {
            let mut entries = self.entries_of(channel, bank, self.direction());
            entries.find(|(_, entry)| entry.request.row == open)
        };
        let candidate = match hit {
            Some((entry, _)) => self.candidate(channel, bank, entry, true),
            None => self.candidate(channel, bank, first, false),
        };
        self.channels[channel & 1].set_candidate(candidate);
    }

    /// What a bank without entries of the direction does for those of the other one: only while a turn is near.
    #[inline(never)]
    fn candidate_ahead(&self, channel: usize, bank: usize) -> Option<BankCandidate> {
        let of = &self.channels[channel & 1].banks[bank];
        let coming = 1 - self.direction();
        let first = of.lists[coming].first;
        if first == NONE {
            return None;
        }
        let mut wanting = self.entries_of(channel, bank, coming);
        if of.open != CLOSED && wanting.any(|(_, entry)| entry.request.row == of.open) {
            return None;
        }
        let mut candidate = self.candidate(channel, bank, first, false);
        candidate.order = candidate.order.saturating_add(AHEAD);
        Some(candidate)
    }

    /// Whether an entry of the direction wants a row that is open.
    pub(super) fn is_hit_left(&self) -> bool {
        if !S::IS_FR_FCFS {
            return self.is_hit_queued(self.direction());
        }
        let columns = |pc: &PseudoChannel| {
            let mut columns = pc.candidates.0[COLUMNS].iter();
            columns.any(|candidate| candidate.order != u64::MAX)
        };
        self.channels.iter().any(columns)
    }

    /// The same of the other direction.
    pub(super) fn is_hit_coming(&self) -> bool {
        self.is_hit_queued(1 - self.direction())
    }

    #[inline(never)]
    fn is_hit_queued(&self, kind: usize) -> bool {
        (0..self.channel_count).any(|channel| {
            let (pc, set) = (&self.channels[channel & 1], self.set_of(channel));
            let mut place = pc.by_age[kind & 1].first;
            while let Some(entry) = self.sets[set & 1].entries.get(usize::from(place)) {
                let bank = usize::from(entry.request.bank);
                if pc.banks[bank].open == entry.request.row && !pc.is_off(bank) {
                    return true;
                }
                place = entry.younger;
            }
            false
        })
    }

    /// Makes the candidates of banks without entries of the direction: a turn has come near.
    #[inline(never)]
    pub(super) fn choose_ahead(&mut self) {
        for channel in 0..self.channel_count {
            let set = self.set_of(channel);
            let mut place = self.channels[channel & 1].by_age[1 - self.direction()].first;
            while let Some(entry) = self.sets[set & 1].entries.get(usize::from(place)) {
                let bank = usize::from(entry.request.bank);
                place = entry.younger;
                if self.channels[channel & 1].banks[bank].candidate == CandidatePlace::NONE {
                    self.rechoose(channel, bank);
                }
            }
        }
    }

    /// Makes all candidates again: the direction turned, or the scheduler has changed its mind.
    #[inline(never)]
    pub(super) fn choose_anew(&mut self) {
        for channel in 0..self.channel_count {
            let set = self.set_of(channel);
            let pc = &mut self.channels[channel & 1];
            pc.next = None;
            for list in &mut pc.candidates.0 {
                for candidate in &*list {
                    pc.banks[usize::from(candidate.bank)].candidate = CandidatePlace::NONE;
                }
                list.clear();
            }
            let mut place = self.channels[channel & 1].by_age[self.direction()].first;
            while let Some(entry) = self.sets[set & 1].entries.get(usize::from(place)) {
                let bank = usize::from(entry.request.bank);
                place = entry.younger;
                if self.channels[channel & 1].banks[bank].candidate == CandidatePlace::NONE {
                    self.rechoose(channel, bank);
                }
            }
        }
        if self.turn_near {
            self.choose_ahead();
        }
    }

    /// Makes the candidates of a rank again: its banks are withheld or powered down, or are so no more.
    pub(super) fn rechoose_rank(&mut self, channel: usize, rank: usize) {
        for bank in self.banks_of_rank(rank) {
            if self.channels[channel & 1].banks[bank].candidate != CandidatePlace::NONE {
                self.rechoose(channel, bank);
            }
        }
    }
}
