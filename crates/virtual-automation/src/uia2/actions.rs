//! Route `/actions`: W3C pointers and keys on a common time line.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::call::Call;
use super::error::{ErrorKind, WireError};
use super::found_element::FoundElement;
use crate::input;
use runner_screen::Point;
use runner_virtual_device::Touch;

/// Interval of events in milliseconds. Chosen: close to Android's frame time.
const TICK_MILLIS: u64 = 20;
/// Limit for a pause or move in milliseconds. Chosen: longer than any test needs.
const MAX_DURATION_MILLIS: u64 = 600_000;
/// Duration of the request. Chosen: typical of phones.
const REQUEST: Duration = Duration::from_millis(30);

#[derive(Deserialize)]
struct Body {
    actions: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    parameters: Option<Parameters>,
    actions: Vec<ActionItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    pointer_type: Option<String>,
}

#[derive(Deserialize)]
struct ActionItem {
    #[serde(rename = "type")]
    kind: String,
    duration: Option<f64>,
    origin: Option<Value>,
    x: Option<f64>,
    y: Option<f64>,
    value: Option<String>,
}

/// Event on the time line.
enum Event {
    /// Fingers that are down together. Times count from the first contact.
    Fingers(Vec<Touch>),
    KeyDown(char),
    KeyUp(char),
}

/// Performs the actions of all sources, which run at the same time, and spends the time they take. Bad actions are an
/// error before any is performed. A key that the device does not take is an error too, after what came before it. The
/// request itself takes 30 ms more.
pub(super) fn perform(call: &Call<'_>) -> Result<Value, WireError> {
    let body: Body = call.model()?;
    check(&body.actions)?;
    let mut touches = Vec::new();
    let mut events = Vec::new();
    let mut end = Duration::ZERO;
    for source in &body.actions {
        let items = without_cancelled(&source.actions);
        end = end.max(match source.kind.as_str() {
            "pointer" => pointer(call, source, &items, &mut touches)?,
            "key" => keys(source, &items, &mut events)?,
            _ => pauses(source, &items)?,
        });
    }
    events.extend(merge_touches(touches));
    events.sort_by_key(|(at, _)| *at);
    input::spend(call.device, REQUEST);
    let mut now = Duration::ZERO;
    let mut meta = 0;
    for (at, event) in events {
        if at > now {
            input::spend(call.device, at.saturating_sub(now));
            now = at;
        }
        match event {
            Event::Fingers(fingers) => {
                let last = fingers.iter().filter_map(|finger| finger.path.last());
                now += last.map(|(_, at)| *at).max().unwrap_or_default();
                input::fingers(call.device, &fingers);
            }
            Event::KeyDown(letter) => meta = key_down(call, letter, meta)?,
            Event::KeyUp(letter) => meta &= !meta_bit(letter),
        }
    }
    input::spend(call.device, end.saturating_sub(now));
    Ok(Value::Null)
}

/// Returns an error for a source id that stands twice, an unknown kind of source or item, and pointers that cannot
/// act together.
fn check(sources: &[Source]) -> Result<(), WireError> {
    let mut kinds: Vec<&str> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let Source { kind, id, .. } = source;
        if sources.iter().take(number).any(|other| other.id == *id) {
            return Err(WireError::argument(format!(
                "The action id '{id}' has one one or more duplicates"
            )));
        }
        let allowed: &[&str] = match kind.as_str() {
            "pointer" => &[
                "pointerMove",
                "pointerUp",
                "pointerDown",
                "pointerCancel",
                "pause",
            ],
            "key" => &["keyUp", "keyDown", "pause"],
            "none" => &["pause"],
            _ => {
                return Err(WireError::argument(format!(
                    "Only [pointer, key, none] values are supported for type key. '{kind}' is passed instead for action '{id}'"
                )));
            }
        };
        if let Some(item) = source
            .actions
            .iter()
            .find(|item| !allowed.contains(&item.kind.as_str()))
        {
            return Err(WireError::argument(format!(
                "Only {allowed:?} item type values are supported for action type '{kind}'. '{}' is passed instead for action '{id}'",
                item.kind
            )));
        }
        let pointer = source
            .parameters
            .as_ref()
            .and_then(|parameters| parameters.pointer_type.as_deref());
        if let Some(pointer) = pointer {
            if !["mouse", "pen", "touch"].contains(&pointer) || kind != "pointer" {
                return Err(WireError::argument(format!(
                    "Only [mouse, pen, touch] values are supported for pointerType key. '{pointer}' is passed instead for action '{id}'"
                )));
            }
            kinds.push(pointer);
        }
    }
    if kinds.iter().any(|kind| *kind != kinds[0]) {
        return Err(WireError::argument(format!(
            "It is only allowed to use one pointer type simultaneously. And you have {kinds:?}"
        )));
    }
    if kinds.len() > 1 && kinds[0] != "touch" {
        return Err(WireError::argument(format!(
            "No more that one simultaneous pointer is supported for pointerType {}",
            kinds[0]
        )));
    }
    Ok(())
}

