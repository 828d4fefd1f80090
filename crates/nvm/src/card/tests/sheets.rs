//! Sheets that contradict themselves.

use super::*;
use crate::model::ChipModel as _;

#[test]
fn contradictions_are_found_with_their_place() {
    for (key, value, path, message) in [
        (
            "capacity",
            "typ = '32 MiB'",
            "capacity",
            "exceeds the array of 20 MiB",
        ),
        (
            "capacity",
            "typ = '1000 B'",
            "capacity",
            "a multiple of 512 B",
        ),
        (
            "spare_blocks",
            "value = 17",
            "controller.spare_blocks",
            "allowed: up to 16",
        ),
        (
            "spare_blocks",
            "value = 1",
            "controller.spare_blocks",
            "the translation layer refuses",
        ),
        (
            "clean_until",
            "value = 3",
            "controller.clean_below",
            "the translation layer refuses",
        ),
        (
            "clean_until",
            "value = 40",
            "controller.clean_until",
            "the translation layer refuses",
        ),
        (
            "write_busy",
            "max = '1 ms'",
            "write_busy",
            "less than one program takes",
        ),
        (
            "write_busy",
            "typ = '250 ms'",
            "write_busy",
            "a limit needs the column max",
        ),
        (
            "write_busy",
            "max = '300 ms'",
            "write_busy",
            "allowed: up to 250 ms",
        ),
        (
            "read_wait",
            "max = '100 us'",
            "read_wait",
            "less than one page takes",
        ),
        (
            "page_bytes",
            "typ = '3 KiB'",
            "array.page_bytes",
            "a power of two",
        ),
        (
            "page_bytes",
            "typ = '64 KiB'",
            "array.page_bytes",
            "a power of two",
        ),
        ("dies", "value = 0", "array.dies", "allowed: 1 to 64"),
        (
            "blocks",
            "value = 5000000",
            "array.blocks",
            "allowed: 1 to 4194304",
        ),
        ("transfer", "typ = '0 B/s'", "array.transfer", "above zero"),
        (
            "page_program",
            "typ = '2 ms', max = '1 ms'",
            "array.page_program",
            "is above",
        ),
        (
            "journal_changes",
            "value = 0",
            "controller.journal_changes",
            "1 or more",
        ),
        (
            "open_pages",
            "value = 5000",
            "controller.open_pages",
            "0 to 1024",
        ),
        (
            "idle_until",
            "value = 4000000",
            "controller.idle_until",
            "up to the 16 spare ones",
        ),
        (
            "mapping",
            "value = 'log-block'",
            "controller.mapping",
            "needs log_blocks",
        ),
        (
            "log_blocks",
            "value = 3",
            "controller.mapping",
            "belong to the mapping log-block",
        ),
        (
            "slc_blocks",
            "value = 3",
            "controller.slc_blocks",
            "state [card.array.slc]",
        ),
        (
            "housekeeping",
            "typ = '20 ms'",
            "controller.housekeeping",
            "state both, or leave both out",
        ),
        (
            "housekeeping_every",
            "value = 0",
            "controller.housekeeping_every",
            "1 or more",
        ),
        (
            "housekeeping",
            "typ = '300 ms'",
            "controller.housekeeping",
            "allowed: up to the 250 ms of write_busy",
        ),
        (
            "write_time",
            "typ = '2 ms', max = '1 ms'",
            "controller.write_time",
            "is above",
        ),
        ("interface", "value = 'emmc'", "spi", "has no SPI mode"),
    ] {
        let problems = sheet_with(&[(key, value)]).problems();
        let found = problems
            .iter()
            .any(|one| one.path == path && one.message.contains(message));
        assert!(found, "{key} = {value}: {problems:?}");
    }
    assert_eq!(sheet_with(&[]).problems(), []);
}

#[test]
fn a_flush_belongs_to_an_emmc() {
    let text = format!("flush_busy = {{ max = '1 s', source = 'test' }}\n{CARD}");
    let sheet: CardSheet = toml::from_str(&text).expect("well-formed");
    assert_eq!(sheet.problems()[0].path, "flush_busy");
}
