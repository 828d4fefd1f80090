//! Points of a test, run side by side on some threads. Each point is a simulation of its own, so that nothing depends
//! on how many threads there are, or on which of them ends first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use wordline_dram::system::{Length, Run, Traffic, simulate};
use wordline_dram::{ConfigError, Refresh, SystemConfig};

use crate::control::{Control, Progress};
use crate::error::LabError;

/// One simulation.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// What a message calls it.
    pub(crate) name: String,
    pub(crate) config: SystemConfig,
    pub(crate) traffic: Traffic,
    pub(crate) length: Length,
}

/// How a point ended; `None` where it was stopped, or never begun.
pub(crate) type Ended = Option<Result<Run, ConfigError>>;

/// Runs all points. The results stand where their points do.
pub(crate) fn run(points: &[Point], control: &Control<'_>) -> Result<Vec<Ended>, LabError> {
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
            let length = Length {
                warm_up_ps: point.length.warm_up_ps.max(settled_ps(&point.config)),
                ..point.length
            };
            simulate(&point.config, &point.traffic, &length, &go_on).transpose()
        },
    )
}

/// When a memory under load refreshes as often as it always will, in picoseconds: a busy rank first puts off as many
/// refreshes as it may owe, and the first one falls due within an interval. What was measured before would be a memory
/// that refreshes less than it has to.
fn settled_ps(config: &SystemConfig) -> u64 {
    let intervals = u64::from(config.sub_channel.policy.refresh_postponed_max) + 2;
    refresh_interval_ps(config).map_or(0, |interval| intervals * interval)
}

/// How often a rank gets a refresh, in picoseconds; `None` without refresh.
pub(super) fn refresh_interval_ps(config: &SystemConfig) -> Option<u64> {
    let of = &config.sub_channel;
    let interval = match of.policy.refresh {
        Refresh::Off => return None,
        Refresh::AllBank => of.timing.refi,
        Refresh::SameBank => of.timing.refi_sb,
    };
    Some(of.clock.ps(u64::from(interval)))
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
    use wordline_catalog::Catalog;

    /// By hand: at 3.9 us a refresh, a rank that may owe four is settled after six; twice as often in half the time.
    #[test]
    fn a_memory_is_settled_when_its_debt_of_refreshes_is_full() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let target = catalog.dram_target("rdimm-6400-2rx4-64g@xeon6-1s");
        let target = target.expect("both exist");
        for (settings, ps) in [
            (&[("refresh_postponed", "4")][..], 23_400_000),
            (&[("refresh_postponed", "0")], 7_800_000),
            (
                &[("refresh_postponed", "4"), ("refresh_rate", "double")],
                11_700_000,
            ),
            (&[("refresh", "off")], 0),
        ] {
            let settings = settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let connected = target.connect(&settings.collect()).expect("it connects");
            assert_eq!(settled_ps(&connected.config), ps);
        }
    }

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
