//! Every rule between two commands: legal at its distance, and one clock earlier the rule is named. The distances are
//! written down here by hand.

use std::collections::BTreeSet;

use wordline_dram::checker::{CheckedChannel, Checker, ClockPair, RefreshMode};
use wordline_dram::{Command, Location};

use crate::checker::memories::{self, legal, memory_named, violated};

use Command::{Act, Pde, Pdx, PreAb, PrePb, PreSb, Rd, Rda, RefAb, RefSb, Wr, Wra};

/// Where the second command goes, seen from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Same,
    Bank,
    Group,
    /// Another bank of another group.
    Both,
    Slice,
    Rank,
    Pair,
}

/// One rule on the four memories; 0 where it does not apply.
struct Row {
    rule: &'static str,
    from: &'static [Command],
    to: &'static [Command],
    places: &'static [To],
    /// 6400 x4 A, 6400 x8 B with REFsb, 4400 x4 A with two pseudo-channels, 6400 x4 A stacked.
    clocks: [u64; 4],
}

const MEMORIES: [&str; 4] = ["rdimm", "same_bank", "mrdimm", "stacked"];
const READ: &[Command] = &[Rd, Rda];
const WRITE: &[Command] = &[Wr, Wra];
const COLUMN: &[Command] = &[Rd, Rda, Wr, Wra];
const PRE: &[Command] = &[PrePb, PreSb, PreAb];
const ANY: &[Command] = &[Act, PrePb, PreSb, PreAb, Pde];

const fn row(
    rule: &'static str,
    from: &'static [Command],
    to: &'static [Command],
    places: &'static [To],
    clocks: [u64; 4],
) -> Row {
    Row {
        rule,
        from,
        to,
        places,
        clocks,
    }
}

