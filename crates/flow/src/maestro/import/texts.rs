//! Texts, names and selectors in our own language, where they mean just what they mean to Maestro.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::super::tree::{RawSelector, RawText};

/// What cannot be said, and why.
#[derive(Debug, Clone)]
pub(super) struct Unsupported(pub(super) String);

pub(super) type Parsed<T> = Result<T, Unsupported>;

pub(super) fn cannot<T>(why: impl Into<String>) -> Parsed<T> {
    Err(Unsupported(why.into()))
}

/// An expression of Maestro's: to the last `}` before the next `$`.
static EXPRESSION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\\?)\$\{([^$]*)\}").ok());
/// `NAME` and `NAME || 'text'`: the JavaScript that is said.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\|\|\s*('[^'\\{}*]*'|"[^"\\{}*]*")\s*)?$"#).ok()
});
/// What makes a text a regular expression that somebody meant.
static MEANT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\.[+?{]|\\|\||\[|^\^|\$$|\(\?|\{\d").ok());
/// Names that are others here, or no names there.
const NO_NAMES: [&str; 34] = [
    "and",
    "await",
    "device",
    "else",
    "faker",
    "false",
    "flow",
    "for",
    "function",
    "http",
    "if",
    "in",
    "is",
    "json",
    "loop",
    "maestro",
    "NaN",
    "new",
    "none",
    "not",
    "null",
    "or",
    "os",
    "output",
    "run",
    "self",
    "super",
    "this",
    "true",
    "typeof",
    "undefined",
    "void",
    "Infinity",
    "let",
];
/// What a name comes to that nobody gives.
const UNDEFINED: &str = "undefined";

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Given by the header.
    pub(super) known: BTreeSet<String>,
    /// Used, and given by whoever runs the file; with what they come to where nobody gives them.
    pub(super) requested: BTreeMap<String, String>,
}

/// What a text must be like.
enum Words {
    /// These words; `*` stands for any.
    Exact(String),
    /// These words in any case of letters; `*` stands for any.
    AnyCase(String),
    /// A regular expression.
    Regex(String),
}

/// A part of a text that is a regular expression.
enum Part {
    Letter(char),
    /// `.`
    One,
    /// `.*`
    Any,
}

impl Names {
    /// A text with `${}` in our own words.
    pub(super) fn text(&mut self, raw: &RawText) -> Parsed<String> {
        self.template(&raw.text)
    }

    fn template(&mut self, text: &str) -> Parsed<String> {
        let Some(pattern) = EXPRESSION.as_ref() else {
            return cannot("its expressions cannot be read");
        };
        let mut message = String::new();
        let mut from = 0;
        for found in pattern.captures_iter(text) {
            let whole = found.get(0).map(|it| it.range()).unwrap_or_default();
            message.push_str(&text[from..whole.start].replace("${", "$${"));
            if found.get(1).is_some_and(|it| !it.is_empty()) {
                message.push('$');
                message.push_str(&text[whole.start + 1..whole.end]);
            } else {
                let inner = found.get(2).map_or("", |it| it.as_str());
                message.push_str(&format!("${{{}}}", self.expression(inner)?));
            }
            from = whole.end;
        }
        message.push_str(&text[from..].replace("${", "$${"));
        Ok(message)
    }

    fn expression(&mut self, text: &str) -> Parsed<String> {
        let Some((name, default)) = name_in(text) else {
            return cannot(format!("`${{{}}}` is JavaScript", text.trim()));
        };
        let Some(default) = default else {
            self.ask(name, UNDEFINED)?;
            return Ok(name.to_owned());
        };
        self.ask(name, "")?;
        Ok(format!("{name} | default({default}, true)"))
    }

    /// Notes that a name is used; `or` is what it comes to where nobody gives it.
    pub(super) fn ask(&mut self, name: &str, or: &str) -> Parsed<()> {
        if self.known.contains(name) {
            return Ok(());
        }
        let requested = self.requested.entry(name.to_owned());
        if *requested.or_insert_with(|| or.to_owned()) == or {
            return Ok(());
        }
        cannot(format!(
            "nobody gives `{name}` a value in this file, and it is used with a default and without"
        ))
    }

    /// A value of the header's `env`; none where it is just what others give to the name.
    pub(super) fn header_value(&mut self, name: &str, raw: &RawText) -> Parsed<Option<String>> {
        if NO_NAMES.contains(&name) {
            return cannot(format!("`{name}` is not a name of a value here"));
        }
        let text = raw.text.trim();
        let inner = text
            .strip_prefix("${")
            .and_then(|text| text.strip_suffix('}'));
        let own = inner.and_then(name_in).filter(|(inner, _)| *inner == name);
        let Some((_, default)) = own else {
            let message = self.text(raw)?;
            self.known.insert(name.to_owned());
            return Ok(Some(message));
        };
        let default = default.map_or(UNDEFINED, |text| &text[1..text.len() - 1]);
        self.ask(name, default)?;
        self.known.insert(name.to_owned());
        Ok(None)
    }

    /// What a text must be like. Where `is_strict`, to find less than Maestro finds would hide something.
    fn words(&mut self, raw: &RawText, is_strict: bool) -> Parsed<Words> {
        let text = &raw.text;
        if raw.has_script() {
            let around = EXPRESSION.as_ref().map(|it| it.replace_all(text, ""));
            let around = around.as_deref().unwrap_or(text);
            if is_strict || parts(around).is_none() || around.contains('\\') {
                return cannot(format!(
                    "`{text}` is a regular expression that only the run knows"
                ));
            }
            return Ok(Words::Exact(self.template(&text.replace(".*", "*"))?));
        }
        let Some(parts) = parts(text) else {
            let regex = format!(r"(?ims)\A(?:{text})\z");
            let is_meant = MEANT.as_ref().is_some_and(|it| it.is_match(text));
            return if is_meant && Regex::new(&regex).is_ok() {
                Ok(Words::Regex(regex))
            } else if is_meant || is_strict || text.contains('*') {
                cannot(format!("`{text}` is another regular expression here"))
            } else {
                Ok(Words::Exact(text.clone()))
            };
        };
        let is_said = |part: &Part| matches!(part, Part::Letter(letter) if !letter.is_whitespace());
        if !parts.iter().any(is_said) {
            return cannot(format!("`{text}` says no text"));
        }
        let has_star = parts.iter().any(|part| matches!(part, Part::Letter('*')));
        let has_one = parts.iter().any(|part| matches!(part, Part::One));
        if has_star || (is_strict && has_one) {
            return Ok(Words::Regex(regex_of(&parts)));
        }
        let written: String = parts
            .iter()
            .map(|part| match part {
                Part::Letter(letter) => *letter,
                Part::One => '.',
                Part::Any => '*',
            })
            .collect();
        // Nobody writes a text of a screen in small letters alone but who knows that their case does not count.
        let is_small = !written.contains(char::is_uppercase);
        let has_case = written.contains(char::is_lowercase);
        Ok(if is_strict || (has_case && is_small) {
            Words::AnyCase(written)
        } else {
            Words::Exact(written)
        })
    }

    /// An element that is there: what is found is found by Maestro too.
    pub(super) fn element(&mut self, selector: &RawSelector) -> Parsed<Value> {
        self.selector(selector, false)
    }

    /// An element that may be gone, or that a condition asks for: what Maestro finds is found.
    pub(super) fn element_or_none(&mut self, selector: &RawSelector) -> Parsed<Value> {
        self.selector(selector, true)
    }

    fn selector(&mut self, selector: &RawSelector, is_strict: bool) -> Parsed<Value> {
        if selector.optional {
            return cannot("`optional` of a selector inside a command is none of a step");
        }
        for (is_there, what) in [
            (
                selector.width.is_some() || selector.height.is_some(),
                "width and height",
            ),
            (!selector.traits.is_empty(), "traits"),
            (selector.index.is_some(), "`index`, by place"),
            (selector.child_of.is_some(), "`childOf`, of the first match"),
            (
                selector.contains_child.is_some(),
                "`containsChild`, directly",
            ),
            (
                !selector.contains_descendants.is_empty(),
                "`containsDescendants`",
            ),
        ] {
            if is_there {
                return cannot(format!("no selector here goes by {what}"));
            }
        }
        let mut map = Map::new();
        if let Some(id) = &selector.id {
            map.insert("id".to_owned(), self.id(id, is_strict)?.into());
        }
        for (name, state) in [
            ("enabled", selector.enabled),
            ("selected", selector.selected),
            ("checked", selector.checked),
            ("focused", selector.focused),
        ] {
            if let Some(state) = state {
                map.insert(name.to_owned(), state.into());
            }
        }
        for (name, other) in [
            ("below", &selector.below),
            ("above", &selector.above),
            ("left_of", &selector.left_of),
            ("right_of", &selector.right_of),
        ] {
            let Some(other) = other else { continue };
            if is_strict {
                return cannot("what lies in a direction is less here than with Maestro");
            }
            map.insert(name.to_owned(), self.element(other)?);
        }
        let Some(text) = &selector.text else {
            return Ok(Value::Object(map));
        };
        let words: Value = match self.words(text, is_strict)? {
            Words::Exact(words) if map.is_empty() => return Ok(words.into()),
            Words::Exact(words) => words.into(),
            Words::AnyCase(words) => json!({ "ignore_case": words }),
            Words::Regex(regex) => json!({ "regex": regex }),
        };
        let each = ["text", "desc", "hint"].map(|name| {
            let mut one = map.clone();
            one.insert(name.to_owned(), words.clone());
            Value::Object(one)
        });
        Ok(json!({ "any_of": each }))
    }

    /// A resource id. Its `.` is just that.
    fn id(&mut self, raw: &RawText, is_strict: bool) -> Parsed<String> {
        if is_strict {
            return cannot("an id is found in one case of letters only here");
        }
        let around = EXPRESSION.as_ref().map(|it| it.replace_all(&raw.text, ""));
        let is_plain = |part: &Part| !matches!(part, Part::Any | Part::Letter('*'));
        let parts = parts(around.as_deref().unwrap_or(&raw.text));
        let has_escape = raw.has_script() && raw.text.contains('\\');
        match parts {
            Some(_) if raw.text.trim().is_empty() => cannot("an empty id"),
            Some(parts) if !has_escape && parts.iter().all(is_plain) => {
                self.template(&raw.text.replace('\\', ""))
            }
            _ => cannot(format!("`{}`: an id is not a pattern here", raw.text)),
        }
    }
}

/// The name of an expression, and its default with its marks.
fn name_in(text: &str) -> Option<(&str, Option<&str>)> {
    let found = NAME.as_ref()?.captures(text)?;
    let name = found.get(1)?.as_str();
    // The run gives those that begin so.
    let is_name = !NO_NAMES.contains(&name) && !name.starts_with("MAESTRO_");
    is_name.then(|| (name, found.get(2).map(|it| it.as_str())))
}

/// A text as letters, `.` and `.*`; none where it has more of a regular expression.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        parts.push(match letter {
            '\\' => match letters.next()? {
                letter if letter.is_ascii_punctuation() => Part::Letter(letter),
                _ => return None,
            },
            '.' if letters.next_if_eq(&'*').is_some() => {
                // `.*?` finds the same, `.*+` does not.
                if letters.next_if_eq(&'?').is_none() && letters.peek() == Some(&'+') {
                    return None;
                }
                Part::Any
            }
            '.' => Part::One,
            '|' | '[' | ']' | '(' | ')' | '^' | '$' | '+' | '?' | '*' | '{' | '}' => return None,
            letter => Part::Letter(letter),
        });
    }
    Some(parts)
}

fn regex_of(parts: &[Part]) -> String {
    let inner: String = parts
        .iter()
        .map(|part| match part {
            Part::Letter(letter) => regex::escape(letter.encode_utf8(&mut [0; 4])),
            Part::One => ".".to_owned(),
            Part::Any => ".*".to_owned(),
        })
        .collect();
    format!(r"(?ims)\A(?:{inner})\z")
}
