//! Finds values of steps that are valid but probably do something else than their author meant.

use super::foreign;
use super::foreign_text;
use super::reader::find;
use super::step_finding::{StepFinding, entry, finding};
use super::step_pairs;
use super::step_slips;
use super::step_words;
use super::yaml::{Node, NodeKind};
use runner_text::diagnostic::Code;
use runner_text::units::HumanDuration;

/// Returns the first finding about a value that probably means something else than `step` does with it, such as
/// `erase: 3`; `None` for all others. Most are warnings (`Code::Doubtful`); a finding with another code is an error.
/// Also calls the checks of [`step_slips`], [`step_words`] and [`step_pairs`], in this order.
pub(crate) fn check<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    let text = value.scalar().map(|scalar| scalar.text.as_str());
    let entry = |name: &str| entry(value, name);
    if let Some(found) = alone(step, value)
        .or_else(|| step_slips::check(step, value))
        .or_else(|| step_words::check(step, value))
        .or_else(|| step_pairs::check(step, value))
    {
        return Some(found);
    }
    match step {
        "scroll_to" | "swipe_across" => gesture(step, value),
        "drag" => ["from", "to"]
            .into_iter()
            .find_map(|end| end_of_drag(entry(end)?)),
        "wait_for" => gone(
            entry("gone")?,
            entry("text").is_some() || entry("id").is_some(),
        ),
        "erase" => {
            let count = text.filter(|text| text.parse::<u32>().is_ok())?;
            let message = format!("`erase: {count}` empties the field with this text");
            let help = format!("write `erase: {{ characters: {count} }}` for so many letters");
            Some(finding(value, &message, &help))
        }
        "http" => request(value),
        "screenshot" => {
            let place = entry("name").unwrap_or(value);
            let name = &place.scalar()?.text;
            let bare = [".png", ".jpg", ".jpeg", ".webp"]
                .iter()
                .find_map(|end| name.strip_suffix(end))?;
            let message = format!("this file is to be called `{name}.png`");
            Some(finding(place, &message, &format!("write `{bare}`")))
        }
        "record" => {
            let (action, name) = (entry("action")?, entry("name")?);
            let message = "a recording gets its name where it ends, so this one has no effect";
            let starts = action.scalar()?.text == "start";
            let given = name.scalar().map_or("…", |name| name.text.as_str());
            let help = format!("write `record: {{ action: stop, name: {given} }}` there");
            starts.then(|| finding(name, message, &help))
        }
        "launch" => {
            let NodeKind::Map(permissions) = &entry("permissions")?.kind else {
                return None;
            };
            let (_, all) = find(permissions, "all")?;
            let help =
                "write `permissions: all` to grant all, or name each, as `{ CAMERA: false }`";
            Some(StepFinding {
                code: Code::Argument,
                ..finding(all, "`all` is no permission", help)
            })
        }
        "shell" => shell(entry("argv").unwrap_or(value)),
        "wait_for_idle" => {
            let limit = entry("timeout")?;
            let time = &limit.scalar()?.text;
            let help = format!("write `wait_for_idle: {time}`");
            time.parse::<HumanDuration>().is_ok().then(|| StepFinding {
                code: Code::WrongType,
                ..finding(limit, "this is a number of milliseconds", &help)
            })
        }
        "press" => match &value.kind {
            NodeKind::Sequence(_) => Some(StepFinding {
                code: Code::WrongType,
                ..finding(
                    value,
                    "the keys of one step stand in one text",
                    "write `press: CTRL_LEFT+A` for keys that are held together, else a step for each",
                )
            }),
            _ => None,
        },
        "type" => match &value.kind {
            NodeKind::Sequence(items) if items.iter().all(|item| item.scalar().is_some()) => {
                Some(StepFinding {
                    code: Code::WrongType,
                    ..finding(
                        value,
                        "a field and its text are no list",
                        "write `type: { into: …, text: … }`",
                    )
                })
            }
            _ => typed(value),
        },
        _ => None,
    }
}

