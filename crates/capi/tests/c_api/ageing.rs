//! Flash that ages behind a handle: the same lives as those of `wordline wear`, which cycles blocks by `cycle_block`.

use std::ffi::{CStr, CString};
use std::ptr::null_mut;

use wordline_capi::wordline_memory_h::*;
use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_nvm::ageing::{Cycle, Environment, cycle_block};
use wordline_nvm::{Accounts as _, Conditions, CycledFlash};

const PART: &str = "mt29f32g08qaa";
const SEED: u64 = 11;

fn options(target: &CStr) -> Options {
    Options {
        target: target.as_ptr(),
        seed: SEED,
        ageing: 1,
        celsius: 25.0,
        ..Options::default()
    }
}

fn made(options: &Options) -> (MemoryStatus, *mut WlMemory) {
    let mut memory = null_mut();
    // SAFETY: both point to what the header says.
    let status = unsafe { wl_memory_create(options, &raw mut memory) };
    (status, memory)
}

fn chip(ageing: bool) -> Box<dyn CycledFlash> {
    let catalog = Catalog::load(&[]).expect("sound");
    let target = catalog.part_on_board(PART).expect("a part");
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: SEED,
    };
    let chip = target.connect_cycled(conditions).expect("it fits");
    let mut chip = chip.expect("raw flash");
    if ageing {
        let environment = Environment::default();
        chip.start_ageing(environment).expect("the sheet says how");
    }
    chip
}

/// The good block among the first ones that fails first, and the cycle in which it does.
fn weakest(chip: &dyn CycledFlash, data: &[u8]) -> (u32, u64) {
    let lives = (0..300).filter_map(|block| {
        let mut fork = chip.fork_cycled();
        if fork.is_bad(block).expect("a block") {
            return None;
        }
        let cycle = Cycle {
            block,
            pages: 1,
            data,
        };
        let (cycles, failed) = cycle_block(&mut *fork, &cycle, 30_000).expect("no other error");
        failed.then_some((block, cycles))
    });
    lives
        .min_by_key(|(_, cycles)| *cycles)
        .expect("a weak block")
}

#[test]
fn a_block_fails_in_the_same_cycle_as_under_wordline_wear() {
    let target = CString::new(PART).expect("no NUL");
    let mut reference = chip(true);
    let geometry = reference.geometry();
    let data = vec![0x5A; geometry.page_bytes as usize];
    let (block, life) = weakest(&*reference, &data);
    let page = block * geometry.pages_per_block;
    let cycle = Cycle {
        block,
        pages: 1,
        data: &data,
    };
    let (status, memory) = made(&options(&target));
    assert_eq!(status, MemoryStatus::Ok);
    let program = |memory| {
        // SAFETY: as many bytes are there.
        unsafe { wl_memory_program_page(memory, page, 0, data.as_ptr().cast(), data.len() as u32) }
    };
    let mut slower = 0;
    for number in 1..=life {
        let before = (reference.clock().now(), wl_memory_now(memory));
        let stepped = cycle.step(&mut *reference);
        let took = reference.clock().now().since(before.0).ps();
        let programmed = program(memory);
        let first = wl_memory_last_duration(memory);
        let erased = match programmed {
            MemoryStatus::Ok => wl_memory_erase(memory, block),
            failed => failed,
        };
        let both = wl_memory_now(memory) - before.1;
        assert_eq!(both, took, "cycle {number}");
        assert_eq!(
            erased == MemoryStatus::Ok,
            stepped.is_ok(),
            "cycle {number}"
        );
        assert_eq!(stepped.is_err(), number == life, "cycle {number} of {life}");
        slower += u64::from(first < both / 2);
    }
    assert!(slower > 0, "erases take longer than programs");
    let mut cycles = 0;
    // SAFETY: a number is there.
    let status = unsafe { wl_memory_get_cycles(memory, u64::from(block), &raw mut cycles) };
    assert_eq!(status, MemoryStatus::Ok);
    assert!(cycles >= life - 1, "{cycles} of {life}");
    // A block that failed stays so.
    assert_ne!(program(memory), MemoryStatus::Ok);
    assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
}

