//! Acts: what a flow says about a call. Each holds selectors instead of screens, so that it is small enough
//! to keep.

use std::time::Duration;

use serde_json::{Map, Value};

use super::gesture_place::GesturePlace;
use runner_engine::{Direction, Readiness};
use runner_screen::{Node, Rect, Selector};

/// Act in the terms of the flow language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// Touch on an element.
    Touch {
        how: Touch,
        on: Selector,
        /// The element as a text field, if it is one.
        field: Option<Field>,
        /// True if the element was disabled.
        force: bool,
    },
    /// Text typed into a field.
    Type(Typing),
    /// Field emptied.
    Erase {
        on: Selector,
        field: Field,
        /// True if the field was disabled.
        force: bool,
    },
    Key {
        name: String,
        times: u32,
    },
    /// App opened.
    Launch {
        app: String,
        start: Start,
        /// Further options of the launch, such as permissions.
        options: Map<String, Value>,
    },
    /// Scroll whose goal is not known yet.
    Scroll {
        direction: Direction,
        /// Scrolled container, unless it is the largest one.
        within: Option<Box<Selector>>,
        raw: ToolStep,
    },
    /// Scroll until an element is visible.
    ScrollTo {
        on: Selector,
        direction: Direction,
        within: Option<Box<Selector>>,
        scrolls: u32,
    },
    /// Drag from one place to another.
    Drag {
        from: GesturePlace,
        to: GesturePlace,
        options: Map<String, Value>,
    },
    /// Two fingers moved apart, together or around.
    TwoFingers {
        place: GesturePlace,
        options: Map<String, Value>,
    },
    /// Pause that waits for no element.
    Pause(ToolStep),
    /// Wait for an element.
    Wait {
        on: Selector,
        limit: Option<Duration>,
    },
    /// Assertion that an element is visible or is not.
    Expect {
        on: Selector,
        visible: bool,
    },
    /// Step that is a bare word, such as `back`.
    Word(&'static str),
    /// The tool itself as a step.
    Raw(ToolStep),
    /// Call that no step can express. The flow gets a comment.
    Unreported(String),
}

/// Kind of touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Click,
    DoubleClick,
    LongClick(Duration),
}

/// State in which an app is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Brought to the front as it was.
    Resumed,
    /// Stopped first.
    Restarted,
    /// Its data deleted first.
    Cleared,
}

/// Text typed into a field.
#[derive(Clone, PartialEq)]
pub(super) struct Typing {
    /// Selector of the field; `None` for the focused one.
    pub(super) into: Option<Selector>,
    pub(super) field: Option<Field>,
    pub(super) text: String,
    /// True if the field was emptied first.
    pub(super) clear: bool,
    /// True if the text must not be shown.
    pub(super) secret: bool,
    /// True if the keyboard was hidden afterwards.
    pub(super) hides_keyboard: bool,
    /// `Forced` if the field was disabled.
    pub(super) readiness: Readiness,
}

impl Typing {
    /// Returns the name from which a variable for the text is made: the field's name, else its selector, else
    /// `text`.
    pub(super) fn name(&self) -> String {
        let field = self.field.as_ref().map(|field| field.name.clone());
        let named = || self.into.as_ref().map(ToString::to_string);
        field.or_else(named).unwrap_or_else(|| "text".to_owned())
    }
}

/// Leaves the typed text out.
impl std::fmt::Debug for Typing {
    /// Writes the selector and `secret`, never the text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Typing")
            .field("into", &self.into)
            .field("secret", &self.secret)
            .finish_non_exhaustive()
    }
}

/// Step that calls the tool itself.
#[derive(Clone, PartialEq)]
pub(super) struct ToolStep {
    /// Name of the tool as a step.
    pub(super) name: &'static str,
    /// True if the step may stand without arguments.
    pub(super) value_optional: bool,
    pub(super) args: Value,
    /// Secret among the arguments.
    pub(super) hidden: Option<String>,
}

impl ToolStep {
    /// Returns true if it touches a place of the display, whatever is there: `tap`, `double_tap` or
    /// `long_press`.
    pub(super) fn is_at_place(&self) -> bool {
        ["tap", "double_tap", "long_press"].contains(&self.name)
    }
}

/// Leaves the arguments out, which may hold typed text.
impl std::fmt::Debug for ToolStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Raw")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Identity of a text field, to see whether two acts go to the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    bounds: Rect,
    class: String,
    /// Name from which a variable for its text is made: `password`.
    pub(super) name: String,
}

impl Field {
    /// Identifies a field by bounds, class and name: its id, else its hint, else its description, else `secret`.
    pub(super) fn from_node(node: Node<'_>) -> Self {
        let name = [node.resource_name(), node.hint(), node.desc()]
            .into_iter()
            .find(|name| !name.is_empty());
        Self {
            bounds: node.bounds(),
            class: node.class().to_owned(),
            name: name.unwrap_or("secret").to_owned(),
        }
    }
}

/// Returns true if two acts went to one field: they have the same selector, or the fields have the same
/// bounds, class and name. Acts without selector and field are never of one.
pub(super) fn same_field(
    a: (Option<&Selector>, Option<&Field>),
    b: (Option<&Selector>, Option<&Field>),
) -> bool {
    let named_alike = a.0.is_some() && a.0 == b.0;
    let same_place =
        a.1.zip(b.1)
            .is_some_and(|(a, b)| a.bounds == b.bounds && a.class == b.class && a.name == b.name);
    named_alike || same_place
}

impl Act {
    /// Returns the element that the step waits for before it acts; for a drag, the one at its start. `None` for steps
    /// without an element, such as keys, and for `assert not visible` and `scroll_to`, which do not wait for theirs.
    pub(super) fn target(&self) -> Option<&Selector> {
        match self {
            Self::Touch { on, .. } | Self::Erase { on, .. } | Self::Wait { on, .. } => Some(on),
            Self::Expect { on, visible: true } => Some(on),
            Self::Type(typing) => typing.into.as_ref(),
            Self::Drag { from: place, .. } | Self::TwoFingers { place, .. } => place.on.as_deref(),
            _ => None,
        }
    }

    /// Returns true if the step waits for its element by itself, or does the same on any screen. Otherwise
    /// the flow may need a wait before it: keys, scrolls, `back`, and touches or gestures at a bare place.
    pub(super) fn waits(&self) -> bool {
        match self {
            Self::Key { .. } | Self::Scroll { .. } => false,
            Self::Word(word) => *word != "back",
            Self::Raw(raw) => !raw.is_at_place(),
            Self::Drag { from: place, .. } | Self::TwoFingers { place, .. } => place.on.is_some(),
            _ => true,
        }
    }

    /// Returns true if it asserts something of the app. A wait counts too, as it fails without its element.
    pub(super) fn is_assertion(&self) -> bool {
        match self {
            Self::Wait { .. } | Self::Expect { .. } => true,
            Self::Raw(raw) => raw.name == "snapshot" || raw.name.starts_with("assert"),
            _ => false,
        }
    }
}
