//! Attributes of elements: for the source, for `XPath`, and for single requests.

use super::call::TOAST;
use super::error::{ErrorKind, WireError};
use super::settings::Settings;
use crate::tree::{Tree, TreeNode};
use runner_virtual_device::automation::dump;

/// `TYPE_CLASS_TEXT`.
const INPUT_TEXT: u32 = 1;
/// `TYPE_CLASS_TEXT | TYPE_TEXT_VARIATION_PASSWORD`.
const INPUT_PASSWORD: u32 = 129;

/// Attributes of a toast.
const TOAST_ATTRIBUTES: [&str; 5] = ["index", "package", "class", "text", "displayed"];

/// Optional attributes of the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceAttributes {
    extras: bool,
    actions: bool,
}

impl SourceAttributes {
    /// Takes the optional attributes from the settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            extras: settings.is_on("includeExtrasInPageSource"),
            actions: settings.is_on("includeA11yActionsInPageSource"),
        }
    }

    /// Returns names and values of a node's attributes, in the order of the XML. Empty ones but `text` and `extras`
    /// are left out. A toast has only [`TOAST_ATTRIBUTES`], and a missing node none.
    pub(crate) fn list(&self, tree: &Tree<'_>, at: usize) -> Vec<(&'static str, String)> {
        let Some(node) = tree.nodes.get(at) else {
            return Vec::new();
        };
        let dump = node.dump;
        let editable = is_editable(node);
        let flag = |value: bool| Some(value.to_string());
        let text = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
        let all = [
            ("index", Some(node.index.to_string())),
            ("package", text(&node.window.package)),
            ("class", text(&dump.class)),
            ("text", Some(display_text(node))),
            ("content-desc", text(&dump.desc)),
            ("resource-id", text(&dump.resource_id)),
            ("checkable", flag(dump.checkable)),
            ("checked", flag(dump.checked)),
            ("clickable", flag(dump.clickable)),
            ("enabled", flag(dump.enabled)),
            ("focusable", flag(dump.focusable)),
            ("focused", flag(dump.focused)),
            ("long-clickable", flag(dump.long_clickable)),
            ("password", flag(dump.password)),
            ("scrollable", flag(dump.scrollable)),
            ("selected", flag(dump.selected)),
            ("bounds", Some(dump::edges(dump.bounds))),
            ("displayed", flag(true)),
            ("hint", text(&dump.hint)),
            ("extras", self.extras.then(String::new)),
            ("a11y-important", flag(!dump::is_plain_layout(dump))),
            ("screen-reader-focusable", flag(false)),
            ("input-type", editable.then(|| input_type(dump.password))),
            ("drawing-order", Some(node.drawing.to_string())),
            ("showing-hint", flag(shows_hint(node))),
            ("text-entry-key", flag(false)),
            ("dismissable", flag(false)),
            ("a11y-focused", flag(false)),
            ("heading", flag(false)),
            ("live-region", Some("0".to_owned())),
            ("context-clickable", flag(false)),
            ("content-invalid", flag(false)),
            ("actions", self.actions.then(|| actions(node)).flatten()),
            ("window-id", Some(node.window.id.to_string())),
            (
                "is-collection",
                is_collection(node).then(|| "true".to_owned()),
            ),
            (
                "is-collection-item",
                is_collection_item(tree, node).then(|| "true".to_owned()),
            ),
        ];
        all.into_iter()
            .filter_map(|(name, value)| value.map(|value| (name, value)))
            .filter(|(name, _)| dump.class != TOAST || TOAST_ATTRIBUTES.contains(name))
            .collect()
    }
}

/// Returns the text for clients: for a bar, its number, such as `0.5`; else the text as accessibility sees
/// it.
pub(super) fn display_text(node: &TreeNode<'_>) -> String {
    node.range_value()
        .map_or_else(|| node.text().to_owned(), float)
}

/// Formats a number as Java's `Float.toString` does: with `E` below 0.001 and from 10,000,000 on, always with
/// a decimal point.
fn float(number: f32) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

pub(super) fn is_editable(node: &TreeNode<'_>) -> bool {
    node.dump.class == "android.widget.EditText"
}

