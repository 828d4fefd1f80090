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
            said.contains("present, but not decoded"),
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
fn the_sheet_is_toml_to_begin_with() {
    let nor = import(&dump("mt25qu01g.hex"), &["--sheet"]).done().stdout;
    for line in [
        "part = \"my-part\"\n",
        "\n#[nor]\n",
        "\n#page_program = { typ = \"120 us\", max = \"2.88 ms\", source = \"SFDP BFPT DWORD 11\" }\n",
        "\n#duration = { typ = \"160 ms\", max = \"1.6 s\", source = \"SFDP BFPT DWORD 10\" }\n",
    ] {
        assert!(nor.contains(line), "{line} in {nor}");
    }
    let nand = import(&dump("mt29f2g08abbea.bin"), &["--sheet"]).done();
    for line in [
        "part = \"mt29f2g08abbeahc\"\n",
        "\n#[nand]\n",
        "\n#block_erase = { max = \"3 ms\", source = \"ONFI parameter page, bytes 135-136\" }\n",
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
