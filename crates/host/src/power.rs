//! What the machine draws while something runs, by its own counters: RAPL's energies (`/sys/class/powercap`), and the power
//! and energy sensors of hwmon.
//!
//! Counters are read at the start and at the end. A RAPL counter wraps within minutes, so that a meter over a longer run is
//! [sampled](MachinePowerMeter::sample) meanwhile. Sensors of power state it at an instant: their mean over all samples is
//! taken, and of fewer than [`READINGS_MIN`] there is none.
//! Reading RAPL takes root since Linux 5.10; what cannot be read is named in [`MachinePowerMeter::refused`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Seconds between two samples that no counter outlasts: one of 262 kJ, as RAPL has, wraps after nine minutes at 500 W.
pub const COUNTERS_EVERY_S: f64 = 60.0;

/// Seconds between two samples of sensors that state power at an instant, which many update a few times a second.
pub const INSTANTS_EVERY_S: f64 = 0.25;

/// Readings at an instant from which a mean is made, at least.
pub const READINGS_MIN: u64 = 10;

/// Where a reading comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SensorKind {
    /// Energy in µJ that begins again at 0 after the greatest value.
    Counter {
        /// The greatest value in µJ.
        most: u64,
    },
    /// Power in µW at an instant.
    Instant,
}

/// One sensor.
#[derive(Clone, Debug)]
struct PowerSensor {
    domain: String,
    path: PathBuf,
    kind: SensorKind,
}

/// What a sensor has read so far.
#[derive(Clone, Copy, Debug)]
struct SensorSum {
    /// The last reading.
    last: u64,
    /// Energy in µJ since the start, of a counter; of an instant the sum of all readings in µW.
    sum: u128,
    /// Readings, the first included.
    count: u64,
    /// Whether it could be read each time.
    is_whole: bool,
}

/// What a domain drew.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainPower {
    /// The sensor's own name: `package-0`, `dram`, or a chip of hwmon and its label.
    pub domain: String,
    /// Energy in joules.
    pub energy_j: f64,
    /// Mean power in watts.
    pub power_w: f64,
    /// Whether the energy is a sum of a counter; otherwise it is the mean of single readings of power, times the time.
    pub is_counted: bool,
}

/// What all domains drew between the start and the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PowerReading {
    /// Seconds.
    pub elapsed_s: f64,
    /// By domain, in the order of the sensors' folders. Domains may hold one another: `core` lies within `package-0`.
    pub domains: Vec<DomainPower>,
    /// Sensors at an instant that were read too seldom for a mean.
    pub few: Vec<String>,
}

/// Reads the sensors of the machine.
#[derive(Debug)]
pub struct MachinePowerMeter {
    sensors: Vec<PowerSensor>,
    refused: Vec<String>,
    start: Instant,
    sums: Mutex<Vec<Option<SensorSum>>>,
}

impl MachinePowerMeter {
    /// Begins with the sensors of this machine.
    #[must_use]
    pub fn begin() -> Self {
        Self::begin_below(Path::new("/"))
    }

    /// The same with those below another root, which tests make.
    #[must_use]
    pub fn begin_below(root: &Path) -> Self {
        let mut refused = Vec::new();
        let mut sensors = rapl(root, &mut refused);
        sensors.extend(hwmon(root));
        let mut sums = Vec::new();
        for sensor in &sensors {
            let read = number(&sensor.path);
            if let Err(error) = &read {
                refused.push(format!("{}: {error}", sensor.domain));
            }
            sums.push(read.ok().map(|last| SensorSum {
                last,
                sum: match sensor.kind {
                    SensorKind::Counter { .. } => 0,
                    SensorKind::Instant => u128::from(last),
                },
                count: 1,
                is_whole: true,
            }));
        }
        Self {
            sensors,
            refused,
            start: Instant::now(),
            sums: Mutex::new(sums),
        }
    }

