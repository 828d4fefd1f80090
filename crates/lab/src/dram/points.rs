//! Points of a test, run side by side on some threads. Each point is a simulation of its own, so that nothing depends
//! on how many threads there are, or on which of them ends first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use wordline_dram::ConfigError;
use wordline_dram::SystemConfig;
use wordline_dram::system::{Length, Run, Traffic, simulate};

use crate::control::{Control, Progress};
use crate::error::LabError;

/// One simulation.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// What a message calls it.
    pub(super) name: String,
    pub(super) config: SystemConfig,
    pub(super) traffic: Traffic,
    pub(super) length: Length,
}

/// How a point ended; `None` where it was stopped, or never begun.
pub(super) type Ended = Option<Result<Run, ConfigError>>;

/// Runs all points. The results stand where their points do.
pub(super) fn run(points: &[Point], control: &Control<'_>) -> Result<Vec<Ended>, LabError> {
    let never = AtomicBool::new(false);
    let stop = control.stop.unwrap_or(&never);
    let go_on = |_: u64| !stop.load(Ordering::Relaxed);
    in_parallel(
        points.len(),
        control,
        |index| points[index].name.as_str(),
        |index| {
            let point = &points[index];
            if !go_on(0) {
                return None;
            }
            simulate(&point.config, &point.traffic, &point.length, &go_on).transpose()
        },
    )
}

/// Does numbered pieces of work on the threads that `control` allows; its listener is called on this one.
fn in_parallel<'n, T: Send>(
    count: usize,
    control: &Control<'_>,
    name: impl Fn(usize) -> &'n str,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, LabError> {
    // Threads without work would only look for some.
    let threads = match control.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        named => named,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(count).max(1));
    let pool = pool.build().map_err(|error| LabError::Threads {
        problem: error.to_string(),
    })?;
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let work = &work;
    pool.in_place_scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for index in 0..count {
            let sender = sender.clone();
            scope.spawn(move |_| {
                // Nobody listens any more only where this thread is unwinding.
                let _ = sender.send((index, work(index)));
            });
        }
        drop(sender);
        for (done, (index, result)) in receiver.into_iter().enumerate() {
            results[index] = Some(result);
            control.report(Progress {
                step: name(index),
                done_bytes: done as u64 + 1,
                total_bytes: count as u64,
            });
        }
    });
    Ok(results.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn results_stand_where_their_work_does_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let told = RefCell::new(Vec::new());
            let listen = |progress: Progress<'_>| told.borrow_mut().push(progress.done_bytes);
            let control = Control {
                threads,
                progress: Some(&listen),
                ..Control::default()
            };
            let results = in_parallel(50, &control, |_| "a step", |index| index * index);
            let expected: Vec<usize> = (0..50).map(|index| index * index).collect();
            assert_eq!(results.expect("threads"), expected);
            assert_eq!(*told.borrow(), (1..=50).collect::<Vec<u64>>());
        }
    }
}