/// Bits that go wrong are those of the chip that was worn and kept alike.
#[test]
fn cycles_and_rest_make_bits_go_wrong_where_ageing_was_asked_for() {
    let target = CString::new(PART).expect("no NUL");
    let bits_with = |host_ecc: u64, ageing: u64, cycles: u64, seconds: f64| {
        let (status, memory) = made(&Options {
            ageing,
            host_ecc,
            ..options(&target)
        });
        assert_eq!(status, MemoryStatus::Ok);
        assert_eq!(wl_memory_set_cycles(memory, 0, cycles), MemoryStatus::Ok);
        let data = [0xFFu8; 2048];
        // SAFETY: as many bytes are there.
        let status = unsafe { wl_memory_program_page(memory, 0, 0, data.as_ptr().cast(), 2048) };
        assert_eq!(status, MemoryStatus::Ok);
        let took = wl_memory_last_duration(memory);
        assert_eq!(wl_memory_keep(memory, seconds, 85.0), MemoryStatus::Ok);
        let mut out = [0u8; 2048];
        let mut ecc = Ecc {
            size: size_of::<Ecc>() as u64,
            ..Ecc::default()
        };
        // SAFETY: as many bytes are there, and a struct.
        let status = unsafe {
            wl_memory_read_page(memory, 0, 0, out.as_mut_ptr().cast(), 2048, &raw mut ecc)
        };
        assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
        let wrong: u32 = out.iter().map(|byte| byte.count_zeros()).sum();
        (status, ecc.corrected, wrong, took)
    };
    let bits = |ageing, cycles, seconds| bits_with(1, ageing, cycles, seconds);
    const YEAR: f64 = 365.25 * 86_400.0;
    let worn = bits(1, 9_000, 1000.0 * YEAR);
    assert_eq!(worn, bits(1, 9_000, 1000.0 * YEAR), "the same seed");
    let fresh = bits(1, 0, 0.0);
    assert_eq!((fresh.0, fresh.1, fresh.2), (MemoryStatus::Ok, 0, 0));
    assert!(worn.0 != MemoryStatus::Ok || worn.1 > 0, "{worn:?}");
    // Programs get faster as a block wears; one that does not age is as ever.
    assert!(worn.3 < fresh.3, "{worn:?} {fresh:?}");
    // Whoever brings the code gets the bits as they are.
    let raw = bits_with(0, 1, 9_000, 1000.0 * YEAR);
    assert_eq!((raw.0, raw.1), (MemoryStatus::Ok, 0));
    assert!(raw.2 > 0, "{raw:?}");
    let plain = bits(0, 9_000, 1000.0 * YEAR);
    assert_eq!((plain.0, plain.1, plain.2), (MemoryStatus::Ok, 0, 0));
    assert_eq!(plain.3, bits(0, 0, 0.0).3);
}

#[test]
fn what_has_no_model_of_ageing_is_refused_in_words() {
    for (target, celsius, expected) in [
        ("em064lx", 25.0, MemoryStatus::Unsupported),
        ("w25n01gv", 25.0, MemoryStatus::Unsupported),
        (PART, 300.0, MemoryStatus::BadArgument),
    ] {
        let name = CString::new(target).expect("no NUL");
        let (status, memory) = made(&Options {
            celsius,
            ..options(&name)
        });
        assert_eq!((status, memory.is_null()), (expected, true), "{target}");
        // SAFETY: the message lasts until the next failure of this thread.
        let message = unsafe { CStr::from_ptr(wl_memory_message()) };
        let message = message.to_string_lossy();
        assert!(!message.is_empty(), "{target}");
    }
}

/// A handle of one thread does the same, and nothing in another thread.
#[test]
fn a_handle_of_one_thread_is_a_bad_one_elsewhere() {
    let target = CString::new("em064lx").expect("no NUL");
    let (status, memory) = made(&Options {
        one_thread: 1,
        ageing: 0,
        ..options(&target)
    });
    assert_eq!(status, MemoryStatus::Ok);
    let data = [7u8; 64];
    // SAFETY: as many bytes are there.
    let status = unsafe { wl_memory_write(memory, 0, data.as_ptr().cast(), 64) };
    assert_eq!(status, MemoryStatus::Ok);
    let mut fork = null_mut();
    // SAFETY: a pointer is there.
    let status = unsafe { wl_memory_fork(memory, &raw mut fork) };
    assert_eq!(status, MemoryStatus::Ok);
    let handles = [memory.addr(), fork.addr()];
    std::thread::spawn(move || {
        for handle in handles {
            let handle = std::ptr::without_provenance_mut(handle);
            assert_eq!(wl_memory_sync(handle), MemoryStatus::BadHandle);
            assert_eq!(wl_memory_free(handle), MemoryStatus::BadHandle);
        }
    })
    .join()
    .expect("it ends");
    assert_eq!(wl_memory_now(fork), wl_memory_now(memory));
    assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
    assert_eq!(wl_memory_free(memory), MemoryStatus::BadHandle);
    assert_eq!(wl_memory_sync(fork), MemoryStatus::Ok);
    assert_eq!(wl_memory_free(fork), MemoryStatus::Ok);
}
