//! Drags and gestures of two fingers: on which elements, and where in them.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::act::Act;
use super::locate;
use super::secrets::Secrets;
use runner_engine::is_disabled;
use runner_screen::{Point, Rect, Screen, Selector};
use runner_text::units::HumanDuration;
use runner_tools::arguments;
use runner_tools::everyday::{MAX_SCALE, MAX_TURN_DEGREES};

/// Who holds for up to so long only waits until the app takes hold, as the step does by itself.
const USUAL_HOLD: Duration = Duration::from_secs(1);
/// Fingers that move less than this are still, in pixels.
const STILL: f64 = 16.0;

/// An element, or a place in one or on the display.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GesturePlace {
    /// `None`: the display.
    pub(super) on: Option<Box<Selector>>,
    /// In percent of its width and height; `None`: the middle.
    at: Option<[i32; 2]>,
}

impl GesturePlace {
    /// What a finger means that comes down here or leaves here. On a large element, on a slider, and `inside` of one that is
    /// taken and let go on, the place counts.
    fn under(screen: &Screen, point: Point, inside: bool) -> Self {
        let node = locate::taken_hold_of(screen, point).filter(|node| !locate::is_backdrop(*node));
        let is_place = node.is_some_and(|node| inside || locate::is_surface(node));
        let named = node.and_then(|node| {
            let on = if is_place {
                // An element that only its order names may stand elsewhere in another run.
                Selector::stable(screen, node.index()).filter(|on| !on.goes_by_order())
            } else {
                locate::touch_selector(node, false)
            };
            Some((on?, node.part_on_display()?))
        });
        match named {
            Some((on, area)) => Self {
                on: Some(Box::new(on)),
                at: is_place.then(|| percent(point, area)),
            },
            None => Self {
                on: None,
                at: Some(percent(point, screen.display().bounds())),
            },
        }
    }

    /// The forms of an end of a drag.
    fn as_end(&self, secrets: &Secrets) -> Value {
        let on = self.on.as_deref().map(|on| secrets.selector(on));
        match (on, self.at.map(as_place)) {
            (Some(on), None) => on,
            (Some(on), Some(at)) => json!({ "on": on, "at": at }),
            (None, at) => json!(at),
        }
    }

    /// The keys `on` and `at`. The middle needs no word.
    fn as_keys(&self, secrets: &Secrets) -> Map<String, Value> {
        let on = self.on.as_deref().map(|on| secrets.selector(on));
        let at = self.at.filter(|at| *at != [50, 50]).map(as_place);
        let keys = [("on", on), ("at", at)];
        let keys = keys
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)));
        keys.collect()
    }
}

fn percent(point: Point, area: Rect) -> [i32; 2] {
    let part = |at: i32, low: i32, length: u32| {
        let last = f64::from(length.saturating_sub(1).max(1));
        (f64::from(at - low) * 100.0 / last)
            .round()
            .clamp(0.0, 100.0) as i32
    };
    [
        part(point.x, area.left, area.width()),
        part(point.y, area.top, area.height()),
    ]
}

fn as_place([x, y]: [i32; 2]) -> Value {
    json!({ "x": format!("{x}%"), "y": format!("{y}%") })
}

/// What a tool's gesture did on this screen; `None` if the tool is not a gesture, or if the call names its elements.
pub(super) fn of(tool: &str, args: &Value, screen: &Screen) -> Option<Act> {
    match tool {
        "drag" => drag(args, screen),
        "pinch" => pinch(args, screen),
        "custom_gesture" => two_fingers(args, screen),
        _ => None,
    }
}

/// A drag between two places of the display; `None` where its ends are said in another way.
fn drag(args: &Value, screen: &Screen) -> Option<Act> {
    let end = |name: &str| point(args.get(name)?, ["x", "y"]);
    let (taken, left) = (end("from")?, end("to")?);
    let mut from = GesturePlace::under(screen, taken, false);
    let mut to = GesturePlace::under(screen, left, false);
    if from == to {
        from = GesturePlace::under(screen, taken, true);
        to = GesturePlace::under(screen, left, true);
    }
    let hold = args.get("hold").and_then(Value::as_str);
    let hold = hold.and_then(|hold| hold.parse::<HumanDuration>().ok());
    let mut options = Map::new();
    if let Some(hold) = hold.filter(|hold| hold.0.is_zero() || hold.0 > USUAL_HOLD) {
        options.insert("hold".to_owned(), json!(hold.to_string()));
    }
    if is_off(screen, &from) {
        options.insert("force".to_owned(), json!(true));
    }
    Some(Act::Drag { from, to, options })
}

