//! Advice for text that is not YAML. Mostly the advice is to quote it.

mod brackets;
mod lines;

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Source};
use crate::suggest::{SourceRange, error};
use crate::wide_signs;

/// Builds the diagnostic for a syntax error at the byte offset `at`, with the parser's `message`. It marks the one
/// character there, and nothing at a line's end. It has help if the cause can be guessed from the lines around it.
/// Panics unless `at` is a character boundary of the text.
pub fn explain(source: &Arc<Source>, at: usize, message: &str) -> Diagnostic {
    let line_start = source.text[..at]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let line = source.text[line_start..].lines().next().unwrap_or_default();
    let column = at - line_start;
    let end = source.text[at..]
        .chars()
        .next()
        .filter(|char| *char != '\n' && *char != '\r')
        .map_or(at, |char| at + char.len_utf8());
    let mut diagnostic = error(
        &SourceRange::new(source, at..end),
        Code::Yaml,
        format!("not valid YAML: {message}"),
    );
    diagnostic.help = wide_signs::explain(&diagnostic)
        .or_else(|| foreign_line(source, line_start, column))
        .or_else(|| tabs(line, message))
        .or_else(|| open_bracket(&source.text, line_start))
        .or_else(|| brackets::behind(line, column))
        .or_else(|| lines::below_comment(line, message))
        .or_else(|| brackets::between_lines(line, column, message))
        .or_else(|| item_behind_key(line, message))
        .or_else(|| before(source, line_start, column, message))
        .or_else(|| advice(line, column, message));
    diagnostic
}

/// Returns advice for lines of other languages: a fence of Markdown or a comment of C, also in the line
/// before, and a numbered list. Returns `None` for other lines.
fn foreign_line(source: &Source, line_start: usize, column: usize) -> Option<String> {
    let line = source.text[line_start..].lines().next()?;
    let before = source.text[..line_start].lines().next_back();
    let begins = |begin: &str| {
        [Some(line), before]
            .iter()
            .flatten()
            .any(|it| it.trim().starts_with(begin))
    };
    if begins("```") {
        return Some("delete the line of a fence: ``` is Markdown's".to_owned());
    }
    let rest = line.get(column..).unwrap_or_default();
    if begins("//") || rest.trim_start().starts_with("//") {
        return Some("a comment begins with `#`".to_owned());
    }
    let text = line.trim_start();
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = numbered.strip_prefix(". ").or(numbered.strip_prefix(") "));
    let item = item.filter(|_| numbered.len() < text.len())?;
    Some(format!(
        "an item of a list begins with `- `: write `- {item}`"
    ))
}

/// Returns advice if a bracket above is never closed and the line continues a block: it is an item or key,
/// not deeper than the bracket's line. Returns `None` otherwise.
fn open_bracket(text: &str, line_start: usize) -> Option<String> {
    let line = text[line_start..].lines().next()?;
    let goes_on = line.trim_start().starts_with("- ")
        || line
            .split_once(':')
            .is_some_and(|(key, _)| !key.contains([',', '{', '"']));
    let (bracket, at) = last_open(&text[..line_start])?;
    let opened = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_deeper = depth(line) > depth(&text[opened..]);
    let number = text[..at].matches('\n').count() + 1;
    (goes_on && !is_deeper).then(|| format!("`{bracket}` of line {number} is not closed"))
}