    /// Whether there is anything that can be read.
    #[must_use]
    pub fn has_sensors(&self) -> bool {
        let sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        sums.iter().any(Option::is_some)
    }

    /// Seconds between two samples: seldom where all sensors count, so that the measurement is left alone.
    #[must_use]
    pub fn sample_every_s(&self) -> f64 {
        match self
            .sensors
            .iter()
            .any(|sensor| sensor.kind == SensorKind::Instant)
        {
            true => INSTANTS_EVERY_S,
            false => COUNTERS_EVERY_S,
        }
    }

    /// Sensors that are there and cannot be read, each with the reason.
    #[must_use]
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Takes a reading meanwhile: at least [every so many seconds](Self::sample_every_s), so that no counter wraps twice
    /// unseen, and power at an instant counts often enough. Any thread may.
    pub fn sample(&self) {
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        for (sensor, sum) in self.sensors.iter().zip(sums.iter_mut()) {
            let Some(sum) = sum else {
                continue;
            };
            let Ok(value) = number(&sensor.path) else {
                sum.is_whole = false;
                continue;
            };
            sum.sum += match sensor.kind {
                SensorKind::Counter { most } => u128::from(risen(sum.last, value, most)),
                SensorKind::Instant => u128::from(value),
            };
            sum.last = value;
            sum.count += 1;
        }
    }

    /// What was drawn since the start. The meter goes on.
    #[must_use]
    pub fn end(&self) -> PowerReading {
        self.sample();
        self.after(self.start.elapsed().as_secs_f64())
    }

    /// The same after a time that is known.
    fn after(&self, elapsed_s: f64) -> PowerReading {
        let sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let both = self.sensors.iter().zip(sums.iter());
        let domains = both.filter_map(|(sensor, sum)| {
            // A reading that failed in between leaves the sum unknown.
            let sum = sum.filter(|sum| sum.is_whole)?;
            let (energy_j, power_w, is_counted) = match sensor.kind {
                SensorKind::Counter { .. } => {
                    let energy = sum.sum as f64 * 1e-6;
                    (energy, energy / elapsed_s, true)
                }
                SensorKind::Instant if sum.count < READINGS_MIN => return None,
                SensorKind::Instant => {
                    let power = sum.sum as f64 * 1e-6 / sum.count as f64;
                    (power * elapsed_s, power, false)
                }
            };
            power_w.is_finite().then(|| DomainPower {
                domain: sensor.domain.clone(),
                energy_j,
                power_w,
                is_counted,
            })
        });
        let domains = domains.collect();
        let both = self.sensors.iter().zip(sums.iter());
        let few = both.filter(|(sensor, sum)| {
            sensor.kind == SensorKind::Instant
                && sum.is_some_and(|sum| sum.is_whole && sum.count < READINGS_MIN)
        });
        PowerReading {
            elapsed_s,
            domains,
            few: few.map(|(sensor, _)| sensor.domain.clone()).collect(),
        }
    }
}

/// How far a counter has risen that begins again at 0 after `most`.
fn risen(before: u64, now: u64, most: u64) -> u64 {
    match now.checked_sub(before) {
        Some(rise) => rise,
        None => most
            .saturating_sub(before)
            .saturating_add(now)
            .saturating_add(1),
    }
}

/// The whole number of a file.
fn number(path: &Path) -> io::Result<u64> {
    let text = fs::read_to_string(path)?;
    let number = text.trim().parse::<u64>();
    number.map_err(|_| io::Error::other(format!("{:?} is no whole number", text.trim())))
}

