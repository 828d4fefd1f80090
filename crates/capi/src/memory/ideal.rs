//! Memories without a data sheet.

use wordline_core::quantity::Time;
use wordline_crash::FlashTearing;
use wordline_memory::Geometry;
use wordline_nvm::{
    IdealBytes, IdealBytesSpec, IdealFlash, IdealFlashSpec, IdealTimes, Memory, Wear,
};

use super::abi::{ABI, Ideal};
use super::device::MemoryDevice;
use super::fault::{FaultReason, MemoryFault};
use crate::boundary::BadArgument;

/// The most bytes that such a memory has: as the largest parts of the catalogue.
const BYTES_MAX: u64 = 1 << 40;
/// The largest page, so that a page is copied in no time that anyone notices.
const PAGE_MAX: u64 = 1 << 20;

const KIND_BYTES: u64 = 0;
const KIND_NOR: u64 = 1;
const KIND_NAND: u64 = 2;

fn refused(why: impl Into<Box<str>>) -> MemoryFault {
    FaultReason::Ideal(why.into()).into()
}

/// Checks that a size is there, and divides what is made of it.
fn divides(name: &str, size: u64, whole_name: &str, whole: u64) -> Result<(), MemoryFault> {
    if size == 0 || !whole.is_multiple_of(size) {
        return Err(refused(format!(
            "{name} is {size}; expected 1 or more that divide {whole_name}, {whole}"
        )));
    }
    Ok(())
}

fn number(name: &str, value: u64) -> Result<u32, MemoryFault> {
    u32::try_from(value).map_err(|_| refused(format!("{name} is {value}; expected 32 bits")))
}

fn times(ideal: &Ideal) -> IdealTimes {
    IdealTimes {
        read: Time::from_ps(ideal.read_ps),
        read_byte: Time::from_ps(ideal.read_byte_ps),
        program: Time::from_ps(ideal.program_ps),
        program_byte: Time::from_ps(ideal.program_byte_ps),
        erase: Time::from_ps(ideal.erase_ps),
    }
}

impl MemoryDevice {
    pub(super) fn ideal(ideal: &Ideal) -> Result<Self, MemoryFault> {
        let (found, known) = (ideal.abi, ABI);
        if found != u64::from(known) {
            return Err(BadArgument::Abi { found, known }.into());
        }
        let bytes = ideal.erase_bytes.checked_mul(ideal.blocks);
        let bytes = bytes.filter(|bytes| (1..=BYTES_MAX).contains(bytes));
        let bytes = bytes.ok_or_else(|| {
            refused(format!(
                "{} blocks of {} bytes; expected 1 to {BYTES_MAX} bytes in all",
                ideal.blocks, ideal.erase_bytes
            ))
        })?;
        let flags = [
            ("in_order", ideal.in_order),
            ("marks", ideal.marks),
            ("moves", ideal.moves),
            ("strict", ideal.strict),
        ];
        if let Some((name, value)) = flags.iter().find(|(_, value)| *value > 1) {
            return Err(refused(format!("{name} is {value}; expected 0 or 1")));
        }
        let read_bytes = ideal.read_bytes.max(1);
        let write_bytes = ideal.write_bytes.max(1);
        let (memory, shape) = match ideal.kind {
            KIND_BYTES => (bytes_of(ideal, bytes, write_bytes)?, "bytes"),
            KIND_NOR => (flash_of(ideal, write_bytes, false)?, "nor"),
            KIND_NAND => (flash_of(ideal, write_bytes, true)?, "nand"),
            found => {
                return Err(FaultReason::Value {
                    what: "kind of an ideal memory",
                    found,
                    allowed: "WL_MEMORY_IDEAL_BYTES, _NOR or _NAND, 0 to 2",
                }
                .into());
            }
        };
        divides("read_bytes", read_bytes, "erase_bytes", ideal.erase_bytes)?;
        let part = format!(
            "ideal {shape} {{{read_bytes}, {write_bytes}, {}, {}}}",
            ideal.erase_bytes, ideal.blocks
        );
        let mut device = Self::of(memory, part, FlashTearing::raw());
        device.info.read_bytes = read_bytes;
        device.info.write_bytes = write_bytes;
        device.cells.strict = ideal.strict == 1;
        let longest = longest_operation(ideal, bytes, device.info.page_bytes);
        device.late = Time::from_ps(u64::MAX - longest);
        Ok(device)
    }
}

/// The longest that an operation can take, in ps: a read of everything, page by page where there are pages, or one program or
/// write, or one erase.
fn longest_operation(ideal: &Ideal, bytes: u64, page_bytes: u64) -> u64 {
    let all = |each: u64, byte: u64, count: u64| {
        let bytes = bytes.saturating_mul(byte);
        each.saturating_mul(count).saturating_add(bytes)
    };
    let pages = bytes.checked_div(page_bytes).unwrap_or(1);
    let read = all(ideal.read_ps, ideal.read_byte_ps, pages);
    let program = all(ideal.program_ps, ideal.program_byte_ps, 1);
    // A move is a read and a program.
    read.saturating_add(program).saturating_add(ideal.erase_ps)
}

