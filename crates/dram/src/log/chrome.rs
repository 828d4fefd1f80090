//! Command traces as slices on a time line, in the JSON form of Chrome's trace events, which Perfetto
//! (<https://ui.perfetto.dev>) opens. The form: "Trace Event Format", the document of the Chromium project.
//!
//! Every pseudo-channel is a process. Its threads are the data bus, one for refresh and power-down of each rank, and one
//! for each bank with the rows that are open.

use std::fmt;
use std::io::{self, Write};

use super::output::{Output, SharedOutput, finished};
use crate::command::{Command, Issued};
use crate::config::SubChannelConfig;
use crate::observer::Observer;
use crate::request::Location;

/// Writes the commands of a memory as slices on a time line. It remembers what is open, and no more.
#[must_use = "what is not finished is not written"]
pub struct ChromeLog<W> {
    page: SharedOutput<ChromeTrace<W>>,
}

impl<W: Write> ChromeLog<W> {
    /// A log of sub-channels that all are like this one.
    pub fn new(writer: W, config: &SubChannelConfig) -> Self {
        let mut output = Output::new(writer);
        output
            .piece(|out| out.extend_from_slice(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"));
        Self {
            page: SharedOutput::new(ChromeTrace {
                output,
                config: config.clone(),
                processes: Vec::new(),
                events: 0,
            }),
        }
    }

    /// Watches one sub-channel of one channel, both counted from 0.
    #[must_use]
    pub fn sub_channel(&self, channel: u32, sub_channel: u32) -> ChromeObserver<W> {
        let first = self.page.with(|page| page.open(channel, sub_channel));
        ChromeObserver {
            page: self.page.clone(),
            first: first.unwrap_or(0),
        }
    }

    /// Whether something could not be written. Nothing is written any more then.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.page.with(|page| page.output.failed()).unwrap_or(false)
    }

    /// Ends what is open at the last thing that happened in its pseudo-channel, writes what is left and returns the
    /// writer. Observers that are still around write nothing any more.
    ///
    /// # Errors
    /// The first fault of the writer.
    pub fn finish(self) -> io::Result<W> {
        self.page.take().ok_or_else(finished)?.finish()
    }
}

impl<W> fmt::Debug for ChromeLog<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChromeLog").finish_non_exhaustive()
    }
}

/// Watches one sub-channel for a [`ChromeLog`].
pub struct ChromeObserver<W> {
    page: SharedOutput<ChromeTrace<W>>,
    /// The process of its first pseudo-channel.
    first: usize,
}

impl<W: Write> Observer for ChromeObserver<W> {
    fn command(&mut self, issued: &Issued) {
        let process = self.first + usize::from(issued.location.pseudo_channel);
        self.page.with(|page| page.command(process, issued));
    }
}

impl<W> fmt::Debug for ChromeObserver<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChromeObserver").finish_non_exhaustive()
    }
}

/// What is written, and what is open.
struct ChromeTrace<W> {
    output: Output<W>,
    config: SubChannelConfig,
    processes: Vec<Process>,
    events: u64,
}

/// What is open in a pseudo-channel.
struct Process {
    /// Row and clock of its ACT, by rank, group, bank.
    rows: Vec<Option<(u32, u64)>>,
    /// Clock of the PDE, by rank.
    asleep: Vec<Option<u64>>,
    /// Clock at which the last thing that happened was over.
    last: u64,
}

/// A slice: when it begins and ends, in clocks.
#[derive(Clone, Copy)]
struct TraceSlice {
    from: u64,
    to: u64,
}

/// Thread of the data bus.
const BUS: usize = 0;

