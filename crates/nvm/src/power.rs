//! Energy from the time that a chip spends in each power state.

use std::fmt;

use wordline_core::quantity::{Current, Power, Quantity, Time, Voltage};

/// What a chip draws current for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PowerState {
    /// Not selected, ready at once.
    Standby,
    /// Asleep; waking takes time.
    DeepPowerDown,
    /// A read is on the bus.
    Read,
    /// A write is on the bus, or the array is programmed.
    Write,
    /// A block of the array is erased.
    Erase,
    /// A row is open, and no data move.
    Active,
    /// A row is opened, and will be closed: what that draws beyond the state that the chip is in.
    /// Rows of several banks open at the same time, so that these times may add up to more than
    /// has passed.
    Activate,
}

impl PowerState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Standby,
        Self::DeepPowerDown,
        Self::Read,
        Self::Write,
        Self::Erase,
        Self::Active,
        Self::Activate,
    ];

    /// As sheets and messages spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standby => "standby",
            Self::DeepPowerDown => "deep-power-down",
            Self::Read => "read",
            Self::Write => "write",
            Self::Erase => "erase",
            Self::Active => "active",
            Self::Activate => "activate",
        }
    }
}

impl fmt::Display for PowerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Current of each power state, and the supply voltage that it is drawn at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerDraw {
    /// Supply voltage.
    pub voltage: Voltage,
    /// Current of each state, in the order of [`PowerState::ALL`]; `None` where the sheet states
    /// none.
    pub current: [Option<Current>; PowerState::ALL.len()],
}

impl PowerDraw {
    /// What two chips draw in the mean, which is what either draws where they are equal. Unknown for a
    /// state that either states no current for. The voltage is this one's.
    #[must_use]
    pub(crate) fn mean(&self, other: &Self) -> Self {
        let mut current = self.current;
        for (mean, other) in current.iter_mut().zip(other.current) {
            let both = mean.zip(other);
            *mean = both.map(|(one, other)| Current::from_si((one.si() + other.si()) / 2.0));
        }
        Self { current, ..*self }
    }

    /// Power of a chip that stays in a state; `None` where the sheet states no current for it. What an
    /// idle chip draws is that of [`Standby`](PowerState::Standby), and of
    /// [`DeepPowerDown`](PowerState::DeepPowerDown) while it is asleep. That of
    /// [`Activate`](PowerState::Activate) comes on top of another state's.
    #[must_use]
    pub fn power(&self, state: PowerState) -> Option<Power> {
        let current = self.current[state as usize]?;
        Some(Power::from_si(self.voltage.si() * current.si()))
    }
}

/// Time spent in each power state. A chip is in one state at a time, except that
/// [activations](PowerState::Activate) come on top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residence {
    time: [Time; PowerState::ALL.len()],
}

impl Residence {
    /// Time spent in one state.
    #[must_use]
    pub const fn of(&self, state: PowerState) -> Time {
        self.time[state as usize]
    }

    /// `count / of` times as much in each state; `None` beyond what simulated time can hold.
    #[must_use]
    pub(crate) fn times(&self, count: u64, of: u64) -> Option<Self> {
        let mut time = self.time;
        for one in &mut time {
            *one = Time::from_ps(one.ps().checked_mul(count)? / of.max(1));
        }
        Some(Self { time })
    }

    /// The time of two chips, or of two periods, together: each state for itself.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut time = self.time;
        for (sum, more) in time.iter_mut().zip(other.time) {
            *sum = sum.plus(more);
        }
        Self { time }
    }

    /// What has been added since `earlier`, a reading of the same chip.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut time = self.time;
        for (now, before) in time.iter_mut().zip(earlier.time) {
            *now = now.since(before);
        }
        Self { time }
    }

    /// Energy in joules: the sum over states of time · current · voltage. `None` when time was spent
    /// in a state whose current is unknown.
    #[must_use]
    pub fn energy_j(&self, draw: &PowerDraw) -> Option<f64> {
        let mut charge = 0.0;
        for (time, current) in self.time.iter().zip(draw.current) {
            if *time > Time::ZERO {
                charge += time.si() * current?.si();
            }
        }
        Some(charge * draw.voltage.si())
    }
}

/// What an operation booked, in times after the instant at which it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeterCourse {
    spent: Residence,
    accounted: Time,
    latest: Option<(PowerState, Time, Time)>,
}

impl MeterCourse {
    /// Until when it is booked, after the instant at which the operation began.
    pub(crate) const fn accounted(&self) -> Time {
        self.accounted
    }
}

/// Keeps account of where a chip's time goes. Whatever is not booked to an activity counts as the
/// chip's idle state, so that no time is lost.
#[derive(Clone, Debug)]
pub struct PowerMeter {
    booked: Residence,
    idle: PowerState,
    accounted: Time,
    /// The activity that was booked last, and when it begins and ends.
    latest: Option<(PowerState, Time, Time)>,
    /// Whether activities may overlap: of a chip that was made to forget the rules of its protocol.
    lenient: bool,
}

