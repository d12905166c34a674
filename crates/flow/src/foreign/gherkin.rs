//! Recognizes sentences of Gherkin, which other tools run, and translates single ones.

use std::sync::LazyLock;

use regex::Regex;

use super::element::{Element, fill, regex, yaml};
use super::tables::{PARTS, has_parts, lists, plain, rows};
use crate::step_words::field_named;
use crate::yaml::Node;

const HELP: &str = "there are no sentences of Gherkin: write `name: …`, and below `steps:` a list, an item such as `- click: …` for each";

/// Returns advice for a text that goes on with sentences of Gherkin, such as `Scenario: somebody` and
/// `Given the app is open` below it, which YAML reads as one text: always that a flow has a name and a list of steps.
/// The first word does not count. Returns `None` for any other value.
pub(crate) fn sentences(value: &Node) -> Option<String> {
    const BEGINS: [&str; 3] = ["Given", "When", "Then"];
    let mut words = value.scalar()?.text.split_whitespace().skip(1);
    words
        .any(|word| BEGINS.contains(&word))
        .then(|| HELP.to_owned())
}

/// Returns advice for a whole file of Gherkin: one with a feature or a scenario, sentences, and no `steps:`. It is
/// always the same. Returns `None` for any other text.
pub(crate) fn file(text: &str) -> Option<String> {
    const TITLES: [&str; 4] = ["Feature:", "Scenario:", "Scenario Outline:", "Background:"];
    const BEGINS: [&str; 5] = ["Given ", "When ", "Then ", "And ", "But "];
    let lines = || text.lines().map(str::trim);
    let has = |begins: &[&str]| lines().any(|line| begins.iter().any(|it| line.starts_with(it)));
    let is_flow = text.lines().any(|line| line.starts_with("steps:"));
    (has(&TITLES) && has(&BEGINS) && !is_flow).then(|| HELP.to_owned())
}

/// Returns advice for a sentence of Gherkin that is a text alone, such as `When I tap "Save"`; `None` for other texts.
pub(crate) fn spoken(text: &str) -> Option<String> {
    let (begin, rest) = text.trim_start_matches("* ").split_once(' ')?;
    assigned(begin, rest).or_else(|| sentence(begin, rest.trim()))
}

/// Returns advice for a line that gives a name a value in a program, split at its first blank: `def x = 3`,
/// `let x = 3;`, `x = 3`. Returns `None` for other lines, and for a value with a call.
fn assigned(begin: &str, rest: &str) -> Option<String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let (name, value) = if lists("def let var val const set local final", begin) {
        rest.split_once('=')?
    } else {
        (begin, rest.strip_prefix('=')?)
    };
    let name = name.trim();
    let value = value.trim().trim_end_matches(';');
    let is_value = !value.is_empty() && !value.starts_with('=') && !value.contains('(');
    let value = value.trim_matches(['"', '\'']);
    (is_value && is_name(name)).then(|| format!("write `set: {{ {name}: {} }}`", yaml(value)))
}

/// Returns advice for a sentence about what is typed into which field: `enter "ada" in username`. Returns `None` for other
/// texts.
pub(crate) fn typed_into(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?i)^(?:I )?(?:enter|input|write|fill(?: in)?|put|insert|key in|paste)s? (?:(?:"[^"]*"|'[^']*') (?:into|in|to|on)|\S+ into) (?:the )?["']?(.+?)["']?(?: field| input| box)?$"#,
        )
    });
    let found = FORM.captures(text)?;
    let field = field_named(&found[1]);
    Some(format!("write `type: {{ into: {field}, text: … }}`"))
}

/// Returns general advice for a text of three words or more, in which the caller has found no step; `None` for fewer
/// words.
pub(crate) fn prose(text: &str) -> Option<String> {
    /// Chosen: two words may be a step with its value, or a misspelt step.
    const MIN_WORDS: usize = 3;
    (text.split_whitespace().count() >= MIN_WORDS).then(|| {
        "no sentences are read: a step is its name, a colon and its value, such as `click: Save`, `type: hello` or `assert visible: Done`; `# …` is a comment"
            .to_owned()
    })
}

/// Returns advice for a sentence of Gherkin as a step: `When: I tap "Save"`. Texts in double quotes become the
/// element and what is typed. Returns `None` for words that begin no sentence, for one word, for a text with `${`,
/// and for `when` with anything but what somebody does, because that may be a condition.
pub(super) fn sentence(word: &str, text: &str) -> Option<String> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex("[\"“]([^\"”]+)[\"”]"));
    static SIGNS_IN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)\b(?:signed|logged|sign|log)[ -]?in\b"));
    let begin = plain(word);
    let is_sentence = lists("given when then and but", &begin) && text.contains(' ');
    let is_condition = word.starts_with("when") && !text.starts_with("I ");
    if !is_sentence || is_condition || text.contains("${") {
        return None;
    }
    let quoted: Vec<&str> = QUOTED
        .captures_iter(text)
        .filter_map(|found| found.get(1).map(|text| text.as_str()))
        .collect();
    let bare = QUOTED.replace_all(text, " ");
    let by_parts = || rows(PARTS).find(|[_, parts]| has_parts(&bare, parts));
    let ours = match begin.as_str() {
        "given" if SIGNS_IN.is_match(&bare) => "`run: FILE`, with the flow that signs in",
        "given" if bare.split_whitespace().any(|word| word == "app") => "`launch`",
        "then" => by_parts()
            .map(|[ours, _]| ours)
            .filter(|ours| ours.contains("assert"))
            .unwrap_or("`assert visible: …`"),
        "given" => by_parts().map_or("`launch`, or another step", |[ours, _]| ours),
        _ => by_parts().map_or("`click: …`, or another step", |[ours, _]| ours),
    };
    let (element, typed) = match quoted.as_slice() {
        [typed] if ours.contains("into: …") => (None, Some(*typed)),
        [typed, into, ..] if ours.contains("into: …") => (Some(*into), Some(*typed)),
        [element, ..] => (Some(*element), None),
        [] => (None, None),
    };
    let element = element.map(|text| Element::new("text", text));
    let ours = fill(ours, element.as_ref(), typed);
    Some(format!(
        "there are no sentences of Gherkin here: write {ours}"
    ))
}
