//! Random calls against a plain map; every call within its bound.

use std::collections::HashMap;

use wordline_core::draw::{Purpose, draw};
use wordline_crash::FlashImage;
use wordline_memory::{EraseMode, Geometry};
use wordline_rtfs::{PacedConfig, PacedLayer, PacedRule, PacedRules};

use crate::rules::{COLUMNS, Counted, Operations, blank};

pub(crate) const PAGE: usize = 128;
pub(crate) const GEOMETRY: Geometry = Geometry {
    page_bytes: PAGE as u32,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 40,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

pub(crate) fn content(logical: u32, version: u64) -> [u8; PAGE] {
    let mut bytes = [0; PAGE];
    for (word, place) in (0..).zip(bytes.chunks_mut(8)) {
        let key = u64::from(logical) << 32 | version;
        place.copy_from_slice(&draw(5, key, word, Purpose::Payload).to_le_bytes());
    }
    bytes
}

/// What random calls go to.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    Uniform,
    Hot,
    Sequential,
    Strided,
}

struct ModelRun {
    layer: PacedLayer<Counted<FlashImage>, Vec<u8>>,
    versions: HashMap<u32, u64>,
    config: PacedConfig,
    rules: PacedRules,
}

impl ModelRun {
    fn new(config: PacedConfig, rules: PacedRules, erases: EraseMode) -> Self {
        Self::on(blank(GEOMETRY).with_erases(erases), config, rules)
    }

    fn on(flash: FlashImage, config: PacedConfig, rules: PacedRules) -> Self {
        let flash = Counted::new(flash);
        let bytes = config.bound(&GEOMETRY).expect("it suits").ram_bytes;
        let memory = vec![0; bytes];
        let layer = PacedLayer::format_with(flash, COLUMNS, config, memory, rules);
        Self {
            layer: layer.expect("a format"),
            versions: HashMap::new(),
            config,
            rules,
        }
    }

    fn remount(self) -> Self {
        let Self {
            layer,
            versions,
            config,
            rules,
        } = self;
        let (flash, memory) = layer.into_parts();
        let layer = PacedLayer::mount_with(flash, COLUMNS, config, memory, rules);
        Self {
            layer: layer.expect("a mount"),
            versions,
            config,
            rules,
        }
    }

    fn operations(&self) -> Operations {
        self.layer.flash().count
    }

    fn check_all(&mut self) {
        let mut page = [0; PAGE];
        for logical in 0..self.config.logical_pages {
            let written = self.layer.read(logical, &mut page).expect("a read");
            match self.versions.get(&logical) {
                Some(version) => {
                    assert!(written, "logical page {logical} is lost");
                    assert_eq!(page, content(logical, *version), "logical page {logical}");
                }
                None => assert!(!written || page == [0; PAGE], "logical page {logical}"),
            }
        }
    }

    /// Writes a group, and holds it against the bound.
    fn write(&mut self, group: &[u32], version: u64) {
        let contents: Vec<_> = group
            .iter()
            .map(|logical| content(*logical, version))
            .collect();
        let pages: Vec<(u32, &[u8])> = group
            .iter()
            .zip(&contents)
            .map(|(logical, bytes)| (*logical, &bytes[..]))
            .collect();
        let (before, work) = (self.operations(), *self.layer.work());
        self.layer.write_group(&pages).expect("a write");
        let (after, done) = (self.operations(), *self.layer.work());
        for logical in group {
            self.versions.insert(*logical, version);
        }
        let bound = *self.layer.bound();
        let pages = group.len() as u64;
        let erases = after.erases - before.erases;
        let parts = after.parts - before.parts;
        assert!(erases <= 1, "{erases} erases in a call");
        if bound.erase_parts > 1 {
            assert_eq!(erases, 0, "an erase in a call that pays its part");
            let most = bound.write_counts(pages)[0].erase_millionths;
            assert!(
                parts <= most,
                "{parts} of {most} parts of an erase for {pages} pages; {bound:?}"
            );
        }
        let paid = pages.saturating_sub(2 * erases);
        let headers = done.headers - work.headers;
        let steps = done.steps - work.steps;
        let stores = done.stored - work.stored;
        let most = bound.write_counts(pages)[usize::from(erases > 0)].stores;
        assert!(
            stores <= most,
            "{stores} of {most} stores for {pages} pages; {bound:?}"
        );
        let most = paid * u64::from(bound.steps_per_page);
        assert!(
            steps + headers <= most,
            "{steps} steps and {headers} header pages for {pages} pages with {erases} erases, and {most} are allowed; {bound:?}"
        );
    }
}

