//! Tests of password fields.

use super::*;

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
