use proptest::prelude::*;

use super::{AddressError, AddressField, AddressMap, AddressMapping, DecodedAddress, Digit};
use crate::config::{ChannelGeometry, SystemConfig};
use crate::request::Location;
use crate::system::sample::rdimm_6400;

/// A system of given extents (in the order of the fields) and digits.
fn system(extents: [u32; 8], digits: Vec<Digit>, hash: bool) -> SystemConfig {
    let mut config = rdimm_6400();
    let [
        channels,
        sub_channels,
        pseudo_channels,
        ranks,
        groups,
        banks,
        rows,
        columns,
    ] = extents;
    config.channels = channels;
    config.sub_channels = sub_channels;
    config.sub_channel.geometry = ChannelGeometry {
        pseudo_channels: pseudo_channels as u8,
        ranks: ranks as u8,
        slices: 1,
        groups: groups as u8,
        banks: banks as u8,
        refresh_sets: banks as u8,
        rows,
        columns: columns as u16,
    };
    config.mapping = AddressMapping { digits, hash };
    config
}

/// One digit a field, in the order of the fields.
fn plain(extents: [u32; 8]) -> Vec<Digit> {
    let digits = AddressField::ALL.into_iter().zip(extents);
    digits
        .map(|(field, radix)| Digit { field, radix })
        .collect()
}

fn problem(config: &SystemConfig) -> String {
    AddressMap::new(config)
        .expect_err("a wrong configuration")
        .to_string()
}

/// Small systems with any radices: each field is the product of its digits, and the digits lie in any order.
fn systems() -> impl Strategy<Value = SystemConfig> {
    let digits = prop::collection::vec((0usize..8, 1u32..6), 1..9).prop_shuffle();
    (digits, any::<bool>()).prop_map(|(digits, hash)| {
        let mut extents = [1u32; 8];
        let mut kept = Vec::new();
        for (field, radix) in digits {
            // A sub-channel has no more of these than a byte names.
            let named = AddressField::ALL[field];
            let power = matches!(named, AddressField::Group | AddressField::Bank);
            let radix = if power && hash {
                radix.next_power_of_two().min(4)
            } else {
                radix
            };
            if extents[field] * radix <= 200 {
                extents[field] *= radix;
                kept.push(Digit {
                    field: named,
                    radix,
                });
            }
        }
        system(extents, kept, hash)
    })
}

proptest! {
    /// Every line has one place, every place one line, and no field is out of its range.
    #[test]
    fn lines_and_places_correspond_one_to_one(config in systems()) {
        let map = AddressMap::new(&config).expect("radices fit");
        let geometry = &config.sub_channel.geometry;
        let lines = config.bytes() / 64;
        prop_assume!(lines <= 60_000);
        let mut seen = std::collections::HashSet::new();
        for line in 0..lines {
            let place = map.decode(line * 64).expect("inside");
            prop_assert!(place.channel < config.channels && place.sub_channel < config.sub_channels);
            let at = place.location;
            prop_assert!(at.pseudo_channel < geometry.pseudo_channels && at.rank < geometry.ranks);
            prop_assert!(at.group < geometry.groups && at.bank < geometry.banks);
            prop_assert!(at.row < geometry.rows && at.column < geometry.columns);
            prop_assert!(seen.insert(place));
            prop_assert_eq!(map.encode(&place), Ok(line * 64));
        }
    }

    /// The digits are what repeated division gives, in memories of real size too.
    #[test]
    fn digits_are_those_of_long_division(
        rows in 1u32..200_000, channels in 1u32..17, columns in 1u32..1024, line in any::<u64>(),
    ) {
        let extents = [channels, 2, 2, 2, 8, 4, rows, columns];
        let config = system(extents, plain(extents), false);
        let map = AddressMap::new(&config).expect("radices fit");
        let line = line % (map.bytes() / 64);
        let mut rest = line;
        let mut digits = extents.map(|radix| {
            let digit = rest % u64::from(radix);
            rest /= u64::from(radix);
            digit
        }).into_iter();
        let place = map.decode(line * 64).expect("inside");
        let mut next = || digits.next().expect("eight fields");
        prop_assert_eq!(u64::from(place.channel), next());
        prop_assert_eq!(u64::from(place.sub_channel), next());
        prop_assert_eq!(u64::from(place.location.pseudo_channel), next());
        prop_assert_eq!(u64::from(place.location.rank), next());
        prop_assert_eq!(u64::from(place.location.group), next());
        prop_assert_eq!(u64::from(place.location.bank), next());
        prop_assert_eq!(u64::from(place.location.row), next());
        prop_assert_eq!(u64::from(place.location.column), next());
        prop_assert_eq!(map.encode(&place), Ok(line * 64));
    }
}

