//! Quantiles of values that a clock has rounded.

/// Values in order, with the clock's step spread over its width.
///
/// Of a duration between two readings that fall anywhere within the clock's steps, the clock shows the multiple below
/// or above, each so often that the mean is right. So equal values stand for a range as wide as the step, and are
/// spread over it: the median of 105 ns by a clock of 10 ns then is 105 and not 100 or 110.
pub(super) struct Ordered {
    values: Vec<f64>,
}

impl Ordered {
    /// Orders values, each with the width of the step in it. At least one is needed.
    pub(super) fn new(mut pairs: Vec<(f64, f64)>) -> Self {
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut values = Vec::with_capacity(pairs.len());
        for equal in pairs.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let count = equal.len() as f64;
            for (place, (value, step)) in equal.iter().enumerate() {
                values.push(value + step * ((place as f64 + 0.5) / count - 0.5));
            }
        }
        // Batches of different lengths have steps of different widths, which overlap.
        if !values.is_sorted() {
            values.sort_unstable_by(f64::total_cmp);
        }
        Self { values }
    }

    /// The quantile at `share`, 0 to 1, between neighbours in proportion.
    pub(super) fn at(&self, share: f64) -> f64 {
        let place = share.clamp(0.0, 1.0) * (self.values.len() - 1) as f64;
        let below = place.floor() as usize;
        let above = (below + 1).min(self.values.len() - 1);
        let (low, high) = (self.values[below], self.values[above]);
        // Not past `high` by rounding, so that quantiles keep their order.
        (low + (high - low) * (place - below as f64)).min(high)
    }
}

/// The value of rank `place`; reorders `values`.
pub(super) fn ranked(values: &mut [f64], place: usize) -> f64 {
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

/// The middle value, the upper one of two; reorders `values`, of which there must be one.
pub(super) fn middle(values: &mut [f64]) -> f64 {
    ranked(values, values.len() / 2)
}
