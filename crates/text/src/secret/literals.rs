//! Where a YAML text may hold secrets that are written out.
//!
//! It is asked about texts that do not read, so it looks at their letters only and takes too much rather than too
//! little: the values of names that are secret or sound so, and what is typed where a step says `secret:`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static KEY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"["']?([A-Za-z_]\w*)["']?[ \t]*:(?:[ \t]+|$)"#));
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"["']?secrets["']?[ \t]*:[ \t]*(\[[^\]]*|(?:\n[ \t]*-[^\n]*)+|[^\n]*)"#)
});
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_]\w*"));
static SECRET_STEP: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\bsecret["']?[ \t]*:"#));

/// Keys whose values a step types.
const TYPED: [&str; 4] = ["text", "type", "value", "password"];

/// How the names of variables end whose values are secret.
const SECRET_NAMES: [&str; 8] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PASSPHRASE",
    "KEY",
    "CREDENTIALS",
];

/// Whether the value of a variable of this name is a secret, as the name says.
pub fn sounds_secret(name: &str) -> bool {
    name.to_ascii_uppercase()
        .split('_')
        .any(|part| SECRET_NAMES.iter().any(|word| part.ends_with(word)))
}

#[expect(
    clippy::expect_used,
    reason = "the patterns above read, as every test of this module shows"
)]
fn pattern(text: &str) -> Regex {
    regex::RegexBuilder::new(text)
        .multi_line(true)
        .build()
        .expect("a pattern that reads")
}

/// Where in `text` secrets may stand, sorted; `names` are secret besides those that the text itself calls so.
pub fn literals(text: &str, names: &[String]) -> Vec<Range<usize>> {
    let declared: Vec<&str> = DECLARED
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .flat_map(|list| NAME.find_iter(list.as_str()))
        .map(|name| name.as_str())
        .collect();
    let has_secret_steps = SECRET_STEP.is_match(text);
    let mut found: Vec<Range<usize>> = KEY
        .captures_iter(text)
        .filter_map(|key| Some((key.get(1)?.as_str(), key.get(0)?)))
        .filter(|(name, _)| {
            // A key of a flow is in small letters, a variable of an environment is not.
            let is_variable = !name.contains(|c: char| c.is_ascii_lowercase());
            names.iter().any(|secret| secret == name)
                || declared.contains(name)
                || (is_variable && sounds_secret(name))
                || (has_secret_steps && TYPED.contains(name))
        })
        // What stands below `type:` has keys of its own.
        .filter(|(name, key)| {
            let rest = text[key.end()..].split('\n').next().unwrap_or_default();
            let is_map = rest.trim().is_empty() || rest.starts_with('{');
            !(TYPED.contains(name) && is_map)
        })
        .flat_map(|(_, key)| value(text, key.range()))
        .collect();
    found.sort_by_key(|range| range.start);
    found
}

/// The value after a key: the rest of its line, and lines that belong to it. An expression is no secret, it names one.
fn value(text: &str, key: Range<usize>) -> Vec<Range<usize>> {
    let at = key.end;
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let rest = text[at..line_end].trim_end();
    let below = || lines_below(text, key.start, line_end);
    let inside = match rest.chars().next() {
        // Only a list or a map of what should be one text: what stands in it may be it.
        Some('{' | '[') => return std::iter::once(at..at + rest.len()).collect(),
        None | Some('|' | '>') => return below(),
        Some(quote @ ('"' | '\'')) => match closing(rest, quote) {
            Some(end) => at + 1..at + end,
            None => {
                let first = std::iter::once(at + 1..at + rest.len());
                return first.chain(below()).collect();
            }
        },
        Some(_) => {
            let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let is_open =
                |text: &str| text.matches(['{', '[']).count() > text.matches(['}', ']']).count();
            let end = if is_open(&text[line_start..at]) && !rest.starts_with("${") {
                rest.find([',', '}', ']']).unwrap_or(rest.len())
            } else {
                rest.len()
            };
            at..at + rest[..end].trim_end().len()
        }
    };
    let written = &text[inside.clone()];
    let is_expression = written.starts_with("${")
        && written.ends_with('}')
        && written.matches("${").count() == 1
        && !written.contains(['"', '\'']);
    if is_expression || inside.is_empty() {
        Vec::new()
    } else {
        vec![inside]
    }
}

/// Where a quoted text ends; `None` where it does not, on its line.
fn closing(quoted: &str, quote: char) -> Option<usize> {
    let mut letters = quoted.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quote == '"' => drop(letters.next()),
            letter if letter == quote => {
                if quote == '\'' && letters.next_if(|(_, next)| *next == quote).is_some() {
                    continue;
                }
                return Some(at);
            }
            _ => {}
        }
    }
    None
}

/// The lines that are indented deeper than the one with the key, without their margins.
fn lines_below(text: &str, key: usize, line_end: usize) -> Vec<Range<usize>> {
    let margin = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let line_start = text[..key].rfind('\n').map_or(0, |end| end + 1);
    let own = margin(&text[line_start..line_end]);
    let mut found = Vec::new();
    let mut at = line_end + 1;
    while let Some(rest) = text.get(at..) {
        let line = rest.split('\n').next().unwrap_or_default();
        let is_empty = line.trim().is_empty();
        if rest.is_empty() || (!is_empty && margin(line) <= own) {
            break;
        }
        if !is_empty {
            found.push(at + margin(line)..at + line.trim_end().len());
        }
        at += line.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, names: &[&str]) -> Vec<&'a str> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = literals(text, &names);
        found.into_iter().map(|range| &text[range]).collect()
    }

    /// A6
    #[test]
    fn what_may_be_a_secret_is_found_in_texts_that_do_not_read() {
        for (text, expected) in [
            ("- click: Sign in\n- type: { text: hello }", vec![]),
            (
                "- type: { text: \"x, y\", secret: true, bogus: 1 }",
                vec!["x, y"],
            ),
            ("- type: { text: x y, secret: true }", vec!["x y"]),
            ("- type: { text: \"${PIN}\", secret: true }", vec![]),
            (
                "- type: { text: \"hunter2, secret: true }",
                vec!["hunter2, secret: true }"],
            ),
            (
                "- type:\n    text: 'it''s\n      more\n    secret: true",
                vec!["it''s", "more"],
            ),
            ("- type: hunter2\n  secret: true", vec!["hunter2"]),
            (
                "- type:\n    text: |\n      one\n\n      two\n  secret: true",
                vec!["one", "two"],
            ),
            ("env: { PASSWORD: a1, PASSWORD: b2 }", vec!["a1", "b2"]),
            (
                "env:\n  \"API_TOKEN\": a, b # c\n  NAME: d",
                vec!["a, b # c"],
            ),
            (
                "secrets: [PIN, 'CODE']\nenv: { PIN: 12, CODE: \"3}\", X: 4 }",
                vec!["12", "3}"],
            ),
            (
                "secrets:\n  - PIN\n  - CODE\nenv:\n  CODE: 3\n  X: 4",
                vec!["3"],
            ),
            ("env: { MINE: q }", vec!["q"]),
            ("env: { MINE: [ q ] }", vec!["[ q ] }"]),
        ] {
            assert_eq!(found(text, &["MINE"]), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_looked_at(text in "([a-zA-Z_ :{}\\[\\],\"'|>$ä\n-]|secret: |text: |PIN: ){0,60}") {
            for range in literals(&text, &["PIN".to_owned()]) {
                proptest::prop_assert!(text.get(range).is_some());
            }
        }
    }
}
