//! One line of blkparse's default output.

use std::str::SplitWhitespace;

use wordline_core::Operation;
use wordline_core::quantity::Time;

use super::{BlockDeviceId, number};
use crate::lines::shown;

/// The block layer counts in sectors of 512 bytes, whatever the device does.
pub(super) const SECTOR_BYTES: u64 = 512;

/// How the lines begin that blkparse prints for its inputs, in front of the events.
pub(super) const INPUT: &str = "Input file ";

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// An event that concerns data.
    Event(BlockEvent),
    /// An event that does not: plugs, messages, remaps.
    Ignored,
    /// Of the summary at the end.
    Summary,
    /// Empty, or what blkparse says before the events.
    Nothing,
}

/// An event that concerns data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockEvent {
    pub(super) line: u64,
    pub(super) device: BlockDeviceId,
    pub(super) time: Time,
    pub(super) action: BlockAction,
    pub(super) kind: BlockEventKind,
    /// Whether it makes data safe: a flush, or a write that waits until its data are (`F` among the letters).
    pub(super) is_flush: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockAction {
    Queued,
    Issued,
    Completed { failed: bool },
    Merged,
    Requeued,
}

/// To what it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEventKind {
    Data {
        operation: Operation,
        sector: u64,
        sectors: u64,
    },
    Discard,
    /// Flushes and commands for the drive itself.
    NoData,
}

/// What is left out, in words.
pub(super) const DISCARDS: &str = "discards";
pub(super) const WITHOUT_DATA: &str = "flushes and commands without data";

/// What a line is; the message names what was found and what is allowed.
pub(super) fn parse(text: &str) -> Result<Parsed, String> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.starts_with(INPUT) {
        return Ok(Parsed::Nothing);
    }
    let mut words = text.split_whitespace();
    let Some(device) = words.next().and_then(|word| word.parse().ok()) else {
        return if is_summary(trimmed) {
            Ok(Parsed::Summary)
        } else {
            Err(other_format(trimmed))
        };
    };
    event(device, &mut words, trimmed)
}

fn event(
    device: BlockDeviceId,
    words: &mut SplitWhitespace<'_>,
    trimmed: &str,
) -> Result<Parsed, String> {
    let mut field = |name: &str| {
        words.next().ok_or_else(|| {
            format!(
                "the line ends where {name} should stand: {}",
                shown(trimmed)
            )
        })
    };
    for name in ["the CPU", "the sequence number"] {
        let word = field(name)?;
        if word.parse::<i64>().is_err() {
            return Err(format!(
                "{} is not {name}, a whole number; expected the default output of blkparse: \
                 MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS …",
                shown(word)
            ));
        }
    }
    let time = time(field("the time")?)?;
    let pid = field("the process")?;
    if pid.parse::<i64>().is_err() {
        return Err(format!("{} is not the number of a process", shown(pid)));
    }
    let action_word = field("the action")?;
    let action = match action_word {
        "Q" => BlockAction::Queued,
        "D" => BlockAction::Issued,
        "C" => BlockAction::Completed { failed: false },
        "M" | "F" => BlockAction::Merged,
        "R" => BlockAction::Requeued,
        "A" | "B" | "G" | "I" | "P" | "S" | "T" | "U" | "UT" | "W" | "X" | "m" => {
            return Ok(Parsed::Ignored);
        }
        other => {
            return Err(format!(
                "{} is no action; allowed are A B C D F G I M P Q R S T U UT W X and m",
                shown(other)
            ));
        }
    };
    let flags = field("RWBS")?;
    let kind = kind(rwbs(flags)?, words, trimmed)?;
    let action = match action {
        BlockAction::Completed { .. } => BlockAction::Completed {
            failed: bracketed(trimmed)?.parse::<i64>().map_err(|_| {
                format!(
                    "a completion ends with its error in brackets, such as [0]: {}",
                    shown(trimmed)
                )
            })? != 0,
        },
        action => {
            bracketed(trimmed)?;
            action
        }
    };
    Ok(Parsed::Event(BlockEvent {
        line: 0,
        device,
        time,
        action,
        kind,
        is_flush: flags.contains('F'),
    }))
}

/// What stands in the last brackets: without them the line is cut off.
fn bracketed(trimmed: &str) -> Result<&str, String> {
    let inside = trimmed
        .strip_suffix(']')
        .and_then(|start| start.rsplit_once('['));
    inside
        .map(|(_, inside)| inside)
        .ok_or_else(|| format!("the line does not end with […]: {}", shown(trimmed)))
}

