use proptest::prelude::*;

use super::banks::Banks;
use super::checker::check;
use super::reference::Reference;
use super::spec::{AddressLayout, Clocks};
use super::*;
use crate::bus::ddr::RowPolicy;

/// The times of a part of 667 MHz with rows of 256 B.
pub(super) const CLOCKS: Clocks = Clocks {
    t_rcd: 90,
    t_cl: 10,
    t_cwl: 9,
    t_rp: 5,
    t_ras: 96,
    t_rrd: 7,
    t_faw: 160,
    t_wr: 10,
    t_rtp: 5,
    t_wtr: 6,
    t_rtw: 6,
    t_st: 254,
    burst: 4,
};

pub(super) const LAYOUT: AddressLayout = AddressLayout {
    banks: 8,
    row_bytes: 256,
    burst_bytes: 16,
    policy: RowPolicy::Open,
};

/// How long a read of a range takes from `start` on.
fn read(banks: &mut Banks, start: u64, at: u64, bytes: u64) -> u64 {
    let spent = banks.access(start, BurstDirection::Read, at..at + bytes, &mut |_| {});
    let parts = spent.data + spent.column + spent.row;
    assert!(parts <= spent.end - start);
    spent.end - start
}

#[test]
fn one_read_takes_what_its_commands_take() {
    let mut banks = Banks::new(CLOCKS, LAYOUT);
    // A closed bank: tRCD, tCL, four bursts.
    assert_eq!(read(&mut banks, 1000, 0, 64), 90 + 10 + 16);
    // The open row: tCL and the bursts.
    assert_eq!(read(&mut banks, 2000, 128, 64), 10 + 16);
    // Another row of the same bank, which is eight rows on: tRP comes first.
    assert_eq!(read(&mut banks, 3000, 8 * 256, 64), 5 + 90 + 10 + 16);
    // The next row lies in the next bank, which is closed.
    assert_eq!(read(&mut banks, 4000, 9 * 256, 16), 90 + 10 + 4);
    // A row that was written is closed tWR after its data, which end 9 + 4 clocks after the command.
    let write = banks.access(
        5000,
        BurstDirection::Write,
        9 * 256..9 * 256 + 16,
        &mut |_| {},
    );
    assert_eq!(write.end, 5013);
    assert_eq!(read(&mut banks, 5013, 256, 16), 10 + 5 + 90 + 10 + 4);
}

#[test]
fn a_controller_that_closes_rows_needs_no_precharge_and_gets_no_hits() {
    let layout = AddressLayout {
        policy: RowPolicy::Closed,
        ..LAYOUT
    };
    let mut banks = Banks::new(CLOCKS, layout);
    assert_eq!(read(&mut banks, 1000, 0, 64), 116);
    assert_eq!(read(&mut banks, 2000, 64, 64), 116);
    assert_eq!(read(&mut banks, 3000, 8 * 256, 64), 116);
    // Last read at 3000 + 90 + 12, closed tRTP later, open again tRP after that.
    assert_eq!(banks.closed_from(), Some(3000 + 102 + 5));
}

/// Clocks for each row of a long read, once it has begun.
fn pace(clocks: Clocks, layout: AddressLayout) -> u64 {
    let mut banks = Banks::new(clocks, layout);
    let rows = |banks: &mut Banks, start, rows: u64| read(banks, start, 0, rows * 256);
    let short = rows(&mut banks.clone(), 10_000, 800);
    let long = rows(&mut banks, 10_000, 1600);
    (long - short) / 800
}

#[test]
fn a_stream_is_limited_by_the_bus_the_activations_or_the_banks() {
    // 16 bursts of four clocks: 256 B in 96 ns are 2.667 GB/s.
    assert_eq!(pace(CLOCKS, LAYOUT), 64);
    // Four rows in tFAW.
    let slow = Clocks {
        t_faw: 400,
        ..CLOCKS
    };
    assert_eq!(pace(slow, LAYOUT), 100);
    let slow = Clocks {
        t_rrd: 110,
        ..CLOCKS
    };
    assert_eq!(pace(slow, LAYOUT), 110);
    // Each bank opens a row every tRC: two of them one every tRC / 2.
    let slow = Clocks {
        t_ras: 195,
        ..CLOCKS
    };
    let two = AddressLayout { banks: 2, ..LAYOUT };
    assert_eq!(pace(slow, two), 100);
}

#[test]
fn random_reads_of_a_row_are_limited_by_latency() {
    let mut banks = Banks::new(CLOCKS, LAYOUT);
    let mut now = 0;
    for index in 0..200_u64 {
        let at = index * 7919 % 4096 * 256;
        now += read(&mut banks, now, at, 256);
    }
    // Nothing overlaps: tRCD, tCL and 64 clocks of data, and tRP where a row was open.
    assert!((199 * 164..=200 * 169).contains(&now), "{now}");
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    Access(BurstDirection, u64, u64, u64),
    Store(u64),
}

pub(super) fn op() -> impl Strategy<Value = Op> {
    let direction = prop_oneof![Just(BurstDirection::Read), Just(BurstDirection::Write)];
    let bytes = prop_oneof![1..64_u64, 1..2000_u64];
    prop_oneof![
        9 => (direction, 0..16_u64 << 10, bytes, 0..40_u64)
            .prop_map(|(direction, at, bytes, pause)| Op::Access(direction, at, bytes, pause)),
        1 => (0..40_u64).prop_map(Op::Store),
    ]
}

