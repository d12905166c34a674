//! A37–A39: apps.

use serde_json::{Value, json};

use super::{Bench, FAILED};

const NOTES: &str = "com.example.notes";

#[track_caller]
fn refuses_packages(bench: &mut Bench, tool: &str) {
    bench.refuses(
        tool,
        [
            (json!({}), "Missing required parameter: 'package_id'"),
            (
                json!({ "package_id": "" }),
                "Parameter 'package_id' must be non-empty",
            ),
            (
                json!({ "package_id": [1] }),
                "Parameter 'package_id' must be a string",
            ),
        ],
    );
}

#[test]
fn a37_open_app_opens_an_app() {
    let mut bench = Bench::start();
    let text = bench.ok("open_app", json!({ "package_id": NOTES }));
    assert_eq!(text, "App opened successfully: com.example.notes");
    bench.shows("Welcome to Notes");
    refuses_packages(&mut bench, "open_app");
    for package in ["com.example.nothing", "com.android.systemui"] {
        let text = format!(
            "Failed to open application '{package}': No launchable activity found for package '{package}'"
        );
        bench.fails("open_app", json!({ "package_id": package }), FAILED, &text);
    }
    bench.shows("Welcome to Notes");
}

#[test]
fn a38_list_apps_lists_them() {
    let mut bench = Bench::start();
    let mut list = |args: Value| -> Vec<Value> {
        serde_json::from_str(&bench.ok("list_apps", args)).expect("an array")
    };
    let notes = json!({
        "package_id": NOTES, "name": "Notes", "version_name": "1.4.2", "version_code": 1, "is_system": false,
    });
    assert_eq!(
        list(json!({ "filter": "user" })),
        std::slice::from_ref(&notes)
    );
    let all = list(json!({}));
    let system = list(json!({ "filter": "system" }));
    assert_eq!(all.len(), system.len() + 1);
    assert!(all.contains(&notes) && !system.contains(&notes));
    assert!(system.iter().all(|app| app["is_system"] == true));
    assert_eq!(list(json!({ "name_query": "NOTE" })), [notes]);
    assert_eq!(
        list(json!({ "name_query": "nothing like it" })),
        [] as [Value; 0]
    );
    bench.refuses(
        "list_apps",
        [
            (
                json!({ "filter": "mine" }),
                "Parameter 'filter' must be one of: all, user, system. Got: 'mine'",
            ),
            (
                json!({ "filter": [1] }),
                "Parameter 'filter' must be a string",
            ),
            (
                json!({ "name_query": [1] }),
                "Parameter 'name_query' must be a string",
            ),
        ],
    );
    bench.fails_with(
        "command-killed",
        "list_apps",
        json!({}),
        FAILED,
        "Failed to query installed applications: `pm list packages` failed on the device (exit 137): Killed",
    );
}

#[test]
fn a39_close_app_ends_what_is_in_the_background() {
    let mut bench = Bench::in_app();
    let close = json!({ "package_id": NOTES });
    // What is in front stays.
    assert_eq!(
        bench.ok("close_app", close.clone()),
        "App closed successfully: com.example.notes"
    );
    bench.shows("Welcome to Notes");
    bench.ok("press_home", json!({}));
    assert_ne!(bench.shell("pidof com.example.notes"), "");
    assert_eq!(
        bench.ok("close_app", close.clone()),
        "App closed successfully: com.example.notes"
    );
    assert_eq!(bench.shell("pidof com.example.notes"), "");
    refuses_packages(&mut bench, "close_app");
    bench.fails(
        "close_app",
        json!({ "package_id": "com.example.nothing" }),
        FAILED,
        "Failed to close application 'com.example.nothing': it is not installed",
    );
    // R13: a command that is killed does not say that.
    bench.fails_with(
        "command-killed",
        "close_app",
        close,
        FAILED,
        "Failed to close application 'com.example.notes': `pm path com.example.notes` failed on the device (exit 137): Killed",
    );
}
