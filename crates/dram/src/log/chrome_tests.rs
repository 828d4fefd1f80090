use serde_json::Value;

use super::ChromeLog;
use crate::command::{Command, Issued};
use crate::config::{
    ChannelGeometry, ClockDomain, PagePolicy, Policy, Refresh, SameBankOrder, SubChannelConfig,
};
use crate::observer::Observer;
use crate::request::Location;
use crate::timing::Timing;

/// One rank of two groups with two banks, on clocks of 500 ps.
pub(super) fn config(pseudo_channels: u8) -> SubChannelConfig {
    SubChannelConfig {
        clock: ClockDomain::double(4000),
        geometry: ChannelGeometry {
            pseudo_channels,
            ranks: 1,
            slices: 1,
            groups: 2,
            banks: 2,
            refresh_sets: 2,
            rows: 1000,
            columns: 128,
        },
        timing: Timing {
            cl: 20,
            cwl: 18,
            burst: 8,
            rcd: 20,
            rp: 20,
            ras: 50,
            rc: 70,
            rtp: 10,
            wr: 30,
            ccd_s: 8,
            ccd_m: 8,
            ccd_l: 8,
            ccd_s_wr: 8,
            ccd_m_wr: 8,
            ccd_l_wr: 8,
            wtr_s: 4,
            wtr_m: 4,
            wtr_l: 4,
            rtw: 14,
            rrd_s: 8,
            rrd_l: 8,
            faw: 32,
            ppd: 2,
            rrd_dlr: 8,
            faw_dlr: 32,
            rank_gap: 2,
            pair_burst: 8,
            pair_rtw: 14,
            pair_wtr: 14,
            refi: 4000,
            rfc: 300,
            rfc_dlr: 100,
            refi_sb: 500,
            rfc_sb: 130,
            refsb_gap: 130,
            refsbrd: 30,
            pd: 16,
            xp: 16,
            pden: 2,
            long_command: 2,
            column_command: 2,
        },
        policy: Policy {
            scheduler: crate::scheduler::SchedulerName::FrFcfs,
            read_queue: 32,
            write_queue: 64,
            shared_queues: false,
            shared_commands: false,
            drain_high: 48,
            drain_low: 16,
            age_cap: 64,
            turn_lookahead: 0,
            turn_hits_max: 0,
            turn_early: false,
            bus_loss_permille: 0,
            bus_loss_waits_max: 16,
            page: PagePolicy::Open,
            refresh: Refresh::AllBank,
            same_bank_order: SameBankOrder::RoundRobin,
            refresh_postponed_max: 4,
            refresh_pulled_in_max: 0,
            refresh_aside: 0,
            rfm: None,
            refresh_phase: vec![0; usize::from(pseudo_channels)],
            power_down: None,
        },
    }
}

fn place(group: u8, bank: u8, row: u32) -> Location {
    Location {
        group,
        bank,
        row,
        ..Location::default()
    }
}

fn json(text: &[u8]) -> Vec<Value> {
    let document: Value = serde_json::from_slice(text).expect("JSON");
    assert_eq!(document["displayTimeUnit"], "ns");
    document["traceEvents"]
        .as_array()
        .expect("an array")
        .clone()
}

/// Name, process, thread, begin and length of every slice, in nanoseconds.
pub(super) fn slices(text: &[u8]) -> Vec<(String, u64, u64, f64, f64)> {
    let slice = |event: &Value| {
        let number = |key: &str| event[key].as_u64().expect("whole");
        let ns = |key: &str| (event[key].as_f64().expect("a number") * 1e6).round() / 1e3;
        let name = event["name"].as_str().expect("a name").to_owned();
        (name, number("pid"), number("tid"), ns("ts"), ns("dur"))
    };
    let events = json(text);
    events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(slice)
        .collect()
}

fn logged(commands: &[(u64, Command, Location)]) -> Vec<u8> {
    let log = ChromeLog::new(Vec::new(), &config(1));
    let mut observer = log.sub_channel(0, 0);
    for &(at, command, location) in commands {
        observer.command(&Issued {
            at,
            command,
            location,
            request: command.is_column().then_some(9),
        });
    }
    log.finish().expect("a vector takes all")
}

const BUS: u64 = 0;
const RANK: u64 = 1;
const BANKS: u64 = 2;

fn slice(name: &str, thread: u64, from: f64, length: f64) -> (String, u64, u64, f64, f64) {
    (name.to_owned(), 0, thread, from, length)
}

