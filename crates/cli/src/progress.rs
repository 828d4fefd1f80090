//! Progress on stderr, while it is a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use wordline_lab::Progress;

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
        let template = "{percent:>3} % [{bar:30}] {eta} left: {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    /// Shows how far a file of `bytes` bytes has been read, from now on.
    pub(crate) fn meter(&self, name: &str, bytes: u64) -> Meter {
        self.bar.set_length(bytes);
        self.bar.set_position(0);
        self.bar.set_message(wordline_report::printable(name));
        Meter {
            bar: self.bar.clone(),
        }
    }

    /// Shows how far a run is. One that does not know says so with a total of 0, and its files tell.
    pub(crate) fn show(&self, progress: &Progress<'_>) {
        if progress.total_bytes == 0 {
            return;
        }
        self.bar.set_length(progress.total_bytes);
        self.bar.set_position(progress.done_bytes);
        if self.bar.message() != progress.step {
            self.bar.set_message(progress.step.to_owned());
        }
    }
}

/// Shows how far a file has been read.
pub(crate) struct Meter {
    bar: ProgressBar,
}

impl Meter {
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
