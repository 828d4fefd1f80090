//! From a system's interleaving to the digits of its mapping.

use super::labelled::{ChoiceValue, SettingError};
use crate::config::ChannelGeometry;
use crate::mapping::{AddressField, AddressMapping, Digit};

/// The fields inside a sub-channel, lowest first: where its lines lie that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(Vec<AddressField>);

const FIELDS: [(AddressField, &str); 6] = [
    (AddressField::PseudoChannel, "pseudo-channel"),
    (AddressField::Rank, "rank"),
    (AddressField::Group, "group"),
    (AddressField::Bank, "bank"),
    (AddressField::Row, "row"),
    (AddressField::Column, "column"),
];

impl ChoiceValue for Order {
    fn parse(text: &str) -> Option<Self> {
        let field = |word| FIELDS.iter().find(|(_, name)| *name == word);
        let fields: Option<Vec<_>> = text
            .split_whitespace()
            .map(|word| field(word).map(|(field, _)| *field))
            .collect();
        let fields = fields?;
        let once = |(wanted, _): &(AddressField, _)| {
            fields.iter().filter(|one| *one == wanted).count() == 1
        };
        (fields.len() == FIELDS.len() && FIELDS.iter().all(once)).then_some(Self(fields))
    }

    fn text(&self) -> String {
        let name = |field: &AddressField| FIELDS.iter().find(|(one, _)| one == field);
        let names: Vec<_> = self
            .0
            .iter()
            .filter_map(name)
            .map(|(_, name)| *name)
            .collect();
        names.join(" ")
    }

    fn allowed() -> String {
        let names: Vec<_> = FIELDS.iter().map(|(_, name)| *name).collect();
        format!("each of {} once, lowest first", names.join(", "))
    }
}

/// Digits of a system: `lines` lines that follow each other stay in one sub-channel, placed by `order`; then come the
/// other sub-channel and the next channel; then the rest of `order`. The digit at which the sub-channel changes is
/// split in two. Each of several nodes (clusters of sockets) has a share of the channels and of the addresses, one behind the
/// other.
pub(super) fn mapping(
    order: &Order,
    lines: u32,
    hash: bool,
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
    for field in &order.0 {
        let radix = values(*field, geometry);
        if left == 1 {
            extend(&mut digits, &outer);
            left = 0;
        }
        if left == 0 || left.is_multiple_of(radix) {
            extend(&mut digits, &[(*field, radix)]);
            left /= radix;
        } else if radix.is_multiple_of(left) {
            extend(&mut digits, &[(*field, left)]);
            extend(&mut digits, &outer);
            extend(&mut digits, &[(*field, radix / left)]);
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
        let mapping =
            mapping(&order(text), lines, false, [12, 1], 2, &geometry()).expect("it fits");
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
        let error = mapping(&order(text), 3, false, [1, 1], 1, &geometry()).expect_err("3 lines");
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
}
