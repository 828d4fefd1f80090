//! What people see of `wordline sql`.

use wordline_core::results::{NoValue, ResultSet, Row, Warning, WarningCode};
use wordline_core::{Axis, Metric, SqlJournal, Workload};

use crate::pivot::Pivot;
use crate::{Detail, Format, Style, answer, fixture, render};

fn first_screen(document: &ResultSet) -> String {
    let style = Style {
        detail: Detail::Answer,
        ..Style::default()
    };
    render(document, Format::Table, &style)
}

/// A screen without its breaks of lines.
fn words(document: &ResultSet) -> String {
    let screen = first_screen(document);
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_fixtures_are_documents() {
    for document in [fixture::database(), fixture::database_search()] {
        assert_eq!(document.check(), Ok(()));
    }
}

#[test]
fn setups_that_differ_only_in_the_file_system_s_choices_stand_apart() {
    let mut document = fixture::database();
    for row in &mut document.rows {
        if row.text(Axis::Fs) == Some("littlefs") && row.text(Axis::Journal) == Some("delete") {
            row.axes
                .insert(Axis::FsSettings, "littlefs.block=128".into());
        }
    }
    let all = render(&document, Format::Table, &Style::default());
    assert!(all.contains("littlefs.block=128"), "{all}");
    assert!(all.contains("littlefs.block=512"), "{all}");
}

#[test]
fn each_setup_has_a_bar_of_its_own() {
    let mut document = fixture::database();
    let mut parts = document.rows.clone();
    parts.retain(|row| row.metric == Metric::LatencyMax);
    for row in &mut parts {
        row.metric = Metric::LatencyMaxOperationTime;
        row.axes.insert(Axis::DeviceOperation, "write".into());
    }
    document.rows.extend(parts);
    let plots = super::slowest_transactions(&Pivot::of(&document, super::VIEW.keys));
    let drawn = serde_json::to_string(&plots).expect("plain data");
    for bar in [
        "flat, journal wal, pages of 512 B, insert of 10 rows",
        "littlefs, journal delete, pages of 4 KiB, insert of 10 rows",
        "littlefs, journal delete, pages of 512 B, insert of 10 rows",
    ] {
        assert!(drawn.contains(bar), "{bar}");
    }
}

#[test]
fn the_best_of_another_file_system_is_told_where_the_runner_up_is_of_the_same() {
    let mut document = fixture::database();
    let is_slow = |row: &Row| row.text(Axis::Journal) == Some("delete");
    assert!(!words(&document).contains(" also "));
    for row in document.rows.iter_mut().filter(|row| is_slow(row)) {
        if row.axes.get(&Axis::PageBytes) == Some(&4096_u64.into()) {
            row.axes.insert(Axis::Fs, "flat".into());
            row.value = row.value.map(|value| value / 1e3);
        }
    }
    let screen = words(&document);
    assert!(
        screen.contains("runner-up flat, journal delete"),
        "{screen}"
    );
    assert!(screen.contains("also littlefs, journal wal"), "{screen}");
}

#[test]
fn a_database_that_came_to_no_figures_says_why_on_the_first_screen() {
    let mut document = fixture::database();
    for row in &mut document.rows {
        row.value = None;
        row.no_value = Some(NoValue::Failed);
    }
    document.warnings.push(Warning {
        code: WarningCode::RunFailed.to_string(),
        advice: "flat: line 3: near \"insrt\": syntax error".to_owned(),
    });
    let screen = words(&document);
    let why = "came to no figures. failed flat: line 3: near \"insrt\": syntax error";
    assert!(screen.contains(why), "{screen}");
}

#[test]
fn an_energy_that_no_sheet_knows_takes_no_column() {
    let mut document = fixture::database();
    assert!(!words(&document).contains("energy"));
    let mut row = document.rows[0].clone();
    row.metric = Metric::EnergyPerOp;
    row.unit = Metric::EnergyPerOp.unit().to_owned();
    row.value = None;
    row.no_value = Some(NoValue::NotApplicable);
    document.rows.push(row.clone());
    assert!(!words(&document).contains("energy"));
    row.value = Some(1e-6);
    row.no_value = None;
    *document.rows.last_mut().expect("it was added") = row;
    assert!(words(&document).contains("energy"));
}

#[test]
fn a_search_names_the_fastest_with_its_gain_and_how_to_set_it_up() {
    let document = fixture::database_search();
    let sentences = answer(&document);
    assert_eq!(
        sentences[0],
        "Take flat, journal wal, pages of 512 B: 250 times as fast as the defaults on littlefs, and no simulated power cut \
         loses data."
    );
    assert_eq!(
        sentences[1],
        "Insert of 10 rows takes 36.7 us on average, and 9.11 ms with the defaults on littlefs."
    );
    assert_eq!(
        sentences[2],
        "Set up a connection by PRAGMA page_size=512; PRAGMA journal_mode=wal; PRAGMA synchronous=full; PRAGMA \
         wal_autocheckpoint=300;"
    );
    let command = "--on flat --journal wal --page 512 --checkpoint 300 --workload insert --rows 10 --transactions 900.";
    assert!(sentences[3].contains(command), "{}", sentences[3]);
    let screen = words(&document);
    assert!(
        screen.contains("PRAGMA wal_autocheckpoint=300;"),
        "{screen}"
    );
    assert!(
        screen.contains("runner-up littlefs, journal wal, pages of 512 B, littlefs.block=512,littlefs.read=4: insert"),
        "{screen}"
    );
    // What was only tried has no line.
    assert!(!screen.contains("8.77 ms"), "{screen}");
    assert!(first_screen(&document).lines().count() <= 24);
}

/// The defaults are no answer where the lists leave them out, however fast they are.
#[test]
fn a_search_names_no_defaults_that_were_left_out() {
    let mut document = fixture::database_search();
    for row in &mut document.rows {
        let is_defaults = row.text(Axis::Journal) == Some("delete")
            && row.axes.get(&Axis::PageBytes) == Some(&4096_u64.into());
        if is_defaults && row.metric == Metric::LatencyMean {
            row.value = Some(1e-6);
        }
    }
    let Workload::Sql(sql) = &mut document.experiment.workload else {
        unreachable!("it is of a database");
    };
    sql.journals = vec![SqlJournal::Wal];
    let sentences = answer(&document);
    assert!(
        sentences[0].starts_with("Take flat, journal wal"),
        "{sentences:?}"
    );
}

#[test]
fn a_search_without_a_verdict_says_so() {
    let mut document = fixture::database_search();
    document
        .rows
        .retain(|row| !row.metric.name().starts_with("crash"));
    assert!(answer(&document)[0].ends_with("; power was not cut."));
    for row in &mut document.rows {
        row.no_value = row.value.take().map(|_| NoValue::Failed);
    }
    let screen = words(&document);
    assert!(screen.contains("came to no figures"), "{screen}");
}
