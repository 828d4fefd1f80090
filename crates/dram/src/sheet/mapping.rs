//! From a system's interleaving to the digits of its mapping.

use super::labelled::{ChoiceValue, SettingError};
use crate::config::ChannelGeometry;
use crate::mapping::{AddressField, AddressHash, AddressMapping, Digit};

/// The fields inside a sub-channel, lowest first: where its lines lie that follow each other. A field may be split:
/// every part but its highest says how many bits it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(Vec<OrderPart>);

/// A field of an order, or so many of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OrderPart {
    field: AddressField,
    /// The next bits; the rest of the field where there are none.
    bits: Option<u32>,
}

const FIELDS: [AddressField; 6] = [
    AddressField::PseudoChannel,
    AddressField::Rank,
    AddressField::Group,
    AddressField::Bank,
    AddressField::Row,
    AddressField::Column,
];

impl ChoiceValue for Order {
    fn parse(text: &str) -> Option<Self> {
        let parts: Option<Vec<_>> = text.split_whitespace().map(OrderPart::parse).collect();
        let parts = parts?;
        let sound = |wanted: &AddressField| {
            let mut of = parts.iter().filter(|part| part.field == *wanted).rev();
            of.next().is_some_and(|last| last.bits.is_none()) && of.all(|part| part.bits.is_some())
        };
        FIELDS.iter().all(sound).then_some(Self(parts))
    }

    fn text(&self) -> String {
        let parts: Vec<_> = self.0.iter().map(OrderPart::text).collect();
        parts.join(" ")
    }

    fn allowed() -> String {
        let names = FIELDS.map(AddressField::word).join(", ");
        format!(
            "each of {names} once, lowest first; low bits of a field may stand before as a part of their own, such as column:2"
        )
    }
}

impl OrderPart {
    fn parse(word: &str) -> Option<Self> {
        let (name, bits) = match word.split_once(':') {
            Some((name, bits)) => (name, Some(bits.parse().ok()?)),
            None => (word, None),
        };
        let field = FIELDS.into_iter().find(|field| field.word() == name)?;
        let sound = bits.is_none_or(|bits| (1..=16).contains(&bits));
        sound.then_some(Self { field, bits })
    }

    fn text(&self) -> String {
        let name = self.field.word();
        self.bits
            .map_or_else(|| name.to_owned(), |bits| format!("{name}:{bits}"))
    }
}

impl Order {
    /// Every part with its values.
    fn digits(&self, geometry: &ChannelGeometry) -> Result<Vec<Digit>, SettingError> {
        let mut left = FIELDS.map(|field| values(field, geometry));
        let digit = |part: &OrderPart| {
            let field = part.field;
            let at = FIELDS.iter().position(|one| *one == field).unwrap_or(0);
            let radix = part.bits.map_or(left[at], |bits| 1 << bits);
            if !left[at].is_multiple_of(radix) {
                return Err(SettingError::Unfit {
                    what: "address_order".to_owned(),
                    problem: format!(
                        "{} does not fit the {} values of the {}",
                        part.text(),
                        values(field, geometry),
                        field.name()
                    ),
                });
            }
            left[at] /= radix;
            Ok(Digit { field, radix })
        };
        self.0.iter().map(digit).collect()
    }
}

impl ChoiceValue for AddressHash {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn allowed() -> String {
        "on, off, or rules such as \"low group bank\", \"fold group bank\" or \"bank = bank0^row0, bank1^row1\""
            .to_owned()
    }

    fn fault(text: &str) -> Option<String> {
        text.parse::<Self>().err().map(|error| error.to_string())
    }
}

/// Digits of a system: `lines` lines that follow each other stay in one sub-channel, placed by `order`; then come the
/// other sub-channel and the next channel; then the rest of `order`. The digit at which the sub-channel changes is
/// split in two. Each of several nodes (clusters of sockets) has a share of the channels and of the addresses, one behind the
/// other.
pub(super) fn mapping(
    order: &Order,
    lines: u32,
    hash: AddressHash,
    [channels, nodes]: [u32; 2],
    sub_channels: u32,
    geometry: &ChannelGeometry,
) -> Result<AddressMapping, SettingError> {
    let outer = [
        (AddressField::SubChannel, sub_channels),
        (AddressField::Channel, channels / nodes),
    ];
    let mut digits = Vec::new();
    let mut left = lines;
    for Digit { field, radix } in order.digits(geometry)? {
        if left == 1 {
            extend(&mut digits, &outer);
            left = 0;
        }
        if left == 0 || left.is_multiple_of(radix) {
            extend(&mut digits, &[(field, radix)]);
            left /= radix;
        } else if radix.is_multiple_of(left) {
            extend(&mut digits, &[(field, left)]);
            extend(&mut digits, &outer);
            extend(&mut digits, &[(field, radix / left)]);
            left = 0;
        } else {
            return Err(SettingError::Unfit {
                what: "interleave_bytes".to_owned(),
                problem: format!(
                    "{lines} lines do not divide the {radix} values of {field:?}; allowed: 64 times a power of two"
                ),
            });
        }
    }
    match left {
        0 => {}
        1 => extend(&mut digits, &outer),
        _ => {
            return Err(SettingError::Unfit {
                what: "interleave_bytes".to_owned(),
                problem: format!("{lines} lines are more than a sub-channel has"),
            });
        }
    }
    extend(&mut digits, &[(AddressField::Channel, nodes)]);
    Ok(AddressMapping { digits, hash })
}

