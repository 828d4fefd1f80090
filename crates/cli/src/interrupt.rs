//! Ctrl-C and termination: the first one ends the run in order, the second one at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens from now on; the flag says whether the run should stop.
pub(crate) fn listen() -> &'static AtomicBool {
    let listening = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    });
    if let Err(error) = listening {
        crate::output::note(&format!("note: interrupts end the run at once: {error}"));
    }
    &STOP
}
