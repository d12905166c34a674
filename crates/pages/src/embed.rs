//! Escapes text from others for the formats that the program writes: scripts, HTML and Markdown. Each format
//! has one function.

use runner_text::harmless;
use serde::Serialize;

/// Serializes a value as JSON on one line that may stand in a `<script>` element. Each `<` is escaped, so that
/// nothing ends the element, and so are U+2028 and U+2029, which end a line in older browsers. The JSON reads back as
/// the same value.
///
/// # Errors
/// Returns an error if the value cannot be written as JSON.
pub fn script(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

/// Escapes text for HTML, between tags or in an attribute in double quotes; single quotes are not escaped. Control
/// characters and others that change the text's direction become visible, such as `\u{1b}`. A tab becomes four
/// spaces; line feeds stay.
pub fn html(text: &str) -> String {
    clean(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Escapes text so that Markdown shows it as it is. Line feeds become spaces, and control characters visible, such as
/// `\u{1b}`. Keeps the first `max_chars` characters, counted after that but before escaping for Markdown, and adds
/// `…` to a cut text. An empty text stays empty.
pub fn markdown(text: &str, max_chars: usize) -> String {
    let text = clean(text);
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut characters = text.chars();
    for c in characters.by_ref().take(max_chars) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' => escaped.push(' '),
            // GitHub also makes mentions of `@` and emoji of `:`.
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '#' | '|' | '~' | '!' | '$' | '@'
            | ':' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    if characters.next().is_some() {
        escaped.push('…');
    }
    escaped
}

fn clean(text: &str) -> String {
    harmless::text(text).replace('\t', "    ")
}
