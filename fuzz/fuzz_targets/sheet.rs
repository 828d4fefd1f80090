//! Sheets of parts and boards.
#![no_main]

#[path = "../checks/sheet.rs"]
mod sheet;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sheet::check(data);
});
