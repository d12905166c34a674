//! Typing into a field: which field, how, and what came of it.

use std::sync::Arc;
use std::time::Duration;

use super::act::Readiness;
use runner_screen::{NodeIndex, Screen, Selector};

/// Field that text goes to.
#[derive(Debug, Clone)]
pub enum Focus<'a> {
    /// The focused one.
    Current(Readiness),
    /// The match of a selector. It is clicked unless it has the focus.
    On(&'a Selector, Readiness),
    /// The element with an id of this session.
    Id(&'a str),
    /// The element of a look that was just taken.
    At(&'a Arc<Screen>, NodeIndex),
}

/// Options for typing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typing {
    /// Empties the field first.
    pub clear: bool,
    /// Keeps text and content out of errors.
    pub secret: bool,
    /// Types character by character: the pause between, and its variation.
    pub speed: Option<(Duration, Duration)>,
    /// Uses keys even if the device could set the text at once.
    pub keys: bool,
}

/// A field after text was typed.
#[derive(Debug, Clone)]
pub struct TypedField {
    /// Present content; `None` if it cannot be read, as in a password field or one that disappeared.
    pub content: Option<String>,
    /// Previous content; empty if it could not be read.
    pub before: String,
    /// The field and its screen before; `None` if the focused receiver was no text field.
    pub field: Option<(Arc<Screen>, NodeIndex)>,
    /// True if the field shows dots, as declared or as observed.
    pub is_password: bool,
    /// True if the field was seen to hold the text, or as many dots as the text has characters.
    pub is_confirmed: bool,
}

impl TypedField {
    /// Returns the text if it went into a password field.
    pub fn hidden<'a>(&self, text: &'a str) -> Option<&'a str> {
        (self.is_password && !text.is_empty()).then_some(text)
    }
}

/// Result of an insertion.
#[derive(Debug)]
pub enum Insertion {
    Typed(TypedField),
    /// The field's text is shorter than the offset; nothing was typed.
    BeyondEnd {
        /// Length of the field's text in UTF-16 units.
        length: usize,
    },
}
