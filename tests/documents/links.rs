//! Checks that no link of the documents is broken: its file exists, and so does the heading that it names.
//! Addresses of the web are not asked for.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use regex::Regex;

use super::{ROOT, text};

/// Returns README.md and CHANGELOG.md, all pages of docs/, and the READMEs of crates, tests and examples.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let mut found = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    for folder in ["docs", "crates", "tests", "examples"] {
        let files = walkdir::WalkDir::new(root.join(folder))
            .into_iter()
            .flatten();
        found.extend(
            files
                .map(walkdir::DirEntry::into_path)
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    found
}

/// Returns the text without its blocks of code, in which nothing is a link or a heading.
fn prose(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns GitHub's anchor for a heading: small letters, no punctuation, a hyphen for each space.
fn anchor(heading: &str) -> String {
    let link = Regex::new(r"\[([^\]]*)\]\([^)]*\)").expect("a pattern");
    let plain = link.replace_all(heading.trim(), "$1").to_lowercase();
    plain
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

/// Returns the anchors of a page's headings. The second heading of one name is `name-1`.
fn anchors(page: &Path) -> BTreeSet<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let prose = prose(&text(page));
    let headings = prose
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(marks, _)| (1..=6).contains(&marks.len()) && marks.chars().all(|it| it == '#'));
    headings
        .map(|(_, heading)| {
            let name = anchor(heading);
            let before = times.entry(name.clone()).or_default();
            *before += 1;
            match *before {
                1 => name,
                number => format!("{name}-{}", number - 1),
            }
        })
        .collect()
}

/// Returns the targets of a page's links and pictures.
fn links(page: &Path) -> Vec<String> {
    let code = Regex::new(r"`[^`\n]*`").expect("a pattern");
    let link = Regex::new(r"\]\(\s*([^)\s]+)[^)]*\)").expect("a pattern");
    let prose = prose(&text(page));
    let prose = code.replace_all(&prose, "`code`");
    link.captures_iter(&prose)
        .map(|found| found[1].to_owned())
        .collect()
}

/// Returns the fault of a page's link, if it has one.
fn fault(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => page.to_owned(),
        file => page.parent()?.join(file),
    };
    if !target.exists() {
        return Some(format!("{}: {link}: no such file", page.display()));
    }
    let is_page = target.extension().is_some_and(|it| it == "md");
    if heading.is_empty() || !is_page || anchors(&target).contains(heading) {
        return None;
    }
    Some(format!("{}: {link}: no such heading", page.display()))
}

#[test]
fn no_link_is_broken() {
    let mut count = 0;
    let mut broken = Vec::new();
    for page in pages() {
        for link in links(&page) {
            count += 1;
            broken.extend(fault(&page, &link));
        }
    }
    assert!(count > 300, "only {count} links were found");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_picture_is_shown_by_a_page() {
    let shown: BTreeSet<PathBuf> = pages()
        .iter()
        .flat_map(|page| {
            let folder = page.parent().expect("a folder").to_owned();
            links(page)
                .into_iter()
                .filter_map(move |link| folder.join(link).canonicalize().ok())
        })
        .collect();
    for file in std::fs::read_dir(Path::new(ROOT).join("docs/images")).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|it| it == "png") {
            let real = path.canonicalize().expect("a file");
            assert!(shown.contains(&real), "no page shows {}", path.display());
        }
    }
}

#[test]
fn anchors_are_those_of_github() {
    for (heading, expected) in [
        ("`runner.yaml`", "runneryaml"),
        ("Rows: `each`", "rows-each"),
        ("`--update`", "--update"),
        ("What only moved, and why", "what-only-moved-and-why"),
        ("`assert not visible`", "assert-not-visible"),
        ("[GitHub](https://example.com) Actions", "github-actions"),
        ("Größe – 1 & 2", "größe--1--2"),
        ("on_device", "on_device"),
    ] {
        assert_eq!(anchor(heading), expected, "{heading}");
    }
}

#[test]
fn a_broken_link_is_seen() {
    let page = Path::new(ROOT).join("docs/guide/flows.md");
    for good in [
        "flows.md#steps",
        "#steps",
        "../../README.md",
        "https://example.com/#x",
    ] {
        assert_eq!(fault(&page, good), None, "{good}");
    }
    for broken in [
        "flows.md#no-such",
        "#no-such",
        "no-such.md",
        "no-such.md#steps",
    ] {
        assert!(fault(&page, broken).is_some(), "{broken}");
    }
}
