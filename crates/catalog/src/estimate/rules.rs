//! Which figures can be estimated, of which parts, and from whose figures: one table.

use toml::de::DeTable;
use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Quantity, Time};

use super::distribution::{Distribution, distribution};

/// A figure that is estimated where a sheet lacks it.
#[derive(Debug)]
pub(crate) struct EstimableFigure {
    /// Tables of the models that have it.
    models: &'static [&'static str],
    /// Its place below the table of the model; `*` stands for each element of an array.
    figure: &'static str,
    /// What sources call it.
    pub(crate) words: &'static str,
    /// Its unit.
    pub(crate) unit: EstimateUnit,
    /// The columns that are estimated. The range of the figure is that of the first.
    pub(crate) columns: &'static [EstimateColumn],
    /// The parts that have it at all.
    when: Owners,
}

/// A column of an estimated figure, by what it is estimated from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EstimateColumn {
    /// `typ`, from those that state it.
    Typ,
    /// `max`, from those that state it.
    Max,
    /// `typ`, from whatever is stated, as makers state one column alone.
    Usual,
    /// `max`, from the largest column: for how long a host must wait, how fast a clock may be.
    Most,
    /// `min`, from the smallest column: the shortest time, the cycles that are certain.
    Least,
}

impl EstimateColumn {
    /// The key of the column.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Typ | Self::Usual => "typ",
            Self::Max | Self::Most => "max",
            Self::Least => "min",
        }
    }
}

const TYP_MAX: &[EstimateColumn] = &[EstimateColumn::Typ, EstimateColumn::Max];
const USUAL: &[EstimateColumn] = &[EstimateColumn::Usual];
const MOST: &[EstimateColumn] = &[EstimateColumn::Most];
const LEAST: &[EstimateColumn] = &[EstimateColumn::Least];

/// Which parts have a figure.
#[derive(Clone, Copy, Debug)]
enum Owners {
    /// All whose table it stands in.
    Always,
    /// Those on a serial bus.
    Serial,
    /// Those with a command of this action.
    Action(&'static str),
    /// Those whose sheet has no such key, which states the same in another form.
    Without(&'static str),
}

/// The unit of an estimated figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EstimateUnit {
    Time,
    Current,
    Cycles,
    Frequency,
}

impl EstimateUnit {
    /// A value in the SI unit as a sheet writes it, to three digits.
    pub(crate) fn written(self, si: f64) -> String {
        let si = format!("{si:.2e}").parse().unwrap_or(si);
        match self {
            Self::Time => Time::from_si(si).to_string(),
            Self::Current => Current::from_si(si).to_string(),
            Self::Cycles => Cycles::from_si(si).to_string(),
            Self::Frequency => Frequency::from_si(si).to_string(),
        }
    }
}

use EstimateUnit as Unit;

const fn rule(
    models: &'static [&'static str],
    figure: &'static str,
    words: &'static str,
    unit: Unit,
    columns: &'static [EstimateColumn],
    when: Owners,
) -> EstimableFigure {
    EstimableFigure {
        models,
        figure,
        words,
        unit,
        columns,
        when,
    }
}

/// Memories that are written byte by byte.
const BYTES: &[&str] = &["mram", "fram", "eeprom", "reram"];
/// The same and those that forget.
const WRITTEN: &[&str] = &["mram", "fram", "eeprom", "reram", "sram", "psram"];
/// Memories with a table of their own for deep power-down.
const SLEEPING: &[&str] = &["nor", "mram", "fram", "eeprom", "reram", "sram", "psram"];
/// All chips.
const ALL: &[&str] = &[
    "nor", "onchip", "nand", "mram", "fram", "eeprom", "reram", "sram", "psram",
];

