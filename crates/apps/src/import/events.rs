//! Which command counts what a profile needs.

use super::{CounterEvent, CounterSheet};

/// What to count, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventsRequest<'a> {
    /// Milliseconds of an interval.
    pub interval_ms: u64,
    /// Whether what the whole machine counts is left out, where there are no rights to it.
    pub program_only: bool,
    /// The program and its arguments; empty where the user fills it in.
    pub program: &'a [String],
}

/// A command, and what it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// The command, as a shell takes it.
    pub command: String,
    /// The file that it writes.
    pub file: String,
    /// Names of the events that it counts.
    pub events: Vec<String>,
}

/// Events of one unit that are counted at once, in order.
type UnitGroup<'a> = Vec<&'a CounterEvent>;

/// The commands that count everything a profile needs: as few as the counters of each unit allow, so that no event shares
/// its counter. Events without a counter to wait for are in each.
#[must_use]
pub fn planned_runs(sheet: &CounterSheet, request: &EventsRequest<'_>) -> Vec<PlannedRun> {
    let is_wanted = |event: &&CounterEvent| {
        let unit = sheet.unit(&event.unit);
        let is_wide = unit.is_some_and(|unit| unit.system_wide);
        if request.program_only {
            !is_wide && (event.fallback || !replaced(sheet, event))
        } else {
            !event.fallback
        }
    };
    let wanted: Vec<&CounterEvent> = sheet.event.iter().filter(is_wanted).collect();
    let (always, limited): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|event| {
        let unit = sheet.unit(&event.unit);
        event.fixed || unit.is_none_or(|unit| unit.counters == 0)
    });
    // Instructions and cycles stand in every run: all else is measured by them.
    let is_base = |event: &&&CounterEvent| {
        matches!(
            event.role,
            super::CounterRole::Cycles | super::CounterRole::Instructions
        )
    };
    let base: Vec<&CounterEvent> = limited.iter().filter(is_base).copied().collect();
    let mut runs: Vec<Vec<UnitGroup<'_>>> = Vec::new();
    for unit in &sheet.unit {
        let own = |event: &&&CounterEvent| event.unit == unit.name;
        let base: Vec<_> = base.iter().filter(own).copied().collect();
        let free = (unit.counters as usize).saturating_sub(base.len()).max(1);
        let rest = limited
            .iter()
            .filter(own)
            .filter(|event| !is_base(event))
            .copied();
        let mut groups: Vec<UnitGroup<'_>> = Vec::new();
        for event in rest {
            let fits = |group: &&mut UnitGroup<'_>| {
                group.len() < free + base.len() && has_room(group, event)
            };
            match groups.iter_mut().find(fits) {
                Some(group) => group.push(event),
                None => groups.push(base.iter().copied().chain([event]).collect()),
            }
        }
        if groups.is_empty() && !base.is_empty() {
            groups.push(base);
        }
        if runs.len() < groups.len() {
            runs.resize_with(groups.len(), Vec::new);
        }
        // A unit that has done after one run counts again in the others: each file then stands by itself.
        for (index, run) in runs.iter_mut().enumerate() {
            if let Some(group) = groups.get(index).or(groups.last()) {
                run.push(group.clone());
            }
        }
    }
    if runs.is_empty() {
        runs.push(Vec::new());
    }
    let several = runs.len() > 1;
    let run = |(index, groups): (usize, Vec<UnitGroup<'_>>)| {
        let file = if several {
            format!("counters-{}.csv", index + 1)
        } else {
            "counters.csv".to_owned()
        };
        planned(sheet, request, &always, &groups, file)
    };
    runs.into_iter().enumerate().map(run).collect()
}

/// Whether an event of second choice counts for the same role, where the machine is not counted.
fn replaced(sheet: &CounterSheet, event: &CounterEvent) -> bool {
    sheet
        .event
        .iter()
        .any(|other| other.fallback && other.role == event.role)
}

/// Whether a group has a counter for one more event: some events can be on the first few alone.
fn has_room(group: &UnitGroup<'_>, event: &CounterEvent) -> bool {
    event.first.is_none_or(|first| {
        let rivals = group
            .iter()
            .filter(|other| other.first.is_some_and(|other| other <= first));
        rivals.count() < first as usize
    })
}