#[test]
fn a_discard_costs_at_most_what_a_write_of_a_page_does() {
    let config = largest(64);
    let mut trial = ModelRun::new(config, PacedRules::ALL, EraseMode::Awaited);
    let pages = u64::from(config.logical_pages);
    for logical in 0..config.logical_pages {
        trial.write(&[logical], 1);
    }
    let mut stored = 0;
    for call in 2..6_000 {
        let random = |number| draw(13, call, number, Purpose::Address);
        trial.write(&[(random(0) % pages) as u32], call);
        // What a discard would cost here and now, and some more behind it.
        let mut layer = trial.layer.clone();
        for index in 1..4 {
            let (before, work) = (layer.flash().count, *layer.work());
            let logical = (random(index) % pages) as u32;
            layer.discard(logical).expect("a discard");
            let (after, done) = (layer.flash().count, *layer.work());
            stored += done.stored - work.stored;
            let taken = [
                after.reads - before.reads,
                after.programs - before.programs,
                after.erases - before.erases,
            ];
            let allowed = layer.bound().discard_counts().map(|counts| {
                [
                    counts.pages_read(),
                    counts.pages_programmed(),
                    counts.erases,
                ]
            });
            let fits = |allowed: &[u64; 3]| taken.iter().zip(allowed).all(|(a, b)| a <= b);
            assert!(allowed.iter().any(fits), "{call}: {taken:?} of {allowed:?}");
            let mut page = [0; PAGE];
            assert_eq!(layer.read(logical, &mut page), Ok(false));
        }
    }
    assert!(stored > 0);
}

/// What a trial does.
#[derive(Clone, Copy, Debug)]
struct Calls {
    pattern: Pattern,
    count: u64,
    /// Pages of a call at most.
    group_pages: u64,
    remounts: bool,
    seed: u64,
    erases: EraseMode,
}

fn trial(config: PacedConfig, rules: PacedRules, calls: Calls) {
    let Calls {
        pattern,
        remounts,
        seed,
        ..
    } = calls;
    let mut trial = ModelRun::new(config, rules, calls.erases);
    let pages = u64::from(config.logical_pages);
    for call in 0..calls.count {
        let random = |number| draw(seed, call, number, Purpose::Address);
        let count = 1 + random(0) % calls.group_pages;
        let group: Vec<u32> = (0..count)
            .map(|index| match pattern {
                Pattern::Uniform => random(31 + index) % pages,
                Pattern::Hot if random(9).is_multiple_of(10) => random(31 + index) % pages,
                Pattern::Hot => random(31 + index) % (pages / 10),
                Pattern::Sequential => (call * 3 + index) % pages,
                Pattern::Strided => ((call * 3 + index) * 37) % pages,
            } as u32)
            .collect();
        let mut once = group.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() == group.len() {
            trial.write(&group, call);
        }
        match random(20) % 64 {
            0 => {
                let logical = (random(21) % pages) as u32;
                trial.layer.discard(logical).expect("a discard");
                trial.versions.remove(&logical);
                // Until it is stored, a mount may bring it back: write it, so that it is known.
                trial.write(&[logical], call);
            }
            5..10 if remounts => {
                trial.check_all();
                trial = trial.remount();
                trial.check_all();
            }
            2..5 => {
                for _ in 0..random(22) % 8 {
                    trial
                        .layer
                        .work_ahead(call.is_multiple_of(2))
                        .expect("work ahead");
                }
            }
            10..20 => {
                trial.layer.leave_erase(8).expect("an erase");
            }
            _ => {}
        }
    }
    trial.check_all();
}

/// As many logical pages as work.
fn largest(log_entries: u32) -> PacedConfig {
    let config = PacedConfig {
        logical_pages: 1,
        bad_blocks: 0,
        log_entries,
    };
    let most = config.largest(&GEOMETRY, u32::MAX);
    PacedConfig {
        logical_pages: most.expect("some work"),
        ..config
    }
}

