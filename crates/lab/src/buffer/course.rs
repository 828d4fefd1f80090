//! How something went over a run of unknown length: the highest value of each stretch.

use wordline_core::quantity::Time;

/// Stretches are merged in pairs when there are so many.
const STRETCHES_MAX: usize = 512;

/// The shortest stretch: 1 us.
const STRETCH_MIN_PS: u64 = 1_000_000;

/// The highest value in each stretch of equal duration.
#[derive(Clone, Debug)]
pub(crate) struct FillCourse {
    stretch_ps: u64,
    highest: Vec<Option<f64>>,
}

impl FillCourse {
    pub(crate) const fn new() -> Self {
        Self {
            stretch_ps: STRETCH_MIN_PS,
            highest: Vec::new(),
        }
    }

    /// Notes a value at an instant of the run.
    pub(crate) fn note(&mut self, at: Time, value: f64) {
        let mut index = at.ps() / self.stretch_ps;
        while index >= STRETCHES_MAX as u64 {
            let merge = |pair: &[Option<f64>]| {
                let values = pair.iter().flatten().copied();
                values.reduce(f64::max)
            };
            self.highest = self.highest.chunks(2).map(merge).collect();
            self.stretch_ps *= 2;
            index = at.ps() / self.stretch_ps;
        }
        let index = index as usize;
        if index >= self.highest.len() {
            self.highest.resize(index + 1, None);
        }
        let highest = &mut self.highest[index];
        *highest = Some(highest.map_or(value, |old| old.max(value)));
    }

    /// Start in seconds and highest value of each stretch that has one.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let step = self.stretch_ps as f64 / 1e12;
        let all = self.highest.iter().enumerate();
        all.filter_map(move |(index, value)| value.map(|value| (index as f64 * step, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_its_peaks_in_few_stretches() {
        let mut course = FillCourse::new();
        for second in 0..100_000_u64 {
            let value = if second == 77_777 { 9.0 } else { 1.0 };
            course.note(Time::from_ps(second * 1_000_000_000), value);
        }
        let stretches: Vec<_> = course.stretches().collect();
        assert!(stretches.len() <= STRETCHES_MAX && stretches.len() > STRETCHES_MAX / 4);
        let peak = stretches
            .iter()
            .find(|(_, value)| *value == 9.0)
            .expect("kept");
        assert!(peak.0 <= 77.777 && 77.777 < peak.0 + course.stretch_ps as f64 / 1e12);
    }
}
