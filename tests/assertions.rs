//! Soft assertions, conditions with a time, counts, a choice of selectors, and data made up, with the demo app.

use crate::common::Project;

/// Steps that sign in, so that the inbox is shown.
const SIGNED_IN: &str = "setup: [ run: _sign-in.yaml ]\nsteps:\n";

fn project(steps: &str) -> Project {
    let project = Project::with_demo_app();
    project.copy("flows");
    project.flow("checks", &format!("{SIGNED_IN}{steps}"));
    project
}

fn test(project: &Project, more: &[&str]) -> crate::common::Ran {
    project.run(&[&["test", "flows/checks.yaml"], more].concat())
}

#[test]
fn soft_assertions_are_collected_and_each_is_told_at_its_line() {
    let project = project(
        "  - assert: { id: inbox_count, text: \"41\" }\n    soft: true\n  - group:\n      - { assert visible: Nowhere, \
         soft: true, timeout: 100ms }\n  - assert: { that: \"${1 > 2}\" }\n    soft: true\n  - assert: { id: inbox_count, \
         text: \"40\" }\n    soft: true\n  - screenshot: end\n",
    );
    let ran = test(
        &project,
        &["--verbose", "--junit", "junit.xml", "--html", "html"],
    )
    .expect(1);
    let ran = ran
        .says("error: text of { id: inbox_count } is not as expected")
        .says("flows/checks.yaml:4:")
        .says("also failed: no element matches Nowhere")
        .says("flows/checks.yaml:7:")
        .says("also failed: `1 > 2` does not hold")
        .says("flows/checks.yaml:8:")
        .says("ok    screenshot: end")
        .never_says("attempt 2");
    assert_eq!(
        ran.stdout.matches("also failed:").count(),
        2,
        "{}",
        ran.stdout
    );
    let junit = project.read("junit.xml");
    for message in [
        "not as expected",
        "no element matches Nowhere",
        "does not hold",
    ] {
        assert!(junit.contains(message), "{message}: {junit}");
    }
    let html = walkdir::WalkDir::new(project.path("html"));
    let mut texts = html
        .into_iter()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    assert!(
        texts.any(|text| text.contains("soft-1")),
        "a picture of each is kept"
    );
}

#[test]
fn what_ends_the_flow_is_its_error_and_soft_failures_before_it_are_told_too() {
    let project = project(
        "  - { assert visible: Nowhere, soft: true, timeout: 100ms }\n  - { click: Never, timeout: 100ms }\n  - screenshot: \
         end\n",
    );
    test(&project, &["--verbose"])
        .expect(1)
        .says("error: no element matches Never")
        .says("also failed: no element matches Nowhere")
        .never_says("screenshot: end");
}

/// J8 of 2026-11-27: a text beside a relation is expected, and does not locate.
#[test]
fn an_assertion_says_which_of_its_keys_locate() {
    for (assertion, told) in [
        (
            "assert: { text: \"41\", class: TextView }",
            "`assert` looks for { class: TextView } and expects text of it; `assert visible: { class: TextView, text: \"41\" }`",
        ),
        (
            "assert: { desc: Add, below: Nowhere }",
            "`assert` looks for { below: Nowhere } and expects desc of it",
        ),
    ] {
        let project = project(&format!("  - {assertion}\n    timeout: 100ms\n"));
        test(&project, &[]).expect(1).says(told);
    }
    let project = project("  - assert: { id: nowhere, enabled: true }\n    timeout: 100ms\n");
    test(&project, &[]).expect(1).never_says("looks for");
}

#[test]
fn soft_belongs_to_assertions() {
    for (step, message) in [
        (
            "{ click: Sign in, soft: true }",
            "`soft` belongs to an assertion",
        ),
        (
            "{ snapshot: a, soft: true }",
            "a flow goes on after a snapshot",
        ),
        (
            "{ assert visible: A, soft: true, optional: true }",
            "does not go together with `optional`",
        ),
        (
            "{ assert visible: A, soft: maybe }",
            "`true` or `false` is expected",
        ),
    ] {
        let project = project(&format!("  - {step}\n"));
        project
            .run(&["lint", "flows/checks.yaml"])
            .expect(2)
            .says(message);
    }
}

#[test]
fn a_condition_may_take_its_time() {
    let project = project(
        "  - if: { visible: Nowhere, timeout: 200ms }\n    then: [ { click: Nowhere } ]\n    else: [ screenshot: waited ]\n  \
         - screenshot: gone\n    when: { timeout: 2s, not_visible: Nowhere }\n  - screenshot: there\n    when: { visible: { \
         id: inbox_count }, timeout: 2s }\n",
    );
    test(&project, &["--verbose"])
        .expect(0)
        .says("ok    screenshot: gone")
        .says("ok    screenshot: there");
    for (condition, message) in [
        ("{ visible: A, timeout: soon }", "soon"),
        ("{ timeout: 1s }", "a condition is one thing"),
        ("{ visible: A, not_visible: B }", "a condition is one thing"),
        ("{ visable: A, timeout: 1s }", "did you mean `visible`?"),
    ] {
        let project = project_of_condition(condition);
        project
            .run(&["lint", "flows/checks.yaml"])
            .expect(2)
            .says(message);
    }
}

