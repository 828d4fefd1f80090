use proptest::prelude::*;

use super::{
    AddressError, AddressField, AddressHash, AddressMap, AddressMapping, DecodedAddress, Digit,
    HashBit, HashRule,
};
use crate::config::{ChannelGeometry, SystemConfig};
use crate::request::Location;
use crate::system::sample::rdimm_6400;

/// A system of given extents (in the order of the fields) and digits.
fn system(extents: [u32; 8], digits: Vec<Digit>, hash: AddressHash) -> SystemConfig {
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

/// Small systems with any radices and hashes: each field is the product of its digits, and the digits lie in any order.
fn systems() -> impl Strategy<Value = SystemConfig> {
    let digits = prop::collection::vec((0usize..8, 1u32..6), 1..9).prop_shuffle();
    (digits, any::<u64>()).prop_map(|(digits, seed)| {
        let mut extents = [1u32; 8];
        let mut kept = Vec::new();
        for (field, radix) in digits {
            // A sub-channel has no more of these than a byte names.
            if extents[field] * radix <= 200 {
                extents[field] *= radix;
                kept.push(Digit {
                    field: AddressField::ALL[field],
                    radix,
                });
            }
        }
        let hash = any_hash(&extents, &kept, seed);
        system(extents, kept, hash)
    })
}

/// Numbers from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Values of a field as bits: how many there are, and how many of them are free.
fn bits_of(extent: u32) -> (u32, u32) {
    (
        u32::BITS - (extent - 1).leading_zeros(),
        extent.trailing_zeros(),
    )
}

/// A hash that fits, with a rule for each of some fields.
fn any_hash(extents: &[u32; 8], digits: &[Digit], seed: u64) -> AddressHash {
    let mut draw = Draw(seed);
    let numbered: u32 = digits
        .iter()
        .map(|digit| digit.radix.trailing_zeros())
        .sum();
    let mut hash = AddressHash::off();
    let mut together = Vec::new();
    for field in AddressField::ALL {
        let free = bits_of(extents[field as usize]).1;
        let low = !matches!(field, AddressField::Row | AddressField::Column);
        match draw.below(3) {
            0 if low => together.push(field),
            1 => {
                let row = |bit| {
                    let mut row = Vec::new();
                    if draw.below(8) > 0 {
                        row.push(HashBit::Field(field, bit));
                    }
                    for _ in 0..draw.below(3) {
                        let other = AddressField::ALL[draw.below(8) as usize];
                        let (width, _) = bits_of(extents[other as usize]);
                        let at = draw.below(u64::from(width).max(1)) as u32;
                        let term = HashBit::Field(other, at);
                        if at < width && !row.contains(&term) {
                            row.push(term);
                        }
                    }
                    if numbered > 0 && draw.below(4) == 0 {
                        row.push(HashBit::Address(6 + draw.below(numbered.into()) as u32));
                    }
                    row
                };
                let rows: Vec<_> = (0..free).map(row).collect();
                if !rows.is_empty() && rows.iter().all(|row| !row.is_empty()) {
                    hash.rules.push(HashRule::Bits(field, rows));
                }
            }
            _ => {}
        }
    }
    if !together.is_empty() {
        let rule = if draw.below(2) == 0 {
            HashRule::Low
        } else {
            HashRule::Fold
        };
        hash.rules.push(rule(together));
    }
    hash
}

/// The place of a line as the definitions say it, bit by bit, in the order of the fields.
fn reference(config: &SystemConfig, line: u64) -> [u32; 8] {
    let (mut rest, mut weights, mut plain) = (line, [1u32; 8], [0u32; 8]);
    let mut address: Vec<u32> = Vec::new();
    for digit in &config.mapping.digits {
        let (field, value) = (digit.field as usize, (rest % u64::from(digit.radix)) as u32);
        rest /= u64::from(digit.radix);
        plain[field] += value * weights[field];
        weights[field] *= digit.radix;
        address.extend((0..digit.radix.trailing_zeros()).map(|bit| value >> bit & 1));
    }
    let extents = weights;
    let bit = |field: AddressField, index: u32| plain[field as usize] >> index & 1;
    let (row_bits, _) = bits_of(extents[AddressField::Row as usize]);
    let mut place = plain;
    for rule in &config.mapping.hash.rules {
        match rule {
            HashRule::Low(fields) | HashRule::Fold(fields) => {
                let free = |field: &AddressField| bits_of(extents[*field as usize]).1;
                let all: u32 = fields.iter().map(free).sum();
                let mut next = 0;
                for field in fields {
                    for target in 0..free(field) {
                        let last = if matches!(rule, HashRule::Low(_)) {
                            next + 1
                        } else {
                            row_bits
                        };
                        let sources = (next..last.min(row_bits)).step_by(all as usize);
                        for source in sources {
                            place[*field as usize] ^= bit(AddressField::Row, source) << target;
                        }
                        next += 1;
                    }
                }
            }
            HashRule::Bits(field, rows) => {
                for (target, row) in rows.iter().enumerate() {
                    let value = row.iter().fold(0, |sum, term| {
                        sum ^ match *term {
                            HashBit::Field(field, index) => bit(field, index),
                            HashBit::Address(index) => address[index as usize - 6],
                        }
                    });
                    place[*field as usize] &= !(1 << target);
                    place[*field as usize] |= value << target;
                }
            }
        }
    }
    place
}

/// The parts of a place in the order of the fields.
fn parts(place: &DecodedAddress) -> [u32; 8] {
    let at = place.location;
    [
        place.channel,
        place.sub_channel,
        at.pseudo_channel.into(),
        at.rank.into(),
        at.group.into(),
        at.bank.into(),
        at.row,
        at.column.into(),
    ]
}

proptest! {
    /// Every line has one place, which is that of the definitions, every place one line, and no field is out of its
    /// range. A hash is called singular exactly where two lines would share a place.
    #[test]
    fn lines_and_places_correspond_one_to_one(config in systems()) {
        let lines = config.bytes() / 64;
        prop_assume!(lines <= 20_000);
        let geometry = &config.sub_channel.geometry;
        let places: std::collections::HashSet<_> = (0..lines).map(|line| reference(&config, line)).collect();
        let map = match AddressMap::new(&config) {
            Ok(map) => map,
            Err(error) => {
                let error = error.to_string();
                prop_assume!(!error.contains("stands there twice") && !error.contains("none of a single field"));
                prop_assert!(error.contains("the matrix is singular"), "{}", error);
                prop_assert!((places.len() as u64) < lines);
                return Ok(());
            }
        };
        prop_assert_eq!(places.len() as u64, lines);
        for line in 0..lines {
            let place = map.decode(line * 64).expect("inside");
            prop_assert!(place.channel < config.channels && place.sub_channel < config.sub_channels);
            let at = place.location;
            prop_assert!(at.pseudo_channel < geometry.pseudo_channels && at.rank < geometry.ranks);
            prop_assert!(at.group < geometry.groups && at.bank < geometry.banks);
            prop_assert!(at.row < geometry.rows && at.column < geometry.columns);
            prop_assert_eq!(parts(&place), reference(&config, line));
            prop_assert_eq!(map.encode(&place), Ok(line * 64));
        }
    }

    /// In memories of real size, channels and rows that are no power of two among them, a line has the place of the
    /// definitions and comes back from it.
    #[test]
    fn large_memories_have_the_places_of_the_definitions(
        seed in any::<u64>(), line in any::<u64>(), rows in prop::sample::select(vec![65_536, 98_304, 131_072]),
        channels in prop::sample::select(vec![1, 8, 12]),
    ) {
        let extents = [channels, 2, 2, 2, 8, 4, rows, 64];
        let digits = plain(extents);
        let hash = any_hash(&extents, &digits, seed);
        let config = system(extents, digits, hash);
        if let Ok(map) = AddressMap::new(&config) {
            let line = line % (map.bytes() / 64);
            let place = map.decode(line * 64).expect("inside");
            prop_assert_eq!(parts(&place), reference(&config, line));
            prop_assert_eq!(map.encode(&place), Ok(line * 64));
        }
    }

    /// A text that a hash is written as gives the same hash.
    #[test]
    fn a_hash_is_read_as_it_is_written(seed in any::<u64>()) {
        let extents = [4, 2, 2, 2, 8, 4, 65_536, 64];
        let hash = any_hash(&extents, &plain(extents), seed);
        prop_assert_eq!(hash.to_string().parse(), Ok(hash));
    }

    /// No text makes the parser panic.
    #[test]
    fn any_text_is_a_hash_or_none(text in "(low|fold|group|bank|row|=|,|;|\\^|[0-9]+| |\\PC){0,12}") {
        let _ = text.parse::<AddressHash>();
    }

    /// The digits are what repeated division gives, in memories of real size too.
    #[test]
    fn digits_are_those_of_long_division(
        rows in 1u32..200_000, channels in 1u32..17, columns in 1u32..1024, line in any::<u64>(),
    ) {
        let extents = [channels, 2, 2, 2, 8, 4, rows, columns];
        let config = system(extents, plain(extents), AddressHash::off());
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
    let map = AddressMap::new(&system(extents, digits.to_vec(), AddressHash::on()))
        .expect("powers of two");
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
}

/// Of 6 groups the lowest bit is hashed, which leaves every group in its range.
#[test]
fn of_numbers_that_are_no_power_of_two_the_binary_part_is_hashed() {
    let extents = [12, 1, 1, 1, 6, 4, 48, 2];
    let config = system(
        extents,
        plain(extents),
        "low channel group bank".parse().expect("a hash"),
    );
    let map = AddressMap::new(&config).expect("it fits");
    let plain =
        AddressMap::new(&system(extents, plain(extents), AddressHash::off())).expect("it fits");
    for line in 0..map.bytes() / 64 {
        let (was, is) = (plain.place(line), map.place(line));
        let row = was.location.row;
        assert_eq!(is.channel, was.channel ^ row & 3);
        assert_eq!(
            u32::from(is.location.group),
            u32::from(was.location.group) ^ row >> 2 & 1
        );
        assert_eq!(
            u32::from(is.location.bank),
            u32::from(was.location.bank) ^ row >> 3 & 3
        );
    }
}

/// Clusters have shares of the channels and of the addresses, one behind the other: whatever the hash, every line has a
/// place of its own, among the channels of its cluster.
#[test]
fn no_hash_takes_a_line_out_of_its_cluster() {
    let own = |bits: u32| {
        let row = |bit| {
            vec![
                HashBit::Field(AddressField::Channel, bit),
                HashBit::Field(AddressField::Row, bit),
            ]
        };
        HashRule::Bits(AddressField::Channel, (0..bits).map(row).collect())
    };
    for (channels, clusters, bits) in [
        (12, 2, 1),
        (12, 3, 2),
        (12, 12, 0),
        (16, 2, 3),
        (16, 4, 2),
        (6, 2, 0),
    ] {
        let extents = [channels, 2, 1, 1, 2, 4, 24, 2];
        let share = channels / clusters;
        let mut list = plain(extents);
        list[0].radix = share;
        list.push(Digit {
            field: AddressField::Channel,
            radix: clusters,
        });
        let mut hashes = vec![AddressHash::on(), AddressHash::off()];
        for text in [
            "low channel group bank",
            "fold channel sub-channel group bank",
        ] {
            hashes.push(text.parse().expect("a hash"));
        }
        if bits > 0 {
            hashes.push(AddressHash {
                rules: vec![own(bits)],
            });
        }
        for hash in hashes {
            let mut config = system(extents, list.clone(), hash.clone());
            config.topology.clusters = clusters;
            let map = AddressMap::new(&config).expect("it fits");
            let lines = map.bytes() / 64;
            let mut places = std::collections::HashSet::new();
            for line in 0..lines {
                let place = map.place(line);
                let cluster = line / (lines / u64::from(clusters));
                assert_eq!(
                    u64::from(place.channel / share),
                    cluster,
                    "{channels} {clusters} {hash}"
                );
                assert_eq!(map.encode(&place), Ok(line * 64));
                assert!(places.insert(parts(&place)), "{channels} {clusters} {hash}");
            }
        }
        let rules = vec![own(bits + 1)];
        let mut config = system(extents, list, AddressHash { rules });
        config.topology.clusters = clusters;
        let error = problem(&config);
        let wanted = format!("needed: {bits}, as a cluster has {share} values");
        assert!(error.contains(&wanted), "{error}");
    }
}

/// DDR5 of 16 GiB on one channel: two sub-channels, 8 groups, 4 banks, 65,536 rows of 4 KiB.
const DDR5_16G: [u32; 8] = [1, 2, 1, 1, 8, 4, 65_536, 64];

fn digits(list: &[(AddressField, u32)]) -> Vec<Digit> {
    let digit = |&(field, radix): &(AddressField, u32)| Digit { field, radix };
    list.iter().map(digit).collect()
}

/// Every bit is the parity of the address under its mask, which those who measured it give.
fn agrees_with_masks(config: &SystemConfig, masks: &[(AddressField, &[u64])], row_shift: u32) {
    let map = AddressMap::new(config).expect("it fits");
    let mut draw = Draw(3);
    let walking = (6..34).map(|bit| 1u64 << bit);
    let drawn = (0..2000).map(|_| (draw.below(1 << 28)) << 6);
    for address in walking.chain(drawn).collect::<Vec<_>>() {
        let place = map.decode(address).expect("inside");
        let parts = parts(&place);
        for (field, masks) in masks {
            for (bit, mask) in masks.iter().enumerate() {
                let parity = (address & mask).count_ones() & 1;
                assert_eq!(
                    parts[*field as usize] >> bit & 1,
                    parity,
                    "{field:?} {bit}, {address:#x}"
                );
            }
        }
        assert_eq!(u64::from(place.location.row), address >> row_shift & 0xffff);
        assert_eq!(map.encode(&place), Ok(address));
    }
}

/// The map of AMD's Zen 4 with one rank of 8 groups, as public test code for Rowhammer states it by masks
/// (ZenHammer, USENIX Security 2024): a fold over the row, of bank and group together and of the sub-channel.
#[test]
fn a_fold_is_the_published_map_of_zen_4() {
    use AddressField::{Bank, Column, Group, Row, SubChannel};
    let order = [
        (SubChannel, 2),
        (Column, 2),
        (Group, 4),
        (Bank, 4),
        (Group, 2),
        (Column, 32),
        (Row, 65_536),
    ];
    let masks: [(_, &[u64]); 3] = [
        (SubChannel, &[0x3_fffc_0040]),
        (Group, &[0x0_4210_0100, 0x0_8420_0200, 0x1_0840_1000]),
        (Bank, &[0x2_1084_0400, 0x0_2108_0800]),
    ];
    for text in [
        "fold bank group; fold sub-channel",
        "group = 8^20^25^30, 9^21^26^31, 12^22^27^32; bank = 10^18^23^28^33, 11^19^24^29; fold sub-channel",
    ] {
        let config = system(DDR5_16G, digits(&order), text.parse().expect("a hash"));
        agrees_with_masks(&config, &masks, 18);
    }
}

/// The map of Intel's Raptor Lake with one rank of 8 groups, from the same kind of code: XORs that take bits of columns
/// and banks as well.
#[test]
fn a_matrix_is_the_published_map_of_raptor_lake() {
    use AddressField::{Bank, Column, Group, Row, SubChannel};
    let order = [
        (Column, 4),
        (Group, 2),
        (SubChannel, 2),
        (Column, 16),
        (Group, 4),
        (Bank, 4),
        (Row, 65_536),
    ];
    let text = "sub-channel = 9^12^13^18^19; group = 8^12^19, 14^18^23^27^31, 15^20^24^28^32; \
                bank = 16^21^25^29^33, 17^22^26^30";
    let config = system(DDR5_16G, digits(&order), text.parse().expect("a hash"));
    let masks: [(_, &[u64]); 3] = [
        (SubChannel, &[0x0_000c_3200]),
        (Group, &[0x0_0008_1100, 0x0_8884_4000, 0x1_1110_8000]),
        (Bank, &[0x2_2221_0000, 0x0_4442_0000]),
    ];
    agrees_with_masks(&config, &masks, 18);
}

/// Ramulator 2's `MOP4CLXOR`: four lines of a row, then channel, rank, group and bank, each XORed with the row's next
/// bits, then the rest of the row.
#[test]
fn low_row_bits_are_the_map_of_ramulator() {
    use AddressField::{Bank, Channel, Column, Group, Rank, Row};
    let extents = [2, 1, 1, 2, 8, 4, 65_536, 64];
    let order = [
        (Column, 4),
        (Channel, 2),
        (Rank, 2),
        (Group, 8),
        (Bank, 4),
        (Column, 16),
        (Row, 65_536),
    ];
    let text = "low channel rank group bank";
    let map = AddressMap::new(&system(
        extents,
        digits(&order),
        text.parse().expect("a hash"),
    ));
    let map = map.expect("it fits");
    let mut draw = Draw(5);
    for _ in 0..2000 {
        let line = draw.below(map.bytes() / 64);
        let mut rest = line;
        let mut take = |bits: u32| {
            let low = rest & ((1 << bits) - 1);
            rest >>= bits;
            low as u32
        };
        let low = take(2);
        let levels = [1, 1, 3, 2].map(|bits| (bits, take(bits)));
        let column = low + (take(4) << 2);
        let row = take(16);
        let mut shift = 0;
        let [channel, rank, group, bank] = levels.map(|(bits, value)| {
            let hashed = value ^ row >> shift & ((1 << bits) - 1);
            shift += bits;
            hashed
        });
        assert_eq!(
            parts(&map.place(line)),
            [channel, 0, 0, rank, group, bank, row, column]
        );
    }
}

#[test]
fn wrong_hashes_are_named_with_their_place() {
    for (text, words) in [
        ("maybe", "rule \"maybe\"; allowed: on, off, low with fields"),
        ("on; off", "rule \"on\"; allowed"),
        ("low", "rule \"low\"; allowed"),
        ("low group;", "rule \"\"; allowed"),
        (
            "fold row",
            "unknown field \"row\"; allowed: channel, sub-channel, pseudo-channel, rank, group, bank",
        ),
        ("low grup", "rule \"low grup\": unknown field \"grup\""),
        (
            "bnk = 6",
            "rule \"bnk = 6\": unknown field \"bnk\"; allowed: channel",
        ),
        (
            "low group; group = 6, 7, 8",
            "rule \"group = 6, 7, 8\": group has a rule already",
        ),
        ("low group group", "group has a rule already"),
        (
            "bank = row0, rwo1",
            "bank bit 1: unknown bit \"rwo1\"; allowed: a bit of a field, such as row3",
        ),
        ("bank = row0^, row1", "bank bit 0: unknown bit \"\""),
        ("bank = row, row1", "bank bit 0: unknown bit \"row\""),
        ("bank = row99999999999, row1", "bank bit 0: unknown bit"),
    ] {
        let error = text.parse::<AddressHash>().expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let extents = [12, 1, 1, 2, 8, 4, 65_536, 64];
    for (text, words) in [
        (
            "bank = bank0",
            "mapping.hash: bank: bits given: 1; needed: 2, as it has 4 values",
        ),
        (
            "channel = channel0, channel1, channel2",
            "channel: bits given: 3; needed: 2, as it has 12 values, whose odd part",
        ),
        (
            "bank = bank0, bank1^row16",
            "bank bit 1: row16 does not exist; allowed: row0 to row15",
        ),
        (
            "bank = bank0^pseudo-channel0, bank1",
            "bank bit 0: pseudo-channel0 does not exist; pseudo-channel has one",
        ),
        (
            "bank = 5^bank0, bank1",
            "bank bit 0: address bit 5 does not exist; allowed: 6 to 35",
        ),
        (
            "bank = bank0, 36^bank1",
            "bank bit 1: address bit 36 does not exist",
        ),
        (
            "bank = bank0^row1^row1, bank1",
            "bank bit 0: row1 stands there twice",
        ),
        (
            "bank = bank0^8^rank0, bank1",
            "bank bit 0: rank0 stands there twice",
        ),
        (
            "bank = row0, row1",
            "the matrix is singular: the XOR of bank0, row0 is always 0, so that they depend on each other",
        ),
        (
            "bank = bank0^group0, bank1; group = group0^bank1, group1, bank0^group0^bank1",
            "the XOR of group2, bank0, bank1 is always 0",
        ),
        ("rank = channel3", "the XOR of channel3, rank0 is always 0"),
    ] {
        let config = system(extents, plain(extents), text.parse().expect("a hash"));
        let problem = problem(&config);
        assert!(problem.contains(words), "{text}: {problem}");
    }
}

#[test]
fn memories_that_no_address_reaches_are_refused() {
    let extents = [u32::MAX, u32::MAX, 255, 255, 255, 255, u32::MAX, 65_535];
    assert!(
        problem(&system(extents, plain(extents), AddressHash::off())).contains("more lines than")
    );
}
