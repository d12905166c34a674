//! Tests of drags in a container that lies below something, or that scrolls the other way.

use super::*;
use runner_screen::Rect;

const LIST: Rect = Rect::new(0, 200, 1080, 1200);

fn edges(rect: Rect) -> [i32; 4] {
    [rect.left, rect.top, rect.right, rect.bottom]
}

/// A list of ten rows that can be clicked, and a button, which comes later in the tree.
fn list_and_button(button: Rect) -> String {
    let rows: String = (0..10)
        .map(|row| {
            let attributes = format!(r#"text="row {row}" clickable="true""#);
            let top = LIST.top + row * 100;
            node("TextView", &attributes, [0, top, 1080, top + 100], "")
        })
        .collect();
    let attributes = r#"scrollable="true" resource-id="com.example:id/rows""#;
    let list = node("ListView", attributes, edges(LIST), &rows);
    let attributes = r#"text="Cart" clickable="true""#;
    let button = node("Button", attributes, edges(button), "");
    let all = format!("{list}{button}");
    node("FrameLayout", "", [0, 0, 1080, 2400], &all)
}

fn scroll(direction: &str) -> Value {
    json!({ "element_id": "rows", "direction": direction, "amount": 900 })
}

#[tokio::test]
async fn c04_a_drag_begins_beside_what_lies_above_the_container() {
    for button in [
        Rect::new(0, 700, 1080, 1200),
        Rect::new(0, 200, 1080, 600),
        Rect::new(400, 600, 700, 800),
        Rect::new(0, 1300, 1080, 1400),
    ] {
        for way in ["up", "down"] {
            let screen = list_and_button(button);
            let fake = Fake::showing([&screen]).on_input(move |input| {
                let Input::Drag(gesture) = input else {
                    panic!("{input:?}");
                };
                let from = gesture.from;
                assert!(LIST.contains(from), "{from:?}");
                assert!(!button.contains(from), "{from:?} in {button:?}");
                None
            });
            run(&fake, "semantic.scroll", scroll(way)).await.unwrap();
            assert!(!fake.inputs().is_empty(), "{button:?}");
        }
    }
}

#[tokio::test]
async fn c04_a_container_below_something_is_not_dragged() {
    let fake = Fake::showing([&list_and_button(LIST)]);
    let failure = run(&fake, "semantic.scroll", scroll("down")).await;
    let message = failure.unwrap_err().message.to_string();
    assert!(message.contains("covered by Button \"Cart\""), "{message}");
    assert!(fake.inputs().is_empty());
}

#[tokio::test]
async fn c04_a_list_is_not_clicked_by_a_drag_across() {
    for way in ["left", "right"] {
        let fake = Fake::showing([&list_and_button(Rect::new(0, 1300, 1080, 1400))]);
        let outcome = run(&fake, "semantic.scroll", scroll(way)).await.unwrap();
        let message = outcome.value["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("Nothing moved"), "{message}");
        assert!(fake.inputs().is_empty());
    }
}
