//! The tools of all catalogues by name: which of them are more than their own step, and what kind of act they are.

use std::time::Duration;

use super::act::{Start, Touch};
use super::scrolling::Path;
use runner_engine::Direction;
use runner_tools::{Effect, Entry};

/// What a tool does, as far as a flow is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Touches an element by id, or the point `x`, `y`.
    Touch(Touch),
    /// Holds a touch for the milliseconds of `duration`.
    Hold,
    /// Gives an element the focus.
    Focus,
    /// Types the argument of this name, after emptying the field where the other argument is true.
    Type {
        text: &'static str,
        clear: &'static str,
        hides_keyboard: bool,
    },
    /// Types `text` into what has the focus, unless it names a field itself.
    TypeHere,
    /// Changes what is in a field in another way than by typing at its end.
    Rewrite(&'static str),
    Erase,
    /// Presses the key of this argument.
    Key(&'static str),
    Word(&'static str),
    /// Opens the app of this argument.
    Launch {
        package: &'static str,
        start: Start,
    },
    /// The step `launch`, which says itself how.
    LaunchStep,
    /// A step that waits for the element of `on` and touches it.
    TouchStep(Touch),
    Scroll(Path),
    ScrollTo,
    /// A gesture of fingers at places of the display.
    Gesture,
    Pause,
    /// Waits for an element: `by`, `value`, `timeout`.
    WaitFor,
    /// A step that waits for an element, or asserts something of one.
    Check,
    /// Asserts: `text`, `selectorType`.
    Expect {
        visible: bool,
    },
    /// Records the screen: `start`, `stop`.
    Video(&'static str),
}

const CLICK: Kind = Kind::Touch(Touch::Click);

/// The tools of all catalogues that are more than their own step.
const TABLE: &[(&str, Kind)] = &[
    ("click", Kind::TouchStep(Touch::Click)),
    ("double_click", Kind::TouchStep(Touch::DoubleClick)),
    (
        "long_click",
        Kind::TouchStep(Touch::LongClick(Duration::from_secs(1))),
    ),
    ("type", Kind::TypeHere),
    ("launch", Kind::LaunchStep),
    ("wait_for", Kind::Check),
    ("back", Kind::Word("back")),
    ("home", Kind::Word("home")),
    ("press", Kind::Key("key")),
    ("assert visible", Kind::Check),
    ("assert not visible", Kind::Check),
    ("assert", Kind::Check),
    ("assert log", Kind::Check),
    ("press_back", Kind::Word("back")),
    ("press_home", Kind::Word("home")),
    ("tap", CLICK),
    ("long_press", Kind::Hold),
    ("double_tap", Kind::Touch(Touch::DoubleClick)),
    (
        "swipe",
        Kind::Scroll(Path::Points(["x1", "y1", "x2", "y2"])),
    ),
    ("scroll", Kind::Scroll(Path::Named)),
    ("drag", Kind::Gesture),
    ("pinch", Kind::Gesture),
    ("custom_gesture", Kind::Gesture),
    ("click_element", CLICK),
    (
        "long_click_element",
        Kind::Touch(Touch::LongClick(Duration::from_secs(1))),
    ),
    ("scroll_to_element", Kind::ScrollTo),
    ("type_append_text", typing("text", "", false)),
    ("type_insert_text", Kind::Rewrite("text")),
    ("type_replace_text", Kind::Rewrite("new_text")),
    ("type_clear_text", Kind::Erase),
    ("press_key", Kind::Key("key")),
    ("wait_for_element", Kind::WaitFor),
    ("wait_for_idle", Kind::Pause),
    ("open_app", launch("package_id", Start::Shown)),
    ("mobile_agent.tap", CLICK),
    ("mobile_agent.click_control", CLICK),
    (
        "mobile_agent.swipe",
        Kind::Scroll(Path::Points(["start_x", "start_y", "end_x", "end_y"])),
    ),
    (
        "mobile_agent.type_text",
        typing("text", "clear_current_text", false),
    ),
    (
        "mobile_agent.launch_app",
        launch("package_name", Start::Shown),
    ),
    ("mobile_agent.press_key", Kind::Key("key_code")),
    ("mobile_agent.wait", Kind::Pause),
    ("semantic.click", CLICK),
    ("semantic.toggle", CLICK),
    ("semantic.focus", Kind::Focus),
    ("semantic.type_text", typing("text", "replace", false)),
    ("semantic.scroll", Kind::Scroll(Path::Named)),
    (
        "scenario.startTestingScenario",
        launch("appPackage", Start::Anew),
    ),
    (
        "scenario.launchAppByPackage",
        launch("packageName", Start::Shown),
    ),
    ("scenario.tap", CLICK),
    ("scenario.tapByCoordinates", CLICK),
    ("scenario.inputText", typing("text", "", true)),
    ("scenario.goBack", Kind::Word("back")),
    ("scenario.hideKeyboard", Kind::Word("hide_keyboard")),
    (
        "scenario.swipeUp",
        Kind::Scroll(Path::Always(Direction::Down)),
    ),
    (
        "scenario.swipeDown",
        Kind::Scroll(Path::Always(Direction::Up)),
    ),
    (
        "scenario.scrollVertically",
        Kind::Scroll(Path::Signed(Direction::Down, Direction::Up)),
    ),
    (
        // The reference's signs: a positive distance shows what is further down, but moves the finger to the right.
        "scenario.scrollHorizontally",
        Kind::Scroll(Path::Signed(Direction::Left, Direction::Right)),
    ),
    (
        "scenario.verifyElementVisible",
        Kind::Expect { visible: true },
    ),
    (
        "scenario.verifyElementNotVisible",
        Kind::Expect { visible: false },
    ),
    ("scenario.wait", Kind::Pause),
    ("scenario.startScreenRecording", Kind::Video("start")),
    ("scenario.stopScreenRecording", Kind::Video("stop")),
];

/// Tools that leave the screen as it is though they are not mere reads: they write files, or what is kept between calls.
const BESIDE_THE_SCREEN: &[&str] = &[
    "mobile_agent.invalidate_cache",
    "scenario.takeScreenshot",
    "scenario.initializeTestScenarioReport",
    "scenario.updateTestScenarioReport",
];

const fn typing(text: &'static str, clear: &'static str, hides_keyboard: bool) -> Kind {
    Kind::Type {
        text,
        clear,
        hides_keyboard,
    }
}

const fn launch(package: &'static str, start: Start) -> Kind {
    Kind::Launch { package, start }
}

pub(super) fn kind(entry: &Entry) -> Option<Kind> {
    let mut known = TABLE.iter();
    known
        .find(|(name, _)| *name == entry.name)
        .map(|(_, kind)| *kind)
}

/// Whether the call may have changed what is shown.
pub(super) fn may_change(entry: &Entry) -> bool {
    match kind(entry) {
        Some(Kind::WaitFor | Kind::Check | Kind::Expect { .. } | Kind::Pause) => false,
        Some(_) => true,
        None => entry.effect != Effect::Reads && !BESIDE_THE_SCREEN.contains(&entry.name),
    }
}

/// Whether the screen just before the call must be known to say what it did.
pub(super) fn needs_screen(entry: &Entry) -> bool {
    match kind(entry) {
        Some(
            Kind::Touch(_)
            | Kind::TouchStep(_)
            | Kind::Key(_)
            | Kind::Word(_)
            | Kind::Hold
            | Kind::Focus
            | Kind::Type { .. }
            | Kind::TypeHere
            | Kind::Rewrite(_)
            | Kind::Erase
            | Kind::Scroll(_)
            | Kind::ScrollTo
            | Kind::Gesture
            | Kind::Pause,
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
        for name in named.chain(BESIDE_THE_SCREEN.iter().copied()) {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
