//! Commands in the device's shell: `shell,v2` with its frames, and the older services for devices without it.

use std::time::Duration;

use futures_util::future::try_join_all;
use runner_adb::client::{BoxStream, Features, Transport};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::super::{Clock, DeviceError, LineStream, Script, ShellOutput};
use super::log;
use runner_adb::wire::shell::{CLOCK, Decoder, FrameId};
use runner_text::secret::from_outside;

/// Largest output of one command in bytes. Chosen: several times a `dumpsys package` of a phone; more is a
/// command that never ends.
const MAX_OUTPUT_BYTES: usize = 64 * 1024 * 1024;
/// Error of a stream that ended without the command's exit code, so that it does not count as success.
const NO_END: &str = "the command's end is missing";
/// Longest line in bytes that is returned whole. Chosen: log lines have 4 KB; without a limit a command
/// without line ends would fill memory.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Runs `script` to its end, without a limit of time; dropping the future stops the command. `clock` takes the
/// times that a virtual device reports.
///
/// Without the feature `shell_v2`, standard output also holds standard error, and standard error is empty.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the output exceeds 64 MiB, and [`DeviceError::Lost`] if the connection ends
/// before the exit code. An exit code other than 0 is no error.
pub(super) async fn run(
    transport: &Transport,
    features: &Features,
    clock: &Clock,
    script: &Script,
) -> Result<ShellOutput, DeviceError> {
    if features.has("shell_v2") {
        let service = if clock.is_virtual() {
            format!("shell,v2,{CLOCK},raw:{}", script.text())
        } else {
            format!("shell,v2,raw:{}", script.text())
        };
        let mut stream = transport.open(&service).await?;
        return read_frames(&mut stream, transport.serial(), clock, script.label()).await;
    }
    // Random, so that no output of a command can pose as its end.
    let mark = format!("@runner-exit-{:016x}@", fastrand::u64(..));
    let text = with_exit_mark(script.text(), &mark);
    let mut stream = transport.open(&format!("shell:{text}")).await?;
    let bytes = read_to_end(&mut stream, transport.serial(), script.label()).await?;
    split_exit_mark(bytes, &mark).ok_or_else(|| lost(transport.serial(), NO_END))
}

/// Runs several commands at the same time, each in its own shell, and returns their answers in the order of
/// `questions`. Sets no limit of time.
///
/// # Errors
/// Returns the first error and drops the other commands. An exit code other than 0 is no error.
pub(super) async fn ask(
    transport: &Transport,
    features: &Features,
    clock: &Clock,
    questions: &[&str],
) -> Result<Vec<ShellOutput>, DeviceError> {
    let ask_one = async |question: &&str| {
        let words: Vec<&str> = question.split_whitespace().take(3).collect();
        let script = Script::raw(*question, words.join(" "));
        let request = log::Request::new(transport.serial(), &script);
        let answer = run(transport, features, clock, &script).await;
        request.log_result(&answer);
        answer
    };
    try_join_all(questions.iter().map(ask_one)).await
}

/// Runs a command with binary output, of at most 64 MiB. Without the feature `shell_v2`, standard error is empty,
/// there is no exit code, and a connection that ends early looks like the end of the output.
///
/// # Errors
/// Returns those of [`run`], but for the missing exit code without `shell_v2`.
pub(super) async fn run_binary(
    transport: &Transport,
    features: &Features,
    clock: &Clock,
    script: &Script,
) -> Result<ShellOutput, DeviceError> {
    if features.has("shell_v2") {
        return run(transport, features, clock, script).await;
    }
    // Not `shell:`, which uses a terminal on these devices and would turn every LF of a picture into CR LF.
    let mut stream = transport.open(&format!("exec:{}", script.text())).await?;
    let stdout = read_to_end(&mut stream, transport.serial(), script.label()).await?;
    Ok(ShellOutput {
        stdout,
        ..ShellOutput::default()
    })
}

/// Starts `script`, whose output is read line by line. `open_limit` bounds only the start, not the reading.
///
/// # Errors
/// Returns [`DeviceError::Timeout`] if the command does not start within `open_limit`.
pub(super) async fn lines(
    transport: &Transport,
    features: &Features,
    script: &Script,
    open_limit: Duration,
) -> Result<Lines, DeviceError> {
    let framed = features.has("shell_v2");
    let service = if framed { "shell,v2,raw" } else { "shell" };
    let service = format!("{service}:{}", script.text());
    let stream = tokio::time::timeout(open_limit, transport.open(&service))
        .await
        .map_err(|_| DeviceError::Timeout {
            what: script.label().to_owned(),
            limit: open_limit,
        })??;
    Ok(Lines {
        stream,
        decoder: framed.then(Decoder::default),
        serial: transport.serial().to_owned(),
        buffer: Vec::new(),
        ended: false,
    })
}

