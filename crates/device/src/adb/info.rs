//! What a session asks once, in one round trip: properties, display, locale, theme, font.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::super::reading::{self, Reading};
use super::super::{DeviceInfo, DriverKind, Features, ShellOutput};
use runner_screen::Display;

/// Removes dumps that connections of before left behind when they were lost: they hold texts of screens. Young ones may
/// be another's that is about to read them. In a subshell, for old releases have no `stat` and end at what is not a number.
const CLEAN_UP: &str = "(for f in /data/local/tmp/runner-*.xml; do [ -f \"$f\" ] && [ $(($(date +%s) - $(stat -c %Y \"$f\"))) -gt 600 ] && rm -f \"$f\"; done) >/dev/null 2>&1";

const SDK: &str = "ro.build.version.sdk";
const SDK_QUESTION: &str = "getprop ro.build.version.sdk";
/// Longest side of a display, in pixels, and its density: what is beyond is no answer.
const MAX_SIDE: u32 = 32_768;
const MAX_DENSITY: u32 = 4000;

/// The one of [`QUESTIONS`] that shows whether the server of the driver uia2 is installed.
const UIA2_PART: usize = 6;

/// How long the questions may take that got no answer, together.
const AGAIN_LIMIT: Duration = Duration::from_secs(20);

/// The questions, in the order in which [`read`] takes the answers.
pub const QUESTIONS: [&str; 8] = [
    "getprop",
    "wm size 2>&1",
    "wm density 2>&1",
    "cmd uimode night 2>&1",
    "settings get system font_scale 2>&1",
    "settings get system system_locales 2>&1",
    // `pm` exits 1 without a word where there is none.
    "pm path io.appium.uiautomator2.server.test 2>/dev/null",
    // No question: nobody reads its answer.
    CLEAN_UP,
];

/// Returns true if the server of the driver uia2 is installed, by the answers to [`QUESTIONS`].
pub(super) fn uia2_installed(answers: &[ShellOutput]) -> bool {
    answers
        .get(UIA2_PART)
        .is_some_and(|answer| answer.stdout.starts_with(b"package:"))
}

/// Asks again, a few times, where a question of the first round has no answer. Returns the last reading of each.
///
/// # Errors
/// Those of `ask` that say there is no way to the device: with another one, what was not answered stays so.
pub async fn ask_again<E, Asked: Future<Output = Result<Vec<ShellOutput>, E>>>(
    mut info: DeviceInfo,
    ask: impl Fn() -> Asked,
    is_lost: impl Fn(&E) -> bool,
) -> Result<DeviceInfo, E> {
    let deadline = Instant::now() + AGAIN_LIMIT;
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
                info = info.or_now(now);
            }
            Ok(Err(error)) if is_lost(&error) => return Err(error),
            Ok(Err(_)) | Err(_) => {}
        }
    }
    Ok(info)
}

impl DeviceInfo {
    /// The same, with what is open as a later round of the same questions has it.
    #[must_use]
    fn or_now(self, now: Self) -> Self {
        fn either<T>(before: Reading<T>, now: Reading<T>) -> Reading<T> {
            if before.is_open() { now } else { before }
        }
        // The list of properties is one answer: where it was cut, all of it is new.
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

/// Reads the answers to [`QUESTIONS`].
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
    // One list has them all: what is not in it is not set.
    let text = |name: &str| match &properties {
        Reading::NotAnswered(why) => Reading::NotAnswered(why.clone()),
        _ => property(name).map_or(Reading::SaidNone, Reading::Said),
    };
    let is_one = |name: &str| property(name).as_deref() == Some("1");
    let sdk = match text(SDK) {
        Reading::Said(sdk) => sdk
            .parse()
            .map_or_else(|_| Reading::not_answered(SDK_QUESTION, &sdk), Reading::Said),
        // Every release has it: the list was cut.
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
        virtual_device: is_one("ro.runner.virtual")
            || property("ro.runner.virtual").as_deref() == Some("true"),
        features: Features::read(&property("ro.runner.offers").unwrap_or_default()),
        driver: Some(DriverKind::Stock),
    }
}

/// Reads `[name]: [value]`. A value of several lines keeps the first. An empty list, and one whose last line is cut, is no
/// answer.
///
/// Taken for granted: one property a line, one space between the brackets, none of `]: [` in a name (toolbox `getprop.cpp`;
/// `getprop--*`).
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
        // The list is long, and has what a person would not show: its end says where it was cut.
        let end = text.lines().next_back().unwrap_or_default();
        return Reading::not_answered("getprop", end);
    }
    Reading::Said(properties)
}

