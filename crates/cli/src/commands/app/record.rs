//! `wordline app record`: a program in QEMU, with the plugin that counts.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use wordline_apps::profile::LINE_BYTES;
use wordline_apps::record::{
    CacheSetting, CoreShape, ProgramRecording, RecordedCaches, RecordingAssumptions,
};
use wordline_apps::{CurvePlace, LatencySurface as _, MemoryCurve, Profile, SurfaceTable};
use wordline_apps_qemu::PluginSettings;
use wordline_catalog::Catalog;
use wordline_core::quantity::Quantity as _;
use wordline_core::{
    Basis, DramTest, DramWorkload, Experiment, IdleTest, Metric, Timing, Workload,
};
use wordline_dram::sheet::Settings;
use wordline_lab::{Control, shipped_surface};
use wordline_report::printable;

use crate::args::{AppRecording, Global, cache_size};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;

/// Interval between checks that the program still runs.
const LOOK: Duration = Duration::from_millis(10);

/// File of the plugin.
const PLUGIN: &str = "libwordline_apps_qemu.so";

/// What installs QEMU.
const INSTALL: &str = "install the package qemu-user (scripts/need-qemu does)";

pub(super) fn run(record: &AppRecording, global: &Global) -> Result<Outcome, Failure> {
    if record.latency.is_some_and(|latency| latency.si() <= 0.0) {
        return Err(failure::message(
            "--latency: a line takes longer than 0 s; allowed: above 0s",
        ));
    }
    let caches = caches(record)?;
    let program = program(&record.program[0])?;
    let mut outputs = vec![("--output", &*record.output)];
    outputs.extend(record.counts.iter().map(|counts| ("--counts", &**counts)));
    let mut inputs = vec![&*program];
    inputs.extend(record.qemu.as_deref());
    inputs.extend(record.plugin.as_deref());
    output::new_files(&outputs, &inputs, record.force)?;
    let qemu = match &record.qemu {
        Some(qemu) => found(qemu.as_os_str())
            .ok_or_else(|| refused(qemu, &format!("there is no such program; {INSTALL}")))?,
        None => emulator(&program)?,
    };
    let plugin = plugin(record.plugin.as_deref())?;
    let catalog = super::super::catalog(global)?;
    let system = RecordedBaseline::of(&catalog, record)?;
    let memory = memory_cycles(system.latency_ns, system.clock_hz);
    let out = memfd_create("wordline-recording", MemfdFlags::CLOEXEC);
    let mut out = File::from(out.map_err(|error| failure::message(error.to_string()))?);
    let settings = PluginSettings {
        out: format!("/proc/{}/fd/{}", std::process::id(), out.as_raw_fd()),
        caches,
        core: CoreShape::performance_core(memory),
        sets_of_64: record
            .sampled
            .as_ref()
            .map_or(64, |sets| sets.parse().unwrap_or(4)),
    };
    let mut command = Command::new(&qemu);
    command
        .args(["-cpu", "max", "-plugin"])
        .arg(format!("{},{}", plugin.display(), settings.to_arguments()))
        .arg(&program)
        .args(&record.program[1..]);
    let status = waited(command, &program)?;
    if interrupt::heard() {
        return Ok(Outcome::Interrupted);
    }
    let recording = counted(&mut out, status, &program)?;
    let assumptions = RecordingAssumptions {
        name: super::program::named(record.name.as_ref(), &record.program),
        made_by: super::program::made_by("record", &options(record), &record.program),
        baseline: record.on.clone(),
        latency_ns: system.latency_ns,
        latency_basis: system.latency_basis,
        clock_hz: system.clock_hz,
        copies: record.copies,
        misses_per_core: system.misses_per_core,
    };
    let profile = assumptions
        .profile(&recording, &|place| system.curve(place))
        .map_err(|error| failure::message(error.to_string()))?;
    super::program::shown(&summary(&recording, &profile), global)?;
    for remark in remarks(&recording)
        .into_iter()
        .chain(system.remarks(&record.on, &profile))
    {
        output::note(&printable(&format!("warning: {remark}")));
    }
    super::write(&profile, &record.output, global)?;
    if let Some(counts) = &record.counts {
        let text = serde_json::to_string_pretty(&recording);
        let text = text.map_err(|error| failure::message(error.to_string()))?;
        output::write_file(counts, &text, global)?;
    }
    if status.success() {
        return Ok(Outcome::Done);
    }
    output::note(&printable(&format!("{}: {status}", program.display())));
    Ok(Outcome::CheckFailed)
}

fn refused(what: &Path, why: &str) -> Failure {
    failure::message(printable(&format!("{}: {why}", what.display())))
}

