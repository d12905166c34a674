//! Advice for maps and lists that are written wrongly: keys without a space, lists in place of one value, and
//! patterns in two forms.

use runner_text::flow_text;
use runner_text::yaml::missing_space;
use serde_json::json;

use super::foreign;
use super::keys::MODIFIERS;
use super::map_parts;
use super::needs::api_level;
use super::yaml::{Key, Node, NodeKind, Scalar};

/// Returns advice for a key with its value in it, as in `{id:save}`, `{ text=Save }` and `{ text Save }`. Returns
/// `None` without a value, and if the part before the sign is no key of `names`, no modifier and, before a colon, no
/// key of another tool.
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

/// Returns advice for a word in braces, which YAML reads as a map: `{name}`. It offers the text in quotes, and
/// `${name}` if the word looks like a name. Does not look whether the name exists.
pub(crate) fn in_braces(word: &str) -> String {
    let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = if is_name {
        format!("for a value write \"${{{word}}}\"; ")
    } else {
        String::new()
    };
    format!("`{{` begins a map in YAML; {value}if text is meant, quote it: \"{{{word}}}\"")
}

/// Returns advice for a key with `${…}` in it: the comparison that an `assert` means (if `names` has `that` and the
/// key is one expression), or that no key holds an expression. A text is not quoted, because it may be a secret.
/// Returns `None` for keys without `${`.
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

/// Returns advice for a rectangle that is written as a map: a list of its four sides, computed from place and size if
/// these are given. If a side is no whole number, all four become names. Returns `None` for maps with other or less
/// keys.
pub(crate) fn rectangle(entries: &[(Key, Node)]) -> Option<String> {
    const SIZED: [&str; 6] = ["x", "y", "width", "height", "w", "h"];
    const SIDES: [&str; 4] = ["left", "top", "right", "bottom"];
    let given = |name: &str| {
        let (_, value) = entries.iter().find(|(key, _)| key.text == name)?;
        value.scalar()?.text.parse::<i32>().ok()
    };
    let consists_of = |names: &[&str]| {
        entries.len() == 4
            && entries
                .iter()
                .all(|(key, _)| names.contains(&key.text.as_str()))
    };
    let sides = if consists_of(&SIDES) {
        SIDES.map(given)
    } else if consists_of(&SIZED) {
        let (x, y) = (given("x"), given("y"));
        let (width, height) = (
            given("width").or_else(|| given("w")),
            given("height").or_else(|| given("h")),
        );
        let end = |start: Option<i32>, size: Option<i32>| start?.checked_add(size?);
        [x, y, end(x, width), end(y, height)]
    } else {
        return None;
    };
    let sides: Option<Vec<String>> = sides
        .into_iter()
        .map(|side| Some(format!("{}", side?)))
        .collect();
    let sides = sides.map_or_else(|| SIDES.join(", "), |sides| sides.join(", "));
    Some(format!(
        "write a list of its sides, `[left, top, right, bottom]`: `[{sides}]`"
    ))
}

/// Returns advice for the part of a decimal number behind its comma, which YAML reads as a key in braces: the `5` of
/// `{ font_scale: 1,5 }`. `before` is the text before the key. Returns `None` for other keys.
pub(crate) fn decimal_comma(key: &str, before: &str) -> Option<String> {
    let digits = |c: char| c.is_ascii_digit();
    let whole = before.strip_suffix(',')?;
    let whole = &whole[whole.trim_end_matches(digits).len()..];
    let is_part = !key.is_empty() && key.chars().all(digits);
    (is_part && !whole.is_empty())
        .then(|| format!("a decimal number has a point: write `{whole}.{key}`"))
}

/// Returns advice for a version of Android, from 5 to 17, among the keys of `needs`, such as `android: 13`: `sdk` with
/// the level of its API. Returns `None` for other keys and values, and if `names` are not those of `needs`.
pub(crate) fn android_version(key: &str, value: &Node, names: &[&str]) -> Option<String> {
    const VERSIONS: [&str; 7] = [
        "android",
        "androidversion",
        "version",
        "release",
        "os",
        "osversion",
        "platformversion",
    ];
    let word = key.to_lowercase().replace(['_', '-'], "");
    if !VERSIONS.contains(&word.as_str()) || !names.contains(&"sdk") || !names.contains(&"size") {
        return None;
    }
    let given = value.scalar()?.text.to_lowercase();
    let given = given.trim_start_matches(|c: char| "<>=".contains(c) || c.is_whitespace());
    let given = given.trim_start_matches("android").trim_start();
    let version: u32 = given.split(['.', '+']).next()?.parse().ok()?;
    let level = api_level(version);
    (5..=17).contains(&version).then(|| {
        format!("write `sdk: \">={level}\"`: Android {version} has the level {level} of the API")
    })
}

/// Words of other tools for an element inside of the one that the other keys name, without separators.
const CHILDREN: [&str; 8] = [
    "child",
    "childselector",
    "subselector",
    "subelement",
    "nested",
    "children",
    "childelement",
    "descendant",
];

