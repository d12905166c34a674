//! Tests `runner_do` on the virtual device with the demo app.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::tests::Project;

const APP: &str = "com.example.notes";

async fn done(project: &Project, steps: Value) -> Outcome {
    let args = json!({ "steps": steps });
    project.call("runner_do", args).await.unwrap()
}

/// Returns all lines of the failure with which the call was refused.
async fn refused(project: &Project, steps: Value) -> String {
    let args = json!({ "steps": steps });
    let failure = project.call("runner_do", args).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage, "{failure:?}");
    let details: Vec<String> = failure.details.iter().map(ToString::to_string).collect();
    format!("{}\n{}", failure.message, details.join("\n"))
}

fn nested(depth: usize) -> Value {
    let mut step = json!("back");
    for _ in 0..depth {
        step = json!({ "repeat": { "times": 1000, "steps": [step] } });
    }
    step
}

/// Returns steps that a call of `runner_do` refuses as its second step, with the words of the refusal.
fn refused_steps() -> Vec<(Value, String)> {
    let flow = |what: &str| format!("step 2: `{what}` is for flows; runner_run_flow");
    vec![
        (nested(1), flow("repeat")),
        (nested(20), flow("repeat")),
        (json!({ "group": ["back"] }), flow("group")),
        (
            json!({ "retry": { "times": 2, "steps": ["back"] } }),
            flow("retry"),
        ),
        (
            json!({ "if": { "visible": "a" }, "then": ["back"] }),
            flow("if"),
        ),
        (json!({ "set": { "a": "b" } }), flow("set")),
        (json!("pause"), flow("pause")),
        (
            json!({ "assert": { "that": "${1 == 1}" } }),
            flow("assert: { that: … }"),
        ),
        (json!({ "run": "nowhere.yaml" }), "step 2: ".to_owned()),
        (
            json!({ "snapshot": "home" }),
            "call runner_take_snapshot".to_owned(),
        ),
        (
            json!({ "clik": "a" }),
            "step 2: there is no step `clik`; did you mean `click`?".to_owned(),
        ),
        (json!("click"), "step 2: `click` needs a value".to_owned()),
        (
            json!({ "shell": "id" }),
            "step 2: `shell` is not allowed in this project".to_owned(),
        ),
        (
            json!({ "click": "a", "optional": true }),
            "step 2: beside a step only".to_owned(),
        ),
        (
            json!({ "find": "a", "as": "b" }),
            "step 2: beside a step only".to_owned(),
        ),
        (
            json!({ "type": { "into": "a", "text": "${os.CLOUD_API_KEY}" } }),
            "step 2: ".to_owned(),
        ),
        (
            json!({ "double_click": "@e1" }),
            "step 2: `double_click` takes no id of a look".to_owned(),
        ),
        (
            json!({ "type": { "into": "@e1", "text": "a", "secret": true } }),
            "step 2: `secret` does not go together with the id `@e1`".to_owned(),
        ),
        (json!({ "if": { "visible": "a" } }), flow("if")),
        (json!({ "repeat": {} }), flow("repeat")),
        (json!({ "retry": 3 }), flow("retry")),
        (json!({ "run": 7 }), flow("run")),
        (json!({ "group": "x" }), flow("group")),
        (json!({ "set": 7 }), flow("set")),
        (
            json!({ "snapshot": { "nam": 1 } }),
            "step 2: `snapshot` is no step here".to_owned(),
        ),
        (
            json!({ "assert": { "that": 7 } }),
            flow("assert: { that: … }"),
        ),
        (json!({ "click": "${NAM}" }), flow("${…}")),
        (json!({ "click": "${NAM" }), flow("${…}")),
        (
            json!({ "click": { "text": { "contains": "${1 + 1}" } } }),
            flow("${…}"),
        ),
        (
            json!({ "type": { "into": "a", "text": "$$${a} ${b}" } }),
            flow("${…}"),
        ),
        (
            json!({ "click": "a", "when": 7 }),
            "step 2: beside a step only".to_owned(),
        ),
        (
            json!({ "click": "a", "retry": "often" }),
            "step 2: beside a step only".to_owned(),
        ),
        (json!({}), "step 2: ".to_owned()),
        (json!("a\u{0}b\u{7}\n- back"), "step 2: ".to_owned()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_belongs_into_a_flow_is_refused_before_anything_is_done() {
    let project = Project::new();
    let launch = json!({ "launch": APP });
    for (step, why) in refused_steps() {
        let said = refused(&project, json!([launch, step])).await;
        assert!(
            said.starts_with("nothing was done; mend these steps\n"),
            "{said}"
        );
        assert!(said.contains(&why), "{step}: {said}");
        assert!(!said.contains("abc-cloud-7"), "{said}");
    }
    let said = refused(&project, json!([{ "if": 1 }, { "clik": "a" }, "pause"])).await;
    let numbers: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_once(": `").or(line.split_once(": there")))
        .map(|(number, _)| number)
        .collect();
    assert_eq!(numbers, ["step 1", "step 2", "step 3"], "{said}");
    // Each is named.
    let said = refused(&project, json!([{ "clik": "a" }, "back", { "clik": "b" }])).await;
    assert!(
        said.contains("step 1: ") && said.contains("step 3: "),
        "{said}"
    );
    for steps in [
        json!([]),
        json!(vec!["back"; 51]),
        json!(vec![nested(30); 10_000]),
    ] {
        let said = refused(&project, steps).await;
        assert!(said.starts_with("a call has 1 to 50 steps, not "), "{said}");
    }
    let long = json!([{ "type": { "into": "a", "text": "a".repeat(2_000_000) } }]);
    let said = refused(&project, long).await;
    assert!(said.len() < 1000 && said.contains("larger than"), "{said}");
    let opened = project.workspace.connection.opened().await.unwrap();
    let screen = opened.session.look().await.unwrap();
    let front = screen.foreground().map(|(package, _)| package.to_owned());
    assert_ne!(front.as_deref(), Some(APP), "a refused call launched it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_is_how_far_it_came_and_the_screen() {
    let project = Project::new();
    let outcome = done(
        &project,
        json!([
            { "launch": { "app": APP, "clear": true } },
            { "assert": { "id": "sign_in", "enabled": false } },
            { "assert": { "class": "EditText", "count": 2 } },
        ]),
    )
    .await;
    assert_eq!(outcome.verdict, Verdict::Passed);
    assert!(
        outcome.words().starts_with("3 steps passed\nlook 1: "),
        "{}",
        outcome.words()
    );
    let text = outcome.words().to_string();
    let field = text
        .lines()
        .find(|line| line.contains("id=username"))
        .unwrap();
    let id = field.split(' ').next().unwrap();

    // By the ids of a look too; the second fails, the third is not done.
    let outcome = done(
        &project,
        json!([
            { "type": { "into": id, "text": "ada" } },
            { "click": "Sign inn", "timeout": "100ms" },
            { "erase": { "id": "username" } },
            "back",
        ]),
    )
    .await;
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));
    let text = outcome.words().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "step 2 of 4 failed: click: Sign inn");
    assert_eq!(lines[1], "no element matches Sign inn");
    assert!(
        lines[2].starts_with("near miss: Button \"Sign in\""),
        "{lines:?}"
    );
    assert!(
        outcome
            .words()
            .contains("\nstep 1 passed, steps 3 to 4 were not done\nlook 2: "),
        "{lines:?}"
    );
    assert!(outcome.words().contains("\"ada\""), "{lines:?}");
    assert_eq!(outcome.value["failed"]["step"], 2);

    // What is expected and what is there, and no look where none is wanted.
    let steps = json!([{ "assert": { "id": "username", "text": "bob" }, "timeout": "100ms" }]);
    let args = json!({ "steps": steps, "look": false });
    let outcome = project.call("runner_do", args).await.unwrap();
    let text = outcome.words();
    assert!(
        text.starts_with("step 1 of 1 failed: assert: { id: username, text: bob }\n"),
        "{text}"
    );
    assert!(
        text.contains("\nexpected: text: bob\nactual: text: ada\n"),
        "{text}"
    );
    assert!(text.ends_with("\nno step passed"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_names_each_step_and_nothing_that_is_typed() {
    let project = Project::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let progress = {
        let heard = Arc::clone(&heard);
        Progress::new(move |done, total, message| {
            heard
                .lock()
                .unwrap()
                .push((done, total, message.to_owned()));
        })
    };
    let steps = json!([
        { "launch": { "app": APP, "clear": true } },
        { "type": { "into": { "id": "password" }, "text": "lovelace" } },
    ]);
    let args = DoArgs {
        steps: steps.as_array().unwrap().clone(),
        look: false,
    };
    let outcome = Do::call(&project.workspace, args, &progress).await.unwrap();
    assert_eq!(outcome.words(), "2 steps passed");
    let heard = heard.lock().unwrap();
    assert_eq!(
        *heard,
        [
            (1.0, Some(2.0), "launch: passed".to_owned()),
            (2.0, Some(2.0), "type: { id: password }: passed".to_owned()),
        ]
    );
    let scrubbed = project.workspace.scrubber.scrub_outside("it is lovelace");
    assert_eq!(scrubbed, "it is ***");
}
