//! The error correction on the chip, as far as an image shows it: whether what the cells hold is
//! within its reach of what the page was to hold. No code is computed.

use std::ops::Range;

use wordline_memory::{Ecc, Geometry};

use wordline_nvm::EccSheet;

/// How many wrong bits the ECC on a chip corrects.
///
/// A page has a codeword for each sector of its main area. The spare area, check bits included, is
/// assumed to be split among them evenly and in order; real layouts differ, which matters to single
/// wrong bits in the spare area alone.
///
/// ```
/// use wordline_crash::{EccStrength, FlashTearing};
/// let strength = EccStrength { sector_bytes: 512, bits: 8, refresh_from: 4 };
/// assert_eq!(FlashTearing::with_ecc(strength).ecc, Some(strength));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EccStrength {
    /// Bytes of a page's main area that one codeword covers. The last may be shorter.
    pub sector_bytes: u32,
    /// The most wrong bits of a codeword that are corrected.
    pub bits: u32,
    /// From how many corrected bits of a codeword on the chip advises to move the data.
    pub refresh_from: u32,
}

impl From<&EccSheet> for EccStrength {
    /// What a data sheet states of the ECC on the chip.
    fn from(sheet: &EccSheet) -> Self {
        let sector = sheet.sector_bytes.nominal().bytes();
        Self {
            sector_bytes: u32::try_from(sector).unwrap_or(u32::MAX),
            bits: *sheet.bits.value(),
            refresh_from: *sheet.refresh_from.value(),
        }
    }
}

impl EccStrength {
    /// The codewords of a page: the columns of each in the main and in the spare area.
    fn codewords(self, geometry: &Geometry) -> impl Iterator<Item = [Range<usize>; 2]> {
        let (page, spare) = (geometry.page_bytes as usize, geometry.spare_bytes as usize);
        let sector = (self.sector_bytes.max(1) as usize).min(page);
        let count = page.div_ceil(sector);
        (0..count).map(move |number| {
            let share = |number| page + spare * number / count;
            [
                number * sector..((number + 1) * sector).min(page),
                share(number)..share(number + 1),
            ]
        })
    }

    /// The columns of the codeword that a column belongs to, as far as they lie in a range that
    /// holds the column.
    pub(super) fn codeword_of(
        self,
        geometry: &Geometry,
        column: usize,
        within: &Range<usize>,
    ) -> Vec<usize> {
        self.codewords(geometry)
            .find(|parts| parts.iter().any(|part| part.contains(&column)))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|column| within.contains(column))
            .collect()
    }

    /// Corrects the cells of a page whose check bits fit `new` or, where a program or an erase came
    /// to no end, perhaps `old`: each codeword becomes the nearer of both. `None` where one is
    /// further away than the ECC reaches; the cells are unspecified then.
    pub(super) fn correct(
        self,
        geometry: &Geometry,
        cells: &mut [u8],
        new: &[u8],
        old: Option<&[u8]>,
    ) -> Option<Ecc> {
        let mut worst = 0;
        for parts in self.codewords(geometry) {
            let wrong_of = |meant: &[u8]| -> u32 {
                let differing = |part: &Range<usize>| {
                    let pairs = cells[part.clone()].iter().zip(&meant[part.clone()]);
                    pairs
                        .map(|(cell, bit)| (cell ^ bit).count_ones())
                        .sum::<u32>()
                };
                parts.iter().map(differing).sum()
            };
            let (mut right, mut wrong) = (new, wrong_of(new));
            if let Some(old) = old.filter(|old| wrong_of(old) < wrong) {
                (right, wrong) = (old, wrong_of(old));
            }
            if wrong > self.bits {
                return None;
            }
            for part in parts {
                cells[part.clone()].copy_from_slice(&right[part]);
            }
            worst = worst.max(wrong);
        }
        Some(self.verdict(worst))
    }

    /// What a read reports where the worst codeword had `wrong` wrong bits, all corrected.
    fn verdict(self, wrong: u32) -> Ecc {
        if wrong == 0 {
            return Ecc::Clean;
        }
        Ecc::Corrected {
            bits: u8::try_from(wrong).unwrap_or(u8::MAX),
            refresh: wrong >= self.refresh_from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GEOMETRY: Geometry = Geometry {
        page_bytes: 12,
        spare_bytes: 5,
        pages_per_block: 4,
        blocks: 1,
        program_bytes: 1,
        programs_per_page: None,
        once_bytes: None,
        in_order: false,
    };

    const STRENGTH: EccStrength = EccStrength {
        sector_bytes: 8,
        bits: 2,
        refresh_from: 2,
    };

    fn correct(cells: &[u8; 17], new: &[u8; 17], old: Option<&[u8]>) -> Option<([u8; 17], Ecc)> {
        let mut cells = *cells;
        let verdict = STRENGTH.correct(&GEOMETRY, &mut cells, new, old)?;
        Some((cells, verdict))
    }

    #[test]
    fn codewords_share_every_column() {
        let words: Vec<_> = STRENGTH.codewords(&GEOMETRY).collect();
        assert_eq!(words, [[0..8, 12..14], [8..12, 14..17]]);
        for odd in [0, u32::MAX] {
            let strength = EccStrength {
                sector_bytes: odd,
                ..STRENGTH
            };
            let columns = strength.codewords(&GEOMETRY).flatten().flatten();
            assert_eq!(columns.count(), 17);
        }
        assert_eq!(
            STRENGTH.codeword_of(&GEOMETRY, 15, &(9..15)),
            [9, 10, 11, 14]
        );
    }

    #[test]
    fn a_codeword_is_corrected_up_to_its_bits() {
        let new = [0x55; 17];
        assert_eq!(correct(&new, &new, None), Some((new, Ecc::Clean)));
        let mut cells = new;
        // One wrong bit in the main area of the first codeword, and one in its spare bytes.
        for (column, bits) in [(0, 1), (13, 2)] {
            cells[column] ^= 1;
            let corrected = Ecc::Corrected {
                bits,
                refresh: bits == 2,
            };
            assert_eq!(correct(&cells, &new, None), Some((new, corrected)));
        }
        // The second codeword's bits count apart.
        cells[14] ^= 0x81;
        assert!(correct(&cells, &new, None).is_some());
        cells[7] ^= 1;
        assert_eq!(correct(&cells, &new, None), None);
    }

    #[test]
    fn a_torn_codeword_becomes_the_nearer_of_old_and_new() {
        let (old, mut new) = ([0xFF; 17], [0xFF; 17]);
        new[..12].fill(0);
        let mut cells = old;
        cells[0] = 0xFC;
        cells[8..12].fill(0);
        cells[11] = 1;
        let mut expected = old;
        expected[8..12].fill(0);
        let corrected = Ecc::Corrected {
            bits: 2,
            refresh: true,
        };
        assert_eq!(
            correct(&cells, &new, Some(&old)),
            Some((expected, corrected))
        );
        assert_eq!(correct(&cells, &new, None), None);
        cells[0] = 0xF0;
        assert_eq!(correct(&cells, &new, Some(&old)), None);
    }
}
