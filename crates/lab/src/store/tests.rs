use std::collections::BTreeSet;
use std::path::PathBuf;

use wordline_core::{KvWorkload, Operation, RawWorkload, Timing, Workload};

use super::*;

/// The functions of the build script.
#[allow(dead_code, reason = "the script has a main of its own")]
#[path = "../../build.rs"]
mod script;

fn experiment(target: &str) -> Experiment {
    Experiment {
        targets: vec![target.into()],
        workload: Workload::Raw(RawWorkload {
            operations: vec![Operation::Write],
            access_bytes: vec![2048],
            total_bytes: 64 << 10,
            wrap_bytes: 64 << 10,
            ..RawWorkload::default()
        }),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 0,
        ftl: None,
    }
}

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn key(catalog: &Catalog, experiment: &Experiment) -> StoreKey {
    let key = StoreKey::of(catalog, experiment, &Control::default());
    key.expect("a target").expect("it is simulated")
}

const MRAM: &str = "em064lx@stm32h755-qspi";

#[test]
fn what_was_run_once_is_not_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("new/store")).expect("a store");
    let run = || {
        store
            .run(&catalog(), &experiment(MRAM), &Control::default())
            .expect("it runs")
    };
    let (first, second) = (run(), run());
    assert_eq!((first.was_stored, second.was_stored), (false, true));
    assert_eq!(first.document.to_json(), second.document.to_json());
    let again = Store::open(&folder.path().join("new/store")).expect("it is still one");
    let other = Experiment {
        seed: 1,
        ..experiment(MRAM)
    };
    let other = again
        .run(&catalog(), &other, &Control::default())
        .expect("it runs");
    assert!(!other.was_stored);
}

#[test]
fn every_part_of_an_experiment_changes_the_key() {
    let catalog = catalog();
    let base = experiment(MRAM);
    let mut others = vec![base.clone(); 4];
    others[0].seed = 1;
    others[1].age = 0.1;
    others[2].timings = vec![Timing::Max];
    others[3].targets = vec!["mt25ql128@stm32h755-qspi".into()];
    for other in others {
        assert_ne!(key(&catalog, &base), key(&catalog, &other));
    }
    assert_eq!(key(&catalog, &base), key(&catalog, &base.clone()));
}

#[test]
fn own_sheets_that_an_experiment_reads_change_the_key_and_others_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let embedded = catalog();
    let text = embedded
        .part("em064lx")
        .expect("a part")
        .header
        .text
        .to_string();
    let write = |file: &str, id: &str, remark: &str| {
        let own = text.replacen("\"em064lx\"", &format!("\"{id}\""), 1);
        std::fs::write(folder.path().join(file), format!("{own}\n# {remark}\n")).expect("a file");
    };
    let load = || Catalog::load(&[PathBuf::from(folder.path())]).expect("sound sheets");
    write("mine.toml", "mine", "one");
    let mine = experiment("mine@stm32h755-qspi");
    let (first, came_along) = (key(&load(), &mine), key(&load(), &experiment(MRAM)));
    assert_eq!(came_along, key(&embedded, &experiment(MRAM)));
    write("other.toml", "elsewhere", "one");
    assert_eq!(key(&load(), &mine), first, "another sheet");
    write("mine.toml", "mine", "two");
    assert_ne!(key(&load(), &mine), first, "its own sheet");
}

#[test]
fn files_change_the_key_by_their_content_and_are_read_once() {
    use std::io::{BufRead, Cursor};
    use std::sync::atomic::{AtomicUsize, Ordering};
    let text = |content: &'static str| {
        let reads = AtomicUsize::new(0);
        let open = |_: &str| {
            reads.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Cursor::new(content)) as Box<dyn BufRead>)
        };
        let control = Control {
            open: Some(&open),
            ..Control::default()
        };
        let mut of = experiment(MRAM);
        of.targets.clear();
        let log = r#"{ "kind": "buffer", "source": { "kind": "log", "file": "my.log" } }"#;
        of.workload = wordline_core::Experiment::from_value(serde_json::json!({
            "targets": [], "workload": serde_json::from_str::<serde_json::Value>(log).expect("JSON"),
        }))
        .map(|read| read.workload)
        .expect("the experiment of a log");
        let keys = KeyMaker::new();
        let first = keys.key(&catalog(), &of, &control).expect("a key");
        assert_eq!(first, keys.key(&catalog(), &of, &control).expect("a key"));
        (first, reads.load(Ordering::Relaxed))
    };
    let (one, reads) = text("1");
    let (two, _) = text("2");
    assert_eq!(reads, 1, "the experiment names a file");
    assert_ne!(one, two);
}