/// Returns the finding about a step that is written as a word alone but got an answer or a word for itself:
/// `screenshot: true`, `clear: data`, `launch: fresh`. It is an error for a step that takes an app, else a warning.
/// Returns `None` for other values.
fn alone<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    const FRESH: [&str; 6] = ["clear", "fresh", "clean", "reset", "clear_state", "new"];
    const ALL: [&str; 7] = [
        "all", "data", "app", "cache", "app_data", "state", "storage",
    ];
    let given = value.scalar()?;
    let text = given.text.as_str();
    let is_fresh = step == "launch" && FRESH.contains(&text);
    let takes_app = ["launch", "stop", "clear", "uninstall"].contains(&step);
    let takes_none = takes_app || ["screenshot", "erase", "wait_for_idle"].contains(&step);
    let is_answer = given.boolean() == Some(true) && takes_none;
    let is_all = takes_app && ALL.contains(&text) || step == "erase" && text == "all";
    if !(is_fresh || is_answer || is_all) {
        return None;
    }
    let help = if is_fresh {
        "write `launch: { clear: true }`".to_owned()
    } else {
        format!("write `- {step}` alone")
    };
    let message = format!("`{step}` takes no `{text}`");
    let code = if takes_app {
        Code::Argument
    } else {
        Code::Doubtful
    };
    Some(StepFinding {
        code,
        ..finding(value, &message, &help)
    })
}

/// Returns the finding about a request: an error for one text with its method, `GET https://…`, and for a map or a list
/// in `body`; a warning for a text of JSON in `json`. Returns `None` for other requests.
fn request(value: &Node) -> Option<StepFinding<'_>> {
    if let Some((method, url)) = value.scalar().and_then(|text| text.text.split_once(' ')) {
        let is_method = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(&method);
        let help = format!(
            "write `http: {{ method: {method}, url: {} }}`",
            foreign::yaml(url.trim())
        );
        return is_method.then(|| StepFinding {
            code: Code::Argument,
            ..finding(
                value,
                "the method of a request is an option of its own",
                &help,
            )
        });
    }
    if let Some(body) = entry(value, "body").filter(|body| body.scalar().is_none()) {
        return Some(StepFinding {
            code: Code::WrongType,
            ..finding(
                body,
                "the body of a request is a text, and a map or a list is sent as JSON",
                "write `json: …` in place of `body: …`",
            )
        });
    }
    let body = entry(value, "json")?;
    let body_text = body.scalar()?.text.trim_start();
    let message = "this is sent as a text in JSON's quotes, not as an object";
    let help = "write a map: `json: { … }`; a text as it stands goes into `body`";
    body_text
        .starts_with(['{', '['])
        .then(|| finding(body, message, help))
}

/// Returns the warning about a command for the device's shell that begins with `adb shell`, is one word with blanks,
/// or has signs of a shell that no shell reads. Returns `None` for others, and for what is no list of words.
fn shell(argv: &Node) -> Option<StepFinding<'_>> {
    let NodeKind::Sequence(items) = &argv.kind else {
        return None;
    };
    let words: Option<Vec<&str>> = items
        .iter()
        .map(|item| Some(item.scalar()?.text.as_str()))
        .collect();
    let words = words.filter(|words| !words.is_empty())?;
    let is_sign = |word: &&str| ["|", "||", "&&", ">", ">>", "<", ";"].contains(word);
    let has_shell = words[0].ends_with("sh") || words[0] == "adb";
    if words.iter().any(is_sign) && !has_shell {
        let line = foreign::quoted(&words.join(" "));
        let help = format!("write `shell: [ sh, -c, {line} ]`");
        let message = "no shell reads these words, so its signs are words of the command too";
        return Some(finding(argv, message, &help));
    }
    match words.as_slice() {
        ["adb", "shell", rest @ ..] if !rest.is_empty() => {
            let rest: Vec<String> = rest.iter().map(|word| foreign::yaml(word)).collect();
            let help = format!("write `shell: [ {} ]`", rest.join(", "));
            Some(finding(
                argv,
                "this runs on the device, which has no `adb`",
                &help,
            ))
        }
        [line] if line.contains(['|', '>', ';', '&']) && line.contains(' ') => {
            let help = format!("write `shell: [ sh, -c, {} ]`", foreign::quoted(line));
            Some(finding(argv, "each item is one word of a command", &help))
        }
        [line] if line.contains(' ') && !line.contains("${") => {
            let words: Vec<String> = line.split_whitespace().map(foreign::yaml).collect();
            let help = format!("write `shell: [ {} ]`", words.join(", "));
            Some(finding(argv, "each item is one word of a command", &help))
        }
        _ => None,
    }
}

