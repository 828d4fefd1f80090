//! Command traces: what went over the command buses, as text for people, scripts and the checker ([`CommandLog`]; read
//! again by [`CommandReader`]), and as slices on a time line for Perfetto ([`ChromeLog`]).
//!
//! A log belongs to a whole memory and hands out one [`Observer`](crate::Observer) for each sub-channel. What cannot be
//! written is reported by `finish`, and by `failed` while it runs; after the first fault nothing more is written.
//!
//! ```
//! use wordline_dram::log::{CommandLog, CommandReader};
//! use wordline_dram::{ClockDomain, Command, Issued, Location, Observer};
//!
//! let clock = ClockDomain::double(6400);
//! let log = CommandLog::new(Vec::new(), clock);
//! let mut observer = log.sub_channel(0, 1);
//! let location = Location { row: 7, ..Location::default() };
//! let issued = Issued { at: 16, command: Command::Act, location, request: Some(3) };
//! observer.command(&issued);
//! let text = log.finish()?;
//! assert!(text.ends_with(b"16,5000,0,1,0,0,0,0,7,,ACT,3\n"));
//!
//! let mut reader = CommandReader::new(&text[..])?;
//! let command = reader.next().expect("one")?;
//! assert_eq!((command.sub_channel, command.issued), (1, issued));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chrome;
mod output;
mod read;
mod text;

pub use chrome::{ChromeLog, ChromeObserver};
pub use read::{CommandLogError, CommandReader, LoggedCommand};
pub use text::{CommandLog, CommandObserver};

use crate::command::Command;

/// First line of the text; the number counts changes of the form.
const TITLE: &str = "# wordline command trace, version 1";
/// Second line of the text, in front of the number.
const RATE: &str = "# data_rate_mts ";
/// Line behind it, in front of the number, where a clock has not two beats.
const BEATS: &str = "# beats_per_clock ";
/// Next line of the text: the columns.
const COLUMNS: [&str; 12] = [
    "clock",
    "time_ps",
    "channel",
    "sub_channel",
    "pseudo_channel",
    "rank",
    "group",
    "bank",
    "row",
    "column",
    "command",
    "request",
];

/// Which parts of a location a command carries, beside pseudo-channel and rank: group, bank, row, column. A part that is
/// not carried is left out where it is 0; PREsb, REFsb and RFMsb have a group where sets of banks begin in several.
const fn carried(command: Command) -> [bool; 4] {
    match command {
        Command::Rd | Command::Rda | Command::Wr | Command::Wra => [true; 4],
        Command::Act => [true, true, true, false],
        Command::PrePb => [true, true, false, false],
        Command::PreSb | Command::RefSb | Command::RfmSb => [false, true, false, false],
        Command::PreAb | Command::RefAb | Command::RfmAb | Command::Pde | Command::Pdx => {
            [false; 4]
        }
    }
}

#[cfg(test)]
mod chrome_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;