/// Two fingers that moved apart, together or around: whichever they did more. `None` for anything else.
fn two_fingers(args: &Value, screen: &Screen) -> Option<Act> {
    let paths = args.get("paths")?.as_array()?;
    let [one, other] = paths.as_slice() else {
        return None;
    };
    let points = |path: &Value| -> Option<Vec<Point>> {
        path.as_array()?
            .iter()
            .map(|at| point(at, ["x", "y"]))
            .collect()
    };
    let (one, other) = (points(one)?, points(other)?);
    // Places in step with each other say how the fingers moved together.
    if one.len() != other.len() {
        return None;
    }
    let middle = Point {
        x: i32::midpoint(one.first()?.x, other.first()?.x),
        y: i32::midpoint(one.first()?.y, other.first()?.y),
    };
    let option = change(&one, &other)?;
    Some(around(screen, middle, option))
}

/// `pinch`, which says its centre and scale.
fn pinch(args: &Value, screen: &Screen) -> Option<Act> {
    let center = point(args, ["center_x", "center_y"])?;
    let scale = args.get("scale")?.clone();
    Some(around(screen, center, ("scale".to_owned(), scale)))
}

fn around(screen: &Screen, middle: Point, option: (String, Value)) -> Act {
    let mut options: Map<String, Value> = [option].into_iter().collect();
    let place = GesturePlace::under(screen, middle, false);
    if is_off(screen, &place) {
        options.insert("force".to_owned(), json!(true));
    }
    Act::TwoFingers { place, options }
}

/// `scale` or `turn`, whichever moved the fingers further.
fn change(one: &[Point], other: &[Point]) -> Option<(String, Value)> {
    let ways: Vec<(f64, f64)> = one
        .iter()
        .zip(other)
        .map(|(a, b)| (f64::from(b.x - a.x), f64::from(b.y - a.y)))
        .collect();
    let distance = |way: &(f64, f64)| way.0.hypot(way.1);
    let (start, end) = (distance(ways.first()?), distance(ways.last()?));
    // From place to place, so that a turn may be more than half a circle.
    let turn: f64 = ways
        .windows(2)
        .map(|pair| {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            (ax * by - ay * bx).atan2(ax * bx + ay * by)
        })
        .sum();
    let (apart, around) = ((end - start).abs(), turn.abs() * f64::midpoint(start, end));
    if apart.max(around) < STILL || start < 1.0 || end < 1.0 {
        return None;
    }
    Some(if apart >= around {
        let scale = (end / start).clamp(1.0 / MAX_SCALE, MAX_SCALE);
        ("scale".to_owned(), json!((scale * 100.0).round() / 100.0))
    } else {
        let degrees = turn.to_degrees().round();
        let degrees = degrees.clamp(-MAX_TURN_DEGREES, MAX_TURN_DEGREES) as i32;
        ("turn".to_owned(), json!(degrees))
    })
}

fn point(value: &Value, [x, y]: [&str; 2]) -> Option<Point> {
    let number = |name: &str| Some(value.get(name)?.as_f64()?.round() as i32);
    Some(Point {
        x: number(x)?,
        y: number(y)?,
    })
}

/// Whether what is meant was disabled: a step waits for it unless it is forced.
fn is_off(screen: &Screen, place: &GesturePlace) -> bool {
    let nodes = place
        .on
        .as_ref()
        .map(|on| on.find(screen))
        .unwrap_or_default();
    nodes
        .first()
        .is_some_and(|node| is_disabled(screen.node(*node)))
}

/// The step for it: its name and keys.
pub(super) fn step(act: &Act, secrets: &Secrets) -> Option<(&'static str, Value)> {
    let (name, keys, options) = match act {
        Act::Drag { from, to, options } => {
            let ends = [("from", from), ("to", to)];
            let ends = ends.map(|(key, end)| (key.to_owned(), end.as_end(secrets)));
            ("drag", ends.into_iter().collect(), options)
        }
        Act::TwoFingers { place, options } => ("two_fingers", place.as_keys(secrets), options),
        _ => return None,
    };
    let keys: Map<String, Value> = keys;
    let mut value = keys.into_iter().chain(options.clone()).collect();
    arguments::normalize_integers(&mut value);
    Some((name, value))
}
