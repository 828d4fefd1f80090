//! Work side by side.

use std::sync::mpsc;

use crate::control::{Control, Progress};
use crate::error::LabError;

/// A piece of work.
pub(crate) struct Piece<'a> {
    /// What it is, for whoever watches.
    pub(crate) name: &'a str,
    /// How much of the whole it is.
    pub(crate) weight: u64,
}

/// Does pieces of work, by their numbers, on the threads that `control` allows; its listener is called on this one.
pub(crate) fn in_parallel<T: Send>(
    pieces: &[Piece<'_>],
    control: &Control<'_>,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, LabError> {
    let count = pieces.len();
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
        let (mut done, total) = (0, pieces.iter().map(|piece| piece.weight).sum());
        for (index, result) in receiver {
            results[index] = Some(result);
            done += pieces[index].weight;
            control.report(Progress {
                step: pieces[index].name,
                done_bytes: done,
                total_bytes: total,
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
            let pieces: Vec<_> = (0..50)
                .map(|_| Piece {
                    name: "a step",
                    weight: 2,
                })
                .collect();
            let results = in_parallel(&pieces, &control, |index| index * index);
            let expected: Vec<usize> = (0..50).map(|index| index * index).collect();
            assert_eq!(results.expect("threads"), expected);
            assert_eq!(
                *told.borrow(),
                (1..=50).map(|done| 2 * done).collect::<Vec<u64>>()
            );
        }
    }
}
