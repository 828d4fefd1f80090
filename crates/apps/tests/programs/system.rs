//! A channel of a server with its cores: what runs on it, and what counters see of that.

use wordline_apps::profile::LINE_BYTES;
use wordline_apps::{
    LoadLevels, Profile, ProfilePhase, ProfileValue, Surface, SurfaceCurve, SurfacePoint,
};
use wordline_catalog::Catalog;
use wordline_core::Basis;
use wordline_dram::SystemConfig;
use wordline_dram::system::{MemoryProgram, RunLength, SystemRun, simulate_program};

use super::random::{RandomProgram, WINDOW_PS};

/// Cores of a channel: 128 of 12 channels.
const CORES: u32 = 11;

/// Simulated time before anything counts, in picoseconds: whole windows of levels.
const WARM_UP_PS: u64 = 2 * WINDOW_PS;

/// Windows of levels that count.
const WINDOWS: u64 = 40;

/// Microseconds of a window of counters.
const COUNTED: usize = 5;

/// Levels of load that a profile has.
const LEVELS: usize = 8;

/// A module behind one channel.
pub(crate) struct Memory {
    pub(crate) name: String,
    config: SystemConfig,
}

/// What counters see of a run.
pub(crate) struct Observation {
    run: SystemRun,
}

impl Memory {
    pub(crate) fn new(module: &str) -> Self {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let name = format!("{module}@xeon6-1s");
        let target = catalog.module_in_system(&name).expect("both exist");
        let settings = [("channels", "1".to_owned()), ("cores", CORES.to_string())];
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        let config = target
            .connect(&settings.into())
            .expect("it connects")
            .config;
        Self { name, config }
    }

    pub(crate) fn cores(&self) -> u32 {
        self.config.cores.cores
    }

    pub(crate) fn misses(&self) -> f64 {
        f64::from(self.config.cores.misses)
    }

    fn simulate(&self, program: &MemoryProgram, measure_ps: u64, episodes: u32) -> SystemRun {
        let length = RunLength {
            warm_up_ps: WARM_UP_PS,
            measure_ps,
            probe_samples: 0,
            episodes,
            settle_ps: if episodes > 1 { 1_000_000 } else { 0 },
        };
        let run = simulate_program(&self.config, program, &length, &|_| true);
        run.expect("it can be run").expect("nobody stops it")
    }

    pub(crate) fn run(&self, program: &RandomProgram) -> Observation {
        // The same program on every memory: it knows one machine.
        const IDLE_PS: f64 = 100_000.0;
        const PEAK: f64 = 51.2e9 / 64.0 * 1e-12;
        let traffic = program.traffic(self.cores(), IDLE_PS, PEAK);
        Observation {
            run: self.simulate(&traffic, WINDOWS * WINDOW_PS, 1),
        }
    }

    /// The surface of this memory, each point simulated for so many microseconds.
    pub(crate) fn surface(
        &self,
        write_shares: &[f64],
        localities: &[f64],
        microseconds: u64,
    ) -> Surface {
        let mut curves = Vec::new();
        for &write_share in write_shares {
            for &locality in localities {
                curves.push(self.curve(write_share, locality, microseconds));
            }
        }
        Surface {
            schema: Surface::SCHEMA,
            target: self.name.clone(),
            write_shares: write_shares.to_vec(),
            localities: localities.to_vec(),
            imbalances: vec![1.0],
            curves,
        }
    }

