//! The operations of a chip, as counts, cuts and traces tell them apart.

/// An operation of the chip.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op<'a> {
    Read {
        at: u64,
        bytes: u64,
    },
    Write {
        at: u64,
        data: &'a [u8],
    },
    Sync,
    Program {
        page: u32,
        column: u32,
        data: &'a [u8],
    },
    /// One erase of the chip, of so many blocks.
    Erase {
        block: u32,
        blocks: u32,
    },
    Mark {
        block: u32,
    },
    /// A page within the chip, but for some bytes.
    Move {
        to: u32,
        data: &'a [u8],
    },
    /// An erase that is not waited for.
    StartErase {
        block: u32,
        blocks: u32,
    },
    /// What concerns an erase that was started: to wait for it, to suspend or to resume it.
    Wait,
    /// A read while what was started is suspended.
    ReadSuspending {
        at: u64,
        bytes: u64,
    },
}

impl Op<'_> {
    /// Whether the memory holds something else afterwards.
    pub(super) const fn is_change(&self) -> bool {
        match self {
            Self::Read { .. } | Self::ReadSuspending { .. } | Self::Sync | Self::Wait => false,
            // Such a cut comes within the erase, not within the command.
            Self::StartErase { .. } => false,
            Self::Write { .. } | Self::Program { .. } | Self::Erase { .. } => true,
            Self::Mark { .. } | Self::Move { .. } => true,
        }
    }

    /// Whether it changes the memory even where it takes no time.
    pub(super) const fn has_bytes(&self) -> bool {
        match self {
            Self::Write { data, .. } | Self::Program { data, .. } => !data.is_empty(),
            _ => true,
        }
    }

    /// What a message calls it.
    pub(super) fn words(&self) -> String {
        let erase = |block: u32, blocks: u32| match blocks {
            1 => format!("the erase of block {block}"),
            _ => format!("the erase of {blocks} blocks from block {block} on"),
        };
        match self {
            Self::Read { at, bytes } | Self::ReadSuspending { at, bytes } => {
                format!("the read of {bytes} bytes at {at}")
            }
            Self::Write { at, data } => format!("the write of {} bytes at {at}", data.len()),
            Self::Sync => "a sync".to_owned(),
            Self::Program { page, column, data } => {
                let bytes = data.len();
                format!("the program of {bytes} bytes in page {page} from column {column} on")
            }
            Self::Erase { block, blocks } => erase(*block, *blocks),
            Self::Mark { block } => format!("the mark of block {block} as bad"),
            Self::Move { to, .. } => format!("the move of a page to page {to}"),
            Self::StartErase { block, blocks } => {
                format!("the command that starts {}", erase(*block, *blocks))
            }
            Self::Wait => "a command to the erase that was started, or the wait for it".to_owned(),
        }
    }

    /// Bytes that it moves; as many as can be where its time does not depend on them alone.
    #[inline(always)]
    pub(super) const fn bytes(&self) -> u64 {
        match self {
            Self::Read { bytes, .. } => *bytes,
            Self::Write { data, .. } | Self::Program { data, .. } => data.len() as u64,
            Self::Move { .. } | Self::ReadSuspending { .. } => u64::MAX,
            // What can take longer than an erase of one block.
            Self::StartErase { .. } | Self::Wait => u64::MAX,
            Self::Erase { blocks, .. } if *blocks > 1 => u64::MAX,
            Self::Sync | Self::Erase { .. } | Self::Mark { .. } => 0,
        }
    }
}
