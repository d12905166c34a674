//! Tests of screens that the virtual device does not have: switches, pickers with a field, single windows,
//! other devices.

mod covers;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::registry::find;
use crate::{Call, Caller, Failure, FailureKind, Outcome, Progress};
use runner_device::fake::{Fake, node};
use runner_device::{Device, Input, ShellOutput};
use runner_engine::Session;

async fn run(fake: &Arc<Fake>, name: &str, args: Value) -> Result<Outcome, Failure> {
    run_within(Duration::from_secs(5), fake, name, args).await
}

async fn run_within(
    timeout: Duration,
    fake: &Arc<Fake>,
    name: &str,
    args: Value,
) -> Result<Outcome, Failure> {
    let session = Session::new(Arc::clone(fake) as Arc<dyn Device>);
    let call = Call {
        timeout,
        app: None,
        root: ".".into(),
        artifacts: "artifacts".into(),
        allow_shell: false,
        http_hosts: std::sync::Arc::default(),
        progress: Progress::default(),
        caller: Caller::default(),
    };
    let entry = find(name).unwrap();
    entry.call(&session, entry.arguments(args)?, &call).await
}

fn named(class: &str, id: &str, attributes: &str, inside: &str) -> String {
    let attributes = format!("resource-id=\"com.example:id/{id}\" {attributes}");
    node(class, &attributes, [0, 100, 1080, 300], inside)
}

fn switch(checked: bool) -> String {
    let words = if checked { "ON" } else { "OFF" };
    named(
        "Switch",
        "dark_mode",
        &format!("text=\"{words}\" checkable=\"true\" clickable=\"true\" checked=\"{checked}\""),
        "",
    )
}

#[tokio::test]
async fn c05_toggle_reads_a_switch_back_though_its_words_change() {
    let fake = Fake::showing([&switch(false)]).on_input(|_| Some(switch(true)));
    let outcome = run(
        &fake,
        "semantic.toggle",
        json!({ "element_id": "dark_mode" }),
    )
    .await
    .unwrap();
    assert_eq!(outcome.value["new_value"], true);
    assert_eq!(fake.inputs().len(), 1);
}

#[tokio::test]
async fn c05_a_row_with_a_switch_is_turned_over() {
    let row = |checked| {
        let attributes = "clickable=\"true\"";
        let inner = node(
            "Switch",
            &format!("checkable=\"true\" checked=\"{checked}\""),
            [900, 100, 1080, 300],
            "",
        );
        named("LinearLayout", "wifi", attributes, &inner)
    };
    let fake = Fake::showing([&row(true)]).on_input(move |_| Some(row(false)));
    let outcome = run(&fake, "semantic.toggle", json!({ "element_id": "wifi" }))
        .await
        .unwrap();
    assert_eq!(outcome.value["new_value"], false);
}

#[tokio::test]
async fn c05_a_switch_that_stays_is_an_error() {
    let fake = Fake::showing([&switch(true)]);
    let failure = run(
        &fake,
        "semantic.toggle",
        json!({ "element_id": "dark_mode" }),
    )
    .await
    .unwrap_err();
    assert_eq!(
        failure.message,
        "Element 'dark_mode' did not change when it was touched; it was on"
    );
}

#[tokio::test]
async fn c06_a_picker_with_a_field_is_typed_into() {
    let picker = |text: &str, focused: bool| {
        let field = node(
            "EditText",
            &format!("text=\"{text}\" clickable=\"true\" focused=\"{focused}\""),
            [0, 150, 1080, 250],
            "",
        );
        named("NumberPicker", "hours", "", &field)
    };
    let mut text = "7".to_owned();
    let fake = Fake::showing([&picker("7", false)]).on_input(move |input| {
        match input {
            Input::Key { key, .. } if key.name() == "DEL" => drop(text.pop()),
            Input::Text(typed) => text.push_str(typed),
            _ => {}
        }
        Some(picker(&text, true))
    });
    run(
        &fake,
        "semantic.select",
        json!({ "element_id": "hours", "value": "12" }),
    )
    .await
    .unwrap();
    let last = fake.inputs().pop();
    assert!(matches!(last, Some(Input::Key { key, .. }) if key.name() == "ENTER"));
}

fn spinner(value: &str) -> String {
    let words = format!("text=\"{value}\"");
    let text = node("TextView", &words, [0, 100, 900, 300], "");
    named("Spinner", "size", "clickable=\"true\"", &text)
}

fn row(text: &str, top: i32) -> String {
    let attributes = format!("text=\"{text}\" resource-id=\"android:id/text1\"");
    node("TextView", &attributes, [0, top, 900, top + 100], "")
}

