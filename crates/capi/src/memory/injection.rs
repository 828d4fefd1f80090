//! The functions of the header that let several things go wrong at a place, and that look at cells in no time.

use std::ffi::c_void;

use super::abi::{Fault, Ideal, MemoryStatus, WlMemory};
use super::device::MemoryDevice;
use super::functions::{make, with};
use crate::boundary::{bytes_in, bytes_out, check_place, read_in, store};

/// See `wordline_memory.h`.
///
/// # Safety
/// `ideal` and `memory` are NULL or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_create_ideal(
    ideal: *const Ideal,
    memory: *mut *mut WlMemory,
) -> MemoryStatus {
    let device = || {
        // SAFETY: the caller promises what `read_in` asks for.
        MemoryDevice::ideal(&unsafe { read_in(ideal, "ideal") }?)
    };
    // SAFETY: the caller promises that `memory` is NULL or points to a pointer.
    unsafe { make(memory, "memory", device) }
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `fault` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_add_fault(
    memory: *mut WlMemory,
    fault: *const Fault,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises what `read_in` asks for.
        let fault = unsafe { read_in(fault, "fault") }?;
        device.add_fault(&fault)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_clear_faults(
    memory: *mut WlMemory,
    at: u64,
    bytes: u64,
) -> MemoryStatus {
    with(memory, |device| device.clear_faults(at, bytes))
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_peek(
    memory: *mut WlMemory,
    at: u64,
    out: *mut c_void,
    bytes: u64,
) -> MemoryStatus {
    with(memory, |device| {
        device.check(at, bytes)?;
        // SAFETY: the caller promises what `bytes_out` asks for.
        device.peek(at, unsafe { bytes_out(out, bytes) }?)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_poke(
    memory: *mut WlMemory,
    at: u64,
    data: *const c_void,
    bytes: u64,
) -> MemoryStatus {
    with(memory, |device| {
        device.check(at, bytes)?;
        // SAFETY: the caller promises what `bytes_in` asks for.
        device.poke(at, unsafe { bytes_in(data, bytes) }?)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `out` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_peek_page(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    out: *mut c_void,
    bytes: u32,
) -> MemoryStatus {
    with(memory, |device| {
        device.check_page(page, column, bytes)?;
        // SAFETY: the caller promises what `bytes_out` asks for.
        let out = unsafe { bytes_out(out, u64::from(bytes)) }?;
        device.peek_page(page, column, out)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `data` is NULL or points to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_poke_page(
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
        device.poke_page(page, column, data)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `is_free` is NULL or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_is_free(
    memory: *mut WlMemory,
    page: u32,
    is_free: *mut i32,
) -> MemoryStatus {
    with(memory, |device| {
        check_place(is_free, "is_free")?;
        let found = device.is_free(page)?;
        // SAFETY: the caller promises what `store` asks for.
        Ok(unsafe { store(is_free, i32::from(found), "is_free") }?)
    })
}
