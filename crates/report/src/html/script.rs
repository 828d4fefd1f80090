//! The scripts inside the page, the policy that lets them and nothing else run, and JSON that is
//! safe between script tags.

use std::fmt::Write as _;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::text::is_unseen;

/// The vendored libraries in the order in which they need each other, then the page's own script.
/// vega-embed brings the interpreter of expressions, vega-interpreter, with it.
const SOURCES: [&str; 4] = [
    include_str!("../../vendor/vega-6.4.0/vega.min.js"),
    include_str!("../../vendor/vega-lite-6.4.3/vega-lite.min.js"),
    include_str!("../../vendor/vega-embed-7.3.0/vega-embed.min.js"),
    include_str!("page.js"),
];

/// Scripts as they stand between the tags, and the policy that lets them run.
pub(super) struct Scripts {
    texts: Vec<String>,
    policy: String,
}

impl Scripts {
    /// Made once: they are the same in every page.
    pub(super) fn inlined() -> &'static Self {
        static SCRIPTS: OnceLock<Scripts> = OnceLock::new();
        SCRIPTS.get_or_init(|| {
            let texts: Vec<_> = SOURCES.iter().map(|text| without_map(text)).collect();
            let policy = policy(&texts);
            Self { texts, policy }
        })
    }

    pub(super) fn policy(&self) -> &str {
        &self.policy
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }
}

/// The content security policy: scripts by the hash of their text, styles inline, pictures only from
/// the page itself, and nothing from anywhere else. Plots are saved as `data:` or `blob:` pictures.
fn policy(texts: &[String]) -> String {
    let hash = |text: &String| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let hashes: Vec<_> = texts.iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// A script without the comment that names its source map, which a browser would try to fetch.
fn without_map(script: &str) -> String {
    let lines = script
        .lines()
        .filter(|line| !line.starts_with("//# sourceMappingURL="));
    lines.collect::<Vec<_>>().join("\n")
}

/// JSON that can stand between script tags: nothing in it ends the element or a line of a script, and nothing reorders
/// what a reader of the page's source sees.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => unreachable!("plain data with text keys serialises: {error}"),
    };
    // Outside of JSON's strings none of these characters occur, so the escapes are always in one.
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '<' | '>' | '&') || is_unseen(character) {
            // All of them are in the plane that one escape reaches.
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vendored files with the paths that `vendor/README.md` lists.
    const VENDORED: [(&str, &str); 6] = [
        ("vega-6.4.0/vega.min.js", SOURCES[0]),
        (
            "vega-6.4.0/LICENSE",
            include_str!("../../vendor/vega-6.4.0/LICENSE"),
        ),
        ("vega-lite-6.4.3/vega-lite.min.js", SOURCES[1]),
        (
            "vega-lite-6.4.3/LICENSE",
            include_str!("../../vendor/vega-lite-6.4.3/LICENSE"),
        ),
        ("vega-embed-7.3.0/vega-embed.min.js", SOURCES[2]),
        (
            "vega-embed-7.3.0/LICENSE",
            include_str!("../../vendor/vega-embed-7.3.0/LICENSE"),
        ),
    ];

    #[test]
    fn vendored_files_are_what_the_readme_says() {
        let readme = include_str!("../../vendor/README.md");
        for (path, text) in VENDORED {
            let digest = Sha256::digest(text);
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let line = readme.lines().find(|line| line.contains(path));
            let line = line.unwrap_or_else(|| panic!("vendor/README.md does not list {path}"));
            assert!(line.contains(&hex), "{path} has sha256 {hex}, not: {line}");
        }
    }

    #[test]
    fn scripts_survive_between_tags() {
        for text in Scripts::inlined().texts() {
            let lower = text.to_ascii_lowercase();
            // A carriage return or a NUL would be changed by the HTML parser and break the hash.
            for forbidden in ["</script", "<!--", "\r", "\0", "sourcemappingurl"] {
                assert!(!lower.contains(forbidden), "{forbidden:?} in a script");
            }
        }
    }

    #[test]
    fn json_cannot_leave_its_element() {
        let text = json(&["</script><script>alert(1)</script>", "<!--", "\u{2028}&"]);
        for forbidden in ["<", ">", "&", "\u{2028}"] {
            assert!(!text.contains(forbidden), "{text}");
        }
        let back: Vec<String> = serde_json::from_str(&text).expect("still JSON");
        assert_eq!(back[0], "</script><script>alert(1)</script>");
        assert_eq!(back[2], "\u{2028}&");
    }
}
