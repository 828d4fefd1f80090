use std::fs;

use proptest::prelude::*;
use wordline_core::Basis;

use super::*;

fn embedded_text(id: &str) -> &'static str {
    let end = format!("/{id}.toml");
    let found = EMBEDDED.iter().find(|(file, _)| file.ends_with(&end));
    found.expect("embedded").1
}

/// The messages of a sheet with one change.
fn errors_of(id: &str, from: &str, to: &str) -> Vec<SheetError> {
    let text = embedded_text(id);
    assert!(text.contains(from), "{from}");
    match parse("user.toml", &text.replacen(from, to, 1)) {
        Ok(_) => Vec::new(),
        Err(errors) => errors,
    }
}

#[test]
fn every_embedded_sheet_loads_and_its_file_is_named_after_it() {
    assert_eq!(Catalog::check_embedded(), []);
    let catalog = Catalog::load(&[]).expect("no folder");
    let headers: Vec<_> = catalog.headers().map(|(_, header)| header).collect();
    assert_eq!(headers.len(), EMBEDDED.len());
    for header in headers {
        assert!(
            header.file.ends_with(&format!("/{}.toml", header.id)),
            "{}",
            header.file
        );
        assert!(!header.description.is_empty());
    }
}

#[test]
fn every_figure_has_a_value_and_a_source() {
    let catalog = Catalog::load(&[]).expect("sound");
    for part in catalog.parts() {
        assert!(part.figures.len() > 5, "{}", part.header.id);
        for figure in &part.figures {
            assert!(
                !figure.value.is_empty() && !figure.source.is_empty(),
                "{figure:?}"
            );
        }
    }
    let part = catalog.part("em064lx").expect("embedded");
    let write = part
        .figures
        .iter()
        .find(|figure| figure.figure == "mram.active[write str 133 MHz].current");
    let write = write.expect("the current of a write");
    assert_eq!(write.value, "typ 59 mA, max 78 mA");
    assert_eq!(write.basis, Basis::Datasheet);
    let opcode = part
        .figures
        .iter()
        .find(|figure| figure.figure == "mram.opcode[0x38 1S-4S-4S]");
    assert!(opcode.is_some_and(|opcode| opcode.value.contains("mode 1S-4S-4S")));
}

#[test]
fn the_driver_constant_is_marked_as_calibrated() {
    let catalog = Catalog::load(&[]).expect("sound");
    let board = catalog.board("stm32h755-qspi").expect("embedded");
    let setup = board
        .figures
        .iter()
        .find(|figure| figure.figure == "driver.dma_setup");
    assert_eq!(setup.map(|figure| figure.basis), Some(Basis::Calibrated));
}

/// Each mistake in a sheet: what is changed, the words of the message, the text it points at.
#[test]
fn mistakes_are_named_with_line_value_and_allowed_values() {
    let cases = [
        (
            "wake_up",
            "wakeup",
            "unknown field `wakeup`, expected one of",
            "wakeup",
        ),
        (
            "\"350 us\"",
            "\"3 MHz\"",
            "\"3 MHz\" is not a time: unknown unit \"MHz\"",
            "\"3 MHz\"",
        ),
        (
            "\"350 us\"",
            "350",
            "expected a time as text with its unit, such as \"1.5 us\"",
            "350",
        ),
        (
            ", source = \"v3.2, table 20\"",
            "",
            "the source is missing",
            "{ typ = \"8 MiB\" }",
        ),
        (
            "\"read\"",
            "\"raed\"",
            "unknown variant `raed`, expected one of `read`, `write`, `write-more`, `write-enable`",
            "\"raed\"",
        ),
        (
            "\"1S-1S-1S\"",
            "\"1-1-1\"",
            "\"1-1-1\" is no bus mode",
            "\"1-1-1\"",
        ),
        (
            "typ = \"50 mA\", max = \"64 mA\"",
            "typ = \"70 mA\", max = \"64 mA\"",
            "mram.active.0.current: typ 70 mA is above max 64 mA",
            "{ typ = \"70 mA\"",
        ),
        (
            "{ typ = \"8 MiB\",",
            "{ typ = \"8 MiB\", range = [\"1 KiB\", \"1 GiB\"],",
            "mram.capacity: no result makes use of a range of this figure",
            "{ typ = \"8 MiB\"",
        ),
        (
            "manufacturer",
            "manufcturer",
            "unknown field `manufcturer`",
            "manufcturer",
        ),
        (
            "\"em064lx\"",
            "\"EM064 LX\"",
            "allowed: 1 to 64 lower-case letters",
            "\"EM064 LX\"",
        ),
        (
            "part = \"em064lx\"",
            "pert = \"em064lx\"",
            "a sheet begins with exactly one of part",
            "",
        ),
        (
            "address_bytes = 3",
            "address_bytes = 300",
            "invalid value: integer `300`",
            "300",
        ),
        (
            "address_bytes = 3",
            "address_bytes = 2",
            "mram.opcode.0.address_bytes: 2 bytes do not reach 8 MiB",
            "2",
        ),
    ];
    for (from, to, words, place) in cases {
        let errors = errors_of("em064lx", from, to);
        let error = errors.first().unwrap_or_else(|| panic!("{to} passes"));
        assert!(error.message.contains(words), "{to}: {}", error.message);
        let pointed = &error.text[error.span.clone()];
        assert!(pointed.starts_with(place), "{to}: points at {pointed:?}");
        assert!(error.to_string().starts_with("user.toml:"), "{error}");
    }
}

