//! The functions of the header that make memories, look at them and let things go wrong; `operations`, `commands` and
//! `injection` have the rest.

use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};

use wordline_core::quantity::Time;
use wordline_nvm::ageing::Environment;

use super::abi::{ABI, Cut, Info, Listener, MemoryStatus, Options, Stats, WlMemory};
use super::ageing::period;
use super::block_faults::InjectedFault;
use super::device::{MemoryDevice, Wanted};
use super::fault::{FaultReason, MemoryFault};
use super::handle;
use crate::boundary::{BadArgument, User, guarded, read_in, store, text, write_out};
use crate::message;

/// Does something, and returns its status.
#[inline(always)]
pub(super) fn status(act: impl FnOnce() -> Result<(), MemoryFault>) -> MemoryStatus {
    match guarded(act) {
        Ok(()) => MemoryStatus::Ok,
        Err(status) => status,
    }
}

/// Does something with a memory, and returns its status.
#[inline(always)]
pub(super) fn with(
    memory: *const WlMemory,
    act: impl FnOnce(&mut MemoryDevice) -> Result<(), MemoryFault>,
) -> MemoryStatus {
    status(|| handle::with(memory.addr(), act))
}

/// A number that is 0 or 1.
fn switch(what: &'static str, found: u64) -> Result<bool, MemoryFault> {
    match found {
        0 => Ok(false),
        1 => Ok(true),
        found => Err(FaultReason::Value {
            what,
            found,
            allowed: "0 or 1",
        }
        .into()),
    }
}

