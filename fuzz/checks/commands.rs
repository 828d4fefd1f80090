//! Whatever is called of the newer functions of the C interface of memories, in whatever order: faults, cells, every erase,
//! erases in the background, copy-back, spare areas, ideal memories. A call returns a status and never the one of a fault
//! of the library; time does not run back, and stands where the header says so; cells hold what was put into them.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use wordline_capi::wordline_memory_h::*;

/// Bytes that are looked at: more than two blocks of any memory that is made.
const SHADOW: usize = 320 << 10;
const TARGETS: [&std::ffi::CStr; 4] = [c"mt25ql128", c"mt29f1g01", c"em064lx", c"mx25uw51245g"];
const IDEALS: u64 = 3;

/// A memory, and what is known of it.
struct Known {
    handle: *mut WlMemory,
    info: Info,
    now: u64,
    /// What the first bytes of its main areas hold, until something goes wrong with them.
    shadow: Option<Vec<u8>>,
}

fn size_of_u64<T>() -> u64 {
    size_of::<T>() as u64
}

fn ideal(kind: u64) -> Ideal {
    let nand = u64::from(kind == 2);
    let nor = u64::from(kind == 1);
    Ideal {
        size: size_of_u64::<Ideal>(),
        abi: u64::from(ABI),
        kind,
        read_bytes: 1,
        write_bytes: [1, 8, 128][kind as usize],
        erase_bytes: 4096,
        blocks: 80,
        spare_bytes: 128 * nand,
        marks: nand,
        moves: nand,
        banks: 1 + nor,
        read_ps: 3,
        program_ps: 100,
        erase_ps: 10_000 * (nor + nand),
        ..Ideal::default()
    }
}

/// Memories that every case forks: their sheets are read once.
fn bases() -> &'static [usize] {
    static BASES: OnceLock<Vec<usize>> = OnceLock::new();
    BASES.get_or_init(|| {
        let parts = TARGETS.map(|target| {
            let options = Options {
                target: target.as_ptr(),
                ..Options::default()
            };
            let mut handle = null_mut();
            // SAFETY: both are what the header says.
            let status = unsafe { wl_memory_create(&options, &mut handle) };
            assert_eq!(status, MemoryStatus::Ok);
            handle.addr()
        });
        let ideals = (0..IDEALS).map(|kind| {
            let mut handle = null_mut();
            // SAFETY: both are what the header says.
            let status = unsafe { wl_memory_create_ideal(&ideal(kind), &mut handle) };
            assert_eq!(status, MemoryStatus::Ok);
            handle.addr()
        });
        parts.into_iter().chain(ideals).collect()
    })
}

/// Panics when a promise is broken. Returns whether anything was stored.
pub(crate) fn check(data: &[u8]) -> bool {
    let mut input = data.iter().copied();
    let which = usize::from(input.next().unwrap_or(0)) % bases().len();
    let base: *const WlMemory = std::ptr::without_provenance(bases()[which]);
    let mut known = Known {
        handle: null_mut(),
        info: Info {
            size: size_of_u64::<Info>(),
            ..Info::default()
        },
        now: 0,
        shadow: None,
    };
    // SAFETY: all are what the header says.
    unsafe {
        assert_eq!(wl_memory_fork(base, &mut known.handle), MemoryStatus::Ok);
        let status = wl_memory_get_info(known.handle, &mut known.info);
        assert_eq!(status, MemoryStatus::Ok);
    }
    known.now = wl_memory_now(known.handle);
    let erased = if known.info.kind == 1 { 0xFF } else { 0 };
    known.shadow = Some(vec![erased; SHADOW.min(known.info.bytes as usize)]);
    let mut stored = false;
    while let Some(call) = input.next() {
        let mut next = || input.next().unwrap_or(0);
        stored |= step(call, &mut next, &mut known);
    }
    assert_eq!(wl_memory_free(known.handle), MemoryStatus::Ok);
    stored
}

/// An address: one that the shadow may know, or any.
fn address(next: &mut impl FnMut() -> u8, unit: u64) -> u64 {
    let (kind, near) = (next(), u64::from(next()));
    match kind % 8 {
        0..=4 => near * unit,
        5 => near * 1024 + u64::from(kind),
        6 => u64::MAX - near,
        _ => near << 40,
    }
}

