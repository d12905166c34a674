//! Flows with several cases: a matrix, a table, both; from their names to their goldens and reports.

use crate::common::{Project, Ran};

const GENERAL: &str = "steps:\n  - launch: { activity: .Settings }\n  - snapshot: general\n";
const VIRTUAL: &str = "~virtual1-34-1080x2400-420";

/// Goldens of rows and pictures, without annotated copies.
fn goldens(project: &Project) -> Vec<String> {
    let files = project.files("snapshots");
    let is_golden = |name: &String| name.ends_with(".tsv") && !name.contains(".new.");
    files.into_iter().filter(is_golden).collect()
}

fn shared(goldens: &[String]) -> Vec<&str> {
    let names = goldens.iter().map(String::as_str);
    names.filter(|name| !name.contains('~')).collect()
}

#[test]
fn a_combination_sets_the_device_has_a_variant_and_is_put_back() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        &format!("matrix: {{ locale: [de], dark: [no, yes], font_scale: [2.0] }}\n{GENERAL}"),
    );
    project.flow("z", GENERAL);
    let arguments = [
        "test", "--update", "new", "--junit", "j.xml", "--json", "e.ndjson",
    ];
    project.run(&arguments).expect(0).says("3 passed");
    let goldens = goldens(&project);
    assert_eq!(
        shared(&goldens),
        [
            "a/general@de-dark-fs200.tsv",
            "a/general@de-light-fs200.tsv",
            "z/general.tsv"
        ]
    );
    for file in [
        format!("a/general@de-dark-fs200{VIRTUAL}-de-dark-fs200.tsv"),
        format!("a/general@de-light-fs200{VIRTUAL}-de-light-fs200.tsv"),
        // The flow after it has the device as it was.
        format!("z/general{VIRTUAL}-en-light.tsv"),
    ] {
        assert!(goldens.contains(&file), "{file} is not among {goldens:?}");
    }
    let junit = project.well_formed("j.xml");
    for name in [
        "name=\"a [de-light-fs200]\"",
        "name=\"a [de-dark-fs200]\"",
        "name=\"z\"",
    ] {
        assert!(junit.contains(name), "{name} is not in {junit}");
    }
    assert!(
        project
            .read("e.ndjson")
            .contains(r#""flow":"flows/a.yaml","case":"de-dark-fs200""#)
    );
    // All pass against what they wrote, and no golden of them is an orphan.
    project
        .run(&["test", "flows/a.yaml"])
        .expect(0)
        .says("2 passed");
    project.run(&["prune", "--check"]).expect(0);
}

#[test]
fn a_combination_falls_back_to_the_plain_golden_and_enters_a_named_class() {
    let project = Project::with_demo_app();
    project.flow("a", GENERAL);
    project.run(&["test", "--update", "new"]).expect(0);
    let before = goldens(&project);
    // In the project's file it holds for all flows without a matrix of their own.
    project.flow("b", &format!("matrix: {{}}\n{GENERAL}"));
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices: [ { serial: virtual, render_class: lab } ]\nmatrix: { dark: [no, yes] }\nslow_after: 1ms\n",
    );
    let ran = project.run(&["test", "--update", "new"]).expect(0);
    ran.says("3 passed").says("slow: it took");
    let after = goldens(&project);
    assert!(before.iter().all(|file| after.contains(file)));
    assert_eq!(shared(&after), ["a/general.tsv", "b/general.tsv"]);
    for file in [
        "a/general@dark~lab-dark.tsv",
        "a/general@light~lab-light.tsv",
        "b/general~lab.tsv",
    ] {
        assert!(
            after.contains(&file.to_owned()),
            "{file} is not among {after:?}"
        );
    }
    project
        .run(&["config"])
        .expect(0)
        .says("dark: no, yes")
        .says("slow_after");
}

fn with_table() -> Project {
    let project = Project::with_demo_app();
    project.write(
        "flows/people.csv",
        "user,amount,pin\nanna,\"1,50\",pin-hidden-1\nben,${BASE}2,${os.BENS_PIN}\n",
    );
    project.flow(
        "pay",
        "name: Pay\ntags: [smoke]\nsecrets: [pin]\neach: people.csv\nenv: { BASE2: x, TEXT: \"Hi ${user}\" }\nsteps:\n  - assert: { that: \"${flow.case == user}\" }\n  - assert: { that: \"${TEXT == 'Hi ' ~ user and pin != ''}\" }\n  - set: { SEEN: \"${amount} ${pin}\" }\n  - launch: { activity: .Settings }\n  - snapshot: general\n",
    );
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices: [virtual]\nenv: { BASE: \"0\" }\n",
    );
    project
}

fn run(project: &Project, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    command.env("BENS_PIN", "pin-hidden-2");
    Ran::from(command.output().unwrap())
}

