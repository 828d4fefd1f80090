//! Why one memory carries more than another: the ratio of their throughputs, taken apart exactly.
//!
//! **Where the memories are the bound**, by their data buses. A throughput is the peak of all buses times the share u of
//! it that is delivered; d is the share of their time in which they carry data, and that is what the shares s of all
//! other causes leave. With p the ratio of the peaks and ′ for the other memory,
//!
//! ratio − 1 = (p − 1) + Σ p·(s − s′)/u + p·((u′ − d′) − (u − d))/u,
//!
//! so that a cause which takes as much of both memories' time explains nothing. The last part is what the cores were
//! given without a burst of its own: by the controller's write queue, or on its way at either end of the run.
//!
//! **Where the lines that the cores have under way are the bound**, of either memory, by what holds them. By Little's
//! law a throughput is n lines under way, each for a time t: the sum of what a mean line spends on chip, in the module,
//! in the DRAM, and waiting. With c a part of it,
//!
//! ratio − 1 = (n′/n − 1)·t/t′ + Σ (c − c′)/t′.
//!
//! A faster bus then explains no more than the time that its shorter bursts save. The same holds where the memories are
//! the bound and carry nearly the same: the time of faster buses would be taken apart into a great gain and a great loss.
//!
//! **Where the cores ask one of the memories for no more**, nothing is taken apart: how much they carry is the cores' own
//! doing.

use wordline_core::{Axis, Metric, ResultSet};
use wordline_dram::system::SystemRun;
use wordline_dram::{BusAccount, RequestKind, TrafficSummary, WaitCause};

use super::ModuleMemory;
use crate::subject::Subject;

/// The part that is a faster bus, not a better use of it.
const BUS_RATE: &str = "bus_rate";

/// Where the time of the data buses went that carried no data.
const EMPTY: &str = "empty";

/// What was delivered without a burst of its own.
const OFF_BUS: &str = "off_bus";

/// More or fewer lines under way.
const OUTSTANDING: &str = "outstanding";

/// Writes on their way to a controller that accepts them.
const WRITES: &str = "write_slots";

/// The way from a core to the controller and back.
pub(super) const ON_CHIP: &str = "on_chip";

/// Links between cores and controllers.
pub(super) const LINK: &str = "link";

/// What is left: the wait for the DRAM's next clock edge, and what is under way at either end of a run.
pub(super) const ROUNDING: &str = "rounding";

/// Memories whose throughputs differ by less than this share carry nearly the same.
const NEARLY_SAME: f64 = 0.03;

/// What keeps a throughput where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BandwidthBound {
    /// The lines that the cores can have under way.
    Misses,
    /// The memory.
    Dram,
    /// The cores, which ask for no more.
    Cores,
}

impl BandwidthBound {
    /// From this share of the lines that can be under way on, all are: what is left is on its way between two.
    const FULL: f64 = 0.95;

    /// Up to so many times what it takes alone, a line waits for little, and more of them would be carried.
    const NEAR: f64 = 1.5;

    /// By Little's law: lines under way, of how many; how long each is, and how long alone.
    fn by(under_way: f64, most: u64, takes: f64, alone: f64) -> Self {
        if under_way < Self::FULL * most as f64 {
            Self::Cores
        } else if takes < Self::NEAR * alone {
            Self::Misses
        } else {
            Self::Dram
        }
    }

    /// Of a run with so many misses. A write alone takes no longer than the paths on chip.
    pub(super) fn of(memory: &ModuleMemory<'_>, run: &SystemRun, most: u64) -> Option<Self> {
        let slots = Slots::of(memory, run)?;
        let config = &memory.connected.config;
        let (reads, cores) = (read_share(run)?, &config.cores);
        let on_chip = cores.request_path_ps + cores.return_path_ps;
        let write = on_chip + config.topology.alone_ps(RequestKind::Write);
        let alone = reads * memory.unloaded_ps() as f64 + (1.0 - reads) * write as f64;
        Some(Self::by(slots.under_way, most, slots.takes(), alone))
    }

    /// As rows show it.
    pub(super) const fn number(self) -> f64 {
        match self {
            Self::Misses => 1.0,
            Self::Dram => 2.0,
            Self::Cores => 3.0,
        }
    }
}

