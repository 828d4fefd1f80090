//! Short help is for a screen: of long examples and notes it has the first example. `--help` has everything.

/// Lines of examples and notes that short help has as they are.
const LINES: usize = 6;

/// A command and those below it, with long examples and notes in long help alone.
pub(super) fn with_short_help(command: clap::Command) -> clap::Command {
    let whole = command.get_after_help().map(ToString::to_string);
    let command = match whole.filter(|whole| whole.lines().count() > LINES) {
        Some(whole) if command.get_after_long_help().is_none() => {
            command.after_help(cut(&whole)).after_long_help(whole)
        }
        _ => command,
    };
    command.mut_subcommands(with_short_help)
}

/// The first example, and where the rest is.
fn cut(whole: &str) -> String {
    let mut short = String::new();
    if let Some(examples) = whole.strip_prefix("Examples:\n") {
        short += "Examples:\n";
        for line in examples.lines() {
            short += line;
            short += "\n";
            // An example goes on behind a backslash.
            if !line.ends_with('\\') {
                break;
            }
        }
    }
    short + "Every flag, more examples and notes: --help"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_example_is_kept_whole() {
        let whole = "Examples:\n  one \\\n    --more\n  two\n\nA note.\nAnd more of it.\n";
        assert_eq!(
            cut(whole),
            "Examples:\n  one \\\n    --more\nEvery flag, more examples and notes: --help"
        );
        let command = with_short_help(clap::Command::new("one").after_help(whole));
        assert_eq!(
            command.get_after_long_help().map(ToString::to_string),
            Some(whole.to_owned())
        );
        let brief = with_short_help(clap::Command::new("one").after_help("Examples:\n  one"));
        assert!(brief.get_after_long_help().is_none());
    }
}
