//! Routes `/alert/…`: the system's dialogs and their buttons.

use serde::Deserialize;
use serde_json::Value;

use crate::input;
use crate::other_clients::touch;
use crate::tree::{Tree, TreeNode};
use crate::uia2::call::Call;
use crate::uia2::error::{ErrorKind, WireError};
use crate::uia2::found_element::FoundElement;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlertKind {
    Regular,
    Permission,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlertAction {
    Accept,
    Dismiss,
}

/// Returns the part of a resource id after `:id/`; empty if it has none.
fn id_name(id: &str) -> &str {
    id.split_once(":id/").map_or("", |(_, name)| name)
}

/// Returns the kind of the visible alert and the node of its title, found by its resource id. A usual alert
/// comes before a dialog that asks for a permission. Fails if there is none.
fn kind(tree: &Tree<'_>) -> Result<(AlertKind, usize), WireError> {
    let titles: [(AlertKind, &[&str]); 2] = [
        (AlertKind::Regular, &["alertTitle", "custom"]),
        (AlertKind::Permission, &["permission_message"]),
    ];
    titles
        .into_iter()
        .find_map(|(kind, names)| {
            let is_title = |node: &TreeNode<'_>| names.contains(&id_name(&node.dump.resource_id));
            let at = tree.nodes.iter().position(is_title)?;
            Some((kind, at))
        })
        .ok_or_else(no_alert)
}

/// Returns the error for a missing alert.
fn no_alert() -> WireError {
    WireError::new(
        ErrorKind::NO_SUCH_ALERT,
        "No alert is present on the screen",
    )
}

/// Returns true for the id of a button of such an alert. These are `android:id/button` with a number, and names from
/// `permission_` to `_button`.
fn is_button(kind: AlertKind, id: &str) -> bool {
    match kind {
        AlertKind::Regular => id
            .strip_prefix("android:id/button")
            .is_some_and(|number| number.parse::<u32>().is_ok()),
        AlertKind::Permission => {
            let name = id_name(id);
            name.starts_with("permission_") && name.ends_with("_button")
        }
    }
}

/// Returns the texts in the alert that have an id and are no buttons, one a line; an error without an alert.
pub(super) fn text(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let tree = screen.full_tree();
    let (kind, title) = kind(&tree)?;
    let is_content = |at: &usize| tree.nodes[*at].dump.resource_id == "android:id/content";
    let window = tree.nodes[title].window.id;
    let mut inside = (0..tree.nodes.len()).filter(|at| tree.nodes[*at].window.id == window);
    // Dialogs of the virtual phone may lack this container, which real phones have.
    let content = inside.clone().find(is_content).or_else(|| inside.next());
    let content = content.ok_or_else(no_alert)?;
    let texts: Vec<&str> = tree
        .subtree(content)
        .map(|at| &tree.nodes[at])
        .filter(|node| {
            !id_name(&node.dump.resource_id).is_empty() && !is_button(kind, &node.dump.resource_id)
        })
        .map(TreeNode::text)
        .filter(|text| !text.trim().is_empty())
        .collect();
    Ok(Value::from(texts.join("\n")))
}

pub(super) fn accept(call: &Call<'_>) -> Result<Value, WireError> {
    press(call, AlertAction::Accept)
}

pub(super) fn dismiss(call: &Call<'_>) -> Result<Value, WireError> {
    press(call, AlertAction::Dismiss)
}

/// Presses the button with the label of the request. Without a label it is the first button by id to accept, and the
/// second to dismiss; in a dialog for a permission the one with `allow` or `deny` in its id; else the first. An error
/// without such a button or without an alert.
fn press(call: &Call<'_>, action: AlertAction) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        button_label: Option<String>,
    }
    let body: Body = call.model()?;
    let screen = call.screen()?;
    let tree = screen.full_tree();
    let (kind, _) = kind(&tree)?;
    let mut buttons: Vec<usize> = (0..tree.nodes.len())
        .filter(|at| is_button(kind, &tree.nodes[*at].dump.resource_id))
        .collect();
    let id = |at: &usize| tree.nodes[*at].dump.resource_id.as_str();
    if kind == AlertKind::Regular {
        buttons.sort_by_key(|at| id(at).to_owned());
    }
    let word = match action {
        AlertAction::Accept => "allow",
        AlertAction::Dismiss => "deny",
    };
    let button = match (&body.button_label, kind) {
        (Some(label), _) => buttons
            .iter()
            .find(|at| tree.nodes[**at].text() == label.as_str()),
        (None, AlertKind::Regular) => match action {
            AlertAction::Accept => buttons.first(),
            AlertAction::Dismiss => buttons.get(1).or_else(|| buttons.first()),
        },
        (None, AlertKind::Permission) => buttons
            .iter()
            .find(|at| id_name(id(at)).split('_').any(|part| part == word))
            .or_else(|| buttons.first()),
    };
    let Some(button) = button else {
        return Err(WireError::new(
            ErrorKind::INVALID_ELEMENT_STATE,
            "The expected button cannot be detected on the alert",
        ));
    };
    let found = FoundElement::from_node(&tree.nodes[*button]);
    input::fingers(
        call.device,
        &[touch::press(found.centre(), Duration::from_millis(20))],
    );
    Ok(Value::Null)
}
