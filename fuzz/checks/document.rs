//! Whatever text is given as a result document, it is read or refused with its place, and what is
//! read survives JSON unchanged and renders in every format without harm to its reader.

use wordline_core::ResultSet;
use wordline_core::results::DocumentError;
use wordline_report::{Detail, Format, Style, render};

/// Panics when a promise is broken.
pub(crate) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match ResultSet::from_json(text) {
        Ok(document) => {
            survives_json(&document);
            renders(&document);
        }
        Err(error) => refused(text, &error),
    }
}

fn survives_json(document: &ResultSet) {
    let json = document.to_json();
    let back = ResultSet::from_json(&json);
    assert_eq!(back.as_ref(), Ok(document));
    let again = back.map(|back| back.to_json());
    assert_eq!(again, Ok(json));
}

fn renders(document: &ResultSet) {
    let narrow = Style {
        color: true,
        width: Some(40),
        plots: true,
        ..Style::default()
    };
    for detail in [Detail::Answer, Detail::Explain] {
        let style = Style {
            detail,
            ..Style::default()
        };
        let text = render(document, Format::Table, &style);
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "a terminal could be moved: {text}");
        let _ = render(document, Format::Table, &Style { detail, ..narrow });
    }
    for format in Format::ALL {
        let text = render(document, format, &Style::default());
        let _ = render(document, format, &narrow);
        match format {
            Format::Table | Format::Markdown => {
                let control = text.chars().find(|c| c.is_control() && *c != '\n');
                assert_eq!(control, None, "a terminal could be moved: {text}");
            }
            Format::Html => only_own_markup(&text),
            Format::Json | Format::Csv => {}
        }
    }
}

/// Nothing of a document becomes markup: outside its scripts, a page uses none of these elements,
/// and no text ends a script early.
fn only_own_markup(page: &str) {
    let mut rest = page;
    let mut scripts = 0;
    while let Some((markup, script)) = rest.split_once("<script") {
        no_foreign_element(markup);
        rest = script.split_once("</script>").map_or("", |(_, rest)| rest);
        scripts += 1;
    }
    no_foreign_element(rest);
    assert!(scripts <= 6 && rest.trim_end().ends_with("</html>"));
}

fn no_foreign_element(markup: &str) {
    for element in ["<img", "<iframe", "<object", "<a href=\"javascript:"] {
        assert!(!markup.contains(element), "{element} in {markup}");
    }
}

fn refused(text: &str, error: &DocumentError) {
    assert!(!error.to_string().is_empty());
    if let DocumentError::Malformed { line, .. } = error {
        assert!(*line <= text.matches('\n').count() + 1, "line {line}");
    }
}
