//! A memory with the back-pressure of its queues, its time, and what it counts.

use std::path::PathBuf;

use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::system::{Completion, MemorySystem};
use wordline_dram::{
    Command, Currents, DecodedAddress, EnergyMeter, Issued, Observer, RequestKind, ServedRequest,
    Statistics, SystemConfig, TrafficSummary, energy,
};

use super::abi::{CAUSES, DramInfo, Stats};
use super::fault::DramFault;

/// Longest time that one call runs: refreshes make even an idle memory cost something.
const STEP_PS: u64 = 1_000 * 1_000_000_000_000;
/// Latest time: clocks beyond it are none of a sub-channel's.
const LATEST_PS: u64 = 1 << 62;

/// Watches a sub-channel.
struct CommandWatch {
    statistics: Statistics,
    energy: EnergyMeter,
    /// Requests that left their queues since they were counted last: by set of queues, then kind.
    served: [[u32; 2]; 2],
    shared_queues: bool,
}

impl Observer for CommandWatch {
    const WAITS: bool = true;

    fn command(&mut self, issued: &Issued) {
        self.statistics.command(issued);
        self.energy.command(issued);
    }

    fn served(&mut self, served: &ServedRequest) {
        self.statistics.served(served);
        self.energy.served(served);
        let set = set(self.shared_queues, served.location.pseudo_channel);
        self.served[set][kind(served.kind)] += 1;
    }
}

/// The set of queues that a pseudo-channel's requests go to.
const fn set(shared_queues: bool, pseudo_channel: u8) -> usize {
    if shared_queues || pseudo_channel == 0 {
        0
    } else {
        1
    }
}

const fn kind(kind: RequestKind) -> usize {
    match kind {
        RequestKind::Read => 0,
        RequestKind::Write => 1,
    }
}

/// The memory behind a handle.
pub(crate) struct DramMemory {
    system: MemorySystem<CommandWatch>,
    config: SystemConfig,
    currents: Option<Currents>,
    now_ps: u64,
    /// When counting began.
    since_ps: u64,
    /// Requests in queues, by sub-channel, set of queues, kind.
    queued: Vec<[[u32; 2]; 2]>,
    /// Clock edge of what was pushed last, until it has been run.
    pushed: Option<u64>,
    /// A buffer that is used again.
    completions: Vec<Completion>,
}

impl DramMemory {
    /// The memory that a target names.
    pub(crate) fn new(
        target: &str,
        settings: Option<&str>,
        catalog: Option<&str>,
    ) -> Result<Self, DramFault> {
        let folders: Vec<PathBuf> = catalog.map(PathBuf::from).into_iter().collect();
        let catalog = Catalog::load(&folders)?;
        let connected = catalog
            .module_in_system(target)?
            .connect(&settings_of(settings)?)?;
        let currents = connected.currents.into_iter().next();
        Self::of(connected.config, currents.map(|(_, currents)| currents))
    }

    fn of(config: SystemConfig, currents: Option<Currents>) -> Result<Self, DramFault> {
        let sub_channel = &config.sub_channel;
        let system = MemorySystem::new(&config, |_, _| CommandWatch {
            statistics: Statistics::new(sub_channel),
            energy: EnergyMeter::new(sub_channel),
            served: [[0; 2]; 2],
            shared_queues: sub_channel.policy.shared_queues,
        })?;
        let sub_channels = config.channels as usize * config.sub_channels as usize;
        Ok(Self {
            system,
            currents,
            now_ps: 0,
            since_ps: 0,
            queued: vec![[[0; 2]; 2]; sub_channels],
            pushed: None,
            completions: Vec::new(),
            config,
        })
    }

    pub(crate) fn info(&self) -> DramInfo {
        let config = &self.config;
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
        self.now_ps
    }

    /// Whether the queue of a request has room.
    pub(crate) fn can_accept(&self, address: u64, wanted: RequestKind) -> Result<bool, DramFault> {
        let place = self.system.map().decode(address)?;
        let (sub_channel, set) = self.queue(&place);
        Ok(self.queued[sub_channel][set][kind(wanted)] < self.room(wanted))
    }

    /// Takes a request that comes now.
    pub(crate) fn push(
        &mut self,
        address: u64,
        wanted: RequestKind,
        id: u64,
    ) -> Result<(), DramFault> {
        if !self.can_accept(address, wanted)? {
            return Err(DramFault::Full(match wanted {
                RequestKind::Read => "read",
                RequestKind::Write => "write",
            }));
        }
        let place = self.system.map().decode(address)?;
        self.system.push(id, wanted, address, self.now_ps)?;
        let (sub_channel, set) = self.queue(&place);
        self.queued[sub_channel][set][kind(wanted)] += 1;
        self.pushed = Some(self.edge());
        Ok(())
    }

    fn queue(&self, place: &DecodedAddress) -> (usize, usize) {
        let sub_channel = place.channel * self.config.sub_channels + place.sub_channel;
        let shared = self.config.sub_channel.policy.shared_queues;
        let set = set(shared, place.location.pseudo_channel);
        (sub_channel as usize, set)
    }

    const fn room(&self, wanted: RequestKind) -> u32 {
        let policy = &self.config.sub_channel.policy;
        match wanted {
            RequestKind::Read => policy.read_queue,
            RequestKind::Write => policy.write_queue,
        }
    }

