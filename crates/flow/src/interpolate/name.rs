//! Says which names may be given to variables and results.

use crate::expression::{self, FUNCTIONS};

/// Names with a built-in meaning in every expression.
pub const BUILT_IN_NAMES: [&str; 4] = ["os", "device", "flow", "run"];

/// Reason why a name cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Name that does not match `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` cannot be a name; use letters, digits and `_`, and do not begin with a digit")]
    Malformed(String),
    /// Built-in name, or a word of the expression language.
    #[error("`{0}` already means something in expressions; choose another name")]
    BuiltIn(String),
    /// The values of the flow would take too much memory.
    #[error("`{0}` cannot be kept: the values of this flow take more than 64 MB")]
    TooMuch(String),
}

/// Returns true if expressions can read the name: ASCII letters, digits and `_`, and no digit first. An empty
/// name is false.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    name.chars().all(is_part) && name.starts_with(|first: char| !first.is_ascii_digit())
}

/// Trims a name and the signs of a value around it (`${…}`, `@`, `%`), and replaces each `-`, blank and `.` by `_`. A
/// digit at the beginning gets a `_` before it. Returns `None` if [`check_name`] still refuses the result.
pub fn plain_name(name: &str) -> Option<String> {
    let bare = name.trim().trim_matches(['$', '{', '}', '@', '%', ' ']);
    let mut plain = bare.replace(['-', ' ', '.'], "_");
    if plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    check_name(&plain).is_ok().then_some(plain)
}

/// Checks that `name` may be given to a variable or a result: it has the form of a name, and is no built-in name,
/// function or word of the language. Names that are taken by other values pass.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if !is_well_formed(name) {
        return Err(NameError::Malformed(name.to_owned()));
    }
    // minijinja's `namespace` and `debug` have no meaning here, and must not seem to have one.
    if BUILT_IN_NAMES.contains(&name)
        || expression::is_reserved(name)
        || FUNCTIONS.contains(&name)
        || ["namespace", "debug"].contains(&name)
    {
        return Err(NameError::BuiltIn(name.to_owned()));
    }
    Ok(())
}
