//! The touchscreen as a kernel device: multi-touch events (protocol B, a slot for each finger) become paths
//! of fingers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::Touch;
use runner_screen::{Display, Point};

/// Device file that takes the events.
pub(crate) const NODE: &str = "/dev/input/event1";
/// Most fingers on the panel. Chosen: as many as on most phones.
pub(crate) const SLOTS: i64 = 10;

/// Types and codes of events, from Linux's `input-event-codes.h`.
const EV_SYN: i64 = 0;
const EV_ABS: i64 = 3;
const ABS_MT_SLOT: i64 = 0x2f;
const ABS_MT_POSITION_X: i64 = 0x35;
const ABS_MT_POSITION_Y: i64 = 0x36;
const ABS_MT_TRACKING_ID: i64 = 0x39;

/// Fingers on the panel.
#[derive(Debug, Default)]
pub(crate) struct TouchPanel {
    slot: i64,
    slots: BTreeMap<i64, TouchSlot>,
    /// Time of the first touch-down.
    began: Option<Duration>,
    finished: Vec<Touch>,
}

/// One finger.
#[derive(Debug, Default)]
struct TouchSlot {
    down: bool,
    lifts: bool,
    x: i64,
    y: i64,
    path: Vec<(Point, Duration)>,
}

impl TouchPanel {
    /// Handles one event of type, code and value. A report (`EV_SYN`) applies those before it. It returns the
    /// fingers' paths once all have left; their times count from the first touch-down. Events of unknown types are
    /// ignored. A slot outside of 0 to 9 is the nearest.
    pub(crate) fn event(
        &mut self,
        (kind, code, value): (i64, i64, i64),
        at: Duration,
        natural: Display,
        display: Display,
    ) -> Option<Vec<Touch>> {
        match (kind, code) {
            (EV_ABS, ABS_MT_SLOT) => self.slot = value.clamp(0, SLOTS - 1),
            (EV_ABS, ABS_MT_TRACKING_ID) => {
                let slot = self.slots.entry(self.slot).or_default();
                // Some `sendevent` take no negative numbers: with them, this is the -1 that lifts a finger.
                if value < 0 || value == i64::from(u32::MAX) {
                    slot.lifts = slot.down;
                } else {
                    slot.down = true;
                    slot.path.clear();
                }
            }
            (EV_ABS, ABS_MT_POSITION_X) => self.slots.entry(self.slot).or_default().x = value,
            (EV_ABS, ABS_MT_POSITION_Y) => self.slots.entry(self.slot).or_default().y = value,
            (EV_SYN, 0) => return self.report(at, natural, display),
            _ => {}
        }
        None
    }

    /// Adds a point to the path of each finger that is down, and lifts those that are to lift. Returns all paths,
    /// in the order in which the fingers left, once none is down; `None` before, or if none was.
    fn report(&mut self, at: Duration, natural: Display, display: Display) -> Option<Vec<Touch>> {
        for slot in self.slots.values_mut().filter(|slot| slot.down) {
            let began = *self.began.get_or_insert(at);
            let point = to_display(slot.x, slot.y, natural, display);
            slot.path.push((point, at.saturating_sub(began)));
            if slot.lifts {
                (slot.down, slot.lifts) = (false, false);
                let path = std::mem::take(&mut slot.path);
                self.finished.push(Touch { path });
            }
        }
        if self.finished.is_empty() || self.slots.values().any(|slot| slot.down) {
            return None;
        }
        self.began = None;
        Some(std::mem::take(&mut self.finished))
    }
}

/// Converts a place on the panel, whose size is `natural`, to a pixel of the rotated display. A place outside the
/// panel becomes a point outside the display.
fn to_display(x: i64, y: i64, natural: Display, display: Display) -> Point {
    let turned = !display.rotation.is_multiple_of(2);
    let (wide, high) = if turned {
        (display.height, display.width)
    } else {
        (display.width, display.height)
    };
    let scale = |value: i64, from: u32, to: u32| {
        // The panel's numbers have 32 bits, as the kernel's.
        let value = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        let scaled = value * (i64::from(to) - 1) / (i64::from(from) - 1).max(1);
        // Half the range, so that the rotation below cannot overflow.
        scaled.clamp(i64::from(i32::MIN / 2), i64::from(i32::MAX / 2)) as i32
    };
    let (x, y) = (
        scale(x, natural.width, wide),
        scale(y, natural.height, high),
    );
    let (right, bottom) = (wide as i32 - 1, high as i32 - 1);
    let (x, y) = match display.rotation {
        1 => (y, right - x),
        2 => (right - x, bottom - y),
        3 => (bottom - y, x),
        _ => (x, y),
    };
    Point { x, y }
}

