//! Advice for commands that are written in another form: a text where a map is needed, and a text without a colon.

use super::super::foreign;
use super::super::yaml::{Node, NodeKind};
use super::vocabulary::{CommandEntry, suggestion};

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
