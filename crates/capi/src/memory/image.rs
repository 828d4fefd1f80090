//! The file that a memory is saved to: `docs/reference/memory-images.md` describes it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use wordline_nvm::{BlockContent, Device, FlashMemory, Memory, NvmError, PageContent};

use super::abi::Info;
use super::block_faults::{FaultRule, InjectedFault};
use super::cells::Cells;
use super::fault::{FaultReason, MemoryFault};
use super::image_faults;

/// What the file begins with.
const MAGIC: &[u8; 8] = b"WLMEMIMG";
/// Of the format, where a block has one fault at the most, that strikes always.
const VERSION: u32 = 1;
/// The same with faults of their own behind the entries.
const VERSION_OF_FAULTS: u32 = 2;
/// Bytes of a byte memory that are stored together.
const CHUNK: u64 = 4096;

/// Why a file is no image of a memory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    #[error("no image of a memory: it does not begin with WLMEMIMG")]
    Magic,
    #[error("version {0} of the format; this library knows versions 1 and 2")]
    Version(u32),
    #[error("the checksum is wrong: the file was changed, or cut short")]
    Checksum,
    #[error("an image of part {found:?}; this is {expected:?}")]
    Part { found: String, expected: String },
    #[error("{what} is {found}; this part has {expected}")]
    Geometry {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("byte {0}: the file ends within an entry")]
    Ends(usize),
    #[error("byte {at}: {what} {found} is none of this memory")]
    Value {
        at: usize,
        what: &'static str,
        found: u64,
    },
    #[error("{0} bytes follow the last entry")]
    Behind(usize),
    #[error(transparent)]
    Memory(#[from] NvmError),
}

/// The sizes that an image and a memory must share, and their names.
const fn sizes(info: &Info) -> [(&'static str, u64); 6] {
    [
        ("the kind", info.kind),
        ("the size in bytes", info.bytes),
        ("the main area of a page", info.page_bytes),
        ("the spare area of a page", info.spare_bytes),
        ("the number of pages in a block", info.pages_per_block),
        ("the unit of wear", info.wear_unit_bytes),
    ]
}

pub(super) fn save(path: &Path, part: &str, info: &Info, cells: &Cells) -> Result<(), MemoryFault> {
    if info.wear_unit_bytes == 0 {
        return Err(FaultReason::Unsupported(
            "a card keeps more than its bytes: there are no images of cards",
        )
        .into());
    }
    let mut out = Vec::new();
    out.extend(MAGIC);
    let plain = image_faults::are_plain(&cells.faults);
    let version = if plain { VERSION } else { VERSION_OF_FAULTS };
    out.extend(version.to_le_bytes());
    out.extend((part.len() as u32).to_le_bytes());
    out.extend(part.as_bytes());
    for (_, size) in sizes(info) {
        out.extend(size.to_le_bytes());
    }
    match &cells.memory {
        Memory::Flash(flash) => write_flash(&mut out, &**flash, cells, info)?,
        Memory::Bytes(device) => write_bytes(&mut out, &**device, info)?,
    }
    if !plain {
        image_faults::write(&mut out, &cells.faults, info);
    }
    out.extend(checksum(&out).to_le_bytes());
    replace(path, &out).map_err(|why| FaultReason::File {
        path: path.into(),
        why,
    })?;
    Ok(())
}

/// Writes a file so that a failure leaves the one that was there: to a neighbour first, which then takes its name. What is
/// no ordinary file is written in place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&place).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(&place, bytes);
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let neighbour = place.with_file_name(name);
    let mut file = File::create_new(&neighbour)?;
    let written = file.write_all(bytes).and_then(|()| {
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&neighbour, &place)
    });
    if written.is_err() {
        // A failure here cannot be reported.
        let _ = fs::remove_file(&neighbour);
    }
    written
}

