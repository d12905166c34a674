//! Trait of devices: looks, inputs, the shell, files and services.

use std::time::Duration;

use super::{
    Clock, Counters, DeviceError, DeviceInfo, Input, LookOptions, Picture, PictureOptions, Script,
    Sections, ServerSystem, ShellOutput, remote,
};
use runner_screen::Screen;

/// Output of a running command, line by line: `logcat`, `screenrecord`. Dropping it stops the command.
#[async_trait::async_trait]
pub trait LineStream: Send {
    /// Waits for the next line, without a limit, and returns it without its end; `None` once the command ended.
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError>;
}

/// Byte stream to a service of a device. Dropping it closes it.
pub trait ByteStream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}

impl<T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin> ByteStream for T {}

/// First API level whose `input keycombination` reports the held modifiers with each key (Android 13).
const HELD_KEYS_SDK: u32 = 33;

/// Element with the input focus, as a driver reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FocusedElement {
    /// Text of the field; if it is empty, its hint.
    pub text: String,
    /// Set if the field hides what is typed.
    pub is_password: bool,
    /// Class such as `android.widget.EditText`.
    pub class: String,
    /// Bounds in pixels of the display.
    pub bounds: runner_screen::Rect,
}

/// Device whose screen can be read and which can be acted on.
#[async_trait::async_trait]
pub trait Device: Send + Sync {
    /// Returns the description that the device gave when the session began.
    fn info(&self) -> &DeviceInfo;

    /// Returns the counters of this session's calls, which go on counting.
    fn counters(&self) -> &Counters;

    /// Returns true if a look waits until nothing moves, as `uiautomator dump` does.
    fn looks_at_rest(&self) -> bool {
        false
    }

    /// Returns the clock by which limits on this device count.
    fn clock(&self) -> Clock {
        Clock::host()
    }

    /// Runs a script in the device's shell: one round trip, however many commands it holds. An exit code other
    /// than 0 is no error.
    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError>;

    /// Runs several commands that change nothing, and returns their answers in order, in one round trip. A
    /// missing answer is empty; exit codes are not checked.
    ///
    /// The default joins them into one script, for connections on which each command costs a round trip. Each
    /// answer then has the standard error and the exit code of the whole script.
    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.counters().mark_read_only();
        let sections = Sections::from_questions(questions);
        let output = self.shell(&sections.script(label), limit).await?;
        Ok(sections.answers_in(&output, questions.len()))
    }

    /// Starts a command whose output is read line by line. The command must change nothing. No limit ends it;
    /// dropping the stream does.
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError>;

    /// Reads the screen with its windows, the app in front and the display. The limit bounds all attempts
    /// together.
    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError>;

    /// Takes one screenshot in full size, turned as the display is. An incomplete one is taken again, within the
    /// limit and number of attempts.
    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError>;

    /// Sends inputs in order, in one round trip; a long text takes several. `limit` is for each round trip,
    /// beyond the time that the inputs themselves take.
    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError>;

    /// Sends a file to the device, with Unix permission bits `mode`. An existing file is replaced.
    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError>;

    /// Fetches a file; fails if it has more than `max` bytes.
    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError>;

    /// Opens a service of the device, such as `tcp:6790`. Sets no limit of time. The default has no services.
    ///
    /// # Errors
    /// Returns [`DeviceError::NotListening`] if nothing on the device accepts it.
    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        Err(DeviceError::NotListening {
            service: service.to_owned(),
        })
    }

    /// Returns true if the uia2 driver's server was installed when the session began.
    fn uia2_installed(&self) -> bool {
        false
    }

    /// Returns true if a key can be pressed with CTRL held so that an app sees both. `input keycombination`
    /// does not report the held key before API level 33; an unknown release is tried.
    fn holds_modifiers(&self) -> bool {
        let sdk = self.info().sdk.value();
        sdk.is_none_or(|sdk| *sdk >= HELD_KEYS_SDK)
    }

    /// Returns the element with the input focus; `None` if the driver cannot report it without a look.
    async fn focused_element(
        &self,
        _limit: Duration,
    ) -> Result<Option<FocusedElement>, DeviceError> {
        Ok(None)
    }

    /// Returns true if [`Device::set_text`] may work now.
    fn sets_text(&self) -> bool {
        false
    }

    /// Replaces the text of the field with the focus, without keys. Returns false if it cannot be done this
    /// way, and nothing was sent.
    async fn set_text(&self, _text: &str, _limit: Duration) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// Returns the session on the server that lends the device; `None` without such a server.
    fn session(&self) -> Option<remote::RemoteSession> {
        None
    }

    /// Announces an attempt at the flow of this name, before any other call for it. Earlier failures may be
    /// retried, and a server that lends the device may be notified or asked for a session. The name's secrets
    /// are masked; attempts count from 1.
    ///
    /// # Errors
    /// Returns a [`DeviceError`] if the flow cannot have the device.
    async fn begin_flow(&self, _name: &str, _attempt: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Announces the result of the attempt that began last. A failure to announce it becomes a note.
    async fn end_flow(&self, _result: &remote::FlowResult) {}

    /// Checks that the device answers, by a command without effect.
    ///
    /// # Errors
    /// Returns the error of the missing answer. A device that answers that it cannot run the command counts
    /// as alive.
    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        let nothing = Script::command(["true"]);
        self.shell(&nothing, limit).await.map(drop)
    }

    /// Instruction to the person for a device that answers nothing any more.
    fn when_silent(&self) -> &'static str {
        "plug it in again or restart it"
    }

    /// Returns the server whose commands replace the device's shell; `None` without such a server.
    fn system(&self) -> Option<&dyn ServerSystem> {
        None
    }

    /// Takes the notes for people about how the device was used since the last call, a sentence each. Empty for
    /// most devices.
    fn take_notes(&self) -> Vec<String> {
        Vec::new()
    }
}
