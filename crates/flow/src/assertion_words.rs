//! Advice on `assert` in the words of other tools: assertions as keys, comparisons as texts, ranges as maps.

use std::sync::LazyLock;

use regex::Regex;

use super::ast::{Argument, Spanned};
use super::check::literal;
use super::foreign::{self, Element};
use super::foreign_text::regex;
use super::reader::{Reader, find, has_error};
use super::yaml::{Key, Node, NodeKind, Scalar};
use runner_text::diagnostic::Code;
use runner_tools::CountCondition;

impl Reader<'_> {
    /// Reports the first key of an `assert` that is an assertion in another tool, such as `toBeVisible`, and returns
    /// true. Other unknown keys are not reported here. Returns false if there is none.
    pub(crate) fn foreign_assertion(&mut self, entries: &[(Key, Node)]) -> bool {
        let vocabulary = self.project.vocabulary;
        let mut keys = vocabulary.properties(&vocabulary.selector);
        if keys.is_empty() {
            return false;
        }
        let element = selected(entries, &keys, "");
        keys.extend(["on", "that", "count"]);
        let mut unknown = entries
            .iter()
            .filter(|(key, _)| !keys.contains(&key.text.as_str()));
        let found = unknown.find_map(|(key, value)| {
            let help = foreign::in_assert(&key.text, value, element.as_ref(), &keys)?;
            Some((key, help))
        });
        let Some((key, help)) = found else {
            return false;
        };
        let message = format!("`{}` is not known here", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
        true
    }

    /// Warns of a comparison with a number in the `text` of an `assert`, such as `> 3`: texts are compared as they
    /// stand. Reports one as a map, such as `{ greater_than: 3 }`, as an error. Returns true only for such a map.
    pub(crate) fn warn_of_comparison(&mut self, entries: &[(Key, Node)]) -> bool {
        let Some((_, node)) = find(entries, "text") else {
            return false;
        };
        let of_text = node.scalar().and_then(|text| comparison(&text.text));
        let is_map = of_text.is_none();
        let Some((sign, number)) = of_text.or_else(|| map_comparison(node)) else {
            return false;
        };
        let vocabulary = self.project.vocabulary;
        let keys = vocabulary.properties(&vocabulary.selector);
        let element = selected(entries, &keys, "text");
        let element = element.map_or_else(|| "…".to_owned(), |element| element.shortest());
        let filter = if number.contains('.') { "float" } else { "int" };
        let help = format!(
            "write `find: {element}` with `as: n` beside it, and then `assert: {{ that: \"${{n.text | {filter} {sign} {number}}}\" }}`"
        );
        let (code, message) = if is_map {
            (Code::UnknownKey, "a text has no order")
        } else {
            (
                Code::Doubtful,
                "this compares with just this text, not with a number",
            )
        };
        self.fail(node, code, message, Some(help));
        is_map
    }

    /// Parses the `count` of an `assert`, and reports errors, also a comparison that always or never holds. For a count
    /// in words, such as `at least 2`, the last error's help is the comparison to write. The argument is returned after
    /// errors too.
    pub(crate) fn count_condition(&mut self, count: &Node) -> Spanned<Argument> {
        let before = self.diagnostics.len();
        let condition = self.checked(count, &CountCondition::schema());
        if !has_error(&self.diagnostics[before..])
            && let Some(value) = literal(&condition.value)
            && let Err(wrong) = CountCondition::try_from(value)
        {
            self.fail(count, Code::Argument, wrong.to_string(), None);
        }
        let words = count.scalar().and_then(|text| count_words(&text.text));
        if let (Some(help), Some(wrong)) = (words, self.diagnostics[before..].last_mut()) {
            wrong.help = Some(help);
        }
        condition
    }

    /// Reports a `count` that is a map or a list as an error, with the form to write as help, and returns true then.
    pub(crate) fn count_is_no_scalar(&mut self, count: &Node) -> bool {
        if count.scalar().is_some() {
            return false;
        }
        let message = format!(
            "a number of elements is expected here, not {}",
            count.what()
        );
        let help = count_advice(count);
        self.fail(count, Code::WrongType, message, Some(help));
        true
    }
}

/// Returns what the keys of a selector among `entries` select, without the key `except`. Returns `None` if there is
/// none of these keys.
fn selected(entries: &[(Key, Node)], keys: &[&str], except: &str) -> Option<Element> {
    let entries = entries.iter().filter(|(key, _)| {
        let key = key.text.as_str();
        key != except && keys.contains(&key)
    });
    Element::from_entries(entries.map(|(key, node)| (key.text.as_str(), node)))
}

