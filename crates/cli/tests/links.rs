//! The documents hold together: every page is in the table of contents, and every link leads somewhere.

use std::collections::BTreeSet;

use crate::house::{paths, root, text};

/// Where a link leads: a file, and a heading of it.
#[derive(Debug, PartialEq)]
struct Link {
    target: String,
    line: usize,
}

/// A document without what stands in code, line by line, so that numbers of lines stay.
fn prose(document: &str) -> String {
    let mut prose = String::new();
    let mut is_fenced = false;
    let mut was_blank = true;
    let mut is_indented = false;
    for line in document.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        // An indented block begins behind an empty line; an indented line elsewhere goes on with a list or a paragraph.
        is_indented = line.starts_with("    ") && (was_blank || is_indented)
            || line.is_empty() && is_indented;
        was_blank = line.is_empty();
        if !is_fenced && !is_fence && !is_indented {
            prose.push_str(line);
        }
        prose.push('\n');
    }
    without_code_spans(&prose)
}

/// Text without what stands between backticks; a span may run over a line's end, and not over a paragraph's.
fn without_code_spans(text: &str) -> String {
    let mut paragraphs = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut kept = String::new();
        let mut rest = paragraph;
        while let Some((before, after)) = rest.split_once('`') {
            kept.push_str(before);
            let Some((span, after)) = after.split_once('`') else {
                rest = after;
                break;
            };
            kept.extend(span.matches('\n'));
            rest = after;
        }
        kept.push_str(rest);
        paragraphs.push(kept);
    }
    paragraphs.join("\n\n")
}

/// The links of a document, its images and its definitions among them.
fn links(document: &str) -> Vec<Link> {
    let prose = prose(document);
    let mut found = Vec::new();
    let mut add = |target: &str, at: usize| {
        found.push(Link {
            target: target.trim_matches(['<', '>']).to_owned(),
            line: prose[..at].matches('\n').count() + 1,
        });
    };
    for (at, _) in prose.match_indices("](") {
        let rest = &prose[at + 2..];
        let end = rest.find([')', ' ', '\n']).unwrap_or(rest.len());
        add(&rest[..end], at);
    }
    let mut at = 0;
    for line in prose.lines() {
        if let Some((_, target)) = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "))
        {
            add(target.split(' ').next().unwrap_or_default(), at);
        }
        at += line.len() + 1;
    }
    for attribute in ["src=\"", "href=\""] {
        for (at, _) in prose.match_indices(attribute) {
            let rest = &prose[at + attribute.len()..];
            add(rest.split('"').next().unwrap_or_default(), at);
        }
    }
    found
}

/// The names by which headings are reached: letters, digits, `-` and `_` in lower case, spaces as `-`.
fn anchors(document: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_fenced = false;
    for line in document.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        // Of a link only its words count.
        let mut words = String::new();
        let mut rest = heading.trim();
        while let Some((before, after)) = rest.split_once("](") {
            words.push_str(before);
            rest = after.split_once(')').map_or("", |(_, rest)| rest);
        }
        words.push_str(rest);
        let kept = words
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            })
            .collect::<String>();
        let mut anchor = kept.clone();
        for again in 1.. {
            if anchors.insert(anchor) {
                break;
            }
            anchor = format!("{kept}-{again}");
        }
    }
    anchors
}

/// `docs/guides` and `../images/a.png` as `docs/images/a.png`; `None` above the root.
fn joined(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Why a link of a document leads nowhere, if so.
fn fault(document: &str, target: &str) -> Option<String> {
    let is_elsewhere = |start: &str| target.starts_with(start);
    if ["https://", "http://", "mailto:"]
        .iter()
        .any(|start| is_elsewhere(start))
    {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let file = match path {
        "" => document.to_owned(),
        path => joined(folder, path)?,
    };
    if !root().join(&file).exists() {
        return Some(format!("there is no {file}"));
    }
    if anchor.is_empty() || !file.ends_with(".md") {
        return None;
    }
    let anchors = anchors(&text(&file));
    (!anchors.contains(anchor)).then(|| format!("{file} has no heading {anchor}: {anchors:?}"))
}

fn documents() -> Vec<String> {
    let mut documents = paths();
    documents.retain(|path| path.ends_with(".md"));
    documents
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let documents = documents();
    assert!(documents.len() > 80, "{documents:?}");
    let mut faults = Vec::new();
    let mut count = 0;
    for document in &documents {
        for Link { target, line } in links(&text(document)) {
            count += 1;
            if let Some(fault) = fault(document, &target) {
                faults.push(format!("{document}:{line}: {target}: {fault}"));
            }
        }
    }
    assert!(count > 200, "{count} links");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let mut listed: Vec<String> = links(&text("docs/SUMMARY.md"))
        .into_iter()
        .map(|link| format!("docs/{}", link.target))
        .collect();
    listed.sort();
    let mut pages = documents();
    pages.retain(|page| page.starts_with("docs/") && page != "docs/SUMMARY.md");
    pages.sort();
    assert_eq!(listed, pages);
}

/// The site holds the pages of `docs/` alone, so that a link out of it would be dead there.
#[test]
fn pages_link_within_the_site() {
    let mut outside = Vec::new();
    for document in documents() {
        let Some(page) = document.strip_prefix("docs/") else {
            continue;
        };
        for Link { target, line } in links(&text(&document)) {
            let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !target.contains("://") && joined(folder, &target).is_none() {
                outside.push(format!("{document}:{line}: {target}"));
            }
        }
    }
    assert!(outside.is_empty(), "{outside:#?}");
}

#[test]
fn links_and_headings_are_found() {
    let document = "# One `two`: three\n\nSee [a\nb](c.md#d), ![e](f.png) and `[no](no.md)`.\n\n    [no](no.md)\n\n\
                    ```text\n[no](no.md)\n# no\n```\n\n# [One](x.md) two three\n\n[g]: h.md\n";
    let found = links(document);
    let found: Vec<_> = found
        .iter()
        .map(|link| (link.target.as_str(), link.line))
        .collect();
    assert_eq!(
        found,
        [("c.md#d", 4), ("f.png", 4), ("x.md", 13), ("h.md", 15)]
    );
    let expected = ["one-two-three", "one-two-three-1"].map(str::to_owned);
    assert_eq!(anchors(document), BTreeSet::from(expected));
    assert_eq!(
        fault("docs/guides/a.md", "b.md").as_deref(),
        Some("there is no docs/guides/b.md")
    );
    assert!(fault("docs/README.md", "README.md#no-such-heading").is_some());
    assert_eq!(joined("docs", "../../a"), None);
}
