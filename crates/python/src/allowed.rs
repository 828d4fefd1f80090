//! What a message says is allowed, as a list: messages of this house name the values allowed behind one of a few phrases.

/// The values that a message allows; empty where it names none.
pub(crate) fn allowed(message: &str) -> Vec<String> {
    let line = message.lines().next().unwrap_or_default();
    if let Some((_, names)) = line.split_once(", expected ") {
        return quoted(names);
    }
    if let Some((_, names)) = line.split_once("did you mean ") {
        let names = names.split('?').next().unwrap_or_default();
        return match quoted(names) {
            found if found.is_empty() => separated(&names.replace(" or ", ", ")),
            found => found,
        };
    }
    match line.split_once("allowed: ") {
        Some((_, names)) => separated(names.split("; ").next().unwrap_or_default()),
        None => Vec::new(),
    }
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
