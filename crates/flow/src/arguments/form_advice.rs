//! Advice for a text, a number or a list in place of a step's arguments, such as `back: 3` and `swipe: [500, 1500, 500, 300]`.

use std::time::Duration;

use runner_text::units::HumanDuration;
use serde_json::json;

use crate::foreign;
use crate::step_warnings;
use crate::vocabulary::ToolSchema;
use crate::yaml::{Node, NodeKind, Scalar};

/// Returns advice for a text or a list in place of the map of the step `name`: a time, how often, a sentence, places.
/// Returns `None` for all else.
pub(super) fn in_other_form(tool: &ToolSchema, name: &str, value: &Node) -> Option<String> {
    idle_time(tool, value)
        .or_else(|| again(tool.entry.name, value))
        .or_else(|| sentence(name, value))
        .or_else(|| swipe_of_numbers(name, value))
}

/// Returns advice for `wait_for_idle` with a number without unit, of which one from 1000 is probably in milliseconds and
/// a smaller one in seconds, or with a time in words. Returns `None` for other steps and values.
fn idle_time(tool: &ToolSchema, value: &Node) -> Option<String> {
    if tool.entry.name != "wait_for_idle" {
        return None;
    }
    if let Some(time) = value
        .scalar()
        .and_then(|text| foreign::milliseconds(&text.text))
    {
        let time = HumanDuration(Duration::from_millis(time));
        return Some(format!("write `wait_for_idle: {time}`"));
    }
    let number = value.scalar().and_then(Scalar::number)?;
    let is_large = number.as_f64().is_some_and(|number| number >= 1000.0);
    let unit = if is_large { "ms" } else { "s" };
    Some(format!(
        "give it a unit: write `wait_for_idle: {number}{unit}`"
    ))
}

/// Returns advice for `back` and `home` with a number of times, such as `3`, `3x`, `3 times` or `twice`: a key that
/// is pressed so often. Returns `None` for other steps and values, and for once.
pub(super) fn again(step: &str, value: &Node) -> Option<String> {
    let text = value.scalar()?.text.as_str();
    let times = text.trim_end_matches(" times").trim_end_matches(['x', ' ']);
    let times: u32 = match times {
        "twice" => 2,
        times => times.parse().ok()?,
    };
    let is_key = ["back", "home"].contains(&step) && times > 1;
    is_key.then(|| {
        format!(
            "write `press: {{ key: {}, times: {times} }}`",
            step.to_uppercase()
        )
    })
}

/// Returns advice for an agents' tool whose value says more than an element, such as `tap: Save twice` and `swipe: up 3`:
/// that of the everyday step. Returns `None` for other values.
fn sentence(tool: &str, value: &Node) -> Option<String> {
    let step = foreign::everyday(tool)?;
    let (step, _) = step.split_once(':')?;
    // `in` brings two fingers together in a pinch, and apart in a zoom.
    let found = step_warnings::check(step, value).filter(|_| step != "two_fingers")?;
    Some(found.help)
}

/// Returns advice for the numbers of both places in a list: `swipe: [500, 1500, 500, 300]`. Returns `None` for other steps
/// and values.
fn swipe_of_numbers(step: &str, value: &Node) -> Option<String> {
    let NodeKind::Sequence(items) = &value.kind else {
        return None;
    };
    let part = |item: &Node| Some(item.scalar()?.text.clone());
    let parts: Option<Vec<String>> = items.iter().map(part).collect();
    let parts = parts.filter(|_| step == "swipe")?;
    let is_place = |part: &String| part.trim_end_matches('%').parse::<f64>().is_ok();
    let [x1, y1, x2, y2] = parts.as_slice() else {
        return None;
    };
    parts.iter().all(is_place).then(|| {
        format!(
            "write `swipe_across: {{ from: {{ x: {x1}, y: {y1} }}, to: {{ x: {x2}, y: {y2} }} }}`"
        )
    })
}

/// Returns advice for several keys in one text, such as `BACK, HOME`: a step for each. They are separated by commas,
/// `;`, `>` or spaces. Returns `None` if a part is no key, and for one key.
pub(super) fn several_keys(tool: &ToolSchema, text: &str) -> Option<String> {
    let parts = text.split([',', ';', '>', ' ']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let is_key = |part: &&str| {
        let arguments = tool.entry.arguments(json!({ "key": part }));
        arguments.is_ok_and(|arguments| tool.entry.check(&arguments).is_ok())
    };
    if parts.len() < 2 || !parts.iter().all(is_key) {
        return None;
    }
    let steps: Vec<String> = parts
        .iter()
        .map(|part| format!("`press: {part}`"))
        .collect();
    Some(format!("write a step for each: {}", steps.join(", ")))
}
