//! What share of a program's time is memory, from runs of it beside several loads of the memory.
//!
//! Without counters there are three numbers of each run: the program's time, the latency of memory, and the time of a step of
//! arithmetic on the program's core. A program that computes for `C` and waits for `M` on an idle machine takes
//! `C·κ + M·λ`, where `κ` and `λ` are the arithmetic's time and the latency relative to those of the idle machine. Without
//! `κ`, a core that others share passes for latency.

use serde::{Deserialize, Serialize};
use wordline_core::Basis;

use crate::profile::{Profile, ProfilePhase, ProfileValue};

/// Least rise of the latency that tells computing from waiting.
const RISE_LEAST: f64 = 1.08;

/// Lines that a core may have under way while it waits, where nothing is known: least, middle, most.
const OUTSTANDING: [f64; 3] = [1.0, 4.0, 16.0];

/// A run of a program beside a load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbedRun {
    /// Which load it was: runs of the same load have the same number, and the idle machine's is 0.
    pub level: u32,
    /// Time of the program in seconds.
    pub seconds: f64,
    /// Latency of memory in nanoseconds.
    pub latency_ns: f64,
    /// Time of a step of arithmetic in nanoseconds.
    pub step_ns: f64,
}

/// Why runs say nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ProbeError {
    /// Two numbers are found from three loads at least.
    #[error("runs beside {0} loads: three are needed, an idle memory among them")]
    Few(usize),
    /// The load raised the latency too little.
    #[error(
        "the load raised the latency of memory by {:.1} % only: give it more processors (--load-cpus); \
         {:.0} % tell computing from waiting",
        100.0 * (rise - 1.0),
        100.0 * (RISE_LEAST - 1.0)
    )]
    Flat {
        /// Highest latency over that of the idle machine.
        rise: f64,
    },
    /// A number is none.
    #[error("a run took {0} s: times, latencies and steps are above 0")]
    Value(f64),
}

/// What runs say of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeFit {
    /// Seconds that it computes on an idle machine.
    pub compute_s: f64,
    /// Seconds that it waits for memory there.
    pub memory_s: f64,
    /// Share of its time that it waits, and the ends of its range.
    pub stall_share: [f64; 3],
    /// Latency of the idle machine in nanoseconds.
    pub latency_ns: f64,
    /// How far the time of each level lies off what the other levels predict, relative to it, by level.
    pub left_out: Vec<(u32, f64)>,
    /// Root of the mean square of what the fit leaves, relative to the times.
    pub residual: f64,
}

/// One equation: `compute · c + memory · m = 1`, by the program's time.
#[derive(Clone, Copy)]
struct Equation {
    level: u32,
    compute: f64,
    memory: f64,
}

/// Least squares of two unknowns that are at least 0.
fn solve(equations: &[Equation]) -> [f64; 2] {
    let sum = |of: fn(&Equation) -> f64| equations.iter().map(of).sum::<f64>();
    let (cc, mm) = (sum(|e| e.compute * e.compute), sum(|e| e.memory * e.memory));
    let (cm, c, m) = (
        sum(|e| e.compute * e.memory),
        sum(|e| e.compute),
        sum(|e| e.memory),
    );
    let determinant = cc * mm - cm * cm;
    if determinant.abs() <= 1e-12 * cc * mm {
        return [0.5 * c / cc, 0.5 * m / mm];
    }
    let compute = (c * mm - m * cm) / determinant;
    let memory = (m * cc - c * cm) / determinant;
    if compute < 0.0 {
        [0.0, m / mm]
    } else if memory < 0.0 {
        [c / cc, 0.0]
    } else {
        [compute, memory]
    }
}

/// By how much the times of the same run differ at best, as a share: docs/evidence/recording.md.
const DRIFT: f64 = 0.005;

