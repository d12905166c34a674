//! Search for the names that a word of people's probably means, among those of quirks and faults.

use runner_text::suggest::{nearest, snake_case};

/// Most names that share a part with the word. Chosen: more would be the list of all.
const MAX_SHARING: usize = 4;

/// Name, and words of people for it with spaces between them.
pub(crate) type Meaning = (&'static str, &'static str);

/// Fewest letters of a part that may have a slip. Chosen: shorter words are near to too many others.
const MIN_SLIP_CHARS: usize = 5;

/// Returns the names that were probably meant: the one that `table` gives for the word, else the nearest in
/// spelling, else all that share a part of 3 or more bytes with it; a part of 5 or more may have a slip. Empty if
/// nothing is near, or more than [`MAX_SHARING`] share a part. The word may be written in any case style.
pub(crate) fn likely(
    word: &str,
    table: &[Meaning],
    names: impl Iterator<Item = &'static str>,
) -> Vec<&'static str> {
    let word = snake_case(word.trim());
    let listed = table
        .iter()
        .find(|(_, words)| words.split(' ').any(|it| it == word));
    if let Some((name, _)) = listed {
        return vec![*name];
    }
    let names: Vec<&'static str> = names.collect();
    if let Some(near) = nearest(&word, names.iter().copied()) {
        return vec![near];
    }
    let parts: Vec<&str> = word.split('_').filter(|part| part.len() > 2).collect();
    let mut sharing = names;
    let is_shared = |part: &str| {
        parts.contains(&part)
            || part.len() >= MIN_SLIP_CHARS
                && parts.iter().any(|own| nearest(own, [part]).is_some())
    };
    sharing.retain(|name| name.split('-').any(is_shared));
    if sharing.len() > MAX_SHARING {
        sharing.clear();
    }
    sharing
}

/// Returns `; did you mean …?` with the names in backticks, joined by `or`. Empty without names.
pub(crate) fn question(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use crate::{FaultSpec, Quirk};

    #[test]
    fn a_word_of_people_names_a_quirk_or_a_fault() {
        for (word, says) in [
            ("samsung", "did you mean `samsung-user-150`?"),
            ("xiaomi", "did you mean `miui-guard`?"),
            ("real_time", "did you mean `real-time`?"),
            ("keyboard", "`deaf-keyboard` or `composing-keyboard`"),
            ("keybord", "`deaf-keyboard` or `composing-keyboard`"),
            ("slow", "did you mean `real-time`?"),
        ] {
            let wrong = word.parse::<Quirk>().unwrap_err().to_string();
            assert!(wrong.contains(says), "{wrong}");
        }
        for (word, says) in [
            ("crash", "did you mean `dead-app`?"),
            ("killed", "`process-killed` or `command-killed`"),
            ("slow", "did you mean `slow-command`?"),
            ("slow:2", "did you mean `slow-command`?"),
            ("disconnect", "did you mean `dropped-connection`?"),
            ("screenshot", "`bad-screenshot` or "),
        ] {
            let wrong = word.parse::<FaultSpec>().unwrap_err().to_string();
            assert!(wrong.contains(says), "{wrong}");
        }
        let wrong = "frobnicate".parse::<Quirk>().unwrap_err().to_string();
        assert!(!wrong.contains("did you mean"), "{wrong}");
    }

    #[test]
    fn every_meaning_names_one_that_exists() {
        for (name, _) in crate::quirks::MEANINGS {
            assert!(name.parse::<Quirk>().is_ok(), "{name}");
        }
        for (name, _) in crate::faults::MEANINGS {
            assert!(name.parse::<FaultSpec>().is_ok(), "{name}");
        }
    }
}
