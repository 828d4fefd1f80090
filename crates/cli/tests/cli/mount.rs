//! `wordline fs mount` from end to end, where this host lets it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use wordline_core::draw::{Purpose, draw};

use crate::cli::support::wordline;

/// Whether the kernel shows a FUSE file system at a directory.
fn is_mounted(dir: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    // The kernel writes blanks as octal numbers.
    let here = dir.display().to_string().replace(' ', "\\040");
    let mut mounts = mounts.lines().map(|line| line.split(' ').nth(1));
    mounts.any(|place| place == Some(&here))
}

/// Whether a directory shows a mount that answers: neither the bare directory nor a mount whose program is gone.
fn is_served(dir: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).ok().map(|about| about.dev());
    let above = dir.parent().and_then(device);
    device(dir).is_some_and(|device| Some(device) != above)
}

/// Mounts, lets a program work there, and interrupts; stdout, or nothing where this host mounts nothing.
fn mounted(arguments: &[&str], dir: &Path, work: impl FnOnce()) -> Option<String> {
    let running = RunningMount::start(&[&["--format", "json"], arguments].concat(), dir)?;
    work();
    let output = running.end();
    assert!(output.status.success(), "{output:?}");
    assert!(!is_mounted(dir));
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[allow(clippy::print_stderr, reason = "who reads the results should know")]
fn skip(why: &str) {
    eprintln!("nothing tested: {why}");
}

fn value(stdout: &str, metric: &str) -> f64 {
    let document: Value = serde_json::from_str(stdout).expect("JSON");
    let rows = document.as_array().expect("rows");
    let row = rows.iter().find(|row| row["metric"] == metric);
    let row = row.unwrap_or_else(|| panic!("{metric}: {stdout}"));
    let text = row["value"].as_str().expect("text");
    text.parse().expect("a number")
}

#[test]
fn what_programs_store_is_in_the_image_and_costs_simulated_time() {
    if !Path::new("/dev/fuse").exists() {
        return skip("there is no /dev/fuse");
    }
    for (file_system, target) in [
        ("littlefs", "mt25ql128"),
        ("fat", "em064lx"),
        ("rtfs", "mt25ql128"),
        ("flat", "em064lx"),
    ] {
        let place = TempDir::new().expect("a folder");
        let dir = place.path().join("mnt");
        fs::create_dir(&dir).expect("room");
        let image = place.path().join("memory.img");
        let image = image.to_str().expect("text");
        let arguments = ["--fs", file_system, "--target", target, "--image", image];
        let first = mounted(&arguments, &dir, || {
            fs::create_dir(dir.join("logs")).expect("room");
            fs::write(dir.join("logs/one.txt"), [b'x'; 5000]).expect("room");
            fs::rename(dir.join("logs/one.txt"), dir.join("logs/two.txt")).expect("there");
        });
        let Some(first) = first else {
            return;
        };
        assert!(value(&first, "simulated_time") > 1e-4, "{first}");
        assert!(value(&first, "energy_total") > 0.0, "{first}");
        assert!(value(&first, "operations_read") > 0.0, "{first}");
        if target == "mt25ql128" {
            assert!(value(&first, "bytes_program") >= 5000.0, "{first}");
            assert!(value(&first, "wear_most") >= 1.0, "{first}");
        }
        let again = mounted(&arguments, &dir, || {
            let bytes = fs::read(dir.join("logs/two.txt")).expect("stored");
            assert_eq!(bytes, [b'x'; 5000]);
            assert!(!dir.join("logs/one.txt").exists());
        });
        assert!(again.is_some());
    }
}

/// One call of a program, by what is drawn. The error is that of the kernel.
fn call(dir: &Path, seed: u64, number: u64) -> io::Result<()> {
    let drawn = |what, below| draw(seed, number, what, Purpose::Mix) % below;
    let name = |what| match drawn(what, 9) {
        dir @ 0..2 => format!("dir{dir}"),
        file @ 2..5 => format!("file{file}"),
        inner => format!("dir{}/inner{}", inner % 2, inner / 2),
    };
    let path = dir.join(name(0));
    let bytes = vec![drawn(1, 256) as u8; drawn(2, 3000) as usize];
    match drawn(3, 10) {
        0 | 8 => fs::create_dir(path),
        1 => fs::remove_dir(path),
        2 => fs::remove_file(path),
        3 | 9 => fs::write(path, bytes),
        4 => fs::OpenOptions::new()
            .append(true)
            .open(path)?
            .write_all(&bytes),
        5 => fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .write_at(&bytes, drawn(4, 500))
            .map(drop),
        6 => fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .set_len(drawn(4, 5000)),
        _ => fs::rename(path, dir.join(name(5))),
    }
}

/// Everything below a directory, by path: the bytes of files.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let bytes = path.is_file().then(|| fs::read(&path).expect("a file"));
            if bytes.is_none() {
                dirs.push(path.clone());
            }
            let place = path.strip_prefix(dir).expect("it lies below").to_owned();
            found.insert(place, bytes);
        }
    }
    found
}

