//! Prices that users state: lists of them, and a catalogue with them.
//!
//! A list is CSV with a head: `part,quantity,price,currency,date` and, for currencies other than the euro, `exchange`: the
//! euros for one unit of the currency on that date. No price is invented: a part that no list names stays without one.

use std::collections::BTreeMap;

use wordline_core::quantity::{Money, Quantity};

use crate::error::{CatalogError, PriceError};
use crate::{Catalog, Sheet, estimate, parse};

/// What several lists say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceList {
    /// By part and quantity.
    offers: BTreeMap<String, BTreeMap<u64, PriceOffer>>,
    /// Euros for one unit of other currencies, for lists that do not say it.
    exchange: BTreeMap<String, f64>,
}

/// The price of one part from a quantity on.
#[derive(Clone, Debug, PartialEq)]
struct PriceOffer {
    quantity: u64,
    euros: f64,
    /// `2026-11-26`, which orders as text.
    date: String,
    /// File and line.
    place: String,
}

/// Columns that a list must have.
const COLUMNS: [&str; 5] = ["part", "quantity", "price", "currency", "date"];

/// The column of other currencies than the euro.
const EXCHANGE: &str = "exchange";

/// Prices of one part in euros, from a thousandth of a cent to a million.
const PRICE_MIN: f64 = 1e-5;
const PRICE_MAX: f64 = 1e6;

/// No honest list has more lines.
const LINES_MAX: usize = 1_000_000;

impl PriceList {
    /// Whether no part has a price.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offers.is_empty()
    }

    /// States what a currency is worth, for lists that do not say it themselves: `USD=0.92`, in euros for one unit.
    ///
    /// # Errors
    /// With what is allowed, where the text is of another form.
    pub fn set_exchange(&mut self, text: &str) -> Result<(), String> {
        let allowed = "allowed: CURRENCY=EUROS, such as USD=0.92";
        let (currency, rate) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?} is not a rate of exchange; {allowed}"))?;
        let currency = currency.trim().to_ascii_uppercase();
        if currency.is_empty() || currency == "EUR" {
            return Err(format!("{text:?} names no currency beside EUR; {allowed}"));
        }
        let rate = rate.trim().parse::<f64>().ok();
        let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
        let rate = rate.ok_or_else(|| format!("{text:?} states no number above 0; {allowed}"))?;
        self.exchange.insert(currency, rate);
        Ok(())
    }

    /// Adds the lines of a file.
    ///
    /// # Errors
    /// With the line that cannot be understood, and what is allowed there.
    pub fn add(&mut self, file: &str, text: &[u8]) -> Result<(), PriceError> {
        let error = |line: u64, message: String| PriceError {
            file: file.to_owned(),
            line,
            message,
        };
        // Lines are counted by their feeds, which a return before one would hide.
        let text: Vec<u8> = String::from_utf8_lossy(text)
            .replace("\r\n", "\n")
            .into_bytes();
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .delimiter(delimiter(&text))
            .from_reader(text.as_slice());
        let place = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
        let head = reader.headers();
        let head = head
            .map_err(|fault| error(place(&fault), words(&fault)))?
            .clone();
        let twice = |name: &&&str| {
            let columns = head.iter();
            columns
                .filter(|column| column.eq_ignore_ascii_case(name))
                .count()
                > 1
        };
        let mut names = COLUMNS.iter().chain([&EXCHANGE]);
        if let Some(name) = names.find(twice) {
            return Err(error(
                1,
                format!("the head has {name:?} twice: leave one out"),
            ));
        }
        let column = |name: &str| {
            let mut columns = head.iter();
            columns.position(|column| column.eq_ignore_ascii_case(name))
        };
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            *place = column(name).ok_or_else(|| {
                let all = COLUMNS.join(", ");
                error(1, format!("the head lacks {name:?}; it has {all}, and {EXCHANGE} for other currencies than EUR"))
            })?;
        }
        let exchange = column(EXCHANGE);
        for (index, record) in reader.records().enumerate() {
            let record = record.map_err(|fault| error(place(&fault), words(&fault)))?;
            let line = record.position().map_or(0, csv::Position::line);
            if index >= LINES_MAX {
                return Err(error(line, format!("more than {LINES_MAX} prices")));
            }
            let cells = places.map(|place| record.get(place).unwrap_or(""));
            let rate = exchange.and_then(|place| record.get(place)).unwrap_or("");
            let (part, offer) =
                offer(cells, rate, &self.exchange).map_err(|message| error(line, message))?;
            let place = format!("{file}, line {line}");
            self.put(part, PriceOffer { place, ..offer })
                .map_err(|message| error(line, message))?;
        }
        Ok(())
    }

    /// Of two offers for one quantity the later counts; two of one day that differ are a contradiction.
    fn put(&mut self, part: String, offer: PriceOffer) -> Result<(), String> {
        let offers = self.offers.entry(part.clone()).or_default();
        match offers.get(&offer.quantity) {
            Some(old) if old.date > offer.date => return Ok(()),
            Some(old) if old.date == offer.date && (old.euros - offer.euros).abs() > 1e-9 => {
                return Err(format!(
                    "{part} has another price for {} on {} in {}: state one",
                    offer.quantity, offer.date, old.place
                ));
            }
            _ => {}
        }
        offers.insert(offer.quantity, offer);
        Ok(())
    }

    /// The offer of a part for a quantity: that of the largest quantity that is no larger.
    fn offer(&self, part: &str, quantity: u64) -> Option<&PriceOffer> {
        let within = self.offers.get(part)?.range(..=quantity);
        within.last().map(|(_, offer)| offer)
    }
}

