//! Inputs as commands of Android's `input`, joined into as few scripts as possible.

use std::time::Duration;

use super::super::input::{KEYS_PER_COMMAND, PROCESS_TIME, TEXT_PIECE_BYTES};
use super::super::message::makers_switch;
use super::super::{DeviceError, FingerPath, Gesture, Input, Script, ShellOutput, fling, quote};
use super::sleep::sleep;
use super::touchscreen::{self, Touchscreen};
use runner_screen::Point;

/// First API level whose `input` has `motionevent` (Android 10).
const MOTIONEVENT_SDK: u32 = 29;
/// First API level whose `input` has `keycombination` (Android 12).
const KEYCOMBINATION_SDK: u32 = 31;
/// Moves between the ends of a drag. Chosen: each starts a process on the device, and apps need a few moves
/// to see a drag.
const DRAG_STEPS: u32 = 4;
/// Rest at the end of a drag, so that the release does not fling. Chosen: Android measures a finger's speed
/// over the last 100 ms.
const DRAG_REST: Duration = Duration::from_millis(300);
/// Limit of a script of joined commands, in bytes. Chosen: half of what every connection carries, so that a
/// lost device is noticed in the middle of a long text.
const MAX_SCRIPT_BYTES: usize = 30_000;
/// Limit of the message in an error, in characters. Chosen: events hold no more.
const MAX_MESSAGE_CHARS: usize = 2000;

/// Script of consecutive inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) script: Script,
    /// Time that the inputs need, beyond the start of the first process, which every limit includes.
    pub(super) needs: Duration,
}

/// Commands of the batch in progress.
#[derive(Default)]
struct Commands {
    text: String,
    needs: Duration,
    /// Set if a command types text.
    has_text: bool,
}

/// Collector that splits commands into batches.
#[derive(Default)]
struct Batches {
    closed: Vec<Batch>,
    open: Commands,
}

impl Batches {
    /// Adds a command that types a piece of text in the time `needs`, which makes its script private.
    fn add_text(&mut self, command: &str, needs: Duration) {
        self.add(command, needs);
        self.open.has_text = true;
    }

    /// Appends a command that runs, in the time `needs`, only if those before it succeeded. A script that would
    /// grow too long is closed first. One command alone may be longer.
    fn add(&mut self, command: &str, needs: Duration) {
        const AND: &str = " && ";
        if !self.open.text.is_empty() {
            if self.open.text.len() + AND.len() + command.len() > MAX_SCRIPT_BYTES {
                self.close();
            } else {
                self.open.text.push_str(AND);
            }
        }
        self.open.text.push_str(command);
        self.open.needs += needs;
    }

    /// Closes the open script, private if it types text; its `needs` lose the time of one process, which every
    /// limit includes. Without commands it does nothing.
    fn close(&mut self) {
        let Commands {
            text,
            needs,
            has_text,
        } = std::mem::take(&mut self.open);
        if !text.is_empty() {
            let script = Script::raw(text, "input");
            let script = if has_text { script.private() } else { script };
            // The limit of the round trip already allows for one process.
            let needs = needs.saturating_sub(PROCESS_TIME);
            self.closed.push(Batch { script, needs });
        }
    }
}

/// Converts inputs into scripts in their order: one, unless they are too long for it, and none for no inputs. Up to
/// 100 short key presses in a row become one command.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the device cannot do one of the inputs; none is sent then.
pub(super) fn scripts(
    inputs: &[Input],
    sdk: u32,
    touchscreen: Option<&Touchscreen>,
) -> Result<Vec<Batch>, DeviceError> {
    let mut batches = Batches::default();
    // Only adjacent keys are joined, so that the order of all inputs stays.
    for run in inputs.chunk_by(|a, b| short_key(a).is_some() && short_key(b).is_some()) {
        // One process presses many keys; each process costs a phone tens of milliseconds.
        for keys in run.chunks(KEYS_PER_COMMAND) {
            let names: Vec<&str> = keys.iter().filter_map(short_key).collect();
            if !names.is_empty() {
                let needs = keys.iter().map(Input::needs).sum();
                batches.add(&format!("input keyevent {}", names.join(" ")), needs);
            }
        }
        for input in run.iter().filter(|input| short_key(input).is_none()) {
            if let Input::Text(text) = input {
                let pieces = text_pieces(text);
                let needs = input.needs() / pieces.len().max(1) as u32;
                for piece in pieces {
                    batches.add_text(&format!("input text {}", quote(&piece)), needs);
                }
                continue;
            }
            let mut commands = Vec::new();
            add(input, sdk, touchscreen, &mut commands)?;
            batches.add(&commands.join(" && "), input.needs());
        }
    }
    batches.close();
    Ok(batches.closed)
}

