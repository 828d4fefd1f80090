//! Speed of reading a log of accesses, in bytes of text a second.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::BufReader;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_core::draw::{Purpose, draw};
use wordline_trace::{Log, LogOptions, open};

/// 64 MiB of lines as fio 3.18 and later write them with `log_offset=1`: random writes of 4 KiB in 256 MiB.
fn fio_log() -> String {
    let mut text = String::new();
    let mut line = 0;
    while text.len() < 64 << 20 {
        let random = draw(1, 2, line, Purpose::Payload);
        // Mostly tens of microseconds, and one in 64 ten times that.
        let base = 20_000 + (random & 0x7FFF);
        let value = if random >> 58 == 0 { base * 10 } else { base };
        let offset = (random >> 20 & 0xFFFF) << 12;
        let _ = writeln!(text, "{}, {value}, 1, 4096, {offset}, 0", line / 25);
        line += 1;
    }
    text
}

fn csv(lines: u64) -> String {
    let mut text = String::from("operation,bytes,offset,duration_us\n");
    for line in 0..lines {
        let random = draw(1, 2, line, Purpose::Payload);
        let us = 20 + (random & 0x1F);
        let _ = writeln!(
            text,
            "write,4096,{},{us}.{:03}",
            random & 0xFFF_F000,
            random >> 10 & 511
        );
    }
    text
}

fn total(text: &[u8]) -> u64 {
    let reader = BufReader::with_capacity(256 << 10, text);
    let Ok(Log::Accesses(accesses)) = open(reader, &LogOptions::default()) else {
        panic!("accesses");
    };
    accesses
        .map(|access| access.expect("sound").duration.ps())
        .fold(0, u64::wrapping_add)
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(20);
    for (name, text) in [
        ("fio-6-columns", fio_log()),
        ("fio-hex-priority", fio_log().replace(", 0\n", ", 0x0000\n")),
        ("csv", csv(200_000)),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| total(black_box(text.as_bytes())))
        });
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
