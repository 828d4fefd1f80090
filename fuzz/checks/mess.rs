//! Whatever is given as curves of Mess, it is refused in words, or read as curves that have one latency at each bandwidth.

use wordline_trace::mess::{MessCurve, MessError, MessOptions, read};

/// Panics when a promise is broken. Returns whether curves were read that do not contradict themselves.
pub(crate) fn check(data: &[u8]) -> bool {
    let strict = curves(data, MessOptions::default());
    let rising = curves(data, MessOptions { rising: true });
    let Some(strict) = strict else {
        return false;
    };
    assert_eq!(Some(strict), rising, "what is strict needs no leave");
    true
}

fn curves(data: &[u8], options: MessOptions) -> Option<Vec<MessCurve>> {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    match read(data, options) {
        Ok(curves) => {
            assert!(!curves.is_empty());
            for curve in &curves {
                assert!(
                    curve
                        .read_percent
                        .is_none_or(|percent| (0.0..=100.0).contains(&percent))
                );
                let points = &curve.points;
                assert!(!points.is_empty(), "{curve:?}");
                assert!(
                    points.is_sorted_by(|one, next| one.bandwidth < next.bandwidth),
                    "{curve:?}"
                );
                for point in points {
                    assert!(
                        point.bandwidth > 0.0 && point.bandwidth.is_finite(),
                        "{point:?}"
                    );
                    assert!(
                        point.latency > 0.0 && point.latency.is_finite(),
                        "{point:?}"
                    );
                    assert!((1..=lines).contains(&point.line), "{point:?}");
                }
            }
            Some(curves)
        }
        Err(error) => {
            assert!(error.to_string().len() < 1000, "{error}");
            match error.line() {
                Some(line) => assert!((1..=lines).contains(&line), "{error}"),
                None => assert!(matches!(error, MessError::Empty), "{error}"),
            }
            None
        }
    }
}
