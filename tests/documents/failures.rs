//! Checks that each message that docs/guide/why-did-it-fail.md explains is printed by a run, or is in the sources.

use std::path::Path;

use regex::Regex;

use super::{ROOT, page};
use crate::common::Project;
use crate::http_step::{reply, server};

const PAGE: &str = "docs/guide/why-did-it-fail.md";

/// Returns the messages: the headings of the third level. `…` stands for varying text.
fn messages(page: &str) -> Vec<String> {
    page.lines()
        .filter_map(|line| line.strip_prefix("### "))
        .map(|heading| heading.trim_matches(['`', ' ']).to_owned())
        .map(|message| match message.starts_with("while`") {
            true => format!("`{message}"),
            false => message,
        })
        .collect()
}

/// Returns the parts of a message between its `…`, which stand for varying text.
fn fixed_words(message: &str) -> Vec<&str> {
    let words = message.split('…').map(str::trim);
    words.filter(|part| part.len() > 2).collect()
}

/// Returns the output of each flow of `failing/`, and of commands without a device or a flow.
fn printed() -> String {
    let project = Project::empty();
    project.copy("examples/demo");
    project.copy("examples/cookbook");
    project.copy_to("tests/documents/failing", "flows");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [examples/demo, examples/cookbook]\nhttp: { hosts: [127.0.0.1] }\nenv: { API: \"\" }\n",
    );
    let api = format!("API=http://{}/", server(|_| reply("200 OK", "", "well")));
    project
        .run(&[
            "test",
            "flows/differs.yaml",
            "-e",
            "WORD=one",
            "--update",
            "new",
        ])
        .expect(0);
    let calls: [&[&str]; 3] = [
        &["test", "-e", &api],
        &["test", "flows/log.yaml", "--tag", "nobody-has-it"],
        &["test", "flows/log.yaml", "--device", "nosuch"],
    ];
    let mut text = String::new();
    for call in calls {
        let ran = project.run(call);
        assert_ne!(ran.code, 0, "{call:?} passed");
        assert!(!ran.stdout.contains("1 passed"), "{}", ran.stdout);
        text.push_str(&ran.stdout);
        text.push_str(&ran.stderr);
    }
    text
}

/// Returns all sources as one text; a string that goes on in the next line is joined.
fn sources() -> String {
    let mut text = String::new();
    for folder in ["src", "crates"] {
        let files = walkdir::WalkDir::new(Path::new(ROOT).join(folder));
        for file in files.into_iter().flatten() {
            if file.path().extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&std::fs::read_to_string(file.path()).expect("a source"));
            }
        }
    }
    let continued = Regex::new(r"\\\n\s*").expect("a pattern");
    continued.replace_all(&text, "").into_owned()
}

#[test]
fn every_message_of_the_page_is_one_of_the_program() {
    let (printed, sources) = (printed(), sources());
    let mut seen = 0;
    let mut unknown = Vec::new();
    let messages = messages(&page(PAGE));
    for message in &messages {
        let words: Vec<String> = fixed_words(message)
            .into_iter()
            .map(regex::escape)
            .collect();
        assert!(!words.is_empty(), "{message} has no fixed words");
        let pattern = Regex::new(&words.join(".*")).expect("a pattern");
        if pattern.is_match(&printed) {
            seen += 1;
        } else if !fixed_words(message)
            .iter()
            .all(|part| sources.contains(part))
        {
            unknown.push(message);
        }
    }
    assert!(unknown.is_empty(), "the program does not say {unknown:#?}");
    assert!(
        seen >= 30,
        "only {seen} of {} messages were printed by a run\n{printed}",
        messages.len()
    );
}

#[test]
fn fixed_words_are_what_does_not_differ() {
    assert_eq!(
        fixed_words("device '…' was lost: …"),
        ["device '", "' was lost:"]
    );
    let page = "### `no element …`\n## x\n### `` `while` held … ``\n";
    assert_eq!(messages(page), ["no element …", "`while` held …"]);
}
