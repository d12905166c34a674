//! Finds values of steps that hold what belongs into an option, into a line of its own, or to another step.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::diagnostic::Code;
use runner_tools::everyday::MAX_SCALE;

use super::foreign::{self, Element};
use super::foreign_pattern;
use super::foreign_text::regex;
use super::reader::find;
use super::step_finding::{StepFinding, entry, finding};
use super::yaml::{Key, Node, NodeKind};

/// Returns the first finding about a value that `step` takes but that its author meant otherwise, such as `launch:
/// .Main`; `None` for all other values and steps. It is a warning or, by its code, an error.
pub(crate) fn check<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    match step {
        "launch" => link(entry(value, "app").unwrap_or(value))
            .or_else(|| activity(entry(value, "app").unwrap_or(value)))
            .or_else(|| list_of_extras(entry(value, "extras")?)),
        "record" => recorded_for(value),
        "open_app" => no_package(entry(value, "package_id").unwrap_or(value)),
        "type" => fields(value),
        "screenshot" => picture(entry(value, "name").unwrap_or(value)),
        "two_fingers" => scale(entry(value, "scale")?),
        "swipe_across" => swipe_between(value),
        "drag" => ["from", "to"]
            .into_iter()
            .find_map(|end| place_in_element(entry(value, end)?))
            .or_else(|| dragged_on(value)),
        "assert log" => log_pattern(value),
        "long_click" => held(value),
        "find" => kept(value),
        "install" => installed(value),
        "http" => any_status(entry(value, "status")?),
        _ => None,
    }
}

/// Changes a finding to an error with a code.
pub(crate) fn wrong(code: Code, finding: StepFinding<'_>) -> StepFinding<'_> {
    StepFinding { code, ..finding }
}

/// Writes an element as a value in one line: a text, or the keys of an element in braces. All else, also a missing
/// value and a map that names no element, is `…`.
pub(crate) fn shown(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(text) if !node.is_missing() => foreign::yaml(&text.text),
        NodeKind::Map(entries) => {
            let entries = entries.iter().map(|(key, node)| (key.text.as_str(), node));
            Element::from_entries(entries).map_or_else(|| "…".to_owned(), |it| it.in_braces())
        }
        _ => "…".to_owned(),
    }
}

/// Returns the error about an activity in place of an app: `.Main`, `MainActivity`; `None` for other texts, such as a
/// package.
fn activity(app: &Node) -> Option<StepFinding<'_>> {
    let text = &app.scalar()?.text;
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_alone = !text.contains('.') && text.len() > 8 && text.ends_with("Activity");
    let name = text
        .strip_prefix('.')
        .or(is_alone.then_some(text.as_str()))?;
    is_name(name).then(|| {
        let help = format!("write `launch: {{ activity: .{name} }}`");
        wrong(
            Code::Argument,
            finding(app, "this is an activity, and no app", &help),
        )
    })
}

/// Returns the error about a link in place of an app: `https://example.com`; `None` for other texts, and for one with
/// `${…}`.
fn link(app: &Node) -> Option<StepFinding<'_>> {
    let text = &app.scalar()?.text;
    let (scheme, rest) = text.split_once("://")?;
    let is_link = !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric())
        && !rest.contains("${");
    let help = format!("write `open_link: {}`", foreign::yaml(text));
    is_link.then(|| {
        wrong(
            Code::Argument,
            finding(app, "this is a link, and no app", &help),
        )
    })
}

/// Returns the error about how long a recording takes: it ends by a step of its own. Returns `None` for other keys.
fn recorded_for(value: &Node) -> Option<StepFinding<'_>> {
    const TIMES: [&str; 6] = ["duration", "time", "length", "for", "seconds", "limit"];
    let given = TIMES.into_iter().find_map(|name| entry(value, name))?;
    let message = "a recording ends where a step ends it";
    let help = "leave it out, and write `record: stop` behind the steps that are recorded: it takes at most three minutes";
    Some(wrong(Code::UnknownKey, finding(given, message, help)))
}

