//! A memory with the back-pressure of its queues, its time, and what it counts.

use std::path::PathBuf;

use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::system::{BoundedMemory, Completion, MemoryError};
use wordline_dram::{
    Command, Currents, EnergyMeter, RequestKind, Statistics, SystemConfig, TrafficSummary, energy,
};

use super::abi::{CAUSES, DramInfo, Stats};
use super::fault::DramFault;

/// Longest time that one call runs: refreshes make even an idle memory cost something.
const STEP_PS: u64 = 1_000 * 1_000_000_000_000;
/// Most requests in front of a queue.
const BACKLOG_MAX: u32 = 1 << 20;
/// Latest time: clocks beyond it are none of a sub-channel's.
const LATEST_PS: u64 = 1 << 62;

/// The memory behind a handle.
pub(crate) struct DramMemory {
    memory: BoundedMemory<(Statistics, EnergyMeter)>,
    currents: Option<Currents>,
    /// When counting began.
    since_ps: u64,
}

impl DramMemory {
    /// The memory that a target names.
    pub(crate) fn new(
        target: &str,
        settings: Option<&str>,
        catalog: Option<&str>,
        backlog: u64,
    ) -> Result<Self, DramFault> {
        let backlog = u32::try_from(backlog).ok().filter(|of| *of <= BACKLOG_MAX);
        let backlog = backlog.ok_or(DramFault::Backlog(BACKLOG_MAX))?;
        let folders: Vec<PathBuf> = catalog.map(PathBuf::from).into_iter().collect();
        let catalog = Catalog::shared(&folders)?;
        let (target, settings) = (catalog.module_in_system(target)?, settings_of(settings)?);
        let connected = target.connect(&settings)?;
        if let Some(unused) = target.unused_settings(&settings).into_iter().next() {
            return Err(unused.into());
        }
        let currents = connected.currents.into_iter().next();
        Self::of(
            connected.config,
            backlog,
            currents.map(|(_, currents)| currents),
        )
    }

    fn of(
        config: SystemConfig,
        backlog: u32,
        currents: Option<Currents>,
    ) -> Result<Self, DramFault> {
        let of = &config.sub_channel;
        let memory = BoundedMemory::new(&config, backlog, |_, _| {
            (Statistics::new(of), EnergyMeter::new(of))
        })?;
        Ok(Self {
            memory,
            currents,
            since_ps: 0,
        })
    }

    fn config(&self) -> &SystemConfig {
        self.memory.config()
    }

    pub(crate) fn info(&self) -> DramInfo {
        let config = self.config();
        let policy = &config.sub_channel.policy;
        DramInfo {
            size: size_of::<DramInfo>() as u64,
            bytes: config.bytes(),
            line_bytes: 64,
            channels: u64::from(config.channels),
            sub_channels: u64::from(config.sub_channels),
            pseudo_channels: u64::from(config.sub_channel.geometry.pseudo_channels),
            read_queue: u64::from(policy.read_queue),
            write_queue: u64::from(policy.write_queue),
            clock_ps: self.clock_ps(),
            peak_bytes_per_second: config.peak_bytes_per_s(),
        }
    }

    pub(crate) const fn now_ps(&self) -> u64 {
        self.memory.now_ps()
    }

    /// Whether the queue of a request has room.
    pub(crate) fn can_accept(
        &mut self,
        address: u64,
        kind: RequestKind,
    ) -> Result<bool, DramFault> {
        Ok(self.memory.can_accept(address, kind)?)
    }

    /// Takes a request that comes now. Whether there was room for it.
    pub(crate) fn push(
        &mut self,
        address: u64,
        kind: RequestKind,
        id: u64,
    ) -> Result<bool, DramFault> {
        match self.memory.push(id, kind, address) {
            Err(MemoryError::Address { problem, .. }) => Err(problem.into()),
            other => Ok(other?),
        }
    }

