//! `grep`, over files or the standard input.

use super::text::inputs;
use super::{Call, Outcome};

struct GrepOptions {
    /// Letters of the flags without a value.
    flags: String,
    /// A line matches if one of these does.
    patterns: Vec<String>,
    /// Matching lines of each input at most.
    max: usize,
    /// Files to read; standard input if empty.
    names: Vec<String>,
}

impl GrepOptions {
    /// Reads the words of a command. A flag's value is the rest of its word or the next word; that of `-A`, `-B`, `-C`
    /// and `-M` is ignored. Without `-e` the first word that is no flag is the pattern.
    fn read(words: Vec<String>) -> Self {
        let (mut flags, mut patterns, mut max) = (String::new(), Vec::new(), usize::MAX);
        let mut names = Vec::new();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if word == "--" {
                names.extend(words.by_ref());
                break;
            }
            // A long option has its value behind `=`.
            if word.starts_with("--") {
                continue;
            }
            let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                names.push(word);
                continue;
            };
            let Some(at) = letters.find(['e', 'm', 'A', 'B', 'C', 'M']) else {
                flags.push_str(letters);
                continue;
            };
            flags.push_str(&letters[..at]);
            let (flag, rest) = letters[at..].split_at(1);
            let value = if rest.is_empty() {
                words.next()
            } else {
                Some(rest.to_owned())
            };
            match flag {
                "e" => patterns.extend(value),
                "m" => max = value.and_then(|it| it.parse().ok()).unwrap_or(usize::MAX),
                _ => {}
            }
        }
        if patterns.is_empty() && !names.is_empty() {
            patterns.push(names.remove(0));
        }
        Self {
            flags,
            patterns,
            max,
            names,
        }
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Returns the expression of all patterns; the first that is malformed is the error.
    fn regex(&self) -> Result<regex::Regex, &str> {
        let build = |source: &str| {
            let mut builder = regex::RegexBuilder::new(source);
            builder.case_insensitive(self.has('i')).build()
        };
        let mut sources = Vec::new();
        for pattern in &self.patterns {
            let source = if self.has('F') {
                regex::escape(pattern)
            } else if self.has('E') {
                pattern.clone()
            } else {
                from_basic(pattern)
            };
            if build(&source).is_err() {
                return Err(pattern);
            }
            sources.push(format!("(?:{source})"));
        }
        build(&sources.join("|")).map_err(|_| self.patterns[0].as_str())
    }
}

/// `grep [-E] [-F] [-i] [-v] [-c] [-l] [-q] [-o] [-n] [-h] [-m N] [-e] PATTERN [FILE…]`. Exits with 0 if a line
/// matches, 1 if none does, and 2 for a malformed pattern, or if none matches and an input cannot be read. Other
/// flags are ignored. Without files it reads standard input.
pub(super) fn grep(call: &mut Call) -> Outcome {
    let options = GrepOptions::read(call.owned_args());
    if options.patterns.is_empty() {
        return call.fail(2, "grep: No REGEX (see \"grep --help\")");
    }
    let regex = match options.regex() {
        Ok(regex) => regex,
        Err(pattern) => return call.fail(2, format!("grep: bad REGEX '{pattern}'")),
    };
    let has = |flag: char| options.has(flag);
    let (names, max) = (&options.names, options.max);
    let (inputs, code) = match inputs(call, names) {
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
