//! Every everyday step and every step of the Android catalogue, in flows on the virtual device. One flow a
//! category.

use crate::common::Project;

/// Runs a flow that must pass, step by step.
#[track_caller]
fn passes(project: &Project, text: &str) {
    project.flow("a", text);
    project.run(&["test", "-v"]).expect(0);
}

#[test]
fn system_and_touch() {
    passes(
        &Project::with_demo_app(),
        r"steps:
  - launch: { clear: true }
  - get_screen_state
  - get_screen_state: { include_screenshot: true }
  - press_home
  - press_recents
  - press_back
  - open_notifications
  - press_back
  - open_quick_settings
  - press_back
  - press_home
  - back
  - launch
  - tap: { x: 500, y: 500 }
  - long_press: { x: 500, y: 500, duration: 600 }
  - double_tap: { x: 500, y: 500 }
  - swipe: { x1: 500, y1: 1500, x2: 500, y2: 500, duration: 200 }
  - scroll: { direction: down, amount: large }
  - custom_gesture: { paths: [[{ x: 100, y: 900, time: 0 }, { x: 100, y: 400, time: 200 }]] }
  - home
  - press: BACK
  - press: { key: VOLUME_UP, times: 2 }
  - press_key: { key: home }
  - wait_for_idle
  - wait_for_idle: { timeout: 2000, match_percentage: 90 }
  - rotate: landscape
  - rotate: portrait
  - set_device: { dark: true, locale: de-DE, font_scale: 1.3, airplane: true, location: false }
",
    );
}

#[test]
fn elements_and_text() {
    passes(
        &Project::with_demo_app(),
        r#"steps:
  - launch: { clear: true }
  - find: { id: username }
    as: user
  - type_append_text: { element_id: "${user.node}", text: adda }
    as: typed
  - assert: { that: "${typed.text == 'adda'}" }
  - type_insert_text: { element_id: "${user.node}", text: XX, offset: 2 }
  - assert: { id: username, text: adXXda }
  - type_replace_text: { element_id: "${user.node}", search: XX, new_text: "-" }
  - assert: { id: username, text: ad-da }
  - click_element: { element_id: "${user.node}" }
  - press_key: { key: DEL }
  - press_key: { key: SPACE }
  - press_key: { key: TAB }
  - type_clear_text: { element_id: "${user.node}" }
  - get_element_details: { ids: ["${user.node}"] }
  - long_click_element: { element_id: "${user.node}" }
  - find_elements: { by: resource_id, value: "${user.id}", exact_match: true }
    as: found
  - assert: { that: "${found.elements|length == 1}" }
  - wait_for_element: { by: text, value: welcome }
    timeout: 2s
  - click: { id: username }
  - type: ad
  - type: { into: { id: username }, text: a }
  - assert: { id: username, text: ada }
  - erase: { id: username, characters: 1 }
  - assert: { id: username, text: ad }
  - erase: { id: username }
  - type: { into: { id: username }, text: ada, clear: true }
  - type: { into: { id: password }, text: lovelace, secret: true }
  - hide_keyboard
  - double_click: { id: username }
  - long_click: { id: username, duration: 600ms }
  - hide_keyboard
  - click: { id: sign_in }
  - wait_for: "Welcome, *"
  - assert log: { tag: Notes, contains: signed in }
  - find: { text: { contains: ote }, index: -1 }
    as: last
  - scroll_to: { text: { regex: "^Note 40|Last|Reading" }, max: 30 }
    optional: true
  - wait_for: { text: Welcome to Notes, gone: true }
  - assert not visible: Wrong password
"#,
    );
}

