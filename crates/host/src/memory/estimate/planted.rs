//! Runs of which the truth is known.

use super::{TimedBatch, TimerCost};
use crate::memory::ledger::LedgerReading;

/// Random numbers of a seed (SplitMix64).
pub(crate) struct Draws {
    state: u64,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        // The state moves by equal steps: seeds that lie a step apart would give one sequence, shifted.
        let state = Self { state: seed }.word();
        Self { state }
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Between 0 and 1, neither included.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.word() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Around zero, of scale 1: its quantiles are `ln(p / (1 - p))`.
    pub(crate) fn logistic(&mut self) -> f64 {
        let unit = self.unit();
        (unit / (1.0 - unit)).ln()
    }

    /// How many of `count` come out, each with this chance.
    pub(crate) fn of_many(&mut self, count: f64, chance: f64) -> f64 {
        let chance = chance.clamp(0.0, 1.0);
        let (mean, deviation) = (count * chance, (count * chance * (1.0 - chance)).sqrt());
        if deviation > 3.0 {
            // The sum of twelve is nearly normal.
            let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + deviation * normal).round().clamp(0.0, count);
        }
        (0..count as u64)
            .map(|_| f64::from(self.unit() < chance))
            .sum()
    }

    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.unit().ln()
    }
}

/// What the loads of a batch take, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlantedLatency {
    /// One mode.
    Still { scale_ns: f64 },
    /// 70 % of the batches in one mode and 30 % 35 ns above, in bursts of so many batches on the mean (1: none).
    TwoModes { burst: f64 },
    /// Each batch keeps 0.9 of the last one's distance from the middle.
    Slow,
    /// Rises by so much over the run.
    Drift { rise_ns: f64 },
    /// One wave over the run.
    Wave { height_ns: f64 },
    /// Rivals on the memory: queues of this mean above the quiet value, while they do not pause (a tenth of the time).
    Contended { queue_ns: f64 },
}

/// Middle of the lower mode.
const QUIET_NS: f64 = 100.0;
const UPPER_MODE_NS: f64 = 35.0;
const MODE_SCALE_NS: f64 = 2.0;

impl PlantedLatency {
    /// The true median of batches, over the whole run.
    pub(crate) fn median_ns(self) -> f64 {
        match self {
            // The lower mode holds 0.7, so the middle is its quantile of 5/7.
            Self::TwoModes { .. } => QUIET_NS + MODE_SCALE_NS * (2.5_f64).ln(),
            Self::Drift { rise_ns } => QUIET_NS + rise_ns / 2.0,
            // Nine tenths have a queue: the middle is its quantile of 4/9.
            Self::Contended { queue_ns } => QUIET_NS + queue_ns * (1.8_f64).ln(),
            Self::Still { .. } | Self::Slow | Self::Wave { .. } => QUIET_NS,
        }
    }
}

/// Other programs on the core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preemption {
    pub on_ms: f64,
    pub off_ms: f64,
    /// What a turn of the others displaces.
    pub refill: Refill,
}

/// Lines of a page table that come back load by load: each load needs a random one, and takes `factor` times as long where it
/// is not back yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refill {
    pub lines: f64,
    pub factor: f64,
}

/// Nothing is displaced.
pub(crate) const NO_REFILL: Refill = Refill {
    lines: 0.0,
    factor: 1.0,
};

/// Ten CPU-bound rivals on a virtual machine, as measured beside them on an AMD EPYC: the tables of 64 MiB have 2,000 lines,
/// those of 512 MiB 16,000.
pub(crate) const fn ten_rivals(lines: f64) -> Preemption {
    let factor = 1.7;
    Preemption {
        on_ms: 2.8,
        off_ms: 28.0,
        refill: Refill { lines, factor },
    }
}

/// A run to be planted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlantedRun {
    pub latency: PlantedLatency,
    pub batches: usize,
    pub loads: u32,
    pub timer: TimerCost,
    pub preemption: Option<Preemption>,
}

impl PlantedRun {
    pub(crate) fn new(latency: PlantedLatency) -> Self {
        Self {
            latency,
            batches: 2000,
            loads: 32,
            timer: TimerCost {
                cost_ps: 25_000.0,
                quantum_ps: 1000.0,
            },
            preemption: None,
        }
    }

