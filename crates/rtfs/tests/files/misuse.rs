//! Wrong names, wrong sizes, handles of what is gone, and pages that hold something else.

use wordline_crash::FlashImage;
use wordline_memory::{Flash, Geometry};
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedConfig, PacedError, PacedFiles, PacedLayer, PacedOpen, PacedSetupError};

use super::tree::{audit, content};
use crate::rules::{COLUMNS, blank};

const GEOMETRY: Geometry = Geometry {
    page_bytes: 256,
    spare_bytes: 16,
    pages_per_block: 32,
    blocks: 32,
    program_bytes: 1,
    programs_per_page: Some(1),
    once_bytes: None,
    in_order: true,
};

const CONFIG: PacedConfig = PacedConfig {
    logical_pages: 300,
    bad_blocks: 1,
    log_entries: 48,
};

type Files = PacedFiles<FlashImage, Vec<u8>>;
type Error = PacedError<NvmError>;

fn memory() -> Vec<u8> {
    let bound = CONFIG.bound(&GEOMETRY).expect("it suits");
    vec![0; bound.ram_bytes]
}

fn files() -> Files {
    PacedFiles::format(blank(GEOMETRY), COLUMNS, CONFIG, 5, memory()).expect("a format")
}

#[test]
fn names_that_cannot_be_are_refused() {
    let mut files = files();
    let most = files.longest_name();
    assert_eq!(most, 100);
    let long = "x".repeat(most + 1);
    for name in [".", "..", "/../b", "/./a", "a\0b", &long] {
        let error = files.open(name, PacedOpen::CREATE).map(|_| ());
        assert_eq!(error, Err(Error::BadName { most }), "{name:?}");
    }
    files
        .open(&long[1..], PacedOpen::CREATE)
        .expect("the longest name");
    for root in ["", "/", "//"] {
        let opened = files.open(root, PacedOpen::CREATE).map(|_| ());
        assert_eq!(opened, Err(Error::IsADirectory));
        assert_eq!(files.make_directory(root), Err(Error::Exists));
        assert_eq!(files.remove(root), Err(Error::NotEmpty));
        assert_eq!(files.rename(root, "/a"), Err(Error::IntoItself));
        assert_eq!(files.rename(&long[1..], root), Err(Error::IsADirectory));
        assert!(files.entry(root).expect("an entry").is_directory);
    }
    // Slashes in a row and at the end change nothing.
    files.make_directory("//a/").expect("a directory");
    assert!(files.entry("a").expect("an entry").is_directory);
}

#[test]
fn handles_of_what_is_gone_are_stale() {
    let mut files = files();
    let mut short = files.open("/short", PacedOpen::CREATE).expect("a file");
    let mut long = files.open("/long", PacedOpen::CREATE).expect("a file");
    files.write(&mut long, 0, &[1; 1000]).expect("a write");
    let mut other = files.open("/long", PacedOpen::READ).expect("a file");
    files.append(&mut other, &[2; 500]).expect("an append");
    assert_eq!(files.length(&mut long), Ok(1500));
    files.rename("/long", "/moved").expect("a rename");
    assert_eq!(
        files.length(&mut long),
        Ok(1500),
        "pages stay where they are"
    );
    files.rename("/short", "/other").expect("a rename");
    assert_eq!(files.length(&mut short), Err(Error::Stale));
    files.remove("/moved").expect("a removal");
    for handle in [&mut long, &mut other] {
        assert_eq!(files.length(handle), Err(Error::Stale));
        assert_eq!(files.read(handle, 0, &mut [0; 8]), Err(Error::Stale));
        assert_eq!(files.write(handle, 0, &[0; 8]), Err(Error::Stale));
    }
    // Its pages may be another file's by now.
    while files.room().more {
        files.work_ahead(true).expect("work");
    }
    let mut next = files.open("/next", PacedOpen::CREATE).expect("a file");
    files.write(&mut next, 0, &[3; 3000]).expect("a write");
    assert_eq!(files.write(&mut long, 0, &[0; 8]), Err(Error::Stale));
    assert_eq!(content(&mut files, "/next"), Ok(vec![3; 3000]));
    audit(&mut files);
}