/// What the options say of the caches.
fn caches(record: &AppRecording) -> Result<RecordedCaches, Failure> {
    let usual = RecordedCaches::usual(record.threads);
    let of = |flag: &str, text: Option<&String>, usual: CacheSetting| {
        let Some(text) = text else {
            return Ok(usual);
        };
        let wrong = |why: &str| failure::message(printable(&format!("{flag} {text}: {why}")));
        let parts: Vec<&str> = text.split(':').collect();
        let size = cache_size(parts[0]).ok();
        let ways = parts
            .get(1)
            .map_or(Some(usual.ways), |ways| ways.parse().ok());
        let hashed = match parts.get(2) {
            None => Some(usual.hashed),
            Some(&"plain") => Some(false),
            Some(&"hashed") => Some(true),
            Some(_) => None,
        };
        let (Some(size), Some(ways), Some(hashed), 1..=3) = (size, ways, hashed, parts.len())
        else {
            return Err(wrong(
                "allowed: SIZE, SIZE:WAYS, or SIZE:WAYS:plain where the lowest bits of a line are its place",
            ));
        };
        let setting = CacheSetting {
            bytes: size.bytes(),
            ways,
            hashed,
        };
        setting.sets().map_err(|error| wrong(&error.to_string()))?;
        Ok(setting)
    };
    let second = match (record.l2.as_deref(), usual.second) {
        (_, None) => None,
        (Some(text), _) if cache_size(text).is_ok_and(|size| size.bytes() == 0) => None,
        (_, Some(usual)) => Some(of("--l2", record.l2.as_ref(), usual)?),
    };
    Ok(RecordedCaches {
        first: of("--l1", record.l1.as_ref(), usual.first)?,
        second,
        last: of("--l3", record.l3.as_ref(), usual.last)?,
    })
}

/// Options that change what is counted, for the profile.
fn options(record: &AppRecording) -> Vec<String> {
    let above = |least: u64, value: u64| (value > least).then(|| value.to_string());
    let sampled = record
        .sampled
        .as_ref()
        .map(|sets| format!("--sampled={sets}"));
    let others = [
        ("l1", record.l1.clone()),
        ("l2", record.l2.clone()),
        ("l3", record.l3.clone()),
        ("threads", above(1, record.threads)),
        ("copies", above(1, record.copies.into())),
    ];
    let others = others
        .into_iter()
        .filter_map(|(name, value)| Some(format!("--{name} {}", value?)));
    sampled.into_iter().chain(others).collect()
}

/// A program by its path, or by its name in the folders of PATH.
fn found(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(path))
        .find(|file| file.is_file())
}

fn program(name: &OsStr) -> Result<PathBuf, Failure> {
    let path = Path::new(name);
    found(name).ok_or_else(|| {
        let is_folder = path.components().count() > 1 && path.is_dir();
        let is_special = path.components().count() > 1 && path.exists();
        refused(
            path,
            match (is_folder, is_special) {
                (true, _) => "this is a folder; name a program in it",
                (_, true) => "this is no ordinary file, and so no program",
                _ => "there is no such program",
            },
        )
    })
}

/// The QEMU of the program's processor, by the header of its file.
fn emulator(program: &Path) -> Result<PathBuf, Failure> {
    let mut header = [0; 20];
    let read = File::open(program).and_then(|mut file| file.read(&mut header));
    let length = read.map_err(|error| refused(program, &error.to_string()))?;
    if header.starts_with(b"#!") {
        let why =
            "it is a script; name its interpreter as the program, and the script as its argument";
        return Err(refused(program, why));
    }
    if length < header.len() || !header.starts_with(b"\x7fELF") {
        return Err(refused(program, "it is no Linux program (ELF)"));
    }
    let is_little = header[5] == 1;
    let machine = [header[18], header[19]];
    let machine = match is_little {
        true => u16::from_le_bytes(machine),
        false => u16::from_be_bytes(machine),
    };
    let name = match (machine, is_little) {
        (62, _) => "qemu-x86_64",
        (3, _) => "qemu-i386",
        (183, true) => "qemu-aarch64",
        (40, true) => "qemu-arm",
        (243, _) => "qemu-riscv64",
        (21, true) => "qemu-ppc64le",
        (22, _) => "qemu-s390x",
        _ => {
            let why = format!("it is for a processor (ELF machine {machine}) that is not recorded");
            return Err(refused(program, &why));
        }
    };
    let missing = || failure::message(format!("there is no {name} on the PATH; {INSTALL}"));
    found(OsStr::new(name)).ok_or_else(missing)
}

/// The plugin's file: the one that was named, or the one beside this command.
fn plugin(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return match named.is_file() {
            true => Ok(named.to_owned()),
            false => Err(refused(named, "--plugin: there is no such file")),
        };
    }
    let here = std::env::current_exe().ok();
    let here = here
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."));
    let places =
        [".", "deps", "../lib", "../lib/wordline"].map(|below| here.join(below).join(PLUGIN));
    let there = places.iter().find(|place| place.is_file());
    there.cloned().ok_or_else(|| {
        failure::message(printable(&format!(
            "there is no {PLUGIN} in {} or its lib folder; build it with `cargo build -p wordline-apps-qemu`, or name it \
             with --plugin",
            here.display()
        )))
    })
}

