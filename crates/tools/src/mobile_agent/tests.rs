//! Tests of what is invisible to the dialect's tests: cache lifetimes, contents of lists, requests to the
//! device.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::state::SessionCaches;
use crate::registry::find;
use crate::{Call, Caller, Outcome, Progress, Verdict};
use runner_device::fake::{Fake, node};
use runner_device::{Device, Input, ShellOutput};
use runner_engine::Session;
use runner_screen::{Node, Point};

fn session(fake: &Arc<Fake>) -> Session {
    Session::new(Arc::clone(fake) as Arc<dyn Device>)
}

async fn run(session: &Session, name: &str, args: Value) -> Outcome {
    let call = Call {
        timeout: Duration::from_secs(5),
        app: None,
        root: ".".into(),
        artifacts: "artifacts".into(),
        allow_shell: false,
        http_hosts: std::sync::Arc::default(),
        progress: Progress::default(),
        caller: Caller::default(),
    };
    let entry = find(&format!("mobile_agent.{name}")).unwrap();
    let args = entry.arguments(args).unwrap();
    entry.call(session, args, &call).await.unwrap()
}

async fn controls(session: &Session) -> Value {
    let outcome = run(session, "get_app_window_controls_target_info", json!({})).await;
    outcome.value
}

async fn click(session: &Session, id: &str, name: &str) -> Value {
    let args = json!({ "control_id": id, "control_name": name });
    run(session, "click_control", args).await.value
}

/// Advances the time of the caches by seconds.
fn pass(session: &Session, seconds: u64) {
    let time = Duration::from_secs(seconds);
    session.remembered::<SessionCaches>().advance(time);
}

