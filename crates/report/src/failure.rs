//! Formats the lines that explain a failure: message, place, expected and actual value, snapshots, files and
//! the next command.

use camino::Utf8PathBuf;
use console::measure_text_width;
use indexmap::IndexSet;

use super::places::{Places, position};
use super::records::{Attempt, End, Phase, StepRecord};
use super::text::{Paint, clean};
use runner_event::{Artifact, ArtifactKind, SnapshotResult, SnapshotVerdict, SourceLocation};
use runner_snapshot::KeyNames;
use runner_text::harmless;
use runner_text::shell::operands_to_copy;
use runner_tools::{Crash, Failure};

/// Files listed per failure; the last line counts the rest. Chosen: about half a screen of a terminal.
const MAX_FILES: usize = 16;

/// Lines of a crash's stack; the rest is counted. Chosen: ordinary stacks are complete, one of a deep
/// recursion is cut.
const MAX_STACK_LINES: usize = 100;

/// Keys in the proposed commands; with more of them, the command shows `KEY…`. Chosen: more would not fit a
/// line.
const MAX_KEYS: usize = 4;

/// Formats a failure; one string a line, without line ends. Message, place, time waited, step, values, details and
/// stack of a crash come first; then failed soft assertions, snapshots that did not pass, files and the next commands.
/// Unknown parts are left out, as are the step if the quoted line has its title, and a snapshot that the failure
/// reports already. Without `end.failure` there are no message, values and details. Secrets are masked and control
/// characters visible.
pub(super) fn failure_block(
    attempt: &Attempt,
    end: &End,
    (places, names): (&Places, &KeyNames),
    paint: Paint,
) -> Vec<String> {
    let keys: Vec<&str> = attempt.open_snapshots().map(|it| it.key.as_str()).collect();
    let mut lines = Vec::new();
    let step = attempt.failed_step();
    if let Some(failure) = &end.failure {
        let message = names.shorten(failure.message.masked_text(), &keys);
        let message = clean(&message);
        let mut parts = message.lines();
        let first = parts.next().unwrap_or_default();
        let word = error_word(step.map(StepRecord::phase));
        lines.push(format!("{} {}", paint.red(word), paint.bold(first)));
        lines.extend(parts.map(|part| format!("       {part}")));
    }
    let at = end.failed_at.as_ref().or(step.map(|step| &step.at));
    if let Some(at) = at {
        lines.extend(source_lines(at, places, paint));
    }
    if let Some(waited) = end.failure.as_ref().and_then(|failure| failure.waited) {
        lines.push(format!("  waited:   {waited}"));
    }
    if let Some(step) = step
        && at.is_none_or(|at| !has_title(at, &step.title))
    {
        lines.push(format!("  step:     {}", harmless::line(&step.title)));
    }
    if let Some(failure) = &end.failure {
        value_lines(&mut lines, failure, paint);
        for detail in &failure.details {
            labelled(&mut lines, "  ", 2, detail.masked_text());
        }
        if let Some(crash) = &failure.crash {
            let reported = stack_lines(crash, MAX_STACK_LINES);
            lines.extend(reported.map(|line| format!("  {}", harmless::line(&line))));
        }
    }
    for step in attempt.soft_failures() {
        soft_lines(&mut lines, step, places, paint);
    }
    for snapshot in attempt.open_snapshots() {
        if !is_reported(snapshot, end) {
            snapshot_lines(&mut lines, snapshot, names, paint);
        }
    }
    artifact_lines(&mut lines, &attempt.visible_files(), places, paint);
    next_lines(&mut lines, attempt, paint);
    lines
}

/// Returns true if the quoted line of a place has the step's title, which is written without quotes and may be cut. It
/// has not with a label or inserted values.
pub(super) fn has_title(at: &SourceLocation, title: &str) -> bool {
    let plain = |text: &str| text.replace('"', "");
    plain(&at.text).contains(&plain(title.trim_end_matches('…')))
}

/// Returns the word that begins a failure, by the phase of the failed step: `error in setup:` or
/// `error in teardown:`, and else `error:`, also for `on_failure` and without a step.
pub(super) fn error_word(phase: Option<Phase>) -> &'static str {
    match phase {
        Some(Phase::Setup) => "error in setup:",
        Some(Phase::Teardown) => "error in teardown:",
        Some(Phase::Steps | Phase::OnFailure) | None => "error:",
    }
}

/// Formats the process of a crash, with its id if known, then the first `max_lines` lines of its stack, indented by
/// two columns. If there are more, a last line counts them. Without a stack, only the process. The text is not made
/// harmless.
pub(super) fn stack_lines(crash: &Crash, max_lines: usize) -> impl Iterator<Item = String> {
    let pid = crash.pid.map(|pid| format!(" (pid {pid})"));
    let process = format!("process {}{}", crash.process, pid.unwrap_or_default());
    let more = crash.stack.len().saturating_sub(max_lines);
    let more = (more > 0).then(|| format!("  … and {more} more lines"));
    let calls = crash.stack.iter().take(max_lines);
    std::iter::once(process)
        .chain(calls.map(|call| format!("  {call}")))
        .chain(more)
}