/// Returns advice for an element that is looked for inside of what the other keys of its selector name, as in
/// `{ id: list, child: { text: Milk } }`: a selector of that element, with the others in `inside`.
fn inside_of_the_others(value: &Node) -> String {
    let element = match &value.kind {
        NodeKind::Scalar(_) if !value.is_missing() => {
            foreign::Element::from_entries([("text", value)])
        }
        NodeKind::Map(entries) => {
            let entries = entries.iter().map(|(key, node)| (key.text.as_str(), node));
            foreign::Element::from_entries(entries)
        }
        _ => None,
    };
    let element = element.map_or_else(|| "{ …".to_owned(), |it| it.in_braces());
    let element = element.strip_suffix(" }").unwrap_or(&element);
    format!(
        "write `{element}, inside: {{ … }} }}`, with the other keys in `inside`, for the element that is inside; `has: …` names what an element has in it"
    )
}

/// Returns the place in an element that a word such as `center` or `top_left` means; `None` for other words.
fn place_named(word: &str) -> Option<String> {
    const WORDS: [&str; 7] = [
        "center", "centre", "middle", "left", "right", "top", "bottom",
    ];
    let plain = word.to_lowercase().replace(['_', '-'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    if words.is_empty() || words.iter().any(|word| !WORDS.contains(word)) {
        return None;
    }
    let share = |low: &str, high: &str| match (words.contains(&low), words.contains(&high)) {
        (true, false) => "10%",
        (false, true) => "90%",
        _ => "50%",
    };
    let (x, y) = (share("left", "right"), share("top", "bottom"));
    Some(format!("write `at: {{ x: {x}, y: {y} }}`"))
}

/// Returns advice for the value of the key `key` that another key of `names` has: `index` for `at: 2`, a state such as
/// `checked: true` for `state: on`, `scale` for `zoom: 150%`, and `inside` for `child: …`. Returns `None` for other
/// keys and values, and if `names` lacks the other key; no `names` at all allow `index`, and a place for `at: center`.
pub(crate) fn other_key(key: &str, value: &Node, names: &[&str]) -> Option<String> {
    let has = |name: &str| names.contains(&name);
    let word = key.to_lowercase().replace(['_', '-'], "");
    if CHILDREN.contains(&word.as_str()) && has("inside") && has("has") {
        return Some(inside_of_the_others(value));
    }
    if let Some(help) = map_parts::place_or_region(&word, value, names) {
        return Some(help);
    }
    let given = value.scalar().filter(|_| !value.is_missing())?;
    match word.as_str() {
        // A pattern of a text has no element in it.
        "id" | "desc" | "hint" | "class" if has("regex") && has("ignore_case") => Some(format!(
            "a text is no element: write `{{ {word}: {} }}` in place of what is around it",
            foreign::yaml(&given.text)
        )),
        "percent" | "percentage" | "zoom" | "zoomlevel" | "factor" if has("scale") => {
            let number = given.text.trim().trim_end_matches('%').trim();
            let number = number.parse::<f64>().ok().filter(|it| *it > 0.0)?;
            let is_share =
                given.text.contains('%') || word.starts_with("percent") || number >= 10.0;
            let scale = if is_share { number / 100.0 } else { number };
            Some(format!("write `scale: {scale}`"))
        }
        "at" if given.number().is_some() && (names.is_empty() || has("index")) => Some(format!(
            "`at` is a place in the element; for one of several write `index: {}`, which counts from 0",
            given.text
        )),
        "at" if names.is_empty() => place_named(&given.text),
        "position" | "place" | "anchor" if has("at") => place_named(&given.text),
        "times" | "count" | "repeat" | "repeats" if has("direction") && !has("max") => {
            let times = given.number().filter(|_| !has(word.as_str()))?;
            Some(format!(
                "write `repeat: {{ times: {times}, steps: […] }}` around it"
            ))
        }
        "value" | "state" | "status" | "is" if has("checked") && !has(word.as_str()) => {
            let ours = match (given.boolean(), given.text.to_lowercase().as_str()) {
                (Some(state), _) => format!("checked: {state}"),
                (None, "on" | "checked" | "ticked") => "checked: true".to_owned(),
                (None, "off" | "unchecked" | "unticked") => "checked: false".to_owned(),
                (None, "selected") => "selected: true".to_owned(),
                (None, "enabled") => "enabled: true".to_owned(),
                (None, "disabled") => "enabled: false".to_owned(),
                (None, "focused") => "focused: true".to_owned(),
                _ => return None,
            };
            Some(format!("write `{ours}`"))
        }
        _ => None,
    }
}

/// Returns the advice `any_of` for several ids or texts in one condition of a selector: `id: [a, b]`. `entries` are
/// all conditions. It quotes no item, because that may be a secret. Returns `None` for another key, for no list and
/// for less than two items.
pub(crate) fn any_of(key: &str, value: &Node, entries: &[(Key, Node)]) -> Option<String> {
    let NodeKind::Sequence(items) = &value.kind else {
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

/// Returns advice for a list of maps, in place of one map: all their keys in one map, without values. `is_block` says
/// that the list is written with dashes. Returns `None` if a key stands twice, an item is no map, or there is no key.
pub(crate) fn one_map(items: &[Node], is_block: bool) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for item in items {
        let NodeKind::Map(entries) = &item.kind else {
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

/// Returns advice for a pattern in two forms, such as `{ contains: sign, ignore_case: true }`: the one form that says
/// both, for `ignore_case` beside `contains` or `regex`. For all other entries it is to write only one of them. The
/// caller knows that there are several.
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

/// Returns advice for a fault of a regular expression, from the last line of the message of the `regex` crate; `None`
/// for faults that say all themselves. The first fault of the list that the message contains counts.
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