/// Returns the warning about a text alone in `assert` that compares two values, and its advice: `1 == 1`, `TOTAL > 3`,
/// `inbox_count = 40`, `"${total.text == '3'}"`. A word in lower case for which `has_value` is false is an id. Returns
/// `None` for texts that apps show, such as `Settings > Display` and `x = 3`, and for those that begin with a key of a
/// selector, such as `text == "Save"`.
pub(crate) fn compared(
    text: &Scalar,
    has_value: impl Fn(&str) -> bool,
) -> Option<(&'static str, String)> {
    static FORM: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"^(\S+|"[^"]*"|'[^']*') (===?|!==?|<=|>=|<|>|=) (\S.*)$"#));
    let text = text.text.trim();
    if let Some(inner) = text.strip_prefix("${").and_then(|it| it.strip_suffix('}')) {
        let compares = ["==", "!=", "<", ">"].iter().any(|it| inner.contains(it));
        return compares.then(|| {
            (
                "this looks for an element whose text is what the expression comes to",
                format!("write `assert: {{ that: {} }}`", foreign::quoted(text)),
            )
        });
    }
    let found = FORM.captures(text)?;
    // `text == "Save"` names an element, and other advice says so.
    if ["id", "text", "desc", "hint", "class"].contains(&&found[1]) {
        return None;
    }
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let sign = match &found[2] {
        "=" => "==".to_owned(),
        sign => sign.replace("===", "==").replace("!==", "!="),
    };
    let is_known = has_value(&found[1]);
    let of_element = text_of_id(&found[1], &sign, &found[3]).filter(|_| !is_known);
    // `Settings > Display` is a path, `<` an arrow, and `x = 3` a solution.
    let is_sure = if &found[2] == "=" {
        let is_value = is_number(&found[3]) || found[3].starts_with(['"', '\'']);
        is_known || of_element.is_some() && is_value && found[1].len() > 1
    } else {
        found[2].contains('=') || is_number(&found[3])
    };
    let inner = format!("{} {sign} {}", &found[1], &found[3]);
    (is_sure && !text.contains("${")).then(|| {
        let ours = of_element.unwrap_or_else(|| {
            let ours = foreign::quoted(&format!("${{{inner}}}"));
            format!("write `assert: {{ that: {ours} }}`")
        });
        (
            "this looks for an element with just this text",
            format!("{ours}; where the app shows just this, write `{{ text: … }}`"),
        )
    })
}

/// Returns advice for the comparison of an id's text: `inbox_count == 3` is `assert: { id: inbox_count, text: "3" }`, and
/// with another sign the element is read first. Returns `None` if the word is no id in lower case, and for a text with
/// another sign than `==`.
fn text_of_id(id: &str, sign: &str, value: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_id = id.starts_with(|c: char| c.is_ascii_lowercase()) && id.chars().all(is_part);
    if !is_id || ["true", "false", "none"].contains(&id) {
        return None;
    }
    if sign == "==" {
        let value = foreign::yaml(value.trim_matches(['"', '\'']));
        return Some(format!("write `assert: {{ id: {id}, text: {value} }}`"));
    }
    value.parse::<f64>().ok().filter(|it| it.is_finite())?;
    let filter = if value.contains('.') { "float" } else { "int" };
    Some(format!(
        "write `find: {{ id: {id} }}` with `as: n` beside it, and then `assert: {{ that: \"${{n.text | {filter} {sign} {value}}}\" }}`"
    ))
}

/// Returns advice for a sentence that says of an element that it is there, or not, behind the word `assert`: `Save visible`,
/// `that Error is gone`. Returns `None` for other texts.
pub(crate) fn asserted(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(?:that )?(?:the )?["']?(.+?)["']? (?:(?:is|are|to be|should be) )?(not |no longer )?(visible|displayed|shown|present|there|gone|hidden|invisible|absent|exists?|appears?|disappears?)$"#,
        )
    });
    let found = FORM.captures(text)?;
    let is_gone = [
        "gone",
        "hidden",
        "invisible",
        "absent",
        "disappear",
        "disappears",
    ]
    .contains(&&found[3]);
    let is_denied = found.get(2).is_some() != is_gone;
    let step = if is_denied {
        "assert not visible"
    } else {
        "assert visible"
    };
    Some(format!("write `{step}: {}`", foreign::yaml(&found[1])))
}

