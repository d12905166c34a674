//! Words and lines that the terminal and the JUnit report share: durations, colours, paths, and the block of a failure.

use std::borrow::Cow;
use std::fmt::Display;

use camino::{Utf8Path, Utf8PathBuf};
use console::{Style, measure_text_width};

use super::results::{Attempt, End, Results};
use crate::run::{Artifact, ArtifactKind, FlowStatus, Recorded, SnapshotResult};

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    /// Whether colours are written.
    pub color: bool,
}

impl Paint {
    fn apply(self, style: Style, text: impl Display) -> String {
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

    /// `text` in the colour of a status.
    pub fn status(self, status: FlowStatus, text: impl Display) -> String {
        match status {
            FlowStatus::Passed => self.green(text),
            FlowStatus::Failed | FlowStatus::Error => self.red(text),
            FlowStatus::Flaky | FlowStatus::Skipped | FlowStatus::Interrupted => self.yellow(text),
        }
    }
}

/// The word for a status, as it stands at the start of a flow's line.
pub(super) fn status_word(status: FlowStatus) -> &'static str {
    match status {
        FlowStatus::Passed => "PASS",
        FlowStatus::Flaky => "FLAKY",
        FlowStatus::Failed => "FAIL",
        FlowStatus::Error => "ERROR",
        FlowStatus::Skipped => "SKIP",
        FlowStatus::Interrupted => "STOP",
    }
}

/// `120ms`, `3.4s`, `2m 05s`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms}ms"),
        // Rounded to tenths; what would round up to a minute is one.
        1000..59_950 => {
            let tenths = (ms + 50) / 100;
            format!("{}.{}s", tenths / 10, tenths % 10)
        }
        _ => {
            let seconds = (ms + 500) / 1000;
            format!("{}m {:02}s", seconds / 60, seconds % 60)
        }
    }
}

/// `1 dump`, `2 dumps`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Text of an app or device made harmless: control characters and those that turn the reading direction become visible,
/// so that it can neither steer a terminal nor break XML. Line ends stay, tabs become spaces.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\t' => clean.push_str("    "),
            c if harmful(c) => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Where things are, as seen from the folder a person works in.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Absolute root of the project.
    pub root: Utf8PathBuf,
    /// Absolute folder of the artifacts.
    pub artifacts: Utf8PathBuf,
    /// Absolute folder that paths are shown from.
    pub base: Utf8PathBuf,
}

impl Places {
    /// Of a run, seen from `base`, or from its root.
    pub fn new(results: &Results, base: Option<&Utf8Path>) -> Self {
        let Some(run) = &results.run else {
            return Self::default();
        };
        Self {
            root: run.root.clone(),
            artifacts: run.artifacts.clone(),
            base: base.unwrap_or(&run.root).to_owned(),
        }
    }

    /// A file below the root.
    pub fn source(&self, path: &Utf8Path) -> String {
        self.shown(&self.root, path)
    }

    /// A file below the artifacts folder.
    pub fn artifact(&self, path: &Utf8Path) -> String {
        self.shown(&self.artifacts, path)
    }

    fn shown(&self, folder: &Utf8Path, path: &Utf8Path) -> String {
        let whole = folder.join(path);
        let shown = whole.strip_prefix(&self.base).unwrap_or(&whole);
        clean(shown.as_str()).into_owned()
    }
}

/// `file:line:column`.
pub(super) fn position(at: &Recorded, places: &Places) -> String {
    format!("{}:{}:{}", places.source(&at.file), at.line, at.column)
}

/// The block that explains a failure; one string a line, without line ends.
pub(super) fn failure_block(
    attempt: &Attempt,
    end: &End,
    places: &Places,
    paint: Paint,
) -> Vec<String> {
    let mut lines = Vec::new();
    let step = attempt.failed_step();
    if let Some(failure) = &end.failure {
        let message = clean(&failure.message).into_owned();
        let mut parts = message.lines();
        let first = parts.next().unwrap_or_default();
        lines.push(format!("{} {}", paint.red("error:"), paint.bold(first)));
        lines.extend(parts.map(|part| format!("       {part}")));
    }
    let at = end.failed_at.as_ref().or(step.map(|step| &step.at));
    if let Some(at) = at {
        lines.extend(source_lines(at, places, paint));
    }
    if let Some(step) = step
        && at.is_none_or(|at| !at.text.contains(&step.title))
    {
        lines.push(format!("  step:     {}", clean(&step.title)));
    }
    if let Some(failure) = &end.failure {
        let values = [
            ("expected:", &failure.expected),
            ("actual:", &failure.actual),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                let name = paint.bold(format!("{name:<9}"));
                labelled(&mut lines, &format!("  {name} "), 12, value);
            }
        }
        for detail in &failure.details {
            labelled(&mut lines, "  ", 2, detail);
        }
    }
    for snapshot in attempt.open_snapshots() {
        snapshot_lines(&mut lines, snapshot, paint);
    }
    artifact_lines(&mut lines, &attempt.artifacts(), places, paint);
    next_lines(&mut lines, attempt, paint);
    lines
}

