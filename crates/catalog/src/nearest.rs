//! Messages about names that the catalogue does not have: the nearest names instead of all of them.

use crate::error::CatalogError;

/// Names that a message suggests or lists.
const SHOWN: usize = 3;

/// Characters of a user's text that a message repeats.
const QUOTED: usize = 60;

/// Characters from which a beginning of a name suggests that name.
const BEGINNING: usize = 3;

/// An id that no sheet of a kind has.
pub(crate) fn unknown<'a>(
    kind: &str,
    id: &str,
    known: impl Iterator<Item = &'a String>,
) -> CatalogError {
    let (nearest, all) = (nearest(id, known), "wordline part list names all");
    let (id, message) = (quoted(id), nearest.join(" or "));
    let message = match nearest.as_slice() {
        [] => format!("unknown {kind} {id}; {all}"),
        _ => format!("unknown {kind} {id}; did you mean {message}? ({all})"),
    };
    CatalogError::Target { message }
}

/// The known names that a text was most probably meant for: those that it begins, or else those at the smallest edit
/// distance, up to a third of its characters.
#[must_use]
pub fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let characters = text.chars().count();
    if characters > QUOTED {
        return Vec::new();
    }
    let distance = |name: &str| match characters >= BEGINNING && name.starts_with(text) {
        true => 0,
        false => strsim::osa_distance(text, name),
    };
    let known = known.map(|name| (distance(name), name.as_str()));
    let mut known: Vec<_> = known
        .filter(|(distance, _)| *distance <= characters.div_ceil(3))
        .collect();
    known.sort_unstable();
    let least = known.first().map(|(distance, _)| *distance);
    known.retain(|(distance, _)| Some(*distance) == least);
    known.truncate(SHOWN);
    known.into_iter().map(|(_, name)| name).collect()
}

/// A text of the user's, cut to a length that fits a line.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

/// The first of some names, and how to find the others.
pub(crate) fn first_of(names: &[&str]) -> String {
    match names {
        [first @ .., _] if first.len() >= 2 * SHOWN => {
            format!("{}, … (wordline part list)", names[..SHOWN].join(", "))
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(text: &str) -> Vec<&str> {
        static KNOWN: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| {
            ["em064lx", "mt29f1g01", "mt29f2g08", "m95m04", "ram"]
                .map(str::to_owned)
                .into()
        });
        nearest(text, KNOWN.iter())
    }

    #[test]
    fn a_slip_of_the_pen_suggests_what_was_meant() {
        assert_eq!(suggested("em64lx"), ["em064lx"]);
        assert_eq!(suggested("me064lx"), ["em064lx"]);
        assert_eq!(suggested("mt29f"), ["mt29f1g01", "mt29f2g08"]);
        assert_eq!(suggested("m95m40"), ["m95m04"]);
    }

    #[test]
    fn what_is_like_no_name_suggests_none() {
        for text in ["", "@", "nope", "em", "sandisk"] {
            assert!(suggested(text).is_empty(), "{text}: {:?}", suggested(text));
        }
        assert!(suggested(&"m".repeat(100_000)).is_empty());
    }

    #[test]
    fn a_long_text_is_repeated_in_part() {
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
        assert_eq!(quoted(&"ä".repeat(200)).chars().count(), QUOTED + 3);
    }
}
