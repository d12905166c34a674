//! Advice by the value: of a known key with a value of another form, and of keys whose value decides.

use std::sync::Arc;

use runner_flow::document;
use runner_flow::yaml::{Kind, Node};
use runner_text::diagnostic::{Code, Source};

use super::place::{Spot, fits};
use super::{form, lists, plain, rows};
use crate::is_package;
use crate::schema::schema;

/// Table of named values: the place, the value, and words for it.
const VALUES: &str = include_str!("values.tsv");

/// Text in place of a value that is not written out.
pub(super) const LEFT_OUT: &str = "…";

/// Returns a value as it may be written in a map in brackets; `…` for one that is missing or long. A text with
/// other characters than those of names and paths is in quotes.
pub(super) fn displayed(node: &Node) -> String {
    let entries = node.entries();
    match &node.kind {
        _ if node.is_missing() => LEFT_OUT.to_owned(),
        Kind::Scalar(scalar) => text(&scalar.text),
        Kind::Sequence(_) => item_list(node),
        Kind::Map(_) if !entries.is_empty() && entries.len() <= 3 => {
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
        Kind::Map(_) => "{ … }".to_owned(),
    }
}

/// Returns a value as a list in brackets: its items, or itself as the only one.
pub(super) fn item_list(node: &Node) -> String {
    let items = match &node.kind {
        Kind::Sequence(items) if items.len() <= 4 => items.as_slice(),
        Kind::Scalar(_) => std::slice::from_ref(node),
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

/// Writes a text as a value: without quotes if it is surely read as this text.
fn text(text: &str) -> String {
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

/// Beginnings of help that names the value itself in its right form.
const SURE: [&str; 6] = [
    "write a list: [",
    "write `",
    "write one such",
    "write a whole",
    "remove",
    "this is a number",
];

/// Returns advice for a value that its key does not take; `None` if `help`, the advice of the schema, should
/// stay.
pub(super) fn advice(spot: &Spot<'_>, code: Code, help: Option<&str>) -> Option<String> {
    // An expression has the advice that none is possible, and an empty value that it is missing.
    if spot.node.is_missing() || help.is_some_and(|help| help.starts_with("no expression")) {
        return None;
    }
    let place = spot.place();
    if place.first() == Some(&"env") {
        return None;
    }
    let hosts = || hosts_at(place, spot.node);
    let named = || named_value(place, spot.node);
    if code != Code::WrongType {
        return hosts().or_else(named);
    }
    let known = hosts()
        .or_else(named)
        .or_else(|| text_in_map(place, spot.node));
    let is_sure = help.is_some_and(|help| SURE.iter().any(|begin| help.starts_with(begin)));
    known.or_else(|| form(place).filter(|_| !is_sure))
}

/// Returns advice for a word that means one of the named values of the place.
fn named_value(place: &[&str], node: &Node) -> Option<String> {
    let word = plain(&node.scalar()?.text);
    let mut rows = rows(VALUES);
    let [_, ours, _] = rows.find(|[it, _, words]| fits(it, place) && lists(words, &word))?;
    Some(format!("write `{ours}`"))
}

/// Returns advice for a map in place of a text that has the text in it, such as `snapshots: { dir: goldens }`:
/// the key with this text, if that reads.
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
fn reads(text: &str) -> bool {
    let source = Arc::new(Source {
        path: "runner.yaml".into(),
        text: format!("{text}\n"),
    });
    document::read(&source, &schema()).is_ok()
}

/// Returns advice for addresses in place of `http.hosts` and its items: the hosts alone. Returns `None` at other
/// places, and if a text has no host.
fn hosts_at(place: &[&str], node: &Node) -> Option<String> {
    match place {
        ["http", "hosts"] => {
            let hosts = hosts(&node.scalar()?.text)?;
            Some(format!("write a list of hosts alone: `hosts: [{hosts}]`"))
        }
        ["http", "hosts", "*"] => {
            let hosts = hosts(&node.scalar()?.text)?;
            Some(format!("write the host alone: `{hosts}`"))
        }
        _ => None,
    }
}

/// Returns the hosts of a text with addresses, separated by commas, each with its port; `None` if any has none.
fn hosts(text: &str) -> Option<String> {
    let addresses = text.split(',').map(str::trim);
    let hosts: Option<Vec<&str>> = addresses.map(host).collect();
    hosts
        .filter(|hosts| !hosts.is_empty())
        .map(|hosts| hosts.join(", "))
}

/// Returns the host of an address, with its port and without a user; `None` if it has other characters.
fn host(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next()?;
    let rest = rest.rsplit('@').next()?;
    let (name, port) = rest.split_once(':').unwrap_or((rest, "1"));
    let is_name = (name.contains('.') || name == "localhost")
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_name && is_port).then_some(rest)
}

/// Returns advice for a key at the top whose value says which of several things is meant; `None` for other
/// keys.
pub(super) fn key_at_top(word: &str, node: &Node, root: &Node) -> Option<String> {
    match word {
        "app" | "appid" | "package" | "packagename" | "bundleid" | "applicationid" | "apk"
        | "apks" | "apppath" | "binary" | "appfile" | "appfiles" => Some(app(word, node, root)),
        "include" | "includes" | "pattern" | "patterns" | "files" | "glob" if is_paths(node) => {
            Some(format!("write `flows: {}`", item_list(node)))
        }
        "include" | "includes" | "only" => Some(
            "write `runner test --tag …` for tags, or `flows: [ … ]` for files and patterns"
                .to_owned(),
        ),
        "exclude"
        | "excludes"
        | "ignore"
        | "skip"
        | "ignorepatterns"
        | "testpathignorepatterns" => Some(if is_paths(node) {
            "`flows: [ … ]` names what runs; flows in a folder whose name begins with `_` are left out".to_owned()
        } else {
            "write `runner test --exclude-tag …`: it is no setting".to_owned()
        }),
        "update" | "updatesnapshots" | "updatesnapshot" | "updategoldens" | "updatemode"
        | "snapshotupdate" => Some(update(node)),
        "baseurl" | "hosts" | "allowedhosts" | "allowhosts" | "api" | "apiurl" | "network"
        | "url" | "host" => {
            let text = node.scalar().map(|scalar| scalar.text.as_str());
            let hosts = text.and_then(hosts).or_else(|| listed_hosts(node));
            let hosts = hosts.unwrap_or_else(|| LEFT_OUT.to_owned());
            Some(format!(
                "write `http: {{ hosts: [{hosts}] }}`, and the whole `url` in each step"
            ))
        }
        _ => None,
    }
}

/// Returns the hosts of a list of addresses; `None` for other values, and if an item has no host.
fn listed_hosts(node: &Node) -> Option<String> {
    let Kind::Sequence(items) = &node.kind else {
        return None;
    };
    let each = items.iter().map(|item| host(&item.scalar()?.text));
    let hosts: Vec<&str> = each.collect::<Option<_>>()?;
    (!hosts.is_empty()).then(|| hosts.join(", "))
}

/// Returns the scalars of a value: its items, or itself.
fn scalars(node: &Node) -> Vec<&str> {
    let items = match &node.kind {
        Kind::Sequence(items) => items.as_slice(),
        Kind::Scalar(_) => std::slice::from_ref(node),
        Kind::Map(_) => &[],
    };
    let scalars = items.iter().filter_map(Node::scalar);
    scalars.map(|scalar| scalar.text.as_str()).collect()
}

/// Returns true if all texts are paths or patterns of files.
fn is_paths(node: &Node) -> bool {
    let texts = scalars(node);
    let is_path = |text: &&str| {
        text.contains(['/', '*']) || text.ends_with(".yaml") || text.ends_with(".yml")
    };
    !texts.is_empty() && texts.iter().all(is_path)
}

/// Returns advice for an app at the top: a path, or a name without a dot, which no package has, is an app of
/// the virtual device. A package belongs into the flows.
fn app(word: &str, node: &Node, root: &Node) -> String {
    let mut texts = scalars(node);
    texts.retain(|text| !text.is_empty());
    let is_file = |text: &&str| {
        let is_name = !text.contains(['.', '$', ' ']);
        is_package(camino::Utf8Path::new(text)) || text.contains('/') || is_name
    };
    let is_for_packages = word.contains("package") || word.ends_with("id");
    if texts.is_empty() {
        let of_virtual = "`apps: [ … ]` for an APK on the virtual device";
        return format!("write `app: …` in the header of each flow for a package, or {of_virtual}");
    }
    if is_for_packages || !texts.iter().all(is_file) {
        return format!(
            "write `app: {}` in the header of each flow",
            displayed(node)
        );
    }
    match root.entry("apps") {
        // There is one list, so the app joins those that it has.
        Some((_, apps)) => {
            let all = scalars(apps).into_iter().chain(texts);
            let all: Vec<String> = all.map(text).collect();
            format!("write one list: `apps: [{}]`", all.join(", "))
        }
        None => format!("write `apps: {}`", item_list(node)),
    }
}

/// Returns advice for a mode of updates, with the mode always written out: `--update` alone writes all goldens.
fn update(node: &Node) -> String {
    let word = node
        .scalar()
        .map(|scalar| plain(&scalar.text))
        .unwrap_or_default();
    let mode = match word.as_str() {
        "none" | "no" | "false" | "off" | "never" => "none",
        "new" | "missing" => "new",
        "changed" => "changed",
        "pending" | "ask" | "review" => "pending",
        "all" | "true" | "yes" | "on" | "always" => "all",
        _ => {
            return "write `runner test --update=MODE`, with `none`, `pending`, `new`, `changed` or `all`: it is no setting".to_owned();
        }
    };
    let also = match mode {
        "none" => ", which is the default where `CI` is set",
        "all" => ", which writes all goldens",
        _ => "",
    };
    format!("write `runner test --update={mode}`{also}: it is no setting")
}
