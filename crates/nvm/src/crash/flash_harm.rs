//! What interrupted and failed operations leave in the cells of a flash memory.

use std::ops::Range;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::Geometry;

use super::flash_content::{FlashContent, Weakness, bits};
use super::flash_ecc::EccStrength;
use super::flash_page::Page;
use super::flash_tearing::FlashTear;

/// A program that comes to no end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'a> {
    pub(super) page: u32,
    pub(super) column: u32,
    pub(super) data: &'a [u8],
    /// The page that it can harm because they share their cells.
    pub(super) lower: Option<u32>,
}

/// Leaves a page, and perhaps its lower page, as an interrupted program does.
pub(super) fn tear_program(
    content: &mut FlashContent,
    program: &Program<'_>,
    tear: FlashTear,
    key: u64,
) {
    let (geometry, ecc) = (content.geometry(), content.ecc());
    content.change(program.page, |found| {
        let bytes = program.data.len() as u32;
        found.attempt(geometry.once_units(program.column, bytes));
        if ecc.is_some() {
            found.keep_both(program.column, program.data);
        }
        tear_page(found, program, tear, key);
        if let (FlashTear::Marginal, Some(ecc)) = (tear, ecc) {
            let start = program.column as usize;
            let range = start..start + program.data.len();
            let flicker = marginal_bits(ecc, &geometry, &range, Some(&found.bytes), key);
            found.flicker.extend(flicker);
        }
        found.settle_flicker();
    });
    if let Some(lower) = program.lower {
        harm_lower(content, lower, tear, key);
    }
}

/// Leaves the cells of the page itself as an interrupted program does.
fn tear_page(found: &mut Page, program: &Program<'_>, tear: FlashTear, key: u64) {
    let start = program.column as usize;
    let range = start..start + program.data.len();
    let old = found.bytes[range.clone()].to_vec();
    let target = old.iter().zip(program.data).map(|(old, new)| old & new);
    let (eighths, flickers) = match tear {
        FlashTear::Prefix(bytes) => {
            let landed = found.bytes[range].iter_mut().zip(target);
            landed.take(bytes).for_each(|(byte, new)| *byte = new);
            return;
        }
        FlashTear::Bits { eighths, flickers } => (eighths, u8::from(flickers) * 2),
        FlashTear::Flickering => (8, 1),
        FlashTear::Marginal => (8, 0),
        FlashTear::Beside | FlashTear::Lost => (4, 2),
        FlashTear::LowerBits { .. } | FlashTear::LowerLost | FlashTear::LowerMarginal => (4, 0),
        _ => return,
    };
    found.lost |= tear == FlashTear::Lost;
    if tear == FlashTear::Beside {
        spoil_beside(found, &range, key);
    }
    let clears = masks(key, 1, old.len(), eighths);
    let uncertain = masks(key, 2, old.len(), flickers);
    for (index, (old, target)) in old.iter().zip(target).enumerate() {
        let wanted = old & !target;
        let cleared = wanted & clears[index];
        found.bytes[start + index] = old & !cleared;
        // Where all bits were cleared, some of these flicker; else some of the others.
        let candidates = if eighths == 8 {
            wanted
        } else {
            wanted & !cleared
        };
        found.push_flicker(start + index, candidates & uncertain[index]);
    }
}

/// Spoils the bytes of a page outside a range, where any bit was cleared before.
fn spoil_beside(found: &mut Page, range: &Range<usize>, key: u64) {
    let flips = masks(key, 5, found.bytes.len(), 1);
    let flickers = masks(key, 6, found.bytes.len(), 1);
    for index in 0..found.bytes.len() {
        if range.contains(&index) || found.bytes[index] == 0xFF {
            continue;
        }
        found.bytes[index] ^= flips[index];
        found.push_flicker(index, flickers[index]);
    }
}

