//! Checks the pages' scripts with the type checker of TypeScript and with eslint.

use crate::common::needs::{client_program, root};

/// Runs a checker, and fails with its findings.
fn is_content(client: &str, arguments: &[&str]) {
    let Some(mut command) = client_program(&format!("node_modules/.bin/{client}")) else {
        return;
    };
    let output = command
        .current_dir(root())
        .args(arguments)
        .output()
        .unwrap();
    let parsed = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{parsed}{error}");
}

#[test]
fn the_scripts_of_the_report_have_no_type_errors() {
    is_content("tsc", &["-p", "tests/browser/check/report.json"]);
}

#[test]
fn the_scripts_of_the_review_have_no_type_errors() {
    is_content("tsc", &["-p", "tests/browser/check/review.json"]);
}

#[test]
fn the_scripts_of_the_review_as_files_have_no_type_errors() {
    is_content("tsc", &["-p", "tests/browser/check/review-static.json"]);
}

#[test]
fn the_scripts_of_the_studio_have_no_type_errors() {
    is_content("tsc", &["-p", "tests/browser/check/studio.json"]);
}

#[test]
fn the_scripts_of_the_studios_goldens_have_no_type_errors() {
    is_content("tsc", &["-p", "tests/browser/check/goldens.json"]);
}

#[test]
fn the_scripts_keep_the_rules_of_eslint() {
    let config = "tests/browser/check/eslint.config.mjs";
    is_content("eslint", &["--config", config, "crates"]);
}