/// What is wrong with the form of a line.
fn words(fault: &csv::Error) -> String {
    match fault.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!(
            "{len} cells under a head of {expected_len}; decimals have a point, and text with a separator stands in quotes"
        ),
        csv::ErrorKind::Utf8 { .. } => "it is no text in UTF-8".to_owned(),
        _ => fault.to_string(),
    }
}

/// The separator of a list: what stands most often in its head.
fn delimiter(text: &[u8]) -> u8 {
    let lines = text.split(|byte| *byte == b'\n');
    let mut heads = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let head = heads.next().unwrap_or_default();
    let count = |of: &u8| head.iter().filter(|byte| *byte == of).count();
    let all = [b',', b';', b'\t'];
    all.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

/// Reads a line: part and offer, without its place.
fn offer(
    cells: [&str; COLUMNS.len()],
    rate: &str,
    exchange: &BTreeMap<String, f64>,
) -> Result<(String, PriceOffer), String> {
    let [part, quantity, price, currency, date] = cells;
    if part.is_empty() {
        return Err("part is empty: name a part, as in wordline part list".to_owned());
    }
    let pieces: u64 = quantity
        .parse()
        .ok()
        .filter(|pieces| *pieces > 0)
        .ok_or_else(|| {
            format!(
                "quantity {quantity:?} is not a number of pieces; allowed: 1, 100, 1000 and so on"
            )
        })?;
    let above_zero = |name: &str, text: &str| {
        let value = text.parse::<f64>().ok();
        let value = value.filter(|value| value.is_finite() && *value > 0.0);
        value.ok_or_else(|| format!("{name} {text:?} is not a number above 0, such as 3.95"))
    };
    let amount = above_zero("price", price)?;
    let euros = match (currency.to_ascii_uppercase().as_str(), rate) {
        ("EUR", "" | "1") => amount,
        ("EUR", rate) => {
            return Err(format!(
                "a price in EUR has the {EXCHANGE} {rate:?}; allowed: none, or 1"
            ));
        }
        ("", _) => {
            return Err(
                "currency is empty: state EUR, or another one with its exchange".to_owned(),
            );
        }
        (other, "") => match exchange.get(other) {
            Some(rate) => amount * rate,
            None => {
                return Err(format!(
                    "a price in {other:?} needs the column {EXCHANGE}: euros for one {other} on that date; or state --exchange {other}=RATE"
                ));
            }
        },
        (_, rate) => amount * above_zero(EXCHANGE, rate)?,
    };
    if !(PRICE_MIN..=PRICE_MAX).contains(&euros) {
        return Err(format!(
            "a price of {euros} EUR is out of range; allowed: {PRICE_MIN} to {PRICE_MAX} EUR"
        ));
    }
    if !is_date(date) {
        return Err(format!(
            "date {date:?} is not a day; allowed: year, month and day, as in 2026-11-26"
        ));
    }
    let offer = PriceOffer {
        quantity: pieces,
        euros,
        date: date.to_owned(),
        place: String::new(),
    };
    Ok((part.to_owned(), offer))
}

fn is_date(text: &str) -> bool {
    let fields: Vec<_> = text.split('-').collect();
    let [year, month, day] = fields.as_slice() else {
        return false;
    };
    let number = |text: &str, digits: usize| {
        let is_plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_plain)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

impl Catalog {
    /// Gives parts the prices of a list for so many pieces; they replace the prices of their sheets. Returns a remark for
    /// each part whose smallest quantity is larger, which keeps the price of its sheet.
    ///
    /// # Errors
    /// When the list names a part that the catalogue does not have, with the nearest.
    pub fn set_prices(
        &mut self,
        list: &PriceList,
        quantity: u64,
    ) -> Result<Vec<String>, CatalogError> {
        let mut remarks = Vec::new();
        for (id, offers) in &list.offers {
            let part = self.part(id).map_err(|error| {
                let place = offers.values().next().map_or("", |offer| &offer.place);
                CatalogError::Target {
                    message: format!("{place}: {error}"),
                }
            })?;
            let Some(offer) = list.offer(id, quantity) else {
                let least = offers.keys().next().copied().unwrap_or(0);
                remarks.push(format!("{id} has no price for {quantity}: its smallest quantity is {least} (--quantity)"));
                continue;
            };
            let header = &part.header;
            let embedded = header.embedded;
            let text = with_price(&header.text, offer).map_err(|message| CatalogError::Target {
                message: format!("{}: {message}", header.file),
            })?;
            match parse(&header.file, &text).map_err(CatalogError::Sheets)? {
                Sheet::Part(mut part) => {
                    // The price alone is the user's; the part is still that of the catalogue.
                    part.header.embedded = embedded;
                    self.insert(Sheet::Part(part));
                }
                _ => unreachable!("it was a part"),
            }
        }
        Ok(remarks)
    }
}

/// The text of a sheet with a price in the place of its own.
fn with_price(text: &str, offer: &PriceOffer) -> Result<String, String> {
    let pieces = if offer.quantity == 1 {
        "piece"
    } else {
        "pieces"
    };
    let source = format!(
        "{}: {} at {} {pieces}",
        offer.place, offer.date, offer.quantity
    );
    let figure = format!(
        "{{ typ = \"{}\", basis = \"published\", source = {} }}",
        Money::from_si(offer.euros),
        toml::Value::String(source)
    );
    let tree = estimate::tree(text).map_err(|(_, message)| message)?;
    let Some(old) = tree.get("cost") else {
        return Ok(format!("cost = {figure}\n{text}"));
    };
    let span = old.span();
    if !text[span.clone()].starts_with('{') {
        return Err("cost is a table of its own: write it on one line, cost = { ... }, so that a price list can replace it".to_owned());
    }
    Ok(format!(
        "{}{figure}{}",
        &text[..span.start],
        &text[span.end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "part,quantity,price,currency,date,exchange\n\
                        w25q64jv,1,0.90,EUR,2026-11-02,\n\
                        w25q64jv,1000,0.55,EUR,2026-11-02,\n\
                        em064lx,1,30,USD,2026-10-01,0.9\n";

    fn catalog() -> Catalog {
        Catalog::load(&[]).expect("the embedded sheets are sound")
    }

    fn price(catalog: &Catalog, id: &str) -> Option<f64> {
        let part = catalog.part(id).expect("in the catalogue");
        part.cost.as_ref().map(|cost| cost.nominal().si())
    }

    fn read(text: &str) -> Result<PriceList, PriceError> {
        let mut list = PriceList::default();
        list.add("p.csv", text.as_bytes())?;
        Ok(list)
    }

    #[test]
    fn the_largest_quantity_within_the_asked_one_counts() {
        let list = read(LIST).expect("sound");
        for (quantity, expected) in [(1, 0.90), (999, 0.90), (1000, 0.55), (50_000, 0.55)] {
            let mut catalog = catalog();
            assert_eq!(catalog.set_prices(&list, quantity).expect("known"), [""; 0]);
            let price = price(&catalog, "w25q64jv").expect("a price");
            assert!((price - expected).abs() < 1e-12, "{quantity}: {price}");
        }
    }

    #[test]
    fn a_price_has_its_place_and_replaces_that_of_the_sheet() {
        let mut catalog = catalog();
        let list = read(LIST).expect("sound");
        catalog.set_prices(&list, 1).expect("known");
        assert!((price(&catalog, "em064lx").expect("a price") - 27.0).abs() < 1e-9);
        let part = catalog.part("em064lx").expect("in the catalogue");
        let costs: Vec<_> = part
            .figures
            .iter()
            .filter(|figure| figure.figure == "cost")
            .collect();
        let [cost] = costs.as_slice() else {
            panic!("one price: {costs:?}");
        };
        assert!(
            cost.source.contains("p.csv, line 4: 2026-10-01 at 1 piece"),
            "{cost:?}"
        );
        assert!(part.header.embedded);
        // Everything else stands as it was.
        let before = super::tests::catalog();
        let old = before.part("em064lx").expect("in the catalogue");
        assert_eq!(old.model.capacity_bytes(), part.model.capacity_bytes());
        assert_eq!(old.lifecycle, part.lifecycle);
    }

    #[test]
    fn nothing_is_guessed() {
        let refused = |text: &str, words: &[&str]| {
            let error = read(text).expect_err(text).to_string();
            for words in words {
                assert!(error.contains(words), "{words}: {error}");
            }
        };
        let head = "part,quantity,price,currency,date\n";
        let line = |line: &str| format!("{head}{line}\n");
        refused("part,price\n", &["p.csv:1", "lacks \"quantity\""]);
        refused(
            &line("em064lx,1,30,USD,2026-10-01"),
            &["p.csv:2", "\"USD\" needs the column exchange"],
        );
        refused(&line("em064lx,1,30,,2026-10-01"), &["currency is empty"]);
        refused(&line("em064lx,0,30,EUR,2026-10-01"), &["quantity \"0\""]);
        refused(&line("em064lx,1,free,EUR,2026-10-01"), &["price \"free\""]);
        refused(&line("em064lx,1,-3,EUR,2026-10-01"), &["price \"-3\""]);
        refused(&line("em064lx,1,3,EUR,Monday"), &["date \"Monday\""]);
        refused(&line("em064lx,1,3,EUR,2026-13-01"), &["date"]);
        refused(&line("em064lx,1,3,EUR,2026-02-29"), &["date"]);
        refused(
            &line("em064lx,1,3e11,EUR,2026-02-28"),
            &["EUR is out of range"],
        );
        let exchanged =
            "part,quantity,price,currency,date,exchange\nem064lx,1,3,EUR,2026-02-28,0.5\n";
        refused(exchanged, &["p.csv:2", "a price in EUR has the exchange"]);
        assert!(read(&line("em064lx,1,3,eur,2024-02-29")).is_ok());
        refused(&line("em064lx,1,3"), &["p.csv:2"]);
        refused(
            &line("em064lx,1,3,EUR,2026-10-01\nem064lx,1,4,EUR,2026-10-01"),
            &["p.csv:3", "another price", "line 2"],
        );
        refused(
            "part,quantity,price,price,currency,date\n",
            &["p.csv:1", "\"price\" twice"],
        );
        refused(
            &line("em064lx,1,3,50,EUR,2026-10-01"),
            &["p.csv:2", "6 cells under a head of 5", "a point"],
        );
        let returns =
            line("w25q64jv,1,3,EUR,2026-10-01\nem064lx,1,-3,EUR,2026-10-01").replace('\n', "\r\n");
        refused(&returns, &["p.csv:3"]);
        let list = read(&line("em064xl,1,3,EUR,2026-10-01")).expect("it reads");
        let error = catalog()
            .set_prices(&list, 1)
            .expect_err("unknown")
            .to_string();
        assert!(
            error.contains("p.csv, line 2") && error.contains("em064lx"),
            "{error}"
        );
        // A quantity below all offers leaves the part as it was, and says so.
        let list = read(&line("w25q64jv,100,0.7,EUR,2026-10-01")).expect("sound");
        let mut some = catalog();
        let remarks = some.set_prices(&list, 10).expect("known");
        assert!(
            remarks[0].contains("smallest quantity is 100"),
            "{remarks:?}"
        );
        assert_eq!(price(&some, "w25q64jv"), price(&catalog(), "w25q64jv"));
    }

    #[test]
    fn later_prices_count_and_separators_differ() {
        let list = read(
            "part;quantity;price;currency;date\nw25q64jv;1;0.9;EUR;2026-01-01\nw25q64jv;1;0.8;EUR;2026-02-01\n\
             w25q64jv;1;0.7;EUR;2025-02-01\n",
        );
        let mut catalog = catalog();
        catalog.set_prices(&list.expect("sound"), 1).expect("known");
        assert!((price(&catalog, "w25q64jv").expect("a price") - 0.8).abs() < 1e-12);
    }
}
