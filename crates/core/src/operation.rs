//! Every operation that a result row can be about: one registry, and nowhere else.

use crate::experiment::{FsTest, Operation};
use crate::names::named;

named! {
    /// What the accesses of a row did.
    pub enum RowOperation {
        /// All operations of a mix together.
        All = "all",
        /// A test of appends.
        Append = "append",
        /// Small appends to one file after the other.
        AppendSmall = "append-small",
        /// Appends to a file, each made durable.
        AppendSync = "append-sync",
        /// Closings of a file.
        Close = "close",
        /// Power cuts.
        Crash = "crash",
        /// New files, one after the other.
        Create = "create",
        /// Whole cycles of a block.
        Cycle = "cycle",
        /// Removals of a file or a record.
        Delete = "delete",
        /// Removals of the oldest part of a file.
        DiscardFront = "discard-front",
        /// Erases of a block.
        Erase = "erase",
        /// What was removed becomes free, a piece of it.
        Free = "free",
        /// Look-ups of keys, as a recorded program marks them.
        Get = "get",
        /// Look-ups of keys that are there.
        Hit = "hit",
        /// New records.
        Insert = "insert",
        /// Queries of what is in a directory.
        List = "list",
        /// New directories.
        MakeDirectory = "make-directory",
        /// Look-ups of keys that are not there.
        Miss = "miss",
        /// Mounts of a file system.
        Mount = "mount",
        /// Openings of a file that is there.
        Open = "open",
        /// Writes over a file that is there, and the test of them.
        Overwrite = "overwrite",
        /// Writes over a file that is there at random places, each made to last, and the test of them.
        OverwriteSync = "overwrite-sync",
        /// Programs of a page.
        Program = "program",
        /// Records stored, as a recorded program marks them.
        Put = "put",
        /// A test of random places.
        Random = "random",
        /// Reads of a file at random places.
        RandomRead = "random-read",
        /// Writes of a file at random places.
        RandomWrite = "random-write",
        /// Reads.
        Read = "read",
        /// Reads of a record, each followed by its update.
        ReadModifyWrite = "read-modify-write",
        /// Reads and writes side by side.
        ReadWrite = "read_write",
        /// New names of files, in place of others or not.
        Rename = "rename",
        /// Reads of a file in order.
        SeqRead = "seq-read",
        /// Writes of a file in order.
        SeqWrite = "seq-write",
        /// A test of a file from its start to its end.
        Sequential = "sequential",
        /// A test of small files.
        SmallFiles = "small-files",
        /// Queries of a file's size.
        Stat = "stat",
        /// Statements of a script.
        Statement = "statement",
        /// Steps of a real-time layer: a page moved, or a page of its map stored.
        Step = "step",
        /// Syncs: what was written to a file is made to last.
        Sync = "sync",
        /// Transactions of a database.
        Transaction = "transaction",
        /// Files cut to a length.
        Truncate = "truncate",
        /// New values of records that are there.
        Update = "update",
        /// Writes.
        Write = "write",
    }
}

impl From<Operation> for RowOperation {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Read => Self::Read,
            Operation::Write => Self::Write,
        }
    }
}

impl From<FsTest> for RowOperation {
    fn from(test: FsTest) -> Self {
        match test {
            FsTest::Sequential => Self::Sequential,
            FsTest::Overwrite => Self::Overwrite,
            FsTest::OverwriteSync => Self::OverwriteSync,
            FsTest::Random => Self::Random,
            FsTest::Append => Self::Append,
            FsTest::SmallFiles => Self::SmallFiles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_in_the_order_of_the_names() {
        assert!(RowOperation::ALL.is_sorted_by(|one, next| one.name() < next.name()));
    }
}
