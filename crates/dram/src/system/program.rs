//! A program as the memory sees it: what its cores ask for, and how long they compute in between.

use crate::config::{ConfigError, CoreConfig, SystemConfig};

/// The load of a program: closed loops of cores that compute, ask for lines and wait for them.
///
/// A core has `under_way` places for lines. At each place it computes, asks for a line, and waits until the data have come, or
/// until the controller has accepted what is written. The places take turns in computing, so that each computes `under_way`
/// times as long as the core does for a line. So a line takes a core `compute_ps + L / under_way`, where L is the mean time of a line.
///
/// ```no_run
/// use wordline_dram::system::{MemoryProgram, RunLength, simulate_program};
/// use wordline_dram::SystemConfig;
///
/// fn share_of_waiting(config: &SystemConfig) -> Result<f64, Box<dyn std::error::Error>> {
///     let program = MemoryProgram {
///         compute_ps: 10_000.0,
///         under_way: 8,
///         write_share: 0.2,
///         ..MemoryProgram::of(config.cores.cores)
///     };
///     let length = RunLength {
///         warm_up_ps: 20_000_000,
///         measure_ps: 100_000_000,
///         probe_samples: 0,
///         episodes: 10,
///         settle_ps: 3_000_000,
///     };
///     let run = simulate_program(config, &program, &length, &|_| true)?;
///     Ok(run.map_or(0.0, |run| run.waiting_share))
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryProgram {
    /// Cores that it runs on.
    pub cores: u32,
    /// Time that a core computes for each line, in the mean over all lines and at the load level 1, in picoseconds; 0 to 1 ms.
    pub compute_ps: f64,
    /// How that time is distributed.
    pub compute_times: ComputeTimes,
    /// Lines that a core has under way while it waits, 1 or more; never more than the [misses](CoreConfig::misses) of the
    /// system's cores.
    pub under_way: u32,
    /// Which lines wait for which.
    pub misses: MissOrder,
    /// Share of the lines that are written, 0 to 1.
    pub write_share: f64,
    /// Share of the lines that follow the line before them, 0 to 1; the others are random. Reads and writes have buffers of
    /// their own.
    pub locality: f64,
    /// Load of the busiest channel over the mean, from 1 to the number of channels that a core uses. One channel of each
    /// node has more, the others share the rest evenly.
    pub imbalance: f64,
    /// How the load varies over time, all cores alike; empty where it does not. Shares of time add up to 1.
    pub levels: Vec<ProgramLevel>,
    /// How long a level lasts before the next one is drawn, in picoseconds; 1 us to 1 s. Without levels it means nothing.
    pub level_window_ps: u64,
    /// Where buffers lie, which lines are random, how long each computes, which level each window has.
    pub seed: u64,
}

/// A level of a program's load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramLevel {
    /// Share of the windows that have it, 0 to 1.
    pub share: f64,
    /// How many times as fast cores compute, 0 to 1000; at 0 they stand still. What they wait for takes its own time.
    pub multiple: f64,
}

/// How the times that a core computes are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputeTimes {
    /// All are the same.
    Constant,
    /// Exponentially.
    #[default]
    Exponential,
}

/// Which of a core's lines wait for which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissOrder {
    /// Chains of misses that do not depend on each other: each place computes again as soon as its own line has come.
    #[default]
    Independent,
    /// Groups: a core computes, then asks for as many lines as it has places, and waits for the last of them. A group waits longer
    /// than its lines do in the mean.
    Grouped,
}

impl MemoryProgram {
    /// A window of load levels unless said otherwise, in picoseconds: some hundred times what a line takes.
    pub const LEVEL_WINDOW_PS: u64 = 10_000_000;

    /// One that reads random lines, one at a time and evenly over the channels, on so many cores that only wait.
    #[must_use]
    pub const fn of(cores: u32) -> Self {
        Self {
            cores,
            compute_ps: 0.0,
            compute_times: ComputeTimes::Exponential,
            under_way: 1,
            misses: MissOrder::Independent,
            write_share: 0.0,
            locality: 0.0,
            imbalance: 1.0,
            levels: Vec::new(),
            level_window_ps: Self::LEVEL_WINDOW_PS,
            seed: 0,
        }
    }

    /// Lines that a core of a system has under way while it waits.
    #[must_use]
    pub fn under_way_on(&self, cores: &CoreConfig) -> u32 {
        self.under_way.min(cores.misses)
    }

    /// What a system cannot run of it.
    pub(super) fn check(&self, config: &SystemConfig) -> Result<(), ConfigError> {
        let most = of_node(config);
        let shares: f64 = self.levels.iter().map(|level| level.share).sum();
        let within = |value: f64, least: f64, most: f64| (least..=most).contains(&value);
        let level = |level: &ProgramLevel| {
            within(level.share, 0.0, 1.0) && within(level.multiple, 0.0, 1_000.0)
        };
        let moves = |level: &ProgramLevel| level.share > 0.0 && level.multiple > 0.0;
        let is_steady = self.levels.is_empty();
        let cores = config.cores.cores;
        let found: [(&'static str, String, bool); 8] = [
            (
                "program.cores",
                format!("{}; allowed: 1 to {cores}", self.cores),
                (1..=cores).contains(&self.cores),
            ),
            (
                "program.compute_ps",
                format!("{}; allowed: 0 to 1e9, which is 1 ms", self.compute_ps),
                within(self.compute_ps, 0.0, 1e9),
            ),
            (
                "program.under_way",
                "0; allowed: 1 or more".to_owned(),
                self.under_way > 0,
            ),
            (
                "program.write_share",
                format!("{}; allowed: 0 to 1", self.write_share),
                within(self.write_share, 0.0, 1.0),
            ),
            (
                "program.locality",
                format!("{}; allowed: 0 to 1", self.locality),
                within(self.locality, 0.0, 1.0),
            ),
            (
                "program.imbalance",
                format!(
                    "{}; allowed: 1 to {most}, the channels of a core",
                    self.imbalance
                ),
                within(self.imbalance, 1.0, most),
            ),
            (
                "program.levels",
                format!(
                    "shares of 0 to 1 must add up to 1 (they add up to {shares}), multiples lie between 0 and 1000, \
                     and one is above 0"
                ),
                is_steady
                    || ((shares - 1.0).abs() < 1e-6
                        && self.levels.iter().all(level)
                        && self.levels.iter().any(moves)),
            ),
            (
                "program.level_window_ps",
                format!(
                    "{}; allowed: 1000000 to 1000000000000, which is 1 us to 1 s",
                    self.level_window_ps
                ),
                is_steady || (1_000_000..=1_000_000_000_000).contains(&self.level_window_ps),
            ),
        ];
        let wrong = found.into_iter().find(|(_, _, good)| !good);
        wrong.map_or(Ok(()), |(what, problem, _)| {
            Err(ConfigError { what, problem })
        })
    }

    /// Share of the lines that go to the busiest channel of a node beside what it has anyway.
    pub(super) fn moved_share(&self, config: &SystemConfig) -> f64 {
        let channels = of_node(config);
        if channels > 1.0 {
            (self.imbalance - 1.0) / (channels - 1.0)
        } else {
            0.0
        }
    }
}

/// Channels that a core uses.
fn of_node(config: &SystemConfig) -> f64 {
    f64::from((config.channels / config.topology.nodes()).max(1))
}
