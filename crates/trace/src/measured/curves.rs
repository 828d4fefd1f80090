//! Curves of Mess as points: each latency with the bandwidth that it was measured at.

use super::text::RunText;
use super::{
    MeasuredError, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool, MeasuredTraffic,
};
use crate::mess::{self, MessOptions};

/// Whether the first line is CSV of Mess, or the first two lines are pairs of numbers.
pub(super) fn looks_like(text: &RunText) -> bool {
    let mut told = text.lines.iter().filter(|line| !line.text.starts_with('#'));
    let Some(first) = told.next() else {
        return false;
    };
    let is_pair = |text: &str| {
        let mut words = text.split_whitespace();
        let is_number = |word: Option<&str>| word.is_some_and(|word| word.parse::<f64>().is_ok());
        is_number(words.next()) && is_number(words.next()) && words.next().is_none()
    };
    let is_table = first.text.contains("bandwidth_mean") && first.text.contains("latency_mean");
    is_table || is_pair(&first.text) && told.next().is_none_or(|next| is_pair(&next.text))
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    // The reader of curves is asked again, with lines of their own numbers.
    let mut whole = String::new();
    let mut number = 1;
    for line in &text.lines {
        while number < line.number {
            whole.push('\n');
            number += 1;
        }
        whole.push_str(&line.text);
        if text.is_ended(line) {
            whole.push('\n');
        }
        number += 1;
    }
    // What was measured may bend back; the points that carry most are kept then, as every reader of them asks.
    let curves = mess::read(whole.as_bytes(), MessOptions { rising: true })?;
    let mut run = MeasuredRun::new(MeasuredTool::Mess);
    for curve in &curves {
        if curve.left_out > 0 {
            let what = format!(
                "{} points where a curve bends back, below a bandwidth carried before with less load",
                curve.left_out
            );
            super::text::leave_out(&mut run, curve.points[0].line, what);
        }
        for point in &curve.points {
            run.points.push(MeasuredPoint {
                traffic: curve
                    .read_percent
                    .map_or(MeasuredTraffic::Other, MeasuredTraffic::ReadPercent),
                latency: Some(point.latency),
                bandwidth: Some(point.bandwidth),
                ..MeasuredPoint::new(point.line, MeasuredTest::Loaded)
            });
        }
    }
    Ok(run)
}
