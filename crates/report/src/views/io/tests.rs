//! What people see of `wordline io replay`.

use crate::{Detail, Format, Style, answer, fixture, render};

fn first_screen(document: &wordline_core::results::ResultSet) -> String {
    let style = Style {
        detail: Detail::Answer,
        ..Style::default()
    };
    render(document, Format::Table, &style)
}

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::file_trace().check(), Ok(()));
}

#[test]
fn the_fastest_file_system_comes_first_and_one_that_failed_last() {
    let document = fixture::file_trace();
    let sentences = answer(&document);
    assert_eq!(
        sentences[0],
        "On FAT (rust-fatfs) on mt29f1g01@stm32h755-qspi the 900 calls of wal.wft take 2.00 s together, and the \
         slowest 60.0 ms."
    );
    assert!(sentences[1].contains("littlefs"), "{sentences:?}");
    assert_eq!(
        sentences[2],
        "wal.wft does not run on rtfs on mt29f1g01@stm32h755-qspi."
    );
    let screen = first_screen(&document);
    assert!(
        screen.starts_with("Take FAT (rust-fatfs) on mt29f1g01@stm32h755-qspi: the 900 calls"),
        "{screen}"
    );
    assert!(screen.contains("does not run"), "{screen}");
}

#[test]
fn the_screen_says_where_the_time_goes() {
    let screen = first_screen(&fixture::file_trace());
    assert!(screen.contains("60.0 ms in sync; 7 erases"), "{screen}");
    assert!(
        screen.contains("sync 75.0 % of the time, write 25.0 %"),
        "{screen}"
    );
    assert!(screen.contains("4.00 bytes stored for each"), "{screen}");
}
