//! Acts for touches of elements.

use super::act::{Act, Field, Touch};
use super::locate;
use runner_screen::Node;

/// Returns the act for a touch on this element. A click on the navigation bar's buttons becomes `back` or
/// `home`. `None` if no selector finds the element.
pub(super) fn touched(node: Node<'_>, how: Touch, force: bool) -> Option<Act> {
    let on = locate::touch_selector(node, matches!(how, Touch::LongClick(_)))?;
    Some(match (how, bar_key(node)) {
        (Touch::Click, Some(word)) => Act::Word(word),
        _ => Act::Touch {
            how,
            on,
            field: gives_focus(node).then(|| Field::from_node(node)),
            force,
        },
    })
}

/// Returns true if a touch of the field only prepares it for text. A focused field without a keyboard is
/// touched to show the keyboard, which no later step does.
pub(super) fn gives_focus(node: Node<'_>) -> bool {
    let shows_keyboard = node.flags().focused && !node.screen().keyboard_shown();
    node.is_editable() && !shows_keyboard
}

/// Returns `back` or `home` for these buttons of the navigation bar, else `None`. Another device has gestures
/// in their place.
fn bar_key(node: Node<'_>) -> Option<&'static str> {
    match node.resource_id() {
        "com.android.systemui:id/back" => Some("back"),
        "com.android.systemui:id/home" => Some("home"),
        _ => None,
    }
}
