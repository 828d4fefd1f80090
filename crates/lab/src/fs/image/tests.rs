//! Images and journals by themselves: what a kill, a torn or a damaged record, and another mount leave.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;
use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::Timing;
use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::{Conditions, Memory};

use super::*;

fn conditions() -> Conditions {
    Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 3,
    }
}

fn origin(part: &str) -> ImageOrigin {
    ImageOrigin {
        part: part.into(),
        seed: 3,
        age: 0.0,
    }
}

/// Runs with a new memory of a part.
fn with_target<T>(part: &str, run: impl FnOnce(&PartOnBoard<'_>) -> T) -> T {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let target = catalog.part_on_board(part).expect("it is embedded");
    run(&target)
}

fn new_memory(target: &PartOnBoard<'_>) -> Memory {
    target.memory(conditions()).expect("it fits its board")
}

fn open(
    file: &Path,
    target: &PartOnBoard<'_>,
) -> Result<(VolumeImage, ImageContent, Memory), VolumeImageError> {
    let mut memory = new_memory(target);
    let origin = origin(&target.part.header.id);
    let (image, content) = VolumeImage::open(file, Path::new("/mnt"), origin, true, &mut memory)?;
    let memory = image.watch(memory);
    Ok((image, content, memory))
}

/// Everything that an image keeps of a flash memory.
fn everything(memory: &Memory) -> Vec<(BTreeMap<u32, wordline_nvm::PageContent>, u64)> {
    let Memory::Flash(flash) = memory else {
        panic!("flash")
    };
    let blocks = 0..flash.geometry().blocks;
    let of = |block| {
        let content = flash.content(block).expect("a block");
        (content.pages, flash.cycles(block).expect("a block"))
    };
    blocks.map(of).collect()
}

fn change(memory: &mut Memory, step: u32) {
    match memory {
        Memory::Flash(flash) => {
            let geometry = flash.geometry();
            let block = step % 7;
            if step % 5 == 4 && !flash.is_bad(block).expect("a block") {
                flash.erase(block).expect("a good block");
            }
            let page = block * geometry.pages_per_block + step / 7;
            let bytes = vec![step as u8; geometry.columns() as usize];
            // A page that was programmed before is refused, which a replay has to refuse as well.
            let _ = flash.program(page, 0, &bytes);
        }
        Memory::Bytes(device) => {
            let at = u64::from(step) * 100;
            device.write(at, &[step as u8; 40]).expect("inside");
        }
    }
}

fn kept(image: &VolumeImage, durable: bool) {
    image.keeper().keep(durable).expect("room");
}

#[test]
fn what_was_kept_is_there_after_a_kill_with_spare_areas_bad_blocks_and_wear() {
    with_target("mt29f1g01", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let (image, content, mut memory) = open(&file, target).expect("new");
        assert!(!content.is_formatted);
        for step in 0..60 {
            change(&mut memory, step);
            kept(&image, step % 10 == 9);
        }
        let Memory::Flash(flash) = &mut memory else {
            panic!("NAND")
        };
        flash.mark_bad(9).expect("a block");
        kept(&image, false);
        let before = everything(&memory);
        // A kill: nothing is finished, and the lock goes.
        drop((image, memory));
        assert!(!file.exists());

        let (image, content, memory) = open(&file, target).expect("replayed");
        assert_eq!((content.replayed_calls, content.dropped_bytes), (61, 0));
        assert!(content.is_formatted);
        assert!(everything(&memory) == before, "a replay does what was done");
        image.finish(&memory.fork()).expect("room");
        assert!(!place.path().join("image.journal").exists());

        let (image, content, mut memory) = open(&file, target).expect("loaded");
        assert!(content.is_formatted && content.replayed_calls == 0);
        assert!(
            everything(&memory) == before,
            "an image holds what was held"
        );
        let Memory::Flash(flash) = &mut memory else {
            panic!("NAND")
        };
        assert!(flash.is_bad(9).expect("a block"));
        assert!(flash.cycles(4).expect("a block") > 0);
        image.abandon();
        assert!(!place.path().join("image.journal").exists());
    });
}

#[test]
fn wear_of_bytes_is_in_the_image() {
    with_target("em064lx", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let (image, _, mut memory) = open(&file, target).expect("new");
        for step in [1, 1, 2] {
            change(&mut memory, step);
        }
        let cycles = |memory: &Memory| match memory {
            Memory::Bytes(device) => [0, 100, 200].map(|at| device.cycles_at(at)),
            Memory::Flash(_) => panic!("bytes"),
        };
        let before = cycles(&memory);
        assert!(before[1] > before[2] && before[2] > before[0], "{before:?}");
        image.finish(&memory.fork()).expect("room");
        let (_image, _, mut memory) = open(&file, target).expect("loaded");
        assert_eq!(cycles(&memory), before);
        let mut out = [0; 40];
        let Memory::Bytes(device) = &mut memory else {
            panic!("bytes")
        };
        device.read(100, &mut out).expect("inside");
        assert_eq!(out, [1; 40]);
    });
}

