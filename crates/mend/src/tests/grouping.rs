use std::sync::Arc;

use super::{TestProject, after, before};
use crate::{Group, StepKind, groups, patch};

fn described(group: &Group) -> Vec<String> {
    let step = |step: &crate::GroupedStep| {
        let word = match step.kind {
            StepKind::Failed => "failed",
            StepKind::NotReached => "not reached",
            StepKind::Silent => "silent",
        };
        format!("{word} {}:{}:{}", step.source.path, step.line, step.column)
    };
    group.steps.iter().map(step).collect()
}

/// The same text occurs on other screens: "OK" of another dialog is not renamed with this one.
#[test]
fn later_steps_with_the_same_words_are_left_to_fail_by_themselves() {
    let project = TestProject::new(&[
        (
            "flows/a.yaml",
            "app: com.example\nsteps:\n  - click: Send\n  - click: Send\n  - assert not visible: Send\n",
        ),
        (
            "flows/b.yaml",
            "app: com.example\nsteps:\n  - assert not visible: Send\n",
        ),
    ]);
    let read = project.read();
    let screen = |label: &str| super::screen(&[("send", label), ("help", "Help")]);
    let evidence = project.evidence(
        "flows/a.yaml",
        "click: Send",
        &screen("Send"),
        &screen("Submit"),
    );
    let patch = patch(
        &Arc::new(evidence),
        read.flow("flows/a.yaml".into()).unwrap(),
    )
    .unwrap();
    let groups = groups(&read, [patch]);
    assert_eq!(
        described(&groups[0]),
        ["failed flows/a.yaml:3:12", "silent flows/a.yaml:5:25"]
    );
}

#[test]
fn a_group_holds_failed_later_and_silent_steps_and_no_others() {
    let project = TestProject::new(&[
        (
            "flows/a.yaml",
            "app: com.example\nsteps:\n  - assert visible: { id: sign_in }\n  - click: { id: help }\n  - click: { id: sign_in }\n  - run: _sub.yaml\n  - assert not visible: { id: sign_in }\n  - click: \"${'sign_in'}\"\n",
        ),
        (
            "flows/_sub.yaml",
            "steps:\n  - click: { id: sign_in, enabled: true }\n  - when: { visible: { id: sign_in } }\n    back:\n",
        ),
        (
            "flows/b.yaml",
            "app: com.example\nsteps:\n  - click: { id: sign_in }\n  - assert: { id: sign_in, count: 0 }\n",
        ),
        (
            "flows/c.yaml",
            "app: com.example\nsteps:\n  - click: { id: sign_in }\n  - assert not visible: { id: sign_in }\n  - click: { id: sign_in }\n    optional: true\n",
        ),
        (
            "flows/other.yaml",
            "app: com.other\nsteps:\n  - assert not visible: { id: sign_in }\n",
        ),
        (
            "m/d.yaml",
            "appId: com.example\n---\n- tapOn:\n    id: sign_in\n- assertNotVisible:\n    id: sign_in\n",
        ),
    ]);
    let read = project.read();
    let evidence = [
        ("flows/a.yaml", "click: { id: sign_in }"),
        ("flows/b.yaml", "click: { id: sign_in }"),
    ]
    .map(|(flow, title)| project.evidence(flow, title, &before(), &after()));
    let patches = evidence.iter().map(|evidence| {
        let flow = read.flow(&evidence.flow).unwrap();
        patch(&Arc::new(evidence.clone()), flow).unwrap()
    });
    let groups = groups(&read, patches);
    let [group] = groups.as_slice() else {
        panic!("{groups:?}");
    };
    assert_eq!(
        group.to_string(),
        "id `sign_in` → `login_button` in 3 steps of 3 flows"
    );
    assert_eq!(
        described(group),
        [
            "failed flows/a.yaml:5:18",
            "failed flows/b.yaml:3:18",
            "not reached flows/_sub.yaml:2:18",
            "silent flows/_sub.yaml:3:28",
            "silent flows/a.yaml:7:31",
            "silent flows/b.yaml:4:19",
            "silent flows/c.yaml:4:31",
            "silent flows/c.yaml:5:18",
        ]
    );
    let edited = group.edit().unwrap();
    let lines = |text: &str| text.matches("login_button").count();
    let files: Vec<_> = edited
        .iter()
        .map(|file| (file.source.path.as_str(), lines(&file.text)))
        .collect();
    assert_eq!(
        files,
        [
            ("flows/_sub.yaml", 2),
            ("flows/a.yaml", 2),
            ("flows/b.yaml", 2),
            ("flows/c.yaml", 2)
        ]
    );
    for file in &edited {
        let back = file.text.replace("login_button", "sign_in");
        assert_eq!(back, file.source.text);
    }
}

#[test]
fn a_flow_of_maestros_is_mended_too() {
    let text = "appId: com.example\n---\n- tapOn:\n    id: \"sign_in\" # the button\n- assertNotVisible:\n    id: 'sign_in'\n- tapOn:\n    id: sign_in\n";
    let project = TestProject::new(&[("m/d.yaml", text)]);
    let read = project.read();
    let uses = &read.flows().next().unwrap().uses;
    let title = uses[0].title.clone();
    let evidence = project.evidence("m/d.yaml", &title, &before(), &after());
    let patch = patch(
        &Arc::new(evidence.clone()),
        read.flow(&evidence.flow).unwrap(),
    )
    .unwrap();
    let groups = groups(&read, [patch]);
    assert_eq!(
        described(&groups[0]),
        [
            "failed m/d.yaml:4:9",
            "not reached m/d.yaml:8:9",
            "silent m/d.yaml:6:9"
        ]
    );
    let edited = &groups[0].edit().unwrap()[0].text;
    assert!(
        edited.contains("id: login_button # the button\n"),
        "{edited}"
    );
}

#[test]
fn words_are_another_cause_than_an_id() {
    let project = TestProject::new(&[(
        "flows/a.yaml",
        "app: com.example\nsteps:\n  - click: Sign in\n  - click: { text: Sign in, enabled: true }\n  - assert not visible: Sign in\n",
    )]);
    let read = project.read();
    let after = super::screen(&[("sign_in", "Log in"), ("help", "Help")]);
    let evidence = project.evidence("flows/a.yaml", "click: Sign in", &before(), &after);
    let patch = patch(
        &Arc::new(evidence.clone()),
        read.flow(&evidence.flow).unwrap(),
    )
    .unwrap();
    let groups = groups(&read, [patch]);
    assert_eq!(
        groups[0].to_string(),
        "text `Sign in` → `Log in` in 1 step of 1 flow"
    );
    assert_eq!(
        described(&groups[0]),
        ["failed flows/a.yaml:3:12", "silent flows/a.yaml:5:25"]
    );
}
