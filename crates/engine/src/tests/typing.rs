//! Tests of text that is typed, corrected and erased.

use super::*;

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
async fn what_the_field_held_before_is_told_with_a_text_that_did_not_arrive() {
    // It takes digits only.
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let fake = typewriter(digits);
    let session = session(&fake);
    let type_text = async |text: &str, clear| {
        let typing = Typing {
            clear,
            ..Typing::default()
        };
        let focus = Focus::Current(Readiness::Enabled);
        session.type_text(focus, text, typing, LIMIT).await
    };
    type_text("1", false).await.unwrap();
    for (clear, held, shown) in [(false, Some("1"), "12"), (true, None, "2")] {
        let error = type_text("2x", clear).await.unwrap_err();
        let EngineError::NotTyped { before, actual, .. } = error else {
            panic!("{error}");
        };
        assert_eq!((before.as_deref(), actual.as_deref()), (held, Some(shown)));
    }
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
    assert!(matches!(error, EngineError::NoFocus { .. }));
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

#[tokio::test]
async fn text_goes_into_a_dialog_whose_own_field_has_the_focus() {
    let fake = typewriter(str::to_owned);
    let rule = DialogRule {
        when: selector(serde_json::json!({ "id": "name" })),
        app: None,
        answer: DialogAnswer::Press(runner_device::Key::named("BACK")),
        place: 0,
    };
    let session = session(&fake).with_dialogs(Arc::from([rule]));
    let focus = Focus::Current(Readiness::Enabled);
    let typed = session.type_text(focus, "ada", Typing::default(), LIMIT);
    assert_eq!(typed.await.unwrap().content.as_deref(), Some("ada"));
    assert!(session.take_dialogs().is_empty());
}
