//! Questions that a session asks once, in one round trip: properties, display, locale, theme, font size.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::super::reading::{self, Reading};
use super::super::{DeviceInfo, DriverKind, Features, ShellOutput, VirtualMark};
use runner_screen::Display;

/// Removes dumps older than ten minutes that lost connections left behind: they hold texts of screens.
/// Younger ones may belong to another program. It runs in a subshell, as old releases have no `stat` and end
/// at what is not a number.
const CLEAN_UP: &str = "(for f in /data/local/tmp/runner-*.xml; do [ -f \"$f\" ] && [ $(($(date +%s) - $(stat -c %Y \"$f\"))) -gt 600 ] && rm -f \"$f\"; done) >/dev/null 2>&1";

const SDK: &str = "ro.build.version.sdk";
const SDK_QUESTION: &str = "getprop ro.build.version.sdk";
/// Largest plausible side of a display in pixels, and density. Chosen: several times those of any device;
/// larger numbers are misread output.
const MAX_SIDE_PIXELS: u32 = 32_768;
const MAX_DENSITY: u32 = 4000;

/// Index in [`QUESTIONS`] of the one that shows whether the uia2 driver's server is installed.
const UIA2_PART: usize = 6;

/// Limit for asking again, for all unanswered questions together. Chosen: as long as the first round may
/// take.
const RETRY_LIMIT: Duration = Duration::from_secs(20);

/// Commands of the session's questions, in the order in which [`read`] takes the answers.
pub const QUESTIONS: [&str; 8] = [
    "getprop",
    "wm size 2>&1",
    "wm density 2>&1",
    "cmd uimode night 2>&1",
    "settings get system font_scale 2>&1",
    "settings get system system_locales 2>&1",
    // `pm` exits with 1 and prints nothing if the package is missing.
    "pm path io.appium.uiautomator2.server.test 2>/dev/null",
    // No question: its output is ignored.
    CLEAN_UP,
];

/// Returns true if the uia2 driver's server is installed, by the answers to [`QUESTIONS`]. False if the
/// device did not answer.
pub(super) fn uia2_installed(answers: &[ShellOutput]) -> bool {
    answers
        .get(UIA2_PART)
        .is_some_and(|answer| answer.stdout.starts_with(b"package:"))
}

/// Asks again after a pause, up to two times and within 20 seconds, until the device has answered all questions. An
/// answer is kept; only open readings are replaced. Readings that stay open are no error.
///
/// # Errors
/// Returns an error of `ask` for which `is_lost` is true. After any other one the readings stay open.
pub async fn ask_again<E, Asked: Future<Output = Result<Vec<ShellOutput>, E>>>(
    mut info: DeviceInfo,
    ask: impl Fn() -> Asked,
    is_lost: impl Fn(&E) -> bool,
) -> Result<DeviceInfo, E> {
    let deadline = Instant::now() + RETRY_LIMIT;
    for _ in 1..reading::TRIES {
        if info.open_questions().is_empty() || Instant::now() + reading::PAUSE > deadline {
            break;
        }
        tokio::time::sleep(reading::PAUSE).await;
        let left = deadline.saturating_duration_since(Instant::now());
        let asked = tokio::time::timeout(left, ask()).await;
        match asked {
            Ok(Ok(answers)) => {
                let now = read(&info.serial, &answers);
                info = info.or_later(now);
            }
            Ok(Err(error)) if is_lost(&error) => return Err(error),
            Ok(Err(_)) | Err(_) => {}
        }
    }
    Ok(info)
}

impl DeviceInfo {
    /// Replaces the open readings by those of a later round. If the API level is open, the list of properties was
    /// cut, and all that comes from it is replaced, also manufacturer and features. Serial and driver stay.
    #[must_use]
    fn or_later(self, now: Self) -> Self {
        fn either<T>(before: Reading<T>, now: Reading<T>) -> Reading<T> {
            if before.is_open() { now } else { before }
        }
        // The list of properties is one answer: if it was cut, the new one replaces all of it.
        let is_cut = self.sdk.is_open();
        let (of_list, other) = if is_cut {
            (now.clone(), now)
        } else {
            (self.clone(), now)
        };
        Self {
            model: either(of_list.model, other.model),
            release: either(of_list.release, other.release),
            sdk: either(of_list.sdk, other.sdk),
            display: either(self.display, other.display),
            locale: either(self.locale, other.locale),
            dark: either(self.dark, other.dark),
            font_scale_percent: either(self.font_scale_percent, other.font_scale_percent),
            serial: self.serial,
            manufacturer: of_list.manufacturer,
            emulator: of_list.emulator,
            virtual_device: of_list.virtual_device,
            features: of_list.features,
            driver: self.driver,
        }
    }
}