impl PowerMeter {
    /// A meter for a chip that idles in standby from time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            booked: Residence::default(),
            idle: PowerState::Standby,
            accounted: Time::ZERO,
            latest: None,
            lenient: false,
        }
    }

    /// Books an activity that began at `start` and ended at `end`; the time before it was idle.
    ///
    /// # Panics
    /// When activities overlap: a chip does one thing at a time.
    #[inline]
    pub fn book(&mut self, state: PowerState, start: Time, end: Time) {
        if self.lenient && start < self.accounted {
            return;
        }
        assert!(
            start >= self.accounted && end >= start,
            "a chip does one thing at a time"
        );
        self.settle(start);
        self.add(state, end.since(start));
        self.accounted = end;
        self.latest = Some((state, start, end));
    }

    /// Books what a chip does beside the state that it is in: it takes no time from that state.
    pub fn book_beside(&mut self, state: PowerState, duration: Time) {
        self.add(state, duration);
    }

    /// Lets time pass in which so much was spent in each state.
    pub(crate) fn skip(&mut self, time: Time, spent: &Residence) {
        self.booked = self.booked.plus(spent);
        self.accounted = self.accounted.plus(time);
        if let Some((_, start, end)) = &mut self.latest {
            *start = start.plus(time);
            *end = end.plus(time);
        }
    }

    /// Whether nothing is booked beyond an instant.
    #[inline(always)]
    pub(crate) fn is_settled_by(&self, instant: Time) -> bool {
        self.accounted <= instant
    }

    /// What is booked, with the idle time up to an instant.
    pub(crate) fn booked_by(&mut self, instant: Time) -> Residence {
        self.settle(instant);
        self.booked
    }

    /// What was booked since it was `before` at an instant; `None` where activities began before that.
    pub(crate) fn course_since(&self, before: &Residence, instant: Time) -> Option<MeterCourse> {
        let latest = self.latest.map(|(state, start, end)| {
            let after = start >= instant;
            after.then(|| (state, start.since(instant), end.since(instant)))
        });
        Some(MeterCourse {
            spent: self.booked.since(before),
            accounted: self.accounted.since(instant),
            latest: match latest {
                Some(latest) => Some(latest?),
                None => None,
            },
        })
    }

    /// Books courses again, one behind the other: how often each, and how long after it the next begins. The first begins
    /// at `instant`, by which nothing else [is booked](Self::is_settled_by). Of the last one it is said when it begins, and
    /// how much of its time is left behind what it booked, which has yet to pass.
    #[inline(always)]
    pub(crate) fn book_courses<'a>(
        &mut self,
        instant: Time,
        courses: impl Iterator<Item = (&'a MeterCourse, u64, Time)>,
        (last, begun, tail): (&MeterCourse, Time, Time),
    ) {
        self.settle(instant);
        let mut between = 0;
        for (course, times, period) in courses {
            for (slot, spent) in self.booked.time.iter_mut().zip(course.spent.time) {
                *slot = slot.plus(Time::from_ps(spent.ps() * times));
            }
            between += period.since(course.accounted).ps() * times;
        }
        self.add(self.idle, Time::from_ps(between - tail.ps()));
        self.accounted = begun.plus(last.accounted);
        let moved =
            |(state, start, end): (_, Time, Time)| (state, begun.plus(start), begun.plus(end));
        self.latest = last.latest.map(moved);
    }

    /// Ends the activity that was booked last, if it would go on after `instant`: the power went.
    pub(crate) fn cut_short(&mut self, instant: Time) {
        let Some((state, start, end)) = self.latest else {
            return;
        };
        let stop = instant.later(start);
        if end > stop && self.accounted == end {
            let slot = &mut self.booked.time[state as usize];
            *slot = slot.since(end.since(stop));
            self.accounted = stop;
            self.latest = Some((state, start, stop));
        }
    }

    /// Leaves out activities that overlap from now on.
    pub(crate) const fn be_lenient(&mut self) {
        self.lenient = true;
    }

    /// Changes the idle state at `instant`.
    pub fn idle_in(&mut self, state: PowerState, instant: Time) {
        self.settle(instant);
        self.idle = state;
    }

    /// The account up to `instant`.
    #[must_use]
    pub fn residence(&self, instant: Time) -> Residence {
        let mut meter = self.clone();
        meter.settle(instant);
        meter.booked
    }

    /// The same of a chip whose activities are booked when they begin: what the last one has yet to
    /// take after `instant` is left out.
    #[must_use]
    pub fn residence_so_far(&self, instant: Time) -> Residence {
        let mut residence = self.residence(instant);
        if let Some((state, start, end)) = self.latest {
            let slot = &mut residence.time[state as usize];
            *slot = slot.since(end.since(instant.later(start)));
        }
        residence
    }

    fn settle(&mut self, instant: Time) {
        self.add(self.idle, instant.since(self.accounted));
        self.accounted = self.accounted.later(instant);
    }

    fn add(&mut self, state: PowerState, duration: Time) {
        let slot = &mut self.booked.time[state as usize];
        *slot = slot.plus(duration);
    }
}

