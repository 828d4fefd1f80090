//! A program's trace, replayed on every target.
//!
//! Requests that have times reach the memory controllers at them. Those without come as fast as the cores' outstanding
//! misses let them: so many are under way at a time. Where the trace is of a program's own accesses, caches have filtered
//! them, and one core's misses bound them, each until its line is back in the core; none comes before the core has ended
//! the instructions in front of it. Latencies are from the controller's door and back: the way on
//! chip is the program's own.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::BufRead;

use wordline_core::quantity::{ByteCount, Frequency, Time};
use wordline_core::results::NoValue;
use wordline_core::{
    Axis, DramTraceTest, LatencyHistogram, Metric, Operation, ResultSet, RowOperation,
};
use wordline_dram::energy::EnergyMeter;
use wordline_dram::system::{Completion, MemorySystem};
use wordline_dram::{EnergyCounts, RequestKind, Statistics, TrafficSummary};
use wordline_trace::dram::{
    CACHE_LEVELS, CacheChoices, DramFormat, DramRequest, DramSummary, DramTrace, DramTraceError,
    DramTraceOptions, ProgramCounts, open,
};

use super::commands::{CommandFindings, CommandTap, CommandWriters};
use super::idle_gap::{IdleGaps, Watch};
use super::rows::{DramWork, seconds};
use super::{ModuleMemory, TIME_MAX, Test, explain};
use crate::control::{Control, Progress};
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::subject::Subject;
use crate::warning::LabWarning;

/// Requests between two looks at whether the run should stop.
const BREATH: u64 = 1 << 14;

/// Simulated time in picoseconds between two looks at whether the run should stop, where a trace has long pauses.
const PAUSE_PS: u64 = 100_000_000;

/// Step in picoseconds by which a memory is run while requests without times wait for one that is done.
const STEP_PS: u64 = 5_000;

/// The levels of caches, as rows name them.
const LEVELS: [&str; CACHE_LEVELS] = ["l1", "l2", "l3"];

/// The memory of a replay.
type ReplayedMemory = MemorySystem<Watch<CommandTap>>;

/// A trace that is being read.
type Requests = DramTrace<Box<dyn BufRead>>;

pub(super) fn run(
    test: &Test<'_>,
    trace: &DramTraceTest,
    control: &Control<'_>,
    document: &mut ResultSet,
) -> Result<(), LabError> {
    let format = trace
        .format
        .as_deref()
        .map(str::parse::<DramFormat>)
        .transpose();
    let format = format.map_err(|error| SettingProblem::Unread(error.to_string()).of("as"))?;
    if trace.clock_hz == Some(0) {
        return Err(SettingProblem::StoppedClock.of("clock"));
    }
    let rate = instructions_per_cycle(trace);
    if !(rate > 0.0 && rate <= 64.0) {
        return Err(SettingProblem::NoPace { found: rate }.of("ipc"));
    }
    for memory in &test.memories {
        let options = DramTraceOptions {
            memory_bytes: memory.connected.config.bytes(),
            format,
            clock: trace.clock_hz.map(Frequency::from_hz),
            align: trace.align,
            fold: trace.fold,
            caches: caches(trace),
        };
        let Some(replayed) = replay(memory, trace, &options, control)? else {
            document.complete = false;
            return Ok(());
        };
        replayed.rows(test, memory, document);
        replayed.warnings(memory, trace, document);
    }
    Ok(())
}

fn instructions_per_cycle(trace: &DramTraceTest) -> f64 {
    let rate = trace.instructions_per_cycle;
    rate.unwrap_or(DramTraceTest::INSTRUCTIONS_PER_CYCLE)
}

/// The clock of the core that runs a program.
fn core_clock(memory: &ModuleMemory<'_>, trace: &DramTraceTest) -> Frequency {
    let own = memory.connected.config.cores.clock_hz;
    Frequency::from_hz(trace.clock_hz.unwrap_or(own))
}

fn caches(trace: &DramTraceTest) -> CacheChoices {
    CacheChoices {
        bytes: [trace.l1_bytes, trace.l2_bytes, trace.l3_bytes],
        ways: [trace.l1_ways, trace.l2_ways, trace.l3_ways],
        line_bytes: trace.cache_line_bytes,
    }
}

