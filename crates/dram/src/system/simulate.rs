//! Cores and sub-channels together.
//!
//! What a core issues reaches a controller a request path later, and what a controller answers reaches the core a
//! return path later. So within a window as long as both paths neither side hears of what the other one does in it:
//! first every core does its part of the window by itself, then every sub-channel its own, a request path later. The
//! windows leave no trace in the results: requests reach a sub-channel in the order of time, core and sequence
//! wherever windows are cut.

use std::sync::Arc;

use super::answer::Answers;
use super::core::{CORES_MAX, Core, Return, sender};
use super::demand::ProgramDemand;
use super::inbox::{Inbox, WINDOW_MAX_PS};
use super::link::Links;
use super::placement::Placement;
use super::probe::{LatencyProbe, Sampler};
use super::program::MemoryProgram;
use super::run_means::RunMeans;
use super::tally::RequestTally;
use super::traffic::{CoreLoad, CoreWork, RunLength, Traffic};
use crate::config::{ConfigError, SystemConfig};
use crate::energy::{EnergyCounts, EnergyMeter};
use crate::engine::{PushError, ScheduledSubChannel};
use crate::mapping::AddressMap;
use crate::statistics::{Statistics, TrafficSummary};

/// The measured part ends after a whole number of these, wherever windows are cut.
const QUANTUM_PS: u64 = 1_000_000;

/// What a run measured.
#[derive(Clone, Debug)]
pub struct SystemRun {
    /// The measured part, in picoseconds.
    pub duration_ps: u64,
    /// Bytes that reached cores, the probes' among them.
    pub bytes_read: u64,
    /// Bytes written, as they were accepted.
    pub bytes_written: u64,
    /// Half the width of the 95 % confidence interval of [`bytes_per_s`](Self::bytes_per_s), in B/s: by batch means of
    /// the microseconds, or of the episodes, and Student's t. Infinite with fewer than two of them.
    pub bytes_per_s_confidence: f64,
    /// Latency samples of the probes; of a program, those of all its reads. `None` without.
    pub probe: Option<LatencyProbe>,
    /// What the sub-channels did, summed over them.
    pub summary: TrafficSummary,
    /// What energy depends on, summed over sub-channels.
    pub energy: EnergyCounts,
    /// Mean number of reads under way, from core to core.
    pub outstanding_mean: f64,
    /// Mean number of lines that the cores have under way: reads until their data have come, and writes until the
    /// controller has accepted them. Each holds one of its core's misses.
    pub slots_mean: f64,
    /// Mean time of a read from core to core, in picoseconds; 0 where there was none. By Little's law this times the
    /// rate of reads is `outstanding_mean`, but for the reads that were under way at either end.
    pub read_latency_mean_ps: f64,
    /// Mean time of a line from core to core, read or written, in picoseconds; 0 where there was none. By Little's law this
    /// times the rate of lines is `slots_mean`.
    pub line_latency_mean_ps: f64,
    /// Half the width of its 95 % confidence interval, in picoseconds: by batch means of the microseconds, or of the
    /// episodes, and Student's t. Infinite with fewer than two of them.
    pub line_latency_confidence_ps: f64,
    /// Share of the time in which a core that makes load waits for memory and does nothing else, in the mean. Where the
    /// chains of a core's misses are independent, each of them counts for its part of the core.
    pub waiting_share: f64,
    /// Bytes read and written, by microsecond of the measured part: how the load varies.
    pub bytes_by_microsecond: Vec<u64>,
    /// What links add to a read in the mean, waits for them included, in picoseconds.
    pub read_link_mean_ps: f64,
}

impl SystemRun {
    /// Bytes read and written per second.
    #[must_use]
    pub fn bytes_per_s(&self) -> f64 {
        if self.duration_ps == 0 {
            return 0.0;
        }
        (self.bytes_read + self.bytes_written) as f64 * 1e12 / self.duration_ps as f64
    }
}

/// Runs traffic on a system. The same input gives the same run, bit for bit. `go_on` is asked every microsecond of
/// simulated time and given the picoseconds simulated so far; when it returns false, the run ends without a result.
///
/// # Errors
/// When the configuration contradicts itself, or the traffic does not fit it.
pub fn simulate(
    config: &SystemConfig,
    traffic: &Traffic,
    length: &RunLength,
    go_on: &dyn Fn(u64) -> bool,
) -> Result<Option<SystemRun>, ConfigError> {
    Simulation::new(config, traffic)?.run(length, go_on)
}

