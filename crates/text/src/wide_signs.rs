//! Explains signs of other keyboards in place of YAML's: full-width colons and commas, typographic quotes, dashes.

use std::sync::LazyLock;

use regex::Regex;

use crate::confusables;
use crate::diagnostic::{Code, Diagnostic};

/// Number of lines above an error in which its cause is looked for. Chosen: the parser reports such a sign at most a few
/// lines later.
const MAX_LINES: usize = 3;

/// Longest line that is looked at, in bytes. Chosen: nobody writes a longer one by hand, and a file may have thousands of
/// errors in one line.
const MAX_LINE_BYTES: usize = 1000;

/// Explains the first such sign in the line of an error, and for errors of the syntax also in the lines above. Signs within
/// texts of an app do not count. Returns `None` if there is none.
pub fn explain(diagnostic: &Diagnostic) -> Option<String> {
    let text = &diagnostic.source.text;
    let before = text.get(..diagnostic.span.start.min(text.len()))?;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let is_told = matches!(
        diagnostic.code,
        Code::Yaml | Code::Step | Code::UnknownStep | Code::UnknownKey | Code::WrongType
    );
    if !is_told {
        return None;
    }
    if let Some(help) = dash(line) {
        return Some(help);
    }
    if let Some(told) = sign(line) {
        return Some(told.replace("HERE", "this line"));
    }
    if diagnostic.code != Code::Yaml {
        return None;
    }
    let above = &text[..line_start];
    let number = above.lines().count();
    let mut lines = above.lines().rev().take(MAX_LINES).enumerate();
    lines.find_map(|(back, line)| {
        let told = sign(line)?;
        Some(told.replace("HERE", &format!("line {}", number - back)))
    })
}

/// Returns the name of a full-width or typographic sign in a value that is no text of an app, such as the serial of a device,
/// with what to write; `None` for other values.
pub fn in_name(name: &str) -> Option<&'static str> {
    const SIGNS: [(&[char], &str); 3] = [
        (
            &['，', '、'],
            "there is a full-width comma in it; write a plain `,` and a blank",
        ),
        (
            &['：'],
            "there is a full-width colon in it; write a plain `:`",
        ),
        (
            &['“', '”', '„'],
            "there is a typographic quote in it; write a plain `\"`, or leave the quotes out",
        ),
    ];
    let mut signs = SIGNS.iter();
    let (_, help) = signs.find(|(signs, _)| name.contains(*signs))?;
    Some(*help)
}

#[expect(clippy::unwrap_used, reason = "the patterns are constants with tests")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// Returns advice for a line that begins with a dash of a word processor in place of an item's.
fn dash(line: &str) -> Option<String> {
    const DASHES: [char; 8] = ['‐', '‑', '‒', '–', '—', '―', '−', '－'];
    let text = line.trim_start();
    let rest = text.strip_prefix(DASHES)?;
    let name = confusables::first(text).filter(|(character, _)| text.starts_with(*character));
    let name = name.map_or_else(|| "minus sign".to_owned(), |(_, name)| name);
    rest.starts_with([' ', '\u{a0}'])
        .then(|| format!("there is a {name} in this line; write a plain `-` in its place"))
}

/// Returns advice for a sign of a line where YAML's belongs, with `HERE` for the place of the line.
fn sign(line: &str) -> Option<String> {
    // Behind a key at the beginning of a line, or in braces.
    static COLON: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s*(?:- )?[A-Za-z][A-Za-z_ ]*：|[{｛](?:[^}｝]*[,，])?\s*[A-Za-z][A-Za-z_]*\s*：")
    });
    // Before another key in braces.
    static COMMA: LazyLock<Regex> =
        LazyLock::new(|| regex(r"[{｛][^}｝]*，\s*[A-Za-z][A-Za-z_]*\s*[:：]"));
    static QUOTE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"[:\[{,-]\s*"[^"“”„]*[“”]\s*(?:[,}\]].*)?$"#));
    static BRACKET: LazyLock<Regex> =
        LazyLock::new(|| regex(r"[:：]\s*(?:｛[^｛｝]*｝|［[^［］]*］)\s*$"));
    if line.len() > MAX_LINE_BYTES || !line.contains(['：', '，', '“', '”', '｛', '［']) {
        return None;
    }
    // What stands in quotes is a text of the app.
    let (before, _) = line.split_once(['"', '\'']).unwrap_or((line, ""));
    let told = |name: &str, plain: &str| {
        Some(format!(
            "there is a {name} in HERE; write {plain} in its place"
        ))
    };
    if COLON.is_match(before) {
        return told("full-width colon (U+FF1A)", "a plain `:` and a blank");
    }
    if COMMA.is_match(before) {
        return told("full-width comma (U+FF0C)", "a plain `,` and a blank");
    }
    if BRACKET.is_match(before) {
        return told("full-width bracket", "plain ones");
    }
    if QUOTE.is_match(line) {
        return told("typographic quote", "a plain `\"`");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{dash, sign};

    #[test]
    fn a_sign_in_place_of_one_of_yaml_is_told_from_texts() {
        for (line, name) in [
            ("- click：Sign in", "colon"),
            ("  - assert visible：登录", "colon"),
            ("app： com.a.b", "colon"),
            ("- click: { id： save }", "colon"),
            ("- click: { id: a, index： 1 }", "colon"),
            ("- click: { id: a， index: 1 }", "comma"),
            ("- click: ｛ id: a ｝", "bracket"),
            ("- click: \"Save”", "quote"),
        ] {
            let told = sign(line).unwrap_or_default();
            assert!(told.contains(name), "{line}: {told}");
        }
        for line in [
            "- click: 时间：现在",
            "- click: \"Save：now\"",
            "- click: 你好，世界",
            "- click: { text: 你好，世界 }",
            "- click: “Save”",
            "- click: { id: a, index: 1 }",
            "- type: \"He said “yes” to it\"",
        ] {
            assert_eq!(sign(line), None, "{line}");
        }
        assert!(dash("– click: Save").is_some());
        assert!(dash("  — back").is_some());
        assert_eq!(dash("- click: Save – now"), None);
    }
}
