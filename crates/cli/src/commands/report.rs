//! `wordline report`.

use crate::args::{Global, Report};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output::Exports;
use crate::saved;

pub(crate) fn run(report: &Report, global: &Global) -> Result<Outcome, Failure> {
    let exports = Exports::of_results(&report.results)?;
    exports.spare(&report.result)?;
    let document = saved::read(&report.result)?;
    exports.write(&document, global, Outcome::Done)
}
