//! Checks the documents: their flows read and pass, their messages are the program's, their links lead
//! somewhere.

pub mod beside;
mod cookbook;
mod failures;
mod frameworks;
mod links;

use std::path::{Path, PathBuf};

use crate::common::Project;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the paths of README.md and the pages of docs/.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![Path::new(ROOT).join("README.md")];
    for folder in ["docs/guide", "docs/reference", "docs/developers"] {
        let pages = std::fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder");
        found.extend(
            pages
                .map(|entry| entry.expect("an entry").path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a readable document");
    text.replace("\r\n", "\n")
}

/// Reads a page by its path from the root.
fn page(name: &str) -> String {
    text(&Path::new(ROOT).join(name))
}

/// Returns the texts of code blocks in a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    text.split(&format!("```{language}\n"))
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .map(str::to_owned)
        .collect()
}

fn yaml_blocks(text: &str) -> Vec<String> {
    blocks(text, "yaml")
}

/// Returns a flow with what an example leaves out: an app, and a header around steps alone. `None` for any other
/// file.
fn as_flow(block: &str) -> Option<String> {
    let begins = |key: &str| block.lines().any(|line| line.starts_with(key));
    let app = if begins("app:") {
        ""
    } else {
        "app: com.example.notes\n"
    };
    if begins("steps:") {
        // Steps of which the page says nothing.
        return Some(format!("{app}{}", block.replace("[ … ]", "[ launch ]")));
    }
    block
        .starts_with("- ")
        .then(|| format!("{app}env: {{ USER_NAME: ada }}\nsteps:\n{block}"))
}

#[test]
fn flows_in_the_documents_read() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project.write("flows/_login.yaml", "steps: [ back ]\n");
    let page = page("docs/guide/flows.md");
    let table = page.split("```csv\n").nth(1).expect("a table");
    let table = table.split("```").next().unwrap_or_default();
    project.write("flows/people.csv", table);
    let mut count = 0;
    for page in documents() {
        // The first has a test of its own, the second has files of apps.
        if page.ends_with("cookbook.md") || page.ends_with("virtual-device.md") {
            continue;
        }
        for block in yaml_blocks(&text(&page)) {
            let Some(flow) = as_flow(&block) else {
                continue;
            };
            project.write("flows/example.yaml", &flow);
            let ran = project.run(&["lint", "flows/example.yaml"]);
            assert_eq!(ran.code, 0, "{}: {}", page.display(), ran.stdout);
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} examples were found");
}

#[test]
fn examples_without_a_header_are_read() {
    assert!(as_flow("steps:\n  - back\n").is_some());
    assert!(as_flow("# a flow\nneeds: {}\nsteps: [ back ]\n").is_some());
    assert!(as_flow("- back\n").is_some());
    assert!(as_flow("flows: [flows]\n").is_none());
}

#[test]
fn the_flow_of_the_readme_passes() {
    let project = Project::with_demo_app();
    let blocks = yaml_blocks(&text(&Path::new(ROOT).join("README.md")));
    project.write("flows/readme.yaml", &blocks[0]);
    project.run(&["test", "--update", "new"]).expect(0);
    project.run(&["test"]).expect(0).says("1 passed");
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let readme = text(&Path::new(ROOT).join("README.md"));
    for page in documents() {
        let name = page
            .strip_prefix(ROOT)
            .expect("a path in the repository")
            .to_string_lossy()
            .replace('\\', "/");
        assert!(
            name == "README.md" || readme.contains(&name),
            "README.md does not name {name}"
        );
    }
}

/// Returns the commands of `runner` in a text, without the additions of a shell or a CI system.
fn runner_commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line
            .trim()
            .trim_start_matches("- ")
            .trim_start_matches("run: ");
        let line = line.strip_prefix("sh '").unwrap_or(line);
        if line.starts_with("runner ") {
            let command = line.split(['\'', '#', '|', ';']).next().unwrap_or_default();
            let command = command
                .replace("${{ matrix.select }}", "--tag smoke")
                .replace("$SELECT", "--tag smoke")
                .replace('"', "");
            found.push(command.trim().to_owned());
        }
    }
    found
}

#[test]
fn commands_for_ci_are_understood() {
    use clap::Parser as _;
    let mut count = 0;
    for file in [
        "docs/guide/ci.md",
        "docs/guide/shards.md",
        "examples/ci/github-actions.yml",
        "examples/ci/gitlab-ci.yml",
        "examples/ci/Jenkinsfile",
    ] {
        let commands = runner_commands(&text(&Path::new(ROOT).join(file)));
        assert!(commands.len() >= 2, "{file}: {commands:?}");
        for command in commands {
            let parsed = runner::cli::Arguments::try_parse_from(command.split_whitespace());
            assert!(parsed.is_ok(), "{file}: {command}: {:?}", parsed.err());
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} commands were found");
}

#[test]
fn examples_for_ci_are_yaml() {
    for file in ["github-actions.yml", "gitlab-ci.yml"] {
        let text = text(&Path::new(ROOT).join("examples/ci").join(file));
        let value: serde_json::Value = serde_yaml::from_str(&text).expect("YAML");
        assert!(value.is_object(), "{file}");
    }
}
