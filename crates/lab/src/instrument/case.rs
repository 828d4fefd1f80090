//! Independent cases of an experiment, on every core.
//!
//! A workload lists its cases first; each builds its own device and writes into a document of its own. The runner owns
//! threads, stop, progress and failure. It merges the documents in the order of the list, so that the bytes of a result do
//! not depend on the number of threads. An interrupted run keeps every finished case.

use std::cell::Cell;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use wordline_core::{Experiment, ResultSet};

use crate::control::{Control, Progress};
use crate::error::LabError;

/// Bytes of the stack of each case, of which the host gives what is used. File systems recur by directory, and paths of 4096
/// bytes have 2048 of them.
const STACK_BYTES: usize = 64 << 20;

/// One independent piece of work with a result.
pub(crate) struct Case<'a, T> {
    name: String,
    weight: u64,
    cost: u64,
    work: Box<dyn FnOnce(&Control<'_>) -> T + Send + 'a>,
}

impl<'a, T> Case<'a, T> {
    /// A case that accounts for `weight` of the progress. What the work reports itself counts from 0 to `weight`.
    pub(crate) fn new(
        name: impl Into<String>,
        weight: u64,
        work: impl FnOnce(&Control<'_>) -> T + Send + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            weight,
            cost: weight,
            work: Box::new(work),
        }
    }

    /// Relative processor time, where the weight does not show it. Expensive cases begin first, and last where time is
    /// short.
    pub(crate) fn costing(self, cost: u64) -> Self {
        Self { cost, ..self }
    }
}

/// A case that adds to a document.
pub(crate) type DocumentCase<'a> = Case<'a, Result<ResultSet, LabError>>;

