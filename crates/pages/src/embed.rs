//! Text of others in what the program writes for browsers and CI systems: the one function for each place.

use runner_text::harmless;
use serde::Serialize;

/// JSON that may stand in a script: nothing in it ends the script or a line of it.
///
/// # Errors
/// A value that is no JSON.
pub fn script(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

/// Text as HTML, between tags or in a quoted attribute.
pub fn html(text: &str) -> String {
    clean(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Text that Markdown takes as it is, on one line: its first `most` characters.
pub fn markdown(text: &str, most: usize) -> String {
    let text = clean(text);
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut characters = text.chars();
    for c in characters.by_ref().take(most) {
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
