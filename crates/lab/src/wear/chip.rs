//! What the sheet of a worn chip says of it.

use wordline_catalog::PartOnBoard;
use wordline_core::Figure;
use wordline_core::quantity::{Cycles, Time};

/// What a sheet says of the operations that are timed.
pub(super) struct Specified<'a> {
    pub(super) program: &'a Figure<Time>,
    pub(super) erase: Option<&'a Figure<Time>>,
    pub(super) read: Option<&'a Figure<Time>>,
    pub(super) endurance: &'a Figure<Cycles>,
}

impl<'a> Specified<'a> {
    /// Of a target whose blocks have so many bytes.
    pub(super) fn of(target: &PartOnBoard<'a>, block_bytes: u64) -> Option<Self> {
        let flash = target.part.model.flash()?;
        Some(Self {
            program: flash.page_program().figure,
            erase: flash.block_erase(block_bytes).map(|erase| erase.figure),
            read: flash.page_read().map(|read| read.figure),
            endurance: flash.endurance(),
        })
    }
}