fn project_of_condition(condition: &str) -> Project {
    project(&format!("  - screenshot: a\n    when: {condition}\n"))
}

#[test]
fn elements_are_counted() {
    let project = project(
        "  - assert: { id: note_date, count: \">=3\" }\n  - assert: { id: inbox_count, count: 1 }\n    as: inbox\n  - assert: \
         { that: \"${inbox.count == 1}\" }\n  - assert: { text: Nowhere, count: 0 }\n  - set: { many: 2 }\n  - assert: { id: \
         inbox_count, count: \"${many}\" }\n    timeout: 200ms\n",
    );
    test(&project, &[])
        .expect(1)
        .says("error: 1 element matches { id: inbox_count }")
        .says("expected: 2")
        .says("actual:   1")
        .says("flows/checks.yaml:10:");
    for (assert, message) in [
        ("{ count: 3 }", "nothing says what is counted"),
        ("{ id: row, count: many }", "count"),
        ("{ id: row, count: -1 }", "count"),
        ("{ id: row, cuont: 1 }", "did you mean `count`?"),
    ] {
        let project = super::assertions::project(&format!("  - assert: {assert}\n"));
        project
            .run(&["lint", "flows/checks.yaml"])
            .expect(2)
            .says(message);
    }
    let project = super::assertions::project(
        "  - set: { n: few }\n  - assert: { id: row, count: \"${n}\" }\n",
    );
    test(&project, &[])
        .expect(1)
        .says("`count` is a whole number");
}

#[test]
fn the_first_selector_that_is_there_is_taken() {
    let project = project(
        "  - assert visible: { any_of: [ Nowhere, { id: inbox_count } ] }\n    as: found\n  - assert: { that: \"${found.text \
         == '40'}\" }\n  - click: { any_of: [ Nowhere, { desc: Settings } ] }\n  - click: { any_of: [ Nowhere, { text: \
         Never } ] }\n    timeout: 200ms\n",
    );
    test(&project, &[])
        .expect(1)
        .says("error: no element matches { any_of: [ Nowhere, { text: Never } ] }")
        .says("flows/checks.yaml:8:");
    for (selector, message) in [
        ("{ any_of: [] }", "any_of"),
        ("{ any_of: Allow }", "any_of"),
        (
            "{ any_of: [ A, B ], enabled: true }",
            "put `enabled` into each",
        ),
        (
            "{ any_of: [ A, { text: { regex: \"(\" } } ] }",
            "unclosed group",
        ),
    ] {
        let project = super::assertions::project(&format!("  - click: {selector}\n"));
        project
            .run(&["lint", "flows/checks.yaml"])
            .expect(2)
            .says(message);
    }
}

#[test]
fn data_is_made_once_and_again_by_its_seed() {
    let steps = "  - set: { mail: \"${random_email()}\", dice: \"${random_int(1, 6)}\", day: \"${now('%Y', '+1d')}\" }\n  - \
                 assert: { that: \"${mail == 'x'}\" }\n    soft: true\n  - assert: { that: \"${mail is endingwith \
                 '@example.com' and dice >= 1 and dice <= 6 and day | int > 2000}\" }\n";
    let project = project(steps);
    let mail_of = |more: &[&str]| {
        let ran = test(&project, more).expect(1);
        let message = ran.stdout.lines().find(|line| line.contains("mail is '"));
        (message.unwrap().to_owned(), ran.stdout.clone())
    };
    let (first, text) = mail_of(&[]);
    let seed = text.split("--seed ").nth(1).unwrap();
    let seed = seed.split_whitespace().next().unwrap().to_owned();
    let (again, _) = mail_of(&["--seed", &seed]);
    assert_eq!(first, again);
    let (other, _) = mail_of(&["--seed", "1"]);
    assert_ne!(other, mail_of(&["--seed", "2"]).0);
    for (step, reported) in [
        (
            "click: \"${random_text(3)}\"",
            "comes to another value each time",
        ),
        (
            "set: { a: \"${random_txt(3)}\" }",
            "did you mean `random_text`?",
        ),
        (
            "assert: { that: \"${now() == 'a'}\" }",
            "give it a name in a step before",
        ),
    ] {
        let project = super::assertions::project(&format!("  - {step}\n"));
        project
            .run(&["lint", "flows/checks.yaml"])
            .expect(2)
            .says(reported);
    }
}