fn step(call: u8, next: &mut impl FnMut() -> u8, known: &mut Known) -> bool {
    let memory = known.handle;
    let info = known.info;
    let block = info.block_bytes.max(4096);
    let length = usize::from(next()) * info.write_bytes.clamp(1, 256) as usize;
    let fill = vec![next(); length];
    let mut out = vec![0xEE; length];
    let (data, room) = (
        fill.as_ptr().cast::<c_void>(),
        out.as_mut_ptr().cast::<c_void>(),
    );
    let bytes = length as u64;
    let page = u32::from(next()) % 160;
    let mut stands_still = false;
    // SAFETY: every pointer is to as many bytes as are told.
    let status = unsafe {
        match call % 20 {
            0 => {
                let fault = Fault {
                    size: size_of_u64::<Fault>(),
                    kind: u64::from(next() % 8),
                    at: address(next, block),
                    bytes: [0, block, 2 * block, bytes, u64::MAX][usize::from(next() % 5)],
                    after: u64::from(next() % 3),
                    times: u64::from(next() % 3),
                    one_in: u64::from(next() % 4),
                    seed: bytes,
                };
                stands_still = true;
                let status = wl_memory_add_fault(memory, &fault);
                if status == MemoryStatus::Ok {
                    known.shadow = None;
                }
                status
            }
            1 => {
                stands_still = true;
                wl_memory_clear_faults(memory, address(next, block), 2 * block)
            }
            2 | 3 => {
                stands_still = true;
                let at = address(next, 1000);
                let status = wl_memory_peek(memory, at, room, bytes);
                check_bytes(known, status, at, &out);
                status
            }
            4 => {
                stands_still = true;
                let at = address(next, 1000);
                let status = wl_memory_poke(memory, at, data, bytes);
                store(known, status, at, &fill, |_, new| new);
                let mut back = vec![0; length];
                let again = wl_memory_peek(memory, at, back.as_mut_ptr().cast(), bytes);
                assert_eq!(status, again, "what can be poked can be peeked");
                assert!(status != MemoryStatus::Ok || back == fill, "a poke is kept");
                status
            }
            5 => {
                stands_still = true;
                let column = u32::from(next()) * 16;
                let status = wl_memory_poke_page(memory, page, column, data, bytes as u32);
                if status == MemoryStatus::Ok {
                    let again = wl_memory_peek_page(memory, page, column, room, bytes as u32);
                    assert_eq!(again, MemoryStatus::Ok);
                    assert!(out == fill, "a poke is kept");
                    known.shadow = None;
                }
                status
            }
            6 => {
                let mut is_free = -1;
                let status = wl_memory_is_free(memory, page, &mut is_free);
                assert_eq!(status == MemoryStatus::Ok, is_free >= 0);
                status
            }
            7 | 8 => {
                let (at, unit) = (
                    address(next, block),
                    [0, 4096, 65536][usize::from(next() % 3)],
                );
                let count = [block, 4096, 65536, 2 * block, bytes][usize::from(next() % 5)];
                let status = wl_memory_erase_range(memory, at, count, unit);
                match status {
                    MemoryStatus::Ok => fill_shadow(known, at, count),
                    MemoryStatus::Misuse | MemoryStatus::OutOfRange | MemoryStatus::Busy => {}
                    MemoryStatus::Unsupported => {}
                    _ => known.shadow = None,
                }
                status
            }
            9 | 10 => {
                let (at, count) = (
                    address(next, block),
                    [block, 65536][usize::from(next() % 2)],
                );
                let status = wl_memory_start_erase(memory, at, count);
                if status == MemoryStatus::Ok {
                    fill_shadow(known, at, count);
                } else if status == MemoryStatus::PowerLost {
                    known.shadow = None;
                }
                status
            }
            11 => wl_memory_wait(memory),
            12 => match next() % 2 {
                0 => wl_memory_suspend(memory),
                _ => wl_memory_resume(memory),
            },
            13 => {
                let at = address(next, 1000);
                let status = wl_memory_read_suspending(memory, at, room, bytes);
                check_bytes(known, status, at, &out);
                status
            }
            14 => {
                let column = u32::from(next()) * 8;
                let status =
                    wl_memory_move_page(memory, page, page + 64, column, data, bytes as u32);
                if status != MemoryStatus::Unsupported && status != MemoryStatus::OutOfRange {
                    known.shadow = None;
                }
                status
            }
            15 => whole_page(known, page, next()),
            16 => {
                let at = address(next, 1000);
                match info.kind {
                    1 => {
                        let status = wl_memory_program(memory, at, data, bytes);
                        store(known, status, at, &fill, |old, new| old & new);
                        if status != MemoryStatus::Ok && status != MemoryStatus::OutOfRange {
                            known.shadow = None;
                        }
                        status
                    }
                    _ => {
                        let status = wl_memory_write(memory, at, data, bytes);
                        store(known, status, at, &fill, |_, new| new);
                        status
                    }
                }
            }
            17 => {
                let cut = Cut {
                    size: size_of_u64::<Cut>(),
                    operations: u64::from(next() % 4),
                    time_ps: match next() % 3 {
                        0 => known.now.saturating_add(u64::from(next()) << 28),
                        _ => 0,
                    },
                    tear: u64::from(next() % 4),
                    seed: u64::from(next()),
                    erase_leaves: u64::from(next() % 34),
                };
                let status = wl_memory_cut_power(memory, &cut);
                if status == MemoryStatus::Ok {
                    known.shadow = None;
                }
                status
            }
            18 => match next() % 3 {
                0 => wl_memory_power_up(memory),
                1 => wl_memory_sync(memory),
                _ => wl_memory_advance(memory, u64::from(next()) << 30),
            },
            _ => work(known),
        }
    };
    assert_ne!(status, MemoryStatus::Internal);
    if status == MemoryStatus::PowerLost {
        known.shadow = None;
    }
    let now = wl_memory_now(memory);
    assert!(now >= known.now, "time runs back");
    assert!(!stands_still || now == known.now, "it takes no time");
    known.now = now;
    status == MemoryStatus::Ok && matches!(call % 20, 4 | 5 | 7..=10 | 14 | 16)
}

