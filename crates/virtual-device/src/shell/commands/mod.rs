//! The device's commands. Each is a function over a [`Call`]; a new one needs that function and a line in
//! [`COMMANDS`].
//!
//! They run on threads that may block, lock the phone only briefly, and print the same output as Android.

mod activity;
mod activity_query;
mod appium_settings;
mod broadcast;
mod bug_report;
mod command_time;
mod content;
pub(super) mod deaf_settings;
mod dumpsys;
mod file_info;
mod files;
mod grants;
mod grep;
mod input;
mod input_method;
mod install;
mod instrument;
mod key_codes;
mod logcat;
mod network;
mod package;
mod package_dump;
mod panel;
mod print;
mod process;
mod properties;
mod record;
mod screen;
mod service;
mod test;
mod text;
mod toybox;
mod window;
mod window_names;
mod window_stack;

pub(super) use command_time::command_time;
pub use input::crash_app;
pub use key_codes::{key_code, key_name};

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::run::Streams;
use crate::state::DeviceState;
use crate::storage::{Storage, StorageError};

pub(super) type Run = fn(&mut Call) -> Outcome;

const COMMANDS: &[(&str, Run)] = &[
    ("[", test::bracket),
    ("am", activity::am),
    ("app_process", instrument::app_process),
    ("app_process64", instrument::app_process),
    ("appops", grants::appops_command),
    ("base64", text::base64),
    ("basename", text::basename),
    ("bmgr", process::nothing),
    ("bugreport", bug_report::bugreport),
    ("bugreportz", bug_report::bugreportz),
    ("cat", text::cat),
    ("chmod", files::chmod),
    ("cmd", service::cmd),
    ("content", content::content),
    ("cp", files::copy),
    ("cut", text::cut),
    ("date", process::date),
    ("df", file_info::df),
    ("dirname", text::dirname),
    ("dumpsys", dumpsys::dumpsys),
    ("echo", print::echo),
    ("false", process::fail),
    ("find", file_info::find),
    ("getevent", panel::getevent),
    ("getprop", properties::getprop),
    ("grep", grep::grep),
    ("head", text::head),
    ("id", process::id),
    ("ifconfig", network::ifconfig),
    ("ime", input_method::ime),
    ("input", input::input),
    ("ip", network::ip),
    ("kill", process::kill),
    ("logcat", logcat::logcat),
    ("log", logcat::log),
    ("locksettings", process::locksettings),
    ("ls", file_info::ls),
    ("md5sum", toybox::md5sum),
    ("mkdir", files::mkdir),
    ("monkey", activity::monkey),
    ("mv", files::rename),
    ("pidof", process::pidof),
    ("pkill", process::pkill),
    ("pm", package::pm),
    ("printf", print::printf),
    ("ps", process::ps),
    ("pwd", process::pwd),
    ("readlink", file_info::resolve_link),
    ("rm", files::remove),
    ("rmdir", files::rmdir),
    ("screencap", screen::screencap),
    ("screenrecord", record::screenrecord),
    ("sendevent", panel::sendevent),
    ("seq", text::seq),
    ("setprop", properties::setprop),
    ("settings", properties::settings),
    ("sleep", process::sleep),
    ("sort", text::sort),
    ("stat", file_info::stat),
    ("svc", service::svc),
    ("sync", process::nothing),
    ("tail", text::tail),
    ("test", test::test),
    ("touch", files::touch),
    ("toybox", toybox::toybox),
    ("tr", text::translate),
    ("true", process::nothing),
    ("uiautomator", screen::uiautomator),
    ("uname", process::uname),
    ("uptime", process::uptime),
    ("wc", text::wc),
    ("which", process::which),
    ("whoami", process::whoami),
    ("wm", window::wm),
];

/// Returns true for a command that takes well under a millisecond on a device without realistic times. It
/// only reads or changes memory, or writes one small file.
pub(super) fn is_quick(name: &str) -> bool {
    matches!(
        name,
        "dumpsys"
            | "getprop"
            | "grep"
            | "input"
            | "sendevent"
            | "setprop"
            | "settings"
            | "uiautomator"
            | "wm"
    )
}

/// Returns true if the system may kill the command. Most shells have the other ones, such as `echo` and
/// `sleep`, built in.
pub(super) fn may_be_killed(name: &str) -> bool {
    !matches!(
        name,
        "[" | "echo" | "false" | "printf" | "sleep" | "test" | "true"
    )
}

/// Returns the command of a name, or of a path into `/system/bin/` or `/bin/`, or `None`. Builtins and functions of
/// the shell are not among them.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name
        .strip_prefix("/system/bin/")
        .or_else(|| name.strip_prefix("/bin/"))
        .unwrap_or(name);
    COMMANDS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, run)| *run)
}

/// Result of a command's function.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The command ended with this exit code.
    Exit(i32),
    /// The command must be called again with its standard input in [`Call::stdin`].
    NeedsStdin,
    /// The command takes time, until it is interrupted or done.
    Running(RunningCommand),
}