/// Sums: read data ends CL + 8 behind RD, written data CWL + 8 behind WR; CL 46, 52, 32, 46; CWL two less.
const ROWS: &[Row] = &[
    row("tRRD_L", &[Act], &[Act], &[To::Bank], [16, 16, 11, 16]),
    row(
        "tRRD_S",
        &[Act],
        &[Act],
        &[To::Group, To::Both],
        [8, 8, 8, 8],
    ),
    row("tRRD_dlr", &[Act], &[Act], &[To::Slice], [0, 0, 0, 4]),
    row("tRCD", &[Act], COLUMN, &[To::Same], [46, 52, 32, 46]),
    row("tRAS", &[Act], PRE, &[To::Same], [103, 103, 71, 103]),
    row("tCCD_L", READ, READ, &[To::Same], [16, 16, 11, 16]),
    row("tCCD_M", READ, READ, &[To::Bank], [16, 16, 11, 16]),
    row("tCCD_S", READ, READ, &[To::Group, To::Both], [8, 8, 8, 8]),
    row(
        "tCCD_S, other slice",
        READ,
        READ,
        &[To::Slice],
        [0, 0, 0, 8],
    ),
    row(
        "RD to RD, other rank",
        READ,
        READ,
        &[To::Rank],
        [11, 11, 11, 11],
    ),
    row("RD to RD, pair", READ, READ, &[To::Pair], [0, 0, 8, 0]),
    row("tCCD_L_WR", WRITE, WRITE, &[To::Same], [64, 32, 44, 64]),
    row("tCCD_M_WR", WRITE, WRITE, &[To::Bank], [64, 32, 44, 64]),
    row(
        "tCCD_S_WR",
        WRITE,
        WRITE,
        &[To::Group, To::Both],
        [8, 8, 8, 8],
    ),
    row(
        "tCCD_S_WR, other slice",
        WRITE,
        WRITE,
        &[To::Slice],
        [0, 0, 0, 8],
    ),
    row(
        "WR to WR, other rank",
        WRITE,
        WRITE,
        &[To::Rank],
        [11, 11, 11, 11],
    ),
    row("WR to WR, pair", WRITE, WRITE, &[To::Pair], [0, 0, 8, 0]),
    // CL + 8 + 2 - CWL
    row(
        "RD to WR",
        READ,
        WRITE,
        &[To::Same, To::Bank, To::Group, To::Both],
        [12, 12, 12, 12],
    ),
    row("RD to WR", READ, WRITE, &[To::Slice], [0, 0, 0, 12]),
    row(
        "RD to WR, other rank",
        READ,
        WRITE,
        &[To::Rank],
        [15, 15, 15, 15],
    ),
    row("RD to WR, pair", READ, WRITE, &[To::Pair], [0, 0, 14, 0]),
    // CWL + 8 + 32, 32, 22, 32; RDA to the same bank waits for tWTRA
    row("tWTR_L", WRITE, &[Rd], &[To::Same], [84, 90, 60, 84]),
    row("tWTR_M", WRITE, READ, &[To::Bank], [84, 90, 60, 84]),
    // CWL + 8 + 8, 8, 6, 8
    row(
        "tWTR_S",
        WRITE,
        READ,
        &[To::Group, To::Both],
        [60, 66, 44, 60],
    ),
    row(
        "tWTR_S, other slice",
        WRITE,
        READ,
        &[To::Slice],
        [0, 0, 0, 60],
    ),
    // CWL + 8 + 3 - CL
    row(
        "WR to RD, other rank",
        WRITE,
        READ,
        &[To::Rank],
        [9, 9, 9, 9],
    ),
    row("WR to RD, pair", WRITE, READ, &[To::Pair], [0, 0, 20, 0]),
    // CWL + 8 + tWR (96, 96, 66, 96) - tRTP (24, 24, 17, 24)
    row("tWTRA", WRITE, &[Rda], &[To::Same], [124, 130, 87, 124]),
    row("tRTP", &[Rd], PRE, &[To::Same], [24, 24, 17, 24]),
    row("tWR", &[Wr], PRE, &[To::Same], [148, 154, 104, 148]),
    row("tRP", PRE, &[Act], &[To::Same], [46, 52, 32, 46]),
    // Behind tRTP, or write recovery, of the auto-precharge
    row("tRP, auto", &[Rda], &[Act], &[To::Same], [70, 76, 49, 70]),
    row(
        "tRP, auto",
        &[Wra],
        &[Act],
        &[To::Same],
        [194, 206, 136, 194],
    ),
    row(
        "tPPD",
        PRE,
        PRE,
        &[To::Bank, To::Group, To::Both],
        [2, 2, 2, 2],
    ),
    row("tRP to REFab", PRE, &[RefAb], &[To::Same], [46, 0, 32, 46]),
    row(
        "tRP to REFab, auto",
        &[Rda],
        &[RefAb],
        &[To::Same],
        [70, 0, 49, 70],
    ),
    row(
        "tRP to REFab, auto",
        &[Wra],
        &[RefAb],
        &[To::Same],
        [194, 0, 136, 194],
    ),
    // 295, 410 and 295 ns
    row(
        "tRFC",
        &[RefAb],
        ANY,
        &[To::Same, To::Both],
        [943, 0, 901, 943],
    ),
    row("tRFC", &[RefAb], &[RefAb], &[To::Same], [943, 0, 901, 943]),
    // 100 ns
    row("tRFC_dlr", &[RefAb], &[RefAb], &[To::Slice], [0, 0, 0, 320]),
    row(
        "tRP to REFsb",
        PRE,
        &[RefSb],
        &[To::Same, To::Group],
        [0, 52, 0, 0],
    ),
    row(
        "tRP to REFsb, auto",
        &[Rda],
        &[RefSb],
        &[To::Same, To::Group],
        [0, 76, 0, 0],
    ),
    row(
        "tRP to REFsb, auto",
        &[Wra],
        &[RefSb],
        &[To::Same, To::Group],
        [0, 206, 0, 0],
    ),
    row(
        "tRRD_L to REFsb",
        &[Act],
        &[RefSb],
        &[To::Bank, To::Both],
        [0, 16, 0, 0],
    ),
    // 190 ns, and 30 ns
    row(
        "tRFCsb",
        &[RefSb],
        &[Act],
        &[To::Same, To::Group],
        [0, 608, 0, 0],
    ),
    row(
        "tREFSBRD",
        &[RefSb],
        &[Act],
        &[To::Bank, To::Both],
        [0, 96, 0, 0],
    ),
    row(
        "REFsb to REFsb",
        &[RefSb],
        &[RefSb],
        &[To::Bank],
        [0, 608, 0, 0],
    ),
    row(
        "tRFCsb to PDE",
        &[RefSb],
        &[Pde],
        &[To::Same, To::Both],
        [0, 608, 0, 0],
    ),
    row("tPRPDEN", PRE, &[Pde], &[To::Same, To::Both], [2, 2, 2, 2]),
    // Write recovery, then tPRPDEN
    row(
        "tPRPDEN, auto",
        &[Wra],
        &[Pde],
        &[To::Same, To::Both],
        [150, 156, 106, 150],
    ),
    // CL + 8 + 1, and CWL + 8 + tWR + 1
    row(
        "tRDPDEN",
        READ,
        &[Pde],
        &[To::Same, To::Both],
        [55, 61, 41, 55],
    ),
    row(
        "tWRPDEN",
        &[Wr],
        &[Pde],
        &[To::Same, To::Both],
        [149, 155, 105, 149],
    ),
    row("tPD", &[Pde], &[Pdx], &[To::Same], [24, 24, 17, 24]),
    row("tXP", &[Pdx], ANY, &[To::Same, To::Both], [24, 24, 17, 24]),
    row("tXP", &[Pdx], COLUMN, &[To::Same], [24, 24, 17, 24]),
    row("tXP", &[Pdx], &[RefAb], &[To::Same], [24, 0, 17, 24]),
    row("tXP", &[Pdx], &[RefSb], &[To::Same], [0, 24, 0, 0]),
];