/// Runs a program on a system, as [`simulate`] does traffic. It has no probes, so that `length.probe_samples` means nothing:
/// the latencies of all its reads are samples. Where its load varies, the measured part should hold many windows of it, and so
/// should every episode.
///
/// # Errors
/// When the configuration contradicts itself, or the program does not fit it.
pub fn simulate_program(
    config: &SystemConfig,
    program: &MemoryProgram,
    length: &RunLength,
    go_on: &dyn Fn(u64) -> bool,
) -> Result<Option<SystemRun>, ConfigError> {
    Simulation::of_program(config, program)?.run(length, go_on)
}

type Part = ScheduledSubChannel<(Answers, (Statistics, EnergyMeter))>;

pub(super) struct Simulation<'a> {
    config: &'a SystemConfig,
    placement: Placement,
    cores: Vec<Core>,
    inbox: Inbox,
    parts: Vec<Part>,
    tally: RequestTally,
    sampler: Sampler,
    /// Whether latencies count.
    samples: bool,
    load: CoreLoad,
    pub(super) window_ps: u64,
    now_ps: u64,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(config: &'a SystemConfig, traffic: &Traffic) -> Result<Self, ConfigError> {
        Self::of_load(config, CoreLoad::from(traffic))
    }

    pub(super) fn of_program(
        config: &'a SystemConfig,
        program: &MemoryProgram,
    ) -> Result<Self, ConfigError> {
        AddressMap::new(config)?;
        config.topology.check(config.channels, config.cores.cores)?;
        program.check(config)?;
        let demand = ProgramDemand::new(program, config);
        let load = CoreLoad {
            cores: program.cores,
            probes: 0,
            seed: program.seed,
            work: CoreWork::Program(Arc::new(demand)),
        };
        Self::of_load(config, load)
    }

    fn of_load(config: &'a SystemConfig, load: CoreLoad) -> Result<Self, ConfigError> {
        let map = AddressMap::new(config)?;
        check(config, &load)?;
        let nodes = nodes(config, &load);
        let (of_load, probes) = nodes.split_at(load.cores as usize);
        let each = load.work.buffer_count() as usize;
        let of_load = of_load
            .iter()
            .flat_map(|&node| std::iter::repeat_n(node, each));
        let owners: Vec<u32> = of_load.chain(probes.iter().copied()).collect();
        let placement = Placement::new(config, load.seed, &owners)?;
        let links = Links::new(config, &nodes);
        let count = load.cores + load.probes;
        let cores = (0..count).map(|number| {
            let (of, at) = (&config.cores, &placement);
            // The numbers were checked to fit.
            if number < load.cores {
                Core::load(of, &load, at, number as u16)
            } else {
                Core::probe(of, &load, at, number as u16)
            }
        });
        let cores = cores.collect();
        let sub_channel = &config.sub_channel;
        let part = |number| {
            let measures = (Statistics::new(sub_channel), EnergyMeter::new(sub_channel));
            let config = config.sub_channel_at(number);
            ScheduledSubChannel::new(&config, (Answers::default(), measures))
        };
        let parts = config.channels * config.sub_channels;
        let paths_ps = config.cores.request_path_ps + config.cores.return_path_ps;
        Ok(Self {
            config,
            placement,
            cores,
            inbox: Inbox::new(map, config, links),
            parts: (0..parts).map(part).collect::<Result<_, _>>()?,
            tally: RequestTally::default(),
            sampler: Sampler::new(1),
            samples: true,
            load,
            window_ps: paths_ps.min(WINDOW_MAX_PS),
            now_ps: 0,
        })
    }

    pub(super) fn run(
        mut self,
        length: &RunLength,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<SystemRun>, ConfigError> {
        if !self.run_until(length.warm_up_ps, go_on)? {
            return Ok(None);
        }
        let episodes = length.episodes.max(1);
        self.begin(episodes);
        let begin_ps = self.now_ps;
        let mut measured = RunMeans::new(episodes);
        for episode in 0..episodes {
            if !self.episode(episode, length, &mut measured, go_on)? {
                return Ok(None);
            }
        }
        Ok(Some(self.finish(begin_ps, measured)))
    }

    /// A stretch of the measured part, unless it is cancelled.
    fn episode(
        &mut self,
        number: u32,
        length: &RunLength,
        measured: &mut RunMeans,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<bool, ConfigError> {
        if number > 0 {
            self.move_on(number);
            self.count_latencies(false);
            let settled_ps = self.now_ps + length.settle_ps.next_multiple_of(QUANTUM_PS);
            while self.now_ps < settled_ps {
                if !self.quantum(measured, go_on)? {
                    return Ok(false);
                }
            }
            self.count_latencies(true);
        }
        let episodes = u64::from(length.episodes.max(1));
        let measure_ps = length.measure_ps.div_ceil(episodes);
        let quota = length.probe_samples.div_ceil(episodes);
        let (begin_ps, taken) = (self.now_ps, self.sampler.samples());
        loop {
            let passed_ps = self.now_ps - begin_ps;
            let enough = self.load.probes == 0 || self.sampler.samples() - taken >= quota;
            if passed_ps > 0 && passed_ps >= measure_ps && enough {
                break;
            }
            if !self.quantum(measured, go_on)? {
                return Ok(false);
            }
        }
        measured.end_episode();
        self.sampler.end_episode(self.now_ps - begin_ps);
        Ok(true)
    }

    fn count_latencies(&mut self, they_count: bool) {
        self.samples = they_count;
        self.tally.reads_count = they_count;
    }

    /// The load cores go on elsewhere.
    fn move_on(&mut self, episode: u32) {
        self.placement = self.placement.of_episode(self.load.seed, episode);
        for core in &mut self.cores[..self.load.cores as usize] {
            core.begin(
                &self.config.cores,
                &self.load,
                &self.placement,
                episode.into(),
                self.now_ps,
            );
        }
    }

    /// A microsecond and what it moved, unless it is cancelled.
    fn quantum(
        &mut self,
        measured: &mut RunMeans,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<bool, ConfigError> {
        if !self.run_until(self.now_ps + QUANTUM_PS, go_on)? {
            return Ok(false);
        }
        measured.microsecond(&self.tally, self.samples);
        Ok(true)
    }

    /// Runs up to a time, unless it is cancelled.
    fn run_until(&mut self, end_ps: u64, go_on: &dyn Fn(u64) -> bool) -> Result<bool, ConfigError> {
        let mut asked_ps = self.now_ps;
        while self.now_ps < end_ps {
            let window_end = (self.now_ps + self.window_ps).min(end_ps);
            self.window(window_end).map_err(|error| ConfigError {
                what: "length",
                problem: format!("the run outlasts what can be simulated: {error}"),
            })?;
            if self.now_ps >= asked_ps + QUANTUM_PS || self.now_ps == end_ps {
                asked_ps = self.now_ps;
                if !go_on(self.now_ps) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// One window: cores, sub-channels, answers.
    fn window(&mut self, end_ps: u64) -> Result<(), PushError> {
        let paths = &self.config.cores;
        let clock = self.config.sub_channel.clock;
        self.inbox.begin(self.now_ps);
        for core in &mut self.cores {
            core.run(end_ps, &self.placement, &mut self.inbox, &mut self.tally);
        }
        self.tally.samples.sort_unstable();
        for sample in self.tally.samples.drain(..) {
            if self.samples {
                self.sampler.record(sample.latency_ps);
            }
        }
        let reach_ps = end_ps + paths.request_path_ps;
        let until = clock.edge_at_or_after(reach_ps);
        self.inbox.cross(paths.request_path_ps);
        for (index, part) in self.parts.iter_mut().enumerate() {
            // A sub-channel without requests has nothing to answer; it is run when it gets some.
            if self.inbox.is_empty(index) && part.waiting() == 0 {
                continue;
            }
            self.inbox
                .deliver(index, part, clock, paths.request_path_ps, reach_ps)?;
            part.run(until);
            for answer in part.observer_mut().0.0.drain(..) {
                let time_ps = answer.time_ps(self.config);
                let (id, kind) = (answer.id, answer.kind);
                if let Some(link) = self.inbox.link_of(id, index)
                    && let Some(links) = self.inbox.links()
                {
                    links.answer(link, Return { time_ps, id, kind });
                    continue;
                }
                self.cores[sender(id)].expect(Return {
                    time_ps: time_ps + paths.return_path_ps,
                    id,
                    kind,
                });
            }
        }
        if let Some(links) = self.inbox.links() {
            let cores = &mut self.cores;
            links.carry_back(clock.ps(until), |answer| {
                cores[sender(answer.id)].expect(Return {
                    time_ps: answer.time_ps + paths.return_path_ps,
                    ..answer
                });
            });
        }
        self.now_ps = end_ps;
        Ok(())
    }

    /// Runs all sub-channels up to where they stand for the cores' time, and returns that clock.
    fn catch_up(&mut self) -> u64 {
        let time_ps = self.now_ps + self.config.cores.request_path_ps;
        let clock = self.config.sub_channel.clock.edge_at_or_after(time_ps);
        for part in &mut self.parts {
            part.run(clock);
        }
        clock
    }

    /// The measured part begins: at the controllers a request path later than at the cores.
    fn begin(&mut self, episodes: u32) {
        let clock = self.catch_up();
        for part in &mut self.parts {
            let (_, (statistics, energy)) = part.observer_mut();
            statistics.begin(clock);
            energy.begin(clock);
        }
        if let Some(links) = self.inbox.links() {
            links.begin();
        }
        self.tally.begin(self.now_ps);
        self.count_latencies(true);
        self.sampler = Sampler::new(episodes);
    }

    fn finish(mut self, begin_ps: u64, measured: RunMeans) -> SystemRun {
        let clock = self.catch_up();
        let (mut summary, mut counts) = (TrafficSummary::default(), EnergyCounts::default());
        for part in &mut self.parts {
            let (_, (statistics, energy)) = part.observer_mut();
            summary.merge(&statistics.end(clock));
            counts.merge(&energy.end(clock));
        }
        let duration_ps = self.now_ps - begin_ps;
        let (places, samples) = match &self.load.work {
            CoreWork::Rounds { .. } => (1, (self.load.probes > 0).then(|| self.sampler.finish())),
            CoreWork::Program(demand) => {
                let bins = std::mem::take(&mut self.tally.reads);
                let probe = measured.reads(bins);
                (demand.waits_apart(), (probe.samples > 0).then_some(probe))
            }
        };
        let who_waits = f64::from(self.load.cores) * f64::from(places);
        let line = measured.line_certainty();
        SystemRun {
            duration_ps,
            bytes_read: self.tally.reads() * 64,
            bytes_written: self.tally.writes() * 64,
            bytes_per_s_confidence: measured.throughput_certainty() * (1e12 / QUANTUM_PS as f64),
            probe: samples,
            summary,
            energy: counts,
            outstanding_mean: self.tally.outstanding_mean(self.now_ps),
            slots_mean: self.tally.slots_mean(self.now_ps),
            read_latency_mean_ps: self.tally.latency_mean_ps(),
            line_latency_mean_ps: self.tally.line_mean_ps(),
            line_latency_confidence_ps: line,
            waiting_share: match who_waits * duration_ps as f64 {
                0.0 => 0.0,
                all_ps => self.tally.waited_ps() / all_ps,
            },
            read_link_mean_ps: self.inbox.links().map_or(0.0, |links| links.added_ps())
                / (self.tally.reads().max(1) as f64),
            bytes_by_microsecond: measured.into_bytes(),
        }
    }
}

/// The part of the memory that each core belongs to: load cores are spread evenly in the order of their numbers, and
/// probes in turn.
fn nodes(config: &SystemConfig, of: &CoreLoad) -> Vec<u32> {
    let nodes = u64::from(config.topology.nodes());
    let load = u64::from(of.cores);
    let of_load = (0..load).map(|number| number * nodes / load.max(1));
    let of_probes = (0..u64::from(of.probes)).map(|number| number % nodes);
    let node = |node: u64| u32::try_from(node).unwrap_or(0);
    of_load.chain(of_probes).map(node).collect()
}

/// Whether a system can do this traffic.
fn check(config: &SystemConfig, of: &CoreLoad) -> Result<(), ConfigError> {
    config.topology.check(config.channels, config.cores.cores)?;
    const PATH_MAX_PS: u64 = 1_000_000_000;
    let (cores, load, probes) = (&config.cores, of.cores, of.probes);
    let paths = [cores.request_path_ps, cores.return_path_ps];
    let wrong = |what, problem| Err(ConfigError { what, problem });
    if cores.misses == 0 {
        return wrong("cores.misses", "is 0; at least 1 is needed".to_owned());
    }
    if cores.fill_buffers == Some(0) {
        let problem = "is 0; at least 1 is needed".to_owned();
        return wrong("cores.fill_buffers", problem);
    }
    if cores.lines_per_pause == 0 {
        let problem = "is 0; at least 1 is needed".to_owned();
        return wrong("cores.lines_per_pause", problem);
    }
    if cores.clock_hz == 0 {
        return wrong("cores.clock_hz", "is 0 Hz".to_owned());
    }
    if paths == [0, 0] {
        let problem = "requests and answers that take no time leave nothing to run ahead by; set request_path or return_path to 1 ns or more";
        return wrong("cores.request_path_ps", problem.to_owned());
    }
    if paths.iter().any(|&path| path > PATH_MAX_PS) || config.module_delay_ps > PATH_MAX_PS {
        let problem = format!("paths and module delay may take {PATH_MAX_PS} ps at most");
        return wrong("cores.request_path_ps", problem);
    }
    if load > cores.cores {
        return wrong(
            "traffic.load_cores",
            format!("{load} of {} cores", cores.cores),
        );
    }
    if u64::from(load) + u64::from(probes) > CORES_MAX {
        let problem =
            format!("{load} load cores and {probes} probes; together at most {CORES_MAX}");
        return wrong("traffic.probes", problem);
    }
    Ok(())
}
