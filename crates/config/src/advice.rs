//! Advice for natural mistakes in `runner.yaml`: keys of other tools, each at its place, and values of another
//! form. It replaces what the check by the schema says, which knows no more than the names of keys.

mod device_path;
mod hosts;
mod key;
mod place;
mod tables;
mod value;
mod variables;

use std::sync::Arc;

use runner_flow::document::suggest_key;
use runner_flow::yaml::{self, Key, Node, NodeKind};
use runner_screen::Selector;
use runner_text::diagnostic::{Code, Diagnostic, Source};
use runner_text::wide_signs;

use place::{Spot, fits};
use tables::{form, lists, plain, rows};
use value::{LEFT_OUT, displayed, item_list};

/// Table of unknown keys: their place, what to say, and the words.
const KEYS: &str = include_str!("advice/keys.tsv");

/// Replaces the help of diagnostics about the file where the place, the key or the value shows what was meant. Their
/// messages and their order stay, and so do all others. A file that is no YAML changes nothing.
pub(super) fn improve(source: &Arc<Source>, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let Some(root) = yaml::read(source, &mut Vec::new()) else {
        return found;
    };
    for wrong in &mut found {
        if let Some(help) = wide_signs::explain(wrong) {
            wrong.help = Some(help);
            continue;
        }
        let Some(spot) = Spot::find(&root, &wrong.span) else {
            continue;
        };
        let help = match (wrong.code, spot.key) {
            (Code::UnknownKey, Some(key)) => unknown_key(&root, &spot, key, wrong.help.as_deref()),
            (Code::WrongType | Code::Malformed | Code::UnknownValue | Code::Duration, None) => {
                value::advice(&spot, wrong.code, wrong.help.as_deref())
            }
            (Code::RunnerYaml, None) => {
                let mask = mask(&spot).or_else(|| selector(&spot));
                mask.or_else(|| value::path(spot.place(), spot.node))
            }
            _ => None,
        };
        if help.is_some() {
            wrong.help = help;
        }
    }
    found
}

/// Returns advice for an unknown key: by its value, by the table of other tools' keys, or by the place that has such a
/// key, whichever knows it first. `None` if `help`, the advice of the schema, should stay. If `help` says that `{` begins
/// a map, somebody wrote a text such as `{word}` for the whole value: the advice is then the form of the value that
/// belongs there.
fn unknown_key(root: &Node, spot: &Spot<'_>, key: &Key, help: Option<&str>) -> Option<String> {
    let word = plain(&key.text);
    let outer = spot.outer();
    let by_value = match outer {
        [] => key::key_at_top(&word, spot.node, root),
        ["devices", "*"] => device_key(&word, spot),
        ["reports"] => key::report_by_format(&word, root),
        _ => None,
    };
    let listed = || {
        let mut rows = rows(KEYS);
        let row = rows.find(|[place, _, words]| fits(place, outer) && lists(words, &word))?;
        let [_, ours, _] = row;
        Some(match ours.strip_prefix("> ") {
            Some(path) => moved(root, path, spot.node),
            None => filled(ours, spot.node),
        })
    };
    let in_braces = || {
        let is_quoted = help.is_some_and(|help| help.starts_with("`{` begins"));
        form(outer).filter(|_| is_quoted)
    };
    by_value
        .or_else(listed)
        .or_else(|| key::elsewhere(outer, &key.text, spot.node))
        .or_else(in_braces)
}

/// Returns the named value of a setting that a word of other tools means, such as `on` of `trace` for `always`.
/// `None` for other words and settings.
pub fn meant_value(setting: &str, word: &str) -> Option<&'static str> {
    value::meant_value(&[setting], word)
}

/// Returns what to say of a row, with the value in place of `@` and `@[]`.
fn filled(ours: &str, node: &Node) -> String {
    ours.replace("@[]", &item_list(node))
        .replace('@', &displayed(node))
}

