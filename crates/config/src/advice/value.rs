//! Advice by the value: of a known key with a value of another form.

use std::sync::Arc;

use runner_flow::document;
use runner_flow::yaml::{Node, NodeKind};
use runner_text::diagnostic::{Code, Source};
use runner_virtual_device::Quirk;

use super::device_path::device_path;
use super::hosts::hosts_at;
use super::place::{Spot, fits};
use super::tables::{form, lists, plain, rows};
use super::variables::environment;
use crate::paths::is_switch;
use crate::schema::schema;

/// Table of named values: the place, the value, and words for it.
const VALUES: &str = include_str!("values.tsv");

/// Text in place of a value that is not written out.
pub(super) const LEFT_OUT: &str = "…";

/// Returns a value as it may be written in a map in brackets. `…` stands for one that is missing, for texts that
/// [`text`] does not write, and for what is nested in a map; `{ … }` is an empty map, or one of more than 3 keys. A
/// text with other characters than those of names and paths is in quotes.
pub(super) fn displayed(node: &Node) -> String {
    let entries = node.entries();
    match &node.kind {
        _ if node.is_missing() => LEFT_OUT.to_owned(),
        NodeKind::Scalar(scalar) => text(&scalar.text),
        NodeKind::Sequence(_) => item_list(node),
        NodeKind::Map(_) if !entries.is_empty() && entries.len() <= 3 => {
            let value = |inner: &Node| {
                let is_flat = inner.scalar().is_some();
                if is_flat {
                    displayed(inner)
                } else {
                    LEFT_OUT.to_owned()
                }
            };
            let parts = entries
                .iter()
                .map(|(key, inner)| format!("{}: {}", key.text, value(inner)));
            format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
        }
        NodeKind::Map(_) => "{ … }".to_owned(),
    }
}

/// Returns a value as a list in brackets: its items, or itself as the only one. `[ … ]` for a map, an empty
/// list, one of more than 4 items, and one with an item that is missing or no scalar.
pub(super) fn item_list(node: &Node) -> String {
    let items = match &node.kind {
        NodeKind::Sequence(items) if items.len() <= 4 => items.as_slice(),
        NodeKind::Scalar(_) => std::slice::from_ref(node),
        _ => &[],
    };
    let is_flat = items
        .iter()
        .all(|item| item.scalar().is_some() && !item.is_missing());
    if items.is_empty() || !is_flat {
        return "[ … ]".to_owned();
    }
    let items: Vec<String> = items.iter().map(displayed).collect();
    format!("[{}]", items.join(", "))
}

/// Writes a text as a value: without quotes if it is surely read as this text, else in single quotes. One with a quote,
/// a line break, a backtick or an `@` is `…`.
pub(super) fn text(text: &str) -> String {
    let is_plain = text
        .chars()
        .all(|c| c.is_alphanumeric() || "_./- ".contains(c));
    let is_address = text.split_once(':').is_some_and(|(host, port)| {
        let is_host = host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        is_host && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '/');
    if begins && (is_plain || is_address) && text.trim() == text {
        text.to_owned()
    } else if text.contains(['\'', '\n', '`', '@']) {
        // With an `@` it may be an address with a password.
        LEFT_OUT.to_owned()
    } else {
        format!("'{text}'")
    }
}

/// Ways to leave flows out.
pub(super) const NOTHING_TAKEN_AWAY: &str = "no pattern takes flows away: one whose name begins with `_` runs only in others, and `runner test --exclude-tag TAG` leaves some out";

/// Beginnings of help that names the value itself in its right form.
const SURE: [&str; 6] = [
    "write a list: [",
    "write `",
    "write one such",
    "write a whole",
    "remove",
    "this is a number",
];

/// Returns advice for a value that its key does not take; `None` if `help`, the advice of the schema, should stay, as
/// for a missing value and an expression. Only a value of a wrong type gets advice about its form. Values of `env` are
/// not told.
pub(super) fn advice(spot: &Spot<'_>, code: Code, help: Option<&str>) -> Option<String> {
    // An expression has the advice that none is possible, and an empty value that it is missing.
    if spot.node.is_missing() || help.is_some_and(|help| help.starts_with("no expression")) {
        return None;
    }
    let place = spot.place();
    if place.first() == Some(&"env") {
        return environment(place, spot.node);
    }
    let known = hosts_at(place, spot.node)
        .or_else(|| named_value(place, spot.node))
        .or_else(|| quirk(place, spot.node))
        .or_else(|| without_sign(place, spot.node));
    if code != Code::WrongType {
        return known;
    }
    let is_sure = help.is_some_and(|help| SURE.iter().any(|begin| help.starts_with(begin)));
    let is_sure = is_sure && !is_no_item(place, spot.node) && !is_no_list(place, help);
    known
        .or_else(|| match place {
            [] => whole_file(spot.node),
            ["timeout"] => timeouts(spot.node),
            ["flows"] => chosen_flows(spot.node),
            _ => file_of_steps(place, spot.node),
        })
        .or_else(|| text_in_map(place, spot.node))
        .or_else(|| form(place).filter(|_| !is_sure))
}

/// Returns advice for a word that means one of the named values of the place.
fn named_value(place: &[&str], node: &Node) -> Option<String> {
    let ours = meant_value(place, &node.scalar()?.text)?;
    Some(format!("write `{ours}`"))
}

/// Returns advice for a word in place of a quirk that means some of them: their names. `None` at other places.
fn quirk(place: &[&str], node: &Node) -> Option<String> {
    if place.first() != Some(&"quirks") {
        return None;
    }
    let names = Quirk::likely(&node.scalar()?.text);
    let list = place.len() == 1;
    match names.as_slice() {
        [] => None,
        [only] if list => Some(format!("write `quirks: [{only}]`")),
        several => Some(format!("write `{}`", several.join("` or `"))),
    }
}

/// Returns the named value of a place that a word of other tools means, whatever its case and punctuation.
/// `None` for other words and places.
pub(super) fn meant_value(place: &[&str], word: &str) -> Option<&'static str> {
    let word = plain(word);
    let mut rows = rows(VALUES);
    let [_, ours, _] = rows.find(|[it, _, words]| fits(it, place) && lists(words, &word))?;
    Some(ours)
}

