//! What interrupted and failed operations leave in the cells of a flash memory.

use std::ops::Range;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::Geometry;
use wordline_nvm::clear_bits;

use super::flash_content::{FlashContent, Weakness, bits};
use super::flash_ecc::EccStrength;
use super::flash_page::ImagePage;
use super::flash_tearing::FlashTear;

/// An interrupted program.
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
            flicker.into_iter().for_each(|bit| found.add_flicker(bit));
        }
    });
    if let Some(lower) = program.lower {
        harm_lower(content, lower, tear, key);
    }
}

/// Leaves the cells of the page itself as an interrupted program does.
fn tear_page(found: &mut ImagePage, program: &Program<'_>, tear: FlashTear, key: u64) {
    let start = program.column as usize;
    let range = start..start + program.data.len();
    let (eighths, flickers) = match tear {
        FlashTear::Prefix(bytes) => {
            clear_bits(&mut found.bytes[range], &program.data[..bytes]);
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
    let mut uncertain = masks(key, 2, range.len(), flickers);
    let clears = masks(key, 1, range.len(), eighths);
    // Where all bits were cleared, some of these flicker; else some of the others.
    let among_cleared = if eighths == 8 { 0xFF } else { 0 };
    let cells = found.bytes[range.clone()].iter_mut().zip(program.data);
    for ((cell, new), (clears, uncertain)) in cells.zip(clears.iter().zip(&mut uncertain)) {
        let wanted = *cell & !new;
        let cleared = wanted & clears;
        *cell &= !cleared;
        *uncertain &= wanted & (!cleared | among_cleared);
    }
    if flickers > 0 {
        or(&mut found.flicker_mut()[range], &uncertain);
    }
}

/// Spoils the bytes of a page outside a range, where any bit was cleared before.
fn spoil_beside(found: &mut ImagePage, range: &Range<usize>, key: u64) {
    let flips = masks(key, 5, found.bytes.len(), 1);
    let mut flickers = masks(key, 6, found.bytes.len(), 1);
    for (index, byte) in found.bytes.iter_mut().enumerate() {
        if range.contains(&index) || *byte == 0xFF {
            flickers[index] = 0;
        } else {
            *byte ^= flips[index];
        }
    }
    or(found.flicker_mut(), &flickers);
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
            for (byte, (share, noise)) in found.bytes.iter_mut().zip(share.iter().zip(noise)) {
                *byte = (*byte & !share) | (noise & share);
            }
            if flickers > 0 {
                let mut uncertain = masks(key, 11, bytes, flickers);
                clear_bits(&mut uncertain, &share);
                or(found.flicker_mut(), &uncertain);
            }
        }
        if let (FlashTear::LowerMarginal, Some(ecc)) = (tear, ecc) {
            let flicker = marginal_bits(ecc, &geometry, &(0..bytes), None, key);
            flicker.into_iter().for_each(|bit| found.add_flicker(bit));
        }
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

/// Sets the bits that are 1 in `more`.
fn or(bytes: &mut [u8], more: &[u8]) {
    for (old, new) in bytes.iter_mut().zip(more) {
        *old |= new;
    }
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