/// A command that takes time.
#[derive(Debug)]
pub(super) enum RunningCommand {
    /// `sleep`.
    Sleep(Duration),
    /// `logcat` without `-d`.
    Log(logcat::LogFollower),
    /// `screenrecord`.
    Record(record::Recording),
    /// `am instrument`.
    Instrument(instrument::InstrumentCommand),
    /// `app_process` with the server of `uiautomator2`.
    U2(instrument::U2Command),
    /// `pm install -S SIZE`.
    Install(install::InstallStream),
    /// A fault: it runs until it is interrupted.
    Hang,
    /// A fault: a dump that gives up after this much real time.
    NeverIdle(Duration),
}

impl RunningCommand {
    /// Runs it to the end. Returns the exit code, which is 130 if the command is interrupted; only a recording then
    /// gives 0, and an installation that has begun is finished. Output goes to `streams`.
    pub(super) async fn run_to_end(
        self,
        device: &Arc<DeviceState>,
        interrupt: CancellationToken,
        streams: &Streams,
    ) -> i32 {
        match self {
            Self::Sleep(time) => process::pause(device, time, &interrupt).await,
            Self::Log(follow) => follow.run_to_end(device, &interrupt, streams).await,
            Self::Record(recording) => recording.run_to_end(&interrupt).await,
            Self::Instrument(instrumenting) => instrumenting.run_to_end(&interrupt, streams).await,
            Self::U2(serving) => serving.run_to_end(&interrupt).await,
            Self::Install(receiving) => receiving.run_to_end(device, &interrupt, streams).await,
            Self::Hang => {
                interrupt.cancelled().await;
                130
            }
            Self::NeverIdle(after) => {
                let waiting = interrupt.run_until_cancelled(tokio::time::sleep(after));
                if waiting.await.is_none() {
                    return 130;
                }
                let error = b"ERROR: could not get idle state.\n".to_vec();
                let _ = streams.err.write(error).await;
                0
            }
        }
    }
}

/// One run of a command.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) device: Arc<DeviceState>,
    /// The command's words; the first is its name.
    pub(super) args: Vec<String>,
    cwd: String,
    /// `CLASSPATH`.
    pub(super) classpath: String,
    /// Standard input, once the command asked for it.
    pub(super) stdin: Option<Vec<u8>>,
    /// Output.
    pub(super) out: Vec<u8>,
    /// Output to standard error.
    pub(super) err: Vec<u8>,
    /// Output to `/dev/tty`.
    pub(super) terminal: Vec<u8>,
    /// The peer reads the output while the command runs, so it may follow something.
    pub(super) follows: bool,
    /// The script goes on beside it, as it is a background job.
    pub(super) is_job: bool,
}

impl Call {
    /// Returns a call without input and output, whose output nobody follows and whose `CLASSPATH` is empty.
    pub(super) fn new(device: Arc<DeviceState>, args: Vec<String>, cwd: String) -> Self {
        Self {
            device,
            args,
            cwd,
            classpath: String::new(),
            stdin: None,
            out: Vec::new(),
            err: Vec::new(),
            terminal: Vec::new(),
            follows: false,
            is_job: false,
        }
    }

    /// Returns copies of the arguments without the command's name, so that the call can print while they are
    /// read.
    pub(super) fn owned_args(&self) -> Vec<String> {
        self.args.iter().skip(1).cloned().collect()
    }

    pub(super) fn name(&self) -> String {
        self.args.first().cloned().unwrap_or_default()
    }

    /// Prints a line to standard output, with a line feed.
    pub(super) fn say(&mut self, line: impl AsRef<str>) {
        self.out.extend(line.as_ref().as_bytes());
        self.out.push(b'\n');
    }

    /// Prints a line to standard error.
    pub(super) fn warn(&mut self, line: impl AsRef<str>) {
        self.err.extend(line.as_ref().as_bytes());
        self.err.push(b'\n');
    }

    /// Prints a line to standard error, and returns the outcome with an exit code.
    pub(super) fn fail(&mut self, code: i32, line: impl AsRef<str>) -> Outcome {
        self.warn(line);
        Outcome::Exit(code)
    }

    /// Returns the absolute path of a path in the shell's current folder.
    pub(super) fn path(&self, path: &str) -> String {
        Storage::absolute(&self.cwd, path)
    }

    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, StorageError> {
        self.device.read(&self.path(path))
    }

    /// Writes a file, or a special one: `/dev/tty`, and those that stand for standard output and error. A relative
    /// path is in the current folder. Made-up files are refused, and a file is replaced.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), StorageError> {
        match self.path(path).as_str() {
            "/dev/tty" => self.terminal.extend(bytes),
            "/dev/stdout" | "/proc/self/fd/1" => self.out.extend(bytes),
            "/dev/stderr" | "/proc/self/fd/2" => self.err.extend(bytes),
            path => {
                self.device.take_storage_fault();
                self.device.write(path, bytes)?;
            }
        }
        Ok(())
    }

    /// Lets the time of a real device pass: virtual time, or real time on a realistic device, where this
    /// blocks the thread. Then it performs the calls to app hosts, for which it may block as long as an app takes.
    pub(super) fn spend(&self, time: Duration) {
        if self.device.realistic {
            // Commands run on threads that may block.
            std::thread::sleep(time);
        }
        self.device.pass(time);
        self.device.exchange();
    }
}
