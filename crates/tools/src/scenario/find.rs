//! Tool `findUiElementsByText` (D3), and the search of the other tools: substrings, ignoring case, on one new
//! look, and on one more after each dialog that a rule answers.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::look::{look_failed, nodes};
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_engine::Session;
use runner_screen::{Node, NodeIndex, Point, Rect, Screen};

/// Which attributes a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SelectorType {
    /// Text.
    Text,
    /// Content description.
    ContentDesc,
    /// Resource id.
    ResourceId,
    /// All of these.
    #[default]
    Any,
}

const SELECTOR_TYPES: [&str; 4] = ["text", "content-desc", "resource-id", "any"];

impl SelectorType {
    /// Returns the name in arguments.
    pub(super) fn name(self) -> &'static str {
        SELECTOR_TYPES[self as usize]
    }

    /// Returns the node's first attribute that contains `wanted`, which must be in lower case; the
    /// attribute's case does not count. `Any` tries text, description and resource id in this order. The
    /// content of a password field is never found.
    fn value<'a>(self, node: Node<'a>, wanted: &str) -> Option<&'a str> {
        // Dots of a password are not text of the app.
        let text = if node.flags().password && !node.shows_hint() {
            ""
        } else {
            node.display_text()
        };
        [
            (Self::Text, text),
            (Self::ContentDesc, node.desc()),
            (Self::ResourceId, node.resource_id()),
        ]
        .into_iter()
        .filter(|(kind, _)| self == Self::Any || self == *kind)
        .map(|(_, value)| value)
        .find(|value| !value.is_empty() && value.to_lowercase().contains(wanted))
    }

    /// Returns the node's first attribute that contains `wanted`, as [`Self::value`] does. A text field also
    /// matches by its hint, after something was typed into it, if texts are searched.
    fn field<'a>(self, node: Node<'a>, wanted: &str) -> Option<&'a str> {
        self.value(node, wanted).or_else(|| {
            let by_words = matches!(self, Self::Text | Self::Any) && node.is_editable();
            Some(node.hint()).filter(|hint| by_words && hint.to_lowercase().contains(wanted))
        })
    }
}

/// Which elements are meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchArgs {
    /// Part of the element's text, description or resource id, any letter case.
    #[schemars(length(min = 1))]
    pub text: String,
    /// Where to look for it.
    #[serde(default)]
    pub selector_type: SelectorType,
}

/// Refuses a missing or blank text, and an unknown `selectorType`.
pub(super) fn check_search(args: &Arguments) -> Result<(), Failure> {
    check_words(args, "text")?;
    check_selector_type(args)
}

/// Refuses a missing or blank text: blanks stand between any two words, or nowhere, so finding them proves nothing.
pub(super) fn check_words(args: &Arguments, name: &str) -> Result<(), Failure> {
    if args.filled(name)?.trim().is_empty() {
        return Err(args.complaint(name, &Complaint::Empty));
    }
    Ok(())
}

/// Refuses a `selectorType` that is none of the reference's. A missing one passes.
pub(super) fn check_selector_type(args: &Arguments) -> Result<(), Failure> {
    match args.text("selectorType")? {
        Some(name) if !SELECTOR_TYPES.contains(&name) => {
            Err(args.complaint("selectorType", &Complaint::NotOneOf(&SELECTOR_TYPES, name)))
        }
        _ => Ok(()),
    }
}

/// An element that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Match {
    /// The attribute that contains the text.
    pub(super) value: String,
    /// X coordinate of a tap.
    pub(super) cx: i32,
    /// Y coordinate of a tap.
    pub(super) cy: i32,
    #[serde(skip)]
    pub(super) bounds: Rect,
    #[serde(skip)]
    pub(super) node: NodeIndex,
}

