use proptest::prelude::*;
use wordline_core::Timing;

use super::*;
use crate::Board;
use crate::Conditions;
use crate::Named;
use crate::device::{Accounts, CurrentGap};
use crate::error::Misuse;
use crate::fixture::TYPICAL;
use crate::model::ChipModel as _;
use crate::power::PowerState;
use crate::rules::Rule;
use crate::wired::Chip as _;

/// The invented DDR memory, after replacing `from` by `to` in its text.
fn sheet_with(from: &str, to: &str) -> DdrMramSheet {
    let text = include_str!("../../tests/data/ddr_mram.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replacen(from, to, 1)).expect("a well-formed sheet")
}

fn board_with(from: &str, to: &str) -> Board {
    let text = include_str!("../../tests/data/ddr_board.toml");
    assert!(text.contains(from), "{from}");
    toml::from_str(&text.replacen(from, to, 1)).expect("a well-formed board")
}

fn connect(sheet: &DdrMramSheet, board: &Board) -> Result<Wired<DdrMram>, NvmError> {
    assert_eq!((sheet.problems(), board.problems()), (vec![], vec![]));
    let part = Named { id: "part", sheet };
    let board = Named {
        id: "board",
        sheet: board,
    };
    Wired::connect(part, board, TYPICAL)
}

fn device() -> Wired<DdrMram> {
    connect(&sheet_with("", ""), &board_with("", "")).expect("fits")
}

const fn ns(ns: u64) -> Time {
    Time::from_ps(ns * 1000)
}

#[test]
fn an_access_is_driver_controller_row_column_and_data() {
    let mut device = device();
    assert_eq!(device.clock().now(), ns(100_000));
    device.read(0, &mut [0; 64]).expect("inside");
    let cost = *device.last_cost();
    assert_eq!(cost.of(Cause::Driver), ns(100));
    assert_eq!(cost.of(Cause::BusCommand), ns(30 + 20));
    assert_eq!(cost.of(Cause::ArrayRead), ns(50));
    assert_eq!(cost.of(Cause::BusData), ns(4 * 8));
    assert_eq!(cost.of(Cause::Recovery), Time::ZERO);
    assert_eq!(device.clock().now(), ns(100_000).plus(cost.total()));
    // The row is open now; another row of the bank lies 4 · 128 B on.
    device.read(64, &mut [0; 64]).expect("inside");
    assert_eq!(device.last_cost().total(), ns(100 + 30 + 20 + 32));
    device.read(512, &mut [0; 64]).expect("inside");
    assert_eq!(device.last_cost().of(Cause::Recovery), ns(10));
}

/// What was written is safe once its row is closed, tWR after the data, and stored.
#[test]
fn persist_closes_the_rows_and_stores() {
    let mut device = device();
    device.persist().expect("nothing to do");
    assert_eq!(device.last_cost().total(), Time::ZERO);
    device.write(0, &[1; 16]).expect("inside");
    device.persist().expect("stores");
    assert_eq!(device.last_cost().of(Cause::Driver), ns(50));
    assert_eq!(device.last_cost().of(Cause::BusCommand), ns(30));
    assert_eq!(device.last_cost().of(Cause::Program), ns(10 + 300));
    device.persist().expect("nothing to do");
    assert_eq!(device.last_cost().total(), Time::ZERO);
    // The row was closed.
    device.read(0, &mut [0; 16]).expect("inside");
    assert_eq!(device.last_cost().of(Cause::ArrayRead), ns(50));
}

#[test]
fn a_row_takes_a_cycle_for_each_time_that_it_is_open_and_written() {
    let mut device = device();
    for at in [0, 16, 32] {
        device.write(at, &[1; 16]).expect("inside");
    }
    assert_eq!(device.chip().cycles_at(100), Some(1));
    device
        .read(512, &mut [0; 16])
        .expect("another row of the bank");
    device.write(0, &[1; 16]).expect("inside");
    assert_eq!(device.chip().cycles_at(0), Some(2));
    assert_eq!(device.chip().cycles_at(512), Some(0));
    let wear = device.wear();
    assert_eq!((wear.most, wear.units, wear.unit_bytes), (2, 1, 128));
    assert_eq!(wear.endurance, 1000);
    let wears = "reads_wear = { value = true, source = 'invented' }\nidd0 =";
    let wears = sheet_with("idd0 =", wears);
    let mut device = connect(&wears, &board_with("", "")).expect("fits");
    device.read(0, &mut [0; 16]).expect("inside");
    device.write(0, &[0; 16]).expect("inside");
    assert_eq!(device.chip().cycles_at(0), Some(1));
}

/// By hand: 1 us with the rows closed at 70 mA; 70 ns to first data and a while after it with one
/// open at 100 mA; 8 ns of data at 200 mA; and one activation, (400 - 100) mA in 60 ns and
/// (400 - 70) mA in 10 ns.
#[test]
fn energy_follows_from_the_currents() {
    let mut device = device();
    let before = device.residence();
    device.clock().advance(ns(1000));
    device.read(0, &mut [0; 16]).expect("inside");
    device.clock().advance(ns(1000));
    let spent = device.residence().since(&before);
    assert_eq!(spent.of(PowerState::Standby), ns(1000 + 130));
    assert_eq!(spent.of(PowerState::Active), ns(70 + 1000));
    assert_eq!(spent.of(PowerState::Read), ns(8));
    assert_eq!(spent.of(PowerState::Activate), ns(70));
    let charge = 0.07 * 1130.0 + 0.1 * 1070.0 + 0.2 * 8.0 + 0.3 * 60.0 + 0.33 * 10.0;
    let energy = spent.energy_j(device.power_draw()).expect("stated");
    assert!((energy - charge * 1.2e-9).abs() < 1e-15, "{energy}");
}

/// A controller that closes rows: the bank is open for tRAS, or until its data have moved.
#[test]
fn closed_rows_are_standby() {
    let closed = board_with("\"open\"", "\"closed\"");
    let mut device = connect(&sheet_with("", ""), &closed).expect("fits");
    let before = device.residence();
    device.write(0, &[1; 16]).expect("inside");
    // tRCD, tCWL, a burst and tWR, of which the data count as a write.
    device.clock().advance(ns(1000));
    let spent = device.residence().since(&before);
    assert_eq!(spent.of(PowerState::Active), ns(50 + 16 + 14));
    assert_eq!(spent.of(PowerState::Write), ns(8));
    assert_eq!(spent.of(PowerState::Standby), ns(130 + 1000 - 14));
    device.persist().expect("stores");
    assert_eq!(device.last_cost().of(Cause::Program), ns(300));
}

#[test]
fn a_current_that_is_not_stated_is_a_gap() {
    let sheet = sheet_with("idd0 = { typ = \"400 mA\", source = \"invented\" }", "");
    let mut device = connect(&sheet, &board_with("", "")).expect("fits");
    let gap = CurrentGap::Unknown { action: "activate" };
    assert_eq!(device.notes().currents, [gap]);
    device.read(0, &mut [0]).expect("inside");
    assert_eq!(device.residence().energy_j(device.power_draw()), None);
}

#[test]
fn what_does_not_fit_is_refused_with_both_sides() {
    let error = |sheet: &DdrMramSheet, board: &Board| {
        connect(sheet, board).expect_err("refused").to_string()
    };
    let sheet = sheet_with("", "");
    assert_eq!(
        error(&sheet, &board_with("typ = \"500", "typ = \"625")),
        "the bus is too fast: for a clock the chip needs 2 ns, the board allows 1.6 ns"
    );
    assert_eq!(
        error(&sheet_with("value = 16", "value = 8"), &board_with("", "")),
        "the bus does not fit: the chip has 8 data lines, the board 16"
    );
    assert_eq!(
        error(&sheet, &board_with("1.2 V", "1.8 V")),
        "no rail fits: the chip needs 1.1 V to 1.3 V, the board has 1.8 V (VDD)"
    );
    let link = sheet.link(&crate::fixture::board_with("1.8 V", "1.2 V"));
    assert_eq!(
        link.expect_err("refused").to_string(),
        "no bus fits: the chip needs a DDR bus, the board has serial"
    );
}

#[test]
fn each_mistake_in_a_sheet_is_found() {
    let found = |from, to| {
        let problems = sheet_with(from, to).problems();
        let paths: Vec<_> = problems.into_iter().map(|problem| problem.path).collect();
        paths.join(" ")
    };
    assert_eq!(found("", ""), "");
    assert_eq!(found("value = 16", "value = 4"), "width_bits");
    assert_eq!(found("value = 4", "value = 3"), "banks banks");
    assert_eq!(found("typ = \"128 B", "typ = \"100 B"), "row_bytes banks");
    assert_eq!(found("typ = \"128 B", "typ = \"8 B"), "row_bytes");
    assert_eq!(found("value = 8", "value = 7"), "burst_length");
    assert_eq!(found("max = \"500 MHz\"", "typ = \"500 MHz\""), "clock");
    assert_eq!(
        found("min = \"60 ns\"", "min = \"60 ns\", max = \"5 ns\""),
        "t_ras"
    );
    assert_eq!(found("400 mA", "0 mA"), "idd0");
}

#[test]
fn refused_and_empty_accesses_take_no_time() {
    let mut device = device();
    let before = device.clock().now();
    assert!(device.write(1 << 20, &[1]).is_err());
    assert!(device.read(u64::MAX, &mut [0; 2]).is_err());
    device.write(1 << 20, &[]).expect("nothing, at the end");
    assert_eq!(device.clock().now(), before);
    let mut chip = device.chip().clone();
    assert!(
        chip.read(before, 5, &mut [])
            .is_ok_and(|cost| cost.total() == Time::ZERO)
    );
    let early = ns(99_999);
    let ready = chip.ready();
    let misuse = Misuse::NotReady {
        start: early,
        ready,
    };
    assert_eq!(chip.read(early, 0, &mut [0]), Err(misuse.into()));
}

#[test]
fn what_a_chip_forgets_is_gone() {
    let mut chip = device().chip().clone();
    for rule in [Rule::Ready, Rule::Content, Rule::Wear] {
        chip.forget(rule);
    }
    chip.write(Time::ZERO, 0, &[1; 16])
        .expect("need not be ready");
    let mut out = [9; 16];
    chip.read(Time::ZERO, 0, &mut out)
        .expect("need not be ready");
    assert_eq!((out, chip.wear().most), ([0; 16], 0));
}

#[test]
fn a_fork_goes_its_own_way() {
    let mut device = device();
    device.write(0, &[1]).expect("inside");
    let mut fork = device.fork();
    fork.write(0, &[2]).expect("inside");
    let mut out = [0];
    device.read(0, &mut out).expect("inside");
    assert_eq!(out, [1]);
    assert_eq!(device.atom(), 16);
    assert_eq!(device.overwrite_bytes(), 1);
}

#[test]
fn the_timing_class_changes_no_time() {
    let (sheet, board) = (&sheet_with("", ""), &board_with("", ""));
    let ends = [Timing::Typ, Timing::Max, Timing::Sampled].map(|timing| {
        let part = Named { id: "part", sheet };
        let board = Named {
            id: "board",
            sheet: board,
        };
        let conditions = Conditions { timing, ..TYPICAL };
        let mut device = Wired::connect(part, board, conditions).expect("fits");
        device.write(100, &[1; 1000]).expect("inside");
        device.clock().now()
    });
    assert_eq!((ends[0], ends[0]), (ends[1], ends[2]));
}

proptest! {
    /// Bytes are those of plain memory, every picosecond of an access has a cause, and of the time
    /// since power-on every picosecond is in one state.
    #[test]
    fn it_is_memory_with_accounts(
        ops in prop::collection::vec((0..3_u8, 0..4000_u64, 1..900_usize, any::<u8>()), 1..30),
        policy in prop_oneof![Just("\"open\""), Just("\"closed\"")],
    ) {
        let mut device = connect(&sheet_with("", ""), &board_with("\"open\"", policy)).expect("fits");
        let mut plain = vec![0; 8192];
        for (kind, at, bytes, value) in ops {
            let before = device.clock().now();
            let range = at as usize..at as usize + bytes;
            match kind {
                0 => {
                    let data = vec![value; bytes];
                    plain[range].copy_from_slice(&data);
                    device.write(at, &data).expect("inside");
                }
                1 => {
                    let mut out = vec![0; bytes];
                    device.read(at, &mut out).expect("inside");
                    prop_assert_eq!(&out, &plain[range]);
                }
                _ => device.persist().expect("stores"),
            }
            prop_assert_eq!(device.clock().now().since(before), device.last_cost().total());
            let residence = device.residence();
            let states = PowerState::ALL.into_iter().filter(|state| *state != PowerState::Activate);
            let sum = states.fold(Time::ZERO, |sum, state| sum.plus(residence.of(state)));
            prop_assert_eq!(sum, device.clock().now());
        }
    }
}
