//! A core as a closed loop: it computes, and it waits for the lines that it has under way.
//!
//! The time of a line is `c + L(O)/m`: compute time `c`, latency `L` at the lines outstanding `O` of all cores together, and
//! `m` lines that a core has under way while it waits. By Little's law `O` is the rate of lines times `L(O)`. Both hold at
//! once at one place, which bisection on `O` finds: throughput is no coordinate near saturation, where one throughput has
//! many latencies.
//!
//! Load varies over time, so that the loop has levels: each lasts a share of the baseline's time, with `m` the same and `c`
//! its own.

use crate::curve::MemoryCurve;

/// What a program did on its baseline, as counters see it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCounters {
    /// Lines a nanosecond of all cores together, in the mean over the time in which they ran.
    pub rate: f64,
    /// Share of that time in which a core waited for memory, from 0 to 1.
    pub stall_share: f64,
    /// Shares of the time and multiples of the mean rate.
    pub levels: Vec<[f64; 2]>,
    /// Cores that ran.
    pub cores: f64,
    /// Lines that a core can have under way at most.
    pub misses_per_core: f64,
}

/// A program as a closed loop, found from its counters.
#[derive(Clone, Debug, PartialEq)]
pub struct CoreLoop {
    levels: Vec<LoopLevel>,
    /// Time in which nothing is asked for, in nanoseconds a line and core: it is computing.
    alone_ns: f64,
    cores: f64,
    most: f64,
    /// Lines that a core has under way while it waits; infinite where it never does.
    pub parallel: f64,
    /// Mean time of a line on the baseline in nanoseconds, over lines.
    pub latency_ns: f64,
}

/// One level of load.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoopLevel {
    /// Share of the lines.
    lines: f64,
    /// Compute time of a line in nanoseconds.
    compute_ns: f64,
    /// Lines that a core has under way while it waits.
    parallel: f64,
}

/// What a closed loop comes to on a memory. Times are those of a core and a line, in the mean over lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopTimes {
    /// Time of a line in nanoseconds.
    pub line_ns: f64,
    /// The part in which the core computes.
    pub compute_ns: f64,
    /// The part that it would wait for a memory without load.
    pub latency_ns: f64,
    /// The part that it waits longer because the memory is loaded.
    pub queue_ns: f64,
    /// Mean time of a line in the memory in nanoseconds.
    pub memory_ns: f64,
    /// Mean time of a read in the memory in nanoseconds.
    pub read_ns: f64,
    /// Lines outstanding in the mean over time.
    pub outstanding: f64,
    /// Mean power of the modules in watts.
    pub power_w: f64,
}

impl CoreLoop {
    /// The loop that has these counters on this memory: every level computes for what its lines leave over.
    #[must_use]
    pub fn of(counters: &LoopCounters, curve: &MemoryCurve) -> Self {
        let most = counters.cores * counters.misses_per_core;
        let place = |multiple: f64| {
            let rate = counters.rate * multiple;
            let outstanding = curve.outstanding_at(rate, most);
            // Time of a line of one core, and in the memory.
            (counters.cores / rate, curve.latency_ns(outstanding))
        };
        let busy = counters
            .levels
            .iter()
            .filter(|[share, multiple]| share * multiple > 0.0);
        let places: Vec<_> = busy
            .map(|[share, multiple]| (*share, *multiple, place(*multiple)))
            .collect();
        // Cores that ask for nothing wait for nothing.
        let stalled = |parallel: f64| {
            let shares = places.iter().map(|(share, _, (line, latency))| {
                let waits = latency / parallel / line;
                share * waits.min(1.0)
            });
            shares.sum::<f64>()
        };
        let ran: f64 = places.iter().map(|(share, ..)| share).sum();
        let stalls = counters.stall_share.min(ran * (1.0 - 1e-9));
        let parallel = parallel(stalls, stalled);
        let lines = |share: f64, multiple: f64| share * multiple;
        let all: f64 = places
            .iter()
            .map(|(share, multiple, _)| lines(*share, *multiple))
            .sum();
        let levels = places.iter().map(|(share, multiple, (line, latency))| {
            // A level that its waits fill has more under way.
            let parallel = parallel.max(latency / line);
            LoopLevel {
                lines: lines(*share, *multiple) / all,
                compute_ns: (line - latency / parallel).max(0.0),
                parallel,
            }
        });
        let latency = places
            .iter()
            .map(|(share, multiple, (_, latency))| lines(*share, *multiple) * latency);
        Self {
            levels: levels.collect(),
            alone_ns: (1.0 - ran).max(0.0) * counters.cores / counters.rate,
            cores: counters.cores,
            most,
            parallel,
            latency_ns: latency.sum::<f64>() / all,
        }
    }

    /// The same program on cores that can have so many lines under way each.
    #[must_use]
    pub fn with_misses(&self, misses_per_core: f64) -> Self {
        Self {
            most: self.cores * misses_per_core,
            ..self.clone()
        }
    }

