//! `embedded-storage` over a handle: Rust firmware and C meet in one memory, with its faults, cuts and ageing.

use std::ffi::CString;
use std::ptr::null_mut;

use embedded_storage::nor_flash::{NorFlash, NorFlashError as _, NorFlashErrorKind, ReadNorFlash};
use wordline_capi::HandleFlash;
use wordline_capi::wordline_memory_h::*;
use wordline_embedded::NorView;
use wordline_memory::{FlashError as _, FlashErrorKind};

fn made(target: &str, ageing: u64) -> *mut WlMemory {
    let target = CString::new(target).expect("no NUL");
    let options = Options {
        target: target.as_ptr(),
        ageing,
        celsius: 25.0,
        ..Options::default()
    };
    let mut memory = null_mut();
    // SAFETY: both point to what the header says.
    let status = unsafe { wl_memory_create(&raw const options, &raw mut memory) };
    assert_eq!(status, MemoryStatus::Ok);
    memory
}

fn stats(memory: *const WlMemory) -> Stats {
    let mut stats = Stats {
        size: size_of::<Stats>() as u64,
        ..Stats::default()
    };
    // SAFETY: a struct with its size.
    let status = unsafe { wl_memory_get_stats(memory, &raw mut stats) };
    assert_eq!(status, MemoryStatus::Ok);
    stats
}

/// A driver that knows the trait alone.
fn save<F: NorFlash>(flash: &mut F, data: &[u8]) -> Result<(), F::Error> {
    flash.erase(0, F::ERASE_SIZE as u32)?;
    flash.write(0, data)
}

#[test]
fn a_handle_is_a_nor_flash_with_its_faults_cuts_and_times() {
    let memory = made("mt25ql128", 0);
    let flash = HandleFlash::of(memory).expect("flash");
    let mut flash = NorView::<_, 4, 4096>::new(flash).expect("sizes of the part");
    save(&mut flash, &[0x5A; 300]).expect("it works");
    let mut back = [0u8; 300];
    // SAFETY: as many bytes are there.
    let status = unsafe { wl_memory_read(memory, 0, back.as_mut_ptr().cast(), 300) };
    assert_eq!((status, back), (MemoryStatus::Ok, [0x5A; 300]));
    assert_eq!(stats(memory).erases, 1);
    assert!(
        wl_memory_now(memory) > 40_000_000_000,
        "an erase takes 48 ms"
    );

    // What C programs, Rust reads.
    // SAFETY: as many bytes are there.
    let status = unsafe { wl_memory_program(memory, 4096, back.as_ptr().cast(), 4) };
    assert_eq!(status, MemoryStatus::Ok);
    let mut word = [0; 4];
    flash.read(4096, &mut word).expect("it works");
    assert_eq!(word, [0x5A; 4]);

    assert_eq!(wl_memory_set_fault(memory, 0, 2), MemoryStatus::Ok);
    let failed = save(&mut flash, &[0; 4]).expect_err("a fault of erases");
    assert_eq!(failed.kind(), NorFlashErrorKind::Other);
    assert!(failed.to_string().contains("erasing failed"), "{failed}");
    assert_eq!(wl_memory_set_fault(memory, 0, 0), MemoryStatus::Ok);

    let cut = Cut {
        size: size_of::<Cut>() as u64,
        operations: 2,
        tear: 1,
        ..Cut::default()
    };
    // SAFETY: a struct with its size.
    let status = unsafe { wl_memory_cut_power(memory, &raw const cut) };
    assert_eq!(status, MemoryStatus::Ok);
    save(&mut flash, &[0; 300]).expect_err("the program is cut");
    let flash = flash.flash();
    let dark = wordline_memory::Flash::read(flash, 0, 0, &mut word).expect_err("no power");
    assert_eq!(dark.kind(), FlashErrorKind::PowerLost);
    assert_eq!(dark.status, MemoryStatus::PowerLost);
    assert_eq!(stats(memory).power_cuts, 1);
    assert_eq!(wl_memory_power_up(memory), MemoryStatus::Ok);
    wordline_memory::Flash::read(flash, 0, 0, &mut word).expect("power");

    assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
    let gone = wordline_memory::Flash::read(flash, 0, 0, &mut word).expect_err("freed");
    assert_eq!(gone.status, MemoryStatus::BadHandle);
    HandleFlash::of(memory).expect_err("freed");
}