pub(super) fn some_clocks() -> impl Strategy<Value = Clocks> {
    prop::array::uniform12(1..30_u64).prop_map(|times| {
        let [t_rcd, t_cl, t_cwl, t_rp, t_ras, t_rrd, ..] = times;
        let [.., t_faw, t_wr, t_rtp, t_wtr, t_rtw, t_st] = times;
        Clocks {
            t_rcd,
            t_cl,
            t_cwl,
            t_rp,
            t_ras: 3 * t_ras,
            t_rrd,
            t_faw: 4 * t_faw,
            t_wr,
            t_rtp,
            t_wtr,
            t_rtw,
            t_st,
            burst: 4,
        }
    })
}

pub(super) fn some_layout() -> impl Strategy<Value = AddressLayout> {
    let policy = prop_oneof![Just(RowPolicy::Open), Just(RowPolicy::Closed)];
    (0..4_u32, 6..9_u32, policy).prop_map(|(banks, row, policy)| AddressLayout {
        banks: 1 << banks,
        row_bytes: 1 << row,
        burst_bytes: 16,
        policy,
    })
}

/// Every command of a run in the order of their clocks, and when each access ended. Each begins
/// when the one before it has ended, or a little later.
fn run(banks: &mut Banks, ops: &[Op]) -> (Vec<BankStep>, Vec<u64>) {
    let (mut steps, mut ends, mut now) = (Vec::new(), Vec::new(), 0);
    for op in ops {
        let mut tell = |step| steps.push(step);
        now = match *op {
            Op::Access(direction, at, bytes, pause) => {
                let range = at..at + bytes;
                banks.access(now + pause, direction, range, &mut tell).end
            }
            Op::Store(pause) => banks.store(now + pause, &mut tell).end,
        };
        ends.push(now);
    }
    // A stable sort: commands of one clock keep the order in which they were given.
    steps.sort_by_key(|step| step.clock);
    (steps, ends)
}

proptest! {
    /// The times are those of a chip and a controller that act clock by clock, and the commands keep
    /// every rule.
    #[test]
    fn the_clock_by_clock_reference_agrees(
        clocks in some_clocks(),
        layout in some_layout(),
        ops in prop::collection::vec(op(), 1..20),
    ) {
        let (mut steps, ends) = run(&mut Banks::new(clocks, layout), &ops);
        prop_assert_eq!(check(&clocks, layout.banks as usize, &steps), Ok(()));
        let mut reference = Reference::new(clocks, layout);
        let mut now = 0;
        for (op, end) in ops.iter().zip(&ends) {
            now = match *op {
                Op::Access(direction, at, bytes, pause) => {
                    reference.access(now + pause, direction, at..at + bytes)
                }
                Op::Store(pause) => reference.store(now + pause),
            };
            prop_assert_eq!(now, *end);
        }
        // What a closing controller still has to close comes after the last access.
        reference.store(now + 1000);
        reference.log.pop();
        let closing = |step: &BankStep| step.command == BankCommand::Precharge && step.clock >= now;
        steps.retain(|step| !closing(step));
        reference.log.retain(|step| !closing(step));
        steps.sort_unstable();
        reference.log.sort_unstable();
        prop_assert_eq!(steps, reference.log);
    }
}

/// A controller that forgets a rule is caught breaking that rule.
#[test]
fn each_forgotten_rule_is_caught() {
    let quick = Clocks {
        t_ras: 20,
        t_rcd: 12,
        t_cl: 5,
        t_cwl: 4,
        t_rrd: 8,
        t_faw: 60,
        t_rtp: 9,
        t_wtr: 8,
        t_rtw: 12,
        ..CLOCKS
    };
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let ops: Vec<_> = (0..400)
        .map(|_| match next(10) {
            0 => Op::Store(0),
            kind => {
                let direction = [BurstDirection::Read, BurstDirection::Write][kind as usize % 2];
                let bytes = [16, 64, 1024][next(3) as usize];
                Op::Access(direction, next(64) * 256, bytes, 0)
            }
        })
        .collect();
    let caught = |rule: Option<Rule>| {
        let policies = [RowPolicy::Open, RowPolicy::Closed];
        let kinds = [CLOCKS, quick].map(|clocks| policies.map(|policy| (clocks, policy)));
        kinds.into_iter().flatten().find_map(|(clocks, policy)| {
            let layout = AddressLayout { policy, ..LAYOUT };
            let mut banks = Banks::new(clocks, layout);
            rule.into_iter().for_each(|rule| banks.rules.forget(rule));
            let (steps, _) = run(&mut banks, &ops);
            check(&clocks, 8, &steps).err().map(|(rule, _)| rule)
        })
    };
    assert_eq!(caught(None), None);
    for rule in [
        Rule::RowOpen,
        Rule::RowToColumn,
        Rule::RowActive,
        Rule::Precharge,
        Rule::RowToRow,
        Rule::FourRows,
        Rule::WriteRecovery,
        Rule::ReadToPrecharge,
        Rule::WriteToRead,
        Rule::ReadToWrite,
        Rule::DataBus,
        Rule::Store,
    ] {
        assert_eq!(caught(Some(rule)), Some(rule));
    }
}

#[test]
fn an_instant_that_is_a_clock_is_that_clock() {
    let clock: Frequency = "666.666667 MHz".parse().expect("a clock");
    for index in [0, 1, 2, 3, 1000, 1_000_001] {
        let instant = clock.duration_of(index);
        assert_eq!(first_clock(instant, clock), index);
        let later = instant.plus(Time::from_ps(1));
        assert_eq!(first_clock(later, clock), index + 1);
    }
}
