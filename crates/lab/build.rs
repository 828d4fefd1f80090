//! Hashes everything that results depend on besides their inputs: the sources and data of the simulation, the versions of
//! its libraries, and the features it is built with. A store of results takes none of another simulation.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

/// Crates that change no result: they read experiments, or write results down. A new crate counts until it stands here.
const BESIDE: [&str; 11] = [
    "apps-qemu",
    "c-abi",
    "capi",
    "cli",
    "embedded",
    "flat-capi",
    "kv-capi",
    "playground",
    "python",
    "report",
    "rtfs-capi",
];

/// Folders of a crate that its library is not made of.
const TESTS: [&str; 5] = ["tests", "benches", "examples", "abi", "target"];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let (folders, files) = sources(&own)?;
    for path in folders {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let mut digest = digest(&own, &files)?;
    let mut features: Vec<String> = env::vars()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("CARGO_FEATURE_"))
        .collect();
    features.sort();
    digest.update(features.join(" "));
    // What the system's own functions round may differ.
    digest.update(env::var("TARGET").unwrap_or_default());
    let hex: String = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    println!("cargo::rustc-env=WORDLINE_MODELS={hex}");
    Ok(())
}

/// What to watch, and what to hash: everything that the crates beside this one are made of; of a package by itself its own.
pub(crate) fn sources(own: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let crates = own.parent().unwrap_or(own);
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    if own.ends_with("crates/lab") && crates.join("core").is_dir() {
        for folder in sorted(crates)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if folder.is_dir() && !BESIDE.contains(&&*name) {
                collect_crate(&folder, &mut folders, &mut files)?;
            }
        }
        for name in ["../Cargo.lock", "../Cargo.toml"] {
            folders.push(crates.join(name));
            files.push(crates.join(name));
        }
    } else {
        collect_crate(own, &mut folders, &mut files)?;
    }
    Ok((folders, files))
}

/// Names and contents.
pub(crate) fn digest(own: &Path, files: &[PathBuf]) -> io::Result<Sha256> {
    let crates = own.parent().unwrap_or(own);
    let mut digest = Sha256::new();
    for path in files {
        let name = path.strip_prefix(crates).unwrap_or(path).to_string_lossy();
        let bytes = fs::read(path)?;
        for part in [name.replace('\\', "/").as_bytes(), &bytes] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    Ok(digest)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Everything of a crate but its tests.
fn collect_crate(
    folder: &Path,
    folders: &mut Vec<PathBuf>,
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for path in sorted(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !TESTS.contains(&&*name) {
            collect(&path, folders, files)?;
        } else if path.is_file() && !name.ends_with(".md") {
            folders.push(path.clone());
            files.push(path);
        }
    }
    Ok(())
}

/// Sources, data and settings; no words for people.
fn collect(folder: &Path, folders: &mut Vec<PathBuf>, files: &mut Vec<PathBuf>) -> io::Result<()> {
    folders.push(folder.to_owned());
    for path in sorted(folder)? {
        if path.is_dir() {
            collect(&path, folders, files)?;
        } else if path.extension().is_none_or(|extension| extension != "md") {
            files.push(path);
        }
    }
    Ok(())
}
