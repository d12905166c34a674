//! Tests that an agent that saves what it read loses no secret of a flow.

use serde_json::json;

use crate::tests::Project;

const SECRET: &str = "Jjx-plum-8812";

/// Lines in which a flow may hold a secret, and one with a mask that a person wrote.
const LINES: [&str; 5] = [
    "env: { PIN: \"Jjx-plum-8812\" }",
    "env:\n  PIN: Jjx-plum-8812",
    "env:\n  PIN: 'of Jjx-plum-8812'\n  X: \"***\"",
    "env: { PIN: a }\nsetup:\n  - type: { into: { id: username }, text: \"Jjx-plum-8812\", secret: true }",
    "env: { PIN: a }\n# The PIN is Jjx-plum-8812",
];

#[tokio::test]
async fn a_masked_text_is_not_written_over_a_secret() {
    let project = Project::new();
    let folder = project.workspace.config.root.join("flows");
    let file = folder.join("a.yaml");
    std::fs::create_dir(&folder).unwrap();
    project.workspace.scrubber.add(SECRET);
    let save = async |text: &str| {
        let args = json!({ "path": "a.yaml", "text": text, "overwrite": true });
        project.call("runner_save_flow", args).await
    };
    for line in LINES {
        let old =
            format!("app: com.example.notes\nsecrets: [ PIN ]\n{line}\nsteps:\n  - click: Sav\n");
        std::fs::write(&file, &old).unwrap();
        let shown = project.workspace.scrubber.scrub_outside(&old);
        let edited = shown.replace("Sav\n", "Save\n");
        let failure = save(&edited).await.unwrap_err();
        let message = failure.message.to_string();
        assert!(
            message.contains("has `***` in place of a secret"),
            "{message}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), old);
        // With another value there is nothing to lose, nor in a file that has no secret.
        for text in [
            old.replace(SECRET, "${os.CLOUD_API_KEY}"),
            format!("{}# ***\n", old.replace(SECRET, "b")),
        ] {
            save(&text).await.unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
    }
}

/// A flow that is saved or linted under a name reads there as well.
#[tokio::test]
async fn a_flow_that_could_not_run_beside_the_others_is_not_saved() {
    let project = Project::new();
    let text = "app: com.example.notes\nsteps: [ launch, { snapshot: one } ]\n";
    let rows = format!("each: [ {{ user: a }} ]\n{text}");
    let args = |path: &str, text: &str| json!({ "path": path, "text": text });
    project
        .call("runner_save_flow", args("a.yaml", text))
        .await
        .unwrap();
    for (path, text, words) in [
        ("a.yml", text, "`a/one` also belongs to flows/a.yaml"),
        ("A.yaml", text, "also belongs to flows/a.yaml"),
        ("a\\b.yaml", text, "`a/b.yaml`"),
    ] {
        let refused = project.call("runner_save_flow", args(path, text)).await;
        let message = refused.unwrap_err().message.to_string();
        assert!(message.contains(words), "{path}: {message}");
    }
    let linted = project
        .call("runner_lint_flow", args("a.yml", text))
        .await
        .unwrap();
    assert_eq!(linted.value["errors"], 1);
    for (path, text) in [("b.yaml", text), ("b/c.yaml", rows.as_str())] {
        let saved = project.call("runner_save_flow", args(path, text)).await;
        assert!(saved.is_ok(), "{path}: {saved:?}");
    }
    let mut again = args("a.yaml", text);
    again["overwrite"] = true.into();
    assert!(project.call("runner_save_flow", again).await.is_ok());
}
