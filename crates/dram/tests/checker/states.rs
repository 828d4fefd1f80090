//! Rules of state, of the command bus, of refresh duty, and bad input: one test each.

use wordline_dram::checker::{
    COMMAND_BUS, CheckedChannel, CheckedChannelError, Checker, ClockPair, DeviceGrade, RefreshMode,
    ViolationKind,
};
use wordline_dram::{Command, Location};

use crate::checker::memories::{issued, legal, memory_named, part_named, violated};

use Command::{Act, Pde, Pdx, PreAb, PrePb, PreSb, Rd, Rda, RefAb, RefSb, Wr};

const HERE: Location = Location {
    pseudo_channel: 0,
    rank: 1,
    group: 2,
    bank: 3,
    row: 7,
    column: 0,
};
const RANK: Location = Location { rank: 1, ..ZERO };
const ZERO: Location = Location {
    pseudo_channel: 0,
    rank: 0,
    group: 0,
    bank: 0,
    row: 0,
    column: 0,
};

fn checker(name: &str) -> Checker {
    Checker::new(&memory_named(name)).expect("a memory")
}

#[test]
fn an_open_bank_is_not_activated() {
    let mut checker = checker("rdimm");
    legal(&mut checker, &[(0, Act, HERE)]);
    assert_eq!(
        violated(&mut checker, 5000, Act, HERE),
        Some("ACT to a closed bank")
    );
}

#[test]
fn a_closed_bank_is_not_read() {
    let closed = Some("column command to an open bank");
    let mut checker = checker("rdimm");
    assert_eq!(violated(&mut checker, 0, Rd, HERE), closed);
    legal(&mut checker, &[(1000, Act, HERE), (2000, PreAb, RANK)]);
    assert_eq!(violated(&mut checker, 3000, Wr, HERE), closed);
    legal(&mut checker, &[(4000, Act, HERE), (5000, Rda, HERE)]);
    assert_eq!(violated(&mut checker, 6000, Rd, HERE), closed);
}

#[test]
fn only_the_open_row_is_read() {
    let mut checker = checker("rdimm");
    legal(&mut checker, &[(0, Act, HERE), (1000, Rd, HERE)]);
    let other = Location { row: 8, ..HERE };
    assert_eq!(
        violated(&mut checker, 2000, Rd, other),
        Some("column command to the open row")
    );
}

#[test]
fn open_banks_are_not_refreshed() {
    let mut all = checker("rdimm");
    legal(&mut all, &[(0, Act, HERE)]);
    let violation = all
        .check(&issued(5000, RefAb, RANK))
        .expect_err("an open bank");
    assert_eq!(
        violation.fault,
        ViolationKind::RefreshOpen { group: 2, bank: 3 }
    );

    let mut same = checker("same_bank");
    legal(&mut same, &[(0, Act, HERE)]);
    let index = |bank| Location { bank, ..RANK };
    legal(&mut same, &[(5000, RefSb, index(1))]);
    let open = Some("refresh of closed banks");
    assert_eq!(violated(&mut same, 7000, RefSb, index(3)), open);
    legal(
        &mut same,
        &[(8000, PreSb, index(3)), (9000, RefSb, index(2))],
    );
}

#[test]
fn a_rank_in_power_down_only_wakes_up() {
    for command in Command::ALL {
        let mut checker = checker("rdimm");
        legal(&mut checker, &[(0, Act, HERE), (1000, Pde, RANK)]);
        let expected = (command != Pdx).then_some("power-down");
        assert_eq!(
            violated(&mut checker, 5000, command, HERE),
            expected,
            "{command:?}"
        );
    }
    let mut checker = checker("rdimm");
    legal(&mut checker, &[(1000, Pde, RANK), (1001, Act, ZERO)]);
    assert_eq!(
        violated(&mut checker, 2000, Pdx, ZERO),
        Some("PDX in power-down")
    );
}

#[test]
fn commands_take_their_slots_of_the_bus() {
    let other = Location { rank: 0, ..HERE };
    let mut one = checker("rdimm");
    legal(&mut one, &[(0, Act, HERE)]);
    assert_eq!(violated(&mut one, 1, Act, other), Some(COMMAND_BUS));
    // PRE takes one slot.
    legal(&mut one, &[(1000, PrePb, HERE), (1001, PrePb, other)]);
    assert_eq!(violated(&mut one, 1001, Pde, RANK), Some(COMMAND_BUS));

    let pair = Location {
        pseudo_channel: 1,
        ..HERE
    };
    let mut own = checker("mrdimm");
    legal(&mut own, &[(0, Act, HERE), (0, Act, pair)]);
    let mut memory = memory_named("mrdimm");
    memory.controller.shared_commands = true;
    let mut shared = Checker::new(&memory).expect("a memory");
    legal(&mut shared, &[(0, Act, HERE)]);
    assert_eq!(violated(&mut shared, 1, Act, pair), Some(COMMAND_BUS));
}

