//! What a memory holds, in a file: its bytes one after the other. Spare areas, and with them the marks of bad blocks,
//! wear and the part's name are not in it.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use wordline_catalog::PartOnBoard;
use wordline_lab::Volume;
use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::{Memory, NvmError};
use wordline_report::printable;

use crate::args::Global;
use crate::failure::{self, Failure};
use crate::output;

/// Bytes that an image may have: it is held in RAM.
const MOST: u64 = 1 << 30;

/// A file that holds what a memory holds between two mounts.
pub(super) struct Image {
    /// Where it is, links followed.
    file: PathBuf,
    /// A hash of what it held when it was loaded; `None` where there was none.
    found: Option<u64>,
}

impl Image {
    /// Whether there was one.
    pub(super) const fn held(&self) -> bool {
        self.found.is_some()
    }

    /// Whether it is as it was when it was loaded.
    fn is_unchanged(&self) -> io::Result<bool> {
        match fs::read(&self.file) {
            Ok(content) => Ok(self.found == Some(hash(&content))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.found.is_none()),
            Err(error) => Err(error),
        }
    }
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// Loads a file into a memory, where there is one.
pub(super) fn load(
    file: &Path,
    memory: &mut Memory,
    target: &PartOnBoard<'_>,
    volume: &Volume<'_>,
) -> Result<Image, Failure> {
    let fault = |why: &str| {
        failure::message(format!(
            "--image {}: {why}",
            printable(&file.display().to_string())
        ))
    };
    if volume.uses_spare_areas() {
        return Err(fault(&format!(
            "{} keeps records in spare areas of this memory, which an image lacks",
            volume.title()
        )));
    }
    let capacity = memory.capacity_bytes();
    if capacity > MOST {
        return Err(fault(&format!(
            "{} has {capacity} B, and an image takes 1 GiB",
            target.name
        )));
    }
    output::folder_of("--image", file)?;
    // What a link names is loaded and saved, not the link.
    let file = match fs::canonicalize(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
            return Ok(Image {
                file: file.to_owned(),
                found: None,
            });
        }
        Err(error) => return Err(fault(&error.to_string())),
    };
    // Before it is opened: a pipe would wait for its writer.
    let about = fs::metadata(&file).map_err(|error| fault(&error.to_string()))?;
    if !about.is_file() {
        return Err(fault("it is no regular file"));
    }
    if about.permissions().readonly() {
        return Err(fault("it is read-only, and would be written at the end"));
    }
    let mut opened = File::open(&file).map_err(|error| fault(&error.to_string()))?;
    let bytes = about.len();
    if bytes != capacity {
        return Err(fault(&format!(
            "it has {bytes} B, and {} has {capacity} B",
            target.name
        )));
    }
    let mut content = Vec::new();
    let read = opened.read_to_end(&mut content);
    read.map_err(|error| fault(&error.to_string()))?;
    store(memory, &content).map_err(|error| fault(&error.to_string()))?;
    Ok(Image {
        file,
        found: Some(hash(&content)),
    })
}

/// Stores content without time; what is erased stays erased.
fn store(memory: &mut Memory, content: &[u8]) -> Result<(), NvmError> {
    match memory {
        Memory::Bytes(device) => device.preload(0, content),
        Memory::Flash(flash) => {
            let page_bytes = flash.geometry().page_bytes as usize;
            for (page, data) in (0..).zip(content.chunks(page_bytes)) {
                if data.iter().any(|byte| *byte != 0xFF) {
                    flash.load(page, 0, data)?;
                }
            }
            Ok(())
        }
    }
}

/// Saves what the memory holds; beside the image where another process wrote to that meanwhile. A page that it cannot read
/// is saved as erased, which is reported even with --quiet: the image holds less than the memory did.
pub(super) fn save(image: &Image, memory: &Memory, global: &Global) -> Result<(), Failure> {
    let file = &image.file;
    let mut memory = memory.fork();
    let mut content = vec![0xFF; memory.capacity_bytes() as usize];
    let (mut pages, mut lost) = (0, 0);
    let read = match &mut memory {
        Memory::Bytes(device) => device.read(0, &mut content),
        Memory::Flash(flash) => {
            let page_bytes = flash.geometry().page_bytes as usize;
            for (page, out) in (0..).zip(content.chunks_mut(page_bytes)) {
                pages += 1;
                if flash.read(page, 0, out).is_err() {
                    out.fill(0xFF);
                    lost += 1;
                }
            }
            Ok(())
        }
    };
    let fault = |why: &dyn std::fmt::Display| {
        failure::message(format!(
            "--image {}: {why}",
            printable(&file.display().to_string())
        ))
    };
    read.map_err(|error| fault(&error))?;
    // First beside it: what was there before stays until all of the new one is written.
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, &content).map_err(|error| fault(&error))?;
    if !image.is_unchanged().map_err(|error| fault(&error))? {
        let beside = printable(&beside.to_string_lossy());
        return Err(fault(&format_args!(
            "somebody else wrote to it since it was loaded; what this memory holds is in {beside}"
        )));
    }
    fs::rename(&beside, file).map_err(|error| fault(&error))?;
    if let Some(warning) = loss(lost, pages) {
        output::note(&printable(&format!("{}: {warning}", file.display())));
    }
    if !global.quiet {
        output::note(&printable(&format!("wrote {}", file.display())));
    }
    Ok(())
}

/// What an image lacks where the memory could not read some of its pages.
fn loss(lost: u64, pages: u64) -> Option<String> {
    let words = format!(
        "warning: {lost} of {pages} pages cannot be read: they are saved as erased, and what they held is lost"
    );
    (lost > 0).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::{Image, hash, loss};

    #[test]
    fn an_image_that_somebody_else_wrote_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("image");
        let image = |found| Image {
            file: file.clone(),
            found,
        };
        let unchanged = |found| image(found).is_unchanged().expect("it can be read");
        assert!(unchanged(None));
        std::fs::write(&file, b"one").expect("a file");
        assert!(!unchanged(None));
        assert!(unchanged(Some(hash(b"one"))));
        assert!(!unchanged(Some(hash(b"two"))));
    }

    #[test]
    fn pages_that_are_lost_are_counted() {
        assert_eq!(loss(0, 64), None);
        let words = loss(3, 64).expect("a warning");
        assert!(words.contains("3 of 64 pages"), "{words}");
    }
}
