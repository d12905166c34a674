//! Tests of a report of one file: it refers to nothing outside, stays below its limit and says what it left
//! out.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::testing::{every_ending, one_flow};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use runner_base::output_file::Form;
use runner_event::ArtifactKind;

struct TestReport {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl TestReport {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
        Self {
            _guard: guard,
            root,
        }
    }

    fn page(&self, results: &Results, limit: u64) -> String {
        let output = OutputFile::new(&self.root, "a.html".into(), Form::Report, "--html").unwrap();
        one_file::write(results, &output, limit).unwrap();
        std::fs::read_to_string(output.path()).unwrap()
    }

    /// Builds results of all kinds, with pictures `side` pixels wide: of noise, which does not compress.
    fn results(&self, side: u32) -> Results {
        let folder = self.root.join("artifacts");
        std::fs::create_dir_all(&folder).unwrap();
        let mut results = Results::default();
        let mut seed = 1_u32;
        for (at, mut event) in every_ending().into_iter().enumerate() {
            match &mut event.kind {
                EventKind::Start { artifacts, .. } => artifacts.clone_from(&folder),
                EventKind::FlowFinished { artifacts, .. } => {
                    let picture = image::RgbImage::from_fn(side, side * 2, |_, _| {
                        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        image::Rgb([(seed >> 8) as u8, (seed >> 16) as u8, (seed >> 24) as u8])
                    });
                    let mut png = Vec::new();
                    let mut to = std::io::Cursor::new(&mut png);
                    picture.write_to(&mut to, image::ImageFormat::Png).unwrap();
                    let path = format!("{at}.png");
                    std::fs::write(folder.join(&path), &png).unwrap();
                    *artifacts = vec![Artifact {
                        kind: ArtifactKind::Screenshot,
                        path: path.into(),
                        hash: runner_base::files::hash(&png),
                    }];
                }
                _ => {}
            }
            results.add(&event);
        }
        results
    }
}

/// Counts the pictures of passed flows, and of others, in the page.
fn pictures(page: &str) -> (usize, usize) {
    let summary = page_reader::summary(page);
    let (mut passed, mut others) = (0, 0);
    for flow in summary["flows"].as_array().unwrap() {
        let Some(data) = flow["data"].as_str() else {
            continue;
        };
        let detail = page_reader::embedded(page, data);
        let files = detail["attempts"].as_array().unwrap().iter();
        let files = files
            .filter_map(|attempt| attempt["files"].as_array())
            .flatten();
        let is_there = |file: &&Value| {
            let href = file["href"].as_str();
            href.is_some_and(|href| page_reader::bytes(page, href).is_some())
        };
        let count = files.filter(is_there).count();
        match flow["status"].as_str() {
            Some("passed" | "skipped") => passed += count,
            _ => others += count,
        }
    }
    (passed, others)
}

#[test]
fn what_does_not_fit_is_left_out_in_order_and_told() {
    let written = TestReport::new();
    let results = written.results(200);
    let whole = written.page(&results, MAX_ONE_FILE);
    let (passed, others) = pictures(&whole);
    assert!(passed > 0 && others > 0, "{passed} {others}");
    assert_eq!(page_reader::summary(&whole)["left_out"], Value::Null);
    let mut last = (passed, others);
    let mut seen = std::collections::BTreeSet::new();
    let bare = written.page(&results, 0).len() as u64;
    for part in (0..=40).rev() {
        let limit = bare + 2000 + (whole.len() as u64 - bare) * part / 40;
        let page = written.page(&results, limit);
        assert!(page.len() as u64 <= limit, "{} of {limit}", page.len());
        let there = pictures(&page);
        let left_out = &page_reader::summary(&page)["left_out"];
        let number = |name: &str| left_out[name].as_u64().unwrap_or(0) as usize;
        // The files of a flow whose data does not fit are not counted.
        if number("flows") == 0 {
            assert_eq!(there.0 + number("passed"), passed, "{left_out}");
            assert_eq!(there.1 + number("others"), others, "{left_out}");
        }
        assert_eq!(left_out.is_null(), page.len() == whole.len(), "{left_out}");
        assert!(
            there.0 <= last.0,
            "a smaller file has no more of what passed"
        );
        if there.1 < others {
            assert_eq!(there.0, 0, "what passed is left out first");
        }
        if number("smaller") > 0 {
            assert_eq!(there.0, 0, "what passed is left out first");
        }
        seen.insert((
            there.0 == passed,
            there.0 == 0,
            number("smaller") > 0,
            there.1 == 0,
        ));
        last = there;
    }
    assert!(seen.len() >= 3, "not every way was taken: {seen:?}");
}

