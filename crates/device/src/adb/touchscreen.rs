//! Moves several fingers at once by events written to the device's touchscreen, if its shell may do that.
//!
//! `input` moves one finger. A touchscreen is a file below `/dev/input` that takes the kernel's multi-touch
//! events (its protocol B: a slot a finger) through `sendevent`. Phones differ in whether the shell may write
//! to it, so a session tries once, with an event that means nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::{Device, DeviceError, FingerPath, Script};
use super::sleep::sleep;
use runner_screen::{Display, Point};

/// Limit for each of the two questions about the touchscreen. Chosen: both are short commands.
const LIMIT: Duration = Duration::from_secs(10);
/// Limit of the reason in an error, in characters. Chosen: a line of the shell's fits.
const MAX_REASON_CHARS: usize = 300;
/// Time between two positions of a finger: one frame of a display with 60 Hz.
const FRAME: Duration = Duration::from_millis(16);
/// Limit of the equal steps into which [`times`] divides a whole gesture, besides the points of its paths. Chosen:
/// each runs several processes on the device, which take longer than a frame.
const MAX_FRAMES: u32 = 20;

// The kernel's event types and codes, `linux/input-event-codes.h`.
const EV_SYN: u16 = 0;
const EV_KEY: u16 = 1;
const EV_ABS: u16 = 3;
const SYN_REPORT: u16 = 0;
const BTN_TOUCH: u16 = 0x14a;
const ABS_MT_SLOT: u16 = 0x2f;
const ABS_MT_TOUCH_MAJOR: u16 = 0x30;
const ABS_MT_POSITION_X: u16 = 0x35;
const ABS_MT_POSITION_Y: u16 = 0x36;
const ABS_MT_TRACKING_ID: u16 = 0x39;
const ABS_MT_PRESSURE: u16 = 0x3a;

/// Arguments that lift the finger of the slot. Older releases read no negative numbers; newer ones read no
/// larger ones.
const UP: &str = "e 3 57 -1 2>/dev/null || e 3 57 4294967295";

/// Lowest and highest value of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Range {
    min: i64,
    max: i64,
}

impl Range {
    /// Converts a pixel, of `pixels` in this direction, to a value of the axis. A pixel outside counts as the
    /// nearest one inside.
    fn at(self, pixel: i32, pixels: u32) -> i64 {
        let last = i64::from(pixels.max(2)) - 1;
        let pixel = i64::from(pixel).clamp(0, last);
        self.min + (self.max - self.min) * pixel / last
    }

    fn middle(self) -> i64 {
        i64::midpoint(self.min, self.max)
    }
}

/// Touchscreen that the device's shell may write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touchscreen {
    /// Device file, such as `/dev/input/event2`.
    node: String,
    x: Range,
    y: Range,
    slots: i64,
    touch_major: Option<Range>,
    pressure: Option<Range>,
    has_button: bool,
}

/// Builds the [`DeviceError::Unsupported`] of a device without a usable touchscreen. `why` is a clause that
/// follows "and".
pub(super) fn missing(why: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: "move fingers along such a path".to_owned(),
        missing: format!(
            "its `input` moves one finger (before Android 10 only straight on), and {why}; the driver `uia2` can (`runner driver install uia2`), and so can an emulator"
        ),
    }
}

/// Finds the first touchscreen that `getevent` lists, and tries whether it takes events, by an empty one that
/// changes nothing.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if `getevent` lists none, or the shell may not write to it.
pub(super) async fn find(device: &dyn Device) -> Result<Touchscreen, DeviceError> {
    let list = Script::raw("getevent -pl 2>&1", "getevent");
    let output = device.shell(&list, LIMIT).await?;
    let text = output.text();
    let Some(touchscreen) = read(&text) else {
        let first = text.lines().next().unwrap_or("nothing");
        return Err(missing(&format!(
            "`getevent` tells of no touchscreen (it says: {})",
            first.trim()
        )));
    };
    // An empty report changes nothing.
    let probe = format!(
        "sendevent {} {EV_SYN} {SYN_REPORT} 0 2>&1",
        touchscreen.node
    );
    let probe = Script::raw(probe, "sendevent");
    let output = device.shell(&probe, LIMIT).await?;
    if output.succeeded() && output.text().trim().is_empty() {
        return Ok(touchscreen);
    }
    let reason = output.message().lines(1, |_| true);
    let reason = if reason.is_blank() {
        "no reason is told".to_owned()
    } else {
        reason.excerpt(MAX_REASON_CHARS).to_string()
    };
    Err(missing(&format!(
        "its shell may not write to the touchscreen {} ({reason})",
        touchscreen.node
    )))
}

