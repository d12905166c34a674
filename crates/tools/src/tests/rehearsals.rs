//! Tests of what screens alone tell of tools.

use super::Rehearsal::{Here, Later, Nowhere};
use super::*;

/// Tools that state it. All others have the default of [`Rehearsal::from_writing`].
const STATED: [(&str, Rehearsal); 12] = [
    ("type", Here),
    ("press", Here),
    ("back", Here),
    ("home", Here),
    ("hide_keyboard", Here),
    ("scroll_to", Later),
    ("swipe_across", Here),
    ("drag", Here),
    ("wait_for", Later),
    ("swipe", Here),
    ("scroll", Here),
    ("wait_for_idle", Here),
];

#[test]
fn screens_tell_of_every_tool_what_it_states_or_the_default() {
    for entry in entries() {
        let stated = STATED.iter().find(|(name, _)| *name == entry.name);
        let expected = match (stated, entry.writing) {
            (Some((_, stated)), _) => *stated,
            (None, StepSyntax::Element) => Here,
            (None, _) => Nowhere,
        };
        assert_eq!(entry.rehearsal, expected, "{}", entry.name);
    }
    for (name, _) in STATED {
        assert!(find(name).is_some(), "{name}");
    }
}
