//! Reading a cycling log.

use std::collections::HashMap;
use std::io::BufRead;

use wordline_core::quantity::Time;

use super::columns::CyclingColumns;
use super::{BlockLife, CyclingLog, CyclingOperation, CyclingPoint, LONGEST, MOST_POINTS};
use crate::TraceError;
use crate::csv::fields::LineFields;
use crate::lines::{LineReader, shown};
use crate::number::{NumberFault, scaled, whole};

impl CyclingLog {
    /// Reads a log.
    ///
    /// # Errors
    /// When it cannot be read, has no operation in it, or a line is not what the format asks for: the message says
    /// which, and what is allowed. A last line without an end that makes no sense is cut off, and left out.
    pub fn read(reader: impl BufRead) -> Result<Self, TraceError> {
        let mut lines = LineReader::new(reader);
        let Some(line) = lines.next_told()? else {
            return Err(TraceError::Empty);
        };
        let columns = CyclingColumns::read(&line)?;
        let mut blocks = BlockLives::default();
        let mut fields = LineFields::default();
        let mut cut_off = None;
        while let Some(line) = lines.next_told()? {
            let (number, ended) = (line.number, line.ended);
            let told = fields
                .split(line.text, b',')
                .and_then(|()| told(&columns, &fields))
                .and_then(|told| blocks.add(told, number));
            match told {
                Ok(()) => {}
                Err(_) if !ended && !blocks.lives.is_empty() => cut_off = Some(number),
                Err(problem) => {
                    return Err(TraceError::Malformed {
                        line: number,
                        problem,
                    });
                }
            }
        }
        if blocks.lives.is_empty() {
            return Err(TraceError::Empty);
        }
        Ok(Self {
            blocks: blocks.lives,
            passed_over: columns.passed_over,
            cut_off,
        })
    }
}

/// The content of a line.
struct CyclingRecord {
    chip: String,
    block: u64,
    cycle: u64,
    operation: CyclingOperation,
    duration: Time,
    failed: bool,
}

fn told(columns: &CyclingColumns, fields: &LineFields) -> Result<CyclingRecord, String> {
    let (found, expected) = (fields.count(), columns.count);
    if found != expected {
        return Err(format!(
            "{found} columns, where the first line names {expected}"
        ));
    }
    let text = |at: usize| fields.get(at).trim_ascii();
    let wrong =
        |name: &str, at: usize, what: &str| format!("column {name} is {}: {what}", shown(text(at)));
    let number = |name: &str, at: usize| {
        whole(text(at)).map_err(|fault: NumberFault| wrong(name, at, fault.words()))
    };
    let cycle = number("cycle", columns.cycle)?;
    if cycle == 0 {
        return Err(wrong("cycle", columns.cycle, "cycles count from 1"));
    }
    let operation = std::str::from_utf8(text(columns.operation)).unwrap_or_default();
    let operation = operation.parse().map_err(|()| {
        let allowed = "allowed are program, erase, read";
        wrong("operation", columns.operation, allowed)
    })?;
    let failed = match columns.status.map(text) {
        None | Some(b"ok" | b"") => false,
        Some(b"failed") => true,
        Some(found) => {
            return Err(format!(
                "column status is {}: allowed are ok, failed",
                shown(found)
            ));
        }
    };
    let ps = scaled(text(columns.latency), columns.unit, false)
        .map_err(|fault| wrong("latency", columns.latency, fault.words()))?;
    let duration = u64::try_from(ps).ok().map(Time::from_ps);
    let duration = duration.filter(|time| *time <= LONGEST).ok_or_else(|| {
        let problem = "longer than a minute, which no operation of a block takes: is the column's unit right?";
        wrong("latency", columns.latency, problem)
    })?;
    // What failed may have been given up at once.
    if duration == Time::ZERO && !failed {
        let problem = "no operation takes no time: is the column's unit right?";
        return Err(wrong("latency", columns.latency, problem));
    }
    Ok(CyclingRecord {
        chip: columns.chip.map_or_else(String::new, |at| {
            String::from_utf8_lossy(text(at)).into_owned()
        }),
        block: number("block", columns.block)?,
        cycle,
        operation,
        duration,
        failed,
    })
}

/// The blocks that were seen.
#[derive(Default)]
struct BlockLives {
    lives: Vec<BlockLife>,
    places: HashMap<(String, u64), usize>,
    /// Where the latest point of each operation of each block stands.
    latest: Vec<[Option<usize>; 3]>,
    points: usize,
}

impl BlockLives {
    fn add(&mut self, told: CyclingRecord, line: u64) -> Result<(), String> {
        let key = (told.chip, told.block);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => {
                self.lives.push(BlockLife {
                    chip: key.0.clone(),
                    block: key.1,
                    points: Vec::new(),
                    failed: None,
                    cycles: 0,
                    line,
                });
                self.latest.push([None; 3]);
                self.places.insert(key, self.lives.len() - 1);
                self.lives.len() - 1
            }
        };
        let life = &mut self.lives[place];
        if told.cycle < life.cycles {
            return Err(format!(
                "{} is in cycle {} after cycle {}: its lines are to stand in order",
                life.name(),
                told.cycle,
                life.cycles
            ));
        }
        // A worn-out block can still be read.
        let is_read = told.operation == CyclingOperation::Read;
        if let Some((cycle, operation)) = life.failed
            && !is_read
        {
            return Err(format!(
                "{} goes on after its {} failed in cycle {cycle}",
                life.name(),
                operation.name()
            ));
        }
        life.cycles = told.cycle;
        if told.failed {
            if is_read {
                return Err("a read does not fail with a status: allowed is ok".to_owned());
            }
            life.failed = Some((told.cycle, told.operation));
            return Ok(());
        }
        let latest = &mut self.latest[place][told.operation as usize];
        if let Some(point) = latest.and_then(|at| life.points.get_mut(at))
            && point.duration == told.duration
        {
            point.lines += 1;
            return Ok(());
        }
        self.points += 1;
        if self.points > MOST_POINTS {
            return Err(format!(
                "more than {MOST_POINTS} different latencies: leave out those that hardly differ"
            ));
        }
        *latest = Some(life.points.len());
        life.points.push(CyclingPoint {
            cycle: told.cycle,
            operation: told.operation,
            duration: told.duration,
            line,
            lines: 1,
        });
        Ok(())
    }
}
