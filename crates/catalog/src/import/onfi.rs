//! The ONFI parameter page: 256 bytes, stored at least three times in a row, each with a CRC.

use wordline_core::quantity::{ByteCount, Cycles, Time};

use super::sheet::{self, DraftList, DraftTable, Said, SheetDraft, quoted};
use super::{DumpFormat, Field, ImportError, Page, beginning, set_bits};

const SIGNATURE: &[u8; 4] = b"ONFI";
const PAGE_BYTES: usize = 256;
const CRC_AT: usize = 254;

/// Copies that are looked at, as many as byte 14 can state in practice.
const COPIES_MAX: usize = 64;

const VERSIONS: [&str; 13] = [
    "", "1.0", "2.0", "2.1", "2.2", "2.3", "3.0", "3.1", "3.2", "4.0", "4.1", "4.2", "5.0",
];
const FEATURES: [&str; 14] = [
    "16-bit data bus",
    "several LUNs at once",
    "pages in any order",
    "multi-plane program and erase",
    "odd-to-even copyback",
    "NV-DDR",
    "multi-plane read",
    "extended parameter page",
    "program page register clear",
    "EZ NAND",
    "NV-DDR2",
    "volume addressing",
    "external Vpp",
    "NV-DDR3",
];
const COMMANDS: [&str; 14] = [
    "program cache",
    "read cache",
    "get and set features",
    "read status enhanced",
    "copyback",
    "read unique id",
    "change read column enhanced",
    "change row address",
    "small data move",
    "reset LUN",
    "volume select",
    "ODT configure",
    "get and set features of a LUN",
    "ZQ calibration",
];
const PLANE_OPERATIONS: [&str; 6] = [
    "overlapped",
    "any block address",
    "program cache",
    "address may change between cache operations",
    "read cache",
    "lower bits of block addresses must differ",
];
const MODES: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

/// Whether a page or a copy of one begins with a signature of which at least two bytes are right, as
/// ONFI asks of readers.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    copies(bytes).next().is_some()
}

/// The places at which a copy of the page stands, whole or cut off by the end of the dump.
fn copies(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let chunks = bytes.chunks(PAGE_BYTES).take(COPIES_MAX).enumerate();
    chunks.filter(|(_, chunk)| {
        let pairs = chunk.iter().zip(SIGNATURE);
        pairs.filter(|(found, wanted)| found == wanted).count() >= 2
    })
}

/// The CRC of a page's first 254 bytes: polynomial 8005h from 4F4Eh, highest bit first.
pub(super) fn crc(page: &[u8]) -> u16 {
    page.iter().take(CRC_AT).fold(0x4F4E, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc: u16, _| {
            (crc << 1) ^ if crc >> 15 == 1 { 0x8005 } else { 0 }
        })
    })
}

pub(super) fn read(bytes: &[u8]) -> Result<Page, ImportError> {
    let copy = good_copy(bytes)?;
    let mut notes = vec![format!(
        "copy {} of the page is used: its CRC is right",
        copy.number
    )];
    if !copy.passed_over.is_empty() {
        notes.push(format!(
            "copies passed over: {}",
            copy.passed_over.join("; ")
        ));
    }
    let reader = PageReader {
        page: copy.page,
        offset: copy.offset,
    };
    let geometry = reader.geometry()?;
    let fields = reader.fields(&geometry);
    let [manufacturer, model] = [reader.text(32, 12), reader.text(44, 20)];
    let size = ByteCount::from_bytes(geometry.bytes);
    let parallel = reader.parallel();
    if parallel.is_none() {
        notes.push(
            "the page lists no asynchronous timing mode: the bus is the data sheet's to say"
                .to_owned(),
        );
    }
    let draft = SheetDraft {
        id: sheet::id(&model),
        name: model.clone(),
        manufacturer: maker(&manufacturer),
        revision: format!(
            "ONFI {}, parameter page with CRC {:04X}h",
            reader.version(),
            reader.word(CRC_AT)
        ),
        description: format!("{size} NAND flash"),
        capacity: geometry.bytes,
        capacity_at: reader.offset + 80,
        tables: std::iter::once(reader.model(&geometry))
            .chain(parallel)
            .collect(),
        wanted: &WANTED,
        ..SheetDraft::default()
    };
    Ok(Page {
        kind: DumpFormat::Onfi,
        title: format!("ONFI {}: {manufacturer} {model}, {size}", reader.version()),
        notes,
        fields,
        contradictions: Vec::new(),
        vendors: vec![(reader.offset + 64, reader.byte(64))],
        draft,
    })
}

