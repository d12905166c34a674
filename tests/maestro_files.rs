//! Maestro's flows from outside: found, linted, listed, and taken over. No device is needed.

use crate::common::Project;

const LOGIN: &str = "\
# Signs in.
appId: com.example.notes
name: Sign in
tags: [smoke]
env: { USER: ada }
---
- launchApp: { clearState: true }   # anew
# The field.
- tapOn: { id: username }
- inputText: ${USER}
- runFlow: parts/ok.yaml
- evalScript: ${output.x = http.get('a')}
- runFlow:
    when: { visible: Allow }
    commands:
      - tapOn: Allow
- assertVisible: \"Welcome.*\"
";

fn project() -> Project {
    let project = Project::empty();
    project
        .write(
            ".maestro/config.yaml",
            "executionOrder:\n  flowsOrder: [Sign in]\nunknown: 1\n",
        )
        .write(".maestro/login.yaml", LOGIN)
        .write(
            ".maestro/another.yaml",
            "appId: com.example.notes\ntags: [slow]\n---\n- back\n",
        )
        .write(
            ".maestro/parts/ok.yaml",
            "appId: com.example.notes\n---\n- tapOn: OK\n",
        );
    project
}

#[test]
fn a_workspace_is_found_and_listed_in_its_order() {
    let project = project();
    let listed = project.run(&["test", "--list"]).expect(0);
    let names: Vec<&str> = listed.stdout.lines().collect();
    assert!(
        names[0].contains("login") && names[1].contains("another"),
        "{names:?}"
    );
    assert!(!listed.stdout.contains("ok.yaml"));
    for spelling in [
        &["--include-tags", "smoke,other"][..],
        &["--exclude-tags", "slow"],
    ] {
        let listed = project
            .run(&[&["test", "--list", ".maestro"], spelling].concat())
            .expect(0);
        assert!(listed.stdout.contains("login") && !listed.stdout.contains("another"));
    }
    // Both kinds in one run; a name belongs to one of them.
    project.write("flows/own.yaml", "app: a.b\nsteps: [ launch ]\n");
    project
        .run(&["test", "--list", ".maestro", "flows"])
        .expect(0)
        .says("own");
    project.write("maestro/login.yaml", "app: a.b\nsteps: [ launch ]\n");
    project
        .run(&["lint", ".maestro", "maestro"])
        .expect(2)
        .says("already belongs to");
}

#[test]
fn lint_lists_what_cannot_run() {
    let project = project();
    project
        .run(&["lint", "--maestro", ".maestro"])
        .expect(0)
        .says("3 can run, 0 cannot");
    project.write(".maestro/parts/ok.yaml", "appId: a.b\n---\n- tapon: OK\n");
    project
        .run(&["lint", "--maestro", ".maestro"])
        .expect(2)
        .says(".maestro/parts/ok.yaml:3:3")
        .says("did you mean `tapOn`?")
        .says("1 can run, 2 cannot");
}

#[test]
fn flows_are_taken_over_and_what_a_person_changed_stays() {
    let project = project();
    let import = &["import", "maestro", ".maestro", "--out", "flows"];
    project
        .run(import)
        .expect(0)
        .says("1 flows written")
        .says(".maestro/login.yaml:12: scripts are JavaScript")
        .says("1 stay Maestro's");
    assert_eq!(project.read("flows/login.yaml"), LOGIN);
    assert!(!project.path("flows/parts/_ok.yaml").exists());
    let script = "- evalScript: ${output.x = http.get('a')}\n";
    std::fs::remove_dir_all(project.path("flows")).unwrap();
    project.write(".maestro/login.yaml", &LOGIN.replace(script, ""));
    project.run(import).expect(0).says("3 flows written");
    let login = std::fs::read_to_string(project.path("flows/login.yaml")).unwrap();
    for line in [
        "# Signs in.",
        "name: Sign in",
        "app: com.example.notes",
        "  - launch: { clear: true, permissions: all } # anew",
        "  # The field.",
        "  - click: { id: username }",
        "  - type: \"${USER}\"",
        "  - run: parts/_ok.yaml",
        "      - click: Allow",
        "    when: { visible: { any_of: [ { text: { ignore_case: Allow } }, { desc: { ignore_case: Allow } }, { hint: { ignore_case: Allow } } ] }, timeout: \"7s\" }",
        "  - assert visible: \"Welcome*\"",
    ] {
        assert!(login.lines().any(|it| it == line), "{line}\n{login}");
    }
    project.run(&["lint", "flows"]).expect(0);
    // Again, and it is the same; changed, and nothing is written.
    project.run(import).expect(0);
    project.write("flows/login.yaml", &login.replace("Welcome*", "Hello"));
    project.write(".maestro/another.yaml", "appId: a.b\n---\n- scroll\n");
    project
        .run(import)
        .expect(2)
        .says("flows/login.yaml")
        .says("nothing was written");
    let another = std::fs::read_to_string(project.path("flows/another.yaml")).unwrap();
    assert!(!another.contains("swipe_across"), "{another}");
    project
        .run(&[&import[..], &["--overwrite"]].concat())
        .expect(0);
    let login = std::fs::read_to_string(project.path("flows/login.yaml")).unwrap();
    assert!(login.contains("Welcome*"));
}
