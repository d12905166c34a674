//! Advice for natural mistakes in `app.yaml`: keys, steps and icons by the words of other tools, and values of
//! another form. It replaces what the check by the schema says, which knows no more than the names of keys.

use std::ops::Range;

use runner_text::diagnostic::{Code, Diagnostic};
use runner_text::yaml::{Node, NodeKind};

use crate::apps::a2ui::catalogue::COMPONENTS;

/// Table of words: their place, what to say, and the words.
const TABLE: &str = include_str!("advice.tsv");

/// Text in place of a value that is not written out.
const LEFT_OUT: &str = "…";

/// Key or value of the file, with the keys that lead to it. An item of a list has `*` as its key.
struct Spot<'n> {
    path: Vec<&'n str>,
    /// The key, if the spot is a key and not a value.
    key: Option<&'n str>,
    /// The value, or that of the key.
    node: &'n Node,
}

/// Replaces the help of diagnostics about the file where the place, the key or the value shows what was meant. The help
/// of all others stays.
pub(super) fn improve(root: &Node, found: &mut [Diagnostic]) {
    for wrong in found {
        let mut path = Vec::new();
        let Some((key, node)) = search(root, &wrong.span, &mut path) else {
            continue;
        };
        let help = advice(&Spot { path, key, node }, wrong.code);
        if help.is_some() {
            wrong.help = help;
        }
    }
}

/// Returns advice with the name of the icon that a word means; `None` for other words. A word with a dot gets the
/// advice that an icon is no file.
pub(super) fn icon(word: &str) -> Option<String> {
    if word.contains('.') {
        return Some(
            "an icon is a name of the catalogue, and no file: write one such as `home`".into(),
        );
    }
    listed("icon", word).map(|name| format!("write `{name}`"))
}

/// Returns advice with the type of component that a word of other tools means, also behind a package or the name of a
/// toolkit: `Label`, `android.widget.Button`, `UITextField`. `None` for other words.
pub(super) fn component(word: &str) -> Option<String> {
    let name = listed("component", word).or_else(|| component_of_toolkit(word));
    name.map(|name| format!("write `{name}`"))
}

/// Returns the type of component that a word means without the package before its last dot, and without the name of a
/// toolkit before a capital letter; `None` for other words.
fn component_of_toolkit(word: &str) -> Option<&'static str> {
    const TOOLKITS: [&str; 7] = [
        "UI",
        "NS",
        "AppCompat",
        "Material",
        "Cupertino",
        "RCT",
        "Ion",
    ];
    let class = word.rsplit('.').next().unwrap_or(word);
    let known = |name: &str| {
        let mut components = COMPONENTS.iter().map(|component| component.name);
        let own = components.find(|own| own.eq_ignore_ascii_case(name));
        own.or_else(|| listed("component", name))
    };
    let is_in_package = class.len() < word.len();
    let of_package = is_in_package.then(|| known(class)).flatten();
    of_package.or_else(|| {
        let mut toolkits = TOOLKITS.iter();
        let rest = toolkits.find_map(|toolkit| class.strip_prefix(toolkit))?;
        known(rest).filter(|_| rest.starts_with(|first: char| first.is_ascii_uppercase()))
    })
}

/// Returns advice with the function that a word of other tools means; `None` for other words.
pub(super) fn function(word: &str) -> Option<String> {
    listed("function", word).map(str::to_owned)
}

/// Returns the name in Android of the permission that a short name means, such as `CAMERA` or `notifications`. `None`
/// for a name with a dot, and for words that mean none.
pub(super) fn permission(word: &str) -> Option<String> {
    if word.contains('.') {
        return None;
    }
    let is_short = |c: char| c.is_ascii_uppercase() || c == '_';
    if !word.is_empty() && word.chars().all(is_short) {
        return Some(format!("android.permission.{word}"));
    }
    listed("permission", word).map(str::to_owned)
}

/// Returns advice for a property that components of the type `component` do not have, by the words of other tools. Returns
/// `None` for other words.
pub(super) fn property(component: &str, word: &str, value: &Node) -> Option<String> {
    let ours = listed(&format!("in {component}"), word).or_else(|| listed("in *", word))?;
    Some(ours.replace('@', &shown(value)))
}