#[test]
fn scrolling_to_an_element_by_its_id() {
    let project = Project::with_demo_app();
    passes(
        &project,
        r#"steps:
  - launch: { clear: true }
  - find: { id: username }
    as: user
  - scroll_to_element: { element_id: "${user.node}" }
"#,
    );
    project.flow(
        "a",
        "steps:\n  - launch\n  - scroll_to_element: { element_id: no-such }\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("Element 'no-such' not found");
}

#[test]
fn places_directions_and_the_middle_of_a_list() {
    let project = Project::with_demo_app();
    project.write("data/cat.png", "a picture");
    project.write(
        "flows/a.yaml",
        r#"app: "${APP_ID}"
env: { APP_ID: com.example.notes }
steps:
  - launch: { clear: true, permissions: all }
  - type: { into: { id: username }, text: "${NAME | default('ada')}" }
  - type: { into: { id: password }, text: lovelace, secret: true }
  - hide_keyboard
  - click: { id: sign_in, at: { x: 90%, y: 50% } }
  - assert visible: Groceries
  - assert: { that: "${os.NO_SUCH_NAME is undefined and NAME.part | default('') == ''}" }
  - find: { id: notes }
    as: list
  - swipe_across: { on: { id: notes }, direction: up }
  - assert not visible: Groceries
  - swipe_across: { from: { x: 50%, y: 40% }, to: { x: 50%, y: 90% }, duration: 300ms }
  - scroll_to: { text: Groceries, in: { id: notes }, direction: up, visible: 100% }
  - scroll_to: { text: Night sky in June, in: { id: notes }, max: 20, center: true }
    as: note
  - set: { OFF: "${(note.bounds.top + note.bounds.bottom - list.bounds.top - list.bounds.bottom) | abs}" }
  - assert: { that: "${OFF < (list.bounds.bottom - list.bounds.top) / 5}" }
  - scroll_to: { text: The last note, in: { id: notes }, max: 20, center: true }
  - click: { desc: Settings }
  - click: Allow notifications
  - assert visible: Notifications are allowed
  - push: { from: data/cat.png, to: /sdcard/Pictures/a cat.png, scan: true }
  - long_click: { at: { x: 50%, y: 30% }, duration: 600ms }
  - double_click: { at: { x: 10, y: 500 } }
  - swipe_across: left
"#,
    );
    let ran = project.run(&["test", "-v", "--json", "events.jsonl"]);
    ran.expect(0);
    let events = project.read("events.jsonl");
    assert!(events.contains(r#""app":"com.example.notes""#));
    assert!(events.contains(r#""app_version""#));
}

#[test]
fn a_drag_moves_what_is_held() {
    let project = Project::with_demo_app();
    passes(
        &project,
        r#"steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: lovelace }
  - hide_keyboard
  - click: Sign in
  - find: Call the dentist
    as: before
  - drag: { from: Groceries, to: Call the dentist, hold: 700ms, duration: 300ms }
  - find: { id: notes }
    as: list
  - drag: { from: { on: { id: notes }, at: { x: 50%, y: 80% } }, to: { x: 50%, y: 30% }, hold: 0ms }
  - assert not visible: Groceries
"#,
    );
    for (step, says) in [
        ("drag: { from: Grocery, to: Username }", "Grocery"),
        ("drag: { from: Username, to: Usernam }", "Username"),
        ("drag: { from: Username, to: { x: 5000, y: 1 } }", "outside"),
        (
            "drag: { from: Username, to: Password, hold: 11s }",
            "at most 10s",
        ),
    ] {
        project.flow(
            "a",
            &format!("step_timeout: 0s\nsteps:\n  - launch: {{ clear: true }}\n  - {step}\n"),
        );
        let ran = project.run(&["test"]);
        // What can be known beforehand is refused where the flow is read.
        assert!(matches!(ran.code, 1 | 2), "{step}: {}", ran.stdout);
        ran.says(says);
    }
}

#[test]
fn wrong_places_are_told_before_anything_runs() {
    let project = Project::with_demo_app();
    for (step, message) in [
        ("click: {}", "an element, or a place"),
        ("click: { at: { x: 120%, y: 0 } }", "120%"),
        ("click: { at: { x: 1 } }", "`y`"),
        ("swipe_across: sideways", "sideways"),
        (
            "swipe_across: { from: { x: 1, y: 1 } }",
            "a direction, or `from` and `to`",
        ),
        (
            "swipe_across: { direction: up, to: { x: 1, y: 1 } }",
            "a direction, or `from` and `to`",
        ),
        ("drag: { from: Milk }", "`to`"),
        ("drag: { from: Milk, to: { x: 120%, y: 0 } }", "120%"),
        ("drag: { from: Milk, to: Bread, hold: 600 }", "600"),
        ("scroll_to: { text: a, visible: 5 }", "`5`"),
        ("launch: { permissions: some }", "some"),
    ] {
        project.flow("a", &format!("steps:\n  - {step}\n"));
        project.run(&["lint"]).expect(2).says(message);
    }
    project.write("flows/a.yaml", "app: \"${NOPE}\"\nsteps: [ launch ]\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("`NOPE` is not defined");
}

#[test]
fn clipboard_logs_and_pictures() {
    let project = Project::with_demo_app();
    passes(
        &project,
        r#"steps:
  - launch: { clear: true }
  - set_clipboard: { text: "grüße 🦀" }
  - get_clipboard:
    as: clip
  - assert: { that: "${clip.text == 'grüße 🦀'}" }
  - get_device_logs: { last_lines: 5, level: V }
    as: logs
  - assert: { that: "${logs.line_count <= 5}" }
  - screenshot
  - screenshot: mine
  - screenshot: { name: boxes, annotated: true }
  - record: start
  - wait_for_idle
  - record: { action: stop, name: film }
    as: film
  - assert: { that: "${film.path is endingwith('film.mp4')}" }
"#,
    );
    let stored = project.files(".runner/artifacts/flows/a/virtual-1");
    assert_eq!(
        stored,
        ["boxes.png", "film.mp4", "mine.png", "screenshot-1.png"]
    );
}

/// Each step keeps its own file: events, reports and later steps name it.
#[test]
fn files_of_one_name_are_all_kept() {
    let project = Project::with_demo_app();
    project.write("flows/_sub.yaml", "steps: [ screenshot: home ]\n");
    passes(
        &project,
        r#"steps:
  - launch: { clear: true }
  - screenshot: home
  - repeat: { times: 2, steps: [ screenshot: home ] }
  - run: _sub.yaml
  - type: { into: { id: username }, text: ada }
  - screenshot: home
    as: last
  - assert: { that: "${last.path is endingwith('home-5.png')}" }
"#,
    );
    let folder = ".runner/artifacts/flows/a/virtual-1";
    assert_eq!(
        project.files(folder),
        [
            "home-2.png",
            "home-3.png",
            "home-4.png",
            "home-5.png",
            "home.png"
        ]
    );
    let read = |name: &str| std::fs::read(project.path(&format!("{folder}/{name}"))).unwrap();
    assert_eq!(read("home.png"), read("home-4.png"));
    assert_ne!(read("home.png"), read("home-5.png"));
}

#[test]
fn apps_permissions_and_links() {
    let project = Project::with_demo_app();
    passes(
        &project,
        r#"steps:
  - launch: { clear: true, permissions: { POST_NOTIFICATIONS: true } }
  - revoke: android.permission.POST_NOTIFICATIONS
  - grant: android.permission.POST_NOTIFICATIONS
  - list_apps: { filter: user }
    as: apps
  - assert: { that: "${apps|length >= 1}" }
  - open_link: notes://inbox
  - assert visible: Inbox
  - press_home
  - close_app: { package_id: com.example.notes }
  - open_app: { package_id: com.example.notes }
  - stop
  - clear
  - uninstall
  - open_app: { package_id: com.example.notes }
    optional: true
  - install: apps/demo
  - launch
  - assert visible: Welcome to Notes
"#,
    );
    let ran = project.run(&["test", "-v"]).expect(0);
    assert_eq!(ran.stdout.matches("  warn  ").count(), 1, "{}", ran.stdout);
}

const STORAGE: &str = "devices: [virtual]\napps: [apps/demo]\nstorage:\n  work: { path: /sdcard/Work, name: Work, allow_write: true, allow_delete: true }\n";

#[test]
fn files_of_the_device_in_the_locations_of_the_project() {
    let project = Project::with_demo_app();
    project.write("runner.yaml", STORAGE);
    project.write("data/a.txt", "one\ntwo\n");
    passes(
        &project,
        r#"steps:
  - push: { from: data/a.txt, to: /sdcard/Work/a.txt }
  - list_storage_locations:
    as: all
  - assert: { that: "${all|length == 4 and all[3].id == 'work' and all[3].allow_write}" }
  - list_files: { location_id: work }
    as: list
  - assert: { that: "${list.total_count == 1 and list.files[0].name == 'a.txt'}" }
  - read_file: { location_id: work, path: a.txt }
  - write_file: { location_id: work, path: b/c.txt, content: "hello\n" }
  - append_file: { location_id: work, path: b/c.txt, content: "world\n" }
  - file_replace: { location_id: work, path: b/c.txt, old_string: world, new_string: there }
  - pull: { from: /sdcard/Work/b/c.txt }
  - pull: { from: /sdcard/Work/a.txt, to: kept/a.txt }
  - delete_file: { location_id: work, path: a.txt }
"#,
    );
    let folder = ".runner/artifacts/flows/a/virtual-1";
    assert_eq!(project.read(&format!("{folder}/c.txt")), "hello\nthere\n");
    assert_eq!(project.read(&format!("{folder}/kept/a.txt")), "one\ntwo\n");
}

#[test]
fn nothing_leaves_its_folder() {
    let project = Project::with_demo_app();
    project.write("runner.yaml", STORAGE);
    for (step, says) in [
        (
            "push: { from: ../secret, to: /sdcard/x }",
            "leaves its folder",
        ),
        ("push: { from: runner.yaml, to: ../x }", "not a file's path"),
        (
            "pull: { from: /sdcard/Download/../../data/x }",
            "not a file's path",
        ),
        ("install: ../other", "leaves its folder"),
        (
            "read_file: { location_id: work, path: ../Download/x }",
            "location",
        ),
        (
            "write_file: { location_id: downloads, path: x, content: y }",
            "Write not allowed",
        ),
        (
            "delete_file: { location_id: downloads, path: x }",
            "Delete not allowed",
        ),
        (
            "list_files: { location_id: nowhere }",
            "Storage location 'nowhere' not found",
        ),
    ] {
        project.flow("a", &format!("steps:\n  - {step}\n"));
        let ran = project.run(&["test"]);
        // What can be known beforehand is refused where the flow is read.
        assert!(matches!(ran.code, 1 | 2), "{step}: {}", ran.stdout);
        ran.says(says);
    }
}

#[test]
fn a_storage_location_is_an_absolute_folder() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ home ]\n");
    project.write("runner.yaml", "storage: { work: { path: Work } }\n");
    project.run(&["lint"]).expect(2).says("runner.yaml:1:26");
    project.write("runner.yaml", "storage: { work: { allow_write: true } }\n");
    project.run(&["lint"]).expect(2).says("`path` is missing");
}

#[test]
fn two_fingers_pinch() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - pinch: { center_x: 500, center_y: 900, scale: 2 }\n  \
         - assert log: { tag: Touchscreen, any_app: true, regex: '^2 fingers' }\n",
    );
    project.run(&["test"]).expect(0);
    project.replace("flows/a.yaml", "^2", "^3");
    project.run(&["test"]).expect(1).says("Touchscreen");
}

#[test]
fn two_fingers_zoom_and_turn_on_an_element() {
    let project = Project::with_demo_app();
    for (keys, says) in [
        ("scale: 2", r"2 fingers, .*scale (1\.99|2\.0)"),
        ("turn: 180", r"2 fingers, .*scale (0\.99|1\.0)"),
    ] {
        let steps = format!(
            "steps:\n  - launch\n  - two_fingers: {{ on: {{ id: username }}, {keys} }}\n  \
             - assert log: {{ tag: Touchscreen, any_app: true, regex: '^{says}' }}\n"
        );
        project.flow("a", &steps);
        project.run(&["test"]).expect(0);
    }
    for (keys, code, says) in [
        ("on: { id: username }", 2, "`scale`"),
        ("scale: 60", 2, "at most 50"),
        ("at: { x: 0, y: 0 }, scale: 2", 1, "no room"),
        ("scale: 0", 2, "more than 0"),
        ("turn: 400", 2, "400"),
    ] {
        let steps = format!("steps:\n  - launch\n  - two_fingers: {{ {keys} }}\n");
        project.flow("a", &steps);
        project.run(&["test"]).expect(code).says(says);
    }
}

#[test]
fn the_modifier_timeout_bounds_every_step() {
    let project = Project::with_demo_app();
    for (step, says) in [
        (
            "wait_for_element: { by: text, value: nosuch, timeout: 30000 }",
            "within 700 ms",
        ),
        (
            "wait_for_element: { by: text, value: nosuch }",
            "within 700 ms",
        ),
    ] {
        project.flow(
            "a",
            &format!("steps:\n  - launch\n  - {step}\n    timeout: 700ms\n"),
        );
        project.run(&["test"]).expect(1).says(says);
    }
}

/// Steps that sign in, after which the app writes its log.
const SIGNED_IN: &str = "  - launch
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: lovelace }
  - click: Sign in
";

/// Every step of teardown is tried, and what fails there is kept as anything else is.
#[test]
fn every_step_of_teardown_is_tried() {
    let project = Project::with_demo_app();
    let teardown = "teardown: [ click: Nope, click: Neither, stop ]\n";
    let stored = |run: &str| {
        let mut files = project.files(&format!(".runner/artifacts/flows/{run}"));
        files.retain(|name| !name.contains("annotated"));
        files
    };
    project.flow(
        "a",
        &format!("step_timeout: 1s\nsteps:\n{SIGNED_IN}{teardown}"),
    );
    project
        .run(&["test"])
        .expect(1)
        .says("FAIL  teardown: click: Nope")
        .says("FAIL  teardown: click: Neither")
        .says("ok    teardown: stop");
    assert_eq!(
        stored("a"),
        [
            "virtual-1/app.log",
            "virtual-1/failure.png",
            "virtual-1/failure.tsv",
            "virtual-1/teardown-2.log",
            "virtual-1/teardown-2.png",
            "virtual-1/teardown-2.tsv",
        ]
    );
    project.flow(
        "a",
        &format!("step_timeout: 1s\nsteps: [ launch, click: Never ]\n{teardown}"),
    );
    project
        .run(&["test"])
        .expect(1)
        .says("no element matches Never")
        .says("teardown failed too (flows/a.yaml:")
        .says("ok    teardown: stop");
    let retained = stored("a");
    for name in ["failure.png", "teardown-1.png", "teardown-2.tsv"] {
        assert!(
            retained.iter().any(|file| file.ends_with(name)),
            "{retained:?}"
        );
    }
}

/// Returns the only video of a flow. It must be whole and named in the events.
#[track_caller]
fn video(project: &Project, name: &str) {
    let files = project.files(".runner/artifacts/flows");
    let found = files.iter().find(|file| file.ends_with(name));
    let found = found.unwrap_or_else(|| panic!("no {name} in {files:?}"));
    let bytes = std::fs::read(project.path(&format!(".runner/artifacts/flows/{found}")));
    let bytes = bytes.expect("the video can be read");
    for part in [&b"ftyp"[..], b"moov", b"mdat"] {
        let holds = bytes.windows(part.len()).any(|window| window == part);
        assert!(holds, "{found} is not a whole video");
    }
    let events = project.read("events.ndjson");
    let reported = events.lines().filter(|line| line.contains("flow_finished"));
    assert!(
        reported.into_iter().any(|line| line.contains(name)),
        "{events}"
    );
}

/// A recording is stopped and kept however the flow ends.
#[test]
fn a_recording_is_kept_however_the_flow_ends() {
    for (header, step, code) in [
        ("", "back", 0),
        ("", "click: Never", 1),
        (
            "timeout: 2s\n",
            "repeat: { times: 10000, steps: [ find: Username ] }",
            1,
        ),
    ] {
        let project = Project::with_demo_app();
        project.flow(
            "a",
            &format!(
                "step_timeout: 1s\n{header}steps:\n  - launch\n  - record: start\n  - {step}\n"
            ),
        );
        project
            .run(&["test", "--json", "events.ndjson"])
            .expect(code);
        video(&project, "recording-1.mp4");
    }
    // One that the flow stops in time is kept as the flow says, and once.
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "step_timeout: 1s\nsteps:\n  - launch\n  - record: start\n  - click: Never\nteardown:\n  - record: { action: stop, name: all }\n",
    );
    project.run(&["test"]).expect(1);
    let files = project.files(".runner/artifacts/flows");
    let videos: Vec<_> = files.iter().filter(|name| name.ends_with(".mp4")).collect();
    assert_eq!(videos, ["a/virtual-1/all.mp4"]);
}

