//! From counts to a profile.

use wordline_core::Basis;

use super::recording::{ProgramRecording, RecordingSample, SampleCycles};
use crate::curve::{CurvePlace, MemoryCurve};
use crate::profile::{LoadLevels, Profile, ProfilePhase, ProfileValue};

/// Levels of load that a profile keeps.
const LEVELS: usize = 12;

/// Cycles of an instruction where none was decoded: what programs in general have without memory.
const CYCLES_UNKNOWN: [f64; 3] = [0.2, 0.5, 1.2];

/// Share of time below which cores that wait for others of the program say nothing.
const OUTSIDE_LEAST: f64 = 1e-3;

/// What a recording does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingAssumptions {
    /// The program, as results call it.
    pub name: String,
    /// The command that made the recording.
    pub made_by: String,
    /// Memory of the profile, as `MODULE@SYSTEM`.
    pub baseline: String,
    /// Mean time of a line from core to core in nanoseconds, without load.
    pub latency_ns: f64,
    /// Where that comes from.
    pub latency_basis: Basis,
    /// Clock of the cores, in Hz.
    pub clock_hz: f64,
    /// Copies of the program that run side by side, each on cores of its own.
    pub copies: u32,
    /// Lines that a core of the baseline may have under way.
    pub misses_per_core: f64,
}

/// Gives the curve of the baseline's memory at a place. One without queues, whose bus alone is known, will do.
pub type BaselineCurve<'a> = dyn Fn(CurvePlace) -> MemoryCurve + 'a;

/// Why a recording makes no profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordingError {
    /// It is of another version.
    #[error("the recording has schema {0}; this version reads schema {expected}", expected = ProgramRecording::SCHEMA)]
    Version(u32),
    /// Nothing ran.
    #[error("the recording has no instructions: a profile needs their count")]
    Empty,
    /// No window was long enough.
    #[error(
        "the program ended after {instructions} instructions, before a window of them could be sampled; \
         give it more work: a profile needs some 500,000 instructions"
    )]
    Short {
        /// Instructions that it executed.
        instructions: u64,
    },
}

/// What the samples say of a program, under one assumption.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    /// Cycles of an instruction without memory.
    compute: f64,
    /// Cycles that a line adds.
    line: f64,
}

impl Rates {
    fn stall_share(self, lines_of_instruction: f64) -> f64 {
        let waiting = self.line * lines_of_instruction;
        waiting / (self.compute + waiting)
    }
}

/// A program's rates on a memory that all its cores share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoadedRates {
    rates: Rates,
    /// Mean time of a read in nanoseconds, over lines.
    latency_ns: f64,
}

/// The baseline as a recording meets it.
struct RecordedMemory {
    curve: MemoryCurve,
    /// Cores of all copies, and of one.
    cores: f64,
    cores_of_copy: f64,
    misses_per_core: f64,
    /// Lines read and written for each that is read.
    lines_of_read: f64,
    /// The latency that rates are of, in nanoseconds.
    latency_ns: f64,
    clock_hz: f64,
    /// Share of the time in which a core runs.
    ran: f64,
}

impl RecordedMemory {
    /// Rates of a program whose lines take as long as the memory takes under its own load: each window of instructions is a
    /// closed loop of its own. Lines under way while a core waits stay as they are, but for the core's misses.
    fn load(&self, recording: &ProgramRecording, rates: Rates) -> LoadedRates {
        let idle = LoadedRates {
            rates,
            latency_ns: self.latency_ns,
        };
        if rates.line <= 0.0 {
            return idle;
        }
        let cycle_ns = 1e9 / self.clock_hz;
        let most = self.cores * self.misses_per_core;
        let parallel = self.latency_ns / (rates.line * cycle_ns) * self.lines_of_read;
        let (mut waited, mut latency, mut all) = (0.0, 0.0, 0.0);
        for (instructions, lines) in windows(recording) {
            let reads = lines / self.cores_of_copy;
            if reads <= 0.0 {
                continue;
            }
            let instructions = instructions * self.ran;
            let compute_ns = instructions * rates.compute * cycle_ns / (reads * self.lines_of_read);
            let under_way = self
                .curve
                .outstanding_of(compute_ns, parallel, self.cores, most);
            let line_ns = match under_way < most {
                true => compute_ns + self.curve.latency_ns(under_way) / parallel,
                false => self.cores / self.curve.rate(under_way),
            };
            waited += lines * (line_ns - compute_ns).max(0.0) * self.lines_of_read / cycle_ns;
            latency += lines * self.curve.read_ns(under_way);
            all += lines;
        }
        if all <= 0.0 {
            return idle;
        }
        LoadedRates {
            rates: Rates {
                line: waited / all,
                ..rates
            },
            latency_ns: latency / all,
        }
    }
}

