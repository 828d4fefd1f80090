//! The name under which programs find the shared library: that of the interface's version, as `WL_MEMORY_ABI` and
//! `WL_DRAM_ABI` count it.

use std::env;

/// Both interfaces have this version; a test holds it against the headers.
const ABI: u32 = 1;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of_target = env::var("CARGO_CFG_TARGET_OS");
    if of_target.is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwordline_capi.so.{ABI}");
    }
}