/// Lines of a running command, of standard output and standard error.
pub(super) struct Lines {
    stream: BoxStream,
    decoder: Option<Decoder>,
    serial: String,
    buffer: Vec<u8>,
    ended: bool,
}

#[async_trait::async_trait]
impl LineStream for Lines {
    /// Returns the next line without its end, waiting without a limit. `None` at the end; a last line without a
    /// line end counts.
    ///
    /// # Errors
    /// Fails if the connection ends before the command. Without `shell_v2` the two look the same, and the lines
    /// end.
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError> {
        loop {
            if let Some(line) = take_line(&mut self.buffer, self.ended) {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(None);
            }
            self.fill().await?;
        }
    }
}

impl Lines {
    /// Reads once from the stream, at most 16 KiB, and appends standard output and standard error to the buffer.
    /// Sets `ended` at the command's end. Loses nothing if it is dropped while it waits.
    ///
    /// # Errors
    /// Fails if the connection ends before the exit code, which only `shell_v2` sends.
    async fn fill(&mut self) -> Result<(), DeviceError> {
        let mut chunk = vec![0; 16 * 1024];
        let length = self
            .stream
            .read(&mut chunk)
            .await
            .map_err(|cause| lost(&self.serial, &cause.to_string()))?;
        let Some(decoder) = &mut self.decoder else {
            self.ended = length == 0;
            self.buffer.extend_from_slice(&chunk[..length]);
            return Ok(());
        };
        // A command that ended properly has sent its exit code.
        if length == 0 {
            return Err(lost(&self.serial, "the connection ended in mid-command"));
        }
        decoder.push(&chunk[..length]);
        while let Some(frame) = decoder.next_frame().map_err(|error| protocol(&error))? {
            match frame.id {
                FrameId::Stdout | FrameId::Stderr => self.buffer.extend_from_slice(&frame.data),
                FrameId::Exit => self.ended = true,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Removes the first complete line from the buffer, without its LF and the CRs before it. At the end of the stream
/// the rest counts as a line; a buffer of more than 1 MiB without a line end always does. `None` if no line is
/// complete yet.
fn take_line(buffer: &mut Vec<u8>, ended: bool) -> Option<String> {
    // A command that never ends its line must not fill memory.
    let (length, ending) = match buffer.iter().position(|byte| *byte == b'\n') {
        Some(at) => (at, 1),
        None if buffer.len() > MAX_LINE_BYTES || (ended && !buffer.is_empty()) => (buffer.len(), 0),
        None => return None,
    };
    let line = from_outside(&buffer[..length])
        .trim_end_matches('\r')
        .to_owned();
    buffer.drain(..length + ending);
    Some(line)
}

/// Reads the frames of a command until its exit code. Reports times of the device's clock as they come. An end
/// before the exit code is a lost device; more than 64 MiB of output is [`DeviceError::Command`].
async fn read_frames<R: AsyncRead + Unpin>(
    stream: &mut R,
    serial: &str,
    clock: &Clock,
    command: &str,
) -> Result<ShellOutput, DeviceError> {
    let mut output = ShellOutput::default();
    let mut decoder = Decoder::default();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let length = stream
            .read(&mut chunk)
            .await
            .map_err(|cause| lost(serial, &cause.to_string()))?;
        if length == 0 {
            return Err(lost(serial, "the connection ended in mid-command"));
        }
        decoder.push(&chunk[..length]);
        while let Some(frame) = decoder.next_frame().map_err(|error| protocol(&error))? {
            match frame.id {
                FrameId::Stdout => output.stdout.extend_from_slice(&frame.data),
                FrameId::Stderr => output.stderr.extend_from_slice(&frame.data),
                FrameId::Clock => {
                    if let Ok(time) = frame.data[..].try_into() {
                        clock.report(Duration::from_micros(u64::from_le_bytes(time)));
                    }
                }
                FrameId::Exit => {
                    let [code] = frame.data[..] else {
                        return Err(lost(serial, NO_END));
                    };
                    output.exit_code = Some(code.into());
                    return Ok(output);
                }
                _ => {}
            }
        }
        if output.stdout.len() + output.stderr.len() > MAX_OUTPUT_BYTES {
            return Err(output_too_long(command));
        }
    }
}

/// Reads a stream to its end. More than 64 MiB is [`DeviceError::Command`], an error of the stream
/// [`DeviceError::Lost`].
async fn read_to_end<R: AsyncRead + Unpin>(
    stream: &mut R,
    serial: &str,
    command: &str,
) -> Result<Vec<u8>, DeviceError> {
    let mut bytes = Vec::new();
    let mut bounded = stream.take(MAX_OUTPUT_BYTES as u64 + 1);
    bounded
        .read_to_end(&mut bytes)
        .await
        .map_err(|cause| lost(serial, &cause.to_string()))?;
    if bytes.len() > MAX_OUTPUT_BYTES {
        return Err(output_too_long(command));
    }
    Ok(bytes)
}

/// Builds the [`DeviceError::Command`] of a command that printed more than 64 MiB; the device is not to blame.
fn output_too_long(command: &str) -> DeviceError {
    DeviceError::Command {
        command: command.to_owned(),
        exit_code: None,
        output: format!("it printed more than {MAX_OUTPUT_BYTES} bytes, and was stopped"),
    }
}

fn protocol(error: &runner_adb::wire::WireError) -> DeviceError {
    DeviceError::Protocol(error.to_string())
}

/// Builds the error of a lost device.
fn lost(serial: &str, cause: &str) -> DeviceError {
    DeviceError::Lost {
        serial: serial.to_owned(),
        cause: cause.to_owned(),
    }
}

/// Appends a line with the exit code to `script`. The parentheses keep an `exit` in it from skipping the
/// line.
fn with_exit_mark(script: &str, mark: &str) -> String {
    format!("({script}\n); echo {mark}$?")
}

/// Removes the line of [`with_exit_mark`] and reads the exit code after it. All before the last mark is the
/// output, unchanged, with standard error in it. `None` if the mark or a number after it is missing, as after
/// a lost connection.
fn split_exit_mark(mut bytes: Vec<u8>, mark: &str) -> Option<ShellOutput> {
    let mark = mark.as_bytes();
    // The last match: a shell may have echoed its command.
    let at = bytes
        .windows(mark.len())
        .rposition(|window| window == mark)?;
    let code = std::str::from_utf8(&bytes[at + mark.len()..]).ok()?;
    let exit_code = code.trim().parse().ok()?;
    bytes.truncate(at);
    Some(ShellOutput {
        stdout: bytes,
        stderr: Vec::new(),
        exit_code: Some(exit_code),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_read_from_the_last_mark() {
        let split = |bytes: &[u8]| split_exit_mark(bytes.to_vec(), "@end@");
        let output = split(b"@end@7\nhello\n@end@3\r\n").unwrap();
        assert_eq!(output.stdout, b"@end@7\nhello\n");
        assert_eq!(output.exit_code, Some(3));
        assert_eq!(split(b"cut off"), None);
        assert_eq!(split(b"@end@"), None);
    }

    #[tokio::test]
    async fn attack_a_command_without_an_exit_code_has_not_succeeded() {
        use runner_adb::wire::shell::encode;

        for (code, expected) in [
            (&b"\x00"[..], Some(0)),
            (b"\x07", Some(7)),
            (b"", None),
            (b"\x00\x07", None),
            (b"\x00\x00\x00\x00", None),
        ] {
            let mut bytes = encode(FrameId::Stdout, b"Success");
            bytes.extend(encode(FrameId::Exit, code));
            let output = read_frames(&mut bytes.as_slice(), "fake", &Clock::host(), "true").await;
            match expected {
                Some(code) => assert_eq!(output.unwrap().exit_code, Some(code)),
                None => assert!(output.unwrap_err().is_infrastructure(), "{code:?}"),
            }
        }
    }

    #[tokio::test]
    async fn who_prints_too_much_is_no_lost_device() {
        let mut endless = tokio::io::repeat(b'x');
        let error = read_to_end(&mut endless, "fake", "yes").await.unwrap_err();
        assert!(!error.is_infrastructure(), "{error}");
        assert!(error.to_string().starts_with("`yes` failed"), "{error}");
    }

    #[tokio::test]
    async fn who_prints_frames_for_ever_is_stopped() {
        use runner_adb::wire::shell::encode;

        for id in [FrameId::Stdout, FrameId::Stderr] {
            let frame = encode(id, &vec![b'x'; 1024 * 1024]);
            let mut endless: Box<dyn AsyncRead + Unpin> = Box::new(tokio::io::empty());
            for _ in 0..=MAX_OUTPUT_BYTES / (1024 * 1024) {
                endless = Box::new(endless.chain(std::io::Cursor::new(frame.clone())));
            }
            let error = read_frames(&mut endless, "fake", &Clock::host(), "yes").await;
            let error = error.unwrap_err().to_string();
            assert!(error.contains("more than 67108864 bytes"), "{error}");
        }
    }

    #[test]
    fn lines_come_whole_and_the_last_needs_no_end() {
        let mut buffer = b"one\r\ntwo\nthr".to_vec();
        assert_eq!(take_line(&mut buffer, false).as_deref(), Some("one"));
        assert_eq!(take_line(&mut buffer, false).as_deref(), Some("two"));
        assert_eq!(take_line(&mut buffer, false), None);
        assert_eq!(take_line(&mut buffer, true).as_deref(), Some("thr"));
        assert_eq!(take_line(&mut buffer, true), None);
    }
}
