//! Parts that resemble a part.

use super::PartProfile;

/// How far a part is from another.
#[derive(Clone, Debug)]
pub struct Likeness<'a> {
    /// The other part.
    pub profile: PartProfile<'a>,
    /// The factor that its figures lie away by on average: the root mean square of their logarithms, 1 for the same figures.
    pub factor: f64,
    /// Figures that sources state of both, with capacity.
    pub compared: usize,
    /// What stands in the way of putting one in the place of the other; none where nothing does.
    pub obstacles: Vec<String>,
}

/// Figures of which both parts have sources, with capacity, before likeness means something.
const COMPARED_MIN: usize = 3;

/// Parts of the same kind, from the one that resembles a part most. A part on the same bus, of a supply that both take, and
/// of no less capacity may stand in for it.
#[must_use]
pub fn similar<'a>(
    to: &PartProfile<'_>,
    others: impl Iterator<Item = PartProfile<'a>>,
) -> Vec<Likeness<'a>> {
    let others = others
        .filter(|other| other.kind() == to.kind() && other.part.header.id != to.part.header.id);
    let mut all: Vec<_> = others.filter_map(|other| likeness(to, other)).collect();
    // Of a part of which little is known, likeness in a few figures says less.
    let known = 1 + to
        .values
        .iter()
        .flatten()
        .filter(|value| value.is_sourced())
        .count();
    let is_thin = |one: &Likeness<'_>| 2 * one.compared < known;
    all.sort_by(|one, other| {
        let order = |one: &Likeness<'_>| (one.obstacles.len(), is_thin(one));
        order(one)
            .cmp(&order(other))
            .then(one.factor.total_cmp(&other.factor))
    });
    all
}

fn likeness<'a>(to: &PartProfile<'_>, other: PartProfile<'a>) -> Option<Likeness<'a>> {
    let mut logs = vec![libm::log(other.capacity as f64 / to.capacity as f64)];
    for (one, another) in to.values.iter().zip(&other.values) {
        // Estimates of one kind resemble each other, whatever the parts are.
        if let (Some(one), Some(another)) = (one, another)
            && one.is_sourced()
            && another.is_sourced()
        {
            let ratio = another.usual() / one.usual();
            logs.extend(Some(libm::log(ratio)).filter(|log| log.is_finite()));
        }
    }
    if logs.len() < COMPARED_MIN {
        return None;
    }
    let mean = logs.iter().map(|log| log * log).sum::<f64>() / logs.len() as f64;
    let mut obstacles = Vec::new();
    if other.bus != to.bus {
        obstacles.push(format!("{} bus", other.bus.name()));
    }
    match (to.supply, other.supply) {
        (Some((least, most)), Some((from, up_to))) if from > most || up_to < least => {
            obstacles.push(format!("supply {from} to {up_to} V"));
        }
        _ => {}
    }
    if other.capacity < to.capacity {
        obstacles.push("less capacity".to_owned());
    }
    Some(Likeness {
        factor: libm::exp(mean.sqrt()),
        compared: logs.len(),
        obstacles,
        profile: other,
    })
}
