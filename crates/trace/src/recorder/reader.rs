//! Frames joined into accesses.

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind};

use wordline_core::Operation;
use wordline_core::quantity::{Frequency, Time};

use super::frame::{Frame, FrameHeader, LONGEST_FRAME, VERSION, decode};
use crate::watch::{OddityCount, OddityWatch};
use crate::{AccessReader, LogSummary, LoggedAccess, Oddity, TraceError};

/// Accesses that may wait for a header.
const WAITING_MAX: usize = 4096;

/// The counter of the recorder, as a header states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counter {
    /// How often it counts.
    frequency: Frequency,
    /// Its width in bits.
    bits: u8,
}

/// The accesses of a capture, in the order in which they ended.
///
/// Bytes between frames that are no frame are skipped, and records that were lost are counted: the
/// [`summary`](Self::summary) counts both. An access has no end when a gap came before it and no header
/// after it.
///
/// # Errors
/// [`TraceError::Unknown`] when no header comes, or one of another version; [`TraceError::Malformed`] when an
/// access lasted more than 213 days; [`TraceError::Empty`] when there is no access; [`TraceError::Unreadable`].
#[derive(Debug)]
pub struct RecorderReader<R> {
    from: R,
    chunk: Vec<u8>,
    chunk_is_too_long: bool,
    /// Frames that count, from 1, as far as they were read.
    record: u64,
    counter: Option<Counter>,
    /// Number of the next frame; only its low byte is known before the first header.
    next: Option<u32>,
    /// What `next` was before the first frame that counts.
    first: Option<u32>,
    /// Whether frames did not arrive since the last access or header.
    is_behind_gap: bool,
    /// End of the last access in cycles, where it is known.
    end: Option<u64>,
    /// Records reported lost, up to the last header or frame that reports them.
    lost_told: Option<u32>,
    waiting: Vec<OpenAccess>,
    ready: VecDeque<Result<LoggedAccess, TraceError>>,
    seen: RecorderOddities,
    is_over: bool,
}

/// An access whose end is not known yet.
#[derive(Clone, Copy, Debug)]
struct OpenAccess {
    line: u64,
    /// Whether frames before it did not arrive, so that nothing can be counted back beyond it.
    is_behind_gap: bool,
    is_write: bool,
    delta: u64,
    duration: u64,
    bytes: u64,
    offset: Option<u64>,
}

/// What is odd about captures alone, beside what is odd about any log.
#[derive(Debug, Default)]
struct RecorderOddities {
    watch: OddityWatch,
    lost: OddityCount,
    restarted: OddityCount,
    gap: OddityCount,
    before: u64,
}

const WITHOUT_HEADER: &str = "records without a header";
const NOISE: &str = "bytes outside frames";

impl<R: BufRead> RecorderReader<R> {
    /// Reads a capture from `from`, which may begin and end anywhere.
    pub fn new(from: R) -> Self {
        Self {
            from,
            chunk: Vec::with_capacity(LONGEST_FRAME),
            chunk_is_too_long: false,
            record: 0,
            counter: None,
            next: None,
            first: None,
            is_behind_gap: false,
            end: None,
            lost_told: None,
            waiting: Vec::new(),
            ready: VecDeque::new(),
            seen: RecorderOddities::default(),
            is_over: false,
        }
    }

