//! Ctrl-C, termination and hang-up: the first one ends the run in order, the second one at once.
//! What the caller had set to be ignored, as `nohup` does, stays ignored.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Says whether the command should stop, from the first call on.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Listens from now on; the flag says whether the command should stop.
pub(crate) fn listen() -> Arc<AtomicBool> {
    Arc::clone(STOP.get_or_init(begin))
}

/// Whether the command was interrupted since the first call.
pub(crate) fn heard() -> bool {
    STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

fn begin() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let ignored = ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        // In this order: the first signal finds the flag down, and only raises it.
        let listening = flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)));
        if let Err(error) = listening {
            crate::output::note(&format!("note: interrupts end the run at once: {error}"));
        }
    }
    stop
}

/// The signals that this process was started to ignore, as Linux states them: bit n − 1 is signal
/// n. Elsewhere none is known.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
