use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_engines::{FILE_SYSTEMS, FileSystemEngine, named};

use super::*;

fn engine(name: &str) -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, name).expect("it is in the list")
}

/// A driver that answers some reads with the sector beside.
struct Beside<'a>(CrashVolume<'a, ByteTearing>);

impl Subject for Beside<'_> {
    type Medium = ByteTearing;
    type Store = OpenedImage<ByteTearing>;
    type Call = FileCall;
    type State = Files;

    fn prepare(&self, memory: Recorded<ByteTearing>) -> Outcome<()> {
        self.0.prepare(memory)
    }

    fn open(&self, memory: Recorded<ByteTearing>) -> Outcome<Self::Store> {
        self.0.open(memory)
    }

    fn apply(&self, fs: &mut Self::Store, call: &FileCall) -> Outcome<()> {
        self.0.apply(fs, call)
    }

    fn read(&self, fs: &mut Self::Store) -> Outcome<Files> {
        let mut files = self.0.read(fs)?;
        if let Some(data) = files.get_mut("/data").filter(|data| data.len() >= 1024) {
            let (first, second) = data.split_at_mut(512);
            first.swap_with_slice(&mut second[..512]);
        }
        Ok(files)
    }

    fn next(&self, files: &Files, call: &FileCall) -> Files {
        self.0.next(files, call)
    }
}

#[test]
fn two_sectors_in_each_others_place_are_found_out() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let target = catalog.part_on_board("em064lx").expect("it is embedded");
    let engine = FileSystemSetup::new(engine("littlefs"), &target, &BTreeMap::new(), None)
        .expect("built in");
    let control = Control::default();
    let volume = || CrashVolume::new(&engine, &control, 5, BYTES);
    let harness = Harness {
        mode: Mode::Sample(10),
        again: None,
        ..Harness::new(Content::zeros(BYTES, 1), ByteTearing::contract())
    };
    let verdict = harness.check(&volume(), &workload());
    assert_eq!(verdict.failures, 0, "{verdict:?}");
    let found = harness.check(&Beside(volume()), &workload());
    assert_ne!(found.failures, 0);
}

/// The same without what comes before the workload.
struct Blank<'a>(CrashVolume<'a, FlashTearing>);

impl Subject for Blank<'_> {
    type Medium = FlashTearing;
    type Store = OpenedImage<FlashTearing>;
    type Call = FileCall;
    type State = Files;

    fn prepare(&self, memory: Recorded<FlashTearing>) -> Outcome<()> {
        FlashTearing::format(self.0.engine, memory.clone())?;
        let mut store = self.open(memory)?;
        Ok(store.mounted.engine.create_dir("/old")?)
    }

    fn open(&self, memory: Recorded<FlashTearing>) -> Outcome<Self::Store> {
        self.0.open(memory)
    }

    fn apply(&self, store: &mut Self::Store, call: &FileCall) -> Outcome<()> {
        self.0.apply(store, call)
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<Files> {
        self.0.read(store)
    }

    fn next(&self, files: &Files, call: &FileCall) -> Files {
        self.0.next(files, call)
    }
}

/// What was put off is done within the workload: littlefs erases a block of its directory, a layer cleans.
#[test]
fn what_was_put_off_falls_within_the_workload() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let mut kinds = vec![("littlefs", "mt25ql128"), ("littlefs", "mt29f1g01")];
    if cfg!(feature = "fat") {
        kinds.push(("fat", "mt29f1g01"));
    }
    for (kind, part) in kinds {
        let target = catalog.part_on_board(part).expect("it is embedded");
        let engine =
            FileSystemSetup::new(engine(kind), &target, &BTreeMap::new(), None).expect("built in");
        let engine = engine.eager();
        let conditions = wordline_nvm::Conditions {
            timing: wordline_core::Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let Memory::Flash(flash) = engine.memory(conditions).expect("a chip on its board") else {
            panic!("it is flash");
        };
        let geometry = Geometry {
            blocks: BLOCKS,
            ..flash.geometry()
        };
        let control = Control::default();
        let volume = CrashVolume::new(&engine, &control, 0, geometry.capacity_bytes());
        let harness = Harness {
            again: None,
            accesses: ACCESSES,
            ..Harness::new(FlashContent::erased(geometry), FlashTearing::raw())
        };
        let operations = |start| {
            let run = Harness {
                mode: Mode::Sample(0),
                start,
                ..harness.clone()
            };
            let verdict = run.check(&volume, &workload());
            assert_eq!(verdict.failures, 0, "{part}: {verdict:?}");
            verdict.operations
        };
        let due = volume.due(&harness).expect("it runs");
        // Without the preparations: on a file system that was just made.
        let blank = CrashVolume::new(&engine, &control, 0, geometry.capacity_bytes());
        let made = Harness {
            mode: Mode::Sample(0),
            ..harness.clone()
        };
        let blank = made.check(&Blank(blank), &workload()).operations;
        let worn = operations(due);
        assert!(worn > blank, "{part}, {kind}: {worn} against {blank}");
    }
}
