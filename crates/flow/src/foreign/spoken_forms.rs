//! Translates conditions, loops and words of programs in the name of a step: `if visible Allow`, `for i in range(3)`,
//! `await click`.

use std::sync::LazyLock;

use regex::Regex;

use super::element::{quoted, regex};
use crate::step_slips::shown;
use crate::yaml::Node;

/// Returns advice for a condition in the name of a step that begins with `if` or `when`: an expression for a comparison
/// such as `if ${device.sdk} > 30`, else an `if` with `visible`, or with `not_visible` if a word such as `not` or `gone`
/// is in it. Returns `None` for other words.
pub(super) fn condition(word: &str) -> Option<String> {
    let rest = word
        .strip_prefix("if ")
        .or_else(|| word.strip_prefix("when "))?;
    if let Some(inner) = compared(rest) {
        let ours = quoted(&format!("${{{inner}}}"));
        return Some(format!(
            "a condition stands behind a colon, in one expression: `if: {ours}`, with `then: […]` and `else: […]` beside it"
        ));
    }
    let is_denied = rest
        .split(' ')
        .any(|word| ["not", "no", "gone", "hidden"].contains(&word));
    let key = if is_denied { "not_visible" } else { "visible" };
    Some(format!(
        "write `if: {{ {key}: … }}`, with `then:` and `else:` beside it"
    ))
}

/// Returns a comparison with `${…}` or a dotted name in it as one expression without `${…}`: `device.sdk > 30`. Returns
/// `None` for other words.
fn compared(words: &str) -> Option<String> {
    let words = words.trim().trim_end_matches(':').trim();
    let inner = words.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let words = inner.unwrap_or(words);
    let is_sign = |word: &str| ["==", "!=", "<", "<=", ">", ">="].contains(&word);
    let has_sign = words.split_whitespace().any(is_sign);
    let is_whole = words.starts_with("${") && words.find('}') == Some(words.len() - 1);
    let names_value = words.contains("${") || words.starts_with("device.");
    (has_sign && names_value || is_whole).then(|| words.replace("${", "").replace('}', ""))
}

/// Returns advice for a loop in the name of a step: `for i in range(3)`, `repeat 3 times`, `for (i = 0; i < 3; i++)` become
/// a `repeat`, `for x in items` a table. Returns `None` for other words.
pub(super) fn rounds(word: &str) -> Option<String> {
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:for|repeat|loop|do|iterate)\b.*?(?:\brange\(\s*(?:(\d{1,3})\s*,\s*)?(\d{1,3})\s*\)|<=?\s*(\d{1,3})\b|\.\.[.=]?(\d{1,3})\b|\b(\d{1,3})(?:x| times)\b)",
        )
    });
    static EACH: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(?:for|foreach|for each) (?:\(?(?:const|let|var) )?\w+ (?:in|of) \S+$")
    });
    if let Some(found) = COUNTED.captures(word) {
        let number = |group: usize| found.get(group)?.as_str().parse::<u32>().ok();
        let end = [2, 3, 4, 5].into_iter().find_map(number)?;
        let times = end.saturating_sub(number(1).unwrap_or(0)).max(1);
        return Some(format!(
            "write `repeat: {{ times: {times}, steps: […] }}`, with the steps in its list"
        ));
    }
    EACH.is_match(word).then(|| {
        "write `each: [ { NAME: a }, { NAME: b } ]` in the header, for one case a row; `repeat: { times: 3, steps: […] }` repeats steps"
            .to_owned()
    })
}

/// Returns advice for a word of a program or a sentence before the name of a step, as in `await click: Save`: the step
/// with its value. What is typed is left out, because it may be a secret. `names` are those of all steps. Returns `None`
/// for other words.
pub(crate) fn with_filler(word: &str, value: &Node, names: &[&str]) -> Option<String> {
    const FILLERS: [&str; 8] = [
        "await ", "then ", "and ", "please ", "now ", "next ", "finally ", "also ",
    ];
    let mut fillers = FILLERS.iter();
    let step = fillers.find_map(|filler| word.strip_prefix(filler))?;
    if !names.contains(&step) {
        return None;
    }
    let value = if step == "type" {
        "…".to_owned()
    } else {
        shown(value)
    };
    Some(format!("write `{step}: {value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_conditions_in_a_name_are_told_from_other_words() {
        for (word, ours) in [
            ("for i in range(3)", "times: 3"),
            ("for i in range(1, 4)", "times: 3"),
            ("for (let i = 0; i < 5; i++)", "times: 5"),
            ("for i in 0..2", "times: 2"),
            ("repeat 4 times", "times: 4"),
            ("for user in users", "each: ["),
        ] {
            let told = rounds(word).unwrap_or_default();
            assert!(told.contains(ours), "{word}: {told}");
        }
        for (word, ours) in [
            ("if ${device.sdk} > 30", "`if: \"${device.sdk > 30}\"`"),
            ("if device.sdk >= 30", "`if: \"${device.sdk >= 30}\"`"),
            ("when ${READY}", "`if: \"${READY}\"`"),
            ("if visible Allow", "{ visible: … }"),
            ("if Allow is gone", "{ not_visible: … }"),
        ] {
            let told = condition(word).unwrap_or_default();
            assert!(told.contains(ours), "{word}: {told}");
        }
        for word in [
            "click",
            "for",
            "form",
            "repeat",
            "iffy",
            "wait for 3 seconds",
        ] {
            assert_eq!(rounds(word).or_else(|| condition(word)), None, "{word}");
        }
    }
}
