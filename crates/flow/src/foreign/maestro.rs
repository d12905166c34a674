//! Translates between the words of Maestro and those of runner and other tools.

use super::element::yaml;
use super::maestro_names::maestro_command;
use super::tables::{STEPS, lists, plain, rows};
use crate::yaml::{Key, Node, NodeKind};

/// Options of commands: one that must be known at the command, what to write, and words for it.
const OPTIONS: [(&str, &str, &str); 29] = [
    (
        "childOf",
        "id",
        "resourceid resource testid testtag viewid accessibilityidentifier rid elementid",
    ),
    (
        "childOf",
        "text: \".*….*\"",
        "contains textcontains partialtext substring startswith endswith textmatches regex",
    ),
    (
        "childOf",
        "text",
        "contentdesc contentdescription accessibilityid accessibilitylabel description desc hint placeholder value name title exacttext equals",
    ),
    (
        "childOf",
        "childOf",
        "inside parent within container ancestor in",
    ),
    ("childOf", "containsChild", "has haschild"),
    (
        "childOf",
        "`text: …, childOf: { … }` with the other keys in `childOf`, for the element that is inside; `containsChild: …` names what an element has in it",
        "child childselector descendant nested",
    ),
    (
        "childOf",
        "`assertVisible: …`, or `assertNotVisible: …` where it must not be there, as a command of its own",
        "visible displayed exists shown present hidden gone invisible notvisible",
    ),
    (
        "childOf",
        "`copyTextFrom: …` as a command of its own, and `${maestro.copiedText}` where the text is wanted",
        "as var variable saveas saveto store",
    ),
    ("visible", "visible: { text: … }", "text"),
    ("visible", "visible: { id: … }", "id"),
    ("visible", "visible", "element selector on target until for"),
    ("commands", "commands", "steps do actions body then"),
    ("file", "file", "flow path run subflow"),
    (
        "maxRetries",
        "maxRetries",
        "times count retries max attempts",
    ),
    ("latitude", "latitude", "lat"),
    ("longitude", "longitude", "lon lng long"),
    ("childOf", "index", "nth instance position idx"),
    ("childOf", "enabled: false", "disabled isdisabled"),
    (
        "childOf",
        "`id`, `text` or a relation such as `below`; there is no XPath and no class",
        "xpath selector locator class classname type role tag",
    ),
    (
        "point",
        "point: \"50%,50%\"",
        "x y at coordinates coordinate",
    ),
    ("point", "repeat", "times count taps"),
    (
        "optional",
        "optional",
        "ignoreerror continueonerror continueonfailure allowfailure soft ignorefailure",
    ),
    ("label", "label", "comment note message"),
    (
        "label",
        "`runFlow: { when: { visible: … }, commands: […] }` around it",
        "when if condition onlyif",
    ),
    (
        "label",
        "`retry: { maxRetries: 2, commands: […] }` around it",
        "retries retry attempts maxretries retrycount",
    ),
    ("clearState", "clearState", "clear reset cleardata fresh"),
    ("stopApp", "stopApp", "stop restart kill"),
    ("appId", "appId", "app package packagename bundleid"),
    ("arguments", "arguments", "args extras"),
];

/// Words for a time to wait, as an option.
const TIMES: &str = "timeout wait waitfor timeoutms waitms maxwait waittimeout waitseconds timeoutseconds timeoutinms";

/// Words for the ends of a swipe, as an option.
const ENDS: &str = "to until till target destination endpoint startpoint begin finish x1 y1 x2 y2 startx starty endx endy fromx fromy tox toy";

/// Returns advice for an option that a command of Maestro's does not have, in the words of other tools. `known` are
/// its options. Returns `None` for other words, and where the command has no option that is meant.
pub(crate) fn option(word: &str, command: &str, known: &[&str]) -> Option<String> {
    let name = word;
    if command == "swipe" && lists(ENDS, &plain(name)) {
        return Some(
            "write `start: \"50%,80%\", end: \"50%,20%\"` for the two ends; `from` is an element, beside `direction`"
                .to_owned(),
        );
    }
    let is_constant = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let word = plain(word);
    if lists(TIMES, &word) && known.contains(&"childOf") {
        let key = match command {
            "assertNotVisible" => "notVisible",
            _ => "visible",
        };
        return Some(format!(
            "commands wait for their element by themselves; for a longer wait write `extendedWaitUntil: {{ {key}: …, timeout: 5000 }}` as a command before it"
        ));
    }
    if is_constant && known.contains(&"env") {
        return Some(format!(
            "write `env: {{ {name}: … }}` for a value of the commands inside"
        ));
    }
    let mut options = OPTIONS.iter();
    let (_, ours, _) = options
        .find(|(need, ours, words)| known.contains(need) && *ours != word && lists(words, &word))?;
    Some(if ours.contains('`') {
        format!("write {ours}")
    } else if ours.contains(':') {
        format!("write `{ours}`")
    } else {
        format!("write `{ours}: …`")
    })
}

