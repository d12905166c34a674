//! Tolerated differences in snapshots and their reports: variants, redactions, pictures, masks, bars, moved
//! content, causes. The program runs on the virtual device.

use crate::common::{Project, Ran};

const CLASS: &str = "virtual1-34-1080x2400-420-en-light";

/// Makes a project with the demo app, and a flow that takes its first screen with these options.
fn taking(options: &str) -> Project {
    let project = Project::with_demo_app();
    take(&project, "sign-in", options);
    project
}

fn take(project: &Project, flow: &str, options: &str) {
    project.flow(
        flow,
        &format!("steps:\n  - launch\n  - snapshot: {{ name: home{options} }}\n"),
    );
}

fn store(project: &Project) {
    project.run(&["test", "--update", "new"]).expect(0);
}

fn welcome(project: &Project, text: &str) {
    let page = project.read("apps/demo/sign-in.yaml");
    let at =
        page.find("component: Text, text: ").expect("a title") + "component: Text, text: ".len();
    let end = at + page[at..].find(", variant: h1").expect("its end");
    project.write(
        "apps/demo/sign-in.yaml",
        &format!("{}{text}{}", &page[..at], &page[end..]),
    );
}

fn stored(project: &Project) -> Vec<String> {
    let mut files = project.files("snapshots/sign-in");
    files.retain(|name| !name.contains(".new."));
    files
}

fn pending(project: &Project) -> Vec<String> {
    let mut files = project.files("snapshots/sign-in");
    files.retain(|name| name.contains(".new."));
    files
}

#[test]
fn an_image_is_kept_as_the_step_says() {
    for (image, ends) in [
        ("", vec!["annotated.png", "png", "tsv"]),
        (", image: annotated", vec!["annotated.png", "png", "tsv"]),
        (", image: raw", vec!["png", "tsv"]),
        (", image: none", vec!["tsv"]),
    ] {
        let project = taking(image);
        store(&project);
        let mut expected: Vec<String> = ends
            .iter()
            .map(|end| format!("home~{CLASS}.{end}"))
            .collect();
        expected.push("home.tsv".to_owned());
        expected.sort();
        assert_eq!(stored(&project), expected, "{image}");
        project.run(&["test", "--strict-pixels"]).expect(0);
    }
}

#[test]
fn without_an_image_only_rows_are_compared() {
    let project = taking(", image: none");
    store(&project);
    project.replace("apps/demo/app.yaml", "#3F6DB5", "#B53F3F");
    project
        .run(&["test"])
        .expect(0)
        .never_says("picture of")
        .never_says("took no picture");
    welcome(&project, "Hello");
    project.run(&["test"]).expect(1).says("Hello");
    assert!(
        pending(&project).iter().all(|name| name.ends_with(".tsv")),
        "{:?}",
        pending(&project)
    );
    // The evidence of the failure still has a picture.
    let artifacts = project.files(".runner/artifacts");
    assert!(
        artifacts.iter().any(|name| name.ends_with(".png")),
        "{artifacts:?}"
    );
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsnapshot: { image: raw }\n",
    );
    project.run(&["config"]).expect(0).says("snapshot.image");
}

#[test]
fn redactions_of_the_project_and_of_the_step_hold_together() {
    let project = taking(
        ", image: none, redactions: [ { pattern: 'visit [0-9]+', alias: 'visit [n]', columns: [text] } ]",
    );
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsnapshot:\n  redactions:\n    - { pattern: '[0-9a-f]{8}-[0-9a-f]{4}', alias: 'uuid_{n}' }\n",
    );
    welcome(
        &project,
        "\"0badcafe-0001 visit 7, 0badcafe-0002 0badcafe-0001\"",
    );
    store(&project);
    let golden = project.read("snapshots/sign-in/home.tsv");
    assert!(
        golden.contains("uuid_1 visit [n], uuid_2 uuid_1"),
        "{golden}"
    );
    assert!(!golden.contains("redactions=none"), "{golden}");
    welcome(
        &project,
        "\"deadbeef-0009 visit 12, 01234567-89ab deadbeef-0009\"",
    );
    project.run(&["test"]).expect(0);
    welcome(
        &project,
        "\"deadbeef-0009 visit 12, deadbeef-0009 01234567-89ab\"",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("uuid_1 visit [n], uuid_1 uuid_2");
    project
        .run(&["config"])
        .expect(0)
        .says("[0-9a-f]{8}-[0-9a-f]{4} → uuid_{n}");
}

