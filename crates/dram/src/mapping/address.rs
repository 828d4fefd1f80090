//! Addresses into places, and back.

use super::AddressField;
use super::matrix::{HashGround, HashMatrix};
use crate::config::{ConfigError, SystemConfig};
use crate::request::Location;

/// Bytes of a line.
const LINE: u64 = 64;
const FIELDS: usize = AddressField::ALL.len();

/// Where a line is within a system. Every part counts from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DecodedAddress {
    /// Memory channel.
    pub channel: u32,
    /// Sub-channel of the channel's module.
    pub sub_channel: u32,
    /// Place within the sub-channel.
    pub location: Location,
}

/// An address or a place that the memory does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It lies between two lines.
    #[error("address {address:#x} is no multiple of 64 bytes")]
    Unaligned {
        /// The physical address in bytes.
        address: u64,
    },
    /// It lies behind the last line.
    #[error("address {address:#x} lies outside the memory, which ends at {bytes:#x}")]
    OutOfRange {
        /// The physical address in bytes.
        address: u64,
        /// Bytes of memory.
        bytes: u64,
    },
    /// A part of a place is too great.
    #[error("{} {value} lies outside the memory; allowed: 0 to {max}", field.name())]
    NoSuchPlace {
        /// The part.
        field: AddressField,
        /// What it says.
        value: u64,
        /// The greatest there is.
        max: u64,
    },
}

/// A [`AddressMapping`](super::AddressMapping) made ready for a system: digits that are powers of two by shifts and masks,
/// all others by a multiplication with their reciprocal; then the hash, by shifts and masks.
#[derive(Clone, Debug)]
pub struct AddressMap {
    steps: Vec<DigitStep>,
    /// Values of each field, in the order of [`AddressField::ALL`].
    extents: [u64; FIELDS],
    lines: u64,
    hash: HashMatrix,
}

/// One digit.
#[derive(Clone, Copy, Debug)]
struct DigitStep {
    field: usize,
    radix: u32,
    /// What one unit of the digit counts in its field.
    weight: u32,
    /// Factors of two of the radix: its log2 where that is a whole number.
    shift: u32,
    /// ⌊2⁶⁴ / radix⌋ + 1, or 0 for powers of two.
    reciprocal: u64,
}

impl DigitStep {
    /// Quotient and digit of a number. With the reciprocal the quotient comes out too great by at most
    /// number / 2⁶⁴, which is less than 1 / radix, as [`AddressMap::new`] sees to: too little to reach the next whole
    /// number.
    #[inline]
    fn split(&self, number: u64) -> (u64, u32) {
        if self.reciprocal == 0 {
            let digit = number as u32 & (self.radix - 1);
            return (number >> self.shift, digit);
        }
        let quotient = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
        (quotient, (number - quotient * u64::from(self.radix)) as u32)
    }
}

impl AddressMap {
    /// The mapping of a system.
    ///
    /// # Errors
    /// When the radices of a field do not multiply to what the system has of it, the memory is too large to be
    /// addressed, or the hash does not fit the fields or cannot be undone.
    pub fn new(config: &SystemConfig) -> Result<Self, ConfigError> {
        let extents = extents(config)?;
        let steps = steps(config, &extents)?;
        let lines = extents
            .iter()
            .try_fold(1u64, |product, &extent| product.checked_mul(extent));
        let greatest = steps
            .iter()
            .map(|step| u64::from(step.radix))
            .max()
            .unwrap_or(1);
        let lines = lines.filter(|lines| {
            lines.checked_mul(LINE).is_some() && lines.checked_mul(greatest).is_some()
        });
        let lines = lines.ok_or_else(|| ConfigError {
            what: "mapping",
            problem: "the memory has more lines than addresses can name".to_owned(),
        })?;
        let ground = HashGround {
            extents: &extents,
            address_bits: address_bits(&steps),
            nodes: config.topology.nodes().into(),
        };
        let hash =
            HashMatrix::new(&config.mapping.hash, &ground).map_err(|problem| ConfigError {
                what: "mapping.hash",
                problem,
            })?;
        Ok(Self {
            steps,
            extents,
            lines,
            hash,
        })
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lines * LINE
    }

    /// The place of a physical address in bytes.
    ///
    /// # Errors
    /// When the address is not that of a line, or lies outside the memory.
    pub fn decode(&self, address: u64) -> Result<DecodedAddress, AddressError> {
        if !address.is_multiple_of(LINE) {
            return Err(AddressError::Unaligned { address });
        }
        if address >= self.bytes() {
            let bytes = self.bytes();
            return Err(AddressError::OutOfRange { address, bytes });
        }
        Ok(self.place(address / LINE))
    }

