//! The script inside the page, the policy that allows it and nothing else to run, and data that is safe
//! between script tags.

use std::io::Write as _;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// The parts of the page's script, in the order in which they need each other.
const SOURCES: [&str; 14] = [
    include_str!("page/data.js"),
    include_str!("page/quantity.js"),
    include_str!("page/svg.js"),
    include_str!("page/scale.js"),
    include_str!("page/curves.js"),
    include_str!("page/heat.js"),
    include_str!("page/bars.js"),
    include_str!("page/table.js"),
    include_str!("page/judge.js"),
    include_str!("page/scatter.js"),
    include_str!("page/question.js"),
    include_str!("page/short.js"),
    include_str!("page/explore.js"),
    include_str!("page/page.js"),
];

/// The script as it stands between the tags, and the policy that allows it to run.
pub(super) struct PageScript {
    pub(super) text: String,
    pub(super) policy: String,
}

impl PageScript {
    /// Made once: it is the same in every page.
    pub(super) fn inlined() -> &'static Self {
        static SCRIPT: OnceLock<PageScript> = OnceLock::new();
        SCRIPT.get_or_init(|| {
            let text = format!("\"use strict\";\n(() => {{\n{}}})();\n", SOURCES.join("\n"));
            let policy = policy(&text);
            Self { text, policy }
        })
    }
}

/// The content security policy: the script by the hash of its text, styles inline, pictures only from
/// the page itself, and nothing from anywhere else.
fn policy(text: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    )
}

/// Data for the script: JSON, deflated (RFC 1951), in base64. None of its characters ends an element or a line.
pub(super) fn packed(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => packed_text(&text),
        Err(error) => unreachable!("plain data with text keys serialises: {error}"),
    }
}

/// The same of JSON that is text already.
pub(super) fn packed_text(text: &str) -> String {
    let mut deflating = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = deflating.write_all(text.as_bytes());
    match written.and_then(|()| deflating.finish()) {
        Ok(bytes) => STANDARD.encode(bytes),
        Err(error) => unreachable!("memory takes what is written: {error}"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;

    use super::*;

    /// What was packed, as JSON text.
    pub(in super::super) fn unpacked(data: &str) -> String {
        let bytes = STANDARD.decode(data.trim()).expect("base64");
        let mut text = String::new();
        let mut inflated = DeflateDecoder::new(bytes.as_slice());
        inflated.read_to_string(&mut text).expect("deflated text");
        text
    }

    #[test]
    fn the_script_survives_between_tags() {
        let lower = PageScript::inlined().text.to_ascii_lowercase();
        // A carriage return or a NUL would be changed by the HTML parser and break the hash.
        for forbidden in [
            "</script",
            "<!--",
            "\r",
            "\0",
            "sourcemappingurl",
            "innerhtml",
            "eval(",
        ] {
            assert!(!lower.contains(forbidden), "{forbidden:?} in the script");
        }
    }

    #[test]
    fn packed_data_cannot_leave_its_element() {
        let hostile = ["</script><script>alert(1)</script>", "<!--", "\u{2028}&"];
        let data = packed(&hostile);
        let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '+' | '/' | '=');
        assert!(data.chars().all(is_plain), "{data}");
        let back: Vec<String> = serde_json::from_str(&unpacked(&data)).expect("still JSON");
        assert_eq!(back, hostile);
    }
}
