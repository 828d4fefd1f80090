//! `part import`: published dumps, in every format, and dumps that are refused.

use std::fs;
use std::path::Path;

use crate::cli::support::{FORMATS, Folder, Ran, command, wordline};

/// A dump of the fuzzing corpus.
fn dump(name: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/import");
    fs::read(corpus.join(name)).expect("the corpus is checked in")
}

/// Runs `part import` on a file of these bytes, with further arguments.
fn import(bytes: &[u8], arguments: &[&str]) -> Ran {
    let folder = Folder::new().with("dump", bytes);
    let file = folder.file("dump");
    wordline(&[&["part", "import", file.as_str()], arguments].concat())
}

#[test]
fn a_dump_is_listed_as_a_data_sheet() {
    for name in ["mt25qu01g.bin", "mt25qu01g.hex"] {
        let page = import(&dump(name), &[]).done();
        assert_eq!(page.stderr, "");
        for line in [
            "SFDP 1.6 (JESD216B): 128 MiB serial NOR flash",
            "0x34    BFPT DWORD 2              density",
            "opcode 6Bh, 1 mode clocks + 7 wait states = 8 dummy cycles",
            "typ 120 us, max 2.88 ms",
        ] {
            assert!(page.stdout.contains(line), "{line} in {}", page.stdout);
        }
    }
    let page = import(&dump("mt29f2g08abbea.bin"), &["--as", "onfi"]).done();
    for line in [
        "ONFI 1.0: MICRON MT29F2G08ABBEAHC, 256 MiB",
        "copy 1 of the page is used: its CRC is right",
        "bytes 133-134",
    ] {
        assert!(page.stdout.contains(line), "{line} in {}", page.stdout);
    }
}