#[test]
fn flows_are_there_by_name_where_even_their_data_does_not_fit() {
    let written = TestReport::new();
    let page = written.page(&written.results(20), 0);
    let summary = page_reader::summary(&page);
    let flows = summary["flows"].as_array().unwrap();
    assert!(flows.iter().all(|flow| flow["data"].is_null()), "{flows:?}");
    assert_eq!(summary["left_out"]["flows"], 8);
    // Files that no flow on the page shows would take the room of others.
    for files in ["passed", "others"] {
        assert_eq!(summary["left_out"][files].as_u64().unwrap_or(0), 0);
    }
}

/// Elements and styles must not name a file or a host. Data is JSON that only the page's script reads.
#[test]
fn nothing_leads_out_of_the_file_and_its_policy_lets_it_run() {
    let written = TestReport::new();
    let page = written.page(&written.results(20), MAX_ONE_FILE);
    let mut rest = page.as_str();
    let mut policy = String::new();
    let (mut scripts, mut styles) = (0, 0);
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, behind) = tag.split_once('>').unwrap();
        rest = behind;
        let name = tag.split([' ', '\n']).next().unwrap();
        if let Some((_, content)) = tag.split_once("Content-Security-Policy\" content=\"") {
            policy = content.trim_end_matches('"').to_owned();
        }
        for attribute in [" src", " srcset", " data=", " action", " style="] {
            assert!(!tag.contains(attribute), "<{tag}>");
        }
        assert_ne!(name, "link");
        if let Some((_, href)) = tag.split_once("href=\"") {
            assert!(href.starts_with('#'), "<{tag}>");
        }
        if name == "script" || name == "style" {
            let (text, behind) = rest.split_once(&format!("</{name}>")).unwrap();
            rest = behind;
            if tag.contains("type=") {
                assert!(!tag.contains("javascript"), "<{tag}>");
                continue;
            }
            let hash = BASE64_STANDARD.encode(Sha256::digest(text));
            let of = policy
                .split("; ")
                .find(|part| part.starts_with(name))
                .unwrap();
            assert!(
                of.contains(&format!("'sha256-{hash}'")),
                "{name} {hash} in {of}"
            );
            if name == "style" {
                styles += 1;
                assert!(
                    !text.contains("url(") && !text.contains("@import"),
                    "{text}"
                );
            } else {
                scripts += 1;
            }
        }
    }
    assert_eq!((scripts, styles), (5, 2));
    for part in policy.split("; ") {
        let (_, sources) = part.split_once(' ').unwrap();
        let is_inside = |source: &str| {
            source == "'none'" || source == "blob:" || source.starts_with("'sha256-")
        };
        assert!(sources.split(' ').all(is_inside), "{part}");
    }
}

#[test]
fn a_file_is_replaced_only_where_it_is_a_report() {
    let written = TestReport::new();
    let mut results = Results::default();
    for event in &one_flow() {
        results.add(event);
    }
    written.page(&results, MAX_ONE_FILE);
    let claim =
        |name: &str| OutputFile::new(&written.root, name.into(), Form::Report, "--html").map(drop);
    claim("a.html").unwrap();
    std::fs::write(
        written.root.join("mine.html"),
        "<!doctype html>\n<p>mine</p>",
    )
    .unwrap();
    let refused = claim("mine.html").unwrap_err().to_string();
    assert!(refused.contains("not an HTML report"), "{refused}");
}
