//! Programs drawn at random.

use wordline_apps::levels::levels_of;
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_dram::system::{ComputeTimes, MemoryProgram, MissOrder, ProgramLevel};

/// A program whose compute time is a share of what its memory asks for.
pub(crate) struct RandomProgram {
    pub(crate) seed: u64,
    pub(crate) locality: f64,
    write_share: f64,
    /// What it would move without any limit of the memory, as a share of the peak of the baseline's buses.
    demand: f64,
    under_way: u32,
    variation: f64,
    grouped: bool,
    constant: bool,
}

/// Time over which each level lasts, in picoseconds.
pub(crate) const WINDOW_PS: u64 = 10_000_000;

impl RandomProgram {
    pub(crate) fn new(seed: u64) -> Self {
        let of = |place: u64| unit_interval(draw(seed, place, 0, Purpose::Family));
        Self {
            seed,
            locality: of(0),
            write_share: 0.5 * of(1),
            demand: 0.1 + 1.3 * of(2),
            under_way: 1 + (26.0 * of(3)) as u32,
            variation: 0.8 * of(4),
            grouped: of(5) < 0.3,
            constant: of(6) < 0.5,
        }
    }

    /// As traffic of so many cores, where a line without load takes so long and the buses carry so much in lines a picosecond.
    pub(crate) fn traffic(&self, cores: u32, idle_ps: f64, peak: f64) -> MemoryProgram {
        let line_ps = f64::from(cores) / (self.demand * peak);
        let levels = levels_of(self.variation).into_iter();
        let levels = levels.map(|[share, multiple]| ProgramLevel { share, multiple });
        MemoryProgram {
            compute_ps: (line_ps - idle_ps / f64::from(self.under_way)).max(0.0),
            compute_times: match self.constant {
                true => ComputeTimes::Constant,
                false => ComputeTimes::Exponential,
            },
            under_way: self.under_way,
            misses: match self.grouped {
                true => MissOrder::Grouped,
                false => MissOrder::Independent,
            },
            write_share: self.write_share,
            locality: self.locality,
            levels: levels.filter(|_| self.variation > 0.05).collect(),
            level_window_ps: WINDOW_PS,
            seed: self.seed,
            ..MemoryProgram::of(cores)
        }
    }
}