/// Stores the handle of a memory that is made, or NULL.
///
/// # Safety
/// `out` is NULL or points to a pointer.
pub(super) unsafe fn make(
    out: *mut *mut WlMemory,
    name: &'static str,
    make: impl FnOnce() -> Result<MemoryDevice, MemoryFault>,
) -> MemoryStatus {
    status(|| {
        // SAFETY: the caller promises what `store` asks for.
        unsafe { store(out, std::ptr::null_mut(), name) }?;
        let handle = handle::insert(make()?)?;
        // SAFETY: as above. The handle is a number passed as a pointer; it is never dereferenced.
        unsafe { store(out, std::ptr::without_provenance_mut(handle), name) }?;
        Ok(())
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_abi() -> u32 {
    ABI
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_message() -> *const c_char {
    message::message()
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `options` and `memory` are NULL or point to what the header says, and so do the pointers in `options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_create(
    options: *const Options,
    memory: *mut *mut WlMemory,
) -> MemoryStatus {
    let device = || {
        // SAFETY: the caller promises what `read_in` asks for.
        let options = unsafe { read_in(options, "options") }?;
        let (found, known) = (options.abi, ABI);
        if found != u64::from(known) {
            return Err(BadArgument::Abi { found, known }.into());
        }
        // SAFETY: the caller promises that these are NULL or texts; they are used within this call alone.
        let (target, catalog, timing) = unsafe {
            (
                text(options.target, "target")?,
                text(options.catalog, "catalog")?,
                text(options.timing, "timing")?,
            )
        };
        // Out of range they are refused, also where nothing ages: they cannot be meant.
        let environment = Environment {
            celsius: options.celsius,
            dwell: period("dwell_s", options.dwell_s)?,
        };
        environment.check()?;
        MemoryDevice::new(&Wanted {
            target: target.ok_or(BadArgument::Null("target"))?,
            catalog,
            timing,
            seed: options.seed,
            age: options.age,
            is_of_one_thread: switch("one_thread", options.one_thread)?,
            ageing: switch("ageing", options.ageing)?.then_some(environment),
            factory_bad: options.factory_bad,
            strict: options.strict,
            erase_bytes: options.erase_bytes,
            host_ecc: switch("host_ecc", options.host_ecc)?,
        })
    };
    // SAFETY: the caller promises that `memory` is NULL or points to a pointer.
    unsafe { make(memory, "memory", device) }
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_free(memory: *mut WlMemory) -> MemoryStatus {
    status(|| match memory.addr() {
        0 => Ok(()),
        handle => handle::remove(handle)?.trace.write_to(None),
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `fork` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_fork(
    memory: *const WlMemory,
    fork: *mut *mut WlMemory,
) -> MemoryStatus {
    let device = || handle::with(memory.addr(), |device| Ok(device.fork()));
    // SAFETY: the caller promises that `fork` is NULL or points to a pointer.
    unsafe { make(fork, "fork", device) }
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_restore(
    memory: *mut WlMemory,
    snapshot: *const WlMemory,
) -> MemoryStatus {
    status(|| {
        let state = handle::with(snapshot.addr(), |device| Ok(device.fork()))?;
        handle::with(memory.addr(), |device| device.restore(state))
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `info` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_info(
    memory: *const WlMemory,
    info: *mut Info,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(info, || Ok(*device.info())) }
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_now(memory: *const WlMemory) -> u64 {
    let now = guarded(|| handle::with(memory.addr(), |device| Ok(device.now().ps())));
    now.unwrap_or(0)
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_advance(memory: *mut WlMemory, time_ps: u64) -> MemoryStatus {
    with(memory, |device| device.advance(Time::from_ps(time_ps)))
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_last_duration(memory: *const WlMemory) -> u64 {
    let last = guarded(|| handle::with(memory.addr(), |device| Ok(device.last().ps())));
    last.unwrap_or(0)
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_energy(memory: *const WlMemory) -> f64 {
    let energy = guarded(|| handle::with(memory.addr(), |device| Ok(device.energy_j())));
    energy.unwrap_or(f64::NAN)
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `stats` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_stats(
    memory: *const WlMemory,
    stats: *mut Stats,
) -> MemoryStatus {
    with(memory, |device| {
        let size = size_of::<Stats>() as u64;
        let known = Stats {
            size,
            ..*device.stats()
        };
        // SAFETY: the caller promises what `write_out` asks for.
        unsafe { write_out(stats, || Ok(known)) }
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_reset_stats(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, |device| {
        device.reset_stats();
        Ok(())
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `cycles` is NULL or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_get_cycles(
    memory: *const WlMemory,
    unit: u64,
    cycles: *mut u64,
) -> MemoryStatus {
    with(memory, |device| {
        let found = device.cycles(unit)?;
        // SAFETY: the caller promises what `store` asks for.
        Ok(unsafe { store(cycles, found, "cycles") }?)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_set_cycles(
    memory: *mut WlMemory,
    unit: u64,
    cycles: u64,
) -> MemoryStatus {
    with(memory, |device| device.set_cycles(unit, cycles))
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_set_fault(
    memory: *mut WlMemory,
    block: u32,
    fault: u32,
) -> MemoryStatus {
    with(memory, |device| {
        device.set_fault(block, InjectedFault::of(u64::from(fault))?)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_flip_bit(
    memory: *mut WlMemory,
    page: u32,
    column: u32,
    bit: u32,
) -> MemoryStatus {
    with(memory, |device| {
        let known = u8::try_from(bit).ok().filter(|bit| *bit < 8);
        let known = known.ok_or(FaultReason::Value {
            what: "bit",
            found: u64::from(bit),
            allowed: "0 to 7",
        })?;
        device.flip(page, column, known)
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `cut` is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_cut_power(
    memory: *mut WlMemory,
    cut: *const Cut,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises what `read_in` asks for.
        let cut = unsafe { read_in(cut, "cut") }?;
        device.cut_power(&cut)
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_power_up(memory: *mut WlMemory) -> MemoryStatus {
    with(memory, MemoryDevice::power_up)
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `path` is NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_save(
    memory: *const WlMemory,
    path: *const c_char,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises that it is NULL or a text; it is used within this call alone.
        let path = unsafe { text(path, "path") }?;
        device.save(Path::new(path.ok_or(BadArgument::Null("path"))?))
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `path` is NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_load(
    memory: *mut WlMemory,
    path: *const c_char,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises that it is NULL or a text; it is used within this call alone.
        let path = unsafe { text(path, "path") }?;
        device.load(Path::new(path.ok_or(BadArgument::Null("path"))?))
    })
}

/// See `wordline_memory.h`.
///
/// # Safety
/// `path` is NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_memory_trace_to(
    memory: *mut WlMemory,
    path: *const c_char,
) -> MemoryStatus {
    with(memory, |device| {
        // SAFETY: the caller promises that it is NULL or a text; it is used within this call alone.
        let path = unsafe { text(path, "path") }?;
        device.trace.write_to(path.map(PathBuf::from))
    })
}

/// See `wordline_memory.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_memory_listen(
    memory: *mut WlMemory,
    listener: Option<Listener>,
    user: *mut c_void,
) -> MemoryStatus {
    with(memory, |device| {
        let listener = listener.map(|listener| (listener, User::new(user)));
        device.trace.tell(listener);
        Ok(())
    })
}
