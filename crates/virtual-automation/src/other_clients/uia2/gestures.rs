//! Routes `/appium/gestures/…`: clicks, swipes and pinches, by element or place.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::find::{self, Locator};
use super::scrollable;
use super::ui_selector::{self, ScrollOrder, Scrollable, Statement};
use crate::input;
use crate::other_clients::scroll::moves;
use crate::other_clients::selector::{Criterion, Flag, TextKind, UiSelector};
use crate::other_clients::touch;
use crate::uia2::call::Call;
use crate::uia2::error::WireError;
use crate::uia2::found_element::{FoundElement, centre};
use crate::uia2::session::ElementReference;
use runner_screen::{Point, Rect};
use runner_virtual_device::Touch;

/// Default speeds of the server's library (androidx `UiObject2`), in dp per second.
const DRAG: f64 = 2500.0;
const FLING: f64 = 7500.0;
const PINCH: f64 = 1000.0;
const SCROLL: f64 = 1500.0;
const SWIPE: f64 = 5000.0;
/// Duration of a long click. The server asks for Android's long-press timeout of 400 ms
/// (`GestureController.longClick`), and its library lifts a finger at the first turn after that, of 8 ms each
/// (androidx `GestureController`).
const LONG_CLICK: Duration = Duration::from_millis(408);
/// Time for which a finger stays before it drags: one and a half times that timeout (androidx
/// `Gestures.LONG_PRESS_DURATION_MS`).
const DRAG_HOLD: Duration = Duration::from_millis(600);
/// Pause between the clicks of a double click: half of Android's double-tap timeout of 300 ms, as the server
/// waits.
const DOUBLE_CLICK_PAUSE: Duration = Duration::from_millis(150);
/// Slowest fling, in dp per second (`ViewConfiguration.MINIMUM_FLING_VELOCITY`).
const MIN_FLING: f64 = 50.0;
/// Distance of pinching fingers from the edges of their area, in pixels (androidx `Gestures.INNER_MARGIN`).
const PINCH_MARGIN: i32 = 5;
/// Time for which fingers stay at the end of a scroll, and of a pinch that closes, so that nothing flings: that
/// of androidx `UiObject2` and `Gestures`.
const REST: Duration = Duration::from_millis(250);
/// Duration of a click. Chosen: typical of phones.
const CLICK: Duration = Duration::from_millis(20);
/// Limit for one movement, in seconds. Chosen: slow speeds would block the device.
const MAX_MOVE_SECONDS: f64 = 60.0;

#[derive(Deserialize)]
struct PlaceBody {
    x: f64,
    y: f64,
}

impl PlaceBody {
    /// Returns the point, with fractions cut off.
    fn point(&self) -> Point {
        Point {
            x: self.x as i32,
            y: self.y as i32,
        }
    }
}

