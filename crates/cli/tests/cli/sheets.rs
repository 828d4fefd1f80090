//! `wordline part check`: exit code 1 with file and line of each fault.

use wordline_catalog::EMBEDDED;

use crate::cli::support::{BOARD, FORMATS, Folder, PART, line_of, sheet_text, wordline};

#[test]
fn the_embedded_catalogue_is_sound() {
    let ran = wordline(&["part", "check"]).done();
    assert!(ran.stdout.ends_with("faults: 0\n"), "{ran:?}");
    assert_eq!(ran.stderr, "");
    assert_eq!(
        wordline(&["part", "check", "--format", "json"])
            .done()
            .json(),
        serde_json::json!([])
    );
}

#[test]
fn sound_files_and_folders_pass() {
    let sheets = Folder::new()
        .with_sheet(PART, "mine", &[])
        .with_sheet(BOARD, "my-board", &[]);
    for path in [sheets.file("mine.toml"), sheets.argument()] {
        wordline(&["part", "check", &path]).done();
    }
    let catalog = sheets.argument();
    let ran = wordline(&["part", "check", "--catalog", &catalog]).done();
    let all = format!("sheets checked: {},", EMBEDDED.len() + 2);
    assert!(ran.stdout.starts_with(&all), "{ran:?}");
}

#[test]
fn an_id_that_the_catalogue_has_is_a_fault() {
    let sheets = Folder::new().with("copy.toml", sheet_text(BOARD));
    let ran = wordline(&["part", "check", &sheets.file("copy.toml")]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["copy.toml:3:", "\"stm32h755-qspi\" exists already, in"]);
}

#[test]
fn faults_exit_with_1_and_name_file_line_and_value_in_every_format() {
    let sheets = Folder::new().with_sheet(PART, "mine", &[("350 us", "3 MHz")]);
    let file = sheets.file("mine.toml");
    let line = line_of(&sheets.read("mine.toml"), "3 MHz").to_string();
    for format in FORMATS {
        let ran = wordline(&["part", "check", &file, "--format", format]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.says(&[
            &format!("mine.toml:{line}:"),
            "\"3 MHz\" is not a time",
            "ns",
        ]);
        if format == "json" {
            let faults = ran.json();
            assert_eq!(faults[0]["file"], file);
            assert_eq!(faults[0]["line"], line);
            assert_eq!(faults.as_array().map(Vec::len), Some(1));
        }
    }
}

#[test]
fn truncated_binary_and_faulty_sheets_are_faults_of_their_own() {
    let sheets = Folder::new()
        .with("a-cut.toml", &sheet_text(PART)[..1000])
        .with("b-binary.toml", [0xff, 0xfe, 0x00])
        .with_sheet(
            PART,
            "c-mine",
            &[(
                "default_board = \"stm32h755-qspi\"",
                "default_board = \"none\"",
            )],
        );
    let ran = wordline(&["part", "check", &sheets.argument(), "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let faults = ran.json();
    let mut files: Vec<_> = (0..3)
        .map(|fault| faults[fault]["file"].to_string())
        .collect();
    files.sort();
    for (file, name) in files.iter().zip(["a-cut", "b-binary", "c-mine"]) {
        assert!(file.contains(name), "{files:?}");
    }
}

#[test]
fn files_that_cannot_be_read_could_not_be_checked() {
    let folder = Folder::new();
    let missing = folder.file("missing.toml");
    wordline(&["part", "check", &missing]).refused(&[&missing, "cannot be read"]);
    wordline(&["part", "check", &folder.argument()]).refused(&["no file here ends in .toml"]);
    #[cfg(unix)]
    {
        let dangling = folder.file("dangling.toml");
        std::os::unix::fs::symlink("nowhere", &dangling).expect("a link can be made");
        wordline(&["part", "check", &dangling]).refused(&[&dangling, "cannot be read"]);
    }
}

/// Without paths the folders of `--catalog` are what is checked; with paths they are what the
/// sheets are checked against, and must be sound.
#[test]
fn a_faulty_catalogue_folder_is_a_fault_where_it_is_what_is_checked() {
    let faulty = Folder::new().with_sheet(PART, "mine", &[("wake_up", "wakeup")]);
    let catalog = faulty.argument();
    let ran = wordline(&["part", "check", "--catalog", &catalog]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["mine.toml:", "unknown field `wakeup`"]);
    let sound = Folder::new().with_sheet(BOARD, "my-board", &[]);
    wordline(&["part", "check", &sound.argument(), "--catalog", &catalog]).refused(&["mine.toml:"]);
}

/// A part that is checked by itself finds the board that lies beside it, and is not blamed for what is
/// wrong with another file there.
#[test]
fn a_file_is_checked_with_the_boards_beside_it() {
    let board = ("board = \"stm32h755-qspi\"", "board = \"my-board\"");
    let names_it = (
        "default_board = \"stm32h755-qspi\"",
        "default_board = \"my-board\"",
    );
    let folder = Folder::new().with_sheet("em064lx", "my-part", &[names_it]);
    let part = format!("{}/my-part.toml", folder.argument());
    let alone = wordline(&["part", "check", &part]);
    assert_eq!(alone.code, Some(1), "{alone:?}");
    let shown = wordline(&["part", "show", "stm32h755-qspi", "--sheet"]);
    let text = shown.stdout.replace(board.0, board.1);
    std::fs::write(format!("{}/my-board.toml", folder.argument()), text).expect("written");
    std::fs::write(format!("{}/other.toml", folder.argument()), "no sheet").expect("written");
    let beside = wordline(&["part", "check", &part]);
    assert_eq!(beside.code, Some(0), "{beside:?}");
}
