//! Tests of scrolls to an element.

use super::*;

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

#[tokio::test]
async fn a_direction_that_was_surely_left_out_is_told() {
    use Direction::{Down, Up};
    let fake = scrolling_list();
    let session = session(&fake);
    // From the start, from there to the end, from the end, and back to the start.
    for (direction, left_out) in [
        (Up, Some(Down)),
        (Down, None),
        (Down, Some(Up)),
        (Up, Some(Down)),
    ] {
        let options = ScrollOptions {
            direction,
            ..down()
        };
        let error = session.scroll_to(&selector("row 99".into()), options).await;
        let Err(EngineError::NotScrolledTo { unsearched, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(unsearched.back, left_out, "{direction:?}");
    }
    // A limit ends a search, and says nothing of the other direction.
    let options = ScrollOptions { max: 1, ..down() };
    let error = session.scroll_to(&selector("row 99".into()), options).await;
    let Err(EngineError::NotScrolledTo { unsearched, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(unsearched.back, None);
}

#[tokio::test]
async fn a_missing_container_is_told_with_what_scrolls() {
    let row = node(
        "ViewGroup",
        r#"resource-id="com.example:id/note" clickable="true""#,
        [0, 200, 1080, 300],
        "",
    );
    let list = node(
        "ListView",
        r#"resource-id="com.example:id/notes" scrollable="true""#,
        [0, 200, 1080, 1200],
        &row,
    );
    let page = format!("{}{list}", button("Note list", 0));
    for (wanted, misses, choices) in [
        // A row is nearer by its letters, and scrolls nothing.
        (
            serde_json::json!({ "id": "note_list" }),
            "",
            "{ id: notes }",
        ),
        (serde_json::json!({ "id": "form" }), "", "{ id: notes }"),
        (serde_json::json!({ "id": "Notes" }), "{ id: notes }", ""),
    ] {
        let wanted = selector(wanted);
        let fake = Fake::showing([&page]);
        let session = session(&fake);
        let options = ScrollOptions {
            within: Some(&wanted),
            ..down()
        };
        let scrolled = session.scroll_to(&selector("x".into()), options).await;
        let swiped = session
            .area(Some(&wanted), Readiness::Enabled, &|_, _| Vec::new(), LIMIT)
            .await
            .map_err(EngineError::for_container);
        for error in [scrolled.err(), swiped.err()] {
            let Some(EngineError::NotFound(missing)) = error else {
                panic!("{error:?}");
            };
            let near = missing.misses.iter().map(|miss| &miss.name.selector);
            let offered = missing.choices.iter().flat_map(|choices| &choices.elements);
            let offered = offered.map(|choice| &choice.name.selector);
            let text = |selectors: Vec<&Selector>| {
                let texts: Vec<String> = selectors.iter().map(ToString::to_string).collect();
                texts.join(" | ")
            };
            let told = (text(near.collect()), text(offered.collect()));
            assert_eq!(told, (misses.to_owned(), choices.to_owned()), "{wanted}");
            assert_eq!(missing.scroller, None);
        }
    }
}
