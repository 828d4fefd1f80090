//! A run that is recorded is a trace.

use wordline_engines::{FileRecorder, RecordedFiles, Shared, VolatileFiles};
use wordline_rocksdb::{RocksOptions, RocksStore};
use wordline_trace::files::{FileAction, FileTraceForm, FileTraceReader, SyncKind};

#[test]
fn a_synced_put_is_one_write_one_sync_and_a_mark() {
    let mut files = VolatileFiles::new(1 << 20);
    let recorder = FileRecorder::new(&mut files, Vec::new(), FileTraceForm::Binary, "a test");
    let recorder = Shared::new(recorder.expect("into memory"));
    let files = RecordedFiles::new(files, recorder.clone());
    let options = RocksOptions {
        sync: true,
        ..RocksOptions::default()
    };
    let observer = Some(Box::new(recorder.clone()) as _);
    let mut store = RocksStore::open(Box::new(files), &options, observer).expect("room");
    for key in [b"one", b"two"] {
        store.put(key, key).expect("room");
        store.ended("put");
    }
    assert_eq!(
        store.get(b"two", <[u8]>::to_vec).expect("open"),
        Some(b"two".to_vec())
    );
    store.ended("get");
    drop(store.close().expect("it closes"));
    let Ok(recorder) = recorder.into_inner() else {
        unreachable!("the database is closed");
    };
    let trace = recorder.finish().expect("into memory");
    let reader = FileTraceReader::open(&*trace).expect("a trace");
    let calls = reader
        .map(|call| call.expect("a trace").action)
        .collect::<Vec<_>>();
    let is_mark = |action: &FileAction| matches!(action, FileAction::Mark { .. });
    let marks: Vec<_> = (0..calls.len()).filter(|at| is_mark(&calls[*at])).collect();
    let [first, second, get] = marks[..] else {
        panic!("{calls:?}");
    };
    // The log's name is synced with the first put. A get is answered from RAM.
    let [
        FileAction::Write { bytes, .. },
        FileAction::Sync {
            kind: SyncKind::Data,
            ..
        },
    ] = &calls[first + 1..second]
    else {
        panic!("{:?}", &calls[first..=second]);
    };
    assert!(*bytes > 6, "key and value are in the log");
    assert_eq!(get, second + 1);
}