    /// Runs to the next clock edge.
    pub(crate) fn tick(&mut self) -> Result<(), DramFault> {
        // The last picosecond that is not behind the edge after the one that is run: the first edge at or after it is
        // that one, also where periods are no whole picoseconds.
        let edge = u128::from(self.memory.edge()) + 1;
        let clock = self.config().sub_channel.clock;
        let ps = edge * u128::from(clock.beats) * 1_000_000 / u128::from(clock.data_rate_mts);
        self.run_until(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Does everything that happens before a time.
    pub(crate) fn run_until(&mut self, time_ps: u64) -> Result<(), DramFault> {
        self.check(time_ps)?;
        self.memory.run(time_ps);
        Ok(())
    }

    /// Runs to the next event, if it comes before a time, or else to that time. The last time of all is no limit.
    pub(crate) fn step(&mut self, limit_ps: u64) -> Result<(), DramFault> {
        if limit_ps != u64::MAX {
            self.check(limit_ps)?;
        }
        if limit_ps != u64::MAX || self.memory.next_event_ps().is_some() {
            self.memory.step(limit_ps.min(self.latest_ps()));
        }
        Ok(())
    }

    fn check(&self, time_ps: u64) -> Result<(), DramFault> {
        let (from, to) = (self.now_ps(), self.latest_ps());
        if (from..=to).contains(&time_ps) {
            Ok(())
        } else {
            Err(DramFault::Time {
                asked: time_ps,
                from,
                to,
            })
        }
    }

    /// How far one call may run.
    fn latest_ps(&self) -> u64 {
        self.now_ps().saturating_add(STEP_PS).min(LATEST_PS)
    }

    /// Runs until every request is done.
    pub(crate) fn drain(&mut self) {
        self.memory.drain();
    }

    /// Whether any request is done and was not told.
    pub(crate) fn has_completed(&self) -> bool {
        self.memory.has_completed()
    }

    /// The next request that is done and was not told.
    pub(crate) fn pop_completed(&mut self) -> Option<Completion> {
        self.memory.pop_completed()
    }

    /// See the header.
    pub(crate) fn next_event(&self) -> u64 {
        self.memory.next_event_ps().unwrap_or(u64::MAX)
    }

    pub(crate) fn stats(&mut self) -> Stats {
        let now = self.memory.edge();
        let config = self.config().clone();
        let mut sum = TrafficSummary::default();
        let mut joules = 0.0;
        for (statistics, meter) in self.memory.observers_mut() {
            sum.merge(&statistics.end(now));
            if let Some(currents) = &self.currents {
                joules += energy(&meter.end(now), currents, &config.sub_channel).total();
            }
        }
        let count = |command: Command| sum.commands[command as usize];
        let seconds = |clocks: f64| clocks * self.clock_ps() * 1e-12;
        let reads = sum.reads as f64;
        let delayed = (sum.reads - sum.forwarded) as f64 * config.module_delay_ps as f64;
        let mut waits = [0.0; CAUSES];
        for (wait, clocks) in waits.iter_mut().zip(sum.read_waits) {
            *wait = seconds(clocks as f64);
        }
        Stats {
            size: size_of::<Stats>() as u64,
            time_ps: self.now_ps() - self.since_ps,
            reads: sum.reads,
            writes: sum.writes,
            forwarded: sum.forwarded,
            merged: sum.merged,
            row_hits: sum.hits,
            row_misses: sum.misses,
            row_conflicts: sum.conflicts,
            activates: count(Command::Act),
            refreshes: count(Command::RefAb) + count(Command::RefSb),
            read_latency_seconds: if sum.reads == 0 {
                0.0
            } else {
                (seconds(sum.read_clocks as f64) + delayed * 1e-12) / reads
            },
            energy_joules: joules,
            read_wait_seconds: waits,
        }
    }

    pub(crate) fn reset_stats(&mut self) {
        let now = self.memory.edge();
        self.since_ps = self.now_ps();
        for (statistics, meter) in self.memory.observers_mut() {
            statistics.begin(now);
            meter.begin(now);
        }
    }

    fn clock_ps(&self) -> f64 {
        1e12 / self.config().sub_channel.clock.hz()
    }
}

/// Settings are separated by commas, or by line ends where there is one: lists of bits have commas in them.
fn settings_of(text: Option<&str>) -> Result<Settings, DramFault> {
    let mut settings = Settings::new();
    let text = text.unwrap_or_default();
    let between = if text.contains('\n') { '\n' } else { ',' };
    let parts = text.split(between).map(str::trim);
    for part in parts.filter(|part| !part.is_empty()) {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| DramFault::Setting(part.to_owned()))?;
        settings.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    Ok(settings)
}

#[cfg(test)]
mod tests;
