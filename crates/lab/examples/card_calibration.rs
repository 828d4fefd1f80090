//! Finds the parameters of cards that are calibrated, from the published figures that they are calibrated with, and
//! prints what the cards then predict.
//!
//! `cargo run --release -p wordline-lab --example card_calibration -- PART [KEY=VALUE,VALUE,...]...` prints what each
//! combination of the numbers gives in the run of `wordline reproduce realtime-buffering`.
#![allow(clippy::print_stdout)]

#[path = "../tests/calibration/course.rs"]
mod course;

use course::{Course, Setting, course};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((part, settings)) = arguments.split_first() else {
        return println!("usage: card_calibration PART [KEY=VALUE,VALUE,...]...");
    };
    for settings in grid(settings) {
        let names = settings.iter().map(|(key, value)| format!("{key}={value}"));
        let names = names.collect::<Vec<_>>().join(" ");
        match course(part, &settings, 0) {
            Ok(course) => println!("{part} {names}: {}", line(&course)),
            Err(error) => println!("{part} {names}: {error}"),
        }
    }
}

/// All combinations of the values that are to be tried.
fn grid(settings: &[String]) -> Vec<Vec<Setting>> {
    let mut grid = vec![Vec::new()];
    for setting in settings {
        let (key, values) = setting.split_once('=').expect("KEY=VALUE,...");
        let values: Vec<u32> = values
            .split(',')
            .map(|value| value.parse().expect("a number"))
            .collect();
        let with = |known: Vec<Setting>| {
            let one = move |value| [known.as_slice(), &[(key.to_owned(), value)]].concat();
            values.clone().into_iter().map(one)
        };
        grid = grid.into_iter().flat_map(with).collect();
    }
    grid
}

fn line(course: &Course) -> String {
    let ram = course.ram.map(|ram| match ram {
        Some(bytes) => format!("{:.1}", bytes / 1e3),
        None => "-".to_owned(),
    });
    let ram = ram.join(" ");
    format!(
        "{:.0} KB/s, slowest {:.1} ms; KB of RAM at 50, 100, 200, 300, 500 KB/s: {ram}",
        course.throughput / 1e3,
        course.slowest * 1e3,
    )
}
