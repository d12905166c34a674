//! Tests of touches on elements that lie below others.

use super::*;

/// A list with the row "Go", and above it a button with this place and drawing order.
fn below(button: [i32; 4], order: u32) -> String {
    let row = node(
        "TextView",
        r#"text="Go" clickable="true" drawing-order="1""#,
        [0, 100, 1080, 200],
        "",
    );
    let attributes = format!(r#"text="Add" clickable="true" drawing-order="{order}""#);
    let button = node("Button", &attributes, button, "");
    node(
        "FrameLayout",
        "",
        [0, 0, 1080, 2400],
        &format!("{row}{button}"),
    )
}

#[tokio::test]
async fn what_stays_covered_is_told_and_not_touched() {
    let go = selector("Go".into());
    let fake = Fake::showing([&below([0, 0, 1080, 300], 2)]);
    let session = session(&fake);
    let error = session
        .click(&go, Readiness::Enabled, LIMIT)
        .await
        .unwrap_err();
    let EngineError::Covered { by, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(by, "Button \"Add\" at 0,0,1080,300");
    assert!(
        error
            .to_string()
            .starts_with("Go is covered by Button \"Add\""),
        "{error}"
    );
    assert!(fake.inputs().is_empty());
    session.click(&go, Readiness::Forced, LIMIT).await.unwrap();
    assert_eq!(fake.inputs(), [Input::Tap(Point { x: 540, y: 150 })]);
}

#[tokio::test]
async fn what_covers_an_element_for_a_moment_is_waited_for() {
    let go = selector("Go".into());
    let fake = Fake::showing([
        &below([0, 0, 1080, 300], 2),
        &below([0, 0, 1080, 300], 2),
        &below([0, 1000, 1080, 1300], 2),
    ]);
    let session = session(&fake);
    let touched = session.click(&go, Readiness::Enabled, LIMIT).await.unwrap();
    assert_eq!(touched.point, Point { x: 540, y: 150 });
    assert_eq!(touched.doubt(), None);
}

#[tokio::test]
async fn a_touch_goes_beside_a_button_and_says_where_it_may_have_missed() {
    let go = selector("Go".into());
    let touch = async |screen: &str| {
        let fake = Fake::showing([screen]);
        session(&fake)
            .click(&go, Readiness::Enabled, LIMIT)
            .await
            .unwrap()
    };
    let beside = touch(&below([400, 100, 680, 200], 2)).await;
    assert_eq!(beside.point, Point { x: 200, y: 150 });
    assert_eq!(beside.doubt(), None);
    let unknown = touch(&below([0, 0, 1080, 300], 0)).await;
    assert_eq!(unknown.point, Point { x: 540, y: 150 });
    let doubt = unknown.doubt().unwrap();
    assert!(doubt.contains("may have taken the touch"), "{doubt}");
    // Nothing at it does anything with a touch.
    let label = node("TextView", r#"text="Go""#, [0, 100, 400, 200], "");
    let doubt = touch(&label).await.doubt().unwrap();
    assert!(doubt.contains("nothing at TextView \"Go\""), "{doubt}");
}

#[tokio::test]
async fn a_label_that_is_clicked_is_told_with_the_control_at_it() {
    let label = node("TextView", r#"text="Go""#, [0, 100, 400, 140], "");
    let control = |class: &str, bounds| {
        let attributes = r#"resource-id="com.example:id/control" clickable="true""#;
        node(class, attributes, bounds, "")
    };
    for (control, is_told) in [
        (control("Spinner", [0, 150, 1080, 250]), true),
        (control("Switch", [900, 90, 1080, 150]), true),
        // Too far below, above, and in another column.
        (control("Spinner", [0, 400, 1080, 500]), false),
        (control("Spinner", [0, 0, 1080, 90]), false),
        (control("Spinner", [500, 150, 1080, 250]), false),
    ] {
        let row = node(
            "LinearLayout",
            "",
            [0, 0, 1080, 600],
            &(label.clone() + &control),
        );
        let fake = Fake::showing([&row]);
        let touched = session(&fake)
            .click(&selector("Go".into()), Readiness::Enabled, LIMIT)
            .await
            .unwrap();
        let doubt = touched.doubt().unwrap();
        let told = doubt.ends_with(", which takes touches: { id: control }");
        assert_eq!(told, is_told, "{doubt}");
        assert_eq!(doubt.contains("next to it"), is_told, "{doubt}");
    }
}

/// The touch may be taken by the element, an ancestor, a descendant, or something below it. (Found as J7 on
/// 2026-11-27.)
#[tokio::test]
async fn a_click_has_a_note_just_where_nothing_takes_it() {
    const HERE: [i32; 4] = [0, 100, 400, 200];
    let go = |inner: &str| node("TextView", r#"text="Go" drawing-order="2""#, HERE, inner);
    let frame = |inner: &str| node("FrameLayout", "", [0, 0, 1080, 2400], inner);
    let other = |kind: &str, bounds| node(kind, r#"text="Other" clickable="true""#, bounds, "");
    let held = |attributes: &str| node("View", attributes, [0, 0, 1080, 300], &go(""));
    for (screen, takes) in [
        (frame(&go("")), false),
        (frame(&held(r#"clickable="true""#)), true),
        (frame(&held(r#"long-clickable="true""#)), true),
        (frame(&held(r#"checkable="true""#)), true),
        (frame(&held(r#"focusable="true""#)), false),
        (frame(&go(&other("View", [10, 110, 20, 120]))), true),
        // Its sibling below it, as Flutter and a FrameLayout have them; and one beside it.
        (frame(&(other("View", [0, 0, 1080, 300]) + &go(""))), true),
        (
            frame(&(other("View", [0, 300, 1080, 600]) + &go(""))),
            false,
        ),
    ] {
        let fake = Fake::showing([&screen]);
        let touched = session(&fake)
            .click(&selector("Go".into()), Readiness::Enabled, LIMIT)
            .await
            .unwrap();
        assert_eq!(
            touched.doubt().is_none(),
            takes,
            "{screen}: {:?}",
            touched.doubt()
        );
    }
}
