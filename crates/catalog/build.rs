//! Packs every sheet under `parts/` for embedding, and lists what it describes and its id, so that a new part is one new file
//! and nothing is parsed that nobody asks for. Cargo runs this again whenever a file there appears, changes or goes, which an embedding macro cannot
//! promise.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Sheets of a pack, which is unpacked for each of them. Neighbours say much the same: four take a seventh of their text, by
/// themselves a quarter.
const PACKED: usize = 4;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let parts = root.join("parts");
    println!("cargo::rerun-if-changed={}", parts.display());
    let mut sheets = Vec::new();
    collect(&parts, &mut sheets)?;
    sheets.sort();
    // What is sent to a browser is compressed as a whole, and better so.
    let is_sent = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let level = if is_sent { 0 } else { 10 };
    let mut packs = String::from("static PACKS: &[&[u8]] = &[\n");
    let mut index = format!("static INDEX: [PackedSheet; {}] = [\n", sheets.len());
    for (number, pack) in sheets.chunks(PACKED).enumerate() {
        let mut texts = String::new();
        for sheet in pack {
            let text = fs::read_to_string(sheet)?;
            let file = sheet.strip_prefix(&root).expect("found below the root");
            let file = file.to_string_lossy().replace('\\', "/");
            let id = sheet.file_stem().unwrap_or_default().to_string_lossy();
            let (kind, begin) = (kind(&text), texts.len());
            texts.push_str(&text);
            let end = texts.len();
            writeln!(
                index,
                "    PackedSheet {{ kind: {kind:?}, id: {id:?}, file: {file:?}, pack: {number}, begin: {begin}, end: {end} }},"
            )
            .expect("a String takes everything");
        }
        let file = out.join(format!("{number}.pack"));
        let packed = miniz_oxide::deflate::compress_to_vec(texts.as_bytes(), level);
        fs::write(&file, packed)?;
        writeln!(
            packs,
            "    include_bytes!({:?}),",
            file.display().to_string()
        )
        .expect("a String takes everything");
    }
    packs.push_str("];\n");
    index.push_str("];\n");
    fs::write(out.join("sheets.rs"), packs + &index)
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
