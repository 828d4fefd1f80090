//! In which order a kernel touches memory, seen by the page faults that it takes.
//!
//! A stream lies across the border of two pages, of which only the one touched last may be accessed. A fault names the page
//! that the kernel goes to, gives it free and locks the other. When that is repeated with the border after each line,
//! and there is one change of pages each time, then every line was touched before the next, and none again later. Locked
//! pages before and after find accesses outside.
//!
//! This is a program of its own, with one test, because the handler of the signal belongs to the whole process.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
use wordline_host::memory::kernels::{Kernel, KernelMix, KernelSet, KernelStores};

/// Pages of a stream's place: a locked one, two across whose border the stream lies, a locked one.
const PAGES: usize = 4;
const STREAMS: usize = 4;
const LINE: usize = 64;
/// Lines of a stream: two turns of four, and three more.
const LINES: usize = 11;
const MOST_FAULTS: usize = 64;

static BASE: AtomicUsize = AtomicUsize::new(0);
static PAGE: AtomicUsize = AtomicUsize::new(0);
static FAULTS: AtomicUsize = AtomicUsize::new(0);
static LOG: [AtomicUsize; MOST_FAULTS] = [const { AtomicUsize::new(0) }; MOST_FAULTS];

/// Notes the page, opens it and locks the others of its stream.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid description of the fault to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let (base, page) = (BASE.load(Ordering::SeqCst), PAGE.load(Ordering::SeqCst));
    let count = FAULTS.fetch_add(1, Ordering::SeqCst);
    if address < base || address >= base + STREAMS * PAGES * page || count >= MOST_FAULTS {
        // Not one of ours, or an endless row of them: the fault is to end the process when it comes again.
        // SAFETY: the default action is a valid one.
        unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
        return;
    }
    let found = (address - base) / page;
    LOG[count].store(found, Ordering::SeqCst);
    lock_stream(found / PAGES);
    // SAFETY: a whole page of the test's own mapping. The call is a system call alone, fit for a handler.
    let _ = unsafe {
        let at = ptr::with_exposed_provenance_mut(base + found * page);
        mprotect(at, page, MprotectFlags::READ | MprotectFlags::WRITE)
    };
}

fn lock_stream(stream: usize) {
    let (base, page) = (BASE.load(Ordering::SeqCst), PAGE.load(Ordering::SeqCst));
    // SAFETY: whole pages of the test's own mapping.
    let locked = unsafe {
        let at = ptr::with_exposed_provenance_mut(base + stream * PAGES * page);
        mprotect(at, PAGES * page, MprotectFlags::empty())
    };
    assert!(locked.is_ok());
}

/// The pages that a pass goes to, in order, with streams of so many lines that begin so many bytes behind the first open page.
fn pages(kernel: &Kernel, offset: usize, lines: usize) -> Vec<usize> {
    let (base, page) = (BASE.load(Ordering::SeqCst), PAGE.load(Ordering::SeqCst));
    (0..STREAMS).for_each(lock_stream);
    FAULTS.store(0, Ordering::SeqCst);
    let mut streams: Vec<&mut [u8]> = (0..kernel.streams())
        .map(|stream| {
            let at = base + (stream * PAGES + 1) * page + offset;
            // SAFETY: the bytes lie in the mapping, each stream apart. The handler opens a page that is accessed.
            unsafe {
                std::slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(at), lines * LINE)
            }
        })
        .collect();
    kernel.run(&mut streams, None);
    let count = FAULTS.load(Ordering::SeqCst);
    LOG[..count]
        .iter()
        .map(|page| page.load(Ordering::SeqCst))
        .collect()
}

#[test]
fn lines_are_touched_in_order_and_nothing_else_is() {
    let page = rustix::param::page_size();
    let bytes = STREAMS * PAGES * page;
    // SAFETY: the system chooses a place where nothing is.
    let base = unsafe {
        mmap_anonymous(
            ptr::null_mut(),
            bytes,
            ProtFlags::empty(),
            MapFlags::PRIVATE,
        )
    };
    BASE.store(base.expect("memory").expose_provenance(), Ordering::SeqCst);
    PAGE.store(page, Ordering::SeqCst);
    // SAFETY: all zeros are a valid value of this structure of integers and pointers; the handler has the form that
    // SA_SIGINFO asks for.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut())
    };
    assert_eq!(installed, 0);

    // The compiler may order the plain loops as it likes.
    let sets = KernelSet::available()
        .into_iter()
        .filter(|set| *set != KernelSet::Portable);
    for set in sets {
        for mix in KernelMix::ALL {
            for stores in [KernelStores::Plain, KernelStores::NonTemporal] {
                let kernel = Kernel::new(set, mix, stores).expect("this processor has it");
                let of_page =
                    |page: usize| (0..kernel.streams()).map(move |stream| stream * PAGES + page);
                for before in 1..LINES {
                    let found = pages(&kernel, page - before * LINE, LINES);
                    let expected: Vec<_> = of_page(1).chain(of_page(2)).collect();
                    assert_eq!(
                        found, expected,
                        "{kernel:?}, {before} lines before the border"
                    );
                }
                for lines in 1..=LINES {
                    // Up to the end of the second page, and from the begin of the first.
                    let found = pages(&kernel, 2 * page - lines * LINE, lines);
                    assert_eq!(
                        found,
                        of_page(2).collect::<Vec<_>>(),
                        "{kernel:?}, {lines} lines"
                    );
                    let found = pages(&kernel, 0, lines);
                    assert_eq!(
                        found,
                        of_page(1).collect::<Vec<_>>(),
                        "{kernel:?}, {lines} lines"
                    );
                }
            }
        }
    }
}
