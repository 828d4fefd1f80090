//! What a block holds can be taken out, put back and aged, in any flash.

use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, Ecc, Flash};

use super::{FinerNor, FlashMemory};
use crate::content::{BlockContent, PageContent};
use crate::device::{Accounts, Device, Wear};
use crate::error::{Misuse, NvmError};
use crate::fixture::{TYPICAL, nand, nor, wired};
use crate::ideal::{IdealBytes, IdealBytesSpec, IdealFlash, IdealFlashSpec, IdealTimes};
use crate::wired::Conditions;

fn memories(conditions: Conditions) -> [Box<dyn FlashMemory>; 2] {
    [
        Box::new(FinerNor::smallest(nor(conditions))),
        Box::new(nand(conditions)),
    ]
}

/// A main area whose bytes differ.
fn data(flash: &dyn FlashMemory, seed: u8) -> Vec<u8> {
    let bytes = flash.geometry().page_bytes as usize;
    let byte = |column| (column as u8).wrapping_mul(31) ^ seed;
    (0..bytes).map(byte).collect()
}

fn page(flash: &mut dyn FlashMemory, page: u32) -> Vec<u8> {
    let mut out = vec![0; flash.geometry().page_bytes as usize];
    flash.read(page, 0, &mut out).expect("readable");
    out
}

#[test]
fn a_block_that_is_put_back_is_as_it_was_and_takes_no_time() {
    for mut flash in memories(TYPICAL) {
        let flash = &mut *flash;
        let pages = flash.geometry().pages_per_block;
        let first = data(flash, 1);
        flash.program(pages, 0, &first).expect("erased");
        let kept = flash.content(1).expect("a block");
        flash
            .program(pages + 1, 0, &data(flash, 2))
            .expect("erased");
        let (now, cycles) = (flash.clock().now(), flash.cycles(1));
        flash.set_content(1, &kept).expect("its own");
        assert_eq!(flash.content(1).as_ref(), Ok(&kept));
        assert_eq!((flash.clock().now(), flash.cycles(1)), (now, cycles));
        assert_eq!(page(flash, pages), first);
        assert!(page(flash, pages + 1).iter().all(|byte| *byte == 0xFF));
        // The page is erased again, so that it takes a program.
        flash.program(pages + 1, 0, &first).expect("as if erased");
        flash
            .set_content(1, &BlockContent::default())
            .expect("erased");
        flash.program(pages, 0, &first).expect("as if erased");
        assert_eq!(page(flash, pages), first);
    }
}

/// Changing one page gives what changing it within the whole block gives, which is the plain reference.
#[test]
fn a_page_is_told_to_hold_what_its_block_would_be() {
    let ideal: Box<dyn FlashMemory> = Box::new(IdealFlash::new(IdealFlashSpec {
        geometry: nand(TYPICAL).geometry(),
        marks: true,
        moves: true,
        banks: 1,
        endurance: Wear::UNLIMITED,
        times: IdealTimes::default(),
    }));
    for mut by_page in memories(TYPICAL).into_iter().chain([ideal]) {
        let geometry = by_page.geometry();
        let pages = geometry.pages_per_block;
        // What the first block holds: programmed, preloaded, wrong in a bit, given up, erased.
        for (page, seed) in [(0, 1), (1, 2), (3, 3)] {
            let data = data(&*by_page, seed);
            by_page.program(page, 0, &data).expect("in order");
        }
        by_page.load(5, 0, &data(&*by_page, 4)).expect("inside");
        let mut content = by_page.content(0).expect("a block");
        let other = content.pages[&1].clone();
        content.pages.get_mut(&0).expect("held").wrong.push(9);
        content.pages.get_mut(&3).expect("held").given_up = true;
        by_page.set_content(0, &content).expect("fits");
        let counted_as_erased = PageContent {
            programs: 0,
            units: 0,
            ..other.clone()
        };
        let changes = [
            (1, None),
            (3, None),
            (2, Some(other.clone())),
            (0, Some(counted_as_erased)),
            (5, None),
            (2, None),
            (0, None),
            (pages - 1, Some(other)),
        ];
        let mut by_block = by_page.fork_memory();
        for (page, change) in changes {
            by_page
                .set_page_content(page, change.as_ref())
                .expect("fits");
            let mut content = by_block.content(0).expect("a block");
            match &change {
                Some(change) => content.pages.insert(page, change.clone()),
                None => content.pages.remove(&page),
            };
            by_block.set_content(0, &content).expect("fits");
            assert_eq!(by_page.content(0), by_block.content(0));
            for page in 0..pages {
                let content = by_page.content(0).expect("a block");
                let held = by_page.page_content(page).expect("a page");
                assert_eq!(held.as_ref(), content.pages.get(&page));
                // What the chip takes next is the same: order and programs follow from what it holds.
                let bytes = data(&*by_page, 7);
                let took = by_page.fork_memory().program(page, 0, &bytes);
                assert_eq!(took, by_block.fork_memory().program(page, 0, &bytes));
            }
        }
        let (now, cycles) = (by_page.clock().now(), by_page.cycles(0));
        assert_eq!((now, cycles), (by_block.clock().now(), by_block.cycles(0)));
        let all = pages * geometry.blocks;
        assert!(by_page.page_content(all).is_err());
        assert!(by_page.set_page_content(all, None).is_err());
        let mut short = PageContent::erased(&geometry);
        short.bytes.pop();
        assert!(by_page.set_page_content(0, Some(&short)).is_err());
    }
}

