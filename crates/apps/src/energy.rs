//! Energy of a task: platform, cores that compute, cores that wait, and the simulated modules.
//!
//! Three powers are not known from any data sheet. They are stated, or found from runs of one workload whose energy was
//! measured; runs that do not determine them leave them undetermined, and with them the energy of the task. A core outside
//! of computing and memory counts to the platform.

use crate::project::{MemoryUse, Projection, TimeShares};

/// Power of a server beside its modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerPower {
    /// Everything but cores and modules, in watts.
    pub platform_w: f64,
    /// A core that computes, in watts.
    pub active_core_w: f64,
    /// A core that waits for memory, in watts.
    pub stalled_core_w: f64,
}

/// Energy of a task in joules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskEnergy {
    /// Everything but cores and modules.
    pub platform_j: f64,
    /// Cores while they compute.
    pub active_j: f64,
    /// Cores while they wait for memory.
    pub stalled_j: f64,
    /// Modules.
    pub dram_j: f64,
}

/// A run whose energy was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredTask {
    /// Time of the run in seconds.
    pub seconds: f64,
    /// Cores that ran.
    pub cores: f64,
    /// Shares of their time.
    pub shares: TimeShares,
    /// Energy of the modules in joules, simulated.
    pub dram_j: f64,
    /// Energy of the server in joules, measured.
    pub energy_j: f64,
}

/// Why powers cannot be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PowerError {
    /// Too few runs, or runs that differ too little.
    #[error(
        "{runs} runs do not determine the powers of platform, computing cores and waiting cores: it takes 3 runs or more of \
         one workload, with different numbers of cores, and stalls that differ by 10 points or more"
    )]
    Undetermined {
        /// Runs that were given.
        runs: usize,
    },
    /// A power below nothing.
    #[error(
        "the runs ask for {found:.1} W of {what}, and no power is below 0: check energy_j, seconds and the modules' energy \
         of each run"
    )]
    Negative {
        /// Whose power.
        what: &'static str,
        /// What was found, in watts.
        found: f64,
    },
    /// Figures of runs so large or so small that no power comes out.
    #[error(
        "the runs ask for a power of {what} beyond any server's: check energy_j, seconds and cores of each run"
    )]
    BeyondAny {
        /// Whose power.
        what: &'static str,
    },
}

impl TaskEnergy {
    /// All parts.
    #[must_use]
    pub fn total_j(&self) -> f64 {
        self.platform_j + self.active_j + self.stalled_j + self.dram_j
    }
}

impl ServerPower {
    /// Energy of a task whose cores share their time so.
    #[must_use]
    pub fn task(
        &self,
        seconds: f64,
        cores: f64,
        shares: &TimeShares,
        memory: &MemoryUse,
    ) -> TaskEnergy {
        TaskEnergy {
            platform_j: self.platform_w * seconds,
            active_j: self.active_core_w * cores * seconds * shares.compute,
            stalled_j: self.stalled_core_w * cores * seconds * shares.stalled(),
            dram_j: memory.power_w * seconds,
        }
    }

    /// Energy of a projected task on its baseline and on its target.
    #[must_use]
    pub fn projected(&self, projection: &Projection, cores: f64) -> [TaskEnergy; 2] {
        let (before, after) = (&projection.before, &projection.after);
        [
            self.task(
                projection.seconds_before,
                cores,
                before,
                &projection.memory[0],
            ),
            self.task(
                projection.seconds_after,
                cores,
                after,
                &projection.memory[1],
            ),
        ]
    }