/// Returns the error about a time in place of an answer in `gone`, and about a text there unless `is_named` says that
/// something else names an element. Returns `None` for a boolean and a missing value.
fn gone(given: &Node, is_named: bool) -> Option<StepFinding<'_>> {
    let shown = given.scalar().filter(|_| !given.is_missing())?;
    let message = "`gone` is `true` or `false`";
    if shown.text.parse::<HumanDuration>().is_ok() {
        let help = format!(
            "write `gone: true`, and below the step, in the column of `wait_for`, `timeout: {}`",
            shown.text.trim()
        );
        return Some(StepFinding {
            code: Code::WrongType,
            ..finding(given, message, &help)
        });
    }
    if is_named {
        return None;
    }
    let help = format!(
        "write `wait_for: {{ text: {}, gone: true }}`",
        foreign::yaml(&shown.text)
    );
    shown.boolean().is_none().then(|| StepFinding {
        code: Code::WrongType,
        ..finding(given, message, &help)
    })
}

/// Returns the finding about an end of a drag: an error for a place in an element without `on`, a distance, or a
/// place as a list, a warning for a place as a text. Returns `None` for other ends.
fn end_of_drag(end: &Node) -> Option<StepFinding<'_>> {
    let place = |parts: &[&str]| match parts {
        [x, y] => {
            let is_part = |part: &str| part.trim_end_matches('%').parse::<f64>().is_ok();
            (is_part(x) && is_part(y)).then(|| format!("write `{{ x: {x}, y: {y} }}` for a place"))
        }
        _ => None,
    };
    let (message, help) = match &end.kind {
        NodeKind::Scalar(text) => {
            let parts: Vec<&str> = text.text.split(',').map(str::trim).collect();
            (
                "this looks for an element with just this text",
                place(&parts)?,
            )
        }
        NodeKind::Sequence(items) => {
            let parts: Option<Vec<&str>> = items
                .iter()
                .map(|item| Some(item.scalar()?.text.as_str()))
                .collect();
            ("a place is a map", place(&parts?)?)
        }
        NodeKind::Map(entries) => {
            let is_distance = |name: &str| {
                ["dx", "dy", "offset", "distance", "by"].contains(&name.to_lowercase().as_str())
            };
            if entries.iter().any(|(key, _)| is_distance(&key.text)) {
                let help = "write a place of the display, `{ x: 50%, y: 80% }`, or an element: a distance is none";
                ("a drag ends at a place or an element", help.to_owned())
            } else if find(entries, "at").is_some() && find(entries, "on").is_none() {
                let keys = entries.iter().filter(|(key, _)| key.text != "at");
                let keys: Vec<String> = keys.map(|(key, _)| format!("{}: …", key.text)).collect();
                let help = format!(
                    "write `{{ on: {{ {} }}, at: {{ x: …, y: … }} }}`",
                    keys.join(", ")
                );
                ("a place in an element stands beside `on`", help)
            } else {
                return None;
            }
        }
    };
    let code = match &end.kind {
        NodeKind::Scalar(_) => Code::Doubtful,
        _ => Code::WrongType,
    };
    Some(StepFinding {
        code,
        ..finding(end, message, &help)
    })
}

/// Returns the warning about what is typed: a field in the syntax of CSS, the field in the same text, a key's name at
/// its end, or a line feed that is none; the first counts. Returns `None` for all else.
fn typed(value: &Node) -> Option<StepFinding<'_>> {
    let css = entry(value, "into").and_then(|into| {
        let found = foreign_text::css_id(&into.scalar()?.text)?;
        Some(finding(into, &found.message, &found.help))
    });
    if css.is_some() {
        return css;
    }
    let place = entry(value, "text").unwrap_or(value);
    let given = place.scalar()?;
    let text = given.text.as_str();
    let words: Vec<&str> = text.split(' ').collect();
    if let ([_, "into", field], None) = (words.as_slice(), entry(value, "text")) {
        let message = "this types all of it into the field that has the focus";
        let help = format!("write `type: {{ into: {field}, text: … }}`");
        return Some(finding(place, message, &help));
    }
    let lower = text.to_lowercase();
    let keys = [
        "{enter}", "<enter>", "[enter]", "{return}", "{tab}", "<tab>",
    ];
    if let Some(key) = keys.iter().find(|key| lower.ends_with(**key)) {
        let key = key
            .trim_matches(['{', '}', '<', '>', '[', ']'])
            .to_uppercase();
        let key = if key == "RETURN" {
            "ENTER"
        } else {
            key.as_str()
        };
        let message = "this types the name of the key as text";
        let help = format!("leave it out, and write `press: {key}` as the next step");
        return Some(finding(place, message, &help));
    }
    text.ends_with("\\n").then(|| {
        let message = "this types a backslash and an `n`";
        let help = "put the text in double quotes, in which `\\n` is a line feed, or write `press: ENTER` as the next step";
        finding(place, message, help)
    })
}

