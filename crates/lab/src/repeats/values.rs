//! Statistics of a few values of one figure: its median, an interval of the median, and outliers.
//!
//! All of them go by ranks, because durations on a real machine are skewed: something may always take longer, and nothing
//! takes less than it needs. The interval is that of order statistics (David and Nagaraja, "Order Statistics", 7.1), which
//! holds for every distribution; outliers are those of Tukey's box plots ("Exploratory Data Analysis", 2D).

/// The chance that an interval leaves the median out on one side: 95 % of both sides together.
const TAIL: f64 = 0.025;

/// Interquartile ranges beyond the quartiles at which outliers begin.
const FENCE: f64 = 1.5;

/// At least one value, ascending.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RepeatedValues(Vec<f64>);

impl RepeatedValues {
    /// Of some values; `None` of none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        (!values.is_empty()).then_some(Self(values))
    }

    /// The middle one, or the mean of the middle two.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn least(&self) -> f64 {
        self.0[0]
    }

    pub(crate) fn most(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// The narrowest interval between two values, as many below as above, that holds the median of what they are drawn
    /// from with 95 % or more; `None` of fewer than six, of which none does.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        let count = self.0.len();
        // Chance that at most so many of the values lie below the median: those of fair coins.
        let (mut chance, mut sum) = (0.5_f64.powi(count as i32), 0.0);
        let mut left_out = None;
        for below in 0..count / 2 {
            sum += chance;
            if sum > TAIL {
                break;
            }
            left_out = Some(below);
            chance *= (count - below) as f64 / (below + 1) as f64;
        }
        left_out.map(|below| (self.0[below], self.0[count - 1 - below]))
    }

    /// Width of the interval, or of the whole range where there are too few values for one, over the median; 0 where
    /// that is 0.
    pub(crate) fn spread(&self) -> f64 {
        let (low, high) = self.interval().unwrap_or((self.least(), self.most()));
        match self.median() {
            0.0 => 0.0,
            median => (high - low) / median,
        }
    }

    /// Values more than one and a half interquartile ranges outside the quartiles.
    pub(crate) fn outliers(&self) -> usize {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        let reach = FENCE * (high - low);
        let outside = |value: &&f64| **value < low - reach || **value > high + reach;
        self.0.iter().filter(outside).count()
    }

    /// The value at a share of the way from the first to the last, straight between two.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.0.len() - 1) as f64;
        let (below, above) = (place.floor() as usize, place.ceil() as usize);
        let (low, high) = (self.0[below], self.0[above]);
        low + (high - low) * (place - below as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_core::draw::{Purpose, draw, unit_interval};

    use super::*;

    fn values(of: &[f64]) -> RepeatedValues {
        RepeatedValues::of(of.iter().copied()).expect("some")
    }

    #[test]
    fn medians_and_outliers_are_those_of_the_books() {
        assert_eq!(RepeatedValues::of([]), None);
        assert_eq!(values(&[3.0]).median(), 3.0);
        assert_eq!(values(&[4.0, 1.0]).median(), 2.5);
        // Quartiles 3 and 7, fences at -3 and 13; 2 and 6, at -4 and 12.
        let nine = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let with = |last: f64| values(&[&nine[..], &[last]].concat());
        assert_eq!((with(13.0).median(), with(13.0).outliers()), (5.0, 0));
        assert_eq!((with(13.1).outliers(), with(-4.1).outliers()), (1, 1));
        assert_eq!((with(9.0).least(), with(9.0).most()), (1.0, 9.0));
    }

    /// The ranks that tables of order statistics print for 95 %.
    #[test]
    fn the_interval_has_the_ranks_of_printed_tables() {
        for (count, ranks) in [
            (5, None),
            (6, Some((1, 6))),
            (8, Some((1, 8))),
            (9, Some((2, 8))),
            (11, Some((2, 10))),
            (12, Some((3, 10))),
            (20, Some((6, 15))),
            (100, Some((40, 61))),
        ] {
            let all = RepeatedValues::of((1..=count).map(f64::from)).expect("some");
            let found = all.interval().map(|(low, high)| (low as u32, high as u32));
            assert_eq!(found, ranks, "{count}");
        }
    }

    /// Nine values of a skewed distribution whose median is 1.
    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        let drawn = |run: u64, at: u64| {
            let uniform = unit_interval(draw(5, run, at, Purpose::Resample));
            (uniform / 0.5).powi(4)
        };
        let holds = |run: &u64| {
            let nine = RepeatedValues::of((0..9).map(|at| drawn(*run, at))).expect("nine");
            let (low, high) = nine.interval().expect("nine are enough");
            (low..=high).contains(&1.0)
        };
        let held = (0..20_000).filter(holds).count();
        // 96.1 %, within four standard errors.
        assert!((19_108..=19_330).contains(&held), "{held}");
    }

    #[test]
    fn spread_is_of_the_interval_and_of_the_range_where_there_is_none() {
        assert_eq!(values(&[9.0, 10.0, 12.0]).spread(), 0.3);
        let nine = [1.0, 9.0, 9.5, 10.0, 10.0, 10.0, 10.5, 11.0, 99.0];
        assert_eq!(values(&nine).spread(), 0.2);
        assert_eq!(
            (values(&[7.0]).spread(), values(&[0.0; 9]).spread()),
            (0.0, 0.0)
        );
    }

    proptest! {
        /// However far one value is off, the median moves to a neighbour at most.
        #[test]
        fn an_outlier_moves_the_median_by_no_more_than_the_gap_to_its_neighbour(
            mut all in prop::collection::vec(1.0..1e9_f64, 3..40),
            place in 0_usize..40,
            outlier in -1e300..1e300_f64,
        ) {
            let before = RepeatedValues::of(all.clone()).expect("some");
            let place = place % all.len();
            all[place] = outlier;
            let after = RepeatedValues::of(all).expect("some");
            let (sorted, middle) = (&before.0, before.0.len() / 2);
            let low = sorted[(sorted.len() - 1) / 2 - 1];
            let high = sorted[middle + 1];
            prop_assert!((low..=high).contains(&after.median()), "{after:?}");
        }

        #[test]
        fn intervals_hold_the_median_and_nothing_depends_on_the_order(
            all in prop::collection::vec(1.0..1e9_f64, 1..60),
            turned in 0_usize..60,
        ) {
            let values = RepeatedValues::of(all.clone()).expect("some");
            let mut other = all;
            let turned = turned % other.len();
            other.rotate_left(turned);
            prop_assert_eq!(&RepeatedValues::of(other).expect("some"), &values);
            let (least, most) = (values.least(), values.most());
            let (low, high) = values.interval().unwrap_or((least, most));
            prop_assert!(least <= low && low <= values.median() && values.median() <= high && high <= most);
            prop_assert!(values.outliers() < values.0.len().max(2));
            prop_assert!(values.spread() >= 0.0);
        }
    }
}