/// Instructions of the longest thread in each window, and lines that all threads read in it.
fn windows(recording: &ProgramRecording) -> Vec<(f64, f64)> {
    let longest = recording.thread_instructions.iter().max();
    let longest = *longest.unwrap_or(&0);
    let windows = &recording.windows;
    let here = |(at, lines): (usize, &u64)| {
        let begins = at as u64 * windows.instructions;
        let instructions = windows.instructions.min(longest.saturating_sub(begins));
        (instructions as f64, *lines as f64)
    };
    let mut all: Vec<_> = windows.lines.iter().enumerate().map(here).collect();
    all.retain(|(instructions, _)| *instructions > 0.0);
    if all.is_empty() {
        all.push((longest as f64, recording.lines_read as f64));
    }
    all
}

/// Weighted means of samples: cycles with memory and without it, and lines, of an instruction.
fn rates(samples: &[RecordingSample], of: impl Fn(&SampleCycles) -> (u64, u64)) -> Rates {
    let (mut all, mut without, mut lines, mut weights) = (0.0, 0.0, 0.0, 0.0);
    for sample in samples {
        let (with_memory, no_memory) = of(&sample.cycles);
        let each = sample.weight as f64 / sample.instructions as f64;
        all += each * with_memory as f64;
        without += each * no_memory as f64;
        lines += each * sample.lines as f64;
        weights += sample.weight as f64;
    }
    let line = if lines > 0.0 {
        (all - without).max(0.0) / lines
    } else {
        0.0
    };
    Rates {
        compute: without / weights,
        line,
    }
}

/// Twice the standard error of a figure of samples, from how it changes when each tenth of them is left out.
fn twice_error(samples: &[RecordingSample], figure: impl Fn(&[RecordingSample]) -> f64) -> f64 {
    let parts = samples.len().min(10);
    if parts < 2 {
        return 0.0;
    }
    let without = |part: usize| {
        let kept = samples.iter().enumerate();
        let kept = kept.filter(|(at, _)| at * parts / samples.len() != part);
        figure(&kept.map(|(_, sample)| *sample).collect::<Vec<_>>())
    };
    let each: Vec<f64> = (0..parts).map(without).collect();
    let mean = each.iter().sum::<f64>() / parts as f64;
    let spread: f64 = each.iter().map(|one| (one - mean).powi(2)).sum();
    2.0 * (spread * (parts - 1) as f64 / parts as f64).sqrt()
}

/// A value and the ends of its range from others.
fn ranged(value: f64, others: &[f64], error: f64, most: f64, basis: Basis) -> ProfileValue {
    let ends = others.iter().chain([&value]);
    let least = ends.clone().copied().fold(value, f64::min) - error;
    let greatest = ends.copied().fold(value, f64::max) + error;
    ProfileValue::within(value, least.max(0.0), greatest.min(most), basis)
}

impl RecordingAssumptions {
    /// The profile of a recording on a baseline.
    ///
    /// # Errors
    /// When the recording is of another version, or too short.
    pub fn profile(
        &self,
        recording: &ProgramRecording,
        baseline: &BaselineCurve<'_>,
    ) -> Result<Profile, RecordingError> {
        if recording.schema != ProgramRecording::SCHEMA {
            return Err(RecordingError::Version(recording.schema));
        }
        let instructions = recording.instructions();
        if instructions == 0 {
            return Err(RecordingError::Empty);
        }
        if recording.decoded && recording.samples.is_empty() {
            return Err(RecordingError::Short { instructions });
        }
        let phase = self.phase(recording, baseline);
        Ok(Profile {
            schema: Profile::SCHEMA,
            name: self.name.clone(),
            made_by: self.made_by.clone(),
            baseline: self.baseline.clone(),
            cores: self.copies.saturating_mul(cores_of_copy(recording)),
            phases: vec![phase],
        })
    }

