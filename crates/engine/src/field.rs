//! A text field: its place and its content.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Readiness};
use super::click_target::click_target;
use super::describe::describe;
use super::field_lines::Lines;
use super::other_elements::{field_choices, fields_of};
use super::typing::Focus;
use super::{EngineError, InputGuard, Session};
use runner_device::Input;
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// A field as it was when it was found, but for `content` and `focused`, which change while it is typed into.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The element; `None` if what has the focus cannot be read.
    pub(super) at: Option<(Arc<Screen>, NodeIndex)>,
    /// Description for messages.
    pub(super) name: String,
    /// Content on the last look; empty for a password field.
    pub(super) content: String,
    /// Content before anything was typed; empty for a password field.
    pub(super) before: String,
    pub(super) focused: bool,
    pub(super) secret: bool,
    /// Number of characters in a password field, if the dump shows it.
    pub(super) masked: Option<usize>,
    pub(super) lines: Lines,
}

impl Field {
    /// Finds the field to type into, and returns it as it is now. If the element is no field, and there is not exactly
    /// one inside it, taps it to open one. A selector is waited for as for a click, at most `timeout`; an id is sought
    /// on one new look, and a node of a given screen is taken without a look. If only the focus is named and no field
    /// is known to have it, the result is one that cannot be read, or [`EngineError::NoFocus`] if nothing seems to take
    /// text; dialogs that rules find are answered before, unless the readiness is [`Readiness::Forced`].
    pub(super) async fn locate(
        session: &Session,
        turn: &InputGuard<'_>,
        focus: &Focus<'_>,
        timeout: Duration,
    ) -> Result<Self, EngineError> {
        let (screen, index) = match focus {
            Focus::On(selector, readiness) => {
                let aim = Aim {
                    selector,
                    readiness: *readiness,
                    target: text_target,
                    starts: None,
                };
                let found = session.find_to_act(aim, timeout).await;
                found.map_err(|error| unless_no_field(session, selector, error))?
            }
            Focus::Id(id) => session.element(id).await?,
            Focus::At(screen, index) => (Arc::clone(screen), *index),
            Focus::Current(readiness) => {
                if *readiness != Readiness::Forced {
                    session.answer_dialogs_before_text().await?;
                }
                let screen = focused(session, *readiness, timeout).await?;
                let Some(index) = focused_field(&screen).map(Node::index) else {
                    return Self::unseen(&screen);
                };
                (screen, index)
            }
        };
        let index = editable_part(screen.node(index)).index();
        let (screen, index) = if screen.node(index).is_editable() {
            (screen, index)
        } else {
            opened_by(session, turn, screen.node(index)).await?
        };
        let node = screen.node(index);
        let content = content(node).to_owned();
        Ok(Self {
            name: describe(node),
            before: content.clone(),
            content,
            focused: node.flags().focused,
            secret: node.flags().password,
            lines: Lines::read(session.device(), node, node.text()),
            masked: dots(node),
            at: Some((screen, index)),
        })
    }

    /// Returns a field without an element, which cannot be read back. Something other than a text field may
    /// take text, such as a game or a terminal: a keyboard must be shown, or a node that is not clickable
    /// must have the focus. Else the error is [`EngineError::NoFocus`].
    fn unseen(screen: &Screen) -> Result<Self, EngineError> {
        let takes_text = screen.keyboard_shown()
            // A focused button takes no text.
            || screen.nodes().any(|node| {
                let flags = node.flags();
                flags.focused && !flags.clickable
            });
        if !takes_text {
            let instead = Some(Box::new(fields_of(screen)));
            return Err(EngineError::NoFocus { instead });
        }
        Ok(Self {
            at: None,
            name: "what has the focus".to_owned(),
            content: String::new(),
            before: String::new(),
            focused: true,
            secret: false,
            masked: None,
            lines: Lines::One,
        })
    }

    /// Returns the tap that focuses the field; empty if it has the focus or is no element. The point may be
    /// covered. [`EngineError::Hidden`] if no part of it can be touched.
    pub(super) fn focusing(&self) -> Result<Vec<Input>, EngineError> {
        let Some((screen, index)) = self.at.as_ref().filter(|_| !self.focused) else {
            return Ok(Vec::new());
        };
        let node = screen.node(*index);
        let place = node.touch_place(node).ok_or_else(|| EngineError::Hidden {
            element: self.name.clone(),
        })?;
        Ok(vec![Input::Tap(place.point())])
    }

    /// Returns true if Android reports a hint separately, so that the text of the node is no hint.
    pub(super) fn marks_hints(&self) -> bool {
        !self.hint().is_empty()
    }

    /// Returns the hint, or an empty text if the dump told none.
    pub(super) fn hint(&self) -> &str {
        self.at
            .as_ref()
            .map_or("", |(screen, index)| screen.node(*index).hint())
    }

    /// Returns true for the text of the hint: a dump shows the same for a field that holds it as for an empty
    /// one. Password fields never show what they hold.
    pub(super) fn is_hint(&self, text: &str) -> bool {
        !self.secret && !text.is_empty() && self.hint() == text
    }

