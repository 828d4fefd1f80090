//! The sheet of a chip as its SFDP page draws it.

use wordline_core::quantity::Voltage;

use super::basic::{Basic, REACH_OF_THREE_BYTES, SfdpErase};
use super::fields::bits;
use super::four_byte::FourByteTable;
use super::modes::{FAST_READS, octal_clock_mhz};
use super::profile::OctalProfile;
use super::sector_map::SectorMap;
use super::size;
use crate::import::sheet::{
    DraftList, DraftRow, DraftTable, Said, SheetDraft, figure, quoted, value,
};

/// Every table of a page that a sheet draws on.
pub(super) struct Tables<'a> {
    pub(super) basic: &'a Basic<'a>,
    pub(super) four_byte: Option<FourByteTable>,
    pub(super) profile: Option<OctalProfile>,
    pub(super) sector_map: Option<SectorMap>,
    /// Lowest and highest supply, and how sheets cite it.
    pub(super) supply: Option<([Voltage; 2], String)>,
}

/// Keys of a sheet that SFDP may leave out, and what they are called.
const WANTED: [(&str, &str); 16] = [
    ("page_program", "page_program"),
    ("endurance", "endurance"),
    ("supply", "supply"),
    ("power_up", "power_up"),
    ("sleep_entry", "sleep_entry"),
    ("deselect_after_read", "deselect_after_read"),
    ("deselect_after_write", "deselect_after_write"),
    ("standby", "standby"),
    ("deep_power_down", "deep_power_down"),
    ("read_current", "read_current"),
    ("program_current", "program_current"),
    ("erase_current", "erase_current"),
    ("program_granule", "program_granule, where there is an ECC"),
    ("bank_bytes", "bank_bytes, where a busy chip can be read"),
    ("aging", "[nor.aging]"),
    ("active", "[[nor.active]]"),
];

/// What SFDP leaves out because every chip has it, and who drives chips by it.
const COMMON: &str =
    "Linux, drivers/mtd/spi-nor/core.c: as of every chip that is known by its SFDP alone";

/// Address bytes of opcodes on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressing {
    /// Three, from power-up on.
    Three,
    /// Four: by opcodes of their own where the chip has them, else after it has been switched.
    Four,
}

impl Addressing {
    fn of(tables: &Tables<'_>) -> Self {
        let basic = tables.basic;
        let large = basic.bytes > REACH_OF_THREE_BYTES;
        // An octal chip takes four bytes in 8D-8D-8D, and an erase of a sheet has one opcode.
        match large || basic.has_only_four_bytes() || tables.octal().is_some() {
            true => Self::Four,
            false => Self::Three,
        }
    }

    const fn bytes(self) -> u64 {
        match self {
            Self::Three => 3,
            Self::Four => 4,
        }
    }
}

/// 8D-8D-8D as a sheet has it: a read with its clock.
struct Octal<'a> {
    profile: &'a OctalProfile,
    clock: String,
    dummy_cycles: u32,
    read_source: &'a str,
    /// How a sheet cites the clock.
    clock_source: String,
}

