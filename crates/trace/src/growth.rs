//! Tables of how erase and program times grow with the cycles, as data sheets print them.
//!
//! A CSV with named columns and a line for each number of cycles, ascending:
//!
//! ```text
//! cycles,erase_typ_ms,erase_max_ms
//! 1000,8,15
//! 10000,15,40
//! 100k,75,500
//! ```
//!
//! `cycles` must be there, and one at least of `erase_typ`, `erase_max`, `program_typ` and `program_max`. The unit of a
//! column stands at its end (`_ns`, `_us`, `_ms`, `_s`, or `[ms]`, `(ms)`), or is given for all of them. Cycles may end in
//! `k` or `M`. Other columns are passed over. Of each time it is kept how finely it was printed.
//!
//! ```
//! use wordline_trace::growth::GrowthTable;
//!
//! let text = "cycles,erase_typ [ms]\n1k,8\n10k,15\n100k,75\n";
//! let table = GrowthTable::read(text.as_bytes(), None)?;
//! assert_eq!(table.cycles, [1_000, 10_000, 100_000]);
//! let last = table.columns[0].values[2];
//! assert_eq!((last.seconds, last.step), (0.075, 0.001));
//! # Ok::<(), wordline_trace::TraceError>(())
//! ```

use std::io::BufRead;
use std::str::FromStr;

use wordline_core::Timing;

use crate::TraceError;
use crate::csv::fields::LineFields;
use crate::cycling::{CyclingOperation, LONGEST};
use crate::lines::{LineReader, LogLine, shown};
use crate::number::{scaled, whole};

/// Cycle counts that a table needs: a law has three unknowns.
pub const ROWS_MIN: usize = 3;

/// The most cycle counts of a table.
const ROWS_MOST: usize = 1000;

/// The most cycles of a count, as a sheet may state.
const CYCLES_MOST: u64 = 1_000_000_000_000;

/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl GrowthUnit {
    const ALL: [Self; 4] = [Self::Ns, Self::Us, Self::Ms, Self::S];

    /// As columns and options spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// Its power of ten in seconds.
    const fn power(self) -> i32 {
        match self {
            Self::Ns => -9,
            Self::Us => -6,
            Self::Ms => -3,
            Self::S => 0,
        }
    }
}

impl FromStr for GrowthUnit {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.replace(['\u{b5}', '\u{3bc}'], "u");
        let mut all = Self::ALL.into_iter();
        all.find(|unit| unit.name() == text).ok_or(())
    }
}

/// A time as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedTime {
    /// In seconds.
    pub seconds: f64,
    /// One of its last digit, in seconds. Zeros at the end of a whole number are taken as digits up to the second alone:
    /// 1500 may have been anything from 1450 to 1550.
    pub step: f64,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct GrowthColumn {
    /// What took the time: an erase or a program.
    pub operation: CyclingOperation,
    /// Typical or maximum.
    pub timing: Timing,
    /// Its times, a number of cycles each.
    pub values: Vec<PrintedTime>,
}

/// A table of times by cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct GrowthTable {
    /// Numbers of cycles, ascending; three at least.
    pub cycles: Vec<u64>,
    /// The columns: erase before program, typical before maximum; one at least.
    pub columns: Vec<GrowthColumn>,
}

/// Whether a line of names is that of such a table: it has a column of erases or programs, and no operations by name.
#[must_use]
pub fn is_growth(names: &[u8]) -> bool {
    let names = names.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(names);
    // Comments and blank lines may come first.
    let mut lines = names.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !crate::lines::is_silent(line));
    let columns = || {
        first
            .unwrap_or_default()
            .split(|byte| *byte == b',')
            .map(normal)
    };
    columns().any(|name| COLUMNS.iter().any(|(start, ..)| name.starts_with(start)))
        && !columns().any(|name| name == "operation")
}

/// How the names of columns begin, with what they hold.
const COLUMNS: [(&str, CyclingOperation, Timing); 4] = [
    ("erase_typ", CyclingOperation::Erase, Timing::Typ),
    ("erase_max", CyclingOperation::Erase, Timing::Max),
    ("program_typ", CyclingOperation::Program, Timing::Typ),
    ("program_max", CyclingOperation::Program, Timing::Max),
];