/// What a replay found.
struct Replayed {
    end_ps: u64,
    reads: LatencyHistogram,
    /// Picoseconds until writes were accepted, summed over them.
    write_ps: u128,
    summary: TrafficSummary,
    energy: EnergyCounts,
    told: DramSummary,
    /// What the checker found, where it was asked for.
    checked: Option<CommandFindings>,
    /// Gaps of which a part was counted and not simulated, and how long those parts are together.
    gaps: (u64, Time),
}

/// Replays a trace on one target; `None` when it is cancelled.
fn replay(
    memory: &ModuleMemory<'_>,
    trace: &DramTraceTest,
    options: &DramTraceOptions,
    control: &Control<'_>,
) -> Result<Option<Replayed>, LabError> {
    let requests = open(control.open(&trace.file)?, options);
    let mut requests = requests.map_err(|source| unusable(trace, source))?;
    let commands = match CommandWriters::new(memory, trace, control) {
        Err(LabError::Unwritten { .. }) if control.stopped() => return Ok(None),
        commands => commands?,
    };
    let replayed = watched(memory, trace, &mut requests, &commands, control);
    // Whatever came of it: a command trace that is cut short must still be one that can be read.
    let finished = commands.finish();
    let replayed = replayed?;
    match finished {
        // A pipe whose reader is not there does not delay a stop.
        Err(_) if control.stopped() => Ok(None),
        finished => finished.map(|()| replayed),
    }
}

fn unusable(trace: &DramTraceTest, source: DramTraceError) -> LabError {
    LabError::DramTrace {
        file: trace.file.clone(),
        source,
    }
}

/// Replays requests on a memory whose commands are watched.
fn watched(
    memory: &ModuleMemory<'_>,
    trace: &DramTraceTest,
    requests: &mut Requests,
    commands: &CommandWriters,
    control: &Control<'_>,
) -> Result<Option<Replayed>, LabError> {
    let config = &memory.connected.config;
    let sub_channel = &config.sub_channel;
    let watch = |channel, number| {
        let measures = (Statistics::new(sub_channel), EnergyMeter::new(sub_channel));
        (measures, commands.tap(channel, number))
    };
    let system = MemorySystem::new(config, watch).map_err(|source| LabError::Memory {
        target: memory.name.clone(),
        source,
    })?;
    let is_program = requests.summary().program.is_some();
    let cores = if is_program { 1 } else { config.cores.cores };
    let window = u64::from(cores) * u64::from(config.cores.misses);
    let cycle_ps = 1e12 / core_clock(memory, trace).hz() as f64;
    let instruction_ps = cycle_ps / instructions_per_cycle(trace);
    let gaps = IdleGaps::new(config, commands.needs_each());
    let mut player = TraceReplay::new(system, gaps, window.max(1), instruction_ps);
    if is_program {
        player.path_ps = config.cores.request_path_ps + config.cores.return_path_ps;
    }
    if !play(memory, trace, requests, &mut player, control)? {
        return Ok(None);
    }
    let told = requests.summary();
    let (mut done, gaps) = player.finish();
    let clock = config.sub_channel.clock;
    // The last command is not the end: its data are.
    let data = done.system.observers().map(|(_, tap)| tap.data_end()).max();
    let end_ps = done.end_ps.max(clock.ps(data.unwrap_or(0)));
    let end = clock.edge_at_or_after(end_ps);
    done.system.run(end_ps);
    let (mut summary, mut energy) = (gaps.summary, gaps.energy);
    let mut findings = CommandFindings::default();
    for ((statistics, meter), tap) in done.system.observers_mut() {
        summary.merge(&statistics.end(end));
        energy.merge(&meter.end(end));
        tap.finish(end, &mut findings);
    }
    Ok(Some(Replayed {
        end_ps: end_ps + gaps.skipped_ps,
        gaps: (gaps.count, Time::from_ps(gaps.skipped_ps)),
        reads: done.reads,
        write_ps: done.write_ps,
        summary,
        energy,
        told,
        checked: commands.checks().then_some(findings),
    }))
}

