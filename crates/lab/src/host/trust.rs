//! How far each figure can be trusted: its grade as rows, and what lowered it as warnings.

use std::fmt::Display;

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, ResultSet};
use wordline_host::memory::estimate::{Grade, GradeReason, LatencyEstimate};
use wordline_host::memory::ledger::LedgerReading;
use wordline_host::memory::sampling::SampledLatency;

use crate::dram::rows::seconds;
use crate::subject::Subject;
use crate::warning::LabWarning;

/// A reason, with the figures that have it.
struct FigureDoubt {
    reason: GradeReason,
    /// The figure that has the worst.
    place: String,
    count: usize,
}

/// Collects what is doubtful about the figures of a test.
pub(super) struct Doubts {
    test: &'static str,
    figures: usize,
    doubts: Vec<FigureDoubt>,
    /// Figures that are refused, by reason.
    refused: Vec<FigureDoubt>,
    /// Figures that cannot be made: the first one with its reason, and how many.
    missing: Option<(String, String, usize)>,
}

impl Doubts {
    pub(super) const fn new(test: &'static str) -> Self {
        Self {
            test,
            figures: 0,
            doubts: Vec::new(),
            refused: Vec::new(),
            missing: None,
        }
    }

    /// The grade of a figure and the accounts behind it, as rows.
    pub(super) fn graded(
        &mut self,
        (grade, reasons): (Grade, &[GradeReason]),
        hit_share: f64,
        ledger: &LedgerReading,
        subject: &Subject,
        place: &str,
        document: &mut ResultSet,
    ) {
        self.figures += 1;
        let mut stated: Vec<&'static str> = Vec::new();
        for reason in reasons.iter().filter(|reason| reason.grade() > Grade::A) {
            if !stated.contains(&reason.name()) {
                stated.push(reason.name());
                let of = subject.estimate(Basis::Measured, reason.name());
                of.add(Metric::TrustGrade, number(reason.grade()), document);
            }
        }
        for reason in reasons {
            let all = match reason.grade() {
                Grade::A => continue,
                Grade::Refused => &mut self.refused,
                Grade::B | Grade::C => &mut self.doubts,
            };
            note(all, reason, place);
        }
        subject.add(Metric::TrustGrade, number(grade), document);
        subject.add(Metric::BatchesHit, Ok(hit_share), document);
        accounts(ledger, subject, document);
    }

    /// A figure that cannot be made.
    pub(super) fn missing(
        &mut self,
        why: &dyn Display,
        ledger: &LedgerReading,
        subject: &Subject,
        place: &str,
        document: &mut ResultSet,
    ) {
        self.figures += 1;
        match &mut self.missing {
            Some((.., count)) => *count += 1,
            None => self.missing = Some((place.to_owned(), why.to_string(), 1)),
        }
        subject.add(Metric::TrustGrade, Err(NoValue::Failed), document);
        accounts(ledger, subject, document);
    }

    /// Quantiles of a latency, the interval of its median, and its grade. A refused one keeps its least disturbed
    /// quantiles alone.
    pub(super) fn latency(
        &mut self,
        sampled: &SampledLatency,
        subject: &Subject,
        place: &str,
        document: &mut ResultSet,
    ) {
        let found = match &sampled.estimate {
            Ok(found) => found,
            Err(why) => {
                subject.add(Metric::LatencyP50, Err(NoValue::Failed), document);
                self.missing(why, &sampled.ledger, subject, place, document);
                return;
            }
        };
        for (metric, ps) in [
            (Metric::LatencyP5, found.p5_ps),
            (Metric::LatencyP25, found.p25_ps),
        ] {
            subject.add(metric, Ok(seconds(ps)), document);
        }
        let trusted = |ps: f64| trusted(found.grade, seconds(ps));
        for (metric, ps) in [
            (Metric::LatencyP50, found.median_ps),
            (Metric::LatencyP75, found.p75_ps),
            (Metric::LatencyP99, found.p99_ps),
            (Metric::LatencyMean, found.mean_ps),
        ] {
            subject.add(metric, trusted(ps), document);
        }
        interval(
            Metric::LatencyP50,
            [found.low_ps, found.high_ps].map(trusted),
            subject,
            document,
        );
        subject.add(Metric::AccessCount, Ok(found.samples as f64), document);
        cold(found, subject, document);
        let graded = (found.grade, found.reasons.as_slice());
        self.graded(
            graded,
            found.hit_share,
            &sampled.ledger,
            subject,
            place,
            document,
        );
    }