#[test]
fn a_redaction_that_does_not_read_is_told_with_its_place() {
    let project = taking("");
    project.write(
        "runner.yaml",
        "devices: [virtual]\nsnapshot:\n  redactions:\n    - { pattern: '(', alias: x }\n",
    );
    project
        .run(&["test"])
        .expect(2)
        .says("runner.yaml:4:18")
        .says("regular expression does not read");
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/demo]\n");
    take(
        &project,
        "sign-in",
        ", redactions: [ { pattern: '[', alias: x } ]",
    );
    project
        .run(&["lint"])
        .expect(2)
        .says("flows/sign-in.yaml:4:")
        .says("regular expression does not read");
}

#[test]
fn a_variant_shares_the_golden_until_it_has_its_own() {
    let project = taking("");
    store(&project);
    let plain = stored(&project);
    let settings = |variant: &str| {
        project.write("runner.yaml", &format!("apps: [apps/demo]\n{variant}"));
    };
    let before = project.read("snapshots/sign-in/home.tsv");
    for rule in [
        "devices: [ { serial: virtual, variant: tablet } ]\n",
        "devices: [virtual]\nsnapshot: { variants: { phone: [android-33, emulator], tablet: virtual } }\n",
        "devices: [virtual]\nsnapshot: { variants: { tablet: '*-1080x2400-*' } }\n",
    ] {
        settings(rule);
        project.run(&["test"]).expect(0);
        assert_eq!(
            stored(&project),
            plain,
            "{rule}: it shares the plain golden"
        );
        welcome(&project, "Hello tablet");
        project.run(&["test"]).expect(1);
        assert!(
            pending(&project)
                .iter()
                .all(|name| name.starts_with("home@tablet")),
            "{rule}: {:?}",
            pending(&project)
        );
        welcome(&project, "Welcome to Notes");
        project.run(&["test"]).expect(0);
        assert_eq!(pending(&project), [""; 0], "{rule}: what waited is gone");
    }
    welcome(&project, "Hello tablet");
    project.run(&["test"]).expect(1);
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0);
    assert_eq!(project.read("snapshots/sign-in/home.tsv"), before);
    // A device without variant has the plain golden; a step may name the variant itself.
    settings("devices: [virtual]\n");
    project.run(&["test"]).expect(1).says("Hello tablet");
    take(&project, "sign-in", ", variant: tablet");
    project.run(&["test"]).expect(0);
    settings("devices: [ { serial: virtual, variant: other } ]\n");
    project.run(&["test"]).expect(0);
}

#[test]
fn devices_with_and_without_variant_run_beside_each_other() {
    let project = taking("");
    store(&project);
    // The render class distinguishes the two, which are of the same make.
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices:\n  - virtual\n  - { serial: virtual, label: large, variant: tablet, render_class: large }\n",
    );
    project.run(&["test"]).expect(0);
    welcome(&project, "Hello");
    project.run(&["test"]).expect(1);
    let waiting = pending(&project);
    for name in ["home.new.tsv", "home@tablet.new.tsv"] {
        assert!(waiting.iter().any(|file| file == name), "{waiting:?}");
    }
    project.run(&["accept", "sign-in/home@tablet*"]).expect(0);
    let ran = project.run(&["test"]).expect(1);
    ran.says("1 passed, 1 failed");
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0).says("2 passed");
}

