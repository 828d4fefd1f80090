//! From arrival to column command: requests enter the queues, are served, and leave.

use super::SubChannel;
use super::choose::{Choice, Deed};
use super::queue::{
    Entry, append_by_age, append_to_bank, index, kind_of, unlink_by_age, unlink_from_bank,
};
use super::stamp::{Stamp, cause, clock};
use super::state::{ACT, Candidate, PRE};
use crate::command::{Command, Issued};
use crate::observer::{CAUSES, Cause, Observer, Outcome, Served};
use crate::request::{Kind, Request};

impl<O: Observer> SubChannel<O> {
    /// Lets requests that have arrived into the queues.
    #[inline]
    pub(super) fn admit(&mut self, now: u64) {
        self.admit_at = u64::MAX;
        for set in 0..self.sets.len() {
            for kind in 0..2 {
                while let Some(head) = self.sets[set].backlog[kind].front() {
                    if head.arrival > now {
                        self.admit_at = self.admit_at.min(head.arrival);
                        break;
                    }
                    let request = *head;
                    let found = self.is_line_queued(set, &request);
                    if !found && self.sets[set].count[kind] >= self.sets[set].room[kind] {
                        break;
                    }
                    self.sets[set].backlog[kind].pop_front();
                    self.observer.accepted(request.id, request.kind, now);
                    if found {
                        self.serve_at_once(&request, now);
                    } else {
                        self.enter(set, &request, now);
                    }
                }
            }
        }
    }

    /// Whether a write to the line of a request is queued.
    fn is_line_queued(&self, set: usize, request: &Request) -> bool {
        let at = &request.location;
        if self.sets[set].count[1] == 0 {
            return false;
        }
        let bank = self.bank_of(at);
        let mut place = self.channels[usize::from(at.pseudo_channel)].banks[bank].lists[1].first;
        while let Some(entry) = self.sets[set].entries.get(usize::from(place)) {
            if entry.location.row == at.row && entry.location.column == at.column {
                return true;
            }
            place = entry.next_in_bank;
        }
        false
    }

    fn serve_at_once(&mut self, request: &Request, now: u64) {
        self.waiting -= 1;
        let mut waits = [0; CAUSES];
        waits[Cause::Queue as usize] = clocks(now - request.arrival);
        self.observer.served(&Served {
            id: request.id,
            kind: request.kind,
            location: request.location,
            arrival: request.arrival,
            admitted: now,
            issued: now,
            finish: now,
            outcome: match request.kind {
                Kind::Read => Outcome::Forwarded,
                Kind::Write => Outcome::Merged,
            },
            waits,
        });
    }

