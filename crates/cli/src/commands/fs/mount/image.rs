//! What a memory holds, in a file: its bytes one after the other. Spare areas, and with them the marks of bad blocks,
//! wear and the part's name are not in it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use wordline_catalog::{Model, Target};
use wordline_core::FsKind;
use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::{Memory, NvmError};
use wordline_report::printable;

use super::ground::Ground;
use crate::args::Global;
use crate::failure::{self, Failure};
use crate::output;

/// Bytes that an image may have: it is held in RAM.
const MOST: u64 = 1 << 30;

/// Loads a file into a memory; false where there is none yet.
pub(super) fn load(
    file: &Path,
    memory: &mut Memory,
    target: &Target<'_>,
    fs: FsKind,
) -> Result<bool, Failure> {
    let fault = |why: &str| {
        failure::message(format!(
            "--image {}: {why}",
            printable(&file.display().to_string())
        ))
    };
    if fs == FsKind::Fat && matches!(target.part.model, Model::Nand(_)) {
        return Err(fault(
            "FAT on NAND stands on a translation layer, whose spare areas an image lacks",
        ));
    }
    let capacity = memory.capacity_bytes();
    if capacity > MOST {
        return Err(fault(&format!(
            "{} has {capacity} B, and an image takes 1 GiB",
            target.name
        )));
    }
    output::folder_of("--image", file)?;
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(fault(&error.to_string())),
    };
    let bytes = opened.metadata().map_or(0, |data| data.len());
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
    Ok(true)
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

/// Saves what the memory holds. A page that it cannot read is saved as erased, which is told even to those who want
/// quiet: the image holds less than the memory did.
pub(super) fn save(file: &Path, ground: &Ground, global: &Global) -> Result<(), Failure> {
    let mut memory = ground.fork();
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
    let written = fs::write(&beside, &content).and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| fault(&error))?;
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
    use super::loss;

    #[test]
    fn pages_that_are_lost_are_counted() {
        assert_eq!(loss(0, 64), None);
        let words = loss(3, 64).expect("a warning");
        assert!(words.contains("3 of 64 pages"), "{words}");
    }
}
