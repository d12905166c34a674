//! Scripts for the device's shell. All text that comes from outside goes through [`quote`].

use runner_text::secret::{Excerpt, from_outside};

/// Commands for the device's shell, run as one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    text: String,
    label: String,
    private: bool,
}

impl Script {
    /// One command from its words; every word is quoted.
    pub fn command<I, S>(words: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let words: Vec<String> = words.into_iter().map(|word| quote(word.as_ref())).collect();
        // Three words name a command; what follows may be long.
        let label: Vec<String> = words.iter().take(3).map(|word| shorten(word)).collect();
        let label = label.join(" ");
        Self {
            text: words.join(" "),
            label,
            private: false,
        }
    }

    /// A script written in this program: constant text, into which outside text goes only through [`quote`].
    pub fn raw(text: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            label: label.into(),
            private: false,
        }
    }

    /// A script that may carry what somebody types, whole or in pieces that no scrubber knows: a log shows its label only.
    #[must_use]
    pub fn private(self) -> Self {
        Self {
            private: true,
            ..self
        }
    }

    /// Whether nobody may write the text down.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// This script, then `next`, whatever the first one's exit code.
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

    /// The text for the shell.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A short name for errors and traces.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// The beginning of a word; a label is read by people.
fn shorten(word: &str) -> String {
    Excerpt::new(word, 100).ending("").to_string()
}

/// `text` as one word of a POSIX shell. The only way by which outside text enters a script.
///
/// NUL cannot be part of a word. It stays in, and whoever sends the script refuses it: text arrives whole or not at all.
pub fn quote(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte);
    // A word that needs no quotes stays readable in errors and logs.
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What a script printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellOutput {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error; empty on devices without `shell_v2`, where it is mixed into `stdout`.
    pub stderr: Vec<u8>,
    /// Exit code of the last command.
    pub exit_code: Option<i32>,
}

impl ShellOutput {
    /// Standard output as text, foreign bytes replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        from_outside(&self.stdout)
    }

    /// Both streams as one trimmed text, for errors.
    pub fn message(&self) -> String {
        let mut text = from_outside(&self.stderr).trim().to_owned();
        let stdout = self.text();
        if !stdout.trim().is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(stdout.trim());
        }
        text
    }

    /// Whether the exit code is 0.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_text_stays_one_word() {
        for (text, word) in [
            ("plain", "plain"),
            ("", "''"),
            ("two words", "'two words'"),
            ("'; reboot #", r"''\''; reboot #'"),
            ("$(id)", "'$(id)'"),
            ("a\nb", "'a\nb'"),
            ("~", "'~'"),
            ("a\0b", "'a\0b'"),
        ] {
            assert_eq!(quote(text), word);
        }
    }
}