/// Where the first command goes.
const FIRST: Location = Location {
    pseudo_channel: 0,
    rank: 0,
    group: 2,
    bank: 1,
    row: 7,
    column: 0,
};

fn second(to: To, memory: &CheckedChannel) -> Location {
    let mut location = FIRST;
    match to {
        To::Same => {}
        To::Bank => location.bank += 1,
        To::Group => location.group += 1,
        To::Both => (location.group, location.bank) = (location.group + 1, location.bank + 1),
        To::Slice => location.rank += 1,
        To::Rank => location.rank += memory.shape.slices,
        To::Pair => location.pseudo_channel += 1,
    }
    location
}

/// As traces spell the location: without the parts that a command does not carry.
fn spelled(command: Command, mut location: Location) -> Location {
    if matches!(command, PreSb | PreAb | RefSb | RefAb | Pde | Pdx) {
        (location.group, location.row) = (0, 0);
    }
    if matches!(command, PreAb | RefAb | Pde | Pdx) {
        location.bank = 0;
    }
    location
}

fn wants_open(command: Command) -> bool {
    command.is_column() || matches!(command, PrePb | PreSb | PreAb)
}

/// What must have happened long before.
fn prepared(from: Command, to: Command, there: Location) -> Vec<(u64, Command, Location)> {
    let mut commands = Vec::new();
    let mut at = 0;
    let mut add = |command, location| {
        at += 2000;
        commands.push((at, command, spelled(command, location)));
    };
    let moves_on = matches!(from, Pdx) && wants_open(to);
    if wants_open(from) || (moves_on && there == FIRST) {
        add(Act, FIRST);
    }
    // A refreshed rank is closed; a precharge to it is wrong all the same.
    if wants_open(to) && there != FIRST && from != RefAb {
        add(Act, there);
    }
    if from == Pdx {
        add(Pde, FIRST);
    }
    commands
}

const START: u64 = 20_000;

fn run(
    checker: &mut Checker,
    pair: (Command, Command),
    there: Location,
    clocks: u64,
) -> Option<&'static str> {
    let (from, to) = pair;
    legal(checker, &prepared(from, to, there));
    legal(checker, &[(START, from, spelled(from, FIRST))]);
    violated(checker, START + clocks, to, spelled(to, there))
}

/// Pairs that make no sense: a bank that the first command closed, and precharges that close what must stay open.
fn impossible(from: Command, to: Command, place: To) -> bool {
    let closes = matches!(from, Rda | Wra) && place == To::Same && to.is_column();
    let all_but_one = matches!(from, PreSb) && matches!(place, To::Group) && to == RefSb;
    closes || all_but_one
}

fn pairs() -> impl Iterator<Item = (&'static Row, Command, Command, To)> {
    ROWS.iter().flat_map(|row| {
        row.from.iter().flat_map(move |&from| {
            row.to
                .iter()
                .flat_map(move |&to| row.places.iter().map(move |&place| (row, from, to, place)))
        })
    })
}

#[test]
fn every_pair_is_legal_at_its_distance_and_not_a_clock_earlier() {
    let mut checked = 0;
    for (name, index) in MEMORIES.iter().zip(0..) {
        let memory = memory_named(name);
        for (row, from, to, place) in pairs() {
            let clocks = row.clocks[index];
            if clocks == 0 || impossible(from, to, place) {
                continue;
            }
            let there = second(place, &memory);
            let fresh = || Checker::new(&memory).expect("a memory");
            let what = format!("{name}: {}: {from:?} to {to:?}, {place:?}", row.rule);
            assert_eq!(run(&mut fresh(), (from, to), there, clocks), None, "{what}");
            let early = run(&mut fresh(), (from, to), there, clocks - 1);
            assert_eq!(early, Some(row.rule), "{what}");
            let mut blind = fresh();
            blind.ignore(row.rule);
            assert_eq!(
                run(&mut blind, (from, to), there, clocks - 1),
                None,
                "{what}: who else?"
            );
            checked += 1;
        }
    }
    assert!(checked > 450, "{checked} pairs");
}

