//! What a price may be, wherever one is stated.

use wordline_core::quantity::{Money, Quantity as _};

use crate::error::SettingProblem;

/// The most in euros, as in lists of prices.
const MOST: f64 = 1e6;

/// What is wrong with the first of some prices that cannot be one.
pub(crate) fn problem<'a>(prices: impl IntoIterator<Item = &'a Money>) -> Option<SettingProblem> {
    let is_wrong = |price: &&Money| !(0.0..=MOST).contains(&price.si());
    let found = *prices.into_iter().find(is_wrong)?;
    let [least, most] = [0.0, MOST].map(Money::from_si);
    Some(SettingProblem::out_of_range(found, least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_end_at_a_million() {
        let of = |euros: f64| problem([&Money::from_si(1.0), &Money::from_si(euros)]);
        assert!(of(0.0).is_none() && of(1e6).is_none());
        for euros in [1.000_001e6, 1e100, f64::INFINITY] {
            let problem = of(euros).expect("no price").to_string();
            assert!(problem.contains("allowed"), "{problem}");
        }
    }
}
