//! Images of memories that were changed: they are refused in words, or loaded whole.

use proptest::prelude::*;

use super::abi::MemoryStatus;
use super::cells::Cells;
use super::device::{MemoryDevice, Wanted};
use super::image::{ImageError, checksum, read_all, save};
use crate::boundary::BoundaryFailure;

fn device(target: &str) -> MemoryDevice {
    let wanted = Wanted {
        target,
        catalog: None,
        timing: None,
        seed: 1,
        age: 0.0,
        is_of_one_thread: false,
        ageing: None,
        factory_bad: 0,
        strict: 0,
        erase_bytes: 0,
        host_ecc: false,
    };
    MemoryDevice::new(&wanted).expect("embedded")
}

/// A memory with something in it.
fn used(target: &str) -> MemoryDevice {
    let mut device = device(target);
    match device.info().kind {
        1 => device.program(0, &[0x5A; 512]).expect("erased"),
        _ => device.write(0, &[0x5A; 512]).expect("inside"),
    }
    device.set_cycles(3, 99).expect("inside");
    device
}

fn image(device: &MemoryDevice, part: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("image");
    save(&path, part, device.info(), &device.cells).expect("saved");
    std::fs::read(path).expect("saved")
}

/// A file with a checksum that is right.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut file = body.to_vec();
    file.extend(checksum(body).to_le_bytes());
    file
}

const PARTS: [&str; 3] = ["mt25ql128", "mt29f1g01", "em064lx"];

#[test]
fn an_image_of_an_image_is_the_same() {
    for part in PARTS {
        let used = used(part);
        let file = image(&used, part);
        let mut other = device(part);
        let info = *other.info();
        read_all(&file, part, &info, &mut other.cells).expect("its own part");
        assert_eq!(image(&other, part), file, "{part}");
    }
}

/// The neighbour that it is written to first is there already, as an attacker might have left it.
#[test]
fn a_save_that_fails_leaves_the_earlier_image() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("image");
    let used = used("em064lx");
    let saved = || save(&path, "em064lx", used.info(), &used.cells);
    saved().expect("saved");
    let before = std::fs::read(&path).expect("saved");
    let neighbour = folder
        .path()
        .join(format!("image.{}.tmp", std::process::id()));
    std::fs::write(&neighbour, "in the way").expect("written");
    let refused = saved().expect_err("in the way");
    assert_eq!(refused.status(), MemoryStatus::File, "{refused}");
    assert_eq!(std::fs::read(&path).expect("still there"), before);
    std::fs::remove_file(&neighbour).expect("there");
    saved().expect("saved over the earlier one");
    let names = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 1, "nothing else is left");
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("coreutils").success());
    let mut device = device("em064lx");
    let info = *device.info();
    for path in [&*pipe, folder.path(), std::path::Path::new("/dev/zero")] {
        let refused = super::image::load(path, "em064lx", &info, &mut device.cells);
        let refused = refused.expect_err("refused");
        assert_eq!(refused.status(), MemoryStatus::File, "{refused}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let used = used("mt25ql128");
    let file = image(&used, "mt25ql128");
    let info = *used.info();
    let mut cells = used.cells.fork();
    let mut refused = |file: &[u8]| -> ImageError {
        let read = read_all(file, "mt25ql128", &info, &mut cells);
        read.expect_err("refused")
    };
    assert!(matches!(refused(b"something else"), ImageError::Magic));
    let mut newer = file.clone();
    newer[8] = 3;
    assert!(matches!(refused(&newer), ImageError::Version(3)));
    assert!(matches!(refused(&file[..100]), ImageError::Checksum));
    let mut changed = file.clone();
    changed[200] ^= 1;
    assert!(matches!(refused(&changed), ImageError::Checksum));
    let body = &file[..file.len() - 8];
    let mut larger = body.to_vec();
    // Behind magic, version, length and name come the kind and the size.
    larger[16 + 9 + 8] = 1;
    let found = refused(&sealed(&larger)).to_string();
    assert!(found.starts_with("the size in bytes is "), "{found}");
    let behind = sealed(&[body, b"more"].concat());
    assert!(matches!(refused(&behind), ImageError::Behind(4)));
    assert!(matches!(
        refused(&sealed(&body[..body.len() - 2])),
        ImageError::Ends(_)
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Bytes are changed, left out and added behind a checksum that is right.
    #[test]
    fn a_changed_image_is_refused_or_loaded(
        which in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let used = used(PARTS[which]);
        let file = image(&used, PARTS[which]);
        let mut body = file[..file.len() - 8].to_vec();
        for (place, byte) in changes {
            // Most of an image is bytes of pages; its entries are at its ends.
            let length = body.len().min(120);
            let place = place.index(2 * length);
            let place = if place < length { place } else { body.len() - 1 - (place - length) };
            body[place] = byte;
        }
        if let Some(cut) = cut {
            body.truncate(cut.index(body.len()));
        }
        let mut cells: Cells = used.cells.fork();
        if let Err(error) = read_all(&sealed(&body), PARTS[which], used.info(), &mut cells) {
            // A name of up to 255 bytes is quoted, each byte of which may take ten to be shown.
            prop_assert!(error.to_string().len() < 400 + 10 * 255);
        }
    }
}
