//! Whatever is given as a cycling log, it is refused in words, or read as lives of blocks that can be written and read
//! again; whatever is given as a table of times by cycles is refused in words, or ascends.

use std::io::BufReader;

use wordline_trace::cycling::{BlockLife, CyclingLog, CyclingPoint, CyclingWriter, LONGEST};
use wordline_trace::growth::{GrowthTable, GrowthUnit, ROWS_MIN};

/// Names of all columns, so that lines without them are looked at, too.
const NAMES: &[u8] = b"chip,block,cycle,operation,latency_us,status\n";

/// The same of a table of times by cycles.
const TABLE: &[u8] = b"cycles,erase_typ_ms,erase_max_ms\n";

/// Panics when a promise is broken. Returns whether a log was read.
pub(crate) fn check(data: &[u8]) -> bool {
    let as_it_is = read(data);
    read(&[NAMES, data].concat());
    // A unit is refused where every column states its own.
    let units = [None, Some(GrowthUnit::Ms)];
    let as_table = units.into_iter().any(|unit| read_table(data, unit));
    for unit in units {
        read_table(&[TABLE, data].concat(), unit);
    }
    as_it_is || as_table
}

/// A table of times by cycles, which `part fit` takes in the place of a log.
fn read_table(data: &[u8], unit: Option<GrowthUnit>) -> bool {
    let table = GrowthTable::read(data, unit);
    let in_pieces = GrowthTable::read(BufReader::with_capacity(3, data), unit);
    let table = match (table, in_pieces) {
        (Ok(table), Ok(in_pieces)) => {
            assert_eq!(table, in_pieces);
            table
        }
        (Err(error), Err(in_pieces)) => {
            assert_eq!(error.to_string(), in_pieces.to_string());
            assert!(error.to_string().len() < 1000, "{error}");
            return false;
        }
        (one, other) => panic!("{one:?} in one, {other:?} in pieces"),
    };
    assert!(table.cycles.len() >= ROWS_MIN && !table.columns.is_empty());
    assert!(table.cycles.is_sorted_by(|one, other| one < other));
    for column in &table.columns {
        assert_eq!(column.values.len(), table.cycles.len());
        assert!(
            column
                .values
                .is_sorted_by(|one, other| one.seconds <= other.seconds)
        );
        assert!(column.values.iter().all(|one| {
            one.seconds > 0.0 && one.step > 0.0 && one.step <= one.seconds && one.seconds <= 60.0
        }));
    }
    true
}

fn read(data: &[u8]) -> bool {
    let log = CyclingLog::read(data);
    let in_pieces = CyclingLog::read(BufReader::with_capacity(3, data));
    let log = match (log, in_pieces) {
        (Ok(log), Ok(in_pieces)) => {
            assert_eq!(log, in_pieces);
            log
        }
        (Err(error), Err(in_pieces)) => {
            assert_eq!(error.to_string(), in_pieces.to_string());
            assert!(error.to_string().len() < 1000, "{error}");
            return false;
        }
        (one, other) => panic!("{one:?} in one, {other:?} in pieces"),
    };
    assert!(!log.blocks.is_empty());
    for life in &log.blocks {
        assert!(life.points.iter().all(|point| {
            (1..=life.cycles).contains(&point.cycle)
                && point.duration.ps() > 0
                && point.lines > 0
                && point.duration <= LONGEST
        }));
        assert!(
            life.points
                .is_sorted_by_key(|point| (point.cycle, point.line))
        );
    }
    let again = CyclingLog::read(&written(&log)[..]).expect("what was read can be written");
    assert_eq!(log.blocks.len(), again.blocks.len());
    for (one, other) in log.blocks.iter().zip(&again.blocks) {
        same(one, other);
    }
    true
}

/// A log that tells the same.
fn written(log: &CyclingLog) -> Vec<u8> {
    let mut text = Vec::new();
    let mut writer = CyclingWriter::new(&mut text).expect("memory takes it");
    for life in &log.blocks {
        let mut put = |cycle, operation, duration, failed| {
            let chip = life.chip.as_str();
            let put = writer.operation(chip, life.block, cycle, operation, duration, failed);
            put.expect("memory takes it");
        };
        let mut points = life.points.iter().peekable();
        let failed = life.failed;
        while let Some(point) =
            points.next_if(|point| failed.is_none_or(|(cycle, _)| point.cycle <= cycle))
        {
            // Reads of the cycle in which it failed may come before or after: nobody can tell.
            put(point.cycle, point.operation, point.duration, false);
        }
        if let Some((cycle, operation)) = failed {
            put(cycle, operation, LONGEST, true);
        }
        for point in points {
            put(point.cycle, point.operation, point.duration, false);
        }
    }
    writer.finish().expect("memory takes it");
    text
}

/// What they tell, but for their lines, is to be the same.
fn same(one: &BlockLife, other: &BlockLife) {
    let told = |life: &BlockLife| (life.chip.clone(), life.block, life.failed);
    assert_eq!(told(one), told(other));
    assert_eq!(one.points.len(), other.points.len());
    for (one, other) in one.points.iter().zip(&other.points) {
        let told = |point: &CyclingPoint| (point.cycle, point.operation, point.duration);
        assert_eq!(told(one), told(other));
    }
}
