//! Reads the screen by `uiautomator dump`, with what the window manager says about it, and falls back when
//! the dump fails.
//!
//! The tool exits 0 whatever happens, may leave an old file, and may print success and write nothing. So each
//! attempt uses a new file name, and accepts only a file that holds a dump.

use std::borrow::Cow;
use std::time::Duration;

use tokio::time::Instant;

use super::super::questions::ask_texts;
use super::super::sections::{Sections, find};
use super::super::source::quarter_turns;
use super::super::system::{self, ScreenState};
use super::super::windows::{self, Answers};
use super::super::{DeviceError, DumpFailure, LookOptions, ShellOutput};
use super::session::{AdbDevice, WindowList};
use runner_screen::{Display, DisplayContext, Screen, ScreenError};
use runner_text::secret::Excerpt;
use runner_text::secret::from_outside;

/// Pause before another attempt. Chosen: about as long as a window's animation, in which the screen changes.
pub(super) const PAUSE: Duration = Duration::from_millis(300);

/// Limit for the question that explains a missing window. Chosen: it only improves an error, which must not
/// come much later.
const EXPLANATION_LIMIT: Duration = Duration::from_secs(2);

/// Options of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DumpMethod {
    /// Passes `--windows`: all windows, not only the active one.
    all_windows: bool,
    /// Passes `--compressed`, which sometimes succeeds on a screen that never comes to rest.
    compressed: bool,
    /// Also asks for displays, windows, activities and the keyboard.
    dumpsys: bool,
}

impl DumpMethod {
    /// Returns the same options without `--windows`, and with the output of `dumpsys`: a newer option, so the
    /// plain dump may succeed where it fails, and then only that output shows the other windows.
    fn single_window(self) -> Self {
        Self {
            all_windows: false,
            dumpsys: true,
            ..self
        }
    }

    /// Returns the options of `uiautomator dump`, each after a space.
    fn flags(self) -> &'static str {
        match (self.all_windows, self.compressed) {
            (false, false) => "",
            (false, true) => " --compressed",
            (true, false) => " --windows",
            (true, true) => " --windows --compressed",
        }
    }
}

/// Reads the screen, with all fall-backs inside the limit; the cause of an error may take two seconds more. It tries
/// again if the dump fails or lacks elements of the app in front, up to `options.attempts` times: compressed if the
/// screen never rests, and in the last attempt without the list of windows, where that may help. The last attempt
/// returns a screen without the app's elements as it is.
///
/// # Errors
/// Returns the last error, with the cause if the screen is off, locked or starting. If the limit interrupts a
/// further attempt, the error is that of the attempt before. Errors that no other attempt can mend are
/// returned at once.
pub(super) async fn look(device: &AdbDevice, options: LookOptions) -> Result<Screen, DeviceError> {
    let deadline = Instant::now() + options.limit;
    let all_windows = device.may_ask_all_windows();
    let mut way = DumpMethod {
        all_windows,
        compressed: false,
        // A dump of one window does not show whether there is a keyboard.
        dumpsys: options.surroundings || !all_windows,
    };
    let mut attempt = 1;
    let mut before = None;
    loop {
        let error = match (
            look_once(device, way, deadline, options.limit).await,
            before.take(),
        ) {
            // A late window appears in the next dump; one that never appears may be in the dump of one window.
            (Ok(mut screen), _) => {
                let is_last = attempt >= options.attempts || Instant::now() + PAUSE >= deadline;
                let again = device.front_elements().wants_another(&mut screen, is_last);
                if !again {
                    return Ok(screen);
                }
                tracing::info!(target: "adb", attempt, "the dump lacks the app in front; asking again");
                tokio::time::sleep(PAUSE).await;
                attempt += 1;
                if attempt == options.attempts {
                    way = way.single_window();
                }
                continue;
            }
            // The earlier error says more than that the limit interrupted a further attempt.
            (Err(DeviceError::Timeout { .. }), Some(before)) => return Err(before),
            (Err(error), _) => error,
        };
        let Some(again) = next_method(&error, way) else {
            return Err(error);
        };
        let time_left = Instant::now() + PAUSE < deadline;
        if attempt >= options.attempts || !time_left {
            return Err(explain(device, error).await);
        }
        // On a restless screen the tool has waited ten seconds already, so a pause would not help.
        if !matches!(
            &error,
            DeviceError::NoDump {
                kind: DumpFailure::NotIdle,
                ..
            }
        ) {
            tokio::time::sleep(PAUSE).await;
        }
        tracing::info!(target: "adb", attempt, error = ?error.to_string(), then = ?again, "no dump; asking again");
        attempt += 1;
        // The list of windows may be what fails. A taken slot and a restless screen are no better with one window.
        let may_help = !matches!(
            &error,
            DeviceError::NoDump {
                kind: DumpFailure::SlotTaken | DumpFailure::NotIdle,
                ..
            } | DeviceError::Dump(ScreenError::Truncated { .. })
        );
        way = if attempt == options.attempts && may_help {
            again.single_window()
        } else {
            again
        };
        before = Some(error);
    }
}

