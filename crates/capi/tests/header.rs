//! The header and the library are in step, and a program in C that uses them finds what the header promises. A machine
//! without a C compiler named cc checks the prototypes alone, and says so.

use std::collections::BTreeMap;
use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

use wordline_capi::{ABI, Info, Options, Stats, Status};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compiles and links a program; none where there is no compiler or where it lacks what `more` asks for.
fn compiled(name: &str, more: &[&str], is_needed: bool) -> Option<PathBuf> {
    let tag = more
        .concat()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{tag}"));
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
        .arg(here("tests/c").join(name))
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
fn eprintln_skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// The static library that was built with this test: beside it, and the newest of its name.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows itself");
    let folder = test.parent().expect("a folder");
    let of = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_it = name.starts_with("libwordline_capi") && name.ends_with(".a");
        let changed = entry.metadata().and_then(|data| data.modified()).ok()?;
        is_it.then(|| (changed, entry.path()))
    };
    let entries = fs::read_dir(folder).expect("readable");
    let newest = entries.filter_map(|entry| of(entry.ok()?)).max();
    newest.expect("the library is built with its tests").1
}

fn run(program: &Path) -> String {
    let ran = Command::new(program).output().expect("runs");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {told}", program.display());
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn a_program_in_c_streams_requests_and_hears_of_each() {
    if let Some(program) = compiled("embed.c", &["-std=c99", "-O1"], true) {
        run(&program);
        let sanitizers = [
            "-std=c99",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
        ];
        if let Some(program) = compiled("embed.c", &sanitizers, false) {
            run(&program);
        }
    }
}

macro_rules! members {
    ($found:ident, $name:literal, $type:ty: $($member:ident)*) => {
        $found.push(($name.to_owned(), size_of::<$type>()));
        $($found.push((
            format!("{}.{}", $name, stringify!($member)),
            offset_of!($type, $member),
        ));)*
    };
}

#[test]
fn structs_and_values_are_those_of_the_header() {
    let Some(program) = compiled("layout.c", &["-std=c99"], true) else {
        return;
    };
    let mut found = vec![
        ("WL_DRAM_ABI".to_owned(), ABI as usize),
        ("WL_DRAM_CAUSES".to_owned(), wordline_dram::CAUSES),
        ("WL_DRAM_OK".to_owned(), Status::Ok as usize),
        (
            "WL_DRAM_BAD_ARGUMENT".to_owned(),
            Status::BadArgument as usize,
        ),
        ("WL_DRAM_BAD_HANDLE".to_owned(), Status::BadHandle as usize),
        ("WL_DRAM_BAD_TARGET".to_owned(), Status::BadTarget as usize),
        (
            "WL_DRAM_BAD_ADDRESS".to_owned(),
            Status::BadAddress as usize,
        ),
        ("WL_DRAM_FULL".to_owned(), Status::Full as usize),
        ("WL_DRAM_BAD_TIME".to_owned(), Status::BadTime as usize),
        ("WL_DRAM_BUSY".to_owned(), Status::Busy as usize),
        ("WL_DRAM_INTERNAL".to_owned(), Status::Internal as usize),
    ];
    members!(found, "wl_dram_options", Options: size abi target settings catalog complete user);
    members!(found, "wl_dram_info", Info: size bytes line_bytes channels sub_channels pseudo_channels read_queue
        write_queue clock_ps peak_bytes_per_second);
    members!(found, "wl_dram_stats", Stats: size time_ps reads writes forwarded merged row_hits row_misses
        row_conflicts activates refreshes read_latency_seconds energy_joules read_wait_seconds);
    let found: BTreeMap<_, _> = found.into_iter().collect();
    let line = |line: &str| {
        let (name, value) = line.split_once(' ').expect("two words");
        (name.to_owned(), value.parse::<usize>().expect("a number"))
    };
    let told: BTreeMap<_, _> = run(&program).lines().map(line).collect();
    assert_eq!(told, found);
}

/// Return type, name and arguments of a function, as C spells them.
type Prototype = (String, String, Vec<String>);

fn in_header() -> Vec<Prototype> {
    let text = fs::read_to_string(here("include/wordline_dram.h")).expect("readable");
    let mut code = String::new();
    let mut rest = text.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").expect("comments end").1;
    }
    code.push_str(rest);
    let mut prototypes = Vec::new();
    for statement in code.split(';') {
        let Some((front, arguments)) = statement.split_once('(') else {
            continue;
        };
        let front = front.lines().next_back().unwrap_or_default().trim();
        let at = front.rfind([' ', '*']).map_or(0, |at| at + 1);
        let (returned, name) = front.split_at(at);
        if !name.starts_with("wl_dram_") {
            continue;
        }
        let arguments = arguments.trim_end().trim_end_matches(')').split(',');
        let arguments = arguments.map(|argument| {
            let argument = argument.trim();
            let at = argument.rfind([' ', '*']).map_or(0, |at| at + 1);
            spaced(if argument == "void" {
                ""
            } else {
                &argument[..at]
            })
        });
        let arguments = arguments.filter(|argument| !argument.is_empty()).collect();
        prototypes.push((spaced(returned), name.to_owned(), arguments));
    }
    prototypes.sort();
    prototypes
}

fn spaced(text: &str) -> String {
    text.replace('*', " * ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn in_library() -> Vec<Prototype> {
    let text = fs::read_to_string(here("src/functions.rs")).expect("readable");
    let mut prototypes = Vec::new();
    for function in text.split("#[unsafe(no_mangle)]").skip(1) {
        let function = function.split_once("extern \"C\" fn ").expect("for C").1;
        let (name, rest) = function.split_once('(').expect("arguments");
        let (arguments, rest) = rest.split_once(')').expect("arguments end");
        let returned = rest.split_once("->").expect("all return something").1;
        let returned = returned.split_once('{').expect("a body").0;
        let arguments = arguments
            .split(',')
            .map(str::trim)
            .filter(|argument| !argument.is_empty());
        let arguments =
            arguments.map(|argument| c_type(argument.split_once(": ").expect("a type").1));
        prototypes.push((
            c_type(returned.trim()),
            name.to_owned(),
            arguments.collect(),
        ));
    }
    prototypes.sort();
    prototypes
}

fn c_type(rust: &str) -> String {
    let named = |name: &str| match name {
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "c_char" => "char",
        "Status" => "wl_dram_status",
        "WlDram" => "wl_dram",
        "Options" => "wl_dram_options",
        "Info" => "wl_dram_info",
        "Stats" => "wl_dram_stats",
        other => panic!("{other} is no type of the header"),
    };
    if let Some(to) = rust.strip_prefix("*mut ") {
        format!("{} *", c_type(to))
    } else if let Some(to) = rust.strip_prefix("*const ") {
        format!("const {} *", c_type(to))
    } else {
        named(rust).to_owned()
    }
}

#[test]
fn the_functions_are_those_of_the_header() {
    let header = in_header();
    assert_eq!(header.len(), 14);
    assert_eq!(header, in_library());
}

/// C++ takes the header as it is.
#[test]
fn the_header_is_cpp_as_well() {
    let ran = Command::new("c++")
        .args([
            "-x",
            "c++",
            "-std=c++11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-fsyntax-only",
        ])
        .arg(here("include/wordline_dram.h"))
        .output();
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