/// Position, source line and marker.
fn source_lines(at: &Recorded, places: &Places, paint: Paint) -> Vec<String> {
    let number = at.line.to_string();
    let margin = " ".repeat(number.len());
    let bar = paint.dim("|");
    let mut lines = vec![format!(
        "{margin}{} {}",
        paint.dim("-->"),
        position(at, places)
    )];
    if at.text.trim().is_empty() {
        return lines;
    }
    let before: String = at.text.chars().take(at.column.saturating_sub(1)).collect();
    let marked: String = at.text.chars().skip(at.column.saturating_sub(1)).collect();
    let indent = " ".repeat(measure_text_width(&clean(&before)));
    let marker = "^".repeat(measure_text_width(&clean(marked.trim_end())).max(1));
    lines.push(format!("{margin} {bar}"));
    lines.push(format!(
        "{} {bar} {}",
        paint.dim(&number),
        clean(at.text.trim_end())
    ));
    lines.push(format!("{margin} {bar} {indent}{}", paint.red(marker)));
    lines
}

/// Pushes `text` after `label`; further lines of it are indented by `indent`.
fn labelled(lines: &mut Vec<String>, label: &str, indent: usize, text: &str) {
    let text = clean(text);
    let mut parts = text.lines();
    lines.push(format!("{label}{}", parts.next().unwrap_or_default()));
    lines.extend(parts.map(|part| format!("{:indent$}{part}", "")));
}

fn snapshot_lines(lines: &mut Vec<String>, snapshot: &SnapshotResult, paint: Paint) {
    lines.push(format!(
        "  snapshot {}: {}",
        paint.bold(clean(&snapshot.key)),
        verdict_words(&snapshot.verdict)
    ));
    for change in &snapshot.changes {
        labelled(lines, "    - ", 6, change);
    }
}

fn verdict_words(verdict: &str) -> Cow<'_, str> {
    match verdict {
        "new" => "there is no golden yet".into(),
        "differs" => "differs from its golden".into(),
        "unstable" => "the screen did not come to rest".into(),
        "mask_changed" => "its mask is not the golden's".into(),
        other => clean(other),
    }
}

fn artifact_lines(lines: &mut Vec<String>, all: &[&Artifact], places: &Places, paint: Paint) {
    for artifact in all {
        let name = match artifact.kind {
            ArtifactKind::Screenshot => "screenshot",
            ArtifactKind::Annotated => "annotated",
            ArtifactKind::Tsv => "screen",
            ArtifactKind::Difference => "difference",
            ArtifactKind::Golden => "golden",
            ArtifactKind::Log => "log",
            ArtifactKind::Video => "video",
            ArtifactKind::File => "file",
        };
        lines.push(format!(
            "  {} {}",
            paint.dim(format!("{name:<10}")),
            places.artifact(&artifact.path)
        ));
    }
}

/// What to do about snapshots that wait for a decision.
fn next_lines(lines: &mut Vec<String>, attempt: &Attempt, paint: Paint) {
    let mut open = attempt.open_snapshots().peekable();
    if open.peek().is_none() {
        return;
    }
    let pending: Vec<&SnapshotResult> = open
        .filter(|snapshot| !snapshot.pending.is_empty())
        .collect();
    if pending.is_empty() {
        return;
    }
    let keys: Vec<String> = pending
        .iter()
        .map(|snapshot| shell_word(&clean(&snapshot.key)))
        .collect();
    lines.push(format!(
        "  next: {} to look at it, {} to take it",
        paint.bold("runner review"),
        paint.bold(format!("runner accept {}", keys.join(" ")))
    ));
}

/// `text` as one word for a person to paste into a shell.
fn shell_word(text: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '~' | '@' | '+' | '=');
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('~') {
        text.to_owned()
    } else if text.contains(['$', '`', '"', '\\', '!', '%']) {
        format!("'{}'", text.replace('\'', r"'\''"))
    } else {
        format!("\"{text}\"")
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
        ] {
            assert_eq!(duration(ms), expected, "{ms}");
        }
    }

    #[test]
    fn text_of_apps_can_not_steer_the_terminal() {
        for (text, expected) in [
            ("plain ä 漢", "plain ä 漢"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\tb\r\nc\rd", "a    b\nc\\u{d}d"),
            ("\u{202e}evil\u{7}", "\\u{202e}evil\\u{7}"),
            ("\u{9b}31m", "\\u{9b}31m"),
        ] {
            assert_eq!(clean(text), expected);
        }
    }

    #[test]
    fn keys_are_quoted_where_a_shell_needs_it() {
        for (key, expected) in [
            ("login/home~virtual1-34", "login/home~virtual1-34"),
            ("my flow/home", "\"my flow/home\""),
            ("a$b/home", "'a$b/home'"),
            ("", "\"\""),
        ] {
            assert_eq!(shell_word(key), expected);
        }
    }

    #[test]
    fn the_marker_stands_below_wide_characters_and_tabs() {
        let at = Recorded {
            file: "a.yaml".into(),
            line: 9,
            column: 5,
            text: "漢\t- click: x".into(),
        };
        let lines = source_lines(&at, &Places::default(), Paint { color: false });
        assert_eq!(lines[2], "9 | 漢    - click: x");
        assert_eq!(lines[3], "  |         ^^^^^^^^");
    }
}
