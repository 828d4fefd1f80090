//! From candidate to column command: what an issued command means for the request that it serves.

use super::SubChannel;
use super::choose::{Choice, Deed};
use super::queue::{Entry, unlink};
use super::stamp::{cause, clock};
use super::state::{ACT, Candidate, PRE};
use crate::command::{Command, Issued};
use crate::observer::{CAUSES, Cause, Observer, Outcome, Served};
use crate::request::Location;

impl<O: Observer> SubChannel<O> {
    /// Issues a choice at its clock.
    pub(super) fn issue(&mut self, choice: &Choice) {
        let (at, channel) = (choice.at, usize::from(choice.channel));
        let bus = if self.policy.shared_commands {
            0
        } else {
            channel
        };
        match &choice.deed {
            Deed::Serve(place) => {
                let candidate = self.channels[channel].candidates[usize::from(*place)];
                self.issue_for_request(channel, bus, &candidate, at);
            }
            Deed::ServeOverdue(entry) => {
                let candidate = self.overdue_candidate(channel, *entry);
                self.issue_for_request(channel, bus, &candidate, at);
            }
            Deed::Own {
                command,
                rank,
                bank,
            } => {
                self.bus_free[bus] = at + 1;
                self.issue_own(
                    channel,
                    *command,
                    usize::from(*rank),
                    usize::from(*bank),
                    at,
                );
            }
        }
    }

    fn issue_for_request(&mut self, channel: usize, bus: usize, candidate: &Candidate, at: u64) {
        let set = self.set_of(channel);
        let place = usize::from(candidate.entry);
        let mut waits = [0; CAUSES];
        if O::WAITS {
            waits = self.account(set, candidate, at);
        }
        let entry = &mut self.sets[set].entries[place];
        let slot = usize::from(candidate.slot);
        entry.activated |= slot == ACT;
        entry.precharged |= slot == PRE;
        let (id, location) = (entry.id, entry.location);
        let bank = usize::from(candidate.bank);
        self.command(
            channel,
            bus,
            slot,
            candidate.closes,
            bank,
            id,
            &location,
            at,
        );
        if slot < ACT {
            self.leave(channel, bank, candidate.entry, slot, waits, at);
        } else {
            self.rechoose(channel, bank);
        }
    }

    /// Sends a command for a request over its bus.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn command(
        &mut self,
        channel: usize,
        bus: usize,
        slot: usize,
        closes: bool,
        bank: usize,
        id: u64,
        location: &Location,
        at: u64,
    ) {
        let taken = if slot == PRE {
            1
        } else {
            self.timing.long_command
        };
        self.bus_free[bus] = at + u64::from(taken);
        let command = match slot {
            ACT => Command::Act,
            PRE => Command::PrePb,
            0 if closes => Command::Rda,
            0 => Command::Rd,
            _ if closes => Command::Wra,
            _ => Command::Wr,
        };
        let mut told = *location;
        let rank = usize::from(location.rank);
        let pc = &mut self.channels[channel];
        pc.ranks[rank].last_command = at;
        match slot {
            ACT => {
                told.column = 0;
                pc.banks[bank].open = location.row;
                let per_rank = usize::from(self.geometry.groups) * usize::from(self.geometry.banks);
                pc.ranks[rank].open_banks |= 1 << (bank - rank * per_rank);
                pc.touched[bank] = at;
                self.after_act(channel, bank, at);
            }
            PRE => {
                (told.row, told.column) = (0, 0);
                self.close(channel, bank, at);
                self.after_pre(channel, rank, at);
            }
            kind => {
                pc.touched[bank] = at;
                pc.columns += 1;
                self.after_column(channel, bank, kind, at);
                if closes {
                    self.close_by_itself(channel, bank);
                }
            }
        }
        self.observer.command(&Issued {
            at,
            command,
            location: told,
            request: Some(id),
        });
    }

    /// A request's column command was issued.
    #[inline]
    fn leave(
        &mut self,
        channel: usize,
        bank: usize,
        place: u16,
        kind: usize,
        waits: [u32; CAUSES],
        at: u64,
    ) {
        let set = self.set_of(channel);
        let queues = &mut self.sets[set];
        let pc = &mut self.channels[channel];
        unlink(&mut queues.entries, &mut pc.banks[bank].lists[kind], place);
        let entry = &queues.entries[usize::from(place)];
        let latency = if kind == 0 {
            self.timing.cl
        } else {
            self.timing.cwl
        };
        let served = Served {
            id: entry.id,
            kind: entry.kind,
            location: entry.location,
            arrival: entry.arrival,
            admitted: entry.admitted,
            issued: at,
            finish: at + u64::from(latency + self.timing.burst),
            outcome: outcome(entry),
            waits,
        };
        queues.remove(place);
        queues.count[kind] -= 1;
        pc.by_age[kind].tidy(&queues.entries);
        if let Some(head) = queues.backlog[kind].front() {
            self.admit_at = self.admit_at.min(head.arrival.max(at + 1));
        }
        let of = &mut pc.ranks[usize::from(served.location.rank)];
        of.queued -= 1;
        let emptied = of.queued == 0 && of.owed > 0;
        self.waiting -= 1;
        self.rechoose_after_column(channel, bank);
        if emptied {
            self.duty_changes(channel, usize::from(served.location.rank), at + 1);
        }
        self.observer.served(&served);
    }

    /// Divides the clocks since an entry's milestone among their causes; all its waits so far come back.
    #[inline]
    fn account(&mut self, set: usize, candidate: &Candidate, at: u64) -> [u32; CAUSES] {
        let place = usize::from(candidate.entry);
        let entry = &self.sets[set].entries[place];
        let channel = usize::from(entry.location.pseudo_channel);
        let rule = self.rule(channel, candidate);
        let drained = self.drained_before(entry.kind, at);
        let withheld = self.withheld_before(channel, usize::from(candidate.bank), at);
        let entry = &mut self.sets[set].entries[place];
        if !entry.activated && !entry.precharged {
            entry.waits = [0; CAUSES];
            entry.waits[Cause::Queue as usize] = clocks(entry.admitted - entry.arrival);
        }
        let mut left = at - entry.milestone;
        let mut take = |most: u64, cause: usize| {
            let part = most.min(left);
            left -= part;
            entry.waits[cause] += clocks(part);
        };
        take(drained - entry.drained, Cause::Drain as usize);
        take(withheld - entry.withheld, Cause::Refresh as usize);
        take(clock(rule).saturating_sub(entry.milestone), cause(rule));
        take(u64::MAX, Cause::Order as usize);
        entry.milestone = at;
        entry.drained = drained;
        entry.withheld = withheld;
        entry.waits
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
pub(super) fn clocks(clocks: u64) -> u32 {
    u32::try_from(clocks).unwrap_or(u32::MAX)
}
