//! `wordline part import --batch`: the sheets of a folder of dumps.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use wordline_catalog::import::batch::{BatchItem, DumpOutcome, HashCheck, ImportBatch};
use wordline_catalog::import::{ChipClaims, ClaimedFigure, DumpIndex, IndexEntry};
use wordline_report::{Column, Format, Grid};

use super::import::FILE_BYTES_MAX;
use crate::args::{Global, Import};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;
use crate::progress::Bar;

/// Endings of files that are dumps, where no index names them.
const ENDINGS: [&str; 3] = ["hex", "bin", "sfdp"];

/// An index is a table of at most this many bytes.
const INDEX_BYTES_MAX: u64 = 16 << 20;

pub(super) fn run(
    arguments: &Import,
    claims: &ChipClaims,
    global: &Global,
) -> Result<Outcome, Failure> {
    let Some(folder) = &arguments.batch else {
        return Err(failure::message("name a dump, or a folder with --batch"));
    };
    if arguments.claims.names_one_chip() {
        return Err(failure::message(
            "--part, --name, --manufacturer, --family and --jedec-id are of one chip: with --batch, an --index has \
             them in its columns",
        ));
    }
    if arguments.kind.is_some() {
        return Err(failure::message(
            "--as is for one dump: with --batch, each dump's signature says what it is",
        ));
    }
    super::import::check_board(claims, global)?;
    let mut entries = match &arguments.index {
        Some(index) => read_index(index, arguments.figures.as_deref())?.entries,
        None => list(folder)?,
    };
    for entry in &mut entries {
        let own = &mut entry.claims;
        let lacks =
            |claimed: &&ClaimedFigure| !own.figures.iter().any(|own| own.key == claimed.key);
        let more: Vec<_> = claims.figures.iter().filter(lacks).cloned().collect();
        own.figures.extend(more);
        own.board = own.board.take().or_else(|| claims.board.clone());
    }
    let items = import_all(folder, &entries, global)?;
    if let Some(output) = &arguments.output {
        write(output, &items)?;
    }
    print(&items, global)?;
    let refused = |item: &BatchItem| matches!(item.outcome, DumpOutcome::Refused(_));
    Ok(if items.iter().any(refused) {
        Outcome::CheckFailed
    } else {
        Outcome::Done
    })
}

/// An index with the figures that another table adds.
fn read_index(index: &Path, figures: Option<&Path>) -> Result<DumpIndex, Failure> {
    let mut parsed: DumpIndex = table(index, str::parse)?;
    if let Some(figures) = figures {
        table(figures, |text| parsed.add_figures(text))?;
    }
    Ok(parsed)
}

/// What `read` makes of a table.
fn table<T>(file: &Path, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, Failure> {
    let bytes = crate::input::read(file, INDEX_BYTES_MAX)?;
    let fault = |fault: &str| failure::message(format!("{}: {fault}", file.display()));
    let text = String::from_utf8(bytes).map_err(|_| fault("not a text file"))?;
    read(&text).map_err(|error| fault(&error))
}

/// The dumps of a folder without an index, named by their files.
fn list(folder: &Path) -> Result<Vec<IndexEntry>, Failure> {
    let unreadable =
        |error| failure::message(format!("{} cannot be read: {error}", folder.display()));
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(failure::message(format!(
            "{} holds no dump; allowed: files that end in .{}",
            folder.display(),
            ENDINGS.join(", .")
        )));
    }
    let text =
        |name: Option<&std::ffi::OsStr>| name.map(|name| name.to_string_lossy().into_owned());
    let entries = files.iter().map(|path| {
        let stem = text(path.file_stem()).map(|stem| stem.to_ascii_lowercase());
        IndexEntry {
            file: text(path.file_name()).unwrap_or_default(),
            hash: None,
            claims: ChipClaims {
                part: stem.filter(|stem| wordline_catalog::is_id(stem)),
                ..ChipClaims::default()
            },
        }
    });
    Ok(entries.collect())
}

fn import_all(
    folder: &Path,
    entries: &[IndexEntry],
    global: &Global,
) -> Result<Vec<BatchItem>, Failure> {
    let catalog = super::catalog(global)?;
    let known = catalog.parts();
    let known = known.map(|part| (part.header.id.clone(), String::from(&*part.header.text)));
    let mut batch = ImportBatch::against(known);
    let bar = Bar::new(global.quiet);
    let meter = bar.meter("dumps", Some(entries.len() as u64));
    let mut items = Vec::new();
    for entry in entries {
        items.push(match read(&folder.join(&entry.file)) {
            Ok(file) => batch.add(entry, &file),
            Err(reason) => BatchItem::unreadable(entry, &reason),
        });
        meter.advance(1);
    }
    Ok(items)
}

