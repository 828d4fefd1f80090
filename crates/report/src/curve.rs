//! Curves in Braille characters, for a terminal: each cell has two dots across and four down.
//!
//! No colour distinguishes curves, so each is named at its right end.

use crate::text;

/// Lines of the plot above those of its axis.
const ROWS: usize = 5;

/// Narrower plots show no shape.
const COLUMNS_LEAST: usize = 24;

/// Wider names of curves are cut.
const NAME_MOST: usize = 28;

/// Ranges beyond this ratio are drawn on a logarithmic axis.
const LOGARITHMIC: f64 = 20.0;

/// Bits of the dots of a Braille cell, left column then right one, top to bottom.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Some curves with their axes.
pub(crate) struct TerminalPlot {
    pub(crate) x: TerminalAxis,
    pub(crate) y: TerminalAxis,
    pub(crate) curves: Vec<TerminalCurve>,
}

/// What an axis shows.
pub(crate) struct TerminalAxis {
    pub(crate) title: &'static str,
    /// A value with its unit.
    pub(crate) told: fn(f64) -> String,
}

/// A curve with its name.
pub(crate) struct TerminalCurve {
    pub(crate) name: String,
    /// Ascending in the first number.
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) is_dashed: bool,
}

/// The ends of an axis, and whether it is logarithmic.
#[derive(Clone, Copy)]
struct TerminalScale {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl TerminalScale {
    /// `None` where the values do not differ.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let is_logarithmic = low > 0.0 && high / low > LOGARITHMIC;
        (high > low && (high - low).is_finite()).then_some(Self {
            low,
            high,
            is_logarithmic,
        })
    }

    /// A value as a share of the axis, 0 at its low end.
    fn share(self, value: f64) -> f64 {
        match self.is_logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }
}

impl TerminalPlot {
    /// The plot in so many columns; `None` where there is nothing to draw or no room for it.
    pub(crate) fn draw(&self, width: u16) -> Option<String> {
        let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
        let points = || {
            self.curves
                .iter()
                .flat_map(|curve| curve.points.iter().filter(finite))
        };
        let x = TerminalScale::of(points().map(|(x, _)| *x))?;
        let y = TerminalScale::of(points().map(|(_, y)| *y))?;
        let mut left = vec![String::new(); ROWS];
        left[0] = (self.y.told)(y.high);
        left[ROWS / 2] = self.y.title.to_owned();
        left[ROWS - 1] = (self.y.told)(y.low);
        let margin = left.iter().map(|label| label.chars().count()).max()?;
        let names = self.curves.iter().map(|curve| cut(&curve.name));
        let names: Vec<String> = names.collect();
        let widest = names.iter().map(|name| name.chars().count()).max()?;
        // Two for the axis, one before the names.
        let columns = usize::from(width).checked_sub(margin + 2 + 1 + widest)?;
        let columns = Some(columns).filter(|columns| *columns >= COLUMNS_LEAST)?;
        let mut cells = vec![vec![0_u32; columns]; ROWS];
        let mut right: Vec<Option<&str>> = vec![None; ROWS];
        for (curve, name) in self.curves.iter().zip(&names) {
            let place = |(a, b): &(f64, f64)| {
                let column = x.share(*a) * (2 * columns - 1) as f64;
                let row = (1.0 - y.share(*b)) * (4 * ROWS - 1) as f64;
                (column, row)
            };
            let places: Vec<_> = curve.points.iter().filter(finite).map(place).collect();
            let mut pen = Pen {
                dashes: curve.is_dashed,
                drawn: 0,
            };
            for pair in places.windows(2) {
                pen.segment(&mut cells, pair[0], pair[1]);
            }
            if let Some(end) = places.last() {
                Pen::default().segment(&mut cells, *end, *end);
                let row = (end.1 / 4.0) as usize;
                if let Some(free) = nearest_free(&right, row.min(ROWS - 1)) {
                    right[free] = Some(name);
                }
            }
        }
        let rows = left.iter().zip(&cells).zip(&right);
        let mut lines: Vec<String> = rows
            .map(|((label, cells), name)| {
                let tick = if label.is_empty() { '│' } else { '┤' };
                let dots = cells.iter().map(|bits| match bits {
                    0 => ' ',
                    bits => char::from_u32(0x2800 + bits).unwrap_or(' '),
                });
                let dots: String = dots.collect();
                let line = format!("{label:>margin$} {tick}{dots} {}", name.unwrap_or_default());
                line.trim_end().to_owned()
            })
            .collect();
        let (low, high) = ((self.x.told)(x.low), (self.x.told)(x.high));
        let between = columns.checked_sub(low.chars().count() + high.chars().count())?;
        let titles = [
            match x.is_logarithmic {
                true => format!("{} (logarithmic)", self.x.title),
                false => self.x.title.to_owned(),
            },
            self.x.title.to_owned(),
            String::new(),
        ];
        // A space on either side of it.
        let fits = |title: &String| title.is_empty() || title.chars().count() + 2 <= between;
        let title = titles.into_iter().find(fits).unwrap_or_default();
        lines.push(format!("{:margin$} └{low}{title:^between$}{high}", ""));
        Some(lines.join("\n"))
    }
}

