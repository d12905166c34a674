//! Gestures as WebDriver's pointer actions: a sequence of actions for each finger, all at the same time.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{FingerPath, Gesture, Input};
use runner_screen::Point;

/// Length of a tap: the server sends one event in each such period.
const TAP: Duration = Duration::from_millis(20);
/// Pause between the touches of a double tap. Android takes 40 to 300 ms
/// (`ViewConfiguration.DOUBLE_TAP_MIN_TIME`, `DOUBLE_TAP_TIMEOUT`).
const BETWEEN_TAPS: Duration = Duration::from_millis(100);
/// Rest at the end of a drag, so that the release does not fling. Chosen: Android measures a finger's speed
/// over the last 100 ms.
const DRAG_REST: Duration = Duration::from_millis(300);

/// Converts a touch into its pointer actions, one source for each finger; `None` for inputs that are no
/// touch, such as keys, text and pauses. A tap lasts 20 ms, the second of a double tap begins 100 ms after
/// the first ended, and a drag rests 300 ms before it lets go. A finger without points gets no source.
pub fn from_input(input: &Input) -> Option<Vec<Value>> {
    let one = |finger: Finger| Some(vec![finger.source(0)]);
    match input {
        Input::Tap(point) => one(Finger::at(*point).down().pause(TAP).up()),
        Input::DoubleTap(point) => one(Finger::at(*point)
            .down()
            .pause(TAP)
            .up()
            .pause(BETWEEN_TAPS)
            .down()
            .pause(TAP)
            .up()),
        Input::LongPress(point, time) => one(Finger::at(*point).down().pause(*time).up()),
        Input::Swipe(Gesture { from, to, duration }) => {
            one(Finger::at(*from).down().to(*to, *duration).up())
        }
        Input::Drag(Gesture { from, to, duration }) => one(Finger::at(*from)
            .down()
            .to(*to, *duration)
            .pause(DRAG_REST)
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

/// Converts a path to a finger's actions; it waits before the first point's time and where a point repeats. `None`
/// for a path without points.
fn along(path: &FingerPath) -> Option<Finger> {
    let (&(first, start), rest) = path.points.split_first()?;
    let mut finger = Finger::at(first);
    if !start.is_zero() {
        finger = finger.pause(start);
    }
    finger = finger.down();
    let (mut here, mut now) = (first, start);
    for &(point, at) in rest {
        let time = at.saturating_sub(now);
        finger = if point == here {
            finger.pause(time)
        } else {
            finger.to(point, time)
        };
        (here, now) = (point, at);
    }
    Some(finger.up())
}

/// Actions of one finger.
struct Finger(Vec<Value>);

impl Finger {
    fn at(point: Point) -> Self {
        Self(Vec::new()).to(point, Duration::ZERO)
    }

    /// Appends a move to the point that takes `time`.
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

    fn pause(mut self, time: Duration) -> Self {
        let ms = time.as_millis() as u64;
        self.0.push(json!({ "type": "pause", "duration": ms }));
        self
    }

    /// Returns the actions as the source of a finger, whose name is its number from 1.
    fn source(self, number: usize) -> Value {
        json!({
            "type": "pointer",
            "id": format!("finger{}", number + 1),
            "parameters": { "pointerType": "touch" },
            "actions": self.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uia2::wire::SessionPath;

    /// Returns the recorded bodies that Appium sent to paths with this end.
    fn recorded(path: &str) -> Option<Vec<Value>> {
        let log = runner_testing::recorded_text("appium/appium-to-uia2.log")?;
        let bodies = log.lines().filter_map(|line| {
            let (requested, body) = line.strip_prefix(">>> POST ")?.split_once(' ')?;
            requested
                .ends_with(path)
                .then(|| serde_json::from_str(body).ok())?
        });
        Some(bodies.collect())
    }

    fn body(request: &crate::uia2::http::Request) -> Value {
        serde_json::from_str(request.body.as_ref().unwrap()).unwrap()
    }

    /// Removes the fingers' names, in which two clients may differ.
    fn without_names(mut body: Value) -> Value {
        for source in body["actions"].as_array_mut().unwrap() {
            source["id"] = Value::Null;
        }
        body
    }

    #[test]
    fn what_is_sent_is_what_appium_sends_for_the_same() {
        let Some(actions) = recorded("/actions") else {
            return;
        };
        let session = SessionPath::new("s").unwrap();
        let point = |x, y| Point { x, y };
        let ms = Duration::from_millis;
        let path = |from, to| FingerPath {
            points: vec![(from, ms(0)), (to, ms(200))],
        };
        let fingers = Input::Fingers {
            paths: vec![
                path(point(500, 1000), point(500, 600)),
                path(point(500, 1200), point(500, 1600)),
            ],
            display: runner_screen::Display::default(),
        };
        let press = Input::LongPress(point(540, 1200), ms(60));
        let actions: Vec<Value> = actions.into_iter().map(without_names).collect();
        for input in [press, fingers] {
            let ours = without_names(body(&session.actions(from_input(&input).unwrap())));
            assert!(actions.contains(&ours), "{ours}\n{actions:#?}");
        }
        assert_eq!(
            recorded("/list_windows").unwrap()[0],
            body(&session.windows())
        );
        let back = session.key(4, 0, false);
        assert_eq!(recorded("/press_keycode").unwrap()[0], body(&back));
        let settings = body(&session.settings());
        let theirs = &recorded("/appium/settings").unwrap()[0]["settings"];
        for (name, value) in theirs.as_object().unwrap() {
            assert_eq!(settings["settings"][name], *value, "{name}");
        }
    }
}
