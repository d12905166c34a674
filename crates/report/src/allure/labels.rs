//! Builds the labels by which Allure groups results: suites, devices, tags, and a flow's properties.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::model::Label;
use crate::text::clean;
use crate::{Attempt, FlowRecord, Results};
use runner_event::ResultKey;

/// Severities that Allure knows, worst first.
const SEVERITIES: [&str; 5] = ["blocker", "critical", "normal", "minor", "trivial"];

/// Properties of Maestro's headers that are also labels of Allure.
const PROPERTIES: [&str; 5] = ["epic", "feature", "story", "owner", "layer"];

/// Returns the labels of an attempt of a flow: the common ones, then `thread` (the attempt's device, else the
/// one planned), `parentSuite` (the device planned), `severity`, one `tag` for each tag, and those of
/// `PROPERTIES` that the flow sets. Labels of an unknown device are left out.
pub(super) fn flow_labels(
    results: &Results,
    key: &ResultKey,
    record: &FlowRecord,
    attempt: &Attempt,
) -> Vec<Label> {
    let mut labels = common_labels(results, Some(&key.id.flow));
    let device = if attempt.device.is_empty() {
        &key.device
    } else {
        &attempt.device
    };
    if !device.is_empty() {
        // Allure's time line has one lane for each thread.
        labels.push(Label::new("thread", clean(device)));
    }
    if !key.device.is_empty() {
        labels.push(Label::new("parentSuite", clean(&key.device)));
    }
    labels.push(Label::new("severity", severity(record)));
    let tags = record.tags.iter();
    labels.extend(tags.map(|tag| Label::new("tag", clean(tag))));
    for name in PROPERTIES {
        let value = record.properties.get(name);
        labels.extend(value.map(|value| Label::new(name, clean(value))));
    }
    labels
}

/// Returns the labels that every result has: `framework`, `language`, `suite`, `host` and `package`. `suite` is the
/// folder of the flow: `.` for a flow at the root, `run` without a flow. `package` are the flow's folders, joined by
/// dots. `host` is left out if the run did not name it, `package` without a flow and for one at the root.
pub(super) fn common_labels(results: &Results, flow: Option<&Utf8Path>) -> Vec<Label> {
    let host = results.run.as_ref().and_then(|run| run.host.as_ref());
    let host = host.map(|host| {
        let machine = format!("{} {}", host.os, host.arch);
        let ci = host.ci.iter().map(|ci| format!("{ci}, "));
        clean(&(ci.collect::<String>() + &machine)).into_owned()
    });
    let suite = flow.map_or("run", |flow| flow.parent().map_or("", Utf8Path::as_str));
    let suite = if suite.is_empty() { "." } else { suite };
    let package = flow.map(|flow| title_path(&flow.with_extension("")).join("."));
    let mut labels = vec![
        Label::new("framework", "runner"),
        Label::new("language", "yaml"),
        Label::new("suite", clean(suite)),
    ];
    labels.extend(host.map(|host| Label::new("host", host)));
    let package = package.filter(|package| !package.is_empty());
    labels.extend(package.map(|package| Label::new("package", package)));
    labels
}

/// Returns the names of a flow's folders, outermost first, made harmless; the file's name is not among them. Empty
/// for a flow at the root.
pub(super) fn title_path(flow: &Utf8Path) -> Vec<String> {
    let folders = flow.parent().into_iter().flat_map(Utf8Path::components);
    folders
        .map(|part| clean(part.as_str()).into_owned())
        .collect()
}

/// Returns a severity of Allure in lower case: the property `severity`, else the first tag that is one, else
/// `normal`. A property that is no severity of Allure is ignored. Upper and lower case do not matter.
fn severity(record: &FlowRecord) -> &'static str {
    let named = record.properties.get("severity").into_iter();
    let named: Vec<&str> = named.chain(&record.tags).map(String::as_str).collect();
    let known = named.iter().find_map(|name| {
        let is_it = |severity: &&str| severity.eq_ignore_ascii_case(name);
        SEVERITIES.into_iter().find(is_it)
    });
    known.unwrap_or("normal")
}

/// Returns the text of `environment.properties`: the program's version, the ready devices, and the versions of the
/// apps tested on each, one `name=value` a line, sorted by name. Characters of a name other than ASCII letters,
/// digits, `.`, `-` and `_` become `_`. An unknown app version is empty. Empty if no run has begun and there is no
/// device.
pub(super) fn environment(results: &Results) -> String {
    let mut facts = BTreeMap::new();
    if let Some(run) = &results.run {
        facts.insert("runner".to_owned(), run.version.clone());
    }
    for (label, info) in &results.devices {
        let words = format!(
            "{} {}, Android {}",
            info.manufacturer, info.model, info.release
        );
        facts.insert(format!("device.{label}"), words);
        for (app, version) in results.apps_on(label) {
            facts.insert(format!("app.{app}.{label}"), version.unwrap_or_default());
        }
    }
    let lines = facts.into_iter().map(|(name, value)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name = name.replace(|c| !is_plain(c), "_");
        format!(
            "{name}={}\n",
            clean(&value).replace('\\', "\\\\").replace('\n', " ")
        )
    });
    lines.collect()
}