/// A maker's name as sheets spell it: pages have it in capital letters.
fn maker(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first
        .into_iter()
        .chain(letters.map(|letter| letter.to_ascii_lowercase()))
        .collect()
}

/// Keys of a sheet that ONFI may leave out, and what they are called.
const WANTED: [(&str, &str); 11] = [
    ("page_read", "page_read"),
    ("page_program", "page_program"),
    ("block_erase", "block_erase"),
    ("in_order", "in_order"),
    ("endurance", "endurance"),
    ("supply", "supply"),
    ("wake_up", "wake_up"),
    ("standby", "standby"),
    ("read_current", "read_current"),
    ("program_current", "program_current"),
    ("erase_current", "erase_current"),
];

/// A copy of the page whose CRC is right.
struct GoodCopy<'a> {
    /// From 1.
    number: usize,
    offset: usize,
    page: &'a [u8],
    /// What is wrong with the copies before it.
    passed_over: Vec<String>,
}

/// The first copy whose CRC is right.
fn good_copy(bytes: &[u8]) -> Result<GoodCopy<'_>, ImportError> {
    let mut damaged = Vec::new();
    for (index, chunk) in copies(bytes) {
        let [number, offset] = [index + 1, index * PAGE_BYTES];
        if chunk.len() < PAGE_BYTES {
            damaged.push(format!(
                "copy {number} at 0x{offset:X} ends after {} bytes",
                chunk.len()
            ));
            continue;
        }
        let stored = u16::from_le_bytes([chunk[CRC_AT], chunk[CRC_AT + 1]]);
        let computed = crc(chunk);
        if stored != computed {
            damaged.push(format!(
                "copy {number} at 0x{offset:X}: CRC stored {stored:04X}h, computed {computed:04X}h"
            ));
        } else if chunk.starts_with(SIGNATURE) {
            return Ok(GoodCopy {
                number,
                offset,
                page: chunk,
                passed_over: damaged,
            });
        } else {
            damaged.push(format!(
                "copy {number} at 0x{offset:X}: signature {}",
                beginning(chunk)
            ));
        }
    }
    if damaged.is_empty() {
        let fault = "the signature of an ONFI page is missing";
        let allowed = "\"ONFI\" (4F 4E 46 49)";
        return Err(ImportError::new(0, fault, beginning(bytes), allowed));
    }
    let at = copies(bytes)
        .next()
        .map_or(0, |(index, _)| index * PAGE_BYTES);
    Err(ImportError::new(
        at + CRC_AT,
        "no copy of the parameter page is whole",
        damaged.join("; "),
        "a copy of 256 bytes whose CRC (polynomial 8005h from 4F4Eh, bytes 0 to 253) is that in \
         bytes 254 and 255",
    ))
}

/// Sizes and counts that the page states, checked.
struct OnfiGeometry {
    page: u32,
    pages_per_block: u32,
    blocks_per_lun: u32,
    luns: u8,
    bytes: u64,
}

/// A good copy of the page.
struct PageReader<'a> {
    page: &'a [u8],
    offset: usize,
}

