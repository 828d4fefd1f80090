//! The layer under power cuts: every cut of recorded runs, each image of it mounted, read whole, and mounted again; and
//! cuts within those mounts, and of what is done after them.

use wordline_core::draw::{Purpose, draw};
use wordline_crash::{
    EccStrength, FlashContent, FlashImage, FlashTearing, ImageId, Mode, Recorder, Recording,
};
use wordline_memory::{EraseMode, Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedLayer, PacedRule, PacedRules, PacedSetupError};

use crate::rules::{COLUMNS, Failing, fresh};

/// A flash that is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    geometry: Geometry,
    config: PacedConfig,
    ecc: bool,
    /// Blocks that the factory marked as bad.
    factory_bad: &'static [u32],
    /// Programs and erases that fail in a run, and in the first mount after a cut.
    failures: u32,
    /// One call in so many discards pages.
    discard_every: u64,
    /// Pages that calls go to, of all that there are.
    hot_pages: u64,
    /// Pages of a call at most.
    group_pages: u64,
    /// What becomes of erases that are left running.
    erases: EraseMode,
    /// Whether pages are moved within the flash.
    moves: bool,
    rules: PacedRules,
}

pub(crate) const SMALL: Setup = Setup {
    geometry: Geometry {
        page_bytes: 128,
        spare_bytes: 16,
        pages_per_block: 22,
        blocks: 10,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    },
    config: PacedConfig {
        logical_pages: 24,
        bad_blocks: 0,
        log_entries: 16,
    },
    ecc: false,
    factory_bad: &[],
    failures: 0,
    discard_every: u64::MAX,
    hot_pages: 24,
    group_pages: 3,
    erases: EraseMode::Awaited,
    moves: false,
    rules: PacedRules::ALL,
};

/// What each logical page holds: the number of the call that wrote it, 0 if none; and whether it was discarded since, so
/// that a cut may bring it back or not.
type State = Vec<(u64, bool)>;

/// What was found: the same number, 0 where nothing is.
type FoundPages = Vec<u64>;

fn fits(found: &[u64], state: &State) -> bool {
    let fits = |(found, (version, discarded)): (&u64, &(u64, bool))| {
        found == version || *discarded && *found == 0
    };
    found.iter().zip(state).all(fits)
}

/// A recorded run, and what may be found at each of its operations.
struct Run {
    recording: Recording<FlashTearing>,
    /// What may be found before `ready`.
    start: Vec<State>,
    /// Operations that the format or the mount took.
    ready: usize,
    /// What was found then.
    settled: State,
    /// Of each call: operations before and after it, and what it wrote.
    calls: Vec<(usize, usize, Change)>,
}

impl Run {
    /// The states that may be found after a cut within an operation.
    fn allowed(&self, operation: usize) -> Vec<State> {
        if operation < self.ready {
            return self.start.clone();
        }
        let mut state = self.settled.clone();
        for (before, after, writes) in &self.calls {
            if *after <= operation {
                apply(&mut state, writes);
            } else if *before <= operation {
                let mut with = state.clone();
                apply(&mut with, writes);
                return vec![state, with];
            }
        }
        vec![state]
    }
}

/// What a call does.
#[derive(Clone, Debug)]
enum Change {
    Writes(Vec<(u32, u64)>),
    /// Each page may be discarded or not when the call is cut.
    Discards(Vec<u32>),
}

fn apply(state: &mut State, change: &Change) {
    match change {
        Change::Writes(writes) => {
            for (logical, version) in writes {
                state[*logical as usize] = (*version, false);
            }
        }
        Change::Discards(pages) => {
            for logical in pages {
                state[*logical as usize].1 = true;
            }
        }
    }
}

