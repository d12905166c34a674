//! Warns of texts that are templates of other languages, and of comparisons in place of a text.

use std::sync::LazyLock;

use regex::Regex;

use super::foreign;
use super::foreign_text::{ForeignText, regex};

/// Warns of a text with its prefix and quotes as a program writes it, with a value in braces: `f"Hello {USER}"`. Returns
/// `None` for other texts.
pub(crate) fn formatted(text: &str) -> Option<ForeignText> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(?:[fF]|\$)(?:"[^"]*?\{(\w+(?:\.\w+)*)\}[^"]*"|'[^']*?\{(\w+(?:\.\w+)*)\}[^']*')$"#,
        )
    });
    let found = FORM.captures(text)?;
    let name = found.get(1).or(found.get(2))?.as_str();
    Some(ForeignText {
        message: "the letter before the quotes, the quotes and the braces belong to the text"
            .to_owned(),
        help: format!("write `${{{name}}}` for the value, and begin the text with its quote"),
    })
}

/// Warns of a word in braces for a value that a function makes, such as `{random}` and `{uuid}`. Returns `None` for other
/// texts, and for `${…}` and `{{…}}`.
pub(crate) fn generated(text: &str) -> Option<ForeignText> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?:^|[^${])\{(rand|random\w*|uuid\w*|guid|timestamp)\}(?:[^}]|$)")
    });
    let found = FORM.captures(text)?;
    let word = &found[1];
    let (name, call) = match word {
        _ if text.contains('@') => ("MAIL", "random_email()"),
        "timestamp" => ("TIME", "now('%s')"),
        _ if word.starts_with("uuid") || word == "guid" => ("ID", "uuid()"),
        _ => ("TEXT", "random_text(8)"),
    };
    Some(ForeignText {
        message: format!("`{{{word}}}` is plain text here, not a value"),
        help: format!(
            "keep a value in a step before, `set: {{ {name}: \"${{{call}}}\" }}`, and write `${{{name}}}`"
        ),
    })
}

/// Warns of a comparison of a value with a constant or another value, in place of the text of an element: `${device.sdk} >
/// 30`. Returns `None` for other texts, such as `${FOLDER} > Inbox`.
pub(crate) fn comparison(text: &str) -> Option<ForeignText> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^\$\{([^{}]+)\} ?(==|!=|<=|>=|<|>) ?(?:\$\{([^{}]+)\}|(\d+(?:\.\d+)?|'[^'{}]*'|"[^"{}]*"|true|false))$"#,
        )
    });
    let found = FORM.captures(text.trim())?;
    let right = found.get(3).or(found.get(4))?.as_str().trim();
    let ours = foreign::quoted(&format!("${{{} {} {right}}}", found[1].trim(), &found[2]));
    Some(ForeignText {
        message: "this looks for an element with just this text".to_owned(),
        help: format!(
            "a comparison is one expression: {ours} as a condition without a map, or under `that` of `assert`; where the app shows just this, write `{{ text: … }}`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_told_from_texts_of_an_app() {
        for (text, ours) in [
            ("f\"Hello {USER}\"", "`${USER}`"),
            ("$'Hello {user.name}!'", "`${user.name}`"),
        ] {
            let told = formatted(text).map(|found| found.help).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for (text, ours) in [
            ("test_{random}@example.com", "${random_email()}"),
            ("note-{uuid}", "${uuid()}"),
            ("{timestamp}", "${now('%s')}"),
        ] {
            let told = generated(text).map(|found| found.help).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for (text, ours) in [
            ("${device.sdk} > 30", "\"${device.sdk > 30}\""),
            ("${A}=='x'", "\"${A == 'x'}\""),
            ("${A} != ${B}", "\"${A != B}\""),
        ] {
            let told = comparison(text).map(|found| found.help).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for shown in [
            "{x}",
            "{name}",
            "${random}",
            "{{random}}",
            "random",
            "Hello {USER}",
            "f(x)",
            "${FOLDER} > Inbox",
            "${A} of 30",
            "${A}",
            "5 > 3",
        ] {
            let doubt = formatted(shown).or_else(|| generated(shown));
            let doubt = doubt.or_else(|| comparison(shown));
            assert!(doubt.is_none(), "{shown}");
        }
    }
}
