//! The checked-in corpus of the fuzz targets, and the embedded sheets, pass the checks that fuzzing
//! makes. Every input that once broke something is part of the corpus.

#[path = "../../../fuzz/checks/counters.rs"]
mod counters;
#[path = "../../../fuzz/checks/cycling.rs"]
mod cycling;
#[path = "../../../fuzz/checks/document.rs"]
mod document;
#[path = "../../../fuzz/checks/dram_trace.rs"]
mod dram_trace;
#[path = "../../../fuzz/checks/figures.rs"]
mod figures;
#[path = "../../../fuzz/checks/file_trace.rs"]
mod file_trace;
#[path = "../../../fuzz/checks/import.rs"]
mod import;
#[path = "../../../fuzz/checks/log.rs"]
mod log;
#[path = "../../../fuzz/checks/measured.rs"]
mod measured;
#[path = "../../../fuzz/checks/mess.rs"]
mod mess;
#[path = "../../../fuzz/checks/packed.rs"]
mod packed;
#[path = "../../../fuzz/checks/quantity.rs"]
mod quantity;
#[path = "../../../fuzz/checks/recorder.rs"]
mod recorder;
#[path = "../../../fuzz/checks/sheet.rs"]
mod sheet;
#[path = "../../../fuzz/checks/study.rs"]
mod study;
#[path = "../../../fuzz/checks/table_image.rs"]
mod table_image;
#[path = "../../../fuzz/checks/trace.rs"]
mod trace;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use wordline_core::quantity::{ByteCount, Current, Cycles, Frequency, Quantity, Time, Voltage};

fn corpus_file(target: &str, name: &str) -> Vec<u8> {
    fs::read(corpus(target).join(name)).expect("the corpus is checked in")
}

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target)
}

/// Runs a check on every file of a target's corpus, and names the file that fails.
fn replay<T>(target: &str, check: fn(&[u8]) -> T) {
    let mut replayed = 0;
    for entry in fs::read_dir(corpus(target)).expect("the corpus is checked in") {
        let path = entry.expect("readable").path();
        let data = fs::read(&path).expect("readable");
        let passed = std::panic::catch_unwind(|| {
            check(&data);
        });
        assert!(passed.is_ok(), "{} fails", path.display());
        replayed += 1;
    }
    assert!(replayed >= 12, "{target} has a corpus of {replayed}");
}

#[test]
fn the_corpus_of_sheets_passes() {
    replay("sheet", sheet::check);
}

#[test]
fn the_corpus_of_figures_passes() {
    assert!(
        sheet::check(figures::sheets(&[]).as_bytes()),
        "the sheets are sound"
    );
    replay("figures", |data| {
        sheet::check(figures::sheets(data).as_bytes())
    });
}

