//! SD cards, as [`CardSheet`](wordline_nvm) has them.
//!
//! # What a log shows
//!
//! A write waits for the firmware (`command_time`), for the bus, and for a free die: the ordinary access. Every
//! `journal_changes` changes of the mapping a page of its journal is programmed. When fewer than `clean_below`
//! blocks are free, the card cleans until `clean_until` are: a write does `steps_per_write` steps of it, or all of
//! it at once where that is left out. How much there is to move depends on `spare_blocks`. A log of a paced host
//! shows as well how many blocks the card frees while it is idle (`idle_until`), and how soon it begins
//! (`idle_after`).
//!
//! What is left out is not seen, or does the same as what is there: a page read for every page program of cleaning,
//! the rate of the channel, the number of dies.
//!
//! What the base's firmware takes behind a write and works for itself (`write_time`, `housekeeping`) is left out: it
//! differs twentyfold between cards of one class, and is measured on others. The time behind a write shows as
//! `command_time`; stalls at intervals are named as a kind that the fitted card lacks.
//!
//! # Where the search begins
//!
//! From what the base does with the same work, with `L` for the log and `B` for the base, in closed form:
//!
//! - The quick access waits for the firmware and the bus alone: `command_time + (quick_L − quick_B)`.
//! - The mean of all that are no stalls is what the dies let through: `page_program · body_L/body_B`, and
//!   `block_erase` likewise.
//! - A stall that lasts `s` times as long as the base's, counted in such means, moves `s` times as many pages:
//!   `clean_until − clean_below` times `s`, and `steps_per_write · s`.
//! - Stalls take a share `x` of the time, the mean over the ordinary less 1. Cleaning with a share `a` of spare blocks
//!   moves about `1/(2a)` pages for each page written, so `spare_blocks · x_B/x_L` (the first order of Desnoyers,
//!   "Analytic modeling of SSD write performance", SYSTOR 2012).
//! - A card that rests when it is idle is far from one that cleans: each start is tried with `idle_until` of 1 as
//!   well, which is as good as none.

use super::{Knob, Template, TemplateFields, TemplateKind};

const COMMAND: &str = "card.command_time";
const PROGRAM: &str = "card.array.page_program";
const ERASE: &str = "card.array.block_erase";
const SPARE: &str = "card.controller.spare_blocks";
const BELOW: &str = "card.controller.clean_below";
const UNTIL: &str = "card.controller.clean_until";
const IDLE: &str = "card.controller.idle_until";
const IDLE_AFTER: &str = "card.controller.idle_after";
const STEPS: &str = "card.controller.steps_per_write";

/// Figures of an SD card that its firmware decides.
pub(super) const TEMPLATE: Template = Template {
    name: "sd",
    model: "card",
    base: "sandisk-extreme-32g",
    knobs: &[
        time(COMMAND, 1e-6, 0.05),
        // Longer ones are stalls of another kind: sheets of MLC and TLC state up to 7 ms a page and 10 ms a block.
        time(PROGRAM, 50e-6, 10e-3),
        time(ERASE, 0.2e-3, 20e-3),
        count(SPARE, 1e6),
        count(UNTIL, 1e5),
        count(STEPS, 1e5),
        count("card.controller.journal_changes", 1e6),
        count(IDLE, 1e6),
        time(IDLE_AFTER, 1e-5, 10.0),
    ],
    quick: &[COMMAND, PROGRAM],
    idle: &[IDLE, IDLE_AFTER],
    left_out: &[
        "card.controller.write_time",
        "card.controller.housekeeping",
        "card.controller.housekeeping_every",
    ],
    starts,
};

const fn time(path: &'static str, least: f64, most: f64) -> Knob {
    Knob {
        path,
        kind: TemplateKind::Time,
        least,
        most,
        max_over_typ: None,
    }
}

const fn count(path: &'static str, most: f64) -> Knob {
    Knob {
        path,
        kind: TemplateKind::Count,
        least: 1.0,
        most,
        max_over_typ: None,
    }
}

/// The module says how they are computed.
fn starts(seen: &TemplateFields<'_>) -> Vec<Vec<f64>> {
    let Some(base) = seen.base else {
        return Vec::new();
    };
    let log = seen.log;
    let pace = log.body / base.body;
    let value = |path| seen.value(path).unwrap_or(1.0);
    let command = (value(COMMAND) + log.quick - base.quick).max(1e-6);
    let (program, erase) = (value(PROGRAM) * pace, value(ERASE) * pace);
    let mut cleaning = Vec::new();
    if log.stalls > 0 && base.stalls > 0 {
        let longer = log.stall_mean / base.stall_mean / pace;
        let more = value(SPARE) * (base.excess() / log.excess()).clamp(0.1, 10.0);
        // What cleans in one piece has no hysteresis in its sheet, but one block at least.
        let reach = (value(UNTIL) - seen.fixed(BELOW)).max(1.0) * longer;
        cleaning = vec![
            (UNTIL, seen.fixed(BELOW) + reach),
            (STEPS, value(STEPS) * longer),
            (SPARE, more.max(value(UNTIL) + 4.0)),
        ];
    }
    let mut starts = Vec::new();
    for (firmware, flash, stalls) in [
        (true, false, false),
        (false, true, false),
        (true, true, false),
        (true, true, true),
        (true, false, true),
    ] {
        let mut changes: Vec<(&str, f64)> = Vec::new();
        changes.extend(firmware.then_some((COMMAND, command)));
        changes.extend(
            flash
                .then_some([(PROGRAM, program), (ERASE, erase)])
                .into_iter()
                .flatten(),
        );
        changes.extend(cleaning.iter().filter(|_| stalls));
        starts.push(seen.with(&changes));
        if seen.value(IDLE).is_some() {
            changes.push((IDLE, 1.0));
            starts.push(seen.with(&changes));
        }
    }
    starts
}