/// Adds the cause to an error of a missing window if the screen is off, locked or still starting. Other
/// errors, and this one if the device does not tell within two seconds, are returned as they are.
async fn explain(device: &AdbDevice, error: DeviceError) -> DeviceError {
    if !is_null_root(&error) {
        return error;
    }
    let asked = tokio::time::timeout(EXPLANATION_LIMIT, system::screen_state(device)).await;
    let cause = match asked {
        Ok(Ok(ScreenState::Off)) => {
            "its screen is off; press its key WAKEUP, and switch on \"Stay awake\" in the developer options"
        }
        Ok(Ok(ScreenState::Starting)) => {
            "it is starting; wait until it shows its home screen, and run again"
        }
        Ok(Ok(ScreenState::Locked)) => {
            "it is locked; unlock it by hand, or set its screen lock to none"
        }
        _ => return error,
    };
    DeviceError::NoDump {
        cause: cause.to_owned(),
        kind: DumpFailure::NullRoot,
    }
}

/// Returns true for a dump that failed because no window was there to dump.
fn is_null_root(error: &DeviceError) -> bool {
    matches!(
        error,
        DeviceError::NoDump {
            kind: DumpFailure::NullRoot,
            ..
        }
    )
}

/// Returns the options of the next attempt after a failure: the other of compressed and not compressed on a
/// screen that never rests, else the same. `None` if another attempt cannot help, as for a character that cannot
/// be written, a limit that is up or a lost device.
fn next_method(error: &DeviceError, way: DumpMethod) -> Option<DumpMethod> {
    match error {
        DeviceError::NoDump {
            kind: DumpFailure::NotIdle,
            ..
        } => Some(DumpMethod {
            compressed: !way.compressed,
            ..way
        }),
        DeviceError::NoDump {
            kind: DumpFailure::NullRoot | DumpFailure::SlotTaken | DumpFailure::Other,
            ..
        }
        | DeviceError::Dump(_) => Some(way),
        _ => None,
    }
}

/// Dumps the screen once, and then asks `dumpsys` if `way` says so, in about the time left until `deadline`. Notes
/// whether the release can list all windows, so that later looks ask for them or not. An exceeded time is told as
/// `limit`.
async fn look_once(
    device: &AdbDevice,
    way: DumpMethod,
    deadline: Instant,
    limit: Duration,
) -> Result<Screen, DeviceError> {
    // An error names the limit of the whole look, not the rest of it.
    let whole_limit = |error| match error {
        DeviceError::Timeout { what, .. } => DeviceError::Timeout { what, limit },
        other => other,
    };
    let left = || deadline.saturating_duration_since(Instant::now());
    let sections = questions(way);
    device.count_dump();
    let output = device
        .run(&sections.script("uiautomator dump"), left())
        .await
        .map_err(whole_limit)?;
    let answer = Answer::read(&sections, &output);
    let dump = answer.dump()?;
    let dumpsys = if way.dumpsys {
        // After the dump, not beside it: a dump first waits a second for rest, in which another activity may come to the
        // front.
        DumpsysOutput::ask(device, left())
            .await
            .map_err(whole_limit)?
    } else {
        DumpsysOutput::default()
    };
    let context = DisplayContext {
        lacks_windows: !way.all_windows && device.may_ask_all_windows(),
        ..dumpsys.context(device.physical_display(), dump)
    };
    let screen = Screen::parse(dump, &context)?;
    // A release without the flag ignores it; this session does not try again.
    device.note_windows(
        match (way.all_windows, find(dump, b"<display ").is_some()) {
            (true, true) => WindowList::Shown,
            (true, false) => WindowList::Unknown,
            (false, _) => WindowList::Missing,
        },
    );
    Ok(screen)
}

