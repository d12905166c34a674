//! Translates commands of Android's shell, such as `adb shell input tap 100 200`, into steps.

use super::element::yaml;

/// Returns advice for a command of Android's shell, with `adb shell` before it or not: the step that does the same.
/// Any other command behind `adb` becomes a `shell` step. Returns `None` for other texts, and for `adb` alone.
pub(crate) fn command(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_adb = words.first() == Some(&"adb");
    if is_adb {
        words.remove(0);
        // `-s SERIAL` chooses the device.
        if words.first() == Some(&"-s") && words.len() > 2 {
            words.drain(..2);
        }
        if words.first() == Some(&"shell") {
            words.remove(0);
        }
    }
    let is_number = |word: &str| word.parse::<u32>().is_ok();
    let ours = match words.as_slice() {
        ["input", "tap", x, y] if is_number(x) && is_number(y) => {
            format!("click: {{ at: {{ x: {x}, y: {y} }} }}")
        }
        ["input", "swipe", x1, y1, x2, y2, ..]
            if [x1, y1, x2, y2].into_iter().all(|it| is_number(it)) =>
        {
            format!("swipe_across: {{ from: {{ x: {x1}, y: {y1} }}, to: {{ x: {x2}, y: {y2} }} }}")
        }
        ["input", "text", typed @ ..] if !typed.is_empty() => {
            format!("type: {}", yaml(&typed.join(" ").replace("%s", " ")))
        }
        ["input", "keyevent", key] => {
            let key = key.trim_start_matches("KEYCODE_");
            format!("press: {key}")
        }
        ["am", "start", ..] | ["monkey", ..] => "launch: …".to_owned(),
        ["am", "force-stop", app] => format!("stop: {app}"),
        ["pm", "clear", app] => format!("clear: {app}"),
        ["pm", "grant", app, permission] => {
            format!("grant: {{ permission: {permission}, app: {app} }}")
        }
        ["pm", "revoke", app, permission] => {
            format!("revoke: {{ permission: {permission}, app: {app} }}")
        }
        ["screencap", ..] => "screenshot: NAME".to_owned(),
        ["install", .., file] if is_adb => format!("install: {file}"),
        ["uninstall", app] if is_adb => format!("uninstall: {app}"),
        ["push", from, to] if is_adb => format!("push: {{ from: {from}, to: {to} }}"),
        ["pull", from, ..] if is_adb => format!("pull: {from}"),
        ["logcat", ..] if is_adb => "assert log: …".to_owned(),
        [] => return None,
        words if is_adb => {
            let words: Vec<String> = words.iter().map(|word| yaml(word)).collect();
            return Some(format!(
                "write `shell: [ {} ]`, where `allow_shell: true` is in runner.yaml",
                words.join(", ")
            ));
        }
        _ => return None,
    };
    Some(format!("write `{ours}`"))
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn commands_of_the_shell_are_told_as_steps() {
        for (text, ours) in [
            (
                "adb shell input tap 100 200",
                "`click: { at: { x: 100, y: 200 } }`",
            ),
            ("input keyevent KEYCODE_BACK", "`press: BACK`"),
            (
                "adb -s emulator-5554 shell am force-stop com.a.b",
                "`stop: com.a.b`",
            ),
            ("adb shell input text ada", "`type: ada`"),
            ("adb shell getprop a.b", "`shell: [ getprop, a.b ]`"),
        ] {
            let told = command(text).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        assert_eq!(command("input field"), None);
        assert_eq!(command("click"), None);
    }
}
