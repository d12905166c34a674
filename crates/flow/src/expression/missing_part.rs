//! Says what a value has in place of a part that is missing.

use minijinja::Value;

use super::error::EvalError;
use super::foreign::method;
use super::kind::Kind;

/// Number of names that a message lists. Chosen: more would hide the message.
const MAX_NAMED: usize = 20;

/// Adds context to an error about a missing `part` of the value `known`, whose path is `of`: the first 20
/// keys of a map, the length of a list, or for others an equivalent of a method or the kind. Leaves the
/// error as it is for an undefined value.
pub(super) fn with_context(
    mut error: EvalError,
    of: &str,
    known: &Value,
    part: Option<&str>,
) -> EvalError {
    let more = match Kind::from_value(known) {
        Some(Kind::Map) if known.len() == Some(0) => format!("`{of}` is empty"),
        Some(Kind::Map) => {
            let keys = known.try_iter().into_iter().flatten().take(MAX_NAMED);
            let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
            format!("`{of}` has: {}", keys.join(", "))
        }
        Some(Kind::List) => {
            format!("`{of}` has {} items", known.len().unwrap_or_default())
        }
        Some(kind) => match part.and_then(method) {
            Some(ours) => format!("write `{}`", ours.replace('…', of)),
            None => format!("`{of}` is {kind}"),
        },
        None => return error,
    };
    error.message = format!("{}; {more}", error.message);
    error
}
