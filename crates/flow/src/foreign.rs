//! Tables of words that other tools and people use, with the equivalents in a flow.
//!
//! The words are in lower case without separators: `long-press`, `longPress` and `LONG_PRESS` are one word.

pub(crate) mod adb;
mod asserts;
mod calls;
mod choice;
mod element;
mod gherkin;
mod locators;
pub(crate) mod maestro;
mod maestro_names;
mod named;
mod near_names;
mod other_keys;
mod rounds;
mod sliders;
mod spoken_forms;
mod tables;
mod times;
mod values;

use runner_text::suggest::{nearest, snake_case};

use super::keys;
use super::yaml::{Key, Node, NodeKind};
use maestro_names::MAESTRO;
use other_keys::KEYS;
use tables::{PARTS, STEPS, has_parts, plain, rows};

pub(crate) use asserts::in_assert;
pub(crate) use calls::inner as inner_element;
pub(crate) use element::{Element, quoted, yaml};
pub(crate) use gherkin::{file as gherkin_file, prose, sentences, spoken, typed_into};
pub(crate) use locators::{located, strategy, with_element};
pub(crate) use maestro_names::{in_maestro, instead_of_maestro};
pub(crate) use named::{named_list, under_name};
pub(crate) use near_names::no_step;
pub(crate) use other_keys::key;
pub(crate) use rounds::rounds;
pub(crate) use spoken_forms::with_filler;
pub(crate) use tables::lists;
pub(crate) use times::{is_time, milliseconds, timed, wait};
pub(crate) use values::{formatted, moved_time, platform, value};

/// Table of what no step does: what to say, and words for it.
const NOTHING: &str = include_str!("foreign/nothing.tsv");
/// Table of what no step tells, by parts of words as in [`PARTS`].
const UNTOLD: &str = include_str!("foreign/untold.tsv");

/// Table of steps in languages other than English: the equivalent, and words for it.
const LANGUAGES: &str = include_str!("foreign/languages.tsv");

/// Table of fields of values: a field that must exist, the text after the value's name, and words for it.
const FIELDS: &str = include_str!("foreign/fields.tsv");

/// Tools that take a map, with the equivalent for a plain text.
const ON_ELEMENTS: &[(&str, &str)] = &[
    ("click_element", "click"),
    ("close_app", "stop"),
    ("double_tap", "double_click"),
    ("find_elements", "find"),
    ("long_click_element", "long_click"),
    ("long_press", "long_click"),
    ("open_app", "launch"),
    ("pinch", "two_fingers: { scale: 2 }"),
    ("press_key", "press"),
    ("scroll", "scroll_to: …"),
    ("scroll_to_element", "scroll_to"),
    ("swipe", "swipe_across"),
    ("tap", "click"),
    ("type_append_text", "type"),
    ("wait_for_element", "wait_for"),
];

/// Returns advice for an unknown step, the first that fits: commands of adb and chains of calls, waits for a time, names
/// of Maestro, comments, HTTP methods, agents' tools by their prefix, conditions and expressions in a name, what no step does, then
/// exact words of other tools and languages, then the most similar of `names`, then parts of the word. Returns `None`
/// if nothing is near.
pub(crate) fn step<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if let Some(help) = adb::command(word)
        .or_else(|| chain(word))
        .or_else(|| wait(word))
    {
        return Some(help);
    }
    if let Some(ours) = instead_of_maestro(word) {
        return Some(format!("Maestro's `{word}` is {ours} here"));
    }
    if let Some(comment) = comment(word) {
        return Some(comment);
    }
    if ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&word) {
        return Some("write `http: { url: …, method: … }`".to_owned());
    }
    if let Some(rest) = word.strip_prefix("runner_") {
        let ours = step(rest, names)
            .unwrap_or_else(|| "docs/reference/steps.md lists the steps".to_owned());
        return Some(format!("`{word}` is a tool of agents and no step; {ours}"));
    }
    let in_name = spoken_forms::condition(word).or_else(|| spoken_forms::rounds(word));
    if let Some(help) = in_name.or_else(|| nothing(word)) {
        return Some(help);
    }
    if word.contains("${") {
        let help = "a step has its name before anything runs; choose with `if: …` and `then: …`";
        return Some(help.to_owned());
    }
    if let Some(help) = unreadable_fact(word) {
        return Some(help);
    }
    // Agents' tools have this prefix; the step has not.
    let word = word.strip_prefix("android_").unwrap_or(word);
    let exact = plain(word);
    let mut maestro = MAESTRO.iter();
    if let Some((_, ours)) = maestro.find(|(name, _)| plain(name) == exact) {
        return Some(format!("write {ours}"));
    }
    // Names of agents' tools have a dot, so a plain word does not mean them.
    let names = names.into_iter().filter(|name| !name.contains('.'));
    let names: Vec<&str> = names.collect();
    let find = |word: &str| rows(STEPS).find(|[_, words]| lists(words, word));
    let write = |[ours, _]: [&str; 2]| format!("write {ours}");
    let mean = |name: &str| {
        let mut shown = ON_ELEMENTS.iter().filter(|(tool, _)| *tool == name);
        let name = shown.next().map_or(name, |(_, everyday)| everyday);
        format!("did you mean `{name}`?")
    };
    let same = || plain_name(word, &names).map(mean);
    let near = || nearest(word, names.iter().copied()).map(mean);
    let by_parts = || rows(PARTS).find(|[_, parts]| has_parts(word, parts));
    // First the whole (`have.text`), then the last part (`get` of `cy.get`).
    let whole: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let known = find(&whole.to_lowercase()).or_else(|| find(&exact));
    let known = known.map(write).or_else(same);
    let called = || {
        let name = plain(calls::last_name(word)?);
        let own = names.iter().find(|own| plain(own) == name);
        own.map(|own| mean(own)).or_else(|| find(&name).map(write))
    };
    let translated = || rows(LANGUAGES).find(|[_, words]| lists(words, &exact));
    known
        .or_else(|| translated().map(write))
        .or_else(near)
        .or_else(called)
        .or_else(|| by_parts().map(write))
}

