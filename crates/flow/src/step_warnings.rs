//! Finds values of steps that are valid but probably do something else than their author meant.

use super::reader::find;
use super::yaml::{Kind, Node};
use runner_text::diagnostic::Code;

/// Value with a warning about it.
pub(crate) struct StepFinding<'n> {
    pub(crate) place: &'n Node,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Returns the finding about a value that `step` accepts but probably means otherwise, such as `erase: 3`;
/// `None` for all others. Most are warnings (`Code::Doubtful`); a finding with another code is an error.
pub(crate) fn check<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    let finding = |place, message: &str, help: &str| StepFinding {
        place,
        code: Code::Doubtful,
        message: message.to_owned(),
        help: help.to_owned(),
    };
    let text = value.scalar().map(|scalar| scalar.text.as_str());
    let entry = |name: &str| match &value.kind {
        Kind::Map(entries) => find(entries, name).map(|(_, node)| node),
        _ => None,
    };
    match step {
        "erase" => {
            let count = text.filter(|text| text.parse::<u32>().is_ok())?;
            let message = format!("`erase: {count}` empties the field with this text");
            let help = format!("write `erase: {{ characters: {count} }}` for so many letters");
            Some(finding(value, &message, &help))
        }
        "http" => {
            let body = entry("json")?;
            let body_text = body.scalar()?.text.trim_start();
            let message = "this is sent as a text in JSON's quotes, not as an object";
            let help = "write a map: `json: { … }`; a text as it stands goes into `body`";
            body_text
                .starts_with(['{', '['])
                .then(|| finding(body, message, help))
        }
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
            let Kind::Map(permissions) = &entry("permissions")?.kind else {
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
        "press" => match &value.kind {
            Kind::Sequence(_) => Some(StepFinding {
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
            Kind::Sequence(items) if items.iter().all(|item| item.scalar().is_some()) => {
                Some(StepFinding {
                    code: Code::WrongType,
                    ..finding(
                        value,
                        "a field and its text are no list",
                        "write `type: { into: …, text: … }`",
                    )
                })
            }
            _ => None,
        },
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
