//! Speed of what every simulated access pays: a draw, a recorded latency, a parsed quantity.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use wordline_core::LatencyHistogram;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;

fn primitives(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("core");
    let mut cycle = 0;
    group.bench_function("draw", |bencher| {
        bencher.iter(|| {
            cycle += 1;
            draw(1, 2, black_box(cycle), Purpose::Payload)
        });
    });
    let mut histogram = LatencyHistogram::new();
    let mut ps = 1u64;
    group.bench_function("record-latency", |bencher| {
        bencher.iter(|| {
            ps = ps.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            histogram.record(Time::from_ps(black_box(ps >> 24)));
        });
    });
    group.bench_function("parse-time", |bencher| {
        bencher.iter(|| black_box("17.75 us").parse::<Time>());
    });
    group.finish();
}

criterion_group!(benches, primitives);
criterion_main!(benches);
