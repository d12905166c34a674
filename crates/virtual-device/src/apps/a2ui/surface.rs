//! A surface: components by id. And what a person has done to it: scrolled, focused, typed, opened.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use super::date_dialog::DateDialog;
use super::message::Message;
use crate::apps::ui::{Colour, Target};

/// Id of the root component.
const ROOT: &str = "root";

/// Components by id, as messages have left them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub id: String,
    /// Id of the root component, where it is another than [`ROOT`].
    pub root: Option<String>,
    pub primary: Option<Colour>,
    pub components: BTreeMap<String, Map<String, Value>>,
}

impl Surface {
    /// Id of the root component.
    pub fn root(&self) -> &str {
        self.root.as_deref().unwrap_or(ROOT)
    }

    /// Takes a message's part that is about components; data goes to the app's model.
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

/// A drop-down that is open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Menu {
    pub target: Target,
    /// Label and value.
    pub options: Vec<(String, String)>,
    pub chosen: Vec<String>,
    /// The option that keys have come to.
    pub selected: Option<usize>,
    /// Where it hangs from, in pixels.
    pub anchor: runner_screen::Rect,
}

impl Menu {
    /// The row that is chosen; the first one where none is.
    pub fn chosen_row(&self) -> usize {
        let is_chosen = |(_, value): &(String, String)| self.chosen.contains(value);
        self.options.iter().position(is_chosen).unwrap_or(0)
    }
}

/// A field as it was before an edit.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    pub text: String,
    pub caret: usize,
    /// The edit that followed, while a further one may belong to it.
    pub edit: Option<Edit>,
}

/// An edit that goes on where it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Text was typed up to this place.
    Typed(usize),
    /// Characters were deleted backwards to this place.
    Deleted(usize),
}

/// The texts of a field that can be had again.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Before each edit, the last one on top.
    pub done: Vec<Revision>,
    /// Before each undo.
    pub undone: Vec<Revision>,
}

/// The text field that has the focus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Focus {
    pub key: String,
    /// Characters before the caret.
    pub caret: usize,
    /// The other end of the selection; at the caret where nothing is selected.
    pub anchor: usize,
    /// Where the caret began to go up and down: it keeps the column of that place.
    pub column: Option<usize>,
}

impl Focus {
    /// A caret in a field, with nothing selected.
    pub fn new(key: &str, caret: usize) -> Self {
        Self {
            key: key.to_owned(),
            caret,
            anchor: caret,
            column: None,
        }
    }

    /// The first and the last place of the selection in a text of some characters.
    pub fn selection(&self, length: usize) -> (usize, usize) {
        let (one, two) = (self.caret.min(length), self.anchor.min(length));
        (one.min(two), one.max(two))
    }
}

/// The last letter of a password that was typed, which is shown for a moment.
#[derive(Debug, Clone)]
pub(crate) struct TypedLetter {
    /// Of the field.
    pub key: String,
    /// Its place in the text.
    pub at: usize,
    pub until: Duration,
}

/// What a person has done to a screen and no message knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewState {
    /// Scroll positions in pixels, by element key.
    pub scroll: BTreeMap<String, i32>,
    pub focus: Option<Focus>,
    /// Key of the focused element, if it is not a field. Keys have moved the focus there.
    pub key_focus: Option<String>,
    /// What had the focus in the windows behind the one in front, the last one on top.
    pub focus_behind: Vec<(Option<Focus>, Option<String>)>,
    /// Where the caret of a field was last, by element key. A field that never had the focus has it at its beginning.
    pub carets: BTreeMap<String, usize>,
    /// Earlier texts of fields, by element key.
    pub history: BTreeMap<String, History>,
    pub typed_letter: Option<TypedLetter>,
    /// Chosen tab, by element key.
    pub tabs: BTreeMap<String, usize>,
    /// Values of inputs that are bound to nothing, by element key.
    pub locals: BTreeMap<String, Value>,
    /// Inputs that were touched: their checks are shown.
    pub edited: BTreeSet<String>,
    /// Content component and template path of the open modal.
    pub modal: Option<(String, String)>,
    pub menu: Option<Menu>,
    pub date: Option<DateDialog>,
}
