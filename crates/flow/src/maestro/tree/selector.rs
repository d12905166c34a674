//! Selectors of Maestro commands, and the conditions that use them.

use std::ops::Range;
use std::sync::Arc;

use super::text::RawText;
use runner_text::diagnostic::Source;

/// Selector as parsed. All its conditions must hold.
#[derive(Debug, Clone)]
pub struct RawSelector {
    pub source: Arc<Source>,
    /// Range of bytes in the file.
    pub span: Range<usize>,
    /// Regular expression for text, hint or description.
    pub text: Option<RawText>,
    /// Regular expression for the resource id.
    pub id: Option<RawText>,
    /// Index among several matches, as text; negative from the end.
    pub index: Option<RawText>,
    /// Width in pixels.
    pub width: Option<i32>,
    /// Height in pixels.
    pub height: Option<i32>,
    /// Maximum difference of width and height in pixels.
    pub tolerance: Option<i32>,
    pub below: Option<Box<RawSelector>>,
    pub above: Option<Box<RawSelector>>,
    pub left_of: Option<Box<RawSelector>>,
    pub right_of: Option<Box<RawSelector>>,
    /// `containsChild`: a direct child must match.
    pub contains_child: Option<Box<RawSelector>>,
    /// `containsDescendants`: each must match some descendant.
    pub contains_descendants: Vec<RawSelector>,
    /// `childOf`: some ancestor must match.
    pub child_of: Option<Box<RawSelector>>,
    pub traits: Vec<Trait>,
    pub enabled: Option<bool>,
    pub selected: Option<bool>,
    pub checked: Option<bool>,
    pub focused: Option<bool>,
    /// `optional` of the selector: the wait is at most 7 s.
    pub optional: bool,
}

/// Property of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// The element has a text or shows its hint.
    Text,
    /// Width and height differ by at most 3 %.
    Square,
    /// The text has more than 200 UTF-16 units.
    LongText,
}

/// Condition. All its parts must hold.
#[derive(Debug, Clone)]
pub struct Condition {
    pub source: Arc<Source>,
    /// Range of bytes in the file.
    pub span: Range<usize>,
    pub platform: Option<Platform>,
    /// `visible`, within 7 s or the step timeout if that is shorter.
    pub visible: Option<RawSelector>,
    /// `notVisible`, within 7 s or the step timeout if that is shorter.
    pub not_visible: Option<RawSelector>,
    /// `true`: a text that must evaluate to a true value.
    pub script: Option<RawText>,
    /// Name in reports.
    pub label: Option<RawText>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Android: always true here.
    Android,
    /// iOS: never true here.
    Ios,
    /// Browser: never true here.
    Web,
}
