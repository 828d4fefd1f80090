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
    let scripts = report.split_once("script-src ").and_then(|(_, rest)| rest.split_once(';'));
    match scripts {
        Some((scripts, _)) => scripts.to_owned(),
        None => unreachable!("a report has a policy that names its script"),
    }
}
