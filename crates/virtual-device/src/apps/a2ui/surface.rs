//! A surface: components by id, and its view state such as scroll positions, focus and open menus.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use super::date_dialog::DateDialog;
use super::message::Message;
use crate::apps::ui::{Colour, Target};

const ROOT: &str = "root";

/// Components by id, after the messages so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub id: String,
    /// Id of the root component, if it is not [`ROOT`].
    pub root: Option<String>,
    pub primary: Option<Colour>,
    pub components: BTreeMap<String, Map<String, Value>>,
}

impl Surface {
    /// Returns the id of the root component, which is `root` unless a message has named another one.
    pub fn root(&self) -> &str {
        self.root.as_deref().unwrap_or(ROOT)
    }

    /// Applies the part of a message that is about components; data belongs to the app's model, and is left alone.
    /// Creating a surface sets its id and colour (none without a theme), and keeps its components. A component replaces
    /// the one with its id; without an id it is ignored. Deleting a surface removes all components, whatever its name.
    pub fn apply(&mut self, message: &Message) {
        match message {
            Message::CreateSurface { surface, theme } => {
                self.id.clone_from(surface);
                self.primary = primary(theme.as_ref());
            }
            Message::BeginRendering {
                surface,
                root,
                theme,
            } => {
                self.id.clone_from(surface);
                self.root = Some(root.clone());
                self.primary = primary(theme.as_ref()).or(self.primary);
            }
            Message::UpdateComponents { components, .. } => {
                for component in components {
                    if let Some(Value::String(id)) = component.get("id") {
                        self.components.insert(id.clone(), component.clone());
                    }
                }
            }
            Message::DeleteSurface { .. } => self.components.clear(),
            Message::UpdateDataModel { .. } => {}
        }
    }
}

fn primary(theme: Option<&Value>) -> Option<Colour> {
    Colour::parse(theme?.get("primaryColor")?.as_str()?)
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Menu {
    pub target: Target,
    /// Label and value of each option.
    pub options: Vec<(String, String)>,
    pub chosen: Vec<String>,
    /// Option that was selected by keys.
    pub selected: Option<usize>,
    /// Bounds of the field that it hangs from, in pixels.
    pub anchor: runner_screen::Rect,
}

impl Menu {
    /// Returns the row of the chosen option, or the first row if none is chosen.
    pub fn chosen_row(&self) -> usize {
        let is_chosen = |(_, value): &(String, String)| self.chosen.contains(value);
        self.options.iter().position(is_chosen).unwrap_or(0)
    }
}

/// A field's text before an edit.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    pub text: String,
    pub caret: usize,
    /// The edit that followed. `None` once no further edit may be joined with it.
    pub edit: Option<Edit>,
}

/// The kind of an edit, and the place where it may be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Typing, up to this place.
    Typed(usize),
    /// Deleting backwards, down to this place.
    Deleted(usize),
}

/// Undo and redo history of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// States before each edit, the latest last.
    pub done: Vec<Revision>,
    /// States before each undo.
    pub undone: Vec<Revision>,
}

/// The text field that has the focus, with its caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Focus {
    pub key: String,
    /// Number of characters before the caret.
    pub caret: usize,
    /// The other end of the selection; equal to `caret` if nothing is selected.
    pub anchor: usize,
    /// Place from which the caret began to move up or down. The caret keeps the column of that place.
    pub column: Option<usize>,
}

impl Focus {
    /// Focuses a field with nothing selected.
    pub fn new(key: &str, caret: usize) -> Self {
        Self {
            key: key.to_owned(),
            caret,
            anchor: caret,
            column: None,
        }
    }

    /// Returns start and end of the selection, cut to a text of `length` characters. Both are the caret if
    /// nothing is selected.
    pub fn selection(&self, length: usize) -> (usize, usize) {
        let (one, two) = (self.caret.min(length), self.anchor.min(length));
        (one.min(two), one.max(two))
    }
}

/// The last letter that was typed into a password. It is shown for a moment.
#[derive(Debug, Clone)]
pub(crate) struct TypedLetter {
    /// Key of the field.
    pub key: String,
    /// Index of the letter in the text.
    pub at: usize,
    pub until: Duration,
}

/// State of a screen that comes from a person's input and is in no message.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewState {
    /// Scroll positions in pixels, by element key.
    pub scroll: BTreeMap<String, i32>,
    pub focus: Option<Focus>,
    /// Key of the focused element that is not a text field. Keys such as Tab moved the focus there.
    pub key_focus: Option<String>,
    /// Focus and key focus of each window behind the front one, the topmost window last.
    pub focus_behind: Vec<(Option<Focus>, Option<String>)>,
    /// Last caret of each field, by element key. A field that never had the focus has it at the start.
    pub carets: BTreeMap<String, usize>,
    /// Undo history of fields, by element key.
    pub history: BTreeMap<String, History>,
    pub typed_letter: Option<TypedLetter>,
    /// Chosen tab, by element key.
    pub tabs: BTreeMap<String, usize>,
    /// Values of inputs that are bound to no data, by element key.
    pub locals: BTreeMap<String, Value>,
    /// Keys of inputs that a person has edited. Failed checks of other inputs are not shown.
    pub edited: BTreeSet<String>,
    /// Content component and template path of the open modal.
    pub modal: Option<(String, String)>,
    pub menu: Option<Menu>,
    pub date: Option<DateDialog>,
}
