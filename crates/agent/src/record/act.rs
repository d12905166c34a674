//! One thing that was done, small enough to keep: what it was done to is already a selector.

use std::time::Duration;

use serde_json::{Map, Value};

use super::gesture::GesturePlace;
use runner_engine::{Direction, Readiness};
use runner_screen::{Node, Rect, Selector};

/// What was done, in the words of the flow language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// A touch on an element.
    Touch {
        how: Touch,
        on: Selector,
        /// The element, where it takes text.
        field: Option<Field>,
        /// What took the touch was disabled.
        force: bool,
    },
    /// Text into a field.
    Type(Typing),
    /// A field emptied.
    Erase {
        on: Selector,
        field: Field,
        /// It was disabled.
        force: bool,
    },
    /// A key.
    Key { name: String, times: u32 },
    /// An app opened.
    Launch {
        app: String,
        start: Start,
        /// What else the launch was asked for, such as permissions.
        options: Map<String, Value>,
    },
    /// Content moved, not yet known what for.
    Scroll {
        direction: Direction,
        /// The container, where it is not the largest.
        within: Option<Box<Selector>>,
        raw: ToolStep,
    },
    /// Content moved until an element was there.
    ScrollTo {
        on: Selector,
        direction: Direction,
        within: Option<Box<Selector>>,
        scrolls: u32,
    },
    /// A finger took hold of one place and let go on another.
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
    /// Waited for nothing in particular.
    Pause(ToolStep),
    /// Waited for an element.
    Wait {
        on: Selector,
        limit: Option<Duration>,
    },
    /// Looked whether an element is there, or is not.
    Expect { on: Selector, visible: bool },
    /// A step that is one word.
    Word(&'static str),
    /// The tool itself as a step.
    Raw(ToolStep),
    /// What no step can say; a comment says so.
    Unreported(String),
}

/// How an element was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Click,
    DoubleClick,
    LongClick(Duration),
}

/// How an app was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// It came to the front as it was.
    Shown,
    /// It was ended first.
    Anew,
    /// Its data was forgotten first.
    Cleared,
}

/// Text into a field.
#[derive(Clone, PartialEq)]
pub(super) struct Typing {
    /// `None`: what has the focus.
    pub(super) into: Option<Selector>,
    pub(super) field: Option<Field>,
    pub(super) text: String,
    /// The field was emptied first.
    pub(super) clear: bool,
    /// Nobody may read the text.
    pub(super) secret: bool,
    /// The keyboard was hidden afterwards.
    pub(super) hides_keyboard: bool,
    /// Forced, where the field was disabled.
    pub(super) readiness: Readiness,
}

impl Typing {
    /// What a variable for the text is called: as the field is.
    pub(super) fn name(&self) -> String {
        let field = self.field.as_ref().map(|field| field.name.clone());
        let named = || self.into.as_ref().map(ToString::to_string);
        field.or_else(named).unwrap_or_else(|| "text".to_owned())
    }
}

/// Never says what was typed.
impl std::fmt::Debug for Typing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Typing")
            .field("into", &self.into)
            .field("secret", &self.secret)
            .finish_non_exhaustive()
    }
}

/// A tool's own step.
#[derive(Clone, PartialEq)]
pub(super) struct ToolStep {
    /// Name as a step.
    pub(super) name: &'static str,
    /// May stand as a bare word.
    pub(super) value_optional: bool,
    /// Its arguments.
    pub(super) args: Value,
    /// What of them nobody may read.
    pub(super) hidden: Option<String>,
}

impl ToolStep {
    /// Whether it touches a place, whatever is there.
    pub(super) fn is_at_place(&self) -> bool {
        ["tap", "double_tap", "long_press"].contains(&self.name)
    }
}

/// Arguments may hold what was typed.
impl std::fmt::Debug for ToolStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Raw")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A text field, to see whether the next text goes into the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    bounds: Rect,
    class: String,
    /// What a variable for its text is called: `password`.
    pub(super) name: String,
}

impl Field {
    pub(super) fn of(node: Node<'_>) -> Self {
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

/// Whether two acts went to one field: it is named alike, or stands where the other stood.
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
    /// The element that the step waits for before it acts.
    pub(super) fn target(&self) -> Option<&Selector> {
        match self {
            Self::Touch { on, .. } | Self::Erase { on, .. } | Self::Wait { on, .. } => Some(on),
            Self::Expect { on, visible: true } => Some(on),
            Self::Type(typing) => typing.into.as_ref(),
            Self::Drag { from: place, .. } | Self::TwoFingers { place, .. } => place.on.as_deref(),
            _ => None,
        }
    }

    /// Whether it is the same wherever it is done, or its step waits by itself for what it is done to.
    pub(super) fn waits(&self) -> bool {
        match self {
            Self::Key { .. } | Self::Scroll { .. } => false,
            Self::Word(word) => *word != "back",
            Self::Raw(raw) => !raw.is_at_place(),
            Self::Drag { from: place, .. } | Self::TwoFingers { place, .. } => place.on.is_some(),
            _ => true,
        }
    }

    /// Returns true if it asserts something of the app.
    pub(super) fn is_assertion(&self) -> bool {
        match self {
            Self::Wait { .. } | Self::Expect { .. } => true,
            Self::Raw(raw) => raw.name == "snapshot" || raw.name.starts_with("assert"),
            _ => false,
        }
    }
}
