//! The sheet of a module: dies on a board, behind a register and data buffers.

use serde::Deserialize;
use wordline_core::quantity::{ByteCount, EnergyPerByte, Fraction, Power, Quantity, Time};
use wordline_core::{Figure, Sourced};

use super::die::Die;
use super::labelled::{BeatReturn, Labelled, Name, SheetChoice};
use super::problem::{DramSheetProblem, DramSheetProblems};

/// What kind of module it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleKind {
    /// Unbuffered.
    Udimm,
    /// Unbuffered and short, as laptops have them.
    Sodimm,
    /// With a register for commands (RCD).
    Rdimm,
    /// With a register (MRCD) and data buffers (MDB) that join two ranks at twice their rate.
    Mrdimm,
    /// Packages soldered beside the processor, as LPDDR is.
    Soldered,
    /// A stack of dies on an interposer, as HBM is.
    Stack,
}

impl ModuleKind {
    /// As sheets spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Udimm => "udimm",
            Self::Sodimm => "sodimm",
            Self::Rdimm => "rdimm",
            Self::Mrdimm => "mrdimm",
            Self::Soldered => "soldered",
            Self::Stack => "stack",
        }
    }
}

/// A module: table `[dimm]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename = "dimm")]
pub struct Module {
    /// What kind of module it is.
    pub kind: Sourced<ModuleKind>,
    /// Id of its dies.
    pub die: String,
    /// Data lines of a die.
    pub width_bits: Sourced<u8>,
    /// Data rate at the host, in MT/s.
    pub host_rate_mts: Sourced<u32>,
    /// Data rate of the dies, in MT/s: half the host's on an MRDIMM, the same elsewhere.
    pub dram_rate_mts: Sourced<u32>,
    /// Independent sub-channels.
    pub sub_channels: Sourced<u8>,
    /// Data lines of a sub-channel, without those for error correction.
    pub data_bits: Sourced<u8>,
    /// Lines of a sub-channel for error correction.
    pub ecc_bits: Sourced<u8>,
    /// Package ranks of a sub-channel.
    pub ranks: Sourced<u8>,
    /// Dies in a stack, each a logical rank; 1 where dies are not stacked.
    pub slices: Sourced<u8>,
    /// What it holds, without error correction.
    pub capacity: Figure<ByteCount>,
    /// Speed bin of its dies.
    pub speed_bin: Labelled<Name>,
    /// Set of currents of its dies.
    pub idd_set: Labelled<Name>,
    /// What the register adds to every command.
    pub register_delay: Labelled<Time>,
    /// What joins pairs of ranks; an MRDIMM has it, and no other.
    pub pair: Option<RankPair>,
    /// What it draws beside its dies.
    pub power: ModulePower,
}

/// How an MRDIMM joins the two ranks of a pair.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankPair {
    /// How the beats of the two ranks share the host's bus.
    pub beat_return: Labelled<BeatReturn>,
    /// What the data buffers add to a read.
    pub read_buffer_delay: Labelled<Time>,
    /// What the data buffers add to a write.
    pub write_buffer_delay: Labelled<Time>,
}

/// What a module draws beside its dies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModulePower {
    /// Register and data buffers of the whole module, whatever happens.
    pub buffers: Figure<Power>,
    /// Data buffers, for what goes through them; left out where there are none.
    pub buffer_energy: Option<Figure<EnergyPerByte>>,
    /// Drivers and terminations of the data lines.
    pub io_energy: Figure<EnergyPerByte>,
    /// Share of what the PMIC takes that reaches the module's chips.
    pub pmic_efficiency: Figure<Fraction>,
}

/// Names of the choices that only some modules have.
pub(super) const NAMES: [&str; 6] = [
    "speed_bin",
    "idd_set",
    "register_delay",
    "beat_return",
    "read_buffer_delay",
    "write_buffer_delay",
];

