//! Tests with errors that no cause over adb produces, on a fake device.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::registry::find;
use crate::{Call, Caller, Outcome, Progress, Verdict};
use runner_device::fake::{Fake, node};
use runner_device::{Device, Input, ShellOutput};
use runner_engine::{DialogAnswer, DialogRule, Session};
use runner_screen::Point;

async fn run(fake: &Arc<Fake>, tool: &str, args: Value) -> Outcome {
    run_on(&session(fake), tool, args).await
}

fn session(fake: &Arc<Fake>) -> Session {
    Session::new(Arc::clone(fake) as Arc<dyn Device>)
}

async fn run_on(session: &Session, tool: &str, args: Value) -> Outcome {
    let call = Call {
        timeout: Duration::from_secs(2),
        app: None,
        root: ".".into(),
        artifacts: "artifacts".into(),
        allow_shell: false,
        http_hosts: std::sync::Arc::default(),
        progress: Progress::default(),
        caller: Caller::default(),
    };
    let entry = find(&format!("scenario.{tool}")).unwrap();
    let args = entry.arguments(args).unwrap();
    entry.call(session, args, &call).await.unwrap()
}

fn screen() -> String {
    node("Button", r#"text="Go""#, [0, 100, 1080, 300], "")
}

fn printed(text: &str) -> ShellOutput {
    ShellOutput {
        stdout: text.as_bytes().to_vec(),
        exit_code: Some(0),
        ..ShellOutput::default()
    }
}

fn failed(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Failed(_))
}

#[tokio::test]
async fn d01_an_app_that_does_not_stay_is_launched_twice_and_told() {
    let fake = Fake::showing([&screen()]).on_shell(|script| match script {
        script if script.contains("resolve-activity") => printed("com.gone/.Main\n"),
        script if script.contains("dumpsys window") => {
            printed("  mCurrentFocus=Window{1 u0 com.other/com.other.Main}\n")
        }
        _ => printed(""),
    });
    let args = json!({ "appPackage": "com.gone" });
    let outcome = run(&fake, "startTestingScenario", args).await;
    assert_eq!(
        outcome.words(),
        "ERROR: launched 'com.gone' but foreground is 'com.other' after retry"
    );
    assert!(failed(&outcome));
    let scripts = fake.with(|state| state.scripts.clone());
    let starts = |script: &&String| script.starts_with("am start");
    assert_eq!(scripts.iter().filter(starts).count(), 2, "{scripts:?}");
    let order: Vec<usize> = ["dismiss-keyguard", "force-stop", "am start"]
        .iter()
        .filter_map(|part| scripts.iter().position(|script| script.contains(part)))
        .collect();
    assert_eq!(order.len(), 3, "{scripts:?}");
    assert!(order.is_sorted(), "{scripts:?}");
    assert!(matches!(
        fake.inputs().as_slice(),
        [Input::Key { key, long: false }] if key.name() == "WAKEUP"
    ));
}

#[tokio::test]
async fn d01_a_process_is_enough_where_the_foreground_is_not_told() {
    let fake = Fake::showing([&screen()]).on_shell(|script| {
        let alive = script.starts_with("pidof");
        printed(if alive {
            "4711\n"
        } else {
            "Events injected: 1\n"
        })
    });
    let args = json!({ "appPackage": "com.quiet" });
    let outcome = run(&fake, "startTestingScenario", args).await;
    assert_eq!(
        outcome.words(),
        "OK: launched com.quiet (process running; foreground check inconclusive)"
    );
    assert_eq!(outcome.verdict, Verdict::Passed);
}

#[tokio::test]
async fn d02_what_does_not_launch_is_told() {
    let fake = Fake::showing([&screen()]);
    let args = json!({ "packageName": "com.gone" });
    let outcome = run(&fake, "launchAppByPackage", args).await;
    assert!(
        outcome.words().starts_with("ERROR: launch failed: "),
        "{}",
        outcome.words()
    );
    assert!(failed(&outcome));
}

#[tokio::test]
async fn d10_a_keyboard_that_stays_is_a_timeout() {
    let fake = Fake::showing([&screen()]);
    fake.with(|state| state.keyboard = true);
    let outcome = run(&fake, "hideKeyboard", json!({})).await;
    assert!(
        outcome
            .words()
            .starts_with("TIMEOUT: hide keyboard failed: "),
        "{}",
        outcome.words()
    );
    assert!(failed(&outcome));
}

