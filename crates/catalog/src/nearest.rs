//! Messages about names that the catalogue does not have: the nearest names instead of all of them.

use wordline_core::nearest;

use crate::error::CatalogError;

/// Names that a message suggests or lists.
const SHOWN: usize = 3;

/// Characters of a user's text that a message repeats.
const QUOTED: usize = 60;

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

    #[test]
    fn a_long_text_is_repeated_in_part() {
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
        assert_eq!(quoted(&"ä".repeat(200)).chars().count(), QUOTED + 3);
    }
}