/// Returns the name of a key that is pressed and not held; `None` for all other inputs.
fn short_key(input: &Input) -> Option<&str> {
    match input {
        Input::Key { key, long: false } => Some(key.name()),
        _ => None,
    }
}

/// Returns true if `input` cannot do it, so that events must be written to the touchscreen: several fingers, or any
/// path before Android 10 or on an unknown release (0).
pub(super) fn needs_touchscreen(input: &Input, sdk: u32) -> bool {
    matches!(input, Input::Fingers { paths, .. } if paths.len() > 1 || sdk < MOTIONEVENT_SDK)
}

/// Appends the shell commands of one input; texts add nothing here. An unknown release (SDK 0) is taken to know key
/// combinations, and to move no finger along a path.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for keys pressed together before Android 12, and for fingers that need a
/// touchscreen if none is given.
fn add(
    input: &Input,
    sdk: u32,
    touchscreen: Option<&Touchscreen>,
    commands: &mut Vec<String>,
) -> Result<(), DeviceError> {
    match input {
        Input::Fingers { paths, display } => match (paths.as_slice(), touchscreen) {
            // Preferred for one finger: unlike `sendevent`, `motionevent` needs no access to `/dev/input`.
            ([path], _) if sdk >= MOTIONEVENT_SDK => commands.push(follow_path(path)),
            (paths, Some(touchscreen)) => {
                commands.push(touchscreen.command(paths, *display));
            }
            (_, None) => return Err(touchscreen::missing("no touchscreen was looked for")),
        },
        Input::Pause(time) => commands.push(sleep(*time)),
        Input::Tap(point) => commands.push(tap(*point)),
        Input::DoubleTap(point) => commands.push(double_tap(*point)),
        Input::LongPress(point, duration) => commands.push(swipe(*point, *point, *duration)),
        Input::Swipe(gesture) => {
            commands.push(swipe(gesture.from, gesture.to, gesture.duration));
        }
        Input::Drag(gesture) => commands.push(match fling::drag_as_swipe(gesture, sdk) {
            Some(Gesture { from, to, duration }) => swipe(from, to, duration),
            None => drag(gesture),
        }),
        Input::Key { key, long } => {
            let long = if *long { "--longpress " } else { "" };
            commands.push(format!("input keyevent {long}{}", key.name()));
        }
        // Also tried if the API level is unknown.
        Input::Combination(keys) if sdk >= KEYCOMBINATION_SDK || sdk == 0 => {
            let names: Vec<&str> = keys.iter().map(super::super::Key::name).collect();
            commands.push(format!("input keycombination {}", names.join(" ")));
        }
        Input::Combination(_) => {
            return Err(DeviceError::Unsupported {
                what: "press keys together".to_owned(),
                missing: format!(
                    "its `input` has no `keycombination` (it came with SDK {KEYCOMBINATION_SDK}, this is {sdk})"
                ),
            });
        }
        // Text was converted before.
        Input::Text(_) => {}
    }
    Ok(())
}

fn tap(point: Point) -> String {
    format!("input tap {} {}", point.x, point.y)
}

/// Builds two taps. `input` needs 0.2 to over 1 s to start, and Android takes two taps within 0.3 s for a
/// double tap, so the second process starts while the first one does. The taps keep the distance of their
/// starts.
fn double_tap(point: Point) -> String {
    let tap = tap(point);
    format!("{{ {tap} & sleep 0.1; {tap} && wait $!; }}")
}

/// Builds a swipe; from a point to itself it is a long press. The duration is in whole milliseconds.
fn swipe(from: Point, to: Point, duration: Duration) -> String {
    format!(
        "input swipe {} {} {} {} {}",
        from.x,
        from.y,
        to.x,
        to.y,
        duration.as_millis()
    )
}