/// Splits a text such as `> 3` into its sign and its number; `None` for any other text.
fn comparison(text: &str) -> Option<(&str, &str)> {
    const SIGNS: [&str; 6] = [">=", "<=", "==", "!=", ">", "<"];
    let text = text.trim();
    let sign = SIGNS.into_iter().find(|sign| text.starts_with(sign))?;
    let number = text[sign.len()..].trim();
    let is_number = number.parse::<f64>().is_ok_and(f64::is_finite);
    is_number.then_some((sign, number))
}

/// Splits a map such as `{ greater_than: 3 }` into the sign that its key means and its number; `None` for other
/// nodes, and for keys such as `equals`.
fn map_comparison(node: &Node) -> Option<(&str, &str)> {
    let [(key, value)] = node.entries() else {
        return None;
    };
    let sign = sign_of(&key.text).filter(|sign| *sign != "==")?;
    let number = value.scalar()?;
    let is_number = number.text.parse::<f64>().is_ok_and(f64::is_finite);
    is_number.then_some((sign, number.text.as_str()))
}

/// Returns advice for a count in words or in a form of other tools: `count: ">=2"` for `at least 2`, `2+` and `=> 2`,
/// and two assertions for the range `2-4`. Returns `None` for other texts.
fn count_words(text: &str) -> Option<String> {
    const BEGINS: [(&str, &str); 12] = [
        ("at least", ">="),
        ("minimum", ">="),
        ("min", ">="),
        ("=>", ">="),
        ("at most", "<="),
        ("maximum", "<="),
        ("max", "<="),
        ("up to", "<="),
        ("=<", "<="),
        ("more than", ">"),
        ("less than", "<"),
        ("fewer than", "<"),
    ];
    let text = text.trim().to_lowercase();
    let whole = |text: &str| text.trim().parse::<u32>().ok();
    let one = |sign: &str, count: u32| Some(format!("write `count: \"{sign}{count}\"`"));
    for (begin, sign) in BEGINS {
        if let Some(count) = text.strip_prefix(begin).and_then(whole) {
            return one(sign, count);
        }
    }
    for end in ["+", "or more", "and more"] {
        if let Some(count) = text.strip_suffix(end).and_then(whole) {
            return one(">=", count);
        }
    }
    let range = text.trim_start_matches("between ");
    let parts = ["..", "-", " to ", " and "].into_iter();
    let mut parts = parts.filter_map(|sign| range.split_once(sign));
    let (low, high) = parts.find_map(|(low, high)| Some((whole(low)?, whole(high)?)))?;
    Some(format!(
        "write `count: \">={low}\"`, and a second `assert` with `count: \"<={high}\"`"
    ))
}

/// Returns advice for a range of counts in the form of another tool: `{ min: 2, max: 5 }` or `[2, 5]`. For anything
/// else it names the forms that a count may have.
fn count_advice(count: &Node) -> String {
    let limits: Vec<String> = match &count.kind {
        NodeKind::Map(entries) => {
            let limit = |(key, value): &(Key, Node)| {
                let number = value
                    .scalar()?
                    .number()
                    .filter(serde_json::Number::is_u64)?;
                Some(format!("{}{number}", sign_of(&key.text)?))
            };
            entries.iter().filter_map(limit).collect()
        }
        NodeKind::Sequence(items) => {
            let number = |item: &Node| item.scalar()?.number().filter(serde_json::Number::is_u64);
            let numbers: Vec<_> = items.iter().filter_map(number).collect();
            match numbers.as_slice() {
                [low, high] => vec![format!(">={low}"), format!("<={high}")],
                _ => Vec::new(),
            }
        }
        NodeKind::Scalar(_) => Vec::new(),
    };
    match limits.as_slice() {
        [only] => format!("write `count: \"{only}\"`"),
        [low, high] => {
            format!("write `count: \"{low}\"`, and a second `assert` with `count: \"{high}\"`")
        }
        _ => "write a number, or a limit such as `count: \">=2\"`".to_owned(),
    }
}

/// Returns the sign of a limit that a key of another tool names. Case and all but letters do not count. Returns
/// `None` for other keys.
fn sign_of(key: &str) -> Option<&'static str> {
    let letters = key.chars().filter(|c| c.is_alphabetic());
    let word: String = letters.flat_map(char::to_lowercase).collect();
    Some(match word.as_str() {
        "min" | "minimum" | "least" | "atleast" | "from" | "gte" | "ge" => ">=",
        "max" | "maximum" | "most" | "atmost" | "to" | "lte" | "le" => "<=",
        "gt" | "greaterthan" | "morethan" | "above" | "over" => ">",
        "lt" | "lessthan" | "fewerthan" | "below" | "under" => "<",
        "eq" | "equals" | "equal" | "exactly" | "exact" | "is" => "==",
        _ => return None,
    })
}