    /// The place of a line that is known to exist.
    #[inline]
    pub(crate) fn place(&self, line: u64) -> DecodedAddress {
        let mut values = [0u32; FIELDS];
        let mut rest = line;
        for step in &self.steps {
            let (quotient, digit) = step.split(rest);
            rest = quotient;
            values[step.field] += digit * step.weight;
        }
        let [
            channel,
            sub_channel,
            pseudo_channel,
            rank,
            group,
            bank,
            row,
            column,
        ] = self.hash.hashed(values);
        DecodedAddress {
            channel,
            sub_channel,
            location: Location {
                pseudo_channel: pseudo_channel as u8,
                rank: rank as u8,
                group: group as u8,
                bank: bank as u8,
                row,
                column: column as u16,
            },
        }
    }

    /// The physical address in bytes of a place.
    ///
    /// # Errors
    /// When the memory has no such place.
    pub fn encode(&self, place: &DecodedAddress) -> Result<u64, AddressError> {
        let location = place.location;
        let values = [
            place.channel,
            place.sub_channel,
            location.pseudo_channel.into(),
            location.rank.into(),
            location.group.into(),
            location.bank.into(),
            location.row,
            location.column.into(),
        ];
        for (field, (value, extent)) in AddressField::ALL
            .into_iter()
            .zip(values.into_iter().zip(self.extents))
        {
            let (value, max) = (u64::from(value), extent - 1);
            if value > max {
                return Err(AddressError::NoSuchPlace { field, value, max });
            }
        }
        let values = self.hash.plain(values);
        let mut line = 0;
        for step in self.steps.iter().rev() {
            let digit = values[step.field] / step.weight % step.radix;
            line = line * u64::from(step.radix) + u64::from(digit);
        }
        Ok(line * LINE)
    }
}

/// How many values every field has.
fn extents(config: &SystemConfig) -> Result<[u64; FIELDS], ConfigError> {
    let geometry = &config.sub_channel.geometry;
    let named: [(&'static str, u64); FIELDS] = [
        ("channels", config.channels.into()),
        ("sub_channels", config.sub_channels.into()),
        ("geometry.pseudo_channels", geometry.pseudo_channels.into()),
        ("geometry.ranks", geometry.ranks.into()),
        ("geometry.groups", geometry.groups.into()),
        ("geometry.banks", geometry.banks.into()),
        ("geometry.rows", geometry.rows.into()),
        ("geometry.columns", geometry.columns.into()),
    ];
    for (what, extent) in named {
        if extent == 0 {
            let problem = "is 0; at least 1 is needed".to_owned();
            return Err(ConfigError { what, problem });
        }
    }
    Ok(named.map(|(_, extent)| extent))
}

/// The digits with their weights, those of one value left out.
fn steps(config: &SystemConfig, extents: &[u64; FIELDS]) -> Result<Vec<DigitStep>, ConfigError> {
    let wrong = |problem: String| ConfigError {
        what: "mapping.digits",
        problem,
    };
    let mut products = [1u64; FIELDS];
    let mut steps = Vec::with_capacity(config.mapping.digits.len());
    for (index, digit) in config.mapping.digits.iter().enumerate() {
        let name = digit.field.name();
        if digit.radix == 0 {
            return Err(wrong(format!(
                "digit {index} ({name}) has radix 0; at least 1 is needed"
            )));
        }
        let field = digit.field as usize;
        let weight = products[field];
        products[field] = weight.saturating_mul(digit.radix.into());
        // A weight that is no u32 belongs to a product that no field has, which is refused below.
        if let (Ok(weight), true) = (u32::try_from(weight), digit.radix > 1) {
            let power = digit.radix.is_power_of_two();
            steps.push(DigitStep {
                field,
                radix: digit.radix,
                weight,
                shift: digit.radix.trailing_zeros(),
                reciprocal: if power {
                    0
                } else {
                    u64::MAX / u64::from(digit.radix) + 1
                },
            });
        }
    }
    for (field, (product, extent)) in AddressField::ALL
        .into_iter()
        .zip(products.iter().zip(extents))
    {
        if product != extent {
            let name = field.name();
            return Err(wrong(format!(
                "the digits of the {name} give {product} values; the system has {extent}"
            )));
        }
    }
    Ok(steps)
}

/// What the bits of an address are: those of the digits that are powers of two, field by field. Of a digit of
/// `odd × 2ⁿ` values the low `n` bits are bits of the address divided by the odd parts of the digits below.
fn address_bits(steps: &[DigitStep]) -> Vec<Option<(usize, u32)>> {
    let bits = |step: &DigitStep| {
        let (field, weight) = (step.field, step.weight);
        let first = weight.is_power_of_two().then(|| weight.trailing_zeros());
        (0..step.shift).map(move |bit| first.map(|first| (field, first + bit)))
    };
    steps.iter().flat_map(bits).collect()
}
