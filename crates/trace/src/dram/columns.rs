//! CSV: the first line names the columns, the times with their unit.

use wordline_core::Operation;

use super::request::{DramRecord, Stamp};
use super::words::{bad_address, cycles};
use super::{DramFormat, DramTraceError};
use crate::csv::fields::LineFields;
use crate::lines::shown;
use crate::number::{scaled, whole_or_hex};

const ADDRESS: &[&str] = &["address", "addr"];
const OPERATION: &[&str] = &["operation", "op", "rw", "type"];
const CYCLE: &[&str] = &["cycle", "cycles", "clock"];
/// Names of times, to be followed by an underscore and a unit.
const TIME: &[&str] = &["time", "timestamp", "at", "arrival"];
/// Units of time with their power of ten in picoseconds.
const UNITS: &[(&str, i32)] = &[("ps", 0), ("ns", 3), ("us", 6), ("ms", 9), ("s", 12)];
/// What an entry of the operation's column may be, in any case.
const OPERATIONS: &str = "read, r, rd, ld, write, w, wr, st";

/// What counts the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeUnit {
    Cycles,
    /// Times ten to this in picoseconds.
    Scale(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DramMeaning {
    Time(TimeUnit),
    Address,
    Operation,
    /// A time without a unit.
    Unitless,
}

/// What the first line says. Columns count from 0.
#[derive(Debug)]
pub(super) struct DramColumns {
    separator: u8,
    count: usize,
    time: (usize, TimeUnit),
    address: usize,
    operation: usize,
}

/// Whether a line names two of the columns.
pub(super) fn looks_like(text: &[u8]) -> bool {
    separated(text).2 >= 2
}

impl DramColumns {
    /// Reads the line of names.
    pub(super) fn read(line: u64, text: &[u8]) -> Result<Self, DramTraceError> {
        let fault = |problem| DramTraceError::Columns { line, problem };
        let (separator, fields, _) = separated(text);
        let (mut time, mut address, mut operation) = (None, None, None);
        for (at, name) in fields.iter().enumerate() {
            let twice = match meaning(name) {
                Some(DramMeaning::Time(unit)) => time.replace((at, unit)).is_some(),
                Some(DramMeaning::Address) => address.replace(at).is_some(),
                Some(DramMeaning::Operation) => operation.replace(at).is_some(),
                Some(DramMeaning::Unitless) => {
                    return Err(fault(format!("column {} needs a unit", shown(name))));
                }
                None => false,
            };
            if twice {
                let problem = format!("column {} says what another one says already", shown(name));
                return Err(fault(problem));
            }
        }
        let missing = |what| {
            fault(format!(
                "no column tells {what}: the names are {}",
                shown(text)
            ))
        };
        Ok(Self {
            separator,
            count: fields.count(),
            time: time.ok_or_else(|| missing("when a request comes"))?,
            address: address.ok_or_else(|| missing("its address"))?,
            operation: operation.ok_or_else(|| missing("what it does"))?,
        })
    }

    /// Takes a line apart.
    pub(super) fn request(
        &self,
        line: u64,
        text: &[u8],
        fields: &mut LineFields,
    ) -> Result<DramRecord, DramTraceError> {
        let no_request = |expected| DramTraceError::NoRequest {
            line,
            found: shown(text),
            format: DramFormat::Csv,
            expected,
        };
        fields
            .split(text, self.separator)
            .map_err(|problem| no_request(format!("quotes that close: {problem}")))?;
        if fields.count() != self.count {
            let (found, named) = (fields.count(), self.count);
            let expected = format!("{named} columns, as the first line names them, not {found}");
            return Err(no_request(expected));
        }
        let field = |at| fields.get(at).trim_ascii();
        let told = field(self.operation);
        let operation = operation(told).ok_or_else(|| DramTraceError::UnknownOperation {
            line,
            found: shown(told),
            allowed: OPERATIONS,
        })?;
        let address = field(self.address);
        let address = whole_or_hex(address).map_err(|fault| bad_address(line, address, fault))?;
        let (at, unit) = self.time;
        let stamp = self.stamp(line, field(at), unit)?;
        Ok(DramRecord {
            operation,
            address,
            stamp: Some(stamp),
            instructions: 0,
        })
    }

    fn stamp(&self, line: u64, text: &[u8], unit: TimeUnit) -> Result<Stamp, DramTraceError> {
        match unit {
            TimeUnit::Cycles => cycles(line, text).map(Stamp::Cycles),
            TimeUnit::Scale(power) => scaled(text, power, self.separator != b',')
                .map(Stamp::Ps)
                .map_err(|fault| DramTraceError::Number {
                    line,
                    what: "the time",
                    found: shown(text),
                    problem: fault.words(),
                    expected: "a decimal number from 0",
                }),
        }
    }
}

/// The separator of which the most known names follow, the names, and how many of them are known.
fn separated(text: &[u8]) -> (u8, LineFields, usize) {
    let split = |separator: u8| {
        let mut fields = LineFields::default();
        let is_sound = fields.split(text, separator).is_ok();
        let known = fields.iter().filter(|name| meaning(name).is_some()).count();
        (separator, fields, if is_sound { known } else { 0 })
    };
    let mut best = split(b',');
    for other in [split(b';'), split(b'\t')] {
        if other.2 > best.2 {
            best = other;
        }
    }
    best
}

fn meaning(name: &[u8]) -> Option<DramMeaning> {
    let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
    let name = name.as_str();
    if ADDRESS.contains(&name) {
        return Some(DramMeaning::Address);
    }
    if OPERATION.contains(&name) {
        return Some(DramMeaning::Operation);
    }
    if CYCLE.contains(&name) {
        return Some(DramMeaning::Time(TimeUnit::Cycles));
    }
    let base = |name: &str| TIME.contains(&name);
    let in_unit = UNITS.iter().find_map(|&(unit, power)| {
        let (stem, found) = name.rsplit_once('_')?;
        (found == unit && base(stem)).then_some(DramMeaning::Time(TimeUnit::Scale(power)))
    });
    in_unit.or_else(|| {
        let stem = name.split_once('_').map_or(name, |(stem, _)| stem);
        base(stem).then_some(DramMeaning::Unitless)
    })
}

fn operation(text: &[u8]) -> Option<Operation> {
    let is_one_of = |names: [&str; 4]| {
        names
            .iter()
            .any(|name| text.eq_ignore_ascii_case(name.as_bytes()))
    };
    if is_one_of(["read", "r", "rd", "ld"]) {
        Some(Operation::Read)
    } else if is_one_of(["write", "w", "wr", "st"]) {
        Some(Operation::Write)
    } else {
        None
    }
}

/// For messages.
pub(super) fn accepted() -> String {
    let units = UNITS
        .iter()
        .map(|(unit, _)| *unit)
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "Names are: {} with _ and {units} (time_ns), or {}; {}; {}",
        TIME.join(", "),
        CYCLE.join(", "),
        ADDRESS.join(", "),
        OPERATION.join(", "),
    )
}
