//! The one serialisable object behind every run.
//!
//! Command line, study file and bindings all build an [`Experiment`]; the laboratory runs it; the
//! result set carries it, so that a saved result says how to make it again.

mod app;
mod bound;
mod buffer;
mod compare;
mod dram;
mod engine;
mod fit;
mod fs;
mod health;
mod host;
mod io;
mod kv;
mod limit_rule;
mod named_values;
#[cfg(feature = "cli")]
mod options;
mod raw;
#[cfg(all(test, feature = "cli"))]
mod round_trip;
mod sql;
mod surface;
mod sync;
mod translation;
mod wear;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use app::{AppWorkload, ModulePrices, PowerRun};
pub use bound::{BoundWorkload, ShareOrSize, ShareOrSizeError};
pub use buffer::{
    AccessSource, Arrival, BufferWorkload, Durations, LogSource, StreamSource, TraceSource,
};
pub use compare::{
    CompareWorkload, LifeBy, Limits, Preference, Prices, SizeOrPeriod, SizeOrPeriodError, Work,
    WorkKind,
};
pub use dram::{
    Band, BandwidthTest, DramTest, DramTraceTest, DramWorkload, IdleTest, LoadedTest, Mix,
};
pub use engine::EngineName;
pub use fit::FitWorkload;
pub use fs::{FsTest, FsWorkload};
pub use health::HealthWorkload;
pub use host::{
    ChainOrder, HostAccess, HostAllTest, HostBandwidthTest, HostImportTest, HostLatencyTest,
    HostLoadedTest, HostMatrixTest, HostMix, HostPages, HostStorageTest, HostTest, HostWorkload,
    KernelName, StorageEngine, StorageSync, StoreKind,
};
pub use io::IoWorkload;
pub use kv::{KvBench, KvBuild, KvCrash, KvDirectory, KvSizes, KvTest, KvWork, KvWorkload};
pub use limit_rule::{LIMIT_RULES, LimitRule};
pub use named_values::{ColumnUnit, NamedValues};
#[cfg(feature = "cli")]
pub use options::{ExperimentCommand, is_given};
pub use raw::{BackgroundWork, Operation, Pattern, RawWorkload};
pub use sql::{SqlJournal, SqlLog, SqlSync, SqlTest, SqlTold, SqlWork, SqlWorkload};
pub use surface::SurfaceTest;
pub use sync::WriteSync;
pub use translation::{FtlMapping, TranslationLayer};
pub use wear::{WearUsage, WearWorkload};

use crate::timing::Timing;

/// Targets, a workload and the conditions of a run. Inputs and seed give the run, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What is run: `PART@BOARD`, or `PART` where the part names a default board.
    pub targets: Vec<String>,
    /// What the targets do.
    pub workload: Workload,
    /// Which of the data sheets' columns apply, each run by itself. A single one is written without
    /// its list.
    #[serde(rename = "timing", with = "one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub timings: Vec<Timing>,
    /// Fraction of rated life already used, 0 to 1.
    pub age: f64,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// The translation layer that raw flash is run behind, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ftl: Option<TranslationLayer>,
}

/// A file that an experiment reads. Documents hold no paths: it has the last name alone.
#[derive(Debug)]
pub struct InputFile<'a> {
    /// The name.
    pub name: &'a mut String,
    /// Of what was measured beside: the field that holds it, which is the flag's as well. None of the file that the
    /// experiment is about.
    pub beside: Option<&'static str>,
}

/// What the targets do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Workload {
    /// A program on other memories.
    App(Box<AppWorkload>),
    /// Proven bounds of the real-time layer.
    Bound(BoundWorkload),
    /// A raw memory over access sizes.
    Raw(RawWorkload),
    /// RAM for a fixed input rate.
    Buffer(BufferWorkload),
    /// Candidates side by side, and a verdict for each.
    Compare(Box<CompareWorkload>),
    /// DDR5 modules in a server.
    Dram(DramWorkload),
    /// A part's sheet from a log of a real one.
    Fit(FitWorkload),
    /// File systems on memories.
    Fs(FsWorkload),
    /// Remaining life of blocks of flash.
    Health(HealthWorkload),
    /// The memory and the storage of this machine.
    Host(HostWorkload),
    /// The file calls of a recorded program.
    Io(IoWorkload),
    /// Hash tables on byte-addressable memories.
    Kv(KvWorkload),
    /// SQLite on file systems on memories.
    Sql(SqlWorkload),
    /// Endurance, and latency over life.
    Wear(WearWorkload),
}

