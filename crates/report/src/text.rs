//! Formats words and lines for the terminal and the JUnit report: durations, colours, and text made harmless.

use std::borrow::Cow;
use std::fmt::Display;

use console::Style;
use runner_event::{FlowStatus, LogLevel, SourceLocation};
use runner_text::harmless;

/// Colours of the terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    /// False prints without colours.
    pub color: bool,
}

impl Paint {
    fn apply(self, style: Style, text: impl Display) -> String {
        // Otherwise the library would look at standard output, but the text may go elsewhere.
        style.force_styling(self.color).apply_to(text).to_string()
    }

    pub fn red(self, text: impl Display) -> String {
        self.apply(Style::new().red().bold(), text)
    }

    pub fn green(self, text: impl Display) -> String {
        self.apply(Style::new().green().bold(), text)
    }

    pub fn yellow(self, text: impl Display) -> String {
        self.apply(Style::new().yellow().bold(), text)
    }

    pub fn bold(self, text: impl Display) -> String {
        self.apply(Style::new().bold(), text)
    }

    pub fn dim(self, text: impl Display) -> String {
        self.apply(Style::new().dim(), text)
    }

    /// Formats `text` in the colour of a status: green for passed, red for failed and error, yellow for all
    /// others. Without colours `text` stays as it is.
    pub fn status(self, status: FlowStatus, text: impl Display) -> String {
        match status {
            FlowStatus::Passed => self.green(text),
            FlowStatus::Failed | FlowStatus::Error => self.red(text),
            FlowStatus::Flaky
            | FlowStatus::Skipped
            | FlowStatus::Interrupted
            | FlowStatus::Quarantined => self.yellow(text),
        }
    }
}

/// Returns the word for a status at the start of a flow's line, at most 5 letters, without padding.
pub(super) fn status_word(status: FlowStatus) -> &'static str {
    match status {
        FlowStatus::Passed => "PASS",
        FlowStatus::Flaky => "FLAKY",
        FlowStatus::Failed => "FAIL",
        FlowStatus::Error => "ERROR",
        FlowStatus::Skipped => "SKIP",
        FlowStatus::Interrupted => "STOP",
        FlowStatus::Quarantined => "QUAR",
    }
}

/// Formats milliseconds as a duration, such as `120ms`, `3.4s` or `2m 05s`. Rounds to tenths of a second
/// below a minute, to seconds above; there are no hours.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms}ms"),
        // Rounded to tenths. Values that would round to 60.0s are shown as a minute.
        1000..59_950 => {
            let tenths = (ms + 50) / 100;
            format!("{}.{}s", tenths / 10, tenths % 10)
        }
        _ => {
            let seconds = ms.saturating_add(500) / 1000;
            format!("{}m {:02}s", seconds / 60, seconds % 60)
        }
    }
}

/// Formats a number with its noun, such as `1 dump` or `2 dumps`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Makes text of an app or device harmless, so that it can neither control a terminal nor break XML: control
/// characters become visible, such as `\u{1b}`. Keeps line ends, `\r\n` as a line feed, and replaces tabs by four
/// spaces.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    match harmless::text(text) {
        clean if clean.contains('\t') => clean.replace('\t', "    ").into(),
        clean => clean,
    }
}

/// Formats the message about a dialog that a rule of `on_dialog`, at `at`, answered. `failure` is the reason why the
/// answer could not be given: then the level is a warning, else information.
pub(super) fn dialog_line(
    at: &SourceLocation,
    when: &str,
    answer: &str,
    failure: Option<&str>,
) -> (LogLevel, String) {
    let rule = format!(
        "a dialog with {when} hid the app: on_dialog ({}:{})",
        at.file, at.line
    );
    match failure {
        None => (LogLevel::Info, format!("{rule} did `{answer}`")),
        Some(why) => (
            LogLevel::Warning,
            format!("{rule} could not do `{answer}`: {why}"),
        ),
    }
}

/// Indents a line by four columns; an empty one stays empty.
pub(super) fn indented(line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("    {line}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (ms, expected) in [
            (0, "0ms"),
            (999, "999ms"),
            (1000, "1.0s"),
            (3449, "3.4s"),
            (59_949, "59.9s"),
            (59_950, "1m 00s"),
            (125_400, "2m 05s"),
            (3_600_000, "60m 00s"),
            // Possible in a stream that another program wrote.
            (u64::MAX, "307445734561825m 51s"),
        ] {
            assert_eq!(duration(ms), expected, "{ms}");
        }
    }
}
