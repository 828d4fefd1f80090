//! The functions of the header. What C hands over is looked at here, and nothing that goes wrong leaves but as a status
//! and a message.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use wordline_dram::Kind;

use crate::abi::{ABI, Info, Options, Stats, Status, Versioned, WlDram};
use crate::fault::{self, Fault};
use crate::memory::Memory;
use crate::table;

/// Does something, and keeps what went wrong as a message. A panic goes no further: unwinding into C is undefined.
fn guarded<T>(act: impl FnOnce() -> Result<T, Fault>) -> Result<T, Status> {
    // Whatever a panic leaves behind in a memory, its lock is poisoned then, and nobody sees it again.
    let result = catch_unwind(AssertUnwindSafe(act)).unwrap_or(Err(Fault::Internal));
    result.map_err(|fault| {
        fault::keep(&fault);
        fault.status()
    })
}

fn status(act: impl FnOnce() -> Result<(), Fault>) -> Status {
    match guarded(act) {
        Ok(()) => Status::Ok,
        Err(status) => status,
    }
}

fn kind(is_write: i32) -> Kind {
    if is_write == 0 {
        Kind::Read
    } else {
        Kind::Write
    }
}

/// The text behind a pointer; none behind NULL.
///
/// # Safety
/// The pointer is NULL, or that of a text that ends with a NUL byte and lasts as long as the result is used.
unsafe fn text<'a>(pointer: *const c_char, name: &'static str) -> Result<Option<&'a str>, Fault> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Fault::Text(name))
}

/// How many bytes of a struct the caller has, by its first member, and how many of them are known here.
///
/// # Safety
/// The pointer is that of a struct whose first member, a `uint64_t`, tells how many bytes it has.
unsafe fn known_size<T: Sized + Versioned>(pointer: *const T) -> Result<usize, Fault> {
    // SAFETY: the caller promises that the first member is there. It need not be aligned.
    let found = unsafe { pointer.cast::<u64>().read_unaligned() };
    if found < T::FIRST_SIZE as u64 {
        return Err(Fault::Size {
            name: T::NAME,
            found,
            least: T::FIRST_SIZE,
        });
    }
    Ok(usize::try_from(found).map_or(size_of::<T>(), |found| found.min(size_of::<T>())))
}

/// Writes as much of a struct as the caller's has room for, and no more than is known here.
///
/// # Safety
/// The pointer is NULL, or what [`known_size`] asks for.
unsafe fn write_out<T: Copy + Versioned>(
    out: *mut T,
    value: impl FnOnce() -> Result<T, Fault>,
) -> Result<(), Fault> {
    if out.is_null() {
        return Err(Fault::Null(T::NAME));
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let bytes = unsafe { known_size(out) }?;
    let value = value()?;
    // SAFETY: the caller promises that so many bytes are there, and `value` has as many; a local value overlaps with
    // nothing of the caller's.
    unsafe {
        std::ptr::from_ref(&value)
            .cast::<u8>()
            .copy_to_nonoverlapping(out.cast::<u8>(), bytes)
    };
    Ok(())
}

/// Reads as much of the options as the caller has; the rest is as if it were set to 0.
///
/// # Safety
/// The pointer is NULL, or what [`known_size`] asks for.
unsafe fn read_in(options: *const Options) -> Result<Options, Fault> {
    if options.is_null() {
        return Err(Fault::Null("options"));
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let bytes = unsafe { known_size(options) }?;
    let mut known = Options::default();
    // SAFETY: the caller promises that so many bytes are there, and `known` has room for them; a local value overlaps
    // with nothing of the caller's. Every member is a number or a pointer that may be NULL.
    unsafe {
        options
            .cast::<u8>()
            .copy_to_nonoverlapping((&raw mut known).cast::<u8>(), bytes)
    };
    Ok(known)
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_abi() -> u32 {
    ABI
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_message() -> *const c_char {
    fault::message()
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `options` and `memory` are NULL or point to what the header says, and so do the pointers in `options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_create(
    options: *const Options,
    memory: *mut *mut WlDram,
) -> Status {
    status(|| {
        if memory.is_null() {
            return Err(Fault::Null("memory"));
        }
        // SAFETY: it is not NULL, and the caller promises that it points to a pointer.
        unsafe { memory.write(std::ptr::null_mut()) };
        // SAFETY: the caller promises what `read_in` asks for.
        let options = unsafe { read_in(options) }?;
        if options.abi != u64::from(ABI) {
            return Err(Fault::Abi { found: options.abi });
        }
        // SAFETY: the caller promises that these are NULL or texts; they are used within this call alone.
        let (target, settings, catalog) = unsafe {
            (
                text(options.target, "target")?,
                text(options.settings, "settings")?,
                text(options.catalog, "catalog")?,
            )
        };
        let target = target.ok_or(Fault::Null("target"))?;
        let made = Memory::new(target, settings, catalog)?;
        let handle = table::insert(made, options.complete, options.user);
        // SAFETY: as above. The handle is a number in the guise of a pointer; nobody follows it.
        unsafe { memory.write(std::ptr::without_provenance_mut(handle)) };
        Ok(())
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_free(memory: *mut WlDram) -> Status {
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
pub unsafe extern "C" fn wl_dram_get_info(memory: *const WlDram, info: *mut Info) -> Status {
    status(|| {
        let entry = table::find(memory.addr())?;
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(info, || Ok(entry.memory()?.info())) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_can_accept(memory: *const WlDram, address: u64, is_write: i32) -> i32 {
    let accepts = guarded(|| {
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
) -> Status {
    status(|| {
        let entry = table::find(memory.addr())?;
        entry.memory()?.push(address, kind(is_write), id)
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_tick(memory: *mut WlDram) -> Status {
    status(|| table::find(memory.addr())?.run(Memory::tick))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_run_until(memory: *mut WlDram, time_ps: u64) -> Status {
    status(|| table::find(memory.addr())?.run(|memory| memory.run_until(time_ps)))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_drain(memory: *mut WlDram) -> Status {
    status(|| table::find(memory.addr())?.run(|memory| Ok(memory.drain())))
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_now(memory: *const WlDram) -> u64 {
    let now = guarded(|| Ok(table::find(memory.addr())?.memory()?.now_ps()));
    now.unwrap_or(0)
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_next_event(memory: *const WlDram) -> u64 {
    let next = guarded(|| Ok(table::find(memory.addr())?.memory()?.next_event()));
    next.unwrap_or(u64::MAX)
}

/// See `wordline_dram.h`.
///
/// # Safety
/// `stats` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dram_get_stats(memory: *const WlDram, stats: *mut Stats) -> Status {
    status(|| {
        let entry = table::find(memory.addr())?;
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(stats, || Ok(entry.memory()?.stats())) }
    })
}

/// See `wordline_dram.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_dram_reset_stats(memory: *mut WlDram) -> Status {
    status(|| {
        table::find(memory.addr())?.memory()?.reset_stats();
        Ok(())
    })
}
