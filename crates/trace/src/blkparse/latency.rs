//! How long accesses took: a beginning and its completion, matched.

use std::collections::{BTreeMap, VecDeque};
use std::io::BufRead;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use super::event::{BlockAction, BlockEvent, BlockEventKind, DISCARDS, SECTOR_BYTES, WITHOUT_DATA};
use super::{BlockDeviceId, Events};
use crate::watch::OddityCount;
use crate::{AccessReader, LogSummary, LoggedAccess, Oddity, TraceError};

/// Accesses that may be under way at once; an older one has lost its completion.
const PENDING_MAX: usize = 65_536;

/// From where to where a latency is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencySpan {
    /// From D to C: the driver and the device. A C belongs to the oldest D of its sector and size.
    #[default]
    IssuedToCompleted,
    /// From Q to C: the queue as well. A C ends every Q inside its sectors, because requests are merged.
    QueuedToCompleted,
}

/// The accesses of an output of blkparse, in the order of their completions.
///
/// # Errors
/// [`TraceError::Malformed`] when a line is not of blkparse's default output, or when there are events of a
/// second device and none was chosen; [`TraceError::Useless`] when no C belongs to any beginning;
/// [`TraceError::Empty`]; [`TraceError::Unreadable`].
#[derive(Debug)]
pub struct BlkparseLatencies<R> {
    events: Events<R>,
    span: LatencySpan,
    /// Under way, by direction, sector and order of beginning.
    pending: BTreeMap<(bool, u64, u64), PendingRequest>,
    /// The same in the order of beginning, to find the oldest.
    order: BTreeMap<u64, (bool, u64, u64)>,
    begun: u64,
    ready: VecDeque<LoggedAccess>,
    unfinished: OddityCount,
    unbegun: OddityCount,
}

#[derive(Clone, Copy, Debug)]
struct PendingRequest {
    sectors: u64,
    time: Time,
    line: u64,
}

impl<R: BufRead> BlkparseLatencies<R> {
    /// Reads the output of blkparse from `from`. Of several devices one has to be chosen.
    pub fn new(from: R, span: LatencySpan, device: Option<BlockDeviceId>) -> Self {
        Self {
            events: Events::new(from, device),
            span,
            pending: BTreeMap::new(),
            order: BTreeMap::new(),
            begun: 0,
            ready: VecDeque::new(),
            unfinished: OddityCount::default(),
            unbegun: OddityCount::default(),
        }
    }

