//! All verdicts, held to what must be, and published. `UPDATE_EVIDENCE=1` writes the page again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use wordline_crash::harness::{Failure, Harness, Verdict};

use crate::crash::broken::{FAULTS, Fault};
use crate::crash::fat;
use crate::crash::flat;
use crate::crash::littlefs::{
    check, neighbouring_page, on_bytes, on_ecc_nand, on_mram, on_nand, on_nor, on_worn_nand,
};
use crate::crash::rtfs;
use crate::crash::workload::workload;

/// The verdicts of one file system on its memories.
type Rows = Vec<(&'static str, Verdict)>;

/// What littlefs does where block 0 or 1 goes bad, which it cannot replace. Each such call is held to
/// [`FileSubject::unexcused`](wordline_engines::crash::FileSubject::unexcused).
const REFUSED: &str = "a call fails";

fn littlefs() -> Rows {
    let flash = [
        ("NOR, erase blocks of 512 B", on_nor()),
        (
            "NAND, pages of 256 B that take 4 programs, in order",
            on_nand(),
        ),
        ("the same, two blocks bad and two that fail", on_worn_nand()),
    ];
    let mut rows: Rows = flash
        .into_iter()
        .map(|(name, harness)| {
            let (verdict, unexcused) = check(&harness, None);
            assert_eq!(unexcused, [""; 0], "{name}");
            (name, verdict)
        })
        .collect();
    let mram = on_mram().check(&on_bytes(), &workload());
    assert_eq!(mram.failures, 0, "{mram:?}");
    rows.push(("MRAM on a 16-bit bus, ECC words of 8 B", mram));
    rows
}

/// The first failure of a driver that is not a refusal.
fn caught(fault: Fault) -> Option<Failure> {
    let harness = Harness {
        again: None,
        ..on_nor()
    };
    let (verdict, _) = check(&harness, Some(fault));
    let examples = verdict.examples.into_iter();
    examples
        .filter(|(kind, _)| kind != REFUSED)
        .map(|(_, failure)| failure)
        .min_by(|one, other| one.case.cmp(&other.case))
}

/// The verdicts of rtfs, which promises the same behind an ECC that is asked once.
fn rtfs() -> Rows {
    let flash = [
        (
            "NAND, pages of 256 B programmed once, in order",
            rtfs::on_nand(),
        ),
        (
            "the same, two blocks bad and two that fail",
            rtfs::on_worn_nand(),
        ),
        (
            "NAND with ECC, pages of 256 B programmed once",
            rtfs::on_ecc_nand(),
        ),
    ];
    let verdict = |(name, harness): (_, Harness<_>)| {
        let (verdict, unexcused) = rtfs::check(&harness, None);
        assert_eq!(unexcused, [""; 0], "{name}");
        assert_eq!(verdict.failures, 0, "{name}: {verdict:?}");
        assert!(verdict.images > 2_000, "{name}: {verdict:?}");
        assert!(verdict.images_again > 1_000, "{name}: {verdict:?}");
        (name, verdict)
    };
    flash.map(verdict).into()
}

/// The verdicts of flat, whose overwrites may be torn between atoms.
fn flat() -> Rows {
    let bytes = [
        ("MRAM on a 16-bit bus, atom 2 B", flat::on_mram()),
        (
            "any order until a persist, atom 1 B, drawn",
            flat::in_any_order(1),
        ),
        (
            "any order until a persist, atom 8 B, drawn",
            flat::in_any_order(8),
        ),
    ];
    let verdict = |(name, (verdict, unexcused)): (_, (Verdict, Vec<String>))| {
        assert_eq!(unexcused, [""; 0], "{name}");
        assert_eq!(verdict.failures, 0, "{name}: {verdict:?}");
        assert!(verdict.images > 2_000, "{name}: {verdict:?}");
        assert!(verdict.images_again > 1_000, "{name}: {verdict:?}");
        (name, verdict)
    };
    bytes.map(verdict).into()
}

#[test]
fn littlefs_rtfs_and_flat_lose_nothing_and_fat_does_and_broken_drivers_are_caught() {
    let littlefs = littlefs();
    for (name, verdict) in &littlefs {
        println!(
            "{name}: {} {} {:?}",
            verdict.images, verdict.images_again, verdict.examples
        );
        for (kind, count) in &verdict.kinds {
            assert_eq!(kind, REFUSED, "{name}: {verdict:?}");
            assert!(
                count * 100 < verdict.images + verdict.images_again,
                "{name}: {verdict:?}"
            );
        }
        assert!(verdict.images > 2_000, "{name}: {verdict:?}");
        assert!(verdict.images_again > 1_000, "{name}: {verdict:?}");
    }
    // littlefs reads back what it programs.
    let (hidden, unexcused) = check(&on_worn_nand(), Some(Fault::HidesFailures));
    assert_eq!(unexcused, [""; 0]);
    assert!(
        hidden.kinds.keys().all(|kind| kind == REFUSED),
        "{hidden:?}"
    );
    let worn = &littlefs[2].1;
    assert_ne!(
        worn.distinct, littlefs[1].1.distinct,
        "the bad blocks are met"
    );
    let mut mutants: Vec<_> = FAULTS
        .iter()
        .map(|(fault, words)| {
            let failure = caught(*fault).unwrap_or_else(|| panic!("{words}: not caught"));
            println!("{words}: {} {}", failure.case, failure.violation);
            (*words, failure)
        })
        .collect();
    let neighbour = neighbouring_page().first.expect("caught");
    let found = neighbour.violation.headline();
    assert_eq!(found, "what was synced is lost or changed");
    mutants.push(("the second page of a file is read as its first", neighbour));
    let ecc = vec![(
        "NAND with ECC, pages of 256 B programmed once",
        check(&on_ecc_nand(), None).0,
    )];
    let fat = vec![
        (
            "NOR rewritten sector by sector, cuts between operations",
            fat::between(),
        ),
        ("the same, 4,000 drawn of all images", fat::sampled(4_000)),
    ];
    assert!(
        fat.iter().all(|(_, verdict)| verdict.failures > 0),
        "{fat:?}"
    );
    let rtfs = rtfs();
    let forgets = Harness {
        again: None,
        ..rtfs::on_nand()
    };
    let (forgets, _) = rtfs::check(&forgets, Some(50));
    mutants.push((
        "below rtfs: one program in fifty is forgotten",
        forgets.first.expect("caught"),
    ));
    let mut page = INTRODUCTION.to_owned();
    page += LITTLEFS;
    table(&mut page, &littlefs);
    page += RTFS;
    table(&mut page, &rtfs);
    page += FLAT;
    table(&mut page, &flat());
    page += MUTANTS;
    for (words, failure) in &mutants {
        let found = failure.violation.headline();
        writeln!(page, "| {words} | `{}` | {found} |", failure.case).expect("a String");
    }
    page += ECC;
    table(&mut page, &ecc);
    page += FAT;
    table(&mut page, &fat);
    page += SANITIZED;
    published(&page);
}

fn table(page: &mut String, rows: &Rows) {
    *page += "\n| memory | images | within the mount and calls after it | distinct | failures |\n|---|--:|--:|--:|---|\n";
    for (memory, verdict) in rows {
        let kinds = verdict
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} × {kind}"));
        let kinds: Vec<_> = kinds.collect();
        let failures = if kinds.is_empty() {
            "none".to_owned()
        } else {
            kinds.join("; ")
        };
        let (images, again, distinct) = (verdict.images, verdict.images_again, verdict.distinct);
        writeln!(
            page,
            "| {memory} | {images} | {again} | {distinct} | {failures} |"
        )
        .expect("a String");
    }
}

