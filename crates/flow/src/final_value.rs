//! Checks arguments again after their expressions were evaluated: types and ranges.

use camino::Utf8Path;
use serde_json::Value;

use super::check::{Checker, from_value, literal};
use super::vocabulary::{self, Vocabulary};
use runner_text::diagnostic::Source;
use runner_tools::Entry;

/// Error about values that a tool does not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{tool}`: {}", problems.join("; "))]
pub struct ValueError {
    pub tool: &'static str,
    /// Problems, each with its advice.
    pub problems: Vec<String>,
}

/// Checks a tool's final arguments. Returns them converted to the tool's types: a number in place of a text
/// becomes a text.
pub fn check_value(entry: &Entry, arguments: &Value) -> Result<Value, ValueError> {
    check_with(entry, arguments, vocabulary::standard())
}

/// Checks a selector that is not an argument of a tool, such as of an assertion, a condition or a mask.
/// Otherwise like [`check_value`].
pub fn check_selector(selector: &Value) -> Result<Value, ValueError> {
    let vocabulary = vocabulary::standard();
    check_against("selector", selector, &vocabulary.selector, vocabulary)
}

/// Checks final arguments against the tool's schema, and returns them converted to the tool's types. Those of a tool
/// that the vocabulary does not have are returned unchecked.
pub(crate) fn check_with(
    entry: &Entry,
    arguments: &Value,
    vocabulary: &Vocabulary,
) -> Result<Value, ValueError> {
    match vocabulary.tool(entry.name) {
        Some(tool) => check_against(tool.entry.name, arguments, &tool.schema, vocabulary),
        None => Ok(arguments.clone()),
    }
}

/// Checks final arguments, and returns them as the schema reads them. The error has all problems. A text with `${` is
/// an ordinary text.
fn check_against(
    name: &'static str,
    arguments: &Value,
    schema: &Value,
    vocabulary: &Vocabulary,
) -> Result<Value, ValueError> {
    // Final values are not in a file.
    let source = Source::unread(Utf8Path::new(""));
    let mut checker = Checker {
        source: &source,
        vocabulary,
        names: None,
        diagnostics: Vec::new(),
    };
    let argument = checker.value(&from_value(arguments), schema);
    let problems: Vec<String> = checker
        .diagnostics
        .into_iter()
        .map(|diagnostic| match diagnostic.help {
            Some(help) => format!("{} ({help})", diagnostic.message),
            None => diagnostic.message,
        })
        .collect();
    if problems.is_empty() {
        return Ok(literal(&argument.value).unwrap_or_else(|| arguments.clone()));
    }
    Err(ValueError {
        tool: name,
        problems,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::fixture;

    #[test]
    fn final_values_are_checked_and_made_fit() {
        let vocabulary = fixture::vocabulary();
        let check = |name: &str, value: Value| {
            let entry = vocabulary.tool(name).unwrap().entry;
            check_with(entry, &value, vocabulary).map_err(|error| error.to_string())
        };
        assert_eq!(
            check("type", json!({ "text": 42 })),
            Ok(json!({ "text": "42" }))
        );
        assert_eq!(
            check("type", json!({ "text": "${x}" })),
            Ok(json!({ "text": "${x}" }))
        );
        // An expression had null as its result, which is neither an element nor a text.
        for value in [
            json!({ "text": "a", "into": null }),
            json!({ "text": null }),
        ] {
            let error = check("type", value).unwrap_err();
            assert!(error.contains("is missing here"), "{error}");
        }
        assert_eq!(
            check("swipe", json!({ "x1": 1.5, "y1": 0, "direction": "up" })),
            Ok(json!({ "x1": 1.5, "y1": 0, "direction": "up" }))
        );
        for (value, part) in [
            (json!({ "x1": -1, "y1": 0 }), "`x1`: -1 is out of range"),
            (json!({ "x1": "1", "y1": 0 }), "`x1`: a number is expected"),
            (json!({ "x1": 1 }), "`y1` is missing"),
            (
                json!({ "x1": 1, "y1": 1, "duration": 60001 }),
                "`duration`: 60001 is out of range",
            ),
            (
                json!({ "x1": 1, "y1": 1, "direction": "upp" }),
                "did you mean `up`?",
            ),
        ] {
            let error = check("swipe", value).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        for (index, advice) in [("1.7", "write a whole number"), ("1", "`| int`")] {
            let error = check("click", json!({ "on": { "text": "a", "index": index } }));
            let error = error.unwrap_err();
            assert!(
                error.contains(advice) && !error.contains("quotes"),
                "{error}"
            );
        }
        let error = check("click", json!({ "on": { "inside": { "index": "x" } } })).unwrap_err();
        assert!(
            error.contains("`on.inside.index`: a whole number is expected"),
            "{error}"
        );
    }
}
