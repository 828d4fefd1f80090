//! What a hash of places consists of, and the text that sheets write it in.
//!
//! ```text
//! hash  = "off" | "on" | rule { ";" rule }
//! rule  = "low" field { field }        each bit XORed with one of the row's lowest bits, in the order written
//!       | "fold" field { field }       the same, with the whole row folded to as many bits
//!       | field "=" bits { "," bits }  every bit of the field, lowest first
//! bits  = bit { "^" bit }
//! bit   = field index, such as row3    of the place before the hash
//!       | number                       of the physical address
//! ```
//!
//! `on` is `low group bank`.

use std::fmt;
use std::str::FromStr;

use super::AddressField;

/// How the bits of a place are XORed with each other. Without rules the place stays as the digits give it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressHash {
    /// One for each field that is hashed; bits without a rule stay.
    pub rules: Vec<HashRule>,
}

/// How one field or several are hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HashRule {
    /// The bits of the fields, in this order and each field's lowest first, are XORed with the row's bits 0, 1, 2, …
    /// This is permutation-based page interleaving: Zhang, Zhu and Zhang, MICRO-33 (2000).
    Low(Vec<AddressField>),
    /// The same with all of the row: where the fields have `n` bits, bit `i` of them is XORed with the row's bits `i`,
    /// `i + n`, `i + 2n`, … So are bank groups, banks and sub-channels of AMD's Zen 4 hashed.
    Fold(Vec<AddressField>),
    /// Every bit of the field, lowest first, is the XOR of the bits named.
    Bits(AddressField, Vec<Vec<HashBit>>),
}

/// One bit that an XOR takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashBit {
    /// Bit of a field as the digits give it, before the hash.
    Field(AddressField, u32),
    /// Bit of the physical address, 6 being the lowest of a line's number. Above a digit of `odd × 2ⁿ` values the bits
    /// are those of the address divided by `odd`.
    Address(u32),
}

/// Fields that row bits may be XORed into.
const SELECTED: [AddressField; 6] = [
    AddressField::Channel,
    AddressField::SubChannel,
    AddressField::PseudoChannel,
    AddressField::Rank,
    AddressField::Group,
    AddressField::Bank,
];

/// A text that describes no hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashTextError {
    /// A rule begins with something else than a rule does.
    #[error(
        "rule {rule:?}; allowed: on, off, low with fields, fold with fields, or a field with its bits, such as \"bank = bank0^row0, bank1^row1\""
    )]
    Rule {
        /// What it says.
        rule: String,
    },
    /// No field has this name.
    #[error("rule {rule:?}: unknown field {word:?}; allowed: {}", words(allowed))]
    Field {
        /// The rule.
        rule: String,
        /// The name.
        word: String,
        /// The fields that exist here.
        allowed: &'static [AddressField],
    },
    /// Two rules, or one twice, decide about a field.
    #[error("rule {rule:?}: {} has a rule already; allowed: one for each field", field.word())]
    Repeated {
        /// The second rule.
        rule: String,
        /// The field.
        field: AddressField,
    },
    /// What an XOR takes is no bit.
    #[error(
        "{} bit {index}: unknown bit {word:?}; allowed: a bit of a field, such as row3, or the number of an address bit",
        field.word()
    )]
    Bit {
        /// The field whose bit it is.
        field: AddressField,
        /// Which of its bits.
        index: usize,
        /// What stands there.
        word: String,
    },
}

fn words(fields: &[AddressField]) -> String {
    let words: Vec<_> = fields.iter().map(|field| field.word()).collect();
    words.join(", ")
}

impl AddressHash {
    /// Bank group and bank XORed with low bits of the row: lines that lie a power of two apart then meet in different
    /// banks.
    #[must_use]
    pub fn on() -> Self {
        let fields = vec![AddressField::Group, AddressField::Bank];
        Self {
            rules: vec![HashRule::Low(fields)],
        }
    }

    /// No hash.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }
}

impl FromStr for AddressHash {
    type Err = HashTextError;