fn swiped(fake: &Fake) -> (Point, Point, Duration) {
    match fake.inputs().as_slice() {
        [Input::Swipe(swipe)] => (swipe.from, swipe.to, swipe.duration),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn d11_d12_d13_d14_swipes_fit_the_screen() {
    let point = |x, y| Point { x, y };
    for (tool, args, from, to, millis) in [
        ("swipeUp", json!({}), point(540, 1800), point(540, 360), 300),
        (
            "swipeDown",
            json!({}),
            point(540, 600),
            point(540, 2040),
            300,
        ),
        (
            "scrollVertically",
            json!({ "distance": 500, "durationMs": 700 }),
            point(540, 1800),
            point(540, 1300),
            700,
        ),
        (
            "scrollHorizontally",
            json!({ "distance": 500 }),
            point(270, 1200),
            point(770, 1200),
            300,
        ),
        (
            "scrollHorizontally",
            json!({ "distance": -500 }),
            point(810, 1200),
            point(310, 1200),
            300,
        ),
    ] {
        let fake = Fake::showing([&screen()]);
        run(&fake, tool, args).await;
        let expected = (from, to, Duration::from_millis(millis));
        assert_eq!(swiped(&fake), expected, "{tool}");
    }
}

#[tokio::test]
async fn d11_a_screen_that_does_not_tell_its_size_is_taken_for_a_usual_one() {
    let fake = Fake::showing([]).without_size();
    let outcome = run(&fake, "swipeUp", json!({})).await;
    assert_eq!(outcome.words(), "OK: swiped up on 1080x1920");
    assert_eq!(swiped(&fake).0, Point { x: 540, y: 1440 });
    // R5: no dump is asked for.
    assert_eq!(fake.counters().read().dumps, 0);
}

#[tokio::test]
async fn d13_no_distance_touches_nothing() {
    let fake = Fake::showing([&screen()]);
    run(&fake, "scrollVertically", json!({ "distance": 0 })).await;
    assert_eq!(fake.inputs(), []);
}

/// A blank text is in no element or in any with two words, so a check for it would prove nothing.
#[test]
fn a_search_has_words() {
    for (tool, name) in [
        ("findUiElementsByText", "text"),
        ("tap", "text"),
        ("inputText", "fieldSelector"),
        ("verifyElementVisible", "text"),
        ("verifyElementNotVisible", "text"),
    ] {
        let entry = find(&format!("scenario.{tool}")).unwrap();
        for (words, is_fine) in [
            ("", false),
            (" ", false),
            ("\u{a0}\t", false),
            (" a ", true),
        ] {
            let mut args = json!({ "text": "typed" });
            args[name] = words.into();
            let args = entry.arguments(args).unwrap();
            assert_eq!(entry.check(&args).is_ok(), is_fine, "{tool} {words:?}");
        }
    }
}

#[tokio::test]
async fn d17_a_wait_passes_on_the_device() {
    for (ms, script) in [(1, "sleep 0.05"), (700, "sleep 0.7"), (70_000, "sleep 10")] {
        let fake = Fake::showing([&screen()]);
        run(&fake, "wait", json!({ "ms": ms })).await;
        assert_eq!(fake.with(|state| state.scripts.clone()), [script]);
    }
}

#[tokio::test]
async fn d19_a_device_that_cannot_record_says_so() {
    let fake = Fake::showing([&screen()]);
    let outcome = run(&fake, "startScreenRecording", json!({})).await;
    assert!(
        outcome
            .words()
            .starts_with("ERROR: screen recording failed: this device cannot"),
        "{}",
        outcome.words()
    );
    assert!(failed(&outcome));
}

#[tokio::test]
async fn a_match_below_a_dialog_of_a_rule_is_none() {
    let window = |number: u32, inside: &str| {
        format!(
            r#"<window id="{number}" type="1" layer="{number}"><hierarchy rotation="0">{inside}</hierarchy></window>"#
        )
    };
    let app = window(0, &screen());
    let dialog = window(
        1,
        &node("Button", r#"text="Go away""#, [0, 500, 1080, 700], ""),
    );
    let both = format!(r#"<displays><display id="0">{app}{dialog}</display></displays>"#);
    let fake = Fake::showing([&both]);
    let rule = DialogRule {
        when: serde_json::from_value(json!("Go away")).unwrap(),
        app: None,
        answer: DialogAnswer::Press("BACK".parse().unwrap()),
        place: 0,
    };
    let session = session(&fake).with_dialogs(Arc::from([rule]));
    for position in [0, 1] {
        let args = json!({ "text": "go", "position": position });
        let outcome = run_on(&session, "tap", args).await;
        assert_eq!(outcome.words(), "TAPPED: (540,600)");
    }
    let point = Point { x: 540, y: 600 };
    assert_eq!(fake.inputs(), [Input::Tap(point), Input::Tap(point)]);
}
