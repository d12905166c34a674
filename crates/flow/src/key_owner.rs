//! Finds where a key belongs that stands in a wrong place: to another step, or into the header.

use runner_tools::Catalogue;

use super::keys;
use super::vocabulary::Vocabulary;

/// Returns advice that names the everyday and control steps with the option `key`, or else the header; `None` for a
/// key that nothing has, and for one that more than `MAX_STEPS` steps have, also if the header has it. Near spellings
/// do not count.
pub(crate) fn owner(vocabulary: &Vocabulary, key: &str) -> Option<String> {
    /// Chosen: a longer list says nothing.
    const MAX_STEPS: usize = 4;
    let everyday = vocabulary
        .tools
        .iter()
        .filter(|tool| tool.entry.catalogue == Catalogue::Everyday);
    let has = |names: &[&str]| names.contains(&key);
    let tools = everyday.filter(|tool| has(&vocabulary.properties(&tool.schema)));
    let mut steps: Vec<&str> = tools.map(|tool| tool.entry.name).collect();
    let control = keys::CONTROL.iter().map(|(name, _)| *name);
    let control: Vec<&str> = control
        .filter(|name| has(keys::inside_control(name)) && !steps.contains(name))
        .collect();
    steps.extend(control);
    if has(&["that", "count"]) && !steps.contains(&"assert") {
        steps.push("assert");
    }
    let snapshot = vocabulary.properties(&vocabulary.snapshot);
    if has(&snapshot) && !steps.contains(&"snapshot") {
        steps.push("snapshot");
    }
    if steps.len() > MAX_STEPS {
        return None;
    }
    let names: Vec<String> = steps.iter().map(|step| format!("`{step}`")).collect();
    match names.as_slice() {
        [] => in_header(key),
        [only] => Some(format!("`{key}` is an option of {only}")),
        [rest @ .., last] => Some(format!(
            "`{key}` is an option of {} and {last}",
            rest.join(", ")
        )),
    }
}

/// Returns advice for a key of the header that stands elsewhere; `None` for other words. Case counts.
pub(crate) fn in_header(key: &str) -> Option<String> {
    let header = keys::header();
    let is_plain = header["properties"].get(key).is_some();
    (is_plain || keys::HEADER_OTHERS.contains(&key)).then(|| {
        format!(
            "`{key}` stands in the header of the flow, in the column of `steps`, and not at a step"
        )
    })
}
