//! `grep`, over files or the standard input.

use super::text::inputs;
use super::{Call, Outcome};

/// `grep [-E] [-F] [-i] [-v] [-c] [-l] [-q] [-o] [-n] [-h] [-m N] [-e] PATTERN [FILE…]`. Exits with 0 if a line
/// matches, 1 if none does, and 2 for a malformed pattern, or if none matches and an input cannot be read. Other
/// flags are ignored, but not the values behind them. Without files it reads standard input.
pub(super) fn grep(call: &mut Call) -> Outcome {
    let mut flags = String::new();
    let (mut pattern, mut max) = (None, usize::MAX);
    let mut names = Vec::new();
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" => pattern = words.next(),
            "-m" => {
                max = words
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(usize::MAX);
            }
            _ if word.len() > 1 && word.starts_with('-') => flags.push_str(&word[1..]),
            _ if pattern.is_none() => pattern = Some(word),
            _ => names.push(word),
        }
    }
    let has = |flag: char| flags.contains(flag);
    let Some(pattern) = pattern else {
        return call.fail(2, "grep: No REGEX (see \"grep --help\")");
    };
    let source = if has('F') {
        regex::escape(&pattern)
    } else if has('E') {
        pattern.clone()
    } else {
        from_basic(&pattern)
    };
    let regex = regex::RegexBuilder::new(&source)
        .case_insensitive(has('i'))
        .build();
    let Ok(regex) = regex else {
        return call.fail(2, format!("grep: bad REGEX '{pattern}'"));
    };
    let (inputs, code) = match inputs(call, &names) {
        Ok(inputs) => inputs,
        Err(outcome) => return outcome,
    };
    let headed = inputs.len() > 1 && !has('h');
    let mut any = false;
    for (name, bytes) in inputs {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut found = 0;
        for (number, line) in text.lines().enumerate() {
            if found == max || regex.is_match(line) == has('v') {
                continue;
            }
            found += 1;
            if has('q') || has('c') || has('l') {
                continue;
            }
            let head = if headed {
                format!("{name}:")
            } else {
                String::new()
            };
            let number = if has('n') {
                format!("{}:", number + 1)
            } else {
                String::new()
            };
            if has('o') {
                for part in regex.find_iter(line).filter(|part| !part.is_empty()) {
                    call.say(format!("{head}{number}{}", part.as_str()));
                }
            } else {
                call.say(format!("{head}{number}{line}"));
            }
        }
        any |= found > 0;
        if has('c') && !has('q') {
            let head = if headed {
                format!("{name}:")
            } else {
                String::new()
            };
            call.say(format!("{head}{found}"));
        } else if has('l') && found > 0 {
            call.say(name);
        }
    }
    if code != 0 && !any {
        return Outcome::Exit(2);
    }
    Outcome::Exit(i32::from(!any))
}

/// Converts a basic regular expression to an extended one: `\|` is an alternative, a bare `|` a character.
/// The same holds for brackets, braces, `+` and `?`. A backslash at the end is a character.
fn from_basic(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next) if "|(){}+?".contains(next) => out.push(next),
                Some(next) => {
                    out.push('\\');
                    out.push(next);
                }
                None => out.push_str("\\\\"),
            },
            '|' | '(' | ')' | '{' | '}' | '+' | '?' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
