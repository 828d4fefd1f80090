//! The accesses of a piece of work, one after the other, and how a device carries them out.
//!
//! A [`Plan`] says what the access of a number is. [`Player`] runs it: as fast as the device allows
//! ("closed loop": each access begins when the one before it has ended), or with accesses that wait for
//! their data ("open loop": record k is complete at its instant of the input, and the device idles until
//! then).

use std::collections::HashMap;

use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Operation, Pattern};
use wordline_nvm::{AccessCost, Device, NvmError, TranslationReport};

use crate::instrument::reading::AccountsReading;
use crate::payload::{Payload, SECTOR};
use crate::translation;

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    /// How often this place was written before, in a plan that goes round.
    pub(crate) pass: u64,
}

/// Records of one size within the first `wrap_bytes` of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Bytes of one access.
    pub(crate) record_bytes: u64,
    /// The range that is used, at least one record.
    pub(crate) wrap_bytes: u64,
    /// Order of the writes, or of all accesses where none writes.
    pub(crate) pattern: Pattern,
    /// Share of the accesses that read. Reads of a plan that also writes lie anywhere.
    pub(crate) reads: f64,
    pub(crate) seed: u64,
}

impl Plan {
    /// Records that fit the range.
    pub(crate) const fn places(&self) -> u64 {
        self.wrap_bytes / self.record_bytes
    }

    /// Whether every access does the same in the same order, round after round.
    pub(crate) fn is_periodic(&self) -> bool {
        self.pattern == Pattern::Sequential && (self.reads == 0.0 || self.reads == 1.0)
    }

    /// The first accesses.
    pub(crate) fn steps(&self, count: u64) -> impl Iterator<Item = Step> + '_ {
        self.steps_behind(0, 0).take(count as usize)
    }

    /// The accesses behind so many, of which so many came in order.
    pub(crate) fn steps_behind(
        &self,
        accesses: u64,
        sequential: u64,
    ) -> impl Iterator<Item = Step> + '_ {
        let places = self.places();
        let mut next = (sequential % places, sequential / places);
        (accesses..).map(move |index| self.step(places, index, &mut next))
    }

    /// What an access of a number does. `next` are place and pass of the next one in order.
    fn step(&self, places: u64, index: u64, next: &mut (u64, u64)) -> Step {
        let reads = match self.reads {
            none if none <= 0.0 => false,
            all if all >= 1.0 => true,
            share => unit_interval(draw(self.seed, places, index, Purpose::Mix)) < share,
        };
        let mixed_read = reads && self.reads < 1.0;
        let (place, pass) = if self.pattern == Pattern::Random || mixed_read {
            let place = draw(self.seed, places, index, Purpose::Address) % places;
            (place, index / places)
        } else {
            let (place, pass) = *next;
            *next = if place + 1 == places {
                (0, pass + 1)
            } else {
                (place + 1, pass)
            };
            (place, pass)
        };
        Step {
            operation: if reads {
                Operation::Read
            } else {
                Operation::Write
            },
            at: place * self.record_bytes,
            bytes: self.record_bytes,
            pass,
        }
    }
}

/// Carries out accesses on a device.
pub(crate) struct Player<'a> {
    device: &'a mut dyn Device,
    payload: &'a Payload,
    buffer: Vec<u8>,
    words: Vec<u64>,
    /// Bytes that the memory overwrites at once.
    unit: u64,
    past: AccessHistory,
}

/// The accesses that a device has carried out.
#[derive(Clone, Default)]
pub(crate) struct AccessHistory {
    /// What all of them together consisted of, and the bytes that they moved.
    sum: AccessCost,
    bytes: u64,
    /// How far each block has been written since it was erased, of a memory that erases blocks.
    written: HashMap<u64, u64>,
}

/// Why an access was not carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The device refused it.
    #[error(transparent)]
    Device(#[from] NvmError),
    /// It would write over what was not erased, which flash cannot do.
    #[error(
        "a write of {bytes} at address {at} lands on what was written and not erased, and this memory erases \
         whole blocks of {unit}"
    )]
    Overwrite {
        /// First byte of the write.
        at: u64,
        /// Its bytes.
        bytes: ByteCount,
        /// Bytes of a block.
        unit: ByteCount,
    },
}

impl<'a> Player<'a> {
    pub(crate) fn new(device: &'a mut dyn Device, payload: &'a Payload) -> Self {
        Self {
            unit: translation::overwrite_bytes(device),
            device,
            payload,
            buffer: Vec::new(),
            words: Vec::new(),
            past: AccessHistory::default(),
        }
    }

    /// Goes on with a fork of a device on which accesses were carried out.
    pub(crate) fn resume(
        device: &'a mut dyn Device,
        payload: &'a Payload,
        past: AccessHistory,
    ) -> Self {
        Self {
            past,
            ..Self::new(device, payload)
        }
    }