impl Tables<'_> {
    /// 8D-8D-8D, where the chip has a read in it.
    fn octal(&self) -> Option<Octal<'_>> {
        let profile = self.profile.as_ref()?;
        let limit = octal_clock_mhz(self.basic.table);
        let (clock, dummy_cycles, read_source) = profile.fastest(limit)?;
        if matches!(profile.read, 0 | 0xFF) {
            return None;
        }
        let clock_source = match limit {
            Some(_) => self.basic.table.source(&[20]),
            None => read_source.to_owned(),
        };
        Some(Octal {
            profile,
            clock: format!("{} MHz", limit.unwrap_or(clock)),
            dummy_cycles,
            read_source,
            clock_source,
        })
    }

    /// The sheet, without what the page does not state.
    pub(super) fn draft(&self, revision: String) -> SheetDraft {
        let basic = self.basic;
        let mut cautions = Vec::new();
        let mut erases: Vec<&SfdpErase> = basic
            .erases
            .iter()
            .filter(|erase| !matches!(erase.opcode, 0 | 0xFF))
            .collect();
        if let Some(map) = &self.sector_map {
            let (types, found) = map.everywhere(basic);
            erases.retain(|erase| types.contains(&erase.number));
            cautions.extend(found);
        }
        self.keep_one_size_of_an_opcode(&mut erases, &mut cautions);
        erases.sort_by_key(|erase| erase.bytes);
        let mut model = DraftTable::new("nor");
        self.figures(&mut model);
        model.lists.push(self.erase_list(&erases));
        model.lists.push(self.opcode_list(&erases));
        let mut tables = vec![model];
        tables.extend(self.suspend());
        SheetDraft {
            revision,
            description: self.description(&erases),
            cautions,
            capacity: basic.bytes,
            capacity_at: basic.table.offset(bits(2, 31, 0)),
            tables,
            wanted: &WANTED,
            ..SheetDraft::default()
        }
    }

    /// Sizes that share an opcode depend on how the chip is set up: the first that the page lists is kept.
    fn keep_one_size_of_an_opcode(&self, erases: &mut Vec<&SfdpErase>, cautions: &mut Vec<String>) {
        let all = erases.clone();
        erases.retain(|erase| {
            let same = |other: &&&SfdpErase| self.erase_code(other) == self.erase_code(erase);
            let first = all.iter().find(same).map_or(erase.bytes, |first| first.bytes);
            if first != erase.bytes {
                cautions.push(format!(
                    "the page lists erases of {} and of {} under one opcode, by how the chip is set up: the first is \
                     taken",
                    size(first),
                    size(erase.bytes)
                ));
            }
            first == erase.bytes
        });
    }

    fn description(&self, erases: &[&SfdpErase]) -> String {
        let basic = self.basic;
        let widest = FAST_READS
            .iter()
            .filter(|read| read.is_supported(basic.table));
        let widest = widest.filter_map(|read| read.mode.chars().nth(6));
        let bus = match widest.max() {
            _ if self.octal().is_some() => "octal SPI, 8-8-8 double rate",
            Some('8') => "octal SPI",
            Some('4') => "quad SPI",
            Some('2') => "dual SPI",
            _ => "SPI",
        };
        let page = match basic.table.has(11) {
            true => format!("{} pages, ", size(basic.page_bytes())),
            false => String::new(),
        };
        let erases: Vec<_> = erases.iter().map(|erase| size(erase.bytes)).collect();
        format!(
            "{} serial NOR flash, {bus}; {page}erased in {}",
            megabits(basic.bytes),
            erases.join(", ")
        )
    }

    fn figures(&self, model: &mut DraftTable) {
        let basic = self.basic;
        let source = |word| basic.table.source(&[word]);
        model.figure("capacity", &[("typ", basic.capacity.clone())], &source(2));
        if basic.table.has(11) {
            let page = size(basic.page_bytes());
            model.figure("page_bytes", &[("typ", page)], &source(11));
            model.figure("page_program", &basic.page_program().columns(), &source(11));
            if let Some([first, next]) = basic.byte_programs() {
                model.figure("byte_program_first", &first.columns(), &source(11));
                model.figure("byte_program_next", &next.columns(), &source(11));
            }
        } else {
            let said = "Linux, drivers/mtd/spi-nor/core.c: where the SFDP states no page size";
            let page = figure(&[("typ", "256 B".to_owned())], Said::Published(said));
            model.figures.push(("page_bytes", page));
        }
        if let Some(([min, max], source)) = &self.supply {
            let columns = [("min", min.to_string()), ("max", max.to_string())];
            model.figure("supply", &columns, source);
        }
        if basic.powers_down() {
            let wake_up = [("max", basic.wake_up().to_string())];
            model.figure("wake_up", &wake_up, &source(14));
        }
    }

    fn suspend(&self) -> Option<DraftTable> {
        let basic = self.basic;
        if !basic.suspends() {
            return None;
        }
        let latency = |low| [("max", basic.latency(low).to_string())];
        let interval = |low| [("typ", basic.interval(low).to_string())];
        let source = basic.table.source(&[12]);
        let mut table = DraftTable::new("nor.suspend");
        table.figure("program_latency", &latency(13), &source);
        table.figure("erase_latency", &latency(24), &source);
        table.figure("program_progress", &interval(9), &source);
        table.figure("erase_progress", &interval(20), &source);
        let during = value(basic.programs_during_erase(), Said::Maker(&source));
        table.figures.push(("program_during_erase", during));
        Some(table)
    }

    /// The opcode of an erase type, and how a sheet cites it.
    fn erase_code(&self, erase: &SfdpErase) -> (u32, String) {
        let own = self
            .four_byte
            .as_ref()
            .filter(|_| Addressing::of(self) == Addressing::Four);
        if let Some((table, code)) = own.and_then(|table| Some((table, table.erase(erase.number)?)))
        {
            return (code, table.sources[1].clone());
        }
        (erase.opcode, self.erase_source(erase))
    }

    fn erase_source(&self, erase: &SfdpErase) -> String {
        self.basic
            .table
            .source(&[SfdpErase::place(erase.number).0.word])
    }

    fn erase_list(&self, erases: &[&SfdpErase]) -> DraftList {
        let basic = self.basic;
        let mut rows: Vec<DraftRow> = erases
            .iter()
            .map(|erase| {
                let source = self.erase_source(erase);
                let bytes = [("typ", size(erase.bytes))];
                let mut row = vec![
                    ("name", quoted(&size(erase.bytes))),
                    ("code", format!("0x{:02x}", self.erase_code(erase).0)),
                    ("bytes", figure(&bytes, Said::Maker(&source))),
                ];
                row.extend(erase.times.map(|times| {
                    let source = basic.table.source(&[10]);
                    ("duration", figure(&times.columns(), Said::Maker(&source)))
                }));
                row
            })
            .collect();
        if basic.table.has(11) && !erases.iter().any(|erase| erase.bytes == basic.bytes) {
            let source = basic.table.source(&[10, 11]);
            let bytes = [("typ", basic.capacity.clone())];
            rows.push(vec![
                ("name", quoted("chip")),
                ("code", "0xc7".to_owned()),
                (
                    "bytes",
                    figure(&bytes, Said::Maker(&basic.table.source(&[2]))),
                ),
                (
                    "duration",
                    figure(&basic.chip_erase().columns(), Said::Maker(&source)),
                ),
            ]);
        }
        DraftList { key: "erase", rows }
    }

    fn opcode_list(&self, erases: &[&SfdpErase]) -> DraftList {
        let mut list = OpcodeList {
            rows: Vec::new(),
            mode: "1S-1S-1S",
            octal_clock: None,
        };
        self.reads(&mut list);
        self.programs(&mut list);
        let addressing = Addressing::of(self).bytes();
        self.controls(erases, addressing, &mut list);
        if let Some(octal) = self.octal() {
            let clock = [("max", octal.clock.clone())];
            list.octal_clock = Some(figure(&clock, Said::Maker(&octal.clock_source)));
            list.mode = "8D-8D-8D";
            let (cycles, source) = (octal.dummy_cycles, octal.read_source);
            let read = Opcode8D::new(octal.profile.read, "Fast Read", "read", cycles);
            list.add_octal(read, Said::Maker(source));
            let said = "Linux, drivers/mtd/spi-nor/sfdp.c: a required command of the profile, as on one line";
            let write = Opcode8D::new(0x12, "Page Program", "write", 0);
            list.add_octal(write, Said::Published(said));
            self.controls(erases, 4, &mut list);
        }
        DraftList {
            key: "opcode",
            rows: list.rows,
        }
    }

    fn reads(&self, list: &mut OpcodeList) {
        let basic = self.basic;
        let addressing = Addressing::of(self);
        let own = self
            .four_byte
            .as_ref()
            .filter(|_| addressing == Addressing::Four);
        let own_read = |mode| own.and_then(|own| Some((own, own.opcode("read", mode)?)));
        let bytes = addressing.bytes();
        let said = "Linux, drivers/mtd/spi-nor/core.c: 8 dummy cycles, as of every chip that is known by its SFDP alone";
        match own_read("1S-1S-1S") {
            Some((own, entry)) => {
                let source = format!("{}; dummy cycles: {said}", own.sources[0]);
                list.add(
                    entry.code,
                    "Fast Read",
                    "read",
                    (bytes, 8),
                    Said::Published(&source),
                );
            }
            None => list.add(0x0B, "Fast Read", "read", (bytes, 8), Said::Published(said)),
        }
        for read in &FAST_READS {
            // A chip is switched to the protocols whose opcodes go over more lines, and the page states no more of
            // them than reads.
            if !read.mode.starts_with("1S") || !read.is_supported(basic.table) {
                continue;
            }
            let settings = read.settings(basic.table);
            let mut code = settings.opcode;
            let mut source = basic.table.source(&[read.word]);
            if let Some((own, entry)) = own_read(read.mode) {
                code = entry.code;
                source = format!("{}; dummy cycles: {source}", own.sources[0]);
            }
            list.mode = read.mode;
            let name = format!("Fast Read {}", read.mode);
            let shape = (bytes, settings.dummy_cycles());
            list.add(code, &name, "read", shape, Said::Maker(&source));
        }
        list.mode = "1S-1S-1S";
    }

    fn programs(&self, list: &mut OpcodeList) {
        let bytes = Addressing::of(self).bytes();
        let own = self.four_byte.as_ref().filter(|_| bytes == 4);
        let writes = own.into_iter().flat_map(|own| {
            let entries = own.opcodes.iter().filter(|entry| entry.action == "write");
            entries.map(|entry| (*entry, own.sources[0].as_str()))
        });
        let before = list.rows.len();
        for (entry, source) in writes {
            list.mode = entry.mode;
            let name = match entry.mode {
                "1S-1S-1S" => entry.name.to_owned(),
                mode => format!("{} {mode}", entry.name),
            };
            list.add(entry.code, &name, "write", (4, 0), Said::Maker(source));
        }
        list.mode = "1S-1S-1S";
        if list.rows.len() == before {
            let said = Said::Published(COMMON);
            list.add(0x02, "Page Program", "write", (bytes, 0), said);
        }
    }

    /// Opcodes that move no array data, in the mode of the list.
    fn controls(&self, erases: &[&SfdpErase], address_bytes: u64, list: &mut OpcodeList) {
        let basic = self.basic;
        let octal = self.octal().filter(|_| list.octal_clock.is_some());
        let common = Said::Published(COMMON);
        list.add(0x06, "Write Enable", "write-enable", (0, 0), common);
        match &octal {
            Some(octal) => {
                let profile = octal.profile;
                let shape = (
                    profile.status_address_bytes,
                    profile.status_dummy_cycles as u32,
                );
                let said = Said::Maker(&profile.source);
                list.add(0x05, "Read Status Register", "status", shape, said);
            }
            // The bit of the busy poll with 05h; its neighbours are ones in some pages.
            None if basic.table.is_set(14, 2) => {
                let source = basic.table.source(&[14]);
                list.add(
                    0x05,
                    "Read Status Register",
                    "status",
                    (0, 0),
                    Said::Maker(&source),
                );
            }
            None => list.add(0x05, "Read Status Register", "status", (0, 0), common),
        }
        for erase in erases {
            let (code, source) = self.erase_code(erase);
            let name = format!("Erase {}", size(erase.bytes));
            list.add(
                code,
                &name,
                "erase",
                (address_bytes, 0),
                Said::Maker(&source),
            );
        }
        if basic.table.has(11) && octal.as_ref().is_none_or(|octal| octal.profile.erases_chip) {
            list.add(0xC7, "Chip Erase", "erase", (0, 0), common);
        }
        let mut commands = Vec::new();
        if basic.suspends() {
            commands.push((bits(13, 31, 24), "Suspend", "suspend"));
            commands.push((bits(13, 23, 16), "Resume", "resume"));
        }
        if basic.powers_down() && octal.as_ref().is_none_or(|octal| octal.profile.powers_down) {
            commands.push((bits(14, 30, 23), "Deep Power-Down", "power-down"));
            commands.push((bits(14, 22, 15), "Release from Deep Power-Down", "wake-up"));
        }
        for (at, name, action) in commands {
            let source = basic.table.source(&[at.word]);
            list.add(
                basic.table.get(at),
                name,
                action,
                (0, 0),
                Said::Maker(&source),
            );
        }
    }
}

