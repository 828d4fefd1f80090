//! Holds a list of commands to the rules of the chip, from the list alone.

use super::banks::{BankCommand, BankStep, Banks, BurstDirection};
use super::spec::{AddressLayout, Clocks};
use crate::rules::Rule;

#[derive(Clone, Default)]
struct BankHistory {
    open: Option<u64>,
    activated: Option<u64>,
    precharged: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
}

/// The first rule that commands in the order of their clocks break.
pub(super) fn check(
    clocks: &Clocks,
    banks: usize,
    steps: &[BankStep],
) -> Result<(), (Rule, BankStep)> {
    let mut seen = vec![BankHistory::default(); banks];
    let mut activations: Vec<u64> = Vec::new();
    let (mut bus, mut read, mut written, mut stored) = (None, None, None, None);
    for &step in steps {
        let now = step.clock;
        // Fewer clocks than the rule asks for since an event.
        let early = |event: Option<u64>, pause: u64| event.is_some_and(|event| now < event + pause);
        let bank = &mut seen[step.bank];
        let data = match step.command {
            BankCommand::Read => now + clocks.t_cl,
            _ => now + clocks.t_cwl,
        };
        let broken: &[(Rule, bool)] = match step.command {
            BankCommand::Activate => &[
                (Rule::RowOpen, bank.open.is_some()),
                (Rule::Precharge, early(bank.precharged, clocks.t_rp)),
                (
                    Rule::RowToRow,
                    early(activations.last().copied(), clocks.t_rrd),
                ),
                (
                    Rule::FourRows,
                    early(activations.iter().rev().nth(3).copied(), clocks.t_faw),
                ),
                (Rule::Store, early(stored, clocks.t_st)),
            ],
            BankCommand::Precharge => &[
                (Rule::RowOpen, bank.open != Some(step.row)),
                (Rule::RowActive, early(bank.activated, clocks.t_ras)),
                (Rule::ReadToPrecharge, early(bank.read, clocks.t_rtp)),
                (Rule::WriteRecovery, early(bank.written, clocks.t_wr)),
            ],
            BankCommand::Read => &[
                (Rule::RowOpen, bank.open != Some(step.row)),
                (Rule::RowToColumn, early(bank.activated, clocks.t_rcd)),
                (Rule::WriteToRead, early(written, clocks.t_wtr)),
                (Rule::DataBus, bus.is_some_and(|until| data < until)),
            ],
            BankCommand::Write => &[
                (Rule::RowOpen, bank.open != Some(step.row)),
                (Rule::RowToColumn, early(bank.activated, clocks.t_rcd)),
                (
                    Rule::ReadToWrite,
                    read.is_some_and(|until: u64| data < until + clocks.t_rtw),
                ),
                (Rule::DataBus, bus.is_some_and(|until| data < until)),
            ],
            BankCommand::Store => {
                let closing = |bank: &BankHistory| early(bank.precharged, clocks.t_rp);
                &[
                    (Rule::RowOpen, seen.iter().any(|bank| bank.open.is_some())),
                    (Rule::Precharge, seen.iter().any(closing)),
                ]
            }
        };
        if let Some((rule, _)) = broken.iter().find(|(_, broken)| *broken) {
            return Err((*rule, step));
        }
        let until = data + clocks.burst;
        let bank = &mut seen[step.bank];
        match step.command {
            BankCommand::Activate => {
                *bank = BankHistory {
                    open: Some(step.row),
                    activated: Some(now),
                    ..BankHistory::default()
                };
                activations.push(now);
            }
            BankCommand::Precharge => {
                bank.open = None;
                bank.precharged = Some(now);
            }
            BankCommand::Read => {
                bank.read = Some(now);
                (bus, read) = (Some(until), Some(until));
            }
            BankCommand::Write => {
                bank.written = Some(until);
                (bus, written) = (Some(until), Some(until));
            }
            BankCommand::Store => stored = Some(now),
        }
    }
    Ok(())
}

/// Lets banks that were never used do a mix of accesses and stores, each asked for at once so that
/// nothing but the rules keeps commands apart, and checks their commands.
pub(super) fn audit(banks: &Banks, clocks: &Clocks, layout: &AddressLayout) -> Result<(), Rule> {
    let mut banks = banks.clone();
    let mut steps = Vec::new();
    let (row, all) = (layout.row_bytes, layout.row_bytes * layout.banks);
    let (read, write) = (BurstDirection::Read, BurstDirection::Write);
    // One burst in a bank's first row, its second, rows of every bank twice, and back.
    for (direction, at, bytes) in [
        (read, 0, 1),
        (read, all, 1),
        (write, all, 1),
        (read, all, 1),
        (write, 0, 1),
        (read, all, 1),
        (read, 0, 2 * all + row),
        (write, 0, 2 * all + row),
        (read, 0, 1),
    ] {
        banks.access(0, direction, at..at + bytes, &mut |step| steps.push(step));
    }
    banks.store(0, &mut |step| steps.push(step));
    banks.access(0, read, 0..1, &mut |step| steps.push(step));
    // A stable sort: commands of one clock keep the order in which they were given.
    steps.sort_by_key(|step| step.clock);
    check(clocks, layout.banks as usize, &steps).map_err(|(rule, _)| rule)
}
