//! The functions of the header. What C hands over is looked at here.

use core::ffi::c_void;

use wordline_kv::{AnyDirectory, Cursor, Error, Geometry, RamDirectory, ResidentDirectory, Table};

use crate::abi::{Info, KvMemory, Options, Status, WlKv};
use crate::storage::{Buffer, Driver, Failed, Kept, Opened, clear, keep, opened};

fn status(act: impl FnOnce() -> Result<(), Status>) -> Status {
    act().err().unwrap_or(Status::Ok)
}

/// Does something with an open table, and keeps which slot is damaged.
///
/// # Safety
/// As of [`opened`].
unsafe fn with_table(
    table: *mut WlKv,
    act: impl FnOnce(&mut Kept) -> Result<bool, Error<Failed>>,
) -> Result<(), Status> {
    // SAFETY: the caller promises it.
    let Opened { table, damaged, .. } = unsafe { opened(table) }?;
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

/// Bytes to read from; NULL is no bytes, where there are to be none.
///
/// # Safety
/// So many bytes are there, not written as long as the result is used.
unsafe fn bytes_in<'a>(start: *const c_void, length: usize) -> Result<&'a [u8], Status> {
    match length {
        0 => Ok(&[]),
        _ if start.is_null() || length > isize::MAX as usize => Err(Status::BadArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest.
        _ => Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) }),
    }
}

/// Bytes to be written; NULL is no bytes, where there are to be none.
///
/// # Safety
/// So many bytes are there, not touched by others as long as the result is used.
unsafe fn bytes_out<'a>(start: *mut c_void, length: usize) -> Result<&'a mut [u8], Status> {
    match length {
        0 => Ok(&mut []),
        _ if start.is_null() || length > isize::MAX as usize => Err(Status::BadArgument),
        // SAFETY: it is not NULL, the length is one that objects have, and the caller promises the rest. What C has not
        // set yet are bytes nevertheless, and are not read before they are written.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(start.cast(), length) }),
    }
}

/// Refuses two buffers that have a byte in common. Looks at no byte of them.
fn apart(
    one: *const c_void,
    one_bytes: usize,
    other: *const c_void,
    other_bytes: usize,
) -> Result<(), Status> {
    let (one, other) = (one.addr(), other.addr());
    let is_apart = one_bytes == 0
        || other_bytes == 0
        || other.wrapping_sub(one) >= one_bytes && one.wrapping_sub(other) >= other_bytes;
    if is_apart {
        Ok(())
    } else {
        Err(Status::BadArgument)
    }
}

/// Returns a number through a pointer, unless it is null.
///
/// # Safety
/// The pointer is NULL, or that of such a number.
unsafe fn tell(out: *mut usize, value: usize) {
    if !out.is_null() {
        // SAFETY: it is not NULL, and the caller promises the rest.
        unsafe { out.write_unaligned(value) };
    }
}

/// # Safety
/// The pointer is NULL, or that of such a struct.
unsafe fn driver(memory: *const KvMemory) -> Result<Driver, Status> {
    if memory.is_null() {
        return Err(Status::BadArgument);
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    Driver::new(unsafe { memory.read_unaligned() }).ok_or(Status::BadArgument)
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
pub unsafe extern "C" fn wl_kv_format(memory: *const KvMemory, options: *const Options) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let mut driver = unsafe { driver(memory) }?;
        if options.is_null() {
            return Err(Status::BadArgument);
        }
        // SAFETY: it is not NULL, and the caller promises the rest.
        let options = unsafe { options.read_unaligned() };
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
pub unsafe extern "C" fn wl_kv_describe(memory: *const KvMemory, info: *mut Info) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        let mut driver = unsafe { driver(memory) }?;
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
    memory: *const KvMemory,
    scratch: *mut c_void,
    scratch_bytes: usize,
    directory: *mut u64,
    directory_words: usize,
) -> Status {
    status(|| {
        // SAFETY: the caller promises it.
        unsafe { clear(table) }?;
        // SAFETY: the caller promises it.
        let driver = unsafe { driver(memory) }?;
        // SAFETY: the caller promises that the bytes are there; this looks at pointer and length alone.
        unsafe { bytes_out(scratch, scratch_bytes) }?;
        // SAFETY: the caller promises that they are the table's.
        let buffer = unsafe { Buffer::new(scratch.cast::<u8>(), scratch_bytes) };
        let directory = if directory.is_null() {
            AnyDirectory::Resident(ResidentDirectory::new())
        } else {
            if !directory.is_aligned() || directory_words > isize::MAX as usize / 8 {
                return Err(Status::BadArgument);
            }
            apart(
                scratch,
                scratch_bytes,
                directory.cast(),
                directory_words * 8,
            )?;
            // SAFETY: it is not NULL and aligned, and the caller promises that the words are the table's.
            AnyDirectory::Ram(RamDirectory::new(unsafe {
                Buffer::new(directory, directory_words)
            }))
        };
        let kept = Table::open(driver, directory, buffer)?;
        // SAFETY: the caller promises it.
        unsafe { keep(table, kept) }
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
    unsafe { opened(table.cast_mut()) }.map_or(u32::MAX, |opened| opened.damaged)
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