/// Returns advice for a word of the table of what no step does; `None` for other words.
fn nothing(word: &str) -> Option<String> {
    let word = plain(word);
    let mut rows = rows(NOTHING);
    let [told, _] = rows.find(|[_, words]| lists(words, &word))?;
    Some(told.to_owned())
}

/// Returns advice for what neither a step of ours nor a command of Maestro's does, without the names of our steps; `None`
/// for other words.
pub(crate) fn no_command(word: &str) -> Option<String> {
    let told = nothing(word)?;
    if !told.contains('`') {
        return Some(told);
    }
    // What stands behind it names steps of ours.
    let (clause, _) = told.split_once([':', ';'])?;
    (clause.starts_with("no ") && !clause.contains('`')).then(|| clause.to_owned())
}

/// Returns advice for a key of the keyboard in place of a step: enter, tab, space, page up and page down, as
/// `press: TAB`; `None` for other words.
pub(crate) fn key_alone(word: &str) -> Option<String> {
    const KEYS: [(&str, &str); 6] = [
        ("enter", "ENTER"),
        ("tab", "TAB"),
        ("space", "SPACE"),
        ("spacebar", "SPACE"),
        ("pageup", "PAGE_UP"),
        ("pagedown", "PAGE_DOWN"),
    ];
    // `enter "ada"` types a text.
    if word.contains(['"', '\'']) {
        return None;
    }
    let word = plain(word);
    let (_, key) = KEYS.iter().find(|(known, _)| *known == word)?;
    Some(format!("write `press: {key}`"))
}

/// Returns advice for a comment in another language, such as `// wait` and `<!-- wait -->`; `None` for all else.
pub(crate) fn comment(word: &str) -> Option<String> {
    const BEGINS: [&str; 5] = ["//", "/*", "<!--", "-- ", "%%"];
    let begin = BEGINS.iter().find(|begin| word.starts_with(**begin))?;
    let text = word[begin.len()..].trim_matches(['/', '*', ' ', '-', '>']);
    Some(format!(
        "a comment begins with `#`, without `- `: write `# {text}`"
    ))
}

/// Returns advice for a chain of calls, such as `cy.get('#save').click()`; `None` for any other text.
pub(crate) fn chain(text: &str) -> Option<String> {
    calls::advice(text).map(|ours| format!("write {ours}"))
}

/// Returns advice for a step that would tell what no step tells, such as `assert keyboard hidden`; `None` for any
/// other word.
pub(crate) fn unreadable_fact(word: &str) -> Option<String> {
    let [ours, _] = rows(UNTOLD).find(|[_, parts]| has_parts(word, parts))?;
    Some(format!("write {ours}"))
}