#[test]
fn every_format_shows_every_field() {
    let bytes = dump("mx25uw6345g.bin");
    for format in FORMATS {
        let page = import(&bytes, &["--format", format]).done();
        assert!(page.stdout.contains("20 dummy cycles"), "{}", page.stdout);
        assert!(page.stdout.contains("xSPI Profile 1.0"), "{}", page.stdout);
        let said = [page.stdout.as_str(), &page.stderr].concat();
        assert!(
            said.contains("not in the dump") || said.contains("not_in_the_dump"),
            "{format}: {said}"
        );
    }
    let page = import(&bytes, &["--format", "json"]).done().json();
    assert_eq!(page["page"], "sfdp");
    let fields = page["fields"].as_array().expect("fields");
    let density = fields.iter().find(|field| field["field"] == "density");
    assert_eq!(density.expect("a density")["offset_bytes"], 0x44);
    let quiet = import(&bytes, &["--format", "csv", "--quiet"]).done();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn a_dump_comes_from_standard_input() {
    let mut command = command(&["part", "import", "-"]);
    let page = Ran::of(command.write_stdin(dump("mx25l3255e.txt"))).done();
    assert!(
        page.stdout.contains("4 MiB serial NOR flash"),
        "{}",
        page.stdout
    );
}

#[test]
fn the_sheet_states_what_the_page_states() {
    let nor = import(&dump("mt25qu01g.hex"), &["--sheet"]).done();
    for line in [
        "part = \"my-part\"\n",
        "\n[nor]\n",
        "\npage_program = { typ = \"120 us\", max = \"2.88 ms\", source = \"SFDP, basic table 1.6, 11th word\" }\n",
        "duration = { typ = \"160 ms\", max = \"1.6 s\", source = \"SFDP, basic table 1.6, 10th word\" }",
    ] {
        assert!(nor.stdout.contains(line), "{line} in {}", nor.stdout);
    }
    assert!(!nor.stdout.contains("clock = "), "{}", nor.stdout);
    assert!(
        nor.stderr.contains("not in the dump: endurance"),
        "{}",
        nor.stderr
    );
    let claimed = [
        "--sheet",
        "--part",
        "mt25qu01g",
        "--jedec-id",
        "20BB21",
        "--clock",
        "133MHz",
    ];
    let claimed = import(&dump("mt25qu01g.hex"), &claimed).done();
    for words in [
        "part = \"mt25qu01g\"\nname = \"MT25QU01G\"\nmanufacturer = \"Micron\"\nfamily = \"MT25Q\"\n",
        "JEDEC ID 20BB21",
        "clock = { max = \"133 MHz\", basis = \"published\", source = \"as stated by the user\" }",
    ] {
        assert!(
            claimed.stdout.contains(words),
            "{words} in {}",
            claimed.stdout
        );
    }
    let nand = import(&dump("mt29f2g08abbea.bin"), &["--sheet"]).done();
    for line in [
        "part = \"mt29f2g08abbeahc\"",
        "\n[nand]\n",
        "\nblock_erase = { max = \"3 ms\", source = \"ONFI parameter page, bytes 135-136\" }\n",
    ] {
        assert!(nand.stdout.contains(line), "{line} in {}", nand.stdout);
    }
    assert!(
        nand.stderr.contains("copy 1 of the page"),
        "{}",
        nand.stderr
    );
    import(&dump("mt25qu01g.hex"), &["--sheet", "--format", "json"]).refused(&["--format"]);
}

#[test]
fn a_page_of_another_chip_is_refused_with_every_reason() {
    let claims = ["--part", "w25q128jv", "--jedec-id", "EF4018"];
    import(&dump("mt25qu01g.hex"), &claims).refused(&[
        "byte 0x34: the capacity of the page is not the chip's: found 128 MiB; allowed: 16 MiB, by JEDEC ID EF4018",
        "16 MiB, by the name w25q128jv",
    ]);
    import(&dump("mt25qu01g.hex"), &["--jedec-id", "EF"]).refused(&["EF", "2 to 6 bytes"]);
    import(&dump("mt25qu01g.hex"), &["--supply", "3V"]).refused(&["--supply", "2.7V..3.6V"]);
    import(&dump("mt25qu01g.hex"), &["--part", "My Part"]).refused(&["--part", "lower-case"]);
    let page = import(&dump("is25lx256.hex"), &[]).done();
    let said = "byte 0x4A: fast read 4S-4S-4S is supported, and has no opcode";
    assert!(page.stdout.contains(said), "{}", page.stdout);
    let page = import(&dump("is25lx256.hex"), &["--format", "json"])
        .done()
        .json();
    assert_eq!(page["contradictions"][0]["offset_bytes"], 0x4A);
    assert!(page["not_in_the_dump"].as_array().expect("a list").len() > 8);
}

#[test]
fn a_page_is_held_against_a_sheet() {
    let bytes = dump("mx77l51250f.hex");
    let same = import(&bytes, &["--against", "mx77l51250f"]).done();
    assert_eq!(same.stdout, "page and sheet of mx77l51250f agree\n");
    let other = import(&bytes, &["--against", "mx25l25645g"]);
    assert_eq!(other.code, Some(1));
    for words in ["nor.capacity.typ", "64 MiB", "32 MiB"] {
        assert!(other.stdout.contains(words), "{words} in {}", other.stdout);
    }
    import(&bytes, &["--against", "mx77l5125"]).refused(&["mx77l5125", "mx77l51250f"]);
}

/// The catalogue's own dumps, as the guide has them.
#[test]
fn a_folder_makes_sheets_and_a_line_a_dump() {
    let dumps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/tests/data/sfdp");
    let file = |name: &str| dumps.join(name).display().to_string();
    let (folder, index, figures) = (file(""), file("INDEX.tsv"), file("FIGURES.tsv"));
    let output = Folder::new();
    let made = output.file("sheets");
    let batch = [
        "part",
        "import",
        "--batch",
        &folder,
        "--index",
        &index,
        "--figures",
        &figures,
    ];
    let batch = [&batch[..], &["--output", &made, "--format", "csv"]].concat();
    let run = wordline(&batch);
    // One of them is of another chip.
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 1 + 92, "{}", run.stdout);
    for words in [
        "w25q128jv.hex,made,w25q128jv,not stated,",
        "zd25q128c.hex,refused,,verified,\"byte 0x34: the capacity of the page is not the chip's",
        "w25q01nw-im.hex,made,w25q01nw-im,verified,the same bytes as w25h01nw-am.hex",
        "mx25r6435f-bfpt-2.hex,compared,mx25r6435f,not stated,\"nor.suspend.erase_progress.typ: 320 us, and 448 us",
    ] {
        assert!(run.stdout.contains(words), "{words} in {}", run.stdout);
    }
    let summary = "92 dumps: 83 sheets made, 8 compared with a sheet made before, 1 refused; hashes: 51 verified, \
                   0 wrong, 41 not stated";
    assert!(run.stderr.contains(summary), "{}", run.stderr);
    let sheet = fs::read_to_string(Path::new(&made).join("w25q128jv.toml")).expect("written");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/parts/nor/w25q128jv.toml");
    assert_eq!(sheet, fs::read_to_string(kept).expect("checked in"));
    let json = wordline(&[
        "part", "import", "--batch", &folder, "--format", "json", "--quiet",
    ]);
    assert_eq!(json.stderr, "");
    let items = json.json();
    assert_eq!(items.as_array().expect("a list").len(), 92);
    assert_eq!(items[0]["outcome"], "made");
}