#[test]
fn rows_data_refresh_and_power_down_are_slices() {
    let text = logged(&[
        (100, Command::Act, place(1, 0, 7)),
        (120, Command::Rd, place(1, 0, 7)),
        (128, Command::Wr, place(1, 0, 7)),
        (150, Command::PrePb, place(1, 0, 0)),
        (200, Command::RefAb, Location::default()),
        (500, Command::RefSb, place(0, 1, 0)),
        (700, Command::Pde, Location::default()),
        (800, Command::Pdx, Location::default()),
    ]);
    let expected = [
        slice("RD", BUS, 70.0, 4.0),
        slice("WR", BUS, 73.0, 4.0),
        slice("row 7", BANKS + 2, 50.0, 25.0),
        slice("REFab", RANK, 100.0, 150.0),
        slice("REFsb bank 1", RANK, 250.0, 65.0),
        slice("power-down", RANK, 350.0, 50.0),
    ];
    assert_eq!(slices(&text), expected);
    let events = json(&text);
    let read = events
        .iter()
        .find(|event| event["name"] == "RD")
        .expect("told");
    assert_eq!(read["args"]["request"], 9);
    assert_eq!(read["args"]["group"], 1);
    assert_eq!(read["args"]["row"], 7);
}

#[test]
fn rows_close_by_every_command_that_closes_them() {
    let text = logged(&[
        (0, Command::Act, place(0, 0, 1)),
        (8, Command::Act, place(0, 1, 2)),
        (16, Command::Act, place(1, 1, 3)),
        // tRAS decides for the read, tWR for the write.
        (20, Command::Rda, place(0, 0, 1)),
        (60, Command::Wra, place(1, 1, 3)),
        (100, Command::PreSb, place(0, 1, 0)),
        (200, Command::Act, place(0, 0, 4)),
        (208, Command::Act, place(1, 0, 5)),
        (300, Command::PreAb, Location::default()),
    ]);
    let expected = [
        slice("RDA", BUS, 20.0, 4.0),
        slice("row 1", BANKS, 0.0, 25.0),
        slice("WRA", BUS, 39.0, 4.0),
        slice("row 3", BANKS + 3, 8.0, 50.0),
        slice("row 2", BANKS + 1, 4.0, 46.0),
        slice("row 4", BANKS, 100.0, 50.0),
        slice("row 5", BANKS + 2, 104.0, 46.0),
    ];
    assert_eq!(slices(&text), expected);
}

#[test]
fn what_is_open_at_the_end_ends_with_the_last_thing_that_happened() {
    let text = logged(&[
        (0, Command::Act, place(0, 0, 1)),
        (20, Command::Rd, place(0, 0, 1)),
        (30, Command::Pde, Location::default()),
    ]);
    let expected = [
        slice("RD", BUS, 20.0, 4.0),
        slice("row 1", BANKS, 0.0, 24.0),
        slice("power-down", RANK, 15.0, 9.0),
    ];
    assert_eq!(slices(&text), expected);
    assert!(slices(&logged(&[])).is_empty());
}

#[test]
fn every_pseudo_channel_is_a_process_of_its_own() {
    let log = ChromeLog::new(Vec::new(), &config(2));
    let mut observers = [log.sub_channel(0, 0), log.sub_channel(3, 1)];
    for (observer, pseudo_channel) in [(0, 0), (1, 1), (1, 7)] {
        let observer = &mut observers[observer];
        let location = Location {
            pseudo_channel,
            ..Location::default()
        };
        observer.command(&Issued {
            at: 5,
            command: Command::RefAb,
            location,
            request: None,
        });
    }
    let text = log.finish().expect("a vector takes all");
    let processes: Vec<u64> = slices(&text).iter().map(|slice| slice.1).collect();
    assert_eq!(processes, [0, 3], "what lies outside is left out");
    let events = json(&text);
    let names: Vec<&str> = events
        .iter()
        .filter(|event| event["name"] == "process_name")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "channel 0 sub-channel 0 pseudo-channel 0",
            "channel 0 sub-channel 0 pseudo-channel 1",
            "channel 3 sub-channel 1 pseudo-channel 0",
            "channel 3 sub-channel 1 pseudo-channel 1",
        ]
    );
    let threads = events.iter().filter(|event| event["name"] == "thread_name");
    assert_eq!(threads.count(), 4 * 6);
}

#[test]
fn extremes_neither_panic_nor_break_the_form() {
    let mut commands = Vec::new();
    for command in Command::ALL {
        for at in [0, 1, u64::MAX - 1, u64::MAX] {
            commands.push((at, command, place(1, 1, u32::MAX)));
            commands.push((at, command, place(255, 255, 0)));
        }
    }
    slices(&logged(&commands));
}
