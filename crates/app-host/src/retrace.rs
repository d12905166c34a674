//! Translates stack traces of apps that R8 has obfuscated to the names in their sources.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use runner_dex::Mapping;
use runner_text::input_file::read_text;
use runner_virtual_device::app_host::HostEvent;

/// Finds the map of an APK: `mapping.txt` beside it, or where Android's build puts it, in `outputs/mapping/VARIANT` for
/// `outputs/apk/VARIANT/app.apk`. `None` if neither exists. Flavors are joined: `apk/free/release` belongs to
/// `mapping/freeRelease`.
fn mapping_path(apk: &Utf8Path) -> Option<Utf8PathBuf> {
    let folder = apk.parent()?;
    let beside = folder.join("mapping.txt");
    if beside.is_file() {
        return Some(beside);
    }
    let apks = folder
        .ancestors()
        .find(|part| part.file_name() == Some("apk"))?;
    let variant = folder.strip_prefix(apks).ok()?;
    // A variant with flavors is a path of `apk`, and one word of `mapping`: `free/release` is `freeRelease`.
    let word = variant
        .components()
        .fold(String::new(), |word, part| camel(word, part.as_str()));
    let maps = apks.parent()?.join("mapping");
    let map = maps.join(word).join("mapping.txt");
    map.is_file().then_some(map)
}

/// Appends `part` to `word`, with a capital unless it is the first.
fn camel(mut word: String, part: &str) -> String {
    if word.is_empty() {
        return part.to_owned();
    }
    let mut letters = part.chars();
    word.extend(letters.next().into_iter().flat_map(char::to_uppercase));
    word.push_str(letters.as_str());
    word
}

/// Translates exception and stack trace of a crash, if its APK's map exists and can be read. Other events
/// stay as they are.
pub(crate) fn retrace(event: &mut HostEvent, apk: &Utf8Path) {
    let HostEvent::Crash {
        exception, trace, ..
    } = event
    else {
        return;
    };
    let Some(mapping) = mapping_path(apk).and_then(|path| read(&path)) else {
        return;
    };
    *exception = mapping.class(exception).to_owned();
    *trace = original(trace, &mapping);
}

/// Reads a map. `None` if that fails, which is logged as a warning.
fn read(path: &Utf8Path) -> Option<Mapping> {
    let mapping = read_text(path, Mapping::MAX_BYTES)
        .map_err(|error| error.to_string())
        .and_then(|text| Mapping::read(&text).map_err(|error| error.to_string()));
    if let Err(why) = &mapping {
        tracing::warn!(target: "app-host", %path, %why, "the map of names is not used");
    }
    mapping.ok()
}

/// Translates a stack trace line by line. Lines that name nothing in the map stay as they are; each line ends
/// with a line feed. One frame may become several, if the compiler had inlined methods.
fn original(trace: &str, mapping: &Mapping) -> String {
    let mut text = String::with_capacity(trace.len());
    for line in trace.lines() {
        match frame(line) {
            Some(frame) => write_frame(&mut text, line, &frame, mapping),
            None => write_head(&mut text, line, mapping),
        }
    }
    text
}

/// A call in a trace.
struct Frame<'a> {
    class: &'a str,
    method: &'a str,
    line: Option<u32>,
}

/// Parses `at a.b.C.method(File.kt:12)`, with or without space before it. `None` if the line is no frame. The
/// line's number is `None` if there is none.
fn frame(line: &str) -> Option<Frame<'_>> {
    let (name, place) = line
        .trim_start()
        .strip_prefix("at ")?
        .strip_suffix(')')?
        .split_once('(')?;
    let (class, method) = name.rsplit_once('.')?;
    let number = place.rsplit_once(':').map(|(_, number)| number);
    Some(Frame {
        class,
        method,
        line: number.and_then(|number| number.parse().ok()),
    })
}

/// Writes the original frames of a frame, a line each. Writes `line` itself if the map does not name it. A place
/// without file is `Unknown Source`.
fn write_frame(text: &mut String, line: &str, frame: &Frame<'_>, mapping: &Mapping) {
    let places = mapping.frames(frame.class, frame.method, frame.line);
    if places.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
    for place in places {
        let file = if place.file.is_empty() {
            "Unknown Source"
        } else {
            &place.file
        };
        let number = place.line.map(|line| format!(":{line}"));
        let number = number.unwrap_or_default();
        let (class, method) = (&place.class, &place.method);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "\tat {class}.{method}({file}{number})");
    }
}

/// Writes `a.b: message` or `Caused by: a.b: message` as a line with the exception's original name. The message stays
/// as it is, and so does a line whose beginning is no class of the map.
fn write_head(text: &mut String, line: &str, mapping: &Mapping) {
    const CAUSE: &str = "Caused by: ";
    let (cause, rest) = match line.strip_prefix(CAUSE) {
        Some(rest) => (CAUSE, rest),
        None => ("", line),
    };
    let (class, message) = rest.split_at(rest.find(": ").unwrap_or(rest.len()));
    let _ = writeln!(text, "{cause}{}{message}", mapping.class(class));
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "org.example.Basket -> a.b:\n# {\"id\":\"sourceFile\",\"fileName\":\"Basket.kt\"}\n    1:3:void add(int):40:42 -> a\norg.example.EmptyBasket -> a.c:\n";

    #[test]
    fn a_trace_has_the_names_of_the_sources() {
        let mapping = Mapping::read(MAP).unwrap();
        let trace = "a.c: nothing in it: none\n\tat a.b.a(SourceFile:2)\n\tat android.view.View.click(View.java:7)\nCaused by: a.c\n\t... 4 more\n";
        assert_eq!(
            original(trace, &mapping),
            "org.example.EmptyBasket: nothing in it: none\n\tat org.example.Basket.add(Basket.kt:41)\n\tat android.view.View.click(View.java:7)\nCaused by: org.example.EmptyBasket\n\t... 4 more\n"
        );
    }

    #[test]
    fn the_map_is_where_the_build_puts_it() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let outputs = root.join("outputs");
        for (apk, map) in [
            ("apk/release/app.apk", "mapping/release/mapping.txt"),
            (
                "apk/free/release/app.apk",
                "mapping/freeRelease/mapping.txt",
            ),
            ("elsewhere/app.apk", "elsewhere/mapping.txt"),
        ] {
            let (apk, map) = (outputs.join(apk), outputs.join(map));
            assert_eq!(mapping_path(&apk), None);
            fs_err::create_dir_all(map.parent().unwrap()).unwrap();
            fs_err::write(&map, MAP).unwrap();
            assert_eq!(mapping_path(&apk), Some(map));
        }
    }
}
