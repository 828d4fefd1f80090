//! Where what cores ask for meets what the memory gives: a closed loop.
//!
//! The memory is simulated under load, less and less of it, with the nearest mix of reads and writes and the nearer of two
//! orders of addresses. Between its points throughput and latency lie on straight lines. Cores ask for less the longer a
//! line takes, the memory takes longer the more it is asked for, so that there is one place where both agree.

use wordline_core::{Mix, Pattern};
use wordline_dram::SystemConfig;
use wordline_dram::system::{RunLength, Traffic};

use crate::control::Control;
use crate::dram::points::{self, DramPoint};
use crate::error::LabError;

/// Pauses of the cores in cycles between their groups of lines, greatest load first.
const DELAYS: [u64; 7] = [0, 150, 250, 350, 600, 1500, 20_000];

/// Simulated time in picoseconds before anything counts, and that which counts.
const LENGTH_PS: [u64; 2] = [20_000_000, 20_000_000];

/// A memory under some load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MemoryPoint {
    /// Bytes read and written per second.
    pub(super) bytes_per_s: f64,
    /// Mean time of a read in nanoseconds, from core to core.
    pub(super) read_ns: f64,
    /// Mean time that a line, read or written, holds a miss of its core, in nanoseconds.
    pub(super) line_ns: f64,
}

impl MemoryPoint {
    /// Lines under way in all cores, by Little's law.
    fn outstanding(&self) -> f64 {
        self.bytes_per_s * self.line_ns / 64e9
    }
}

/// A memory under more and more load.
#[derive(Clone, Debug)]
pub(super) struct ClosedLoopCurve {
    /// Least load first.
    pub(super) points: Vec<MemoryPoint>,
}

/// The curves of a memory, each simulated when it is first asked for.
pub(super) struct ClosedLoopCurves<'a> {
    target: &'a str,
    config: &'a SystemConfig,
    seed: u64,
    known: Vec<((Mix, Pattern), ClosedLoopCurve)>,
}

/// The mix whose share of writes is nearest.
fn nearest_mix(write_share: f64) -> Mix {
    let mixes = [Mix::Reads, Mix::ThreeToOne, Mix::TwoToOne, Mix::OneToOne];
    let off = |mix: &Mix| (1.0 - mix.read_share() - write_share).abs();
    let nearest = mixes
        .into_iter()
        .min_by(|one, other| off(one).total_cmp(&off(other)));
    nearest.unwrap_or(Mix::Reads)
}

impl<'a> ClosedLoopCurves<'a> {
    pub(super) const fn new(target: &'a str, config: &'a SystemConfig, seed: u64) -> Self {
        Self {
            target,
            config,
            seed,
            known: Vec::new(),
        }
    }

    /// The curve for a share of writes and a share of lines that follow others; `None` when the run is stopped.
    pub(super) fn of(
        &mut self,
        write_share: f64,
        locality: f64,
        control: &Control<'_>,
    ) -> Result<Option<ClosedLoopCurve>, LabError> {
        let pattern = match locality >= 0.5 {
            true => Pattern::Sequential,
            false => Pattern::Random,
        };
        let mix = nearest_mix(write_share);
        let key = (mix, pattern);
        if let Some((_, curve)) = self.known.iter().find(|(known, _)| *known == key) {
            return Ok(Some(curve.clone()));
        }
        let point = |delay_cycles| DramPoint {
            name: format!("{}, {mix}, delay {delay_cycles}", self.target),
            config: self.config.clone(),
            traffic: Traffic {
                mix,
                pattern,
                delay_cycles,
                load_cores: self.config.cores.cores,
                probes: 0,
                seed: self.seed,
            },
            length: RunLength {
                warm_up_ps: LENGTH_PS[0],
                measure_ps: LENGTH_PS[1],
                probe_samples: 0,
                episodes: 1,
                settle_ps: 0,
            },
        };
        let mut found = Vec::new();
        for ended in points::run(&DELAYS.map(point), control)? {
            let Some(run) = ended else { return Ok(None) };
            let run = run.map_err(|source| LabError::Memory {
                target: self.target.to_owned(),
                source,
            })?;
            found.push(MemoryPoint {
                bytes_per_s: run.bytes_per_s(),
                read_ns: run.read_latency_mean_ps / 1e3,
                line_ns: run.slots_mean * 64e9 / run.bytes_per_s().max(f64::MIN_POSITIVE),
            });
        }
        let curve = ClosedLoopCurve::new(found);
        self.known.push((key, curve.clone()));
        Ok(Some(curve))
    }
}

