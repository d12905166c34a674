//! Tests that clients of one device have each their own last look.

use super::tests::{Workspace, text};
use runner_tools::Caller;

#[test]
fn each_client_is_told_what_changed_since_its_own_look() {
    let workspace = Workspace::default();
    let other = Caller::default();
    let page = |first: &str| {
        let lines: String = (1..20)
            .map(|n| text(&format!("line {n}"), n * 100))
            .collect();
        text(first, 0) + &lines
    };
    workspace.look(&page("3"));
    let whole = workspace.changes_for(&other, &page("4"), None);
    assert!(
        whole.starts_with("look 2, whole, as nothing was looked at before: "),
        "{whole}"
    );
    assert_eq!(
        workspace.changes(&page("4"), None),
        "look 3 since 1: 1 changed\n~ @e1 TextView \"3\" → \"4\""
    );
    for (since, title) in [(None, "look 4 since 2"), (Some(3), "look 5 since 3")] {
        assert_eq!(
            workspace.changes_for(&other, &page("4"), since),
            format!("{title}: nothing changed")
        );
    }
}
