//! The functions of the header. What C hands over is looked at here, and nothing that goes wrong leaves but as a status
//! and a message.

use std::ffi::c_char;

use wordline_dram::RequestKind;

use super::abi::{
    ABI, DramCompletion, DramInfo, DramOptions, DramStatus, PushedRequest, Stats, WlDram,
};
use super::fault::DramFault;
use super::memory::DramMemory;
use super::table;
use crate::boundary::{BadArgument, guarded, read_in, store, text, write_out};
use crate::message;

#[inline(always)]
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
        let made = DramMemory::new(target, settings, catalog, options.backlog)?;
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
        // A bad handle is named before a bad struct.
        table::with(memory.addr(), |_| Ok(()))?;
        let told = || table::with(memory.addr(), |memory| Ok(memory.info()));
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(info, told) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_can_accept(memory: *const WlDram, address: u64, is_write: i32) -> i32 {
    let accepts = guarded(|| {
        table::with(memory.addr(), |memory| {
            memory.can_accept(address, kind(is_write))
        })
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
        let kind = kind(is_write);
        if table::with(memory.addr(), |memory| memory.push(address, kind, id))? {
            return Ok(());
        }
        Err(DramFault::Full(match kind {
            RequestKind::Read => "read",
            RequestKind::Write => "write",
        }))
    })
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `requests` and `taken` are NULL or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_push_many(
    memory: *mut WlDram,
    requests: *const PushedRequest,
    count: u64,
    taken: *mut u64,
) -> DramStatus {
    status(|| {
        if requests.is_null() && count > 0 {
            return Err(BadArgument::Null("requests").into());
        }
        // SAFETY: the caller promises what `store` asks for.
        unsafe { store(taken, 0, "taken") }?;
        table::with(memory.addr(), |memory| {
            for number in 0..count as usize {
                // SAFETY: it is not NULL, and the caller promises that so many requests are there. They need not be
                // aligned.
                let request = unsafe { requests.add(number).read_unaligned() };
                if !memory.push(request.address, kind(request.is_write), request.id)? {
                    break;
                }
                // SAFETY: as above.
                unsafe { store(taken, number as u64 + 1, "taken") }?;
            }
            Ok(())
        })
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_tick(memory: *mut WlDram) -> DramStatus {
    status(|| table::run(memory.addr(), DramMemory::tick))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_run_until(memory: *mut WlDram, time_ps: u64) -> DramStatus {
    status(|| table::run(memory.addr(), |memory| memory.run_until(time_ps)))
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `done` and `count` are NULL or point to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_step(
    memory: *mut WlDram,
    limit_ps: u64,
    done: *mut DramCompletion,
    room: u64,
    count: *mut u64,
) -> DramStatus {
    status(|| {
        let step = |memory: &mut DramMemory| memory.step(limit_ps);
        if done.is_null() {
            return table::run(memory.addr(), step);
        }
        // SAFETY: the caller promises what `store` asks for.
        unsafe { store(count, 0, "count") }?;
        let told = table::run_into(memory.addr(), step, room, |number, completion| {
            // SAFETY: `done` is not NULL, and the caller promises that it has so much room. It need not be aligned.
            unsafe { done.add(number as usize).write_unaligned(completion) };
        })?;
        // SAFETY: as above.
        unsafe { store(count, told, "count") }?;
        Ok(())
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_drain(memory: *mut WlDram) -> DramStatus {
    status(|| {
        table::run(memory.addr(), |memory| {
            memory.drain();
            Ok(())
        })
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_now(memory: *const WlDram) -> u64 {
    let now = guarded(|| table::with(memory.addr(), |memory| Ok(memory.now_ps())));
    now.unwrap_or(0)
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_next_event(memory: *const WlDram) -> u64 {
    let next = guarded(|| table::with(memory.addr(), |memory| Ok(memory.next_event())));
    next.unwrap_or(u64::MAX)
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `stats` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_get_stats(memory: *const WlDram, stats: *mut Stats) -> DramStatus {
    status(|| {
        // A bad handle is named before a bad struct.
        table::with(memory.addr(), |_| Ok(()))?;
        let told = || table::with(memory.addr(), |memory| Ok(memory.stats()));
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(stats, told) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_reset_stats(memory: *mut WlDram) -> DramStatus {
    status(|| {
        table::with(memory.addr(), |memory| {
            memory.reset_stats();
            Ok(())
        })
    })
}
