//! Tests of scrolls to an element that was seen before.

use super::*;

/// A list of ten rows that can be clicked, and an element in it.
fn list_with(place: [i32; 4]) -> String {
    let rows: String = (0..10)
        .map(|row| {
            let attributes = format!(r#"text="row {row}" clickable="true""#);
            let top = 200 + row * 100;
            node("TextView", &attributes, [0, top, 1080, top + 100], "")
        })
        .collect();
    let element = node("TextView", r#"text="x""#, place, "");
    let attributes = r#"scrollable="true" resource-id="com.example:id/rows""#;
    let all = format!("{rows}{element}");
    node("ListView", attributes, [0, 200, 1080, 1200], &all)
}

#[tokio::test]
async fn an_element_beside_a_list_is_not_sought_by_clicks() {
    let (here, beside) = ([0, 300, 400, 350], [1100, 300, 1500, 350]);
    let fake = Fake::showing([&list_with(here), &list_with(beside)]);
    let session = session(&fake);
    let found = session.find(&selector("x".into()), LIMIT).await;
    let (screen, index) = found.unwrap();
    let id = screen.node(index).id();
    let error = session.scroll_to_id(&id).await.unwrap_err();
    let EngineError::NotScrolledTo { unsearched, .. } = error else {
        panic!("{error}");
    };
    let taker = unsearched.taker.unwrap();
    assert!(taker.contains("row"), "{taker}");
    assert!(fake.inputs().is_empty());
}
