//! The functions of the header that do something to what a memory holds.

use std::ffi::c_void;

use super::abi::{Ecc, MemoryStatus, WlMemory};
use super::device::MemoryDevice;
use super::fault::MemoryFault;
use super::functions::with;
use crate::boundary::{bytes_in, bytes_out, check_place, check_struct, store, write_out};

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_read(
    memory: *mut WlMemory,
    at: u64,
    out: *mut c_void,
    bytes: u64,
) -> MemoryStatus {
    with(memory, move |device| {
        device.check(at, bytes)?;
        // SAFETY: the caller promises what `bytes_out` asks for.
        device.read(at, unsafe { bytes_out(out, bytes) }?)
    })
}

/// Stores C's bytes in a range of a memory.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[inline(always)]
unsafe fn put(
    memory: *mut WlMemory,
    at: u64,
    data: *const c_void,
    bytes: u64,
    put: impl FnOnce(&mut MemoryDevice, u64, &[u8]) -> Result<(), MemoryFault>,
) -> MemoryStatus {
    with(memory, move |device| {
        device.check(at, bytes)?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        put(device, at, unsafe { bytes_in(data, bytes) }?)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_program(
    memory: *mut WlMemory,
    at: u64,
    data: *const c_void,
    bytes: u64,
) -> MemoryStatus {
    // SAFETY: the caller promises what `put` asks for.
    unsafe { put(memory, at, data, bytes, MemoryDevice::program) }
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_write(
    memory: *mut WlMemory,
    at: u64,
    data: *const c_void,
    bytes: u64,
) -> MemoryStatus {
    // SAFETY: the caller promises what `put` asks for.
    unsafe { put(memory, at, data, bytes, MemoryDevice::write) }
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_erase(memory: *mut WlMemory, block: u32) -> MemoryStatus {
    with(memory, |device| device.erase(block))
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_sync(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, MemoryDevice::sync)
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes, `ecc` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_read_page(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    out: *mut c_void,
    bytes: u32,
    ecc: *mut Ecc,
) -> MemoryStatus {
    // SAFETY: the caller promises what `read_page` asks for.
    with(memory, |device| unsafe {
        read_page(device, page, column, (out, bytes), ecc)
    })
}

/// Reads a part of a page into C's bytes, and says what the ECC did where that is asked for.
///
/// # Safety
/// `out` is NULL or points to so many bytes, `ecc` is NULL or points to what the header says.
#[inline(always)]
pub(super) unsafe fn read_page(
    device: &mut MemoryDevice,
    page: u32,
    column: u32,
    (out, bytes): (*mut c_void, u32),
    ecc: *mut Ecc,
) -> Result<(), MemoryFault> {
    device.check_page(page, column, bytes)?;
    // SAFETY: the caller promises what `bytes_out` asks for.
    let out = unsafe { bytes_out(out, u64::from(bytes)) }?;
    // SAFETY: the caller promises what `check_struct` asks for.
    unsafe { check_struct(ecc) }?;
    let read = device.read_page(page, column, out);
    // SAFETY: the caller promises what `store_ecc` asks for.
    unsafe { store_ecc(device, read.map(drop), ecc) }
}

/// Says what the ECC found in a read, where that is asked for: also where it gave up.
///
/// # Safety
/// `ecc` is NULL or points to what the header says.
#[inline(always)]
pub(super) unsafe fn store_ecc(
    device: &MemoryDevice,
    read: Result<(), MemoryFault>,
    ecc: *mut Ecc,
) -> Result<(), MemoryFault> {
    let has_found = match &read {
        Ok(()) => true,
        Err(fault) => fault.is_uncorrectable(),
    };
    if !ecc.is_null() && has_found {
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(ecc, || Ok::<_, MemoryFault>(device.last_ecc())) }?;
    }
    read
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_program_page(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    data: *const c_void,
    bytes: u32,
) -> MemoryStatus {
    with(memory, |device| {
        device.check_page(page, column, bytes)?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        let data = unsafe { bytes_in(data, u64::from(bytes)) }?;
        device.program_page(page, column, data)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `bad` is NULL or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_is_bad(
    memory: *mut WlMemory,
    block: u32,
    bad: *mut i32,
) -> MemoryStatus {
    with(memory, |device| {
        check_place(bad, "bad")?;
        let found = device.is_bad(block)?;
        // SAFETY: the caller promises what `store` asks for.
        Ok(unsafe { store(bad, i32::from(found), "bad") }?)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_mark_bad(memory: *mut WlMemory, block: u32) -> MemoryStatus {
    with(memory, |device| device.mark_bad(block))
}
