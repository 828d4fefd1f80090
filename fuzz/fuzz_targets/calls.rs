//! Calls of the C interface of memories, in any order.
#![no_main]

#[path = "../checks/calls.rs"]
mod calls;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    calls::check(data);
});
