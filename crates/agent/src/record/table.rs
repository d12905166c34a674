//! Table of the tools that are recorded as another step than their own, and the kind of act that each is.

use std::time::Duration;

use super::act::{Start, Touch};
use super::scrolling::Path;
use runner_engine::Direction;
use runner_tools::{Effect, Entry};

/// Kind of act of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) enum ActKind {
    /// Touch on an element by id, or on the point `x`, `y`.
    Touch(Touch),
    /// Touch held for the milliseconds of `duration`.
    Hold,
    /// Gives an element the focus.
    Focus,
    /// Types the argument `text`, and empties the field first if the argument `clear` is true. With `clicks` it clicks
    /// the field in any case, also if it has the focus.
    Type {
        text: &'static str,
        clear: &'static str,
        hides_keyboard: bool,
        clicks: bool,
    },
    /// Types `text` into the focused field, or into the field that the call names.
    TypeHere,
    /// Changes a field in another way than by typing at its end. Holds the argument with the text.
    Rewrite(&'static str),
    Erase,
    /// Presses the key that this argument names.
    Key(&'static str),
    Word(&'static str),
    /// Opens the app that this argument names.
    Launch {
        package: &'static str,
        start: Start,
    },
    /// Step `launch`, whose arguments hold the start.
    LaunchStep,
    /// Step that waits for the element of `on` and touches it.
    TouchStep(Touch),
    Scroll(Path),
    ScrollTo,
    /// Gesture of fingers at points of the display.
    Gesture,
    Pause,
    /// Waits for an element: `by`, `value`, `timeout`.
    WaitFor,
    /// Step that waits for an element or asserts something about one.
    Check,
    /// Assertion: `text`, `selectorType`.
    Expect {
        visible: bool,
    },
    /// Starts or stops a video of the screen.
    Video(&'static str),
}

const CLICK: ActKind = ActKind::Touch(Touch::Click);

/// Kinds of tools by name, for all catalogues.
const TABLE: &[(&str, ActKind)] = &[
    ("click", ActKind::TouchStep(Touch::Click)),
    ("double_click", ActKind::TouchStep(Touch::DoubleClick)),
    (
        "long_click",
        ActKind::TouchStep(Touch::LongClick(Duration::from_secs(1))),
    ),
    ("type", ActKind::TypeHere),
    ("launch", ActKind::LaunchStep),
    ("wait_for", ActKind::Check),
    ("back", ActKind::Word("back")),
    ("home", ActKind::Word("home")),
    ("press", ActKind::Key("key")),
    ("assert visible", ActKind::Check),
    ("assert not visible", ActKind::Check),
    ("assert", ActKind::Check),
    ("assert log", ActKind::Check),
    ("press_back", ActKind::Word("back")),
    ("press_home", ActKind::Word("home")),
    ("tap", CLICK),
    ("long_press", ActKind::Hold),
    ("double_tap", ActKind::Touch(Touch::DoubleClick)),
    (
        "swipe",
        ActKind::Scroll(Path::Points(["x1", "y1", "x2", "y2"])),
    ),
    ("scroll", ActKind::Scroll(Path::Named)),
    ("drag", ActKind::Gesture),
    ("pinch", ActKind::Gesture),
    ("custom_gesture", ActKind::Gesture),
    ("click_element", CLICK),
    (
        "long_click_element",
        ActKind::Touch(Touch::LongClick(Duration::from_secs(1))),
    ),
    ("scroll_to_element", ActKind::ScrollTo),
    ("type_append_text", typing("text", "", false)),
    ("type_insert_text", ActKind::Rewrite("text")),
    ("type_replace_text", ActKind::Rewrite("new_text")),
    ("type_clear_text", ActKind::Erase),
    ("press_key", ActKind::Key("key")),
    ("wait_for_element", ActKind::WaitFor),
    ("wait_for_idle", ActKind::Pause),
    ("open_app", launch("package_id", Start::Resumed)),
    ("mobile_agent.tap", CLICK),
    ("mobile_agent.click_control", CLICK),
    (
        "mobile_agent.swipe",
        ActKind::Scroll(Path::Points(["start_x", "start_y", "end_x", "end_y"])),
    ),
    (
        "mobile_agent.type_text",
        ActKind::Type {
            text: "text",
            clear: "clear_current_text",
            hides_keyboard: false,
            clicks: true,
        },
    ),
    (
        "mobile_agent.launch_app",
        launch("package_name", Start::Resumed),
    ),
    ("mobile_agent.press_key", ActKind::Key("key_code")),
    ("mobile_agent.wait", ActKind::Pause),
    ("semantic.click", CLICK),
    ("semantic.toggle", CLICK),
    ("semantic.focus", ActKind::Focus),
    ("semantic.type_text", typing("text", "replace", false)),
    ("semantic.scroll", ActKind::Scroll(Path::Named)),
    (
        "scenario.startTestingScenario",
        launch("appPackage", Start::Restarted),
    ),
    (
        "scenario.launchAppByPackage",
        launch("packageName", Start::Resumed),
    ),
    ("scenario.tap", CLICK),
    ("scenario.tapByCoordinates", CLICK),
    ("scenario.inputText", typing("text", "", true)),
    ("scenario.goBack", ActKind::Word("back")),
    ("scenario.hideKeyboard", ActKind::Word("hide_keyboard")),
    (
        "scenario.swipeUp",
        ActKind::Scroll(Path::Always(Direction::Down)),
    ),
    (
        "scenario.swipeDown",
        ActKind::Scroll(Path::Always(Direction::Up)),
    ),
    (
        "scenario.scrollVertically",
        ActKind::Scroll(Path::Signed(Direction::Down, Direction::Up)),
    ),
    (
        // Signs as in the reference: a positive distance reveals what is below, but moves the finger to the right.
        "scenario.scrollHorizontally",
        ActKind::Scroll(Path::Signed(Direction::Left, Direction::Right)),
    ),
    (
        "scenario.verifyElementVisible",
        ActKind::Expect { visible: true },
    ),
    (
        "scenario.verifyElementNotVisible",
        ActKind::Expect { visible: false },
    ),
    ("scenario.wait", ActKind::Pause),
    ("scenario.startScreenRecording", ActKind::Video("start")),
    ("scenario.stopScreenRecording", ActKind::Video("stop")),
];

/// Tools that do not change the screen although they are not reads: they write files, or what the server
/// keeps between calls.
const SCREEN_NEUTRAL: &[&str] = &[
    "mobile_agent.invalidate_cache",
    "scenario.takeScreenshot",
    "scenario.initializeTestScenarioReport",
    "scenario.updateTestScenarioReport",
];

const fn typing(text: &'static str, clear: &'static str, hides_keyboard: bool) -> ActKind {
    ActKind::Type {
        text,
        clear,
        hides_keyboard,
        clicks: false,
    }
}

const fn launch(package: &'static str, start: Start) -> ActKind {
    ActKind::Launch { package, start }
}

/// Returns how a tool's calls are translated. `None` if the table does not have it.
pub(super) fn kind(entry: &Entry) -> Option<ActKind> {
    let mut known = TABLE.iter();
    known
        .find(|(name, _)| *name == entry.name)
        .map(|(_, kind)| *kind)
}

/// Returns true if the call may have changed the screen. Waits, checks and pauses do not; a tool that is not
/// in the table may, unless it only reads or is known not to.
pub(super) fn may_change(entry: &Entry) -> bool {
    match kind(entry) {
        Some(ActKind::WaitFor | ActKind::Check | ActKind::Expect { .. } | ActKind::Pause) => false,
        Some(_) => true,
        None => entry.effect != Effect::Reads && !SCREEN_NEUTRAL.contains(&entry.name),
    }
}

/// Returns true if the recorder needs the screen just before the call: for touches, keys, typed text, scrolls, gestures
/// and pauses, but not for launches, waits, checks and videos. A tool that is not in the table needs it if it may
/// change the screen.
pub(super) fn needs_screen(entry: &Entry) -> bool {
    match kind(entry) {
        Some(
            ActKind::Touch(_)
            | ActKind::TouchStep(_)
            | ActKind::Key(_)
            | ActKind::Word(_)
            | ActKind::Hold
            | ActKind::Focus
            | ActKind::Type { .. }
            | ActKind::TypeHere
            | ActKind::Rewrite(_)
            | ActKind::Erase
            | ActKind::Scroll(_)
            | ActKind::ScrollTo
            | ActKind::Gesture
            | ActKind::Pause,
        ) => true,
        Some(_) => false,
        None => may_change(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_tools::registry::find;

    #[test]
    fn the_names_are_tools() {
        let named = TABLE.iter().map(|(name, _)| *name);
        for name in named.chain(SCREEN_NEUTRAL.iter().copied()) {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
