//! The functions of the header. What C hands over is looked at here, and nothing that goes wrong leaves but as a status
//! and a message.

use std::ffi::c_char;

use wordline_dram::RequestKind;

use super::abi::{ABI, DramInfo, DramOptions, DramStatus, Stats, WlDram};
use super::fault::DramFault;
use super::memory::DramMemory;
use super::table;
use crate::boundary::{BadArgument, guarded, read_in, text, write_out};
use crate::message;

fn status(act: impl FnOnce() -> Result<(), DramFault>) -> DramStatus {
    match guarded(act) {
        Ok(()) => DramStatus::Ok,
        Err(status) => status,
    }
}

fn kind(is_write: i32) -> RequestKind {
    if is_write == 0 {
        RequestKind::Read
    } else {
        RequestKind::Write
    }
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_abi() -> u32 {
    ABI
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_message() -> *const c_char {
    message::message()
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `options` and `memory` are NULL or point to what the header says, and so do the pointers in `options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_create(
    options: *const DramOptions,
    memory: *mut *mut WlDram,
) -> DramStatus {
    status(|| {
        if memory.is_null() {
            return Err(BadArgument::Null("memory").into());
        }
        // SAFETY: it is not NULL, and the caller promises that it points to a pointer.
        unsafe { memory.write_unaligned(std::ptr::null_mut()) };
        // SAFETY: the caller promises what `read_in` asks for.
        let options = unsafe { read_in(options, "options") }?;
        if options.abi != u64::from(ABI) {
            let (found, known) = (options.abi, ABI);
            return Err(BadArgument::Abi { found, known }.into());
        }
        // SAFETY: the caller promises that these are NULL or texts; they are used within this call alone.
        let (target, settings, catalog) = unsafe {
            (
                text(options.target, "target")?,
                text(options.settings, "settings")?,
                text(options.catalog, "catalog")?,
            )
        };
        let target = target.ok_or(BadArgument::Null("target"))?;
        let made = DramMemory::new(target, settings, catalog)?;
        let handle = table::insert(made, options.complete, options.user)?;
        // SAFETY: as above. The handle is a number passed as a pointer; it is never dereferenced.
        unsafe { memory.write_unaligned(std::ptr::without_provenance_mut(handle)) };
        Ok(())
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_free(memory: *mut WlDram) -> DramStatus {
    status(|| match memory.addr() {
        0 => Ok(()),
        handle => table::remove(handle),
    })
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `info` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_get_info(
    memory: *const WlDram,
    info: *mut DramInfo,
) -> DramStatus {
    status(|| {
        let entry = table::find(memory.addr())?;
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(info, || Ok::<_, DramFault>(entry.memory()?.info())) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_can_accept(memory: *const WlDram, address: u64, is_write: i32) -> i32 {
    let accepts = guarded::<_, DramFault>(|| {
        let entry = table::find(memory.addr())?;
        entry.memory()?.can_accept(address, kind(is_write))
    });
    accepts.map_or(-1, i32::from)
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_push(
    memory: *mut WlDram,
    address: u64,
    is_write: i32,
    id: u64,
) -> DramStatus {
    status(|| {
        let entry = table::find(memory.addr())?;
        entry.memory()?.push(address, kind(is_write), id)
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_tick(memory: *mut WlDram) -> DramStatus {
    status(|| table::find(memory.addr())?.run(DramMemory::tick))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_run_until(memory: *mut WlDram, time_ps: u64) -> DramStatus {
    status(|| table::find(memory.addr())?.run(|memory| memory.run_until(time_ps)))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_drain(memory: *mut WlDram) -> DramStatus {
    status(|| table::find(memory.addr())?.run(|memory| Ok(memory.drain())))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_now(memory: *const WlDram) -> u64 {
    let now = guarded(|| Ok::<_, DramFault>(table::find(memory.addr())?.memory()?.now_ps()));
    now.unwrap_or(0)
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_next_event(memory: *const WlDram) -> u64 {
    let next = guarded(|| Ok::<_, DramFault>(table::find(memory.addr())?.memory()?.next_event()));
    next.unwrap_or(u64::MAX)
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `stats` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_get_stats(memory: *const WlDram, stats: *mut Stats) -> DramStatus {
    status(|| {
        let entry = table::find(memory.addr())?;
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(stats, || Ok::<_, DramFault>(entry.memory()?.stats())) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_reset_stats(memory: *mut WlDram) -> DramStatus {
    status(|| {
        table::find(memory.addr())?.memory()?.reset_stats();
        Ok(())
    })
}