/// A name of a curve, as long as there is room for.
fn cut(name: &str) -> String {
    let name = text::printable(name);
    match name.chars().count() > NAME_MOST {
        true => name.chars().take(NAME_MOST - 1).chain(['…']).collect(),
        false => name,
    }
}

/// The free line nearest to one.
fn nearest_free(lines: &[Option<&str>], wanted: usize) -> Option<usize> {
    let free = (0..lines.len()).filter(|line| lines[*line].is_none());
    free.min_by_key(|line| line.abs_diff(wanted))
}

/// Dots of a dash, and of the gap behind it.
const DASH: usize = 3;

/// Draws a curve piece by piece; its dashes run on from one to the next.
#[derive(Default)]
struct Pen {
    dashes: bool,
    drawn: usize,
}

impl Pen {
    /// Sets the dots from one place to another.
    fn segment(&mut self, cells: &mut [Vec<u32>], from: (f64, f64), to: (f64, f64)) {
        let steps = (to.0 - from.0)
            .abs()
            .max((to.1 - from.1).abs())
            .ceil()
            .max(1.0);
        for step in 0..=steps as usize {
            let share = step as f64 / steps;
            let along = |from: f64, to: f64| (from + share * (to - from)).round().max(0.0) as usize;
            let (column, row) = (along(from.0, to.0), along(from.1, to.1));
            let is_gap = self.dashes && (self.drawn / DASH) % 2 == 1;
            // The end of a piece is the beginning of the next.
            self.drawn += usize::from(step > 0);
            if is_gap {
                continue;
            }
            if let Some(cell) = cells
                .get_mut(row / 4)
                .and_then(|row| row.get_mut(column / 2))
            {
                *cell |= DOTS[column % 2][row % 4];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>) -> TerminalPlot {
        let axis = |title| TerminalAxis {
            title,
            told: |value| format!("{value:.0} s"),
        };
        TerminalPlot {
            x: axis("time"),
            y: axis("fill"),
            curves: vec![TerminalCurve {
                name: "a".to_owned(),
                points,
                is_dashed: false,
            }],
        }
    }

    #[test]
    fn a_straight_line_runs_from_corner_to_corner() {
        let text = plot(vec![(0.0, 0.0), (9.0, 9.0)]).draw(40).expect("a plot");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), ROWS + 1);
        assert!(
            lines[0].starts_with(" 9 s ┤ ") && lines[0].ends_with(" a"),
            "{text}"
        );
        assert!(lines[2].starts_with("fill ┤ "), "{text}");
        assert!(lines[4].starts_with(" 0 s ┤⣀"), "{text}");
        assert!(lines[5].trim_start().starts_with("└0 s "), "{text}");
        assert!(
            lines[5].contains(" time ") && lines[5].ends_with(" 9 s"),
            "{text}"
        );
        assert!(
            lines.iter().all(|line| line.chars().count() <= 40),
            "{text}"
        );
    }

    #[test]
    fn a_dashed_curve_has_gaps_and_the_same_ends() {
        let dots = |is_dashed| {
            let mut plot = plot(vec![(0.0, 0.0), (4.0, 5.0), (9.0, 9.0)]);
            plot.curves[0].is_dashed = is_dashed;
            let text = plot.draw(60).expect("a plot");
            let bits = |c: char| (c as u32).checked_sub(0x2800).filter(|bits| *bits < 256);
            let all: Vec<u32> = text.chars().filter_map(bits).map(u32::count_ones).collect();
            (
                all.iter().sum::<u32>(),
                text.lines().last().map(str::to_owned),
            )
        };
        let ((solid, axis), (dashed, same_axis)) = (dots(false), dots(true));
        assert_eq!(axis, same_axis);
        let share = f64::from(dashed) / f64::from(solid);
        assert!((0.4..0.65).contains(&share), "{dashed} of {solid} dots");
    }

    #[test]
    fn wide_ranges_are_logarithmic() {
        let scale = TerminalScale::of([1.0, 100.0].into_iter()).expect("a range");
        assert!(scale.is_logarithmic && (scale.share(10.0) - 0.5).abs() < 1e-9);
        let linear = TerminalScale::of([0.0, 100.0].into_iter()).expect("a range");
        assert_eq!(linear.share(25.0), 0.25);
    }

    #[test]
    fn what_has_no_extent_or_no_room_is_not_drawn() {
        assert!(plot(vec![]).draw(100).is_none());
        assert!(plot(vec![(1.0, 1.0), (2.0, 1.0)]).draw(100).is_none());
        assert!(plot(vec![(1.0, f64::NAN), (2.0, 1.0)]).draw(100).is_none());
        assert!(
            plot(vec![(0.0, f64::MIN), (1.0, f64::MAX)])
                .draw(100)
                .is_none()
        );
        assert!(plot(vec![(0.0, 0.0), (9.0, 9.0)]).draw(20).is_none());
    }
}
