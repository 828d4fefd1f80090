//! Skipping ahead against plain stepping.

use proptest::prelude::*;
use wordline_core::quantity::Period;

use super::*;
use crate::ageing::{SkipAhead as _, cycle_block};
use crate::wired::skip::SAMPLED_CYCLES;

/// One cycle after the other, and nothing else.
fn step(nand: &mut Wired<Nand>, cycle: &Cycle<'_>, cycles: u64) -> (u64, bool) {
    for done in 0..cycles {
        if cycle.step(nand).is_err() {
            return (done + 1, true);
        }
    }
    (cycles, false)
}

/// All observable state of a device that affects a block's further life.
fn state(nand: &Wired<Nand>, block: u32) -> String {
    let chip = nand.chip();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        chip.worn(block),
        chip.cycles_of(block),
        chip.failed_page(),
        chip.write_enabled(),
        chip.busy_until().since(nand.clock().now()),
        nand.wear(),
    )
}

fn times(nand: &Wired<Nand>) -> String {
    format!("{:?} {:?}", nand.clock().now(), nand.residence())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn skipping_is_stepping(
        seed in 0u64..10_000,
        block in 0u32..16,
        pages in 0u32..=8,
        before in 0u64..50,
        cycles in 0u64..1500,
        sampled in any::<bool>(),
        max in any::<bool>(),
        celsius in -20.0f64..90.0,
        dwell_s in 0.0f64..1e5,
        preworn in 0u64..3000,
    ) {
        let timing = match (sampled, max) {
            (true, _) => Timing::Sampled,
            (_, true) => Timing::Max,
            _ => Timing::Typ,
        };
        let mut skipped = connect(&sheet(&[]), timing, seed);
        let environment = Environment { celsius, dwell: Period::from_si(dwell_s) };
        skipped.start_ageing(environment).expect("it has the figures");
        skipped.chip_mut().wear_block(block, 8, preworn).expect("it is there");
        let cycle = Cycle { block, pages, data: &ZEROS };
        if step(&mut skipped, &cycle, before).1 {
            return Ok(());
        }
        let mut stepped = skipped.fork();
        let begun = stepped.clock().now();
        let by_skipping = cycle_block(&mut skipped, &cycle, cycles).expect("it fails at most");
        let mut each = Vec::new();
        let mut by_stepping = (0, false);
        while by_stepping.0 < cycles && !by_stepping.1 {
            let before = stepped.clock().now();
            by_stepping = (by_stepping.0 + 1, step(&mut stepped, &cycle, 1).1);
            each.push(stepped.clock().now().since(before).si());
        }
        prop_assert_eq!(by_skipping, by_stepping);
        if timing != Timing::Sampled || !by_skipping.1 {
            // The time at which the last page was programmed depends on all cycles before.
            prop_assert_eq!(state(&skipped, block), state(&stepped, block));
        }
        let pages = |nand: &Wired<Nand>| nand.chip().content(block).map(|content| content.pages);
        prop_assert!(pages(&skipped) == pages(&stepped));
        if timing == Timing::Sampled {
            // Skipped cycles take the mean of a few: the sums differ by chance, by less than six standard errors.
            let total = |nand: &Wired<Nand>| nand.clock().now().since(begun).si();
            let (one, other) = (total(&skipped), total(&stepped));
            #[expect(clippy::cast_precision_loss, reason = "at most 1,500 cycles")]
            let count = each.len() as f64;
            let variance = each.iter().map(|time| (time - other / count).powi(2)).sum::<f64>() / count;
            let error = 6.0 * (variance * count * (1.0 + count / f64::from(SAMPLED_CYCLES))).sqrt();
            prop_assert!(
                count < 100.0 || (one - other).abs() < error,
                "{} s, {} s, more than {} s apart", one, other, error
            );
        } else {
            prop_assert_eq!(times(&skipped), times(&stepped));
        }
        // And so is all that follows.
        let next = (one_cycle(&mut skipped, block), one_cycle(&mut stepped, block));
        prop_assert_eq!(next.0, next.1);
    }

    #[test]
    fn cells_alone_end_as_they_do_by_stepping(
        seed in 0u64..10_000,
        pages in 0u32..=8,
        cycles in 0u64..1500,
    ) {
        let mut worn = ageing(&sheet(&[]), Timing::Typ, seed);
        let mut stepped = worn.fork();
        let done = worn.chip_mut().wear_block(0, pages, cycles).expect("it is there");
        let cycle = Cycle { block: 0, pages, data: &ZEROS };
        prop_assert_eq!(step(&mut stepped, &cycle, done), (done, false));
        prop_assert_eq!(worn.chip().worn(0), stepped.chip().worn(0));
        prop_assert_eq!(worn.chip().cycles_of(0), stepped.chip().cycles_of(0));
        if done < cycles {
            prop_assert_eq!(step(&mut stepped, &cycle, 1), (1, true));
        }
    }
}