impl ProbeFit {
    /// Fits runs.
    ///
    /// # Errors
    /// When there are too few, or the load raised the latency too little.
    pub fn of(runs: &[ProbedRun]) -> Result<Self, ProbeError> {
        let mut levels: Vec<u32> = runs.iter().map(|run| run.level).collect();
        levels.sort_unstable();
        levels.dedup();
        if levels.len() < 3 || levels[0] != 0 {
            return Err(ProbeError::Few(levels.len()));
        }
        let usable = |value: f64| value.is_finite() && value > 0.0;
        let wrong = |run: &&ProbedRun| {
            ![run.seconds, run.latency_ns, run.step_ns]
                .into_iter()
                .all(usable)
        };
        if let Some(run) = runs.iter().find(wrong) {
            return Err(ProbeError::Value(run.seconds));
        }
        let mean = |level: u32, of: fn(&ProbedRun) -> f64| {
            let here = runs.iter().filter(|run| run.level == level);
            here.clone().map(of).sum::<f64>() / here.count().max(1) as f64
        };
        let latency_ns = mean(0, |run| run.latency_ns);
        let step_ns = mean(0, |run| run.step_ns);
        let rises = levels
            .iter()
            .map(|level| mean(*level, |run| run.latency_ns) / latency_ns);
        let rise = rises.fold(1.0, f64::max);
        if rise < RISE_LEAST {
            return Err(ProbeError::Flat { rise });
        }
        let equation = |run: &ProbedRun| Equation {
            level: run.level,
            compute: run.step_ns / step_ns / run.seconds,
            memory: run.latency_ns / latency_ns / run.seconds,
        };
        let all: Vec<Equation> = runs.iter().map(equation).collect();
        let [compute_s, memory_s] = solve(&all);
        let share = |[compute, memory]: [f64; 2]| memory / (compute + memory).max(1e-12);
        let mut left_out = Vec::new();
        let mut shares = vec![share([compute_s, memory_s])];
        for level in levels {
            let others: Vec<_> = all
                .iter()
                .copied()
                .filter(|one| one.level != level)
                .collect();
            let found = solve(&others);
            shares.push(share(found));
            let off = all.iter().filter(|one| one.level == level);
            let off = off
                .clone()
                .map(|one| one.compute * found[0] + one.memory * found[1] - 1.0)
                .sum::<f64>()
                / off.count().max(1) as f64;
            left_out.push((level, off));
        }
        let squares = all
            .iter()
            .map(|one| (one.compute * compute_s + one.memory * memory_s - 1.0).powi(2));
        let residual = (squares.sum::<f64>() / all.len() as f64).sqrt();
        // What the fit leaves may be all in one of the levels: it turns the share by so much over the rise. A drift that
        // happens to rise with the load leaves nothing, so that a drift as large as runs have at best is allowed for.
        let turned = (2.0 * residual).max(DRIFT) / (rise - 1.0);
        let least = shares
            .iter()
            .copied()
            .fold(1.0, f64::min)
            .min(shares[0] - turned);
        let greatest = shares
            .iter()
            .copied()
            .fold(0.0, f64::max)
            .max(shares[0] + turned);
        Ok(Self {
            compute_s,
            memory_s,
            stall_share: [shares[0], least.max(0.0), greatest.min(1.0)],
            latency_ns,
            left_out,
            residual,
        })
    }

    /// The farthest that a level lies off what the others predict.
    #[must_use]
    pub fn left_out_worst(&self) -> f64 {
        self.left_out
            .iter()
            .map(|(_, off)| off.abs())
            .fold(0.0, f64::max)
    }

