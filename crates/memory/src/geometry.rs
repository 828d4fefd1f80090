//! The sizes and programming rules of a flash memory, and the checks that follow from them.

use core::fmt;
use core::ops::Range;

use crate::{FlashError, FlashErrorKind};

/// The sizes of a flash memory and the rules for programming it.
///
/// NOR flash has pages of 256 bytes without spare area, a granule of one byte, and lets every page
/// be programmed any number of times in any order. SLC NAND has pages of 2048 + 128 bytes, say,
/// that go in order and take four programs, and with an ECC on the chip takes each sector of 512
/// bytes once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Bytes in the main area of a page, which starts at column 0. One program stays within one
    /// page.
    pub page_bytes: u32,
    /// Bytes in the spare area of a page, which follows the main area; 0 where there is none. The
    /// caller leaves those of them alone that the data sheet keeps for marks and for the ECC.
    pub spare_bytes: u32,
    /// Pages in a block, which is what one erase erases.
    pub pages_per_block: u32,
    /// Blocks in the memory, bad ones included.
    pub blocks: u32,
    /// The granule of programming in bytes: the column and the length of a program are multiples
    /// of it. It divides `page_bytes` and `spare_bytes`.
    pub program_bytes: u32,
    /// How many programs a page takes between two erases of its block (NOP, "number of partial
    /// programs"); `None` where there is no limit.
    pub programs_per_page: Option<u32>,
    /// The unit of the main area, in bytes, that takes one program between two erases because an
    /// ECC covers it whole: once any byte of it was programmed, all of it is refused. A granule of
    /// the spare area takes one program then, too. `None` where a program may clear more bits of
    /// what was programmed before. It divides `page_bytes`, and `program_bytes` divides it.
    pub once_bytes: Option<u32>,
    /// Whether the pages of a block must be programmed in rising order: never a page below one
    /// that was programmed since the erase. Pages may be left out.
    pub in_order: bool,
}

impl Geometry {
    /// Whether the figures agree: no size but `spare_bytes` is 0, the granule divides both areas,
    /// units that are programmed once divide the main area into whole granules, a page takes a
    /// program, and pages and columns are counted in 32 bits.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        let units_fit = match self.once_bytes {
            Some(unit) => {
                unit > 0
                    && self.page_bytes.is_multiple_of(unit)
                    && unit.is_multiple_of(self.program_bytes)
            }
            None => true,
        };
        units_fit
            && self.page_bytes > 0
            && self.pages_per_block > 0
            && self.blocks > 0
            && self.page_bytes.is_multiple_of(self.program_bytes)
            && self.spare_bytes.is_multiple_of(self.program_bytes)
            && !matches!(self.programs_per_page, Some(0))
            && self.pages() <= u32::MAX as u64
            && self.columns() <= u32::MAX as u64
    }

    /// Bytes in a page, main and spare area together.
    #[must_use]
    pub const fn columns(&self) -> u64 {
        self.page_bytes as u64 + self.spare_bytes as u64
    }

    /// Pages in the memory.
    #[must_use]
    pub const fn pages(&self) -> u64 {
        self.pages_per_block as u64 * self.blocks as u64
    }

    /// Bytes in the main areas of a block.
    #[must_use]
    pub const fn block_bytes(&self) -> u64 {
        self.page_bytes as u64 * self.pages_per_block as u64
    }

    /// Bytes in the main areas of the memory, bad blocks included.
    #[must_use]
    pub const fn capacity_bytes(&self) -> u64 {
        self.block_bytes().saturating_mul(self.blocks as u64)
    }

    /// The block that a page lies in. The geometry is [valid](Geometry::is_valid).
    #[must_use]
    pub const fn block_of(&self, page: u32) -> u32 {
        page / self.pages_per_block
    }

    /// The pages of a block that lies in the memory.
    #[must_use]
    pub const fn pages_of(&self, block: u32) -> Range<u32> {
        let first = block * self.pages_per_block;
        first..first + self.pages_per_block
    }

    /// The units of a page that a range touches, of which each takes one program between two
    /// erases: those of [`once_bytes`](Geometry::once_bytes) from 0 on, then the granules of the
    /// spare area. `None` where the geometry has no such units. The geometry is
    /// [valid](Geometry::is_valid), and the range lies in the page.
    ///
    /// ```
    /// use wordline_memory::Geometry;
    /// let nand = Geometry {
    ///     page_bytes: 2048,
    ///     spare_bytes: 64,
    ///     pages_per_block: 64,
    ///     blocks: 1024,
    ///     program_bytes: 16,
    ///     programs_per_page: Some(4),
    ///     once_bytes: Some(512),
    ///     in_order: true,
    /// };
    /// assert_eq!(nand.once_units(496, 32), Some(0..2));
    /// assert_eq!(nand.once_units(2032, 48), Some(3..6));
    /// assert_eq!(nand.once_unit_start(5), 2064);
    /// ```
    #[must_use]
    pub const fn once_units(&self, column: u32, bytes: u32) -> Option<Range<u32>> {
        let Some(unit) = self.once_bytes else {
            return None;
        };
        if bytes == 0 {
            return Some(0..0);
        }
        let first = self.once_unit(unit, column);
        Some(first..self.once_unit(unit, column + (bytes - 1)) + 1)
    }

    /// The unit that a column belongs to, where those of the main area have `unit` bytes.
    const fn once_unit(&self, unit: u32, column: u32) -> u32 {
        if column < self.page_bytes {
            column / unit
        } else {
            self.page_bytes / unit + (column - self.page_bytes) / self.program_bytes
        }
    }

    /// The first column of one of the [units](Geometry::once_units) that take one program, or of the
    /// column of that number where the geometry has none.
    #[must_use]
    pub const fn once_unit_start(&self, unit: u32) -> u32 {
        let Some(bytes) = self.once_bytes else {
            return unit;
        };
        let units = self.page_bytes / bytes;
        if unit < units {
            unit * bytes
        } else {
            self.page_bytes + (unit - units) * self.program_bytes
        }
    }

    /// Checks that a block lies in the memory.
    ///
    /// # Errors
    /// [`FlashMisuse::NoSuchBlock`].
    pub const fn check_block(&self, block: u32) -> Result<(), FlashMisuse> {
        if block < self.blocks {
            Ok(())
        } else {
            Err(FlashMisuse::NoSuchBlock {
                block,
                blocks: self.blocks,
            })
        }
    }

    /// Checks a read of `bytes` bytes.
    ///
    /// # Errors
    /// [`FlashMisuse::NoSuchPage`] or [`FlashMisuse::LeavesPage`].
    pub fn check_read(&self, page: u32, column: u32, bytes: u64) -> Result<(), FlashMisuse> {
        if u64::from(page) >= self.pages() {
            return Err(FlashMisuse::NoSuchPage {
                page,
                pages: self.pages(),
            });
        }
        match u64::from(column).checked_add(bytes) {
            Some(end) if end <= self.columns() => Ok(()),
            _ => Err(FlashMisuse::LeavesPage {
                column,
                bytes,
                columns: self.columns(),
            }),
        }
    }

    /// Checks the range of a program of `bytes` bytes. The rules that depend on what was
    /// programmed before are left to the device.
    ///
    /// # Errors
    /// Those of [`check_read`](Geometry::check_read), and [`FlashMisuse::OffGranule`].
    pub fn check_program(&self, page: u32, column: u32, bytes: u64) -> Result<(), FlashMisuse> {
        self.check_read(page, column, bytes)?;
        let granule = self.program_bytes;
        // Any range consists of bytes, and division takes long.
        if granule == 1
            || column.is_multiple_of(granule) && bytes.is_multiple_of(u64::from(granule))
        {
            Ok(())
        } else {
            Err(FlashMisuse::OffGranule {
                column,
                bytes,
                granule,
            })
        }
    }
}

