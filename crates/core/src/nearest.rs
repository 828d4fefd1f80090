//! Names that a text was most probably meant for.

/// Names that a message suggests.
const SUGGESTED: usize = 3;

/// Characters of a text beyond which it is like no name.
const LONGEST: usize = 60;

/// Characters from which a beginning of a name suggests that name.
const BEGINNING: usize = 3;

/// The known names that a text was most probably meant for: those that it begins, or else those at the smallest edit
/// distance, up to a third of its characters.
#[must_use]
pub fn nearest<'a>(
    text: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> Vec<&'a str> {
    let characters = text.chars().count();
    if characters > LONGEST {
        return Vec::new();
    }
    // In capitals it is the same name.
    let text = text.to_ascii_lowercase();
    let distance = |name: &str| {
        let name = name.to_ascii_lowercase();
        match characters >= BEGINNING && name.starts_with(&text) {
            true => 0,
            false => strsim::osa_distance(&text, &name),
        }
    };
    let known = known
        .into_iter()
        .map(|name| (distance(name.as_ref()), name.as_ref()));
    let mut known: Vec<_> = known
        .filter(|(distance, _)| *distance <= characters.div_ceil(3))
        .collect();
    known.sort_unstable();
    let least = known.first().map(|(distance, _)| *distance);
    known.retain(|(distance, _)| Some(*distance) == least);
    known.truncate(SUGGESTED);
    known.into_iter().map(|(_, name)| name).collect()
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
}