#[test]
fn time_does_not_run_backwards_and_places_exist() {
    let mut checker = checker("rdimm");
    legal(&mut checker, &[(1000, Act, HERE)]);
    let violation = checker
        .check(&issued(999, Act, ZERO))
        .expect_err("backwards");
    assert_eq!(violation.fault, ViolationKind::Backwards { after: 1000 });
    let places = [
        Location {
            pseudo_channel: 1,
            ..HERE
        },
        Location { rank: 2, ..HERE },
        Location { group: 8, ..HERE },
        Location { bank: 4, ..HERE },
    ];
    for place in places {
        assert_eq!(
            violated(&mut checker, 2000, Act, place),
            Some("place"),
            "{place:?}"
        );
    }
    assert_eq!(violated(&mut checker, u64::MAX, Act, ZERO), Some("place"));
    // None of that is remembered.
    legal(&mut checker, &[(1002, Act, ZERO)]);
}

/// tREFI is 12480 clocks; what a REF may be late covers the refresh before it, power-down and recovery.
fn refreshed_rank(postponed_max: u32, ahead_max: u32) -> CheckedChannel {
    let mut memory = memory_named("rdimm");
    memory.shape.ranks = 1;
    memory.controller.postponed_max = postponed_max;
    memory.controller.ahead_max = ahead_max;
    memory
}

/// Refreshes at these clocks; the first violation, or that of the trace's end.
fn refreshes(memory: &CheckedChannel, clocks: &[u64], end: u64) -> Option<&'static str> {
    let mut checker = Checker::new(memory).expect("a memory");
    let mut refresh = |&at: &u64| violated(&mut checker, at, RefAb, ZERO);
    let first = clocks.iter().find_map(&mut refresh);
    first.or_else(|| {
        checker
            .finish(end)
            .err()
            .map(|violation| violation.fault.rule())
    })
}

#[test]
fn refreshes_are_not_forgotten() {
    let overdue = Some("refresh overdue");
    let memory = refreshed_rank(0, 0);
    assert_eq!(refreshes(&memory, &[], 12_480), None);
    assert_eq!(refreshes(&memory, &[], 2 * 12_480), overdue);
    assert_eq!(refreshes(&memory, &[100, 12_580], 3 * 12_480), overdue);
    assert_eq!(refreshes(&memory, &[100, 12_580, 25_060], 3 * 12_480), None);
    // The first one told the phase: it fell due by clock 100, and the second 12480 later.
    assert_eq!(refreshes(&memory, &[100, 12_580 + 3000], 16_000), overdue);
    let postponing = refreshed_rank(2, 0);
    assert_eq!(
        refreshes(&postponing, &[100, 100 + 3 * 12_480], 38_000),
        None
    );
    assert_eq!(
        refreshes(&postponing, &[100, 100 + 3 * 12_480 + 3000], 42_000),
        overdue
    );
}

#[test]
fn a_forgotten_refresh_is_told_at_the_next_command() {
    let mut checker = Checker::new(&refreshed_rank(0, 0)).expect("a memory");
    let place = Location { rank: 0, ..HERE };
    legal(&mut checker, &[(0, RefAb, ZERO), (1000, Act, place)]);
    assert_eq!(
        violated(&mut checker, 20_000, Rd, place),
        Some("refresh overdue")
    );
    assert_eq!(
        violated(&mut checker, 20_100, Rd, place),
        None,
        "once an interval"
    );
}

#[test]
fn refreshes_do_not_run_ahead() {
    let early = Some("refresh in advance");
    let memory = refreshed_rank(0, 0);
    assert_eq!(refreshes(&memory, &[0, 12_479], 12_479), early);
    assert_eq!(refreshes(&memory, &[0, 12_480], 12_480), None);
    let ahead = refreshed_rank(0, 2);
    assert_eq!(refreshes(&ahead, &[0, 2000, 4000, 12_480], 12_480), None);
    assert_eq!(refreshes(&ahead, &[0, 2000, 4000, 12_479], 12_479), early);
    // Done in advance, they count.
    assert_eq!(refreshes(&ahead, &[12_400, 14_400, 16_400], 36_000), None);
}

#[test]
fn bank_indices_take_turns() {
    let index = |bank| Location { bank, ..ZERO };
    let rounds = [2, 0, 3, 1, 0, 1, 2, 3];
    let mut checker = checker("same_bank");
    for (number, bank) in (0..).zip(rounds) {
        legal(&mut checker, &[(2000 * number, RefSb, index(bank))]);
    }
    legal(&mut checker, &[(16_000, RefSb, index(1))]);
    assert_eq!(
        violated(&mut checker, 18_000, RefSb, index(1)),
        Some("refresh in turn")
    );
}