#[test]
fn a_plain_image_opens_where_spare_areas_do_not_matter() {
    with_target("mt25ql128", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let mut plain = vec![0xFF; new_memory(target).capacity_bytes() as usize];
        plain[5000] = 7;
        fs::write(&file, &plain).expect("room");
        let (image, content, mut memory) = open(&file, target).expect("an older image");
        assert!(content.is_formatted);
        let Memory::Flash(flash) = &mut memory else {
            panic!("NOR")
        };
        let page_bytes = flash.geometry().page_bytes;
        let mut out = [0];
        flash
            .read(5000 / page_bytes, 5000 % page_bytes, &mut out)
            .expect("inside");
        assert_eq!(out, [7]);
        image.finish(&memory.fork()).expect("room");
        // The first bytes of the new one are those of a plain one.
        let saved = fs::read(&file).expect("saved");
        assert!(saved.len() > plain.len() && saved.starts_with(&plain));
    });
    with_target("mt29f1g01", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let bytes = new_memory(target).capacity_bytes() as usize;
        fs::write(&file, vec![0xFF; bytes]).expect("room");
        let error = open(&file, target).map(|_| ()).expect_err("no spare areas");
        assert!(error.to_string().contains("plain image"), "{error}");
        assert!(!place.path().join("image.journal").exists());
    });
}

#[test]
fn a_second_mount_is_refused_and_says_who_has_the_image() {
    with_target("em064lx", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let (image, _, memory) = open(&file, target).expect("new");
        let told = |file: &Path| {
            open(file, target)
                .map(|_| ())
                .expect_err("in use")
                .to_string()
        };
        let holder = format!("process {}, mounted at /mnt", std::process::id());
        assert!(told(&file).contains(&holder), "{}", told(&file));
        // A link leads to the same image.
        image.finish(&memory.fork()).expect("room");
        let (_image, _, _memory) = open(&file, target).expect("free again");
        let (soft, hard) = (place.path().join("soft"), place.path().join("hard"));
        std::os::unix::fs::symlink(&file, &soft).expect("links");
        fs::hard_link(&file, &hard).expect("links");
        assert!(told(&soft).contains(&holder));
        assert!(told(&hard).contains("in use by another process"));
    });
}

#[test]
fn an_image_of_other_settings_is_refused_and_one_that_was_edited() {
    with_target("em064lx", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let (image, _, memory) = open(&file, target).expect("new");
        image.finish(&memory.fork()).expect("room");
        let other = ImageOrigin {
            seed: 4,
            ..origin(&target.part.header.id)
        };
        let mut memory = new_memory(target);
        let opened = VolumeImage::open(&file, Path::new("/mnt"), other, false, &mut memory);
        let error = opened.map(|_| ()).expect_err("another seed").to_string();
        assert!(
            error.contains("--seed 3") && error.contains("--seed 4"),
            "{error}"
        );

        let good = fs::read(&file).expect("saved");
        let capacity = new_memory(target).capacity_bytes() as usize;
        let expect = |content: &[u8], words: &str| {
            fs::write(&file, content).expect("room");
            let error = open(&file, target).map(|_| ()).expect_err(words);
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(
                fs::read(&file).expect("there"),
                content,
                "it stays as it is"
            );
        };
        let mut edited = good.clone();
        edited[77] ^= 1;
        expect(&edited, "cut the file to");
        let mut damaged = good.clone();
        *damaged.last_mut().expect("not empty") ^= 1;
        expect(&damaged, "is damaged");
        let mut later = good.clone();
        later[capacity + 8] = 9;
        expect(&later, "format 9");
        expect(&good[..capacity + 5], "no record of an image");
        expect(&good[..capacity - 1], "it has");
        fs::write(&file, &good[..capacity]).expect("room");
        assert!(open(&file, target).is_ok(), "a plain image");
    });
}

#[test]
fn a_kill_between_the_new_image_and_the_end_of_the_journal_replays_nothing_twice() {
    with_target("em064lx", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let journal = place.path().join("image.journal");
        let (image, _, mut memory) = open(&file, target).expect("new");
        change(&mut memory, 1);
        kept(&image, true);
        let left = fs::read(&journal).expect("a journal");
        image.finish(&memory.fork()).expect("room");
        fs::write(&journal, &left).expect("room");
        let (image, content, _) = open(&file, target).expect("included");
        assert_eq!(content.replayed_calls, 0);
        image.abandon();

        // A journal of another content of the image is kept, and nothing is mounted.
        let mut other = new_memory(target);
        change(&mut other, 2);
        let (image, _, _) = open(&file, target).expect("free");
        image.finish(&other).expect("room");
        fs::write(&journal, &left).expect("room");
        let error = open(&file, target)
            .map(|_| ())
            .expect_err("another content");
        assert!(error.to_string().contains("another content"), "{error}");
        assert_eq!(fs::read(&journal).expect("there"), left);
    });
}

