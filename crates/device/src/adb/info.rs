//! What a session asks once, in one round trip: properties, display, locale, theme, font.

use std::collections::HashMap;

use super::super::sections::Sections;
use super::super::{DeviceInfo, DriverKind, Features, ShellOutput};
use runner_screen::Display;
use runner_text::secret::from_outside;

/// Removes dumps that connections of before left behind when they were lost: they hold texts of screens. Young ones may
/// be another's that is about to read them. In a subshell, for old releases have no `stat` and end at what is not a number.
const CLEAN_UP: &str = "(for f in /data/local/tmp/runner-*.xml; do [ -f \"$f\" ] && [ $(($(date +%s) - $(stat -c %Y \"$f\"))) -gt 600 ] && rm -f \"$f\"; done) >/dev/null 2>&1";

/// The part of [`questions`] that shows whether the server of the driver uia2 is installed.
const UIA2_PART: usize = 6;

/// The questions, in the order in which [`read`] takes the answers.
pub fn questions() -> Sections {
    Sections::new()
        .ask_together(&[
            "getprop",
            "wm size",
            "wm density",
            "cmd uimode night 2>&1",
            "settings get system font_scale 2>&1",
            "settings get system system_locales 2>&1",
            // `pm` exits 1 without a word where there is none.
            "pm path io.appium.uiautomator2.server.test 2>/dev/null",
        ])
        // Last, for it answers nothing: the numbers of the other parts stay.
        .ask(CLEAN_UP)
}

/// Whether the server of the driver uia2 is installed, by the answer to [`questions`].
pub(super) fn uia2_installed(sections: &Sections, output: &ShellOutput) -> bool {
    let parts = sections.split(&output.stdout);
    parts
        .get(UIA2_PART)
        .is_some_and(|answer| answer.starts_with(b"package:"))
}

/// Reads the answers. What a device does not report gets its default.
pub fn read(serial: &str, sections: &Sections, output: &ShellOutput) -> DeviceInfo {
    let parts = sections.split(&output.stdout);
    let part = |index: usize| {
        parts
            .get(index)
            .map_or_else(Default::default, |bytes| from_outside(bytes))
    };
    let properties = properties(&part(0));
    let property = |name: &str| properties.get(name).cloned().unwrap_or_default();
    let (width, height) = size(&part(1)).unwrap_or((0, 0));
    let is_one = |name: &str| property(name) == "1";
    DeviceInfo {
        serial: serial.to_owned(),
        model: property("ro.product.model"),
        manufacturer: property("ro.product.manufacturer"),
        release: property("ro.build.version.release"),
        sdk: property("ro.build.version.sdk").parse().unwrap_or(0),
        display: Display {
            width,
            height,
            density: density(&part(2))
                .or_else(|| property("ro.sf.lcd_density").parse().ok())
                .unwrap_or(0),
            rotation: 0,
        },
        locale: locale(&part(5), &properties),
        dark: is_dark(&part(3)),
        font_scale_percent: font_scale(&part(4)),
        emulator: is_one("ro.kernel.qemu") || is_one("ro.boot.qemu"),
        virtual_device: is_one("ro.runner.virtual") || property("ro.runner.virtual") == "true",
        features: Features::read(&property("ro.runner.offers")),
        driver: Some(DriverKind::Stock),
    }
}

