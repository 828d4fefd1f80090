//! One mechanism at a time: what it costs, and what bounds it.

use wordline_core::draw::{Purpose as Of, draw};

use super::config::{Cleaning, FtlConfig, Leveling, Mapping, NextBlock, Slc, Victim};
use super::fixture::{Ills, Ram, Unchecked};
use super::health::ReadOnlyReason;
use super::media::{LayerPurpose, Media, Shape};
use super::translation::{FtlError, LayerWear, Translation};
use super::work::LayerWork;

type Layer = Translation<Ram>;

fn shape(blocks: u32, pages_per_block: u32) -> Shape {
    Shape {
        blocks,
        pages_per_block,
        slc_pages_per_block: pages_per_block / 2,
        summary_pages: 1,
    }
}

fn choices(spare_blocks: u32) -> FtlConfig {
    FtlConfig {
        mapping: Mapping::Page,
        spare_blocks,
        cleaning: Cleaning {
            victim: Victim::Greedy,
            start_below: 3,
            stop_at: 3,
            steps_per_write: None,
            idle_until: 0,
        },
        leveling: Leveling {
            next: NextBlock::FewestErases,
            static_above: None,
        },
        slc: None,
    }
}

fn logs(logs: u32, shared_by: u32) -> FtlConfig {
    let mut config = choices(logs + 4);
    config.mapping = Mapping::LogBlock { logs, shared_by };
    config.cleaning.start_below = 0;
    config.cleaning.stop_at = 0;
    config
}

fn layer(shape: Shape, config: FtlConfig) -> Layer {
    Translation::format(Ram::new(shape), config).expect("the choices fit the shape")
}

/// Writes pages at random among the first `pages`.
fn scatter<M: Media<Data = u64, Error: std::fmt::Debug>>(
    layer: &mut Translation<M>,
    pages: u32,
    writes: u64,
) {
    for count in 0..writes {
        let page = draw(7, layer.work().written, count, Of::Address) % u64::from(pages);
        layer.write(page as u32, &0).expect("room");
    }
}

fn fill<M: Media<Data = u64, Error: std::fmt::Debug>>(layer: &mut Translation<M>) {
    for page in 0..layer.pages() {
        layer.write(page, &0).expect("room");
    }
}

/// Work since an earlier count, of what matters here.
fn programmed_since<M: Media>(layer: &Translation<M>, before: LayerWork) -> f64 {
    let after = layer.work();
    let programs = |work: &LayerWork| work.written + work.cleaned;
    let written = after.written - before.written;
    (programs(after) - programs(&before)) as f64 / written as f64
}

/// Write amplification of greedy cleaning under uniformly random writes, for large blocks:
/// α/(α + W(−α·e^−α)) with α = pages of flash / logical pages and Lambert's W (Xiang and Kurkoski, "An improved
/// analytic expression for write amplification in NAND flash", 2011, arXiv 1110.4245; Desnoyers, "Analytic modeling
/// of SSD write performance", SYSTOR 2012, has the same limit).
fn greedy_limit(alpha: f64) -> f64 {
    let mut w = 0.0_f64;
    for _ in 0..10_000 {
        w = -alpha * libm::exp(-alpha - w);
    }
    alpha / (alpha + w)
}

#[test]
fn greedy_cleaning_writes_as_often_as_theory_says() {
    assert!(
        (greedy_limit(1.3) - 2.36).abs() < 0.01,
        "the figure of the paper"
    );
    for share in [7, 12, 25] {
        let blocks = 256;
        // Flash that holds pages: all but the free blocks, of which there are two or three, and but the half of
        // both open ones that is still to be written.
        let holding = f64::from(blocks) - 2.5 - 1.0;
        let logical = blocks * 100 / (100 + share);
        let medium = Unchecked(shape(blocks, 513));
        let mut layer =
            Translation::format(medium, choices(blocks - logical)).expect("the choices fit");
        fill(&mut layer);
        let pages = layer.pages();
        scatter(&mut layer, pages, u64::from(pages) * 4);
        let before = *layer.work();
        scatter(&mut layer, pages, u64::from(pages) * 2);
        let found = programmed_since(&layer, before);
        let expected = greedy_limit(holding / f64::from(logical));
        assert!(
            (0.97..1.01).contains(&(found / expected)),
            "{share} % to spare: {found}, not {expected}"
        );
    }
}