    /// Runs to the next clock edge.
    pub(crate) fn tick(&mut self) -> Result<Vec<Completion>, DramFault> {
        self.run_until(self.edge_behind(1))
    }

    /// The first clock edge that has not been run.
    fn edge(&self) -> u64 {
        let clock = self.config.sub_channel.clock;
        clock.edge_at_or_after(self.now_ps)
    }

    /// The last picosecond that is not behind a clock edge, which is so many edges behind the last one: the first edge
    /// at or after it is that one, also where periods are no whole picoseconds.
    fn edge_behind(&self, edges: u64) -> u64 {
        let edge = self.edge().saturating_add(edges);
        let clock = self.config.sub_channel.clock;
        let ps = u128::from(edge) * u128::from(clock.beats) * 1_000_000
            / u128::from(clock.data_rate_mts);
        u64::try_from(ps).unwrap_or(u64::MAX)
    }

    /// The first time before which a clock edge lies, and is reported, that comes so many edges behind the next one.
    fn behind_edge(&self, edges: u64) -> u64 {
        let edge = self.edge().saturating_add(edges);
        self.config.sub_channel.clock.ps(edge).saturating_add(1)
    }

    /// Does everything that happens before a time.
    pub(crate) fn run_until(&mut self, time_ps: u64) -> Result<Vec<Completion>, DramFault> {
        let to = self.now_ps.saturating_add(STEP_PS).min(LATEST_PS);
        if !(self.now_ps..=to).contains(&time_ps) {
            return Err(DramFault::Time {
                asked: time_ps,
                from: self.now_ps,
                to,
            });
        }
        self.system.run(time_ps);
        self.now_ps = time_ps;
        Ok(self.told())
    }

    /// Runs until every request is done.
    pub(crate) fn drain(&mut self) -> Vec<Completion> {
        let end_ps = self.system.flush();
        self.now_ps = self.now_ps.max(end_ps);
        let told = self.told();
        // Reported times lie before the time that the memory was run to.
        let last_ps = told.last().map_or(0, |completion| completion.time_ps + 1);
        if self.now_ps < last_ps {
            self.now_ps = last_ps;
            self.system.run(last_ps);
        }
        told
    }

    /// What was completed, and room for what left the queues.
    fn told(&mut self) -> Vec<Completion> {
        let edge = self.edge();
        self.pushed = self.pushed.filter(|pushed| *pushed >= edge);
        for (queued, watch) in self.queued.iter_mut().zip(self.system.observers_mut()) {
            for (queued, served) in queued.iter_mut().zip(&mut watch.served) {
                for (queued, served) in queued.iter_mut().zip(served) {
                    *queued = queued.saturating_sub(std::mem::take(served));
                }
            }
        }
        let mut told = std::mem::take(&mut self.completions);
        told.extend(self.system.completed());
        told
    }

    /// Takes the buffer of completions back.
    pub(crate) fn give_back(&mut self, completions: Vec<Completion>) {
        self.completions = completions;
    }

    /// See the header.
    pub(crate) fn next_event(&self) -> u64 {
        let rooms = [self.room(RequestKind::Read), self.room(RequestKind::Write)];
        let queues = || self.queued.iter().flatten();
        let is_full = queues().any(|queued| queued[0] >= rooms[0] || queued[1] >= rooms[1]);
        let known = self.system.next_completion_ps();
        let known = known.map_or(u64::MAX, |time_ps| time_ps.saturating_add(1));
        if self.pushed.is_some() || is_full {
            return known.min(self.behind_edge(0));
        }
        if queues().all(|queued| queued[0] == 0) {
            return known;
        }
        // No RD is issued before the edge that has not been run, and its data take this long.
        let timing = &self.config.sub_channel.timing;
        let least = u64::from(timing.cl) + u64::from(timing.burst);
        known.min(self.behind_edge(least))
    }

    pub(crate) fn stats(&mut self) -> Stats {
        let now = self.edge();
        let mut sum = TrafficSummary::default();
        let mut joules = 0.0;
        for watch in self.system.observers_mut() {
            sum.merge(&watch.statistics.end(now));
            let counts = watch.energy.end(now);
            if let Some(currents) = &self.currents {
                joules += energy(&counts, currents, &self.config.sub_channel).total();
            }
        }
        let count = |command: Command| sum.commands[command as usize];
        let seconds = |clocks: f64| clocks * self.clock_ps() * 1e-12;
        let reads = sum.reads as f64;
        let delayed = (sum.reads - sum.forwarded) as f64 * self.config.module_delay_ps as f64;
        let mut waits = [0.0; CAUSES];
        for (wait, clocks) in waits.iter_mut().zip(sum.read_waits) {
            *wait = seconds(clocks as f64);
        }
        Stats {
            size: size_of::<Stats>() as u64,
            time_ps: self.now_ps - self.since_ps,
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
        let now = self.edge();
        self.since_ps = self.now_ps;
        for watch in self.system.observers_mut() {
            watch.statistics.begin(now);
            watch.energy.begin(now);
        }
    }

    fn clock_ps(&self) -> f64 {
        1e12 / self.config.sub_channel.clock.hz()
    }
}

fn settings_of(text: Option<&str>) -> Result<Settings, DramFault> {
    let mut settings = Settings::new();
    let parts = text.unwrap_or_default().split(',').map(str::trim);
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
