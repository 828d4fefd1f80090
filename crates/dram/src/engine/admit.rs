//! From arrival to the queues.

use super::SubChannel;
use super::queue::{QueuedRequest, append, append_by_age, kind_of, located};
use super::serve::clocks;
use crate::observer::{CAUSES, Observer, RowOutcome, ServedRequest, WaitCause};
use crate::request::RequestKind;

impl<O: Observer> SubChannel<O> {
    /// Lets requests that have arrived into the queues.
    #[inline]
    pub(super) fn admit(&mut self, now: u64) {
        self.admit_at = u64::MAX;
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
        if kind == 1 && !queues.backlog[0].is_empty() {
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
        let begins = queued.owed > queued.ahead && (queued.queued == 1 || self.idle_first);
        let of = &pc.banks[bank];
        let news = active && pc.is_news(of, row, self.closes_pages);
        if begins {
            self.duty_changes(channel, rank, now);
        }
        if news {
            self.rechoose(channel, bank);
        }
    }
}
