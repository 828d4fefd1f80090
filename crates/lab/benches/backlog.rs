//! Speed of the theory of buffers: the exact curve, the longest sequences of 64 lengths, and the plain
//! recursion, over logs of several kinds. A log is a stretch of 10⁷ durations, drawn beforehand. The
//! figures in `docs/evidence/speed.md` are for ten turns, 10⁸ accesses, each turn changed by a few
//! picoseconds; a repeated stretch alone would be easier, because no later turn could find a peak
//! that the first has not.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wordline_core::draw::{Purpose, draw, standard_normal};
use wordline_core::quantity::{ByteCount, Time};
use wordline_lab::backlog::{Accumulator, Backlog, Longest, Rate};

const STRETCH: u64 = 10_000_000;
const TURNS: u64 = 1;
const TWICE: ByteCount = ByteCount::from_bytes(8192);
/// Accesses that the search for the longest sequences keeps, 8 bytes each.
const HISTORY: u64 = 2 << 20;
const US: f64 = 1e6;
const SIZE: ByteCount = ByteCount::from_bytes(4096);

/// A kind of log: a name, and the duration in picoseconds of an access.
type Kind = (&'static str, fn(u64) -> f64);

const KINDS: [Kind; 5] = [
    // An SD card: median 600 us, mean 1.2 ms, peaks of a third of a second.
    ("log-normal", |k| 600.0 * US * (1.2 * normal(k)).exp()),
    // A NAND with an erase every 32nd program, each 5 % uncertain.
    ("periodic", |k| {
        let base = if k % 32 == 31 { 2600.0 } else { 600.0 };
        base * US * (1.0 + 0.05 * normal(k)).max(0.1)
    }),
    // Short accesses, and once in 100 000 a row of forty long ones.
    ("bursts", |k| {
        let base = if k % 100_000 < 40 { 20_000.0 } else { 300.0 };
        base * US * (1.0 + 0.2 * normal(k)).max(0.1)
    }),
    // A normal spread of 10 %, and nothing else: no peak stands out.
    ("noise", |k| 600.0 * US * (1.0 + 0.1 * normal(k)).max(0.1)),
    ("constant", |_| 616.0 * US),
];

fn normal(k: u64) -> f64 {
    standard_normal(draw(1, 0, k, Purpose::ProgramTime))
}

/// Feeds a whole log: turns of the stretch, with the number of each access in it.
fn feed(stretch: &[u64], mut push: impl FnMut(u64, Time)) {
    for turn in 0..TURNS {
        for (index, &duration) in (0..).zip(stretch) {
            push(index, Time::from_ps(duration + (index & turn)));
        }
    }
}

fn backlog(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("backlog");
    group.throughput(Throughput::Elements(STRETCH * TURNS));
    group.sample_size(10);
    for (name, kind) in KINDS {
        let stretch: Vec<u64> = (0..STRETCH).map(|k| kind(k) as u64).collect();
        for (of, second) in [("curve", SIZE), ("curve-of-two-sizes", TWICE)] {
            group.bench_function(BenchmarkId::new(of, name), |bencher| {
                bencher.iter(|| {
                    let mut log = Accumulator::new();
                    feed(black_box(&stretch), |index, duration| {
                        let size = if index & 64 == 0 { SIZE } else { second };
                        log.push(duration, size);
                    });
                    log.finish()
                });
            });
        }
        // 64 lengths from 1 to half the log. Those within a history of 16 MiB come exactly, the
        // others as bounds that differ by less than 0.6 %.
        let lengths: Vec<u64> = (0..64)
            .map(|index| 50_000_000f64.powf(f64::from(index) / 63.0).round() as u64)
            .collect();
        group.bench_function(BenchmarkId::new("longest-of-64", name), |bencher| {
            bencher.iter(|| {
                let mut longest = Longest::within(&lengths, HISTORY);
                feed(black_box(&stretch), |_, duration| longest.push(duration));
                longest.finish()
            });
        });
        group.bench_function(BenchmarkId::new("recursion", name), |bencher| {
            let rate = Rate::from_bytes_per_second(1_000_000.0).expect("exact");
            bencher.iter(|| {
                let mut backlog = Backlog::at(rate);
                feed(black_box(&stretch), |_, duration| {
                    black_box(backlog.push(duration, SIZE).is_ok());
                });
                backlog.finish()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, backlog);
criterion_main!(benches);
