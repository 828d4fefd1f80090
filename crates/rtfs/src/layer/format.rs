//! Layers that are made: sizes checked, and the flash erased.

use wordline_memory::Flash;

use super::group::BegunGroup;
use super::{FAILING_MAX, PacedLayer, PacedWork, SetupResult};
use crate::error::{PacedSetupError, PacedUnsuitable};
use crate::pages::RecordedPages;
use crate::record::RECORD_BYTES;
use crate::rule::PacedRules;
use crate::shape::{PacedConfig, PacedShape};
use crate::tables::PacedTables;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    pub(super) fn blank(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
        rules: PacedRules,
    ) -> SetupResult<Self, F::Error> {
        let geometry = flash.geometry();
        let shape = PacedShape::new(&geometry, &config).map_err(PacedSetupError::Unsuitable)?;
        let bound = shape
            .bound()
            .map_err(PacedSetupError::Unsuitable)?
            .with_erases(flash.erase_mode());
        for column in columns {
            if column >= geometry.spare_bytes {
                return Err(PacedSetupError::Unsuitable(PacedUnsuitable {
                    what: "a column of the records in the spare area",
                    found: column.into(),
                    least: 0,
                    most: u64::from(geometry.spare_bytes) - 1,
                }));
            }
        }
        let given = memory.as_ref().len();
        if given < bound.ram_bytes {
            return Err(PacedSetupError::Memory {
                needed: bound.ram_bytes,
                given,
            });
        }
        Ok(Self {
            pages: RecordedPages::new(flash, columns),
            tables: PacedTables::new(memory, shape),
            bound,
            head: 0,
            previous: 0,
            used: shape.data_pages,
            sequence: 0,
            erased: None,
            erasing: None,
            unpaid_pages: 0,
            free: 0,
            victim: None,
            failing: [None; FAILING_MAX],
            resting: None,
            level_moves: 0,
            coming: 0,
            share: 0,
            stored_before: 0,
            advised: None,
            group: BegunGroup::default(),
            work: PacedWork::default(),
            broken: false,
            worn_out: false,
            map_lost: false,
            rules,
        })
    }

    /// Erases the flash, and makes it hold logical pages none of which is written.
    ///
    /// `columns` are the bytes of the spare area, counted from its start, that take the record of a page.
    ///
    /// # Errors
    /// When the sizes do not suit, more blocks are bad than the configuration allows, or the flash fails. An
    /// interrupted format must be begun again.
    pub fn format(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
    ) -> SetupResult<Self, F::Error> {
        Self::format_with(flash, columns, config, memory, PacedRules::ALL)
    }

    /// [`format`](Self::format), and some rules left out.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn format_with(
        flash: F,
        columns: [u32; RECORD_BYTES],
        config: PacedConfig,
        memory: M,
        rules: PacedRules,
    ) -> SetupResult<Self, F::Error> {
        let mut layer = Self::blank(flash, columns, config, memory, rules)?;
        layer.await_erase()?;
        let blocks = layer.shape().geometry.blocks;
        let mut bad = 0;
        for block in 0..blocks {
            if layer.pages.flash.is_bad(block)? || !layer.erase_block(block)? {
                layer.tables.set_bad(block);
                bad += 1;
            }
        }
        if bad > config.bad_blocks {
            return Err(PacedSetupError::Unsuitable(PacedUnsuitable {
                what: "bad blocks found",
                found: bad.into(),
                least: 0,
                most: config.bad_blocks.into(),
            }));
        }
        // No block is the head yet.
        layer.head = blocks;
        layer.free = blocks - bad;
        let shape = *layer.shape();
        for number in 0..shape.map_pages {
            layer
                .tables
                .set_unwritten(number, shape.logical_pages_of(number));
        }
        layer.open_block(false)?;
        if layer.erases_in_parts() {
            layer.erase_ahead()?;
        }
        Ok(layer)
    }
}
