//! The C compiler, and what is compiled with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A file that a test writes. The folder is this crate's own: those of other crates run at the same time, and some of
/// their programs have the same names.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME"));
    fs::create_dir_all(&folder).expect("created");
    folder.join(name)
}

/// What a sanitized build asks for.
pub(crate) const SANITIZERS: [&str; 3] = [
    "-std=c99",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

/// Compiles and links a program of `tests/c`; none where there is no compiler or where it lacks what `more` asks for.
pub(crate) fn compiled(name: &str, more: &[&str], is_needed: bool) -> Option<PathBuf> {
    compiled_file(&here("tests/c").join(name), more, is_needed)
}

/// The same of any program.
pub(crate) fn compiled_file(source: &Path, more: &[&str], is_needed: bool) -> Option<PathBuf> {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let tag = more
        .concat()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let out = scratch(&format!("{name}-{tag}"));
    let strict = [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-Wshadow",
        "-Wconversion",
        "-g",
    ];
    let ran = Command::new("cc")
        .args(strict)
        .args(more)
        .arg("-I")
        .arg(here("include"))
        .arg("-o")
        .arg(&out)
        .arg(source)
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm"])
        .output();
    let Ok(ran) = ran else {
        eprintln_skipped("there is no C compiler named cc");
        return None;
    };
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() || !is_needed, "{told}");
    ran.status.success().then_some(out)
}

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn eprintln_skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// The static library that was built with this test: beside it, and the newest of its name.
pub(crate) fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows itself");
    let folder = test.parent().expect("a folder");
    let library = format!("lib{}-", env!("CARGO_PKG_NAME").replace('-', "_"));
    let plain = library.replace("-", ".a");
    let of = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_it = name == plain || name.starts_with(&library) && name.ends_with(".a");
        let changed = entry.metadata().and_then(|data| data.modified()).ok()?;
        is_it.then(|| (changed, entry.path()))
    };
    let entries = fs::read_dir(folder).expect("readable");
    let newest = entries.filter_map(|entry| of(entry.ok()?)).max();
    newest.expect("the library is built with its tests").1
}

/// Runs a program in the scratch folder, because some write files to their working directory. Returns what it printed.
pub(crate) fn run(program: &Path) -> String {
    let folder = program.parent().expect("a scratch folder");
    let ran = Command::new(program).current_dir(folder).output();
    let ran = ran.expect("runs");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {told}", program.display());
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Compiles a program, runs it, and where the compiler has sanitizers runs it with them.
pub(crate) fn check_program(name: &str, more: &[&str]) {
    let with = |flags: &[&str], is_needed| {
        let flags: Vec<&str> = flags.iter().chain(more).copied().collect();
        compiled(name, &flags, is_needed)
    };
    if let Some(program) = with(&["-std=c99", "-O1"], true) {
        run(&program);
        if let Some(program) = with(&SANITIZERS, false) {
            run(&program);
        }
    }
}

/// What a program prints: names with numbers.
pub(crate) fn layout_of(program: &Path) -> BTreeMap<String, i64> {
    let line = |line: &str| {
        let (name, value) = line.split_once(' ').expect("two words");
        (name.to_owned(), value.parse().expect("a number"))
    };
    run(program).lines().map(line).collect()
}

/// C++ takes a header as it is.
pub(crate) fn check_cpp(header: &str) {
    let flags = [
        "-x",
        "c++",
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-fsyntax-only",
    ];
    let ran = Command::new("c++").args(flags).arg(here(header)).output();
    match ran {
        Ok(ran) => {
            let told = String::from_utf8_lossy(&ran.stderr);
            // A header by itself is compiled with a warning that it is one.
            assert!(
                ran.status.success() || told.contains("#pragma once in main file"),
                "{told}"
            );
        }
        Err(_) => eprintln_skipped("there is no C++ compiler named c++"),
    }
}

macro_rules! members {
    ($found:ident, $name:literal, $type:ty: $($member:ident)*) => {
        $found.push(($name.to_owned(), size_of::<$type>() as i64));
        $($found.push((
            format!("{}.{}", $name, stringify!($member)),
            std::mem::offset_of!($type, $member) as i64,
        ));)*
    };
}
