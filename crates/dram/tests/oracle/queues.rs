//! "Admission": queues, and the endless backlogs in front of them.

use std::collections::VecDeque;

use wordline_dram::{Location, Request, RequestKind, RowOutcome};

use super::history::same_bank;
use super::waits::Waits;

/// A request in a queue.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) request: Request,
    /// Clock at which it entered.
    pub(super) admitted: u64,
    /// Lower is older.
    pub(super) age: u64,
    /// Column commands that its pseudo-channel had issued by then.
    pub(super) columns: u64,
    /// By the commands that have served it so far.
    pub(super) outcome: RowOutcome,
    pub(super) waits: Waits,
}

impl Entry {
    pub(super) fn location(&self) -> Location {
        self.request.location
    }
}

/// The queues of a pseudo-channel, or of both. Entries lie in the order of their ages.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueSet {
    pub(super) reads: Vec<Entry>,
    pub(super) writes: Vec<Entry>,
    read_backlog: VecDeque<Request>,
    write_backlog: VecDeque<Request>,
    /// What waits aside.
    reads_aside: Vec<Request>,
    writes_aside: Vec<Request>,
}

/// What became of the head of a backlog.
pub(super) enum Admitted {
    Queued(Request),
    Forwarded(Request),
    Merged(Request),
    /// It went aside.
    Aside,
}

/// What admission asks of the rest of the sub-channel.
pub(super) struct Doorway<'a> {
    pub(super) now: u64,
    /// Column commands issued, by pseudo-channel.
    pub(super) columns: &'a [u64],
    /// Banks whose requests are held up.
    pub(super) held_up: &'a [Location],
    /// Places aside.
    pub(super) places: usize,
}

impl QueueSet {
    pub(super) fn push(&mut self, request: Request) {
        match request.kind {
            RequestKind::Read => self.read_backlog.push_back(request),
            RequestKind::Write => self.write_backlog.push_back(request),
        }
    }

    /// Whether any request is not served.
    pub(super) fn waits(&self) -> bool {
        let backlogs = self.read_backlog.len() + self.write_backlog.len();
        let aside = self.reads_aside.len() + self.writes_aside.len();
        backlogs + aside + self.reads.len() + self.writes.len() > 0
    }

    /// Takes the head of a backlog, if it has arrived and need not wait.
    pub(super) fn admit(
        &mut self,
        kind: RequestKind,
        room: usize,
        age: &mut u64,
        door: &Doorway<'_>,
    ) -> Option<Admitted> {
        let (backlog, aside, queue) = match kind {
            RequestKind::Read => (&mut self.read_backlog, &mut self.reads_aside, &self.reads),
            RequestKind::Write => (
                &mut self.write_backlog,
                &mut self.writes_aside,
                &self.writes,
            ),
        };
        let now = door.now;
        let held_up = |request: &Request| {
            let mut banks = door.held_up.iter();
            banks.any(|bank| same_bank(*bank, request.location))
        };
        let freed = aside.iter().position(|request| !held_up(request));
        let head = match freed {
            Some(place) => aside[place],
            None => *backlog.front().filter(|head| head.arrival <= now)?,
        };
        let written = self
            .writes
            .iter()
            .any(|write| write.location() == head.location);
        if !written && freed.is_none() && held_up(&head) && aside.len() < door.places {
            aside.extend(backlog.pop_front());
            return Some(Admitted::Aside);
        }
        if !written && queue.len() >= room {
            return None;
        }
        match freed {
            Some(place) => drop(aside.remove(place)),
            None => drop(backlog.pop_front()),
        }
        if written {
            return Some(match kind {
                RequestKind::Read => Admitted::Forwarded(head),
                RequestKind::Write => Admitted::Merged(head),
            });
        }
        let entry = Entry {
            request: head,
            admitted: now,
            age: *age,
            columns: door.columns[usize::from(head.location.pseudo_channel)],
            outcome: RowOutcome::Hit,
            waits: Waits::admitted(head.id, head.arrival, now),
        };
        *age += 1;
        match kind {
            RequestKind::Read => self.reads.push(entry),
            RequestKind::Write => self.writes.push(entry),
        }
        Some(Admitted::Queued(head))
    }

    /// Every entry, of either kind.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.reads.iter().chain(&self.writes)
    }

    pub(super) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.reads.iter_mut().chain(&mut self.writes)
    }

    pub(super) fn entry_mut(&mut self, id: u64) -> &mut Entry {
        let mut entries = self.entries_mut();
        entries
            .find(|entry| entry.request.id == id)
            .expect("a command serves an entry that is queued")
    }

    pub(super) fn remove(&mut self, id: u64) -> Entry {
        let queue = if self.reads.iter().any(|entry| entry.request.id == id) {
            &mut self.reads
        } else {
            &mut self.writes
        };
        let place = queue.iter().position(|entry| entry.request.id == id);
        queue.remove(place.expect("a command serves an entry that is queued"))
    }
}