/// Reads an image file. Pipes and devices are refused, because they may never end. Of a file that is no image only the
/// first bytes are read.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        let why = "it is no ordinary file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(MAGIC.len() as u64)
        .read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn write_flash(
    out: &mut Vec<u8>,
    flash: &dyn FlashMemory,
    cells: &Cells,
    info: &Info,
) -> Result<(), MemoryFault> {
    let before = flash.wear().before;
    let plain = image_faults::are_plain(&cells.faults);
    for block in 0..info.blocks as u32 {
        let (content, cycles) = (flash.content(block)?, flash.cycles(block)?);
        let fault = match cells.faults.of_block(block) {
            [rule] if plain => rule.kind.number(),
            _ => 0,
        };
        if content.pages.is_empty() && cycles == before && fault == 0 {
            continue;
        }
        out.extend(block.to_le_bytes());
        out.extend(cycles.to_le_bytes());
        out.extend(fault.to_le_bytes());
        out.extend((content.pages.len() as u32).to_le_bytes());
        for (number, page) in &content.pages {
            out.extend(number.to_le_bytes());
            out.extend(page.programs.to_le_bytes());
            out.extend(page.units.to_le_bytes());
            out.extend(u32::from(page.given_up).to_le_bytes());
            out.extend((page.wrong.len() as u32).to_le_bytes());
            for bit in &page.wrong {
                out.extend(bit.to_le_bytes());
            }
            out.extend(&page.bytes);
        }
    }
    out.extend(u32::MAX.to_le_bytes());
    Ok(())
}

fn write_bytes(out: &mut Vec<u8>, device: &dyn Device, info: &Info) -> Result<(), MemoryFault> {
    let mut chunk = vec![0; CHUNK as usize];
    for at in (0..info.bytes).step_by(CHUNK as usize) {
        let chunk = &mut chunk[..CHUNK.min(info.bytes - at) as usize];
        device.peek(at, chunk)?;
        if chunk.iter().any(|byte| *byte != 0) {
            out.extend(at.to_le_bytes());
            out.extend(&*chunk);
        }
    }
    out.extend(u64::MAX.to_le_bytes());
    let before = device.wear().before;
    for unit in 0..info.bytes / info.wear_unit_bytes {
        let cycles = device.cycles_at(unit * info.wear_unit_bytes);
        if let Some(cycles) = cycles.filter(|cycles| *cycles != before) {
            out.extend(unit.to_le_bytes());
            out.extend(cycles.to_le_bytes());
        }
    }
    out.extend(u64::MAX.to_le_bytes());
    Ok(())
}

/// Lets cells hold what a file says. They are of no use when that fails.
pub(super) fn load(
    path: &Path,
    part: &str,
    info: &Info,
    cells: &mut Cells,
) -> Result<(), MemoryFault> {
    let file = read_file(path).map_err(|why| FaultReason::File {
        path: path.into(),
        why,
    })?;
    read_all(&file, part, info, cells).map_err(|why| FaultReason::Image {
        path: path.into(),
        why: Box::new(why),
    })?;
    Ok(())
}

/// Lets cells hold what an image says.
pub(super) fn read_all(
    file: &[u8],
    part: &str,
    info: &Info,
    cells: &mut Cells,
) -> Result<(), ImageError> {
    if !file.starts_with(MAGIC) {
        return Err(ImageError::Magic);
    }
    let mut all = Entries {
        file,
        at: MAGIC.len(),
    };
    let version = all.u32()?;
    if version != VERSION && version != VERSION_OF_FAULTS {
        return Err(ImageError::Version(version));
    }
    let (body, sum) = file.split_last_chunk::<8>().ok_or(ImageError::Checksum)?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err(ImageError::Checksum);
    }
    all.file = body;
    let length = all.u32()?;
    let name = all.take(length as usize)?;
    if name != part.as_bytes() {
        // A length that was changed may take in everything behind it.
        let name = &name[..name.len().min(255)];
        let found = String::from_utf8_lossy(name).into_owned();
        let expected = part.to_owned();
        return Err(ImageError::Part { found, expected });
    }
    for (what, expected) in sizes(info) {
        let found = all.u64()?;
        if found != expected {
            return Err(ImageError::Geometry {
                what,
                found,
                expected,
            });
        }
    }
    cells.torn.clear();
    cells.faults.clear();
    match &mut cells.memory {
        Memory::Flash(flash) => {
            for block in read_flash(&mut all, &mut **flash, info)? {
                let rule = FaultRule::always(block.1);
                cells.faults.add_to_block(block.0, rule);
            }
        }
        Memory::Bytes(device) => read_bytes(&mut all, &mut **device, info)?,
    }
    if version == VERSION_OF_FAULTS {
        cells.faults = image_faults::read(&mut all, info)?;
    }
    match body.len() - all.at {
        0 => Ok(()),
        behind => Err(ImageError::Behind(behind)),
    }
}

