//! Advice for maps and lists that are written wrongly: keys without a space, lists in place of one value, and
//! patterns in two forms.

use runner_text::flow_text;
use runner_text::yaml::missing_space;
use serde_json::json;

use super::foreign;
use super::keys::MODIFIERS;
use super::yaml::{Key, Kind, Node, Scalar};

/// Returns advice for a key with its value in it, as in `{id:save}` and `{ text=Save }`. Returns `None` if the
/// part before the sign is no key of `names`, no modifier and no key of another tool.
pub(crate) fn joined(text: &str, names: &[&str]) -> Option<String> {
    let (name, value) = text.split_once([':', '=', ' '])?;
    let value = value.trim_matches([':', '=', ' ']);
    let is_known = names.contains(&name) || MODIFIERS.contains(&name);
    let has_colon = text[name.len()..].starts_with(':');
    if value.is_empty() || !(is_known || has_colon && foreign::key(name, names).is_some()) {
        return None;
    }
    missing_space(text)
        .filter(|_| has_colon)
        .or_else(|| Some(format!("a colon is missing: write `{name}: {value}`")))
}

/// Returns advice for a word in braces, which YAML reads as a map: `{name}`.
pub(crate) fn in_braces(word: &str) -> String {
    let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = if is_name {
        format!("for a value write \"${{{word}}}\"; ")
    } else {
        String::new()
    };
    format!("`{{` begins a map in YAML; {value}if text is meant, quote it: \"{{{word}}}\"")
}

/// Returns advice for a key with `${…}` in it: the comparison that an `assert` means, or that no key holds an expression.
/// A text is not quoted, because it may be a secret. Returns `None` for other keys.
pub(crate) fn expression_key(key: &Key, value: &Node, names: &[&str]) -> Option<String> {
    if !key.text.contains("${") {
        return None;
    }
    let whole = key.text.trim().strip_prefix("${");
    let inner = whole.and_then(|rest| rest.strip_suffix('}'));
    let given = value.scalar().filter(|_| !value.is_missing());
    let is_plain = |it: &&Scalar| it.number().is_some() || it.boolean().is_some();
    let given = given.filter(is_plain);
    let given = given.map_or("'…'", |given| given.text.as_str());
    Some(match inner.filter(|_| names.contains(&"that")) {
        Some(inner) => {
            let compared = foreign::quoted(&format!("${{{inner} == {given}}}"));
            format!("write `that: {compared}`")
        }
        None => {
            "a key is read before anything runs: write it out, and `${…}` in its value".to_owned()
        }
    })
}

/// Returns advice for several ids or texts in one condition of a selector: `id: [a, b]`. `entries` are all
/// conditions. It quotes no item, because that may be a secret. Returns `None` for another key and for one
/// item.
pub(crate) fn any_of(key: &str, value: &Node, entries: &[(Key, Node)]) -> Option<String> {
    let Kind::Sequence(items) = &value.kind else {
        return None;
    };
    let is_words = ["id", "text", "desc", "hint", "class"].contains(&key);
    if !is_words || items.len() < 2 {
        return None;
    }
    let others = entries.iter().map(|(other, _)| other.text.as_str());
    let mut others = others.filter(|other| *other != key && *other != "index");
    let rest = match others.next() {
        Some(_) => "; the other conditions go into each of them",
        None => "",
    };
    Some(format!(
        "write `{{ any_of: [ {{ {key}: … }}, {{ {key}: … }} ] }}` in place of the whole selector where one of them is enough{rest}"
    ))
}

/// Returns advice for a list of maps with a key each, in place of one map: the keys in one map. `is_block` says
/// that the list is written with dashes. Returns `None` if a key stands twice or an item is no map.
pub(crate) fn one_map(items: &[Node], is_block: bool) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for item in items {
        let Kind::Map(entries) = &item.kind else {
            return None;
        };
        for (key, _) in entries {
            if names.contains(&key.text.as_str()) {
                return None;
            }
            names.push(&key.text);
        }
    }
    let keys: Vec<String> = names.iter().map(|name| format!("{name}: …")).collect();
    let dashes = if is_block {
        "the keys without `- `, as one map"
    } else {
        "one map"
    };
    (!keys.is_empty()).then(|| format!("write {dashes}: `{{ {} }}`", keys.join(", ")))
}