/// Reads `wm size`: an `Override size:` wins over the physical one.
///
/// Source: AOSP `WindowManagerShellCommand.java`, `printInitialDisplaySize`.
pub(crate) fn size(text: &str) -> Reading<(u32, u32)> {
    overridden("wm size", "size:", text, |value| {
        let (width, height) = value.split_once('x')?;
        let side = |text: &str| {
            text.parse()
                .ok()
                .filter(|side| (1..=MAX_SIDE).contains(side))
        };
        Some((side(width)?, side(height)?))
    })
}

/// Reads `wm density`: an `Override density:` wins.
fn density(text: &str) -> Reading<u32> {
    overridden("wm density", "density:", text, |value| {
        value
            .parse()
            .ok()
            .filter(|density| (1..=MAX_DENSITY).contains(density))
    })
}

/// Reads `Physical KEY VALUE`, and below it `Override KEY VALUE` where somebody has changed it: each once and whole.
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
            // Both have to read: where one is cut, so may the other be.
            parse(physical).and_then(|physical| changed.map_or(Some(physical), &parse))
        }
        _ => None,
    };
    read.map_or_else(|| Reading::not_answered(question, text), Reading::Said)
}

/// Reads `cmd uimode night`: `Night mode: yes`. Releases before Android 10 have no such command, and no dark theme.
///
/// Source: AOSP `UiModeManagerService.java`, `printCurrentNightMode`; `unknown` is what it prints for other modes.
pub(crate) fn night_mode(text: &str) -> Reading<String> {
    const QUESTION: &str = "cmd uimode night";
    // The service is there since Android 1, its commands are not: it takes none, or says nothing of `night`.
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

/// Reads `settings get system font_scale`, in percent.
pub(crate) fn font_scale(text: &str) -> Reading<u32> {
    reading::single("settings get system font_scale", text, |line| {
        let scale = reading::number(line).filter(|scale| (0.1..=10.0).contains(scale))?;
        Some((scale * 100.0).round() as u32)
    })
}

/// Reads `settings get system system_locales`; the first tag of the list.
pub(crate) fn system_locale(text: &str) -> Reading<String> {
    reading::single("settings get system system_locales", text, |line| {
        let tags: Vec<&str> = line.split(',').map(str::trim).collect();
        tags.iter()
            .all(|tag| is_tag(tag))
            .then(|| tags.first().map(|tag| (*tag).to_owned()))?
    })
}

/// Whether a text has the form of a language tag: `en`, `de-DE`, `zh-Hant-TW`, `en-US-u-mu-celsius`.
fn is_tag(tag: &str) -> bool {
    let mut parts = tag.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// The language: the setting, or where nobody has set it the properties.
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
    // Releases before Android 7 have no `system_locales`; the oldest keep language and country apart.
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
        // The system's own default, where no property names another.
        _ => "en-US".to_owned(),
    })
}

#[cfg(test)]
mod tests {
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
        assert!(!info.emulator && !info.virtual_device);
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

    /// Whole answers, to be spoiled one by one.
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
                // A list of properties may end with a whole line before its end; the most needed of them is there then.
                let is_known = question == 0 && info.sdk == Said(34)
                    // `Override size:` that is wholly missing cannot be missed.
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
        let whole = first.or_now(answer(ANSWERS));
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