/// An opcode in 8D-8D-8D that moves array data.
struct Opcode8D {
    code: u32,
    name: &'static str,
    action: &'static str,
    dummy_cycles: u32,
}

impl Opcode8D {
    const fn new(code: u32, name: &'static str, action: &'static str, dummy_cycles: u32) -> Self {
        Self {
            code,
            name,
            action,
            dummy_cycles,
        }
    }
}

/// The opcodes of a sheet while they are gathered.
struct OpcodeList {
    rows: Vec<DraftRow>,
    /// The mode of those that are added.
    mode: &'static str,
    /// The clock of opcodes in 8D-8D-8D, once they are added.
    octal_clock: Option<String>,
}

impl OpcodeList {
    /// Adds an opcode with its address bytes and dummy cycles.
    fn add(&mut self, code: u32, name: &str, action: &str, shape: (u64, u32), said: Said<'_>) {
        self.push(code, name, action, shape, None, said);
    }

    /// Adds an opcode that moves array data in 8D-8D-8D, two bytes a clock.
    fn add_octal(&mut self, opcode: Opcode8D, said: Said<'_>) {
        let shape = (4, opcode.dummy_cycles);
        self.push(
            opcode.code,
            opcode.name,
            opcode.action,
            shape,
            Some(2),
            said,
        );
    }

    fn push(
        &mut self,
        code: u32,
        name: &str,
        action: &str,
        (address_bytes, dummy_cycles): (u64, u32),
        granule: Option<u32>,
        said: Said<'_>,
    ) {
        let protocol = match self.octal_clock {
            Some(_) => "octal-dtr",
            None => "extended-spi",
        };
        let mut row = vec![
            ("code", format!("0x{code:02x}")),
            ("name", quoted(name)),
            ("action", quoted(action)),
            ("protocol", quoted(protocol)),
            ("mode", quoted(self.mode)),
            ("address_bytes", address_bytes.to_string()),
            ("dummy_cycles", dummy_cycles.to_string()),
        ];
        row.extend(granule.map(|granule| ("granule", granule.to_string())));
        row.extend(self.octal_clock.clone().map(|clock| ("clock", clock)));
        row.extend(said.keys());
        self.rows.push(row);
    }
}

/// A capacity as the names of parts count it.
fn megabits(bytes: u64) -> String {
    match bytes >> 17 {
        0 => format!("{} Kb", bytes >> 7),
        mbit if mbit.is_multiple_of(1024) => format!("{} Gb", mbit / 1024),
        mbit => format!("{mbit} Mb"),
    }
}