/// Rules that other rules hide at the numbers of DDR5: four times tRRD is tFAW, tRAS and tRP are tRC, and ACT takes
/// two slots of the command bus.
#[test]
fn hidden_rules_are_named_where_they_bind() {
    let mut memory = memory_named("stacked");
    memory.parameters.rc = ClockPair::clocks(170);
    memory.parameters.faw = ClockPair::clocks(40);
    memory.parameters.faw_dlr = ClockPair::clocks(30);
    memory.parameters.act_pden = ClockPair::clocks(5);
    let group = |group| Location { group, ..FIRST };
    let slice = |rank, group| Location {
        rank,
        group,
        ..FIRST
    };
    let in_rank = [
        (0, Act, group(0)),
        (8, Act, group(1)),
        (16, Act, group(2)),
        (24, Act, group(3)),
    ];
    let in_stack = [
        (0, Act, slice(0, 0)),
        (4, Act, slice(1, 1)),
        (8, Act, slice(0, 2)),
        (12, Act, slice(1, 3)),
    ];
    let cycle = [(0, Act, FIRST), (103, PrePb, FIRST)];
    let cases: [(&str, &[_], Command, Location, u64); 4] = [
        ("tFAW", &in_rank, Act, group(4), 40),
        ("tFAW_dlr", &in_stack, Act, slice(0, 4), 30),
        ("tRC", &cycle, Act, FIRST, 170),
        ("tACTPDEN", &cycle[..1], Pde, spelled(Pde, FIRST), 5),
    ];
    for (rule, before, command, location, clocks) in cases {
        let run = |at, ignored: Option<&'static str>| {
            let mut checker = Checker::new(&memory).expect("a memory");
            ignored.into_iter().for_each(|rule| checker.ignore(rule));
            legal(&mut checker, before);
            violated(&mut checker, at, command, location)
        };
        assert_eq!(run(clocks, None), None, "{rule}");
        assert_eq!(run(clocks - 1, None), Some(rule));
        assert_eq!(run(clocks - 1, Some(rule)), None, "{rule}: who else?");
    }
}

/// All other banks have their turn before one is refreshed again, which takes longer at the numbers of DDR5 and LPDDR5X.
/// With REFsb as close as tRREFD of HBM3, and half of its sets, tRFCsb binds: 320 clocks.
#[test]
fn a_set_is_not_refreshed_again_too_soon() {
    let mut memory = memories::hbm3(1, RefreshMode::SameBank);
    memory.shape.refresh_sets = 8;
    memory.controller.ahead_max = 100;
    let set = |number: u8| Location {
        group: number / 4,
        bank: number % 4,
        ..FIRST
    };
    let round: Vec<_> = (0..8)
        .map(|number| (13 * u64::from(number), RefSb, set(number)))
        .collect();
    let rule = "tRFCsb to REFsb";
    let run = |at, ignored: Option<&'static str>| {
        let mut checker = Checker::new(&memory).expect("a memory");
        ignored.into_iter().for_each(|rule| checker.ignore(rule));
        legal(&mut checker, &round);
        violated(&mut checker, at, RefSb, set(0))
    };
    assert_eq!(run(320, None), None);
    assert_eq!(run(319, None), Some(rule));
    assert_eq!(run(319, Some(rule)), None, "who else?");
    // A set of pairs is closed and refreshed as one: its second bank lies in the third group.
    let mut checker = Checker::new(&memory).expect("a memory");
    let second = Location { group: 2, ..FIRST };
    legal(&mut checker, &[(0, Act, second)]);
    assert_eq!(
        violated(&mut checker, 100, RefSb, FIRST),
        Some("refresh of closed banks")
    );
}

#[test]
fn no_rule_is_left_out() {
    let mut listed: BTreeSet<_> = ROWS.iter().map(|row| row.rule).collect();
    listed.extend(["tFAW", "tFAW_dlr", "tRC", "tACTPDEN", "tRFCsb to REFsb"]);
    let mut known = BTreeSet::new();
    for name in MEMORIES {
        let checker = Checker::new(&memory_named(name)).expect("a memory");
        known.extend(checker.rules().iter().map(|rule| rule.name));
    }
    assert_eq!(listed, known);
}