/// Returns the last bracket that is still open at the end of a text, and its offset. Brackets in quotes,
/// comments and plain texts do not count. Returns `None` if there is none, or if a quote is open.
fn last_open(text: &str) -> Option<(char, usize)> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut quote = None;
    let mut before = '\n';
    let mut is_blank = true;
    for (at, c) in text.char_indices() {
        // What stands at the beginning of a value is a bracket or a quote of YAML's.
        let line = &text[..at];
        let begins = is_blank || line.ends_with(": ") || line.ends_with("- ");
        is_blank = c == '\n' || is_blank && c.is_whitespace();
        match (quote, c) {
            (Some('#'), '\n') => quote = None,
            (Some(open), _) if open != '#' && open == c && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '#') if before.is_whitespace() => quote = Some('#'),
            (None, '"' | '\'') if begins || !open.is_empty() && " [{,".contains(before) => {
                quote = Some(c);
            }
            (None, '[' | '{') if begins || !open.is_empty() => open.push((c, at)),
            (None, ']' | '}') => {
                let fits = |(other, _): &mut (char, usize)| (*other == '[') == (c == ']');
                if open.pop_if(fits).is_none() && !open.is_empty() {
                    break;
                }
            }
            (None, _) => {}
        }
        before = c;
    }
    open.last().copied().filter(|_| quote.is_none())
}

/// Returns advice for a line that needs the lines before it: a space that is missing after a colon or dash, another
/// bullet than `-`, an item without its dash, a key without its colon, a section, a key or item that is too deep.
/// Returns `None` for all else.
fn before(source: &Source, line_start: usize, column: usize, message: &str) -> Option<String> {
    let line = source.text[line_start..].lines().next()?;
    let before = source.text[..line_start].lines().next_back();
    let item = |line: &str| line.trim_start().starts_with("- ");
    let text = line.trim_start();
    if let Some(rest) = text.strip_prefix("* ").or_else(|| text.strip_prefix("• ")) {
        return Some(format!(
            "an item of a list begins with `- `: write `- {rest}`"
        ));
    }
    if let Some(rest) = text.strip_prefix('-')
        && rest.starts_with(char::is_alphabetic)
    {
        return Some("put a space after the dash".to_owned());
    }
    if let Some(help) = before.and_then(|before| lines::joined_dash(before, line)) {
        return Some(help);
    }
    if let Some(before) = before
        .and_then(missing_space)
        .or_else(|| missing_space(line))
    {
        return Some(before);
    }
    let before = before?;
    let above = &source.text[..line_start];
    let depth = |line: &str| line.len() - line.trim_start().len();
    if item(before) && !item(line) && depth(line) <= depth(before) && text.contains(':') {
        let open = before.trim().trim_start_matches("- ").strip_suffix(':');
        return Some(open.map_or_else(
            || "begin the item with `- `, as the one before it".to_owned(),
            |key| {
                format!(
                    "indent what belongs to `{key}` deeper than it, or begin the item with `- `"
                )
            },
        ));
    }
    if message.contains("simple key expected") {
        return lines::no_colon(line);
    }
    if message.contains("document start") {
        return lines::section(before)
            .or_else(|| lines::no_colon_above(above, line))
            .or_else(|| lines::deep_begin(above, line));
    }
    let is_second_value = message.contains("mapping values are not allowed");
    if is_second_value || message.contains("expected key") {
        let deep = lines::deep_item(above, line).or_else(|| lines::deep_key(above, line));
        if deep.is_some() || !is_second_value {
            return deep;
        }
        return step_without_colon(before, line)
            .or_else(|| lines::no_colon_above(above, line))
            .or_else(|| too_deep(before, line, column))
            .or_else(|| lines::key_below_item(before, line));
    }
    None
}

/// Returns advice for a line such as `app:com.example`: a key without a space after its colon. Returns `None`
/// for other lines, also for addresses such as `http://…`.
pub fn missing_space(line: &str) -> Option<String> {
    let (key, value) = line.trim().trim_start_matches("- ").split_once(':')?;
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_ ".contains(c));
    let is_value = !value.starts_with([' ', '/']) && !value.is_empty() && !value.contains(": ");
    (is_word && is_value).then(|| format!("put a space after the colon: `{key}: {value}`"))
}