/// Adds a failed soft assertion: the first line of its message, its place and its values, but not its details. Adds
/// nothing if the step has no failure.
fn soft_lines(lines: &mut Vec<String>, step: &StepRecord, places: &Places, paint: Paint) {
    let Some(failure) = &step.failure else {
        return;
    };
    let message = clean(failure.message.masked_text());
    lines.push(format!(
        "{} {}",
        paint.red("also failed:"),
        message.lines().next().unwrap_or_default()
    ));
    lines.extend(source_lines(&step.at, places, paint));
    value_lines(lines, failure, paint);
}

/// Appends the expected and the actual value, in this order, each only if the failure has it. Further lines of a
/// value are indented to its first.
fn value_lines(lines: &mut Vec<String>, failure: &Failure, paint: Paint) {
    let values = [
        ("expected:", &failure.expected),
        ("actual:", &failure.actual),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            let name = paint.bold(format!("{name:<9}"));
            labelled(lines, &format!("  {name} "), 12, value);
        }
    }
}

/// Formats the position, the line of the flow's file and a marker below it. If the line's text is blank, returns only
/// the position. The marker reaches from the column to the end of the line. It is left out if the text, which the
/// event cuts, ends before the column.
fn source_lines(at: &SourceLocation, places: &Places, paint: Paint) -> Vec<String> {
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
    let rest: String = at.text.chars().skip(at.column.saturating_sub(1)).collect();
    // By columns, not characters: wide letters would shift the marker.
    let indent = " ".repeat(measure_text_width(&clean(&before)));
    let marker = "^".repeat(measure_text_width(&clean(rest.trim_end())).max(1));
    lines.push(format!("{margin} {bar}"));
    lines.push(format!(
        "{} {bar} {}",
        paint.dim(&number),
        clean(at.text.trim_end())
    ));
    // The event cuts long lines, so the place itself may be missing.
    if !rest.is_empty() {
        lines.push(format!("{margin} {bar} {indent}{}", paint.red(marker)));
    }
    lines
}

/// Appends `text` after `label`, its further lines indented by `indent` columns. Control characters become visible.
/// An empty text gives the label alone.
fn labelled(lines: &mut Vec<String>, label: &str, indent: usize, text: &str) {
    let text = clean(text);
    let mut parts = text.lines();
    lines.push(format!("{label}{}", parts.next().unwrap_or_default()));
    lines.extend(parts.map(|part| format!("{:indent$}{part}", "")));
}

/// Returns true if the flow's failure names the snapshot's key in its message and has each of the snapshot's changes
/// among its details. A snapshot without changes needs only its key there. Returns false for a flow without a
/// failure.
fn is_reported(snapshot: &SnapshotResult, end: &End) -> bool {
    end.failure.as_ref().is_some_and(|failure| {
        failure.message.contains(&snapshot.key)
            && snapshot
                .changes
                .iter()
                .all(|change| failure.details.iter().any(|line| line == change))
    })
}

/// Appends a line with the snapshot's name and verdict, and one for each of its changes, if any.
fn snapshot_lines(
    lines: &mut Vec<String>,
    snapshot: &SnapshotResult,
    names: &KeyNames,
    paint: Paint,
) {
    lines.push(format!(
        "  snapshot {}: {}",
        paint.bold(harmless::line(&names.name_of_text(&snapshot.key))),
        verdict_words(snapshot.verdict)
    ));
    for change in &snapshot.changes {
        labelled(lines, "    - ", 6, change);
    }
}

/// Describes the verdict of a snapshot, to follow its name, such as `differs from its golden`. Passed and newly
/// written snapshots both read `is as its golden`.
pub(super) fn verdict_words(verdict: SnapshotVerdict) -> &'static str {
    match verdict {
        SnapshotVerdict::New => "there is no golden yet",
        SnapshotVerdict::Differs => "differs from its golden",
        SnapshotVerdict::Unstable => "the screen did not come to rest",
        SnapshotVerdict::MaskChanged => "its mask is not the golden's",
        SnapshotVerdict::MaskTooLarge => "its masks cover too much of the screen",
        SnapshotVerdict::Passed | SnapshotVerdict::Written => "is as its golden",
    }
}

/// Appends a line with kind and path for each artifact, at most `MAX_FILES` lines in all: if there are more, the last
/// line counts the others and names the folder of the first of them. Appends nothing if there are none. The files may
/// be gone.
fn artifact_lines(lines: &mut Vec<String>, all: &[&Artifact], places: &Places, paint: Paint) {
    let reported = if all.len() > MAX_FILES {
        // The last line counts the rest.
        MAX_FILES - 1
    } else {
        all.len()
    };
    for artifact in &all[..reported] {
        let name = match artifact.kind {
            ArtifactKind::Proposal => "proposal",
            ArtifactKind::Screenshot => "screenshot",
            ArtifactKind::Annotated => "annotated",
            ArtifactKind::Tsv | ArtifactKind::Screen => "screen",
            ArtifactKind::Difference => "difference",
            ArtifactKind::Golden => "golden",
            ArtifactKind::Rows => "rows",
            ArtifactKind::Log => "log",
            ArtifactKind::Video => "video",
            ArtifactKind::File => "file",
        };
        lines.push(format!(
            "  {} {}",
            paint.dim(format!("{name:<10}")),
            places.artifact(artifact)
        ));
    }
    if let [next, ..] = &all[reported..] {
        let place = Utf8PathBuf::from(places.artifact(next));
        lines.push(format!(
            "  {} {} more in {}",
            paint.dim(format!("{:<10}", "files")),
            all.len() - reported,
            place.parent().unwrap_or(&place)
        ));
    }
}