fn content(bytes: usize, logical: u32, version: u64) -> Vec<u8> {
    let mut content = vec![0; bytes];
    content[..8].copy_from_slice(&version.to_le_bytes());
    for (word, place) in (0..).zip(content[8..].chunks_mut(8)) {
        let key = u64::from(logical) << 32 | version;
        let drawn = draw(5, key, word, Purpose::Payload).to_le_bytes();
        place.copy_from_slice(&drawn[..place.len()]);
    }
    content
}

impl Setup {
    fn tearing(&self) -> FlashTearing {
        if self.ecc {
            FlashTearing::with_ecc(EccStrength {
                sector_bytes: 64,
                bits: 1,
                refresh_from: 1,
            })
        } else {
            FlashTearing::raw()
        }
    }

    /// A flash with what it can do besides.
    fn offer(&self, image: FlashImage) -> FlashImage {
        let image = image.with_erases(self.erases);
        if self.moves {
            image.with_moves()
        } else {
            image
        }
    }

    fn memory(&self) -> Vec<u8> {
        let bound = self.config.bound(&self.geometry).expect("it suits");
        vec![0; bound.ram_bytes]
    }

    fn mount<F: Flash<Error = NvmError>>(
        &self,
        flash: F,
    ) -> Result<PacedLayer<F, Vec<u8>>, PacedSetupError<NvmError>> {
        PacedLayer::mount_with(flash, COLUMNS, self.config, self.memory(), self.rules)
    }

    fn first(&self, calls: u64, seed: u64) -> Run {
        let erased = FlashContent::erased(self.geometry);
        let marked = self.factory_bad.iter().copied();
        let content = marked.fold(erased, FlashContent::with_bad_block);
        let chip = self.offer(fresh(content.clone()));
        let recorder = Recorder::new(chip, content, self.tearing());
        let flash = Failing::new(recorder, self.failures, 5 + (seed * 7 % 60) as u32);
        let (memory, rules) = (self.memory(), self.rules);
        let layer = PacedLayer::format_with(flash, COLUMNS, self.config, memory, rules);
        let layer = layer.expect("a format");
        let empty = vec![(0, false); self.config.logical_pages as usize];
        self.go_on(layer, vec![empty.clone()], empty, calls, seed)
    }

    fn again(&self, image: FlashImage, start: Vec<State>, calls: u64) -> Run {
        let seed = image.hash();
        let image = self.offer(image);
        let recorder = Failing::new(image.record(self.tearing()), 0, 1);
        let mut layer = self.mount(recorder).expect("a mount");
        let found = self.found(&mut layer);
        let known = start.iter().any(|state| fits(&found, state));
        assert!(known, "a mount finds {found:?} of {start:?}");
        let settled = found.into_iter().map(|version| (version, false)).collect();
        self.go_on(layer, start, settled, calls, seed)
    }

