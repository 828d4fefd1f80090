//! Bandwidth of the kernels from each cache, and time of a dependent load from the first.

use std::hint::black_box;
use std::ptr::NonNull;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wordline_host::memory::kernels::{
    ChainLink, Kernel, KernelMix, KernelSet, KernelStores, chase,
};

/// Bytes that fit the first, second and third cache of most servers, and bytes that fit none.
const SIZES: [(&str, usize); 4] = [
    ("L1", 16 << 10),
    ("L2", 512 << 10),
    ("L3", 8 << 20),
    ("memory", 256 << 20),
];

/// A line of memory where lines begin.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct BenchLine([u8; 64]);

fn bandwidth(criterion: &mut Criterion) {
    let mut memory = vec![BenchLine([1; 64]); SIZES[3].1 / 64];
    for mix in KernelMix::ALL {
        for stores in [KernelStores::Plain, KernelStores::NonTemporal] {
            let name = format!(
                "{}-{}",
                mix.name().replace(':', "to"),
                if stores == KernelStores::Plain {
                    "plain"
                } else {
                    "past"
                }
            );
            let mut group = criterion.benchmark_group(name);
            for (level, bytes) in SIZES {
                for set in KernelSet::available() {
                    // The portable set has no stores past the caches.
                    let Ok(kernel) = Kernel::new(set, mix, stores) else {
                        continue;
                    };
                    let lines = bytes / 64 / kernel.streams();
                    let mut streams: Vec<&mut [u8]> = memory
                        .chunks_exact_mut(lines)
                        .take(kernel.streams())
                        .map(bytes_of)
                        .collect();
                    kernel.fill(&mut streams);
                    group.throughput(Throughput::Bytes(
                        lines as u64 * kernel.logical_bytes_per_step(),
                    ));
                    group.bench_function(BenchmarkId::new(set.name(), level), |bencher| {
                        bencher.iter(|| kernel.run(black_box(&mut streams), None));
                    });
                }
            }
            group.finish();
        }
    }
}

fn bytes_of(lines: &mut [BenchLine]) -> &mut [u8] {
    // SAFETY: lines are plain bytes without gaps, and are borrowed as long as their bytes.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
}

fn dependent_loads(criterion: &mut Criterion) {
    let mut links: Vec<ChainLink> = Vec::with_capacity(512);
    let first = links.as_ptr();
    for at in 0..512 {
        links.push(ChainLink {
            next: first.wrapping_add((at + 97) % 512),
        });
    }
    let mut group = criterion.benchmark_group("chase");
    group.throughput(Throughput::Elements(1024));
    group.bench_function("L1", |bencher| {
        bencher.iter(|| {
            // SAFETY: the links are a cycle within the vector, which nothing writes to.
            unsafe { chase(NonNull::from(&links[0]), 1024) }
        });
    });
    group.finish();
}

// Two hundred cases: a full measurement of each would take half an hour.
criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    targets = bandwidth, dependent_loads
}
criterion_main!(benches);
