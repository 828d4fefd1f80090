//! How far a run is that has several parts, over runs of different kinds.

use std::cell::Cell;

use crate::control::{Control, Progress};

/// What a simulation of memory modules counts as, beside bytes that small memories move: it takes about as long.
pub(crate) const POINT: u64 = 1 << 30;

/// Counts bytes, or what counts as such.
pub(crate) struct Meter<'a> {
    control: &'a Control<'a>,
    total: Cell<u64>,
    done: Cell<u64>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(control: &'a Control<'a>) -> Self {
        Self {
            control,
            total: Cell::new(0),
            done: Cell::new(0),
        }
    }

    /// There is more to do.
    pub(crate) fn expect(&self, bytes: u64) {
        self.total.set(self.total.get() + bytes);
    }

    /// Does a piece of `bytes` bytes. What it reports itself counts `each`, from 0 on.
    pub(crate) fn run<T>(&self, bytes: u64, each: u64, work: impl FnOnce(&Control<'_>) -> T) -> T {
        let before = self.done.get();
        // A buffer is run again at every rate, which counts from the start.
        let most = Cell::new(before);
        let show = |progress: Progress<'_>| {
            let done = progress.done_bytes.saturating_mul(each).min(bytes);
            most.set(most.get().max(before + done));
            self.control.report(Progress {
                done_bytes: most.get(),
                total_bytes: self.total.get(),
                ..progress
            });
        };
        let control = Control {
            progress: Some(&show),
            ..*self.control
        };
        let result = work(&control);
        self.done.set(before + bytes);
        result
    }
}