/// What the baseline says.
struct RecordedBaseline {
    /// Without load.
    latency_ns: f64,
    latency_basis: Basis,
    clock_hz: f64,
    misses_per_core: f64,
    cores: u32,
    bus_bytes_per_s: f64,
    /// The surface that comes along, where one does.
    surface: Option<SurfaceTable>,
}

/// Share of the bus from which queues are long enough to say that they are left out.
const QUEUES_FROM: f64 = 0.3;

impl RecordedBaseline {
    /// Latency over lines outstanding. Without a surface it has no queues: the bus alone is its limit.
    fn curve(&self, place: CurvePlace) -> MemoryCurve {
        let Some(surface) = &self.surface else {
            let most = self.bus_bytes_per_s / LINE_BYTES * 1e-9 * self.latency_ns;
            return MemoryCurve::of([
                [1e-3 * most, self.latency_ns, 0.0],
                [most, self.latency_ns, 0.0],
            ]);
        };
        let curve = surface.curve(place);
        match self.latency_basis {
            // As long as the user says, without load.
            Basis::Assumed => curve.sooner(curve.read_ns(0.0) - self.latency_ns),
            _ => curve,
        }
    }

    /// What a person should know of the baseline beside a profile.
    fn remarks(&self, name: &str, profile: &Profile) -> Vec<String> {
        let mut all = Vec::new();
        if profile.cores > self.cores {
            all.push(format!(
                "the profile has {} cores, and {name} has {}",
                profile.cores, self.cores
            ));
        }
        let phase = &profile.phases[0];
        let lines = phase.lines_read.value + phase.lines_written.value;
        let rate = lines * LINE_BYTES / phase.seconds.value;
        if self.surface.is_none() && rate > QUEUES_FROM * self.bus_bytes_per_s {
            all.push(format!(
                "no surface of {name} comes along, so that queues in its memory are left out: rates are held to its bus of \
                 {:.0} GB/s and to {} misses a core",
                self.bus_bytes_per_s / 1e9,
                self.misses_per_core
            ));
        }
        all
    }

    fn of(catalog: &Catalog, record: &AppRecording) -> Result<Self, Failure> {
        let module = catalog.module_in_system(&record.on);
        let module = module.map_err(failure::catalog)?;
        let connected = module.connect(&Settings::new());
        let connected =
            connected.map_err(|error| failure::message(format!("--on {}: {error}", record.on)))?;
        let surface = shipped_surface(catalog, &record.on, &Settings::new());
        let surface = surface.map_err(failure::lab)?;
        let (latency_ns, latency_basis) = latency(catalog, record)?;
        let clock = &module.system.sheet.core_clock;
        let clock = clock.typ().or(clock.max()).or(clock.min());
        let clock_hz = clock.map_or(3e9, |clock| clock.si());
        let cores = &connected.config.cores;
        Ok(Self {
            latency_ns,
            latency_basis,
            clock_hz,
            misses_per_core: f64::from(cores.misses),
            cores: cores.cores,
            bus_bytes_per_s: connected.config.peak_bytes_per_s(),
            surface: surface.as_ref().map(SurfaceTable::of),
        })
    }
}

/// Time of a line without load in nanoseconds, as the user says or as it is simulated.
fn latency(catalog: &Catalog, record: &AppRecording) -> Result<(f64, Basis), Failure> {
    if let Some(latency) = record.latency {
        return Ok((latency.si() * 1e9, Basis::Assumed));
    }
    let test = DramTest::Idle(IdleTest::default());
    let experiment = Experiment {
        targets: vec![record.on.clone()],
        workload: Workload::Dram(DramWorkload::of(test)),
        timings: vec![Timing::Max],
        age: 0.0,
        seed: 1,
        ftl: None,
    };
    let found = wordline_lab::run(catalog, &experiment, &Control::default());
    let found = found.map_err(failure::lab)?;
    let row = found
        .rows
        .iter()
        .find(|row| row.metric == Metric::LatencyMean);
    let latency = row.and_then(|row| row.value);
    let unknown =
        || failure::message("the baseline's latency is not known; give it with --latency");
    Ok((latency.ok_or_else(unknown)? * 1e9, Basis::Simulated))
}

fn memory_cycles(latency_ns: f64, clock_hz: f64) -> u32 {
    (latency_ns * 1e-9 * clock_hz).round().clamp(1.0, 1e6) as u32
}