#[test]
fn a_board_without_a_source_or_with_a_misspelt_key_is_refused() {
    let errors = errors_of("stm32h755-qspi", "dma_setup", "dma_set_up");
    assert!(
        errors[0].message.contains("unknown field `dma_set_up`"),
        "{}",
        errors[0]
    );
    let line = errors[0]
        .text
        .lines()
        .position(|line| line.starts_with("dma_set_up"));
    assert_eq!(errors[0].line(), line.map_or(0, |line| line + 1));
    let errors = errors_of("stm32h755-qspi", "typ = \"240 MHz\"", "typ = \"0 Hz\"");
    assert!(
        errors[0]
            .message
            .contains("core_clock: the figure must be above zero")
    );
}

#[test]
fn a_user_folder_adds_parts_and_repeats_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = embedded_text("em064lx").replacen("\"em064lx\"", "\"mine\"", 1);
    fs::write(folder.path().join("mine.toml"), &own).expect("writable");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("sound");
    assert!(catalog.target("mine@stm32h755-qspi").is_ok());

    fs::write(folder.path().join("twice.toml"), &own).expect("writable");
    let error = Catalog::load(&[folder.path().to_owned()])
        .expect_err("twice")
        .to_string();
    assert!(
        error.contains("twice.toml:2: \"mine\" exists already, in"),
        "{error}"
    );
}

#[test]
fn folders_that_are_no_catalogue_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let load = || {
        Catalog::load(&[folder.path().to_owned()])
            .expect_err("no catalogue")
            .to_string()
    };
    assert!(load().contains("no file here ends in .toml"));
    fs::write(folder.path().join("binary.toml"), [0x7f, b'E', 0xff, 0]).expect("writable");
    assert!(
        load().contains("binary.toml:1: not a text file: byte 2 is no UTF-8"),
        "{}",
        load()
    );
    fs::write(folder.path().join("binary.toml"), vec![b'#'; (1 << 20) + 1]).expect("writable");
    assert!(load().contains("larger than 1 MiB"));
    fs::remove_dir_all(folder.path()).expect("removable");
    assert!(load().contains("cannot be read"));
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let catalog = Catalog::load(&[]).expect("sound");
    let message = |target: &str| catalog.target(target).expect_err(target).to_string();
    let all = "(wordline part list names all)";
    for (target, start) in [
        ("em064l", "unknown part \"em064l\"; did you mean em064lx?"),
        (
            "em064lx@stm32h755-qpsi",
            "unknown board \"stm32h755-qpsi\"; did you mean stm32h755-qspi?",
        ),
        (
            "rdimm-6400-2rx4-129g@xeon6-1s",
            "unknown module \"rdimm-6400-2rx4-129g\"; did you mean rdimm-6400-2rx4-128g?",
        ),
        (
            "rdimm-6400-2rx4-129g",
            "unknown module \"rdimm-6400-2rx4-129g\"; did you mean rdimm-6400-2rx4-128g?",
        ),
        (
            "rdimm-6400-2rx4-128g@xeon6-3s",
            "unknown system \"xeon6-3s\"; did you mean xeon6-1s or xeon6-2s?",
        ),
    ] {
        assert_eq!(message(target), format!("{start} {all}"));
    }
    assert_eq!(
        message("em064lx@nowhere"),
        "unknown board \"nowhere\"; wordline part list names all"
    );
    assert_eq!(
        message(""),
        "unknown part \"\"; wordline part list names all"
    );
    assert!(message("ram@fpga-stddr4").contains("allowed: rpi3-sd, stm32h743-fmc16"));
}

#[test]
fn a_target_is_one_of_seven_kinds_and_repeats_itself_in_full() {
    let catalog = Catalog::load(&[]).expect("sound");
    for (text, name, capabilities) in [
        (
            "em064lx",
            "em064lx@stm32h755-qspi",
            &[Capability::Bytes, Capability::Timing][..],
        ),
        (
            " mt29f1g01@stm32h755-qspi ",
            "mt29f1g01@stm32h755-qspi",
            &[Capability::Flash, Capability::Timing],
        ),
        (
            "swissbit-g4000-4g",
            "swissbit-g4000-4g@stm32h743-sdmmc",
            &[Capability::Blocks, Capability::Timing],
        ),
        ("2*mt25ql128", "2*mt25ql128@stm32h755-qspi", &[]),
        (
            "rdimm-6400-2rx4-128g@xeon6-1s",
            "rdimm-6400-2rx4-128g@xeon6-1s",
            &[Capability::Requests],
        ),
        ("ram", "ram@rpi3-sd", &[Capability::Bytes]),
        ("ram@host", "ram@host", &[Capability::Bytes]),
        ("file: a@b ", "file: a@b ", &[Capability::Bytes]),
        ("mtd:/dev/mtd0", "mtd:/dev/mtd0", &[Capability::Flash]),
    ] {
        let target = catalog.target(text).expect(text);
        assert_eq!(target.name(), name);
        assert_eq!(target.capabilities(), capabilities, "{text}");
        assert_eq!(catalog.target(name).expect(name).name(), name);
    }
}