/// Returns advice for an unknown step that only makes sense with its value: `toggle: wifi`,
/// `goto: Settings`, `expect: { toHaveText: … }`, assertions on a text or a property, the choice of an entry, the place of
/// a slider, contexts of Appium, `runFlow`, `switch`, sentences of Gherkin, and lines of Karate. Returns `None` for all
/// others.
pub(crate) fn step_with<'n>(
    word: &str,
    value: &Node,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    const SWITCHES: &str = "toggle enable disable turn turnon turnoff switch switchon switchoff";
    const TEXTS: &str = "asserttext verifytext checktext expecttext assertelementtext asserttextequals tohavetext shouldhavetext texttobe";
    const EXPECTATIONS: &str = "expect should verify assertthat ensure";
    const PLACES: &str = "goto gotopage gotoscreen openscreen openpage navigate navigateto visit browse visitpage screen page";
    const KARATE: [&str; 6] = ["url ", "path ", "method ", "status ", "request ", "param "];
    let exact = plain(word);
    match &value.kind {
        NodeKind::Scalar(given) if KARATE.iter().any(|begin| given.text.starts_with(begin)) => {
            Some("write `http: { url: …, method: …, status: … }`".to_owned())
        }
        NodeKind::Scalar(given) if lists(SWITCHES, &exact) && is_step(&given.text) => {
            step(&given.text, names)
        }
        NodeKind::Scalar(given) if lists(PLACES, &exact) && !is_link(&given.text) => {
            let shown = yaml(&given.text);
            Some(format!(
                "write `click: {shown}` on what leads there, or `launch: {{ activity: … }}`; `open_link: …` takes a link"
            ))
        }
        // `context: Signing in` is a name of tests.
        NodeKind::Scalar(given) if exact == "context" && is_web_view(&given.text) => {
            step("setcontext", names)
        }
        NodeKind::Scalar(given) => gherkin::sentence(word, &given.text),
        NodeKind::Map(entries) if exact == "runflow" => maestro::run_flow(entries),
        NodeKind::Map(entries) if exact == "switch" && chooses(entries) => {
            Some("write `if: …`, with `then:` and `else:` beside it".to_owned())
        }
        NodeKind::Map(entries) if lists(TEXTS, &exact) => asserts::with_text(entries),
        NodeKind::Map(entries) if asserts::with_property(word, entries).is_some() => {
            asserts::with_property(word, entries)
        }
        NodeKind::Map(entries) if choice::chosen(&exact, entries).is_some() => {
            choice::chosen(&exact, entries)
        }
        NodeKind::Map(entries) if sliders::moved(&exact, entries).is_some() => {
            sliders::moved(&exact, entries)
        }
        NodeKind::Map(entries) if lists(EXPECTATIONS, &exact) => {
            let names: Vec<&str> = names.into_iter().collect();
            let said = entries.iter().map(|(key, _)| key.text.as_str());
            let mut said = said.filter(|word| is_step(word));
            said.find_map(|word| {
                step(word, names.iter().copied()).filter(|ours| ours.starts_with("write `assert"))
            })
        }
        _ => None,
    }
}

/// Returns true for a text that may be a link or a path of one: with a `:`, `/`, `.` or an expression.
fn is_link(text: &str) -> bool {
    text.is_empty() || text.contains([':', '/', '.', '$'])
}

/// Returns true for the name of a context of Appium: `NATIVE_APP`, `WEBVIEW_1`, `CHROMIUM`.
fn is_web_view(name: &str) -> bool {
    let name = name.to_lowercase();
    ["native", "webview", "web_view", "chromium"]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// Returns true for the map of a `switch` of programming languages: one with a key such as `case` or `default`.
fn chooses(entries: &[(Key, Node)]) -> bool {
    const BRANCHES: &str = "case cases default when then on value expression";
    entries
        .iter()
        .any(|(key, _)| lists(BRANCHES, &plain(&key.text)))
}

/// Returns true if another tool has a step of this name.
pub(crate) fn is_step(word: &str) -> bool {
    let whole: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let (whole, last) = (whole.to_lowercase(), plain(word));
    rows(STEPS).any(|[_, words]| lists(words, &whole) || lists(words, &last))
}

/// Returns the everyday step with the same effect as an agents' tool, such as `click: …`; `None` if there is
/// none.
pub(crate) fn everyday(tool: &str) -> Option<String> {
    let (_, ours) = ON_ELEMENTS.iter().find(|(name, _)| *name == tool)?;
    Some(if ours.contains(':') {
        (*ours).to_owned()
    } else {
        format!("{ours}: …")
    })
}

/// Returns advice for an agents' tool that takes a map but got a text: the everyday step with this text, where `true`
/// becomes `…`. Returns `None` if there is no such step.
pub(crate) fn on_element(tool: &str, text: &str) -> Option<String> {
    let (_, ours) = ON_ELEMENTS.iter().find(|(name, _)| *name == tool)?;
    // `true` is an answer, and not a text of the screen.
    let text = match text {
        "true" | "…" => "…".to_owned(),
        text => yaml(text),
    };
    let step = ours.strip_suffix(": …").unwrap_or(ours);
    Some(if step.contains(':') {
        format!("write `{step}`")
    } else {
        format!("write `{step}: {text}`")
    })
}

/// Returns the text after the value's name for a field that it does not have. The value has the fields `names`.
/// Returns `None` if none of them is meant.
pub(crate) fn field(word: &str, names: &[&str]) -> Option<&'static str> {
    let word = plain(word);
    let means = |[need, _, words]: &[&str; 3]| names.contains(need) && lists(words, &word);
    rows(FIELDS).find(means).map(|[_, ours, _]| ours)
}

