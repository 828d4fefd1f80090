//! An image: every byte of a memory, then a record of what bytes alone do not say.

use wordline_memory::{ByteMemory as _, Flash as _};
use wordline_nvm::{BlockContent, Memory, NvmError, PageContent};

use super::ImageOrigin;
use super::bytes::{FieldReader, checksum};

/// The first bytes of the record.
const MAGIC: &[u8; 8] = b"WLIMAGE\n";

/// The format of the record.
const VERSION: u32 = 1;

/// Bytes that stand before the body of the record: magic, version, length, checksum of the bytes, checksum of the body.
const HEAD_BYTES: usize = 28;

/// Why a file is no image of this memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotProblem {
    /// What stands behind the bytes of the memory is no record.
    #[error("it is longer than the memory, and what follows its {0} B is no record of an image")]
    NoRecord(u64),
    /// A later program wrote it.
    #[error("the image has format {0}, and this program reads format {VERSION}")]
    Version(u32),
    /// The record is damaged.
    #[error("the record of spare areas and wear behind the bytes is damaged")]
    Damaged,
    /// The bytes are not those that the record belongs to.
    #[error(
        "its bytes were changed since they were saved, which spare areas and wear do not follow; cut the file to {0} B to \
         go on with a plain image"
    )]
    Changed(u64),
    /// It is of another memory.
    #[error("it is of {stored}, and this mount is of {asked}: mount it with the same settings")]
    Origin {
        /// What it was made for, in words.
        stored: String,
        /// What was asked for.
        asked: String,
    },
}

/// What an image says beside its bytes.
pub(super) struct Snapshot {
    /// Tells the journal that it includes.
    pub(super) nonce: u64,
    origin: ImageOrigin,
    state: MemoryState,
}

enum MemoryState {
    /// Cycles of runs of units: the first, how many, and the cycles of each.
    Bytes(Vec<(u64, u64, u64)>),
    /// Blocks that hold anything, or are worn.
    Flash {
        block_bytes: u64,
        blocks: Vec<StoredBlock>,
    },
}

struct StoredBlock {
    block: u32,
    cycles: u64,
    pages: Vec<StoredPage>,
}

/// A page without its main bytes, which stand in the first part of the image.
struct StoredPage {
    page: u32,
    programs: u32,
    units: u64,
    given_up: bool,
    wrong: Vec<u32>,
    spare: Vec<u8>,
}

impl Snapshot {
    /// The whole image of a memory.
    pub(super) fn of(
        memory: &Memory,
        origin: &ImageOrigin,
        nonce: u64,
    ) -> Result<Vec<u8>, NvmError> {
        let capacity = memory.capacity_bytes();
        let mut content = vec![0xFF; capacity as usize];
        let mut body = nonce.to_le_bytes().to_vec();
        origin.encode(&mut body);
        match memory.fork() {
            Memory::Bytes(mut device) => {
                device.read(0, &mut content)?;
                let unit = device.wear().unit_bytes.max(1);
                let before = device.wear().before;
                push_byte_wear(
                    &mut body,
                    before,
                    (0..capacity.div_ceil(unit))
                        .map_while(|number| device.cycles_at(number * unit)),
                );
            }
            Memory::Flash(flash) => push_flash(&*flash, &mut content, &mut body)?,
        }
        let sums = [checksum(&[&content]), checksum(&[&body])];
        content.extend_from_slice(MAGIC);
        content.extend_from_slice(&VERSION.to_le_bytes());
        content.extend_from_slice(&(body.len() as u64).to_le_bytes());
        for sum in sums {
            content.extend_from_slice(&sum.to_le_bytes());
        }
        content.extend_from_slice(&body);
        Ok(content)
    }

