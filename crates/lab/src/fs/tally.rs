//! What the calls of one operation add up to.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::Time;
use wordline_nvm::TranslationReport;
use wordline_nvm::power::Residence;

use super::meter::Heard;
use super::part::Medium;
use crate::backlog::{BacklogError, Rate, StartUp};
use crate::buffer::analysis::{Analysis, Findings};

/// Latencies, bytes and device operations of the calls of one operation.
pub(super) struct Tally {
    pub(super) latency: LatencyHistogram,
    /// Bytes that the caller moved.
    pub(super) bytes: u64,
    pub(super) elapsed: Time,
    pub(super) all: Heard,
    /// The slowest call; of equally slow ones the first.
    pub(super) worst: Heard,
    /// The RAM that its durations ask for, of an operation that stores.
    buffer: Option<Analysis>,
    begun: Accounts,
    /// Set at the end.
    pub(super) ended: Option<Ended>,
}

/// What the accounts of a memory say at an instant.
struct Accounts {
    residence: Residence,
    translation: Option<TranslationReport>,
}

/// What is known when the last call has ended.
pub(super) struct Ended {
    /// Time in each power state.
    pub(super) spent: Residence,
    /// Cycles of each unit that was worn.
    pub(super) cycles: Vec<u64>,
    /// What a translation layer within the memory did: before and after.
    pub(super) translation: Option<(TranslationReport, TranslationReport)>,
    pub(super) findings: Option<Findings>,
}

impl Tally {
    /// Begins now. `rates` are those whose RAM is asked for, of an operation that stores.
    pub(super) fn begin(medium: &Medium, rates: Option<&[Rate]>) -> Result<Self, BacklogError> {
        let start = StartUp {
            time: Time::ZERO,
            ..StartUp::default()
        };
        let mut meter = medium.meter.borrow();
        meter.take_call();
        meter.take_cycles();
        drop(meter);
        Ok(Self {
            latency: LatencyHistogram::new(),
            bytes: 0,
            elapsed: Time::ZERO,
            all: Heard::default(),
            worst: Heard::default(),
            buffer: rates.map(|rates| Analysis::new(start, rates)).transpose()?,
            begun: Accounts::of(medium),
            ended: None,
        })
    }

    /// Adds a call that took some time and moved some bytes.
    pub(super) fn add(
        &mut self,
        took: Time,
        bytes: u64,
        heard: &Heard,
    ) -> Result<(), BacklogError> {
        debug_assert_eq!(took, heard.cost.total(), "only the memory takes time");
        if self.latency.max().is_none_or(|max| took > max) {
            self.worst = *heard;
        }
        self.latency.record(took);
        self.bytes += bytes;
        self.elapsed = self
            .elapsed
            .checked_plus(took)
            .ok_or(BacklogError::TooMuch)?;
        self.all.add_all(heard);
        match &mut self.buffer {
            Some(buffer) if bytes > 0 => buffer.push(took, bytes),
            _ => Ok(()),
        }
    }

    /// Ends now.
    pub(super) fn end(&mut self, medium: &Medium) -> Result<(), BacklogError> {
        let now = Accounts::of(medium);
        self.ended = Some(Ended {
            spent: now.residence.since(&self.begun.residence),
            cycles: medium.meter.borrow().take_cycles(),
            translation: self.begun.translation.zip(now.translation),
            findings: self.buffer.take().map(Analysis::finish).transpose()?,
        });
        Ok(())
    }
}

impl Accounts {
    fn of(medium: &Medium) -> Self {
        medium.accounts(|accounts| Self {
            residence: accounts.residence(),
            translation: accounts.translation(),
        })
    }
}