/// Share of the bytes that were read; `None` where none moved.
pub(super) fn read_share(run: &SystemRun) -> Option<f64> {
    let all = run.bytes_read + run.bytes_written;
    (all > 0).then(|| run.bytes_read as f64 / all as f64)
}

/// The shares of the time of all data buses by cause, the data first, nothing asked last; they add up to 1. `None`
/// where no time passed.
pub(super) fn shares(bus: &BusAccount) -> Option<Vec<(&'static str, f64)>> {
    let total = bus.total();
    if total == 0 {
        return None;
    }
    let share = |clocks: u64| clocks as f64 / total as f64;
    let mut shares = vec![("data", share(bus.data))];
    shares.extend(WaitCause::ALL.map(|cause| (cause.name(), share(bus.wait(cause)))));
    shares.push((EMPTY, share(bus.empty)));
    Some(shares)
}

/// What a mean read consists of in picoseconds, but for the wait for clock edges: the paths, the module, the DRAM, and
/// its waits by cause. Reads that the write queue answered count among those that the mean is of.
pub(super) fn read_parts(
    memory: &ModuleMemory<'_>,
    summary: &TrafficSummary,
) -> Vec<(&'static str, f64)> {
    let config = &memory.connected.config;
    let (clock, timing) = (config.sub_channel.clock, &config.sub_channel.timing);
    // A mean is no whole number of clocks.
    let time = |clocks: f64| clocks * 1e12 / clock.hz();
    let on_chip = config.cores.request_path_ps + config.cores.return_path_ps;
    let mut parts = vec![
        (ON_CHIP, on_chip as f64),
        ("buffer", config.module_delay_ps as f64),
        ("cas", time(f64::from(timing.cl))),
        ("burst", time(f64::from(timing.burst))),
    ];
    let reads = summary.reads.max(1) as f64;
    // What the write queue answers never leaves the controller: only the others take these.
    let served = summary.reads.saturating_sub(summary.forwarded) as f64 / reads;
    for (_, part) in parts.iter_mut().filter(|(part, _)| *part != ON_CHIP) {
        *part *= served;
    }
    let waits = WaitCause::ALL.iter().zip(summary.read_waits);
    parts.extend(waits.map(|(cause, clocks)| (cause.name(), time(clocks as f64 / reads))));
    parts
}

/// What a difference is taken apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// Lines under way, and the time of each.
    Slots,
    /// The time of the data buses.
    Buses,
}

impl Reason {
    /// Of two runs with these bounds and this ratio of their throughputs; `None` where the cores are the reason.
    fn of(bounds: [BandwidthBound; 2], ratio: f64) -> Option<Self> {
        if bounds.contains(&BandwidthBound::Cores) {
            None
        } else if bounds.contains(&BandwidthBound::Misses) || (ratio - 1.0).abs() < NEARLY_SAME {
            Some(Self::Slots)
        } else {
            Some(Self::Buses)
        }
    }
}