#[test]
fn a_file_that_is_too_long_changes_nothing() {
    let mut files = files();
    let most = files.longest_file();
    let mut file = files.open("/file", PacedOpen::CREATE).expect("a file");
    let pages = (most / u64::from(GEOMETRY.page_bytes)) as u32;
    let too_long = Err(Error::TooLong { pages });
    assert_eq!(files.write(&mut file, most, &[1]), too_long);
    assert_eq!(files.write(&mut file, u64::MAX, &[1]), too_long);
    assert_eq!(files.truncate(&mut file, most + 1), too_long);
    assert_eq!(files.length(&mut file), Ok(0));
    // A sparse file takes no pages, and reads as zeros.
    let before = files.room().free;
    files.truncate(&mut file, most).expect("an extension");
    assert!(before - files.room().free <= 2);
    files
        .write(&mut file, most - 1, &[7])
        .expect("its last byte");
    let mut tail = [9; 4];
    assert_eq!(files.read(&mut file, most - 3, &mut tail), Ok(3));
    assert_eq!(tail, [0, 0, 7, 9]);
    audit(&mut files);
}

#[test]
fn parts_beyond_what_is_written_change_nothing() {
    let mut files = files();
    let mut short = files.open("/short", PacedOpen::CREATE).expect("a file");
    let mut file = files.open("/file", PacedOpen::CREATE).expect("a file");
    files.write(&mut file, 0, &[1; 5000]).expect("a write");
    files.truncate(&mut file, 9000).expect("an extension");
    let mut try_part = |file: &mut _, at, data: &[u8]| {
        let mut together = files.together();
        together.part(file, at, data)?;
        together.write()
    };
    assert_eq!(try_part(&mut short, 0, &[1]), Err(Error::Unwritten));
    assert_eq!(try_part(&mut file, 9000, &[1]), Err(Error::Unwritten));
    assert_eq!(try_part(&mut file, u64::MAX, &[1]), Err(Error::Unwritten));
    assert_eq!(try_part(&mut file, 5200, &[1]), Err(Error::Unwritten));
    let too_many = Err(Error::TooMany { most: 8 });
    assert_eq!(try_part(&mut file, 255, &[1; 2000]), too_many);
    assert_eq!(try_part(&mut file, 256, &[2; 2048]), Ok(()));
    let mut together = files.together();
    assert_eq!(together.part(&mut file, 0, &[3; 10]), Ok(()));
    assert_eq!(together.part(&mut file, 10, &[3]), too_many);
    assert_eq!(together.part(&mut file, 4000, &[3]), Ok(()));
    assert_eq!(together.write(), Ok(()));
    let bytes = content(&mut files, "/file").expect("a file");
    assert_eq!(
        bytes[..5000].iter().filter(|byte| **byte == 2).count(),
        2048
    );
    assert_eq!(
        (&bytes[..11], bytes[4000]),
        (&[3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1][..], 3)
    );
}

#[test]
fn a_file_that_is_cut_where_its_first_child_begins_forgets_what_was_there() {
    let mut files = files();
    let mut file = files.open("/file", PacedOpen::CREATE).expect("a file");
    // Each length around the pages of the root, cut, and extended with zeros.
    for pages in 95..125u64 {
        files.write(&mut file, 0, &[7; 160 * 256]).expect("a write");
        files.truncate(&mut file, pages * 256).expect("a cut");
        files.truncate(&mut file, 130 * 256).expect("an extension");
        let mut again = files.open("/file", PacedOpen::READ).expect("a file");
        assert_eq!(files.length(&mut again), Ok(130 * 256), "{pages} pages");
        let bytes = content(&mut files, "/file").expect("a file");
        let end = (pages * 256) as usize;
        assert!(bytes[..end].iter().all(|byte| *byte == 7));
        assert!(bytes[end..].iter().all(|byte| *byte == 0));
    }
    audit(&mut files);
}

#[test]
fn a_log_loses_its_front_for_ever() {
    let mut files = files();
    let mut file = files.open("/log", PacedOpen::CREATE).expect("a file");
    let mut bytes = Vec::new();
    for number in 0..4000u64 {
        let record = [number as u8; 300];
        files.append(&mut file, &record).expect("an append");
        bytes.extend_from_slice(&record);
        if bytes.len() > 40_000 {
            let gone = files.discard_front(&mut file, 700).expect("a discard");
            assert_eq!(gone, 512);
            bytes.drain(..gone as usize);
        }
        if number.is_multiple_of(97) {
            // Zeros at the end, where slots were in use before.
            let long = bytes.len() + 5000;
            files
                .truncate(&mut file, long as u64)
                .expect("an extension");
            let mut again = files.open("/log", PacedOpen::READ).expect("a file");
            assert_eq!(files.length(&mut again), Ok(long as u64), "record {number}");
            files
                .truncate(&mut file, bytes.len() as u64)
                .expect("a cut");
            assert_eq!(content(&mut files, "/log"), Ok(bytes.clone()));
        }
    }
    audit(&mut files);
}

