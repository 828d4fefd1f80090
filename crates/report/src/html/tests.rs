//! What must hold of every page, without a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use wordline_core::Axis;
use wordline_core::ResultSet;

use super::script::tests::unpacked;
use super::*;
use crate::fixture;

/// The text between a tag as it stands in the page and the next end of a script.
fn script<'p>(page: &'p str, tag: &str) -> &'p str {
    let (_, rest) = page.split_once(tag).expect("the element");
    rest.split("</script>").next().expect("a first part")
}

/// The page without the script that runs and without its data.
fn without_scripts(page: &str) -> String {
    let mut rest = page.to_owned();
    for tag in [
        "<script>",
        "<script type=\"text/plain\" id=\"data\">",
        "<script type=\"text/plain\" id=\"result\">",
    ] {
        rest = rest.replace(script(page, tag), "");
    }
    rest
}

/// What the script draws and lists.
fn data(page: &str) -> Value {
    let packed = script(page, "<script type=\"text/plain\" id=\"data\">");
    serde_json::from_str(&unpacked(packed)).expect("JSON")
}

/// A page as a reader has it once all of it is open: its text, and the data that the script puts into it.
pub(crate) fn opened(page: &str) -> String {
    without_scripts(page) + &data(page).to_string()
}

/// The same without the numbers that are drawn, which no one reads.
pub(crate) fn readable(page: &str) -> String {
    let mut data = data(page);
    for drawn in ["curves", "causes", "exploration"] {
        data[drawn] = Value::Null;
    }
    without_scripts(page) + &data.to_string().replace("\",\"", "\n")
}

/// Names of the plots of a page: those of curves, and those of causes.
fn plots(page: &str) -> Vec<String> {
    let data = data(page);
    let all = ["curves", "causes"].map(|place| data[place].as_array().expect("a list").clone());
    let ids = all
        .concat()
        .into_iter()
        .map(|plot| plot["id"].as_str().map(str::to_owned));
    ids.map(|id| id.expect("a name")).collect()
}

/// The tables of a tab, as text.
fn tables(page: &str, tab: &str) -> String {
    data(page)[tab].to_string()
}

