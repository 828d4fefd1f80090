//! Banks, rows and the data lines: when each command of an access may be given.
//!
//! An access is split into bursts in the order of its addresses. Addresses are made of row, bank and
//! column, from the highest bits to the lowest, so that rows that follow each other lie in different
//! banks. For each row that an access touches, in order, the controller closes the row that is in the
//! way, opens this one, and reads or writes its bursts, each command as early as the rules allow. It
//! opens the next rows while data of those before them move.
//!
//! A command takes no room on the command lines, which are never what limits: a row of 256 B takes 64
//! clocks of data and 18 commands. Banks are not in groups: the controller is taken to order the
//! bursts so that tCCD_S applies, which is a burst.

use std::ops::Range;

use super::spec::{AddressLayout, Clocks};
use crate::bus::ddr::RowPolicy;
use crate::rules::{Rule, RuleSet};

/// A command to the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BankCommand {
    /// Opens a row.
    Activate,
    /// Closes a row, which writes it back.
    Precharge,
    /// One burst to the host.
    Read,
    /// One burst from the host.
    Write,
    /// Stores what was written, with every row closed.
    Store,
}

/// A command at a clock of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BankStep {
    pub(super) clock: u64,
    pub(super) command: BankCommand,
    pub(super) bank: usize,
    /// The row in its bank.
    pub(super) row: u64,
}

/// Which way data move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BurstDirection {
    Read,
    Write,
}

/// What the clocks of an access went to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessClocks {
    /// The clock in which the last data ended.
    pub(super) end: u64,
    /// Data on the lines.
    pub(super) data: u64,
    /// CAS latency that no data hid.
    pub(super) column: u64,
    /// tRCD that no data hid.
    pub(super) row: u64,
}

#[derive(Clone, Debug, Default)]
struct RowBuffer {
    open: Option<u64>,
    /// The first clock for a read or write of the open row.
    column_from: u64,
    /// The first clock to close the open row.
    precharge_from: u64,
    /// The first clock to open a row.
    activate_from: u64,
}

/// The banks of a chip as the controller sees them, in clocks since power-on.
#[derive(Clone, Debug)]
pub(super) struct Banks {
    clocks: Clocks,
    layout: AddressLayout,
    banks: Vec<RowBuffer>,
    /// When the last four rows were opened, the oldest first.
    activated: [Option<u64>; 4],
    /// When the last row was closed.
    precharged: u64,
    data_until: u64,
    read_until: Option<u64>,
    written_until: Option<u64>,
    pub(super) rules: RuleSet,
}

impl Banks {
    pub(super) fn new(clocks: Clocks, layout: AddressLayout) -> Self {
        Self {
            clocks,
            layout,
            banks: vec![RowBuffer::default(); layout.banks as usize],
            activated: [None; 4],
            precharged: 0,
            data_until: 0,
            read_until: None,
            written_until: None,
            rules: RuleSet::ALL,
        }
    }

    /// Reads or writes the bursts that a range of bytes touches, with no command before the clock
    /// `start`. Reports every command, row by row.
    pub(super) fn access(
        &mut self,
        start: u64,
        direction: BurstDirection,
        bytes: Range<u64>,
        tell: &mut impl FnMut(BankStep),
    ) -> AccessClocks {
        let AddressLayout {
            banks,
            row_bytes,
            burst_bytes,
            ..
        } = self.layout;
        let mut spent = AccessClocks {
            end: start,
            ..AccessClocks::default()
        };
        if bytes.is_empty() {
            return spent;
        }
        let mut at = bytes.start / burst_bytes * burst_bytes;
        while at < bytes.end {
            let line = at / row_bytes;
            let end = bytes.end.min((line + 1) * row_bytes);
            let (bank, row) = ((line % banks) as usize, line / banks);
            let opened = self.open(start, bank, row, tell);
            for index in 0..(end - at).div_ceil(burst_bytes) {
                let step = self.burst(start, direction, bank, row);
                // What is left of a row's latency, once data of other rows have hidden some.
                let hidden = if opened && index == 0 {
                    self.clocks.t_rcd
                } else {
                    0
                };
                spent.add(
                    step.clock,
                    self.latency(direction),
                    hidden,
                    self.clocks.burst,
                );
                tell(step);
            }
            if self.layout.policy == RowPolicy::Closed {
                self.close(0, bank, tell);
            }
            at = end.next_multiple_of(burst_bytes);
        }
        spent
    }

    /// Closes every row as early as the rules allow, and stores what was written. Returns when the
    /// chip has done so.
    pub(super) fn store(&mut self, start: u64, tell: &mut impl FnMut(BankStep)) -> Range<u64> {
        for bank in 0..self.banks.len() {
            self.close(start, bank, tell);
        }
        let closed = self.banks.iter().map(|bank| bank.activate_from);
        let from = closed.fold(start, u64::max);
        tell(BankStep {
            clock: from,
            command: BankCommand::Store,
            bank: 0,
            row: 0,
        });
        let until = from + self.time(Rule::Store, self.clocks.t_st);
        for bank in &mut self.banks {
            bank.activate_from = until;
        }
        from..until
    }

