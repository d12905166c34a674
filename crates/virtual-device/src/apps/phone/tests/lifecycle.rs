//! Tests of apps and what is in front: permissions, links, crashes, and apps that cannot be read.

use super::*;

#[test]
fn permissions_are_asked_once_and_told() {
    let mut p = signed_in();
    tap(&mut p, "Settings");
    tap(&mut p, "Allow notifications");
    let front = p
        .windows()
        .into_iter()
        .find(|window| window.focused)
        .unwrap();
    assert_eq!(front.package, "com.android.permissioncontroller");
    tap(&mut p, "Allow");
    assert_eq!(node(&p, "notifications").text, "Notifications are allowed");
    let about = p
        .packages()
        .into_iter()
        .find(|package| package.package == NOTES)
        .unwrap();
    assert!(about.permissions[0].1);
    p.set_permission(NOTES, "android.permission.POST_NOTIFICATIONS", false)
        .unwrap();
    tap(&mut p, "Allow notifications");
    tap(&mut p, "Don’t allow");
    assert_eq!(node(&p, "notifications").text, "Notifications are off");
    assert!(
        p.set_permission(NOTES, "android.permission.CAMERA", true)
            .is_err()
    );
}

#[test]
fn apps_keep_their_screens_until_they_are_stopped_and_their_data_until_cleared() {
    let mut p = signed_in();
    tap(&mut p, "Settings");
    tap(&mut p, "sync");
    assert!(!node(&p, "sync").checked);
    key(&mut p, "HOME");
    assert_eq!(
        p.windows().iter().find(|w| w.focused).unwrap().package,
        "com.android.launcher"
    );
    key(&mut p, "APP_SWITCH");
    tap(&mut p, "Notes");
    assert!(maybe(&p, "sync").is_some());
    assert_eq!(
        p.processes()
            .iter()
            .filter(|(_, name)| name == NOTES)
            .count(),
        1
    );
    p.force_stop(NOTES);
    assert!(p.processes().iter().all(|(_, name)| name != NOTES));
    p.start(NOTES, Some(".Settings"), &BTreeMap::new()).unwrap();
    assert!(!node(&p, "sync").checked, "settings are kept");
    assert!(p.clear(NOTES));
    p.start(NOTES, Some("com.example.notes.Settings"), &BTreeMap::new())
        .unwrap();
    assert!(node(&p, "sync").checked);
    assert!(
        p.start(NOTES, Some(".Nothing"), &BTreeMap::new())
            .unwrap_err()
            .to_string()
            .starts_with("Error type 3")
    );
    assert!(!p.clear("com.example.none"));
}

#[test]
fn links_open_their_screen() {
    let mut p = started();
    p.open_link("notes://note/n03", None).unwrap();
    assert_eq!(node(&p, "title").text, "Call the dentist");
    key(&mut p, "BACK");
    assert!(maybe(&p, "sign_in").is_some());
    assert!(p.open_link("nowhere://example.com", None).is_err());
    assert!(
        p.open_link("https://example.com", Some("com.example.notes"))
            .is_err()
    );
    for address in ["https://example.com/a?b=c", "HTTP://example.org"] {
        p.open_link(address, None).unwrap();
        // By its text: the id is of the browser's package.
        assert_eq!(node(&p, address).class, "android.widget.EditText");
    }
    // What is refused does not end it.
    assert!(!p.uninstall("com.android.browser"));
    assert!(maybe(&p, "HTTP://example.org").is_some());
    // One screen, however many links.
    key(&mut p, "BACK");
    assert!(maybe(&p, "HTTP://example.org").is_none());
    let browser = p
        .packages()
        .into_iter()
        .find(|of| of.package == "com.android.browser");
    assert!(browser.unwrap().system);
}

#[test]
fn back_closes_one_thing_at_a_time() {
    let mut p = started();
    tap(&mut p, "username");
    key(&mut p, "BACK");
    assert!(!p.keyboard_shown());
    assert!(maybe(&p, "sign_in").is_some());
    p.status_bar("notifications");
    assert!(maybe(&p, "No notifications").is_some());
    key(&mut p, "BACK");
    assert!(maybe(&p, "No notifications").is_none());
    key(&mut p, "BACK");
    assert_eq!(
        p.windows().iter().find(|w| w.focused).unwrap().package,
        "com.android.launcher"
    );
}

