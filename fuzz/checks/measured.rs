//! Whatever is given as the output of another tool, it is refused in words with its line, or read as points that can be.

use wordline_trace::measured::{MeasuredError, MeasuredRun, MeasuredTool, read};

/// Panics when a promise is broken. Returns whether the content alone showed whose output it is, and it was read.
pub(crate) fn check(data: &[u8]) -> bool {
    let found = run(data, None);
    // Said to be another tool's, it is refused or read as well.
    for tool in MeasuredTool::ALL {
        let told = run(data, Some(tool));
        if let (Some(found), Some(told)) = (&found, &told)
            && found.tool == tool
        {
            assert_eq!(format!("{found:?}"), format!("{told:?}"));
        }
    }
    found.is_some()
}

fn run(data: &[u8], tool: Option<MeasuredTool>) -> Option<MeasuredRun> {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    match read(data, tool) {
        Ok(run) => {
            assert!(!run.points.is_empty());
            assert!(tool.is_none_or(|tool| tool == run.tool));
            for point in &run.points {
                assert!((1..=lines).contains(&point.line), "{point:?}");
                assert!(
                    point.latency.is_some() || point.bandwidth.is_some(),
                    "{point:?}"
                );
                for value in [point.latency, point.bandwidth].into_iter().flatten() {
                    assert!(value > 0.0 && value.is_finite(), "{point:?}");
                }
            }
            for note in &run.notes {
                assert!(note.to_string().len() < 1000, "{note}");
            }
            Some(run)
        }
        Err(error) => {
            assert!(error.to_string().len() < 2000, "{error}");
            match error.line() {
                Some(line) => assert!((1..=lines).contains(&line), "{error}"),
                None => assert!(
                    matches!(
                        error,
                        MeasuredError::Empty
                            | MeasuredError::NoPoint { .. }
                            | MeasuredError::Curve(_)
                    ),
                    "{error}"
                ),
            }
            None
        }
    }
}
