//! Finds the parameters of cards that are calibrated, from the published figures that they are calibrated
//! with, and prints what the cards then predict.
//!
//! `cargo run --release -p wordline-catalog --example card_calibration` prints, for each card, the parameters
//! of its sheet, what they give, and a grid around them. `docs/concepts/cards.md` says what was chosen.
#![allow(clippy::print_stdout)]

#[path = "../tests/cards/workload.rs"]
mod workload;

use workload::{Course, Setting, course};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (part, settings) = match arguments.split_first() {
        Some((part, settings)) => (part.as_str(), settings),
        None => return println!("usage: card_calibration PART [KEY=VALUE,VALUE,...]..."),
    };
    let mut grid = vec![Vec::new()];
    for setting in settings {
        let (key, values) = setting.split_once('=').expect("KEY=VALUE,...");
        let values: Vec<u32> = values
            .split(',')
            .map(|v| v.parse().expect("a number"))
            .collect();
        grid = grid
            .into_iter()
            .flat_map(|known: Vec<Setting>| {
                values.iter().map(move |value| {
                    let mut all = known.clone();
                    all.push(Setting {
                        key: key.to_owned(),
                        value: *value,
                    });
                    all
                })
            })
            .collect();
    }
    for settings in grid {
        let names: Vec<_> = settings
            .iter()
            .map(|s| format!("{}={}", s.key, s.value))
            .collect();
        match course(part, &settings, 1) {
            Ok(course) => println!("{part} {}: {}", names.join(" "), line(&course)),
            Err(error) => println!("{part} {}: {error}", names.join(" ")),
        }
    }
}

fn line(course: &Course) -> String {
    let rates = [50e3, 100e3, 200e3, 300e3, 500e3, 1000e3];
    let ram = rates.map(|rate| format!("{:.1}", course.ram_of_longest(rate) / 1e3));
    let whole = rates.map(|rate| format!("{:.1}", course.ram_of_all(rate) / 1e3));
    format!(
        "{:.0} KB/s, slowest {:.1} ms, amplification {:.2}; KB of RAM at 50, 100, 200, 300, 500, 1000 KB/s: {} (all: {})",
        course.throughput() / 1e3,
        course.slowest() * 1e3,
        course.amplification,
        ram.join(" "),
        whole.join(" ")
    )
}