#[test]
fn messages_change_the_screen_in_front() {
    let mut p = started();
    let message = r#"{"version": "v0.9", "updateDataModel": {"surfaceId": "sign_in", "path": "/sign_in/error", "value": "Try later"}}"#;
    p.a2ui(message).unwrap();
    assert_eq!(node(&p, "error").text, "Try later");
    let data = |path: &str, value: &str| {
        format!(
            r#"{{"version": "v0.9", "updateDataModel": {{"surfaceId": "default", "path": "{path}"{value}}}}}"#
        )
    };
    let shows_second = r#"{"version": "v0.9", "updateComponents": {"surfaceId": "default", "components": [{"id": "error", "component": "Text", "text": {"path": "/words/1"}}]}}"#;
    p.a2ui(&data("/words", r#", "value": ["a", "b"]"#)).unwrap();
    p.a2ui(&data("/words/0", "")).unwrap();
    p.a2ui(shows_second).unwrap();
    assert_eq!(node(&p, "error").text, "b");
    let other = r#"{"version": "v0.9", "deleteSurface": {"surfaceId": "other"}}"#;
    assert!(p.a2ui(other).unwrap_err().to_string().contains("`sign_in`"));
    assert!(
        p.a2ui("{}")
            .unwrap_err()
            .to_string()
            .contains("a message has one of")
    );
    p.a2ui(r#"{"deleteSurface": {}}"#).unwrap();
    assert_eq!(p.a2ui_surfaces(), "[]");
}

#[test]
fn the_dialog_of_repeated_crashes_opens_once_in_two_minutes() {
    let mut p = phone();
    for (after, is_open) in [
        (0, false),
        (110, true),
        (60, false),
        (110, true),
        (130, false),
    ] {
        p.advance(Duration::from_secs(after));
        p.start(NOTES, None, &BTreeMap::new()).unwrap();
        p.overlay.error = None;
        p.crash(NOTES, "no account");
        assert_eq!(p.overlay.error.is_some(), is_open, "after {after} s");
    }
}

/// Shows each public example of the basic catalogue. Unsupported parts are logged.
#[test]
fn the_corpus_of_examples_loads_and_draws() {
    let Some(corpus) = runner_testing::recording("a2ui/v0_9_1/catalogs") else {
        return;
    };
    let corpus = corpus.display();
    let mut count = 0;
    for catalogue in ["basic", "minimal"] {
        let Ok(files) = std::fs::read_dir(format!("{corpus}/{catalogue}/examples")) else {
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            let text = std::fs::read_to_string(&file).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let root = Utf8PathBuf::from_path_buf(folder.path().to_path_buf()).unwrap();
            std::fs::write(root.join("main.json"), text).unwrap();
            let manifest = "package: com.example.gallery\nlabel: Gallery\nactivities:\n  .Main: { surface: main.json, launchable: true }\n";
            std::fs::write(root.join("app.yaml"), manifest).unwrap();
            let mut p = phone();
            p.install(&root).unwrap();
            p.start("com.example.gallery", None, &BTreeMap::new())
                .unwrap();
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            save(&mut p, &format!("{catalogue}-{name}"));
            let problems: Vec<String> = p
                .take_log()
                .into_iter()
                .filter(|(level, ..)| *level == 'E')
                .map(|(_, _, message, _)| message)
                .collect();
            for problem in &problems {
                assert!(
                    problem.contains("not supported yet") || problem.contains("no icon"),
                    "{name}: {problem}"
                );
            }
            assert!(
                all(&p)
                    .iter()
                    .any(|node| node.resource_id.starts_with("com.example.gallery"))
            );
            count += 1;
        }
    }
    assert!(count == 0 || count > 20, "{count}");
}

#[test]
fn a_wrong_app_says_where_and_what() {
    let table = [
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: ../x.json, launchable: true }\n",
            "inside the app's folder",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json, launchable: true }\n",
            "x.json: cannot be read",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json }\n",
            "launchable: true",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json, launchable: true }\nactions:\n  go:\n    - navigate: .Mian\n",
            "names the activity `.Mian`, which is not there; did you mean `.Main`?",
        ),
    ];
    for (manifest, expected) in table {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_path_buf()).unwrap();
        std::fs::write(root.join("app.yaml"), manifest).unwrap();
        let error = phone().install(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
