//! What several threads moved together, from the windows that each of them timed by itself.
//!
//! A thread that loses its processor for a while makes the sum of all small, although the memory would carry more. So the
//! windows of one thread become the windows of all only where every other thread ran as well; the others are counted as
//! hit. Slower windows are no reason to leave them out: memory that others use as well is slower.

use crate::memory::estimate::TimedWindow;

/// A window that takes so many times the thread's median was interrupted: time slices are a hundred windows long.
const INTERRUPTED: u64 = 3;

/// Fewer common windows make no figure, and those that were hit count as well.
const ENOUGH: usize = 16;

/// Windows of all threads together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommonWindows {
    /// Windows in the order of time; their bytes are those of all threads.
    pub windows: Vec<TimedWindow>,
    /// Share of the windows that were left out because a thread was interrupted.
    pub hit_share: f64,
}

/// Windows of a pass: those of each thread, in the order of time, without gaps.
pub type PassWindows = Vec<Vec<TimedWindow>>;

/// Makes common windows of those of the threads. Of one thread they are its own, interrupted or not: what does not fit
/// the rest of them is the estimator's to find.
#[must_use]
pub fn together(passes: &[PassWindows]) -> CommonWindows {
    let threads = passes.iter().map(Vec::len).max().unwrap_or(0);
    if threads < 2 {
        return CommonWindows {
            windows: passes.iter().flatten().flatten().copied().collect(),
            hit_share: 0.0,
        };
    }
    let limits: Vec<u64> = (0..threads).map(|thread| limit(passes, thread)).collect();
    let (mut clean, mut hit, mut outside) = (Vec::new(), Vec::new(), Vec::new());
    for pass in passes {
        let starts = pass.iter().filter_map(|of| of.first()).map(|window| window.at_ps);
        let ends = pass.iter().filter_map(|of| of.last()).map(end);
        let (Some(start), Some(over)) = (starts.max(), ends.min()) else {
            continue;
        };
        let mut others: Vec<WindowCursor<'_>> =
            pass.iter().skip(1).map(|windows| WindowCursor { windows, at: 0 }).collect();
        for window in pass.first().into_iter().flatten() {
            let mut all = *window;
            let mut is_hit = window.duration_ps > limits[0];
            for (other, limit) in others.iter_mut().zip(&limits[1..]) {
                let (bytes, longest) = other.within(window.at_ps, end(window));
                all.bytes += bytes;
                is_hit |= longest > *limit;
            }
            // Before the last thread began and after the first one ended there are fewer.
            let is_outside = window.at_ps < start || end(window) > over;
            match (is_outside, is_hit) {
                (true, _) => outside.push(all),
                (_, true) => hit.push(all),
                (_, false) => clean.push(all),
            }
        }
    }
    if clean.len() + hit.len() < ENOUGH {
        // Threads that hardly ran at the same time.
        hit.append(&mut outside);
    }
    let all = (clean.len() + hit.len()).max(1);
    let hit_share = hit.len() as f64 / all as f64;
    if clean.len() < ENOUGH {
        clean.append(&mut hit);
        clean.sort_by_key(|window| window.at_ps);
    }
    CommonWindows {
        windows: clean,
        hit_share,
    }
}

/// The longest time that a window of a thread takes undisturbed.
fn limit(passes: &[PassWindows], thread: usize) -> u64 {
    let of = passes.iter().filter_map(|pass| pass.get(thread)).flatten();
    let mut durations: Vec<u64> = of.map(|window| window.duration_ps).collect();
    durations.sort_unstable();
    let median = durations.get(durations.len() / 2).copied().unwrap_or(0);
    INTERRUPTED.saturating_mul(median)
}

const fn end(window: &TimedWindow) -> u64 {
    window.at_ps + window.duration_ps
}

/// Goes through the windows of a thread, in the order of time.
struct WindowCursor<'a> {
    windows: &'a [TimedWindow],
    at: usize,
}

