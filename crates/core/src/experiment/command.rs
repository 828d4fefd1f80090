//! The command line that makes a result again, every setting spelled out.

use std::fmt::{Display, Write as _};

use super::{
    AccessSource, BufferWorkload, CompareWorkload, DramTest, DramWorkload, Durations, Experiment,
    FitWorkload, FsWorkload, HealthWorkload, KvTest, KvWorkload, LogSource, RawWorkload,
    WearWorkload, Workload,
};
use crate::quantity::{ByteCount, DataRate, Frequency, Period, Quantity as _, Time};

impl Experiment {
    /// The command that makes the same result again, every setting spelled out.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut command = Command(format!("wordline {}", self.workload.name()));
        if let Workload::Dram(dram) = &self.workload {
            command.word(dram.test.name());
            if let DramTest::Trace(trace) = &dram.test {
                command.word(&trace.file);
            }
        }
        if let Workload::Fs(_) = &self.workload {
            command.word("bench");
        }
        if let Workload::Health(_) = &self.workload {
            command.0 = "wordline wear health".to_owned();
        }
        if let Workload::Kv(kv) = &self.workload {
            command.word(kv.test.name());
        }
        if let Workload::Fit(fit) = &self.workload {
            command.0 = "wordline part fit".to_owned();
            command.word(&fit.source.file);
            command.flag("base", self.targets.join(","));
        } else if !self.targets.is_empty() {
            command.flag("target", self.targets.join(","));
        }
        match &self.workload {
            Workload::Raw(raw) => command.raw(raw),
            Workload::Buffer(buffer) => command.buffer(buffer),
            Workload::Compare(compare) => command.compare(compare),
            Workload::Dram(dram) => command.dram(dram),
            Workload::Fit(fit) => command.fit(fit),
            Workload::Fs(fs) => command.fs(fs),
            Workload::Health(health) => command.health(health),
            Workload::Kv(kv) => command.kv(kv),
            Workload::Wear(wear) => command.wear(wear),
        }
        // What was measured has no column of a data sheet, and modules have one alone.
        let fixed = match &self.workload {
            Workload::Buffer(buffer) => matches!(buffer.source, AccessSource::Log(_)),
            Workload::Dram(_) | Workload::Fit(_) | Workload::Health(_) => true,
            Workload::Raw(_)
            | Workload::Compare(_)
            | Workload::Fs(_)
            | Workload::Kv(_)
            | Workload::Wear(_) => false,
        };
        if !fixed {
            command.list("timing", self.timings.iter());
            command.flag("age", self.age);
        }
        if let Some(ftl) = &self.ftl {
            command.flag("ftl", ftl.mapping.name());
            command.quantity("ftl-spare", ftl.spare);
        }
        command.flag("seed", self.seed);
        command.0
    }
}

/// A command line that grows.
struct Command(String);

