use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::mentions::MentionScanner;
use super::{RunAllReason, relative_to};
use runner_text::diagnostic::Source;

#[test]
fn paths_of_a_repository_are_paths_of_a_project() {
    for (root, file, expected) in [
        ("", "app/a.kt", "app/a.kt"),
        ("e2e", "e2e/flows/a.yaml", "flows/a.yaml"),
        ("e2e", "app/a.kt", "../app/a.kt"),
        ("tests/e2e", "tests/a.kt", "../a.kt"),
        ("tests/e2e", "a.kt", "../../a.kt"),
        ("e2e", "e2e2/a.kt", "../e2e2/a.kt"),
        ("e2e", "e2e", ""),
    ] {
        let relative = relative_to(Utf8Path::new(root), Utf8Path::new(file));
        assert_eq!(relative, expected, "{file} of {root:?}");
    }
}

/// Returns the changed files that a flow with this text names. The flow is `flows/a.yaml`, beside the
/// sub-flow `flows/_s.yaml`.
fn named(text: &str, changed: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    fs_err::create_dir_all(root.join("flows/sub")).unwrap();
    for (file, text) in [
        ("flows/a.yaml", text),
        ("flows/_s.yaml", "steps: [ { run: sub/_t.yaml } ]\n"),
        ("flows/sub/_t.yaml", "steps: [ { push: ../deep.bin } ]\n"),
        ("flows/rows.csv", "file\nof-row.png\n"),
    ] {
        fs_err::write(root.join(file), text).unwrap();
    }
    let changed: BTreeSet<Utf8PathBuf> = changed.iter().map(Utf8PathBuf::from).collect();
    let mut naming = MentionScanner::new(root, &changed);
    let found = naming.find_in_flow(Utf8Path::new("flows/a.yaml"));
    found.into_iter().map(Utf8PathBuf::into_string).collect()
}

#[test]
fn a_flow_names_files_in_every_way_of_writing_them() {
    let all = [
        "data/x/one.bin",
        "data/x/two.bin",
        "flows/_s.yaml",
        "flows/a, b.bin",
        "flows/deep.bin",
        "flows/of-row.png",
        "flows/rows.csv",
        "flows/é.bin",
        "flows/noending",
        "other.bin",
    ];
    let cases: [(&str, &[&str]); 13] = [
        ("steps: [ { push: other.bin } ]\n", &["other.bin"]),
        ("steps: [ { push: ../other.bin } ]\n", &["other.bin"]),
        ("steps: [ { push: ./noending } ]\n", &["flows/noending"]),
        ("steps: [ { push: noending } ]\n", &["flows/noending"]),
        ("steps: [ { push: 'a, b.bin' } ]\n", &["flows/a, b.bin"]),
        ("steps:\n  - push: \"\\u00e9.bin\"\n", &["flows/é.bin"]),
        (
            "steps:\n  - push: >-\n      a,\n      b.bin\n",
            &["flows/a, b.bin"],
        ),
        (
            "steps: [ { run: _s.yaml } ]\n",
            &["flows/_s.yaml", "flows/deep.bin"],
        ),
        ("each: rows.csv\n", &["flows/of-row.png", "flows/rows.csv"]),
        (
            "steps: [ { push: ../data/x } ]\n",
            &["data/x/one.bin", "data/x/two.bin"],
        ),
        (
            "steps: [ { push: '../data/${dir}/one.bin' } ]\n",
            &["data/x/one.bin"],
        ),
        ("steps: [ { push: '${name}' }, { click: other } ]\n", &[]),
        // Not below the root, not a path, and another's capital letters.
        (
            "steps: [ { click: /other.bin }, 'https://x/other.bin', Other.bin ]\n",
            &[],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(named(text, &all), expected, "{text}");
    }
    // What does not read as YAML, and what is not there any more.
    assert_eq!(
        named("steps: [ { run: _s.yaml }\n", &all),
        ["flows/_s.yaml", "flows/deep.bin"]
    );
    assert_eq!(
        named("steps: [ { run: gone.yaml } ]\n", &["flows/gone.yaml"]),
        ["flows/gone.yaml"]
    );
    assert_eq!(named("", &["flows/a.yaml"]), ["flows/a.yaml"]);
}

#[test]
fn settings_name_files_of_all_flows_but_not_those_of_the_map() {
    let changed = ["flows/s.yaml", "src/a.kt", "apks/a.apk"].map(Utf8PathBuf::from);
    let changed = BTreeSet::from(changed);
    let source = Arc::new(Source {
        path: "runner.yaml".into(),
        text: "impact: { src/a.kt: { flows: flows/s.yaml } }\nenv: { APK: apks/a.apk }\n".into(),
    });
    let mut naming = MentionScanner::new(Utf8Path::new("/nowhere"), &changed);
    let named: Vec<_> = naming.find_in_project(&source).into_iter().collect();
    assert_eq!(named, ["apks/a.apk"]);
}

#[test]
fn files_that_nobody_places_are_named_up_to_a_few() {
    let files: Vec<Utf8PathBuf> = ["a", "b", "c", "d", "e"].map(Utf8PathBuf::from).into();
    let told = RunAllReason::Unplaced {
        files,
        has_map: true,
    };
    assert_eq!(
        told.to_string(),
        "nothing says which flows a, b, c and 2 more concern; add to `impact` of runner.yaml `\"a\": { tags: [ … ] }`, or `{ flows: [] }` if no flow depends on it"
    );
}
