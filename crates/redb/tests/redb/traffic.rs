//! What operations move.

use wordline_engines::{STORES, StoreOptions, named};
use wordline_redb::{RedbError, RedbStore};

use super::{Counts, Watched, key};

fn counts(store: &mut RedbStore<Watched>) -> Counts {
    let memory = store.memory().expect("no call runs");
    std::mem::take(&mut memory.counts)
}

/// As was seen on files: six pages and the header, and one sync.
#[test]
fn a_put_of_32_bytes_writes_seven_times_and_syncs_once() {
    let mut store = RedbStore::create(Watched::new(1 << 20)).expect("room");
    for number in 0..100 {
        store.put(&key(number, 32), &[1; 32]).expect("room");
    }
    counts(&mut store);
    store.put(&key(100, 32), &[1; 32]).expect("room");
    let put = counts(&mut store);
    assert_eq!((put.writes, put.bytes_written, put.syncs), (7, 24_896, 1));
    let found = store.get(&key(100, 32), <[u8]>::to_vec).expect("a memory");
    assert_eq!(found, Some(vec![1; 32]));
    let got = counts(&mut store);
    assert_eq!((got.writes, got.syncs), (0, 0));
    assert!(store.remove(&key(100, 32)).expect("room"));
    assert!(!store.remove(&key(100, 32)).expect("room"));
    assert_eq!(store.records(), 100);
}

/// Fills memories to what the list of engines promises, by shuffled, rising and falling keys. Nothing is read that was not
/// written before.
#[test]
fn what_is_promised_fits_in_any_order() {
    let engine = named(STORES, "redb").expect("it is in the list");
    let rooms = [
        (96, 4),
        (160, 4),
        (96, 32),
        (512, 32),
        (600, 500),
        (1024, 1500),
        (1024, 5000),
    ];
    for (room, bytes) in rooms {
        let room = room << 10;
        let options = StoreOptions {
            key_bytes: bytes,
            value_bytes: bytes,
            resident_directory: false,
        };
        let records = engine.places(&options, room, 1).expect("room for a record");
        for order in 0..3 {
            let mut store = RedbStore::create(Watched::new(room as usize)).expect("room");
            for number in 0..records {
                let number = match order {
                    0 => number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40,
                    1 => number,
                    _ => records - number,
                };
                let put = store.put(&key(number, bytes as usize), &vec![7; bytes as usize]);
                put.unwrap_or_else(|error| panic!("{records} of {bytes}, order {order}: {error}"));
            }
            assert_eq!(store.records(), records);
            assert!(!store.memory().expect("no call runs").read_garbage);
        }
    }
    let options = StoreOptions {
        key_bytes: 1,
        value_bytes: 0,
        resident_directory: false,
    };
    assert_eq!(engine.places(&options, 17 * 4096, 1), None);
}

#[test]
fn a_full_memory_keeps_what_it_holds_and_opens_again() {
    let too_small = RedbStore::create(Watched::new(17 * 4096)).err();
    assert_eq!(too_small, Some(RedbError::NoRoom));
    let mut store = RedbStore::create(Watched::new(128 << 10)).expect("room");
    let mut put = 0;
    let end = loop {
        match store.put(&key(put, 16), &[3; 500]) {
            Ok(()) => put += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(end, RedbError::NoRoom);
    let memory = store
        .memory()
        .map(|memory| std::mem::replace(memory, Watched::new(0)));
    drop(store);
    let mut store = RedbStore::open(memory.expect("no call runs")).expect("it holds a store");
    assert_eq!(store.records(), put);
    let mut seen = 0;
    let each = store.each(&mut |found, value| {
        assert_eq!((found, value), (&key(seen, 16)[..], &[3; 500][..]));
        seen += 1;
    });
    each.expect("a memory");
    assert_eq!(seen, put);
}

#[test]
fn the_same_calls_write_the_same_bytes() {
    let image = || {
        let mut store = RedbStore::create(Watched::new(256 << 10)).expect("room");
        for number in 0..200 {
            store
                .put(&key(number * 37 % 101, 8), &[number as u8; 90])
                .expect("room");
            if number % 3 == 0 {
                store.remove(&key(number * 11 % 101, 8)).expect("room");
            }
        }
        let memory = store.memory().expect("no call runs");
        (memory.bytes.clone(), memory.counts)
    };
    assert!(image() == image(), "two runs differ");
}
