//! What a search leaves open: figures that the log does not determine, and how far the others could be off.
//!
//! Two tests, both by simulation. A figure whose value in the base does as well as the fitted one was not
//! determined: it stays as it was. Of each figure that remains, the values around it are tried by factors, the
//! other figures held; the interval in which the distance grows by no more than [`AS_GOOD`] is reported.
//! It is no confidence interval: figures that make up for each other could be off together by more.

use rayon::prelude::*;

use super::aim::Aim;
use super::template::Knob;

/// Growth of the distance that a log cannot distinguish from none: 1 %.
const AS_GOOD: f64 = 0.01;

/// Factors that a figure is tried at, up and down.
const FACTORS: [f64; 6] = [1.05, 1.1, 1.2, 1.4, 2.0, 4.0];

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Certain {
    /// Figures that the log determines.
    pub(crate) figures: Vec<CertainFigure>,
    /// Figures that stay as the base has them.
    kept: Vec<(Knob, f64)>,
    /// Whether the search came to rest.
    pub(crate) settled: bool,
}

/// A figure that the log determines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CertainFigure {
    pub(crate) knob: Knob,
    pub(crate) value: f64,
    /// Least and greatest value that does as well, the other figures held.
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl CertainFigure {
    /// How sure it is, to stand behind what it was fitted to.
    pub(crate) fn told(&self) -> String {
        let (least, most) = (self.knob.told(self.least), self.knob.told(self.most));
        if least == most {
            String::new()
        } else {
            format!("; {least} to {most} do as well")
        }
    }
}

impl Certain {
    /// Every figure that may change.
    pub(crate) fn values(&self) -> Vec<(Knob, f64)> {
        let found = self
            .figures
            .iter()
            .map(|figure| (figure.knob, figure.value));
        found.chain(self.kept.iter().copied()).collect()
    }
}

/// Separates the figures at a point that the log determines from those that it does not; `None` when `stopped` says so.
pub(crate) fn weigh(
    aim: &Aim<'_>,
    point: Vec<f64>,
    value: f64,
    settled: bool,
    stopped: &dyn Fn() -> bool,
) -> Option<Certain> {
    let (point, value, fitted) = aim.put_back(point, value);
    let mut certain = Certain {
        figures: Vec::new(),
        kept: Vec::new(),
        settled,
    };
    for (index, (knob, _)) in aim.knobs.iter().enumerate() {
        if stopped() {
            return None;
        }
        if !fitted[index] {
            certain.kept.push((*knob, point[index]));
            continue;
        }
        let (least, most) = aim.interval(&point, index, value);
        certain.figures.push(CertainFigure {
            knob: *knob,
            value: point[index],
            least,
            most,
        });
    }
    (!stopped()).then_some(certain)
}

impl Aim<'_> {
    /// Gives figures back the base's value where that does as well, the least helpful first. Returns the point,
    /// its distance, and which figures remain fitted.
    fn put_back(&self, mut point: Vec<f64>, mut value: f64) -> (Vec<f64>, f64, Vec<bool>) {
        let mut fitted = vec![true; point.len()];
        let allowed = value + AS_GOOD;
        loop {
            let open: Vec<usize> = (0..point.len()).filter(|index| fitted[*index]).collect();
            let tried: Vec<_> = open
                .into_par_iter()
                .filter_map(|index| {
                    let mut other = point.clone();
                    other[index] = self.knobs[index].1;
                    let distance = if other == point {
                        value
                    } else {
                        self.distance(&other)?
                    };
                    Some((index, distance))
                })
                .collect();
            let best = tried.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
            match best {
                Some((index, distance)) if distance <= allowed => {
                    point[index] = self.knobs[index].1;
                    value = distance;
                    fitted[index] = false;
                }
                _ => return (point, value, fitted),
            }
        }
    }

    /// Values of a figure that do as well, the others held.
    fn interval(&self, point: &[f64], index: usize, value: f64) -> (f64, f64) {
        let axis = self.knobs[index].0.axis();
        let reach = |up: bool| {
            let mut far = point[index];
            for factor in FACTORS {
                let mut other = point.to_vec();
                let next = if up {
                    point[index] * factor
                } else {
                    point[index] / factor
                };
                let next = if axis.whole { next.round() } else { next };
                other[index] = next.clamp(axis.least, axis.most);
                if other[index] == far {
                    continue;
                }
                match self.distance(&other) {
                    Some(distance) if distance <= value + AS_GOOD => far = other[index],
                    _ => break,
                }
            }
            far
        };
        rayon::join(|| reach(false), || reach(true))
    }
}
