//! Numbers of things in words.

/// Returns a number and the thing, in the plural unless it is one: `2 flows`.
pub(super) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
