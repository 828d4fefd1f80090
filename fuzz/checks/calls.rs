//! Whatever is called in whatever order through the C interface of memories: it returns a status, time does not run back,
//! nothing answers while the power is off, and what was stored is read.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use wordline_capi::wordline_memory_h::*;

/// Bytes that are looked at: larger than a block of any of the memories that are made.
const SHADOW: usize = 256 << 10;
const TARGETS: [&std::ffi::CStr; 3] = [c"mt25ql128", c"mt29f1g01", c"em064lx"];

/// A handle, and what is known of its memory.
#[derive(Clone)]
struct Slot {
    handle: *mut WlMemory,
    info: Info,
    now: u64,
    off: bool,
    /// What the first bytes hold, until something goes wrong with them.
    shadow: Option<Vec<u8>>,
}

/// Memories that every case forks: their sheets are read once.
fn bases() -> [usize; 3] {
    static BASES: OnceLock<[usize; 3]> = OnceLock::new();
    *BASES.get_or_init(|| {
        TARGETS.map(|target| {
            let options = Options {
                target: target.as_ptr(),
                ..Options::default()
            };
            let mut handle = null_mut();
            // SAFETY: both are what the header says.
            let status = unsafe { wl_memory_create(&options, &mut handle) };
            assert_eq!(status, MemoryStatus::Ok);
            handle.addr()
        })
    })
}

/// Panics when a promise is broken. Returns whether anything was stored.
pub(crate) fn check(data: &[u8]) -> bool {
    let mut input = data.iter().copied();
    let which = usize::from(input.next().unwrap_or(0)) % bases().len();
    let base: *mut WlMemory = std::ptr::without_provenance_mut(bases()[which]);
    let mut slots = vec![forked(base, &fresh())];
    let mut stored = false;
    while let Some(call) = input.next() {
        let mut next = || input.next().unwrap_or(0);
        let index = usize::from(next()) % slots.len();
        stored |= step(call, &mut next, &mut slots, index);
    }
    for slot in slots {
        let expected = if slot.now == u64::MAX {
            MemoryStatus::BadHandle
        } else {
            MemoryStatus::Ok
        };
        assert_eq!(wl_memory_free(slot.handle), expected);
    }
    stored
}

fn fresh() -> Slot {
    Slot {
        handle: null_mut(),
        info: Info {
            size: size_of::<Info>() as u64,
            ..Info::default()
        },
        now: 0,
        off: false,
        shadow: None,
    }
}

/// A fork of a memory, which is known as well as it is.
fn forked(from: *const WlMemory, known: &Slot) -> Slot {
    let mut slot = known.clone();
    // SAFETY: all are what the header says.
    unsafe {
        assert_eq!(wl_memory_fork(from, &mut slot.handle), MemoryStatus::Ok);
        slot.info.size = size_of::<Info>() as u64;
        assert_eq!(
            wl_memory_get_info(slot.handle, &mut slot.info),
            MemoryStatus::Ok
        );
    }
    if known.handle.is_null() {
        let erased = if slot.info.kind == 1 { 0xFF } else { 0 };
        slot.shadow = Some(vec![erased; SHADOW]);
    }
    slot.now = wl_memory_now(slot.handle);
    slot
}

/// One call. Returns whether it stored anything.
fn step(call: u8, next: &mut impl FnMut() -> u8, slots: &mut Vec<Slot>, index: usize) -> bool {
    let freed = slots[index].now == u64::MAX;
    if freed {
        assert_eq!(wl_memory_sync(slots[index].handle), MemoryStatus::BadHandle);
        return false;
    }
    match call % 16 {
        12 if slots.len() < 5 => {
            let fork = forked(slots[index].handle, &slots[index]);
            slots.push(fork);
        }
        13 => {
            let other = usize::from(next()) % slots.len();
            if slots[other].now != u64::MAX {
                let (into, from) = (slots[index].handle, slots[other].handle);
                assert_eq!(wl_memory_restore(into, from), MemoryStatus::Ok);
                let handle = into;
                slots[index] = Slot {
                    handle,
                    ..slots[other].clone()
                };
            }
        }
        14 if slots.len() > 1 => {
            assert_eq!(wl_memory_free(slots[index].handle), MemoryStatus::Ok);
            slots[index].now = u64::MAX;
        }
        other => return operate(other, next, &mut slots[index]),
    }
    false
}

