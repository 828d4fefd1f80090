//! Loads of which each needs the one before: a walk along a chain of pointers.

use std::ptr::NonNull;

/// A place in memory that holds the address of the next. A chain that is walked for long must be a cycle.
#[repr(C)]
#[derive(Debug)]
pub struct ChainLink {
    /// The next link; never null.
    pub next: *const ChainLink,
}

/// Loads that are written out in one turn of the loop.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const UNROLLED: u64 = 16;

/// Follows a chain for so many loads, and gives the link that it ends at: the place to go on from, and the proof that each load
/// was made.
///
/// On x86_64 and aarch64 the loads are in assembly, sixteen to a turn, and one by one for the rest. Nothing but the loop's own
/// count is computed beside them, which no load waits for.
///
/// # Safety
/// `start` and each link that is reached within `loads` loads may be read, is aligned to a pointer, and names the next.
/// Nothing writes to them meanwhile.
#[inline(never)]
#[must_use]
pub unsafe fn chase(start: NonNull<ChainLink>, loads: u64) -> NonNull<ChainLink> {
    let mut at = start.as_ptr();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller vouches for the links; the instructions read memory alone, which the next `asm!` may not change.
    unsafe {
        std::arch::asm!(
            "test {turns}, {turns}",
            "jz 3f",
            ".p2align 5",
            "2:",
            ".rept 16",
            "mov {at}, qword ptr [{at}]",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            "3:",
            "test {rest}, {rest}",
            "jz 5f",
            "4:",
            "mov {at}, qword ptr [{at}]",
            "dec {rest}",
            "jnz 4b",
            "5:",
            at = inout(reg) at,
            turns = inout(reg) loads / UNROLLED => _,
            rest = inout(reg) loads % UNROLLED => _,
            options(nostack, readonly),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "cbz {turns}, 3f",
            ".p2align 5",
            "2:",
            ".rept 16",
            "ldr {at}, [{at}]",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            "3:",
            "cbz {rest}, 5f",
            "4:",
            "ldr {at}, [{at}]",
            "subs {rest}, {rest}, #1",
            "b.ne 4b",
            "5:",
            at = inout(reg) at,
            turns = inout(reg) loads / UNROLLED => _,
            rest = inout(reg) loads % UNROLLED => _,
            options(nostack, readonly),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    for _ in 0..loads {
        // SAFETY: the caller vouches for the links.
        let next = unsafe { std::ptr::read_volatile(&raw const (*at).next) };
        at = std::hint::black_box(next).cast_mut();
    }
    // SAFETY: `start` is not null, and the caller vouches that no link holds null.
    unsafe { NonNull::new_unchecked(at) }
}

/// Writes lines back to memory and takes them out of all caches, where programs may do that; whether they may.
pub(in crate::memory) fn leave_caches(lines: impl Iterator<Item = NonNull<ChainLink>>) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        for line in lines {
            // SAFETY: every x86_64 processor has the instruction, which changes no memory.
            unsafe { std::arch::x86_64::_mm_clflush(line.as_ptr().cast()) };
        }
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_mm_mfence() };
        true
    }
    #[cfg(target_arch = "aarch64")]
    {
        for line in lines {
            // SAFETY: Linux lets programs clean and invalidate lines that they may read; no memory changes.
            unsafe {
                std::arch::asm!("dc civac, {line}", line = in(reg) line.as_ptr(), options(nostack));
            }
        }
        // SAFETY: a barrier.
        unsafe { std::arch::asm!("dsb ish", options(nostack)) };
        true
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        drop(lines);
        false
    }
}

/// Turns so many times through a loop of one addition and its jump.
#[inline(always)]
pub(super) fn wait(cycles: u64) {
    #[cfg(test)]
    WAITS.with_borrow_mut(|waits| waits.push(cycles));
    if cycles == 0 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a register is counted down; no memory is touched.
    unsafe {
        std::arch::asm!(
            "2:", "dec {left}", "jnz 2b",
            left = inout(reg) cycles => _,
            options(nostack, nomem),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "2:", "subs {left}, {left}, #1", "b.ne 2b",
            left = inout(reg) cycles => _,
            options(nostack, nomem),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    for left in 0..cycles {
        std::hint::black_box(left);
    }
}

#[cfg(test)]
thread_local! {
    /// Every wait of this thread, in cycles.
    pub(super) static WAITS: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
}
