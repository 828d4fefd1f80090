//! What people see of `wordline compare`.

use wordline_core::results::{AxisValue, ResultSet, Row, UnprovenLimit, Verdict};
use wordline_core::{Axis, Metric};

use crate::{Format, Style, answer, fixture, render};

#[test]
fn the_fixture_is_a_document() {
    assert_eq!(fixture::compare().check(), Ok(()));
}

#[test]
fn a_terminal_of_120_columns_shows_a_line_for_each_verdict() {
    let style = Style {
        width: Some(120),
        ..Style::default()
    };
    insta::assert_snapshot!(render(&fixture::compare(), Format::Table, &style));
}

#[test]
fn markdown_has_both_columns_of_the_data_sheet_side_by_side() {
    let text = render(&fixture::compare(), Format::Markdown, &Style::default());
    insta::assert_snapshot!(text);
}

#[test]
fn what_survives_until_chips_report_failures_has_a_table_of_its_own() {
    let mut document = fixture::compare();
    let lifetimes = document.rows.iter();
    let lifetimes = lifetimes.filter(|row| row.metric == Metric::Lifetime);
    let heads: Vec<Row> = lifetimes.take(4).cloned().collect();
    for row in heads {
        let mut push = |metric, of: &str, axis: &str, at: AxisValue, value| {
            let mut row = row.clone();
            row.axes.insert(Axis::Estimate, "status-fail".into());
            row.axes.insert(Axis::Population, of.into());
            row.axes
                .insert(axis.parse().expect("an axis of the registry"), at);
            row.metric = metric;
            row.unit = metric.unit().to_owned();
            (row.value, row.no_value) = (Some(value), None);
            document.rows.push(row);
        };
        for (years, left) in [(1_u64, 0.99995), (10, 0.42), (50, 1e-9)] {
            let metric = Metric::SurvivalProbability;
            push(metric, "memory", "after_years", years.into(), left);
        }
        for (of, share) in [("memory", 0.99), ("first-block", 0.5), ("block", 0.5)] {
            push(Metric::Lifetime, of, "survivors", share.into(), 1e8 / share);
        }
    }
    assert_eq!(document.check(), Ok(()));
    let text = render(&document, Format::Markdown, &Style::default());
    let table = text.split("Until the chip reports").nth(1);
    let lines: Vec<&str> = table.expect("a table").lines().collect();
    let lines = lines.iter().filter(|line| line.starts_with('|'));
    let lines: Vec<String> = lines.map(|line| line.replace(' ', "")).collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].ends_with("|1y|10y|50y|1%gone|worstblock|medianblock|"));
    // Both columns of the data sheet say the same, and it is said once.
    let expected = "|\\>99.9%|42.0%|\\<0.1%|3.20years|6.34years|6.34years|";
    assert!(lines[2].ends_with(expected), "{}", lines[2]);
    // The lifetime among the figures is none of these.
    let plain = render(&fixture::compare(), Format::Markdown, &Style::default());
    let figures = |text: &str| -> Vec<String> {
        let table = text.split("Key figures").nth(1).expect("a table");
        let lines = table.lines().skip(1).skip_while(|line| line.is_empty());
        let lines = lines.take_while(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    assert!(figures(&plain).len() > 5);
    assert_eq!(figures(&text), figures(&plain));
}

#[test]
fn many_warnings_are_told_by_their_kind() {
    for format in [Format::Table, Format::Markdown] {
        let text = render(&fixture::warned(), format, &Style::default());
        let warnings: Vec<_> = text
            .lines()
            .filter(|line| line.contains("arning"))
            .collect();
        assert_eq!(warnings.len(), 4, "{text}");
        for (line, wanted) in warnings.iter().zip([
            "default",
            "default",
            "caution, 18 times",
            "JSON and HTML hold every warning.",
        ]) {
            assert!(line.contains(wanted), "{line}");
        }
        assert!(text.contains("part0: beware; and 17 more"), "{text}");
    }
}

/// What is proven stands beside what was simulated; few candidates that keep a limit in simulation alone have sentences of
/// their own, and many are named by the limit.
#[test]
fn what_is_proven_stands_beside_what_was_simulated() {
    let mut document = fixture::compare();
    document.verdicts[0].bound = Some(5120.0);
    for index in [1, 2] {
        document.verdicts[index].unproven = vec![
            UnprovenLimit {
                limit: "latency".into(),
                metric: Metric::LatencyMax,
                bound: Some(2.25),
            },
            UnprovenLimit {
                limit: "ram".into(),
                metric: Metric::RamProvision,
                bound: None,
            },
            UnprovenLimit {
                limit: "rate".into(),
                metric: Metric::ThroughputMean,
                bound: Some(16_384.0),
            },
        ];
    }
    document.verdicts[1].bound = None;
    let sentences = answer(&document);
    let only = "Worst access is proven only below 2.25 s. No amount of RAM is proven to be enough. Input rate is proven \
                only up to 16.4 KB/s.";
    for wanted in [
        format!("em064lx@stm32h755-qspi passes at the data sheet's maximum in simulation. {only}"),
        format!("cy15b116qsn@stm32h755-qspi passes at typical timing in simulation. {only}"),
    ] {
        assert!(sentences.contains(&wanted), "{wanted}\n{sentences:#?}");
    }
    let cells = |document: &ResultSet| {
        let text = render(document, Format::Markdown, &Style::default());
        let mut table = text.lines().skip_while(|line| !line.contains("| proven"));
        let line = table.nth(2).expect("a candidate").to_owned();
        line.replace(' ', "")
    };
    // Of equal margins the last one decides, which no bound is known for.
    let line = cells(&document);
    assert!(line.contains("|4KiB|nobound|atmost16KiB|"), "{line}");
    document.verdicts[1].unproven.clear();
    document.verdicts[1].bound = Some(6144.0);
    let line = cells(&document);
    assert!(line.contains("|4KiB|atmost6KiB|atmost16KiB|"), "{line}");
    let verdict = document.verdicts[2].clone();
    for number in 0..20 {
        document.verdicts.push(Verdict {
            target: format!("part{number}@board"),
            ..verdict.clone()
        });
    }
    let sentences = answer(&document);
    let wanted = "In simulation alone cy15b116qsn@stm32h755-qspi, part0@board, part1@board, part2@board and 17 more keep \
                  the limit of worst access: its proven bound lies beyond.";
    let told = sentences.iter().any(|sentence| sentence == wanted);
    assert!(told, "{sentences:#?}");
}

/// A study with more candidates than words hold.
#[test]
fn many_candidates_are_told_by_what_they_share() {
    let mut document = fixture::compare();
    let verdict = document.verdicts[7].clone();
    for number in 0..20 {
        document.verdicts.push(Verdict {
            target: format!("2*part{number}@board"),
            note: Some("also fails by rate; cost without the RAM".into()),
            ..verdict.clone()
        });
    }
    let sentences = answer(&document);
    for wanted in [
        "2* means two chips in turn: one is written while the other erases.",
        "By RAM at the data sheet's maximum fail mt29f1g01@stm32h755-qspi, 2*part0@board, \
         2*part1@board, 2*part2@board and 17 more.",
        "2*part0@board, 2*part1@board, 2*part2@board, 2*part3@board and 16 more: also fails by rate. \
         Cost without the RAM.",
    ] {
        let told = sentences.iter().any(|sentence| sentence == wanted);
        assert!(told, "{wanted}\n{sentences:#?}");
    }
}

/// An interrupted comparison claims nothing of those that it did not come to.
#[test]
fn candidates_that_were_not_judged_are_counted_apart() {
    let mut document = fixture::compare();
    let last = document
        .experiment
        .targets
        .last()
        .cloned()
        .expect("targets");
    let judged = document.experiment.targets.len() - 1;
    document.verdicts.retain(|verdict| verdict.target != last);
    document.rows.retain(|row| row.target != last);
    document.complete = false;
    let text = render(&document, Format::Table, &Style::default());
    assert!(
        text.contains(&format!(" of {judged} candidates ")),
        "{text}"
    );
    assert!(text.contains("; 1 more was not judged."), "{text}");
    assert!(
        text.contains(&format!(" of {judged} judged pass")),
        "{text}"
    );
}
