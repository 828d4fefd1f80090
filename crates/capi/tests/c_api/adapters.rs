//! The adapters for file systems and drivers in `examples`: compiled without warnings, and run with their examples. Where
//! a project's sources are not in this workspace, its published interface is declared in the example's folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::c_api::cc::{eprintln_skipped, here, library, run};

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
            sources: sources.iter().map(|source| here("examples").join(source)).collect(),
            foreign: Vec::new(),
            includes: vec![here("include")],
            flags: vec![(if is_cpp { "-std=c++17" } else { "-std=c11" }).to_owned(), "-g".to_owned()],
        }
    }

    fn include(mut self, folder: &str) -> Self {
        self.includes.push(here(folder));
        self
    }

    /// Sources of others, compiled with the same folders and flags.
    fn with(mut self, folder: &Path, files: &[&str]) -> Self {
        self.foreign.extend(files.iter().map(|file| folder.join(file)));
        self
    }

    fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Compiles one file; none where there is no compiler.
    fn object(&self, source: &Path, warnings: &[&str], more: &[&str], is_needed: bool) -> Option<PathBuf> {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let tag = if more.is_empty() { "" } else { "-sanitized" };
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("adapter-{}-{stem}{tag}.o", self.name));
        let mut command = Command::new(self.compiler);
        for folder in &self.includes {
            command.arg("-I").arg(folder);
        }
        command.args(&self.flags).args(warnings).args(more);
        let ran = command.arg("-c").arg(source).arg("-o").arg(&object).output();
        let Ok(ran) = ran else {
            eprintln_skipped(&format!("there is no compiler named {}", self.compiler));
            return None;
        };
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() || !is_needed, "{}: {told}", source.display());
        ran.status.success().then_some(object)
    }

    fn linked(&self, more: &[&str], is_needed: bool) -> Option<PathBuf> {
        let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"];
        let ours = self.sources.iter().map(|source| self.object(source, &strict, more, is_needed));
        let theirs = self.foreign.iter().map(|source| self.object(source, &["-w"], more, is_needed));
        let objects: Vec<PathBuf> = ours.chain(theirs).collect::<Option<_>>()?;
        let tag = if more.is_empty() { "" } else { "-sanitized" };
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("adapter-{}{tag}", self.name));
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

    /// Runs it, and where the compiler has sanitizers again with them; what it printed, none without a compiler.
    fn check(&self, environment: &[&[(&str, &str)]]) -> Option<String> {
        let program = self.linked(&[], true)?;
        let told = run(&program);
        if let Some(sanitized) = self.linked(&["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], false) {
            run(&sanitized);
        }
        for variables in environment {
            let ran = Command::new(&program).envs(variables.iter().copied()).output().expect("runs");
            let why = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{variables:?}: {why}");
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
    Program::new("cpp", &["cpp/example.cpp"]).check(&[]);
}

/// Built with the littlefs of this workspace.
#[test]
fn littlefs_survives_power_losses_and_worn_blocks() {
    let littlefs = here("../littlefs-sys/littlefs");
    let program = Program::new("littlefs", &["littlefs/lfs_emubd_wordline.c", "littlefs/example.c"])
        .include("examples/littlefs/interface")
        .include("../littlefs-sys/littlefs")
        .flags(&["-DLFS_NO_DEBUG", "-DLFS_NO_WARN"])
        .with(&littlefs, &["lfs.c", "lfs_util.c"]);
    let targets = ["mt25ql128", "ideal-nor", "ideal-nand", "ideal-bytes", "mr25h40"];
    let mut chips: Vec<Vec<(&str, &str)>> = Vec::new();
    for target in targets {
        chips.push(vec![("WORDLINE_TARGET", target), ("WORDLINE_CUT", "whole")]);
        chips.push(vec![("WORDLINE_TARGET", target), ("WORDLINE_CUT", "torn")]);
    }
    let chips: Vec<&[(&str, &str)]> = chips.iter().map(Vec::as_slice).collect();
    if let Some(told) = program.check(&chips) {
        assert!(told.starts_with("power lost "), "{told}");
    }
}
