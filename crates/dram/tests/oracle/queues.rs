//! "Admission": queues, and the endless backlogs in front of them.

use std::collections::VecDeque;

use wordline_dram::{Location, Request, RequestKind, RowOutcome};

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
}

/// What became of the head of a backlog.
pub(super) enum Admitted {
    Queued(Request),
    Forwarded(Request),
    Merged(Request),
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
        backlogs + self.reads.len() + self.writes.len() > 0
    }

    /// Takes the head of a backlog, if it has arrived and need not wait.
    pub(super) fn admit(
        &mut self,
        kind: RequestKind,
        now: u64,
        room: usize,
        age: &mut u64,
        columns: &[u64],
    ) -> Option<Admitted> {
        let (backlog, queue) = match kind {
            RequestKind::Read => (&mut self.read_backlog, &self.reads),
            RequestKind::Write => (&mut self.write_backlog, &self.writes),
        };
        let head = *backlog.front().filter(|head| head.arrival <= now)?;
        let written = self
            .writes
            .iter()
            .any(|write| write.location() == head.location);
        if !written && queue.len() >= room {
            return None;
        }
        backlog.pop_front();
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
            columns: columns[usize::from(head.location.pseudo_channel)],
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
