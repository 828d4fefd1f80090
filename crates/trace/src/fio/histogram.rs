//! fio's histograms over time (`write_hist_log`): each line holds time in ms, direction, block size of the access
//! that closed the window, and how many accesses fell into each bin since the line before. The windows are added
//! up.

use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use super::STEP;
use super::bins::{GROUP, edges};
use crate::lines::{LineReader, shown};
use crate::log::DurationCounts;
use crate::number::whole;
use crate::watch::OddityWatch;
use crate::{CountedDurations, TraceError};

/// Columns in front of the bins: time, direction, block size.
const FRONT: usize = 3;

/// Times that the bins are halved at most: `log_hist_coarseness`.
const MOST_HALVINGS: u32 = 6;

/// Groups of 64 bins, their unit, and who wrote them.
const GROUPS: [(usize, u64, &str); 2] = [(29, 1_000, "fio 3"), (19, 1_000_000, "fio 2")];

/// How the bins of a log are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BinLayout {
    bins: usize,
    /// Bins of fio that were added up in one.
    joined: usize,
    unit_ps: u64,
    writer: &'static str,
}

impl BinLayout {
    /// All that fio writes.
    fn all() -> impl Iterator<Item = Self> {
        GROUPS.into_iter().flat_map(|(groups, unit_ps, writer)| {
            (0..=MOST_HALVINGS).map(move |halvings| Self {
                bins: (groups * GROUP) >> halvings,
                joined: 1 << halvings,
                unit_ps,
                writer,
            })
        })
    }

    fn of(bins: usize) -> Option<Self> {
        Self::all().find(|cut| cut.bins == bins)
    }

    fn duration(&self, bin: usize) -> (Time, Time) {
        let ps = |value: u64| Time::from_ps(value.saturating_mul(self.unit_ps));
        let (least, _) = edges(bin * self.joined);
        let (_, most) = edges((bin + 1) * self.joined - 1);
        let is_last = bin + 1 == self.bins;
        (
            ps(least),
            if is_last {
                Time::from_ps(u64::MAX)
            } else {
                ps(most)
            },
        )
    }
}

/// What one direction has.
#[derive(Clone, Default)]
struct DirectionCounts {
    counts: Vec<u64>,
    /// The block size of all lines, or that they differ.
    bytes: Option<Result<u64, ()>>,
    clock: Windows,
}

/// Times at which windows ended, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Windows {
    first: Option<u64>,
    last: u64,
    /// The shortest time from one line to the next.
    shortest: Option<u64>,
}

/// A first line beyond this many milliseconds, three years, was counted from an epoch and not from the
/// start of the job.
const EPOCH: u64 = 100_000_000_000;

impl Windows {
    fn line(&mut self, time: u64) {
        if self.first.is_none() {
            self.first = Some(time);
        } else if let Some(window) = time.checked_sub(self.last).filter(|window| *window > 0) {
            let shortest = self.shortest.unwrap_or(window);
            self.shortest = Some(shortest.min(window));
        }
        self.last = self.last.max(time);
    }

    /// From the beginning of the first window, which is as long as the others, to the end of the last.
    fn elapsed(&self) -> Option<Time> {
        let first = self.first?;
        let window = match self.shortest {
            Some(window) if first < EPOCH => window.min(first),
            Some(window) => window,
            None if first < EPOCH => first,
            None => return None,
        };
        let elapsed = (self.last - first).checked_add(window)?;
        let elapsed = elapsed.checked_mul(STEP.ps()).map(Time::from_ps);
        elapsed.filter(|elapsed| *elapsed > Time::ZERO)
    }
}

