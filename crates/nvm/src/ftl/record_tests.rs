use proptest::prelude::*;

use super::*;
use crate::fixture::nand_sheet_with;

#[test]
fn the_check_is_the_one_of_ethernet() {
    // The check value that catalogues of CRC algorithms list for "123456789".
    assert_eq!(crc32(&[b"123456789"]), 0xCBF4_3926);
    assert_eq!(crc32(&[b"12345", b"6789"]), 0xCBF4_3926);
}

fn stored() -> impl Strategy<Value = StoredRecord> {
    let role = prop_oneof![
        Just(Role::Page(PageKind::Data)),
        Just(Role::Page(PageKind::Filler)),
        Just(Role::Summary),
        Just(Role::Mark),
    ];
    let mode = prop_oneof![Just(CellMode::Native), Just(CellMode::Slc)];
    (role, mode, any::<u32>(), 0..1u64 << SEQUENCE_BITS).prop_map(
        |(role, mode, logical, sequence)| StoredRecord {
            role,
            mode,
            logical,
            sequence,
        },
    )
}

proptest! {
    #[test]
    fn a_record_is_found_as_it_was_stored(stored in stored(), main in any::<[u8; 37]>()) {
        let bytes = stored.encode(&main);
        prop_assert!(bytes != [0xFF; RECORD_BYTES]);
        prop_assert_eq!(StoredRecord::decode(bytes, &main, true), Some(stored));
    }

    #[test]
    fn a_wrong_bit_anywhere_is_noticed(stored in stored(), main in any::<[u8; 37]>(), bit in 0..8 * 52usize) {
        let mut page = main.to_vec();
        page.extend(stored.encode(&main));
        page[bit / 8] ^= 1 << (bit % 8);
        let (main, record) = page.split_at(37);
        let record = record.try_into().expect("15 bytes");
        prop_assert_eq!(StoredRecord::decode(record, main, true), None);
    }

    #[test]
    fn a_summary_lists_what_it_was_given(
        records in proptest::collection::vec((any::<bool>(), any::<u32>(), 0..1u64 << SEQUENCE_BITS), 0..200),
        page_bytes in 64usize..600,
    ) {
        let records: Vec<PageRecord> = records
            .into_iter()
            .map(|(filler, logical, sequence)| PageRecord {
                kind: if filler { PageKind::Filler } else { PageKind::Data },
                logical,
                sequence,
            })
            .collect();
        let pages = summary_pages(page_bytes as u32, records.len() as u32 + 40);
        let mut found = Vec::new();
        for main in encode_summary(&records, 7, page_bytes, pages) {
            prop_assert_eq!(main.len(), page_bytes);
            prop_assert_eq!(decode_summary(&main, &mut found), Some(7));
        }
        prop_assert_eq!(found, records);
    }

    #[test]
    fn no_bytes_make_a_summary_panic(main in proptest::collection::vec(any::<u8>(), 0..80)) {
        decode_summary(&main, &mut Vec::new());
    }
}

#[test]
fn erased_bytes_are_no_record() {
    assert_eq!(
        StoredRecord::decode([0xFF; RECORD_BYTES], &[0xFF; 64], false),
        None
    );
    assert_eq!(decode_summary(&[0xFF; 64], &mut Vec::new()), None);
}

#[test]
fn a_summary_takes_as_many_pages_as_it_needs() {
    assert_eq!(summary_pages(2048, 64), 1);
    assert_eq!(summary_pages(2048, 128), 1);
    assert_eq!(summary_pages(512, 32), 1);
    // (512 − 8) / 11 = 45 lines, and 62 pages to list.
    assert_eq!(summary_pages(512, 64), 2);
}

#[test]
fn epochs_leave_room_and_never_go_back() {
    assert_eq!(next_epoch(0), 1 << 24);
    assert_eq!(next_epoch((1 << 24) + 5), 2 << 24);
}

#[test]
fn records_go_where_the_ecc_on_the_die_covers_them() {
    let sheet = nand_sheet_with("", "");
    let layout = SpareLayout::of(&sheet).expect("16 bytes are protected");
    assert_eq!(layout.columns, std::array::from_fn(|byte| 16 + byte as u32));
    let few = nand_sheet_with(
        "[\"16..20\", \"20..24\", \"24..28\", \"28..32\"]",
        "[\"16..20\", \"20..24\"]",
    );
    let small = LayoutError::TooSmall {
        found: 8,
        needed: 15,
    };
    assert_eq!(SpareLayout::of(&few), Err(small));
}

#[test]
fn records_go_between_the_mark_and_the_check_bits_of_the_driver() {
    let text = include_str!("../../tests/data/parallel_nand.toml");
    let mut sheet: NandSheet = toml::from_str(text).expect("well-formed");
    // 4 bits in 512 bytes: 52 bits, which end the 64 bytes of spare area.
    let layout = SpareLayout::of(&sheet).expect("room for a record");
    assert_eq!(layout.columns, std::array::from_fn(|byte| 1 + byte as u32));
    let small = text.replace("\"64 B\"", "\"16 B\"");
    sheet = toml::from_str(&small).expect("well-formed");
    let small = LayoutError::TooSmall {
        found: 8,
        needed: 15,
    };
    assert_eq!(SpareLayout::of(&sheet), Err(small));
}

#[test]
fn a_layout_must_fit_its_spare_area() {
    let geometry = nand_sheet_with("", "").geometry();
    let layout = SpareLayout::behind_mark(&geometry).expect("64 bytes");
    assert_eq!(layout.check(&geometry), Ok(()));
    let nor = Geometry {
        spare_bytes: 0,
        ..geometry
    };
    assert_eq!(SpareLayout::behind_mark(&nor), Err(LayoutError::NoSpare));
    assert_eq!(layout.check(&nor), Err(LayoutError::NoSpare));
    let outside = SpareLayout::new(std::iter::once(60..80)).expect("enough bytes");
    let column = LayoutError::Column {
        column: 64,
        spare_bytes: 64,
    };
    assert_eq!(outside.check(&geometry), Err(column));
    assert!(matches!(
        SpareLayout::new([0..8, 4..20]),
        Err(LayoutError::Column { column: 4, .. })
    ));
}