/// Parses `getevent -pl` and returns the first direct multi-touch device; `None` without one.
fn read(text: &str) -> Option<Touchscreen> {
    text.split("add device ").skip(1).find_map(read_device)
}

/// Parses one device of `getevent -p`. `None` unless it has slots, tracking ids and both axes of several fingers;
/// also for a touch pad, and for a node with an unusual path.
fn read_device(text: &str) -> Option<Touchscreen> {
    let node = text.lines().next()?.split_once(": ")?.1.trim();
    // The node goes into scripts unquoted, and the device chooses it, so other characters are refused.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'_';
    if !node.starts_with("/dev/input/") || !node.bytes().all(plain) {
        return None;
    }
    let axis = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().any(|word| word == name))?;
        let number = |key: &str| -> Option<i64> {
            let rest = line.split_once(key)?.1.trim_start();
            let end = rest.find([',', ' ']).unwrap_or(rest.len());
            // The kernel's values have 32 bits; within them no position on the axis overflows.
            rest.get(..end)?.parse::<i32>().ok().map(i64::from)
        };
        Some(Range {
            min: number(" min ")?,
            max: number(" max ")?,
        })
    };
    axis("ABS_MT_TRACKING_ID")?;
    // A touch pad reports positions on itself, not on the display.
    if text.contains("INPUT_PROP_POINTER") {
        return None;
    }
    Some(Touchscreen {
        node: node.to_owned(),
        x: axis("ABS_MT_POSITION_X").filter(|range| range.max > range.min)?,
        y: axis("ABS_MT_POSITION_Y").filter(|range| range.max > range.min)?,
        slots: axis("ABS_MT_SLOT")?.max + 1,
        touch_major: axis("ABS_MT_TOUCH_MAJOR"),
        pressure: axis("ABS_MT_PRESSURE"),
        has_button: text.contains("BTN_TOUCH"),
    })
}

/// Change of one finger at one time.
enum Change {
    Down(Point),
    Move(Point),
    Up,
}

/// Formats one event as a call of the function that [`Touchscreen::command`] defines.
fn event(kind: u16, code: u16, value: i64) -> String {
    format!("s {kind} {code} {value}")
}

impl Touchscreen {
    /// Builds the command that moves these fingers. If an event is refused, or the connection ends (the device
    /// then sends SIGHUP), it lifts all fingers and exits the whole script with an error: a finger that stays
    /// down would disturb all later input.
    pub(super) fn command(&self, paths: &[FingerPath], display: Display) -> String {
        format!(
            "{{ e() {{ sendevent {} \"$@\"; }}; u() {{ {}; exit $1; }}; s() {{ e \"$@\" || u $?; }}; trap 'u 129' HUP TERM; {}; trap - HUP TERM; }}",
            self.node,
            self.lifting(paths.len()),
            self.events(paths, display).join("; ")
        )
    }

    /// Builds commands that lift the first `fingers` fingers, down or not, and release the touch button.
    /// Errors are ignored.
    fn lifting(&self, fingers: usize) -> String {
        let mut commands: Vec<String> = (0..fingers)
            .flat_map(|slot| [format!("e {EV_ABS} {ABS_MT_SLOT} {slot}"), UP.to_owned()])
            .collect();
        if self.has_button {
            commands.push(format!("e {EV_KEY} {BTN_TOUCH} 0"));
        }
        commands.push(format!("e {EV_SYN} {SYN_REPORT} 0"));
        format!("{{ {}; }} 2>/dev/null", commands.join("; "))
    }

    /// Builds the commands that move fingers along their paths at the same time, with pauses for the times between.
    /// Each finger goes down at its first time and up at its last. The positions of one time are one report, and
    /// liftings another one behind it.
    fn events(&self, paths: &[FingerPath], display: Display) -> Vec<String> {
        let mut commands = Vec::new();
        let mut before = Duration::ZERO;
        let mut down: BTreeSet<usize> = BTreeSet::new();
        for time in times(paths) {
            if time > before {
                commands.push(sleep(time.saturating_sub(before)));
                before = time;
            }
            for (slot, path) in paths.iter().enumerate() {
                let change = match (path.at(time), down.contains(&slot)) {
                    (Some(point), false) => Change::Down(point),
                    (Some(point), true) => Change::Move(point),
                    (None, _) => continue,
                };
                self.change(slot, change, display, down.is_empty(), &mut commands);
                down.insert(slot);
            }
            commands.push(event(EV_SYN, SYN_REPORT, 0));
            // Lifting needs a report of its own: a position in the same report would be lost.
            let ending = |slot: &usize| paths.get(*slot).is_some_and(|path| path.end() <= time);
            let leaving: Vec<usize> = down.iter().copied().filter(ending).collect();
            for slot in &leaving {
                down.remove(slot);
                self.change(*slot, Change::Up, display, down.is_empty(), &mut commands);
            }
            if !leaving.is_empty() {
                commands.push(event(EV_SYN, SYN_REPORT, 0));
            }
        }
        commands
    }