/// Inputs that are refused at once would test little.
#[test]
fn the_sound_sheets_of_the_corpus_load() {
    for name in [
        "part.toml",
        "board.toml",
        "part-and-board.toml",
        "dram-hash-matrix.toml",
    ] {
        assert!(
            sheet::check(&corpus_file("sheet", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_quantities_passes() {
    replay("quantity", quantity::check);
}

#[test]
fn the_corpus_of_documents_passes() {
    replay("document", document::check);
}

#[test]
fn the_corpus_of_dumps_passes() {
    replay("import", import::check);
}

/// Inputs that are refused at once would test little.
#[test]
fn the_sound_dumps_of_the_corpus_are_read() {
    for name in [
        "mt25qu01g.hex",
        "mx25uw6345g.hex",
        "mx25l3255e.txt",
        "mt29f2g08abbea.bin",
    ] {
        assert!(
            import::check(&corpus_file("import", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_cycling_logs_passes() {
    replay("cycling", cycling::check);
    for name in [
        "simulated.csv",
        "sparse.csv",
        "quoted.csv",
        "bytes.csv",
        "carriage-return.csv",
        "extreme.csv",
        "table.csv",
        "table-brackets.csv",
    ] {
        assert!(
            cycling::check(&corpus_file("cycling", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_other_tools_outputs_passes() {
    replay("measured", measured::check);
    for name in [
        "mlc.txt",
        "mlc-whole.txt",
        "mlc-idle.txt",
        "multichase.txt",
        "multichase-verbose.txt",
        "multiload.txt",
        "loaded-latency.txt",
        "summary.txt",
        "stream.txt",
        "stream-5.9.txt",
        "mess.txt",
    ] {
        assert!(
            measured::check(&corpus_file("measured", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_counters_passes() {
    replay("counters", counters::check);
    for name in [
        "perf-interval.csv",
        "perf-whole.csv",
        "perf-semicolon.csv",
        "perf-socket.csv",
        "perf-multiplexed.csv",
        "perf-zen3.csv",
        "perf-neoverse.csv",
        "perf.json",
        "toplev.csv",
        "perfspect.csv",
        "perfspect-summary.csv",
        "likwid.csv",
        "likwid-regions.csv",
        "likwid-timeline.csv",
        "pcm.csv",
        "pcm-memory.csv",
        "pcm-old.csv",
    ] {
        assert!(
            counters::check(&corpus_file("counters", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_file_traces_passes() {
    replay("file_trace", file_trace::check);
    for name in ["all.wft", "all.txt", "git.wft", "empty.wft", "quoted.txt"] {
        assert!(
            file_trace::check(&corpus_file("file_trace", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_captures_passes() {
    replay("recorder", recorder::check);
}

#[test]
fn the_corpus_of_traces_passes() {
    replay("trace", trace::check);
}

#[test]
fn the_corpus_of_memory_traces_passes() {
    replay("dram_trace", dram_trace::check);
}

/// Inputs that are refused at once would test little.
#[test]
fn the_sound_memory_traces_of_the_corpus_are_read() {
    for name in [
        "dramsim3.trc",
        "ramulator.trace",
        "loadstore.trace",
        "comma.csv",
        "semicolon.csv",
        "epoch.csv",
        "comment-bom.csv",
        "walk.lackey",
        "program.trace",
        "commands.txt",
    ] {
        assert!(
            dram_trace::check(&corpus_file("dram_trace", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_curves_passes() {
    replay("mess", mess::check);
    for name in ["falling.txt", "rising.txt", "two-mixes.csv"] {
        assert!(mess::check(&corpus_file("mess", name)), "{name} is refused");
    }
}

#[test]
fn the_corpus_of_compressed_files_passes() {
    replay("packed", packed::check);
    for name in ["walk.gz", "walk.zst", "two-members.gz", "skippable.zst"] {
        assert!(
            packed::check(&corpus_file("packed", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_corpus_of_logs_passes() {
    replay("log", log::check);
}

#[test]
fn the_corpus_of_studies_passes() {
    replay("study", study::check);
}

#[test]
fn the_corpus_of_table_images_passes() {
    replay("table_image", table_image::check);
    for name in ["three-records.img", "wrong-bit.img"] {
        assert!(
            table_image::check(&corpus_file("table_image", name)),
            "{name} is refused"
        );
    }
}

/// Inputs that are refused at once would test little.
#[test]
fn the_sound_studies_of_the_corpus_are_read() {
    for name in ["least.toml", "everything.toml", "replay.toml", "dear.toml"] {
        assert!(
            study::check(&corpus_file("study", name)),
            "{name} is refused"
        );
    }
}

/// Inputs that are refused at once would test little.
#[test]
fn the_sound_captures_and_traces_of_the_corpus_are_read() {
    for name in ["example.wlr", "noise.wlr", "late.wlr", "lost.wlr"] {
        assert!(
            recorder::check(&corpus_file("recorder", name)),
            "{name} is refused"
        );
    }
    for name in [
        "blkparse.txt",
        "issued-only.txt",
        "version-2.iolog",
        "version-3.iolog",
    ] {
        assert!(
            trace::check(&corpus_file("trace", name)),
            "{name} is refused"
        );
    }
}

#[test]
fn the_sound_logs_of_the_corpus_are_read() {
    for name in [
        "fio-4.log",
        "fio-5-offset.log",
        "fio-5-priority.log",
        "fio-6.log",
        "fio-6-hex.log",
        "fio-6-issue.log",
        "fio-7-issue.log",
        "fio-hist-29.log",
        "fio-json-plus.json",
        "csv-comma.csv",
        "csv-semicolon.csv",
    ] {
        assert!(log::check(&corpus_file("log", name)), "{name} is refused");
    }
}

#[test]
fn the_embedded_sheets_pass() {
    for (_, text) in wordline_catalog::EMBEDDED.iter() {
        let renamed = text.replacen("em064lx\"", "copy\"", 1);
        sheet::check(
            renamed
                .replacen("\"stm32h7", "\"copy-stm32h7", 1)
                .as_bytes(),
        );
        sheet::check(text.as_bytes());
    }
}

/// Each figure of a part and its board in turn, and then all of one kind at once, is set to the
/// ends of what can be written.
#[test]
fn figures_at_their_extremes_are_refused_or_run() {
    let text = String::from_utf8(corpus_file("sheet", "part-and-board.toml")).expect("text");
    assert!(sheet::check(text.as_bytes()), "the sheets are sound");
    extremes::<Frequency>(&text, &["0 Hz", "1 Hz", "18446744073709551615 Hz"]);
    extremes::<Time>(&text, &["0 ps", "1 ps", "18446744073709551615 ps"]);
    extremes::<Cycles>(&text, &["0 cycles", "18446744073709551615 cycles"]);
    extremes::<ByteCount>(&text, &["0 B", "1 B", "4096 B", "18446744073709551615 B"]);
    extremes::<Current>(&text, &["0 A", "5e-324 A", "1.7976931348623157e308 A"]);
    extremes::<Voltage>(&text, &["0 V", "5e-324 V", "1.7976931348623157e308 V"]);
}

fn extremes<Q: Quantity>(text: &str, values: &[&str]) {
    let places = quantities::<Q>(text);
    assert!(
        !places.is_empty(),
        "the sheets state no {}",
        Q::DIMENSION.name
    );
    for value in values {
        for place in &places {
            sheet::check(replaced(text, std::slice::from_ref(place), value).as_bytes());
        }
        sheet::check(replaced(text, &places, value).as_bytes());
    }
}

/// Where quantities of one dimension stand between quotes.
fn quantities<Q: Quantity>(text: &str) -> Vec<Range<usize>> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let quoted = quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    quoted
        .filter(|place| text[place.clone()].parse::<Q>().is_ok())
        .collect()
}

fn replaced(text: &str, places: &[Range<usize>], with: &str) -> String {
    let mut out = text.to_owned();
    for place in places.iter().rev() {
        out.replace_range(place.clone(), with);
    }
    out
}
