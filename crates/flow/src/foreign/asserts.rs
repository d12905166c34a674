//! Translates assertions of other tools that stand as a key in the map of `assert`.

use super::calls;
use super::element::{Element, fill, property};
use super::other_keys::{answer, key, translated};
use super::tables::{PARTS, has_parts, lists, plain, rows};
use crate::yaml::{Key, Node, NodeKind, Scalar};
use runner_text::suggest::snake_case;
use serde_json::Number;

/// Keys of `assert` that are expected of an element, with the words of other tools for them.
const ASPECTS: [(&str, &str); 11] = [
    ("enabled", "enabled isenabled"),
    ("checked", "checked ischecked toggled"),
    ("selected", "selected isselected"),
    ("focused", "focused isfocused focus hasfocus"),
    ("clickable", "clickable isclickable"),
    ("scrollable", "scrollable isscrollable"),
    ("editable", "editable iseditable"),
    ("hint", "hint hinttext placeholder placeholdertext"),
    (
        "desc",
        "desc description contentdesc contentdescription accessibilitylabel alttext",
    ),
    ("class", "class classname"),
    (
        "text",
        "text value title label caption message heading innertext textcontent",
    ),
];

/// Returns advice for a key in the map of `assert` that is an assertion in another tool, such as `toBeVisible: true`
/// and `not: { visible: … }`. `element` is what the other keys select, `keys` those of a selector. Returns `None`
/// for keys that mean no assertion, and for those that mean another key.
pub(crate) fn in_assert(
    word: &str,
    value: &Node,
    element: Option<&Element>,
    keys: &[&str],
) -> Option<String> {
    if plain(word) == "not" {
        let denied = denied(value, keys).map_or_else(|| "…".to_owned(), |it| it.shortest());
        return Some(format!("write `assert not visible: {denied}`"));
    }
    if let Some(help) = element.and_then(|element| side(word, value, element)) {
        return Some(help);
    }
    let seen = translated(word, &["visible", "not_visible"]);
    let word = seen.unwrap_or(word);
    let other = key(word, keys);
    if other.is_some_and(|other| !other.starts_with("write `assert")) {
        return None;
    }
    let by_parts = || {
        let mut rows = rows(PARTS);
        let row = rows.find(|[_, parts]| has_parts(word, parts));
        row.map(|[ours, _]| ours)
    };
    let ours = calls::equivalent(word, false).or_else(by_parts)?;
    // What is typed or clicked is no key of an assertion.
    let ours = Some(ours).filter(|ours| ours.starts_with("`assert"))?;
    let given = value.scalar();
    // `nein` is an answer only behind a word of its language: an app may show it.
    let is_true = |given: &Scalar| {
        given
            .boolean()
            .or_else(|| seen.and_then(|_| answer(&given.text)))
    };
    let ours = match given.and_then(is_true) {
        Some(false) => opposite(ours),
        _ => ours.to_owned(),
    };
    let text = given.filter(|given| is_true(given).is_none() && !value.is_missing());
    let count = text.and_then(Scalar::number).filter(Number::is_u64);
    let ours = match count {
        Some(count) => ours.replace("count: 3", &format!("count: {count}")),
        None => ours,
    };
    let shown = element.is_none().then(|| denied(value, keys)).flatten();
    let text = text.map(|text| text.text.as_str());
    // An element has a text: `{ id: greeting, visible: Welcome }`.
    if let (Some(element), Some(text), "`assert visible: …`") = (element, text, ours.as_str())
        && let Some(both) = element.with_text(text)
    {
        return Some(format!("write `assert: {}`", both.in_braces()));
    }
    Some(format!(
        "write {}",
        fill(&ours, element.or(shown.as_ref()), text)
    ))
}

/// Returns advice for the width or the height of an element as a number: its bounds, in a comparison. Returns `None` for
/// other words and values.
fn side(word: &str, value: &Node, element: &Element) -> Option<String> {
    let (high, low) = match plain(word).as_str() {
        "width" => ("right", "left"),
        "height" => ("bottom", "top"),
        _ => return None,
    };
    let number = value.scalar().filter(|it| it.number().is_some())?;
    Some(format!(
        "write `find: {}` with `as: e` beside it, and then `assert: {{ that: \"${{e.bounds.{high} - e.bounds.{low} == {}}}\" }}`, in pixels",
        element.shortest(),
        number.text
    ))
}