/// Returns advice for a value at the top with a sign behind it, such as `2,` and `5m;`, if it reads without.
fn without_sign(place: &[&str], node: &Node) -> Option<String> {
    let [key] = place else { return None };
    let text = &node.scalar()?.text;
    let rest = text.trim_end_matches([',', ';', ' ']);
    let written = format!("{key}: {rest}");
    (rest != text && !rest.is_empty() && reads(&written)).then(|| format!("write `{written}`"))
}

/// Returns advice for a file that is one text or a list in place of a map: `retries = 2`, `- retries: 2`. `None` for a
/// map, and if it would not read as a setting.
fn whole_file(node: &Node) -> Option<String> {
    let written = match &node.kind {
        NodeKind::Scalar(scalar) => {
            let text = scalar.text.trim();
            let (key, value) = text.split_once('=').or_else(|| text.split_once(' '))?;
            format!("{}: {}", key.trim(), value.trim())
        }
        NodeKind::Sequence(items) => {
            let [(key, value)] = items.first()?.entries() else {
                return None;
            };
            format!("{}: {}", key.text, displayed(value))
        }
        NodeKind::Map(_) => return None,
    };
    let is_sure = |written: &str| !written.contains(['…', '\n']) && reads(written);
    if is_sure(&written) {
        return Some(format!("write `{written}`"));
    }
    // YAML joins the lines of a text.
    let text = &node.scalar()?.text;
    let mut words = text.split_whitespace();
    let first = match (words.next()?, words.next(), words.next()) {
        (key, Some("="), Some(value)) => format!("{key}: {value}"),
        (pair, ..) => pair.replacen('=', ": ", 1),
    };
    is_sure(&first).then(|| format!("write `{first}`, and each key in a line of its own"))
}

/// Returns advice for several limits in one map: the key of each. A limit that does not read is `…`. `None` if one is
/// of no known kind, and without any.
pub(super) fn timeouts(node: &Node) -> Option<String> {
    const KINDS: [(&str, &str); 4] = [
        ("timeout", "flow test total global run case each all spec"),
        (
            "step_timeout",
            "step steps action expect assert assertion element implicit find wait default command",
        ),
        ("teardown_timeout", "teardown cleanup after"),
        ("device_wait", "device devices connect connection boot"),
    ];
    let entries = node.entries();
    let each = entries.iter().map(|(key, value)| {
        let word = plain(&key.text);
        let kind = KINDS.iter().find(|(_, words)| lists(words, &word))?;
        let text = &value.scalar()?.text;
        let written = format!("{}: {text}", kind.0);
        // A limit without a unit is told next to its key.
        let shown = if reads(&written) {
            written
        } else {
            format!("{}: {LEFT_OUT}", kind.0)
        };
        Some(format!("`{shown}`"))
    });
    let each = each.collect::<Option<Vec<_>>>()?;
    (!each.is_empty()).then(|| format!("write {}", each.join(" and ")))
}

/// Returns advice for a map in place of `flows` that says what runs and what does not: the paths, and the ways to
/// leave flows out. `None` if it says neither.
fn chosen_flows(node: &Node) -> Option<String> {
    const WITH: &str = "include includes paths path files file only match pattern patterns glob globs testmatch dir dirs folder folders";
    const WITHOUT: &str = "exclude excludes ignore ignores ignored skip except not exclusions";
    let find = |words: &str| {
        let mut entries = node.entries().iter();
        let entry = entries.find(|(key, _)| lists(words, &plain(&key.text)));
        entry.map(|(_, value)| value)
    };
    let (with, without) = (find(WITH), find(WITHOUT));
    let paths = match (with, without) {
        (None, None) => return None,
        (None, Some(_)) => "flows: [ … ]".to_owned(),
        (Some(with), _) => format!("flows: {}", item_list(with)),
    };
    let more = if without.is_some() {
        format!("; {NOTHING_TAKEN_AWAY}")
    } else {
        String::new()
    };
    Some(format!("write `{paths}`{more}"))
}