    /// Appends the events of one finger's change to `commands`, without the report that makes them count. A finger
    /// that goes down gets a tracking id and, if the touchscreen has them, a size and the middle pressure. `alone`:
    /// no other finger is down, so the touch button changes too.
    fn change(
        &self,
        slot: usize,
        change: Change,
        display: Display,
        alone: bool,
        commands: &mut Vec<String>,
    ) {
        let mut add = |kind, code, value| commands.push(event(kind, code, value));
        add(EV_ABS, ABS_MT_SLOT, slot as i64);
        let point = match change {
            Change::Up => {
                // Not by `s`: one of the two ways to lift may fail, and only if both do is it a refusal.
                commands.push(format!("{{ {UP}; }} || u $?"));
                // BTN_TOUCH stands for all fingers, so the last one that leaves releases it.
                if alone && self.has_button {
                    commands.push(event(EV_KEY, BTN_TOUCH, 0));
                }
                return;
            }
            Change::Down(point) => {
                add(EV_ABS, ABS_MT_TRACKING_ID, slot as i64 + 1);
                if alone && self.has_button {
                    add(EV_KEY, BTN_TOUCH, 1);
                }
                if let Some(range) = self.touch_major {
                    add(
                        EV_ABS,
                        ABS_MT_TOUCH_MAJOR,
                        range.min + (range.max - range.min) / 16,
                    );
                }
                if let Some(range) = self.pressure {
                    add(EV_ABS, ABS_MT_PRESSURE, range.middle());
                }
                point
            }
            Change::Move(point) => point,
        };
        let (x, y) = self.raw(point, display);
        add(EV_ABS, ABS_MT_POSITION_X, x);
        add(EV_ABS, ABS_MT_POSITION_Y, y);
    }

    /// Converts a pixel of the display to values of the touchscreen, which does not turn with the display, in the
    /// touchscreen's own range. A point outside of the display counts as the nearest one inside.
    fn raw(&self, point: Point, display: Display) -> (i64, i64) {
        let (right, bottom) = (display.width as i32 - 1, display.height as i32 - 1);
        let turned = !display.rotation.is_multiple_of(2);
        let (wide, high) = if turned {
            (display.height, display.width)
        } else {
            (display.width, display.height)
        };
        let (x, y) = match display.rotation {
            1 => (bottom - point.y, point.x),
            2 => (right - point.x, bottom - point.y),
            3 => (point.y, right - point.x),
            _ => (point.x, point.y),
        };
        (self.x.at(x, wide), self.y.at(y, high))
    }

    /// Number of fingers that it distinguishes.
    pub(super) fn fingers(&self) -> usize {
        usize::try_from(self.slots).unwrap_or(0)
    }
}

