//! The commands of a replay: written out, and held against an independent table of the rules.

use std::io::{self, Write};

use wordline_core::DramTraceTest;
use wordline_dram::checker::{self, Checker};
use wordline_dram::log::{ChromeLog, ChromeObserver, CommandLog, CommandObserver};
use wordline_dram::sheet::Standard;
use wordline_dram::{Issued, Observer, ServedRequest};

use super::ModuleMemory;
use crate::control::{CommandForm, Control};
use crate::error::{LabError, SettingProblem, UncheckedMemory};

/// Violations that are listed one by one.
const TOLD: usize = 10;

type Out = Box<dyn Write>;

/// Where commands go, for a whole memory.
enum CommandLogFile {
    None,
    Text(CommandLog<Out>),
    Chrome(ChromeLog<Out>),
}

/// What is done with the commands of a memory.
pub(super) struct CommandWriters {
    log: CommandLogFile,
    checker: Option<Checker>,
}

/// Watches one sub-channel.
pub(super) struct CommandTap {
    log: TapLog,
    checker: Option<Box<Checked>>,
    data_end: u64,
}

enum TapLog {
    None,
    Text(CommandObserver<Out>),
    Chrome(ChromeObserver<Out>),
}

/// A checker with what it found.
struct Checked {
    checker: Checker,
    place: String,
    violations: Vec<String>,
    more: u64,
}

/// What the checkers of a memory found.
#[derive(Default)]
pub(super) struct CommandFindings {
    pub(super) commands: u64,
    pub(super) violations: u64,
    /// The first of them in words.
    pub(super) told: Vec<String>,
}

impl CommandWriters {
    pub(super) fn new(
        memory: &ModuleMemory<'_>,
        trace: &DramTraceTest,
        control: &Control<'_>,
    ) -> Result<Self, LabError> {
        let sub_channel = &memory.connected.config.sub_channel;
        let log = match control.commands {
            None => CommandLogFile::None,
            Some(wanted) => {
                let out = (wanted.create)(&memory.name).map_err(unwritten)?;
                match wanted.form {
                    CommandForm::Text => {
                        CommandLogFile::Text(CommandLog::new(out, sub_channel.clock))
                    }
                    CommandForm::Chrome => CommandLogFile::Chrome(ChromeLog::new(out, sub_channel)),
                }
            }
        };
        let checker = trace.check.then(|| checker(memory)).transpose()?;
        Ok(Self { log, checker })
    }

    /// Watches a sub-channel of a channel.
    pub(super) fn tap(&self, channel: u32, sub_channel: u32) -> CommandTap {
        let checked = |checker: &Checker| {
            Box::new(Checked {
                checker: checker.clone(),
                place: format!("channel {channel}, sub-channel {sub_channel}"),
                violations: Vec::new(),
                more: 0,
            })
        };
        CommandTap {
            log: match &self.log {
                CommandLogFile::None => TapLog::None,
                CommandLogFile::Text(log) => TapLog::Text(log.sub_channel(channel, sub_channel)),
                CommandLogFile::Chrome(log) => {
                    TapLog::Chrome(log.sub_channel(channel, sub_channel))
                }
            },
            checker: self.checker.as_ref().map(checked),
            data_end: 0,
        }
    }

    /// Whether each command is needed, to be written down or checked.
    pub(super) fn needs_each(&self) -> bool {
        !matches!(self.log, CommandLogFile::None) || self.checks()
    }

    /// Whether commands are checked.
    pub(super) fn checks(&self) -> bool {
        self.checker.is_some()
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), LabError> {
        let finished = match self.log {
            CommandLogFile::None => return Ok(()),
            CommandLogFile::Text(log) => log.finish(),
            CommandLogFile::Chrome(log) => log.finish(),
        };
        finished.and_then(|mut out| out.flush()).map_err(unwritten)
    }
}

fn unwritten(source: io::Error) -> LabError {
    LabError::Unwritten {
        what: "command trace",
        source,
    }
}

impl Observer for CommandTap {
    fn command(&mut self, issued: &Issued) {
        match &mut self.log {
            TapLog::None => {}
            TapLog::Text(log) => log.command(issued),
            TapLog::Chrome(log) => log.command(issued),
        }
        if let Some(checked) = &mut self.checker
            && let Err(violation) = checked.checker.check(issued)
        {
            checked.note(violation.to_string());
        }
    }

    fn served(&mut self, served: &ServedRequest) {
        self.data_end = self.data_end.max(served.finish);
    }
}

impl Checked {
    fn note(&mut self, violation: String) {
        if self.violations.len() < TOLD {
            self.violations.push(format!("{}: {violation}", self.place));
        } else {
            self.more += 1;
        }
    }
}

impl CommandTap {
    /// Clock after the last data that moved.
    pub(super) fn data_end(&self) -> u64 {
        self.data_end
    }

    /// Ends the trace at a clock, and adds what was found.
    pub(super) fn finish(&mut self, at: u64, findings: &mut CommandFindings) {
        let Some(checked) = &mut self.checker else {
            return;
        };
        if let Err(violation) = checked.checker.finish(at) {
            checked.note(violation.to_string());
        }
        findings.commands += checked.checker.commands();
        findings.violations += checked.violations.len() as u64 + checked.more;
        let room = TOLD.saturating_sub(findings.told.len());
        findings
            .told
            .extend(checked.violations.drain(..).take(room));
    }
}

/// The checker of a memory: what a device of its kind asks for, by the checker's own table, and what its controller
/// has settled beyond that.
fn checker(memory: &ModuleMemory<'_>) -> Result<Checker, LabError> {
    let refused = |why| {
        let target = memory.name.clone();
        SettingProblem::Unchecked { target, why }.of("check")
    };
    let parameters = parameters(memory).map_err(refused)?;
    let refresh_rate = if memory.chosen("refresh_rate") == "double" {
        2
    } else {
        1
    };
    let described = memory.connected.checked(parameters, refresh_rate);
    Checker::new(&described).map_err(|error| refused(UncheckedMemory::Channel(error)))
}

/// What the checker's own tables say of the device that a module is made of.
fn parameters(memory: &ModuleMemory<'_>) -> Result<checker::Parameters, UncheckedMemory> {
    const GIBIT: u64 = 1 << 27;
    let (die, module) = (&memory.target.die.sheet, &memory.target.module.sheet);
    let rate = *module.dram_rate_mts.value();
    let gibit = die.density.nominal().bytes() / GIBIT;
    match (die.standard.value(), rate, gibit) {
        (Standard::Ddr5, ..) => {}
        (Standard::Lpddr5x, 8533, 32) => return Ok(checker::lpddr5x_8533()),
        (Standard::Hbm3, 6400, 2) => return Ok(checker::hbm3_6400()),
        _ => return Err(UncheckedMemory::Standard),
    }
    let density = match gibit {
        16 => checker::Density::Gb16,
        24 => checker::Density::Gb24,
        32 => checker::Density::Gb32,
        other => {
            return Err(UncheckedMemory::Density(other));
        }
    };
    let width = match module.width_bits.value() {
        4 => checker::Width::X4,
        8 => checker::Width::X8,
        other => return Err(UncheckedMemory::Width(*other)),
    };
    let bin = match memory.chosen("speed_bin").as_str() {
        "A" => checker::BinGrade::A,
        "B" => checker::BinGrade::B,
        other => {
            return Err(UncheckedMemory::Bin(other.to_owned()));
        }
    };
    let part = checker::DeviceGrade {
        data_rate_mts: rate,
        density,
        width,
        bin,
    };
    part.parameters().map_err(UncheckedMemory::Part)
}
