//! How many words of a 16-bit bus each operation moves, beside the least that it could.

#![allow(
    clippy::print_stdout,
    reason = "the figures are what one runs this for"
)]

use crate::support::{Counted, drawn};
use wordline_kv::{Directory, Options, RamDirectory, ResidentDirectory, Table, format};

const MEMORY_BYTES: usize = 512 << 10;

/// Mean words of a 16-bit bus for each operation.
#[derive(Debug)]
struct Words {
    insert: f64,
    hit: f64,
    miss: f64,
    update: f64,
    delete: f64,
}

struct Filled<D> {
    table: Table<Counted, D, Vec<u8>>,
    key_bytes: usize,
    value_bytes: usize,
}

impl<D: Directory<Counted>> Filled<D> {
    fn new(options: &Options, sizes: (usize, usize), directory: impl Fn(usize) -> D) -> Self {
        let mut memory = Counted::new(MEMORY_BYTES);
        let geometry = format(&mut memory, options).expect("room");
        let scratch = vec![0; geometry.scratch_bytes().max(4096)];
        let table =
            Table::open(memory, directory(geometry.directory_words()), scratch).expect("formatted");
        Self {
            table,
            key_bytes: sizes.0,
            value_bytes: sizes.1,
        }
    }

    /// Mean words of what is done for each of some keys.
    fn mean(
        &mut self,
        keys: std::ops::Range<u64>,
        mut each: impl FnMut(&mut Self, &[u8], u64),
    ) -> f64 {
        let before = self.table.memory().words;
        let count = (keys.end - keys.start) as f64;
        for number in keys {
            let key = drawn(number, self.key_bytes);
            each(self, &key, number);
        }
        (self.table.memory().words - before) as f64 / count
    }

    fn put(&mut self, key: &[u8], number: u64) {
        let value = drawn(!number, self.value_bytes);
        self.table.put(key, &value).expect("room");
    }

    fn get(&mut self, key: &[u8], number: u64, is_there: bool) {
        let mut out = [0; 256];
        let found = self.table.get(key, &mut out).expect("sound");
        assert_eq!(found, is_there.then_some(self.value_bytes));
        if is_there {
            assert_eq!(out[..self.value_bytes], drawn(!number, self.value_bytes));
        }
    }

    /// Fills the table to a load, of which a twentieth is measured; then reads, misses, updates, and removes a tenth.
    fn at(&mut self, load: f64) -> Words {
        let keys = (f64::from(self.table.geometry().slots()) * load) as u64;
        let first = keys - keys / 20;
        self.mean(0..first, |filled, key, number| filled.put(key, number));
        let insert = self.mean(first..keys, |filled, key, number| filled.put(key, number));
        let hit = self.mean(0..keys, |filled, key, number| filled.get(key, number, true));
        let miss = self.mean(1 << 40..(1 << 40) + keys, |filled, key, number| {
            filled.get(key, number, false)
        });
        let update = self.mean(0..keys, |filled, key, number| filled.put(key, number));
        let delete = self.mean(0..keys / 10, |filled, key, _| {
            assert!(filled.table.remove(key).expect("sound"))
        });
        Words {
            insert,
            hit,
            miss,
            update,
            delete,
        }
    }
}

fn words(sizes: (usize, usize), load: f64, is_resident: bool) -> Words {
    let options = Options::for_records(sizes.0, sizes.1, 2);
    let words = if is_resident {
        Filled::new(&options.resident(), sizes, |_| ResidentDirectory::new()).at(load)
    } else {
        Filled::new(&options, sizes, |words| RamDirectory::new(vec![0; words])).at(load)
    };
    println!(
        "{sizes:?} B, load {load}, directory in {}: {words:.2?}",
        if is_resident { "memory" } else { "RAM" }
    );
    words
}

#[test]
fn traffic_stays_near_the_floor_at_half_load() {
    // Key and value size, and the most words of an insert and a hit: the floor is key + value + 1, and key + value.
    for (bytes, insert, hit) in [
        (4, 9.0, 6.0),
        (32, 1.25 * 33.0, 1.15 * 32.0),
        (256, 1.06 * 257.0, 1.05 * 256.0),
    ] {
        let words = words((bytes, bytes), 0.5, false);
        assert!(words.insert <= insert, "{bytes} B: {words:?}");
        // A tag of 16 bits that matches by chance costs one more look at a slot, once in some 10,000 searches.
        assert!(words.hit <= hit + 0.005, "{bytes} B: {words:?}");
        assert!(words.miss < 0.5, "{bytes} B: {words:?}");
        // An update reads the old record, writes the new one and one word of the old; a delete leaves out the second.
        assert!(words.delete <= words.hit + 1.005, "{bytes} B: {words:?}");
        assert!(
            words.update <= words.insert + words.hit + 1.005,
            "{bytes} B: {words:?}"
        );
    }
    let resident = words((4, 4), 0.5, true);
    assert!(resident.hit <= 10.0, "{resident:?}");
}

#[test]
fn traffic_at_nine_tenths_of_the_slots_with_the_directory_in_ram_is_that_at_half() {
    for bytes in [4, 32, 256] {
        let (half, full) = (
            words((bytes, bytes), 0.5, false),
            words((bytes, bytes), 0.9, false),
        );
        assert!(
            (full.hit - half.hit).abs() < 0.01 * half.hit,
            "{half:?} {full:?}"
        );
        assert!(
            (full.insert - half.insert).abs() < 0.01 * half.insert,
            "{half:?} {full:?}"
        );
        // Without a directory in RAM, searches of a fuller table read more of it.
        words((bytes, bytes), 0.9, true);
        words((bytes, bytes), 0.5, true);
    }
}

#[test]
fn opening_reads_each_byte_about_once() {
    let mut memory = Counted::new(8 << 20);
    let geometry = format(&mut memory, &Options::for_records(4, 4, 2)).expect("room");
    let directory = || RamDirectory::new(vec![0; geometry.directory_words()]);
    let scratch = || vec![0; 16 << 10];
    let mut table = Table::open(memory, directory(), scratch()).expect("formatted");
    for number in 0..u64::from(geometry.slots()) * 9 / 10 {
        table
            .put(&drawn(number, 4)[..4], &drawn(!number, 4))
            .expect("room");
    }
    let mut memory = table.into_memory();
    (memory.words, memory.accesses) = (0, 0);
    let mut table = Table::open(memory, directory(), scratch()).expect("closed in order");
    let memory = table.memory();
    // The formula of docs/concepts/kv.md; a hash that collides costs one slot each.
    println!("{} words in {} accesses", memory.words, memory.accesses);
    let seconds = memory.words as f64 * 2.0 / 400e6;
    assert!(seconds <= 0.030, "{seconds} s at 400 MB/s");
    let reads = (8_u64 << 20).div_ceil((16 << 10) - 16) + 1;
    assert!(
        memory.accesses < reads + 200,
        "{} accesses",
        memory.accesses
    );
}