#[test]
fn what_is_measured_is_neither_kept_nor_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut of_host = experiment("ram@host");
    let Some(Workload::Kv(kv)) = Workload::usual("kv", Some("bench")) else {
        panic!("kv bench is a command");
    };
    of_host.workload = Workload::Kv(KvWorkload { ..kv });
    let none = StoreKey::of(&catalog(), &of_host, &Control::default());
    assert_eq!(none.expect("a target"), None);
    let key = key(&catalog(), &experiment(MRAM));
    let mut document =
        crate::run(&catalog(), &experiment(MRAM), &Control::default()).expect("it runs");
    document.environment = Some([("cpu".to_owned(), "one".to_owned())].into());
    store.put(&key, &document).expect("it is passed over");
    assert!(store.get(&key).expect("readable").is_none());
    document.environment = None;
    document.complete = false;
    store.put(&key, &document).expect("it is passed over");
    assert!(store.get(&key).expect("readable").is_none());
}

#[test]
fn damaged_entries_count_as_none_and_are_written_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let key = key(&catalog(), &experiment(MRAM));
    let run = || {
        store
            .run(&catalog(), &experiment(MRAM), &Control::default())
            .expect("it runs")
    };
    let document = run().document;
    let path = store.place(&key);
    let whole = std::fs::read(&path).expect("an entry");
    for cut in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        std::fs::write(&path, &whole[..cut]).expect("writable");
        assert!(store.get(&key).expect("readable").is_none(), "cut at {cut}");
        let mut flipped = whole.clone();
        flipped[cut] ^= 1;
        std::fs::write(&path, &flipped).expect("writable");
        assert!(
            store.get(&key).expect("readable").is_none(),
            "flipped at {cut}"
        );
    }
    // A whole entry of another key.
    let other = StoreKey::of(
        &catalog(),
        &Experiment {
            seed: 9,
            ..experiment(MRAM)
        },
        &Control::default(),
    );
    let other = other.expect("a target").expect("simulated");
    let place = store.place(&other);
    std::fs::create_dir_all(place.parent().expect("a folder")).expect("writable");
    std::fs::write(&place, &whole).expect("writable");
    assert!(store.get(&other).expect("readable").is_none());
    let anew = run();
    assert_eq!((anew.was_stored, &anew.document), (false, &document));
    assert!(run().was_stored);
}

#[test]
fn what_killed_writers_left_is_cleared_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let key = key(&catalog(), &experiment(MRAM));
    let path = store.place(&key);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    let (file, left) = new_beside(&path).expect("a file");
    let long_ago = std::time::SystemTime::now() - 2 * LEFT;
    file.set_modified(long_ago).expect("a time");
    let (_, of_another) = new_beside(&path).expect("a file");
    store
        .run(&catalog(), &experiment(MRAM), &Control::default())
        .expect("it runs");
    assert!(!left.exists() && path.exists());
    assert!(of_another.exists(), "its writer may be at work");
}

/// A pipe would be waited for without end.
#[cfg(unix)]
#[test]
fn what_is_no_file_counts_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let key = key(&catalog(), &experiment(MRAM));
    let path = store.place(&key);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    let socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    assert!(store.get(&key).expect("it is passed over").is_none());
    drop(socket);
    std::fs::remove_file(&path).expect("removable");
    std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
    assert!(store.get(&key).expect("it is passed over").is_none());
    let other = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", other.path().join(MARK)).expect("a link");
    let error = Store::open(other.path()).expect_err("no mark").to_string();
    assert!(error.contains("layout unknown"), "{error}");
}