/// Ctrl-C too.
#[cfg(unix)]
#[test]
fn a_recording_is_kept_after_an_interruption() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch\n  - record: start\n  - repeat: { times: 10000, steps: [ find: Username ] }\n",
    );
    let arguments = ["test", "--json", "events.ndjson"];
    let mut running = project
        .command(&arguments)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let events = project.path("events.ndjson");
    let finds = || {
        let text = std::fs::read_to_string(&events).unwrap_or_default();
        text.contains("\"title\":\"find: Username\"")
    };
    for _ in 0..600 {
        if finds() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    video(&project, "recording-1.mp4");
}

/// Checks that a run's files, the report's too, have the permissions that the umask allows.
#[cfg(unix)]
#[test]
fn all_that_a_run_leaves_is_readable_alike() {
    use std::os::unix::fs::PermissionsExt as _;
    for (umask, mode) in [("022", 0o644), ("027", 0o640), ("077", 0o600)] {
        let project = Project::with_demo_app();
        project.flow(
            "a",
            "step_timeout: 1s\nsteps:\n  - launch\n  - record: start\n  - screenshot: home\n  - record: stop\n  - click: Never\n",
        );
        let program = project.command(&[]);
        let line = format!("umask {umask}; exec \"$0\" test --html out");
        let ran = std::process::Command::new("sh")
            .arg("-c")
            .arg(line)
            .arg(program.get_program())
            .current_dir(project.path(""))
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        for folder in [".runner", "out"] {
            for name in project.files(folder) {
                let file = project.path(folder).join(&name);
                let found = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
                assert_eq!(found, mode, "{folder}/{name} under {umask}: {found:o}");
            }
        }
    }
}

