//! SQL of a user on a database: its errors have lines, it can be stopped, and what is no text is refused.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use wordline_catalog::Catalog;
use wordline_core::results::ResultSet;
use wordline_core::{Experiment, SqlJournal, SqlWorkload, Timing, Workload};
use wordline_lab::{Control, LabError, run};

/// Runs a script on flat on MRAM, with a flag that stops it.
fn ran(script: &'static str, stop: &AtomicBool) -> Result<ResultSet, LabError> {
    let open = |_: &str| -> io::Result<Box<dyn BufRead>> { Ok(Box::new(script.as_bytes())) };
    let experiment = Experiment {
        targets: vec!["em064lx@stm32h755-qspi".to_owned()],
        workload: Workload::Sql(SqlWorkload {
            file_systems: vec!["flat".parse().expect("a name")],
            journals: vec![SqlJournal::Wal],
            script: Some("my.sql".to_owned()),
            capacity_bytes: Some(1 << 20),
            ..SqlWorkload::default()
        }),
        timings: vec![Timing::Typ],
        age: 0.0,
        seed: 3,
        ftl: None,
    };
    let control = Control {
        open: Some(&open),
        stop: Some(stop),
        threads: 1,
        ..Control::default()
    };
    run(
        &Catalog::load(&[]).expect("the embedded sheets"),
        &experiment,
        &control,
    )
}

fn warnings(script: &'static str) -> String {
    let document = ran(script, &AtomicBool::new(false)).expect("it can be read");
    let warnings = document.warnings.iter();
    warnings
        .map(|warning| format!("{warning:?}\n"))
        .collect::<String>()
}

#[test]
fn an_error_names_its_line_within_a_statement_of_several() {
    let said = warnings("CREATE TABLE t(a);\n\nINSERT INTO t\n  SELECT\n  nowhere FROM t;");
    assert!(said.contains("line 5: no such column: nowhere"), "{said}");
    let said = warnings("SELECT 1;\n.headers on\nSELECT 2;");
    assert!(
        said.contains("line 2: near \\\".\\\"") || said.contains("line 2: near \".\""),
        "{said}"
    );
    let said = warnings("ATTACH '/etc/x' AS x;\nSELECT 1");
    assert!(said.contains("line 1: unable to open database"), "{said}");
}

#[test]
fn a_script_with_a_zero_byte_is_refused_with_its_line() {
    let refused = ran("SELECT 1;\nSELECT '\0';", &AtomicBool::new(false));
    let said = refused.expect_err("it is no text").to_string();
    assert!(said.contains("my.sql") && said.contains("line 2"), "{said}");
}

#[test]
fn a_script_without_end_is_stopped() {
    let endless = "CREATE TABLE t(a);
        WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT sum(x % 3) FROM n";
    let stop = AtomicBool::new(false);
    let document = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        ran(endless, &stop)
    });
    let document = document.expect("it can be read");
    assert!(!document.complete);
}
