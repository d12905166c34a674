//! The keys of a watching person. The terminal stays as it is but for two things: keys come at once, and are not echoed.

use std::io::{BufRead as _, IsTerminal as _};

use crate::cli::output;
use crate::context::Context;

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// Run all flows.
    All,
    /// Run those that failed.
    Failed,
    /// Run those that a pattern finds.
    Pattern(String),
    /// Review what waits.
    Review,
    /// End.
    Quit,
}

/// A line about the keys.
pub(super) const HELP: &str = "enter all · f failed · g pattern · u review · q quit";

/// The most characters of a pattern.
const MOST: usize = 200;

/// Bytes of the terminal as wishes; a pattern that is being typed is kept.
#[derive(Debug, Default)]
pub(super) struct Typed {
    pattern: Option<String>,
    /// A pattern may be typed that is not ASCII, byte by byte.
    bytes: Vec<u8>,
}

impl Typed {
    /// Takes the next byte: what it asks for, and what is shown for it.
    pub fn byte(&mut self, byte: u8) -> (Option<Request>, String) {
        let Some(pattern) = &mut self.pattern else {
            let request = match byte {
                b'\r' | b'\n' | b'a' => Some(Request::All),
                b'f' => Some(Request::Failed),
                b'u' => Some(Request::Review),
                b'q' => Some(Request::Quit),
                b'g' => {
                    self.pattern = Some(String::new());
                    return (None, "pattern: ".to_owned());
                }
                _ => None,
            };
            return (request, String::new());
        };
        match byte {
            b'\r' | b'\n' => {
                let pattern = self.pattern.take().unwrap_or_default();
                let wanted = (!pattern.is_empty()).then_some(Request::Pattern(pattern));
                (wanted, "\n".to_owned())
            }
            // Escape.
            0x1b => {
                self.pattern = None;
                (None, "\n".to_owned())
            }
            0x7f | 0x08 => {
                let display = if pattern.pop().is_some() {
                    "\u{8} \u{8}"
                } else {
                    ""
                };
                (None, display.to_owned())
            }
            byte if byte < 0x20 => (None, String::new()),
            byte => {
                self.bytes.push(byte);
                let Ok(text) = std::str::from_utf8(&self.bytes) else {
                    // The rest of a character comes, or it is none.
                    if self.bytes.len() >= 4 {
                        self.bytes.clear();
                    }
                    return (None, String::new());
                };
                let text = text.to_owned();
                self.bytes.clear();
                if pattern.chars().count() >= MOST || text.chars().any(char::is_control) {
                    return (None, String::new());
                }
                pattern.push_str(&text);
                (None, text)
            }
        }
    }
}

/// The terminal's keys; as before when dropped.
#[derive(Debug)]
pub(super) struct Keys {
    typed: Typed,
    /// None while the terminal is lent.
    #[cfg_attr(
        not(feature = "review"),
        expect(dead_code, reason = "it works by being dropped")
    )]
    mode: Option<mode::Unechoed>,
}

impl Keys {
    /// None where nobody is at a terminal.
    pub fn open(context: &Context) -> Option<Self> {
        if !context.stdout_is_terminal || !std::io::stdin().is_terminal() {
            return None;
        }
        Some(Self {
            typed: Typed::default(),
            mode: Some(mode::Unechoed::begin()?),
        })
    }

    /// The wishes since this was last asked. It never waits. `None` where the terminal is gone.
    pub fn read(&mut self) -> Option<Vec<Request>> {
        let mut wishes = Vec::new();
        if !mode::is_ready() {
            return Some(wishes);
        }
        let mut stdin = std::io::stdin().lock();
        let bytes = match stdin.fill_buf() {
            Ok([]) | Err(_) => return None,
            Ok(bytes) => bytes.to_vec(),
        };
        stdin.consume(bytes.len());
        // An arrow or function key is one escape with more behind it.
        if bytes.len() > 1 && bytes[0] == 0x1b {
            return Some(wishes);
        }
        for byte in bytes {
            let (request, display) = self.typed.byte(byte);
            output::verbatim(&display);
            wishes.extend(request);
        }
        Some(wishes)
    }

    /// Gives the terminal to the review for as long as `work` takes.
    #[cfg(feature = "review")]
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> T {
        // Before the next one begins: it would take this one's mode for the terminal's own.
        self.mode = None;
        let done = work();
        self.mode = mode::Unechoed::begin();
        done
    }
}

#[cfg(unix)]
mod mode {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// Keys come at once, unechoed. Ctrl-C stays a signal, and output as it was.
    #[derive(Debug)]
    pub struct Unechoed {
        before: Termios,
    }

    impl Unechoed {
        pub fn begin() -> Option<Self> {
            let stdin = std::io::stdin();
            let before = tcgetattr(&stdin).ok()?;
            let mut mode = before.clone();
            mode.local_modes
                .remove(LocalModes::ICANON | LocalModes::ECHO);
            tcsetattr(&stdin, OptionalActions::Now, &mode).ok()?;
            Some(Self { before })
        }

        pub fn end(&mut self) {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
        }
    }

    impl Drop for Unechoed {
        fn drop(&mut self) {
            self.end();
        }
    }

    pub fn is_ready() -> bool {
        let stdin = std::io::stdin();
        let mut requested = [PollFd::new(&stdin, PollFlags::IN)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        poll(&mut requested, Some(&now)).is_ok_and(|ready| ready > 0)
    }
}

/// Without keys: Ctrl-C ends it.
#[cfg(not(unix))]
mod mode {
    #[derive(Debug)]
    pub struct Unechoed {}

    impl Unechoed {
        pub fn begin() -> Option<Self> {
            None
        }

        pub fn end(&mut self) {}
    }

    pub fn is_ready() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> (Vec<Request>, String) {
        let mut typed = Typed::default();
        let reported: Vec<_> = text.bytes().map(|byte| typed.byte(byte)).collect();
        let display = reported
            .iter()
            .map(|(_, displayed)| displayed.as_str())
            .collect();
        (
            reported
                .into_iter()
                .filter_map(|(request, _)| request)
                .collect(),
            display,
        )
    }

    #[test]
    fn keys_are_wishes_and_a_pattern_takes_all_keys_until_its_end() {
        assert_eq!(
            typed("\rfxuq").0,
            [
                Request::All,
                Request::Failed,
                Request::Review,
                Request::Quit
            ]
        );
        let (wishes, display) = typed("gfaq\u{7f}ü\rq");
        assert_eq!(wishes, [Request::Pattern("faü".into()), Request::Quit]);
        assert_eq!(display, "pattern: faq\u{8} \u{8}ü\n");
        assert_eq!(typed("gab\u{1b}f").0, [Request::Failed]);
        assert_eq!(typed("g\rf").0, [Request::Failed]);
    }
}