#[test]
fn a_line_that_the_app_logs_later_is_waited_for() {
    let project = Project::with_demo_app();
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        "- after: { ms: 700, do: [ { log: { tag: Slow, message: hello } } ] }",
    );
    project.flow(
        "a",
        "steps:\n  - launch: { clear: true }\n  - click: Forgot password?\n  \
         - assert log: { tag: Slow, contains: hello }\n    timeout: 20s\n",
    );
    project.run(&["test"]).expect(0);
    project.replace("flows/a.yaml", "contains: hello", "contains: never");
    project.run(&["test"]).expect(1).says("lines read: 1");
}

#[test]
fn lines_of_a_process_that_has_ended_still_count() {
    let project = Project::with_demo_app();
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        "- log: { tag: Early, message: hello }",
    );
    project.flow(
        "a",
        "steps:\n  - launch: { clear: true }\n  - click: Forgot password?\n  - stop\n  - launch\n  \
         - assert log: { tag: Early, contains: hello }\n  - stop\n  \
         - assert log: { tag: Early, contains: hello }\n",
    );
    project.run(&["test"]).expect(0);
}

/// The flows and turns follow each other within a second.
#[test]
fn lines_of_an_earlier_flow_turn_or_attempt_do_not_count() {
    let project = Project::with_demo_app();
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        "- log: { tag: Early, message: hello }",
    );
    let logs = |when: &str| {
        format!("steps:\n  - launch: {{ clear: true }}\n  - click: Forgot password?\n{when}")
    };
    let asserts =
        "  - assert log: { tag: Early, contains: hello, any_app: true }\n    timeout: 100ms\n";
    project.flow("a", &format!("{}{asserts}", logs("")));
    project.flow("b", &format!("steps:\n{asserts}"));
    let turn = logs("    when: \"${flow.repeat == 1}\"\n");
    project.flow("turn", &format!("{turn}{asserts}"));
    let first = "    when: \"${flow.attempt == 1}\"\n";
    let fails = format!("  - assert visible: Nowhere\n{first}    timeout: 0s\n");
    project.flow("attempt", &format!("{}{fails}{asserts}", logs(first)));
    for arguments in [
        ["test", "flows/a.yaml", "flows/b.yaml", "--retries=0"],
        ["test", "flows/turn.yaml", "--repeat-each=2", "--retries=0"],
    ] {
        project
            .run(&arguments)
            .expect(1)
            .says("1 passed, 1 failed")
            .says("no log line matches hello");
    }
    project
        .run(&["test", "flows/attempt.yaml", "--retries=1"])
        .expect(1)
        .says("no log line matches hello");
}

/// `press: 4` is the key of number 4, BACK. The digit has the name that Android gives it.
#[test]
fn a_digit_is_pressed_by_its_name() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:
  - launch
  - type: { into: { id: username }, text: '123' }
  - press: KEYCODE_4
  - assert: { id: username, text: '1234' }
",
    );
    project.run(&["test"]).expect(0);
}
