//! Randomness without state: a pure function of where and why a number is needed.
//!
//! A model that needs chance asks for `draw(seed, block, cycle, purpose)`. There is no generator to
//! advance, so clones, replays and skip-ahead agree bit for bit, whatever the order in which they
//! ask. The mixing step is the 64-bit finaliser of SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014), applied once for each input.

/// Why a number is drawn. Two purposes never see the same number for the same place. The values
/// are part of the result of every seeded run: add to the end, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    /// How far one chip's figure lies from typical; `block` is the hash of the figure's name.
    FigureSample = 1,
    /// The bytes that a workload writes.
    Payload = 2,
    /// The addresses of random accesses; `cycle` is the number of the access.
    Address = 16,
    /// How long one program takes; `block` is the page, `cycle` its block's erases so far.
    ProgramTime = 3,
    /// How long one erase takes; `block` is the block, `cycle` its erases so far.
    EraseTime = 4,
    /// Which blocks are bad when a chip leaves the factory.
    BadBlock = 5,
    /// Whether a program fails; `block` is the page.
    ProgramFailure = 6,
    /// Whether an erase fails.
    EraseFailure = 7,
    /// Which bits a program leaves wrong; `block` is the page.
    BitError = 8,
    /// What a power cut leaves of an interrupted operation, in crash images.
    Tear = 17,
    /// When a host comes back to a memory that is busy; `cycle` is the number of the access.
    Arrival = 18,
    /// Whether an access of mixed work reads; `cycle` is the number of the access.
    Mix = 19,
    /// Resamples of a statistic; `block` is the resample, `cycle` the number within it.
    Resample = 20,
    /// How strong the oxide of a block is; `cycle` numbers its pages.
    Oxide = 21,
    /// Which bits of a page go wrong while it is kept and read; `block` is the page, `cycle` its block's erases.
    Disturb = 22,
    /// Seed of one of several chips of a part; `block` is its number.
    Chip = 23,
    /// What an invented family of chips is like; `block` is the family, `cycle` its figure.
    Family = 24,
    /// What a rough clock makes of a latency; `block` is the block, `cycle` the measurement.
    Clock = 25,
    /// How long a card's controller works for itself; `cycle` numbers these times.
    Housekeeping = 26,
    /// How undisclosed choices are made in a draw of all of them; `block` is the choice, or the draw.
    Choice = 27,
    /// How long a core of a program computes; `block` is the core, `cycle` counts these times.
    Compute = 28,
    /// Where values of a program's profile lie in their ranges; `block` is the value, `cycle` the draw.
    Profile = 29,
    /// Inputs of a program's kernel; `block` is the stream, `cycle` the number within it.
    KernelInput = 40,
    /// Which pages of a trace are followed; `block` is the page.
    PageSample = 41,
    /// Whether a fault that was injected strikes; `block` counts the operations that it could, `cycle` is its kind.
    InjectedFault = 42,
    /// What a volatile memory holds when its supply returns; `block` counts words of 8 bytes, `cycle` the losses of power.
    SupplyLoss = 43,
}

/// 64 uniformly distributed bits for one place, moment and purpose.
///
/// ```
/// use wordline_core::draw::{Purpose, draw};
/// let once = draw(7, 3, 0, Purpose::Payload);
/// assert_eq!(once, draw(7, 3, 0, Purpose::Payload));
/// assert_ne!(once, draw(8, 3, 0, Purpose::Payload));
/// ```
#[must_use]
pub const fn draw(seed: u64, block: u64, cycle: u64, purpose: Purpose) -> u64 {
    let mut state = mix(seed);
    state = mix(state ^ block);
    state = mix(state ^ cycle);
    mix(state ^ purpose as u64)
}

