//! The first screen of `wordline reproduce`: how good the model is, document by document.

use wordline_core::results::{CardPoint, CardSubject, DecisionCard};
use wordline_lab::published::Kind;
use wordline_lab::reproduce::{Comparison, Headline, Reproduced, Reproduction, Verdict};
use wordline_report::{Column, FirstScreen, Grid};

use super::cells;

/// The numbers to read first, and a line for each document; of one document a line for each sharp prediction, misses
/// first.
pub(super) fn card(reproduction: &Reproduction) -> FirstScreen {
    let documents = reproduction.documents.as_slice();
    let rows = || documents.iter().flat_map(|document| &document.rows);
    let of = |verdict: Verdict| rows().filter(|row| row.verdict == verdict).count();
    let mut points = vec![CardPoint::words(
        CardSubject::Finding,
        "a sharp prediction could have missed; consistency checks could hardly",
    )];
    let listed = of(Verdict::ListedMiss);
    if listed > 0 {
        let text = format!("{listed} values miss as listed, each with its reason");
        points.push(CardPoint::words(CardSubject::Finding, text));
    }
    let pending = of(Verdict::Pending);
    if pending > 0 {
        let text = format!("{pending} values cannot be computed yet");
        points.push(CardPoint::words(CardSubject::Finding, text));
    }
    let attention = rows().filter_map(|row| Some((row, row.problem.as_ref()?)));
    let attention: Vec<(&Comparison, &String)> = attention.collect();
    points.extend(attention.first().map(|(row, problem)| {
        let text = format!(
            "{} values need attention, first: {}: {problem}",
            attention.len(),
            row.citation
        );
        CardPoint::words(CardSubject::Advice, text)
    }));
    let table = match documents {
        [one] => predictions(one),
        _ => by_document(documents),
    };
    let answer = DecisionCard {
        sentence: sentence(&reproduction.headline),
        points,
        ..DecisionCard::default()
    };
    FirstScreen::new(answer, Some(table), "values")
}

/// The three numbers to read first.
fn sentence(headline: &Headline) -> String {
    let Headline {
        predictions_hit: hit,
        predictions_made: made,
        consistency_held: held,
        consistency_made: checked,
        ..
    } = headline;
    let predictions = match made {
        0 => "No sharp prediction was made.".to_owned(),
        _ => format!(
            "{hit} of {made} sharp predictions hit, with a median error of {}.",
            super::median(headline)
        ),
    };
    format!("{predictions} {held} of {checked} checks of consistency hold.")
}

fn by_document(documents: &[Reproduced]) -> Grid {
    let mut columns = vec![Column::left("document")];
    let counts = [
        "sharp",
        "hit",
        "median error",
        "consistency",
        "held",
        "listed misses",
        "not yet",
    ];
    columns.extend(counts.map(Column::right));
    let mut grid = Grid::new("", columns);
    for document in documents {
        let head = &document.headline;
        let of = |verdict: Verdict| {
            let rows = document.rows.iter();
            rows.filter(|row| row.verdict == verdict)
                .count()
                .to_string()
        };
        grid.push([
            document.document.clone(),
            head.predictions_made.to_string(),
            head.predictions_hit.to_string(),
            super::median(head),
            head.consistency_made.to_string(),
            head.consistency_held.to_string(),
            of(Verdict::ListedMiss),
            of(Verdict::Pending),
        ]);
    }
    grid
}

fn predictions(document: &Reproduced) -> Grid {
    let mut columns = vec![Column::left("verdict")];
    columns.extend(["published", "ours", "difference"].map(Column::right));
    columns.push(Column::left("citation"));
    let mut grid = Grid::new("", columns);
    let ran = document.rows.iter().filter(|row| row.verdict.ran());
    let mut rows: Vec<&Comparison> = ran.collect();
    rows.sort_by_key(|row| (row.kind != Kind::Predicted, row.verdict == Verdict::Hit));
    for row in rows {
        let [citation, _, published, _, ours, difference, verdict] = cells(row, &document.target);
        grid.push([verdict, published, ours, difference, citation]);
    }
    grid
}
