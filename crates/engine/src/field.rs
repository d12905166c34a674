//! A text field: its place, its content, and the keys that move its caret.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Readiness};
use super::click_target::click_target;
use super::describe::describe;
use super::other_elements::{field_choices, fields_of};
use super::typing::Focus;
use super::{EngineError, InputGuard, Session};
use runner_device::{Device, Input, Key};
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// Number of deletions for a field of unknown length. Chosen: longer than passwords, and still a second of
/// key presses.
const BLIND_DELETIONS: usize = 128;
/// Limit for text that is deleted key by key. Chosen: longer texts would take minutes.
const MAX_DELETIONS: usize = 10_000;
/// Least height of a field with several lines, in dp at font size 100 %. Chosen: below two lines with their
/// padding.
const MIN_MULTILINE_HEIGHT_DP: f64 = 60.0;
/// Width of the widest letter, in dp at font size 100 %. Chosen: an upper bound, so that a text that may wrap
/// counts as wrapped.
const MAX_LETTER_DP: f64 = 18.0;

/// Position in the field for inserted text.
#[derive(Debug, Clone, Copy)]
pub(super) struct CaretPosition {
    /// Characters (code points) before the caret.
    pub(super) caret: usize,
    /// Number of characters to delete before the caret.
    pub(super) delete: usize,
}

/// Ability to move the caret to the ends of the text: `MOVE_HOME` and `MOVE_END` alone stay in their visual
/// line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// The text is in one line.
    One,
    /// There may be several lines. The device can hold CTRL, which makes these keys go to the ends of the
    /// text.
    Several,
    /// There may be several lines, and the device can press single keys only.
    SeveralWithoutCtrl,
}

impl Lines {
    /// Judges whether the field may have several lines. It counts as one line only if its height or its text leaves no
    /// doubt, and its content has no line break; without the display's measures it has several. For several lines it
    /// also tells whether the device can hold CTRL.
    fn read(device: &dyn Device, node: Node<'_>, content: &str) -> Self {
        let info = device.info();
        // Without density or font scale it is unknown how much fits into a line.
        let is_one_line = info
            .display
            .value()
            .zip(info.font_scale_percent.value())
            .is_some_and(|(display, percent)| {
                let scale = f64::from(display.density.max(1)) / 160.0
                    * f64::from((*percent).max(100))
                    / 100.0;
                let bounds = node.bounds();
                let dp = |pixels: u32| f64::from(pixels) / scale;
                let is_low = dp(bounds.height()) < MIN_MULTILINE_HEIGHT_DP;
                let is_short = content.chars().count() as f64 * MAX_LETTER_DP < dp(bounds.width());
                is_low || is_short
            });
        if !content.contains('\n') && is_one_line {
            Self::One
        } else if device.holds_modifiers() {
            Self::Several
        } else {
            Self::SeveralWithoutCtrl
        }
    }
}

/// A field that was found.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) at: Option<(Arc<Screen>, NodeIndex)>,
    pub(super) name: String,
    pub(super) content: String,
    pub(super) before: String,
    pub(super) focused: bool,
    pub(super) secret: bool,
    /// Number of characters in a password field, if the dump shows it.
    pub(super) masked: Option<usize>,
    lines: Lines,
}

impl Field {
    /// Finds the field to type into, and returns it as it is now. If the element is no field, and there is not exactly
    /// one inside it, taps it to open one. A selector is waited for as for a click, at most `timeout`; an id is sought
    /// on one new look, and a node of a given screen is taken without a look. If only the focus is named and no field
    /// is known to have it, the result is one that cannot be read, or [`EngineError::NoFocus`] if nothing seems to take
    /// text.
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

    /// Returns true unless the field is known to be empty. The content of password fields is not read.
    fn may_hold_text(&self) -> bool {
        !self.content.is_empty() || (self.secret && self.masked != Some(0))
    }

    /// Returns the keys that move the caret to the end of the text; none for a field that is known to be empty.
    /// [`EngineError::NoCaret`] if the device cannot reach the end of several lines.
    pub(super) fn to_end(&self) -> Result<Vec<Input>, EngineError> {
        if !self.may_hold_text() {
            return Ok(Vec::new());
        }
        self.to_edge("MOVE_END")
    }

