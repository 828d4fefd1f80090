//! Whether a model keeps the rules of its chip's protocol, sheet by sheet.
//!
//! Every check breaks one rule, or follows it and looks at the outcome; times are compared with the
//! figures of the sheet for a timing class, bytes with what was stored. Then the model is made to
//! forget that rule, and the check must fail: a check that passes without the rule would prove
//! nothing.
//!
//! ```
//! use wordline_core::Timing;
//! use wordline_nvm::{Board, ChipModel, Named, NandSheet};
//!
//! # let sheet = include_str!("../../tests/data/nand.toml");
//! # let board = include_str!("../../tests/data/board.toml");
//! let sheet: NandSheet = toml::from_str(sheet)?;
//! let board: Board = toml::from_str(board)?;
//! let outcomes = sheet.conformance(Named { id: "my-board", sheet: &board }, Timing::Typ)?;
//! for outcome in &outcomes {
//!     println!("{:?}: {:?}", outcome.rule, outcome.kept);
//!     assert!(outcome.kept.is_ok() && outcome.caught);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ddr_mram;
mod nand;
mod nor;
mod nvram;

use std::fmt::Debug;

use wordline_core::quantity::{Quantity, Time};
use wordline_core::{Figure, Resolver, Timing};

use crate::board::Board;
use crate::bus::{Action, Transaction};
use crate::error::{Misuse, NvmError};
use crate::link::Link;
use crate::model::PartSetup;
pub use crate::rules::Rule;
use crate::wired::{Chip, ChipSheet, Conditions, Named};

/// What became of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The rule.
    pub rule: Rule,
    /// Whether the model keeps it, or what it did instead.
    ///
    /// # Errors
    /// What was seen in its place.
    pub kept: Result<(), String>,
    /// Whether the same check fails on a model that has forgotten the rule.
    pub caught: bool,
}

/// What a sheet states for a timing class, read apart from the model's own reading: the largest
/// column for `max`, the typical one or what stands in for it else.
fn stated<T: Quantity>(figure: &Figure<T>, timing: Timing) -> T {
    match timing {
        Timing::Max => figure.most(),
        Timing::Typ | Timing::Sampled => figure.nominal(),
    }
}

/// A bare chip, driven as by a host that waits for exactly as long as it must, with its sheet. It was just supplied with
/// power: no driver spoke to it.
#[derive(Clone)]
pub(crate) struct BareChip<S: ChipSheet> {
    chip: S::Chip,
    link: Link,
    sheet: S,
    timing: Timing,
}

/// One check: the rule, whether the sheet has it at all, and what happens when it is kept.
pub(crate) struct Check<B> {
    rule: Rule,
    applies: fn(&B) -> bool,
    run: fn(&mut B) -> Result<(), String>,
}

/// A sheet whose chip has rules to check.
pub(crate) trait RuledSheet: ChipSheet {
    /// The checks, in the order of their outcomes.
    const CHECKS: &'static [Check<BareChip<Self>>];
}

/// Runs every check that applies to a part on a board, and each again without its rule.
///
/// # Errors
/// When the part does not fit the board.
pub(crate) fn check<S: RuledSheet>(
    sheet: &S,
    board: Named<'_, Board>,
    timing: Timing,
) -> Result<Vec<RuleOutcome>, NvmError> {
    let link = sheet.link(board.sheet)?;
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed: 0,
    };
    let mut resolver = Resolver::new(timing, 0, "part");
    let setup = PartSetup {
        id: "part",
        board,
        conditions,
    };
    let (chip, _) = sheet.chip(setup, &link, &mut resolver);
    let bench = BareChip {
        chip,
        link,
        sheet: sheet.clone(),
        timing,
    };
    let applying = S::CHECKS.iter().filter(|check| (check.applies)(&bench));
    let outcomes = applying.map(|check| {
        let kept = (check.run)(&mut bench.clone());
        let mut forgetful = bench.clone();
        forgetful.chip.forget(check.rule);
        RuleOutcome {
            rule: check.rule,
            kept,
            caught: (check.run)(&mut forgetful).is_err(),
        }
    });
    Ok(outcomes.collect())
}

impl<S: ChipSheet> BareChip<S> {
    fn bus(&self, action: Action, bytes: u64) -> Result<Transaction, String> {
        let command = self.link.command(action);
        let command = command.ok_or_else(|| format!("no command for {action}"))?;
        Ok(command.transaction(0, bytes))
    }

    fn has(&self, action: Action) -> bool {
        self.link.command(action).is_some()
    }
}

/// The instant just before another.
const fn before(instant: Time) -> Time {
    Time::from_ps(instant.ps().saturating_sub(1))
}

/// An operation that must be refused for a certain reason.
fn refused<T: Debug>(result: Result<T, NvmError>, rule: fn(&Misuse) -> bool) -> Result<(), String> {
    match result {
        Err(NvmError::Misuse(misuse)) if rule(&misuse) => Ok(()),
        other => Err(format!("not refused: {other:?}")),
    }
}

/// An operation that must succeed.
fn done<T>(result: Result<T, NvmError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// Two values that must agree.
fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {found:?} instead of {expected:?}"))
}