#[test]
fn a_target_that_lacks_a_capability_is_answered_with_those_that_have_it() {
    let catalog = Catalog::load(&[]).expect("sound");
    let part = |text: &str| catalog.part_on_board(text).expect_err(text).to_string();
    for (text, kind) in [
        ("ram@host", "RAM of this host"),
        ("ram", "RAM of a board"),
        ("file:/tmp/x", "a file of this host"),
        ("mtd:/dev/mtd0", "raw flash of this host"),
        ("2*mt25ql128", "two chips in turn"),
        ("rdimm-6400-2rx4-128g@xeon6-1s", "a memory module"),
    ] {
        let message = part(text);
        assert!(message.contains(kind), "{message}");
        let words = "lacks reads and writes in simulated time; allowed: PART@BOARD";
        assert!(message.contains(words), "{message}");
    }
    for part in ["em064lx", "em064lx@stm32h755-qspi"] {
        assert_eq!(
            catalog.module_in_system(part).expect_err(part).to_string(),
            "\"em064lx@stm32h755-qspi\" is a memory on a board and lacks the requests of cores; \
             allowed: MODULE@SYSTEM (wordline raw takes this one)"
        );
    }
}

#[test]
fn a_default_board_must_exist_and_fit() {
    let catalog = Catalog::load(&[]).expect("sound");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let check = |from: &str, to: &str| {
        let file = folder.path().join("edited.toml");
        let own = embedded_text("em064lx").replacen("\"em064lx\"", "\"edited\"", 1);
        fs::write(&file, own.replacen(from, to, 1)).expect("writable");
        catalog.check(&[file]).expect("readable").errors
    };
    assert_eq!(check("", ""), []);
    let errors = check("\"edited\"", "\"em064lx\"");
    assert!(
        errors[0].message.contains("exists already"),
        "{}",
        errors[0]
    );
    let errors = check(
        "default_board = \"stm32h755-qspi\"",
        "default_board = \"none\"",
    );
    assert!(
        errors[0]
            .message
            .contains("default_board: unknown board \"none\"")
    );
    assert_eq!(&errors[0].text[errors[0].span.clone()], "\"none\"");
    let errors = check(
        "min = \"1.65 V\", typ = \"1.8 V\", max = \"2 V\"",
        "min = \"2.7 V\", max = \"3.0 V\"",
    );
    assert!(
        errors[0].message.contains("default_board: no rail fits"),
        "{}",
        errors[0]
    );
}

/// A checkout's own sheets are no duplicates of the embedded ones, however the files are named.
#[test]
fn the_projects_own_sheets_pass_their_check() {
    let catalog = Catalog::load(&[]).expect("sound");
    let parts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("parts");
    let one = parts.join("mram/em064lx.toml");
    let again = parts.join("mram/../mram/em064lx.toml");
    let checked = catalog.check(&[parts, one, again]).expect("readable");
    assert_eq!(checked.errors, []);
    assert_eq!(checked.sheets, EMBEDDED.len());
}

/// Damages that are drawn, each for a third of all sheets: `make nightly` sets more.
fn damages() -> u32 {
    let asked = std::env::var("WORDLINE_DAMAGES");
    asked.map_or(30, |damages| damages.parse().expect("a number"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(damages()))]

    /// Sheets with a piece left out or another put in are refused or load; they never panic.
    #[test]
    fn damaged_sheets_never_panic(
        cut in 0usize..6000, insert in "[\\x00-\\x7fäé]{0,12}", drop in 0usize..40, third in 0usize..3,
    ) {
        for (file, text) in EMBEDDED.iter().skip(third).step_by(3) {
            let at = boundary(text, cut);
            let rest = text.get(at + drop..).unwrap_or("");
            if let Err(errors) = parse(file, &format!("{}{insert}{rest}", &text[..at])) {
                for error in errors {
                    let _ = error.to_string();
                    prop_assert!(error.span.start <= error.text.len());
                }
            }
        }
    }

    #[test]
    fn truncated_sheets_never_panic(cut in 0usize..6000, third in 0usize..3) {
        for (file, text) in EMBEDDED.iter().skip(third).step_by(3) {
            let _ = parse(file, &text[..boundary(text, cut)]);
        }
    }
}

/// The last boundary of characters up to a place.
fn boundary(text: &str, place: usize) -> usize {
    let mut places = (0..=place.min(text.len())).rev();
    places.find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