/// Parses the answers to [`QUESTIONS`], in their order. A missing or cut answer gives open readings, not an error.
/// Where the device has no value, the density is that of the properties, the theme light and the font scale 100
/// percent. The driver is always [`DriverKind::Stock`].
pub fn read(serial: &str, answers: &[ShellOutput]) -> DeviceInfo {
    let part = |index: usize| {
        answers
            .get(index)
            .map(ShellOutput::text)
            .unwrap_or_default()
    };
    let list = part(0);
    let properties = properties(&list);
    let none = HashMap::new();
    let known = properties.value().unwrap_or(&none);
    let property = |name: &str| known.get(name).filter(|value| !value.is_empty()).cloned();
    // The list is complete, so a property that it lacks is not set.
    let text = |name: &str| match &properties {
        Reading::NotAnswered(why) => Reading::NotAnswered(why.clone()),
        _ => property(name).map_or(Reading::SaidNone, Reading::Said),
    };
    let is_one = |name: &str| property(name).as_deref() == Some("1");
    let sdk = match text(SDK) {
        Reading::Said(sdk) => sdk
            .parse()
            .map_or_else(|_| Reading::not_answered(SDK_QUESTION, &sdk), Reading::Said),
        // Every release has this property, so the list was cut.
        Reading::SaidNone => Reading::not_answered(SDK_QUESTION, ""),
        Reading::NotAnswered(why) => Reading::NotAnswered(why),
    };
    let density = match density(&part(2)) {
        Reading::SaidNone => {
            let density = property("ro.sf.lcd_density").and_then(|text| text.parse().ok());
            density.map_or_else(
                || Reading::not_answered("wm density", &part(2)),
                Reading::Said,
            )
        }
        density => density,
    };
    DeviceInfo {
        serial: serial.to_owned(),
        model: text("ro.product.model"),
        manufacturer: property("ro.product.manufacturer").unwrap_or_default(),
        release: text("ro.build.version.release"),
        sdk,
        display: match (size(&part(1)), density) {
            (Reading::Said((width, height)), Reading::Said(density)) => Reading::Said(Display {
                width,
                height,
                density,
                rotation: 0,
            }),
            (Reading::SaidNone, _) => Reading::not_answered("wm size", &part(1)),
            (Reading::NotAnswered(why), _) | (_, Reading::NotAnswered(why)) => {
                Reading::NotAnswered(why)
            }
            (_, Reading::SaidNone) => Reading::SaidNone,
        },
        locale: locale(&part(5), &properties),
        dark: night_mode(&part(3)).map(|mode| mode == "yes").or(false),
        font_scale_percent: font_scale(&part(4)).or(100),
        emulator: is_one("ro.kernel.qemu") || is_one("ro.boot.qemu"),
        virtual_device: VirtualMark::new(
            is_one("ro.runner.virtual") || property("ro.runner.virtual").as_deref() == Some("true"),
        ),
        features: Features::read(&property("ro.runner.offers").unwrap_or_default()),
        driver: Some(DriverKind::Stock),
    }
}

/// Parses lines of `[name]: [value]`. A value of several lines keeps the first. An empty list, and one whose
/// last line is cut, is no answer.
///
/// Assumes one property a line, one space between the brackets, and no `]: [` in a name (toolbox
/// `getprop.cpp`; recordings `getprop--*`).
fn properties(text: &str) -> Reading<HashMap<String, String>> {
    let properties: HashMap<String, String> = text
        .lines()
        .filter_map(|line| {
            let (name, value) = line.trim_end().strip_prefix('[')?.split_once("]: [")?;
            let value = value.strip_suffix(']').unwrap_or(value);
            Some((name.to_owned(), value.to_owned()))
        })
        .collect();
    let is_whole = text.trim_end().ends_with(']');
    if properties.is_empty() || !is_whole {
        // The error shows the end of the list only: it shows the cut, and the list holds private values.
        let end = text.lines().next_back().unwrap_or_default();
        return Reading::not_answered("getprop", end);
    }
    Reading::Said(properties)
}

/// Parses `wm size` into width and height in pixels. An `Override size:` wins over the physical one. A side of 0
/// or of more than [`MAX_SIDE_PIXELS`] is no answer. A missing command means that there is no value.
///
/// Source: AOSP `WindowManagerShellCommand.java`, `printInitialDisplaySize`.
pub(crate) fn size(text: &str) -> Reading<(u32, u32)> {
    overridden("wm size", "size:", text, |value| {
        let (width, height) = value.split_once('x')?;
        let side = |text: &str| {
            text.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE_PIXELS).contains(side))
        };
        Some((side(width)?, side(height)?))
    })
}

/// Parses `wm density` into dots an inch. An `Override density:` wins over the physical one. 0 and more than
/// [`MAX_DENSITY`] are no answer. A missing command means that there is no value.
fn density(text: &str) -> Reading<u32> {
    overridden("wm density", "density:", text, |value| {
        value
            .parse()
            .ok()
            .filter(|density| (1..=MAX_DENSITY).contains(density))
    })
}

