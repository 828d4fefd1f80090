//! What a fit needs of a flash part's sheet, whether it is NAND or NOR.

use wordline_catalog::{Model, Target};
use wordline_core::quantity::Time;
use wordline_core::{Figure, WearUsage};
use wordline_nvm::ageing::AgeingSheet;

use super::lives::Usage;
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
    pub(super) fn of(target: &Target<'a>, usage: WearUsage) -> Result<Self, String> {
        let lacks = || "its sheet has no table aging, which a fit begins with".to_owned();
        match &target.part.model {
            Model::Nand(sheet) => {
                let duration = |key: &str, figure| Duration {
                    path: format!("nand.{key}"),
                    figure,
                };
                let pages = *sheet.pages_per_block.value();
                Ok(Self {
                    model: "nand",
                    ageing: sheet.aging.as_ref().ok_or_else(lacks)?,
                    read: Some(duration("page_read", &sheet.page_read)),
                    program: duration("page_program", &sheet.page_program),
                    erase: duration("block_erase", &sheet.block_erase),
                    rated: sheet.endurance.least().count(),
                    usage: Usage {
                        pages: f64::from(pages),
                        programmed: f64::from(usage.pages(pages)),
                        together: 1.0,
                    },
                })
            }
            Model::Nor(sheet) => {
                let (bytes, _) = block_shape(target).map_err(|error| error.to_string())?;
                let sizes = || {
                    sheet
                        .erase
                        .iter()
                        .map(|erase| erase.bytes.nominal().bytes())
                };
                let unit = sizes().min().unwrap_or(bytes).max(1);
                let index = sizes().position(|size| size == bytes);
                let index = index.ok_or("no erase of its sheet is as large as a block")?;
                Ok(Self {
                    model: "nor",
                    ageing: sheet.aging.as_ref().ok_or_else(lacks)?,
                    read: None,
                    program: Duration {
                        path: "nor.page_program".to_owned(),
                        figure: &sheet.page_program,
                    },
                    erase: Duration {
                        path: format!("nor.erase.{index}.duration"),
                        figure: &sheet.erase[index].duration,
                    },
                    rated: sheet.endurance.least().count(),
                    // An erase does the stress of a whole cycle to each of its units, whatever is programmed.
                    usage: Usage {
                        pages: 1.0,
                        programmed: 1.0,
                        together: (bytes / unit) as f64,
                    },
                })
            }
            other => Err(format!(
                "this part is of the model [{}], and this template fits raw flash",
                other.name()
            )),
        }
    }
}