impl Match {
    /// Returns the match of a node by this attribute; `None` if no part of the node is on the screen.
    fn from_node(node: Node<'_>, value: &str) -> Option<Self> {
        let bounds = node.part_on_display().filter(|_| node.is_on_screen())?;
        let Point { x: cx, y: cy } = bounds.center();
        Some(Self {
            value: value.to_owned(),
            cx,
            cy,
            bounds,
            node: node.index(),
        })
    }

    /// Returns the point of a tap: the middle of the element's visible part.
    pub(super) fn point(&self) -> Point {
        Point {
            x: self.cx,
            y: self.cy,
        }
    }
}

/// Returns the matches on a screen, as [`find`] does.
pub(super) fn matches_on(screen: &Screen, text: &str, selector_type: SelectorType) -> Vec<Match> {
    let wanted = text.to_lowercase();
    matches_by(screen, &wanted, selector_type, &SelectorType::value)
}

/// Returns the nodes on the screen for which `value` returns something. It gets `wanted`, which must be in small
/// letters.
fn matches_by(
    screen: &Screen,
    wanted: &str,
    selector_type: SelectorType,
    value: &impl for<'a> Fn(SelectorType, Node<'a>, &str) -> Option<&'a str>,
) -> Vec<Match> {
    nodes(screen)
        .filter_map(|node| Match::from_node(node, value(selector_type, node, wanted)?))
        .collect()
}

/// Looks once, and returns the matches with their screen. Letter case does not count. No match is no error.
pub(super) async fn find(
    session: &Session,
    text: &str,
    selector_type: SelectorType,
) -> Result<(Arc<Screen>, Vec<Match>), Failure> {
    find_by(session, text, selector_type, SelectorType::value).await
}

/// Looks once, as [`find`] does, for elements that take text: a text field also matches by its hint.
pub(super) async fn find_field(
    session: &Session,
    text: &str,
    selector_type: SelectorType,
) -> Result<(Arc<Screen>, Vec<Match>), Failure> {
    find_by(session, text, selector_type, SelectorType::field).await
}

/// Looks once and returns the nodes on the screen for which `value` returns something, with the middle of their visible
/// part. `value` gets the text in small letters. Matches below a dialog that a rule knows do not count. If none counts, it
/// answers that dialog and looks again; one that stays is a failure. No match is no error.
async fn find_by(
    session: &Session,
    text: &str,
    selector_type: SelectorType,
    value: impl for<'a> Fn(SelectorType, Node<'a>, &str) -> Option<&'a str>,
) -> Result<(Arc<Screen>, Vec<Match>), Failure> {
    let wanted = text.to_lowercase();
    let find = |screen: &Screen| matches_by(screen, &wanted, selector_type, &value);
    let (screen, open) = session
        .look_for(|screen| -> Vec<NodeIndex> {
            find(screen).iter().map(|found| found.node).collect()
        })
        .await
        .map_err(look_failed)?;
    let mut matches = find(&screen);
    matches.retain(|found| open.contains(&found.node));
    Ok((screen, matches))
}

#[derive(Debug)]
pub struct FindUiElementsByText;

impl Tool for FindUiElementsByText {
    const NAME: &'static str = "scenario.findUiElementsByText";
    const SUMMARY: &'static str = "Finds the elements on the screen whose text, description or resource id contains a text (any letter case).";
    const HELP: &'static str = "A list of {value, cx, cy}; cx, cy is where a tap goes. [] means that nothing matches: scroll, wait, or try a shorter text. It looks once.";
    const WRITING: StepSyntax = StepSyntax::Scalar("text");
    const EFFECT: Effect = Effect::Reads;
    type Args = SearchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)
    }

    /// Looks once and lists all matches, those of the focused window first. None is an empty list and no failure.
    async fn call(session: &Session, args: SearchArgs, _: &Call) -> Result<Outcome, Failure> {
        let (_, matches) = find(session, &args.text, args.selector_type).await?;
        let list = serde_json::to_value(matches)
            .map_err(|error| Failure::infrastructure(error.to_string()))?;
        Ok(Outcome::json(list))
    }
}
