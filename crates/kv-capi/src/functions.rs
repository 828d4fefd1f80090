//! The functions of the header.

use core::ffi::c_void;

use wordline_c_abi::{
    CallerBuffer, CallerMemory, MemoryCode, MemoryFunctions, apart, bytes_in, bytes_out, clear,
    keep, tell, value,
};
use wordline_kv::{AnyDirectory, Cursor, Error, Geometry, RamDirectory, ResidentDirectory, Table};

use crate::abi::{Info, OpeningReport, Options, Status, WlKv};
use crate::storage::{Kept, Opened, keep_refusal, opened, refusal};

fn status(act: impl FnOnce() -> Result<(), Status>) -> Status {
    act().err().unwrap_or(Status::Ok)
}

/// Does something with an open table, and keeps which slot is damaged.
///
/// # Safety
/// As of [`opened`].
unsafe fn with_table(
    table: *mut WlKv,
    act: impl FnOnce(&mut Kept) -> Result<bool, Error<MemoryCode>>,
) -> Result<(), Status> {
    // SAFETY: the caller promises it.
    let Opened { table, damaged } = unsafe { opened(table) }?;
    match act(table) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Status::NotFound),
        Err(error) => {
            if let Error::Corrupt { slot } = error {
                *damaged = slot;
            }
            Err(error.into())
        }
    }
}

