//! flat on the memory of `count.c`, called as the laboratory calls it.

#![no_std]

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int};
use core::slice;

use wordline_flat::{FlatFile, FlatFiles, FlatOpen, FlatShape, FlatUse, format};
use wordline_memory::ByteMemory;

unsafe extern "C" {
    fn memory_read(at: u32, out: *mut u8, bytes: u32);
    fn memory_write(at: u32, data: *const u8, bytes: u32);
}

/// Bytes that no bus tears: a word of 16 bits, as on the board of the published figures.
const ATOM: usize = 2;

/// The first bytes of the memory of `count.c`.
struct BoardMemory(u32);

#[derive(Debug)]
struct Never;

impl ByteMemory for BoardMemory {
    type Error = Never;

    fn len(&self) -> u64 {
        self.0.into()
    }

    fn atom(&self) -> usize {
        ATOM
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Never> {
        // SAFETY: flat stays within the length.
        unsafe { memory_read(at as u32, out.as_mut_ptr(), out.len() as u32) };
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Never> {
        // SAFETY: as above.
        unsafe { memory_write(at as u32, data.as_ptr(), data.len() as u32) };
        Ok(())
    }

    fn persist(&mut self) -> Result<(), Never> {
        Ok(())
    }
}

const WORDS: usize = 4096;
const FILES: usize = 4;

struct LibraryState {
    files: Option<FlatFiles<BoardMemory, &'static mut [u32]>>,
    open: [Option<FlatFile>; FILES],
}

struct Only<T>(UnsafeCell<T>);

// SAFETY: the program has one thread.
unsafe impl<T> Sync for Only<T> {}

static STATE: Only<LibraryState> = Only(UnsafeCell::new(LibraryState {
    files: None,
    open: [None; FILES],
}));
static WORDS_OF_RAM: Only<[u32; WORDS]> = Only(UnsafeCell::new([0; WORDS]));

type Files = FlatFiles<BoardMemory, &'static mut [u32]>;

fn with(work: impl FnOnce(&mut Files, &mut [Option<FlatFile>; FILES]) -> Option<i32>) -> i32 {
    // SAFETY: one thread, and no call of this library within another.
    let state = unsafe { &mut *STATE.0.get() };
    match &mut state.files {
        Some(files) => work(files, &mut state.open).unwrap_or(-1),
        None => -1,
    }
}

/// A path of the caller's.
///
/// # Safety
/// It is a text that ends.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a str> {
    // SAFETY: what the caller promises.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

#[unsafe(no_mangle)]
extern "C" fn flat_begin(bytes: u32) -> c_int {
    let shape = FlatShape::usual(bytes.into());
    // SAFETY: one thread; what was mounted before is dropped first.
    let (state, words) = unsafe {
        (*STATE.0.get()).files = None;
        (&mut *STATE.0.get(), &mut *WORDS_OF_RAM.0.get())
    };
    state.open = [None; FILES];
    let usual = FlatUse::default();
    let needed = shape.ram_words(&usual) as usize;
    if format(&mut BoardMemory(bytes), &shape).is_err() || needed > words.len() {
        return -1;
    }
    words.fill(0);
    match FlatFiles::mount(BoardMemory(bytes), &usual, &mut words[..needed]) {
        Ok(files) => {
            state.files = Some(files);
            0
        }
        Err(_) => -1,
    }
}

/// # Safety
/// The name ends.
#[unsafe(no_mangle)]
unsafe extern "C" fn flat_open(file: u32, name: *const c_char, creates: c_int) -> c_int {
    with(|files, open| {
        // SAFETY: what the caller promises.
        let name = unsafe { path(name) }?;
        let how = match creates {
            0 => FlatOpen::Existing,
            _ => FlatOpen::Create,
        };
        *open.get_mut(file as usize)? = Some(files.open(name, how).ok()?);
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn flat_close(file: u32) -> c_int {
    with(|files, open| {
        let file = open.get_mut(file as usize)?.take()?;
        files.sync(file).and(files.close(file)).ok()?;
        Some(0)
    })
}

/// # Safety
/// There is room for as many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn flat_read(file: u32, at: u32, out: *mut u8, bytes: u32) -> i32 {
    with(|files, open| {
        // SAFETY: what the caller promises.
        let out = unsafe { slice::from_raw_parts_mut(out, bytes as usize) };
        let file = (*open.get(file as usize)?)?;
        Some(files.read(file, at.into(), out).ok()? as i32)
    })
}

/// # Safety
/// There are as many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn flat_write(file: u32, at: u32, data: *const u8, bytes: u32) -> c_int {
    with(|files, open| {
        // SAFETY: what the caller promises.
        let data = unsafe { slice::from_raw_parts(data, bytes as usize) };
        let file = (*open.get(file as usize)?)?;
        files.write(file, at.into(), data).ok()?;
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn flat_truncate(file: u32, bytes: u32) -> c_int {
    with(|files, open| {
        let file = (*open.get(file as usize)?)?;
        files.truncate(file, bytes.into()).ok()?;
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn flat_sync(file: u32) -> c_int {
    with(|files, open| {
        let file = (*open.get(file as usize)?)?;
        files.sync(file).ok()?;
        Some(0)
    })
}

/// # Safety
/// The name ends.
#[unsafe(no_mangle)]
unsafe extern "C" fn flat_remove(name: *const c_char) -> c_int {
    with(|files, _| {
        // SAFETY: what the caller promises.
        files.remove(unsafe { path(name) }?).ok()?;
        Some(0)
    })
}

/// # Safety
/// The name ends.
#[unsafe(no_mangle)]
unsafe extern "C" fn flat_length(name: *const c_char) -> i32 {
    with(|files, _| {
        // SAFETY: what the caller promises.
        let entry = files.entry(unsafe { path(name) }?).ok()?;
        Some(entry.bytes as i32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn flat_records() -> u32 {
    with(|files, _| Some(files.shape().records as i32)) as u32
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