    fn phase(&self, recording: &ProgramRecording, baseline: &BaselineCurve<'_>) -> ProfilePhase {
        let instructions = recording.instructions() as f64;
        let copies = f64::from(self.copies);
        let lines = recording.lines_read as f64;
        let each = lines / instructions;
        let longest = recording.thread_instructions.iter().max();
        let longest = *longest.unwrap_or(&0) as f64;
        let simulated = Basis::Simulated;
        let latency = self.latency_ns * 1e-9 * self.clock_hz;
        // A profile's lines are those that are read and those that are written.
        let all = 1.0 + recording.lines_written as f64 / lines.max(1.0);
        let shown = recording.lines_shown;
        let locality = (shown > 0).then(|| recording.lines_followed as f64 / shown as f64);
        let cores_of_copy = f64::from(cores_of_copy(recording));
        let ran = instructions / cores_of_copy / longest.max(1.0);
        let memory = RecordedMemory {
            curve: baseline(CurvePlace {
                write_share: 1.0 - 1.0 / all,
                locality: locality.unwrap_or(0.0),
                imbalance: 1.0,
            }),
            cores: copies * cores_of_copy,
            cores_of_copy,
            misses_per_core: self.misses_per_core,
            lines_of_read: all,
            latency_ns: self.latency_ns,
            clock_hz: self.clock_hz,
            ran,
        };
        let load = |rates| memory.load(recording, rates);
        let (found, stall, outstanding) = match recording.decoded {
            true => Self::of_samples(&recording.samples, each, latency, &load),
            false => of_counts(recording, each, latency, &load),
        };
        let LoadedRates { rates, latency_ns } = found;
        let outstanding = outstanding.map(|of| ProfileValue {
            value: (of.value * all).min(self.misses_per_core),
            range: of
                .range
                .map(|ends| ends.map(|end| (end * all).min(self.misses_per_core))),
            ..of
        });
        let cycle = rates.compute + rates.line * each;
        let seconds = longest * cycle / self.clock_hz;
        // What may be wrong of the share is in the time that is waited; what is computed stays.
        let of_share = |share: f64| seconds * (1.0 - stall.value) / (1.0 - share.min(0.99));
        let [least, greatest] = stall.bounds().map(of_share);
        let count = |value: u64| ProfileValue::exact(value as f64 * copies, simulated);
        ProfilePhase {
            name: "all".to_owned(),
            seconds: ProfileValue::within(
                seconds,
                least.min(seconds),
                greatest.max(seconds),
                simulated,
            ),
            lines_read: count(recording.lines_read),
            lines_written: count(recording.lines_written),
            stall_share: stall,
            instructions: Some(count(recording.instructions())),
            cycles: Some(ProfileValue::exact(
                instructions * cycle * copies,
                simulated,
            )),
            prefetched_share: prefetched(&recording.samples),
            outstanding,
            latency_ns: Some(ProfileValue::exact(latency_ns, self.latency_basis)),
            load: self.load(recording, rates),
            imbalance: None,
            locality: locality.map(|share| ProfileValue::exact(share, simulated)),
            // Threads that are shorter than the longest one wait for it, or have not begun.
            outside_share: (1.0 - ran > OUTSIDE_LEAST)
                .then(|| ProfileValue::exact(1.0 - ran, simulated)),
        }
    }

    /// Rates, share of stalls and lines under way by the core model.
    fn of_samples(
        samples: &[RecordingSample],
        each: f64,
        latency: f64,
        load: &dyn Fn(Rates) -> LoadedRates,
    ) -> (LoadedRates, ProfileValue, Option<ProfileValue>) {
        let usual =
            |samples: &[RecordingSample]| rates(samples, |cycles| (cycles.usual, cycles.no_memory));
        let found = usual(samples);
        let others = [
            rates(samples, |cycles| (cycles.no_prefetch, cycles.no_memory)),
            rates(samples, |cycles| {
                (cycles.foreseen, cycles.foreseen_no_memory)
            }),
        ];
        let loaded = load(found);
        let shares = others.map(|rates| load(rates).rates.stall_share(each));
        let error = twice_error(samples, |some| usual(some).stall_share(each));
        let basis = Basis::Simulated;
        let stall = ranged(loaded.rates.stall_share(each), &shares, error, 1.0, basis);
        let under_way = |rates: Rates| (rates.line > 0.0).then(|| latency / rates.line);
        let outstanding = under_way(found).map(|value| {
            let ends = others.map(|rates| under_way(rates).unwrap_or(value));
            let error = twice_error(samples, |some| under_way(usual(some)).unwrap_or(value));
            let mut of = ranged(value, &ends, error, f64::MAX, basis);
            if let Some([least, _]) = &mut of.range {
                // Fewer than one cannot be under way while a core waits for it, but compute may hide a part of that.
                *least = least.max(0.1_f64.min(value));
            }
            of
        });
        (loaded, stall, outstanding)
    }

