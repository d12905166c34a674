//! A flow as text: one step a line, comments above what needs one.

use serde_json::Value;

use runner_text::flow_text::with_expressions;

/// A flow to be written.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Lines at the top.
    pub(super) comments: Vec<String>,
    /// Keys of the header, in order.
    pub(super) header: Vec<(&'static str, Value)>,
    /// The steps.
    pub(super) lines: Vec<Line>,
}

/// A step, or only a comment.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) comments: Vec<String>,
    pub(super) step: Option<EmittedStep>,
}

/// A step as it is written.
#[derive(Debug)]
pub(super) struct EmittedStep {
    pub(super) name: &'static str,
    /// `None`: a bare word.
    pub(super) value: Option<Value>,
    /// The modifier `timeout`.
    pub(super) timeout: Option<String>,
}

impl std::fmt::Display for Document {
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

/// Without indentation: an item of a list of steps.
impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write(f, "")
    }
}

impl Line {
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

/// A comment ends with its line, whatever is in it.
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