#[test]
fn each_mode_has_its_refresh() {
    let mode = Some("refresh mode");
    assert_eq!(violated(&mut checker("rdimm"), 0, RefSb, ZERO), mode);
    assert_eq!(violated(&mut checker("same_bank"), 0, RefAb, ZERO), mode);
    let mut memory = memory_named("rdimm");
    memory.controller.refresh = RefreshMode::Off;
    let mut off = Checker::new(&memory).expect("a memory");
    assert_eq!(violated(&mut off, 0, RefAb, ZERO), mode);
    assert_eq!(off.finish(u64::MAX), Ok(()));
}

#[test]
fn what_decided_is_told() {
    let mut checker = checker("rdimm");
    legal(&mut checker, &[(0, Act, HERE)]);
    assert_eq!(checker.earliest().rule, None);
    legal(&mut checker, &[(46, Rd, HERE)]);
    assert_eq!(
        (checker.earliest().at, checker.earliest().rule),
        (46, Some("tRCD"))
    );
    legal(&mut checker, &[(70, Rd, HERE)]);
    assert_eq!(
        (checker.earliest().at, checker.earliest().rule),
        (62, Some("tCCD_L"))
    );
    let tight: Vec<_> = checker
        .tightness()
        .filter(|(_, tight)| tight.exact > 0)
        .collect();
    assert_eq!(tight.len(), 1);
    assert_eq!(
        (tight[0].0, tight[0].1.exact, tight[0].1.alone),
        ("tRCD", 1, 1)
    );
}

#[test]
fn callers_bring_their_own_parameters() {
    let mut memory = memory_named("rdimm");
    memory.parameters.rcd = ClockPair::max(10, 20_000);
    let mut checker = Checker::new(&memory).expect("a memory");
    legal(&mut checker, &[(0, Act, HERE)]);
    let violation = checker
        .check(&issued(63, Rd, HERE))
        .expect_err("20 ns are 64 clocks");
    let expected = "clock 63: RD to pseudo-channel 0, rank 1, group 2, bank 3, row 7: too early by rule tRCD; \
                    earliest legal clock: 64";
    assert_eq!(violation.to_string(), expected);
}

#[test]
fn impossible_memories_are_refused() {
    let refused = |spoil: fn(&mut CheckedChannel)| {
        let mut memory = memory_named("stacked");
        spoil(&mut memory);
        Checker::new(&memory).map(|_| ()).expect_err("no memory")
    };
    let ranges: [fn(&mut CheckedChannel); 7] = [
        |memory| memory.data_rate_mts = 0,
        |memory| memory.shape.pseudo_channels = 3,
        |memory| memory.shape.ranks = 0,
        |memory| memory.shape.slices = 0,
        |memory| memory.shape.groups = 0,
        |memory| memory.shape.banks = 33,
        |memory| memory.parameters.refi_ps = 0,
    ];
    for spoil in ranges {
        assert!(matches!(refused(spoil), CheckedChannelError::Range { .. }));
    }
    let uneven = refused(|memory| memory.shape.slices = 3);
    assert_eq!(uneven.to_string(), "4 ranks are no multiple of 3 slices");
    let part = DeviceGrade {
        data_rate_mts: 6000,
        ..part_named("rdimm")
    };
    assert!(part.parameters().is_err());
}

/// Whatever a caller writes down, nothing overflows.
#[test]
fn absurd_parameters_do_no_harm() {
    let mut memory = memory_named("stacked");
    let p = &mut memory.parameters;
    (p.cl, p.cwl, p.burst) = (u32::MAX, u32::MAX, u32::MAX);
    (p.long_command, p.column_command) = (u32::MAX, u32::MAX);
    for pair in [
        &mut p.ras,
        &mut p.rp,
        &mut p.wr,
        &mut p.rfc,
        &mut p.rfc_dlr,
        &mut p.pd,
        &mut p.xp,
    ] {
        *pair = ClockPair::max(u32::MAX, u64::MAX);
    }
    let c = &mut memory.controller;
    (c.rank_gap, c.read_to_write_gap, c.postponed_max) = (u32::MAX, u32::MAX, u32::MAX);
    let mut checker = Checker::new(&memory).expect("a memory, of a sort");
    for (at, command) in (0..).zip(Command::ALL) {
        // Whether it is legal is not the question.
        let _ = checker.check(&issued(at * (u64::MAX / 200), command, HERE));
    }
    let _ = checker.finish(u64::MAX);
}
