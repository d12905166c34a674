//! Tests of the engine on a scripted device: waits, refusals, and the number of requests.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

mod obstacles;
mod scroll_by_id;
mod scroll_center;
mod scroll_containers;
mod taken_text;

use super::*;
use runner_device::fake::{Fake, answer_keyboard, node};
use runner_device::settings::Setting;
use runner_device::{Cost, Device, DeviceError, DumpFailure, Input, Picture, ShellOutput};
use runner_screen::{Point, Selector};

const LIMIT: Duration = Duration::from_secs(5);

fn selector(json: serde_json::Value) -> Selector {
    serde_json::from_value(json).unwrap()
}

fn session(fake: &Arc<Fake>) -> Session {
    Session::new(Arc::clone(fake) as Arc<dyn Device>)
}

fn button(text: &str, top: i32) -> String {
    node(
        "Button",
        &format!(r#"text="{text}" clickable="true""#),
        [0, top, 1080, top + 100],
        "",
    )
}

fn field(attributes: &str, text: &str) -> String {
    node(
        "EditText",
        &format!(
            r#"resource-id="com.example:id/name" text="{text}" clickable="true" focusable="true" {attributes}"#
        ),
        [0, 100, 1080, 200],
        "",
    )
}

#[tokio::test]
async fn a_click_costs_one_dump_and_one_input() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    session
        .click(&selector("Go".into()), Readiness::Enabled, LIMIT)
        .await
        .unwrap();
    assert_eq!(
        fake.counters().read(),
        Cost {
            round_trips: 2,
            dumps: 1,
            reused: 0,
        }
    );
    assert_eq!(fake.inputs(), [Input::Tap(Point { x: 540, y: 150 })]);
}

