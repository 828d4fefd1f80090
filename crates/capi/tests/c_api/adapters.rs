//! The adapters for file systems and drivers in `examples`: compiled without warnings, and run with their examples. Where
//! a project's sources are not in this workspace, its published interface is declared in the example's folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::c_api::cc::{eprintln_skipped, here, library, run, scratch};

/// One program: an example with its adapter.
struct Program {
    name: String,
    compiler: &'static str,
    /// Files in `examples`, compiled with warnings as errors.
    sources: Vec<PathBuf>,
    /// Files of others, compiled as they are.
    foreign: Vec<PathBuf>,
    includes: Vec<PathBuf>,
    flags: Vec<String>,
}

impl Program {
    fn new(name: &str, sources: &[&str]) -> Self {
        let is_cpp = sources.iter().any(|source| source.ends_with(".cpp"));
        Self {
            name: name.replace('/', "-"),
            compiler: if is_cpp { "c++" } else { "cc" },
            sources: sources
                .iter()
                .map(|source| here("examples").join(source))
                .collect(),
            foreign: Vec::new(),
            includes: vec![here("include")],
            flags: vec![
                (if is_cpp { "-std=c++17" } else { "-std=c11" }).to_owned(),
                "-g".to_owned(),
            ],
        }
    }

    fn include(mut self, folder: &str) -> Self {
        self.includes.push(here(folder));
        self
    }

    /// Sources of others, compiled with the same folders and flags.
    fn with(mut self, folder: &Path, files: &[&str]) -> Self {
        self.foreign
            .extend(files.iter().map(|file| folder.join(file)));
        self
    }

    fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Compiles one file; none where there is no compiler.
    fn object(
        &self,
        source: &Path,
        warnings: &[&str],
        more: &[&str],
        is_needed: bool,
    ) -> Option<PathBuf> {
        // Of one program, files of a name lie in several folders.
        let folder = source
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default();
        let folder = folder.to_string_lossy();
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let tag = if more.is_empty() { "" } else { "-sanitized" };
        let object = scratch(&format!("adapter-{}-{folder}-{stem}{tag}.o", self.name));
        let mut command = Command::new(self.compiler);
        for folder in &self.includes {
            command.arg("-I").arg(folder);
        }
        command.args(&self.flags).args(warnings).args(more);
        let ran = command
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object)
            .output();
        let Ok(ran) = ran else {
            eprintln_skipped(&format!("there is no compiler named {}", self.compiler));
            return None;
        };
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(
            ran.status.success() || !is_needed,
            "{}: {told}",
            source.display()
        );
        ran.status.success().then_some(object)
    }

    fn linked(&self, more: &[&str], is_needed: bool) -> Option<PathBuf> {
        let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"];
        let ours = self
            .sources
            .iter()
            .map(|source| self.object(source, &strict, more, is_needed));
        let theirs = self
            .foreign
            .iter()
            .map(|source| self.object(source, &["-w"], more, is_needed));
        let objects: Vec<PathBuf> = ours.chain(theirs).collect::<Option<_>>()?;
        let tag = if more.is_empty() { "" } else { "-sanitized" };
        let out = scratch(&format!("adapter-{}{tag}", self.name));
        let linker = Command::new(self.compiler)
            .args(objects)
            .arg(library())
            .args(more)
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&out)
            .output()
            .expect("it has just compiled");
        let told = String::from_utf8_lossy(&linker.stderr);
        assert!(linker.status.success() || !is_needed, "{told}");
        linker.status.success().then_some(out)
    }

    /// Runs it, once with each environment; what it printed first, none without a compiler.
    fn check(&self, environments: &[&[(&str, &str)]]) -> Option<String> {
        let program = self.linked(&[], true)?;
        let told = run(&program);
        for variables in environments {
            let ran = Command::new(&program)
                .current_dir(scratch(""))
                .envs(variables.iter().copied())
                .output()
                .expect("runs");
            let why = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{variables:?}: {why}");
        }
        Some(told)
    }

    /// Runs it with a setting that is wrong: it fails, and says why.
    fn refuses(&self, name: &str, value: &str, why: &str) {
        let Some(program) = self.linked(&[], true) else {
            return;
        };
        let ran = Command::new(&program)
            .env(name, value)
            .output()
            .expect("runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success(), "{name}={value} is taken");
        assert!(said.contains(why), "{name}={value}: {said}");
    }

    /// The same, and with sanitizers where the compiler has them.
    fn check_sanitized(&self, environments: &[&[(&str, &str)]]) -> Option<String> {
        let told = self.check(environments)?;
        let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        if let Some(sanitized) = self.linked(&sanitizers, false) {
            run(&sanitized);
        }
        Some(told)
    }
}

/// The sources of another project: `NAME` in the folder that `WORDLINE_PEERS` names, where it names one.
fn peer(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("WORDLINE_PEERS")?).join(name);
    folder.is_dir().then_some(folder)
}