/// The page's data block is the document.
fn assert_carries(page: &str, document: &ResultSet) {
    let packed = script(page, "<script type=\"text/plain\" id=\"result\">");
    let carried = ResultSet::from_json(&unpacked(packed)).expect("a document");
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
fn the_policy_allows_the_script_of_the_page_and_no_other() {
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
    assert_eq!(policy.matches("sha256-").count(), 1);
    assert_eq!(page.matches("<script>").count(), 1);
    let digest = Sha256::digest(script(&page, "<script>"));
    let hash = format!("'sha256-{}'", STANDARD.encode(digest));
    assert!(policy.contains(&hash), "{hash} is not in {policy}");
}

#[test]
fn the_page_fetches_nothing() {
    let page = results(&fixture::compare());
    // The name of a namespace is no address.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in [
        "http://",
        "https://",
        " src=",
        "@import",
        "url(",
        "sourceMappingURL",
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let document = fixture::hostile();
    let page = results(&document);
    let rest = without_scripts(&page);
    assert_eq!(rest.matches("<script").count(), 3);
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
fn the_page_carries_its_document_and_its_plots() {
    let document = fixture::document(&[fixture::MRAM, fixture::NAND]);
    let page = results(&document);
    assert_carries(&page, &document);
    let mut plots = plots(&page);
    assert_eq!(plots.len(), 7);
    plots.sort();
    plots.dedup();
    assert_eq!(plots.len(), 7, "two plots of one name");
}

#[test]
fn the_same_document_gives_the_same_page() {
    assert_eq!(results(&fixture::mram()), results(&fixture::mram()));
}

#[test]
fn sections_come_in_the_order_in_which_people_ask() {
    let whole = results(&fixture::hostile());
    let page = without_scripts(&whole);
    let order = [
        "1 warning</a>",
        "<h1>",
        "Incomplete: the run was interrupted",
        "id=\"front-plot\"",
        "<section id=\"short\"",
        "id=\"panel-curves\"",
        "id=\"panel-causes\"",
        "of their time in the driver (CPU-bound share)",
        "id=\"panel-figures\"",
        "id=\"panel-evidence\"",
        "id=\"panel-warnings\"",
        "id=\"panel-values\"",
        "id=\"panel-command\"",
        "id=\"result\"",
    ];
    assert_order(&page, &order);
    let names = [
        "plot-throughput",
        "plot-slowest",
        "plot-energy",
        "plot-slowest-by-cause-1",
        "plot-share-by-cause-1",
    ];
    assert_eq!(plots(&whole), names);
    assert!(tables(&whole, "evidence").contains("Figures that the results rest on"));
}

#[test]
fn nothing_in_a_page_drives_a_terminal_or_reorders_its_source() {
    let mut document = fixture::mram();
    document.wordline = "0.2\u{1b}[2J\u{7}\u{202e}0".into();
    document.figures[0].source = "a\u{202e}b\u{7f}c".into();
    let page = results(&document);
    let hostile = |one: char| one.is_control() && one != '\n' || one == '\u{202e}';
    assert_eq!(page.chars().find(|one| hostile(*one)), None);
    assert!(page.contains("0.2\\u{1b}[2J\\u{7}\\u{202e}0"));
    let shown = data(&page)["evidence"].to_string();
    assert_eq!(shown.chars().find(|one| hostile(*one)), None);
    assert!(shown.contains("a\\\\u{202e}b"), "{shown}");
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
fn a_page_of_buffers_answers_before_it_lists() {
    let document = fixture::buffer(&[2e6]);
    let whole = results(&document);
    let page = without_scripts(&whole);
    assert_carries(&whole, &document);
    let order = [
        "wordline buffer: mt29f1g01@stm32h755-qspi",
        "<h1>Provision ",
        "mt29f1g01@stm32h755-qspi",
        "id=\"short\"",
        "id=\"panel-curves\"",
    ];
    assert_order(&page, &order);
    let names = [
        "plot-ram-1",
        "plot-durations-1",
        "plot-fill-1",
        "plot-sequences-1",
    ];
    assert_eq!(plots(&whole), names);
    let order = [
        "RAM by input rate at typical timing",
        "RAM by input rate at the data sheet",
        "RAM where accesses wait for their data",
        "Highest safe rate by RAM",
        "Durations of accesses",
        "Longest sequences: ",
    ];
    assert_order(&tables(&whole, "figures"), &order);
    assert!(tables(&whole, "values").contains("All "));
}

#[test]
fn a_page_of_candidates_begins_with_the_verdict() {
    let document = fixture::compare();
    let whole = results(&document);
    let page = without_scripts(&whole);
    assert_carries(&whole, &document);
    let order = [
        "wordline compare: 5 targets",
        "<h1>",
        "em064lx@stm32h755-qspi",
        "class=\"question\"",
        "Allowed: ",
        "<strong>provision</strong>",
        "<strong>runner-up</strong>",
        "Candidates, the best first",
        ">FAIL</td>",
        "Best is em064lx@stm32h755-qspi",
    ];
    assert_order(&page, &order);
    assert_eq!(plots(&whole), ["plot-margin", "plot-candidate-ram"]);
    let figures = tables(&whole, "figures");
    for wanted in [
        "Verdict: 2 of 5 pass",
        "Key figures: typ / max",
        "3.10 J / 4.90 J",
    ] {
        assert!(figures.contains(wanted), "{wanted}");
    }
    assert!(tables(&whole, "values").contains("All 80 values"));
}

/// The question can be moved: the page knows it, what is allowed, and what each candidate does.
#[test]
fn a_page_of_candidates_can_ask_another_question() {
    let page = results(&fixture::compare());
    let exploration = &data(&page)["exploration"];
    let allowed = &exploration["allowed"];
    assert_eq!(
        (&allowed["ram"], &allowed["parts"]),
        (&16_384.0.into(), &16.0.into())
    );
    let candidates = exploration["candidates"].as_array().expect("a list");
    assert_eq!(candidates.len(), 5);
    let timing = |target: &str, index: usize| {
        let mut all = candidates.iter();
        let one = all.find(|one| {
            one["target"]
                .as_str()
                .is_some_and(|name| name.starts_with(target))
        });
        one.expect("the candidate")["timings"][index].clone()
    };
    let mram = timing("em064lx", 0);
    assert_eq!(
        (&mram["ram"], &mram["word"]),
        (&4096.0.into(), &"pass".into())
    );
    // What no sheet states is nothing, and what has no end says so.
    let fram = timing("cy15b116qsn", 0);
    assert_eq!(
        (&fram["energy"], &fram["life"]),
        (&Value::Null, &"unbounded".into())
    );
    assert_eq!(exploration["limits"]["ram"], "RAM");
    // Another workload has no such question.
    assert_eq!(data(&results(&fixture::mram()))["exploration"], Value::Null);
}

#[test]
fn an_empty_document_makes_a_page() {
    let mut document = fixture::mram();
    document.rows.clear();
    document.figures.clear();
    let page = results(&document);
    assert!(page.contains("raw: no rows"));
    assert!(plots(&page).is_empty());
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
    let plots = plots(&page);
    // There is nothing to draw along.
    assert!(!plots.contains(&"plot-throughput".to_owned()), "{plots:?}");
    assert!(
        plots.contains(&"plot-share-by-cause-1".to_owned()),
        "{plots:?}"
    );
}

/// A read that waits for an erase takes a thousand times as long as one that does not: their causes
/// are drawn apart, and a plot names the curves that it has.
#[test]
fn accesses_that_take_far_longer_are_drawn_apart() {
    let page = results(&fixture::during());
    let names = plots(&page);
    for wanted in ["plot-slowest-by-cause-1", "plot-slowest-by-cause-1-2"] {
        assert!(names.contains(&wanted.to_owned()), "{names:?}");
    }
    let data = data(&page);
    let curves = |id: &str| {
        let mut plots = data["curves"].as_array().expect("a list").iter();
        let plot = plots.find(|plot| plot["id"] == id).expect("the plot");
        let curves = plot["spec"]["curves"].as_array().expect("curves").clone();
        curves
            .iter()
            .map(|curve| curve["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(curves("plot-throughput"), ["read"]);
    assert_eq!(curves("plot-slowest").len(), 3);
}

#[test]
fn many_warnings_fold_by_their_kind() {
    let document = fixture::warned();
    let whole = results(&document);
    let page = without_scripts(&whole);
    assert_carries(&whole, &document);
    let order = [
        "20 warnings</a>",
        "id=\"panel-warnings\"",
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

/// A page of tables escapes what it is given, and plots what can be compared.
#[test]
fn a_page_of_tables_escapes_and_plots() {
    let mut grid = Grid::new("Values", vec![Column::left("citation")]);
    grid.push(["<script>alert(1)</script>"]);
    let page = TablePage {
        title: "wordline reproduce".to_owned(),
        sentence: "<b>Hits</b>".to_owned(),
        compared: [("near", 2.0, 2.2), ("far", 2.0, 0.5), ("none", 0.0, 1.0)]
            .map(|(name, expected, found)| ComparedValue {
                name: name.to_owned(),
                group: "predicted",
                expected,
                found,
            })
            .into(),
        short: Some(grid.clone()),
        tables: vec![grid],
        command: "wordline reproduce".to_owned(),
        json: "{}".to_owned(),
        ..TablePage::default()
    };
    let page = page.html();
    assert!(!page.contains("<script>alert"));
    assert!(page.contains("<h1>&lt;b&gt;Hits&lt;&#x2f;b&gt;</h1>"));
    let rows = data(&page)["curves"][0]["spec"]["rows"].clone();
    let names: Vec<_> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names, ["far", "near"]);
}
