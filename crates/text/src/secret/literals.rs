//! Finds places in YAML text that may hold literal secrets.
//!
//! Works on text that may not parse as YAML, so it looks at characters only, and finds too much rather than
//! too little: the values of names that are secret or sound secret, and the text that a step with `secret:`
//! types.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Key of a map, or a name in the style of the environment: `PIN=1234` is a common mistake.
static KEY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"["']?([A-Za-z_]\w*)["']?[ \t]*[:=][ \t]*"#));
/// List below `secrets:`: in brackets, one item a line, or else the rest of the line. Comments and empty
/// lines are skipped.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"\bsecrets["']?[ \t]*:(?:(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*"#,
        r"(\[[^\]]*|-[^\n]*(?:\n[ \t]*(?:[-#][^\n]*|\r)?)*)|([^\n]*))",
    ))
});
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_]\w*"));
/// Password in `https://user:password@host`.
static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| pattern(r#"://[^\s/:@"']*:([^\s/@"']+)@"#));
/// WebDriver server in the settings. The value of its `key` is a secret.
static SERVER: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\bwebdriver["']?[ \t]*:"#));
static SECRET_STEP: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\bsecret["']?[ \t]*:"#));

/// Keys of a step whose values are typed.
const TYPED_KEYS: [&str; 4] = ["text", "type", "value", "password"];

/// Longest line that is searched key by key, in bytes. Of a longer one everything after the first secret key counts as
/// secret. Chosen: the search is quadratic in a line's keys.
const MAX_LINE_BYTES: usize = 1_000;

/// Verbs of other tools' steps that press a key, such as `tapReturnKey`.
const PRESSES: [&str; 8] = [
    "press",
    "longPress",
    "tap",
    "click",
    "hit",
    "send",
    "push",
    "hardware",
];
/// Keys in the names of such steps. No other word is one: `sendGridKey` names a secret.
const PRESSED: [&str; 14] = [
    "", "Return", "Enter", "Back", "Home", "Tab", "Delete", "Escape", "Search", "Done", "Space",
    "Hardware", "Android", "Keyboard",
];

/// Endings of variable names whose values are secret.
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

/// Returns true if a part of a variable's name, split at `_`, ends with a word such as `TOKEN` or `PASSWORD`. Case does
/// not count, so `monkey` sounds secret.
pub fn sounds_secret(name: &str) -> bool {
    name.to_ascii_uppercase()
        .split('_')
        .any(|part| SECRET_NAMES.iter().any(|word| part.ends_with(word)))
}

/// Returns true for a step of another tool that presses a key. Its name sounds secret, but what it presses is
/// none.
fn is_press(name: &str) -> bool {
    let words = name.strip_suffix("Key").unwrap_or_default();
    let mut rests = PRESSES.iter().filter_map(|verb| words.strip_prefix(verb));
    rests.any(|rest| PRESSED.contains(&rest))
}

/// Compiles a pattern in which `^` and `$` fit at each line. Panics if it is not valid.
#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and each test of this module compiles them"
)]
fn pattern(text: &str) -> Regex {
    regex::RegexBuilder::new(text)
        .multi_line(true)
        .build()
        .expect("valid pattern")
}

/// Returns ranges of `text`, a file of YAML, that may hold secrets, without quotes: passwords in addresses, and values
/// of secret names, written `name: value` or `NAME=value`. Secret are `names`, those below the text's own `secrets:`,
/// `authorization`, and names with a capital letter that sound so; also `key` if there is a `webdriver:`, and `text`,
/// `type`, `value` and `password` if there is a `secret:` anywhere. Works line by line, also on invalid YAML, and
/// rather takes too much, but no value that is one expression `${…}`. The ranges are sorted by start and may overlap;
/// none is empty.
pub fn literals(text: &str, names: &[String]) -> Vec<Range<usize>> {
    let mut secret: HashSet<&str> = names.iter().map(String::as_str).collect();
    secret.extend(declared(text));
    let has_secret_steps = SECRET_STEP.is_match(text);
    let has_servers = SERVER.is_match(text);
    let is_secret = |name: &str| {
        // Keys of a flow are in lower case. Variables of the environment, capabilities and headers are not.
        let is_foreign = name.contains(|c: char| c.is_ascii_uppercase());
        secret.contains(name)
            || (is_foreign && sounds_secret(name) && !is_press(name))
            || name.eq_ignore_ascii_case("authorization")
            || (has_servers && name == "key")
            || (has_secret_steps && TYPED_KEYS.contains(&name))
    };
    let mut search = Search {
        text,
        found: Vec::new(),
        covered: None,
    };
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let start = next;
        next += line.len();
        let line = start..start + line.trim_end_matches(['\n', '\r']).len();
        for key in KEY.captures_iter(&text[line.clone()]) {
            let (Some(whole), Some(name)) = (key.get(0), key.get(1)) else {
                continue;
            };
            let at = line.start + whole.end();
            let rest = &text[at..line.end];
            // A map below `type:` has keys of its own.
            let is_map = rest.trim().is_empty() || rest.starts_with('{');
            let name = name.as_str();
            if !is_secret(name) || (TYPED_KEYS.contains(&name) && is_map) {
                continue;
            }
            if line.len() > MAX_LINE_BYTES {
                search.take(at..line.end);
                search.below(&line, margin(&text[line.clone()]));
                break;
            }
            search.value(&line, line.start + whole.start(), at);
        }
    }
    let mut found = search.found;
    let passwords = CREDENTIALS.captures_iter(text);
    found.extend(passwords.filter_map(|url| Some(url.get(1)?.range())));
    found.sort_by_key(|range| range.start);
    found
}

