//! One curve of a surface, and its points: programs of all cores, simulated until their latency is known well enough.

use wordline_apps::{SurfaceCurve, SurfacePoint};
use wordline_core::quantity::Time;
use wordline_dram::energy;
use wordline_dram::system::{MemoryProgram, RunLength, SystemRun, simulate_program};

use super::super::points::settled_ps;
use super::super::{ModuleMemory, Test};
use super::placing;
use crate::control::{Control, Progress};
use crate::error::LabError;

/// Stretches of a run, in each of which the cores are elsewhere; a longer run has more of them, as long as these are.
const EPISODES: u64 = 10;

/// Time at the beginning of each stretch in which no latency counts: what waited when cores moved has gone.
const SETTLE_PS: u64 = 1_000_000;

/// No point is simulated for longer, however unsure it is.
const MEASURE_MAX_PS: u64 = 2_000_000_000;

/// By which factor a run that was not sure enough is lengthened, at least and at most.
const LONGER: [f64; 2] = [1.5, 8.0];

/// Significant digits of the figures of a point, finer than they are known; and of those that say how sure these are, and of
/// figures that no other is computed from.
const DIGITS: [usize; 2] = [5, 3];

/// The longest that a point is simulated.
pub(super) fn longest() -> Time {
    Time::from_ps(MEASURE_MAX_PS)
}

/// A curve to be simulated.
pub(super) struct CurveRun<'t, 'a> {
    pub(super) test: &'t Test<'a>,
    pub(super) memory: &'t ModuleMemory<'a>,
    pub(super) write_share: f64,
    pub(super) locality: f64,
    pub(super) imbalance: f64,
    /// Half the width of the interval of each point, as a share of its latency.
    pub(super) confidence: f64,
}

/// The points of a curve.
pub(super) struct CurvePoints {
    pub(super) points: Vec<SurfacePoint>,
    /// Of them, those that are less sure than was asked for.
    pub(super) unsure: u64,
}

impl CurveRun<'_, '_> {
    /// What a message calls it.
    pub(super) fn name(&self) -> String {
        format!(
            "{}, surface, {} % writes, {} % local, imbalance {}",
            self.memory.name,
            100.0 * self.write_share,
            100.0 * self.locality,
            self.imbalance
        )
    }

    /// Simulates the curve; nothing where the caller stopped it.
    pub(super) fn points(&self, control: &Control<'_>) -> Result<Option<CurvePoints>, LabError> {
        let cores = &self.memory.connected.config.cores;
        let most = f64::from(cores.cores) * f64::from(cores.misses);
        let mut found = CurvePoints {
            points: Vec::new(),
            unsure: 0,
        };
        let mut lines = placing::start(most);
        while !lines.is_empty() {
            for outstanding in lines {
                let latency_ns = match &*found.points {
                    [] => self.memory.unloaded_ps() as f64 * 1e-3,
                    points => {
                        SurfaceCurve {
                            points: points.to_vec(),
                        }
                        .answer(outstanding)
                        .latency_ns
                    }
                };
                let Some((point, sure)) = self.point(outstanding, latency_ns, control)? else {
                    return Ok(None);
                };
                found.unsure += u64::from(!sure);
                let place = found
                    .points
                    .partition_point(|before| before.outstanding < point.outstanding);
                let same = |other: &SurfacePoint| other.outstanding == point.outstanding;
                if !found.points.get(place).is_some_and(same) {
                    found.points.insert(place, point);
                }
                control.report(Progress {
                    step: &self.name(),
                    done_bytes: found.points.len() as u64,
                    total_bytes: placing::POINTS_MAX as u64,
                });
            }
            lines = placing::lacking(&found.points, 0.5 * self.confidence);
        }
        Ok(Some(found))
    }

