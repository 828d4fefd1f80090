//! The newer calls of the C interface of memories, in any order.
#![no_main]

#[path = "../checks/commands.rs"]
mod commands;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    commands::check(data);
});