    /// Reads the record behind the bytes of a memory.
    pub(super) fn parse(main: &[u8], record: &[u8]) -> Result<Self, SnapshotProblem> {
        let capacity = main.len() as u64;
        let Some(head) = record
            .get(..HEAD_BYTES)
            .filter(|head| head.starts_with(MAGIC))
        else {
            return Err(SnapshotProblem::NoRecord(capacity));
        };
        let mut fields = FieldReader(&head[MAGIC.len()..]);
        let damaged = || SnapshotProblem::Damaged;
        let version = fields.u32().ok_or_else(damaged)?;
        if version != VERSION {
            return Err(SnapshotProblem::Version(version));
        }
        let bytes = fields.u64().ok_or_else(damaged)?;
        let sum_of_main = fields.u32().ok_or_else(damaged)?;
        let sum_of_body = fields.u32().ok_or_else(damaged)?;
        let body = &record[HEAD_BYTES..];
        if body.len() as u64 != bytes || checksum(&[body]) != sum_of_body {
            return Err(SnapshotProblem::Damaged);
        }
        if checksum(&[main]) != sum_of_main {
            return Err(SnapshotProblem::Changed(capacity));
        }
        Self::parse_body(&mut FieldReader(body)).ok_or(SnapshotProblem::Damaged)
    }

    fn parse_body(fields: &mut FieldReader<'_>) -> Option<Self> {
        let nonce = fields.u64()?;
        let origin = ImageOrigin::parse(fields)?;
        let state = match fields.u8()? {
            1 => {
                let runs = fields.u64()?;
                let mut all = Vec::new();
                for _ in 0..runs {
                    all.push((fields.u64()?, fields.u64()?, fields.u64()?));
                }
                MemoryState::Bytes(all)
            }
            2 => {
                let block_bytes = fields.u64()?;
                let mut blocks = Vec::new();
                for _ in 0..fields.u32()? {
                    blocks.push(StoredBlock::parse(fields)?);
                }
                MemoryState::Flash {
                    block_bytes,
                    blocks,
                }
            }
            _ => return None,
        };
        fields.0.is_empty().then_some(Self {
            nonce,
            origin,
            state,
        })
    }

    /// Whether it is of the memory that is asked for.
    pub(super) fn check(
        &self,
        origin: &ImageOrigin,
        memory: &Memory,
    ) -> Result<(), SnapshotProblem> {
        let blocks_of = |bytes: Option<u64>| {
            let in_blocks = bytes.map(|bytes| format!(" in blocks of {bytes} B"));
            in_blocks.unwrap_or_default()
        };
        let stored_blocks = match self.state {
            MemoryState::Bytes(_) => None,
            MemoryState::Flash { block_bytes, .. } => Some(block_bytes),
        };
        let asked_blocks = match memory {
            Memory::Bytes(_) => None,
            Memory::Flash(flash) => Some(flash.geometry().block_bytes()),
        };
        if self.origin == *origin && stored_blocks == asked_blocks {
            return Ok(());
        }
        Err(SnapshotProblem::Origin {
            stored: format!("{}{}", self.origin, blocks_of(stored_blocks)),
            asked: format!("{origin}{}", blocks_of(asked_blocks)),
        })
    }

    /// Lets a new memory hold what the image holds.
    pub(super) fn load(&self, main: &[u8], memory: &mut Memory) -> Result<(), NvmError> {
        match (memory, &self.state) {
            (Memory::Bytes(device), MemoryState::Bytes(runs)) => {
                device.preload(0, main)?;
                let unit = device.wear().unit_bytes.max(1);
                for &(first, count, cycles) in runs {
                    for number in first..first.saturating_add(count) {
                        device.set_cycles_at(number.saturating_mul(unit), cycles)?;
                    }
                }
            }
            (Memory::Flash(flash), MemoryState::Flash { blocks, .. }) => {
                let geometry = flash.geometry();
                // Also what the new memory has of its own: the image has its marks of bad blocks.
                for block in 0..geometry.blocks {
                    flash.set_content(block, &BlockContent::default())?;
                }
                let page_bytes = geometry.page_bytes as usize;
                for state in blocks {
                    let first = u64::from(state.block) * u64::from(geometry.pages_per_block);
                    let mut content = BlockContent::default();
                    for page in &state.pages {
                        let at = (first + u64::from(page.page)) as usize * page_bytes;
                        let mut bytes = main.get(at..at + page_bytes).unwrap_or_default().to_vec();
                        bytes.extend_from_slice(&page.spare);
                        let whole = PageContent {
                            bytes,
                            programs: page.programs,
                            units: page.units,
                            wrong: page.wrong.clone(),
                            given_up: page.given_up,
                        };
                        content.pages.insert(page.page, whole);
                    }
                    flash.set_content(state.block, &content)?;
                    flash.set_cycles(state.block, state.cycles)?;
                }
            }
            // `check` compares the kinds.
            _ => {}
        }
        Ok(())
    }
}

