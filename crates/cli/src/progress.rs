//! Progress on stderr, while it is a terminal.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

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

/// A progress bar that leaves nothing behind; hidden off a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
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
        let bar = Self { bar };
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