/// Removes each `pointerCancel`, and the one item before it that is left.
fn without_cancelled(items: &[ActionItem]) -> Vec<&ActionItem> {
    let mut stored: Vec<&ActionItem> = Vec::new();
    for item in items {
        if item.kind == "pointerCancel" {
            stored.pop();
        } else {
            stored.push(item);
        }
    }
    stored
}

/// Returns the duration of an item, rounded up to 20 ms and at most 10 minutes. Fails if it is missing or
/// negative.
fn duration(source: &Source, item: &ActionItem) -> Result<Duration, WireError> {
    let Some(time) = item.duration else {
        return Err(WireError::argument(format!(
            "Missing duration key for action item '{}' of action with id '{}'",
            item.kind, source.id
        )));
    };
    if time < 0.0 {
        return Err(WireError::argument(format!(
            "duration key cannot be negative for action item '{}' of action with id '{}'",
            item.kind, source.id
        )));
    }
    let time = (time as u64).min(MAX_DURATION_MILLIS);
    Ok(Duration::from_millis(
        time.div_ceil(TICK_MILLIS) * TICK_MILLIS,
    ))
}

/// Appends the touches of a pointer, with times since the request, to `touches`. Returns the end of its last item.
/// Movements while the finger is up only change its place. Fails for a touch before the first absolute coordinates. A
/// finger that is never lifted makes no touch.
fn pointer(
    call: &Call<'_>,
    source: &Source,
    items: &[&ActionItem],
    touches: &mut Vec<Touch>,
) -> Result<Duration, WireError> {
    let mut now = Duration::ZERO;
    let mut at: Option<Point> = None;
    let mut path: Option<Vec<(Point, Duration)>> = None;
    let nowhere = |item: &ActionItem| {
        WireError::argument(format!(
            "Action item '{}' of the action '{}' should be preceded with at least one item having absolute coordinates",
            item.kind, source.id
        ))
    };
    for item in items {
        match item.kind.as_str() {
            "pause" => {
                now += duration(source, item)?;
                if let (Some(path), Some(at)) = (&mut path, at) {
                    path.push((at, now));
                }
            }
            "pointerDown" => {
                let at = at.ok_or_else(|| nowhere(item))?;
                // A finger that is down goes down no more (W3C WebDriver, "dispatch a pointerDown action").
                path.get_or_insert_with(|| vec![(at, now)]);
            }
            "pointerUp" => {
                let at = at.ok_or_else(|| nowhere(item))?;
                if let Some(mut path) = path.take() {
                    path.push((at, now));
                    touches.push(Touch { path });
                }
            }
            _ => {
                let time = duration(source, item)?;
                let to = place(call, source, item, at)?;
                if let (Some(path), Some(from)) = (&mut path, at)
                    && !time.is_zero()
                {
                    input::add_way(path, from, to, now, time);
                }
                now += time;
                at = Some(to);
            }
        }
    }
    Ok(now)
}

/// Returns the target of a move: `item`'s coordinates, counted from the screen, from the pointer's place
/// `now` or from the middle of an element, by the item's origin. Missing offsets count as 0; on the screen
/// both are required. An element's place is that before any action is performed.
fn place(
    call: &Call<'_>,
    source: &Source,
    item: &ActionItem,
    now: Option<Point>,
) -> Result<Point, WireError> {
    let offset = |from: Point| Point {
        x: from.x.saturating_add(item.x.unwrap_or(0.0) as i32),
        y: from.y.saturating_add(item.y.unwrap_or(0.0) as i32),
    };
    match item.origin.as_ref() {
        None | Some(Value::Null) => {}
        Some(Value::String(origin)) if origin == "viewport" => {}
        Some(Value::String(origin)) if origin == "pointer" => {
            return now.map(offset).ok_or_else(|| {
                WireError::argument(format!(
                    "Action item '{}' of action '{}' should be preceded with at least one item containing absolute coordinates",
                    item.kind, source.id
                ))
            });
        }
        Some(origin) => {
            let id = match origin {
                Value::String(id) => Some(id.clone()),
                other => serde_json::from_value::<super::session::ElementReference>(other.clone())
                    .ok()
                    .and_then(|reference| reference.id().map(str::to_owned)),
            };
            let Some(id) = id else {
                return Err(WireError::argument(format!(
                    "An unknown element '{origin}' is set for action item '{}' of action '{}'",
                    item.kind, source.id
                )));
            };
            let screen = call.screen()?;
            let (tree, at) = call.element_of(&screen, &id)?;
            return Ok(offset(FoundElement::from_node(&tree.nodes[at]).centre()));
        }
    }
    if item.x.is_none() || item.y.is_none() {
        return Err(WireError::argument(format!(
            "Both coordinates must be be set for action item '{}' of action '{}'",
            item.kind, source.id
        )));
    }
    Ok(offset(Point::default()))
}