/// Returns advice for a key of `line` that is deeper than a key that already has a value on its line `before`, with
/// the error at its colon, which is at `column`; `None` for other lines.
fn too_deep(before: &str, line: &str, column: usize) -> Option<String> {
    let (_, value) = before.trim().trim_start_matches("- ").split_once(':')?;
    let (key, _) = line.split_once(':')?;
    let begin = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    // A second colon in a line is in its text.
    if begin(line) <= begin(before) || column > key.len() {
        return None;
    }
    let key = key.trim_start();
    let has_value = value.starts_with(' ') && !value.trim().is_empty();
    let is_word = !key.contains([' ', '"', '{']);
    (has_value && is_word).then(|| {
        "this key is indented too deep: begin it in the same column as the key above it".to_owned()
    })
}

/// Returns advice if `before`, the line before, is a step without a colon, as its modifiers in `line` need
/// one; `None` for other lines.
fn step_without_colon(before: &str, line: &str) -> Option<String> {
    if line.trim_start().starts_with("- ") {
        return None;
    }
    let word = before.trim().strip_prefix("- ")?.trim();
    let is_word = !word.is_empty()
        && word
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_');
    is_word.then(|| format!("with modifiers the step before needs a colon: `- {word}:`"))
}

/// Returns advice for a line that is indented with tabs, or if the parser's message tells of one; `None`
/// otherwise.
fn tabs(line: &str, message: &str) -> Option<String> {
    let text = line.trim_start();
    let is_indented = line[..line.len() - text.len()].contains('\t');
    (is_indented || message.contains("found a tab") || message.contains("tabs disallowed"))
        .then(|| "indent with spaces; YAML does not take tabs".to_owned())
}

/// Returns advice for one line from the parser's message, the first character of its value and its brackets;
/// `None` if nothing fits. It may quote the value. `column` is the byte offset of the error in the line.
fn advice(line: &str, column: usize, message: &str) -> Option<String> {
    let value = value_of(line);
    if message.contains("multiline quoted scalar") || message.contains("unclosed quote") {
        return Some(
            "a quoted text before this line is not closed; add its second quote".to_owned(),
        );
    }
    if message.contains("separated from other tokens") {
        return Some("a comment needs a space before its `#`".to_owned());
    }
    if let Some((bracket, _)) = last_open(line).filter(|_| message.contains("unclosed bracket")) {
        return Some(format!("`{bracket}` of this line is not closed"));
    }
    let quoted = |text: &str| format!("quote the text: {}", quote(text));
    // `"C:\Users"` begins the escape `\U`, which needs digits.
    if ["unknown escape", "hexadecimal", "escape code"]
        .iter()
        .any(|fault| message.contains(fault))
    {
        let text = line.get(column..).and_then(|rest| rest.split('"').nth(1));
        let text = text.map_or("'…'".to_owned(), quote);
        return Some(format!(
            "inside \"…\" a backslash begins an escape; write {text} for a text that has one"
        ));
    }
    if let Some(help) = quote_in_expression(line, column) {
        return Some(help);
    }
    if line[..column.min(line.len())].contains("${") || line.contains("${") && !is_quoted(value) {
        return Some(
            "inside `{ … }` and `[ … ]` an expression must be quoted: \"${NAME}\"".to_owned(),
        );
    }
    if let Some(help) = brackets::advice(line, column) {
        return Some(help);
    }
    match value.chars().next() {
        Some('@' | '`' | '%') => {
            return Some(format!(
                "a value cannot begin with `{}` unless it is quoted; {}",
                value.chars().next().unwrap_or_default(),
                quoted(value)
            ));
        }
        Some('*') if message.contains("unknown anchor") && is_merged(line) => {
            let name = value.split_whitespace().next().unwrap_or_default();
            let name = name.trim_start_matches('*');
            return Some(format!(
                "nothing above is marked `&{name}`: write `&{name}` before the map that is meant"
            ));
        }
        Some('*') => {
            return Some(format!("`*` begins an alias in YAML; {}", quoted(value)));
        }
        Some(sign @ ('|' | '>')) if message.contains("block scalar") => {
            return Some(format!(
                "`{sign}` begins a block of lines in YAML; {}",
                quoted(value)
            ));
        }
        Some('{' | '[') => {
            let item = item_at(line, column);
            if item.starts_with(['@', '`', '%', '>', '|']) {
                return Some(quoted(item));
            }
            if let Some((bracket, _)) = last_open(line) {
                return Some(format!("`{bracket}` of this line is not closed"));
            }
            if item.contains(": ") {
                return Some(quoted(item));
            }
            return Some(format!(
                "`{}` begins a map or a list in YAML; if text is meant, quote it; else look for a bracket or comma that is missing",
                value.chars().next().unwrap_or_default()
            ));
        }
        Some('"' | '\'') => {
            return Some(
                "a quoted text ends at its second quote; inside \"…\" write \\\" for a quote, inside '…' write ''"
                    .to_owned(),
            );
        }
        _ => {}
    }
    if value.contains(": ") || value.ends_with(':') {
        return Some(format!(
            "text with `: ` in it must be quoted; {}",
            quoted(value)
        ));
    }
    if message.contains("indent") || message.contains("block") {
        return Some(
            "check the indentation: entries of one list or map begin in the same column".to_owned(),
        );
    }
    None
}