#[test]
fn cost_and_benefit_beat_greed_where_few_pages_are_hot() {
    let amplification = |victim| {
        let mut config = choices(20);
        config.cleaning.victim = victim;
        let mut layer = layer(shape(160, 33), config);
        fill(&mut layer);
        let hot = layer.pages() / 10;
        let before = *layer.work();
        for turn in 0..u64::from(layer.pages()) * 8 {
            let draw = draw(3, 0, turn, Of::Address);
            let page = match turn % 10 {
                0 => draw % u64::from(layer.pages()),
                _ => draw % u64::from(hot),
            };
            layer.write(page as u32, &0).expect("room");
        }
        programmed_since(&layer, before)
    };
    let (greedy, benefit) = (
        amplification(Victim::Greedy),
        amplification(Victim::CostBenefit),
    );
    assert!(benefit < greedy * 0.97, "{benefit} against {greedy}");
}

fn spread(mapping: FtlConfig, static_above: Option<u32>) -> LayerWear {
    let mut config = mapping;
    config.leveling.static_above = static_above;
    let mut layer = layer(shape(64, 17), config);
    fill(&mut layer);
    // Most pages rest.
    scatter(&mut layer, 40, 40_000);
    layer.wear()
}

#[test]
fn static_levelling_bounds_the_spread_of_wear() {
    for config in [choices(10), logs(4, 1), logs(4, 64)] {
        let (with, without) = (spread(config, Some(10)), spread(config, None));
        let range = |wear: LayerWear| wear.erases_max - wear.erases_min;
        assert!(range(with) <= 10 + 4, "{config:?}: {with:?}");
        assert!(range(without) > 60, "{config:?}: {without:?}");
    }
}

#[test]
fn a_write_does_no_more_steps_than_it_is_allowed_while_it_has_a_page() {
    let mut config = choices(16);
    config.cleaning.steps_per_write = Some(2);
    config.cleaning.start_below = 8;
    config.cleaning.stop_at = 10;
    let mut layer = layer(shape(64, 17), config);
    fill(&mut layer);
    let pages = layer.pages();
    let mut most = 0;
    for turn in 0..20_000 {
        let page = draw(5, 0, turn, Of::Address) % u64::from(pages);
        let (roomy, before) = (layer.can_write(page as u32), *layer.work());
        layer.write(page as u32, &0).expect("room");
        let moved = layer.work().cleaned - before.cleaned;
        if roomy {
            most = most.max(moved);
        }
    }
    assert_eq!(most, 2);
    // So early a start leaves no write to clean a whole block.
    assert!(layer.wear().free_blocks > 3);
}

#[test]
fn cleaning_goes_on_from_one_mark_to_the_other() {
    let mut config = choices(16);
    config.cleaning.start_below = 4;
    config.cleaning.stop_at = 9;
    let mut layer = layer(shape(64, 17), config);
    fill(&mut layer);
    let pages = layer.pages();
    let mut found = std::collections::BTreeSet::new();
    for turn in 0..5_000 {
        let (free, cleaned) = (layer.wear().free_blocks, layer.work().cleaned);
        let page = draw(6, 0, turn, Of::Address) % u64::from(pages);
        layer.write(page as u32, &0).expect("room");
        if layer.work().cleaned > cleaned {
            found.insert((free, layer.wear().free_blocks));
        }
    }
    // It starts with the last block above the lower mark, and ends at the upper one.
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(4, 9)]);
}

#[test]
fn idle_time_cleans_so_that_writes_need_not() {
    let mut config = choices(16);
    config.cleaning.idle_until = 9;
    let mut layer = layer(shape(64, 17), config);
    fill(&mut layer);
    let pages = layer.pages();
    for turn in 0..5_000 {
        while layer.idle_step().expect("room") {
            assert!(layer.media().purpose != LayerPurpose::Host);
        }
        let cleaned = layer.work().cleaned;
        let page = draw(6, 0, turn, Of::Address) % u64::from(pages);
        layer.write(page as u32, &0).expect("room");
        assert_eq!(layer.work().cleaned, cleaned);
    }
    assert!(layer.work().cleaned > 1000);
}

