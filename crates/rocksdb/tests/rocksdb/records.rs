//! Records are what they should be, through flushes, compactions and openings.

use std::collections::BTreeMap;

use wordline_engines::VolatileFiles;
use wordline_rocksdb::{RocksOptions, RocksStore};

/// A small table in RAM, so that files are written, merged and removed.
fn options() -> RocksOptions {
    RocksOptions {
        write_buffer: Some(64 << 10),
        ..RocksOptions::default()
    }
}

#[test]
fn a_database_holds_its_records_through_compactions_and_openings() {
    let mut files: Box<dyn wordline_engines::FileSystem + Send> =
        Box::new(VolatileFiles::new(64 << 20));
    let mut expected = BTreeMap::new();
    for round in 0..3_u32 {
        let mut store = RocksStore::open(files, &options(), None).expect("it opens");
        for number in 0..4000_u32 {
            let key = (number.wrapping_mul(0x9E37_79B1) >> 20).to_be_bytes();
            match number % 7 {
                0 => {
                    store.remove(&key).expect("room");
                    expected.remove(&key);
                }
                _ => {
                    let value = [round as u8; 100];
                    store.put(&key, &value).expect("room");
                    expected.insert(key, value);
                }
            }
        }
        let mut found = Vec::new();
        let mut see = |key: &[u8], value: &[u8]| found.push((key.to_vec(), value.to_vec()));
        store.each(&mut see).expect("it can be read");
        let all = expected
            .iter()
            .map(|(key, value)| (key.to_vec(), value.to_vec()));
        assert_eq!(found, all.collect::<Vec<_>>());
        assert_eq!(
            store.get(b"none", <[u8]>::len).expect("it can be read"),
            None
        );
        files = store.close().expect("it closes");
    }
    let tables = files.list("/db").expect("it is there");
    assert!(
        tables.iter().any(|entry| entry.name.ends_with(".sst")),
        "{tables:?}"
    );
}