    /// A fork of the device as it is, and what was carried out on it.
    pub(crate) fn fork(&self) -> (Box<dyn Device>, AccessHistory) {
        (self.device.fork_device(), self.past.clone())
    }

    /// What all accesses together consisted of.
    pub(crate) const fn sum(&self) -> &AccessCost {
        &self.past.sum
    }

    /// Bytes that they moved.
    pub(crate) const fn bytes(&self) -> u64 {
        self.past.bytes
    }

    /// What the device's translation layer did so far.
    pub(crate) fn translation(&self) -> Option<TranslationReport> {
        self.device.translation()
    }

    /// Bytes of the device.
    pub(crate) fn capacity(&self) -> u64 {
        self.device.len()
    }

    /// The accounts now.
    pub(crate) fn accounts(&self) -> AccountsReading {
        AccountsReading::of(&*self.device, &self.past.sum)
    }

    /// The device's clock.
    pub(crate) fn now(&self) -> Time {
        self.device.clock().now()
    }

    /// Lets the device idle until an instant, if that is still to come.
    pub(crate) fn idle_until(&self, instant: Time) {
        self.device.clock().advance_to(instant);
    }

    /// Flash is written behind what was written in a block, or from the block's first byte on, which
    /// erases it. A model would carry out anything else on some chips, and store what was never written.
    fn check_erased(&mut self, step: &Step) -> Result<(), Refusal> {
        let unit = self.unit;
        if unit == 1 {
            return Ok(());
        }
        let end = step.at + step.bytes;
        let mut at = step.at;
        while at < end {
            let (block, offset) = (at / unit, at % unit);
            let until = (end - block * unit).min(unit);
            let written = self.past.written.entry(block).or_insert(0);
            if offset > 0 && offset < *written {
                return Err(Refusal::Overwrite {
                    at: step.at,
                    bytes: ByteCount::from_bytes(step.bytes),
                    unit: ByteCount::from_bytes(unit),
                });
            }
            *written = until;
            at = block * unit + until;
        }
        Ok(())
    }

    /// One access; returns how long it took.
    pub(crate) fn carry_out(&mut self, step: &Step) -> Result<Time, Refusal> {
        let start = self.now();
        let length = step.bytes as usize;
        match step.operation {
            Operation::Write => {
                self.check_erased(step)?;
                let words = self
                    .payload
                    .sector_words(step.at, step.pass, step.bytes)
                    .filter(|_| self.device.holds_words());
                if let Some(words) = words {
                    self.words.clear();
                    self.words.extend(words);
                    self.device.write_words(step.at / SECTOR, &self.words)?;
                    return Ok(self.account(step, start));
                }
                self.buffer.resize(length, 0);
                self.payload.fill(step.at, step.pass, &mut self.buffer);
                self.device.write(step.at, &self.buffer)?;
            }
            Operation::Read => {
                self.buffer.resize(length, 0);
                self.device.read(step.at, &mut self.buffer)?;
            }
        }
        Ok(self.account(step, start))
    }

    /// Adds the access that was carried out; returns how long it took.
    fn account(&mut self, step: &Step, start: Time) -> Time {
        self.past.sum.add_all(self.device.last_cost());
        self.past.bytes += step.bytes;
        self.now().since(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pattern: Pattern, reads: f64) -> Plan {
        Plan {
            record_bytes: 512,
            wrap_bytes: 4 * 512 + 100,
            pattern,
            reads,
            seed: 3,
        }
    }

    #[test]
    fn a_log_goes_round_in_whole_records() {
        let log = plan(Pattern::Sequential, 0.0);
        let steps: Vec<_> = log.steps(5).collect();
        assert_eq!(
            steps.iter().map(|step| step.at).collect::<Vec<_>>(),
            [0, 512, 1024, 1536, 0]
        );
        assert_eq!((steps[0].pass, steps[4].pass), (0, 1));
        assert!(log.is_periodic());
    }

    #[test]
    fn a_mix_reads_as_often_as_asked_and_writes_in_order() {
        let mix = plan(Pattern::Sequential, 0.9);
        let steps: Vec<_> = mix.steps(20_000).collect();
        let before = &steps[..7777];
        let writes = before
            .iter()
            .filter(|step| step.operation == Operation::Write);
        let behind = mix.steps_behind(7777, writes.count() as u64);
        assert!(behind.take(99).eq(steps[7777..7876].iter().copied()));
        let reads = steps
            .iter()
            .filter(|step| step.operation == Operation::Read)
            .count();
        assert!((17_700..18_300).contains(&reads), "{reads}");
        let mut writes = steps
            .iter()
            .filter(|step| step.operation == Operation::Write);
        assert!(
            writes
                .by_ref()
                .take(9)
                .map(|step| step.at / 512)
                .eq([0, 1, 2, 3, 0, 1, 2, 3, 0])
        );
        assert!(
            steps
                .iter()
                .all(|step| step.at + step.bytes <= mix.wrap_bytes)
        );
        assert!(!mix.is_periodic());
    }
}
