//! Surfaces: what is known of each target, and a line for each curve.

use wordline_core::results::DecisionCard;

use super::super::surface;
use crate::card::{FirstScreen, foundation};
use crate::pivot::Pivot;

pub(super) fn card(pivot: &Pivot<'_>) -> FirstScreen {
    let lines = surface::curves(pivot);
    let title = surface::CURVES.title.to_owned();
    let answer = DecisionCard {
        sentence: surface::sentences(pivot).join(" "),
        take: None,
        points: foundation(pivot.document).into_iter().collect(),
        ranking: Vec::new(),
        cautions: Vec::new(),
    };
    FirstScreen::new(answer, surface::CURVES.grid(pivot, title, &lines), "curves")
}