/// The bytes of a dump, or why there are none. A pipe in a folder has no end that a batch can wait for.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        return Err("a folder".to_owned());
    }
    if !metadata.is_file() {
        return Err("a pipe or device".to_owned());
    }
    crate::input::read(path, FILE_BYTES_MAX).map_err(|error| error.to_string())
}

/// Writes a file for each sheet.
fn write(folder: &Path, items: &[BatchItem]) -> Result<(), Failure> {
    let fault = |path: &Path, error| {
        failure::message(format!("{} cannot be written: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
    for item in items {
        if let DumpOutcome::Made { part, sheet } = &item.outcome {
            let path = folder.join(format!("{part}.toml"));
            fs::write(&path, sheet).map_err(|error| fault(&path, error))?;
        }
    }
    Ok(())
}

fn print(items: &[BatchItem], global: &Global) -> Result<(), Failure> {
    let format = Format::from(global.format);
    if format == Format::Json {
        let items: Vec<_> = items.iter().map(item_json).collect();
        return output::data(&format!("{:#}\n", serde_json::Value::from(items)));
    }
    let columns = ["dump", "outcome", "part", "hash", "said of it"].map(Column::left);
    let mut grid = Grid::new("", columns.into());
    for item in items {
        let (outcome, part) = outcome(item);
        let remarks = remarks(item).join("; ");
        grid.push([&item.file, outcome, part, item.hash.name(), &remarks]);
    }
    output::data(&grid.render(format, &output::style()))?;
    if !global.quiet {
        output::note(&summary(items));
    }
    Ok(())
}

fn outcome(item: &BatchItem) -> (&'static str, &str) {
    match &item.outcome {
        DumpOutcome::Made { part, .. } => ("made", part),
        DumpOutcome::Compared { part } => ("compared", part),
        DumpOutcome::Refused(_) => ("refused", ""),
    }
}

/// Everything that is said of a dump.
fn remarks(item: &BatchItem) -> Vec<String> {
    let mut remarks = Vec::new();
    if let DumpOutcome::Refused(reasons) = &item.outcome {
        remarks.extend(reasons.iter().map(ToString::to_string));
    }
    let against = item.contradictions.iter();
    remarks.extend(against.map(|error| format!("contradiction at {error}")));
    let same = item
        .same_as
        .iter()
        .map(|file| format!("the same bytes as {file}"));
    remarks.extend(same);
    remarks.extend(item.disagreements.iter().map(|found| {
        let (page, sheet) = (&found.page, &found.sheet);
        format!("{}: {page}, and {sheet} in the sheet", found.figure)
    }));
    remarks
}

fn summary(items: &[BatchItem]) -> String {
    let count = |fits: &dyn Fn(&BatchItem) -> bool| items.iter().filter(|item| fits(item)).count();
    let outcomes = |wanted: &str| count(&|item| outcome(item).0 == wanted);
    let dumps = if items.len() == 1 { "dump" } else { "dumps" };
    let made = outcomes("made");
    let sheets = if made == 1 { "sheet" } else { "sheets" };
    format!(
        "{} {dumps}: {made} {sheets} made, {} compared with a sheet made before, {} refused; hashes: {} verified, {} wrong, \
         {} not stated",
        items.len(),
        outcomes("compared"),
        outcomes("refused"),
        count(&|item| item.hash == HashCheck::Verified),
        count(&|item| item.hash == HashCheck::Wrong),
        count(&|item| item.hash == HashCheck::NotStated),
    )
}

fn item_json(item: &BatchItem) -> serde_json::Value {
    let texts = |errors: &[wordline_catalog::import::ImportError]| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let refused = match &item.outcome {
        DumpOutcome::Refused(reasons) => texts(reasons),
        _ => Vec::new(),
    };
    let (outcome, part) = outcome(item);
    let differences = item
        .disagreements
        .iter()
        .map(|found| json!({ "figure": found.figure, "page": found.page, "sheet": found.sheet }));
    json!({
        "dump": item.file,
        "outcome": outcome,
        "part": part,
        "hash": item.hash.name(),
        "refused": refused,
        "contradictions": texts(&item.contradictions),
        "same_as": item.same_as,
        "differences": differences.collect::<Vec<_>>(),
        "not_in_the_dump": item.missing,
    })
}