/// Appends a line with the commands to run next if open snapshots need a decision: review, accept and reject with the
/// keys that the run left pending, each once, or, if it left none, a run with `--update pending`. More than `MAX_KEYS`
/// keys are written as `KEY…`. Appends nothing if no open snapshot needs a decision.
fn next_lines(lines: &mut Vec<String>, attempt: &Attempt, paint: Paint) {
    let open: Vec<&SnapshotResult> = attempt
        .open_snapshots()
        .filter(|snapshot| snapshot.needs_decision())
        .collect();
    // A step that runs again takes the same snapshots again.
    let keys: IndexSet<String> = open
        .iter()
        .filter(|snapshot| !snapshot.pending.is_empty())
        // With its class: a key alone means all that waits, and this run did not show all of that.
        .map(|snapshot| harmless::line(&snapshot.key).into_owned())
        .collect();
    if !keys.is_empty() {
        let keys = if keys.len() > MAX_KEYS {
            "KEY…".to_owned()
        } else {
            operands_to_copy(keys.iter().map(String::as_str))
        };
        lines.push(format!(
            "  next: {}, or at once {} or {}",
            paint.bold("runner review"),
            paint.bold(format!("runner accept {keys}")),
            paint.bold(format!("runner reject {keys}"))
        ));
    } else if !open.is_empty() {
        lines.push(format!(
            "  next: run it with {}, then {}",
            paint.bold("--update pending"),
            paint.bold("runner review")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_fits_what_waits() {
        let snapshot = |verdict: SnapshotVerdict, pending: &[&str]| SnapshotResult {
            key: "login/home".into(),
            verdict,
            changes: Vec::new(),
            cause: None,
            areas: None,
            pending: pending.iter().map(|path| (*path).into()).collect(),
        };
        for (snapshots, expected) in [
            (vec![], None),
            (vec![snapshot(SnapshotVerdict::Passed, &[])], None),
            (vec![snapshot(SnapshotVerdict::Unstable, &[])], None),
            // Masking less is what helps.
            (vec![snapshot(SnapshotVerdict::MaskTooLarge, &[])], None),
            (
                vec![
                    snapshot(SnapshotVerdict::New, &["home.new.tsv"]),
                    snapshot(SnapshotVerdict::Differs, &["x"]),
                ],
                Some(
                    "  next: runner review, or at once runner accept login/home or runner reject login/home",
                ),
            ),
            (
                vec![snapshot(SnapshotVerdict::Differs, &[])],
                Some("  next: run it with --update pending, then runner review"),
            ),
        ] {
            let attempt = Attempt {
                snapshots,
                ..Attempt::default()
            };
            let mut lines = Vec::new();
            next_lines(&mut lines, &attempt, Paint { color: false });
            assert_eq!(lines.first().map(String::as_str), expected);
        }
    }

    #[test]
    fn a_key_of_a_step_that_ran_again_is_named_once() {
        let snapshot = |key: &str| SnapshotResult {
            key: key.into(),
            verdict: SnapshotVerdict::Differs,
            changes: Vec::new(),
            cause: None,
            areas: None,
            pending: vec!["x".into()],
        };
        let keys = ["a", "b", "c"];
        let attempt = Attempt {
            snapshots: keys.iter().chain(&keys).copied().map(snapshot).collect(),
            ..Attempt::default()
        };
        let mut lines = Vec::new();
        next_lines(&mut lines, &attempt, Paint { color: false });
        assert_eq!(
            lines,
            ["  next: runner review, or at once runner accept a b c or runner reject a b c"]
        );
    }

    #[test]
    fn a_title_is_found_in_its_line_whatever_the_quotes() {
        let at = |text: &str| SourceLocation {
            file: "a.yaml".into(),
            line: 9,
            column: 5,
            text: text.into(),
        };
        for (text, title, expected) in [
            ("  - click: Save", "click: Save", true),
            ("  - click: \"Save\"", "click: Save", true),
            ("  - click: Save", "click: \"Save\"", true),
            ("  - click: Save all of it", "click: Save all…", true),
            ("  - click: \"${button}\"", "click: Save", false),
            ("", "click: Save", false),
        ] {
            assert_eq!(has_title(&at(text), title), expected, "{text} {title}");
        }
    }

    #[test]
    fn the_marker_stands_below_wide_characters_and_tabs() {
        let at = SourceLocation {
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
