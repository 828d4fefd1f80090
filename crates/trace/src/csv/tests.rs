use wordline_core::Operation;
use wordline_core::quantity::Time;

use crate::{
    LatencyUnit, Log, LogFormat, LogOptions, LogSummary, LoggedAccess, Oddity, TraceError, open,
};

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
        ("latency_bytes,op,bytes\n", "\"latency_bytes\" needs a unit"),
        ("latency_us,op\n", "how many bytes"),
        ("latency_us,op\n", "--record 4KiB"),
        ("latency_us,bytes\n", "what an access did"),
        ("latency_us,bytes\n", "--operation write"),
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

/// The unit is that which a memory could have.
#[test]
fn a_unit_that_nothing_states_is_taken_where_one_makes_sense() {
    for (name, values, unit, first_ps) in [
        ("lat", "212,198,240", "us", 212_000_000),
        ("latency", "0.000212,0.0002,0.00019", "s", 212_000_000),
        ("duration", "0.212,0.2,0.19", "ms", 212_000_000),
        ("clat", "900000,850000,800000", "ns", 900_000_000),
    ] {
        let lines: String = values
            .split(',')
            .map(|value| format!("w,4096,{value}\n"))
            .collect();
        let text = format!("op,bytes,{name}\n{lines}");
        let (all, summary) = read_with(&text, &LogOptions::default()).expect(name);
        assert_eq!(all[0].duration, Time::from_ps(first_ps), "{name}");
        let told = summary.oddities[0].to_string();
        let option = format!("--unit {name}={unit} makes it certain");
        assert!(told.contains(&format!("is taken as {unit}")), "{told}");
        assert!(told.ends_with(&option), "{told}");
    }
}

#[test]
fn of_several_units_that_make_sense_the_user_chooses() {
    let text = "op,bytes,lat\nw,4096,32418\nw,4096,10445\n";
    let error = refused(text);
    assert_eq!(
        error,
        "line 1: column \"lat\" states no unit, and several make sense: add --unit lat=ns (191 MB/s) or --unit \
         lat=us (191 KB/s)"
    );
    for (unit, ps) in [("ns", 32_418_000), ("us", 32_418_000_000)] {
        let (all, summary) = read_with(text, &with_unit("lat", unit)).expect(unit);
        assert_eq!(all[0].duration, Time::from_ps(ps));
        assert!(summary.oddities.is_empty());
    }
    // Times in a known unit settle it: 43 us fit into 50 us.
    let text = "start_us,op,bytes,lat\n0,w,4096,32418\n40,w,4096,10445\n";
    assert_eq!(
        read(text).expect("settled")[0].duration,
        Time::from_ps(32_418_000)
    );
    assert!(refused("op,bytes,lat\nw,4096,1e20\n").contains("in none of ns, us, ms and s"));
    assert!(refused("op,bytes,lat\nw,4096,nan\n").contains("it is no number"));
}

fn with_unit(column: &str, unit: &str) -> LogOptions {
    LogOptions {
        units: vec![(column.to_owned(), unit.to_owned())],
        ..LogOptions::default()
    }
}

#[test]
fn a_unit_is_of_a_column_that_is_there_and_of_its_kind() {
    let text = "op,bytes,lat\nw,4096,212\n";
    for (column, unit, words) in [
        (
            "latency",
            "us",
            "--unit: \"latency\" is no column that is used",
        ),
        (
            "lat",
            "kib",
            "\"kib\" is no unit of column \"lat\"; allowed: ps, ns",
        ),
        ("op", "us", "is no unit of column \"op\""),
    ] {
        let error = read_with(text, &with_unit(column, unit)).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    }
    let said = read_with(
        "op,bytes,latency_us\nw,1,2\n",
        &with_unit("latency_us", "ms"),
    );
    let said = said.expect("what is said counts");
    assert_eq!(said.0[0].duration, Time::from_ps(2_000_000_000));
}

#[test]
fn cells_carry_units_of_their_own_where_the_column_states_none() {
    let text = "op,bs,lat\nw,4k,212.6 us\nw,1M,1.5ms\nw,4 KiB,200 µs\nw,512,3 s\n";
    let all = read(text).expect("sound");
    let told: Vec<_> = all
        .iter()
        .map(|each| (each.bytes, each.duration.ps()))
        .collect();
    let ps = [212_600_000, 1_500_000_000, 200_000_000, 3_000_000_000_000];
    assert_eq!(
        told,
        [(4096, ps[0]), (1 << 20, ps[1]), (4096, ps[2]), (512, ps[3])]
    );
    assert!(refused("op,bs,lat\nw,4k,2 parsecs\n").contains("its unit is unknown"));
    assert!(refused("op,size_kib,lat_us\nw,4k,2\n").contains("it is no number"));
    assert!(refused("op,bs,lat_us\nw,4,2\n").contains("--unit bs=bytes or --unit bs=kib or"));
    let (all, _) = read_with("op,bs,lat_us\nw,4,2\n", &with_unit("bs", "kib")).expect("said");
    assert_eq!(all[0].bytes, 4096);
    let mixed = "op,bs,lat\nw,4k,212 us\nw,4k,212\n";
    assert!(read(mixed).is_ok(), "taken as us");
}