impl WindowCursor<'_> {
    /// Bytes moved in a stretch of time, and the longest window that has a part in it. Stretches ascend.
    fn within(&mut self, from: u64, to: u64) -> (u64, u64) {
        while self.windows.get(self.at).is_some_and(|window| end(window) <= from) {
            self.at += 1;
        }
        let parts = self.windows[self.at..].iter().take_while(|window| window.at_ps < to);
        let (mut bytes, mut longest) = (0.0, 0);
        for window in parts {
            bytes += bytes_within(window, from, to);
            longest = longest.max(window.duration_ps);
        }
        (bytes as u64, longest)
    }
}

/// The part of a window's bytes that falls into a stretch of time.
fn bytes_within(window: &TimedWindow, from: u64, to: u64) -> f64 {
    let inside = end(window).min(to).saturating_sub(window.at_ps.max(from));
    window.bytes as f64 * inside as f64 / window.duration_ps.max(1) as f64
}

/// Bytes a second of all threads in a stretch of time, and half the width of its 95 % interval by the means of `slices`
/// equal parts of it.
#[must_use]
pub fn rate_within(threads: &[Vec<TimedWindow>], from_ps: u64, to_ps: u64, slices: u32) -> (f64, f64) {
    let slices = u64::from(slices.max(2));
    let length = to_ps.saturating_sub(from_ps) / slices;
    if length == 0 {
        return (0.0, f64::INFINITY);
    }
    let rate = |slice: u64| {
        let from = from_ps + slice * length;
        let windows = threads.iter().flat_map(|windows| {
            let first = windows.partition_point(|window| end(window) <= from);
            windows[first..].iter().take_while(move |window| window.at_ps < from + length)
        });
        let bytes: f64 = windows.map(|window| bytes_within(window, from, from + length)).sum();
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
    fn a_single_thread_stays_as_it_is() {
        let pass = vec![thread(0, &[10, 10, 500])];
        let found = together(std::slice::from_ref(&pass));
        assert_eq!(found.windows, pass[0]);
        assert_eq!(found.hit_share, 0.0);
    }

    #[test]
    fn threads_add_up_where_all_of_them_run() {
        // The second one begins 5 later and is twice as slow.
        let pass = vec![thread(0, &[10; 40]), thread(5, &[20; 30])];
        let found = together(&[pass]);
        // The first window begins before the other thread does.
        assert_eq!(found.windows.len(), 39);
        assert!(found.windows.iter().all(|window| window.bytes == 1500), "{found:?}");
        assert_eq!(found.hit_share, 0.0);
    }

    #[test]
    fn what_a_thread_loses_to_another_program_is_left_out() {
        let mut broken = [10; 60];
        broken[20] = 210;
        let pass = vec![thread(0, &[10; 80]), thread(0, &broken)];
        let found = together(&[pass]);
        assert!(found.windows.iter().all(|window| window.bytes == 2000), "{found:?}");
        assert_eq!((found.windows.len(), found.hit_share), (59, 21.0 / 80.0));
        // Its own interruption counts as well.
        let pass = vec![thread(0, &broken), thread(0, &[10; 80])];
        let found = together(&[pass]);
        assert_eq!((found.windows.len(), found.hit_share), (59, 1.0 / 60.0));
    }

    /// Memory that is shared slows all windows, and is no interruption.
    #[test]
    fn slower_windows_stay() {
        let mut slower = [10; 40];
        slower[20..].fill(18);
        let pass = vec![thread(0, &slower), thread(0, &slower)];
        let found = together(&[pass]);
        assert_eq!((found.windows.len(), found.hit_share), (40, 0.0));
    }

    #[test]
    fn where_threads_never_run_together_all_windows_count() {
        let pass = vec![thread(0, &[10; 20]), thread(0, &[10, 150, 10, 10, 10, 10, 10])];
        let found = together(&[pass]);
        assert_eq!(found.windows.len(), 20);
        assert!(found.hit_share > 0.7 && found.windows.is_sorted_by_key(|window| window.at_ps));
        // Even where one was over before the other began.
        let found = together(&[vec![thread(0, &[10; 20]), thread(900, &[10; 20])]]);
        assert_eq!((found.windows.len(), found.hit_share), (20, 1.0));
        assert_eq!(together(&[]), CommonWindows::default());
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
