//! What is assumed and neither moved nor left open: figure by figure, with the reason why no verdict rests on it.

use std::collections::BTreeSet;

use super::{OPEN_CHOICES, Stated};
use crate::figures::without_labels;
use crate::{Catalog, Header, estimate, figures};

/// Figures by the last parts of their names, and why they change no verdict.
static EXEMPT: &[(&[&str], &str)] = &[
    (
        &["area"],
        "no limit is about it; an order that rests on it is warned of",
    ),
    (
        &[
            "core_clock",
            "io_voltage",
            "rail.voltage",
            "host.supply",
            "host.sleeps_in_transfers",
            "sd.clock",
            "sd.width_bits",
            "serial.clock_str",
            "serial.clock_dtr",
            "serial.kernel_clock",
            "serial.modes",
            "parallel.clock",
            "parallel.address_setup",
            "parallel.data_setup",
            "parallel.hold",
            "ddr.clock",
            "ddr.width_bits",
            "ddr.page_policy",
            "driver.poll_interval",
            "serial.memory_mapped.prefetch",
        ],
        "whoever designs the board or writes its driver sets it: a controller runs at the clock and in the mode that are set",
    ),
    (
        &["parallel.width_bits"],
        "part numbers and boards name it; another width is another part",
    ),
    (
        &[
            "cpu.cycles_per_instruction",
            "cpu.cycles_per_instruction_optimized",
            "cpu.ram_line_miss",
        ],
        "hash tables alone ask for it",
    ),
    (
        &["card.capacity"],
        "the card's name states it to a percent; the limit of parts is in whole cards",
    ),
    (
        &["card.clock", "card.spi"],
        "the specification that the card is sold by has it",
    ),
    (
        &["write_busy", "read_wait", "flush_busy"],
        "a limit of the host's patience: bounds rest on it, and say that they prove nothing where it is assumed",
    ),
    (
        &["reads_wear"],
        "it follows from the cell: a read of a ferroelectric cell destroys what it holds, one of a magnetic cell does not",
    ),
    (
        &["ecc_unit"],
        "only what a power cut leaves depends on it; work that is judged has none",
    ),
    (
        &["write_enable"],
        "an enable before each write is the slowest way, and takes eight clocks",
    ),
    (
        &["opcode", "parallel.command"],
        "commands as parts of the kind have them; a wrong one is a few clocks of an access",
    ),
    (
        &["ecc.parity", "ecc.refresh_from", "spare_bytes", "pairing"],
        "only which bits go wrong, or what a power cut takes, depends on it; work that is judged has neither",
    ),
    (
        &["good_blocks_first"],
        "a boot loader needs it; which block is bad changes no time",
    ),
    (
        &["in_order"],
        "work that is judged programs the pages of a block in order",
    ),
    (
        &["planes", "cache_read_sequential"],
        "work that is judged uses one plane, and no cache reads",
    ),
    (
        &["suspend.program_during_erase"],
        "work that is judged reads while the memory erases, and programs nothing then",
    ),
    (
        &[
            "aging.program_pulses",
            "aging.program_pulses_early",
            "aging.program_pulses_late",
            "aging.early_cycles",
        ],
        "the grain in which programs get faster with wear: their mean stays that of the sheet",
    ),
    (
        &[
            "nor.aging.retention_errors",
            "nor.aging.program_disturb",
            "nor.aging.read_disturb",
        ],
        "makers of NOR flash ask for no correction of bits: none go wrong within the rated life",
    ),
    (
        &["parallel.turnaround", "onchip.standby"],
        "flash inside a microcontroller has no bus to turn round, and its current at rest is the microcontroller's",
    ),
];

fn exemption(path: &str) -> Option<usize> {
    let plain = without_labels(path);
    let named = |name: &&str| {
        plain == *name
            || plain
                .strip_suffix(*name)
                .is_some_and(|before| before.ends_with('.'))
    };
    EXEMPT
        .iter()
        .position(|(names, _)| names.iter().any(&named))
}

/// The figures of a sheet of which no source states the value or a column.
fn unsourced(header: &Header, visit: &mut dyn FnMut(&str, &Stated)) {
    let tree = estimate::tree(&header.text).expect("it was parsed");
    figures::each(&tree, &mut |_, path, table| {
        if let Some(stated) = Stated::of(&header.text, table)
            && (stated.basis.is_unsourced() || !stated.assumed.is_empty())
        {
            visit(path, &stated);
        }
    });
}

/// Everything that is assumed or estimated of parts and boards can be moved, leaves a verdict open, or has a reason why no
/// verdict rests on it.
#[test]
fn every_figure_without_a_source_is_accounted_for() {
    let catalog = Catalog::load(&[]).expect("sound sheets");
    let parts = catalog.parts().map(|part| &part.header);
    let boards = catalog.boards().map(|board| &board.header);
    let (mut count, mut used, mut missing) = (0, BTreeSet::new(), Vec::new());
    for header in parts.chain(boards) {
        unsourced(header, &mut |path, stated| {
            count += 1;
            // A range without width is one, too: the parts that it was estimated from are all alike.
            let moved = stated.has_range(path) || stated.range.is_some();
            let open = OPEN_CHOICES.iter().any(|choice| choice.holds(path, stated));
            if moved || open {
                return;
            }
            match exemption(path) {
                Some(index) => {
                    used.insert(index);
                }
                None => missing.push(format!("{}: {path}", header.id)),
            }
        });
    }
    assert!(count > 1000, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
    let unused = (0..EXEMPT.len()).filter(|index| !used.contains(index));
    let unused: Vec<_> = unused.map(|index| EXEMPT[index]).collect();
    assert!(unused.is_empty(), "{unused:?}");
    assert!(EXEMPT.iter().all(|(_, reason)| !reason.is_empty()));
}