/// Returns the times at which events are sent: those of all points of all paths, and equal steps of about 16 ms
/// between the first and the last of them. There are at most [`MAX_FRAMES`] steps, so a long gesture has longer
/// ones. Empty for paths without points.
fn times(paths: &[FingerPath]) -> BTreeSet<Duration> {
    let mut times: BTreeSet<Duration> = paths
        .iter()
        .flat_map(|path| path.points.iter().map(|(_, at)| *at))
        .collect();
    let (Some(first), Some(last)) = (times.first().copied(), times.last().copied()) else {
        return times;
    };
    let whole = last.saturating_sub(first);
    let frames = (whole.as_millis() / FRAME.as_millis()).clamp(1, u128::from(MAX_FRAMES)) as u32;
    times.extend((1..frames).map(|frame| first + whole * frame / frames));
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHONE: &str = r#"add device 1: /dev/input/event0
  name:     "gpio-keys"
  events:
    KEY (0001): KEY_VOLUMEUP
  input props:
    <none>
add device 2: /dev/input/event2
  name:     "fts"
  events:
    KEY (0001): BTN_TOUCH
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_TOUCH_MAJOR    : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 4095, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 8191, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
"#;

    fn display(width: u32, height: u32, rotation: u8) -> Display {
        Display {
            width,
            height,
            density: 420,
            rotation,
        }
    }

    #[test]
    fn a_phones_touchscreen_is_found() {
        let screen = read(PHONE).unwrap();
        assert_eq!(screen.node, "/dev/input/event2");
        assert_eq!(screen.x, Range { min: 0, max: 4095 });
        assert_eq!((screen.fingers(), screen.has_button), (10, true));
        assert_eq!(screen.pressure, None);
        for none in [
            "",
            "could not open /dev/input: Permission denied",
            &PHONE.replace("ABS_MT_TRACKING_ID", "ABS_MISC"),
            &PHONE.replace("INPUT_PROP_DIRECT", "INPUT_PROP_POINTER"),
            &PHONE.replace("/dev/input/event2", "/dev/input/event2;reboot"),
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn pixels_become_the_touchscreens_counts_however_the_display_is_turned() {
        let screen = read(PHONE).unwrap();
        let at = |x, y, display| screen.raw(Point { x, y }, display);
        assert_eq!(at(0, 0, display(1080, 2400, 0)), (0, 0));
        assert_eq!(at(1079, 2399, display(1080, 2400, 0)), (4095, 8191));
        assert_eq!(at(0, 0, display(1080, 2400, 2)), (4095, 8191));
        assert_eq!(at(0, 0, display(2400, 1080, 1)), (4095, 0));
        assert_eq!(at(0, 0, display(2400, 1080, 3)), (0, 8191));
        assert_eq!(at(-5, 9999, display(1080, 2400, 0)), (0, 8191));
    }

    #[test]
    fn two_fingers_come_down_move_and_leave() {
        let screen = read(PHONE).unwrap();
        let millis = Duration::from_millis;
        let path = |from, to| FingerPath {
            points: vec![
                (Point { x: from, y: 0 }, millis(0)),
                (Point { x: to, y: 0 }, millis(20)),
            ],
        };
        let text = screen.command(&[path(0, 10), path(1079, 1069)], display(1080, 2400, 0));
        assert!(
            text.contains("trap 'u 129' HUP TERM; s 3 47 0; s 3 57 1; s 1 330 1; s 3 48 15; s 3 53 0; s 3 54 0; s 3 47 1; s 3 57 2; s 3 48 15; s 3 53 4095; s 3 54 0; s 0 0 0; sleep 0.020; s 3 47 0; s 3 53 37;"),
            "{text}"
        );
        assert_eq!(text.matches("{ e 3 57 -1").count(), 2);
        assert!(
            text.ends_with("s 1 330 0; s 0 0 0; trap - HUP TERM; }"),
            "{text}"
        );
    }

    /// Runs the gesture in this computer's shell with the given `sendevent`; a signal may end it.
    #[cfg(unix)]
    fn sent(sendevent: &str, signal: bool) -> String {
        let screen = read(PHONE).unwrap();
        let path = |x| FingerPath {
            points: vec![
                (Point { x, y: 0 }, Duration::ZERO),
                (Point { x, y: 9 }, Duration::from_secs(1)),
            ],
        };
        let command = screen.command(&[path(1), path(2)], display(1080, 2400, 0));
        let script = format!("sendevent() {{ {sendevent}; }}; {command}");
        let mut shell = std::process::Command::new("sh")
            .args(["-c", &script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = shell.stdout.take().unwrap();
        let mut begun = [0];
        std::io::Read::read_exact(&mut output, &mut begun).unwrap();
        if signal {
            let hang_up = format!("kill -HUP {}", shell.id());
            let done = std::process::Command::new("sh")
                .args(["-c", &hang_up])
                .status();
            assert!(done.unwrap().success());
        }
        let mut text = String::from_utf8(begun.to_vec()).unwrap();
        std::io::Read::read_to_string(&mut output, &mut text).unwrap();
        assert!(!shell.wait().unwrap().success());
        text
    }

    #[test]
    #[cfg(unix)]
    fn a13_no_finger_stays_down_when_a_gesture_is_cut_off() {
        let lifted = "3 47 0\n3 57 -1\n3 47 1\n3 57 -1\n1 330 0\n0 0 0\n";
        let notify = "shift; echo \"$@\"";
        let dropped = sent(notify, true);
        assert!(dropped.ends_with(lifted), "{dropped}");
        // The device refuses the fingers' last position.
        let refused = sent(&format!("{notify}; [ \"$*\" != '3 54 30' ]"), false);
        assert!(refused.ends_with(lifted), "{refused}");
    }
}
