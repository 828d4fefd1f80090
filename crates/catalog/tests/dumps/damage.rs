//! Real dumps with flipped bits, and cut short: read or refused, never more than that.

use proptest::prelude::*;
use wordline_catalog::import::{ChipClaims, import};

use super::dumps;

/// Reads damaged bytes and whatever can be made of them.
fn read(bytes: &[u8], claims: &ChipClaims) -> Result<(), TestCaseError> {
    match import(bytes, None) {
        Ok(page) => {
            let inside = page.fields.iter().all(|field| field.offset < bytes.len());
            prop_assert!(inside, "{:?}", page.fields);
            let check = claims.check(&page);
            let errors = check.refused.iter().chain(&check.contradictions);
            for error in errors.chain(&page.contradictions) {
                prop_assert!(error.offset < bytes.len(), "{}", error);
            }
            for sheet in [page.sheet(claims), page.sheet_with_advice(claims)] {
                prop_assert!(sheet.parse::<toml::Table>().is_ok(), "{}", sheet);
            }
        }
        Err(errors) => {
            prop_assert!(!errors.0.is_empty());
            for error in &errors.0 {
                prop_assert!(error.offset <= bytes.len(), "{}", error);
            }
        }
    }
    Ok(())
}

#[test]
fn every_dump_that_is_cut_short_is_read_or_refused() {
    for (entry, bytes) in dumps() {
        for length in 0..bytes.len() {
            let read = read(&bytes[..length], &entry.claims);
            assert!(read.is_ok(), "{} cut at {length}: {read:?}", entry.file);
        }
    }
}

proptest! {
    #[test]
    fn every_dump_with_flipped_bits_is_read_or_refused(
        dump in any::<prop::sample::Index>(),
        bits in proptest::collection::vec(any::<prop::sample::Index>(), 1..9),
    ) {
        let dumps = dumps();
        let (entry, bytes) = dump.get(&dumps);
        let mut bytes = bytes.clone();
        for bit in &bits {
            let bit = bit.index(8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        read(&bytes, &entry.claims)?;
    }
}
