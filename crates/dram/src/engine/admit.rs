//! From arrival to the queues.

use super::SubChannel;
use super::queue::{NONE, QueuedRequest, append, append_by_age, kind_of, located};
use super::serve::clocks;
use crate::config::Refresh;
use crate::observer::{CAUSES, Observer, RowOutcome, ServedRequest, WaitCause};
use crate::request::RequestKind;
use crate::scheduler::Scheduler;

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// Lets requests that have arrived into the queues.
    #[inline]
    pub(super) fn admit(&mut self, now: u64) {
        self.admit_at = u64::MAX;
        if self.policy.refresh_aside > 0 {
            self.admit_beside_refresh(now);
            return;
        }
        self.admit_kind(0, 0, now);
        self.admit_kind(0, 1, now);
        if self.set_count > 1 {
            self.admit_second(now);
        }
    }

    #[inline(never)]
    fn admit_second(&mut self, now: u64) {
        for kind in 0..2 {
            self.admit_kind(1, kind, now);
        }
    }

    #[inline(always)]
    fn admit_kind(&mut self, set: usize, kind: usize, now: u64) {
        while let Some(head) = self.sets[set & 1].backlog[kind].front() {
            if head.arrival > now {
                self.admit_at = self.admit_at.min(head.arrival);
                return;
            }
            if self.is_line_queued(set, head) {
                let head = *head;
                self.sets[set & 1].backlog[kind].drop_front();
                self.serve_at_once(&head, now);
                continue;
            }
            let queues = &self.sets[set & 1];
            if queues.count[kind] >= queues.room[kind] {
                return;
            }
            self.observer.accepted(head.id, kind_of(head.kind), now);
            self.enter(set, kind, now);
        }
    }

    /// The same where requests may wait aside.
    #[inline(never)]
    fn admit_beside_refresh(&mut self, now: u64) {
        for set in 0..self.set_count {
            for kind in 0..2 {
                while self.admit_next(set, kind, now) {}
                let queues = &self.sets[set & 1];
                let ends = queues.aside[kind].iter().map(|of| self.refreshed(of));
                let next = ends.filter(|end| *end > now).min();
                self.admit_at = self.admit_at.min(next.unwrap_or(u64::MAX));
            }
        }
    }

    /// Does with the first request of a kind what can be done; whether there was anything.
    fn admit_next(&mut self, set: usize, kind: usize, now: u64) -> bool {
        let queues = &self.sets[set & 1];
        let mut aside = queues.aside[kind].iter();
        let freed = aside.position(|request| !self.is_held_up(request, now));
        let first = match freed {
            Some(place) => queues.aside[kind].get(place),
            None => queues.backlog[kind].front(),
        };
        let Some(&first) = first else {
            return false;
        };
        if first.arrival > now {
            self.admit_at = self.admit_at.min(first.arrival);
            return false;
        }
        let known = self.is_line_queued(set, &first);
        if !known && freed.is_none() && self.goes_aside(set, &first, now) {
            let queues = &mut self.sets[set & 1];
            queues.backlog[kind].drop_front();
            queues.aside[kind].push(first);
            return true;
        }
        if !known && queues.count[kind] >= queues.room[kind] {
            return false;
        }
        if let Some(place) = freed {
            let queues = &mut self.sets[set & 1];
            queues.aside[kind].remove(place);
            queues.backlog[kind].push_front(first);
        }
        if known {
            self.sets[set & 1].backlog[kind].drop_front();
            self.serve_at_once(&first, now);
        } else {
            self.observer.accepted(first.id, kind_of(first.kind), now);
            self.enter(set, kind, now);
        }
        true
    }

    /// When the last refresh of the bank of a request is over.
    fn refreshed(&self, request: &QueuedRequest) -> u64 {
        let pc = &self.channels[usize::from(request.channel) & 1];
        pc.refreshed[usize::from(pc.banks[usize::from(request.bank)].withheld)]
    }

    /// Whether the bank of a request is refreshed, or must be.
    fn is_held_up(&self, request: &QueuedRequest, now: u64) -> bool {
        let pc = &self.channels[usize::from(request.channel) & 1];
        let bank = &pc.banks[usize::from(request.bank)];
        let rank = &pc.ranks[bank.rank()];
        let all = self.policy.refresh == Refresh::AllBank;
        let awaits = rank.forced && (all || rank.next == bank.set);
        awaits || now < self.refreshed(request)
    }

    /// Whether the first request of a backlog is held up, and a place aside is free.
    pub(super) fn goes_aside(&self, set: usize, request: &QueuedRequest, now: u64) -> bool {
        let aside = &self.sets[set & 1].aside[usize::from(request.kind) & 1];
        aside.len() < self.policy.refresh_aside as usize && self.is_held_up(request, now)
    }

    /// Whether a write to the line of a request is queued.
    #[inline]
    fn is_line_queued(&self, set: usize, request: &QueuedRequest) -> bool {
        let queues = &self.sets[set & 1];
        if queues.count[1] == 0 {
            return false;
        }
        let pc = &self.channels[usize::from(request.channel) & 1];
        let mut place = pc.banks[usize::from(request.bank)].lists[1].first;
        while let Some(entry) = queues.entries.get(usize::from(place)) {
            if entry.request.row == request.row && entry.request.column == request.column {
                return true;
            }
            place = entry.next_in_bank;
        }
        false
    }

    #[inline(never)]
    fn serve_at_once(&mut self, request: &QueuedRequest, now: u64) {
        self.observer
            .accepted(request.id, kind_of(request.kind), now);
        self.waiting -= 1;
        let mut waits = [0; CAUSES];
        waits[WaitCause::Queue as usize] = clocks(now - request.arrival);
        let pc = &self.channels[usize::from(request.channel) & 1];
        let bank = pc.banks[usize::from(request.bank)].location;
        let kind = kind_of(request.kind);
        self.observer.served(&ServedRequest {
            id: request.id,
            kind,
            location: located(bank, request.row, request.column),
            arrival: request.arrival,
            admitted: now,
            issued: now,
            finish: now,
            outcome: match kind {
                RequestKind::Read => RowOutcome::Forwarded,
                RequestKind::Write => RowOutcome::Merged,
            },
            waits,
        });
    }

    /// The first one of a backlog enters its queue.
    #[inline(always)]
    fn enter(&mut self, set: usize, kind: usize, now: u64) {
        let Some(request) = self.sets[set & 1].backlog[kind].front() else {
            return;
        };
        let channel = usize::from(request.channel) & 1;
        let bank = usize::from(request.bank);
        let row = request.row;
        let drained = self.drained_before(kind, now);
        let active = kind == self.direction();
        let queues = &mut self.sets[set & 1];
        let pc = &mut self.channels[channel];
        if kind == 1 && queues.is_waited_for(0) {
            // The read that waits there may want this line.
            self.admit_at = self.admit_at.min(now + 1);
        }
        queues.count[kind] += 1;
        let place = queues.take_place();
        // Looked up once: each time costs a test of its bounds.
        let (of, entries) = (&mut pc.banks[bank], queues.entries.as_mut_slice());
        // Field by field: a whole entry would be put together elsewhere and copied.
        let entry = &mut entries[usize::from(place)];
        queues.backlog[kind].move_front(&mut entry.request);
        entry.admitted = now;
        entry.age = self.next_age;
        entry.columns_before = pc.columns;
        if O::WAITS {
            entry.milestone = now;
            entry.drained = drained;
            entry.withheld = pc.withheld[usize::from(of.withheld)].before(now);
        }
        entry.precharged = false;
        entry.activated = false;
        self.next_age += 1;
        append(entries, &mut of.lists[kind], place);
        append_by_age(entries, &mut pc.by_age[kind], place);
        let rank = of.rank();
        let queued = &mut pc.ranks[rank];
        queued.queued += 1;
        let begins = self.follows_entries || (queued.queued == 1 && queued.owed > queued.ahead);
        let of = &pc.banks[bank];
        let news = if active {
            !S::IS_FR_FCFS || pc.is_news(of, row, self.closes_pages)
        } else {
            self.turn_near && of.lists[1 - kind].first == NONE
        };
        if begins {
            self.duty_changes(channel, rank, now);
        }
        if news {
            self.rechoose(channel, bank);
        }
    }
}
