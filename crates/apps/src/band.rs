//! Where a speed-up lies when everything that is not known is drawn at once: values of the profile from their ranges, and
//! the errors of both surfaces.

use wordline_core::draw::{Purpose, draw, hash_name, standard_normal, unit_interval};

use crate::curve::MemoryCurve;
use crate::profile::{Profile, ProfileValue};
use crate::project::{self, PhaseInputs, ProjectedMemory};

/// Places of a surface that draws share: write share, locality and imbalance are drawn together, so often. Each is drawn from
/// as many strata, one a place, so that few places cover a range.
const PLACES: u64 = 12;

/// How a band is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandRequest {
    /// Draws of everything.
    pub draws: u32,
    /// Of all that is drawn.
    pub seed: u64,
}

/// Where a speed-up lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectionBand {
    /// 5 % of the draws lie below.
    pub low: f64,
    /// Half of them lie below.
    pub median: f64,
    /// 5 % of the draws lie above.
    pub high: f64,
    /// How many were drawn.
    pub draws: u32,
}

impl ProjectionBand {
    /// Whether a value lies within.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Draws everything so often.
pub(crate) fn of(
    profile: &Profile,
    baseline: ProjectedMemory<'_>,
    target: ProjectedMemory<'_>,
    request: BandRequest,
) -> ProjectionBand {
    let most = [baseline.misses_per_core, target.misses_per_core];
    let memories = [baseline, target];
    let cores = f64::from(profile.cores);
    let draws = u64::from(request.draws.max(1));
    // Curves of each phase at each place, on both memories.
    let places: Vec<Vec<[MemoryCurve; 2]>> = (0..PLACES.min(draws))
        .map(|place| {
            let inputs = inputs(profile, request.seed, place, [place, PLACES.min(draws)]);
            let curves = inputs
                .iter()
                .map(|one| memories.map(|memory| memory.surface.curve(one.place)));
            curves.collect()
        })
        .collect();
    let speed_up = |number: u64| {
        let place = number % places.len() as u64;
        let inputs = inputs(profile, request.seed, number, [place, places.len() as u64]);
        let same = baseline.id == target.id;
        let drawn: Vec<[MemoryCurve; 2]> = places[place as usize]
            .iter()
            .map(|curves| {
                let erred = |side: usize| {
                    let memory = memories[side];
                    let bits = draw(request.seed, memory.id, number, Purpose::Profile);
                    curves[side].longer(memory.surface.error() * standard_normal(bits))
                };
                [erred(0), erred(1)]
            })
            .collect();
        let curves: Vec<[&MemoryCurve; 2]> = drawn
            .iter()
            .map(|[before, after]| [before, if same { before } else { after }])
            .collect();
        project::speed_up(&inputs, &curves, cores, most)
    };
    let mut all: Vec<f64> = (0..draws).map(speed_up).collect();
    all.sort_by(f64::total_cmp);
    ProjectionBand {
        low: quantile(&all, 0.05),
        median: quantile(&all, 0.5),
        high: quantile(&all, 0.95),
        draws: request.draws.max(1),
    }
}

/// The phases of a draw; what decides about the place on a surface is drawn by its number among so many.
fn inputs(
    profile: &Profile,
    seed: u64,
    number: u64,
    [place, places]: [u64; 2],
) -> Vec<PhaseInputs> {
    let phases = profile.phases.iter().enumerate();
    let phases = phases.map(|(index, phase)| {
        let choose = |name: &'static str, value: &ProfileValue| {
            let block = hash_name(name).wrapping_add(index as u64);
            let share = match name {
                "lines_written" | "locality" | "imbalance" => {
                    let within = unit_interval(draw(seed, block, place, Purpose::Profile));
                    (stratum(seed, block, place, places) as f64 + within) / places as f64
                }
                _ => unit_interval(draw(seed, block, number, Purpose::Profile)),
            };
            within(value, share)
        };
        PhaseInputs::chosen(phase, &choose)
    });
    phases.collect()
}

/// The stratum of a place, each of them once: its rank among what is drawn for all places.
fn stratum(seed: u64, block: u64, place: u64, places: u64) -> u64 {
    let of = |place: u64| (draw(seed, block, place, Purpose::Family), place);
    let own = of(place);
    (0..places).filter(|other| of(*other) < own).count() as u64
}

/// The value below which this share of a range lies. The likeliest value is its middle, half of it below and half above,
/// and it thins out to both ends as a triangle does.
fn within(value: &ProfileValue, share: f64) -> f64 {
    let [least, greatest] = value.bounds();
    if share < 0.5 {
        least + (value.value - least) * (2.0 * share).sqrt()
    } else {
        greatest - (greatest - value.value) * (2.0 * (1.0 - share)).sqrt()
    }
}

/// The value of sorted ones that this share does not exceed, straight between two.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::Basis;

    #[test]
    fn half_of_a_range_lies_below_its_value() {
        let value = ProfileValue::within(0.5, 0.1, 0.6, Basis::Assumed);
        assert!((within(&value, 0.5) - 0.5).abs() < 1e-12);
        assert!((within(&value, 0.0) - 0.1).abs() < 1e-12);
        assert!((within(&value, 1.0) - 0.6).abs() < 1e-12);
        assert!((within(&ProfileValue::exact(3.0, Basis::Measured), 0.3) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn each_stratum_is_one_places() {
        for block in 0..20 {
            let mut strata: Vec<u64> = (0..12).map(|place| stratum(7, block, place, 12)).collect();
            strata.sort_unstable();
            assert_eq!(strata, (0..12).collect::<Vec<_>>());
        }
    }

    #[test]
    fn quantiles_lie_between_values() {
        let values = [1.0, 2.0, 3.0];
        assert!((quantile(&values, 0.5) - 2.0).abs() < 1e-12);
        assert!((quantile(&values, 0.25) - 1.5).abs() < 1e-12);
    }
}
