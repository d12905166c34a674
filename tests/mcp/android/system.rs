//! A2–A6: system actions.

use serde_json::json;

use super::{Bench, DENIED, FAILED};
use crate::common::Project;
use crate::common::mcp::Client;

const SERVICE: &str =
    "Accessibility service not enabled. Please enable it in Android Settings > Accessibility.";

/// Asserts the error SYS: the device is gone, the action fails.
#[track_caller]
fn fails(bench: &mut Bench, tool: &str, action: &str, command: &str) {
    bench.fails_with("dropped-connection", tool, json!({}), DENIED, SERVICE);
    let text = format!("{action} failed: `{command}` failed on the device (exit 137): Killed");
    bench.fails_with("command-killed", tool, json!({}), FAILED, &text);
}

/// Checks that the error has a code without a device too.
#[test]
fn a02_press_back_without_a_device() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--device", "127.0.0.1:1"]);
    let answer = client.call("android_press_back", json!({}));
    assert!(
        answer.is_error && answer.text.contains("127.0.0.1:1"),
        "{}",
        answer.text
    );
    assert_eq!(answer.json()["code"], DENIED, "{}", answer.result);
}

#[test]
fn a02_press_back_goes_back() {
    let mut bench = Bench::in_app();
    let text = bench.ok("press_back", json!({}));
    assert_eq!(text, "Back button press executed successfully");
    bench.shows("com.android.launcher:id/workspace");
    fails(&mut bench, "press_back", "Back button press", "input");
}

#[test]
fn a03_press_home_goes_home() {
    let mut bench = Bench::in_inbox();
    let text = bench.ok("press_home", json!({}));
    assert_eq!(text, "Home button press executed successfully");
    bench.shows("com.android.launcher:id/workspace");
    fails(&mut bench, "press_home", "Home button press", "input");
}

#[test]
fn a04_press_recents_shows_the_apps() {
    let mut bench = Bench::in_app();
    let text = bench.ok("press_recents", json!({}));
    assert_eq!(text, "Recents button press executed successfully");
    bench.shows("com.android.launcher:id/overview_panel");
    fails(&mut bench, "press_recents", "Recents button press", "input");
}

#[test]
fn a05_open_notifications_pulls_the_shade_down() {
    let mut bench = Bench::start();
    let text = bench.ok("open_notifications", json!({}));
    assert_eq!(text, "Open notifications executed successfully");
    bench.shows("No notifications");
    fails(
        &mut bench,
        "open_notifications",
        "Open notifications",
        "cmd statusbar expand-notifications",
    );
}

#[test]
fn a06_open_quick_settings_opens_them() {
    let mut bench = Bench::start();
    let text = bench.ok("open_quick_settings", json!({}));
    assert_eq!(text, "Open quick settings executed successfully");
    bench.shows("Airplane mode");
    fails(
        &mut bench,
        "open_quick_settings",
        "Open quick settings",
        "cmd statusbar expand-settings",
    );
}