/// See `wordline_kv.h`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_kv_slot_bytes(key_bytes: usize, value_bytes: usize, atom: u32) -> u32 {
    // Longer ones take several slots anyway.
    let most = |bytes: usize| bytes.min(1 << 14);
    wordline_kv::Options::for_records(most(key_bytes), most(value_bytes), atom as usize)
        .slot_bytes
        .min(1 << 15)
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_format(
    memory: *const MemoryFunctions,
    options: *const Options,
) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let mut driver = unsafe { CallerMemory::new(memory) }?;
        // SAFETY: the caller promises it.
        let options = unsafe { value(options) }?;
        let options = wordline_kv::Options {
            slot_bytes: options.slot_bytes,
            resident_directory: options.resident != 0,
            seed: options.seed,
        };
        wordline_kv::format(&mut driver, &options)?;
        Ok(())
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_describe(memory: *const MemoryFunctions, info: *mut Info) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let mut driver = unsafe { CallerMemory::new(memory) }?;
        if info.is_null() {
            return Err(Status::BadArgument);
        }
        let geometry = Geometry::read(&mut driver)?;
        let told = Info {
            slot_bytes: geometry.slot_bytes,
            slots: geometry.slots(),
            resident: geometry.resident_directory.into(),
            directory_words: geometry.directory_words() as u32,
            scratch_bytes: geometry.scratch_bytes() as u32,
        };
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { info.write_unaligned(told) };
        Ok(())
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and `scratch` and `directory` are the table's from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_open(
    table: *mut WlKv,
    memory: *const MemoryFunctions,
    scratch: *mut c_void,
    scratch_bytes: usize,
    directory: *mut u64,
    directory_words: usize,
) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        unsafe { clear(table) }?;
        // SAFETY: the caller promises it.
        let driver = unsafe { CallerMemory::new(memory) }?;
        // SAFETY: the caller promises that they are the table's.
        let buffer = unsafe { CallerBuffer::new(scratch.cast::<u8>(), scratch_bytes) }?;
        let directory = if directory.is_null() {
            AnyDirectory::Resident(ResidentDirectory::new())
        } else {
            // SAFETY: the caller promises that the words are the table's.
            let words = unsafe { CallerBuffer::new(directory, directory_words) }?;
            apart(
                scratch,
                scratch_bytes,
                directory.cast(),
                directory_words * 8,
            )?;
            AnyDirectory::Ram(RamDirectory::new(words))
        };
        let opened = Table::open(driver, directory, buffer).inspect_err(|error| {
            if let Error::Corrupt { slot } = error {
                // SAFETY: the caller promises it; nothing is open there.
                unsafe { keep_refusal(table, *slot) };
            }
        });
        let opened = Opened {
            damaged: u32::MAX,
            table: opened?,
        };
        // SAFETY: the caller promises it.
        Ok(unsafe { keep(table, opened) }?)
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_put(
    table: *mut WlKv,
    key: *const c_void,
    key_bytes: usize,
    value: *const c_void,
    value_bytes: usize,
) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let (key, value) = unsafe { (bytes_in(key, key_bytes)?, bytes_in(value, value_bytes)?) };
        // SAFETY: the caller promises it.
        unsafe { with_table(table, |table| table.put(key, value).map(|_| true)) }
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_get(
    table: *mut WlKv,
    key: *const c_void,
    key_bytes: usize,
    value: *mut c_void,
    room: usize,
    value_bytes: *mut usize,
) -> Status {
    status(|| {
        apart(key, key_bytes, value, room)?;
        // SAFETY: the caller promises it, and they are apart.
        let (key, out) = unsafe { (bytes_in(key, key_bytes)?, bytes_out(value, room)?) };
        let mut length = 0;
        let get = |table: &mut Kept| {
            let found = table.get(key, out).inspect_err(|error| {
                if let Error::Buffer { needed, .. } = error {
                    length = *needed;
                }
            })?;
            length = found.unwrap_or(0);
            Ok(found.is_some())
        };
        // SAFETY: the caller promises it.
        let done = unsafe { with_table(table, get) };
        // SAFETY: the caller promises it.
        unsafe { tell(value_bytes, length) };
        done
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_remove(
    table: *mut WlKv,
    key: *const c_void,
    key_bytes: usize,
) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let key = unsafe { bytes_in(key, key_bytes) }?;
        // SAFETY: the caller promises it.
        unsafe { with_table(table, |table| table.remove(key)) }
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_next(
    table: *mut WlKv,
    cursor: *mut u32,
    key: *mut c_void,
    key_room: usize,
    key_bytes: *mut usize,
    value: *mut c_void,
    value_room: usize,
    value_bytes: *mut usize,
) -> Status {
    status(|| {
        if cursor.is_null() {
            return Err(Status::BadArgument);
        }
        apart(key, key_room, value, value_room)?;
        // SAFETY: the caller promises it, and they are apart.
        let (key, out) = unsafe { (bytes_out(key, key_room)?, bytes_out(value, value_room)?) };
        // SAFETY: it is not NULL, and the caller promises the rest.
        let mut place = Cursor::at(unsafe { cursor.read_unaligned() });
        let mut lengths = (0, 0);
        let next = |table: &mut Kept| {
            let found = table.next(&mut place, key, out)?;
            lengths = found.map_or((0, 0), |entry| (entry.key, entry.value));
            Ok(found.is_some())
        };
        // SAFETY: the caller promises it.
        let done = unsafe { with_table(table, next) };
        // SAFETY: the caller promises it of all three.
        unsafe {
            cursor.write_unaligned(place.slot());
            tell(key_bytes, lengths.0);
            tell(value_bytes, lengths.1);
        }
        done
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_discard(table: *mut WlKv, slot: u32) -> Status {
    // SAFETY: the caller promises it.
    status(|| unsafe { with_table(table, |table| table.discard(slot)) })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_damaged_slot(table: *const WlKv) -> u32 {
    // SAFETY: the caller promises it; nothing is written.
    match unsafe { opened(table.cast_mut()) } {
        Ok(opened) => opened.damaged,
        // SAFETY: the caller promises it.
        Err(_) => unsafe { refusal(table) }.unwrap_or(u32::MAX),
    }
}

/// See `wordline_kv.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_recovered(
    table: *const WlKv,
    recovery: *mut OpeningReport,
) -> Status {
    status(|| {
        if recovery.is_null() {
            return Err(Status::BadArgument);
        }
        // SAFETY: the caller promises it; nothing is written.
        let opened = unsafe { opened(table.cast_mut()) }?;
        let report = OpeningReport::from(opened.table.recovery());
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { recovery.write_unaligned(report) };
        Ok(())
    })
}

/// See `wordline_kv.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_records(table: *const WlKv) -> u32 {
    // SAFETY: the caller promises it; nothing is written.
    unsafe { opened(table.cast_mut()) }.map_or(0, |opened| opened.table.len())
}

/// See `wordline_kv.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_kv_free_slots(table: *const WlKv) -> u32 {
    // SAFETY: the caller promises it; nothing is written.
    unsafe { opened(table.cast_mut()) }.map_or(0, |opened| opened.table.free_slots())
}