/// Every figure that can be estimated.
#[rustfmt::skip]
static RULES: [EstimableFigure; 31] = [
    rule(&["nor", "nand"], "page_program", "page program", Unit::Time, TYP_MAX, Owners::Always),
    rule(&["nor", "onchip"], "erase.*.duration", "erase", Unit::Time, TYP_MAX, Owners::Always),
    rule(&["nand"], "block_erase", "block erase", Unit::Time, TYP_MAX, Owners::Always),
    rule(&["nand"], "page_read", "page read", Unit::Time, TYP_MAX, Owners::Always),
    rule(&["nand"], "cache_busy", "time between registers in a cache read", Unit::Time, MOST, Owners::Action("page-read-cache")),
    rule(&["nand"], "cache_program_busy", "time between registers in a cache program", Unit::Time, MOST, Owners::Action("execute-cache")),
    rule(&["nand"], "plane_busy", "busy time between planes", Unit::Time, MOST, Owners::Action("execute-plane")),
    rule(&["eeprom", "reram"], "write_cycle", "write cycle", Unit::Time, TYP_MAX, Owners::Always),
    rule(ALL, "opcode.*.clock", "clock", Unit::Frequency, MOST, Owners::Serial),
    rule(&["nor", "onchip", "nand"], "endurance", "endurance", Unit::Cycles, LEAST, Owners::Always),
    rule(BYTES, "endurance", "endurance", Unit::Cycles, LEAST, Owners::Without("endurance_unlimited")),
    rule(&["nor"], "power_up", "wait after power-up", Unit::Time, MOST, Owners::Always),
    rule(&["nor"], "wake_up", "wake-up from deep power-down", Unit::Time, MOST, Owners::Action("power-down")),
    rule(&["nand", "mram", "fram", "eeprom", "reram", "sram", "psram"], "wake_up", "wait after power-up", Unit::Time, MOST, Owners::Always),
    rule(SLEEPING, "sleep_entry", "entry into deep power-down", Unit::Time, MOST, Owners::Action("power-down")),
    rule(SLEEPING, "deselect_after_read", "deselect time after a read", Unit::Time, LEAST, Owners::Serial),
    rule(SLEEPING, "deselect_after_write", "deselect time after other commands", Unit::Time, LEAST, Owners::Serial),
    rule(&["nand"], "deselect", "deselect time", Unit::Time, LEAST, Owners::Serial),
    rule(ALL, "standby", "standby current", Unit::Current, TYP_MAX, Owners::Always),
    rule(SLEEPING, "deep_power_down", "current in deep power-down", Unit::Current, TYP_MAX, Owners::Action("power-down")),
    rule(&["nor", "onchip", "nand"], "program_current", "program current", Unit::Current, TYP_MAX, Owners::Always),
    rule(&["nor", "onchip", "nand"], "erase_current", "erase current", Unit::Current, TYP_MAX, Owners::Always),
    rule(ALL, "read_current", "read current", Unit::Current, TYP_MAX, Owners::Without("active")),
    rule(WRITTEN, "write_current", "write current", Unit::Current, TYP_MAX, Owners::Without("active")),
    rule(ALL, "active.*.current", "current while data move", Unit::Current, TYP_MAX, Owners::Always),
    rule(&["nor"], "suspend.program_latency", "latency of a suspended program", Unit::Time, MOST, Owners::Always),
    rule(&["nor"], "suspend.erase_latency", "latency of a suspended erase", Unit::Time, MOST, Owners::Always),
    rule(&["nor"], "suspend.program_progress", "time from resume to suspend of a program", Unit::Time, USUAL, Owners::Always),
    rule(&["nor"], "suspend.erase_progress", "time from resume to suspend of an erase", Unit::Time, USUAL, Owners::Always),
    rule(ALL, "parallel.read_access", "read access", Unit::Time, MOST, Owners::Always),
    rule(ALL, "parallel.write_pulse", "write pulse", Unit::Time, LEAST, Owners::Always),
];

/// Whether a key is that of a figure that can be estimated of some part.
pub(crate) fn can_be_estimated(key: &str) -> bool {
    let last = |rule: &EstimableFigure| rule.figure.rsplit('.').next() == Some(key);
    RULES.iter().any(last)
}

/// A place of a sheet where an estimable figure stands or could stand.
pub(crate) struct FigureSlot<'a, 'i> {
    pub(crate) rule: &'static EstimableFigure,
    /// Its dotted path, with the numbers of elements of arrays.
    pub(crate) path: String,
    /// The figures whose distributions are its own, from the closest to the widest.
    pub(crate) figures: Vec<String>,
    /// The kinds of part whose distributions are its own, from the closest to the widest.
    pub(crate) kinds: Vec<&'static str>,
    /// What a value of the distribution is multiplied by.
    pub(crate) scale: f64,
    /// What the sheet states.
    pub(crate) stated: Option<&'a DeTable<'i>>,
    wanted: bool,
}