    fn enter(&mut self, set: usize, request: &Request, now: u64) {
        let (kind, at) = (index(request.kind), request.location);
        let channel = usize::from(at.pseudo_channel);
        let (bank, rank) = (self.bank_of(&at), usize::from(at.rank));
        let mut entry = Entry {
            id: request.id,
            location: at,
            bank: u16::try_from(bank).unwrap_or(u16::MAX),
            arrival: request.arrival,
            admitted: now,
            age: self.next_age,
            columns_before: self.channels[channel].columns,
            milestone: now,
            drained: 0,
            withheld: 0,
            waits: [0; CAUSES],
            precharged: false,
            activated: false,
            next_in_bank: 0,
            previous_in_bank: 0,
            next_by_age: 0,
            previous_by_age: 0,
        };
        if O::WAITS {
            entry.waits[Cause::Queue as usize] = clocks(now - request.arrival);
            entry.drained = self.drained_before(request.kind, now);
            entry.withheld = self.withheld_before(channel, bank, now);
        }
        if kind == 1 && !self.sets[set].backlog[0].is_empty() {
            // The read that waits there may want this line.
            self.admit_at = self.admit_at.min(now + 1);
        }
        self.next_age += 1;
        let queues = &mut self.sets[set];
        queues.count[kind] += 1;
        let place = queues.insert(entry);
        let pc = &mut self.channels[channel];
        append_to_bank(&mut queues.entries, &mut pc.banks[bank].lists[kind], place);
        append_by_age(&mut queues.entries, &mut pc.by_age[kind], place);
        pc.ranks[rank].queued += 1;
        if pc.ranks[rank].queued == 1 {
            self.duty_changes(channel, rank, now);
        }
        if kind == self.direction() {
            self.rechoose_for_new(channel, bank, place);
        }
    }

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
        let long = usize::from(candidate.slot) != PRE;
        let taken = if long { self.timing.long_command } else { 1 };
        self.bus_free[bus] = at + u64::from(taken);
        let bank = usize::from(candidate.bank);
        let set = self.set_of(channel);
        if O::WAITS {
            let rule = self.rule(channel, candidate);
            self.account(channel, candidate, rule, at);
        }
        let entry = &mut self.sets[set].entries[usize::from(candidate.entry)];
        let (id, location) = (entry.id, entry.location);
        let slot = usize::from(candidate.slot);
        let command = match slot {
            ACT => Command::Act,
            PRE => Command::PrePb,
            0 if candidate.closes => Command::Rda,
            0 => Command::Rd,
            _ if candidate.closes => Command::Wra,
            _ => Command::Wr,
        };
        let pc = &mut self.channels[channel];
        let rank = usize::from(pc.banks[bank].rank);
        pc.ranks[rank].last_command = at;
        let mut told = location;
        match slot {
            ACT => {
                entry.activated = true;
                told.column = 0;
                pc.banks[bank].open = location.row;
                let per_rank = usize::from(self.geometry.groups) * usize::from(self.geometry.banks);
                pc.ranks[rank].open_banks |= 1 << (bank - rank * per_rank);
                pc.touched[bank] = at;
                self.after_act(channel, bank, at);
                self.rechoose(channel, bank);
            }
            PRE => {
                entry.precharged = true;
                (told.row, told.column) = (0, 0);
                self.close(channel, bank, at);
                self.after_pre(channel, rank, at);
                self.rechoose(channel, bank);
            }
            kind => {
                pc.touched[bank] = at;
                pc.columns += 1;
                self.after_column(channel, bank, kind, at);
                if candidate.closes {
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
        if slot < ACT {
            self.leave(channel, bank, candidate.entry, slot, at);
        }
    }

    /// A request's column command was issued.
    fn leave(&mut self, channel: usize, bank: usize, place: u16, kind: usize, at: u64) {
        let set = self.set_of(channel);
        let queues = &mut self.sets[set];
        let pc = &mut self.channels[channel];
        unlink_from_bank(&mut queues.entries, &mut pc.banks[bank].lists[kind], place);
        unlink_by_age(&mut queues.entries, &mut pc.by_age[kind], place);
        queues.remove(place);
        queues.count[kind] -= 1;
        let entry = queues.entries[usize::from(place)];
        let rank = usize::from(entry.location.rank);
        pc.ranks[rank].queued -= 1;
        let emptied = pc.ranks[rank].queued == 0;
        if let Some(head) = queues.backlog[kind].front() {
            self.admit_at = self.admit_at.min(head.arrival.max(at + 1));
        }
        self.waiting -= 1;
        let latency = if kind == 0 {
            self.timing.cl
        } else {
            self.timing.cwl
        };
        self.rechoose_after_column(channel, bank);
        if emptied {
            self.duty_changes(channel, rank, at + 1);
        }
        self.observer.served(&Served {
            id: entry.id,
            kind: kind_of(kind),
            location: entry.location,
            arrival: entry.arrival,
            admitted: entry.admitted,
            issued: at,
            finish: at + u64::from(latency + self.timing.burst),
            outcome: match (entry.precharged, entry.activated) {
                (true, _) => Outcome::Conflict,
                (false, true) => Outcome::Miss,
                (false, false) => Outcome::Hit,
            },
            waits: entry.waits,
        });
    }

    /// Divides the clocks since an entry's milestone among their causes.
    fn account(&mut self, channel: usize, candidate: &Candidate, rule: Stamp, at: u64) {
        let drained = self.drained_before(self.kind(), at);
        let withheld = self.withheld_before(channel, usize::from(candidate.bank), at);
        let set = self.set_of(channel);
        let entry = &mut self.sets[set].entries[usize::from(candidate.entry)];
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
    }
}

/// A wait as statistics take it.
fn clocks(clocks: u64) -> u32 {
    u32::try_from(clocks).unwrap_or(u32::MAX)
}
