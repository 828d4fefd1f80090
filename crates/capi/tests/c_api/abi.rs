//! The binary interface of a header as a C compiler sees it, beside the one that is kept in `abi/`.
//!
//! A line that is gone or changed breaks programs that were compiled before: then the version of the interface goes up,
//! and the name of the shared library with it. `UPDATE_ABI=1` writes what was added, and `UPDATE_ABI=break` a
//! break.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::cc::{compiled_file, here, run, scratch};
use super::prototypes::in_header;

/// What a break of a shared library asks for.
#[allow(dead_code, reason = "the libraries for firmware have none")]
pub(crate) const SONAME: &str = "the macro _ABI of the header, and of libwordline_capi.so the SONAME in build.rs, SHARED in the \
                                 Makefile and the node in wordline.map, go up";

/// The same of libraries that are linked statically.
#[allow(dead_code, reason = "the library for the host is shared")]
pub(crate) const STATIC: &str = "this library has no SONAME, because it is linked statically: CHANGELOG.md says that programs have to \
                                 be compiled anew";

/// What a header declares besides functions.
#[derive(Default)]
struct Declared {
    /// Structs with their members: type and name.
    structs: Vec<(String, Vec<(String, String)>)>,
    /// Constants of enums, and macros that are numbers.
    values: Vec<String>,
}

/// A text without its comments.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    code + rest
}

fn declared(code: &str, prefix: &str) -> Declared {
    let mut found = Declared::default();
    // A macro of several lines is one: what it leaves would hide the struct behind it.
    let code = code.replace("\\\n", " ");
    let capital = prefix.to_uppercase();
    for line in code.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some("#define")
            && let (Some(name), Some(value)) = (words.next(), words.next())
            && name.starts_with(&capital)
            && !name.contains('(')
            && value.starts_with(|first: char| first.is_ascii_digit())
        {
            found.values.push(name.to_owned());
        }
    }
    let plain = code
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let plain: String = plain.flat_map(|line| [line, "\n"]).collect();
    for (front, body) in blocks(&plain) {
        if front.ends_with("enum") {
            let names = body
                .split(',')
                .map(|one| one.split('=').next().unwrap_or(""));
            let names = names.map(str::trim).filter(|name| !name.is_empty());
            found.values.extend(names.map(str::to_owned));
        } else if let Some(name) = front.strip_prefix("typedef struct ") {
            let members = body.split(';').map(str::trim).filter(|one| !one.is_empty());
            let members = members.map(member);
            found
                .structs
                .push((name.trim().to_owned(), members.collect()));
        }
    }
    found
}

/// Type and name of a member.
fn member(text: &str) -> (String, String) {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // A pointer to a function has its name within its type.
    if let Some((_, behind)) = text.split_once("(*")
        && let Some((name, _)) = behind.split_once(')')
    {
        return (spaced(text), name.to_owned());
    }
    let (plain, array) = text.split_at(text.find('[').unwrap_or(text.len()));
    let plain = plain.trim_end();
    let at = plain.rfind([' ', '*']).map_or(0, |at| at + 1);
    (
        spaced(&format!("{}{array}", &plain[..at])),
        plain[at..].to_owned(),
    )
}

/// What stands before each pair of braces, since the last semicolon, and in it.
fn blocks(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some((before, behind)) = rest.split_once('{') {
        let front = before.rsplit([';', '}']).next().unwrap_or("");
        let front = front.split_whitespace().collect::<Vec<_>>().join(" ");
        // The body of extern "C" reaches to the end of the header.
        if front.ends_with("\"C\"") {
            rest = behind;
            continue;
        }
        let Some((body, after)) = behind.split_once('}') else {
            break;
        };
        found.push((front, body.to_owned()));
        rest = after;
    }
    found
}

/// The interface of a header, a line each; none where there is no compiler.
fn seen(header: &str, prefix: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(here(header)).expect("readable");
    let declared = declared(&without_comments(&text), prefix);
    let name = Path::new(header).file_name().expect("a file");
    let mut program = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include \"{}\"\nint main(void) {{\n",
        name.to_string_lossy()
    );
    for value in &declared.values {
        let _ = writeln!(
            program,
            "printf(\"value {value} %lld\\n\", (long long)({value}));"
        );
    }
    for (name, members) in &declared.structs {
        let _ = writeln!(
            program,
            "printf(\"struct {name} size %lu\\n\", (unsigned long)sizeof({name}));"
        );
        for (of, member) in members {
            let _ = writeln!(
                program,
                "printf(\"member {name} {member} at %lu, %lu bytes, {of}\\n\", (unsigned long)offsetof({name}, {member}), \
                 (unsigned long)sizeof((({name} *)0)->{member}));"
            );
        }
    }
    program += "return 0; }\n";
    let stem = Path::new(header)
        .file_stem()
        .expect("a name")
        .to_string_lossy();
    let source = scratch(&format!("abi-{stem}.c"));
    fs::write(&source, program).expect("the folder of the build is writable");
    let program = compiled_file(&source, &["-std=c99"], true)?;
    let mut lines: Vec<String> = run(&program).lines().map(str::to_owned).collect();
    for (returned, name, arguments) in in_header(header, prefix) {
        lines.push(format!(
            "function {returned} {name}({})",
            arguments.join(", ")
        ));
    }
    lines.sort();
    Some(lines)
}

