//! Every public dump that is checked in makes the sheet that the catalogue has, or is refused with its reason.
//! `UPDATE_SHEETS=1` writes the sheets again.

mod damage;
mod onfi;
mod plain;

use std::path::{Path, PathBuf};
use std::{env, fs};

use wordline_catalog::import::batch::{BatchItem, DumpOutcome, HashCheck, ImportBatch};
use wordline_catalog::import::{DumpIndex, IndexEntry, dump_bytes};

/// Dumps that make no sheet, and the words of the reasons.
const REFUSED: [(&str, &[&str]); 1] = [(
    "zd25q128c.hex",
    &[
        "found 2 MiB; allowed: 16 MiB, by JEDEC ID EF4018",
        "found 2 MiB; allowed: 16 MiB, by the name ZD25Q128C",
    ],
)];

/// What dumps say against themselves, and the byte of it.
const CONTRADICTIONS: [(&str, usize, &str); 6] = [
    (
        "is25lx256.hex",
        0x4A,
        "fast read 4S-4S-4S is supported, and has no opcode",
    ),
    ("is25wp256.hex", 0x32, "3 address bytes do not reach 32 MiB"),
    (
        "is25wp256-qemu.hex",
        0x32,
        "3 address bytes do not reach 32 MiB",
    ),
    (
        "sk25lp128.hex",
        0x10,
        "the vendor table is not of the part's maker",
    ),
    ("w25q512nwm.hex", 0x21, "a text stands where no table does"),
    (
        "zd25q128c.hex",
        0,
        "the JEDEC ID is not of the part's maker",
    ),
];

/// Second dumps of a part that differ from the first, and a figure in which they do.
const DIFFERENT: [(&str, &str); 2] = [
    ("mx25r6435f-bfpt-2.hex", "nor.suspend.erase_progress.typ"),
    ("mx25uw6345g-bfpt.hex", "nor.page_program.max"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn folder() -> PathBuf {
    root().join("tests/data/sfdp")
}

fn index_text() -> String {
    fs::read_to_string(folder().join("INDEX.tsv")).expect("it is checked in")
}

fn index() -> Vec<IndexEntry> {
    let mut index: DumpIndex = index_text().parse().expect("a sound index");
    let figures = fs::read_to_string(folder().join("FIGURES.tsv")).expect("it is checked in");
    index.add_figures(&figures).expect("a sound table");
    index.entries
}

fn file(entry: &IndexEntry) -> Vec<u8> {
    fs::read(folder().join(&entry.file)).expect("it is checked in")
}

/// The bytes of each dump, with what the index says of it.
fn dumps() -> Vec<(IndexEntry, Vec<u8>)> {
    let entries = index().into_iter();
    let dumps = entries.map(|entry| {
        let bytes = dump_bytes(&file(&entry)).expect("hex");
        (entry, bytes)
    });
    dumps.collect()
}

/// The sheet of a part as the catalogue has it.
fn sheet_path(part: &str) -> PathBuf {
    root().join(format!("parts/nor/{part}.toml"))
}

fn imported() -> Vec<BatchItem> {
    let mut batch = ImportBatch::default();
    let entries = index();
    entries
        .iter()
        .map(|entry| batch.add(entry, &file(entry)))
        .collect()
}

#[test]
fn every_dump_makes_its_sheet_or_is_refused_with_the_reason() {
    let update = env::var_os("UPDATE_SHEETS").is_some();
    let mut made = 0;
    for item in imported() {
        let refused = REFUSED.iter().find(|(file, _)| *file == item.file);
        match (&item.outcome, refused) {
            (DumpOutcome::Made { part, sheet }, None) => {
                made += 1;
                if update {
                    fs::write(sheet_path(part), sheet).expect("it can be written");
                }
                let kept = fs::read_to_string(sheet_path(part)).unwrap_or_default();
                assert!(
                    kept == *sheet,
                    "{part}: UPDATE_SHEETS=1 writes the sheet again"
                );
            }
            (DumpOutcome::Compared { .. }, None) => {}
            (DumpOutcome::Refused(reasons), Some((file, words))) => {
                let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
                assert_eq!(reasons.len(), words.len(), "{file}: {reasons:?}");
                for (reason, words) in reasons.iter().zip(*words) {
                    assert!(reason.contains(words), "{file}: {reason}");
                }
            }
            (outcome, _) => panic!("{}: {outcome:?}", item.file),
        }
    }
    assert!(made >= 80, "{made} sheets");
}

#[test]
fn what_dumps_say_against_themselves_is_known() {
    let items = imported();
    let found = items.iter().flat_map(|item| {
        let against = item.contradictions.iter();
        against.map(|error| (item.file.as_str(), error.offset, error.fault.as_str()))
    });
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), CONTRADICTIONS.len(), "{found:#?}");
    for (found, known) in found.iter().zip(CONTRADICTIONS) {
        assert_eq!((found.0, found.1), (known.0, known.1));
        assert!(found.2.starts_with(known.2), "{found:?}");
    }
    let different = items.iter().filter(|item| !item.disagreements.is_empty());
    let different: Vec<_> = different.collect();
    assert_eq!(different.len(), DIFFERENT.len(), "{different:#?}");
    for (item, (file, figure)) in different.iter().zip(DIFFERENT) {
        assert_eq!(item.file, file);
        assert!(
            item.disagreements
                .iter()
                .any(|found| found.figure == figure),
            "{item:#?}"
        );
    }
}