/// How a caller broke the rules of a flash memory. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashMisuse {
    /// The page lies outside the memory.
    NoSuchPage {
        /// The page asked for.
        page: u32,
        /// Pages in the memory.
        pages: u64,
    },
    /// The block lies outside the memory.
    NoSuchBlock {
        /// The block asked for.
        block: u32,
        /// Blocks in the memory.
        blocks: u32,
    },
    /// The range leaves its page.
    LeavesPage {
        /// First byte of the range within the page.
        column: u32,
        /// Length of the range in bytes.
        bytes: u64,
        /// Bytes in a page, spare area included.
        columns: u64,
    },
    /// The range of a program does not start and end between two granules.
    OffGranule {
        /// First byte of the range within the page.
        column: u32,
        /// Length of the range in bytes.
        bytes: u64,
        /// The granule of programming in bytes.
        granule: u32,
    },
    /// A later page of the block has been programmed since the erase.
    OutOfOrder {
        /// The page asked for.
        page: u32,
        /// A later page of its block that has been programmed.
        later: u32,
    },
    /// The page took all its programs since the erase.
    TooManyPrograms {
        /// The page asked for.
        page: u32,
        /// How many programs a page takes.
        allowed: u32,
    },
    /// An erase of the block was begun and has not ended, or one of another block where one is to begin.
    InErase {
        /// The block in erase.
        block: u32,
    },
    /// The unit that an ECC covers has been programmed since the erase and takes no second program.
    Reprogram {
        /// The page asked for.
        page: u32,
        /// The first byte of the range whose unit has been programmed.
        column: u32,
    },
}