    /// Returns true if the field shows its hint, or a text that is equal to it.
    pub(super) fn shows_hint(&self) -> bool {
        self.at
            .as_ref()
            .is_some_and(|(screen, index)| screen.node(*index).shows_hint())
    }
}

/// Clicks an element that takes no text itself, such as a search bar, and returns the field that has the focus on the
/// next look. [`EngineError::NotEditable`] if none has, or if that field had the focus before the click, and
/// [`EngineError::Hidden`], without a click, if no part of the element can be touched. Looks once, without a wait.
async fn opened_by(
    session: &Session,
    turn: &InputGuard<'_>,
    node: Node<'_>,
) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
    let place = node
        .touch_place(click_target(node))
        .ok_or_else(|| EngineError::Hidden {
            element: describe(node),
        })?;
    turn.send(&[Input::Tap(place.point())]).await?;
    let screen = session.look().await?;
    // A field that had the focus before was not opened by the click: text meant for the element is not for it.
    let had_focus = focused_field(node.screen())
        .and_then(|field| session.find_again(node.screen(), field.index(), &screen));
    match focused_field(&screen).map(Node::index) {
        Some(index) if had_focus != Some(index) => Ok((screen, index)),
        _ => Err(not_editable(node)),
    }
}

/// Builds the error of an element that takes no text, with the fields of its screen.
fn not_editable(node: Node<'_>) -> EngineError {
    EngineError::NotEditable {
        element: describe(node),
        instead: Some(Box::new(field_choices(node))),
    }
}

/// Replaces the error of an element that stayed disabled, if it is no text field on the last look: it would take no
/// text either once it is enabled.
fn unless_no_field(session: &Session, selector: &Selector, error: EngineError) -> EngineError {
    let EngineError::Disabled { .. } = &error else {
        return error;
    };
    let Some(screen) = session.last_screen() else {
        return error;
    };
    match selector.find(&screen).as_slice() {
        [index] if !editable_part(screen.node(*index)).is_editable() => {
            not_editable(screen.node(*index))
        }
        _ => error,
    }
}

/// Waits until the focused field may be typed into, and returns the screen. Returns at once if no field has
/// the focus, so the caller must check for one. Disabled fields are waited for only if `readiness` demands an
/// enabled one; in the end [`EngineError::Disabled`].
async fn focused(
    session: &Session,
    readiness: Readiness,
    timeout: Duration,
) -> Result<Arc<Screen>, EngineError> {
    let is_off = |screen: &Screen| focused_field(screen).is_some_and(|it| !readiness.allows(it));
    let screen = session.rested_or_new_look().await?;
    if !is_off(&screen) {
        return Ok(screen);
    }
    let waited = session
        .wait_until(timeout, |screen| (!is_off(screen)).then_some(()))
        .await?;
    let screen = waited.screen.unwrap_or(screen);
    if waited.found.is_some() {
        return Ok(screen);
    }
    Err(EngineError::Disabled {
        selector: "the field with the focus".to_owned(),
        element: focused_field(&screen).map(describe).unwrap_or_default(),
        waited: waited.elapsed,
    })
}

/// Returns the first text field that has the focus of its window.
pub(super) fn focused_field(screen: &Screen) -> Option<Node<'_>> {
    screen.nodes().find(|node| is_focused_field(*node))
}

/// Returns the text fields that have the focus, of which each window may have one.
pub(super) fn focused_fields(screen: &Screen) -> Vec<NodeIndex> {
    let fields = screen.nodes().filter(|node| is_focused_field(*node));
    fields.map(Node::index).collect()
}

fn is_focused_field(node: Node<'_>) -> bool {
    node.flags().focused && node.is_editable()
}

/// Returns the text of the focused text field: empty if it shows its hint, and `<password>` for a password field.
/// `None` if no field has the focus.
pub fn focused_text(screen: &Screen) -> Option<&str> {
    focused_field(screen).map(Node::text)
}

/// Returns the node itself if it is editable, else the only field inside it: selectors often name a labelled
/// box, not its field. With no field inside or several, returns the node itself.
fn editable_part(node: Node<'_>) -> Node<'_> {
    if node.is_editable() {
        return node;
    }
    let mut fields = node.descendants().filter(|node| node.is_editable());
    match (fields.next(), fields.next()) {
        (Some(field), None) => field,
        _ => node,
    }
}

/// Returns the node to touch in order to focus a field: the node or the only field inside it, else the node
/// that takes clicks on `node`.
fn text_target(node: Node<'_>) -> Node<'_> {
    let part = editable_part(node);
    if part.is_editable() {
        part
    } else {
        click_target(part)
    }
}

/// Returns the content of a field as the dump has it, which may be its hint on old releases. Empty for
/// password fields, whatever they hold.
pub(super) fn content(node: Node<'_>) -> &str {
    if node.flags().password {
        ""
    } else {
        node.text()
    }
}

/// Returns the number of characters in a password field. `None` if the dump does not show it; 0 only if it shows
/// the hint.
pub(super) fn dots(node: Node<'_>) -> Option<usize> {
    match node.masked_characters() {
        0 => node.shows_hint().then_some(0),
        some => Some(some),
    }
}