/// Builds the command that moves one finger along its path: down at the first point, up at the last, with
/// sleeps between. The finger is lifted too if a command is refused or the connection ends. The exit code is
/// that of the refused command.
fn follow_path(path: &FingerPath) -> String {
    let mut commands = Vec::new();
    let mut before = Duration::ZERO;
    let last = path.points.len().saturating_sub(1);
    for (index, (point, at)) in path.points.iter().enumerate() {
        if *at > before {
            commands.push(sleep(at.saturating_sub(before)));
            before = *at;
        }
        let action = match index {
            0 => "DOWN",
            _ => "MOVE",
        };
        commands.push(format!(
            "input motionevent {action} {} {}",
            point.x, point.y
        ));
        if index == last {
            commands.push(format!("input motionevent UP {} {}", point.x, point.y));
        }
    }
    let origin = Point { x: 0, y: 0 };
    let end = path.points.last().map_or(origin, |(point, _)| *point);
    let lift = lift_at(end);
    // The finger is lifted if a command is refused, and if the connection ends, when the device sends SIGHUP. The exit code
    // is stored before, as lifting would hide that a command was refused.
    format!(
        "{{ trap '{lift}; exit 129' HUP TERM; {} || {{ code=$?; {lift}; (exit $code); }}; code=$?; trap - HUP TERM; (exit $code); }}",
        commands.join(" && ")
    )
}

/// Builds the commands that lift a finger whatever its state. They print nothing, so that an earlier error
/// message remains.
fn lift_at(point: Point) -> String {
    let Point { x, y } = point;
    format!(
        "{{ input motionevent CANCEL {x} {y} || input motionevent UP {x} {y}; }} >/dev/null 2>&1"
    )
}

/// Builds a drag: the finger goes down, moves in [`DRAG_STEPS`] equal steps over the duration, rests for
/// [`DRAG_REST`] and leaves.
fn drag(gesture: &Gesture) -> String {
    let (from, to) = (gesture.from, gesture.to);
    let between = |a: i32, b: i32, step: u32| {
        let way = (i64::from(b) - i64::from(a)) * i64::from(step) / i64::from(DRAG_STEPS);
        (i64::from(a) + way) as i32
    };
    let pause = gesture.duration / DRAG_STEPS;
    let steps = (0..=DRAG_STEPS).map(|step| {
        let point = Point {
            x: between(from.x, to.x, step),
            y: between(from.y, to.y, step),
        };
        (point, pause * step)
    });
    let rest = (to, gesture.duration + DRAG_REST);
    follow_path(&FingerPath {
        points: steps.chain([rest]).collect(),
    })
}