#[tokio::test]
async fn a_label_is_clicked_where_its_row_takes_the_touch() {
    let label = node("TextView", r#"text="Wi-Fi""#, [0, 100, 400, 200], "");
    let other = node(
        "Switch",
        r#"clickable="true" checkable="true""#,
        [900, 100, 1080, 200],
        "",
    );
    let row = node(
        "LinearLayout",
        r#"clickable="true""#,
        [0, 100, 1080, 200],
        &format!("{label}{other}"),
    );
    let fake = Fake::showing([&row]);
    let touched = session(&fake)
        .click(&selector("Wi-Fi".into()), Readiness::Enabled, LIMIT)
        .await
        .unwrap();
    assert_eq!(touched.point, Point { x: 200, y: 150 });
}

#[tokio::test]
async fn finding_waits_for_the_element() {
    let fake = Fake::showing(["", "", &button("Go", 100)]);
    session(&fake)
        .find(&selector("Go".into()), LIMIT)
        .await
        .unwrap();
    assert_eq!(fake.counters().read().dumps, 3);
}

#[tokio::test]
async fn what_never_comes_ends_with_near_misses() {
    let fake = Fake::showing([&button("Sign In", 100)]);
    let error = session(&fake)
        .find(&selector("Sign in".into()), LIMIT)
        .await
        .unwrap_err();
    let EngineError::NotFound(missing) = error else {
        panic!("{error}");
    };
    let misses = missing.misses;
    let is_it = |miss: &Miss| miss.name.selector == selector("Sign In".into());
    assert!(misses.iter().any(is_it), "{misses:?}");
}

#[tokio::test]
async fn what_never_comes_is_told_with_what_helps() {
    let missing = async |screen: &str, words: &str| {
        let fake = Fake::showing([screen]);
        let error = session(&fake)
            .find(&selector(words.into()), LIMIT)
            .await
            .unwrap_err();
        let EngineError::NotFound(missing) = error else {
            panic!("{error}");
        };
        *missing
    };
    let names = |choices: Option<Choices>| {
        let elements = choices.into_iter().flat_map(|choices| choices.elements);
        let names = elements.map(|choice| choice.name.selector.to_string());
        names.collect::<Vec<_>>()
    };
    let row = node(
        "LinearLayout",
        r#"clickable="true""#,
        [0, 500, 1080, 600],
        &node("TextView", r#"text="Groceries""#, [0, 500, 400, 600], ""),
    );
    let buttons = format!("{}{}{row}", button("Cancel", 100), button("Help", 300));
    let found = missing(&buttons, "Checkout").await;
    assert_eq!(found.misses, []);
    assert_eq!(names(found.choices), ["Cancel", "Help", "Groceries"]);

    // A long list is not searched to its end.
    let many: String = (0..400).map(|n| button(&format!("Row {n}"), n)).collect();
    let choices = missing(&many, "Checkout").await.choices.unwrap();
    assert_eq!((choices.elements.len(), choices.has_more), (12, true));
    let nameless: String = (0..400).map(|n| button("", n)).collect();
    let nameless = node("ListView", "", [0, 0, 1080, 2400], &nameless);
    let found = missing(&nameless, "Checkout").await;
    assert_eq!(names(found.choices), [""; 0], "there is nothing to read");

    let found = missing(&button("Buy now", 100), "Order now").await;
    let miss = &found.misses[0];
    assert!(miss.why.ends_with("text has \"now\" too"), "{miss:?}");
    assert_eq!(miss.name.selector, selector("Buy now".into()));
    assert_eq!((found.choices, found.scroller), (None, None));

    let found = missing(&list(0..10), "row 17").await;
    let scroller = Scroller {
        called: "ListView".to_owned(),
        direction: Direction::Down,
    };
    assert_eq!(found.scroller, Some(scroller));
}

#[tokio::test]
async fn a_zero_limit_still_looks_once() {
    let fake = Fake::showing([&button("Go", 100)]);
    session(&fake)
        .find(&selector("Go".into()), Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(fake.counters().read().dumps, 1);
}

#[tokio::test]
async fn several_are_an_error_once_the_screen_rests() {
    let two = format!("{}{}", button("Go", 100), button("Go", 300));
    let fake = Fake::showing([&two]);
    let error = session(&fake)
        .find(&selector("Go".into()), LIMIT)
        .await
        .unwrap_err();
    let EngineError::Several {
        count, candidates, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((count, candidates.elements.len()), (2, 2));
    assert_eq!(fake.counters().read().dumps, 2);
}

#[tokio::test]
async fn several_in_a_transition_are_waited_for() {
    let two = format!("{}{}", button("Go", 100), button("Go", 300));
    let fake = Fake::showing([&two, &button("Go", 100)]);
    session(&fake)
        .find(&selector("Go".into()), LIMIT)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_screen_in_motion_is_looked_at_again() {
    let fake = Fake::showing([&button("Go", 100)]);
    fake.with(|state| {
        state.looks.push_front(Err(DeviceError::NoDump {
            cause: "could not get idle state".to_owned(),
            kind: DumpFailure::NotIdle,
        }));
    });
    session(&fake)
        .find(&selector("Go".into()), LIMIT)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_lost_device_is_not_waited_for() {
    let fake = Fake::showing([]);
    fake.with(|state| {
        state.looks.push_front(Err(DeviceError::Lost {
            serial: "fake".to_owned(),
            cause: "gone".to_owned(),
        }));
    });
    let error = session(&fake)
        .find(&selector("Go".into()), LIMIT)
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        EngineError::Device(DeviceError::Lost { .. })
    ));
    assert_eq!(fake.counters().read().dumps, 1);
}

#[tokio::test]
async fn gone_waits_and_tells_what_is_left() {
    let fake = Fake::showing([&button("Go", 100), &button("Back", 300)]);
    let go = selector("Go".into());
    let _ = session(&fake)
        .wait_gone(&go, LIMIT, LookPolicy::New)
        .await
        .unwrap();
    let fake = Fake::showing([&button("Go", 100)]);
    let error = session(&fake)
        .wait_gone(&go, LIMIT, LookPolicy::New)
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::StillThere { candidates, .. } if candidates.elements.len() == 1)
    );
}

#[tokio::test]
async fn expectations_report_what_is_there() {
    let fake = Fake::showing([&field("", "2")]);
    let expected = session(&fake)
        .expect(
            &selector(serde_json::json!({ "id": "name", "text": "3" })),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(expected.wrong, [("text", "3".to_owned(), "2".to_owned())]);
}

#[tokio::test]
async fn ids_of_earlier_looks_are_found_again() {
    let fake = Fake::showing([&button("Go", 100), &button("Go", 700)]);
    let session = session(&fake);
    let (screen, index) = session.find(&selector("Go".into()), LIMIT).await.unwrap();
    let id = screen.node(index).id();
    let (now, index) = session.element(&id).await.unwrap();
    assert_eq!(now.node(index).bounds().top, 700);
    let unknown = session.element("node_0").await.unwrap_err();
    assert!(matches!(unknown, EngineError::UnknownId { .. }));
}

/// A device with one focused field. `takes` maps typed text to what arrives.
fn typewriter(takes: impl Fn(&str) -> String + Send + 'static) -> Arc<Fake> {
    let fake = Fake::showing([&field(r#"focused="true""#, "")]);
    let content = Mutex::new(String::new());
    fake.on_input(move |input| {
        let mut content = content.lock().unwrap();
        match input {
            Input::Text(text) => content.push_str(&takes(text)),
            Input::Key { key, .. } if key.name() == "DEL" => {
                content.pop();
            }
            _ => return None,
        }
        Some(field(r#"focused="true""#, &content))
    })
}

#[tokio::test]
async fn text_is_typed_and_read_back() {
    let fake = typewriter(str::to_owned);
    let typed = session(&fake)
        .type_text(
            Focus::Current(Readiness::Enabled),
            "hello",
            Typing::default(),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some("hello"));
    assert_eq!(fake.counters().read().dumps, 2);
}

#[tokio::test]
async fn a_second_word_goes_to_the_end() {
    let fake = typewriter(str::to_owned);
    let session = session(&fake);
    for word in ["one ", "two"] {
        session
            .type_text(
                Focus::Current(Readiness::Enabled),
                word,
                Typing::default(),
                LIMIT,
            )
            .await
            .unwrap();
    }
    let typed = session
        .type_text(
            Focus::Current(Readiness::Enabled),
            "three",
            Typing {
                clear: true,
                ..Typing::default()
            },
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(
        (typed.before.as_str(), typed.content.as_deref()),
        ("one two", Some("three"))
    );
}

#[tokio::test]
async fn text_that_is_cut_is_repaired_or_refused() {
    let dropped = std::sync::atomic::AtomicBool::new(false);
    let fake = typewriter(move |text| {
        if dropped.swap(true, std::sync::atomic::Ordering::Relaxed) {
            text.to_owned()
        } else {
            text[..2].to_owned()
        }
    });
    let typed = session(&fake)
        .type_text(
            Focus::Current(Readiness::Enabled),
            "hello",
            Typing::default(),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some("hello"));

    let fake = typewriter(|text| text.chars().take(3).collect());
    let error = session(&fake)
        .type_text(
            Focus::Current(Readiness::Enabled),
            "hello",
            Typing::default(),
            LIMIT,
        )
        .await
        .unwrap_err();
    let EngineError::NotTyped {
        expected, actual, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(
        (expected.as_deref(), actual.as_deref()),
        (Some("hello"), Some("hel"))
    );
}

#[tokio::test]
async fn a_secret_is_in_no_error() {
    let fake = typewriter(|_| String::new());
    let secret = Typing {
        secret: true,
        ..Typing::default()
    };
    let error = session(&fake)
        .type_text(Focus::Current(Readiness::Enabled), "hunter2", secret, LIMIT)
        .await
        .unwrap_err();
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn nothing_is_typed_without_focus() {
    let fake = Fake::showing([&button("Go", 100)]);
    let error = session(&fake)
        .type_text(
            Focus::Current(Readiness::Enabled),
            "hello",
            Typing::default(),
            LIMIT,
        )
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::NoFocus));
    assert!(fake.inputs().is_empty());
}

#[tokio::test]
async fn erasing_deletes_what_is_there() {
    let fake = typewriter(str::to_owned);
    let session = session(&fake);
    session
        .type_text(
            Focus::Current(Readiness::Enabled),
            "hello",
            Typing::default(),
            LIMIT,
        )
        .await
        .unwrap();
    let typed = session
        .erase(Focus::Current(Readiness::Enabled), Some(2), LIMIT)
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some("hel"));
    let typed = session
        .erase(Focus::Current(Readiness::Enabled), None, LIMIT)
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some(""));
}

/// A device with a field whose hint is `Search`, which the dump has as text while the field is empty. It takes
/// nothing unless `hears`.
fn hinted_field(content: &str, focused: bool, hears: bool) -> Arc<Fake> {
    let displayed = |content: &str, focused: bool| {
        let text = if content.is_empty() {
            "Search"
        } else {
            content
        };
        field(&format!(r#"focused="{focused}" hint="Search""#), text)
    };
    let fake = Fake::showing([&displayed(content, focused)]);
    let state = Mutex::new((content.to_owned(), focused));
    fake.on_input(move |input| {
        let mut state = state.lock().unwrap();
        match input {
            _ if !hears => return None,
            Input::Tap(_) => state.1 = true,
            Input::Text(text) => state.0.push_str(text),
            Input::Key { key, .. } if key.name() == "DEL" => {
                state.0.pop();
            }
            _ => return None,
        }
        Some(displayed(&state.0, state.1))
    })
}

#[tokio::test]
async fn a_text_equal_to_the_hint_must_be_seen_to_arrive() {
    for clear in [false, true] {
        let typing = Typing {
            clear,
            ..Typing::default()
        };
        let focus = || Focus::Current(Readiness::Enabled);
        let fake = hinted_field("", true, true);
        let typed = session(&fake)
            .type_text(focus(), "Search", typing, LIMIT)
            .await;
        assert_eq!(typed.unwrap().content.as_deref(), Some("Search"));

        let fake = hinted_field("", true, false);
        let refused = session(&fake)
            .type_text(focus(), "Search", typing, LIMIT)
            .await;
        assert!(matches!(refused, Err(EngineError::NotTyped { .. })));
    }
}

#[tokio::test]
async fn erasing_a_field_that_shows_its_hint_sends_the_keys() {
    let selector = Selector::from_words("Search");
    let on = || Focus::On(&selector, Readiness::Enabled);
    // Whether "Search" is the hint or was typed, the dump does not tell.
    for content in ["", "Search"] {
        let fake = hinted_field(content, false, true);
        let erased = session(&fake).erase(on(), None, LIMIT).await.unwrap();
        assert_eq!(erased.content.as_deref(), Some(""));
        assert!(!erased.is_confirmed && !fake.inputs().is_empty());

        let fake = hinted_field(content, false, false);
        let refused = session(&fake).erase(on(), None, LIMIT).await;
        assert!(matches!(refused, Err(EngineError::NotTyped { .. })));
    }
}

/// A device whose Android release does not mark hints: the empty field's text is `Search`. (R2)
fn old_field() -> Arc<Fake> {
    let displayed = |content: &str| {
        field(
            r#"focused="true""#,
            if content.is_empty() {
                "Search"
            } else {
                content
            },
        )
    };
    let fake = Fake::showing([&displayed("")]);
    let content = Mutex::new(String::new());
    fake.on_input(move |input| {
        let mut content = content.lock().unwrap();
        match input {
            Input::Text(text) => content.push_str(text),
            Input::Key { key, .. } if key.name() == "DEL" => {
                content.pop();
            }
            _ => return None,
        }
        Some(displayed(&content))
    })
}

#[tokio::test]
async fn r2_a_hint_that_an_old_release_shows_as_text_is_no_text() {
    let fake = old_field();
    let session = session(&fake);
    for (word, content) in [("ab", "ab"), ("c", "abc")] {
        let typed = session
            .type_text(
                Focus::Current(Readiness::Enabled),
                word,
                Typing::default(),
                LIMIT,
            )
            .await
            .unwrap();
        assert_eq!(typed.content.as_deref(), Some(content));
    }
    let typed = session
        .erase(Focus::Current(Readiness::Enabled), None, LIMIT)
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some(""));
}

#[tokio::test]
async fn r2_dots_that_are_read_back_are_no_failure() {
    for display in ["•••••••", "••••••2", "*******"] {
        let read_back = display.to_owned();
        let fake = typewriter(move |_| read_back.clone());
        let typed = session(&fake)
            .type_text(
                Focus::Current(Readiness::Enabled),
                "hunter2",
                Typing::default(),
                LIMIT,
            )
            .await
            .unwrap();
        assert_eq!(typed.content, None);
        assert_eq!(typed.hidden("hunter2"), Some("hunter2"));
        assert_eq!(fake.inputs().len(), 1, "it is not typed again");
    }
}

/// A device with a password field. It shows a dot for each character that it `takes`.
fn password(takes: impl Fn(&str) -> usize + Send + 'static) -> Arc<Fake> {
    let displayed = |dots: usize| {
        field(
            r#"password="true" focused="true" hint="PIN""#,
            &"•".repeat(dots),
        )
    };
    let mut dots = 2;
    Fake::showing([&displayed(dots)]).on_input(move |input| {
        match input {
            Input::Text(text) => dots += takes(text),
            Input::Key { key, .. } if key.name() == "DEL" => dots = dots.saturating_sub(1),
            _ => return None,
        }
        Some(displayed(dots))
    })
}

#[tokio::test]
async fn a_password_field_that_shows_too_few_dots_did_not_take_the_text() {
    let clear = Typing {
        clear: true,
        ..Typing::default()
    };
    for (typing, takes, is_taken) in [
        (Typing::default(), 7, true),
        (Typing::default(), 0, false),
        (Typing::default(), 3, false),
        (clear, 7, true),
        (clear, 0, false),
        (clear, 3, false),
    ] {
        let fake = password(move |text| text.len().min(takes));
        let focus = Focus::Current(Readiness::Enabled);
        let typed = session(&fake)
            .type_text(focus, "hunter2", typing, LIMIT)
            .await;
        match typed {
            Ok(typed) => assert!(is_taken && typed.is_confirmed && typed.is_password),
            Err(error) => {
                assert!(!is_taken, "{error}");
                assert!(
                    matches!(error, EngineError::NotTyped { actual: None, .. }),
                    "{error}"
                );
            }
        }
    }
}

#[tokio::test]
async fn j10_a_text_that_is_shown_late_is_not_sent_again() {
    let empty = field(r#"focused="true""#, "");
    let typed = field(r#"focused="true""#, "anna");
    let fake = Fake::showing([&empty, &empty, &typed]);
    let focus = Focus::Current(Readiness::Enabled);
    let typed = session(&fake)
        .type_text(focus, "anna", Typing::default(), LIMIT)
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some("anna"));
    assert_eq!(fake.inputs(), [Input::Text("anna".to_owned())]);
}

#[tokio::test]
async fn j10_what_may_have_arrived_is_erased_before_a_text_is_sent_again() {
    let fake = typewriter(|text| text[..2].to_owned());
    let focus = Focus::Current(Readiness::Enabled);
    let typing = Typing::default();
    session(&fake)
        .type_text(focus, "anna", typing, LIMIT)
        .await
        .unwrap_err();
    let deletions = fake
        .inputs()
        .iter()
        .filter(|input| is_key(input, "DEL"))
        .count();
    assert_eq!(deletions, 4);
    assert_eq!(fake.inputs().last(), Some(&Input::Text("anna".to_owned())));
}

fn is_key(input: &Input, name: &str) -> bool {
    matches!(input, Input::Key { key, .. } if key.name() == name)
}

/// A device with a field of several lines.
fn paragraph(sdk: u32) -> Arc<Fake> {
    let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
    let paragraph = node(
        "EditText",
        &format!(r#"text="{text}" focused="true""#),
        [0, 100, 1080, 500],
        "",
    );
    Fake::showing([&paragraph]).with_release(sdk)
}

#[tokio::test]
async fn j1_a_caret_that_cannot_be_placed_is_refused_before_anything_is_typed() {
    for sdk in [28, 32] {
        let fake = paragraph(sdk);
        let session = session(&fake);
        let focus = || Focus::Current(Readiness::Enabled);
        let typing = Typing::default();
        let error = session
            .type_text(focus(), "x", typing, LIMIT)
            .await
            .unwrap_err();
        assert!(matches!(error, EngineError::NoCaret { .. }), "{error}");
        let error = session
            .insert_text(focus(), 3, "x", typing, LIMIT)
            .await
            .unwrap_err();
        assert!(matches!(error, EngineError::NoCaret { .. }), "{error}");
        let error = session.erase(focus(), Some(3), LIMIT).await.unwrap_err();
        assert!(matches!(error, EngineError::NoCaret { .. }), "{error}");
        assert!(fake.inputs().is_empty());
    }
}

#[tokio::test]
async fn j1_a_text_of_several_lines_is_emptied_on_every_release() {
    for (sdk, forward) in [(28, true), (34, false)] {
        let fake = paragraph(sdk);
        let focus = Focus::Current(Readiness::Enabled);
        let _ = session(&fake).erase(focus, None, LIMIT).await;
        let first = fake.with(|state| state.inputs[0].clone());
        let sends = |name| first.iter().filter(|input| is_key(input, name)).count();
        assert_eq!(sends("DEL"), 80);
        assert_eq!(sends("FORWARD_DEL"), if forward { 80 } else { 0 });
        assert_eq!(
            first.iter().any(|it| matches!(it, Input::Combination(_))),
            !forward
        );
    }
}

fn list(rows: std::ops::Range<i32>) -> String {
    let rows: String = rows
        .clone()
        .map(|row| {
            let top = 200 + (row - rows.start) * 100;
            node(
                "TextView",
                &format!(r#"text="row {row}" resource-id="com.example:id/row_{row}""#),
                [0, top, 1080, top + 100],
                "",
            )
        })
        .collect();
    node(
        "ListView",
        r#"scrollable="true""#,
        [0, 200, 1080, 1200],
        &rows,
    )
}

/// A device with a list of twenty rows, ten of them visible. Each drag moves it by five.
fn scrolling_list() -> Arc<Fake> {
    let first = Mutex::new(0);
    Fake::showing([&list(0..10)]).on_input(move |input| {
        let Input::Drag(gesture) = input else {
            return None;
        };
        let mut first = first.lock().unwrap();
        let way = if gesture.to.y < gesture.from.y { 5 } else { -5 };
        *first = (*first + way).clamp(0, 10);
        Some(list(*first..*first + 10))
    })
}

fn down() -> ScrollOptions<'static> {
    ScrollOptions {
        within: None,
        direction: Direction::Down,
        max: 10,
        visible: 0.0,
        center: false,
    }
}

#[tokio::test]
async fn scrolling_ends_at_the_element() {
    let fake = scrolling_list();
    let reached = session(&fake)
        .scroll_to(&selector("row 17".into()), down())
        .await
        .unwrap();
    assert_eq!(reached.scrolls, 2);
}

#[tokio::test]
async fn scrolling_ends_where_nothing_moves() {
    let fake = scrolling_list();
    let error = session(&fake)
        .scroll_to(&selector("row 99".into()), down())
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        EngineError::NotScrolledTo {
            scrolls: 3,
            ended: true,
            ..
        }
    ));
}

/// Rows of which the last is cut at the lower edge, as devices tell it.
#[tokio::test]
async fn a_requested_part_is_sought_at_both_edges_and_its_lack_is_an_error() {
    let options = ScrollOptions {
        direction: Direction::Up,
        visible: 100.0,
        ..down()
    };
    let row = |bounds| node("TextView", r#"text="row""#, bounds, "");
    let place = [0, 200, 1080, 1200];
    let list = |rows: &str| node("ListView", r#"scrollable="true""#, place, rows);
    let fake = Fake::showing([
        &list(&row([0, 1170, 1080, 1200])),
        &list(&row([0, 900, 1080, 1020])),
    ]);
    let reached = session(&fake)
        .scroll_to(&selector("row".into()), options)
        .await
        .unwrap();
    assert_eq!(reached.scrolls, 1);
    // In a list that is not scrolled.
    let other = node(
        "ListView",
        r#"scrollable="true" resource-id="com.example:id/other""#,
        [0, 1300, 1080, 1600],
        "",
    );
    let fake = Fake::showing([&format!("{}{other}", list(&row([0, 1170, 1080, 1200])))]);
    let within = selector(serde_json::json!({ "id": "other" }));
    let options = ScrollOptions {
        within: Some(&within),
        ..options
    };
    let error = session(&fake)
        .scroll_to(&selector("row".into()), options)
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::NotShown { .. }), "{error}");
}

#[tokio::test]
async fn scrolling_ends_at_the_limit() {
    let fake = scrolling_list();
    let options = ScrollOptions { max: 1, ..down() };
    let error = session(&fake)
        .scroll_to(&selector("row 17".into()), options)
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        EngineError::NotScrolledTo {
            scrolls: 1,
            ended: false,
            ..
        }
    ));
}

#[tokio::test]
async fn an_id_is_scrolled_back_to_over_the_own_scrolls() {
    let fake = scrolling_list();
    let session = session(&fake);
    let (screen, index) = session
        .find(&selector("row 1".into()), LIMIT)
        .await
        .unwrap();
    let id = screen.node(index).id();
    session
        .scroll_to(&selector("row 19".into()), down())
        .await
        .unwrap();
    let reached = session.scroll_to_id(&id).await.unwrap();
    assert_eq!(reached.scrolls, 2);
}

#[tokio::test]
async fn idle_is_two_like_looks() {
    let fake = Fake::showing(["", &button("a", 0), &button("b", 0), &button("b", 0)]);
    let idle = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap();
    assert_eq!(idle.similarity, 100);
    assert_eq!(fake.counters().read().dumps, 4);
}

/// A look of this device takes 0.5 s.
#[tokio::test]
async fn a_look_as_long_as_the_limit_is_compared_with_one_more() {
    let limit = Duration::from_millis(100);
    let fake = Fake::showing([&button("a", 0)]);
    session(&fake).wait_for_idle(limit, 100).await.unwrap();
    assert_eq!(fake.counters().read().dumps, 2);

    let fake = Fake::showing([&button("a", 0), &button("b", 0), &button("b", 0)]);
    let error = session(&fake).wait_for_idle(limit, 100).await.unwrap_err();
    assert!(matches!(error, EngineError::NotIdle { .. }), "{error}");
    assert_eq!(fake.counters().read().dumps, 2);
}

#[tokio::test]
async fn a_screen_that_never_rests_is_not_idle() {
    let fake = Fake::showing([]);
    fake.with(|state| {
        state
            .looks
            .extend((0..100).map(|n| Ok(button(&n.to_string(), n))));
    });
    let error = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap_err();
    assert!(matches!(error, EngineError::NotIdle { .. }));
}

#[tokio::test]
async fn a_capture_is_accepted_at_once_or_when_two_are_equal() {
    let options = CaptureOptions {
        limit: LIMIT,
        picture: true,
    };
    let fake = Fake::showing([&button("a", 0)]);
    let golden = session(&fake)
        .capture_stable(options, |_| true, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(golden, StableCapture::Accepted(_)));
    assert_eq!(fake.counters().read().dumps, 1);

    let fake = Fake::showing([&button("a", 0), &button("b", 0)]);
    let stable = session(&fake)
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(stable, StableCapture::Stable(_)));
    assert_eq!(fake.counters().read().dumps, 3);

    let fake = Fake::showing([]);
    fake.with(|state| {
        state
            .looks
            .extend((0..100).map(|n| Ok(button(&n.to_string(), n))));
    });
    let unstable = session(&fake)
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(unstable, StableCapture::Unstable { .. }));
}

#[tokio::test]
async fn password_fields_are_painted_over() {
    let secret = node(
        "EditText",
        r#"password="true" text="x""#,
        [10, 10, 20, 20],
        "",
    );
    let fake = Fake::showing([&secret]);
    let options = CaptureOptions {
        limit: LIMIT,
        picture: true,
    };
    let capture = session(&fake).capture(options).await.unwrap();
    let picture = capture.storable_picture().unwrap().unwrap();
    let pixels = picture.pixels().unwrap();
    assert_eq!(pixels.get_pixel(15, 15).0, [0, 0, 0, 255]);
    assert_eq!(pixels.get_pixel(25, 25).0, [255, 255, 255, 255]);
}

#[tokio::test]
async fn a_picture_that_is_black_where_texts_are_is_known() {
    let text = node("TextView", r#"text="Balance""#, [10, 10, 20, 20], "");
    let picture = |lit: Option<(u32, u32)>| {
        let mut pixels = image::RgbaImage::from_pixel(40, 40, image::Rgba([0, 0, 0, 255]));
        if let Some((x, y)) = lit {
            pixels.put_pixel(x, y, image::Rgba([9, 9, 9, 255]));
        }
        Picture::from_pixels(pixels).unwrap().png().to_vec()
    };
    for (displayed, lit, is_black) in [
        (text.as_str(), None, true),
        // The clock of the status bar is drawn all the same.
        (&text, Some((30, 2)), true),
        (&text, Some((15, 15)), false),
        ("<node bounds=\"[0,0][40,40]\" />", None, false),
    ] {
        let fake = Fake::showing([displayed]);
        fake.with(|state| state.screenshot = Some(picture(lit)));
        let options = CaptureOptions {
            limit: LIMIT,
            picture: true,
        };
        let capture = session(&fake).capture(options).await.unwrap();
        assert_eq!(capture.is_blacked_out().unwrap(), is_black, "{lit:?}");
    }
}

/// A keyboard that an app has asked for is waited for: BACK before it comes would leave the screen.
#[tokio::test]
async fn a_keyboard_that_comes_late_is_hidden_without_a_look() {
    let requested = "mShowRequested=true mInputShown=false";
    let shown = "mShowRequested=true mInputShown=true";
    let hidden = "mShowRequested=false mInputShown=false";
    for (states, expected) in [
        (vec![requested, requested, shown, shown, hidden], true),
        (vec![hidden], false),
        (vec![requested; 40], false),
    ] {
        let fake = Fake::showing([&button("Go", 100)]);
        let mut left = states.into_iter();
        fake.on_shell(move |script| {
            let is_asked = script.contains("mInputShown");
            let state = if is_asked { left.next() } else { None };
            ShellOutput {
                exit_code: Some(0),
                stdout: answer_keyboard(script, state.unwrap_or_default()).into(),
                ..ShellOutput::default()
            }
        });
        let session = session(&fake);
        assert_eq!(session.hide_keyboard(LIMIT).await.unwrap(), expected);
        assert_eq!(fake.inputs().len(), usize::from(expected));
        assert_eq!(fake.counters().read().dumps, 0);
    }
}

/// A touch uses the last look only if nothing moved on it, as the element may be elsewhere by now.
#[tokio::test]
async fn a_touch_goes_by_a_look_at_rest() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let go = selector("Go".into());
    let dumps = || fake.counters().read().dumps;
    session.look().await.unwrap();
    let click = || session.click(&go, Readiness::Enabled, LIMIT);
    click().await.unwrap();
    assert_eq!(dumps(), 2, "a look of this driver may be amid a movement");
    let settled = session.settle(None, None).await.unwrap();
    assert_eq!(dumps(), 4);
    session.settle(Some(settled), None).await.unwrap();
    assert_eq!(dumps(), 4);
    session.find(&go, LIMIT).await.unwrap();
    click().await.unwrap();
    assert_eq!(dumps(), 4);
    click().await.unwrap();
    assert_eq!(dumps(), 5, "the click may have changed the screen");
    session.settle(None, None).await.unwrap();
    session.pause(Duration::ZERO).await.unwrap();
    click().await.unwrap();
    assert_eq!(dumps(), 8, "who pauses waits for a change");
}

/// The last look is reused if nothing happened since and it shows what is waited for.
#[tokio::test]
async fn a_fresh_look_is_used_again_where_it_satisfies() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let (go, stop) = (selector("Go".into()), selector("Stop".into()));
    let dumps = || fake.counters().read().dumps;
    session.look().await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    let _ = session
        .wait_gone(&stop, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    session.expect(&go, LIMIT).await.unwrap();
    assert!(session.is_visible(&go, true, Duration::ZERO).await.unwrap());
    assert_eq!((dumps(), fake.counters().read().reused), (1, 4));
    assert!(
        !session
            .is_visible(&stop, true, Duration::ZERO)
            .await
            .unwrap()
    );
    assert_eq!(dumps(), 2, "what does not satisfy is taken anew");
    session.find_any(&go, LIMIT, LookPolicy::New).await.unwrap();
    assert_eq!(dumps(), 3);
    let nothing = runner_device::Script::command(["true"]);
    let reading = session.device().shell(&nothing, LIMIT);
    session.reading(reading).await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 3);
    session.device().shell(&nothing, LIMIT).await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 4, "anything may have changed the screen");
    session.forget_look();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 5);
}

fn hung_look() -> DeviceError {
    DeviceError::Timeout {
        what: "`uiautomator dump`".to_owned(),
        limit: LIMIT,
    }
}

fn no_dump(kind: DumpFailure) -> DeviceError {
    DeviceError::NoDump {
        cause: "no dump".to_owned(),
        kind,
    }
}

/// A device all of whose looks fail.
fn failing(error: impl Fn() -> DeviceError) -> Arc<Fake> {
    let fake = Fake::showing([]);
    fake.with(|state| state.looks.extend((0..100).map(|_| Err(error()))));
    fake
}

/// A phone says after eleven seconds that the screen never stands still: a look that had less is not the device's fault.
#[tokio::test]
async fn a_first_look_that_is_cut_short_is_no_fault_of_the_device() {
    for (step, is_fault) in [(10, false), (12, true)] {
        let fake = failing(hung_look);
        let session = session(&fake);
        session.begin_step(Duration::from_secs(step));
        let error = session.look().await.unwrap_err();
        assert_eq!(
            matches!(error, EngineError::Device(DeviceError::Timeout { .. })),
            is_fault,
            "{step}: {error}"
        );
        assert_eq!(matches!(error, EngineError::NotRead { .. }), !is_fault);
        assert!(session.is_slow());
    }
}

/// The evidence of a failure is not shortened because the wait before it ended during a look.
#[tokio::test]
async fn a_look_that_had_less_than_others_need_does_not_make_the_device_slow() {
    let fake = Fake::showing([&button("Go", 100)]).physical();
    fake.with(|state| state.looks.extend((0..100).map(|_| Err(hung_look()))));
    let session = session(&fake);
    session.begin_step(Duration::ZERO);
    let waited = session.wait_until(Duration::from_millis(300), |_| None::<()>);
    let last = waited.await.unwrap().screen;
    assert!(last.is_some());
    assert!(fake.counters().read().dumps > 1);
    assert!(!session.is_slow());
}

/// A wait in which no look succeeds returns the device's error.
#[tokio::test]
async fn waiting_for_rest_tells_a_fault_of_the_device() {
    for kind in [DumpFailure::NullRoot, DumpFailure::Other] {
        let fake = failing(|| no_dump(kind));
        let error = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap_err();
        assert!(
            matches!(error, EngineError::Device(DeviceError::NoDump { kind: found, .. }) if found == kind),
            "{error}"
        );
    }
    let restless = failing(|| no_dump(DumpFailure::NotIdle));
    let error = session(&restless).wait_for_idle(LIMIT, 100).await;
    assert!(matches!(error, Err(EngineError::NotIdle { .. })));
    let seen_once = failing(|| no_dump(DumpFailure::NullRoot));
    seen_once.with(|state| state.looks.push_front(Ok(button("Go", 100))));
    let error = session(&seen_once).wait_for_idle(LIMIT, 100).await;
    assert!(matches!(error, Err(EngineError::NotIdle { .. })));
}

#[tokio::test]
async fn the_second_look_of_a_snapshot_has_the_time_of_a_first() {
    let fake = Fake::showing([&button("a", 0), &button("b", 0)]);
    let session = session(&fake);
    session.begin_step(Duration::ZERO);
    let options = CaptureOptions {
        limit: Duration::ZERO,
        picture: false,
    };
    let unstable = session
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(unstable, StableCapture::Unstable { .. }));
    let limits = fake.with(|state| state.look_limits.clone());
    assert_eq!(limits, [MIN_REQUEST_LIMIT, MIN_REQUEST_LIMIT]);
}

