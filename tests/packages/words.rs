//! Checks that the program's name stands in one file, and that linters accept the packaging's files.

use std::path::Path;

use super::made::shown;
use super::{ROOT, here, ran, tool};
use crate::common::needs;

/// Returns the files that git tracks, and new ones that it does not ignore.
fn files() -> Vec<String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let files = ran(here("git").args(list)).expect(0);
    files.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn the_published_name_stands_in_one_file() {
    if !needs::program("git") || !needs::program("python3") {
        return;
    }
    let name = shown("name");
    let mut holding = files();
    holding.retain(|file| {
        std::fs::read_to_string(Path::new(ROOT).join(file)).is_ok_and(|text| text.contains(&name))
    });
    // The second one says which name means that none is chosen.
    let expected: &[&str] = if shown("chosen") == "true" {
        &["packaging/name"]
    } else {
        &["packaging/makers/release.py", "packaging/name"]
    };
    assert_eq!(holding, expected);
}

/// `runner` is another project's package there.
#[test]
fn no_document_gets_the_program_under_a_name_of_others() {
    if !needs::program("git") {
        return;
    }
    let wrong = regex::Regex::new(
        r"\b(npx|uvx|pipx run|bunx|pnpm dlx|npm (i|install)( -g)?|pip install|uv tool install|pipx install|cargo install|apt(-get)? install) runner\b",
    )
    .unwrap();
    let documents = files().into_iter().filter(|file| {
        let ending = Path::new(file)
            .extension()
            .and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["md", "yml", "yaml", "sh"].contains(&ending))
    });
    let mut found = Vec::new();
    for file in documents {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&file)).unwrap();
        found.extend(
            wrong
                .find(&text)
                .map(|words| format!("{file}: {}", words.as_str())),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn scripts_and_files_keep_the_rules_of_their_linters() {
    let checks: [(&str, &[&str]); 4] = [
        ("shellcheck", &["packaging/install.sh"]),
        (
            "hadolint",
            &["--failure-threshold", "info", "packaging/Containerfile"],
        ),
        (
            "check-jsonschema",
            &["--builtin-schema", "vendor.github-actions", "action.yml"],
        ),
        (
            "check-jsonschema",
            &[
                "--builtin-schema",
                "vendor.github-workflows",
                ".github/workflows/release.yml",
            ],
        ),
    ];
    for (name, arguments) in checks {
        let Some(mut command) = tool(name) else {
            return;
        };
        ran(command.args(arguments)).expect(0);
    }
}
