//! What is wrong with a sheet of DRAM is named with its place, and no figure, however extreme, breaks anything.

use std::ops::Range;
use std::path::PathBuf;

use wordline_catalog::{Catalog, EMBEDDED, Sheet, SheetError, parse};
use wordline_core::quantity::{
    ByteCount, Current, EnergyPerByte, Fraction, Frequency, Power, Quantity, Time, Voltage,
};
use wordline_dram::sheet::{Settings, connect};

fn text(id: &str) -> &'static str {
    let end = format!("/{id}.toml");
    let found = EMBEDDED.iter().find(|(file, _)| file.ends_with(&end));
    found.expect("an embedded sheet").1
}

fn faults(id: &str, from: &str, to: &str) -> Vec<SheetError> {
    let text = text(id);
    assert!(text.contains(from), "{id} has no {from}");
    match parse("user.toml", &text.replacen(from, to, 1)) {
        Ok(_) => Vec::new(),
        Err(errors) => errors,
    }
}

/// The line that holds a key.
fn line<'a>(text: &'a str, key: &str) -> &'a str {
    let found = text.lines().find(|line| line.starts_with(key));
    found.unwrap_or_else(|| panic!("no {key}"))
}

#[test]
fn faults_of_one_sheet_are_named_with_their_place() {
    let tras = format!("{}\n", line(text("ddr5-16gb"), "tras"));
    let pair = "[dimm.pair]";
    let cases = [
        (
            "ddr5-16gb",
            tras.as_str(),
            "",
            "missing field `tras`",
            "[dram.rules]",
        ),
        (
            "ddr5-16gb",
            "nck = 12, ns = \"7.5 ns\", ",
            "",
            "a rule needs nck",
            "{ basis",
        ),
        (
            "ddr5-16gb",
            "ns = \"7.5 ns\"",
            "ns = \"7.5 V\"",
            "\"7.5 V\" is not a time",
            "\"7.5 V\"",
        ),
        (
            "ddr5-16gb",
            "value = 65536",
            "value = 65535",
            "dram.organization.0.rows: 32 banks of 65535 rows",
            "{ value",
        ),
        (
            "ddr5-16gb",
            "\"3.9 us\"",
            "\"500 ns\"",
            "dram.rules.trefi: allowed: more than twice",
            "{ typ",
        ),
        (
            "ddr5-16gb",
            "max = \"530 mA\"",
            "max = \"130 mA\"",
            "dram.currents.0.idd4r: 130 mA is below",
            "{ max",
        ),
        (
            "ddr5-16gb",
            "value = \"DDR5\"",
            "value = \"DDR6\"",
            "unknown variant `DDR6`",
            "\"DDR6\"",
        ),
        (
            "mrdimm-8800-2rx4-64g",
            "value = 4400",
            "value = 4800",
            "dimm.dram_rate_mts: impossible clock ratio: the host runs at 8800 MT/s, the DRAM at 4800 MT/s; allowed: half of the host's",
            "{ value",
        ),
        (
            "rdimm-6400-2rx4-64g",
            "dram_rate_mts = { value = 6400",
            "dram_rate_mts = { value = 3200",
            "impossible clock ratio",
            "{ value",
        ),
        (
            "mrdimm-8800-2rx4-64g",
            "ranks = { value = 2",
            "ranks = { value = 3",
            "dimm.ranks: an MRDIMM joins ranks in pairs",
            "{ value",
        ),
        (
            "mrdimm-8800-2rx4-64g",
            "\"interleaved\"",
            "\"both\"",
            "\"both\" is not allowed; allowed: interleaved, sequential",
            "",
        ),
        (
            "mrdimm-8800-2rx4-64g",
            "value = \"mrdimm\"",
            "value = \"rdimm\"",
            "dimm.pair: only an MRDIMM joins ranks",
            pair,
        ),
        (
            "xeon6-1s",
            "page_policy = { value = \"open\"",
            "page_policy = { value = \"ajar\"",
            "allowed: open, closed, or timeout",
            "",
        ),
        (
            "xeon6-1s",
            "drain_high = { value = 48",
            "drain_high = { value = 8",
            "host.controller.drain_high: 8 must lie above",
            "{ value",
        ),
        (
            "xeon6-1s",
            "misses = { value = 26",
            "misses = { value = 0",
            "\"0\" is not allowed; allowed: a whole number from 1",
            "",
        ),
        (
            "xeon6-1s",
            "hash = { value = \"on\"",
            "hash = { value = \"fold bank grup\"",
            "rule \"fold bank grup\": unknown field \"grup\"; allowed: channel",
            "",
        ),
        (
            "xeon6-1s",
            "hash = { value",
            "hush = { value",
            "unknown field `hush`",
            "hush",
        ),
    ];
    for (id, from, to, words, place) in cases {
        let errors = faults(id, from, to);
        let error = errors.iter().find(|error| error.message.contains(words));
        let error = error.unwrap_or_else(|| panic!("{id}, {to}: {errors:?}"));
        let pointed = &error.text[error.span.clone()];
        assert!(
            pointed.starts_with(place),
            "{id}, {to}: points at {pointed:?}"
        );
        assert!(error.line() > 1);
    }
}

