//! The generator of the benchmark, held to what is published of the reference generator.

#[path = "../benches/support/zipf.rs"]
mod zipf;

use zipf::{ScrambledZipfian, ZETA, fnv, rank};

/// ζ(n, θ) = Σ i^−θ for i up to n, by Euler and Maclaurin from the hundredth term on.
fn zeta(items: f64, theta: f64) -> f64 {
    let first: f64 = (1..100).map(|item| f64::from(item).powf(-theta)).sum();
    let integral = (items.powf(1.0 - theta) - 100f64.powf(1.0 - theta)) / (1.0 - theta);
    let ends = (100f64.powf(-theta) + items.powf(-theta)) / 2.0;
    first + integral + ends + theta * 100f64.powf(-theta - 1.0) / 12.0
}

#[test]
fn the_constant_of_the_reference_generator_is_its_zeta() {
    assert!(
        (zeta(1e10, 0.99) - ZETA).abs() < 1e-6,
        "{}",
        zeta(1e10, 0.99)
    );
}

#[test]
fn ranks_follow_grays_formula() {
    // The two most popular ranks take 1/ζ and 2^−θ/ζ of the draws, and the last draw is the last rank.
    let first = 1.0 / ZETA;
    let second = (1.0 + 0.5_f64.powf(0.99)) / ZETA;
    assert_eq!(
        (rank(0.0), rank(first - 1e-12), rank(first + 1e-12)),
        (0, 0, 1)
    );
    assert_eq!(rank(second - 1e-12), 1);
    assert!((2..=3).contains(&rank(second + 1e-9)));
    assert!(rank(1.0 - 1e-15) > 9_990_000_000);
}

#[test]
fn the_hash_is_fnv_1a_over_eight_bytes() {
    // Eight zeros: the offset basis times the prime, eight times. Both constants: draft-eastlake-fnv, section 5.
    let mut expected = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..8 {
        expected = expected.wrapping_mul(0x0100_0000_01B3);
    }
    assert_eq!(fnv(0), (expected as i64).unsigned_abs());
    assert_ne!(fnv(1), fnv(256));
}

#[test]
fn the_most_popular_record_is_drawn_as_often_as_its_rank_says() {
    let mut zipfian = ScrambledZipfian::new(1 << 20, 1);
    let popular = fnv(0) % (1 << 20);
    let drawn = (0..200_000).filter(|_| zipfian.draw() == popular).count() as f64;
    let expected = 200_000.0 / ZETA;
    // Five standard deviations, and the little that other ranks add.
    assert!(
        (drawn - expected).abs() < 5.0 * expected.sqrt() + 20.0,
        "{drawn} {expected}"
    );
}