/// The name of a column in lower case, with single underscores for what separates its words.
fn normal(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name.trim_ascii()).to_lowercase();
    let words = name.split(|one: char| one == '_' || one.is_whitespace());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

impl GrowthTable {
    /// Reads a table. `unit` is that of the columns whose names have none.
    ///
    /// # Errors
    /// When it cannot be read, or a line is not what the format asks for: the message names the line, what was found and
    /// what is allowed.
    pub fn read(reader: impl BufRead, unit: Option<GrowthUnit>) -> Result<Self, TraceError> {
        let mut lines = LineReader::new(reader);
        let Some(line) = lines.next_told()? else {
            return Err(TraceError::Empty);
        };
        let heads = GrowthHeads::read(&line, unit)?;
        let mut table = Self {
            cycles: Vec::new(),
            columns: heads.columns(),
        };
        let mut fields = LineFields::default();
        let mut last_line = line.number;
        while let Some(line) = lines.next_told()? {
            last_line = line.number;
            let added = fields
                .split(line.text, b',')
                .and_then(|()| heads.add(&fields, &mut table));
            added.map_err(|problem| TraceError::Malformed {
                line: last_line,
                problem,
            })?;
        }
        let found = table.cycles.len();
        if found < ROWS_MIN {
            return Err(TraceError::Useless {
                line: last_line,
                problem: format!(
                    "the table ends with {found} cycle counts, and a law of growth has three unknowns: give {ROWS_MIN} \
                     at least"
                ),
            });
        }
        Ok(table)
    }
}

/// A column of times: its place, what it holds, and the power of ten of its unit in seconds.
struct GrowthHead {
    at: usize,
    name: String,
    operation: CyclingOperation,
    timing: Timing,
    power: i32,
}

/// Where the values stand in a line, from 0.
struct GrowthHeads {
    count: usize,
    cycles: usize,
    times: Vec<GrowthHead>,
}

impl GrowthHeads {
    fn read(line: &LogLine<'_>, unit: Option<GrowthUnit>) -> Result<Self, TraceError> {
        let malformed = |problem: String| TraceError::Malformed {
            line: line.number,
            problem,
        };
        let mut fields = LineFields::default();
        // Spreadsheets begin UTF-8 with a mark.
        let text = line.text.strip_prefix(b"\xEF\xBB\xBF");
        let text = text.unwrap_or(line.text);
        fields.split(text, b',').map_err(malformed)?;
        let names: Vec<String> = fields.iter().map(normal).collect();
        let mut cycles = None;
        let mut times: Vec<GrowthHead> = Vec::new();
        let mut lacks_unit = false;
        for (at, name) in names.iter().enumerate() {
            if name == "cycles" && cycles.replace(at).is_some() {
                return Err(malformed("two columns are named cycles".to_owned()));
            }
            let Some((start, operation, timing)) =
                COLUMNS.into_iter().find(|one| name.starts_with(one.0))
            else {
                if name.starts_with("erase") || name.starts_with("program") {
                    return Err(malformed(format!(
                        "column {} is none that is known: allowed are {}, each with its unit, as in erase_typ_ms",
                        shown(name),
                        COLUMNS.map(|one| one.0).join(", ")
                    )));
                }
                continue;
            };
            if times
                .iter()
                .any(|one| (one.operation, one.timing) == (operation, timing))
            {
                return Err(malformed(format!("two columns are named {start}")));
            }
            let end = name[start.len()..].trim_start_matches('_');
            let bare = end.trim_matches(['[', ']', '(', ')']);
            lacks_unit |= bare.is_empty();
            let power = match (bare, unit) {
                ("", Some(unit)) => unit,
                ("", None) => {
                    return Err(malformed(format!(
                        "column {start} has no unit: name it {start}_ms or {start} [ms] (ns, us, ms, s), or give one for \
                         all with --log-unit"
                    )));
                }
                (text, _) => text.parse().map_err(|()| {
                    malformed(format!(
                        "column {} has the unit {}: allowed are ns, us, ms, s",
                        shown(name),
                        shown(text)
                    ))
                })?,
            };
            times.push(GrowthHead {
                at,
                name: start.to_owned(),
                operation,
                timing,
                power: power.power(),
            });
        }
        let Some(cycles) = cycles else {
            return Err(malformed(format!(
                "no column is named cycles: found {}. A table of growth has the columns cycles and one at least of {}, \
                 each with its unit",
                shown(line.text),
                COLUMNS.map(|one| one.0).join(", ")
            )));
        };
        if times.is_empty() {
            return Err(malformed(format!(
                "no column of times: found {}. Allowed are {}, each with its unit",
                shown(line.text),
                COLUMNS.map(|one| one.0).join(", ")
            )));
        }
        if unit.is_some() && !lacks_unit {
            return Err(malformed(
                "--log-unit is the unit of columns that state none, and all of these state theirs; leave it out"
                    .to_owned(),
            ));
        }
        // In the order of the operations and classes, whatever the table's is.
        times.sort_by_key(|one| {
            let known = COLUMNS.iter();
            let mut places = known.map(|known| (known.1, known.2));
            places.position(|known| known == (one.operation, one.timing))
        });
        Ok(Self {
            count: names.len(),
            cycles,
            times,
        })
    }

