//! The page: one HTML file with everything inline.
//!
//! A content security policy lets only three scripts run, by their hashes: the page's own, those of the reports that it
//! shows, and the worker that it makes itself. Nothing may be fetched from anywhere.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use wordline_core::{Experiment, RawWorkload, ResultSet, Timing, Workload};
use wordline_report::{Format, Style};

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/style.css");
const SCRIPT: &str = include_str!("../page/page.js");
const WORKER: &str = include_str!("../page/worker.js");

/// A small log, so that nobody needs one to see what the page does with it.
const LOG: &str = include_str!("../../../examples/fio_lat.1.log");

/// The page with a module of WebAssembly in it.
#[must_use]
pub fn assembled(module: &[u8]) -> String {
    let parts = [
        ("%POLICY%", policy()),
        ("%VERSION%", env!("CARGO_PKG_VERSION").to_owned()),
        ("%STYLE%", STYLE.to_owned()),
        ("%WORKER%", WORKER.to_owned()),
        ("%LOG%", packed(LOG.as_bytes())),
        ("%MODULE%", packed(module)),
        ("%SCRIPT%", SCRIPT.to_owned()),
    ];
    // What is put in is never looked at again: a part may hold the name of another.
    let mut page = String::new();
    let mut rest = PAGE;
    for (name, part) in parts {
        let Some((before, after)) = rest.split_once(name) else {
            unreachable!("the page has no place for {name}, or in another order");
        };
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page + rest
}

/// Bytes as gzip in base64, none of whose characters ends an element.
#[must_use]
pub fn packed(bytes: &[u8]) -> String {
    STANDARD.encode(gzipped(bytes))
}

/// Bytes as gzip.
#[must_use]
pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::best());
    let written = packing.write_all(bytes);
    match written.and_then(|()| packing.finish()) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("memory takes what is written: {error}"),
    }
}

/// The content security policy.
fn policy() -> String {
    let own = STANDARD.encode(Sha256::digest(SCRIPT));
    let of_reports = report_scripts();
    format!(
        "default-src 'none'; script-src 'sha256-{own}' {of_reports} 'wasm-unsafe-eval'; worker-src blob:; style-src \
         'unsafe-inline'; img-src data:; connect-src 'none'; frame-src 'self'; base-uri 'none'; form-action 'none'"
    )
}

/// What the policy of a report lets run: the script is the same in all of them.
fn report_scripts() -> String {
    let document = ResultSet::new(Experiment {
        targets: Vec::new(),
        workload: Workload::Raw(RawWorkload::default()),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    });
    let report = wordline_report::render(&document, Format::Html, &Style::default());
    let hash = report
        .split_once("script-src")
        .and_then(|(_, rest)| rest.split_once("sha256-"));
    let Some((_, hash)) = hash else {
        unreachable!("a report has a policy that names its script");
    };
    let is_hash = |one: char| one.is_ascii_alphanumeric() || "+/=".contains(one);
    let end = hash.find(|one| !is_hash(one)).unwrap_or(hash.len());
    format!("'sha256-{}'", &hash[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the browser would not let run, it would only say on its console.
    #[test]
    fn the_page_allows_its_scripts_and_nothing_from_elsewhere() {
        let page = assembled(b"no module");
        let (_, rest) = page
            .split_once("http-equiv=\"Content-Security-Policy\" content=\"")
            .expect("a policy");
        let policy = rest.split('"').next().expect("its end");
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let script = |page: &str| {
            let (_, script) = page.rsplit_once("<script>").expect("a script");
            script
                .split("</script>")
                .next()
                .expect("its end")
                .to_owned()
        };
        assert!(policy.contains(&hash(&script(&page))), "{policy}");
        let document = ResultSet::new(Experiment {
            targets: vec!["another".to_owned()],
            workload: Workload::Raw(RawWorkload::default()),
            timings: vec![Timing::Max],
            age: 0.5,
            seed: 7,
            ftl: None,
        });
        let report = wordline_report::render(&document, Format::Html, &Style::default());
        assert!(policy.contains(&hash(&script(&report))), "{policy}");
        for closed in [
            "default-src 'none'",
            "connect-src 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(closed), "{policy}");
        }
        for open in [
            "http:",
            "https:",
            "*",
            "script-src 'unsafe-inline'",
            "'unsafe-eval'",
            "data: blob:",
        ] {
            assert!(
                !policy.replace("'wasm-unsafe-eval'", "").contains(open),
                "{policy}"
            );
        }
        // Nothing is loaded from a place of its own.
        let (shell, _) = page.split_once("<script type").expect("scripts");
        for attribute in ["src=", "href=\"http", "url(", "@import"] {
            assert!(!shell.contains(attribute), "{attribute}");
        }
    }

    #[test]
    fn no_part_ends_the_element_that_holds_it() {
        for part in [SCRIPT, WORKER] {
            let lower = part.to_ascii_lowercase();
            for forbidden in ["</script", "<!--", "\r", "\0"] {
                assert!(!lower.contains(forbidden), "{forbidden:?}");
            }
        }
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "+/=".contains(one);
        assert!(packed(b"</script>").chars().all(is_plain));
    }
}