/// What a plain directory of this host holds after the same calls, and which of them it refuses.
#[test]
fn a_mount_does_what_a_directory_of_this_host_does() {
    if !Path::new("/dev/fuse").exists() {
        return skip("there is no /dev/fuse");
    }
    for arguments in [
        &[
            "--fs",
            "littlefs",
            "--target",
            "mt25ql128",
            "--set",
            "littlefs.cache=256",
        ][..],
        &["--fs", "fat", "--target", "em064lx"],
        &[
            "--fs",
            "fat",
            "--target",
            "mt29f1g01",
            "--ftl",
            "log-block",
            "--set",
            "fat.tables=1",
        ],
    ] {
        let place = TempDir::new().expect("a folder");
        let (dir, plain) = (place.path().join("mnt"), place.path().join("plain"));
        fs::create_dir(&dir).expect("room");
        fs::create_dir(&plain).expect("room");
        let (mut done, mut refused) = (0, 0);
        let stdout = mounted(arguments, &dir, || {
            for number in 0..400 {
                let (here, there) = (call(&dir, 1, number), call(&plain, 1, number));
                let kind = |result: &io::Result<()>| result.as_ref().err().map(io::Error::kind);
                assert_eq!(kind(&here), kind(&there), "{number}: {here:?}, {there:?}");
                *if here.is_ok() {
                    &mut done
                } else {
                    &mut refused
                } += 1;
            }
            let (here, there) = (tree(&dir), tree(&plain));
            assert!(
                here.keys().eq(there.keys()),
                "{:?}, {:?}",
                here.keys(),
                there.keys()
            );
            assert!(here == there, "{arguments:?}: contents differ");
            assert!(here.len() > 3, "{:?}", here.keys());
        });
        if stdout.is_some() {
            assert!(done > 100 && refused > 50, "{done}, {refused}");
        }
    }
}

/// A mount of an image that runs until it is killed or interrupted; nothing where this host mounts nothing.
struct RunningMount {
    child: Child,
}

impl RunningMount {
    fn start(arguments: &[&str], dir: &Path) -> Option<Self> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wordline"))
            .args(["fs", "mount"])
            .args(arguments)
            .arg(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        while !is_served(dir) {
            if child.try_wait().expect("a child").is_some() {
                let output = child.wait_with_output().expect("ended");
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(stderr.contains("the kernel mounts nothing"), "{stderr}");
                skip(&stderr);
                return None;
            }
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { child })
    }

    /// Ends it at once, and leaves the dead mount; what it said.
    fn kill(mut self) -> String {
        self.child.kill().expect("it runs");
        self.said()
    }

    /// Ends it in order.
    fn end(self) -> Output {
        let sent = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.child.wait_with_output().expect("it ends")
    }

    /// Ends it in order; what it said, and whether all went well.
    fn interrupt(self) -> (String, bool) {
        let output = self.end();
        let said = String::from_utf8(output.stderr).expect("text");
        (said.replace('\n', " "), output.status.success())
    }

    fn said(self) -> String {
        let output = self.child.wait_with_output().expect("it ended");
        String::from_utf8(output.stderr)
            .expect("text")
            .replace('\n', " ")
    }
}

#[test]
fn a_mount_whose_program_was_killed_is_taken_away_by_the_next_one() {
    let place = TempDir::new().expect("a folder");
    let dir = place.path().join("a mnt");
    fs::create_dir(&dir).expect("room");
    let Some(first) = RunningMount::start(&["--target", "em064lx"], &dir) else {
        return;
    };
    fs::write(dir.join("file"), b"x").expect("room");
    first.kill();
    assert!(fs::read_dir(&dir).is_err(), "it is dead");
    let again = RunningMount::start(&["--target", "em064lx"], &dir).expect("it was mounted before");
    assert_eq!(fs::read_dir(&dir).expect("it lives").count(), 0);
    let (said, is_well) = again.interrupt();
    assert!(
        is_well && said.contains("was killed; that mount was taken away"),
        "{said}"
    );
    assert!(!is_mounted(&dir));
}

