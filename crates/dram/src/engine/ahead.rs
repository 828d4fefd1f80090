//! For callers that react to single requests: the run stops where there is something to react to, and what cannot come
//! sooner is known without running.

use super::SubChannel;
use super::queue::index;
use super::stamp::CLOCKS_MAX;
use crate::observer::Observer;
use crate::request::RequestKind;
use crate::scheduler::Scheduler;

impl<O: Observer, S: Scheduler> SubChannel<O, S> {
    /// Does what happens before a clock, but stops behind the first clock at which a write is accepted or a request served.
    /// Returns [`now`](Self::now).
    pub fn step(&mut self, until: u64) -> u64 {
        self.run_while::<true>(until.min(CLOCKS_MAX));
        self.now
    }

    /// Requests of a kind that were pushed, and hold or want an entry of the queue that a pseudo-channel uses.
    #[inline]
    pub fn queued(&self, pseudo_channel: u8, kind: RequestKind) -> usize {
        let set = &self.sets[self.set_of(usize::from(pseudo_channel)) & 1];
        let kind = usize::from(index(kind)) & 1;
        set.count[kind] as usize + set.backlog[kind].len() + set.aside[kind].len()
    }

    /// Queues that have no room for one more, with so many in front of each: a bit for each.
    #[inline]
    pub fn full_queues(&self, in_front: u32) -> u8 {
        let mut full = 0;
        for (number, set) in self.sets[..self.set_count].iter().enumerate() {
            for kind in 0..2 {
                let held = set.count[kind] as usize + set.backlog[kind].len();
                let held = held + set.aside[kind].len();
                let room = set.room[kind] as usize + in_front as usize;
                full |= u8::from(held >= room) << (2 * number + kind);
            }
        }
        full
    }

    /// Whether any request has not entered its queue.
    #[inline]
    pub fn has_backlog(&self) -> bool {
        let mut sets = self.sets[..self.set_count].iter();
        sets.any(|set| set.is_anything_aside() || set.backlog.iter().any(|of| !of.is_empty()))
    }

    /// Entries of writes.
    #[inline]
    pub(super) fn queued_writes(&self) -> u32 {
        self.sets[0].count[1] + self.sets[1].count[1]
    }

    /// Whether any read was pushed and is not served.
    #[inline]
    pub fn has_reads(&self) -> bool {
        let mut sets = self.sets[..self.set_count].iter();
        sets.any(|set| set.count[0] > 0 || !set.backlog[0].is_empty() || !set.aside[0].is_empty())
    }

    /// When the next request arrives of those that were pushed; the last clock of all where none is to come.
    #[inline]
    pub fn next_arrival(&self) -> u64 {
        self.admit_at
    }

    /// A clock before which no RD or WR is issued, if nothing is pushed; the last one of all where none is to come.
    pub fn no_service_before(&self) -> u64 {
        // These may turn, or choose anew, while a command that was chosen waits.
        let policy = &self.policy;
        let looks_about = policy.turn_early || policy.turn_hits_max > 0 || policy.refresh_aside > 0;
        if looks_about || !S::IS_FR_FCFS {
            return self.now;
        }
        let rcd = u64::from(self.timing.rcd);
        let channels = self.channels[..self.channel_count].iter();
        let first = channels.map(|pc| match &pc.next {
            // Chosen since anything changed. Refreshes, turns and others' commands only put it off.
            Some(choice) => pc.column_not_before(choice, rcd),
            None => self.now,
        });
        let first = first.min().unwrap_or(u64::MAX);
        first.min(self.admit_at).max(self.now)
    }
}
