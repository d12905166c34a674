//! Table of tasks in the words that people search for, with the step that does each.

use std::fmt::Write as _;

/// Rows: words of people and of other tools, and the step, setting or page that does it here.
const TASKS: [(&str, &str); 36] = [
    (
        "start, restart or end the app",
        "[`launch`](#launch), [`stop`](#stop)",
    ),
    (
        "a fresh app, reset, clear data",
        "`launch: { clear: true }`, [`clear`](#clear)",
    ),
    (
        "log in, sign in",
        "[`type`](#type) and [`click`](#click), in a sub-flow: [cookbook](../guide/cookbook.md#log-in)",
    ),
    (
        "tap, touch, press a button, tap coordinates",
        "[`click`](#click)",
    ),
    (
        "long press, double tap",
        "[`long_click`](#long_click), [`double_click`](#double_click)",
    ),
    ("enter text, input, fill, send keys", "[`type`](#type)"),
    (
        "clear a field, delete text",
        "[`erase`](#erase), `type: { clear: true, … }`",
    ),
    ("Enter, a key, volume, remote control", "[`press`](#press)"),
    (
        "hide or close the keyboard",
        "[`hide_keyboard`](#hide_keyboard)",
    ),
    (
        "wait, a spinner, loading, until gone",
        "[`wait_for`](#wait_for): [cookbook](../guide/cookbook.md#wait-for-a-spinner). Most steps wait by themselves",
    ),
    (
        "until the screen rests, animations, the network is idle",
        "`wait_for_idle`, `wait_for_idle: 5s`: [tools](tools.md#wait_for_idle)",
    ),
    (
        "sleep, delay, a fixed pause",
        "there is none: [cookbook](../guide/cookbook.md#sleep-and-why-not)",
    ),
    (
        "a longer or shorter timeout",
        "the modifier [`timeout`](../guide/flows.md#steps), [`step_timeout`](../guide/flows.md#timeouts)",
    ),
    (
        "retry, flaky",
        "the modifier `retry`, the step `retry`, `retries`: [cookbook](../guide/cookbook.md#retry-a-flaky-step)",
    ),
    (
        "swipe, fling, pull to refresh, carousel",
        "[`swipe_across`](#swipe_across)",
    ),
    (
        "drag and drop, press and hold and move, reorder a list, a slider",
        "[`drag`](#drag)",
    ),
    (
        "pinch, zoom, spread, turn with two fingers",
        "[`two_fingers`](#two_fingers)",
    ),
    ("scroll, scroll until visible", "[`scroll_to`](#scroll_to)"),
    ("back, go back", "[`back`](#back)"),
    ("home screen", "[`home`](#home)"),
    ("rotate, landscape", "[`rotate`](#rotate)"),
    (
        "dark mode, language, font size, airplane mode, GPS",
        "[`set_device`](#set_device)",
    ),
    (
        "check, verify, expect, is displayed",
        "[`assert visible`](#assert-visible), [`assert not visible`](#assert-not-visible)",
    ),
    (
        "check a text, a check box, enabled, how many",
        "[`assert`](#assert)",
    ),
    (
        "read a text into a variable",
        "[`find`](#find) with `as`: [cookbook](../guide/cookbook.md#remember-a-text)",
    ),
    (
        "if an element exists, optional",
        "[`if`](../guide/flows.md#control-flow), the modifiers [`when` and `optional`](../guide/flows.md#steps)",
    ),
    (
        "loop, repeat, for each",
        "[`repeat`](../guide/flows.md#control-flow), [`each`](../guide/flows.md#rows-each)",
    ),
    (
        "compare with a picture, visual regression",
        "[`snapshot`](../guide/snapshots.md)",
    ),
    (
        "screenshot, video",
        "[`screenshot`](#screenshot), [`record`](#record)",
    ),
    (
        "permission dialog",
        "`launch: { permissions: … }`, [`grant`](#grant), [`revoke`](#revoke): [cookbook](../guide/cookbook.md#a-permission-dialog)",
    ),
    ("deep link, open a URL", "[`open_link`](#open_link)"),
    (
        "install, uninstall, update",
        "[`install`](#install), [`uninstall`](#uninstall)",
    ),
    (
        "a file or a photo on the device, download",
        "[`push`](#push), [`pull`](#pull)",
    ),
    ("an API, a back end, test data", "[`http`](#http)"),
    ("logcat, the app's log", "[`assert log`](#assert-log)"),
    ("adb shell", "[`shell`](#shell)"),
];

/// Appends the section of tasks that people look for, as a table with the step for each.
pub(super) fn write(text: &mut String) {
    text.push_str(
        "\n## What people look for\n\n\
         Whole flows for these tasks are in the [cookbook](../guide/cookbook.md).\n\n\
         | you look for | write |\n|---|---|\n",
    );
    for (words, answer) in TASKS {
        let _ = writeln!(text, "| {words} | {answer} |");
    }
}

#[cfg(test)]
mod tests {
    use super::TASKS;
    use crate::Catalogue;
    use crate::registry::entries;

    #[test]
    fn every_everyday_step_is_the_answer_to_a_task() {
        for entry in entries() {
            let link = format!("](#{})", entry.name.replace(' ', "-"));
            let answers = TASKS.iter().any(|(_, answer)| answer.contains(&link));
            assert!(
                answers || entry.catalogue != Catalogue::Everyday,
                "no task leads to `{}`",
                entry.name
            );
        }
    }
}