/// What an input was when its key was made is not what the run read.
#[test]
fn a_result_is_not_kept_where_its_input_changed_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let experiment: Experiment = serde_json::from_value(serde_json::json!({
        "targets": ["mrdimm-8800-2rx4-128g@xeon6-1s"], "timing": ["max"], "age": 0.0, "seed": 0,
        "workload": { "kind": "app", "file": "profile.json", "draws": 20 },
    }))
    .expect("an experiment");
    let profile = |lines_read: f64| {
        let value = |value: f64| serde_json::json!({ "value": value, "basis": "measured" });
        serde_json::json!({
            "schema": 1, "name": "even", "baseline": "rdimm-6400-2rx4-128g@xeon6-1s", "cores": 128,
            "phases": [{
                "name": "all", "seconds": value(10.0), "lines_read": value(lines_read), "lines_written": value(1e10),
                "stall_share": value(0.6), "locality": value(0.5), "imbalance": value(1.0),
                "load": { "levels": [[1.0, 1.0]], "window_s": 0.001, "basis": "measured" }
            }]
        })
        .to_string()
    };
    let opened = std::sync::atomic::AtomicU32::new(0);
    // The first time it is opened is for the key.
    let changing = |_: &str| -> std::io::Result<Box<dyn std::io::BufRead>> {
        let is_first = opened.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        let text = profile(if is_first { 4e10 } else { 5e10 });
        Ok(Box::new(std::io::Cursor::new(text)))
    };
    let control = Control {
        open: Some(&changing),
        ..Control::default()
    };
    let run = store
        .run(&catalog(), &experiment, &control)
        .expect("it runs");
    assert!(!run.was_stored);
    let steady = |_: &str| -> std::io::Result<Box<dyn std::io::BufRead>> {
        Ok(Box::new(std::io::Cursor::new(profile(4e10))))
    };
    let control = Control {
        open: Some(&steady),
        ..Control::default()
    };
    let first = store
        .run(&catalog(), &experiment, &control)
        .expect("it runs");
    assert!(!first.was_stored, "what was read was another log");
    let again = store
        .run(&catalog(), &experiment, &control)
        .expect("it runs");
    assert!(again.was_stored);
}

/// As the jobs of an array begin.
#[test]
fn many_may_open_a_new_store_at_once() {
    for _ in 0..50 {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            let opened: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Store::open(folder.path()).map(drop)))
                .collect();
            for one in opened {
                one.join()
                    .expect("no panic")
                    .expect("each of them opens it");
            }
        });
    }
}

#[test]
fn other_folders_and_layouts_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    std::fs::create_dir(place("photos")).expect("writable");
    std::fs::write(place("photos/cat.jpg"), "").expect("writable");
    let error = Store::open(&place("photos")).expect_err("another folder");
    assert!(
        error.to_string().contains("is not a store of results"),
        "{error}"
    );
    std::fs::create_dir(place("later")).expect("writable");
    std::fs::write(place("later").join(MARK), "{ \"wordline_store\": 2 }").expect("writable");
    let error = Store::open(&place("later")).expect_err("another layout");
    assert!(
        error
            .to_string()
            .contains("has layout 2; this version reads layout 1"),
        "{error}"
    );
    std::fs::write(place("later").join(MARK), "junk").expect("writable");
    let error = Store::open(&place("later")).expect_err("no mark");
    assert!(error.to_string().contains("layout unknown"), "{error}");
    std::fs::write(place("file"), "").expect("writable");
    let error = Store::open(&place("file")).expect_err("a file");
    assert!(error.to_string().starts_with("the store "), "{error}");
}

