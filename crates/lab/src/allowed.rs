//! What a message says is allowed, as a list: messages of this house, and of the readers of JSON and TOML, name the
//! values allowed behind one of a few phrases. Front ends show them by themselves.

/// What stands before the values allowed.
const PHRASES: [&str; 3] = ["allowed: ", "expected: ", ", in one of "];

/// The values that a message allows; empty where it names none.
///
/// ```
/// assert_eq!(wordline_lab::allowed("age 2 is no fraction; allowed: 0 to 1"), ["0 to 1"]);
/// assert_eq!(wordline_lab::allowed("unknown variant `c`, expected `a` or `b`"), ["a", "b"]);
/// assert!(wordline_lab::allowed("the disk is full").is_empty());
/// ```
#[must_use]
pub fn allowed(message: &str) -> Vec<String> {
    let line = message.lines().next().unwrap_or_default();
    // A reader of JSON says the place at the end.
    let line = line.split(" at line ").next().unwrap_or_default();
    if let Some((_, names)) = line.rsplit_once(", expected ") {
        let names = quoted(names);
        if !names.is_empty() {
            return names;
        }
    }
    if let Some((_, names)) = line.rsplit_once("did you mean ") {
        let names = names.split('?').next().unwrap_or_default();
        return match quoted(names) {
            found if found.is_empty() => separated(&names.replace(" or ", ", ")),
            found => found,
        };
    }
    let mut found = PHRASES.iter().filter_map(|phrase| line.rsplit_once(phrase));
    let names = found.next().map_or("", |(_, names)| names);
    separated(names.split("; ").next().unwrap_or_default())
}

/// Names between back ticks.
fn quoted(text: &str) -> Vec<String> {
    let names = text.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// Names between commas.
fn separated(text: &str) -> Vec<String> {
    let names = text
        .split(", ")
        .map(|name| name.trim_end_matches('.').trim());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::quantity::Time;

    #[test]
    fn each_phrase_is_found() {
        let unit = "5 furlongs".parse::<Time>().expect_err("no unit of time");
        for (message, values) in [
            (
                "threads 0; allowed: 1 to 64, or none; see --help",
                &["1 to 64", "or none"][..],
            ),
            ("no format yaml; expected: json, csv.", &["json", "csv"]),
            (
                "no part em064ly; did you mean em064lx or em128lx? (part list)",
                &["em064lx", "em128lx"],
            ),
            ("unknown field `sed`, did you mean `seed`?", &["seed"]),
            (
                "unknown field `x`, expected one of `a`, `b` at line 1 column 3",
                &["a", "b"],
            ),
            (
                "invalid type: integer `5`, expected a string at line 2 column 1",
                &[],
            ),
            (
                "axis a, value 7: 7 is too large; allowed: 1 to 3\n| a\n| ^ allowed: 9",
                &["1 to 3"],
            ),
            (&unit.to_string(), &["s", "ms", "us", "ns", "ps"]),
            ("", &[]),
        ] {
            let found = allowed(message);
            assert!(
                values
                    .iter()
                    .all(|value| found.iter().any(|one| one == value)),
                "{message}: {found:?}"
            );
            assert_eq!(found.is_empty(), values.is_empty(), "{message}: {found:?}");
        }
    }
}