#[tokio::test]
async fn c06_a_drop_down_works_where_a_dump_tells_one_window_only() {
    let list = node(
        "ListView",
        "",
        [0, 300, 900, 500],
        &format!("{}{}", row("Small", 300), row("Large", 400)),
    );
    let mut touches = 0;
    let chosen = spinner("Large");
    let fake = Fake::showing([&spinner("Small")]).on_input(move |_| {
        touches += 1;
        Some(if touches == 1 {
            list.clone()
        } else {
            chosen.clone()
        })
    });
    // One window that is the list's only: the drop-down is not in it.
    run(
        &fake,
        "semantic.select",
        json!({ "element_id": "size", "value": "large" }),
    )
    .await
    .unwrap();
    assert!(matches!(fake.inputs()[1], Input::Tap(point) if point.y == 450));
}

/// A list of twenty options, of which five are shown, initially in the middle; each drag moves it by three.
fn opened_in_the_middle() -> Arc<Fake> {
    let list = |first: i32| {
        let rows = (0..5).map(|place| row(&format!("Size {}", first + place), 300 + place * 100));
        let rows: String = rows.collect();
        let scrolls = "scrollable=\"true\"";
        node("ListView", scrolls, [0, 300, 900, 800], &rows)
    };
    let (mut first, mut is_open) = (8, false);
    Fake::showing([&spinner("Size 10")]).on_input(move |input| match input {
        Input::Tap(_) if !is_open => {
            is_open = true;
            Some(list(first))
        }
        Input::Tap(point) => Some(spinner(&format!("Size {}", first + (point.y - 300) / 100))),
        Input::Drag(gesture) => {
            let way = if gesture.to.y < gesture.from.y { 3 } else { -3 };
            first = (first + way).clamp(1, 16);
            Some(list(first))
        }
        _ => None,
    })
}

#[tokio::test]
async fn c06_an_option_above_those_that_a_list_opens_at_is_found() {
    let fake = opened_in_the_middle();
    let args = json!({ "element_id": "size", "value": "Size 2" });
    run(&fake, "semantic.select", args).await.unwrap();
    let drags = fake.inputs().into_iter();
    let drags = drags.filter(|input| matches!(input, Input::Drag(_)));
    // To the end: 11, 14, 16, and once more; back over all of that: 13, 10, 7, 4, 1.
    assert_eq!(drags.count(), 9);
}

#[tokio::test]
async fn c06_an_option_that_a_list_has_nowhere_is_told_with_all_it_has() {
    let fake = opened_in_the_middle();
    let args = json!({ "element_id": "size", "value": "Size 21" });
    let failure = run(&fake, "semantic.select", args).await.unwrap_err();
    for option in 1..=20 {
        let option = format!("Size {option}");
        assert!(failure.message.contains(&option), "{}", failure.message);
    }
}

#[tokio::test]
async fn c06_a_list_that_offers_nothing_is_closed() {
    let list = node("ListView", "", [0, 300, 900, 500], "");
    let spinner = named("Spinner", "size", "clickable=\"true\"", "");
    let fake = Fake::showing([&spinner]).on_input(move |_| Some(list.clone()));
    let limit = Duration::from_millis(100);
    let args = json!({ "element_id": "size", "value": "large" });
    run_within(limit, &fake, "semantic.select", args)
        .await
        .unwrap_err();
    let last = fake.inputs().pop();
    assert!(matches!(last, Some(Input::Key { key, .. }) if key.name() == "BACK"));
}

#[tokio::test]
async fn c06_a_picker_is_stepped_in_any_language() {
    let picker = |value: i32| {
        let button = |id: &str, words: &str, top: i32| {
            let attributes = format!(
                "resource-id=\"android:id/{id}\" content-desc=\"{words}\" clickable=\"true\""
            );
            node("ImageButton", &attributes, [0, top, 100, top + 50], "")
        };
        let words = node(
            "TextView",
            &format!("text=\"{value}\""),
            [0, 150, 100, 200],
            "",
        );
        let (up, down) = (
            button("increment", "Mehr", 100),
            button("decrement", "Weniger", 200),
        );
        named("NumberPicker", "hours", "", &format!("{up}{words}{down}"))
    };
    let mut value = 7;
    let fake = Fake::showing([&picker(7)]).on_input(move |input| {
        if let Input::Tap(point) = input {
            value += if point.y < 150 { 1 } else { -1 };
        }
        Some(picker(value))
    });
    let args = json!({ "element_id": "hours", "value": "5" });
    run(&fake, "semantic.select", args).await.unwrap();
    assert_eq!(fake.inputs().len(), 2);
}