/// Parses `Physical KEY VALUE` and, if the value was changed, `Override KEY VALUE` below it, and returns the
/// changed one. Each line must be whole, stand once and have a value that `parse` accepts; else the question
/// has no answer. A missing command means that there is no value.
fn overridden<T>(
    question: &'static str,
    key: &str,
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Reading<T> {
    if reading::lacks_command(text) {
        return Reading::SaidNone;
    }
    let lines = reading::lines(text).unwrap_or_default();
    let value = |kind: &str| {
        let mut values = lines
            .iter()
            .filter_map(|line| line.strip_prefix(kind)?.trim_start().strip_prefix(key));
        match (values.next(), values.next()) {
            (value, None) => Ok(value.map(str::trim)),
            (_, Some(_)) => Err(()),
        }
    };
    let read = match (value("Physical"), value("Override")) {
        (Ok(Some(physical)), Ok(changed)) => {
            // Both lines must be whole: if one is cut, the other may be missing.
            parse(physical).and_then(|physical| changed.map_or(Some(physical), &parse))
        }
        _ => None,
    };
    read.map_or_else(|| Reading::not_answered(question, text), Reading::Said)
}

/// Parses `cmd uimode night`, as in `Night mode: yes`, into the mode. Releases before Android 10 have neither the
/// command nor a dark theme; their message means that there is no value. Any other output, also of several lines,
/// is no answer.
///
/// Source: AOSP `UiModeManagerService.java`, `printCurrentNightMode`; `unknown` stands for all other modes.
pub(crate) fn night_mode(text: &str) -> Reading<String> {
    const QUESTION: &str = "cmd uimode night";
    // Android has the service since version 1, but not its commands: it accepts none, or does not know `night`.
    let lines = reading::lines(text).unwrap_or_default();
    match lines.as_slice() {
        [line] => match line.strip_prefix("Night mode:").map(str::trim) {
            Some(mode)
                if !mode.is_empty()
                    && mode.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') =>
            {
                Reading::Said(mode.to_owned())
            }
            _ if reading::lacks_command(line) => Reading::SaidNone,
            _ => Reading::not_answered(QUESTION, text),
        },
        _ if reading::lacks_command(text) => Reading::SaidNone,
        _ => Reading::not_answered(QUESTION, text),
    }
}

/// Parses `settings get system font_scale` into percent, rounded. A scale below 0.1 or above 10 is no answer;
/// `null` means that the setting was never made.
pub(crate) fn font_scale(text: &str) -> Reading<u32> {
    reading::single("settings get system font_scale", text, |line| {
        let scale = reading::number(line).filter(|scale| (0.1..=10.0).contains(scale))?;
        Some((scale * 100.0).round() as u32)
    })
}

/// Parses `settings get system system_locales` and returns the first language tag. If any tag has another
/// form, there is no answer; `null` means that the setting was never made.
pub(crate) fn system_locale(text: &str) -> Reading<String> {
    reading::single("settings get system system_locales", text, |line| {
        let tags: Vec<&str> = line.split(',').map(str::trim).collect();
        tags.iter()
            .all(|tag| is_tag(tag))
            .then(|| tags.first().map(|tag| (*tag).to_owned()))?
    })
}

/// Returns true for the form of a language tag: `en`, `de-DE`, `zh-Hant-TW`, `en-US-u-mu-celsius`. The parts
/// stand between `-` or `_`, each has 1 to 8 ASCII letters or digits, and the first 2 to 8 letters.
fn is_tag(tag: &str) -> bool {
    let mut parts = tag.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Returns the language of the setting. If the setting was never made, it is that of the properties:
/// `persist.sys.locale`, `ro.product.locale`, then language and country of the oldest releases, then `en-US`. An
/// answer in another form, or a missing list of properties where it is needed, leaves the language open.
fn locale(setting: &str, properties: &Reading<HashMap<String, String>>) -> Reading<String> {
    match system_locale(setting) {
        Reading::SaidNone => {}
        other => return other,
    }
    let properties = match properties {
        Reading::Said(properties) => properties,
        Reading::NotAnswered(why) => return Reading::NotAnswered(why.clone()),
        Reading::SaidNone => return Reading::SaidNone,
    };
    // Releases before Android 7 have no `system_locales`; the oldest have separate settings for language and country.
    for name in ["persist.sys.locale", "ro.product.locale"] {
        if let Some(tag) = properties.get(name).filter(|tag| is_tag(tag)) {
            return Reading::Said(tag.clone());
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
    Reading::Said(match (part("language"), region) {
        (Some(language), Some(region)) => format!("{language}-{region}"),
        (Some(language), None) => language,
        // The system's default if no property names a language.
        _ => "en-US".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::KindNames;
    use super::super::super::reading::Reading::Said;
    use super::*;
    use runner_text::secret::from_outside;

    fn text(value: &str) -> Reading<String> {
        Said(value.to_owned())
    }

    fn answer(parts: [&str; 6]) -> DeviceInfo {
        let answers = parts.map(|part| ShellOutput {
            stdout: part.into(),
            ..ShellOutput::default()
        });
        read("serial", &answers)
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
        assert_eq!(info.kind_name(KindNames::PLAIN), "phone");
        assert_eq!(info.model, text("Pixel 7"));
        assert_eq!(info.manufacturer, "Google");
        assert_eq!((info.release, info.sdk), (text("13"), Said(33)));
        let display = info.display.needed().unwrap();
        assert_eq!(
            (display.width, display.height, display.density),
            (720, 1600, 420)
        );
        assert_eq!(info.locale, text("de-DE"));
        assert_eq!(
            (info.font_scale_percent, info.dark),
            (Said(115), Said(true))
        );
    }

    const OLD: &str = "[ro.product.locale]: [fr-FR]\n[ro.boot.qemu]: [1]\n[ro.sf.lcd_density]: [320]\n[ro.build.version.sdk]: [22]\n";

    #[test]
    fn what_a_device_says_it_has_not_has_its_usual_value() {
        let info = answer([
            OLD,
            "Physical size: 768x1280\n",
            "/system/bin/sh: wm: inaccessible or not found\n",
            "No shell command implementation.\n",
            "null\n",
            "null\n",
        ]);
        assert_eq!((info.locale, info.sdk), (text("fr-FR"), Said(22)));
        assert_eq!(
            (info.font_scale_percent, info.dark),
            (Said(100), Said(false))
        );
        assert!(info.emulator);
        let display = info.display.needed().unwrap();
        assert_eq!(
            (display.width, display.height, display.density),
            (768, 1280, 320)
        );
        assert_eq!(info.model, Reading::SaidNone);
    }

    /// Complete answers, which the tests damage one by one.
    const ANSWERS: [&str; 6] = [
        "[ro.build.version.sdk]: [34]\n[ro.product.model]: [Pixel 7]\n[sys.boot_completed]: [1]\n",
        "Physical size: 1080x2400\nOverride size: 720x1600\n",
        "Physical density: 420\n",
        "Night mode: yes\n",
        "1.15\n",
        "de-DE,en-US\n",
    ];

    #[test]
    fn v5_what_was_not_answered_is_no_value() {
        let open = |info: &DeviceInfo| {
            let display = info.display.is_open();
            [
                info.sdk.is_open(),
                display,
                display,
                info.dark.is_open(),
                info.font_scale_percent.is_open(),
                info.locale.is_open(),
            ]
        };
        assert_eq!(open(&answer(ANSWERS)), [false; 6]);
        for question in 0..ANSWERS.len() {
            let whole = ANSWERS[question];
            let mut wrong = vec![
                String::new(),
                "\n".to_owned(),
                "cmd: Failure calling service settings: Broken pipe (32)\n".to_owned(),
                "cmd: Can't find service: window\n".to_owned(),
                "Exception occurred while executing 'get':\njava.lang.IllegalStateException: x\n\tat a.b(C.java:1)\n".to_owned(),
                "Error: timeout\n".to_owned(),
                "0x0\n".to_owned(),
            ];
            wrong.extend((1..whole.len()).map(|cut| whole[..cut].to_owned()));
            if question > 0 {
                wrong.push(whole.repeat(2));
            }
            for answered in wrong {
                let mut answers = ANSWERS;
                answers[question] = &answered;
                let info = answer(answers);
                // A list of properties may be cut between two lines; then the important ones stand before the cut.
                let is_known = question == 0 && info.sdk == Said(34)
                    // If the whole line `Override size:` is missing, nothing shows it.
                    || question == 1 && answered == "Physical size: 1080x2400\n";
                assert!(
                    open(&info)[question] || is_known,
                    "{question} {answered:?}: {info:?}"
                );
            }
        }
    }

    #[test]
    fn answers_that_come_later_fill_what_is_open() {
        let first = answer([ANSWERS[0], "", ANSWERS[2], ANSWERS[3], "x", ANSWERS[5]]);
        assert!(!first.open_questions().is_empty());
        let whole = first.or_later(answer(ANSWERS));
        assert!(whole.open_questions().is_empty());
        assert_eq!(whole, answer(ANSWERS));
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
            let sdk = *info.sdk.needed().unwrap();
            assert!(info.model.value().is_some() && sdk > 20, "{name}: {info:?}");
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
            let properties = properties.needed().unwrap();
            for line in text.lines() {
                if let Some(property) = shape.captures(line) {
                    assert!(properties.contains_key(&property[1]), "{name}: {line}");
                }
            }
        }
    }
}
