//! Dumps of parameter pages.
#![no_main]

#[path = "../checks/import.rs"]
mod import;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    import::check(data);
});
