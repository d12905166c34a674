//! Opens a flow's line in the person's editor.

use std::process::{Command, ExitStatus};

use camino::Utf8Path;

use runner_base::context::Context;

/// Reason why nothing was edited.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("{0}: set $VISUAL or $EDITOR to open it from here")]
    NotSet(String),
    #[error("{editor} does not start: {source}")]
    NotStarted {
        editor: String,
        source: std::io::Error,
    },
    #[error("{editor} ended with {status}")]
    Failed { editor: String, status: ExitStatus },
}

/// Command of the editor from the environment, possibly with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor(String);

impl Editor {
    /// Returns the editor of `$VISUAL`, else of `$EDITOR`. An empty variable counts as not set; `None` if neither is
    /// set.
    pub fn from_environment(context: &Context) -> Option<Self> {
        let named = context.variable("VISUAL").or(context.variable("EDITOR"))?;
        Some(Self(named.to_owned()))
    }

    /// Opens a file at a line in this terminal, which must be restored, and waits until the editor ends. The file is
    /// not checked. Line and column count from 1; some editors get no column, unknown ones no line. Returns an error
    /// if it cannot be started or ends with another exit code than 0.
    pub fn open(&self, file: &Utf8Path, line: usize, column: usize) -> Result<(), EditorError> {
        let status = self
            .command(&self.arguments(file, line, column))
            .status()
            .map_err(|source| EditorError::NotStarted {
                editor: self.0.clone(),
                source,
            })?;
        if status.success() {
            Ok(())
        } else {
            Err(EditorError::Failed {
                editor: self.0.clone(),
                status,
            })
        }
    }

    /// Builds the command as git does: a shell reads the editor's name, so that quotes and options in it have
    /// their usual meaning. The shell does not read `arguments`.
    #[cfg(unix)]
    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{} \"$@\"", self.0))
            // The argument after the script is `$0`, the name in the shell's messages.
            .arg(&self.0)
            .args(arguments);
        command
    }

    /// Returns the command to run, whose words are separated by spaces, without quotes.
    #[cfg(not(unix))]
    fn command(&self, arguments: &[String]) -> Command {
        let mut words = self.0.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(arguments);
        command
    }

    /// Returns the arguments with which this editor opens a line. Editors are known by the name of their program.
    /// Some get no column; an unknown one gets the file only.
    fn arguments(&self, file: &Utf8Path, line: usize, column: usize) -> Vec<String> {
        let place = format!("{file}:{line}:{column}");
        match self.program() {
            "vi" | "vim" | "nvim" | "view" | "gvim" | "nano" | "pico" | "emacs" | "emacsclient"
            | "kak" | "joe" | "jed" | "mg" | "ne" | "gedit" | "mcedit" | "ex" | "busybox" => {
                vec![format!("+{line}"), file.to_string()]
            }
            "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
                vec!["--goto".into(), place]
            }
            "hx" | "helix" | "subl" | "sublime_text" | "zed" | "micro" | "lapce" => vec![place],
            "kate" | "idea" | "studio" | "pycharm" | "webstorm" | "rustrover" | "mate" => {
                vec!["--line".into(), line.to_string(), file.to_string()]
            }
            // An editor that does not know `+12` would open a file of that name.
            _ => vec![file.to_string()],
        }
    }

    /// Returns the program's name: the first word without folder and quotes, and without `.exe` or `.cmd`. Empty for
    /// an empty command.
    fn program(&self) -> &str {
        let first = self.0.split_whitespace().next().unwrap_or_default();
        let name = first.trim_matches(['"', '\'']);
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        name.trim_end_matches(".exe").trim_end_matches(".cmd")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_editor_is_told_the_line_in_its_way() {
        for (command, expected) in [
            ("vim", &["+12", "a b.yaml"][..]),
            ("/usr/bin/nvim -p", &["+12", "a b.yaml"]),
            ("code --wait", &["--goto", "a b.yaml:12:5"]),
            ("'hx'", &["a b.yaml:12:5"]),
            ("kate", &["--line", "12", "a b.yaml"]),
            ("my-editor", &["a b.yaml"]),
        ] {
            let editor = Editor(command.to_owned());
            assert_eq!(editor.arguments("a b.yaml".into(), 12, 5), expected);
        }
    }

    #[test]
    fn visual_is_asked_before_editor() {
        let editor = |variables: &[(&str, &str)]| {
            let variables: BTreeMap<_, _> = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            Editor::from_environment(&Context::fixed("/".into(), variables)).map(|editor| editor.0)
        };
        assert_eq!(
            editor(&[("EDITOR", "ed"), ("VISUAL", "vi")]).as_deref(),
            Some("vi")
        );
        assert_eq!(
            editor(&[("EDITOR", "ed"), ("VISUAL", "")]).as_deref(),
            Some("ed")
        );
        assert_eq!(editor(&[]), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_that_fails_or_is_missing_is_told() {
        let open = |command: &str| Editor(command.to_owned()).open("x".into(), 1, 1);
        assert!(open("true").is_ok());
        assert!(open("exit 3; true").unwrap_err().to_string().contains('3'));
        assert!(open("/nonexistent/editor").is_err());
    }
}