    /// What the loop comes to on a memory.
    #[must_use]
    pub fn on(&self, curve: &MemoryCurve) -> LoopTimes {
        let idle = curve.idle_ns();
        let mut times = LoopTimes {
            line_ns: self.alone_ns,
            compute_ns: self.alone_ns,
            power_w: self.alone_ns * curve.power_w(0.0),
            ..LoopTimes::default()
        };
        for level in &self.levels {
            let (outstanding, latency, line) = level.place(curve, self.cores, self.most);
            let waits = (line - level.compute_ns).max(0.0);
            let unloaded = (idle / level.parallel).min(waits);
            times.line_ns += level.lines * line;
            times.compute_ns += level.lines * (line - waits);
            times.latency_ns += level.lines * unloaded;
            times.queue_ns += level.lines * (waits - unloaded);
            times.memory_ns += level.lines * latency;
            times.read_ns += level.lines * curve.read_ns(outstanding);
            // These are means over time.
            times.outstanding += level.lines * line * outstanding;
            times.power_w += level.lines * line * curve.power_w(outstanding);
        }
        if times.line_ns > 0.0 {
            times.outstanding /= times.line_ns;
            times.power_w /= times.line_ns;
        }
        times
    }
}

impl LoopLevel {
    /// Lines outstanding, the latency of a line, and the time of a line and core on a memory; both in nanoseconds.
    fn place(&self, curve: &MemoryCurve, cores: f64, most: f64) -> (f64, f64, f64) {
        // A core that runs at the memory's rate has as many lines under way as the memory takes.
        let outstanding = curve.outstanding_of(self.compute_ns, self.parallel, cores, most);
        let latency = curve.latency_ns(outstanding);
        // A loop that has all lines under way that it can have waits for the memory's rate.
        let line = match outstanding < most {
            true => self.compute_ns + latency / self.parallel,
            false => cores * latency / outstanding,
        };
        (outstanding, latency, line)
    }
}

/// A window of a program at one level of its load, as a simulation can run it: lines under way are whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopWindow {
    /// Share of the program's lines that this level has.
    pub lines: f64,
    /// Time that a core computes for each line, in nanoseconds.
    pub compute_ns: f64,
    /// Lines that a core has under way while it waits.
    pub under_way: u32,
    /// Cores that run.
    pub cores: u32,
}

impl LoopWindow {
    /// Time of a line and core on a memory, as its curve says, in nanoseconds.
    #[must_use]
    pub fn line_ns(&self, curve: &MemoryCurve, misses_per_core: f64) -> f64 {
        let level = LoopLevel {
            lines: self.lines,
            compute_ns: self.compute_ns,
            parallel: f64::from(self.under_way).min(misses_per_core),
        };
        let cores = f64::from(self.cores);
        level.place(curve, cores, cores * misses_per_core).2
    }
}

impl CoreLoop {
    /// The levels as windows that can be simulated on so many cores. Each has as many lines under way as is nearest to the
    /// loop's, and computes for what its line on this memory leaves over, so that it asks for as much. None has more under way
    /// than a core's misses.
    #[must_use]
    pub fn windows(&self, curve: &MemoryCurve, cores: u32) -> Vec<LoopWindow> {
        // Fewer cores that stand for all of them: each has so many times as much to do.
        let each = self.cores / f64::from(cores.max(1));
        let misses = (self.most / self.cores).floor().max(1.0);
        let windows = self.levels.iter().map(|level| {
            let (_, latency, line) = level.place(curve, self.cores, self.most);
            let line = line / each;
            let near = (level.parallel * each).round();
            // Fewer than this and the waits alone would take longer than the line.
            let least = (latency / line * (1.0 - 1e-9)).ceil();
            let under_way = near.max(least).clamp(1.0, misses);
            LoopWindow {
                lines: level.lines,
                compute_ns: (line - latency / under_way).max(0.0),
                under_way: under_way as u32,
                cores: cores.max(1),
            }
        });
        windows.collect()
    }

    /// Time in which nothing is asked for, in nanoseconds a line and core.
    #[must_use]
    pub const fn alone_ns(&self) -> f64 {
        self.alone_ns
    }
}

/// Lines that a core has under way while it waits, so that its waits have a share of the time. The more are under way, the
/// shorter it waits.
fn parallel(stall_share: f64, stalled: impl Fn(f64) -> f64) -> f64 {
    /// Enough for a factor of 2 to the power of 40 either way, and for all digits.
    const HALVINGS: usize = 100;
    if stall_share <= 0.0 {
        return f64::INFINITY;
    }
    let (mut few, mut many) = (0.0, 1.0);
    while stalled(many) > stall_share && many < 1e12 {
        few = many;
        many *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (few + many);
        if middle <= few || middle >= many {
            break;
        }
        if stalled(middle) >= stall_share {
            few = middle;
        } else {
            many = middle;
        }
    }
    many
}

#[cfg(test)]
pub(crate) mod tests;
