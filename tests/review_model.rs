//! What waits for review after a scripted change of an app, and what deciding about it leaves.

mod common;

use common::review::{self, scripted_change};

#[test]
fn pending_lists_what_the_script_changed_and_nothing_else() {
    let change = scripted_change();
    let listed = change.project.run(&["pending", "-q"]).expect(1);
    let mut expected = vec![review::NEW, review::SIZE, review::LAYOUT, review::PIXELS];
    expected.extend(review::TEXT);
    expected.sort_unstable();
    let found: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), review::PENDING);
}
