//! How a figure is estimated from a population: the method, which nothing but tests runs. Its results are stored.
//!
//! All is done on logarithms. A family's mean is drawn towards the mean of the kind by what the number of its members and
//! the variances within and between families say of it (random effects, by the method of moments). The range
//! is that of the differences which the parts at hand show when each is estimated without itself: distribution-free, as
//! in conformal prediction, so that nine of ten new parts lie within by construction. A part whose family
//! has no figure is measured by what is found when a whole family is left out, and there each family counts once,
//! however many parts it has.

/// Differences below which nothing is estimated: the widest of five holds the next in five of six cases, and that of six
/// in six of seven, which is the first above 85 %.
pub(super) const DIFFERENCES_MIN: usize = 6;

/// Differences from which on both ends of a range have their own. Below, the ends are equally far.
const TWO_SIDED_MIN: usize = 19;

/// The logarithm of a figure of a part, and the family of the part. A part without one is a family of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) family: String,
    pub(super) log: f64,
}

/// What is expected of a part, and how far off it may be, as logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expectation {
    pub(super) centre: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The differences that the range rests on: of siblings, or of families.
    pub(super) differences: usize,
}

impl Expectation {
    /// Whether a part lies in the range. The least slack keeps equal values within.
    pub(super) fn holds(&self, log: f64) -> bool {
        let off = log - self.centre;
        self.low - 1e-9 <= off && off <= self.high + 1e-9
    }
}

/// What to expect of a part of a family, or of a part of another family; `None` with too few members.
pub(super) fn expect(members: &[Member], family: Option<&str>) -> Option<Expectation> {
    let in_family = |name: &str| members.iter().filter(|one| one.family == name).count();
    let without = |left_out: &dyn Fn(&Member) -> bool, of: &Member, family: Option<&str>| {
        let rest: Vec<_> = members
            .iter()
            .filter(|one| !left_out(one))
            .cloned()
            .collect();
        (!rest.is_empty()).then(|| of.log - Effects::of(&rest).centre(&rest, family))
    };
    let of_sibling = |of: &Member| {
        let difference = without(&|one| std::ptr::eq(one, of), of, Some(&of.family))?;
        Some(Difference {
            log: difference,
            weight: 1.0,
        })
    };
    let of_other = |of: &Member| {
        let difference = without(&|one| one.family == of.family, of, None)?;
        let weight = 1.0 / in_family(&of.family) as f64;
        Some(Difference {
            log: difference,
            weight,
        })
    };
    let siblings = || {
        let siblings = members.iter().filter(|of| in_family(&of.family) > 1);
        ends(siblings.filter_map(of_sibling).collect())
    };
    let is_sibling = family.is_some_and(|name| in_family(name) > 0);
    let of_siblings = is_sibling.then(siblings).flatten();
    let (low, high, differences) =
        of_siblings.or_else(|| ends(members.iter().filter_map(of_other).collect()))?;
    Some(Expectation {
        centre: Effects::of(members).centre(members, family),
        low,
        high,
        differences,
    })
}

/// How far a part lies from what the others say of it, and how much that counts.
#[derive(Clone, Copy)]
struct Difference {
    log: f64,
    weight: f64,
}

/// The ends of the range that holds nine of ten new differences, and how many it rests on.
fn ends(differences: Vec<Difference>) -> Option<(f64, f64, usize)> {
    let weight: f64 = differences.iter().map(|one| one.weight).sum();
    let count = weight.round() as usize;
    if count < DIFFERENCES_MIN {
        return None;
    }
    let each = |of: fn(f64) -> f64| {
        let each = differences.iter().map(|one| Difference {
            log: of(one.log),
            ..*one
        });
        each.collect()
    };
    if count < TWO_SIDED_MIN {
        let end = quantile(each(f64::abs), 0.9);
        return Some((-end, end, count));
    }
    // What is expected lies in the range, however lopsided the differences are.
    let low = -quantile(each(|log| -log), 0.95);
    let high = quantile(each(|log| log), 0.95);
    Some((low.min(0.0), high.max(0.0), count))
}