impl Workload {
    /// As the result rows spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::App(_) => "app",
            Self::Bound(_) => "bound",
            Self::Raw(_) => "raw",
            Self::Buffer(_) => "buffer",
            Self::Compare(_) => "compare",
            Self::Dram(_) => "dram",
            Self::Fit(_) => "fit",
            Self::Fs(_) => "fs",
            Self::Health(_) => "health",
            Self::Host(_) => "host",
            Self::Io(_) => "io",
            Self::Kv(_) => "kv",
            Self::Sql(_) => "sql",
            Self::Wear(_) => "wear",
        }
    }

    /// The file that it is about, by its last name.
    const fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Dram(DramWorkload {
                test: DramTest::Trace(DramTraceTest { file, .. }),
                ..
            })
            | Self::Dram(DramWorkload {
                test:
                    DramTest::Loaded(LoadedTest {
                        against: Some(file),
                        ..
                    }),
                ..
            })
            | Self::Fit(FitWorkload {
                source: LogSource { file, .. },
                ..
            })
            | Self::Health(HealthWorkload::Trace { file })
            | Self::Host(HostWorkload {
                test:
                    HostTest::Import(HostImportTest { file, .. })
                    | HostTest::Storage(HostStorageTest { file, .. }),
                ..
            })
            | Self::Io(IoWorkload { file, .. }) => Some(file),
            Self::Buffer(buffer) => buffer.source.file_mut(),
            Self::App(app) => app.file.as_mut(),
            Self::Compare(compare) => compare.work.trace.as_mut(),
            Self::Sql(sql) => sql.script.as_mut(),
            _ => None,
        }
    }

    /// Every file that it reads, by its last name: what was measured beside first, the file that it is about last.
    #[must_use]
    pub fn inputs_mut(&mut self) -> Vec<InputFile<'_>> {
        fn beside<'a>(flag: &'static str, names: &'a mut [String]) -> Vec<InputFile<'a>> {
            let input = |name| InputFile {
                name,
                beside: Some(flag),
            };
            names.iter_mut().map(input).collect()
        }
        let (mut inputs, file) = match self {
            Self::Buffer(BufferWorkload {
                current, source, ..
            }) => (beside("current", current.as_mut_slice()), source.file_mut()),
            Self::App(app) => {
                let mut inputs = beside("surfaces", &mut app.surfaces);
                inputs.extend(beside("power_file", app.power_file.as_mut_slice()));
                (inputs, app.file.as_mut())
            }
            Self::Compare(compare) => {
                let mut inputs = beside("logs", &mut compare.logs);
                inputs.extend(beside("currents", &mut compare.currents));
                (inputs, compare.work.trace.as_mut())
            }
            other => (Vec::new(), other.file_mut()),
        };
        inputs.extend(file.map(|name| InputFile { name, beside: None }));
        inputs
    }

    /// Whether the file that it is about is read more than once: for each target, or each timing class.
    #[must_use]
    pub fn reads_again(&self, targets: usize) -> bool {
        match self {
            Self::Buffer(buffer) => matches!(buffer.source, AccessSource::Trace(_)),
            Self::Dram(dram) => matches!(dram.test, DramTest::Trace(_)) && targets > 1,
            Self::Compare(_) => true,
            _ => false,
        }
    }

    /// What the command of a kind runs unless flags say otherwise; where there are several, that of a test, or the first.
    /// None of a kind that does nothing until it is told what.
    #[must_use]
    pub fn usual(kind: &str, test: Option<&str>) -> Option<Self> {
        const USUAL: [fn() -> Workload; 16] = [
            buffer::usual,
            raw::usual,
            wear::usual,
            fs::usual,
            bound::usual,
            io::usual,
            sql::usual_bench,
            sql::usual_tune,
            kv::usual_bench,
            kv::usual_crash,
            dram::usual_idle,
            dram::usual_bandwidth,
            dram::usual_loaded,
            surface::usual,
            dram::usual_trace,
            app::usual,
        ];
        let mut all = USUAL.iter().chain(&host::USUAL).map(|usual| usual());
        all.find(|of| of.name() == kind && (test.is_none() || of.test() == test))
    }

    /// Which of its tests is run, of a workload with several.
    const fn test(&self) -> Option<&'static str> {
        match self {
            Self::Dram(dram) => Some(dram.test.name()),
            Self::Host(host) => Some(host.test.name()),
            Self::Kv(kv) => Some(kv.test.name()),
            Self::Sql(sql) => Some(sql.test.name()),
            _ => None,
        }
    }

    /// Its command.
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn command(&self) -> Option<&'static ExperimentCommand> {
        COMMANDS.iter().find(|command| {
            let default = (command.default)();
            (default.name(), default.test()) == (self.name(), self.test())
        })
    }
}