#[test]
fn what_changes_for_a_variant_as_for_all_stays_shared() {
    let project = taking("");
    store(&project);
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices:\n  - virtual\n  - { serial: virtual, label: large, variant: tablet, render_class: large }\n",
    );
    welcome(&project, "Hello");
    project.run(&["test"]).expect(1);
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0).says("2 passed");
    assert_eq!(pending(&project), [""; 0]);
    assert!(!stored(&project).contains(&"home@tablet.tsv".to_owned()));
    // Accepted for itself it is the same: what is there by then is what all share.
    welcome(&project, "Hello again");
    project.run(&["test"]).expect(1);
    let plain = format!("sign-in/home~{CLASS}");
    project.run(&["accept", &plain]).expect(0);
    project.run(&["accept", "sign-in/home@tablet*"]).expect(0);
    assert!(!stored(&project).contains(&"home@tablet.tsv".to_owned()));
    project.run(&["test"]).expect(0).says("2 passed");
    project.run(&["undo"]).expect(0);
    assert!(pending(&project).contains(&"home@tablet.new.tsv".to_owned()));
}

#[test]
fn an_update_does_not_depend_on_which_device_comes_first() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices:\n  - virtual\n  - { serial: virtual, label: large, variant: tablet, render_class: large }\n",
    );
    let mut title = 0;
    for (mode, first) in [
        ("new", true),
        ("all", true),
        ("all", false),
        ("changed", false),
    ] {
        for late in ["virtual", "large"] {
            project.flow(
                "sign-in",
                &format!(
                    "steps:\n  - launch\n  - repeat: {{ times: 20, steps: [ find: Username ] }}\n    when: \"${{device.label == '{late}'}}\"\n  - snapshot: home\n"
                ),
            );
            if first {
                let _ = std::fs::remove_dir_all(project.path("snapshots"));
            }
            title += 1;
            welcome(&project, &format!("Hello {title}"));
            project.run(&["test", "--update", mode]).expect(0);
            let files = stored(&project);
            assert!(
                files.contains(&"home@tablet~large.png".to_owned()),
                "{files:?}"
            );
            assert!(
                !files.contains(&"home@tablet.tsv".to_owned()),
                "{mode}: {files:?}"
            );
            project
                .run(&["test", "--strict-pixels"])
                .expect(0)
                .says("2 passed");
        }
    }
}

#[test]
fn devices_without_variant_must_show_the_same() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices:\n  - virtual\n  - { serial: virtual, label: large, render_class: large }\n",
    );
    project.flow(
        "sign-in",
        "steps:\n  - launch\n  - type: { into: { id: username }, text: ada }\n    when: \"${device.label == 'large'}\"\n  - snapshot: home\n",
    );
    project
        .run(&["test", "--update"])
        .expect(1)
        .says("another device of this run shows other rows")
        .says("1 passed, 1 failed");
}

#[test]
fn an_element_that_is_one_of_several_is_no_snapshot() {
    let project = taking(", of: { class: EditText }");
    project
        .run(&["test"])
        .expect(1)
        .says("2 elements match { class: EditText }")
        .says("{ id: username }");
    assert_eq!(project.files("snapshots"), [""; 0]);
    take(&project, "sign-in", ", of: { class: EditText, index: 0 }");
    store(&project);
    project.run(&["test"]).expect(0);
}

#[test]
fn bars_are_left_out_unless_asked_for() {
    let project = taking("");
    store(&project);
    let rows = project.read(&format!("snapshots/sign-in/home~{CLASS}.tsv"));
    let noted = rows.lines().next().unwrap().to_owned();
    assert!(noted.contains("left_out="), "{noted}");
    // The clock runs on in the status bar of the virtual device; with the bars it would be compared.
    let project = taking(", bars: true");
    store(&project);
    let rows = project.read(&format!("snapshots/sign-in/home~{CLASS}.tsv"));
    assert!(
        !rows.lines().next().unwrap().contains("left_out="),
        "{rows}"
    );
}

#[test]
fn strict_pixels_of_a_step_beat_the_command_line() {
    let project = taking(", strict_pixels: true");
    store(&project);
    let other = "apps: [apps/demo]\ndevices: [ { serial: virtual, render_class: other } ]\n";
    project.write("runner.yaml", other);
    project
        .run(&["test"])
        .expect(1)
        .says("sign-in/home: no picture of other yet");
    take(&project, "sign-in", ", strict_pixels: false");
    project.run(&["test", "--strict-pixels"]).expect(0);
    take(&project, "sign-in", "");
    project.run(&["test", "--strict-pixels"]).expect(1);
    project.run(&["test"]).expect(0);
}

