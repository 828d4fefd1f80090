//! From candidate to column command: what an issued command means for the request that it serves.

use super::SubChannel;
use super::choose::{CommandChoice, Deed};
use super::queue::{
    QueueEntry, QueuedRequest, READ, WRITE, kind_of, located, unlink, unlink_by_age,
};
use super::stamp::{Stamp, cause, clock};
use super::state::{ACT, BankCandidate, BankState, COLUMNS, PRE, ROWS};
use crate::command::{Command, Issued};
use crate::observer::{CAUSES, Observer, RowOutcome, ServedRequest, WaitCause};
use crate::scheduler::Scheduler;

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// The command bus of a pseudo-channel.
    #[inline]
    pub(super) fn bus_of(&self, channel: usize) -> usize {
        if self.policy.shared_commands {
            0
        } else {
            channel
        }
    }

    /// [`issue_in`](Self::issue_in), for one of several pseudo-channels.
    #[inline(never)]
    pub(super) fn issue(&mut self, choice: &CommandChoice) {
        self.issue_in(choice.channel(), choice);
    }

    /// Issues a choice of a pseudo-channel at its clock.
    #[inline(always)]
    pub(super) fn issue_in(&mut self, channel: usize, choice: &CommandChoice) {
        let at = choice.at;
        match choice.deed() {
            Deed::Serve(place) => {
                // A copy for each: what is known of it need not go through memory.
                let candidate = |of: &Self, kind: usize| {
                    of.channels[channel & 1].candidates.0[kind][place.number()]
                };
                if place.kind() == ROWS {
                    let candidate = candidate(self, ROWS);
                    self.take_bus(channel, candidate.slot, at);
                    self.issue_row(channel, &candidate, at);
                } else if self.writing {
                    let candidate = candidate(self, COLUMNS);
                    self.take_bus(channel, candidate.slot, at);
                    self.issue_column(channel, WRITE, &candidate, at);
                } else {
                    let candidate = candidate(self, COLUMNS);
                    self.take_bus(channel, candidate.slot, at);
                    self.issue_column(channel, READ, &candidate, at);
                }
            }
            Deed::ServeOverdue(entry) => self.issue_overdue(channel, entry, at),
            Deed::Own {
                command,
                rank,
                bank,
            } => {
                let bus = self.bus_of(channel);
                self.bus_free[bus & 1] = at + 1;
                self.issue_own(channel, command, rank, bank, at);
            }
        }
    }

    #[inline(never)]
    fn issue_overdue(&mut self, channel: usize, entry: u16, at: u64) {
        let candidate = self.overdue_candidate(channel, entry);
        self.take_bus(channel, candidate.slot, at);
        if candidate.is_column() {
            self.issue_column(channel, self.direction(), &candidate, at);
        } else {
            self.issue_row(channel, &candidate, at);
        }
    }

    /// A command for a request takes the command bus.
    #[inline(always)]
    fn take_bus(&mut self, channel: usize, slot: u8, at: u64) {
        let bus = self.bus_of(channel);
        let taken = match usize::from(slot) {
            PRE => 1,
            ACT => self.timing.long_command,
            _ => self.timing.column_command,
        };
        self.bus_free[bus & 1] = at + u64::from(taken);
    }

    /// PREpb or ACT.
    #[inline(never)]
    fn issue_row(&mut self, channel: usize, candidate: &BankCandidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let place = usize::from(candidate.entry);
        if O::WAITS {
            let mut waits = [0; CAUSES];
            let of = &self.channels[channel & 1].banks[bank];
            let entry = &self.sets[set & 1].entries[place];
            let drained = self.drained_before(usize::from(entry.request.kind), at);
            self.account(channel, of, entry, candidate, (at, drained), &mut waits);
            let withheld = self.channels[channel & 1].withheld_before(bank, at);
            let queues = &mut self.sets[set & 1];
            queues.waits[place] = waits;
            let entry = &mut queues.entries[place];
            (entry.milestone, entry.drained, entry.withheld) = (at, drained, withheld);
        }
        let activates = usize::from(candidate.slot) == ACT;
        let entry = &mut self.sets[set & 1].entries[place];
        entry.activated |= activates;
        entry.precharged |= !activates;
        let QueuedRequest { id, row, .. } = entry.request;
        self.open_or_close(channel, bank, activates.then_some(row), id, at);
        self.rechoose(channel, bank);
    }

    /// ACT of a row, or PREpb, for a request.
    pub(super) fn open_or_close(
        &mut self,
        channel: usize,
        bank: usize,
        opens: Option<u32>,
        id: u64,
        at: u64,
    ) {
        let pc = &mut self.channels[channel & 1];
        pc.next = None;
        let mut location = pc.banks[bank].location;
        let rank = usize::from(location.rank);
        pc.ranks[rank].last_command = at;
        let command = if let Some(row) = opens {
            location.row = row;
            pc.banks[bank].open = row;
            pc.banks[bank].touched = at;
            pc.after_act(&self.timing, &self.rules, bank, at);
            if self.policy.rfm.is_some() {
                pc.banks[bank].raa += 1;
                self.duty_changes(channel, rank, at);
            }
            Command::Act
        } else {
            pc.close(&self.timing, bank, at);
            pc.after_pre(&self.timing, rank, at);
            Command::PrePb
        };
        self.observer.command(&Issued {
            at,
            command,
            location,
            request: Some(id),
        });
    }

    /// RD, RDA, WR or WRA: the request has what it wants.
    #[inline(always)]
    fn issue_column(&mut self, channel: usize, kind: usize, candidate: &BankCandidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let closes = candidate.closes;
        let of = &self.channels[channel & 1].banks[bank];
        let entry = &self.sets[set & 1].entries[usize::from(candidate.entry)];
        let mut served = self.served(of, kind, &entry.request, entry.admitted, at, outcome(entry));
        // Put together where they stay: what was stored in parts is slow to copy.
        if O::WAITS {
            let drained = self.drained[kind & 1];
            self.account(
                channel,
                of,
                entry,
                candidate,
                (at, drained),
                &mut served.waits,
            );
        }
        let waiting = entry.waiting(of);
        self.move_data(channel, bank, kind, closes, at);
        self.leave(channel, bank, kind, candidate.entry, at);
        if self.scheduler.served(&waiting, at) {
            self.choose_anew();
        }
        self.tell_column(&served, kind, closes);
    }

    /// An entry goes, as its column command is issued.
    #[inline(always)]
    fn leave(&mut self, channel: usize, bank: usize, kind: usize, place: u16, at: u64) {
        let set = self.set_of(channel);
        let pc = &mut self.channels[channel & 1];
        let queues = &mut self.sets[set & 1];
        // Looked up once: each time costs a test of its bounds.
        let (of, entries) = (&mut pc.banks[bank], queues.entries.as_mut_slice());
        unlink(entries, &mut of.lists[kind], place);
        unlink_by_age(entries, &mut pc.by_age[kind], place);
        queues.free_place(place);
        // The next one may wait for its place; admission looks whether it has arrived.
        if queues.count[kind] == queues.room[kind] && queues.is_waited_for(kind) {
            self.admit_at = self.admit_at.min(at + 1);
        }
        queues.count[kind] -= 1;
        self.waiting -= 1;
        let follows = S::IS_FR_FCFS
            && !self.closes_pages
            && of.is_followed(&mut pc.candidates, &queues.entries, kind);
        let rank = of.rank();
        let of = &mut pc.ranks[rank];
        of.queued -= 1;
        let emptied = self.follows_entries || (of.queued == 0 && of.owed > of.ahead);
        if !follows {
            self.rechoose(channel, bank);
        }
        if emptied {
            self.duty_changes(channel, rank, at);
        }
    }

    /// What a column command means for banks, ranks and pseudo-channels.
    #[inline(always)]
    pub(super) fn move_data(
        &mut self,
        channel: usize,
        bank: usize,
        kind: usize,
        closes: bool,
        at: u64,
    ) {
        let pc = &mut self.channels[channel & 1];
        pc.next = None;
        pc.columns += 1;
        self.columns_since_turn += 1;
        pc.after_column(&self.rules, bank, kind, at);
        let losses = self.policy.bus_loss_permille > 0;
        if losses && pc.is_slot_lost(&self.policy, self.timing.burst, at) {
            pc.lose_slot(&self.rules, bank, kind, at);
        }
        if closes {
            pc.close_by_itself(&self.timing, bank);
        }
        if self.channel_count > 1 {
            self.channels[1 - (channel & 1)].after_pair(&self.rules, kind, at);
        }
    }

    /// A request as it is served by a column command; its waits are not known yet.
    #[inline(always)]
    pub(super) fn served(
        &self,
        bank: &BankState,
        kind: usize,
        request: &QueuedRequest,
        admitted: u64,
        at: u64,
        outcome: RowOutcome,
    ) -> ServedRequest {
        let latency = if kind == 0 {
            self.timing.cl
        } else {
            self.timing.cwl
        };
        ServedRequest {
            id: request.id,
            kind: kind_of(kind as u8),
            location: located(bank.location, request.row, request.column),
            arrival: request.arrival,
            admitted,
            issued: at,
            finish: at + u64::from(latency + self.timing.burst),
            outcome,
            waits: [0; CAUSES],
        }
    }

    /// Says that a column command was issued, and what it did.
    #[inline(always)]
    pub(super) fn tell_column(&mut self, served: &ServedRequest, kind: usize, closes: bool) {
        let command = match (kind, closes) {
            (READ, false) => Command::Rd,
            (READ, true) => Command::Rda,
            (_, false) => Command::Wr,
            (_, true) => Command::Wra,
        };
        self.observer.command(&Issued {
            at: served.issued,
            command,
            location: served.location,
            request: Some(served.id),
        });
        self.observer.served(served);
    }

    /// Divides the clocks from an entry's milestone to a clock among their causes; all its waits so far come with them.
    /// With the clock comes for how many clocks the direction was not the entry's. `waits` are 0.
    #[inline(always)]
    fn account(
        &self,
        channel: usize,
        bank: &BankState,
        entry: &QueueEntry,
        candidate: &BankCandidate,
        (at, drained): (u64, u64),
        waits: &mut [u32; CAUSES],
    ) {
        if entry.activated || entry.precharged {
            *waits = self.sets[self.set_of(channel) & 1].waits[usize::from(candidate.entry)];
        } else {
            waits[WaitCause::Queue as usize] = clocks(entry.admitted - entry.request.arrival);
        }
        let pc = &self.channels[channel & 1];
        let drained = drained - entry.drained;
        let withheld = pc.withheld[usize::from(bank.withheld)].before(at) - entry.withheld;
        let mut rest = WaitAttribution {
            begin: entry.milestone,
            left: clocks(at - entry.milestone).into(),
            waits,
        };
        // Mostly the channel had the request's direction all the time, and its bank was not withheld.
        if drained | withheld != 0 {
            rest.take(drained, WaitCause::Drain as usize);
            rest.take(withheld, WaitCause::Refresh as usize);
        }
        if candidate.is_column() {
            rest.take_row(bank.row_ready, self.timing.rcd);
        }
        rest.take_rules(pc.rules_of(candidate));
    }
}