impl ClosedLoopCurve {
    /// Points in any order; those that a greater load does not raise go.
    pub(super) fn new(mut points: Vec<MemoryPoint>) -> Self {
        points.sort_by(|one, other| one.outstanding().total_cmp(&other.outstanding()));
        let mut before = MemoryPoint::default();
        for point in &mut points {
            // Chance at a plateau is no fall.
            point.bytes_per_s = point.bytes_per_s.max(before.bytes_per_s);
            point.read_ns = point.read_ns.max(before.read_ns);
            point.line_ns = point.line_ns.max(before.line_ns);
            before = *point;
        }
        Self { points }
    }

    /// The memory between its points: `at` counts them from 0.
    fn between(&self, at: f64) -> MemoryPoint {
        let last = self.points.len() - 1;
        let below = (at.floor() as usize).min(last);
        let (one, other) = (self.points[below], self.points[(below + 1).min(last)]);
        let share = at - below as f64;
        let mix = |of: fn(&MemoryPoint) -> f64| of(&one) + share * (of(&other) - of(&one));
        MemoryPoint {
            bytes_per_s: mix(|point| point.bytes_per_s),
            read_ns: mix(|point| point.read_ns),
            line_ns: mix(|point| point.line_ns),
        }
    }

    /// Where what is asked for at a latency is what the memory carries. Below the least load the latency stays; beyond the
    /// greatest, it grows until cores ask for no more than the memory carries.
    pub(super) fn meet(&self, asked: &dyn Fn(f64) -> f64) -> MemoryPoint {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return MemoryPoint::default();
        };
        let least = asked(first.read_ns);
        if least <= first.bytes_per_s {
            return MemoryPoint {
                bytes_per_s: least,
                ..*first
            };
        }
        if asked(last.read_ns) > last.bytes_per_s {
            let is_over = |times: f64| asked(last.read_ns * times) > last.bytes_per_s;
            let times = bisect(1.0, 1e4, &is_over);
            return MemoryPoint {
                bytes_per_s: last.bytes_per_s,
                read_ns: last.read_ns * times,
                line_ns: last.line_ns * times,
            };
        }
        let is_over = |at: f64| {
            let point = self.between(at);
            asked(point.read_ns) > point.bytes_per_s
        };
        self.between(bisect(0.0, (self.points.len() - 1) as f64, &is_over))
    }
}

/// Where a condition that holds at the lower end ends.
fn bisect(low: f64, high: f64, holds: &dyn Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> ClosedLoopCurve {
        let point = |(bytes_per_s, read_ns): (f64, f64)| MemoryPoint {
            bytes_per_s,
            read_ns,
            line_ns: read_ns,
        };
        let points = [(1e9, 100.0), (2e11, 120.0), (5e11, 260.0)];
        ClosedLoopCurve::new(points.into_iter().map(point).collect())
    }

    /// By hand: so many lines that each take a latency and a pause.
    #[test]
    fn a_closed_loop_meets_the_curve() {
        let asked = |lines: f64, pause: f64| move |latency: f64| lines * 64e9 / (latency + pause);
        for (lines, pause) in [(400.0, 0.0), (800.0, 100.0), (1500.0, 50.0)] {
            let asked = asked(lines, pause);
            let found = curve().meet(&asked);
            let off = asked(found.read_ns) / found.bytes_per_s;
            assert!((off - 1.0).abs() < 1e-6, "{found:?}");
            assert!((100.0..=260.0).contains(&found.read_ns), "{found:?}");
        }
        // Hardly anything.
        let found = curve().meet(&asked(1.0, 1e4));
        assert!((found.read_ns - 100.0).abs() < 1e-9 && found.bytes_per_s < 1e9);
        // More than the memory has points for: the latency is what is left.
        let found = curve().meet(&asked(4000.0, 0.0));
        assert!((found.bytes_per_s - 5e11).abs() < 1.0);
        assert!(
            (found.read_ns / (4000.0 * 64.0 / 500.0) - 1.0).abs() < 1e-4,
            "{found:?}"
        );
    }

    #[test]
    fn mixes_are_the_nearest() {
        let found = [0.0, 0.1, 0.2, 0.28, 0.31, 0.5, 0.9].map(nearest_mix);
        use Mix::{OneToOne, Reads, ThreeToOne, TwoToOne};
        assert_eq!(
            found,
            [
                Reads, Reads, ThreeToOne, ThreeToOne, TwoToOne, OneToOne, OneToOne
            ]
        );
    }
}
