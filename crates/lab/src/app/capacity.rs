//! A memory trace, and what its program would move to and from storage.

use std::io::BufRead;

use wordline_apps::capacity::{PageAccess, PageSampling, ReuseProfile, ReuseSampler};
use wordline_core::Operation;
use wordline_core::quantity::Frequency;
use wordline_trace::dram::{CACHE_LEVELS, DramFormat, DramSummary, DramTraceOptions, open};

use crate::control::{Control, Progress};
use crate::error::{LabError, SettingProblem};

/// Requests between two looks at whether the run should stop.
const BREATH: u64 = 1 << 16;

/// What is asked of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityRequest {
    /// The trace, by its last name.
    pub file: String,
    /// Its format, where its content does not show it.
    pub format: Option<String>,
    /// Bytes of a page: a power of two from 64.
    pub page_bytes: u64,
    /// Which pages are followed.
    pub sampling: PageSampling,
    /// Seed that chooses them.
    pub seed: u64,
}

/// Reads a trace and finds its reuse distances; `None` when the run is stopped. A program's accesses count as they are, without
/// caches: a page is used where a cache answers as well.
///
/// # Errors
/// When the trace cannot be read, or a setting cannot be.
pub fn reuse(
    request: &CapacityRequest,
    control: &Control<'_>,
) -> Result<Option<(ReuseProfile, DramSummary)>, LabError> {
    if !request.page_bytes.is_power_of_two() || request.page_bytes < 64 {
        let found = format!(
            "{} B is no page; allowed: powers of two from 64 B",
            request.page_bytes
        );
        return Err(SettingProblem::Unread(found).of("page"));
    }
    let bad_rate = |found: f64| {
        let found = format!("{found} is no share of the pages; allowed: above 0, at most 1");
        Err(SettingProblem::Unread(found).of("rate"))
    };
    match request.sampling {
        PageSampling::Rate(rate) if !(rate > 0.0 && rate <= 1.0) => return bad_rate(rate),
        PageSampling::Pages(0) => return bad_rate(0.0),
        PageSampling::Rate(_) | PageSampling::Pages(_) => {}
    }
    let format = request
        .format
        .as_deref()
        .map(str::parse::<DramFormat>)
        .transpose();
    let format = format.map_err(|error| SettingProblem::Unread(error.to_string()).of("as"))?;
    let mut options = DramTraceOptions {
        format,
        // Times do not matter here, so that any clock does.
        clock: Some(Frequency::from_hz(1_000_000_000)),
        align: true,
        ..DramTraceOptions::new(u64::MAX)
    };
    let mut text = control.open(&request.file)?;
    if is_of_program(&mut text, &options) {
        options.caches.bytes = [Some(0); CACHE_LEVELS];
    }
    let unusable = |source| LabError::DramTrace {
        file: request.file.clone(),
        source,
    };
    let mut trace = open(text, &options).map_err(unusable)?;
    let mut sampler = ReuseSampler::new(request.sampling, request.seed);
    for (number, line) in trace.by_ref().enumerate() {
        let line = line.map_err(unusable)?;
        sampler.access(PageAccess {
            page: line.address / request.page_bytes,
            is_written: line.operation == Operation::Write,
        });
        if (number as u64).is_multiple_of(BREATH) {
            control.report(Progress {
                step: &request.file,
                done_bytes: 0,
                total_bytes: 0,
            });
            if control.stopped() {
                return Ok(None);
            }
        }
    }
    Ok(Some((sampler.finish(), trace.summary())))
}

/// Whether a trace has a program's accesses, by its first lines, which stay unread. Of what cannot be read, opening it says why.
fn is_of_program(text: &mut dyn BufRead, options: &DramTraceOptions) -> bool {
    let Ok(start) = text.fill_buf() else {
        return false;
    };
    let trace = open(start, options);
    trace.is_ok_and(|trace| trace.summary().program.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &'static str, page_bytes: u64) -> Result<(ReuseProfile, DramSummary), LabError> {
        let open = |_: &str| Ok(Box::new(text.as_bytes()) as Box<dyn BufRead>);
        let control = Control {
            open: Some(&open),
            ..Control::default()
        };
        let request = CapacityRequest {
            file: "a.trace".into(),
            format: None,
            page_bytes,
            sampling: PageSampling::ALL,
            seed: 0,
        };
        reuse(&request, &control).map(|found| found.expect("nobody stops it"))
    }

    /// By hand: pages 0, 1, 0, 2, 1, of which 1 is written.
    #[test]
    fn a_trace_gives_its_distances() {
        let text = "LD 0x10\nST 0x1000\nLD 0x40\nLD 0x2000\nLD 0x1040\n";
        let (profile, summary) = found(text, 4096).expect("sound");
        assert_eq!((profile.accesses, profile.writes, summary.reads), (5, 1, 4));
        let spilt = |pages| {
            let spilt = profile.spilt(pages);
            (spilt.fetched_pages, spilt.written_pages)
        };
        assert_eq!(
            (spilt(1.0), spilt(2.0), spilt(3.0)),
            ((2.0, 1.0), (1.0, 1.0), (0.0, 0.0))
        );
    }

    /// Accesses that any cache would answer are uses of their pages all the same.
    #[test]
    fn a_programs_accesses_count_without_caches() {
        let text = " L 1000,8\nI  0,4\n S 2000,8\n L 1000,8\n L 3000,8\n L 2000,8\n";
        let (profile, _) = found(text, 4096).expect("sound");
        assert_eq!(profile.accesses, 5);
        let spilt = profile.spilt(2.0);
        assert_eq!((spilt.fetched_pages, spilt.written_pages), (1.0, 1.0));
    }

    #[test]
    fn faults_are_named() {
        let error = found("LD 0x10\nLD zebra\n", 4096)
            .expect_err("refused")
            .to_string();
        assert!(error.starts_with("a.trace, line 2: "), "{error}");
        let error = found("LD 0x10\n", 100).expect_err("refused").to_string();
        assert!(
            error.contains("page 100 B is no page; allowed: powers of two"),
            "{error}"
        );
    }
}