impl Module {
    /// Every undisclosed parameter, with what else is plausible.
    #[must_use]
    pub fn choices(&self) -> Vec<SheetChoice> {
        let mut choices = vec![
            self.speed_bin.choice("speed_bin"),
            self.idd_set.choice("idd_set"),
            self.register_delay.choice("register_delay"),
        ];
        if let Some(pair) = &self.pair {
            choices.push(pair.beat_return.choice("beat_return"));
            choices.push(pair.read_buffer_delay.choice("read_buffer_delay"));
            choices.push(pair.write_buffer_delay.choice("write_buffer_delay"));
        }
        choices
    }

    /// Dies of one package rank of a sub-channel, and how many of them hold error correction.
    #[must_use]
    pub fn devices_of_rank(&self) -> (u32, u32) {
        let width = u32::from(*self.width_bits.value()).max(1);
        let of = |bits: &Sourced<u8>| u32::from(*bits.value()) / width;
        (of(&self.data_bits) + of(&self.ecc_bits), of(&self.ecc_bits))
    }

    /// Pseudo-channels of a sub-channel: 2 on an MRDIMM.
    #[must_use]
    pub fn pseudo_channels(&self) -> u8 {
        match self.kind.value() {
            ModuleKind::Mrdimm => 2,
            _ => 1,
        }
    }

    /// What contradicts itself or physics in the sheet.
    #[must_use]
    pub fn problems(&self) -> Vec<DramSheetProblem> {
        let mut problems = DramSheetProblems::default();
        self.check_clocks(&mut problems);
        self.check_shape(&mut problems);
        let power = &self.power;
        problems.up_to("power.buffers", &power.buffers, Power::from_si(100.0));
        let energy = EnergyPerByte::from_si(1e-9);
        problems.up_to("power.io_energy", &power.io_energy, energy);
        if let Some(figure) = &power.buffer_energy {
            problems.up_to("power.buffer_energy", figure, energy);
        }
        let whole = Fraction::from_si(1.0);
        problems.up_to("power.pmic_efficiency", &power.pmic_efficiency, whole);
        if power.pmic_efficiency.least().si() < 0.1 {
            problems.add("power.pmic_efficiency", "allowed: from 10 % to 100 %");
        }
        problems.list
    }

    /// The data buffers of an MRDIMM carry two ranks at once, so that the host runs at twice their rate.
    fn check_clocks(&self, problems: &mut DramSheetProblems) {
        let (host, dram) = (*self.host_rate_mts.value(), *self.dram_rate_mts.value());
        problems.within("host_rate_mts", host.into(), 800, 40_000);
        let factor = match self.kind.value() {
            ModuleKind::Mrdimm => 2,
            _ => 1,
        };
        if dram.checked_mul(factor) != Some(host) {
            let relation = if factor == 2 {
                "half of the host's"
            } else {
                "the host's"
            };
            problems.add(
                "dram_rate_mts",
                format!(
                    "impossible clock ratio: the host runs at {host} MT/s, the DRAM at {dram} MT/s; allowed: {relation}"
                ),
            );
        }
        match (self.kind.value(), &self.pair) {
            (ModuleKind::Mrdimm, None) => {
                problems.add("kind", "an MRDIMM needs the table [dimm.pair]")
            }
            (ModuleKind::Mrdimm, Some(_)) | (_, None) => {}
            (_, Some(_)) => problems.add("pair", "only an MRDIMM joins ranks in pairs"),
        }
    }

    fn check_shape(&self, problems: &mut DramSheetProblems) {
        let width = *self.width_bits.value();
        if !matches!(width, 4 | 8 | 16 | 32) {
            problems.add("width_bits", "allowed: 4, 8, 16, 32");
        } else if !self.data_bits.value().is_multiple_of(width)
            || !self.ecc_bits.value().is_multiple_of(width)
        {
            problems.add(
                "width_bits",
                "the lines of a sub-channel are no multiple of it",
            );
        }
        if !matches!(*self.data_bits.value(), 16 | 32 | 64) {
            problems.add("data_bits", "allowed: 16, 32, 64");
        }
        problems.within("ecc_bits", (*self.ecc_bits.value()).into(), 0, 16);
        problems.within("sub_channels", (*self.sub_channels.value()).into(), 1, 64);
        problems.within("slices", (*self.slices.value()).into(), 1, 16);
        let ranks = *self.ranks.value();
        problems.within("ranks", ranks.into(), 1, 8);
        if !ranks.is_multiple_of(self.pseudo_channels()) {
            problems.add(
                "ranks",
                "an MRDIMM joins ranks in pairs: allowed are even numbers",
            );
        }
    }

