//! Finds values of steps that say in words what stands in a map here: both ends of a drag, how often a key is pressed,
//! several permissions.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::diagnostic::Code;

use super::foreign;
use super::foreign_text::regex;
use super::step_finding::{StepFinding, entry, finding};
use super::step_slips::{shown, wrong};
use super::yaml::{Node, NodeKind};

/// Returns the first finding about a value of the step named `step` that is written in words or as a list, such as
/// `drag: Milk to Bread`; `None` for all other values and steps. All but a direction as the end of a drag are errors.
pub(crate) fn check<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    match step {
        "drag" => ends(value).or_else(|| direction(value)),
        "press" => pressed(value),
        "grant" | "revoke" => permissions(step, value),
        "two_fingers" => scaled(value),
        "set_device" => setting(value),
        "open_link" => without_scheme(entry(value, "link").unwrap_or(value)),
        "install" => bundle(value),
        _ => None,
    }
}

/// Returns the error about both ends of a drag in a text, a list or one entry: `Milk to Bread`, `[ Milk, Bread ]`, `{
/// Milk: Bread }`. Returns `None` for other values; a key in lower case is no element.
fn ends(value: &Node) -> Option<StepFinding<'_>> {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+?) (?:to|onto|into|->|=>|over) (.+)$"));
    let (from, to) = match &value.kind {
        NodeKind::Scalar(text) => {
            let found = WORDS.captures(&text.text)?;
            (foreign::yaml(&found[1]), foreign::yaml(&found[2]))
        }
        NodeKind::Sequence(items) => match items.as_slice() {
            [from, to] => (shown(from), shown(to)),
            _ => return None,
        },
        NodeKind::Map(entries) => match entries.as_slice() {
            [(key, to)] if is_name(&key.text) && !to.is_missing() => {
                (foreign::yaml(&key.text), shown(to))
            }
            _ => return None,
        },
    };
    let help = format!("write `drag: {{ from: {from}, to: {to} }}`");
    let message = "a drag has two ends";
    Some(wrong(Code::WrongType, finding(value, message, &help)))
}

/// Returns true for a word that is no key of a drag here or in another tool, such as the text of an element.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// Returns the warning about a direction as the end of a drag, `to: up`; `None` for other ends.
fn direction(value: &Node) -> Option<StepFinding<'_>> {
    let end = entry(value, "to")?;
    let text = end.scalar()?.text.as_str();
    let from = entry(value, "from").map_or_else(|| "…".to_owned(), shown);
    let help = format!(
        "write a place, `to: {{ x: 50%, y: 80% }}`, or `swipe_across: {{ on: {from}, direction: {text} }}`"
    );
    let message = "this looks for an element with just this text";
    ["up", "down", "left", "right"]
        .contains(&text)
        .then(|| finding(end, message, &help))
}

/// Returns the error about a key with how often it is pressed: `ENTER x3`, `TAB 2 times`. The key is not checked.
/// Returns `None` for other values.
fn pressed(value: &Node) -> Option<StepFinding<'_>> {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^([A-Za-z_]+),? (?:x ?(\d{1,2})|(\d{1,2})x|(\d{1,2}) times|twice)$")
    });
    let found = TIMES.captures(&value.scalar()?.text)?;
    let times = [2, 3, 4].into_iter().find_map(|group| found.get(group));
    let times = times.map_or("2", |times| times.as_str());
    let key = found[1].to_uppercase();
    let help = format!("write `press: {{ key: {key}, times: {times} }}`");
    let message = "how often a key is pressed is an option of its own";
    Some(wrong(Code::Argument, finding(value, message, &help)))
}

/// Returns the error about several permissions in one text, with the first in the help; `None` for one permission and
/// for a text with `${…}`.
fn permissions<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    let place = entry(value, "permission").unwrap_or(value);
    let text = place.scalar()?.text.as_str();
    let (first, _) = text
        .split_once([',', '|', '&'])
        .or_else(|| text.split_once(" and "))?;
    let first = first.trim();
    let is_one = first.is_empty() || text.contains("${");
    let help = format!("write a step for each, such as `{step}: {first}`");
    let message = "a step has one permission";
    (!is_one).then(|| wrong(Code::Argument, finding(place, message, &help)))
}

/// Returns the error about the value of `two_fingers` that is a scale alone: a number above 0, perhaps with `x` behind
/// it, or words such as `zoom in`. `None` for other values.
fn scaled(value: &Node) -> Option<StepFinding<'_>> {
    let text = value.scalar()?.text.to_lowercase();
    let number = text.trim_end_matches('x').parse::<f64>();
    let scale = match number {
        Ok(number) if number > 0.0 && number.is_finite() => number.to_string(),
        _ => match text.as_str() {
            "in" | "zoom in" | "zoom" | "pinch out" | "spread" | "open" => "2".to_owned(),
            "out" | "zoom out" | "pinch in" | "pinch" | "close" => "0.5".to_owned(),
            _ => return None,
        },
    };
    let help = format!("write `two_fingers: {{ scale: {scale} }}`");
    let message = "what two fingers do stands in a map";
    Some(wrong(Code::WrongType, finding(value, message, &help)))
}

/// Returns the error about a setting in one word, such as `dark`; `None` for maps and words that mean no setting.
fn setting(value: &Node) -> Option<StepFinding<'_>> {
    let text = value.scalar()?.text.as_str();
    let help = foreign::step(text, std::iter::empty::<&str>())?;
    let message = "a setting has a value";
    help.starts_with("write `set_device")
        .then(|| wrong(Code::WrongType, finding(value, message, &help)))
}

/// Returns the error about a word or a link without its colon in place of a link: `settings`, `notes//open`; `None`
/// for other texts, also for an empty one.
fn without_scheme(link: &Node) -> Option<StepFinding<'_>> {
    let text = link.scalar().filter(|link| !link.is_null())?.text.as_str();
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || "_-".contains(c))
    };
    let help = match text.split_once("//") {
        Some((scheme, rest)) if is_word(scheme) => {
            format!(
                "a colon is missing: write `open_link: {}`",
                foreign::yaml(&format!("{scheme}://{rest}"))
            )
        }
        None if is_word(text) => format!(
            "write the whole link, such as `open_link: \"notes://{text}\"` or `open_link: https://example.com`"
        ),
        _ => return None,
    };
    let message = "a link begins with its scheme";
    Some(wrong(Code::Argument, finding(link, message, &help)))
}

/// Returns the error about a file that no device installs, by its extension: `.aab`, `.ipa`, `.app`; `None` for
/// others.
fn bundle(value: &Node) -> Option<StepFinding<'_>> {
    let text = value.scalar()?.text.to_lowercase();
    let help = if text.ends_with(".aab") {
        "a device installs APKs: build one, or make it of the bundle by `bundletool`"
    } else if text.ends_with(".ipa") || text.ends_with(".app") {
        "all flows run on Android: build an APK"
    } else {
        return None;
    };
    let message = "this is no APK";
    Some(wrong(Code::Argument, finding(value, message, help)))
}