    /// What the figures have against them, a warning for each reason.
    pub(super) fn warn(&self, document: &mut ResultSet) {
        let test = &self.test;
        if let Some((place, reason, count)) = &self.missing {
            document.warn(LabWarning::NoEstimate {
                test,
                which: &which(*count, self.figures, ["cannot", "cannot"]),
                place,
                reason,
            });
        }
        for FigureDoubt {
            reason,
            place,
            count,
        } in &self.refused
        {
            document.warn(LabWarning::FigureRefused {
                test,
                which: &which(*count, self.figures, ["is", "are"]),
                place,
                reason: &said(reason),
                advice: &reason.advice(),
            });
        }
        for doubt in &self.doubts {
            let which: &dyn Display = &which(doubt.count, self.figures, ["is", "are"]);
            let (place, advice): (&dyn Display, &dyn Display) =
                (&doubt.place, &doubt.reason.advice());
            let reason: &dyn Display = &said(&doubt.reason);
            document.warn(match doubt.reason {
                GradeReason::FewBatches { .. } | GradeReason::WideInterval { .. } => {
                    LabWarning::FigureShort {
                        test,
                        which,
                        place,
                        reason,
                        advice,
                    }
                }
                GradeReason::CoarseTimer { .. } | GradeReason::CostlyTimer { .. } => {
                    LabWarning::FigureCoarse {
                        test,
                        which,
                        place,
                        reason,
                        advice,
                    }
                }
                _ => LabWarning::FigureDisturbed {
                    test,
                    which,
                    place,
                    reason,
                    advice,
                },
            });
        }
    }
}

/// "the only figure is", "1 of 12 figures is", "3 of 12 figures are".
fn which(count: usize, all: usize, [one, several]: [&str; 2]) -> String {
    match (count, all) {
        (1, 1) => format!("the only figure {one}"),
        (1, _) => format!("1 of {all} figures {one}"),
        _ if count == all => format!("all {all} figures {several}"),
        _ => format!("{count} of {all} figures {several}"),
    }
}

/// A reason in words. Pages that were mapped alone say nothing of a disk.
fn said(reason: &GradeReason) -> String {
    match reason {
        GradeReason::Faults {
            major: 0,
            minor_share,
        } => format!(
            "pages were mapped in {:.1} % of the batches",
            100.0 * minor_share
        ),
        reason => reason.to_string(),
    }
}

/// Counts a reason; the worst of its kind stays.
fn note(doubts: &mut Vec<FigureDoubt>, reason: &GradeReason, place: &str) {
    let known = doubts
        .iter_mut()
        .find(|doubt| doubt.reason.name() == reason.name());
    match known {
        Some(doubt) => {
            doubt.count += 1;
            if doubt.reason.grade() < reason.grade() {
                (doubt.reason, doubt.place) = (reason.clone(), place.to_owned());
            }
        }
        None => doubts.push(FigureDoubt {
            reason: reason.clone(),
            place: place.to_owned(),
            count: 1,
        }),
    }
}

/// How much of a latency's batches interruptions left cold, for how long, and what was taken off.
pub(super) fn cold(found: &LatencyEstimate, subject: &Subject, document: &mut ResultSet) {
    for (metric, value) in [
        (Metric::BatchesCold, found.cold_share),
        (Metric::ColdLoads, found.horizon_loads.ceil()),
        (
            Metric::ColdCorrection,
            found.corrected_share.clamp(0.0, 1.0),
        ),
    ] {
        subject.add(metric, Ok(value), document);
    }
}

