//! YCSB A and C on plain memory, keys and values of 8 bytes: the table beside the CLHT fixture, one thread, processor
//! time.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_kv::fixtures::{Clht, Fixture as _, RecordSizes};
use wordline_kv::{Options, RamDirectory, Table, format};
use wordline_memory::{ByteMemory, OutOfRange};

#[path = "../../lab/src/kv/zipf.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the laboratory draws from more distributions, and runs the tests"
)]
mod zipf;

use zipf::{Zipfian, fnv};

/// In the first level of cache, in the second, and in none.
const RECORDS: [u64; 3] = [1 << 10, 1 << 15, 1 << 20];
/// So many that most of the records are asked for, and those in no cache are not kept in one from turn to turn.
const OPERATIONS: usize = 1 << 20;

/// DRAM that begins with a cache line, as the buckets of CLHT want it.
struct Dram {
    bytes: Vec<u8>,
    from: usize,
}

impl Dram {
    fn new(bytes: u64) -> Self {
        let bytes = vec![0; bytes as usize + 64];
        let from = bytes.as_ptr().align_offset(64);
        Self { bytes, from }
    }
}

impl ByteMemory for Dram {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        (self.bytes.len() - 64) as u64
    }

    fn atom(&self) -> usize {
        8
    }

    #[inline]
    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, out.len() as u64, self.len())?;
        let at = self.from + at as usize;
        out.copy_from_slice(&self.bytes[at..at + out.len()]);
        Ok(())
    }

    /// Loads a byte of the first line and one of the last, and waits for neither.
    #[inline]
    fn prefetch(&mut self, at: u64, bytes: u64) {
        for at in [at, at + bytes.saturating_sub(1)] {
            if let Some(byte) = self.bytes.get(self.from + at as usize) {
                black_box(*byte);
            }
        }
    }

    #[inline]
    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        OutOfRange::check(at, data.len() as u64, self.len())?;
        let at = self.from + at as usize;
        self.bytes[at..at + data.len()].copy_from_slice(data);
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
    let zipfian = Zipfian::scrambled();
    let record = |number: usize| {
        let uniform = unit_interval(draw(7, 0, number as u64, Purpose::Address));
        fnv(zipfian.rank(uniform)) % records
    };
    (0..OPERATIONS)
        .map(|number| (record(number), writes && number % 2 == 0))
        .collect()
}

fn own(records: u64) -> Table<Dram, RamDirectory<Vec<u64>>, Vec<u8>> {
    let mut memory = Dram::new(records * 2 * 24 + 1024);
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
    let memory = Dram::new(records * 2 / 3 * 64 * 4 / 3);
    let mut table = Clht::format(memory, RecordSizes { key: 8, value: 8 }).expect("room");
    for number in 0..records {
        table
            .put(&key(number), &number.to_le_bytes())
            .expect("room");
    }
    table
}

/// Eight, known when this is compiled or not before it runs, as in a program whose keys come from elsewhere.
#[inline(always)]
fn eight<const KNOWN: bool>() -> usize {
    if KNOWN { 8 } else { black_box(8) }
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Calls `put` with key and value, or `get` with key and buffer, for each operation; the time that all turns take.
#[inline(always)]
fn run<const KNOWN: bool, T>(
    turns: u64,
    table: &mut T,
    operations: &[(u64, bool)],
    put: impl Fn(&mut T, &[u8], &[u8]),
    get: impl Fn(&mut T, &[u8], &mut [u8]),
) -> Duration {
    let start = processor_time();
    for _ in 0..turns {
        let mut out = [0; 8];
        for (number, is_write) in operations {
            let key = &key(*number)[..eight::<KNOWN>()];
            if *is_write {
                put(table, key, &number.to_le_bytes()[..eight::<KNOWN>()]);
            } else {
                get(table, key, &mut out[..eight::<KNOWN>()]);
            }
        }
        black_box(out);
    }
    processor_time() - start
}

fn ycsb(criterion: &mut Criterion) {
    for records in RECORDS {
        ycsb_of::<true>(criterion, records, "fixed-lengths");
        ycsb_of::<false>(criterion, records, "any-lengths");
    }
}

fn ycsb_of<const KNOWN: bool>(criterion: &mut Criterion, records: u64, lengths: &str) {
    // What the compiler saw of how they were made is not known to a program that opens a table.
    let (mut own, mut clht) = black_box((own(records), clht(records)));
    for (name, writes) in [("A", true), ("C", false)] {
        let operations = operations(records, writes);
        let mut group = criterion.benchmark_group(format!("kv/ycsb-{name}-{records}-{lengths}"));
        group
            .throughput(Throughput::Elements(OPERATIONS as u64))
            .sample_size(20);
        group.bench_function("own", |bencher| {
            bencher.iter_custom(|turns| {
                run::<KNOWN, _>(
                    turns,
                    &mut own,
                    &operations,
                    |table, key, value| {
                        table.put(key, value).expect("room");
                    },
                    |table, key, out| {
                        black_box(table.get(key, out).expect("sound"));
                    },
                )
            });
        });
        group.bench_function("clht", |bencher| {
            bencher.iter_custom(|turns| {
                run::<KNOWN, _>(
                    turns,
                    &mut clht,
                    &operations,
                    |table, key, value| table.put(key, value).expect("room"),
                    |table, key, out| {
                        black_box(table.get(key, out).expect("sound"));
                    },
                )
            });
        });
        group.finish();
    }
}

criterion_group!(benches, ycsb);
criterion_main!(benches);