/// Reads the whole log.
pub(crate) fn read<R: BufRead>(mut lines: LineReader<R>) -> Result<DurationCounts, TraceError> {
    let mut watch = OddityWatch::default();
    let mut cut = None;
    let mut tallies = [DirectionCounts::default(), DirectionCounts::default()];
    while let Some(line) = lines.next_told()? {
        if !line.ended {
            watch.truncated(line.number);
            break;
        }
        let number = line.number;
        let columns = line.text.split(|byte| *byte == b',').count();
        let cut = match cut {
            None => *cut.insert(cut_of(number, columns)?),
            Some(cut) => cut,
        };
        if columns != cut.bins + FRONT {
            return Err(malformed(
                number,
                format!(
                    "{columns} columns, where the lines before have {}",
                    cut.bins + FRONT
                ),
            ));
        }
        let mut fields = line
            .text
            .split(|byte| *byte == b',')
            .enumerate()
            .map(|(at, text)| {
                let text = text.trim_ascii();
                whole(text).map_err(|fault| {
                    let found = shown(text);
                    let problem = format!(
                        "column {} is {found}: {}; a whole number belongs there",
                        at + 1,
                        fault.words()
                    );
                    malformed(number, problem)
                })
            });
        let mut next = || fields.next().unwrap_or(Ok(0));
        let (time, direction, bytes) = (next()?, next()?, next()?);
        let mut left_out = DirectionCounts::default();
        let tally = match direction {
            0 | 1 => &mut tallies[direction as usize],
            2 => {
                watch.skipped("windows of trims", number);
                &mut left_out
            }
            other => {
                let problem =
                    format!("direction {other}; there are 0 (read), 1 (write) and 2 (trim)");
                return Err(malformed(number, problem));
            }
        };
        tally.clock.line(time);
        tally.counts.resize(cut.bins, 0);
        for count in &mut tally.counts {
            let sum = count.checked_add(next()?);
            *count = sum.ok_or_else(|| malformed(number, "the counts overflow".to_owned()))?;
        }
        tally.bytes = match tally.bytes {
            None => Some(Ok(bytes)),
            Some(Ok(before)) if before == bytes => Some(Ok(bytes)),
            Some(_) => Some(Err(())),
        };
    }
    let Some(cut) = cut else {
        return Err(TraceError::Empty);
    };
    let durations = durations(&cut, &tallies);
    if durations.is_empty() {
        return Err(TraceError::Empty);
    }
    let format = format!("{} histogram log, {} bins", cut.writer, cut.bins);
    let elapsed = tallies.iter().map(|tally| tally.clock.elapsed());
    Ok(DurationCounts {
        durations,
        elapsed: elapsed.max().flatten(),
        summary: watch.summary(format, Some(STEP)),
    })
}

fn durations(cut: &BinLayout, tallies: &[DirectionCounts; 2]) -> Vec<CountedDurations> {
    let operations = [Operation::Read, Operation::Write];
    let mut all = Vec::new();
    for (operation, tally) in operations.into_iter().zip(tallies) {
        for (bin, count) in tally.counts.iter().enumerate() {
            if *count > 0 {
                let (least, most) = cut.duration(bin);
                all.push(CountedDurations {
                    operation,
                    bytes: tally.bytes.and_then(Result::ok).filter(|bytes| *bytes > 0),
                    least,
                    most,
                    count: *count,
                });
            }
        }
    }
    all
}

fn cut_of(line: u64, columns: usize) -> Result<BinLayout, TraceError> {
    columns.checked_sub(FRONT).and_then(BinLayout::of).ok_or_else(|| {
        let mut allowed: Vec<String> = BinLayout::all().map(|cut| cut.bins.to_string()).collect();
        allowed.dedup();
        malformed(
            line,
            format!(
                "{columns} columns, which are {FRONT} and {} bins; fio 3 writes 1856 bins and fio 2 1216, both \
                 halved up to six times by log_hist_coarseness: {}",
                columns.saturating_sub(FRONT),
                allowed.join(", ")
            ),
        )
    })
}

fn malformed(line: u64, problem: String) -> TraceError {
    TraceError::Malformed { line, problem }
}

