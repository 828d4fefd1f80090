//! Which column of a fio log means what. fio writes no header, and has written these columns since 2012:
//!
//! | column | since | written |
//! |---|---|---|
//! | time, ms | always | always |
//! | value | always | always; the average with `log_window_value=both` |
//! | largest value | 3.37 (2024) | with `log_window_value=both` |
//! | direction: 0 read, 1 write, 2 trim | always | always |
//! | block size, bytes | 1.x | always; 0 where values are averaged over windows |
//! | offset, bytes | 2.1.11 (2014) | with `log_offset=1`; 0 where values are averaged |
//! | priority | 3.18 (2020) | always; 0 or 1, since 3.28 (2021) hexadecimal with `log_prio=1` |
//! | issue time, ns | 2024 | with `log_issue_time=1`; 0 in logs of total latency |
//!
//! Lines of five to seven columns can be read in more than one way; the first lines together decide.

use crate::TraceError;
use crate::lines::shown;
use crate::number::{NumberFault, whole, whole_or_hex};

/// Most columns that there are.
pub(crate) const MOST_COLUMNS: usize = 8;

/// Whole numbers of one line, in the order of their columns; what is not there is 0.
pub(crate) type Fields = [u64; MOST_COLUMNS];

/// The columns of a log, counted from 0. Time and value are always the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogLayout {
    /// How many there are.
    pub(crate) columns: usize,
    /// Where the direction stands.
    pub(crate) direction: usize,
    /// Where the block size stands.
    pub(crate) size: usize,
    /// Where the offset stands.
    pub(crate) offset: Option<usize>,
    /// Where the priority stands.
    pub(crate) priority: Option<usize>,
    /// Where the issue time stands.
    pub(crate) issue: Option<usize>,
    /// Whether fio 3 wrote it for certain, so that values are nanoseconds.
    pub(crate) fio3: bool,
}

impl LogLayout {
    const fn new(largest: bool, offset: bool, priority: bool, issue: bool) -> Self {
        let direction = if largest { 3 } else { 2 };
        let size = direction + 1;
        let mut columns = size + 1;
        let mut layout = Self {
            columns,
            direction,
            size,
            offset: None,
            priority: None,
            issue: None,
            fio3: priority,
        };
        if offset {
            layout.offset = Some(columns);
            columns += 1;
        }
        if priority {
            layout.priority = Some(columns);
            columns += 1;
        }
        if issue {
            layout.issue = Some(columns);
            columns += 1;
        }
        layout.columns = columns;
        layout
    }

    /// Whether there is a column of largest values.
    const fn has_largest(&self) -> bool {
        self.direction == 3
    }

    /// What a column means, for messages.
    pub(crate) fn name(&self, column: usize) -> &'static str {
        match column {
            0 => "time, ms",
            1 => "value",
            _ if column == self.direction => "direction",
            _ if column == self.size => "block size",
            _ if Some(column) == self.offset => "offset",
            _ if Some(column) == self.priority => "priority",
            _ if Some(column) == self.issue => "issue time",
            _ => "largest value",
        }
    }

    /// Whether a line can be read so.
    fn fits(&self, Split { fields, hex, .. }: &Split) -> bool {
        let priority_fits = self
            .priority
            .is_none_or(|at| hex[at] && fields[at] <= 0xFFFF || fields[at] <= 1);
        let others_decimal = (0..self.columns).all(|at| !hex[at] || Some(at) == self.priority);
        let size = fields[self.size];
        // Averaged, there is no size, and the average is below the largest; otherwise that is left at 0.
        let largest_fits = match (self.has_largest(), size) {
            (false, _) => true,
            (true, 0) => fields[2] >= fields[1],
            (true, _) => fields[2] == 0,
        };
        // Averaged, there is no offset either.
        let offset_fits = size != 0 || self.offset.is_none_or(|at| fields[at] == 0);
        let whole = priority_fits && others_decimal && largest_fits && offset_fits;
        fields[self.direction] <= 2 && whole
    }
}

