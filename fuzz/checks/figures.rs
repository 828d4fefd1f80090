//! A sound part and board whose figures the input replaces, each by two bytes. Inputs that change
//! sheets byte by byte seldom load; these mostly do, and reach what lies behind the loader.

use std::ops::Range;

const SOUND: &str = include_str!("../corpus/sheet/part-and-board.toml");

/// The text of both sheets. An input that is used up leaves the remaining figures as they are.
pub(crate) fn sheets(data: &[u8]) -> String {
    let mut text = SOUND.to_owned();
    let places: Vec<_> = quantities(SOUND).collect();
    // From the end, so that the places before stay where they are.
    for (place, bytes) in places.into_iter().zip(data.chunks_exact(2)).rev() {
        let unit = SOUND[place.clone()].split(' ').nth(1).unwrap_or("");
        if let Some(number) = number(bytes[0], bytes[1]) {
            text.replace_range(place, &format!("{number} {unit}"));
        }
    }
    text
}

fn number(kind: u8, value: u8) -> Option<String> {
    match kind % 8 {
        0 => Some("0".to_owned()),
        1 => Some(value.to_string()),
        2 => Some(format!("1e{}", value % 24)),
        3 => Some(format!("{value}e-{}", value % 8)),
        4 => Some(format!("1e{}", u16::from(value) + 53)),
        5 => Some(u64::MAX.to_string()),
        _ => None,
    }
}

/// Where a number and a unit stand between quotes.
fn quantities(text: &str) -> impl Iterator<Item = Range<usize>> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let quoted = quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    let places: Vec<_> = quoted
        .filter(|place| {
            let inside = &text[place.clone()];
            inside.starts_with(|first: char| first.is_ascii_digit()) && inside.contains(' ')
        })
        .collect();
    places.into_iter()
}
