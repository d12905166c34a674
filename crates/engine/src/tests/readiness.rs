//! Tests of elements that are disabled.

use super::*;

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
async fn a_disabled_element_that_is_no_field_is_told_so_with_the_fields() {
    let go = selector("Go".into());
    let screen = format!("{}{}", off("Go"), field(r#"enabled="true""#, ""));
    let fake = Fake::showing([screen.as_str()]);
    let session = session(&fake);
    let focus = Focus::On(&go, Readiness::Enabled);
    for error in [
        session.erase(focus.clone(), None, LIMIT).await.unwrap_err(),
        session
            .type_text(focus, "a", Typing::default(), LIMIT)
            .await
            .unwrap_err(),
    ] {
        let EngineError::NotEditable {
            instead: Some(choices),
            ..
        } = error
        else {
            panic!("{error}");
        };
        // A disabled button takes no clicks either.
        assert_eq!(choices.clickable, None);
        assert_eq!(choices.fields.len(), 1);
    }
    assert!(fake.inputs().is_empty());
}