fn button(text: &str, top: i32) -> String {
    let text = format!(r#"clickable="true" text="{text}""#);
    node("Button", &text, [0, top, 1080, top + 100], "")
}

#[tokio::test]
async fn b05_controls_and_b02_the_tree_last_five_seconds() {
    for tool in ["get_app_window_controls_target_info", "get_ui_tree"] {
        let fake = Fake::showing([&button("Go", 0)]);
        let session = session(&fake);
        let looks = || fake.counters().read().dumps;
        let first = run(&session, tool, json!({})).await;
        pass(&session, 4);
        assert_eq!(run(&session, tool, json!({})).await, first);
        assert_eq!(looks(), 1, "{tool}");
        pass(&session, 1);
        run(&session, tool, json!({})).await;
        assert_eq!(looks(), 2, "{tool}");
        // Every action empties them; after a wait they are looked at anew.
        run(&session, "press_key", json!({ "key_code": "KEYCODE_TAB" })).await;
        run(&session, tool, json!({})).await;
        assert_eq!(looks(), 3, "{tool}");
        run(&session, "wait", json!({ "seconds": 1 })).await;
        run(&session, tool, json!({})).await;
        assert_eq!(looks(), 4, "{tool}");
        // What was refused was not an action.
        run(&session, "wait", json!({ "seconds": 61 })).await;
        run(&session, tool, json!({})).await;
        assert_eq!(looks(), 4, "{tool}");
    }
}

/// Ids of controls remain valid as time passes, even if the control has moved. (R9)
#[tokio::test]
async fn b12_a_wait_does_not_end_the_ids_of_controls() {
    let fake = Fake::showing([&button("Go", 0), &button("Go", 500)]);
    let session = session(&fake);
    assert_eq!(controls(&session).await[0]["id"], "1");
    run(&session, "wait", json!({ "seconds": 2 })).await;
    let args = json!({ "control_id": "1", "control_name": "Go" });
    let clicked = run(&session, "click_control", args).await.value;
    assert_eq!(clicked["success"], true, "{clicked}");
    assert_eq!(clicked["message"], "Clicked control 'Go' at (540, 550)");
}

/// Steps of other tools act on the same screen, and do not empty the caches. (R9)
#[tokio::test]
async fn b11_after_an_act_of_another_tool_a_control_is_found_anew_or_not() {
    for (now, expected) in [
        (
            button("Go", 500),
            Some("Clicked control 'Go' at (540, 550)"),
        ),
        (button("Stop", 0), None),
    ] {
        let fake = Fake::showing([&button("Go", 0), &now]);
        let session = session(&fake);
        let tree = run(&session, "get_ui_tree", json!({})).await;
        fake.with(|state| state.looks.push_front(Ok(button("Go", 0))));
        assert_eq!(controls(&session).await[0]["id"], "1");
        let elsewhere = Input::Tap(Point { x: 1, y: 1 });
        session.input(&[elsewhere]).await.unwrap();
        let clicked = click(&session, "1", "Go").await;
        assert_eq!(clicked["success"], expected.is_some(), "{clicked}");
        if let Some(expected) = expected {
            assert_eq!(clicked["message"], expected);
        }
        assert_eq!(fake.inputs().len(), 1 + usize::from(expected.is_some()));
        assert_ne!(run(&session, "get_ui_tree", json!({})).await, tree);
    }
}

#[tokio::test]
async fn b05_force_refresh_looks_again() {
    let fake = Fake::showing([&button("Go", 0), &button("Stop", 0)]);
    let session = session(&fake);
    assert_eq!(controls(&session).await[0]["name"], "Go");
    assert_eq!(controls(&session).await[0]["name"], "Go");
    let args = json!({ "force_refresh": true });
    let fresh = run(&session, "get_app_window_controls_target_info", args).await;
    assert_eq!(fresh.value[0]["name"], "Stop");
}

fn says(text: &str) -> ShellOutput {
    ShellOutput {
        stdout: text.as_bytes().to_vec(),
        exit_code: Some(0),
        ..ShellOutput::default()
    }
}

#[tokio::test]
async fn b03_device_info_lasts_a_minute() {
    let fake = Fake::showing([""]).on_shell(|_| {
        says("Physical size: 1080x2400\nOverride size: 720x1600\nwm: not found\n  level: 85\n  status: 3\n")
    });
    let session = session(&fake);
    let from_cache = async || run(&session, "get_device_info", json!({})).await.value;
    let first = from_cache().await;
    assert_eq!(first["from_cache"], false);
    assert_eq!(
        first["device_info"],
        json!({
            "model": "unknown", "android_version": "14", "sdk_version": "34",
            "screen_size": "Physical size: 1080x2400\nOverride size: 720x1600",
            "screen_density": "unknown", "battery_level": "85", "battery_status": "3",
        })
    );
    pass(&session, 59);
    assert_eq!(from_cache().await["from_cache"], true);
    pass(&session, 1);
    assert_eq!(from_cache().await["from_cache"], false);
}

#[tokio::test]
async fn b04_apps_last_five_minutes_with_and_without_the_systems() {
    let fake = Fake::showing([""]).on_shell(|script| {
        // The answers of both questions, apart by the marker that the script echoes.
        let mark = script.split("echo ").find(|word| word.starts_with('@'));
        let mark = mark.and_then(|word| word.split(';').next()).unwrap_or("");
        says(&format!("package:b.user\n{mark}\npackage:a.system\n"))
    });
    let session = session(&fake);
    let requested = || fake.with(|state| state.scripts.len());
    let list = async |system: bool| {
        let args = json!({ "include_system_apps": system });
        run(&session, "get_mobile_app_target_info", args)
            .await
            .value
    };
    let launch = async || {
        let args = json!({ "package_name": "b.user", "id": "2" });
        run(&session, "launch_app", args).await.value["error"].clone()
    };
    let user = json!([{ "id": "1", "name": "b.user", "package": "b.user" }]);
    assert_eq!(list(false).await, user);
    assert_eq!(list(true).await[0]["package"], "a.system");
    assert_eq!(requested(), 2);
    pass(&session, 299);
    assert_eq!(list(false).await, user);
    assert_eq!(list(true).await[1]["id"], "2");
    assert_eq!(requested(), 2, "both were kept");
    list(false).await;
    assert_eq!(
        launch().await,
        "App with ID '2' not found in cached app list."
    );
    pass(&session, 1);
    assert_eq!(
        launch().await,
        "App cache is empty. Please call get_mobile_app_target_info first."
    );
    list(false).await;
    assert_eq!(requested(), 3);
    let args = json!({ "force_refresh": true });
    run(&session, "get_mobile_app_target_info", args).await;
    assert_eq!(requested(), 4);
}

#[tokio::test]
async fn b05_selection_and_rectangles_are_the_references() {
    let wide = [0, 10, 1080, 90];
    let chosen = [
        ("View", r#"clickable="true""#, "View"),
        ("View", r#"long-clickable="true""#, "View"),
        ("ListView", r#"scrollable="true""#, "ListView"),
        ("Switch", r#"checkable="true""#, "Switch"),
        ("TextView", r#"text="Total""#, "Total"),
        ("View", r#"text=" " content-desc="Menu""#, "Menu"),
        ("EditText", r#"hint="Search""#, "Search"),
        ("EditText", r#"password="true" text="abc""#, "EditText"),
        ("ImageButton", "", "ImageButton"),
    ];
    let mut dump: String = chosen
        .iter()
        .map(|(class, attributes, _)| node(class, attributes, wide, ""))
        .collect();
    dump += &node("FrameLayout", r#"focusable="true""#, wide, "");
    for empty in [[5, 5, 5, 9], [5, 9, 9, 5], [-9, 5, 0, 9], [5, -9, 9, 0]] {
        dump += &node("Button", r#"text="Gone""#, empty, "");
    }
    let fake = Fake::showing([&dump]);
    let listed = controls(&session(&fake)).await;
    let listed: Vec<_> = listed.as_array().unwrap().iter().collect();
    let names: Vec<_> = listed.iter().map(|item| item["name"].clone()).collect();
    assert_eq!(names, chosen.map(|(.., name)| name));
    assert_eq!(
        listed[0].to_string(),
        r#"{"kind":"control","id":"1","name":"View","type":"View","package":"com.example","rect":[0,10,1080,90]}"#
    );
}

#[tokio::test]
async fn b11_an_old_list_is_looked_at_anew() {
    let fake = Fake::showing([&button("Go", 0), &button("Go", 500), ""]);
    let session = session(&fake);
    controls(&session).await;
    pass(&session, 120);
    let answer = click(&session, "1", "Go").await;
    assert_eq!(answer["message"], "Clicked control 'Go' at (540, 550)");
    assert_eq!(fake.inputs(), [Input::Tap(Point { x: 540, y: 550 })]);
    // Where it is gone, nothing is clicked.
    let fake = Fake::showing([&button("Go", 0), &button("Stop", 0)]);
    let session = self::session(&fake);
    controls(&session).await;
    session
        .remembered::<SessionCaches>()
        .advance(Duration::from_mins(2));
    let answer = click(&session, "1", "Go").await;
    assert_eq!(answer["success"], false);
    assert_eq!(fake.inputs(), []);
}

#[tokio::test]
async fn b11_elements_of_other_tools_and_those_without_a_rectangle() {
    let dump = button("Go", 0) + &node("Button", r#"text="Flat""#, [0, 0, 0, 0], "");
    let fake = Fake::showing([&dump]);
    let session = session(&fake);
    let screen = session.look().await.unwrap();
    let ids: Vec<String> = screen.nodes().map(Node::id).collect();
    assert_eq!(click(&session, &ids[0], "Go").await["success"], true);
    let error = "Control 'Flat' has no rectangle information";
    assert_eq!(click(&session, &ids[1], "Flat").await["error"], error);
    let args = json!({ "text": "a", "control_id": ids[1], "control_name": "Flat" });
    let outcome = run(&session, "type_text", args).await;
    assert_eq!(outcome.value["error"], error);
    let Verdict::Failed(failure) = outcome.verdict else {
        panic!("the step passed");
    };
    assert_eq!(failure.message, error);
    assert_eq!(fake.inputs().len(), 1);
}

/// A look taken before an action ends is not cached after it.
#[tokio::test]
async fn b05_a_look_that_an_action_overtook_is_not_kept() {
    let state = SessionCaches::default();
    let mark = state.caches().mark();
    assert!(state.caches().is_unchanged_since(mark));
    let acting = state.acting();
    let during = state.caches().mark();
    assert!(!state.caches().is_unchanged_since(mark));
    drop(acting);
    assert!(!state.caches().is_unchanged_since(during));
}