    fn take(&mut self, event: BlockEvent) {
        let beginning = match self.span {
            LatencySpan::IssuedToCompleted => BlockAction::Issued,
            LatencySpan::QueuedToCompleted => BlockAction::Queued,
        };
        if event.is_flush && event.action == beginning {
            self.events.watch.flushes += 1;
        }
        let (operation, sector, sectors) = match event.kind {
            BlockEventKind::Data {
                operation,
                sector,
                sectors,
            } => (operation, sector, sectors),
            BlockEventKind::Discard if event.action == beginning => {
                return self.events.watch.skipped(DISCARDS, event.line);
            }
            BlockEventKind::NoData if event.action == beginning => {
                return self.events.watch.skipped(WITHOUT_DATA, event.line);
            }
            BlockEventKind::Discard | BlockEventKind::NoData => return,
        };
        let is_write = operation == Operation::Write;
        match event.action {
            action if action == beginning => self.begin(is_write, sector, sectors, event),
            // It goes back to the queue, and another D follows.
            BlockAction::Requeued if beginning == BlockAction::Issued => {
                self.exact(is_write, sector, sectors);
            }
            BlockAction::Completed { failed } => {
                let ended = self.ended(is_write, sector, sectors);
                if ended.is_empty() {
                    self.unbegun.add(event.line);
                }
                for (start, begun) in ended {
                    if failed {
                        self.events.watch.skipped("failed accesses", event.line);
                    } else {
                        self.ready.push_back(LoggedAccess {
                            operation,
                            duration: event.time.since(begun.time),
                            bytes: begun.sectors * SECTOR_BYTES,
                            offset: Some(start * SECTOR_BYTES),
                            end: Some(event.time),
                            line: event.line,
                        });
                    }
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, is_write: bool, sector: u64, sectors: u64, event: BlockEvent) {
        let key = (is_write, sector, self.begun);
        let BlockEvent { time, line, .. } = event;
        self.pending.insert(
            key,
            PendingRequest {
                sectors,
                time,
                line,
            },
        );
        self.order.insert(self.begun, key);
        self.begun += 1;
        if self.order.len() > PENDING_MAX
            && let Some((_, key)) = self.order.pop_first()
            && let Some(oldest) = self.pending.remove(&key)
        {
            self.unfinished.add(oldest.line);
        }
    }

    /// Takes what a completion of these sectors ends.
    fn ended(&mut self, is_write: bool, sector: u64, sectors: u64) -> Vec<(u64, PendingRequest)> {
        if self.span == LatencySpan::IssuedToCompleted {
            let begun = self.exact(is_write, sector, sectors);
            return begun.map(|begun| (sector, begun)).into_iter().collect();
        }
        let end = sector + sectors;
        let inside = self
            .pending
            .range((is_write, sector, 0)..(is_write, end, 0))
            .filter(|((_, start, _), begun)| start + begun.sectors <= end);
        let mut keys: Vec<_> = inside.map(|(&key, _)| key).collect();
        keys.sort_unstable_by_key(|&(_, _, begun)| begun);
        keys.into_iter()
            .filter_map(|key| Some((key.1, self.remove(key)?)))
            .collect()
    }

    /// Takes the oldest that is under way of exactly these sectors.
    fn exact(&mut self, is_write: bool, sector: u64, sectors: u64) -> Option<PendingRequest> {
        let same = (is_write, sector, 0)..=(is_write, sector, u64::MAX);
        let (&key, _) = self
            .pending
            .range(same)
            .find(|(_, begun)| begun.sectors == sectors)?;
        self.remove(key)
    }

    fn remove(&mut self, key: (bool, u64, u64)) -> Option<PendingRequest> {
        self.order.remove(&key.2);
        self.pending.remove(&key)
    }

    fn finish(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        for begun in std::mem::take(&mut self.pending).into_values() {
            self.unfinished.add(begun.line);
        }
        self.order.clear();
        let OddityCount { line, count } = if self.unfinished.count > 0 {
            self.unfinished
        } else {
            self.unbegun
        };
        if self.events.watch.accesses > 0 || count == 0 {
            return self.events.watch.end();
        }
        let (from, found) = match self.span {
            LatencySpan::IssuedToCompleted => ("D", "issued"),
            LatencySpan::QueuedToCompleted => ("Q", "queued"),
        };
        Err(TraceError::Useless {
            line,
            problem: format!(
                "{} accesses were {found} ({from}) and {} completed (C), and none of them belong together by sector \
                 and size; trace both with blktrace -a issue -a complete or without -a",
                self.unfinished.count, self.unbegun.count
            ),
        })
    }
}

impl<R: BufRead> AccessReader for BlkparseLatencies<R> {
    type Access = LoggedAccess;

    fn advance(&mut self) -> Result<Option<LoggedAccess>, TraceError> {
        loop {
            if let Some(access) = self.ready.pop_front() {
                self.events.watch.accesses += 1;
                return Ok(Some(access));
            }
            let Some(event) = self.events.next()? else {
                return self.finish();
            };
            self.take(event);
        }
    }

    fn summary(&self) -> LogSummary {
        let (span, unfinished, unbegun) = match self.span {
            LatencySpan::IssuedToCompleted => ("D to C", "D without their C", "C without their D"),
            LatencySpan::QueuedToCompleted => ("Q to C", "Q without their C", "C without their Q"),
        };
        let mut summary = self.events.summary(span);
        for (seen, what) in [(self.unfinished, unfinished), (self.unbegun, unbegun)] {
            let unmatched = seen.told(|line, count| Oddity::Unmatched { line, count, what });
            summary.oddities.extend(unmatched);
        }
        summary
    }
}
