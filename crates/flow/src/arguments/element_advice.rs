//! Advice for a map of arguments that names an element or a place in the keys of another step.

use runner_text::units::HumanDuration;
use runner_tools::Catalogue;

use crate::foreign::{self, Element};
use crate::reader::find;
use crate::step_slips::shown;
use crate::vocabulary::ToolSchema;
use crate::yaml::{Key, Node, NodeKind};

/// Words for the places of a gesture, in lower case: where it begins, and where it ends.
const PLACES: [[&str; 4]; 4] = [
    ["x", "y", "", ""],
    ["x1", "y1", "x2", "y2"],
    ["startx", "starty", "endx", "endy"],
    ["fromx", "fromy", "tox", "toy"],
];

/// Returns advice for a step that acts on no element but has keys of a selector, `selector`: `erase` in place of
/// `clear`, and a click in place of `press`, a long one for a duration. Returns `None` for other steps, and if no key of
/// a selector is there.
pub(super) fn other_step(
    tool: &ToolSchema,
    entries: &[(Key, Node)],
    selector: &[&str],
) -> Option<String> {
    let name = tool.entry.name;
    let selected = entries
        .iter()
        .map(|(key, node)| (key.text.as_str(), node))
        .filter(|(key, _)| selector.contains(key));
    let element = Element::from_entries(selected)?;
    match name {
        "clear" => Some(format!(
            "`clear` is for the app's data; to empty a field write `erase: {}`",
            element.in_braces()
        )),
        "press" => {
            let element = element.in_braces();
            let inside = element.strip_suffix(" }").unwrap_or(&element);
            let lasts = |name: &&str| find(entries, name).is_some();
            let time = ["duration", "hold", "time", "for"]
                .into_iter()
                .find_map(|name| {
                    let text = &find(entries, name)?.1.scalar()?.text;
                    text.parse::<HumanDuration>().is_ok().then_some(text)
                });
            let code = match time {
                Some(time) => format!("long_click: {inside}, duration: {time} }}"),
                None if ["long", "duration", "hold"].iter().any(lasts) => {
                    format!("long_click: {element}")
                }
                None => format!("click: {element}"),
            };
            Some(format!(
                "`press` is for keys; for an element write `{code}`"
            ))
        }
        _ => None,
    }
}

/// Returns advice for conditions of a selector beside `on`, which has the whole selector: all of them in it, or to
/// leave them out if it has these keys already. `options` are the keys of the step. Returns `None` without `on`, for
/// a list as `on`, and if nothing else stands beside it.
pub(super) fn beside_on(
    entries: &[(Key, Node)],
    selector: &[&str],
    options: &[&str],
) -> Option<String> {
    let (_, on) = find(entries, "on")?;
    let pairs = |entries: &[(Key, Node)]| -> Vec<(String, Node)> {
        let pairs = entries.iter();
        pairs
            .map(|(key, node)| (key.text.clone(), node.clone()))
            .collect()
    };
    let is_beside = |key: &str| key != "on" && selector.contains(&key) && !options.contains(&key);
    let mut more = pairs(entries);
    more.retain(|(key, _)| is_beside(key));
    let mut whole = match &on.kind {
        NodeKind::Scalar(_) => vec![("text".to_owned(), on.clone())],
        NodeKind::Map(inside) => pairs(inside),
        NodeKind::Sequence(_) => return None,
    };
    let (first, _) = more.first()?;
    let has = |whole: &[(String, Node)], name: &str| whole.iter().any(|(key, _)| key == name);
    if more.iter().all(|(key, _)| has(&whole, key)) {
        return Some(format!(
            "leave `{first}` out: `on` says already which element is meant"
        ));
    }
    more.retain(|(key, _)| !has(&whole, key));
    whole.extend(more);
    let whole = whole.iter().map(|(key, node)| (key.as_str(), node));
    let element = Element::from_entries(whole)?;
    Some(format!("write `on: {}`", element.in_braces()))
}

/// Returns the everyday step for a pinch on an element, which `on` or the keys of `selector` name: `two_fingers` with both.
/// A missing scale, and one that is no number, is 2. Returns `None` for other tools, and without an element.
pub(super) fn pinched_on(tool: &str, entries: &[(Key, Node)], selector: &[&str]) -> Option<String> {
    let on = match find(entries, "on") {
        Some((_, on)) => shown(on),
        None => {
            let selected = entries
                .iter()
                .map(|(key, node)| (key.text.as_str(), node))
                .filter(|(key, _)| selector.contains(key));
            Element::from_entries(selected)?.in_braces()
        }
    };
    let scale = find(entries, "scale").and_then(|(_, scale)| scale.scalar());
    let scale = scale.filter(|scale| scale.number().is_some());
    let scale = scale.map_or("2", |scale| scale.text.as_str());
    (tool == "pinch").then(|| format!("two_fingers: {{ on: {on}, scale: {scale} }}"))
}

/// Returns advice for an agents' tool whose places are shares in percent, such as `tap: { x: 50%, y: 50% }`: the
/// everyday step with these places. Returns `None` for other tools, if no place is a share, and if the everyday step
/// takes no such places.
pub(super) fn placed(tool: &ToolSchema, entries: &[(Key, Node)]) -> Option<String> {
    if tool.entry.catalogue == Catalogue::Everyday {
        return None;
    }
    let step = foreign::everyday(tool.entry.name)?;
    let (step, _) = step.split_once(':')?;
    let value = |name: &str| {
        let is_named = |(key, _): &&(Key, Node)| {
            !name.is_empty() && key.text.to_lowercase().replace('_', "") == name
        };
        let (_, value) = entries.iter().find(is_named)?;
        Some(value.scalar()?.text.as_str())
    };
    PLACES.iter().find_map(|[x1, y1, x2, y2]| {
        let from = format!("{{ x: {}, y: {} }}", value(x1)?, value(y1)?);
        let is_share = from.contains('%');
        let to = value(x2).zip(value(y2));
        let code = match to {
            Some((x, y)) => format!("{step}: {{ from: {from}, to: {{ x: {x}, y: {y} }} }}"),
            None => format!("{step}: {{ at: {from} }}"),
        };
        let takes = ["click", "long_click", "double_click"].contains(&step) && to.is_none()
            || step == "swipe_across" && to.is_some();
        let name = tool.entry.name;
        (is_share && takes)
            .then(|| format!("`{name}` is a tool of agents and takes pixels; write `{code}`"))
    })
}
