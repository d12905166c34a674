use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::{MAX_PROBLEMS, check, has_errors};
use runner_text::diagnostic::{Diagnostic, Severity};

/// Returns the manifest of an app with this surface, and an action that opens a component of it as a dialog.
fn manifest(surface: &str) -> String {
    format!(
        "package: com.example.a\nlabel: A\nactivities:\n  .Main: {{ surface: {surface}, launchable: true }}\nactions:\n  ask: [{{ open: confirm }}]\n"
    )
}

fn diagnostics_in(folder: &Utf8Path) -> Vec<Diagnostic> {
    check(folder, Utf8Path::new("app"), |_, _| Vec::new())
}

fn diagnostics(files: &[(&str, &str)]) -> Vec<Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    diagnostics_in(&Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap())
}

/// Returns a message with `components` as JSON.
fn message(components: &str) -> String {
    format!(
        r#"{{"version":"v0.9","updateComponents":{{"surfaceId":"s","components":[{components}]}}}}"#
    )
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|one| one.code.as_str()).collect()
}

#[test]
fn a_file_too_large_to_be_checked_is_no_error() {
    let root = r#"{"id":"root","component":"Text","text":"x"}"#;
    let confirm = r#"{"id":"confirm","component":"Text","text":"x"}"#;
    let many = vec![root; 4000].join(",");
    let large = message(&format!("{many},{confirm}"));
    let lines = format!("{}\n{large}\n", message(root));
    for (name, text) in [
        ("main.json", large.as_str()),
        ("main.yaml", large.as_str()),
        ("main.jsonl", lines.as_str()),
    ] {
        let found = diagnostics(&[("app.yaml", &manifest(name)), (name, text)]);
        assert_eq!(codes(&found), ["too-large"], "{name}");
        assert!(!has_errors(&found), "{name}");
    }
    let small = message(root);
    let found = diagnostics(&[("app.yaml", &manifest("main.json")), ("main.json", &small)]);
    assert_eq!(codes(&found), ["unknown-component"]);
}

#[test]
fn warnings_and_errors_do_not_crowd_each_other_out() {
    let count = |components: &str| {
        let files = [
            (
                "app.yaml",
                &*manifest("main.json").replace("confirm", "root"),
            ),
            ("main.json", &message(components)),
        ];
        let found = diagnostics(&files);
        let errors = found.iter().filter(|one| one.severity == Severity::Error);
        (errors.count(), found.len())
    };
    let (mut warnings, mut errors) = (String::new(), String::new());
    for _ in 0..MAX_PROBLEMS + 50 {
        // The same id again is a warning, a component that is none an error.
        let _ = write!(
            warnings,
            r#"{{"id":"root","component":"Text","text":"x"}},"#
        );
        let _ = write!(errors, r#"{{"id":"b","component":"Txet"}},"#);
    }
    let last = r#"{"id":"c","component":"Txet"}"#;
    assert_eq!(count(&format!("{warnings}{last}")), (1, MAX_PROBLEMS));
    let warned = r#"{"id":"root","component":"Text","text":"x"}"#;
    let all = format!("{errors}{warned},{warned}");
    assert_eq!(
        count(&all),
        (MAX_PROBLEMS, MAX_PROBLEMS),
        "a warning makes no error of another kind"
    );
}

#[test]
fn what_is_accepted_here_is_accepted_on_the_screen() {
    let with = |pattern: &str| {
        let field = format!(
            r#"{{"id":"root","component":"TextField","label":"x","validationRegexp":"{pattern}"}}"#
        );
        let confirm = r#"{"id":"confirm","component":"Text","text":"x"}"#;
        diagnostics(&[
            ("app.yaml", &manifest("main.json")),
            ("main.json", &message(&format!("{field},{confirm}"))),
        ])
    };
    let work = crate::apps::a2ui::ByteBudget::default();
    for (pattern, is_good) in [(r"^\w{3,20}$", true), ("(a{1000}){1000}", false)] {
        let found = with(&pattern.replace('\\', "\\\\"));
        assert_eq!(codes(&found).is_empty(), is_good, "{pattern}: {found:?}");
        let compiled = crate::apps::a2ui::pattern(pattern, &work);
        assert_eq!(compiled.is_ok(), is_good, "{pattern}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let app = root.join("app");
    std::fs::create_dir(&app).unwrap();
    std::fs::write(root.join("secret"), "password: hunter2\n").unwrap();
    std::fs::write(app.join("app.yaml"), manifest("main.yaml")).unwrap();
    std::os::unix::fs::symlink(root.join("secret"), app.join("main.yaml")).unwrap();
    let found = diagnostics_in(&app);
    assert_eq!(codes(&found), ["surface"], "{found:?}");
    assert!(!found[0].source.text.contains("hunter2"));
    // A link to a file beside it is as good as the file.
    std::fs::remove_file(app.join("main.yaml")).unwrap();
    std::fs::write(app.join("own.yaml"), "password: hunter2\n").unwrap();
    std::os::unix::fs::symlink("own.yaml", app.join("main.yaml")).unwrap();
    assert_ne!(codes(&diagnostics_in(&app)), ["surface"]);
    std::fs::remove_file(app.join("app.yaml")).unwrap();
    std::os::unix::fs::symlink(root.join("secret"), app.join("app.yaml")).unwrap();
    assert_eq!(codes(&diagnostics_in(&app)), ["unreadable"]);
}
