//! `wordline kv dump`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use wordline_lab::{ImageRecord, TableImage};
use wordline_report::{Column, Format, Grid};

use crate::args::{Global, KvDump};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;

/// The largest image, which is held in RAM. Memories of this kind have a tenth of it.
const IMAGE_MAX: u64 = 256 << 20;

/// Bytes of a key or a value that a line shows.
const SHOWN: usize = 24;

pub(super) fn run(dump: &KvDump, global: &Global) -> Result<Outcome, Failure> {
    let bytes = read(&dump.image)?;
    let name = dump.image.display();
    let table =
        TableImage::read(bytes).map_err(|error| failure::message(format!("{name}: {error}")))?;
    let format = Format::from(global.format);
    let most = match format {
        Format::Json | Format::Csv => usize::MAX,
        _ => SHOWN,
    };
    let (header, records) = (header(&table), records(&table, dump.limit, most));
    let style = output::style();
    let text = match format {
        // Programs want the records alone; people the header as well.
        format @ (Format::Json | Format::Csv) => records.render(format, &style),
        format => format!(
            "{}\n{}",
            header.render(format, &style),
            records.render(format, &style)
        ),
    };
    output::data(&text)?;
    let more = table.records.len().saturating_sub(dump.limit);
    if more > 0 && !global.quiet {
        output::note(&format!(
            "{more} more records are not shown; give a higher --limit"
        ));
    }
    Ok(match table.damaged() {
        0 => Outcome::Done,
        _ => Outcome::CheckFailed,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |problem: String| failure::message(format!("{}: {problem}", path.display()));
    let mut bytes = Vec::new();
    // One byte more than allowed, so that what has no end ends: devices and pipes have no length.
    let read = File::open(path).and_then(|file| file.take(IMAGE_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| failed(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > IMAGE_MAX {
        return Err(failed(format!(
            "it is larger than what an image may have; allowed: up to {IMAGE_MAX} bytes"
        )));
    }
    Ok(bytes)
}

fn header(table: &TableImage) -> Grid {
    let geometry = &table.geometry;
    let recovery = &table.recovery;
    let directory = if geometry.resident_directory {
        "room for it in the memory"
    } else {
        "in RAM alone"
    };
    let told = |found: bool| if found { "yes" } else { "no" }.to_owned();
    let mut grid = Grid::new("Table", vec![Column::left("what"), Column::right("value")]);
    for (what, value) in [
        ("bytes of the table", geometry.bytes().to_string()),
        ("bytes of the image", table.image_bytes.to_string()),
        ("bytes in a slot", geometry.slot_bytes.to_string()),
        ("slots", geometry.slots().to_string()),
        ("slots free", table.free_slots.to_string()),
        ("directory", directory.to_owned()),
        ("seed of the hash", geometry.seed.to_string()),
        ("records", table.records.len().to_string()),
        (
            "records damaged or contradicting",
            table.damaged().to_string(),
        ),
        (
            "records with a wrong bit, mended",
            recovery.mended.to_string(),
        ),
        (
            "a commit was cut, or one record is damaged beyond a bit",
            told(recovery.torn),
        ),
        ("an update was cut", told(recovery.superseded)),
    ] {
        grid.push([what.to_owned(), value]);
    }
    grid
}

/// Damaged records first, and of keys and values at most so many bytes.
fn records(table: &TableImage, limit: usize, most: usize) -> Grid {
    let shown = |bytes: &[u8]| shown(bytes, most);
    let columns = ["key bytes", "value bytes"].map(Column::right);
    let texts = ["key", "value", "state"].map(Column::left);
    let columns = columns.into_iter().chain(texts).collect();
    let mut grid = Grid::new("Records", columns);
    let is_sound = |record: &&ImageRecord| matches!(record, ImageRecord::Sound { .. });
    let (sound, others): (Vec<_>, Vec<_>) = table.records.iter().partition(is_sound);
    for record in others.into_iter().chain(sound).take(limit) {
        grid.push(match record {
            ImageRecord::Sound { key, value } => [
                key.len().to_string(),
                value.len().to_string(),
                shown(key),
                shown(value),
                "sound".to_owned(),
            ],
            ImageRecord::Damaged { slot } => [
                String::new(),
                String::new(),
                String::new(),
                String::new(),
                format!("damaged, slot {slot}"),
            ],
            ImageRecord::Clashing { slot, key, value } => [
                key.len().to_string(),
                value.len().to_string(),
                shown(key),
                shown(value),
                format!("contradicts another, slot {slot}"),
            ],
        });
    }
    grid
}

/// Bytes as text where all of them are printable ASCII, and in hexadecimal where not.
fn shown(bytes: &[u8], most: usize) -> String {
    let cut = &bytes[..bytes.len().min(most)];
    let mut text = if !cut.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic()) {
        cut.iter().map(|byte| char::from(*byte)).collect::<String>()
    } else {
        let hex = cut.iter().map(|byte| format!("{byte:02x}"));
        format!("0x{}", hex.collect::<String>())
    };
    if bytes.is_empty() {
        text.clear();
    }
    if bytes.len() > most {
        text.push('…');
    }
    text
}