/// Every layout, those of one number of columns in the order of preference. A column of largest values
/// comes last: with that, the block size stands where others have the offset.
const LAYOUTS: &[LogLayout] = &[
    LogLayout::new(false, false, false, false),
    LogLayout::new(false, false, true, false),
    LogLayout::new(false, true, false, false),
    LogLayout::new(false, true, true, false),
    LogLayout::new(false, false, true, true),
    LogLayout::new(true, false, true, false),
    LogLayout::new(false, true, true, true),
    LogLayout::new(true, true, true, false),
    LogLayout::new(true, false, true, true),
    LogLayout::new(true, true, true, true),
];

/// A line taken apart.
pub(crate) struct Split {
    /// How many columns there are, even beyond those that are kept.
    pub(crate) columns: usize,
    /// The first of them.
    pub(crate) fields: Fields,
    /// Which of those are hexadecimal.
    pub(crate) hex: [bool; MOST_COLUMNS],
}

/// A column that holds no number.
pub(crate) struct WrongField<'a> {
    /// Counted from 0.
    pub(crate) column: usize,
    /// What it holds.
    pub(crate) text: &'a [u8],
    /// Why that is no number.
    pub(crate) fault: NumberFault,
}

/// Takes a line apart.
pub(crate) fn split(line: &[u8]) -> Result<Split, WrongField<'_>> {
    let mut split = Split {
        columns: 0,
        fields: [0; MOST_COLUMNS],
        hex: [false; MOST_COLUMNS],
    };
    let texts = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    for (column, text) in texts.enumerate() {
        split.columns = column + 1;
        let (Some(field), Some(hex)) = (split.fields.get_mut(column), split.hex.get_mut(column))
        else {
            continue;
        };
        *hex = text.starts_with(b"0x");
        let number = if *hex {
            whole_or_hex(text)
        } else {
            whole(text)
        };
        *field = number.map_err(|fault| WrongField {
            column,
            text,
            fault,
        })?;
    }
    Ok(split)
}

/// The layout in which the first lines can be read, as many as possible.
///
/// # Errors
/// Where there is none, and where the columns show that the lines are no accesses.
pub(crate) fn choose<'a>(
    lines: impl Iterator<Item = (u64, &'a [u8])>,
) -> Result<LogLayout, TraceError> {
    let mut read = Vec::new();
    let mut first = None;
    for (number, line) in lines {
        let Ok(split) = split(line) else {
            // The reader will say what is wrong with it; a first line has to be right.
            if first.is_none() {
                return Err(no_layout(number, line));
            }
            break;
        };
        let (expected, ..) = *first.get_or_insert((split.columns, number, line));
        if split.columns != expected {
            break;
        }
        read.push(split);
    }
    let Some((columns, number, line)) = first else {
        return Err(TraceError::Empty);
    };
    let known: Vec<(&LogLayout, usize)> = LAYOUTS
        .iter()
        .filter(|layout| layout.columns == columns)
        .map(|layout| {
            let lines = read.iter().take_while(|split| layout.fits(split));
            (layout, lines.count())
        })
        .collect();
    // A line that makes no sense ends what can decide; the reader will say what is wrong with it.
    let decided = known.iter().map(|(_, lines)| *lines).max().unwrap_or(0);
    read.truncate(decided);
    let candidates: Vec<&LogLayout> = known
        .into_iter()
        .filter(|(_, lines)| *lines == decided && decided > 0)
        .map(|(layout, _)| layout)
        .collect();
    let Some(&plain) = candidates.first() else {
        return Err(no_layout(number, line));
    };
    let mut layout = *match candidates.iter().find(|layout| layout.has_largest()) {
        // Reads of one or two bytes differ from largest values of 0 in that their offset varies.
        Some(&largest) if !plain.has_largest() => {
            let size_of = |split: &Split| split.fields[largest.size];
            let is_steady = read.iter().all(|split| size_of(split) == size_of(&read[0]));
            if is_steady { largest } else { plain }
        }
        _ => plain,
    };
    // A column that is always 0 or 1 may be an offset that never moves, or the priority: it shows nothing.
    let is_alike =
        |other: &&LogLayout| other.direction == layout.direction && other.offset.is_none();
    if candidates.iter().any(is_alike) {
        layout.offset = None;
    }
    Ok(layout)
}

