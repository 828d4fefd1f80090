//! Fitted figures as text: digits, intervals, and the sheet that holds them.

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::{Quantity as _, Time, human};
use wordline_core::{FitWorkload, ResultSet};

use super::law::LawInterval;
use super::part::Duration;
use crate::error::LabError;
use crate::fit::sheet::{About, SheetChange};
use crate::fit::{Estimate, written};
use crate::warning::{LabWarning, LeftOpen};

/// How far a fit may miss what it was fitted to without a warning: 25 %, or twice what the halves differ by.
const GOOD: f64 = 0.223;

/// Digits of a figure at least and at most.
const DIGITS_MIN: f64 = 4.0;
const DIGITS_MAX: f64 = 9.0;

/// What is noted of a figure that is chosen.
pub(super) const CHOICE: &str = "; 95 % interval none: a choice, as fine as the law is followed";

/// A fitted figure: how it is written, and what of it is reported.
pub(super) struct FittedFigure {
    pub(super) change: SheetChange,
    pub(super) estimate: Estimate,
    pub(super) told: String,
}

impl FittedFigure {
    /// A figure with its columns as TOML, and what is noted behind its source.
    pub(super) fn new(path: String, columns: String, interval: LawInterval, told: String) -> Self {
        Self {
            change: SheetChange {
                path: path.clone(),
                columns,
            },
            estimate: Estimate {
                figure: path,
                value: interval.value,
                least: interval.least,
                most: interval.most,
            },
            told,
        }
    }

    /// A duration with its columns. No log shows a maximum that a maker promises: it stays as many times the typical
    /// duration as the base has it, and is at least the longest that was seen up to the rated cycles.
    pub(super) fn duration(duration: &Duration<'_>, typical: LawInterval, longest: f64) -> Self {
        let value = digits(&typical, typical.value);
        let (typ, max) = (duration.figure.typ(), duration.figure.max());
        let promised = match (typ, max) {
            (Some(typ), Some(max)) => Some(value * max.si() / typ.si()),
            (None, max) => max.map(Time::si),
            (Some(_), None) => None,
        };
        let time = |seconds: f64| Time::from_si(seconds).to_string();
        let mut columns = format!("typ = \"{}\"", time(value));
        let mut more = String::new();
        if let Some(promised) = promised {
            let max = digits(&typical, promised.max(longest));
            columns += &format!(", max = \"{}\"", time(max.max(value)));
            more = format!(
                "; max: as many times as the base has it, or the longest seen up to the rated cycles, {}",
                human(longest, "s", 4)
            );
        }
        let told = told(&typical, |seconds| human(seconds, "s", 5)) + &more;
        Self::new(duration.path.clone(), columns, typical, told)
    }
}

/// What a fit comes to.
pub(super) struct FitOutcome<'a> {
    pub(super) target: &'a PartOnBoard<'a>,
    pub(super) workload: &'a FitWorkload,
    /// What was fitted, in words: "12 blocks of 1 chip".
    pub(super) of: String,
    /// What was halved, in words: "blocks".
    pub(super) noun: &'static str,
    /// Figures that stay as the base has them, and why.
    pub(super) open: &'a [(&'static str, LeftOpen)],
    /// Mean distances: of the part from the half that was fitted, from that which was held out, and of the halves from
    /// each other, where they can be compared; `None` where nothing was held out.
    pub(super) apart: Option<[f64; 3]>,
}

impl FitOutcome<'_> {
    /// Says what is left open, and where the part misses even what it was fitted to.
    pub(super) fn warn(&self, document: &mut ResultSet) {
        let (id, file) = (&self.workload.id, &self.workload.source.file);
        if let Some([fitted, _, halves]) = self.apart
            && fitted > GOOD.max(2.0 * halves)
        {
            document.warn(LabWarning::FlashMisfit {
                id: &id,
                noun: &self.noun,
                fitted: &percent(fitted),
                halves: &percent(halves),
            });
        }
        for (names, why) in grouped(self.open) {
            document.warn(LabWarning::LeftOpen {
                file: &file,
                names: &names,
                why: &why,
            });
        }
    }

    /// The sheet of a part of a model.
    pub(super) fn sheet(&self, model: &str, figures: &[FittedFigure]) -> Result<String, LabError> {
        let (file, base) = (&self.workload.source.file, &self.target.part.header);
        let changes: Vec<(SheetChange, String)> = figures
            .iter()
            .map(|one| {
                let source = format!("fitted to {} in {file}{}", self.of, one.told);
                (one.change.clone(), source)
            })
            .collect();
        let mut cautions = vec![
            format!(
                "{} figures were fitted to a log of {}; all others are those of {}, and assumed",
                figures.len(),
                self.of,
                base.id
            ),
            match self.apart {
                Some([fitted, held, _]) => format!(
                    "it misses the half of the {} that it was fitted to by {}, and the half that was held out by {}",
                    self.noun,
                    percent(fitted),
                    percent(held)
                ),
                None => format!(
                    "all {} were fitted and none held out: how well it predicts is not known, and its intervals say what \
                     it should miss by",
                    self.noun
                ),
            },
        ];
        let open = grouped(self.open);
        cautions.extend(open.map(|(names, why)| format!("not determined: {names}: {why}")));
        let about = About {
            kind: "part",
            id: &self.workload.id,
            name: &format!("Fitted to {file}"),
            manufacturer: "unknown",
            revision: &format!("a fit of the template {model} to {file}"),
            description: &format!("the flash that {file} tells of, as far as a fit can tell"),
            cautions: &cautions,
            base: &base.id,
        };
        written::sheet(self.target, &changes, &about)
    }
}

/// Figures that are left open for one reason.
fn grouped<'a>(
    open: &'a [(&'static str, LeftOpen)],
) -> impl Iterator<Item = (String, &'a LeftOpen)> {
    let mut groups: Vec<(String, &LeftOpen)> = Vec::new();
    for (name, why) in open {
        match groups.iter_mut().find(|group| group.1 == why) {
            Some(group) => group.0 += &format!(", {name}"),
            None => groups.push(((*name).to_owned(), why)),
        }
    }
    groups.into_iter()
}

/// The interval in words.
pub(super) fn told(interval: &LawInterval, words: impl Fn(f64) -> String) -> String {
    let [least, most] = [interval.least, interval.most].map(|end| words(digits(interval, end)));
    format!("; 95 % interval {least} to {most}")
}

/// A value to two digits more than its interval has for sure.
pub(super) fn digits(interval: &LawInterval, value: f64) -> f64 {
    let width = (interval.most - interval.least).abs() / interval.value.abs();
    let needed = 2.0 - libm::log10(width.max(f64::MIN_POSITIVE));
    let digits = needed.ceil().clamp(DIGITS_MIN, DIGITS_MAX) as usize - 1;
    format!("{value:.digits$e}").parse().unwrap_or(value)
}

fn percent(distance: f64) -> String {
    format!("{} %", human(100.0 * libm::expm1(distance), "1", 2))
}
