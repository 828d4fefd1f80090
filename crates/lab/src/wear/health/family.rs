//! Families of virtual chips: invented parts, each with a sheet and an oxide of its own, all drawn.

use serde::Deserialize;
use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_core::{Figure, Sourced, Timing};
use wordline_nvm::ageing::{AgeingSheet, Environment};
use wordline_nvm::{Conditions, FlashModel as _, NandSheet, NvmError};
use wordline_trace::cycling::{BlockLife, CyclingOperation, CyclingPoint};

use super::super::course::{CourseStep, End, WearCourse};
use super::super::tester::{Plan, advance};
use super::ranges;
use crate::error::LabError;

/// The part whose bus, bytes and board the families share; nothing of these shows in a latency.
const BASE: &str = "nand08gw3b2c";

/// From where families are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FamilyKind {
    /// What the predictor is trained on.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "its outcome comes with the program")
    )]
    Training,
    /// Families that lie outside of it in their exponents, spreads, stress and pulse counts. Erases at the end take as
    /// many times as long as fresh ones as in the training.
    Strangers,
    /// The same, and their erases at the end take less or more than any of the training.
    Outliers,
}

impl FamilyKind {
    /// As rows spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Strangers => "strangers",
            Self::Outliers => "outliers",
        }
    }

    /// Families of different kinds share no draw.
    pub(super) const fn salt(self) -> u64 {
        match self {
            Self::Training => 0,
            Self::Strangers => 1 << 32,
            Self::Outliers => 2 << 32,
        }
    }
}

/// A family.
pub(crate) struct Family {
    sheet: NandSheet,
    kind: FamilyKind,
    number: u64,
}

/// What of a sheet is drawn.
#[derive(Deserialize)]
struct Drawn {
    page_program: Figure<Time>,
    block_erase: Figure<Time>,
    pages_per_block: Sourced<u32>,
    aging: AgeingSheet,
}

/// The part and board that families are made from.
pub(crate) fn base(catalog: &Catalog) -> Result<PartOnBoard<'_>, LabError> {
    Ok(catalog.part_on_board(BASE)?)
}

impl Family {
    /// One of a kind, drawn from a seed.
    pub(crate) fn draw(base: &PartOnBoard<'_>, kind: FamilyKind, seed: u64, number: u64) -> Self {
        let Some(sheet) = base.part.model.sheet::<NandSheet>() else {
            unreachable!("the base of the families is a NAND chip");
        };
        let text = ranges::text(kind, seed, number);
        let drawn: Drawn = match toml::from_str(&text) {
            Ok(drawn) => drawn,
            Err(error) => unreachable!("the drawn sheet is none: {error}"),
        };
        let mut sheet = NandSheet::clone(sheet);
        sheet.page_program = drawn.page_program;
        sheet.block_erase = drawn.block_erase;
        sheet.pages_per_block = drawn.pages_per_block;
        sheet.aging = Some(drawn.aging);
        Self {
            sheet,
            kind,
            number,
        }
    }

    /// Lives of the first good blocks of chips of the family, as a log records them: one page is programmed and the
    /// block erased until an operation fails.
    pub(crate) fn lives(
        &self,
        base: &PartOnBoard<'_>,
        seed: u64,
        chips: u64,
        blocks: usize,
    ) -> Result<Vec<BlockLife>, NvmError> {
        let mut lives = Vec::new();
        for chip in 0..chips {
            let lot = self.kind.salt() + self.number * chips + chip;
            let conditions = Conditions {
                timing: Timing::Typ,
                age: 0.0,
                seed: draw(seed, lot, 0, Purpose::Chip),
            };
            lives.extend(self.chip(base, conditions, chip, blocks)?);
        }
        Ok(lives)
    }

    fn chip(
        &self,
        base: &PartOnBoard<'_>,
        conditions: Conditions,
        number: u64,
        blocks: usize,
    ) -> Result<Vec<BlockLife>, NvmError> {
        let mut fresh = self.sheet.connect_cycled(base.setup(conditions))?;
        if fresh.start_ageing(Environment::default()).is_err() {
            unreachable!("its sheet has the figures, and 25 degrees are allowed");
        }
        let zeros = vec![0; fresh.geometry().page_bytes as usize];
        let plan = Plan {
            pages: 1,
            data: &zeros,
            most: u64::MAX,
            drawn: false,
            measured: false,
        };
        let mut lives = Vec::new();
        for block in 0..fresh.geometry().blocks {
            if lives.len() == blocks {
                break;
            }
            if fresh.is_bad(block)? {
                continue;
            }
            let mut chip = fresh.fork_cycled();
            let clock = chip.clock().clone();
            let mut course = WearCourse::default();
            while advance(&mut *chip, &clock, &plan, block, &mut course)? {}
            lives.push(life(number, block, &course));
        }
        Ok(lives)
    }
}

/// A course as a log records it.
fn life(chip: u64, block: u32, course: &WearCourse) -> BlockLife {
    let steps = [
        (CourseStep::Program, CyclingOperation::Program),
        (CourseStep::Erase, CyclingOperation::Erase),
    ];
    let mut points: Vec<CyclingPoint> = Vec::new();
    let mut latest = [None; 2];
    for stretch in &course.stretches {
        for (index, (step, operation)) in steps.into_iter().enumerate() {
            let Some(mean_s) = stretch.mean_s(step) else {
                continue;
            };
            let duration = Time::from_ps((mean_s * 1e12).round() as u64);
            if latest[index].replace(duration) != Some(duration) {
                points.push(CyclingPoint {
                    cycle: stretch.first + 1,
                    operation,
                    duration,
                    line: 0,
                    lines: 1,
                });
            }
        }
    }
    let operation = match course.end {
        Some(End::ProgramFailed) => CyclingOperation::Program,
        _ => CyclingOperation::Erase,
    };
    BlockLife {
        chip: chip.to_string(),
        block: u64::from(block),
        points,
        failed: Some((course.cycles, operation)),
        cycles: course.cycles,
        line: 0,
    }
}
