//! Breakpoints: lines at which a run pauses. They move with their lines when the text is edited.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::{DebuggerState, Inner, MAX_BREAKPOINTS, Studio, StudioError};
use runner_flow::{Flow, Step, StepAction};
use runner_text::diagnostic::line_column;

/// Line, and whether it has a breakpoint now.
#[derive(Debug, Serialize)]
pub(super) struct Breakpoint {
    line: usize,
    set: bool,
}

impl DebuggerState {
    /// Moves breakpoints and the line of the pause to their lines in the new text, and removes those whose lines are
    /// gone. Returns true if a line changed; false for an equal text. Tells no page.
    pub(super) fn follow(&self, text: &str) -> bool {
        let mut inner = self.lock();
        if *inner.text == *text {
            return false;
        }
        let before = std::mem::replace(&mut inner.text, text.into());
        let shift = LineMapping::new(&before, text);
        let lines: BTreeSet<usize> = inner
            .breakpoints
            .iter()
            .filter_map(|line| shift.line(*line))
            .collect();
        let mut is_moved = lines != inner.breakpoints;
        inner.breakpoints = lines;
        if let Some(open) = &mut inner.pause {
            let line = open.line.and_then(|line| shift.line(line));
            is_moved |= line != open.line;
            open.line = line;
        }
        is_moved
    }
}

impl Inner {
    /// Returns true if there is a breakpoint at this line of the text that runs. If the text was edited since,
    /// breakpoints are those of the edited one, so the line is mapped to it; a line that is gone has none.
    pub(super) fn breaks_at(&self, line: usize) -> bool {
        if self.breakpoints.is_empty() {
            return false;
        }
        if self.text == self.runs {
            return self.breakpoints.contains(&line);
        }
        let line = LineMapping::new(&self.runs, &self.text).line(line);
        line.is_some_and(|line| self.breakpoints.contains(&line))
    }
}

impl Studio {
    /// Sets a breakpoint at the step of a line, or removes it if there is one at the line or at its step. Lines count
    /// from 1, in the saved text. Returns the line that it is at, and true if it was set; tells no page. In a text that
    /// does not parse every line will do. Returns an error if no step covers the line or there are too many
    /// breakpoints.
    pub(super) fn toggle(&self, line: usize) -> Result<Breakpoint, StudioError> {
        let text = self.file.read()?.text;
        self.debugger.follow(&text);
        let (flow, _) = self.file.flow(&text)?;
        let step = match &flow {
            Some(flow) => step_line(flow, line),
            // A text that does not parse now may parse when it runs.
            None => (line >= 1 && line <= text.lines().count()).then_some(line),
        };
        let mut inner = self.debugger.lock();
        if inner.breakpoints.remove(&line) {
            return Ok(Breakpoint { line, set: false });
        }
        let line = step.ok_or(StudioError::NoStep)?;
        let is_set = !inner.breakpoints.remove(&line);
        if is_set {
            if inner.breakpoints.len() >= MAX_BREAKPOINTS {
                return Err(StudioError::TooManyBreakpoints(MAX_BREAKPOINTS));
            }
            inner.breakpoints.insert(line);
        }
        Ok(Breakpoint { line, set: is_set })
    }
}

/// Returns the first line of the innermost step of this file that covers a line. Steps of setup and teardown count
/// too, steps of sub-flows do not. `None` if no step covers it.
fn step_line(flow: &Flow, line: usize) -> Option<usize> {
    let mut found = None;
    for list in flow.step_lists() {
        innermost(list, &flow.source.path, line, &mut found);
    }
    found
}

/// Sets `found` to the first line of the innermost step around `line` in the file. Descends into blocks; steps of
/// other files are skipped with all in them. Leaves it as it is if no step is there.
fn innermost(steps: &[Step], file: &camino::Utf8Path, line: usize, found: &mut Option<usize>) {
    for step in steps.iter().filter(|step| step.source.path == file) {
        let text = step.source.text.get(step.span.clone()).unwrap_or_default();
        let begin = line_column(&step.source.text, step.span.start).0;
        let end = line_column(&step.source.text, step.span.start + text.trim_end().len()).0;
        if !(begin..=end).contains(&line) {
            continue;
        }
        *found = Some(begin);
        if let StepAction::Control(control) = &step.action {
            for list in control.lists() {
                innermost(list, file, line, found);
            }
        }
    }
}

/// Mapping of lines from one text to another. Common lines at the start and at the end keep their place.
struct LineMapping {
    before: usize,
    behind: usize,
    old: usize,
    new: usize,
}

impl LineMapping {
    /// Compares two texts by their equal lines at the start, then at the end; all between them counts as changed.
    fn new(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = |(old, new): &(&&str, &&str)| old == new;
        let before = old.iter().zip(&new).take_while(same).count();
        let rest = (old.len() - before).min(new.len() - before);
        let ends = old.iter().rev().zip(new.iter().rev()).take(rest);
        Self {
            before,
            behind: ends.take_while(same).count(),
            old: old.len(),
            new: new.len(),
        }
    }

    /// Maps a line, counted from 1. A line in the changed part keeps its number, or gets the last line of that part
    /// if it became shorter. A line in the equal part at the end moves with it. Returns `None` for line 0, for a
    /// line after the end, and if the changed part was removed.
    fn line(&self, line: usize) -> Option<usize> {
        let place = line.checked_sub(1)?;
        if place < self.before {
            return Some(line);
        }
        if place >= self.old - self.behind {
            return (place < self.old).then(|| line + self.new - self.old);
        }
        let last = self.new - self.behind;
        (last > self.before).then(|| line.min(last))
    }
}

pub(super) fn shared_text(text: &str) -> Arc<str> {
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_with_their_text() {
        let old = "a\nb\nc\nd\n";
        for (new, expected) in [
            (old, [Some(1), Some(2), Some(3), Some(4)]),
            ("x\na\nb\nc\nd\n", [Some(2), Some(3), Some(4), Some(5)]),
            ("a\nb\nx\ny\nc\nd\n", [Some(1), Some(2), Some(5), Some(6)]),
            ("a\nc\nd\n", [Some(1), None, Some(2), Some(3)]),
            ("a\nb2\nc\nd\n", [Some(1), Some(2), Some(3), Some(4)]),
            ("", [None, None, None, None]),
        ] {
            let shift = LineMapping::new(old, new);
            let lines: Vec<_> = (1..=4).map(|line| shift.line(line)).collect();
            assert_eq!(lines, expected, "{new:?}");
        }
    }
}
