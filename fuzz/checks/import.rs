//! Whatever is given as a dump, it is refused with a place inside it, or decodes into fields inside it
//! and a sheet that keeps to itself.

use wordline_catalog::import::{
    ChipClaims, DumpFormat, DumpIndex, ImportError, ImportErrors, Page, disagreements, dump_bytes,
    import,
};

/// Panics when a promise is broken. Returns whether a page was read.
pub(crate) fn check(data: &[u8]) -> bool {
    // As a file, which may be text, and as the bytes themselves; a text may be an index of dumps.
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(mut index) = text.parse::<DumpIndex>()
    {
        let known = index.entries.len();
        assert!(index.add_figures(text).is_err() || index.entries.len() == known);
    }
    let from_file = match dump_bytes(data) {
        Ok(bytes) => {
            assert!(!bytes.is_empty(), "an empty dump");
            decode(&bytes)
        }
        Err(error) => {
            refused(&error, data.len());
            false
        }
    };
    decode(data) | decode(&with_right_crc(data)) | from_file
}

/// The input as an ONFI page whose signature and CRC are right: what lies behind the CRC is seldom
/// reached otherwise. The CRC is computed bit by bit, as the standard draws it.
fn with_right_crc(data: &[u8]) -> Vec<u8> {
    let mut page = data.to_vec();
    page.resize(256, 0);
    page[..4].copy_from_slice(b"ONFI");
    let mut crc = 0x4F4E_u16;
    for bit in 0..254 * 8 {
        let input = page[bit / 8] >> (7 - bit % 8) & 1 == 1;
        let feedback = (crc & 0x8000 != 0) != input;
        crc <<= 1;
        if feedback {
            crc ^= 0x8005;
        }
    }
    page[254..].copy_from_slice(&crc.to_le_bytes());
    let error = import(&page, None).err();
    let told = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(
        !told.contains("CRC stored"),
        "a right CRC is refused: {told}"
    );
    page
}

fn decode(bytes: &[u8]) -> bool {
    let mut read = false;
    for kind in [None, Some(DumpFormat::Sfdp), Some(DumpFormat::Onfi)] {
        match import(bytes, kind) {
            Ok(page) => {
                decoded(&page, bytes.len());
                assert_eq!(Ok(page), import(bytes, kind), "a second reading differs");
                read = true;
            }
            Err(ImportErrors(errors)) => {
                assert!(!errors.is_empty(), "refused without a reason");
                errors.iter().for_each(|error| refused(error, bytes.len()));
            }
        }
    }
    read
}

fn refused(error: &ImportError, length: usize) {
    // A page that is cut off is wrong where its missing part would stand.
    assert!(error.offset <= length.max(1 << 20), "{error}");
    for text in [&error.fault, &error.found, &error.allowed] {
        assert!(!text.is_empty() && text.len() < 8_192, "{error}");
    }
}

fn decoded(page: &Page, length: usize) {
    assert!(!page.title.is_empty() && !page.fields.is_empty());
    for field in &page.fields {
        assert!(field.offset < length, "{field:?}");
        assert!(!field.name.is_empty() && !field.raw.is_empty(), "{field:?}");
    }
    page.contradictions
        .iter()
        .for_each(|error| refused(error, length));
    let claims = ChipClaims {
        part: Some("w25q128jv".to_owned()),
        jedec_id: Some("EF4018".parse().expect("an id")),
        ..ChipClaims::default()
    };
    let check = claims.check(page);
    let against = check.refused.iter().chain(&check.contradictions);
    against.for_each(|error| refused(error, length));
    for claims in [ChipClaims::default(), claims] {
        let sheet = page.sheet(&claims);
        let advised = page.sheet_with_advice(&claims);
        assert!(
            sheet.lines().all(|line| advised.contains(line)),
            "{advised}"
        );
        let plain = |c: char| c == ' ' || c == '\n' || c.is_ascii_graphic();
        assert!(advised.chars().all(plain), "{advised:?}");
        assert!(disagreements(page, &sheet).is_empty(), "{sheet}");
    }
}
