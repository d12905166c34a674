//! Recognizes selectors of CSS in texts, with what they are in a flow.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::flow_text;
use serde_json::json;

use super::foreign_text::regex;

/// Advice where nothing of the selector can be taken over.
const NO_CSS: &str = "there is no CSS; write `{ id: … }` or `{ text: … }`";

/// Extensions of files, which apps show: `button.png` has no class.
const EXTENSIONS: [&str; 12] = [
    "css", "dart", "html", "java", "jpeg", "jpg", "js", "kt", "pdf", "png", "svg", "xml",
];

/// Returns advice for a selector of CSS, such as `.btn-primary`, `div > span` or `[data-testid=save]`: the selector
/// of a flow if an attribute, a text or an id can be taken over, else [`NO_CSS`]. Returns `None` for all else, also
/// for an id alone such as `#travel`, which may be a hashtag, and for names of files such as `button.png`.
pub(crate) fn css(text: &str) -> Option<String> {
    attribute(text)
        .or_else(|| words(text))
        .or_else(|| id_of_class(text))
        .or_else(|| is_css(text).then(|| NO_CSS.to_owned()))
}

/// Returns advice for one attribute and its value as the end of the text: `input[placeholder="Name"]`. An attribute
/// without equivalent gives [`NO_CSS`]. The element before it and the kind of comparison are dropped. Returns `None`
/// for other texts.
fn attribute(text: &str) -> Option<String> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^[\w.#-]*\[\s*([\w-]+)\s*[~|^$*]?=\s*['"]?([^'"\]]+)['"]?\s*\]$"#)
    });
    let found = ATTRIBUTE.captures(text)?;
    let key = match found[1].to_lowercase().as_str() {
        "id" | "data-testid" | "data-test-id" | "data-test" | "data-cy" | "data-qa" | "testid"
        | "resource-id" => "id",
        "text" => "text",
        "aria-label" | "content-desc" | "alt" => "desc",
        "placeholder" => "hint",
        _ => return Some(NO_CSS.to_owned()),
    };
    let ours = flow_text::with_expressions(&json!({ key: found[2].trim() }));
    Some(format!("there is no CSS; write `{ours}`"))
}

/// Returns advice for an element with words in quotes anywhere in the text: `button:has-text("Save")` becomes a text
/// that contains them. Returns `None` for other texts.
fn words(text: &str) -> Option<String> {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| regex(r#":(?:has-text|text|text-is|contains)\(\s*['"]([^'"]+)['"]\s*\)"#));
    let found = WORDS.captures(text)?;
    let ours = flow_text::with_expressions(&json!({ "text": { "contains": &found[1] } }));
    Some(format!("there is no CSS; write `{ours}`"))
}

/// Returns advice for an id behind a known element or widget, as the whole text: `button#save`, `Button#save`. The
/// element is dropped. Returns `None` for other texts.
fn id_of_class(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:div|span|button|input|li|ul|ol|textarea|select|nav|Button|CheckBox|EditText|ImageButton|ImageView|RadioButton|Spinner|Switch|TextView|View)#([A-Za-z_][\w-]*)$",
        )
    });
    let found = FORM.captures(text)?;
    Some(format!("there is no CSS; write `{{ id: {} }}`", &found[1]))
}

/// Returns true for a selector of CSS by classes, ids with more behind them, `>` or a pseudo-class such as
/// `:first-child`, also one of which nothing can be taken over. False for an id alone, an element's name alone, and
/// names of files.
fn is_css(text: &str) -> bool {
    static FORMS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
        [
            // `.btn-primary`, `.login_form .name`
            regex(
                r"^\.(?:[A-Za-z][A-Za-z0-9]*[-_][\w-]*|btn\w*|[a-z]{5,})(?:\s*[.>#:\[+~][\w.#:>\[ -]*)?$",
            ),
            // `#form .name`, `#list > li`, `#save:first-child`
            regex(r"^#[A-Za-z_][\w-]*(?:[.:][a-z]|\[|\s+(?:>|\.[a-z]|\[))"),
            // `div > span`, `.list > li`
            regex(
                r"^(?:[.#][A-Za-z][\w-]*|(?:div|span|button|input|li|ul|ol)[\w.#-]*)\s*>>?\s*[.#\w\[]",
            ),
            regex(r"[\w\])]:(?:nth-child|nth-of-type|nth-match|first-child|last-child|not|has)\b"),
        ]
    });
    static CLASS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:div|span|button|input|li|ul|ol|textarea|select|nav)(?:[.#][A-Za-z][\w-]*)*[.#]([A-Za-z][\w-]*)$",
        )
    });
    let has_class = CLASS
        .captures(text)
        .is_some_and(|found| !EXTENSIONS.contains(&&found[1]));
    has_class || FORMS.iter().any(|form| form.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_is_told_from_texts_of_screens() {
        for (text, ours) in [
            (".btn-primary", NO_CSS),
            (".login_form .name", NO_CSS),
            (".submit", NO_CSS),
            ("button.primary", NO_CSS),
            ("div > span", NO_CSS),
            ("#form .name", NO_CSS),
            ("#list > li:nth-child(2)", NO_CSS),
            ("input[name=q]", NO_CSS),
            ("[data-testid=\"save\"]", "`{ id: save }`"),
            ("Button#save", "`{ id: save }`"),
            ("input[placeholder='Name']", "`{ hint: Name }`"),
            ("[aria-label=Close]", "`{ desc: Close }`"),
            (
                "button:has-text(\"Sign in\")",
                "`{ text: { contains: Sign in } }`",
            ),
        ] {
            let told = css(text).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for shown in [
            "#travel",
            "#travel #food",
            "#travel: notes",
            ".NET",
            ".html",
            "...",
            "Settings > Display",
            "[Draft] Groceries",
            "button.png",
            "a.m.",
            "Total: 5",
            "1.5",
            "Where to? :)",
        ] {
            assert_eq!(css(shown), None, "{shown}");
        }
    }
}
