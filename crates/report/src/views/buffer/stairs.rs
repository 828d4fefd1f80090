//! RAM for whole records, from the exact curve of single bytes.
//!
//! Where records are of one size, what the buffer holds of them while one is in flight is what it would
//! hold of single bytes, rounded up to a whole record, at every rate. So the exact curve of single bytes,
//! which is straight between its points, shows where each step lies.

/// A screen shows no more steps.
const MOST_STEPS: usize = 400;

/// A rounding above a whole record is that record.
const ROUNDING: f64 = 1e-9;

/// Points of the staircase, each the end of its step: a value holds for what lies below its point. Of
/// more steps than a screen shows, each stretch keeps its highest.
pub(super) fn stairs(exact: &[(f64, f64)], record: f64) -> Vec<(f64, f64)> {
    let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite() && *y >= 0.0;
    let exact: Vec<(f64, f64)> = exact.iter().filter(finite).copied().collect();
    let (Some(&first), Some(&last)) = (exact.first(), exact.last()) else {
        return Vec::new();
    };
    if !(record.is_finite() && record > 0.0) {
        return Vec::new();
    }
    let whole = |y: f64| (y / record - ROUNDING).ceil().max(1.0);
    let mut steps = vec![(first.0, whole(first.1) * record)];
    let rises = exact
        .windows(2)
        .map(|pair| whole(pair[1].1) - whole(pair[0].1));
    if rises.map(|rise| rise.max(0.0)).sum::<f64>() <= MOST_STEPS as f64 {
        for pair in exact.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let mut records = whole(y0);
            while records < whole(y1) {
                let share = (records * record - y0) / (y1 - y0);
                steps.push((x0 + share.clamp(0.0, 1.0) * (x1 - x0), records * record));
                records += 1.0;
            }
        }
    } else {
        let mut from = 0;
        steps.extend((1..MOST_STEPS).map(|step| {
            let x = first.0 + (last.0 - first.0) * step as f64 / MOST_STEPS as f64;
            while from + 2 < exact.len() && exact[from + 1].0 < x {
                from += 1;
            }
            let [(x0, y0), (x1, y1)] = [exact[from], exact[from + 1]];
            let share = if x1 > x0 { (x - x0) / (x1 - x0) } else { 1.0 };
            (x, whole(y0 + share * (y1 - y0)) * record)
        }));
    }
    steps.push((last.0, whole(last.1) * record));
    steps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a staircase holds at a place: the value of the first point from there on.
    fn at(steps: &[(f64, f64)], x: f64) -> f64 {
        let step = steps.iter().find(|(end, _)| *end >= x);
        step.expect("a step").1
    }

    #[test]
    fn steps_stand_where_the_curve_crosses_whole_records() {
        let exact = [(1.0, 2.0), (3.0, 10.0), (4.0, 10.0), (5.0, 12.5)];
        let expected = [(1.0, 4.0), (1.5, 4.0), (2.5, 8.0), (4.8, 12.0), (5.0, 16.0)];
        assert_eq!(stairs(&exact, 4.0), expected);
    }

    #[test]
    fn what_is_no_curve_has_no_steps() {
        for (exact, record) in [
            (vec![], 4.0),
            (vec![(f64::NAN, 1.0)], 4.0),
            (vec![(1.0, 1.0)], 0.0),
        ] {
            assert_eq!(stairs(&exact, record), []);
        }
        assert_eq!(stairs(&[(1.0, 5.0)], 4.0), [(1.0, 8.0), (1.0, 8.0)]);
    }

    proptest! {
        #[test]
        fn a_staircase_is_the_curve_in_whole_records(
            pieces in prop::collection::vec((0.1..9.0_f64, 0.0..90.0_f64), 1..12),
            places in prop::collection::vec(0.0..1.0_f64, 9),
            record in prop_oneof![Just(1.0), Just(7.0), Just(0.02)],
        ) {
            let mut end = (1.0, 0.5);
            let mut exact = vec![end];
            for (width, rise) in pieces {
                end = (end.0 + width, end.1 + rise);
                exact.push(end);
            }
            let steps = stairs(&exact, record);
            prop_assert!(steps.len() <= MOST_STEPS + 2);
            let stretch = (end.0 - 1.0) / MOST_STEPS as f64;
            for share in places {
                let x = 1.0 + share * (end.0 - 1.0);
                let exactly = |x: f64| {
                    let pair = exact.windows(2).find(|pair| x <= pair[1].0).expect("a piece");
                    let share = (x - pair[0].0) / (pair[1].0 - pair[0].0);
                    let y = pair[0].1 + share * (pair[1].1 - pair[0].1);
                    ((y / record).ceil() * record).max(record)
                };
                let told = at(&steps, x);
                // Thinned steps show what the end of their stretch needs.
                let above = exactly((x + stretch).min(end.0));
                prop_assert!(told >= exactly(x) - 1e-6 && told <= above + 1e-6, "{x}: {told}");
            }
        }
    }
}
