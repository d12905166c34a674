//! Runs a script from the peer, or an interactive session.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::parse::parse;
use super::run::{Shell, Streams};
use super::streams::{Output, Sink, Source};
use super::traps::ScriptGuard;
use crate::state::DeviceState;

/// Runs a script to its end, with its `EXIT` trap. Returns the exit code. If the future is dropped before that, the
/// `HUP` trap runs in the background.
pub(crate) async fn run(
    device: Arc<DeviceState>,
    script: &str,
    stdin: Source,
    output: mpsc::Sender<Output>,
) -> i32 {
    let streams = streams(stdin, output);
    let mut shell = Shell::new(device);
    let running = ScriptGuard::new(&shell);
    shell.script(script, &streams).await;
    running.ended(&mut shell, &streams).await;
    shell.status
}

/// Makes a script's streams. The terminal is its standard output.
fn streams(stdin: Source, output: mpsc::Sender<Output>) -> Streams {
    let out = Sink::Peer {
        sender: output.clone(),
        error: false,
    };
    let err = Sink::Peer {
        sender: output,
        error: true,
    };
    Streams {
        stdin,
        terminal: out.clone(),
        out,
        err,
    }
}

/// Runs the lines that the peer types, until `exit` or the end of the input. A command may have several lines. With
/// `terminal` it prints a prompt before each, and echoes. Traps never run, and a command that is unfinished at the
/// end of the input is dropped. Returns the exit code of the last command.
pub(crate) async fn interactive(
    device: Arc<DeviceState>,
    terminal: bool,
    stdin: Source,
    output: mpsc::Sender<Output>,
) -> i32 {
    let prompt = format!("{}:/ $ ", device.property("ro.product.device"));
    let streams = streams(stdin.clone(), output);
    let mut shell = Shell::new(device);
    let mut line = Line {
        terminal,
        typed: Vec::new(),
    };
    let mut script = String::new();
    loop {
        if terminal && script.is_empty() {
            let _ = streams.out.write(prompt.clone().into_bytes()).await;
        }
        let Some(text) = line.read(&stdin, &streams.out).await else {
            return shell.status;
        };
        script.push_str(&text);
        script.push('\n');
        // A line that ends amid a command waits for the next one.
        if matches!(
            parse(&script),
            Err(super::parse::ParseError::End | super::parse::ParseError::Quote)
        ) {
            continue;
        }
        let ended = shell.script(&std::mem::take(&mut script), &streams).await;
        if ended {
            return shell.status;
        }
    }
}

/// Reads lines. On a terminal it echoes the input and handles backspace, Ctrl-C and Ctrl-D.
struct Line {
    terminal: bool,
    typed: Vec<u8>,
}

impl Line {
    /// Reads a line without its end. On a terminal a carriage return ends it too. There it echoes, erases at
    /// backspace, and gives an empty line at Ctrl+C. Returns `None` at the end of the input, or at Ctrl+D in an empty
    /// line.
    async fn read(&mut self, stdin: &Source, out: &Sink) -> Option<String> {
        if !self.terminal {
            let line = stdin.read_line().await?;
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
        let mut line = Vec::new();
        loop {
            let bytes = match std::mem::take(&mut self.typed) {
                typed if typed.is_empty() => stdin.read_some().await?,
                typed => typed,
            };
            let mut bytes = bytes.into_iter();
            let mut echo = Vec::new();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'\r' | b'\n' => {
                        echo.push(b'\n');
                        self.typed = bytes.collect();
                        let _ = out.write(echo).await;
                        return Some(String::from_utf8_lossy(&line).into_owned());
                    }
                    3 => {
                        line.clear();
                        echo.extend(b"^C\n");
                        self.typed = bytes.collect();
                        let _ = out.write(echo).await;
                        return Some(String::new());
                    }
                    4 if line.is_empty() => return None,
                    8 | 127 => {
                        if line.pop().is_some() {
                            echo.extend(b"\x08 \x08");
                        }
                    }
                    _ => {
                        line.push(byte);
                        echo.push(byte);
                    }
                }
            }
            let _ = out.write(echo).await;
        }
    }
}
