//! What the verdicts on power cuts of file systems and tables share.

use wordline_core::Metric;
use wordline_core::results::{NoValue, Row};
use wordline_crash::harness::{Case, Harness, Subject as Software, Verdict, Violation};

use crate::subject::Subject;

/// A metric, and its value of a verdict.
type CountOfVerdict = (Metric, fn(&Verdict) -> u64);

/// What a verdict has rows of: distinct images, those that fail, and operations of the workload.
const METRICS: [CountOfVerdict; 3] = [
    (Metric::CrashImages, |verdict| verdict.distinct),
    (Metric::CrashFailures, |verdict| verdict.failures),
    (Metric::CrashBoundaries, |verdict| verdict.operations),
];

/// The rows of a verdict.
pub(crate) fn rows(subject: &Subject, verdict: &Verdict) -> [Row; 3] {
    METRICS.map(|(metric, of)| subject.row(metric, Ok(of(verdict) as f64)))
}

/// The rows where there is no verdict.
pub(crate) fn rows_without(subject: &Subject, reason: NoValue) -> [Row; 3] {
    METRICS.map(|(metric, _)| subject.row(metric, Err(reason)))
}

/// What went wrong in the run that no cut ended, which says nothing of power cuts.
pub(crate) fn uncut_failure(verdict: &Verdict) -> Option<&Violation> {
    let first = verdict.first.as_ref()?;
    (first.case == Case::default()).then_some(&first.violation)
}

/// Each kind of failure, with how many there are, the first image, what its cuts interrupted and what they left.
pub(crate) fn violation_kinds<S: Software>(
    harness: &Harness<S::Medium>,
    software: &S,
    calls: &[S::Call],
    verdict: &Verdict,
) -> Vec<String> {
    let kinds = verdict.examples.iter().map(|(kind, first)| {
        let count = verdict.kinds.get(kind).copied().unwrap_or(0);
        let report = harness.report(software, calls, first);
        let cuts: Vec<_> = report.cuts().collect();
        let cuts = cuts.join("; then ");
        format!("{kind} ({count}; first image {}: cut {cuts})", first.case)
    });
    kinds.collect()
}