impl<W: Write> ChromeTrace<W> {
    /// Makes the processes of a sub-channel, names their threads, and returns the first.
    fn open(&mut self, channel: u32, sub_channel: u32) -> usize {
        let first = self.processes.len();
        let geometry = self.config.geometry.clone();
        let pairs = geometry.pseudo_channels > 1;
        for pseudo_channel in 0..geometry.pseudo_channels {
            let process = self.processes.len();
            self.processes.push(Process {
                rows: vec![None; geometry.banks_of_pseudo_channel()],
                asleep: vec![None; usize::from(geometry.ranks)],
                last: 0,
            });
            let mut name = format!("channel {channel} sub-channel {sub_channel}");
            if pairs {
                name.push_str(&format!(" pseudo-channel {pseudo_channel}"));
            }
            self.name("process_name", process, None, &name);
            self.name("thread_name", process, Some(BUS), "data bus");
            for rank in 0..geometry.ranks {
                let thread = self.rank_thread(rank);
                let name = format!("rank {rank}: refresh, power-down");
                self.name("thread_name", process, Some(thread), &name);
                for group in 0..geometry.groups {
                    for bank in 0..geometry.banks {
                        let thread = self.bank_thread(self.bank(rank, group, bank));
                        let name = format!("rank {rank} group {group} bank {bank}");
                        self.name("thread_name", process, Some(thread), &name);
                    }
                }
            }
        }
        first
    }

    fn rank_thread(&self, rank: u8) -> usize {
        BUS + 1 + usize::from(rank)
    }

    fn bank_thread(&self, bank: usize) -> usize {
        BUS + 1 + usize::from(self.config.geometry.ranks) + bank
    }

    fn bank(&self, rank: u8, group: u8, bank: u8) -> usize {
        let geometry = &self.config.geometry;
        (usize::from(rank) * usize::from(geometry.groups) + usize::from(group))
            * usize::from(geometry.banks)
            + usize::from(bank)
    }

    fn command(&mut self, process: usize, issued: &Issued) {
        let place = issued.location;
        let geometry = &self.config.geometry;
        let is_inside = place.pseudo_channel < geometry.pseudo_channels
            && place.rank < geometry.ranks
            && place.group < geometry.groups
            && place.bank < geometry.banks;
        if !is_inside || process >= self.processes.len() {
            return;
        }
        let (groups, banks) = (geometry.groups, geometry.banks);
        let (at, rank) = (issued.at, place.rank);
        let bank = self.bank(rank, place.group, place.bank);
        match issued.command {
            Command::Act => {
                self.close(process, bank, at);
                self.processes[process].rows[bank] = Some((place.row, at));
                self.happened(process, at);
            }
            Command::Rd | Command::Rda | Command::Wr | Command::Wra => {
                self.column(process, bank, issued);
            }
            Command::PrePb => self.close(process, bank, at),
            Command::PreSb => {
                for group in geometry.groups_of_set(place.group) {
                    self.close(process, self.bank(rank, group, place.bank), at);
                }
            }
            Command::PreAb => {
                for group in 0..groups {
                    for bank in 0..banks {
                        self.close(process, self.bank(rank, group, bank), at);
                    }
                }
            }
            Command::RefAb => {
                let to = at.saturating_add(u64::from(self.config.timing.rfc));
                self.rank_slice(process, rank, "REFab", TraceSlice { from: at, to });
            }
            Command::RefSb | Command::RfmSb => {
                let clocks = match issued.command {
                    Command::RefSb => self.config.timing.rfc_sb.into(),
                    _ => self.managed(),
                };
                let to = at.saturating_add(clocks);
                let first = u16::from(place.group) * u16::from(banks) + u16::from(place.bank);
                let name = format!("{} bank {first}", issued.command.name());
                self.rank_slice(process, rank, &name, TraceSlice { from: at, to });
            }
            Command::RfmAb => {
                let to = at.saturating_add(self.managed());
                self.rank_slice(process, rank, "RFMab", TraceSlice { from: at, to });
            }
            Command::Pde => {
                self.processes[process].asleep[usize::from(rank)] = Some(at);
                self.happened(process, at);
            }
            Command::Pdx => self.wake(process, rank, at),
        }
    }

    /// Clocks of an RFM.
    fn managed(&self) -> u64 {
        let rfm = self.config.policy.rfm;
        rfm.map_or(0, |rfm| rfm.clocks.into())
    }

    /// RD, RDA, WR, WRA: a slice on the data bus, and the end of the row where it closes itself.
    fn column(&mut self, process: usize, bank: usize, issued: &Issued) {
        let timing = &self.config.timing;
        let (latency, closes) = match issued.command {
            Command::Rd => (timing.cl, None),
            Command::Rda => (timing.cl, Some(timing.rtp)),
            Command::Wra => (timing.cwl, Some(timing.cwl + timing.burst + timing.wr)),
            _ => (timing.cwl, None),
        };
        let from = issued.at.saturating_add(u64::from(latency));
        let to = from.saturating_add(u64::from(timing.burst));
        let ras = u64::from(timing.ras);
        self.slice(
            process,
            BUS,
            issued.command.name(),
            TraceSlice { from, to },
            Some((issued.location, issued.request)),
        );
        let opened = self.processes[process].rows[bank].map(|(_, at)| at);
        if let (Some(distance), Some(opened)) = (closes, opened) {
            let earliest = issued.at.saturating_add(u64::from(distance));
            self.close(process, bank, earliest.max(opened.saturating_add(ras)));
        }
    }

