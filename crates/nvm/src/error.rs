//! What can go wrong on a simulated device.

use wordline_core::quantity::Time;
use wordline_memory::{FlashError, FlashErrorKind, FlashMisuse, OutOfRange};

use crate::bus::Action;
use crate::link::LinkError;

/// What can go wrong on a simulated device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvmError {
    /// The chip does not fit the board.
    #[error(transparent)]
    Link(Box<LinkError>),
    /// The access leaves the device.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The caller broke a rule of the device's protocol.
    #[error("protocol violated: {0}")]
    Misuse(#[from] Misuse),
    /// The chip has no opcode for something, or none that the board drives.
    #[error("the chip has no opcode for {0} that the board drives")]
    Unsupported(Action),
    /// More bits are wrong than the ECC can correct.
    #[error("page {page}: more bits are wrong than the ECC corrects")]
    Uncorrectable {
        /// The page.
        page: u32,
    },
    /// The chip reported that a program failed.
    #[error("page {page}: the chip reports that programming failed")]
    ProgramFailed {
        /// The page.
        page: u32,
    },
    /// The chip reported that an erase failed.
    #[error("block {block}: the chip reports that erasing failed")]
    EraseFailed {
        /// The block.
        block: u32,
    },
    /// The block is marked bad.
    #[error("block {block} is marked bad")]
    BadBlock {
        /// The block.
        block: u32,
    },
    /// Two chips in turn need memories that erase while the host does something else.
    #[error("two chips in turn need memories that erase in the background, and this one does not")]
    NoBackground,
    /// Two chips in turn must be equal.
    #[error("two chips in turn must be equal: these differ in {0}")]
    UnequalChips(&'static str),
    /// A translation layer cannot go on.
    #[error("the translation layer cannot go on: {0}")]
    Translation(Box<str>),
    /// A file system in front of the memory cannot go on.
    #[error("the file system cannot go on: {0}")]
    Files(Box<str>),
    /// The power is off.
    #[error("the power is off")]
    PowerLost,
    /// Simulated time would pass its limit.
    #[error("simulated time would pass 213 days, the most that it can hold")]
    TimeExhausted,
}

/// The instant that lies a duration behind another.
///
/// # Errors
/// When simulated time cannot hold it. (Made where it is needed: an error that an `ok_or` did not need would have to be
/// dropped, in every transaction.)
#[inline(always)]
pub(crate) const fn after(instant: Time, duration: Time) -> Result<Time, NvmError> {
    match instant.checked_plus(duration) {
        Some(later) => Ok(later),
        None => Err(NvmError::TimeExhausted),
    }
}

impl From<FlashMisuse> for NvmError {
    fn from(misuse: FlashMisuse) -> Self {
        Self::Misuse(misuse.into())
    }
}

impl From<LinkError> for NvmError {
    fn from(error: LinkError) -> Self {
        Self::Link(Box::new(error))
    }
}

impl FlashError for NvmError {
    fn kind(&self) -> FlashErrorKind {
        match self {
            Self::OutOfRange(_) | Self::Misuse(_) => FlashErrorKind::Misuse,
            Self::Uncorrectable { .. } => FlashErrorKind::Uncorrectable,
            Self::ProgramFailed { .. } => FlashErrorKind::ProgramFailed,
            Self::EraseFailed { .. } => FlashErrorKind::EraseFailed,
            Self::BadBlock { .. } => FlashErrorKind::BadBlock,
            Self::PowerLost => FlashErrorKind::PowerLost,
            Self::Link(_)
            | Self::Unsupported(_)
            | Self::NoBackground
            | Self::UnequalChips(_)
            | Self::Translation(_)
            | Self::Files(_)
            | Self::TimeExhausted => FlashErrorKind::Other,
        }
    }
}

/// The rule of a protocol that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// A write before any write-enable command.
    #[error("a write needs a write-enable command first")]
    WriteNotEnabled,
    /// A command before the chip was ready for it.
    #[error("a command at {start} comes before the chip is ready at {ready}")]
    NotReady {
        /// When the command began.
        start: Time,
        /// When the chip would have been ready.
        ready: Time,
    },
    /// A write that does not end with its page.
    #[error("{bytes} bytes at address {at} leave a page of {page} bytes")]
    LeavesPage {
        /// Address in bytes.
        at: u64,
        /// Length in bytes.
        bytes: u64,
        /// Bytes of a page.
        page: u64,
    },
    /// A rule of flash memories: ranges, order, number of programs.
    #[error(transparent)]
    Flash(#[from] FlashMisuse),
    /// A command that a busy chip does not understand.
    #[error("a busy chip understands status and suspend alone; it is busy until {until}")]
    Busy {
        /// When the chip will be done.
        until: Time,
    },
    /// Data that the opcode's granule does not divide.
    #[error("address {at} and length {bytes} must be multiples of {granule}")]
    OffGranule {
        /// Address in bytes.
        at: u64,
        /// Length in bytes.
        bytes: u64,
        /// The opcode's granule in bytes.
        granule: u8,
    },
    /// An erase of a size that the chip does not have, or off its boundary.
    #[error("the chip erases no {bytes} bytes at address {at}")]
    NoSuchErase {
        /// Address in bytes.
        at: u64,
        /// Length in bytes.
        bytes: u64,
    },
    /// An access to what a program or erase leaves unspecified while it is suspended.
    #[error("address {at} lies in what the suspended {work} has not finished; let it end first")]
    InSuspended {
        /// Address in bytes.
        at: u64,
        /// What is suspended, or would be for the access.
        work: &'static str,
    },
    /// A command that has to wait until what is suspended has been resumed.
    #[error("while {suspended} is suspended the chip takes no {action}")]
    WhileSuspended {
        /// What is suspended.
        suspended: &'static str,
        /// What was asked for.
        action: Action,
    },
    /// A suspend command before a resumed program or erase made progress.
    #[error(
        "a suspend at {start} comes before the {work} that was resumed has run until {allowed}"
    )]
    SuspendTooSoon {
        /// When the command began.
        start: Time,
        /// When it would have been allowed.
        allowed: Time,
        /// What was resumed.
        work: &'static str,
    },
    /// A resume command while nothing is suspended.
    #[error("nothing is suspended that could be resumed")]
    NothingSuspended,
    /// A bad-block mark on a chip that has none.
    #[error("the chip keeps no marks of bad blocks")]
    NoMarks,
    /// Cycles that are fewer than a chip has brought with it.
    #[error("{cycles} cycles are fewer than the {before} of the chip's age")]
    CyclesBeforeAge {
        /// Cycles that were asked for.
        cycles: u64,
        /// Cycles of the chip's age.
        before: u64,
    },
    /// Cycles beyond what any memory sees, and what counters hold.
    #[error("{cycles} cycles; expected 2^62 at the most")]
    TooManyCycles {
        /// Cycles that were asked for.
        cycles: u64,
    },
    /// Cycles of single units where the model keeps none that could be set.
    #[error("the model of this memory lets nobody set the cycles of single units")]
    NoUnitCycles,
    /// A register that was neither loaded nor read from the array.
    #[error("the chip's register is empty: load it, or read a page, first")]
    RegisterEmpty,
    /// A cache read that no page read began.
    #[error("a cache read goes on with a page read, and there is none")]
    NoPageRead,
    /// A cache read that does not go on with the next page of the block, on a chip that knows no
    /// other.
    #[error(
        "this chip's cache read goes on with the next page of the block: not from {page} to {next}"
    )]
    CacheReadOrder {
        /// The page that was read.
        page: u32,
        /// The page that was asked for.
        next: u32,
    },
    /// A cache read of a chip that has none.
    #[error("the chip has no cache read that the board drives")]
    NoCacheRead,
    /// A cache program of a chip that has none.
    #[error("the chip has no cache program that the board drives")]
    NoCacheProgram,
    /// Work on several planes of a chip that works on one at a time.
    #[error(
        "the chip works on one plane at a time, or the board does not drive its commands for more"
    )]
    OnePlane,
    /// A plane that does not exist.
    #[error("the chip has no plane {plane}")]
    NoSuchPlane {
        /// The plane.
        plane: u32,
    },
    /// Pages or blocks that cannot be worked on at the same time.
    #[error(
        "page {page} does not go with what was kept before it: work on several planes is of one \
         kind, on one block of each plane, at the same place in the block"
    )]
    Planes {
        /// The page, or the first page of the block.
        page: u32,
    },
    /// A program of bytes that belong to the ECC.
    #[error("column {column} holds the parity of the on-die ECC: leave it at 0xFF")]
    EccParity {
        /// The first such column that the program would change.
        column: u32,
    },
    /// A reliable write to a card that is no eMMC.
    #[error("only an eMMC has reliable writes")]
    NoReliableWrite,
    /// A command in deep power-down.
    #[error("in deep power-down the chip understands the wake-up command alone")]
    Asleep,
}