/// Whether a line could be one of a histogram log: more numbers than a log of accesses has columns.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    let mut columns = 0;
    line.split(|byte| *byte == b',').all(|text| {
        columns += 1;
        whole(text.trim_ascii()).is_ok()
    }) && columns > super::layout::MOST_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Result<DurationCounts, TraceError> {
        read(LineReader::new(text.as_bytes()))
    }

    fn line(front: &str, bins: usize, filled: &[(usize, u64)]) -> String {
        let mut counts = vec![0; bins];
        for (bin, count) in filled {
            counts[*bin] = *count;
        }
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        format!("{front}, {}\n", counts.join(", "))
    }

    #[test]
    fn windows_are_added_up() {
        let text = line("1000, 1, 4096", 1856, &[(100, 2), (128, 1)])
            + &line("2000, 1, 4096", 1856, &[(100, 3), (1855, 1)])
            + &line("2000, 0, 512", 1856, &[(0, 1)]);
        let counted = counted(&text).expect("sound");
        let told: Vec<_> = counted
            .durations
            .iter()
            .map(|each| {
                (
                    each.operation,
                    each.bytes,
                    each.least.ps(),
                    each.most.ps(),
                    each.count,
                )
            })
            .collect();
        let last = 127_u64 << 27;
        assert_eq!(
            told,
            [
                (Operation::Read, Some(512), 0, 0, 1),
                (Operation::Write, Some(4096), 100_000, 100_000, 5),
                (Operation::Write, Some(4096), 128_000, 129_000, 1),
                (Operation::Write, Some(4096), last * 1_000, u64::MAX, 1),
            ]
        );
        assert_eq!(counted.summary.format, "fio 3 histogram log, 1856 bins");
    }

    #[test]
    fn the_time_that_passed_is_that_of_the_windows() {
        let elapsed = |times: &[u64]| {
            let lines = times.iter().map(|time| {
                let front = format!("{time}, 1, 4096");
                line(&front, 29, &[(3, 1)])
            });
            let text: String = lines.collect();
            counted(&text)
                .expect("sound")
                .elapsed
                .map(|time| time.ps() / STEP.ps())
        };
        assert_eq!(elapsed(&[1000, 2000, 3001]), Some(3001));
        assert_eq!(elapsed(&[1003]), Some(1003));
        // Behind a ramp of 10 s, and with times since 1970.
        assert_eq!(elapsed(&[11_000, 12_000, 13_000]), Some(3000));
        let epoch = 1_795_163_993_000;
        assert_eq!(elapsed(&[epoch, epoch + 500, epoch + 1000]), Some(1500));
        assert_eq!(elapsed(&[epoch]), None);
        assert_eq!(elapsed(&[0]), None);
    }

    #[test]
    fn coarse_bins_span_those_they_were_made_of() {
        let counted = counted(&line("7, 0, 4096", 304, &[(40, 9)])).expect("sound");
        let bin = counted.durations[0];
        // Bins 160 to 163 of fio 2: group 2, in steps of 2 us.
        assert_eq!((bin.least.ps(), bin.most.ps()), (192_000_000, 199_000_000));
        assert_eq!(counted.summary.format, "fio 2 histogram log, 304 bins");
    }

    #[test]
    fn other_numbers_of_bins_are_refused_with_those_allowed() {
        let error = counted(&line("7, 0, 4096", 100, &[]))
            .expect_err("refused")
            .to_string();
        assert!(error.starts_with("line 1: 103 columns"), "{error}");
        for allowed in ["1856", "29", "1216", "19"] {
            assert!(error.contains(allowed), "{error}");
        }
        let mixed = line("7, 0, 4096", 116, &[]) + &line("8, 0, 4096", 58, &[]);
        let error = counted(&mixed).expect_err("refused").to_string();
        assert!(error.starts_with("line 2: 61 columns, where the lines before have 119"));
    }

    #[test]
    fn a_log_of_nothing_is_empty() {
        assert!(matches!(counted(""), Err(TraceError::Empty)));
        assert!(matches!(
            counted(&line("7, 2, 4096", 29, &[(0, 1)])),
            Err(TraceError::Empty)
        ));
    }
}
