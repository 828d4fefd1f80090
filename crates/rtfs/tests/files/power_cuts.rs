//! Power cuts of files: at every operation of recorded runs, torn in every way, the files are what they were before the
//! call that was cut or after it, and each page is in use once or free.

use wordline_core::draw::{Purpose, draw};
use wordline_crash::{
    EccStrength, FlashContent, FlashImage, FlashTearing, Mode, Recorder, Recording,
};
use wordline_memory::{EraseMode, Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{
    PacedConfig, PacedFiles, PacedLayer, PacedOpen, PacedRule, PacedRules, PacedSetupError,
};

use super::model::Calls;
use super::tree::{Call, Ending, Tree, audit, content, found, perform};
use crate::rules::{COLUMNS, Failing, fresh};

/// Files that are cut.
#[derive(Clone, Copy, Debug)]
struct Setup {
    geometry: Geometry,
    config: PacedConfig,
    ecc: bool,
    erases: EraseMode,
    /// Programs and erases that fail in a run.
    failures: u32,
    calls: Calls,
    rules: PacedRules,
    /// Whether a write may be cut between its pages: where it crosses from one page of pointers to the next.
    parts: bool,
}

const SMALL: Setup = Setup {
    geometry: Geometry {
        page_bytes: 128,
        spare_bytes: 16,
        pages_per_block: 22,
        blocks: 20,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    },
    config: PacedConfig {
        logical_pages: 90,
        bad_blocks: 0,
        log_entries: 20,
    },
    ecc: false,
    erases: EraseMode::Awaited,
    failures: 0,
    calls: Calls {
        seed: 1,
        names: 4,
        name_bytes: 12,
        write_bytes: 200,
        file_bytes: 1200,
        remove_every: 1,
        fronts: false,
    },
    parts: false,
    rules: PacedRules::ALL,
};

const SETUPS: [(&str, Setup); 4] = [
    ("plain", SMALL),
    (
        "behind an ECC, many names, erases that stand still",
        Setup {
            erases: EraseMode::Suspends,
            ecc: true,
            calls: Calls {
                names: 40,
                name_bytes: 30,
                write_bytes: 40,
                file_bytes: 100,
                remove_every: 2,
                ..SMALL.calls
            },
            ..SMALL
        },
    ),
    (
        "logs that lose their front",
        Setup {
            geometry: Geometry {
                blocks: 24,
                ..SMALL.geometry
            },
            config: PacedConfig {
                logical_pages: 125,
                ..SMALL.config
            },
            calls: Calls {
                names: 2,
                write_bytes: 600,
                file_bytes: 6000,
                fronts: true,
                ..SMALL.calls
            },
            parts: true,
            ..SMALL
        },
    ),
    (
        "blocks that fail, erases that run on",
        Setup {
            erases: EraseMode::Runs,
            geometry: Geometry {
                blocks: 24,
                ..SMALL.geometry
            },
            config: PacedConfig {
                bad_blocks: 4,
                ..SMALL.config
            },
            failures: 3,
            ..SMALL
        },
    ),
];

type Files<F> = PacedFiles<F, Vec<u8>>;

/// A recorded run.
struct Run {
    recording: Recording<FlashTearing>,
    /// Operations before the first call, and what may be found there.
    ready: usize,
    start: Vec<Tree>,
    /// Of each call: operations after it, what may be found while it runs, and what is there then.
    calls: Vec<(usize, Call, Vec<Tree>, Tree)>,
}

impl Run {
    fn allowed(&self, operation: usize) -> Vec<Tree> {
        if operation < self.ready {
            return self.start.clone();
        }
        for (after, _, within, _) in &self.calls {
            if operation < *after {
                return within.clone();
            }
        }
        match self.calls.last() {
            Some((.., tree)) => vec![tree.clone()],
            None => self.start.clone(),
        }
    }

    fn call(&self, operation: usize) -> Option<&Call> {
        let call = self.calls.iter().find(|(after, ..)| operation < *after);
        call.map(|(_, call, ..)| call)
    }
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

    fn memory(&self) -> Vec<u8> {
        let bound = self.config.bound(&self.geometry).expect("it suits");
        vec![0; bound.ram_bytes]
    }

    fn mount<F>(&self, flash: F) -> Result<Files<F>, PacedSetupError<NvmError>>
    where
        F: Flash<Error = NvmError>,
    {
        let layer = PacedLayer::mount_with(flash, COLUMNS, self.config, self.memory(), self.rules)?;
        PacedFiles::on_layer(layer)
    }

    fn first(&self, calls: u64) -> Run {
        let content = FlashContent::erased(self.geometry);
        let flash = fresh(content.clone()).with_erases(self.erases);
        let recorder = Recorder::new(flash, content, self.tearing());
        let flash = Failing::new(recorder, self.failures, 41);
        let files = PacedFiles::format(flash, COLUMNS, self.config, 9, self.memory());
        self.go_on(files.expect("a format"), vec![Tree::new()], 0..calls)
    }

    fn again(&self, image: FlashImage, start: Vec<Tree>, calls: std::ops::Range<u64>) -> Run {
        let image = image.with_erases(self.erases);
        let flash = Failing::new(image.record(self.tearing()), 0, 1);
        let files = self.mount(flash).expect("a mount");
        self.go_on(files, start, calls)
    }

    fn go_on(
        &self,
        mut files: Files<Failing<Recorder<FlashImage, FlashTearing>>>,
        start: Vec<Tree>,
        numbers: std::ops::Range<u64>,
    ) -> Run {
        let operations = |files: &Files<Failing<Recorder<FlashImage, FlashTearing>>>| {
            files.layer().flash().flash.operations()
        };
        let ready = operations(&files);
        let mut tree = found(&mut files);
        assert!(start.contains(&tree), "a mount finds what was there");
        let page = u64::from(self.geometry.page_bytes);
        let mut calls = Vec::new();
        for number in numbers {
            let call = self.calls.call(&tree, number);
            let mut next = tree.clone();
            let mut within = vec![tree.clone()];
            let before = match &call {
                Call::DiscardFront(path, _) => content(&mut files, path).ok(),
                _ => None,
            };
            let ending = Ending::of(&perform(&mut files, &call));
            let is_paged = match &call {
                Call::DiscardFront(path, _) => before != content(&mut files, path).ok(),
                _ => false,
            };
            let expected = next.apply(&call, page, is_paged);
            if ending == Ending::NoSpace {
                next = found(&mut files);
            } else {
                assert_eq!(ending, expected, "call {number}: {call:?}");
            }
            if self.parts
                && let Call::Write(path, at, data) = self.as_write(&tree, &call)
            {
                // Whole pages of a write, from its start.
                let first = (page - at % page) as usize;
                for end in (first..data.len()).step_by(page as usize) {
                    let mut part = tree.clone();
                    let call = Call::Write(path.clone(), at, data[..end].to_vec());
                    if part.apply(&call, page, false) == Ending::Done {
                        within.push(part);
                    }
                }
            }
            within.push(next.clone());
            tree = next;
            calls.push((operations(&files), call, within, tree.clone()));
        }
        assert_eq!(found(&mut files), tree, "without a cut");
        audit(&mut files);
        let (_, recording) = files.into_layer().into_flash().flash.finish();
        Run {
            recording,
            ready,
            start,
            calls,
        }
    }

    /// An append as the write that it is.
    fn as_write(&self, tree: &Tree, call: &Call) -> Call {
        match call {
            Call::Append(path, data) => {
                let bytes = tree.nodes.get(path).cloned().flatten();
                let at = bytes.map_or(0, |bytes| bytes.len() as u64);
                Call::Write(path.clone(), at, data.clone())
            }
            other => other.clone(),
        }
    }

    fn look_at(&self, run: &Run, image: FlashImage, audits: bool) {
        let id = image.id();
        let mut files = match self.mount(image) {
            Ok(files) => files,
            Err(PacedSetupError::NoFiles | PacedSetupError::NotFormatted)
                if id.operation < run.ready && run.start == [Tree::new()] =>
            {
                return;
            }
            Err(error) => panic!("image {id}: {error}, in {:?}", run.call(id.operation)),
        };
        let tree = found(&mut files);
        let allowed = run.allowed(id.operation);
        assert!(
            allowed.contains(&tree),
            "image {id}, in {:?}: found {tree:?}\nallowed {allowed:?}",
            run.call(id.operation)
        );
        if audits {
            audit(&mut files);
        }
    }
}

/// Cuts a run everywhere; one image in so many goes on, and is cut again.
fn look(setup: &Setup, calls: u64, again_every: u64) -> (u64, u64) {
    let run = setup.first(calls);
    let (mut images, mut second) = (0, 0);
    for (number, image) in (0u64..).zip(run.recording.images(Mode::Exhaustive, 1)) {
        images += 1;
        let id = image.id();
        setup.look_at(&run, image.clone(), number.is_multiple_of(5));
        if id.operation >= run.ready && number.is_multiple_of(again_every) {
            let from = 1000 + 10 * number;
            let allowed = run.allowed(id.operation);
            let next = setup.again(image, allowed, from..from + 6);
            for (number, image) in (0u64..).zip(next.recording.images(Mode::Linear, number)) {
                second += 1;
                setup.look_at(&next, image, number.is_multiple_of(5));
            }
        }
    }
    (images, second)
}

/// Cuts at chains of places, with some calls between them.
fn chain(setup: &Setup, seed: u64, cuts: u64) {
    let mut run = setup.first(40);
    let mut mounted = false;
    for cut in 0..cuts {
        let random = |number| draw(seed, cut, number, Purpose::Tear);
        let all = run.recording.operations().len() as u64;
        let id = wordline_crash::ImageId {
            operation: (random(0) % (all + 1)) as usize,
            variant: random(1) % 24,
            seed: cut,
        };
        let Some(image) = run.recording.image(id) else {
            continue;
        };
        if !mounted && id.operation < run.ready {
            // The format must be begun again.
            continue;
        }
        mounted = true;
        setup.look_at(&run, image.clone(), true);
        let from = 100_000 * (seed + 1) + 100 * cut;
        run = setup.again(image, run.allowed(id.operation), from..from + 15);
    }
}

#[test]
fn every_cut_of_files_leaves_what_was_before_the_call_or_after_it() {
    let (images, again) = cut_everywhere(PacedRules::ALL, 10_000);
    assert!(images > 10_000 && again > 500, "{images}, {again}");
}

/// As many images as `WORDLINE_IMAGES` says, or a million.
#[test]
#[ignore = "minutes; `make nightly` runs it"]
fn a_million_cuts_of_files_leave_what_was_before_the_call_or_after_it() {
    let asked = std::env::var("WORDLINE_IMAGES");
    let asked = asked.map_or(1_000_000, |images| images.parse().expect("a number"));
    let (images, again) = cut_everywhere(PacedRules::ALL, asked);
    println!("{images} images, and {again} of runs that went on after one");
}

/// Cuts runs of all setups, by one seed after another, until there were so many images.
fn cut_everywhere(rules: PacedRules, asked: u64) -> (u64, u64) {
    let mut total = (0, 0);
    for seed in 1.. {
        for (_, mut setup) in SETUPS {
            setup.rules = rules;
            setup.calls.seed = seed;
            let (images, second) = look(&setup, 60, 211);
            total = (total.0 + images, total.1 + second);
        }
        if total.0 >= asked {
            break;
        }
    }
    total
}

#[test]
fn parts_of_several_files_become_valid_together() {
    let setup = SMALL;
    let content = FlashContent::erased(setup.geometry);
    let recorder = Recorder::new(fresh(content.clone()), content, setup.tearing());
    let mut files =
        PacedFiles::format(recorder, COLUMNS, setup.config, 9, setup.memory()).expect("a format");
    let mut handles = ["/a", "/b"].map(|path| {
        let mut file = files.open(path, PacedOpen::CREATE).expect("a file");
        files.write(&mut file, 0, &[0; 700]).expect("a write");
        file
    });
    let mut calls = Vec::new();
    for value in 1..40u8 {
        let data = [value; 260];
        let [a, b] = &mut handles;
        let mut together = files.together();
        together.part(a, 60, &data).expect("a part");
        together.part(b, 440, &data).expect("another");
        together.write().expect("both");
        calls.push(files.layer().flash().operations());
    }
    let (_, recording) = files.into_layer().into_flash().finish();
    for image in recording.images(Mode::Exhaustive, 1) {
        let operation = image.id().operation;
        if operation < calls[0] {
            continue;
        }
        let done = calls.iter().filter(|after| **after <= operation).count() as u8;
        let mut files = setup.mount(image).expect("a mount");
        let [a, b] =
            ["/a", "/b"].map(|path| super::tree::content(&mut files, path).expect("a file"));
        let values = [&a[60..320], &b[440..700]].concat();
        assert!(
            values.iter().all(|value| *value == values[0]),
            "one is older than the other"
        );
        assert!(
            (done..=done + 1).contains(&values[0]),
            "{done} calls returned"
        );
    }
}

#[test]
fn chains_of_cuts_of_files_leave_what_returned() {
    for (name, setup) in SETUPS {
        println!("{name}");
        for seed in 0..10 {
            chain(&setup, seed, 12);
        }
    }
}

/// Whether cuts of files notice that a rule of the layer is left out.
pub(crate) fn cuts_of_files_notice(rule: PacedRule) -> bool {
    let work = || {
        let rules = PacedRules::without(rule);
        cut_everywhere(rules, 10_000);
        for (_, mut setup) in SETUPS {
            setup.rules = rules;
            (0..10).for_each(|seed| chain(&setup, seed, 12));
        }
    };
    std::panic::catch_unwind(work).is_err()
}