    /// The profile of the program. Lines are not counted: they follow from the time that is waited, and from how many a core
    /// has under way, of which nothing is known. `lines` are those that are known from elsewhere, read and written.
    #[must_use]
    pub fn profile(
        &self,
        name: &str,
        made_by: &str,
        baseline: &str,
        cores: u32,
        lines: Option<[f64; 2]>,
    ) -> Profile {
        let seconds = self.compute_s + self.memory_s;
        let [share, least, greatest] = self.stall_share;
        let measured = |value| ProfileValue::exact(value, Basis::Measured);
        let waited = seconds * share * f64::from(cores) / (self.latency_ns * 1e-9);
        let assumed = || {
            let [low, middle, high] = OUTSTANDING;
            let low = waited * low * least / share.max(1e-9);
            let high = waited * high * greatest / share.max(1e-9);
            ProfileValue::within(
                middle * waited,
                low.min(middle * waited),
                high.max(middle * waited),
                Basis::Assumed,
            )
        };
        // Of all lines, what is written is between none and as much as is read.
        let written = |all: ProfileValue| {
            let [_, most] = all.bounds();
            ProfileValue::within(all.value / 4.0, 0.0, most, Basis::Assumed)
        };
        let read = lines.map_or_else(assumed, |[read, _]| measured(read));
        Profile {
            schema: Profile::SCHEMA,
            name: name.to_owned(),
            made_by: made_by.to_owned(),
            baseline: baseline.to_owned(),
            cores,
            phases: vec![ProfilePhase {
                name: "all".to_owned(),
                seconds: measured(seconds),
                lines_read: read,
                lines_written: lines
                    .map_or_else(|| written(read), |[_, written]| measured(written)),
                stall_share: ProfileValue::within(share, least, greatest, Basis::Measured),
                instructions: None,
                cycles: None,
                prefetched_share: None,
                // It follows from the lines.
                outstanding: None,
                latency_ns: Some(measured(self.latency_ns)),
                load: None,
                imbalance: None,
                locality: None,
                outside_share: None,
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs(compute: f64, memory: f64, noise: &[f64]) -> Vec<ProbedRun> {
        let loads = [(1.0, 1.0), (1.3, 1.0), (1.7, 1.02), (2.1, 1.1)];
        let each = loads.iter().cycle().zip(noise).enumerate();
        each.map(|(at, ((latency, step), noise))| ProbedRun {
            level: at as u32 % 4,
            seconds: (compute * step + memory * latency) * (1.0 + noise),
            latency_ns: 100.0 * latency,
            step_ns: 1.2 * step,
        })
        .collect()
    }

    #[test]
    fn what_cannot_be_told_is_named() {
        let some = runs(1.0, 1.0, &[0.0; 8]);
        assert_eq!(ProbeFit::of(&some[..2]), Err(ProbeError::Few(2)));
        let flat: Vec<_> = some
            .iter()
            .map(|run| ProbedRun {
                latency_ns: 100.0,
                ..*run
            })
            .collect();
        assert_eq!(ProbeFit::of(&flat), Err(ProbeError::Flat { rise: 1.0 }));
        let mut wrong = some;
        wrong[3].seconds = 0.0;
        assert_eq!(ProbeFit::of(&wrong), Err(ProbeError::Value(0.0)));
    }

    #[test]
    fn a_core_that_is_shared_does_not_pass_for_latency() {
        // The program only computes, and the core is slower under load.
        let shared: Vec<_> = [(100.0, 1.0), (130.0, 1.1), (170.0, 1.2), (200.0, 1.3)]
            .iter()
            .enumerate()
            .map(|(at, (latency_ns, step))| ProbedRun {
                level: at as u32,
                seconds: 2.0 * step,
                latency_ns: *latency_ns,
                step_ns: *step,
            })
            .collect();
        let fit = ProbeFit::of(&shared).expect("it is one");
        assert!(fit.stall_share[0] < 1e-6, "{fit:?}");
    }

    proptest! {
        #[test]
        fn what_was_planted_is_found(
            compute in 0.1_f64..5.0,
            memory in 0.1_f64..5.0,
            noise in prop::collection::vec(-0.004_f64..0.004, 8),
        ) {
            let fit = ProbeFit::of(&runs(compute, memory, &noise)).expect("it is one");
            let share = memory / (compute + memory);
            let [found, least, greatest] = fit.stall_share;
            prop_assert!((found - share).abs() < 0.02, "{share} {fit:?}");
            prop_assert!(least <= share + 0.01 && share <= greatest + 0.01, "{share} {fit:?}");
            prop_assert!(fit.left_out_worst() < 0.03);
            let profile = fit.profile("a", "b", "c@d", 1, None);
            prop_assert_eq!(Profile::from_json(&profile.to_json()), Ok(profile));
        }

        #[test]
        fn any_runs_have_an_answer(
            values in prop::collection::vec((0_u32..6, 0.0_f64..10.0, 0.0_f64..1e3, 0.0_f64..10.0), 0..20),
        ) {
            let runs: Vec<_> = values
                .into_iter()
                .map(|(level, seconds, latency_ns, step_ns)| ProbedRun { level, seconds, latency_ns, step_ns })
                .collect();
            if let Ok(fit) = ProbeFit::of(&runs) {
                prop_assert!(fit.compute_s >= 0.0 && fit.memory_s >= 0.0);
            }
        }
    }
}
