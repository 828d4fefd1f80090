//! From candidate to column command: what an issued command means for the request that it serves.

use super::SubChannel;
use super::choose::{Choice, Deed};
use super::queue::{Entry, Waiting, index, kind_of, located, unlink, unlink_by_age};
use super::stamp::{Stamp, cause, clock};
use super::state::{ACT, Candidate, PRE};
use crate::command::{Command, Issued};
use crate::observer::{CAUSES, Cause, Observer, Outcome, Served};

impl<O: Observer> SubChannel<O> {
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
    pub(super) fn issue(&mut self, choice: &Choice) {
        self.issue_in(choice.channel(), choice);
    }

    /// Issues a choice of a pseudo-channel at its clock.
    #[inline(always)]
    pub(super) fn issue_in(&mut self, channel: usize, choice: &Choice) {
        let at = choice.at;
        let bus = self.bus_of(channel);
        let candidate = match choice.deed() {
            Deed::Serve(place) => self.channels[channel & 1].candidates[place],
            Deed::ServeOverdue(entry) => self.overdue_candidate(channel, entry),
            Deed::Own {
                command,
                rank,
                bank,
            } => {
                self.bus_free[bus & 1] = at + 1;
                self.issue_own(channel, command, rank, bank, at);
                return;
            }
        };
        let long = usize::from(candidate.slot) != PRE;
        let taken = if long { self.timing.long_command } else { 1 };
        self.bus_free[bus & 1] = at + u64::from(taken);
        if candidate.is_column() {
            self.issue_column(channel, &candidate, at);
        } else {
            self.issue_row(channel, &candidate, at);
        }
    }

    /// PREpb or ACT.
    #[inline(never)]
    fn issue_row(&mut self, channel: usize, candidate: &Candidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let place = usize::from(candidate.entry);
        if O::WAITS {
            let mut waits = [0; CAUSES];
            self.account(channel, candidate, at, &mut waits);
            let drained = self.drained_before(self.direction(), at);
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
        let Waiting { id, row, .. } = entry.request;
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
        let mut location = pc.banks[bank].location;
        let rank = usize::from(location.rank);
        pc.ranks[rank].last_command = at;
        let command = if let Some(row) = opens {
            location.row = row;
            pc.banks[bank].open = row;
            pc.banks[bank].touched = at;
            pc.after_act(&self.timing, &self.rules, bank, at);
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
    fn issue_column(&mut self, channel: usize, candidate: &Candidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let (kind, closes) = (usize::from(candidate.slot) & 1, candidate.closes);
        let place = candidate.entry;
        let entry = &self.sets[set & 1].entries[usize::from(place)];
        let mut served = self.served(
            channel,
            kind,
            &entry.request,
            entry.admitted,
            at,
            outcome(entry),
        );
        // Put together where they stay: what was stored in parts is slow to copy.
        if O::WAITS {
            self.account(channel, candidate, at, &mut served.waits);
        }
        self.move_data(channel, bank, kind, closes, at);
        let queues = &mut self.sets[set & 1];
        let pc = &mut self.channels[channel & 1];
        let of = &mut pc.banks[bank];
        unlink(&mut queues.entries, &mut of.lists[kind], place);
        unlink_by_age(&mut queues.entries, &mut pc.by_age[kind], place);
        queues.remove(place);
        queues.count[kind] -= 1;
        if let Some(head) = queues.backlog[kind].front() {
            self.admit_at = self.admit_at.min(head.arrival.max(at + 1));
        }
        self.waiting -= 1;
        let rank = of.rank();
        let of = &mut pc.ranks[rank];
        of.queued -= 1;
        let emptied = of.queued == 0 && of.owed > 0;
        self.rechoose_after_column(channel, bank);
        if emptied {
            self.duty_changes(channel, rank, at + 1);
        }
        self.tell_column(&served, closes);
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
        pc.columns += 1;
        self.columns_since_turn = self.columns_since_turn.saturating_add(1);
        pc.after_column(&self.rules, bank, kind, at);
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
        channel: usize,
        kind: usize,
        request: &Waiting,
        admitted: u64,
        at: u64,
        outcome: Outcome,
    ) -> Served {
        let bank = &self.channels[channel & 1].banks[usize::from(request.bank)];
        let latency = if kind == 0 {
            self.timing.cl
        } else {
            self.timing.cwl
        };
        Served {
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
    #[inline]
    pub(super) fn tell_column(&mut self, served: &Served, closes: bool) {
        let command = match (index(served.kind), closes) {
            (0, false) => Command::Rd,
            (0, true) => Command::Rda,
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

    /// Divides the clocks since an entry's milestone among their causes; all its waits so far come with them. `waits`
    /// are 0.
    #[inline(always)]
    fn account(&self, channel: usize, candidate: &Candidate, at: u64, waits: &mut [u32; CAUSES]) {
        let queues = &self.sets[self.set_of(channel) & 1];
        let place = usize::from(candidate.entry);
        let entry = &queues.entries[place];
        if entry.activated || entry.precharged {
            *waits = queues.waits[place];
        } else {
            waits[Cause::Queue as usize] = clocks(entry.admitted - entry.request.arrival);
        }
        let pc = &self.channels[channel & 1];
        let drained = self.drained_before(usize::from(entry.request.kind), at) - entry.drained;
        let withheld = pc.withheld_before(usize::from(candidate.bank), at) - entry.withheld;
        let mut rest = Rest {
            begin: entry.milestone,
            left: at - entry.milestone,
            waits,
        };
        // Mostly the channel had the request's direction all the time, and its bank was not withheld.
        if drained | withheld != 0 {
            rest.take(drained, Cause::Drain as usize);
            rest.take(withheld, Cause::Refresh as usize);
        }
        if candidate.is_column() {
            let ready = pc.banks[usize::from(candidate.bank)].row_ready;
            rest.take_row(ready, self.timing.rcd);
        }
        rest.take_rules(pc.rules_of(candidate));
    }
}

/// What is left of the clocks between two commands for a request, while they are divided among their causes.
pub(super) struct Rest<'a> {
    /// Clocks before this one that rules ask for are given away.
    pub(super) begin: u64,
    pub(super) left: u64,
    pub(super) waits: &'a mut [u32; CAUSES],
}

impl Rest<'_> {
    /// Gives clocks to a cause, as far as there are any.
    #[inline]
    pub(super) fn take(&mut self, part: u64, cause: usize) {
        let part = part.min(self.left);
        self.left -= part;
        self.waits[cause] += clocks(part);
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
            self.take_until(ready.saturating_sub(u64::from(rcd)), Cause::Bank as usize);
            self.take_until(ready, Cause::Activate as usize);
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
        self.waits[Cause::Order as usize] += clocks(self.left);
    }
}

/// How a request is served whose column command goes out.
#[inline]
fn outcome(entry: &Entry) -> Outcome {
    match (entry.precharged, entry.activated) {
        (true, _) => Outcome::Conflict,
        (false, true) => Outcome::Miss,
        (false, false) => Outcome::Hit,
    }
}

/// A wait as statistics take it.
#[inline]
pub(super) fn clocks(clocks: u64) -> u32 {
    clocks.min(u64::from(u32::MAX)) as u32
}
