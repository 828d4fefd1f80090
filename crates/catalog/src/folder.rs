//! Reads sheets from a user's folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::SheetText;
use crate::error::{CatalogError, SheetError};

/// No honest sheet is larger.
const SHEET_BYTES_MAX: u64 = 1 << 20;

/// Every file below `folder` that ends in `.toml`, in a stable order. A folder that links reach in
/// several ways is searched once.
pub(crate) fn sheets_in(folder: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let mut search = FolderSearch::default();
    search.folder(folder)?;
    search.sheets.sort();
    if search.sheets.is_empty() {
        return Err(CatalogError::NoSheets(folder.to_owned()));
    }
    Ok(search.sheets)
}

/// The files that end in `.toml` in a folder itself, in a stable order; none where it cannot be read.
pub(crate) fn sheets_directly_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut sheets: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| is_named_like_a_sheet(path) && path.is_file())
        .collect();
    sheets.sort();
    sheets
}

fn is_named_like_a_sheet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

#[derive(Default)]
struct FolderSearch {
    visited: BTreeSet<PathBuf>,
    sheets: Vec<PathBuf>,
}

impl FolderSearch {
    fn folder(&mut self, folder: &Path) -> Result<(), CatalogError> {
        let real = folder
            .canonicalize()
            .map_err(|error| unreadable(folder, error))?;
        if !self.visited.insert(real) {
            return Ok(());
        }
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| unreadable(folder, error))?.path();
            self.entry(path)?;
        }
        Ok(())
    }

    /// What is neither folder nor sheet is passed over; a sheet or folder that cannot be looked at
    /// is an error, so that no part is missing without a word.
    fn entry(&mut self, path: PathBuf) -> Result<(), CatalogError> {
        let is_sheet = is_named_like_a_sheet(&path);
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => self.folder(&path),
            Ok(found) if found.is_file() && is_sheet => {
                self.sheets.push(path);
                Ok(())
            }
            Err(error) if is_sheet => Err(unreadable(&path, error)),
            _ => Ok(()),
        }
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> CatalogError {
    CatalogError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// The text of a sheet.
pub(crate) fn read(path: &Path) -> Result<SheetText, CatalogError> {
    let file = path.display().to_string();
    let refused = |message: String| {
        CatalogError::Sheets(vec![SheetError {
            file: file.clone(),
            text: "".into(),
            span: 0..0,
            message,
        }])
    };
    let mut bytes = Vec::new();
    fs::File::open(path)
        .map_err(|error| unreadable(path, error))?
        .take(SHEET_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, error))?;
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