impl<'a> DocumentCase<'a> {
    /// A case whose work fills an empty document of the experiment. It clears `complete` when the caller stops it.
    pub(crate) fn document(
        name: impl Into<String>,
        weight: u64,
        experiment: &'a Experiment,
        work: impl FnOnce(&Control<'_>, &mut ResultSet) -> Result<(), LabError> + Send + 'a,
    ) -> Self {
        Self::new(name, weight, move |control| {
            let mut document = ResultSet::new(experiment.clone());
            work(control, &mut document)?;
            Ok(document)
        })
    }
}

/// Runs cases and merges their documents in the order of the list.
///
/// # Errors
/// The first failure in the order of the list.
pub(crate) fn run_into(
    document: &mut ResultSet,
    cases: Vec<DocumentCase<'_>>,
    control: &Control<'_>,
) -> Result<(), LabError> {
    let mut failure = None;
    for ended in run_fallible(cases, control)? {
        match ended {
            Some(Ok(part)) => document.absorb(part),
            Some(Err(error)) => failure = failure.or(Some(error)),
            None => document.complete = false,
        }
    }
    failure.map_or(Ok(()), Err)
}

/// The same as [`run`] for cases that can fail: those behind a failed one need not begin.
///
/// # Errors
/// When the system refuses to start threads.
pub(crate) fn run_fallible<T: Send>(
    cases: Vec<Case<'_, Result<T, LabError>>>,
    control: &Control<'_>,
) -> Result<Vec<Option<Result<T, LabError>>>, LabError> {
    let failed = AtomicUsize::new(usize::MAX);
    let failed = &failed;
    let guarded = cases.into_iter().enumerate().map(|(index, case)| {
        let work = case.work;
        let guard = move |control: &Control<'_>| {
            if failed.load(Ordering::Relaxed) < index {
                return None;
            }
            let ended = work(control);
            if ended.is_err() {
                failed.fetch_min(index, Ordering::Relaxed);
            }
            Some(ended)
        };
        Case {
            name: case.name,
            weight: case.weight,
            cost: case.cost,
            work: Box::new(guard) as Box<dyn FnOnce(&Control<'_>) -> _ + Send>,
        }
    });
    let ended = run(guarded.collect(), control)?;
    Ok(ended.into_iter().map(Option::flatten).collect())
}

/// Runs cases on the threads that `control` allows; its listener is called on this thread. Results stand where their
/// cases do; `None` where the caller stopped the run before the case began.
///
/// # Errors
/// When the system refuses to start threads.
pub(crate) fn run<T: Send>(
    cases: Vec<Case<'_, T>>,
    control: &Control<'_>,
) -> Result<Vec<Option<T>>, LabError> {
    let threads = match control.threads {
        0 => default_threads(),
        named => named,
    };
    // A thread without a case would only wait.
    let threads = threads.min(cases.len());
    // What a case reports beyond its weight, or again from the start, does not move the whole.
    let reported: Vec<Cell<u64>> = cases.iter().map(|_| Cell::new(0)).collect();
    let weights: Vec<u64> = cases.iter().map(|case| case.weight).collect();
    let total = weights
        .iter()
        .fold(0, |sum: u64, weight| sum.saturating_add(*weight));
    let report = |case: usize, step: &str, done: u64| {
        reported[case].set(done.min(weights[case]).max(reported[case].get()));
        let sum = |sum: u64, done: &Cell<u64>| sum.saturating_add(done.get());
        control.report(Progress {
            step,
            done_bytes: reported.iter().fold(0, sum),
            total_bytes: total,
        });
    };
    if threads > 1 {
        return side_by_side(cases, threads, control, &report);
    }
    let mut results: Vec<Option<T>> = cases.iter().map(|_| None).collect();
    let mut queue: Vec<(usize, Case<'_, T>)> = cases.into_iter().enumerate().collect();
    if control.budget.is_some() {
        sort(&mut queue, true);
    }
    for (index, case) in queue {
        report(index, &case.name, 0);
        if control.stopped() {
            break;
        }
        let progress = |progress: Progress<'_>| report(index, progress.step, progress.done_bytes);
        let own = Control {
            progress: Some(&progress),
            ..*control
        };
        // Whoever calls may have little stack, as threads of other languages and of tests do.
        let work = || (case.work)(&own);
        results[index] = Some(stacker::maybe_grow(STACK_BYTES / 2, STACK_BYTES, work));
        report(index, &case.name, weights[index]);
    }
    Ok(results)
}

/// Threads that `RAYON_NUM_THREADS` asks for; without it one for each core. Rayon's own count would start its global pool,
/// whose threads wait for nothing.
fn default_threads() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok();
    let asked = asked.and_then(|threads| threads.parse().ok());
    asked
        .filter(|threads| *threads > 0)
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Puts cases into the order in which they begin: the most expensive first, so that no long one is left over at the end;
/// where time is short the cheapest first, so that as many as possible end.
fn sort<T>(queue: &mut [(usize, Case<'_, T>)], has_budget: bool) {
    if has_budget {
        queue.sort_by_key(|(_, case)| case.cost);
    } else {
        queue.sort_by_key(|(_, case)| Reverse(case.cost));
    }
}

/// What a worker sends to the thread that started it.
enum Message<T> {
    Progress { step: String, done: u64 },
    Finished(T),
}

/// Runs cases on some threads.
fn side_by_side<T: Send>(
    cases: Vec<Case<'_, T>>,
    threads: usize,
    control: &Control<'_>,
    report: &dyn Fn(usize, &str, u64),
) -> Result<Vec<Option<T>>, LabError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.stack_size(STACK_BYTES);
    let pool = pool.build().map_err(|error| LabError::Threads {
        problem: error.to_string(),
    })?;
    let mut results: Vec<Option<T>> = cases.iter().map(|_| None).collect();
    let weights: Vec<u64> = cases.iter().map(|case| case.weight).collect();
    let mut queue: Vec<(usize, Case<'_, T>)> = cases.into_iter().enumerate().collect();
    sort(&mut queue, control.budget.is_some());
    let (stop, open, destroy, is_rough) = (
        control.stop,
        control.open,
        control.destroy,
        control.is_rough,
    );
    let listens = control.progress.is_some();
    pool.in_place_scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for (index, case) in queue {
            let sender = sender.clone();
            scope.spawn(move |_| {
                // The receiver is gone only while its thread unwinds.
                let send = |message| drop(sender.send((index, message)));
                let tell = |progress: Progress<'_>| {
                    send(Message::Progress {
                        step: progress.step.to_owned(),
                        done: progress.done_bytes,
                    });
                };
                let own = Control {
                    open,
                    stop,
                    destroy,
                    is_rough,
                    progress: listens.then_some(&tell as &dyn Fn(Progress<'_>)),
                    // Its neighbours have the others.
                    threads: 1,
                    ..Control::default()
                };
                own.report(Progress {
                    step: &case.name,
                    done_bytes: 0,
                    total_bytes: case.weight,
                });
                if !own.stopped() {
                    send(Message::Finished((case.work)(&own)));
                }
            });
        }
        drop(sender);
        let mut step = String::new();
        for (index, message) in receiver {
            match message {
                Message::Progress { step: now, done } => {
                    step = now;
                    report(index, &step, done);
                }
                Message::Finished(result) => {
                    results[index] = Some(result);
                    report(index, &step, weights[index]);
                }
            }
        }
    });
    Ok(results)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn results_stand_where_their_cases_do_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let heard = RefCell::new(Vec::new());
            let listen = |progress: Progress<'_>| heard.borrow_mut().push(progress.done_bytes);
            let control = Control {
                threads,
                progress: Some(&listen),
                ..Control::default()
            };
            let cases = (0..50_u64).map(|index| {
                Case::new("a step", 2, move |own| {
                    own.report(Progress {
                        step: "halfway",
                        done_bytes: 1,
                        total_bytes: 2,
                    });
                    index * index
                })
                .costing(index % 5)
            });
            let results = run(cases.collect(), &control).expect("threads");
            let expected: Vec<_> = (0..50_u64).map(|index| Some(index * index)).collect();
            assert_eq!(results, expected);
            let heard = heard.into_inner();
            assert!(heard.is_sorted(), "{heard:?}");
            assert_eq!(heard.last(), Some(&100), "{heard:?}");
        }
    }

    #[test]
    fn expensive_cases_begin_first_and_last_where_time_is_short() {
        let order = |has_budget| {
            let case = |cost| Case::new("a step", 1, |_| ()).costing(cost);
            let mut queue: Vec<_> = [2, 9, 4, 2].map(case).into_iter().enumerate().collect();
            sort(&mut queue, has_budget);
            queue.iter().map(|(index, _)| *index).collect::<Vec<_>>()
        };
        assert_eq!(order(false), [1, 2, 0, 3]);
        assert_eq!(order(true), [0, 3, 2, 1]);
    }

    /// Stopped after two cases, a run has ended the cheap ones, and says so in their places.
    #[test]
    fn a_run_that_is_stopped_has_ended_its_cheapest_cases() {
        let stop = AtomicBool::new(false);
        let ended = AtomicUsize::new(0);
        let control = Control {
            threads: 1,
            budget: Some(std::time::Duration::from_secs(1)),
            stop: Some(&stop),
            ..Control::default()
        };
        let case = |cost: u64| {
            let work = |_: &Control<'_>| {
                let before = ended.fetch_add(1, Ordering::Relaxed);
                stop.store(before == 1, Ordering::Relaxed);
            };
            Case::new("a step", 1, work).costing(cost)
        };
        let results = run([30, 1, 20, 2].map(case).into(), &control).expect("threads");
        assert_eq!(results, [None, Some(()), None, Some(())]);
    }