#[test]
fn no_cycles_leave_a_block_as_it_was() {
    let mut nand = ageing(&sheet(&[]), Timing::Typ, 0);
    assert_eq!(nand.chip_mut().wear_block(0, 0, 0), Ok(0));
    assert_eq!(nand.chip().worn(0), None);
}

#[test]
fn a_hundred_thousand_cycles_end_the_same() {
    let long = [("3000 cycles", "3000000 cycles")];
    for timing in [Timing::Typ, Timing::Max] {
        let mut skipped = ageing(&sheet(&long), timing, 1);
        let mut stepped = skipped.fork();
        let cycle = Cycle {
            block: 0,
            pages: 1,
            data: &ZEROS,
        };
        let ended = cycle_block(&mut skipped, &cycle, 100_000);
        assert_eq!(ended, Ok((100_000, false)));
        assert_eq!(step(&mut stepped, &cycle, 100_000), (100_000, false));
        assert_eq!(state(&skipped, 0), state(&stepped, 0));
        assert_eq!(times(&skipped), times(&stepped));
    }
}

#[test]
fn ten_million_cycles_take_few_steps() {
    let long = [("3000 cycles", "900000000 cycles")];
    let mut nand = ageing(&sheet(&long), Timing::Typ, 1);
    let cycle = Cycle {
        block: 0,
        pages: 1,
        data: &ZEROS,
    };
    let (mut done, mut stretches) = (0, 0);
    while done < 10_000_000 {
        let alike = nand.alike(&cycle, 10_000_000 - done);
        nand.skip(&cycle, alike).expect("it is young");
        done += alike;
        stretches += 1;
    }
    assert!(stretches < 40, "{stretches}");
    assert_eq!(nand.chip().cycles_of(0), Some(10_000_000));
}

#[test]
fn what_nobody_can_foresee_is_stepped() {
    let mut nand = ageing(&sheet(&[]), Timing::Typ, 1);
    let cycle = Cycle {
        block: 0,
        pages: 1,
        data: &ZEROS,
    };
    nand.chip_mut().set_faults(crate::Faults {
        erase_failure: 0.01,
        ..crate::Faults::default()
    });
    assert_eq!(nand.alike(&cycle, 1000), 1);
    nand.chip_mut().set_faults(crate::Faults::default());
    assert!(nand.alike(&cycle, 1000) > 1);
    // A page that is programmed already cannot be programmed again by the next cycle.
    nand.program(1, 0, &ZEROS).expect("it is erased");
    assert_eq!(nand.alike(&cycle, 1000), 1);
    let outside = Cycle {
        block: 16,
        pages: 1,
        data: &ZEROS,
    };
    assert!(cycle_block(&mut nand, &outside, 10).is_err());
    let wide = Cycle {
        block: 1,
        pages: 9,
        data: &ZEROS,
    };
    assert_eq!(nand.alike(&wide, 1000), 1);
    // A chip that does not age goes alike for ever.
    let mut fresh = connect(&sheet(&[]), Timing::Typ, 1);
    assert_eq!(
        cycle_block(&mut fresh, &cycle, 1_000_000),
        Ok((1_000_000, false))
    );
    assert_eq!(fresh.chip().cycles_of(0), Some(1_000_000));
}

#[test]
fn time_that_no_clock_holds_is_refused() {
    let mut fresh = connect(&sheet(&[]), Timing::Typ, 1);
    let cycle = Cycle {
        block: 0,
        pages: 1,
        data: &ZEROS,
    };
    let ended = cycle_block(&mut fresh, &cycle, u64::MAX);
    assert_eq!(ended, Err(NvmError::TimeExhausted));
}