/// What the next difference lies below with a probability: the k-th of n is that of k / (n + 1), and between two
/// there is a straight line.
fn quantile(mut differences: Vec<Difference>, probability: f64) -> f64 {
    differences.sort_by(|one, other| one.log.total_cmp(&other.log));
    let weight: f64 = differences.iter().map(|one| one.weight).sum();
    let wanted = probability * (weight + 1.0);
    let mut below = (0.0, differences[0].log);
    for one in &differences {
        let here = (below.0 + one.weight, one.log);
        if here.0 >= wanted {
            let share = ((wanted - below.0) / one.weight).clamp(0.0, 1.0);
            return below.1 + share * (here.1 - below.1);
        }
        below = here;
    }
    below.1
}

/// The value that nine of ten others lie below.
pub(super) fn nine_of_ten(values: impl Iterator<Item = f64>) -> f64 {
    nine_of_ten_weighted(values.map(|value| (value, 1.0)))
}

/// The value that nine of ten others lie below, where values have weights.
pub(super) fn nine_of_ten_weighted(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let differences = values.map(|(log, weight)| Difference { log, weight });
    quantile(differences.collect(), 0.9)
}

/// Mean and variances of a population.
struct Effects {
    mean: f64,
    /// Of the parts of one family.
    within: f64,
    /// Of the means of families.
    between: f64,
}

impl Effects {
    fn of(members: &[Member]) -> Self {
        let families = families(members);
        let (parts, count) = (members.len() as f64, families.len() as f64);
        let overall = members.iter().map(|one| one.log).sum::<f64>() / parts;
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
        let squares_within: f64 = families
            .iter()
            .map(|logs| {
                logs.iter()
                    .map(|log| (log - mean(logs)).powi(2))
                    .sum::<f64>()
            })
            .sum();
        let squares_between: f64 = families
            .iter()
            .map(|logs| logs.len() as f64 * (mean(logs) - overall).powi(2))
            .sum();
        let freedom = (parts - count, count - 1.0);
        let within = if freedom.0 > 0.0 {
            squares_within / freedom.0
        } else {
            0.0
        };
        let between = if freedom.1 > 0.0 {
            let sizes: f64 = families
                .iter()
                .map(|logs| (logs.len() as f64).powi(2))
                .sum();
            let size = (parts - sizes / parts) / freedom.1;
            ((squares_between / freedom.1 - within) / size).max(0.0)
        } else {
            0.0
        };
        let mut effects = Self {
            mean: overall,
            within,
            between,
        };
        let weights = families.iter().map(|logs| effects.weight(logs.len()));
        let weights: Vec<f64> = weights.collect();
        let all: f64 = weights.iter().sum();
        if all > 0.0 && all.is_finite() {
            let sum: f64 = families
                .iter()
                .zip(&weights)
                .map(|(logs, weight)| mean(logs) * weight)
                .sum();
            effects.mean = sum / all;
        }
        effects
    }

    /// How much the mean of a family of so many members says of the mean of all families.
    fn weight(&self, members: usize) -> f64 {
        1.0 / (self.between + self.within / members as f64)
    }

    /// What to expect of a part of a family.
    fn centre(&self, members: &[Member], family: Option<&str>) -> f64 {
        let of_family = members.iter().filter(|one| Some(&*one.family) == family);
        let logs: Vec<f64> = of_family.map(|one| one.log).collect();
        if logs.is_empty() {
            return self.mean;
        }
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        // Between 0, where families do not differ, and 1, where their parts do not.
        let error = self.within / logs.len() as f64;
        let trust = if self.between > 0.0 {
            self.between / (self.between + error)
        } else {
            0.0
        };
        self.mean + trust * (mean - self.mean)
    }
}

fn families(members: &[Member]) -> Vec<Vec<f64>> {
    let mut families = std::collections::BTreeMap::<&str, Vec<f64>>::new();
    for one in members {
        families.entry(&one.family).or_default().push(one.log);
    }
    families.into_values().collect()
}