    fn go_on(
        &self,
        mut layer: PacedLayer<Failing<Recorder<FlashImage, FlashTearing>>, Vec<u8>>,
        start: Vec<State>,
        settled: State,
        calls: u64,
        seed: u64,
    ) -> Run {
        let ready = layer.flash().flash.operations();
        let mut run: Vec<(usize, usize, Change)> = Vec::new();
        for call in 0..calls {
            let random = |number| draw(seed, call, number, Purpose::Address);
            let pages = u64::from(self.config.logical_pages);
            // Half of the calls go to few pages.
            let few = (self.hot_pages / 4).max(1);
            let range = if random(0).is_multiple_of(2) {
                few
            } else {
                self.hot_pages
            };
            let mut group: Vec<u32> = (0..1 + random(1) % self.group_pages)
                .map(|index| (random(22 + index) % range.min(pages)) as u32)
                .collect();
            group.sort_unstable();
            group.dedup();
            let before = layer.flash().flash.operations();
            if random(10).is_multiple_of(self.discard_every) {
                for logical in &group {
                    layer.discard(*logical).expect("a discard");
                }
                let after = layer.flash().flash.operations();
                run.push((before, after, Change::Discards(group)));
                if random(9).is_multiple_of(2) {
                    layer.work_ahead(true).expect("work ahead");
                }
                continue;
            }
            let version = (seed & 0xFFFF_FFFF) << 20 | (call + 1);
            let bytes = self.geometry.page_bytes as usize;
            let contents: Vec<_> = group
                .iter()
                .map(|logical| content(bytes, *logical, version))
                .collect();
            let pages: Vec<(u32, &[u8])> = group
                .iter()
                .zip(&contents)
                .map(|(logical, bytes)| (*logical, &bytes[..]))
                .collect();
            layer.write_group(&pages).expect("a write");
            let after = layer.flash().flash.operations();
            let writes = group.iter().map(|logical| (*logical, version)).collect();
            run.push((before, after, Change::Writes(writes)));
            match random(9) % 10 {
                0 | 5 => drop(layer.work_ahead(true).expect("work ahead")),
                1..=4 => drop(layer.leave_erase(1).expect("an erase")),
                _ => {}
            }
        }
        let mut state = settled.clone();
        for (_, _, change) in &run {
            apply(&mut state, change);
        }
        let held = state
            .iter()
            .map(|(version, discarded)| if *discarded { 0 } else { *version });
        assert_eq!(
            self.found(&mut layer),
            held.collect::<FoundPages>(),
            "without a cut"
        );
        let (_, recording) = layer.into_flash().flash.finish();
        Run {
            recording,
            start,
            ready,
            settled,
            calls: run,
        }
    }

    /// Reads every logical page.
    fn found<F: Flash<Error = NvmError>>(&self, layer: &mut PacedLayer<F, Vec<u8>>) -> FoundPages {
        let bytes = self.geometry.page_bytes as usize;
        let mut page = vec![0; bytes];
        (0..self.config.logical_pages)
            .map(|logical| {
                let written = layer.read(logical, &mut page).expect("a page can be read");
                if !written {
                    return 0;
                }
                let version = u64::from_le_bytes(page[..8].try_into().expect("8 bytes"));
                assert_eq!(
                    page,
                    content(bytes, logical, version),
                    "logical page {logical}"
                );
                version
            })
            .collect()
    }

    /// Mounts an image twice and reads it.
    fn look_at(&self, run: &Run, image: FlashImage) {
        let id = image.id();
        let allowed = run.allowed(id.operation);
        let image = self.offer(image);
        let flash = Failing::new(image, self.failures.min(1), 1 + (id.variant % 7) as u32);
        let mut layer = match self.mount(flash) {
            Ok(layer) => layer,
            Err(PacedSetupError::NotFormatted)
                if id.operation < run.ready && allowed[0].iter().all(|page| page.0 == 0) =>
            {
                return;
            }
            Err(error) => panic!("image {id}: {error}"),
        };
        let found = self.found(&mut layer);
        assert!(
            allowed.iter().any(|state| fits(&found, state)),
            "image {id}: found {found:?}\nallowed {allowed:?}"
        );
        let mut layer = self.mount(layer.into_flash()).expect("a second mount");
        assert_eq!(self.found(&mut layer), found, "image {id}: a second mount");
    }
}

/// Cuts a run everywhere; one image in so many is mounted, used, and cut again.
fn look(setup: &Setup, calls: u64, again_every: u64, seed: u64) -> (u64, u64) {
    let run = setup.first(calls, seed);
    let (mut images, mut second) = (0, 0);
    for (number, image) in (0u64..).zip(run.recording.images(Mode::Exhaustive, seed)) {
        images += 1;
        let id = image.id();
        setup.look_at(&run, image.clone());
        if id.operation >= run.ready && number.is_multiple_of(again_every) {
            let mut run = setup.again(image, run.allowed(id.operation), 6);
            for image in run.recording.images(Mode::Exhaustive, 1).step_by(5) {
                second += 1;
                setup.look_at(&run, image);
            }
            // The mount is cut, and the mount after that.
            for cut in 0..8 {
                let ready = run.ready as u64;
                let operation = (draw(cut, ready, 0, Purpose::Tear) % (ready + 1)) as usize;
                let variant = draw(cut, ready, 1, Purpose::Tear) % 24;
                let id = ImageId {
                    operation,
                    variant,
                    seed: cut,
                };
                let Some(image) = run.recording.image(id) else {
                    continue;
                };
                second += 1;
                let allowed = run.allowed(operation);
                run = setup.again(image, allowed, 0);
            }
        }
    }
    (images, second)
}