/// Merges touches that overlap in time into gestures of several fingers. Returns each gesture with its begin,
/// in order; the times in it count from there.
fn merge_touches(mut touches: Vec<Touch>) -> Vec<(Duration, Event)> {
    let begin = |touch: &Touch| touch.path.first().map_or(Duration::ZERO, |(_, at)| *at);
    let end = |touch: &Touch| touch.path.last().map_or(Duration::ZERO, |(_, at)| *at);
    touches.sort_by_key(begin);
    let mut gestures: Vec<(Duration, Duration, Vec<Touch>)> = Vec::new();
    for touch in touches {
        let (from, to) = (begin(&touch), end(&touch));
        match gestures.last_mut() {
            Some((start, last, fingers)) if from < *last || from == *start => {
                *last = to.max(*last);
                fingers.push(touch);
            }
            _ => gestures.push((from, to, vec![touch])),
        }
    }
    gestures
        .into_iter()
        .map(|(start, _, mut fingers)| {
            for (_, at) in fingers.iter_mut().flat_map(|finger| &mut finger.path) {
                *at -= start;
            }
            (start, Event::Fingers(fingers))
        })
        .collect()
}

/// Appends the key events of a source with their times, and returns when it ends. A value counts by its first
/// character; a missing one is an error.
fn keys(
    source: &Source,
    items: &[&ActionItem],
    events: &mut Vec<(Duration, Event)>,
) -> Result<Duration, WireError> {
    let mut now = Duration::ZERO;
    for item in items {
        if item.kind == "pause" {
            now += duration(source, item)?;
            continue;
        }
        let letter = item.value.as_deref().and_then(|value| value.chars().next());
        let Some(letter) = letter else {
            return Err(WireError::argument(format!(
                "Missing value key for action item '{}' of action with id '{}'",
                item.kind, source.id
            )));
        };
        let event = if item.kind == "keyDown" {
            Event::KeyDown(letter)
        } else {
            Event::KeyUp(letter)
        };
        events.push((now, event));
    }
    Ok(now)
}

fn pauses(source: &Source, items: &[&ActionItem]) -> Result<Duration, WireError> {
    items.iter().map(|item| duration(source, item)).sum()
}

/// Returns the bit `META_SHIFT_ON`, `META_ALT_ON` or `META_CTRL_ON` for a modifier key of WebDriver, else 0.
fn meta_bit(letter: char) -> i64 {
    match letter {
        '\u{e008}' => 0x1,
        '\u{e00a}' => 0x2,
        '\u{e009}' => 0x1000,
        _ => 0,
    }
}

/// Presses a key, and returns the modifiers that are down after it: `meta`, and the key's own bit if it is
/// one. A special key, or a letter with a modifier other than SHIFT, is pressed by its code. Any other
/// character is typed as text. Fails if the device takes neither.
fn key_down(call: &Call<'_>, letter: char, meta: i64) -> Result<i64, WireError> {
    let held = meta_bit(letter);
    if held != 0 {
        return Ok(meta | held);
    }
    let done = if let Some(code) = special_key_code(letter) {
        input::key_with_meta(call.device, code, meta)
    } else if meta & !0x1 != 0 && letter.is_ascii_alphabetic() {
        // `KEYCODE_A` is 29.
        let code = i64::from(letter.to_ascii_lowercase() as u32) - i64::from('a' as u32) + 29;
        input::key_with_meta(call.device, code, meta)
    } else {
        call.device
            .phone()
            .input_text(letter.encode_utf8(&mut [0; 4]))
            .is_ok()
    };
    if done {
        return Ok(meta);
    }
    Err(WireError::new(
        ErrorKind::INVALID_ELEMENT_STATE,
        "Unable to perform W3C actions. Check the logcat output for possible error reports and make sure your input actions chain is valid.",
    ))
}

/// Returns Android's key code for a character that WebDriver defines in Unicode's private area. `None` for
/// all others, including modifier keys.
fn special_key_code(letter: char) -> Option<i64> {
    Some(match letter {
        '\u{e000}' => 0,
        '\u{e001}' => 121,
        '\u{e002}' => 259,
        '\u{e003}' => 67,
        '\u{e004}' => 61,
        '\u{e005}' => 28,
        '\u{e006}' | '\u{e007}' => 66,
        '\u{e00b}' => 127,
        '\u{e00c}' => 111,
        '\u{e00d}' => 62,
        '\u{e00e}' => 92,
        '\u{e00f}' => 93,
        '\u{e010}' => 123,
        // The server's `HOME` is the launcher's key.
        '\u{e011}' => 3,
        '\u{e012}' => 21,
        '\u{e013}' => 19,
        '\u{e014}' => 22,
        '\u{e015}' => 20,
        '\u{e016}' => 124,
        '\u{e017}' => 112,
        '\u{e018}' => 74,
        '\u{e019}' => 70,
        '\u{e01a}'..='\u{e023}' => 144 + i64::from(letter as u32 - 0xe01a),
        '\u{e031}'..='\u{e03c}' => 131 + i64::from(letter as u32 - 0xe031),
        '\u{e03d}' => 117,
        _ => return None,
    })
}