    /// The batches as a driver would time them, and the ledger beside them.
    pub(crate) fn draw(&self, seed: u64) -> (Vec<TimedBatch>, LedgerReading) {
        let mut draws = Draws::new(seed);
        let mut memory = PlantedMemory::new(&mut draws);
        // Nanoseconds, from any phase of the clock on.
        let start = 1e6 * draws.unit();
        let mut now = start;
        let mut core = PlantedCore::new(self.preemption, &mut draws);
        let mut batches = Vec::with_capacity(self.batches);
        let shown = |now: f64| (now * 1e3 / self.timer.quantum_ps).floor() * self.timer.quantum_ps;
        for batch in 0..self.batches {
            let through = (batch as f64 + 0.5) / self.batches as f64;
            let mean_ns = memory.mean_ns(self.latency, through, &mut draws);
            let from = shown(now);
            core.run(&mut now, self.timer.cost_ps / 1e3, 0, &mut draws);
            core.run(&mut now, mean_ns.max(1.0), self.loads, &mut draws);
            let to = shown(now);
            batches.push(TimedBatch {
                at_ps: from as u64,
                duration_ps: (to - from) as u64,
                loads: self.loads,
            });
            // The driver keeps the sample.
            core.run(&mut now, 15.0 + 10.0 * draws.unit(), 0, &mut draws);
        }
        let elapsed = now - start;
        let ledger = LedgerReading {
            elapsed_s: elapsed / 1e9,
            processor_s: (elapsed - core.lost) / 1e9,
            involuntary_switches: core.switches,
            other_cpu_share: core.lost / elapsed,
            // Rivals on each processor.
            elsewhere_cpu_share: self.preemption.map(|_| 1.0),
            ..LedgerReading::default()
        };
        (batches, ledger)
    }
}

/// What the memory did last.
pub(crate) struct PlantedMemory {
    slow: bool,
    distance: f64,
    /// Batches for which rivals still pause.
    paused: f64,
}

impl PlantedMemory {
    pub(crate) fn new(draws: &mut Draws) -> Self {
        Self {
            slow: draws.unit() < 0.3,
            distance: draws.logistic() * 4.0,
            paused: 0.0,
        }
    }

    /// What a load of the next batch takes on the mean, so far through the run.
    fn mean_ns(&mut self, latency: PlantedLatency, through: f64, draws: &mut Draws) -> f64 {
        match latency {
            PlantedLatency::Still { scale_ns } => QUIET_NS + scale_ns * draws.logistic(),
            PlantedLatency::TwoModes { burst } => {
                // Slow bursts last `burst` and fast ones 7/3 of it; independent batches leave with 0.7 and 0.3.
                let leave_slow = (1.0 / burst).min(0.7);
                let leave = match self.slow {
                    true => leave_slow,
                    false => leave_slow * 3.0 / 7.0,
                };
                self.slow ^= draws.unit() < leave;
                let upper = if self.slow { UPPER_MODE_NS } else { 0.0 };
                QUIET_NS + upper + MODE_SCALE_NS * draws.logistic()
            }
            PlantedLatency::Slow => {
                self.distance = 0.9 * self.distance + 2.0 * draws.logistic();
                QUIET_NS + self.distance
            }
            PlantedLatency::Drift { rise_ns } => {
                QUIET_NS + rise_ns * through + 1.5 * draws.logistic()
            }
            PlantedLatency::Wave { height_ns } => {
                let phase = through * std::f64::consts::TAU;
                QUIET_NS + height_ns * phase.sin() + 1.5 * draws.logistic()
            }
            PlantedLatency::Contended { queue_ns } => {
                // Rivals pause for 20 batches at a time.
                self.paused = if self.paused > 0.0 {
                    self.paused - 1.0
                } else if draws.unit() < 1.0 / 180.0 {
                    20.0
                } else {
                    0.0
                };
                let queue = draws.exponential(queue_ns);
                match self.paused > 0.0 {
                    true => QUIET_NS - draws.unit(),
                    false => QUIET_NS + queue,
                }
            }
        }
    }
}

/// A machine that a driver times itself: it decides when to stop, to look and to bring back what is missing.
pub(crate) struct PlantedMachine {
    pub(crate) run: PlantedRun,
    /// Whether it has anything to bring back.
    pub(crate) brings: bool,
    draws: Draws,
    memory: PlantedMemory,
    core: PlantedCore,
    now: f64,
    begin: f64,
    /// Time, and time lost, in pauses; and both at the begin of one.
    paused: (f64, f64),
    paused_at: (f64, f64),
}

