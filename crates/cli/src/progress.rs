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
        let template = "{percent:>3} % [{bar:30}] {binary_bytes_per_sec}, {eta} left: {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    /// Shows how far a run is.
    pub(crate) fn show(&self, progress: &Progress<'_>) {
        self.bar.set_length(progress.total_bytes);
        self.bar.set_position(progress.done_bytes);
        if self.bar.message() != progress.step {
            self.bar.set_message(progress.step.to_owned());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