/// Builds the script of one attempt, in two parts: the dump, which prints its message, and its file, which is
/// removed afterwards, also if the connection is lost.
fn questions(way: DumpMethod) -> Sections {
    let file = format!(
        "/data/local/tmp/runner-{:012x}.xml",
        fastrand::u64(..1 << 48)
    );
    let flags = way.flags();
    // The file holds texts of the screen, so it is removed even if the connection is lost before it was read.
    Sections::new()
        .ask(&format!(
            "trap 'rm -f {file}; exit 129' HUP INT PIPE TERM; uiautomator dump{flags} {file} 2>&1"
        ))
        .ask(&format!(
            "cat {file}; rm -f {file}; trap - HUP INT PIPE TERM"
        ))
}

/// Answer to [`questions`].
struct Answer<'a> {
    message: Cow<'a, str>,
    file: &'a [u8],
}

impl<'a> Answer<'a> {
    /// Splits the output of [`questions`] into the tool's message and its file; a missing part is empty.
    fn read(sections: &Sections, output: &'a ShellOutput) -> Self {
        let parts = sections.split(&output.stdout);
        let part = |index: usize| parts.get(index).copied().unwrap_or_default();
        Self {
            message: from_outside(part(0)),
            file: part(1),
        }
    }

    /// Returns the file if it has `<hierarchy` or `<displays` in it, else the error that the tool's message means.
    /// A file that is cut is returned too; the parser notices.
    fn dump(&self) -> Result<&'a [u8], DeviceError> {
        let begins = |tag: &[u8]| find(self.file, tag).is_some();
        if begins(b"<hierarchy") || begins(b"<displays") {
            return Ok(self.file);
        }
        Err(failure(&self.message))
    }
}

/// Output of the other commands beside a dump.
#[derive(Default)]
struct DumpsysOutput {
    displays: String,
    windows: String,
    /// Empty if the window with the focus names its activity.
    activities: String,
    /// Empty if all windows are known: the keyboard is one of them.
    input_method: String,
}

impl DumpsysOutput {
    /// Asks for displays and windows; for the activity and the keyboard only if these do not tell them. Exit codes are
    /// not checked: an answer of a failed command is kept as it is. Fails if a command was killed or the device does
    /// not answer. The limit bounds the first two together; each later question has what they left of it.
    async fn ask(device: &AdbDevice, limit: Duration) -> Result<Self, DeviceError> {
        let deadline = Instant::now() + limit;
        let questions = [
            "dumpsys window displays 2>&1",
            "dumpsys window windows 2>&1",
        ];
        let [displays, windows] = ask_texts(device, "dumpsys window", questions, limit).await?;
        let mut output = Self {
            displays,
            windows,
            ..Self::default()
        };
        let left = deadline.saturating_duration_since(Instant::now());
        // Only on demand, as it is the longest answer. The notification shade has the focus without an activity.
        if !windows::focus_names_activity(&output.answers()) {
            let question = [windows::RESUMED_ACTIVITY];
            let [activities] = ask_texts(device, "dumpsys activity", question, left).await?;
            output.activities = activities;
        }
        if !output.windows.contains("Window{") {
            let question = ["dumpsys input_method 2>&1 | grep mInputShown"];
            let [input_method] = ask_texts(device, "dumpsys input_method", question, left).await?;
            output.input_method = input_method;
        }
        Ok(output)
    }

