//! What a fit needs of a flash part's sheet, whether it is NAND or NOR.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::Time;
use wordline_core::{Figure, WearUsage};
use wordline_nvm::SheetDuration;
use wordline_nvm::ageing::AgeingSheet;

use super::lives::Usage;
use crate::error::BaseProblem;
use crate::wear::block_shape;

/// A duration of the sheet, with its dotted path.
#[derive(Clone, Debug)]
pub(super) struct Duration<'a> {
    pub(super) path: String,
    pub(super) figure: &'a Figure<Time>,
}

/// A flash part that ages.
#[derive(Clone, Debug)]
pub(super) struct FlashPart<'a> {
    /// The table of its model: `nand` or `nor`.
    pub(super) model: &'static str,
    pub(super) ageing: &'a AgeingSheet,
    pub(super) read: Option<Duration<'a>>,
    pub(super) program: Duration<'a>,
    pub(super) erase: Duration<'a>,
    /// Cycles that the sheet promises.
    pub(super) rated: u64,
    /// How a block wears.
    pub(super) usage: Usage,
}

impl<'a> FlashPart<'a> {
    /// Of a target, or why it is none.
    pub(super) fn of(target: &PartOnBoard<'a>, usage: WearUsage) -> Result<Self, BaseProblem> {
        let model = &target.part.model;
        let Some(flash) = model.flash() else {
            return Err(BaseProblem::NoRawFlash(model.name()));
        };
        let duration = |duration: SheetDuration<'a>| Duration {
            path: format!("{}.{}", model.name(), duration.key),
            figure: duration.figure,
        };
        let (bytes, _) =
            block_shape(target).map_err(|error| BaseProblem::Device(Box::new(error)))?;
        let erase = flash.block_erase(bytes);
        let erase = erase.ok_or(BaseProblem::NoErase)?;
        let outlook = flash.outlook();
        let outlook = outlook.ok_or(BaseProblem::NoAgeing)?;
        let unit_bytes = u64::from(outlook.pages) * u64::from(outlook.page_bytes);
        let programmed = flash.stressed_pages(usage.pages(outlook.pages));
        Ok(Self {
            model: model.name(),
            ageing: outlook.sheet,
            read: flash.page_read().map(duration),
            program: duration(flash.page_program()),
            erase: duration(erase),
            rated: outlook.rated,
            usage: Usage {
                pages: f64::from(outlook.pages),
                programmed: f64::from(programmed),
                together: (bytes / unit_bytes) as f64,
            },
        })
    }
}
