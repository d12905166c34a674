//! Durations of commands on a phone, for a realistic device.

use std::time::Duration;

/// Returns the time that a command takes beside its effect: the start of a process, and the system's answer.
/// Unlisted commands take none. Gestures and dumps take their own time in addition.
///
/// The figures lie within what people published about phones: `dumpsys` 30–100 ms, `settings` 20–60 ms,
/// `input` 200 ms and an app's start 500 ms in all.
pub(in crate::shell) fn command_time(words: &[String]) -> Duration {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let ms = match word(0).rsplit('/').next().unwrap_or_default() {
        "dumpsys" => match word(1) {
            "activity" | "package" => 100,
            "window" => 70,
            _ => 50,
        },
        "input" => 120,
        "am" if word(1) == "start" => 150,
        "am" | "cmd" | "ime" | "monkey" | "pm" | "settings" | "svc" | "wm" => 40,
        "getprop" | "setprop" => 5,
        _ => 0,
    };
    Duration::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_the_system_costs_time_and_what_the_shell_does_itself_costs_none() {
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            command_time(&words).as_millis()
        };
        assert_eq!(of("dumpsys window displays"), 70);
        assert_eq!(of("/system/bin/dumpsys input_method"), 50);
        assert_eq!(of("settings get global x"), 40);
        assert_eq!(of("am start -n a/.B"), 150);
        for free in ["cat x", "echo", "", "uiautomator dump"] {
            assert_eq!(of(free), 0, "{free}");
        }
    }
}
