//! From counters to a phase of a profile.

use std::collections::BTreeMap;

use wordline_core::Basis;

use super::role_value::{PhaseFiles, RoleValue};
use super::series::while_running;
use super::sums::CounterKey;
use super::{CounterContext, CounterFault, CounterFindings, CounterNote, CounterRole};
use crate::profile::{LINE_BYTES, LoadLevels, ProfilePhase, ProfileValue};

/// What is taken of writes where only reads were counted: a quarter of them, anywhere from none to as many.
const WRITES_TAKEN: f64 = 0.25;

/// By how much more than the bus carries counters may say: clocks of machine and counters differ.
const BUS_SLACK: f64 = 1.02;

/// By how much more lines than cores can have under way counters may say: latency and rate are means of their own.
const MISSES_SLACK: f64 = 1.05;

/// By how much more than all of its time a core may be said to wait, and a program to run: clocks differ.
const TIME_SLACK: f64 = 1.05;

/// Instructions that a core may be said to retire in a cycle. An assumed bound: cores of today decode up to ten, and a fused
/// pair counts as two.
const INSTRUCTIONS_MOST: f64 = 20.0;

/// Hardware threads of a core, each of which is a processor to the system.
const THREADS_MOST: f64 = 2.0;

/// By how much more than memory delivered cores may say that they asked for: the last cache of another socket delivers lines too.
const DEMAND_SLACK: f64 = 2.0;

/// A phase and what is said of it.
pub(super) struct DerivedPhase {
    pub(super) phase: ProfilePhase,
    pub(super) findings: CounterFindings,
    pub(super) notes: Vec<CounterNote>,
}

const fn basis(of: &RoleValue) -> Basis {
    if of.is_assumed {
        Basis::Assumed
    } else {
        Basis::Measured
    }
}

#[allow(clippy::float_cmp)] // A range of no width is none.
fn profile_value(of: &RoleValue) -> ProfileValue {
    let range = (of.least != of.most).then_some([of.least.min(of.value), of.most.max(of.value)]);
    ProfileValue {
        value: of.value,
        range,
        basis: basis(of),
    }
}

fn share(of: RoleValue) -> ProfileValue {
    let clamped = RoleValue {
        value: of.value.clamp(0.0, 1.0),
        least: of.least.clamp(0.0, 1.0),
        most: of.most.clamp(0.0, 1.0),
        ..of
    };
    profile_value(&clamped)
}

/// Lines that memory delivered and took.
struct PhaseLines {
    read: RoleValue,
    written: RoleValue,
    /// Which series of loads has them.
    series: usize,
}

fn lines(
    files: &PhaseFiles<'_>,
    context: &CounterContext<'_>,
    notes: &mut Vec<CounterNote>,
) -> Result<PhaseLines, CounterFault> {
    let read = files.role(CounterRole::LinesRead);
    let written = files.role(CounterRole::LinesWritten);
    let moved = files.role(CounterRole::LinesMoved);
    let events = context.suffices("wordline app events");
    let unknown = |what, of: &RoleValue| CounterNote::Unknown {
        what,
        range: [of.least, of.most],
        suffices: format!("counters of the memory controllers tell it: {events}"),
    };
    if let Some(read) = &read
        && read.is_fallback
    {
        notes.push(CounterNote::CoreSide {
            role: CounterRole::LinesRead,
        });
    }
    match (read, written, moved) {
        (Some(read), Some(written), _) => {
            let series = if read.is_fallback { 2 } else { 0 };
            Ok(PhaseLines {
                read,
                written,
                series,
            })
        }
        (Some(read), None, Some(moved)) => {
            let read = RoleValue {
                value: read.value.min(moved.value),
                least: read.least.min(moved.most),
                most: read.most.min(moved.most),
                ..read
            };
            let written = RoleValue {
                value: moved.value - read.value,
                least: (moved.least - read.most).max(0.0),
                most: moved.most - read.least,
                is_assumed: true,
                is_fallback: false,
            };
            Ok(PhaseLines {
                read,
                written,
                series: 1,
            })
        }
        (Some(read), None, None) => {
            let written = RoleValue {
                value: read.value * WRITES_TAKEN,
                least: 0.0,
                most: read.most,
                is_assumed: true,
                is_fallback: false,
            };
            notes.push(unknown("lines written", &written));
            let series = if read.is_fallback { 2 } else { 0 };
            Ok(PhaseLines {
                read,
                written,
                series,
            })
        }
        (None, _, Some(moved)) => {
            let part = |likely: f64, least: f64, most: f64| RoleValue {
                value: moved.value * likely,
                least: moved.least * least,
                most: moved.most * most,
                is_assumed: true,
                is_fallback: false,
            };
            let written = part(WRITES_TAKEN / (1.0 + WRITES_TAKEN), 0.0, 0.5);
            notes.push(unknown("lines written", &written));
            let read = part(1.0 / (1.0 + WRITES_TAKEN), 0.5, 1.0);
            Ok(PhaseLines {
                read,
                written,
                series: 1,
            })
        }
        (None, _, None) => Err(CounterFault::Missing {
            what: "lines read from memory",
            // Of events that several cores have nothing is missing in particular.
            why: context
                .cpu
                .map_or_else(Vec::new, |_| files.reasons(CounterRole::LinesRead)),
            suffices: format!(
                "{events}; without rights to the whole machine --cores, --read, --write-share and --stall of wordline app project \
                 state them by hand"
            ),
        }),
    }
}

