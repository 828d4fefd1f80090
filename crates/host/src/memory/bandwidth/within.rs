//! What several threads moved in a stretch of time, by the windows that each of them timed.

use crate::memory::estimate::TimedWindow;

const fn end(window: &TimedWindow) -> u64 {
    window.at_ps + window.duration_ps
}

/// The part of a window's bytes that falls into a stretch of time.
fn bytes_within(window: &TimedWindow, from: u64, to: u64) -> f64 {
    let inside = end(window).min(to).saturating_sub(window.at_ps.max(from));
    window.bytes as f64 * inside as f64 / window.duration_ps.max(1) as f64
}

/// Bytes a second of all threads in a stretch of time, and half the width of its 95 % interval by the means of `slices`
/// equal parts of it.
#[must_use]
pub(in crate::memory) fn rate_within(
    threads: &[Vec<TimedWindow>],
    from_ps: u64,
    to_ps: u64,
    slices: u32,
) -> (f64, f64) {
    let slices = u64::from(slices.max(2));
    let length = to_ps.saturating_sub(from_ps) / slices;
    if length == 0 {
        return (0.0, f64::INFINITY);
    }
    let rate = |slice: u64| {
        let from = from_ps + slice * length;
        let windows = threads.iter().flat_map(|windows| {
            let first = windows.partition_point(|window| end(window) <= from);
            windows[first..]
                .iter()
                .take_while(move |window| window.at_ps < from + length)
        });
        let bytes: f64 = windows
            .map(|window| bytes_within(window, from, from + length))
            .sum();
        bytes / (length as f64 * 1e-12)
    };
    let rates: Vec<f64> = (0..slices).map(rate).collect();
    let count = slices as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Student's t of 19 degrees of freedom, as 20 slices have: 2.093; of others it is near enough.
    (mean, 2.093 * (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of a thread, one after the other, with their durations.
    fn thread(start: u64, durations: &[u64]) -> Vec<TimedWindow> {
        let mut at_ps = start;
        let window = |&duration_ps: &u64| {
            let window = TimedWindow {
                at_ps,
                duration_ps,
                bytes: 1000,
            };
            at_ps += duration_ps;
            window
        };
        durations.iter().map(window).collect()
    }

    #[test]
    fn a_rate_is_that_of_the_stretch() {
        let threads = [thread(0, &[10; 100]), thread(3, &[40; 25])];
        let (rate, half) = rate_within(&threads, 100, 900, 20);
        // 1000 B in 10 ps, and in 40 ps.
        assert!((rate - 125e12).abs() < 1e6 && half < 1e6, "{rate} {half}");
        let mut uneven = [10; 100];
        uneven[50..].fill(20);
        let (_, half) = rate_within(&[thread(0, &uneven)], 100, 900, 20);
        assert!(half > 1e12);
        assert_eq!(rate_within(&threads, 5, 5, 20), (0.0, f64::INFINITY));
    }
}