const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Maps 64 random bits to a number in the open interval (0, 1).
#[must_use]
pub fn unit_interval(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// Maps 64 random bits to a standard normal number, by inverting the distribution function
/// (Acklam's rational approximation, relative error below 1.2e-9). The logarithm comes from a
/// portable library, because the platforms' own differ in the last bit.
#[must_use]
pub fn standard_normal(bits: u64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
    ];
    const TAIL: f64 = 0.024_25;
    let horner = |terms: &[f64], x: f64| terms.iter().fold(0.0, |sum, term| sum * x + term);
    let p = unit_interval(bits);
    let tail = |q: f64| {
        let r = (-2.0 * libm::log(q)).sqrt();
        horner(&C, r) / (horner(&D, r) * r + 1.0)
    };
    if p < TAIL {
        tail(p)
    } else if p > 1.0 - TAIL {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        let r = q * q;
        horner(&A, r) * q / (horner(&B, r) * r + 1.0)
    }
}

/// Maps 64 random bits to an exponentially distributed number of mean 1, by inverting the distribution function.
#[must_use]
pub fn standard_exponential(bits: u64) -> f64 {
    -libm::log(unit_interval(bits))
}

/// A stable 64-bit hash of a name (FNV-1a), for naming a place in [`draw`].
#[must_use]
pub const fn hash_name(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change here changes every seeded run that was ever published. The values come from an
    /// independent implementation of the same published mixing step.
    #[test]
    fn the_numbers_are_frozen() {
        assert_eq!(draw(0, 0, 0, Purpose::FigureSample), 0x2a4f_111b_3be5_7715);
        assert_eq!(draw(0, 0, 0, Purpose::Payload), 0x4f83_3d45_9789_ac77);
        assert_eq!(draw(1, 2, 3, Purpose::Payload), 0xa60f_acfa_74e6_5895);
        assert_eq!(hash_name("current.write"), 0xf302_3c2a_566a_522b);
    }

    /// The tail goes through a logarithm, which must not depend on the platform. The value was
    /// computed with the same approximation in another language; 2⁻⁵³ is the smallest probability.
    #[test]
    fn the_tail_is_frozen() {
        assert_eq!(standard_normal(0).to_bits(), 0xc020_6b48_5255_82da);
        assert!((standard_normal(0) - -8.209_536_151_601_387).abs() < 1e-7);
    }

    #[test]
    fn every_input_matters() {
        let all = [
            draw(1, 2, 3, Purpose::Payload),
            draw(2, 2, 3, Purpose::Payload),
            draw(1, 3, 3, Purpose::Payload),
            draw(1, 2, 4, Purpose::Payload),
            draw(1, 2, 3, Purpose::FigureSample),
            draw(2, 1, 3, Purpose::Payload),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(one));
        }
    }

    #[test]
    fn one_flipped_input_bit_flips_half_the_output() {
        let mut flips = 0;
        for bit in 0..64 {
            for place in 0..64 {
                let base = draw(place, 9, 9, Purpose::Payload);
                flips += (base ^ draw(place, 9 ^ (1 << bit), 9, Purpose::Payload)).count_ones();
            }
        }
        let mean = f64::from(flips) / (64.0 * 64.0);
        assert!((mean - 32.0).abs() < 0.5, "{mean} of 64 bits flip");
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let count = 100_000;
        let (mut sum, mut square, mut beyond_two) = (0.0, 0.0, 0);
        for cycle in 0..count {
            let z = standard_normal(draw(1, 0, cycle, Purpose::FigureSample));
            sum += z;
            square += z * z;
            beyond_two += u32::from(z.abs() > 2.0);
        }
        let mean = sum / count as f64;
        let variance = square / count as f64 - mean * mean;
        let share = f64::from(beyond_two) / count as f64;
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.02, "variance {variance}");
        assert!(
            (share - 0.0455).abs() < 0.004,
            "share beyond 2 sigma {share}"
        );
    }

    #[test]
    fn the_extreme_bits_stay_inside_the_interval() {
        assert!(unit_interval(0) > 0.0);
        assert!(unit_interval(u64::MAX) < 1.0);
        assert!(standard_normal(0).is_finite() && standard_normal(u64::MAX).is_finite());
    }
}
