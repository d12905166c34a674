//! Gestures as pointer actions of WebDriver: what each finger does, one after the other. Fingers move together.

use std::time::Duration;

use serde_json::{Value, json};

use crate::device::{FingerPath, Gesture, Input};
use crate::screen::Point;

/// How long a tap is: the server's events are so far apart.
const TAP: Duration = Duration::from_millis(20);
/// Between the touches of a double tap: Android wants 40 to 300 ms.
const BETWEEN_TAPS: Duration = Duration::from_millis(100);
/// How long a drag rests before it leaves, so that nothing flings.
const DRAG_REST: Duration = Duration::from_millis(300);

/// What the fingers do for `input`; `None` where it is no touch.
pub(super) fn of(input: &Input) -> Option<Vec<Value>> {
    let one = |finger: Finger| Some(vec![finger.source(0)]);
    match input {
        Input::Tap(point) => one(Finger::at(*point).down().rest(TAP).up()),
        Input::DoubleTap(point) => one(Finger::at(*point)
            .down()
            .rest(TAP)
            .up()
            .rest(BETWEEN_TAPS)
            .down()
            .rest(TAP)
            .up()),
        Input::LongPress(point, time) => one(Finger::at(*point).down().rest(*time).up()),
        Input::Swipe(Gesture { from, to, duration }) => {
            one(Finger::at(*from).down().to(*to, *duration).up())
        }
        Input::Drag(Gesture { from, to, duration }) => one(Finger::at(*from)
            .down()
            .to(*to, *duration)
            .rest(DRAG_REST)
            .up()),
        Input::Fingers { paths, .. } => Some(
            paths
                .iter()
                .enumerate()
                .filter_map(|(number, path)| Some(along(path)?.source(number)))
                .collect(),
        ),
        _ => None,
    }
}

fn along(path: &FingerPath) -> Option<Finger> {
    let (&(first, start), rest) = path.points.split_first()?;
    let mut finger = Finger::at(first);
    if !start.is_zero() {
        finger = finger.rest(start);
    }
    finger = finger.down();
    let (mut here, mut now) = (first, start);
    for &(point, at) in rest {
        let time = at.saturating_sub(now);
        finger = if point == here {
            finger.rest(time)
        } else {
            finger.to(point, time)
        };
        (here, now) = (point, at);
    }
    Some(finger.up())
}

/// One finger.
struct Finger(Vec<Value>);

impl Finger {
    fn at(point: Point) -> Self {
        Self(Vec::new()).to(point, Duration::ZERO)
    }

    fn to(mut self, point: Point, time: Duration) -> Self {
        self.0.push(json!({
            "type": "pointerMove",
            "duration": time.as_millis() as u64,
            "x": point.x,
            "y": point.y,
            "origin": "viewport",
        }));
        self
    }

    fn down(mut self) -> Self {
        self.0.push(json!({ "type": "pointerDown", "button": 0 }));
        self
    }

    fn up(mut self) -> Self {
        self.0.push(json!({ "type": "pointerUp", "button": 0 }));
        self
    }

    fn rest(mut self, time: Duration) -> Self {
        let ms = time.as_millis() as u64;
        self.0.push(json!({ "type": "pause", "duration": ms }));
        self
    }

    fn source(self, number: usize) -> Value {
        json!({
            "type": "pointer",
            "id": format!("finger{}", number + 1),
            "parameters": { "pointerType": "touch" },
            "actions": self.0,
        })
    }
}