    fn columns(&self) -> Vec<GrowthColumn> {
        let column = |head: &GrowthHead| GrowthColumn {
            operation: head.operation,
            timing: head.timing,
            values: Vec::new(),
        };
        self.times.iter().map(column).collect()
    }

    /// Adds a line to a table.
    fn add(&self, fields: &LineFields, table: &mut GrowthTable) -> Result<(), String> {
        let (found, expected) = (fields.count(), self.count);
        if found != expected {
            return Err(format!(
                "{found} columns, where the first line names {expected}"
            ));
        }
        let text = |at: usize| fields.get(at).trim_ascii();
        let count = cycle_count(text(self.cycles))
            .map_err(|why| format!("column cycles is {}: {why}", shown(text(self.cycles))))?;
        match table.cycles.last() {
            Some(last) if *last == count => {
                return Err(format!(
                    "{count} cycles stand in two lines: each count has one, so leave one out"
                ));
            }
            Some(last) if *last > count => {
                return Err(format!(
                    "{count} cycles stand after {last}: put the lines in ascending order of cycles"
                ));
            }
            _ => {}
        }
        if table.cycles.len() == ROWS_MOST {
            return Err(format!(
                "more than {ROWS_MOST} cycle counts: leave some out"
            ));
        }
        table.cycles.push(count);
        for (head, column) in self.times.iter().zip(&mut table.columns) {
            let wrong =
                |why: &str| format!("column {} is {}: {why}", head.name, shown(text(head.at)));
            let time = printed(text(head.at), head.power).map_err(|why| wrong(&why))?;
            if let Some(last) = column.values.last()
                && time.seconds < last.seconds
            {
                return Err(wrong(
                    "it falls with the cycles, and a law of growth only rises: correct it, or leave the column out",
                ));
            }
            column.values.push(time);
        }
        for pair in table.columns.windows(2) {
            let [one, other] = pair else { continue };
            let ends =
                |column: &GrowthColumn| column.values.last().map_or(0.0, |last| last.seconds);
            if one.operation == other.operation && ends(other) < ends(one) {
                let name = one.operation.name();
                return Err(format!(
                    "{name}_max lies below {name}_typ: correct one of them, or their units"
                ));
            }
        }
        Ok(())
    }
}