    /// What does not fit the dies.
    #[must_use]
    pub fn problems_with(&self, die: &Die) -> Vec<DramSheetProblem> {
        let mut problems = DramSheetProblems::default();
        let width = *self.width_bits.value();
        let Some(organization) = die.organization(width) else {
            let known: Vec<_> = die
                .organization
                .iter()
                .map(|one| one.width_bits.value().to_string())
                .collect();
            let message = format!(
                "die {} is not bonded so; allowed: {}",
                self.die,
                known.join(", ")
            );
            problems.add("width_bits", message);
            return problems.list;
        };
        self.check_capacity(die, &mut problems);
        self.check_bin(die, &mut problems);
        let line_bits = u64::from(*self.data_bits.value()) * u64::from(*die.burst_length.value());
        let bursts = die.standard.value().bursts_max();
        if line_bits != 512 && (bursts == 1 || line_bits * u64::from(bursts) != 512) {
            let half = if bursts == 1 {
                ""
            } else {
                ", or 256, half of it"
            };
            problems.add(
                "data_bits",
                format!("a burst carries {line_bits} bits; allowed: 512, a line of 64 B{half}"),
            );
        }
        let row = organization.page_bytes.nominal().bytes() * u64::from(*self.data_bits.value())
            / u64::from(width);
        problems.within("width_bits", row / 64, 1, u64::from(u16::MAX));
        if *self.slices.value() > 1 && die.rules.stack.is_none() {
            problems.add(
                "slices",
                format!("die {} has no [dram.rules.stack]", self.die),
            );
        }
        let set = self.idd_set.value().as_str();
        if !die.currents.iter().any(|one| one.name == set) {
            problems.add(
                "idd_set",
                no_such(
                    "set of currents",
                    set,
                    die.currents.iter().map(|one| one.name.clone()),
                ),
            );
        }
        problems.list
    }

    fn check_capacity(&self, die: &Die, problems: &mut DramSheetProblems) {
        let (devices, ecc) = self.devices_of_rank();
        let devices = [
            devices - ecc,
            u32::from(*self.ranks.value()),
            u32::from(*self.slices.value()),
            u32::from(*self.sub_channels.value()),
        ];
        let devices: u128 = devices.into_iter().map(u128::from).product();
        let bytes = devices * u128::from(die.density.nominal().bytes());
        let stated = self.capacity.nominal();
        if bytes != u128::from(stated.bytes()) {
            let message = format!(
                "{devices} dies of {} without those for error correction are {bytes} B; {stated} is {} B",
                die.density.nominal(),
                stated.bytes()
            );
            problems.add("capacity", message);
        }
    }

    fn check_bin(&self, die: &Die, problems: &mut DramSheetProblems) {
        let rate = *self.dram_rate_mts.value();
        let name = self.speed_bin.value().as_str();
        if die.bin(name, rate).is_none() {
            let known = die
                .bin
                .iter()
                .map(|bin| format!("{} at {} MT/s", bin.name, bin.rate_mts));
            let what = format!("bin at {rate} MT/s");
            problems.add("speed_bin", no_such(&what, name, known));
        }
    }
}

/// That a die lacks something of a name, and what it has.
fn no_such(what: &str, name: &str, known: impl Iterator<Item = String>) -> String {
    let known: Vec<_> = known.collect();
    format!(
        "the die has no {what} named {name:?}; allowed: {}",
        known.join(", ")
    )
}