impl fmt::Display for FlashMisuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSuchPage { page, pages } => {
                write!(f, "page {page} lies outside a memory of {pages} pages")
            }
            Self::NoSuchBlock { block, blocks } => {
                write!(
                    f,
                    "block {block} lies outside a memory of {blocks} blocks, which are numbered from 0"
                )
            }
            Self::LeavesPage {
                column,
                bytes,
                columns,
            } => write!(
                f,
                "{bytes} bytes at column {column} leave a page of {columns} bytes"
            ),
            Self::OffGranule {
                column,
                bytes,
                granule,
            } => write!(
                f,
                "a program of {bytes} bytes at column {column} does not fill granules of \
                 {granule} bytes"
            ),
            Self::OutOfOrder { page, later } => write!(
                f,
                "page {page} cannot be programmed after page {later} of the same block; erase the \
                 block first"
            ),
            Self::TooManyPrograms { page, allowed } => write!(
                f,
                "page {page} took all {allowed} programs that it stands between two erases; write more of \
                 it at once, or erase its block first"
            ),
            Self::InErase { block } => write!(
                f,
                "block {block} is being erased; advance its erase to the end first"
            ),
            Self::Reprogram { page, column } => write!(
                f,
                "column {column} of page {page} lies in a unit that has been programmed; erase its block \
                 first"
            ),
        }
    }
}

impl core::error::Error for FlashMisuse {}

impl FlashError for FlashMisuse {
    fn kind(&self) -> FlashErrorKind {
        FlashErrorKind::Misuse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAND: Geometry = Geometry {
        page_bytes: 2048,
        spare_bytes: 128,
        pages_per_block: 64,
        blocks: 1024,
        program_bytes: 16,
        programs_per_page: Some(4),
        once_bytes: Some(512),
        in_order: true,
    };

    #[test]
    fn a_one_gigabit_nand_counts_its_main_areas() {
        assert!(NAND.is_valid());
        assert_eq!(NAND.capacity_bytes(), 128 << 20);
        assert_eq!(NAND.block_bytes(), 128 << 10);
        assert_eq!(NAND.pages(), 65536);
        assert_eq!(NAND.columns(), 2176);
        assert_eq!(NAND.block_of(63), 0);
        assert_eq!(NAND.block_of(64), 1);
        assert_eq!(NAND.pages_of(1023), 65472..65536);
    }

    #[test]
    fn figures_that_disagree_are_refused() {
        type Spoil = fn(&mut Geometry);
        let spoilt: [Spoil; 13] = [
            |g| g.page_bytes = 0,
            |g| g.pages_per_block = 0,
            |g| g.blocks = 0,
            |g| g.program_bytes = 0,
            |g| g.program_bytes = 48,
            |g| g.program_bytes = 256,
            |g| g.page_bytes = 2056,
            |g| g.programs_per_page = Some(0),
            |g| g.once_bytes = Some(0),
            |g| g.once_bytes = Some(8),
            |g| g.once_bytes = Some(768),
            |g| g.blocks = u32::MAX,
            |g| (g.page_bytes, g.spare_bytes) = (1 << 31, 1 << 31),
        ];
        for spoil in spoilt {
            let mut geometry = NAND;
            spoil(&mut geometry);
            assert!(!geometry.is_valid(), "{geometry:?}");
        }
    }

    #[test]
    fn a_range_touches_whole_units_and_granules_of_the_spare_area() {
        for (column, bytes, units) in [
            (0, 512, 0..1),
            (511, 2, 0..2),
            (2047, 1, 3..4),
            (0, 2176, 0..12),
            (2048, 16, 4..5),
            (2063, 2, 4..6),
            (2175, 1, 11..12),
            (7, 0, 0..0),
        ] {
            assert_eq!(NAND.once_units(column, bytes), Some(units), "{column}");
        }
        assert_eq!(NAND.once_unit_start(3), 1536);
        assert_eq!(NAND.once_unit_start(4), 2048);
        assert_eq!(NAND.once_unit_start(11), 2160);
        let again = Geometry {
            once_bytes: None,
            ..NAND
        };
        assert!(again.is_valid());
        assert_eq!(again.once_units(0, 1), None);
    }

    #[test]
    fn ranges_end_with_the_page_and_the_memory() {
        assert_eq!(NAND.check_read(65535, 2175, 1), Ok(()));
        assert_eq!(NAND.check_read(0, 2176, 0), Ok(()));
        let past = FlashMisuse::NoSuchPage {
            page: 65536,
            pages: 65536,
        };
        assert_eq!(NAND.check_read(65536, 0, 0), Err(past));
        for (column, bytes) in [(2175, 2), (2177, 0), (1, u64::MAX)] {
            let leaves = FlashMisuse::LeavesPage {
                column,
                bytes,
                columns: 2176,
            };
            assert_eq!(NAND.check_read(0, column, bytes), Err(leaves));
            assert_eq!(NAND.check_program(0, column, bytes), Err(leaves));
        }
        assert_eq!(NAND.check_block(1023), Ok(()));
        assert_eq!(
            NAND.check_block(1024),
            Err(FlashMisuse::NoSuchBlock {
                block: 1024,
                blocks: 1024
            })
        );
    }

    #[test]
    fn a_program_fills_whole_granules() {
        assert_eq!(NAND.check_program(0, 2048, 32), Ok(()));
        for (column, bytes) in [(8, 16), (16, 8)] {
            let off = FlashMisuse::OffGranule {
                column,
                bytes,
                granule: 16,
            };
            assert_eq!(NAND.check_program(0, column, bytes), Err(off));
            assert_eq!(off.kind(), FlashErrorKind::Misuse);
        }
    }
}