    /// Borrows the outputs for the parsers.
    fn answers(&self) -> Answers<'_> {
        Answers {
            displays: &self.displays,
            windows: &self.windows,
            activities: &self.activities,
            input_method: &self.input_method,
        }
    }

    /// Returns what the output tells of the surroundings. An unknown display is the physical one, turned as the
    /// dump says; an unknown density is the physical one too.
    fn context(&self, physical: Display, dump: &[u8]) -> DisplayContext {
        let answers = self.answers();
        let display = windows::display(&answers)
            .map(|display| Display {
                density: if display.density == 0 {
                    physical.density
                } else {
                    display.density
                },
                ..display
            })
            .or_else(|| rotate(physical, dump));
        DisplayContext {
            display,
            foreground: windows::foreground(&answers),
            front: windows::front(&answers),
            windows: windows::windows(&answers),
            keyboard_shown: windows::keyboard_shown(&answers),
            bars: windows::bars(&answers),
            layers: windows::layers(&answers),
            lacks_windows: false,
        }
    }
}

/// Turns the display of `wm size` to the rotation in the dump, as `wm size` stays unrotated. A dump without a
/// rotation from 0 to 3 is upright. `None` if the display has no width.
fn rotate(physical: Display, dump: &[u8]) -> Option<Display> {
    const KEY: &[u8] = b"rotation=\"";
    if physical.width == 0 {
        return None;
    }
    let rotation = find(dump, KEY)
        .and_then(|at| dump.get(at + KEY.len()))
        .map_or(0, |digit| quarter_turns(*digit));
    Some(physical.turned(rotation))
}

const NULL_ROOT: &str = "null root node";

/// Translates the tool's message into a [`DeviceError::NoDump`] with a kind and a cause. The first known sign
/// decides: never at rest, no window, slot taken or killed, a character that cannot be written, full storage,
/// no file, no tool. Of another message the first 300 characters are the cause.
fn failure(message: &str) -> DeviceError {
    let text = message.trim();
    let has = |sign: &str| text.contains(sign);
    let (kind, cause) = if has("could not get idle state") {
        (
            DumpFailure::NotIdle,
            "the screen never stood still, even for a compressed dump; stop the animation or video, or look again later".to_owned(),
        )
    } else if has(NULL_ROOT) {
        (DumpFailure::NullRoot, ScreenError::Empty.to_string())
    } else if has("already registered") || text == "Killed" || has("\nKilled") {
        (
            DumpFailure::SlotTaken,
            "another automation client (Appium, uiautomator2, Maestro, an accessibility test) holds the device's only slot; stop it".to_owned(),
        )
    } else if let Some(character) = unwritable(text) {
        (
            DumpFailure::Unwritable,
            format!(
                "a text on the screen has the character {character}, which `uiautomator dump` cannot write; take it out of the app's text, or use `--driver uia2`"
            ),
        )
    } else if has("No space left") || has("ENOSPC") {
        (
            DumpFailure::Other,
            "the device's storage is full; free some of /data".to_owned(),
        )
    } else if has("dumped to") {
        (
            DumpFailure::Other,
            "`uiautomator dump` said it succeeded but wrote no file; see whether the device's storage is full (`df /data`), and look again".to_owned(),
        )
    } else if has("not found") {
        (
            DumpFailure::Other,
            "the device has no `uiautomator`".to_owned(),
        )
    } else {
        let short = Excerpt::new(text, 300).to_string();
        (
            DumpFailure::Other,
            if short.is_empty() {
                "`uiautomator dump` printed nothing and wrote no file".to_owned()
            } else {
                format!("`uiautomator dump` wrote no file and said: {short}")
            },
        )
    };
    DeviceError::NoDump { cause, kind }
}