    /// Reads up to the next delimiter, or the end.
    fn step(&mut self) -> Result<(), TraceError> {
        let available = match self.from.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            Err(source) => {
                let line = self.record + 1;
                return Err(TraceError::Unreadable { line, source });
            }
        };
        if available.is_empty() {
            return self.finish();
        }
        let zero = available.iter().position(|&byte| byte == 0);
        let taken = &available[..zero.unwrap_or(available.len())];
        let room = LONGEST_FRAME - self.chunk.len();
        if taken.len() > room {
            // What is no frame is counted as it comes, and not kept.
            let surplus = self.chunk.len() + taken.len();
            self.seen
                .watch
                .skipped_many(NOISE, self.record + 1, surplus as u64);
            self.chunk.clear();
            self.chunk_is_too_long = true;
        } else if self.chunk_is_too_long {
            self.seen
                .watch
                .skipped_many(NOISE, self.record + 1, taken.len() as u64);
        } else {
            self.chunk.extend_from_slice(taken);
        }
        let consumed = taken.len() + usize::from(zero.is_some());
        self.from.consume(consumed);
        if zero.is_some() {
            self.delimited()?;
        }
        Ok(())
    }

    /// A delimiter stands behind the chunk.
    fn delimited(&mut self) -> Result<(), TraceError> {
        if !self.chunk_is_too_long && !self.chunk.is_empty() {
            match decode(&self.chunk) {
                Some(frame) => self.frame(frame)?,
                None => {
                    self.seen
                        .watch
                        .skipped_many(NOISE, self.record + 1, self.chunk.len() as u64)
                }
            }
        }
        self.chunk.clear();
        self.chunk_is_too_long = false;
        Ok(())
    }

    fn frame(&mut self, frame: Frame) -> Result<(), TraceError> {
        match frame {
            Frame::Header(header) => self.header(header),
            Frame::OtherVersion(found) => {
                return Err(TraceError::Unknown {
                    line: self.record + 1,
                    problem: format!(
                        "the header is of version {found} of the recorder's format; version {VERSION} is read"
                    ),
                });
            }
            Frame::Access {
                sequence,
                is_write,
                delta,
                duration,
                bytes,
                offset,
            } => {
                self.counted(sequence);
                let access = OpenAccess {
                    line: self.record,
                    is_behind_gap: std::mem::take(&mut self.is_behind_gap),
                    is_write,
                    delta,
                    duration,
                    bytes,
                    offset,
                };
                self.end = self.end.and_then(|end| end.checked_add(delta));
                match (self.counter, self.end) {
                    (Some(counter), Some(end)) => self.tell(access, counter, Some(end)),
                    _ => self.wait(access)?,
                }
            }
            Frame::Lost { sequence, count } => {
                self.counted(sequence);
                self.seen.lost.add_many(self.record, count);
                self.lost_told = self.lost_told.map(|told| told.wrapping_add(count as u32));
            }
            Frame::Gap { sequence, wraps } => {
                self.counted(sequence);
                self.seen.gap.add_many(self.record, wraps);
            }
        }
        Ok(())
    }

    /// A frame that counts has arrived: those between it and the one before have not.
    fn counted(&mut self, sequence: u8) {
        self.record += 1;
        let next = self.next.unwrap_or(u32::from(sequence));
        self.first.get_or_insert(next);
        let missing = sequence.wrapping_sub(next as u8);
        if missing > 0 {
            self.seen.lost.add_many(self.record, u64::from(missing));
            self.end = None;
            // The next header can say nothing of what came before the gap.
            self.tell_waiting(None);
        }
        self.next = Some(next.wrapping_add(u32::from(missing)).wrapping_add(1));
        self.is_behind_gap |= missing > 0;
    }

    fn header(&mut self, header: FrameHeader) {
        let line = self.record + 1;
        let is_known = self.counter.is_some();
        let next = self.next.unwrap_or(header.sequence);
        let missing = if is_known {
            header.sequence.wrapping_sub(next)
        } else {
            // Before the first header only the low byte of the number is known.
            u32::from((header.sequence as u8).wrapping_sub(next as u8))
        };
        let went_back = is_known && missing > u32::MAX / 2;
        if (header.is_first && self.record > 0) || went_back {
            self.seen.restarted.add_many(line, 1);
            self.tell_waiting(None);
            let dropped = self.waiting.len() as u64;
            self.seen.watch.skipped_many(WITHOUT_HEADER, line, dropped);
            self.waiting.clear();
            self.lost_told = None;
        } else {
            self.counter = Some(counter_of(header));
            self.seen.lost.add_many(line, u64::from(missing));
            if let Some(told) = self.lost_told {
                let untold = header.lost.wrapping_sub(told);
                self.seen.lost.add_many(line, u64::from(untold));
            }
            self.tell_waiting((missing == 0).then_some(header.end));
        }
        if !is_known {
            let since = self.first.map_or(0, |first| next.wrapping_sub(first));
            self.seen.before = u64::from(
                header
                    .sequence
                    .saturating_sub(since.saturating_add(missing)),
            );
        }
        self.counter = Some(counter_of(header));
        self.next = Some(header.sequence);
        self.end = Some(header.end);
        self.is_behind_gap = false;
        self.lost_told = Some(header.lost);
    }

    fn wait(&mut self, access: OpenAccess) -> Result<(), TraceError> {
        self.waiting.push(access);
        if self.waiting.len() < WAITING_MAX {
            return Ok(());
        }
        if self.counter.is_none() {
            return Err(self.no_header());
        }
        self.tell_waiting(None);
        Ok(())
    }

    /// Reports the accesses that wait, the last of which ended at `last` in cycles. They go on waiting when no
    /// header has come yet.
    fn tell_waiting(&mut self, last: Option<u64>) {
        let Some(counter) = self.counter else {
            return;
        };
        let waiting = std::mem::take(&mut self.waiting);
        let mut end = last;
        let mut ends: Vec<Option<u64>> = Vec::with_capacity(waiting.len());
        for access in waiting.iter().rev() {
            ends.push(end);
            let before = end.and_then(|end| end.checked_sub(access.delta));
            end = before.filter(|_| !access.is_behind_gap);
        }
        for (access, end) in waiting.into_iter().zip(ends.into_iter().rev()) {
            self.tell(access, counter, end);
        }
    }

    fn tell(&mut self, access: OpenAccess, counter: Counter, end: Option<u64>) {
        let OpenAccess { line, duration, .. } = access;
        let time = |cycles| {
            Some(counter.frequency.duration_of(cycles)).filter(|time| time.ps() < u64::MAX)
        };
        self.ready.push_back(match time(duration) {
            Some(duration) => Ok(LoggedAccess {
                operation: if access.is_write {
                    Operation::Write
                } else {
                    Operation::Read
                },
                duration,
                bytes: access.bytes,
                offset: access.offset,
                end: end.and_then(time),
                line,
            }),
            None => Err(TraceError::Malformed {
                line,
                problem: format!(
                    "the access lasted {duration} cycles of {}; allowed are up to 213 days",
                    counter.frequency
                ),
            }),
        });
        self.seen.watch.accesses += 1;
    }

    fn no_header(&self) -> TraceError {
        TraceError::Unknown {
            line: self.record + 1,
            problem: format!(
                "no header in {} records: without it nobody knows how fast the counter counts. One comes when the \
                 recorder starts and every 64 frames; let the capture run longer, or call wlr_announce",
                self.record
            ),
        }
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.is_over = true;
        if !self.chunk.is_empty() {
            // All of a frame may have come but its delimiter.
            if decode(&self.chunk).is_none() && self.chunk.iter().any(|&byte| !is_text(byte)) {
                self.seen.watch.truncated(self.record + 1);
                self.chunk.clear();
            }
            self.delimited()?;
        }
        if self.counter.is_none() {
            return Err(self.no_header());
        }
        self.tell_waiting(None);
        Ok(())
    }
}

