//! NOR flash, which has no spare area, as pages that have one.
//!
//! The library's functions for such pages stand in a `wl_rtfs_flash` as the caller's do. So a firmware without NOR links
//! none of this, and one with NOR links the file system once.

use core::ffi::c_void;

use wordline_c_abi::{fits, place, tell, value};
use wordline_memory::{Ecc, EraseMode, Flash, Geometry};
use wordline_rtfs::NorPages;

use crate::abi::{RtfsFlash, RtfsProblem, RtfsStatus, WlRtfsNor};
use crate::flash::{CallerFlash, FlashCode};
use crate::problem::of_sizes;

/// The caller's flash by the rules of NOR: its pages take any number of programs, in any order.
struct NorChip {
    flash: CallerFlash,
    /// Bytes that are programmed at once; more than one of them are programmed once between two erases.
    unit_bytes: u32,
}

impl Flash for NorChip {
    type Error = FlashCode;

    fn geometry(&self) -> Geometry {
        Geometry {
            program_bytes: self.unit_bytes,
            programs_per_page: None,
            once_bytes: (self.unit_bytes > 1).then_some(self.unit_bytes),
            in_order: false,
            ..self.flash.geometry()
        }
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashCode> {
        self.flash.read(page, column, out)
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashCode> {
        self.flash.program(page, column, data)
    }

    fn erase(&mut self, block: u32) -> Result<(), FlashCode> {
        self.flash.erase(block)
    }

    fn erase_mode(&self) -> EraseMode {
        self.flash.erase_mode()
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), FlashCode> {
        self.flash.begin_erase(block)
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, FlashCode> {
        self.flash.advance_erase(parts, of)
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, FlashCode> {
        self.flash.is_bad(block)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), FlashCode> {
        self.flash.mark_bad(block)
    }
}

type CallerNor = NorPages<NorChip>;

const _: () = assert!(fits::<CallerNor, WlRtfsNor>());

/// The pages behind `user`.
///
/// # Safety
/// It is that of a flash which `wl_rtfs_nor_pages` made, whose storage is where it was and not used elsewhere meanwhile.
unsafe fn pages<'a>(user: *mut c_void) -> &'a mut CallerNor {
    // SAFETY: `wl_rtfs_nor_pages` wrote one there, and the caller promises the rest.
    unsafe { &mut *user.cast::<CallerNor>() }
}

fn code(done: Result<(), FlashCode>) -> i32 {
    match done {
        Ok(()) => 0,
        Err(FlashCode(code)) => code,
    }
}

unsafe extern "C" fn read(
    user: *mut c_void,
    page: u32,
    column: u32,
    out: *mut c_void,
    bytes: usize,
) -> i32 {
    // SAFETY: the library calls this with what the struct holds, and with the bytes of a slice.
    let (pages, out) = unsafe {
        (
            pages(user),
            core::slice::from_raw_parts_mut(out.cast(), bytes),
        )
    };
    match pages.read(page, column, out) {
        Ok(Ecc::Clean) => 0,
        Ok(Ecc::Corrected { refresh, .. }) => 1 + i32::from(refresh),
        Err(FlashCode(code)) => code,
    }
}

unsafe extern "C" fn program(
    user: *mut c_void,
    page: u32,
    column: u32,
    data: *const c_void,
    bytes: usize,
) -> i32 {
    // SAFETY: the library calls this with what the struct holds, and with the bytes of a slice.
    let (pages, data) = unsafe { (pages(user), core::slice::from_raw_parts(data.cast(), bytes)) };
    code(pages.program(page, column, data))
}

unsafe extern "C" fn erase(user: *mut c_void, block: u32) -> i32 {
    // SAFETY: the library calls this with what the struct holds.
    code(unsafe { pages(user) }.erase(block))
}

unsafe extern "C" fn begin_erase(user: *mut c_void, block: u32) -> i32 {
    // SAFETY: the library calls this with what the struct holds.
    code(unsafe { pages(user) }.begin_erase(block))
}

unsafe extern "C" fn advance_erase(user: *mut c_void, parts: u32, of: u32) -> i32 {
    // SAFETY: the library calls this with what the struct holds.
    match unsafe { pages(user) }.advance_erase(parts, of) {
        Ok(ended) => ended.into(),
        Err(FlashCode(code)) => code,
    }
}

unsafe extern "C" fn is_bad(user: *mut c_void, block: u32) -> i32 {
    // SAFETY: the library calls this with what the struct holds.
    match unsafe { pages(user) }.is_bad(block) {
        Ok(is_bad) => is_bad.into(),
        Err(FlashCode(code)) => code,
    }
}

unsafe extern "C" fn mark_bad(user: *mut c_void, block: u32) -> i32 {
    // SAFETY: the library calls this with what the struct holds.
    code(unsafe { pages(user) }.mark_bad(block))
}

/// See `wordline_rtfs.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and `storage` stays where it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_rtfs_nor_pages(
    storage: *mut WlRtfsNor,
    chip: *const RtfsFlash,
    unit_bytes: u32,
    page_bytes: u32,
    flash: *mut RtfsFlash,
    problem: *mut RtfsProblem,
) -> RtfsStatus {
    let given = || {
        let to = place::<_, CallerNor>(storage)?;
        // SAFETY: the caller promises it.
        let chip = unsafe { value(chip) }?;
        Ok((to, chip, CallerFlash::of_chip(chip)?))
    };
    let (to, chip, caller) = match given() {
        Ok((to, chip, caller)) if unit_bytes > 0 && !flash.is_null() => (to, chip, caller),
        Ok(_) => return RtfsStatus::BadArgument,
        Err(status) => return status,
    };
    let chip_of = NorChip {
        flash: caller,
        unit_bytes,
    };
    if !chip_of.geometry().is_valid() {
        return RtfsStatus::BadArgument;
    }
    let pages = match NorPages::new(chip_of, page_bytes) {
        Ok(pages) => pages,
        Err(sizes) => {
            let found = of_sizes(&sizes);
            // SAFETY: the caller promises it.
            unsafe { tell(problem, found) };
            return found.status;
        }
    };
    let geometry = pages.geometry();
    let made = RtfsFlash {
        user: storage.cast(),
        page_bytes: geometry.page_bytes,
        spare_bytes: geometry.spare_bytes,
        pages_per_block: geometry.pages_per_block,
        blocks: geometry.blocks,
        columns: NorPages::COLUMNS,
        read: Some(read),
        program: Some(program),
        erase: Some(erase),
        is_bad: chip.is_bad.and(Some(is_bad)),
        mark_bad: chip.mark_bad.and(Some(mark_bad)),
        erase_mode: chip.erase_mode,
        begin_erase: chip.begin_erase.and(Some(begin_erase)),
        advance_erase: chip.advance_erase.and(Some(advance_erase)),
        move_page: None,
    };
    // SAFETY: `place` found it aligned with room for the pages; `flash` is not NULL; the caller promises the rest.
    unsafe {
        to.write(pages);
        tell(flash, made);
    }
    RtfsStatus::Ok
}
