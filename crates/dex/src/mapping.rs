//! R8's mapping file of an app: finds the original names of frames in a stack trace.

use std::collections::HashMap;

use crate::error::DexError;
use crate::limits::MAX_MAPPING_BYTES;

/// A frame with its original names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalFrame {
    /// The class, as `a.b.C`.
    pub class: String,
    pub method: String,
    /// The file, from the mapping or derived from the class.
    pub file: String,
    /// The line, if the mapping has it.
    pub line: Option<u32>,
}

/// Original names of classes and methods.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// Classes by their names after R8.
    classes: HashMap<String, ClassMapping>,
    /// Files by the original names of classes.
    files: HashMap<String, String>,
}

#[derive(Debug, Clone, Default)]
struct ClassMapping {
    original: String,
    methods: HashMap<String, Vec<MethodMapping>>,
}

/// Line of the mapping about a method.
#[derive(Debug, Clone)]
struct MethodMapping {
    /// Range of lines after R8. `None` means all lines.
    lines: Option<(u32, u32)>,
    class: Option<String>,
    method: String,
    original: Option<(u32, Option<u32>)>,
}

impl Mapping {
    /// Largest mapping that is read, in bytes.
    pub const MAX_BYTES: u64 = MAX_MAPPING_BYTES;

    /// Parses a mapping of R8. Unknown lines and fields are skipped, as R8's own reader does. Of a class that
    /// stands twice the last counts.
    ///
    /// # Errors
    /// Returns [`DexError::TooLarge`] for more than [`Self::MAX_BYTES`].
    pub fn read(text: &str) -> Result<Self, DexError> {
        if text.len() as u64 > MAX_MAPPING_BYTES {
            return Err(DexError::TooLarge {
                what: "the map of R8".to_owned(),
                limit: MAX_MAPPING_BYTES,
            });
        }
        let mut mapping = Self::default();
        let mut current: Option<(String, ClassMapping)> = None;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(comment) = trimmed.strip_prefix('#') {
                if let (Some(file), Some((_, class))) = (source_file(comment), &current) {
                    mapping
                        .files
                        .insert(class.original.clone(), file.to_owned());
                }
                continue;
            }
            let Some((original, short)) = trimmed.split_once(" -> ") else {
                continue;
            };
            if line.starts_with(char::is_whitespace) {
                if let (Some((_, class)), Some(method)) = (&mut current, method(original)) {
                    class
                        .methods
                        .entry(short.to_owned())
                        .or_default()
                        .push(method);
                }
            } else {
                mapping.classes.extend(current.take());
                let class = ClassMapping {
                    original: original.to_owned(),
                    ..ClassMapping::default()
                };
                current = Some((short.trim_end_matches(':').to_owned(), class));
            }
        }
        mapping.classes.extend(current);
        Ok(mapping)
    }

    /// Returns the original name of a class, or the same name if the mapping lacks it.
    pub fn class<'m>(&'m self, class: &'m str) -> &'m str {
        self.classes
            .get(class)
            .map_or(class, |found| &found.original)
    }

    /// Returns the original frames of a frame, innermost first. `class` and `method` are the names in the
    /// app, exactly. There are several if R8 inlined methods, and none if the mapping does not know class or
    /// method. If no entry has the line, or it is `None`, the first entry without lines counts, else the
    /// first one.
    pub fn frames(&self, class: &str, method: &str, line: Option<u32>) -> Vec<OriginalFrame> {
        let Some(found) = self.classes.get(class) else {
            return Vec::new();
        };
        let methods = found
            .methods
            .get(method)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let of_line = |mapping: &&MethodMapping| match (mapping.lines, line) {
            (Some((first, last)), Some(line)) => (first..=last).contains(&line),
            _ => false,
        };
        let mut matching: Vec<&MethodMapping> = methods.iter().filter(of_line).collect();
        if matching.is_empty() {
            matching.extend(
                methods
                    .iter()
                    .find(|mapping| mapping.lines.is_none())
                    .or(methods.first()),
            );
        }
        let frames = matching.into_iter().map(|mapping| {
            let class = mapping.class.as_ref().unwrap_or(&found.original);
            OriginalFrame {
                class: class.clone(),
                method: mapping.method.clone(),
                file: self
                    .files
                    .get(class)
                    .cloned()
                    .unwrap_or_else(|| file_of(class)),
                line: mapping.line(line),
            }
        });
        frames.collect()
    }
}