    /// Returns the keys that move the caret to an end of the text: `key` alone in a field of one line. In
    /// several lines CTRL with it follows; the plain key comes first, for fields that ignore CTRL.
    /// [`EngineError::NoCaret`] if the device cannot press CTRL there.
    fn to_edge(&self, key: &'static str) -> Result<Vec<Input>, EngineError> {
        let mut inputs = vec![press(key)];
        match self.lines {
            Lines::One => {}
            Lines::Several => inputs.push(Input::Combination(vec![
                Key::named("CTRL_LEFT"),
                Key::named(key),
            ])),
            Lines::SeveralWithoutCtrl => {
                return Err(EngineError::NoCaret {
                    element: self.name.clone(),
                });
            }
        }
        Ok(inputs)
    }

    /// Returns the keys that empty the field, wherever the caret is: `MOVE_END`, also for an empty field, and
    /// one DEL for each character that it was found with, for a password field for each of its dots; 128 if it
    /// shows none. If the caret cannot be moved to the end, as many again delete forwards. At most 10 000
    /// deletions in each direction. Does not focus the field.
    pub(super) fn clearing(&self) -> Vec<Input> {
        let length = if self.secret {
            self.masked.unwrap_or(BLIND_DELETIONS)
        } else {
            self.content.chars().count()
        };
        match self.to_edge("MOVE_END") {
            Ok(mut inputs) => {
                inputs.extend(presses("DEL", length.min(MAX_DELETIONS)));
                inputs
            }
            Err(_) => deletions(length),
        }
    }

    /// Returns the inputs that focus the field and delete its last `count` characters, or all of them for `None`; at
    /// most 10 000 deletions. The errors are those of [`Self::focusing`] and, with a `count`, [`Self::to_end`].
    pub(super) fn erasing(&self, count: Option<usize>) -> Result<Vec<Input>, EngineError> {
        let mut inputs = self.focusing()?;
        match count {
            Some(count) => {
                inputs.extend(self.to_end()?);
                inputs.extend(presses("DEL", count.min(MAX_DELETIONS)));
            }
            None => inputs.extend(self.clearing()),
        }
        Ok(inputs)
    }

    /// Returns deletions in both directions that empty the field after some part of `text` arrived in it.
    /// Their number covers the longest of the present content, the previous one and `text`; for passwords
    /// that show no dots it assumes 128.
    pub(super) fn clearing_after(&self, text: &str) -> Vec<Input> {
        let hidden = if self.secret {
            self.masked.unwrap_or(BLIND_DELETIONS)
        } else {
            0
        };
        let length = self
            .content
            .chars()
            .count()
            .max(self.before.chars().count());
        deletions((length + hidden).max(text.chars().count()))
    }

    /// Returns the keys that move the caret behind `place.caret` characters from the beginning, and then delete
    /// `place.delete` characters before it. The field must have the focus. [`EngineError::NoCaret`] if the device
    /// cannot reach the beginning of several lines.
    pub(super) fn caret_to(&self, place: CaretPosition) -> Result<Vec<Input>, EngineError> {
        let mut inputs = self.to_edge("MOVE_HOME")?;
        inputs.extend(presses("DPAD_RIGHT", place.caret));
        inputs.extend(presses("DEL", place.delete));
        Ok(inputs)
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

pub(super) fn focused_field(screen: &Screen) -> Option<Node<'_>> {
    screen
        .nodes()
        .find(|node| node.flags().focused && node.is_editable())
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

/// Returns deletions in both directions, which empty a field of `length` characters wherever its caret is:
/// one `MOVE_END`, then `length` times DEL and `length` times `FORWARD_DEL`. At most 10 000 each.
fn deletions(length: usize) -> Vec<Input> {
    let length = length.min(MAX_DELETIONS);
    let mut inputs = vec![press("MOVE_END")];
    inputs.extend(presses("DEL", length));
    inputs.extend(presses("FORWARD_DEL", length));
    inputs
}

/// Builds a short press of the key of this name. Nothing is sent.
pub(super) fn press(name: &'static str) -> Input {
    Input::Key {
        key: Key::named(name),
        long: false,
    }
}

pub(super) fn presses(name: &'static str, count: usize) -> impl Iterator<Item = Input> {
    std::iter::repeat_n(press(name), count)
}