/// Returns advice for a pattern in two forms, such as `{ contains: sign, ignore_case: true }`: the one form that
/// says both.
pub(crate) fn one_pattern(entries: &[(Key, Node)]) -> String {
    let given = |name: &str| {
        let (_, value) = entries.iter().find(|(key, _)| key.text == name)?;
        Some(value.scalar()?.text.as_str())
    };
    let counts_case = given("ignore_case") == Some("false");
    let ours = match (given("contains"), given("regex"), given("ignore_case")) {
        (Some(part), None, Some(_)) if counts_case => json!({ "contains": part }),
        (Some(part), None, Some(_)) => json!({ "ignore_case": format!("*{part}*") }),
        (None, Some(regex), Some(_)) if counts_case => json!({ "regex": regex }),
        (None, Some(regex), Some(_)) => json!({ "regex": format!("(?i){regex}") }),
        _ => {
            return "write one of both; a regular expression can say more than one thing"
                .to_owned();
        }
    };
    format!("write `{}`", flow_text::with_expressions(&ours))
}

/// Returns advice for a fault of a regular expression, from the last line of the message of the `regex` crate;
/// `None` for faults that say all themselves.
pub(crate) fn regex_fault(message: &str) -> Option<String> {
    const FAULTS: [(&str, &str); 9] = [
        (
            "unclosed group",
            "for a bracket of the text write `\\(` or `\\)`; `{ contains: … }` takes words as they are",
        ),
        (
            "unopened group",
            "for a bracket of the text write `\\(` or `\\)`; `{ contains: … }` takes words as they are",
        ),
        (
            "unclosed character class",
            "for a bracket of the text write `\\[`; `{ contains: … }` takes words as they are",
        ),
        (
            "look-around",
            "say what must not be there in a step of its own, `assert not visible: …`",
        ),
        ("backreference", "write the part out a second time"),
        (
            "unrecognized escape",
            "leave out the backslash before a letter that needs none",
        ),
        (
            "counted repetition",
            "for a brace of the text write `\\{`; `{ contains: … }` takes words as they are",
        ),
        (
            "repetition quantifier",
            "for a brace of the text write `\\{`; `{ contains: … }` takes words as they are",
        ),
        (
            "repetition operator",
            "write `.*` for any text, and `\\*`, `\\+` or `\\?` for the sign itself",
        ),
    ];
    let mut faults = FAULTS.iter();
    let (_, help) = faults.find(|(fault, _)| message.contains(fault))?;
    Some((*help).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_its_value_in_it_is_told_from_a_text() {
        let names = ["id", "text", "index"];
        for (text, ours) in [
            ("id:save", "`id: save`"),
            ("index:0", "`index: 0`"),
            ("text=Save", "`text: Save`"),
            ("index 0", "`index: 0`"),
            ("timeout:5s", "`timeout: 5s`"),
        ] {
            let told = joined(text, &names).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for text in ["10:30", "name", "A b", "id:"] {
            assert_eq!(joined(text, &names), None, "{text}");
        }
    }

    #[test]
    fn each_fault_of_a_regular_expression_has_its_advice() {
        for (pattern, ours) in [
            ("Welcome (.*", "`\\(`"),
            ("a)", "`\\)`"),
            ("[a", "`\\["),
            ("*Save*", "`.*`"),
            ("(?!Cancel)", "assert not visible"),
            ("(a)\\1", "second time"),
            ("a{2", "`\\{`"),
        ] {
            let fault = regex::Regex::new(pattern).expect_err(pattern).to_string();
            let last = fault.lines().last().unwrap_or_default();
            let told = regex_fault(last).unwrap_or_default();
            assert!(told.contains(ours), "{pattern}: {last}: {told}");
        }
    }
}