pub(super) fn shows_hint(node: &TreeNode<'_>) -> bool {
    node.dump.text.is_empty() && !node.dump.hint.is_empty()
}

fn input_type(password: bool) -> String {
    let input_type = if password { INPUT_PASSWORD } else { INPUT_TEXT };
    input_type.to_string()
}

fn is_collection(node: &TreeNode<'_>) -> bool {
    node.dump.class.ends_with("RecyclerView") || node.dump.class.ends_with("ListView")
}

fn is_collection_item(tree: &Tree<'_>, node: &TreeNode<'_>) -> bool {
    node.parent
        .and_then(|parent| tree.nodes.get(parent))
        .is_some_and(is_collection)
}

/// Returns the names of the node's actions, joined by commas; `ACTION_SELECT` is always among them. Never `None`.
fn actions(node: &TreeNode<'_>) -> Option<String> {
    let dump = node.dump;
    let actions: Vec<&str> = [
        (dump.focusable && !dump.focused, "ACTION_FOCUS"),
        (true, "ACTION_SELECT"),
        (dump.clickable, "ACTION_CLICK"),
        (dump.long_clickable, "ACTION_LONG_CLICK"),
        (is_editable(node), "ACTION_SET_TEXT"),
        (node.range_value().is_some(), "ACTION_SET_PROGRESS"),
        (dump.scrollable, "ACTION_SCROLL_FORWARD"),
    ]
    .into_iter()
    .filter_map(|(has, action)| has.then_some(action))
    .collect();
    (!actions.is_empty()).then(|| actions.join(","))
}

/// Attributes with their aliases, the canonical name first.
const NAMES: [&[&str]; 26] = [
    &["checkable"],
    &["checked"],
    &["class", "className"],
    &["clickable"],
    &["content-desc", "contentDescription"],
    &["enabled"],
    &["focusable"],
    &["focused"],
    &["long-clickable", "longClickable"],
    &["package"],
    &["password"],
    &["resource-id", "resourceId"],
    &["scrollable"],
    &["selection-start"],
    &["selection-end"],
    &["selected"],
    &["text", "name"],
    &["hint"],
    &["extras"],
    &["bounds"],
    &["displayed"],
    &["contentSize"],
    &["is-collection", "isCollection"],
    &["is-collection-item", "isCollectionItem"],
    &["collection-info", "collectionInfo"],
    &["collection-item-info", "collectionItemInfo"],
];

/// Returns an attribute by any of its names, ignoring case. `None` if the element does not have it. Fails for
/// an unknown name, with a list of all.
pub(super) fn attribute(
    tree: &Tree<'_>,
    at: usize,
    name: &str,
) -> Result<Option<String>, WireError> {
    let Some(names) = NAMES
        .iter()
        .find(|names| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    else {
        let all: Vec<String> = NAMES
            .iter()
            .map(|names| match names {
                [only] => (*only).to_owned(),
                several => format!("{{{}}}", several.join(",")),
            })
            .collect();
        let message = format!(
            "'{name}' attribute is unknown for the element. Only the following attributes are supported: [{}]",
            all.join(", ")
        );
        return Err(WireError::new(ErrorKind::UNKNOWN_COMMAND, message));
    };
    let wanted = names[0];
    let source = SourceAttributes {
        extras: true,
        actions: false,
    };
    let found = source
        .list(tree, at)
        .into_iter()
        .find(|(known, _)| *known == wanted)
        .map(|(_, value)| value);
    Ok(match (found, wanted) {
        (None, "is-collection" | "is-collection-item") => Some("false".to_owned()),
        (None, "contentSize") => tree.nodes.get(at).map(content_size),
        (found, _) => found,
    })
}

/// Returns the size of the node's content as JSON text, which is always that of its bounds.
fn content_size(node: &TreeNode<'_>) -> String {
    let bounds = node.bounds();
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
    serde_json::json!({
        "width": width,
        "height": height,
        "top": bounds.top,
        "left": bounds.left,
        "scrollableOffset": 0,
        "touchPadding": 0,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_java_does() {
        for (number, text) in [
            (5.0, "5.0"),
            (0.0, "0.0"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (1.5e-4, "1.5E-4"),
        ] {
            assert_eq!(float(number), text);
        }
    }
}
