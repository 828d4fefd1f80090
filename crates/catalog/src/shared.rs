//! One catalogue for all callers of a process: a program that opens thousands of memories parses each sheet once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::{Catalog, CatalogError, SheetText, folder};

/// How many sets of folders are kept: a process works with one, or a few.
const KEPT: usize = 8;

static EMBEDDED_ALONE: OnceLock<Arc<Catalog>> = OnceLock::new();
static WITH_FOLDERS: Mutex<Vec<KnownFolders>> = Mutex::new(Vec::new());

/// A catalogue with the texts that it was made of.
struct KnownFolders {
    texts: Vec<(String, String)>,
    catalog: Arc<Catalog>,
}

impl Catalog {
    /// As [`load`](Self::load), but every caller of the process shares the result. The files of the folders are read each
    /// time, and parsed again where any of them has changed.
    ///
    /// # Errors
    /// As [`load`](Self::load). An error is not kept.
    pub fn shared(folders: &[PathBuf]) -> Result<Arc<Self>, CatalogError> {
        if folders.is_empty() {
            let known = EMBEDDED_ALONE.get_or_init(|| Arc::new(Self::embedded()));
            return Ok(Arc::clone(known));
        }
        // What cannot be read is left to `load`, which collects the errors of all files.
        let Some(texts) = texts_of(folders) else {
            return Self::load(folders).map(Arc::new);
        };
        let mut known = WITH_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|one| one.texts == texts) {
            return Ok(Arc::clone(&found.catalog));
        }
        let catalog = Arc::new(Self::load(folders)?);
        // A file that changed between the two readings would be kept under its old text.
        if texts_of(folders).is_some_and(|again| again == texts) {
            if known.len() == KEPT {
                known.remove(0);
            }
            known.push(KnownFolders {
                texts,
                catalog: Arc::clone(&catalog),
            });
        }
        Ok(catalog)
    }
}

/// Names and texts of all sheets in folders; none where one of them cannot be read.
fn texts_of(folders: &[PathBuf]) -> Option<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for folder in folders {
        for path in folder::sheets_in(folder).ok()? {
            let SheetText { file, text } = folder::read(&path).ok()?;
            texts.push((file, text));
        }
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_embedded_sheets_are_shared() {
        let (one, other) = (Catalog::shared(&[]), Catalog::shared(&[]));
        let (one, other) = (one.expect("sound"), other.expect("sound"));
        assert!(Arc::ptr_eq(&one, &other));
    }

    #[test]
    fn a_folder_is_parsed_again_where_a_sheet_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, text) = crate::EMBEDDED
            .iter()
            .find(|(file, _)| file.ends_with("mt25ql128.toml"))
            .expect("it comes along");
        let path = folder.path().join("own.toml");
        let folders = [folder.path().to_owned()];
        let write = |id: &str| {
            let text = text.replacen("part = \"mt25ql128\"", &format!("part = \"{id}\""), 1);
            fs::write(&path, text).expect("written");
            Catalog::shared(&folders)
        };
        let first = write("own-nor").expect("sound");
        assert!(first.part("own-nor").is_ok());
        assert!(Arc::ptr_eq(
            &first,
            &Catalog::shared(&folders).expect("sound")
        ));
        let second = write("other-nor").expect("sound");
        assert!(second.part("other-nor").is_ok() && second.part("own-nor").is_err());
        fs::write(&path, "part = ").expect("written");
        assert!(Catalog::shared(&folders).is_err());
        assert!(write("own-nor").is_ok_and(|again| Arc::ptr_eq(&first, &again)));
    }
}
