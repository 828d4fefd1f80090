//! From the files of a document to its values, checked once.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, Time};
use wordline_core::{Metric, Operation, Pattern, Timing};

use super::{Allowed, Kind, Measure, Published, Run, Use, Value, Variant, number};

/// `document.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cover {
    key: String,
    title: String,
    target: String,
    errata: Vec<String>,
}

/// Any other file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    value: Vec<Written>,
}

/// A value as the file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    citation: String,
    of: Partial,
    over: Option<Partial>,
    published: String,
    tolerance: Option<f64>,
    at_least: Option<String>,
    at_most: Option<String>,
    r#use: Use,
    miss: Option<String>,
    needs: Option<String>,
}

/// A measure as the file writes it. The divisor takes from the dividend what it leaves out.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Partial {
    target: Option<String>,
    workload: Option<Kind>,
    operation: Option<Operation>,
    access: Option<ByteCount>,
    pattern: Option<Pattern>,
    variant: Option<Variant>,
    period: Option<Time>,
    timing: Option<Timing>,
    metric: Option<Metric>,
    cause: Option<String>,
    sheet: Option<String>,
    figure: Option<String>,
    column: Option<String>,
}

impl Published {
    /// Reads a document from the texts of its cover and of its files of values.
    ///
    /// # Errors
    /// Says what is wrong, and with which value.
    pub fn parse(cover: &str, values: &[&str]) -> Result<Self, String> {
        let cover: Cover = toml::from_str(cover).map_err(|error| error.to_string())?;
        let mut value = Vec::new();
        for text in values {
            let file: Values = toml::from_str(text).map_err(|error| error.to_string())?;
            for written in file.value {
                let citation = written.citation.clone();
                let read = written.read(&cover.target);
                value.push(read.map_err(|problem| format!("{citation}: {problem}"))?);
            }
        }
        Ok(Self {
            key: cover.key,
            title: cover.title,
            target: cover.target,
            errata: cover.errata,
            value,
        })
    }
}

impl Written {
    fn read(self, target: &str) -> Result<Value, String> {
        let over = self.over.as_ref().map(|over| over.after(&self.of));
        let allowed = self.allowed()?;
        let of = self.of.measure(target)?;
        let over = over.map(|over| over.measure(target)).transpose()?;
        let number = if self.published == "Inf" {
            None
        } else {
            number::any(&self.published)
        };
        let limits = [&self.at_least, &self.at_most].map(|text| text.as_deref());
        let limits = limits.map(|text| text.and_then(number::any));
        let stated = number.into_iter().chain(limits.into_iter().flatten());
        let mut units = stated.map(|(_, unit)| unit);
        let expected = match (&of, &over) {
            (_, Some(_)) => Some("1"),
            (Measure::Row { metric, .. }, None) => Some(metric.unit()),
            (Measure::Figure { .. }, None) => None,
        };
        let unit = expected.or_else(|| units.clone().next());
        let unit = unit.or((self.published == "Inf").then_some("cycles"));
        let unit = unit.ok_or("neither the value nor a limit is a quantity")?;
        if let Some(other) = units.find(|other| *other != unit) {
            return Err(format!("the measure is in {unit}, a number in {other}"));
        }
        let published = match (number, self.published.as_str()) {
            (Some((value, _)), _) => Some(value),
            (None, "Inf") => Some(f64::INFINITY),
            (None, _) => None,
        };
        let compared = matches!(allowed, Allowed::Within { .. });
        if compared && !published.is_some_and(|value| value > 0.0) {
            return Err(format!("{:?} is no quantity above 0", self.published));
        }
        let empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.is_empty());
        if self.citation.is_empty() || empty(&self.miss) || empty(&self.needs) {
            return Err("a citation or a reason is empty".to_owned());
        }
        Ok(Value {
            citation: self.citation,
            of,
            over,
            text: self.published,
            published,
            unit,
            allowed,
            r#use: self.r#use,
            miss: self.miss,
            needs: self.needs,
        })
    }

    fn allowed(&self) -> Result<Allowed, String> {
        let limit = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match number::any(text) {
                Some((value, _)) => Ok(Some(value)),
                None => Err(format!("{text:?} is no quantity")),
            },
        };
        let (at_least, at_most) = (limit(&self.at_least)?, limit(&self.at_most)?);
        match (self.tolerance, at_least, at_most) {
            (Some(tolerance), None, None) if tolerance > 0.0 && tolerance < 0.5 => {
                Ok(Allowed::Within { tolerance })
            }
            (Some(tolerance), None, None) => Err(format!("a tolerance of {tolerance}")),
            (Some(_), _, _) => Err("a tolerance and a limit".to_owned()),
            (None, None, None) => Err("neither a tolerance nor a limit".to_owned()),
            (None, Some(least), Some(most)) if least > most => {
                Err("no value is allowed".to_owned())
            }
            (None, _, _) => Ok(Allowed::Between { at_least, at_most }),
        }
    }
}

