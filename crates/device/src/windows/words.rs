//! Words behind a key in the output of the window manager.

pub(super) fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.find(key).map(|at| &line[at + key.len()..])
}

/// Returns the word right after the first `key`; `None` if the key is missing or a space follows it.
pub(super) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    after(text, key)?
        .split(|c: char| c.is_whitespace())
        .next()
        .filter(|word| !word.is_empty())
}