#[test]
fn a_full_flash_takes_removals_and_gives_the_room_back() {
    let mut files = files();
    let mut number = 0;
    loop {
        let path = format!("/{number}");
        let done = files
            .open(&path, PacedOpen::CREATE)
            .and_then(|mut file| files.write(&mut file, 0, &[number as u8; 1000]));
        match done {
            Ok(()) => number += 1,
            Err(Error::NoSpace) => break,
            Err(error) => panic!("{error}"),
        }
    }
    audit(&mut files);
    assert!(number > 40, "{number} files");
    for gone in 0..number {
        files.remove(&format!("/{gone}")).expect("a removal");
        let path = format!("/{gone}");
        let mut file = files.open(&path, PacedOpen::CREATE).expect("a file");
        files
            .write(&mut file, 0, &[1; 1000])
            .expect("as much as went");
    }
    audit(&mut files);
}

#[test]
fn many_names_of_one_directory_come_and_go() {
    let mut files = files();
    for number in 0..600 {
        files
            .open(&format!("/{number}"), PacedOpen::CREATE)
            .expect("a file");
    }
    audit(&mut files);
    for number in 0..600 {
        files.remove(&format!("/{number}")).expect("a removal");
    }
    while files.room().more {
        files.work_ahead(true).expect("work");
    }
    // The super page and the root of the directory.
    assert_eq!(files.room().free, 298);
    audit(&mut files);
}

#[test]
fn what_holds_no_files_is_not_mounted() {
    let layer = PacedLayer::format(blank(GEOMETRY), COLUMNS, CONFIG, memory());
    let mut layer = layer.expect("a format");
    let image = layer.flash().clone();
    let mounted = Files::mount(image, COLUMNS, CONFIG, memory()).map(|_| ());
    assert_eq!(mounted, Err(PacedSetupError::NoFiles));
    let mut page = [0; 256];
    (page[0], page[1]) = (1, 2);
    layer.write(0, &page).expect("a write");
    let mounted = Files::mount(layer.into_flash(), COLUMNS, CONFIG, memory()).map(|_| ());
    assert_eq!(mounted, Err(PacedSetupError::FileVersion { found: 2 }));
    let mounted = Files::mount(blank(GEOMETRY), COLUMNS, CONFIG, memory()).map(|_| ());
    assert_eq!(mounted, Err(PacedSetupError::NotFormatted));
}

#[test]
fn pages_that_hold_something_else_are_errors_and_no_panics() {
    let mut files = files();
    files.make_directory("/d").expect("a directory");
    for number in 0..30 {
        let path = format!("/d/{number}");
        let mut file = files.open(&path, PacedOpen::CREATE).expect("a file");
        files
            .write(&mut file, 0, &vec![number as u8; 40 * number])
            .expect("a write");
    }
    let whole = files.into_layer();
    let geometry = whole.flash().geometry();
    let bytes = geometry.page_bytes as usize;
    for page in 0..CONFIG.logical_pages {
        for (seed, damage) in [(1u8, 0xFF), (2, 0x00), (3, 0x5A)] {
            let mut layer = whole.clone();
            let mut main = vec![0; bytes];
            layer.read(page, &mut main).expect("a page");
            let from = 1 + 50 * usize::from(seed - 1);
            for (index, byte) in main[from..].iter_mut().enumerate() {
                *byte ^= damage ^ (index as u8).wrapping_mul(seed);
            }
            layer.write(page, &main).expect("a write");
            let Ok(mut files) = PacedFiles::on_layer(layer) else {
                continue;
            };
            let mut name = [0; 255];
            for path in ["/", "/d"] {
                let Ok(mut directory) = files.open_directory(path) else {
                    continue;
                };
                for _ in 0..100 {
                    match files.next_entry(&mut directory, &mut name) {
                        Ok(Some(_)) => {}
                        Ok(None) | Err(_) => break,
                    }
                }
            }
            for number in 0..30 {
                let path = format!("/d/{number}");
                if let Ok(mut file) = files.open(&path, PacedOpen::READ) {
                    let mut out = [0; 3000];
                    let _ = files.read(&mut file, 0, &mut out);
                    let _ = files.append(&mut file, &[1; 300]);
                    let _ = files.truncate(&mut file, 10);
                }
                let _ = files.rename(&path, &format!("/{number}"));
                let _ = files.remove(&path);
            }
            for _ in 0..50 {
                let _ = files.work_ahead(true);
            }
        }
    }
}