/// A grade as a number; a refused figure has none.
fn number(grade: Grade) -> Result<f64, NoValue> {
    match grade {
        Grade::A => Ok(1.0),
        Grade::B => Ok(2.0),
        Grade::C => Ok(3.0),
        Grade::Refused => Err(NoValue::Failed),
    }
}

/// A value, unless its figure is refused.
pub(super) fn trusted(grade: Grade, value: f64) -> Result<f64, NoValue> {
    match grade {
        Grade::Refused => Err(NoValue::Failed),
        Grade::A | Grade::B | Grade::C => Ok(value),
    }
}

/// Both ends of a 95 % interval.
pub(super) fn interval(
    metric: Metric,
    ends: [Result<f64, NoValue>; 2],
    subject: &Subject,
    document: &mut ResultSet,
) {
    for (end, value) in ["confidence_low", "confidence_high"].into_iter().zip(ends) {
        let at = subject.estimate(Basis::Measured, end);
        at.add(metric, value, document);
    }
}

/// What others did meanwhile, as far as the system keeps accounts of it.
fn accounts(ledger: &LedgerReading, subject: &Subject, document: &mut ResultSet) {
    // Ticks are coarse, so that a share may come out above the whole.
    let share = |share: f64| share.clamp(0.0, 1.0);
    for (metric, value) in [
        (Metric::StealShare, Some(share(ledger.steal_share))),
        (Metric::CpuPressure, ledger.cpu_pressure.map(share)),
        (Metric::MemoryPressure, ledger.memory_pressure.map(share)),
        (Metric::ClockChange, ledger.clock_change),
        (
            Metric::OtherProcessorShare,
            Some(share(ledger.other_cpu_share)),
        ),
    ] {
        if let Some(value) = value {
            subject.add(metric, Ok(value), document);
        }
    }
}

/// What pages and nodes were obtained, as rows, and a warning where it is less than was asked.
pub(super) fn obtained(
    (huge_share, node_share): (f64, Option<f64>),
    pages: &'static str,
    test: &'static str,
    subject: &Subject,
    document: &mut ResultSet,
) {
    /// A few pages at the ends of a mapping are of another size without anybody's noticing.
    const ALL: f64 = 0.99;
    subject.add(Metric::PagesObtained, Ok(huge_share), document);
    if huge_share < ALL {
        document.warn(LabWarning::PagesShort {
            test: &test,
            pages: &pages,
            percent: &(100.0 * huge_share),
        });
    }
    if let Some(share) = node_share {
        subject.add(Metric::NodeObtained, Ok(share), document);
        if share < ALL {
            document.warn(LabWarning::NodeShort {
                test: &test,
                percent: &(100.0 * share),
            });
        }
    }
}

/// Says how many points were cut, where a time limit did that.
pub(super) fn cut(
    has_limit: bool,
    test: &'static str,
    cut: usize,
    all: usize,
    document: &mut ResultSet,
) {
    if has_limit && cut > 0 {
        document.warn(LabWarning::CutByBudget {
            test: &test,
            cut: &cut,
            all: &all,
        });
    }
}

/// Axis values that only some rows have.
pub(super) fn at_pages(subject: &Subject, pages: &'static str) -> Subject {
    subject.at(Axis::Pages, pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_reasons_read_well() {
        let of = |count, all| which(count, all, ["is", "are"]);
        assert_eq!(of(1, 1), "the only figure is");
        assert_eq!(of(1, 12), "1 of 12 figures is");
        assert_eq!(of(3, 12), "3 of 12 figures are");
        assert_eq!(of(12, 12), "all 12 figures are");
        let faults = |major| GradeReason::Faults {
            major,
            minor_share: 0.053,
        };
        assert_eq!(
            said(&faults(0)),
            "pages were mapped in 5.3 % of the batches"
        );
        assert!(said(&faults(2)).contains("2 pages were read from a disk"));
    }
}
