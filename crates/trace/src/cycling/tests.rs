use proptest::prelude::*;

use super::*;
use crate::TraceError;

const NAMES: &str = "chip,block,cycle,operation,latency_us,status\n";

fn read(lines: &str) -> Result<CyclingLog, TraceError> {
    CyclingLog::read(format!("{NAMES}{lines}").as_bytes())
}

fn refused(lines: &str) -> String {
    match read(lines) {
        Err(error) => error.to_string(),
        Ok(log) => panic!("{lines:?} is accepted: {log:?}"),
    }
}

#[test]
fn blocks_come_in_order_of_appearance_with_their_lives() {
    let log = read(
        "a,3,1,program,200,ok\nb,3,1,program,210,ok\na,3,1,erase,1000,ok\na,3,2,program,200,ok\n\
         a,3,2,erase,1500,\na,3,9,erase,2000,failed\na,3,9,read,25,ok\n",
    )
    .expect("it is sound");
    let [first, second] = &log.blocks[..] else {
        panic!("two blocks: {log:?}");
    };
    assert_eq!(
        (first.name().as_str(), second.name().as_str()),
        ("chip a, block 3", "chip b, block 3")
    );
    assert_eq!(first.failed, Some((9, CyclingOperation::Erase)));
    assert_eq!((first.cycles, first.line, second.line), (9, 2, 3));
    let told = |operation| {
        let points = first.of(operation);
        let told = points.map(|one| (one.cycle, one.line, one.lines));
        told.collect::<Vec<_>>()
    };
    let once = "what takes equally long is one, and counts its lines";
    assert_eq!(told(CyclingOperation::Program), [(1, 2, 2)], "{once}");
    assert_eq!(told(CyclingOperation::Erase), [(1, 4, 1), (2, 6, 1)]);
}

#[test]
fn units_are_in_the_name() {
    for (name, text, ps) in [
        ("latency_ns", "1210", 1_210_000),
        ("latency_us", "1.21", 1_210_000),
        ("latency_ms", "1.21", 1_210_000_000),
        ("latency_s", "1.21e-3", 1_210_000_000),
    ] {
        let text = format!("note,operation,cycle,block,{name}\nx,erase,1,0,{text}\n");
        let log = CyclingLog::read(text.as_bytes()).expect("it is sound");
        assert_eq!(log.blocks[0].points[0].duration.ps(), ps, "{name}");
        assert_eq!(log.passed_over, ["\"note\""]);
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    for (lines, message) in [
        ("", "the log has no access in it"),
        (
            "a,1,0,erase,5,ok\n",
            "line 2: column cycle is \"0\": cycles count from 1",
        ),
        (
            "a,1,1,wipe,5,ok\n",
            "line 2: column operation is \"wipe\": allowed are program, erase, read",
        ),
        (
            "a,1,1,erase,0,ok\n",
            "line 2: column latency is \"0\": no operation takes no time",
        ),
        (
            "a,1,1,erase,-5,ok\n",
            "line 2: column latency is \"-5\": it is below zero",
        ),
        (
            "a,1,1,erase,1e30,ok\n",
            "line 2: column latency is \"1e30\": longer than a minute",
        ),
        (
            "a,1,1,erase,60000001,ok\n",
            "line 2: column latency is \"60000001\": longer than a minute",
        ),
        (
            "a,1,1,erase,nan,ok\n",
            "line 2: column latency is \"nan\": it is no number",
        ),
        (
            "a,1,1,erase,5,bad\n",
            "line 2: column status is \"bad\": allowed are ok, failed",
        ),
        (
            "a,1,1,erase,5\n",
            "line 2: 5 columns, where the first line names 6",
        ),
        (
            "a,x,1,erase,5,ok\n",
            "line 2: column block is \"x\": it is no number",
        ),
        (
            "a,1,2,erase,5,ok\na,1,1,erase,5,ok\n",
            "line 3: chip a, block 1 is in cycle 1 after cycle 2",
        ),
        (
            "a,1,2,erase,5,failed\na,1,2,erase,5,ok\n",
            "line 3: chip a, block 1 goes on after its erase failed in cycle 2",
        ),
        (
            "a,1,1,read,5,failed\n",
            "line 2: a read does not fail with a status",
        ),
        ("\"a,1,1,erase,5,ok\n", "line 2: a quote is not closed"),
    ] {
        let refused = refused(lines);
        assert!(refused.starts_with(message), "{refused}");
    }
}

#[test]
fn missing_columns_are_named_with_those_that_there_are() {
    for (names, message) in [
        (
            "block,cycle,latency_us\n",
            "line 1: no column is named operation: found",
        ),
        (
            "block,cycle,operation,latency\n",
            "line 1: no column is named latency_us: found",
        ),
        (
            "block,block,cycle,operation,latency_us\n",
            "line 1: two columns are named block",
        ),
        (
            "block,cycle,operation,latency_us,latency_s\n",
            "line 1: two columns tell the latency",
        ),
    ] {
        let error = CyclingLog::read(names.as_bytes()).expect_err("it is refused");
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn the_mark_of_a_spreadsheet_is_no_part_of_a_name() {
    let text = "\u{feff}chip,block,cycle,operation,latency_us\na,0,1,erase,5\nb,0,1,erase,6\n";
    let log = CyclingLog::read(text.as_bytes()).expect("it is sound");
    assert_eq!((log.blocks.len(), log.passed_over.len()), (2, 0));
}

#[test]
fn a_line_that_is_cut_off_is_left_out() {
    let log = read("a,1,1,erase,1000,ok\na,1,2,era").expect("all but the end is sound");
    assert_eq!((log.blocks[0].cycles, log.cut_off), (1, Some(3)));
    assert!(
        refused("a,1,1,era").starts_with("line 2:"),
        "nothing is left"
    );
}

proptest! {
    #[test]
    fn what_is_written_comes_back(
        operations in proptest::collection::vec((0u64..3, 1u64..60_000_000_000_000, any::<bool>()), 1..40),
        chip in "[ -~\r]{0,12}",
    ) {
        let mut text = Vec::new();
        let mut writer = CyclingWriter::new(&mut text).expect("memory takes it");
        for (cycle, (block, ps, is_erase)) in (1..).zip(&operations) {
            let operation = if *is_erase { CyclingOperation::Erase } else { CyclingOperation::Program };
            let duration = wordline_core::quantity::Time::from_ps(*ps);
            writer.operation(&chip, *block, cycle, operation, duration, false).expect("memory takes it");
        }
        writer.finish().expect("memory takes it");
        let log = CyclingLog::read(&text[..]).expect("it is sound");
        for life in &log.blocks {
            prop_assert_eq!(&life.chip, chip.trim_ascii());
            for point in &life.points {
                let (block, ps, is_erase) = operations[point.cycle as usize - 1];
                prop_assert_eq!((life.block, point.duration.ps()), (block, ps));
                prop_assert_eq!(is_erase, point.operation == CyclingOperation::Erase);
            }
        }
    }

    #[test]
    fn bytes_never_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = CyclingLog::read(&text[..]);
        let _ = CyclingLog::read(&[NAMES.as_bytes(), &text].concat()[..]);
    }
}