/// Splits a text into arguments of `input text`, unquoted and each of about [`TEXT_PIECE_BYTES`] at most. Spaces
/// become `%s`. As `input` reads `%s` as a space, a literal `%s` is cut in two. An empty text has none.
fn text_pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut previous = None;
    for character in text.chars() {
        let cut = (previous == Some('%') && character == 's')
            || pieces
                .last()
                .is_some_and(|piece| piece.len() >= TEXT_PIECE_BYTES);
        if cut {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            match character {
                ' ' => piece.push_str("%s"),
                other => piece.push(other),
            }
        }
        previous = Some(character);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Words in a line that show a failure of `input`, whatever its exit code.
const FAILURE_SIGNS: [&str; 10] = [
    "Error:",
    "Exception",
    "Unknown command",
    "Usage: input",
    "usage: input",
    // Since Android 11 `input` is a script around `cmd`, which prints its own errors.
    "Can't find service",
    "Failure calling service",
    // Messages of the shell.
    "input: not found",
    "input: inaccessible or not found",
    "input: Permission denied",
];
/// Messages of the shell about a process that a signal ended; they begin a line.
const SIGNAL_MESSAGES: [&str; 3] = ["Killed", "Aborted", "Segmentation fault"];

/// Returns true if a line shows a failure: it has one of [`FAILURE_SIGNS`] in it, or begins with a message about a
/// signal. A line that begins with `WARNING:` never counts, as the linker's warnings may contain any name.
fn is_failure_line(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with("WARNING:")
        && (FAILURE_SIGNS.iter().any(|sign| line.contains(sign))
            || SIGNAL_MESSAGES.iter().any(|death| line.starts_with(death)))
}

/// Detects failures of `input`, also those that its exit code does not show. A missing exit code is no failure.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the input was asked wrongly, such as for an unknown key, and
/// [`DeviceError::InputRefused`] otherwise. Both hold at most six lines of the message, marked to be cut after 2000
/// characters; if the phone's maker forbids input, the advice for that in their place.
pub(super) fn check(script: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    let message = output.message();
    if let Some(advice) = makers_switch(&message) {
        return Err(DeviceError::InputRefused {
            exit_code: output.exit_code,
            output: advice.to_owned(),
        });
    }
    let complains = message.has_line(is_failure_line);
    if !complains && output.exit_code.is_none_or(|code| code == 0) {
        return Ok(());
    }
    // An unknown key is the flow's fault, not the device's.
    let is_asked_wrongly = ["Unknown keycode", "Error: Invalid", "sage: input"]
        .iter()
        .any(|sign| message.contains(sign));
    let exit_code = output.exit_code;
    let output = message.lines(6, |_| true);
    let output = output.excerpt(MAX_MESSAGE_CHARS).to_string();
    if is_asked_wrongly {
        return Err(DeviceError::Command {
            command: script.label().to_owned(),
            exit_code,
            output,
        });
    }
    Err(DeviceError::InputRefused { exit_code, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(inputs: &[Input], sdk: u32) -> String {
        let batches = scripts(inputs, sdk, None).unwrap();
        assert_eq!(batches.len(), 1);
        batches[0].script.text().to_owned()
    }

    // A text of any length can be typed, in parts.
    #[test]
    fn a_long_text_is_several_scripts() {
        let text = "it's 100%sure ".repeat(20_000);
        let batches = scripts(&[Input::Text(text.clone())], 33, None).unwrap();
        assert!(batches.len() > 5, "{}", batches.len());
        assert!(
            batches.iter().all(
                |batch| batch.script.text().len() <= MAX_SCRIPT_BYTES && !batch.needs.is_zero()
            )
        );
        let typed: String = batches
            .iter()
            .flat_map(|batch| batch.script.text().split(" && "))
            .filter_map(|command| command.strip_prefix("input text "))
            .map(|word| {
                let word = word.strip_prefix('\'').unwrap_or(word);
                let word = word.strip_suffix('\'').unwrap_or(word);
                word.replace(r"'\''", "'").replace("%s", " ")
            })
            .collect();
        assert_eq!(typed, text);
        assert_eq!(scripts(&[], 33, None).unwrap(), []);
    }

    #[test]
    fn many_inputs_are_one_script() {
        let point = Point { x: 3, y: 4 };
        let text = text_of(
            &[
                Input::Tap(point),
                Input::DoubleTap(point),
                Input::LongPress(point, Duration::from_millis(800)),
                Input::Key {
                    key: "KEYCODE_ENTER".parse().unwrap(),
                    long: true,
                },
            ],
            33,
        );
        assert_eq!(
            text,
            "input tap 3 4 && { input tap 3 4 & sleep 0.1; input tap 3 4 && wait $!; } && input swipe 3 4 3 4 800 && input keyevent --longpress ENTER"
        );
    }

    #[test]
    fn keys_in_a_row_are_one_command() {
        let key = |name: &str| Input::Key {
            key: name.parse().unwrap(),
            long: false,
        };
        let inputs = [
            key("MOVE_END"),
            key("DEL"),
            Input::Text("a".to_owned()),
            key("ENTER"),
        ];
        assert_eq!(
            text_of(&inputs, 33),
            "input keyevent MOVE_END DEL && input text a && input keyevent ENTER"
        );
    }

    #[test]
    fn every_key_of_a_row_is_pressed_once() {
        let key = Input::Key {
            key: "DEL".parse().unwrap(),
            long: false,
        };
        for count in [1, 99, 100, 101, 250] {
            let batches = scripts(&vec![key.clone(); count], 33, None).unwrap();
            let texts = batches.iter().map(|batch| batch.script.text());
            let pressed: usize = texts.map(|text| text.matches("DEL").count()).sum();
            assert_eq!(pressed, count);
        }
    }

    #[test]
    fn a_drag_rests_before_it_leaves() {
        let gesture = Gesture {
            from: Point { x: 0, y: 100 },
            to: Point { x: 0, y: 0 },
            duration: Duration::from_millis(400),
        };
        let text = text_of(&[Input::Drag(gesture)], 33);
        let plain = text.replace(" && ", "; ");
        assert!(
            plain.contains("input motionevent DOWN 0 100; sleep 0.100"),
            "{text}"
        );
        assert!(
            plain.contains(
                "MOVE 0 0; sleep 0.300; input motionevent MOVE 0 0; input motionevent UP 0 0"
            ),
            "{text}"
        );
        assert!(
            text.contains("trap '{ input motionevent CANCEL 0 0"),
            "{text}"
        );
        assert_eq!(
            text_of(&[Input::Drag(gesture)], 26),
            "input swipe 0 100 0 0 1000"
        );
    }

    /// Runs the script in this computer's shell, with an `input` that refuses one action.
    #[cfg(unix)]
    #[test]
    fn a_refused_move_leaves_no_finger_down() {
        let gesture = Gesture {
            from: Point { x: 0, y: 100 },
            to: Point { x: 0, y: 0 },
            duration: Duration::from_millis(1),
        };
        let script = text_of(&[Input::Drag(gesture)], 33);
        for (refused, code, actions) in [
            ("none", 0, "DOWN MOVE MOVE MOVE MOVE MOVE UP"),
            ("MOVE", 7, "DOWN MOVE CANCEL"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let input = format!(
                "input() {{ printf '%s ' \"$2\" >>actions; [ \"$2\" != {refused} ] || return 7; }}; sleep() {{ :; }}; true && {script} && true"
            );
            let mut shell = std::process::Command::new("sh");
            let status = shell.args(["-c", &input]).current_dir(&folder).status();
            assert_eq!(status.unwrap().code(), Some(code), "{script}");
            let done = std::fs::read_to_string(folder.path().join("actions")).unwrap();
            assert_eq!(done.trim(), actions);
        }
    }

    #[test]
    fn keys_together_need_a_new_release() {
        let keys = vec!["CTRL_LEFT".parse().unwrap(), "A".parse().unwrap()];
        let combination = [Input::Combination(keys)];
        assert_eq!(
            text_of(&combination, 33),
            "input keycombination CTRL_LEFT A"
        );
        assert!(matches!(
            scripts(&combination, 28, None),
            Err(DeviceError::Unsupported { .. })
        ));
    }

    #[test]
    fn a_literal_percent_s_is_cut_in_two() {
        for (text, pieces) in [
            ("a b", vec!["a%sb"]),
            ("100%sure", vec!["100%", "sure"]),
            ("%%s%s", vec!["%%", "s%", "s"]),
            ("", vec![]),
        ] {
            assert_eq!(text_pieces(text), pieces, "{text}");
        }
        assert_eq!(
            text_of(&[Input::Text("it's; rm -rf /".to_owned())], 33),
            r"input text 'it'\''s;%srm%s-rf%s/'"
        );
    }

    #[test]
    fn failures_are_seen_without_an_exit_code() {
        let script = Script::raw("input", "input");
        let output = |stderr: &str, code| ShellOutput {
            stderr: stderr.as_bytes().to_vec(),
            exit_code: code,
            ..ShellOutput::default()
        };
        check(&script, &output("", Some(0))).unwrap();
        check(&script, &output("", None)).unwrap();
        for harmless in [
            "WARNING: linker: /vendor/lib64/libx.so: Error: unused DT entry, Permission denied",
            "miui: boost of input skipped",
        ] {
            check(&script, &output(harmless, Some(0))).unwrap();
        }
        // Without `shell_v2` both streams are one.
        let mixed = ShellOutput {
            stdout: b"Killed\n".to_vec(),
            exit_code: Some(0),
            ..ShellOutput::default()
        };
        assert!(check(&script, &mixed).is_err());
        for refused in [
            output(
                "java.lang.NullPointerException: Attempt to get length",
                Some(0),
            ),
            output("", Some(255)),
            output("Killed", Some(137)),
            output("Killed ", Some(0)),
            output("Aborted", Some(0)),
            output("cmd: Can't find service: input", Some(0)),
            output("cmd: Failure calling service input: Broken pipe (32)", None),
            output("/system/bin/sh: input: inaccessible or not found", Some(0)),
            output(
                "Exception occurred while executing 'tap':\njava.lang.SecurityException: no",
                Some(0),
            ),
        ] {
            let error = check(&script, &refused).unwrap_err();
            assert!(matches!(error, DeviceError::InputRefused { .. }));
            assert!(error.is_infrastructure());
        }
        for asked_wrongly in [
            "Error: Unknown command: tapp\nUsage: input",
            "java.lang.IllegalArgumentException: Unknown keycode: ENTR",
        ] {
            let error = check(&script, &output(asked_wrongly, Some(255))).unwrap_err();
            assert!(matches!(error, DeviceError::Command { .. }));
            assert!(!error.is_infrastructure());
        }
        let guarded = output(
            "java.lang.SecurityException: Injecting input events requires INJECT_EVENTS permission",
            Some(255),
        );
        assert!(matches!(
            check(&script, &guarded),
            Err(DeviceError::InputRefused { output, .. }) if output.contains("Security settings")
        ));
    }
}
