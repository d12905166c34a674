//! Converts touches, waits, scrolls and swipes.

use serde_json::{Map, Value, json};

use super::super::texts::{ConversionResult, cannot};
use super::super::write::OutStep;
use super::{LOOK, OPTIONAL, Writer};
use crate::maestro::tree::{
    Coordinate, Point, RawSelector, RawText, ScrollUntilVisible, Swipe, SwipeGesture, Tap,
};
use runner_device::Direction;

/// Number of swipes of a scroll that ends by its timeout. Chosen: its timeout comes first.
const MAX_SCROLLS: u32 = 100;

impl Writer<'_> {
    /// Converts a touch, of an element or of a point of the display. Options that repeat or wait, a point in an
    /// element, and one with an expression are errors. A `long_click` lasts 3 s. An optional one of an element looks
    /// for `OPTIONAL`.
    pub(super) fn tap(
        &mut self,
        step: &'static str,
        tap: &Tap,
        is_optional: bool,
    ) -> ConversionResult<OutStep> {
        for (is_there, option) in [
            (tap.retry_if_no_change, "retryTapIfNoChange"),
            (tap.wait_until_visible, "waitUntilVisible"),
            (tap.wait_to_settle.is_some(), "waitToSettleTimeoutMs"),
            (tap.repeat.is_some(), "repeat"),
            (tap.delay.is_some(), "delay"),
        ] {
            if is_there {
                return cannot(format!("no step that touches has `{option}`"));
            }
        }
        let mut value = match (&tap.selector, &tap.point) {
            (Some(selector), None) => self.found(selector, is_optional)?,
            (None, Some(point)) => match Point::parse(&point.text) {
                Some(point) => json!({ "at": place(point) }),
                None => return cannot("a place holds no expression"),
            },
            _ => return cannot("a place in an element lies in its part on the screen here"),
        };
        if step == "long_click" {
            value = with(value, "duration", "3s".into()).into();
        }
        let out = OutStep::line(step, value);
        Ok(if is_optional && tap.selector.is_some() {
            out.with_modifier("timeout", OPTIONAL)
        } else {
            out
        })
    }

    /// Converts a wait for exactly one element to come or go; neither or both are errors. Without `timeout` it waits
    /// for `LOOK`.
    pub(super) fn wait(
        &mut self,
        visible: Option<&RawSelector>,
        not_visible: Option<&RawSelector>,
        timeout: Option<&RawText>,
    ) -> ConversionResult<OutStep> {
        let limit = milliseconds(timeout, LOOK)?;
        let on = match (visible, not_visible) {
            (Some(visible), None) => self.names.element(visible)?,
            (None, Some(gone)) => {
                let on = self.names.element_or_none(gone)?;
                with(on, "gone", true.into()).into()
            }
            _ => return cannot("a step waits for one element"),
        };
        Ok(OutStep::line("wait_for", on).with_modifier("timeout", limit))
    }

    /// Converts scrolling up or down; sideways, `centerElement` and `waitToSettleTimeoutMs` are errors. Without
    /// `timeout` it takes 20 s. `speed` is dropped.
    pub(super) fn scroll_to(&mut self, scroll: &ScrollUntilVisible) -> ConversionResult<OutStep> {
        let limit = milliseconds(scroll.timeout.as_ref(), "20s")?;
        if scroll.wait_to_settle.is_some() || scroll.center {
            return cannot("`scroll_to` has no `waitToSettleTimeoutMs`, and another middle");
        }
        let on = self.names.element(&scroll.element)?;
        let mut map = with(on, "max", MAX_SCROLLS.into());
        if let Some(within) = &scroll.within {
            map.insert("in".to_owned(), self.names.element(within)?);
        }
        match scroll.direction {
            Direction::Down => {}
            Direction::Up => {
                map.insert("direction".to_owned(), "up".into());
            }
            _ => return cannot("what scrolls sideways is another container here"),
        }
        if scroll.visibility > 0 {
            let share = format!("{}%", scroll.visibility);
            map.insert("visible".to_owned(), share.into());
        }
        Ok(OutStep::line("scroll_to", map).with_modifier("timeout", limit))
    }
}

/// Adds an option of the step to the keys of an element. An element that is no map, a plain text, becomes the key
/// `on` first. An equal key is replaced.
fn with(element: Value, option: &str, value: Value) -> Map<String, Value> {
    let mut map = match element {
        Value::Object(map) => map,
        words => Map::from_iter([("on".to_owned(), words)]),
    };
    map.insert(option.to_owned(), value);
    map
}

/// Converts a swipe over the display or between two points. A swipe from an element and `waitToSettleTimeoutMs` are
/// errors.
pub(super) fn swiped(swipe: &Swipe) -> ConversionResult<OutStep> {
    if swipe.wait_to_settle.is_some() {
        return cannot("`swipe_across` has no `waitToSettleTimeoutMs`");
    }
    match &swipe.gesture {
        SwipeGesture::Direction(to) => Ok(over_display(*to, swipe.duration)),
        SwipeGesture::Points { start, end } => Ok(from_to(*start, *end, swipe.duration)),
        SwipeGesture::Element { .. } => cannot("a swipe from an element stays in it here"),
    }
}

/// Returns the swipe in a direction over the whole display, with Maestro's places in percent. The finger moves in the
/// direction. `duration` is in milliseconds.
pub(super) fn over_display(direction: Direction, duration: u64) -> OutStep {
    let percent = |x: u8, y: u8| Point {
        x: Coordinate::Percent(x),
        y: Coordinate::Percent(y),
    };
    let (start, end) = match direction {
        Direction::Up => (percent(50, 50), percent(50, 10)),
        Direction::Down => (percent(50, 20), percent(50, 90)),
        Direction::Right => (percent(10, 50), percent(90, 50)),
        Direction::Left => (percent(90, 50), percent(10, 50)),
    };
    from_to(start, end, duration)
}

/// Returns a swipe between two points, with a duration in milliseconds.
fn from_to(start: Point, end: Point, duration: u64) -> OutStep {
    let gesture = json!({
        "from": place(start),
        "to": place(end),
        "duration": format!("{duration}ms"),
    });
    OutStep::line("swipe_across", gesture)
}

/// Returns a point as our steps write it: `{ x, y }`, with a text such as `50%` for percent and a number for pixels.
fn place(point: Point) -> Value {
    let coordinate = |at: Coordinate| match at {
        Coordinate::Percent(share) => Value::from(format!("{share}%")),
        Coordinate::Pixels(pixels) => pixels.into(),
    };
    json!({ "x": coordinate(point.x), "y": coordinate(point.y) })
}

/// Converts a literal whole number of milliseconds above 0, such as `500` or `5_000`, to a text such as
/// `500ms`. Without a time it is `default`. An expression, 0 and any other text are errors.
pub(super) fn milliseconds(time: Option<&RawText>, default: &str) -> ConversionResult<Value> {
    let Some(time) = time else {
        return Ok(default.into());
    };
    match time.text.trim().replace('_', "").parse::<u64>() {
        Ok(number) if number > 0 => Ok(format!("{number}ms").into()),
        _ => cannot("a time is a whole number of milliseconds"),
    }
}
