//! A file system as a whole: made, mounted, looked at.

use wordline_c_abi::{
    CallerBuffer, CallerMemory, MemoryFunctions, UnusableArgument, clear, tell, value,
};
use wordline_flat::{FlatFiles, FlatShape, FlatUse};

use crate::abi::{FlatStatus, WlFlat, WlFlatRoom, WlFlatShape, WlFlatUse, status};
use crate::problem;
use crate::storage::{keep_mounted, mounted};

/// See `wordline_flat.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_usual_shape(bytes: u64, shape: *mut WlFlatShape) -> FlatStatus {
    // SAFETY: the caller promises it.
    unsafe { tell(shape, FlatShape::usual(bytes).into()) };
    FlatStatus::Ok
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_ram_words(
    shape: *const WlFlatShape,
    of_use: *const WlFlatUse,
    words: *mut u64,
) -> FlatStatus {
    let count = || {
        // SAFETY: the caller promises it.
        let (shape, of_use) = unsafe { (value(shape)?, value(of_use)?) };
        let shape = FlatShape::from(shape);
        shape.check().map_err(|error| problem::of(&error).status)?;
        let needed = shape.ram_words(&FlatUse::from(of_use));
        // SAFETY: the caller promises it.
        unsafe { tell(words, needed) };
        Ok(())
    };
    status(count())
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_shape_of(
    memory: *const MemoryFunctions,
    shape: *mut WlFlatShape,
) -> FlatStatus {
    let read = || {
        // SAFETY: the caller promises it.
        let mut memory = unsafe { CallerMemory::new(memory) }?;
        let found = FlatShape::of(&mut memory).map_err(|error| problem::of(&error).status)?;
        // SAFETY: the caller promises it.
        unsafe { tell(shape, found.into()) };
        Ok(())
    };
    status(read())
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_format(
    memory: *const MemoryFunctions,
    shape: *const WlFlatShape,
) -> FlatStatus {
    let format = || {
        // SAFETY: the caller promises it.
        let (mut memory, shape) = unsafe { (CallerMemory::new(memory)?, value(shape)?) };
        wordline_flat::format(&mut memory, &shape.into())
            .map_err(|error| problem::of(&error).status)
    };
    status(format())
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and `ram` is the file system's from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_mount(
    fs: *mut WlFlat,
    memory: *const MemoryFunctions,
    of_use: *const WlFlatUse,
    ram: *mut u32,
    ram_words: usize,
) -> FlatStatus {
    let make = || {
        // SAFETY: the caller promises it, and that the words are the file system's.
        let given = unsafe { mount_arguments(memory, of_use, ram, ram_words) };
        let (memory, of_use, ram) = given.map_err(|error| problem::of_argument(error.into()))?;
        FlatFiles::mount(memory, &of_use, ram).map_err(|error| problem::of(&error))
    };
    // SAFETY: the caller promises it.
    status(
        unsafe { clear(fs) }
            .map_err(FlatStatus::from)
            .and_then(|()| {
                // SAFETY: the caller promises it.
                unsafe { keep_mounted(fs, make()) }
            }),
    )
}

/// What a mount is made of.
///
/// # Safety
/// Each pointer is NULL or points to what the header says, and the words are the file system's from now on.
unsafe fn mount_arguments(
    memory: *const MemoryFunctions,
    of_use: *const WlFlatUse,
    ram: *mut u32,
    ram_words: usize,
) -> Result<(CallerMemory, FlatUse, CallerBuffer<u32>), UnusableArgument> {
    // SAFETY: the caller promises it.
    unsafe {
        Ok((
            CallerMemory::new(memory)?,
            value(of_use)?.into(),
            CallerBuffer::new(ram, ram_words)?,
        ))
    }
}

/// See `wordline_flat.h`.
///
/// # Safety
/// The pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_unmount(fs: *mut WlFlat) -> FlatStatus {
    // SAFETY: the caller promises it.
    status(unsafe { mounted(fs) }.and_then(|_| Ok(unsafe { clear(fs) }?)))
}

/// See `wordline_flat.h`.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_flat_room_of(fs: *const WlFlat, room: *mut WlFlatRoom) -> FlatStatus {
    // SAFETY: the caller promises it; nothing is written to the file system.
    status(unsafe { mounted(fs.cast_mut()) }.map(|fs| {
        let found = fs.files.room();
        let found = WlFlatRoom {
            total: found.total,
            free: found.free,
            free_records: found.free_records,
        };
        // SAFETY: the caller promises it.
        unsafe { tell(room, found) };
    }))
}
