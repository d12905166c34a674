//! Advice for the signs between the items of maps and lists in brackets: commas and brackets too few or too many.

/// Returns advice for a line with a bracket or a comma too many, with a bracket that another one closes, or with a
/// key in quotes that lacks the comma before it. `column` is the byte offset of the error. Returns `None` for other
/// lines.
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

/// Returns advice for what stands behind the closing bracket of a value at `column`, the place of the error: a sign too
/// many, or a key of its own. Returns `None` for other places.
pub(super) fn behind(line: &str, column: usize) -> Option<String> {
    let value = line.get(..column)?.trim_end();
    let rest = line.get(column..)?.trim();
    let (_, value) = value.split_once(": ")?;
    let depth = signs(value).into_iter().fold(0, |depth, sign| match sign {
        '{' | '[' => depth + 1,
        '}' | ']' => depth - 1,
        _ => depth,
    });
    let is_closed = value.starts_with(['[', '{']) && value.ends_with([']', '}']) && depth == 0;
    if !is_closed || rest.is_empty() || rest.starts_with('#') {
        return None;
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match rest.split_once(": ") {
        Some((key, _)) if !key.is_empty() && key.chars().all(word) => {
            Some(format!("begin a line of its own with `{rest}`"))
        }
        _ if rest.chars().all(|c| ",;.".contains(c)) => Some(format!("`{rest}` is too many")),
        _ => None,
    }
}

/// Returns the key of a text that begins with `"key":`.
fn quoted_key(text: &str) -> Option<&str> {
    let (key, rest) = text.strip_prefix('"')?.split_once('"')?;
    rest.trim_start().starts_with(':').then_some(key)
}

/// Returns the brackets and commas of a line in order, and an `a` for each text in quotes and for each run of other
/// characters. What stands behind a `#` after a space is left out.
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

    #[test]
    fn what_stands_behind_a_value_in_brackets_is_told() {
        for (line, told) in [
            ("devices: [virtual];", Some("`;` is too many")),
            ("tags: [a],", Some("`,` is too many")),
            (
                "devices: [virtual] apps: [a]",
                Some("begin a line of its own with `apps: [a]`"),
            ),
            ("devices: [virtual] # all", None),
            ("devices: [virtual] more", None),
        ] {
            let at = line.find(']').unwrap() + 1;
            let at = at + line[at..].len() - line[at..].trim_start().len();
            assert_eq!(behind(line, at).as_deref(), told, "{line}");
        }
        for (line, part) in [
            ("- click: { id: [a }", "}"),
            ("- type: { into: { id: a } text: b }", "text"),
        ] {
            assert_eq!(behind(line, line.find(part).unwrap()), None, "{line}");
        }
    }
}
