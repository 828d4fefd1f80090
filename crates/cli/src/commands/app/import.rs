//! `wordline app import`.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use wordline_apps::import::{
    CounterContext, CounterReadings, ImportedProfile, NamedCounters, import_counters, read_counters,
};
use wordline_catalog::{Catalog, Target};
use wordline_core::quantity::Quantity as _;
use wordline_dram::sheet::Settings;
use wordline_report::{Format, printable};

use crate::args::{CounterFiles, Global};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;
use crate::source::Source;

/// Characters of a line of stdout.
const WIDTH: usize = 100;

/// What the memory that a program ran on can do.
#[derive(Clone, Copy, Default)]
struct BaselineLimits {
    bus_bytes_per_s: Option<f64>,
    misses: Option<f64>,
    cores: Option<u32>,
}

pub(crate) fn run(asked: &CounterFiles, global: &Global) -> Result<Outcome, Failure> {
    if asked
        .files
        .iter()
        .filter(|file| file.as_os_str() == "-")
        .count()
        > 1
    {
        return Err(failure::message(
            "standard input holds one file: name the others",
        ));
    }
    if let Some(output) = &asked.output {
        let inputs: Vec<&Path> = asked.files.iter().map(|file| &**file).collect();
        output::new_files(&[("--output", output)], &inputs, asked.force)?;
    }
    let catalog = super::super::catalog(global)?;
    let sheets = super::all_counters(&catalog);
    let expected = asked
        .cpu
        .as_ref()
        .map(|cpu| core(&catalog, &sheets, cpu))
        .transpose()?;
    let baseline = asked
        .on
        .as_ref()
        .map(|on| limits(&catalog, on))
        .transpose()?;
    let baseline = baseline.unwrap_or_default();
    let mut readings = Vec::new();
    for file in &asked.files {
        readings.push(read(file, &sheets, expected)?);
    }
    let first = asked
        .files
        .first()
        .map(|file| crate::input::last_name(file))
        .unwrap_or_default();
    let name = match (&asked.name, first.rsplit_once('.')) {
        (Some(name), _) => name.clone(),
        (None, Some((stem, _))) if !stem.is_empty() => stem.to_owned(),
        (None, _) => first,
    };
    let made_by = command(asked);
    let context = CounterContext {
        name: &name,
        made_by: &made_by,
        baseline: asked.on.as_deref().unwrap_or_default(),
        cores: asked.cores,
        seconds: asked
            .seconds
            .map(|time| time.si())
            .filter(|seconds| *seconds > 0.0),
        bus_bytes_per_s: baseline.bus_bytes_per_s,
        misses: baseline.misses,
        system_cores: baseline.cores,
        cpu: asked.cpu.as_deref(),
    };
    let imported = import_counters(&readings, &sheets, &context)
        .map_err(|fault| failure::message(printable(&format!("{}: {fault}", names(asked)))))?;
    show(asked, &imported, global)?;
    Ok(Outcome::Done)
}

/// The place of a core among the sheets.
fn core(catalog: &Catalog, sheets: &[NamedCounters<'_>], cpu: &str) -> Result<usize, Failure> {
    let named = |sheet: &NamedCounters<'_>| {
        let lower = cpu.to_lowercase();
        sheet.id == lower || sheet.sheet.names.contains(&lower)
    };
    sheets
        .iter()
        .position(named)
        .ok_or_else(|| match catalog.counters_of(cpu) {
            Err(error) => failure::message(format!("--cpu: {error}")),
            Ok(_) => failure::message(format!("--cpu {cpu}: its counters are not read")),
        })
}

fn limits(catalog: &Catalog, on: &str) -> Result<BaselineLimits, Failure> {
    let target = catalog
        .target(on)
        .map_err(|error| failure::message(format!("--on: {error}")))?;
    let Target::Module(target) = target else {
        let text = format!(
            "--on {on}: this is no memory module in a system; allowed is MODULE@SYSTEM, as in rdimm-6400-2rx4-64g@xeon6-1s"
        );
        return Err(failure::message(text));
    };
    let connected = target.connect(&Settings::new());
    let connected = connected.map_err(|error| failure::message(format!("--on {on}: {error}")))?;
    let config = &connected.config;
    Ok(BaselineLimits {
        bus_bytes_per_s: Some(config.peak_bytes_per_s()),
        misses: Some(f64::from(config.cores.misses)),
        cores: Some(config.cores.cores),
    })
}

fn read(
    file: &Path,
    sheets: &[NamedCounters<'_>],
    expected: Option<usize>,
) -> Result<CounterReadings, Failure> {
    let name = file.display();
    let source = Source::open(file, &Arc::default());
    let source = source
        .map_err(|error| failure::message(printable(&format!("{name} cannot be read: {error}"))))?;
    read_counters(BufReader::with_capacity(64 << 10, source), sheets, expected)
        .map_err(|fault| failure::message(printable(&format!("{name}: {fault}"))))
}

fn names(asked: &CounterFiles) -> String {
    let names: Vec<_> = asked
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    names.join(", ")
}

/// The command without paths, which a profile does not hold.
fn command(asked: &CounterFiles) -> String {
    let files: Vec<_> = asked
        .files
        .iter()
        .map(|file| crate::input::last_name(file))
        .collect();
    let mut command = format!("wordline app import {}", files.join(" "));
    for (flag, value) in [
        ("--cpu", asked.cpu.clone()),
        ("--on", asked.on.clone()),
        ("--cores", asked.cores.map(|cores| cores.to_string())),
        (
            "--seconds",
            asked.seconds.map(|time| time.to_string().replace(' ', "")),
        ),
    ] {
        if let Some(value) = value {
            command += &format!(" {flag} {value}");
        }
    }
    command
}

fn show(asked: &CounterFiles, imported: &ImportedProfile, global: &Global) -> Result<(), Failure> {
    let text = imported.profile.to_json() + "\n";
    let found = imported.sentences();
    let mut notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
    if asked.on.is_none() {
        notes.push(
            "the memory that it ran on is not stated, so that bytes were not held against its bus; state --on MODULE@SYSTEM"
                .to_owned(),
        );
    }
    if Format::from(global.format) == Format::Json {
        let profile: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let shown =
            json!({"profile": profile, "found": found, "notes": notes, "core": imported.core});
        output::data(&format!("{shown:#}\n"))?;
    } else {
        let mut lines: Vec<String> = found.iter().flat_map(|line| wrapped(line, "")).collect();
        if !notes.is_empty() {
            lines.push(String::new());
            lines.push("Missing or weaker, and what would suffice:".to_owned());
            lines.extend(notes.iter().flat_map(|note| wrapped(note, "- ")));
        }
        if asked.output.is_none() {
            lines.push(String::new());
            lines.push("--output profile.json keeps the profile.".to_owned());
        }
        output::data(
            &(lines
                .iter()
                .map(|line| printable(line))
                .collect::<Vec<_>>()
                .join("\n")
                + "\n"),
        )?;
    }
    match &asked.output {
        Some(file) => output::write_file(file, &text, global),
        None => Ok(()),
    }
}

/// A sentence as lines of a page; the first begins with `mark`, the others stand below its text.
fn wrapped(text: &str, mark: &str) -> Vec<String> {
    let indent = " ".repeat(mark.len());
    let mut lines = vec![mark.to_owned()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        let is_empty = line.len() == mark.len();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
            continue;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}
