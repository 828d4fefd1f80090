//! Speed of loading and checking the embedded catalogue, which every command begins with.

use criterion::{Criterion, criterion_group, criterion_main};
use wordline_catalog::Catalog;

fn load(criterion: &mut Criterion) {
    criterion.bench_function("catalog/load-embedded", |bencher| {
        bencher.iter(|| Catalog::load(&[]).expect("the embedded sheets are sound"));
    });
}

criterion_group!(benches, load);
criterion_main!(benches);