fn planned(
    sheet: &CounterSheet,
    request: &EventsRequest<'_>,
    always: &[&CounterEvent],
    groups: &[UnitGroup<'_>],
    file: String,
) -> PlannedRun {
    let plain = |event: &&CounterEvent| !event.encoding.contains('=');
    let core = |event: &&CounterEvent| event.fixed;
    let alone: Vec<&str> = always
        .iter()
        .filter(|event| plain(event) && !core(event))
        .map(|event| event.encoding.as_str())
        .collect();
    let mut parts = vec![alone.join(",")];
    let fixed: Vec<&CounterEvent> = always.iter().filter(|event| core(event)).copied().collect();
    let fixed_unit = fixed.first().map(|event| event.unit.as_str());
    let mut events: Vec<String> = always.iter().map(|event| event.name.clone()).collect();
    let mut has_fixed = false;
    for group in groups {
        let joins = group.first().map(|event| event.unit.as_str()) == fixed_unit && !has_fixed;
        has_fixed |= joins;
        let own = if joins { fixed.as_slice() } else { &[] };
        let terms: Vec<String> = own.iter().chain(group).map(|event| term(event)).collect();
        events.extend(group.iter().map(|event| event.name.clone()));
        // Units of the whole machine count each event by themselves: a group would be one for each of them.
        let is_wide = group
            .first()
            .and_then(|event| sheet.unit(&event.unit))
            .is_some_and(|unit| unit.system_wide);
        parts.push(if is_wide {
            terms.join(",")
        } else {
            format!("{{{}}}", terms.join(","))
        });
    }
    if !has_fixed && !fixed.is_empty() {
        let terms: Vec<String> = fixed.iter().map(|event| term(event)).collect();
        parts.push(format!("{{{}}}", terms.join(",")));
    }
    let mut command = "LC_ALL=C perf stat -x, ".to_owned();
    if !request.program_only {
        command += "-a ";
    }
    command += &format!("-I {} -o {file}", request.interval_ms);
    for part in parts.iter().filter(|part| !part.is_empty()) {
        command += &format!(" \\\n  -e '{part}'");
    }
    command += " \\\n  -- ";
    command += &match request.program {
        [] => "PROGRAM".to_owned(),
        program => program
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    };
    PlannedRun {
        command,
        file,
        events,
    }
}

/// How perf is asked for an event.
fn term(event: &CounterEvent) -> String {
    if event.encoding.contains('=') {
        format!("{}/{},name={}/", event.unit, event.encoding, event.name)
    } else {
        event.encoding.clone()
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |one: char| one.is_ascii_alphanumeric() || "-_./=:,+@%".contains(one);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    const REQUEST: EventsRequest<'static> = EventsRequest {
        interval_ms: 100,
        program_only: false,
        program: &[],
    };

    #[test]
    fn a_command_of_granite_rapids_needs_no_counter_twice() {
        let sheet = fixtures::granite_rapids();
        let runs = planned_runs(&sheet, &REQUEST);
        assert_eq!(runs.len(), 1);
        let command = &runs[0].command;
        assert!(
            command.starts_with("LC_ALL=C perf stat -x, -a -I 100 -o counters.csv"),
            "{command}"
        );
        assert!(
            command
                .contains("cpu/event=0x47,umask=0x09,cmask=9,name=memory_activity.stalls_l3_miss/"),
            "{command}"
        );
        assert!(command.contains("'{instructions,cycles,cpu/"), "{command}");
        assert!(
            command.contains("uncore_imc/event=0x06,umask=0xf0,name=unc_m_cas_count_sch1.wr/"),
            "{command}"
        );
        assert!(command.ends_with("-- PROGRAM"), "{command}");
    }

    #[test]
    fn more_events_than_counters_make_more_runs() {
        let mut sheet = fixtures::granite_rapids();
        for unit in &mut sheet.unit {
            if unit.name == "cpu" {
                unit.counters = 2;
            }
        }
        for event in &mut sheet.event {
            event.first = event.first.map(|_| 2);
        }
        let runs = planned_runs(&sheet, &REQUEST);
        assert_eq!(runs.len(), 2);
        assert_eq!(
            (runs[0].file.as_str(), runs[1].file.as_str()),
            ("counters-1.csv", "counters-2.csv")
        );
        for run in &runs {
            let of_core = run
                .events
                .iter()
                .filter(|name| name.contains("activity") || name.contains("offcore"));
            assert_eq!(of_core.count(), 2, "{run:?}");
            assert!(
                run.events.contains(&"unc_m_cas_count_sch0.rd".to_owned()),
                "{run:?}"
            );
        }
    }

    #[test]
    fn without_rights_cores_count_what_they_read() {
        let sheet = fixtures::granite_rapids();
        let request = EventsRequest {
            program_only: true,
            program: &["./a b".to_owned(), "--x=1".to_owned(), "it's".to_owned()],
            ..REQUEST
        };
        let runs = planned_runs(&sheet, &request);
        let all: String = runs.iter().map(|run| run.command.as_str()).collect();
        assert!(!all.contains(" -a ") && !all.contains("uncore"), "{all}");
        assert!(all.contains("ocr.reads_to_core.dram"), "{all}");
        assert!(all.contains("-- './a b' --x=1 'it'\\''s'"), "{all}");
    }
}
