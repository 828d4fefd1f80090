//! What was promised holds after every cut. The nightly run is published; `UPDATE_EVIDENCE=1` writes the page again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::{env, fs, thread};

use super::check::{Depth, Looked, look};
use super::mutants;
use super::setups::SETUPS;
use wordline_nvm::ftl::{Barrier, Barriers};

/// Runs of the nightly, each with its seed.
const SEEDS: u64 = 2;

/// What every test run looks at.
const QUICK: Depth = Depth {
    calls: 120,
    again_every: 401,
    calls_again: 12,
    second_every: 7,
    mounts: 12,
};

/// What the nightly looks at.
const DEEP: Depth = Depth {
    calls: 160,
    again_every: 307,
    calls_again: 16,
    second_every: 5,
    mounts: 30,
};

/// Looks at every setup, two at a time.
fn looked(depth: Depth, seeds: u64) -> Vec<Looked> {
    let runs = (1..=seeds).flat_map(|seed| (0..SETUPS.len()).map(move |setup| (setup, seed)));
    let runs = Mutex::new(runs);
    let results = Mutex::new(vec![Looked::default(); SETUPS.len()]);
    let next = || runs.lock().expect("no panic").next();
    let work = || {
        while let Some((number, seed)) = next() {
            let setup = &SETUPS[number];
            let mut looked = Looked::default();
            let result = look(setup, Barriers::ALL, depth, seed, &mut looked);
            assert_eq!(result, Ok(()), "{}, seed {seed}", setup.name);
            results.lock().expect("no panic")[number].add(looked);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    results.into_inner().expect("no panic")
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence/ftl-power-cuts.md")
}

const COMMAND: &str =
    "UPDATE_EVIDENCE=1 cargo test --release -p wordline-crash --test ftl power_cuts -- --ignored";

#[test]
fn every_cut_leaves_what_was_promised() {
    let images: usize = looked(QUICK, 1).iter().map(|of| of.images.len()).sum();
    assert!(images >= 100_000, "{images} images");
}

#[test]
fn a_layer_that_forgets_a_barrier_is_caught() {
    let rows = mutants::rows();
    assert_eq!(rows.lines().count(), Barrier::ALL.len());
}

#[test]
#[ignore = "minutes: part of `make nightly`"]
fn more_cuts_are_published() {
    let found = write(&looked(DEEP, SEEDS));
    if env::var_os("UPDATE_EVIDENCE").is_some() {
        fs::write(page(), &found).expect("the docs folder is writable");
    }
    let published = fs::read_to_string(page()).unwrap_or_default();
    assert!(found == published, "the page is stale; run: {COMMAND}");
}

const INTRODUCTION: &str = "\
# Power cuts of the translation layer

`crates/crash/tests/ftl/power_cuts/` records random calls (writes, flushes, trims, reads, idle time) on small flash memories. It
derives what a power cut can leave of each operation, bytes and all (`crates/crash/`). That is programs and erases that came to
no end, pages that read well once and not again, lower pages that an upper one took with it, blocks that look erased and are
weak. Each image is mounted twice. Every sector must hold what was flushed, or one of the versions written later; both mounts
must find the same. A sector that was trimmed with all of its page may hold any version that it had, or zeros.
Of some images the mount and further calls are recorded and cut again, and of these the mounts many times in a row.
";

/// The whole page.
fn write(looked: &[Looked]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let of = |what: fn(&Looked) -> u64| looked.iter().map(what).sum::<u64>();
    let images = of(|looked| looked.images.len() as u64);
    write!(
        page,
        "\n`cargo test` looks at more than 100 000 different images and at every barrier below; `make nightly` at those\n\
         counted here, of {SEEDS} runs of each setup, and fails where this page is stale. To write it again:\n\n```sh\n{COMMAND}\n```\n\n\
         ## Cuts\n\nNo violation in {images} images.\n\n\
         | setup | different images | mounts cut | images of cuts in and after a mount | mounts cut in a row |\n\
         |---|---:|---:|---:|---:|\n"
    )
    .expect("a String");
    for (setup, looked) in SETUPS.iter().zip(looked) {
        writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            setup.name,
            looked.images.len(),
            looked.second_runs,
            looked.second_images,
            looked.cut_mounts
        )
        .expect("a String");
    }
    page += "\n## Barriers\n\nA layer that forgets one thing is caught. Named are the setup, what was found, and the cuts that led there:\n\
         operation.variant@seed of each image.\n\n\
         | barrier | a layer without it | setup | caught |\n|---|---|---|---|\n";
    page += &mutants::rows();
    page
}
