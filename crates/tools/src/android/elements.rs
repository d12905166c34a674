//! Tools that find elements by a property and act on them by id (A15–A18).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::invalid;
use super::errors::{self, ErrorCode, action_failed};
use crate::arguments::Arguments;
use crate::element::bounds_value;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::Input;
use runner_engine::{EngineError, Session};
use runner_screen::{Node, NodeIndex, Screen};

const BY: [&str; 4] = ["text", "content_desc", "resource_id", "class_name"];

/// What a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchField {
    /// Text.
    Text,
    /// Content description.
    ContentDesc,
    /// Whole resource id.
    ResourceId,
    /// Full class name.
    ClassName,
}

impl SearchField {
    /// Returns the text that is compared, which is empty if the node has none. That of a field that shows its hint is the
    /// hint, and that of a password field `<password>`.
    fn value(self, node: Node<'_>) -> &str {
        match self {
            Self::Text => node.display_text(),
            Self::ContentDesc => node.desc(),
            Self::ResourceId => node.resource_id(),
            Self::ClassName => node.class(),
        }
    }

    /// Returns all nodes whose property contains `value`, ignoring case, in document order. With `exact`, the
    /// whole property must be equal, including case. Empty properties never match.
    pub(super) fn find<'a>(self, screen: &'a Screen, value: &str, exact: bool) -> Vec<Node<'a>> {
        let wanted = value.to_lowercase();
        screen
            .nodes()
            .filter(|node| {
                let actual = self.value(*node);
                !actual.is_empty()
                    && if exact {
                        actual == value
                    } else {
                        actual.to_lowercase().contains(&wanted)
                    }
            })
            .collect()
    }
}

/// Checks that `by` is one of [`BY`], including case, and that `value` is a text that is not empty.
pub(super) fn check_search(args: &Arguments) -> Result<(), Failure> {
    let by = args.required_text("by")?;
    args.filled("value")?;
    if BY.contains(&by) {
        return Ok(());
    }
    Err(invalid(Words::format(
        "Invalid 'by' value: '{}'. Must be one of: {}",
        &[&by, &BY.join(", ")],
    )))
}

/// Returns the text, or null for an empty one.
fn or_null(text: &str) -> Value {
    if text.is_empty() {
        Value::Null
    } else {
        text.into()
    }
}

/// Converts an element to the reference's JSON. Empty texts become `null`. `states` chooses which of
/// `clickable`, `longClickable`, `scrollable`, `editable` and `enabled` are included.
pub(super) fn element_json(node: Node<'_>, states: &[&str]) -> Value {
    let flags = node.flags();
    let mut element = json!({
        "id": node.id(),
        "text": or_null(node.display_text()),
        "contentDescription": or_null(node.desc()),
        "resourceId": or_null(node.resource_id()),
        "className": or_null(node.class()),
        "bounds": bounds_value(node.bounds()),
    });
    let known = [
        ("clickable", flags.clickable),
        ("longClickable", flags.long_clickable),
        ("scrollable", flags.scrollable),
        ("editable", node.is_editable()),
        ("enabled", flags.enabled),
    ];
    if let Some(map) = element.as_object_mut() {
        for (name, value) in known.into_iter().filter(|(name, _)| states.contains(name)) {
            map.insert(name.to_owned(), value.into());
        }
    }
    element
}

/// Arguments of `find_elements`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindElementsArgs {
    /// Search criteria type
    pub by: SearchField,
    /// Search value
    #[schemars(length(min = 1))]
    pub value: String,
    /// If true, match exactly. If false, match contains (case-insensitive)
    #[serde(default)]
    pub exact_match: bool,
}

#[derive(Debug)]
pub struct FindElements;

impl Tool for FindElements {
    const NAME: &'static str = "find_elements";
    const SUMMARY: &'static str =
        "Find UI elements matching the specified criteria in the accessibility tree.";
    const HELP: &'static str =
        "It sees every node, also those that get_screen_state leaves out; the list may be empty.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Reads;
    type Args = FindElementsArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)
    }

    /// Looks once and returns `{ elements }`: all that match, in document order, on the screen or not. Matches below a
    /// dialog that a rule knows do not count. If none counts, it answers that dialog and looks again; one that stays is a
    /// failure. None is no failure.
    async fn call(session: &Session, args: FindElementsArgs, _: &Call) -> Result<Outcome, Failure> {
        let find = |screen: &Screen| -> Vec<NodeIndex> {
            let found = args.by.find(screen, &args.value, args.exact_match);
            found.into_iter().map(Node::index).collect()
        };
        let (screen, found) = session.look_for(find).await.map_err(errors::tree)?;
        let states = [
            "clickable",
            "longClickable",
            "scrollable",
            "editable",
            "enabled",
        ];
        let elements: Vec<Value> = found
            .into_iter()
            .map(|index| element_json(screen.node(index), &states))
            .collect();
        let value = json!({ "elements": elements });
        Ok(Outcome::json(value))
    }
}

