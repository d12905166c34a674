//! Asks several questions in one round trip, by a script whose parts are separated by marker lines that no
//! output can contain.

use std::fmt::Write as _;

use super::{Script, ShellOutput};

/// Builder of such a script and parser of its output.
#[derive(Debug)]
pub struct Sections {
    mark: String,
    text: String,
}

impl Sections {
    /// Creates an empty script with its own random marker.
    pub(crate) fn new() -> Self {
        Self {
            // Random, so that no text of a screen or a log can pose as a marker.
            mark: format!("@runner-{:016x}@", fastrand::u64(..)),
            text: String::new(),
        }
    }

    /// Adds a part: constant text of this program, see [`Script::raw`]. The part runs also if the parts before it
    /// fail. Its output is separated by a line with the marker.
    #[must_use]
    pub(crate) fn ask(mut self, commands: &str) -> Self {
        // `;`, not `&&`, so that the parts after a failing one run too.
        if !self.text.is_empty() {
            // The empty line keeps the marker on a line of its own after output that ends without one.
            let _ = write!(self.text, "; echo; echo {}; ", self.mark);
        }
        self.text.push_str(commands);
        self
    }

    /// Builds a script whose parts are `questions`.
    pub fn from_questions(questions: &[&str]) -> Self {
        questions
            .iter()
            .fold(Self::new(), |sections, question| sections.ask(question))
    }

    /// Returns the script of all parts so far. `label` names it in logs and errors.
    pub fn script(&self, label: &str) -> Script {
        Script::raw(self.text.clone(), label)
    }

    /// Splits the script's output into an answer to each of `count` questions; a question whose answer is missing
    /// gets empty output. Each has the standard error and the exit code of the whole script.
    pub fn answers_in(&self, output: &ShellOutput, count: usize) -> Vec<ShellOutput> {
        let parts = self.split(&output.stdout);
        let answer = |index: usize| ShellOutput {
            stdout: parts.get(index).copied().unwrap_or_default().to_vec(),
            stderr: output.stderr.clone(),
            exit_code: output.exit_code,
        };
        (0..count).map(answer).collect()
    }

    /// Returns the output of each part, in the order of the questions, without the line end before the
    /// marker. There are fewer if the output was cut off, but always one.
    pub(crate) fn split<'a>(&self, output: &'a [u8]) -> Vec<&'a [u8]> {
        let mark = self.mark.as_bytes();
        let mut parts = Vec::new();
        let mut rest = output;
        while let Some(at) = find(rest, mark) {
            parts.push(without_end(&rest[..at]));
            let after = &rest[at + mark.len()..];
            rest = after
                .strip_prefix(b"\r\n")
                .or_else(|| after.strip_prefix(b"\n"))
                .unwrap_or(after);
        }
        parts.push(rest);
        parts
    }
}

/// Removes the line end that the script added.
fn without_end(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_suffix(b"\r\n")
        .or_else(|| bytes.strip_suffix(b"\n"))
        .unwrap_or(bytes)
}

/// Returns the position of the first `needle` in `haystack`; an empty one is at 0. `None` without one.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_as_they_were() {
        let sections = Sections::new().ask("a").ask("b").ask("c");
        let mark = &sections.mark;
        assert_eq!(
            sections.script("x").text(),
            format!("a; echo; echo {mark}; b; echo; echo {mark}; c")
        );
        let output = format!("no end\n{mark}\ntwo\nlines\n\n{mark}\n");
        let parts = sections.split(output.as_bytes());
        assert_eq!(parts, [&b"no end"[..], b"two\nlines\n", b""]);
        let crlf = format!("x\r\n\r\n{mark}\r\ny");
        assert_eq!(sections.split(crlf.as_bytes()), [&b"x\r\n"[..], b"y"]);
    }
}
