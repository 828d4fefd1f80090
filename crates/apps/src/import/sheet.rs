//! What the counters of a processor's cores and memory controllers mean: data of the catalogue, one file a core.

use serde::Deserialize;

use super::CounterRole;

/// The counters of a core and of what lies around it: table `[pmu]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterSheet {
    /// How tools write the core's name, in small letters.
    pub names: Vec<String>,
    /// Systems of the catalogue that have such cores.
    #[serde(default)]
    pub systems: Vec<String>,
    /// What has counters.
    pub unit: Vec<CounterUnit>,
    /// What can be counted.
    pub event: Vec<CounterEvent>,
}

/// A part of the processor that has counters, as the kernel names it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterUnit {
    /// The kernel's name of it. Of units that exist several times it is the part that all names share.
    pub name: String,
    /// Events that it counts at once; 0 where every event has a counter of its own.
    pub counters: u32,
    /// Whether it counts for the machine alone and not for a program.
    pub system_wide: bool,
    /// Where these figures come from.
    pub source: String,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterEvent {
    /// Its name in small letters, as the maker's list has it.
    pub name: String,
    /// Name of the unit that counts it.
    pub unit: String,
    /// How perf is asked for it: terms such as `event=0x47,umask=0x09`, or a name that the kernel knows.
    pub encoding: String,
    /// What it is counted for.
    pub role: CounterRole,
    /// Whether a counter of its own counts it.
    #[serde(default)]
    pub fixed: bool,
    /// Whether it serves where the other events of its role were not counted, as without rights to the whole machine.
    #[serde(default)]
    pub fallback: bool,
    /// Whether it counts every line that an instruction asked for, besides its role.
    #[serde(default)]
    pub demand: bool,
    /// Where not every counter can count it: how many can.
    pub first: Option<u32>,
    /// Other names of it.
    #[serde(default)]
    pub also: Vec<String>,
    /// What its count has to be multiplied by; 1 where it is left out.
    pub factor: Option<CounterFactor>,
    /// What it counts, in words.
    pub meaning: String,
    /// Where this comes from.
    pub source: String,
}

/// By what a count is multiplied, and how far that may be off.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterFactor {
    /// The likeliest.
    pub likely: f64,
    /// The least that it may be.
    pub least: f64,
    /// The greatest that it may be.
    pub most: f64,
    /// Why.
    pub reason: String,
}

/// Something that is wrong with a sheet of counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSheetProblem {
    /// Dotted path of the value.
    pub path: String,
    /// What is wrong with it and what is allowed.
    pub message: String,
}

impl CounterEvent {
    /// The factor of its count: likeliest, least, greatest.
    #[must_use]
    pub fn factors(&self) -> [f64; 3] {
        let factor = self.factor.as_ref();
        factor.map_or([1.0; 3], |factor| {
            [factor.likely, factor.least, factor.most]
        })
    }
}

impl CounterSheet {
    /// The unit of a name.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<&CounterUnit> {
        self.unit.iter().find(|unit| unit.name == name)
    }

    /// The event that a tool calls so: by a name, or by the terms that perf was given.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&CounterEvent> {
        let terms = terms(name);
        self.event.iter().find(|event| {
            event.name == name
                || event.also.iter().any(|also| also == name)
                || terms.as_ref().is_some_and(|(unit, terms)| {
                    unit.strip_prefix(event.unit.as_str()).is_some_and(|rest| {
                        rest.trim_matches(|c: char| c == '_' || c.is_ascii_digit())
                            .is_empty()
                    }) && Some(terms) == parsed(&event.encoding).as_ref()
                })
        })
    }

    /// Everything that is wrong with it.
    #[must_use]
    pub fn problems(&self) -> Vec<CounterSheetProblem> {
        let mut problems = Vec::new();
        let mut add =
            |path: String, message: String| problems.push(CounterSheetProblem { path, message });
        if self.event.is_empty() {
            add(
                "event".to_owned(),
                "a sheet has one event at least".to_owned(),
            );
        }
        for (index, unit) in self.unit.iter().enumerate() {
            if self
                .unit
                .iter()
                .take(index)
                .any(|other| other.name == unit.name)
            {
                add(
                    format!("unit.{index}.name"),
                    format!("{:?} stands twice", unit.name),
                );
            }
        }
        for (index, event) in self.event.iter().enumerate() {
            let path = |key: &str| format!("event.{index}.{key}");
            let Some(unit) = self.unit(&event.unit) else {
                let known: Vec<_> = self.unit.iter().map(|unit| unit.name.as_str()).collect();
                let message = format!(
                    "{:?} is no unit of this sheet; allowed: {}",
                    event.unit,
                    known.join(", ")
                );
                add(path("unit"), message);
                continue;
            };
            let names = |event: &CounterEvent| -> Vec<String> {
                std::iter::once(event.name.clone())
                    .chain(event.also.clone())
                    .collect()
            };
            let own = names(event);
            if own
                .iter()
                .any(|name| *name != name.to_lowercase() || name.is_empty())
            {
                add(
                    path("name"),
                    "names are in small letters, and none is empty".to_owned(),
                );
            }
            let earlier = self.event.iter().take(index);
            if earlier.flat_map(names).any(|name| own.contains(&name)) {
                add(
                    path("name"),
                    format!("another event has a name of {:?}", event.name),
                );
            }
            if event
                .first
                .is_some_and(|first| first == 0 || first > unit.counters)
            {
                let message = format!(
                    "allowed: 1 to {}, the counters of {}",
                    unit.counters, unit.name
                );
                add(path("first"), message);
            }
            let [likely, least, most] = event.factors();
            let ordered = least >= 0.0
                && least <= likely
                && likely <= most
                && most.is_finite()
                && likely > 0.0;
            if !ordered {
                let message = "least, likely and most are numbers from 0 on, in this order, and likely is above 0";
                add(path("factor"), message.to_owned());
            }
            if !event.role.is_counted() {
                add(path("role"), format!("{:?} is no count", event.role.name()));
            }
        }
        problems
    }
}