impl PlantedMachine {
    pub(crate) fn new(run: PlantedRun, brings: bool, seed: u64) -> Self {
        let mut draws = Draws::new(seed);
        let (memory, core) = (
            PlantedMemory::new(&mut draws),
            PlantedCore::new(run.preemption, &mut draws),
        );
        let now = 1e6 * draws.unit();
        Self {
            run,
            brings,
            draws,
            memory,
            core,
            now,
            begin: now,
            paused: (0.0, 0.0),
            paused_at: (0.0, 0.0),
        }
    }

    pub(crate) fn now_ps(&self) -> u64 {
        let step = self.run.timer.quantum_ps;
        ((self.now * 1e3 / step).floor() * step) as u64
    }

    /// Loads between two readings of the clock.
    pub(crate) fn load(&mut self, loads: u32) {
        let mean_ns = self.memory.mean_ns(self.run.latency, 0.0, &mut self.draws);
        let cost = self.run.timer.cost_ps / 1e3;
        self.core.run(&mut self.now, cost, 0, &mut self.draws);
        self.core
            .run(&mut self.now, mean_ns.max(1.0), loads, &mut self.draws);
    }

    /// Brings every line back, in a fifth of the time of a load each. Who is interrupted meanwhile has half of them.
    pub(crate) fn rewarm(&mut self) {
        const SIDE_BY_SIDE: f64 = 0.2;
        let lines = self.lines().unwrap_or(0.0);
        let switches = self.core.switches;
        self.core.run(
            &mut self.now,
            lines * QUIET_NS * SIDE_BY_SIDE,
            0,
            &mut self.draws,
        );
        self.core.missing = match self.core.switches == switches {
            true => 0.0,
            false => lines / 2.0,
        };
    }

    pub(crate) fn lines(&self) -> Option<f64> {
        let lines = self.run.preemption.map(|rivals| rivals.refill.lines);
        lines.filter(|lines| *lines > 0.0)
    }

    pub(crate) fn pause(&mut self) {
        self.paused_at = (self.now, self.core.lost);
    }

    pub(crate) fn resume(&mut self) {
        self.paused.0 += self.now - self.paused_at.0;
        self.paused.1 += self.core.lost - self.paused_at.1;
    }

    pub(crate) fn reading(&self) -> LedgerReading {
        let elapsed = self.now - self.begin - self.paused.0;
        let lost = self.core.lost - self.paused.1;
        LedgerReading {
            elapsed_s: elapsed / 1e9,
            processor_s: (elapsed - lost) / 1e9,
            other_cpu_share: lost / elapsed.max(1.0),
            elsewhere_cpu_share: self.run.preemption.map(|_| 1.0),
            ..LedgerReading::default()
        }
    }
}

/// The scheduler, and what it leaves of the page tables.
struct PlantedCore {
    preemption: Option<Preemption>,
    slice_end: f64,
    /// Lines that are not back.
    missing: f64,
    lost: f64,
    switches: u64,
}

impl PlantedCore {
    fn new(preemption: Option<Preemption>, draws: &mut Draws) -> Self {
        let first = preemption.map_or(f64::INFINITY, |rivals| {
            1e6 * (1.0 + rivals.on_ms * draws.unit())
        });
        Self {
            preemption,
            slice_end: first,
            missing: 0.0,
            lost: 0.0,
            switches: 0,
        }
    }

    /// Lets the program run for so many loads of `each` nanoseconds, or for `each` alone.
    fn run(&mut self, now: &mut f64, each: f64, loads: u32, draws: &mut Draws) {
        let mut left = f64::from(loads);
        loop {
            let refill = self.preemption.map_or(NO_REFILL, |rivals| rivals.refill);
            let cold = match self.missing > 0.0 {
                true => {
                    // So many of those missing are among the lines that all of the loads need.
                    let found = self.missing * (1.0 - (-left / refill.lines).exp());
                    draws.of_many(left, found / left.max(1.0))
                }
                false => 0.0,
            };
            let takes = each * (left.max(f64::from(loads == 0)) + cold * (refill.factor - 1.0));
            let until = self.slice_end - *now;
            if takes <= until {
                *now += takes;
                self.missing = (self.missing - cold).max(0.0);
                return;
            }
            let Some(rivals) = self.preemption else {
                return;
            };
            left -= (left * (until / takes).max(0.0)).floor();
            let off = 1e6 * rivals.off_ms * (0.8 + 0.4 * draws.unit());
            *now = self.slice_end + off;
            self.lost += off;
            self.switches += 1;
            self.slice_end = *now + 1e6 * rivals.on_ms * (0.8 + 0.4 * draws.unit());
            self.missing = refill.lines;
        }
    }
}