/// Returns advice for the map of a step that compares a text, such as `{ id: total, equals: "42" }`; `None` if it has
/// no text, or names no element.
pub(super) fn with_text(entries: &[(Key, Node)]) -> Option<String> {
    const TEXTS: &str = "text equals equal expected expectedtext value is tobe content";
    let (text, given) = entries
        .iter()
        .find(|(key, _)| lists(TEXTS, &plain(&key.text)))?;
    let others = entries.iter().filter(|(key, _)| key.text != text.text);
    let mut all: Vec<(&str, &Node)> = others
        .filter_map(|(key, node)| Some((property(&key.text)?, node)))
        .collect();
    if all.is_empty() {
        return None;
    }
    all.push(("text", given));
    let element = Element::from_entries(all)?;
    Some(format!("write `assert: {}`", element.in_braces()))
}

/// Returns advice for the map of an assertion on one property of an element, which a key names or the step's name:
/// `assertAttribute: { id: a, name: checked, value: true }`, `assertHint: { id: a, hint: Name }`. Returns `None` for a step
/// that asserts nothing, and if the element or what is expected of it is missing.
pub(super) fn with_property(word: &str, entries: &[(Key, Node)]) -> Option<String> {
    const VERBS: &str = "assert|verify|expect|check|should|have|has|validate|ensure";
    const NAMES: &str = "attribute attr property prop field name key";
    const EXPECTED: &str = "value equals equal expected expectedvalue is to tobe be content";
    if !has_parts(word, VERBS) {
        return None;
    }
    let is_name = |key: &Key| lists(NAMES, &plain(&key.text));
    let named = entries.iter().find(|(key, _)| is_name(key));
    let by_key = named.and_then(|(_, node)| aspect(&node.scalar()?.text));
    let word = snake_case(word);
    let ours = by_key.or_else(|| word.split('_').find_map(aspect))?;
    let is_expected = |key: &Key| {
        lists(EXPECTED, &plain(&key.text)) || by_key.is_none() && aspect(&key.text) == Some(ours)
    };
    let (_, given) = entries.iter().find(|(key, _)| is_expected(key))?;
    let text = given.scalar()?.text.clone();
    let is_words = ["hint", "desc", "class", "text"].contains(&ours);
    if !is_words && !["true", "false"].contains(&text.as_str()) {
        return None;
    }
    let given = Node {
        span: given.span.clone(),
        kind: NodeKind::Scalar(Scalar {
            text,
            // `"true"` of other tools is a boolean here.
            plain: true,
        }),
    };
    let others = entries
        .iter()
        .filter(|(key, _)| !is_name(key) && !is_expected(key));
    let mut all: Vec<(&str, &Node)> = others
        .filter_map(|(key, node)| Some((property(&key.text)?, node)))
        .collect();
    if all.is_empty() || all.iter().any(|(key, _)| *key == ours) {
        return None;
    }
    all.push((ours, &given));
    let element = Element::from_entries(all)?;
    Some(format!("write `assert: {}`", element.in_braces()))
}

/// Returns the key of `assert` that a word of another tool means; `None` for other words.
fn aspect(word: &str) -> Option<&'static str> {
    let word = plain(word);
    let mut aspects = ASPECTS.iter();
    aspects
        .find(|(_, words)| lists(words, &word))
        .map(|(ours, _)| *ours)
}

/// Returns what a value of `visible` or `not` selects: a text, or the keys of a selector, which may stand below
/// another word such as `visible`. Returns `None` if there is nothing of these.
fn denied(value: &Node, keys: &[&str]) -> Option<Element> {
    match &value.kind {
        NodeKind::Scalar(text) if text.boolean().is_some() || value.is_missing() => None,
        NodeKind::Scalar(_) => Element::from_entries([("text", value)]),
        NodeKind::Map(entries) => {
            let of_selector = entries
                .iter()
                .filter(|(key, _)| keys.contains(&key.text.as_str()));
            let of_selector = of_selector.map(|(key, node)| (key.text.as_str(), node));
            Element::from_entries(of_selector).or_else(|| {
                let (_, inner) = entries.first()?;
                denied(inner, keys)
            })
        }
        NodeKind::Sequence(_) => None,
    }
}

/// Returns the negation of an equivalent: `` `assert not visible: …` ``, `enabled: false`. Others stay.
fn opposite(ours: &str) -> String {
    let pairs = [
        ("`assert not visible: …`", "`assert visible: …`"),
        ("`assert visible: …`", "`assert not visible: …`"),
        (": true }", ": false }"),
        (": false }", ": true }"),
        ("text: \"\" }", "text: { regex: '.+' } }"),
    ];
    let pair = pairs.iter().find(|(one, _)| ours.contains(one));
    pair.map_or_else(|| ours.to_owned(), |(one, other)| ours.replace(one, other))
}
