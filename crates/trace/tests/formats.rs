//! Every format is recognised by its first bytes, and read as what was asked of it.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wordline_core::Operation;
use wordline_trace::{
    AskedAccess, CurrentSample, Log, LogFormat, LogOptions, LogPurpose, LoggedAccess, TraceError,
    open,
};

/// A file of the corpus of the fuzz targets.
fn corpus(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    fs::read(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn wanted(purpose: LogPurpose, job: Option<&str>) -> LogOptions {
    LogOptions {
        purpose,
        job: job.map(str::to_owned),
        ..LogOptions::default()
    }
}

/// The format in words, whatever the log holds.
fn format(data: &[u8], options: &LogOptions) -> Result<String, TraceError> {
    Ok(match open(data, options)? {
        Log::Accesses(mut log) => {
            log.by_ref().for_each(drop);
            log.summary().format
        }
        Log::Asked(mut log) => {
            log.by_ref().for_each(drop);
            log.summary().format
        }
        Log::Counted(counted) => counted.summary.format,
        Log::Currents(mut log) => {
            log.by_ref().for_each(drop);
            log.summary().format
        }
    })
}

fn durations(data: &[u8], options: &LogOptions) -> Result<Vec<LoggedAccess>, TraceError> {
    match open(data, options)? {
        Log::Accesses(log) => log.collect(),
        other => panic!("{other:?}"),
    }
}

fn workload(data: &[u8], options: &LogOptions) -> Result<Vec<AskedAccess>, TraceError> {
    match open(data, options)? {
        Log::Asked(log) => log.collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_format_is_recognised_by_its_first_bytes() {
    for each in LogFormat::all() {
        let (sample, words) = match each {
            LogFormat::Recorder => ("recorder/example.wlr", "firmware recorder"),
            LogFormat::Iolog => ("trace/version-3.iolog", "fio iolog, version 3"),
            LogFormat::Blkparse => ("trace/blkparse.txt", "blkparse, D to C"),
            LogFormat::FioLog => ("log/fio-6.log", "fio latency log, 6 columns"),
            LogFormat::FioJson => ("log/fio-json-plus.json", "json+"),
            LogFormat::FioHistogram => ("log/fio-hist-29.log", "fio 3 histogram log"),
            LogFormat::Ioping => ("log/ioping.txt", "ioping"),
            LogFormat::Current => ("log/ppk2.csv", "current over time"),
            LogFormat::Csv => ("log/csv-comma.csv", "CSV, "),
            LogFormat::Column => ("log/column.txt", "durations, one a line"),
        };
        let data = corpus(sample);
        let column = each == LogFormat::Column;
        let untold = LogOptions {
            operation: column.then_some(Operation::Write),
            bytes: column.then_some(4096),
            ..LogOptions::default()
        };
        let told = LogOptions {
            format: Some(each),
            ..untold.clone()
        };
        let found = format(&data, &untold).expect(sample);
        assert!(found.contains(words), "{sample}: {found}");
        assert_eq!(found, format(&data, &told).expect(sample), "{sample}");
        if each != LogFormat::Recorder {
            let commented = [b"\xEF\xBB\xBF\n# a comment\n", &data[..]].concat();
            assert_eq!(found, format(&commented, &untold).expect(sample));
        }
    }
}

#[test]
fn what_blkparse_wrote_gives_durations_or_a_workload() {
    let text = corpus("trace/blkparse.txt");
    let measured = durations(&text, &wanted(LogPurpose::Durations, None)).expect("sound");
    assert!(measured.iter().all(|access| access.duration.ps() > 0));
    let asked = workload(&text, &wanted(LogPurpose::Workload, None)).expect("sound");
    assert!(asked.iter().all(|access| access.at.is_some()));
    assert!(!measured.is_empty() && !asked.is_empty());
    // Formats that are read in one way only are what they are.
    let replay = corpus("trace/version-3.iolog");
    assert!(workload(&replay, &wanted(LogPurpose::Durations, None)).is_ok());
    let capture = corpus("recorder/example.wlr");
    assert!(durations(&capture, &wanted(LogPurpose::Workload, None)).is_ok());
}

#[test]
fn the_job_chooses_the_device_of_blkparse() {
    let event = |device: &str, action: char, sector: u64, ns: u64| {
        format!("{device} 0 1 0.{ns:09} 1 {action} R {sector} + 8 [0]\n")
    };
    let text: String = [("8,0", 16), ("8,16", 24)]
        .into_iter()
        .flat_map(|(device, sector)| "QDC".chars().map(move |action| (device, sector, action)))
        .zip(1..)
        .map(|((device, sector, action), ns)| event(device, action, sector, ns))
        .collect();
    for (job, sector) in [("8,0", 16), ("8,16", 24)] {
        let asked = workload(text.as_bytes(), &wanted(LogPurpose::Workload, Some(job))).expect(job);
        assert_eq!((asked.len(), asked[0].offset), (1, sector * 512));
        let told =
            durations(text.as_bytes(), &wanted(LogPurpose::Durations, Some(job))).expect(job);
        assert_eq!((told.len(), told[0].offset), (1, Some(sector * 512)));
    }
    for purpose in [LogPurpose::Workload, LogPurpose::Durations] {
        let refused = |job| {
            let error = format(text.as_bytes(), &wanted(purpose, job));
            error.expect_err("no device").to_string()
        };
        assert_eq!(
            refused(Some("sda")),
            "line 1: \"sda\" is no device; expected MAJOR,MINOR, such as 8,0"
        );
    }
    let error = workload(text.as_bytes(), &wanted(LogPurpose::Workload, None)).expect_err("two");
    assert!(error.to_string().contains("choose one"), "{error}");
}

#[test]
fn the_job_chooses_the_file_of_a_replay_log() {
    let text = b"fio version 2 iolog\n/a read 0 512\n#b write 4096 1024\n";
    for (job, offset) in [("/a", 0), ("#b", 4096)] {
        let asked = workload(text, &wanted(LogPurpose::Workload, Some(job))).expect(job);
        assert_eq!((asked.len(), asked[0].offset), (1, offset));
    }
    let error = workload(text, &wanted(LogPurpose::Workload, None)).expect_err("two files");
    assert!(
        error.to_string().starts_with("line 3: an access to \"#b\""),
        "{error}"
    );
}

/// A receiver is plugged in at any time: the first header comes up to 64 frames later.
#[test]
fn a_capture_that_begins_late_is_recognised() {
    let late = corpus("recorder/late.wlr");
    let header = late
        .windows(4)
        .position(|four| four == b"WLR1")
        .expect("a header comes");
    assert!(header > 100, "it begins late");
    let whole = durations(&late, &LogOptions::default()).expect("sound");
    for start in (1..header).step_by(7).chain([header - 2, header - 1]) {
        let told = durations(&late[start..], &LogOptions::default())
            .unwrap_or_else(|error| panic!("from {start}: {error}"));
        assert!(told.len() <= whole.len() && !told.is_empty());
    }
    // Behind what a console printed meanwhile, in what is looked at and beyond.
    let behind = |bytes: usize| [&b"[I] tick\r\n".repeat(bytes / 10), &late[..]].concat();
    assert!(durations(&behind(60_000), &LogOptions::default()).is_ok());
    assert!(durations(&behind(70_000), &LogOptions::default()).is_err());
    let told = LogOptions {
        format: Some(LogFormat::Recorder),
        ..LogOptions::default()
    };
    assert!(durations(&behind(70_000), &told).is_ok());
}

#[test]
fn a_text_that_mentions_the_magic_is_no_capture() {
    let csv = "op,bytes,duration_us,WLR1\nw,4096,12,WLR1\n";
    let leading = "WLR1,op,bytes,duration_us\n\"WLR1,\",w,4096,12\n";
    for text in [csv, leading] {
        let found = format(text.as_bytes(), &LogOptions::default()).expect("a CSV");
        assert!(found.starts_with("CSV, 4 columns"), "{found}");
        // A crash has left zeros in it.
        let torn = text.replace("4096", "\0\0\0\0");
        let error = durations(torn.as_bytes(), &LogOptions::default()).expect_err("torn");
        assert!(error.to_string().starts_with("line 2: column"), "{error}");
    }
    let zeros = durations(&corpus("log/fio-nul.log"), &LogOptions::default()).expect_err("zeros");
    assert!(zeros.to_string().contains("NUL"), "{zeros}");
    for noise in ["no log\0 WLR1\0", "\0\0\0\0", "WLR1\0"] {
        let error = format(noise.as_bytes(), &LogOptions::default()).expect_err(noise);
        assert!(error.to_string().contains("of no known format"), "{error}");
    }
}

/// A choice that a log cannot follow would be ignored silently.
#[test]
fn a_job_is_asked_only_of_logs_that_name_theirs() {
    for name in [
        "recorder/example.wlr",
        "log/fio-6.log",
        "log/fio-hist-29.log",
    ] {
        let data = corpus(name);
        let error = format(&data, &wanted(LogPurpose::Durations, Some("writer"))).expect_err(name);
        let told = error.to_string();
        assert!(
            told.starts_with("line 1: job writer: a log of the format "),
            "{told}"
        );
        assert!(
            told.ends_with("does not name it; leave --job out"),
            "{told}"
        );
    }
    let csv = b"operation,bytes,duration_us\nwrite,4096,10\n";
    assert!(format(csv, &wanted(LogPurpose::Durations, Some("writer"))).is_err());
    assert!(format(csv, &wanted(LogPurpose::Durations, None)).is_ok());
}

#[test]
fn what_ioping_prints_is_accesses_without_its_warm_up() {
    let all = durations(&corpus("log/ioping.txt"), &LogOptions::default()).expect("sound");
    let told: Vec<_> = all
        .iter()
        .map(|each| (each.operation, each.bytes, each.duration.ps()))
        .collect();
    assert_eq!(told[0], (Operation::Read, 4096, 212_600_000));
    assert_eq!(told[2], (Operation::Read, 4096, 1_520_000_000));
    assert_eq!(told.len(), 4, "the warm-up and the sums are left out");
    let old = "4.0 kb to . (ext4 /dev/sda1): request=1 time=0.2 ms\n4096 bytes from . (x y): request=2 time=1 s\n";
    let all = durations(old.as_bytes(), &LogOptions::default()).expect("sound");
    assert_eq!((all[0].operation, all[0].bytes), (Operation::Write, 4096));
    assert_eq!(
        (all[1].bytes, all[1].duration.ps()),
        (4096, 1_000_000_000_000)
    );
    for (line, words) in [
        ("4 KiB <<< . (x): request=1 time=nan us", "it is no number"),
        ("4 KiB <<< . (x): request=1 time=1", "has no unit"),
        (
            "4 KiB <<< . (x): request=1 time=1e9 s",
            "longer than 213 days",
        ),
        (
            "x KiB <<< . (x): request=1 time=1 us",
            "not a decimal number",
        ),
        ("4 KiB <<< . (x): request=1", "no time="),
        ("hello", "is not a request of ioping"),
    ] {
        let text = format!(
            "4 KiB <<< . (x): request=1 time=1 us\n{line}\n4 KiB <<< . (x): request=1 time=1 us\n"
        );
        let error = durations(text.as_bytes(), &LogOptions::default())
            .expect_err(line)
            .to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(words),
            "{error}"
        );
    }
}

fn currents(text: &str, units: &[(&str, &str)]) -> Result<Vec<CurrentSample>, TraceError> {
    let options = LogOptions {
        units: units
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect(),
        ..LogOptions::default()
    };
    match open(text.as_bytes(), &options)? {
        Log::Currents(log) => log.collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn currents_come_with_their_units_and_gaps() {
    let ppk = currents(
        "Timestamp(ms),Current(uA),D0-D7\n0.00,3100,00000000\n0.01,-2.5,00000001\n",
        &[],
    );
    let ppk = ppk.expect("sound");
    assert_eq!((ppk[1].at.ps(), ppk[1].line), (10_000_000, 3));
    assert!((ppk[0].amperes.expect("told") - 3.1e-3).abs() < 1e-12);
    assert!(ppk[1].amperes.is_some_and(|amperes| amperes < 0.0));
    let joulescope =
        "#time,current,voltage,power,charge,energy\n0.0,0.4,4.7,1.9,0,0\n0.5,NaN,4.7,,,\n";
    let joulescope = currents(joulescope, &[]).expect("sound");
    assert_eq!(
        (joulescope[0].amperes, joulescope[0].volts),
        (Some(0.4), Some(4.7))
    );
    assert_eq!(
        (joulescope[1].amperes, joulescope[1].at.ps()),
        (None, 500_000_000_000)
    );
    let variants = "time (s);Current [mA];Voltage (mV)\n0,5;12,5;3300\n";
    let variants = currents(variants, &[]).expect("sound");
    assert_eq!(variants[0].amperes, Some(0.0125));
    assert!(
        variants[0]
            .volts
            .is_some_and(|volts| (volts - 3.3).abs() < 1e-12)
    );
    let said = currents("time,current\n1,5\n", &[("time", "ms"), ("current", "mA")]).expect("said");
    assert_eq!(
        (said[0].at.ps(), said[0].amperes),
        (1_000_000_000, Some(0.005))
    );
}

#[test]
fn units_of_currents_that_nothing_states_are_noted() {
    let taken = |text: &str| -> Vec<String> {
        let Log::Currents(mut log) = open(text.as_bytes(), &LogOptions::default()).expect("sound")
        else {
            panic!("a current");
        };
        assert!(log.by_ref().all(|sample| sample.is_ok()));
        let oddities = log.summary().oddities.into_iter();
        oddities.map(|oddity| oddity.to_string()).collect()
    };
    let bare = taken("time,current,voltage_mV\n0,0.4,3300\n");
    assert_eq!(bare.len(), 2, "{bare:?}");
    assert!(
        bare[0]
            .starts_with("line 1: column \"time\" states no unit and is taken as s, the SI unit"),
        "{bare:?}"
    );
    assert!(
        bare[1].contains("--unit current.current=A makes it certain"),
        "{bare:?}"
    );
    // What a Joulescope writes is documented.
    let documented = "#time,current,voltage,power,charge,energy\n0.0,0.4,4.7,1.9,0,0\n";
    assert_eq!(taken(documented), [""; 0]);
    assert_eq!(taken("Timestamp(ms),Current(uA)\n0,1\n"), [""; 0]);
}

#[test]
fn currents_that_make_no_sense_are_refused_with_their_line() {
    for (text, words) in [
        (
            "Current(uA)\n1\n",
            "line 1: no column tells when a sample was taken",
        ),
        (
            "Timestamp(ms),Current(uA)\n",
            "line 1: no sample of the current follows the names",
        ),
        (
            "Timestamp(ms),Current(uA),Current(mA)\n0,1,1\n",
            "line 1: columns \"Current(uA)\" and \"Current(mA)\" hold the same quantity",
        ),
        (
            "Timestamp(ms),time,Current(uA)\n0,0,1\n",
            "line 1: columns \"Timestamp(ms)\" and \"time\" hold",
        ),
        (
            "Timestamp(ms),Current(uA)\n0,1\n2,1\n1,1\n3,1\n",
            "line 4: the time is earlier",
        ),
        (
            "Timestamp(ms),Current(uA)\n0,inf\n1,1\n",
            "line 2: column \"Current(uA)\" is \"inf\"",
        ),
        (
            "Timestamp(ms),Current(uA)\n0,1e300\n1,1\n",
            "line 2: column",
        ),
        (
            "Timestamp(ms),Current(uA)\nnan,1\n1,1\n",
            "line 2: column \"Timestamp(ms)\" is \"nan\"",
        ),
        ("Timestamp(ms),Current(uA)\n0\n1,1\n", "line 2: 1 columns"),
        ("Timestamp(weeks),Current(uA)\n", "no known format"),
    ] {
        let error = currents(text, &[]).expect_err(text).to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
    let error = currents("time,current\n1,5\n", &[("lat", "us")]).expect_err("no such column");
    assert!(
        error.to_string().contains("--unit: \"lat\" is no column"),
        "{error}"
    );
}

#[test]
fn a_unit_is_said_only_of_logs_with_columns() {
    let options = LogOptions {
        units: vec![("lat".to_owned(), "us".to_owned())],
        ..LogOptions::default()
    };
    let error = format(&corpus("log/fio-6.log"), &options)
        .expect_err("no columns")
        .to_string();
    assert!(
        error.ends_with("has no named columns; leave --unit out"),
        "{error}"
    );
}

proptest! {
    /// Whatever happens to a log, it is read or refused.
    #[test]
    fn damaged_logs_are_read_or_refused(
        at in any::<prop::sample::Index>(),
        with in prop_oneof![
            Just("\n".to_owned()), Just(",".to_owned()), Just("nan".to_owned()), Just("1e999".to_owned()),
            Just("-".to_owned()), Just("\0".to_owned()), Just("99999999999999999999".to_owned()),
            "[ -~]{0,4}",
        ],
        cut in 0_usize..12,
    ) {
        for name in [
            "ioping.txt", "ppk2.csv", "joulescope.csv", "joulescope-units.csv", "column.txt", "column-units.txt",
            "csv-lat.csv", "csv-cells.csv", "csv-time.csv",
        ] {
            let mut data = corpus(&format!("log/{name}"));
            let at = at.index(data.len());
            let end = (at + cut).min(data.len());
            data.splice(at..end, with.bytes());
            for (bytes, unit) in [(None, None), (Some(4096), Some("us")), (Some(0), None)] {
                let options = LogOptions {
                    operation: bytes.map(|_| Operation::Write),
                    bytes,
                    units: unit.map(|unit| ("lat".to_owned(), unit.to_owned())).into_iter().collect(),
                    ..LogOptions::default()
                };
                if let Err(error) = format(&data, &options) {
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}