#[test]
fn every_stated_hash_is_right_and_no_dump_has_changed() {
    let verified = imported()
        .iter()
        .filter(|item| item.hash == HashCheck::Verified)
        .count();
    let stated = index().iter().filter(|entry| entry.hash.is_some()).count();
    assert_eq!((verified, stated), (51, 51));
    // The column sha256 was taken of all dumps when they were added.
    let text = index_text();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<_> = lines.next().expect("a head").split('\t').collect();
    let column = head
        .iter()
        .position(|name| *name == "sha256")
        .expect("a column");
    let mut batch = ImportBatch::default();
    for (mut entry, line) in index().into_iter().zip(lines) {
        let sha256 = line.split('\t').nth(column).expect("a hash");
        entry.hash = Some(format!("sha256:{sha256}"));
        let item = batch.add(&entry, &file(&entry));
        assert_eq!(item.hash, HashCheck::Verified, "{}", entry.file);
    }
}

#[test]
fn a_dump_with_another_hash_is_refused() {
    let (entry, bytes) = dumps().swap_remove(0);
    for (hash, words) in [
        (
            "md5:00112233445566778899aabbccddeeff",
            "not those of the index: found md5:",
        ),
        ("crc32:00112233", "allowed: sha256: or md5:"),
    ] {
        let entry = IndexEntry {
            hash: Some(hash.to_owned()),
            ..entry.clone()
        };
        let item = ImportBatch::default().add(&entry, &bytes);
        let DumpOutcome::Refused(reasons) = &item.outcome else {
            panic!("{item:?}");
        };
        assert!(reasons[0].to_string().contains(words), "{reasons:?}");
    }
}

#[test]
fn an_index_that_is_none_is_refused_with_its_line() {
    for (text, words) in [
        ("", "line 1: the head names neither file nor part"),
        (
            "maker\tid\n",
            "line 1: the head names neither file nor part",
        ),
        (
            "part\tjedec_id\nx\tef\n",
            "line 2: \"ef\" is not a JEDEC ID",
        ),
        (
            "part\tsupply\nx\t3V\n",
            "line 2: supply has no supply_source",
        ),
        (
            "part\tsupply\tsupply_source\nx\t3V\ts\n",
            "line 2: \"3V\" is not a supply range",
        ),
        (
            "part\tjedec_id\nx\tnot read\n",
            "line 2: \"not\" is not a JEDEC ID",
        ),
        ("part\tjedec_id\nx\t+1+2\n", "line 2: \"+1+2\" is not"),
        (
            "part\n../../evil\n",
            "line 2: part \"../../evil\" is not an id",
        ),
        (
            "part\n/tmp/evil\n",
            "line 2: part \"/tmp/evil\" is not an id",
        ),
        (
            "file\npage.hex\n../page.hex\n",
            "line 3: file \"../page.hex\" lies outside of the folder of dumps; allowed: a path below it",
        ),
        (
            "file\n/etc/page.hex\n",
            "line 2: file \"/etc/page.hex\" lies",
        ),
        (
            "file\nnor/../../page.hex\n",
            "line 2: file \"nor/../../page.hex\" lies",
        ),
        ("part\n..\n", "line 2: part \"..\" is not an id"),
        ("part\na b\n", "line 2: part \"a b\" is not an id"),
        (
            "part\tchip\nx\ty\n",
            "line 1: unknown column \"chip\"; allowed: file, part",
        ),
        (
            "part\tname\tpart\nx\ty\tz\n",
            "line 1: the column part stands twice",
        ),
        ("part\nx\ty\n", "line 2: 2 cells under a head of 1"),
        ("# c\npart\tname\n-\tn\n", "line 3: neither file nor part"),
    ] {
        let fault = text.parse::<DumpIndex>().expect_err(text);
        assert!(fault.contains(words), "{fault}");
    }
    for (text, words) in [
        ("part\tfigure\n", "line 1: the head lacks min"),
        (
            "z\tstandby\t-\t1 uA\t-\ts",
            "line 2: the index has no part \"z\"",
        ),
        (
            "x\tstandby\t-\t-\t-\ts",
            "line 2: standby: none of min, typ and max",
        ),
        (
            "x\tstandby\t-\tone\t-\ts",
            "line 2: standby: \"one\" is not a quantity",
        ),
        ("x\tstandby\t-\t1 uA\t-\t-", "line 2: source is not stated"),
    ] {
        let head = "part\tfigure\tmin\ttyp\tmax\tsource\n";
        let table = match text.contains("figure") {
            true => text.to_owned(),
            false => format!("{head}{text}\n"),
        };
        let mut index: DumpIndex = "part\nx\n".parse().expect("sound");
        let fault = index.add_figures(&table).expect_err(text);
        assert!(fault.contains(words), "{fault}");
    }
    let index: DumpIndex = "\u{FEFF}part\tjedec_id\nx\t-\ny\tC22018 (by part name)\nz\t0xEF4018\n"
        .parse()
        .expect("sound");
    let ids: Vec<_> = index
        .entries
        .iter()
        .map(|entry| entry.claims.jedec_id.is_some())
        .collect();
    assert_eq!(ids, [false, true, true]);
    assert_eq!(index.entries[1].file, "y.hex");
}
