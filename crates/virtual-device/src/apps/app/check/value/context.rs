//! Context of a value's check.

use std::collections::BTreeSet;
use std::ops::Range;

/// Context of a value's check, and the names that values refer to.
pub(in super::super) struct Values<'a> {
    /// The app's actions, which events may name. `None` if the names of events are not checked.
    pub(super) actions: Option<&'a BTreeSet<String>>,
    /// `{context: NAME}` is allowed here.
    pub(super) has_context: bool,
    /// The value is an argument of `formatString`, which fills in what stands in `${…}`.
    pub(super) is_template: bool,
    /// Ids of components that values refer to, with their spans.
    pub(in super::super) components: Vec<(String, Range<usize>)>,
}

impl<'a> Values<'a> {
    /// Returns the context of an action's steps. Values there may use `{context: …}`, and names of actions
    /// are not checked.
    pub(in super::super) fn for_action() -> Self {
        Self {
            actions: None,
            has_context: true,
            is_template: false,
            components: Vec::new(),
        }
    }

    /// Returns the context of a surface. In an app without actions, names of events are not checked: nothing answers
    /// them.
    pub(in super::super) fn for_surface(actions: &'a BTreeSet<String>) -> Self {
        Self {
            actions: (!actions.is_empty()).then_some(actions),
            has_context: false,
            is_template: false,
            components: Vec::new(),
        }
    }
}