    /// Simulates the point of about so many lines, whose time is about so long, and says whether it is sure enough.
    fn point(
        &self,
        outstanding: f64,
        latency_ns: f64,
        control: &Control<'_>,
    ) -> Result<Option<(SurfacePoint, bool)>, LabError> {
        let config = &self.memory.connected.config;
        let (cores, places) = (
            f64::from(config.cores.cores),
            f64::from(config.cores.misses),
        );
        // By the law of the closed loop: lines of a core = latency / (compute + latency / places).
        let compute_ns = latency_ns * (cores / outstanding - 1.0 / places);
        let program = MemoryProgram {
            compute_ps: (1e3 * compute_ns).clamp(0.0, 1e9),
            under_way: config.cores.misses,
            write_share: self.write_share,
            locality: self.locality,
            imbalance: self.imbalance,
            seed: self.test.seed,
            ..MemoryProgram::of(config.cores.cores)
        };
        let of_test = self.test.workload;
        let stretch_ps = of_test.measure_ps.div_ceil(EPISODES).max(1);
        let mut measure_ps = stretch_ps * EPISODES;
        loop {
            let length = RunLength {
                warm_up_ps: of_test.warm_up_ps.max(settled_ps(config)),
                measure_ps,
                probe_samples: 0,
                episodes: u32::try_from(measure_ps / stretch_ps).unwrap_or(u32::MAX),
                settle_ps: SETTLE_PS,
            };
            let go_on = |_: u64| !control.stopped();
            let run = simulate_program(config, &program, &length, &go_on);
            let run = run.map_err(|source| LabError::Memory {
                target: self.memory.name.clone(),
                source,
            })?;
            let Some(run) = run else { return Ok(None) };
            let off = run.line_latency_confidence_ps / run.line_latency_mean_ps;
            let sure = off <= self.confidence;
            if sure || measure_ps >= MEASURE_MAX_PS {
                return Ok(Some((self.of_run(&run), sure)));
            }
            // The width goes with one over the root of the time.
            let longer = 1.2 * (off / self.confidence).powi(2);
            let longer = if longer.is_nan() { LONGER[1] } else { longer };
            let stretches = (measure_ps / stretch_ps) as f64 * longer.clamp(LONGER[0], LONGER[1]);
            measure_ps = (stretches.ceil() as u64 * stretch_ps).min(MEASURE_MAX_PS);
        }
    }

    fn of_run(&self, run: &SystemRun) -> SurfacePoint {
        let connected = &self.memory.connected;
        let latency_ns = run.line_latency_mean_ps * 1e-3;
        let seconds = run.duration_ps as f64 * 1e-12;
        let currents = connected.currents.first();
        let joules = currents.map_or(0.0, |(_, currents)| {
            energy(&run.energy, currents, &connected.config.sub_channel).total()
        });
        let quantile = |share| {
            run.probe
                .as_ref()
                .map_or(0.0, |probe| probe.quantile(share) as f64 * 1e-3)
        };
        let confidence_ns = run.line_latency_confidence_ps * 1e-3;
        let [fine, rough] = DIGITS;
        SurfacePoint {
            // What is under way by Little's law, not by counting, so that the three figures are one.
            outstanding: rounded(run.bytes_per_s() / 64e9 * latency_ns, fine),
            latency_ns: rounded(latency_ns, fine),
            error_ns: rounded(
                if confidence_ns.is_finite() {
                    confidence_ns
                } else {
                    latency_ns
                },
                rough,
            ),
            read_p50_ns: rounded(quantile(0.5), rough),
            read_p99_ns: rounded(quantile(0.99), rough),
            read_ns: rounded(run.read_latency_mean_ps * 1e-3, fine),
            bytes_per_s: rounded(run.bytes_per_s(), fine),
            power_w: rounded(joules / seconds, fine),
        }
    }
}

/// A figure with so many digits, as its shortest text gives it back.
fn rounded(value: f64, digits: usize) -> f64 {
    let behind = digits - 1;
    format!("{value:.behind$e}").parse().unwrap_or(value)
}
