//! RocksDB keeps what it synced, and a file system that lies is caught.

use wordline_engines::crash::{RecordCall, StoredBytes};
use wordline_rocksdb::RocksOptions;
use wordline_rocksdb::crash::{FileCutVerdict, FileSyncs, RocksCuts};

/// Puts, updates and removals with values of some bytes.
fn calls(count: u32, value_bytes: usize) -> Vec<RecordCall> {
    let calls = (0..count).map(|number| {
        let key = StoredBytes((number % (count / 2)).to_be_bytes().to_vec());
        match number % 5 {
            4 => RecordCall::Remove(key),
            _ => {
                let byte = |place: usize| (number as usize).wrapping_mul(place | 1) as u8;
                RecordCall::Put(key, StoredBytes((0..value_bytes).map(byte).collect()))
            }
        }
    });
    calls.collect()
}

fn cut(syncs: FileSyncs, calls: &[RecordCall], write_buffer: Option<usize>) -> FileCutVerdict {
    let cuts = RocksCuts {
        options: RocksOptions {
            sync: true,
            write_buffer,
            ..RocksOptions::default()
        },
        syncs,
        seed: 1,
        again_every: 50,
    };
    cuts.check(calls).expect("it runs without a cut")
}

#[test]
fn whatever_returned_is_there_after_any_cut() {
    let verdict = cut(FileSyncs::Kept, &calls(20, 30), None);
    assert_eq!(verdict.first, None);
    assert!(
        verdict.images > 200 && verdict.second_images > 50,
        "{verdict:?}"
    );
}

#[test]
fn a_file_sync_that_lies_is_caught() {
    let verdict = cut(FileSyncs::FilesLie, &calls(20, 30), None);
    assert!(verdict.failures > 0, "{verdict:?}");
}

#[test]
fn a_directory_sync_that_lies_is_caught() {
    let verdict = cut(FileSyncs::DirsLie, &calls(20, 30), None);
    assert!(verdict.failures > 0, "{verdict:?}");
}

/// Tables are written, merged and removed meanwhile.
#[test]
#[ignore = "minutes; `make nightly` runs it"]
fn whatever_returned_is_there_after_any_cut_through_flushes_and_compactions() {
    let verdict = cut(FileSyncs::Kept, &calls(400, 1500), Some(64 << 10));
    assert_eq!(verdict.first, None);
    assert!(
        verdict.cuts > 1000 && verdict.second_images > 500,
        "{verdict:?}"
    );
}
