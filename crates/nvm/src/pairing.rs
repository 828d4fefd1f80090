//! Which pages of a multi-level-cell NAND share their cells.

use serde::Deserialize;

/// How the pages of a block are paired on NAND with two bits a cell.
///
/// The lower page is programmed first. The program of the upper page moves the same cells again, so
/// that a power cut within it can destroy the lower page, which was committed long before.
///
/// ```
/// use wordline_nvm::Pairing;
/// assert_eq!(Pairing::Distance3.lower_of(6, 128), Some(3));
/// assert_eq!(Pairing::Distance3.upper_of(3, 128), Some(6));
/// assert_eq!(Pairing::Distance3.lower_of(3, 128), None); // is a lower page itself
/// assert_eq!(Pairing::Distance6.lower_of(8, 128), Some(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Pairing {
    /// Lower pages 0, 1, 3, 5, …; upper pages 2, 4, 6, … and the last: (0, 2), (1, 4), (3, 6), ….
    /// Blocks of an even number of pages.
    ///
    /// Source: Linux, drivers/mtd/nand/raw/nand_base.c, `dist3_pairing_scheme`. The last page is an
    /// upper one at distance 2, as `nand_pairing_dist3_get_wunit` has it.
    #[serde(rename = "distance-3")]
    Distance3,
    /// Lower pages 0, 1, 2, 3, 6, 7, 10, 11, …; upper pages 4, 5, 8, 9, 12, 13, … and the last two:
    /// (0, 4), (1, 5), (2, 8), (3, 9), (6, 12), (7, 13), …, of chips whose even and odd bit lines are
    /// pages of their own. Blocks of a multiple of 4 pages, 8 at least.
    #[serde(rename = "distance-6")]
    Distance6,
}

impl Pairing {
    /// The lower page that shares its cells with a page, both counted within their block; `None` for
    /// a page that is a lower one itself, lies outside the block, or in a block that the scheme does
    /// not know.
    #[must_use]
    pub const fn lower_of(self, page: u32, pages_per_block: u32) -> Option<u32> {
        if !self.knows(page, pages_per_block) {
            return None;
        }
        let left = pages_per_block - page;
        match self {
            Self::Distance3 => match page {
                0 => None,
                // The first pair and the last one are closer.
                2 => Some(0),
                _ if left == 1 => Some(page.saturating_sub(2)),
                _ if page.is_multiple_of(2) => Some(page - 3),
                _ => None,
            },
            Self::Distance6 => match page {
                0..4 => None,
                4 | 5 => Some(page - 4),
                _ if left <= 2 => Some(page - 4),
                _ if page % 4 < 2 => Some(page - 6),
                _ => None,
            },
        }
    }

    /// The upper page that shares its cells with a page, as [`lower_of`](Pairing::lower_of).
    #[must_use]
    pub const fn upper_of(self, page: u32, pages_per_block: u32) -> Option<u32> {
        if !self.knows(page, pages_per_block) || self.lower_of(page, pages_per_block).is_some() {
            return None;
        }
        let last = pages_per_block - 1;
        match self {
            Self::Distance3 => {
                let upper = if page == 0 { 2 } else { page + 3 };
                Some(if upper > last { last } else { upper })
            }
            Self::Distance6 => {
                let upper = if page < 2 { page + 4 } else { page + 6 };
                Some(if upper > last { page + 4 } else { upper })
            }
        }
    }

    const fn knows(self, page: u32, pages_per_block: u32) -> bool {
        page < pages_per_block
            && match self {
                Self::Distance3 => pages_per_block.is_multiple_of(2),
                Self::Distance6 => pages_per_block.is_multiple_of(4) && pages_per_block >= 8,
            }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: [Pairing; 2] = [Pairing::Distance3, Pairing::Distance6];

    /// Every page has exactly one partner, and the lower page is programmed first.
    fn is_a_perfect_matching(pairing: Pairing, pages: u32) {
        let mut uppers = 0;
        for page in 0..pages {
            let (lower, upper) = (pairing.lower_of(page, pages), pairing.upper_of(page, pages));
            assert!(
                lower.is_some() != upper.is_some(),
                "{pairing:?}: page {page} of {pages}"
            );
            if let Some(lower) = lower {
                uppers += 1;
                assert!(lower < page, "{pairing:?}: page {page} of {pages}");
                assert_eq!(pairing.upper_of(lower, pages), Some(page));
            }
            if let Some(upper) = upper {
                assert_eq!(pairing.lower_of(upper, pages), Some(page));
            }
        }
        assert_eq!(uppers * 2, pages);
    }

    #[test]
    fn the_usual_blocks_are_matched_perfectly() {
        for pairing in BOTH {
            for pages in [64, 128, 256] {
                is_a_perfect_matching(pairing, pages);
            }
        }
    }

    proptest! {
        #[test]
        fn every_block_that_a_scheme_knows_is_matched_perfectly(quarter in 2u32..200) {
            for pairing in BOTH {
                is_a_perfect_matching(pairing, quarter * 4);
            }
            is_a_perfect_matching(Pairing::Distance3, quarter * 4 - 6);
        }

        #[test]
        fn other_blocks_and_pages_have_no_pairs(page in any::<u32>(), pages in any::<u32>()) {
            for pairing in BOTH {
                let outside = page >= pages || !pages.is_multiple_of(2);
                if outside {
                    prop_assert_eq!(pairing.lower_of(page, pages), None);
                    prop_assert_eq!(pairing.upper_of(page, pages), None);
                }
            }
        }
    }

    fn pairs(pairing: Pairing, pages: u32) -> Vec<(u32, u32)> {
        (0..pages)
            .filter_map(|lower| Some((lower, pairing.upper_of(lower, pages)?)))
            .collect()
    }

    #[test]
    fn the_pairs_are_those_of_the_sources() {
        let three = pairs(Pairing::Distance3, 128);
        assert_eq!(three[..4], [(0, 2), (1, 4), (3, 6), (5, 8)]);
        assert_eq!(three[62..], [(123, 126), (125, 127)]);
        let six = pairs(Pairing::Distance6, 128);
        assert_eq!(six[..6], [(0, 4), (1, 5), (2, 8), (3, 9), (6, 12), (7, 13)]);
        assert_eq!(six[60..], [(118, 124), (119, 125), (122, 126), (123, 127)]);
    }

    #[test]
    fn sheets_name_them() {
        #[derive(Deserialize)]
        struct Sheet {
            pairing: Vec<Pairing>,
        }
        let sheet: Sheet =
            toml::from_str("pairing = [\"distance-3\", \"distance-6\"]").expect("both names");
        assert_eq!(sheet.pairing, BOTH);
    }
}
