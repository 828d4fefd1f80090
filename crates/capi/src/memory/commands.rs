//! The functions of the header for what chips do beside read, program and erase of a block.

use std::ffi::c_void;

use super::abi::{Ecc, MemoryStatus, WlMemory, Work};
use super::device::MemoryDevice;
use super::fault::FaultReason;
use super::functions::with;
use super::operations::{read_page, store_ecc};
use crate::boundary::{BadArgument, bytes_in, bytes_out, check_struct, store, write_out};

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_erase_range(
    memory: *mut WlMemory,
    at: u64,
    bytes: u64,
    unit: u64,
) -> MemoryStatus {
    with(memory, |device| device.erase_range(at, bytes, unit))
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `bytes` is NULL or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_erase_size(
    memory: *const WlMemory,
    index: u64,
    bytes: *mut u64,
) -> MemoryStatus {
    with(memory, |device| {
        let sizes = device.erase_sizes()?;
        let found = usize::try_from(index).ok();
        let found = found.and_then(|index| sizes.get(index));
        let found = *found.ok_or(FaultReason::Value {
            what: "erase size number",
            found: index,
            allowed: "less than info.erase_sizes",
        })?;
        // SAFETY: the caller promises what `store` asks for.
        Ok(unsafe { store(bytes, found, "bytes") }?)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `column` and `bytes` are NULL or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_free_range(
    memory: *const WlMemory,
    index: u64,
    column: *mut u32,
    bytes: *mut u32,
) -> MemoryStatus {
    with(memory, |device| {
        let ranges = device.free_ranges()?;
        let found = usize::try_from(index).ok();
        let found = found.and_then(|index| ranges.get(index));
        let found = found.ok_or(FaultReason::Value {
            what: "free range number",
            found: index,
            allowed: "less than info.free_ranges",
        })?;
        // SAFETY: the caller promises what `store` asks for.
        unsafe { store(column, found.start, "column") }?;
        // SAFETY: as above.
        Ok(unsafe { store(bytes, found.end - found.start, "bytes") }?)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_start_erase(
    memory: *mut WlMemory,
    at: u64,
    bytes: u64,
) -> MemoryStatus {
    with(memory, |device| device.start_erase(at, bytes))
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_wait(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, MemoryDevice::wait)
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_suspend(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, MemoryDevice::suspend)
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_resume(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, MemoryDevice::resume)
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `work` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_work(
    memory: *const WlMemory,
    work: *mut Work,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(work, || device.work()) }
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_read_suspending(
    memory: *mut WlMemory,
    at: u64,
    out: *mut c_void,
    bytes: u64,
) -> MemoryStatus {
    with(memory, |device| {
        device.check(at, bytes)?;
        // SAFETY: the caller promises what `bytes_out` asks for.
        device.read_suspending(at, unsafe { bytes_out(out, bytes) }?)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_move_page(
    memory: *mut WlMemory,
    from: u32,
    to: u32,
    column: u32,
    data: *const c_void,
    bytes: u32,
) -> MemoryStatus {
    with(memory, |device| {
        device.check_page(from, column, bytes)?;
        device.check_page(to, column, bytes)?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        let data = unsafe { bytes_in(data, u64::from(bytes)) }?;
        device.move_page(from, to, column, data)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes, `ecc` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_read_spare(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    out: *mut c_void,
    bytes: u32,
    ecc: *mut Ecc,
) -> MemoryStatus {
    with(memory, |device| {
        let column = device.spare_column(column)?;
        // SAFETY: the caller promises what `read_page` asks for.
        unsafe { read_page(device, page, column, (out, bytes), ecc) }
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_program_spare(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    data: *const c_void,
    bytes: u32,
) -> MemoryStatus {
    with(memory, |device| {
        let column = device.spare_column(column)?;
        device.check_page(page, column, bytes)?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        let data = unsafe { bytes_in(data, u64::from(bytes)) }?;
        device.program_page(page, column, data)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `main` and `spare` are NULL or point to the bytes of these areas, `ecc` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_read_whole(
    memory: *mut WlMemory,
    page: u32,
    main: *mut c_void,
    spare: *mut c_void,
    ecc: *mut Ecc,
) -> MemoryStatus {
    with(memory, |device| {
        let (main_bytes, spare_bytes) = device.areas()?;
        // SAFETY: the caller promises what `bytes_out` asks for.
        let main = unsafe { bytes_out(main, main_bytes) }.map_err(|_| BadArgument::Null("main"))?;
        // SAFETY: as above.
        let spare =
            unsafe { bytes_out(spare, spare_bytes) }.map_err(|_| BadArgument::Null("spare"))?;
        // SAFETY: the caller promises what `check_struct` asks for.
        unsafe { check_struct(ecc) }?;
        let read = device.read_whole(page, main, spare);
        // SAFETY: the caller promises what `store_ecc` asks for.
        unsafe { store_ecc(device, read, ecc) }
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `main` and `spare` are NULL or point to the bytes of these areas.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_program_whole(
    memory: *mut WlMemory,
    page: u32,
    main: *const c_void,
    spare: *const c_void,
) -> MemoryStatus {
    with(memory, |device| {
        let (main_bytes, spare_bytes) = device.areas()?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        let main = unsafe { bytes_in(main, main_bytes) }.map_err(|_| BadArgument::Null("main"))?;
        // SAFETY: as above.
        let spare =
            unsafe { bytes_in(spare, spare_bytes) }.map_err(|_| BadArgument::Null("spare"))?;
        device.program_whole(page, main, spare)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `ecc` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_last_ecc(
    memory: *const WlMemory,
    ecc: *mut Ecc,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(ecc, || Ok(device.last_ecc())) }
    })
}