/// Appends the cycles of units, in runs, of those that are worn more than at first.
fn push_byte_wear(body: &mut Vec<u8>, before: u64, cycles: impl Iterator<Item = u64>) {
    let mut runs: Vec<(u64, u64, u64)> = Vec::new();
    for (number, cycles) in (0..).zip(cycles) {
        match runs.last_mut() {
            _ if cycles == before => {}
            Some((first, count, of)) if *of == cycles && *first + *count == number => *count += 1,
            _ => runs.push((number, 1, cycles)),
        }
    }
    body.push(1);
    body.extend_from_slice(&(runs.len() as u64).to_le_bytes());
    for (first, count, cycles) in runs {
        for field in [first, count, cycles] {
            body.extend_from_slice(&field.to_le_bytes());
        }
    }
}

/// Copies the main areas of a flash, and appends what else its blocks hold.
fn push_flash(
    flash: &dyn wordline_nvm::FlashMemory,
    content: &mut [u8],
    body: &mut Vec<u8>,
) -> Result<(), NvmError> {
    let geometry = flash.geometry();
    let page_bytes = geometry.page_bytes as usize;
    let before = flash.wear().before;
    body.push(2);
    body.extend_from_slice(&geometry.block_bytes().to_le_bytes());
    let count_at = body.len();
    let mut blocks = 0_u32;
    body.extend_from_slice(&blocks.to_le_bytes());
    for block in 0..geometry.blocks {
        let (held, cycles) = (flash.content(block)?, flash.cycles(block)?);
        if held.pages.is_empty() && cycles == before {
            continue;
        }
        blocks += 1;
        body.extend_from_slice(&block.to_le_bytes());
        body.extend_from_slice(&cycles.to_le_bytes());
        body.extend_from_slice(&(held.pages.len() as u32).to_le_bytes());
        for (page, held) in held.pages {
            let at = (u64::from(block) * u64::from(geometry.pages_per_block) + u64::from(page))
                as usize
                * page_bytes;
            let (main, spare) = held.bytes.split_at(page_bytes);
            content[at..at + page_bytes].copy_from_slice(main);
            for word in [page, held.programs] {
                body.extend_from_slice(&word.to_le_bytes());
            }
            body.extend_from_slice(&held.units.to_le_bytes());
            body.push(u8::from(held.given_up));
            body.extend_from_slice(&(held.wrong.len() as u32).to_le_bytes());
            for bit in &held.wrong {
                body.extend_from_slice(&bit.to_le_bytes());
            }
            super::bytes::push_counted(body, spare);
        }
    }
    body[count_at..count_at + 4].copy_from_slice(&blocks.to_le_bytes());
    Ok(())
}

impl StoredBlock {
    fn parse(fields: &mut FieldReader<'_>) -> Option<Self> {
        let (block, cycles, count) = (fields.u32()?, fields.u64()?, fields.u32()?);
        let mut pages = Vec::new();
        for _ in 0..count {
            let (page, programs, units) = (fields.u32()?, fields.u32()?, fields.u64()?);
            let given_up = fields.u8()? != 0;
            let mut wrong = Vec::new();
            for _ in 0..fields.u32()? {
                wrong.push(fields.u32()?);
            }
            pages.push(StoredPage {
                page,
                programs,
                units,
                given_up,
                wrong,
                spare: fields.counted()?.to_vec(),
            });
        }
        Some(Self {
            block,
            cycles,
            pages,
        })
    }
}

/// Lets a memory hold the bytes of a plain image, without time; what is erased stays erased.
pub(super) fn load_plain(memory: &mut Memory, content: &[u8]) -> Result<(), NvmError> {
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