fn counter_of(header: FrameHeader) -> Counter {
    Counter {
        frequency: Frequency::from_hz(u64::from(header.hz)),
        bits: header.bits,
    }
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

impl<R: BufRead> AccessReader for RecorderReader<R> {
    type Access = LoggedAccess;

    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        loop {
            if let Some(access) = self.ready.pop_front() {
                return access.map(Some);
            }
            if self.is_over {
                return self.seen.watch.end();
            }
            if let Err(error) = self.step() {
                // What was read before the error comes first.
                self.ready.push_back(Err(error));
            }
        }
    }

    /// The resolution is one cycle of the counter. [`Oddity::Lost`] has the records that a full ring lost and
    /// those whose frames did not arrive; a frame that reported a loss and did not arrive counts as one more.
    fn summary(&self) -> LogSummary {
        let format = self.counter.map_or_else(
            || "firmware recorder".to_owned(),
            |Counter { frequency, bits }| {
                format!("firmware recorder, counter of {bits} bits at {frequency}")
            },
        );
        let cycle = self.counter.map(|counter| counter.frequency.duration_of(1));
        let resolution = cycle.map(|cycle| cycle.later(Time::from_ps(1)));
        let mut summary = self.seen.watch.summary(format, resolution);
        let count = self.seen.before;
        let RecorderOddities {
            lost,
            restarted,
            gap,
            ..
        } = self.seen;
        let oddities = [
            (count > 0).then_some(Oddity::StartsLate { count }),
            lost.told(|line, count| Oddity::Lost { line, count }),
            gap.told(|line, wraps| Oddity::ClockGap { line, wraps }),
            restarted.told(|line, count| Oddity::Restarted { line, count }),
        ];
        summary.oddities.extend(oddities.into_iter().flatten());
        summary
    }
}
