//! What a user knows of a chip beside its page, and what of it the page contradicts.

use std::fmt;
use std::str::FromStr;

use wordline_core::Lifecycle;
use wordline_core::quantity::{ByteCount, Frequency, Voltage};

use super::ids::{self, ChipSeries};
use super::sheet::{Said, figure};
use super::{ImportError, Page, compare};

/// What is known of a chip beside its page. Everything is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChipClaims {
    /// The id of the sheet.
    pub part: Option<String>,
    /// The name as its maker writes it.
    pub name: Option<String>,
    /// The maker.
    pub manufacturer: Option<String>,
    /// The maker's series; by the name where it is left out.
    pub family: Option<String>,
    /// Whether it is still made, and who says so.
    pub lifecycle: Option<Lifecycle>,
    /// What the chip answers to opcode 9Fh.
    pub jedec_id: Option<JedecId>,
    /// Figures that the page does not state. What it states itself is never replaced.
    pub figures: Vec<ClaimedFigure>,
    /// The board of a target that names none.
    pub board: Option<String>,
    /// Who read the page, and where it was published.
    pub origin: Option<String>,
    /// What users of the sheet should know before they trust it.
    pub cautions: Vec<String>,
}

impl ChipClaims {
    /// The figure of a key as TOML.
    pub(super) fn figure(&self, key: &str) -> Option<String> {
        let claimed = self.figures.iter().find(|claimed| claimed.key == key)?;
        Some(claimed.text())
    }

    /// The series that the name, or else the id of the sheet, belongs to.
    pub(super) fn series(&self) -> Option<ChipSeries> {
        let name = self.name.as_ref().or(self.part.as_ref())?;
        ids::series(name)
    }

    /// What the page says against these claims: first what refuses a sheet, then what is only said of it.
    #[must_use]
    pub fn check(&self, page: &Page) -> ClaimCheck {
        let mut check = ClaimCheck::default();
        let at = page.draft.capacity_at;
        let stated = ByteCount::from_bytes(page.draft.capacity);
        let mut capacity = |who: String, expected: Option<u64>| {
            let expected = expected.filter(|bytes| *bytes != page.draft.capacity);
            check.refused.extend(expected.map(|bytes| {
                let fault = "the capacity of the page is not the chip's";
                let allowed = format!("{}, by {who}", ByteCount::from_bytes(bytes));
                ImportError::new(at, fault, stated.to_string(), allowed)
            }));
        };
        if let Some(id) = &self.jedec_id {
            capacity(format!("JEDEC ID {id}"), id.capacity_bytes());
        }
        let series = self.series();
        if let Some(series) = &series {
            let name = self.name.as_ref().or(self.part.as_ref());
            let name = name.map_or("", String::as_str);
            capacity(format!("the name {name}"), series.capacity_bytes);
        }
        if let (Some(id), Some(series)) = (&self.jedec_id, &series) {
            let makers = id.makers();
            if !makers.is_empty() && !makers.contains(&series.maker) {
                let fault = "the JEDEC ID is not of the part's maker";
                let found = format!("{id}, which is {}", makers.join(" or "));
                let allowed = format!("an id of {}", series.maker);
                let error = ImportError::new(0, fault, found, allowed);
                check.contradictions.push(error);
            }
        }
        for (at, code) in &page.vendors {
            let vendor = ids::makers(*code);
            let maker = series.as_ref().map(|series| series.maker);
            let known = !vendor.is_empty();
            if let Some(maker) = maker.filter(|maker| known && !vendor.contains(maker)) {
                let fault = "the vendor table is not of the part's maker";
                let found = format!("{code:02X}h, which is {}", vendor.join(" or "));
                let error = ImportError::new(*at, fault, found, format!("a table of {maker}"));
                check.contradictions.push(error);
            }
        }
        check
    }
}

/// What a page says against a user's claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimCheck {
    /// What cannot be so: the page is not this chip's.
    pub refused: Vec<ImportError>,
    /// What does not fit, and may still be so.
    pub contradictions: Vec<ImportError>,
}

