//! Keys of a watching person. Only two modes of the terminal change: keys arrive at once, and are not echoed.

use std::io::{BufRead as _, IsTerminal as _};

use crate::cli::output;
use crate::context::Context;

/// Request that a key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    All,
    Failed,
    Pattern(String),
    Review,
    Quit,
}

/// Line that explains the keys.
pub(super) const HELP: &str = "enter all · f failed · g pattern · u review · q quit";

/// Limit for a typed pattern. Chosen: a terminal's line or two; more was pasted by mistake.
const MAX_PATTERN_CHARS: usize = 200;

/// Turns the terminal's bytes into requests. Keeps a pattern that is being typed.
#[derive(Debug, Default)]
pub(super) struct KeyParser {
    pattern: Option<String>,
    /// Bytes of a character that is not complete yet.
    bytes: Vec<u8>,
}

impl KeyParser {
    /// Takes the next byte. Returns the request that it completes, and the text to echo. `a`, `f`, `u`, `q` and a line
    /// end are requests; `g` begins a pattern, which a line end completes, Escape drops and Backspace shortens. An
    /// empty pattern is no request, and characters beyond [`MAX_PATTERN_CHARS`], control characters and bytes that are
    /// no UTF-8 are dropped. Other keys do nothing.
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
                self.bytes.clear();
                let pattern = self.pattern.take().unwrap_or_default();
                let wanted = (!pattern.is_empty()).then_some(Request::Pattern(pattern));
                (wanted, "\n".to_owned())
            }
            // Escape.
            0x1b => {
                self.bytes.clear();
                self.pattern = None;
                (None, "\n".to_owned())
            }
            0x7f | 0x08 => {
                self.bytes.clear();
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
                let text = match std::str::from_utf8(&self.bytes) {
                    Ok(text) => text.to_owned(),
                    // The rest of the character comes.
                    Err(error) if error.error_len().is_none() => return (None, String::new()),
                    // What came before is no UTF-8; a letter behind it counts.
                    Err(_) if byte.is_ascii() => char::from(byte).to_string(),
                    Err(_) => String::new(),
                };
                self.bytes.clear();
                if pattern.chars().count() >= MAX_PATTERN_CHARS
                    || text.chars().any(char::is_control)
                {
                    return (None, String::new());
                }
                pattern.push_str(&text);
                (None, text)
            }
        }
    }
}

/// Reads the terminal's keys. Restores the terminal's mode when dropped.
#[derive(Debug)]
pub(super) struct Keys {
    typed: KeyParser,
    /// `None` while the review has the terminal.
    #[cfg_attr(
        not(feature = "review"),
        expect(
            dead_code,
            reason = "dropping it restores the terminal; only the review reads it"
        )
    )]
    mode: Option<mode::KeyMode>,
}

impl Keys {
    /// Sets the terminal to keys that arrive at once and without echo, until the result is dropped. Returns `None`
    /// if standard input or output is no terminal, or its mode cannot be set, as always on systems other than Unix.
    pub fn open(context: &Context) -> Option<Self> {
        if !context.stdout_is_terminal || !std::io::stdin().is_terminal() {
            return None;
        }
        Some(Self {
            typed: KeyParser::default(),
            mode: Some(mode::KeyMode::begin()?),
        })
    }

    /// Returns the requests since the last call in their order, without waiting, and echoes a typed pattern. Empty
    /// if no key was pressed or a pattern is not complete. Arrow and function keys are ignored. `None` if the
    /// terminal is gone.
    pub fn read(&mut self) -> Option<Vec<Request>> {
        let mut requests = Vec::new();
        if !mode::is_ready() {
            return Some(requests);
        }
        let mut stdin = std::io::stdin().lock();
        let bytes = match stdin.fill_buf() {
            Ok([]) | Err(_) => return None,
            Ok(bytes) => bytes.to_vec(),
        };
        stdin.consume(bytes.len());
        // An arrow or function key is one escape with more behind it.
        if bytes.len() > 1 && bytes[0] == 0x1b {
            return Some(requests);
        }
        for byte in bytes {
            let (request, display) = self.typed.byte(byte);
            output::verbatim(&display);
            requests.extend(request);
        }
        Some(requests)
    }

    /// Restores the terminal's mode while `work` runs, so that the review can set its own. Returns its result.
    /// Afterwards keys arrive as before, if the mode can be set again.
    #[cfg(feature = "review")]
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> T {
        // Before the next one begins: it would take this one's mode for the terminal's own.
        self.mode = None;
        let done = work();
        self.mode = mode::KeyMode::begin();
        done
    }
}

#[cfg(unix)]
mod mode {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// Terminal mode in which keys arrive at once and are not echoed. Ctrl-C still sends a signal.
    #[derive(Debug)]
    pub struct KeyMode {
        before: Termios,
    }

    impl KeyMode {
        /// Sets the mode until the value is dropped. `None` if standard input is no terminal, or the mode cannot be
        /// set.
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

    impl Drop for KeyMode {
        fn drop(&mut self) {
            self.end();
        }
    }

    /// Returns true if a read of standard input would not wait, also at its end. Does not wait.
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

/// Stub for systems without termios: there are no keys, and Ctrl-C ends the session.
#[cfg(not(unix))]
mod mode {
    #[derive(Debug)]
    pub struct KeyMode {}

    impl KeyMode {
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
        let mut typed = KeyParser::default();
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
        let (requests, display) = typed("gfaq\u{7f}ü\rq");
        assert_eq!(requests, [Request::Pattern("faü".into()), Request::Quit]);
        assert_eq!(display, "pattern: faq\u{8} \u{8}ü\n");
        assert_eq!(typed("gab\u{1b}f").0, [Request::Failed]);
        assert_eq!(typed("g\rf").0, [Request::Failed]);
    }

    /// A terminal that is not set to UTF-8 sends such a letter.
    #[test]
    fn a_letter_that_is_not_complete_takes_no_other_with_it() {
        for (bytes, pattern) in [
            (&b"g\xe4\nga"[..], "a"),
            (b"g\xe4\x1bga", "a"),
            (b"g\xe4a", "a"),
            (b"ga\xe4\xe4b", "ab"),
            (b"g\xe2\x82b", "b"),
            (b"gab\xe4\x7f\xc3\xbc", "a\u{fc}"),
            (b"g\xff\xf0\x9f\x91\x8d", "\u{1f44d}"),
        ] {
            let mut parser = KeyParser::default();
            for byte in bytes {
                let _ = parser.byte(*byte);
            }
            let (request, _) = parser.byte(b'\n');
            assert_eq!(request, Some(Request::Pattern(pattern.into())));
        }
    }
}
