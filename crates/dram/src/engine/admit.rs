//! From arrival to the queues, or past them.

use super::SubChannel;
use super::queue::{Entry, append, index};
use super::serve::clocks;
use super::stamp::clock;
use super::state::{ACT, CLOSED, PRE, SLOTS};
use crate::observer::{CAUSES, Cause, Observer, Outcome, Served};
use crate::request::{Kind, Request};

impl<O: Observer> SubChannel<O> {
    /// Lets requests that have arrived into the queues. Nothing happens before `until`, as far as anybody knows.
    #[inline]
    pub(super) fn admit(&mut self, now: u64, until: u64) {
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
                        let entry = self.entry(&request, now);
                        self.enter(set, entry);
                    }
                }
            }
        }
        let _ = until;
    }

    /// Whether a write to the line of a request is queued.
    #[inline]
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

    /// What a request is once it is admitted.
    #[inline]
    fn entry(&mut self, request: &Request, now: u64) -> Entry {
        let at = request.location;
        let channel = usize::from(at.pseudo_channel);
        let bank = self.bank_of(&at);
        let (drained, withheld) = if O::WAITS {
            let withheld = self.withheld_before(channel, bank, now);
            (self.drained_before(request.kind, now), withheld)
        } else {
            (0, 0)
        };
        self.next_age += 1;
        Entry {
            id: request.id,
            location: at,
            bank: u16::try_from(bank).unwrap_or(u16::MAX),
            kind: request.kind,
            arrival: request.arrival,
            admitted: now,
            age: self.next_age - 1,
            milestone: now,
            drained,
            withheld,
            waits: [0; CAUSES],
            precharged: false,
            activated: false,
            next_in_bank: 0,
        }
    }

    #[inline]
    fn enter(&mut self, set: usize, entry: Entry) {
        let kind = index(entry.kind);
        let channel = usize::from(entry.location.pseudo_channel);
        let (bank, rank) = (usize::from(entry.bank), usize::from(entry.location.rank));
        if kind == 1 && !self.sets[set].backlog[0].is_empty() {
            // The read that waits there may want this line.
            self.admit_at = self.admit_at.min(entry.admitted + 1);
        }
        let queues = &mut self.sets[set];
        queues.count[kind] += 1;
        let (age, admitted) = (entry.age, entry.admitted);
        let place = queues.insert(entry);
        let pc = &mut self.channels[channel];
        append(&mut queues.entries, &mut pc.banks[bank].lists[kind], place);
        pc.by_age[kind].push(age, pc.columns, place);
        pc.ranks[rank].queued += 1;
        if pc.ranks[rank].queued == 1 && pc.ranks[rank].owed > 0 {
            self.duty_changes(channel, rank, admitted);
        }
        if kind == self.direction() {
            self.rechoose_for_new(channel, bank, place);
        }
    }
}