#[test]
fn what_moved_is_told_apart_from_what_changed() {
    let project = taking("");
    store(&project);
    project.replace(
        "apps/demo/sign-in.yaml",
        "[hero, welcome,",
        "[hero, banner, welcome,",
    );
    project.replace(
        "apps/demo/sign-in.yaml",
        "      - { id: hint,",
        "      - { id: banner, component: Text, text: Now with pictures }\n      - { id: hint,",
    );
    let ran = project.run(&["test"]).expect(1);
    let message = ran.normalized(&project);
    assert!(message.contains("TextView#banner: added"), "{message}");
    let moved = message.lines().find(|line| line.contains("rows below y="));
    assert!(
        moved.is_some_and(|line| line.contains("moved by 0,+")),
        "{message}"
    );
    let places: Vec<&str> = message
        .lines()
        .filter(|line| line.contains("px at"))
        .collect();
    assert!(places.len() <= 2, "only the banner changed: {message}");
    assert!(
        places.iter().any(|line| line.contains("#banner")),
        "{message}"
    );
}

#[test]
fn what_moved_sideways_is_told_apart_too() {
    let project = Project::with_demo_app();
    let line = |text: &str| {
        format!(
            "      - {{ id: line, component: Row, children: [one, two] }}\n      - {{ id: one, component: Text, text: {text} }}\n      - {{ id: two, component: Text, text: Sideways }}\n"
        )
    };
    project.replace(
        "apps/demo/sign-in.yaml",
        "[hero, welcome,",
        "[hero, line, welcome,",
    );
    let hint = "      - { id: hint,";
    project.replace(
        "apps/demo/sign-in.yaml",
        hint,
        &format!("{}{hint}", line("Now")),
    );
    take(&project, "sign-in", "");
    store(&project);
    project.replace("apps/demo/sign-in.yaml", &line("Now"), &line("Nowadays"));
    let ran = project.run(&["test"]).expect(1);
    let ran = ran.says("TextView#two: moved by +");
    let message = ran.normalized(&project);
    let edges = |line: &str| -> Vec<i32> {
        let bounds = line
            .split(['\t', ' '])
            .find(|cell| cell.matches(',').count() == 3);
        let edges = bounds.into_iter().flat_map(|bounds| bounds.split(','));
        edges.map(|edge| edge.parse().expect("a number")).collect()
    };
    let rows = project.read(".runner/artifacts/flows/sign-in/virtual-1/home.actual.tsv");
    let two = rows.lines().find(|line| line.contains("Sideways"));
    let two = edges(two.expect("the row that moved"));
    let places: Vec<&str> = message
        .lines()
        .filter(|line| line.contains("px at"))
        .collect();
    assert_eq!(places.len(), 1, "{message}");
    assert!(
        edges(places[0])[2] <= two[0],
        "{two:?} changed itself: {message}"
    );
}

#[test]
fn flows_that_changed_for_the_same_reason_are_told_together() {
    let project = Project::with_demo_app();
    for flow in ["one", "two", "three"] {
        take(&project, flow, "");
    }
    project.flow(
        "alone",
        "steps:\n  - launch: { activity: .Settings }\n  - snapshot: general\n",
    );
    store(&project);
    welcome(&project, "Hello");
    project.replace("apps/demo/settings.yaml", "Play sounds", "Play music");
    let reason = "3 snapshots in 3 flows: \"Welcome to Notes\" → \"Hello\"";
    let ran = project.run(&["test"]).expect(1).says(reason);
    assert_eq!(
        ran.stdout.matches(" snapshots in ").count(),
        1,
        "{}",
        ran.stdout
    );
    let mut command = project.command(&["test", "--quiet"]);
    Ran::from(command.output().unwrap()).expect(1).says(reason);
}
