//! Reads sheets from a user's folder.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::SheetText;
use crate::error::{CatalogError, SheetError};

/// Folders below a catalogue folder that are searched; a loop of links ends here.
const DEPTH_MAX: usize = 8;

/// No honest sheet is larger.
const SHEET_BYTES_MAX: u64 = 1 << 20;

/// Every file below `folder` that ends in `.toml`, in a stable order.
pub(crate) fn sheets_in(folder: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let mut sheets = Vec::new();
    collect(folder, DEPTH_MAX, &mut sheets)?;
    sheets.sort();
    if sheets.is_empty() {
        return Err(CatalogError::NoSheets(folder.to_owned()));
    }
    Ok(sheets)
}

fn collect(folder: &Path, depth: usize, sheets: &mut Vec<PathBuf>) -> Result<(), CatalogError> {
    let unreadable = |source| CatalogError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            if depth > 0 {
                collect(&path, depth - 1, sheets)?;
            }
        } else if path.is_file()
            && path
                .extension()
                .is_some_and(|extension| extension == "toml")
        {
            sheets.push(path);
        }
    }
    Ok(())
}

/// The text of a sheet.
pub(crate) fn read(path: &Path) -> Result<SheetText, CatalogError> {
    let unreadable = |source| CatalogError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = path.display().to_string();
    let refused = |message: String| {
        CatalogError::Sheets(vec![SheetError {
            file: file.clone(),
            text: String::new(),
            span: 0..0,
            message,
        }])
    };
    let mut bytes = Vec::new();
    fs::File::open(path)
        .map_err(unreadable)?
        .take(SHEET_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > SHEET_BYTES_MAX {
        return Err(refused("larger than 1 MiB, which no sheet is".to_owned()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SheetText { file, text }),
        Err(fault) => {
            let at = fault.utf8_error().valid_up_to();
            Err(refused(format!("not a text file: byte {at} is no UTF-8")))
        }
    }
}