/// Reads `[name]: [value]`. A value of several lines keeps the first.
///
/// Taken for granted: one property a line, one space between the brackets, none of `]: [` in a name (toolbox `getprop.cpp`;
/// `getprop--*`).
fn properties(text: &str) -> HashMap<String, String> {
    text.lines()
        .filter_map(|line| {
            let (name, value) = line.trim_end().strip_prefix('[')?.split_once("]: [")?;
            let value = value.strip_suffix(']').unwrap_or(value);
            Some((name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Reads `wm size`: an `Override size:` wins over the physical one.
pub(crate) fn size(text: &str) -> Option<(u32, u32)> {
    let value = overridden(text, "size:")?;
    let (width, height) = value.split_once('x')?;
    Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
}

/// Reads `wm density`: an `Override density:` wins.
fn density(text: &str) -> Option<u32> {
    overridden(text, "density:")?.parse().ok()
}

fn overridden<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = |kind: &str| {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(kind)?.trim().strip_prefix(key))
            .map(str::trim)
    };
    value("Override").or_else(|| value("Physical"))
}

/// Reads `cmd uimode night`: `Night mode: yes`.
pub(crate) fn is_dark(text: &str) -> bool {
    text.lines()
        .find_map(|line| line.trim().strip_prefix("Night mode:"))
        .is_some_and(|mode| mode.trim() == "yes")
}

fn font_scale(text: &str) -> u32 {
    text.trim()
        .parse::<f64>()
        .ok()
        .filter(|scale| (0.1..=10.0).contains(scale))
        .map_or(100, |scale| (scale * 100.0).round() as u32)
}

fn locale(setting: &str, properties: &HashMap<String, String>) -> String {
    let first = setting.trim().split(',').next().unwrap_or("").trim();
    // It may be the words of an error, for standard error is asked for too.
    if !first.is_empty() && first != "null" && first.len() <= 35 && !first.contains(' ') {
        return first.to_owned();
    }
    // Releases before Android 7 have no `system_locales`; the oldest keep language and country apart.
    for name in ["persist.sys.locale", "ro.product.locale"] {
        if let Some(tag) = properties.get(name).filter(|tag| !tag.is_empty()) {
            return tag.clone();
        }
    }
    let part = |key: &str| {
        [
            format!("persist.sys.{key}"),
            format!("ro.product.locale.{key}"),
        ]
        .iter()
        .find_map(|name| properties.get(name))
        .filter(|value| !value.is_empty())
        .cloned()
    };
    let region = part("country").or_else(|| part("region"));
    match (part("language"), region) {
        (Some(language), Some(region)) => format!("{language}-{region}"),
        (Some(language), None) => language,
        _ => "en-US".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(parts: [&str; 6]) -> DeviceInfo {
        let sections = questions();
        let script = sections.script("x");
        // The marker is what the script echoes.
        let mark = script
            .text()
            .split("echo ")
            .find(|word| word.starts_with('@'))
            .and_then(|word| word.split(';').next())
            .unwrap()
            .to_owned();
        let output = ShellOutput {
            stdout: parts.join(&format!("\n{mark}\n")).into_bytes(),
            ..ShellOutput::default()
        };
        read("serial", &sections, &output)
    }

    fn corpus(name: &str) -> Option<String> {
        runner_testing::recorded_text(&format!("commands/{name}"))
    }

    #[test]
    fn a_real_phone_reads() {
        let Some(getprop) = corpus("getprop--adb-buddy__getprop.txt") else {
            return;
        };
        let info = answer([
            &getprop,
            "Physical size: 1080x2400\nOverride size: 720x1600\n",
            "Physical density: 420\n",
            "Night mode: yes\n",
            "1.15\n",
            "de-DE,en-US\n",
        ]);
        assert_eq!(
            (info.model.as_str(), info.manufacturer.as_str()),
            ("Pixel 7", "Google")
        );
        assert_eq!((info.release.as_str(), info.sdk), ("13", 33));
        assert_eq!((info.display.width, info.display.height), (720, 1600));
        assert_eq!(info.display.density, 420);
        assert_eq!(info.locale, "de-DE");
        assert_eq!(info.font_scale_percent, 115);
        assert!(info.dark);
        assert!(!info.emulator && !info.virtual_device);
    }

    #[test]
    fn what_a_device_does_not_tell_has_its_usual_value() {
        let info = answer([
            "[ro.product.locale]: [fr-FR]\n[ro.boot.qemu]: [1]",
            "/system/bin/sh: wm: inaccessible or not found",
            "",
            "No shell command implementation.",
            "null",
            "null",
        ]);
        assert_eq!(info.locale, "fr-FR");
        assert_eq!(info.font_scale_percent, 100);
        assert!(info.emulator && !info.dark);
        assert_eq!(info.display, Display::default());
    }

    #[test]
    fn every_property_list_of_the_corpus_reads() {
        for name in [
            "getprop--Root-My-Galaxy__getprop.txt",
            "getprop--adb-buddy__getprop.txt",
        ] {
            let Some(getprop) = corpus(name) else {
                return;
            };
            let info = answer([&getprop, "", "", "", "", ""]);
            assert!(!info.model.is_empty() && info.sdk > 20, "{name}: {info:?}");
        }
    }

    #[test]
    fn every_recorded_property_is_read() {
        let shape = regex::Regex::new(r"^\[([^\]]+)\]: \[").unwrap();
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/getprop--") {
                continue;
            }
            let text = from_outside(&bytes);
            let properties = properties(&text);
            for line in text.lines() {
                if let Some(property) = shape.captures(line) {
                    assert!(properties.contains_key(&property[1]), "{name}: {line}");
                }
            }
        }
    }
}
