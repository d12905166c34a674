//! Buttons of dialogs.

use crate::apps::ui::{Axis, Element, Theme, TouchAction, Weight};

/// Builds a button of text without a box, at least 44 dp high. A tap performs `reaction`.
pub(super) fn button(theme: &Theme, id: &str, label: &str, reaction: TouchAction) -> Element {
    let text = Element::drawn_text(label, 15.0, Weight::Bold, theme.primary).centred();
    let mut button = Element::view("android.widget.Button", Axis::Vertical, vec![text])
        .id(id)
        .pad(16.0, 10.0)
        .tap(reaction);
    button.node.text = label.into();
    button.layout.min_height = 44.0;
    button
}

/// Builds the buttons Cancel and OK, in this order. Both close the popup; only OK keeps its choice.
pub(super) fn cancel_and_ok(theme: &Theme) -> [Element; 2] {
    [("button2", "Cancel", false), ("button1", "OK", true)].map(|(id, label, keep)| {
        let id = format!("android:id/{id}");
        button(theme, &id, label, TouchAction::ClosePopup(keep))
    })
}
