//! Advice by the key: of one at the top whose value says what is meant, and of one that belongs elsewhere.

use runner_flow::yaml::{Node, NodeKind};
use runner_text::suggest::snake_case;

use super::hosts::{host, hosts};
use super::tables::{lists, plain};
use super::value::{LEFT_OUT, NOTHING_TAKEN_AWAY, displayed, item_list, reads, text, timeouts};
use crate::is_package;
use crate::schema::schema;

/// Returns advice for a key at the top whose value says which of several things is meant, and for a map of settings
/// under a name of its own. `None` for other keys.
pub(super) fn key_at_top(word: &str, node: &Node, root: &Node) -> Option<String> {
    if let Some(advice) = limit_of_steps(word, node).or_else(|| around_settings(word, node)) {
        return Some(advice);
    }
    match word {
        "app" | "appid" | "package" | "packagename" | "bundleid" | "applicationid" | "apk"
        | "apks" | "apppath" | "binary" | "appfile" | "appfiles" | "apkpath" | "apppackage"
        | "appfolder" | "appdir" => Some(app(word, node, root)),
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
            format!("`flows: [ … ]` names what runs; {NOTHING_TAKEN_AWAY}")
        } else {
            "write `runner test --exclude-tag …`: it is no setting".to_owned()
        }),
        "timeouts" | "limits" => timeouts(node),
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

/// Returns advice for a report that is written as a format and a path, such as `format: html` and `output: out`: the
/// one key for both. `None` for other keys of `reports`, without a format, and for one that is none of ours.
pub(super) fn report_by_format(word: &str, root: &Node) -> Option<String> {
    const FORMATS: &str = "format formats type types kind reporter";
    const PATHS: &str = "output out outputfile outputdir outputfolder outputpath file filename path dir folder to destination dest";
    if !lists(FORMATS, word) && !lists(PATHS, word) {
        return None;
    }
    let (_, reports) = root.entry("reports")?;
    let find = |names: &str| {
        let mut entries = reports.entries().iter();
        let found = entries.find(|(key, _)| lists(names, &plain(&key.text)));
        found.map(|(_, node)| node)
    };
    let (kind, file) = match plain(&find(FORMATS)?.scalar()?.text).as_str() {
        "html" | "htmlreport" => ("html", ""),
        "junit" | "xml" | "junitxml" => ("junit", "/junit.xml"),
        "json" | "ndjson" | "jsonl" => ("json", "/events.ndjson"),
        "allure" => ("allure", ""),
        _ => return None,
    };
    let path = find(PATHS).map_or_else(|| LEFT_OUT.to_owned(), displayed);
    let is_folder = path
        .chars()
        .all(|c| c.is_alphanumeric() || "_-/".contains(c));
    let file = if is_folder { file } else { "" };
    Some(format!("write `{kind}: {path}{file}`"))
}

/// Returns advice for a map whose `timeout` is that of steps, as in Playwright's `expect: { timeout: 5000 }`. A number
/// counts as milliseconds, as seconds below 100. `None` for other keys, and for a map without a `timeout`.
fn limit_of_steps(word: &str, node: &Node) -> Option<String> {
    const STEPS: &str = "expect expects assert asserts assertion assertions action actions element elements find step steps command commands locator locators";
    if !lists(STEPS, word) {
        return None;
    }
    let (_, limit) = node.entry("timeout")?;
    let text = limit.scalar()?.text.as_str();
    let time = match text.parse::<u32>() {
        Ok(seconds) if seconds < 100 => format!("{seconds}s"),
        Ok(number) if number.is_multiple_of(1000) => format!("{}s", number / 1000),
        Ok(number) => format!("{number}ms"),
        Err(_) => text.to_owned(),
    };
    let written = format!("step_timeout: {time}");
    let shown = if reads(&written) {
        written
    } else {
        "step_timeout: 10s".to_owned()
    };
    Some(format!(
        "write `{shown}`, how long a step looks for its element; `timeout` is the limit of a whole flow"
    ))
}

/// Returns advice for a map of settings under a name of its own, such as `test: { retries: 2 }`. Returns `None` for an
/// empty map, for one with any other key, and for names of settings that hold in some places only.
fn around_settings(word: &str, node: &Node) -> Option<String> {
    if lists("ci profile profiles environments local dev", word) {
        return None;
    }
    let schema = schema();
    let known = schema["properties"].as_object()?;
    let entries = node.entries();
    let (key, value) = entries.first()?;
    let is_all_known = entries
        .iter()
        .all(|(key, _)| known.contains_key(key.text.as_str()));
    is_all_known.then(|| {
        // Values of `env` may be secrets.
        let value = if key.text == "env" {
            LEFT_OUT.to_owned()
        } else {
            displayed(value)
        };
        format!("write its keys at the top, as `{}: {value}`", key.text)
    })
}

/// Returns advice for a key of another place: one at the top that stands in a map, or one of a map such as `reports`
/// that stands at the top or in another one. Values of `env`, and those that would not read there, are `…`. `None` if
/// the schema has no key of this name.
pub(super) fn elsewhere(outer: &[&str], key: &str, node: &Node) -> Option<String> {
    const GROUPS: [&str; 4] = ["reports", "snapshot", "http", "maestro"];
    let name = snake_case(key);
    let schema = schema();
    let top = &schema["properties"];
    if !outer.is_empty() && top.get(name.as_str()).is_some() {
        let written = format!("{name}: {}", displayed(node));
        // Values of `env` may be secrets.
        let shown = if name != "env" && reads(&written) {
            written
        } else {
            format!("{name}: {LEFT_OUT}")
        };
        return Some(format!("write `{shown}` at the top"));
    }
    let mut groups = GROUPS.iter().filter(|group| outer.first() != Some(*group));
    let group = groups.find(|group| top[**group]["properties"].get(name.as_str()).is_some())?;
    let written = format!("{group}: {{ {name}: {} }}", displayed(node));
    let shown = if reads(&written) {
        written
    } else {
        format!("{group}: {{ {name}: {LEFT_OUT} }}")
    };
    let at = if outer.is_empty() { "" } else { " at the top" };
    Some(format!("write `{shown}`{at}"))
}

/// Returns the hosts of a list of addresses, separated by commas; `None` for other values, an empty list, and if an
/// item has no host.
fn listed_hosts(node: &Node) -> Option<String> {
    let NodeKind::Sequence(items) = &node.kind else {
        return None;
    };
    let each = items.iter().map(|item| host(&item.scalar()?.text));
    let hosts: Vec<&str> = each.collect::<Option<_>>()?;
    (!hosts.is_empty()).then(|| hosts.join(", "))
}

/// Returns the scalars of a value: its items, or itself; none of a map. Items that are no scalars are left out.
fn scalars(node: &Node) -> Vec<&str> {
    let items = match &node.kind {
        NodeKind::Sequence(items) => items.as_slice(),
        NodeKind::Scalar(_) => std::slice::from_ref(node),
        NodeKind::Map(_) => &[],
    };
    let scalars = items.iter().filter_map(Node::scalar);
    scalars.map(|scalar| scalar.text.as_str()).collect()
}

/// Returns true if all texts are paths or patterns of files. False without a text.
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

/// Returns advice for a mode of updates, with the mode always written out: `--update` alone writes all goldens. For an
/// unknown word it names all modes.
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