#[test]
fn a_file_cut_to_nothing_in_a_child_and_extended_has_its_new_length() {
    let mut files = files();
    let mut file = files.open("/log", PacedOpen::CREATE).expect("a file");
    files.write(&mut file, 0, &[7; 120 * 256]).expect("a write");
    files.discard_front(&mut file, 114 * 256).expect("front");
    let len = files.length(&mut file).expect("it works");
    files.truncate(&mut file, 0).expect("a cut");
    files.truncate(&mut file, 100).expect("an extension");
    let mut again = files.open("/log", PacedOpen::READ).expect("a file");
    assert_eq!((len, files.length(&mut again)), (6 * 256, Ok(100)));
}

#[test]
fn a_cut_within_the_last_page_at_the_end_of_the_ring_works() {
    let mut files = files();
    let mut file = files.open("/log", PacedOpen::CREATE).expect("a file");
    for page in 0..445 {
        files.append(&mut file, &[page as u8; 256]).expect("append");
        if page > 50 {
            files.discard_front(&mut file, 256).expect("front");
        }
    }
    let len = files.length(&mut file).expect("it works");
    files.truncate(&mut file, len - 10).expect("a cut");
    audit(&mut files);
}

#[test]
fn a_cut_within_the_last_page_takes_no_page() {
    let mut files = files();
    let mut file = files.open("/log", PacedOpen::CREATE).expect("a file");
    files.write(&mut file, 0, &[7; 109 * 256]).expect("a write");
    let before = files.room();
    files.truncate(&mut file, 109 * 256 - 10).expect("a cut");
    assert_eq!(before, files.room());
}

#[test]
fn work_ahead_without_erases_erases_nothing() {
    let mut files = files();
    let mut most = 0;
    for round in 0..200u32 {
        let path = format!("/f{}", round % 5);
        let mut file = files.open(&path, PacedOpen::CREATE).expect("a file");
        files
            .write(&mut file, 0, &vec![7; 256 * (20 + round as usize % 17)])
            .expect("a write");
        files.remove(&path).expect("removed");
        loop {
            let before = files.layer().work().erased;
            let more = files.work_ahead(false).expect("work");
            most = most.max(files.layer().work().erased - before);
            if !more {
                break;
            }
        }
    }
    assert_eq!(most, 0);
}

#[test]
fn a_file_replaced_while_pages_become_free_is_freed_as_well() {
    let mut files = files();
    files.make_directory("/d").expect("d");
    let paged = |files: &mut Files, path: &str, bytes: usize| {
        let mut file = files.open(path, PacedOpen::CREATE).expect("a file");
        files.write(&mut file, 0, &vec![7; bytes]).expect("a write");
    };
    paged(&mut files, "/T", 1000);
    for c in ["x", "y"] {
        files
            .open(&c.repeat(79), PacedOpen::CREATE)
            .expect("filler");
    }
    paged(&mut files, "/d/S", 32);
    paged(&mut files, "/d/e0", 1000);
    let mut e0 = files.open("/d/e0", PacedOpen::REPLACE).expect("e0");
    assert_eq!(files.length(&mut e0), Ok(0));
    while files.work_ahead(true).expect("it works") {}
    paged(&mut files, "/d/big", 5000);
    let mut filler = files.open("/d/filler", PacedOpen::CREATE).expect("a file");
    while files.room().free > 30 {
        files.append(&mut filler, &[1; 256]).expect("append");
    }
    files.remove("/d/big").expect("big");
    files.remove("/d/e0").expect("e0");
    audit(&mut files);
    files.rename("/d/S", "/T").expect("rename");
    for _ in 0..100 {
        files.work_ahead(true).expect("work after");
    }
    audit(&mut files);
}

#[test]
fn a_handle_of_an_earlier_mount_looks_again() {
    let mut files = files();
    let mut h = files.open("/a", PacedOpen::CREATE).expect("a");
    files.write(&mut h, 0, &[1; 1000]).expect("a write");
    let mut files = PacedFiles::on_layer(files.into_layer()).expect("files");
    files.remove("/a").expect("removed");
    while files.room().more {
        files.work_ahead(true).expect("work");
    }
    let mut b = files.open("/b", PacedOpen::CREATE).expect("b");
    files.write(&mut b, 0, &[2; 1000]).expect("a write");
    let mut done = Vec::new();
    for _ in 0..6 {
        done.push(files.write(&mut h.clone(), 0, &[9; 300]));
        files.append(&mut b, &[2; 1]).expect("append");
    }
    let bytes = content(&mut files, "/b").expect("b");
    assert!(
        bytes.iter().all(|b| *b == 2),
        "another file's bytes changed"
    );
    assert!(done.iter().all(|done| done.is_err()), "{done:?}");
    audit(&mut files);
}