/// Adds digits; those of one value say nothing and are left out.
fn extend(digits: &mut Vec<Digit>, more: &[(AddressField, u32)]) {
    let real = more.iter().filter(|(_, radix)| *radix > 1);
    digits.extend(real.map(|&(field, radix)| Digit { field, radix }));
}

fn values(field: AddressField, geometry: &ChannelGeometry) -> u32 {
    match field {
        AddressField::PseudoChannel => u32::from(geometry.pseudo_channels),
        AddressField::Rank => u32::from(geometry.ranks),
        AddressField::Group => u32::from(geometry.groups),
        AddressField::Bank => u32::from(geometry.banks),
        AddressField::Row => geometry.rows,
        AddressField::Column => u32::from(geometry.columns),
        AddressField::Channel | AddressField::SubChannel => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry() -> ChannelGeometry {
        ChannelGeometry {
            pseudo_channels: 2,
            ranks: 1,
            slices: 1,
            groups: 8,
            banks: 4,
            refresh_sets: 4,
            rows: 3 << 15,
            columns: 128,
        }
    }

    fn order(text: &str) -> Order {
        Order::parse(text).expect("an order")
    }

    fn digits(text: &str, lines: u32) -> Vec<(AddressField, u32)> {
        let mapping = mapping(
            &order(text),
            lines,
            AddressHash::off(),
            [12, 1],
            2,
            &geometry(),
        )
        .expect("it fits");
        let pair = |digit: &Digit| (digit.field, digit.radix);
        mapping.digits.iter().map(pair).collect()
    }

    #[test]
    fn the_sub_channel_changes_after_the_granularity() {
        use AddressField::{Bank, Channel, Column, Group, PseudoChannel, Row, SubChannel};
        let text = "pseudo-channel group column rank bank row";
        let expected = [
            (PseudoChannel, 2),
            (Group, 2),
            (SubChannel, 2),
            (Channel, 12),
            (Group, 4),
            (Column, 128),
            (Bank, 4),
            (Row, 3 << 15),
        ];
        assert_eq!(digits(text, 4), expected);
        assert_eq!(digits(text, 1)[..2], [(SubChannel, 2), (Channel, 12)]);
        let text = "column group pseudo-channel rank bank row";
        assert_eq!(digits(text, 128)[..2], [(Column, 128), (SubChannel, 2)]);
    }

    #[test]
    fn every_value_of_every_field_has_its_place() {
        for lines in [1, 2, 4, 16, 64, 2048] {
            let all: u64 = digits("rank bank group pseudo-channel column row", lines)
                .iter()
                .map(|(_, radix)| u64::from(*radix))
                .product();
            assert_eq!(all, 24 * geometry().lines(), "{lines}");
        }
    }

    #[test]
    fn a_granularity_that_divides_nothing_is_refused() {
        let text = "pseudo-channel group column rank bank row";
        let error = mapping(&order(text), 3, AddressHash::off(), [1, 1], 1, &geometry())
            .expect_err("3 lines");
        assert!(
            error.to_string().starts_with("interleave_bytes: 3 lines"),
            "{error}"
        );
    }

    #[test]
    fn an_order_names_every_field_once() {
        assert_eq!(Order::parse("pseudo-channel group column rank bank"), None);
        assert_eq!(Order::parse("row row group column rank bank"), None);
        assert_eq!(
            Order::parse("channel pseudo-channel group column rank bank row"),
            None
        );
        let text = "row rank group bank pseudo-channel column";
        assert_eq!(order(text).text(), text);
    }

    #[test]
    fn an_order_may_split_fields() {
        use AddressField::{Bank, Channel, Column, Group, PseudoChannel, Row, SubChannel};
        let text = "column:2 group:1 group pseudo-channel column rank bank row";
        assert_eq!(order(text).text(), text);
        let expected = [
            (Column, 4),
            (SubChannel, 2),
            (Channel, 12),
            (Group, 2),
            (Group, 4),
            (PseudoChannel, 2),
            (Column, 32),
            (Bank, 4),
            (Row, 3 << 15),
        ];
        assert_eq!(digits(text, 4), expected);
        // The sub-channel may change within a part as well.
        assert_eq!(
            digits(text, 2)[..3],
            [(Column, 2), (SubChannel, 2), (Channel, 12)]
        );
        for wrong in [
            "column:2 group pseudo-channel rank bank row",
            "column column:2 group pseudo-channel rank bank row",
            "column:0 column group pseudo-channel rank bank row",
            "column:x column group pseudo-channel rank bank row",
            "column:17 column group pseudo-channel rank bank row",
        ] {
            assert_eq!(Order::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_part_that_a_field_does_not_have_is_refused() {
        for (text, words) in [
            (
                "rank:1 rank column group bank row pseudo-channel",
                "rank:1 does not fit the 1 values of the rank",
            ),
            (
                "column:5 rank column:3 group column bank row pseudo-channel",
                "column:3 does not fit the 128 values",
            ),
            (
                "row:16 rank column group bank row pseudo-channel",
                "row:16 does not fit the 98304 values",
            ),
        ] {
            let error = mapping(&order(text), 1, AddressHash::off(), [1, 1], 1, &geometry())
                .expect_err(text);
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("address_order: {words}")),
                "{error}"
            );
        }
    }
}