/// A number of cycles: `0`, `10000`, `10k`, `1e5`, `0.1M`.
fn cycle_count(text: &[u8]) -> Result<u64, String> {
    let (digits, power) = match text {
        [digits @ .., b'k' | b'K'] => (digits, 3),
        [digits @ .., b'M' | b'm'] => (digits, 6),
        _ => (text, 0),
    };
    let count = whole(digits).map(u128::from);
    let count = match count {
        Ok(count) if power == 0 => Ok(count),
        // Parts of a cycle would be rounded away.
        _ => match (
            scaled(digits, power, false),
            scaled(digits, power + 3, false),
        ) {
            (Ok(count), Ok(parts)) if count.checked_mul(1000) != Some(parts) => {
                return Err("cycles are whole".to_owned());
            }
            (count, _) => count,
        },
    };
    let count = count
        .map_err(|fault| format!("{}; give a count such as 10000, 10k or 1e4", fault.words()))?;
    u64::try_from(count)
        .ok()
        .filter(|count| *count <= CYCLES_MOST)
        .ok_or_else(|| format!("allowed are up to {CYCLES_MOST} cycles"))
}

/// A time with how finely it was printed.
fn printed(text: &[u8], power: i32) -> Result<PrintedTime, String> {
    let ps = scaled(text, power + 12, false)
        .map_err(|fault| format!("{}; give a time in the column's unit", fault.words()))?;
    if ps == 0 {
        return Err("no operation takes no time: is the column's unit right?".to_owned());
    }
    if ps > u128::from(LONGEST.ps()) {
        return Err(
            "longer than a minute, which no operation of a block takes: is the column's unit right?"
                .to_owned(),
        );
    }
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &b"0"[..]),
    };
    let exponent: i32 = std::str::from_utf8(exponent)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let behind = mantissa.iter().position(|byte| *byte == b'.');
    let last = match behind {
        Some(at) => -((mantissa.len() - at - 1) as i32),
        None => {
            let digits: Vec<u8> = mantissa
                .iter()
                .copied()
                .filter(u8::is_ascii_digit)
                .skip_while(|digit| *digit == b'0')
                .collect();
            let zeros = digits.iter().rev().take_while(|digit| **digit == b'0');
            zeros.count().min(digits.len().saturating_sub(2)) as i32
        }
    };
    let seconds = ps as f64 / 1e12;
    let step = 10_f64.powi((last + exponent + power).clamp(-300, 300));
    Ok(PrintedTime {
        seconds,
        // What is printed to one digit is known to that digit, and never to more than itself.
        step: step.min(seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GrowthTable, TraceError> {
        GrowthTable::read(text.as_bytes(), None)
    }

    fn refused(text: &str) -> String {
        match read(text) {
            Err(error) => error.to_string(),
            Ok(table) => panic!("{text:?} is accepted: {table:?}"),
        }
    }

    #[test]
    fn a_table_of_a_data_sheet_is_read_however_its_heads_are_written() {
        let rows = ["0,8,15", "10k,15,40", "1e5,75,500"].join("\n");
        let expected = read(&format!("cycles,erase_typ_ms,erase_max_ms\n{rows}")).expect("a table");
        assert_eq!(expected.cycles, [0, 10_000, 100_000]);
        for head in [
            "Cycles,Erase typ [ms],erase max (ms)",
            "\u{feff}cycles , ERASE_TYP_ms, erase_max[ms]",
            "# a comment\n\ncycles,erase_typ_ms,erase_max_ms",
        ] {
            let text = format!("{head}\n{rows}\n");
            assert!(is_growth(text.as_bytes()), "{head}");
            assert_eq!(read(&text).expect("a table"), expected, "{head}");
        }
        let bare = "note,cycles,erase_max,erase_typ\nx,0,15,8\n,10000,40,15\n,0.1M,500,75\n";
        let table = GrowthTable::read(bare.as_bytes(), Some(GrowthUnit::Ms)).expect("a table");
        assert_eq!(table, expected);
        let error = GrowthTable::read(
            "cycles,erase_typ_ms\n0,8\n".as_bytes(),
            Some(GrowthUnit::Us),
        );
        let error = error.expect_err("no column is without a unit").to_string();
        assert!(error.starts_with("line 1: --log-unit is"), "{error}");
        assert!(!is_growth(b"block,cycle,operation,latency_us\n"));
        assert!(!is_growth(b"operation,access_bytes,latency_us\n"));
    }

    #[test]
    fn what_was_printed_tells_how_finely() {
        for (text, step) in [
            ("75", 1e-3),
            ("8", 1e-3),
            ("150", 1e-2),
            ("1500", 1e-1),
            ("100", 1e-2),
            ("120.0", 1e-4),
            ("0.25", 1e-5),
            ("1.5e2", 1e-2),
            ("101", 1e-3),
        ] {
            let found = printed(text.as_bytes(), -3).expect("a time").step;
            assert!((found / step - 1.0).abs() < 1e-9, "{text}: {found}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_line_and_the_way_out() {
        let head = "cycles,erase_typ_ms,erase_max_ms\n";
        for (rows, words) in [
            ("", "line 1: the table ends with 0 cycle counts"),
            (
                "1,8,15\n10,9,16\n",
                "line 3: the table ends with 2 cycle counts",
            ),
            (
                "1,8,15\n10,7,15\n",
                "line 3: column erase_typ is \"7\": it falls with the cycles",
            ),
            (
                "1,8,15\n10,9,14\n",
                "line 3: column erase_max is \"14\": it falls with the cycles",
            ),
            (
                "1,8,7\n",
                "line 2: erase_max lies below erase_typ: correct one of them",
            ),
            ("1,8,15\n1,8,15\n", "line 3: 1 cycles stand in two lines"),
            (
                "10,8,15\n1k,8,15\n100,8,15\n",
                "line 4: 100 cycles stand after 1000: put the lines in ascending order",
            ),
            (
                "-1,8,15\n",
                "line 2: column cycles is \"-1\": it is below zero; give a count",
            ),
            (
                "<1k,8,15\n",
                "line 2: column cycles is \"<1k\": it is no number; give a count such as",
            ),
            (
                "0.5,8,15\n",
                "line 2: column cycles is \"0.5\": cycles are whole",
            ),
            (
                "1e30,8,15\n",
                "line 2: column cycles is \"1e30\": allowed are up to 1000000000000",
            ),
            (
                "1e999999,8,15\n",
                "line 2: column cycles is \"1e999999\": it is too large",
            ),
            (
                "1,-8,15\n",
                "line 2: column erase_typ is \"-8\": it is below zero",
            ),
            (
                "1,fast,15\n",
                "line 2: column erase_typ is \"fast\": it is no number",
            ),
            (
                "1,,15\n",
                "line 2: column erase_typ is \"\": there is nothing",
            ),
            (
                "1,0,15\n",
                "line 2: column erase_typ is \"0\": no operation takes no time",
            ),
            (
                "1,1e9,1e9\n",
                "line 2: column erase_typ is \"1e9\": longer than a minute",
            ),
            (
                "1,nan,15\n",
                "line 2: column erase_typ is \"nan\": it is no number",
            ),
            ("1,8\n", "line 2: 2 columns, where the first line names 3"),
        ] {
            let found = refused(&format!("{head}{rows}"));
            assert!(found.starts_with(words), "{rows:?}: {found}");
        }
        for (head, words) in [
            ("erase_typ_ms", "line 1: no column is named cycles: found"),
            ("cycles", "line 1: no column of times"),
            (
                "cycles,erase_typ",
                "line 1: column erase_typ has no unit: name it erase_typ_ms",
            ),
            (
                "cycles,erase_typ_min",
                "line 1: column \"erase_typ_min\" has the unit \"min\": allowed are",
            ),
            (
                "cycles,erase_min_ms",
                "line 1: column \"erase_min_ms\" is none that is known",
            ),
            (
                "cycles,erase_typ_ms,erase_typ_us",
                "line 1: two columns are named erase_typ",
            ),
            (
                "cycles,cycles,erase_typ_us",
                "line 1: two columns are named cycles",
            ),
        ] {
            let found = refused(&format!("{head}\n"));
            assert!(found.starts_with(words), "{head:?}: {found}");
        }
        assert!(matches!(read(""), Err(TraceError::Empty)));
    }
}
