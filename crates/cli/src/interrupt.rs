//! What ends a run in order: Ctrl-C, termination, hang-up, or the time that the user allowed. A further signal ends it at
//! once, unless it comes with the first one: `timeout` signals a command and its group, which is the command again.
//! What the caller had set to be ignored, as `nohup` does, stays ignored.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Says whether the command should stop, from the first call on.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether a signal said so.
static HEARD: AtomicBool = AtomicBool::new(false);

/// Signals that come this soon after the first one are the same interrupt.
const TOGETHER: Duration = Duration::from_millis(500);

/// Listens from now on; the flag says whether the command should stop.
pub(crate) fn listen() -> Arc<AtomicBool> {
    Arc::clone(STOP.get_or_init(begin))
}

/// Whether the command was interrupted since the first call.
pub(crate) fn heard() -> bool {
    HEARD.load(Ordering::Relaxed)
}

/// Turns a write beyond the limit of file sizes (`ulimit -f`) into an error, instead of the end of the process.
pub(crate) fn survive_file_limit() {
    // An empty handler suffices: without one, SIGXFSZ ends the process.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Ends the run in order after a time.
pub(crate) fn stop_after(time: Duration) {
    let stop = listen();
    // It ends with the command, at the latest.
    let timer = thread::Builder::new().spawn(move || {
        thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
    });
    if let Err(error) = timer {
        crate::output::note(&format!("note: --budget does not hold: {error}"));
    }
}

fn begin() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let ignored = ignored_signals();
    let mut wanted = vec![SIGINT, SIGTERM, SIGHUP];
    wanted.retain(|signal| ignored & (1 << (signal - 1)) == 0);
    let raised = Arc::clone(&stop);
    let listening = Signals::new(wanted).and_then(|mut signals| {
        thread::Builder::new().spawn(move || {
            let mut first: Option<Instant> = None;
            for _ in signals.forever() {
                match first {
                    None => {
                        first = Some(Instant::now());
                        HEARD.store(true, Ordering::Relaxed);
                        raised.store(true, Ordering::Relaxed);
                    }
                    Some(first) if first.elapsed() < TOGETHER => {}
                    Some(_) => std::process::exit(130),
                }
            }
        })
    });
    if let Err(error) = listening {
        crate::output::note(&format!("note: interrupts end the run at once: {error}"));
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