impl MethodMapping {
    /// Returns the original line. Within a range of lines it is as far from the begin as `line` is, at most the last
    /// one. Without a range or `line` it is the first one. An entry without original lines returns `line` itself.
    fn line(&self, line: Option<u32>) -> Option<u32> {
        match (self.original, self.lines, line) {
            (Some((first, Some(last))), Some((start, _)), Some(line)) if last > first => {
                Some(first + line.saturating_sub(start).min(last - first))
            }
            (Some((first, _)), ..) => Some(first),
            (None, _, line) => line,
        }
    }
}

/// Parses the part before the arrow: `1:3:void some.Class.name(int):10:12`. Lines are optional on both sides.
/// Returns `None` for a field, and for lines that are no numbers.
fn method(text: &str) -> Option<MethodMapping> {
    let (before, after) = text.split_once('(')?;
    let (_, after) = after.split_once(')')?;
    let mut parts = before.splitn(3, ':');
    let (lines, signature) = match (parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(last), Some(rest)) => {
            (Some((first.parse().ok()?, last.parse().ok()?)), rest)
        }
        _ => (None, before),
    };
    let (_, name) = signature.rsplit_once(' ')?;
    let (class, method) = match name.rsplit_once('.') {
        Some((class, method)) => (Some(class.to_owned()), method),
        None => (None, name),
    };
    let mut numbers = after.split(':').skip(1).map(str::parse);
    let original = match (numbers.next(), numbers.next()) {
        (Some(Ok(first)), last) => Some((first, last.and_then(Result::ok))),
        _ => None,
    };
    Some(MethodMapping {
        lines,
        class,
        method: method.to_owned(),
        original,
    })
}

/// Returns the file in a comment `{"id":"sourceFile","fileName":"Name.kt"}`; `None` for other comments.
fn source_file(comment: &str) -> Option<&str> {
    let (_, rest) = comment.split_once("\"sourceFile\"")?;
    let (_, rest) = rest.split_once("\"fileName\":\"")?;
    rest.split('"').next()
}

/// Derives a class's source file from its name: `a.b.Main$1` is in `Main.java`, `a.b.MainKt` in `Main.kt`.
fn file_of(class: &str) -> String {
    let name = class.rsplit('.').next().unwrap_or(class);
    let name = name.split('$').next().unwrap_or(name);
    match name.strip_suffix("Kt") {
        Some(file) if !file.is_empty() => format!("{file}.kt"),
        _ => format!("{name}.java"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"# compiler: R8
com.example.Main -> a.a:
# {"id":"sourceFile","fileName":"Main.kt"}
    int count -> a
    1:3:void onCreate(android.os.Bundle):10:12 -> b
    4:4:void com.example.UtilKt.check(int):7:7 -> b
    4:4:void onCreate(android.os.Bundle):13 -> b
    void plain() -> c
com.example.Other -> a.b:
nonsense
    9:x:void odd() -> q
"#;

    #[test]
    fn a_frame_is_told_as_it_was_written() {
        let mapping = Mapping::read(MAP).unwrap();
        assert_eq!(mapping.class("a.b"), "com.example.Other");
        assert_eq!(mapping.class("x.y"), "x.y");
        let told = |method, line| -> Vec<String> {
            let frames = mapping.frames("a.a", method, line).into_iter();
            frames
                .map(|frame| {
                    let OriginalFrame {
                        class,
                        method,
                        file,
                        line,
                    } = frame;
                    format!("{class}.{method}({file}:{line:?})")
                })
                .collect()
        };
        assert_eq!(
            told("b", Some(2)),
            ["com.example.Main.onCreate(Main.kt:Some(11))"]
        );
        let inlined = [
            "com.example.UtilKt.check(Util.kt:Some(7))",
            "com.example.Main.onCreate(Main.kt:Some(13))",
        ];
        assert_eq!(told("b", Some(4)), inlined);
        assert_eq!(
            told("c", Some(5)),
            ["com.example.Main.plain(Main.kt:Some(5))"]
        );
        assert!(told("z", None).is_empty());
        assert!(mapping.frames("q.q", "b", None).is_empty());
    }
}