#[cold]
fn no_layout(number: u64, line: &[u8]) -> TraceError {
    let columns = line.split(|byte| *byte == b',').count();
    TraceError::Malformed {
        line: number,
        problem: format!(
            "{} has {columns} column{}, and is no line of a fio latency log: time in ms, value, direction \
             (0 read, 1 write, 2 trim), block size, then offset, priority and issue time where they were asked \
             for",
            shown(line),
            if columns == 1 { "" } else { "s" },
        ),
    }
}

/// Whether a line could be one of a fio log.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    matches!(
        split(line),
        Ok(Split {
            columns: 3..=MOST_COLUMNS,
            ..
        })
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<LogLayout, TraceError> {
        let lines = (1..).zip(text.lines().map(str::as_bytes));
        choose(lines)
    }

    fn columns(text: &str) -> Vec<&'static str> {
        let layout = chosen(text).expect("a layout");
        (0..layout.columns).map(|at| layout.name(at)).collect()
    }

    #[test]
    fn every_number_of_columns_is_told_apart() {
        let plain = ["time, ms", "value", "direction", "block size"];
        assert_eq!(columns("0, 313, 1, 4096"), plain);
        assert_eq!(columns("0, 313, 1, 4096, 0")[4], "priority");
        assert_eq!(columns("0, 313, 1, 4096, 0x0000")[4], "priority");
        assert_eq!(
            columns("0, 313, 1, 4096, 0\n0, 313, 1, 4096, 4096")[4],
            "offset"
        );
        assert_eq!(
            columns("0, 313, 1, 4096, 8192, 0")[4..],
            ["offset", "priority"]
        );
        assert_eq!(
            columns("0, 313, 1, 4096, 8192, 0x2001")[4..],
            ["offset", "priority"]
        );
        assert_eq!(
            columns("0, 313, 1, 4096, 0, 81920")[4..],
            ["priority", "issue time"]
        );
        assert_eq!(
            columns("0, 313, 0, 1, 4096, 8192, 0")[2..],
            [
                "largest value",
                "direction",
                "block size",
                "offset",
                "priority"
            ]
        );
        assert_eq!(
            columns("0, 313, 1, 4096, 8192, 0, 77123")[4..],
            ["offset", "priority", "issue time"]
        );
        assert_eq!(
            columns("0, 313, 414, 1, 0, 0, 0, 0")[2..],
            [
                "largest value",
                "direction",
                "block size",
                "offset",
                "priority",
                "issue time"
            ]
        );
    }

    #[test]
    fn an_offset_that_never_moves_is_not_told() {
        let layout = chosen("0, 313, 1, 4096, 0, 0\n0, 313, 1, 4096, 0, 0").expect("a layout");
        assert_eq!(layout.offset, None);
        assert!(layout.fio3);
    }

    #[test]
    fn accesses_of_one_byte_are_not_taken_for_largest_values() {
        let layout = chosen("0, 313, 0, 1, 100, 0\n0, 313, 0, 1, 101, 0").expect("a layout");
        assert_eq!((layout.size, layout.offset), (3, Some(4)));
        let layout = chosen("0, 313, 1, 1, 0, 0\n0, 313, 0, 2, 0, 0").expect("a layout");
        assert_eq!(layout.size, 3);
    }

    #[test]
    fn lines_of_something_else_are_refused_with_what_was_expected() {
        for text in [
            "1, 2, 3",
            "1, 2, 3, 4",
            "1, 2, 0, 4, 5, 6, 7, 8, 9",
            "1, 2, x, 4",
        ] {
            let error = chosen(text).expect_err("no layout").to_string();
            assert!(error.starts_with("line 1: "), "{error}");
            assert!(
                error.contains("direction (0 read, 1 write, 2 trim)"),
                "{error}"
            );
        }
    }
}