/// The commands of all workloads, in the order of help.
#[cfg(feature = "cli")]
pub static COMMANDS: &[ExperimentCommand] = &[
    compare::COMMAND,
    buffer::COMMAND,
    raw::COMMAND,
    wear::COMMAND,
    health::COMMAND,
    fs::COMMAND,
    bound::COMMAND,
    io::COMMAND,
    kv::BENCH,
    kv::CRASH,
    sql::BENCH,
    sql::TUNE,
    dram::IDLE,
    dram::BANDWIDTH,
    dram::LOADED,
    surface::COMMAND,
    dram::TRACE,
    app::COMMAND,
    host::LATENCY,
    host::MATRIX,
    host::BANDWIDTH,
    host::LOADED,
    host::ALL,
    host::STORAGE,
    host::IMPORT,
    fit::COMMAND,
];

/// How [`Experiment::timings`] are written.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    /// A single class.
    One(Timing),
    /// Several, each run by itself.
    Many(Vec<Timing>),
}

/// A list that is written without brackets where it has one element.
mod one_or_many {
    use std::fmt;

    use serde::de::{
        self, Deserialize as _, Deserializer, IntoDeserializer as _, SeqAccess, Visitor,
    };
    use serde::{Serialize as _, Serializer};

    use super::{OneOrMany, Timing};

    pub(super) fn serialize<S: Serializer>(
        timings: &[Timing],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match timings {
            [one] => OneOrMany::One(*one),
            many => OneOrMany::Many(many.to_vec()),
        }
        .serialize(serializer)
    }