const INTRODUCTION: &str = "\
# File systems under power cuts

littlefs 2.9 and FAT (rust-fatfs), unmodified, rtfs and flat under the [crash harness](../concepts/crash-images.md#the-harness):
one workload of 39 calls (files made, replaced, appended to in two writes and a sync, overwritten, truncated, renamed and
removed; directories made and removed), recorded once. Each image is mounted, its whole tree is read, and it must be the
tree before or after the call in flight, and nothing else; then a file is made and written, and everything is read
again. The mounts of some images, and these calls after them, are cut in turn and held to the same. `UPDATE_EVIDENCE=1
cargo test -p wordline-engines --features fat,littlefs --test all crash::` writes this page again; without the variable the
test fails where the page is stale. It is part of `make test`.

What a cut does is all that the contract of a flash memory allows: programs that stop at a byte or leave some bits,
which may read differently from read to read; erases that stop half-way, or leave a block that looks erased and is weak
or goes bad.
";

const LITTLEFS: &str = "
## littlefs

Nothing that was synced is lost, and every call is done or not. *A call fails*: block 0 or 1 went bad by the cut, which
littlefs does not replace. Each of these calls is looked at: it says that there is no room, one of the two blocks takes
no erase any more, and another mount finds the tree before or after the call.
";

const RTFS: &str = "
## rtfs

A write lasts when it returns, and so does every other call; each is done or not. So the same workload runs in calls of one
change each: a file that is replaced is cut to nothing, and then written in calls of at most 512 B, two pages. The file
system wrote each block before, so that it moves pages and erases within the workload. Nothing fails, in no image: no block
is fixed (block 0 is a bad one in the second row), and a page that the ECC corrects by chance is written anew by the mount.
";

const FLAT: &str = "
## flat

Bytes within a file's length are overwritten in place: of a write that was cut, each atom of the memory is old or new, and the check
accepts that of a file whose length did not change. Everything else is as strict as for the others: what a write appends
is there as a whole or not at all, and names, lengths and removals are old or new. A file that is replaced is cut to nothing, and
then written. `crates/flat/src/power_cuts.rs` has more memories, counts units and slots in every image, and leaves out each of
its rules in turn.
";

const MUTANTS: &str = "
## Broken drivers

The same check, and a driver that breaks one promise. Each is caught; those below littlefs where nothing else is
said. A driver that does not report blocks that fail is harmless there: littlefs reads back what it programs.

| what the driver does | first case of a kind | what is found |
|---|---|---|
";

const ECC: &str = "
## littlefs behind an ECC that is asked once

On a memory whose ECC corrects a torn page in one read and gives up in another, and which refuses a second program of a
page that looks erased, littlefs takes a torn commit for a whole one, or for an erased page, and goes on behind it. What
is synced after the mount can then be lost, or the call fails. A torn page would have to be left before it is built
upon; littlefs does so only where the page reads as damaged at once. Chips with an ECC on the die are of this kind where
a program is cut at the wrong moment: how often that happens is not said by any data sheet, and the images do not weigh
it.
";

const FAT: &str = "
## FAT

It promises nothing here. A sector that is rewritten in place is erased first, so that a cut takes its old bytes with
it; where that sector is part of the table or of a directory, files are lost that no call had touched. Where the volume
cannot be opened, it is the boot sector: rust-fatfs 0.3.6 keeps a mark in it that the volume is in use (byte 37, or 65
on FAT32), and so rewrites it at the first change after each mount. FatFs has no such mark and never writes the boot
sector of a mounted volume: with it these failures have no cause.
";

const SANITIZED: &str = "
## Under the sanitizers

`scripts/sanitize`, part of `make nightly`, runs all of this and the other tests of the file systems (calls drawn at
random beside a model, a memory that fails at any access, damaged volumes) with littlefs's C under GCC's address and
undefined-behaviour sanitizers, and ends where either finds anything. It checks that the C was compiled with both.
";

fn published(page: &str) {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence/fs-power-cuts.md");
    if env::var_os("UPDATE_EVIDENCE").is_some() {
        fs::write(&file, page).expect("the docs folder is writable");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == page,
        "docs/evidence/fs-power-cuts.md is stale; run: UPDATE_EVIDENCE=1 cargo test -p wordline-engines \
         --features fat,littlefs --test all crash::"
    );
}
