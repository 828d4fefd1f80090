use std::collections::BTreeMap;

use wordline_catalog::Catalog;
use wordline_engines::{FILE_SYSTEMS, FileSystemEngine, named};

use super::*;

fn engine(name: &str) -> &'static dyn FileSystemEngine {
    named(FILE_SYSTEMS, name).expect("it is in the list")
}

/// What was put off is done within the workload: littlefs erases a block of its directory, a layer cleans.
#[test]
fn what_was_put_off_falls_within_the_workload() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let mut kinds = vec![
        ("littlefs", "mt25ql128"),
        ("littlefs", "mt29f1g01"),
        ("rtfs", "mt29f1g01"),
    ];
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
        let volume = || {
            let subject = flash_subject(&engine);
            let sizes = (geometry.capacity_bytes(), geometry.page_bytes);
            CrashVolume::new(&engine, subject, 0, sizes)
        };
        let worn = volume();
        let calls = worn.calls.clone();
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
            let verdict = run.check(&worn.subject, &calls);
            assert_eq!(verdict.failures, 0, "{part}: {verdict:?}");
            verdict.operations
        };
        let due = worn.due(&harness).expect("it runs");
        // Without the preparations: on a file system that was just made.
        let mut blank = volume().subject;
        blank.prepare = Box::new(|fs, _| Ok(fs.create_dir("/old")?));
        let made = Harness {
            mode: Mode::Sample(0),
            ..harness.clone()
        };
        let blank = made.check(&blank, &calls).operations;
        let worn = operations(due);
        assert!(worn > blank, "{part}, {kind}: {worn} against {blank}");
    }
}