/// The parts of the ratio of two runs' throughputs minus 1; `None` where one of them carried nothing, or the cores asked
/// for no more.
fn parts(
    first: (&ModuleMemory<'_>, &SystemRun, BandwidthBound),
    other: (&ModuleMemory<'_>, &SystemRun, BandwidthBound),
) -> Option<Vec<(&'static str, f64)>> {
    let ratio = other.1.bytes_per_s() / first.1.bytes_per_s();
    let parts = match Reason::of([first.2, other.2], ratio)? {
        Reason::Slots => by_slots(&Slots::of(first.0, first.1)?, &Slots::of(other.0, other.1)?),
        Reason::Buses => by_buses(&Buses::of(first.0, first.1)?, &Buses::of(other.0, other.1)?),
    };
    let finite = parts.iter().all(|(_, part)| part.is_finite());
    finite.then_some(parts)
}

/// A run of a memory, with the most lines that its cores could have under way.
pub(super) type Loaded<'a> = (&'a ModuleMemory<'a>, &'a SystemRun, u64);

/// Adds the ratio of two runs' throughputs, and its parts, where the cores are not the reason.
pub(super) fn rows(over: &Subject, first: Loaded<'_>, other: Loaded<'_>, document: &mut ResultSet) {
    let ratio = other.1.bytes_per_s() / first.1.bytes_per_s();
    let row = over.row(Metric::ThroughputRatio, Ok(ratio));
    document.rows.push(row);
    let bound = |(memory, run, most)| Some((memory, run, BandwidthBound::of(memory, run, most)?));
    let parts = || parts(bound(first)?, bound(other)?);
    for (cause, part) in parts().into_iter().flatten() {
        let at = over.at(Axis::Cause, cause);
        let row = at.row(Metric::ThroughputRatioPart, Ok(part));
        document.rows.push(row);
    }
}

/// What the buses of a memory were used for.
struct Buses {
    /// B/s that they could carry.
    peak: f64,
    /// B/s that the cores got.
    rate: f64,
    /// As [`shares`] gives them.
    shares: Vec<(&'static str, f64)>,
}

impl Buses {
    fn of(memory: &ModuleMemory<'_>, run: &SystemRun) -> Option<Self> {
        Some(Self {
            peak: memory.connected.config.peak_bytes_per_s(),
            rate: run.bytes_per_s(),
            shares: shares(&run.summary.bus)?,
        })
    }

    fn data(&self) -> f64 {
        self.shares.first().map_or(0.0, |(_, share)| *share)
    }

    /// The share of the peak that the cores got beyond what was on the buses.
    fn off_bus(&self) -> f64 {
        self.rate / self.peak - self.data()
    }
}

fn by_buses(first: &Buses, other: &Buses) -> Vec<(&'static str, f64)> {
    let (faster, delivered) = (other.peak / first.peak, first.rate / first.peak);
    let mut parts = vec![(BUS_RATE, faster - 1.0)];
    let pairs = first.shares.iter().zip(&other.shares).skip(1);
    parts.extend(
        pairs.map(|((cause, mine), (_, theirs))| (*cause, faster * (mine - theirs) / delivered)),
    );
    let off_bus = faster * (other.off_bus() - first.off_bus()) / delivered;
    parts.push((OFF_BUS, off_bus));
    parts
}

/// Lines under way, and how long.
struct Slots {
    under_way: f64,
    /// What a mean line's time consists of, in picoseconds.
    parts: Vec<(&'static str, f64)>,
}

impl Slots {
    fn of(memory: &ModuleMemory<'_>, run: &SystemRun) -> Option<Self> {
        let reads = read_share(run)?;
        let lines = (run.bytes_read + run.bytes_written) as f64 / 64.0;
        let takes = run.slots_mean * run.duration_ps as f64 / lines;
        let mut parts = read_parts(memory, &run.summary);
        for (cause, part) in &mut parts {
            // Links are a part of the way.
            if *cause == ON_CHIP {
                *part += run.read_link_mean_ps;
            }
            *part *= reads;
        }
        if run.bytes_written > 0 {
            parts.push((WRITES, takes - reads * run.read_latency_mean_ps));
        }
        let told: f64 = parts.iter().map(|(_, part)| part).sum();
        parts.push((ROUNDING, takes - told));
        Some(Self {
            under_way: run.slots_mean,
            parts,
        })
    }

    fn takes(&self) -> f64 {
        self.parts.iter().map(|(_, part)| part).sum()
    }
}

fn by_slots(first: &Slots, other: &Slots) -> Vec<(&'static str, f64)> {
    let (mine, theirs) = (first.takes(), other.takes());
    let more = (other.under_way / first.under_way - 1.0) * mine / theirs;
    let mut parts = vec![(OUTSTANDING, more)];
    let pairs = first.parts.iter().zip(&other.parts);
    parts.extend(pairs.map(|((cause, mine), (_, other))| (*cause, (mine - other) / theirs)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn account(data: u64, waits: [u64; 10], empty: u64) -> BusAccount {
        BusAccount { data, waits, empty }
    }

    fn buses(peak: f64, rate: f64, bus: &BusAccount) -> Buses {
        let shares = shares(bus).expect("time passed");
        Buses { peak, rate, shares }
    }

    fn part(parts: &[(&'static str, f64)], name: &str) -> f64 {
        let found = parts.iter().find(|(cause, _)| *cause == name);
        found.expect("a part").1
    }

    #[test]
    fn a_faster_bus_that_is_used_alike_explains_everything() {
        let bus = account(90, [0, 0, 5, 1, 0, 0, 0, 4, 0, 0], 0);
        let (first, other) = (buses(100.0, 90.0, &bus), buses(137.5, 123.75, &bus));
        let parts = by_buses(&first, &other);
        assert!((part(&parts, "bus_rate") - 0.375).abs() < 1e-12);
        let rest = parts.iter().filter(|(cause, _)| *cause != "bus_rate");
        assert!(rest.map(|(_, part)| part.abs()).sum::<f64>() < 1e-12);
    }

    /// By hand: the same bus, of whose time refresh takes 10 % here and 5 % there; the rest carries data. 95/90 − 1.
    #[test]
    fn less_refresh_explains_what_it_leaves() {
        let (first, other) = (
            account(90, [0, 0, 10, 0, 0, 0, 0, 0, 0, 0], 0),
            account(95, [0, 0, 5, 0, 0, 0, 0, 0, 0, 0], 0),
        );
        let parts = by_buses(&buses(100.0, 90.0, &first), &buses(100.0, 95.0, &other));
        assert!((part(&parts, "refresh") - 5.0 / 90.0).abs() < 1e-12);
        assert_eq!(part(&parts, "bus_rate"), 0.0);
        assert!(part(&parts, "off_bus").abs() < 1e-12);
    }

    /// By hand: 8 lines of 80 ns against 8 of 100 ns, of which buffers take 25 ns more and bursts 5 ns less.
    #[test]
    fn a_longer_way_explains_what_it_costs() {
        let of = |buffer, burst| Slots {
            under_way: 8.0,
            parts: vec![("buffer", buffer), ("burst", burst), ("on_chip", 60.0)],
        };
        let parts = by_slots(&of(10.0, 10.0), &of(35.0, 5.0));
        assert!((part(&parts, "buffer") + 0.25).abs() < 1e-12);
        assert!((part(&parts, "burst") - 0.05).abs() < 1e-12);
        assert_eq!(part(&parts, "outstanding"), 0.0);
        let sum: f64 = parts.iter().map(|(_, part)| part).sum();
        assert!((sum - (80.0 / 100.0 - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn what_is_full_and_waits_little_is_bound_by_its_misses() {
        assert_eq!(
            BandwidthBound::by(31.9, 32, 97.0, 84.0),
            BandwidthBound::Misses
        );
        assert_eq!(
            BandwidthBound::by(31.9, 32, 400.0, 84.0),
            BandwidthBound::Dram
        );
        assert_eq!(
            BandwidthBound::by(20.0, 32, 97.0, 84.0),
            BandwidthBound::Cores
        );
    }

    #[test]
    fn what_explains_a_difference_is_what_binds() {
        use BandwidthBound::{Cores, Dram, Misses};
        assert_eq!(Reason::of([Dram, Dram], 1.375), Some(Reason::Buses));
        assert_eq!(Reason::of([Dram, Dram], 1.01), Some(Reason::Slots));
        assert_eq!(Reason::of([Dram, Misses], 1.2), Some(Reason::Slots));
        for bounds in [[Cores, Cores], [Dram, Cores], [Cores, Misses]] {
            assert_eq!(Reason::of(bounds, 1.2), None, "{bounds:?}");
        }
    }

    #[test]
    fn without_time_there_is_nothing_to_share() {
        assert_eq!(shares(&BusAccount::default()), None);
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_gain(
            a in prop::array::uniform12(1u64..1000),
            b in prop::array::uniform12(1u64..1000),
            rates in (1.0..1e12f64, 1.0..1e12f64),
            peaks in (1e12..2e12f64, 1e12..2e12f64),
        ) {
            let of = |numbers: [u64; 12]| {
                let mut waits = [0; 10];
                waits.copy_from_slice(&numbers[1..11]);
                account(numbers[0], waits, numbers[11])
            };
            let (first, other) = (buses(peaks.0, rates.0, &of(a)), buses(peaks.1, rates.1, &of(b)));
            let sum: f64 = first.shares.iter().map(|(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
            let parts = by_buses(&first, &other);
            let sum: f64 = parts.iter().map(|(_, part)| part).sum();
            let gain = rates.1 / rates.0 - 1.0;
            prop_assert!((sum - gain).abs() <= 1e-9 * (1.0 + 1e12 / rates.0), "{} against {}", sum, gain);
        }
    }
}
