//! `wordline part import`: the parameter page of a flash chip, decoded, as a sheet, or beside one.

use std::path::Path;

use serde_json::json;
use wordline_catalog::import::{
    ChipClaims, DUMP_BYTES_MAX, Disagreement, DumpFormat, Field, ImportError, Page, disagreements,
    dump_bytes, import,
};
use wordline_report::{Column, Format, Grid, printable};

use crate::args::{Global, Import};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// Hex text with offsets and characters takes up to this much of the dump it shows.
pub(super) const FILE_BYTES_MAX: u64 = 8 * DUMP_BYTES_MAX as u64;

pub(crate) fn run(arguments: &Import, global: &Global) -> Result<Outcome, Failure> {
    let claims = arguments.claims.read().map_err(failure::message)?;
    let Some(file) = &arguments.file else {
        return super::import_batch::run(arguments, &claims, global);
    };
    check_board(&claims, global)?;
    let page = read(file, arguments.kind)?;
    let contradictions = checked(file, &page, &claims)?;
    if let Some(part) = &arguments.against {
        return against(&page, part, global);
    }
    let shown = ShownPage {
        page: &page,
        contradictions: &contradictions,
        missing: page.missing(&claims),
    };
    let format = Format::from(global.format);
    let text = match format {
        _ if arguments.sheet => page.sheet(&claims),
        Format::Json => shown.json(),
        Format::Csv => shown.fields().csv(),
        Format::Table | Format::Markdown | Format::Html => {
            let grids = [shown.facts(), shown.fields()];
            grids
                .map(|grid| grid.render(format, &output::style()))
                .join("\n")
        }
    };
    output::data(&text)?;
    if !global.quiet && (arguments.sheet || format == Format::Csv) {
        for (what, text) in shown.remarks() {
            output::note(&printable(&format!("{what}: {text}")));
        }
    }
    Ok(Outcome::Done)
}

/// Refuses a board that the catalogue has not.
pub(super) fn check_board(claims: &ChipClaims, global: &Global) -> Result<(), Failure> {
    let Some(board) = &claims.board else {
        return Ok(());
    };
    let known = super::catalog(global)?;
    let known = known
        .board(board)
        .map_err(|error| format!("--board: {error}"));
    known.map(|_| ()).map_err(failure::message)
}

/// The page of a dump.
pub(super) fn read(file: &Path, kind: Option<DumpFormat>) -> Result<Page, Failure> {
    let bytes = crate::input::read(file, FILE_BYTES_MAX)?;
    let bytes = dump_bytes(&bytes).map_err(|error| faulty(file, &[error]))?;
    import(&bytes, kind).map_err(|errors| faulty(file, &errors.0))
}

/// What a page says against itself and against what is claimed of its chip.
pub(super) fn checked(
    file: &Path,
    page: &Page,
    claims: &ChipClaims,
) -> Result<Vec<ImportError>, Failure> {
    let check = claims.check(page);
    if !check.refused.is_empty() {
        return Err(faulty(file, &check.refused));
    }
    let all = page.contradictions.iter().cloned();
    Ok(all.chain(check.contradictions).collect())
}

/// Every fault of a dump, a line each.
fn faulty(file: &Path, errors: &[ImportError]) -> Failure {
    let file = file.display();
    let lines: Vec<_> = errors
        .iter()
        .map(|error| format!("{file}: {error}"))
        .collect();
    failure::lines(&lines)
}

/// What a page and a sheet say differently.
fn against(page: &Page, part: &str, global: &Global) -> Result<Outcome, Failure> {
    let catalog = super::catalog(global)?;
    let known = catalog.part(part).map_err(failure::catalog)?;
    let found = disagreements(page, &known.header.text);
    let columns = ["figure", "page", "sheet"].map(Column::left);
    let title = format!("Page and sheet of {part}");
    let mut grid = Grid::new(title, columns.into());
    for Disagreement {
        figure,
        page,
        sheet,
    } in &found
    {
        grid.push([figure, page, sheet]);
    }
    let format = Format::from(global.format);
    if found.is_empty() && !matches!(format, Format::Json | Format::Csv) {
        output::data(&format!("page and sheet of {part} agree\n"))?;
    } else {
        output::data(&grid.render(format, &output::style()))?;
    }
    Ok(if found.is_empty() {
        Outcome::Done
    } else {
        Outcome::CheckFailed
    })
}

/// A page as it is printed.
struct ShownPage<'a> {
    page: &'a Page,
    contradictions: &'a [ImportError],
    missing: Vec<String>,
}

impl ShownPage<'_> {
    /// What is said of the page as a whole.
    fn remarks(&self) -> Vec<(&'static str, String)> {
        let notes = self.page.notes.iter().map(|note| ("note", note.clone()));
        let against = self.contradictions.iter();
        let against = against.map(|error| ("contradiction", error.to_string()));
        let missing = (!self.missing.is_empty()).then(|| self.missing.join(", "));
        let missing = missing.map(|missing| ("not in the dump", missing));
        notes.chain(against).chain(missing).collect()
    }

    fn facts(&self) -> Grid {
        let columns = vec![Column::left("page"), Column::left(self.page.kind.name())];
        let mut grid = Grid::new(&self.page.title, columns);
        grid.push(["fields", &self.page.fields.len().to_string()]);
        for (what, text) in self.remarks() {
            grid.push([what, &text]);
        }
        grid
    }

    fn fields(&self) -> Grid {
        let columns = ["offset", "place", "field", "raw", "meaning"];
        let mut grid = Grid::new("Fields", columns.map(Column::left).into()).with_keys(3);
        for field in &self.page.fields {
            let Field {
                offset,
                place,
                name,
                raw,
                meaning,
            } = field;
            grid.push([&format!("0x{offset:02X}"), place, name, raw, meaning]);
        }
        grid
    }

    fn json(&self) -> String {
        let fields = self.page.fields.iter().map(|field| {
            json!({
                "offset_bytes": field.offset,
                "place": field.place,
                "field": field.name,
                "raw": field.raw,
                "meaning": field.meaning,
            })
        });
        let fields: Vec<_> = fields.collect();
        let against = self.contradictions.iter().map(|error| {
            json!({
                "offset_bytes": error.offset,
                "fault": error.fault,
                "found": error.found,
                "allowed": error.allowed,
            })
        });
        let against: Vec<_> = against.collect();
        let page = json!({
            "page": self.page.kind.name(),
            "title": self.page.title,
            "notes": self.page.notes,
            "contradictions": against,
            "not_in_the_dump": self.missing,
            "fields": fields,
        });
        format!("{page:#}\n")
    }
}
