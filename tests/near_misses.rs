//! Runs say what was nearly right: in a step that failed, and in one that was skipped without a failure.

use crate::common::Project;

/// Steps after which the app has logged `wrong password`, of level W, with the tag `Notes`.
const REFUSED: &str = "  - launch\n  - type: { into: { id: username }, text: ada }\n  \
     - type: { into: { id: password }, text: guessed, secret: true }\n  - click: { id: sign_in }\n";

#[test]
fn a_failed_step_says_what_to_write() {
    let refused = |step: &str| format!("{REFUSED}  - {step}\n    timeout: 1s\n");
    let on =
        |activity: &str, steps: &str| format!("  - launch: {{ activity: {activity} }}\n{steps}");
    for (steps, told) in [
        (
            refused("assert log: { tag: notes, contains: wrong password }"),
            "its tag is Notes; write tag: Notes",
        ),
        (
            refused("assert log: { contains: wrong password, level: E }"),
            "its level is W; write level: W",
        ),
        (
            refused("assert log: { tag: notes, contains: Wrong Password }"),
            "its text differs only in case, its tag is Notes; write contains: wrong password, tag: Notes",
        ),
        (
            refused("assert log: Start proc"),
            "another process logged it; write any_app: true",
        ),
        (
            "  - launch\n  - click: Forgot password?\n  - assert visible: Ask the administrator*\n    timeout: 2s\n"
                .to_owned(),
            "a toast was shown meanwhile, and its text is on no look; `assert log: …` asserts what the app logs instead",
        ),
        (
            "  - launch\n  - click: { id: \"com.example.shop:id/sign_in\" }\n    timeout: 1s\n".to_owned(),
            "its id is of com.example.notes; write { id: sign_in }",
        ),
        (
            "  - launch\n  - click: { text: \"com.example.notes:id/sign_in\" }\n    timeout: 1s\n"
                .to_owned(),
            "the words are its id; write { id: sign_in }",
        ),
        (
            "  - launch\n  - scroll_to: { text: Imprint, in: { id: list } }\n".to_owned(),
            "nothing scrolls here",
        ),
        (
            "  - launch\n  - repeat: { while: { not_visible: Sign In }, max: 2, steps: [ hide_keyboard ] }\n".to_owned(),
            "text differs only in case; write Sign in",
        ),
        (
            "  - launch\n  - repeat: { while: { not_visible: { id: sing_inn } }, max: 2, steps: [ hide_keyboard ] }\n".to_owned(),
            "write { id: sign_in }",
        ),
        (
            on(
                ".Inbox",
                "  - repeat: { while: { not_visible: Knots }, max: 3, steps: [ swipe_across: down ] }\n",
            ),
            "`swipe_across: down` shows what is above; write `swipe_across: up`, or `scroll_to: Knots` in place of the loop",
        ),
        (
            on(
                ".Inbox",
                "  - repeat: { while: { visible: Inbox }, max: 3, steps: [ swipe_across: down ] }\n",
            ),
            "`while` still held after 3 rounds, and nothing moved in any of them",
        ),
        (
            on(".Form", "  - scroll_to: { text: Save, direction: up }\n"),
            "only what is above was searched; write direction: down",
        ),
        (
            on(".Form", "  - scroll_to: { text: Save, in: { id: page } }\n"),
            "scrolls here: { class: ScrollView }",
        ),
        (
            on(
                ".Inbox",
                "  - swipe_across: { on: { id: note_list }, direction: up }\n    timeout: 1s\n",
            ),
            "scrolls here: { id: notes }",
        ),
        (
            on(
                ".Form",
                "  - scroll_to: { id: copies }\n  - type: { into: { id: copies }, text: three }\n",
            ),
            "it held 1 before, and the text goes behind that; `clear: true` empties it first",
        ),
    ] {
        let project = Project::with_demo_app();
        project.flow("a", &format!("steps:\n{steps}"));
        project.run(&["test", "--retries=0"]).expect(1).says(told);
    }
}

#[test]
fn what_was_skipped_for_a_misspelt_selector_is_noted_and_fails_nothing() {
    let near = "text differs only in case; write \"Forgot password?\"";
    let spelt = "write \"Forgot password?\"";
    for (steps, told) in [
        (
            "click: Forgot password?\n    when: { visible: Forgot Password? }",
            near,
        ),
        (
            "if: { visible: { id: sign-in } }\n    then: [ back ]",
            "write { id: sign_in }",
        ),
        (
            "repeat: { while: { visible: Forgot Password? }, max: 5, steps: [ back ] }",
            near,
        ),
        (
            "click: Forgot pasword?\n    optional: true\n    timeout: 1s",
            spelt,
        ),
        (
            "group: [ { click: Forgot pasword?, timeout: 1s } ]\n    optional: true",
            spelt,
        ),
        ("back:\n    when: { not_visible: Forgot Password? }", near),
    ] {
        let project = Project::with_demo_app();
        project.flow("a", &format!("steps:\n  - launch\n  - {steps}\n"));
        project
            .run(&["test"])
            .expect(0)
            .says("note: ")
            .says("near miss: ")
            .says(told);
    }
}

