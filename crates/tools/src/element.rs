//! Converts elements to results, for `as` and for tools' answers.

use serde_json::{Value, json};

use runner_screen::{Node, Rect};

/// Converts an element to the result of a step: `${total.text}`, `${total.bounds.left}`. `text` is empty for a field
/// that shows its hint, and `<password>` for every password field. Words that the element does not have are empty
/// texts, never null. `node` is the id of this session's node, `id` the resource id, and bounds are in pixels.
pub(super) fn element_value(node: Node<'_>) -> Value {
    let flags = node.flags();
    json!({
        "node": node.id(),
        "text": node.text(),
        "desc": node.desc(),
        "id": node.resource_id(),
        "class": node.class(),
        "hint": node.hint(),
        "package": node.package(),
        "bounds": bounds_value(node.bounds()),
        "enabled": flags.enabled,
        "checked": flags.checked,
        "selected": flags.selected,
        "focused": flags.focused,
        "clickable": flags.clickable,
        "scrollable": flags.scrollable,
        "editable": node.is_editable(),
    })
}

/// Converts bounds to an object with named edges, in pixels of the display.
pub(super) fn bounds_value(bounds: Rect) -> Value {
    json!({
        "left": bounds.left,
        "top": bounds.top,
        "right": bounds.right,
        "bottom": bounds.bottom,
    })
}