fn stall(
    files: &PhaseFiles<'_>,
    context: &CounterContext<'_>,
    notes: &mut Vec<CounterNote>,
) -> Result<RoleValue, CounterFault> {
    let least = files
        .role(CounterRole::StallShare)
        .or_else(|| files.ratio(CounterRole::StallCycles, CounterRole::Cycles));
    let most = files
        .role(CounterRole::StallShareMost)
        .or_else(|| files.ratio(CounterRole::StallCyclesMost, CounterRole::Cycles));
    let cut = |of: RoleValue| RoleValue {
        value: of.value.clamp(0.0, 1.0),
        least: of.least.clamp(0.0, 1.0),
        most: of.most.clamp(0.0, 1.0),
        ..of
    };
    if let Some(found) = least
        && found.least > TIME_SLACK
    {
        return Err(CounterFault::Contradiction {
            what: format!(
                "cores would have waited {:.0} % of their time",
                100.0 * found.least
            ),
            suffices: "count stalls and cycles in the same run, on the same cores",
        });
    }
    Ok(match (least.map(cut), most.map(cut)) {
        (Some(least), most) => RoleValue {
            most: most.map_or(least.most, |most| least.most.max(most.most)),
            ..least
        },
        (None, most) => {
            let most = most.map_or(1.0, |most| most.most);
            let taken = RoleValue {
                value: most / 2.0,
                least: 0.0,
                most,
                is_assumed: true,
                is_fallback: false,
            };
            notes.push(CounterNote::Unknown {
                what: "the share of the time in which cores wait for memory",
                range: [0.0, most],
                suffices: format!(
                    "counters of stalled cycles tell it: {}",
                    context.suffices("wordline app events")
                ),
            });
            taken
        }
    })
}

/// Whether counts that say the same in two ways agree.
fn agree(files: &PhaseFiles<'_>, cores: u32, lines: &PhaseLines) -> Result<(), CounterFault> {
    let instructions = files.role(CounterRole::Instructions);
    if let (Some(retired), Some(cycles)) = (instructions, files.role(CounterRole::Cycles))
        && retired.least > cycles.most * INSTRUCTIONS_MOST
    {
        return Err(CounterFault::Contradiction {
            what: format!(
                "{:.3e} instructions were retired in {:.3e} cycles",
                retired.value, cycles.value
            ),
            suffices: "count instructions and cycles in the same run, on the same cores",
        });
    }
    if let Some(ran) = files.role(CounterRole::ProcessorTime) {
        let ran = ran.value / 1e9 / files.seconds;
        if ran <= 0.0 && lines.read.most > 0.0 {
            return Err(CounterFault::Contradiction {
                what: "no processor was busy, and memory delivered lines".to_owned(),
                suffices: "count the processor time (task-clock) in the same run, or leave it out",
            });
        }
        if ran > f64::from(cores) * THREADS_MOST * TIME_SLACK {
            return Err(CounterFault::Contradiction {
                what: format!(
                    "{ran:.1} processors were busy in the mean, and {cores} cores ran it"
                ),
                suffices: "state the cores that ran it with --cores",
            });
        }
    }
    let asked = files.role(CounterRole::DemandLines);
    let asked = asked.or_else(|| files.role(CounterRole::LatencyReads));
    if let Some(asked) = asked
        && asked.least > lines.read.most * DEMAND_SLACK
    {
        return Err(CounterFault::Contradiction {
            what: format!(
                "cores asked memory for {:.3e} lines, and it delivered {:.3e}",
                asked.least, lines.read.most
            ),
            suffices: "count the memory controllers of all sockets that the program ran on",
        });
    }
    Ok(())
}