/// A struct may grow at its end, because its first member says how long the caller's is.
fn is_growth(kept: &str, now: &[String]) -> bool {
    let Some((name, size)) = kept.split_once(" size ") else {
        return false;
    };
    let size = size.parse::<u64>().ok();
    let begins_with_size = |name: &str| {
        let first = format!("member {name} size at 0, 8 bytes, uint64_t");
        now.contains(&first)
    };
    let larger = now.iter().any(|line| {
        let grown = line.split_once(" size ").filter(|(of, _)| *of == name);
        grown.and_then(|(_, bytes)| bytes.parse::<u64>().ok()) > size
    });
    larger && name.strip_prefix("struct ").is_some_and(begins_with_size)
}

/// What became of an interface since it was kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AbiChange {
    /// Lines that callers rely on, and that are no more.
    pub(crate) broken: Vec<String>,
    /// Lines that were added.
    pub(crate) added: Vec<String>,
}

pub(crate) fn change(kept: &[String], now: &[String]) -> AbiChange {
    let gone = kept.iter().filter(|line| !now.contains(line));
    let version = |line: &&String| line.starts_with("value ") && line.contains("_ABI ");
    AbiChange {
        broken: gone
            .filter(|line| !is_growth(line, now) && !version(line))
            .cloned()
            .collect(),
        added: now
            .iter()
            .filter(|line| !kept.contains(line))
            .cloned()
            .collect(),
    }
}

/// Compares a header with `abi/NAME.abi`, which is kept for 64-bit pointers.
pub(crate) fn check_abi(header: &str, prefix: &str, advice: &str) {
    if cfg!(not(target_pointer_width = "64")) {
        return;
    }
    let Some(now) = seen(header, prefix) else {
        return;
    };
    assert!(now.len() > 5, "{header}: {now:?}");
    let stem = Path::new(header)
        .file_stem()
        .expect("a name")
        .to_string_lossy();
    let file = here("abi").join(format!("{stem}.abi"));
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let kept: Vec<String> = kept
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    let AbiChange { broken, added } = change(&kept, &now);
    let wanted = env::var("UPDATE_ABI").unwrap_or_default();
    if wanted == "break" || wanted == "1" && broken.is_empty() {
        fs::create_dir_all(here("abi")).expect("the source folder is writable");
        let head = "# The binary interface with 64-bit pointers, as a C compiler sees it; a test compares it.\n";
        let lines: String = now.iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(&file, head.to_owned() + &lines).expect("the source folder is writable");
        return;
    }
    assert!(
        broken.is_empty(),
        "{header}: programs that were compiled before would be wrong, because these lines of {} are gone or changed:\n  \
         {}\nTake the change back, or else: {advice}. Then UPDATE_ABI=break with this test keeps the new one",
        file.display(),
        broken.join("\n  ")
    );
    assert!(
        added.is_empty(),
        "{header}: these lines are new, and break no program; the version stays. UPDATE_ABI=1 with this test keeps them \
         in {}:\n  {}",
        file.display(),
        added.join("\n  ")
    );
}

#[test]
fn a_break_is_told_from_an_addition() {
    let lines = |all: &[&str]| -> Vec<String> { all.iter().map(|one| (*one).to_owned()).collect() };
    let kept = lines(&[
        "function int32_t wl_f(uint64_t)",
        "member wl_s size at 0, 8 bytes, uint64_t",
        "member wl_s x at 8, 8 bytes, double",
        "struct wl_s size 16",
        "value WL_A 1",
    ]);
    let with = |from: &str, to: &str| -> Vec<String> {
        kept.iter().map(|line| line.replace(from, to)).collect()
    };
    for (from, to) in [
        ("wl_f(uint64_t)", "wl_f(uint32_t)"),
        ("wl_f", "wl_g"),
        ("x at 8", "x at 16"),
        ("double", "uint64_t"),
        ("WL_A 1", "WL_A 2"),
        ("size 16", "size 8"),
    ] {
        assert_eq!(change(&kept, &with(from, to)).broken.len(), 1, "{from}");
    }
    let mut grown = with("size 16", "size 24");
    grown.push("member wl_s y at 16, 8 bytes, double".to_owned());
    let found = change(&kept, &grown);
    assert_eq!((found.broken.len(), found.added.len()), (0, 2));
    // A struct that does not state its size cannot grow.
    let fixed: Vec<String> = kept[3..].to_vec();
    let found = change(&fixed, &lines(&["struct wl_s size 24", "value WL_A 1"]));
    assert_eq!(found.broken, ["struct wl_s size 16"]);
}
