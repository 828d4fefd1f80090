//! The figures of a run.

use crate::command::Command;
use crate::observer::{CAUSES, RowOutcome, ServedRequest};
use crate::statistics::{BusAccount, ClockHistogram};

/// What was done within the measured part of a run, by one sub-channel or by several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrafficSummary {
    /// Clocks of the measured part, summed over sub-channels.
    pub clocks: u64,
    /// Reads served, the forwarded ones among them.
    pub reads: u64,
    /// Writes served, the merged ones among them.
    pub writes: u64,
    /// Reads that found their line in the write queue.
    pub forwarded: u64,
    /// Writes to a line that was in the write queue already.
    pub merged: u64,
    /// Reads and writes whose row was open.
    pub hits: u64,
    /// Reads and writes whose bank was closed.
    pub misses: u64,
    /// Reads and writes whose bank had another row open.
    pub conflicts: u64,
    /// Commands, in the order of [`Command::ALL`](crate::Command::ALL).
    pub commands: [u64; Command::ALL.len()],
    /// Clocks that reads waited between arrival and RD command, by cause in the order of
    /// [`WaitCause::ALL`](crate::WaitCause::ALL).
    pub read_waits: [u64; CAUSES],
    /// Clocks from the arrival of a read to the end of its data, summed over reads. By Little's law this is the mean
    /// number of reads under way times the clocks of the run.
    pub read_clocks: u64,
    /// Clocks from the arrival of a read to the end of its data.
    pub read_latency: ClockHistogram,
    /// Where the time of the data buses went.
    pub bus: BusAccount,
}

impl TrafficSummary {
    /// Adds another sub-channel's figures.
    pub fn merge(&mut self, other: &Self) {
        self.clocks += other.clocks;
        self.reads += other.reads;
        self.writes += other.writes;
        self.forwarded += other.forwarded;
        self.merged += other.merged;
        self.hits += other.hits;
        self.misses += other.misses;
        self.conflicts += other.conflicts;
        for (sum, part) in self.commands.iter_mut().zip(other.commands) {
            *sum += part;
        }
        for (sum, part) in self.read_waits.iter_mut().zip(other.read_waits) {
            *sum += part;
        }
        self.read_clocks += other.read_clocks;
        self.read_latency.merge(&other.read_latency);
        self.bus.merge(&other.bus);
    }

    /// What was done after an earlier read-out of the same counters, where no request was served since; else `None`.
    #[must_use]
    pub fn idle_since(&self, earlier: &Self) -> Option<Self> {
        let served = [self.reads, self.writes] != [earlier.reads, earlier.writes];
        if served || self.bus.data != earlier.bus.data {
            return None;
        }
        let mut commands = self.commands;
        for (count, before) in commands.iter_mut().zip(earlier.commands) {
            *count -= before;
        }
        let mut bus = self.bus;
        bus.subtract(&earlier.bus);
        Some(Self {
            clocks: self.clocks - earlier.clocks,
            commands,
            bus,
            ..Self::default()
        })
    }

    /// As many times as much of a time in which [no request was served](Self::idle_since).
    #[must_use]
    pub fn times(&self, times: u64) -> Self {
        Self {
            clocks: self.clocks * times,
            commands: self.commands.map(|count| count * times),
            bus: self.bus.times(times),
            ..Self::default()
        }
    }

    /// Share of the requests with commands of their own whose row was open; `None` where there were none.
    #[must_use]
    pub fn row_hit_rate(&self) -> Option<f64> {
        let all = self.hits + self.misses + self.conflicts;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }

    /// What follows from other counters, and is not counted by itself: every request with commands of its own has one
    /// column command.
    pub(super) fn derive_counts(&mut self) {
        let count = |command: Command| self.commands[command as usize];
        let read = count(Command::Rd) + count(Command::Rda);
        let written = count(Command::Wr) + count(Command::Wra);
        self.reads = read + self.forwarded;
        self.writes = written + self.merged;
        let others = self.misses + self.conflicts;
        debug_assert!(others <= read + written, "served without its command");
        self.hits = (read + written).saturating_sub(others);
        self.read_clocks = self.read_latency.sum();
    }

    /// Counts how a request was served that was no hit. Whether its data moved over the bus.
    #[inline(never)]
    pub(super) fn count_no_hit(&mut self, outcome: RowOutcome) -> bool {
        match outcome {
            RowOutcome::Hit => return true,
            RowOutcome::Miss => self.misses += 1,
            RowOutcome::Conflict => self.conflicts += 1,
            RowOutcome::Forwarded => self.forwarded += 1,
            RowOutcome::Merged => self.merged += 1,
        }
        !matches!(outcome, RowOutcome::Forwarded | RowOutcome::Merged)
    }

    #[inline]
    pub(super) fn count_read(&mut self, served: &ServedRequest) {
        self.read_latency.record(served.finish - served.arrival);
        if served.issued == served.arrival {
            return;
        }
        // Most causes have no part in a wait. Besides, vectors of what was just stored one by one load slowly.
        for (sum, &part) in self.read_waits.iter_mut().zip(&served.waits) {
            if part != 0 {
                *sum += u64::from(part);
            }
        }
    }
}
