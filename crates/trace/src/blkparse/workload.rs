//! What was asked for, and when.

use std::collections::VecDeque;
use std::io::BufRead;

use wordline_core::quantity::Time;

use super::event::{BlockAction, BlockEvent, BlockEventKind, DISCARDS, SECTOR_BYTES, WITHOUT_DATA};
use super::{BlockDeviceId, Events};
use crate::{AccessReader, AskedAccess, LogSummary, TraceError};

/// D events that may come before the first Q: requests that were queued before the trace began.
const HELD_MAX: usize = 4096;

/// Which events ask for an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskEvent {
    /// Q, or D when there is no Q before the 4096th D.
    #[default]
    Auto,
    /// Q: what was handed to the block layer, before it merges and splits.
    Queued,
    /// D: what the driver was given.
    Issued,
}

/// The accesses that an output of blkparse asks for, in its order. `at` is counted from the first of them.
///
/// # Errors
/// [`TraceError::Malformed`] when a line is not of blkparse's default output, when there are events of a second
/// device and none was chosen, or when a Q follows 4096 D; [`TraceError::Empty`]; [`TraceError::Unreadable`].
#[derive(Debug)]
pub struct BlkparseWorkload<R> {
    events: Events<R>,
    is_automatic: bool,
    /// The action that asks, once it is decided.
    decided: Option<BlockAction>,
    held: VecDeque<AskedAccess>,
    first: Option<Time>,
}

impl<R: BufRead> BlkparseWorkload<R> {
    /// Reads the output of blkparse from `from`. Of several devices one has to be chosen.
    pub fn new(from: R, asked: AskEvent, device: Option<BlockDeviceId>) -> Self {
        Self {
            events: Events::new(from, device),
            is_automatic: asked == AskEvent::Auto,
            decided: match asked {
                AskEvent::Auto => None,
                AskEvent::Queued => Some(BlockAction::Queued),
                AskEvent::Issued => Some(BlockAction::Issued),
            },
            held: VecDeque::new(),
            first: None,
        }
    }

    fn take(&mut self, event: BlockEvent) -> Result<(), TraceError> {
        if event.action == BlockAction::Queued {
            if self.decided.is_none() {
                self.decided = Some(BlockAction::Queued);
                // The same requests would be counted twice.
                self.held.clear();
                self.first = None;
                self.events.watch.forget_skipped(DISCARDS);
                self.events.watch.forget_skipped(WITHOUT_DATA);
            } else if self.is_automatic && self.decided == Some(BlockAction::Issued) {
                return Err(TraceError::Malformed {
                    line: event.line,
                    problem: format!(
                        "a Q behind {HELD_MAX} D and no Q: which of them ask for accesses is not clear; choose Q or D"
                    ),
                });
            }
        }
        if event.action != self.decided.unwrap_or(BlockAction::Issued) {
            return Ok(());
        }
        match event.kind {
            BlockEventKind::Discard => self.events.watch.skipped(DISCARDS, event.line),
            BlockEventKind::NoData => self.events.watch.skipped(WITHOUT_DATA, event.line),
            BlockEventKind::Data {
                operation,
                sector,
                sectors,
            } => {
                let first = *self.first.get_or_insert(event.time);
                self.held.push_back(AskedAccess {
                    operation,
                    bytes: sectors * SECTOR_BYTES,
                    offset: sector * SECTOR_BYTES,
                    at: Some(event.time.since(first)),
                    line: event.line,
                });
                if self.decided.is_none() && self.held.len() >= HELD_MAX {
                    self.decided = Some(BlockAction::Issued);
                }
            }
        }
        Ok(())
    }
}

impl<R: BufRead> AccessReader for BlkparseWorkload<R> {
    type Access = AskedAccess;

    fn advance(&mut self) -> Result<Option<AskedAccess>, TraceError> {
        loop {
            if self.decided.is_some()
                && let Some(access) = self.held.pop_front()
            {
                self.events.watch.accesses += 1;
                return Ok(Some(access));
            }
            let Some(event) = self.events.next()? else {
                if self.decided.is_none() {
                    self.decided = Some(BlockAction::Issued);
                    continue;
                }
                return self.events.watch.end();
            };
            self.take(event)?;
        }
    }

    fn summary(&self) -> LogSummary {
        self.events.summary(match self.decided {
            Some(BlockAction::Queued) => "Q events",
            _ => "D events",
        })
    }
}