/// Returns the names that the text itself declares as secret below `secrets:`, comments left out. Works on
/// invalid YAML too.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    DECLARED
        .captures_iter(text)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .flat_map(|list| list.as_str().lines())
        .filter_map(|line| line.split('#').next())
        .flat_map(|line| NAME.find_iter(line))
        .map(|name| name.as_str())
}

struct Search<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
    /// End offset and indent of the last search for deeper lines: up to there all lines with a larger indent
    /// are found already.
    covered: Option<(usize, usize)>,
}

impl Search<'_> {
    fn take(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.found.push(range);
        }
    }

    /// Takes the value after a key, which begins at `at`: what is in its quotes, or the rest of its line and the deeper
    /// lines below. Inside of brackets it ends at the next comma or bracket. One whole expression is skipped, because
    /// it only names a secret; an anchor or a tag before it is taken. `key` is the offset of the key.
    fn value(&mut self, line: &Range<usize>, key: usize, mut at: usize) {
        let own = if is_open(&self.text[line.start..key]) {
            margin(&self.text[line.clone()])
        } else {
            self.text[line.start..key].len()
        };
        // An anchor or a tag, or a value that begins like one.
        while self.text[at..line.end].starts_with(['&', '!']) {
            let rest = &self.text[at..line.end];
            let end = rest.find([' ', '\t']).unwrap_or(rest.len());
            self.take(at..at + end);
            at += rest.len() - rest[end..].trim_start().len();
        }
        let rest = self.text[at..line.end].trim_end();
        let inside = match rest.chars().next() {
            // A list or map where a text should be: any of its texts may be the secret.
            Some('{' | '[') => return self.take(at..at + rest.len()),
            None | Some('|' | '>') => return self.below(line, own),
            Some(quote @ ('"' | '\'')) => match closing(rest, quote) {
                Some(end) => at + 1..at + end,
                None => {
                    self.take(at + 1..at + rest.len());
                    return self.below(line, own);
                }
            },
            Some(_) => {
                let is_inside = is_open(&self.text[line.start..at]) && !rest.starts_with("${");
                let end = if is_inside {
                    rest.find([',', '}', ']'])
                } else {
                    None
                };
                if end.is_none() {
                    self.below(line, own);
                }
                let plain = rest[..end.unwrap_or(rest.len())].trim_end();
                at..self.end_in_quotes(line, key, at, plain)
            }
        };
        let written = &self.text[inside.clone()];
        let is_expression = written.starts_with("${")
            && written.ends_with('}')
            && written.matches("${").count() == 1
            && !written.contains(['"', '\'']);
        if !is_expression {
            self.take(inside);
        }
    }

    /// Returns the end offset of the plain value at `at`. Where key and value are in the quotes of one text, as in
    /// `"Authorization: x"`, the closing quote is left out and commas before it are taken. Else the value ends where
    /// `plain` does.
    fn end_in_quotes(&self, line: &Range<usize>, key: usize, at: usize, plain: &str) -> usize {
        let is_quote = |c: &char| matches!(*c, '"' | '\'');
        let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
        let first = self.text[key..].chars().next().filter(is_quote);
        let before = self.text[line.start..key].trim_end_matches(is_name);
        let outer = before.chars().next_back().filter(is_quote);
        let (open, quote) = match (first, outer) {
            (Some(quote), _) => (key, quote),
            (None, Some(quote)) => (line.start + before.len() - 1, quote),
            (None, None) => return at + plain.len(),
        };
        // The quotes are those of the key alone.
        if self.text[open + 1..at].contains(quote) {
            return at + plain.len();
        }
        let cut = at + plain.strip_suffix(quote).unwrap_or(plain).len();
        let closed = closing(&self.text[open..line.end], quote).map(|end| open + end);
        closed.map_or(cut, |closed| cut.max(closed))
    }

    /// Takes the following lines that are indented deeper than `own` columns, without their indent. Empty
    /// lines between them do not end the value. Does nothing for lines that were taken already.
    fn below(&mut self, line: &Range<usize>, own: usize) {
        let is_taken = |(until, deeper): (usize, usize)| line.end < until && own >= deeper;
        if self.covered.is_some_and(is_taken) {
            return;
        }
        let mut at = line.end;
        let mut lines = self.text[line.end..].split_inclusive('\n');
        at += lines.next().map_or(0, str::len);
        for line in lines {
            let is_empty = line.trim().is_empty();
            if !is_empty && margin(line) <= own {
                break;
            }
            if !is_empty {
                self.take(at + margin(line)..at + line.trim_end().len());
            }
            at += line.len();
        }
        self.covered = Some((at, own));
    }
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns true if `text` opens more brackets than it closes.
fn is_open(text: &str) -> bool {
    text.matches(['{', '[']).count() > text.matches(['}', ']']).count()
}