    /// Load over time, from lines over instructions.
    fn load(&self, recording: &ProgramRecording, rates: Rates) -> Option<LoadLevels> {
        let cores = f64::from(cores_of_copy(recording));
        let window = |(instructions, lines): (f64, f64)| {
            let cycles = instructions * rates.compute + lines / cores * rates.line;
            (cycles / self.clock_hz, lines)
        };
        let mut each: Vec<(f64, f64)> = windows(recording).into_iter().map(window).collect();
        let time: f64 = each.iter().map(|(seconds, _)| seconds).sum();
        let lines: f64 = each.iter().map(|(_, lines)| lines).sum();
        if each.len() < 2 || lines <= 0.0 || time <= 0.0 {
            return None;
        }
        let mean = lines / time;
        each.sort_by(|one, two| (one.1 / one.0).total_cmp(&(two.1 / two.0)));
        let mut levels: Vec<[f64; 2]> = Vec::new();
        let (mut seconds, mut counted, mut passed) = (0.0, 0.0, 0.0);
        for (at, (length, lines)) in each.iter().enumerate() {
            seconds += length;
            counted += lines;
            let due = time * (levels.len() + 1) as f64 / LEVELS as f64;
            if passed + seconds >= due * (1.0 - 1e-9) || at + 1 == each.len() {
                levels.push([seconds / time, counted / seconds / mean]);
                passed += seconds;
                (seconds, counted) = (0.0, 0.0);
            }
        }
        Some(LoadLevels {
            levels,
            window_s: time / each.len() as f64,
            basis: Basis::Simulated,
        })
    }
}

/// Cores that are enough for the threads of a copy: threads that live one after the other share one.
fn cores_of_copy(recording: &ProgramRecording) -> u32 {
    let longest = recording.thread_instructions.iter().max();
    let longest = *longest.unwrap_or(&0);
    let cores = recording.instructions().div_ceil(longest.max(1));
    u32::try_from(cores).unwrap_or(u32::MAX).max(1)
}

/// Share of lines that the prefetcher had asked for.
fn prefetched(samples: &[RecordingSample]) -> Option<ProfileValue> {
    let each = |of: fn(&RecordingSample) -> u64| -> f64 {
        let weighted = |sample: &RecordingSample| {
            of(sample) as f64 * sample.weight as f64 / sample.instructions as f64
        };
        samples.iter().map(weighted).sum()
    };
    let lines = each(|sample| sample.lines);
    (lines > 0.0).then(|| {
        let share = each(|sample| sample.prefetched) / lines;
        ProfileValue::exact(share.min(1.0), Basis::Simulated)
    })
}

/// What is known without decoded instructions: from one line at a time to as many as the core can have under way.
fn of_counts(
    recording: &ProgramRecording,
    each: f64,
    latency: f64,
    load: &dyn Fn(Rates) -> LoadedRates,
) -> (LoadedRates, ProfileValue, Option<ProfileValue>) {
    let most = f64::from(recording.core.misses_all);
    let [fast, usual, slow] = CYCLES_UNKNOWN;
    let of = |compute: f64, under_way: f64| Rates {
        compute,
        line: latency / under_way,
    };
    let middle = most.sqrt();
    let found = load(of(usual, middle));
    let shares = [of(fast, 1.0), of(slow, most)].map(|rates| load(rates).rates.stall_share(each));
    let basis = Basis::Assumed;
    let stall = ranged(found.rates.stall_share(each), &shares, 0.0, 1.0, basis);
    let outstanding = ProfileValue::within(middle, 1.0, most, basis);
    (found, stall, Some(outstanding))
}
