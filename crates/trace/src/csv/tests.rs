use wordline_core::Operation;
use wordline_core::quantity::Time;

use crate::{Log, LogFormat, LogOptions, LogSummary, LoggedAccess, Oddity, TraceError, open};

fn read_with(
    text: &str,
    options: &LogOptions,
) -> Result<(Vec<LoggedAccess>, LogSummary), TraceError> {
    let Log::Accesses(mut accesses) = open(text.as_bytes(), options)? else {
        panic!("a CSV has accesses");
    };
    let all = accesses.by_ref().collect::<Result<_, _>>()?;
    Ok((all, accesses.summary()))
}

fn read(text: &str) -> Result<Vec<LoggedAccess>, TraceError> {
    read_with(text, &LogOptions::default()).map(|(all, _)| all)
}

fn refused(text: &str) -> String {
    read(text).expect_err("refused").to_string()
}

fn write(ps: u64, bytes: u64, line: u64) -> LoggedAccess {
    LoggedAccess {
        operation: Operation::Write,
        duration: Time::from_ps(ps),
        bytes,
        offset: None,
        end: None,
        line,
    }
}

#[test]
fn names_carry_their_units() {
    for (name, value, ps) in [
        ("duration_us", "12.345678", 12_345_678),
        ("latency_ns", "0.1", 100),
        ("Latency (µs)", "1e3", 1_000_000_000),
        ("lat[ms]", "9007.199254740993", 9_007_199_254_741),
        ("elapsed s", "1.000000000001", 1_000_000_000_001),
        ("CLAT_PS", "7", 7),
    ] {
        let text = format!("operation,bytes,{name}\nwrite,4096,{value}\n");
        assert_eq!(read(&text).expect(name), [write(ps, 4096, 2)]);
    }
    for (name, value, bytes) in [
        ("bytes", "512", 512),
        ("size_kib", "0.5", 512),
        ("length_kb", "4", 4_000),
        ("bs (MiB)", "1", 1 << 20),
        ("size_sectors", "8", 4_096),
    ] {
        let text = format!("duration_ns;op;{name}\n1;W;{value}\n");
        assert_eq!(read(&text).expect(name), [write(1_000, bytes, 2)]);
    }
}

#[test]
fn separators_quotes_and_decimal_commas_are_understood() {
    for text in [
        "op,bytes,duration_us\nw,4096,1.5\n",
        "op;bytes;duration_us\nw;4096;1,5\n",
        "op\tbytes\tduration_us\nw\t4096\t1,5\n",
        "\u{FEFF}\"op\";\"bytes\";\"duration_us\"\r\n\"w\";\"4096\";\"1,5\"\r\n",
        "\"op\",\"bytes\",\"duration_us\"\n\"w\", 4096 , 1.5 \n",
    ] {
        assert_eq!(read(text).expect(text), [write(1_500_000, 4096, 2)]);
    }
}

#[test]
fn start_and_end_give_the_duration_and_the_other_end() {
    let all = read("start_s,end_s,op,bytes\n1.5,1.500002,r,1\n").expect("sound");
    assert_eq!(all[0].duration, Time::from_ps(2_000_000));
    assert_eq!(all[0].end, Some(Time::from_ps(1_500_002_000_000)));
    let all = read("issue_time_us,latency_us,op,bytes\n10,2.5,r,1\n").expect("sound");
    assert_eq!(all[0].end, Some(Time::from_ps(12_500_000)));
    assert!(refused("start_s,end_s,op,bytes\n2,1,r,1\n").contains("ends before it starts"));
}

#[test]
fn seconds_since_1970_fit() {
    let text = "end_s,latency_us,op,bytes\n1795163993.006,1,r,1\n1795163993.0065,1,r,1\n";
    let all = read(text).expect("sound");
    let ends: Vec<u64> = all
        .iter()
        .filter_map(|each| each.end)
        .map(Time::ps)
        .collect();
    assert_eq!(ends[1] - ends[0], 500_000_000);
}

#[test]
fn what_a_column_does_not_say_can_be_said_of_all() {
    let options = LogOptions {
        operation: Some(Operation::Write),
        bytes: Some(4096),
        ..LogOptions::default()
    };
    let (all, summary) = read_with("thread,latency_us\n7,3\n", &options).expect("sound");
    assert_eq!(all, [write(3_000_000, 4096, 2)]);
    assert_eq!(summary.format, "CSV, 2 columns (not used: \"thread\")");
}

#[test]
fn first_lines_that_lack_something_are_refused_with_the_names() {
    for (text, problem) in [
        ("op,bytes\n", "how long an access took"),
        ("latency,op,bytes\n", "\"latency\" needs a unit"),
        ("size,latency_us,op\n", "\"size\" needs a unit"),
        ("latency_bytes,op,bytes\n", "\"latency_bytes\" needs a unit"),
        ("latency_us,op\n", "how many bytes"),
        ("latency_us,bytes\n", "what an access did"),
        ("latency_us,lat_ns,op,bytes\n", "another one says already"),
    ] {
        let error = refused(text);
        assert!(error.starts_with("line 1: "), "{error}");
        assert!(error.contains(problem), "{error}");
        assert!(
            error.contains("duration_us") && error.contains("kib"),
            "{error}"
        );
    }
}

#[test]
fn lines_that_make_no_sense_are_refused_with_their_column() {
    let line = |line: &str| refused(&format!("op,bytes,duration_us\nr,1,1\n{line}\nr,1,1\n"));
    assert_eq!(
        line("r,1"),
        "line 3: 2 columns, where the first line names 3"
    );
    assert_eq!(
        line("r,1,x"),
        "line 3: column \"duration_us\" is \"x\": it is no number"
    );
    assert_eq!(
        line("r,1,-1"),
        "line 3: column \"duration_us\" is \"-1\": it is below zero"
    );
    assert!(line("r,1.5,1").contains("column \"bytes\""));
    assert!(line("x,1,1").contains("allowed are read, r"));
    assert!(line("r,1,1e30").contains("longer than 213 days"));
    assert!(line("r,1,\"1").contains("not closed"));
    assert!(line("r,1,\0").contains("\\0"));
}

#[test]
fn a_last_line_without_end_counts_where_it_makes_sense() {
    let all = read("op,bytes,duration_us\nw,1,1\nw,1,2").expect("sound");
    assert_eq!(all.len(), 2);
    let (all, summary) =
        read_with("op,bytes,duration_us\nw,1,1\nw,1", &LogOptions::default()).expect("sound");
    assert_eq!(all.len(), 1);
    assert_eq!(summary.oddities, [Oddity::TruncatedEnd { line: 3 }]);
}

#[test]
fn trims_are_left_out_and_counted() {
    let text = "op,bytes,duration_us\ntrim,1,1\nw,1,1\nD,1,1\n";
    let (all, summary) = read_with(text, &LogOptions::default()).expect("sound");
    assert_eq!(all.len(), 1);
    assert_eq!(
        summary.oddities,
        [Oddity::Skipped {
            line: 2,
            count: 2,
            what: "trims"
        }]
    );
}

#[test]
fn nothing_but_names_is_empty() {
    assert!(matches!(
        read("op,bytes,duration_us\n\n"),
        Err(TraceError::Empty)
    ));
    let options = LogOptions {
        format: Some(LogFormat::Csv),
        ..LogOptions::default()
    };
    assert!(read_with("1,2,3\n", &options).is_err());
}
