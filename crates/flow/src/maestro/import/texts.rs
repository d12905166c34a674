//! Converts texts, names and selectors, if they have exactly the meaning that they have for Maestro.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::super::tree::{RawSelector, RawText};

/// Reason why something cannot be expressed.
#[derive(Debug, Clone)]
pub(super) struct UnsupportedError(pub(super) String);

pub(super) type ConversionResult<T> = Result<T, UnsupportedError>;

pub(super) fn cannot<T>(why: impl Into<String>) -> ConversionResult<T> {
    Err(UnsupportedError(why.into()))
}

/// Expression of Maestro, up to the last `}` before the next `$`.
static EXPRESSION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\\?)\$\{([^$]*)\}").ok());
/// `NAME` and `NAME || 'text'`: the JavaScript that can be converted.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\|\|\s*('[^'\\{}*]*'|"[^"\\{}*]*")\s*)?$"#).ok()
});
/// Sign that a text is meant as a regular expression.
static REGEX_SIGNS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\.[+?{]|\\|\||\[|^\^|\$$|\(\?|\{\d").ok());
/// Names with another meaning in the own language, or that Maestro does not allow.
const RESERVED_NAMES: [&str; 34] = [
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
/// Value of a name that nobody sets, as in JavaScript.
const UNDEFINED: &str = "undefined";

/// Variables of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Variables that the header sets.
    pub(super) known: BTreeSet<String>,
    /// Variables that are used but set by the caller, with their defaults.
    pub(super) requested: BTreeMap<String, String>,
}

/// Pattern of a text in the own language.
enum TextPattern {
    /// Exact text; `*` stands for anything.
    Exact(String),
    /// Text in any case; `*` stands for anything.
    AnyCase(String),
    Regex(String),
}

/// Token of a regular expression.
enum RegexToken {
    Letter(char),
    /// `.`
    One,
    /// `.*`
    Any,
}

impl Names {
    /// Converts a text with Maestro's `${}` to one of ours. An expression with more than a name and a default
    /// is an error.
    pub(super) fn text(&mut self, raw: &RawText) -> ConversionResult<String> {
        self.template(&raw.text)
    }

    /// Converts a text with expressions: `${NAME || 'a'}` becomes our form, and its name counts as used. A `${` that
    /// is escaped, or that has no end, stays text, as `$${`. An expression that cannot be converted is an error.
    fn template(&mut self, text: &str) -> ConversionResult<String> {
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

    /// Converts a name, perhaps with a default, and records that it is used. JavaScript and reserved names are
    /// errors. A name without default may be set by the caller and is else the text `undefined`. `text` stands
    /// without `${}`.
    fn expression(&mut self, text: &str) -> ConversionResult<String> {
        let Some((name, default)) = name_in(text) else {
            return cannot(format!("`${{{}}}` is JavaScript", text.trim()));
        };
        let Some(default) = default else {
            self.use_name(name, UNDEFINED)?;
            return Ok(name.to_owned());
        };
        self.use_name(name, "")?;
        Ok(format!("{name} | default({default}, true)"))
    }

    /// Records that a variable is used with a default, which the flow then gets in its header. Does nothing if the
    /// header sets the name. Two different defaults for one name are an error, and the first stays.
    pub(super) fn use_name(&mut self, name: &str, default: &str) -> ConversionResult<()> {
        if self.known.contains(name) {
            return Ok(());
        }
        let requested = self.requested.entry(name.to_owned());
        if *requested.or_insert_with(|| default.to_owned()) == default {
            return Ok(());
        }
        cannot(format!(
            "nobody gives `{name}` a value in this file, and it is used with a default and without"
        ))
    }

    /// Converts a value of the header's `env`, and marks the name as known. Returns `None` if it only repeats what
    /// the caller sets: `${NAME}`, perhaps with a default, which is recorded. A reserved name and JavaScript are
    /// errors. To be called in the order of the header, before its steps.
    pub(super) fn header_value(
        &mut self,
        name: &str,
        raw: &RawText,
    ) -> ConversionResult<Option<String>> {
        if RESERVED_NAMES.contains(&name) {
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
        self.use_name(name, default)?;
        self.known.insert(name.to_owned());
        Ok(None)
    }

    /// Converts the pattern of a text, a regular expression, to a text with `*`, or else to a regular expression
    /// here. `is_strict`: fails if the result could match less than Maestro's pattern, which could hide an element;
    /// the case of letters is then ignored, as it is for a text in lower case alone.
    ///
    /// # Errors
    /// An expression inside of a regular expression, or in any text if `is_strict`; a pattern that means something
    /// else here; and a text of wildcards or blanks only.
    fn words(&mut self, raw: &RawText, is_strict: bool) -> ConversionResult<TextPattern> {
        let text = &raw.text;
        if raw.has_script() {
            let around = EXPRESSION.as_ref().map(|it| it.replace_all(text, ""));
            let around = around.as_deref().unwrap_or(text);
            if is_strict || tokens(around).is_none() || around.contains('\\') {
                return cannot(format!(
                    "`{text}` is a regular expression that only the run knows"
                ));
            }
            return Ok(TextPattern::Exact(self.template(&text.replace(".*", "*"))?));
        }
        let Some(tokens) = tokens(text) else {
            let regex = format!(r"(?ims)\A(?:{text})\z");
            let is_meant = REGEX_SIGNS.as_ref().is_some_and(|it| it.is_match(text));
            return if is_meant && Regex::new(&regex).is_ok() {
                Ok(TextPattern::Regex(regex))
            } else if is_meant || is_strict || text.contains('*') {
                cannot(format!("`{text}` is another regular expression here"))
            } else {
                Ok(TextPattern::Exact(text.clone()))
            };
        };
        let is_said = |token: &RegexToken| matches!(token, RegexToken::Letter(letter) if !letter.is_whitespace());
        if !tokens.iter().any(is_said) {
            return cannot(format!("`{text}` says no text"));
        }
        let has_star = tokens
            .iter()
            .any(|token| matches!(token, RegexToken::Letter('*')));
        let has_one = tokens.iter().any(|token| matches!(token, RegexToken::One));
        if has_star || (is_strict && has_one) {
            return Ok(TextPattern::Regex(regex_of(&tokens)));
        }
        let written: String = tokens
            .iter()
            .map(|token| match token {
                RegexToken::Letter(letter) => *letter,
                RegexToken::One => '.',
                RegexToken::Any => '*',
            })
            .collect();
        // A text in lower case only was written by someone who relies on Maestro ignoring case.
        let is_small = !written.contains(char::is_uppercase);
        let has_case = written.contains(char::is_lowercase);
        Ok(if is_strict || (has_case && is_small) {
            TextPattern::AnyCase(written)
        } else {
            TextPattern::Exact(written)
        })
    }

    /// Converts the selector of an element that exists. The result never matches more than Maestro's.
    pub(super) fn element(&mut self, selector: &RawSelector) -> ConversionResult<Value> {
        self.selector(selector, false)
    }

    /// Converts the selector of an element that may be missing, or of a condition. The result never matches
    /// less than Maestro's.
    pub(super) fn element_or_none(&mut self, selector: &RawSelector) -> ConversionResult<Value> {
        self.selector(selector, true)
    }

    /// Converts a selector. An exact text without other keys becomes a plain text. Any other text becomes three
    /// alternatives (`any_of`), as Maestro compares it with text, description and hint. Keys that no selector here
    /// has, such as `index` and `childOf`, and `optional` are errors. If `is_strict`, what would match less than with
    /// Maestro is an error.
    fn selector(&mut self, selector: &RawSelector, is_strict: bool) -> ConversionResult<Value> {
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
            TextPattern::Exact(words) if map.is_empty() => return Ok(words.into()),
            TextPattern::Exact(words) => words.into(),
            TextPattern::AnyCase(words) => json!({ "ignore_case": words }),
            TextPattern::Regex(regex) => json!({ "regex": regex }),
        };
        let each = ["text", "desc", "hint"].map(|name| {
            let mut one = map.clone();
            one.insert(name.to_owned(), words.clone());
            Value::Object(one)
        });
        Ok(json!({ "any_of": each }))
    }

    /// Converts a resource id, in which `.` is a literal character and backslashes are dropped.
    ///
    /// # Errors
    /// An empty id, a pattern with more than `.`, and any id if `is_strict`, because ids here do not ignore
    /// case.
    fn id(&mut self, raw: &RawText, is_strict: bool) -> ConversionResult<String> {
        if is_strict {
            return cannot("an id is found in one case of letters only here");
        }
        let around = EXPRESSION.as_ref().map(|it| it.replace_all(&raw.text, ""));
        let is_plain =
            |token: &RegexToken| !matches!(token, RegexToken::Any | RegexToken::Letter('*'));
        let tokens = tokens(around.as_deref().unwrap_or(&raw.text));
        let has_escape = raw.has_script() && raw.text.contains('\\');
        match tokens {
            Some(_) if raw.text.trim().is_empty() => cannot("an empty id"),
            Some(tokens) if !has_escape && tokens.iter().all(is_plain) => {
                self.template(&raw.text.replace('\\', ""))
            }
            _ => cannot(format!("`{}`: an id is not a pattern here", raw.text)),
        }
    }
}

/// Returns name and default of an expression `NAME` or `NAME || 'default'`, without `${}` and the default with its
/// quotes. Returns `None` for other expressions, reserved names and those that Maestro's run sets (`MAESTRO_…`).
fn name_in(text: &str) -> Option<(&str, Option<&str>)> {
    let found = NAME.as_ref()?.captures(text)?;
    let name = found.get(1)?.as_str();
    // The run sets the variables with this prefix.
    let is_name = !RESERVED_NAMES.contains(&name) && !name.starts_with("MAESTRO_");
    is_name.then(|| (name, found.get(2).map(|it| it.as_str())))
}

/// Splits a text into tokens: characters, `.` and `.*`. An escaped sign is a character, and `.*?` is `.*`. Returns
/// `None` if the text has more of a regular expression, such as `\d`, `+` or a bracket.
fn tokens(text: &str) -> Option<Vec<RegexToken>> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            '\\' => match letters.next()? {
                letter if letter.is_ascii_punctuation() => RegexToken::Letter(letter),
                _ => return None,
            },
            '.' if letters.next_if_eq(&'*').is_some() => {
                // `.*?` matches the same texts as `.*`; `.*+` does not.
                if letters.next_if_eq(&'?').is_none() && letters.peek() == Some(&'+') {
                    return None;
                }
                RegexToken::Any
            }
            '.' => RegexToken::One,
            '|' | '[' | ']' | '(' | ')' | '^' | '$' | '+' | '?' | '*' | '{' | '}' => return None,
            letter => RegexToken::Letter(letter),
        });
    }
    Some(tokens)
}

/// Returns the regular expression that matches a whole text, in any case; `.` also matches a line end.
fn regex_of(tokens: &[RegexToken]) -> String {
    let inner: String = tokens
        .iter()
        .map(|token| match token {
            RegexToken::Letter(letter) => regex::escape(letter.encode_utf8(&mut [0; 4])),
            RegexToken::One => ".".to_owned(),
            RegexToken::Any => ".*".to_owned(),
        })
        .collect();
    format!(r"(?ims)\A(?:{inner})\z")
}
