//! Formats a flow as YAML: one step a line, comments above it.

use serde_json::Value;

use runner_text::flow_text::with_expressions;

#[derive(Debug, Default)]
pub(super) struct Document {
    /// Comments at the top.
    pub(super) comments: Vec<String>,
    /// Keys of the header, in order.
    pub(super) header: Vec<(&'static str, Value)>,
    pub(super) lines: Vec<Line>,
}

/// Step with its comments, or comments alone.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) comments: Vec<String>,
    pub(super) step: Option<EmittedStep>,
}

#[derive(Debug)]
pub(super) struct EmittedStep {
    pub(super) name: &'static str,
    /// Value of the step; `None` for a bare word.
    pub(super) value: Option<Value>,
    pub(super) timeout: Option<String>,
}

impl std::fmt::Display for Document {
    /// Writes the flow's file: comments, the header's keys, then `steps:` with one step a line. Without any step it is
    /// `steps: []`, and comments follow.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        comments(f, "", &self.comments)?;
        for (key, value) in &self.header {
            writeln!(f, "{key}: {}", with_expressions(value))?;
        }
        if self.lines.iter().all(|line| line.step.is_none()) {
            writeln!(f, "steps: []")?;
        } else {
            writeln!(f, "steps:")?;
        }
        for line in &self.lines {
            line.write(f, "  ")?;
        }
        Ok(())
    }
}

/// Formats the line without indentation, as an item of a list of steps.
impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write(f, "")
    }
}

impl Line {
    /// Writes a line's comments, and its step if it has one.
    fn write(&self, f: &mut std::fmt::Formatter<'_>, indent: &str) -> std::fmt::Result {
        comments(f, indent, &self.comments)?;
        let Some(step) = &self.step else {
            return Ok(());
        };
        match &step.value {
            None => writeln!(f, "{indent}- {}", step.name)?,
            Some(value) => writeln!(f, "{indent}- {}: {}", step.name, with_expressions(value))?,
        }
        if let Some(timeout) = &step.timeout {
            writeln!(f, "{indent}  timeout: {timeout}")?;
        }
        Ok(())
    }
}

/// Writes each of `lines` as a comment behind `indent`. Line breaks and control characters in it become
/// spaces, so that it stays a comment.
fn comments(f: &mut std::fmt::Formatter<'_>, indent: &str, lines: &[String]) -> std::fmt::Result {
    for line in lines {
        let plain: String = line
            .chars()
            .map(|c| {
                if c.is_control()
                    || matches!(
                        c,
                        '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
                    )
                {
                    ' '
                } else {
                    c
                }
            })
            .collect();
        writeln!(f, "{indent}# {}", plain.trim())?;
    }
    Ok(())
}