    /// When the last row was closed; `None` while one is open.
    pub(super) fn closed_from(&self) -> Option<u64> {
        let open = self.banks.iter().any(|bank| bank.open.is_some());
        (!open).then_some(self.precharged)
    }

    /// Clocks from a read or write command to its data.
    pub(super) const fn latency(&self, direction: BurstDirection) -> u64 {
        match direction {
            BurstDirection::Read => self.clocks.t_cl,
            BurstDirection::Write => self.clocks.t_cwl,
        }
    }

    /// Has a row open in its bank. Returns whether it had to be opened.
    fn open(
        &mut self,
        start: u64,
        index: usize,
        row: u64,
        tell: &mut impl FnMut(BankStep),
    ) -> bool {
        match self.banks[index].open {
            Some(open) if open == row || !self.rules.keep(Rule::RowOpen) => return false,
            Some(_) => self.close(start, index, tell),
            None => {}
        }
        let mut clock = start.max(self.banks[index].activate_from);
        if let Some(last) = self.activated[3] {
            clock = clock.max(last + self.time(Rule::RowToRow, self.clocks.t_rrd));
        }
        if let (Some(fourth), true) = (self.activated[0], self.rules.keep(Rule::FourRows)) {
            clock = clock.max(fourth + self.clocks.t_faw);
        }
        self.activated.rotate_left(1);
        self.activated[3] = Some(clock);
        let column_from = clock + self.time(Rule::RowToColumn, self.clocks.t_rcd);
        let precharge_from = clock + self.time(Rule::RowActive, self.clocks.t_ras);
        let bank = &mut self.banks[index];
        bank.open = Some(row);
        bank.column_from = column_from;
        bank.precharge_from = precharge_from;
        tell(BankStep {
            clock,
            command: BankCommand::Activate,
            bank: index,
            row,
        });
        true
    }

    /// Closes the open row of a bank, if there is one, no earlier than `start`.
    fn close(&mut self, start: u64, index: usize, tell: &mut impl FnMut(BankStep)) {
        let pause = self.time(Rule::Precharge, self.clocks.t_rp);
        let bank = &mut self.banks[index];
        let Some(row) = bank.open.take() else {
            return;
        };
        let clock = start.max(bank.precharge_from);
        bank.activate_from = clock + pause;
        self.precharged = self.precharged.max(clock);
        tell(BankStep {
            clock,
            command: BankCommand::Precharge,
            bank: index,
            row,
        });
    }

    /// The next burst of an open row.
    fn burst(&mut self, start: u64, direction: BurstDirection, index: usize, row: u64) -> BankStep {
        let latency = self.latency(direction);
        let mut clock = start.max(self.banks[index].column_from);
        if self.rules.keep(Rule::DataBus) {
            clock = clock.max(self.data_until.saturating_sub(latency));
        }
        clock = clock.max(match direction {
            BurstDirection::Read => self.written_until.map_or(0, |until| {
                until + self.time(Rule::WriteToRead, self.clocks.t_wtr)
            }),
            BurstDirection::Write => self.read_until.map_or(0, |until| {
                let pause = self.time(Rule::ReadToWrite, self.clocks.t_rtw);
                (until + pause).saturating_sub(latency)
            }),
        });
        let until = clock + latency + self.clocks.burst;
        self.data_until = self.data_until.max(until);
        let (command, precharge_from) = match direction {
            BurstDirection::Read => {
                self.read_until = Some(until);
                let pause = self.time(Rule::ReadToPrecharge, self.clocks.t_rtp);
                (BankCommand::Read, clock + pause)
            }
            BurstDirection::Write => {
                self.written_until = Some(until);
                let pause = self.time(Rule::WriteRecovery, self.clocks.t_wr);
                (BankCommand::Write, until + pause)
            }
        };
        let bank = &mut self.banks[index];
        bank.precharge_from = bank.precharge_from.max(precharge_from);
        BankStep {
            clock,
            command,
            bank: index,
            row,
        }
    }

    /// A time, or none where the rule that asks for it is forgotten.
    const fn time(&self, rule: Rule, clocks: u64) -> u64 {
        if self.rules.keep(rule) { clocks } else { 0 }
    }
}

impl AccessClocks {
    /// Adds a burst. The pause of the data lines before it is its CAS latency, before that its tRCD
    /// where its row was opened for it, and before that a wait for rules of other commands.
    fn add(&mut self, clock: u64, latency: u64, row: u64, burst: u64) {
        let pause = (clock + latency).saturating_sub(self.end);
        let column = pause.min(latency);
        self.column += column;
        self.row += (pause - column).min(row);
        self.data += burst;
        self.end = self.end.max(clock + latency + burst);
    }
}