/// A page that is moved within the flash gets the record that it gets when its bytes pass the bus.
#[test]
fn moves_within_the_flash_leave_the_same_bytes() {
    for erases in [EraseMode::Awaited, EraseMode::Runs, EraseMode::Suspends] {
        let config = largest(64);
        let flash = blank(GEOMETRY).with_erases(erases);
        let mut trials = [flash.clone().with_moves(), flash]
            .map(|flash| ModelRun::on(flash, config, PacedRules::ALL));
        let pages = u64::from(config.logical_pages);
        for call in 0..6_000 {
            let random = |number| draw(17, call, number, Purpose::Address);
            let mut group: Vec<u32> = (0..1 + random(0) % 8)
                .map(|index| (random(index + 1) % pages) as u32)
                .collect();
            group.sort_unstable();
            group.dedup();
            for trial in &mut trials {
                trial.write(&group, call);
                if random(20).is_multiple_of(32) {
                    trial.layer.work_ahead(true).expect("work ahead");
                }
            }
        }
        let [within, over] = &mut trials;
        assert_eq!(within.layer.work(), over.layer.work());
        let [hash, other] = [&within.layer, &over.layer].map(|layer| layer.flash().inner.hash());
        assert_eq!(hash, other);
        let [moved, work] = [within.operations().moves, within.layer.work().moved];
        assert!(moved > work * 9 / 10, "{moved} of {work}");
        assert_eq!(over.operations().moves, 0);
        let [mut within, mut over] = trials.map(ModelRun::remount);
        within.check_all();
        over.check_all();
    }
}

#[test]
fn every_call_stays_within_its_bound_and_nothing_is_lost() {
    for erases in [EraseMode::Awaited, EraseMode::Runs, EraseMode::Suspends] {
        bounded(PacedRules::ALL, erases);
    }
}

fn bounded(rules: PacedRules, erases: EraseMode) {
    for pattern in [
        Pattern::Uniform,
        Pattern::Hot,
        Pattern::Sequential,
        Pattern::Strided,
    ] {
        let calls = Calls {
            pattern,
            count: 12_000,
            group_pages: 8,
            remounts: false,
            seed: 1,
            erases,
        };
        trial(largest(96), rules, calls);
        // The header is the most that a page costs.
        let small = PacedConfig {
            logical_pages: 60,
            ..largest(32)
        };
        let calls = Calls {
            count: 4_000,
            group_pages: 1,
            ..calls
        };
        trial(small, rules, calls);
    }
}

#[test]
fn wear_spreads_over_blocks_that_hold_what_never_changes() {
    let config = PacedConfig {
        logical_pages: 420,
        bad_blocks: 0,
        log_entries: 128,
    };
    let mut trial = ModelRun::new(config, PacedRules::ALL, EraseMode::Awaited);
    for logical in 0..config.logical_pages {
        trial.write(&[logical], 1);
    }
    let mut call = 2;
    while trial.layer.wear().erases < 100 * u64::from(GEOMETRY.blocks) {
        let random = |number| draw(11, call, number, Purpose::Address);
        // Nine of ten go to a tenth of the pages, and half of all pages are never written again.
        let range = if random(0).is_multiple_of(10) {
            280
        } else {
            56
        };
        trial.write(&[(random(1) % range) as u32], call);
        call += 1;
    }
    let wear = trial.layer.wear();
    let mean = wear.erases as f64 / f64::from(wear.blocks);
    let spread = f64::from(wear.most) / mean;
    assert!(spread <= 1.3, "{wear:?}: {spread:.2}");
    trial.check_all();
}

#[test]
fn mounts_in_between_lose_nothing() {
    for erases in [EraseMode::Awaited, EraseMode::Runs, EraseMode::Suspends] {
        remounted(PacedRules::ALL, erases);
    }
}

fn remounted(rules: PacedRules, erases: EraseMode) {
    for (seed, pattern) in [Pattern::Uniform, Pattern::Hot].into_iter().enumerate() {
        let calls = Calls {
            pattern,
            count: 4_000,
            group_pages: 8,
            remounts: true,
            seed: seed as u64,
            erases,
        };
        trial(largest(96), rules, calls);
    }
}

/// Whether random calls notice through the bound that a rule is left out, where erases are left running in a way.
pub(crate) fn calls_notice(rule: PacedRule, erases: EraseMode) -> bool {
    let rules = PacedRules::without(rule);
    std::panic::catch_unwind(|| bounded(rules, erases)).is_err()
}

#[test]
fn a_capacity_too_large_names_the_largest_that_works() {
    use wordline_rtfs::PacedUnsuitable;
    let config = |logical_pages| PacedConfig {
        logical_pages,
        bad_blocks: 0,
        log_entries: 64,
    };
    let Err(PacedUnsuitable { what, most, .. }) = config(1200).bound(&GEOMETRY) else {
        panic!("1200 of 1280 pages leave no room");
    };
    assert_eq!(what, "logical pages");
    let most = u32::try_from(most).expect("few pages");
    assert!(config(most).bound(&GEOMETRY).is_ok());
    assert!(config(most + 1).bound(&GEOMETRY).is_err());
}