    #[test]
    fn the_first_failure_in_the_order_of_the_list_wins() {
        for threads in [1, 3] {
            let control = Control {
                threads,
                ..Control::default()
            };
            let experiment = wordline_core::Experiment {
                targets: Vec::new(),
                workload: wordline_core::Workload::Raw(wordline_core::RawWorkload::default()),
                timings: Vec::new(),
                age: 0.0,
                seed: 0,
                ftl: None,
            };
            let mut document = ResultSet::new(experiment.clone());
            let case = |age: f64| {
                DocumentCase::document("a step", 1, &experiment, move |_, _| match age {
                    0.0 => Ok(()),
                    age => Err(LabError::Age(age)),
                })
            };
            // The later failure starts first.
            let cases = vec![case(0.0), case(2.0), case(3.0).costing(9)];
            let failed = run_into(&mut document, cases, &control).expect_err("it fails");
            assert!(
                matches!(failed, LabError::Age(age) if age == 2.0),
                "{failed}"
            );
        }
    }

    #[test]
    fn a_stopped_run_begins_no_further_case() {
        let stop = AtomicBool::new(false);
        for threads in [1, 2] {
            stop.store(false, Ordering::Relaxed);
            let control = Control {
                threads,
                stop: Some(&stop),
                ..Control::default()
            };
            let begun = AtomicUsize::new(0);
            let cases = (0..20).map(|_| {
                Case::new("a step", 1, |_| {
                    stop.store(true, Ordering::Relaxed);
                    begun.fetch_add(1, Ordering::Relaxed);
                })
            });
            let results = run(cases.collect(), &control).expect("threads");
            let finished = results.iter().flatten().count();
            assert!((1..=threads).contains(&finished), "{finished}");
            assert_eq!(finished, begun.into_inner());
        }
    }
}
