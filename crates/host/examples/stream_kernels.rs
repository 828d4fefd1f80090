//! Copy and triad as STREAM times them: threads that share three arrays, whole passes, and the best of them.
//!
//! ```text
//! cargo run --release -p wordline-host --example stream_kernels -- BYTES_AN_ARRAY THREADS PASSES [huge] [SET]...
//! ```
//!
//! `scripts/compare-stream` compares the command itself with STREAM. With `huge` the arrays ask for huge pages. Sets that are
//! named run alone, in that order.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Barrier;
use std::time::Instant;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
use wordline_host::memory::kernels::{Kernel, KernelMix, KernelSet, KernelStores};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| match arguments.get(at) {
        Some(text) => text.parse(),
        None => Ok(otherwise),
    };
    let (bytes, threads, passes) = (number(0, 128 << 20)?, number(1, 1)?.max(1), number(2, 10)?);
    let huge = arguments.iter().any(|word| word == "huge");
    let part = bytes / threads / 64 * 64;
    let mut arrays = Vec::new();
    for _ in 0..3 {
        arrays.push(array(part * threads, huge)?);
    }
    let mut sets: Vec<KernelSet> = arguments
        .iter()
        .filter_map(|word| word.parse().ok())
        .collect();
    if sets.is_empty() {
        sets = KernelSet::available();
        // It has no stores past the caches.
        sets.retain(|set| *set != KernelSet::Portable);
    }
    for set in sets {
        for mix in [KernelMix::Copy, KernelMix::Triad] {
            for stores in [KernelStores::Plain, KernelStores::NonTemporal] {
                let kernel = Kernel::new(set, mix, stores)?;
                let best_s = best_pass_s(&kernel, &mut arrays, part, threads, passes);
                let moved = (part * threads / 64) as u64 * kernel.logical_bytes_per_step();
                let name = match stores {
                    KernelStores::Plain => "plain",
                    KernelStores::NonTemporal => "past",
                };
                println!(
                    "{} {set} {name} {:.1} MB/s",
                    mix.name(),
                    moved as f64 / best_s / 1e6
                );
            }
        }
    }
    Ok(())
}

/// Memory of whole pages, never given back.
fn array(bytes: usize, huge: bool) -> Result<&'static mut [u8], Box<dyn Error>> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses a place where nothing is, and the mapping stays until the program ends.
    unsafe {
        // Up to a huge page of it may lie before the first huge page's begin.
        let spare = 2 << 20;
        let at = mmap_anonymous(
            std::ptr::null_mut(),
            bytes + spare,
            access,
            MapFlags::PRIVATE,
        )?;
        let at = at.byte_add(at.addr().wrapping_neg() % spare);
        if huge {
            madvise(at, bytes, Advice::LinuxHugepage)?;
        }
        Ok(std::slice::from_raw_parts_mut(at.cast(), bytes))
    }
}

/// Seconds of the fastest pass of all threads, from the barrier before it to the barrier after it.
fn best_pass_s(
    kernel: &Kernel,
    arrays: &mut [&mut [u8]],
    part: usize,
    threads: usize,
    passes: usize,
) -> f64 {
    let mut shares: Vec<Vec<&mut [u8]>> = (0..threads).map(|_| Vec::new()).collect();
    for array in arrays.iter_mut().take(kernel.streams()) {
        for (share, part) in shares.iter_mut().zip(array.chunks_exact_mut(part)) {
            share.push(part);
        }
    }
    let barrier = Barrier::new(threads);
    let run = |mut streams: Vec<&mut [u8]>| {
        kernel.fill(&mut streams);
        let mut best_s = f64::INFINITY;
        for _ in 0..passes {
            barrier.wait();
            let start = Instant::now();
            kernel.run(&mut streams, None);
            barrier.wait();
            best_s = best_s.min(start.elapsed().as_secs_f64());
        }
        best_s
    };
    let run = &run;
    std::thread::scope(|scope| {
        let workers: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || run(share)))
            .collect();
        // The slowest start counts, as it does for the thread that times STREAM.
        let times = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or(f64::INFINITY));
        times.fold(0.0, f64::max)
    })
}