/// Cuts runs once at each operation, and at chains of places: in mounts, mostly as they end, and in what is done after
/// them.
fn chains(setup: &Setup, seeds: u64) {
    chains_from(setup, 0, seeds);
}

fn chains_from(setup: &Setup, from: u64, seeds: u64) {
    for seed in from..from + seeds {
        let mut run = setup.first(60, seed);
        for image in run.recording.images(Mode::Linear, seed) {
            setup.look_at(&run, image);
        }
        let mut mounted = false;
        for cut in 0..12 {
            let random = |number| draw(seed, cut, number, Purpose::Tear);
            let all = run.recording.operations().len();
            let operation = match random(0) % 4 {
                0 => run.ready.saturating_sub(1),
                1 => (random(1) % (run.ready as u64 + 1)) as usize,
                2 => all,
                _ => (random(1) % (all as u64 + 1)) as usize,
            };
            let id = ImageId {
                operation,
                variant: random(2) % 24,
                seed: cut,
            };
            let Some(image) = run.recording.image(id) else {
                continue;
            };
            let allowed = run.allowed(operation);
            if !mounted && operation < run.ready {
                // The format must be begun again.
                continue;
            }
            mounted = true;
            run = setup.again(image, allowed, 5 * (random(3) % 2));
        }
    }
}

const FEW: Setup = Setup {
    ecc: true,
    hot_pages: 2,
    group_pages: 1,
    ..SMALL
};

const CHAINS: [(&str, Setup); 7] = [
    ("chains on few pages", FEW),
    (
        "chains of large groups and blocks that fail",
        Setup {
            hot_pages: 8,
            group_pages: 8,
            ..FAILING
        },
    ),
    (
        "chains of large groups and blocks that fail, with erases in parts",
        Setup {
            hot_pages: 8,
            group_pages: 8,
            erases: EraseMode::Suspends,
            ..FAILING
        },
    ),
    (
        "chains on few pages, with erases that are left running",
        Setup {
            erases: EraseMode::Runs,
            ..FEW
        },
    ),
    (
        "chains on few pages, with moves within the flash",
        Setup { moves: true, ..FEW },
    ),
    (
        "chains with discards",
        Setup {
            discard_every: 2,
            ecc: true,
            ..SMALL
        },
    ),
    (
        "chains with discards on few pages",
        Setup {
            discard_every: 2,
            ..FEW
        },
    ),
];

#[test]
fn chains_of_cuts_leave_what_returned() {
    for (name, setup) in CHAINS {
        eprintln!("{name}");
        chains(&setup, 100);
    }
}

/// Power fails again and again in mounts, at the same place of each.
fn mounts_are_cut(setup: &Setup, times: u32) {
    let run = setup.first(30, 3);
    let last = ImageId {
        operation: run.recording.operations().len(),
        variant: 0,
        seed: 0,
    };
    let whole = run.recording.image(last).expect("the end of the run");
    let allowed = run.allowed(last.operation);
    // An erase, the parts of a header, the copies, the page that says that the mount ended.
    for operation in 0..10 {
        let mut image = whole.clone();
        for _ in 0..times {
            let run = setup.again(image.clone(), allowed.clone(), 0);
            let id = ImageId {
                operation: operation.min(run.ready),
                variant: 1,
                seed: 0,
            };
            image = run.recording.image(id).unwrap_or(image);
        }
        let mut layer = setup.mount(image).expect("a mount at last");
        let found = setup.found(&mut layer);
        assert!(allowed.iter().any(|state| fits(&found, state)));
    }
}