/// Returns advice for an id that no component has and that is probably a text: `Sign in`, `Pay`. Returns `None` for
/// others.
pub(super) fn text_as_id(id: &str) -> Option<String> {
    let is_text = id.starts_with(char::is_uppercase) || id.contains(' ');
    is_text.then(|| {
        format!(
            "an id of a component is expected here: for a text write `child: ID`, and a component `{{ id: ID, component: Text, text: {id} }}`"
        )
    })
}

/// Returns advice for a key of a component's `action` that belongs into its event or call, or into a step of an
/// action of `app.yaml`; `None` for other keys.
pub(super) fn action(key: &str, value: &Node) -> Option<String> {
    /// Steps, and words for them, which stand in `app.yaml`.
    const STEPS: &str = "navigate restart toast set append remove filter count open close back log copy request after if crash";
    match key {
        "name" | "run" | "action" | "do" => {
            Some(format!("write `event: {{ name: {} }}`", shown(value)))
        }
        "context" => Some("write `event: { name: …, context: { … } }`".to_owned()),
        "call" | "args" => Some("write `functionCall: { call: …, args: { … } }`".to_owned()),
        step if STEPS.split(' ').any(|it| it == step) => Some(
            "write `event: { name: NAME }`, and the step in app.yaml: `actions: { NAME: [ … ] }`"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Returns advice for a diagnostic at a spot: for an unknown key or step by the table, and for a value of another form.
/// `None` if nothing fits.
fn advice(spot: &Spot<'_>, code: Code) -> Option<String> {
    match (code, spot.key) {
        (Code::UnknownKey, Some(word)) => {
            let (_, outer) = spot.path.split_last()?;
            let place = place(outer)?;
            // A step of a word with several meanings is known by the keys of its map.
            let has_path = place == "step" && spot.node.entry("path").is_some();
            let by_path = has_path.then(|| listed("step with a path", word)).flatten();
            let ours = by_path.or_else(|| listed(place, word))?;
            let given = if ours.contains("`ms: @`") {
                time(spot.node)
            } else {
                shown(spot.node)
            };
            Some(ours.replace('@', &given))
        }
        (Code::UnknownValue, None) if place(&spot.path) == Some("step") => {
            let word = &spot.node.scalar()?.text;
            Some(listed("word", word)?.replace('@', word))
        }
        (Code::OutOfRange | Code::WrongType, None) => value(spot),
        _ => None,
    }
}

/// Returns advice for a value that has the wrong form at its place; `None` at places that the advice does not know.
fn value(spot: &Spot<'_>) -> Option<String> {
    let text = spot.node.scalar().map(|scalar| scalar.text.as_str());
    match (spot.path.as_slice(), text) {
        (["activities"], _) => Some(
            "write `activities: { .Main: { surface: main.yaml, launchable: true } }`".to_owned(),
        ),
        (["activities", _], Some(_)) => Some(format!(
            "write `{{ surface: {}, launchable: true }}`",
            shown(spot.node)
        )),
        (["watch"], _) => Some("write `watch: { /NAME: ACTION }`".to_owned()),
        (["activities", _, "on_start"], None) => {
            Some("write the name of an action, which stands in `actions`".to_owned())
        }
        ([.., "*", "log", "level"], Some(text)) => {
            let letter = text.chars().next()?.to_ascii_uppercase();
            "VDIWE"
                .contains(letter)
                .then(|| format!("write `{letter}`"))
        }
        ([.., "*", "after", "ms"], Some(text)) => {
            milliseconds(text).map(|number| format!("write `{number}`"))
        }
        _ => None,
    }
}

/// Returns a time in milliseconds as it is written: a whole number as it is, and that of a duration. All else becomes
/// `…`.
fn time(node: &Node) -> String {
    let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
    let number = text.parse::<u64>().ok().or_else(|| milliseconds(text));
    number.map_or_else(|| LEFT_OUT.to_owned(), |number| number.to_string())
}

/// Returns the milliseconds of a duration such as `2s` or `500 ms`; `m` is minutes. `None` for other texts, also for
/// fractions and for a number without a unit.
fn milliseconds(text: &str) -> Option<u64> {
    let (unit, factor) = [("ms", 1), ("sec", 1000), ("s", 1000), ("m", 60_000)]
        .into_iter()
        .find(|(unit, _)| text.ends_with(*unit))?;
    let number = text.strip_suffix(unit)?.trim();
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// Returns the name that the table has for the place of a map: `-` at the top, `activity`, `step` for an item of an
/// action's steps, and the step itself for the map behind it. `None` for other places.
fn place<'p>(path: &[&'p str]) -> Option<&'p str> {
    match path {
        [] => Some("-"),
        ["activities", _] => Some("activity"),
        ["actions", _, .., "*"] => Some("step"),
        ["actions", _, .., "*", step] => Some(*step),
        _ => None,
    }
}

/// Returns what the table says for a word at a place. Of several lines the first counts; case and punctuation of the
/// word do not. `None` for other words.
fn listed(place: &str, word: &str) -> Option<&'static str> {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let word: String = letters.flat_map(char::to_lowercase).collect();
    rows()
        .find(|[own, _, words]| *own == place && words.split(' ').any(|it| it == word))
        .map(|[_, ours, _]| ours)
}

fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

/// Returns a short text that may be written without quotes, as it is: at most 40 letters, digits, spaces and `._/-`.
/// All other texts, and nodes that are no scalar, become `…`.
pub(super) fn shown(node: &Node) -> String {
    /// Chosen: longer texts would hide the advice.
    const MAX_CHARS: usize = 40;
    let plain = |c: char| c.is_alphanumeric() || " ._/-".contains(c);
    let text = node.scalar().map(|scalar| scalar.text.as_str());
    let is_short = |text: &&str| {
        !text.is_empty()
            && text.trim() == *text
            && text.chars().count() <= MAX_CHARS
            && text.chars().all(plain)
    };
    text.filter(is_short).unwrap_or(LEFT_OUT).to_owned()
}

/// Finds the first key or value with this range of bytes, and returns its key, if it is one, with the value.
/// `path` gets the keys that lead to it, its own included. Returns `None` for an empty range.
fn search<'n>(
    node: &'n Node,
    span: &Range<usize>,
    path: &mut Vec<&'n str>,
) -> Option<(Option<&'n str>, &'n Node)> {
    if span.is_empty() {
        return None;
    }
    if node.span == *span {
        return Some((None, node));
    }
    if let NodeKind::Sequence(items) = &node.kind {
        path.push("*");
        for item in items {
            if let Some(found) = search(item, span, path) {
                return Some(found);
            }
        }
        path.pop();
    }
    for (key, value) in node.entries() {
        path.push(&key.text);
        if key.span == *span {
            return Some((Some(key.text.as_str()), value));
        }
        if let Some(found) = search(value, span, path) {
            return Some(found);
        }
        path.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::apps::a2ui::catalogue::{find_component, find_function};
    use crate::apps::ui::is_known_icon;

    #[test]
    fn no_word_stands_twice_at_a_place_and_every_icon_exists() {
        let mut seen = BTreeSet::new();
        for [place, ours, words] in rows() {
            assert!(place != "icon" || is_known_icon(ours), "{ours}");
            assert!(
                place != "component" || find_component(ours).is_some(),
                "{ours}"
            );
            let mut functions = ours.split('`').skip(1).step_by(2);
            assert!(
                place != "function" || functions.all(|name| find_function(name).is_some()),
                "{ours}"
            );
            for word in words.split(' ') {
                assert!(seen.insert((place, word)), "{place}: {word}");
                assert!(place != "icon" || !is_known_icon(word), "{word} is one");
            }
        }
        assert_eq!(
            rows().count(),
            TABLE.lines().count() - 2,
            "rows of three cells"
        );
    }

    #[test]
    fn a_duration_is_told_in_milliseconds() {
        for (text, expected) in [
            ("2s", Some(2000)),
            ("500 ms", Some(500)),
            ("1m", Some(60_000)),
            ("soon", None),
            ("s", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
