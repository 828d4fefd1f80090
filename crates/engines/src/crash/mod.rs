//! Engines as the crash harness takes them: one subject for stores, one for file systems.

mod calls;
mod files;
mod records;

use std::fmt;

pub use calls::{FileCall, FileNode, FileTree};
pub use files::{ContractOf, CutMemory, FileSubject, OpenedVolume, VolumePreparation};
pub use records::{RecordCall, RecordMap, StoreSubject, judge_records};

/// Bytes of a key, a value or a file, which print in one short word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredBytes(pub Vec<u8>);

impl fmt::Debug for StoredBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, rest) = self.0.split_at(self.0.len().min(4));
        for byte in head {
            write!(f, "{byte:02x}")?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        let hash = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
        write!(f, "+{}#{:08x}", rest.len(), rest.iter().fold(0, hash))
    }
}