#[test]
fn the_hash_moves_neighbouring_rows_to_other_banks() {
    let extents = [1, 1, 1, 1, 8, 4, 1024, 64];
    let digits = [
        AddressField::Column,
        AddressField::Group,
        AddressField::Bank,
        AddressField::Row,
    ]
    .map(|field| Digit {
        field,
        radix: extents[field as usize],
    });
    let map = AddressMap::new(&system(extents, digits.to_vec(), true)).expect("powers of two");
    let row_bytes = 64 * 64 * 32;
    let place = |row: u64| map.decode(row * row_bytes).expect("inside").location;
    for row in 0..1024 {
        let at = place(row);
        assert_eq!(u64::from(at.row), row);
        assert_eq!(u64::from(at.group), row % 8);
        assert_eq!(u64::from(at.bank), row / 8 % 4);
    }
}

#[test]
fn addresses_outside_are_named() {
    let map = AddressMap::new(&rdimm_6400()).expect("a sound system");
    assert_eq!(map.bytes(), 12 * 2 * (2 * 8 * 4 * 65_536 * 64 * 64));
    let bytes = map.bytes();
    for address in [bytes, u64::MAX - 63] {
        assert_eq!(
            map.decode(address),
            Err(AddressError::OutOfRange { address, bytes })
        );
    }
    for address in [1, 63, bytes - 1, u64::MAX] {
        assert_eq!(
            map.decode(address),
            Err(AddressError::Unaligned { address })
        );
    }
    assert!(map.decode(bytes - 64).is_ok());
}

#[test]
fn places_outside_are_named() {
    let map = AddressMap::new(&rdimm_6400()).expect("a sound system");
    let wrong = |field, value, max, place: DecodedAddress| {
        let error = AddressError::NoSuchPlace { field, value, max };
        assert_eq!(map.encode(&place), Err(error));
    };
    let at = |location| DecodedAddress {
        location,
        ..DecodedAddress::default()
    };
    wrong(
        AddressField::Channel,
        12,
        11,
        DecodedAddress {
            channel: 12,
            ..DecodedAddress::default()
        },
    );
    wrong(
        AddressField::SubChannel,
        2,
        1,
        DecodedAddress {
            sub_channel: 2,
            ..DecodedAddress::default()
        },
    );
    wrong(
        AddressField::PseudoChannel,
        1,
        0,
        at(Location {
            pseudo_channel: 1,
            ..Location::default()
        }),
    );
    wrong(
        AddressField::Rank,
        2,
        1,
        at(Location {
            rank: 2,
            ..Location::default()
        }),
    );
    wrong(
        AddressField::Group,
        8,
        7,
        at(Location {
            group: 8,
            ..Location::default()
        }),
    );
    wrong(
        AddressField::Bank,
        255,
        3,
        at(Location {
            bank: 255,
            ..Location::default()
        }),
    );
    wrong(
        AddressField::Row,
        65_536,
        65_535,
        at(Location {
            row: 65_536,
            ..Location::default()
        }),
    );
    wrong(
        AddressField::Column,
        64,
        63,
        at(Location {
            column: 64,
            ..Location::default()
        }),
    );
}

#[test]
fn wrong_digits_are_named() {
    let sound = rdimm_6400();
    let mut config = sound.clone();
    config.mapping.digits.pop();
    assert!(problem(&config).contains("digits of the row give 1 values; the system has 65536"));
    config.mapping.digits.push(Digit {
        field: AddressField::Row,
        radix: 0,
    });
    assert!(problem(&config).contains("digit 8 (row) has radix 0"));
    config.mapping.digits.pop();
    for _ in 0..5 {
        config.mapping.digits.push(Digit {
            field: AddressField::Row,
            radix: u32::MAX,
        });
    }
    assert!(problem(&config).contains("digits of the row give 18446744073709551615 values"));
    let mut config = sound.clone();
    config.sub_channel.geometry.banks = 0;
    assert!(problem(&config).starts_with("geometry.banks: is 0"));
    let mut config = sound;
    config.sub_channel.geometry.groups = 6;
    config
        .mapping
        .digits
        .retain(|digit| digit.field != AddressField::Group);
    config.mapping.digits.push(Digit {
        field: AddressField::Group,
        radix: 6,
    });
    assert!(problem(&config).contains("bank group has 6 values; only powers of two"));
    config.mapping.hash = false;
    assert!(AddressMap::new(&config).is_ok());
}

#[test]
fn memories_that_no_address_reaches_are_refused() {
    let extents = [u32::MAX, u32::MAX, 255, 255, 255, 255, u32::MAX, 65_535];
    assert!(problem(&system(extents, plain(extents), false)).contains("more lines than"));
}