fn read_flash(
    all: &mut Entries<'_>,
    flash: &mut dyn FlashMemory,
    info: &Info,
) -> Result<Vec<(u32, InjectedFault)>, ImageError> {
    let before = flash.wear().before;
    let mut faults = Vec::new();
    let mut next = 0;
    loop {
        let at = all.at;
        let block = all.u32()?;
        let last = block == u32::MAX;
        if !last && (block < next || u64::from(block) >= info.blocks) {
            let (what, found) = ("block", u64::from(block));
            return Err(ImageError::Value { at, what, found });
        }
        // What an image leaves out is as the maker delivered it, but for bad blocks, which it does not leave out.
        for block in next..if last { info.blocks as u32 } else { block } {
            flash.set_content(block, &BlockContent::default())?;
            flash.set_cycles(block, before)?;
        }
        if last {
            return Ok(faults);
        }
        next = block + 1;
        flash.set_cycles(block, all.u64()?)?;
        let at = all.at;
        let fault = all.u32()?;
        match InjectedFault::of(u64::from(fault)) {
            Ok(Some(fault)) => faults.push((block, fault)),
            Ok(None) => {}
            Err(_) => {
                let (what, found) = ("fault", u64::from(fault));
                return Err(ImageError::Value { at, what, found });
            }
        }
        flash.set_content(block, &read_block(all, flash, info)?)?;
    }
}

fn read_block(
    all: &mut Entries<'_>,
    flash: &dyn FlashMemory,
    info: &Info,
) -> Result<BlockContent, ImageError> {
    let columns = flash.geometry().columns() as usize;
    let mut content = BlockContent::default();
    for _ in 0..all.u32()? {
        let at = all.at;
        let number = all.u32()?;
        if u64::from(number) >= info.pages_per_block || content.pages.contains_key(&number) {
            let (what, found) = ("page", u64::from(number));
            return Err(ImageError::Value { at, what, found });
        }
        let (programs, units, given_up) = (all.u32()?, all.u64()?, all.u32()? != 0);
        let count = all.u32()?;
        let mut wrong = Vec::new();
        for _ in 0..count {
            wrong.push(all.u32()?);
        }
        let page = PageContent {
            bytes: all.take(columns)?.to_vec(),
            programs,
            units,
            wrong,
            given_up,
        };
        content.pages.insert(number, page);
    }
    Ok(content)
}

fn read_bytes(
    all: &mut Entries<'_>,
    device: &mut dyn Device,
    info: &Info,
) -> Result<(), ImageError> {
    let zeros = vec![0; CHUNK as usize];
    let mut next = 0;
    loop {
        let place = all.at;
        let at = all.u64()?;
        let last = at == u64::MAX;
        if !last && (at < next || at >= info.bytes || at % CHUNK != 0) {
            let (what, found) = ("address", at);
            return Err(ImageError::Value {
                at: place,
                what,
                found,
            });
        }
        while next < if last { info.bytes } else { at } {
            let length = CHUNK.min(info.bytes - next);
            device.preload(next, &zeros[..length as usize])?;
            next += length;
        }
        if last {
            break;
        }
        let length = CHUNK.min(info.bytes - at);
        device.preload(at, all.take(length as usize)?)?;
        next = at + length;
    }
    let before = device.wear().before;
    let mut next = 0;
    loop {
        let at = all.at;
        let unit = all.u64()?;
        let units = info.bytes / info.wear_unit_bytes;
        let last = unit == u64::MAX;
        if !last && (unit < next || unit >= units) {
            let (what, found) = ("unit of wear", unit);
            return Err(ImageError::Value { at, what, found });
        }
        for unit in next..if last { units } else { unit } {
            device.set_cycles_at(unit * info.wear_unit_bytes, before)?;
        }
        if last {
            return Ok(());
        }
        device.set_cycles_at(unit * info.wear_unit_bytes, all.u64()?)?;
        next = unit + 1;
    }
}

/// The entries of an image, one after the other.
pub(super) struct Entries<'a> {
    file: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Entries<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], ImageError> {
        let rest = self.file.get(self.at..).unwrap_or_default();
        let taken = rest.get(..bytes).ok_or(ImageError::Ends(self.at))?;
        self.at += bytes;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ImageError> {
        let (taken, _) = self
            .take(4)?
            .split_first_chunk()
            .ok_or(ImageError::Ends(self.at))?;
        Ok(u32::from_le_bytes(*taken))
    }

    pub(super) fn u64(&mut self) -> Result<u64, ImageError> {
        let (taken, _) = self
            .take(8)?
            .split_first_chunk()
            .ok_or(ImageError::Ends(self.at))?;
        Ok(u64::from_le_bytes(*taken))
    }
}

/// FNV-1a of 64 bits, which shows what was changed by accident.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
