//! The variants of an enum of another crate, which its `non_exhaustive` hides from the compiler.

use std::collections::BTreeSet;
use std::path::Path;

/// The names of the variants of an enum, from the source that declares it, relative to this crate.
pub(crate) fn declared(source: &str, name: &str) -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let text = std::fs::read_to_string(source).expect("readable");
    let opening = format!("pub enum {name}<E> {{\n");
    let body = text.split_once(&opening).expect("declared").1;
    let body = body.split_once("\n}").expect("ends").0;
    // Fields of variants, and their comments, are indented further.
    let variants = body.lines().filter_map(|line| line.strip_prefix("    "));
    let variants = variants.filter(|line| line.starts_with(|first: char| first.is_uppercase()));
    variants.map(named).collect()
}

/// The name of a variant, from how it is declared or printed.
pub(crate) fn named(variant: &str) -> String {
    let end = variant.find(|c: char| !c.is_alphanumeric());
    variant[..end.unwrap_or(variant.len())].to_owned()
}