fn operate(call: u8, next: &mut impl FnMut() -> u8, slot: &mut Slot) -> bool {
    let memory = slot.handle;
    let short = u16::from_le_bytes([next(), next()]);
    let at = match short {
        u16::MAX => u64::MAX - u64::from(next()),
        near => u64::from(near) * 3,
    };
    let bytes = usize::from(next()) * 8;
    let small = u32::from(short);
    let fill = vec![next(); bytes];
    let was_off = slot.off;
    let pointer = fill.as_ptr().cast::<c_void>();
    // SAFETY: every pointer is to as many bytes as are told, or NULL with none.
    let status = unsafe {
        match call {
            0..=2 => read(slot, at, bytes),
            3 | 4 if slot.info.kind == 1 => wl_memory_program(memory, at, pointer, bytes as u64),
            3 | 4 => wl_memory_write(memory, at, pointer, bytes as u64),
            5 => wl_memory_erase(memory, small % 80),
            6 => wl_memory_sync(memory),
            7 => wl_memory_set_fault(memory, small % 70, u32::from(next() % 8)),
            8 => wl_memory_flip_bit(
                memory,
                small % 300,
                u32::from(next()),
                u32::from(next() % 9),
            ),
            9 => {
                let cut = Cut {
                    size: size_of::<Cut>() as u64,
                    operations: u64::from(next() % 4),
                    time_ps: if next().is_multiple_of(2) {
                        0
                    } else {
                        slot.now + at.min(1 << 40)
                    },
                    tear: u64::from(next() % 4),
                    seed: at,
                    erase_leaves: 0,
                };
                wl_memory_cut_power(memory, &cut)
            }
            10 => wl_memory_power_up(memory),
            11 => match next() % 4 {
                0 => wl_memory_advance(memory, u64::from(small) * 1000),
                1 => wl_memory_mark_bad(memory, small % 70),
                2 => wl_memory_set_cycles(memory, at, u64::from(next())),
                _ => {
                    wl_memory_read_page(memory, small, u32::from(next()), null_mut(), 0, null_mut())
                }
            },
            _ => wl_memory_program_page(
                memory,
                small % 300,
                u32::from(next()) * 8,
                pointer,
                bytes as u32,
            ),
        }
    };
    follow(slot, call, at, &fill, small, status);
    assert_ne!(status, MemoryStatus::Internal);
    let operates = matches!(call, 0..=6) && was_off;
    let refused = [
        MemoryStatus::PowerLost,
        MemoryStatus::OutOfRange,
        MemoryStatus::Unsupported,
    ];
    assert!(
        !operates || refused.contains(&status),
        "{status:?} without power"
    );
    let now = wl_memory_now(memory);
    assert!(now >= slot.now, "time runs back");
    slot.now = now;
    status == MemoryStatus::Ok && (3..=5).contains(&call)
}

fn read(slot: &Slot, at: u64, bytes: usize) -> MemoryStatus {
    let mut out = vec![0xEE; bytes];
    let pointer = if bytes == 0 {
        null_mut()
    } else {
        out.as_mut_ptr().cast()
    };
    // SAFETY: so many bytes are there.
    let status = unsafe { wl_memory_read(slot.handle, at, pointer, bytes as u64) };
    if status == MemoryStatus::Ok
        && let Some(shadow) = &slot.shadow
        && let Some(expected) = usize::try_from(at)
            .ok()
            .and_then(|at| shadow.get(at..at + bytes))
    {
        assert!(out == expected, "{bytes} bytes at {at} differ");
    }
    status
}

/// Keeps what is known of the memory in step with what was done.
fn follow(slot: &mut Slot, call: u8, at: u64, fill: &[u8], small: u32, status: MemoryStatus) {
    match (call, status) {
        (_, MemoryStatus::PowerLost) => {
            slot.off = true;
            slot.shadow = None;
        }
        (9, MemoryStatus::Ok) => {
            // Now, or later: whether the power is off shows with the next operation.
            let probe = wl_memory_advance(slot.handle, 0);
            slot.off = probe == MemoryStatus::PowerLost;
            // An advance does not ask for power; a sync does.
            slot.off |= wl_memory_sync(slot.handle) == MemoryStatus::PowerLost;
        }
        (10, MemoryStatus::Ok) => slot.off = false,
        (7 | 8, MemoryStatus::Ok) | (11..=15, _) => slot.shadow = None,
        (3 | 4, MemoryStatus::Ok) => {
            let flash = slot.info.kind == 1;
            if let Some(shadow) = &mut slot.shadow
                && let Some(held) = shadow.get_mut(at as usize..at as usize + fill.len())
            {
                for (held, new) in held.iter_mut().zip(fill) {
                    *held = if flash { *held & new } else { *new };
                }
            }
        }
        // A program across pages may have come half-way.
        (3 | 4, _) if slot.info.kind == 1 => slot.shadow = None,
        (5, MemoryStatus::Ok) => {
            let bytes = slot.info.block_bytes as usize;
            let first = (small % 80) as usize * bytes;
            if let Some(shadow) = &mut slot.shadow
                && let Some(held) = shadow.get_mut(first..first + bytes)
            {
                held.fill(0xFF);
            }
        }
        _ => {}
    }
}
