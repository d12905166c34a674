//! Advice for commands that are written in another form: a text or a list where a map is needed, a text without a colon,
//! and an element at a command that acts on the field with the focus.

use super::super::foreign;
use super::super::yaml::{Node, NodeKind};
use super::vocabulary::{CommandEntry, SELECTOR, suggestion};

/// Returns advice for a value of a command that takes a map of options: the map with the value. Returns `None` for other
/// values.
pub(super) fn short(command: &str, node: &Node) -> Option<String> {
    if let NodeKind::Sequence(items) = &node.kind {
        let is_texts = items.len() > 1 && items.iter().all(|item| item.scalar().is_some());
        let takes_element = CommandEntry::find(command).is_some_and(CommandEntry::takes_selector);
        return (is_texts && takes_element)
            .then(|| format!("write a command for each: `- {command}: …`"));
    }
    let text = node.scalar()?.text.trim();
    let lower = text.to_lowercase();
    let shown = foreign::yaml(text);
    let is_number = text.parse::<u32>().is_ok();
    match command {
        "swipe" => {
            let direction = lower.split(' ').next().unwrap_or_default();
            ["up", "down", "left", "right"].contains(&direction).then(|| {
                format!("write `swipe: {{ direction: {} }}`", direction.to_uppercase())
            })
        }
        "scroll" => Some(
            "write `- scroll` alone, which scrolls down, or `scrollUntilVisible: { element: …, direction: UP }`"
                .to_owned(),
        ),
        "extendedWaitUntil" => Some(format!(
            "write `extendedWaitUntil: {{ visible: {shown}, timeout: 5000 }}`"
        )),
        "setLocation" => {
            let (latitude, longitude) = text.split_once(',')?;
            let is_degrees = |text: &str| text.trim().parse::<f64>().is_ok();
            (is_degrees(latitude) && is_degrees(longitude)).then(|| {
                format!(
                    "write `setLocation: {{ latitude: {}, longitude: {} }}`",
                    latitude.trim(),
                    longitude.trim()
                )
            })
        }
        "repeat" if is_number => Some(format!(
            "write `repeat: {{ times: {text}, commands: […] }}`"
        )),
        "retry" if is_number => Some(format!(
            "write `retry: {{ maxRetries: {text}, commands: […] }}`"
        )),
        "scrollUntilVisible" => Some(format!(
            "write `scrollUntilVisible: {{ element: {shown} }}`"
        )),
        _ => None,
    }
}

/// Returns advice for a command with its value behind a blank in place of a colon: `tapOn Save`, `tap on Save`. Returns
/// `None` for other words.
pub(super) fn joined(word: &str) -> Option<String> {
    let (name, rest) = word.split_once(' ')?;
    let rest = rest.trim();
    let fillers = ["on ", "to ", "the "].into_iter();
    let value = fillers.fold(rest, |value, filler| {
        value.strip_prefix(filler).unwrap_or(value)
    });
    let value = foreign::yaml(value.trim_matches(['"', '\'']));
    match CommandEntry::find(name) {
        Some(command) if command.short.is_some() => {
            Some(format!("a colon is missing: write `{name}: {value}`"))
        }
        Some(command) if command.value_optional => Some(format!("write `- {name}` alone")),
        Some(_) => Some(format!("a colon is missing: write `{name}: …`")),
        None => {
            let takes_text = |theirs: &&str| {
                let begins = theirs.to_lowercase().starts_with(&name.to_lowercase());
                begins && CommandEntry::find(theirs).is_some_and(|it| it.short.is_some())
            };
            let near = || {
                let theirs = suggestion(name).filter(takes_text)?;
                Some(format!("`{theirs}: …`"))
            };
            let theirs = foreign::maestro::equivalent(name).or_else(near)?;
            let filled = theirs.replace(": …`", &format!(": {value}`"));
            Some(format!("write {filled}"))
        }
    }
}

/// Returns advice for a command that begins a list of commands without its dash: the first key of a map, or the first line
/// of a text. Returns `None` for other nodes.
pub(super) fn without_dash(node: &Node) -> Option<String> {
    let first = match &node.kind {
        NodeKind::Map(entries) => &entries.first()?.0.text,
        NodeKind::Scalar(scalar) => &scalar.text,
        NodeKind::Sequence(_) => return None,
    };
    in_line(first.split_whitespace().next()?)
}

/// Returns advice for a line that is a command without its dash, such as `launchApp` and `tapOn: Save`; `None` for other
/// lines.
pub(crate) fn in_line(line: &str) -> Option<String> {
    let line = line.trim();
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let command = CommandEntry::find(name)?;
    let written = match value.trim() {
        "" if command.value_optional => name.to_owned(),
        "" => format!("{name}: …"),
        value => format!("{name}: {value}"),
    };
    Some(format!("begin each command with `- `: write `- {written}`"))
}

/// Returns advice for an element in an option of a command that acts on the field with the focus. Returns `None` for
/// other commands and options.
pub(super) fn in_focus(command: &str, option: &str) -> Option<String> {
    const FIELDS: [&str; 7] = ["into", "in", "on", "element", "field", "selector", "target"];
    let acts = command.starts_with("input") || ["eraseText", "pasteText"].contains(&command);
    let is_element = FIELDS.contains(&option) || SELECTOR.contains(&option);
    let key = if FIELDS.contains(&option) {
        "id"
    } else {
        option
    };
    (acts && is_element).then(|| {
        format!(
            "it acts on the field that has the focus: write `tapOn: {{ {key}: … }}` as a command before it"
        )
    })
}

/// Returns advice for a list in place of a map of names: `USER=ada` and `USER: ada` as items. It quotes no value, because
/// that may be a secret. Returns `None` for other values.
pub(super) fn as_map(node: &Node) -> Option<String> {
    let NodeKind::Sequence(items) = &node.kind else {
        return None;
    };
    let name = |item: &Node| match &item.kind {
        NodeKind::Map(entries) => Some(entries.first()?.0.text.clone()),
        NodeKind::Scalar(scalar) => {
            let (name, _) = scalar.text.split_once(['=', ':'])?;
            Some(name.trim().to_owned())
        }
        NodeKind::Sequence(_) => None,
    };
    let names: Option<Vec<String>> = items.iter().map(name).collect();
    let names = names.filter(|names| !names.is_empty())?;
    let is_name = |name: &String| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let entries = names.iter().map(|name| format!("{name}: …"));
    let entries: Vec<String> = entries.collect();
    names
        .iter()
        .all(is_name)
        .then(|| format!("write a map, without `- `: `{{ {} }}`", entries.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn a_command_without_its_colon_is_told_with_it() {
        for (word, ours) in [
            ("tapOn Save", "`tapOn: Save`"),
            ("tapOn \"Sign in\"", "`tapOn: Sign in`"),
            ("inputText hello", "`inputText: hello`"),
            ("back now", "`- back` alone"),
            ("tap on Save", "`tapOn: Save`"),
        ] {
            let told = joined(word).unwrap_or_default();
            assert!(told.contains(ours), "{word}: {told}");
        }
        assert_eq!(joined("frobnicate Save"), None);
    }
}
