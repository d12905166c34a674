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
