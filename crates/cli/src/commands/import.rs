//! `wordline part import`: the parameter page of a flash chip, decoded.

use std::path::Path;

use serde_json::json;
use wordline_catalog::import::{DUMP_BYTES_MAX, DumpFormat, Field, Page, dump_bytes, import};
use wordline_report::{Column, Format, Grid, printable};

use crate::args::Global;
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// Hex text with offsets and characters takes up to this much of the dump it shows.
const FILE_BYTES_MAX: u64 = 8 * DUMP_BYTES_MAX as u64;

pub(crate) fn run(
    file: &Path,
    kind: Option<DumpFormat>,
    sheet: bool,
    global: &Global,
) -> Result<Outcome, Failure> {
    let faulty = |error| failure::message(format!("{}: {error}", file.display()));
    let bytes = dump_bytes(&crate::input::read(file, FILE_BYTES_MAX)?).map_err(faulty)?;
    let page = import(&bytes, kind).map_err(faulty)?;
    let format = Format::from(global.format);
    let text = match format {
        _ if sheet => page.sheet.clone(),
        Format::Json => json(&page),
        Format::Csv => fields(&page).csv(),
        Format::Table | Format::Markdown | Format::Html => {
            let grids = [facts(&page), fields(&page)];
            grids
                .map(|grid| grid.render(format, &output::style()))
                .join("\n")
        }
    };
    output::data(&text)?;
    if !global.quiet && (sheet || format == Format::Csv) {
        for note in &page.notes {
            output::note(&printable(&format!("note: {note}")));
        }
    }
    Ok(Outcome::Done)
}

fn facts(page: &Page) -> Grid {
    let columns = vec![Column::left("page"), Column::left(page.kind.name())];
    let mut grid = Grid::new(&page.title, columns);
    grid.push(["fields", &page.fields.len().to_string()]);
    for note in &page.notes {
        grid.push(["note", note]);
    }
    grid
}

fn fields(page: &Page) -> Grid {
    let columns = ["offset", "place", "field", "raw", "meaning"];
    let mut grid = Grid::new("Fields", columns.map(Column::left).into()).with_keys(3);
    for field in &page.fields {
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

fn json(page: &Page) -> String {
    let fields: Vec<_> = page
        .fields
        .iter()
        .map(|field| {
            json!({
                "offset_bytes": field.offset,
                "place": field.place,
                "field": field.name,
                "raw": field.raw,
                "meaning": field.meaning,
            })
        })
        .collect();
    let page = json!({
        "page": page.kind.name(),
        "title": page.title,
        "notes": page.notes,
        "fields": fields,
    });
    format!("{page:#}\n")
}
