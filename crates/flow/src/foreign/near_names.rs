//! Help for words that are near to no name: the few names that share a word with it, or what belongs at the place.

use runner_screen::Selector;
use runner_text::suggest::{snake_case, suggest};

/// Number of names in a list of all. Chosen: nobody looks for one among twice as many.
const MAX_LISTED: usize = 12;

/// Number of names that share a word. Chosen: more would be a list again.
const MAX_RELATED: usize = 5;

/// Number of letters that two words must begin with in common. Chosen: three also begin `check` and `chess`.
const MIN_BEGIN: usize = 4;

/// Returns help for a key: of up to 12 names what [`suggest`] says, which is the nearest name or all of them. Of more
/// names it lists at most 5 that share a word with the key, or else says what an element or the header takes, or else
/// what [`suggest`] says. Lists begin with `known here`, by which the checks know poor help. Returns `None` without
/// names.
pub(super) fn known(word: &str, names: &[&str]) -> Option<String> {
    if names.len() <= MAX_LISTED {
        return suggest(word, names.iter().copied());
    }
    let related = related(word, names);
    if !related.is_empty() {
        return Some(format!("known here: {} and others", listed(&related)));
    }
    if names.contains(&"any_of") {
        let options = names.iter().filter(|name| !Selector::KEYS.contains(*name));
        let options: Vec<&str> = options.copied().take(MAX_LISTED).collect();
        let comma = if options.is_empty() { "" } else { ", and " };
        return Some(format!(
            "known here are {}{comma}what names an element, such as `text: Save`, `id: save`, `desc`, `class`, `index` and `inside`",
            listed(&options)
        ));
    }
    if names.contains(&"quarantine") {
        let help = "known here are `name`, `app`, `tags`, `env`, `each`, `setup`, `teardown` and others; what the flow does stands in the list under `steps:`, as `- click: Save`";
        return Some(help.to_owned());
    }
    suggest(word, names.iter().copied())
}

/// Returns help for a step that is near to none of `names`: at most 5 that share a word with it, or else how a step
/// looks. Names with a dot are left out. Never looks for a near spelling.
pub(crate) fn no_step(word: &str, names: &[&str]) -> String {
    // Names of agents' tools have a dot, so a plain word does not mean them.
    let plain = names.iter().copied().filter(|name| !name.contains('.'));
    let related = related(word, &plain.collect::<Vec<_>>());
    if related.is_empty() {
        "a step has an English name, such as `click: Save`, `type: { into: …, text: … }` or `assert visible: Done`; docs/reference/steps.md lists all"
            .to_owned()
    } else {
        format!(
            "known here: {} and others; docs/reference/steps.md lists all",
            listed(&related)
        )
    }
}

/// Returns the first `MAX_RELATED` names with a word that begins as one of `word` does, or the other way round. Words
/// of less than `MIN_BEGIN` letters do not count.
fn related<'a>(word: &str, names: &[&'a str]) -> Vec<&'a str> {
    let word = snake_case(word);
    let words: Vec<&str> = word
        .split('_')
        .filter(|part| part.chars().count() >= MIN_BEGIN)
        .collect();
    let begins =
        |one: &str, other: &str| one.chars().count() >= MIN_BEGIN && other.starts_with(one);
    let is_related = |name: &str| {
        let name = snake_case(name);
        let mut parts = name.split('_');
        parts.any(|part| {
            let mut words = words.iter();
            words.any(|word| begins(part, word) || begins(word, part))
        })
    };
    let found = names.iter().copied().filter(|name| is_related(name));
    found.take(MAX_RELATED).collect()
}

fn listed(names: &[&str]) -> String {
    let names = names.iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_far_from_all_gets_no_long_list() {
        let steps = ["click", "scroll_to", "open_link", "open_notifications"];
        assert!(no_step("open_drawer", &steps).contains("`open_link`, `open_notifications` and"));
        assert!(no_step("frobnicate", &steps).contains("`click: Save`"));
        let mut keys = Selector::KEYS.to_vec();
        keys.extend(["at", "force"]);
        for (word, ours) in [
            ("frobnicate", "`at`, `force`, and what names an element"),
            ("scroll_view_only", "known here: `scrollable` and others"),
        ] {
            let told = known(word, &keys).unwrap_or_default();
            assert!(told.contains(ours), "{word}: {told}");
            assert!(told.starts_with("known here"), "{word}: {told}");
        }
        let few = known("frobnicate", &["times", "while"]);
        assert_eq!(few.as_deref(), Some("known here: `times`, `while`"));
    }
}
