//! Cores and sub-channels together.
//!
//! What a core issues reaches a controller a request path later, and what a controller answers reaches the core a
//! return path later. So within a window as long as both paths neither side hears of what the other one does in it:
//! first every core does its part of the window by itself, then every sub-channel its own, a request path later. The
//! windows leave no trace in the results: requests reach a sub-channel in the order of time, core and sequence
//! wherever windows are cut.

use super::answer::Answers;
use super::core::{CORES_MAX, Core, Return, sender};
use super::inbox::{Inbox, WINDOW_MAX_PS};
use super::link::Links;
use super::placement::Placement;
use super::probe::{Batches, LatencyProbe, Sampler};
use super::tally::RequestTally;
use super::traffic::{RunLength, Traffic};
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
    /// Latency samples; `None` without probes.
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

/// Bytes by microsecond.
struct Throughput {
    batches: Batches,
    /// Bytes of the measured part so far.
    moved: u64,
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
    traffic: Traffic,
    pub(super) window_ps: u64,
    now_ps: u64,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(config: &'a SystemConfig, traffic: &Traffic) -> Result<Self, ConfigError> {
        let map = AddressMap::new(config)?;
        check(config, traffic)?;
        let nodes = nodes(config, traffic);
        let (load, probes) = nodes.split_at(traffic.load_cores as usize);
        let each = super::traffic::buffer_count(traffic.mix) as usize;
        let of_load = load
            .iter()
            .flat_map(|&node| std::iter::repeat_n(node, each));
        let owners: Vec<u32> = of_load.chain(probes.iter().copied()).collect();
        let placement = Placement::new(config, traffic.seed, &owners)?;
        let links = Links::new(config, &nodes);
        let count = traffic.load_cores + traffic.probes;
        let cores = (0..count).map(|number| {
            let (of, at) = (&config.cores, &placement);
            // The numbers were checked to fit.
            if number < traffic.load_cores {
                Core::load(of, traffic, at, number as u16)
            } else {
                Core::probe(of, traffic, at, number as u16)
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
            inbox: Inbox::new(map, config.channels, config.sub_channels, links),
            parts: (0..parts).map(part).collect::<Result<_, _>>()?,
            tally: RequestTally::default(),
            sampler: Sampler::new(1),
            samples: true,
            traffic: *traffic,
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
        let mut throughput = Throughput {
            batches: Batches::new(episodes),
            moved: 0,
        };
        for episode in 0..episodes {
            if !self.episode(episode, length, &mut throughput, go_on)? {
                return Ok(None);
            }
        }
        let per_second = 1e12 / QUANTUM_PS as f64;
        let confidence = throughput.batches.certainty().half_width * per_second;
        Ok(Some(self.finish(begin_ps, confidence)))
    }

    /// A stretch of the measured part, unless it is cancelled.
    fn episode(
        &mut self,
        number: u32,
        length: &RunLength,
        throughput: &mut Throughput,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<bool, ConfigError> {
        if number > 0 {
            self.move_on(number);
            self.samples = false;
            let settled_ps = self.now_ps + length.settle_ps.next_multiple_of(QUANTUM_PS);
            while self.now_ps < settled_ps {
                if !self.quantum(throughput, go_on)? {
                    return Ok(false);
                }
            }
            self.samples = true;
        }
        let episodes = u64::from(length.episodes.max(1));
        let measure_ps = length.measure_ps.div_ceil(episodes);
        let quota = length.probe_samples.div_ceil(episodes);
        let (begin_ps, taken) = (self.now_ps, self.sampler.samples());
        loop {
            let measured = self.now_ps - begin_ps;
            let enough = self.traffic.probes == 0 || self.sampler.samples() - taken >= quota;
            if measured > 0 && measured >= measure_ps && enough {
                break;
            }
            if !self.quantum(throughput, go_on)? {
                return Ok(false);
            }
        }
        throughput.batches.end_episode();
        self.sampler.end_episode(self.now_ps - begin_ps);
        Ok(true)
    }

    /// The load cores go on elsewhere.
    fn move_on(&mut self, episode: u32) {
        self.placement = self.placement.of_episode(self.traffic.seed, episode);
        let load = self.traffic.load_cores as usize;
        for core in &mut self.cores[..load] {
            core.begin(
                &self.config.cores,
                &self.traffic,
                &self.placement,
                episode.into(),
                self.now_ps,
            );
        }
    }

    /// A microsecond and what it moved, unless it is cancelled.
    fn quantum(
        &mut self,
        throughput: &mut Throughput,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<bool, ConfigError> {
        if !self.run_until(self.now_ps + QUANTUM_PS, go_on)? {
            return Ok(false);
        }
        let bytes = 64 * (self.tally.reads() + self.tally.writes());
        throughput.batches.record(bytes - throughput.moved);
        throughput.moved = bytes;
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
        self.sampler = Sampler::new(episodes);
    }

    fn finish(mut self, begin_ps: u64, bytes_per_s_confidence: f64) -> SystemRun {
        let clock = self.catch_up();
        let (mut summary, mut counts) = (TrafficSummary::default(), EnergyCounts::default());
        for part in &mut self.parts {
            let (_, (statistics, energy)) = part.observer_mut();
            summary.merge(&statistics.end(clock));
            counts.merge(&energy.end(clock));
        }
        SystemRun {
            duration_ps: self.now_ps - begin_ps,
            bytes_read: self.tally.reads() * 64,
            bytes_written: self.tally.writes() * 64,
            bytes_per_s_confidence,
            probe: (self.traffic.probes > 0).then(|| self.sampler.finish()),
            summary,
            energy: counts,
            outstanding_mean: self.tally.outstanding_mean(self.now_ps),
            slots_mean: self.tally.slots_mean(self.now_ps),
            read_latency_mean_ps: self.tally.latency_mean_ps(),
            read_link_mean_ps: self.inbox.links().map_or(0.0, |links| links.added_ps())
                / (self.tally.reads().max(1) as f64),
        }
    }
}

/// The part of the memory that each core belongs to: load cores are spread evenly in the order of their numbers, and
/// probes in turn.
fn nodes(config: &SystemConfig, traffic: &Traffic) -> Vec<u32> {
    let nodes = u64::from(config.topology.nodes());
    let load = u64::from(traffic.load_cores);
    let of_load = (0..load).map(|number| number * nodes / load.max(1));
    let of_probes = (0..u64::from(traffic.probes)).map(|number| number % nodes);
    let node = |node: u64| u32::try_from(node).unwrap_or(0);
    of_load.chain(of_probes).map(node).collect()
}

/// Whether a system can do this traffic.
fn check(config: &SystemConfig, traffic: &Traffic) -> Result<(), ConfigError> {
    config.topology.check(config.channels, config.cores.cores)?;
    const PATH_MAX_PS: u64 = 1_000_000_000;
    let (cores, load, probes) = (&config.cores, traffic.load_cores, traffic.probes);
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