/// Finds the character at which the serializer gave up, as in `java.lang.IllegalArgumentException: Illegal character
/// (U+0)`, or `Illegal surrogate pair (U+d83d …)` for half of an emoji. Returns the text between the parenthesis and
/// the next space or parenthesis, marked to be cut after 12 characters; `None` without such words.
///
/// Source: `reportInvalidCharacter` of AOSP's `KXmlSerializer`; mobile-dev-inc/Maestro#288.
fn unwritable(text: &str) -> Option<String> {
    let (_, rest) = ["Illegal character (", "Illegal surrogate pair ("]
        .iter()
        .find_map(|words| text.split_once(words))?;
    let (code, _) = rest.split_once([')', ' '])?;
    Some(runner_text::secret::Excerpt::new(code, 12).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_cannot_be_written_is_the_apps_and_not_asked_for_again() {
        for (thrown, character) in [
            ("Illegal character (U+0)", "U+0"),
            ("Illegal surrogate pair (U+d83d U+20)", "U+d83d"),
        ] {
            let text = format!(
                "java.lang.IllegalArgumentException: {thrown}\n\tat org.kxml2.io.KXmlSerializer.reportInvalidCharacter(KXmlSerializer.java:155)"
            );
            let error = failure(&text);
            assert!(!error.is_infrastructure());
            assert!(
                error
                    .to_string()
                    .contains(&format!("the character {character},")),
                "{error}"
            );
            let way = DumpMethod {
                all_windows: true,
                compressed: false,
                dumpsys: true,
            };
            assert_eq!(next_method(&error, way), None);
        }
    }

    fn read(text: &'static str, file: &'static str) -> Result<Screen, DeviceError> {
        let answer = Answer {
            message: text.into(),
            file: file.as_bytes(),
        };
        Ok(Screen::parse(answer.dump()?, &DisplayContext::default())?)
    }

    #[test]
    fn success_is_a_whole_file_and_nothing_else() {
        let success = "UI hierchary dumped to: /data/local/tmp/x.xml";
        let kind_of = |file| match read(success, file) {
            Err(DeviceError::NoDump { kind, .. }) => Some(kind),
            _ => None,
        };
        assert!(read(success, "<hierarchy rotation=\"0\"><node /></hierarchy>").is_ok());
        assert_eq!(kind_of(""), Some(DumpFailure::Other));
        for empty in [
            "<hierarchy rotation=\"0\" />",
            "<hierarchy rotation=\"0\"></hierarchy>",
            "<displays><display id=\"0\"></display></displays>",
        ] {
            assert_eq!(kind_of(empty), Some(DumpFailure::NullRoot), "{empty}");
        }
        for cut in [
            "<hierarchy rotation=\"0\"><node text=\"a\"",
            "<hierarchy rotation=\"0\"><node text=\"a\" />",
            "<displays><display id=\"0\"><window><hierarchy></hierarchy>",
        ] {
            assert!(
                matches!(
                    read(success, cut),
                    Err(DeviceError::Dump(ScreenError::Truncated { .. }))
                ),
                "{cut}"
            );
        }
    }

    #[test]
    fn failures_that_exit_0_are_recognised() {
        for (message, kind) in [
            ("ERROR: could not get idle state.", DumpFailure::NotIdle),
            (
                "ERROR: null root node returned by UiTestAutomationBridge.",
                DumpFailure::NullRoot,
            ),
            ("Killed", DumpFailure::SlotTaken),
            (
                "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@1 already registered!",
                DumpFailure::SlotTaken,
            ),
            ("sh: uiautomator: not found", DumpFailure::Other),
            ("", DumpFailure::Other),
        ] {
            assert!(
                matches!(read(message, ""), Err(DeviceError::NoDump { kind: found, .. }) if found == kind),
                "{message}"
            );
        }
    }

    #[test]
    fn a_restless_screen_is_asked_in_the_other_way() {
        let way = DumpMethod {
            all_windows: true,
            compressed: false,
            dumpsys: false,
        };
        let next = next_method(&failure("could not get idle state"), way).unwrap();
        assert_eq!(next.flags(), " --windows --compressed");
        // A late window appears in the next dump; only the last attempt asks for one window.
        let again = next_method(&failure("strange"), way).unwrap();
        assert_eq!(again.flags(), " --windows");
        assert_eq!(again.single_window().flags(), "");
        let lost = DeviceError::Lost {
            serial: String::new(),
            cause: String::new(),
        };
        assert_eq!(next_method(&lost, way), None);
    }

    #[test]
    fn the_display_turns_with_the_dump() {
        let physical = Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        };
        let display = rotate(physical, b"<hierarchy rotation=\"3\">").unwrap();
        assert_eq!(
            (display.width, display.height, display.rotation),
            (2400, 1080, 3)
        );
        for upright in ["<hierarchy>", "<hierarchy rotation=\"x\">"] {
            assert_eq!(rotate(physical, upright.as_bytes()), Some(physical));
        }
        assert_eq!(rotate(Display::default(), b""), None);
    }
}