/// Hands every request to the player; `false` when it is cancelled.
fn play(
    memory: &ModuleMemory<'_>,
    trace: &DramTraceTest,
    requests: &mut Requests,
    player: &mut TraceReplay,
    control: &Control<'_>,
) -> Result<bool, LabError> {
    // The file's own reading says how far it is.
    let stopped = || {
        control.report(Progress {
            step: &memory.name,
            done_bytes: 0,
            total_bytes: 0,
        });
        control.stopped()
    };
    let at_fault = |problem: LogProblem| problem.of(&trace.file);
    for (number, request) in requests.by_ref().enumerate() {
        let request = request.map_err(|source| unusable(trace, source))?;
        let due_ps = player.due(&request);
        let due_ps = due_ps - player.pass_gap(due_ps);
        if due_ps > TIME_MAX.ps() && (request.at.is_some() || request.instructions > 0) {
            return Err(at_fault(LogProblem::LateRequest {
                line: request.line,
                found: Time::from_ps(due_ps),
                most: TIME_MAX,
            }));
        }
        while due_ps > player.now_ps + PAUSE_PS {
            if stopped() {
                return Ok(false);
            }
            player.pause();
        }
        let pushed = player.push(number as u64, &request, due_ps);
        pushed.map_err(at_fault)?;
        if (number as u64).is_multiple_of(BREATH) && stopped() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Hands requests to a memory in their time.
struct TraceReplay {
    /// Most requests without times that are under way.
    window: u64,
    /// Picoseconds that an instruction of a program takes while no miss stops it.
    instruction_ps: f64,
    /// The part of a picosecond by which the program is later than the replay.
    rest_ps: f64,
    /// The way of a read on chip, which holds a miss of a program's core as well; 0 where no core is known.
    path_ps: u64,
    /// When lines will be back in the core.
    coming: BinaryHeap<Reverse<u64>>,
    /// When the requests that are under way came.
    came: HashMap<u64, u64>,
    under_way: u64,
    now_ps: u64,
    run_ps: u64,
    gaps: IdleGaps,
    done: Done,
}

/// A memory, and what came of the requests to it.
struct Done {
    system: ReplayedMemory,
    reads: LatencyHistogram,
    /// Picoseconds until writes were accepted, summed over them.
    write_ps: u128,
    /// When the last of them was done, or when nothing was left to do.
    end_ps: u64,
}

impl TraceReplay {
    fn new(system: ReplayedMemory, gaps: IdleGaps, window: u64, instruction_ps: f64) -> Self {
        Self {
            window,
            instruction_ps,
            rest_ps: 0.0,
            path_ps: 0,
            coming: BinaryHeap::new(),
            came: HashMap::new(),
            under_way: 0,
            now_ps: 0,
            run_ps: 0,
            gaps,
            done: Done {
                system,
                reads: LatencyHistogram::new(),
                write_ps: 0,
                end_ps: 0,
            },
        }
    }

    /// When a request comes, unless it finds no room: at its time, or when the instructions in front of it have ended. What
    /// was left out of gaps does not count.
    fn due(&mut self, request: &DramRequest) -> u64 {
        if let Some(at) = request.at {
            return at.ps().saturating_sub(self.gaps.skipped_ps);
        }
        let took = request.instructions as f64 * self.instruction_ps + self.rest_ps;
        self.rest_ps = took.fract();
        self.now_ps.saturating_add(took as u64)
    }

    /// Takes a request when it is due, or as soon as there is room.
    fn push(&mut self, id: u64, request: &DramRequest, due_ps: u64) -> Result<(), LogProblem> {
        self.now_ps = due_ps;
        if request.at.is_none() {
            // What was done while instructions ran has left room.
            if self.under_way >= self.window && self.run_ps < self.now_ps {
                self.run(self.now_ps);
            }
            while self.under_way >= self.window {
                self.now_ps += STEP_PS;
                self.run(self.now_ps);
            }
        }
        // What is done must not pile up.
        if self.now_ps >= self.run_ps + BREATH * STEP_PS {
            self.run(self.now_ps);
        }
        let kind = match request.operation {
            Operation::Read => RequestKind::Read,
            Operation::Write => RequestKind::Write,
        };
        let system = &mut self.done.system;
        let pushed = system.push(id, kind, request.address, self.now_ps);
        let line = request.line;
        pushed.map_err(|why| LogProblem::Request { line, why })?;
        self.came.insert(id, self.now_ps);
        self.under_way += 1;
        Ok(())
    }

    /// Leaves out what it can of the gap before a request, and says how much that is.
    fn pass_gap(&mut self, due_ps: u64) -> u64 {
        let Some(least_ps) = self.gaps.least_ps() else {
            return 0;
        };
        // Requests of the last stretch are done long before the gap ends.
        if due_ps.saturating_sub(self.now_ps) < least_ps {
            return 0;
        }
        let (now_ps, skipped_ps) = self.gaps.pass(&mut self.done.system, self.now_ps, due_ps);
        self.now_ps = now_ps;
        self.run(now_ps);
        skipped_ps
    }

    /// Lets a part of a long pause pass.
    fn pause(&mut self) {
        self.now_ps += PAUSE_PS;
        self.run(self.now_ps);
    }

    fn run(&mut self, until_ps: u64) {
        self.done.system.run(until_ps);
        self.run_ps = until_ps;
        self.collect();
    }

    fn collect(&mut self) {
        let (came, of) = (&mut self.came, &mut self.done);
        let mut free = 0;
        for Completion { id, time_ps, kind } in of.system.completed() {
            if self.path_ps > 0 && kind == RequestKind::Read {
                self.coming.push(Reverse(time_ps + self.path_ps));
            } else {
                free += 1;
            }
            of.end_ps = of.end_ps.max(time_ps);
            let Some(at) = came.remove(&id) else {
                continue;
            };
            let took = time_ps.saturating_sub(at);
            match kind {
                RequestKind::Read => of.reads.record(Time::from_ps(took)),
                RequestKind::Write => of.write_ps += u128::from(took),
            }
        }
        while let Some(Reverse(at_ps)) = self.coming.peek()
            && *at_ps <= self.run_ps
        {
            self.coming.pop();
            free += 1;
        }
        self.under_way -= free;
    }

    /// Waits for everything.
    fn finish(mut self) -> (Done, IdleGaps) {
        let end_ps = self.done.system.flush();
        self.collect();
        self.done.end_ps = self.done.end_ps.max(end_ps);
        (self.done, self.gaps)
    }
}

impl Replayed {
    fn rows(&self, test: &Test<'_>, memory: &ModuleMemory<'_>, document: &mut ResultSet) {
        let operation = match (self.told.reads, self.told.writes) {
            (_, 0) => RowOperation::Read,
            (0, _) => RowOperation::Write,
            _ => RowOperation::ReadWrite,
        };
        let subject = test.subject(memory, operation);
        let bytes = 64 * (self.told.reads + self.told.writes);
        let work = DramWork {
            duration_ps: self.end_ps,
            bytes,
            bytes_read: 64 * self.told.reads,
            summary: &self.summary,
            energy: &self.energy,
        };
        work.rows(memory, &subject, document);
        subject.add(Metric::BytesMoved, Ok(bytes as f64), document);
        let reads = self.reads.count();
        subject.add(Metric::AccessCount, Ok(reads as f64), document);
        let together_ps = self.reads.sum_ps() as f64 + self.write_ps as f64;
        let under_way = together_ps / self.end_ps as f64;
        subject.add(Metric::OutstandingMean, Ok(under_way), document);
        if reads > 0 {
            let name = format!("{}, trace", memory.name);
            subject.latencies(&self.reads, name, document);
            self.parts(memory, &subject, document);
        }
        if let Some(program) = &self.told.program {
            program_rows(program, &subject, document);
        }
        if let Some(checked) = &self.checked {
            // What breaks a rule is no result.
            let value = if checked.violations == 0 {
                Ok(0.0)
            } else {
                Err(NoValue::Failed)
            };
            subject.add(Metric::CommandViolations, value, document);
        }
    }

    /// What the mean of all reads consists of, those that the write queue answered among them; waits for the next clock
    /// edge are what is left.
    fn parts(&self, memory: &ModuleMemory<'_>, subject: &Subject, document: &mut ResultSet) {
        let reads = self.reads.count() as f64;
        // The way on chip is the program's own.
        let parts = explain::read_parts(memory, &self.summary).into_iter();
        let mut parts: Vec<_> = parts
            .filter(|(part, _)| *part != explain::ON_CHIP)
            .collect();
        let told: f64 = parts.iter().map(|(_, ps)| ps).sum();
        parts.push((explain::ROUNDING, self.reads.sum_ps() as f64 / reads - told));
        for (cause, ps) in parts {
            let at = subject.at(Axis::Cause, cause);
            let row = at.row(Metric::LatencyMeanPart, Ok(seconds(ps)));
            document.rows.push(row);
        }
    }

    /// What a program's accesses went through, and how fast it ran.
    fn pace(&self, memory: &ModuleMemory<'_>, trace: &DramTraceTest, document: &mut ResultSet) {
        let Some(format) = self.told.format else {
            return;
        };
        let Ok(caches) = caches(trace).caches(format) else {
            return;
        };
        let told = LEVELS.iter().zip(&caches.levels);
        let told = told.filter_map(|(name, level)| {
            let level = level.as_ref()?;
            let bytes = ByteCount::from_bytes(level.bytes);
            Some(format!("{name} of {bytes} with {} ways", level.ways))
        });
        let told: Vec<String> = told.collect();
        let caches = match told.is_empty() {
            true => "no caches".to_owned(),
            false => format!("{} (not inclusive, LRU)", told.join(", ")),
        };
        document.warn(LabWarning::ProgramPace {
            file: &trace.file,
            caches: &caches,
            rate: &instructions_per_cycle(trace),
            clock: &core_clock(memory, trace),
            lines: &memory.connected.config.cores.misses,
        });
    }

    fn warnings(&self, memory: &ModuleMemory<'_>, trace: &DramTraceTest, document: &mut ResultSet) {
        let told = &self.told;
        let (file, target) = (&trace.file, &memory.name);
        if told.aligned > 0 {
            let count = &told.aligned;
            document.warn(LabWarning::AlignedRequests {
                file,
                target,
                count,
            });
        }
        if told.folded > 0 {
            let count = &told.folded;
            document.warn(LabWarning::OutsideRequests {
                file,
                target,
                count,
            });
        }
        let (count, skipped) = &self.gaps;
        if *count > 0 {
            document.warn(LabWarning::IdleGaps {
                file,
                target,
                count,
                skipped,
            });
        }
        match &told.program {
            Some(_) => self.pace(memory, trace, document),
            None if told.last.is_none() => {
                document.warn(LabWarning::NoTimes { file: &trace.file });
            }
            None => {}
        }
        let Some(checked) = &self.checked else {
            return;
        };
        let (name, commands) = (&memory.name, checked.commands);
        let die = &memory.target.die.header;
        if !die.embedded {
            document.warn(LabWarning::OwnDie {
                name: &name,
                die: &die.id,
            });
        }
        if checked.violations == 0 {
            document.warn(LabWarning::RulesKept {
                name: &name,
                commands: &commands,
            });
            return;
        }
        let violations = checked.violations;
        document.warn(LabWarning::RulesBroken {
            name: &name,
            violations: &violations,
            commands: &commands,
        });
        for violation in &checked.told {
            document.warn(LabWarning::Violation {
                name: &name,
                violation: &violation,
            });
        }
    }
}

/// Rows of a program and of the caches that its accesses passed.
fn program_rows(program: &ProgramCounts, subject: &Subject, document: &mut ResultSet) {
    let instructions = program.instructions as f64;
    subject.add(Metric::InstructionCount, Ok(instructions), document);
    for (number, (name, counts)) in LEVELS.iter().zip(&program.levels).enumerate() {
        let Some(counts) = counts else {
            continue;
        };
        let at = subject.at(Axis::Cache, *name);
        at.add(Metric::CacheAccesses, Ok(counts.accesses as f64), document);
        at.add(Metric::CacheMisses, Ok(counts.misses as f64), document);
        let mpki = program.mpki(number).ok_or(NoValue::NotApplicable);
        at.add(Metric::CacheMpki, mpki, document);
    }
}
