//! The error correction on the die, as far as its verdicts go: how many bits are wrong in each
//! codeword, and what the chip says of it.

use std::ops::Range;

use wordline_core::Resolver;
use wordline_memory::Ecc;

use super::sheet::NandSheet;
use crate::ageing::Codewords;

/// What the ECC found in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EccVerdict {
    /// The bytes are right.
    Good(Ecc),
    /// At least one codeword has more wrong bits than the ECC corrects.
    Lost,
}

/// Bytes of a codeword of the host's: sheets count its bits in so many.
const HOST_SECTOR: u32 = 512;

/// How the ECC of the die, or the one that the sheet asks of the host, looks at the main area of a page.
pub(super) fn codewords(sheet: &NandSheet) -> Option<Codewords> {
    let page_bytes = sheet.geometry().page_bytes;
    let (sector, corrects) = match (&sheet.ecc, &sheet.host_ecc_bits) {
        (Some(ecc), _) => (ecc.sector_bytes.nominal().bytes() as u32, &ecc.bits),
        (None, Some(bits)) => (HOST_SECTOR.min(page_bytes), bits),
        (None, None) => return None,
    };
    Some(Codewords {
        page_bits: page_bytes * 8,
        bits: sector * 8,
        corrects: *corrects.value(),
    })
}

/// The codewords of a page: each sector of the main area with its bytes of the spare area.
#[derive(Debug)]
pub(super) struct Code {
    page_bytes: u32,
    sector_bytes: u32,
    bits: u32,
    refresh_from: u32,
    /// The upper ends of the ranges that the status reports.
    reported: Vec<u32>,
    protected: Vec<Range<u32>>,
    parity: Vec<Range<u32>>,
}

impl Code {
    /// The code of a chip that has one.
    pub(super) fn new(sheet: &NandSheet, resolver: &mut Resolver) -> Option<Self> {
        let ecc = sheet.ecc.as_ref()?;
        let page_bytes = sheet.geometry().page_bytes;
        let sector = resolver.fixed("ecc.sector_bytes", &ecc.sector_bytes);
        for name in ["ecc.bits", "ecc.refresh_from", "ecc.parity"] {
            resolver.read(name);
        }
        let optional = [
            ("ecc.reported", ecc.reported.is_some()),
            ("ecc.protected", ecc.protected.is_some()),
        ];
        for (name, _) in optional.iter().filter(|(_, stated)| *stated) {
            resolver.read(name);
        }
        let columns = |list: &Vec<super::SpareRange>| {
            list.iter().map(|range| range.columns(page_bytes)).collect()
        };
        Some(Self {
            page_bytes,
            sector_bytes: sector.bytes() as u32,
            bits: *ecc.bits.value(),
            refresh_from: *ecc.refresh_from.value(),
            reported: ecc
                .reported
                .as_ref()
                .map(|ranges| ranges.value().iter().map(|range| range.to).collect())
                .unwrap_or_default(),
            protected: ecc
                .protected
                .as_ref()
                .map(|list| columns(list.value()))
                .unwrap_or_default(),
            parity: columns(ecc.parity.value()),
        })
    }

    /// The code that the sheet asks of the host, which covers the main area alone.
    pub(super) fn of_host(sheet: &NandSheet) -> Option<Self> {
        let bits = *sheet.host_ecc_bits.as_ref()?.value();
        let page_bytes = sheet.geometry().page_bytes;
        Some(Self {
            page_bytes,
            sector_bytes: HOST_SECTOR.min(page_bytes.max(1)),
            bits,
            refresh_from: bits,
            reported: Vec::new(),
            protected: Vec::new(),
            parity: Vec::new(),
        })
    }

    /// The columns of the parity.
    pub(super) fn parity(&self) -> &[Range<u32>] {
        &self.parity
    }

    const fn sectors(&self) -> u32 {
        self.page_bytes.div_ceil(self.sector_bytes)
    }

    /// The sector whose codeword a column belongs to, its parity included; `None` for the bytes of
    /// the spare area that the ECC leaves alone.
    pub(super) fn sector_of(&self, column: u32) -> Option<usize> {
        if column < self.page_bytes {
            return Some((column / self.sector_bytes) as usize);
        }
        let holds = |range: &Range<u32>| range.contains(&column);
        self.protected
            .iter()
            .position(holds)
            .or_else(|| self.parity.iter().position(holds))
    }

    /// The sectors whose data a range of columns touches, a bit each.
    pub(super) fn touched(&self, range: &Range<u32>) -> u64 {
        let mut sectors = 0;
        let main = range.start..range.end.min(self.page_bytes);
        if !main.is_empty() {
            let (first, last) = (
                main.start / self.sector_bytes,
                (main.end - 1) / self.sector_bytes,
            );
            sectors = u64::MAX >> (63 - (last - first)) << first;
        }
        if range.end > self.page_bytes {
            let spares = self.protected.iter().take(self.sectors() as usize);
            for (sector, _) in spares
                .enumerate()
                .filter(|(_, spare)| overlap(range, spare))
            {
                sectors |= 1 << sector;
            }
        }
        sectors
    }

    /// The first column of a range whose codeword is one of `sectors`.
    pub(super) fn first_in(&self, range: &Range<u32>, sectors: u64) -> u32 {
        let is_one = |column: &u32| {
            self.sector_of(*column)
                .is_some_and(|sector| sectors >> sector & 1 == 1)
        };
        range.clone().find(is_one).unwrap_or(range.start)
    }

    /// The first column of `data`, which begins at `column`, that holds parity and would change it.
    pub(super) fn first_parity(&self, column: u32, data: &[u8]) -> Option<u32> {
        let range = column..column + data.len() as u32;
        if range.end <= self.page_bytes {
            return None;
        }
        self.parity
            .iter()
            .flat_map(|parity| parity.start.max(range.start)..parity.end.min(range.end))
            .find(|at| data[(at - column) as usize] != 0xff)
    }

    /// Wrong bits of each codeword.
    pub(super) fn count(&self, wrong: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.sectors() as usize];
        for sector in wrong.iter().filter_map(|bit| self.sector_of(bit / 8)) {
            counts[sector] += 1;
        }
        counts
    }

    pub(super) const fn corrects(&self, wrong: u32) -> bool {
        wrong <= self.bits
    }

    /// What the status says when the worst codeword has `wrong` wrong bits.
    pub(super) fn verdict(&self, wrong: u32) -> EccVerdict {
        if wrong == 0 {
            return EccVerdict::Good(Ecc::Clean);
        }
        if !self.corrects(wrong) {
            return EccVerdict::Lost;
        }
        let told = self.reported.iter().copied().find(|end| wrong <= *end);
        let bits = told.unwrap_or(wrong);
        EccVerdict::Good(Ecc::Corrected {
            bits: u8::try_from(bits).unwrap_or(u8::MAX),
            refresh: bits >= self.refresh_from,
        })
    }
}

fn overlap(one: &Range<u32>, other: &Range<u32>) -> bool {
    one.start < other.end && other.start < one.end
}
