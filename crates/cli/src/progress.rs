//! Progress on stderr, while it is a terminal.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use wordline_lab::Progress;

/// What is shown of work whose end is known, and of a pipe.
const WITH_END: &str = "{percent:>3} % [{bar:30}] {left}: {msg}";
const WITHOUT_END: &str = "{bytes} read: {msg}";

/// The same of other work without a known end.
const WORKING: &str = "{elapsed} so far: {msg}";

/// The share of the work, and the seconds, after which the time left is estimated.
const KNOWN_FROM: (f32, f32) = (0.03, 2.0);

/// How long the rest takes, once enough is done to know.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let elapsed = state.elapsed();
    let known = state.fraction() >= KNOWN_FROM.0 && elapsed.as_secs_f32() >= KNOWN_FROM.1;
    // What has been done so far sets the pace: rates of the last moment jump between kinds of work.
    let rest = elapsed.as_secs_f32() * (1.0 / state.fraction().max(f32::EPSILON) - 1.0);
    let _ = match known {
        true => write!(
            out,
            "{} left",
            indicatif::HumanDuration(Duration::from_secs_f32(rest))
        ),
        false => write!(out, "{} so far", indicatif::HumanDuration(elapsed)),
    };
}

/// How long a step has run before its whole time is estimated, and how long that has to be to be worth a line.
const ESTIMATED_AFTER: Duration = Duration::from_secs(3);
const WORTH_A_LINE: Duration = Duration::from_secs(120);

/// What a user should know before minutes of work; `None` where it is too early to say, or soon over.
fn estimate(elapsed: Duration, done: u64, total: u64) -> Option<String> {
    if elapsed < ESTIMATED_AFTER || done == 0 || done >= total {
        return None;
    }
    let all = elapsed.as_secs_f64() * (total as f64 / done as f64);
    if all < WORTH_A_LINE.as_secs_f64() {
        return None;
    }
    const YEAR: f64 = 365.25 * 86_400.0;
    let all = match all < YEAR {
        true => indicatif::HumanDuration(Duration::from_secs_f64(all)).to_string(),
        false => format!("{:.0} years", all / YEAR),
    };
    Some(format!(
        "this takes about {all} at the pace of its first seconds; Ctrl-C ends it with what is finished, and so does \
         --budget TIME where the command has it"
    ))
}

/// A progress bar that leaves nothing behind; hidden off a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    quiet: bool,
    /// When the work began that is shown, and whether its time was estimated.
    begun: OnceLock<Instant>,
    estimated: AtomicBool,
}

impl Bar {
    /// A bar, hidden when `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let bar = Self {
            bar,
            quiet,
            begun: OnceLock::new(),
            estimated: AtomicBool::new(false),
        };
        bar.set_template(WITH_END);
        bar
    }

    fn set_template(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            let style = style.with_key("left", left);
            self.bar.set_style(style.progress_chars("=> "));
        }
    }

    /// Shows how far a file of `bytes` bytes has been read, from now on; of one without a known end, such as a
    /// pipe, how much has been.
    pub(crate) fn meter(&self, name: &str, bytes: Option<u64>) -> ProgressMeter {
        match bytes {
            Some(bytes) => {
                self.set_template(WITH_END);
                self.bar.set_length(bytes);
            }
            None => {
                self.set_template(WITHOUT_END);
                self.bar.unset_length();
            }
        }
        self.bar.set_position(0);
        self.bar.set_message(wordline_report::printable(name));
        ProgressMeter {
            bar: self.bar.clone(),
        }
    }

    /// Shows how far a run is. With a total of 0 the run does not know; the positions in its files show it instead.
    pub(crate) fn show(&self, progress: &Progress<'_>) {
        if progress.total_bytes == 0 {
            return;
        }
        if self.bar.length().is_none() {
            self.set_template(WITH_END);
        }
        let begun = self.begun.get_or_init(Instant::now);
        // The pace of a step that begins is not known yet.
        if progress.done_bytes < self.bar.position() {
            self.estimated.store(true, Ordering::Relaxed);
        }
        if !self.quiet && !self.estimated.load(Ordering::Relaxed) {
            let (done, total) = (progress.done_bytes, progress.total_bytes);
            if let Some(line) = estimate(begun.elapsed(), done, total)
                && !self.estimated.swap(true, Ordering::Relaxed)
            {
                self.say(&line);
            }
        }
        self.bar.set_length(progress.total_bytes);
        self.bar.set_position(progress.done_bytes);
        if self.bar.message() != progress.step {
            self.bar.set_message(progress.step.to_owned());
        }
    }

    /// Shows work without a known end: what is done, and for how long.
    pub(crate) fn pass(&self, step: &str) {
        self.set_template(WORKING);
        self.bar.set_message(step.to_owned());
        self.bar.tick();
    }

    /// Leaves a line on stderr, above the bar where there is one.
    pub(crate) fn say(&self, line: &str) {
        let line = wordline_report::printable(line);
        self.beside(|| crate::output::note(&line));
    }

    /// Does what writes to the terminal while the bar is out of the way.
    pub(crate) fn beside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

/// Shows how far a file has been read.
pub(crate) struct ProgressMeter {
    bar: ProgressBar,
}

impl ProgressMeter {
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_of_work_are_estimated_once_there_is_a_pace() {
        let seconds = Duration::from_secs;
        assert_eq!(estimate(seconds(2), 1, 1_000_000), None, "too early");
        assert_eq!(estimate(seconds(4), 0, 1_000_000), None, "no pace");
        assert_eq!(estimate(seconds(10), 500, 1000), None, "20 s");
        let hour = estimate(seconds(36), 10, 1000).expect("an hour");
        assert!(hour.starts_with("this takes about 60 minutes at"), "{hour}");
        let years = estimate(seconds(4), 1, 1_000_000_000).expect("a century");
        assert!(years.contains("about 127 years"), "{years}");
    }

    /// A pipe is not done before it begins.
    #[test]
    fn a_pipe_is_counted_without_an_end() {
        let bar = Bar::new(true);
        let meter = bar.meter("pipe", None);
        meter.advance(7);
        assert_eq!((bar.bar.length(), bar.bar.position()), (None, 7));
        bar.meter("file", Some(9)).advance(3);
        assert_eq!((bar.bar.length(), bar.bar.position()), (Some(9), 3));
    }
}