/// Returns the warning about the first extra of an intent that is a list or a map; `None` if there is none.
fn list_of_extras(extras: &Node) -> Option<StepFinding<'_>> {
    let mut extras = extras.entries().iter();
    let (_, extra) = extras.find(|(_, extra)| extra.scalar().is_none())?;
    let message = "an extra of a launch is a text, a number or a boolean";
    let help = "write one value, or an extra for each; a text such as '[1, 2]' may hold several for the app to read";
    Some(finding(extra, message, help))
}

/// Returns the warning about an app's name for people in place of its package: a text without a dot. Returns `None`
/// for other texts and those with `$`.
fn no_package(app: &Node) -> Option<StepFinding<'_>> {
    let text = &app.scalar().filter(|_| !app.is_missing())?.text;
    let message = format!("`{text}` is not the package of an app");
    let help = "write `launch: …` with the app's package, such as `com.example.app`";
    (!text.contains(['.', '$'])).then(|| finding(app, &message, help))
}

/// Returns the error about a step that types into fields by their names: `{ username: ada, password: … }`. Values are
/// not quoted. Returns `None` if one key is no usual name of a field or has a boolean.
fn fields(value: &Node) -> Option<StepFinding<'_>> {
    const FIELDS: [&str; 14] = [
        "username",
        "user",
        "user_name",
        "userName",
        "login",
        "email",
        "e_mail",
        "mail",
        "password",
        "passwd",
        "pin",
        "phone",
        "first_name",
        "last_name",
    ];
    let entries = value.entries();
    let is_field = |(key, given): &(Key, Node)| {
        FIELDS.contains(&key.text.as_str())
            && given.scalar().is_some_and(|it| it.boolean().is_none())
    };
    let (first, _) = entries.first()?;
    let several = if entries.len() > 1 {
        "write a step for each field: "
    } else {
        "write "
    };
    let secret = if ["password", "passwd", "pin"].contains(&first.text.as_str()) {
        ", secret: true"
    } else {
        ""
    };
    let help = format!(
        "{several}`type: {{ into: {{ id: {} }}, text: …{secret} }}`",
        first.text
    );
    let message = "a step types into one field, which stands under `into`";
    entries
        .iter()
        .all(is_field)
        .then(|| wrong(Code::UnknownKey, finding(value, message, &help)))
}

/// Returns the error about an element `on` that a drag is to happen on, as in a swipe; `None` without `on`, `from`
/// and `to`.
fn dragged_on(value: &Node) -> Option<StepFinding<'_>> {
    let on = entry(value, "on")?;
    let (_, to) = (entry(value, "from")?, entry(value, "to")?);
    let part = |name: &str| {
        let part = entry(to, name).and_then(Node::scalar);
        part.map_or("…", |part| part.text.as_str())
    };
    let help = format!(
        "write `to: {{ on: {}, at: {{ x: {}, y: {} }} }}` for a place in it",
        shown(on),
        part("x"),
        part("y")
    );
    let message = "a drag has no `on`: each of its ends says where it is";
    Some(wrong(Code::UnknownKey, finding(on, message, &help)))
}

/// Returns the error about a screenshot with a folder: `shots/home.png`; `None` for a name alone and one with `${…}`.
fn picture(name: &Node) -> Option<StepFinding<'_>> {
    let text = &name.scalar()?.text;
    let (_, last) = text.rsplit_once(['/', '\\'])?;
    let bare = ["png", "jpg", "jpeg", "webp"]
        .iter()
        .find_map(|end| last.strip_suffix(end)?.strip_suffix('.'));
    let bare = bare.unwrap_or(last);
    let bare = if bare.is_empty() { "home" } else { bare };
    let help = format!(
        "write `screenshot: {}`: it lies with the report of its flow",
        foreign::yaml(bare)
    );
    let is_text = !text.contains("${");
    is_text.then(|| {
        wrong(
            Code::Malformed,
            finding(name, "a screenshot has a name, and no folder", &help),
        )
    })
}

