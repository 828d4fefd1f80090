//! How much life a layer has left, and why it takes no more writes.

use std::fmt;

use super::media::Media;
use super::translation::{FtlError, Translation};

/// How much life a layer has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerHealth {
    /// Blocks that may still go bad before writes can fail.
    pub spare_blocks: u32,
    /// Bad blocks, those from the factory and those that are being emptied included.
    pub bad_blocks: u32,
    /// Those among them that went bad since the layer was formatted or mounted: a mount cannot tell older ones from those of
    /// the factory.
    pub grown_bad: u32,
    /// Blocks that hold nothing.
    pub free_blocks: u32,
    /// Erases of the most worn good block, as far as the layer knows them.
    pub erases_most: u32,
    /// Logical pages whose content is lost, until they are written or trimmed.
    pub lost_pages: u32,
    /// Why the last write was refused; `None` while the layer takes writes. What was written can be read.
    pub read_only: Option<ReadOnlyReason>,
}

/// Why a layer takes no more writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// More blocks went bad than it has spare.
    SpareUsedUp,
    /// No block can be emptied, although fewer are bad: several failed at a time.
    NoBlockToEmpty,
}

impl ReadOnlyReason {
    /// As the column `cause` of result rows spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SpareUsedUp => "spare-used-up",
            Self::NoBlockToEmpty => "no-block-to-empty",
        }
    }
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SpareUsedUp => "more blocks went bad than it has spare",
            Self::NoBlockToEmpty => "no block can be emptied, because several failed at a time",
        })
    }
}

impl fmt::Display for LayerHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = self.read_only {
            write!(f, "read-only: {reason}; ")?;
        }
        write!(
            f,
            "spare blocks left: {}, bad: {}, grown bad since the mount: {}, free: {}, erases of the most worn: {}, lost pages: {}",
            self.spare_blocks,
            self.bad_blocks,
            self.grown_bad,
            self.free_blocks,
            self.erases_most,
            self.lost_pages
        )
    }
}

impl<M: Media> Translation<M> {
    /// How much life it has left.
    pub fn health(&self) -> LayerHealth {
        let bad_blocks = self.space.bad + self.failing.len() as u32;
        let spare_blocks = self.config.bad_blocks_max().saturating_sub(bad_blocks);
        let reason = match spare_blocks {
            0 => ReadOnlyReason::SpareUsedUp,
            _ => ReadOnlyReason::NoBlockToEmpty,
        };
        LayerHealth {
            spare_blocks,
            bad_blocks,
            grown_bad: bad_blocks.saturating_sub(self.bad_at_start),
            free_blocks: self.space.free_blocks(),
            erases_most: self.space.wear_range().1,
            lost_pages: self.lost.len() as u32,
            read_only: self.refused.then_some(reason),
        }
    }

    /// Takes note of whether a write found a block.
    pub(super) fn judged<T>(
        &mut self,
        written: Result<T, FtlError<M::Error>>,
    ) -> Result<T, FtlError<M::Error>> {
        match written {
            Ok(_) => self.refused = false,
            Err(FtlError::Full { .. }) => {
                self.refused = true;
                return Err(self.full());
            }
            Err(_) => {}
        }
        written
    }

    /// That no block is left to write to.
    pub(super) fn full(&self) -> FtlError<M::Error> {
        FtlError::Full {
            health: self.health(),
        }
    }
}