/// Returns help for a key that is not among `names`: the same name in another spelling, the equivalent of another
/// tool's key, the most similar name, the name that it begins with, or the list of all. The first that is found is
/// returned. Returns `None` without names.
pub(crate) fn suggestion<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(written) = plain_name(word, &names) {
        return Some(format!("did you mean `{written}`?"));
    }
    let near =
        || nearest(word, names.iter().copied()).map(|name| format!("did you mean `{name}`?"));
    let begins = || {
        let word = snake_case(word);
        let (first, _) = word.split_once('_')?;
        let same = names.iter().find(|name| **name == first);
        same.map(|name| format!("did you mean `{name}`?"))
            .or_else(|| key(first, &names))
    };
    // `toBeEnabled` and `should_be_enabled` say the same as `enabled`.
    let claimed = || {
        let word = snake_case(word);
        let rest = ["to_be_", "should_be_", "must_be_"]
            .iter()
            .find_map(|begin| word.strip_prefix(begin))?;
        let same = names.iter().find(|name| **name == rest);
        same.map(|name| format!("did you mean `{name}`?"))
            .or_else(|| key(rest, &names))
    };
    let known = key(word, &names).or_else(near).or_else(begins);
    known
        .or_else(claimed)
        .or_else(|| near_names::known(word, &names))
}

/// Returns the first name that differs from the word only in case and separators, or not at all.
fn plain_name<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let wanted = plain(word);
    let mut names = names.iter().filter(|name| plain(name) == wanted);
    names.next().copied()
}

/// Returns the modifier that a key probably means: the same name, a word of another tool or language, a similar name,
/// or one of its parts. Returns `None` if there is none.
pub(crate) fn modifier(word: &str) -> Option<&'static str> {
    let known = |word: &str| {
        let mut same = keys::MODIFIERS.into_iter().filter(|name| *name == word);
        let means =
            |[need, _, words]: &[&str; 3]| keys::MODIFIERS.contains(need) && lists(words, word);
        let listed = || rows(KEYS).find(means).map(|[name, _, _]| name);
        same.next().or_else(listed)
    };
    let parts = || snake_case(word).split('_').find_map(known);
    // A short word is near to `as` by chance.
    let near = || nearest(word, keys::MODIFIERS).filter(|_| word.len() > 2);
    let translated = || other_keys::translated(word, &keys::MODIFIERS);
    let exact = known(&plain(word)).or_else(translated);
    exact.or_else(near).or_else(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary;

    /// Returns the first word of an equivalent.
    fn first(ours: &str) -> &str {
        let code = ours.trim_start_matches('`');
        code.split([':', '`']).next().unwrap_or_default()
    }

    #[test]
    fn words_of_others_are_no_steps_here_and_what_stands_for_them_are() {
        let steps: Vec<&str> = keys::step_names(vocabulary::standard()).collect();
        let mut seen = std::collections::BTreeSet::new();
        for [ours, words] in rows(STEPS).chain(rows(LANGUAGES)) {
            let is_ours = steps.contains(&first(ours)) || keys::is_key(first(ours));
            assert!(is_ours, "{ours} is no step and no key");
            for word in words.split(' ') {
                assert!(!steps.contains(&word), "{word} is a step");
                assert!(seen.insert(word), "{word} stands twice");
            }
        }
        for (command, ours) in MAESTRO {
            assert!(steps.contains(&first(ours)), "{command}: {ours}");
            assert!(!steps.contains(command), "{command} is a step");
        }
        for (tool, ours) in ON_ELEMENTS {
            let is_step = steps.contains(tool) && steps.contains(&first(ours));
            assert!(is_step, "{tool}: {ours}");
        }
    }
}