/// Mean time of a read in nanoseconds.
fn latency(files: &PhaseFiles<'_>, whole: bool, notes: &mut Vec<CounterNote>) -> Option<RoleValue> {
    if let Some(found) = files
        .role(CounterRole::Latency)
        .or_else(|| files.ratio(CounterRole::LatencyTime, CounterRole::LatencyReads))
    {
        return (found.least > 0.0).then_some(found);
    }
    let cycles = files.ratio(CounterRole::LatencyCycles, CounterRole::LatencyReads)?;
    let clock = files
        .ratio(CounterRole::Cycles, CounterRole::TimeStampsAwake)
        .zip(files.ratio(CounterRole::TimeStamps, CounterRole::ProcessorTime))
        .map(|(awake, stamps)| awake.value * stamps.value)
        .or_else(|| {
            let plain = files.ratio(CounterRole::Cycles, CounterRole::ProcessorTime)?;
            (!whole).then_some(plain.value)
        });
    let Some(gigahertz) = clock.filter(|clock| *clock > 0.0) else {
        notes.push(CounterNote::Unknown {
            what: "the latency of reads in nanoseconds",
            range: [cycles.least, cycles.most],
            suffices: "it is known in cycles; with msr/tsc/, msr/mperf/ and task-clock the clock of the cores is known".to_owned(),
        });
        return None;
    };
    let found = cycles.times(1.0 / gigahertz);
    (found.least > 0.0).then_some(found)
}

/// Share of the lines read that a prefetcher asked for. Stores ask for the lines that they change: as many as are written, at
/// most, are demanded besides.
fn prefetched(files: &PhaseFiles<'_>, lines: &PhaseLines) -> Option<ProfileValue> {
    let demand = files.role(CounterRole::DemandLines)?;
    if lines.read.least <= 0.0 {
        return None;
    }
    Some(share(RoleValue {
        value: 1.0 - demand.value / lines.read.value,
        least: 1.0 - (demand.most + lines.written.most) / lines.read.least,
        most: 1.0 - demand.least / lines.read.most,
        is_assumed: demand.is_assumed || lines.read.is_assumed,
        is_fallback: false,
    }))
}

/// The load of the busiest channel over the mean, where each channel was counted.
fn imbalance(files: &PhaseFiles<'_>) -> Option<ProfileValue> {
    let mut channels = BTreeMap::<&str, f64>::new();
    let sums = files.files.iter().flat_map(|file| &file.counts.sums);
    for (key, sum) in sums {
        if let CounterKey::Channel(name) = key {
            let channel = name.trim_end_matches("Read").trim_end_matches("Write");
            *channels.entry(channel).or_default() += sum.value().unwrap_or(0.0);
        }
    }
    let used: Vec<f64> = channels
        .into_values()
        .filter(|bytes| *bytes > 0.0)
        .collect();
    let most = used.iter().copied().fold(0.0, f64::max);
    #[allow(clippy::cast_precision_loss)] // A count of channels.
    let mean = used.iter().sum::<f64>() / used.len() as f64;
    (used.len() > 1 && most > 0.0)
        .then(|| ProfileValue::exact((most / mean).max(1.0), Basis::Measured))
}

fn outside(files: &PhaseFiles<'_>, cores: u32, whole: bool) -> Option<ProfileValue> {
    if let Some(awake) = files.role(CounterRole::AwakeShare) {
        return Some(share(RoleValue {
            value: 1.0 - awake.value,
            least: 1.0 - awake.most,
            most: 1.0 - awake.least,
            ..awake
        }));
    }
    let used = files.role(CounterRole::ProcessorTime)?.value / 1e9 / files.seconds;
    let awake = if whole {
        files
            .ratio(CounterRole::TimeStampsAwake, CounterRole::TimeStamps)?
            .value
    } else {
        1.0
    };
    let outside = (1.0 - used * awake / f64::from(cores)).clamp(0.0, 1.0);
    Some(ProfileValue::exact(outside, Basis::Measured))
}

