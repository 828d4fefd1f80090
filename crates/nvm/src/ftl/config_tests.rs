//! No choice and no shape makes the layer panic.

use proptest::prelude::*;

use super::config::{Cleaning, FtlConfig, Leveling, Mapping, NextBlock, Slc, Victim};
use super::media::Shape;

/// Small, or anything.
fn count() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..20, any::<u32>(), Just(u32::MAX)]
}

fn shape() -> impl Strategy<Value = Shape> {
    (count(), count(), count(), count()).prop_map(|(blocks, pages, slc, summary_pages)| Shape {
        blocks,
        pages_per_block: pages,
        slc_pages_per_block: slc,
        summary_pages,
    })
}

fn choices() -> impl Strategy<Value = FtlConfig> {
    let mapping = prop_oneof![
        Just(Mapping::Page),
        (count(), count()).prop_map(|(logs, shared_by)| Mapping::LogBlock { logs, shared_by }),
    ];
    let slc = prop::option::of(count());
    let marks = (count(), count(), count(), prop::option::of(count()));
    (mapping, count(), marks, prop::option::of(count()), slc).prop_map(
        |(mapping, spare_blocks, (start_below, stop_at, idle_until, steps), above, slc)| {
            FtlConfig {
                mapping,
                spare_blocks,
                cleaning: Cleaning {
                    victim: Victim::Greedy,
                    start_below,
                    stop_at,
                    steps_per_write: steps,
                    idle_until,
                },
                leveling: Leveling {
                    next: NextBlock::FewestErases,
                    static_above: above,
                },
                slc: slc.map(|blocks| Slc {
                    blocks,
                    folds_when_idle: true,
                }),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn every_choice_is_taken_or_refused(shape in shape(), config in choices(), bad in count()) {
        if let Ok(pages) = config.logical_pages(shape, bad) {
            let flash = u64::from(shape.blocks) * u64::from(shape.pages_per_block);
            prop_assert!(pages > 0 && u64::from(pages) < flash);
        }
        let _ = FtlConfig::page_mapped(shape).logical_pages(shape, bad);
    }
}
