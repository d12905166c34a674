//! Tests the assertion at the end of a recorded flow.

use std::sync::Arc;

use serde_json::json;

use super::{Notebook, node, screen};
use runner_screen::Screen;

/// Returns a screen with these words as rows; one that begins with `[x]` or `[ ]` is a checked or an
/// unchecked box.
fn rows(texts: &[&str]) -> Arc<Screen> {
    let rows = texts.iter().enumerate().map(|(place, text)| {
        let top = place as i32 * 100;
        let (class, state, words) = match text.split_once("] ") {
            Some((mark, words)) => {
                let checked = mark == "[x";
                let state = format!(r#"checkable="true" clickable="true" checked="{checked}""#);
                ("CheckBox", state, words)
            }
            None => ("TextView", String::new(), *text),
        };
        let attributes = format!(r#"text="{words}" {state}"#);
        node(class, &attributes, [0, top, 1080, top + 90], "")
    });
    screen(&rows.collect::<String>())
}

/// Returns the end of a flow whose acts met these screens; the last is shown when the recording ends.
fn end(screens: &[&[&str]]) -> String {
    let (last, before) = screens.split_last().unwrap();
    let mut notebook = Notebook::new();
    for screen in before {
        notebook.shows(rows(screen)).does("press_back", json!({}));
    }
    let last = rows(last);
    let flow = notebook.recorder.flow(None, true, Some(&last)).unwrap();
    let end = flow.text.lines().last().unwrap_or_default();
    end.trim().to_owned()
}

#[test]
fn a_flow_ends_with_what_the_last_act_changed() {
    let list: &[&str] = &["Notes", "Eggs"];
    let editor: &[&str] = &["New note", "Save"];
    // The title is on the screen too, but was there before.
    assert_eq!(
        end(&[list, editor, &["Notes", "Eggs", "Milk"]]),
        "- assert visible: Milk"
    );
    assert_eq!(end(&[list, editor]), "- assert visible: New note");
    assert_eq!(
        end(&[&["Settings", "[ ] Sounds"], &["Settings", "[x] Sounds"]]),
        "- assert: { text: Sounds, checked: true }"
    );
    assert_eq!(end(&[list, &["Notes"]]), "- assert not visible: Eggs");
    assert_eq!(end(&[list, list]), "- back");
}