    fn curve(&self, write_share: f64, locality: f64, microseconds: u64) -> SurfaceCurve {
        // Both ends come first, so that the others are estimated between them.
        const SHARES: [f64; 10] = [0.01, 1.0, 0.25, 0.5, 0.12, 0.75, 0.37, 0.06, 0.18, 0.3];
        let (cores, places) = (f64::from(self.cores()), self.misses());
        let mut points: Vec<SurfacePoint> = Vec::new();
        for share in SHARES {
            let outstanding = share * cores * places;
            let latency_ns = match points.len() {
                0 | 1 => 100.0,
                _ => {
                    SurfaceCurve {
                        points: points.clone(),
                    }
                    .answer(outstanding)
                    .latency_ns
                }
            };
            let compute_ns = latency_ns * (cores / outstanding - 1.0 / places);
            let program = MemoryProgram {
                compute_ps: (1e3 * compute_ns).max(0.0),
                under_way: self.config.cores.misses,
                write_share,
                locality,
                ..MemoryProgram::of(self.cores())
            };
            let run = self.simulate(&program, microseconds * 1_000_000, 10);
            points.push(SurfacePoint {
                outstanding: run.slots_mean,
                latency_ns: run.line_latency_mean_ps * 1e-3,
                error_ns: run.line_latency_confidence_ps * 1e-3,
                read_p50_ns: run.read_latency_mean_ps * 1e-3,
                read_p99_ns: run.read_latency_mean_ps * 1e-3,
                read_ns: run.read_latency_mean_ps * 1e-3,
                bytes_per_s: run.bytes_per_s(),
                power_w: 1.0,
            });
            points.sort_by(|a, b| a.outstanding.total_cmp(&b.outstanding));
            points.dedup_by_key(|point| point.outstanding.to_bits());
        }
        SurfaceCurve { points }
    }
}

impl Observation {
    /// How much faster a program did the same work: window by window, because a level lasts as long on either memory.
    pub(crate) fn speed_up(before: &Self, after: &Self) -> f64 {
        let windows = (WINDOW_PS / 1_000_000) as usize;
        let sums = |of: &Self| -> Vec<f64> {
            let chunks = of.run.bytes_by_microsecond.chunks_exact(windows);
            chunks
                .map(|chunk| chunk.iter().sum::<u64>() as f64)
                .collect()
        };
        let (before, after) = (sums(before), sums(after));
        let pairs = before.iter().zip(&after).filter(|(_, after)| **after > 0.0);
        let (count, time) = pairs.fold((0.0, 0.0), |(count, time), (before, after)| {
            (count + 1.0, time + before / after)
        });
        count / time
    }

    /// What counters say: rates, stalls, bytes by windows; and locality and the latency of reads where they were counted.
    pub(crate) fn profile(
        &self,
        baseline: &str,
        cores: u32,
        (locality, has_latency): (Option<f64>, bool),
    ) -> Profile {
        let run = &self.run;
        let measured = |value: f64| ProfileValue::exact(value, Basis::Measured);
        Profile {
            schema: Profile::SCHEMA,
            name: "a random program".to_owned(),
            made_by: String::new(),
            baseline: baseline.to_owned(),
            cores,
            phases: vec![ProfilePhase {
                name: "all".to_owned(),
                seconds: measured(run.duration_ps as f64 * 1e-12),
                lines_read: measured(run.bytes_read as f64 / LINE_BYTES),
                lines_written: measured(run.bytes_written as f64 / LINE_BYTES),
                stall_share: near(run.waiting_share.clamp(0.0, 1.0), 0.01),
                instructions: None,
                cycles: None,
                prefetched_share: None,
                outstanding: None,
                latency_ns: has_latency.then(|| measured(run.read_latency_mean_ps * 1e-3)),
                load: self.levels(),
                imbalance: Some(measured(1.0)),
                locality: locality.map(|locality| near(locality, 0.1)),
                outside_share: None,
            }],
        }
    }

    /// Windows in the order of their bytes, as levels of equal length.
    fn levels(&self) -> Option<LoadLevels> {
        let windows = self.run.bytes_by_microsecond.chunks_exact(COUNTED);
        let mut windows: Vec<f64> = windows
            .map(|chunk| chunk.iter().sum::<u64>() as f64)
            .collect();
        windows.sort_by(f64::total_cmp);
        let mean = windows.iter().sum::<f64>() / windows.len() as f64;
        let each = windows.len().div_ceil(LEVELS);
        let levels = windows.chunks(each).map(|chunk| {
            let multiple = chunk.iter().sum::<f64>() / chunk.len() as f64 / mean;
            [chunk.len() as f64 / windows.len() as f64, multiple]
        });
        Some(LoadLevels {
            levels: levels.collect(),
            window_s: COUNTED as f64 * 1e-6,
            basis: Basis::Measured,
        })
    }
}

/// A share that counters tell to so much.
fn near(value: f64, by: f64) -> ProfileValue {
    ProfileValue::within(
        value,
        (value - by).max(0.0),
        (value + by).min(1.0),
        Basis::Measured,
    )
}