/// Returns advice for a quote inside of an expression that ends the quoted text around it, with the error behind it at
/// `column`: `"${NAME == "ada"}"`. Returns `None` for other lines.
fn quote_in_expression(line: &str, column: usize) -> Option<String> {
    let before = line.get(..column)?.trim_end();
    let quote = before
        .chars()
        .next_back()
        .filter(|c| ['"', '\''].contains(c))?;
    let at = before.rfind("${")?;
    let is_open = !before[at..].contains('}');
    let begins = before[..at].rfind(quote)?;
    let is_first = before[..begins].ends_with([' ', '{', '[', ',']);
    let end = at + line[at..].find('}')? + 1;
    let expression = &line[at..end];
    let has_both = expression.contains('"') && expression.contains('\'');
    let shown = if has_both {
        "${NAME == '…'}".to_owned()
    } else {
        expression.replace('"', "'")
    };
    (is_open && is_first).then(|| {
        format!("write \"…\" around the whole value and '…' inside of the expression: \"{shown}\"")
    })
}

/// Returns advice for the first item of a list in the line of its key: `steps: - launch`. Returns `None` for other
/// lines and other messages.
fn item_behind_key(line: &str, message: &str) -> Option<String> {
    let (key, item) = line.split_once(": - ")?;
    let name = key.trim_start().trim_start_matches("- ");
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word && message.contains("block sequence entries")).then(|| {
        format!(
            "write each item on a line of its own, below `{name}:`: `- {}`",
            item.trim()
        )
    })
}

/// Returns true for a line with the merge key `<<`, which takes no text.
fn is_merged(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("- ");
    text.trim_start().starts_with("<<")
}

fn is_quoted(value: &str) -> bool {
    value.starts_with(['"', '\''])
}

/// Returns the item of a list or map in brackets around the byte offset `column`, trimmed, and of `key: value` only
/// the value. Quotes do not count: a comma or bracket in them ends the item too.
fn item_at(line: &str, column: usize) -> &str {
    let column = column.min(line.len());
    let start = line[..column].rfind(['{', '[', ',']).map_or(0, |at| at + 1);
    let end = line[column..]
        .find([',', '}', ']'])
        .map_or(line.len(), |at| column + at);
    let item = line[start..end].trim();
    item.split_once(": ")
        .map_or(item, |(_, value)| value)
        .trim()
}

/// Returns the part of a line after its first `key: ` or its dash, trimmed; the whole line without both.
fn value_of(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches("- ").trim_start();
    line.split_once(": ")
        .map_or(line, |(_, value)| value)
        .trim()
}

/// Returns the text in quotes, in single ones if it has quotes or backslashes itself. Quotes of a word processor
/// around it are dropped.
pub(super) fn quote(text: &str) -> String {
    // Those of a word processor are meant as quotes.
    let inner = text.strip_prefix(['“', '„', '”', '«']);
    let text = inner
        .and_then(|text| text.strip_suffix(['”', '“', '»']))
        .unwrap_or(text);
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}
