//! Scripts for the device's shell. All text from outside goes through [`quote`].

use runner_text::secret::{Excerpt, OutsideText, from_outside};
use runner_text::shell::quote;

/// Commands that the device's shell runs in one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    text: String,
    label: String,
    private: bool,
}

impl Script {
    /// Creates a script of one command. Quotes every word. The label is the first three of them, which scrubbers cut
    /// after 100 characters each.
    pub fn command<I, S>(words: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let words: Vec<String> = words.into_iter().map(|word| quote(word.as_ref())).collect();
        // Three words identify a command; the rest may be long.
        let label: Vec<String> = words.iter().take(3).map(|word| shorten(word)).collect();
        let label = label.join(" ");
        Self {
            text: words.join(" "),
            label,
            private: false,
        }
    }

    /// Creates a script from text of this program, which is not quoted. Text from outside may stand in it
    /// only after [`quote`]. `label` is shown in errors and logs.
    pub fn raw(text: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            label: label.into(),
            private: false,
        }
    }

    /// Marks the script as private: it may hold parts of what a person types, which no scrubber recognises,
    /// so the log shows only the first word of its label, and not its output.
    #[must_use]
    pub fn private(self) -> Self {
        Self {
            private: true,
            ..self
        }
    }

    /// Returns true if the text must not be logged.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// Appends `next` behind `;`, which runs whatever the exit code of this script; the exit code is that of
    /// `next`. The label stays unless it is empty. The whole is private if either is.
    #[must_use]
    pub fn then(mut self, next: &Self) -> Self {
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
        self.text.push_str(&next.text);
        self.private |= next.private;
        if self.label.is_empty() {
            self.label.clone_from(&next.label);
        }
        self
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name for errors and logs. It may hold long words, which a scrubber cuts.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// Marks a word to be cut after 100 characters. The whole word stays in the text until a scrubber cuts it.
fn shorten(word: &str) -> String {
    Excerpt::new(word, 100).ending("").to_string()
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellOutput {
    pub stdout: Vec<u8>,
    /// Standard error; empty on devices without `shell_v2`, which mix it into `stdout`.
    pub stderr: Vec<u8>,
    /// Exit code of the last command; `None` if the device sent none.
    pub exit_code: Option<i32>,
}

impl ShellOutput {
    /// Returns standard output as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        from_outside(&self.stdout)
    }

    /// Joins standard error and, on the next line, standard output as one text, each trimmed, for errors.
    /// Empty if both are.
    pub fn message(&self) -> OutsideText {
        let mut text = from_outside(&self.stderr).trim().to_owned();
        let stdout = self.text();
        if !stdout.trim().is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(stdout.trim());
        }
        OutsideText::new(&text)
    }

    /// Returns true if the exit code is 0; false without one.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }
}