#[test]
fn a_time_is_a_start_where_its_unit_is_known() {
    let text = |name: &str| format!("{name},op,bytes,latency_us\n10,r,1,2.5\n");
    let end = |text: &str| read(text).expect("sound")[0].end;
    assert_eq!(end(&text("time_us")), Some(Time::from_ps(12_500_000)));
    assert_eq!(
        end(&text("Timestamp(ms)")),
        Some(Time::from_ps(10_002_500_000))
    );
    assert_eq!(end(&text("time")), None);
    let (all, _) = read_with(&text("time"), &with_unit("time", "s")).expect("said");
    assert_eq!(all[0].end, Some(Time::from_ps(10_000_002_500_000)));
    assert_eq!(
        end("time_us,end_us,op,bytes,latency_us\n1,7,r,1,2\n"),
        Some(Time::from_ps(7_000_000))
    );
}

#[test]
fn one_duration_a_line_needs_what_no_line_tells() {
    let options = LogOptions {
        operation: Some(Operation::Write),
        bytes: Some(4096),
        ..LogOptions::default()
    };
    let (all, summary) = read_with("0.000212\n0.000198\n\n0.0002\n", &options).expect("sound");
    assert_eq!(all[1], write(198_000_000, 4096, 2));
    assert_eq!(summary.format, "durations, one a line");
    assert!(
        summary.oddities[0]
            .to_string()
            .contains("--unit duration=s")
    );
    assert!(refused("0.000212\n").contains("add --operation write"));
    let wrong = read_with("0.0002\nx\n0.0002\n", &options).expect_err("no number");
    assert_eq!(
        wrong.to_string(),
        "line 2: column \"duration\" is \"x\": it is no number"
    );
    for hostile in ["-1\n", "nan\n", "1e9999\n2\n", "0\n", "1e300\n"] {
        let _ = read_with(hostile, &options);
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

#[test]
fn durations_that_contradict_their_instants_are_noted() {
    let contradictions = |text: &str| -> Vec<Oddity> {
        let (_, summary) = read_with(text, &LogOptions::default()).expect("sound");
        let all = summary.oddities.into_iter();
        all.filter(|one| matches!(one, Oddity::Contradiction { .. }))
            .collect()
    };
    let head = "operation,bytes,duration_us,start_us,end_us\n";
    let found = contradictions(&format!(
        "{head}w,4096,300,0,300\nw,4096,300,310,9910\nw,4096,300,620,20620\n"
    ));
    assert_eq!(
        found,
        [Oddity::Contradiction {
            line: 3,
            count: 2,
            most: Time::from_ps(19_700_000_000),
        }]
    );
    // A tenth may be the program's own, and instants are known to their last digit.
    for sound in [
        format!("{head}w,4096,300,0,330\nw,4096,300,400,704\n"),
        "op,bytes,lat_us,start_ms,end_ms\nw,4096,300,0,1\nw,4096,300,1,3\n".to_owned(),
        "op,bytes,lat_us,start_s,end_s\nw,4096,300,0.000,0.001\n".to_owned(),
    ] {
        assert_eq!(contradictions(&sound), [], "{sound}");
    }
    let fine = "op,bytes,lat_us,start_s,end_s\nw,4096,300,0.00000,0.00100\n";
    assert_eq!(contradictions(fine).len(), 1);
    let backwards = refused(&format!("{head}w,4096,300,600,300\n"));
    assert!(
        backwards.contains("line 2: the access ends before it starts"),
        "{backwards}"
    );
}

#[test]
fn accesses_of_no_bytes_are_refused_with_their_line() {
    let text = "operation,bytes,duration_us\nwrite,4096,300\nwrite,0,310\n\n";
    let error = refused(text);
    assert!(
        error.starts_with("line 3: column \"bytes\" is \"0\": an access moves one byte at least"),
        "{error}"
    );
    // Trims are left out whatever they say.
    let trims = "operation,bytes,duration_us\nwrite,4096,300\ntrim,0,310\n";
    assert_eq!(read(trims).expect("sound").len(), 1);
}

#[test]
fn the_unit_of_all_values_is_that_of_columns_without_one() {
    let in_ns = LogOptions {
        unit: Some(LatencyUnit::Nanoseconds),
        ..LogOptions::default()
    };
    let bare = "operation,bytes,lat\nwrite,4096,250000\nwrite,4096,270000\n";
    let (all, summary) = read_with(bare, &in_ns).expect("sound");
    assert_eq!(all[0].duration, Time::from_ps(250_000_000));
    assert_eq!(summary.oddities, []);
    let same = "operation,bytes,lat_ns\nwrite,4096,250000\n";
    assert!(read_with(same, &in_ns).is_ok());
    let other = "operation,bytes,lat_us\nwrite,4096,250\n";
    let error = read_with(other, &in_ns).expect_err("another").to_string();
    assert!(
        error.contains("column \"lat_us\" states another unit"),
        "{error}"
    );
    let ioping = "4 KiB <<< x (ext4 /dev/sda1): request=1 time=212.6 us\n";
    let ioping_in_ns = LogOptions {
        format: Some(LogFormat::Ioping),
        ..in_ns
    };
    let error = open(ioping.as_bytes(), &ioping_in_ns).expect_err("stated");
    assert!(
        error.to_string().contains("leave --log-unit out"),
        "{error}"
    );
}