/// A module in a user's folder, changed, is checked against its dies.
#[test]
fn faults_between_a_module_and_its_dies_are_named_with_their_place() {
    let cases = [
        (
            "die = \"ddr5-16gb\"",
            "die = \"ddr5-17gb\"",
            "dimm.die: unknown die \"ddr5-17gb\"; did you mean ddr5-16gb?",
        ),
        (
            "\"64 GiB\"",
            "\"96 GiB\"",
            "dimm.capacity: 32 dies of 2 GiB without those for error correction",
        ),
        (
            "speed_bin = { value = \"B\"",
            "speed_bin = { value = \"C\"",
            "dimm.speed_bin: the die has no bin at 4400 MT/s named \"C\"; allowed: A at 4000 MT/s",
        ),
        (
            "idd_set = { value = \"a\"",
            "idd_set = { value = \"c\"",
            "dimm.idd_set: the die has no set of currents named \"c\"; allowed: a, b",
        ),
        (
            "width_bits = { value = 4",
            "width_bits = { value = 16",
            "dimm.width_bits:",
        ),
        (
            "data_bits = { value = 32",
            "data_bits = { value = 64",
            "dimm.data_bits: a burst carries 1024 bits",
        ),
    ];
    let catalog = Catalog::load(&[]).expect("sound");
    for (from, to, words) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let text =
            text("mrdimm-8800-2rx4-64g").replacen("module = \"mrdimm-8800", "module = \"my", 1);
        assert!(text.contains(from));
        let file = folder.path().join("my.toml");
        std::fs::write(&file, text.replacen(from, to, 1)).expect("written");
        let checked = catalog
            .check(std::slice::from_ref(&file))
            .expect("readable");
        let found = checked
            .errors
            .iter()
            .find(|error| error.message.contains(words));
        let found = found.unwrap_or_else(|| panic!("{to}: {:?}", checked.errors));
        assert!(
            found.line() > 5 && found.file.ends_with("my.toml"),
            "{found}"
        );
        assert!(Catalog::load(&[folder.path().to_owned()]).is_err());
    }
    // A rate at which the dies have no bin.
    let faster = text("mrdimm-8800-2rx4-64g")
        .replacen("module = \"mrdimm-8800", "module = \"my", 1)
        .replacen("value = 8800", "value = 9200", 1)
        .replacen("value = 4400", "value = 4600", 1);
    let errors = in_folder(&[("my.toml", &faster)]).expect_err("4600 MT/s");
    assert!(
        errors.contains("dimm.speed_bin: the die has no bin at 4600 MT/s named \"B\""),
        "{errors}"
    );
}

/// Own dies may lie beside own modules, and stacks need the rules of stacks.
#[test]
fn a_users_die_serves_a_users_module() {
    let module = text("rdimm-6400-3ds-2rx4-256g")
        .replacen("module = \"rdimm-6400-3ds", "module = \"my", 1)
        .replacen("die = \"ddr5-32gb\"", "die = \"my-die\"", 1);
    let die = text("ddr5-32gb").replacen("die = \"ddr5-32gb\"", "die = \"my-die\"", 1);
    let catalog =
        in_folder(&[("my-module.toml", &module), ("my-die.toml", &die)]).expect("both are sound");
    assert!(catalog.module_in_system("my-2rx4-256g@xeon6-1s").is_ok());
    let stack = die.find("[dram.rules.stack]").expect("there");
    let end = die.find("# A maker's").expect("there");
    let flat = format!("{}{}", &die[..stack], &die[end..]);
    let errors =
        in_folder(&[("my-module.toml", &module), ("my-die.toml", &flat)]).expect_err("no stack");
    assert!(
        errors.contains("dimm.slices: die my-die has no [dram.rules.stack]"),
        "{errors}"
    );
}