    /// The least and the greatest that the energy of a projected task may be of that on its baseline, whatever the powers are as
    /// long as none is below 0: a ratio of sums lies between the ratios of their parts.
    #[must_use]
    pub fn whatever(projection: &Projection) -> [f64; 2] {
        let one = Self {
            platform_w: 1.0,
            active_core_w: 1.0,
            stalled_core_w: 1.0,
        };
        let [before, after] = one.projected(projection, 1.0);
        let parts =
            |task: &TaskEnergy| [task.platform_j, task.active_j, task.stalled_j, task.dram_j];
        let pairs = parts(&before).into_iter().zip(parts(&after));
        let ratios = pairs.filter(|(before, after)| *before > 0.0 || *after > 0.0);
        ratios.fold([f64::INFINITY, 0.0], |[least, most], (before, after)| {
            [least.min(after / before), most.max(after / before)]
        })
    }

    /// The powers that explain measured runs of one workload best, by least squares.
    ///
    /// # Errors
    /// When the runs do not determine them.
    pub fn of_runs(runs: &[MeasuredTask]) -> Result<Self, PowerError> {
        /// The least share that elimination may leave of a column: what is smaller is noise of counters.
        const INDEPENDENT: f64 = 0.02;
        /// No server draws as much.
        const POWER_MAX_W: f64 = 1e6;
        let undetermined = PowerError::Undetermined { runs: runs.len() };
        if runs.len() < 3 {
            return Err(undetermined);
        }
        // By the second, so that no long run counts more than a short one.
        let row = |run: &MeasuredTask| {
            let cores = run.cores;
            [
                1.0,
                cores * run.shares.compute,
                cores * run.shares.stalled(),
            ]
        };
        let power = |run: &MeasuredTask| (run.energy_j - run.dram_j) / run.seconds;
        let rows: Vec<_> = runs.iter().map(|run| (row(run), power(run))).collect();
        // Columns made orthogonal in turn (Gram and Schmidt): what is left of one is what the others do not explain.
        let mut columns = [0, 1, 2].map(|column| {
            rows.iter()
                .map(|(row, _)| row[column])
                .collect::<Vec<f64>>()
        });
        let mut mixing = [[0.0; 3]; 3];
        for column in 0..3 {
            let whole = dot(&columns[column], &columns[column]).sqrt();
            for before in 0..column {
                let along = columns[before].clone();
                let part = dot(&columns[column], &along) / dot(&along, &along);
                mixing[before][column] = part;
                for (value, along) in columns[column].iter_mut().zip(&along) {
                    *value -= part * along;
                }
            }
            let left = dot(&columns[column], &columns[column]).sqrt();
            if !(whole > 0.0 && left > INDEPENDENT * whole) {
                return Err(undetermined);
            }
        }
        let wanted: Vec<f64> = rows.iter().map(|(_, power)| *power).collect();
        let mut found = [0.0; 3];
        for column in (0..3).rev() {
            let own = dot(&columns[column], &wanted) / dot(&columns[column], &columns[column]);
            let others = (column + 1..3).map(|later| mixing[column][later] * found[later]);
            found[column] = own - others.sum::<f64>();
        }
        for (what, found) in ["the platform", "a computing core", "a waiting core"]
            .into_iter()
            .zip(found)
        {
            if !found.is_finite() || found.abs() > POWER_MAX_W {
                return Err(PowerError::BeyondAny { what });
            }
            if found < 0.0 {
                return Err(PowerError::Negative { what, found });
            }
        }
        let [platform_w, active_core_w, stalled_core_w] = found;
        Ok(Self {
            platform_w,
            active_core_w,
            stalled_core_w,
        })
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POWER: ServerPower = ServerPower {
        platform_w: 200.0,
        active_core_w: 2.5,
        stalled_core_w: 1.5,
    };

    fn run(seconds: f64, cores: f64, stalled: f64) -> MeasuredTask {
        let shares = TimeShares {
            compute: 1.0 - stalled,
            latency: stalled / 2.0,
            queue: stalled / 2.0,
            outside: 0.0,
        };
        let memory = MemoryUse {
            power_w: 60.0,
            ..MemoryUse::default()
        };
        let energy = POWER.task(seconds, cores, &shares, &memory);
        MeasuredTask {
            seconds,
            cores,
            shares,
            dram_j: energy.dram_j,
            energy_j: energy.total_j(),
        }
    }

    #[test]
    fn powers_are_found_again_from_runs_that_differ() {
        let runs = [
            run(10.0, 128.0, 0.7),
            run(15.0, 128.0, 0.3),
            run(30.0, 32.0, 0.5),
            run(4.0, 96.0, 0.1),
        ];
        let found = ServerPower::of_runs(&runs).expect("they differ");
        assert!((found.platform_w - 200.0).abs() < 1e-6);
        assert!((found.active_core_w - 2.5).abs() < 1e-9);
        assert!((found.stalled_core_w - 1.5).abs() < 1e-9);
    }

    /// With all cores in every run, stalls and platform are one column.
    #[test]
    fn runs_that_are_alike_determine_nothing() {
        let alike = [
            run(10.0, 128.0, 0.7),
            run(8.0, 128.0, 0.6),
            run(7.0, 128.0, 0.5),
        ];
        assert_eq!(
            ServerPower::of_runs(&alike),
            Err(PowerError::Undetermined { runs: 3 })
        );
        assert_eq!(
            ServerPower::of_runs(&alike[..2]),
            Err(PowerError::Undetermined { runs: 2 })
        );
    }

    /// Platform 8/10, cores that compute 3/3, cores that wait 5/7, modules 80·8/(60·10): no powers give a ratio beyond the ends.
    #[test]
    fn no_powers_take_a_ratio_beyond_its_parts() {
        let memory = |power_w| MemoryUse {
            power_w,
            ..MemoryUse::default()
        };
        let shares = |compute: f64| TimeShares {
            compute,
            latency: 1.0 - compute,
            ..TimeShares::default()
        };
        let projection = Projection {
            speed_up: 1.25,
            seconds_before: 10.0,
            seconds_after: 8.0,
            before: shares(0.3),
            after: shares(0.375),
            bound: crate::project::ProgramBound::Latency,
            gain: crate::project::MemoryGain::default(),
            memory: [memory(60.0), memory(80.0)],
            band: None,
            phases: Vec::new(),
            cautions: Vec::new(),
        };
        let [least, most] = ServerPower::whatever(&projection);
        assert!((least - 5.0 / 7.0).abs() < 1e-12, "{least}");
        assert!((most - 640.0 / 600.0).abs() < 1e-12, "{most}");
        for (platform_w, active_core_w, stalled_core_w) in [
            (200.0, 2.5, 1.5),
            (0.0, 0.0, 9.0),
            (0.0, 0.0, 0.0),
            (900.0, 0.0, 0.0),
        ] {
            let power = ServerPower {
                platform_w,
                active_core_w,
                stalled_core_w,
            };
            let [before, after] = power.projected(&projection, 128.0);
            let ratio = after.total_j() / before.total_j();
            assert!((least - 1e-12..=most + 1e-12).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn a_power_below_nothing_is_named() {
        let mut runs = [
            run(10.0, 128.0, 0.7),
            run(15.0, 128.0, 0.3),
            run(30.0, 32.0, 0.5),
        ];
        runs[0].energy_j = 0.0;
        let error = ServerPower::of_runs(&runs).expect_err("nothing was used");
        assert!(error.to_string().contains("below 0"), "{error}");
    }

    /// Energies that no server takes, up to those whose powers are no numbers.
    #[test]
    fn a_power_beyond_any_is_said_in_words() {
        for energy_j in [1e30, f64::MAX] {
            let mut runs = [
                run(1e-9, 128.0, 0.7),
                run(15.0, 128.0, 0.3),
                run(30.0, 32.0, 0.5),
            ];
            runs[0].energy_j = energy_j;
            let error = ServerPower::of_runs(&runs).expect_err("no server");
            let words = error.to_string();
            assert!(words.contains("beyond any server's"), "{words}");
            assert!(!words.contains("inf") && !words.contains("NaN"), "{words}");
        }
    }
}