#[derive(Deserialize)]
struct AreaBody {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl AreaBody {
    /// Returns the rectangle, with fractions of its edges cut off.
    fn rect(&self) -> Rect {
        let at = |number: f64| number as i32;
        Rect::new(
            at(self.left),
            at(self.top),
            at(self.left + self.width),
            at(self.top + self.height),
        )
    }
}

#[derive(Deserialize)]
struct ClickBody {
    origin: Option<ElementReference>,
    locator: Option<Locator>,
    offset: Option<PlaceBody>,
    duration: Option<f64>,
}

/// Common parameters of pinches, swipes, scrolls and flings.
#[derive(Deserialize)]
struct AreaGesture {
    origin: Option<ElementReference>,
    area: Option<AreaBody>,
    direction: Option<String>,
    percent: Option<f64>,
    speed: Option<f64>,
}

/// Returns the element of the reference; `None` without one, an error if it is gone.
fn element(
    call: &Call<'_>,
    origin: Option<&ElementReference>,
) -> Result<Option<FoundElement>, WireError> {
    let Some(id) = origin.and_then(ElementReference::id) else {
        return Ok(None);
    };
    let screen = call.screen()?;
    let (tree, at) = call.element_of(&screen, id)?;
    Ok(Some(FoundElement::from_node(&tree.nodes[at])))
}

impl ClickBody {
    /// Returns the point to touch: the offset within the element, its middle without one, or the offset on the
    /// display without an element. An error without both. The element is that of the reference, else the first of the
    /// locator.
    fn place(&self, call: &Call<'_>) -> Result<Point, WireError> {
        let found = match (element(call, self.origin.as_ref())?, &self.locator) {
            (None, Some(locator)) => Some(find::first(call, locator)?),
            (found, _) => found,
        };
        match (found, &self.offset) {
            (None, None) => Err(WireError::argument(
                "Click offset coordinates must be provided if element is not set",
            )),
            (None, Some(offset)) => Ok(offset.point()),
            (Some(found), None) => Ok(found.centre()),
            (Some(found), Some(offset)) => Ok(Point {
                x: found.bounds.left.saturating_add(offset.point().x),
                y: found.bounds.top.saturating_add(offset.point().y),
            }),
        }
    }
}

pub(super) fn click(call: &Call<'_>) -> Result<Value, WireError> {
    let at = call.model::<ClickBody>()?.place(call)?;
    input::fingers(call.device, &[touch::press(at, CLICK)]);
    Ok(Value::Null)
}

/// Touches the place twice, with a pause of 150 ms between the touches of 20 ms.
pub(super) fn double_click(call: &Call<'_>) -> Result<Value, WireError> {
    let at = call.model::<ClickBody>()?.place(call)?;
    input::fingers(call.device, &[touch::press(at, CLICK)]);
    input::spend(call.device, DOUBLE_CLICK_PAUSE);
    input::fingers(call.device, &[touch::press(at, CLICK)]);
    Ok(Value::Null)
}

/// Holds the place, for 408 ms by default. A negative duration is an error, one over a minute is shortened.
pub(super) fn long_click(call: &Call<'_>) -> Result<Value, WireError> {
    let body: ClickBody = call.model()?;
    let at = body.place(call)?;
    let time = match body.duration {
        None => LONG_CLICK,
        Some(time) if time < 0.0 => {
            return Err(WireError::argument(
                "Long click duration cannot be negative",
            ));
        }
        Some(time) => Duration::from_secs_f64((time / 1000.0).min(MAX_MOVE_SECONDS)),
    };
    input::fingers(call.device, &[touch::press(at, time)]);
    Ok(Value::Null)
}

/// Returns the requested speed in pixels per second, or `default`, which is in dp per second, converted to
/// them. Fails if it is negative.
fn speed(call: &Call<'_>, requested: Option<f64>, default: f64) -> Result<f64, WireError> {
    match requested {
        Some(speed) if speed < 0.0 => Err(WireError::argument("Speed cannot be negative")),
        Some(speed) => Ok(speed),
        None => Ok(default * f64::from(call.device.phone().display().density) / 160.0),
    }
}

/// Builds the touch of a finger that moves at a speed in pixels per second. It takes a minute at most, and a
/// speed below 1 counts as 1.
fn way(from: Point, to: Point, speed: f64) -> Touch {
    let (x, y) = (
        f64::from(to.x) - f64::from(from.x),
        f64::from(to.y) - f64::from(from.y),
    );
    let seconds = (x.hypot(y) / speed.max(1.0)).min(MAX_MOVE_SECONDS);
    touch::drag(&[from, to], Duration::from_secs_f64(seconds))
}

/// Makes a finger stay at its last place for 250 ms before it leaves. A finger without a path stays so.
fn rest(mut finger: Touch) -> Touch {
    if let Some((place, at)) = finger.path.last().copied() {
        finger.path.push((place, at + REST));
    }
    finger
}

/// Drags to the end after a long press of 600 ms: from the element's middle, from the start as an offset in the
/// element, or without an element from the start on the display. Start and end are moved into the display. An error
/// without element and start.
pub(super) fn drag(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        origin: Option<ElementReference>,
        start: Option<PlaceBody>,
        end: PlaceBody,
        speed: Option<f64>,
    }
    let body: Body = call.model()?;
    let start = match (element(call, body.origin.as_ref())?, &body.start) {
        (None, None) => {
            return Err(WireError::argument(
                "The starting point coordinates must be provided if element is not set",
            ));
        }
        (None, Some(start)) => start.point(),
        (Some(found), None) => found.centre(),
        (Some(found), Some(start)) => Point {
            x: found.bounds.left.saturating_add(start.point().x),
            y: found.bounds.top.saturating_add(start.point().y),
        },
    };
    let limits = call.device.phone().display().bounds();
    let inside = |point: Point| Point {
        x: point.x.clamp(limits.left, limits.right - 1),
        y: point.y.clamp(limits.top, limits.bottom - 1),
    };
    let speed = speed(call, body.speed, DRAG)?;
    let (start, end) = (inside(start), inside(body.end.point()));
    let drawn = way(start, end, speed);
    // A drag begins with a long press.
    let mut path = vec![(start, Duration::ZERO)];
    path.extend(
        drawn
            .path
            .into_iter()
            .map(|(point, at)| (point, at + DRAG_HOLD)),
    );
    input::fingers(call.device, &[Touch { path }]);
    Ok(Value::Null)
}

