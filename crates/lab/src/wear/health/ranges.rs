//! What families of virtual chips are drawn from. The ranges are assumed, and were fixed before the predictor was scored.
//!
//! Their middle is what the sheets of the catalogue have, which is calibrated with `nand-characterisation`; nobody has
//! published how far real families lie apart. `erase_end` matters most: it is what a latency is held against.

use wordline_core::draw::{Purpose, draw, unit_interval};

use super::family::FamilyKind;

/// Intervals that a figure is drawn from, evenly.
type Range = &'static [(f64, f64)];

/// What families of a kind are drawn from.
struct Ranges {
    chip_spread: Range,
    block_spread: Range,
    page_shape: Range,
    erase_stress: Range,
    interface_exponent: Range,
    bulk_exponent: Range,
    interface_share: Range,
    /// Loops of a fresh erase.
    erase_loops: Range,
    /// The last loop, as a multiple of the fresh ones, in logarithms.
    erase_end: Range,
    program_pulses: Range,
    /// Pulses saved early and late, as shares of the fresh ones.
    program_early: Range,
    program_late: Range,
}

const TRAINING: Ranges = Ranges {
    chip_spread: &[(0.3, 0.5)],
    block_spread: &[(0.2, 0.4)],
    page_shape: &[(3.0, 5.0)],
    erase_stress: &[(0.4, 0.6)],
    interface_exponent: &[(0.55, 0.70)],
    bulk_exponent: &[(0.25, 0.35)],
    interface_share: &[(0.35, 0.65)],
    erase_loops: &[(4.0, 6.0)],
    erase_end: &[(4.0, 6.0)],
    program_pulses: &[(14.0, 20.0)],
    program_early: &[(0.20, 0.30)],
    program_late: &[(0.25, 0.40)],
};

const STRANGERS: Ranges = Ranges {
    chip_spread: &[(0.2, 0.3), (0.5, 0.6)],
    block_spread: &[(0.1, 0.2), (0.4, 0.5)],
    page_shape: &[(2.0, 3.0), (5.0, 8.0)],
    erase_stress: &[(0.3, 0.4), (0.6, 0.7)],
    interface_exponent: &[(0.50, 0.55), (0.70, 0.80)],
    bulk_exponent: &[(0.20, 0.25), (0.35, 0.45)],
    interface_share: &[(0.20, 0.35), (0.65, 0.80)],
    erase_loops: &[(2.0, 3.0), (7.0, 8.0)],
    erase_end: &[(4.0, 6.0)],
    program_pulses: &[(8.0, 13.0), (21.0, 32.0)],
    program_early: &[(0.10, 0.20), (0.30, 0.35)],
    program_late: &[(0.20, 0.25), (0.40, 0.50)],
};

const OUTLIERS: Ranges = Ranges {
    erase_end: &[(3.0, 4.0), (6.0, 8.0)],
    ..STRANGERS
};

/// What every family is drawn from: sheets differ, and the training has seen no scored one.
const ENDURANCE: (f64, f64) = (2e5, 1e7);
const PROGRAM_US: (f64, f64) = (150.0, 1000.0);
const ERASE_US: (f64, f64) = (500.0, 5000.0);
const PAGES: [u32; 2] = [32, 64];

/// The drawn figures, as a sheet states them.
pub(super) fn text(kind: FamilyKind, seed: u64, number: u64) -> String {
    let mut figure = 0;
    let mut lot = || {
        figure += 1;
        unit_interval(draw(seed, kind.salt() + number, figure, Purpose::Family))
    };
    let ranges = match kind {
        FamilyKind::Training => &TRAINING,
        FamilyKind::Strangers => &STRANGERS,
        FamilyKind::Outliers => &OUTLIERS,
    };
    let mut within = |ranges: Range| {
        let (low, high) = ranges[((lot() * ranges.len() as f64) as usize).min(ranges.len() - 1)];
        low + (high - low) * lot()
    };
    let power = |low: f64, high: f64, part: f64| low * libm::exp(part * libm::log(high / low));
    let mut scale = |(low, high): (f64, f64)| power(low, high, within(&[(0.0, 1.0)]));
    let (endurance, program, erase) = (scale(ENDURANCE), scale(PROGRAM_US), scale(ERASE_US));
    let pages = PAGES[usize::from(within(&[(0.0, 1.0)]) >= 0.5)];
    let loops = within(ranges.erase_loops).round();
    let (low, high) = ranges.erase_end[0];
    let ends = ranges.erase_end.len();
    let (low, high) = if ends > 1 && within(&[(0.0, 1.0)]) >= 0.5 {
        ranges.erase_end[1]
    } else {
        (low, high)
    };
    let last = (loops * power(low, high, within(&[(0.0, 1.0)]))).round();
    let pulses = within(ranges.program_pulses).round();
    let early = (pulses * within(ranges.program_early)).round();
    let late = (pulses * within(ranges.program_late)).round();
    let mut text = String::new();
    let mut add = |name: &str, value: String| {
        text += &format!("{name} = {{ {value}, assumed = true, reason = \"drawn\" }}\n");
    };
    add("page_program", format!("typ = \"{program:.1} us\""));
    add("block_erase", format!("typ = \"{erase:.1} us\""));
    add("pages_per_block", format!("value = {pages}"));
    add(
        "aging.endurance",
        format!("typ = \"{} cycles\"", endurance.round()),
    );
    for (name, value) in [
        ("chip_spread", within(ranges.chip_spread)),
        ("block_spread", within(ranges.block_spread)),
        ("page_shape", within(ranges.page_shape)),
        ("weak_share", 0.01),
        ("weak_strength", 0.02),
        ("erase_stress", within(ranges.erase_stress)),
        ("cold_stress", 2.0),
        ("dwell_relief", 0.05),
        ("early_cycles", 150.0),
        ("interface_share", within(ranges.interface_share)),
        ("interface_exponent", within(ranges.interface_exponent)),
        ("bulk_exponent", within(ranges.bulk_exponent)),
        ("program_disturb", 0.0),
        ("read_disturb", 1e6),
        ("retention_errors", 0.0),
        ("retention_energy", 1.1),
    ] {
        add(&format!("aging.{name}"), format!("value = {value:?}"));
    }
    for (name, count) in [
        ("program_pulses", pulses),
        ("program_pulses_early", early),
        ("program_pulses_late", late),
        ("erase_loops", loops),
        ("erase_loops_last", last),
    ] {
        add(&format!("aging.{name}"), format!("value = {count}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scored_families_lie_outside_of_the_training() {
        let of = |ranges: &Ranges| {
            [
                ranges.chip_spread,
                ranges.block_spread,
                ranges.page_shape,
                ranges.erase_stress,
                ranges.interface_exponent,
                ranges.bulk_exponent,
                ranges.interface_share,
                ranges.erase_loops,
                ranges.program_pulses,
                ranges.program_early,
                ranges.program_late,
            ]
        };
        let apart = |one: Range, other: Range| {
            one.iter().all(|(low, high)| {
                let mut others = other.iter();
                others.all(|(least, most)| high <= least || most <= low)
            })
        };
        for (trained, strange) in of(&TRAINING).into_iter().zip(of(&STRANGERS)) {
            assert!(apart(trained, strange), "{trained:?} {strange:?}");
        }
        assert_eq!(TRAINING.erase_end, STRANGERS.erase_end);
        assert!(apart(TRAINING.erase_end, OUTLIERS.erase_end));
    }
}
