//! Estimates that need no closed loop: what a projection has to beat.

use super::{PhaseInputs, ProjectedMemory};
use crate::curve::MemoryCurve;
use crate::profile::Profile;

/// What simpler rules say of a program on another memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainEstimates {
    /// The ratio of the clocks of MRDIMM-8800 and RDIMM-6400, whatever the program.
    pub always: f64,
    /// The longer of computing and of moving its bytes at the most that a memory carries.
    pub roofline: f64,
    /// The closed loop at the mean load, as if it never varied.
    pub steady: f64,
}

impl PlainEstimates {
    /// 8800 over 6400 MT/s.
    pub const CLOCKS: f64 = 1.375;

    /// Of a program from one memory to another.
    #[must_use]
    pub fn of(
        profile: &Profile,
        baseline: ProjectedMemory<'_>,
        target: ProjectedMemory<'_>,
    ) -> Self {
        let cores = f64::from(profile.cores);
        let most = [baseline.misses_per_core, target.misses_per_core];
        let (mut roof, mut steady) = ([0.0; 2], [0.0; 2]);
        for phase in &profile.phases {
            let inputs = PhaseInputs {
                levels: vec![[1.0, 1.0]],
                ..PhaseInputs::likeliest(phase)
            };
            let curves = [baseline, target].map(|memory| memory.surface.curve(inputs.place));
            let times = inputs.times([&curves[0], &curves[1]], cores, most);
            let outside = inputs.seconds * inputs.outside_share;
            let computes = (inputs.seconds - outside) * (1.0 - inputs.stall_share);
            for side in 0..2 {
                steady[side] += times.seconds[side];
                roof[side] +=
                    outside + computes.max(moves(&inputs, &curves[side], cores * most[side]));
            }
        }
        let ratio = |[before, after]: [f64; 2]| if after > 0.0 { before / after } else { 1.0 };
        Self {
            always: Self::CLOCKS,
            roofline: ratio(roof),
            steady: ratio(steady),
        }
    }
}

/// Seconds that a memory needs for the lines of a phase at the most that it carries.
fn moves(inputs: &PhaseInputs, curve: &MemoryCurve, outstanding: f64) -> f64 {
    inputs.lines / curve.rate(outstanding) * 1e-9
}