    /// By hand, so that a misspelt class is named with those that exist.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Timing>, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Vec<Timing>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a timing class or a list of them")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Vec<Timing>, E> {
                Timing::deserialize(name.into_deserializer()).map(|one| vec![one])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Timing>, A::Error> {
                let mut timings = Vec::new();
                while let Some(one) = list.next_element()? {
                    timings.push(one);
                }
                Ok(timings)
            }
        }
        deserializer.deserialize_any(List)
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_survives_json_and_names_its_command() {
        let experiment = Experiment {
            targets: vec!["em064lx@stm32h755-qspi".into()],
            workload: Workload::Raw(RawWorkload::default()),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert_eq!(
            serde_json::from_str::<Experiment>(&json).ok(),
            Some(experiment.clone())
        );
        assert_eq!(
            experiment.command_line(),
            "wordline raw --target em064lx@stm32h755-qspi --operation read,write --pattern sequential \
             --size 2KiB,4KiB,8KiB,16KiB,32KiB,64KiB --total 64MiB --wrap 8MiB --timing typ --age 0 --seed 0"
        );
    }

    #[test]
    fn work_in_the_background_is_named_where_there_is_any() {
        let mut experiment = Experiment {
            targets: vec!["mt25ql128".into()],
            workload: Workload::Raw(RawWorkload::default()),
            timings: vec![Timing::Typ],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert!(!json.contains("during"), "{json}");
        let Workload::Raw(raw) = &mut experiment.workload else {
            unreachable!("it was made above");
        };
        raw.during = vec![BackgroundWork::Program, BackgroundWork::Erase];
        raw.pause_ps = Some(1_500_000);
        let command = experiment.command_line();
        assert!(
            command.contains(" --during program,erase --pause 1.5us --size "),
            "{command}"
        );
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert_eq!(serde_json::from_str(&json).ok(), Some(experiment));
    }

    #[test]
    fn one_timing_class_stands_without_a_list() {
        let mut experiment = Experiment {
            targets: Vec::new(),
            workload: Workload::Raw(RawWorkload::default()),
            timings: vec![Timing::Max],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        for (timings, expected) in [
            (vec![Timing::Max], "\"timing\":\"max\""),
            (
                vec![Timing::Typ, Timing::Max],
                "\"timing\":[\"typ\",\"max\"]",
            ),
        ] {
            experiment.timings = timings;
            let json = serde_json::to_string(&experiment).expect("plain data");
            assert!(json.contains(expected), "{json}");
            assert_eq!(serde_json::from_str(&json).ok(), Some(experiment.clone()));
        }
    }

    #[test]
    fn a_study_survives_json_and_its_command_spells_it_out() {
        use crate::quantity::{ByteCount, DataRate, Period, Quantity as _, Voltage};
        let work = Work::log(DataRate::from_si(5e5), ByteCount::from_bytes(4096));
        let mut study = CompareWorkload {
            title: Some("a \"logger\"".into()),
            in_turn: true,
            logs: vec!["a.csv".into(), "b.csv".into()],
            currents: vec!["ppk a.csv".into(), "b.csv".into()],
            voltages: vec![Voltage::from_si(3.3)],
            current_offsets_ps: vec![1_250_000_000_000, 0],
            ..CompareWorkload::of(work)
        };
        study.limits.ram = Some(ByteCount::from_bytes(16_384));
        study.limits.life = Some(Period::from_si(10.0 * 365.25 * 86_400.0));
        let experiment = Experiment {
            targets: vec!["mt29f1g01".into()],
            workload: Workload::Compare(Box::new(study)),
            timings: vec![Timing::Typ, Timing::Max],
            age: 0.0,
            seed: 0,
            ftl: None,
        };
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert_eq!(serde_json::from_str(&json).ok(), Some(experiment.clone()));
        assert_eq!(
            experiment.command_line(),
            "wordline compare --title 'a \"logger\"' --work log --rate 500KB/s --record 4KiB --max-ram 16KiB \
             --min-life 10y --in-turn --log a.csv,b.csv --current 'ppk a.csv,b.csv' --voltage 3.3V \
             --current-offset 1.25s,0ps --target mt29f1g01 --timing typ,max --age 0 --seed 0"
        );
    }

    #[test]
    fn a_test_of_modules_survives_json_and_its_command_spells_it_out() {
        let command = |test: DramTest| {
            let mut workload = DramWorkload::of(test);
            workload
                .settings
                .insert("refresh".into(), "same-bank".into());
            let experiment = Experiment {
                targets: vec!["a@s".into(), "b@s".into()],
                workload: Workload::Dram(workload),
                timings: vec![Timing::Max],
                age: 0.0,
                seed: 7,
                ftl: None,
            };
            let json = serde_json::to_string(&experiment).expect("plain data");
            assert_eq!(serde_json::from_str(&json).ok(), Some(experiment.clone()));
            experiment.command_line()
        };
        assert_eq!(
            command(DramTest::Bandwidth(BandwidthTest {
                mixes: vec![Mix::Reads, Mix::Triad],
                patterns: vec![Pattern::Sequential],
                band: Band::All,
                draws: 32,
            })),
            "wordline dram bandwidth --target a@s,b@s --mix 1:0,triad --pattern sequential --band all --draws 32 \
             --set refresh=same-bank --warm-up 20us --measure 100us --seed 7"
        );
        assert_eq!(
            command(DramTest::Loaded(LoadedTest {
                delays_cycles: vec![0, 500],
                mix: Mix::ThreeToOne,
                pattern: Pattern::Random,
                samples: 1000,
                probes: 4,
                within_ps: vec![204_000],
                ..LoadedTest::default()
            })),
            "wordline dram loaded --target a@s,b@s --delay 0,500 --mix 3:1 --pattern random --samples 1000 \
             --probes 4 --within 204ns --set refresh=same-bank --warm-up 20us --measure 100us --seed 7"
        );
        assert_eq!(
            command(DramTest::Idle(IdleTest { samples: 9 })),
            "wordline dram idle --target a@s,b@s --samples 9 --set refresh=same-bank --warm-up 20us \
             --measure 100us --seed 7"
        );
    }

    #[test]
    fn a_misspelt_key_is_refused_by_name() {
        let error = serde_json::from_str::<Experiment>(r#"{"targets":[],"sed":1}"#);
        let message = error.expect_err("misspelt").to_string();
        assert!(message.contains("unknown field `sed`"), "{message}");
    }
}