/// The folders in a folder, by name; none where there is no such folder.
fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A line of a file that names something.
fn named(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The zones of powercap that count energy. A zone within another one has the other's name in front: `package-0/dram`.
fn rapl(root: &Path, refused: &mut Vec<String>) -> Vec<PowerSensor> {
    let zones = folders(&root.join("sys/class/powercap"));
    let mut sensors: Vec<PowerSensor> = Vec::new();
    for zone in &zones {
        let path = zone.join("energy_uj");
        if !path.exists() {
            continue;
        }
        let id = zone.file_name().unwrap_or_default().to_string_lossy();
        let own = named(&zone.join("name")).unwrap_or_else(|| id.clone().into_owned());
        // `intel-rapl:0:1` is the second zone within `intel-rapl:0`.
        let parent = id.rsplit_once(':').map(|(parent, _)| parent.to_owned());
        let parent = parent.and_then(|parent| {
            let parents = zone.parent()?.join(parent);
            parents
                .join("energy_uj")
                .exists()
                .then(|| named(&parents.join("name")))?
        });
        let domain = match parent {
            Some(parent) => format!("{parent}/{own}"),
            None => own,
        };
        // The mirror over memory-mapped registers counts the same package once more.
        if id.contains("mmio") || sensors.iter().any(|one| one.domain == domain) {
            continue;
        }
        match number(&zone.join("max_energy_range_uj")) {
            Ok(most) => sensors.push(PowerSensor {
                domain,
                path,
                kind: SensorKind::Counter { most },
            }),
            Err(error) => refused.push(format!("{domain}: max_energy_range_uj: {error}")),
        }
    }
    sensors
}

/// Sensors of hwmon: `energy*_input` in µJ, and `power*_input` or `power*_average` in µW.
fn hwmon(root: &Path) -> Vec<PowerSensor> {
    let mut sensors: Vec<PowerSensor> = Vec::new();
    for chip in folders(&root.join("sys/class/hwmon")) {
        let name = named(&chip.join("name")).unwrap_or_else(|| "hwmon".to_owned());
        for file in folders(&chip) {
            let stem = file.file_name().unwrap_or_default().to_string_lossy();
            let Some((sensor, what)) = stem.split_once('_') else {
                continue;
            };
            let kind = match (sensor, what) {
                (energy, "input") if is_numbered(energy, "energy") => {
                    SensorKind::Counter { most: u64::MAX }
                }
                (power, "input" | "average") if is_numbered(power, "power") => SensorKind::Instant,
                _ => continue,
            };
            // Input and average are the same sensor.
            if what == "average" && chip.join(format!("{sensor}_input")).exists() {
                continue;
            }
            let label = named(&chip.join(format!("{sensor}_label")));
            let domain = format!("{name} {}", label.as_deref().unwrap_or(sensor));
            // Two chips of one name are told apart by their folder.
            let domain = match sensors.iter().any(|one| one.domain == domain) {
                true => format!(
                    "{domain} ({})",
                    chip.file_name().unwrap_or_default().to_string_lossy()
                ),
                false => domain,
            };
            sensors.push(PowerSensor {
                domain,
                path: file,
                kind,
            });
        }
    }
    sensors
}

/// Whether a name is that of a kind and a number.
fn is_numbered(name: &str, kind: &str) -> bool {
    let number = name.strip_prefix(kind).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with files of these contents.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            write(root.path(), path, text);
        }
        root
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    const PACKAGE: &str = "sys/class/powercap/intel-rapl:0";
    const DRAM: &str = "sys/class/powercap/intel-rapl:0:2";

    fn machine() -> tempfile::TempDir {
        let files: Vec<(String, &str)> = [
            (PACKAGE, "name", "package-0\n"),
            (PACKAGE, "energy_uj", "999000000\n"),
            (PACKAGE, "max_energy_range_uj", "1000000000\n"),
            (DRAM, "name", "dram\n"),
            (DRAM, "energy_uj", "5000000\n"),
            (DRAM, "max_energy_range_uj", "1000000000\n"),
            ("sys/class/powercap/intel-rapl", "enabled", "1\n"),
            (
                "sys/class/powercap/intel-rapl-mmio:0",
                "name",
                "package-0\n",
            ),
            ("sys/class/powercap/intel-rapl-mmio:0", "energy_uj", "1\n"),
            ("sys/class/hwmon/hwmon3", "name", "ina226\n"),
            ("sys/class/hwmon/hwmon3", "power1_input", "2000000\n"),
            ("sys/class/hwmon/hwmon3", "power1_label", "VDD_DDR\n"),
            ("sys/class/hwmon/hwmon3", "power1_average", "9\n"),
            ("sys/class/hwmon/hwmon3", "power1_cap", "9\n"),
            ("sys/class/hwmon/hwmon4", "energy2_input", "70\n"),
        ]
        .map(|(folder, file, text)| (format!("{folder}/{file}"), text))
        .into();
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        root(&files)
    }

    #[test]
    fn counters_give_energy_even_where_they_wrap() {
        let machine = machine();
        let meter = MachinePowerMeter::begin_below(machine.path());
        assert!(meter.has_sensors());
        // The package wraps: 1 J to its end and 3 J behind it. The memory rises by 6 J.
        write(machine.path(), &format!("{PACKAGE}/energy_uj"), "2999999");
        write(machine.path(), &format!("{DRAM}/energy_uj"), "11000000");
        write(
            machine.path(),
            "sys/class/hwmon/hwmon3/power1_input",
            "4000000",
        );
        write(
            machine.path(),
            "sys/class/hwmon/hwmon4/energy2_input",
            "1000070",
        );
        meter.sample();
        let few = meter.after(2.0);
        assert!(few.domains.iter().all(|one| one.is_counted), "{few:?}");
        assert_eq!(few.few, ["ina226 VDD_DDR"]);
        assert!((meter.sample_every_s() - INSTANTS_EVERY_S).abs() < 1e-9);
        for power in ["2000000", "4000000"].into_iter().cycle().take(8) {
            write(machine.path(), "sys/class/hwmon/hwmon3/power1_input", power);
            meter.sample();
        }
        let reading = meter.after(2.0);
        let found: Vec<_> = reading
            .domains
            .iter()
            .map(|one| {
                (
                    one.domain.as_str(),
                    one.energy_j,
                    one.power_w,
                    one.is_counted,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("package-0", 4.0, 2.0, true),
                ("package-0/dram", 6.0, 3.0, true),
                ("ina226 VDD_DDR", 6.0, 3.0, false),
                ("hwmon energy2", 1.0, 0.5, true),
            ]
        );
    }

    #[test]
    fn samples_in_between_catch_a_counter_that_wraps_twice() {
        let machine = machine();
        let meter = MachinePowerMeter::begin_below(machine.path());
        for value in ["0", "999999999", "0"] {
            write(machine.path(), &format!("{PACKAGE}/energy_uj"), value);
            meter.sample();
        }
        let reading = meter.after(1.0);
        // 1.000001 J to 0, around once to 0.
        assert!(
            (reading.domains[0].energy_j - 1_001.000_002).abs() < 1e-5,
            "{reading:?}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_and_has_no_value() {
        let machine = machine();
        write(machine.path(), &format!("{DRAM}/energy_uj"), "much\n");
        let meter = MachinePowerMeter::begin_below(machine.path());
        let refused = meter.refused().join("; ");
        assert!(
            refused.contains("package-0/dram: \"much\" is no whole number"),
            "{refused}"
        );
        // One that fails later leaves its sum unknown.
        write(machine.path(), &format!("{PACKAGE}/energy_uj"), "\n");
        meter.sample();
        let reading = meter.after(1.0);
        assert!(
            reading
                .domains
                .iter()
                .all(|one| !one.domain.starts_with("package"))
        );
        let nothing = root(&[]);
        let meter = MachinePowerMeter::begin_below(nothing.path());
        assert!(!meter.has_sensors() && meter.refused().is_empty());
        assert!(meter.end().domains.is_empty());
    }

    #[test]
    fn a_counter_that_did_not_move_has_not_wrapped() {
        assert_eq!(risen(5, 5, 10), 0);
        assert_eq!(risen(10, 0, 10), 1);
        assert_eq!(risen(3, 2, 10), 10);
    }
}
