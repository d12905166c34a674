//! Table of all kinds of diagnostics: name, severity and meaning.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file can be used, but probably does something else than its author wants.
    Warning,
    /// The file cannot be used.
    Error,
}

macro_rules! codes {
    ($($variant:ident, $name:literal, $severity:ident, $meaning:literal;)+) => {
        /// Kind of a diagnostic. Its name is stable: people look it up, programs compare it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)+
        }

        impl Code {
            /// All codes, by name.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name in kebab case.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the usual severity. The code that reports a diagnostic may set another one.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }

            /// Returns a sentence that explains the kind.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)+
                }
            }
        }
    };
}

codes! {
    Alias, "alias", Error, "An alias of YAML stands inside the value that it names.";
    Argument, "argument", Error, "The arguments of a step fit their types, but not each other.";
    BreaksOnRecording, "breaks-on-recording", Error, "A step fails on the recorded screen where an earlier run did the step that it replaces.";
    Colour, "colour", Error, "A colour is not of the form `#RRGGBB`.";
    Comment, "comment", Warning, "A `#` begins a comment where it was probably meant as text, or is text where a comment was meant: put the text into quotes, or a space before the `#`.";
    Condition, "condition", Error, "A condition is one thing: an expression, `visible` or `not_visible`.";
    Context, "context", Error, "`context` stands where no action gives one.";
    Doubtful, "doubtful", Warning, "A word of a flow, or of a script, probably does not do what it seems to say: another tool writes it so.";
    DuplicateId, "duplicate-id", Warning, "Two components of a surface have the same id.";
    DuplicateKey, "duplicate-key", Error, "A map has the same key twice.";
    Duration, "duration", Error, "A duration is a number with a unit: `500ms`, `10s`, `2m`.";
    Expression, "expression", Error, "What stands in `${…}` is not an expression.";
    Format, "format", Error, "A text with `${…}` of an app cannot be read.";
    Ignored, "ignored", Warning, "A word of a flow of Maestro's changes nothing on Android.";
    Json, "json", Error, "A file of JSON cannot be read.";
    Key, "key", Error, "A key of a map is plain text.";
    Launchable, "launchable", Error, "An app has no activity that the launcher starts.";
    Malformed, "malformed", Error, "A text does not have the form that is asked for.";
    Matrix, "matrix", Error, "A matrix has a value twice or that cannot be, or too many combinations.";
    MergeKey, "merge-key", Error, "The merge key `<<` of YAML takes a map, or a list of maps.";
    Message, "message", Error, "A message of a surface cannot be applied.";
    MissingArgument, "missing-argument", Error, "A call of a function lacks an argument.";
    MissingKey, "missing-key", Error, "A map lacks a key that it must have.";
    MissingProperty, "missing-property", Error, "A component lacks a property that it must have.";
    MissingValue, "missing-value", Error, "A key, or a list of steps, has no value.";
    Name, "name", Error, "A name cannot be used in expressions.";
    NoApp, "no-app", Error, "A step acts on an app, and neither it nor the flow's header names one.";
    NoEffect, "no-effect", Warning, "A key of a sub-flow's header has no effect where another flow runs the sub-flow.";
    NotAFlow, "not-a-flow", Error, "A flow is a map with `steps`.";
    NotChecked, "not-checked", Warning, "No recording says whether a step works.";
    NotDone, "not-done", Warning, "The virtual device does not do what an app asks for.";
    NotDrawn, "not-drawn", Warning, "The virtual device does not draw a component as an app asks for.";
    NotRecorded, "not-recorded", Warning, "A new step needs what is on no recorded screen.";
    OtherElement, "other-element", Warning, "A step touches another element than it did in the recording.";
    OutOfRange, "out-of-range", Error, "A number, or how many there are of something, is outside its limits.";
    Package, "package", Error, "A package is not of the form `com.example.app`.";
    Pattern, "pattern", Error, "A regular expression of an app cannot be read.";
    Pointer, "pointer", Error, "A path into an app's data begins with `/`.";
    Regex, "regex", Error, "A regular expression cannot be read.";
    Root, "root", Error, "A surface has no component `root`.";
    RowsDisagree, "rows-disagree", Warning, "A golden's rows of one render class say something else than those that all devices share.";
    RunnerYaml, "runner-yaml", Error, "A setting of runner.yaml cannot be.";
    Script, "script", Error, "A script of a flow of Maestro's is not JavaScript.";
    Selector, "selector", Error, "A selector contradicts itself, says nothing, or has a regular expression that cannot be read.";
    SeveralDocuments, "several-documents", Error, "A file holds one document.";
    SeveralOnRecording, "several-on-recording", Error, "A selector matches several elements of the recorded screen.";
    Shell, "shell", Error, "A step runs a command of the device where runner.yaml does not allow it.";
    ShortSecret, "short-secret", Warning, "A secret is so short that it stands in other texts by chance.";
    SnapshotName, "snapshot-name", Error, "Two snapshots have the same golden, a snapshot's name cannot be a file's, or `each` is missing or out of place.";
    StarInId, "star-in-id", Warning, "An `id` has a `*`, which stands for itself: ids are not patterns.";
    Step, "step", Error, "A step is one name, with its value and its modifiers.";
    SubFlow, "sub-flow", Error, "`run` names a flow that is not there, or that cannot be a sub-flow.";
    SubFlowCycle, "sub-flow-cycle", Error, "A flow runs itself, perhaps through others.";
    Surface, "surface", Error, "The surface of an activity is not there, or is none.";
    Table, "table", Error, "A table of `each` cannot be used: its file, its columns, a row, or the names of its cases.";
    Tag, "tag", Error, "A tag of YAML (`!name`) is not known.";
    TooLarge, "too-large", Error, "A file has more values, levels or sub-flows than any that a person writes.";
    UndefinedName, "undefined-name", Error, "An expression, or `outputs`, uses a name that nothing has set.";
    UnknownArgument, "unknown-argument", Error, "A function has no argument of that name.";
    UnknownComponent, "unknown-component", Error, "There is no component with that id.";
    UnknownComponentType, "unknown-component-type", Error, "There is no type of component of that name.";
    UnknownEvent, "unknown-event", Error, "An event names an action that `app.yaml` does not have.";
    UnknownFunction, "unknown-function", Error, "There is no function of that name.";
    UnknownIcon, "unknown-icon", Error, "There is no icon of that name.";
    UnknownKey, "unknown-key", Error, "A map has a key that is not known there.";
    UnknownMessage, "unknown-message", Error, "A message is none that is known, is empty, or is two.";
    UnknownName, "unknown-name", Error, "An app names an action, an activity or a permission that it does not have.";
    UnknownProperty, "unknown-property", Error, "A component has no property of that name.";
    UnknownStep, "unknown-step", Error, "There is no step of that name.";
    UnknownTag, "unknown-tag", Warning, "A tag that nothing has: no device, where a flow needs it, or no flow, where a workspace names it.";
    UnknownValue, "unknown-value", Error, "A value is none of those that are possible.";
    Unreadable, "unreadable", Error, "A file cannot be opened, is not text, is larger than 1 MiB, or lies outside the project or app.";
    Unsupported, "unsupported", Error, "A command or an option of Maestro's cannot run here.";
    Version, "version", Error, "A message of an app names no version of A2UI that its files may have.";
    WrongType, "wrong-type", Error, "A value is of another type than is asked for.";
    Yaml, "yaml", Error, "A text is not YAML.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_in_kebab_case() {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        for code in Code::ALL {
            let kebab = format!("{code:?}")
                .chars()
                .fold(String::new(), |name, letter| {
                    let hyphen = letter.is_uppercase() && !name.is_empty();
                    format!(
                        "{name}{}{}",
                        if hyphen { "-" } else { "" },
                        letter.to_lowercase()
                    )
                });
            assert_eq!(kebab, code.as_str());
            assert!(code.meaning().ends_with('.'), "{code}");
        }
    }
}