/// Returns the error about a scale of nothing or less, `-2`, or one that no fingers reach, `200`; `None` for others and
/// for what is no number.
fn scale(scale: &Node) -> Option<StepFinding<'_>> {
    let number = scale.scalar()?.text.parse::<f64>().ok()?;
    if number > MAX_SCALE {
        let share = number / 100.0;
        let help = if share <= MAX_SCALE {
            format!("write `scale: {share}`: 2 ends with the fingers twice as far apart")
        } else {
            "write `scale: 2`, which ends with the fingers twice as far apart".to_owned()
        };
        let message = format!("a scale is at most {MAX_SCALE}");
        return Some(wrong(Code::OutOfRange, finding(scale, &message, &help)));
    }
    let ours = if number < -1.0 { -1.0 / number } else { 0.5 };
    let ours = (ours * 100.0).round() / 100.0;
    let help = format!(
        "write `scale: {}` to bring the fingers together: less than 1 makes smaller, more makes larger",
        ours.max(0.02)
    );
    let message = "a scale is more than 0";
    (number <= 0.0).then(|| wrong(Code::OutOfRange, finding(scale, message, &help)))
}

/// Returns the error about a swipe with an element as `from` or `to`; `None` if neither is a map that names one.
fn swipe_between(value: &Node) -> Option<StepFinding<'_>> {
    let ends = [entry(value, "from"), entry(value, "to")];
    let is_element = |end: &Node| {
        let keys = [
            "id", "text", "desc", "hint", "class", "inside", "on", "index",
        ];
        let has = |name: &str| end.entry(name).is_some();
        keys.into_iter().any(has) && !has("x") && !has("y")
    };
    let place = ends.into_iter().flatten().find(|&end| is_element(end))?;
    let [from, to] = ends.map(|end| end.map_or_else(|| "…".to_owned(), shown));
    let help = format!("write `drag: {{ from: {from}, to: {to} }}` from one element to another");
    let message = "a swipe goes from a place to a place";
    Some(wrong(Code::WrongType, finding(place, message, &help)))
}

/// Returns the error about a place in an element that is written as one map: `{ x: 90%, y: 50%, on: … }`. A missing
/// part is `50%` in the help. Returns `None` without `on`, with `at`, and without `x` and `y`.
fn place_in_element(end: &Node) -> Option<StepFinding<'_>> {
    let NodeKind::Map(entries) = &end.kind else {
        return None;
    };
    let part = |name: &str| Some(find(entries, name)?.1.scalar()?.text.as_str());
    let (_, on) = find(entries, "on")?;
    if find(entries, "at").is_some() {
        return None;
    }
    let (x, y) = (part("x"), part("y"));
    let is_place = x.is_some() || y.is_some();
    let half = "50%";
    let help = format!(
        "write `{{ on: {}, at: {{ x: {}, y: {} }} }}`",
        shown(on),
        x.unwrap_or(half),
        y.unwrap_or(half)
    );
    let message = "a place in an element stands under `at`";
    is_place.then(|| wrong(Code::UnknownKey, finding(on, message, &help)))
}

/// Returns the warning about a regular expression in place of a part of a log's line; `None` for other texts and
/// those with `${…}`.
fn log_pattern(value: &Node) -> Option<StepFinding<'_>> {
    let (place, is_alone) = match entry(value, "contains") {
        Some(part) => (part, false),
        None => (value, true),
    };
    let text = &place.scalar()?.text;
    if text.contains("${") {
        return None;
    }
    let pattern = foreign_pattern::pattern(text)?;
    let help = if is_alone {
        format!("write `assert log: {{ regex: {pattern} }}`")
    } else {
        format!("write `regex: {pattern}` in place of `contains: …`")
    };
    Some(finding(place, "this looks for just this text", &help))
}

