//! From candidate to column command: what an issued command means for the request that it serves.

use super::SubChannel;
use super::choose::{Choice, Deed};
use super::queue::{Entry, kind_of, located, unlink};
use super::stamp::{Stamp, cause, clock};
use super::state::{ACT, Candidate, PRE};
use crate::command::{Command, Issued};
use crate::observer::{CAUSES, Cause, Observer, Outcome, Served};

impl<O: Observer> SubChannel<O> {
    /// Issues a choice at its clock.
    #[inline]
    pub(super) fn issue(&mut self, choice: &Choice) {
        let (at, channel) = (choice.at, choice.channel());
        let bus = if self.policy.shared_commands {
            0
        } else {
            channel
        };
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
    fn issue_row(&mut self, channel: usize, candidate: &Candidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let place = usize::from(candidate.entry);
        if O::WAITS {
            let waits = self.account(channel, candidate, at);
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
        let pc = &mut self.channels[channel & 1];
        let mut location = pc.banks[bank].location;
        let rank = usize::from(location.rank);
        pc.ranks[rank].last_command = at;
        let command = if activates {
            location.row = entry.row;
            pc.banks[bank].open = entry.row;
            pc.touched[bank] = at;
            pc.after_act(&self.timing, &self.rules, bank, at);
            Command::Act
        } else {
            pc.close(&self.timing, bank, at);
            pc.after_pre(&self.timing, rank, at);
            Command::PrePb
        };
        let request = Some(entry.id);
        self.rechoose(channel, bank);
        self.observer.command(&Issued {
            at,
            command,
            location,
            request,
        });
    }

    /// RD, RDA, WR or WRA: the request has what it wants.
    fn issue_column(&mut self, channel: usize, candidate: &Candidate, at: u64) {
        let (set, bank) = (self.set_of(channel), usize::from(candidate.bank));
        let kind = usize::from(candidate.slot) & 1;
        let waits = if O::WAITS {
            self.account(channel, candidate, at)
        } else {
            [0; CAUSES]
        };
        let pc = &mut self.channels[channel & 1];
        pc.columns += 1;
        self.columns_since_turn = self.columns_since_turn.saturating_add(1);
        pc.touched[bank] = at;
        pc.after_column(&self.rules, bank, kind, at);
        if candidate.closes {
            pc.close_by_itself(&self.timing, bank);
        }
        let queues = &mut self.sets[set & 1];
        let of = &mut pc.banks[bank];
        unlink(&mut queues.entries, &mut of.lists[kind], candidate.entry);
        let entry = queues.entries[usize::from(candidate.entry)];
        queues.remove(candidate.entry);
        queues.count[kind] -= 1;
        pc.by_age[kind].tidy(&queues.entries);
        if let Some(head) = queues.backlog[kind].front() {
            self.admit_at = self.admit_at.min(head.arrival.max(at + 1));
        }
        self.waiting -= 1;
        let location = located(of.location, entry.row, entry.column);
        let rank = of.rank();
        let of = &mut pc.ranks[rank];
        of.last_command = at;
        of.queued -= 1;
        let emptied = of.queued == 0 && of.owed > 0;
        if self.channel_count > 1 {
            self.channels[1 - (channel & 1)].after_pair(&self.rules, kind, at);
        }
        self.rechoose_after_column(channel, bank);
        if emptied {
            self.duty_changes(channel, rank, at + 1);
        }
        let (command, latency) = match (kind, candidate.closes) {
            (0, false) => (Command::Rd, self.timing.cl),
            (0, true) => (Command::Rda, self.timing.cl),
            (_, false) => (Command::Wr, self.timing.cwl),
            (_, true) => (Command::Wra, self.timing.cwl),
        };
        self.observer.command(&Issued {
            at,
            command,
            location,
            request: Some(entry.id),
        });
        self.observer.served(&Served {
            id: entry.id,
            kind: kind_of(entry.kind),
            location,
            arrival: entry.arrival,
            admitted: entry.admitted,
            issued: at,
            finish: at + u64::from(latency + self.timing.burst),
            outcome: outcome(&entry),
            waits,
        });
    }

    /// Divides the clocks since an entry's milestone among their causes; all its waits so far come back.
    #[inline]
    fn account(&self, channel: usize, candidate: &Candidate, at: u64) -> [u32; CAUSES] {
        let queues = &self.sets[self.set_of(channel) & 1];
        let place = usize::from(candidate.entry);
        let entry = &queues.entries[place];
        let mut waits = if entry.activated || entry.precharged {
            queues.waits[place]
        } else {
            let mut waits = [0; CAUSES];
            waits[Cause::Queue as usize] = clocks(entry.admitted - entry.arrival);
            waits
        };
        let mut left = at - entry.milestone;
        let mut take = |most: u64, cause: usize| {
            let part = most.min(left);
            left -= part;
            waits[cause] += clocks(part);
        };
        let pc = &self.channels[channel & 1];
        let rule: Stamp = pc.rule(candidate);
        let drained = self.drained_before(usize::from(entry.kind), at);
        let withheld = pc.withheld_before(usize::from(candidate.bank), at);
        take(drained - entry.drained, Cause::Drain as usize);
        take(withheld - entry.withheld, Cause::Refresh as usize);
        take(clock(rule).saturating_sub(entry.milestone), cause(rule));
        take(u64::MAX, Cause::Order as usize);
        waits
    }
}

/// How a request is served whose column command goes out.
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