#[test]
fn an_absence_that_a_misspelt_selector_explains_is_noted() {
    for (asserted, is_noted) in [("Sign In", true), ("Sign out", false), ("Wrong", false)] {
        let steps = [
            (
                "assert not visible",
                format!("assert not visible: {asserted}"),
            ),
            (
                "wait_for",
                format!("wait_for: {{ text: {asserted}, gone: true }}"),
            ),
        ];
        for (called, step) in steps {
            let project = Project::with_demo_app();
            project.flow("a", &format!("steps:\n  - launch\n  - {step}\n"));
            let ran = project.run(&["test"]).expect(0);
            if is_noted {
                ran.says(&format!("note: {called}"))
                    .says("near miss: Button \"Sign in\"")
                    .says("text differs only in case");
            } else {
                ran.never_says("near miss");
            }
        }
    }
}

#[test]
fn a_condition_that_names_nothing_near_is_no_news() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch\n  - back:\n    when: { visible: Log out }\n  - click: Rate this app\n    optional: true\n    \
         timeout: 1s\n  - if: { visible: Sign up }\n    then: [ back ]\n",
    );
    project.run(&["test"]).expect(0).never_says("near miss");
}

#[test]
fn a_step_whose_condition_leaves_nothing_to_run_counts_as_skipped() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch\n  - if: { visible: Nowhere }\n    then: [ back ]\n  - repeat: { while: { visible: Nowhere }, max: 2, \
         steps: [ back ] }\n  - if: { visible: Nowhere }\n    then: [ back ]\n    else: [ hide_keyboard ]\n",
    );
    let ran = project.run(&["test", "--verbose"]).expect(0);
    let ran = ran
        .says("skip  if: { visible: Nowhere }")
        .says("skip  repeat: ");
    assert_eq!(ran.stdout.matches("skip  ").count(), 2, "{}", ran.stdout);
}

#[test]
fn a_repeat_without_rounds_counts_as_skipped() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch\n  - repeat: { times: \"${0}\", steps: [ back ] }\n  - repeat: { times: \"${1}\", steps: [ \
         hide_keyboard ] }\n",
    );
    let ran = project.run(&["test", "--verbose"]).expect(0);
    let ran = ran.says("skip  repeat: ");
    assert_eq!(ran.stdout.matches("skip  ").count(), 1, "{}", ran.stdout);
}

#[test]
fn a_note_is_told_once_an_attempt() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch\n  - repeat:\n      times: 3\n      steps:\n        - if: { visible: Sign In }\n          then: [ back ]\n",
    );
    let ran = project.run(&["test"]).expect(0);
    let count = ran.stdout.matches("near miss").count() + ran.stderr.matches("near miss").count();
    assert_eq!(count, 1, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn conditions_and_optional_commands_of_maestro_are_noted_too() {
    for command in [
        "tapOn: { text: \"Forgot pasword?\", optional: true }",
        "runFlow: { when: { visible: \"Forgot pasword?\" }, commands: [ back ] }",
    ] {
        let project = Project::with_demo_app();
        let flow = format!("appId: com.example.notes\n---\n- launchApp\n- {command}\n");
        project.write("flows/a.yaml", &flow);
        project
            .run(&["test"])
            .expect(0)
            .says("note: ")
            .says("write \"Forgot password?\"");
    }
}

#[test]
fn a_variable_that_nothing_reads_is_told_by_the_name_that_is_read() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "env: { NAME: bo }\nsteps:\n  - launch\n  - type: { into: { id: username }, text: \"${NAME}\" }\n",
    );
    project.write("my.env", "NMAE=hunter2\n");
    let told = "nothing reads the variable `NMAE`, and `NAME` is read";
    for given in [
        ["test", "--env", "NMAE=hunter2"],
        ["test", "--env-file", "my.env"],
    ] {
        let ran = project.run(&given).expect(0);
        ran.says(told).never_says("hunter2");
    }
    project.write("my.env", "NAME=ada\nPASSWORD=hunter2\n");
    let ran = project.run(&["test", "--env-file", "my.env"]).expect(0);
    ran.never_says("nothing reads");
}