/// Returns the warning about a long click with its duration in the text: `Save for 2s`; `None` for other values.
fn held(value: &Node) -> Option<StepFinding<'_>> {
    static HELD: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+?)(?: for|,)? (\d+(?:\.\d+)?) ?(ms|s|secs?|seconds?)$"));
    let found = HELD.captures(&value.scalar()?.text)?;
    let unit = if &found[3] == "ms" { "ms" } else { "s" };
    let help = format!(
        "write `long_click: {{ text: {}, duration: {}{unit} }}`; where the app shows just this, write `{{ text: … }}`",
        foreign::yaml(&found[1]),
        &found[2]
    );
    let message = "this looks for an element with just this text";
    Some(finding(value, message, &help))
}

/// Returns the warning about a name for what is found in the same text: `total as total`. Returns `None` for other
/// texts, and for one with capital letters such as `Save as draft`, unless both parts are the same word.
fn kept(value: &Node) -> Option<StepFinding<'_>> {
    static KEPT: LazyLock<Regex> = LazyLock::new(|| regex(r"^(.+) as ([A-Za-z_]\w*)$"));
    let found = KEPT.captures(&value.scalar()?.text)?;
    let (shown, name) = (&found[1], &found[2]);
    // `Save as draft` is a button.
    let is_name = shown.eq_ignore_ascii_case(name) || !shown.chars().any(char::is_uppercase);
    let help = format!(
        "write `find: {}`, and below it, in the column of `find`, `as: {name}`",
        foreign::yaml(shown)
    );
    let message = "this looks for an element with just this text";
    is_name.then(|| finding(value, message, &help))
}

/// Returns the error about words behind the file of an app: `a.apk, force`; `None` for a path alone and for two
/// files.
fn installed(value: &Node) -> Option<StepFinding<'_>> {
    let (file, rest) = value.scalar()?.text.split_once(".apk")?;
    let message = "the path of an app ends with `.apk`";
    let help = format!(
        "write `install: {}`: an app of the same package is replaced, and its data is kept",
        foreign::yaml(&format!("{file}.apk"))
    );
    let is_more = rest.starts_with([' ', ',', ';']) && !rest.contains(".apk");
    is_more.then(|| wrong(Code::Argument, finding(value, message, &help)))
}

/// Returns the error about a class of statuses: `2xx`, `200-299`, `ok`; `None` for other values.
fn any_status(status: &Node) -> Option<StepFinding<'_>> {
    let text = status.scalar()?.text.to_lowercase();
    let help = match text.as_str() {
        "2xx" | "200-299" | "ok" | "success" => {
            "leave it out: an answer from 200 to 299 is expected where `status` says nothing"
        }
        "1xx" | "3xx" | "4xx" | "5xx" => {
            "write one status, such as `404`: several are compared by `as: ANSWER` beside the step and `assert: { that: \"${ANSWER.status >= 400}\" }`"
        }
        _ => return None,
    };
    let message = "a status is one number";
    Some(wrong(Code::WrongType, finding(status, message, help)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Scalar;

    fn told(step: &str, text: &str) -> Option<String> {
        let node = Node {
            span: 0..0,
            kind: NodeKind::Scalar(Scalar {
                text: text.to_owned(),
                plain: true,
            }),
        };
        check(step, &node).map(|found| found.help)
    }

    #[test]
    fn words_that_are_a_part_of_a_text_are_told_from_options() {
        for (step, text) in [
            ("find", "Save as draft"),
            ("long_click", "Wait for 2 minutes"),
            ("launch", "com.example.notes"),
            ("open_app", "com.example.notes"),
            ("launch", "com.example/.Main"),
            ("screenshot", "home"),
            ("assert log", "signed in."),
            ("install", "a.apk"),
        ] {
            assert_eq!(told(step, text), None, "{step}: {text}");
        }
        let help = told("find", "total as total").unwrap();
        assert!(help.contains("`find: total`"), "{help}");
    }
}