#[test]
fn a_log_written_in_order_becomes_the_data_block_without_a_copy() {
    for config in [logs(3, 1), logs(3, 64)] {
        let mut layer = layer(shape(32, 9), config);
        for _ in 0..3 {
            fill(&mut layer);
        }
        let work = *layer.work();
        let blocks = u64::from(layer.pages()) / 8;
        assert_eq!(
            (work.merged, work.full_merges, work.partial_merges),
            (0, 0, 0),
            "{config:?}"
        );
        let held = layer.logs_in_use();
        assert_eq!(work.switch_merges, 3 * blocks - held, "{config:?}");
    }
}

#[test]
fn the_start_of_a_block_in_order_is_merged_in_part() {
    let mut layer = layer(shape(32, 9), logs(3, 1));
    fill(&mut layer);
    let before = *layer.work();
    // Five pages of eight in order, of more blocks than there are logs.
    for block in 0..8 {
        for offset in 0..5 {
            layer.write(block * 8 + offset, &1).expect("room");
        }
    }
    let work = layer.work();
    assert_eq!(work.partial_merges - before.partial_merges, 5);
    assert_eq!(work.merged - before.merged, 5 * 3);
    assert_eq!(work.full_merges, 0);
}

#[test]
fn scattered_writes_cost_full_merges_and_shared_logs_put_them_off() {
    let merges = |config| {
        let mut layer = layer(shape(64, 9), config);
        fill(&mut layer);
        let pages = layer.pages();
        scatter(&mut layer, pages, 4_000);
        let work = *layer.work();
        // Each moves a whole logical block, or what is behind the pages in order.
        let most = 8 * work.full_merges + 7 * work.partial_merges;
        assert!(
            (8 * work.full_merges..=most).contains(&work.merged),
            "{work:?}"
        );
        work.full_merges
    };
    // A log of its own takes one page before it is needed for another block (thrashing); a shared one is filled.
    let (own, shared) = (merges(logs(4, 1)), merges(logs(4, 64)));
    assert!(own > 3_000, "{own}");
    assert!(shared < own && shared > 1_000, "{shared} against {own}");
}

#[test]
fn tables_of_the_hybrid_mapping_are_small() {
    let shape = shape(64, 17);
    let page = layer(shape, choices(8)).mapping_bytes();
    assert_eq!(page, 4 * 56 * 16);
    assert_eq!(layer(shape, logs(4, 1)).mapping_bytes(), 4 * (56 + 4 * 16));
}

#[test]
fn the_cache_takes_a_burst_and_idle_time_empties_it() {
    let mut config = choices(20);
    config.slc = Some(Slc {
        blocks: 6,
        folds_when_idle: true,
    });
    let mut layer = layer(shape(64, 17), config);
    // Six blocks of seven pages: half of seventeen, less the summary.
    for page in 0..42 {
        layer.write(page, &1).expect("room");
        assert_eq!(layer.work().folded, 0);
    }
    layer.write(42, &1).expect("room");
    assert_eq!(layer.work().folded, 7, "the oldest block made room");
    while layer.idle_step().expect("room") {}
    assert_eq!(layer.work().folded, 42, "all but the open block");
    for page in 0..35 {
        layer.write(page, &2).expect("room");
    }
    assert_eq!(layer.work().folded, 42);
}

