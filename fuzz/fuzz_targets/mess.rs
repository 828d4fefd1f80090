//! Curves of Mess.
#![no_main]

#[path = "../checks/mess.rs"]
mod mess;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    mess::check(data);
});