    fn from_str(text: &str) -> Result<Self, HashTextError> {
        match text.trim() {
            "on" => return Ok(Self::on()),
            "off" => return Ok(Self::off()),
            _ => {}
        }
        let mut hash = Self::off();
        for rule in text.split(';') {
            hash.rules.push(self::rule(rule.trim())?);
        }
        let mut seen = Vec::new();
        for (rule, text) in hash.rules.iter().zip(text.split(';')) {
            for field in rule.fields() {
                if seen.contains(field) {
                    return Err(HashTextError::Repeated {
                        rule: text.trim().to_owned(),
                        field: *field,
                    });
                }
                seen.push(*field);
            }
        }
        Ok(hash)
    }
}

impl HashRule {
    fn fields(&self) -> &[AddressField] {
        match self {
            Self::Low(fields) | Self::Fold(fields) => fields,
            Self::Bits(field, _) => std::slice::from_ref(field),
        }
    }
}

fn rule(text: &str) -> Result<HashRule, HashTextError> {
    let field = |word: &str, allowed: &'static [AddressField]| {
        let found = allowed.iter().find(|field| field.word() == word);
        found.copied().ok_or_else(|| HashTextError::Field {
            rule: text.to_owned(),
            word: word.to_owned(),
            allowed,
        })
    };
    if let Some((left, right)) = text.split_once('=') {
        let field = field(left.trim(), &AddressField::ALL)?;
        let row = |(index, bits): (usize, &str)| {
            let bit = |word: &str| {
                HashBit::parse(word.trim()).ok_or_else(|| HashTextError::Bit {
                    field,
                    index,
                    word: word.trim().to_owned(),
                })
            };
            bits.split('^').map(bit).collect()
        };
        let rows: Result<_, _> = right.split(',').enumerate().map(row).collect();
        return Ok(HashRule::Bits(field, rows?));
    }
    let mut words = text.split_whitespace();
    let kind = words.next();
    let fields: Vec<_> = words.collect();
    let make = match kind {
        Some("low") if !fields.is_empty() => HashRule::Low,
        Some("fold") if !fields.is_empty() => HashRule::Fold,
        _ => {
            let rule = text.to_owned();
            return Err(HashTextError::Rule { rule });
        }
    };
    let fields: Result<_, _> = fields
        .into_iter()
        .map(|word| field(word, &SELECTED))
        .collect();
    fields.map(make)
}

impl HashBit {
    fn parse(word: &str) -> Option<Self> {
        let digits = word.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let index = digits.parse().ok()?;
        match &word[..word.len() - digits.len()] {
            "" => Some(Self::Address(index)),
            name => {
                let field = AddressField::ALL
                    .into_iter()
                    .find(|field| field.word() == name)?;
                Some(Self::Field(field, index))
            }
        }
    }
}

impl fmt::Display for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::on() {
            return f.write_str("on");
        }
        if self.rules.is_empty() {
            return f.write_str("off");
        }
        let rules: Vec<_> = self.rules.iter().map(HashRule::to_string).collect();
        f.write_str(&rules.join("; "))
    }
}

impl fmt::Display for HashRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |fields: &[AddressField]| {
            let words: Vec<_> = fields.iter().map(|field| field.word()).collect();
            words.join(" ")
        };
        match self {
            Self::Low(fields) => write!(f, "low {}", list(fields)),
            Self::Fold(fields) => write!(f, "fold {}", list(fields)),
            Self::Bits(field, rows) => {
                let row = |row: &Vec<HashBit>| {
                    let bits: Vec<_> = row.iter().map(HashBit::to_string).collect();
                    bits.join("^")
                };
                let rows: Vec<_> = rows.iter().map(row).collect();
                write!(f, "{} = {}", field.word(), rows.join(", "))
            }
        }
    }
}

impl fmt::Display for HashBit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field, index) => write!(f, "{}{index}", field.word()),
            Self::Address(index) => write!(f, "{index}"),
        }
    }
}