/// Returns the offset of the closing quote in `quoted`, which begins with the opening one; `None` if the text
/// does not end on this line. Escaped and doubled quotes do not count.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, names: &[&str]) -> Vec<&'a str> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = literals(text, &names);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn s3_what_servers_are_shown_is_found() {
        for (text, expected) in [
            (
                "- { webdriver: 'https://h', user: ada, key: s3cr3t, bogus: 1 }",
                vec!["s3cr3t"],
            ),
            ("capabilities: { accessKey: abcd }", vec!["abcd"]),
            ("headers: { authorization: Bearer x1 }", vec!["Bearer x1"]),
            (
                "headers:\n  Authorization: \"Bearer x1\"",
                vec!["Bearer x1"],
            ),
            ("X-Api-Key: abcd", vec!["abcd"]),
            ("url: https://ada:hunter2@example.com/x", vec!["hunter2"]),
            ("url: https://example.com:8080/x@y", vec![]),
            // Only the quote at the end is not in the text: what is before it may be a part of the value.
            ("- [ \"Authorization: x1\" ]", vec!["x1"]),
            ("- [ 'Authorization: Bearer x1', b ]", vec!["Bearer x1"]),
            ("- \"Authorization: a\"b\"", vec!["a\"b"]),
            ("- 'X-Api-Key: abcd'", vec!["abcd"]),
            ("- 'API_KEY: abcd'", vec!["abcd"]),
            ("- [ 'API_KEY: a, b', c ]", vec!["a, b"]),
            ("- { 'API_KEY': a, b: c }", vec!["a"]),
            ("- { 'X-Api-Key': a, b: c }", vec!["a"]),
            ("- Authorization: x1\"", vec!["x1\""]),
            // A key of the device, not of a server.
            ("- press: { key: ENTER }", vec![]),
            ("- pressKey: Enter\n- sendKey: TAB", vec![]),
            ("- tapReturnKey: { id: search }", vec![]),
            ("- sendApiKey: abcd", vec!["abcd"]),
            ("sendGridKey: abcd", vec!["abcd"]),
        ] {
            assert_eq!(found(text, &[]), expected, "{text}");
        }
    }

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
            // A quoted key needs no space before its value, and a forgotten one leaves the value a secret.
            (
                r#"- type: {"text":"hunter2 swordfish","secret":true,"bogus":1}"#,
                vec!["hunter2 swordfish"],
            ),
            (
                r#"env: {"PASSWORD":"a-secret","PASSWORD":"x"}"#,
                vec!["a-secret", "x"],
            ),
            ("env:\n  PASSWORD:hunter2", vec!["hunter2"]),
            // Comments, empty lines and Windows' line ends in the list of names.
            (
                "secrets:  # never shown\n  - CODE\nenv:\n  CODE: 3\n  never: 4",
                vec!["3"],
            ),
            (
                "secrets:\n  # never shown\n\n  - CODE # this one\n\n  # and\n  - PIN\nenv: { CODE: 3, PIN: 4, this: 5 }",
                vec!["3", "4"],
            ),
            (
                "secrets:\r\n  - CODE\r\n\r\n  - PIN\r\nenv:\r\n  CODE:\r\n    3\r\n  PIN: 4\r\n",
                vec!["3", "4"],
            ),
            (
                "secrets:\n  [ CODE, # one\n    PIN ]\nenv: { PIN: 4 }",
                vec!["4"],
            ),
            ("secrets:\nenv: { PIN: 4 }", vec![]),
            // Plain values of several lines, and what stands before a value.
            (
                "env:\n  PASSWORD: correct horse\n    battery staple\n  PASSWORD: x",
                vec!["correct horse", "battery staple", "x"],
            ),
            (
                "- type:\n    text: hunter two\n      three: four\n    secret: true",
                vec!["hunter two", "three: four"],
            ),
            (
                "- type: { text: hunter two\n      three, secret: true }",
                vec!["hunter two", "three, secret: true }"],
            ),
            (
                "env:\n  PASSWORD: &p |\n    hunter2\n  X: 1",
                vec!["&p", "hunter2"],
            ),
            (
                "env:\n  PASSWORD: !!str &p hunter2\n  X: 1",
                vec!["!!str", "&p", "hunter2"],
            ),
            ("env: { MINE: [ q ] }", vec!["[ q ] }"]),
        ] {
            assert_eq!(found(text, &["MINE"]), expected, "{text}");
        }
    }

    #[test]
    fn large_texts_are_looked_at_in_no_time() {
        let key = "A_PASSWORD: \"x ";
        let names: String = (0..60_000)
            .map(|number| format!("  - N{number}\n"))
            .collect();
        let values: String = (0..60_000)
            .map(|number| format!("  N{number}: v\n"))
            .collect();
        let deeper = format!("{{ {}{}", key.repeat(60), "\n  x".repeat(100_000));
        let began = std::time::Instant::now();
        for (text, least) in [
            (format!("{{ {}", "A_PASSWORD: x, ".repeat(70_000)), 1),
            (format!("secrets:\n{names}env:\n{values}"), 60_000),
            (deeper, 100_000),
        ] {
            let found = literals(&text, &[]);
            assert!(
                (least..least + 1_000).contains(&found.len()),
                "{}",
                found.len()
            );
        }
        assert!(
            began.elapsed() < std::time::Duration::from_secs(10),
            "{:?}",
            began.elapsed()
        );
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
