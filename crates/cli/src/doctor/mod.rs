//! `wordline doctor`: what can be measured on this host, and what would make it better.
//!
//! It only reads what the system states of itself. Nothing is run, timed or written.

mod linux;

use wordline_report::{Column, Grid};

use crate::args::Global;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output;

/// One thing that was looked at.
pub(crate) struct Finding {
    /// What it matters for.
    pub(crate) area: &'static str,
    /// What was looked at.
    pub(crate) check: &'static str,
    /// Whether it serves measurements.
    pub(crate) state: DoctorState,
    /// What was found.
    pub(crate) found: String,
    /// What to do about it; empty when nothing.
    pub(crate) advice: &'static str,
}

/// Whether something serves measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoctorState {
    /// As good as it gets.
    Good,
    /// Usable, with noise or limits.
    Limited,
    /// Not there.
    Missing,
    /// A fact without judgement.
    Fact,
}

impl DoctorState {
    const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Limited => "limited",
            Self::Missing => "missing",
            Self::Fact => "-",
        }
    }
}

pub(crate) fn run(global: &Global) -> Result<Outcome, Failure> {
    let catalog =
        wordline_catalog::Catalog::load(&global.catalog).map_err(crate::failure::catalog)?;
    let mut findings = vec![
        Finding {
            area: "simulation",
            check: "catalogue",
            state: DoctorState::Good,
            found: format!(
                "parts: {}, boards: {}",
                catalog.parts().count(),
                catalog.boards().count()
            ),
            advice: "",
        },
        Finding {
            area: "measurement",
            check: "this version",
            state: DoctorState::Good,
            found: "raw flash (wear), a mapped file and RAM (kv bench)".to_owned(),
            advice: "latency and bandwidth of this machine's memory are not measured yet",
        },
    ];
    findings.extend(linux::findings());
    let columns = ["area", "check", "state", "found", "advice"];
    let mut grid = Grid::new("", columns.map(Column::left).into()).with_keys(2);
    for finding in &findings {
        grid.push([
            finding.area,
            finding.check,
            finding.state.name(),
            &finding.found,
            finding.advice,
        ]);
    }
    output::data(&grid.render(global.format.into(), &output::style()))?;
    Ok(Outcome::Done)
}