/// A phase of a profile.
pub(super) fn derive(
    name: &str,
    files: &PhaseFiles<'_>,
    cores: u32,
    context: &CounterContext<'_>,
) -> Result<DerivedPhase, CounterFault> {
    let mut notes = files.incomplete(&[
        CounterRole::LinesRead,
        CounterRole::LinesWritten,
        CounterRole::LinesMoved,
        CounterRole::StallCycles,
    ]);
    let lines = lines(files, context, &mut notes)?;
    let whole = files.is_whole_machine();
    if whole {
        notes.push(CounterNote::WholeMachine);
    }
    let seconds = files.seconds;
    let reads = lines.read.value / seconds;
    let bytes = (lines.read.least + lines.written.least) / seconds * LINE_BYTES;
    if let Some(bus) = context.bus_bytes_per_s
        && bytes > bus * BUS_SLACK
    {
        return Err(CounterFault::BeyondBus {
            rate: bytes / 1e9,
            bus: bus / 1e9,
            baseline: context.baseline.to_owned(),
            suffices: "name the memory that it ran on with --on, of as many sockets as were counted, and look for events that \
                       count something else or twice"
                .to_owned(),
        });
    }
    let latency = latency(files, whole, &mut notes);
    let stall = stall(files, context, &mut notes)?;
    let mut outstanding = None;
    if let Some(latency) = &latency {
        let under_way = reads * latency.value / 1e9;
        let each = under_way / f64::from(cores);
        if let Some(misses) = context.misses {
            let allowed = misses * f64::from(cores);
            let least = lines.read.least / seconds * latency.least / 1e9;
            if least > allowed * MISSES_SLACK {
                return Err(CounterFault::BeyondMisses {
                    rate: lines.read.least / seconds * LINE_BYTES / 1e9,
                    latency: latency.least,
                    needed: least,
                    cores,
                    allowed,
                    misses,
                    suffices: "state the cores that ran it with --cores, and the memory with --on",
                });
            }
        }
        outstanding = Some([each, each / stall.value.max(1e-9)]);
    }
    agree(files, cores, &lines)?;
    let outside_share = outside(files, cores, whole);
    let slept = outside_share.map_or(0.0, |share| share.value);
    let load = load(files, lines.series, &mut notes).map(|load| while_running(load, slept));
    let prefetched_share = prefetched(files, &lines);
    let phase = ProfilePhase {
        name: name.to_owned(),
        seconds: ProfileValue::exact(seconds, Basis::Measured),
        lines_read: profile_value(&lines.read),
        lines_written: profile_value(&lines.written),
        stall_share: profile_value(&stall),
        instructions: files
            .role(CounterRole::Instructions)
            .as_ref()
            .map(profile_value),
        cycles: files.role(CounterRole::Cycles).as_ref().map(profile_value),
        prefetched_share,
        outstanding: None,
        latency_ns: latency.as_ref().map(profile_value),
        load,
        imbalance: imbalance(files),
        locality: None,
        outside_share,
    };
    let per_instruction = files
        .role(CounterRole::CyclesEach)
        .map(|cycles| 1.0 / cycles.value.max(1e-9));
    let findings = CounterFindings {
        name: name.to_owned(),
        read_bytes_per_s: phase.read_rate(),
        write_share: phase.write_share(),
        bus_share: context.bus_bytes_per_s.map(|bus| {
            let all = phase.lines_read.value + phase.lines_written.value;
            all * LINE_BYTES / seconds / bus
        }),
        instructions_a_cycle: match (&phase.instructions, &phase.cycles) {
            (Some(instructions), Some(cycles)) if cycles.value > 0.0 => {
                Some(instructions.value / cycles.value)
            }
            _ => per_instruction,
        },
        outstanding,
        intervals: files
            .files
            .first()
            .map_or(0, |file| file.counts.load[lines.series].intervals()),
    };
    Ok(DerivedPhase {
        phase,
        findings,
        notes,
    })
}

fn load(files: &PhaseFiles<'_>, series: usize, notes: &mut Vec<CounterNote>) -> Option<LoadLevels> {
    let all = files.files.iter().map(|file| &file.counts.load[series]);
    let longest = all.max_by_key(|load| load.intervals())?;
    let levels = longest.levels();
    if levels.is_none() {
        notes.push(CounterNote::FewIntervals {
            intervals: longest.intervals(),
        });
    }
    levels
}