/// An element by its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementArgs {
    #[schemars(description = "Node ID from find_elements")]
    #[schemars(length(min = 1))]
    pub element_id: String,
}

fn check_id(args: &Arguments) -> Result<(), Failure> {
    args.filled("element_id").map(|_| ())
}

#[derive(Debug)]
pub struct ClickElement;

impl Tool for ClickElement {
    const NAME: &'static str = "click_element";
    const SUMMARY: &'static str = "Click the specified accessibility node by element ID.";
    const HELP: &'static str = "One that is not clickable is refused: click the clickable one around it, or tap its middle.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_id(args)
    }

    /// Takes a new look and taps the element where nothing is known to cover it, without waiting. An element that is
    /// not clickable, not on the look, covered entirely or without a part to touch fails. A disabled one is tapped all
    /// the same.
    async fn call(session: &Session, args: ElementArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let (screen, index) = session
            .element(&id)
            .await
            .map_err(|error| errors::element(&id, error))?;
        let node = screen.node(index);
        if !node.flags().clickable {
            return Err(action_failed(Words::format(
                "Node '{}' is not clickable",
                &[&id],
            )));
        }
        session
            .touch_node(&format!("Node '{id}'"), node, node, Input::Tap)
            .await
            .map_err(|error| errors::gesture(&"tap".into(), error))?;
        Ok(
            Outcome::text(Words::format("Click performed on element '{}'", &[&id]))
                .at(node.bounds()),
        )
    }
}

#[derive(Debug)]
pub struct LongClickElement;

impl Tool for LongClickElement {
    const NAME: &'static str = "long_click_element";
    const SUMMARY: &'static str = "Long-click the specified accessibility node by element ID.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_id(args)
    }

    /// Presses the element for 1 s, where nothing is known to cover it, on a new look and without waiting. An element
    /// that is not long-clickable, or covered entirely, fails; a disabled one is pressed.
    async fn call(session: &Session, args: ElementArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let (screen, index) = session
            .element(&id)
            .await
            .map_err(|error| errors::element(&id, error))?;
        let node = screen.node(index);
        if !node.flags().long_clickable {
            return Err(action_failed(Words::format(
                "Node '{}' is not long-clickable",
                &[&id],
            )));
        }
        let held = std::time::Duration::from_secs(1);
        session
            .touch_node(&format!("Node '{id}'"), node, node, |point| {
                Input::LongPress(point, held)
            })
            .await
            .map_err(|error| errors::gesture(&"long_press".into(), error))?;
        Ok(Outcome::text(Words::format(
            "Long-click performed on element '{}'",
            &[&id],
        ))
        .at(node.bounds()))
    }
}

#[derive(Debug)]
pub struct ScrollToElement;

impl Tool for ScrollToElement {
    const NAME: &'static str = "scroll_to_element";
    const SUMMARY: &'static str = "Scroll to make the specified element visible by scrolling its nearest scrollable ancestor.";
    const HELP: &'static str = "At most 5 scrolls beside the way back. It has a new id afterwards.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_id(args)
    }

    /// Scrolls the element's container until it is on the screen, and returns its new id and the number of scrolls, 0
    /// if it was there. First it undoes the session's own scrolls. Fails if the element has no container, or after at
    /// most 7 more scrolls.
    async fn call(session: &Session, args: ElementArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let reached = session
            .scroll_to_id(&id)
            .await
            .map_err(|error| match error {
                EngineError::UnknownId { .. } => Failure {
                    message: Words::format("Element '{}' not found", &[&id]),
                    ..errors::element(&id, error)
                },
                EngineError::Gone { .. } => errors::element(&id, error),
                EngineError::NoScrollable { .. } => action_failed(Words::format(
                    "No scrollable container found for element '{}'",
                    &[&id],
                )),
                EngineError::NotScrolledTo { ref unsearched, .. } if unsearched.taker.is_some() => {
                    let message = Words::format(
                        "Element '{}' not visible: a further scroll would click",
                        &[&id],
                    );
                    errors::with_message(error, message, ErrorCode::ACTION_FAILED)
                }
                EngineError::NotScrolledTo { .. } => action_failed(Words::format(
                    "Element '{}' not visible after 5 scroll attempts",
                    &[&id],
                )),
                error => errors::tree(error),
            })?;
        let node = reached.screen.node(reached.node);
        let text = if reached.scrolls == 0 {
            Words::format("Element '{}' is already visible", &[&id])
        } else {
            Words::format(
                "Scrolled to element '{}' ({} scroll(s))",
                &[&id, &reached.scrolls],
            )
        };
        let value = json!({ "id": node.id(), "scrolls": reached.scrolls });
        Ok(Outcome::value(text, value).at(node.bounds()))
    }
}
