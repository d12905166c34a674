//! Finds objects by selectors, and describes them.

use serde_json::{Value, json};

use super::error::RpcError;
use super::selector;
use super::server::Server;
use crate::other_clients::selector::UiSelector;
use crate::tree::{Tree, TreeNode, TreeOptions};
use runner_screen::{Point, Rect};
use runner_virtual_device::WindowDump;
use runner_virtual_device::automation::dump::active;

/// Match of a selector.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) window: i32,
    pub(super) bounds: Rect,
    pub(super) text: String,
    pub(super) info: Value,
}

impl Object {
    /// Returns the middle of the bounds, rounded to the left and top.
    pub(super) fn centre(&self) -> Point {
        Point {
            x: self.bounds.left + (self.bounds.right - self.bounds.left) / 2,
            y: self.bounds.top + (self.bounds.bottom - self.bounds.top) / 2,
        }
    }
}

/// Returns the windows in search order, the active one first.
pub(super) fn windows(server: &Server) -> Vec<WindowDump> {
    let mut windows = server.state.displayed_windows();
    if let Some(id) = active(&windows).map(|window| window.id) {
        windows.sort_by_key(|window| window.id != id);
    }
    windows
}

/// Returns the first match of a selector, in the active window first. Fails if `value` is no selector, or
/// finds nothing.
pub(super) fn find(server: &Server, value: &Value) -> Result<Object, RpcError> {
    let selector = selector::read(value)?;
    first(server, &selector).ok_or_else(|| RpcError::not_found(&to_text(value)))
}

/// Finds the first object; `None` if there is none.
pub(super) fn first(server: &Server, selector: &UiSelector) -> Option<Object> {
    let windows = windows(server);
    let tree = Tree::new(&windows, TreeOptions::default());
    let at = selector.find(&tree, &tree.roots)?;
    Some(object(&tree.nodes[at]))
}

/// Returns all matches of a selector in all windows, the active one first. Empty if there are none.
///
/// Fails if `value` is no selector.
pub(super) fn all(server: &Server, value: &Value) -> Result<Vec<Object>, RpcError> {
    let selector = selector::read(value)?;
    let windows = windows(server);
    let tree = Tree::new(&windows, TreeOptions::default());
    let found = selector.find_all(&tree, &tree.roots);
    Ok(found
        .into_iter()
        .map(|at| object(&tree.nodes[at]))
        .collect())
}

/// Formats a selector's own fields as Android prints it: `UiSelector[TEXT=a, …]`. The mask and the parts for
/// children and siblings are left out.
fn to_text(value: &Value) -> String {
    let fields: Vec<String> = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| {
            !matches!(
                name.as_str(),
                "mask" | "childOrSibling" | "childOrSiblingSelector"
            )
        })
        .map(|(name, value)| {
            format!(
                "{}={}",
                name.to_uppercase(),
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            )
        })
        .collect();
    format!("UiSelector[{}]", fields.join(", "))
}

/// Creates the object of a node. Empty description and id are `null` in its info, an empty text is not.
fn object(node: &TreeNode<'_>) -> Object {
    let dump = node.dump;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let bounds = json!({
        "bottom": dump.bounds.bottom,
        "left": dump.bounds.left,
        "right": dump.bounds.right,
        "top": dump.bounds.top,
    });
    let info = json!({
        "bounds": bounds,
        "checkable": dump.checkable,
        "checked": dump.checked,
        "childCount": dump.children.len(),
        "className": dump.class,
        "clickable": dump.clickable,
        "contentDescription": text(&dump.desc),
        "enabled": dump.enabled,
        "focusable": dump.focusable,
        "focused": dump.focused,
        "longClickable": dump.long_clickable,
        "packageName": node.window.package,
        "resourceName": text(&dump.resource_id),
        "scrollable": dump.scrollable,
        "selected": dump.selected,
        "text": node.text(),
        "visibleBounds": bounds,
    });
    Object {
        window: node.window.id,
        bounds: dump.bounds,
        text: node.text().to_owned(),
        info,
    }
}