impl AreaGesture {
    /// Returns the gesture's area in pixels: that of the element without a tenth at each edge, else the given area as
    /// far as it is on the screen. Fails if there is neither, and for an area outside the screen. `what` names the
    /// gesture in the error.
    fn area(&self, call: &Call<'_>, what: &str) -> Result<Rect, WireError> {
        if let Some(found) = element(call, self.origin.as_ref())? {
            let bounds = found.bounds;
            let (x, y) = (
                (bounds.right - bounds.left) / 10,
                (bounds.bottom - bounds.top) / 10,
            );
            return Ok(Rect::new(
                bounds.left + x,
                bounds.top + y,
                bounds.right - x,
                bounds.bottom - y,
            ));
        }
        let area = self.area.as_ref().map(AreaBody::rect);
        let whole = call.device.phone().display().bounds();
        // Fingers do not leave the screen.
        area.and_then(|area| area.intersection(&whole))
            .ok_or_else(|| {
                WireError::argument(format!(
                    "The {what} area coordinates must be provided if element is not set"
                ))
            })
    }

    /// Returns the percent, which may be more than 1; an error if it is negative or missing.
    fn percent(&self) -> Result<f64, WireError> {
        match self.percent {
            Some(percent) if percent >= 0.0 => Ok(percent),
            Some(_) => Err(WireError::argument("Percent must be between 0.0f and 1.0f")),
            None => Err(WireError::argument(
                "The mandatory field 'percent' is not present in JSON",
            )),
        }
    }

    /// Returns start and end of a finger that swipes in the direction, from the middle of the area's edge over the
    /// given `part` of it (0 to 1). `reversed` moves it the other way. Fails if the direction is missing or unknown.
    fn ends(&self, area: Rect, part: f64, reversed: bool) -> Result<(Point, Point), WireError> {
        let Some(direction) = &self.direction else {
            return Err(WireError::argument(
                "The mandatory field 'direction' is not present in JSON",
            ));
        };
        let middle = centre(area);
        let (width, height) = (
            f64::from(area.right - area.left) * part,
            f64::from(area.bottom - area.top) * part,
        );
        let at = |x: i32, y: i32| Point { x, y };
        let (right, bottom) = (area.right - 1, area.bottom - 1);
        let (from, to) = match (direction.to_lowercase().as_str(), reversed) {
            ("left", false) | ("right", true) => {
                (at(right, middle.y), at(right - width as i32, middle.y))
            }
            ("right", false) | ("left", true) => (
                at(area.left, middle.y),
                at(area.left + width as i32, middle.y),
            ),
            ("up", false) | ("down", true) => {
                (at(middle.x, bottom), at(middle.x, bottom - height as i32))
            }
            ("down", false) | ("up", true) => (
                at(middle.x, area.top),
                at(middle.x, area.top + height as i32),
            ),
            _ => {
                return Err(WireError::argument(format!(
                    "Direction value '{direction}' is not supported. Only [LEFT, RIGHT, UP, DOWN] values are"
                )));
            }
        };
        Ok((from, to))
    }
}

/// Swipes in a direction, which is that of the finger, over the given part of the area. Fails for a percent over 1,
/// and without area, percent or direction.
pub(super) fn swipe(call: &Call<'_>) -> Result<Value, WireError> {
    let body: AreaGesture = call.model()?;
    let area = body.area(call, "swipe")?;
    let percent = body.percent()?;
    if percent > 1.0 {
        return Err(WireError::argument("Percent must be between 0.0f and 1.0f"));
    }
    let (from, to) = body.ends(area, percent, false)?;
    let speed = speed(call, body.speed, SWIPE)?;
    input::fingers(call.device, &[way(from, to, speed)]);
    Ok(Value::Null)
}

/// Scrolls in a direction by moving the finger the other way, over the given part of the area. More than the
/// whole takes several swipes, at most 50. Returns `false` as soon as a swipe moves nothing, else `true`, also for a
/// part of 0.
pub(super) fn scroll(call: &Call<'_>) -> Result<Value, WireError> {
    let body: AreaGesture = call.model()?;
    let area = body.area(call, "scroll")?;
    let speed = speed(call, body.speed, SCROLL)?;
    let mut left = body.percent()?.min(50.0);
    while left > 0.0 {
        let (from, to) = body.ends(area, left.min(1.0), true)?;
        let finger = rest(way(from, to, speed));
        if !moves(call.device, || input::fingers(call.device, &[finger])) {
            return Ok(Value::from(false));
        }
        left -= 1.0;
    }
    Ok(Value::from(true))
}

