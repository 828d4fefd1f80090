//! Rates and sizes that a table shows without being asked.

/// Digits that people like at the beginning of a number.
const NICE: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0];

/// Round rates in bytes per second from a hundredth of the highest to the highest itself, ascending.
pub(crate) fn rates(highest: f64) -> Vec<f64> {
    if !(highest.is_finite() && highest > 0.0) {
        return Vec::new();
    }
    let mut rates = Vec::new();
    let mut decade = 10f64.powi(libm::floor(libm::log10(highest)) as i32 - 2);
    while decade <= highest {
        let nice = NICE.iter().map(|digit| digit * decade);
        rates.extend(nice.filter(|rate| *rate >= highest / 100.0 && *rate < highest));
        decade *= 10.0;
    }
    rates.push(highest);
    rates
}

/// Sizes of RAM in bytes: powers of two times the record, from one record on, as many as `safe_rate`
/// (the highest safe rate for a size) still grows by.
pub(crate) fn rams(record_bytes: u64, highest: f64, safe_rate: impl Fn(u64) -> f64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut size = record_bytes.max(1);
    for _ in 0..24 {
        sizes.push(size);
        if safe_rate(size) >= 0.999 * highest {
            break;
        }
        let Some(next) = size.checked_mul(2) else {
            break;
        };
        size = next;
    }
    sizes
}

/// Numbers of consecutive accesses, about evenly spread on a logarithmic scale up to `most`.
pub(crate) fn lengths(most: u64, count: usize) -> Vec<u64> {
    let mut lengths: Vec<u64> = Vec::new();
    let step = libm::log(most.max(1) as f64) / (count.max(2) - 1) as f64;
    for index in 0..count {
        let length = libm::round(libm::exp(step * index as f64)) as u64;
        let length = length.clamp(1, most.max(1));
        if lengths.last() != Some(&length) {
            lengths.push(length);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_round_and_end_at_the_highest() {
        let rates = rates(6.65e6);
        assert_eq!(rates.first(), Some(&70_000.0));
        assert_eq!(rates.last(), Some(&6.65e6));
        assert!(rates.contains(&1e6) && rates.contains(&500_000.0));
        assert!(rates.windows(2).all(|pair| pair[0] < pair[1]), "{rates:?}");
        assert!(rates.len() <= 16);
        assert!(super::rates(0.0).is_empty() && super::rates(f64::NAN).is_empty());
    }

    #[test]
    fn lengths_are_spread_and_distinct() {
        assert_eq!(lengths(1, 64), [1]);
        let many = lengths(100_000_000, 64);
        assert_eq!((many[0], *many.last().expect("some")), (1, 100_000_000));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(many.len() > 50);
    }

    #[test]
    fn rams_double_until_more_does_not_help() {
        let sizes = rams(4096, 100.0, |ram| if ram >= 32_768 { 100.0 } else { 50.0 });
        assert_eq!(sizes, [4096, 8192, 16_384, 32_768]);
    }
}
