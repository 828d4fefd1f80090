//! A sheet to begin with: header keys that a sheet needs, and the figures of a page, commented out.
//!
//! What can be pasted begins with `#` right before the key; prose begins with `# `. Taking the `#`
//! off every line of the first kind gives TOML whose figures the loader understands.

use std::fmt::Write as _;

/// Builds the text of a sheet.
pub(super) struct Skeleton {
    text: String,
}

/// The header of a sheet, as far as a page knows it.
pub(super) struct SkeletonHeader<'a> {
    pub(super) id: String,
    pub(super) name: &'a str,
    pub(super) manufacturer: &'a str,
    pub(super) revision: String,
    pub(super) description: String,
}

impl Skeleton {
    pub(super) fn new(source: &str, header: &SkeletonHeader<'_>) -> Self {
        let mut skeleton = Self {
            text: String::new(),
        };
        skeleton.prose(&format!(
            "Begun from {source}. Complete the header, take the # off the"
        ));
        skeleton.prose("figures that apply, and add what only the data sheet states.");
        for (key, value) in [
            ("part", header.id.as_str()),
            ("name", header.name),
            ("manufacturer", header.manufacturer),
            ("revision", &header.revision),
            ("description", &header.description),
        ] {
            skeleton.line(&format!("{key} = {}", quoted(value)));
        }
        skeleton
    }

    /// A sentence for the reader.
    pub(super) fn prose(&mut self, text: &str) {
        self.line(format!("# {text}").trim_end_matches("# "));
    }

    /// A table's head, commented out.
    pub(super) fn table(&mut self, head: &str) {
        self.line("");
        self.line(&format!("#{head}"));
    }

    /// A figure, commented out: its columns as names and quantities, and its source.
    pub(super) fn figure(&mut self, key: &str, columns: &[(&str, String)], source: &str) {
        let mut value = String::new();
        for (column, quantity) in columns {
            write!(value, "{column} = {}, ", quoted(quantity)).expect("a String");
        }
        self.line(&format!(
            "#{key} = {{ {value}source = {} }}",
            quoted(source)
        ));
    }

    /// A number that has no unit, commented out, with its source.
    pub(super) fn number(&mut self, key: &str, value: u64, source: &str) {
        self.line(&format!(
            "#{key} = {{ value = {value}, source = {} }}",
            quoted(source)
        ));
    }

    /// A key with a value in TOML, commented out.
    pub(super) fn key(&mut self, key: &str, value: &str) {
        self.line(&format!("#{key} = {value}"));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}

/// A basic string of TOML. Characters that a page should not hold are spelt out.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            other => write!(out, "\\u{:04X}", u32::from(other).min(0xFFFD)).expect("a String"),
        }
    }
    out.push('"');
    out
}

/// An id that a sheet may have, made from a name.
pub(super) fn id(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let id: String = name.chars().filter(allowed).collect();
    if id.is_empty() {
        "my-part".to_owned()
    } else {
        id.to_ascii_lowercase()
    }
}
