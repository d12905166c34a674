use std::fmt::Write;

use super::{Project, read};
use runner_text::diagnostic::Code;

fn codes(text: &str) -> Vec<&'static str> {
    read(text)
        .1
        .iter()
        .map(|diagnostic| diagnostic.code.as_str())
        .collect()
}

#[test]
fn bombs_are_refused() {
    let mut laughs = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let uses = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(laughs, "b{level}: &a{level} [{uses}]").unwrap();
    }
    assert_eq!(codes(&laughs), ["too-large"]);

    let mut tower = "a0: &a0 [x]\n".to_owned();
    for level in 1..49 {
        let deep = format!("{}*a{}{}", "[".repeat(40), level - 1, "]".repeat(40));
        writeln!(tower, "b{level}: &a{level} {deep}").unwrap();
    }
    assert_eq!(codes(&tower), ["too-large"]);

    let anchors: String = (0..60).map(|n| format!("k{n}: &a{n} x\n")).collect();
    assert_eq!(codes(&anchors), ["too-large"]);

    let aliases = format!("a: &a x\nb: [{}]\n", vec!["*a"; 200].join(", "));
    assert_eq!(codes(&aliases), ["too-large"]);

    let nodes = format!("steps: [{}]\n", vec!["back"; 30_000].join(", "));
    assert_eq!(codes(&nodes), ["too-large"]);

    for deep in [
        format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        "{a: ".repeat(10_000),
        "- ".repeat(10_000),
        (0..5_000)
            .map(|level| format!("{}a:\n", " ".repeat(level)))
            .collect(),
    ] {
        assert_eq!(codes(&deep).len(), 1);
    }
    assert_eq!(codes("a: &a [*a]\n"), ["alias"]);
}

#[test]
fn files_that_are_no_text_are_refused() {
    let project = Project::new();
    project
        .file("latin.yaml", b"name: caf\xe9\n")
        .file("huge.yaml", vec![b'#'; 2_000_000])
        .file("empty.yaml", "")
        .file("zero.yaml", "steps: [\0]\n")
        .file("folder.yaml/x", "");
    for (path, part) in [
        ("latin.yaml", "not UTF-8"),
        ("huge.yaml", "larger than"),
        ("empty.yaml", "empty"),
        ("folder.yaml", "not a file"),
        ("missing.yaml", "no such file"),
    ] {
        let (flow, diagnostics) = project.read(path);
        assert!(flow.is_none());
        assert!(
            diagnostics[0].message.contains(part),
            "{path}: {}",
            diagnostics[0].message
        );
        assert_eq!(diagnostics[0].source.path, path);
    }
    assert!(project.read("zero.yaml").0.is_none());
}

#[test]
fn fans_of_sub_flows_end() {
    let project = Project::new();
    for level in 0..12 {
        let next = format!("_{}.yaml", level + 1);
        let runs: String = (0..4).map(|_| format!("  - run: {next}\n")).collect();
        project.file(&format!("_{level}.yaml"), format!("steps:\n{runs}"));
    }
    project.file("_12.yaml", "steps: [ back ]\n");
    let (flow, diagnostics) = project.read("_0.yaml");
    assert!(flow.is_none());
    assert!(
        diagnostics
            .iter()
            .all(|diagnostic| diagnostic.code == Code::TooLarge)
    );
}

#[test]
fn many_errors_of_a_sub_flow_that_runs_often_are_told_once() {
    let project = Project::new();
    project
        .file(
            "_b.yaml",
            format!("steps:\n{}", "  - [ back ]\n".repeat(3_000)),
        )
        .file(
            "a.yaml",
            format!("steps:\n{}", "  - run: _b.yaml\n".repeat(20)),
        );
    let began = std::time::Instant::now();
    assert_eq!(project.read("a.yaml").1.len(), 3_000);
    assert!(
        began.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        let (_, diagnostics) = read(&text);
        runner_text::diagnostic::render(&diagnostics, false, 80);
    }

    #[test]
    fn arbitrary_yaml_never_panics(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "steps:\n", "- ", "  ", "\n", "click: ", "type: ", "{", "}", "[", "]", "id: x", ", ", "\"", "'",
                "${", "}", "a", "é", "&a ", "*a", "!x ", "#", " #", ": ", "|\n", ">\n", "---\n", "<<: ", "? ", "\t",
                "snapshot: ", "run: ", "repeat: ", "times: 3", "if: ", "then: ", "env: ", "as: ", "null", "5", "\r\n",
            ]),
            0..40,
        ),
    ) {
        let text = parts.concat();
        let (_, diagnostics) = read(&text);
        runner_text::diagnostic::render(&diagnostics, true, 80);
        for diagnostic in &diagnostics {
            proptest::prop_assert!(text.get(diagnostic.span.clone()).is_some(), "{:?}", diagnostic);
            diagnostic.line_column();
        }
    }
}
