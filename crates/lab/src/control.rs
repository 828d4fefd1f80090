//! How a caller watches and stops a run.

use std::sync::atomic::{AtomicBool, Ordering};

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being run.
    pub step: &'a str,
    /// Bytes moved so far, over all steps.
    pub done_bytes: u64,
    /// Bytes that all steps together move.
    pub total_bytes: u64,
}

/// How a caller watches and stops a run. The default does neither.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Set by the caller, from a signal handler for instance, to stop the run.
    pub stop: Option<&'a AtomicBool>,
    /// Called now and then.
    pub progress: Option<&'a dyn Fn(Progress<'_>)>,
}

impl Control<'_> {
    /// Whether the caller wants the run to stop.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Tells the caller how far the run is.
    pub fn report(&self, progress: Progress<'_>) {
        if let Some(listener) = self.progress {
            listener(progress);
        }
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}
