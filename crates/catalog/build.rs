//! Lists every sheet under `parts/` for embedding, with what it describes and its id, so that a new part is one new file and
//! nothing is parsed that nobody asks for. Cargo runs this again whenever a file there appears, changes or goes, which an embedding macro cannot
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
    let mut texts = String::from("&[\n");
    let mut index = format!("[(&str, &str); {}] = [\n", sheets.len());
    for sheet in &sheets {
        let name = sheet.strip_prefix(&root).expect("found below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        let path = sheet.display().to_string();
        writeln!(texts, "    ({name:?}, include_str!({path:?})),")
            .expect("a String takes everything");
        let id = sheet.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(sheet)?;
        let kind = kind(&text);
        writeln!(index, "    ({kind:?}, {id:?}),").expect("a String takes everything");
    }
    texts.push_str("]\n");
    index.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("sheets.rs"), texts)?;
    fs::write(out.join("index.rs"), format!("static INDEX: {index}"))
}

/// The key that says what a sheet describes, which stands before every table; empty where there is none, which the tests of
/// the crate find. They hold the id to the name of the file as well.
fn kind(text: &str) -> &str {
    let lines = text.lines().take_while(|line| !line.starts_with('['));
    let mut keys = lines.filter_map(|line| Some(line.split_once('=')?.0.trim_end()));
    let kinds = ["part", "board", "die", "module", "system", "counters"];
    keys.find(|key| kinds.contains(key)).unwrap_or_default()
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