impl FigureSlot<'_, '_> {
    /// Whether the part has the figure and its sheet lacks it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.stated.is_none() && self.wanted
    }

    /// The distribution of a column: that of the closest figure and kind that enough parts state.
    pub(crate) fn distribution(&self, column: &str, family: Option<&str>) -> Option<Distribution> {
        let mut both = self
            .figures
            .iter()
            .flat_map(|figure| self.kinds.iter().map(move |kind| (figure, *kind)));
        both.find_map(|(figure, kind)| distribution(kind, figure, column, family))
    }
}

/// The places of all estimable figures of a part's sheet; none for other sheets and models.
pub(crate) fn slots<'a, 'i>(tree: &'a DeTable<'i>) -> Vec<FigureSlot<'a, 'i>> {
    let mut slots = Vec::new();
    for model in ALL {
        let Some(table) = tree
            .get(*model)
            .and_then(|table| table.get_ref().as_table())
        else {
            continue;
        };
        let chip = ChipTable { model, table };
        for rule in RULES.iter().filter(|rule| rule.models.contains(model)) {
            chip.slots(rule, &mut slots);
        }
    }
    slots
}

/// The table of a chip's model.
#[derive(Clone, Copy)]
struct ChipTable<'a, 'i> {
    model: &'static str,
    table: &'a DeTable<'i>,
}

impl<'a, 'i> ChipTable<'a, 'i> {
    fn slots(&self, rule: &'static EstimableFigure, slots: &mut Vec<FigureSlot<'a, 'i>>) {
        let wanted = self.has(rule.when);
        let mut push = |table: &'a DeTable<'i>, key: &str, path: String, place: FigureClass| {
            let stated = table
                .get(key)
                .and_then(|figure| figure.get_ref().as_table());
            slots.push(FigureSlot {
                rule,
                path,
                figures: place.figures,
                kinds: self.kinds(rule),
                scale: place.scale,
                stated,
                // A figure that is no table is a mistake, which its type names.
                wanted: wanted && !table.contains_key(key),
            });
        };
        if let Some((array, key)) = rule.figure.split_once(".*.") {
            for (index, element) in self.elements(array).enumerate() {
                if let Some(place) = self.place(array, key, element) {
                    let path = format!("{}.{array}.{index}.{key}", self.model);
                    push(element, key, path, place);
                }
            }
            return;
        }
        let (table, key) = match rule.figure.split_once('.') {
            Some((table, key)) => (self.child(table), key),
            None => (Some(self.table), rule.figure),
        };
        if let Some(table) = table {
            let place = FigureClass {
                figures: vec![rule.figure.to_owned()],
                scale: 1.0,
            };
            push(table, key, format!("{}.{}", self.model, rule.figure), place);
        }
    }

    fn child(&self, key: &str) -> Option<&'a DeTable<'i>> {
        self.table.get(key)?.get_ref().as_table()
    }

    fn elements(&self, key: &str) -> impl Iterator<Item = &'a DeTable<'i>> + use<'a, 'i> {
        let array = self
            .table
            .get(key)
            .and_then(|value| value.get_ref().as_array());
        let elements = array.into_iter().flatten();
        elements.filter_map(|element| element.get_ref().as_table())
    }

    fn has(&self, when: Owners) -> bool {
        match when {
            Owners::Always => true,
            Owners::Serial => self.elements("opcode").next().is_some(),
            Owners::Action(action) => {
                let parallel = self.child("parallel");
                let commands = parallel.and_then(|it| it.get("command")?.get_ref().as_array());
                let commands = commands.into_iter().flatten();
                let commands = commands.filter_map(|command| command.get_ref().as_table());
                self.elements("opcode")
                    .chain(commands)
                    .any(|command| text(command, "action") == Some(action))
            }
            Owners::Without(key) => !self.table.contains_key(key),
        }
    }