#[test]
fn a_second_mount_of_an_image_is_refused_at_once() {
    let place = TempDir::new().expect("a folder");
    let (dir, other) = (place.path().join("mnt"), place.path().join("other"));
    fs::create_dir(&dir).expect("room");
    fs::create_dir(&other).expect("room");
    let image = place.path().join("image");
    let image = image.to_str().expect("text");
    let arguments = ["--target", "em064lx", "--image", image];
    let Some(first) = RunningMount::start(&arguments, &dir) else {
        return;
    };
    let second = [
        &["fs", "mount"],
        &arguments[..],
        &[other.to_str().expect("text")],
    ]
    .concat();
    let process = format!("process {}", first.child.id());
    wordline(&second).refused(&["in use by", &process]);
    assert!(first.interrupt().1);
}

#[test]
fn what_was_synced_is_there_after_a_kill_also_on_nand() {
    for (file_system, target) in [
        ("littlefs", "mt25ql128"),
        ("fat", "mt29f1g01"),
        ("rtfs", "mt29f1g01"),
    ] {
        let place = TempDir::new().expect("a folder");
        let dir = place.path().join("mnt");
        fs::create_dir(&dir).expect("room");
        let image = place.path().join("image");
        let arguments = [
            "--fs",
            file_system,
            "--target",
            target,
            "--image",
            image.to_str().expect("text"),
        ];
        let Some(first) = RunningMount::start(&arguments, &dir) else {
            return;
        };
        for number in 0..20 {
            let file = File::create(dir.join(number.to_string())).expect("room");
            file.write_all_at(&[number; 3000], 0).expect("room");
            file.sync_all().expect("room");
        }
        fs::rename(dir.join("0"), dir.join("1")).expect("it replaces");
        first.kill();
        let journal = place.path().join("image.journal");
        assert!(journal.exists() && !image.exists());

        let check = || {
            for number in 2..20 {
                let bytes = fs::read(dir.join(number.to_string())).expect("synced");
                assert_eq!(bytes, [number; 3000], "{file_system}");
            }
            assert_eq!(fs::read(dir.join("1")).expect("renamed"), [0; 3000]);
            assert!(!dir.join("0").exists());
        };
        let second = RunningMount::start(&arguments, &dir).expect("it was mounted before");
        check();
        let (said, is_well) = second.interrupt();
        assert!(is_well && said.contains("calls were replayed"), "{said}");
        assert!(image.exists() && !journal.exists());
        let third = RunningMount::start(&arguments, &dir).expect("it was mounted before");
        check();
        assert!(third.interrupt().1);
    }
}

/// The short form of what `make nightly` runs with 200 kills.
#[test]
fn a_database_and_version_control_survive_kills_of_the_server_and_a_full_disk() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/kill-mounts");
    let ran = Command::new("python3")
        .arg(script)
        .args([
            "--wordline",
            env!("CARGO_BIN_EXE_wordline"),
            "--kills",
            "4",
            "--setup",
            "flat:em064lx",
        ])
        .output();
    let Ok(output) = ran else {
        return skip("there is no python3");
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => {}
        Some(2) => skip(&said),
        code => panic!("{code:?}: {said}"),
    }
}

#[test]
fn what_cannot_be_mounted_is_refused_with_a_reason() {
    let place = TempDir::new().expect("a folder");
    let dir = place.path().join("mnt");
    fs::create_dir(&dir).expect("room");
    let image = place.path().join("short.img");
    fs::write(&image, b"short").expect("room");
    let (dir, image) = (dir.to_str().expect("text"), image.to_str().expect("text"));
    let missing = format!("{dir}/missing");
    for (arguments, reason) in [
        (vec!["--target", "em064lx", &missing], "no empty directory"),
        (vec!["--target", "nothing", dir], "nothing"),
        (
            vec!["--target", "em064lx", "--image", image, dir],
            "it has 5 B",
        ),
        (vec!["--target", "em064lx", "--fs", "xfs", dir], "xfs"),
        (
            vec!["--target", "em064lx", "--set", "fat.tables=1", dir],
            "which does not run",
        ),
        (
            vec!["--target", "em064lx", "--fs", "fat", "--ftl", "page", dir],
            "FAT runs over on NAND",
        ),
        (
            vec!["--target", "em064lx", "--set", "littlefs.cache=100", dir],
            "does not suit",
        ),
    ] {
        let ran = wordline(&[&["fs", "mount"], arguments.as_slice()].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.replace('\n', " ").contains(reason), "{ran:?}");
    }
}
