//! How perf writes an event, whatever the form of its output.

use super::collect::Collector;
use super::{CounterFault, CounterNote};

/// A count of perf, in whichever form it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerfCount<'a> {
    pub(super) line: u64,
    /// As perf writes it.
    pub(super) event: &'a str,
    /// Processor, socket or thread that it is of; empty where it is of all.
    pub(super) place: &'a str,
    pub(super) unit: &'a str,
    /// None where it was not counted.
    pub(super) value: Option<f64>,
    pub(super) is_supported: bool,
    /// Share of the time in which it had a counter.
    pub(super) enabled: f64,
}

impl PerfCount<'_> {
    /// Adds it to what was read.
    pub(super) fn add(self, collector: &mut Collector<'_>) -> Result<(), CounterFault> {
        let PerfName {
            name,
            user_only,
            place,
        } = PerfName::of(self.event);
        let place = format!("{}{place}", self.place);
        if !self.is_supported {
            collector.not_supported(self.line, &name);
            return Ok(());
        }
        let value = (self.value, self.unit);
        if !collector.event(self.line, &name, &place, self.enabled, value)? {
            return Ok(());
        }
        if user_only {
            collector.note(CounterNote::UserOnly {
                event: name,
                line: self.line,
            });
        }
        Ok(())
    }
}

/// An event without what perf adds to its name.
struct PerfName {
    name: String,
    user_only: bool,
    /// The one of several units that counted it.
    place: String,
}

impl PerfName {
    fn of(event: &str) -> Self {
        let mut name = event.trim().to_lowercase();
        let mut place = String::new();
        // `unc_m_cas_count.rd [uncore_imc_3]`, where perf does not join the units.
        if let Some((start, unit)) = name
            .strip_suffix(']')
            .and_then(|rest| rest.split_once(" ["))
        {
            place = unit.to_owned();
            name = start.to_owned();
        }
        let mut modifiers = String::new();
        let is_modifiers = |text: &str| {
            !text.is_empty()
                && text.len() <= 5
                && text.chars().all(|one| "ukhigpsdwe".contains(one))
        };
        let split = match name.rfind('/') {
            Some(at) if at + 1 < name.len() => Some(at + 1),
            Some(_) => None,
            None => name.rfind(':'),
        };
        if let Some(at) = split {
            let found = name[at..].trim_start_matches(':');
            if is_modifiers(found) {
                modifiers = found.to_owned();
                name.truncate(at);
            }
        }
        // `uncore_imc_3/cas_count_read/` is counted by one of several units of a name.
        if let Some((unit, rest)) = name.split_once('/')
            && let Some((stem, number)) = unit.rsplit_once('_')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && stem != "armv8_pmuv3"
        {
            place = unit.to_owned();
            name = format!("{stem}/{rest}");
        }
        // Events of a hybrid processor's large cores, and of plain ones.
        for unit in ["cpu/", "cpu_core/"] {
            if let Some(inner) = name
                .strip_prefix(unit)
                .and_then(|rest| rest.strip_suffix('/'))
                && !inner.contains('=')
            {
                name = inner.to_owned();
            }
        }
        Self {
            name,
            user_only: modifiers.contains('u') && !modifiers.contains('k'),
            place,
        }
    }
}

/// The share of a percentage of the time in which an event had a counter; above 100 where clocks differ by a little.
pub(super) fn enabled_share(line: u64, percent: f64) -> Result<f64, CounterFault> {
    const MOST: f64 = 101.0;
    if (0.0..=MOST).contains(&percent) {
        return Ok((percent / 100.0).min(1.0));
    }
    Err(CounterFault::Number {
        line,
        what: "the share of the time in which an event was counted".to_owned(),
        found: format!("{percent} %"),
        allowed: "0 to 100 %",
    })
}

#[cfg(test)]
mod tests {
    use super::PerfName;

    #[test]
    fn names_lose_what_perf_adds() {
        let parts = |event: &str| {
            let PerfName {
                name,
                user_only,
                place,
            } = PerfName::of(event);
            (name, user_only, place)
        };
        let plain = |name: &str| (name.to_owned(), false, String::new());
        assert_eq!(
            parts("MEMORY_ACTIVITY.STALLS_L3_MISS"),
            plain("memory_activity.stalls_l3_miss")
        );
        assert_eq!(
            parts("cycles:u"),
            ("cycles".to_owned(), true, String::new())
        );
        assert_eq!(parts("cycles:ukP").0, "cycles");
        assert_eq!(
            parts("cpu/instructions/u"),
            ("instructions".to_owned(), true, String::new())
        );
        assert_eq!(parts("msr/tsc/"), plain("msr/tsc/"));
        let of_one = (
            "uncore_imc/cas_count_read/".to_owned(),
            false,
            "uncore_imc_3".to_owned(),
        );
        assert_eq!(parts("uncore_imc_3/cas_count_read/"), of_one);
        let bracket = (
            "unc_m_cas_count.rd".to_owned(),
            false,
            "uncore_imc_3".to_owned(),
        );
        assert_eq!(parts("unc_m_cas_count.rd [uncore_imc_3]"), bracket);
        assert_eq!(
            parts("armv8_pmuv3_0/event=0x37/").0,
            "armv8_pmuv3_0/event=0x37/"
        );
        assert_eq!(
            parts("syscalls:sys_enter_read").0,
            "syscalls:sys_enter_read"
        );
        for odd in ["", "/", ":", "[", " []", "a/b", "_/x/", "é:u"] {
            let _ = parts(odd);
        }
    }
}