#[test]
fn flags_of_one_chip_are_refused_for_a_folder() {
    let folder = Folder::new().with("dump.hex", b"53 46");
    let path = folder.file("");
    let batch =
        |more: &[&str]| wordline(&[&["part", "import", "--batch", path.as_str()], more].concat());
    batch(&["--part", "x"]).refused(&["--part", "--index"]);
    batch(&["--as", "sfdp"]).refused(&["--as"]);
    batch(&["--sheet"]).refused(&["--sheet"]);
    let refused = batch(&[]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stdout.contains("neither an SFDP nor an ONFI page"),
        "{}",
        refused.stdout
    );
    let index = Folder::new().with("index", b"part\tjedec_id\nx\tef\n");
    batch(&["--index", &index.file("index")])
        .refused(&["index: line 2", "\"ef\" is not a JEDEC ID"]);
    let empty = Folder::new();
    wordline(&["part", "import", "--batch", &empty.file("")])
        .refused(&["holds no dump", ".hex, .bin, .sfdp"]);
    wordline(&["part", "import"]).refused(&["<FILE>"]);
}

#[test]
fn bad_entries_of_a_folder_are_lines_and_write_nothing_outside() {
    let folder = Folder::new()
        .with("a.hex", dump("mt25qu01g.hex"))
        .with("b.hex", dump("mx25l3255e.txt"))
        .with("A B.hex", dump("mt25qu01g.hex"));
    let path = folder.file("");
    fs::create_dir(folder.file("dir.hex")).expect("a folder");
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.file("pipe.hex"))
        .status();
    assert!(pipe.expect("mkfifo is there").success());
    let output = folder.file("sheets");
    let batch = |more: &[&str]| {
        let batch = ["part", "import", "--batch", &path, "--output", &output];
        wordline(&[&batch[..], &["--format", "csv"], more].concat())
    };
    let run = batch(&[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for words in [
        "a.hex,made,a,",
        "A B.hex,refused,,",
        "states an id of the part",
        "the file cannot be read: found a folder",
        "the file cannot be read: found a pipe or device",
    ] {
        assert!(run.stdout.contains(words), "{words} in {}", run.stdout);
    }
    assert_eq!(fs::read_dir(&output).expect("made").count(), 2);
    let table = "file\tpart\na.hex\tone\nb.hex\tone\nno.hex\ttwo\n";
    let index = Folder::new().with("index", table.as_bytes());
    let run = batch(&["--index", &index.file("index")]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for words in [
        "one has another capacity in a.hex: found 4 MiB; allowed: 128 MiB",
        "no.hex,refused",
    ] {
        assert!(run.stdout.contains(words), "{words} in {}", run.stdout);
    }
    let index = Folder::new().with("index", b"file\tpart\na.hex\t../evil\n");
    batch(&["--index", &index.file("index")])
        .refused(&["index: line 2", "\"../evil\" is not an id"]);
    assert!(!Path::new(&folder.file("evil.toml")).exists());
}

#[test]
fn a_new_part_checks_its_flags_and_names_a_known_id() {
    let folder = Folder::new().with("dump", dump("mt25qu01g.bin"));
    let (file, output) = (folder.file("dump"), folder.file("my/parts"));
    let new = |more: &[&str]| {
        let new = ["part", "new", "--from-sfdp", &file, "--output", &output];
        wordline(&[&new[..], more].concat())
    };
    new(&["--part", "x", "--clock", "0Hz"]).refused(&["--clock", "above 0 Hz"]);
    new(&["--part", "x", "--board", "no-such-board"]).refused(&["--board", "no-such-board"]);
    assert!(!Path::new(&output).exists());
    let known = new(&["--part", "em064lx"]).done();
    assert!(
        known
            .stderr
            .contains("the catalogue has a part em064lx already"),
        "{}",
        known.stderr
    );
    assert!(Path::new(&output).join("em064lx.toml").is_file());
}

#[test]
fn a_new_part_is_a_sheet_that_loads() {
    let folder = Folder::new().with("dump", dump("w25q01jv.txt"));
    let (file, output) = (folder.file("dump"), folder.file(""));
    let new = [
        "part",
        "new",
        "--from-sfdp",
        file.as_str(),
        "--part",
        "my-nor",
        "--name",
        "W25Q01JV",
    ];
    let new = [
        &new[..],
        &[
            "--output",
            &output,
            "--clock",
            "104MHz",
            "--supply",
            "2.7V..3.6V",
        ],
    ]
    .concat();
    let ran = wordline(&new).done();
    for words in [
        "written: ",
        "my-nor.toml",
        "not in the dump: endurance",
        "next: wordline part check",
    ] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    let path = folder.file("my-nor.toml");
    let sheet = fs::read_to_string(&path).expect("written");
    assert!(
        sheet.contains("# The page says what stands below."),
        "{sheet}"
    );
    // A wait and a current that no kind has enough sources of are the user's to state.
    let more = "[nor]\npower_up = { max = \"20 us\", source = \"data sheet\" }\nstandby = { typ = \"10 uA\", source = \"data sheet\" }\n";
    fs::write(&path, sheet.replace("[nor]\n", more)).expect("it can be written");
    let checked = wordline(&["part", "check", &path]).done();
    let mut lines = checked.stdout.lines();
    assert_eq!(lines.next(), Some("sheets checked: 1, faults: 0"));
    // What the page did not state is named, and nothing of it is a fault.
    let advised = |words: &str| checked.stdout.contains(words);
    assert!(
        advised("estimated from other parts; state what the data sheet says"),
        "{checked:?}"
    );
    assert!(
        lines.all(|line| line.starts_with("advice: ")),
        "{checked:?}"
    );
    wordline(&new).refused(&["my-nor.toml exists already"]);
    let unnamed = [
        "part",
        "new",
        "--from-sfdp",
        file.as_str(),
        "--output",
        &output,
    ];
    wordline(&unnamed).refused(&["--part"]);
    wordline(&["part", "new", "--part", "x"]).refused(&[
        "--from-sfdp",
        "--from-onfi",
        "--from-sysfs",
    ]);
}

#[test]
fn a_kernels_folder_is_a_new_part() {
    let folder = Folder::new()
        .with("sfdp", dump("mt25qu01g.bin"))
        .with("jedec_id", b"20bb21104400\n")
        .with("partname", b"n25q00a\n")
        .with("manufacturer", b"st\n");
    let path = folder.file("");
    let new = [
        "part",
        "new",
        "--from-sysfs",
        path.as_str(),
        "--output",
        path.as_str(),
    ];
    wordline(&new).done();
    let sheet = fs::read_to_string(folder.file("n25q00a.toml")).expect("written");
    for words in [
        "part = \"n25q00a\"",
        "manufacturer = \"st\"",
        "JEDEC ID 20BB21104400; read by a Linux kernel",
    ] {
        assert!(sheet.contains(words), "{words} in {sheet}");
    }
    let other = Folder::new()
        .with("sfdp", dump("mt25qu01g.bin"))
        .with("jedec_id", b"ef4018\n");
    let path = other.file("");
    wordline(&["part", "new", "--from-sysfs", &path, "--part", "x"])
        .refused(&["16 MiB, by JEDEC ID EF4018"]);
}

#[test]
fn what_is_no_page_is_refused_with_the_place() {
    import(b"\0\x01 no page", &[]).refused(&[
        "dump: byte 0x0",
        "00 01 20 6E",
        "\"SFDP\"",
        "\"ONFI\"",
    ]);
    import(b"", &[]).refused(&["the file holds no bytes"]);
    import(b"53 46 4x", &[]).refused(&["byte 0x6", "line 1 of the hex text", "'x'", "hex digits"]);
    import(b"hello", &[]).refused(&["line 1 of the hex text", "hex digits"]);
    import(&dump("sfdp-pointer-outside.bin"), &[]).refused(&[
        "byte 0xC",
        "pointer to the Basic Flash Parameter Table",
        "0x10030",
        "ends at 0x88",
    ]);
    import(&dump("sfdp-impossible-density.bin"), &[]).refused(&["byte 0x34", "density", "2^35"]);
    import(&dump("mt25qu01g.bin"), &["--as", "onfi"]).refused(&["byte 0x0", "53 46 44 50", "ONFI"]);
    import(&dump("mt25qu01g.bin"), &["--as", "cfi"]).refused(&["cfi", "sfdp, onfi"]);
    wordline(&["part", "import", "no-such-file"]).refused(&["no-such-file cannot be read"]);
}

#[test]
fn a_page_without_a_right_crc_is_refused_with_each_crc() {
    let second = import(&dump("onfi-second-copy-good.bin"), &[]).done();
    assert!(
        second.stdout.contains("copy 2 of the page"),
        "{}",
        second.stdout
    );
    assert!(
        second.stdout.contains("copy 1 at 0x0: CRC stored 1E57h"),
        "{}",
        second.stdout
    );
    import(&dump("onfi-no-good-copy.bin"), &[]).refused(&[
        "byte 0xFE",
        "copy 1 at 0x0: CRC stored 1E57h, computed",
        "copy 2 at 0x100: CRC stored 1E57h, computed",
        "copy 3 at 0x200: CRC stored 1E57h, computed",
        "polynomial 8005h",
    ]);
}
