//! `wordline part new`: the sheet of a chip that stands on a desk, from the page that it carries.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use wordline_catalog::import::{ChipClaims, DumpFormat, Page};
use wordline_report::printable;

use super::import;
use crate::args::{Global, NewPart};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// Files of a kernel's folder are of a few bytes.
const WORDS_MAX: u64 = 4 << 10;

pub(crate) fn run(arguments: &NewPart, global: &Global) -> Result<Outcome, Failure> {
    let mut claims = arguments.claims.read().map_err(failure::message)?;
    let (file, kind) = match (
        &arguments.from_sfdp,
        &arguments.from_onfi,
        &arguments.from_sysfs,
    ) {
        (Some(file), _, _) => (file.clone(), DumpFormat::Sfdp),
        (_, Some(file), _) => (file.clone(), DumpFormat::Onfi),
        (_, _, Some(folder)) => {
            add_kernel_words(folder, &mut claims)?;
            (folder.join("sfdp"), DumpFormat::Sfdp)
        }
        _ => {
            return Err(failure::message(
                "name a page with --from-sfdp, --from-onfi or --from-sysfs",
            ));
        }
    };
    import::check_board(&claims, global)?;
    let page = import::read(&file, Some(kind))?;
    let contradictions = import::checked(&file, &page, &claims)?;
    let id = id(&page, &claims)?;
    claims.part = Some(id.clone());
    let path = arguments.output.join(format!("{id}.toml"));
    fs::create_dir_all(&arguments.output).map_err(|error| {
        let folder = arguments.output.display();
        failure::message(format!("{folder} cannot be made: {error}"))
    })?;
    write_new(&path, &page.sheet_with_advice(&claims))?;
    if !global.quiet {
        if super::catalog(global)?.part(&id).is_ok() {
            output::note(&format!(
                "note: the catalogue has a part {id} already: state another id with --part to use both"
            ));
        }
        let remarks = page.notes.iter().map(|note| format!("note: {note}"));
        let against = contradictions.iter();
        for remark in remarks.chain(against.map(|error| format!("contradiction: {error}"))) {
            output::note(&printable(&remark));
        }
    }
    let path = path.display();
    output::data(&printable_lines(&[
        format!("written: {path}"),
        format!("not in the dump: {}", page.missing(&claims).join(", ")),
        format!("next: wordline part check {path}"),
    ]))?;
    Ok(Outcome::Done)
}

fn printable_lines(lines: &[String]) -> String {
    lines.iter().map(|line| printable(line) + "\n").collect()
}

/// The id that the user or the page states.
fn id(page: &Page, claims: &ChipClaims) -> Result<String, Failure> {
    let id = claims
        .part
        .clone()
        .or_else(|| page.own_id().map(str::to_owned));
    id.ok_or_else(|| failure::message("the page does not name the part: state its id with --part"))
}

/// Takes what a kernel says of the chip, where the user has not said it.
fn add_kernel_words(folder: &Path, claims: &mut ChipClaims) -> Result<(), Failure> {
    let word = |name: &str| -> Result<Option<String>, Failure> {
        let path = folder.join(name);
        if !path.is_file() {
            return Ok(None);
        }
        let text = crate::input::read(&path, WORDS_MAX)?;
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        Ok((!text.is_empty()).then_some(text))
    };
    if claims.jedec_id.is_none()
        && let Some(id) = word("jedec_id")?
    {
        let fault =
            |fault| failure::message(format!("{}: {fault}", folder.join("jedec_id").display()));
        claims.jedec_id = Some(id.parse().map_err(fault)?);
    }
    if claims.part.is_none()
        && let Some(name) = word("partname")?
    {
        let id = name.to_ascii_lowercase();
        if wordline_catalog::is_id(&id) {
            claims.part = Some(id);
        }
    }
    if claims.manufacturer.is_none() {
        claims.manufacturer = word("manufacturer")?;
    }
    claims.origin = Some("read by a Linux kernel, spi-nor/sfdp".to_owned());
    Ok(())
}

/// Writes a file that must not exist.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    let written = file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| {
        let path = path.display();
        failure::message(match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{path} exists already: remove it, or state another id with --part")
            }
            _ => format!("{path} cannot be written: {error}"),
        })
    })
}