#[test]
fn bytes_are_seen_without_time_or_wear() {
    let ideal = IdealBytes::new(IdealBytesSpec {
        bytes: 8192,
        atom_bytes: 1,
        wear_unit_bytes: 1,
        endurance: Wear::UNLIMITED,
        times: IdealTimes {
            read: Time::from_ps(7),
            ..IdealTimes::default()
        },
    });
    let memories: [Box<dyn Device>; 2] = [Box::new(wired(TYPICAL)), Box::new(ideal)];
    for mut memory in memories {
        let data: Vec<u8> = (0..6000u32).map(|at| (at * 7 % 251) as u8).collect();
        memory.write(40, &data).expect("inside");
        let before = (memory.clock().now(), memory.cycles_at(40));
        let mut seen = vec![0; data.len()];
        memory.peek(40, &mut seen).expect("inside");
        assert_eq!(seen, data);
        assert_eq!((memory.clock().now(), memory.cycles_at(40)), before);
        let mut read = vec![0; data.len()];
        memory.fork_device().read(40, &mut read).expect("inside");
        assert_eq!(read, seen);
        assert!(memory.peek(memory.len() - 1, &mut seen).is_err());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for mut flash in memories(TYPICAL) {
        let geometry = flash.geometry();
        flash.program(0, 0, &data(&*flash, 3)).expect("erased");
        let kept = flash.content(0).expect("a block");
        let mut behind = kept.clone();
        let first = behind.pages.remove(&0).expect("programmed");
        behind.pages.insert(geometry.pages_per_block, first);
        let mut short = kept.clone();
        short.pages.get_mut(&0).expect("programmed").bytes.pop();
        let mut wrong = kept.clone();
        let bits = 8 * geometry.columns() as u32;
        wrong
            .pages
            .get_mut(&0)
            .expect("programmed")
            .wrong
            .push(bits);
        for content in [behind, short, wrong] {
            assert!(flash.set_content(0, &content).is_err());
        }
        assert_eq!(flash.content(0), Ok(kept));
        assert!(flash.content(geometry.blocks).is_err());
        assert!(flash.set_cycles(geometry.blocks, 1).is_err());
        assert!(flash.cycles(geometry.blocks).is_err());
    }
}

#[test]
fn bits_that_are_put_wrong_read_wrong_or_are_corrected() {
    for mut flash in memories(TYPICAL) {
        let bytes = data(&*flash, 4);
        flash.program(0, 0, &bytes).expect("erased");
        let mut content = flash.content(0).expect("a block");
        content
            .pages
            .get_mut(&0)
            .expect("programmed")
            .wrong
            .push(5 * 8 + 2);
        flash.set_content(0, &content).expect("fits");
        let mut out = vec![0; bytes.len()];
        let ecc = flash.read(0, 0, &mut out).expect("one bit");
        let differs = out[5] == bytes[5] ^ 4;
        assert_eq!(differs, ecc == Ecc::Clean, "wrong, or corrected and told");
        content.pages.get_mut(&0).expect("programmed").given_up = true;
        flash.set_content(0, &content).expect("fits");
        let given_up = flash.read(0, 0, &mut out).is_err();
        assert_eq!(given_up, !differs, "where there is an ECC");
    }
}

#[test]
fn cycles_are_set_and_go_on_from_there() {
    let aged = Conditions {
        age: 0.5,
        ..TYPICAL
    };
    for mut flash in memories(aged) {
        let before = flash.wear().before;
        assert!(before > 10);
        flash
            .set_cycles(2, before + 700)
            .expect("more than its age");
        flash.erase(2).expect("good");
        assert_eq!(flash.cycles(2), Ok(before + 701));
        assert_eq!(flash.cycles(1), Ok(before));
        assert_eq!(flash.wear().most, 701);
        let cycles = before - 1;
        let refused = NvmError::Misuse(Misuse::CyclesBeforeAge { cycles, before });
        assert_eq!(flash.set_cycles(2, cycles), Err(refused));
    }
    let mut bytes = wired(TYPICAL);
    let refused = NvmError::Misuse(Misuse::TooManyCycles { cycles: u64::MAX });
    assert_eq!(bytes.set_cycles_at(100, u64::MAX), Err(refused));
    bytes.set_cycles_at(100, 41).expect("inside");
    bytes.write(100, &[1]).expect("inside");
    assert_eq!(bytes.cycles_at(100), Some(42));
    assert_eq!(bytes.cycles_at(bytes.len()), None);
    assert!(bytes.set_cycles_at(bytes.len(), 1).is_err());
}

#[test]
fn a_read_goes_on_across_pages_and_blocks() {
    for mut flash in memories(TYPICAL) {
        let flash = &mut *flash;
        let last = flash.geometry().pages_per_block - 1;
        let (one, next) = (data(flash, 5), data(flash, 6));
        flash.program(last, 0, &one).expect("erased");
        flash.program(last + 1, 0, &next).expect("erased");
        let at = u64::from(last) * one.len() as u64 + 3;
        let mut out = vec![0; one.len() + 1];
        assert_eq!(flash.read_through(at, &mut out), Ok(Ecc::Clean));
        assert_eq!(out[..one.len() - 3], one[3..]);
        assert_eq!(out[one.len() - 3..], next[..4]);
        let end = flash.geometry().capacity_bytes();
        assert!(flash.read_through(end, &mut out).is_err());
        assert!(flash.read_through(u64::MAX, &mut out).is_err());
    }
}