/// The unit and terms of an event such as `cpu/event=0x47,umask=0x9/`, without those that name it.
fn terms(name: &str) -> Option<(&str, Vec<(String, u64)>)> {
    let (unit, rest) = name.split_once('/')?;
    let (inner, _) = rest.split_once('/')?;
    Some((unit, parsed(inner)?))
}

/// Terms with their numbers, in order of their names; none where one of them has no number.
fn parsed(encoding: &str) -> Option<Vec<(String, u64)>> {
    let mut terms = Vec::new();
    for term in encoding.split(',') {
        let (key, value) = term.split_once('=')?;
        if key == "name" {
            continue;
        }
        let number = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        if number != 0 {
            terms.push((key.to_owned(), number));
        }
    }
    terms.sort();
    Some(terms)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;

    #[test]
    fn events_are_found_by_every_name() {
        let sheet = fixtures::granite_rapids();
        let names = [
            "memory_activity.stalls_l3_miss",
            "cpu/event=0x47,umask=0x9,cmask=9/",
            "cpu/cmask=0x9,event=0x47,umask=9,name=x/",
        ];
        for name in names {
            let event = sheet.find(name).expect(name);
            assert_eq!(event.name, "memory_activity.stalls_l3_miss");
        }
        let older = sheet.find("cpu/event=0xa3,umask=0x6,cmask=6/");
        assert_eq!(
            older.expect("another event").name,
            "cycle_activity.stalls_l3_miss"
        );
        let read = sheet
            .find("uncore_imc_11/event=0x5,umask=0xcf/")
            .expect("of one controller");
        assert_eq!(read.name, "unc_m_cas_count_sch0.rd");
        for name in [
            "cpu/event=0x47,umask=0x9/",
            "uncore_imcx/event=0x5,umask=0xcf/",
            "branches",
            "a/b",
            "/",
        ] {
            assert!(sheet.find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_sheet_is_named() {
        let sound = fixtures::granite_rapids();
        assert_eq!(sound.problems(), []);
        let problem = |change: fn(&mut super::CounterSheet)| {
            let mut sheet = sound.clone();
            change(&mut sheet);
            let problems = sheet.problems();
            assert_eq!(problems.len(), 1, "{problems:?}");
            problems[0].path.clone()
        };
        assert_eq!(
            problem(|sheet| sheet.event[0].unit = "gpu".into()),
            "event.0.unit"
        );
        assert_eq!(
            problem(|sheet| sheet.event[4].first = Some(9)),
            "event.4.first"
        );
        assert_eq!(
            problem(|sheet| sheet.event[1].name = "Cycles".into()),
            "event.1.name"
        );
        assert_eq!(
            problem(|sheet| sheet.event[2].also = vec!["task-clock".into()]),
            "event.2.name"
        );
        assert_eq!(
            problem(|sheet| sheet.unit.push(sheet.unit[0].clone())),
            "unit.5.name"
        );
    }
}