/// Each look has the step's limit, however many rounds came before.
#[tokio::test]
async fn each_round_of_scrolling_has_the_steps_limit() {
    let fake = scrolling_list();
    let session = session(&fake);
    // A little more than the least, so that what is left of one limit would show.
    session.begin_step(Duration::from_millis(2200));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let row = selector("row 17".into());
    let reached = session.scroll_to(&row, down()).await.unwrap();
    assert_eq!(reached.scrolls, 2);
    let limits = fake.with(|state| state.look_limits.clone());
    assert!(
        limits.iter().all(|limit| *limit > MIN_REQUEST_LIMIT),
        "{limits:?}"
    );
}

/// A keyboard that takes text by broadcast is an input like others.
#[tokio::test]
async fn text_without_keys_keeps_the_steps_limit_and_is_watched() {
    const KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";
    let fake = Fake::showing([&field(r#"focused="true""#, "")]).on_shell(|_| ShellOutput {
        stdout: KEYBOARD.into(),
        exit_code: Some(0),
        ..ShellOutput::default()
    });
    fake.with(|state| state.hangs_at = Some("am broadcast"));
    let session = session(&fake);
    session.begin_step(Duration::from_secs(1));
    let typing = session.type_text(
        Focus::Current(Readiness::Enabled),
        "é",
        Typing::default(),
        LIMIT,
    );
    let cut = tokio::time::timeout(Duration::from_millis(200), typing).await;
    assert!(cut.is_err());
    assert_eq!(
        session.cut_off().map(|cut| cut.request),
        Some(DeviceRequest::Input)
    );
    let limits = fake.with(|state| state.script_limits.clone());
    assert_eq!(limits, [MIN_REQUEST_LIMIT, MIN_REQUEST_LIMIT]);
}

/// Script that restores the font scale of [`with_settings`] and reads it back.
const PUT_BACK: &str = "settings put system font_scale 1.15 && settings get system font_scale";

/// A device with its own font scale and night mode.
fn with_settings() -> Arc<Fake> {
    let (mut scale, mut night) = ("1.15".to_owned(), "no".to_owned());
    let word_after = |script: &str, command: &str| -> Option<String> {
        let rest = script.split_once(command)?.1.trim_start();
        let word = rest.split_whitespace().next()?.trim_matches('\'');
        (!word.starts_with('&')).then(|| word.to_owned())
    };
    Fake::showing([""]).on_shell(move |script| {
        if let Some(value) = word_after(script, "settings put system font_scale") {
            scale = value;
        }
        if let Some(value) = word_after(script, "cmd uimode night") {
            night = value;
        }
        let mut messages = Vec::new();
        if script.contains("settings get system font_scale") {
            messages.push(format!("{scale}\n"));
        }
        if script.ends_with("cmd uimode night") {
            messages.push(format!("Night mode: {night}\n"));
        }
        ShellOutput {
            stdout: messages.concat().into(),
            exit_code: Some(0),
            ..ShellOutput::default()
        }
    })
}

#[tokio::test]
async fn a_change_whose_answer_never_came_is_put_back() {
    let fake = with_settings();
    fake.with(|state| state.hangs_at = Some("settings put"));
    let session = session(&fake);
    let wanted = [Setting::FontScale(200)];
    let cut = tokio::time::timeout(Duration::from_millis(50), session.change(&wanted)).await;
    assert!(cut.is_err());
    fake.with(|state| state.hangs_at = None);
    session.restore().await.unwrap();
    let scripts = fake.with(|state| state.scripts.clone());
    let last = scripts.last().map(String::as_str);
    assert_eq!(last, Some(PUT_BACK));
}

/// Its script has two commands, of which the device refuses the second.
#[tokio::test]
async fn what_is_half_changed_is_put_back() {
    let fake = Fake::showing([""]).on_shell(|script| {
        let is_refused = script.contains("location_mode 0");
        let message = if script.contains("settings get secure location_mode") {
            "3\n"
        } else {
            ""
        };
        ShellOutput {
            stdout: message.into(),
            exit_code: Some(i32::from(is_refused)),
            ..ShellOutput::default()
        }
    });
    let session = session(&fake);
    let refused = session.change(&[Setting::Location(false)]).await;
    assert!(refused.is_err());
    let scripts = fake.with(|state| state.scripts.clone());
    let last = scripts.last().cloned().unwrap_or_default();
    assert!(last.contains("set-location-enabled true"), "{scripts:?}");
}

#[tokio::test]
async fn what_a_restore_did_not_reach_is_put_back_by_the_next() {
    let fake = with_settings();
    let session = session(&fake);
    let wanted = [Setting::FontScale(200), Setting::dark(true)];
    session.change(&wanted).await.unwrap();
    fake.with(|state| state.hangs_at = Some("settings put system font_scale"));
    let cut = tokio::time::timeout(Duration::from_millis(50), session.restore()).await;
    assert!(cut.is_err());
    fake.with(|state| {
        state.hangs_at = None;
        state.scripts.clear();
    });
    session.restore().await.unwrap();
    let scripts = fake.with(|state| std::mem::take(&mut state.scripts));
    assert_eq!(scripts, [PUT_BACK]);
    session.restore().await.unwrap();
    assert!(fake.with(|state| state.scripts.is_empty()));
}

/// A password field with some text, whose length the dump shows or not, and one that shows its hint.
#[tokio::test]
async fn text_goes_to_the_end_of_a_password() {
    for (text, attributes, goes_to_end) in [
        ("••••", "", true),
        ("", "", true),
        ("PIN", r#"hint="PIN""#, false),
    ] {
        let attributes = format!(r#"password="true" focused="true" {attributes}"#);
        let fake = Fake::showing([&field(&attributes, text)]);
        let longer = if text == "PIN" {
            "•".to_owned()
        } else {
            format!("{text}•")
        };
        fake.on_input(move |input| {
            matches!(input, Input::Text(_)).then(|| field(&attributes, &longer))
        });
        let session = session(&fake);
        let typing = Typing::default();
        let typed = session.type_text(Focus::Current(Readiness::Enabled), "x", typing, LIMIT);
        typed.await.unwrap();
        let end = Input::Key {
            key: runner_device::Key::named("MOVE_END"),
            long: false,
        };
        assert_eq!(fake.inputs().contains(&end), goes_to_end, "{text}");
    }
}

#[tokio::test]
async fn a_look_during_which_something_was_done_is_not_used_again() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let before = session.changing_round_trips();
    let screen = session.look().await.unwrap();
    assert!(session.fresh_look().is_some());
    let tap = Input::Tap(Point { x: 1, y: 1 });
    session.input(&[tap]).await.unwrap();
    // The look began before the input, and ends after it.
    session.note_look(&screen, before);
    assert!(session.fresh_look().is_none());
}

#[tokio::test]
async fn passwords_of_the_last_look_are_known_where_the_screen_cannot_be_read() {
    let fake = Fake::showing([&field(r#"password="true""#, "")]);
    fake.with(|state| state.looks.push_back(Err(no_dump(DumpFailure::NotIdle))));
    let session = session(&fake);
    let observed = session.look().await.unwrap();
    let (_, screen) = session.picture_and_screen().await.unwrap();
    assert!(screen.is_some_and(|screen| Arc::ptr_eq(&screen, &observed)));
}

/// A screenshot for a tool needs no look, unless a password may be visible.
#[tokio::test]
async fn a_picture_needs_a_look_only_where_a_password_may_be_shown() {
    let secret = field(r#"password="true""#, "");
    let open = field("", "Ada");
    let key = |name: &str| Input::Key {
        key: name.parse().unwrap(),
        long: false,
    };
    for (displayed, inputs, looks) in [
        (&open, vec![], 0),
        (&open, vec![Input::Tap(Point { x: 1, y: 1 })], 0),
        (&open, vec![key("BACK")], 0),
        (&open, vec![key("A")], 1),
        (&open, vec![Input::Text("x".to_owned())], 1),
        (&secret, vec![], 1),
    ] {
        let fake = Fake::showing([displayed.as_str()]);
        let session = session(&fake);
        session.look().await.unwrap();
        session.input(&inputs).await.unwrap();
        let before = fake.counters().read().dumps;
        session.picture_and_screen().await.unwrap();
        assert_eq!(fake.counters().read().dumps - before, looks, "{inputs:?}");
        session.look().await.unwrap();
    }
    // Of a screen that nobody has looked at nothing is known.
    let fake = Fake::showing([open.as_str()]);
    let session = session(&fake);
    for _ in 0..3 {
        session.picture_and_screen().await.unwrap();
        assert_eq!(fake.counters().read().dumps, 1);
    }
}

fn off(text: &str) -> String {
    node(
        "Button",
        &format!(r#"text="{text}" clickable="true" enabled="false""#),
        [0, 100, 1080, 200],
        "",
    )
}

#[tokio::test]
async fn v8_a_click_waits_until_its_element_is_enabled() {
    let fake = Fake::showing([&off("Go"), &off("Go"), &button("Go", 100)]);
    let go = selector("Go".into());
    let touched = session(&fake).click(&go, Readiness::Enabled, LIMIT).await;
    touched.unwrap();
    assert_eq!(fake.counters().read().dumps, 3);
    assert_eq!(fake.inputs(), [Input::Tap(Point { x: 540, y: 150 })]);
}

#[tokio::test]
async fn v8_what_stays_disabled_is_told_and_not_touched() {
    let (go, limit) = (selector("Go".into()), Duration::from_secs(10));
    // The text in a button that some toolkits do not call clickable while it is off.
    let label = node("TextView", r#"text="Go""#, [0, 100, 400, 200], "");
    let inner = node("View", r#"enabled="false""#, [0, 100, 1080, 200], &label);
    for screen in [off("Go"), inner] {
        let fake = Fake::showing([&screen]);
        let session = session(&fake);
        for error in [
            session.click(&go, Readiness::Enabled, limit).await,
            session.double_click(&go, Readiness::Enabled, limit).await,
            session
                .long_click(&go, Readiness::Enabled, LIMIT, limit)
                .await,
        ] {
            let error = error.unwrap_err().to_string();
            assert_eq!(error, "Go is there, but disabled for 9.5s");
        }
        assert!(fake.inputs().is_empty());
        // Who insists looks once, as before.
        let before = fake.counters().read().dumps;
        session.click(&go, Readiness::Forced, limit).await.unwrap();
        assert_eq!(fake.counters().read().dumps, before + 1);
        assert_eq!(fake.inputs().len(), 1);
    }
}

#[tokio::test]
async fn v8_what_takes_the_touch_counts_and_an_absent_attribute_is_enabled() {
    let label = node(
        "TextView",
        r#"text="Go" enabled="false""#,
        [0, 100, 400, 200],
        "",
    );
    let row = node(
        "LinearLayout",
        r#"clickable="true""#,
        [0, 100, 1080, 200],
        &label,
    );
    let plain = r#"<node text="Go" clickable="true" bounds="[0,100][1080,200]"/>"#;
    for screen in [row.as_str(), plain] {
        let fake = Fake::showing([screen]);
        let (session, go) = (session(&fake), selector("Go".into()));
        let clicked = session.click(&go, Readiness::Enabled, LIMIT);
        clicked.await.unwrap();
        assert_eq!(fake.counters().read().dumps, 1, "{screen}");
    }
}

#[tokio::test]
async fn v8_a_disabled_field_is_neither_typed_into_nor_emptied() {
    let name = selector(serde_json::json!({ "id": "name" }));
    for (attributes, text) in [
        (r#"enabled="false""#, "x"),
        (r#"enabled="false" focused="true""#, "x"),
    ] {
        let fake = Fake::showing([&field(attributes, text)]);
        let session = session(&fake);
        let mut fields = vec![Focus::On(&name, Readiness::Enabled)];
        if attributes.contains("focused") {
            fields.push(Focus::Current(Readiness::Enabled));
        }
        for focus in fields {
            let typed = session.type_text(focus.clone(), "a", Typing::default(), LIMIT);
            let error = typed.await.unwrap_err();
            assert!(matches!(error, EngineError::Disabled { .. }), "{error}");
            let error = session.erase(focus, None, LIMIT).await.unwrap_err();
            // From the end of the look that saw it first.
            let told = error.to_string();
            let lasted = ["disabled for 4.5s", "disabled for 5s"];
            assert!(lasted.iter().any(|end| told.ends_with(end)), "{told}");
        }
        assert!(fake.inputs().is_empty());
        let forced = Focus::On(&name, Readiness::Forced);
        // It does not arrive, but it is sent.
        let _ = session
            .type_text(forced, "a", Typing::default(), LIMIT)
            .await;
        assert!(!fake.inputs().is_empty());
    }
}

#[tokio::test]
async fn t2_text_goes_into_a_filled_password_field_where_it_is_asked_for() {
    let attributes = r#"password="true" focused="true""#;
    let fake = Fake::showing([&field(attributes, "••••••••")])
        .on_input(|input| matches!(input, Input::Text(_)).then(|| field(attributes, "•••••••••")));
    let session = session(&fake);
    let insert = async |offset| {
        let focus = Focus::Current(Readiness::Forced);
        let inserted = session.insert_text(focus, offset, "x", Typing::default(), LIMIT);
        inserted.await.unwrap()
    };
    assert!(matches!(
        insert(9).await,
        Insertion::BeyondEnd { length: 8 }
    ));
    assert!(fake.inputs().is_empty());
    let Insertion::Typed(typed) = insert(3).await else {
        panic!("refused");
    };
    assert!(typed.is_password && typed.content.is_none());
    let right = Input::Key {
        key: runner_device::Key::named("DPAD_RIGHT"),
        long: false,
    };
    assert_eq!(
        fake.inputs()
            .iter()
            .filter(|input| **input == right)
            .count(),
        3
    );
}

#[tokio::test]
async fn t5_a_display_of_no_size_is_the_devices_fault() {
    let fake = Fake::showing([""]).without_size();
    let error = session(&fake).display().await.unwrap_err();
    assert!(
        error.to_string().contains("`wm size` printed nothing"),
        "{error}"
    );
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let error = session(&fake).display().await.unwrap_err();
    let EngineError::Device(error) = error else {
        panic!("{error}");
    };
    assert!(error.is_infrastructure(), "{error}");
}
