//! Law: a tool that touches an element touches it beside what covers it, or names what covers all of it.

use super::*;
use runner_screen::Rect;

const GO: Rect = Rect::new(0, 1000, 1080, 1200);

/// A button, and another one that is drawn above it.
fn screen(cart: Rect) -> String {
    let button = |words: &str, order: u32, place: Rect| {
        let attributes = format!(
            r#"text="{words}" clickable="true" long-clickable="true" drawing-order="{order}""#
        );
        let edges = [place.left, place.top, place.right, place.bottom];
        node("Button", &attributes, edges, "")
    };
    let both = button("Go", 1, GO) + &button("Cart", 2, cart);
    node("FrameLayout", "", [0, 0, 1080, 2400], &both)
}

/// Returns the message of a call that did not succeed.
fn failure(result: Result<Outcome, Failure>) -> Option<String> {
    let failure = match result {
        Err(failure) => failure,
        Ok(outcome) => match outcome.verdict {
            Verdict::Failed(failure) => failure,
            Verdict::Passed => return None,
        },
    };
    Some(failure.message.to_string())
}

#[tokio::test]
async fn a_touch_goes_beside_what_covers_the_element_or_names_it() {
    for cart in [
        Rect::new(0, 0, 1080, 100),
        Rect::new(0, 1000, 1080, 1120),
        Rect::new(0, 1080, 1080, 1300),
        GO,
    ] {
        for tool in [
            "click_element",
            "long_click_element",
            "semantic.click",
            "mobile_agent.click_control",
            "scenario.tap",
        ] {
            let fake = Fake::showing([&screen(cart)]);
            let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
            let looked = session.look().await.unwrap();
            let go = looked.nodes().find(|node| node.text() == "Go").unwrap();
            let args = match tool {
                "mobile_agent.click_control" => {
                    json!({ "control_id": go.id(), "control_name": "Go" })
                }
                "scenario.tap" => json!({ "text": "Go" }),
                _ => json!({ "element_id": go.id() }),
            };
            let failure = failure(run_on(&session, tool, args).await);
            let touched = fake.inputs().into_iter().find_map(|input| match input {
                Input::Tap(point) | Input::LongPress(point, _) => Some(point),
                _ => None,
            });
            let case = format!("{tool} below {cart:?}: {touched:?}, {failure:?}");
            if let Some(point) = touched {
                assert!(GO.contains(point) && !cart.contains(point), "{case}");
                let is_free = cart.intersection(&GO).is_none();
                assert!(!is_free || point == GO.center(), "{case}");
                assert_eq!(failure, None, "{case}");
            } else {
                assert_eq!(cart, GO, "{case}");
                let message = failure.unwrap_or_default();
                assert!(message.contains("is covered by Button \"Cart\""), "{case}");
            }
        }
    }
}