/// Returns the finding about a value of `scroll_to` or `swipe_across`: a warning for a direction as the text to scroll
/// to; an error for the length of a swipe beside its direction, which no swipe has, and for a text as the place that it
/// begins at. Returns `None` for other values and steps.
fn gesture<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    let text = value.scalar().map(|scalar| scalar.text.as_str());
    let entry = |name: &str| entry(value, name);
    match step {
        "scroll_to" => {
            let direction = text.and_then(direction_word)?;
            let word = text.unwrap_or_default();
            let message = format!("this scrolls until an element with the text `{word}` is seen");
            // A swipe is named by the way of the finger.
            let swipe = match direction {
                "down" => "up",
                "up" => "down",
                "left" => "right",
                _ => "left",
            };
            let help = format!(
                "write `scroll_to: {{ text: …, direction: {direction} }}` with what is to be seen, or `swipe_across: {swipe}` to move once; where the app shows just this, write `{{ text: … }}`"
            );
            Some(finding(value, &message, &help))
        }
        "swipe_across" if entry("direction").is_some() => {
            let NodeKind::Map(entries) = &value.kind else {
                return None;
            };
            let (key, length) = entries.iter().find(|(key, _)| is_length(&key.text))?;
            let direction = entry("direction")?.scalar()?;
            let places = swipe_places(&direction.text, length)?;
            let message = format!("`{}` is not known here", key.text);
            let help = format!(
                "write `{places}` in place of `direction: {}` and `{}`",
                direction.text, key.text
            );
            Some(StepFinding {
                code: Code::UnknownKey,
                ..finding(length, &message, &help)
            })
        }
        "swipe_across" => {
            let from = entry("from").filter(|from| from.scalar().is_some())?;
            let help = "write `drag: { from: …, to: … }` from one element to another, or places: `from: { x: 90%, y: 50% }`";
            Some(StepFinding {
                code: Code::WrongType,
                ..finding(from, "a swipe goes from a place to a place", help)
            })
        }
        _ => None,
    }
}

/// Returns the direction that a word in lower case means, such as `down` for `bottom`; `None` for any other text,
/// such as `Top` on a button.
fn direction_word(text: &str) -> Option<&'static str> {
    Some(match text {
        "down" | "bottom" | "end" => "down",
        "up" | "top" => "up",
        "left" => "left",
        "right" => "right",
        _ => return None,
    })
}

/// Returns true for a word for the length of a swipe.
fn is_length(key: &str) -> bool {
    let word = key.to_lowercase();
    [
        "distance",
        "percent",
        "percentage",
        "amount",
        "length",
        "offset",
        "by",
        "pixels",
    ]
    .contains(&word.as_str())
}

/// Returns the options `from` and `to` of a swipe in a direction over the share `length` of the screen, around its
/// middle: `50%`, `0.5` or `50`. A length that cannot be read or is above 90 %, such as one in pixels, counts as
/// `50%`. Returns `None` for an unknown direction.
fn swipe_places(direction: &str, length: &Node) -> Option<String> {
    let text = length.scalar().map_or("", |length| length.text.as_str());
    let number = text.trim_end_matches('%').parse::<f64>().ok();
    let share = match number {
        Some(share) if share > 0.0 && share <= 1.0 && !text.ends_with('%') => share * 100.0,
        Some(share) if share > 1.0 && share <= 90.0 => share,
        _ => 50.0,
    };
    let (low, high) = (
        (50.0 - share / 2.0).max(5.0).round(),
        (50.0 + share / 2.0).min(95.0).round(),
    );
    let places = |x1: f64, y1: f64, x2: f64, y2: f64| {
        format!("from: {{ x: {x1}%, y: {y1}% }}, to: {{ x: {x2}%, y: {y2}% }}")
    };
    Some(match direction {
        "down" => places(50.0, low, 50.0, high),
        "up" => places(50.0, high, 50.0, low),
        "left" => places(high, 50.0, low, 50.0),
        "right" => places(low, 50.0, high, 50.0),
        _ => return None,
    })
}