fn bytes_of(ideal: &Ideal, bytes: u64, write_bytes: u64) -> Result<Memory, MemoryFault> {
    divides("write_bytes", write_bytes, "erase_bytes", ideal.erase_bytes)?;
    let of_flash = [
        ("page_bytes", ideal.page_bytes),
        ("spare_bytes", ideal.spare_bytes),
        ("programs_per_page", ideal.programs_per_page),
        ("in_order", ideal.in_order),
        ("marks", ideal.marks),
        ("moves", ideal.moves),
        ("strict", ideal.strict),
        ("erase_ps", ideal.erase_ps),
    ];
    if let Some((name, _)) = of_flash.iter().find(|(_, value)| *value != 0) {
        return Err(refused(format!("{name} is of flash: leave it 0 for bytes")));
    }
    if ideal.banks > 1 {
        return Err(refused("banks are of flash: leave them 0 for bytes"));
    }
    let atom = ideal.atom_bytes.max(1);
    divides("atom_bytes", atom, "write_bytes", write_bytes)
        .or_else(|_| divides("write_bytes", write_bytes, "atom_bytes", atom))?;
    divides("atom_bytes", atom, "all bytes", bytes)?;
    Ok(Memory::Bytes(Box::new(IdealBytes::new(IdealBytesSpec {
        bytes,
        atom_bytes: number("atom_bytes", atom)?,
        wear_unit_bytes: number("erase_bytes", ideal.erase_bytes)?,
        endurance: endurance(ideal),
        times: times(ideal),
    }))))
}

fn endurance(ideal: &Ideal) -> u64 {
    match ideal.endurance {
        0 => Wear::UNLIMITED,
        rated => rated,
    }
}

fn flash_of(ideal: &Ideal, write_bytes: u64, is_nand: bool) -> Result<Memory, MemoryFault> {
    if ideal.atom_bytes > 1 {
        return Err(refused(
            "atom_bytes is of bytes: a cut leaves single bits of flash",
        ));
    }
    divides("write_bytes", write_bytes, "erase_bytes", ideal.erase_bytes)?;
    let page = match (ideal.page_bytes, is_nand) {
        (0, true) => write_bytes,
        // A common page of NOR flash, where the block has room for it.
        (0, false) => [256, write_bytes]
            .into_iter()
            .find(|page| {
                page.is_multiple_of(write_bytes) && ideal.erase_bytes.is_multiple_of(*page)
            })
            .unwrap_or(write_bytes),
        (page, _) => page,
    };
    divides("write_bytes", write_bytes, "page_bytes", page)?;
    divides("page_bytes", page, "erase_bytes", ideal.erase_bytes)?;
    if page > PAGE_MAX || ideal.spare_bytes > PAGE_MAX {
        return Err(refused(format!(
            "a page of {page} + {} bytes; expected {PAGE_MAX} each at the most",
            ideal.spare_bytes
        )));
    }
    if !ideal.spare_bytes.is_multiple_of(write_bytes) {
        return Err(refused(format!(
            "spare_bytes is {}; expected a multiple of write_bytes, {write_bytes}",
            ideal.spare_bytes
        )));
    }
    if ideal.marks == 1 && ideal.spare_bytes == 0 {
        return Err(refused("marks are kept in spare areas: spare_bytes is 0"));
    }
    let banks = ideal.banks.max(1);
    divides("banks", banks, "blocks", ideal.blocks)?;
    let programs = match (ideal.programs_per_page, is_nand) {
        (0, true) => Some(1),
        (0, false) => None,
        (programs, _) => Some(number("programs_per_page", programs)?),
    };
    let geometry = Geometry {
        page_bytes: page as u32,
        spare_bytes: ideal.spare_bytes as u32,
        pages_per_block: number("pages of a block", ideal.erase_bytes / page)?,
        blocks: number("blocks", ideal.blocks)?,
        program_bytes: write_bytes as u32,
        programs_per_page: programs,
        once_bytes: None,
        in_order: ideal.in_order == 1,
    };
    if !geometry.is_valid() {
        return Err(refused(format!(
            "{} blocks of {} pages; expected as many pages as 32 bits count",
            geometry.blocks, geometry.pages_per_block
        )));
    }
    Ok(Memory::Flash(Box::new(IdealFlash::new(IdealFlashSpec {
        geometry,
        marks: ideal.marks == 1,
        moves: ideal.moves == 1,
        banks: number("banks", banks)?,
        endurance: endurance(ideal),
        times: times(ideal),
    }))))
}
