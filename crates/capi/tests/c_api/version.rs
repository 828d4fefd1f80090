//! The version of the interface, wherever it stands.

use std::fs;

use super::cc::here;

/// The version of the interface is stated in four places.
#[test]
fn the_shared_library_is_named_by_its_version() {
    let text = |file: &str| fs::read_to_string(here(file)).expect("readable");
    let memory = text("include/wordline_memory.h");
    let dram = text("include/wordline_dram.h");
    let abi = wordline_capi::wordline_memory_h::ABI;
    assert!(memory.contains(&format!("#define WL_MEMORY_ABI {abi}\n")));
    assert!(dram.contains(&format!("#define WL_DRAM_ABI {abi}\n")));
    assert!(text("build.rs").contains(&format!("const ABI: u32 = {abi};")));
    let name = format!("libwordline_capi.so.{abi}");
    assert!(text("../../Makefile").contains(&format!("SHARED := {name}\n")));
    let shared = super::cc::library().with_extension("so");
    if cfg!(target_os = "linux") {
        let shared = fs::read(shared).expect("built with the static one");
        let name = [b"\0", name.as_bytes(), b"\0"].concat();
        assert!(shared.windows(name.len()).any(|part| part == name));
    }
}
