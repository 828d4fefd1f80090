//! What must hold of every page, without a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use wordline_core::Axis;
use wordline_core::ResultSet;

use super::*;
use crate::fixture;

/// The texts between a tag as it stands in the page and the next end of a script.
fn scripts<'p>(page: &'p str, tag: &str) -> Vec<&'p str> {
    let parts = page.split(tag).skip(1);
    let text = |part: &'p str| part.split("</script>").next().expect("a first part");
    parts.map(text).collect()
}

/// The page without the scripts that run.
fn without_scripts(page: &str) -> String {
    let mut rest = page.to_owned();
    for script in scripts(page, "<script>") {
        rest = rest.replace(script, "");
    }
    rest
}

/// The page's data block is the document.
fn assert_carries(page: &str, document: &ResultSet) {
    let data = scripts(page, "<script type=\"application/json\" id=\"result\">");
    let carried = ResultSet::from_json(data[0]).expect("a document");
    // Through JSON as well, for reading a number may change its last bit.
    let original = ResultSet::from_json(&document.to_json()).expect("a document");
    assert!(carried == original, "the page carries another document");
}

fn unescape(text: &str) -> String {
    let pairs = [
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ];
    let unescape = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
    pairs.iter().fold(text.to_owned(), unescape)
}

#[test]
fn the_policy_allows_the_scripts_of_the_page_and_no_others() {
    let page = results(&fixture::mram());
    let policy = page
        .split("http-equiv=\"Content-Security-Policy\" content=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .map(unescape)
        .expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe-eval"), "{policy}");
    let texts = scripts(&page, "<script>");
    assert_eq!(texts.len(), 4);
    assert_eq!(policy.matches("sha256-").count(), texts.len());
    for text in texts {
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        assert!(policy.contains(&hash), "{hash} is not in {policy}");
    }
}

#[test]
fn the_page_fetches_nothing() {
    let page = results(&fixture::mram());
    let rest = without_scripts(&page);
    for forbidden in [
        "http://",
        "https://",
        " src=",
        "@import",
        "url(",
        "sourceMappingURL",
    ] {
        assert!(!rest.contains(forbidden), "{forbidden}");
    }
    // What the libraries mention: names of namespaces and schemas, homes of projects, an editor
    // that the page does not link to, and the bare schemes.
    const HARMLESS: [&str; 6] = [
        "//www.w3.org/",
        "//vega.github.io/schema/",
        "//vega.github.io/editor/",
        "//github.com/vega/",
        "//github.com/Starcounter-Jack/JSON-Patch",
        "//\"",
    ];
    for script in scripts(&page, "<script>") {
        for scheme in ["http:", "https:"] {
            for (place, _) in script.match_indices(&format!("{scheme}//")) {
                let rest = &script[place + scheme.len()..];
                let harmless = HARMLESS.iter().any(|start| rest.starts_with(start));
                let shown: String = rest.chars().take(40).collect();
                assert!(harmless, "{scheme}{shown}");
            }
        }
    }
}

#[test]
fn hostile_text_stays_text() {
    let document = fixture::hostile();
    let page = results(&document);
    let rest = without_scripts(&page);
    assert_eq!(rest.matches("<script").count(), 6);
    for forbidden in ["<script>alert", "<img", "\u{1b}", "\u{2028}"] {
        assert!(!rest.contains(forbidden), "{forbidden:?}");
    }
    let shown = "&lt;script&gt;alert(&#x27;1&#x27;)&lt;&#x2f;script&gt;";
    assert!(rest.contains(shown), "{}", &rest[..2000]);
    assert!(
        rest.contains("{{ 7*7 }}"),
        "a template inside of a name must not run"
    );
    assert_carries(&page, &document);
}

#[test]
fn the_page_carries_its_document_and_a_place_for_each_plot() {
    let document = fixture::document(&[fixture::MRAM, fixture::NAND]);
    let page = results(&document);
    assert_carries(&page, &document);
    let plots = scripts(&page, "<script type=\"application/json\" id=\"plots\">");
    let plots: Vec<serde_json::Value> = serde_json::from_str(plots[0]).expect("a list");
    assert_eq!(plots.len(), 7);
    for plot in plots {
        let id = plot["id"].as_str().expect("a name");
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        assert_eq!(plot["spec"]["width"], "container");
    }
}

#[test]
fn the_same_document_gives_the_same_page() {
    assert_eq!(results(&fixture::mram()), results(&fixture::mram()));
}

#[test]
fn sections_come_in_the_order_in_which_people_ask() {
    let page = without_scripts(&results(&fixture::hostile()));
    let order = [
        "<h1>",
        "<ul class=\"answer\">",
        "Incomplete: the run was interrupted",
        "1 warning</a>",
        "<h2 id=\"results\">",
        "id=\"plot-throughput\"",
        "id=\"plot-slowest\"",
        "id=\"plot-energy\"",
        "<h2 id=\"why\">",
        "of their time in the driver (CPU-bound share)",
        "id=\"plot-slowest-by-cause-1\"",
        "id=\"plot-share-by-cause-1\"",
        "<h2 id=\"origin\">",
        "Figures that the results rest on",
        "<h2 id=\"warnings\">",
        "<h2 id=\"again\">",
        "<summary>Every metric of every line</summary>",
        "id=\"result\"",
    ];
    assert_order(&page, &order);
}

#[test]
fn nothing_in_a_page_drives_a_terminal_or_reorders_its_source() {
    let mut document = fixture::mram();
    document.wordline = "0.2\u{1b}[2J\u{7}\u{202e}0".into();
    document.figures[0].source = "a\u{202e}b\u{7f}c".into();
    let page = without_scripts(&results(&document));
    let unseen = page
        .chars()
        .find(|one| one.is_control() && *one != '\n' || *one == '\u{202e}');
    assert_eq!(unseen, None);
    assert!(page.contains("0.2\\u{1b}[2J\\u{7}\\u{202e}0"));
    assert_carries(&page, &document);
}

/// Where each text first stands in a page, one after the other.
fn assert_order(page: &str, order: &[&str]) {
    let mut from = 0;
    for wanted in order {
        let place = page[from..].find(wanted);
        from += place.unwrap_or_else(|| panic!("{wanted} is missing or out of order"));
    }
}

#[test]
fn a_page_of_buffers_answers_before_it_draws_and_draws_before_it_lists() {
    let document = fixture::buffer(&[2e6]);
    let page = without_scripts(&results(&document));
    assert_carries(&page, &document);
    let order = [
        "<h1>wordline buffer: mt29f1g01@stm32h755-qspi</h1>",
        "Provision 96 KiB of RAM for mt29f1g01@stm32h755-qspi at 2.00 MB&#x2f;s",
        "id=\"plot-ram-1\"",
        "id=\"plot-durations-1\"",
        "id=\"plot-fill-1\"",
        "id=\"plot-sequences-1\"",
        "<h2 id=\"results\">",
        "RAM by input rate at typical timing",
        "RAM by input rate at the data sheet",
        "RAM where accesses wait for their data",
        "Highest safe rate by RAM",
        "Durations of accesses",
        "Longest sequences: ",
        "<h2 id=\"origin\">",
        "<h2 id=\"again\">",
        "<caption><span>All ",
        "id=\"result\"",
    ];
    assert_order(&page, &order);
}

#[test]
fn a_page_of_candidates_begins_with_the_verdict() {
    let document = fixture::compare();
    let page = without_scripts(&results(&document));
    assert_carries(&page, &document);
    let order = [
        "<h1>wordline compare: 5 targets</h1>",
        "Verdict: 2 of 5 pass",
        ">FAIL</td>",
        "Best is em064lx@stm32h755-qspi",
        "Unknown, and not judged",
        "id=\"plot-margin\"",
        "id=\"plot-candidate-ram\"",
        "Key figures: typ &#x2f; max",
        "3.10 J &#x2f; <br>4.90 J",
        "<h2 id=\"again\">",
        "All 80 values",
        "id=\"result\"",
    ];
    assert_order(&page, &order);
}

#[test]
fn an_empty_document_makes_a_page() {
    let mut document = fixture::mram();
    document.rows.clear();
    document.figures.clear();
    let page = results(&document);
    assert!(page.contains("raw: no rows"));
    assert!(page.contains("<script type=\"application/json\" id=\"plots\">[]</script>"));
}

#[test]
fn the_driver_share_is_said_in_words() {
    let page = results(&fixture::mram());
    let sentence = "Writes of 2 KiB spend 34 % of their time in the driver (CPU-bound share); at \
                    64 KiB it is 1.6 %.";
    assert!(page.contains(sentence));
}

#[test]
fn rows_without_any_axis_make_a_page() {
    let mut document = fixture::mram();
    document
        .rows
        .retain(|row| row.count(Axis::AccessBytes) == Some(2048));
    for row in &mut document.rows {
        row.axes.remove(&Axis::AccessBytes);
    }
    let page = results(&document);
    assert!(page.contains("Writes spend 34 % of their time in the driver (CPU-bound share)."));
    assert!(
        !page.contains("id=\"plot-throughput\""),
        "there is nothing to draw along"
    );
    assert!(page.contains("id=\"plot-share-by-cause-1\""));
}

/// A read that waits for an erase takes a thousand times as long as one that does not: their causes
/// are drawn apart, and a plot names the curves that it has.
#[test]
fn accesses_that_take_far_longer_are_drawn_apart() {
    let page = results(&fixture::during());
    assert!(page.contains("id=\"plot-slowest-by-cause-1\""));
    assert!(page.contains("id=\"plot-slowest-by-cause-1-2\""));
    let plots = page.split("id=\"plots\">").nth(1).expect("the plots' data");
    let plots = plots.split("</script>").next().expect("its end");
    let plots: serde_json::Value = serde_json::from_str(plots).expect("JSON");
    let legend = |id: &str| {
        let mut plots = plots.as_array().expect("a list").iter();
        let plot = plots.find(|plot| plot["id"] == id).expect("the plot");
        plot["spec"]["layer"][0]["encoding"]["color"]["scale"]["domain"].clone()
    };
    assert_eq!(legend("plot-throughput"), serde_json::json!(["read"]));
    let slowest = legend("plot-slowest");
    assert_eq!(slowest.as_array().map(Vec::len), Some(3), "{slowest}");
}

#[test]
fn many_warnings_fold_by_their_kind() {
    let document = fixture::warned();
    let page = without_scripts(&results(&document));
    assert_carries(&page, &document);
    let order = [
        "20 warnings</a>",
        "<h2 id=\"warnings\">",
        "<li><code>default</code>: the first default</li>",
        "<summary><code>caution</code>: part0: beware; and 17 more</summary>",
        "<li>part0: beware</li>",
        "<li>part17: beware</li>",
        "</ul></details></li>",
    ];
    assert_order(&page, &order);
}

#[test]
fn names_of_targets_may_break_after_their_part() {
    let page = without_scripts(&results(&fixture::compare()));
    assert!(page.contains("<th scope=\"row\">em064lx@<wbr>stm32h755-qspi</th>"));
}
