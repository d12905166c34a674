//! Several questions in one round trip: a script whose parts are separated by marker lines that no output can hold.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Device, DeviceError, Script};
use runner_text::secret::from_outside;

/// Builds such a script and reads its answer.
#[derive(Debug)]
pub struct Sections {
    mark: String,
    text: String,
}

impl Sections {
    /// An empty script with a marker of its own.
    pub(crate) fn new() -> Self {
        Self {
            // Random, so that no text of a screen or a log can pose as the end of a part.
            mark: format!("@runner-{:016x}@", fastrand::u64(..)),
            text: String::new(),
        }
    }

    /// Adds a part: constant text of this program, see [`Script::raw`].
    #[must_use]
    pub(crate) fn ask(mut self, commands: &str) -> Self {
        // `;`, not `&&`: a part that fails does not keep the others from being asked.
        if !self.text.is_empty() {
            // The empty line keeps the marker on a line of its own after output that ends without one.
            let _ = write!(self.text, "; echo; echo {}; ", self.mark);
        }
        self.text.push_str(commands);
        self
    }

    /// Adds parts that the device works on at the same time: together they take as long as the slowest. They are asked
    /// after the parts before, so they show the same moment or a later one. The exit code is that of the last, as
    /// where one part follows the other.
    ///
    /// Each writes a file of its own, for the outputs of commands that run together mix in one stream.
    #[must_use]
    pub(crate) fn ask_together(self, questions: &[&str]) -> Self {
        let base = format!("/data/local/tmp/runner-{:012x}", fastrand::u64(..1 << 48));
        let files: Vec<String> = (1..=questions.len())
            .map(|number| format!("{base}.{number}.xml"))
            .collect();
        let all = files.join(" ");
        let mut begin = format!("trap 'rm -f {all}; exit 129' HUP INT PIPE TERM; ");
        let mut wait = String::new();
        for (number, (question, file)) in questions.iter().zip(&files).enumerate() {
            let _ = write!(begin, "{{ {question}; }} >{file} & j{number}=$!; ");
            let _ = write!(wait, "wait $j{number}; ");
        }
        let mut sections = self;
        for (at, file) in files.iter().enumerate() {
            let (mut before, mut after) = (String::new(), String::new());
            if at == 0 {
                before = format!("{begin}{wait}r=$?; ");
            }
            if at + 1 == files.len() {
                after = format!("; rm -f {all}; trap - HUP INT PIPE TERM; (exit $r)");
            }
            sections = sections.ask(&format!("{before}cat {file}{after}"));
        }
        sections
    }

    /// The script.
    pub fn script(&self, label: &str) -> Script {
        Script::raw(self.text.clone(), label)
    }

    /// Asks the device and gives the output of each part as text, in the order of the questions; a part that is missing
    /// is empty.
    pub(crate) async fn answers<const N: usize>(
        &self,
        device: &dyn Device,
        label: &str,
        limit: Duration,
    ) -> Result<[String; N], DeviceError> {
        let output = device.shell(&self.script(label), limit).await?;
        DeviceError::refuse_killed(label, &output)?;
        let parts = self.split(&output.stdout);
        Ok(std::array::from_fn(|index| {
            let part = parts.get(index).copied().unwrap_or_default();
            from_outside(part).into_owned()
        }))
    }

    /// The output of each part, in the order of the questions. Fewer where the answer was cut off.
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

/// Takes off the line end that the script added.
fn without_end(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_suffix(b"\r\n")
        .or_else(|| bytes.strip_suffix(b"\n"))
        .unwrap_or(bytes)
}

/// Where `needle` begins in `haystack`.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_asked_together_have_files_of_their_own_that_do_not_stay() {
        let sections = Sections::new().ask("first").ask_together(&["a", "b"]);
        let script = sections.script("x");
        let text = script.text();
        let file = text.split('>').nth(1).unwrap().split(' ').next().unwrap();
        let base = file.strip_suffix(".1.xml").unwrap();
        assert!(base.starts_with("/data/local/tmp/runner-"));
        let mark = &sections.mark;
        assert_eq!(
            text,
            format!(
                "first; echo; echo {mark}; trap 'rm -f {base}.1.xml {base}.2.xml; exit 129' HUP INT PIPE TERM; \
                 {{ a; }} >{base}.1.xml & j0=$!; {{ b; }} >{base}.2.xml & j1=$!; wait $j0; wait $j1; r=$?; \
                 cat {base}.1.xml; echo; echo {mark}; cat {base}.2.xml; rm -f {base}.1.xml {base}.2.xml; \
                 trap - HUP INT PIPE TERM; (exit $r)"
            )
        );
    }

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
