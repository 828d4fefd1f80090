//! Sound sheets with other figures.
#![no_main]

#[path = "../checks/figures.rs"]
mod figures;
#[path = "../checks/sheet.rs"]
mod sheet;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sheet::check(figures::sheets(data).as_bytes());
});
