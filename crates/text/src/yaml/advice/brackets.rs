//! Advice for the signs between the items of maps and lists in brackets: commas and brackets too few or too many.

/// Returns advice for a line with a bracket or a comma too many, or with a key in quotes that lacks the comma
/// before it. `column` is the byte offset of the error. Returns `None` for other lines.
pub(super) fn advice(line: &str, column: usize) -> Option<String> {
    if let Some(key) = quoted_key(line.get(column..).unwrap_or_default())
        && line[..column].contains(['{', '['])
        && !line[..column].trim_end().ends_with(['{', '[', ',', ':'])
    {
        return Some(format!("a comma is missing before `\"{key}\"`"));
    }
    let signs = signs(line);
    // Brackets may be open from the lines above.
    let first = signs.iter().find(|sign| "{}[]".contains(**sign));
    let is_whole = first.is_some_and(|sign| "{[".contains(*sign));
    let mut open = Vec::new();
    let mut before = ' ';
    for sign in signs {
        match sign {
            '{' | '[' => open.push(sign),
            '}' | ']' => match open.pop() {
                None if is_whole => return Some(format!("one `{sign}` is too many")),
                Some(open) if is_whole && (open == '{') != (sign == '}') => {
                    return Some(format!("`{open}` of this line is not closed"));
                }
                _ => {}
            },
            ',' if [',', '{', '['].contains(&before) => {
                return Some("one comma is too many".to_owned());
            }
            _ => {}
        }
        before = sign;
    }
    None
}

/// Returns advice for items in brackets that stand on lines of their own: dashes, which YAML does not take there, and a
/// comma that is missing at the end of a line. `message` is the parser's. Returns `None` for other errors.
pub(super) fn between_lines(line: &str, column: usize, message: &str) -> Option<String> {
    if message.contains("only valid inside a block") {
        return Some(
            "inside of brackets a comma stands between the items, and no `- ` before them: write `[ a, b ]`, or leave the brackets out"
                .to_owned(),
        );
    }
    let key = line.get(..column)?.trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_key = !key.is_empty() && key.chars().all(is_word);
    let is_second =
        message.contains("illegal placement of ':'") || message.contains("expected ',' or");
    (is_key && is_second).then(|| {
        "inside of brackets a comma stands between the items: one is missing at the end of the line before"
            .to_owned()
    })
}

/// Returns the key of a text that begins with `"key":`.
fn quoted_key(text: &str) -> Option<&str> {
    let (key, rest) = text.strip_prefix('"')?.split_once('"')?;
    rest.trim_start().starts_with(':').then_some(key)
}

/// Returns the brackets and commas of a line, and for other letters together an `a`.
/// What stands in quotes or behind `#` is left out.
fn signs(line: &str) -> Vec<char> {
    let mut signs = Vec::new();
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if open == c && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if " [{,:".contains(before) => {
                quote = Some(c);
                signs.push('a');
            }
            (None, '#') if before == ' ' => break,
            (None, '{' | '}' | '[' | ']' | ',') => signs.push(c),
            (None, c) if !c.is_whitespace() => {
                if signs.last() != Some(&'a') {
                    signs.push('a');
                }
            }
            (None, _) => {}
        }
        before = c;
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_too_many_is_told_from_signs_in_texts() {
        for (line, told) in [
            ("- click: { id: a }}", Some("one `}` is too many")),
            ("tags: [ a, b ]]", Some("one `]` is too many")),
            (
                "- click: { id: a,, index: 1 }",
                Some("one comma is too many"),
            ),
            (
                "{ \"a\": [ { \"b\": 1 ] }",
                Some("`{` of this line is not closed"),
            ),
            (
                "- click: { id: [ a }",
                Some("`[` of this line is not closed"),
            ),
            ("- click: { , id: a }", Some("one comma is too many")),
            ("- click: { text: \"a}}\" }", None),
            ("- click: { id: a } # }}", None),
        ] {
            assert_eq!(advice(line, line.len()).as_deref(), told, "{line}");
        }
        let line = "{ \"app\": \"a\" \"steps\": [] }";
        let at = line.find("\"steps").unwrap();
        let told = advice(line, at);
        assert_eq!(
            told.as_deref(),
            Some("a comma is missing before `\"steps\"`")
        );
    }
}
