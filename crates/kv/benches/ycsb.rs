//! YCSB A and C on plain memory, keys and values of 8 bytes: the table beside the CLHT fixture, one thread.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wordline_kv::fixtures::{Clht, Sizes};
use wordline_kv::{Options, RamDirectory, Table, format};
use wordline_memory::{ByteMemory, OutOfRange};

#[path = "support/zipf.rs"]
mod zipf;

use zipf::ScrambledZipfian;

/// In the first level of cache, in the second, and in none.
const RECORDS: [u64; 3] = [1 << 10, 1 << 15, 1 << 20];
const OPERATIONS: usize = 1 << 16;

/// DRAM.
struct Dram(Vec<u8>);

impl ByteMemory for Dram {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn atom(&self) -> usize {
        8
    }

    #[inline]
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        out.copy_from_slice(&self.0[at as usize..at as usize + out.len()]);
        Ok(())
    }

    #[inline]
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        self.0[at as usize..at as usize + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

fn key(number: u64) -> [u8; 8] {
    (number + 1).to_le_bytes()
}

/// The keys that are asked for, and whether each is a write: half of them in A, none in C.
fn operations(records: u64, writes: bool) -> Vec<(u64, bool)> {
    let mut zipfian = ScrambledZipfian::new(records, 7);
    (0..OPERATIONS)
        .map(|number| (zipfian.draw(), writes && number % 2 == 0))
        .collect()
}

fn own(records: u64) -> Table<Dram, RamDirectory<Vec<u64>>, Vec<u8>> {
    let mut memory = Dram(vec![0; (records * 2 * 24 + 1024) as usize]);
    let options = Options {
        slot_bytes: 24,
        ..Options::for_records(8, 8, 8)
    };
    let geometry = format(&mut memory, &options).expect("room");
    let directory = RamDirectory::new(vec![0; geometry.directory_words()]);
    let mut table = Table::open(memory, directory, vec![0; 4096]).expect("formatted");
    for number in 0..records {
        table
            .put(&key(number), &number.to_le_bytes())
            .expect("room");
    }
    table
}

fn clht(records: u64) -> Clht<Dram> {
    // As many entries for each key as the other has slots: load 0.5.
    let memory = Dram(vec![0; (records * 2 / 3 * 64 * 4 / 3) as usize]);
    let mut table = Clht::format(memory, Sizes { key: 8, value: 8 }).expect("room");
    for number in 0..records {
        table
            .put(&key(number), &number.to_le_bytes())
            .expect("room");
    }
    table
}

fn ycsb(criterion: &mut Criterion) {
    for records in RECORDS {
        ycsb_of(criterion, records);
    }
}

fn ycsb_of(criterion: &mut Criterion, records: u64) {
    let (mut own, mut clht) = (own(records), clht(records));
    for (name, writes) in [("A", true), ("C", false)] {
        let operations = operations(records, writes);
        let mut group = criterion.benchmark_group(format!("kv/ycsb-{name}-{records}"));
        group
            .throughput(Throughput::Elements(OPERATIONS as u64))
            .sample_size(20);
        group.bench_function("own", |bencher| {
            bencher.iter(|| {
                let mut out = [0; 8];
                for (number, is_write) in &operations {
                    if *is_write {
                        own.put(&key(*number), &number.to_le_bytes()).expect("room");
                    } else {
                        black_box(own.get(&key(*number), &mut out).expect("sound"));
                    }
                }
                out
            });
        });
        group.bench_function("clht", |bencher| {
            bencher.iter(|| {
                let mut out = [0; 8];
                for (number, is_write) in &operations {
                    if *is_write {
                        clht.put(&key(*number), &number.to_le_bytes())
                            .expect("room");
                    } else {
                        black_box(clht.get(&key(*number), &mut out).expect("sound"));
                    }
                }
                out
            });
        });
        group.finish();
    }
}

criterion_group!(benches, ycsb);
criterion_main!(benches);