    /// Its kind, and the wider ones. What belongs to the serial bus or to the oxide is alike in all flash.
    fn kinds(&self, rule: &EstimableFigure) -> Vec<&'static str> {
        let mut kinds = match (self.model, self.table.contains_key("parallel")) {
            ("onchip", _) => vec!["on-chip flash"],
            ("nor", false) => vec!["serial NOR", "NOR"],
            ("nor", true) => vec!["parallel NOR", "NOR"],
            ("nand", false) => vec!["SPI NAND", "NAND"],
            ("nand", true) if self.table.contains_key("pairing") => {
                vec!["parallel MLC NAND", "NAND"]
            }
            ("nand", true) => vec!["parallel SLC NAND", "NAND"],
            ("mram", false) => vec!["serial MRAM", "MRAM"],
            ("mram", true) => vec!["parallel MRAM", "MRAM"],
            ("fram", false) => vec!["serial FRAM", "FRAM"],
            ("fram", true) => vec!["parallel FRAM", "FRAM"],
            ("reram", _) => vec!["ReRAM"],
            ("sram" | "psram", _) => vec!["SRAM and PSRAM"],
            _ => vec!["EEPROM"],
        };
        if matches!(self.model, "nor" | "nand") {
            match (rule.when, rule.unit) {
                (Owners::Serial, _) => kinds.push("serial flash"),
                (_, EstimateUnit::Cycles) => kinds.push("flash"),
                _ => {}
            }
        }
        kinds
    }

    /// What the figure of an element of an array is among its like.
    fn place(&self, array: &str, key: &str, element: &DeTable<'_>) -> Option<FigureClass> {
        match array {
            "erase" => {
                let capacity = bytes(self.table, "capacity");
                let (classes, scale) = erase_classes(bytes(element, "bytes")?, capacity);
                Some(FigureClass {
                    figures: classes.map(|class| format!("erase[{class}].{key}")).into(),
                    scale,
                })
            }
            // At a stated clock and without one it is the same figure.
            "active" => Some(FigureClass {
                figures: vec![format!("{}_current", text(element, "action")?)],
                scale: 1.0,
            }),
            _ => {
                let classes = clock_classes(element)?;
                Some(FigureClass {
                    figures: classes
                        .map(|class| format!("{array}[{class}].{key}"))
                        .into(),
                    scale: 1.0,
                })
            }
        }
    }
}

/// What a figure is among its like.
struct FigureClass {
    figures: Vec<String>,
    scale: f64,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// The class of an erase by its size and a wider one, and what the durations of the class are multiplied by: that of the
/// whole chip is counted by its capacity in MiB.
fn erase_classes(bytes: u64, capacity: Option<u64>) -> ([&'static str; 2], f64) {
    let classes = match bytes {
        _ if Some(bytes) == capacity => {
            return (["the whole chip, a MiB"; 2], bytes as f64 / MIB as f64);
        }
        _ if bytes < 4 * KIB => ["less than 4 KiB", "4 KiB and less"],
        _ if bytes == 4 * KIB => ["4 KiB", "4 KiB and less"],
        _ if bytes < 64 * KIB => ["8 KiB to 32 KiB"; 2],
        _ => ["64 KiB and more"; 2],
    };
    (classes, 1.0)
}

/// The class of an opcode by what limits its clock, and the wider one.
fn clock_classes(opcode: &DeTable<'_>) -> Option<[&'static str; 2]> {
    let (action, mode) = (text(opcode, "action")?, text(opcode, "mode")?);
    let dummy = opcode.get("dummy_cycles")?.get_ref().as_integer()?.as_str() != "0";
    let address_lines = mode.split('-').nth(1)?;
    Some(match (mode.contains('D'), address_lines.starts_with('8')) {
        (true, true) => ["octal commands at double rate", "commands at double rate"],
        (true, false) => [
            "commands at double rate, four lines at most",
            "commands at double rate",
        ],
        (false, true) => ["octal commands at single rate", "commands at single rate"],
        (false, false) => match (action, address_lines) {
            ("read", "1S") if !dummy => {
                ["reads without dummy cycles", "reads without dummy cycles"]
            }
            ("read", "1S") => [
                "reads with an address on one line",
                "commands at single rate",
            ],
            ("read", _) => [
                "reads with an address on several lines",
                "commands at single rate",
            ],
            _ => ["commands that do not read", "commands at single rate"],
        },
    })
}

fn text<'a>(table: &'a DeTable<'_>, key: &str) -> Option<&'a str> {
    table.get(key)?.get_ref().as_str()
}

/// The nominal value of a size.
fn bytes(table: &DeTable<'_>, key: &str) -> Option<u64> {
    let figure = table.get(key)?.get_ref().as_table()?;
    let value = ["typ", "max", "min"]
        .iter()
        .find_map(|key| text(figure, key))?;
    value.parse::<ByteCount>().ok().map(ByteCount::bytes)
}