impl PageReader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.page[at]
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.page[at], self.page[at + 1]])
    }

    fn long(&self, at: usize) -> u32 {
        u32::from(self.word(at)) | u32::from(self.word(at + 2)) << 16
    }

    /// Text without the spaces that fill it up; what is no printable ASCII becomes `?`.
    fn text(&self, at: usize, length: usize) -> String {
        let bytes = self.page[at..at + length].iter();
        let text: String = bytes
            .map(|byte| match byte {
                b' '..=b'~' => char::from(*byte),
                0 => ' ',
                _ => '?',
            })
            .collect();
        text.trim().to_owned()
    }

    /// The newest revision of ONFI that the page claims.
    fn version(&self) -> &'static str {
        let bits = self.word(4);
        let newest = (1..VERSIONS.len()).rev().find(|bit| bits >> bit & 1 == 1);
        newest.map_or("of no stated revision", |bit| VERSIONS[bit])
    }

    fn impossible(&self, at: usize, fault: &str, found: String, allowed: &str) -> ImportError {
        ImportError::new(self.offset + at, fault, found, allowed)
    }

    fn geometry(&self) -> Result<OnfiGeometry, ImportError> {
        let page = self.long(80);
        if !page.is_power_of_two() || page < 512 {
            let found = format!("{page} bytes");
            let allowed = "a power of two from 512 bytes";
            return Err(self.impossible(80, "data bytes of a page", found, allowed));
        }
        let [pages_per_block, blocks_per_lun] = [self.long(92), self.long(96)];
        for (at, what, count) in [
            (92, "pages of a block", pages_per_block),
            (96, "blocks of a LUN", blocks_per_lun),
            (100, "LUNs", self.byte(100).into()),
        ] {
            if count == 0 {
                return Err(self.impossible(at, what, "0".to_owned(), "at least 1"));
            }
        }
        let luns = self.byte(100);
        let bytes = [page, pages_per_block, blocks_per_lun, luns.into()]
            .into_iter()
            .try_fold(1_u64, |bytes, count| bytes.checked_mul(count.into()))
            .filter(|bytes| *bytes <= 1 << 44);
        let Some(bytes) = bytes else {
            let found = format!(
                "{page} bytes x {pages_per_block} pages x {blocks_per_lun} blocks x {luns} LUNs"
            );
            return Err(self.impossible(80, "size of the chip", found, "up to 16 TiB"));
        };
        Ok(OnfiGeometry {
            page,
            pages_per_block,
            blocks_per_lun,
            luns,
            bytes,
        })
    }

    fn field(&self, at: usize, length: usize, name: &str, meaning: impl Into<String>) -> Field {
        let bytes = &self.page[at..at + length];
        // Numbers have their lowest byte first; text reads as it stands.
        let raw = if length <= 4 && at > 3 {
            let digits: String = bytes.iter().rev().map(|b| format!("{b:02X}")).collect();
            format!("{digits}h")
        } else {
            let bytes: Vec<_> = bytes.iter().map(|b| format!("{b:02X}")).collect();
            bytes.join(" ")
        };
        Field {
            offset: self.offset + at,
            place: place(at, length),
            name: name.to_owned(),
            raw,
            meaning: meaning.into(),
        }
    }

    /// Cycles as ONFI writes them: a value and how many zeros follow it.
    fn endurance(&self, at: usize) -> Option<u64> {
        let zeros = u32::from(self.byte(at + 1));
        let cycles = 10_u64
            .checked_pow(zeros)?
            .checked_mul(self.byte(at).into())?;
        (cycles > 0).then_some(cycles)
    }

    fn fields(&self, geometry: &OnfiGeometry) -> Vec<Field> {
        let mut fields = Vec::new();
        self.identity(&mut fields);
        self.organisation(geometry, &mut fields);
        self.electrical(&mut fields);
        fields
    }

    fn identity(&self, fields: &mut Vec<Field>) {
        let mut add = |at, length, name: &str, meaning: String| {
            fields.push(self.field(at, length, name, meaning));
        };
        add(0, 4, "signature", "ONFI".to_owned());
        add(
            4,
            2,
            "revisions of ONFI",
            set_bits(self.word(4).into(), &VERSIONS),
        );
        add(6, 2, "features", set_bits(self.word(6).into(), &FEATURES));
        add(
            8,
            2,
            "optional commands",
            set_bits(self.word(8).into(), &COMMANDS),
        );
        let extended = 16 * u32::from(self.word(12));
        add(
            12,
            2,
            "extended parameter page",
            format!("{extended} bytes"),
        );
        let copies = match self.byte(14) {
            0 => "not stated".to_owned(),
            copies => copies.to_string(),
        };
        add(14, 1, "parameter pages", copies);
        add(32, 12, "manufacturer", self.text(32, 12));
        add(44, 20, "model", self.text(44, 20));
        add(
            64,
            1,
            "JEDEC manufacturer id",
            format!("{:02X}h", self.byte(64)),
        );
        let date = match self.word(65) {
            0 => "not stated".to_owned(),
            _ => "year and week, as the maker codes them".to_owned(),
        };
        add(65, 2, "date code", date);
    }

    fn organisation(&self, geometry: &OnfiGeometry, fields: &mut Vec<Field>) {
        let bytes = |count: u32| ByteCount::from_bytes(count.into()).to_string();
        let cycles = |at| match self.endurance(at) {
            Some(cycles) => format!("program and erase: {}", Cycles::from_count(cycles)),
            None => "not stated".to_owned(),
        };
        let mut add = |at, length, name: &str, meaning: String| {
            fields.push(self.field(at, length, name, meaning));
        };
        add(80, 4, "data bytes per page", bytes(geometry.page));
        add(84, 2, "spare bytes per page", bytes(self.word(84).into()));
        add(
            86,
            4,
            "data bytes per partial page (obsolete)",
            bytes(self.long(86)),
        );
        add(
            90,
            2,
            "spare bytes per partial page (obsolete)",
            bytes(self.word(90).into()),
        );
        add(
            92,
            4,
            "pages per block",
            geometry.pages_per_block.to_string(),
        );
        add(96, 4, "blocks per LUN", geometry.blocks_per_lun.to_string());
        let size = ByteCount::from_bytes(geometry.bytes);
        add(100, 1, "LUNs", format!("{}, {size} in all", geometry.luns));
        let [column, row] = [self.byte(101) >> 4, self.byte(101) & 15];
        add(
            101,
            1,
            "address cycles",
            format!("{column} of column, {row} of row"),
        );
        let bits = match self.byte(102) {
            0xFF => "not stated".to_owned(),
            bits => bits.to_string(),
        };
        add(102, 1, "bits per cell", bits);
        add(
            103,
            2,
            "bad blocks per LUN",
            format!("max {}", self.word(103)),
        );
        add(105, 2, "block endurance", cycles(105));
        let valid = self.byte(107);
        add(
            107,
            1,
            "guaranteed valid blocks",
            format!("the first {valid}"),
        );
        add(108, 2, "endurance of guaranteed valid blocks", cycles(108));
        add(
            110,
            1,
            "programs per page (NOP)",
            self.byte(110).to_string(),
        );
        add(112, 1, "ECC", self.ecc());
        let plane_bits = self.byte(113) & 15;
        let planes = format!("{plane_bits} address bits, {} planes", 1_u32 << plane_bits);
        add(113, 1, "planes", planes);
        let operations = set_bits(self.byte(114).into(), &PLANE_OPERATIONS);
        add(114, 1, "multi-plane operations", operations);
    }

    fn ecc(&self) -> String {
        match self.byte(112) {
            0 => "none needed by the host".to_owned(),
            0xFF => "stated in the extended parameter page, which is not decoded".to_owned(),
            bits => format!("{bits} bits in 512 bytes of data and their spare"),
        }
    }

    fn electrical(&self, fields: &mut Vec<Field>) {
        let modes = |bits: u32| match bits {
            0 => "not supported".to_owned(),
            bits => format!("modes {}", set_bits(bits, &MODES)),
        };
        let tenths = |at| match self.word(at) {
            0 => "not stated".to_owned(),
            value => format!("typ {}.{} pF", value / 10, value % 10),
        };
        let mut add = |at, length, name: &str, meaning: String| {
            fields.push(self.field(at, length, name, meaning));
        };
        add(
            128,
            1,
            "I/O pin capacitance",
            format!("max {} pF", self.byte(128)),
        );
        add(129, 2, "SDR timing modes", modes(self.word(129).into()));
        add(
            131,
            2,
            "program cache timing modes (obsolete)",
            modes(self.word(131).into()),
        );
        for (at, name, limit, _) in TIMES {
            let time = self.time(at).map(|time| format!("{limit} {time}"));
            add(at, 2, name, time.unwrap_or_else(|| "not stated".to_owned()));
        }
        add(141, 1, "NV-DDR timing modes", modes(self.byte(141).into()));
        add(142, 1, "NV-DDR2 timing modes", modes(self.byte(142).into()));
        add(144, 2, "CLK pin capacitance", tenths(144));
        add(146, 2, "I/O pin capacitance, typical", tenths(146));
        add(148, 2, "input pin capacitance", tenths(148));
        add(
            150,
            1,
            "input pin capacitance, maximum",
            match self.byte(150) {
                0 => "not stated".to_owned(),
                value => format!("max {value} pF"),
            },
        );
        add(
            164,
            2,
            "vendor revision",
            format!("{:04X}h", self.word(164)),
        );
        add(CRC_AT, 2, "CRC", "right".to_owned());
    }

    /// A time of the page; 0 says that it is not stated.
    fn time(&self, at: usize) -> Option<Time> {
        let (_, _, _, unit) = TIMES.into_iter().find(|(found, ..)| *found == at)?;
        let count = u64::from(self.word(at));
        (count > 0).then(|| Time::from_ps(count * unit))
    }

    /// The table of the model.
    fn model(&self, geometry: &OnfiGeometry) -> DraftTable {
        let source = |at, length| format!("ONFI parameter page, {}", place(at, length));
        let size = |bytes: u64| [("typ", ByteCount::from_bytes(bytes).to_string())];
        let mut table = DraftTable::new("nand");
        table.figure("page_bytes", &size(geometry.page.into()), &source(80, 4));
        let spare = size(self.word(84).into());
        table.figure("spare_bytes", &spare, &source(84, 2));
        let luns = u64::from(geometry.luns);
        for (at, length, key, value) in [
            (92, 4, "pages_per_block", geometry.pages_per_block.into()),
            (96, 5, "blocks", luns * u64::from(geometry.blocks_per_lun)),
            (113, 1, "planes", 1 << (self.byte(113) & 15)),
            (103, 2, "bad_blocks_max", luns * u64::from(self.word(103))),
            (107, 1, "good_blocks_first", self.byte(107).into()),
            (110, 1, "programs_per_page", self.byte(110).into()),
        ] {
            table.number(key, value, &source(at, length));
        }
        // 0 says that the host needs none, FFh that the extended page states it.
        let ecc = self.byte(112);
        if !matches!(ecc, 0 | 0xFF) {
            table.number("host_ecc_bits", ecc.into(), &source(112, 1));
        }
        if let Some(cycles) = self.endurance(105) {
            let cycles = Cycles::from_count(cycles).to_string();
            table.figure("endurance", &[("min", cycles)], &source(105, 2));
        }
        for (at, key) in [
            (137, "page_read"),
            (133, "page_program"),
            (135, "block_erase"),
        ] {
            if let Some(time) = self.time(at) {
                table.figure(key, &[("max", time.to_string())], &source(at, 2));
            }
        }
        table
    }

    /// The interface of a chip on an asynchronous bus: times of its fastest mode, and the commands that
    /// every such chip has. A chip that lists no mode is on another bus.
    fn parallel(&self) -> Option<DraftTable> {
        let modes = usize::from(self.byte(129));
        let (mode, times) = SDR
            .iter()
            .enumerate()
            .rev()
            .find(|(mode, _)| modes >> mode & 1 == 1)?;
        let source = format!("ONFI 1.0, table of timing mode {mode}, which is in bytes 129-130");
        let mut table = DraftTable::new("nand.parallel");
        let width = if self.word(6) & 1 == 1 { 16 } else { 8 };
        table.number("width_bits", width, "ONFI parameter page, bytes 6-7");
        let keys = [
            ("read_cycle", "min"),
            ("write_cycle", "min"),
            ("read_access", "max"),
            ("write_pulse", "min"),
        ];
        for ((key, column), ns) in keys.into_iter().zip(times) {
            let time = Time::from_ps(ns * 1000).to_string();
            table.figure(key, &[(column, time)], &source);
        }
        let (column, row) = (self.byte(101) >> 4, self.byte(101) & 15);
        let page = 2 + column + row;
        let rows = [
            (0x30, "Read Page", "page-read", page),
            (0xE0, "Change Read Column", "read", 2 + column),
            (0x80, "Program Page, load", "write", 1 + column + row),
            (0x10, "Program Page, confirm", "execute", 1),
            (0xD0, "Erase Block", "erase", 2 + row),
            (0x70, "Read Status", "status", 1),
        ];
        let source = "ONFI 1.0, command set; address cycles in byte 101";
        let rows = rows.map(|(code, name, action, cycles): (u32, _, _, u8)| {
            let row = vec![
                ("code", format!("{code:#04x}")),
                ("name", quoted(name)),
                ("action", quoted(action)),
                ("cycles", cycles.to_string()),
            ];
            row.into_iter().chain(Said::Maker(source).keys()).collect()
        });
        table.lists.push(DraftList {
            key: "command",
            rows: rows.into(),
        });
        Some(table)
    }
}

/// Times of the asynchronous timing modes 0 to 5 in nanoseconds: tRC, tWC, tREA and tWP (ONFI 1.0,
/// section 4.2.3).
const SDR: [[u64; 4]; 6] = [
    [100, 100, 40, 50],
    [50, 45, 30, 25],
    [35, 35, 25, 17],
    [30, 30, 20, 15],
    [25, 25, 20, 12],
    [20, 20, 16, 10],
];

/// Times of the page: first byte, name, which limit it is, and its unit in picoseconds.
const TIMES: [(usize, &str, &str, u64); 4] = [
    (133, "tPROG", "max", 1_000_000),
    (135, "tBERS", "max", 1_000_000),
    (137, "tR", "max", 1_000_000),
    (139, "tCCS", "min", 1_000),
];

fn place(at: usize, length: usize) -> String {
    if length == 1 {
        format!("byte {at}")
    } else {
        format!("bytes {at}-{}", at + length - 1)
    }
}