/// Runs QEMU to its end, or to the first interrupt.
fn waited(mut command: Command, program: &Path) -> Result<ExitStatus, Failure> {
    let stop = interrupt::listen();
    let unstarted = |error: io::Error| refused(program, &format!("it cannot be started: {error}"));
    let stderr = io::stderr().as_fd().try_clone_to_owned();
    command.stdout(Stdio::from(stderr.map_err(unstarted)?));
    let mut child: Child = command.spawn().map_err(unstarted)?;
    loop {
        if stop.load(Ordering::Relaxed) {
            // A program that has ended already needs no signal.
            let _ = child.kill();
        }
        let ended = child.try_wait();
        match ended.map_err(|error| failure::message(format!("the program is lost: {error}")))? {
            Some(status) => return Ok(status),
            None => thread::sleep(LOOK),
        }
    }
}

/// Signal of an instruction that the processor does not have.
const ILLEGAL: i32 = 4;

/// What the plugin wrote, or why it wrote nothing.
fn counted(
    out: &mut File,
    status: ExitStatus,
    program: &Path,
) -> Result<ProgramRecording, Failure> {
    let mut text = Vec::new();
    out.rewind()
        .and_then(|()| out.read_to_end(&mut text))
        .map_err(|error| failure::message(format!("the recording cannot be read: {error}")))?;
    let signal = status.signal().or(match status.code() {
        Some(code @ 129..=192) => Some(code - 128),
        _ => None,
    });
    let recording: Option<ProgramRecording> = serde_json::from_slice(&text).ok();
    let fault = recording
        .as_ref()
        .and_then(|recording| recording.fault.as_ref());
    if let (Some(ILLEGAL), Some(fault)) = (signal, fault) {
        let why = format!(
            "it executed {} at {:#x}, which QEMU does not have; build it for x86-64-v3 (-march=x86-64-v3), or let its \
             library choose at run time",
            fault.name, fault.address
        );
        return Err(refused(program, &why));
    }
    if let Some(signal) = signal {
        return Err(refused(
            program,
            &format!("it died of signal {signal} under QEMU; does it run by itself?"),
        ));
    }
    recording.ok_or_else(|| {
        let why = format!(
            "QEMU ended without a recording ({status}): QEMU says why above, or the program started another one in its own \
             place (exec), which leaves QEMU; name that other program instead"
        );
        refused(program, &why)
    })
}

/// What people see first.
fn summary(recording: &ProgramRecording, profile: &Profile) -> Vec<(&'static str, String)> {
    let phase = &profile.phases[0];
    let instructions = recording.instructions() as f64;
    let lines = recording.lines_read as f64;
    let mut all = vec![
        (
            "instructions",
            format!(
                "{instructions:.4e} of {} threads",
                recording.thread_instructions.len()
            ),
        ),
        (
            "lines read",
            format!(
                "{lines:.4e}, {:.3} of 1000 instructions",
                1e3 * lines / instructions
            ),
        ),
        (
            "lines written",
            format!("{:.4e}", recording.lines_written as f64),
        ),
        (
            "time at the baseline",
            format!("{:.3} s", phase.seconds.value),
        ),
        (
            "read from memory",
            format!("{:.3} GB/s", phase.read_rate() / 1e9),
        ),
        (
            "share of time waiting",
            super::program::percent(&phase.stall_share),
        ),
    ];
    if let Some(outstanding) = &phase.outstanding {
        let [least, greatest] = outstanding.bounds();
        let text = format!("{:.2} ({least:.2} to {greatest:.2})", outstanding.value);
        all.push(("lines under way while it waits", text));
    }
    let sum = |of: fn(&wordline_apps::record::RecordingSample) -> u64| {
        recording.samples.iter().map(of).sum::<u64>() as f64
    };
    let crowds = sum(|sample| sample.crowds);
    if crowds > 0.0 {
        let mean = sum(|sample| sample.crowd_lines) / crowds;
        all.push(("misses within 512 instructions", format!("{mean:.2}")));
    }
    if let Some(prefetched) = &phase.prefetched_share {
        all.push((
            "foreseen by a prefetcher",
            format!("{:.1} %", 100.0 * prefetched.value),
        ));
    }
    if let Some(locality) = &phase.locality {
        all.push((
            "next to a line before",
            format!("{:.1} %", 100.0 * locality.value),
        ));
    }
    all
}

/// What a person should know of a recording.
fn remarks(recording: &ProgramRecording) -> Vec<String> {
    let mut all = Vec::new();
    if !recording.decoded {
        all.push(format!(
            "instructions of {} are not decoded, so that how many lines are under way is assumed",
            recording.processor
        ));
    }
    if recording.crowded {
        all.push(
            "the program uses more than 128 GiB of addresses; some lines pass for others"
                .to_owned(),
        );
    }
    if let Some(fault) = &recording.fault {
        all.push(format!(
            "QEMU does not have {} at {:#x}",
            fault.name, fault.address
        ));
    }
    all
}