    /// Ends the open row of a bank, if there is one.
    fn close(&mut self, process: usize, bank: usize, at: u64) {
        self.happened(process, at);
        if let Some((row, from)) = self.processes[process].rows[bank].take() {
            let thread = self.bank_thread(bank);
            self.slice(
                process,
                thread,
                &format!("row {row}"),
                TraceSlice { from, to: at },
                None,
            );
        }
    }

    fn wake(&mut self, process: usize, rank: u8, at: u64) {
        self.happened(process, at);
        if let Some(from) = self.processes[process].asleep[usize::from(rank)].take() {
            self.rank_slice(process, rank, "power-down", TraceSlice { from, to: at });
        }
    }

    fn rank_slice(&mut self, process: usize, rank: u8, name: &str, span: TraceSlice) {
        let thread = self.rank_thread(rank);
        self.slice(process, thread, name, span, None);
    }

    fn happened(&mut self, process: usize, at: u64) {
        let last = &mut self.processes[process].last;
        *last = at.max(*last);
    }

    /// Writes a slice. Names are made here, never by users, and need no escapes.
    fn slice(
        &mut self,
        process: usize,
        thread: usize,
        name: &str,
        span: TraceSlice,
        access: Option<(Location, Option<u64>)>,
    ) {
        self.happened(process, span.to);
        let clock = self.config.clock;
        let (from, to) = (clock.ps(span.from), clock.ps(span.to));
        let (ts, dur) = (Micros(from), Micros(to.saturating_sub(from)));
        let args = access.map_or_else(String::new, |(place, request)| {
            let Location {
                rank,
                group,
                bank,
                row,
                column,
                ..
            } = place;
            let request = request.map_or_else(String::new, |id| format!(",\"request\":{id}"));
            format!(
                ",\"args\":{{\"rank\":{rank},\"group\":{group},\"bank\":{bank},\"row\":{row},\"column\":{column}{request}}}"
            )
        });
        self.event(&format!(
            "{{\"name\":\"{name}\",\"ph\":\"X\",\"ts\":{ts},\"dur\":{dur},\"pid\":{process},\"tid\":{thread}{args}}}"
        ));
    }

    /// Names a process, or one of its threads, and keeps them in the order of their numbers.
    fn name(&mut self, kind: &str, process: usize, thread: Option<usize>, name: &str) {
        let tid = thread.map_or_else(String::new, |thread| format!("\"tid\":{thread},"));
        self.event(&format!(
            "{{\"name\":\"{kind}\",\"ph\":\"M\",\"pid\":{process},{tid}\"args\":{{\"name\":\"{name}\"}}}}"
        ));
        let (sorted, order) = match thread {
            Some(thread) => ("thread_sort_index", thread),
            None => ("process_sort_index", process),
        };
        self.event(&format!(
            "{{\"name\":\"{sorted}\",\"ph\":\"M\",\"pid\":{process},{tid}\"args\":{{\"sort_index\":{order}}}}}"
        ));
    }

    fn event(&mut self, event: &str) {
        let is_first = self.events == 0;
        self.events += 1;
        self.output.piece(|out| {
            if !is_first {
                out.extend_from_slice(b",\n");
            }
            out.extend_from_slice(event.as_bytes());
        });
    }

    fn finish(mut self) -> io::Result<W> {
        for process in 0..self.processes.len() {
            let last = self.processes[process].last;
            for bank in 0..self.processes[process].rows.len() {
                self.close(process, bank, last);
            }
            for rank in 0..self.config.geometry.ranks {
                self.wake(process, rank, last);
            }
        }
        self.output.piece(|out| out.extend_from_slice(b"\n]}\n"));
        self.output.finish()
    }
}

/// Picoseconds, printed as microseconds without loss.
struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}
