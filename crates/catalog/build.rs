//! Lists every sheet under `parts/` for embedding, so that a new part is one new file. Cargo runs
//! this again whenever a file there appears, changes or goes, which an embedding macro cannot
//! promise.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let parts = root.join("parts");
    println!("cargo::rerun-if-changed={}", parts.display());
    let mut sheets = Vec::new();
    collect(&parts, &mut sheets)?;
    sheets.sort();
    let mut code = String::from("&[\n");
    for sheet in &sheets {
        let name = sheet.strip_prefix(&root).expect("found below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(
            code,
            "    ({name:?}, include_str!({:?})),",
            sheet.display().to_string()
        )
        .expect("a String takes everything");
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("sheets.rs"), code)
}

fn collect(folder: &Path, sheets: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, sheets)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            sheets.push(path);
        }
    }
    Ok(())
}