#[test]
fn the_wrapper_for_cpp_frees_throws_and_moves() {
    Program::new("cpp", &["cpp/example.cpp"]).check_sanitized(&[]);
}

#[test]
fn the_wrapper_for_cpp_needs_no_exceptions() {
    Program::new("no-exceptions", &["../tests/c/no_exceptions.cpp"])
        .flags(&["-fno-exceptions"])
        .check_sanitized(&[]);
}

#[test]
fn a_listener_of_cpp_may_end_itself() {
    Program::new("listeners", &["../tests/c/listeners.cpp"]).check_sanitized(&[]);
}

/// Built with the littlefs of this workspace.
#[test]
fn littlefs_survives_power_losses_and_worn_blocks() {
    let littlefs = here("../littlefs-sys/littlefs");
    let program = Program::new(
        "littlefs",
        &["littlefs/lfs_emubd_wordline.c", "littlefs/example.c"],
    )
    .include("examples/littlefs/interface")
    .include("../littlefs-sys/littlefs")
    .flags(&["-DLFS_NO_DEBUG", "-DLFS_NO_WARN"])
    .with(&littlefs, &["lfs.c", "lfs_util.c"]);
    let targets = [
        "mt25ql128",
        "ideal-nor",
        "ideal-nand",
        "ideal-bytes",
        "mr25h40",
    ];
    let mut chips: Vec<Vec<(&str, &str)>> = Vec::new();
    for target in targets {
        chips.push(vec![("WORDLINE_TARGET", target), ("WORDLINE_CUT", "whole")]);
        chips.push(vec![("WORDLINE_TARGET", target), ("WORDLINE_CUT", "torn")]);
    }
    let chips: Vec<&[(&str, &str)]> = chips.iter().map(Vec::as_slice).collect();
    if let Some(told) = program.check_sanitized(&chips) {
        assert!(told.starts_with("power lost "), "{told}");
    }
    for (name, value, why) in [
        ("WORDLINE_CUT", "Torn", "it is whole or torn"),
        ("WORDLINE_SEED", "abc", "a whole number"),
        ("WORDLINE_SEED", "-1", "a whole number"),
        ("WORDLINE_LOG", "/no/such/folder/log", "No such file"),
        ("WORDLINE_TARGET", "mt25ql12", "mt25ql128"),
    ] {
        program.refuses(name, value, why);
    }
}

#[test]
fn fatfs_disks_are_written_cut_and_read() {
    let sources = ["fatfs/diskio.c", "fatfs/example.c"];
    Program::new("fatfs", &sources)
        .include("examples/fatfs/interface")
        .check_sanitized(&[]);
}

#[test]
fn dhara_has_pages_blocks_and_errors() {
    let sources = ["dhara/dhara_wordline.c", "dhara/example.c"];
    Program::new("dhara", &sources)
        .include("examples/dhara/interface")
        .check_sanitized(&[]);
}

#[test]
fn spiffs_has_flash_that_loses_its_power() {
    let sources = ["spiffs/spiffs_wordline.c", "spiffs/example.c"];
    Program::new("spiffs", &sources)
        .include("examples/spiffs/interface")
        .check_sanitized(&[]);
}

#[test]
fn a_zephyr_device_is_nor_nand_or_mram() {
    let sources = ["zephyr/flash_wordline.c", "zephyr/example.c"];
    Program::new("zephyr", &sources)
        .include("examples/zephyr/interface")
        .check_sanitized(&[]);
}

/// What tools for MTD devices take and give: a plain file.
#[test]
fn a_flash_goes_to_a_file_and_back() {
    let file = scratch("flash-file.bin");
    let file = file.to_string_lossy();
    let sources = ["mtd/flash_file.c", "mtd/example.c"];
    Program::new("mtd", &sources).check(&[&[("FLASH_FILE", &file)]]);
}

#[test]
fn esp_idf_partitions_share_a_flash() {
    let sources = ["esp-idf/esp_partition_wordline.c", "esp-idf/example.c"];
    Program::new("esp-idf", &sources)
        .include("examples/esp-idf/interface")
        .check_sanitized(&[]);
}

