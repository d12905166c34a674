//! Secrets in the headers of flows: no output shows them.

use super::texts;
use crate::common::{Project, Ran};

/// A header may take its app from a value.
#[test]
fn an_app_that_is_secret_stands_in_no_output() {
    const APP: &str = "com.example.notes";
    for (header, variable) in [
        ("app: \"${os.PW}\"\nsecrets: [ PW ]\n", Some(APP)),
        (
            "app: \"${PW}\"\nsecrets: [ PW ]\nenv: { PW: com.example.notes }\n",
            None,
        ),
        (
            "app: \"${K}\"\nsecrets: [ K ]\nenv: { K: \"${os.PW}\" }\n",
            Some(APP),
        ),
        (
            "app: \"${K}\"\nsecrets: [ K ]\neach: [ { name: one, K: com.example.notes } ]\n",
            None,
        ),
    ] {
        let project = Project::with_demo_app();
        let steps = "steps:\n  - launch\n  - assert visible: nowhere\n    timeout: 10ms\n";
        project.write("flows/a.yaml", &format!("{header}{steps}"));
        let reports = [
            "--junit",
            "out/a.xml",
            "--json",
            "out/a.ndjson",
            "--html",
            "out/html",
            "--allure",
            "out/allure",
            "--artifacts",
            "out/art",
        ];
        let mut command = project.command(&[&["test", "-v"][..], &reports].concat());
        if let Some(value) = variable {
            command.env("PW", value);
        }
        let ran = Ran::from(command.output().expect("the program starts")).expect(1);
        let mut outputs = texts(&project);
        assert!(outputs.len() > 4, "{}", outputs.len());
        outputs.push(("stdout".to_owned(), ran.stdout));
        outputs.push((
            "last run".to_owned(),
            project.read(".runner/last-run.ndjson"),
        ));
        // A script of the report has this package in a comment.
        outputs.retain(|(name, _)| !name.ends_with(".js"));
        for (name, text) in outputs {
            assert!(!text.contains(APP), "{header}: {name}: {text}");
        }
    }
}
