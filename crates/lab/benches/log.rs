//! A log of fio from a file to the answer: read, parsed, and analysed to the exact curve, the longest
//! sequences, latencies and courses. `log/parse` reads alone.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Write as _};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_catalog::Catalog;
use wordline_core::draw::{Purpose, draw};
use wordline_core::{AccessSource, BufferWorkload, Experiment, LogSource, Timing, Workload};
use wordline_lab::{Control, run};
use wordline_trace::{Log, LogOptions};

const ACCESSES: u64 = 2_000_000;

/// A log as fio 3 writes it: mostly 40 us, now and then a millisecond, times in ms.
fn text() -> String {
    let mut text = String::new();
    let mut now_ns = 0;
    for index in 0..ACCESSES {
        let bits = draw(7, 0, index, Purpose::Payload);
        let latency = 38_000 + bits % 9_000 + if bits.is_multiple_of(997) { 900_000 } else { 0 };
        now_ns += latency + 400;
        let offset = (bits >> 20) % 65_536 * 4096;
        let _ = writeln!(
            text,
            "{}, {latency}, 1, 4096, {offset}, 0",
            now_ns / 1_000_000
        );
    }
    text
}

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for the log");
    let path = folder.path().join("bench_lat.1.log");
    let text = text();
    File::create(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .expect("the log is written");
    let open = |_: &str| -> std::io::Result<Box<dyn std::io::BufRead>> {
        Ok(Box::new(BufReader::with_capacity(
            256 << 10,
            File::open(&path)?,
        )))
    };
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let source = AccessSource::Log(LogSource {
        file: "bench_lat.1.log".to_owned(),
        ..LogSource::default()
    });
    let experiment = Experiment {
        targets: Vec::new(),
        workload: Workload::Buffer(BufferWorkload::of(source)),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    };
    let mut group = criterion.benchmark_group("log");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(10);
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            let reader = open("").expect("it was written");
            match wordline_trace::open(reader, &LogOptions::default()).expect("a sound log") {
                Log::Accesses(accesses) => accesses.count(),
                Log::Counted(_) | Log::Asked(_) | Log::Currents(_) => {
                    unreachable!("it is a latency log")
                }
            }
        });
    });
    group.bench_function("parse-and-analyse", |bencher| {
        let control = Control {
            open: Some(&open),
            ..Control::default()
        };
        bencher.iter(|| run(&catalog, &experiment, &control).expect("a sound log"));
    });
    group.finish();
}

criterion_group!(log, benches);
criterion_main!(log);