impl Partial {
    /// The divisor of a ratio: what it leaves out, it takes from the dividend. A metric of its own
    /// comes with a cause of its own, or with none.
    fn after(&self, of: &Self) -> Self {
        let cause = match self.metric {
            Some(_) => self.cause.clone(),
            None => self.cause.clone().or_else(|| of.cause.clone()),
        };
        let or = |mine: &Option<String>, other: &Option<String>| mine.clone().or(other.clone());
        Self {
            target: or(&self.target, &of.target),
            workload: self.workload.or(of.workload),
            operation: self.operation.or(of.operation),
            access: self.access.or(of.access),
            // A ratio compares a pattern or a variant with the plain accesses.
            pattern: self.pattern,
            variant: self.variant,
            period: self.period.or(of.period),
            timing: self.timing.or(of.timing),
            metric: self.metric.or(of.metric),
            cause,
            sheet: or(&self.sheet, &of.sheet),
            figure: or(&self.figure, &of.figure),
            column: or(&self.column, &of.column),
        }
    }

    fn measure(self, target: &str) -> Result<Measure, String> {
        if let (Some(sheet), Some(figure)) = (self.sheet, self.figure) {
            if self.metric.is_some() || self.operation.is_some() || self.target.is_some() {
                return Err("a figure of a sheet is not run".to_owned());
            }
            let column = self.column.unwrap_or_else(|| "typ".to_owned());
            return Ok(Measure::Figure {
                sheet,
                figure,
                column,
            });
        }
        let missing = |what: &str| format!("{what} is missing");
        let run = Run {
            target: self.target.unwrap_or_else(|| target.to_owned()),
            workload: self.workload.unwrap_or_default(),
            operation: self.operation.ok_or_else(|| missing("operation"))?,
            access_bytes: self.access.ok_or_else(|| missing("access"))?.bytes(),
            pattern: self.pattern.unwrap_or(Pattern::Sequential),
            variant: self.variant,
            period_ps: self.period.map(Time::ps),
            timing: self.timing.unwrap_or(Timing::Typ),
        };
        Ok(Measure::Row {
            run,
            metric: self.metric.ok_or_else(|| missing("metric"))?,
            cause: self.cause,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COVER: &str = "key = 'k'\ntitle = 't'\ntarget = 'p@b'\nerrata = []\n";
    const ROW: &str = "operation = 'write', access = '2 KiB', metric = 'latency_max'";

    fn read(value: &str) -> Result<Value, String> {
        let text = format!("[[value]]\ncitation = 'c'\nuse = 'predicted'\n{value}");
        Published::parse(COVER, &[&text]).map(|mut document| document.value.remove(0))
    }

    #[test]
    fn a_divisor_takes_what_it_leaves_out_from_the_dividend() {
        let value = read(
            "of = { operation = 'write', access = '2 KiB', metric = 'latency_max_part', cause = \
             'erase' }\nover = { metric = 'latency_max' }\npublished = 'most of it'\nat_least = '0.5'",
        );
        let value = value.expect("sound");
        assert_eq!((value.published, value.unit), (None, "1"));
        let Some(Measure::Row { run, metric, cause }) = value.over else {
            panic!("a row");
        };
        assert_eq!((run.target.as_str(), run.access_bytes), ("p@b", 2048));
        assert_eq!((metric, cause), (Metric::LatencyMax, None));
    }

    #[test]
    fn mistakes_are_named() {
        let of = format!("of = {{ {ROW} }}\n");
        let cases = [
            ("published = '52 us'".to_owned(), "neither a tolerance nor"),
            (
                "published = '52 us'\ntolerance = 0.0".to_owned(),
                "a tolerance of 0",
            ),
            (
                "published = '52 us'\ntolerance = 0.9".to_owned(),
                "a tolerance of 0.9",
            ),
            (
                "published = '52 us'\ntolerance = 0.1\nat_most = '1 s'".to_owned(),
                "a tolerance and a limit",
            ),
            (
                "published = 'long'\ntolerance = 0.1".to_owned(),
                "is no quantity",
            ),
            (
                "published = '52 MB/s'\ntolerance = 0.1".to_owned(),
                "is in s, a number in B/s",
            ),
            (
                "published = '52 us'\nat_most = 'soon'".to_owned(),
                "\"soon\" is no quantity",
            ),
            (
                "published = 'x'\nat_least = '2 s'\nat_most = '1 s'".to_owned(),
                "no value is allowed",
            ),
            (
                "published = '52 us'\ntolerance = 0.1\nneeds = ''".to_owned(),
                "is empty",
            ),
            (
                "published = '52 us'\ntolerence = 0.1".to_owned(),
                "unknown field `tolerence`",
            ),
        ];
        for (text, expected) in cases {
            let error = read(&(of.clone() + &text)).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
        let no_metric =
            "of = { operation = 'read', access = '1 B' }\npublished = '1 s'\ntolerance = 0.1";
        assert!(
            read(no_metric)
                .expect_err("no metric")
                .contains("metric is missing")
        );
    }
}