/// Returns advice for a text in place of the steps of `setup`, `teardown` or `on_failure`: a file of them is run.
/// `None` at other places, and for a text that is no path of a YAML file.
fn file_of_steps(place: &[&str], node: &Node) -> Option<String> {
    let key = match place {
        [key @ ("setup" | "teardown" | "on_failure")] => *key,
        _ => return None,
    };
    let text = &node.scalar()?.text;
    let path = camino::Utf8Path::new(text.as_str());
    let is_flow = matches!(path.extension(), Some("yaml" | "yml"));
    let is_plain = |c: char| c.is_alphanumeric() || "_./-".contains(c);
    (is_flow && text.chars().all(is_plain)).then(|| format!("write `{key}: [ run: {text} ]`"))
}

/// Returns true if the schema's advice of a list with this item would not read: a boolean where texts are, and
/// a text where maps are.
fn is_no_item(place: &[&str], node: &Node) -> bool {
    let is_boolean = node.scalar().is_some_and(|it| it.boolean().is_some());
    place == ["on_dialog"] || (is_boolean && place != ["matrix", "dark"])
}

/// Returns true if the schema's advice is a list that would not read at its place, such as `[both]` of `dark`. False
/// for other advice, and at places of more than two keys.
fn is_no_list(place: &[&str], help: Option<&str>) -> bool {
    let Some(list) = help.and_then(|help| help.strip_prefix("write a list: ")) else {
        return false;
    };
    match place {
        [key] => !reads(&format!("{key}: {list}")),
        [group, key] => !reads(&format!("{group}: {{ {key}: {list} }}")),
        _ => false,
    }
}

/// Returns advice for a map in place of a text that has the text in it, such as `snapshots: { dir: goldens }`: the key
/// with this text. `None` if that does not read, and in `devices` and `secrets`.
fn text_in_map(place: &[&str], node: &Node) -> Option<String> {
    const NAMES: &str = "dir directory folder path file outputfile outputfolder output outputdir name mode value when level type limit max count times";
    let is_of_many = place
        .first()
        .is_some_and(|key| ["devices", "secrets"].contains(key));
    if is_of_many {
        return None;
    }
    let entries = node.entries();
    let (_, inner) = entries.iter().find(|(key, inner)| {
        lists(NAMES, &plain(&key.text)) && inner.scalar().is_some() && !inner.is_missing()
    })?;
    let value = displayed(inner);
    let written = match place {
        [key] => format!("{key}: {value}"),
        [group, key] => format!("{group}: {{ {key}: {value} }}"),
        _ => return None,
    };
    if value.contains(LEFT_OUT) || !reads(&written) {
        return None;
    }
    let others = entries.len() > 1 && place == ["snapshots"];
    let more = if others {
        "; what all snapshots share is `snapshot: { tolerance: { cluster: 20, specks: 50 } }`"
    } else {
        ""
    };
    Some(format!("write `{written}`{more}"))
}

/// Returns true if the text is a `runner.yaml` without errors of the schema.
pub(super) fn reads(text: &str) -> bool {
    let source = Arc::new(Source {
        path: "runner.yaml".into(),
        text: format!("{text}\n"),
    });
    document::read(&source, &schema()).is_ok()
}

/// Returns advice for a path that the check refused: one that leaves the project, is absolute or has an expression, a
/// word that switches something on in place of a file, or one on the device that is not absolute. It does not check
/// that a path of the project is wrong. `None` at other places, and for what is no text.
pub(super) fn path(place: &[&str], node: &Node) -> Option<String> {
    let text = &node.scalar()?.text;
    if place.first() == Some(&"uia2") && is_switch(text) {
        return Some(
            match text.as_str() {
                "true" | "yes" | "on" | "1" => {
                    "write `driver: uia2`: `uia2` is a folder of its APKs"
                }
                _ => "leave it out, or write `driver: stock`: `uia2` is a folder of its APKs",
            }
            .to_owned(),
        );
    }
    if is_switch(text) {
        return form(place);
    }
    let is_of_project = !text.is_empty()
        && matches!(
            place,
            ["flows" | "apps" | "snapshots"] | ["flows" | "apps", _]
        );
    if is_of_project && (text.contains("${") || text.contains("{{ ")) {
        return Some(
            "write the path itself; `runner test PATH` names others for one run".to_owned(),
        );
    }
    if is_of_project && text.starts_with('/') {
        return Some(
            "write the path from the folder of runner.yaml on, without `/` before it".to_owned(),
        );
    }
    if is_of_project {
        return Some(
            "move runner.yaml up into a folder that holds both, or what it names into its own folder"
                .to_owned(),
        );
    }
    device_path(place, node)
}
