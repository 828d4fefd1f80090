//! The same controller and chip, one clock after the other: what is allowed now is done now.

use std::ops::Range;

use super::banks::{BankCommand, BankStep, BurstDirection};
use super::spec::{AddressLayout, Clocks};
use crate::bus::ddr::RowPolicy;

#[derive(Clone, Default)]
struct ReferenceBank {
    open: Option<u64>,
    /// The controller has asked for the row to be closed behind its last burst.
    closing: bool,
    activated: Option<u64>,
    precharged: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
}

pub(super) struct Reference {
    clocks: Clocks,
    layout: AddressLayout,
    now: u64,
    banks: Vec<ReferenceBank>,
    activations: Vec<u64>,
    data_until: Option<u64>,
    read_until: Option<u64>,
    written_until: Option<u64>,
    stored_until: Option<u64>,
    pub(super) log: Vec<BankStep>,
}

/// Whether an event lies far enough back.
fn past(event: Option<u64>, pause: u64, now: u64) -> bool {
    event.is_none_or(|event| now >= event + pause)
}

impl Reference {
    pub(super) fn new(clocks: Clocks, layout: AddressLayout) -> Self {
        Self {
            clocks,
            layout,
            now: 0,
            banks: vec![ReferenceBank::default(); layout.banks as usize],
            activations: Vec::new(),
            data_until: None,
            read_until: None,
            written_until: None,
            stored_until: None,
            log: Vec::new(),
        }
    }

    /// Lets an access happen, and returns when its last data have ended.
    pub(super) fn access(
        &mut self,
        start: u64,
        direction: BurstDirection,
        bytes: Range<u64>,
    ) -> u64 {
        self.idle_until(start);
        let bursts: Vec<(usize, u64)> = (bytes.start / self.layout.burst_bytes
            ..bytes.end.div_ceil(self.layout.burst_bytes))
            .map(|burst| {
                let line = burst * self.layout.burst_bytes / self.layout.row_bytes;
                let bank = (line % self.layout.banks) as usize;
                (bank, line / self.layout.banks)
            })
            .collect();
        let mut lines = bursts.clone();
        lines.dedup();
        let (mut opened, mut moved) = (0, 0);
        while moved < bursts.len() {
            self.precharge(&bursts[moved..]);
            while lines.get(opened).is_some_and(|line| self.is_open(*line)) {
                opened += 1;
            }
            if let Some(&line) = lines.get(opened) {
                self.activate(line);
            }
            if self.burst(direction, bursts[moved]) {
                let (bank, row) = bursts[moved];
                moved += 1;
                let last = bursts.get(moved) != Some(&(bank, row));
                if last && self.layout.policy == RowPolicy::Closed {
                    self.banks[bank].closing = true;
                }
            }
            self.now += 1;
        }
        self.data_until.expect("data moved")
    }

    /// Closes every row and stores; returns when that is done.
    pub(super) fn store(&mut self, start: u64) -> u64 {
        self.idle_until(start);
        loop {
            self.banks
                .iter_mut()
                .for_each(|bank| bank.closing = bank.open.is_some());
            self.precharge(&[]);
            let closed = |bank: &ReferenceBank| {
                bank.open.is_none() && past(bank.precharged, self.clocks.t_rp, self.now)
            };
            if self.banks.iter().all(closed) && past(self.stored_until, 0, self.now) {
                break;
            }
            self.now += 1;
        }
        self.note(BankCommand::Store, 0, 0);
        self.stored_until = Some(self.now + self.clocks.t_st);
        self.now + self.clocks.t_st
    }

    fn idle_until(&mut self, start: u64) {
        while self.now < start {
            self.precharge(&[]);
            self.now += 1;
        }
    }

    /// Closes what is in the way of a bank's next burst, and what was to be closed.
    fn precharge(&mut self, waiting: &[(usize, u64)]) {
        for index in 0..self.banks.len() {
            let next = waiting.iter().find(|(bank, _)| *bank == index);
            let bank = &mut self.banks[index];
            let Some(row) = bank.open else {
                continue;
            };
            let in_the_way = next.is_some_and(|(_, wanted)| *wanted != row);
            let allowed = past(bank.activated, self.clocks.t_ras, self.now)
                && past(bank.read, self.clocks.t_rtp, self.now)
                && past(bank.written, self.clocks.t_wr, self.now);
            if (bank.closing || in_the_way) && allowed {
                *bank = ReferenceBank {
                    precharged: Some(self.now),
                    ..ReferenceBank::default()
                };
                self.note(BankCommand::Precharge, index, row);
            }
        }
    }

    fn is_open(&self, (index, row): (usize, u64)) -> bool {
        self.banks[index].open == Some(row) && !self.banks[index].closing
    }

    /// Opens a row if it can be opened now.
    fn activate(&mut self, (index, row): (usize, u64)) {
        let now = self.now;
        let bank = &mut self.banks[index];
        let mut recent = self.activations.iter().rev().copied();
        let allowed = bank.open.is_none()
            && past(bank.precharged, self.clocks.t_rp, now)
            && past(recent.next(), self.clocks.t_rrd, now)
            && past(recent.nth(2), self.clocks.t_faw, now)
            && past(self.stored_until, 0, now);
        if allowed {
            bank.open = Some(row);
            bank.activated = Some(now);
            self.activations.push(now);
            self.note(BankCommand::Activate, index, row);
        }
    }

    /// Whether a burst could be asked for now.
    fn burst(&mut self, direction: BurstDirection, (index, row): (usize, u64)) -> bool {
        let now = self.now;
        let clocks = &self.clocks;
        let bank = &mut self.banks[index];
        let (data, turned) = match direction {
            BurstDirection::Read => {
                let turned = past(self.written_until, clocks.t_wtr, now);
                (now + clocks.t_cl, turned)
            }
            BurstDirection::Write => {
                let data = now + clocks.t_cwl;
                (data, past(self.read_until, clocks.t_rtw, data))
            }
        };
        let allowed = bank.open == Some(row)
            && !bank.closing
            && past(bank.activated, clocks.t_rcd, now)
            && past(self.data_until, 0, data)
            && turned;
        if !allowed {
            return false;
        }
        let until = data + clocks.burst;
        self.data_until = Some(until);
        let command = match direction {
            BurstDirection::Read => {
                bank.read = Some(now);
                self.read_until = Some(until);
                BankCommand::Read
            }
            BurstDirection::Write => {
                bank.written = Some(until);
                self.written_until = Some(until);
                BankCommand::Write
            }
        };
        self.note(command, index, row);
        true
    }

    fn note(&mut self, command: BankCommand, bank: usize, row: u64) {
        self.log.push(BankStep {
            clock: self.now,
            command,
            bank,
            row,
        });
    }
}