/// A figure that somebody states of a chip, and who.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedFigure {
    /// Its key in the table of the model, `clock` for that of opcodes, or `erase[64 KiB].duration`.
    pub key: String,
    /// Columns and quantities.
    columns: Vec<(&'static str, String)>,
    /// Who says so; `published: …` where that is not the maker, and `assumed: …` gives a reason instead.
    source: String,
}

impl ClaimedFigure {
    /// A figure of columns min, typ and max, of which at least one is stated.
    ///
    /// # Errors
    /// When none is stated, one is not a quantity, or there is no source.
    pub fn new(key: &str, columns: [Option<&str>; 3], source: &str) -> Result<Self, String> {
        let names = ["min", "typ", "max"].into_iter();
        let columns = names.zip(columns).filter_map(|(name, text)| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            Some((name, text))
        });
        let written = columns.map(|(name, text)| match compare::canonical(text) {
            Some(text) => Ok((name, text)),
            None => Err(format!(
                "{key}: {text:?} is not a quantity; allowed: a number and its unit"
            )),
        });
        let columns: Vec<_> = written.collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Err(format!("{key}: none of min, typ and max is stated"));
        }
        if source.trim().is_empty() {
            return Err(format!("{key} has no source"));
        }
        Ok(Self {
            key: key.to_owned(),
            columns,
            source: source.to_owned(),
        })
    }

    /// A supply range such as `2.7V..3.6V`.
    ///
    /// # Errors
    /// When the text is no such range, or there is no source.
    pub fn supply(range: &str, source: &str) -> Result<Self, String> {
        let allowed =
            || format!("{range:?} is not a supply range; allowed: LOW..HIGH, as in 2.7V..3.6V");
        let (min, max) = range.split_once("..").ok_or_else(allowed)?;
        let volts = |text: &str| text.trim().parse::<Voltage>().map_err(|_| allowed());
        if volts(min)? > volts(max)? {
            return Err(allowed());
        }
        Self::new("supply", [Some(min), None, Some(max)], source)
    }

    /// The highest clock of opcodes.
    #[must_use]
    pub fn clock(clock: Frequency, source: &str) -> Self {
        Self {
            key: "clock".to_owned(),
            columns: vec![("max", clock.to_string())],
            source: source.to_owned(),
        }
    }

    pub(super) fn text(&self) -> String {
        let said = match self.source.split_once(": ") {
            Some(("assumed", reason)) => Said::Assumed(reason),
            Some(("published", source)) => Said::Published(source),
            _ => Said::Maker(&self.source),
        };
        figure(&self.columns, said)
    }
}

/// What a chip answers to opcode 9Fh: maker, kind, capacity, and sometimes more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JedecId(Vec<u8>);

impl JedecId {
    /// The makers that have its first byte; none where the list has none.
    #[must_use]
    pub fn makers(&self) -> &'static [&'static str] {
        ids::makers(self.0[0])
    }

    /// The capacity that its third byte states by the rule of its maker, in bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> Option<u64> {
        ids::capacity_bytes(self.0[0], *self.0.get(2)?)
    }
}

impl FromStr for JedecId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error =
            || format!("{text:?} is not a JEDEC ID; allowed: 2 to 6 bytes in hex, as in EF4018");
        let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let digits = digits.strip_prefix("0x").unwrap_or(&digits);
        let whole = matches!(digits.len(), 4 | 6 | 8 | 10 | 12)
            && digits.chars().all(|c| c.is_ascii_hexdigit());
        if !whole {
            return Err(error());
        }
        let pairs = (0..digits.len()).step_by(2);
        let bytes: Result<Vec<_>, _> = pairs
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16))
            .collect();
        let bytes = bytes.map_err(|_| error())?;
        // Codes of later banks of JEP106 begin with 7Fh, and the list has none of them.
        let uniform = bytes.iter().all(|byte| *byte == bytes[0]);
        if uniform {
            return Err(format!(
                "{text:?} is a bus without a chip; allowed: the id of one"
            ));
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for JedecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}