/// Leaves a lower page as the interrupted program of its upper page does.
fn harm_lower(content: &mut FlashContent, lower: u32, tear: FlashTear, key: u64) {
    let (eighths, flickers) = match tear {
        FlashTear::LowerBits { eighths, flickers } => (eighths, u8::from(flickers)),
        FlashTear::LowerLost => (4, 0),
        FlashTear::LowerMarginal => (0, 0),
        _ => return,
    };
    let (geometry, ecc) = (content.geometry(), content.ecc());
    content.change(lower, |found| {
        let bytes = found.bytes.len();
        if ecc.is_some() {
            found.keep_meant();
        }
        found.lost |= tear == FlashTear::LowerLost;
        if eighths > 0 {
            let share = masks(key, 9, bytes, eighths);
            let noise = masks(key, 10, bytes, 4);
            let uncertain = masks(key, 11, bytes, flickers);
            for index in 0..bytes {
                let byte = found.bytes[index];
                found.bytes[index] = (byte & !share[index]) | (noise[index] & share[index]);
                found.push_flicker(index, share[index] & uncertain[index]);
            }
        }
        if let (FlashTear::LowerMarginal, Some(ecc)) = (tear, ecc) {
            let flicker = marginal_bits(ecc, &geometry, &(0..bytes), None, key);
            found.flicker.extend(flicker);
        }
        found.settle_flicker();
    });
}

/// Twice as many bits as the ECC corrects, all within one codeword and a range, so that about as many
/// as it corrects are wrong in a read. Where `cleared` is given, only bits that are 0 in it, which are
/// those that a program can have left on the edge; fewer where there are few such.
fn marginal_bits(
    ecc: EccStrength,
    geometry: &Geometry,
    range: &Range<usize>,
    cleared: Option<&[u8]>,
    key: u64,
) -> Vec<u32> {
    let at = range.start + (draw(key, 0, 12, Purpose::Tear) % range.len() as u64) as usize;
    let columns = ecc.codeword_of(geometry, at, range);
    let wanted = (u64::from(ecc.bits) * 2).min(columns.len() as u64 * 8) as usize;
    let mut chosen = Vec::new();
    // Half of the bits of most data are 0; where far fewer are, the search ends without them all.
    for number in 0..16 * wanted as u64 {
        if chosen.len() == wanted {
            break;
        }
        let drawn = draw(key, number, 13, Purpose::Tear);
        let column = columns[(drawn % columns.len() as u64) as usize];
        let bit = (drawn >> 61) as u32;
        let place = column as u32 * 8 + bit;
        let fits = cleared.is_none_or(|bytes| bytes[column] >> bit & 1 == 0);
        if fits && !chosen.contains(&place) {
            chosen.push(place);
        }
    }
    chosen
}

/// `bytes` bytes, each bit 1 with a probability of `eighths`/8. `why` keeps masks of one key apart.
fn masks(key: u64, why: u64, bytes: usize, eighths: u8) -> Vec<u8> {
    let mut masks = vec![0; bytes];
    if eighths > 0 {
        for (place, word) in (0..).zip(masks.chunks_mut(8)) {
            let drawn = bits(key ^ why, place, eighths).to_le_bytes();
            word.copy_from_slice(&drawn[..word.len()]);
        }
    }
    masks
}

/// Leaves a page as a program does that the device reports as failed. Other pages keep what they
/// hold, as the contract promises.
pub(super) fn fail_program(content: &mut FlashContent, page: u32, column: u32, data: &[u8]) {
    let key = draw(u64::from(page), u64::from(column), 7, Purpose::Tear);
    let tear = FlashTear::Bits {
        eighths: 4,
        flickers: true,
    };
    let program = Program {
        page,
        column,
        data,
        lower: None,
    };
    tear_program(content, &program, tear, key);
    let block = content.geometry().block_of(page);
    content.weaken(block, Weakness::FailsErases, key);
}

/// Leaves a block as an erase does that the device reports as failed.
pub(super) fn fail_erase(content: &mut FlashContent, block: u32) {
    let key = draw(u64::from(block), 0, 8, Purpose::Tear);
    content.half_erase(block, key, 4, true);
    content.weaken(block, Weakness::FailsErases, key);
}
