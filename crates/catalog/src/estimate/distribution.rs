//! The distributions of figures within kinds and families, as `distributions.tsv` has them.

use std::cmp::Ordering;

/// The distributions, one a line. `make reference` writes the file again.
pub(super) static TEXT: &str = include_str!("../../distributions.tsv");

/// How a column of a figure is distributed among the parts of a kind, as seen from a family of it or from none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distribution {
    /// The kind, in words that go before `parts`.
    pub(crate) kind: String,
    /// The figure, such as `erase[4 KiB].duration`.
    pub(crate) figure: String,
    /// Its column.
    pub(crate) column: String,
    /// The family; empty for a part of a family without any figure.
    pub(crate) family: String,
    /// Parts of the kind that state it.
    pub(crate) parts: usize,
    /// Those of the family among them.
    pub(crate) members: usize,
    /// The differences that the range rests on: of parts that have siblings, or of families.
    differences: usize,
    /// The value to expect, in the SI unit.
    pub(crate) centre: f64,
    /// The least factor that it may lie away by: 1 or less.
    pub(crate) low: f64,
    /// The largest: 1 or more.
    pub(crate) high: f64,
}

impl Distribution {
    /// A line of the file.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut text = || fields.next().map(str::to_owned);
        Some(Self {
            kind: text()?,
            figure: text()?,
            column: text()?,
            family: text()?,
            parts: text()?.parse().ok()?,
            members: text()?.parse().ok()?,
            differences: text()?.parse().ok()?,
            centre: text()?.parse().ok()?,
            low: text()?.parse().ok()?,
            high: text()?.parse().ok()?,
        })
    }

    /// The parts that it was found in, in words.
    pub(crate) fn sample(&self) -> String {
        let (kind, others) = (&self.kind, self.parts - self.members);
        match (self.members, others) {
            (0, _) => format!("{} {kind} parts", self.parts),
            (_, 0) => format!("{} {kind} parts of its family {}", self.parts, self.family),
            (members, _) => {
                let are = if members == 1 {
                    "1 part"
                } else {
                    &format!("{members} parts")
                };
                format!(
                    "{are} of its family {} and {others} other {kind} parts",
                    self.family
                )
            }
        }
    }

    /// The share of parts within the range, in words: of few differences, the widest holds the next as often as it is not
    /// wider itself.
    pub(crate) fn share(&self) -> String {
        match self.differences {
            9.. => "nine of ten".to_owned(),
            few => format!("{few} of {}", few + 1),
        }
    }
}

/// How far figures of a kind lie apart, as a factor; `None` where the catalogue has too few.
pub(crate) fn spread(figure: &str) -> Option<f64> {
    distribution(ALL_KINDS, figure, FACTOR, None).map(|found| found.high)
}

/// In the place of the kind, for what is common to parts and boards.
pub(super) const ALL_KINDS: &str = "all";
/// In the place of the column, for a factor.
pub(super) const FACTOR: &str = "factor";

/// Kind, figure, column and family: the order of the lines.
type DistributionKey<'a> = [&'a str; 4];

/// The distribution of a column of a figure in a kind, as seen from a family; from none where it has no figure.
pub(crate) fn distribution(
    kind: &str,
    figure: &str,
    column: &str,
    family: Option<&str>,
) -> Option<Distribution> {
    let find = |family| line_of([kind, figure, column, family]);
    let line = family.and_then(find).or_else(|| find(""))?;
    Distribution::parse(line)
}

/// The line of a key. It is looked for in the text, whose lines are in order: a sheet needs a few of a thousand, and to
/// read all of them would take longer than all else that opens a part.
fn line_of(key: DistributionKey<'_>) -> Option<&'static str> {
    let bytes = TEXT.as_bytes();
    let is_end = |byte: &u8| *byte == b'\n';
    let heading = bytes.iter().position(is_end)?;
    let (mut low, mut high) = (heading + 1, bytes.len());
    while low < high {
        let middle = low.midpoint(high);
        let start = bytes[low..middle].iter().rposition(is_end);
        let start = start.map_or(low, |before| low + before + 1);
        let length = bytes[start..].iter().position(is_end);
        let end = length.map_or(bytes.len(), |length| start + length);
        let line = TEXT.get(start..end)?;
        match key_of(line).cmp(&key) {
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start,
            Ordering::Equal => return Some(line),
        }
    }
    None
}

fn key_of(line: &str) -> DistributionKey<'_> {
    let mut fields = line.split('\t');
    [(); 4].map(|()| fields.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_by_its_key_and_no_other() {
        let lines: Vec<_> = TEXT.lines().skip(1).collect();
        assert!(lines.len() > 500);
        assert!(lines.is_sorted_by(|one, next| key_of(one) < key_of(next)));
        for line in lines {
            let [kind, figure, column, family] = key_of(line);
            assert_eq!(line_of([kind, figure, column, family]), Some(line));
            assert!(Distribution::parse(line).is_some(), "{line}");
            let unknown = format!("{family}\u{1}");
            assert_eq!(line_of([kind, figure, column, &unknown]), None);
            // Of a family without figures: the line of none.
            let of_none = distribution(kind, figure, column, Some(&unknown));
            assert_eq!(of_none, distribution(kind, figure, column, None));
        }
        for kind in ["", "A", "zz", "kind"] {
            assert_eq!(line_of([kind, "figure", "column", "family"]), None);
        }
    }
}