/// Reads or programs both areas of a page, or one.
fn whole_page(known: &mut Known, page: u32, how: u8) -> MemoryStatus {
    let memory = known.handle;
    let mut main = vec![how; known.info.page_bytes as usize];
    let mut spare = vec![0xFF; known.info.spare_bytes as usize];
    let (at, behind) = (
        main.as_mut_ptr().cast::<c_void>(),
        spare.as_mut_ptr().cast::<c_void>(),
    );
    let mut ecc = Ecc {
        size: size_of_u64::<Ecc>(),
        ..Ecc::default()
    };
    // SAFETY: the areas are as large as the memory says, and `ecc` is what the header says.
    unsafe {
        let status = match how % 4 {
            0 => wl_memory_read_whole(memory, page, at, behind, &mut ecc),
            1 => wl_memory_read_spare(memory, page, u32::from(how), behind, 4, &mut ecc),
            2 if known.info.spare_bytes > 0 => {
                let column = u32::from(how);
                wl_memory_program_spare(memory, page, column, behind, 4)
            }
            _ => wl_memory_program_whole(memory, page, at, behind),
        };
        if how % 4 >= 2 {
            known.shadow = None;
        }
        let told = wl_memory_last_ecc(memory, &mut ecc);
        assert_eq!(told, MemoryStatus::Ok);
        assert!(how % 4 >= 2 || status != MemoryStatus::Uncorrectable || ecc.lost == 1);
        status
    }
}

/// Asks for the work that was started, which is in a known phase.
fn work(known: &Known) -> MemoryStatus {
    let mut work = Work {
        size: size_of_u64::<Work>(),
        ..Work::default()
    };
    // SAFETY: it is what the header says.
    let status = unsafe { wl_memory_get_work(known.handle, &mut work) };
    assert!(work.phase < 4);
    assert_eq!(work.phase == 0, work.bytes == 0);
    assert!(work.phase != 1 || work.ends_ps > wl_memory_now(known.handle));
    status
}

fn range(shadow: &mut [u8], at: u64, bytes: usize) -> Option<&mut [u8]> {
    let at = usize::try_from(at).ok()?;
    shadow.get_mut(at..at.checked_add(bytes)?)
}

fn check_bytes(known: &mut Known, status: MemoryStatus, at: u64, found: &[u8]) {
    if status == MemoryStatus::Ok
        && let Some(shadow) = &mut known.shadow
        && let Some(expected) = range(shadow, at, found.len())
    {
        assert!(found == expected, "{} bytes at {at} differ", found.len());
    }
}

/// Follows bytes that were stored. A range that the shadow knows in part ends what it knows.
fn store(
    known: &mut Known,
    status: MemoryStatus,
    at: u64,
    data: &[u8],
    change: impl Fn(u8, u8) -> u8,
) {
    if status != MemoryStatus::Ok {
        return;
    }
    let Some(shadow) = &mut known.shadow else {
        return;
    };
    let (length, far) = (shadow.len() as u64, at);
    match range(shadow, at, data.len()) {
        Some(held) => {
            for (held, new) in held.iter_mut().zip(data) {
                *held = change(*held, *new);
            }
        }
        None if far < length => known.shadow = None,
        None => {}
    }
}

fn fill_shadow(known: &mut Known, at: u64, bytes: u64) {
    let Some(shadow) = &mut known.shadow else {
        return;
    };
    let end = at.saturating_add(bytes).min(shadow.len() as u64);
    if at < end {
        shadow[at as usize..end as usize].fill(0xFF);
    }
}
