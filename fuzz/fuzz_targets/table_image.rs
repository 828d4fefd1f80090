//! Images of hash tables.
#![no_main]

#[path = "../checks/table_image.rs"]
mod table_image;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    table_image::check(data);
});