/// Attributes the clocks between two commands for a request to the causes of waiting.
pub(super) struct WaitAttribution<'a> {
    /// Clocks before this one that rules ask for are given away.
    pub(super) begin: u64,
    /// Clocks that have no cause yet; no more than a wait holds: see [`clocks`].
    pub(super) left: u64,
    pub(super) waits: &'a mut [u32; CAUSES],
}

impl WaitAttribution<'_> {
    /// Gives clocks to a cause, as far as there are any.
    #[inline]
    pub(super) fn take(&mut self, part: u64, cause: usize) {
        let part = part.min(self.left);
        self.left -= part;
        self.waits[cause] += part as u32;
    }

    /// The same up to a clock.
    #[inline]
    fn take_until(&mut self, until: u64, cause: usize) {
        if until > self.begin {
            self.take(until - self.begin, cause);
            self.begin = until;
        }
    }

    /// The row that a column command wants was opened, and ready at a clock.
    #[inline]
    pub(super) fn take_row(&mut self, ready: u64, rcd: u32) {
        if ready > self.begin {
            self.take_until(
                ready.saturating_sub(u64::from(rcd)),
                WaitCause::Bank as usize,
            );
            self.take_until(ready, WaitCause::Activate as usize);
        }
    }

    /// The rules of bank, group and rank, of each what the narrower ones leave; then others went first.
    #[inline]
    pub(super) fn take_rules(mut self, rules: [Stamp; 3]) {
        // Often a command goes at once.
        if self.left == 0 {
            return;
        }
        for rule in rules {
            self.take_until(clock(rule), cause(rule));
        }
        self.waits[WaitCause::Order as usize] += self.left as u32;
    }
}

/// How a request is served whose column command goes out.
#[inline]
fn outcome(entry: &QueueEntry) -> RowOutcome {
    match (entry.precharged, entry.activated) {
        (true, _) => RowOutcome::Conflict,
        (false, true) => RowOutcome::Miss,
        (false, false) => RowOutcome::Hit,
    }
}

/// A wait as statistics take it.
#[inline]
pub(super) fn clocks(clocks: u64) -> u32 {
    clocks.min(u64::from(u32::MAX)) as u32
}
