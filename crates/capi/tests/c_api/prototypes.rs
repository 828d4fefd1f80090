//! The functions of a header, and those of the library.

use std::fs;

use super::cc::here;

/// Return type, name and arguments of a function, as C spells them.
pub(crate) type Prototype = (String, String, Vec<String>);

/// The functions that a header declares.
pub(crate) fn in_header(header: &str, prefix: &str) -> Vec<Prototype> {
    let text = fs::read_to_string(here(header)).expect("readable");
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
        if !name.starts_with(prefix) || front.trim_start().starts_with('#') {
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

/// The functions that source files export, with the names that `types` gives their types.
pub(crate) fn in_library(sources: &[&str], types: &[(&str, &str)]) -> Vec<Prototype> {
    let read = |source: &&str| fs::read_to_string(here(source)).expect("readable");
    let text: String = sources.iter().map(read).collect();
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
            arguments.map(|argument| c_type(argument.split_once(": ").expect("a type").1, types));
        prototypes.push((
            c_type(returned.trim(), types),
            name.to_owned(),
            arguments.collect(),
        ));
    }
    prototypes.sort();
    prototypes
}

fn c_type(rust: &str, types: &[(&str, &str)]) -> String {
    let common = [
        ("u32", "uint32_t"),
        ("u64", "uint64_t"),
        ("i32", "int32_t"),
        ("f64", "double"),
        ("c_char", "char"),
        ("c_void", "void"),
    ];
    let named = |name: &str| {
        let found = common.iter().chain(types).find(|(rust, _)| *rust == name);
        found
            .unwrap_or_else(|| panic!("{name} is no type of the header"))
            .1
    };
    if let Some(to) = rust.strip_prefix("*mut ") {
        format!("{} *", c_type(to, types))
    } else if let Some(to) = rust.strip_prefix("*const ") {
        format!("const {} *", c_type(to, types))
    } else {
        named(rust).to_owned()
    }
}