/// The crates that the laboratory is built of, by its manifest.
fn own_crates() -> Vec<String> {
    let mut names = vec!["lab".to_owned()];
    let mut index = 0;
    while index < names.len() {
        let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(&names[index]);
        let text = std::fs::read_to_string(manifest.join("Cargo.toml")).expect("a manifest");
        let dependencies = text.split("[dev-dependencies]").next().unwrap_or_default();
        for line in dependencies.lines() {
            if let Some(rest) = line.strip_prefix("wordline-") {
                let name: String = rest.chars().take_while(|c| !". =".contains(*c)).collect();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        index += 1;
    }
    names
}

/// Every constant of a model lies in a file that is hashed.
#[test]
fn every_source_of_the_simulation_is_hashed() {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let (_, files) = script::sources(&own).expect("readable");
    let hashed: BTreeSet<PathBuf> = files
        .iter()
        .map(|file| file.canonicalize().expect("a file"))
        .collect();
    let crates = own_crates();
    assert!(crates.len() > 12, "{crates:?}");
    let mut seen = 0;
    for name in crates {
        let mut folders = vec![own.join("..").join(&name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let is_hashed = hashed.contains(&path.canonicalize().expect("a file"));
                    assert!(is_hashed, "{}", path.display());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

/// A digit that is changed anywhere in what is hashed changes the digest.
#[test]
fn a_change_of_any_hashed_file_changes_the_digest() {
    use sha2::Digest as _;
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("crates/lab");
    let files = [
        ("crates/lab/src/lib.rs", true),
        ("crates/core/src/deep/a.rs", true),
        ("crates/nvm/src/b.rs", true),
        ("crates/nvm/Cargo.toml", true),
        ("crates/catalog/parts/p.toml", true),
        ("crates/new/src/lib.rs", true),
        ("crates/nvm/tests/t.rs", false),
        ("crates/nvm/README.md", false),
        ("crates/cli/src/main.rs", false),
        ("Cargo.lock", true),
        ("Cargo.toml", true),
    ];
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    };
    let digest = || {
        let (_, files) = script::sources(&own).expect("readable");
        script::digest(&own, &files).expect("readable").finalize()
    };
    for (name, _) in files {
        write(name, "const TIME: u64 = 1;");
    }
    let before = digest();
    for (name, counts) in files {
        write(name, "const TIME: u64 = 2;");
        assert_eq!(digest() != before, counts, "{name}");
        write(name, "const TIME: u64 = 1;");
    }
    assert_eq!(digest(), before);
}

/// The first digit of the value of each constant of a source, by the name of the constant.
fn constants(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let code = code.strip_prefix("pub ").unwrap_or(code);
        let code = code.strip_prefix("pub(crate) ").unwrap_or(code);
        let code = code.strip_prefix("pub(super) ").unwrap_or(code);
        let named = code
            .strip_prefix("const ")
            .and_then(|rest| rest.split_once(':'));
        if let Some((name, value)) = named
            && !name.starts_with("fn")
            && let Some((_, value)) = value.split_once('=')
            && let Some(digit) = value.find(|letter: char| letter.is_ascii_digit())
        {
            let end = line.len() - value.len();
            found.push((name, at + end + digit));
        }
        at += line.len();
    }
    found
}

/// The crates whose constants are those of models, in a folder of its own, each constant changed in turn.
#[test]
fn each_constant_of_a_model_changes_the_digest_and_words_beside_them_do_not() {
    use sha2::Digest as _;
    const MODELS: [&str; 9] = [
        "apps", "catalog", "core", "crash", "dram", "engines", "kv", "lab", "nvm",
    ];
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let crates = own.join("..");
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("crates");
    let (_, files) = script::sources(&own).expect("readable");
    // Data of megabytes is hashed by the tests above.
    let sources = files.iter().filter(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".rs") || name == "Cargo.toml"
    });
    for file in sources {
        let Ok(name) = file.strip_prefix(own.parent().expect("crates")) else {
            continue;
        };
        let place = copy.join(name);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("writable");
        std::fs::copy(crates.join(name), place).expect("writable");
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        std::fs::write(folder.path().join(name), "").expect("writable");
    }
    let copied = copy.join("lab");
    let digest = |files: &[PathBuf]| {
        let digest = script::digest(&copied, files).expect("readable");
        digest.finalize()
    };
    let (_, all) = script::sources(&copied).expect("readable");
    let whole = digest(&all);
    let mut changed = 0;
    for name in MODELS {
        // The first constant of a crate by the whole tree; the others by what their own file adds to it.
        let mut is_first = true;
        let prefix = copy.join(name).join("src");
        for file in all.iter().filter(|file| file.starts_with(&prefix)) {
            let text = std::fs::read_to_string(file).expect("text");
            let alone = digest(std::slice::from_ref(file));
            for (constant, digit) in constants(&text) {
                let mut bytes = text.clone().into_bytes();
                bytes[digit] = if bytes[digit] == b'9' {
                    b'1'
                } else {
                    bytes[digit] + 1
                };
                std::fs::write(file, bytes).expect("writable");
                let place = file.display();
                assert_ne!(
                    digest(std::slice::from_ref(file)),
                    alone,
                    "{constant}, {place}"
                );
                if std::mem::take(&mut is_first) {
                    assert_ne!(digest(&all), whole, "{constant}, {place}");
                }
                changed += 1;
            }
            std::fs::write(file, &text).expect("writable");
        }
        assert!(!is_first, "{name} has no constant");
    }
    assert!(changed > 500, "{changed} constants");
    assert_eq!(digest(&all), whole);
    for name in [
        "report/src/lib.rs",
        "cli/src/main.rs",
        "nvm/tests/t.rs",
        "nvm/README.md",
    ] {
        let place = copy.join(name);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("writable");
        std::fs::write(place, "// A comment.").expect("writable");
    }
    let (_, all) = script::sources(&copied).expect("readable");
    assert_eq!(digest(&all), whole, "a comment that no model has");
}
