//! Names of Maestro's commands, with the steps that do the same.

/// Commands of Maestro with their equivalents.
pub(super) const MAESTRO: &[(&str, &str)] = &[
    ("addMedia", "`push`"),
    ("assertNotVisible", "`assert not visible`"),
    ("assertTrue", "`assert: { that: \"${…}\" }`"),
    ("assertVisible", "`assert visible`"),
    ("clearState", "`clear`"),
    (
        "copyTextFrom",
        "`find`, with `as: NAME` and then `${NAME.text}`",
    ),
    ("doubleTapOn", "`double_click`"),
    ("eraseText", "`erase`"),
    ("extendedWaitUntil", "`wait_for` with `timeout`"),
    ("hideKeyboard", "`hide_keyboard`"),
    ("inputText", "`type`"),
    ("killApp", "`stop`"),
    ("launchApp", "`launch`"),
    ("longPressOn", "`long_click`"),
    ("openLink", "`open_link`"),
    ("pressKey", "`press`"),
    ("runFlow", "`run`"),
    ("scrollUntilVisible", "`scroll_to`"),
    ("setAirplaneMode", "`set_device: { airplane: true }`"),
    ("setDarkMode", "`set_device: { dark: true }`"),
    ("setOrientation", "`rotate`"),
    ("setPermissions", "`grant` and `revoke`"),
    ("startRecording", "`record: start`"),
    ("stopApp", "`stop`"),
    ("stopRecording", "`record: stop`"),
    ("takeScreenshot", "`screenshot`"),
    ("tapOn", "`click`"),
    ("toggleAirplaneMode", "`set_device: { airplane: true }`"),
    ("waitForAnimationToEnd", "`wait_for_idle`"),
    ("assertScreenshot", "`snapshot`"),
    ("evalScript", "`set`"),
];

/// Returns the equivalent of a Maestro command in backquotes; `None` if it is not known. Case counts.
pub(crate) fn instead_of_maestro(command: &str) -> Option<&'static str> {
    let known = MAESTRO.iter().find(|(name, _)| *name == command);
    known.map(|(_, ours)| *ours)
}

/// Returns the Maestro command with the same effect as a step; `None` unless a command is equivalent to just
/// this step. Of several it is the last in the table.
pub(crate) fn maestro_command(step: &str) -> Option<&'static str> {
    let code = format!("`{step}`");
    let known = MAESTRO.iter().rev().find(|(_, ours)| *ours == code);
    known.map(|(command, _)| *command)
}

/// Steps without a command of the same effect in [`MAESTRO`], with what to write in a file of Maestro's.
const OURS: &[(&str, &str)] = &[
    (
        "assert",
        "`assertVisible: …`, or `assertTrue: ${…}` for an expression",
    ),
    ("drag", "`swipe: { start: \"50%,80%\", end: \"50%,20%\" }`"),
    (
        "find",
        "`copyTextFrom: …`, and then `${maestro.copiedText}`",
    ),
    (
        "grant",
        "`setPermissions: { permissions: { camera: allow } }`",
    ),
    ("group", "`runFlow: { commands: […] }`"),
    ("home", "`pressKey: Home`"),
    (
        "http",
        "`runScript: FILE`, with `http.get(…)` in the script",
    ),
    ("if", "`runFlow: { when: { visible: … }, commands: […] }`"),
    ("record", "`startRecording: NAME`, and `stopRecording`"),
    (
        "revoke",
        "`setPermissions: { permissions: { camera: deny } }`",
    ),
    ("scroll_to", "`scrollUntilVisible: { element: … }`"),
    ("set", "`evalScript: ${output.NAME = '…'}`"),
    ("set_clipboard", "`setClipboard: …`"),
    ("swipe_across", "`swipe: { direction: UP }`"),
];

/// Returns what a file of Maestro's has in place of a step of ours, in backquotes; `None` if Maestro has nothing with this
/// effect, and for words that are no step.
pub(crate) fn in_maestro(step: &str) -> Option<String> {
    let known = OURS.iter().find(|(name, _)| *name == step);
    known
        .map(|(_, theirs)| (*theirs).to_owned())
        .or_else(|| maestro_command(step).map(|command| format!("`{command}`")))
}
