//! Forms in which outputs, flows and servers write a value.

use super::places::MIN_MASKED_CHARS;
use crate::flow_text::escaped_text;
use crate::{percent, shell};

/// Returns `value` unchanged, with white space as one-line outputs write it, each of its lines that is long
/// enough, its words joined by spaces, and its forms in flows. The forms may be equal.
pub(super) fn spacings(value: &str) -> Vec<String> {
    let mut spacings = vec![value.to_owned()];
    if value.contains(|c: char| c.is_whitespace() && c != ' ')
        || value.trim() != value
        || value.contains("  ")
    {
        spacings.push(value.split_whitespace().collect::<Vec<_>>().join(" "));
        spacings.push(value.trim().to_owned());
        spacings.push(value.trim().replace("\r\n", "\n"));
        spacings.push(value.trim().replace(['\t', '\n', '\r'], " "));
        // Reports print each line of a text after a margin.
        let lines = value.split(['\n', '\r']).map(str::trim);
        spacings.extend(
            lines
                .filter(|line| line.chars().count() >= MIN_MASKED_CHARS)
                .map(str::to_owned),
        );
    }
    // Messages name the words that two texts share.
    let words = value.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        spacings.push(words.join(" "));
    }
    let in_flows: Vec<String> = spacings.iter().flat_map(|it| in_flow(it)).collect();
    spacings.extend(in_flows);
    spacings
}

/// Returns the forms of `value` that a flow contains where they differ from it: with `${` escaped, and with
/// the characters of regular expressions escaped, as several tools and people do it. Returns none for a value
/// without such characters.
fn in_flow(value: &str) -> Vec<String> {
    /// Characters that everybody escapes.
    const SPECIAL: &str = r"\.+*?()|[]{}^$";
    let mut written = Vec::new();
    if value.contains("${") {
        written.push(escaped_text(value));
    }
    // The last two are those of `fancy_regex::escape` and `regex::escape`.
    for also in ["", "#", "#&-~"] {
        let mut regex = String::new();
        for character in value.chars() {
            if SPECIAL.contains(character) || also.contains(character) {
                regex.push('\\');
            }
            regex.push(character);
        }
        if regex != value {
            written.push(escaped_text(&regex));
            written.push(regex);
        }
    }
    written
}

/// Returns `value` and its escaped forms of all outputs: shells, XML, URLs, JSON, also escaped twice, and in
/// upper and lower case if it is a name. Sorted, each once, without blank ones.
pub(super) fn forms_of(value: &str) -> Vec<String> {
    let spaced = value.replace(' ', "%s");
    let mut forms = vec![
        value.to_owned(),
        shell::escape_single(value),
        shell::escape_single(&spaced),
        spaced,
        value.replace('\'', "''"),
        quick_xml::escape::escape(value).into_owned(),
        quick_xml::escape::partial_escape(value).into_owned(),
        percent_encoded(value, "%20"),
        percent_encoded(value, "+"),
    ];
    // Names of keys and headers may be lower-cased or upper-cased.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if value.bytes().all(is_name) {
        forms.extend([value.to_ascii_uppercase(), value.to_ascii_lowercase()]);
    }
    // Escaped twice: the log and JSON quote texts that are escaped already, such as a command.
    let twice: Vec<String> = escaped(value).iter().flat_map(|it| escaped(it)).collect();
    forms.extend(forms.clone().iter().flat_map(|form| escaped(form)));
    forms.extend(twice);
    forms.extend(forms_of_servers(value));
    forms.retain(|form| !form.trim().is_empty());
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Returns `value` as servers and browsers escape it in responses: as XML, percent-encoded and as JSON, in
/// several styles. Forms may be equal.
fn forms_of_servers(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let xml = quick_xml::escape::escape(value);
    forms.push(xml.replace("&apos;", "&#39;").replace("&quot;", "&#34;"));
    forms.push(xml.replace("&apos;", "&#x27;"));
    forms.push(xml.replace("&apos;", "&#39;"));
    // Python's `quote` leaves `/`, `encodeURIComponent` the others.
    for also in ["", "/", "!'()*"] {
        let encoded = percent::encoded(value, also.as_bytes());
        forms.push(lower_hexadecimals(&encoded));
        forms.push(encoded);
    }
    let json = serde_json::to_string(value).unwrap_or_default();
    let json = json.get(1..json.len().saturating_sub(1));
    let json = json.unwrap_or_default();
    let is_outside_ascii = |it: char| !it.is_ascii();
    // PHP writes `\/`, Go `\u0026`, Python and PHP what is not ASCII as `\u00f6`.
    let is_markup = |it: char| "<>&'".contains(it);
    for text in [json.to_owned(), json.replace('/', r"\/")] {
        forms.push(in_escapes(&text, is_markup));
        forms.push(in_escapes(&text, |it| "<>&".contains(it)));
        forms.push(in_escapes(&text, is_outside_ascii));
        forms.push(in_escapes(&text, |it| {
            is_outside_ascii(it) || is_markup(it)
        }));
        forms.push(text);
    }
    forms
}

/// Escapes the characters for which `is_escaped` is true as `\uXXXX`, as JSON does, two of them above
/// U+FFFF. The digits are in lower case; all other characters stay.
fn in_escapes(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        if is_escaped(character) {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Turns the two digits after each `%` into small letters; all else stays.
fn lower_hexadecimals(encoded: &str) -> String {
    let mut lower = String::with_capacity(encoded.len());
    let mut left = 0;
    for character in encoded.chars() {
        left = if character == '%' {
            3
        } else {
            left - 1.min(left)
        };
        lower.push(if left > 0 {
            character.to_ascii_lowercase()
        } else {
            character
        });
    }
    lower
}

/// Returns a text as JSON and as Rust's `Debug` escape it, without the quotes, in this order.
fn escaped(text: &str) -> Vec<String> {
    let quoted = [
        serde_json::to_string(text).unwrap_or_default(),
        format!("{text:?}"),
    ];
    let inner = quoted
        .iter()
        .filter_map(|it| it.get(1..it.len().saturating_sub(1)));
    inner.map(str::to_owned).collect()
}

/// Encodes `value` for the query of a URL: all but the unreserved characters of RFC 3986 as `%XX`, and a
/// space as `space`.
fn percent_encoded(value: &str, space: &str) -> String {
    // An encoded `%` is `%25`, so that this is always a space.
    percent::encoded(value, &[]).replace("%20", space)
}
