//! Tests of finding elements, and of clicks on them.

use super::*;

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