/// Flash that ages does so under the trait as well, and says how worn it is.
#[test]
fn a_handle_ages_under_the_trait() {
    let memory = made("mt29f32g08qaa", 1);
    let mut flash = HandleFlash::of(memory).expect("flash");
    let zeros = vec![0; wordline_memory::Flash::geometry(&flash).page_bytes as usize];
    let page = 7 * wordline_memory::Flash::geometry(&flash).pages_per_block;
    for _ in 0..50 {
        wordline_memory::Flash::program(&mut flash, page, 0, &zeros).expect("it is erased");
        wordline_memory::Flash::erase(&mut flash, 7).expect("it is fresh");
    }
    let mut health = Health {
        size: size_of::<Health>() as u64,
        ..Health::default()
    };
    // SAFETY: a struct with its size.
    let status = unsafe { wl_memory_get_health(memory, 7, &raw mut health) };
    assert_eq!((status, health.cycles), (MemoryStatus::Ok, 50));
    assert!(health.latency_ratio > 1.0, "{health:?}");
    assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
    let bytes = made("em064lx", 0);
    let refused = HandleFlash::of(bytes).expect_err("no flash");
    assert_eq!(refused.status, MemoryStatus::Unsupported);
    assert_eq!(wl_memory_free(bytes), MemoryStatus::Ok);
}

/// Places that no memory has, a handle that is freed while a view of it lives, and one of another thread: errors.
#[test]
fn a_view_of_a_handle_refuses_what_c_would_be_refused() {
    use wordline_memory::Flash;
    let memory = made("mt25ql128", 0);
    let mut flash = HandleFlash::of(memory).expect("flash");
    let mut other = flash.clone();
    let geometry = flash.geometry();
    let mut out = [0; 16];
    let pages = geometry.blocks * geometry.pages_per_block;
    for (page, column) in [
        (pages, 0),
        (u32::MAX, 0),
        (0, 250),
        (0, u32::MAX),
        (u32::MAX, u32::MAX),
    ] {
        let failed = flash.read(page, column, &mut out).expect_err("no place");
        assert_eq!(failed.status, MemoryStatus::OutOfRange, "{page} {column}");
        let failed = flash.program(page, column, &[0; 16]).expect_err("no place");
        assert_eq!(failed.status, MemoryStatus::OutOfRange, "{page} {column}");
    }
    for block in [geometry.blocks, u32::MAX] {
        let statuses = [
            flash.erase(block).expect_err("no block").status,
            flash.is_bad(block).expect_err("no block").status,
        ];
        assert_eq!(statuses, [MemoryStatus::OutOfRange; 2], "{block}");
        flash.mark_bad(block).expect_err("no block");
    }
    flash.read(0, 0, &mut []).expect("nothing");
    flash.program(0, 0, &[]).expect("nothing");
    assert_eq!(wl_memory_free(memory), MemoryStatus::Ok);
    let statuses = [
        flash.read(0, 0, &mut out).expect_err("freed").status,
        other.program(0, 0, &[0]).expect_err("freed").status,
        other.erase(0).expect_err("freed").status,
        other.is_bad(0).expect_err("freed").status,
        other.mark_bad(0).expect_err("freed").status,
    ];
    assert_eq!(statuses, [MemoryStatus::BadHandle; 5]);

    // The next memory in that slot is not the one that the view was of.
    let next = made("mt25ql128", 0);
    flash.read(0, 0, &mut out).expect_err("freed");
    assert_eq!(stats(next).reads, 0);
    assert_eq!(wl_memory_free(next), MemoryStatus::Ok);
}
