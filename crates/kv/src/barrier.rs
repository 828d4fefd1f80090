//! What the table does against power cuts and flipped bits, by name, so that a test can make it forget each and prove
//! that is noticed.

/// One thing without which a power cut or a flipped bit can lose or change what was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "some are made by the tests alone")
)]
pub(crate) enum StoreBarrier {
    /// A record is persisted before it is committed.
    PersistRecord,
    /// The commit is the last write of a record.
    CommitLast,
    /// A commit is persisted before the call goes on.
    PersistCommit,
    /// The old version dies after the new one is committed.
    NewBeforeOld,
    /// That the old version is dead is persisted before its slot is used again.
    PersistOld,
    /// A delete is persisted before the call returns.
    PersistDelete,
    /// A new version has the next number.
    NextVersion,
    /// The older of two versions is removed when the table is opened.
    RemoveOlder,
    /// The CRC-32C of a slot is looked at when the table is opened.
    SlotCheck,
    /// What a torn commit left is removed when the table is opened.
    RemoveTorn,
    /// Slots that continue a record are taken when the table is opened.
    TakeContinuations,
    /// The residue of a record is looked at when it is read.
    RecordCheck,
    /// A slot with one wrong bit is read as what it was.
    MendBit,
    /// A key that differs is believed only where its slot is sound.
    DoubtKey,
}