/// Flings in a direction by moving the finger the other way over the whole area; a percent is ignored. Returns true if
/// something moved. Fails for a speed at which nothing would be flung.
pub(super) fn fling(call: &Call<'_>) -> Result<Value, WireError> {
    let body: AreaGesture = call.model()?;
    let area = body.area(call, "fling")?;
    let slowest = speed(call, None, MIN_FLING)?.round();
    if let Some(requested) = body.speed.filter(|speed| *speed < slowest) {
        return Err(WireError::argument(format!(
            "Speed {requested} is less than the minimum fling velocity {slowest}"
        )));
    }
    let (from, to) = body.ends(area, 1.0, true)?;
    let finger = way(from, to, speed(call, body.speed, FLING)?);
    let moved = moves(call.device, || input::fingers(call.device, &[finger]));
    Ok(Value::from(moved))
}

pub(super) fn pinch_open(call: &Call<'_>) -> Result<Value, WireError> {
    pinch(call, true)
}

pub(super) fn pinch_close(call: &Call<'_>) -> Result<Value, WireError> {
    pinch(call, false)
}

/// Moves two fingers along the area's diagonal: from the given part of the way to its middle to the corners if
/// it `opens`, else back (androidx `Gestures.calcPinchCoordinates`). Fails if the part is more than 1.
fn pinch(call: &Call<'_>, opens: bool) -> Result<Value, WireError> {
    let body: AreaGesture = call.model()?;
    let area = body.area(call, "pinch")?;
    let percent = body.percent()?;
    if percent > 1.0 {
        return Err(WireError::argument("Percent must be between 0.0f and 1.0f"));
    }
    let speed = speed(call, body.speed, PINCH)?;
    let way_of = |length: i32| (f64::from((length - 2 * PINCH_MARGIN) / 2) * percent) as i32;
    let (x, y) = (
        way_of(area.right - area.left),
        way_of(area.bottom - area.top),
    );
    let finger = |outer: Point, x: i32, y: i32| {
        let inner = Point {
            x: outer.x + x,
            y: outer.y + y,
        };
        if opens {
            way(inner, outer, speed)
        } else {
            rest(way(outer, inner, speed))
        }
    };
    let bottom_left = Point {
        x: area.left + PINCH_MARGIN,
        y: area.bottom - PINCH_MARGIN,
    };
    let top_right = Point {
        x: area.right - PINCH_MARGIN,
        y: area.top + PINCH_MARGIN,
    };
    let fingers = [finger(bottom_left, x, -y), finger(top_right, -x, y)];
    input::fingers(call.device, &fingers);
    Ok(Value::Null)
}

/// Scrolls the first scrollable element until the wanted one is visible; an error if it does not come, or for an
/// unknown strategy. It takes 30 swipes each way at most, unless the request gives another limit.
pub(super) fn scroll_to(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Parameters {
        strategy: String,
        selector: String,
        max_swipes: Option<usize>,
    }
    #[derive(Deserialize)]
    struct Body {
        params: Parameters,
    }
    let Body { params } = call.model()?;
    let wanted = match params.strategy.as_str() {
        "accessibility id" => {
            UiSelector::from_criterion(Criterion::equals(TextKind::Description, &params.selector))
        }
        "class name" => {
            UiSelector::from_criterion(Criterion::equals(TextKind::ClassName, &params.selector))
        }
        "-android uiautomator" => match ui_selector::parse(&params.selector)?.into_iter().next() {
            Some(Statement::Selector(selector)) => selector,
            _ => return Err(WireError::argument("a selector is expected")),
        },
        other => {
            return Err(WireError::argument(format!(
                "Unsupported strategy: '{other}'. The only supported strategies are: [accessibility id, class name, -android uiautomator]."
            )));
        }
    };
    let swipes = params.max_swipes.map(ScrollOrder::MaxSwipes);
    let into_view = ScrollOrder::IntoView(wanted.clone());
    let scrollable = Scrollable {
        container: UiSelector::from_criterion(Criterion::Flag(Flag::Scrollable, true)),
        orders: swipes.into_iter().chain([into_view]).collect(),
    };
    scrollable::run(call, &Statement::Scrollable(scrollable))?;
    match scrollable::find(call, &wanted)? {
        Some(_) => Ok(Value::Null),
        None => Err(WireError::not_found()),
    }
}

/// Checks that the element exists. Elements out of sight are not found again, so there is nothing to scroll to.
pub(super) fn scroll_to_element(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    call.element(&screen)?;
    call.element_of(&screen, call.parts.get(":other").unwrap_or_default())?;
    Ok(Value::Null)
}