/// Dhara's own tests on an ideal NAND of their geometry and on a part.
#[test]
fn dhara_passes_its_own_tests_where_its_sources_are() {
    let Some(dhara) = peer("dhara") else {
        eprintln_skipped("WORDLINE_PEERS names no folder with dhara");
        return;
    };
    let tests: [(&str, &[&str]); 6] = [
        ("nand", &[]),
        ("journal", &["dhara/journal.c", "tests/jtutil.c"]),
        ("recovery", &["dhara/journal.c", "tests/jtutil.c"]),
        ("jfill", &["dhara/journal.c", "tests/jtutil.c"]),
        ("map", &["dhara/journal.c", "dhara/map.c"]),
        ("epoch_roll", &["dhara/journal.c", "dhara/map.c"]),
    ];
    for (test, more) in tests {
        let mut program =
            Program::new("dhara", &["dhara/dhara_wordline.c", "dhara/sim_wordline.c"])
                .flags(&["-D_DEFAULT_SOURCE", "-O1"])
                .with(
                    &dhara,
                    &["dhara/error.c", "tests/util.c", &format!("tests/{test}.c")],
                )
                .with(&dhara, more);
        program.name = format!("dhara-{test}");
        program
            .includes
            .extend([dhara.clone(), dhara.join("tests"), here("examples/dhara")]);
        // These two take a minute with a library that is not optimised.
        let is_long = ["jfill", "map"].contains(&test);
        let part: [&[(&str, &str)]; 1] = [&[("WORDLINE_TARGET", "gd5f1gm7u")]];
        program.check(if is_long { &[] } else { &part });
    }
}

/// A program of SPIFFS with the adapter, where its sources are.
fn with_spiffs(name: &str, sources: &[&str], flags: &[&str]) -> Option<Program> {
    let Some(spiffs) = peer("spiffs") else {
        eprintln_skipped("WORDLINE_PEERS names no folder with spiffs");
        return None;
    };
    let src = spiffs.join("src");
    let modules =
        ["cache", "check", "gc", "hydrogen", "nucleus"].map(|name| format!("spiffs_{name}.c"));
    let mut program = Program::new("spiffs", sources)
        .flags(&["-D_DEFAULT_SOURCE", "-Wno-unused-parameter"])
        .flags(flags)
        .with(&src, &modules.each_ref().map(String::as_str));
    program.name = name.to_owned();
    program
        .includes
        .extend([src.clone(), src.join("default"), src.join("test")]);
    Some(program)
}

#[test]
fn spiffs_keeps_its_files_where_its_sources_are() {
    let sources = ["spiffs/spiffs_wordline.c", "spiffs/with_spiffs.c"];
    if let Some(program) = with_spiffs("spiffs-itself", &sources, &["-DNO_TEST"]) {
        program.check(&[]);
    }
}

/// SPIFFS's own tests. Their runner ends well whatever they find: what it says counts.
#[test]
fn spiffs_passes_its_own_tests_where_its_sources_are() {
    let sources = ["spiffs/spiffs_wordline.c"];
    let Some(mut program) = with_spiffs("spiffs-tests", &sources, &["-D_SPIFFS_TEST"]) else {
        return;
    };
    // Compiled with what it includes, which is not ours to keep free of warnings.
    let adapter = here("examples/spiffs/test_spiffs_wordline.c");
    program.includes.push(here("examples/spiffs"));
    program.foreign.push(adapter);
    let tests = peer("spiffs").unwrap_or_default().join("src/test");
    let files = [
        "main",
        "testrunner",
        "testsuites",
        "test_dev",
        "test_check",
        "test_hydrogen",
        "test_bugreports",
    ]
    .map(|name| format!("{name}.c"));
    let program = program.with(&tests, &files.each_ref().map(String::as_str));
    if let Some(told) = program.check(&[]) {
        let report = told.find("Test report, 91 tests\n91 succeeded\n");
        assert!(report.is_some(), "{told}");
    }
}

#[test]
fn fatfs_keeps_its_files_where_its_sources_are() {
    let Some(fatfs) = peer("fatfs") else {
        eprintln_skipped("WORDLINE_PEERS names no folder with fatfs");
        return;
    };
    // FatFs is configured by editing a header, and finds it beside its own.
    let (source, copy) = (fatfs.join("source"), scratch("fatfs"));
    std::fs::create_dir_all(&copy).expect("made");
    for name in ["ff.c", "ff.h", "diskio.h", "ffunicode.c"] {
        std::fs::copy(source.join(name), copy.join(name)).expect("copied");
    }
    let config = std::fs::read_to_string(source.join("ffconf.h")).expect("readable");
    let chosen = [
        ("FF_USE_MKFS", "1"),
        ("FF_MAX_SS", "4096"),
        ("FF_FS_NORTC", "1"),
    ];
    let line = |line: &str| {
        let is = |&&(name, _): &&(&str, &str)| {
            line.starts_with(&format!("#define {name}\t"))
                || line.starts_with(&format!("#define {name} "))
        };
        let found = chosen.iter().find(is);
        found.map_or(line.to_owned(), |(name, value)| {
            format!("#define {name} {value}")
        })
    };
    let config: Vec<String> = config.lines().map(line).collect();
    std::fs::write(copy.join("ffconf.h"), config.join("\n") + "\n").expect("written");
    let mut program = Program::new("fatfs", &["fatfs/diskio.c", "fatfs/with_fatfs.c"])
        .with(&copy, &["ff.c", "ffunicode.c"]);
    program.name = "fatfs-itself".to_owned();
    program.includes.push(copy.clone());
    program.check(&[]);
}
