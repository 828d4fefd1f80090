//! `wordline doctor`: what can be measured on this host, and what would make it better.
//!
//! It only reads what the system states of itself. Nothing is run, timed or written.

mod linux;
mod memory;

use wordline_core::results::{CardPoint, CardSubject};
use wordline_report::{Column, Format, Grid};

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

pub(crate) fn run(all: bool, global: &Global) -> Result<Outcome, Failure> {
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
            found: "memory and storage (host), raw flash (wear), a mapped file (kv bench)"
                .to_owned(),
            advice: "",
        },
    ];
    findings.extend(linux::findings());
    let format = Format::from(global.format);
    if format == Format::Table && !all {
        return screen(&findings);
    }
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
    output::data(&grid.render(format, &output::style()))?;
    Ok(Outcome::Done)
}

/// Advice on the first screen at most: with two lines each it leaves room for the table.
const ADVICE_MOST: usize = 7;

/// What to do about limits, then the checks, those that limit measurements first.
fn screen(findings: &[Finding]) -> Result<Outcome, Failure> {
    let (sentence, points, grid) = answer(findings);
    output::first_screen(sentence, points, grid, "checks", "")?;
    Ok(Outcome::Done)
}

/// The sentence, the advice and the table of the first screen.
fn answer(findings: &[Finding]) -> (String, Vec<CardPoint>, Grid) {
    let limits = findings.iter().filter(|one| {
        let limits = matches!(one.state, DoctorState::Limited | DoctorState::Missing);
        limits && !one.advice.is_empty()
    });
    let points = limits.map(|one| {
        CardPoint::words(
            CardSubject::Advice,
            format!("{}: {}", one.check, one.advice),
        )
    });
    let mut points: Vec<CardPoint> = points.collect();
    let count = |state| findings.iter().filter(|one| one.state == state).count();
    let mut sentence = match (count(DoctorState::Limited), count(DoctorState::Missing)) {
        (0, 0) => "Nothing limits measurements on this host.".to_owned(),
        (limited, missing) => format!(
            "This host measures with limits: {} checks, {limited} limited, {missing} missing.",
            findings.len()
        ),
    };
    if points.len() > ADVICE_MOST {
        sentence += &format!(" Below are {ADVICE_MOST} of {}.", points.len());
        points.truncate(ADVICE_MOST);
    }
    let columns = ["check", "state", "found"];
    let mut grid = Grid::new("", columns.map(Column::left).into());
    let mut ordered: Vec<&Finding> = findings.iter().collect();
    ordered.sort_by_key(|one| match one.state {
        DoctorState::Limited | DoctorState::Missing => 0,
        DoctorState::Good => 1,
        DoctorState::Fact => 2,
    });
    for one in ordered {
        grid.push([one.check, one.state.name(), &one.found]);
    }
    (sentence, points, grid)
}

#[cfg(test)]
mod tests {
    use wordline_report::{Detail, FirstScreen, Style};

    use super::*;

    #[test]
    fn a_host_of_many_limits_fits_a_screen() {
        let advice = "a reason of many words that wraps to a second line; as root: echo 1 > /sys/devices/system/cpu/a";
        for limits in [0, 1, ADVICE_MOST, ADVICE_MOST + 1, 20] {
            let findings: Vec<Finding> = (0..24)
                .map(|index| Finding {
                    area: "memory",
                    check: "energy counters (RAPL)",
                    state: match index < limits {
                        true => DoctorState::Limited,
                        false => DoctorState::Good,
                    },
                    found: "found".repeat(20),
                    advice: if index < limits { advice } else { "" },
                })
                .collect();
            let (sentence, points, grid) = answer(&findings);
            assert_eq!(sentence.contains("7 of"), limits > ADVICE_MOST);
            let card = wordline_core::results::DecisionCard {
                sentence,
                points,
                ..Default::default()
            };
            let style = Style {
                detail: Detail::Explain,
                ..Style::default()
            };
            let text = FirstScreen::new(card, Some(grid), "checks").lay_out(None, "", &style);
            assert!(text.lines().count() <= 24, "{limits}: {text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 100),
                "{text}"
            );
        }
    }
}