impl Command {
    /// A flag with its value. Spaces within a quantity are left out.
    fn flag(&mut self, name: &str, value: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, " --{name} {}", quoted(&value.to_string()));
    }

    /// A word without a flag.
    fn word(&mut self, word: &str) {
        let _ = write!(self.0, " {}", quoted(word));
    }

    fn quantity(&mut self, name: &str, value: impl Display) {
        self.flag(name, compact(value));
    }

    fn optional(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.quantity(name, value);
        }
    }

    /// A flag with several values; none where there are none.
    fn list(&mut self, name: &str, values: impl Iterator<Item = impl Display>) {
        let values: Vec<_> = values.map(compact).collect();
        if !values.is_empty() {
            self.flag(name, values.join(","));
        }
    }

    fn switch(&mut self, name: &str, on: bool) {
        if on {
            let _ = write!(self.0, " --{name}");
        }
    }

    fn raw(&mut self, raw: &RawWorkload) {
        self.list("operation", raw.operations.iter().map(|one| one.name()));
        self.list("pattern", raw.patterns.iter().map(|one| one.name()));
        self.switch("cache-read", raw.cache_read);
        self.switch("cache-program", raw.cache_program);
        self.switch("multi-plane", raw.multi_plane);
        self.list("during", raw.during.iter().map(|one| one.name()));
        self.optional("pause", raw.pause_ps.map(Time::from_ps));
        self.list("fill", raw.fill.iter());
        if raw.warm_up_bytes > 0 {
            self.quantity("warm-up", bytes(raw.warm_up_bytes));
        }
        self.list("gap", raw.gaps_ps.iter().copied().map(Time::from_ps));
        self.list("streams", raw.streams.iter());
        self.optional("sync", raw.sync);
        self.list("size", raw.access_bytes.iter().copied().map(bytes));
        self.quantity("total", bytes(raw.total_bytes));
        self.quantity("wrap", bytes(raw.wrap_bytes));
    }

    fn buffer(&mut self, buffer: &BufferWorkload) {
        match &buffer.source {
            AccessSource::Stream(stream) => {
                self.flag("operation", stream.operation.name());
                self.flag("pattern", stream.pattern.name());
                self.quantity("record", bytes(stream.record_bytes));
                self.quantity("total", bytes(stream.total_bytes));
                self.quantity("wrap", bytes(stream.wrap_bytes));
            }
            AccessSource::Log(log) => {
                self.flag("log", &log.file);
                self.log(log);
            }
            AccessSource::Trace(trace) => {
                self.flag("trace", &trace.file);
                self.optional("log-format", trace.format.as_ref());
                if let Some(job) = &trace.job {
                    self.flag("job", job);
                }
                self.flag("operation", trace.operation.name());
            }
        }
        let rates = buffer.rates_bytes_per_s.iter();
        self.list("rate", rates.map(|rate| DataRate::from_si(*rate)));
        self.list("ram", buffer.ram_bytes.iter().copied().map(bytes));
        self.switch("power-up", buffer.power_up);
        if buffer.startup_ps > 0 {
            self.quantity("startup", Time::from_ps(buffer.startup_ps));
        }
        if buffer.backlog_bytes > 0 {
            self.quantity("backlog", bytes(buffer.backlog_bytes));
        }
        self.optional("fill", buffer.fill);
        if buffer.warm_up_bytes > 0 {
            self.quantity("warm-up", bytes(buffer.warm_up_bytes));
        }
        self.optional("sync", buffer.sync);
        self.optional("window", buffer.window);
        self.optional("horizon", buffer.horizon_s.map(Period::from_si));
    }

    /// What was said of a log beside its name.
    fn log(&mut self, log: &LogSource) {
        self.optional("log-format", log.format.as_ref());
        self.optional("log-unit", log.unit.as_ref());
        if let Some(job) = &log.job {
            self.flag("job", job);
        }
        self.optional("operation", log.operation.map(super::Operation::name));
        self.optional("record", log.record_bytes.map(bytes));
        if log.durations != Durations::Latency {
            self.flag("durations", log.durations.name());
        }
    }

    fn fit(&mut self, fit: &FitWorkload) {
        self.flag("template", &fit.template);
        self.flag("id", &fit.id);
        self.log(&fit.source);
        self.optional("pattern", fit.pattern.map(super::Pattern::name));
        self.optional("range", fit.range_bytes.map(bytes));
        self.optional("fill", fit.fill);
        if fit.warm_up_bytes > 0 {
            self.quantity("warm-up", bytes(fit.warm_up_bytes));
        }
        self.flag("simulations", fit.simulations);
    }

    fn fs(&mut self, fs: &FsWorkload) {
        self.list("fs", fs.file_systems.iter().map(|one| one.name()));
        self.list("workload", fs.tests.iter().map(|one| one.name()));
        if let Some(capacity) = fs.capacity_bytes {
            self.quantity("capacity", bytes(capacity));
        }
        self.quantity("file", bytes(fs.file_bytes));
        self.quantity("access", bytes(fs.access_bytes));
        self.quantity("record", bytes(fs.record_bytes));
        self.flag("files", fs.files);
        self.quantity("small", bytes(fs.small_bytes));
        self.list("fill", fs.fill.iter());
        let rates = fs.rates_bytes_per_s.iter();
        self.list("rate", rates.map(|rate| DataRate::from_si(*rate)));
        self.flag("crash", fs.crash_images);
        for (name, value) in &fs.settings {
            self.flag("set", format!("{name}={value}"));
        }
    }

    fn health(&mut self, health: &HealthWorkload) {
        match health {
            HealthWorkload::Trace { file } => self.flag("trace", file),
            HealthWorkload::Score { families } => {
                self.switch("score", true);
                self.flag("families", families);
            }
        }
    }

    fn kv(&mut self, kv: &KvWorkload) {
        self.list("table", kv.tables.iter().map(|one| one.name()));
        self.list("directory", kv.directories.iter().map(|one| one.name()));
        match &kv.test {
            KvTest::Bench(bench) => {
                self.list("workload", bench.works.iter().map(|one| one.name()));
                self.quantity("capacity", bytes(bench.capacity_bytes));
                self.list("size", bench.sizes.iter());
                self.list("load", bench.loads.iter());
                self.list("build", bench.builds.iter().map(|one| one.name()));
                self.optional("operations", bench.operations);
            }
            KvTest::Crash(crash) => {
                self.list("size", crash.sizes.iter());
                self.optional("images", crash.images);
            }
        }
    }

    fn wear(&mut self, wear: &WearWorkload) {
        self.flag("blocks", wear.blocks);
        self.flag("samples", wear.samples);
        self.list("usage", wear.usages.iter().map(|one| one.name()));
        self.flag("order", wear.order.name());
        self.list("temperature", wear.temperatures_celsius.iter());
        let dwells = wear.dwells_s.iter();
        self.list("dwell", dwells.map(|dwell| Period::from_si(*dwell)));
        self.flag("max-cycles", wear.most_cycles);
    }

    fn compare(&mut self, compare: &CompareWorkload) {
        let (work, limits, prices) = (&compare.work, &compare.limits, &compare.prices);
        self.flag("work", work.kind.name());
        self.quantity("rate", work.rate);
        self.quantity("record", work.record);
        self.optional("duty", work.duty);
        self.optional("keep", work.keep);
        self.optional("utilization", work.utilization);
        self.optional("fill", work.fill);
        self.optional("reads", work.reads);
        if let Some(trace) = &work.trace {
            self.flag("trace", trace);
        }
        self.optional("max-ram", limits.ram);
        self.optional("max-latency", limits.latency);
        self.optional("min-life", limits.life);
        self.optional("max-energy-per-day", limits.energy_per_day);
        self.optional("max-bytes-at-risk", limits.bytes_at_risk);
        self.optional("max-holdup", limits.holdup);
        self.optional("max-cost", limits.cost);
        self.optional("max-parts", limits.parts);
        self.optional("ram-price", prices.ram_per_kib);
        self.optional("shifter-price", prices.level_shifter);
        let parts = prices.parts.iter();
        self.list(
            "price",
            parts.map(|(part, price)| format!("{part}={price}")),
        );
        self.switch("in-turn", compare.in_turn);
        if let Some(title) = &compare.title {
            self.flag("title", title);
        }
    }

    fn dram(&mut self, dram: &DramWorkload) {
        match &dram.test {
            DramTest::Idle(idle) => self.flag("samples", idle.samples),
            DramTest::Bandwidth(bandwidth) => {
                self.list("mix", bandwidth.mixes.iter());
                self.list("pattern", bandwidth.patterns.iter().map(|one| one.name()));
                self.flag("band", bandwidth.band.name());
            }
            DramTest::Loaded(loaded) => {
                self.list("delay", loaded.delays_cycles.iter());
                self.flag("mix", loaded.mix);
                self.flag("pattern", loaded.pattern.name());
                self.flag("samples", loaded.samples);
                self.flag("probes", loaded.probes);
                self.list(
                    "within",
                    loaded.within_ps.iter().copied().map(Time::from_ps),
                );
            }
            DramTest::Trace(trace) => {
                self.optional("as", trace.format.as_ref());
                self.optional("clock", trace.clock_hz.map(Frequency::from_hz));
                self.switch("align", trace.align);
                self.switch("fold", trace.fold);
                self.switch("check", trace.check);
            }
        }
        for (name, value) in &dram.settings {
            self.flag("set", format!("{name}={value}"));
        }
        // A trace lasts as long as it does.
        if !matches!(dram.test, DramTest::Trace(_)) {
            self.quantity("warm-up", Time::from_ps(dram.warm_up_ps));
            self.quantity("measure", Time::from_ps(dram.measure_ps));
        }
    }
}

fn bytes(bytes: u64) -> ByteCount {
    ByteCount::from_bytes(bytes)
}

/// A value without the space between number and unit.
fn compact(value: impl Display) -> String {
    value.to_string().replace(' ', "")
}

/// A word as a POSIX shell takes it literally.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@.,:/_+-=%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_target_is_quoted() {
        assert_eq!(quoted("p@b"), "p@b");
        assert_eq!(quoted("x$(id);y"), "'x$(id);y'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