/// Returns advice for a key of a header of Maestro's in other words, such as `onFlowBegin`; `None` for other words.
pub(crate) fn header_key(word: &str) -> Option<String> {
    const KEYS: [(&str, &str); 6] = [
        (
            "onFlowStart: […]",
            "onflowbegin onbegin onstart onflowstarted beforeflow beforeeach beforeall before setup onteststart",
        ),
        (
            "onFlowComplete: […]",
            "onflowend onflowfinish onflowfinished onflowstop onflowdone onend onfinish oncomplete afterflow aftereach afterall after teardown cleanup finally",
        ),
        (
            "onFlowFailure: […]",
            "onflowerror onflowfail onerror onfail onfailure",
        ),
        ("env: { NAME: … }", "environment variables vars variable"),
        ("tags: […]", "labels groups tag"),
        ("name: …", "title description testname"),
    ];
    let word = plain(word);
    let (ours, _) = KEYS.iter().find(|(_, words)| lists(words, &word))?;
    Some(format!("write `{ours}`"))
}

/// Returns advice for a word of other tools that waits for a time, such as `sleep`: always the commands
/// `extendedWaitUntil` and `waitForAnimationToEnd` of Maestro. Returns `None` for any other word.
pub(crate) fn wait(word: &str) -> Option<String> {
    let exact = match plain(word).as_str() {
        // Steps of ours, which wait for an element.
        "waitfor" | "waitforidle" => "wait".to_owned(),
        _ if super::wait(word).is_some() => "wait".to_owned(),
        exact => exact.to_owned(),
    };
    let waits = |[ours, words]: &[&str; 2]| {
        ours.starts_with("`wait_for: …` for an element") && lists(words, &exact)
    };
    rows(STEPS).find(waits)?;
    Some("commands wait for their element by themselves; for a longer wait write `extendedWaitUntil: { visible: …, timeout: 5000 }`, or `waitForAnimationToEnd` alone".to_owned())
}

/// Returns the command of Maestro's with the effect of another tool's step, in backquotes with the place of its value;
/// `None` if there is none.
pub(crate) fn equivalent(word: &str) -> Option<String> {
    let exact = plain(word);
    let [ours, _] = rows(STEPS).find(|[_, words]| lists(words, &exact))?;
    let (code, _) = ours.strip_prefix('`')?.split_once('`')?;
    // A form with options, such as `{ clear: true }`, has no equal command.
    let (step, value) = code.split_once(':').unwrap_or((code, ""));
    let is_plain = !value.contains('{') || step == "type" && !value.contains("clear");
    let theirs = maestro_command(step).filter(|_| is_plain)?;
    Some(if value.is_empty() {
        format!("`{theirs}`")
    } else {
        format!("`{theirs}: …`")
    })
}

/// Returns advice for Maestro's `runFlow` as a step of ours: `if` for a condition with commands, `group` for commands
/// alone, and `run` with `when` for a condition with a file. Returns `None` without commands and without a condition of
/// its own, also with a file, which is `run`.
pub(super) fn run_flow(entries: &[(Key, Node)]) -> Option<String> {
    let get = |name: &str| {
        let mut entries = entries.iter();
        entries
            .find(|(key, _)| key.text == name)
            .map(|(_, node)| node)
    };
    let condition = get("when").and_then(condition);
    let file = get("file").and_then(Node::scalar);
    match (condition, get("commands")) {
        (Some(condition), Some(_)) => Some(format!(
            "Maestro's `runFlow` with commands is `if: {condition}` here, and `then: […]` beside it"
        )),
        (None, Some(_)) => {
            Some("Maestro's `runFlow` with commands is `group: […]` here".to_owned())
        }
        (Some(condition), None) => {
            let file = file.map_or_else(|| "FILE".to_owned(), |file| yaml(&file.text));
            Some(format!(
                "Maestro's `runFlow` is `run: {file}` here, and `when: {condition}` beside it"
            ))
        }
        (None, None) => None,
    }
}

/// Translates the first part of a condition of Maestro's other than the platform; one that is neither `visible` nor
/// `notVisible` becomes `${…}`. Returns `None` for one of the platform alone, which always holds. What is no map
/// becomes `{ visible: … }`.
fn condition(node: &Node) -> Option<String> {
    let NodeKind::Map(entries) = &node.kind else {
        return Some("{ visible: … }".to_owned());
    };
    let mut others = entries.iter().filter(|(key, _)| key.text != "platform");
    let (key, value) = others.next()?;
    let text = value
        .scalar()
        .map_or_else(|| "…".to_owned(), |text| yaml(&text.text));
    Some(match key.text.as_str() {
        "visible" => format!("{{ visible: {text} }}"),
        "notVisible" => format!("{{ not_visible: {text} }}"),
        _ => "\"${…}\"".to_owned(),
    })
}
