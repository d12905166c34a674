//! Resources that show the screen in semantic terms.

use serde_json::{Map, Value, json};

use super::a2ui;
use super::element::on_screen;
use super::kind::{Action, ElementKind};
use super::model::{self, Element, Model};
use crate::{Contents, Failure, Reading, Resource};
use runner_engine::Session;
use runner_screen::{Node, Rect};

const JSON: &str = "application/json";
const ELEMENT: &str = "ui://element/";

/// Returns the resources for listing. A URI with `{` is marked as a template.
pub fn resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, description: &str| Resource {
        uri: uri.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        media_type: JSON,
        template: uri.contains('{'),
    };
    vec![
        resource(
            "ui://tree",
            "tree",
            "The screen as a tree of semantic elements.",
        ),
        resource("ui://focus", "focus", "The element that has the focus."),
        resource(
            "ui://elements",
            "elements",
            "All elements of the screen, flat, with labels, values, states and bounds.",
        ),
        resource(
            "ui://element/{element_id}",
            "element",
            "One element by its id.",
        ),
        resource(
            "a2ui://surfaces",
            "surfaces",
            "The A2UI surfaces that the device shows, where it renders A2UI.",
        ),
    ]
}

/// Returns true if the URI may name one of these resources, by its scheme, so that the device must be asked.
pub fn may_be_one(uri: &str) -> bool {
    uri.starts_with("ui://") || uri.starts_with("a2ui://")
}

/// Reads a resource from a new look at the screen, as JSON. `None` if the URI is not one of this catalogue. Fails for
/// an unknown element id, and for surfaces of a device that renders no A2UI.
pub async fn read(session: &Session, uri: &str) -> Reading {
    let value = match uri {
        "ui://tree" => tree(&Model::new(&*session.look().await?)),
        "ui://focus" => focus(&Model::new(&*session.look().await?)),
        "ui://elements" => elements(&Model::new(&*session.look().await?)),
        "a2ui://surfaces" => a2ui::surfaces(session).await?,
        _ => match uri.strip_prefix(ELEMENT) {
            Some(id) if !id.is_empty() => element(session, id).await?,
            _ => return Ok(None),
        },
    };
    Ok(Some(Contents::text(JSON, value.to_string())))
}

/// Returns one element, as on a new look; its id may have escapes. A box that only lays out has no children here. An
/// unknown id is a failure.
async fn element(session: &Session, id: &str) -> Result<Value, Failure> {
    let id = unescape(id);
    let found = on_screen(session, &id).await?;
    let model = Model::new(&found.screen);
    Ok(match model.at(found.index) {
        Some(element) => flat(&model, element),
        // A box that only lays out has no element of its own.
        None => {
            let node = found.node();
            let kind = ElementKind::from_node(node);
            described(&id, kind, node, &Action::for_node(node, kind), Vec::new())
        }
    })
}

/// Decodes escapes such as `%20` if the result is UTF-8; otherwise returns the text unchanged. A `%` without
/// two hexadecimal digits stays.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            // `from_str_radix` takes a sign too.
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Converts all elements to one flat list, in the model's order, those off the screen too.
fn elements(model: &Model<'_>) -> Value {
    model
        .elements
        .iter()
        .map(|element| flat(model, element))
        .collect()
}

/// Converts an element to JSON as [`described`] does, with the ids of its direct children in place of their facts.
fn flat(model: &Model<'_>, element: &Element) -> Value {
    let children = element
        .children
        .iter()
        .filter_map(|child| model.elements.get(*child))
        .map(|child| child.id.clone())
        .collect();
    let node = model.node(element);
    described(&element.id, element.kind, node, &element.actions, children)
}

/// Converts an element's facts to JSON. `checked` is null unless it can be checked, and `value` unless its kind has
/// one.
fn described(
    id: &str,
    kind: ElementKind,
    node: Node<'_>,
    actions: &[Action],
    children: Vec<String>,
) -> Value {
    let flags = node.flags();
    json!({
        "id": id,
        "type": kind.word(),
        "label": model::label(node, kind),
        "value": model::value(node, kind),
        "checked": flags.checkable.then_some(flags.checked),
        "enabled": flags.enabled,
        "focused": flags.focused,
        "visible": node.is_on_screen(),
        "interactive": !actions.is_empty(),
        "bounds": bounds(node.bounds()),
        "children": children,
    })
}

/// Converts bounds to `x`, `y`, `width` and `height`, in pixels.
fn bounds(bounds: Rect) -> Value {
    json!({
        "x": bounds.left,
        "y": bounds.top,
        "width": bounds.width(),
        "height": bounds.height(),
    })
}

/// Returns the element with the focus, a field before others; all null without one.
fn focus(model: &Model<'_>) -> Value {
    let focused = model
        .elements
        .iter()
        .filter(|element| model.node(element).flags().focused)
        // A box around a field may have the focus as well; the field is what is meant.
        .min_by_key(|element| element.kind != ElementKind::Input);
    json!({
        "element_id": focused.map(|element| &element.id),
        "element_type": focused.map(|element| element.kind.word()),
        "element_label": focused.map(|element| model::label(model.node(element), element.kind)),
    })
}

/// Builds the tree of the screen's elements. Its root is the screen itself, with the app in front as its
/// label, and the display's size in pixels.
fn tree(model: &Model<'_>) -> Value {
    let display = model.screen.display();
    let (package, activity) = model.screen.foreground().unzip();
    json!({
        "id": model.screen_id,
        "type": "Screen",
        "label": package,
        "children": branches(model, &model.roots),
        "properties": {
            "package": package,
            "activity": activity,
            "width": display.width,
            "height": display.height,
            "keyboard_shown": model.screen.keyboard_shown(),
        },
    })
}

/// Converts elements to JSON with all below them.
fn branches(model: &Model<'_>, places: &[usize]) -> Vec<Value> {
    places
        .iter()
        .filter_map(|place| model.elements.get(*place))
        .map(|element| {
            let node = model.node(element);
            json!({
                "id": element.id,
                "type": element.kind.word(),
                "label": model::label(node, element.kind),
                "children": branches(model, &element.children),
                "properties": properties(node, element),
            })
        })
        .collect()
}

/// Returns an element's properties. `value`, `checked` and `actions` are there where they apply. `enabled`,
/// `focused`, `selected` and `visible` are there only if they differ from their usual values: true, false,
/// false and true.
fn properties(node: Node<'_>, element: &Element) -> Map<String, Value> {
    let flags = node.flags();
    let mut properties = Map::new();
    if let Some(value) = model::value(node, element.kind) {
        properties.insert("value".to_owned(), value.into());
    }
    if flags.checkable {
        properties.insert("checked".to_owned(), flags.checked.into());
    }
    let reported = [
        ("enabled", flags.enabled, true),
        ("focused", flags.focused, false),
        ("selected", flags.selected, false),
        ("visible", node.is_on_screen(), true),
    ];
    for (name, value, usual) in reported {
        if value != usual {
            properties.insert(name.to_owned(), value.into());
        }
    }
    if !element.actions.is_empty() {
        let actions: Vec<&str> = element.actions.iter().map(|action| action.word()).collect();
        properties.insert("actions".to_owned(), actions.into());
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_ids_are_unescaped_where_they_can_be() {
        for (escaped, id) in [
            ("save", "save"),
            ("save%20as", "save as"),
            ("100%", "100%"),
            ("a%zz", "a%zz"),
            ("%C3%A4", "ä"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(unescape(escaped), id);
        }
    }
}
