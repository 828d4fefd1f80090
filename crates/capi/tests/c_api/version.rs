//! The version of the interface, wherever it stands.

use std::fs;

use std::process::Command;

use super::cc::{eprintln_skipped, here, library, run, scratch};
use super::prototypes::in_header;

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
    assert!(text("wordline.map").contains(&format!("\nWORDLINE_{abi} {{\n")));
    let shared = super::cc::library().with_extension("so");
    if cfg!(target_os = "linux") {
        let shared = fs::read(shared).expect("built with the static one");
        let name = [b"\0", name.as_bytes(), b"\0"].concat();
        assert!(shared.windows(name.len()).any(|part| part == name));
    }
}

/// What `make install` installs: every function of the headers has the version's node, nothing else is seen, and programs
/// ask for that node.
#[test]
fn the_installed_library_has_versioned_symbols() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let abi = wordline_capi::wordline_memory_h::ABI;
    let folder = scratch("versioned");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder of the build's own");
    let name = format!("libwordline_capi.so.{abi}");
    let shared = folder.join(&name);
    let linked = Command::new(here("../../scripts/shared-library"))
        .arg(library())
        .arg(&shared)
        .arg(&name)
        .output()
        .expect("bash is there");
    let told = String::from_utf8_lossy(&linked.stderr);
    if told.contains("cc: command not found") {
        eprintln_skipped("there is no C compiler named cc");
        return;
    }
    assert!(linked.status.success(), "{told}");
    let symbols_of = |file: &std::path::Path, which: &str| -> Vec<String> {
        let nm = Command::new("nm")
            .args(["-D", "--with-symbol-versions", which])
            .arg(file)
            .output()
            .expect("nm comes with the compiler");
        let told = String::from_utf8_lossy(&nm.stdout).into_owned();
        let names = told
            .lines()
            .filter_map(|line| line.split_whitespace().last());
        names.map(str::to_owned).collect()
    };
    let node = format!("WORDLINE_{abi}");
    let functions = |header, prefix| in_header(header, prefix).into_iter().map(|one| one.1);
    let mut expected: Vec<String> = functions("include/wordline_memory.h", "wl_memory_")
        .chain(functions("include/wordline_dram.h", "wl_dram_"))
        .map(|function| format!("{function}@@{node}"))
        .collect();
    expected.push(node.clone());
    expected.sort();
    let mut found = symbols_of(&shared, "--defined-only");
    // Some versions of nm write the node itself with its version.
    for symbol in &mut found {
        if symbol.starts_with(&node) {
            symbol.clone_from(&node);
        }
    }
    found.sort();
    assert_eq!(found, expected);
    std::os::unix::fs::symlink(&name, folder.join("libwordline_capi.so")).expect("a link");
    let program = folder.join("program");
    let built = Command::new("cc")
        .args(["-std=c99", "-I"])
        .arg(here("include"))
        .arg("-o")
        .arg(&program)
        .arg(here("tests/c/linked.c"))
        .arg("-L")
        .arg(&folder)
        .arg("-lwordline_capi")
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .output()
        .expect("the compiler that linked the library");
    let told = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{told}");
    let wanted = symbols_of(&program, "--undefined-only");
    let wanted_node = format!("wl_memory_abi@{node}");
    assert!(wanted.contains(&wanted_node), "{wanted:?}");
    assert_eq!(run(&program), format!("{abi}\n"));
}