fn time(word: &str) -> Result<Time, String> {
    let parts = word.split_once('.').filter(|(_, nanos)| nanos.len() == 9);
    let nanos = parts.and_then(|(seconds, nanos)| Some((number(seconds)?, number(nanos)?)));
    let Some((seconds, nanos)) = nanos else {
        return Err(format!(
            "{} is no time; expected seconds, a point and nine digits",
            shown(word)
        ));
    };
    let ps = seconds
        .checked_mul(1_000_000_000)
        .and_then(|ns| ns.checked_add(nanos))
        .and_then(|ns| ns.checked_mul(1000));
    ps.map(Time::from_ps)
        .ok_or_else(|| format!("{} s is beyond 213 days", shown(word)))
}

/// What the letters say: `None` for neither reads, writes nor discards.
fn rwbs(flags: &str) -> Result<Option<char>, String> {
    let bad = || {
        format!(
            "{} is no RWBS; expected R, W, D or N, with F before it and letters of F A S M B E behind it at will",
            shown(flags)
        )
    };
    let behind = flags.strip_prefix('F').unwrap_or(flags);
    let mut letters = behind.chars();
    let letter = letters
        .next()
        .filter(|letter| "RWDN".contains(*letter))
        .ok_or_else(bad)?;
    if !letters.all(|letter| "FASMBE".contains(letter)) {
        return Err(bad());
    }
    Ok((letter != 'N').then_some(letter))
}

fn kind(
    letter: Option<char>,
    words: &mut SplitWhitespace<'_>,
    trimmed: &str,
) -> Result<BlockEventKind, String> {
    let bad = || {
        format!(
            "expected the first sector, + and the number of sectors behind RWBS: {}",
            shown(trimmed)
        )
    };
    let first = words.next().ok_or_else(bad)?;
    if first.starts_with(['(', '[']) {
        return Ok(BlockEventKind::NoData);
    }
    let sector: u64 = number(first).ok_or_else(bad)?;
    let second = words.next().ok_or_else(bad)?;
    if second.starts_with(['(', '[']) {
        return Ok(BlockEventKind::NoData);
    }
    if second != "+" {
        return Err(bad());
    }
    let sectors: u64 = words.next().and_then(number).ok_or_else(bad)?;
    let end = sector
        .checked_add(sectors)
        .and_then(|end| end.checked_mul(SECTOR_BYTES));
    if end.is_none() || sectors == 0 {
        return Err(format!(
            "{sectors} sectors from {sector} on; allowed are 1 sector and more that end below 2^64 bytes"
        ));
    }
    let operation = match letter {
        Some('R') => Operation::Read,
        Some('W') => Operation::Write,
        Some(_) => return Ok(BlockEventKind::Discard),
        None => return Ok(BlockEventKind::NoData),
    };
    Ok(BlockEventKind::Data {
        operation,
        sector,
        sectors,
    })
}

/// Whether a line is of the statistics that blkparse prints behind the events.
fn is_summary(trimmed: &str) -> bool {
    const STARTS: [&str; 16] = [
        "Total (",
        "Reads Queued:",
        "Read Dispatches:",
        "Reads Requeued:",
        "Reads Completed:",
        "Read Merges:",
        "Read depth:",
        "PC Reads ",
        "PC Read ",
        "IO unplugs:",
        "Allocation wait:",
        "Dispatch wait:",
        "Completion wait:",
        "Throughput (R/W):",
        "Events (",
        "Skips:",
    ];
    let is_cpu = trimmed
        .strip_prefix("CPU")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.ends_with("):"));
    is_cpu || STARTS.iter().any(|start| trimmed.starts_with(start)) || is_program(trimmed)
}

/// The heading of a program's statistics (`blkparse -s`): its name and its number in parentheses.
fn is_program(trimmed: &str) -> bool {
    let inside = trimmed
        .strip_suffix(')')
        .and_then(|start| start.rsplit_once(" ("))
        .map(|(_, inside)| inside.strip_suffix(", ...").unwrap_or(inside));
    inside.and_then(number).is_some()
}

fn other_format(trimmed: &str) -> String {
    format!(
        "{} is no event of blkparse's default output, which begins MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID \
         ACTION RWBS; run blkparse without -f and -F",
        shown(trimmed)
    )
}