#[test]
fn a_mount_that_goes_on_begins_its_journal_anew() {
    with_target("em064lx", |target| {
        let place = TempDir::new().expect("a folder");
        let file = place.path().join("image");
        let (mut image, _, mut memory) = open(&file, target).expect("new");
        change(&mut memory, 1);
        kept(&image, true);
        image.save(&memory.fork(), Path::new("/mnt")).expect("room");
        change(&mut memory, 2);
        kept(&image, false);
        drop((image, memory));
        let (_image, content, mut memory) = open(&file, target).expect("image and journal");
        assert_eq!(content.replayed_calls, 1);
        let Memory::Bytes(device) = &mut memory else {
            panic!("bytes")
        };
        for step in [1, 2] {
            let mut out = [0; 40];
            device
                .read(u64::from(step) * 100, &mut out)
                .expect("inside");
            assert_eq!(out, [step; 40]);
        }
    });
}

/// A journal of some calls, and where each record ends.
fn recorded(file: &Path, target: &PartOnBoard<'_>) -> (Vec<u8>, Vec<usize>) {
    let journal = suffixed(file, ".journal");
    let (image, _, mut memory) = open(file, target).expect("new");
    let mut ends = Vec::new();
    for step in 0..8 {
        change(&mut memory, step);
        kept(&image, step == 3);
        ends.push(fs::metadata(&journal).expect("a journal").len() as usize);
    }
    drop((image, memory));
    (fs::read(&journal).expect("a journal"), ends)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A kill or a full disk cuts the journal anywhere, also within a record, and may leave anything behind the cut: the
    /// calls whose records are whole are there, and no other. A record that a sync had made sure of is never dropped.
    #[test]
    fn a_torn_record_is_dropped_and_a_damaged_one_is_not(
        cut in 0.0..1.0f64, garbage in proptest::collection::vec(any::<u8>(), 0..60), bit in 0..8u32,
    ) {
        with_target("em064lx", |target| {
            let place = TempDir::new().expect("a folder");
            let file = place.path().join("image");
            let journal = suffixed(&file, ".journal");
            let (whole, ends) = recorded(&file, target);
            let from = (whole.len() as f64 * cut) as usize;
            let mut torn = whole[..from].to_vec();
            torn.extend_from_slice(&garbage);
            fs::write(&journal, &torn).expect("room");
            let (image, content, memory) = open(&file, target).expect("a torn record is no fault");
            let calls = ends.iter().filter(|end| **end <= from).count() as u64;
            prop_assert_eq!(content.replayed_calls, calls);
            // What follows is whole again.
            drop((image, memory));
            let (image, content, memory) = open(&file, target).expect("whole");
            prop_assert_eq!((content.replayed_calls, content.dropped_bytes), (calls, 0));
            drop((image, memory));

            let mut damaged = whole.clone();
            damaged[from] ^= 1 << bit;
            fs::write(&journal, &damaged).expect("room");
            let opened = open(&file, target).map(|(_, content, _)| content);
            // The sync is behind the fourth call; the record of the fifth is the first that says so.
            match from < ends[3] {
                true => {
                    let error = opened.expect_err("what was made sure of is damaged");
                    prop_assert!(error.to_string().contains("damaged"), "{}", error);
                    prop_assert_eq!(fs::read(&journal).expect("there"), damaged);
                }
                false => {
                    let calls = ends.iter().filter(|end| **end <= from).count() as u64;
                    prop_assert_eq!(opened.expect("nobody asked for more").replayed_calls, calls);
                }
            }
            Ok(())
        })?;
    }

    /// Whatever a journal or an image holds, opening it ends with a result.
    #[test]
    fn anything_can_be_in_a_journal(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        with_target("em064lx", |target| {
            let place = TempDir::new().expect("a folder");
            let file = place.path().join("image");
            let mut journal = Vec::new();
            let start = journal::Start::of(origin(&target.part.header.id)).encode();
            frame::FrameHead::push(&mut journal, 0, 0, frame::FrameKind::Start, &start);
            frame::FrameHead::push(&mut journal, 1, 0, frame::FrameKind::Call, &bytes);
            fs::write(suffixed(&file, ".journal"), &journal).expect("room");
            let _ = open(&file, target);
            let mut body = vec![1, 2, 3];
            body.extend_from_slice(&bytes);
            let _ = Snapshot::parse(&[], &body);
        });
    }
}
