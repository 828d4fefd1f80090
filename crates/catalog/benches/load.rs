//! Speed of loading the embedded catalogue, which every command begins with: its index, one part, and every sheet.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_catalog::{Catalog, EMBEDDED, parse};

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("catalog");
    group.bench_function("load", |bencher| {
        bencher.iter(|| Catalog::load(&[]).expect("no folder is read"));
    });
    // A catalogue parses a sheet once, so that it is parsed here by hand; the part is the longest one. Its pack is
    // unpacked as well, to see that it is the one that came along.
    let longest = EMBEDDED.iter().max_by_key(|(file, text)| {
        let is_part = !file.contains("/dram/") && !file.contains("/boards/");
        usize::from(is_part) * text.len()
    });
    let (file, text) = longest.expect("there are sheets");
    group.bench_function("load-and-the-longest-part", |bencher| {
        bencher.iter(|| {
            let catalog = Catalog::load(&[]).expect("no folder is read");
            (catalog, parse(file, text).expect("sound"))
        });
    });
    group.throughput(Throughput::Elements(EMBEDDED.len() as u64));
    group.bench_function("parse-every-sheet", |bencher| {
        bencher.iter(|| {
            for (file, text) in EMBEDDED.iter() {
                let _ = std::hint::black_box(parse(file, text));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
