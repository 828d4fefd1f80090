//! Command traces as text: one command a line, columns separated by commas.

use std::fmt;
use std::io::{self, Write};

use super::output::{Output, SharedOutput, finished, number};
use super::{BEATS, COLUMNS, RATE, TITLE, carried};
use crate::command::Issued;
use crate::config::ClockDomain;
use crate::observer::Observer;

/// Writes the commands of a memory as text. `docs/reference/dram-traces.md` has the form.
///
/// Lines of one sub-channel come in the order of their times; those of several come as they are simulated.
#[must_use = "what is not finished is not written"]
pub struct CommandLog<W> {
    output: SharedOutput<Output<W>>,
    clock: ClockDomain,
}

impl<W: Write> CommandLog<W> {
    /// A log of sub-channels that all have this clock.
    pub fn new(writer: W, clock: ClockDomain) -> Self {
        let mut output = Output::new(writer);
        let columns = COLUMNS.join(",");
        output.piece(|out| {
            let rate = clock.data_rate_mts;
            let beats = match clock.beats {
                2 => String::new(),
                beats => format!("{BEATS}{beats}\n"),
            };
            let head = format!("{TITLE}\n{RATE}{rate}\n{beats}{columns}\n");
            out.extend_from_slice(head.as_bytes());
        });
        Self {
            output: SharedOutput::new(output),
            clock,
        }
    }

    /// Watches one sub-channel of one channel, both counted from 0.
    #[must_use]
    pub fn sub_channel(&self, channel: u32, sub_channel: u32) -> CommandObserver<W> {
        CommandObserver {
            output: self.output.clone(),
            clock: self.clock,
            channel,
            sub_channel,
        }
    }

    /// Whether something could not be written. Nothing is written any more then.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.output.with(|output| output.failed()).unwrap_or(false)
    }

    /// Writes what is left and returns the writer. Observers that are still around write nothing any more.
    ///
    /// # Errors
    /// The first fault of the writer.
    pub fn finish(self) -> io::Result<W> {
        self.output.take().ok_or_else(finished)?.finish()
    }
}

impl<W> fmt::Debug for CommandLog<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandLog").finish_non_exhaustive()
    }
}

/// Watches one sub-channel for a [`CommandLog`].
pub struct CommandObserver<W> {
    output: SharedOutput<Output<W>>,
    clock: ClockDomain,
    channel: u32,
    sub_channel: u32,
}

impl<W: Write> Observer for CommandObserver<W> {
    fn command(&mut self, issued: &Issued) {
        self.output.with(|output| {
            output.piece(|out| line(out, self.clock, self.channel, self.sub_channel, issued));
        });
    }
}

impl<W> fmt::Debug for CommandObserver<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandObserver").finish_non_exhaustive()
    }
}

fn line(out: &mut Vec<u8>, clock: ClockDomain, channel: u32, sub_channel: u32, issued: &Issued) {
    let place = issued.location;
    for value in [
        issued.at,
        clock.ps(issued.at),
        u64::from(channel),
        u64::from(sub_channel),
        u64::from(place.pseudo_channel),
        u64::from(place.rank),
    ] {
        number(out, value);
        out.push(b',');
    }
    let parts = [
        u64::from(place.group),
        u64::from(place.bank),
        u64::from(place.row),
        u64::from(place.column),
    ];
    for (value, is_carried) in parts.into_iter().zip(carried(issued.command)) {
        if is_carried || value > 0 {
            number(out, value);
        }
        out.push(b',');
    }
    out.extend_from_slice(issued.command.name().as_bytes());
    out.push(b',');
    if let Some(request) = issued.request {
        number(out, request);
    }
    out.push(b'\n');
}