/// Returns the ratio of the last to the first distance of the first two fingers, so above 1 if they spread.
/// Returns `None` with fewer fingers, and if the two begin at the same point.
pub(crate) fn scale(fingers: &[Touch]) -> Option<f64> {
    let [one, other, ..] = fingers else {
        return None;
    };
    let apart = |a: Option<&(Point, Duration)>, b: Option<&(Point, Duration)>| {
        let (a, b) = (a?.0, b?.0);
        let (x, y) = (
            f64::from(a.x) - f64::from(b.x),
            f64::from(a.y) - f64::from(b.y),
        );
        Some(x.hypot(y))
    };
    let before = apart(one.path.first(), other.path.first())?;
    let after = apart(one.path.last(), other.path.last())?;
    (before > 0.0).then(|| after / before)
}

/// Describes gestures for the log: the number of fingers, the start, end and time of each, and the scale of
/// two.
pub fn describe(fingers: &[Touch]) -> String {
    let mut text = match fingers.len() {
        1 => "1 finger".to_owned(),
        count => format!("{count} fingers"),
    };
    for finger in fingers {
        if let (Some((from, _)), Some((to, at))) = (finger.path.first(), finger.path.last()) {
            let _ = write!(
                text,
                ", ({}, {}) to ({}, {}) until {} ms",
                from.x,
                from.y,
                to.x,
                to.y,
                at.as_millis()
            );
        }
    }
    if let Some(scale) = scale(fingers) {
        let _ = write!(text, ", scale {scale:.2}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(width: u32, height: u32, rotation: u8) -> Display {
        Display {
            width,
            height,
            density: 420,
            rotation,
        }
    }

    #[test]
    fn two_fingers_are_one_gesture() {
        let mut panel = TouchPanel::default();
        let natural = display(1080, 2400, 0);
        let mut send = |events: &[(i64, i64, i64)], at| {
            events.iter().fold(None, |before, event| {
                before.or(panel.event(*event, Duration::from_millis(at), natural, natural))
            })
        };
        let down = [
            (3, 47, 0),
            (3, 57, 1),
            (3, 53, 100),
            (3, 54, 5),
            (3, 47, 1),
            (3, 57, 2),
            (3, 53, 200),
            (3, 54, 5),
            (0, 0, 0),
        ];
        assert_eq!(send(&down, 7), None);
        assert_eq!(send(&[(3, 53, 300), (0, 0, 0)], 17), None);
        assert_eq!(send(&[(3, 57, -1), (0, 0, 0)], 17), None);
        let fingers = send(&[(3, 47, 0), (3, 57, 4_294_967_295), (0, 0, 0)], 20).unwrap();
        assert_eq!(fingers.len(), 2);
        assert_eq!(scale(&fingers), Some(2.0));
        let (end, at) = fingers[0].path[fingers[0].path.len() - 1];
        assert_eq!((end.x, at), (300, Duration::from_millis(10)));
    }

    #[test]
    fn the_panel_does_not_turn_with_the_display() {
        let natural = display(1080, 2400, 0);
        let at = |x, y, display| {
            let point = to_display(x, y, natural, display);
            (point.x, point.y)
        };
        assert_eq!(at(10, 20, natural), (10, 20));
        let (x, y) = at(i64::MIN, i64::MAX, display(1080, 2400, 2));
        assert!(x > 1080 && y < 0, "{x} {y}");
        assert_eq!(at(1079, 0, display(2400, 1080, 1)), (0, 0));
        assert_eq!(at(1079, 2399, display(1080, 2400, 2)), (0, 0));
        assert_eq!(at(0, 2399, display(2400, 1080, 3)), (0, 0));
    }
}