/// IPP0 may be stated; without it an activation takes of VPP what rest does.
#[test]
fn a_set_may_state_ipp0() {
    let rest = line(text("ddr5-16gb"), "ipp ");
    let with = |current: &str| {
        let own = rest
            .replacen("ipp ", "ipp0 ", 1)
            .replacen("3 mA", current, 1);
        let text = text("ddr5-16gb").replacen(rest, &format!("{rest}\n{own}"), 1);
        let Ok(Sheet::Die(die)) = parse("ddr5-16gb.toml", &text) else {
            return None;
        };
        let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
        let target = catalog.module_in_system("rdimm-6400-2rx4-64g@xeon6-1s");
        let target = target.expect("it exists");
        let (module, system) = (&target.module.sheet, &target.system.sheet);
        let connected = connect(module, &die.sheet, system, &Settings::new()).expect("it connects");
        let vpp = &connected.currents[0].1.vpp;
        Some((vpp.i0, vpp.i2n))
    };
    assert_eq!(with("8 mA"), Some((0.008, 0.003)));
    assert_eq!(with("2 mA"), None, "below rest");
}

fn in_folder(sheets: &[(&str, &str)]) -> Result<Catalog, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in sheets {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let folder: PathBuf = folder.path().to_owned();
    Catalog::load(std::slice::from_ref(&folder)).map_err(|error| error.to_string())
}

/// Each figure of a die, a module and a system in turn is set to the ends of what can be written: it is refused with a
/// place, or the three connect or are refused by name.
#[test]
fn figures_at_their_extremes_are_refused_or_connect() {
    for ids in [
        ["ddr5-16gb", "mrdimm-8800-4rx4-128g", "xeon6-1s"],
        ["ddr4-8gb", "ddr4-3200-2rx8-16g", "bench-1ch"],
    ] {
        let texts = ids.map(text);
        let most = "18446744073709551615";
        extremes::<Time>(texts, &["0 ps", "1 ps", &format!("{most} ps")]);
        extremes::<Frequency>(texts, &["0 Hz", "1 Hz", &format!("{most} Hz")]);
        extremes::<ByteCount>(texts, &["0 B", "1 B", "4096 B", &format!("{most} B")]);
        extremes::<Current>(texts, &["0 A", "5e-324 A", "1.7976931348623157e308 A"]);
        extremes::<Voltage>(texts, &["0 V", "5e-324 V", "1.7976931348623157e308 V"]);
        extremes::<Power>(texts, &["0 W", "1.7976931348623157e308 W"]);
        extremes::<EnergyPerByte>(texts, &["0 J/B", "1.7976931348623157e308 J/B"]);
        extremes::<Fraction>(texts, &["0 %", "5e-324 %", "1.7976931348623157e308 %"]);
        for (index, text) in texts.into_iter().enumerate() {
            for (at, _) in text.match_indices("value = ") {
                let start = at + "value = ".len();
                let end = start
                    + text[start..]
                        .find(|c: char| !c.is_ascii_digit())
                        .unwrap_or(0);
                for value in ["0", "1", "255", "4294967295", "4294967296"] {
                    if end > start {
                        tried(texts, index, &replaced(text, &(start..end), value));
                    }
                }
            }
        }
    }
}

fn extremes<Q: Quantity>(texts: [&str; 3], values: &[&str]) {
    for (index, text) in texts.into_iter().enumerate() {
        let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
        let quoted = quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
        for place in quoted.filter(|place| text[place.clone()].parse::<Q>().is_ok()) {
            for value in values {
                tried(texts, index, &replaced(text, &place, value));
            }
        }
    }
}

fn replaced(text: &str, place: &Range<usize>, with: &str) -> String {
    let mut out = text.to_owned();
    out.replace_range(place.clone(), with);
    out
}

fn tried(texts: [&str; 3], index: usize, changed: &str) {
    let mut texts = texts;
    texts[index] = changed;
    let mut sheets = Vec::new();
    for text in texts {
        match parse("sheet.toml", text) {
            Ok(sheet) => sheets.push(sheet),
            Err(errors) => {
                assert!(
                    errors
                        .iter()
                        .all(|error| error.span.end <= error.text.len())
                );
                return;
            }
        }
    }
    let [
        Sheet::Die(die),
        Sheet::Module(module),
        Sheet::System(system),
    ] = &sheets[..]
    else {
        unreachable!("in this order");
    };
    match connect(&module.sheet, &die.sheet, &system.sheet, &Settings::new()) {
        Ok(connected) => {
            let lines = connected
                .config
                .mapping
                .digits
                .iter()
                .map(|digit| u128::from(digit.radix));
            assert_eq!(
                lines.product::<u128>() * 64,
                u128::from(connected.config.bytes())
            );
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
