//! Engines as the crash harness takes them: one subject for stores, one for file systems.

mod records;

pub use records::{RecordBytes, RecordCall, RecordMap, StoreSubject, judge_records};