const SETUPS: [(&str, Setup); 13] = [
    ("plain", SMALL),
    ("behind an ECC", Setup { ecc: true, ..SMALL }),
    (
        "erases in parts",
        Setup {
            erases: EraseMode::Suspends,
            ..SMALL
        },
    ),
    (
        "erases in parts and blocks that fail",
        Setup {
            erases: EraseMode::Suspends,
            ..FAILING
        },
    ),
    (
        "erases that are left running, behind an ECC",
        Setup {
            erases: EraseMode::Runs,
            ecc: true,
            ..SMALL
        },
    ),
    (
        "erases that are left running, with discards",
        Setup {
            erases: EraseMode::Runs,
            discard_every: 4,
            ..SMALL
        },
    ),
    ("blocks that fail", FAILING),
    (
        "blocks bad from the factory",
        Setup {
            geometry: Geometry {
                blocks: 12,
                ..SMALL.geometry
            },
            config: PacedConfig {
                bad_blocks: 2,
                ..SMALL.config
            },
            factory_bad: &[0, 5],
            ..SMALL
        },
    ),
    (
        "discards",
        Setup {
            discard_every: 4,
            ..SMALL
        },
    ),
    (
        "large groups on few pages",
        Setup {
            hot_pages: 10,
            group_pages: 8,
            ..SMALL
        },
    ),
    (
        "discards, large groups and blocks that fail",
        Setup {
            discard_every: 3,
            hot_pages: 8,
            group_pages: 8,
            ..FAILING
        },
    ),
    (
        "moves within the flash, behind an ECC",
        Setup {
            moves: true,
            erases: EraseMode::Runs,
            ecc: true,
            ..SMALL
        },
    ),
    (
        "moves within the flash and blocks that fail",
        Setup {
            moves: true,
            ..FAILING
        },
    ),
];

const FAILING: Setup = Setup {
    geometry: Geometry {
        blocks: 14,
        ..SMALL.geometry
    },
    config: PacedConfig {
        bad_blocks: 4,
        ..SMALL.config
    },
    failures: 3,
    ..SMALL
};

#[test]
fn every_cut_leaves_what_returned_and_groups_whole() {
    let mut total = (0, 0);
    for (seed, (name, setup)) in (0..).zip(SETUPS) {
        println!("{name}");
        let (images, second) = look(&setup, 100, 97, seed);
        total = (total.0 + images, total.1 + second);
        println!("{total:?}");
    }
    assert!(total.0 > 1000, "{total:?}");
}

#[test]
fn mounts_that_are_cut_again_and_again_end_at_last() {
    mounts_are_cut(&MANY, 20);
}

/// More free blocks than a mount looks at in one go.
const MANY: Setup = Setup {
    geometry: Geometry {
        blocks: 24,
        ..SMALL.geometry
    },
    ..SMALL
};

/// Whether cuts of a setup notice that a rule is left out.
pub(crate) fn cuts_notice(rule: PacedRule, by: &str) -> bool {
    let of = |setup: &Setup| Setup {
        rules: PacedRules::without(rule),
        ..*setup
    };
    let work = || {
        if let Some((_, setup)) = CHAINS.iter().find(|(name, _)| *name == by) {
            chains(&of(setup), 100);
            // Where a group is moved that has not ended.
            chains_from(&of(setup), 340, 20);
        } else if let Some(seed) = SETUPS.iter().position(|(name, _)| *name == by) {
            look(&of(&SETUPS[seed].1), 100, 97, seed as u64);
        } else {
            mounts_are_cut(&of(&MANY), 20);
        }
    };
    let names = CHAINS.iter().chain(&SETUPS).map(|(name, _)| *name);
    assert!(names.chain(["mounts"]).any(|name| name == by), "{by}");
    std::panic::catch_unwind(work).is_err()
}