impl Default for PowerMeter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    #[test]
    fn every_microsecond_is_in_one_state() {
        let mut meter = PowerMeter::new();
        meter.book(PowerState::Write, us(10), us(30));
        meter.book(PowerState::Read, us(30), us(35));
        meter.idle_in(PowerState::DeepPowerDown, us(40));
        let residence = meter.residence(us(100));
        assert_eq!(residence.of(PowerState::Write), us(20));
        assert_eq!(residence.of(PowerState::Read), us(5));
        assert_eq!(residence.of(PowerState::Standby), us(15));
        assert_eq!(residence.of(PowerState::DeepPowerDown), us(60));
    }

    /// The plain reference: each activity booked when it comes.
    #[test]
    fn courses_of_several_lengths_are_booked_as_one_by_one() {
        // Two operations: what each books, from and to when after its begin, and when the next begins.
        let of = [(PowerState::Read, 2, 5, 7), (PowerState::Write, 1, 8, 8)];
        let course_of = |which: usize| {
            let (state, from, to, _) = of[which];
            let mut meter = PowerMeter::new();
            let before = meter.booked_by(us(50));
            meter.book(state, us(50 + from), us(50 + to));
            let course = meter.course_since(&before, us(50));
            course.expect("nothing began before")
        };
        let courses = [course_of(0), course_of(1)];
        let period = |which: usize| us(of[which].3);
        for order in [vec![0, 1, 0, 0, 1], vec![1, 1, 0], vec![0], vec![1, 0, 1]] {
            let mut plain = PowerMeter::new();
            plain.book(PowerState::Erase, us(10), us(30));
            let mut counted = plain.clone();
            let mut now = 100;
            for which in &order {
                let (state, from, to, period) = of[*which];
                plain.book(state, us(now + from), us(now + to));
                now += period;
            }
            let times = |which| order.iter().filter(|one| **one == which).count() as u64;
            let runs = [0, 1].map(|which| (&courses[which], times(which), period(which)));
            let last = order[order.len() - 1];
            let tail = period(last).since(courses[last].accounted());
            let begun = us(now).since(period(last));
            counted.book_courses(us(100), runs.into_iter(), (&courses[last], begun, tail));
            for instant in [now, now + 40] {
                assert_eq!(
                    counted.residence(us(instant)),
                    plain.residence(us(instant)),
                    "{order:?}"
                );
            }
            // The power goes within the last one.
            let cut = begun.plus(us(3));
            plain.cut_short(cut);
            counted.cut_short(cut);
            assert_eq!(counted.residence(cut), plain.residence(cut), "{order:?}");
        }
    }

    #[test]
    fn what_has_yet_to_come_can_be_left_out() {
        let mut meter = PowerMeter::new();
        meter.book(PowerState::Read, us(0), us(5));
        meter.book(PowerState::Erase, us(10), us(30));
        for (instant, erase, standby) in [(10, 0, 5), (12, 2, 5), (30, 20, 5), (40, 20, 15)] {
            let residence = meter.residence_so_far(us(instant));
            assert_eq!(residence.of(PowerState::Read), us(5));
            assert_eq!(residence.of(PowerState::Erase), us(erase));
            assert_eq!(residence.of(PowerState::Standby), us(standby));
        }
    }

    #[test]
    fn energy_is_time_times_current_times_voltage() {
        let mut meter = PowerMeter::new();
        meter.book(PowerState::Write, us(0), us(1000));
        let current = [
            Some(0.0003),
            None,
            Some(0.05),
            Some(0.059),
            None,
            None,
            None,
        ];
        let current = current.map(|amperes| amperes.map(Current::from_si));
        let draw = PowerDraw {
            voltage: Voltage::from_si(1.8),
            current,
        };
        let before = meter.residence(us(1000));
        let near = |energy: Option<f64>, by_hand: f64| {
            energy.is_some_and(|energy| (energy - by_hand).abs() < 1e-15)
        };
        assert!(near(before.energy_j(&draw), 1e-3 * 0.059 * 1.8));
        let idle = meter.residence(us(3000)).since(&before);
        assert!(near(idle.energy_j(&draw), 2e-3 * 0.0003 * 1.8));
        meter.idle_in(PowerState::DeepPowerDown, us(3000));
        assert_eq!(meter.residence(us(3001)).energy_j(&draw), None);
    }

    #[test]
    fn power_is_voltage_times_current() {
        let mut current = [None; PowerState::ALL.len()];
        current[PowerState::Standby as usize] = Some(Current::from_si(0.0003));
        let draw = PowerDraw {
            voltage: Voltage::from_si(1.8),
            current,
        };
        let standby = draw.power(PowerState::Standby).expect("it is stated");
        assert!((standby.si() - 0.00054).abs() < 1e-12);
        assert_eq!(draw.power(PowerState::DeepPowerDown), None);
    }

    #[test]
    #[should_panic(expected = "one thing at a time")]
    fn activities_that_overlap_are_a_defect() {
        let mut meter = PowerMeter::new();
        meter.book(PowerState::Write, us(0), us(10));
        meter.book(PowerState::Read, us(9), us(12));
    }
}
