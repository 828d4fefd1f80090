//! Engines as the crash harness takes them: one subject for stores, one for file systems.

mod calls;
mod files;
mod records;

use std::fmt;

pub use calls::{FileCall, FileNode, FileTree};
pub use files::{ContractOf, CutMemory, FileSubject, OpenedVolume, VolumePreparation, judge_files};
pub use records::{RecordCall, RecordMap, StoreSubject, judge_records};

/// Bytes of a key, a value or a file, which print in one short word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredBytes(pub Vec<u8>);

impl StoredBytes {
    /// Parts of so many bytes, and of what is left, with where they begin.
    fn parts(self, bytes: usize) -> impl Iterator<Item = (u64, Self)> {
        let parts = self.0.chunks(bytes).map(<[u8]>::to_vec);
        let parts: Vec<_> = parts.collect();
        let place = move |number: usize| (number * bytes) as u64;
        let parts = parts.into_iter().enumerate();
        parts.map(move |(number, part)| (place(number), Self(part)))
    }
}

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