/// Dump of a month as in the calendar of Android 15's framework.
#[tokio::test]
async fn c06_a_day_is_selected_in_a_month_that_was_turned_to() {
    let month = |chosen: u32| {
        let day = |day: u32| {
            let (is_chosen, left) = (day == chosen, day as i32 * 100);
            let attributes = format!(
                "text=\"{day}\" content-desc=\"{day:02} June 2026\" clickable=\"true\" \
                 checked=\"{is_chosen}\" selected=\"{is_chosen}\""
            );
            node("View", &attributes, [left, 150, left + 100, 250], "")
        };
        let days: String = (1..=9).map(day).collect();
        let attributes = "resource-id=\"android:id/month_view\" focusable=\"true\"";
        node("View", attributes, [0, 100, 1080, 300], &days)
    };
    let select = json!({ "element_id": "month_view", "value": "3" });
    let fake = Fake::showing([&month(0)]).on_input(move |_| Some(month(3)));
    run(&fake, "semantic.select", select.clone()).await.unwrap();
    let fake = Fake::showing([&month(0)]);
    let failure = run(&fake, "semantic.select", select).await.unwrap_err();
    assert_eq!(failure.message, "Element 'month_view' did not take '3'");
}

#[tokio::test]
async fn c06_a_picker_of_words_comes_round() {
    const MONTHS: [&str; 4] = ["May", "Jun", "Şub", "Apr"];
    let picker = |month: &str| {
        let attributes = "resource-id=\"android:id/increment\" clickable=\"true\"";
        let button = node("ImageButton", attributes, [0, 100, 100, 150], "");
        let attributes = format!("text=\"{month}\"");
        let words = node("TextView", &attributes, [0, 150, 100, 200], "");
        named("NumberPicker", "month", "", &format!("{button}{words}"))
    };
    let mut months = MONTHS.iter().cycle().skip(1);
    let fake =
        Fake::showing([&picker("May")]).on_input(move |_| months.next().map(|at| picker(at)));
    let args = json!({ "element_id": "month", "value": "şub" });
    run(&fake, "semantic.select", args).await.unwrap();
    assert_eq!(fake.inputs().len(), 2);
    let args = json!({ "element_id": "month", "value": "Dec" });
    let failure = run(&fake, "semantic.select", args).await.unwrap_err();
    assert!(
        failure.message.ends_with("it has: Şub, Apr, May, Jun"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn c03_a_field_that_does_not_take_the_focus_is_an_error() {
    let fake = Fake::showing([&named("EditText", "name", "clickable=\"true\"", "")]);
    let failure = run(&fake, "semantic.focus", json!({ "element_id": "name" }))
        .await
        .unwrap_err();
    assert_eq!(failure.message, "Element 'name' did not take the focus");
}

#[tokio::test]
async fn c08_another_device_renders_no_a2ui() {
    let fake = Fake::showing([""]).physical();
    let message = json!({ "message": { "deleteSurface": {} } });
    let failure = run(&fake, "semantic.send_a2ui", message).await.unwrap_err();
    assert_eq!(failure.message, "A2UI renderer not configured");
    assert_eq!(failure.kind, FailureKind::Unsupported);
    assert_eq!(fake.with(|state| state.scripts.len()), 0);
}

#[tokio::test]
async fn c08_a_message_arrives_as_one_word_and_a_long_one_as_a_file() {
    let fake = Fake::showing([""]).on_shell(|_| ShellOutput {
        stderr: b"no such surface\n".to_vec(),
        exit_code: Some(1),
        ..ShellOutput::default()
    });
    let send = |text: String| json!({ "message": { "a": text } });
    let failure = run(&fake, "semantic.send_a2ui", send("it's; $(id)".to_owned()))
        .await
        .unwrap_err();
    assert_eq!(failure.message, "A2UI message failed: no such surface");
    run(&fake, "semantic.send_a2ui", send("x".repeat(40_000)))
        .await
        .unwrap_err();
    fake.with(|state| {
        assert_eq!(
            state.scripts[0],
            r#"cmd runner a2ui '{"a":"it'\''s; $(id)"}'"#
        );
        assert!(
            state.scripts[1].contains("--file /data/local/tmp/"),
            "{}",
            state.scripts[1]
        );
        state.refuses_files = true;
    });
    run(&fake, "semantic.send_a2ui", send("x".repeat(40_000)))
        .await
        .unwrap_err();
    let last = fake.with(|state| state.scripts.pop()).unwrap();
    assert!(last.starts_with("rm -f /data/local/tmp/"), "{last}");
}
