//! Makes text from outside harmless: it can neither steer a terminal, nor pretend to be another line, nor
//! give commands to the CI system that reads the output.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if a CI system reads the output and takes some of its lines for commands.
static COMMANDS: AtomicBool = AtomicBool::new(false);

/// Makes [`no_commands`] take effect: from now on no line of the output can be a command of GitHub Actions.
pub fn take_commands_out() {
    COMMANDS.store(true, Ordering::Relaxed);
}

/// Returns true for control characters, `\r` among them but not line feed and tab, for characters that change the
/// reading direction, for line and paragraph separators, and for U+FFFE and U+FFFF.
pub fn is_harmful(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Makes harmful characters, such as control characters, visible as escapes of the form `\u{1b}`. Line feeds and
/// tabs stay; `\r\n` becomes a line feed. A lone `\r` is escaped.
pub fn text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    // A line end of Windows is harmless; a lone `\r` writes over its line.
    escaped(&text.replace("\r\n", "\n"), |c| {
        c.escape_unicode().to_string()
    })
    .into()
}

/// Makes harmful characters visible like [`text`], and makes one line of it: a line feed becomes `\u{a}`, a
/// tab four spaces. For names and titles.
pub fn line(line: &str) -> Cow<'_, str> {
    match text(line) {
        clean if clean.contains(['\n', '\t']) => {
            clean.replace('\n', "\\u{a}").replace('\t', "    ").into()
        }
        clean => clean,
    }
}

/// Escapes harmful characters in JSON as `\uXXXX`, which does not change its meaning. Also breaks up `##[` by an
/// escape, because GitHub Actions takes `##[error]` for a command anywhere in a line. `json` must have such characters
/// only inside of strings: an escape elsewhere, as of the `\r` of a line end, breaks it. Line feeds and tabs stay.
pub fn json(json: &str) -> String {
    let plain = json.replace("##[", "##\\u005b");
    escaped(&plain, |c| {
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units).iter();
        units.map(|unit| format!("\\u{unit:04x}")).collect()
    })
}

/// Replaces each harmful character by what `escape` makes of it.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_harmful(c) {
            clean.push_str(&escape(c));
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Breaks up commands of GitHub Actions by a space: `::error::` at the start of a line or behind its leading blanks,
/// and `##[error]` anywhere. Returns `text` unchanged before [`take_commands_out`] is called.
pub fn no_commands(text: &str) -> Cow<'_, str> {
    if COMMANDS.load(Ordering::Relaxed) {
        without_commands(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// Breaks what a CI server takes for a command: `::` at the beginning of a line or behind its blanks becomes `: :`, and
/// `##[` anywhere `## [`. Borrows a text without them.
fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    if !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.len() - line.trim_start().len();
        let (margin, rest) = line.split_at(start);
        let rest = match rest.strip_prefix("::") {
            Some(rest) => format!(": :{rest}"),
            None => rest.to_owned(),
        };
        format!("{margin}{}", rest.replace("##[", "## ["))
    });
    Cow::Owned(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_apps_can_not_steer_the_terminal() {
        for (given, as_text, as_line) in [
            ("plain ä 漢", "plain ä 漢", "plain ä 漢"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\tb\r\nc\rd", "a\tb\nc\\u{d}d", "a    b\\u{a}c\\u{d}d"),
            (
                "\u{202e}evil\u{7}",
                "\\u{202e}evil\\u{7}",
                "\\u{202e}evil\\u{7}",
            ),
            (
                "\u{9b}31m\u{9d}0;x\u{200f}",
                "\\u{9b}31m\\u{9d}0;x\\u{200f}",
                "\\u{9b}31m\\u{9d}0;x\\u{200f}",
            ),
        ] {
            assert_eq!(text(given), as_text);
            assert_eq!(line(given), as_line);
        }
    }

    #[test]
    fn json_means_the_same() {
        let value =
            serde_json::json!({ "a\u{9b}": "\u{1b}]0;x\u{7}\u{202e}\u{9d} é😀 ##[error]###[x]" });
        let printed = json(&value.to_string());
        assert!(!printed.contains(is_harmful), "{printed}");
        assert!(!printed.contains("##["), "{printed}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&printed).unwrap(),
            value
        );
    }

    #[test]
    fn no_line_is_a_command() {
        for (given, expected) in [
            ("a::b", "a::b"),
            (
                "::error::x\n  ::warning::y\nz",
                ": :error::x\n  : :warning::y\nz",
            ),
            ("a ##[error]b", "a ## [error]b"),
        ] {
            assert_eq!(without_commands(given), expected);
        }
    }
}
