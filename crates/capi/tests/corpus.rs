//! Inputs that fuzzing found, which the tests replay.

use std::fs;
use std::path::Path;

/// Replays a folder of the corpus. A check says whether its input stored anything, and some of them must.
pub(crate) fn replay(folder: &str, check: fn(&[u8]) -> bool) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut stored = 0;
    for entry in fs::read_dir(corpus.join(folder)).expect("the corpus is checked in") {
        let path = entry.expect("readable").path();
        let data = fs::read(&path).expect("readable");
        let passed = std::panic::catch_unwind(|| check(&data));
        assert!(passed.is_ok(), "{} fails", path.display());
        stored += usize::from(passed.is_ok_and(|stored| stored));
    }
    assert!(stored >= 8, "{stored} of the corpus store anything");
}