/// Returns advice to write the value at a path of one or two keys. If the first key is there already, the second
/// belongs into it. A value that is no text is `…`.
fn moved(root: &Node, path: &str, node: &Node) -> String {
    let is_list = matches!(path, "snapshot.masks" | "snapshot.redactions");
    let is_text = node.scalar().is_some_and(|it| it.boolean().is_none());
    let value = match node.kind {
        _ if is_list => item_list(node),
        NodeKind::Scalar(_) if is_text => displayed(node),
        _ => LEFT_OUT.to_owned(),
    };
    match path.split_once('.') {
        None => format!("write `{path}: {value}`"),
        Some((group, key)) if root.entry(group).is_some() => {
            format!("write `{key}: {value}` inside of `{group}`")
        }
        Some((group, key)) => format!("write `{group}: {{ {key}: {value} }}`"),
    }
}

/// Returns advice for a name of a device. An id is its serial; a name is its serial if the entry has none and it looks
/// like one, else its label. Returns `None` for other words.
fn device_key(word: &str, spot: &Spot<'_>) -> Option<String> {
    let text = displayed(spot.node);
    let is_address = |(host, port): (&str, &str)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_serial = text == "virtual"
        || text.starts_with("emulator-")
        || text.split_once(':').is_some_and(is_address);
    match word {
        "id" | "deviceserial" => Some(format!("write `serial: {text}`")),
        "name" | "devicename" if is_serial && !spot.has_sibling(&["serial", "id", "webdriver"]) => {
            Some(format!("write `serial: {text}`"))
        }
        "name" | "devicename" => Some(format!("write `label: {text}`")),
        _ => None,
    }
}

/// Returns advice for a selector of `on_dialog` that does not read: the inner value of a condition such as `{
/// visible: … }`, else help for its unknown key. Returns `None` at other places, and without an unknown key.
fn selector(spot: &Spot<'_>) -> Option<String> {
    const CONDITIONS: &str = "visible exists exist displayed displayed present isvisible appears element selector target on locator find";
    let key = match spot.place() {
        ["on_dialog", "*", "when"] => "when",
        ["on_dialog", "*", "do", "click"] => "click",
        _ => return None,
    };
    let NodeKind::Map(entries) = &spot.node.kind else {
        return None;
    };
    let unknown = entries
        .iter()
        .find(|(own, _)| !Selector::KEYS.contains(&own.text.as_str()));
    let (own, inner) = unknown?;
    if lists(CONDITIONS, &plain(&own.text)) {
        return Some(format!("write `{key}: {}`", displayed(inner)));
    }
    let known = suggest_key(&own.text, Selector::KEYS);
    let known = known.filter(|help| !help.starts_with("known here"));
    known.or_else(|| Some(format!("write `{key}: TEXT`, or `{key}: {{ id: … }}`")))
}

/// Returns advice for a mask that does not read: the form of a rectangle, or help for its unknown key. `None` at other
/// places.
fn mask(spot: &Spot<'_>) -> Option<String> {
    const FORMS: &str =
        "write a text, `{ id: clock }`, or `{ rect: [0, 0, 1080, 63] }`: left, top, right, bottom";
    let ["snapshot", "masks", "*"] = spot.place() else {
        return None;
    };
    let keys = spot.node.entries().iter().map(|(key, _)| key.text.as_str());
    let mut unknown = keys.filter(|key| !Selector::KEYS.contains(key));
    let known = unknown.next().filter(|key| *key != "rect");
    let known = known.and_then(|key| suggest_key(key, Selector::KEYS));
    let known = known.filter(|help| !help.starts_with("known here"));
    Some(known.unwrap_or_else(|| FORMS.to_owned()))
}

/// Returns the message and the advice for a mask of the system's bars by a word such as `statusbar`, which no screen
/// has as a text; `None` for other masks. With `are_compared` the advice is to compare no bars.
pub(super) fn mask_of_bars(mask: &serde_json::Value, are_compared: bool) -> Option<[String; 2]> {
    const BARS: &str = "statusbar statusbars navigationbar navbar systembar systembars systemui bars androidstatusbar";
    let text = mask.as_str().or_else(|| mask.get("text")?.as_str())?;
    if !lists(BARS, &plain(text)) {
        return None;
    }
    let help = if are_compared {
        "leave out `bars: true`, which compares the system's bars, and this mask"
    } else {
        "leave it out: the system's bars are not compared, unless `bars: true` says so"
    };
    Some([
        format!(
            "`{text}` is looked for among the texts of the screen, and no bar of the system's is one"
        ),
        help.to_owned(),
    ])
}

#[cfg(test)]
mod tests;
