//! How fast a card of 32 GB is simulated, and how much memory it takes: 4 KiB accesses with 8 GB written.
//!
//! Not a Criterion bench, because it reports the peak memory of the process as well.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use wordline_core::Timing;
use wordline_core::draw::{Purpose, draw};
use wordline_memory::ByteMemory;
use wordline_nvm::{Accounts, Board, Card, CardSheet, Conditions, Device, Named};

const ACCESS: u64 = 4096;
const WRITTEN: u64 = 8 << 30;

fn main() {
    let mut card = connect(Timing::Typ);
    let slots = card.len() / ACCESS;
    let count = WRITTEN / ACCESS;
    let data = content();
    run("sequential write", count, |step| {
        card.write(step * ACCESS, &data[step as usize % data.len()])
            .expect("inside");
    });
    let mut out = [0u8; ACCESS as usize];
    run("sequential read", count, |step| {
        card.read(step * ACCESS, &mut out).expect("inside")
    });
    run("random read", count, |step| {
        card.read(place(step, count), &mut out).expect("inside");
    });
    run("random read within 64 MiB", count, |step| {
        card.read(place(step, 1 << 14), &mut out).expect("inside");
    });
    run("random write within 64 MiB", count, |step| {
        card.write(place(step, 1 << 14), &data[step as usize % data.len()])
            .expect("inside");
    });
    run("random overwrite of the 8 GB", count, |step| {
        card.write(place(step, count), &data[step as usize % data.len()])
            .expect("inside");
    });
    println!("{}", report(&card));
    peak("8 GB in a row, written twice");

    drop(card);
    let mut card = connect(Timing::Typ);
    run("random write over 32 GB", count, |step| {
        card.write(place(step, slots), &data[step as usize % data.len()])
            .expect("inside");
    });
    println!("{}", report(&card));
    peak("8 GB scattered over 32 GB");

    drop(card);
    let mut card = connect(Timing::Sampled);
    run("random write over 32 GB, sampled", count, |step| {
        card.write(place(step, slots), &data[step as usize % data.len()])
            .expect("inside");
    });
    drop(card);
    let mut card = connect(Timing::Typ);
    let page = vec![7u8; 1 << 20];
    run("preload of 1 MiB", card.len() >> 20, |step| {
        card.preload(step << 20, &page).expect("inside")
    });
    run("random write of a full card", count / 4, |step| {
        card.write(place(step, slots), &data[step as usize % data.len()])
            .expect("inside");
    });
    println!("{}", report(&card));
}

/// Accesses whose sectors repeat a word each, as made-up content does.
fn content() -> Vec<[u8; ACCESS as usize]> {
    let access = |number: u64| {
        let mut data = [0; ACCESS as usize];
        for (index, part) in data.chunks_exact_mut(8).enumerate() {
            part.copy_from_slice(&(number * 8 + index as u64 / 64).to_le_bytes());
        }
        data
    };
    (1..5).map(access).collect()
}

fn place(step: u64, slots: u64) -> u64 {
    draw(1, 0, step, Purpose::Address) % slots * ACCESS
}

fn run(name: &str, count: u64, mut one: impl FnMut(u64)) {
    let start = busy_s();
    (0..count).for_each(&mut one);
    let rate = count as f64 / (busy_s() - start);
    println!("{name:36} {:8.2} M a second", rate / 1e6);
}

/// Seconds that this thread has run: other work on the host does not count, where Linux tells.
fn busy_s() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = stat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn report(card: &Card) -> String {
    let report = card.translation().expect("a card has a layer");
    let amplification = report.work.write_amplification().unwrap_or(0.0);
    format!(
        "  write amplification {amplification:.2}, {:?}",
        report.work
    )
}

fn peak(what: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("{what}: {}", line.unwrap_or("peak memory unknown"));
}

fn connect(timing: Timing) -> Card {
    let sheet = include_str!("../../catalog/parts/cards/sandisk-extreme-32g.toml");
    let board = include_str!("../../catalog/parts/boards/stm32h743-sdmmc.toml");
    let sheet: CardSheet = table(sheet)["card"].clone().try_into().expect("sound");
    let mut board = table(board);
    for key in [
        "board",
        "name",
        "manufacturer",
        "revision",
        "description",
        "cautions",
    ] {
        board.remove(key);
    }
    let board: Board = toml::Value::Table(board).try_into().expect("sound");
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed: 0,
    };
    let part = Named {
        id: "card",
        sheet: &sheet,
    };
    let board = Named {
        id: "board",
        sheet: &board,
    };
    Card::connect(part, board, conditions).expect("it fits")
}

fn table(text: &str) -> toml::Table {
    text.parse().expect("well-formed")
}
