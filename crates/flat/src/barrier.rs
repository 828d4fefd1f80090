//! What the files do against power cuts and flipped bits, by name, so that a test can leave each out and prove that it is
//! noticed.

/// One thing without which a power cut or a flipped bit can lose or change what was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "some are made by the tests alone")
)]
pub(crate) enum FlatBarrier {
    /// A record is persisted before it is committed.
    PersistRecord,
    /// The commit is the last write of a record.
    CommitLast,
    /// A commit is persisted before what it replaces dies.
    PersistCommit,
    /// The old record dies after the new one is committed.
    NewBeforeOld,
    /// That a record is dead is persisted before its slot or its units are used again.
    PersistDeath,
    /// A mount kills what a newer record replaces.
    KillReplaced,
    /// A rename names the record whose name it takes.
    ReplaceTarget,
    /// Appended bytes are written before the length that covers them.
    DataBeforeLength,
    /// Appended bytes, and a length that is not in force, are persisted before the state byte puts it in force.
    PersistBeforeLength,
    /// A new length goes where the length in force does not lie.
    IdleLength,
    /// A length in force is persisted before the other one is written again.
    PersistLength,
    /// A shorter length is persisted before what it gives up may be used again.
    PersistShrink,
    /// A file is extended with zeros that are written.
    ZeroExtension,
    /// A mount takes of a file's extents what its length covers.
    ClipAtMount,
    /// An open file takes units behind its length only where they are free.
    RetakeFree,
    /// A mount takes the slots that continue a record.
    TakeContinuations,
    /// A sync persists.
    Sync,
    /// The CRC of a record is looked at.
    CheckRecord,
    /// The CRC of a length is looked at.
    CheckLength,
    /// The CRC of the header is looked at.
    CheckHeader,
}