#[test]
fn a_page_that_cannot_be_moved_stays_lost_until_it_is_written() {
    for config in [choices(8), logs(2, 1)] {
        let mut layer = layer(shape(24, 9), config);
        for page in 0..layer.pages() {
            layer.write(page, &1).expect("room");
            layer.write(page, &2).expect("room");
        }
        let page = layer.space.place(3).expect("written");
        layer.media_mut().harm(page);
        let pages = layer.pages();
        for turn in 0..2_000 {
            let other = 4 + draw(9, 0, turn, Of::Address) % u64::from(pages - 4);
            layer.write(other as u32, &3).expect("room");
            layer.write((turn % 3) as u32, &3).expect("room");
            let mut out = 0;
            let found = layer.read(3, &mut out);
            assert!(
                matches!(found, Err(FtlError::Lost { logical: 3, .. })),
                "{found:?}"
            );
        }
        assert_eq!(layer.work().lost, 1);
        assert!(layer.work().cleaned + layer.work().merged > 0);
        layer.write(3, &9).expect("room");
        let mut out = 0;
        assert_eq!((layer.read(3, &mut out), out), (Ok(true), 9));
    }
}

#[test]
fn blocks_go_bad_until_none_is_left_and_every_page_can_still_be_read() {
    for config in [choices(8), logs(2, 1)] {
        let mut layer = layer(shape(24, 9), config);
        fill(&mut layer);
        layer.media_mut().ills = Ills {
            program: 7,
            blocks: u32::MAX,
            ..Ills::default()
        };
        let mut held = vec![0; layer.pages() as usize];
        let mut full = None;
        for turn in 1..10_000 {
            let page = draw(9, 0, turn, Of::Address) % u64::from(layer.pages());
            match layer.write(page as u32, &turn) {
                Ok(()) => held[page as usize] = turn,
                Err(error) => full = Some(error),
            }
        }
        let Some(FtlError::Full { health }) = full else {
            panic!("{full:?}");
        };
        // No block came bad from the factory here.
        assert!(health.bad_blocks > 0 && health.grown_bad == health.bad_blocks);
        assert_eq!(health.erases_most, layer.wear().erases_max);
        assert_eq!(health.free_blocks, layer.wear().free_blocks);
        assert_eq!(
            health.read_only,
            Some(ReadOnlyReason::SpareUsedUp),
            "{health}"
        );
        let words = health.to_string();
        assert!(
            words.starts_with("read-only: more blocks went bad"),
            "{words}"
        );
        let spare = config.bad_blocks_max();
        assert!(
            health.bad_blocks >= spare && health.spare_blocks == 0,
            "{words}, {spare}"
        );
        for (page, expected) in (0..).zip(held) {
            let mut out = u64::MAX;
            assert_eq!(
                layer.read(page, &mut out),
                Ok(true),
                "{config:?}: page {page}"
            );
            assert_eq!(out, expected);
        }
    }
}

#[test]
fn choices_that_cannot_work_are_refused_with_what_may_be() {
    let refused = |shape, config: FtlConfig| match Translation::format(Ram::new(shape), config) {
        Err(FtlError::Config(error)) => error.to_string(),
        other => panic!("{:?}", other.map(|layer| layer.pages())),
    };
    let small = shape(16, 9);
    assert_eq!(
        refused(small, choices(3)),
        "spare_blocks is 3; allowed: 4 to 15"
    );
    assert_eq!(
        refused(small, choices(16)),
        "spare_blocks is 16; allowed: 4 to 15"
    );
    let mut order = choices(8);
    order.cleaning.start_below = 5;
    order.cleaning.stop_at = 4;
    assert_eq!(refused(small, order), "start_below is 5; allowed: 0 to 4");
    order.cleaning.stop_at = 7;
    assert_eq!(refused(small, order), "stop_at is 7; allowed: 0 to 6");
    let mut cache = choices(8);
    cache.slc = Some(Slc {
        blocks: 5,
        folds_when_idle: false,
    });
    assert_eq!(refused(small, cache), "spare_blocks is 8; allowed: 9 to 15");
    assert_eq!(
        refused(small, logs(14, 1)),
        "spare_blocks is 18; allowed: nothing, with the other choices as they are"
    );
    assert_eq!(refused(small, logs(1, 4)), "logs is 1; allowed: 2 to 16");
    let mut none = small;
    none.summary_pages = 9;
    assert_eq!(
        refused(none, choices(8)),
        "summary_pages is 9; allowed: 0 to 8"
    );
}
