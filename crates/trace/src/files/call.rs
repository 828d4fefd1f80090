//! Calls, as traces hold them.

use std::sync::Arc;

/// What a trace says before its first call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTracePreamble {
    /// What was recorded, in the words of whoever did: a line of text.
    pub note: String,
    /// What was there before the first call, directories before what is in them.
    pub existing: Vec<ExistingEntry>,
}

/// A file or directory that was there before the first call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingEntry {
    /// Where it is.
    pub path: Arc<str>,
    /// Length of a file in bytes; `None` of a directory.
    pub bytes: Option<u64>,
}

/// A call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFileCall {
    /// Which thread of the program made it.
    pub thread: u32,
    /// Instructions of that thread since its previous call, where they were counted.
    pub instructions: Option<u64>,
    /// What it asked for.
    pub action: FileAction,
}

/// What a call asked for. A file is known by a number from its opening to its closing; offsets and lengths are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAction {
    /// Opens a file.
    Open {
        /// Its number from now on.
        file: u32,
        /// What happens where it is there, and where it is not.
        how: FileOpening,
        /// Where it is.
        path: Arc<str>,
    },
    /// Closes a file.
    Close {
        /// Which.
        file: u32,
    },
    /// Reads.
    Read {
        /// Which file.
        file: u32,
        /// Its first byte.
        at: u64,
        /// Bytes that were asked for.
        bytes: u64,
        /// Bytes that there were before the file's end.
        found: u64,
    },
    /// Writes.
    Write {
        /// Which file.
        file: u32,
        /// Its first byte, at most the file's length.
        at: u64,
        /// How many bytes.
        bytes: u64,
        /// What they were.
        content: WrittenContent,
    },
    /// Cuts a file to a length, or extends it with zeros.
    Truncate {
        /// Which file.
        file: u32,
        /// Its length from now on.
        bytes: u64,
    },
    /// Makes what was written last.
    Sync {
        /// Which file.
        file: u32,
        /// What of it.
        kind: SyncKind,
    },
    /// Gives a file or directory another name, in place of what has it.
    Rename {
        /// Where it was.
        from: Arc<str>,
        /// Where it is from now on.
        to: Arc<str>,
    },
    /// Removes a file, or an empty directory.
    Remove {
        /// Where it was.
        path: Arc<str>,
    },
    /// Makes a directory.
    CreateDir {
        /// Where it is.
        path: Arc<str>,
    },
    /// Asks what is at a path.
    Entry {
        /// The path.
        path: Arc<str>,
        /// Whether there was anything.
        found: bool,
    },
    /// Asks what is in a directory.
    List {
        /// The directory.
        path: Arc<str>,
    },
    /// Makes the names in a directory last.
    SyncDir {
        /// The directory.
        path: Arc<str>,
    },
    /// No call: here the thread ends an operation of the program's own, such as a put.
    Mark {
        /// The operation: a text of at least one byte.
        operation: Arc<str>,
    },
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOpening {
    /// For reading; it must be there.
    Read,
    /// For reading and writing; it must be there.
    Write,
    /// For reading and writing; an empty one is made where there is none.
    Create,
    /// For reading and writing, empty; it is made where there is none.
    Replace,
}

impl FileOpening {
    /// All, in the order of their numbers in traces.
    pub(super) const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Create, Self::Replace];

    /// As the text form spells it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Create => "create",
            Self::Replace => "replace",
        }
    }
}

/// What of a file a sync makes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncKind {
    /// All that is known of it, as `fsync` does.
    All,
    /// Its bytes, and its length where they need it, as `fdatasync` does.
    Data,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenContent {
    /// Zeros alone.
    Zeros,
    /// Other bytes. They are drawn from the seed when the trace is played; equal bytes have equal seeds.
    Drawn {
        /// The seed: a hash of the bytes, where a recorder saw them.
        seed: u32,
    },
}

impl WrittenContent {
    /// What bytes are: zeros, or such that their FNV-1a hash of 32 bits is the seed.
    #[must_use]
    pub fn of(data: &[u8]) -> Self {
        if data.iter().all(|byte| *byte == 0) {
            return Self::Zeros;
        }
        let hash = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        Self::Drawn {
            seed: data.iter().fold(0x811C_9DC5, hash),
        }
    }
}