#[test]
fn a_row_is_a_case_with_its_values_goldens_and_reports() {
    let project = with_table();
    let arguments = [
        "test", "--update", "new", "-v", "--junit", "j.xml", "--json", "e.ndjson", "--html", "h",
    ];
    let ran = run(&project, &arguments)
        .expect(0)
        .says("2 passed")
        .says("flows/pay.yaml [ben]");
    ran.never_says("pin-hidden");
    assert_eq!(
        shared(&goldens(&project)),
        ["pay/anna/general.tsv", "pay/ben/general.tsv"]
    );
    let junit = project.well_formed("j.xml");
    assert!(
        junit.contains("name=\"Pay [anna]\"") && junit.contains("name=\"Pay [ben]\""),
        "{junit}"
    );
    for file in ["j.xml", "e.ndjson", "h/index.html"] {
        let text = project.read(file);
        assert!(text.contains("anna"), "{file}");
        assert!(!text.contains("pin-hidden"), "{file}");
    }
    project.run(&["lint"]).expect(0);
    project.run(&["prune", "--check"]).expect(0);

    // What changed waits under the case's key.
    let golden = "snapshots/pay/ben/general.tsv";
    let changed = project.read(golden).replace("Settings", "Somewhere");
    project.write(golden, &changed);
    run(&project, &["test"])
        .expect(1)
        .says("1 passed, 1 failed")
        .says("pay/ben/general");
    project.run(&["pending"]).expect(1).says("pay/ben/general");
    project.run(&["accept", "pay/ben/*"]).expect(0);
    run(&project, &["test", "flows/pay.yaml"])
        .expect(0)
        .says("2 passed");

    // A row that is gone leaves its goldens behind.
    project.write("flows/people.csv", "user,amount,pin\nanna,1,2\n");
    project
        .run(&["prune", "--check"])
        .expect(1)
        .says("pay/ben/general")
        .never_says("pay/anna");
}

#[test]
fn cases_are_listed_for_people_and_for_a_matrix_of_ci() {
    let project = with_table();
    project.flow("one", "matrix: { dark: [yes] }\nsteps: [ launch ]\n");
    let ran = project.run(&["test", "--list"]).expect(0);
    assert_eq!(
        ran.stdout,
        "flows/one.yaml [dark]  one\nflows/pay.yaml [anna]  Pay  [smoke]\nflows/pay.yaml [ben]  Pay  [smoke]\n"
    );
    let ran = project
        .run(&["test", "--list", "--format", "json", "--tag", "smoke"])
        .expect(0);
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(
        listed[1],
        serde_json::json!({
            "flow": "flows/pay.yaml", "case": "ben", "name": "Pay", "tags": ["smoke"], "app": "com.example.notes",
        })
    );
    project
        .run(&["test", "--format", "json"])
        .expect(2)
        .says("--list");
    project
        .run(&["test", "--grep", "› ben$", "--list"])
        .expect(0)
        .says("[ben]")
        .never_says("[anna]");
    project.run(&["test", "--tag", "none"]).expect(2);
    project
        .run(&["test", "--tag", "none", "--no-flows", "pass"])
        .expect(0)
        .says("nothing to run");
    let none = [
        "test",
        "--tag",
        "none",
        "--no-flows=pass",
        "--list",
        "--format=json",
    ];
    assert_eq!(project.run(&none).expect(0).stdout, "[]\n");
}

#[test]
fn ten_thousand_rows_are_read_and_more_are_refused() {
    let project = Project::with_demo_app();
    project.flow(
        "pay",
        "each: rows.csv\nsteps:\n  - click: \"${user}\"\n  - snapshot: home\n",
    );
    let table = |rows: usize| {
        let rows: String = (0..rows).map(|row| format!("user{row},{row}\n")).collect();
        format!("user,amount\n{rows}")
    };
    project.write("flows/rows.csv", &table(10_000));
    let ran = project.run(&["test", "--list"]).expect(0);
    assert_eq!(ran.stdout.lines().count(), 10_000);
    project.run(&["lint"]).expect(0).says("1 flow: no errors");
    project.write("flows/rows.csv", &table(100_000));
    for command in ["lint", "test"] {
        project
            .run(&[command])
            .expect(2)
            .says("flows/rows.csv:10002:1")
            .says("more than 10000 rows");
    }
    project.write("flows/rows.csv", "name,amount\nanna,1\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("`user` is not defined here")
        .says("the columns of `each` are `name`, `amount`");
}

#[test]
fn a_matrix_of_the_project_that_cannot_be_names_its_place() {
    let project = Project::with_demo_app();
    project.flow("a", GENERAL);
    for (matrix, place, what) in [
        ("{ darc: [no] }", "runner.yaml:2:11", "did you mean `dark`?"),
        (
            "{ dark: [no, no] }",
            "runner.yaml:2:22",
            "`dark` has this value twice",
        ),
        ("{ locale: [e n] }", "runner.yaml:2:20", "not a language"),
    ] {
        project.write(
            "runner.yaml",
            &format!("apps: [apps/demo]\nmatrix: {matrix}\n"),
        );
        project.run(&["test"]).expect(2).says(place).says(what);
    }
}
